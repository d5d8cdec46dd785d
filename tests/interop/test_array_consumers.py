"""Libraries that take arrays of any kind: einops, opt_einsum, xarray, scikit-learn, pandas."""

import subprocess
import sys

import child
import numpy as np
import pytest

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")

X = np.random.default_rng(0).random((6, 8))


def same(body, rtol=1e-12):
    got, want = body(cp.asarray(X)), body(X)
    assert isinstance(got, cp.ndarray)
    np.testing.assert_allclose(got.get(), want, rtol=rtol)


def test_einops():
    e = pytest.importorskip("einops")
    same(lambda x: e.rearrange(x, "a (b c) -> c a b", b=2))
    same(lambda x: e.reduce(x, "a b -> a", "mean"))
    same(lambda x: e.reduce(x, "(a c) b -> a c", "max", c=2))
    same(lambda x: e.repeat(x, "a b -> a b c", c=2))
    same(lambda x: e.einsum(x, x, "a b, c b -> a c"))
    same(lambda x: e.pack([x, x], "* b")[0])
    same(lambda x: e.rearrange([x, x], "k a b -> a k b"))
    assert type(e.asnumpy(cp.asarray(X))) is np.ndarray
    assert e.parse_shape(cp.asarray(X), "a b") == {"a": 6, "b": 8}
    with pytest.raises(NotImplementedError, match="non-floating"):
        e.reduce(cp.arange(4), "a -> ", "mean")


def test_opt_einsum():
    oe = pytest.importorskip("opt_einsum")
    same(lambda x: oe.contract("ij,jk,kl->il", x, x.T, x))
    expression = oe.contract_expression("ij,jk->ik", (6, 8), (8, 3))
    same(lambda x: expression(x, x.T[:, :3]))


@pytest.fixture(scope="module")
def xr():
    """xarray, which keeps the first array that it meets: in the exception of an optional import."""
    xr = pytest.importorskip("xarray")
    xr.DataArray(np.zeros(1)).mean()
    return xr


XARRAY = {
    "mean": lambda d: d.mean("t"),
    "median": lambda d: d.median("y"),
    "quantile": lambda d: d.quantile(0.3, "y"),
    "differentiate": lambda d: d.differentiate("t"),
    "integrate": lambda d: d.integrate("t"),
    "isel": lambda d: d.isel(t=slice(1, 3)),
    "where": lambda d: d.where(d > 0.5).fillna(0),
    "rolling": lambda d: d.rolling(t=3).mean(),
    "groupby": lambda d: d.groupby("t").mean(),
    "broadcast": lambda d: d * d.isel(t=0) + d.isel(y=1),
    "numpys ufunc": lambda d: np.sin(d),
    "sortby": lambda d: d.sortby("t", ascending=False),
    "reindex": lambda d: d.reindex(t=[0.0, 1.0, 9.0]),
}


@pytest.mark.parametrize("name", XARRAY)
def test_xarray(name, xr):
    got, want = (
        XARRAY[name](
            xr.DataArray(x, dims=("t", "y"), coords={"t": np.arange(6.0), "y": np.arange(8) / 7})
        )
        for x in (cp.asarray(X), X)
    )
    assert isinstance(got.data, cp.ndarray)
    np.testing.assert_allclose(got.data.get(), want.data, rtol=1e-10)
    assert type(got.to_numpy()) is np.ndarray


def test_xarray_does_not_interpolate_on_the_host(xr):
    d = xr.DataArray(cp.asarray(X), dims=("t", "y"), coords={"t": np.arange(6.0)})
    with pytest.raises(TypeError, match="Implicit conversion"):
        d.interp(t=[0.5])


def test_gradient_takes_coordinates_of_the_host():
    t = np.cumsum(np.arange(1.0, 7))
    want = np.gradient(X, t, 0.5)
    for got in (cp.gradient(cp.asarray(X), t, 0.5), np.gradient(cp.asarray(X), t, 0.5)):
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a.get(), b, rtol=1e-12)


def test_pandas():
    pd = pytest.importorskip("pandas")
    for given in (pd.Series([1.0, 2.0]), pd.Index([1, 2]), pd.Series([1, 2], dtype="Int64")):
        assert cp.asarray(given).tolist() == [1, 2]
    assert cp.asarray(pd.DataFrame({"a": [1.0, 2.0]})).shape == (2, 1)
    with pytest.raises(TypeError, match="Implicit conversion"):
        pd.Series(cp.ones(3))


SKLEARN = """
import numpy as np, gpunp as cp
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
X = np.random.default_rng(0).random((40, 5))
y = (X[:, 0] > 0.5).astype(int)
with config_context(array_api_dispatch=True):
    for body in (
        lambda X, y: StandardScaler().fit_transform(X),
        lambda X, y: abs(PCA(2, svd_solver="full").fit_transform(X)),
        lambda X, y: Ridge(solver="svd").fit(X, X @ X[0]).predict(X),
        lambda X, y: LinearDiscriminantAnalysis().fit(X, y).predict(X),
        lambda X, y: LogisticRegression().fit(X, y).predict(X),
        lambda X, y: rbf_kernel(X),
    ):
        got, want = body(cp.asarray(X), cp.asarray(y)), body(X, y)
        assert isinstance(got, cp.ndarray), got
        np.testing.assert_allclose(got.get(), want, rtol=1e-8, atol=1e-10)
    assert abs(r2_score(cp.asarray(X[0]), cp.asarray(X[1])) - r2_score(X[0], X[1])) < 1e-12
"""


def test_scikit_learn():
    pytest.importorskip("sklearn")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SKLEARN],
        env={**child.environment(), "SCIPY_ARRAY_API": "1"},
        timeout=child.PATIENCE,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr

"""Dask arrays with chunks on the device, where Dask is installed."""

import importlib.metadata
import subprocess
import sys

import child
import numpy as np
import pytest

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")

X = np.random.default_rng(0).random((20, 30))

REDUCTIONS = {
    "mean": lambda da, d: d.mean(axis=0),
    "std": lambda da, d: d.std(),
    "var": lambda da, d: d.var(axis=1, ddof=1),
    "nanmean": lambda da, d: da.nanmean(da.where(d > 0.5, d, np.nan)),
    "moment": lambda da, d: d.moment(3),
    "argmax": lambda da, d: d.argmax(axis=1),
    "percentile": lambda da, d: da.percentile(d[:, 0].rechunk(20), [25, 50, 75]),
    "median": lambda da, d: da.median(d, axis=0),
}
OTHERS = {
    "concatenate": lambda da, d: da.concatenate([d, d]),
    "tensordot": lambda da, d: da.tensordot(d, d, axes=((1,), (1,))),
    "einsum": lambda da, d: da.einsum("ij,kj->ik", d, d),
    "take": lambda da, d: d[[1, 5, 2]],
    "map_overlap": lambda da, d: d.map_overlap(lambda b: b * 2, depth=1, boundary="reflect"),
    "svd": lambda da, d: da.linalg.svd(d.rechunk((5, 30)))[1],
    "norm": lambda da, d: da.linalg.norm(d),
    "numpys ufunc": lambda da, d: np.sin(d),
}


@pytest.fixture(scope="module")
def da():
    """The module. Imported by a test, it would keep that test's frame: one of Dask's imports that
    failed keeps its traceback."""
    return pytest.importorskip("dask.array")


def chunked(da, x):
    return da.from_array(x, chunks=(7, 9), asarray=False)


@pytest.mark.parametrize("name", [*REDUCTIONS, *OTHERS])
def test_operations_on_chunks(name, da):
    body = {**REDUCTIONS, **OTHERS}[name]
    result = body(da, chunked(da, cp.asarray(X)))
    assert isinstance(result._meta, cp.ndarray)
    got, want = result.compute(scheduler="sync"), body(da, chunked(da, X)).compute(scheduler="sync")
    assert isinstance(got, cp.ndarray)
    np.testing.assert_allclose(got.get(), want, rtol=1e-10)


@pytest.mark.parametrize("device", [True, False])
def test_unique(device, da):
    """On the device with indices, inverse and counts; chunks of the host are Dask's own business."""
    x = np.array([[3, 1, 3, 2], [2, 3, 1, 7]])
    chunks = da.from_array(cp.asarray(x) if device else x, chunks=(1, 3), asarray=False)
    whole = {"return_index": True, "return_inverse": True, "return_counts": True}
    results = da.unique(chunks, **whole)
    for result, desired in zip(results, np.unique(x.ravel(), **whole), strict=True):
        got = result.compute(scheduler="sync")
        assert isinstance(got, cp.ndarray) == device == isinstance(result._meta, cp.ndarray)
        np.testing.assert_array_equal((got.get() if device else got).ravel(), desired)
    got = da.unique(chunks).compute(scheduler="sync")
    np.testing.assert_array_equal(got.get() if device else got, [1, 2, 3, 7])


def test_operators_with_arrays_of_the_device(da):
    x = cp.asarray(X)
    d = chunked(da, x)
    for result in (x + d, d + x, np.add(x, d), 2 * d):
        got = result.compute(scheduler="sync")
        assert isinstance(got, cp.ndarray)
        np.testing.assert_array_equal(got.get(), 2 * X)


def test_tokens_and_sizes(da):
    from dask.sizeof import sizeof
    from dask.tokenize import tokenize

    x = cp.asarray(X)
    assert tokenize(x) == tokenize(x.copy()) != tokenize(x + 1)
    assert sizeof(x) == X.nbytes


def test_creation_of_arrays(da):
    import dask

    with dask.config.set({"array.backend": "gpunp", "scheduler": "sync"}):
        made = [
            da.ones((4, 4), chunks=2),
            da.zeros(3),
            da.empty(3),
            da.full((2, 2), 3),
            da.arange(5),
            da.random.random((4, 4), chunks=2),
            da.random.default_rng(3).normal(size=(4, 4), chunks=2),
            da.random.default_rng(3).permutation(10),
            da.random.RandomState(3).normal(size=4),
        ]
        for array in made:
            assert isinstance(array._meta, cp.ndarray)
            assert isinstance(array.compute(), cp.ndarray)
        again = [da.random.default_rng(3).normal(size=4).compute() for _ in range(2)]
        cp.testing.assert_array_equal(*again)


def test_moving_chunks(da):
    host = da.from_array(X, chunks=7)
    there = host.to_backend("gpunp")
    assert isinstance(there.compute(scheduler="sync"), cp.ndarray)
    assert there.to_backend("gpunp") is there
    back = there.to_backend("numpy").compute(scheduler="sync")
    assert type(back) is np.ndarray and (back == X).all()


ORDER = """
import sys
for name in {names}:
    __import__(name)
import dask.array as da, gpunp as cp
x = cp.ones((4, 4))
d = da.from_array(x, chunks=2, asarray=False)
assert isinstance((x + d).mean().compute(scheduler="sync"), cp.ndarray)
"""


@pytest.mark.parametrize("names", [("gpunp", "dask.array"), ("dask.array", "gpunp")])
def test_either_may_be_imported_first(names, da):
    run(ORDER.format(names=names))


def run(code):
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=child.environment(),
        timeout=child.PATIENCE,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


def test_dask_is_not_imported():
    run("import sys, gpunp; gpunp.dtype; assert not {'dask', 'numba', 'torch'} & set(sys.modules)")


def test_entry_points():
    """Those of the project's file; of an installed distribution they are the same."""
    import tomllib

    path = child.ROOT / "pyproject.toml"
    points = tomllib.loads(path.read_text())["project"]["entry-points"]
    assert points["array_api"] == {"gpunp": "gpunp"}
    for group in points.values():
        for value in group.values():
            module, _, name = value.partition(":")
            if module == "gpunp._dask":
                pytest.importorskip("dask.array")
            point = importlib.metadata.EntryPoint("gpunp", value, "group")
            assert point.load() is not None

"""CuPy's names and positions of parameters, and host arrays where CuPy's functions take them."""

import importlib
import pickle
import subprocess
import sys
import weakref

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp._core import renaming

X = np.arange(6.0).reshape(2, 3)
V, I, BITS = np.array([3, 1, 2]), np.array([1, 0, 2]), np.array([1, 0, 1], "u1")

# (CuPy's call, NumPy's): both give the same arrays.
CALLS = [
    (lambda xp, x, v, i: xp.arange(0, 3, 1, "f4"), lambda xp, x, v, i: np.arange(0, 3, 1, "f4")),
    (lambda xp, x, v, i: xp.arange(start=1, stop=5), lambda xp, x, v, i: np.arange(1, 5)),
    (lambda xp, x, v, i: xp.array(x, "f4", True, "F", False, 3), lambda xp, x, v, i: x[None]),
    (lambda xp, x, v, i: xp.array(obj=x), lambda xp, x, v, i: x),
    (lambda xp, x, v, i: xp.asanyarray(x, blocking=True), lambda xp, x, v, i: x),
    (lambda xp, x, v, i: xp.concatenate(tup=[x, x]), lambda xp, x, v, i: xp.concatenate([x, x])),
    (lambda xp, x, v, i: xp.concat(tup=[x, x], axis=1), lambda xp, x, v, i: xp.concat([x, x], 1)),
    (lambda xp, x, v, i: xp.stack(tup=[x, x], axis=1), lambda xp, x, v, i: xp.stack([x, x], 1)),
    (lambda xp, x, v, i: xp.bincount(x=i), lambda xp, x, v, i: xp.bincount(i)),
    (lambda xp, x, v, i: xp.corrcoef(a=x), lambda xp, x, v, i: xp.corrcoef(x)),
    (lambda xp, x, v, i: xp.corrcoef(x, None, True, False, 1), lambda xp, x, v, i: xp.corrcoef(x)),
    (lambda xp, x, v, i: xp.cov(a=x), lambda xp, x, v, i: xp.cov(x)),
    (lambda xp, x, v, i: xp.delete(v, indices=1), lambda xp, x, v, i: xp.delete(v, 1)),
    (lambda xp, x, v, i: xp.ediff1d(arr=v), lambda xp, x, v, i: xp.ediff1d(v)),
    (lambda xp, x, v, i: xp.extract(v > 1, a=v), lambda xp, x, v, i: xp.extract(v > 1, v)),
    (lambda xp, x, v, i: xp.from_dlpack(array=v), lambda xp, x, v, i: xp.from_dlpack(v)),
    (lambda xp, x, v, i: xp.diff(v, prepend=None, append=None), lambda xp, x, v, i: xp.diff(v)),
    (lambda xp, x, v, i: xp.bincount(i, None, None), lambda xp, x, v, i: xp.bincount(i)),
    (lambda xp, x, v, i: xp.flip(a=x, axis=0), lambda xp, x, v, i: xp.flip(x, 0)),
    (lambda xp, x, v, i: xp.fliplr(a=x), lambda xp, x, v, i: xp.fliplr(x)),
    (lambda xp, x, v, i: xp.flipud(a=x), lambda xp, x, v, i: xp.flipud(x)),
    (lambda xp, x, v, i: xp.rot90(a=x, k=2), lambda xp, x, v, i: xp.rot90(x, 2)),
    (lambda xp, x, v, i: xp.histogram(x=v, bins=2)[0], lambda xp, x, v, i: xp.histogram(v, 2)[0]),
    (lambda xp, x, v, i: xp.inner(a=v, b=i), lambda xp, x, v, i: xp.inner(v, i)),
    (lambda xp, x, v, i: xp.vdot(v, b=i), lambda xp, x, v, i: xp.vdot(v, i)),
    (lambda xp, x, v, i: xp.union1d(arr1=v, arr2=i), lambda xp, x, v, i: xp.union1d(v, i)),
    (lambda xp, x, v, i: xp.intersect1d(v, arr2=i), lambda xp, x, v, i: xp.intersect1d(v, i)),
    (lambda xp, x, v, i: xp.reshape(a=x, newshape=6), lambda xp, x, v, i: xp.reshape(x, 6)),
    (
        lambda xp, x, v, i: xp.percentile(x, 30, interpolation="lower"),
        lambda xp, x, v, i: xp.percentile(x, 30, method="lower"),
    ),
    (
        lambda xp, x, v, i: xp.quantile(x, 0.3, interpolation=None),
        lambda xp, x, v, i: xp.quantile(x, 0.3),
    ),
    (
        lambda xp, x, v, i: xp.take_along_axis(a=v, indices=i, axis=0),
        lambda xp, x, v, i: xp.take_along_axis(v, i, 0),
    ),
    (
        lambda xp, x, v, i: xp.where(condition=v > 1, x=v, y=0),
        lambda xp, x, v, i: xp.where(v > 1, v, 0),
    ),
    (lambda xp, x, v, i: xp.where(v > 1, y=0, x=v), lambda xp, x, v, i: xp.where(v > 1, v, 0)),
    (
        lambda xp, x, v, i: xp.unravel_index(i, dims=(2, 2))[0],
        lambda xp, x, v, i: xp.unravel_index(i, (2, 2))[0],
    ),
    (
        lambda xp, x, v, i: xp.argmax(x, axis=0, dtype="i4"),
        lambda xp, x, v, i: xp.argmax(x, 0).astype("i4"),
    ),
    (
        lambda xp, x, v, i: xp.argmin(x, 0, "i2", None, True),
        lambda xp, x, v, i: xp.argmin(x, 0, keepdims=True).astype("i2"),
    ),
    (
        lambda xp, x, v, i: xp.nanargmax(x, 1, dtype="u1"),
        lambda xp, x, v, i: xp.nanargmax(x, 1).astype("u1"),
    ),
    (
        lambda xp, x, v, i: xp.histogramdd(x.T, 2, None, v)[0],
        lambda xp, x, v, i: xp.histogramdd(x.T, 2, weights=v)[0],
    ),
    (
        lambda xp, x, v, i: xp.histogram2d(x[0], x[1], 2, None, v)[0],
        lambda xp, x, v, i: xp.histogram2d(x[0], x[1], 2, weights=v)[0],
    ),
    (lambda xp, x, v, i: xp.linalg.matrix_rank(M=x), lambda xp, x, v, i: xp.linalg.matrix_rank(x)),
    (
        lambda xp, x, v, i: xp.linalg.matrix_power(M=x @ x.T, n=2),
        lambda xp, x, v, i: xp.linalg.matrix_power(x @ x.T, 2),
    ),
    (
        lambda xp, x, v, i: xp.unpackbits(xp.packbits(a=i.astype("u1")), None, "little"),
        lambda xp, x, v, i: xp.unpackbits(xp.packbits(i.astype("u1")), bitorder="little"),
    ),
]


# The same for functions of SciPy: CuPy's call and SciPy's, both made on the device.
OF_SCIPY = [
    (lambda f, x: f.linalg.expm(a=x), lambda f, x: f.linalg.expm(x)),
    (
        lambda f, x: f.ndimage.affine_transform(x, x, texture_memory=False),
        lambda f, x: f.ndimage.affine_transform(x, x),
    ),
    (
        lambda f, x: f.ndimage.distance_transform_edt(image=x, float64_distances=True),
        lambda f, x: f.ndimage.distance_transform_edt(x),
    ),
    (
        lambda f, x: f.ndimage.uniform_filter(x, 3, None, "reflect", 0.0, 0, (0,)),
        lambda f, x: f.ndimage.uniform_filter(x, 3, axes=(0,)),
    ),
    (
        lambda f, x: f.signal.firwin(5, 0.3, None, "hann"),
        lambda f, x: f.signal.firwin(5, 0.3, window="hann"),
    ),
    (
        lambda f, x: f.sparse.linalg.lsmr(f.sparse.csr_matrix(x), x[0], cp.ones(2), 0.5)[0],
        lambda f, x: f.sparse.linalg.lsmr(f.sparse.csr_matrix(x), x[0], 0.5, x0=cp.ones(2))[0],
    ),
]


@pytest.mark.parametrize("theirs, own", OF_SCIPY)
def test_cupys_names_in_scipy(theirs, own):
    import gpunp.scipy.sparse.linalg

    x = cp.asarray([[1.0, 0.0], [1.0, 2.0]])
    cp.testing.assert_array_equal(theirs(gpunp.scipy, x), own(gpunp.scipy, x))


@pytest.mark.parametrize("case", range(len(CALLS)))
def test_cupys_names_and_positions(case):
    theirs, numpys = CALLS[case]
    got = theirs(cp, cp.asarray(X), cp.asarray(V), cp.asarray(I))
    want = np.asarray(numpys(np, X, V, I))
    np.testing.assert_allclose(cp.asnumpy(got), want, rtol=1e-12)
    if case > 2:
        assert got.dtype == want.dtype


def test_the_table_has_functions_of_ours_and_no_names_of_numpys():
    for path, row in renaming.NAMES.items():
        module, _, name = path.rpartition(".")
        home = importlib.import_module(f"gpunp.{module}" if module else "gpunp")
        function = getattr(home, name)
        assert type(function) is cp._C.renamed, path
        parameters = {p.name: p for p in renaming.inspect.signature(function).parameters.values()}
        for word in row.split():
            other, equals, own = word.partition("=")
            if not equals:
                assert parameters[other].kind is renaming.inspect.Parameter.POSITIONAL_ONLY, path
            else:
                assert other not in parameters, path
                assert own in ("", "result.dtype") or own in parameters, path


def test_errors_are_pythons():
    x = cp.arange(3)
    for call in (
        lambda: cp.flip(x, a=x),
        lambda: cp.flip(m=x, a=x),
        lambda: cp.concatenate([x], tup=[x]),
        lambda: cp.flip(b=x),
        lambda: cp.where(x > 1, x=x),
        lambda: cp.array(x, "f4", True, copy=True),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_a_renamed_function_looks_like_the_function():
    assert cp.concatenate.__name__ == "concatenate"
    assert cp.concatenate.__doc__.startswith("Join arrays")
    assert pickle.loads(pickle.dumps(cp.concatenate)) is cp.concatenate
    assert weakref.ref(cp.flip)() is cp.flip
    assert repr(cp.flip).startswith("<function flip")

    class Holder:
        method = cp.size

    assert np.concatenate([cp.ones(2), cp.ones(1)]).shape == (3,)
    with pytest.raises(TypeError, match="takes a function"):
        cp._C.renamed(1, {}, len, 0)


def test_positions_that_numpy_has_are_numpys():
    x, out = cp.asarray(X), cp.zeros(3, np.intp)
    assert cp.argmax(x, 0, out) is out
    np.testing.assert_array_equal(
        cp.histogramdd(x.T, 2, None, True)[0].get(), np.histogramdd(X.T, 2, None, True)[0]
    )
    assert cp.unpackbits(cp.asarray(BITS), None, 3).size == 3


ACCEPTING = """
import inspect, numpy as np, gpunp as cp
from gpunp._core.renaming import accept_host_arrays
h = np.arange(6.0).reshape(2, 3)
def refuses(f, *args):
    try:
        f(*args)
    except TypeError:
        return True
assert refuses(cp.sum, h) and refuses(cp.diff, h) and refuses(cp.reshape, h, (3, 2))
accept_host_arrays()
for name in "sum mean std var max min prod ravel transpose squeeze sort".split():
    got = getattr(cp, name)(h)
    assert type(got) is type(getattr(np, name)(h)), name
    np.testing.assert_array_equal(got, getattr(np, name)(h))
    assert type(getattr(cp, name)(cp.asarray(h))) is cp.ndarray, name
assert type(cp.reshape(h, (3, 2))) is np.ndarray
for name in "diff gradient zeros_like ones_like empty_like cov atleast_1d".split():
    got = getattr(cp, name)(h)
    got = got if isinstance(got, (list, tuple)) else [got]
    assert all(type(a) is cp.ndarray for a in got), name
assert type(cp.fft.fftshift(h)) is cp.ndarray
np.testing.assert_array_equal(cp.diff(h).get(), np.diff(h))
assert cp.reshape(cp.asarray(h), newshape=6).shape == (6,)
for pair in ((h, cp.asarray(h)), (cp.asarray(h), h), (h, h)):
    assert cp.allclose(*pair) and type(cp.allclose(*pair)) is cp.ndarray
    assert cp.isclose(pair[0], b=pair[1], rtol=0).all() and np.allclose(cp.asarray(h), h)
assert cp.allclose.__name__ == "allclose" and "equal_nan" in inspect.signature(cp.allclose).parameters
assert refuses(cp.add, cp.asarray(h), h) and refuses(lambda: cp.asarray(h) + h)
assert refuses(cp.sin, h) and refuses(cp.fft.fft, h) and refuses(cp.all, h)
accept_host_arrays()
assert cp.concatenate.__name__ == "concatenate" and cp.sum(h) == 15
class Lazy:  # as Dask's: functions of CuPy that only call a method work with it
    def __array_function__(self, function, types, args, kwargs):
        return function.__name__
assert cp.squeeze(Lazy(), axis=0) == "squeeze" and cp.mean(Lazy()) == "mean"
"""


def test_host_arrays_are_accepted_on_demand():
    result = subprocess.run(
        [sys.executable, "-c", ACCEPTING],
        env=child.environment(),
        timeout=child.PATIENCE,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", ["bicgstab", "cg", "cgs", "gmres", "minres"])
def test_solvers_take_tol(name):
    """CuPy's name of `rtol`, which older versions have for all of them."""
    solve = getattr(cp.scipy.sparse.linalg, name)
    a, b = cp.scipy.sparse.diags([2.0, 3.0, 5.0]).tocsr(), cp.arange(3.0)
    for x, info in (solve(a, b, tol=1e-12), solve(a, b, rtol=1e-12)):
        assert info == 0
        cp.testing.assert_allclose(x, [0, 1 / 3, 2 / 5], atol=1e-9)
    with pytest.raises(TypeError, match="multiple values"):
        solve(a, b, tol=1e-12, rtol=1e-12)


def test_minres_takes_positions():
    a, b = cp.scipy.sparse.diags([2.0, 3.0, 5.0]).tocsr(), cp.arange(3.0)
    x, info = cp.scipy.sparse.linalg.minres(a, b, None, 1.0, 1e-12, 50)
    assert info == 0
    cp.testing.assert_allclose(x, [0, 1 / 2, 2 / 4], atol=1e-9)

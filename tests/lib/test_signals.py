"""correlate, convolve, cov, corrcoef, interp, unwrap: against NumPy."""

import cases
import numpy as np
import pytest
from check import check

import gpunp as cp

CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def made(xp, shape, dtype="f8", seed=0):
    return xp.asarray(cases.values(dtype, shape, np.random.default_rng(seed)))


# ---- correlate and convolve -----------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize(
    "sizes", [(1, 1), (7, 1), (7, 4), (4, 7), (6, 6), (300, 5), (200, 90)], ids=str
)
@pytest.mark.parametrize("name", ["correlate", "convolve"])
def test_sizes(name, sizes, mode):
    n, k = sizes
    check(lambda xp: getattr(xp, name)(made(xp, n), made(xp, k, seed=1), mode), **CLOSE)
    check(lambda xp: getattr(xp, name)(made(xp, n, "c16"), made(xp, k, "c16", 1), mode), **CLOSE)
    check(
        lambda xp: getattr(xp, name)(made(xp, 2 * n)[::-2], made(xp, k, seed=1)[::-1], mode),
        **CLOSE,
    )


@pytest.mark.parametrize("dtype", cases.NUMPY_DTYPES, ids=str)
def test_convolve_dtypes(dtype):
    tolerance = {"rtol": 1e-2, "atol": 0.2} if dtype == "f2" else {"rtol": 1e-4, "atol": 1e-4}
    check(lambda xp: xp.convolve(made(xp, 20, dtype), made(xp, 5, dtype)), **tolerance)
    check(lambda xp: xp.correlate(made(xp, 20, dtype), made(xp, 5, "i1"), "same"), **tolerance)


@pytest.mark.parametrize(
    "body",
    [
        lambda xp: xp.convolve(xp.ones(0), xp.ones(2)),
        lambda xp: xp.convolve(xp.ones(2), xp.ones(0)),
        lambda xp: xp.correlate(xp.ones(0), xp.ones(2)),
        lambda xp: xp.correlate(xp.ones(2), xp.ones(0)),
        lambda xp: xp.convolve(xp.ones(2), xp.ones(2), "all"),
        lambda xp: xp.convolve(xp.ones(2), xp.ones(2), 7),
        lambda xp: xp.convolve(xp.ones(2), xp.ones(2), 1),
        lambda xp: xp.convolve(xp.ones((2, 2)), xp.ones(2)),
        lambda xp: xp.correlate(xp.ones((2, 2)), xp.ones(2)),
        lambda xp: xp.correlate(xp.asarray(3.0), xp.asarray(2.0)),
        lambda xp: xp.convolve(xp.asarray(3.0), xp.asarray(2.0)),
    ],
)
def test_arguments(body):
    check(body)


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize("sizes", [(2500, 3), (2500, 300), (5000, 700), (1100, 1100)], ids=str)
def test_long(sizes, mode):
    n, k = sizes
    for dtype in ("f4", "i1", "c16"):
        check(
            lambda xp, dtype=dtype: xp.convolve(made(xp, n, dtype), made(xp, k, dtype, 1), mode),
            rtol=1e-3,
            atol=1e-2,
        )


def test_no_product_with_what_is_not_there():
    for values in ([np.inf, 1.0, 2.0], [1.0, np.nan, 2.0]):
        for mode in ("same", "full"):
            check(lambda xp, v=values, m=mode: xp.convolve(made(xp, 9), xp.asarray(v), m), **CLOSE)
            check(lambda xp, v=values, m=mode: xp.correlate(made(xp, 9), xp.asarray(v), m), **CLOSE)
            check(
                lambda xp, v=values, m=mode: xp.convolve(xp.asarray(v * 9), made(xp, 5), m), **CLOSE
            )


# ---- cov and corrcoef -----------------------------------------------------------------------------

COV = {
    "rows": lambda xp: xp.cov(made(xp, (3, 8))),
    "columns": lambda xp: xp.cov(made(xp, (8, 3)), rowvar=False),
    "one": lambda xp: xp.cov(made(xp, 8)),
    "two": lambda xp: xp.cov(made(xp, 8), made(xp, 8, seed=1)),
    "two of columns": lambda xp: xp.cov(made(xp, (8, 2)), made(xp, (8, 3)), rowvar=False),
    "bias": lambda xp: xp.cov(made(xp, (3, 8)), bias=True),
    "ddof": lambda xp: xp.cov(made(xp, (3, 8)), ddof=3),
    "ddof of half": lambda xp: xp.cov(made(xp, (3, 8)), ddof=0.5),
    "fweights": lambda xp: xp.cov(made(xp, (3, 4)), fweights=xp.asarray([1, 2, 0, 3])),
    "aweights": lambda xp: xp.cov(made(xp, (3, 4)), aweights=xp.asarray([0.5, 2, 0.1, 3])),
    "both": lambda xp: xp.cov(
        made(xp, (3, 4)), fweights=xp.asarray([1, 2, 0, 3]), aweights=xp.asarray([0.5, 2, 0.1, 3])
    ),
    "aweights ddof 0": lambda xp: xp.cov(made(xp, (3, 4)), aweights=xp.arange(4.0), ddof=0),
    "fweights of halves": lambda xp: xp.cov(made(xp, (3, 4)), fweights=xp.ones(4) * 1.5),
    "fweights 2-d": lambda xp: xp.cov(made(xp, (3, 4)), fweights=xp.ones((2, 4))),
    "fweights too few": lambda xp: xp.cov(made(xp, (3, 4)), fweights=xp.ones(3)),
    "fweights negative": lambda xp: xp.cov(made(xp, (3, 4)), fweights=-xp.ones(4)),
    "aweights negative": lambda xp: xp.cov(made(xp, (3, 4)), aweights=-xp.ones(4)),
    "3-d": lambda xp: xp.cov(xp.ones((2, 2, 2))),
    "empty": lambda xp: xp.cov(xp.ones((0, 3))),
    "complex": lambda xp: xp.cov(made(xp, (3, 8), "c16")),
    "float32": lambda xp: xp.cov(made(xp, (3, 8), "f4")),
    "dtype": lambda xp: xp.cov(made(xp, (3, 8), "f8"), dtype="f4"),
    "integers": lambda xp: xp.cov(made(xp, (3, 8), "i4")),
    "corrcoef": lambda xp: xp.corrcoef(made(xp, (3, 8))),
    "corrcoef of two": lambda xp: xp.corrcoef(made(xp, 8), made(xp, 8, seed=1)),
    "corrcoef of one": lambda xp: xp.corrcoef(made(xp, 8)),
    "corrcoef complex": lambda xp: xp.corrcoef(made(xp, (3, 8), "c16")),
    "corrcoef columns": lambda xp: xp.corrcoef(made(xp, (8, 3)), rowvar=False, dtype="f8"),
}


@pytest.mark.parametrize("name", COV)
def test_cov(name):
    tolerance = {"rtol": 1e-5, "atol": 1e-5} if name == "dtype" else CLOSE
    check(COV[name], order=False, **tolerance)


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_cov_of_too_few():
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        check(lambda xp: xp.cov(xp.ones((2, 1))))


# ---- interp ----------------------------------------------------------------------------------------

POINTS = [0.0, 1.0, 1.0, 2.5, np.inf]
VALUES = [1.0, 3.0, -1.0, 2.0, 2.0]
INTERP = {
    "inside": lambda xp: xp.interp(xp.linspace(0, 2, 9), xp.arange(3), xp.asarray([5.0, 1.0, 7.0])),
    "outside": lambda xp: xp.interp(xp.asarray([-1.0, 9.0]), xp.arange(3), xp.arange(3) + 5),
    "ends": lambda xp: xp.interp(xp.asarray([-1.0, 0, 2, 9]), xp.arange(3), xp.arange(3), 7, -7),
    "scalar": lambda xp: xp.interp(0.5, xp.arange(3), xp.arange(3)),
    "2-d": lambda xp: xp.interp(made(xp, (4, 5)), xp.arange(-2, 3), made(xp, 5)),
    "transposed": lambda xp: xp.interp(made(xp, (4, 5)).T, xp.arange(-2, 3), made(xp, 5)),
    "complex": lambda xp: xp.interp(made(xp, 9), xp.arange(-2, 3), made(xp, 5, "c16"), 1j, 2),
    "steps": lambda xp: xp.interp(
        xp.asarray([0.0, 0.5, 1.0, 1.7, 3.0, np.inf, -np.inf, np.nan]),
        xp.asarray(POINTS),
        xp.asarray(VALUES),
    ),
    "infinite values": lambda xp: xp.interp(
        xp.linspace(-1, 4, 11), xp.arange(4), xp.asarray([np.inf, np.inf, 1.0, -np.inf])
    ),
    "one point": lambda xp: xp.interp(
        xp.asarray([0.0, 1, 2]), xp.asarray([1.0]), xp.asarray([5.0]), 3, 4
    ),
    "period": lambda xp: xp.interp(
        made(xp, 20), xp.asarray([1.0, 190, -190, 5]), made(xp, 4), period=360
    ),
    "period 0": lambda xp: xp.interp(made(xp, 3), xp.arange(3), xp.arange(3), period=0),
    "period 2-d": lambda xp: xp.interp(made(xp, 3), xp.ones((2, 2)), xp.ones(4), period=2),
    "no points": lambda xp: xp.interp(made(xp, 3), xp.ones(0), xp.ones(0)),
    "unequal": lambda xp: xp.interp(made(xp, 3), xp.ones(2), xp.ones(3)),
    "nothing": lambda xp: xp.interp(xp.ones(0), xp.ones(2), xp.ones(2)),
    "float32": lambda xp: xp.interp(made(xp, 3, "f4"), xp.arange(3), made(xp, 3, "f4")),
}


@pytest.mark.parametrize("name", INTERP)
def test_interp(name):
    check(INTERP[name], rtol=1e-14, order=False)


# ---- unwrap ----------------------------------------------------------------------------------------

UNWRAP = {
    "radians": lambda xp: xp.unwrap(made(xp, 50) * 3),
    "axis": lambda xp: xp.unwrap(made(xp, (5, 6)) * 3, axis=0),
    "degrees": lambda xp: xp.unwrap(made(xp, 50) * 200, period=360),
    "integers": lambda xp: xp.unwrap(made(xp, 50, "i4"), period=9),
    "even integers": lambda xp: xp.unwrap(made(xp, 50, "i4"), period=8),
    "discont": lambda xp: xp.unwrap(made(xp, 50) * 3, discont=5),
    "float32": lambda xp: xp.unwrap(made(xp, 50, "f4")),
    "one": lambda xp: xp.unwrap(made(xp, 1)),
    "empty": lambda xp: xp.unwrap(xp.ones(0)),
    "0-d": lambda xp: xp.unwrap(xp.asarray(1.0)),
}


@pytest.mark.parametrize("name", UNWRAP)
def test_unwrap(name):
    check(UNWRAP[name], rtol=1e-5, atol=1e-5)


# ---- long operands: products of spectra ------------------------------------------------------------


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize("dtypes", ["dd", "fd", "DD", "dD", "ff", "FF"])
def test_long_operands(dtypes, mode):
    for sizes in [(3300, 600), (530, 5000), (700, 700)]:
        a, v = (made(np, n, t, n) for n, t in zip(sizes, dtypes, strict=True))
        for name in ("convolve", "correlate"):
            theirs = getattr(np, name)(a.astype("D"), v.astype("D"), mode)
            ours = getattr(cp, name)(cp.asarray(a), cp.asarray(v), mode)
            assert ours.dtype == np.result_type(a, v) and ours.shape == theirs.shape
            eps = 1e-5 if "f" in dtypes or "F" in dtypes else 1e-12
            limit = eps * np.abs(theirs).max()
            np.testing.assert_allclose(ours.get(), theirs, rtol=0, atol=limit)


def test_long_integers_are_exact():
    a, v = made(np, 9000, "i8"), made(np, 7500, "i8", 1)
    assert np.array_equal(cp.convolve(cp.asarray(a), cp.asarray(v)).get(), np.convolve(a, v))

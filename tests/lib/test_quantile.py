"""Median, percentile and quantile, with and without NaN, against NumPy."""

import warnings

import cases
import numpy as np
import pytest
from cases import NUMPY_DTYPES
from check import assert_raises_same, check, to_numpy

import gpunp as cp

METHODS = [
    "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf",
    "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased",
    "normal_unbiased",
]  # fmt: skip
DISCRETE = {"lower", "higher", "nearest", "inverted_cdf", "closest_observation"}
QS = [0.3, 0.5, 1, [0.0, 0.25, 0.7, 1.0], np.float32(0.25), [[0.1, 0.2], [0.6, 0.9]]]
RTOL = {"e": 5e-3, "f": 1e-5, "d": 1e-12}


def close(body, dtype):
    """check() with what a type can hold: NumPy computes positions in the type of the data."""
    atol = {"e": 1e-2, "f": 1e-4}.get(dtype, 0)
    check(body, rtol=RTOL.get(dtype, 1e-12), atol=atol, order=False)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", "?bBlefd")
def test_methods(dtype, method, rng):
    x = cases.values(dtype, (9, 8), rng)
    for q in QS:
        for axis in (None, 0, (0, 1)):
            close(lambda xp: xp.quantile(xp.asarray(x), q, axis=axis, method=method), dtype)


@pytest.mark.parametrize("method", METHODS)
def test_positions_that_are_exact(method):
    for n in (1, 2, 3, 4, 5, 10, 11):
        x = np.arange(n) * 10.0
        for q in (0.0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0):
            close(lambda xp: xp.quantile(xp.asarray(x), q, method=method), "d")


@pytest.mark.parametrize("dtype", "blefd")
def test_percentile(dtype, rng):
    x = cases.values(dtype, (5, 6, 7), rng) // 2  # differences of int8 fit into int8
    for q in (30, 30.0, [10, 90], np.float32(30), np.array([[1, 2], [3, 4]])):
        for axis, keepdims in [(None, False), (1, True), ((0, -1), True), ((0, 2), False)]:
            close(lambda xp: xp.percentile(xp.asarray(x), q, axis=axis, keepdims=keepdims), dtype)
    out = cp.empty((5, 7), "d")
    assert cp.percentile(cp.asarray(x), 50, axis=1, out=out) is out
    np.testing.assert_allclose(
        to_numpy(out), np.percentile(x, 50, axis=1), rtol=RTOL.get(dtype, 1e-12)
    )
    ours = cp.percentile(cp.asarray(x), cp.asarray([10.0, 20.0]))
    np.testing.assert_allclose(
        to_numpy(ours), np.percentile(x, [10.0, 20.0]), rtol=RTOL.get(dtype, 1e-12)
    )


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_median(dtype, rng):
    for shape in [(7,), (8,), (4, 5, 6)]:
        x = cases.values(dtype, shape, rng)
        for axis in {None, 0, -1}:
            for keepdims in (False, True):
                check(
                    lambda xp: xp.median(xp.asarray(x), axis=axis, keepdims=keepdims),
                    rtol=RTOL.get(dtype.char, 1e-6), order=False,
                )  # fmt: skip
    check(lambda xp: xp.median(xp.asarray(x), axis=(0, 2)), rtol=1e-3, order=False)
    check(
        lambda xp: xp.median(xp.asarray(x).T, axis=1, overwrite_input=True), rtol=1e-3, order=False
    )
    check(lambda xp: xp.median(xp.asarray(np.array([65000, 65000], "e"))))


@pytest.mark.parametrize("dtype", "fd")
def test_nan_spreads(dtype, rng):
    x = cases.values(dtype, (6, 8), rng)
    x[2, 3] = x[4] = np.nan
    for axis in (None, 0, 1):
        close(lambda xp: xp.median(xp.asarray(x), axis=axis), dtype)
        for method in METHODS:
            close(
                lambda xp: xp.quantile(xp.asarray(x), [0.2, 0.8], axis=axis, method=method), dtype
            )
    close(lambda xp: xp.percentile(xp.asarray([1, np.inf, np.inf, 3]), [10, 40, 75, 100]), dtype)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", "lfd")
@pytest.mark.filterwarnings("ignore")
def test_nan_left_out(dtype, method, rng):
    x = cases.values(dtype, (6, 9), rng)
    if dtype != "l":
        x[rng.random(x.shape) < 0.4] = np.nan
        x[4] = np.nan
    for axis in (None, 0, 1):
        for q in (0.35, [0.0, 0.5, 0.8]):
            close(lambda xp: xp.nanquantile(xp.asarray(x), q, axis=axis, method=method), dtype)
    close(lambda xp: xp.nanpercentile(xp.asarray(x), 30, axis=1, keepdims=True), dtype)


@pytest.mark.parametrize("dtype", "lefdD")
@pytest.mark.filterwarnings("ignore")
def test_nanmedian(dtype, rng):
    x = cases.values(dtype, (6, 9), rng)
    if dtype != "l":
        x[rng.random(x.shape) < 0.4] = np.nan
        x[4] = np.nan
    for axis in (None, 0, 1, (0, 1)):
        close(lambda xp: xp.nanmedian(xp.asarray(x), axis=axis), dtype)
    close(lambda xp: xp.nanmedian(xp.asarray(x), axis=0, keepdims=True), dtype)


@pytest.mark.parametrize("q", [0.0, 0.4, [0.0, 0.33, 1.0]], ids=str)
def test_weights(q, rng):
    x, w = rng.normal(size=(5, 8)), rng.integers(0, 4, (5, 8))
    w[:, 0] = 1
    for kind in ("l", "d"):
        for axis in (None, 0, 1):
            close(
                lambda xp: xp.quantile(
                    xp.asarray(x),
                    q,
                    axis=axis,
                    weights=xp.asarray(w.astype(kind)),
                    method="inverted_cdf",
                ),
                "d",
            )
        close(
            lambda xp: xp.quantile(
                xp.asarray(x),
                q,
                axis=1,
                weights=xp.asarray(w[1].astype(kind)),
                method="inverted_cdf",
            ),
            "d",
        )
    y = x.copy()
    y[1, 2] = np.nan
    close(
        lambda xp: xp.quantile(
            xp.asarray(y), q, axis=1, weights=xp.asarray(w), method="inverted_cdf"
        ),
        "d",
    )
    close(
        lambda xp: xp.nanquantile(
            xp.asarray(y), q, axis=1, weights=xp.asarray(w), method="inverted_cdf"
        ),
        "d",
    )


def test_errors():
    x = np.arange(6.0).reshape(2, 3)
    inverted = {"method": "inverted_cdf"}
    for body in (
        lambda xp: xp.quantile(xp.asarray(x), 2),
        lambda xp: xp.quantile(xp.asarray(x), np.nan),
        lambda xp: xp.percentile(xp.asarray(x), [50, 101]),
        lambda xp: xp.quantile(xp.asarray(x), 0.5, method="middle"),
        lambda xp: xp.quantile(xp.asarray(x + 1j), 0.5),
        lambda xp: xp.quantile(xp.asarray(x), 1j),
        lambda xp: xp.quantile(xp.asarray(x), np.zeros((1, 1, 1))),
        lambda xp: xp.quantile(xp.zeros(0), 0.5),
        lambda xp: xp.quantile(xp.zeros((0, 3)), 0.5, axis=0),
        lambda xp: xp.quantile(xp.zeros(3, bool), 0.5),
        lambda xp: xp.median(xp.asarray(x), axis=2),
        lambda xp: xp.median(xp.asarray(x), axis=(0, 0)),
        lambda xp: xp.median(xp.asarray(x), axis=0, out=xp.zeros(2)),
        lambda xp: xp.quantile(xp.asarray(x), 0.5, weights=xp.asarray(x)),
        lambda xp: xp.quantile(xp.asarray(x), 0.5, weights=xp.asarray(-x), **inverted),
        lambda xp: xp.quantile(xp.asarray(x), 0.5, weights=xp.asarray(0 * x), **inverted),
        lambda xp: xp.quantile(xp.asarray(x), 0.5, weights=xp.zeros(2), **inverted),
        lambda xp: xp.quantile(xp.asarray(x), 0.5, axis=1, weights=xp.zeros(2), **inverted),
    ):
        assert_raises_same(body)


@pytest.mark.filterwarnings("ignore")
def test_nothing():
    for shape, axis in [((0,), None), ((0, 3), 0), ((0, 3), 1)]:
        check(lambda xp: xp.median(xp.zeros(shape), axis=axis))
        check(lambda xp: xp.nanmedian(xp.zeros(shape), axis=axis))
        check(lambda xp: xp.nanquantile(xp.zeros(shape), 0.5, axis=axis))
    check(lambda xp: xp.quantile(xp.zeros((0, 3)), 0.5, axis=1))
    check(lambda xp: xp.quantile(xp.asarray(3.0), 0.5))
    check(lambda xp: xp.median(3))


@pytest.mark.parametrize("dtype", "bHlLefd")
def test_long_rows_are_selected_from(dtype, rng):
    n = 70001
    x = rng.permutation(n).astype("f8") % 200 if dtype in "be" else rng.normal(size=n) * 1e4
    x = np.abs(x).astype(dtype) if dtype in "HL" else x.astype(dtype)
    for body in (
        lambda xp: xp.median(xp.asarray(x)),
        lambda xp: xp.percentile(xp.asarray(x), [0, 1, 50, 99.9, 100]),
        lambda xp: xp.quantile(xp.asarray(x).reshape(7, -1), 0.77, method="lower"),
    ):
        check(body, rtol=RTOL.get(dtype, 1e-12) * 10)
    if dtype in "fd":
        x[7] = np.nan
        check(lambda xp: xp.percentile(xp.asarray(x), [0, 50]))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "e", "f", "d"])
@pytest.mark.parametrize("shape", [(7, 1), (300, 20), (6, 200), (5, 700), (2, 2048), (3, 4, 129)])
def test_rows_of_many_lengths(dtype, shape, rng):
    """Rows sorted on the way, by a kernel of their own before, and along either axis."""
    x = rng.integers(0, 60, shape).astype(dtype)  # differences of int8 fit into int8
    if dtype in "efd":
        x = (rng.normal(size=shape) * 40).astype(dtype)
        x[x > 90] = np.nan
        x[0] = np.where(np.isnan(x[0]), 1, x[0])
    q = np.linspace(0, 1, 11)
    for view in (lambda a: a, lambda a: a[::-1, ..., ::-1], lambda a: a.T):
        for axis in (0, -1):
            close(lambda xp: xp.median(view(xp.asarray(x)), axis=axis), dtype)
            close(lambda xp: xp.quantile(view(xp.asarray(x)), q, axis=axis), dtype)
            close(
                lambda xp: xp.quantile(view(xp.asarray(x)), 0.3, axis=axis, method="lower"), dtype
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                close(lambda xp: xp.nanmedian(view(xp.asarray(x)), axis=axis), dtype)
                close(lambda xp: xp.nanquantile(view(xp.asarray(x)), 0.3, axis=axis), dtype)


def test_medians_do_not_overflow_alone():
    x = np.array([[3e38, 3e38, 3e38], [1.0, 3e38, 3e38]], "f")
    check(lambda xp: xp.median(xp.asarray(x), axis=1))
    check(lambda xp: xp.median(xp.asarray(np.array([-0.0, -0.0]))))
    check(lambda xp: xp.median(xp.asarray(np.array([[np.inf, -np.inf], [np.inf, np.inf]])), axis=1))


def test_rank_rows_refuses():
    from gpunp._core.multiarray import rank_rows

    rows = cp.ones((2, 5))
    with pytest.raises(IndexError):
        rank_rows(rows, [(0, 5, 0.0)], 0, "f8", False, False)
    with pytest.raises(ValueError):
        rank_rows(cp.ones((2, 2000)), [(0, 0, 0.0)], 0, "f8", False, False)
    with pytest.raises(TypeError):
        rank_rows(rows.astype("c16"), [(0, 0, 0.0)], 0, "f8", False, False)

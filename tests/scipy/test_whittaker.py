"""Smoothing by a penalty of differences, beside dense systems and SciPy 1.18's penalties."""

import numpy as np
import pytest

import gpunp as cp
from gpunp.scipy.signal import whittaker_henderson

RNG = np.random.default_rng(0)
Y = np.sin(9 * np.linspace(0, 1, 200)) + 0.1 * RNG.standard_normal(200)
W = np.where(np.arange(200) % 17 < 3, 0.0, RNG.uniform(0.5, 2, 200))


def dense(y, penalty, order, w):
    """The solution of the normal equations of all samples."""
    differences = np.diff(np.eye(y.size), order, axis=0)
    return np.linalg.solve(np.diag(w) + penalty * differences.T @ differences, w * y)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("penalty", [0.0, 0.1, 300.0, 1e5])
def test_solutions(order, penalty):
    for n in (order + 1, order + 2, 2 * order + 1, 200):
        found = whittaker_henderson(cp.asarray(Y[:n]), lamb=penalty, order=order)
        assert found.lamb == penalty and found.x.dtype == np.float64
        expected = dense(Y[:n], penalty, order, np.ones(n))
        np.testing.assert_allclose(found.x.get(), expected, rtol=0, atol=1e-7)
    if penalty:
        given = {"lamb": penalty, "order": order, "weights": W}
        found = whittaker_henderson(cp.asarray(np.where(W == 0, np.nan, Y)), **given).x
        np.testing.assert_allclose(found.get(), dense(Y, penalty, order, W), rtol=0, atol=1e-7)


# Penalties of scipy.signal.whittaker_henderson of SciPy 1.18.1.
@pytest.mark.parametrize("order, penalty", [(1, 1.110334182), (2, 203.2352295), (3, 82060.27320)])
def test_likely_penalties(order, penalty):
    assert whittaker_henderson(cp.asarray(Y), order=order).lamb == pytest.approx(penalty, rel=1e-4)


def test_penalties_of_signals_with_gaps():
    """About that of the samples there are, and the gaps are filled."""
    found = whittaker_henderson(cp.asarray(np.where(W == 0, np.nan, Y)), weights=(W > 0) * 1.0)
    assert 50 < found.lamb < 1000
    assert abs(found.x.get() - np.sin(9 * np.linspace(0, 1, 200))).max() < 0.2


def test_large_penalties_give_polynomials():
    for weights in (None, W):
        found = whittaker_henderson(cp.asarray(Y), lamb=1e20, weights=weights).x.get()
        assert abs(np.diff(found, 2)).max() < 1e-12
    line = np.polynomial.Polynomial.fit(np.arange(200), Y, 1)(np.arange(200))
    found = whittaker_henderson(cp.asarray(Y), lamb=1e20).x.get()
    np.testing.assert_allclose(found, line, rtol=1e-9)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"lamb": "other"}, "lamb must be"),
        ({"lamb": -1.0}, "lamb must be"),
        ({"lamb": np.nan}, "lamb must be"),
        ({"order": 0}, "order must be"),
        ({"order": 200}, "signal must be"),
        ({"weights": W[:3]}, "weights must be"),
        ({"weights": W + np.inf}, "weights must be"),
        ({"signal": Y[None]}, "signal must be"),
        ({"signal": Y * np.nan}, "signal must be"),
    ],
)
def test_errors(options, words):
    signal = cp.asarray(options.pop("signal", Y))
    with pytest.raises(ValueError, match=words):
        whittaker_henderson(signal, **options)

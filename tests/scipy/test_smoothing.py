"""Smoothing splines and insertion of knots beside SciPy's."""

import itertools

import numpy as np
import pytest
import scipy.interpolate as theirs
from signals import agree

import gpunp as cp
import gpunp.scipy.interpolate as ours

RNG = np.random.default_rng(31)
X = np.cumsum(RNG.uniform(0.2, 1, 14))
Y = RNG.standard_normal((14, 3))
W = RNG.uniform(0.5, 2, 14)
AT = RNG.uniform(X[0] - 0.5, X[-1] + 0.5, 20)


def near(call, *arrays, eps=1e-9):
    """call(module, arrays...) gives the same with SciPy and here, or the same type of error."""
    device = [cp.asarray(a) for a in arrays]
    try:
        expected = call(theirs, *arrays)
    except Exception as error:
        with pytest.raises(type(error)):
            call(ours, *device)
        return
    agree(call(ours, *device), expected, eps)


def parts(spline):
    return [spline.t, spline.c, spline.k, spline.axis]


def curve(m, x, y, at, **options):
    f, u = m.make_splprep([y[:, 0], x], **options)
    return [f(at), u, f.t]


CALLS = [
    *[
        lambda m, x, y, w, at, lam=lam: m.make_smoothing_spline(x, y, lam=lam)(at)
        for lam in (0, 1e-3, 1.0, 1e4)
    ],
    lambda m, x, y, w, at: parts(m.make_smoothing_spline(x, y, w, lam=0.3)),
    lambda m, x, y, w, at: parts(m.make_smoothing_spline(x, y.T, w, 2.0, axis=1)),
    lambda m, x, y, w, at: m.make_smoothing_spline(x, y.astype("f4"), w, 0.2)(at, 1),
    lambda m, x, y, w, at: m.make_smoothing_spline(x, y, w)(at),
    lambda m, x, y, w, at: m.make_smoothing_spline(x, y.reshape(14, 3, 1)[:, :, :0], lam=1).c,
    lambda m, x, y, w, at: m.make_smoothing_spline(x[:5], y[:5], lam=0.1)(at),
    lambda m, x, y, w, at: m.make_smoothing_spline(x[:4], y[:4], lam=0.1),
    lambda m, x, y, w, at: m.make_smoothing_spline(x, y, -w, lam=0.1),
    lambda m, x, y, w, at: m.make_smoothing_spline(x, y, lam=-1),
    lambda m, x, y, w, at: m.make_smoothing_spline(x[::-1], y, lam=1),
    lambda m, x, y, w, at: m.make_smoothing_spline(x, y[1:], lam=1),
    lambda m, x, y, w, at: m.make_smoothing_spline(x, y * np.nan, lam=1),
    lambda m, x, y, w, at: parts(m.make_splrep(x, y[:, 0], w=w, s=5)),
    lambda m, x, y, w, at: m.make_splrep(x, y[:, 0], k=4, xb=0, xe=20, s=1)(at),
    lambda m, x, y, w, at: m.make_splrep(x[::-1], y[:, 0], s=5),
    lambda m, x, y, w, at: m.make_splrep(x, y, s=5),
    lambda m, x, y, w, at: curve(m, x, y, at / 20, s=1.0),
    lambda m, x, y, w, at: curve(m, x, y, at, u=x),
    lambda m, x, y, w, at: list(m.generate_knots(x, y[:, 0], s=1)),
    lambda m, x, y, w, at: list(m.generate_knots(x[::-1], y[:, 0], s=1)),
    lambda m, x, y, w, at: m.splev(0.3, m.splprep([x, y[:, 0]], w, s=2)[0]),
    lambda m, x, y, w, at: m.splprep([x, y[:, 0]], s=2, full_output=1)[0][1],
    lambda m, x, y, w, at: m.splprep([x, y[:3, 0]], s=2),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls(number):
    near(CALLS[number], X, Y, W, AT, eps=1e-7)


def spline(m, x, y, **options):
    return m.make_interp_spline(x, y, **options)


def known(tck):
    """Knots and the coefficients that count: what stands behind them is not set by SciPy."""
    t, c, k = tck
    return [t, c[: t.size - k - 1], c.size, k]


def periodic(m, x, y):
    y[-1] = y[0]
    return spline(m, x, y, bc_type="periodic")


KNOTS = [
    lambda m, x, y: parts(spline(m, x, y).insert_knot(2.0)),
    lambda m, x, y: parts(spline(m, x, y, k=2).insert_knot(3.0, 3)),
    lambda m, x, y: parts(spline(m, x, y, k=5).insert_knot(x[6], 2)),
    lambda m, x, y: parts(spline(m, x, y, k=1).insert_knot(x[0])),
    lambda m, x, y: parts(spline(m, x, y).insert_knot(x[-1])),
    lambda m, x, y: parts(spline(m, x, y.T * 1j, axis=1).insert_knot(2.5)),
    lambda m, x, y: parts(periodic(m, x, y.copy()).insert_knot(2.5)),
    lambda m, x, y: spline(m, x, y).insert_knot(99.0),
    lambda m, x, y: spline(m, x, y).insert_knot(2.0, 0),
    lambda m, x, y: parts(m.insert(2.0, spline(m, x, y), 2)),
    lambda m, x, y: known(m.insert(2.0, m.splrep(x, y[:, 0]), 3)),
    lambda m, x, y: known(m.insert(2.0, m.splrep(x, y[:, 0], per=1, s=5), per=1)),
    lambda m, x, y: [c[:15] for c in m.insert(0.5, m.splprep([x, y[:, 0]], s=0)[0])[1]],
    lambda m, x, y: m.insert(np.nan, spline(m, x, y)),
    lambda m, x, y: parts(m.BSpline.from_power_basis(m.CubicSpline(x, y[:, 0]))),
    lambda m, x, y: parts(
        m.BSpline.from_power_basis(m.CubicSpline(x, y[:, 0], bc_type="natural"), "natural")
    ),
    lambda m, x, y: parts(
        m.BSpline.from_power_basis(m.CubicSpline(x, y[:, 0], bc_type="clamped"), "clamped")
    ),
    lambda m, x, y: m.BSpline.from_power_basis(m.CubicSpline(x, y), "other"),
    lambda m, x, y: m.BSpline.from_power_basis(m.PchipInterpolator(x, y)),
]


@pytest.mark.parametrize("number", range(len(KNOTS)))
def test_knots(number):
    near(KNOTS[number], X, Y, eps=1e-8)


def test_knots_that_are_refused():
    """With the error of SciPy from 1.18 on for counts; it makes NaN of a NaN in a tuple."""
    tck, own = (
        ours.splrep(cp.asarray(X), cp.asarray(Y[:, 0])),
        spline(ours, *map(cp.asarray, (X, Y))),
    )
    for knots, x, count in itertools.product((tck, own), (2.0, np.nan), (1, 0, -1)):
        for per in (0, 1):
            if (x, count) != (2.0, 1):
                with pytest.raises(ValueError):
                    ours.insert(x, knots, count, per)


def test_periodic_power_basis():
    """SciPy's coefficients are of another order of the knots: the functions are equal."""
    y = Y.copy()
    y[-1] = y[0]
    f = ours.CubicSpline(cp.asarray(X), cp.asarray(y), bc_type="periodic")
    made = ours.BSpline.from_power_basis(f, "periodic")
    assert np.allclose(made(cp.asarray(AT)).get(), f(cp.asarray(AT)).get(), atol=1e-9)


def test_derivatives_at_ends_are_numbers():
    ends = ([(1, 0.5)], [(2, -0.5)])
    near(lambda m, x, y, at: spline(m, x, y[:, 0], bc_type=ends)(at), X, Y, AT)


def test_power_basis_of_columns():
    """SciPy takes one column."""
    f = ours.CubicSpline(cp.asarray(X), cp.asarray(Y.T * 1j), axis=1)
    made = ours.BSpline.from_power_basis(f)
    assert made.axis == 1
    assert np.allclose(made(cp.asarray(AT)).get(), f(cp.asarray(AT)).get(), atol=1e-9)


def test_smoothing_of_complex_values():
    """SciPy drops the imaginary parts."""
    z = cp.asarray(Y[:, 0] + 1j * Y[:, 1])
    made = ours.make_smoothing_spline(cp.asarray(X), z, lam=0.2).c
    real, imag = (
        ours.make_smoothing_spline(cp.asarray(X), part, lam=0.2).c for part in (z.real, z.imag)
    )
    assert np.allclose(made.get(), (real + 1j * imag).get())


def test_cross_validation_reads_each_column():
    alone = [ours.make_smoothing_spline(cp.asarray(X), cp.asarray(Y[:, k])).c for k in range(3)]
    both = ours.make_smoothing_spline(cp.asarray(X), cp.asarray(Y)).c
    assert np.allclose(cp.stack(alone, axis=1).get(), both.get())


@pytest.mark.parametrize("k", [-1, -2])
def test_a_negative_degree_is_refused(k):
    """SciPy's compiled code ends the process."""
    x = cp.arange(8.0)
    for call in (
        lambda: ours.make_splrep(x, x, k=k, s=0.5),
        lambda: ours.make_splprep([x, x], k=k, s=0.5),
        lambda: list(ours.generate_knots(x, x, k=k, s=0.5)),
    ):
        with pytest.raises(ValueError, match="Expect non-negative k"):
            call()

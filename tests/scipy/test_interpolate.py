"""Interpolators beside SciPy's: values, derivatives, integrals, and what objects are made of."""

import gc
import json
import math

import numpy as np
import pytest
import scipy.interpolate as theirs
from signals import agree

import gpunp as cp
import gpunp.scipy.interpolate as ours
from gpunp.cuda import profiler
from gpunp.scipy.interpolate import _grid_values, _value_tables

RNG = np.random.default_rng(3)
X = np.cumsum(RNG.uniform(0.2, 1, 9))
Y = RNG.standard_normal((9, 2))
Z = Y + 1j * RNG.standard_normal((9, 2))
AT = np.concatenate((RNG.uniform(X[0], X[-1], 12), X)).reshape(7, 3)
BEYOND = np.concatenate((AT.ravel(), [X[0] - 1, X[-1] + 2, np.nan]))
KNOTS = np.sort(RNG.random(13))
INSIDE = RNG.uniform(KNOTS[3], KNOTS[9], 20)
PIECES = RNG.standard_normal((4, 8, 2))


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


STEPS = {
    "equal": lambda n: np.linspace(-1, 2, n),
    "random": lambda n: np.sort(np.random.default_rng(n).random(n)),
    "powers": lambda n: np.cumsum(10 ** np.linspace(-12, 3, n)),
    "one far": lambda n: np.r_[np.linspace(0, 1, n - 1), 1e9],
}


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("n", [2, 3, 4, 17, 300])
def test_intervals_of_any_lengths(steps, n):
    """Numbers at breakpoints, next to them and beyond are in SciPy's intervals."""
    x, rng = STEPS[steps](n), np.random.default_rng(n)
    at = np.r_[x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), x[0] - 1, x[-1] + 1]
    at = np.r_[at, rng.uniform(x[0], x[-1], 40)]
    c, y = rng.standard_normal((3, n - 1)), rng.standard_normal(n)
    near(lambda m, c, x, at: m.PPoly(c, x)(at), c, x, at)
    near(lambda m, c, x, at: m.PPoly(c, x)(at), c, x[::-1].copy(), at)
    near(lambda m, y, x, at: m.interp1d(x, y, fill_value="extrapolate")(at), y, x, at)
    grid = {"bounds_error": False, "fill_value": None}
    near(lambda m, y, x, at: m.RegularGridInterpolator((x,), y, **grid)(at[:, None]), y, x, at)
    knots = np.r_[[x[0]] * 2, x, [x[-1]] * 2]
    inside = at[(at >= x[0]) & (at <= x[-1])]
    near(lambda m, t, c, at: m.BSpline(t, c, 2)(at), knots, rng.standard_normal(n + 1), inside)


@pytest.mark.parametrize("nu", [1, 2, 6])
@pytest.mark.parametrize("kind", "dD")
def test_launches_of_antiderivatives(nu, kind, tmp_path):
    """Two for each order of the antiderivative, and two more, whatever the degree is."""
    c = np.asarray(RNG.standard_normal((9, 8, 2)) * (1 + 2j if kind == "D" else 1), kind)
    for points in (X, X[::-1].copy()):
        near(lambda m, c, x: m.PPoly(c, x).antiderivative(nu).c, c, points)
    near(lambda m, c, x: m.PPoly(c, x).antiderivative(nu).c, c[:1, :1], X[:2])
    made, trace = ours.PPoly(cp.asarray(c), cp.asarray(X)), tmp_path / "trace"
    with profiler.trace(trace):
        made.antiderivative(nu)
    events = json.loads(trace.read_text())["traceEvents"]
    assert sum("grid" in event.get("args", {}) for event in events) <= 2 * nu + 2


def test_antiderivatives_of_high_orders_are_finite():
    made = ours.PPoly(cp.ones((3, 4)), cp.arange(5.0)).antiderivative(300)
    assert bool(cp.isfinite(made.c).all()) and float(made(cp.array(2.5))) >= 0


def of_axis(values, axis):
    return np.moveaxis(values, 0, axis)


MADE = {
    "hermite": lambda m, x, y, axis: m.CubicHermiteSpline(x, y, y[::-1], axis),
    "pchip": lambda m, x, y, axis: m.PchipInterpolator(x, y, axis),
    "akima": lambda m, x, y, axis: m.Akima1DInterpolator(x, y, axis),
    "makima": lambda m, x, y, axis: m.Akima1DInterpolator(x, y, axis, method="makima"),
    "not-a-knot": lambda m, x, y, axis: m.CubicSpline(x, y, axis),
    "natural": lambda m, x, y, axis: m.CubicSpline(x, y, axis, "natural"),
    "clamped": lambda m, x, y, axis: m.CubicSpline(x, y, axis, "clamped", False),
    "mixed": lambda m, x, y, axis: m.CubicSpline(x, y, axis, ("not-a-knot", "natural")),
    "given": lambda m, x, y, axis: m.CubicSpline(x, y, axis, ((2, y[0]), (1, y[1]))),
    "krogh": lambda m, x, y, axis: m.KroghInterpolator(x, y, axis),
    "barycentric": lambda m, x, y, axis: m.BarycentricInterpolator(x, y, axis),
    "linear": lambda m, x, y, axis: m.make_interp_spline(x, y, 1, axis=axis),
    "quadratic": lambda m, x, y, axis: m.make_interp_spline(x, y, 2, axis=axis),
    "cubic": lambda m, x, y, axis: m.make_interp_spline(x, y, axis=axis),
    "quintic": lambda m, x, y, axis: m.make_interp_spline(x, y, 5, axis=axis),
    "ends": lambda m, x, y, axis: m.make_interp_spline(x, y, bc_type="natural", axis=axis),
}


@pytest.mark.parametrize("n", [2, 3, 4, 9])
@pytest.mark.parametrize("name", MADE)
def test_through_points(name, n):
    near(lambda m, x, y, at: MADE[name](m, x, y, 0)(at), X[:n], Y[:n], BEYOND)
    if name not in ("pchip", "akima", "makima"):
        near(lambda m, x, y, at: MADE[name](m, x, y, 0)(at), X[:n], Z[:n], AT)


@pytest.mark.parametrize("name", [name for name in MADE if name != "given" and name != "hermite"])
def test_along_another_axis(name):
    near(lambda m, x, y, at: MADE[name](m, x, y, 1)(at), X, of_axis(Y, 1), AT)


ENDS = ["not-a-knot", "natural", "clamped", (1, 2.0), (2, -1.5)]


def test_splines_without_values():
    assert ours.CubicSpline(cp.asarray(X), cp.asarray(Y[:, :0])).c.shape == (4, 8, 0)


@pytest.mark.parametrize("last", ENDS)
@pytest.mark.parametrize("first", ENDS)
def test_ends_of_cubic_splines(first, last):
    for n in (2, 3, 4, 9):
        near(lambda m, x, y: m.CubicSpline(x, y, bc_type=(first, last)).c, X[:n], Y[:n, 0])
    for order in (1, 2):
        near(
            lambda m, x, y, v, k=order: m.CubicSpline(x, y, bc_type=(first, (k, v))).c,
            X, Y, Y[3] if isinstance(first, str) else Y[3, 0],
        )  # fmt: skip


@pytest.mark.parametrize("n", [2, 3, 4, 9])
def test_periodic_splines(n):
    y = Y[:n].copy()
    y[-1] = y[0]
    near(lambda m, x, y, at: m.CubicSpline(x, y, bc_type="periodic")(at), X[:n], y, BEYOND)
    near(lambda m, x, y: m.CubicSpline(x, y, bc_type="periodic"), X[:n], Y[:n])


@pytest.mark.parametrize("n", [4, 9, 40])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_periodic_b_splines(k, n):
    x, y = np.cumsum(RNG.uniform(0.2, 1, n)), RNG.standard_normal((n, 2))
    y[-1] = y[0]
    at = RNG.uniform(x[0], x[-1], 9)
    near(
        lambda m, x, y, at: m.make_interp_spline(x, y, k, bc_type="periodic")(at),
        x, y, at, eps=1e-7,
    )  # fmt: skip


FITS = [
    lambda m, x, y: m.make_interp_spline(x, y, 3, bc_type=([(1, y[0])], [(2, y[1])])),
    lambda m, x, y: m.make_interp_spline(x, y, 3, bc_type=(None, "clamped")),
    lambda m, x, y: m.make_interp_spline(x, y, 3, bc_type="other"),
    lambda m, x, y: m.make_interp_spline(x, y, 3, bc_type=42),
    lambda m, x, y: m.make_interp_spline(x, y, 3, bc_type=([(6, y[0])], [(1, y[1])])),
    lambda m, x, y: m.make_interp_spline(x, y, 3, bc_type=([(1, y[0])], [(-6, y[1])])),
    lambda m, x, y: m.make_interp_spline(x, y, 3, bc_type=([(0, y[0])], [(3, y[1])])),
    lambda m, x, y: m.make_interp_spline(x, y, 3, t=[0, 1, 2]),
    lambda m, x, y: m.make_interp_spline(x, y, -1),
    lambda m, x, y: m.make_interp_spline(x, y, 0),
    lambda m, x, y: m.make_interp_spline(x, y[:-1]),
    lambda m, x, y: m.make_interp_spline(x[::-1], y),
    lambda m, x, y: m.make_lsq_spline(x, y, [X[0]] * 4 + [2.0] + [X[-1]] * 4),
    lambda m, x, y: m.make_lsq_spline(
        x, y, [X[0]] * 3 + [2.0] + [X[-1]] * 3, 2, list(range(1, 10))
    ),
    lambda m, x, y: m.make_lsq_spline(x, y, [0.0, 1.0]),
]


@pytest.mark.parametrize("number", range(len(FITS)))
def test_fits(number):
    near(lambda m, x, y: FITS[number](m, x, y).c, X, Y)


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("kind", ["PPoly", "BPoly"])
def test_pieces(kind, extrapolate):
    for axis in (0, 1):
        c = np.moveaxis(PIECES, 2, 0) if axis else PIECES

        def make(m, c, x, axis=axis):
            return getattr(m, kind)(c, x, extrapolate, axis)

        for nu in (0, 1, 2, 4):
            near(lambda m, c, x, at, nu=nu: make(m, c, x)(at, nu), c, X, BEYOND, eps=1e-8)
        for nu in (1, 2):
            near(lambda m, c, x, nu=nu: make(m, c, x).derivative(nu).c, c, X)
            near(lambda m, c, x, nu=nu: make(m, c, x).antiderivative(nu).c, c, X)
        ends = [(1, 2.5), (X[0], X[-1]), (2, 0.7)]
        for a, b in ends if extrapolate is False else [*ends, (-3.0, 14.0)]:
            near(lambda m, c, x, a=a, b=b: make(m, c, x).integrate(a, b), c, X, eps=1e-8)


CHANGED = [
    lambda m, c, x: m.PPoly.from_bernstein_basis(m.BPoly(c, x)).c,
    lambda m, c, x: m.BPoly.from_power_basis(m.PPoly(c, x)).c,
    lambda m, c, x: m.PPoly.from_bernstein_basis(m.PPoly(c, x)),
    lambda m, c, x: m.BPoly.from_power_basis(3),
    lambda m, c, x: m.BPoly.from_derivatives([0, 1, 2], [[1, 2], [3], [4, 5, 6]]).c,
    lambda m, c, x: m.BPoly.from_derivatives([0, 1, 2], [[1, 2], [3, 1], [4, 5]], 2).c,
    lambda m, c, x: m.BPoly.from_derivatives([0, 1, 2], [[1, 2], [3, 1], [4, 5]], [1, 9]).c,
    lambda m, c, x: m.BPoly.from_derivatives([0, 1], [[1, 2]]).c,
    lambda m, c, x: m.PPoly(c[:, :, 0], x).roots(),
    lambda m, c, x: m.PPoly(c[:, :, 0], x).solve(0.5, extrapolate=False),
    lambda m, c, x: m.PPoly(c, x[:-1]),
    lambda m, c, x: m.PPoly(c[0, 0], x),
    lambda m, c, x: m.PPoly(c, x, axis=5),
    lambda m, c, x: m.PPoly(c, [0, 2, 1, 3, 4, 5, 6, 7, 8]),
    lambda m, c, x: m.PPoly(c, x)(1.0, nu=-1),
    lambda m, c, x: m.PPoly(c[:, ::-1], x[::-1])(x),
    lambda m, c, x: m.PPoly.construct_fast(c, x)(x),
    lambda m, c, x: m.PPoly.from_spline((np.arange(9.0), c[0, :5, 0], 3))(x[:3]),
]


@pytest.mark.parametrize("number", range(len(CHANGED)))
def test_forms(number):
    near(CHANGED[number], PIECES, X)


def test_extended_pieces():
    for x in ([20.0, 21.0], [-3.0, -2.0], [X[0], X[1]], [3.0], [22.0, 21.0]):

        def longer(m, c, new, x=x):
            made = m.PPoly(c, X)
            made.extend(new[:, : len(x)], x)
            return made.c, made.x

        near(longer, PIECES, PIECES[:, :2] + 1)


def test_pieces_in_several_variables():
    c = RNG.standard_normal((3, 2, 4, 5, 2))
    x = np.sort(RNG.random(5)), np.sort(RNG.random(6))
    at = RNG.uniform(-0.2, 1.2, (4, 3, 2))
    for nu in (None, (1, 0), (0, 1), (2, 1), (3, 0)):
        near(lambda m, c, at, nu=nu: m.NdPPoly(c, x)(at, nu), c, at)
    near(lambda m, c, at: m.NdPPoly(c, x)(at, extrapolate=False), c, at)
    near(lambda m, c: m.NdPPoly(c, x).derivative((1, -1)).c, c)
    near(lambda m, c: m.NdPPoly(c, x).antiderivative((1, 0)).c, c)
    near(lambda m, c: m.NdPPoly(c, x).integrate([(0.2, 0.5), (0.1, 0.9)]), c)
    near(lambda m, c: m.NdPPoly(c, x).integrate_1d(0.2, 0.5, 1).c, c)
    near(lambda m, c: m.NdPPoly(c, x[:1]), c)


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("k", [0, 1, 3, 5])
def test_b_splines(k, extrapolate):
    n = KNOTS.size - k - 1
    c = RNG.standard_normal((n, 2))

    def make(m, c):
        return m.BSpline(KNOTS, c, k, extrapolate)

    low, high = KNOTS[k], KNOTS[n]
    at = np.concatenate((RNG.uniform(low, high, 15), [low, high, np.nan]))
    for nu in range(k + 2):
        near(lambda m, c, at, nu=nu: make(m, c)(at, nu), c, at, eps=1e-8)
    for a, b in ((low, high), (high, low), (low + 0.01, low + 0.05), (low - 0.1, high + 0.3)):
        near(lambda m, c, a=a, b=b: make(m, c).integrate(a, b), c, eps=1e-6)
    near(lambda m, c: make(m, c).antiderivative(2).c, c)
    if k:
        near(lambda m, c: make(m, c).derivative().c, c)


# Beyond knots that are repeated k + 1 times no B-spline counts, at a jump inside they all do.
def knots_of(kind, n):
    rng = np.random.default_rng(n)
    if kind == "repeated":
        return np.sort(rng.integers(0, 12, n)) / 7.0
    return np.cumsum(10.0 ** rng.uniform(-6, 0, n)) if kind == "powers" else np.arange(n) / 3.0


def by_tables(call, monkeypatch):
    """What a call returns by a table in memory, and by one in shared memory."""
    for least in (1 << 40, 0):
        with monkeypatch.context() as m:
            m.setattr(_value_tables, "_MANY", 1)
            m.setattr(_value_tables, "_SHARED", least)
            yield call()


@pytest.mark.parametrize("extrapolate", [True, False])
@pytest.mark.parametrize("kind", ["equal", "powers", "repeated"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_values_of_many_points_are_those_of_few(k, kind, extrapolate, monkeypatch):
    """Polynomials that are made beforehand have the bits of those that are made for a point."""
    for n in (1, 2, 40):
        t = knots_of(kind, n + 2 * k)
        if t[k] == t[-k - 1]:
            continue
        c = RNG.standard_normal(t.size - k - 1)
        at = np.r_[t, np.nextafter(t, 99), np.nextafter(t, -99), RNG.uniform(t[0], t[-1], 400)]
        at = np.r_[at, t[0] - 1, t[-1] + 1, np.nan]
        spline = ours.BSpline(cp.asarray(t), cp.asarray(c), k, extrapolate)
        few = spline(cp.asarray(at)).get()
        for many in by_tables(lambda s=spline, at=at: s(cp.asarray(at)).get(), monkeypatch):
            assert np.array_equal(few, many, equal_nan=True)
        expected = theirs.BSpline(t, c, k, extrapolate)(at)
        inside = (at >= t[k]) & (at <= t[-k - 1])
        np.testing.assert_allclose(many[inside], expected[inside], rtol=0, atol=1e-13)
        np.testing.assert_allclose(many, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("size", [1, 2, 4, 5, 6])
@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
def test_polynomials_of_many_points_are_those_of_few(size, steps, extrapolate, monkeypatch):
    for n in (2, 3, 40):
        x = STEPS[steps](n)
        at = np.r_[x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), x[0] - 1, x[-1] + 1]
        at = np.r_[at, RNG.uniform(x[0], x[-1], 400), np.nan, np.inf, -np.inf]
        for breakpoints in (x, x[::-1].copy()):
            c = RNG.standard_normal((size, n - 1))
            made = ours.PPoly(cp.asarray(c), cp.asarray(breakpoints), extrapolate)
            few = made(cp.asarray(at)).get()
            for many in by_tables(lambda s=made, at=at: s(cp.asarray(at)).get(), monkeypatch):
                assert np.array_equal(few, many, equal_nan=True)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_b_splines_at_infinity(k):
    """What is read lies within the knots, and values are NaN; SciPy has infinities too."""
    spline = ours.BSpline(cp.arange(20.0), cp.ones(19 - k), k)
    values = spline(cp.array([np.inf, -np.inf, 9.0])).get()
    assert np.isnan(values[:2]).all() and values[2] == pytest.approx(1)


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_b_splines_with_jumps(k):
    for knots in ([0, 1, 2, 3, 3, 3, 3, 5, 6], [0] * 4 + [1, 2, 2, 2, 2, 3] + [4] * 5):
        t = np.sort(np.array(knots, "d"))
        c = RNG.standard_normal((t.size - k - 1, 2))
        at = np.array([0.0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7])
        for nu in range(k + 1):
            near(lambda m, c, at, nu=nu: m.BSpline(t, c, k)(at, nu), c, at)


SPLINES = [
    lambda m, t, x: m.BSpline.design_matrix(x, t, 3).toarray(),
    lambda m, t, x: m.BSpline.design_matrix(x - 9, t, 3),
    lambda m, t, x: m.BSpline.design_matrix(x - 0.05, t, 3, "periodic").toarray(),
    lambda m, t, x: m.BSpline.basis_element(t[:5])(x),
    lambda m, t, x: m.splder((t, t, 3), 2)[1],
    lambda m, t, x: m.splantider((t, t, 3), 2)[1],
    lambda m, t, x: m.splder((t, t, 3), 4),
    lambda m, t, x: m.BSpline(t[::-1], t, 3),
    lambda m, t, x: m.BSpline(t[:5], t, 3),
    lambda m, t, x: m.BSpline(t, t[:3], 3),
    lambda m, t, x: m.BSpline(t, t, -1),
    lambda m, t, x: m.BSpline(t, t, 2.5),
    lambda m, t, x: m.BSpline(t, t, 3, axis=2),
    lambda m, t, x: m.BSpline([0.0] * 10, t, 3),
    lambda m, t, x: m.splev(x, (t, t[:9], 3), 1, 1),
    lambda m, t, x: m.splint(t[4], t[6], (t, t[:9], 3)),
    lambda m, t, x: m.spalde(x[0], (t, t, 3)),
    lambda m, t, x: m.sproot(m.splrep([0, 1, 2, 3, 4], [-1, 0, 3, 8, 15])),
]


@pytest.mark.parametrize("number", range(len(SPLINES)))
def test_splines(number):
    near(SPLINES[number], KNOTS, INSIDE)


def test_integrals_of_basis_splines():
    """SciPy 1.18's splint has none; those of BSpline are compared."""
    count, ends = len(KNOTS) - 4, (KNOTS[4], KNOTS[6])
    spline = cp.asarray(KNOTS), cp.asarray(KNOTS[:count]), 3
    found, parts = ours.splint(*ends, spline, full_output=1)
    wanted = [theirs.BSpline(KNOTS, row, 3).integrate(*ends) for row in np.eye(count)]
    np.testing.assert_allclose(parts.get()[:count], wanted, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(float(found), np.dot(wanted, KNOTS[:count]), rtol=1e-12)


CURVES = [
    lambda m, t, c, x: m.splev(x, (t, c, 3)),
    lambda m, t, c, x: m.splev(x, (t, c[:, None], 3), 1),
    lambda m, t, c, x: m.splint(x[0], x[4], (t, c, 3)),
    lambda m, t, c, x: m.splint(x[0], x[4], (t, list(c), 3)),
    lambda m, t, c, x: m.spalde(x[0], (t, c, 3)),
    lambda m, t, c, x: m.sproot((t, c, 3)),
    lambda m, t, c, x: m.sproot((t, list(c), 3)),
    lambda m, t, c, x: m.splev(x, m.insert(x[3], (t, c, 3))),
    lambda m, t, c, x: m.sproot(m.BSpline(t, c.T, 3)),
]


@pytest.mark.parametrize("number", range(len(CURVES)))
def test_curves_of_arrays(number):
    count = KNOTS.size - 4
    near(CURVES[number], KNOTS, RNG.standard_normal((2, count)), INSIDE[:5])
    near(CURVES[number], KNOTS, RNG.standard_normal((count, count)), INSIDE[:5])


KINDS = ["linear", "nearest", "nearest-up", "previous", "next", "zero", "quadratic", 5, "other"]


def test_lines_have_the_common_type():
    for types in ("fff", "fFf", "efe", "ffd", "dff", "fdf", "iff", "ddd", "fif", "ffi"):
        host = [np.arange(8, dtype=kind) for kind in types]
        x, y, at = map(cp.asarray, host)
        wanted = theirs.interp1d(*host[:2])(host[2])
        found = ours.interp1d(x, y)(at)
        assert found.dtype == wanted.dtype, types
        np.testing.assert_array_equal(found.get(), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_interp1d(kind):
    order = RNG.permutation(9)
    for y in (Y, Z, Y.astype("f"), (Y * 9).astype("i")):
        eps = 1e-5 if y.dtype == "f" else 1e-9
        for options in ({"fill_value": "extrapolate"}, {"bounds_error": False}):
            near(
                lambda m, x, y, at, o=options: m.interp1d(x, y, kind, 0, **o)(at),
                X[order], y[order], BEYOND, eps=eps,
            )  # fmt: skip
    near(lambda m, x, y, at: m.interp1d(x, y, kind, 0)(at), X, Y, AT)
    near(lambda m, x, y, at: m.interp1d(x, y, kind, 0, True, False, y[:1])(at), X, Y[:, 0], BEYOND)
    near(lambda m, x, y, at: m.interp1d(x, y, kind, 0)(at), X, Y, BEYOND[:-1])
    near(
        lambda m, x, y, at: m.interp1d(
            x, y, kind, 0, True, False, ([1.0, 2.0], 3.0), assume_sorted=True
        )(at),
        X, Y, BEYOND,
    )  # fmt: skip


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("fill", ["extrapolate", (-7.0, 8.0), np.nan])
def test_lines_of_many_points_are_those_of_few(steps, fill, monkeypatch):
    for n in (2, 3, 40):
        x = STEPS[steps](n)
        at = np.r_[x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), x[0] - 1, x[-1] + 1]
        at = np.r_[at, RNG.uniform(x[0], x[-1], 400), np.nan, np.inf, -np.inf]
        y = cp.asarray(RNG.standard_normal(n))
        line = ours.interp1d(cp.asarray(x), y, bounds_error=False, fill_value=fill)
        few = line(cp.asarray(at)).get()
        for many in by_tables(lambda s=line, at=at: s(cp.asarray(at)).get(), monkeypatch):
            assert np.array_equal(few, many, equal_nan=True)


@pytest.mark.parametrize("end", [np.nan, np.inf])
@pytest.mark.parametrize("at", [0, 2, 5])
def test_lines_next_to_values_that_are_not_finite(at, end, monkeypatch):
    x, y = np.arange(6.0), RNG.standard_normal(6)
    y[at] = end
    wanted = theirs.interp1d(x, y)(x)
    line = ours.interp1d(cp.asarray(x), cp.asarray(y))
    found = line(cp.asarray(x)).get()
    np.testing.assert_allclose(found, wanted, rtol=1e-15)
    for many in by_tables(lambda: line(cp.asarray(x)).get(), monkeypatch):
        np.testing.assert_array_equal(many, found)
    columns = ours.interp1d(cp.asarray(x), cp.asarray(np.stack([y + 0j, x], 1)), axis=0)
    np.testing.assert_allclose(columns(cp.asarray(x)).get()[:, 0].real, wanted, rtol=1e-15)


def test_lines_between_values_that_are_not_finite(monkeypatch):
    at = np.linspace(0, 4, 17)
    curves = [np.array([0.0, 1.0, 0.5, 3.0, 2.0]) for _ in range(16)]
    for k, curve in enumerate(curves[:15]):
        curve[k % 5] = (np.nan, np.inf, -np.inf)[k // 5]
    curves[-1][2:4] = np.inf
    for y in curves:
        wanted = theirs.interp1d(np.arange(5.0), y)(at)
        line = ours.interp1d(cp.arange(5.0), cp.asarray(y))
        np.testing.assert_array_equal(line(cp.asarray(at)).get(), wanted)
        for many in by_tables(lambda s=line: s(cp.asarray(at)).get(), monkeypatch):
            np.testing.assert_array_equal(many, wanted)


@pytest.mark.parametrize(("at", "side"), [(-0.1, "below"), (2.1, "above"), (2.0, None)])
def test_many_points_beyond_a_line(at, side, monkeypatch):
    line = ours.interp1d([0, 1, 2], [0, 10, 30])
    points = cp.linspace(0, 2, 600)
    points[77] = at

    def call():
        if side is None:
            return line(points)
        with pytest.raises(ValueError, match=f"is {side} the interpolation range"):
            line(points)
        return None

    assert len([call(), *by_tables(call, monkeypatch)]) == 3


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("shape", [(2,), (7,), (2, 9), (5, 6), (4, 5, 3)])
def test_grids_at_many_points(shape, steps, monkeypatch):
    """Axes in shared memory, and values in memory of any alignment, change no bit."""
    axes = [STEPS[steps](n) for n in shape]
    at = np.stack([RNG.uniform(x[0] - 0.1, x[-1] + 0.1, 700) for x in axes], axis=1)
    at[:20] = [[x[-1] if k % 2 else x[0] for x in axes] for k in range(20)]
    at[30, 0], at[31, -1], at[32, 0] = np.nan, np.inf, -np.inf
    room = cp.asarray(RNG.standard_normal(math.prod(shape) + 1))
    for fill in (None, 5.0):
        for first in (0, 1):
            values = room[first : first + math.prod(shape)].reshape(shape)
            grid = ours.RegularGridInterpolator(axes, values, "linear", False, fill)
            few = grid(cp.asarray(at)).get()
            with monkeypatch.context() as m:
                m.setattr(_grid_values, "_MANY", 1)
                many = grid(cp.asarray(at)).get()
            assert np.array_equal(few, many, equal_nan=True)
            finite = np.isfinite(at).all(axis=1)
            grid = theirs.RegularGridInterpolator(axes, values.get(), "linear", False, fill)
            expected = grid(at[finite])
            np.testing.assert_allclose(few[finite], expected, rtol=1e-9, atol=1e-9)


def test_legacy_names_of_methods_mean_the_same_splines():
    grid = [np.cumsum(RNG.uniform(0.2, 1, n)) for n in (7, 8)]
    values, at = RNG.standard_normal((7, 8)), RNG.uniform(grid[0][0] - 1, grid[0][-1], (9, 2))
    for method in ("slinear_legacy", "cubic_legacy", "quintic_legacy"):
        near(lambda m, v, at, w=method: m.interpn(grid, v, at, w, False, None), values, at)


@pytest.mark.parametrize("method", ["linear", "nearest", "slinear", "cubic", "pchip", "other"])
@pytest.mark.parametrize("shape", [(7,), (5, 6), (4, 5, 4)])
def test_grids(shape, method):
    if method == "cubic":
        method, eps = "cubic", 1e-4  # SciPy solves its equations to 1e-6
    else:
        eps = 1e-9
    d = len(shape)
    grid = [np.cumsum(RNG.uniform(0.2, 1, n)) for n in shape]
    grid[-1] = grid[-1][::-1]
    low, high = (np.array([f(axis) for axis in grid]) for f in (np.min, np.max))
    inside = low + (high - low) * RNG.random((4, 2, d))
    around = low - 0.3 + (high - low + 0.6) * RNG.random((12, d))
    around[3, 0] = np.nan
    values = RNG.standard_normal((*shape, 2))
    near(lambda m, v, at: m.RegularGridInterpolator(grid, v, method)(at), values, inside, eps=eps)
    near(
        lambda m, v, at: m.RegularGridInterpolator(grid, v, method)(at), values, around[4:], eps=eps
    )
    for fill in (None, 2.0, np.nan):
        near(
            lambda m, v, at, f=fill: m.interpn(grid, v, at, method, False, f),
            values, around, eps=eps,
        )  # fmt: skip
    if method in ("linear", "nearest"):
        near(lambda m, v, at: m.interpn(grid, v, at, method), values + 1j, inside)
        near(lambda m, v, at: m.interpn(grid, v, at, method), values.astype("f"), inside)


def test_polynomials_at_coordinates():
    x, y = np.linspace(0, 1, 4), np.linspace(0, 2, 5) ** 2
    c = RNG.standard_normal((2, 3, 3, 4))
    at = RNG.random((3, 6))
    for pick in (
        lambda at: (at[0], at[1]),
        lambda at: (at[0, :2], at[1, :2]),
        lambda at: (at[0, :, None], at[1]),
        lambda at: (at[0, 0], at[1]),
        lambda at: at.T[:, :2],
    ):
        near(lambda m, c, at, pick=pick: m.NdPPoly(c, (x, y))(pick(at)), c, at)
        near(lambda m, c, at, pick=pick: m.NdPPoly(c, (x, y))(pick(at), nu=(1, 1)), c, at)
    for pick in (lambda at: (at[0],), lambda at: at[0], lambda at: at[0, :1], lambda at: at[:, :1]):
        near(lambda m, c, at, pick=pick: m.NdPPoly(c[:, 0, :, 0], (x,))(pick(at)), c, at)


@pytest.mark.parametrize("lengths", [(9,), (2, 7), (1, 4), (3, 2, 5), (4, 1, 3)])
def test_points_of_grids_have_their_values(lengths):
    """Those in the grid exactly; beyond it and at infinity nothing else is read."""
    axes = [np.cumsum(RNG.uniform(0.1, 3, n)) for n in lengths]
    values = RNG.standard_normal(lengths)
    at = np.stack([c.ravel() for c in np.meshgrid(*axes, indexing="ij")], axis=1)
    given = [cp.asarray(a) for a in axes], cp.asarray(values), "linear", False
    made = ours.RegularGridInterpolator(*given, -3)
    assert (made(cp.asarray(at)).get() == values.ravel()).all()
    beyond = np.r_[at + 100, at - 100, at * np.inf, at * -np.inf]
    assert (made(cp.asarray(beyond)).get() == -3).all()
    made = ours.RegularGridInterpolator(*given, None)
    assert made(cp.asarray(beyond)).shape == (4 * values.size,)


@pytest.mark.parametrize("method", ["akima", "makima"])
def test_slopes_whose_products_overflow(method):
    x = np.arange(1.0, 10)
    y = 1e6 * np.sqrt(np.finfo("d").max) * np.heaviside(x - 4, 0.5)
    near(lambda m, x, y: m.Akima1DInterpolator(x, y, method=method)(x), x, y)
    near(lambda m, x, y: m.Akima1DInterpolator(x, y, method=method)(x[:-1] + 0.3), x, y)


SURFACES = [
    lambda m, g, v, at: m.interpn((g, g[:5]), v, at, "splinef2d"),
    lambda m, g, v, at: m.interpn((g, g[:5]), v, at * 9, "splinef2d"),
    lambda m, g, v, at: m.interpn((g, g[:5]), v, at * 9, "splinef2d", False),
    lambda m, g, v, at: m.interpn((g, g[:5]), v, at * 9, "splinef2d", False, 7.5),
    lambda m, g, v, at: m.interpn((g, g[:5]), v, at * 9, "splinef2d", False, None),
    lambda m, g, v, at: m.interpn((g, g[:5]), v, (at[..., 0], at[..., 1]), "splinef2d"),
    lambda m, g, v, at: m.interpn((g,), v, at[..., :1], "splinef2d"),
    lambda m, g, v, at: m.interpn((g, g[:5]), v[..., None], at, "splinef2d"),
    lambda m, g, v, at: m.interpn((g, g[:5]), v, at[..., :1], "splinef2d"),
]


@pytest.mark.parametrize("number", range(len(SURFACES)))
def test_surfaces(number):
    at = X[0] + (X[4] - X[0]) * RNG.random((6, 2, 2))
    near(SURFACES[number], X, RNG.standard_normal((9, 5)), at)


@pytest.mark.parametrize("method", ["linear", "nearest", "cubic", "pchip"])
def test_nan_is_out_of_bounds(method):
    at = np.full((2, 2), 1.5)
    at[1, 0] = np.nan
    grid, values = np.arange(6.0), RNG.standard_normal((6, 6))
    near(lambda m, g, v, at: m.interpn((g, g), v, at, method), grid, values, at)
    near(lambda m, g, v, at: m.RegularGridInterpolator((g, g), v, method)(at), grid, values, at)


GRIDS = [
    lambda m, v: m.RegularGridInterpolator(([0, 1],) * 2, v[:2, :2], "slinear")([[0, 1]], nu=1),
    lambda m, v: m.RegularGridInterpolator(([0, 1], [0, 1, 2]), v[:2, :2]),
    lambda m, v: m.RegularGridInterpolator(([0, 0], [0, 1]), v[:2, :2]),
    lambda m, v: m.RegularGridInterpolator(([0, 1],) * 3, v[:2, :2]),
    lambda m, v: m.RegularGridInterpolator(([0, 1],) * 2, v[:2, :2], "cubic"),
    lambda m, v: m.RegularGridInterpolator(([0, 1],) * 2, v[:2, :2])([[0.5]]),
    lambda m, v: m.RegularGridInterpolator(([0, 1],) * 2, v[:2, :2])([[0.5, 0.2]], "other"),
    lambda m, v: m.RegularGridInterpolator(([0, 1],) * 2, v[:2, :2], fill_value=1j),
    lambda m, v: m.NdBSpline((KNOTS, KNOTS), v, (3, 2))(v[:3, :2] * 0.1 + 0.5),
    lambda m, v: m.NdBSpline((KNOTS, KNOTS), v, (3, 2))(v[:3, :2] * 0.1 + 0.5, nu=(1, 2)),
    lambda m, v: m.NdBSpline.design_matrix(v[:2, :2] * 1.0, (KNOTS, KNOTS), (3, 2)).toarray()[
        :, :80
    ],
    lambda m, v: m.NdBSpline((KNOTS, KNOTS), v, 3),
]


@pytest.mark.parametrize("number", range(len(GRIDS)))
def test_grids_and_products(number):
    near(GRIDS[number], np.random.default_rng(4).random((9, 10)), eps=1e-7)


POLYNOMIALS = [
    lambda m, x, y, at: m.KroghInterpolator(x, y).derivatives(at),
    lambda m, x, y, at: m.KroghInterpolator(x, y).derivatives(at, 3),
    lambda m, x, y, at: m.KroghInterpolator(x, y).derivative(at, 2),
    lambda m, x, y, at: m.KroghInterpolator([0, 0, 0, 1, 2, 2, 3, 3, 3], y)(at),
    lambda m, x, y, at: m.KroghInterpolator([0, 1, 0, 1, 2, 2, 3, 3, 3], y),
    lambda m, x, y, at: m.krogh_interpolate(x, y, at, [0, 2]),
    lambda m, x, y, at: m.barycentric_interpolate(x, y, at),
    lambda m, x, y, at: m.BarycentricInterpolator([0, 1, 1], y[:3]),
    lambda m, x, y, at: m.pchip_interpolate(x, y, at, [0, 1]),
    lambda m, x, y, at: m.pchip_interpolate(x, y, at, 2),
    lambda m, x, y, at: m.Akima1DInterpolator(x, y, method="other"),
    lambda m, x, y, at: m.PchipInterpolator(x, y + 1j),
    lambda m, x, y, at: m.CubicSpline(x, y, bc_type="other"),
    lambda m, x, y, at: m.CubicSpline(x, y, bc_type=("natural",)),
    lambda m, x, y, at: m.CubicSpline(x, y, bc_type=((3, 1), "natural")),
    lambda m, x, y, at: m.CubicSpline(x[::-1], y),
    lambda m, x, y, at: m.CubicSpline(x, y * np.nan),
    lambda m, x, y, at: m.CubicSpline(x[:1], y[:1]),
    lambda m, x, y, at: m.CubicSpline(x, y[:5]),
    lambda m, x, y, at: m.CubicSpline(x, y).derivative()(at),
]


@pytest.mark.parametrize("number", range(len(POLYNOMIALS)))
def test_polynomials(number):
    near(POLYNOMIALS[number], X, Y, AT, eps=1e-7)


def test_points_are_added():
    made = ours.BarycentricInterpolator(X, cp.asarray(Y))
    made.add_xi([20.0, 22.0], cp.asarray(Y[:2]))
    whole = theirs.BarycentricInterpolator(np.r_[X, 20, 22], np.r_[Y, Y[:2]])
    agree(made(cp.asarray(AT)), whole(AT), 1e-8)
    with pytest.raises(ValueError):
        made.add_xi([30.0])


UNIVARIATE = [
    lambda m, x, y: m.UnivariateSpline(x, y, s=0.5),
    lambda m, x, y: m.UnivariateSpline(x, y, np.arange(1.0, 10), k=2, s=0.1, ext=1),
    lambda m, x, y: m.InterpolatedUnivariateSpline(x, y, k=4, ext="const"),
    lambda m, x, y: m.LSQUnivariateSpline(x, y, [2.0, 3.0]),
]


@pytest.mark.parametrize("number", range(len(UNIVARIATE)))
def test_univariate_splines(number):
    make, at = UNIVARIATE[number], BEYOND[:-1]
    for nu in (0, 1, 2):
        near(lambda m, x, y, at, nu=nu: make(m, x, y)(at, nu), X, Y[:, 0], at)
    near(lambda m, x, y, at: make(m, x, y).derivative()(at), X, Y[:, 0], at)
    near(lambda m, x, y, at: make(m, x, y).antiderivative()(at), X, Y[:, 0], at)
    near(lambda m, x, y: make(m, x, y).get_knots(), X, Y[:, 0])
    near(lambda m, x, y: make(m, x, y).get_coeffs(), X, Y[:, 0])
    near(lambda m, x, y: make(m, x, y).get_residual(), X, Y[:, 0])
    near(lambda m, x, y: make(m, x, y).derivatives(2.5), X, Y[:, 0])
    near(lambda m, x, y: make(m, x, y).integral(0.5, 99.0), X, Y[:, 0])
    near(lambda m, x, y: make(m, x, y)(99.0, ext=2), X, Y[:, 0])
    near(lambda m, x, y: make(m, x, y)(2.0, nu=7), X, Y[:, 0])
    near(lambda m, x, y: make(m, x, y)(2.0, ext="other"), X, Y[:, 0])


def test_smoothing_goes_on():
    def again(m, x, y):
        made = m.UnivariateSpline(x, y, s=2.0)
        made.set_smoothing_factor(0.1)
        return made.get_coeffs()

    near(again, X, Y[:, 0])
    near(lambda m, x, y: m.splev(x[:3], m.splrep(x, y, s=0.1, k=2)), X, Y[:, 0])


def test_empty_points_and_results():
    none = np.zeros((0, 3))
    for name in ("cubic", "pchip", "natural", "barycentric", "krogh"):
        near(lambda m, x, y, at, n=name: MADE[n](m, x, y, 0)(at), X, Y, none)
    near(lambda m, x, y, at: m.interp1d(x, y, axis=0)(at), X, Y, none)
    near(lambda m, x, y: m.PchipInterpolator(x, y)(2.0), X, Y)
    near(lambda m, x, y: m.BSpline(KNOTS, y, 3)(0.5), X, Y)


def test_points_of_the_device_are_read_once_at_most():
    """Neither values nor results leave the device."""
    x, y, at = cp.asarray(X), cp.asarray(Y), cp.asarray(AT)
    with cp.errstate(linalg="ignore"):
        for name in ("pchip", "akima", "natural", "not-a-knot"):
            made = MADE[name](ours, x, y, 0)
            graph = cp.cuda.Stream(non_blocking=True)
            with graph:
                graph.begin_capture()
                result = made(at)
                graph.end_capture()
            del result
    gc.collect()


DERIVED = [
    lambda m, x, y, at: m.BarycentricInterpolator(x, y).derivative(at),
    lambda m, x, y, at: m.BarycentricInterpolator(x, y.T, axis=1).derivative(at, 3),
    lambda m, x, y, at: m.BarycentricInterpolator(x, y * 1j).derivatives(at, 3),
    lambda m, x, y, at: m.BarycentricInterpolator(x[:3], y[:3]).derivatives(at),
    lambda m, x, y, at: m.BarycentricInterpolator(x[:3], y[:3]).derivative(at, 3) + 1,
    lambda m, x, y, at: m.BarycentricInterpolator(x, y).derivatives(at, 0),
    lambda m, x, y, at: m.BarycentricInterpolator(x, y).derivative(at, 0),
]
ND_KNOTS = np.array([0, 0, 0, 0, 0.3, 0.6, 1, 1, 1, 1])
ND_COEFFICIENTS = RNG.standard_normal((6, 6, 2))
ND_AT = RNG.random((8, 2))


@pytest.mark.parametrize("number", range(len(DERIVED)))
def test_derivatives_in_barycentric_form(number):
    near(DERIVED[number], X, Y, AT, eps=1e-7)


@pytest.mark.parametrize("nu", [(1, 0), (1, 2), (0, 3), (0, 0), (4, 1), (-1, 0), (1,), 1])
def test_derivatives_of_several_variables(nu):
    near(
        lambda m, t, c, at: m.NdBSpline((t, t), c, 3).derivative(nu)(at),
        ND_KNOTS, ND_COEFFICIENTS, ND_AT,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["linear", "nearest", "slinear", "pchip"])
def test_single_point_of_a_grid(method, rng):
    """A list is a row of one point; a tuple has a coordinate of each axis."""
    grid = [np.arange(4.0), np.arange(5.0)]
    for tail in ((), (2,)):
        values = rng.normal(size=(4, 5, *tail))
        mine = [cp.asarray(g) for g in grid], cp.asarray(values)
        for point in ([1.5, 2.5], (1.5, 2.5)):
            desired = theirs.RegularGridInterpolator(grid, values, method)(point)
            actual = ours.RegularGridInterpolator(*mine, method)(point)
            assert actual.shape == desired.shape
            np.testing.assert_allclose(actual.get(), desired, rtol=1e-6)
            found = ours.interpn(*mine, point, method)
            np.testing.assert_allclose(found.get(), actual.get(), rtol=1e-12)


def test_derivatives_of_barycentric_interpolate():
    x, y = np.arange(4.0), np.array([1.0, 3.0, 2.0, 5.0])
    for der in (0, 1, [0, 2]):
        actual = ours.barycentric_interpolate(x.tolist(), y.tolist(), cp.array([0.5, 2.2]), der=der)
        desired = theirs.krogh_interpolate(x, y, [0.5, 2.2], der=der)
        np.testing.assert_allclose(actual.get(), desired, rtol=1e-12)


def test_roots_of_a_spline_are_all_of_them():
    x = np.linspace(0, 60 * np.pi, 601)
    expected = theirs.UnivariateSpline(x, np.cos(x), s=0).roots()
    found = ours.UnivariateSpline(cp.asarray(x), cp.cos(cp.asarray(x)), s=0).roots()
    assert found.size == expected.size > 50
    np.testing.assert_allclose(found.get(), expected, rtol=1e-10)
    with pytest.raises(NotImplementedError):
        ours.UnivariateSpline(cp.asarray(x), cp.asarray(x), s=0, k=4).roots()


def test_boxes_of_splines_are_arrays_of_two_or_four_ends():
    x = cp.linspace(0.0, 3.0, 9)
    for make in (ours.UnivariateSpline, ours.InterpolatedUnivariateSpline):
        made = make(x, x**2, bbox=cp.asarray([-1.0, 4.0]))
        assert float(made.get_knots()[0]) == -1
        for bbox in (-1, [1, 2, 3], [[0.0, 1.0]]):
            with pytest.raises(ValueError, match="bbox shape"):
                make(x, x**2, bbox=bbox)
    grid = ours.RectBivariateSpline(x, x, x[:, None] * x, bbox=cp.asarray([-1.0, 4, -1, 4]))
    np.testing.assert_allclose(float(grid(1.5, 1.0)[0, 0]), 1.5, rtol=1e-12)
    with pytest.raises(ValueError, match="bbox shape"):
        ours.RectBivariateSpline(x, x, x[:, None] * x, bbox=(0, 1))


def test_akima_splines_of_no_columns():
    x = cp.arange(6.0)
    assert ours.Akima1DInterpolator(x, cp.zeros((6, 0)))(x).shape == (6, 0)


@pytest.mark.parametrize("options", [{"solver": len}, {"solver_args": {"rtol": 1e-3}}])
def test_solvers_of_grids_are_those_of_splines(options):
    grid, values = (cp.arange(4.0),) * 2, cp.ones((4, 4))
    for method in ("linear", "nearest", "pchip"):
        with pytest.raises(ValueError, match="solve"):
            ours.RegularGridInterpolator(grid, values, method, **options)
    found = ours.RegularGridInterpolator(grid, values, "cubic", **options)((1.5, 2.5))
    assert float(found) == pytest.approx(1)

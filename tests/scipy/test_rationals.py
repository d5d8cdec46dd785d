"""Rational functions, polynomials by coefficients and older radial functions beside SciPy's."""

import numpy as np
import pytest
import scipy.interpolate as theirs
from signals import agree

import gpunp as cp
import gpunp.scipy.interpolate as ours

RNG = np.random.default_rng(41)
X = np.linspace(-1, 1, 30)
Y = np.stack((np.tan(1.5 * X), np.exp(X) / (X + 1.3)), axis=1)
AT = np.concatenate((RNG.uniform(-1.2, 1.2, 12), X[3:6])).reshape(5, 3)
P = RNG.random((3, 20))
AP = RNG.random((2, 4, 5))


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


def terms(polynomial):
    return polynomial.coeffs


QUOTIENTS = [
    lambda m, x, y, at: m.AAA(x, y[:, 0])(at),
    lambda m, x, y, at: m.AAA(x, y[:, 0] + 1j * y[:, 1])(at * 1j),
    lambda m, x, y, at: m.AAA(x, y[:, 0])(at[0, 0]),
    lambda m, x, y, at: m.AAA(x, y[:, 0])(at[:0]),
    lambda m, x, y, at: m.AAA(x, y[:, 0])(at[0] * np.nan),
    lambda m, x, y, at: m.AAA(x, y[:, 0], max_terms=4, clean_up=False).errors,
    lambda m, x, y, at: [m.AAA(x, y[:, 1]).support_points, m.AAA(x, y[:, 1]).support_values],
    lambda m, x, y, at: [m.AAA(x, y[:, 1]).poles(), m.AAA(x, y[:, 1]).residues()],
    lambda m, x, y, at: m.AAA(x, y[:, 1], rtol=1e-3).roots(),
    lambda m, x, y, at: m.AAA(x, y[:, 1]).clean_up(1e-3),
    lambda m, x, y, at: m.AAA(x, y),
    lambda m, x, y, at: m.AAA(x, y[:3, 0]),
    lambda m, x, y, at: m.AAA(x, y[:, 0], max_terms=0),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x, y)(at),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x, y.T, d=1, axis=1)(at[0]),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x * 1j, y * 1j)(at + 0.2j),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x, y, d=5).weights,
    lambda m, x, y, at: m.FloaterHormannInterpolator(x[:6], y[:6]).poles(),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x[:6], y[:6, 1]).residues(),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x, y).roots(),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x, y, d=-1),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x, y, d=30),
    lambda m, x, y, at: m.FloaterHormannInterpolator(x, y[:4]),
    lambda m, x, y, at: terms(m.lagrange(x[:5], y[:5, 0])),
    lambda m, x, y, at: [terms(p) for p in m.pade(y[:6, 1], 2)],
    lambda m, x, y, at: [terms(p) for p in m.pade(y[:6, 1], 2, 1)],
    lambda m, x, y, at: m.pade(y[:3, 1], 5),
    lambda m, x, y, at: m.pade(y[:3, 1], 1, -1),
]


@pytest.mark.parametrize("kind", ["f", "F", "d", "i", "D"])
def test_types_of_results(kind):
    x, y = np.arange(1, 8), RNG.integers(1, 90, 7)
    for make in (
        lambda m, x, y: m.AAA(x, y),
        lambda m, x, y: m.FloaterHormannInterpolator(x, y),
    ):
        wanted = make(theirs, x.astype(kind), y.astype(kind))
        found = make(ours, cp.asarray(x.astype(kind)), cp.asarray(y.astype(kind)))
        for at in (x.astype("f"), x.astype("d") + 0.5):
            assert found(cp.asarray(at)).dtype == wanted(at).dtype
        for name in ("poles", "residues", "roots"):
            assert getattr(found, name)().dtype == getattr(wanted, name)().dtype


@pytest.mark.parametrize("number", range(len(QUOTIENTS)))
def test_quotients(number):
    near(QUOTIENTS[number], X, Y, AT, eps=1e-8)


def test_points_stand_where_the_axis_was():
    """SciPy puts the axes of several axes of points elsewhere."""
    x, y, at = map(cp.asarray, (X, Y, AT))
    first = ours.FloaterHormannInterpolator(x, y)(at).get()
    last = ours.FloaterHormannInterpolator(x, y.T, axis=1)(at).get()
    assert np.allclose(last, first.transpose(2, 0, 1))


def test_limit_at_infinity():
    near(lambda m, x, y, at: m.AAA(x, 1 / (x + 2) + 3)(at), X, Y, np.array([np.inf, 1e300]))


@pytest.mark.parametrize("order", [None, 5, 8])
def test_taylor_polynomials(order):
    def made(m, xp):
        return m.approximate_taylor_polynomial(xp.sin, 0.3, 4, 0.5, order).coeffs

    assert np.allclose(made(ours, cp).get(), made(theirs, np), rtol=1e-9, atol=1e-9)


FUNCTIONS = ["multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic", "thin_plate"]
FUNCTIONS += ["inverse multiquadric", "thin-plate", "other"]
RADIAL = [
    lambda m, p, at: m.Rbf(*p, epsilon=0.3, smooth=0.1)(*at),
    lambda m, p, at: m.Rbf(*p).epsilon,
    lambda m, p, at: m.Rbf(*p, smooth=0.5).A,
    lambda m, p, at: m.Rbf(*p, norm="cityblock", function="thin_plate").A,
    lambda m, p, at: m.Rbf(*p).nodes,
    lambda m, p, at: m.Rbf(*p, norm="cityblock")(*at),
    lambda m, p, at: m.Rbf(*p, norm=lambda a, b: abs(a - b).sum(axis=0))(*at),
    lambda m, p, at: m.Rbf(*p, function=lambda r: r + 1)(*at),
    lambda m, p, at: m.Rbf(*p, function=lambda self, r: r + self.more, more=2.0)(*at),
    lambda m, p, at: m.Rbf(p[0], p[1:].T, mode="N-D")(at[0]),
    lambda m, p, at: m.Rbf(p[0], p[1] + 1j * p[2])(at[0]),
    lambda m, p, at: m.Rbf(*p)(0.5, 0.25),
    lambda m, p, at: m.Rbf(p[0], p[1])(at[0, :0]),
    lambda m, p, at: m.Rbf(*p)(at[0], at[1, :, :1]),
    lambda m, p, at: m.Rbf(*p)(at[0]),
    lambda m, p, at: m.Rbf(p[0], p[1, :4]),
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_radial_functions(name):
    near(lambda m, p, at: m.Rbf(*p, function=name)(*at), P, AP, eps=1e-6)


@pytest.mark.parametrize("number", range(len(RADIAL)))
def test_older_radial_functions(number):
    near(RADIAL[number], P, AP, eps=1e-7)

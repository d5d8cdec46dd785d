"""Splines of two variables beside SciPy's."""

import numpy as np
import pytest
import scipy.interpolate as theirs
from signals import agree

import gpunp as cp
import gpunp.scipy.interpolate as ours

RNG = np.random.default_rng(12)
X, Y = np.sort(RNG.random(12)), np.sort(RNG.random(9))
Z = RNG.standard_normal((12, 9))
AX, AY = np.sort(RNG.uniform(-0.2, 1.2, 8)), np.sort(RNG.uniform(-0.2, 1.2, 8))
P = RNG.random((3, 60))
THETA, PHI = np.linspace(0.1, 3, 9), np.linspace(-2, 4, 11)
R = np.outer(np.sin(THETA), np.cos(PHI)) + 2
SCATTERED = [a.ravel() for a in np.meshgrid(THETA, np.linspace(0.05, 6.2, 11), indexing="ij")]
ANGLES = [np.linspace(0, np.pi, 5), np.linspace(-4, 7, 6)]


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


@pytest.mark.parametrize("degrees", [(1, 1), (1, 2), (3, 3), (2, 4), (5, 3)])
def test_through_a_grid(degrees):
    def made(m, x, y, z, **options):
        return m.RectBivariateSpline(x, y, z, kx=degrees[0], ky=degrees[1], **options)

    near(lambda m, x, y, z, a, b: made(m, x, y, z)(a, b), X, Y, Z, AX, AY)
    near(lambda m, x, y, z, a, b: made(m, x, y, z)(a, b, grid=False), X, Y, Z, AX, AY)
    near(lambda m, x, y, z: list(made(m, x, y, z, bbox=[-1, 3, None, 2]).tck), X, Y, Z)
    near(lambda m, x, y, z: made(m, x, y, z, bbox=[-1, 3, None, 2]).integral(0, 4, 0.2, 1), X, Y, Z)


@pytest.mark.parametrize("degrees", [(1, 1), (1, 2), (3, 3), (2, 4), (5, 3)])
def test_large_grids_have_the_bits_of_small_ones(degrees):
    kx, ky = degrees
    spline = ours.RectBivariateSpline(*map(cp.asarray, (X, Y, Z)), kx=kx, ky=ky)
    y = np.linspace(-0.1, 1.2, 20)
    near(
        lambda m, x, y, z, a, b: m.RectBivariateSpline(x, y, z, kx=kx, ky=ky)(a, b), X, Y, Z, AX, y
    )
    x, y = cp.asarray(np.r_[AX, np.nan]), cp.asarray(np.r_[np.nan, y])
    large, small = spline(x, y).get(), spline(x, y[:8]).get()
    assert np.array_equal(large[:, :8], small, equal_nan=True)
    assert np.isnan(large[-1]).all() and np.isnan(large[:, 0]).all()
    assert np.isfinite(large[:-1, 1:]).all()


CALLS = [
    lambda f, a, b: f(a, b, dx=1, dy=2),
    lambda f, a, b: f(a[0], b[0]),
    lambda f, a, b: f(a[:0], b),
    lambda f, a, b: f(a[:0], b[:0], grid=False),
    lambda f, a, b: f(a * np.nan, b, grid=False),
    lambda f, a, b: f(a, b, dx=3),
    lambda f, a, b: f(a, b, dy=-1),
    lambda f, a, b: f.ev(a[:, None], b, dx=2),
    lambda f, a, b: f.ev(0.5, 0.25),
    lambda f, a, b: list(f.get_knots()),
    lambda f, a, b: f.get_coeffs(),
    lambda f, a, b: f.get_residual(),
    lambda f, a, b: list(f.degrees),
    lambda f, a, b: f.integral(0.1, 0.9, 0.3, 0.5),
    lambda f, a, b: f.integral(0.9, 0.1, 0.3, 2.5),
    lambda f, a, b: f.integral(-5, -4, 0, 1),
    lambda f, a, b: f.partial_derivative(1, 2)(a, b),
    lambda f, a, b: f.partial_derivative(0, 1)(a, b),
    lambda f, a, b: list(f.partial_derivative(2, 1).tck),
    lambda f, a, b: list(f.partial_derivative(2, 0).degrees),
    lambda f, a, b: f.partial_derivative(0, 0)(a, b),
    lambda f, a, b: f.partial_derivative(3, 0),
    lambda f, a, b: f.partial_derivative(0, -1),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls(number):
    near(
        lambda m, x, y, z, a, b: CALLS[number](m.RectBivariateSpline(x, y, z), a, b),
        X,
        Y,
        Z,
        AX,
        AY,
    )


REFUSED = [
    lambda m, x, y, z: m.RectBivariateSpline(x[::-1], y, z),
    lambda m, x, y, z: m.RectBivariateSpline(x, y, z[:3]),
    lambda m, x, y, z: m.RectBivariateSpline(x, y, z, s=-1),
    lambda m, x, y, z: m.RectBivariateSpline(x, y, z, bbox=[1, 2, 3]),
    lambda m, x, y, z: m.RectBivariateSpline(x, y, z, bbox=[0.9, None, None, None]),
    lambda m, x, y, z: m.SmoothBivariateSpline(x, y, z[0]),
    lambda m, x, y, z: m.SmoothSphereBivariateSpline(x * 9, x, x),
    lambda m, x, y, z: m.bisplrep(x, y, y),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_errors(number):
    near(REFUSED[number], X, Y, Z)


def test_more_errors():
    x = cp.asarray(X)
    for degree in (0, 6):
        with pytest.raises(ValueError, match="kx must be from 1 to 5"):
            ours.RectBivariateSpline(x, x, cp.zeros((12, 12)), kx=degree)
    with pytest.raises(ValueError, match="x must have 4 points"):
        ours.RectBivariateSpline(x[:3], x, cp.zeros((3, 12)))
    with pytest.raises(ValueError, match="real"):
        ours.RectBivariateSpline(x, x, cp.zeros((12, 12), "D"))
    with pytest.raises(AttributeError, match="residual"):
        ours.RectBivariateSpline(x, x, cp.zeros((12, 12))).partial_derivative(1, 0).get_residual()


FITS = [
    lambda m, x, y, z: m.SmoothBivariateSpline(x, y, z, s=3),
    lambda m, x, y, z: m.SmoothBivariateSpline(x, y, z, 1 + x, [0, 1, 0, 2], 2, 3, 9.0),
    lambda m, x, y, z: m.LSQBivariateSpline(x, y, z, [0.5], [0.3, 0.6]),
]


@pytest.mark.parametrize("number", range(len(FITS)))
def test_scattered_points(number):
    def values(m, p, a, b):
        f = FITS[number](m, *p)
        return [
            f(a, b),
            f.ev(a, b, 1, 1),
            f.get_residual(),
            f.integral(0, 1, 0, 0.5),
            *f.get_knots(),
        ]

    near(values, P, AX, AY, eps=1e-8)


def test_smoothing_on_a_grid():
    near(lambda m, x, y, z, a, b: m.RectBivariateSpline(x, y, z, s=20.0)(a, b), X, Y, Z, AX, AY)


SURFACES = [
    lambda m, p, a, b: m.bisplev(a, b, m.bisplrep(*p, s=5)),
    lambda m, p, a, b: m.bisplev(a, b[0], m.bisplrep(*p), 1, 2),
    lambda m, p, a, b: m.bisplev(a[0], b[0], m.bisplrep(*p)),
    lambda m, p, a, b: m.bisplev(a, b, m.bisplrep(*p), dx=3),
    lambda m, p, a, b: m.bisplev(a[None], b, m.bisplrep(*p)),
    lambda m, p, a, b: m.bisplrep(*p, full_output=1)[1:3],
    lambda m, p, a, b: m.bisplrep(*p, w=p[0] + 1, xb=0, xe=1, yb=0, ye=1, kx=2, s=4)[:5],
]


@pytest.mark.parametrize("number", range(len(SURFACES)))
def test_functions(number):
    near(SURFACES[number], P, AX, AY, eps=1e-8)


def test_surfaces_are_refused():
    with pytest.raises(ValueError, match="coefficients"):
        ours.bisplev(0.5, 0.5, ([0, 0, 1, 1], [0, 0, 1, 1], [1, 2, 3], 1, 1))
    with pytest.raises(ValueError, match="knots"):
        ours.bisplev(0.5, 0.5, ([0, 0, 1, 1], [0, 0, 1, 1], [1, 2, 3, 4], 3, 1))


def spheres(m, theta, phi, r, s, t):
    return {
        "grid": lambda: m.RectSphereBivariateSpline(theta, phi, r),
        "smooth grid": lambda: m.RectSphereBivariateSpline(theta, phi, r, 0.1),
        "knots": lambda: m.LSQSphereBivariateSpline(s, t, r.reshape(-1), [1.0, 2.0], [2.0, 4.0]),
        "points": lambda: m.SmoothSphereBivariateSpline(s, t, r.reshape(-1), s=9.0),
    }


ON_SPHERES = [
    lambda f, a, b: f(a, b),
    lambda f, a, b: f.ev(a, b[:5], 1, 1),
    lambda f, a, b: f.partial_derivative(1, 0)(a, b),
    lambda f, a, b: f(a + 1, b),
    lambda f, a, b: f(a, b, dtheta=3),
    lambda f, a, b: f(a, b - 9, grid=True)[:, 0],
    lambda f, a, b: [f.get_residual(), f.get_coeffs(), *f.get_knots()],
]


@pytest.mark.parametrize("name", ["grid", "smooth grid", "knots", "points"])
def test_spheres(name):
    inside = ANGLES[1] if "grid" in name else np.sort(abs(ANGLES[1])) / 2
    for call in ON_SPHERES:
        near(
            lambda m, *p, call=call: call(spheres(m, *p[:5])[name](), *p[5:]),
            THETA, PHI, R, *SCATTERED, ANGLES[0], inside, eps=1e-8,
        )  # fmt: skip

"""Legendre functions, spherical harmonics and spherical Bessel functions against SciPy and mpmath."""

import mpmath
import numpy as np
import pytest
import scipy.special

import gpunp as cp

DEGREES = np.arange(7)[:, None, None]
ORDERS = np.arange(-6, 7)[None, :, None]
INSIDE = np.array([-0.99, -0.5, 0.0, 0.3, 0.9, 1.3])
ANGLES = np.array([-0.5, 0.0, 0.1, 0.5, 1.57, 3.0, 4.0])


def close(actual, desired, limit=1e-12):
    """NaN in the same places, and errors relative to the largest neighbour along the last axis."""
    actual = cp.asnumpy(actual)
    assert actual.shape == desired.shape
    assert actual.dtype == desired.dtype
    with np.errstate(all="ignore"):
        largest = np.nanmax(np.abs(desired), axis=-1, keepdims=True, initial=0)
        largest = np.where(np.isfinite(largest), largest, 0)
        same = (actual == desired) | (np.isnan(actual) & np.isnan(desired))
        same |= np.abs(actual - desired) <= limit * (np.abs(desired) + 1e-2 * largest)
    assert same.all(), np.argwhere(~same)[:5]


def both(name, *args, **kwargs):
    """Our value and SciPy's."""
    device = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    with np.errstate(all="ignore"):
        desired = getattr(scipy.special, name)(*args, **kwargs)
    return getattr(cp.special, name)(*device, **kwargs), desired


@pytest.mark.parametrize("diff_n", [0, 1, 2])
class TestAgainstSciPy:
    def test_legendre_p(self, diff_n):
        close(*both("legendre_p", DEGREES[:, 0], INSIDE, diff_n=diff_n))

    @pytest.mark.parametrize("z", [INSIDE, INSIDE + 0.2j, INSIDE.astype("f"), INSIDE.astype("F")])
    def test_legendre_p_all(self, diff_n, z):
        single = z.dtype.char in "fF"
        close(*both("legendre_p_all", 5, z, diff_n=diff_n), 1e-5 if single else 1e-12)

    @pytest.mark.parametrize("norm", [False, True])
    @pytest.mark.parametrize("branch_cut", [2, 3])
    @pytest.mark.parametrize("shift", [0, 0.2j, -0.3j])
    def test_assoc_legendre_p(self, diff_n, norm, branch_cut, shift):
        options = {"norm": norm, "branch_cut": branch_cut, "diff_n": diff_n}
        close(*both("assoc_legendre_p", DEGREES, ORDERS, INSIDE + shift, **options))
        close(*both("assoc_legendre_p_all", 4, 3, INSIDE + shift, **options))

    def test_sph_legendre_p(self, diff_n):
        close(*both("sph_legendre_p", DEGREES, ORDERS, ANGLES, diff_n=diff_n))
        close(*both("sph_legendre_p_all", 4, 3, ANGLES, diff_n=diff_n))
        close(*both("sph_legendre_p_all", 2, -3, ANGLES, diff_n=diff_n))

    def test_sph_harm_y(self, diff_n):
        phi = np.linspace(-1, 7, ANGLES.size)
        for name, args in (("sph_harm_y", (DEGREES, ORDERS)), ("sph_harm_y_all", (4, 3))):
            ours, theirs = both(name, *args, ANGLES, phi, diff_n=diff_n)
            pairs = [(ours, theirs)] if diff_n == 0 else zip(ours, theirs, strict=True)
            for actual, desired in pairs:
                close(actual, desired)


def test_arguments_broadcast():
    assert cp.special.sph_harm_y_all(1, 1, cp.zeros((2, 1)), cp.zeros(3)).shape == (2, 3, 2, 3)
    assert cp.special.assoc_legendre_p_all(2, 1, 0.5, branch_cut=[2, 3]).shape == (1, 3, 3, 2)
    close(*both("assoc_legendre_p", 3, 1, 0.5, branch_cut=[2, 3]))


@pytest.mark.parametrize("order", [5, -5, 2**63 - 1, -(2**63)])
def test_orders_beyond_the_degree_are_zero(order):
    z = cp.array([0.5])
    for value in (
        cp.special.assoc_legendre_p(4, order, z),
        cp.special.sph_legendre_p(4, order, z),
        cp.special.sph_harm_y(4, order, z, z),
    ):
        assert (value == 0).all()


def test_high_orders_do_not_underflow():
    angle, x = 0.3, 0.5
    for n, m in ((150, 150), (400, 120), (1000, 600), (1500, -3)):
        with mpmath.workdps(60):
            exact = abs(mpmath.spherharm(n, abs(m), angle, 0))
        actual = abs(float(cp.special.sph_legendre_p(n, m, angle)[0]))
        assert actual == pytest.approx(float(exact), rel=1e-11), (n, m)
    factor = 1.0  # P of equal degree and order, over its size: a product of positive numbers
    for k in range(1, 401):
        factor *= np.sqrt((2 * k + 1) / (2 * k) * (1 - x * x))
    actual = float(cp.special.assoc_legendre_p(400, 400, x, norm=True)[0])
    assert actual == pytest.approx(np.sqrt(0.5) * factor, rel=1e-11)


def test_limits_at_the_ends():
    def ends(n, m):
        return cp.asnumpy(cp.special.assoc_legendre_p(n, m, cp.array([1.0, -1.0]), diff_n=2))

    np.testing.assert_array_equal(ends(3, 0), [[1, -1], [6, 6], [15, -15]])
    np.testing.assert_array_equal(ends(3, 1), [[0, 0], [np.inf, -np.inf], [np.inf, np.inf]])
    np.testing.assert_array_equal(ends(2, 2), [[0, 0], [-6, 6], [-6, -6]])
    np.testing.assert_array_equal(ends(4, 3)[:2], [[0, 0], [0, 0]])


def test_errors():
    special = cp.special
    with pytest.raises(ValueError, match="diff_n must be"):
        special.legendre_p(2, 0.5, diff_n=-1)
    with pytest.raises(NotImplementedError, match="orders 0, 1, and 2"):
        special.legendre_p(2, 0.5, diff_n=3)
    with pytest.raises(ValueError, match="orders 0, 1, and 2"):
        special.sph_harm_y(2, 1, 0.5, 0.5, diff_n=3)
    with pytest.raises(TypeError):
        special.legendre_p(2.0, 0.5)
    with pytest.raises(TypeError):
        special.legendre_p(2, 0.5j)
    with pytest.raises(TypeError, match="n must be"):
        special.legendre_p_all([2], 0.5)
    with pytest.raises(ValueError, match="n must be"):
        special.legendre_p_all(-1, 0.5)
    with pytest.raises(ValueError, match="m must be"):
        special.assoc_legendre_p_all(1, -1, 0.5)


@pytest.mark.parametrize("derivative", [False, True])
@pytest.mark.parametrize("kind", "jyik")
def test_spherical_bessel(kind, derivative):
    n = np.arange(-1, 7)[:, None]
    z = np.array([-30.0, -2.0, -0.5, 0.0, 0.5, 2.0, 30.0, np.inf, np.nan])
    name = f"spherical_{kind}n"
    actual, desired = both(name, n, z, derivative=derivative)
    actual = cp.asnumpy(actual)
    with np.errstate(all="ignore"):
        same = (actual == desired) | (np.isnan(actual) & np.isnan(desired))
        same |= np.abs(actual - desired) <= 1e-12 * np.abs(desired)
    if kind == "i" and derivative:
        same |= (z == np.inf) & (actual == np.inf)  # SciPy has NaN, a difference of infinities
    wrong = [(int(n[i, 0]), z[j], actual[i, j], desired[i, j]) for i, j in np.argwhere(~same)]
    assert not wrong


@pytest.mark.parametrize("kind", "jyik")
def test_types_of_spherical_bessel_functions(kind):
    for dtype in "bifdFD":
        actual, desired = both(f"spherical_{kind}n", np.array([0, 1, 2]), np.ones(3, dtype))
        assert actual.dtype == desired.dtype, dtype
        np.testing.assert_allclose(cp.asnumpy(actual), desired, rtol=1e-6)

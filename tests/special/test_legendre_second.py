"""Legendre functions of the second kind and sequences of Dn against SciPy, mpmath and their Wronskian."""

import mpmath
import numpy as np
import pytest
import scipy.special
from check import check

import gpunp as cp

REAL = [-3.0, -1.2, -0.7, 0.0, 0.3, 0.99, 1.01, 1.5, 40.0]
COMPLEX = [
    0.3 + 0.1j,
    -0.4 + 0.9j,
    1.1 + 0.5j,
    -3 - 4j,
    0.5 + 0j,
    -1.5 + 0j,
    2j,
    complex(-0.0, 2),
    -2j,
]


@pytest.mark.parametrize("values", [REAL, COMPLEX], ids=["real", "complex"])
@pytest.mark.parametrize("m", [0, 3])
def test_functions_are_scipys(values, m):
    z = np.array(values).reshape(3, 3)
    actual = cp.special.lqmn(m, 6, cp.asarray(z))
    for a, d in zip(actual, scipy.special.lqmn(m, 6, z), strict=True):
        assert a.dtype == d.dtype and a.shape == d.shape == (m + 1, 7, 3, 3)
        np.testing.assert_allclose(cp.asnumpy(a), d, rtol=2e-12)
    for a, b in zip(actual, cp.special.lqn(6, cp.asarray(z)), strict=True):
        assert cp.array_equal(a[0], b)


def exact(n, z):
    """Q of order 0 within the circle or outside of it, by the sum that ends."""
    inside = abs(z) <= 1
    log = mpmath.log((1 + z) / (1 - z) if inside else (z + 1) / (z - 1)) / 2
    rest = [mpmath.legendre(k - 1, z) * mpmath.legendre(n - k, z) / k for k in range(1, n + 1)]
    return mpmath.legendre(n, z) * log - mpmath.fsum(rest)


@pytest.mark.parametrize("z", [-0.999, 0.3, 1 + 1e-6, 1.02, 30.0, 0.6 + 0.2j, 1.02 + 0.1j, 5j])
def test_values_are_exact(z):
    values, slopes = cp.special.lqn(60, z)
    with mpmath.workdps(320):
        point = mpmath.mpmathify(z)
        for n in (0, 1, 2, 20, 60):
            value, before = exact(n, point), exact(n - 1, point) if n else mpmath.mpf(0)
            slope = (n * (point * value - before) if n else -1) / (point**2 - 1)
            assert abs(values[n].item() - value) <= 2e-13 * abs(value)
            assert abs(slopes[n].item() - slope) <= 2e-12 * abs(slope)


def test_values_at_one_and_at_infinity():
    for z, sign in [(1.0, 1), (-1.0, -1), (1 + 0j, 1)]:
        q, slope = (cp.asnumpy(r) for r in cp.special.lqn(2, z))
        np.testing.assert_array_equal(q.real, np.inf * np.array([sign, 1, sign]))
        np.testing.assert_array_equal(slope.real, np.inf * np.array([1, sign, 1]))
    for values in cp.special.lqmn(1, 2, np.inf):
        assert not cp.any(values)


def test_arguments_are_checked():
    for name, n in [("lqn", 2.5), ("lqn", -1), ("lqn", "a"), ("lqn", [1])]:
        check(lambda xp, f=name, n=n: getattr(special(xp), f)(n, xp.ones(2)))
    for m, n in [(-1, 2), (2, -1), ([1], 1)]:
        check(lambda xp, m=m, n=n: special(xp).lqmn(m, n, xp.ones(2) / 2))
    for n in (2.0, True, 0):
        check(lambda xp, n=n: special(xp).lqn(n, xp.ones(2) / 2)[0], ulp=4)
    check(lambda xp: special(xp).lqmn(1.5, 2.5, xp.zeros((0, 3)))[0])


def special(xp):
    return cp.special if xp is cp else scipy.special


@pytest.mark.parametrize("n, z", [(3, 0.5), (0, 1j), (-3, 0.5 + 2j), (1.0, 1)])
def test_parabolic_sequences_are_uploaded(n, z):
    for a, d in zip(cp.special.pbdn_seq(n, z), scipy.special.pbdn_seq(n, z), strict=True):
        assert isinstance(a, cp.ndarray)
        np.testing.assert_array_equal(cp.asnumpy(a), d)

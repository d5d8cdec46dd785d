"""The incomplete beta function of very large shapes, and mixtures of it."""

import numpy as np
import pytest
import scipy.special

import gpunp as cp

# a, b, x, and I_x(a, b) or its complement where that is smaller: integrals of the density by mpmath.
LARGE = [
    (2e10, 1.1e10, 0.6451449853508546, "betainc", 9.86831951507134e-10),
    (3e10, 2e12, 0.014778316654163718, "betainc", 0.4601729021467293),
    (5e12, 2e10, 0.9960159362268647, "betainc", 0.4996001233109592),
    (1e14, 3e14, 0.25000001082531753, "betaincc", 0.30853753390509936),
    (5e16, 5e16, 0.499999990513167, "betainc", 9.865876244990185e-10),
    (5e16, 5e16, 0.5, "betaincc", 0.5),
]


@pytest.mark.parametrize("a, b, x, name, wanted", LARGE)
def test_large_shapes(a, b, x, name, wanted):
    assert float(getattr(cp.special, name)(a, b, x)) == pytest.approx(wanted, rel=2e-14)
    both = cp.special.betainc(a, b, x) + cp.special.betaincc(a, b, x)
    assert float(both) == pytest.approx(1.0, rel=1e-15)


def test_noncentral_f_of_large_parameters():
    n = cp.asarray([1e13, 1e15, 1e16])
    values = cp.special.ncfdtr(5.0, n, n, n / 5).get()
    np.testing.assert_allclose(values, 0.5, atol=1e-6)
    f = cp.asarray([0.0, 1.0, 1e20])
    assert cp.special.ncfdtr(5.0, 10.0, 1e17, f).get()[:2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("a", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("b", [1e16, 1e17, 1e22, 1e100])
def test_shapes_beside_which_a_part_of_one_is_lost(a, b):
    """The limit is the incomplete gamma function of b x."""
    for product in (3.0, 25.0, 60.0):
        x = product / b
        below = cp.scipy.special.betainc(a, b, cp.asarray(x)).item()
        above = cp.scipy.special.betaincc(a, b, cp.asarray(x)).item()
        assert below == pytest.approx(scipy.special.gammainc(a, product), rel=1e-12)
        assert above == pytest.approx(scipy.special.gammaincc(a, product), rel=1e-12)


def test_no_success_in_very_many_trials():
    found = cp.scipy.special.bdtr(cp.asarray([0.0, 1.0]), 2.5e22, 1e-21).get()
    np.testing.assert_allclose(found, np.exp(-25) * np.array([1, 26]), rtol=1e-13)

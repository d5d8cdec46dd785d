"""Properties of spheroidal wave functions: Wronskians, values at 0, agreement of forms; the table of exact values."""

import mpmath
import numpy as np
import points_spheroidal
import pytest
import spheroidal_exact

import gpunp as cp

ours = cp.special
ORDERS = [(0, 0), (0, 3), (1, 1), (2, 6), (3, 20), (0, 50)]


def both(name, *arguments):
    """Value and slope; contiguous operands, whose kernels other tests compile too."""
    columns = np.broadcast_arrays(*arguments, np.empty(1))[:-1]
    operands = [cp.asarray(np.ascontiguousarray(column, float)) for column in columns]
    return [cp.asnumpy(r) for r in getattr(ours, name)(*operands)]


@pytest.mark.parametrize("side, c", [("pro", 0.3), ("pro", 25.0), ("obl", 0.3), ("obl", 25.0)])
def test_wronskian_of_radial_functions(side, c):
    m, n = (np.array(v, float)[:, None] for v in zip(*ORDERS, strict=True))
    x = np.array([1.0001, 1.1, 1.9, 3.0, 20.0])
    first, second = (both(f"{side}_rad{kind}", m, n, c, x) for kind in (1, 2))
    width = x**2 + (1 if side == "obl" else -1)
    wronskian = (first[0] * second[1] - first[1] * second[0]) * c * width
    np.testing.assert_allclose(wronskian, 1, rtol=2e-11)


def test_angular_functions_at_0_are_legendre_functions():
    for m, n, value, slope in [(0, 0, 1, 0), (0, 1, 0, 1), (1, 2, 0, 3), (2, 4, -7.5, 0)]:
        for name in ("pro_ang1", "obl_ang1"):
            for c in (0.0, 3.0, 80.0):
                actual = np.ravel(both(name, m, n, c, 0.0))
                np.testing.assert_allclose(actual, [value, slope], rtol=1e-13)


def test_forms_with_a_characteristic_value_agree():
    m, n, c, x = 1.0, 4.0, 5.0, np.array([0.3, 0.9, 1.2, 5.0])
    for side in ("pro", "obl"):
        value = float(getattr(ours, f"{side}_cv")(*map(cp.array, (m, n, c))))
        for name in (f"{side}_ang1", f"{side}_rad1", f"{side}_rad2"):
            for a, b in zip(
                both(name, m, n, c, x), both(f"{name}_cv", m, n, c, value, x), strict=True
            ):
                np.testing.assert_array_equal(a, b)


def test_values_far_outside_are_not_a_number():
    for arguments in [(0, 0, 1e5, 1.5), (0, 1e5, 1.0, 1.5), (0, 0, np.inf, 1.5), (0, 0, -1.0, 1.5)]:
        for name in ("pro_rad1", "pro_rad2", "obl_rad1", "obl_rad2"):
            assert np.isnan(both(name, *arguments)).all(), (name, arguments)


@pytest.mark.slow
def test_the_table_is_reproducible():
    lines = points_spheroidal.TABLE.read_text().splitlines()
    for line in lines[::25]:
        name, m, n, c, x, *numbers = line.split()
        values = spheroidal_exact.function(name)(int(float(m)), int(float(n)), float(c), float(x))
        with mpmath.workdps(30):
            for value, number in zip(values, numbers, strict=True):
                assert abs(value - mpmath.mpf(number)) <= 1e-18 * abs(value)

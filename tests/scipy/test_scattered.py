"""Interpolation of scattered points beside SciPy's."""

import numpy as np
import pytest
import scipy.interpolate as theirs
from signals import agree

import gpunp as cp
import gpunp.scipy.interpolate as ours

RNG = np.random.default_rng(8)
Y, D, AT = RNG.random((30, 2)), RNG.standard_normal((30, 3)), RNG.random((9, 2))
NAMES = ["linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric",
         "inverse_quadratic", "gaussian"]  # fmt: skip


def near(call, *arrays, eps=1e-7):
    """call(module, arrays...) gives the same with SciPy and here, or the same type of error."""
    device = [cp.asarray(a) for a in arrays]
    try:
        expected = call(theirs, *arrays)
    except Exception as error:
        with pytest.raises(type(error)):
            call(ours, *device)
        return
    agree(call(ours, *device), expected, eps)


@pytest.mark.parametrize("name", NAMES)
def test_radial_functions(name):
    near(lambda m, y, d, x: m.RBFInterpolator(y, d, kernel=name, epsilon=3.0)(x), Y, D, AT)
    near(
        lambda m, y, d, x: m.RBFInterpolator(y, d, 12, 0.1, name, 3.0)(x),
        Y, D + 1j, AT,
    )  # fmt: skip


CALLS = [
    lambda m, y, d, x: m.RBFInterpolator(y, d[:, 0])(x),
    lambda m, y, d, x: m.RBFInterpolator(y, d.reshape(30, 1, 3), degree=-1)(x),
    lambda m, y, d, x: m.RBFInterpolator(y[:, :1], d, kernel="linear", degree=2)(x[:, :1]),
    lambda m, y, d, x: m.RBFInterpolator(y, d, smoothing=abs(d[:, 0]))(x),
    lambda m, y, d, x: m.RBFInterpolator(y, d, neighbors=99)(x),
    lambda m, y, d, x: m.RBFInterpolator(y, d, neighbors=np.inf)(x),
    lambda m, y, d, x: m.RBFInterpolator(y, d)(x[:0]),
    lambda m, y, d, x: m.RBFInterpolator(y, d)(x[0]),
    lambda m, y, d, x: m.RBFInterpolator(y, d)(x[:, :1]),
    lambda m, y, d, x: m.RBFInterpolator(y, d[:5]),
    lambda m, y, d, x: m.RBFInterpolator(y[0], d),
    lambda m, y, d, x: m.RBFInterpolator(y[:2], d[:2]),
    lambda m, y, d, x: m.RBFInterpolator(y, d, kernel="other"),
    lambda m, y, d, x: m.RBFInterpolator(y, d, kernel="gaussian"),
    lambda m, y, d, x: m.RBFInterpolator(y, d, degree=-2),
    lambda m, y, d, x: m.NearestNDInterpolator(y, d)(x),
    lambda m, y, d, x: m.NearestNDInterpolator(y, d, rescale=True)(x * 3),
    lambda m, y, d, x: m.NearestNDInterpolator((y[:, 0], y[:, 1]), d)(x[:, 0], x[:, 1]),
    lambda m, y, d, x: m.NearestNDInterpolator(y, d)(x, distance_upper_bound=0.05),
    lambda m, y, d, x: m.NearestNDInterpolator(y[:, :1], d)(x[:, :1]),
    lambda m, y, d, x: m.NearestNDInterpolator(y, d)(x[:, :1]),
    lambda m, y, d, x: m.NearestNDInterpolator(y, d[:5]),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls(number):
    near(CALLS[number], Y, D, AT)


def test_degree_is_warned_of():
    for m, convert in ((theirs, np.asarray), (ours, cp.asarray)):
        with pytest.warns(UserWarning, match="should not be below 1"):
            m.RBFInterpolator(convert(Y), convert(D), degree=0)


def test_smoothing_has_a_number_for_each_point():
    with pytest.raises(ValueError, match="smoothing"):
        ours.RBFInterpolator(cp.asarray(Y), cp.asarray(D), smoothing=[1.0, 2.0])


@pytest.mark.parametrize("dtype", ["?", "i2", "f", "F"])
def test_type_of_nearest_values(dtype, rng):
    points, values = rng.random((9, 2)), np.arange(9).astype(dtype)
    at = rng.random((4, 2))
    desired = theirs.NearestNDInterpolator(points, values)(at)
    actual = ours.NearestNDInterpolator(cp.asarray(points), cp.asarray(values))(cp.asarray(at))
    assert actual.dtype == desired.dtype
    np.testing.assert_array_equal(actual.get(), desired)

"""Splines of rotations beside SciPy's."""

import numpy as np
import pytest
import scipy.spatial.transform as theirs

import gpunp as cp
import gpunp.scipy.spatial.transform as ours
from gpunp.scipy._borrowed import array_api_mode

RNG = np.random.default_rng(3)
TIMES = np.cumsum(RNG.uniform(0.3, 1, 8))
AT = np.concatenate((RNG.uniform(TIMES[0] - 0.2, TIMES[-1] + 0.2, 30), TIMES))


def turns(size, n=8):
    """Rotations by angles of some size, each from the one before."""
    steps = theirs.Rotation.from_rotvec(RNG.standard_normal((n, 3)) * size)
    made = [steps[0]]
    for step in steps[1:]:
        made.append(made[-1] * step)
    return theirs.Rotation.concatenate(made)


@pytest.mark.parametrize("size", [0.0, 1e-5, 0.02, 0.7])
def test_motions(size):
    rotations = turns(size)
    f, g = theirs.RotationSpline(TIMES, rotations), ours.RotationSpline(TIMES, rotations)
    at = cp.asarray(AT)
    for order in (1, 2):
        expected = f(AT, order)
        assert np.allclose(g(at, order).get(), expected, rtol=1e-8, atol=1e-9 * max(size, 1e-5))
    q, expected = g._motion(at, 0).get(), f(AT).as_quat()
    assert np.allclose(abs((q * expected).sum(axis=1)), 1, rtol=1e-13)
    assert g(at[0], 1).shape == (3,) and g(at[:0], 2).shape == (0, 3)


def test_two_rotations():
    rotations = turns(0.4, 2)
    f, g = (m.RotationSpline([0, 2], rotations) for m in (theirs, ours))
    assert np.allclose(g(cp.asarray(AT), 1).get(), f(AT, 1))


def test_rotations_of_the_device_need_the_mode():
    spline = ours.RotationSpline(TIMES, turns(0.4))
    if array_api_mode():
        assert isinstance(spline(cp.asarray(AT)).as_quat(), cp.ndarray)
        return
    with pytest.raises(RuntimeError, match="SCIPY_ARRAY_API"):
        spline(cp.asarray(AT))


def test_errors():
    rotations = turns(0.4)
    spline = ours.RotationSpline(TIMES, rotations)
    with pytest.raises(ValueError, match="order"):
        spline(1.0, 3)
    with pytest.raises(ValueError, match="1-D"):
        spline(cp.ones((2, 2)), 1)
    for times in (TIMES[::-1], TIMES[:3]):
        with pytest.raises(ValueError):
            ours.RotationSpline(times, rotations)

"""Smooth rotation through given orientations."""

import operator
from typing import Any

from ..._core import umath as um
from ..._core._convert import array_on_host, as_array, shown
from ..._core.fromnumeric import searchsorted
from ..._core.multiarray import array, ascontiguousarray, empty, ndarray
from ..._core.raw import ElementwiseKernel

__all__ = ["RotationSpline"]

# Rotation vectors are cubics in each interval; a rotation is the one at the begin of its interval,
# times the exponential of the vector. Rates and accelerations follow with the right Jacobian of the
# exponential (G. Chirikjian, Stochastic Models, Information Theory, and Lie Groups 2, 2012), whose
# factors are series for small angles.
_FUNCTIONS = """
__device__ void crossed(const double (&a)[3], const double (&b)[3], double (&made)[3])
{
    made[0] = a[1] * b[2] - a[2] * b[1];
    made[1] = a[2] * b[0] - a[0] * b[2];
    made[2] = a[0] * b[1] - a[1] * b[0];
}

// q times the exponential of a rotation vector p, as quaternions with the real part last.
__device__ void rotated(const double (&q)[4], const double (&p)[3], double angle, double (&made)[4])
{
    const double half = angle < 1e-3 ? 0.5 - angle * angle / 48 : sin(angle / 2) / angle;
    const double x = p[0] * half, y = p[1] * half, z = p[2] * half, w = cos(angle / 2);
    made[0] = q[3] * x + w * q[0] + q[1] * z - q[2] * y;
    made[1] = q[3] * y + w * q[1] + q[2] * x - q[0] * z;
    made[2] = q[3] * z + w * q[2] + q[0] * y - q[1] * x;
    made[3] = q[3] * w - q[0] * x - q[1] * y - q[2] * z;
}

__device__ void moved(const double (&p)[3], const double (&v)[3], const double (&a)[3],
                      double angle, bool accelerates, double (&made)[4])
{
    const double square = angle * angle, quartic = square * square, sine = sin(angle);
    const double versine = 2 * sin(angle / 2) * sin(angle / 2);
    const double f = angle < 1e-3 ? 0.5 - square / 24 : versine / square;
    const double g = angle < 1e-3 ? 1.0 / 6 - square / 120 : (angle - sine) / (square * angle);
    const double along = p[0] * v[0] + p[1] * v[1] + p[2] * v[2];
    const double df = along * (angle < 0.1 ? -1.0 / 12 + square / 180 - quartic / 6720
        : (angle * sine - 2 * versine) / quartic);
    const double dg = along * (angle < 0.1 ? -1.0 / 60 + square / 1260 - quartic / 60480
        : (3 * sine - 2 * angle - angle * (1 - versine)) / (quartic * angle));
    double pv[3], ppv[3], pa[3], ppa[3], vpv[3];
    crossed(p, v, pv);
    crossed(p, pv, ppv);
    crossed(p, a, pa);
    crossed(p, pa, ppa);
    crossed(v, pv, vpv);
    for (int k = 0; k < 3; k++) {
        const double rate = v[k] - f * pv[k] + g * ppv[k];
        const double more = a[k] - f * pa[k] - df * pv[k] + g * (vpv[k] + ppa[k]) + dg * ppv[k];
        made[k] = accelerates ? more : rate;
    }
}
"""
_MOTION = ElementwiseKernel(
    "float64 t, int64 at, raw float64 knots, raw float64 c, raw float64 begin, int64 n,"
    " int64 order",
    "raw float64 made",
    """
    const double s = t - knots[at];
    double p[3], v[3], a[3], q[4], result[4];
    for (int k = 0; k < 4; k++) q[k] = begin[at * 4 + k];
    for (int k = 0; k < 3; k++) {
        const double c3 = c[at * 3 + k], c2 = c[(n - 1 + at) * 3 + k];
        const double c1 = c[(2 * (n - 1) + at) * 3 + k], c0 = c[(3 * (n - 1) + at) * 3 + k];
        p[k] = ((c3 * s + c2) * s + c1) * s + c0;
        v[k] = (3 * c3 * s + 2 * c2) * s + c1;
        a[k] = 6 * c3 * s + 2 * c2;
    }
    const double angle = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (order == 0) rotated(q, p, angle, result);
    else moved(p, v, a, angle, order == 2, result);
    const int width = order == 0 ? 4 : 3;
    for (int k = 0; k < width; k++) made[i * width + k] = result[k];
    """,
    "rotation_spline",
    preamble=_FUNCTIONS,
)


class RotationSpline:
    """Rotation as a function of time, with continuous rate and acceleration, through given ones.

    SciPy makes the spline on the host, to which times and rotations are copied; it is evaluated on
    the device.

    Parameters
    ----------
    times : array_like
        Times in strictly increasing order, two or more.
    rotations : Rotation
        Rotations at the times, of the host or the device.

    Attributes
    ----------
    times : ndarray
        Times of the rotations.
    rotations : Rotation
        Rotations as they were given.

    Examples
    --------
    >>> import gpunp as cp
    >>> from scipy.spatial.transform import Rotation
    >>> from gpunp.scipy.spatial.transform import RotationSpline
    >>> turn = Rotation.from_euler("z", [[0.0], [90.0]], degrees=True)
    >>> RotationSpline([0, 1], turn)(cp.array([0.5]), 1).round(4)
    array([[0.    , 0.    , 1.5708]])
    """

    def __init__(self, times: Any, rotations: Any) -> None:
        from scipy.spatial.transform import Rotation
        from scipy.spatial.transform import RotationSpline as Scipys

        quaternions = array_on_host(rotations.as_quat())
        made = Scipys(array_on_host(times), Rotation.from_quat(quaternions))
        self.times, self.rotations = array(made.times.astype("d")), rotations
        self._c, self._begin = array(made.interpolator.c.copy()), array(quaternions)

    def _motion(self, times: Any, order: int) -> ndarray:
        """Quaternions for order 0, otherwise vectors."""
        times = as_array(times)
        if times.dtype.kind not in "biuf":
            raise ValueError(f"times must be real numbers, not {times.dtype}")
        if times.ndim > 1:
            raise ValueError(f"times must be a number or 1-D, not of shape {times.shape}")
        made = empty((*times.shape, 3 if order else 4))
        if times.size:
            t = ascontiguousarray(times.astype("d").reshape(-1))
            n = self.times.size
            at = um.clip(searchsorted(self.times, t, side="right") - 1, 0, n - 2)
            _MOTION(t, at, self.times, self._c, self._begin, n, order, made)
        return made

    def __call__(self, times: Any, order: int = 0) -> Any:
        """Evaluate the rotation, its rate or its acceleration.

        Parameters
        ----------
        times : array_like
            Times, a number or along an axis; those beyond the given ones extrapolate.
        order : int, optional
            0 for rotations, 1 for angular rates, 2 for angular accelerations.

        Returns
        -------
        Rotation or ndarray
            Rotations on the device, which need SciPy's array API mode; or vectors in the frame that
            turns, of shape (..., 3).
        """
        order = operator.index(order)
        if order not in (0, 1, 2):
            raise ValueError(f"order must be 0, 1 or 2, not {shown(order)}")
        if order:
            return self._motion(times, order)
        from .transform import Rotation

        return Rotation.from_quat(self._motion(times, 0))

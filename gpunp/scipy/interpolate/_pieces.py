"""What interpolators share: their types, checks of breakpoints, and the order of axes."""

from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, host_shape, normalize_axis_index, shown
from ..._core._ufunc_config import geterr
from ..._core.multiarray import array, ascontiguousarray, empty, ndarray
from .._host import to_host

# The last place from a on, before b, of those that a test holds for: it holds for all up to some
# place, and is not asked about the first one.
BISECT = """
template <class I, class F>
__device__ I bisect(I a, I b, F holds)
{
    for (I left = b - a; left > 1;) { // as many steps for all threads
        const I half = left >> 1;
        a += holds(a + half) ? half : 0;
        left -= half;
    }
    return a;
}

// The same for steps from `first` to `last`: at first where x is in equal ones, and beside.
template <class I, class F>
__device__ I find_place(I a, I b, double x, double first, double last, F holds)
{
    if (b - a < 2) return a;
    const float share = __fdividef(float(x - first), float(last - first));
    const I guess = a + I(fminf(share, 1) * float(b - a)); // infinity would leave the integers
    const I at = guess < a ? a : guess < b ? guess : b - 1;
    if (at > a && !holds(at)) {
        const bool is_next = at - 1 == a || holds(at - 1);
        a = is_next ? at - 1 : a;
        b = is_next ? at : at - 1;
    }
    else if (at == b - 1 || !holds(at + 1)) {
        a = at, b = at + 1;
    }
    else {
        const bool is_next = at + 2 == b || !holds(at + 2);
        a = is_next ? at + 1 : at + 2;
        b = is_next ? at + 2 : b;
    }
    return bisect(a, b, holds);
}
"""

# The interval of a number among ascending or descending breakpoints: the first and the last reach
# to infinity where values are extrapolated; otherwise, and for NaN, -1.
LOCATE = (
    BISECT
    + """
template <class A, class I>
__device__ I locate(A &t, I n, double x, bool extrapolate)
{
    const double first = t[0], last = t[n - 1];
    const bool up = first <= last;
    const double low = up ? first : last, high = up ? last : first;
    if (!(x >= low && x <= high) && !(extrapolate && x == x)) return -1;
    const auto is_before = [&](I k) { return up ? x >= t[k] : x <= t[k]; };
    return find_place(I(0), n - 1, x, first, last, is_before);
}
"""
)


def result_kind(dtype: np.dtype) -> np.dtype:
    """complex128 for complex values, float64 for all others."""
    return np.dtype("D" if dtype.kind == "c" else "d")


def as_values(a: Any) -> ndarray:
    """A device array of float64 or complex128, C-contiguous; one without axes stays so."""
    a = as_array(a)
    if a.dtype.kind not in "biufc":
        raise ValueError(f"values must be numbers, not {a.dtype}")
    return ascontiguousarray(a.astype(result_kind(a.dtype), copy=False)).reshape(a.shape)


def checks_values() -> bool:
    """Whether values of device arrays are to be checked, which waits for the device."""
    return geterr()["linalg"] != "ignore"


def as_points(x: Any, name: str = "x") -> tuple[ndarray, Any]:
    """Breakpoints as a device array of float64, and their differences for a check: on the host
    where they came from it, on the device otherwise, and None where nothing is to be checked."""
    if isinstance(x, ndarray):
        if x.dtype.kind not in "biuf":
            raise ValueError(f"{name} must be real numbers, not {x.dtype}")
        x = ascontiguousarray(x.astype("d", copy=False))
        return x, (um.subtract(x[1:], x[:-1]) if x.ndim == 1 and checks_values() else None)
    host = as_host(x)
    if host.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be real numbers, not {host.dtype}")
    host = host.astype("d")
    return array(host), (np.diff(host) if host.ndim == 1 else None)


def along_first(factors: Any, ndim: int) -> ndarray:
    """Numbers of the host or the device, one for each place of the first of so many axes."""
    return array(factors, copy=None).reshape((-1,) + (1,) * (ndim - 1))


def is_true(flags: Any) -> bool:
    """Whether all flags, of the host or the device, are set; waits for those of the device."""
    return bool(flags.all())


def leading(values: ndarray, axis: Any, count: int = 1) -> tuple[ndarray, int]:
    """The values with the axis of interpolation first, and that axis."""
    axis = normalize_axis_index(axis, values.ndim)
    return ascontiguousarray(um_moveaxis(values, axis)), axis


def um_moveaxis(values: ndarray, axis: int) -> ndarray:
    """The axis first, the others in their order."""
    return values.transpose((axis, *(k for k in range(values.ndim) if k != axis)))


def restored(result: ndarray, ndim: int, axis: int) -> ndarray:
    """Results whose first `ndim` axes are those of the points, put where `axis` was."""
    if axis == 0:
        return result
    order = list(range(result.ndim))
    return result.transpose(order[ndim : ndim + axis] + order[:ndim] + order[ndim + axis :])


def as_extrapolate(extrapolate: Any, default: Any = True) -> Any:
    """True, False or 'periodic'."""
    if extrapolate is None:
        return default
    if isinstance(extrapolate, str):
        if extrapolate != "periodic":
            raise ValueError(
                f"extrapolate must be True, False or 'periodic', not {shown(extrapolate)}"
            )
        return extrapolate
    return bool(extrapolate)


def as_evaluation_points(x: Any) -> ndarray:
    """Points at which an interpolator is evaluated, real numbers of any shape as float64."""
    x = as_array(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"points must be real numbers, not {x.dtype}")
    return x.astype("d", copy=False)


def as_places(xi: Any) -> ndarray:
    """Points in several variables: of an array, or of a tuple of coordinates that broadcast."""
    if not isinstance(xi, tuple):
        return as_evaluation_points(xi)
    rows = [as_evaluation_points(row) for row in xi]
    out = empty((*np.broadcast_shapes(*(row.shape for row in rows)), len(rows)))
    for k, row in enumerate(rows):
        out[..., k] = row
    return out


def as_bound(s: Any) -> Any:
    """The largest sum of squares of a smoothing spline, in host memory.

    For a NaN FITPACK's code writes behind the ends of its arrays.
    """
    s = to_host(s)
    if s is not None and s != s:
        raise ValueError("s must be a number, not NaN")
    return s


def as_box(bbox: Any, count: int) -> list:
    """Ends of the ranges that splines are defined on, in host memory; None for those of data."""
    box = bbox.ravel().get().tolist() if isinstance(bbox, ndarray) else bbox
    if host_shape(box) != (count,):
        raise ValueError(f"bbox shape should be ({count},), not {host_shape(box)}")
    return list(box)

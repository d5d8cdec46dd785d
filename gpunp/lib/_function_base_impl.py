"""Differences, angles, selection, insertion, windows: NumPy's `function_base`."""

import warnings
from typing import Any

import numpy as np
from numpy import iterable

from .._core import umath as um
from .._core._convert import NoValue, as_array, refuse_host
from .._core.fromnumeric import mean, ravel, searchsorted, sort, transpose
from .._core.multiarray import (
    arange,
    array,
    asarray,
    concatenate,
    copyto,
    empty_like,
    empty_ordered,
    ndarray,
    result_type,
    search_either,
    where,
    zeros,
)
from .._core.numeric import (
    full,
    full_like,
    normalize_axis_index,
    normalize_axis_tuple,
    ones,
    pi,
    zeros_like,
)
from ._stride_tricks_impl import broadcast_arrays

__all__ = [
    "angle",
    "append",
    "asarray_chkfinite",
    "average",
    "bartlett",
    "blackman",
    "copy",
    "corrcoef",
    "cov",
    "delete",
    "diff",
    "digitize",
    "extract",
    "flip",
    "gradient",
    "hamming",
    "hanning",
    "i0",
    "insert",
    "interp",
    "iterable",
    "kaiser",
    "meshgrid",
    "msort",
    "piecewise",
    "place",
    "rot90",
    "select",
    "sinc",
    "sort_complex",
    "trapezoid",
    "trapz",
    "trim_zeros",
    "unwrap",
]


# ---- rearranging -------------------------------------------------------------------------------


def flip(m, axis=None) -> ndarray:
    """View with the order of elements reversed along axes (None: all).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.flip(cp.arange(4).reshape(2, 2), 1)
    array([[1, 0],
           [3, 2]])
    """
    m = as_array(m)
    axes = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(m.ndim))]


def rot90(m, k=1, axes=(0, 1)) -> ndarray:
    """View rotated by 90 degrees `k` times in the plane of two axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.rot90(cp.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = as_array(m)
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    swapped = list(range(m.ndim))
    swapped[axes[0]], swapped[axes[1]] = swapped[axes[1]], swapped[axes[0]]
    if k == 1:
        return transpose(flip(m, axes[1]), swapped)
    return flip(transpose(m, swapped), axes[1])


def copy(a, order="K", subok=False) -> ndarray:
    """Copy of an array.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.zeros(2)
    >>> y = cp.copy(x)
    >>> y[0] = 1
    >>> x
    array([0., 0.])
    """
    return as_array(a).copy(order)


def asarray_chkfinite(a, dtype=None, order=None) -> ndarray:
    """`asarray`, or ValueError when there is a NaN or an infinity. Waits for that answer."""
    a = asarray(a, dtype, order)
    if a.dtype.kind in "fcV" and not bool(um.isfinite(a).all()):
        raise ValueError("array must not contain infs or NaNs")
    return a


def meshgrid(*xi, copy=True, sparse=False, indexing="xy") -> tuple[ndarray, ...]:
    """Coordinate arrays of a grid from coordinate vectors.

    With ``copy=False`` they are broadcast views; otherwise one launch fills each.

    Examples
    --------
    >>> import gpunp as cp
    >>> x, y = cp.meshgrid(cp.arange(3), cp.arange(2))
    >>> y
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    axes = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        axes[0], axes[1] = 1, 0
    views: Any = [
        as_array(x).reshape((1,) * axis + (-1,) + (1,) * (ndim - 1 - axis))
        for x, axis in zip(xi, axes, strict=True)
    ]
    if not sparse:
        views = broadcast_arrays(*views)
    return tuple(v.copy("C") for v in views) if copy else tuple(views)


def trim_zeros(filt, trim="fb", axis=None) -> ndarray:
    """View without the zeros at the front and back. Waits for where they are.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.trim_zeros(cp.array([0, 0, 1, 2, 0]))
    array([1, 2])
    """
    a = as_array(filt)
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim, "axis")
    truth = um.not_equal(a, 0)
    index: list[Any] = [slice(None)] * a.ndim
    for k in axes:
        others = tuple(j for j in range(a.ndim) if j != k)
        (hits,) = np.nonzero(truth.any(axis=others).get() if others else truth.get())
        if hits.size == 0:
            index[k] = slice(0, 0)
            continue
        first = int(hits[0]) if "f" in trim else None
        index[k] = slice(first, int(hits[-1]) + 1 if "b" in trim else None)
    return a[tuple(index)]


# ---- differences -------------------------------------------------------------------------------


def diff(a, n=1, axis=-1, prepend=NoValue, append=NoValue) -> ndarray:
    """n-th difference of neighbours along an axis. One launch for each difference.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.diff(cp.array([1, 2, 4, 7]))
    array([1, 2, 3])
    """
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    a = as_array(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    pieces = []
    for piece in (prepend, a, append):
        if piece is NoValue:
            continue
        piece = as_array(piece)
        if piece.ndim == 0:
            shape = list(a.shape)
            shape[axis] = 1
            piece = full(tuple(shape), piece, piece.dtype)
        pieces.append(piece)
    if len(pieces) > 1:
        a = concatenate(pieces, axis)
    before = (slice(None),) * axis
    operation = um.not_equal if a.dtype == np.bool_ else um.subtract
    for _ in range(n):
        a = operation(a[(*before, slice(1, None))], a[(*before, slice(None, -1))])
    return a


def gradient(f, *varargs, axis=None, edge_order=1):
    """Gradient by central differences inside and one-sided ones at the boundaries.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.gradient(cp.array([1.0, 2.0, 4.0, 7.0]))
    array([1. , 1.5, 2.5, 3. ])
    """
    f = as_array(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    spacing = _spacing(f, varargs, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind in "iu":
        f = f.astype(np.float64)
    results = []
    for ax, dx in zip(axes, spacing, strict=True):
        if f.shape[ax] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least "
                "(edge_order + 1) elements are required."
            )
        results.append(_gradient_along(f, dx, ax, edge_order))
    return results[0] if len(axes) == 1 else tuple(results)


def _spacing(f: ndarray, varargs: tuple[Any, ...], axes: tuple[int, ...]) -> list[Any]:
    """One scalar, or one array of differences, for each axis."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and np.ndim(_shape_only(varargs[0])) == 0:
        return [varargs[0]] * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    out: list[Any] = []
    for ax, given in zip(axes, varargs, strict=True):
        if np.ndim(_shape_only(given)) == 0:
            out.append(given)
            continue
        points = as_array(given)
        if points.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if len(points) != f.shape[ax]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        if points.dtype.kind in "iu":
            points = points.astype(np.float64)
        out.append(diff(points))
    return out


def _shape_only(x: Any) -> Any:
    """A host stand-in with the same number of dimensions."""
    return np.empty((0,) * x.ndim) if isinstance(x, ndarray) else x


def _gradient_along(f: ndarray, dx: Any, axis: int, edge_order: int) -> ndarray:
    even = not (isinstance(dx, ndarray) and dx.ndim)
    kind = f.dtype if f.dtype.kind in "fcV" else np.dtype(np.float64)
    out = empty_like(f, dtype=kind)

    def part(x: ndarray, *bounds: Any) -> ndarray:
        return x[(slice(None),) * axis + (slice(*bounds),)]

    middle = part(out, 1, -1)
    if even:
        middle[...] = (part(f, 2, None) - part(f, None, -2)) / (2.0 * dx)
    else:
        shape = [1] * f.ndim
        shape[axis] = -1
        left, right = dx[:-1], dx[1:]
        weights = (
            -right / (left * (left + right)),
            (right - left) / (left * right),
            left / (right * (left + right)),
        )
        a, b, c = (w.reshape(tuple(shape)) for w in weights)
        middle[...] = a * part(f, None, -2) + b * part(f, 1, -1) + c * part(f, 2, None)
    first, last = (dx, dx) if even else (dx[0], dx[-1])
    if edge_order == 1:
        part(out, 0, 1)[...] = (part(f, 1, 2) - part(f, 0, 1)) / first
        part(out, -1, None)[...] = (part(f, -1, None) - part(f, -2, -1)) / last
        return out
    if even:
        front = -1.5 / dx, 2.0 / dx, -0.5 / dx
        back = 0.5 / dx, -2.0 / dx, 1.5 / dx
    else:
        d1, d2 = dx[0], dx[1]
        front = -(2.0 * d1 + d2) / (d1 * (d1 + d2)), (d1 + d2) / (d1 * d2), -d1 / (d2 * (d1 + d2))
        d1, d2 = dx[-2], dx[-1]
        back = d2 / (d1 * (d1 + d2)), -(d2 + d1) / (d1 * d2), (2.0 * d2 + d1) / (d2 * (d1 + d2))
    a, b, c = front
    part(out, 0, 1)[...] = a * part(f, 0, 1) + b * part(f, 1, 2) + c * part(f, 2, 3)
    a, b, c = back
    part(out, -1, None)[...] = a * part(f, -3, -2) + b * part(f, -2, -1) + c * part(f, -1, None)
    return out


def trapezoid(y, x=None, dx=1.0, axis=-1) -> ndarray:
    """Integrate along an axis by the trapezoidal rule.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.trapezoid(cp.array([1.0, 2.0, 3.0]))
    array(4.)
    """
    y = as_array(y)
    if x is None:
        d: Any = dx
    else:
        x = as_array(x)
        if x.ndim == 1:
            shape = [1] * y.ndim
            d = diff(x)
            shape[axis] = d.shape[0]
            d = d.reshape(tuple(shape))
        else:
            d = diff(x, axis=axis)
    before = (slice(None),) * normalize_axis_index(axis, y.ndim)
    upper, lower = y[(*before, slice(1, None))], y[(*before, slice(None, -1))]
    return (d * (upper + lower) / 2.0).sum(axis)


def trapz(y, x=None, dx=1.0, axis=-1) -> ndarray:
    """Integrate along an axis by the trapezoidal rule: `trapezoid` by its former name."""
    return trapezoid(y, x, dx, axis)


# ---- angles, special functions -----------------------------------------------------------------


def digitize(x, bins, right=False) -> ndarray:
    """Return the indices of the bins to which each value belongs.

    Parameters
    ----------
    x : array_like
    bins : 1-d array_like
        Edges in ascending or descending order.
    right : bool, optional
        Whether a bin holds its upper edge instead of its lower one.

    Differences
    -----------
    Edges in a device array are taken to be in order: whether they are would wait for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.digitize(cp.array([0.2, 6.4, 3.0]), [0.0, 1.0, 2.5, 4.0, 10.0])
    array([1, 4, 3])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    side = "left" if right else "right"
    if not isinstance(bins, ndarray):
        refuse_host(bins, "bins")
        steps = np.asarray(bins)
        if steps.ndim != 1:
            raise ValueError("object of too small depth for desired array")
        ascends, descends = (steps[:-1] <= steps[1:]).all(), (steps[:-1] >= steps[1:]).all()
        if not (ascends or descends):
            raise ValueError("bins must be monotonically increasing or decreasing")
        if ascends:
            return searchsorted(asarray(steps), x, side)
        return steps.size - searchsorted(asarray(steps[::-1].copy()), x, side)
    if bins.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    return search_either(bins, x, not right)


def angle(z, deg=False) -> ndarray:
    """Angle of complex numbers, in radians or degrees.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.angle(cp.array([1.0, 1j, -1]), deg=True)
    array([  0.,  90., 180.])
    """
    z = as_array(z)
    y, x = (z.imag, z.real) if z.dtype.kind == "c" else (0, z)
    result = um.arctan2(y, x)
    return result * (180 / pi) if deg else result


def sinc(x) -> ndarray:
    """sin(pi x) / (pi x), and 1 at 0.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sinc(cp.array([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    x = as_array(x) * pi
    if x.dtype.kind not in "fcV":
        x = x.astype(np.float64)
    # In float16 a quotient near zero needs a representable step: NumPy takes the smallest one too.
    small = (
        np.finfo(x.real.dtype if x.dtype.kind == "c" else x.dtype).eps
        if x.dtype.kind != "V"
        else 0.01
    )
    y = where(um.equal(x, 0), x.dtype.type(small), x)
    return um.sin(y) / y


_I0_SMALL = [
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1,
]  # fmt: skip
_I0_LARGE = [
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
]  # fmt: skip


def _chebyshev(x: ndarray, coefficients: list[float]) -> ndarray:
    """Clenshaw's recurrence for a Chebyshev series (Cephes's `chbevl`)."""
    b0: Any = coefficients[0]
    b1: Any = 0.0
    b2: Any = 0.0
    for c in coefficients[1:]:
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + c
    return 0.5 * (b0 - b2)


def i0(x) -> ndarray:
    """Modified Bessel function of the first kind, order 0 (Cephes's Chebyshev series).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.i0(cp.array([0.0, 1.0]))
    array([1.        , 1.26606588])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    x = um.absolute(x)
    small = um.exp(x) * _chebyshev(x / 2.0 - 2, _I0_SMALL)
    large = um.exp(x) * _chebyshev(32.0 / um.maximum(x, 8.0) - 2.0, _I0_LARGE) / um.sqrt(x)
    return where(um.less_equal(x, 8.0), small, large)


# ---- windows -----------------------------------------------------------------------------------


def _window_points(M: Any) -> tuple[ndarray, float] | None:
    """The points 1 - M, 3 - M, ... M - 1 and M; None for windows of at most one point."""
    values = np.array([0.0, M])
    M = values[1]
    return None if M <= 1 else (arange(1 - M, M, 2, dtype=np.result_type(values.dtype, 0.0)), M)


def _short_window(M: Any) -> ndarray:
    dtype = np.result_type(np.array([0.0, M]).dtype, 0.0)
    return zeros(0, dtype) if M < 1 else ones(1, dtype)


def blackman(M) -> ndarray:
    """Blackman window of M points."""
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return 0.42 + 0.5 * um.cos(pi * n / (M - 1)) + 0.08 * um.cos(2.0 * pi * n / (M - 1))


def bartlett(M) -> ndarray:
    """Bartlett (triangular) window of M points."""
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return where(um.less_equal(n, 0), 1 + n / (M - 1), 1 - n / (M - 1))


def hanning(M) -> ndarray:
    """Hann window of M points.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.hanning(3)
    array([0., 1., 0.])
    """
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return 0.5 + 0.5 * um.cos(pi * n / (M - 1))


def hamming(M) -> ndarray:
    """Hamming window of M points."""
    points = _window_points(M)
    if points is None:
        return _short_window(M)
    n, M = points
    return 0.54 + 0.46 * um.cos(pi * n / (M - 1))


def kaiser(M, beta) -> ndarray:
    """Kaiser window of M points."""
    values = np.array([0.0, M, beta])
    M, beta = values[1], values[2]
    if M == 1:
        return ones(1, np.result_type(values.dtype, 0.0))
    n = arange(0, M)
    alpha = (M - 1) / 2.0
    return i0(beta * um.sqrt(1 - ((n - alpha) / alpha) ** 2.0)) / i0(float(beta))


# ---- choosing ----------------------------------------------------------------------------------


def select(condlist, choicelist, default=0) -> ndarray:
    """For each element the choice of the first condition that holds, else `default`.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.arange(5)
    >>> cp.select([x < 2, x > 2], [x, x * x], 42)
    array([ 0,  1, 42,  9, 16])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    weak = (int, float, complex)
    choices = [c if type(c) in weak else as_array(c) for c in (*choicelist, default)]
    try:
        dtype = result_type(*choices)
    except TypeError as error:
        raise TypeError(
            f"Choicelist and default value do not have a common dtype: {error}"
        ) from None
    conditions = [as_array(c) for c in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != np.bool_:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    arrays = [array(c, dtype, copy=None) for c in choices]
    shape = np.broadcast_shapes(*(a.shape for a in conditions), *(a.shape for a in arrays[:-1]))
    if len(conditions) == 1:
        shape = np.broadcast_shapes(shape, arrays[-1].shape)
    result = full(shape, arrays[-1], dtype)
    for condition, choice in zip(reversed(conditions), reversed(arrays[:-1]), strict=True):
        copyto(result, choice, where=condition)
    return result


def piecewise(x, condlist, funclist, *args, **kw) -> ndarray:
    """Evaluate functions where their conditions hold; a last extra one is for the rest.

    Notes
    -----
    Functions get the elements where their condition holds, whose number the host waits for.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([-2.0, 3.0])
    >>> cp.piecewise(x, [x < 0, x >= 0], [-1, 1])
    array([-1.,  1.])
    """
    x = as_array(x)
    if isinstance(condlist, (bool, np.bool_)) or (
        not isinstance(condlist[0], (list, ndarray)) and x.ndim != 0
    ):
        condlist = [condlist]
    conditions = [as_array(c).astype(bool, copy=False) for c in condlist]
    if len(conditions) == len(funclist) - 1:
        rest = ~conditions[0]
        for condition in conditions[1:]:
            rest &= ~condition
        conditions.append(rest)
    elif len(conditions) != len(funclist):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            copyto(y, function, casting="unsafe", where=condition)
            continue
        values = x[condition]
        if values.size > 0:
            y[condition] = function(values, *args, **kw)
    return y


def extract(condition, arr) -> ndarray:
    """Elements of an array where a condition holds. Waits for their number."""
    return ravel(as_array(arr))[ravel(as_array(condition)).astype(bool, copy=False)]


def place(arr, mask, vals) -> None:
    """Write values one after the other, repeatedly, where a mask holds."""
    if not isinstance(arr, ndarray):
        raise TypeError(f"argument 1 must be gpunp.ndarray, not {type(arr).__name__}")
    mask, vals = as_array(mask).astype(bool, copy=False), as_array(vals).ravel()
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    count = int(mask.sum())
    if count == 0:
        return
    if vals.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    copies = -(-count // vals.size)
    arr[mask.reshape(arr.shape)] = concatenate((vals,) * copies)[:count].astype(
        arr.dtype, copy=False
    )


def average(a, axis=None, weights=None, returned=False, *, keepdims=NoValue):
    """Weighted average along axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.average(cp.array([1.0, 3.0]), weights=cp.array([3.0, 1.0]))
    array(1.5)
    """
    a = as_array(a)
    keep = {} if keepdims is NoValue else {"keepdims": keepdims}
    axes = None if axis is None else normalize_axis_tuple(axis, a.ndim, "axis")
    if weights is None:
        avg = mean(a, axes, **keep)
        scale: Any = avg.dtype.type(a.size / avg.size) if avg.size else avg.dtype.type(0)
    else:
        w = _weights(a, as_array(weights), axes)
        integer = a.dtype.kind in "iub"
        dtype = (
            np.result_type(a.dtype, w.dtype, "f8") if integer else np.result_type(a.dtype, w.dtype)
        )
        scale = w.sum(axis=axes, dtype=dtype, **keep)
        if bool(um.equal(scale, 0.0).any()):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        avg = um.multiply(a, w, dtype=dtype).sum(axis=axes, **keep) / scale
    if not returned:
        return avg
    return avg, full_like(avg, scale) if not isinstance(
        scale, ndarray
    ) or scale.shape != avg.shape else scale


def _weights(a: ndarray, w: ndarray, axes: tuple[int, ...] | None) -> ndarray:
    """The weights with a's number of dimensions."""
    if w.shape == a.shape:
        return w
    if axes is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if w.shape != tuple(a.shape[ax] for ax in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    w = w.transpose(sorted(range(len(axes)), key=axes.__getitem__))
    return w.reshape(tuple(n if ax in axes else 1 for ax, n in enumerate(a.shape)))


# ---- inserting and deleting --------------------------------------------------------------------


def sort_complex(a) -> ndarray:
    """Sort by real part, then imaginary part, and return complex numbers.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sort_complex(cp.array([5, 3, 6]))
    array([3.+0.j, 5.+0.j, 6.+0.j])
    """
    a = sort(as_array(a))
    if a.dtype.kind == "c":
        return a
    return a.astype("F" if a.dtype.char in "bhBH" else "D")


def msort(a) -> ndarray:
    """Return a copy sorted along the first axis (NumPy's before 2.0, and CuPy's)."""
    return sort(a, axis=0)


def append(arr, values, axis=None) -> ndarray:
    """Copy of an array with values joined at its end.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.append(cp.array([1, 2]), cp.array([3]))
    array([1, 2, 3])
    """
    arr, values = as_array(arr), as_array(values)
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), arr.ndim - 1 if arr.ndim == 1 else 0
    return concatenate((arr, values), axis)


def _runs(keep: np.ndarray[Any, Any]) -> list[tuple[int, int]]:
    """Half-open runs of true elements."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], keep.astype(np.int8), [0]))))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _host_indices(obj: Any, n: int) -> np.ndarray[Any, Any]:
    """`obj` (int, slice, list, array, bool mask) as host indices or a mask."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(n), dtype=np.intp)
    host = obj.get() if isinstance(obj, ndarray) else np.asarray(obj)
    if host.size == 0 and not isinstance(obj, (np.ndarray, ndarray)):
        host = host.astype(np.intp)
    return host


def _ordered(arr: ndarray, shape: list[int]) -> ndarray:
    perm = list(range(arr.ndim - 1, -1, -1)) if arr.flags.fnc else None
    return empty_ordered(shape, arr.dtype, perm)


def delete(arr, obj, axis=None) -> ndarray:
    """Copy of an array without some positions along an axis (None: of the flattened array).

    Notes
    -----
    Positions are wanted on the host: a device array of them is copied back. One launch for each
    run of elements that stay.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.delete(cp.arange(5), [1, 3])
    array([0, 2, 4])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    n = arr.shape[axis]
    host = _host_indices(obj, n)
    keep = np.ones(n, bool)
    if host.dtype == bool and host.ndim:
        if host.shape != (n,):
            raise ValueError(
                "boolean array argument `obj` to delete must be one-dimensional and match the "
                f"axis length of {n}"
            )
        keep = ~host
    else:
        if host.ndim == 0 and host.dtype.kind in "iu" and not -n <= int(host) < n:
            raise IndexError(f"index {int(host)} is out of bounds for axis {axis} with size {n}")
        keep[host] = False
    runs = _runs(keep)
    shape = list(arr.shape)
    shape[axis] = int(keep.sum())
    out = _ordered(arr, shape)
    before, at = (slice(None),) * axis, 0
    for start, stop in runs:
        out[(*before, slice(at, at + stop - start))] = arr[(*before, slice(start, stop))]
        at += stop - start
    return out


def insert(arr, obj, values, axis=None) -> ndarray:
    """Copy of an array with values inserted before positions along an axis.

    Notes
    -----
    Positions are wanted on the host: a device array of them is copied back. One launch for each
    run of old elements and each run of new ones.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.insert(cp.arange(4), 2, 9)
    array([0, 1, 9, 2, 3])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    n = arr.shape[axis]
    host = _host_indices(obj, n)
    if host.dtype == bool:
        if host.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        host = np.flatnonzero(host)
    elif host.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if host.size and host.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    host = host.astype(np.intp)
    refuse_host(values)
    new = array(values, arr.dtype, copy=None, ndmin=arr.ndim)
    if host.size == 1 and (host.ndim == 0 or isinstance(obj, slice) or host.ndim == 1):
        index = int(host.reshape(-1)[0])
        if not -n <= index <= n:
            raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {n}")
        if host.ndim == 0 and np.ndim(_shape_only(values)) != 0:
            # A scalar position: the first axis of the values runs along the insertion.
            new = _move_first_axis(new, axis)
        where_to = np.full(new.shape[axis], index + n if index < 0 else index)
    else:
        where_to = np.where(host < 0, host + n, host).reshape(-1)
        bad = (host < -n) | (host > n)
        if bad.any():
            raise IndexError(
                f"index {int(host[bad][0])} is out of bounds for axis {axis} with size {n}"
            )
    count = len(where_to)
    order = where_to.argsort(kind="mergesort")
    slots = where_to.copy()
    slots[order] += np.arange(count)
    shape = list(arr.shape)
    shape[axis] += count
    out = _ordered(arr, shape)
    old = np.ones(shape[axis], bool)
    old[slots] = False
    before, at = (slice(None),) * axis, 0
    for start, stop in _runs(old):
        out[(*before, slice(start, stop))] = arr[(*before, slice(at, at + stop - start))]
        at += stop - start
    _insert_values(out, new, slots, axis)
    return out


def _move_first_axis(new: ndarray, axis: int) -> ndarray:
    order = list(range(1, new.ndim))
    order.insert(axis, 0)
    return new.transpose(order)


def _insert_values(out: ndarray, new: ndarray, slots: np.ndarray[Any, Any], axis: int) -> None:
    """Write the new values to their slots, a run of consecutive slots at a time."""
    before, k = (slice(None),) * axis, 0
    single = new.shape[axis] == 1
    if not single and new.shape[axis] != len(slots):
        raise ValueError(
            f"shape mismatch: value array of shape {new.shape} could not be broadcast to indexing "
            f"result of {len(slots)} positions"
        )
    while k < len(slots):
        stop = k + 1
        while stop < len(slots) and slots[stop] == slots[stop - 1] + 1:
            stop += 1
        source = new if single else new[(*before, slice(k, stop))]
        out[(*before, slice(int(slots[k]), int(slots[stop - 1]) + 1))] = source
        k = stop


# ---- statistics of variables ---------------------------------------------------------------------


def _frequency_weights(weights: Any, n: int) -> ndarray:
    """Whole, one for each of n observations, none below 0 (which waits for the device)."""
    given = as_array(weights)
    values = given.astype(float)
    if not bool((values == um.rint(values)).all()):
        raise TypeError("fweights must be integer")
    return _observation_weights(values, n, "fweights")


def _observation_weights(values: ndarray, n: int, name: str) -> ndarray:
    if values.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if values.shape[0] != n:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if bool((values < 0).any()):
        raise ValueError(f"{name} cannot be negative")
    return values


def _variables(m: Any, rowvar: bool, dtype: Any) -> ndarray:
    """At least two axes, one row for each variable."""
    x = array(m, ndmin=2, dtype=dtype, copy=None)
    return x.T if not rowvar and as_array(m).ndim != 1 else x


def cov(
    m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None
) -> ndarray:
    """Covariance matrix of variables, which are rows of `m` (and of `y`).

    Notes
    -----
    Weights are checked, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cov(cp.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = as_array(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    y = None if y is None else as_array(y)
    if y is not None and y.ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    if dtype is None:
        dtype = result_type(m, np.float64) if y is None else result_type(m, y, np.float64)
    x = _variables(m, rowvar, dtype)
    if x.shape[0] == 0:
        return zeros((0, 0), dtype)
    if y is not None:
        x = concatenate((x, _variables(y, rowvar, dtype)), axis=0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    w = None if fweights is None else _frequency_weights(fweights, x.shape[1])
    if aweights is not None:
        a = _observation_weights(as_array(aweights).astype(float), x.shape[1], "aweights")
        w, both = (a, a) if w is None else (w * a, a)
    mean, total = average(x, axis=1, weights=w, returned=True)
    total = total[0]
    if w is None:
        freedom: Any = x.shape[1] - ddof
    elif ddof == 0:
        freedom = float(total)
    elif aweights is None:
        freedom = float(total - ddof)
    else:
        freedom = float(total - ddof * (w * both).sum() / total)
    if freedom <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        freedom = 0.0
    x = x - mean[:, None]
    right = (x if w is None else x * w).T
    c = um.matmul(x, um.conjugate(right) if right.dtype.kind == "c" else right)
    with np.errstate(divide="ignore"):
        um.multiply(c, np.true_divide(1, np.float64(freedom)), out=c)
    return c.squeeze()


def corrcoef(x, y=None, rowvar=True, *, dtype=None) -> ndarray:
    """Pearson's correlation coefficients of variables.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.corrcoef(cp.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = um.sqrt(c.diagonal().real)
    c = c / deviation[:, None] / deviation
    um.clip(c.real, -1, 1, out=c.real)
    if c.dtype.kind == "c":
        um.clip(c.imag, -1, 1, out=c.imag)
    return c


# ---- lines between points, and turns -------------------------------------------------------


def interp(x, xp, fp, left=None, right=None, period=None) -> ndarray:
    """Piecewise linear interpolation through the points (xp, fp), at x. One launch.

    `xp` must ascend, unless `period` is given.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.interp(cp.array([0.5, 2.5]), cp.array([0, 1, 2]), cp.array([0.0, 10.0, 20.0]))
    array([ 5., 20.])
    """
    x, xp, fp = as_array(x), as_array(xp), as_array(fp)
    kind = np.complex128 if fp.dtype.kind == "c" else np.float64
    xs, points = (asarray(v, np.float64, "C") for v in (x, xp))
    values = asarray(fp, kind, "C")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        if points.ndim != 1 or values.ndim != 1:
            raise ValueError("Data points must be 1-D sequences")
        if points.size != values.size:
            raise ValueError("fp and xp are not of the same length")
        period, left, right = abs(period), None, None
        xs, points = xs % period, points % period
        order = points.argsort()
        points, values = points[order], values[order]
        points = concatenate((points[-1:] - period, points, points[:1] + period))
        values = concatenate((values[-1:], values, values[:1]))
    if points.ndim > 1 or values.ndim > 1:
        raise ValueError("object too deep for desired array")
    if points.size == 0:
        raise ValueError("array of sample points is empty")
    if points.size != values.size:
        raise ValueError("fp and xp are not of the same length.")
    ends = [
        values[i : i + 1 or None] if end is None else asarray(end, kind, "C")
        for i, end in ((0, left), (-1, right))
    ]
    return um.interp(xs, points.ravel(), values.ravel(), *ends)


def unwrap(p, discont=None, axis=-1, *, period=2 * pi) -> ndarray:
    """Phases with jumps of more than half a period replaced by their complements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.unwrap(cp.array([0, 1, 2, -1, 0]), period=4)
    array([0, 1, 2, 3, 4])
    """
    p = as_array(p)
    axis = normalize_axis_index(axis, p.ndim)
    step = diff(p, axis=axis)
    if discont is None:
        discont = period / 2
    dtype = np.result_type(step.dtype, period)
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        ambiguous = rest == 0
    else:
        high, ambiguous = period / 2, True
    low = -high
    wrapped = um.remainder(step - low, period) + low
    if ambiguous:
        copyto(wrapped, high, where=(wrapped == low) & (step > 0))
    correction = wrapped - step
    copyto(correction, 0, where=abs(step) < discont)
    up = p.astype(dtype)
    if not up.shape[axis]:
        return up
    later = (slice(None),) * axis + (slice(1, None),)
    up[later] = p[later] + correction.cumsum(axis)
    return up

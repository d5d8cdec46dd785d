"""Splines through the elements of an image: their coefficients, their values at other places."""

import inspect
import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, number_on_host, per_axis
from ..._core._filters import interpolate
from ..._core._filters import spline_filter as filter_axis
from ..._core._warnings import warn
from ..._core.multiarray import arange, asarray, empty, ndarray, shares_memory, zeros
from ...jit._elementwise import elementwise_kernel
from ...jit._types import Const
from ._ni_support import axis_of, loop_type, new_output, numbers, sequence, through

__all__ = [
    "affine_transform",
    "geometric_transform",
    "map_coordinates",
    "rotate",
    "shift",
    "spline_filter",
    "spline_filter1d",
    "zoom",
]

# How the spline continues beyond the ends in each mode, as the rules of kernels are called. In the
# modes of PADDED the image is continued by so many elements first, as SciPy does.
SPLINE_RULES = {
    "constant": "mirror",
    "grid-constant": "mirror",
    "nearest": "reflect",
    "reflect": "reflect",
    "grid-mirror": "reflect",
    "mirror": "mirror",
    "wrap": "mirror",
    "grid-wrap": "wrap",
}
PADDED = {"nearest": "nearest", "grid-constant": "constant"}
PADDING = 12

# Coordinates of so many elements are in memory at once, where a function computes them.
SLAB = 1 << 22

# Sums of more neighbours than this are taken axis by axis, where the axes can be separated.
MANY_NEIGHBOURS = 36


# ---- arguments -----------------------------------------------------------------------------------


def _image(input: Any) -> ndarray:
    a = numbers(as_array(input))
    if a.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    return a


def _order(order: Any, least: int = 0) -> int:
    if order not in range(least, 6):
        raise RuntimeError("spline order not supported")
    return int(order)


def _check_mode(mode: Any) -> None:
    if not isinstance(mode, str) or mode not in SPLINE_RULES:
        raise RuntimeError("boundary mode not supported")


def _constant(cval: Any, loop: np.dtype) -> Any:
    cval = number_on_host(cval)
    if isinstance(cval, complex) and loop.kind != "c":
        raise TypeError(f"cval is complex, the image is not: {cval}")
    return cval


# ---- coefficients --------------------------------------------------------------------------------


def _spline_step(order: int, axis: int, mode: str):
    """The step of `through` that computes coefficients along an axis."""

    def step(source: ndarray, target: ndarray) -> None:
        loop = loop_type(source.dtype, target.dtype)
        rule = SPLINE_RULES[mode]
        filter_axis(source, target, axis, order, rule, 0, "nearest", 0, loop)

    return step


def spline_filter1d(input, order=3, axis=-1, output=np.float64, mode="mirror") -> ndarray:
    """Compute the coefficients of the spline through the elements along an axis.

    Parameters
    ----------
    input : ndarray
        Image of one dimension or more.
    order : int, optional
        Order of the spline, 0 to 5. The elements are their own coefficients for 0 and 1.
    axis : int, optional
        Axis along which the coefficients are computed.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type.
    mode : {'mirror', 'reflect', 'grid-mirror', 'grid-wrap', 'constant', 'grid-constant', \
'nearest', 'wrap'}, optional
        How lines continue beyond their ends: ``d c b | a b c d | c b a`` for 'mirror', 'constant',
        'grid-constant' and 'wrap'; ``d c b a | a b c d | d c b a`` for 'reflect', 'grid-mirror' and
        'nearest'; ``a b c d | a b c d | a b c d`` for 'grid-wrap'.

    Returns
    -------
    ndarray
        Coefficients, an array of the shape of `input`.

    Raises
    ------
    RuntimeError
        If `order`, `mode` or the shape of `output` is wrong.

    See Also
    --------
    scipy.ndimage.spline_filter1d

    Notes
    -----
    Coefficients are computed in float32 if both types are float32 or smaller floats, otherwise in
    float64. Each depends on the elements of its neighbourhood alone, up to the rounding error.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.spline_filter1d(cp.array([0., 0., 6., 0., 0.])).round(2)
    array([ 1.5, -3. , 10.5, -3. ,  1.5])
    """
    a = numbers(as_array(input))
    order = _order(order)
    axis = axis_of(axis, a.ndim)
    _check_mode(mode)
    out = new_output(output, a, a.dtype.kind == "c")
    if order < 2:
        out[...] = a
        return out
    return through(a, out, [_spline_step(order, axis, mode)])


def spline_filter(input, order=3, output=np.float64, mode="mirror") -> ndarray:
    """Compute the coefficients of the spline through the elements of an image.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    order : int, optional
        Order of the spline, 2 to 5.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type. Between two axes, too, the coefficients
        have this type.
    mode : {'mirror', 'reflect', 'grid-mirror', 'grid-wrap', 'constant', 'grid-constant', \
'nearest', 'wrap'}, optional
        How the image continues beyond its ends; see `spline_filter1d`.

    Returns
    -------
    ndarray
        Coefficients, an array of the shape of `input`.

    Raises
    ------
    RuntimeError
        If `order`, `mode` or the shape of `output` is wrong.

    See Also
    --------
    spline_filter1d : Coefficients along one axis.
    scipy.ndimage.spline_filter

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> a = cp.arange(12.).reshape(3, 4)
    >>> c = ndimage.spline_filter(a, order=3)
    >>> cp.allclose(ndimage.shift(c, 1, prefilter=False)[1:, 1:], a[:-1, :-1])
    array(True)
    """
    a = numbers(as_array(input))
    order = _order(order, 2)
    _check_mode(mode)
    out = new_output(output, a, a.dtype.kind == "c")
    if a.ndim == 0:
        out[...] = a
        return out
    return through(a, out, [_spline_step(order, axis, mode) for axis in range(a.ndim)])


def _coefficients(a: ndarray, axes: Iterable[int], task: "_Task") -> tuple[ndarray, int]:
    """What is interpolated, C-contiguous, and by how much it is padded along the axes."""
    if not task.is_filtered:
        return a if a.flags.c_contiguous else a.copy("C"), 0
    pad_rule = PADDED.get(task.mode, "nearest")
    pad = PADDING if task.mode in PADDED else 0
    a = a if a.flags.c_contiguous else a.copy("C")
    for axis in axes:
        shape = tuple(n + 2 * pad * (i == axis) for i, n in enumerate(a.shape))
        target = empty(shape, task.loop)
        rule = SPLINE_RULES[task.mode]
        filter_axis(a, target, axis, task.order, rule, pad, pad_rule, task.cval, task.loop)
        a = target
    return a, pad


# ---- values --------------------------------------------------------------------------------------


class _Task:
    """What all functions that interpolate have in common: checked arguments, the output."""

    def __init__(self, a: ndarray, output: Any, shape: tuple, options: tuple) -> None:
        order, mode, cval, prefilter = options
        self.order = _order(order)
        _check_mode(mode)
        if len(shape) < 1:
            raise RuntimeError("input and output rank must be > 0")
        self.image = a
        self.output = new_output(output, a, a.dtype.kind == "c", shape)
        self.mode = "reflect" if mode == "grid-mirror" else mode
        self.loop = loop_type(a.dtype, self.output.dtype)
        self.cval = _constant(cval, self.loop)
        self.is_filtered = bool(prefilter) and self.order > 1

    def run(self, axes: Sequence[int], kind: str, rows: Any, coordinates: Any = None) -> ndarray:
        """Interpolate along axes, at coordinates or at what rows of numbers make of indices.

        Coordinates are an array, or a function that gives those from one index of the first axis to
        another.
        """
        a, output = self.image, self.output
        if not output.size:
            return output
        if not a.size:
            output[...] = self.cval
            return output
        is_direct = output.flags.c_contiguous and not shares_memory(a, output)
        target = output if is_direct else empty(output.shape, output.dtype)
        source, pad = _coefficients(a, axes, self)
        if kind in ("zoom", "grid") and self._is_better_separated(axes):
            self._along_axes(source, target, axes, kind, rows, pad)
        elif callable(coordinates):
            for start, end in _slabs(target.shape):
                part = target[start:end]
                self._launch(source, part, axes, kind, rows, pad, coordinates(start, end))
        else:
            self._launch(source, target, axes, kind, rows, pad, coordinates)
        if target is not output:
            output[...] = target
        return output

    def _launch(self, source, target, axes, kind, rows, pad, coordinates=None) -> None:
        flat = tuple(float(x) for row in rows for x in row)
        args = kind, flat, self.order, self.mode, pad, self.cval, self.loop
        interpolate(source, target, coordinates, tuple(axes), *args)

    def _is_better_separated(self, axes: Sequence[int]) -> bool:
        """Whether sums axis by axis are fewer, and what lies outside stays exactly `cval`."""
        is_exact = self.cval == 0 or self.mode not in ("constant", "grid-constant")
        return is_exact and len(axes) > 1 and (self.order + 1) ** len(axes) > MANY_NEIGHBOURS

    def _along_axes(self, source, target, axes, kind, rows, pad) -> None:
        """One axis after the other, those first that shrink."""
        by_growth = sorted(
            zip(axes, rows, strict=True), key=lambda p: target.shape[p[0]] / source.shape[p[0]]
        )
        for left, (axis, row) in zip(range(len(axes) - 1, -1, -1), by_growth, strict=True):
            n = target.shape[axis]
            shape = source.shape[:axis] + (n,) + source.shape[axis + 1 :]
            part = empty(shape, self.loop) if left else target
            self._launch(source, part, [axis], kind, [row], pad)
            source = part


def _slabs(shape: tuple[int, ...]) -> Iterable[tuple[int, int]]:
    """Ranges of the first axis that have few enough elements for their coordinates to be stored."""
    step = max(1, SLAB // math.prod(shape[1:]))
    return ((start, min(start + step, shape[0])) for start in range(0, shape[0], step))


def _zoom_and_shift(task: _Task, kind: str, zooms: Sequence, shifts: Sequence) -> ndarray:
    """Interpolate at (index + shift) * zoom; axes along which nothing changes are left out."""
    a, out = task.image, task.output
    axes = [
        i
        for i in range(a.ndim)
        if not (zooms[i] == 1 and shifts[i] == 0 and a.shape[i] == out.shape[i])
    ]
    return _of_axes(task, kind, axes, [(zooms[i], shifts[i]) for i in axes])


def _of_axes(task: _Task, kind: str, axes: list[int], rows: list) -> ndarray:
    """Interpolate along some axes; along none of them the elements are copied, and rounded."""
    if not axes:
        task.order, task.is_filtered = 0, False
        return task.run([task.image.ndim - 1], "zoom", [(1, 0)])
    return task.run(axes, kind, rows)


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True) -> ndarray:
    """Shift an image by any distance, with splines between its elements.

    Parameters
    ----------
    input : ndarray
        Image of one dimension or more.
    shift : float or sequence of floats
        Distance along each axis, in elements; one for all axes, or one for each.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    order : int, optional
        Order of the spline, 0 to 5: 0 is the nearest element, 1 is linear, 3 is cubic.
    mode : {'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', \
'grid-wrap', 'wrap'}, optional
        What stands beyond the ends. 'constant' is `cval` at places outside of the image, without
        interpolation across its edge; 'grid-constant' continues the elements by `cval`; 'nearest'
        repeats the last element; 'mirror' is ``d c b | a b c d | c b a``; 'reflect' and
        'grid-mirror' are ``d c b a | a b c d | d c b a``; 'grid-wrap' repeats the image after its
        last element; 'wrap' one element sooner, so that both ends are at one place.
    cval : scalar, optional
        What stands beyond the ends in the modes 'constant' and 'grid-constant'.
    prefilter : bool, optional
        If False, `input` already holds coefficients as `spline_filter` computes them. Orders 0 and
        1 need none.

    Returns
    -------
    ndarray
        Image of the shape of `input`. Integers are rounded, halves away from zero, and saturated.

    Raises
    ------
    RuntimeError
        If `order`, `mode`, the length of `shift` or the shape of `output` is wrong.

    See Also
    --------
    scipy.ndimage.shift

    Notes
    -----
    The sums are computed in float32 if both types are float32 or smaller floats, otherwise in
    float64; places always in float64. Axes along which nothing changes are not interpolated.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.shift(cp.array([0., 2., 4., 6.]), 0.5, order=1)
    array([0., 1., 3., 5.])
    """
    a = _image(input)
    shifts = [-float(x) for x in sequence(shift, a.ndim)]
    task = _Task(a, output, a.shape, (order, mode, cval, prefilter))
    return _zoom_and_shift(task, "zoom", [1.0] * a.ndim, shifts)


def zoom(
    input,
    zoom,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    *,
    grid_mode=False,
) -> ndarray:
    """Enlarge or shrink an image, with splines between its elements.

    Parameters
    ----------
    input : ndarray
        Image of one dimension or more.
    zoom : float or sequence of floats
        Ratio of the sizes of the result and the image along each axis; one for all, or one for
        each.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    order : int, optional
        Order of the spline, 0 to 5: 0 is the nearest element, 1 is linear, 3 is cubic.
    mode : {'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', \
'grid-wrap', 'wrap'}, optional
        What stands beyond the ends; see `shift`.
    cval : scalar, optional
        What stands beyond the ends in the modes 'constant' and 'grid-constant'.
    prefilter : bool, optional
        If False, `input` already holds coefficients as `spline_filter` computes them.
    grid_mode : bool, optional
        If False, distances are between the centres of the outermost elements, which stay where they
        are. If True, they are between the outer edges of these elements.

    Returns
    -------
    ndarray
        Image whose sizes are those of `input` times `zoom`, rounded.

    Raises
    ------
    RuntimeError
        If `order`, `mode`, the length of `zoom` or the shape of `output` is wrong.

    Warns
    -----
    UserWarning
        If `mode` is 'constant' or 'wrap' with `grid_mode`: 'grid-constant' and 'grid-wrap' fit.

    See Also
    --------
    shift : Explains modes, types and rounding.
    scipy.ndimage.zoom

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.zoom(cp.array([0., 2., 4.]), 5 / 3, order=1)
    array([0., 1., 2., 3., 4.])
    """
    a = _image(input)
    factors = sequence(zoom, a.ndim)
    shape = tuple(round(n * float(z)) for n, z in zip(a.shape, factors, strict=True))
    task = _Task(a, output, shape, (order, mode, cval, prefilter))
    if grid_mode and mode in ("constant", "wrap"):
        warn(
            f"It is recommended to use mode 'grid-{mode}' in place of {mode!r} with grid_mode",
            UserWarning,
        )
    less = 0 if grid_mode else 1
    steps = [
        (n - less) / (m - less) if m != less else 1.0 for n, m in zip(a.shape, shape, strict=True)
    ]
    return _zoom_and_shift(task, "grid" if grid_mode else "zoom", steps, [0.0] * a.ndim)


# ---- affine maps ---------------------------------------------------------------------------------


def _matrix(matrix: Any, offset: Any, ndim: int) -> tuple[Any, Any]:
    """The matrix without homogeneous parts, and the offset: one number, or one for each axis."""
    is_stored = isinstance(matrix, ndarray)
    m = matrix.astype("f8") if is_stored else np.asarray(as_host(matrix), np.float64)
    if m.ndim not in (1, 2) or m.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if m.ndim == 2 and m.shape[1] == ndim + 1 and m.shape[0] in (ndim, ndim + 1):
        last = [0] * ndim + [1]
        if not is_stored and m.shape[0] == ndim + 1 and not np.array_equal(m[ndim], last):
            raise ValueError(
                f"Expected homogeneous transformation matrix with shape {m.shape} for image of "
                f"{ndim} dimensions, but bottom row was not equal to {last}"
            )
        return m[:ndim, :ndim], m[:ndim, ndim]
    if m.shape[0] != ndim:
        raise RuntimeError("affine matrix has wrong number of rows")
    if isinstance(offset, ndarray) and offset.ndim < 2 and offset.size in (1, ndim):
        return m, offset.astype("f8")
    return m, np.array([float(x) for x in sequence(offset, ndim)])


def _by_stored_matrix(task: _Task, m: Any, offset: Any) -> ndarray:
    """Interpolate by a matrix on the device, which is not read."""
    m, rows, columns = asarray(m, "f8"), task.image.ndim, task.output.ndim
    stored = zeros((rows, columns + 1))
    if m.ndim == 1:
        stored.reshape(-1)[:: columns + 2] = m
    else:
        stored[:, :columns] = m
    stored[:, columns] = asarray(offset, "f8")
    return task.run(range(rows), "stored", (), stored)


def _kept_axes(matrix: np.ndarray, offset: list, a: ndarray, out: ndarray) -> list[int]:
    """Axes that an affine map leaves as they are."""
    if matrix.shape != (a.ndim, a.ndim):
        return []
    is_unit = matrix == np.eye(a.ndim)
    return [
        i
        for i in range(a.ndim)
        if is_unit[i].all() and is_unit[:, i].all() and not offset[i] and a.shape[i] == out.shape[i]
    ]


def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
) -> ndarray:
    """Transform an image by an affine map of its indices.

    The element of the result at the index `o` is the spline's value at ``matrix @ o + offset``.

    Parameters
    ----------
    input : ndarray
        Image of one dimension or more.
    matrix : array_like
        Matrix of the map: one row for each axis of `input`, one column for each of the result. With
        one more column the last one is the offset, and `offset` is ignored; a last row of zeros and
        a one may follow. A vector is the diagonal of a matrix. It may lie on the host or on the
        device.
    offset : float or sequence of floats, optional
        Where the first element of the result is read; one number for all axes, or one for each.
    output_shape : tuple of ints, optional
        Shape of the result: by default that of `output`, or of `input`.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    order : int, optional
        Order of the spline, 0 to 5: 0 is the nearest element, 1 is linear, 3 is cubic.
    mode : {'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', \
'grid-wrap', 'wrap'}, optional
        What stands beyond the ends; see `shift`.
    cval : scalar, optional
        What stands beyond the ends in the modes 'constant' and 'grid-constant'.
    prefilter : bool, optional
        If False, `input` already holds coefficients as `spline_filter` computes them.

    Returns
    -------
    ndarray
        Image of the shape `output_shape`.

    Raises
    ------
    RuntimeError
        If the shape of `matrix`, `order`, `mode` or the shape of `output` is wrong.
    ValueError
        If the last row of a homogeneous matrix is another one, or more than 8 axes change.

    See Also
    --------
    shift : Explains modes, types and rounding.
    scipy.ndimage.affine_transform

    Notes
    -----
    A matrix on the device is used there, without waiting for it: the last row of a homogeneous one
    is not checked. Axes that a matrix on the host leaves as they are are not interpolated along.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> a = cp.arange(6.).reshape(2, 3)
    >>> ndimage.affine_transform(a, [[0, 1], [1, 0]], output_shape=(3, 2), order=1)
    array([[0., 3.],
           [1., 4.],
           [2., 5.]])
    """
    a = _image(input)
    if output_shape is None:
        output_shape = output.shape if isinstance(output, ndarray) else a.shape
    shape = tuple(operator.index(n) for n in per_axis(output_shape))
    task = _Task(a, output, shape, (order, mode, cval, prefilter))
    m, offsets = _matrix(matrix, offset, a.ndim)
    if (m.shape[1] if m.ndim == 2 else a.ndim) != len(shape):
        raise RuntimeError("affine matrix has wrong number of columns")
    if isinstance(m, ndarray) or isinstance(offsets, ndarray):
        return _by_stored_matrix(task, m, offsets)
    offsets = offsets.tolist()
    if m.ndim == 1 and m.all():
        shifts = [x / z for x, z in zip(offsets, m.tolist(), strict=True)]
        return _zoom_and_shift(task, "zoom", m.tolist(), shifts)
    m = np.diag(m) if m.ndim == 1 else m
    kept = _kept_axes(m, offsets, a, task.output)
    axes = [i for i in range(a.ndim) if i not in kept]
    columns = [j for j in range(len(shape)) if j not in kept]
    rows = [(*m[i, columns], offsets[i]) for i in axes]
    return _of_axes(task, "matrix", axes, rows)


def _rotation(angle: float) -> np.ndarray:
    """The matrix of a rotation by degrees, exact for multiples of 90."""
    quarters, rest = divmod(angle, 90.0)
    s, c = math.sin(math.radians(rest)), math.cos(math.radians(rest))
    for _ in range(int(quarters) % 4):
        s, c = c, -s
    return np.array([[c, s], [-s, c]])


def _plane(axes: Any, ndim: int) -> list[int]:
    """The two axes of a rotation's plane, in order."""
    axes = list(axes)
    if len(axes) != 2:
        raise ValueError("axes should contain exactly two values")
    if not all(float(axis).is_integer() for axis in axes):
        raise ValueError("axes should contain only integer values")
    axes = sorted(int(axis) + ndim * (axis < 0) for axis in axes)
    if axes[0] < 0 or axes[1] >= ndim:
        raise ValueError("invalid rotation plane specified")
    return axes


def rotate(
    input,
    angle,
    axes=(1, 0),
    reshape=True,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
) -> ndarray:
    """Rotate an image in the plane of two of its axes.

    Parameters
    ----------
    input : ndarray
        Image of two dimensions or more.
    angle : float
        Angle of the rotation, in degrees.
    axes : tuple of two ints, optional
        Axes of the plane. Their order does not matter.
    reshape : bool, optional
        If True, the result has the size that holds the whole rotated image; otherwise the size of
        `input`.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    order : int, optional
        Order of the spline, 0 to 5: 0 is the nearest element, 1 is linear, 3 is cubic.
    mode : {'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', \
'grid-wrap', 'wrap'}, optional
        What stands beyond the ends; see `shift`.
    cval : scalar, optional
        What stands beyond the ends in the modes 'constant' and 'grid-constant'.
    prefilter : bool, optional
        If False, `input` already holds coefficients as `spline_filter` computes them.

    Returns
    -------
    ndarray
        Rotated image.

    Raises
    ------
    ValueError
        If the image has one dimension, or `axes` are no two axes of it.
    RuntimeError
        If `order`, `mode` or the shape of `output` is wrong.

    See Also
    --------
    shift : Explains modes, types and rounding.
    scipy.ndimage.rotate

    Notes
    -----
    Images of more dimensions are rotated plane by plane, in one launch.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.rotate(cp.array([[1, 2, 3], [4, 5, 6]]), 90)
    array([[3, 6],
           [2, 5],
           [1, 4]])
    """
    a = numbers(as_array(input))
    if a.ndim < 2:
        raise ValueError("input array should be at least 2D")
    plane = _plane(axes, a.ndim)
    matrix = _rotation(float(angle))
    sizes = np.array([a.shape[axis] for axis in plane])
    turned = sizes
    if reshape:
        corners = matrix @ [[0, 0, sizes[0], sizes[0]], [0, sizes[1], 0, sizes[1]]]
        turned = (np.ptp(corners, axis=1) + 0.5).astype(int)
    offsets = (sizes - 1) / 2 - matrix @ ((turned - 1) / 2)
    shape = list(a.shape)
    for axis, n in zip(plane, turned.tolist(), strict=True):
        shape[axis] = n
    task = _Task(a, output, tuple(shape), (order, mode, cval, prefilter))
    rows = [(*matrix[i].tolist(), float(offsets[i])) for i in range(2)]
    return task.run(plane, "matrix", rows)


# ---- any places ----------------------------------------------------------------------------------


def map_coordinates(
    input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True
) -> ndarray:
    """Compute the values of an image at coordinates, with splines between its elements.

    Parameters
    ----------
    input : ndarray
        Image of one dimension or more, eight at most.
    coordinates : array_like
        Coordinates in elements: the first axis has an item for each axis of `input`, the others
        are those of the result.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    order : int, optional
        Order of the spline, 0 to 5: 0 is the nearest element, 1 is linear, 3 is cubic.
    mode : {'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', \
'grid-wrap', 'wrap'}, optional
        What stands beyond the ends; see `shift`.
    cval : scalar, optional
        What stands beyond the ends in the modes 'constant' and 'grid-constant'.
    prefilter : bool, optional
        If False, `input` already holds coefficients as `spline_filter` computes them.

    Returns
    -------
    ndarray
        Values of the shape ``coordinates.shape[1:]``.

    Raises
    ------
    RuntimeError
        If the shape of `coordinates` or `output`, `order` or `mode` is wrong.
    TypeError
        If the coordinates are complex.

    See Also
    --------
    shift : Explains modes, types and rounding.
    scipy.ndimage.map_coordinates

    Notes
    -----
    Coordinates that are NaN are outside of the image; with the modes 'nearest' and 'grid-constant'
    the result is NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> a = cp.arange(6.).reshape(2, 3)
    >>> ndimage.map_coordinates(a, [[0.5, 1.], [0.5, 2.]], order=1)
    array([2., 5.])
    """
    a = _image(input)
    places = as_array(coordinates)
    if places.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    if places.ndim < 2:
        raise RuntimeError("input and output rank must be > 0")
    if places.shape[0] != a.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    task = _Task(a, output, places.shape[1:], (order, mode, cval, prefilter))
    if places.dtype.name not in ("float32", "float64") or not places.flags.c_contiguous:
        places = asarray(places, "f4" if places.dtype == "f4" else "f8").copy("C")
    return task.run(range(a.ndim), "coordinates", (), places)


def _mapping_kernel(mapping: Any, ndim: int, rank: int, extra: tuple) -> tuple[Any, list]:
    """A kernel that calls the function for indices of `rank` axes, and its numbers."""
    function = getattr(mapping, "_device_function", None) or mapping
    if not callable(mapping):
        raise ValueError(f"invalid callable given: {mapping!r}")
    if not hasattr(function, "__code__"):
        raise TypeError(f"mapping must be a Python function, not {type(mapping).__name__}")
    signature = inspect.signature(function)
    bound = signature.bind([np.dtype(np.int64)] * rank, *extra[0], **(extra[1] or {}))
    bound.apply_defaults()
    operands: list = []

    def described(value: Any) -> Any:
        if isinstance(value, (bool, int, float, complex, np.generic)):
            operands.append(value if isinstance(value, np.generic) else as_host(value)[()])
            return operands[-1].dtype
        if isinstance(value, (list, tuple)):
            return [item if isinstance(item, np.dtype) else described(item) for item in value]
        return Const(value)

    arguments = [(name, described(value)) for name, value in bound.arguments.items()]
    try:
        return elementwise_kernel(function, arguments, [np.dtype(np.float64)] * ndim), operands
    except ValueError as error:
        raise TypeError(f"mapping must return a tuple of {ndim} coordinates") from error


def geometric_transform(
    input,
    mapping,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    extra_arguments=(),
    extra_keywords=None,
) -> ndarray:
    """Transform an image by a function of its indices.

    The element of the result at the index `o` is the spline's value at ``mapping(o)``.

    Parameters
    ----------
    input : ndarray
        Image of one dimension or more, eight at most.
    mapping : function
        Function of a tuple of whole numbers, the index of an element of the result, that returns a
        tuple of numbers, the coordinates in `input`. It is translated into a kernel, not called: it
        is written in the Python that `gpunp.jit` knows.
    output_shape : tuple of ints, optional
        Shape of the result: by default that of `output`, or of `input`.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    order : int, optional
        Order of the spline, 0 to 5: 0 is the nearest element, 1 is linear, 3 is cubic.
    mode : {'reflect', 'grid-mirror', 'constant', 'grid-constant', 'nearest', 'mirror', \
'grid-wrap', 'wrap'}, optional
        What stands beyond the ends; see `shift`.
    cval : scalar, optional
        What stands beyond the ends in the modes 'constant' and 'grid-constant'.
    prefilter : bool, optional
        If False, `input` already holds coefficients as `spline_filter` computes them.
    extra_arguments : tuple, optional
        Further arguments of `mapping`: numbers, tuples of numbers, functions.
    extra_keywords : dict, optional
        Further arguments of `mapping` by name.

    Returns
    -------
    ndarray
        Image of the shape `output_shape`.

    Raises
    ------
    NotImplementedError
        If `mapping` has something that kernels cannot do; the line is named.
    RuntimeError
        If `order`, `mode` or the shape of `output` is wrong.

    See Also
    --------
    map_coordinates : Values at coordinates in an array.
    scipy.ndimage.geometric_transform

    Notes
    -----
    Coordinates of 2**22 elements at a time are stored between the function's kernel and the
    interpolation.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> def mirrored(o):
    ...     return o[0], 2 - o[1]
    >>> ndimage.geometric_transform(cp.arange(6.).reshape(2, 3), mirrored, order=1)
    array([[2., 1., 0.],
           [5., 4., 3.]])
    """
    a = _image(input)
    if output_shape is None:
        output_shape = output.shape if isinstance(output, ndarray) else a.shape
    shape = tuple(operator.index(n) for n in per_axis(output_shape))
    task = _Task(a, output, shape, (order, mode, cval, prefilter))
    extra = (tuple(extra_arguments), extra_keywords)
    kernel, operands = _mapping_kernel(mapping, a.ndim, len(shape), extra)

    def coordinates(start: int, end: int) -> ndarray:
        sizes = (end - start, *shape[1:])
        indices = [
            arange(start * (i == 0), start * (i == 0) + n).reshape(
                [n if j == i else 1 for j in range(len(shape))]
            )
            for i, n in enumerate(sizes)
        ]
        places = empty((a.ndim, *sizes))
        kernel(*indices, *operands, *[places[k] for k in range(a.ndim)])
        return places

    return task.run(range(a.ndim), "coordinates", (), coordinates)

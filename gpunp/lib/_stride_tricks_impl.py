"""Views made by choosing strides, and broadcasting as views."""

import numpy as np

from .._core._convert import (
    as_array,
    normalize_axis_tuple,
    per_axis,
    refuse_text,
    shape_tuple,
)
from .._core.multiarray import array, broadcast_view, ndarray, strided_view

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to"]


def as_strided(
    x, shape=None, strides=None, subok=False, writeable=True, *, check_bounds=None
) -> ndarray:
    """Create a view of an array with any shape and strides (in bytes).

    Parameters
    ----------
    x : array_like
        Array whose memory is viewed.
    shape : sequence of int, optional
        Shape of the view.
    strides : sequence of int, optional
        Strides of the view, in bytes.
    subok : bool, optional
        Accepted for compatibility with NumPy; there are no subclasses to pass through.
    writeable : bool, optional
        If False, the view is read-only.
    check_bounds : bool, optional
        Accepted for compatibility; bounds are always checked.

    Returns
    -------
    ndarray
        A view of the input.

    Raises
    ------
    ValueError
        If the view would extend beyond the memory of `x`.

    Differences
    -----------
    A view that would leave the array's memory is refused with ValueError, always.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lib.stride_tricks.as_strided(cp.arange(4), (3, 2), (8, 8))
    array([[0, 1],
           [1, 2],
           [2, 3]])
    """
    return strided_view(as_array(x), shape, strides, subok, writeable)


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False) -> ndarray:
    """Create a view of all windows of a shape; the axes of the windows come last.

    Parameters
    ----------
    x : array_like
        Array on which to operate.
    window_shape : int or tuple of int
        Shape of the window, or its length along each axis.
    axis : int or tuple of int, optional
        Axes along which the window moves. By default all axes.
    subok : bool, optional
        Accepted for compatibility with NumPy; there are no subclasses to pass through.
    writeable : bool, optional
        If True, the view is writeable. Many of its elements are the same memory.

    Returns
    -------
    ndarray
        View: axes of positions, followed by the axes of the window.

    Raises
    ------
    ValueError
        If the window is larger than the array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lib.stride_tricks.sliding_window_view(cp.arange(5), 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x = as_array(x)
    refuse_text(window_shape, "window_shape")
    window = per_axis(window_shape) if np.iterable(window_shape) else (window_shape,)
    if any(n < 0 for n in window):
        raise ValueError("`window_shape` cannot contain negative values")
    window = shape_tuple(window)
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(window)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axes):
            raise ValueError(
                "Must provide matching length window_shape and axis; got "
                f"{len(window)} window_shape elements and {len(axes)} axes elements."
            )
    shape = list(x.shape)
    for ax, n in zip(axes, window, strict=True):
        if shape[ax] < n:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[ax] -= n - 1
    strides = x.strides + tuple(x.strides[ax] for ax in axes)
    return strided_view(x, tuple(shape) + window, strides, subok, writeable)


def broadcast_to(array, shape, subok=False) -> ndarray:
    """Broadcast an array to a shape, as a read-only view.

    Parameters
    ----------
    array : array_like
        Array on which to operate.
    shape : int or tuple of int
        Shape of the result.
    subok : bool, optional
        Accepted for compatibility with NumPy; there are no subclasses to pass through.

    Returns
    -------
    ndarray
        Read-only view, with stride 0 along repeated axes.

    Raises
    ------
    ValueError
        If the array cannot be broadcast to the shape.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.broadcast_to(cp.arange(3), (2, 3))
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    return broadcast_view(as_array(array), shape)


def broadcast_shapes(*args) -> tuple[int, ...]:
    """Return the shape that results from broadcasting shapes.

    Parameters
    ----------
    *args : int or tuple of int
        Shapes to broadcast against each other.

    Returns
    -------
    tuple of int
        The common shape.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return np.broadcast_shapes(*args)


def broadcast_arrays(*args, subok=False) -> tuple[ndarray, ...]:
    """Broadcast arrays against each other, as views.

    Parameters
    ----------
    *args : array_like
        Arrays to broadcast against each other.
    subok : bool, optional
        Accepted for compatibility with NumPy; there are no subclasses to pass through.

    Returns
    -------
    tuple of ndarray
        Read-only views; arrays that have the common shape are returned themselves.

    Raises
    ------
    ValueError
        If the shapes cannot be broadcast.

    Examples
    --------
    >>> import gpunp as cp
    >>> [a.shape for a in cp.broadcast_arrays(cp.ones((3, 1)), cp.ones(2))]
    [(3, 2), (3, 2)]
    """
    arrays = [array(a, copy=None) if not isinstance(a, np.ndarray) else as_array(a) for a in args]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_view(a, shape) for a in arrays)

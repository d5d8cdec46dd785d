"""Views made by choosing strides, and broadcasting as views."""

import numpy as np

from .._core._convert import as_array, normalize_axis_tuple, shape_tuple
from .._core.multiarray import array, broadcast_view, ndarray, strided_view

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to"]


def as_strided(
    x, shape=None, strides=None, subok=False, writeable=True, *, check_bounds=None
) -> ndarray:
    """View of an array's memory with any shape and strides (in bytes).

    Parameters
    ----------
    x : array_like
        The array whose memory is seen.
    shape : sequence of int, optional
        Of the view.
    strides : sequence of int, optional
        Of the view, in bytes.
    subok : bool, optional
        Without effect.
    writeable : bool, optional
        False gives a view that cannot be written to.
    check_bounds : bool, optional
        Without effect: the bounds are always checked.

    Returns
    -------
    ndarray
        A view.

    Raises
    ------
    ValueError
        The view would leave the memory of `x`.

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
    """View of all windows of a shape; the windows' axes come last.

    Parameters
    ----------
    x : array_like
        The array.
    window_shape : int or tuple of int
        Of the window, by axis.
    axis : int or tuple of int, optional
        The axes it slides along; all by default.
    subok : bool, optional
        Without effect.
    writeable : bool, optional
        Whether the view may be written to, many elements of which are the same.

    Returns
    -------
    ndarray
        A view: the positions, then the window's axes.

    Raises
    ------
    ValueError
        A window larger than the array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lib.stride_tricks.sliding_window_view(cp.arange(5), 3)
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    x = as_array(x)
    window = shape_tuple(window_shape)
    if any(n < 0 for n in window):
        raise ValueError("`window_shape` cannot contain negative values")
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
    """Read-only view of an array stretched to a shape, with stride 0 where it repeats.

    Parameters
    ----------
    array : array_like
        The array.
    shape : int or tuple of int
        The shape.
    subok : bool, optional
        Without effect.

    Returns
    -------
    ndarray
        A view that cannot be written to.

    Raises
    ------
    ValueError
        The shape does not fit.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.broadcast_to(cp.arange(3), (2, 3))
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    return broadcast_view(as_array(array), shape)


def broadcast_shapes(*args) -> tuple[int, ...]:
    """The shape these shapes broadcast to.

    Parameters
    ----------
    *args : int or tuple of int
        Shapes.

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        They do not fit.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return np.broadcast_shapes(*args)


def broadcast_arrays(*args, subok=False) -> tuple[ndarray, ...]:
    """Views of the arguments, all stretched to their common shape.

    Parameters
    ----------
    *args : array_like
        What is stretched.
    subok : bool, optional
        Without effect.

    Returns
    -------
    tuple of ndarray
        Views that cannot be written to; arrays of the common shape themselves.

    Raises
    ------
    ValueError
        The shapes do not fit.

    Examples
    --------
    >>> import gpunp as cp
    >>> [a.shape for a in cp.broadcast_arrays(cp.ones((3, 1)), cp.ones(2))]
    [(3, 2), (3, 2)]
    """
    arrays = [array(a, copy=None) if not isinstance(a, np.ndarray) else as_array(a) for a in args]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else broadcast_view(a, shape) for a in arrays)

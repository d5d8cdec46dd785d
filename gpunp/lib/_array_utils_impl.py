"""Addresses of arrays in memory."""

from .._core.multiarray import ndarray

__all__ = ["byte_bounds"]


def byte_bounds(a: ndarray) -> tuple[int, int]:
    """Return the device addresses of the first byte of an array and of the first one after it.

    Parameters
    ----------
    a : ndarray
        Array on which to operate.

    Returns
    -------
    low, high : int
        Addresses of the first byte, and of the first byte after the array.

    Examples
    --------
    >>> import gpunp as cp
    >>> low, high = cp.lib.array_utils.byte_bounds(cp.zeros(4))
    >>> high - low
    32
    """
    low = high = a.data.ptr
    for n, stride in zip(a.shape, a.strides, strict=True):
        if n == 0:
            return low, low
        if stride < 0:
            low += (n - 1) * stride
        else:
            high += (n - 1) * stride
    return low, high + a.itemsize

"""Convolutions of second and third order: terms of a Volterra series, one launch each."""

from typing import Any

from .._core._convert import as_array, shown
from .._core._docstrings import documented_as
from .._core.multiarray import empty, ndarray, result_type
from .._core.raw import ElementwiseKernel

__all__ = ["convolve1d2o", "convolve1d3o"]

_SECOND = ElementwiseKernel(
    "raw T x, raw T h, int32 rows, int32 columns, int32 reach",
    "T y",
    """
    y = T(0);
    #pragma unroll 1
    for (int j = 0; j < rows; j++) {
        T sum = T(0);
    #pragma unroll 1
        for (int k = 0; k < columns; k++) sum += h[j * columns + k] * x[i + reach - 1 - k];
        y += sum * x[i + reach - 1 - j];
    }
    """,
    "second_order",
)
_THIRD = ElementwiseKernel(
    "raw T x, raw T h, int32 planes, int32 rows, int32 columns, int32 reach",
    "T y",
    """
    y = T(0);
    #pragma unroll 1
    for (int m = 0; m < planes; m++) {
        T plane = T(0);
    #pragma unroll 1
        for (int j = 0; j < rows; j++) {
            T sum = T(0);
            const ptrdiff_t row = (m * rows + j) * (ptrdiff_t)columns;
    #pragma unroll 1
            for (int k = 0; k < columns; k++) sum += h[row + k] * x[i + reach - 1 - k];
            plane += sum * x[i + reach - 1 - j];
        }
        y += plane * x[i + reach - 1 - m];
    }
    """,
    "third_order",
)


def _volterra(in1: Any, in2: Any, mode: Any, method: Any, order: int) -> ndarray:
    x, h = as_array(in1), as_array(in2)
    if x.ndim != 1 or h.ndim != order:
        raise ValueError(f"in1 must have one dimension and in2 {order}, not {x.ndim} and {h.ndim}")
    if mode != "valid":
        raise ValueError(f"mode must be 'valid', not {shown(mode)}")
    if method not in ("direct", "auto"):
        raise ValueError(f"method must be 'direct' or 'auto', not {shown(method)}")
    dtype = result_type(x, h)
    if dtype.kind not in "fc" or dtype.itemsize < 4:
        dtype = result_type(dtype, "f4")
    reach = max(h.shape)
    y = empty(max(x.size - reach + 1, 0), dtype)
    kernel = _SECOND if order == 2 else _THIRD
    return kernel(x.astype(dtype, copy=False), h.astype(dtype, order="C"), *h.shape, reach, y)


def convolve1d2o(in1, in2, mode="valid", method="direct") -> ndarray:
    """Convolve a signal with a filter of second order.

    The result is the sum over j and k of ``in2[j, k] * in1[n - j] * in1[n - k]``.

    Parameters
    ----------
    in1 : array_like
        Signal along one axis.
    in2 : array_like
        Weights, with an axis for each factor.
    mode : {"valid"}, optional
        Points that need no samples beyond the ends.
    method : {"direct", "auto"}, optional
        Sums of products, in either case.

    Returns
    -------
    ndarray
        Floating or complex array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.convolve1d2o(cp.array([1.0, 2.0, 3.0]), cp.eye(2))
    array([ 5., 13.])
    """
    return _volterra(in1, in2, mode, method, 2)


@documented_as(convolve1d2o)
def convolve1d3o(in1, in2, mode="valid", method="direct") -> ndarray:
    """Convolve a signal with a filter of third order.

    The result is the sum over i, j and k of
    ``in2[i, j, k] * in1[n - i] * in1[n - j] * in1[n - k]``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.signal.convolve1d3o(cp.array([1.0, 2.0, 3.0]), cp.ones((1, 1, 1)))
    array([ 1.,  8., 27.])
    """
    return _volterra(in1, in2, mode, method, 3)

"""Values of B-splines, and of polynomials in pieces, at points.

A spline of a low degree is a polynomial in the distance from the knot before the point, whose
coefficients are differences of those of the spline, divided by distances of knots. Where there are
many points, these polynomials are computed once, and a point reads its own as a whole. Other
splines, and derivatives, are computed by de Boor's algorithm.
"""

import functools
import math
from typing import Any

import numpy as np

from ..._core.multiarray import ascontiguousarray, ndarray
from ..._core.raw import ElementwiseKernel
from ._pieces import BISECT
from ._value_tables import POLYNOMIAL, has_table, put_by_table

__all__ = ["INTERVAL", "put_power_values", "put_spline_values"]

# The interval l of a number among the knots, k <= l < n, with t[l] <= x < t[l + 1]; the last is
# closed. -1 outside where values are not extrapolated, and for NaN.
INTERVAL = (
    BISECT
    + """
template <class A, class I>
__device__ I interval_of(A &t, I k, I n, double x, bool extrapolate)
{
    const double first = t[k], last = t[n];
    if (!(x >= first && x <= last) && !(extrapolate && x == x)) return -1;
    return find_place(k, n, x, first, last, [&](I l) { return x >= double(t[l]); });
}
"""
)
_MOST = 8  # coefficients of the kernel of any degree
_UNROLLED = 5  # largest degree of splines that are evaluated as polynomials

_DE_BOOR = """
    const long long k = degree, nu = order, l = interval_of(t, k, n, x, extrapolate);
    y = l < 0 ? T(nan("")) : T(0);
    if (l >= 0 && nu <= k && (k == 0 || t[l] < t[l + 1])) { // without length no spline counts
        const ptrdiff_t column = columns == 1 ? 0 : i %% columns, first = l - k;
        T d[%(size)s];
        for (int j = 0; j <= k; j++) d[j] = c[(first + j) * columns + column];
        for (int r = 0; r < nu; r++) {
            const int p = k - r;
            for (int j = 0; j < p; j++) {
                const double width = t[l + j + 1] - t[l - p + j + 1];
                d[j] = width > 0 ? (d[j + 1] - d[j]) * (p / width) : T(0);
            }
        }
        const int q = k - nu;
        for (int r = 1; r <= q; r++) {
            for (int j = q; j >= r; j--) {
                const double begin = t[l - q + j], width = t[l + j - r + 1] - begin;
                const double w = width > 0 ? (x - begin) / width : 0;
                d[j] = d[j - 1] * (1 - w) + d[j] * w;
            }
        }
        y = d[q];
    }
"""
_BY_POLYNOMIAL = """
    const int l = interval_of(t, %(k)s, (int)n, x, extrapolate);
    y = T(nan(""));
    if (l >= 0) {
        T a[%(k)s + 1] = {}; // without length no spline counts
        if (t[l] < t[l + 1])
            polynomial_of<%(k)s>(t, c, l, columns, columns == 1 ? 0 : i %% columns, a);
        y = horner<%(k)s>(a, x - t[l]);
    }
"""


@functools.cache
def _kernel(name: str, body: str) -> Any:
    return ElementwiseKernel(
        "float64 x, raw T c, raw float64 t, int64 degree, int64 n, int64 columns, int64 order,"
        " bool extrapolate",
        "T y",
        body,
        name,
        preamble=INTERVAL + POLYNOMIAL,
    )


def put_power_values(x: ndarray, c: ndarray, t: ndarray, extrapolates: bool, out: ndarray) -> bool:
    """Put values of polynomials in powers, of one column, into an array of a row for each point,
    if there are many; whether it was done."""
    size, intervals = c.shape[:2]
    if not (0 < size <= _UNROLLED + 1 and out.size and has_table(x, c, intervals, out)):
        return False
    t, ends = ascontiguousarray(t), (None, None, None, np.int32(extrapolates))
    put_by_table("powers_table", (t, ascontiguousarray(c)), x, t, size - 1, ends, out)
    return True


def put_spline_values(
    x: ndarray, tck: tuple[ndarray, ndarray, int], nu: int, extrapolates: bool, out: ndarray
) -> None:
    """Put the values of a spline, or of its derivative of order nu, into an array of a row for each
    point."""
    t, c, k = tck
    n, columns = t.size - k - 1, math.prod(c.shape[1:])
    if not out.size:
        return
    is_short = 0 < k <= _UNROLLED and nu == 0 and n < 1 << 28
    if is_short and columns == 1 and has_table(x, c, n - k, out):
        t = ascontiguousarray(t)
        given, ends = (t, ascontiguousarray(c)), (None, None, None, np.int32(extrapolates))
        put_by_table("spline_table", given, x, t[k : n + 1], k, ends, out)
        return
    if is_short:
        kernel = _kernel(f"spline_value_{k}", _BY_POLYNOMIAL % {"k": k})
    else:
        kernel = _kernel("spline_value", _DE_BOOR % {"size": max(_MOST, k + 1)})
    kernel(x.reshape(-1, 1), c, t, k, n, columns, nu, extrapolates, out)

"""Tridiagonal systems whose matrix is diagonally dominant, for many right-hand sides at once.

Parallel cyclic reduction (R. W. Hockney & C. R. Jesshope, Parallel Computers, 1981): a step
eliminates the unknowns of each equation by the equations they belong to, which doubles their
distance, so that after log2(n) steps each equation has one unknown.
"""

from ..._core.multiarray import concatenate, empty, ndarray, zeros
from ..._core.raw import ElementwiseKernel

_REDUCE = ElementwiseKernel(
    "raw float64 a, raw float64 b, raw float64 c, int64 n, int64 step",
    "float64 low, float64 middle, float64 high, float64 above, float64 below",
    """
    const bool has_low = i >= step, has_high = i + step < n;
    const ptrdiff_t l = has_low ? i - step : i, h = has_high ? i + step : i;
    above = has_low ? -a[i] / b[l] : 0;
    below = has_high ? -c[i] / b[h] : 0;
    low = has_low ? above * a[l] : 0;
    high = has_high ? below * c[h] : 0;
    middle = b[i] + (has_low ? above * c[l] : 0) + (has_high ? below * a[h] : 0);
    """,
    "cyclic_reduction",
)
_APPLY = ElementwiseKernel(
    "raw T d, raw float64 above, raw float64 below, int64 n, int64 columns, int64 step",
    "T y",
    """
    const ptrdiff_t row = i / columns;
    y = d[i];
    if (row >= step) y += d[i - step * columns] * above[row];
    if (row + step < n) y += d[i + step * columns] * below[row];
    """,
    "cyclic_reduction_of_sides",
)


def solve_tridiagonal(low: ndarray, middle: ndarray, high: ndarray, sides: ndarray) -> ndarray:
    """Solve ``low[i] x[i-1] + middle[i] x[i] + high[i] x[i+1] = sides[i]`` for each column.

    Diagonals have one element for each row; ``low[0]`` and ``high[-1]`` are not used.
    """
    n, columns = sides.shape
    step = 1
    while step < n:
        made = [empty(n) for _ in range(5)]
        _REDUCE(low, middle, high, n, step, *made)
        out = empty(sides.shape, sides.dtype)
        if out.size:
            _APPLY(sides, made[3], made[4], n, columns, step, out)
        low, middle, high, sides = *made[:3], out
        step *= 2
    return sides / middle[:, None]


def solve_cyclic(low: ndarray, middle: ndarray, high: ndarray, sides: ndarray) -> ndarray:
    """The same where ``low[0]`` belongs to the last unknown and ``high[-1]`` to the first.

    The corners are a matrix of rank one beside a tridiagonal one (Sherman & Morrison).
    """
    n = sides.shape[0]
    first = -middle[:1]
    corner = zeros((n, 1), sides.dtype)
    corner[:1, 0] = first
    corner[-1:, 0] = high[-1:]
    inner = middle.copy()
    inner[:1] = middle[:1] - first
    inner[-1:] = middle[-1:] - high[-1:] * low[:1] / first
    x = solve_tridiagonal(low, inner, high, concatenate((sides, corner), axis=1))
    ratio = low[0] / first[0]
    y, z = x[:, :-1], x[:, -1:]
    factor = (y[0] + y[-1] * ratio) / (1 + z[0] + z[-1] * ratio)
    return y - z * factor

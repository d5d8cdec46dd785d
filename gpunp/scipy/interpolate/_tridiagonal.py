"""Tridiagonal systems for many right-hand sides at once."""

from ..._core.multiarray import concatenate, ndarray, zeros
from ..linalg._banded import factors_of_diagonals


def solve_tridiagonal(low: ndarray, middle: ndarray, high: ndarray, sides: ndarray) -> ndarray:
    """Solve ``low[i] x[i-1] + middle[i] x[i] + high[i] x[i+1] = sides[i]`` for each column.

    Diagonals have one element for each row; ``low[0]`` and ``high[-1]`` are not used.
    """
    return factors_of_diagonals((low, middle, high), 1, middle.dtype).solve(sides)


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

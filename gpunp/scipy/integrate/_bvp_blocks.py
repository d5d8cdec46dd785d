"""Linear systems of collocation: equations between neighbours, and conditions at both ends.

S. J. Wright, "Stable parallel algorithms for two-point boundary value problems", SIAM J. Sci. Stat.
Comput. 13 (1992): the unknowns between two neighbours are eliminated from all pairs of equations
together, by a QR factorization each, until one equation between the ends remains. That takes as
many batches as the number of equations has binary digits.
"""

from typing import NamedTuple

from ..._core._ufunc_config import errstate
from ..._core.multiarray import concatenate, empty, ndarray, zeros
from ..._core.umath import conjugate, matmul
from ...lib._stride_tricks_impl import sliding_window_view
from ...linalg._linalg import qr, solve
from ..linalg._decomp_lu import lu_factor, lu_solve


class _Level(NamedTuple):
    """What is kept of an elimination: the middle unknown follows from its neighbours."""

    sides: ndarray  # (pairs, 2 n, 2 n): sides of the middle unknown, and of the equations left
    beside: ndarray  # (pairs, n, 2 n): factors of the unknowns before and behind
    more: ndarray  # (pairs, n, k): factors of the parameters


class BlockSystem:
    """``D[i] y[i] + E[i] y[i + 1] + C[i] p = r[i]``, and ``A y[0] + B y[-1] + P p = s``, factored.

    Parameters
    ----------
    before, behind : ndarray, (m, n, n)
        Matrices D and E of the equations.
    more : ndarray, (m, n, k)
        Matrices C, for the k parameters.
    ends : tuple of ndarray
        Matrices A and B of shape (n + k, n), and P of shape (n + k, k).
    """

    def __init__(self, before: ndarray, behind: ndarray, more: ndarray, ends: tuple) -> None:
        self.n, self.k = before.shape[-1], more.shape[-1]
        self.levels: list[_Level] = []
        while len(before) > 1:
            before, behind, more = self._eliminated(before, behind, more)
        first = concatenate((before[0], behind[0], more[0]), axis=1)
        self._factors = lu_factor(concatenate((first, concatenate(ends, axis=1))))

    def _eliminated(self, before: ndarray, behind: ndarray, more: ndarray) -> tuple:
        """Equations between every other unknown."""
        n, pairs = self.n, len(before) // 2
        first, second = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
        q, r = qr(concatenate((behind[first], before[second]), axis=1), mode="complete")
        q = conjugate(q.swapaxes(1, 2))
        with errstate(linalg="ignore"):
            sides = concatenate((solve(r[:, :n], q[:, :n]), q[:, n:]), axis=1)
        left, right = (
            matmul(sides[:, :, :n], before[first]),
            matmul(sides[:, :, n:], behind[second]),
        )
        shared = zeros((pairs, 2 * n, 0), left.dtype)
        if self.k:
            shared = matmul(sides, concatenate((more[first], more[second]), axis=1))
        beside = concatenate((left[:, :n], right[:, :n]), axis=2)
        self.levels.append(_Level(sides, beside, shared[:, :n]))
        rest = slice(2 * pairs, None)  # one equation, if there is no partner for it
        return tuple(
            concatenate((made[:, n:], given[rest]))
            for made, given in ((left, before), (right, behind), (shared, more))
        )

    def solve(self, sides: ndarray, end: ndarray) -> tuple[ndarray, ndarray]:
        """Return the unknowns (m + 1, n) and the parameters (k,) for sides (m, n) and (n + k,)."""
        n, known = self.n, []
        for level in self.levels:
            pairs = len(level.sides)
            both = sides[: 2 * pairs].reshape(pairs, 2 * n, 1)
            made = matmul(level.sides, both)[:, :, 0]
            known.append(made[:, :n])
            sides = concatenate((made[:, n:], sides[2 * pairs :]))
        found = lu_solve(self._factors, concatenate((sides[0], end)))
        y, p = found[: 2 * n].reshape(2, n), found[2 * n :]
        for level, side in zip(reversed(self.levels), reversed(known), strict=True):
            y = self._filled(level, side, y, p)
        return y, p

    def _filled(self, level: _Level, side: ndarray, y: ndarray, p: ndarray) -> ndarray:
        """The unknowns of a level, of which every other one is known."""
        n, pairs = self.n, len(level.sides)
        # The unknowns before and behind each middle one: they overlap.
        beside = sliding_window_view(y[: pairs + 1].reshape(-1), 2 * n)[::n]
        middle = side - matmul(level.beside, beside[:, :, None])[:, :, 0]
        if self.k:
            middle = middle - matmul(level.more, p)
        out = empty((len(y) + pairs, n), y.dtype)
        out[0 : 2 * pairs + 1 : 2], out[1 : 2 * pairs : 2] = y[: pairs + 1], middle
        if len(y) > pairs + 1:
            out[2 * pairs + 1 :] = y[pairs + 1 :]
        return out

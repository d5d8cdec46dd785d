"""Linear systems of collocation: equations between neighbours, and conditions at both ends.

S. J. Wright, "Stable parallel algorithms for two-point boundary value problems", SIAM J. Sci. Stat.
Comput. 13 (1992): the unknowns between two neighbours are eliminated from all pairs of equations
together, by a QR factorization each, until one equation between the ends remains. That takes as
many batches as the number of equations has binary digits.
"""

from typing import Any, NamedTuple

from ..._core._ufunc_config import errstate
from ..._core.multiarray import concatenate, empty, ndarray, zeros
from ..._core.umath import conjugate, matmul
from ...linalg._linalg import qr, solve
from ..linalg._decomp_lu import lu_factor, lu_solve


class _Level(NamedTuple):
    """What is kept of an elimination: the middle unknown follows from its neighbours."""

    q: ndarray  # (pairs, 2 n, 2 n), the conjugate transposed
    r: ndarray  # (pairs, n, n)
    left: ndarray  # factors of the unknowns before, behind, and of the parameters
    right: ndarray
    more: ndarray


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
        q = conjugate(q.swapaxes(1, 2)).copy()
        left, right = matmul(q[:, :, :n], before[first]), matmul(q[:, :, n:], behind[second])
        both = matmul(q, concatenate((more[first], more[second]), axis=1)) if self.k else None
        shared = zeros((pairs, 2 * n, 0), left.dtype) if both is None else both
        self.levels.append(_Level(q, r[:, :n].copy(), left[:, :n], right[:, :n], shared[:, :n]))
        rest = slice(2 * pairs, None)  # one equation, if there is no partner for it
        return tuple(
            concatenate((made[:, n:], given[rest]))
            for made, given in ((left, before), (right, behind), (shared, more))
        )

    def solve(self, sides: ndarray, end: ndarray) -> tuple[ndarray, ndarray]:
        """Return the unknowns (m + 1, n) and the parameters (k,) for sides (m, n) and (n + k,)."""
        n, known = self.n, []
        for level in self.levels:
            pairs = len(level.q)
            both = sides[: 2 * pairs].reshape(pairs, 2 * n, 1)
            made = matmul(level.q, both)[:, :, 0]
            known.append(made[:, :n])
            sides = concatenate((made[:, n:], sides[2 * pairs :]))
        found = lu_solve(self._factors, concatenate((sides[0], end)))
        y, p = found[: 2 * n].reshape(2, n), found[2 * n :]
        for level, side in zip(reversed(self.levels), reversed(known), strict=True):
            y = self._filled(level, side, y, p)
        return y, p

    def _filled(self, level: _Level, side: ndarray, y: ndarray, p: ndarray) -> ndarray:
        """The unknowns of a level, of which every other one is known."""
        pairs = len(level.q)
        side = side - matmul(level.left, y[:pairs, :, None])[:, :, 0]
        side = side - matmul(level.right, y[1 : pairs + 1, :, None])[:, :, 0]
        if self.k:
            side = side - matmul(level.more, p)
        with errstate(linalg="ignore"):
            middle: Any = solve(level.r, side[:, :, None])[:, :, 0]
        out = empty((len(y) + pairs, self.n), y.dtype)
        out[0 : 2 * pairs + 1 : 2], out[1 : 2 * pairs : 2] = y[: pairs + 1], middle
        out[2 * pairs + 1 :] = y[pairs + 1 :]
        return out

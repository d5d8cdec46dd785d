"""Minimal residuals for symmetric systems.

Several steps of the Lanczos process run before the host reads their numbers. From these it follows
the recurrences of Paige and Saunders, with vectors as coefficients of those that lie on the device,
and stops where SciPy stops."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import as_host
from ...._core._docstrings import documented_as
from ...._core.fusion import fuse
from ...._core.multiarray import asarray, empty, ndarray, where, zeros
from ...._core.norms import norm_two
from ...._core.products import vdot
from ....cuda.graph import Replayed  # type: ignore[attr-defined]
from ....linalg import norm
from ._isolve import cg
from ._system import EVERY, System, are_fixed, as_tolerance

__all__ = ["minres"]

REASONS = {
    -1: "the right-hand side is an eigenvector",
    0: "x = 0 is the solution",
    1: "the residual is small enough",
    2: "the least-squares solution is accurate enough",
    3: "the residual is as small as the type allows",
    4: "the condition number is too large",
    6: "the largest number of steps was reached",
}
STEPS_REACHED = 6
EPS = float(np.finfo("d").eps)


@fuse
def _less(image: Any, shift: Any, v: Any, beta: Any, before: Any) -> Any:
    """Return image - shift * v - beta * before."""
    return image - shift * v - beta * before


@fuse
def _step_back(y: Any, alpha: Any, u: Any) -> Any:
    """Return y - alpha * u."""
    return y - alpha * u


@fuse
def _put_scaled(out: Any, vector: Any, length: Any) -> None:
    """Store a vector divided by its length, or zeros."""
    there = length > 0
    out[...] = where(there, vector / where(there, length, length * 0 + 1), vector * 0)


class _Lanczos:
    """Three-term recurrence of vectors u, and v = M u. Rows are the solution, two directions of it,
    and the vectors v."""

    KEPT = 3

    def __init__(self, system: System, shift: float) -> None:
        self.system, self.shift = system, shift
        n, dtype = system.b.size, system.dtype
        self.rows = zeros((self.KEPT + EVERY + 1, n), dtype)
        self.rows[0] = system.x
        self._alphas, self._betas = empty(EVERY, "d"), empty(EVERY + 1, "d")
        self._u, self._before = empty(n, dtype), zeros(n, dtype)
        r = system.residual()
        self._store(r + shift * system.x if shift and system.has_start else r, 0)
        self._replayed = Replayed(are_fixed(False, system.A, system.M))
        self.first = float(self._betas[0])
        if self.first < 0:
            raise ValueError("indefinite preconditioner")

    def _store(self, r: ndarray, k: int) -> None:
        """Store `r` with length one as u, and vector v number `k`; the length is negative where the
        preconditioner is indefinite."""
        length, row = self._betas[k], self.rows[self.KEPT + k]
        if self.system.M is None:
            norm_two(r, out=length)
            _put_scaled(self._u, r, length)
            row[...] = self._u
        else:
            y = self.system.psolve(r)
            square = vdot(r, y).real
            length[...] = where(square < 0, -1.0, umath.sqrt(umath.absolute(square)))
            _put_scaled(self._u, r, length)
            _put_scaled(row, y, length)

    def advance(self, count: int) -> list:
        """Compute so many steps; returns (alpha, beta) of each. Waits for the device."""
        if count == EVERY:
            self._replayed(self._steps, count)
        else:
            self._steps(count)
        alphas, betas = self._alphas[:count].get(), self._betas[1 : count + 1].get()
        if (betas < 0).any():
            raise ValueError("non-symmetric matrix")
        return list(zip(alphas, betas, strict=True))

    def _steps(self, count: int) -> None:  # an even number leaves both vectors where they were
        for k in range(count):
            v = self.rows[self.KEPT + k]
            y = _less(self.system.A.matvec(v), self.shift, v, self._betas[k], self._before)
            alpha = self._alphas[k]
            alpha[...] = vdot(v, y).real
            y = _step_back(y, alpha, self._u)
            self._before, self._u = self._u, self._before
            self._store(y, k + 1)

    def keep(self, vectors: Any, count: int) -> None:
        """Replace the first rows, and go on after `count` steps."""
        self.rows[: self.KEPT] = vectors
        self.rows[self.KEPT] = self.rows[self.KEPT + count]
        self._betas[0] = self._betas[count]

    def unit(self, row: int) -> Any:
        """The coefficients of a row."""
        out = np.zeros(self.rows.shape[0])
        out[row] = 1
        return out

    def combined(self, coefficients: Any) -> ndarray:
        """Vectors with these coefficients."""
        return asarray(as_host(coefficients).astype(self.rows.dtype)) @ self.rows


class _Numbers:
    """Numbers of the recurrences, by the names of Paige and Saunders (SIAM J. Numer. Anal. 12,
    1975)."""

    def __init__(self, beta: float) -> None:
        self.first = self.phibar = self.beta = np.float64(beta)
        self.dbar = self.epsilon = self.squares = self.largest = np.float64(0)
        self.smallest = np.float64(np.finfo("d").max)
        self.cs, self.sn, self.root, self.steps = np.float64(-1), np.float64(0), np.float64(0), 0
        self.is_eigenvector = False

    def step(self, alpha: float, beta: Any) -> tuple[float, float, float, float]:
        """Numbers of the next step; returns factors of both directions, gamma and phi."""
        self.steps += 1
        self.squares += alpha**2 + self.beta**2 + beta**2
        self.beta = beta
        if self.steps == 1:
            self.is_eigenvector = bool(beta / self.first <= 10 * EPS)
        before = self.epsilon
        delta, gbar = self.cs * self.dbar + self.sn * alpha, self.sn * self.dbar - self.cs * alpha
        self.epsilon, self.dbar = self.sn * beta, -self.cs * beta
        self.root = np.hypot(gbar, self.dbar)
        gamma = np.maximum(np.hypot(gbar, beta), EPS)
        self.cs, self.sn = gbar / gamma, beta / gamma
        phi, self.phibar = self.cs * self.phibar, self.sn * self.phibar
        self.largest = np.maximum(self.largest, gamma)
        self.smallest = np.minimum(self.smallest, gamma)
        return before, delta, gamma, phi

    def reason(self, xnorm: float, rtol: float, last: bool) -> int:
        """Number of the reason to stop, 0 to go on."""
        anorm = np.sqrt(self.squares)
        residual, normal = self.phibar / (anorm * xnorm), self.root / anorm
        checks = (
            (residual <= rtol, 1),
            (normal <= rtol, 2),
            (anorm * xnorm * EPS >= self.first, 3),
            (self.largest / self.smallest >= 0.1 / EPS, 4),
            (last, STEPS_REACHED),
            (1 + residual <= 1, 1),
            (1 + normal <= 1, 2),
            (self.is_eigenvector, -1),
        )
        return next((number for met, number in checks if met), 0)


@documented_as(cg)
def minres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
    show: bool = False,
    check: bool = False,
) -> tuple:
    """Solve a Hermitian system, also an indefinite or singular one, by minimal residuals.

    Parameters
    ----------
    rtol : float, optional
        Residual relative to the norms of `A` and the solution at which the iteration stops.
    shift : float, optional
        Multiple of the identity that is subtracted from `A`.
    maxiter : int, optional
        Largest number of steps, by default five times the rows.
    M : sparse matrix, ndarray or LinearOperator, optional
        Positive definite preconditioner, an approximation of the inverse of `A`.
    show : bool, optional
        Whether a line at the end tells how the iteration ended.
    check : bool, optional
        Whether a product each is computed to test that `A` and `M` are symmetric.

    Returns
    -------
    x : ndarray
        Solution of the system, of float64 or complex128.
    info : int
        0 where it converged, otherwise the number of steps.

    Raises
    ------
    ValueError
        If the preconditioner is not positive definite, or a check finds a matrix not symmetric.

    Notes
    -----
    The host reads numbers twice in eight steps, and the iteration stops at the step at which
    SciPy's stops. Complex Hermitian matrices are computed as such.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import minres
    >>> x, info = minres(cp.array([[2.0, 1.0], [1.0, -4.0]]), cp.ones(2))
    >>> x.round(6), info
    (array([ 0.555556, -0.111111]), 0)
    """
    s, rtol = System(A, b, x0, M, np.dtype("d")), float(as_tolerance(rtol, "rtol"))
    limit = 5 * s.b.size if maxiter is None else int(maxiter)
    if check:
        _check_symmetry(s)
    if not bool(norm(s.b) != 0):
        return zeros(s.b.size, s.dtype), 0
    process = _Lanczos(s, shift)
    numbers, istop, size = _Numbers(process.first), 0, 0.0
    while process.first != 0 and numbers.steps < limit and not istop:
        with np.errstate(all="ignore"):
            istop, size = _some_steps(process, numbers, limit, rtol, callback)
    if show:
        print(f"minres: {REASONS[istop]} after {numbers.steps} steps; xnorm = {size:.3e}")
    return process.rows[0].copy(), limit if istop == STEPS_REACHED else 0


def _some_steps(
    process: _Lanczos, numbers: _Numbers, limit: int, rtol: float, callback: Any
) -> tuple[int, float]:
    """Several steps: the reason to stop, 0 to go on, and the norm of the solution."""
    count, steps = min(EVERY, limit - numbers.steps), numbers.steps
    x, w2, w = (process.unit(row) for row in range(process.KEPT))
    states, kept, solutions = [], [], []
    for k, (alpha, beta) in enumerate(process.advance(count)):
        epsilon, delta, gamma, phi = numbers.step(alpha, beta)
        w2, w = w, (process.unit(process.KEPT + k) - epsilon * w2 - delta * w) / gamma
        x = x + phi * w
        solutions.append(x)
        kept.append((x, w2, w))
        states.append(dict(vars(numbers)))
    vectors = process.combined(solutions)
    sizes = norm_two(vectors, axis=1).get().tolist()
    for k, state in enumerate(states):
        vars(numbers).update(state)
        istop = numbers.reason(sizes[k], rtol, steps + k + 1 >= limit)
        if callback is not None:
            callback(vectors[k].copy())
        if istop:
            break
    process.keep(process.combined(kept[k]), k + 1)
    return istop, sizes[k]


def _check_symmetry(s: System) -> None:
    """Test with one vector that the matrix and the preconditioner are symmetric."""
    for name, product in (("matrix", s.A.matvec), ("preconditioner", s.psolve)):
        if name == "preconditioner" and s.M is None:
            continue
        y = product(s.b)
        square, other = vdot(y, y).real, vdot(s.b, product(y)).real
        pair = umath.absolute(square - other).get(), square.get()
        if float(pair[0]) > (float(pair[1]) + EPS) * EPS ** (1 / 3):
            raise ValueError(f"non-symmetric {name}")

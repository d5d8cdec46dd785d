"""Krylov methods. Numbers stay on the device: whether to stop is read every few steps, and from the
step on that SciPy would stop at, nothing changes."""

from typing import Any

import numpy as np

from ...._core._docstrings import documented_as
from ...._core._sparse import KRYLOV_MOST_BLOCKS, krylov_advance, krylov_dot, krylov_turn
from ...._core.fusion import fuse
from ...._core.multiarray import asarray, empty, empty_like, where, zeros
from ...._core.products import vdot
from ....cuda.graph import Replayed  # type: ignore[attr-defined]
from ....linalg import norm
from ._krylov import Basis
from ._system import RUNNING, Iteration, System, are_fixed

__all__ = ["bicg", "bicgstab", "cg", "cgs", "gmres"]

RHO, OTHER = -10, -11  # breakdowns: of the first number that is divided by, and of the others


def _quotient_of(a: Any, b: Any, active: Any) -> Any:
    """a / b while a method runs, and 0 afterwards."""
    return where(active, a / where(active, b, b * 0 + 1), a * 0)


@fuse
def _quotient(a: Any, b: Any, state: Any) -> Any:
    """a / b while a method runs, and 0 afterwards, in one launch."""
    return _quotient_of(a, b, state == RUNNING)


@fuse
def _step(x: Any, factor: Any, p: Any) -> Any:
    """Return x + factor * p, in one launch."""
    return x + factor * p


@fuse
def _step_back(x: Any, factor: Any, p: Any) -> Any:
    """Return x - factor * p, in one launch."""
    return x - factor * p


@fuse
def _direction(r: Any, beta: Any, p: Any, omega: Any, v: Any) -> Any:
    """Return the next direction of stabilised biconjugate gradients, in one launch."""
    return r + beta * (p - omega * v)


@fuse
def _direction_squared(u: Any, beta: Any, q: Any, p: Any) -> Any:
    """Return the next direction of squared conjugate gradients, in one launch."""
    return u + beta * (q + beta * p)


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple:
    """Solve a Hermitian positive definite system by conjugate gradients.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Matrix of the system, which must be square.
    b : ndarray
        Right-hand side, of shape (n,) or (n, 1).
    x0 : ndarray or str, optional
        Estimate of the solution to start with, zeros by default; "Mb" is the preconditioner's
        product with `b`.
    rtol : float, optional
        Residual relative to that of `b` at which the iteration stops.
    atol : float, optional
        Residual at which the iteration stops.
    maxiter : int, optional
        Largest number of steps, by default ten times the rows.
    M : sparse matrix, ndarray or LinearOperator, optional
        Preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Function of the present solution, called after each step.

    Returns
    -------
    x : ndarray
        Solution of the system.
    info : int
        0 where it converged before the last step, -10 and -11 after a breakdown, as a number to
        divide by was too small or zero, otherwise the number of steps.

    Notes
    -----
    Whether to stop is read from the device every eight steps, with a callback at each. Steps with
    matrices are replayed as a CUDA graph.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import cg
    >>> x, info = cg(cp.array([[2.0, 0.0], [0.0, 4.0]]), cp.ones(2))
    >>> x, info
    (array([0.5 , 0.25]), 0)
    """
    s = Iteration(A, b, x0, M, rtol, atol, maxiter, callback)
    n, p, rho = s.b.size, empty_like(s.b), empty(2, s.dtype)
    norms, energies = empty(KRYLOV_MOST_BLOCKS, s.dtype), empty(KRYLOV_MOST_BLOCKS, s.dtype)
    rhos = norms if s.M is None else empty_like(norms)
    state = zeros(2, "i4") + s.state
    nothing = (None,) * 4
    krylov_dot(s.r, s.r, *nothing, norms, None, None, None, n, 0, 0)

    def test(step: int) -> None:
        z = s.vector(s.psolve(s.r))
        if s.M is not None:
            krylov_dot(s.r, z, *nothing, rhos, None, None, None, n, 0, 0)
        krylov_turn(
            None, z, p, None, norms, rhos, None, rho, state, s.tolerance, n, step, step == 0
        )
        s.state = state[step % 2]

    def advance(step: int) -> None:
        q = s.vector(s.A.matvec(p))
        krylov_dot(p, q, *nothing, energies, None, None, None, n, 0, 0)
        krylov_advance(s.x, s.r, p, q, energies, None, norms, rho, state, None, n, step, 0)

    s.run(advance, test)
    return s.result()


@documented_as(cg)
def bicg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple:
    """Solve a system by biconjugate gradients; `A` and `M` need products of their adjoints."""
    s = Iteration(A, b, x0, M, rtol, atol, maxiter, callback)
    t = s.carried
    t.other, t.p, t.q, t.rho = s.r.copy(), None, None, None

    def advance(step: int) -> None:
        z = s.psolve(s.r)
        w = t.other if s.M is None else s.M.rmatvec(t.other)
        before, t.rho = t.rho, vdot(t.other, z)
        s.stop_if_small(t.rho, s.eps**2, RHO)
        if step == 0:
            t.p, t.q = z.copy(), w.copy()
        else:
            beta = _quotient(t.rho, before, s.state)
            t.p, t.q = z + beta * t.p, w + beta.conj() * t.q
        image = s.A.matvec(t.p)
        product = vdot(t.q, image)
        s.stop_if_zero(product, OTHER)
        alpha = _quotient(t.rho, product, s.state)
        s.x = _step(s.x, alpha, t.p)
        s.r = _step_back(s.r, alpha, image)
        t.other = t.other - alpha.conj() * s.A.rmatvec(t.q)

    s.run(advance, takes_adjoints=True)
    return s.result()


@documented_as(cg)
def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple:
    """Solve a system by stabilised biconjugate gradients."""
    s = Iteration(A, b, x0, M, rtol, atol, maxiter, callback)
    t, first = s.carried, s.r.copy()
    t.p = t.v = t.rho = t.alpha = t.omega = None

    def advance(step: int) -> None:
        before, t.rho = t.rho, vdot(first, s.r)
        s.stop_if_small(t.rho, s.eps**2, RHO)
        if step == 0:
            t.p = s.r.copy()
        else:
            s.stop_if_small(t.omega, s.eps**2, OTHER)
            beta = _quotient(t.rho * t.alpha, before * t.omega, s.state)
            t.p = _direction(s.r, beta, t.p, t.omega, t.v)
        y = s.psolve(t.p)
        t.v = s.A.matvec(y)
        product = vdot(first, t.v)
        s.stop_if_zero(product, OTHER)
        t.alpha = _quotient(t.rho, product, s.state)
        s.r = _step_back(s.r, t.alpha, t.v)
        s.x = _step(s.x, t.alpha, y)
        s.test(s.r)
        z = s.psolve(s.r)
        image = s.A.matvec(z)
        t.omega = _quotient(vdot(image, s.r), vdot(image, image), s.state)
        s.x = _step(s.x, t.omega, z)
        s.r = _step_back(s.r, t.omega, image)

    s.run(advance)
    return s.result()


@documented_as(cg)
def cgs(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
) -> tuple:
    """Solve a system by squared conjugate gradients."""
    s = Iteration(A, b, x0, M, rtol, atol, maxiter, callback)
    t, first = s.carried, s.r.copy()
    t.p = t.q = t.rho = None

    def advance(step: int) -> None:
        before, t.rho = t.rho, vdot(first, s.r)
        s.stop_if_small(t.rho, s.eps**2, RHO)
        if step == 0:
            u = s.r.copy()
            t.p = u.copy()
        else:
            beta = _quotient(t.rho, before, s.state)
            u = _step(s.r, beta, t.q)
            t.p = _direction_squared(u, beta, t.q, t.p)
        v = s.A.matvec(s.psolve(t.p))
        product = vdot(first, v)
        s.stop_if_zero(product, OTHER)
        alpha = _quotient(t.rho, product, s.state)
        t.q = _step_back(u, alpha, v)
        both = s.psolve(u + t.q)
        s.x = _step(s.x, alpha, both)
        s.r = _step_back(s.r, alpha, s.A.matvec(both))

    s.run(advance)
    return s.result()


@documented_as(cg)
def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: Any = None,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
    callback_type: Any = None,
) -> tuple:
    """Solve a system by generalised minimal residuals.

    Parameters
    ----------
    restart : int, optional
        Steps between restarts, 20 by default.
    maxiter : int, optional
        Largest number of restarts, by default ten times the rows.
    M : sparse matrix, ndarray or LinearOperator, optional
        Preconditioner, an approximation of the inverse of `A`, applied from the right.
    callback : callable, optional
        Function that is called after each restart, as `callback_type` says.
    callback_type : {'x', 'pr_norm'}, optional
        Whether the callback gets the solution or the relative residual, which is the default.

    Returns
    -------
    x : ndarray
        Solution of the system.
    info : int
        0 where it converged, otherwise the number of restarts.

    Notes
    -----
    Vectors are made orthogonal by classical Gram-Schmidt, in a second pass where the first one
    leaves parts along the others of more than the square root of the type's accuracy: the residual
    is the smallest one up to that relative difference. The small least-squares problem of each
    restart is solved on the host, which waits for the device once a restart. `maxiter` counts
    restarts, as SciPy's does: up to ``restart * maxiter`` products are computed.
    """
    if callback_type not in (None, "x", "pr_norm", "legacy"):
        raise ValueError(f"Unknown callback_type: {callback_type!r}")
    s = Iteration(A, b, x0, M, rtol, atol, maxiter, None)
    n = s.b.size
    steps = min(20 if restart is None else int(restart), n)
    size, tolerance = float(norm(s.b)), float(s.tolerance)
    if size == 0:
        return zeros(n, s.dtype), 0
    if x0 is not None and float(norm(s.r)) <= tolerance:
        return s.x, 0
    krylov_space = _Arnoldi(s, steps)
    for _ in range(s.maxiter):
        basis, hessenberg, start = krylov_space.read()
        if start <= tolerance:
            return s.x, 0
        weights, rest = small_least_squares(hessenberg, start, tolerance)
        if not weights.size:
            break
        s.x = s.x + s.psolve(asarray(weights) @ basis[: weights.size])
        s.r = s.b - s.A.matvec(s.x)
        if callback is not None:
            callback(s.x if callback_type == "x" else float(norm(s.r)) / size)
        if rest <= tolerance and float(norm(s.r)) <= tolerance:
            return s.x, 0
    return s.x, 0 if float(norm(s.r)) <= tolerance else s.maxiter


class _Arnoldi:
    """An orthonormal basis of the Krylov space of the present residual, its vectors as rows."""

    def __init__(self, s: System, steps: int) -> None:
        self._s: Any
        self._s, self._steps = s, steps
        self._basis = Basis(steps, s.b.size, s.dtype, slack=np.finfo(s.dtype).eps ** 0.5)
        self._replayed = Replayed(are_fixed(False, s.A, s.M))

    def _advance(self) -> None:
        for k in range(self._steps):
            w = self._s.A.matvec(self._s.psolve(self._basis.vectors[k]))
            self._basis.extend(k, w)

    def read(self) -> tuple:
        """Compute it; returns the basis, and the Hessenberg matrix and the norm of the residual on
        the host, which are read in one copy."""
        self._basis.put(0, self._s.r)
        self._replayed(self._advance)
        coefficients, lengths = self._basis.read()
        steps = self._steps
        hessenberg = np.zeros((steps + 1, steps), self._s.dtype)
        hessenberg[:-1] = coefficients
        hessenberg[np.arange(1, steps + 1), np.arange(steps)] = lengths[1:]
        return self._basis.vectors, hessenberg, float(lengths[0])


def small_least_squares(h: Any, start: float, tolerance: float) -> tuple:
    """The weights of the first few vectors with which the residual is small enough, or of all, and
    the norm of the residual."""
    columns = h.shape[1]
    right = np.zeros(columns + 1, h.dtype)
    right[0] = start
    count = columns
    triangle = h.copy()
    for k in range(columns):
        a, c = triangle[k, k], triangle[k + 1, k]
        length = np.hypot(abs(a), abs(c))
        if not length > 0:
            count = k
            break
        turn = np.array([[np.conj(a), np.conj(c)], [-c, a]]) / length
        triangle[k : k + 2, k:] = turn @ triangle[k : k + 2, k:]
        right[k : k + 2] = turn @ right[k : k + 2]
        if abs(right[k + 1]) <= tolerance:
            count = k + 1
            break
    if not count:
        return right[:0], abs(right[0])
    cutoff = count * np.finfo(h.dtype).eps  # of a singular matrix
    weights = np.linalg.lstsq(triangle[:count, :count], right[:count], cutoff)[0]
    return weights, abs(right[count])

"""Krylov methods. Numbers stay on the device: whether to stop is read every few steps, and from the
step on that SciPy would stop at, nothing changes."""

from typing import Any

import numpy as np

from ...._core._docstrings import documented_as
from ...._core.fusion import fuse
from ...._core.multiarray import asarray, where, zeros
from ...._core.products import vdot
from ....linalg import norm
from ._krylov import Basis
from ._system import RUNNING, Iteration, System

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
def _turn(p: Any, z: Any, rho: Any, before: Any, state: Any) -> None:
    """The next direction of conjugate gradients, in place."""
    p[...] = z + _quotient_of(rho, before, state == RUNNING) * p


@fuse
def _advance(x: Any, r: Any, p: Any, q: Any, rho: Any, energy: Any, state: Any) -> None:
    """A step of conjugate gradients along `p`, in place and in one pass over the vectors."""
    alpha = _quotient_of(rho, energy, state == RUNNING)
    x[...] = x + alpha * p
    r[...] = r - alpha * q


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
    Whether to stop is read from the device every eight steps, with a callback at each.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import cg
    >>> x, info = cg(cp.array([[2.0, 0.0], [0.0, 4.0]]), cp.ones(2))
    >>> x, info
    (array([0.5 , 0.25]), 0)
    """
    s = Iteration(A, b, x0, M, rtol, atol, maxiter, callback)
    p = rho = None
    for _ in s.steps():
        z = s.psolve(s.r)
        before, rho = rho, vdot(s.r, z)
        if p is None:
            p = z.copy()
        else:
            _turn(p, z, rho, before, s.state)
        q = s.A.matvec(p)
        _advance(s.x, s.r, p, q, rho, vdot(p, q), s.state)
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
    other, p, q, rho = s.r.copy(), None, None, None
    for _ in s.steps():
        z = s.psolve(s.r)
        w = other if s.M is None else s.M.rmatvec(other)
        before, rho = rho, vdot(other, z)
        s.stop_if_small(rho, s.eps**2, RHO)
        if p is None:
            p, q = z.copy(), w.copy()
        else:
            beta = _quotient(rho, before, s.state)
            p, q = z + beta * p, w + beta.conj() * q
        image = s.A.matvec(p)
        product = vdot(q, image)
        s.stop_if_zero(product, OTHER)
        alpha = _quotient(rho, product, s.state)
        s.x = _step(s.x, alpha, p)
        s.r = _step_back(s.r, alpha, image)
        other -= alpha.conj() * s.A.rmatvec(q)
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
    first, p, v = s.r.copy(), None, None
    rho = alpha = omega = None
    for _ in s.steps():
        before, rho = rho, vdot(first, s.r)
        s.stop_if_small(rho, s.eps**2, RHO)
        if p is None:
            p = s.r.copy()
        else:
            s.stop_if_small(omega, s.eps**2, OTHER)
            beta = _quotient(rho * alpha, before * omega, s.state)
            p = s.r + beta * (p - omega * v)
        y = s.psolve(p)
        v = s.A.matvec(y)
        product = vdot(first, v)
        s.stop_if_zero(product, OTHER)
        alpha = _quotient(rho, product, s.state)
        s.r = _step_back(s.r, alpha, v)
        s.x = _step(s.x, alpha, y)
        s.test(s.r)
        z = s.psolve(s.r)
        t = s.A.matvec(z)
        omega = _quotient(vdot(t, s.r), vdot(t, t), s.state)
        s.x = _step(s.x, omega, z)
        s.r = _step_back(s.r, omega, t)
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
    first, p, q, rho = s.r.copy(), None, None, None
    for _ in s.steps():
        before, rho = rho, vdot(first, s.r)
        s.stop_if_small(rho, s.eps**2, RHO)
        if p is None:
            u = s.r.copy()
            p = u.copy()
        else:
            beta = _quotient(rho, before, s.state)
            u = s.r + beta * q
            p = u + beta * (q + beta * p)
        v = s.A.matvec(s.psolve(p))
        product = vdot(first, v)
        s.stop_if_zero(product, OTHER)
        alpha = _quotient(rho, product, s.state)
        q = u - alpha * v
        both = s.psolve(u + q)
        s.x = _step(s.x, alpha, both)
        s.r = _step_back(s.r, alpha, s.A.matvec(both))
    return s.result()


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
    Vectors are made orthogonal by two passes of classical Gram-Schmidt. The small least-squares
    problem of each restart is solved on the host, which waits for the device once a restart.
    `maxiter` counts restarts, as SciPy's does: up to ``restart * maxiter`` products are computed.
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
    for _ in range(s.maxiter):
        basis, hessenberg, start = _arnoldi(s, steps)
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


def _arnoldi(s: System, steps: int) -> tuple:
    """An orthonormal basis of the Krylov space, its vectors as rows; the Hessenberg matrix and the
    norm of the residual on the host, which are read in one copy."""
    basis = Basis(steps, s.b.size, s.dtype)
    basis.put(0, s.r)
    for k in range(steps):
        w = s.A.matvec(s.psolve(basis.vectors[k]))
        basis.put(k + 1, basis.orthogonalized(k, w))
    coefficients, lengths = basis.read()
    hessenberg = np.zeros((steps + 1, steps), s.dtype)
    hessenberg[:-1] = coefficients
    hessenberg[np.arange(1, steps + 1), np.arange(steps)] = lengths[1:]
    return basis.vectors, hessenberg, float(lengths[0])


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

"""Methods of quasi-minimal residuals."""

from typing import Any

from ...._core import umath
from ...._core._docstrings import documented_as
from ...._core.fusion import fuse
from ...._core.multiarray import where
from ...._core.products import vdot
from ....linalg import norm
from ._isolve import cg
from ._system import RUNNING, Iteration, preconditioner

__all__ = ["qmr", "tfqmr"]

# Breakdowns of qmr, by the number that is divided by.
RHO, BETA, GAMMA, DELTA, EPSILON, XI = -10, -11, -12, -13, -14, -15


@fuse
def _scaled(vector: Any, length: Any, state: Any) -> Any:
    """A vector divided by a number while a method runs, zeros afterwards."""
    active = state == RUNNING
    return where(active, vector / where(active, length, length * 0 + 1), vector * 0)


@fuse
def _turned(p: Any, y: Any, factor: Any, below: Any, state: Any) -> Any:
    """Return y - (factor / below) * p."""
    active = state == RUNNING
    return y - where(active, factor / where(active, below, below * 0 + 1), factor * 0) * p


@fuse
def _weights(theta: Any, gamma: Any, eta: Any, rho: Any, length: Any, beta: Any) -> Any:
    """The next theta, gamma and eta, and the part of the direction that stays (Freund and
    Nachtigal)."""
    after = length / (gamma * umath.absolute(beta))
    cosine = 1 / umath.sqrt(1 + after * after)
    stays = theta * cosine
    ratio = cosine / gamma
    return after, cosine, -eta * rho / beta * ratio * ratio, stays * stays


@fuse
def _move(x: Any, r: Any, d: Any, s: Any, p: Any, q: Any, eta: Any, stays: Any, state: Any) -> None:
    """Update directions `d`, `s`, solution and residual, in place, while the method runs."""
    active = state == RUNNING
    d[...] = where(active, eta * p + stays * d, d)
    s[...] = where(active, eta * q + stays * s, s)
    x[...] = where(active, x + d, x)
    r[...] = where(active, r - s, r)


def qmr(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M1: Any = None,
    M2: Any = None,
    callback: Any = None,
) -> tuple:
    """Solve a system by quasi-minimal residuals; `A` needs products of its adjoint.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Matrix of the system, which must be square.
    b : ndarray
        Right-hand side, of shape (n,) or (n, 1).
    x0 : ndarray, optional
        Estimate of the solution to start with, zeros by default.
    rtol : float, optional
        Residual relative to that of `b` at which the iteration stops.
    atol : float, optional
        Residual at which the iteration stops.
    maxiter : int, optional
        Largest number of steps, by default ten times the rows.
    M1 : sparse matrix, ndarray or LinearOperator, optional
        Left preconditioner, an approximation of the inverse of a factor of `A`.
    M2 : sparse matrix, ndarray or LinearOperator, optional
        Right preconditioner; the product of both approximates the inverse of `A`.
    callback : callable, optional
        Function of the present solution, called after each step.

    Returns
    -------
    x : ndarray
        Solution of the system.
    info : int
        0 where it converged before the last step, otherwise the number of steps; after a breakdown
        the number that was too small: -10 rho, -11 beta, -12 gamma, -13 delta, -14 epsilon, -15 xi.

    Notes
    -----
    The method of Freund and Nachtigal (Numer. Math. 60, 1991) with coupled two-term recurrences, as
    in Barrett et al., *Templates for the Solution of Linear Systems* (1994). Whether to stop is
    read from the device every eight steps, with a callback at each.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import qmr
    >>> x, info = qmr(cp.array([[2.0, 1.0], [0.0, 4.0]]), cp.ones(2))
    >>> x.round(6), info
    (array([0.375, 0.25 ]), 0)
    """
    s = Iteration(A, b, x0, None, rtol, atol, maxiter, callback)
    left, right = (preconditioner(M, s.A.shape) for M in (M1, M2))
    apply = _Pair(left, right)
    v, w = s.r.copy(), s.r.copy()
    y, z = apply.left(v), apply.right_adjoint(w)
    rho, xi = norm(y), norm(z)
    theta, gamma, eta = rho * 0, rho * 0 + 1, (rho * 0 - 1).astype(s.dtype)
    p = q = epsilon = None
    direction, image = s.x * 0, s.x * 0
    for _ in s.steps():
        s.stop_if_small(rho, s.eps, RHO)
        s.stop_if_small(xi, s.eps, XI)
        v, y = _scaled(v, rho, s.state), _scaled(y, rho, s.state)
        w, z = _scaled(w, xi, s.state), _scaled(z, xi, s.state)
        delta = vdot(z, y)
        s.stop_if_small(delta, s.eps, DELTA)
        y, z = apply.right(y), apply.left_adjoint(z)
        if p is None:
            p, q = y.copy(), z.copy()
        else:
            p = _turned(p, y, xi * delta, epsilon, s.state)
            q = _turned(q, z, rho * delta.conj(), epsilon.conj(), s.state)
        product = s.A.matvec(p)
        epsilon = vdot(q, product)
        s.stop_if_small(epsilon, s.eps, EPSILON)
        beta = _scaled(epsilon, delta, s.state)
        s.stop_if_small(beta, s.eps, BETA)
        v = product - beta * v
        y = apply.left(v)
        before, rho = rho, norm(y)
        w = s.A.rmatvec(q) - beta.conj() * w
        z = apply.right_adjoint(w)
        xi = norm(z)
        theta, gamma, eta, stays = _weights(theta, gamma, eta, before, rho, beta)
        s.stop_if_small(gamma, s.eps, GAMMA)
        _move(s.x, s.r, direction, image, p, product, eta, stays, s.state)
    return s.result()


class _Pair:
    """Products of two preconditioners and of their adjoints."""

    def __init__(self, left: Any, right: Any) -> None:
        def product(operator: Any, name: str) -> Any:
            return (lambda v: v) if operator is None else getattr(operator, name)

        self.left, self.left_adjoint = product(left, "matvec"), product(left, "rmatvec")
        self.right, self.right_adjoint = product(right, "matvec"), product(right, "rmatvec")


@fuse
def _turn_free(d: Any, u: Any, theta: Any, eta: Any, alpha: Any, state: Any) -> None:
    """The next direction of the transpose-free method, in place."""
    active = state == RUNNING
    factor = theta * theta * eta
    d[...] = u + where(active, factor / where(active, alpha, alpha * 0 + 1), factor * 0) * d


@fuse
def _shrink(size: Any, tau: Any, alpha: Any, state: Any) -> Any:
    """The next theta, tau and eta."""
    active = state == RUNNING
    theta = where(active, size / where(active, tau, tau * 0 + 1), size * 0)
    square = 1 / (1 + theta * theta)
    return theta, tau * theta * umath.sqrt(square), square * alpha


@fuse
def _add_while(x: Any, factor: Any, d: Any, state: Any) -> None:
    """Add factor * d to x, in place, while the method runs."""
    x[...] = where(state == RUNNING, x + factor * d, x)


@documented_as(cg)
def tfqmr(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: Any = None,
    M: Any = None,
    callback: Any = None,
    show: bool = False,
) -> tuple:
    """Solve a system by quasi-minimal residuals without products of the adjoint.

    Parameters
    ----------
    maxiter : int, optional
        Largest number of half-steps, by default ten times the rows but at most 10000.
    M : sparse matrix, ndarray or LinearOperator, optional
        Preconditioner, an approximation of the inverse of `A`, applied from the right.
    show : bool, optional
        Whether a line at the end tells how the iteration ended.

    Returns
    -------
    x : ndarray
        Solution of the system.
    info : int
        0 where it converged, -1 after a breakdown, otherwise the number of half-steps.

    Notes
    -----
    The method of Freund (SIAM J. Sci. Comput. 14, 1993). It stops when a bound of the residual is
    small enough. Whether to stop is read from the device every eight half-steps, with a callback at
    each.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import tfqmr
    >>> x, info = tfqmr(cp.array([[2.0, 1.0], [0.0, 4.0]]), cp.ones(2))
    >>> x.round(6), info
    (array([0.375, 0.25 ]), 0)
    """
    s = Iteration(A, b, x0, M, rtol, atol, maxiter, callback)
    if maxiter is None:
        s.maxiter = min(s.maxiter, 10000)
    first, u, w = s.r.copy(), s.r, s.r.copy()
    s.test(s.r)
    v = s.A.matvec(s.psolve(u))
    image, d = v, s.x * 0
    rho = vdot(first, s.r)
    tau = norm(s.r)
    theta, eta, alpha, step = tau * 0, rho * 0, rho * 0 + 1, 0
    for step in range(s.maxiter):
        if s.is_reading(step) and s.state.get() != RUNNING:
            break
        if step % 2 == 0:
            product = vdot(first, v)
            s.stop_if_zero(product, -1)
            alpha = _scaled(rho, product, s.state)
            after = u - alpha * v
        w = w - alpha * image
        _turn_free(d, u, theta, eta, alpha, s.state)
        theta, tau, eta = _shrink(norm(w), tau, alpha, s.state)
        _add_while(s.x, eta, s.psolve(d), s.state)
        if callback is not None and s.state.get() == RUNNING:
            callback(s.x)
        s.test(tau * (step + 1) ** 0.5)
        if step % 2:
            before, rho = rho, vdot(first, w)
            beta = _scaled(rho, before, s.state)
            u = w + beta * u
            v = beta * (image + beta * v)
            image = s.A.matvec(s.psolve(u))
            v += image
        else:
            u = after
            image = s.A.matvec(s.psolve(u))
    x, info = s.result()
    if show:
        print(f"tfqmr: info = {info} after {step} half-steps or fewer; bound {float(tau):.3e}")
    return x, info

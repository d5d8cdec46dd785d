"""Methods of quasi-minimal residuals."""

from typing import Any

from ...._core import umath
from ...._core._docstrings import documented_as
from ...._core.fusion import fuse
from ...._core.multiarray import where
from ...._core.products import vdot
from ....linalg import norm
from ._isolve import cg
from ._system import CONVERGED, RUNNING, Iteration, preconditioner

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


@documented_as(cg)
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
    M1 : sparse matrix, ndarray or LinearOperator, optional
        Left preconditioner, an approximation of the inverse of a factor of `A`.
    M2 : sparse matrix, ndarray or LinearOperator, optional
        Right preconditioner; the product of both approximates the inverse of `A`.

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
    s.others, t = (left, right), s.carried
    t.v, t.w = s.r.copy(), s.r.copy()
    t.y, t.z = apply.left(t.v), apply.right_adjoint(t.w)
    t.rho, t.xi = norm(t.y), norm(t.z)
    t.theta, t.gamma, t.eta = t.rho * 0, t.rho * 0 + 1, (t.rho * 0 - 1).astype(s.dtype)
    t.p = t.q = t.epsilon = None
    direction, image = s.x * 0, s.x * 0

    def advance(step: int) -> None:
        s.stop_if_small(t.rho, s.eps, RHO)
        s.stop_if_small(t.xi, s.eps, XI)
        v, y = _scaled(t.v, t.rho, s.state), _scaled(t.y, t.rho, s.state)
        w, z = _scaled(t.w, t.xi, s.state), _scaled(t.z, t.xi, s.state)
        delta = vdot(z, y)
        s.stop_if_small(delta, s.eps, DELTA)
        y, z = apply.right(y), apply.left_adjoint(z)
        if step == 0:
            t.p, t.q = y.copy(), z.copy()
        else:
            t.p = _turned(t.p, y, t.xi * delta, t.epsilon, s.state)
            t.q = _turned(t.q, z, t.rho * delta.conj(), t.epsilon.conj(), s.state)
        product = s.A.matvec(t.p)
        t.epsilon = vdot(t.q, product)
        s.stop_if_small(t.epsilon, s.eps, EPSILON)
        beta = _scaled(t.epsilon, delta, s.state)
        s.stop_if_small(beta, s.eps, BETA)
        t.v = product - beta * v
        t.y = apply.left(t.v)
        before, t.rho = t.rho, norm(t.y)
        t.w = s.A.rmatvec(t.q) - beta.conj() * w
        t.z = apply.right_adjoint(t.w)
        t.xi = norm(t.z)
        t.theta, t.gamma, t.eta, stays = _weights(t.theta, t.gamma, t.eta, before, t.rho, beta)
        s.stop_if_small(t.gamma, s.eps, GAMMA)
        _move(s.x, s.r, direction, image, t.p, product, t.eta, stays, s.state)

    s.run(advance, takes_adjoints=True)
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


@fuse
def _settle_bounded(state: Any, tau: Any, done: Any, tolerance: Any) -> None:
    """Count a half-step, and note that the bound of the residual is small enough."""
    count = done + 1
    done[...] = count
    bound = tau * umath.sqrt(count)
    state[...] = where((state == RUNNING) & (bound < tolerance), CONVERGED, state)


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
    t, first = s.carried, s.r.copy()
    t.u, t.w, t.d = s.r.copy(), s.r.copy(), s.x * 0
    t.image = t.v = s.A.matvec(s.psolve(t.u))
    t.rho, t.tau = vdot(first, s.r), norm(s.r)
    t.theta, t.eta, t.alpha = t.tau * 0, t.rho * 0, t.rho * 0 + 1
    t.after, done = t.u, t.tau * 0  # `done` counts half-steps

    def advance(step: int) -> None:
        if step % 2 == 0:
            product = vdot(first, t.v)
            s.stop_if_zero(product, -1)
            t.alpha = _scaled(t.rho, product, s.state)
            t.after = t.u - t.alpha * t.v
        t.w = t.w - t.alpha * t.image
        _turn_free(t.d, t.u, t.theta, t.eta, t.alpha, s.state)
        t.theta, t.tau, t.eta = _shrink(norm(t.w), t.tau, t.alpha, s.state)
        _add_while(s.x, t.eta, s.psolve(t.d), s.state)

    def test(step: int) -> None:
        if step == 0:
            s.test(s.r)
            return
        _settle_bounded(s.state, t.tau, done, s.tolerance)
        if step % 2 == 0:
            before, t.rho = t.rho, vdot(first, t.w)
            beta = _scaled(t.rho, before, s.state)
            t.u = t.w + beta * t.u
            t.v = beta * (t.image + beta * t.v)
            t.image = s.A.matvec(s.psolve(t.u))
            t.v += t.image
        else:
            t.u = t.after
            t.image = s.A.matvec(s.psolve(t.u))

    step = s.run(advance, test, tests_last=True)
    x, info = s.result()
    if show:
        print(f"tfqmr: info = {info} after {step} half-steps or fewer; bound {float(t.tau):.3e}")
    return x, info

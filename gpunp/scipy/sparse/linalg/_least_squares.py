"""Least squares by the bidiagonalisation of Golub and Kahan.

Several steps run before the host reads their lengths. From these it follows the recurrences of
numbers, with vectors as coefficients of those that lie on the device, and stops where SciPy stops.
"""

from math import hypot, sqrt
from typing import Any

import numpy as np

from ...._core._convert import as_array, as_host
from ...._core._docstrings import documented_as
from ...._core.fusion import fuse
from ...._core.multiarray import asarray, empty, ndarray, where, zeros
from ...._core.norms import norm_two
from ....cuda.graph import Replayed  # type: ignore[attr-defined]
from .._sputils import upcast
from ._interface import aslinearoperator
from ._system import are_fixed

__all__ = ["lsmr", "lsqr"]

STEPS = 8  # between two readings
REASONS = (
    "x = 0 is the solution",
    "the residual is small enough",
    "the least-squares solution is accurate enough",
    "the condition number is too large",
    "the residual is as small as the type allows",
    "the least-squares solution is as accurate as the type allows",
    "the condition number is as large as the type allows",
    "the largest number of steps was reached",
)


@fuse
def _remainder(image: Any, length: Any, before: Any) -> Any:
    """Return image - length * before, in one launch."""
    return image - length * before


@fuse
def _put_normalized(out: Any, vector: Any, length: Any) -> None:
    """Store a vector divided by its length, or zeros."""
    there = length > 0
    out[...] = where(there, vector / where(there, length, length * 0 + 1), vector * 0)


class _Bidiagonalization:
    """Vectors u and v; rows of `rows` are `kept` vectors of a method, and the last vectors v."""

    def __init__(self, A: Any, b: Any, x0: Any, kept: int) -> None:
        self.A = aslinearoperator(A)
        m, n = self.A.shape
        b, x0 = as_array(b), None if x0 is None else as_array(x0)
        b = b.reshape(1) if b.ndim == 0 else b
        if b.shape not in ((m,), (m, 1)):
            raise ValueError(f"dimension mismatch: {b.shape} for a matrix of shape {self.A.shape}")
        if x0 is not None and x0.shape not in ((n,), (n, 1)):
            raise ValueError(f"dimension mismatch: x0 {x0.shape}, matrix {self.A.shape}")
        dtype = upcast(self.A.dtype, b.dtype, np.dtype("d"))
        self.x = zeros(n, dtype) if x0 is None else x0.reshape(-1).astype(dtype)
        b = b.reshape(-1).astype(dtype, copy=False)
        self.kept, self.rows = kept, zeros((kept + STEPS, n), dtype)
        self._lengths = empty(2 * STEPS + 1, "d")
        norm_two(b, out=self._lengths[-1])
        self.u = empty(m, dtype)
        self._store(b if x0 is None else b - self.A.matvec(self.x), self.u, 0)
        self._store(self.A.rmatvec(self.u), self.rows[-1], 1)
        read = self._lengths.get()
        self.beta, self.alpha, self.b_length = float(read[0]), float(read[1]), float(read[-1])
        self._alpha = self._lengths[1].copy()
        self._v = self.rows[-1]
        self._replayed = Replayed(are_fixed(True, self.A))

    def _store(self, vector: ndarray, out: ndarray, place: int) -> ndarray:
        length = norm_two(vector, out=self._lengths[place])
        _put_normalized(out, vector, length)
        return length

    def advance(self, count: int) -> list:
        """Compute so many steps; returns (beta, alpha) of each. Waits for the device."""
        if count == STEPS:
            self._replayed(self._steps, count)
        else:
            self._steps(count)
        return self._lengths[: 2 * count].get().reshape(count, 2).tolist()

    def _steps(self, count: int) -> None:
        alpha, v = self._alpha, self._v  # the last vector after STEPS steps is where it was before
        for k in range(count):
            image = self.A.matvec(v)
            beta = self._store(_remainder(image, alpha, self.u), self.u, 2 * k)
            image = self.A.rmatvec(self.u)
            row = self.rows[self.kept + k]
            alpha = self._store(_remainder(image, beta, v), row, 2 * k + 1)
            v = row
        self._alpha[...] = alpha

    def unit(self, row: int) -> Any:
        """The coefficients of a row."""
        out = np.zeros(self.rows.shape[0])
        out[row] = 1
        return out

    def combined(self, coefficients: Any) -> ndarray:
        """Vectors with these coefficients."""
        return asarray(as_host(coefficients).astype(self.rows.dtype)) @ self.rows


def _rotation(a: float, b: float) -> tuple[float, float, float]:
    """Cosine, sine and length of the rotation that makes (a, b) to (length, 0)."""
    length = hypot(a, b)
    return (a / length, b / length, length) if length else (1.0, 0.0, 0.0)


def _reason(
    tests: tuple[float, float, float], limits: tuple[float, float, float], growth: float, last: bool
) -> int:
    """Number of the reason to stop, 0 to go on: of relative residuals of the system and of the
    normal equations and of the reciprocal condition; `growth` is norm(A) norm(x) / norm(b)."""
    test1, test2, test3 = tests
    btol, atol, ctol = limits
    checks = (
        test1 <= btol + atol * growth,
        test2 <= atol,
        test3 <= ctol,
        1 + test1 / (1 + growth) <= 1,
        1 + test2 <= 1,
        1 + test3 <= 1,
        last,
    )
    return next((number for number, met in enumerate(checks, 1) if met), 0)


class _Lsqr:
    """Numbers of the recurrences of Paige and Saunders (ACM Trans. Math. Softw. 8, 1982)."""

    def __init__(self, process: _Bidiagonalization, damp: float) -> None:
        self.damp, self.alpha, self.rhobar = damp, process.alpha, process.alpha
        self.phibar = self.rnorm = self.r1norm = process.beta
        self.arnorm = process.alpha * process.beta
        self.anorm = self.acond = self.xnorm = 0.0
        self.res2 = self.sn2 = self.z = self.xxnorm = self.ddnorm = 0.0
        self.cs2 = -1.0

    def step(self, beta: float, alpha: float) -> tuple[float, float, float]:
        """Numbers of the next step; returns rho, phi and theta."""
        if beta > 0:
            self.anorm = sqrt(self.anorm**2 + self.alpha**2 + beta**2 + self.damp**2)
            self.alpha = alpha
        rhobar = self.rhobar
        if self.damp:
            cosine, sine, rhobar = _rotation(rhobar, self.damp)
            self.res2 += (sine * self.phibar) ** 2
            self.phibar *= cosine
        cs, sn, rho = _rotation(rhobar, beta)
        theta, self.rhobar = sn * self.alpha, -cs * self.alpha
        phi, self.phibar = cs * self.phibar, sn * self.phibar
        self._norm_of_x(rho, phi, theta)
        self.rnorm = sqrt(self.phibar**2 + self.res2)
        self.arnorm = self.alpha * abs(sn * phi)
        square = self.rnorm**2 - self.damp**2 * self.xxnorm
        self.r1norm = sqrt(abs(square)) if square >= 0 else -sqrt(-square)
        return rho, phi, theta

    def _norm_of_x(self, rho: float, phi: float, theta: float) -> None:
        delta, gambar = self.sn2 * rho, -self.cs2 * rho
        rhs = phi - delta * self.z
        self.xnorm = sqrt(self.xxnorm + (rhs / gambar) ** 2)
        gamma = hypot(gambar, theta)
        self.cs2, self.sn2, self.z = gambar / gamma, theta / gamma, rhs / gamma
        self.xxnorm += self.z**2


def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: Any = None,
    show: bool = False,
    calc_var: bool = False,
    x0: Any = None,
) -> tuple:
    """Solve a least-squares problem, also a damped one, by bidiagonalisation.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Matrix of any shape; an operator needs products of its adjoint.
    b : ndarray
        Right-hand side, of shape (m,) or (m, 1).
    damp : float, optional
        Weight of the norm of the solution.
    atol : float, optional
        Relative error of `A`: below which residual of the normal equations to stop.
    btol : float, optional
        Relative error of `b`: below which residual to stop.
    conlim : float, optional
        Condition number at which the iteration stops, 0 for none.
    iter_lim : int, optional
        Largest number of steps, by default twice the columns.
    show : bool, optional
        Whether the reason to stop and the norms are printed at the end.
    calc_var : bool, optional
        Whether the diagonal of the inverse of the normal equations' matrix is estimated.
    x0 : ndarray, optional
        Estimate of the solution to start with, zeros by default.

    Returns
    -------
    x : ndarray
        Solution, of float64 or complex128.
    istop : int
        Reason to stop: 0 for a solution of zeros, 1 for a small residual, 2 for a small one of the
        normal equations, 3 for the condition number, 4 to 6 for these at the limits of the type, 7
        for the number of steps.
    itn : int
        Number of steps.
    r1norm : float
        Norm of the residual.
    r2norm : float
        Norm of the residual of the damped problem.
    anorm : float
        Estimate of the Frobenius norm of the damped matrix.
    acond : float
        Estimate of its condition number.
    arnorm : float
        Estimate of the norm of the residual of the normal equations.
    xnorm : float
        Norm of the solution.
    var : ndarray
        Estimated diagonal, of zeros without `calc_var`.

    Notes
    -----
    The host reads numbers twice in eight steps, and the iteration stops at the step at which
    SciPy's stops.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import lsqr
    >>> lsqr(cp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), cp.array([1.0, 0.0, -1.0]))[0].round(6)
    array([ 1., -1.])
    """
    process = _Bidiagonalization(A, b, x0, 2)
    n = process.x.size
    limit = 2 * n if iter_lim is None else int(iter_lim)
    rows, numbers = process.rows, _Lsqr(process, damp)
    rows[0], rows[1] = process.x, rows[-1]
    var, istop, itn = zeros(n), 0, 0
    limits = btol, atol, 1 / conlim if conlim > 0 else 0.0
    while numbers.arnorm and itn < limit and not istop:
        count = min(STEPS, limit - itn)
        x, w = process.unit(0), process.unit(1)
        states, solutions, directions = [], [], []
        for k, (beta, alpha) in enumerate(process.advance(count)):
            rho, phi, theta = numbers.step(beta, alpha)
            directions.append(w / rho)
            x, w = x + phi / rho * w, process.unit(2 + k) - theta / rho * w
            solutions.append(x)
            states.append(dict(vars(numbers)))
            if not numbers.arnorm or not numbers.alpha:
                break
        changes = process.combined(directions)
        squares: Any = (changes * changes.conj()).real if calc_var else None
        norms = norm_two(changes, axis=1).get()
        for k, state in enumerate(states):
            itn += 1
            istop = _stop_of_lsqr(numbers, state, float(norms[k]), process, limits, itn >= limit)
            if istop:
                break
        if calc_var:
            var += squares[: k + 1].sum(axis=0)
        rows[:2] = process.combined([solutions[k], w])
    return _result_of_lsqr(rows[0].copy(), istop, itn, numbers, var, show)


def _stop_of_lsqr(
    numbers: _Lsqr, state: dict, change: float, process: Any, limits: Any, last: bool
) -> int:
    """The reason to stop after a step of which the numbers are `state`."""
    ddnorm = numbers.ddnorm + change**2
    vars(numbers).update(state, ddnorm=ddnorm)
    numbers.acond = numbers.anorm * sqrt(ddnorm)
    eps = float(np.finfo("d").eps)
    size = process.b_length
    tests = (
        numbers.rnorm / size if size else np.inf,
        numbers.arnorm / (numbers.anorm * numbers.rnorm + eps),
        1 / (numbers.acond + eps),
    )
    growth = numbers.anorm * numbers.xnorm / size if size else 0.0
    return _reason(tests, limits, growth, last)


def _result_of_lsqr(
    x: ndarray, istop: int, itn: int, numbers: _Lsqr, var: ndarray, show: bool
) -> tuple:
    values = (numbers.r1norm, numbers.rnorm, numbers.anorm, numbers.acond, numbers.arnorm)
    if show:
        names = ("r1norm", "r2norm", "anorm", "acond", "arnorm", "xnorm")
        _show("lsqr", istop, itn, names, (*values, numbers.xnorm))
    return x, istop, itn, *values, numbers.xnorm, var


def _show(method: str, istop: int, itn: int, names: Any, values: Any) -> None:
    text = ", ".join(f"{name} = {value:.3e}" for name, value in zip(names, values, strict=True))
    print(f"{method}: {REASONS[istop]} after {itn} steps; {text}")


class _Lsmr:
    """Numbers of the recurrences of Fong and Saunders (SIAM J. Sci. Comput. 33, 2011), by the names
    of section 5 there."""

    def __init__(self, process: _Bidiagonalization, damp: float) -> None:
        self.damp, self.alpha, self.alphabar = damp, process.alpha, process.alpha
        self.zetabar = process.alpha * process.beta
        self.rho = self.rhobar = self.cbar = self.rhodold = 1.0
        self.sbar = self.zeta = self.thetatilde = self.tautilde = self.betad = self.d = 0.0
        self.betadd = self.normr = process.beta
        self.squares = process.alpha**2
        self.norma, self.conda, self.normx = process.alpha, 1.0, 0.0
        self.largest, self.smallest, self.steps = 0.0, 1e100, 0

    @property
    def normar(self) -> float:
        """Norm of the residual of the normal equations."""
        return abs(self.zetabar)

    def step(self, beta: float, alpha: float) -> tuple[float, float, float]:
        """Numbers of the next step; returns the factors of hbar, of x's change and of h."""
        chat, shat, alphahat = _rotation(self.alphabar, self.damp)
        before, self.alpha = self.rho, alpha
        c, s, self.rho = _rotation(alphahat, beta)
        theta, self.alphabar = s * alpha, c * alpha
        rhobar, zeta = self.rhobar, self.zeta
        thetabar, smaller = self.sbar * self.rho, self.cbar * self.rho
        self.cbar, self.sbar, self.rhobar = _rotation(smaller, theta)
        self.zeta, self.zetabar = self.cbar * self.zetabar, -self.sbar * self.zetabar
        self._residual((chat, shat, c, s), thetabar, zeta)
        self.steps += 1
        self.norma = sqrt(self.squares + beta**2)
        self.squares += beta**2 + alpha**2
        self.largest = max(self.largest, rhobar)
        if self.steps > 1:
            self.smallest = min(self.smallest, rhobar)
        self.conda = max(self.largest, smaller) / min(self.smallest, smaller)
        return (
            thetabar * self.rho / (before * rhobar),
            self.zeta / (self.rho * self.rhobar),
            theta / self.rho,
        )

    def _residual(self, turns: tuple, thetabar: float, zeta_before: float) -> None:
        chat, shat, c, s = turns
        acute, check = chat * self.betadd, -shat * self.betadd
        hat, self.betadd = c * acute, -s * acute
        thetatilde = self.thetatilde
        cosine, sine, rhotilde = _rotation(self.rhodold, thetabar)
        self.thetatilde, self.rhodold = sine * self.rhobar, cosine * self.rhobar
        self.betad = -sine * self.betad + cosine * hat
        self.tautilde = (zeta_before - thetatilde * self.tautilde) / rhotilde
        taud = (self.zeta - self.thetatilde * self.tautilde) / self.rhodold
        self.d += check**2
        self.normr = sqrt(self.d + (self.betad - taud) ** 2 + self.betadd**2)


@documented_as(lsqr)
def lsmr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: Any = None,
    show: bool = False,
    x0: Any = None,
) -> tuple:
    """Solve a least-squares problem with residuals of the normal equations that never grow.

    Parameters
    ----------
    maxiter : int, optional
        Largest number of steps, by default the smaller of the rows and columns.

    Returns
    -------
    x : ndarray
        Solution, of float64 or complex128.
    istop : int
        Reason to stop, with the numbers of `lsqr`.
    itn : int
        Number of steps.
    normr : float
        Norm of the residual, of the damped problem.
    normar : float
        Norm of the residual of the normal equations.
    norma : float
        Estimate of the Frobenius norm of the damped matrix.
    conda : float
        Estimate of its condition number.
    normx : float
        Norm of the solution.

    Notes
    -----
    The host reads numbers twice in eight steps, and the iteration stops at the step at which
    SciPy's stops.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import lsmr
    >>> lsmr(cp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), cp.array([1.0, 0.0, -1.0]))[0].round(6)
    array([ 1., -1.])
    """
    process = _Bidiagonalization(A, b, x0, 3)
    limit = min(process.A.shape) if maxiter is None else int(maxiter)
    rows, numbers = process.rows, _Lsmr(process, damp)
    rows[0], rows[2] = process.x, rows[-1]
    istop = itn = 0
    limits = btol, atol, 1 / conlim if conlim > 0 else 0.0
    while numbers.normar and itn < limit and not istop:
        x, hbar, h = (process.unit(row) for row in range(3))
        states, solutions = [], []
        for k, (beta, alpha) in enumerate(process.advance(min(STEPS, limit - itn))):
            back, change, turn = numbers.step(beta, alpha)
            hbar = h - back * hbar
            x, h = x + change * hbar, process.unit(3 + k) - turn * h
            solutions.append(x)
            states.append(dict(vars(numbers)))
            if not numbers.normar or not alpha:
                break
        found = process.combined([*solutions, hbar, h])
        norms = norm_two(found[: len(solutions)], axis=1).get()
        for k, state in enumerate(states):
            itn += 1
            vars(numbers).update(state, normx=float(norms[k]))
            istop = _stop_of_lsmr(numbers, process.b_length, limits, itn >= limit)
            if istop:
                break
        rows[0], rows[1:3] = found[k], found[-2:]
    values = (numbers.normr, numbers.normar, numbers.norma, numbers.conda, numbers.normx)
    if show:
        _show("lsmr", istop, itn, ("normr", "normar", "norma", "conda", "normx"), values)
    return rows[0].copy(), istop, itn, *values


def _stop_of_lsmr(numbers: _Lsmr, size: float, limits: Any, last: bool) -> int:
    product = numbers.norma * numbers.normr
    tests = (
        numbers.normr / size if size else np.inf,
        numbers.normar / product if product else np.inf,
        1 / numbers.conda,
    )
    return _reason(tests, limits, numbers.norma * numbers.normx / size if size else 0.0, last)

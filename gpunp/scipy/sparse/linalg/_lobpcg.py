"""Eigenvalues by locally optimal block preconditioned conjugate gradients (A. V. Knyazev, SIAM J.
Sci. Comput. 23, 2001), with the selection of a basis after Duersch, Shao, Yang and Gu (SIAM J. Sci.
Comput. 40, 2018). Gram matrices come to the host, where small eigenvalue problems are solved."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import as_array, as_host, whole
from ...._core._warnings import warn
from ...._core.multiarray import asarray, concatenate, ndarray
from ...._core.norms import norm_two
from ...._core.numeric import identity
from .._base import issparse

__all__ = ["lobpcg"]


def lobpcg(
    A: Any,
    X: Any,
    B: Any = None,
    M: Any = None,
    Y: Any = None,
    tol: Any = None,
    maxiter: Any = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
) -> Any:
    """Compute extreme eigenvalues of a Hermitian matrix from a block of approximate eigenvectors.

    Parameters
    ----------
    A : sparse matrix, ndarray, LinearOperator or callable
        Hermitian matrix, or a function that multiplies it with a dense matrix.
    X : ndarray
        Approximate eigenvectors to start with, as linearly independent columns.
    B : sparse matrix, ndarray, LinearOperator or callable, optional
        Positive definite matrix of the problem ``A x = w B x``, by default the identity.
    M : sparse matrix, ndarray, LinearOperator or callable, optional
        Preconditioner, an approximation of the inverse of `A`.
    Y : ndarray, optional
        Columns to which eigenvectors are kept orthogonal with respect to `B`.
    tol : float, optional
        Norm of residuals at which the iteration stops. By default, and where it is not positive,
        the rows times the square root of the type's precision.
    maxiter : int, optional
        Largest number of iterations, 20 by default.
    largest : bool, optional
        Whether the largest eigenvalues are sought, otherwise the smallest.
    verbosityLevel : int, optional
        If positive, a line is printed in each iteration.
    retLambdaHistory : bool, optional
        Whether the eigenvalues of all iterations are returned.
    retResidualNormsHistory : bool, optional
        Whether the norms of residuals of all iterations are returned.
    restartControl : int, optional
        Power of 2 by which residuals may grow over the smallest ones before former directions are
        dropped.

    Returns
    -------
    w : ndarray
        Eigenvalues, from the largest on, or from the smallest on.
    v : ndarray
        Eigenvectors as columns.
    lambdas : list of ndarray
        Eigenvalues of all iterations, if wanted; they are arrays of the host.
    norms : list of ndarray
        Norms of the residuals of all iterations, if wanted; they are arrays of the host.

    Raises
    ------
    ValueError
        If `X` is not a matrix, or its columns are linearly dependent.

    Notes
    -----
    The host waits for the device twice in an iteration, for residuals and Gram matrices. Blocks of
    more than a fifth of the rows are computed by a dense solver, with a warning. A warning tells
    that the tolerance was not reached; the best iteration's vectors are returned.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.diags_array(cp.arange(100.0))
    >>> x = cp.random.default_rng(1).random((100, 2))
    >>> w, v = sparse.linalg.lobpcg(a, x, tol=1e-8, maxiter=200)
    >>> w.round(6)
    array([99., 98.])
    """
    X = as_array(X)
    if X.ndim != 2:
        raise ValueError("expected rank-2 array for argument X")
    n, k = X.shape
    if X.dtype.kind not in "fc":
        X = X.astype("d")
    problem = _Problem(A, B, M, Y, X)
    constraints = 0 if Y is None else Y.shape[1]
    if n - constraints < 5 * k:
        return _all_vectors(problem, n, k, constraints, largest)
    run = _Run(problem, X, largest, restartControl)
    is_default = tol is None or tol <= 0
    run.tolerance = n * float(np.finfo(problem.dtype).eps) ** 0.5 if is_default else float(tol)
    run.iterate(20 if maxiter is None else whole(maxiter, "maxiter"), verbosityLevel)
    w, v = run.finish()
    histories = ((run.lambdas, retLambdaHistory), (run.norms, retResidualNormsHistory))
    extra = [values for values, is_wanted in histories if is_wanted]
    return (w, v, *extra) if extra else (w, v)


def _product(operator: Any) -> Any:
    """A function that multiplies with a dense matrix, or None."""
    if operator is None or (
        callable(operator) and not hasattr(operator, "shape") and not issparse(operator)
    ):
        return operator
    return (operator if hasattr(operator, "__matmul__") else as_array(operator)).__matmul__


def _all_vectors(problem: Any, n: int, k: int, constraints: int, largest: bool) -> Any:
    """All eigenvectors as of dense matrices, and the wanted ones of them."""
    from ...linalg import eigh

    if constraints:
        raise ValueError(
            f"The problem size {n} minus the constraints size {constraints} is too small relative "
            f"to the block size {k}, and the dense eigensolver takes no constraints"
        )
    warn(
        f"The problem size {n} minus the constraints size 0 is too small relative to the block "
        f"size {k}. Using a dense eigensolver instead of LOBPCG iterations.",
        UserWarning,
    )
    unit = identity(n, problem.dtype)
    a, b = problem.a(unit), None if problem.b is None else problem.b(unit)
    w, v = eigh(a, b)
    if largest:
        w, v = w[::-1], v[:, ::-1]
    return w[:k].copy(), v[:, :k].copy()


class _Problem:
    """Products of a problem, and the projection to the complement of constraints."""

    def __init__(self, A: Any, B: Any, M: Any, Y: Any, X: ndarray) -> None:
        self.a, self.b, self.m = _product(A), _product(B), _product(M)
        types = [x.dtype for x in (A, B) if getattr(x, "dtype", None) is not None]
        types = [np.dtype(t) for t in types if np.dtype(t).kind in "fc"]
        self.dtype = np.result_type(X.dtype, *types)
        self.y = None
        if Y is not None:
            Y = as_array(Y)
            if Y.ndim != 2 or Y.shape[0] != X.shape[0]:
                raise ValueError(f"expected constraints of {X.shape[0]} rows, not {Y.shape}")
            self.y = Y.astype(self.dtype)
            self.by = self.times_b(self.y)
            self._inverse = asarray(np.linalg.inv((self.y.conj().T @ self.by).get()))

    def times_b(self, x: ndarray) -> ndarray:
        """The product with B."""
        return x if self.b is None else self.b(x)

    def project(self, x: ndarray) -> ndarray:
        """`x` without its part along the constraints."""
        if self.y is None:
            return x
        return x - self.y @ (self._inverse @ (self.by.conj().T @ x))


class _Block:
    """Columns, and their products with A and B."""

    def __init__(self, x: ndarray, ax: ndarray, bx: ndarray) -> None:
        self.x, self.ax, self.bx = x, ax, bx

    def times(self, coefficients: Any) -> "_Block":
        """Combinations of the columns."""
        factor = asarray(np.ascontiguousarray(coefficients).astype(self.x.dtype))
        x, ax = self.x @ factor, self.ax @ factor
        return _Block(x, ax, x if self.bx is self.x else self.bx @ factor)

    def beside(self, *others: "_Block") -> "_Block":
        """All columns of several blocks."""
        blocks = (self, *others)
        x = concatenate([b.x for b in blocks], axis=1)
        ax = concatenate([b.ax for b in blocks], axis=1)
        same = all(b.bx is b.x for b in blocks)
        return _Block(x, ax, x if same else concatenate([b.bx for b in blocks], axis=1))

    def plus(self, other: "_Block") -> "_Block":
        """The sum of two blocks."""
        x = self.x + other.x
        same = self.bx is self.x and other.bx is other.x
        return _Block(x, self.ax + other.ax, x if same else self.bx + other.bx)


class _Run:
    def __init__(self, problem: _Problem, X: ndarray, largest: bool, control: int) -> None:
        self.problem, self.largest, self.control = problem, largest, control
        self.k, self.tolerance = X.shape[1], 0.0
        self.eps = float(np.finfo(problem.dtype).eps)
        self.lambdas: list = []
        self.norms: list = []
        start = self.block(problem.project(X.astype(problem.dtype)))
        self.w, coefficients = self.ritz(start, self.k)
        if coefficients.shape[1] < self.k:
            raise ValueError("Linearly dependent initial approximations")
        self.best = self.x = start.times(coefficients)
        self.p: Any = None

    def block(self, x: ndarray) -> _Block:
        """Columns with their products."""
        return _Block(x, self.problem.a(x), self.problem.times_b(x))

    def ritz(self, s: _Block, count: int) -> tuple[Any, Any]:
        """Wanted eigenvalues of the problem on the columns, and coefficients of vectors of length
        one. Columns that depend on others are left out (Stathopoulos and Wu, SIAM J. Sci. Comput.
        23, 2002). Waits for the device."""
        adjoint = s.x.conj().T
        grams = concatenate([adjoint @ s.ax, adjoint @ s.bx]).get()
        size = grams.shape[1]
        a, b = ((g + g.conj().T) / 2 for g in (grams[:size], grams[size:]))
        lengths = np.sqrt(np.abs(np.diagonal(b)))
        scale = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1), 0)
        values, turns = np.linalg.eigh(scale[:, None] * b * scale)
        kept = values > values[-1] * size * 10 * self.eps
        basis = scale[:, None] * turns[:, kept] / np.sqrt(values[kept])
        found, turns = np.linalg.eigh(basis.conj().T @ a @ basis)
        order = slice(None, None, -1) if self.largest else slice(None)
        return found[order][:count], (basis @ turns)[:, order][:, :count]

    def residuals(self) -> tuple[ndarray, Any]:
        """Residuals and, on the host, their norms."""
        w = asarray(self.w.astype(self.problem.dtype))
        r = self.x.ax - self.x.bx * w
        norms = as_host(norm_two(r, axis=0).get())
        self.lambdas.append(self.w.copy())
        self.norms.append(norms)
        return r, norms

    def iterate(self, maxiter: int, verbosity: int) -> None:
        """Iterate until all residuals are small enough."""
        least, self.steps = np.inf, 0
        for step in range(
            max(maxiter, -1) + 2
        ):  # SciPy's last vectors are those of one more iteration
            r, norms = self.residuals()
            self.steps = step
            if verbosity > 0:
                print(f"lobpcg: iteration {step}, eigenvalues {self.w}, residuals {norms}")
            mean = float(norms.mean())
            if not np.isfinite(mean):
                break
            if mean < least:
                least, self.best, self.best_step = mean, self.x, step
            active = np.flatnonzero(norms > self.tolerance)  # none where the tolerance is NaN
            if not active.size or step > maxiter:
                break
            if mean > 2.0**self.control * least:
                self.p = None
            if not self.improve(r, active):
                break
        self.last = norms

    def improve(self, r: ndarray, active: Any) -> bool:
        """The best vectors among present ones, residuals and former directions."""
        if active.size < self.k:
            r = r[:, asarray(active)]
        w = r if self.problem.m is None else self.problem.m(r)
        x = self.x
        for _ in range(2):
            w = self.problem.project(w)
            w = w - x.x @ (x.bx.conj().T @ w)
        lengths = norm_two(w, axis=0)
        w = w / umath.maximum(lengths, float(np.finfo(self.problem.dtype).tiny))
        new = self.block(w)
        if self.p is not None and active.size < self.k:
            at = asarray(active)
            p = self.p
            px = p.x[:, at]
            self.p = _Block(px, p.ax[:, at], px if p.bx is p.x else p.bx[:, at])
        rest = new if self.p is None else new.beside(self.p)
        found, coefficients = self.ritz(x.beside(rest), self.k)
        if coefficients.shape[1] < self.k or not np.isfinite(coefficients).all():
            return False
        self.w = found
        self.p = rest.times(coefficients[self.k :])
        self.x = x.times(coefficients[: self.k]).plus(self.p)
        return True

    def finish(self) -> tuple[ndarray, ndarray]:
        """The best vectors once more, orthonormal to rounding, with their eigenvalues."""
        reached = bool((self.last <= self.tolerance).all())
        if not reached:
            warn(
                f"Exited at iteration {self.steps} with accuracies \n{self.last}\n"
                f"not reaching the requested tolerance {self.tolerance}.\n"
                f"Iteration {self.best_step} is used, the best one.",
                UserWarning,
            )
        best = self.block(self.best.x)
        self.w, coefficients = self.ritz(best, self.k)
        self.x = best.times(coefficients)
        self.residuals()
        real = self.problem.dtype.char.lower()
        return asarray(self.w.astype(real)), self.x.x

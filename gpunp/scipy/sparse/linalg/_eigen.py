"""Eigenvalues of Hermitian matrices by the thick-restart Lanczos method of Wu and Simon (SIAM J.
Matrix Anal. Appl. 22, 2000), of sparse ones with a filter."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse.linalg

from ...._core._convert import number_on_host
from ...._core._warnings import warn
from ...._core.multiarray import asarray, ndarray
from ...._core.numeric import identity
from ...._core.products import vdot
from ....cuda.graph import Replayed  # type: ignore[attr-defined]
from ....random import Generator, RandomState, default_rng
from ...linalg import eigh, lu_factor, lu_solve
from .._base import issparse
from .._construct import eye_array
from ._chebyshev_filter import ChebyshevFilter, chebyshev_filter
from ._dsolve import splu
from ._interface import LinearOperator, aslinearoperator
from ._isolve import gmres
from ._krylov import Basis
from ._system import are_fixed

__all__ = ["eigsh"]

KINDS = ("LM", "SM", "LA", "SA", "BE")
SLACK = 64  # times the type's accuracy: what two passes of Gram-Schmidt leave, too
CYCLES = 5  # without a filter: easy problems need no more, and others know where it is to begin
SPARSE = 32  # elements of a row up to which products cost less than a basis that is read for each


def eigsh(
    A: Any,
    k: int = 6,
    M: Any = None,
    sigma: Any = None,
    which: str = "LM",
    v0: Any = None,
    ncv: Any = None,
    maxiter: Any = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: Any = None,
    OPinv: Any = None,
    mode: str = "normal",
    rng: Any = None,
) -> Any:
    """Compute some eigenvalues and eigenvectors of a Hermitian matrix.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Hermitian matrix, real or complex.
    k : int, optional
        Number of eigenvalues, less than the rows of `A`.
    M : sparse matrix, ndarray or LinearOperator, optional
        Positive definite matrix of the problem ``A x = w M x``, by default the identity.
    sigma : float, optional
        Number near which eigenvalues are sought; systems with ``A - sigma * M`` are solved.
    which : {'LM', 'SM', 'LA', 'SA', 'BE'}, optional
        Largest or smallest magnitudes, algebraically largest or smallest, or both ends. With
        `sigma` it is about the transformed eigenvalues, such as ``1 / (w - sigma)``.
    v0 : ndarray, optional
        Vector to start with, a random one by default.
    ncv : int, optional
        Number of Lanczos vectors, by default the larger of 64 and ``2 * k + 1``, or of 20 and
        ``2 * k + 1`` where 64 vectors take more than a gibibyte.
    maxiter : int, optional
        Largest number of restarts, by default ten times the rows.
    tol : float, optional
        Relative accuracy of eigenvalues, 0 for that of the type.
    return_eigenvectors : bool, optional
        If False, only eigenvalues are returned.
    Minv : sparse matrix, ndarray or LinearOperator, optional
        Inverse of `M`, which is otherwise factorised.
    OPinv : sparse matrix, ndarray or LinearOperator, optional
        Inverse of ``A - sigma * M``, which is otherwise factorised.
    mode : {'normal', 'buckling', 'cayley'}, optional
        Transformation that is used with `sigma`.
    rng : int, Generator or RandomState, optional
        Generator of the vector to start with, or the seed of one.

    Returns
    -------
    w : ndarray
        Eigenvalues in ascending order.
    v : ndarray
        Eigenvectors as columns.

    Raises
    ------
    scipy.sparse.linalg.ArpackNoConvergence
        If `maxiter` restarts were too few; it has the eigenvalues and eigenvectors that converged.

    Notes
    -----
    The host waits for the device once a restart, and finds the eigenvalues of the small projected
    matrix. For a sparse matrix of few elements a row, if eigenvalues at one end are sought and
    five restarts are not enough, the process goes on with a polynomial of the matrix: its steps
    have nine products, and far fewer of them are needed. Sparse matrices are factorised on the
    host (see `splu`), dense ones on the device; with operators systems are solved by `gmres`. With
    a large `tol` some copies of a multiple eigenvalue may be missing, as rounding brings them in
    late.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.diags_array(cp.arange(10.0))
    >>> sparse.linalg.eigsh(a, k=2, return_eigenvectors=False).round(6)
    array([8., 9.])
    """
    operator = aslinearoperator(A)
    n = operator.shape[0]
    if operator.shape != (n, n):
        raise ValueError(f"expected square matrix (shape={operator.shape})")
    if M is not None and not hasattr(M, "shape"):
        raise TypeError(f"M must be a matrix or an operator, not {type(M).__name__}")
    if M is not None and tuple(M.shape) != operator.shape:
        raise ValueError(f"wrong M dimensions {tuple(M.shape)}, should be {operator.shape}")
    if k <= 0:
        raise ValueError("k must be greater than 0.")
    if k >= n:
        return _all_eigenvalues(A, M, sigma, return_eigenvectors)
    ncv = default_ncv(n, k, operator.dtype) if ncv is None else int(ncv)
    if not k < ncv <= n:
        raise ValueError(f"ncv must be k<ncv<=n, ncv={ncv}")
    maxiter = 10 * n if maxiter is None else int(maxiter)
    if maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    if which not in KINDS:
        raise ValueError(f"which must be one of {' '.join(KINDS)}")
    dtype = operator.dtype if operator.dtype.char in "fdFD" else np.dtype("d")
    generator = rng if isinstance(rng, (Generator, RandomState)) else default_rng(rng)
    if v0 is None:
        v0 = random_vector(n, dtype, generator)
    if v0.size != n:
        raise ValueError(f"v0 has shape {v0.shape}, should be {(n,)}")
    problem = transformed(A, M, sigma, Minv, OPinv, mode, dtype)
    run = _Lanczos(problem, v0.reshape(-1).astype(dtype), int(k), which, ncv, tol, generator)
    return run.solve(maxiter, return_eigenvectors)


def default_ncv(n: int, k: int, dtype: Any) -> int:
    """How many vectors a basis has: restarts cost more than products with many vectors."""
    return min(n, max(2 * k + 1, 64 if 64 * n * dtype.itemsize <= 1 << 30 else 20))


def random_vector(n: int, dtype: Any, generator: Any) -> ndarray:
    return generator.uniform(-1.0, 1.0, n).astype(dtype)


def _all_eigenvalues(A: Any, M: Any, sigma: Any, vectors: bool) -> Any:
    for name, x in (("A", A), ("M", M)):
        if x is not None and not isinstance(x, ndarray):
            raise TypeError(f"k must be less than the rows of {name} unless it is an ndarray")
    warn("k >= N: all eigenvalues are computed as of a dense matrix", RuntimeWarning)
    return eigh(A, b=M, eigvals_only=not vectors)


# ---- transformations -----------------------------------------------------------------------------


class Problem:
    """Operator whose eigenvalues are sought, the metric in which it is Hermitian, and the function
    of its eigenvalues that gives those of the matrix. Whether products are the same launches every
    time, without waiting, is in `is_fixed`; whether polynomials of the operator take little time
    beside the work for a vector of a basis, in `is_cheap`."""

    def __init__(
        self, operator: Any, metric: Any, back: Any, is_fixed: bool, is_cheap: bool = False
    ) -> None:
        self.operator, self.metric, self.back = operator, metric, back
        self.is_fixed, self.is_cheap = is_fixed, is_cheap


def transformed(
    A: Any, M: Any, sigma: Any, Minv: Any, OPinv: Any, mode: str, dtype: Any
) -> Problem:
    a = aslinearoperator(A).matvec
    m = None if M is None else aslinearoperator(M).matvec
    is_fixed = are_fixed(False, aslinearoperator(A), None if M is None else aslinearoperator(M))
    sigma = number_on_host(sigma)
    if sigma is None:
        for name, given in (("OPinv", OPinv), ("Minv", Minv if M is None else None)):
            if given is not None:
                missing = "sigma" if name == "OPinv" else "M"
                raise ValueError(f"{name} should not be specified with {missing} = None.")
        if mode != "normal":
            raise ValueError(f"mode={mode!r} needs sigma")
        if M is None:
            is_cheap = issparse(A) and A.nnz <= SPARSE * A.shape[0]
            return Problem(a, None, lambda w: w, is_fixed, is_cheap)
        inverse = _inverse(M, dtype) if Minv is None else aslinearoperator(Minv).matvec
        is_fixed = is_fixed and issparse(M) and Minv is None  # then by `splu`, which never waits
        return Problem(lambda v: inverse(a(v)), m, lambda w: w, is_fixed)
    if Minv is not None:
        raise ValueError("Minv should not be specified when sigma is specified.")
    if mode not in ("normal", "buckling", "cayley"):
        raise ValueError(f"unrecognized mode {mode!r}")
    shifted = _shifted(A, M, sigma) if OPinv is None else None
    inverse = aslinearoperator(OPinv).matvec if shifted is None else _inverse(shifted, dtype)
    is_fixed = is_fixed and issparse(shifted)
    if mode == "buckling":
        return Problem(lambda v: inverse(a(v)), a, lambda w: sigma * w / (w - 1), is_fixed)
    if mode == "cayley":
        return Problem(
            lambda v: inverse(a(v) + sigma * (v if m is None else m(v))),
            m,
            lambda w: sigma * (w + 1) / (w - 1),
            is_fixed,
        )
    operator = inverse if m is None else lambda v: inverse(m(v))
    return Problem(operator, m, lambda w: sigma + 1 / w, is_fixed)


def _shifted(A: Any, M: Any, sigma: Any) -> Any:
    """The matrix A - sigma * M, of which systems are solved."""
    if issparse(A) and (M is None or issparse(M)):
        return A - sigma * (eye_array(A.shape[0], dtype=A.dtype, format="csr") if M is None else M)
    if isinstance(A, ndarray) and (M is None or isinstance(M, ndarray)):
        return A - sigma * (identity(A.shape[0], A.dtype) if M is None else M)
    a, m = aslinearoperator(A), None if M is None else aslinearoperator(M)
    return LinearOperator(
        a.shape, lambda v: a.matvec(v) - sigma * (v if m is None else m.matvec(v)), dtype=a.dtype
    )


def _inverse(A: Any, dtype: Any) -> Any:
    """A function that solves systems with `A`."""
    if issparse(A):
        return splu(A.astype(dtype)).solve
    if isinstance(A, ndarray):
        factors = lu_factor(A.astype(dtype))
        return lambda v: lu_solve(factors, v)
    # Smaller residuals are not reached for certain: SciPy asks for no less.
    rtol = 1000 * float(A.shape[0]) ** 0.5 * float(np.finfo(dtype).eps)

    def solve(v: ndarray) -> ndarray:
        x, info = gmres(A, v, rtol=rtol)
        if info:
            raise ValueError(
                f"gmres did not converge (info = {info}) in the inverse of an operator"
            )
        return x

    return solve


# ---- the iteration -------------------------------------------------------------------------------


def wanted(values: Any, k: int, which: str) -> Any:
    """Places of the `k` wanted ones among ascending numbers, the most wanted first."""
    n = values.size
    if which in ("LM", "SM"):
        order = np.argsort(np.abs(values), kind="stable")
        return (order[::-1] if which == "LM" else order)[:k]
    if which == "BE":
        low, high = np.arange(n), np.arange(n)[::-1]
        return np.stack([high, low], axis=1).reshape(-1)[:k]
    return np.arange(n)[::-1][:k] if which == "LA" else np.arange(n)[:k]


class Restarted:
    """A basis of a Krylov space and the projected matrix `small`, of a method that restarts."""

    def __init__(
        self, problem: Any, v0: ndarray, k: int, which: str, ncv: int, tol: float, generator: Any
    ) -> None:
        self.problem, self.k, self.which, self.generator = problem, k, which, generator
        self.eps = float(np.finfo(v0.dtype).eps)
        self.basis = Basis(ncv, v0.size, v0.dtype, problem.metric, SLACK * self.eps)
        self.basis.put(0, v0)
        self.small = self.empty_projection(ncv)
        self.tol = float(tol) or self.eps
        self.rounding = self.eps * max(8.0, v0.size**0.5)  # of a remainder that should be zero
        self._replayed: tuple = -1, None  # the first step, and what does the steps from it on

    if TYPE_CHECKING:

        def empty_projection(self, m: int) -> Any: ...
        def store(self, j: int, coefficients: Any) -> None: ...
        def link(self, j: int, length: float) -> None: ...

    def first_row(self, j: int, start: int) -> int:
        """The first vector along which the product with number `j` may have a large part."""
        raise NotImplementedError

    def advance(self, start: int) -> None:
        """Compute vectors from number `start` + 1 on."""
        for j in range(start, self.small.shape[0]):
            w = self.problem.operator(self.basis.vectors[j])
            self.basis.extend(j, w, self.first_row(j, start))

    def extend(self, first: int) -> float:
        """Compute vectors from number `first` + 1 on; returns the length of the last remainder."""
        basis, m = self.basis, self.small.shape[0]
        start = first
        while True:
            if self._replayed[0] != start:
                self._replayed = start, Replayed(self.problem.is_fixed)
            self._replayed[1](self.advance, start)
            coefficients, lengths = basis.read()
            if not lengths[0] > 0:
                raise ValueError("the starting vector is zero, or not finite")
            for j in range(start, m):
                self.store(j, coefficients)
            rest = [float(length) for length in lengths[start + 1 :]]
            limit = self.rounding * np.abs(np.nan_to_num(self.small)).max()
            end = next((i for i, length in enumerate(rest) if not length > limit), None)
            for j, length in enumerate(rest[:end], start):
                if j + 1 < m:
                    self.link(j, length)
            if end is None:
                return rest[-1]
            if start + end + 1 == m:
                return 0.0
            start += end + 1
            self.small[start:, start:] = 0
            self.restart_at(start)

    def restart_at(self, j: int) -> None:
        """Go on with a random vector after those up to `j` - 1, which span an invariant space."""
        basis = self.basis
        w = random_vector(basis.vectors.shape[1], basis.vectors.dtype, self.generator)
        basis.put(j, basis.orthogonalized(j - 1, w))

    def are_good(self, errors: Any, values: Any) -> Any:
        """Which eigenvalues have errors that are small enough."""
        return errors <= self.tol * np.maximum(self.eps ** (2 / 3), np.abs(values))

    def number_kept(self, good: Any) -> int:
        """How many vectors to keep in a restart: a third, or more once some are good."""
        m, k = self.small.shape[0], self.k
        return max(min(k + min(int(good.sum()), (m - k) // 2), m - 1), m // 3)

    def no_convergence(self, maxiter: int, w: ndarray, v: ndarray) -> Exception:
        """The exception that has those that converged."""
        return scipy.sparse.linalg.ArpackNoConvergence(
            f"No convergence ({maxiter} restarts, {w.size}/{self.k} eigenvectors converged)", w, v
        )


class _Lanczos(Restarted):
    first_cycle = 0

    @staticmethod
    def empty_projection(m: int) -> Any:
        return np.zeros((m, m))

    def first_row(self, j: int, start: int) -> int:
        return 0 if j == start else j - 1  # the first one is linked to all that are kept

    def store(self, j: int, coefficients: Any) -> None:
        self.small[j, j] = coefficients[j, j].real

    def link(self, j: int, length: float) -> None:
        self.small[j, j + 1] = self.small[j + 1, j] = length

    def solve(self, maxiter: int, vectors: bool) -> Any:
        """Restart until the wanted eigenvalues are accurate."""
        k, kept = self.k, 0
        for cycle in range(self.first_cycle, maxiter):
            rest = self.extend(kept)
            if not np.isfinite(self.small).all():
                raise ValueError("products of the matrix are not finite")
            values, turns = np.linalg.eigh(self.small)
            places = wanted(values, k, self.which)
            good = self.are_good(np.abs(rest * turns[-1, places]), values[places])
            if good.all():
                return self.result(values, turns, places, vectors)
            kept = self.number_kept(good)
            keep = wanted(values, kept, self.which)
            if cycle + 1 == CYCLES < maxiter and self.problem.is_cheap:
                filtered = self.filtered(values, turns, keep, rest)
                if filtered is not None:
                    return filtered.solve(maxiter, vectors)
            self.compress(values, turns, keep, rest)
        raise self.no_convergence(maxiter, *self.result(values, turns, places[good], True))

    def filtered(self, values: Any, turns: Any, keep: Any, rest: float) -> Any:
        """What goes on with a polynomial of the matrix, or None where no polynomial helps."""
        margin = abs(rest) * np.abs(turns[-1, [0, -1]]).max()
        problem = self.problem
        chosen = chebyshev_filter(problem.operator, values, keep, margin, problem.is_fixed)
        if chosen is None:
            return None
        start = self.ritz_vectors(turns, wanted(values, self.k, self.which)).sum(0)
        return _FilteredLanczos(self, chosen, start)

    def compress(self, values: Any, turns: Any, keep: Any, rest: float) -> None:
        """Replace the vectors by the Ritz vectors `keep` and the remainder."""
        vectors, count = self.basis.vectors, keep.size
        vectors[:count] = self.ritz_vectors(turns, keep)
        vectors[count] = vectors[-1]
        self.small[...] = 0
        self.small[np.arange(count), np.arange(count)] = values[keep]
        self.small[count, :count] = self.small[:count, count] = rest * turns[-1, keep]

    def ritz_vectors(self, turns: Any, places: Any) -> ndarray:
        """The approximate eigenvectors at `places`, as rows."""
        vectors = self.basis.vectors
        weights = np.ascontiguousarray(turns[:, places].T).astype(vectors.dtype)
        return asarray(weights) @ vectors[:-1]

    def result(self, values: Any, turns: Any, places: Any, vectors: bool) -> Any:
        """Eigenvalues in ascending order, and eigenvectors."""
        found = self.problem.back(values[places])
        order = np.argsort(found, kind="stable")
        w = asarray(found[order].astype(self.basis.vectors.dtype.char.lower()))
        return (w, self.ritz_vectors(turns, places[order]).T) if vectors else w


class _FilteredLanczos(_Lanczos):
    """The process with a polynomial of the matrix, whose largest eigenvalues are sought."""

    first_cycle = CYCLES

    def __init__(self, run: _Lanczos, chosen: ChebyshevFilter, start: ndarray) -> None:
        problem = Problem(chosen, None, chosen.arguments, False)  # it replays its products itself
        ncv, rest = run.small.shape[0], (run.tol, run.generator)
        super().__init__(problem, start, run.k, "LA", ncv, *rest)
        self._filter = chosen

    def are_good(self, errors: Any, values: Any) -> Any:
        """Errors of the matrix's eigenvalues are those of the polynomial's, over its slope."""
        arguments = self._filter.arguments(values)
        return super().are_good(errors / self._filter.slopes(arguments), arguments)

    def result(self, values: Any, turns: Any, places: Any, vectors: bool) -> Any:
        """Eigenvalues, which the vectors give more accurately than the polynomial's do."""
        w, v = super().result(values, turns, places, True)
        for i in range(w.size):
            x = v[:, i]
            w[i] = vdot(x, self._filter.matvec(x)).real / vdot(x, x).real
        order = w.argsort()
        return (w[order], v[:, order]) if vectors else w[order]

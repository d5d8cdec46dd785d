"""Eigenvalues of Hermitian matrices by the thick-restart Lanczos method of Wu and Simon (SIAM J.
Matrix Anal. Appl. 22, 2000), and singular values by it."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse.linalg

from ...._core._convert import whole
from ...._core._warnings import warn
from ...._core.multiarray import asarray, ndarray
from ...._core.numeric import identity
from ....cuda.graph import Replayed  # type: ignore[attr-defined]
from ....linalg import svd
from ....random import Generator, RandomState, default_rng
from ...linalg import eigh, lu_factor, lu_solve
from .._base import issparse
from .._construct import eye_array
from ._dsolve import splu
from ._interface import LinearOperator, aslinearoperator
from ._isolve import gmres
from ._krylov import Basis
from ._system import are_fixed

__all__ = ["eigsh", "svds"]

KINDS = ("LM", "SM", "LA", "SA", "BE")
SLACK = 64  # times the type's accuracy: what two passes of Gram-Schmidt leave, too


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
    matrix. Sparse matrices are factorised on the host (see `splu`), dense ones on the device; with
    operators systems are solved by `gmres`. With a large `tol` some copies of a multiple eigenvalue
    may be missing, as rounding brings them in late.

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
    time, without waiting, is in `is_fixed`."""

    def __init__(self, operator: Any, metric: Any, back: Any, is_fixed: bool) -> None:
        self.operator, self.metric, self.back = operator, metric, back
        self.is_fixed = is_fixed


def transformed(
    A: Any, M: Any, sigma: Any, Minv: Any, OPinv: Any, mode: str, dtype: Any
) -> Problem:
    a = aslinearoperator(A).matvec
    m = None if M is None else aslinearoperator(M).matvec
    is_fixed = are_fixed(False, aslinearoperator(A), None if M is None else aslinearoperator(M))
    if sigma is None:
        for name, given in (("OPinv", OPinv), ("Minv", Minv if M is None else None)):
            if given is not None:
                missing = "sigma" if name == "OPinv" else "M"
                raise ValueError(f"{name} should not be specified with {missing} = None.")
        if mode != "normal":
            raise ValueError(f"mode={mode!r} needs sigma")
        if M is None:
            return Problem(a, None, lambda w: w, is_fixed)
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
    rtol = 2 * float(np.finfo(dtype).eps)

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
        self.tol = tol or self.eps
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
        for _ in range(maxiter):
            rest = self.extend(kept)
            if not np.isfinite(self.small).all():
                raise ValueError("products of the matrix are not finite")
            values, turns = np.linalg.eigh(self.small)
            places = wanted(values, k, self.which)
            good = self.are_good(np.abs(rest * turns[-1, places]), values[places])
            if good.all():
                return self.result(values, turns, places, vectors)
            kept = self.number_kept(good)
            self.compress(values, turns, wanted(values, kept, self.which), rest)
        raise self.no_convergence(maxiter, *self.result(values, turns, places[good], True))

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


# ---- singular values -----------------------------------------------------------------------------


def svds(
    A: Any,
    k: int = 6,
    ncv: Any = None,
    tol: float = 0,
    which: str = "LM",
    v0: Any = None,
    maxiter: Any = None,
    return_singular_vectors: Any = True,
    solver: str = "arpack",
    rng: Any = None,
    options: Any = None,
    *,
    random_state: Any = None,
) -> Any:
    """Compute some singular values and vectors of a matrix.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Matrix; an operator needs products of its adjoint.
    k : int, optional
        Number of singular values, less than the rows and columns.
    ncv : int, optional
        Number of Lanczos vectors, by default as many as `eigsh` has.
    tol : float, optional
        Relative accuracy of singular values, 0 for that of the type.
    which : {'LM', 'SM'}, optional
        Largest or smallest singular values.
    v0 : ndarray, optional
        Vector to start with, of the length of the shorter side; random by default.
    maxiter : int, optional
        Largest number of restarts, by default ten times the shorter side.
    return_singular_vectors : {True, False, 'u', 'vh'}, optional
        Which singular vectors are returned, besides the values.
    solver : {'arpack', 'propack', 'lobpcg'}, optional
        Accepted for compatibility: the Lanczos method is used always.
    rng : int, Generator or RandomState, optional
        Generator of the vector to start with, or the seed of one.
    options : dict, optional
        Accepted for compatibility: no solver has options.
    random_state : int, Generator or RandomState, optional
        Older name of the parameter `rng`.

    Returns
    -------
    u : ndarray
        Left singular vectors as columns; None with 'vh'.
    s : ndarray
        Singular values in ascending order, alone if no vectors are returned.
    vh : ndarray
        Right singular vectors as conjugated rows; None with 'u'.

    Notes
    -----
    The space comes from `eigsh` of the product of the matrix and its adjoint; values and vectors
    are those of the matrix times this space, so that small ones are accurate too.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.diags_array(cp.arange(10.0))
    >>> sparse.linalg.svds(a, k=2, return_singular_vectors=False).round(6)
    array([8., 9.])
    """
    operator = aslinearoperator(A)
    rows, columns = operator.shape
    short = min(rows, columns)
    _check_singular(k, which, tol, maxiter, return_singular_vectors, solver)
    if not 0 < k < short or int(k) != k:
        raise ValueError("`k` must be an integer satisfying `0 < k < min(A.shape)`.")
    if ncv is not None and not k < ncv < short:
        raise ValueError("`ncv` must be an integer satisfying `k < ncv < min(A.shape)`.")
    if v0 is not None and v0.shape != (short,):
        raise ValueError(f"`v0` must have shape {(short,)}.")
    dtype = operator.dtype if operator.dtype.char in "fdFD" else np.dtype("d")
    one, other = operator.matvec, operator.rmatvec
    if rows < columns:
        one, other = other, one
    gram = LinearOperator((short, short), matvec=lambda v: other(one(v)), dtype=dtype)
    gram._is_fixed = are_fixed(True, operator)
    rng = random_state if rng is None else rng
    _, space = eigsh(
        gram, int(k), which=which, v0=v0, ncv=ncv, maxiter=maxiter, tol=tol**2, rng=rng
    )
    image = (operator.matmat if rows >= columns else operator.rmatmat)(space)
    u, s, vh = svd(image, full_matrices=False)
    vh = vh @ space.conj().T
    if rows < columns:
        u, vh = vh.conj().T, u.conj().T
    u, s, vh = u[:, ::-1], s[::-1].copy(), vh[::-1]
    kind = return_singular_vectors
    if kind is False:
        return s
    return None if kind == "vh" else u, s, None if kind == "u" else vh


def _check_singular(k: Any, which: Any, tol: Any, maxiter: Any, vectors: Any, solver: Any) -> None:
    if which not in ("LM", "SM"):
        raise ValueError("`which` must be in {'SM', 'LM'}.")
    if tol < 0:
        raise ValueError("`tol` must be a non-negative floating point value.")
    if maxiter is not None and whole(maxiter, "maxiter") <= 0:
        raise ValueError("`maxiter` must be a positive integer.")
    if vectors not in (True, False, "u", "vh"):
        raise ValueError("`return_singular_vectors` must be in {False, True, 'u', 'vh'}.")
    if solver not in ("arpack", "propack", "lobpcg"):
        raise ValueError("solver must be one of {'arpack', 'propack', 'lobpcg'}.")

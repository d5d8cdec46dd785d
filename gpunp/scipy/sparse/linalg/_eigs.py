"""Eigenvalues of any matrix by the Krylov-Schur method of Stewart (SIAM J. Matrix Anal. Appl. 23,
2001)."""

from typing import Any

import numpy as np
import scipy.linalg

from ...._core._convert import as_array
from ...._core._docstrings import documented_as
from ...._core._warnings import warn
from ...._core.multiarray import asarray, empty, ndarray
from ....linalg import eig, eigvals, solve
from ....random import Generator, RandomState, default_rng
from ._eigen import Restarted, default_ncv, eigsh, random_vector, transformed
from ._interface import aslinearoperator

__all__ = ["eigs"]

# What is largest for the most wanted eigenvalues.
KEYS: dict[str, Any] = {
    "LM": np.abs,
    "SM": lambda values: -np.abs(values),
    "LR": np.real,
    "SR": lambda values: -np.real(values),
    "LI": np.imag,
    "SI": lambda values: -np.imag(values),
}


@documented_as(eigsh)
def eigs(
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
    OPpart: Any = None,
    rng: Any = None,
) -> Any:
    """Compute some eigenvalues and eigenvectors of a square matrix.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Square matrix, real or complex, which need not be Hermitian.
    k : int, optional
        Number of eigenvalues, less than the rows of `A` by two at least.
    M : sparse matrix, ndarray or LinearOperator, optional
        Matrix of the problem ``A x = w M x``, by default the identity.
    sigma : complex, optional
        Number near which eigenvalues are sought; systems with ``A - sigma * M`` are solved.
    which : {'LM', 'SM', 'LR', 'SR', 'LI', 'SI'}, optional
        Largest or smallest magnitudes, real parts, or imaginary parts, of real matrices by
        magnitude. With `sigma` it is about ``1 / (w - sigma)``.
    ncv : int, optional
        Number of basis vectors, by default the larger of 64 and ``2 * k + 1``, or of 20 and
        ``2 * k + 1`` where 64 vectors take more than a gibibyte.
    OPpart : {'r', 'i'}, optional
        Accepted for compatibility with a complex `sigma` and a real matrix: systems of complex
        numbers are solved, of which the eigenvalues nearest to `sigma` are found.

    Returns
    -------
    w : ndarray
        Eigenvalues, complex, the most wanted first.
    v : ndarray
        Eigenvectors of length one as columns.

    Notes
    -----
    The host waits for the device once a restart, and finds the Schur form of the small projected
    matrix. Sparse matrices are factorised on the host (see `splu`), dense ones on the device; with
    operators systems are solved by `gmres`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.diags_array(cp.arange(10.0))
    >>> sparse.linalg.eigs(a, k=2, return_eigenvectors=False).round(6)
    array([9.+0.j, 8.+0.j])
    """
    operator = aslinearoperator(A)
    n = operator.shape[0]
    if operator.shape != (n, n):
        raise ValueError(f"expected square matrix (shape={operator.shape})")
    M = M if M is None or hasattr(M, "shape") else as_array(M)
    if M is not None and tuple(M.shape) != operator.shape:
        raise ValueError(f"wrong M dimensions {tuple(M.shape)}, should be {operator.shape}")
    if k <= 0:
        raise ValueError(f"k={k} must be greater than 0.")
    if k >= n - 1:
        return _all_eigenvalues(A, M, sigma, return_eigenvectors)
    ncv = default_ncv(n, k, operator.dtype) if ncv is None else int(ncv)
    if not k + 1 < ncv <= n:
        raise ValueError(f"ncv must be k+1<ncv<=n, ncv={ncv}")
    maxiter = 10 * n if maxiter is None else int(maxiter)
    if maxiter <= 0:
        raise ValueError(f"maxiter must be positive, maxiter={maxiter}")
    if which not in KEYS:
        raise ValueError(f"Parameter which must be one of {' '.join(KEYS)}")
    dtype = operator.dtype if operator.dtype.char in "fdFD" else np.dtype("d")
    if OPpart is not None and (sigma is None or dtype.kind == "c"):
        raise ValueError("OPpart should not be specified with sigma = None or complex A")
    if OPpart is not None and str(OPpart).lower() not in ("r", "i"):
        raise ValueError("OPpart must be one of ('r','i')")
    if sigma is not None:
        sigma = complex(sigma)
        if sigma.imag:
            dtype = np.result_type(dtype, np.complex64)
        else:
            sigma = sigma.real
    generator = rng if isinstance(rng, (Generator, RandomState)) else default_rng(rng)
    if v0 is None:
        v0 = random_vector(n, dtype, generator)
    if v0.size != n:
        raise ValueError(f"v0 has shape {v0.shape}, should be {(n,)}")
    problem = transformed(A, M, sigma, Minv, OPinv, "normal", dtype)
    problem.metric = None
    run = _KrylovSchur(
        problem, v0.reshape(-1).astype(dtype), int(k), which, ncv, float(tol), generator
    )
    return run.solve(maxiter, return_eigenvectors)


def _all_eigenvalues(A: Any, M: Any, sigma: Any, vectors: bool) -> Any:
    for name, x in (("A", A), ("M", M)):
        if x is not None and not isinstance(x, ndarray):
            raise TypeError(f"k must be less than the rows of {name} - 1 unless it is an ndarray")
    warn("k >= N - 1: all eigenvalues are computed as of a dense matrix", RuntimeWarning)
    a = A if M is None else solve(M, A)
    return tuple(eig(a)) if vectors else eigvals(a)


class _KrylovSchur(Restarted):
    """The projected matrix is in Schur form, with the Hessenberg matrix of later steps behind."""

    def empty_projection(self, m: int) -> Any:
        return np.zeros((m, m), self.basis.vectors.dtype)

    def first_row(self, j: int, start: int) -> int:
        return 0

    def store(self, j: int, coefficients: Any) -> None:
        self.small[: j + 1, j] = coefficients[: j + 1, j]

    def link(self, j: int, length: float) -> None:
        self.small[j + 1, j] = length

    def order(self, values: Any) -> tuple[Any, Any]:
        """Places from the most wanted value on, and how much each is wanted."""
        keys = KEYS[self.which]
        is_real = self.small.dtype.kind != "c"
        by_magnitude = is_real and self.which in ("LI", "SI")
        wish = keys(values.real + 1j * np.abs(values.imag) if by_magnitude else values)
        return np.lexsort((-values.imag, -wish)), wish

    def solve(self, maxiter: int, vectors: bool) -> Any:
        """Restart until the wanted eigenvalues are accurate."""
        kept = 0
        for _ in range(maxiter):
            rest = self.extend(kept)
            if not np.isfinite(self.small).all():
                raise ValueError("products of the matrix are not finite")
            values, turns = np.linalg.eig(self.small)
            order, wish = self.order(values)
            places = order[: self.k]
            good = self.are_good(np.abs(rest * turns[-1, places]), values[places])
            if good.all():
                return self.result(values[places], turns[:, places], vectors)
            kept = self.compress(values[order], wish[order], self.number_kept(good), rest)
        found = places[good]
        raise self.no_convergence(maxiter, *self.result(values[found], turns[:, found], True))

    def compress(self, values: Any, wish: Any, count: int, rest: float) -> int:
        """Replace the vectors by a basis of the space of the most wanted ones; their number."""
        m, is_real = self.small.shape[0], self.small.dtype.kind != "c"
        scale = np.abs(values).max(initial=1)
        while count < m - 1 and wish[count - 1] - wish[count] <= 1e3 * self.eps * scale:
            count += 1  # of conjugates and equal ones none is left alone
        limit = (wish[count - 1] + wish[count]) / 2 if count < m else -np.inf

        def is_kept(value: complex) -> bool:
            return bool(self.order(np.array([value], complex))[1][0] > limit)

        def are_parts_kept(real: float, imag: float) -> bool:
            return is_kept(complex(real, imag))

        kind = "real" if is_real else "complex"
        sort = are_parts_kept if is_real else is_kept
        form, turns, count = scipy.linalg.schur(self.small, output=kind, sort=sort)
        count = min(max(count, 1), m - 1)
        if is_real and form[count, count - 1] != 0:
            count += 1 if count < m - 1 else -1
        vectors = self.basis.vectors
        weights = np.ascontiguousarray(turns[:, :count].T)
        vectors[:count] = asarray(weights) @ vectors[:-1]
        vectors[count] = vectors[-1]
        self.small[...] = 0
        self.small[:count, :count] = form[:count, :count]
        self.small[count, :count] = rest * turns[-1, :count]
        return count

    def result(self, values: Any, turns: Any, vectors: bool) -> Any:
        """Eigenvalues and eigenvectors."""
        basis = self.basis.vectors[:-1]
        dtype = np.result_type(basis.dtype, np.complex64)
        w = asarray(self.problem.back(values).astype(dtype))
        if not vectors:
            return w
        found = empty((values.size, basis.shape[1]), dtype)
        weights = np.ascontiguousarray((turns / np.linalg.norm(turns, axis=0)).T)
        if basis.dtype.kind == "c":
            found[...] = asarray(weights.astype(dtype)) @ basis
        else:
            found.real = asarray(weights.real.astype(basis.dtype)) @ basis
            found.imag = asarray(weights.imag.astype(basis.dtype)) @ basis
        return w, found.T

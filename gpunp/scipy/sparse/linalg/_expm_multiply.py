"""Exponentials of matrices times vectors, and estimates of norms.

A. H. Al-Mohy and N. J. Higham, "Computing the action of the matrix exponential, with an application
to exponential integrators", SIAM J. Sci. Comput. 33 (2011). N. J. Higham and F. Tisseur, "A block
algorithm for matrix 1-norm estimation", SIAM J. Matrix Anal. Appl. 21 (2000)."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import check_device_memory, shown, without_cycles
from ...._core._warnings import warn
from ...._core.multiarray import asarray, ndarray, where, zeros
from ...._core.shape_base import stack
from ....random import default_rng
from .._base import issparse
from .._sputils import upcast
from ._interface import LinearOperator, aslinearoperator
from ._norm import norm

__all__ = ["expm_multiply", "onenormest"]

EVERY = 8  # terms of the series between two readings
EPS = 2.0**-53
# Degrees of Taylor polynomials, and the largest norms of matrices for which their relative backward
# error is at most EPS (Al-Mohy and Higham, section 3).
THETA = {
    5: 0.002400876357887274,
    10: 0.1441829761614378,
    15: 0.6410835233041199,
    20: 1.438252596804337,
    25: 2.4285825244428265,
    30: 3.5396663487436895,
    35: 4.728347345793539,
    40: 5.968802630041849,
    45: 7.245068429597951,
    50: 8.546902045684933,
    55: 9.8674966757534,
}
MOST_POWERS, COLUMNS = 8, 2  # whose norms are estimated, and the columns of estimates


# ---- the 1-norm ----------------------------------------------------------------------------------


def onenormest(
    A: Any, t: int = 2, itmax: int = 5, compute_v: bool = False, compute_w: bool = False
) -> Any:
    """Estimate the 1-norm of a matrix from few products; the estimate is a lower bound.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Square matrix; an operator needs products of its adjoint.
    t : int, optional
        Number of columns that are multiplied at once; more make the estimate better.
    itmax : int, optional
        Largest number of iterations, at least 2.
    compute_v : bool, optional
        Whether the vector of norm 1 whose product has the norm found is returned.
    compute_w : bool, optional
        Whether the product is returned.

    Returns
    -------
    est : ndarray
        Estimate of the norm, an array without axes.
    v : ndarray
        Vector of norm 1, with `compute_v`.
    w : ndarray
        Product of the matrix with it, with `compute_w`.

    Notes
    -----
    Waits for the device a few times in an iteration: what to do next depends on signs and on the
    places of the largest elements. Signs to start with are the same in every call.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[1.0, -8.0], [3.0, 4.0]]))
    >>> sparse.linalg.onenormest(a)
    array(12.)
    """
    operator = aslinearoperator(A)
    n = operator.shape[1]
    if operator.shape[0] != n:
        raise ValueError("expected the operator to act like a square matrix")
    if t < 1:
        raise ValueError("at least one column is required")
    if itmax < 2:
        itmax = 2
    if t >= n:
        images = operator.matmat(_units(range(n), n))
        sums = umath.absolute(images).sum(axis=0)
        best = int(sums.argmax())
        size, w = sums[best], images[:, best]
    else:
        size, w, best = _Estimate(operator, t).run(itmax)
    v = _units([best], n)[:, 0]
    chosen = [x for x, is_wanted in ((v, compute_v), (w, compute_w)) if is_wanted]
    return (size, *chosen) if chosen else size


def _units(places: Any, n: int) -> ndarray:
    """Columns of the identity."""
    out = np.zeros((n, len(places)))
    out[list(places), np.arange(len(places))] = 1
    return asarray(out)


class _Estimate:
    """Algorithm 2.4 of Higham and Tisseur."""

    def __init__(self, operator: Any, t: int) -> None:
        self.operator, self.t, self.n = operator, t, operator.shape[0]
        self.generator = default_rng(1)
        self.is_real = operator.dtype.kind != "c"

    def run(self, itmax: int) -> tuple[ndarray, ndarray, int]:
        """The estimate, the product that has it, and the place of its vector's one."""
        n, t = self.n, self.t
        x = self._signs((n, t))
        x[:, 0] = 1
        x = self._different(x, x[:, :0]) / n
        seen: list[int]
        kept: Any
        seen, best, kept, old_signs, before = [], -1, None, x[:, :0], 0.0
        places = list(range(t))
        for step in range(itmax + 1):
            y = self.operator.matmat(x)
            sums = umath.absolute(y).sum(axis=0)
            place = int(sums.argmax())
            size = float(sums[place])
            if step and (size > before or step == 1):
                best, kept = places[place], (sums[place], y[:, place].copy())
            if step > 1 and size <= before:
                break
            before = size
            if step == itmax:
                break
            signs = self._signs_of(y)
            if self.is_real:
                if self._all_parallel(signs, old_signs):
                    break
                signs = self._different(signs, old_signs)
                old_signs = signs
            heights = umath.absolute(self.operator.rmatmat(signs)).max(axis=1)
            if step and float(heights.max()) <= float(heights[best]):
                break
            order = heights.argsort()[::-1][: t * (len(seen) // t + 2)].get().tolist()
            if step and set(order[:t]) <= set(seen):
                break
            places = [p for p in order if p not in seen][:t] or order[:t]
            seen.extend(places)
            x = _units(places, n)
        return (*kept, best)

    def _signs(self, shape: tuple) -> ndarray:
        return where(self.generator.random(shape) < 0.5, -1.0, 1.0)

    def _signs_of(self, y: ndarray) -> ndarray:
        size = umath.absolute(y)
        return where(size == 0, 1.0, y / where(size == 0, 1.0, size))

    def _all_parallel(self, signs: ndarray, old: ndarray) -> bool:
        if not old.shape[1]:
            return False
        products = umath.absolute(signs.T @ old).max(axis=1).get()
        return bool((products == self.n).all())

    def _different(self, signs: ndarray, old: ndarray) -> ndarray:
        """Columns none of which is parallel to another or to an old one."""
        for _ in range(10):
            products = umath.absolute(signs.T @ signs).get()
            bad = np.triu(products == self.n, 1).any(axis=0)
            if old.shape[1]:
                bad |= (umath.absolute(signs.T @ old).get() == self.n).any(axis=1)
            if not bad.any():
                break
            fresh = self._signs((self.n, int(bad.sum())))
            signs = signs.copy()
            for k, column in enumerate(np.flatnonzero(bad)):
                signs[:, int(column)] = fresh[:, k]
        return signs


# ---- the exponential -----------------------------------------------------------------------------


def expm_multiply(
    A: Any,
    B: Any,
    start: Any = None,
    stop: Any = None,
    num: Any = None,
    endpoint: Any = None,
    traceA: Any = None,
) -> Any:
    """Compute the exponential of a matrix times a vector or a matrix, without the exponential.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Square matrix; an operator needs products of its adjoint.
    B : ndarray or sparse matrix
        Vector or matrix that the exponential is multiplied with.
    start : float, optional
        First of the times at which the exponential of ``t * A`` is taken.
    stop : float, optional
        Last of the times, or the one after it.
    num : int, optional
        Number of times, 50 by default.
    endpoint : bool, optional
        Whether `stop` is the last time, which is the default.
    traceA : float, optional
        Trace of `A`, by default computed, or estimated for an operator. It only helps the speed.

    Returns
    -------
    ndarray or sparse matrix
        Product, or with times the products, one after the other along the first axis.

    Notes
    -----
    The norm, and norms of powers where these may save products, are read from the device; after
    that whether the terms of the series are small enough is read every eight terms.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> sparse.linalg.expm_multiply(a, cp.array([1.0, 2.0]))
    array([3., 2.])
    """
    operator = aslinearoperator(A)
    n = operator.shape[0]
    if operator.shape[1] != n:
        raise ValueError("expected A to be like a square matrix")
    if len(getattr(B, "shape", ())) not in (1, 2):
        raise ValueError(f"B must be a vector or a matrix, not {shown(B)}")
    if B.shape[0] != n:
        raise ValueError(f"shapes of matrices A {operator.shape} and B {B.shape} are incompatible")
    if issparse(B):
        B = B.tocsr()
    dtype = upcast(operator.dtype, B.dtype, np.dtype("d"))
    columns = B.shape[1] if B.ndim == 2 else 1
    if start is None and stop is None and num is None and endpoint is None:
        return _Action(A, operator, traceA, columns).apply(B.astype(dtype), 1.0)
    check_device_memory(num, *B.shape, dtype=dtype)
    times, step = np.linspace(
        *(without_cycles(start), without_cycles(stop)),
        50 if num is None else num,
        endpoint is not False,
        retstep=True,
    )
    if len(times) < 2:
        raise ValueError("at least two time points are required")
    action = _Action(A, operator, traceA, columns)
    found = [action.apply(B.astype(dtype), float(times[0]))]
    for _ in times[1:]:
        found.append(action.apply(found[-1], float(step)))
    return stack(found)


class _Action:
    """Products with exponentials of multiples of a matrix, less its mean eigenvalue."""

    def __init__(self, A: Any, operator: Any, trace: Any, columns: int) -> None:
        n = operator.shape[0]
        self.columns = columns
        self.product = A.__matmul__ if issparse(A) else operator.dot
        self.mean = (_trace(A, operator) if trace is None else trace) / n if n else 0.0
        mean = self.mean
        self.shifted = LinearOperator(
            operator.shape,
            matvec=lambda v: operator.matvec(v) - mean * v,
            rmatvec=lambda v: operator.rmatvec(v) - np.conj(mean) * v,
            matmat=lambda v: operator.matmat(v) - mean * v,
            rmatmat=lambda v: operator.rmatmat(v) - np.conj(mean) * v,
            dtype=np.result_type(operator.dtype, type(mean)),
        )
        self.size = float(onenormest(self.shifted)) if n else 0.0
        self._powers: dict = {}
        self._plans: dict = {}

    def apply(self, b: Any, t: float) -> Any:
        """The exponential of t times the matrix, times `b`."""
        if self.mean.__class__ is complex or isinstance(t * self.mean, complex):
            b = b.astype(np.result_type(b.dtype, np.complex128))
        degree, times = self._plan(t)
        factor = np.exp(t * self.mean / times)
        for _ in range(times):
            total, before = b, _largest(b)
            for k in range(1, degree + 1):
                b = (self.product(b) - b * self.mean) * (t / (times * k))
                total = total + b
                if k % EVERY == 0:
                    size = _largest(b)
                    if bool(before + size <= EPS * _largest(total)):
                        break
                if k % EVERY in (EVERY - 1, 0):
                    before = _largest(b)
            b = total * factor
        return b

    def _plan(self, t: float) -> tuple[int, int]:
        """The degree, and by how much the matrix is divided (code fragment 3.1)."""
        if t not in self._plans:
            size = abs(t) * self.size
            choices = [(m, max(int(np.ceil(size / theta)), 1)) for m, theta in THETA.items()]
            most = max(THETA)
            few = 2 * COLUMNS * MOST_POWERS * (MOST_POWERS + 3) / most * THETA[most] / self.columns
            if size > few:
                for p in range(2, MOST_POWERS + 1):
                    alpha = abs(t) * max(self._power(p), self._power(p + 1))
                    choices += [
                        (m, max(int(np.ceil(alpha / theta)), 1))
                        for m, theta in THETA.items()
                        if m + 1 >= p * (p - 1)
                    ]
            self._plans[t] = min(choices, key=lambda choice: choice[0] * choice[1])
        return self._plans[t]

    def _power(self, p: int) -> float:
        """The p-th root of the norm of the p-th power."""
        if p not in self._powers:

            def repeated(f: Any, v: Any) -> Any:
                for _ in range(p):
                    v = f(v)
                return v

            s = self.shifted
            power = LinearOperator(
                s.shape,
                matvec=lambda v: repeated(s.matvec, v),
                rmatvec=lambda v: repeated(s.rmatvec, v),
                matmat=lambda v: repeated(s.matmat, v),
                rmatmat=lambda v: repeated(s.rmatmat, v),
                dtype=s.dtype,
            )
            self._powers[p] = float(onenormest(power)) ** (1 / p)
        return self._powers[p]


def _largest(b: Any) -> ndarray:
    """The largest sum of magnitudes of a row."""
    if issparse(b):
        return norm(b, np.inf) if b.nnz else zeros(())
    if not b.size:
        return zeros(())
    sizes = umath.absolute(b)
    return sizes.max() if b.ndim == 1 else sizes.sum(axis=1).max()


def _trace(A: Any, operator: Any) -> Any:
    """The trace as a number of the host, estimated for an operator."""
    if issparse(A) or isinstance(A, ndarray):
        return A.trace().item()
    warn(
        "Trace of LinearOperator not available, it will be estimated. Provide `traceA` to ensure "
        "performance.",
        UserWarning,
    )
    signs = where(default_rng(2).random((operator.shape[0], 4)) < 0.5, -1.0, 1.0)
    return ((signs * operator.matmat(signs)).sum() / signs.shape[1]).item()

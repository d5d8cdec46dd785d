"""Flexible methods of minimal residuals that keep directions over restarts."""

from typing import Any

import numpy as np

from ...._core._convert import number_on_host
from ...._core._docstrings import documented_as
from ...._core.multiarray import asarray, ndarray, zeros
from ...._core.shape_base import stack
from ...._core.umath import vecdot
from ....linalg import norm, qr
from ...linalg import solve_triangular
from ._isolve import cg, small_least_squares
from ._krylov import Basis
from ._system import System, residual_tolerances

__all__ = ["gcrotmk", "lgmres"]


class _Cycle:
    """Arnoldi process on the residual of a system. Directions are vectors of the basis, times the
    preconditioner, or known ones with their products, which may be None.

    Parameters
    ----------
    system : System
        System whose operator and preconditioner are used.
    r : ndarray
        Residual, the first vector of the basis.
    known : list of tuple
        Directions and their products, one after the other for each None in `order`.
    order : list
        For each step None for a vector of the basis, or the number of a known direction.
    tolerance : float
        Norm of the residual at which the process may end. The host looks after 3, 5, 8, ... steps.
    removed : ndarray, optional
        Orthonormal rows to which the products are made orthogonal.
    """

    def __init__(
        self,
        system: System,
        r: ndarray,
        known: list,
        order: list,
        tolerance: float,
        removed: Any = None,
    ) -> None:
        self.system, self.known, self.order, self.removed = system, known, order, removed
        self.basis = Basis(len(order), r.size, system.dtype)
        self.basis.put(0, r)
        count = 0 if removed is None else removed.shape[0]
        self.parts = zeros((len(order), count), system.dtype)
        self.weights, self.hessenberg, look = np.zeros(0), np.zeros((1, 0)), 3
        for k, place in enumerate(order):
            w = self._product(k, place)
            if count:
                for _ in range(2):  # the second pass removes what rounding left
                    part = vecdot(removed, w)
                    self.parts[k] += part
                    w = w - part @ removed
            self.basis.extend(k, w)
            if k + 1 in (look, len(order)):
                look += look // 2 + 1
                self._read(k + 1)
                self.weights, rest = small_least_squares(self.hessenberg, self.start, tolerance)
                if rest <= tolerance or self.weights.size <= k:
                    break

    def _read(self, steps: int) -> None:
        """Read the coefficients of some steps. Waits for the device."""
        coefficients, lengths = self.basis.read()
        self.hessenberg = np.zeros((steps + 1, steps), self.system.dtype)
        self.hessenberg[:-1] = coefficients[:steps, :steps]
        self.hessenberg[np.arange(1, steps + 1), np.arange(steps)] = lengths[1 : steps + 1]
        self.start = float(lengths[0])

    def _product(self, k: int, place: Any) -> ndarray:
        s = self.system
        if place is None:
            return s.A.matvec(s.psolve(self.basis.vectors[k]))
        direction, product = self.known[place]
        return s.A.matvec(direction) if product is None else product

    def is_nan(self) -> bool:
        """Whether the first product has elements that are NaN or infinite."""
        return not np.isfinite(self.hessenberg[:2, :1]).all()

    def direction(self) -> ndarray:
        """The combination of directions."""
        weights, count = self.weights, self.weights.size
        own = np.array([w if self.order[k] is None else 0 for k, w in enumerate(weights)])
        found = self.system.psolve(self._combined(own))
        for k in range(count):
            if self.order[k] is not None:
                found = found + weights[k] * self.known[self.order[k]][0]
        return found

    def image(self) -> ndarray:
        """The product with the combination, without its parts along `removed`."""
        count = self.weights.size
        return self._combined(self.hessenberg[: count + 1, :count] @ self.weights)

    def removed_parts(self) -> ndarray:
        """The parts of the product along `removed`."""
        return asarray(self.weights.astype(self.system.dtype)) @ self.parts[: self.weights.size]

    def _combined(self, weights: Any) -> ndarray:
        weights = np.trim_zeros(weights, "b")  # vectors behind one of length zero are NaN
        return asarray(weights.astype(self.system.dtype)) @ self.basis.vectors[: weights.size]


def _begin(A: Any, b: Any, x0: Any, M: Any, rtol: float, atol: float) -> tuple[Any, float, float]:
    """The system, the norm of its right-hand side and the tolerance."""
    rtol, atol = residual_tolerances(rtol, atol)
    s = System(A, b, x0, M)
    size = float(norm(s.b))
    if not np.isfinite(size):
        raise ValueError("RHS must contain only finite numbers")
    return s, size, max(float(atol), float(rtol) * size)


@documented_as(cg)
def lgmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: Any = None,
    callback: Any = None,
    inner_m: int = 30,
    outer_k: int = 3,
    outer_v: Any = None,
    store_outer_Av: bool = True,
    prepend_outer_v: bool = False,
) -> tuple:
    """Solve a system by minimal residuals, with errors of former restarts as directions.

    Parameters
    ----------
    maxiter : int, optional
        Largest number of restarts, 1000 by default.
    M : sparse matrix, ndarray or LinearOperator, optional
        Preconditioner, an approximation of the inverse of `A`, applied from the right.
    callback : callable, optional
        Function of the present solution, called before each restart.
    inner_m : int, optional
        Steps between restarts, without those along `outer_v`.
    outer_k : int, optional
        Number of directions that are kept over restarts.
    outer_v : list of tuple, optional
        Directions to start with, each with its product or None; it is changed in place, so that it
        can be given to the next call.
    store_outer_Av : bool, optional
        Whether products are kept with the directions.
    prepend_outer_v : bool, optional
        Whether the kept directions come before the others.

    Returns
    -------
    x : ndarray
        Solution of the system.
    info : int
        0 where it converged, otherwise the number of restarts.

    Notes
    -----
    The method of Baker, Jessup and Manteuffel (SIAM J. Matrix Anal. Appl. 26, 2005). The small
    least-squares problem is solved on the host, which waits for the device after 3, 5, 8, ... steps
    of a restart, to end it where the residual is small enough.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import lgmres
    >>> x, info = lgmres(cp.array([[2.0, 1.0], [0.0, 4.0]]), cp.ones(2))
    >>> x.round(6), info
    (array([0.375, 0.25 ]), 0)
    """
    s, size, tolerance = _begin(A, b, x0, M, rtol, atol)
    inner_m, outer_k = number_on_host(inner_m), number_on_host(outer_k)
    if size == 0:
        return zeros(s.b.size, s.dtype), 0
    kept = [] if outer_v is None else outer_v
    for restart in range(maxiter):
        r = s.residual()
        if callback is not None:
            callback(s.x)
        if float(norm(r)) <= tolerance:
            return s.x, 0
        own, known = [None] * max(min(inner_m, s.b.size), 0), list(range(len(kept)))
        cycle = _Cycle(s, r, kept, known + own if prepend_outer_v else own + known, tolerance)
        if not cycle.weights.size:
            return s.x, restart + 1 if cycle.is_nan() else maxiter
        change, image = cycle.direction(), cycle.image()
        s.x, s.has_start = s.x + change, True
        if outer_k > 0:
            length = norm(change)
            kept.append((change / length, image / length if store_outer_Av else None))
            del kept[:-outer_k]
    return s.x, maxiter


@documented_as(lgmres)
def gcrotmk(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: Any = None,
    callback: Any = None,
    m: int = 20,
    k: Any = None,
    CU: Any = None,
    discard_C: bool = False,
    truncate: str = "oldest",
) -> tuple:
    """Solve a system by minimal residuals, orthogonal to products of former restarts.

    Parameters
    ----------
    m : int, optional
        Steps between restarts, once `k` directions are kept.
    k : int, optional
        Number of directions that are kept over restarts, by default `m`.
    CU : list of tuple, optional
        Products and directions to start with, where a product may be None; it is changed in place,
        so that it can be given to the next call.
    discard_C : bool, optional
        Whether products are left out of `CU` at the end, as for another matrix.
    truncate : {'oldest', 'smallest'}, optional
        Which directions are dropped: the oldest, or those with the smallest singular values.

    Notes
    -----
    The method of de Sturler (SIAM J. Numer. Anal. 36, 1999) in the flexible form of Hicken and
    Zingg (SIAM J. Sci. Comput. 32, 2010). The small least-squares problem is solved on the host, as
    `lgmres` does.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse.linalg import gcrotmk
    >>> x, info = gcrotmk(cp.array([[2.0, 1.0], [0.0, 4.0]]), cp.ones(2))
    >>> x.round(6), info
    (array([0.375, 0.25 ]), 0)
    """
    if truncate not in ("oldest", "smallest"):
        raise ValueError(f"Invalid value for 'truncate': {truncate!r}")
    if m < 0:
        raise ValueError(f"m must not be negative, got {m}")
    s, size, tolerance = _begin(A, b, x0, M, rtol, atol)
    pairs = [] if CU is None else CU
    if size == 0:
        return zeros(s.b.size, s.dtype), 0
    k, info, r = m if k is None else k, maxiter, s.residual()
    if pairs:
        pairs[:] = _orthonormal_pairs(s, pairs)
        products, directions = _rows(pairs)
        part = vecdot(products, r)
        s.x, r = s.x + part @ directions, r - part @ products
    for restart in range(maxiter):
        if callback is not None:
            callback(s.x)
        if float(norm(r)) <= tolerance:
            r = s.b - s.A.matvec(s.x)  # without the rounding of updates
            if float(norm(r)) <= tolerance:
                info = 0
                break
        r, is_nan = _step_of_gcrot(s, r, pairs, (m, k, truncate), tolerance)
        if r is None:
            info = restart + 1 if is_nan else maxiter
            break
    pairs.append((None, s.x.copy()))
    if discard_C:
        pairs[:] = [(None, u) for _, u in pairs]
    return s.x, info


def _rows(pairs: list) -> tuple[ndarray, ndarray]:
    return stack([c for c, _ in pairs]), stack([u for _, u in pairs])


def _orthonormal_pairs(s: System, pairs: list) -> list:
    """Pairs whose products are orthonormal, without those that depend on others."""
    directions = stack([u for _, u in pairs])
    products = stack([s.A.matvec(u) if c is None else c for c, u in pairs])
    q, triangle = qr(products.T)
    sizes = np.abs(np.diagonal(triangle.get()))
    if not (sizes > 1e-12 * sizes.max(initial=0)).all():  # at a dependent one the later ones end
        count = int(np.argmin(sizes > 1e-12 * sizes.max()))
        return _orthonormal_pairs(s, pairs[:count]) if count else []
    directions = solve_triangular(triangle.T, directions, lower=True)
    return [(q[:, i].copy(), directions[i].copy()) for i in range(len(pairs))]


def _step_of_gcrot(s: System, r: ndarray, pairs: list, sizes: tuple, tolerance: float) -> Any:
    """(r, is_nan): the residual after a restart, or None if there is no direction, and whether that
    is because of NaN; solution and pairs are updated."""
    m, k, truncate = sizes
    directions: Any
    products, directions = _rows(pairs) if pairs else (None, None)
    steps = min(m + max(k - len(pairs), 0), s.b.size)
    cycle = _Cycle(s, r, [], [None] * steps, tolerance, products)
    if not cycle.weights.size:
        return None, cycle.is_nan()
    u, c = cycle.direction(), cycle.image()
    if pairs:
        u = u - cycle.removed_parts() @ directions
    length = norm(c)
    u, c = u / length, c / length
    gamma = vecdot(c, r)
    s.x, r = s.x + gamma * u, r - gamma * c
    if pairs and len(pairs) >= k:
        pairs[:] = _fewer(cycle, pairs, k - 1) if truncate == "smallest" else pairs[1:]
    if k > 0:
        pairs.append((c, u))
        del pairs[:-k]
    return r, False


def _fewer(cycle: _Cycle, pairs: list, count: int) -> list:
    """The combinations of pairs along which most of the products lay."""
    steps = cycle.weights.size
    triangle = np.linalg.qr(cycle.hessenberg[: steps + 1, :steps])[1]
    parts = cycle.parts[:steps].get()
    _, _, turns = np.linalg.svd(np.linalg.solve(triangle.T, parts))
    weights = asarray(np.ascontiguousarray(turns[:count].conj()).astype(cycle.system.dtype))
    products, directions = _rows(pairs)
    made = weights @ products, weights @ directions
    return [(made[0][i].copy(), made[1][i].copy()) for i in range(count)]

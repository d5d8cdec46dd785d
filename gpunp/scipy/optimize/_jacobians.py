"""Approximate Jacobians by the steps of an iteration, for `_nonlin`; vectors are on the device.

C. T. Kelley, "Solving Nonlinear Equations with Newton's Method"; V. Eyert, J. Comput. Phys. 124
(1996), for Anderson's method; D. A. Knoll, D. E. Keyes, J. Comput. Phys. 193 (2004), for Krylov
methods.
"""

import inspect
import math
import numbers
import types
from typing import Any

import numpy as np

from ..._core._convert import as_array, number_on_host, shown
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, ndarray, where, zeros
from ..._core.shape_base import stack
from ..._core.umath import conjugate, matmul, maximum, minimum
from ...lib._twodim_base_impl import eye
from ...linalg._linalg import norm as length
from ._host import number
from ._objective import read

__all__ = ["BroydenFirst", "InverseJacobian", "KrylovJacobian"]


def conj(a: ndarray) -> ndarray:
    """Complex conjugate; real arrays as they are, without a launch."""
    return conjugate(a) if a.dtype.kind == "c" else a


def dot(a: ndarray, b: ndarray) -> ndarray:
    """Scalar product, conjugating the first vector."""
    return matmul(conj(a), b)


def square(v: ndarray) -> ndarray:
    """Square of the length of a vector."""
    return dot(v, v).real


class Jacobian:
    """An approximate Jacobian at the current point."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix, which is known after `setup`."""
        return self.size, self.size

    def setup(self, x, F, func) -> None:
        """Begin at a point.

        Parameters
        ----------
        x : ndarray, (n,)
            Point at which the iteration begins.
        F : ndarray, (n,)
            Values of the function there.
        func : callable
            The function of the system.
        """
        self.func, self.size, self.dtype = func, F.size, F.dtype
        self.last_x, self.last_f = x, F

    def matvec(self, f) -> ndarray:
        """Apply the Jacobian.

        Parameters
        ----------
        f : ndarray, (n,)
            Vector that is multiplied.

        Returns
        -------
        ndarray, (n,)
            Product of matrix and vector.
        """
        raise NotImplementedError

    @documented_as(matvec)
    def solve(self, f, tol=0) -> ndarray:
        """Apply the inverse of the Jacobian.

        Parameters
        ----------
        tol : float, optional
            Relative tolerance of Krylov methods; other inverses are exact.
        """
        raise NotImplementedError

    def update(self, x, F) -> None:
        """Take the next point.

        Parameters
        ----------
        x : ndarray, (n,)
            Point after a step.
        F : ndarray, (n,)
            Values of the function there.
        """
        dx, df = x - self.last_x, F - self.last_f
        self._update(x, F, dx, df)
        self.last_x, self.last_f = x, F

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray) -> None:
        raise NotImplementedError

    def aspreconditioner(self) -> Any:
        """Return what preconditions a Krylov method: the inverse.

        Returns
        -------
        InverseJacobian
            The inverse of this Jacobian.
        """
        return InverseJacobian(self)


class _Scaled(Jacobian):
    """A Jacobian that is -1 / alpha times the identity at first."""

    def __init__(self, alpha: Any = None) -> None:
        self.alpha: Any = None if alpha is None else number(alpha)

    def setup(self, x, F, func) -> None:
        super().setup(x, F, func)
        if self.alpha is None:
            size, start = map(math.sqrt, read(square(F), square(x)))
            self.alpha = 0.5 * max(start, 1) / size if size else 1.0


class _LowRank:
    """The matrix alpha I + C^T conj(D), whose rows c and d are added one by one."""

    def __init__(self, alpha: Any, n: int, dtype: Any) -> None:
        self.alpha, self.n, self.dtype = alpha, n, dtype
        self.rank, self.dense = 0, None  # type: int, Any
        self.c = self.d = zeros((8, n), dtype)

    def append(self, c: ndarray, d: ndarray) -> None:
        if self.dense is not None:
            self.dense = self.dense + c[:, None] * conj(d)[None, :]
            return
        if self.rank in (0, len(self.c)):  # rows of its own, or twice as many
            for name in "cd":
                rows = zeros((max(8, 2 * self.rank), self.n), self.dtype)
                rows[: self.rank] = getattr(self, name)[: self.rank]
                setattr(self, name, rows)
        self.c[self.rank], self.d[self.rank] = c, d
        self.rank += 1
        if self.rank > self.n:
            self.dense = self.todense()

    def _applied(self, left: ndarray, right: ndarray, alpha: Any, v: ndarray) -> ndarray:
        if not self.rank:
            return alpha * v
        inner = matmul(conj(right[: self.rank]), v)
        return alpha * v + matmul(left[: self.rank].T, inner)

    def matvec(self, v: ndarray) -> ndarray:
        if self.dense is not None:
            return matmul(self.dense, v)
        return self._applied(self.c, self.d, self.alpha, v)

    def rmatvec(self, v: ndarray) -> ndarray:
        if self.dense is not None:
            return matmul(conj(self.dense.T), v)
        return self._applied(self.d, self.c, np.conj(self.alpha), v)

    def solve(self, v: ndarray) -> ndarray:
        """The inverse by the formula of Sherman, Morrison and Woodbury."""
        from ...linalg import solve

        if self.dense is not None:
            return solve(self.dense, v)
        if not self.rank:
            return v / self.alpha
        c, d = self.c[: self.rank], conj(self.d[: self.rank])
        inner = eye(self.rank, dtype=self.dtype) * self.alpha + matmul(d, c.T)
        return (v - matmul(c.T, solve(inner, matmul(d, v)))) / self.alpha

    def rsolve(self, v: ndarray) -> ndarray:
        other = _LowRank(np.conj(self.alpha), self.n, self.dtype)
        other.c, other.d, other.rank = self.d, self.c, self.rank
        other.dense = None if self.dense is None else conj(self.dense.T)
        return other.solve(v)

    def todense(self) -> ndarray:
        if self.dense is not None:
            return self.dense.copy()
        made = eye(self.n, dtype=self.dtype) * self.alpha
        if not self.rank:
            return made
        return made + matmul(self.c[: self.rank].T, conj(self.d[: self.rank]))

    # ---- fewer rows ----

    def keep_newest(self, count: int) -> None:
        if self.dense is None and self.rank > count:
            self.c[:count] = self.c[self.rank - count : self.rank].copy()
            self.d[:count] = self.d[self.rank - count : self.rank].copy()
            self.rank = count

    def keep_largest(self, count: int) -> None:
        """Keep the parts with the largest singular values of the matrix without alpha I."""
        from ...linalg import qr, svd

        if self.dense is None and self.rank > count:
            q, r = qr(self.d[: self.rank].T)
            u, s, vh = svd(matmul(self.c[: self.rank].T, conj(r.T)), full_matrices=False)
            self.c[:count] = (u * s)[:, :count].T
            self.d[:count] = matmul(q, conj(vh.T))[:, :count].T
            self.rank = count


class _Broyden(_Scaled):
    def __init__(
        self, alpha: Any = None, reduction_method: Any = "restart", max_rank: Any = None
    ) -> None:
        super().__init__(alpha)
        how, *more = (reduction_method,) if isinstance(reduction_method, str) else reduction_method
        if how not in ("restart", "simple", "svd"):
            raise ValueError(f"Unknown rank reduction method {reduction_method!r}")
        self.max_rank = np.inf if max_rank is None else max_rank
        # As SciPy's: one fewer than its documentation has.
        self.kept = max(0, min(more[0] if more else self.max_rank - 3, self.max_rank - 2))
        self.how = how

    def setup(self, x, F, func) -> None:
        super().setup(x, F, func)
        self.inverse_matrix = _LowRank(-self.alpha, self.size, self.dtype)

    def solve(self, f, tol=0) -> ndarray:
        return self.inverse_matrix.matvec(f)

    def _reduce(self) -> None:
        rank, matrix = self.inverse_matrix.rank, self.inverse_matrix
        if self.how == "svd" and rank >= self.max_rank - 1:
            matrix.keep_largest(int(self.kept))
        elif self.how == "simple" and rank >= self.max_rank:
            matrix.keep_newest(int(self.max_rank) - 1)
        elif self.how == "restart" and rank >= self.max_rank:
            self.inverse_matrix = _LowRank(-self.alpha, self.size, self.dtype)


class BroydenFirst(_Broyden):
    """Approximate a Jacobian by Broyden's first ("good") method.

    Parameters
    ----------
    alpha : float, optional
        The Jacobian is -1 / `alpha` times the identity at first; by default a guess.
    reduction_method : str or tuple, optional
        What is done at `max_rank`: 'restart' drops all steps, 'simple' the oldest one, 'svd' or
        ('svd', k) keeps the k largest singular values, by default `max_rank` - 3.
    max_rank : int, optional
        Largest number of steps that are kept; by default all are.

    See Also
    --------
    broyden1 : solves systems by this method

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import BroydenFirst, InverseJacobian, newton_krylov
    >>> jacobian = BroydenFirst()
    >>> inverse = InverseJacobian(jacobian)
    >>> newton_krylov(lambda x: x + x**3 - 2, cp.zeros(3), inner_M=inverse).round(4)
    array([1., 1., 1.])
    """

    def __init__(self, alpha=None, reduction_method="restart", max_rank=None) -> None:
        super().__init__(alpha, reduction_method, max_rank)

    def matvec(self, f) -> ndarray:
        return self.inverse_matrix.solve(f)

    @documented_as(Jacobian.solve)
    def rsolve(self, f, tol=0) -> ndarray:
        """Apply the inverse of the conjugate transposed Jacobian."""
        return self.inverse_matrix.rmatvec(f)

    @documented_as(Jacobian.matvec)
    def rmatvec(self, f) -> ndarray:
        """Apply the conjugate transposed Jacobian."""
        return self.inverse_matrix.rsolve(f)

    def todense(self) -> ndarray:
        """Return the Jacobian as a matrix.

        Returns
        -------
        ndarray, (n, n)
            Approximate Jacobian.
        """
        from ...linalg import inv

        return inv(self.inverse_matrix.todense())

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray) -> None:
        self._reduce()
        v = self.inverse_matrix.rmatvec(dx)
        c = dx - self.inverse_matrix.matvec(df)
        self.inverse_matrix.append(c, v / dot(df, v))


class BroydenSecond(BroydenFirst):
    """Approximate a Jacobian by Broyden's second ("bad") method, by changes of the values."""

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray) -> None:
        self._reduce()
        c = dx - self.inverse_matrix.matvec(df)
        self.inverse_matrix.append(c, df / square(df))


def _solved(matrix: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Solve a few equations on the host, those of half precision in single precision."""
    if side.dtype != np.float16:
        return np.linalg.solve(matrix, side)
    return np.linalg.solve(matrix.astype(np.float32), side.astype(np.float32)).astype(side.dtype)


class Anderson(_Scaled):
    """The combination of the last steps that explains the values best."""

    def __init__(self, alpha: Any = None, w0: float = 0.01, M: Any = 5) -> None:
        super().__init__(alpha)
        w0, M = number_on_host(w0), number_on_host(M)
        if not isinstance(M, numbers.Real):
            raise TypeError(f"M must be a number, not {shown(M)}")
        if M < 0:
            raise ValueError(f"M must not be negative, but is {shown(M)}")
        self.w0: Any = w0
        self.most = (
            math.floor(M) if M < 2**62 else 2**62
        )  # of NaN and infinity all changes are kept

    def setup(self, x, F, func) -> None:
        super().setup(x, F, func)
        self.dx: list[ndarray] = []
        self.df: list[ndarray] = []

    def solve(self, f, tol=0) -> ndarray:
        found = -self.alpha * f
        if not self.df:
            return found
        df = stack(self.df)
        products = matmul(conj(df), stack([*self.df, f]).T).get()
        matrix, side = products[:, :-1], products[:, -1]
        matrix = matrix + np.diag(np.diag(matrix)) * self.w0**2
        try:
            weights = _solved(matrix, side)
        except np.linalg.LinAlgError:  # equal steps: forget them
            self.dx, self.df = [], []
            return found
        steps = stack(self.dx) + self.alpha * df
        return found + matmul(asarray(weights), steps)

    def matvec(self, f) -> ndarray:
        """The inverse of what `solve` applies, by the formula of Sherman, Morrison and Woodbury."""
        found = -f / self.alpha
        if not self.df:
            return found
        df, dx, count = stack(self.df), stack(self.dx), len(self.df)
        products = matmul(conj(df), stack([*self.dx, *self.df, f]).T).get()
        matrix, squares = products[:, :count], np.diag(products[:, count:-1])
        weights = _solved(matrix - np.diag(squares) * (self.w0**2 * self.alpha), products[:, -1])
        return found + matmul(asarray(weights), df + dx / self.alpha)

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray) -> None:
        if self.most:
            self.dx, self.df = [*self.dx, dx][-self.most :], [*self.df, df][-self.most :]


class Linear(_Scaled):
    """A multiple of the identity."""

    def solve(self, f, tol=0) -> ndarray:
        return -self.alpha * f

    def matvec(self, f) -> ndarray:
        return -f / self.alpha

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray) -> None:
        pass


class Diagonal(_Scaled):
    """A diagonal matrix by Broyden's update."""

    def setup(self, x, F, func) -> None:
        super().setup(x, F, func)
        self.d = zeros(self.size, self.dtype) + 1 / self.alpha

    def solve(self, f, tol=0) -> ndarray:
        return -f / self.d

    def matvec(self, f) -> ndarray:
        return -f * self.d

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray) -> None:
        self.d = self.d - (df + self.d * dx) * conj(dx) / square(dx)


class Exciting(_Scaled):
    """A diagonal matrix whose elements grow while the signs of the values stay."""

    def __init__(self, alpha: Any = None, alphamax: float = 1.0) -> None:
        super().__init__(alpha)
        self.largest = alphamax

    def setup(self, x, F, func) -> None:
        super().setup(x, F, func)
        self.beta = zeros(self.size, self.dtype) + self.alpha

    def solve(self, f, tol=0) -> ndarray:
        return -f * self.beta

    def matvec(self, f) -> ndarray:
        return -f / self.beta

    def _update(self, x: ndarray, f: ndarray, dx: ndarray, df: ndarray) -> None:
        grown = where((f * self.last_f).real > 0, self.beta + self.alpha, self.alpha)
        self.beta = minimum(maximum(grown, 0), self.largest)


@fuse
def _length_of_differences(x: Any, f: Any, relative: Any) -> Any:
    """The length of a step that changes a point, for the largest components of it and of values."""
    return relative * maximum(x, 1) / maximum(f, 1)


@fuse
def _ahead(x: Any, v: Any, omega: Any, size: Any) -> Any:
    """The point at a distance along a vector of a size."""
    return x + omega / where(size == 0, 1, size) * v


@fuse
def _difference(value: Any, before: Any, omega: Any, size: Any) -> Any:
    """The change to a value at that point over the step."""
    return (value - before) / (omega / where(size == 0, 1, size))


_SOLVERS = ("lgmres", "gmres", "bicgstab", "cgs", "minres", "tfqmr")


def _takes(function: Any, name: str) -> bool:
    """Whether a function has a parameter of this name, or takes any."""
    parameters = inspect.signature(function).parameters
    return name in parameters or any(p.kind == p.VAR_KEYWORD for p in parameters.values())


class KrylovJacobian(Jacobian):
    """Solve with a Jacobian by a Krylov method, whose products are differences of the function.

    Parameters
    ----------
    rdiff : float, optional
        Relative step of the differences.
    method : str or callable, optional
        'lgmres', 'gmres', 'bicgstab', 'cgs', 'minres', 'tfqmr', or a function with their arguments.
    inner_maxiter : int, optional
        Largest number of iterations of the method.
    inner_M : LinearOperator or InverseJacobian, optional
        Preconditioner; its method `update`, if there is one, is called at each point.
    outer_k : int, optional
        Number of vectors that 'lgmres' keeps between steps.
    **kw : object
        Further arguments of the method, each with the prefix ``inner_``.

    See Also
    --------
    newton_krylov : solves systems by this method

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import KrylovJacobian
    >>> jacobian, x = KrylovJacobian(), cp.array([1.0, 2.0])
    >>> jacobian.setup(x, x**2, lambda x: x**2)
    >>> jacobian.matvec(cp.ones(2)).round(4)
    array([2., 4.])
    """

    def __init__(
        self, rdiff=None, method="lgmres", inner_maxiter=20, inner_M=None, outer_k=10, **kw
    ) -> None:
        if not (callable(method) or method in _SOLVERS):
            raise ValueError(f"`method` must be one of {list(_SOLVERS)}, not {method!r}")
        self.preconditioner, self.rdiff, self.method = inner_M, rdiff, method
        self.options: dict = {"maxiter": inner_maxiter, "M": inner_M}
        if method == "gmres":
            self.options |= {"restart": inner_maxiter, "maxiter": 1}
        elif method == "lgmres":
            self.options |= {"outer_k": outer_k, "maxiter": 1, "inner_m": inner_maxiter}
            self.options |= {"outer_v": [], "prepend_outer_v": True, "store_outer_Av": False}
        for key, value in kw.items():
            if not key.startswith("inner_"):
                raise ValueError(f"Unknown parameter {key}")
            if _takes(self._solver(), key[6:]):
                self.options[key[6:]] = value
            else:
                warn(f"{key!r} is no option of the inner method, and ignored", UserWarning)

    def _solver(self) -> Any:
        from ..sparse import linalg

        solvers = {name: getattr(linalg, name) for name in _SOLVERS}
        return solvers.get(self.method, self.method)

    @documented_as(Jacobian.setup)
    def setup(self, x, f, func) -> None:
        """Begin at a point.

        Parameters
        ----------
        f : ndarray, (n,)
            Values of the function there.
        """
        super().setup(x, f, func)
        if self.rdiff is None:
            self.rdiff = float(np.finfo(x.dtype).eps) ** 0.5
        self._step()
        if hasattr(self.preconditioner, "setup"):
            self.preconditioner.setup(x, f, func)

    def _step(self) -> None:
        """The length of differences, for the sizes of the point and of the values."""
        sizes = length(self.last_x, math.inf), length(self.last_f, math.inf)
        self.omega = _length_of_differences(*sizes, self.rdiff)

    @documented_as(Jacobian.matvec)
    def matvec(self, v) -> ndarray:
        """Apply the Jacobian, by a difference of the function.

        Parameters
        ----------
        v : ndarray, (n,)
            Vector that is multiplied.
        """
        size = length(v, 2)
        value = self.func(_ahead(self.last_x, v, self.omega, size))
        return _difference(value, self.last_f, self.omega, size)

    @documented_as(Jacobian.solve)
    def solve(self, rhs, tol=0) -> ndarray:
        """Apply the inverse of the Jacobian.

        Parameters
        ----------
        rhs : ndarray, (n,)
            Vector that is multiplied.
        tol : float, optional
            Relative tolerance of the iterations, unless `inner_rtol` was given.
        """
        from ..sparse.linalg import LinearOperator

        operator = LinearOperator(self.shape, matvec=self.matvec, dtype=self.dtype)
        return self._solver()(operator, rhs, **{"rtol": tol, **self.options})[0]

    @documented_as(Jacobian.update)
    def update(self, x, f) -> None:
        """Take the next point.

        Parameters
        ----------
        f : ndarray, (n,)
            Values of the function there.
        """
        self.last_x, self.last_f = x, f
        self._step()
        if hasattr(self.preconditioner, "update"):
            self.preconditioner.update(x, f)


class InverseJacobian:
    """Take the inverse of an approximate Jacobian as an operator, such as a preconditioner.

    Parameters
    ----------
    jacobian : BroydenFirst or KrylovJacobian
        Jacobian of which the inverse is taken.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import BroydenFirst, InverseJacobian
    >>> jacobian, x = BroydenFirst(alpha=0.5), cp.ones(2)
    >>> jacobian.setup(x, x, lambda x: x)
    >>> InverseJacobian(jacobian).matvec(x)
    array([-0.5, -0.5])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, jacobian) -> None:
        self.jacobian = jacobian

    @property
    def shape(self) -> Any:
        """Shape of the matrix, which is known after `setup`."""
        return self.jacobian.shape

    @property
    def dtype(self) -> Any:
        """Type of the matrix, which is known after `setup`."""
        return self.jacobian.dtype

    @documented_as(Jacobian.setup)
    def setup(self, x, F, func) -> None:
        """Begin at a point."""
        self.jacobian.setup(x, F, func)

    @documented_as(Jacobian.update)
    def update(self, x, F) -> None:
        """Take the next point."""
        self.jacobian.update(x, F)

    @documented_as(Jacobian.matvec)
    def matvec(self, f) -> ndarray:
        """Apply the inverse of the Jacobian."""
        return self.jacobian.solve(as_array(f).reshape(-1))

    @documented_as(Jacobian.matvec)
    def rmatvec(self, f) -> ndarray:
        """Apply the inverse of the conjugate transposed Jacobian."""
        return self.jacobian.rsolve(as_array(f).reshape(-1))

"""Approximate Hessians that are updated by steps and changes of gradients, on the device.

J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd edition, chapters 6 and 18.
"""

from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core._warnings import warn
from ..._core.multiarray import asarray, ndarray
from ..._core.umath import matmul
from ...lib._twodim_base_impl import eye
from ._host import array_on_host, scipy_optimize
from ._objective import read

__all__ = ["BFGS", "SR1", "HessianUpdateStrategy"]


class HessianUpdateStrategy:
    """Base class of approximate Hessians; a class derived from it defines all methods.

    Examples
    --------
    >>> from gpunp.scipy.optimize import BFGS, HessianUpdateStrategy
    >>> issubclass(BFGS, HessianUpdateStrategy)
    True
    """

    def initialize(self, n, approx_type) -> None:
        """Begin with an approximation for n variables.

        Parameters
        ----------
        n : int
            Number of the variables that change.
        approx_type : {'hess', 'inv_hess'}
            Whether the Hessian or its inverse is approximated.
        """
        raise NotImplementedError("a strategy has to define initialize(n, approx_type)")

    def update(self, delta_x, delta_grad) -> None:
        """Take a step.

        Parameters
        ----------
        delta_x : ndarray, (n,)
            Change of the variables.
        delta_grad : ndarray, (n,)
            Change of the gradient.
        """
        raise NotImplementedError("a strategy has to define update(delta_x, delta_grad)")

    def dot(self, p) -> ndarray:
        """Multiply with a vector.

        Parameters
        ----------
        p : ndarray, (n,)
            Vector that is multiplied.

        Returns
        -------
        ndarray, (n,)
            Product with the approximation.
        """
        raise NotImplementedError("a strategy has to define dot(p)")

    def __matmul__(self, p: Any) -> ndarray:
        return self.dot(p)

    def get_matrix(self) -> ndarray:
        """Return the approximation as a matrix.

        Returns
        -------
        ndarray, (n, n)
            Approximation of the Hessian, or of its inverse.
        """
        raise NotImplementedError("a strategy has to define get_matrix()")

    def _of_scipy(self) -> Any:
        """A strategy of arrays of the host, for SciPy's drivers."""
        own = self

        class OnHost(scipy_optimize().HessianUpdateStrategy):  # type: ignore[misc]
            def initialize(self, n: int, approx_type: str) -> None:
                own.initialize(n, approx_type)

            def update(self, delta_x: np.ndarray, delta_grad: np.ndarray) -> None:
                own.update(asarray(delta_x), asarray(delta_grad))

            def dot(self, p: np.ndarray) -> np.ndarray:
                return array_on_host(own.dot(asarray(p)))

            def get_matrix(self) -> np.ndarray:
                return array_on_host(own.get_matrix())

        return OnHost()


class _Matrix(HessianUpdateStrategy):
    """A strategy that keeps a dense matrix."""

    def __init__(self, init_scale: Any) -> None:
        self.init_scale = init_scale
        self.first_iteration = self.approx_type = self.n = self._matrix = None  # type: Any

    def initialize(self, n, approx_type) -> None:
        if approx_type not in ("hess", "inv_hess"):
            raise ValueError("`approx_type` must be 'hess' or 'inv_hess'.")
        self.first_iteration, self.n, self.approx_type = True, n, approx_type
        self._matrix = eye(n)

    def _scale(self, size: float, change: float, curvature: float) -> Any:
        """What the identity is multiplied with at first: about an eigenvalue."""
        if isinstance(self.init_scale, str):
            if self.init_scale != "auto":
                raise ValueError(f"`init_scale` must be 'auto' or a number, not {self.init_scale}")
            if 0 in (size, change, curvature):
                return 1.0
            ratio = change / abs(curvature)
            return ratio if self.approx_type == "hess" else 1 / ratio
        scale = asarray(self.init_scale)
        if scale.dtype.kind == "c":
            raise TypeError("`init_scale` must be real, but contains complex elements.")
        if scale.ndim == 0:
            return scale
        if scale.shape != (self.n, self.n):
            raise ValueError(
                f"If `init_scale` is an array, it must have the dimensions of the Hessian, "
                f"{(self.n, self.n)}, not {scale.shape}."
            )
        if not bool((scale == scale.T).all()):
            raise ValueError("If `init_scale` is an array, it must be symmetric.")
        return scale

    def update(self, delta_x, delta_grad) -> None:
        s, y = as_array(delta_x), as_array(delta_grad)
        size, change, curvature = read(matmul(s, s), matmul(y, y), matmul(s, y))
        if size == 0:
            return
        if change == 0:
            warn(
                "delta_grad == 0.0. Check if the approximated function is linear. If the function "
                "is linear better results can be obtained by defining the Hessian as zero instead "
                "of using quasi-Newton approximations.",
                UserWarning,
            )
            return
        if self.first_iteration:
            scale = self._scale(size, change, curvature)
            is_matrix = isinstance(scale, ndarray) and scale.ndim == 2
            self._matrix = scale.astype(np.float64) if is_matrix else scale * self._matrix
            self.first_iteration = False
        w, z = (s, y) if self.approx_type == "hess" else (y, s)
        self._update(w, z, curvature)

    def _update(self, w: ndarray, z: ndarray, wz: float) -> None:
        raise NotImplementedError

    def dot(self, p) -> ndarray:
        return matmul(self._current(), as_array(p))

    def get_matrix(self) -> ndarray:
        return self._current().copy()

    def _current(self) -> ndarray:
        if self._matrix is None:
            raise ValueError("there is no matrix before initialize is called")
        return self._matrix


class BFGS(_Matrix):
    """Approximate a Hessian by the updates of Broyden, Fletcher, Goldfarb and Shanno.

    Parameters
    ----------
    exception_strategy : {'skip_update', 'damp_update'}, optional
        What is done with steps of little curvature: nothing, or an update with a mixed step.
    min_curvature : float, optional
        Curvature along a step, relative to that of the approximation, that is little: by default
        1e-8 with 'skip_update', 0.2 with 'damp_update'.
    init_scale : {'auto'}, float or array_like, (n, n), optional
        Factor of the identity at first, or the first matrix; by default it follows from the first
        step.

    Notes
    -----
    The matrix stays on the device; an update reads four numbers.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import BFGS
    >>> hessian = BFGS()
    >>> hessian.initialize(2, "hess")
    >>> hessian.update(cp.array([1.0, 0.0]), cp.array([3.0, 0.0]))
    >>> hessian.get_matrix()
    array([[3., 0.],
           [0., 3.]])
    """

    def __init__(
        self, exception_strategy="skip_update", min_curvature=None, init_scale="auto"
    ) -> None:
        defaults = {"skip_update": 1e-8, "damp_update": 0.2}
        if exception_strategy not in defaults:
            raise ValueError("`exception_strategy` must be 'skip_update' or 'damp_update'.")
        super().__init__(init_scale)
        self.exception_strategy = exception_strategy
        self.min_curvature = (
            defaults[exception_strategy] if min_curvature is None else min_curvature
        )

    def _update(self, w: ndarray, z: ndarray, wz: float) -> None:
        mw = matmul(self._matrix, w)
        (curved,) = read(matmul(w, mw))
        if curved <= 0:  # the matrix is not positive: begin again
            zz, ww = read(matmul(z, z), matmul(w, w))
            self._matrix = eye(self.n) * self._scale(*self._in_order(ww, zz), wz)
            mw = matmul(self._matrix, w)
            (curved,) = read(matmul(w, mw))
        if wz <= self.min_curvature * curved:
            if self.exception_strategy == "skip_update":
                return
            part = (1 - self.min_curvature) / (1 - wz / curved)
            z = part * z + (1 - part) * mw
            (wz,) = read(matmul(w, z))
        if self.approx_type == "hess":
            change = mw[:, None] * mw[None, :] / -curved + z[:, None] * z[None, :] / wz
        else:
            (inner,) = read(matmul(w, mw))
            mixed = mw[:, None] * z[None, :]
            change = z[:, None] * z[None, :] * ((wz + inner) / wz**2) - (mixed + mixed.T) / wz
        self._matrix = self._matrix + change

    def _in_order(self, ww: float, zz: float) -> tuple[float, float]:
        """Squares of the step and of the change of the gradient."""
        return (ww, zz) if self.approx_type == "hess" else (zz, ww)

    def _of_scipy(self) -> Any:
        if type(self) is not BFGS:
            return super()._of_scipy()
        scale = self.init_scale
        scale = scale if isinstance(scale, str) else array_on_host(scale)
        return scipy_optimize().BFGS(self.exception_strategy, self.min_curvature, scale)


class SR1(_Matrix):
    """Approximate a Hessian by symmetric updates of rank one, which may become indefinite.

    Parameters
    ----------
    min_denominator : float, optional
        Relative size of the denominator of an update below which it is skipped.
    init_scale : {'auto'}, float or array_like, (n, n), optional
        Factor of the identity at first, or the first matrix; by default it follows from the first
        step.

    Notes
    -----
    The matrix stays on the device; an update reads six numbers.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import SR1
    >>> hessian = SR1(init_scale=1.0)
    >>> hessian.initialize(2, "hess")
    >>> hessian.update(cp.array([1.0, 0.0]), cp.array([-3.0, 0.0]))
    >>> hessian.dot(cp.ones(2))
    array([-3.,  1.])
    """

    def __init__(self, min_denominator=1e-8, init_scale="auto") -> None:
        super().__init__(init_scale)
        self.min_denominator = min_denominator

    def _update(self, w: ndarray, z: ndarray, wz: float) -> None:
        rest = z - matmul(self._matrix, w)
        below, ww, rr = read(matmul(w, rest), matmul(w, w), matmul(rest, rest))
        if abs(below) > self.min_denominator * (ww * rr) ** 0.5:
            self._matrix = self._matrix + rest[:, None] * rest[None, :] / below

    def _of_scipy(self) -> Any:
        if type(self) is not SR1:
            return super()._of_scipy()
        scale = self.init_scale
        scale = scale if isinstance(scale, str) else array_on_host(scale)
        return scipy_optimize().SR1(self.min_denominator, scale)

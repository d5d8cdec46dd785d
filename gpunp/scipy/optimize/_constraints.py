"""Bounds and constraints: descriptions that `minimize` and its kin read on the host."""

import types
from typing import Any

import numpy as np

from ..._core._convert import as_array, without_cycles
from ..._core.multiarray import asarray, ndarray, where
from ..._core.umath import isnan
from ...lib._stride_tricks_impl import broadcast_to
from ._host import array_on_host, on_host, scipy_optimize, to_host

__all__ = ["Bounds", "LinearConstraint", "NonlinearConstraint"]


def _shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array or of lists, whose elements may be device arrays and are not read."""
    if not isinstance(without_cycles(value), (list, tuple)):
        return getattr(value, "shape", ())
    return (len(value), *_shape_of(value[0])) if value else (0,)


def _check_limits(given: Any, shape: tuple[int, ...] | None = None) -> None:
    """Whether limits broadcast, to the number of constraints if that is known."""
    names = ("lb", "ub", "keep_feasible")
    limits = [getattr(given, name) for name in names]
    if any(hasattr(value, "tocsr") for value in limits):
        raise ValueError("lb, ub and keep_feasible must be dense arrays")
    shapes = [_shape_of(value) for value in limits]
    try:
        common = np.broadcast_shapes(*shapes, *([] if shape is None else [shape]))
    except ValueError:
        common = None
    if common is None or shape not in (None, common):
        raise ValueError(f"lb, ub and keep_feasible must broadcast, but are of the shapes {shapes}")


class Bounds:
    """Bounds ``lb <= x <= ub`` of variables.

    Parameters
    ----------
    lb, ub : array_like, optional
        Lower and upper bounds; infinities mean none. Device arrays are read when they are used.
    keep_feasible : bool or array_like of bool, optional
        Whether the bounds hold at all iterations.

    Examples
    --------
    >>> from gpunp.scipy.optimize import Bounds
    >>> Bounds([0, 0], [1, 2])
    Bounds([0, 0], [1, 2])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, lb=-np.inf, ub=np.inf, keep_feasible=False) -> None:
        self.lb, self.ub, self.keep_feasible = lb, ub, keep_feasible
        _check_limits(self)

    def __repr__(self) -> str:
        keeps = array_on_host(self.keep_feasible, bool).any()
        end = f", keep_feasible={self.keep_feasible!r}" if keeps else ""
        return f"Bounds({self.lb!r}, {self.ub!r}{end})"

    def residual(self, x) -> tuple[ndarray, ndarray]:
        """Return how far variables are from their bounds.

        Parameters
        ----------
        x : array_like, (n,)
            Vector of the variables.

        Returns
        -------
        sl, sb : ndarray, (n,)
            Distances ``x - lb`` and ``ub - x``, negative where a bound is crossed.
        """
        x = as_array(x)
        return x - as_array(self.lb), as_array(self.ub) - x

    def _of_scipy(self) -> Any:
        keep = array_on_host(self.keep_feasible, bool)
        return scipy_optimize().Bounds(array_on_host(self.lb), array_on_host(self.ub), keep)


class LinearConstraint:
    """Constraints ``lb <= A @ x <= ub``.

    Parameters
    ----------
    A : array_like or sparse array, (m, n)
        Matrix of the constraints. A device array is read when it is used.
    lb, ub : array_like, optional
        Lower and upper bounds; infinities mean none.
    keep_feasible : bool or array_like of bool, optional
        Whether the constraints hold at all iterations.

    Examples
    --------
    >>> from gpunp.scipy.optimize import LinearConstraint
    >>> LinearConstraint([[1, 1]], 0, 1).ub
    1
    """

    def __init__(self, A, lb=-np.inf, ub=np.inf, keep_feasible=False) -> None:
        self.A, self.lb, self.ub, self.keep_feasible = A, lb, ub, keep_feasible
        shape = _shape_of(A)
        if len(shape) > 2:
            raise ValueError(f"A must have two axes at most, not {len(shape)}")
        _check_limits(self, (1, 1, *shape)[-2:-1])

    def residual(self, x) -> tuple[ndarray, ndarray]:
        """Return how far products are from their bounds.

        Parameters
        ----------
        x : array_like, (n,)
            Vector of the variables.

        Returns
        -------
        sl, sb : ndarray, (m,)
            Distances ``A @ x - lb`` and ``ub - A @ x``, negative where a bound is crossed.
        """
        matrix = self.A if hasattr(self.A, "tocsr") else as_array(self.A)
        product = matrix @ as_array(x)
        return product - as_array(self.lb), as_array(self.ub) - product

    def _of_scipy(self) -> Any:
        return scipy_optimize().LinearConstraint(
            to_host(self.A),
            array_on_host(self.lb),
            array_on_host(self.ub),
            array_on_host(self.keep_feasible, bool),
        )


class NonlinearConstraint:
    """Constraints ``lb <= fun(x) <= ub``.

    Parameters
    ----------
    fun : callable
        Function of a device array.
    lb, ub : array_like
        Lower and upper bounds; infinities mean none.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        Jacobian of the function, or the kind of differences that replaces it.
    hess : callable, {'2-point', '3-point', 'cs'} or HessianUpdateStrategy, optional
        Function ``hess(x, v)``, the Hessian of ``fun(x) @ v``, or the kind of differences. By
        default `BFGS` approximates it.
    keep_feasible : bool or array_like of bool, optional
        Whether the constraints hold at all iterations.
    finite_diff_rel_step : array_like, optional
        Relative step of differences.
    finite_diff_jac_sparsity : array_like, optional
        Where the Jacobian is not zero, for differences.

    Examples
    --------
    >>> from gpunp.scipy.optimize import NonlinearConstraint
    >>> NonlinearConstraint(lambda x: x @ x, 0, 1).lb
    0
    """

    def __init__(
        self,
        fun,
        lb,
        ub,
        jac="2-point",
        hess=None,
        keep_feasible=False,
        finite_diff_rel_step=None,
        finite_diff_jac_sparsity=None,
    ) -> None:
        self.fun, self.lb, self.ub, self.jac, self.hess = fun, lb, ub, jac, hess
        self.keep_feasible = keep_feasible
        self.finite_diff_rel_step = finite_diff_rel_step
        self.finite_diff_jac_sparsity = finite_diff_jac_sparsity

    def _of_scipy(self) -> Any:
        module = scipy_optimize()
        return module.NonlinearConstraint(
            on_host(self.fun),
            array_on_host(self.lb),
            array_on_host(self.ub),
            on_host(self.jac),
            module.BFGS() if self.hess is None else on_host(self.hess),
            array_on_host(self.keep_feasible, bool),
            to_host(self.finite_diff_rel_step),
            to_host(self.finite_diff_jac_sparsity),
        )


def box_on_device(bounds: Any, n: int) -> tuple[ndarray, ndarray]:
    """Lower and upper bounds of n variables, from `Bounds` or pairs. Waits for the device."""
    if isinstance(bounds, Bounds):
        ends = [bounds.lb, bounds.ub]
    elif isinstance(bounds, (ndarray, np.ndarray)) and bounds.dtype != object:
        if bounds.shape != (n, 2):
            raise ValueError(f"`bounds` must have the shape {(n, 2)}, not {bounds.shape}")
        ends = [bounds[:, 0], bounds[:, 1]]
    else:
        pairs = [tuple(pair) for pair in bounds]
        if len(pairs) != n or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"`bounds` must have a pair for each of {n} variables")
        ends = [
            np.array([default if pair[k] is None else float(pair[k]) for pair in pairs])
            for k, default in enumerate((-np.inf, np.inf))
        ]
    lower, upper = (broadcast_to(asarray(end).astype(np.float64), (n,)) for end in ends)
    lower, upper = where(isnan(lower), -np.inf, lower), where(isnan(upper), np.inf, upper)
    if bool((lower > upper).any()):
        raise ValueError("a lower bound is greater than the upper one")
    return lower, upper


def constraints_on_host(constraints: Any) -> Any:
    """Constraints as SciPy's drivers take them: dicts with functions, or objects."""
    if isinstance(constraints, dict):
        made = {key: on_host(value) for key, value in constraints.items()}
        return made
    if isinstance(constraints, (list, tuple)):
        return type(constraints)(map(constraints_on_host, without_cycles(constraints)))
    return to_host(constraints)

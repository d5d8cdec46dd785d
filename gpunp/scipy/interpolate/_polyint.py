"""Interpolating polynomials in Newton's and in barycentric form.

Points are few, and lie on the host while coefficients and weights are made; values stay on the
device. A result is one thread's work.
"""

import math
import operator
import types
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_host, check_device_memory, shown
from ..._core._warnings import warn
from ..._core.multiarray import array, ascontiguousarray, concatenate, empty, ndarray, zeros
from ..._core.numeric import zeros_like
from ..._core.raw import ElementwiseKernel
from ._pieces import as_evaluation_points, as_values, leading, restored, um_moveaxis

__all__ = [
    "BarycentricInterpolator",
    "KroghInterpolator",
    "barycentric_interpolate",
    "krogh_interpolate",
]

# Divided differences of a column, in place of its values; `run` says how many points before one are
# equal to it (F. T. Krogh, Math. Comp. 24, 1970).
_DIFFERENCES = ElementwiseKernel(
    "raw float64 x, raw T y, raw int64 run, raw float64 scale, int64 n, int64 columns, raw T v",
    "T first, raw T c",
    """
    first = y[i];
    c[i] = first;
    for (int64_t k = 1; k < n; k++) {
        const int64_t s = run[k];
        v[i] = y[k * columns + i] * scale[s];
        for (int64_t j = 0; j < k - s; j++) {
            const T from = s == 0 ? T(c[j * columns + i]) : T(v[(j + 1) * columns + i]);
            v[(j + 1) * columns + i] = (from - v[j * columns + i]) / (x[j] - x[k]);
        }
        c[k * columns + i] = v[(k - s) * columns + i];
    }
    """,
    "divided_differences",
)
# Newton's form and its derivatives by Horner's scheme; derivative j is at `out[j]`.
_NEWTON = ElementwiseKernel(
    "float64 x, raw T c, raw float64 t, int64 n, int64 columns, int64 orders, int64 size,"
    " raw T out",
    "T y",
    """
    const ptrdiff_t column = i % columns;
    for (int64_t j = 0; j < orders; j++) out[j * size + i] = T(0);
    for (int64_t k = n - 1; k >= 0; k--) {
        const double s = x - t[k];
        for (int64_t j = orders - 1; j > 0; j--)
            out[j * size + i] = out[j * size + i] * s + out[(j - 1) * size + i] * double(j);
        out[i] = out[i] * s + c[k * columns + column];
    }
    y = out[(orders - 1) * size + i];
    """,
    "newton_form",
)
_BARYCENTRIC = ElementwiseKernel(
    "float64 x, raw T f, raw float64 t, raw float64 w, int64 n, int64 columns",
    "T y",
    """
    const ptrdiff_t column = i % columns;
    T above = T(0);
    double below = 0;
    int64_t at = -1;
    for (int64_t k = 0; k < n; k++) {
        const double d = x - t[k];
        if (d == 0) at = k;
        const double share = w[k] / d;
        above += f[k * columns + column] * share;
        below += share;
    }
    y = at >= 0 ? T(f[at * columns + column]) : above / below;
    """,
    "barycentric_form",
)


def _host_points(xi: Any) -> np.ndarray:
    host = (xi.get() if isinstance(xi, ndarray) else as_host(xi)).astype("d")
    if host.ndim != 1:
        raise ValueError(f"xi must be 1-D, not of shape {host.shape}")
    return host


def _many(n: int, name: str) -> None:
    if n > 30:
        warn(
            f"{n} points are given: polynomials of degrees above thirty are numerically unstable"
            f" in {name}",
            UserWarning,
        )


class KroghInterpolator:
    """Polynomial through points, with given derivatives where a point is repeated.

    Parameters
    ----------
    xi : array_like
        Points; equal ones must be neighbours. They are copied to the host.
    yi : array_like
        Values, one for each point along `axis`; the next ones of a repeated point are its
        derivatives.
    axis : int, optional
        Axis of `yi` along which the points are.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import KroghInterpolator
    >>> KroghInterpolator([0, 0, 1], [0, 0, 1])(cp.array([0.5, 2.0]))
    array([0.25, 4.  ])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, xi: Any, yi: Any, axis: int = 0) -> None:
        points = _host_points(xi)
        values, self._axis = leading(as_values(yi), axis)
        if values.shape[0] != points.size:
            raise ValueError(f"xi has {points.size} points, yi {values.shape[0]} values")
        self._tail = values.shape[1:]
        self.xi, self.n = array(points), points.size
        self.yi = values.reshape(self.n, -1)
        self.r = self.yi.shape[1]
        self.dtype = values.dtype
        _many(self.n, "KroghInterpolator")
        run = _runs(points)
        self.c = zeros((self.n + 1, self.r), self.dtype)
        if self.yi.size:
            scale = np.array([1 / math.factorial(int(s)) for s in range(int(run.max()) + 1)])
            _DIFFERENCES(
                self.xi, self.yi, array(run), array(scale), self.n, self.r,
                empty((self.n + 1, self.r), self.dtype), empty(self.r, self.dtype), self.c,
            )  # fmt: skip

    def _orders(self, x: Any, orders: int) -> tuple[ndarray, int]:
        """Derivatives of the orders below `orders`, first axis; and the number of axes of x."""
        x = as_evaluation_points(x)
        most = min(orders, self.n)
        out = zeros((orders, x.size, self.r), self.dtype)
        if out.size and most:
            last = empty((x.size, self.r), self.dtype)
            _NEWTON(x.reshape(-1, 1), self.c, self.xi, self.n, self.r, most, last.size, out, last)
        return out.reshape(orders, *x.shape, *self._tail), x.ndim

    def __call__(self, x: Any) -> ndarray:
        """Evaluate the polynomial.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.

        Returns
        -------
        ndarray
            Values; the axes of `x` stand where the axis of the points was.
        """
        out, ndim = self._orders(x, 1)
        return restored(out[0], ndim, self._axis)

    def derivatives(self, x: Any, der: Any = None) -> ndarray:
        """Evaluate the polynomial and its derivatives.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.
        der : int, optional
            How many are returned, the value among them; by default as many as there are points.

        Returns
        -------
        ndarray
            Value and derivatives along a new first axis.
        """
        out, ndim = self._orders(x, self.n if der is None else operator.index(der))
        return (
            restored(out, ndim + 1, self._axis)
            if self._axis == 0
            else _below_first(out, ndim, self._axis)
        )

    def derivative(self, x: Any, der: int = 1) -> ndarray:
        """Evaluate one derivative of the polynomial.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.
        der : int, optional
            Order of the derivative.

        Returns
        -------
        ndarray
            Derivative; the axes of `x` stand where the axis of the points was.
        """
        der = operator.index(der)
        if der < 0:
            raise ValueError(f"der must not be negative, but is {der}")
        out, ndim = self._orders(x, der + 1)
        return restored(out[der], ndim, self._axis)


def _below_first(out: ndarray, ndim: int, axis: int) -> ndarray:
    rows = [restored(row, ndim, axis)[None] for row in out]
    return concatenate(rows) if rows else out


def _runs(x: np.ndarray) -> np.ndarray:
    """How many equal points stand before each; equal points apart are an error."""
    run = np.zeros(x.size, np.int64)
    for k in range(1, x.size):
        run[k] = run[k - 1] + 1 if x[k] == x[k - 1] else 0
        if (x[: k - run[k]] == x[k]).any():
            raise ValueError("equal elements of xi must be neighbours")
    return run


def krogh_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> ndarray:
    """Evaluate the polynomial through points once.

    Parameters
    ----------
    xi : array_like
        Points; equal ones must be neighbours.
    yi : array_like
        Values, one for each point along `axis`.
    x : array_like
        Where the polynomial is evaluated.
    der : int or list of int, optional
        Orders of the derivatives that are evaluated.
    axis : int, optional
        Axis of `yi` along which the points are.

    Returns
    -------
    ndarray
        Values, along a new first axis where `der` is a list.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import krogh_interpolate
    >>> krogh_interpolate([0, 1, 2], [0, 1, 4], [1.5, 3.0])
    array([2.25, 9.  ])
    """
    return _of_orders(KroghInterpolator(xi, yi, axis=axis), x, der)


def _of_orders(made: Any, x: Any, der: Any) -> ndarray:
    """Values of a polynomial's derivative of an order, or of several along a new first axis."""
    orders = as_host(der)
    if orders.ndim == 0:
        return made.derivative(x, int(orders)) if orders else made(x)
    return made.derivatives(x, der=int(orders.max()) + 1)[orders.tolist()]


class BarycentricInterpolator:
    """Polynomial through points in barycentric form.

    Parameters
    ----------
    xi : array_like
        Points, all different. They are copied to the host, where the weights are made.
    yi : array_like, optional
        Values, one for each point along `axis`; they can be given later.
    axis : int, optional
        Axis of `yi` along which the points are.
    wi : array_like, optional
        Weights of the points, by default computed from them.
    rng, random_state : object, optional
        Accepted for compatibility: the order in which factors are taken is always the same.

    References
    ----------
    J.-P. Berrut and L. N. Trefethen, Barycentric Lagrange interpolation, SIAM Review 46 (2004)
    501-517.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import BarycentricInterpolator
    >>> BarycentricInterpolator([0, 1, 2], [0, 1, 4])(cp.array([1.5, 3.0]))
    array([2.25, 9.  ])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(
        self,
        xi: Any,
        yi: Any = None,
        axis: int = 0,
        *,
        wi: Any = None,
        rng: Any = None,
        random_state: Any = None,
    ) -> None:
        self._points = _host_points(xi)
        self.xi, self.n = array(self._points), self._points.size
        self._axis = axis
        self.dtype: Any = None
        self.yi: Any = None
        if yi is not None:
            self.set_yi(yi, axis)
        if wi is None:
            self._weigh()
        else:
            weights = wi.get() if isinstance(wi, ndarray) else as_host(wi)
            self.wi = array(weights.astype("d"))

    def _weigh(self) -> None:
        """Weights of the points; factors are taken in random order, so that products neither
        overflow nor vanish on the way."""
        x = self._points
        scale = 4.0 / (x.max() - x.min()) if x.size > 1 else 1.0
        order = np.random.default_rng(0).permutation(x.size)
        distances = scale * (x[:, None] - x[order][None, :])
        distances[order, np.arange(x.size)] = 1
        with np.errstate(over="ignore", under="ignore"):
            products = np.prod(distances, axis=1)
        if (products == 0).any():
            raise ValueError("points xi must be distinct")
        self.wi = array(1 / products)

    def set_yi(self, yi: Any, axis: Any = None) -> None:
        """Set the values at the points.

        Parameters
        ----------
        yi : array_like or None
            Values, one for each point along `axis`; None forgets them.
        axis : int, optional
            Axis of `yi` along which the points are, by default as the object was made.
        """
        if yi is None:
            self.yi = None
            return
        values, self._axis = leading(as_values(yi), self._axis if axis is None else axis)
        if values.shape[0] != self.n:
            raise ValueError(f"xi has {self.n} points, yi {values.shape[0]} values")
        self._tail = values.shape[1:]
        self.yi = values.reshape(self.n, -1)
        self.r = self.yi.shape[1]
        self.dtype = values.dtype

    def add_xi(self, xi: Any, yi: Any = None) -> None:
        """Add points.

        Parameters
        ----------
        xi : array_like
            More points, different from those there are.
        yi : array_like, optional
            Values at the points; needed where the object has values.
        """
        more = _host_points(xi)
        if yi is not None:
            if self.yi is None:
                raise ValueError("values must be given for all points or for none")
            values = as_values(yi)
            if not values.ndim:
                raise ValueError(f"yi must have {more.size} values, not one without an axis")
            values = ascontiguousarray(um_moveaxis(values, self._axis % values.ndim))
            if values.shape[0] != more.size:
                raise ValueError(f"xi has {more.size} points, yi {values.shape[0]} values")
            kind = np.result_type(self.yi.dtype, values.dtype)
            parts = (self.yi, values.reshape(more.size, -1))
            self.yi = concatenate([part.astype(kind, copy=False) for part in parts])
        elif self.yi is not None:
            raise ValueError("values must be given for the new points too")
        self._points = np.concatenate((self._points, more))
        self.xi, self.n = array(self._points), self._points.size
        self._weigh()

    def __call__(self, x: Any) -> ndarray:
        """Evaluate the polynomial.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.

        Returns
        -------
        ndarray
            Values; the axes of `x` stand where the axis of the points was.
        """
        if self.yi is None:
            raise ValueError(f"there are no values yet: set_yi gives them, not {shown(x)}")
        x = as_evaluation_points(x)
        out = empty((x.size, self.r), self.yi.dtype)
        if out.size:
            _BARYCENTRIC(x.reshape(-1, 1), self.yi, self.xi, self.wi, self.n, self.r, out)
        return restored(out.reshape(x.shape + self._tail), x.ndim, self._axis)

    def derivatives(self, x: Any, der: Any = None) -> ndarray:
        """Evaluate the polynomial and its derivatives.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.
        der : int, optional
            How many orders, from 0 on; by default as many as there are points.

        Returns
        -------
        ndarray
            Values and derivatives along a new first axis.
        """
        orders = self.n if der is None else operator.index(der)
        check_device_memory(orders)
        rows: list = []
        made = self
        for order in range(min(orders, self.n)):
            made = made if order == 0 else made._derived()
            rows.append(made(x)[None])
        if orders > self.n:  # beyond the degree
            rows += [zeros_like(rows[0])] * (orders - self.n)
        return concatenate(rows) if rows else self(x)[None][:0]

    def derivative(self, x: Any, der: int = 1) -> ndarray:
        """Evaluate one derivative of the polynomial.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.
        der : int, optional
            Order of the derivative, 0 for the polynomial itself.

        Returns
        -------
        ndarray
            Values; the axes of `x` stand where the axis of the points was.
        """
        der = operator.index(der)
        if der < 0:
            raise ValueError(f"der must not be negative, but is {der}")
        made = self
        if der >= self.n:  # beyond the degree
            return zeros_like(self(x))
        for _ in range(der):
            made = made._derived()
        return made(x)

    def _derived(self) -> "BarycentricInterpolator":
        """The derivative, by its values at the points (Berrut and Trefethen 2004, section 9.3)."""
        if self.yi is None:
            raise ValueError("there are no values yet: set_yi gives them")
        apart = self.xi[:, None] - self.xi
        same = apart == 0
        factors = um.where(same, 0.0, self.wi / self.wi[:, None] / um.where(same, 1.0, apart))
        at = np.arange(self.n)
        factors[at, at] = -factors.sum(axis=1)
        made = object.__new__(BarycentricInterpolator)
        made.__dict__.update(self.__dict__)
        made.yi = factors.astype(self.yi.dtype, copy=False) @ self.yi
        return made


def barycentric_interpolate(
    xi: Any, yi: Any, x: Any, axis: int = 0, *, der: Any = 0, rng: Any = None
) -> ndarray:
    """Evaluate the polynomial through points once, in barycentric form.

    Parameters
    ----------
    xi : array_like
        Points, all different from each other.
    yi : array_like
        Values, one for each point along `axis`.
    x : array_like
        Where the polynomial is evaluated.
    axis : int, optional
        Axis of `yi` along which the points are.
    der : int or list of int, optional
        Orders of the derivatives that are evaluated.
    rng : object, optional
        Accepted for compatibility, as by `BarycentricInterpolator`.

    Returns
    -------
    ndarray
        Values of the polynomial, along a new first axis where `der` is a list.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import barycentric_interpolate
    >>> barycentric_interpolate([0, 1, 2], [0, 1, 4], [1.5, 3.0])
    array([2.25, 9.  ])
    """
    return _of_orders(BarycentricInterpolator(xi, yi, axis=axis), x, der)

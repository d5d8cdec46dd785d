"""Interpolation of values at scattered points: the nearest one, and radial basis functions."""

import functools
import itertools
import math
import operator
import types
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core._warnings import warn
from ..._core.multiarray import (
    array,
    ascontiguousarray,
    concatenate,
    empty,
    ndarray,
    zeros,
)
from ..._core.raw import ElementwiseKernel
from ...lib._stride_tricks_impl import broadcast_to
from ...linalg import solve
from ..spatial import KDTree

__all__ = ["NearestNDInterpolator", "RBFInterpolator"]

# Functions of a squared distance `s`, the least degree of polynomials beside them, and whether they
# are the same for any unit of distance.
_FUNCTIONS = {
    "linear": ("-sqrt(s)", 0, True),
    "thin_plate_spline": ("s > 0 ? s * log(s) / 2 : 0", 1, True),
    "cubic": ("s * sqrt(s)", 1, True),
    "quintic": ("-s * s * sqrt(s)", 2, True),
    "multiquadric": ("-sqrt(s + 1)", 0, False),
    "inverse_multiquadric": ("1 / sqrt(s + 1)", -1, False),
    "inverse_quadratic": ("1 / (s + 1)", -1, False),
    "gaussian": ("exp(-s)", -1, False),
}
_MOST = 1 << 24  # elements of the systems of neighbours that are solved at once


@functools.cache
def _matrix_kernel(name: str) -> Any:
    """The function at the distances of all pairs of each group of points."""
    return ElementwiseKernel(
        "raw float64 y, int64 n, int64 d, float64 epsilon",
        "float64 k",
        f"""
        const ptrdiff_t group = i / (n * n), pair = i - group * n * n;
        const ptrdiff_t a = (group * n + pair / n) * d, b = (group * n + pair % n) * d;
        double s = 0;
        for (int64_t j = 0; j < d; j++) {{
            const double apart = (y[a + j] - y[b + j]) * epsilon;
            s += apart * apart;
        }}
        k = {_FUNCTIONS[name][0]};
        """,
        f"rbf_matrix_{name}",
    )


@functools.cache
def _value_kernel(name: str) -> Any:
    """Sums of functions about points, and of monomials; a group of points for each value, or one
    for all."""
    return ElementwiseKernel(
        "raw float64 x, raw float64 y, raw float64 c, raw float64 shift, raw float64 scale,"
        " raw int64 powers, int64 n, int64 d, int64 terms, int64 columns, float64 epsilon,"
        " bool grouped",
        "float64 value",
        f"""
        const ptrdiff_t point = i / columns, column = i - point * columns;
        const ptrdiff_t group = grouped ? point : 0, first = group * n;
        const ptrdiff_t row = group * (n + terms);
        double sum = 0;
        for (int64_t k = 0; k < n; k++) {{
            double s = 0;
            for (int64_t j = 0; j < d; j++) {{
                const double apart = (x[point * d + j] - y[(first + k) * d + j]) * epsilon;
                s += apart * apart;
            }}
            sum += c[(row + k) * columns + column] * ({_FUNCTIONS[name][0]});
        }}
        for (int64_t k = 0; k < terms; k++) {{
            double product = 1;
            for (int64_t j = 0; j < d; j++) {{
                const double at = (x[point * d + j] - shift[group * d + j]) / scale[group * d + j];
                for (int64_t e = 0; e < powers[k * d + j]; e++) product *= at;
            }}
            sum += c[(row + n + k) * columns + column] * product;
        }}
        value = sum;
        """,
        f"rbf_values_{name}",
    )


def places_of(args: tuple, d: int) -> ndarray:
    """Points of shape (..., d) from one array, or from an array for each coordinate."""
    if len(args) == 1 and isinstance(args[0], tuple):
        args = args[0]
    if len(args) == 1:
        x = as_array(args[0]).astype("d", copy=False)
        if x.ndim == 1:
            x = x.reshape((-1, 1) if d == 1 else (1, -1))
    else:
        rows = [as_array(row).astype("d", copy=False) for row in args]
        shape = np.broadcast_shapes(*(row.shape for row in rows))
        x = concatenate([broadcast_to(row, shape)[..., None] for row in rows], axis=-1)
    if x.ndim == 0 or x.shape[-1] != d:
        raise ValueError(
            f"number of dimensions in xi does not match x: {x.shape[-1] if x.ndim else 0}, not {d}"
        )
    return x


class NearestNDInterpolator:
    """Function that has the value of the nearest of some points.

    Parameters
    ----------
    x : array_like or tuple of array_like
        Points of shape (n, coordinates), or their coordinates one by one.
    y : array_like
        Values, of shape (n, ...).
    rescale : bool, optional
        If True, coordinates are shifted and scaled to one range first.
    tree_options : dict, optional
        Arguments of the `KDTree` that finds the nearest points.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import NearestNDInterpolator
    >>> f = NearestNDInterpolator(cp.array([[0, 0], [1, 1]]), cp.array([5, 7]))
    >>> f(cp.array([[0.2, 0.1], [0.9, 0.7]]))
    array([5., 7.])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, x: Any, y: Any, rescale: bool = False, tree_options: Any = None) -> None:
        given = (
            places_of(x, len(x)) if isinstance(x, tuple) else as_array(x).astype("d", copy=False)
        )
        self.values = as_array(y)
        if given.ndim != 2 or given.shape[1] < 2:
            raise ValueError(
                f"x must be of shape (n, coordinates) with two or more of them, not {given.shape}"
            )
        if self.values.ndim == 0 or self.values.shape[0] != given.shape[0]:
            raise ValueError("different number of values and points")
        self.scale: Any
        self.offset: Any
        self.scale = self.offset = None
        if rescale:
            self.offset = given.mean(axis=0)
            spread = given.max(axis=0) - given.min(axis=0)
            self.scale = um.where(spread > 0, spread, 1.0)
            given = (given - self.offset) / self.scale
        self.points = given
        self.tree = KDTree(given, **(tree_options or {}))

    def __call__(self, *args: Any, **query_options: Any) -> ndarray:
        """Take the values of the nearest points.

        Parameters
        ----------
        *args : array_like
            Points of shape (..., coordinates), or their coordinates one by one.
        **query_options : object
            Arguments of `KDTree.query`, such as `distance_upper_bound`: beyond it values are NaN.

        Returns
        -------
        ndarray
            Values, of shape (..., rest of the axes of the values): real ones of float64.
        """
        xi = places_of(args, self.points.shape[1])
        if self.scale is not None:
            xi = (xi - self.offset) / self.scale
        _, at = self.tree.query(xi, **query_options)
        is_bounded = "distance_upper_bound" in query_options
        missing = at >= self.points.shape[0]
        found = self.values[um.where(missing, 0, at) if is_bounded else at]
        if found.dtype.kind != "c":
            found = found.astype("d", copy=False)
        if not is_bounded:
            return found
        return um.where(
            missing.reshape(missing.shape + (1,) * (self.values.ndim - 1)), np.nan, found
        )


def _powers(d: int, degree: int) -> np.ndarray:
    """Exponents of all monomials up to a degree."""
    rows = [
        np.bincount(chosen, minlength=d)
        for total in range(degree + 1)
        for chosen in itertools.combinations_with_replacement(range(d), total)
    ]
    return np.array(rows, np.int64).reshape(-1, d)


class RBFInterpolator:
    """Function through values at scattered points: a sum of radial functions and a polynomial.

    Parameters
    ----------
    y : array_like
        Points, of shape (n, coordinates).
    d : array_like
        Values, real or complex, of shape (n, ...).
    neighbors : int, optional
        If given, each value is interpolated from so many nearest points, with a system of its own:
        from all of them if infinite.
    smoothing : float or array_like, optional
        What is added to the diagonal, for all points or each: 0 goes through the values.
    kernel : str, optional
        'linear', 'thin_plate_spline', 'cubic', 'quintic', 'multiquadric', 'inverse_multiquadric',
        'inverse_quadratic' or 'gaussian'.
    epsilon : float, optional
        Factor of distances; needed where the function depends on their unit.
    degree : int, optional
        Degree of the polynomial, -1 for none; by default the least that makes systems solvable.

    Notes
    -----
    Systems are dense, and solved by factors with pivots. Values are summed without a matrix of all
    distances. M. D. Buhmann, Radial Basis Functions, 2003.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import RBFInterpolator
    >>> y = cp.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> RBFInterpolator(y, y[:, 0] + 2 * y[:, 1])(cp.array([[0.5, 0.25]])).round(9)
    array([1.])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(
        self,
        y: Any,
        d: Any,
        neighbors: Any = None,
        smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: Any = None,
        degree: Any = None,
    ) -> None:
        points = as_array(y)
        if points.dtype.kind not in "biuf" or points.ndim != 2:
            raise ValueError(f"y must be a 2-dimensional array of real numbers, not {points.shape}")
        self.y = ascontiguousarray(points.astype("d", copy=False))
        n, ndim = self.y.shape
        values = as_array(d)
        if values.ndim == 0 or values.shape[0] != n:
            raise ValueError(f"Expected the first axis of d to have length {n}")
        self.d_dtype = np.dtype("D" if values.dtype.kind == "c" else "d")
        self.d_shape = values.shape[1:]
        values = ascontiguousarray(values.astype(self.d_dtype, copy=False)).reshape(n, -1)
        self.d = values.view("d") if values.size else values.real
        self.smoothing = self._as_smoothing(smoothing, n)
        self.kernel = self._as_kernel(kernel)
        self.epsilon = self._as_epsilon(epsilon)
        self.degree = self._as_degree(degree)
        if neighbors is not None:
            neighbors = n if neighbors == math.inf else min(operator.index(neighbors), n)
        self.neighbors = neighbors
        powers = _powers(ndim, self.degree)
        least = n if self.neighbors is None else self.neighbors
        if len(powers) > least:
            raise ValueError(
                f"At least {len(powers)} data points are required when the degree is {self.degree} "
                f"and the number of dimensions is {ndim}"
            )
        self.powers = array(powers) if powers.size else zeros((0, ndim), np.int64)
        if self.neighbors is None:
            self._coefficients = self._solved(self.y[None], self.d[None], self.smoothing[None])
        else:
            self._tree = KDTree(self.y)

    @staticmethod
    def _as_smoothing(smoothing: Any, n: int) -> ndarray:
        smoothing = as_array(smoothing).astype("d", copy=False)
        if smoothing.ndim == 0:
            return zeros(n) + smoothing
        if smoothing.shape != (n,):
            raise ValueError(
                f"smoothing must be a number or of shape ({n},), not {smoothing.shape}"
            )
        return smoothing

    @staticmethod
    def _as_kernel(kernel: Any) -> str:
        name = kernel.lower() if isinstance(kernel, str) else kernel
        if not isinstance(name, str) or name not in _FUNCTIONS:
            raise ValueError(f"kernel must be one of {tuple(_FUNCTIONS)}, not {shown(kernel)}")
        return name

    def _as_epsilon(self, epsilon: Any) -> float:
        if epsilon is not None:
            return float(as_host(epsilon.get() if isinstance(epsilon, ndarray) else epsilon))
        if not _FUNCTIONS[self.kernel][2]:
            raise ValueError(f"epsilon must be given for kernel {self.kernel!r}")
        return 1.0

    def _as_degree(self, degree: Any) -> int:
        least = _FUNCTIONS[self.kernel][1]
        if degree is None:
            return max(least, 0)
        degree = operator.index(degree)
        if degree < -1:
            raise ValueError(f"degree must be at least -1, not {degree}")
        if -1 < degree < least:
            warn(
                f"degree should not be below {least}, but for -1, with kernel {self.kernel!r}: the "
                "systems may be singular, and smoothing may have other effects than expected",
                UserWarning,
            )
        return degree

    def _frame(self, y: ndarray) -> tuple[ndarray, ndarray]:
        """The middle and half the range of each group of points."""
        low, high = y.min(axis=1), y.max(axis=1)
        half = (high - low) / 2
        return (high + low) / 2, um.where(half == 0, 1.0, half)

    def _solved(self, y: ndarray, d: ndarray, smoothing: ndarray) -> ndarray:
        """Coefficients of groups of points, of shape (groups, points + monomials, columns)."""
        groups, n, ndim = y.shape
        terms = self.powers.shape[0]
        left = zeros((groups, n + terms, n + terms))
        functions = empty((groups, n, n))
        if functions.size:
            _matrix_kernel(self.kernel)(ascontiguousarray(y), n, ndim, self.epsilon, functions)
        left[:, :n, :n] = functions
        diagonal = left.reshape(groups, -1)[:, : n * (n + terms) : n + terms + 1]
        diagonal += smoothing
        if terms:
            shift, scale = self._frame(y)
            scaled = (y - shift[:, None]) / scale[:, None]
            monomials = (scaled[:, :, None, :] ** self.powers[None, None]).prod(axis=-1)
            left[:, :n, n:] = monomials
            left[:, n:, :n] = monomials.transpose(0, 2, 1)
        right = zeros((groups, n + terms, d.shape[-1]))
        right[:, :n] = d
        return solve(left, right)

    def __call__(self, x: Any) -> ndarray:
        """Interpolate at points.

        Parameters
        ----------
        x : array_like
            Points, of shape (points, coordinates).

        Returns
        -------
        ndarray
            Values, of shape (points, rest of the axes of the values).
        """
        x = as_array(x)
        ndim = self.y.shape[1]
        if x.ndim != 2 or x.dtype.kind not in "biuf":
            raise ValueError(f"x must be a 2-dimensional array of real numbers, not {x.shape}")
        if x.shape[1] != ndim:
            raise ValueError(f"Expected the second axis of x to have length {ndim}")
        x = ascontiguousarray(x.astype("d", copy=False))
        out = empty((x.shape[0], self.d.shape[1]))
        if self.neighbors is None:
            self._add_up(x, self.y[None], self._coefficients, out)
        else:
            size = self.neighbors + self.powers.shape[0]
            step = max(_MOST // size**2, 1)
            for first in range(0, x.shape[0], step):
                part = x[first : first + step]
                _, at = self._tree.query(part, list(range(1, self.neighbors + 1)))
                y, d = ascontiguousarray(self.y[at]), self.d[at]
                made = self._solved(y, d, self.smoothing[at])
                self._add_up(part, y, made, out[first : first + step])
        return (
            out.view(self.d_dtype).reshape(x.shape[0], *self.d_shape)
            if out.size
            else zeros((x.shape[0], *self.d_shape), self.d_dtype)
        )

    def _add_up(self, x: ndarray, y: ndarray, c: ndarray, out: ndarray) -> None:
        if not out.size:
            return
        shift, scale = self._frame(y)
        powers = self.powers if self.powers.size else zeros(1, np.int64)
        _value_kernel(self.kernel)(
            ascontiguousarray(x), y, ascontiguousarray(c), shift, scale, powers, y.shape[1],
            x.shape[1], self.powers.shape[0], out.shape[1], self.epsilon, y.shape[0] > 1 or
            self.neighbors is not None, out,
        )  # fmt: skip

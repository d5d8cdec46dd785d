"""Rational functions in barycentric form: near to values, or through them without poles between."""

import math
import types
from typing import Any

import numpy as np
import scipy.interpolate

from ..._core._convert import array_on_host, as_array, as_host, number_on_host
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, ascontiguousarray, empty, ndarray
from ..._core.raw import ElementwiseKernel
from ._pieces import as_values, leading, restored

__all__ = ["AAA", "FloaterHormannInterpolator"]

# A quotient of sums over the points, or the value of the point itself; at infinity, its limit.
_QUOTIENT = ElementwiseKernel(
    "T z, raw T f, raw T t, raw T w, bool is_infinite, int64 n, int64 columns",
    "T y",
    """
    const ptrdiff_t column = i % columns;
    T above = T(0), below = T(0);
    int64_t at = -1;
    for (int64_t k = 0; k < n; k++) {
        const T d = z - t[k];
        if (d == T(0)) at = k;
        const T share = is_infinite ? T(w[k]) : w[k] / d;
        above += f[k * columns + column] * share;
        below += share;
    }
    y = at >= 0 ? T(f[at * columns + column]) : above / below;
    """,
    "barycentric_quotient",
)


def _inexact(*kinds: np.dtype) -> np.dtype:
    """The type of results of these, of which integers count as float64."""
    return np.result_type(*(kind if kind.kind in "fc" else np.float64 for kind in kinds))


class _Rational:
    """Points, values and weights on the device, and SciPy's function of them on the host."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    _axis = 0

    def _take(self, points: Any, values: ndarray, weights: Any, kind: Any) -> None:
        """`kind` is the type of results at points of a type that is no wider."""
        self._kind = kind
        self._points, self.weights = array(points), array(weights)
        self._tail = values.shape[1:]
        self._values = values.reshape(values.shape[0], math.prod(self._tail))

    def _on_host(self) -> Any:
        raise NotImplementedError

    def __call__(self, z: Any) -> ndarray:
        """Evaluate the function.

        Parameters
        ----------
        z : array_like
            Points, real or complex numbers of any shape.

        Returns
        -------
        ndarray
            Values; the axes of `z` stand where the axis of the points was.
        """
        z = as_array(z)
        result = _inexact(z.dtype, self._kind)
        z = as_values(z)
        parts = [z, self._values, self._points, self.weights]
        kind = np.result_type(*(part.dtype for part in parts), np.float64)
        z, f, t, w = (part.astype(kind, copy=False) for part in parts)
        out = empty((z.size, f.shape[1]), kind)
        if out.size:
            flat = z.reshape(-1, 1)
            is_infinite = abs(flat) == math.inf
            _QUOTIENT(flat, ascontiguousarray(f), t, w, is_infinite, t.size, f.shape[1], out)
        out = out.astype(result, copy=False)
        return restored(out.reshape(z.shape + self._tail), z.ndim, self._axis)

    def poles(self) -> ndarray:
        """Return the poles, which SciPy finds on the host.

        Returns
        -------
        ndarray
            Poles of complex128.
        """
        return array(self._on_host().poles())

    def residues(self) -> ndarray:
        """Return the residues of the poles, which SciPy finds on the host.

        Returns
        -------
        ndarray
            Residues of complex128, in the order of the poles.
        """
        return array(self._on_host().residues())

    def roots(self) -> ndarray:
        """Return the zeros, which SciPy finds on the host.

        Returns
        -------
        ndarray
            Zeros of complex128.
        """
        return array(self._on_host().roots())


class AAA(_Rational):
    """Rational function that is near to values at points of the line or the plane.

    Points are chosen one after the other where the error is greatest; weights follow from singular
    values. SciPy does so on the host, to which points and values are copied; the function is
    evaluated on the device.

    Parameters
    ----------
    x : array_like
        Points, real or complex.
    y : array_like
        Values, one for each point; infinity and NaN are left out.
    rtol : float, optional
        Relative error, by default the machine epsilon to the power 3/4.
    max_terms : int, optional
        Most points that are chosen.
    clean_up : bool, optional
        If True, poles with tiny residues are removed.
    clean_up_tol : float, optional
        Residues below this, in relation, are tiny.

    Attributes
    ----------
    weights : ndarray
        Weights of the chosen points.
    errors : ndarray
        Greatest error after each step.

    Notes
    -----
    Y. Nakatsukasa, O. Sete and L. N. Trefethen, The AAA algorithm for rational approximation, SIAM
    J. Sci. Comput. 40, 2018.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import AAA
    >>> x = cp.linspace(-1, 1, 50)
    >>> f = AAA(x, cp.tan(x))
    >>> f(cp.array([0.5])).round(9)
    array([0.54630249])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        *,
        rtol: Any = None,
        max_terms: int = 100,
        clean_up: bool = True,
        clean_up_tol: float = 1e-13,
    ) -> None:
        self._host = scipy.interpolate.AAA(
            array_on_host(x), array_on_host(y), rtol=rtol, max_terms=max_terms, clean_up=clean_up,
            clean_up_tol=number_on_host(clean_up_tol),
        )  # fmt: skip
        self._copy()

    def _copy(self) -> None:
        made = self._host
        self.errors = array(made.errors)
        points, values, weights = made.support_points, made.support_values, made.weights
        kind = _inexact(points.dtype, values.dtype, weights.dtype)
        self._take(points, as_values(array(values)), weights, kind)

    def _on_host(self) -> Any:
        return self._host

    @property
    def support_points(self) -> ndarray:
        """Points that were chosen."""
        return self._points

    @property
    def support_values(self) -> ndarray:
        """Values at the chosen points."""
        return self._values[:, 0]

    def clean_up(self, cleanup_tol: float = 1e-13) -> int:
        """Remove poles with tiny residues, on the host.

        Parameters
        ----------
        cleanup_tol : float, optional
            Residues below this, in relation, are tiny.

        Returns
        -------
        int
            Number of poles that were removed.
        """
        removed = self._host.clean_up(cleanup_tol)
        self._copy()
        return removed


@documented_as(AAA)
class FloaterHormannInterpolator(_Rational):
    """Rational function through values at points, without poles on the line.

    Weights are made on the host, to which points are copied; values stay on the device.

    Parameters
    ----------
    points : array_like
        Points, real or complex, all different.
    values : array_like
        Values, real or complex, one for each point along `axis`.
    d : int, optional
        Degree of the polynomials that are blended, below the number of points.
    axis : int, optional
        Axis of `values` along which the points are.

    Attributes
    ----------
    weights : ndarray
        Weights of the points.

    Notes
    -----
    M. Floater and K. Hormann, Barycentric rational interpolation with no poles and high rates of
    approximation, Numer. Math. 107, 2007.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import FloaterHormannInterpolator
    >>> x = cp.linspace(-5, 5, 41)
    >>> f = FloaterHormannInterpolator(x, 1 / (1 + x**2))
    >>> f(cp.array([0.1])).round(4)
    array([0.9901])
    """

    def __init__(self, points: Any, values: Any, *, d: int = 3, axis: int = 0) -> None:
        host = as_host(array_on_host(points))  # an array, also of None
        values = as_array(values)
        given, self._axis = leading(as_values(values), axis)
        if host.ndim != 1:
            raise ValueError(f"points must be 1-D, not of shape {host.shape}")
        if given.shape[0] != host.size:
            raise ValueError(f"there are {host.size} points and {given.shape[0]} values")
        d = number_on_host(d)
        self._d, self._host_points, self._values_kind = d, host, values.dtype
        made = scipy.interpolate.FloaterHormannInterpolator(host, np.zeros(host.size), d=d)
        points = host.astype(np.result_type(host.dtype, np.float64))
        kind = _inexact(host.dtype, values.dtype, made.weights.dtype)
        self._take(points, given, made.weights, kind)

    def _on_host(self) -> Any:
        values = self._values.reshape(self._values.shape[0], *self._tail).get()
        values = values.astype(self._values_kind, copy=False)
        return scipy.interpolate.FloaterHormannInterpolator(self._host_points, values, d=self._d)

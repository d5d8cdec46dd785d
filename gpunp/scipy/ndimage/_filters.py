"""Filters whose window moves along one axis after the other."""

import numbers as abstract
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import (
    as_array,
    as_host,
    check_device_memory,
    check_host_memory,
    number_on_host,
)
from ..._core._docstrings import documented_as
from ..._core._filters import footprint_filter, line_filter, plane_lines
from ..._core.multiarray import concatenate, empty, ndarray
from ..._core.raw import ElementwiseKernel
from ._ni_support import (
    axes_of,
    axis_of,
    extreme_loop,
    is_complex,
    loop_type,
    new_output,
    numbers,
    real_image,
    rule_of,
    sequence,
    through,
    uploaded,
    weights_of,
)

__all__ = [
    "convolve1d",
    "correlate1d",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generic_gradient_magnitude",
    "generic_laplace",
    "laplace",
    "maximum_filter1d",
    "minimum_filter1d",
    "prewitt",
    "sobel",
    "uniform_filter",
    "uniform_filter1d",
]


# ---- one pass ------------------------------------------------------------------------------------


def _weights(weights: Any) -> Any:
    """Weights of one axis, on the host unless they are on the device."""
    w = weights_of(weights)
    if w.ndim != 1 or w.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    return w


class LineStep:
    """The step of `through` that moves a window along an axis.

    Parameters
    ----------
    operation : {'correlate', 'mean', 'minimum', 'maximum'}
        What becomes of a window's elements.
    axis : int
        Axis along which the window moves.
    window : int or array
        Length of the window; the weights of 'correlate', on the host or on the device.
    rule : str
        What stands beyond the ends of the axis.
    cval : scalar
        The constant that stands there.
    origin : int
        By how many elements the window is shifted to lower indices.
    """

    def __init__(
        self, operation: str, axis: int, window: Any, rule: str, cval: Any, origin: int
    ) -> None:
        self.operation, self.axis, self.rule = operation, axis, rule
        self.cval = number_on_host(cval)
        self.weights = window if operation == "correlate" else None
        self.taps = int(window if self.weights is None else window.size)
        self.left = self.taps // 2 + origin

    def loop(self, source: np.dtype, target: np.dtype) -> tuple[np.dtype, Any]:
        """The type in which the windows are computed, and the constant for it."""
        if self.operation in ("correlate", "mean"):
            return loop_type(source, target), self.cval
        if self.rule != "constant" and max(source.itemsize, target.itemsize) <= 2:
            return np.dtype("float32"), 0  # which holds such integers exactly
        return extreme_loop(source, target, self.rule, self.cval)

    def factors(self, loop: np.dtype) -> ndarray | None:
        """The weights as a contiguous array of the device."""
        if self.weights is None:
            return None
        w = self.weights.conj() if self.weights.dtype.kind == "c" else self.weights
        w = uploaded(w, loop)
        return w if w.flags.c_contiguous else w.copy()

    def __call__(self, source: ndarray, target: ndarray) -> None:
        loop, constant = self.loop(source.dtype, target.dtype)
        window = self.axis, self.taps, self.left
        factors = self.factors(loop)
        line_filter(source, factors, target, *window, self.operation, self.rule, constant, loop)


class WideMeanStep(LineStep):
    """The step of `through` for the mean of a window several times as long as its axis.

    What lies beyond the ends comes again after a period, or does not change, so the elements of a
    period, or of one axis to either side, are weighted by how often the window holds them.

    Parameters
    ----------
    axis : int
        Axis along which the window moves.
    window : int
        Length of the window.
    rule, cval, origin
        As for `LineStep`.
    n : int
        Length of the axis.
    """

    def __init__(self, axis: int, window: int, rule: str, cval: Any, origin: int, n: int) -> None:
        super().__init__("mean", axis, window, rule, cval, origin)
        period = {"reflect": 2 * n, "mirror": max(2 * n - 2, 1), "wrap": n}.get(rule)
        right = window - 1 - self.left
        if period is not None:
            self.counts = np.full(period, window // period, float)
            self.counts[: window % period] += 1
            self.first = self.left % period
        else:
            self.first = min(self.left, n)
            self.counts = np.ones(self.first + 1 + min(right, n))
            self.counts[0] += self.left - self.first
            self.counts[-1] += max(right - n, 0)

    def __call__(self, source: ndarray, target: ndarray) -> None:
        loop, constant = self.loop(source.dtype, target.dtype)
        total = empty(target.shape, loop)
        window = self.axis, self.counts.size, self.first
        counts = uploaded(self.counts, loop)
        line_filter(source, counts, total, *window, "correlate", self.rule, constant, loop)
        target[...] = um.divide(total, self.taps)


class PlaneStep:
    """The step of `through` that moves windows along the last two axes, in one launch.

    Parameters
    ----------
    y, x : LineStep
        Steps of the last axis but one and of the last, of one operation.
    """

    def __init__(self, y: LineStep, x: LineStep) -> None:
        self.y, self.x = y, x

    @staticmethod
    def serves(y: LineStep, x: LineStep, a: ndarray, out: ndarray) -> bool:
        """Whether one launch gives what two do, up to the order in which numbers are rounded."""
        loop, constant = y.loop(a.dtype, out.dtype)
        if y.operation != x.operation or loop != x.loop(a.dtype, out.dtype)[0] or loop.kind == "c":
            return False
        if y.operation in ("correlate", "mean"):
            is_constant = "constant" in (y.rule, x.rule)
            if out.dtype.kind != "f" or (is_constant and constant != 0):
                return False
        elif "constant" in (y.rule, x.rule):
            with np.errstate(all="ignore"):  # rounding between the axes would change it
                if as_host(constant).astype(out.dtype) != constant:
                    return False
        return max(y.taps, x.taps) <= (33 if loop.itemsize <= 4 else 9)

    def __call__(self, source: ndarray, target: ndarray) -> None:
        loop, constant = self.y.loop(source.dtype, target.dtype)
        axes = [(s.taps, s.left, s.rule) for s in (self.y, self.x)]
        weights = self._factors(loop)
        plane_lines(source, weights, target, *axes, self.y.operation, constant, loop)

    def _factors(self, loop: np.dtype) -> ndarray | None:
        y, x = self.y.weights, self.x.weights
        if y is None:
            return None
        if isinstance(y, ndarray) or isinstance(x, ndarray):
            return concatenate([self.y.factors(loop), self.x.factors(loop)])
        return uploaded(np.concatenate([y, x]), loop)


def through_lines(a: ndarray, out: ndarray, steps: list[LineStep]) -> ndarray:
    """Apply windows along axes one after the other, those of the last two axes in one launch."""
    last = {step.axis: step for step in steps}
    y, x = last.get(a.ndim - 2), last.get(a.ndim - 1)
    if y is not None and x is not None and PlaneStep.serves(y, x, a, out):
        rest = [step for step in steps if step is not y and step is not x]
        return through(a, out, [*rest, PlaneStep(y, x)])
    return through(a, out, steps)


def _check_window(size: Any, origin: int) -> int:
    size = operator.index(size)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    if not 0 <= size // 2 + origin < size:
        raise ValueError("invalid origin")
    return size


def _mean_step(a: ndarray, axis: int, size: Any, rule: str, cval: Any, origin: int) -> LineStep:
    """The step of a window for the mean along an axis of `a`."""
    size, n = _check_window(size, origin), a.shape[axis]
    if size >= 2**63:
        raise OverflowError("Python int too large to convert to C long")
    if size > 8 * n + 64 and n > 0:
        return WideMeanStep(axis, size, rule, cval, origin, n)
    return LineStep("mean", axis, size if n > 0 else 1, rule, cval, origin if n > 0 else 0)


# ---- correlation along an axis -------------------------------------------------------------------


def correlate1d(
    input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
) -> ndarray:
    """Compute sums of products of weights with a window that moves along an axis.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    weights : array_like
        Weights, of one dimension, on the host or on the device. Complex ones are conjugated.
    axis : int, optional
        Axis along which the window moves.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : {'reflect', 'constant', 'nearest', 'mirror', 'wrap', 'grid-mirror', 'grid-constant', \
'grid-wrap'}, optional
        What stands beyond the ends of the axis: ``d c b a | a b c d | d c b a``, `cval`, the
        outermost element, ``d c b | a b c d | c b a``, or the other end. The grid modes are other
        names of the first, the second and the last.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    origin : int, optional
        By how many elements the window is shifted to lower indices.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If there are no weights, or `mode` or the shape of `output` is wrong.
    ValueError
        If `origin` places the window beside its element.

    See Also
    --------
    scipy.ndimage.correlate1d

    Notes
    -----
    Sums of float32 and smaller floats are computed in float32, all others in float64. Conversion to
    an integer type cuts fractions off.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.correlate1d(cp.array([2., 8, 0, 4, 1, 9, 9, 0]), [1, 3])
    array([ 8., 26.,  8., 12.,  7., 28., 36.,  9.])
    """
    a, w = numbers(as_array(input)), _weights(weights)
    axis = axis_of(axis, a.ndim)
    if not 0 <= w.shape[0] // 2 + origin < w.shape[0]:
        raise ValueError(
            "Invalid origin; origin must satisfy"
            " -(len(weights) // 2) <= origin <= (len(weights)-1) // 2"
        )
    rule = rule_of(mode)
    out = new_output(output, a, is_complex(a, w, cval))
    return through(a, out, [LineStep("correlate", axis, w, rule, cval, origin)])


@documented_as(correlate1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0) -> ndarray:
    """Compute the convolution with weights along an axis: the window's weights are reversed."""
    w = _weights(weights)[::-1]
    origin = -origin - (w.shape[0] % 2 == 0)
    return correlate1d(
        input, w.conj() if w.dtype.kind == "c" else w, axis, output, mode, cval, origin
    )


# ---- Gauss ---------------------------------------------------------------------------------------


def _gaussian_weights(sigma: float, order: int, radius: int) -> np.ndarray:
    """The derivative of the given order of a Gaussian with the sum 1, at whole numbers."""
    if order < 0:
        raise ValueError("order must be non-negative")
    order = operator.index(order)
    check_host_memory(8 * (order + 1) ** 2)  # as many steps as a matrix of this size has elements
    check_device_memory(2 * radius + 1)
    x = np.arange(-radius, radius + 1)
    phi = np.exp(-0.5 / (sigma * sigma) * x**2)
    phi /= phi.sum()
    factor = np.polynomial.Polynomial([1.0])  # of phi: (q phi)' = (q' - q x / sigma^2) phi
    for _ in range(order):
        factor = factor.deriv() - factor * np.polynomial.Polynomial([0.0, 1 / (sigma * sigma)])
    return factor(x) * phi


def _gaussian_radius(sigma: float, truncate: float, radius: Any) -> int:
    if radius is None:
        radius = int(truncate * float(sigma) + 0.5)
    if not isinstance(radius, abstract.Integral) or radius < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    return int(radius)


@documented_as(correlate1d)
def gaussian_filter1d(
    input,
    sigma,
    axis=-1,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
) -> ndarray:
    """Smooth along an axis with a Gaussian, or with one of its derivatives.

    Parameters
    ----------
    sigma : float
        Standard deviation of the Gaussian, in elements.
    order : int, optional
        Order of the derivative of the Gaussian.
    truncate : float, optional
        Number of standard deviations after which the Gaussian is cut off.
    radius : int, optional
        Number of weights on either side, in place of `truncate`.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    ValueError
        If `order` or `radius` is negative.

    See Also
    --------
    scipy.ndimage.gaussian_filter1d

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.gaussian_filter1d(cp.array([1., 2, 3, 4, 5]), 1).round(3)
    array([1.427, 2.068, 3.   , 3.932, 4.573])
    """
    weights = _gaussian_weights(float(sigma), order, _gaussian_radius(sigma, truncate, radius))
    return correlate1d(input, weights[::-1], axis, output, mode, cval)


def gaussian_filter(
    input,
    sigma,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
    axes=None,
) -> ndarray:
    """Smooth with a Gaussian along several axes.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    sigma : float or sequence of float
        Standard deviations, one for all axes or one for each.
    order : int or sequence of int, optional
        Orders of derivatives, one for all axes or one for each.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    truncate : float, optional
        Number of standard deviations after which the Gaussian is cut off.
    radius : int or sequence of int, optional
        Numbers of weights on either side, in place of `truncate`.
    axes : int or sequence of int, optional
        Axes along which to smooth: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If a sequence has not as many items as there are axes.

    See Also
    --------
    scipy.ndimage.gaussian_filter

    Notes
    -----
    Results between two axes have the type of the output, as SciPy's.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.gaussian_filter(cp.eye(3), 1).round(3)
    array([[0.422, 0.308, 0.271],
           [0.308, 0.384, 0.308],
           [0.271, 0.308, 0.422]])
    """
    a = numbers(as_array(input))
    axes = axes_of(axes, a.ndim)
    orders, sigmas = sequence(order, len(axes)), sequence(sigma, len(axes))
    rules = [rule_of(m) for m in sequence(mode, len(axes))]
    radii = sequence(radius, len(axes))
    out = new_output(output, a, a.dtype.kind == "c")
    steps = [
        LineStep(
            "correlate",
            axis,
            _gaussian_weights(float(s), k, _gaussian_radius(s, truncate, r))[::-1],
            rule,
            cval,
            0,
        )
        for axis, s, k, rule, r in zip(axes, sigmas, orders, rules, radii, strict=True)
        if s > 1e-15
    ]
    return through_lines(a, out, steps) if steps else _assigned(out, a)


def _assigned(out: ndarray, a: ndarray) -> ndarray:
    out[...] = a
    return out


def _written(out: ndarray, result: Any) -> None:
    """Write the array that a user's function returns instead of writing to `out` itself."""
    if isinstance(result, ndarray) and result is not out:
        out[...] = result


# ---- derivatives ---------------------------------------------------------------------------------


def _is_plane(a: ndarray, out: ndarray, rules: list) -> bool:
    """Whether one pass over both axes of an image rounds as little as a pass over each."""
    return a.ndim == 2 and a.dtype.kind != "c" and out.dtype.kind == "f" and rules[0] == rules[1]


def _plane_sum(weights: np.ndarray, rule: str, cval: Any, skips: bool):
    """The step of `through` with 3 x 3 weights; `skips`: zeros among them are left out."""
    cval = number_on_host(cval)

    def step(source: ndarray, target: ndarray) -> None:
        loop = loop_type(source.dtype, target.dtype)
        factors = uploaded(weights.ravel(), loop)
        window = (3, 3), (1, 1), "correlate", 9, 0
        footprint_filter(source, None, factors, target, *window, rule, cval, loop, skips)

    return step


def _edge_filter(
    input: Any, axis: int, output: Any, mode: Any, cval: Any, smooth: tuple
) -> ndarray:
    """Differences along one axis, weighted sums of three elements along the others."""
    a = numbers(as_array(input))
    axis = axis_of(axis, a.ndim)
    rules = [rule_of(m) for m in sequence(mode, a.ndim)]
    out = new_output(output, a, a.dtype.kind == "c")
    others = [k for k in range(a.ndim) if k != axis]
    weights = [np.array([-1.0, 0.0, 1.0]), *[np.array(smooth)] * len(others)]
    if _is_plane(a, out, rules) and (rules[0] != "constant" or cval == 0):
        both = np.outer(*(weights if axis == 0 else weights[::-1]))
        return through(a, out, [_plane_sum(both, rules[0], cval, False)])
    steps = [
        LineStep("correlate", k, w, rules[k], cval, 0)
        for w, k in zip(weights, [axis, *others], strict=True)
    ]
    return through_lines(a, out, steps)


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0) -> ndarray:
    """Compute differences along an axis, smoothed along the others with the weights 1, 2, 1.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    axis : int, optional
        Axis along which the differences are taken.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    See Also
    --------
    scipy.ndimage.sobel

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.sobel(cp.array([[0., 0, 1, 1]] * 3))
    array([[0., 4., 4., 0.],
           [0., 4., 4., 0.],
           [0., 4., 4., 0.]])
    """
    return _edge_filter(input, axis, output, mode, cval, (1.0, 2.0, 1.0))


@documented_as(sobel)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0) -> ndarray:
    """Compute differences along an axis, smoothed along the others with the weights 1, 1, 1."""
    return _edge_filter(input, axis, output, mode, cval, (1.0, 1.0, 1.0))


def generic_laplace(
    input,
    derivative2,
    output=None,
    mode="reflect",
    cval=0.0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
) -> ndarray:
    """Compute the sum of second derivatives, which a function computes for each axis.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    derivative2 : callable
        ``derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``, where
        `output` is an array or a dtype.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    extra_arguments : sequence, optional
        Further arguments of the function.
    extra_keywords : dict, optional
        Further keyword arguments of the function.
    axes : int or sequence of int, optional
        Axes to take: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    See Also
    --------
    scipy.ndimage.generic_laplace

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> def second(a, axis, output, mode, cval):
    ...     return ndimage.correlate1d(a, [1, -2, 1], axis, output, mode, cval)
    >>> ndimage.generic_laplace(cp.array([0., 1, 4, 9]), second)
    array([ 1.,  2.,  2., -5.])
    """
    a = numbers(as_array(input))
    axes = axes_of(axes, a.ndim)
    out = new_output(output, a, a.dtype.kind == "c")
    if not axes:
        return _assigned(out, a)
    keywords = {} if extra_keywords is None else extra_keywords
    modes = sequence(mode, len(axes))
    _written(out, derivative2(a, axes[0], out, modes[0], cval, *extra_arguments, **keywords))
    for axis, m in zip(axes[1:], modes[1:], strict=True):
        out += derivative2(a, axis, out.dtype, m, cval, *extra_arguments, **keywords)
    return out


def _second_difference(input, axis, output, mode, cval) -> ndarray:
    return correlate1d(input, [1.0, -2.0, 1.0], axis, output, mode, cval)


_LAPLACE = np.array([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])


@documented_as(generic_laplace)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None) -> ndarray:
    """Compute the sum of second differences along axes."""
    a = numbers(as_array(input))
    rules = [rule_of(m) for m in sequence(mode, len(axes_of(axes, a.ndim)))]
    if len(rules) == 2:
        out = new_output(output, a, a.dtype.kind == "c")
        if _is_plane(a, out, rules):
            return through(a, out, [_plane_sum(_LAPLACE, rules[0], cval, True)])
    return generic_laplace(input, _second_difference, output, mode, cval, axes=axes)


def _orders(axis: int, axes: tuple[int, ...], order: int) -> list[int]:
    return [order if k == axis else 0 for k in axes]


def gaussian_laplace(
    input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs
) -> ndarray:
    """Compute the sum of second derivatives along axes of an image that a Gaussian smoothes.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    sigma : float or sequence of float
        Standard deviations, one for all axes or one for each.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    axes : int or sequence of int, optional
        Axes to take: by default all.
    **kwargs
        Further arguments of `gaussian_filter`.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    See Also
    --------
    scipy.ndimage.gaussian_laplace

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.gaussian_laplace(cp.array([0., 0, 1, 0, 0]), 1).round(3)
    array([0.113, 0.021, -0.396, 0.021, 0.113])
    """
    taken = axes_of(axes, as_array(input).ndim)
    sigmas = sequence(sigma, len(taken))

    def second(a, axis, out, m, c):
        return gaussian_filter(a, sigmas, _orders(axis, taken, 2), out, m, c, axes=taken, **kwargs)

    return generic_laplace(input, second, output, mode, cval, axes=taken)


# The squares of a derivative are added to those of the others; the first is not squared yet.
_ADD_SQUARE = ElementwiseKernel(
    "T part, bool is_first, bool is_last",
    "T out",
    """
    const T before = is_first ? out * out : out, sum = before + part * part;
    out = is_last ? sqrt(sum) : sum;
    """,
    "add_square",
)


def generic_gradient_magnitude(
    input,
    derivative,
    output=None,
    mode="reflect",
    cval=0.0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
) -> ndarray:
    """Compute the length of the gradient, whose components a function computes for each axis.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    derivative : callable
        ``derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``, where
        `output` is an array or a dtype.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    extra_arguments : sequence, optional
        Further arguments of the function.
    extra_keywords : dict, optional
        Further keyword arguments of the function.
    axes : int or sequence of int, optional
        Axes to take: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    See Also
    --------
    scipy.ndimage.generic_gradient_magnitude

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.generic_gradient_magnitude(cp.array([[0., 0, 1, 1]] * 3), ndimage.sobel)
    array([[0., 4., 4., 0.],
           [0., 4., 4., 0.],
           [0., 4., 4., 0.]])
    """
    a = numbers(as_array(input))
    axes = axes_of(axes, a.ndim)
    out = new_output(output, a, a.dtype.kind == "c")
    if not axes:
        return _assigned(out, a)
    keywords = {} if extra_keywords is None else extra_keywords
    modes = sequence(mode, len(axes))
    _written(out, derivative(a, axes[0], out, modes[0], cval, *extra_arguments, **keywords))
    is_plain = out.dtype.char in "fd" and len(axes) > 1
    if not is_plain:
        out *= out
    for axis, m in zip(axes[1:], modes[1:], strict=True):
        part = derivative(a, axis, out.dtype, m, cval, *extra_arguments, **keywords)
        if is_plain:
            part = part.astype(out.dtype, copy=False)
            _ADD_SQUARE(part, axis == axes[1], axis == axes[-1], out)
        else:
            out += part * part
    return out if is_plain else um.sqrt(out, out=out, casting="unsafe")


def gaussian_gradient_magnitude(
    input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs
) -> ndarray:
    """Compute the length of the gradient of an image that a Gaussian smoothes.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    sigma : float or sequence of float
        Standard deviations, one for all axes or one for each.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    axes : int or sequence of int, optional
        Axes to take: by default all.
    **kwargs
        Further arguments of `gaussian_filter`.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    See Also
    --------
    scipy.ndimage.gaussian_gradient_magnitude

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.gaussian_gradient_magnitude(cp.array([0., 0, 0, 1, 1, 1]), 1).round(3)
    array([0.005, 0.058, 0.304, 0.304, 0.058, 0.005])
    """
    taken = axes_of(axes, as_array(input).ndim)
    sigmas = sequence(sigma, len(taken))

    def first(a, axis, out, m, c):
        return gaussian_filter(a, sigmas, _orders(axis, taken, 1), out, m, c, axes=taken, **kwargs)

    return generic_gradient_magnitude(input, first, output, mode, cval, axes=taken)


# ---- windows of equal weights --------------------------------------------------------------------


@documented_as(correlate1d)
def uniform_filter1d(
    input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
) -> ndarray:
    """Compute the mean of a window that moves along an axis.

    Parameters
    ----------
    size : int
        Number of elements of the window.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If `size` is below 1.
    ValueError
        If `origin` places the window beside its element.

    See Also
    --------
    scipy.ndimage.uniform_filter1d

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.uniform_filter1d(cp.array([2., 8, 0, 4, 1, 9, 9, 0]), 3).round(2)
    array([4.  , 3.33, 4.  , 1.67, 4.67, 6.33, 6.  , 3.  ])
    """
    a = numbers(as_array(input))
    axis = axis_of(axis, a.ndim)
    step = _mean_step(a, axis, size, rule_of(mode), cval, origin)
    return through(a, new_output(output, a, a.dtype.kind == "c"), [step])


def uniform_filter(
    input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
) -> ndarray:
    """Compute the mean of a box that moves over an image.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    size : int or sequence of int, optional
        Lengths of the box along the axes.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    origin : int or sequence of int, optional
        By how many elements the box is shifted to lower indices.
    axes : int or sequence of int, optional
        Axes along which means are taken: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    See Also
    --------
    scipy.ndimage.uniform_filter

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.uniform_filter(cp.eye(3)).round(3)
    array([[0.556, 0.333, 0.222],
           [0.333, 0.333, 0.333],
           [0.222, 0.333, 0.556]])
    """
    a = numbers(as_array(input))
    axes = axes_of(axes, a.ndim)
    sizes, origins = sequence(size, len(axes)), sequence(origin, len(axes))
    rules = [rule_of(m) for m in sequence(mode, len(axes))]
    out = new_output(output, a, a.dtype.kind == "c")
    steps = [
        _mean_step(a, axis, n, rule, cval, shift)
        for axis, n, rule, shift in zip(axes, sizes, rules, origins, strict=True)
        if n > 1
    ]
    return through_lines(a, out, steps) if steps else _assigned(out, a)


def extreme_step(
    operation: str, a: ndarray, axis: int, size: int, rule: str, cval: Any, origin: Any
) -> LineStep:
    """The step of a window for 'minimum' or 'maximum' along an axis of `a`.

    Two lengths of the axis to either side of an element hold all values that stand there, in every
    mode (those of 'reflect' come again after two). So a longer window is cut.
    """
    left = size // 2 + origin
    right, most = size - 1 - left, 2 * a.shape[axis]
    left, right = min(left, most), min(right, most)
    taps = left + right + 1
    return LineStep(operation, axis, taps, rule, cval, left - taps // 2)


def _extreme1d(operation: str, input, size, axis, output, mode, cval, origin) -> ndarray:
    a = real_image(input)
    axis = axis_of(axis, a.ndim)
    size = _check_window(size, origin)
    rule = rule_of(mode)
    step = extreme_step(operation, a, axis, size, rule, cval, origin)
    return through(a, new_output(output, a), [step])


@documented_as(uniform_filter1d)
def minimum_filter1d(
    input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
) -> ndarray:
    """Compute the least element of a window that moves along an axis."""
    return _extreme1d("minimum", input, size, axis, output, mode, cval, origin)


@documented_as(uniform_filter1d)
def maximum_filter1d(
    input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
) -> ndarray:
    """Compute the greatest element of a window that moves along an axis."""
    return _extreme1d("maximum", input, size, axis, output, mode, cval, origin)

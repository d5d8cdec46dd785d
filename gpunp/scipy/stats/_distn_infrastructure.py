"""Distributions with location and scale: what their methods share.

`Continuous` and `Discrete` have the methods, which are described once; a row of a table makes an
instance. A method is one kernel launch (`_distn_kernels`) and never waits for the device, unless
its docstring says so.
"""

import inspect
import itertools
import math
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, shape_tuple, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import empty, ndarray, where
from ..._core.raw import ElementwiseKernel
from ..._core.umath import isfinite, sqrt
from ...lib._stride_tricks_impl import broadcast_to
from ...random import Generator, RandomState, default_rng
from ...random.mtrand import get_random_state
from ._censored import CensoredData
from ._distn_fit import expected, expected_count, expected_on_circle, fit, nnlf
from ._distn_kernels import Row, kernel, likelihood

__all__ = ["Continuous", "Discrete", "Frozen", "FrozenContinuous", "FrozenDiscrete"]

_DOMAIN = (
    "Domain error in arguments. The scale must be positive, and shapes must lie within their"
    " domain: see the documentation of gpunp.scipy.stats.{}"
)
_MOVED = ElementwiseKernel(
    "float64 x, float64 loc, float64 scale", "float64 y", "y = x * scale + loc", "loc_scale"
)
_WRAPPED = ElementwiseKernel(
    "float64 x, float64 loc, float64 scale, float64 first",
    "float64 y",
    """
    const double turn = 6.283185307179586, angle = x * scale + loc - first;
    y = fmin(fmax(angle - turn * floor(angle / turn), 0.0), turn) + first;
    """,
    "angles",
)
# Ends of supports of standard forms; where shapes decide, those by number.
_ENDS: dict[Any, float] = {
    **{0: -math.inf, 1: math.inf},
    **{str(n): float(n) for n in (-1, 0, 1, 2)},
    **{f"{n} * PI_F64": n * math.pi for n in (-0.5, -0.25, 0.25, 0.5, 2)},
    **{"-PI_F64": -math.pi, "PI_F64": math.pi},
}
_LETTERS = {"m": "mean", "v": "var", "s": "skew", "k": "kurt"}


def _number(value: Any, what: str) -> Any:
    """A parameter for a kernel: a float, or an array of float64 on the device."""
    if not isinstance(value, ndarray):
        if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
            return float(value)
        value = as_array(value)
    if value.dtype.kind not in "biuf":
        raise TypeError(f"{what} must be real, got an array of {value.dtype}")
    return value if value.dtype == np.float64 else value.astype(np.float64)


def _data(x: Any, what: str) -> Any:
    """Data for a kernel, which reads float32 and float64."""
    if isinstance(x, ndarray) and x.dtype.char in "fd":
        return x
    return _number(x, what)


def generator_of(random_state: Any) -> Any:
    """The source of random numbers that a `random_state` means."""
    if random_state is None:
        return get_random_state()
    if isinstance(random_state, (Generator, RandomState)):
        return random_state
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return default_rng(int(random_state))
    raise ValueError(
        "random_state must be None, an int, or a Generator or RandomState of gpunp.random, got "
        + shown(random_state)
    )


def _sample_shape(size: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of samples for parameters of a shape; they must broadcast to it."""
    if size is None:
        return shape
    wanted = shape_tuple(size)
    own = shape
    while len(own) > len(wanted) and own[0] == 1:
        own = own[1:]
    pairs = zip(reversed(own), reversed(wanted), strict=False)
    if len(own) > len(wanted) or any(m not in (1, n) for m, n in pairs):
        raise ValueError(
            "size does not match the broadcast shape of the parameters:"
            f" size {wanted}, parameters {shape}"
        )
    return wanted


class Distribution:
    """Methods that continuous and discrete distributions share."""

    _places: tuple[str, ...]  # parameters after the shapes
    _sample: Callable[..., ndarray]
    freeze: Callable[..., Any]

    def __init__(self, row: Row):
        self._row = row
        self._names = row.shapes + self._places
        self._usual = (None,) * len(row.shapes) + (0.0, 1.0)[: len(self._places)]
        self._kernels: dict[str, Any] = {}
        self._random_state: Any = None
        self.name = row.name
        self.a, self.b = (_ENDS.get(end, _ENDS[k]) for k, end in enumerate(row.support))
        self.shapes = ", ".join(row.shapes) or None
        self.numargs = len(row.shapes)
        self.__doc__ = self._documentation()

    def __repr__(self) -> str:
        return f"<gpunp.scipy.stats.{self.name}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        return _found, (self.name,)

    @property
    def random_state(self) -> Any:
        """Source of random numbers of `rvs`; by default that of `gpunp.random`."""
        return get_random_state() if self._random_state is None else self._random_state

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._random_state = None if seed is None else generator_of(seed)

    # ---- arguments -------------------------------------------------------------------------------

    def _bound(self, args: Any, kwds: Any, more: tuple[str, ...] = ()) -> list[Any]:
        """The values of shapes, location, scale and others, from the arguments of a call."""
        names = self._names + more
        if len(args) > len(names):
            raise TypeError(
                f"{self.name} takes at most {len(names)} parameters ({', '.join(names)}),"
                f" {len(args)} were given"
            )
        values = [*args, *(self._usual + (None,) * len(more))[len(args) :]]
        for name, value in kwds.items():
            if name not in names:
                raise TypeError(f"{self.name} got an unexpected keyword argument {name!r}")
            place = names.index(name)
            if place < len(args):
                raise TypeError(f"{self.name} got multiple values for argument {name!r}")
            values[place] = value
        for name, value in zip(self._names[: self.numargs], values, strict=False):
            if value is None:
                raise TypeError(f"{self.name} misses the shape parameter {name!r}")
        return values

    def _shapes_by_name(self, args: Any) -> dict[str, Any]:
        """The shape parameters of a sequence of them."""
        args = tuple(itertools.islice(args, self.numargs + 1))
        if len(args) != self.numargs:
            got = "more" if len(args) > self.numargs else len(args)
            raise TypeError(f"args must have {self.numargs} shape parameters, got {got}")
        return dict(zip(self._names[: self.numargs], args, strict=True))

    def _numbers(self, args: Any, kwds: Any) -> list[Any]:
        """The parameters as a kernel takes them."""
        values = self._bound(args, kwds)
        return [
            v if type(v) is float else float(v) if type(v) is int else _number(v, name)
            for v, name in zip(values, self._names, strict=True)
        ]

    def _at(self, method: str, x: Any, args: Any, kwds: Any) -> ndarray:
        """A function of data and parameters, in one launch."""
        called = self._kernels.get(method)
        if called is None:
            called = self._kernels[method] = kernel(self._row, (method,))
        return called(_data(x, "x"), *self._numbers(args, kwds))

    def _of(self, methods: tuple[str, ...], args: Any, kwds: Any) -> Any:
        """Functions of parameters alone, in one launch."""
        return kernel(self._row, methods)(*self._numbers(args, kwds))

    def _is_valid(self, numbers: list[Any]) -> bool:
        """Whether parameters lie within their domain, of which those on the device are not read."""
        if any(isinstance(value, ndarray) for value in numbers):
            return True
        condition = re.sub(r"!(?!=)", " not ", self._row.valid or "true")
        condition = condition.replace("&&", " and ").replace("||", " or ")
        known = dict(zip(self._row.fields + self._places, numbers, strict=True))
        names = {"true": True, "floor": np.floor, "fabs": abs, "INFINITY_F64": math.inf, **known}
        return bool(eval(condition, {"__builtins__": {}}, names)) and known.get("scale", 1) > 0

    # ---- functions of the data -------------------------------------------------------------------

    def cdf(self, x, *args, **kwds) -> ndarray:
        """Evaluate the distribution function, the probability of values up to x.

        Parameters
        ----------
        x : array_like
            Points at which to evaluate.
        *args, **kwds : float or array_like
            Shape parameters, location and scale, which broadcast against the points.

        Returns
        -------
        ndarray
            Values of type float64; NaN where a parameter is out of its domain.
        """
        return self._at("cdf", x, args, kwds)

    def logcdf(self, x, *args, **kwds) -> ndarray:
        """Evaluate the logarithm of the distribution function.

        Parameters
        ----------
        x : array_like
            Points at which to evaluate.
        *args, **kwds : float or array_like
            Shape parameters, location and scale, as for `cdf`.

        Returns
        -------
        ndarray
            Values of type float64, minus infinity left of the support.
        """
        return self._at("logcdf", x, args, kwds)

    @documented_as(logcdf)
    def sf(self, x, *args, **kwds) -> ndarray:
        """Evaluate the survival function 1 - cdf, without its cancellation where known.

        Returns
        -------
        ndarray
            Values of type float64; NaN where a parameter is out of its domain.
        """
        return self._at("sf", x, args, kwds)

    @documented_as(logcdf)
    def logsf(self, x, *args, **kwds) -> ndarray:
        """Evaluate the logarithm of the survival function.

        Returns
        -------
        ndarray
            Values of type float64, minus infinity right of the support.
        """
        return self._at("logsf", x, args, kwds)

    def ppf(self, q, *args, **kwds) -> ndarray:
        """Evaluate the quantile function, the inverse of `cdf`.

        Parameters
        ----------
        q : array_like
            Probabilities of the lower tail.
        *args, **kwds : float or array_like
            Shape parameters, location and scale, as for `cdf`.

        Returns
        -------
        ndarray
            Quantiles of type float64; NaN for numbers outside of 0 to 1.
        """
        return self._at("ppf", q, args, kwds)

    @documented_as(ppf)
    def isf(self, q, *args, **kwds) -> ndarray:
        """Evaluate the inverse of the survival function.

        Parameters
        ----------
        q : array_like
            Probabilities of the upper tail.
        """
        return self._at("isf", q, args, kwds)

    # ---- functions of the parameters -------------------------------------------------------------

    def mean(self, *args, **kwds) -> ndarray:
        """Return the expected value.

        Parameters
        ----------
        *args, **kwds : float or array_like
            Shape parameters, location and scale of the distribution.

        Returns
        -------
        ndarray
            Expected value for each set of parameters.
        """
        return self._of(("mean",), args, kwds)

    @documented_as(mean)
    def var(self, *args, **kwds) -> ndarray:
        """Return the variance.

        Returns
        -------
        ndarray
            Variance for each set of parameters.
        """
        return self._of(("var",), args, kwds)

    @documented_as(mean)
    def std(self, *args, **kwds) -> ndarray:
        """Return the standard deviation.

        Returns
        -------
        ndarray
            Standard deviation for each set of parameters.
        """
        return self._of(("std",), args, kwds)

    @documented_as(mean)
    def median(self, *args, **kwds) -> ndarray:
        """Return the median, the quantile of 1/2.

        Returns
        -------
        ndarray
            Median for each set of parameters.
        """
        return self._at("ppf", 0.5, args, kwds)

    @documented_as(mean)
    def entropy(self, *args, **kwds) -> ndarray:
        """Return the differential entropy, or that of the probabilities, in nats.

        Returns
        -------
        ndarray
            Entropy for each set of parameters.
        """
        return self._of(("entropy",), args, kwds)

    def moment(self, order, *args, **kwds) -> ndarray:
        """Return a raw moment, the expected value of a power.

        Parameters
        ----------
        order : int
            Exponent of the power, which must not be negative.
        *args, **kwds : float or array_like
            Shape parameters, location and scale of the distribution.

        Returns
        -------
        ndarray
            Moment for each set of parameters.
        """
        if (
            isinstance(order, (float, np.floating))
            and not math.isinf(order)
            and order != math.floor(order)
        ):
            raise ValueError("Moment must be an integer.")
        if order < 0:
            raise ValueError("Moment must be positive.")
        order = operator.index(int(order) if isinstance(order, (float, np.floating)) else order)
        return self._moment(order, args, kwds)

    def _moment(self, order: int, args: Any, kwds: Any) -> ndarray:
        return kernel(self._row, ("moment",))(order, *self._numbers(args, kwds))

    def _likelihood(self) -> Any:
        """Minus the logarithm of the likelihood: a function of data, parameters and a penalty."""
        return likelihood(self._row)

    def stats(self, *args, **kwds) -> ndarray | tuple[ndarray, ...]:
        """Return mean, variance, skewness and excess kurtosis.

        Parameters
        ----------
        *args, **kwds : float or array_like
            Shape parameters, location, scale, and `moments`, a string of the letters m, v, s
            and k that says which are wanted; by default "mv".

        Returns
        -------
        ndarray or tuple of ndarray
            What was asked for, in the order m, v, s, k.
        """
        *_, moments = self._bound(args, kwds, ("moments",))
        kwds = {k: v for k, v in kwds.items() if k != "moments"}
        letters = "mv" if moments is None else moments
        if not isinstance(letters, (str, list, tuple, set, frozenset, dict)):
            raise TypeError(f"moments must be a string of letters, not {shown(letters)}")
        wanted = tuple(name for letter, name in _LETTERS.items() if letter in letters)
        if not wanted:
            return ()
        return self._of(wanted, args[: len(self._names)], kwds)

    def interval(self, confidence, *args, **kwds) -> tuple[ndarray, ndarray]:
        """Return an interval around the median with equal probability on both sides.

        Parameters
        ----------
        confidence : array_like of float
            Probability of the interval, from 0 to 1.
        *args, **kwds : float or array_like
            Shape parameters, location and scale of the distribution.

        Returns
        -------
        low, high : ndarray
            Ends of the interval for each set of parameters.
        """
        if not isinstance(confidence, ndarray):
            host = as_host(confidence, np.float64)
            if ((host < 0) | (host > 1)).any():
                raise ValueError("alpha must be between 0 and 1 inclusive")
        part = _number(confidence, "confidence")
        low, high = (1.0 - part) / 2, (1.0 + part) / 2
        return self.ppf(low, *args, **kwds), self.ppf(high, *args, **kwds)

    @documented_as(mean)
    def support(self, *args, **kwds) -> tuple[ndarray, ndarray]:
        """Return the ends of the support.

        Returns
        -------
        low, high : ndarray
            Ends of the support for each set of parameters.
        """
        return self._of(("lower", "upper"), args, kwds)

    # ---- samples ---------------------------------------------------------------------------------

    def rvs(self, *args, **kwds) -> ndarray:
        """Draw samples.

        Parameters
        ----------
        *args, **kwds : float or array_like
            Shape parameters, location, scale, `size` and `random_state`. The size is an int or a
            tuple of ints to which the parameters broadcast; by default it is their shape. The
            state is None, a seed, or a Generator or RandomState of `gpunp.random`.

        Returns
        -------
        ndarray
            Samples of type float64, or of int64 for discrete distributions.

        Notes
        -----
        The numbers of a seed are not SciPy's. Distributions that `gpunp.random` lacks are drawn by
        the quantile function of uniform numbers. Parameters on the device are not checked.
        """
        *values, size, random_state = self._bound(args, kwds, ("size", "random_state"))
        numbers = [_number(v, name) for v, name in zip(values, self._names, strict=True)]
        shapes = [value.shape for value in numbers if isinstance(value, ndarray)]
        shape = _sample_shape(size, np.broadcast_shapes(*shapes))
        if not self._is_valid(numbers):
            raise ValueError(_DOMAIN.format(self.name))
        source = self.random_state if random_state is None else generator_of(random_state)
        return self._sample(source, shape, numbers)

    def _drawn(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        """Samples of the standard form by a method of the random generators."""
        method, _, given = self._row.draw.rstrip(")").partition("(")
        known = dict(zip(self._names, numbers, strict=True))
        terms = [name.strip().partition(" - ") for name in given.split(",") if name.strip()]
        parameters = [known[name] if name in known else float(name) for name, _, _ in terms]
        parameters = [
            value - known[less] if less else value
            for value, (_, _, less) in zip(parameters, terms, strict=True)
        ]
        kinds = [
            value if isinstance(value, float) else broadcast_to(value, shape)
            for value in parameters
        ]
        return getattr(source, method)(*kinds, size=shape)

    def _by_quantiles(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        """Samples by the quantile function of uniform numbers."""
        uniform = getattr(source, "random_sample", None) or source.random
        return kernel(self._row, ("ppf",))(uniform(shape), *numbers, empty(shape, np.float64))

    # ---- frozen distributions --------------------------------------------------------------------

    def __call__(self, *args, **kwds) -> "Frozen":
        return self.freeze(*args, **kwds)

    def _documentation(self) -> str:
        shapes = "".join(
            f"{name} : float or array_like\n    Shape parameter of the distribution.\n"
            for name in self._row.shapes
        )
        scale = (
            "scale : float or array_like, optional\n    Positive factor of the values.\n"
            if "scale" in self._places
            else ""
        )
        function = "Probabilities" if self._row.discrete else "Density"
        return (
            f"{self._row.summary}\n\n{function}: {self._row.density}.\n\n"
            "Parameters\n----------\n"
            f"{shapes}loc : float or array_like, optional\n"
            f"    Number that is added to the values.\n{scale}\n"
            "Returns\n-------\nFrozen\n    The distribution with these parameters.\n"
        )


class Continuous(Distribution):
    """A continuous distribution: densities and fits besides what all distributions have."""

    _places = ("loc", "scale")

    def pdf(self, x, *args, **kwds) -> ndarray:
        """Evaluate the probability density.

        Parameters
        ----------
        x : array_like
            Points at which to evaluate.
        *args, **kwds : float or array_like
            Shape parameters, location and scale, as for `cdf`.

        Returns
        -------
        ndarray
            Densities of type float64, zero outside of the support.
        """
        return self._at("pdf", x, args, kwds)

    @documented_as(pdf)
    def logpdf(self, x, *args, **kwds) -> ndarray:
        """Evaluate the logarithm of the probability density.

        Returns
        -------
        ndarray
            Values of type float64, minus infinity outside of the support.
        """
        return self._at("logpdf", x, args, kwds)

    def expect(
        self, func=None, args=(), loc=0, scale=1, lb=None, ub=None, conditional=False, **kwds
    ) -> ndarray:
        """Return the expected value of a function.

        Parameters
        ----------
        func : callable, optional
            Function of an array of points, by default the identity.
        args : tuple, optional
            Shape parameters, which are numbers.
        loc, scale : float, optional
            Location and scale of the distribution.
        lb, ub : float, optional
            Bounds of the integral; by default those of the support.
        conditional : bool, optional
            If True, the result is divided by the probability of the bounds.
        **kwds : object
            Options of an adaptive integration, which are accepted and not used.

        Returns
        -------
        ndarray
            Integral of `func` times the density, without axes.

        Notes
        -----
        The double exponential formula in the probability, with a fixed number of points: functions
        with jumps or kinks within are integrated to some three digits. Functions of a distribution
        of one's own are integrated over the density as its probabilities are, which waits for the
        device.
        """
        given = {
            **self._shapes_by_name(args),
            "loc": loc,
            "scale": scale,
        }
        function = (lambda x: x) if func is None else func
        return self._expected(function, given, (lb, ub), conditional)

    def _expected(self, function: Any, given: Any, bounds: Any, conditional: bool) -> ndarray:
        integral = expected_on_circle if self.name == "vonmises" else expected
        return integral(self, function, given, bounds, conditional)

    def nnlf(self, theta, x) -> ndarray:
        """Return minus the logarithm of the likelihood of data.

        Parameters
        ----------
        theta : tuple of float
            Shape parameters, location and scale.
        x : array_like
            Data, all elements of which are counted.

        Returns
        -------
        ndarray
            Sum of minus `logpdf`, infinite where a parameter is out of its domain.
        """
        return nnlf(self, theta, _data(as_array(x), "x"))

    def fit(self, data, *args, **kwds) -> tuple[float, ...]:
        """Estimate shapes, location and scale from data; waits for the device.

        Parameters
        ----------
        data : array_like or CensoredData
            Data to fit, all elements of which are counted.
        *args : float, optional
            Starting values of the shape parameters.
        **kwds : object
            `loc` and `scale`, starting values; `floc`, `fscale`, `f0` or `fa` and so on,
            parameters that stay at a value; `method`, "MLE" for the largest likelihood or "MM" for
            equal moments; `optimizer`, a function like `scipy.optimize.fmin`, or its name.

        Returns
        -------
        tuple of float
            Shape parameters, location and scale.

        Notes
        -----
        There are closed forms for norm, expon, halfnorm, uniform and laplace, and with a fixed
        location for gamma, invgauss, lognorm, pareto and rayleigh; equations of one unknown for
        gumbel_l, gumbel_r, halfcauchy, halflogistic and vonmises, whose scale is 1. Otherwise
        the optimizer runs on the host and reads
        the likelihood, a reduction on the device, at each step.
        """
        if not isinstance(data, CensoredData):
            data = _data(as_array(data), "data")
        elif not data.num_censored():
            data = data._uncensored
        return fit(self, data, args, kwds)

    def fit_loc_scale(self, data, *args) -> tuple[ndarray, ndarray]:
        """Estimate location and scale from the mean and variance of data.

        Parameters
        ----------
        data : array_like
            Data to fit, all elements of which are counted.
        *args : float
            Shape parameters of the distribution.

        Returns
        -------
        loc, scale : ndarray
            Location and scale with which mean and variance are those of the data.
        """
        x = _number(as_array(data), "data")
        m, v = self.stats(*args)
        scale = sqrt(x.var() / v)
        loc = x.mean() - scale * m
        return (
            where(isfinite(loc), loc, 0.0),
            where(isfinite(scale) & (scale > 0), scale, 1.0),
        )

    def _sample(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        loc, scale = numbers[-2:]
        if self._row.draw:
            samples = self._drawn(source, shape, numbers)
        elif self._row.turn is None:
            return self._by_quantiles(source, shape, numbers)
        else:
            samples = self._by_quantiles(source, shape, [*numbers[:-2], 0.0, 1.0])
        if self._row.turn is not None:
            return _WRAPPED(samples, loc, scale, self._row.turn, samples)
        if isinstance(loc, float) and isinstance(scale, float) and (loc, scale) == (0, 1):
            return samples
        return _MOVED(samples, loc, scale, samples)

    def freeze(self, *args, **kwds) -> "FrozenContinuous":
        """Return the distribution with fixed parameters.

        Parameters
        ----------
        *args, **kwds : float or array_like
            Shape parameters, location and scale of the distribution.

        Returns
        -------
        FrozenContinuous
            Object with the same methods, without the parameters.
        """
        return FrozenContinuous(self, *args, **kwds)


class Discrete(Distribution):
    """A distribution on whole numbers: probabilities besides what all distributions have."""

    _places = ("loc",)
    inc = 1  # from one number of the support to the next

    def pmf(self, k, *args, **kwds) -> ndarray:
        """Evaluate the probabilities of numbers.

        Parameters
        ----------
        k : array_like
            Numbers at which to evaluate.
        *args, **kwds : float or array_like
            Shape parameters and location, as for `cdf`.

        Returns
        -------
        ndarray
            Probabilities of type float64, zero for what is not a whole number of the support.
        """
        return self._at("pmf", k, args, kwds)

    @documented_as(pmf)
    def logpmf(self, k, *args, **kwds) -> ndarray:
        """Evaluate the logarithm of the probabilities of numbers.

        Returns
        -------
        ndarray
            Values of type float64, minus infinity where the probability is zero.
        """
        return self._at("logpmf", k, args, kwds)

    def expect(
        self, func=None, args=(), loc=0, lb=None, ub=None, conditional=False, maxcount=1000,
        tolerance=1e-10, chunksize=32,
    ) -> ndarray:  # fmt: skip
        """Return the expected value of a function; waits for the device.

        Parameters
        ----------
        func : callable, optional
            Function of an array of whole numbers, by default the identity.
        args : tuple, optional
            Shape parameters, which are numbers.
        loc : float, optional
            Location of the distribution.
        lb, ub : float, optional
            Bounds of the sum; by default those of the support.
        conditional : bool, optional
            If True, the result is divided by the probability of the bounds.
        maxcount, tolerance, chunksize
            Parameters of a sum in pieces, which are accepted and not used: the sum is over all
            numbers but tails of 1e-17, or 2^22 of them at most; of a distribution of one's own
            it goes on until its terms no longer count.

        Returns
        -------
        ndarray
            Sum of `func` times the probabilities, without axes.
        """
        given = {**self._shapes_by_name(args), "loc": loc}
        function = (lambda k: k) if func is None else func
        return self._expected(function, given, (lb, ub), conditional)

    def _expected(self, function: Any, given: Any, bounds: Any, conditional: bool) -> ndarray:
        return expected_count(self, function, given, bounds, conditional)

    def nnlf(self, theta, x) -> ndarray:
        """Return minus the logarithm of the likelihood of data.

        Parameters
        ----------
        theta : tuple of float
            Shape parameters and location.
        x : array_like
            Data, all elements of which are counted.

        Returns
        -------
        ndarray
            Sum of minus `logpmf`, infinite where a parameter is out of its domain.
        """
        return nnlf(self, theta, _data(as_array(x), "x"))

    def _sample(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        if not self._row.draw:
            return self._by_quantiles(source, shape, numbers).astype(np.int64)
        samples = self._drawn(source, shape, numbers)
        loc = numbers[-1]
        return samples if isinstance(loc, float) and loc == 0 else (samples + loc).astype(np.int64)

    def freeze(self, *args, **kwds) -> "FrozenDiscrete":
        """Return the distribution with fixed parameters.

        Parameters
        ----------
        *args, **kwds : float or array_like
            Shape parameters and location of the distribution.

        Returns
        -------
        FrozenDiscrete
            Object with the same methods, without the parameters.
        """
        return FrozenDiscrete(self, *args, **kwds)


def _found(name: str) -> Distribution:
    """The distribution of a name, for pickles."""
    from . import _distributions

    return getattr(_distributions, name)


# ---- frozen distributions ------------------------------------------------------------------------


class Frozen:
    """A distribution with its parameters: the methods of the distribution without them."""

    def __init__(self, dist: Distribution, *args: Any, **kwds: Any):
        self.dist, self.args, self.kwds = dist, args, kwds
        self._values = dist._numbers(args, kwds)
        self._given = dict(zip(dist._names, self._values, strict=True))
        self._random_state = dist._random_state

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self._given.items())
        return f"<gpunp.scipy.stats.{self.dist.name}({given})>"

    @property
    def random_state(self) -> Any:
        """Source of random numbers of `rvs`; by default that of `gpunp.random`."""
        return get_random_state() if self._random_state is None else self._random_state

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._random_state = None if seed is None else generator_of(seed)

    @property
    def a(self) -> ndarray:
        """Lower end of the support of the standard form with the frozen shapes."""
        return self.dist.support(*self._values[: self.dist.numargs])[0]

    @property
    def b(self) -> ndarray:
        """Upper end of the support of the standard form with the frozen shapes."""
        return self.dist.support(*self._values[: self.dist.numargs])[1]

    def rvs(self, size: Any = None, random_state: Any = None) -> ndarray:
        """Draw samples; see `Distribution.rvs`."""
        source = self.random_state if random_state is None else random_state
        return self.dist.rvs(**self._given, size=size, random_state=source)

    def stats(self, moments: str = "mv") -> Any:
        """Return moments; see `Distribution.stats`."""
        return self.dist.stats(**self._given, moments=moments)

    def expect(self, func: Any = None, lb: Any = None, ub: Any = None, **kwds: Any) -> ndarray:
        """Return an expected value; see the method of the distribution."""
        shapes = tuple(self._given[name] for name in self.dist._names[: self.dist.numargs])
        places = {name: self._given[name] for name in self.dist._places}
        return self.dist.expect(func, shapes, lb=lb, ub=ub, **places, **kwds)  # type: ignore[attr-defined]


def _with_parameters(method: Any) -> Any:
    """A method of a distribution, without the parameters, which are frozen."""
    first = list(inspect.signature(method).parameters.values())[:-2]  # without args and kwds
    name, count = method.__name__, len(first) - 1

    def frozen(self: Frozen, *args: Any, **kwds: Any) -> Any:
        if len(args) == count and not kwds:
            return getattr(self.dist, name)(*args, *self._values)
        if len(args) > count:
            raise TypeError(f"{name} takes {count} arguments, {len(args)} were given")
        return getattr(self.dist, name)(*args, **kwds, **self._given)

    frozen.__name__ = name
    frozen.__doc__ = f"The method `{name}` of the distribution with the frozen parameters."
    frozen.__signature__ = inspect.Signature(first)  # type: ignore[attr-defined]
    return frozen


class FrozenContinuous(Frozen):
    """A continuous distribution with its parameters."""


class FrozenDiscrete(Frozen):
    """A discrete distribution with its parameters."""


_FUNCTIONS = ["cdf", "logcdf", "sf", "logsf", "ppf", "isf", "moment", "interval"]
_FUNCTIONS += ["mean", "var", "std", "median", "entropy", "support"]
for _frozen, _kind, _names in (
    (Frozen, Distribution, _FUNCTIONS),
    (FrozenContinuous, Continuous, ["pdf", "logpdf"]),
    (FrozenDiscrete, Discrete, ["pmf", "logpmf"]),
):
    for _name in _names:
        setattr(_frozen, _name, _with_parameters(getattr(_kind, _name)))

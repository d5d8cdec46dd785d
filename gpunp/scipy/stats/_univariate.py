"""Random variables: objects with parameters, which arithmetic makes other random variables of.

`RandomVariable` has the public methods, which check arguments and round results to the type of
the parameters. A class of distributions has methods with an underscore, functions of float64 arrays
that broadcast against its parameters; what it lacks follows from its quantiles.
"""

import math
import operator
import types
from typing import Any, ClassVar

import numpy as np

from ..._core._convert import as_array, shape_tuple, shown
from ..._core.multiarray import asarray, concatenate, ndarray, where
from ..._core.reductions import argmax, sum
from ..._core.umath import absolute, exp, expm1, floor, isfinite, log, log1p, maximum, minimum, sqrt
from ...lib._shape_base_impl import take_along_axis
from ...lib._stride_tricks_impl import broadcast_to
from ...random import Generator, RandomState, default_rng
from .._kept import kept
from ._distn_fit import _nodes
from ._univariate_plot import plotted
from ._univariate_ways import (
    KINDS,
    MOMENTS,
    WAYS,
    chosen,
    density_by,
    information_by,
    moment_by,
    moment_ways,
    pair_by,
    quantile_by,
    tail_by,
)

__all__ = ["RandomVariable", "real_parameter", "shown_parameter", "source_of"]

_MOST_KEPT = 1 << 20  # quantiles
_GRID, _REFINED, _ROUNDS = 1025, 33, 12  # points of a search for the mode


def source_of(rng: Any) -> Any:
    """The source of random numbers that `rng` means; a new one for None."""
    if rng is None or isinstance(rng, (int, np.integer)):
        return default_rng(rng)
    if isinstance(rng, (Generator, RandomState)):
        return rng
    raise TypeError(
        f"rng must be None, an int, or a Generator or RandomState of gpunp.random, got {shown(rng)}"
    )


def real_parameter(name: str, value: Any) -> ndarray:
    """A parameter as an array of floating point type, which integers become."""
    try:
        value = as_array(value)
    except ValueError:
        raise TypeError(f"Parameter `{name}` must be of real dtype.") from None
    if value.dtype.kind not in "biuf":
        raise TypeError(f"Parameter `{name}` must be of real dtype.")
    return value if value.dtype.kind == "f" else value.astype(np.float64)


def _choice(value: Any, choices: tuple[Any, ...], what: str) -> Any:
    value = None if value is None else str(value).lower()
    if value not in choices:
        raise ValueError(f"{what} must be one of {set(choices)}, if specified.")
    return value


# ---- methods that differ in a name ---------------------------------------------------------------

_NOT_THERE = """Raises
------
NotImplementedError
    If the variable cannot be computed by `method`."""


def _method(call: Any, name: str, first: str, parameters: str, ways: tuple, result: str) -> Any:
    """A method with its name and documentation; `parameters` has those before `method`."""
    choices = ", ".join(map(repr, (None, *ways)))
    call.__name__, call.__qualname__ = name, f"RandomVariable.{name}"
    call.__doc__ = (
        f"{first}\n\nParameters\n----------\n{parameters}method : {{{choices}}}, optional\n"
        "    How to compute it; by default the first that there is.\n\n"
        f"Returns\n-------\nndarray\n    {result}\n\n{_NOT_THERE}\n"
    )
    return call


def _of_number(name: str, summary: str, result: str) -> Any:
    """A method for densities."""

    def call(self, x, /, *, method=None) -> ndarray:
        return self._at(name, density_by, x, method)

    where_to = "x : array_like\n    Points at which to evaluate.\n"
    return _method(call, name, summary, where_to, WAYS[name], result)


def _of_numbers(name: str, summary: str, result: str) -> Any:
    """A method for the probability up to a number, or between two of them."""

    def call(self, x, y=None, /, *, method=None) -> ndarray:
        if y is not None:
            return self._of_two(name, x, y, method)
        return self._at(name, tail_by, x, method)

    where_to = (
        "x, y : array_like\n    Points at which to evaluate. With `y`, which a continuous variable"
        " takes only, the\n    probability is that of more than `x` and at most `y`, and negative"
        " where `y` is less.\n"
    )
    ways = tuple(dict.fromkeys(WAYS[name] + WAYS[f"{name}2"]))
    return _method(call, name, summary, where_to, ways, result)


def _of_probability(name: str, summary: str) -> Any:
    """A method for quantiles."""

    def call(self, p, /, *, method=None) -> ndarray:
        return self._at(name, quantile_by, p, method)

    kind = "Logarithms of probabilities" if "log" in name else "Probabilities"
    what = f"p : array_like\n    {kind} at which to evaluate.\n"
    result = "Quantiles; NaN for what is no probability."
    return _method(call, name, summary, what, WAYS[name], result)


def _of_all(summary: str, name: str, compute: Any) -> Any:
    """A method for numbers of the distribution."""

    def call(self, *, method=None) -> ndarray:
        return self._of(compute(self, chosen(self, name, method)))

    return _method(call, name, summary, "", WAYS[name], "A number for each set of parameters.")


def _moment_of(summary: str, name: str, order: int, kind: str, function: Any = None) -> Any:
    """A method for a moment, or a function of it."""

    def call(self, *, method=None) -> ndarray:
        value = self._moment(order, kind, method, name)
        return self._of(value if function is None else function(value))

    return _method(call, name, summary, "", MOMENTS, "A number for each set of parameters.")


# ---- random variables ----------------------------------------------------------------------------


class RandomVariable:
    """A random variable of one dimension, or an array of them.

    The methods evaluate its distribution. Results have the shape to which arguments and parameters
    broadcast, and the floating point type of both; NaN where a parameter is out of its domain.
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)
    _shape: tuple[int, ...] = ()
    _dtype: Any = np.dtype(np.float64)
    _of_parameters: Any = None  # their type, if there are any
    _discrete = False
    _formulas: frozenset[str] = frozenset()  # functions that a class has formulas for
    _names_of_formulas: ClassVar[
        dict[str, tuple[str, ...]]
    ] = {}  # other names that `method` has for them
    _parameters: dict[str, ndarray]
    _cache: dict[Any, Any]
    _originals: dict[str, ndarray]  # as they were given, before they were broadcast

    def __init__(self, *, tol=None, validation_policy=None, cache_policy=None):
        self._parameters, self._originals, self._cache = {}, {}, {}
        self.tol = tol
        self.validation_policy = validation_policy
        self.cache_policy = cache_policy

    def _hold(self, **parameters: Any) -> None:
        """Keep parameters, which are attributes of one shape, and their type."""
        name = type(self).__name__
        held = {key: real_parameter(key, value) for key, value in parameters.items()}
        known = [] if self._of_parameters is None else [self._of_parameters]
        types = known + [a.dtype for a in held.values()]
        self._dtype = np.result_type(*types) if types else self._dtype
        self._of_parameters = self._dtype if types else None
        try:
            self._shape = np.broadcast_shapes(self._shape, *(a.shape for a in held.values()))
        except ValueError:
            raise ValueError(
                f"The parameters `{{{', '.join(held)}}}` provided to the `{name}` distribution"
                " family cannot be broadcast to the same shape."
            ) from None
        self._originals = dict(held)
        for key, value in held.items():
            held[key] = broadcast_to(value.astype(self._dtype, copy=False), self._shape)
        self._parameters = {**self._parameters, **held}

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.__dict__.get("_parameters", ()):
            return self._parameters[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # ---- settings --------------------------------------------------------------------------------

    @property
    def tol(self) -> float | None:
        """Relative tolerance of integrals, sums and searches, None for the usual one."""
        return self._tol

    @tol.setter
    def tol(self, tol: Any) -> None:
        if tol is not None and not (isinstance(tol, (float, np.floating)) and tol > 0):
            raise ValueError(
                f"Attribute `tol` of `{type(self).__name__}` must be a positive float, if"
                f" specified, got {shown(tol)}."
            )
        self._tol = None if tol is None else float(tol)

    @property
    def validation_policy(self) -> str | None:
        """None or 'skip_all', which is kept: arguments are checked by the kernels anyway."""
        return self._validation_policy

    @validation_policy.setter
    def validation_policy(self, policy: Any) -> None:
        what = f"Attribute `validation_policy` of `{type(self).__name__}`"
        self._validation_policy = _choice(policy, (None, "skip_all"), what)

    @property
    def cache_policy(self) -> str | None:
        """None, or 'no_cache' if moments and the ends of the support are computed at each call."""
        return self._cache_policy

    @cache_policy.setter
    def cache_policy(self, policy: Any) -> None:
        what = f"Attribute `cache_policy` of `{type(self).__name__}`"
        self._cache_policy = _choice(policy, (None, "no_cache"), what)

    def reset_cache(self) -> None:
        """Forget moments and the ends of the support, which are kept otherwise."""
        self._cache.clear()

    def _kept(self, key: Any, compute: Any) -> Any:
        """A value that is computed once."""
        if self._cache_policy is not None and key not in self._cache:
            return compute()
        return kept(self._cache, key, (), compute)

    # ---- ways to compute -------------------------------------------------------------------------

    def _has_formula(self, function: str, order: int = 0) -> bool:
        """Whether a function, or a moment of an order, is computed by a formula of the class."""
        return function in self._formulas

    def _ways(self, function: str, order: int = 0) -> tuple[str, ...]:
        """What `method` may be for a function."""
        if function in KINDS:
            return moment_ways(self, function, order)
        has = self._has_formula(function)
        return tuple(way for way in WAYS[function] if way != "formula" or has)

    # ---- what a class of distributions has -------------------------------------------------------

    def _ends(self) -> tuple[Any, Any]:
        """Ends of the support."""
        raise NotImplementedError

    def _density(self, x: Any) -> Any:
        """Density of a continuous variable, probability of a discrete one."""
        return exp(self._log_density(x))

    def _log_density(self, x: Any) -> Any:
        return log(self._density(x))

    def _tail(self, x: Any, upper: bool) -> Any:
        """The probability of at most x, or of more."""
        raise NotImplementedError

    def _log_tail(self, x: Any, upper: bool) -> Any:
        tail = self._tail(x, upper)
        return where(tail > 0.5, log1p(-self._tail(x, not upper)), log(tail))

    def _quantile(self, p: Any, upper: bool) -> Any:
        """The number whose tail has a probability; NaN for what is none."""
        raise NotImplementedError

    def _draw(self, source: Any, shape: tuple[int, ...]) -> Any:
        return self._by_quantiles(source, shape)

    def _by_quantiles(self, source: Any, shape: tuple[int, ...]) -> Any:
        uniform = getattr(source, "random_sample", None) or source.random
        return self._quantile(uniform(shape), False)

    def _between(self, x: Any, y: Any) -> Any:
        """The probability of more than x and at most y, by the shorter tail."""
        below, above = self._tail(x, False), self._tail(x, True)
        short = self._tail(y, False) - below
        value = where(below > 0.5, above - self._tail(y, True), short)
        return where(value != value, value, minimum(maximum(value, 0.0), 1.0))

    def _expectation(self, function: Any, tol: float | None = None) -> Any:
        """The expected value of a function of points along a first axis: the double exponential
        formula. With a tolerance the rule becomes finer until it is met, which is read."""
        tol = self.tol if tol is None else tol
        if tol is None:
            return self._over_quantiles(function, 16)
        value = self._over_quantiles(function, 8)
        for per_unit in (16, 32, 64):
            last, value = value, self._over_quantiles(function, per_unit)
            if not bool((absolute(value - last) > tol * absolute(value)).any()):
                break
        return value

    def _halves(self) -> Any:
        """Probabilities of the parts of the lower and the upper quantiles."""
        return 0.5, 0.5

    def _over_quantiles(self, function: Any, per_unit: int) -> Any:
        weights = asarray(_nodes(per_unit)[1].reshape((-1,) + (1,) * len(self._shape)))
        total: Any = 0.0
        for half, x in self._kept_points(per_unit):
            values = function(x)
            kept = isfinite(values) | (weights > 1e-15)  # of ends, where the weights are nothing
            total = total + half * sum(where(kept, values * weights, 0.0), axis=0)
        return total

    def _kept_points(self, per_unit: int) -> Any:
        """Quantiles along a first axis, of both halves; they are kept if they are few."""
        if 24 * per_unit * math.prod(self._shape) > _MOST_KEPT:
            return self._points(per_unit)
        return self._kept(("points", per_unit), lambda: self._points(per_unit))

    def _points(self, per_unit: int) -> Any:
        nodes = asarray(_nodes(per_unit)[0].reshape((-1,) + (1,) * len(self._shape)))
        pairs = zip((False, True), self._halves(), strict=True)
        return [(half, self._quantile_of_half(half * nodes, upper)) for upper, half in pairs]

    def _quantile_of_half(self, p: Any, upper: bool) -> Any:
        return self._quantile(p, upper)

    def _constant(self, value: float) -> Any:
        """A number, or NaN where a parameter is out of its domain."""
        low, _ = self._ends()
        return where(low == low, value, np.nan)

    def _raw(self, order: int) -> Any:
        return self._expectation(lambda x: x**order)

    def _central(self, order: int) -> Any:
        mean = self._moment(1, "raw")
        return self._expectation(lambda x: (x - mean) ** order)

    def _standardized(self, order: int) -> Any:
        return self._moment(order, "central") / self._moment(2, "central") ** (order / 2)

    def _information(self) -> Any:
        """Entropy."""
        return self._expectation(lambda x: -self._log_density(x))

    def _most_likely(self) -> Any:
        """The mode: the best of quantiles, between whose neighbours points are taken again."""
        grid = np.arange(_GRID) / (2 * (_GRID - 1))
        tails = asarray(grid.reshape((-1,) + (1,) * len(self._shape)))
        points = [self._quantile(tails, False), self._quantile(tails[::-1], True)]
        x = broadcast_to(concatenate(points), (2 * _GRID, *self._shape))
        shares = asarray(np.linspace(0, 1, _REFINED).reshape((-1,) + (1,) * len(self._shape)))
        best = argmax(_without_nan(self._log_density(x)), axis=0)
        center = _taken(x, best)
        low, high = _taken(x, maximum(best - 1, 0)), _taken(x, minimum(best + 1, x.shape[0] - 1))
        low = where(isfinite(low), low, center - 1 - absolute(center))
        high = where(isfinite(high), high, center + 1 + absolute(center))
        rounds = _ROUNDS if self.tol is None else math.ceil(-math.log(self.tol, 16)) + 1
        for _ in range(min(max(rounds, 1), _ROUNDS)):
            x = concatenate([center[None], low + (high - low) * shares])
            x = floor(x) if self._discrete else x
            center = _taken(x, argmax(_without_nan(self._log_density(x)), axis=0))
            step = (high - low) / (_REFINED - 1) + (1.0 if self._discrete else 0.0)
            low, high = maximum(low, center - step), minimum(high, center + step)
        low, _ = self._ends()
        return where(low == low, center, np.nan)

    # ---- arguments and results -------------------------------------------------------------------

    def _argument(self, x: Any, name: str) -> tuple[ndarray, Any]:
        """An argument in float64, and the type of the result."""
        x = as_array(x)
        if x.dtype.kind not in "biuf":
            raise TypeError(f"The argument of `{name}` must be real, got an array of {x.dtype}")
        try:
            np.broadcast_shapes(x.shape, self._shape)
        except ValueError:
            raise ValueError(
                f"The argument provided to `{type(self).__name__}.{name}`, of shape {x.shape},"
                f" cannot be broadcast to the same shape as the distribution parameters,"
                f" {self._shape}."
            ) from None
        return x.astype(np.float64, copy=False), np.result_type(x.dtype, self._dtype)

    def _at(self, name: str, by: Any, x: Any, method: Any) -> ndarray:
        way = chosen(self, name, method)
        x, dtype = self._argument(x, name)
        value = asarray(by(self, name, x, way))
        shape = np.broadcast_shapes(x.shape, self._shape)
        return broadcast_to(value, shape).astype(dtype, copy=False)

    def _of_two(self, name: str, x: Any, y: Any, method: Any) -> ndarray:
        if self._discrete:
            raise NotImplementedError(
                f"{name} takes one argument for discrete distributions, not two"
            )
        way = chosen(self, f"{name}2", method)
        y, of_y = self._argument(y, name)
        x, of_x = self._argument(x, name)
        shape = np.broadcast_shapes(x.shape, y.shape, self._shape)
        value = broadcast_to(asarray(pair_by(self, name, x, y, way)), shape)
        dtype = np.result_type(of_x, of_y)
        return value.astype(_complex(dtype) if value.dtype.kind == "c" else dtype, copy=False)

    def _of(self, value: Any) -> ndarray:
        """A number for each set of parameters, of their type."""
        value = broadcast_to(asarray(value), self._shape)
        dtype = _complex(self._dtype) if value.dtype.kind == "c" else self._dtype
        return value.astype(dtype, copy=False)

    def _moment(self, order: int, kind: str, method: Any = None, name: str = "moment") -> Any:
        """A moment in float64, which is kept."""
        way = chosen(self, kind, method, order, name)
        if way not in (None, "cache"):
            self._cache.pop((kind, order), None)
        return self._kept((kind, order), lambda: moment_by(self, kind, order, way))

    # ---- public methods --------------------------------------------------------------------------

    def support(self) -> tuple[ndarray, ndarray]:
        """Return the ends of the support.

        Returns
        -------
        low, high : ndarray
            Smallest and largest number that the variable takes.
        """
        low, high = self._kept("support", self._ends)
        return self._of(low), self._of(high)

    pdf = _of_number("pdf", "Evaluate the probability density.",
        "Densities; of a discrete variable infinity where it has probability.")  # fmt: skip
    logpdf = _of_number("logpdf", "Evaluate the logarithm of the probability density.",
        "Logarithms, minus infinity outside of the support.")  # fmt: skip
    pmf = _of_number("pmf", "Evaluate the probabilities of numbers.",
        "Probabilities; 0 for a continuous variable.")  # fmt: skip
    logpmf = _of_number("logpmf", "Evaluate the logarithm of the probabilities of numbers.",
        "Logarithms, minus infinity where there is no probability.")  # fmt: skip
    cdf = _of_numbers("cdf", "Evaluate the probability of numbers up to x, or between x and y.",
        "Probabilities.")  # fmt: skip
    ccdf = _of_numbers("ccdf", "Evaluate the complement of `cdf`, without its cancellation.",
        "1 less what `cdf` returns.")  # fmt: skip
    logcdf = _of_numbers("logcdf", "Evaluate the logarithm of `cdf`.",
        "Logarithms; complex numbers with `y`.")  # fmt: skip
    logccdf = _of_numbers("logccdf", "Evaluate the logarithm of `ccdf`.", "Logarithms.")
    icdf = _of_probability("icdf", "Evaluate the inverse of `cdf`.")
    iccdf = _of_probability("iccdf", "Evaluate the inverse of `ccdf`.")
    ilogcdf = _of_probability("ilogcdf",
        "Evaluate the inverse of `logcdf`, to the digits of the probability.")  # fmt: skip
    ilogccdf = _of_probability("ilogccdf",
        "Evaluate the inverse of `logccdf`, to the digits of the probability.")  # fmt: skip

    def _log_quantile(self, p: ndarray, upper: bool) -> Any:
        """The quantile of the logarithm of a probability, by the shorter tail."""
        own, other = self._quantile(exp(p), upper), self._quantile(-expm1(p), not upper)
        return where(p > -math.log(2), other, own)

    median = _of_all("Return the median.", "median", lambda self, way: (
        self._quantile(asarray(0.5), False)))  # fmt: skip
    mode = _of_all("Return the number where density or probability is largest.", "mode",
        lambda self, way: (
            RandomVariable._most_likely(self) if way == "optimization" else self._most_likely()
        ))  # fmt: skip
    entropy = _of_all("Return the entropy in nats, differential for a continuous variable.",
        "entropy", lambda self, way: information_by(self, way))  # fmt: skip
    logentropy = _of_all("Return the logarithm of the entropy, a complex number.",
        "logentropy", lambda self, way: log(information_by(self, way) + 0j))  # fmt: skip
    mean = _moment_of("Return the expected value.", "mean", 1, "raw")
    variance = _moment_of("Return the variance.", "variance", 2, "central")
    standard_deviation = _moment_of("Return the standard deviation.", "standard_deviation", 2,
        "central", sqrt)  # fmt: skip
    skewness = _moment_of("Return the third standardized moment.", "skewness", 3, "standardized")

    def kurtosis(self, *, method=None, convention="non-excess") -> ndarray:
        """Return the fourth standardized moment.

        Parameters
        ----------
        method : {None, 'cache', 'formula', 'general', 'normalize'}, optional
            How to compute it, as for `moment`.
        convention : {'non-excess', 'excess'}, optional
            If 'excess', 3 is subtracted, the number of the normal distribution.

        Returns
        -------
        ndarray
            A number for each set of parameters.
        """
        if convention not in ("non-excess", "excess"):
            raise ValueError(
                f"Parameter `convention` of `{type(self).__name__}.kurtosis` must be one of"
                f" {{'excess', 'non-excess'}}, got {shown(convention)}."
            )
        less = 3.0 if convention == "excess" else 0.0
        return self._of(self._moment(4, "standardized", method, "kurtosis") - less)

    def moment(self, order=1, kind="raw", *, method=None) -> ndarray:
        """Return a moment.

        Parameters
        ----------
        order : int, optional
            Exponent of the power, which must not be negative.
        kind : {'raw', 'central', 'standardized'}, optional
            Whether powers are of the variable, of its difference from the mean, or of that divided
            by the standard deviation.
        method : str or None, optional
            'cache' for the value of an earlier call; 'formula'; 'general' for numbers that all
            distributions have; 'transform' for a raw moment from central ones, or the reverse;
            'normalize' for a standardized moment from the central one, or the reverse;
            'quadrature' for an integral or sum. By default the first that there is.

        Returns
        -------
        ndarray
            A number for each set of parameters.

        Raises
        ------
        NotImplementedError
            If the moment cannot be computed by `method`.
        """
        name = type(self).__name__
        try:
            whole = operator.index(int(order)) if float(order) == int(order) else -1
        except (TypeError, ValueError, OverflowError):
            whole = -1
        if whole < 0:
            raise ValueError(
                f"Argument `order` of `{name}.moment` must be a finite, positive integer."
            )
        if kind not in KINDS:
            raise ValueError(f"Argument `kind` of `{name}.moment` must be one of {set(KINDS)}.")
        return self._of(self._moment(whole, kind, method))

    def sample(self, shape=(), *, method=None, rng=None) -> ndarray:
        """Draw samples.

        Parameters
        ----------
        shape : int or tuple of int, optional
            Shape of the samples, before the axes of the parameters.
        method : {None, 'formula', 'inverse_transform'}, optional
            Whether the generator has a method for the distribution, or samples are quantiles of
            uniform numbers. By default the first that there is.
        rng : None, int, Generator or RandomState, optional
            Source of the random numbers: those of a seed are not SciPy's.

        Returns
        -------
        ndarray
            Samples of the type of the parameters.
        """
        way = chosen(self, "sample", method)
        draw = self._by_quantiles if way == "inverse_transform" else self._draw
        drawn = draw(source_of(rng), (*shape_tuple(shape), *self._shape))
        return asarray(drawn).astype(self._dtype, copy=False)

    def plot(self, x="x", y=None, *, t=None, ax=None) -> Any:
        """Plot functions of the distribution with Matplotlib; waits for the device.

        Parameters
        ----------
        x, y : str, optional
            Names of what the axes show: 'x' or a method of one argument. By default numbers and
            their density or probability.
        t : tuple, optional
            Name and limits of what runs: 'x', or one of 'cdf', 'ccdf', 'icdf', 'iccdf' and their
            logarithms. By default 'cdf' from 0.0005 to 0.9995, or up to the ends of the support.
        ax : object, optional
            Matplotlib's axes to draw on, by default the current ones.

        Returns
        -------
        object
            Matplotlib's axes with a curve for each set of parameters.
        """
        return plotted(self, x, y, t, ax)

    # ---- words -----------------------------------------------------------------------------------

    def _written(self, write: Any) -> str:
        parts = [f"{key}={write(shown_parameter(value))}" for key, value in self._originals.items()]
        with np.printoptions(threshold=10):
            return f"{type(self).__name__}({', '.join(parts)})"

    def __repr__(self) -> str:
        return self._written(repr)

    def __str__(self) -> str:
        return self._written(str)


def shown_parameter(value: ndarray) -> Any:
    """A parameter for words: it is read."""
    host = value.get()
    return host if host.ndim else host[()]


def _complex(dtype: Any) -> Any:
    return np.result_type(dtype, np.complex64)


def _without_nan(value: ndarray) -> ndarray:
    return where(value == value, value, -math.inf)


def _taken(x: ndarray, index: ndarray) -> ndarray:
    """Elements along the first axis, of which there is an index for each other place."""
    return take_along_axis(x, index[None], axis=0)[0]

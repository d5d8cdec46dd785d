"""Random variables: objects with parameters, which arithmetic makes other random variables of.

`RandomVariable` has the public methods, which check arguments and round results to the type of
the parameters. A class of distributions has methods with an underscore, functions of float64 arrays
that broadcast against its parameters; what it lacks follows from its quantiles.
"""

import math
import operator
from typing import Any

import numpy as np

from ..._core._convert import as_array, shape_tuple, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, concatenate, ndarray, where
from ..._core.reductions import argmax, sum
from ..._core.umath import absolute, exp, expm1, floor, isfinite, log, log1p, maximum, minimum, sqrt
from ...lib._shape_base_impl import take_along_axis
from ...lib._stride_tricks_impl import broadcast_to
from ...random import Generator, RandomState, default_rng
from ._distn_fit import _nodes
from ._univariate_plot import plotted

__all__ = ["RandomVariable", "real_parameter", "shown_parameter", "source_of"]

_KINDS = ("central", "raw", "standardized")
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


class RandomVariable:
    """A random variable of one dimension, or an array of them.

    The methods evaluate its distribution. Results have the shape to which arguments and parameters
    broadcast, and the floating point type of both; NaN where a parameter is out of its domain.
    """

    _shape: tuple[int, ...] = ()
    _dtype: Any = np.dtype(np.float64)
    _of_parameters: Any = None  # their type, if there are any
    _discrete = False
    _parameters: dict[str, ndarray]
    _originals: dict[str, ndarray]  # as they were given, before they were broadcast

    def __init__(self, *, tol=None, validation_policy=None, cache_policy=None):
        self._parameters, self._originals = {}, {}
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
        """Tolerance, which is kept and not used: results have the digits that they have."""
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
        """None or 'no_cache', which is kept: nothing is cached."""
        return self._cache_policy

    @cache_policy.setter
    def cache_policy(self, policy: Any) -> None:
        what = f"Attribute `cache_policy` of `{type(self).__name__}`"
        self._cache_policy = _choice(policy, (None, "no_cache"), what)

    def reset_cache(self) -> None:
        """Do nothing: nothing is cached."""

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
        uniform = getattr(source, "random_sample", None) or source.random
        return self._quantile(uniform(shape), False)

    def _between(self, x: Any, y: Any) -> Any:
        """The probability of more than x and at most y, by the shorter tail."""
        below, above = self._tail(x, False), self._tail(x, True)
        short = self._tail(y, False) - below
        value = where(below > 0.5, above - self._tail(y, True), short)
        return where(value != value, value, minimum(maximum(value, 0.0), 1.0))

    def _expectation(self, function: Any) -> Any:
        """The expected value of a function of points along a first axis, by both halves of the
        probability: the double exponential formula."""
        nodes, weights = (asarray(a).reshape((-1,) + (1,) * len(self._shape)) for a in _nodes())
        total: Any = 0.0
        for upper in (False, True):
            values = function(self._quantile(0.5 * nodes, upper))
            kept = isfinite(values) | (weights > 1e-15)  # of ends, where the weights are nothing
            total = total + sum(where(kept, values * weights, 0.0), axis=0) / 2
        return total

    def _constant(self, value: float) -> Any:
        """A number, or NaN where a parameter is out of its domain."""
        low, _ = self._ends()
        return where(low == low, value, np.nan)

    def _raw(self, order: int) -> Any:
        return self._expectation(lambda x: x**order)

    def _central(self, order: int) -> Any:
        mean = self._raw(1)
        return self._expectation(lambda x: (x - mean) ** order)

    def _standardized(self, order: int) -> Any:
        return self._central(order) / self._central(2) ** (order / 2)

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
        for _ in range(_ROUNDS):
            best = argmax(_without_nan(self._log_density(x)), axis=0)
            low = _taken(x, maximum(best - 1, 0))
            high = _taken(x, minimum(best + 1, x.shape[0] - 1))
            center = _taken(x, best)
            low = where(isfinite(low), low, center - 1 - absolute(center))
            high = where(isfinite(high), high, center + 1 + absolute(center))
            x = concatenate([center[None], low + (high - low) * shares])
            x = floor(x) if self._discrete else x
        value = _taken(x, argmax(_without_nan(self._log_density(x)), axis=0))
        low, _ = self._ends()
        return where(low == low, value, np.nan)

    # ---- arguments and results -------------------------------------------------------------------

    def _refuse_method(self, method: Any) -> None:
        if method is not None:
            raise NotImplementedError(
                f"`{type(self).__name__}` has one way to compute a result: `method` must be None,"
                f" got {shown(method)}"
            )

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

    def _at(self, name: str, function: Any, x: Any, method: Any) -> ndarray:
        self._refuse_method(method)
        x, dtype = self._argument(x, name)
        value = asarray(function(x))
        shape = np.broadcast_shapes(x.shape, self._shape)
        return broadcast_to(value, shape).astype(dtype, copy=False)

    def _of(self, function: Any, method: Any = None) -> ndarray:
        self._refuse_method(method)
        value = broadcast_to(asarray(function()), self._shape)
        return value.astype(np.result_type(self._dtype, value.dtype) if value.dtype.kind == "c"
                            else self._dtype, copy=False)  # fmt: skip

    def _of_two(self, name: str, x: Any, y: Any, upper: bool, method: Any) -> ndarray:
        """The probability between two numbers, with a sign where they are in descending order."""
        if self._discrete:
            raise NotImplementedError(
                f"{name} takes one argument for discrete distributions, not two"
            )
        y, of_y = self._argument(y, name)

        def probability(x: ndarray) -> ndarray:
            value = self._between(minimum(x, y), maximum(x, y))
            if upper:
                return where(y < x, 1.0 + value, 1.0 - value)
            return where(y < x, -value, value)

        self._refuse_method(method)
        x, of_x = self._argument(x, name)
        shape = np.broadcast_shapes(x.shape, y.shape, self._shape)
        value = broadcast_to(asarray(probability(x)), shape)
        return value.astype(np.result_type(of_x, of_y), copy=False)

    # ---- public methods --------------------------------------------------------------------------

    def support(self) -> tuple[ndarray, ndarray]:
        """Return the ends of the support.

        Returns
        -------
        low, high : ndarray
            Smallest and largest number that the variable takes.
        """
        low, high = self._ends()
        return self._of(lambda: low), self._of(lambda: high)

    def pdf(self, x, /, *, method=None) -> ndarray:
        """Evaluate the probability density.

        Parameters
        ----------
        x : array_like
            Points at which to evaluate.
        method : None, optional
            Accepted for compatibility; there is one way to compute each result.

        Returns
        -------
        ndarray
            Densities; of a discrete variable infinity where it has probability.
        """
        if self._discrete:
            mass = self.pmf(x, method=method)
            return where(mass > 0, mass * np.inf, mass)
        return self._at("pdf", self._density, x, method)

    @documented_as(pdf)
    def logpdf(self, x, /, *, method=None) -> ndarray:
        """Evaluate the logarithm of the probability density.

        Returns
        -------
        ndarray
            Logarithms, minus infinity outside of the support.
        """
        if self._discrete:
            return log(self.pdf(x, method=method))
        return self._at("logpdf", self._log_density, x, method)

    @documented_as(pdf)
    def pmf(self, x, /, *, method=None) -> ndarray:
        """Evaluate the probabilities of numbers.

        Returns
        -------
        ndarray
            Probabilities; 0 for a continuous variable.
        """
        if not self._discrete:
            return self._at("pmf", lambda x: 0.0, x, method)
        return self._at("pmf", self._density, x, method)

    @documented_as(pdf)
    def logpmf(self, x, /, *, method=None) -> ndarray:
        """Evaluate the logarithm of the probabilities of numbers.

        Returns
        -------
        ndarray
            Logarithms, minus infinity where there is no probability.
        """
        if not self._discrete:
            return log(self.pmf(x, method=method))
        return self._at("logpmf", self._log_density, x, method)

    def cdf(self, x, y=None, /, *, method=None) -> ndarray:
        """Evaluate the probability of numbers up to x, or of those between x and y.

        Parameters
        ----------
        x, y : array_like
            Points at which to evaluate. With `y`, which a continuous variable takes only, the
            probability is that of more than `x` and at most `y`, and negative where `y` is less.
        method : None, optional
            Accepted for compatibility; there is one way to compute each result.

        Returns
        -------
        ndarray
            Probabilities.
        """
        if y is not None:
            return self._of_two("cdf", x, y, False, method)
        return self._at("cdf", lambda x: self._tail(x, False), x, method)

    @documented_as(cdf)
    def ccdf(self, x, y=None, /, *, method=None) -> ndarray:
        """Evaluate the complement of `cdf`, without its cancellation.

        Returns
        -------
        ndarray
            1 less what `cdf` returns.
        """
        if y is not None:
            return self._of_two("ccdf", x, y, True, method)
        return self._at("ccdf", lambda x: self._tail(x, True), x, method)

    @documented_as(cdf)
    def logcdf(self, x, y=None, /, *, method=None) -> ndarray:
        """Evaluate the logarithm of `cdf`.

        Returns
        -------
        ndarray
            Logarithms; complex numbers with `y`.
        """
        if y is not None:
            return log(_complex(self._of_two("logcdf", x, y, False, method)))
        return self._at("logcdf", lambda x: self._log_tail(x, False), x, method)

    @documented_as(cdf)
    def logccdf(self, x, y=None, /, *, method=None) -> ndarray:
        """Evaluate the logarithm of `ccdf`.

        Returns
        -------
        ndarray
            Logarithms.
        """
        if y is not None:
            return log(self._of_two("logccdf", x, y, True, method))
        return self._at("logccdf", lambda x: self._log_tail(x, True), x, method)

    def icdf(self, p, /, *, method=None) -> ndarray:
        """Evaluate the inverse of `cdf`.

        Parameters
        ----------
        p : array_like
            Probabilities, or their logarithms for the methods that say so.
        method : None, optional
            Accepted for compatibility; there is one way to compute each result.

        Returns
        -------
        ndarray
            Quantiles; NaN for what is no probability.
        """
        return self._at("icdf", lambda p: self._quantile(p, False), p, method)

    @documented_as(icdf)
    def iccdf(self, p, /, *, method=None) -> ndarray:
        """Evaluate the inverse of `ccdf`."""
        return self._at("iccdf", lambda p: self._quantile(p, True), p, method)

    @documented_as(icdf)
    def ilogcdf(self, p, /, *, method=None) -> ndarray:
        """Evaluate the inverse of `logcdf`, to the digits of the probability."""
        return self._at("ilogcdf", lambda p: self._log_quantile(p, False), p, method)

    @documented_as(icdf)
    def ilogccdf(self, p, /, *, method=None) -> ndarray:
        """Evaluate the inverse of `logccdf`, to the digits of the probability."""
        return self._at("ilogccdf", lambda p: self._log_quantile(p, True), p, method)

    def _log_quantile(self, p: ndarray, upper: bool) -> Any:
        """The quantile of the logarithm of a probability, by the shorter tail."""
        own, other = self._quantile(exp(p), upper), self._quantile(-expm1(p), not upper)
        return where(p > -math.log(2), other, own)

    def median(self, *, method=None) -> ndarray:
        """Return the median.

        Parameters
        ----------
        method : None, optional
            Accepted for compatibility; there is one way to compute each result.

        Returns
        -------
        ndarray
            A number for each set of parameters.
        """
        return self._of(lambda: self._quantile(asarray(0.5), False), method)

    @documented_as(median)
    def mode(self, *, method=None) -> ndarray:
        """Return the number where density or probability is largest."""
        return self._of(self._most_likely, method)

    @documented_as(median)
    def mean(self, *, method=None) -> ndarray:
        """Return the expected value."""
        return self._of(lambda: self._raw(1), method)

    @documented_as(median)
    def variance(self, *, method=None) -> ndarray:
        """Return the variance."""
        return self._of(lambda: self._central(2), method)

    @documented_as(median)
    def standard_deviation(self, *, method=None) -> ndarray:
        """Return the standard deviation."""
        return self._of(lambda: sqrt(self._central(2)), method)

    @documented_as(median)
    def skewness(self, *, method=None) -> ndarray:
        """Return the third standardized moment."""
        return self._of(lambda: self._standardized(3), method)

    @documented_as(median)
    def kurtosis(self, *, method=None, convention="non-excess") -> ndarray:
        """Return the fourth standardized moment.

        Parameters
        ----------
        convention : {'non-excess', 'excess'}, optional
            If 'excess', 3 is subtracted, the number of the normal distribution.
        """
        if convention not in ("non-excess", "excess"):
            raise ValueError(
                f"Parameter `convention` of `{type(self).__name__}.kurtosis` must be one of"
                f" {{'excess', 'non-excess'}}, got {shown(convention)}."
            )
        less = 3.0 if convention == "excess" else 0.0
        return self._of(lambda: self._standardized(4) - less, method)

    def moment(self, order=1, kind="raw", *, method=None) -> ndarray:
        """Return a moment.

        Parameters
        ----------
        order : int, optional
            Exponent of the power, which must not be negative.
        kind : {'raw', 'central', 'standardized'}, optional
            Whether powers are of the variable, of its difference from the mean, or of that divided
            by the standard deviation.
        method : None, optional
            Accepted for compatibility; there is one way to compute each result.

        Returns
        -------
        ndarray
            A number for each set of parameters.
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
        if kind not in _KINDS:
            raise ValueError(f"Argument `kind` of `{name}.moment` must be one of {set(_KINDS)}.")
        if whole == 0 or (whole == 1 and kind != "raw"):
            return self._of(lambda: self._constant(0.0 if whole else 1.0), method)
        if whole == 2 and kind == "standardized":
            return self._of(lambda: self._constant(1.0), method)
        return self._of(lambda: getattr(self, f"_{kind}")(whole), method)

    @documented_as(median)
    def entropy(self, *, method=None) -> ndarray:
        """Return the entropy in nats, differential for a continuous variable."""
        return self._of(self._information, method)

    @documented_as(median)
    def logentropy(self, *, method=None) -> ndarray:
        """Return the logarithm of the entropy, a complex number."""
        return log(_complex(self.entropy(method=method)))

    def sample(self, shape=(), *, method=None, rng=None) -> ndarray:
        """Draw samples.

        Parameters
        ----------
        shape : int or tuple of int, optional
            Shape of the samples, before the axes of the parameters.
        method : None, optional
            Accepted for compatibility; there is one way to draw.
        rng : None, int, Generator or RandomState, optional
            Source of the random numbers: those of a seed are not SciPy's.

        Returns
        -------
        ndarray
            Samples of the type of the parameters.
        """
        self._refuse_method(method)
        drawn = self._draw(source_of(rng), (*shape_tuple(shape), *self._shape))
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


def _complex(value: ndarray) -> ndarray:
    return value.astype(np.result_type(value.dtype, np.complex64))


def _without_nan(value: ndarray) -> ndarray:
    return where(value == value, value, -math.inf)


def _taken(x: ndarray, index: ndarray) -> ndarray:
    """Elements along the first axis, of which there is an index for each other place."""
    return take_along_axis(x, index[None], axis=0)[0]

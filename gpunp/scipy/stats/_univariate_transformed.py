"""Random variables made of others: sums and products with numbers, functions, truncation, ranks."""

import math
from typing import Any, ClassVar

import numpy as np

from ..._core._convert import as_array, as_host, shown
from ..._core.multiarray import asarray, ndarray, where
from ..._core.umath import absolute, expm1, log1p, logaddexp, maximum, minimum, power, sign
from ..._core.umath import exp as um_exp
from ..._core.umath import floor as um_floor
from ..._core.umath import log as um_log
from ..special import betainc, betaincc, betainccinv, betaincinv, betaln
from ._univariate import RandomVariable, real_parameter, shown_parameter
from ._univariate_ways import QUANTILES, TAILS, inverted

__all__ = ["Variable", "abs", "exp", "log", "order_statistic", "truncate"]


_DENSITIES = ("pdf", "logpdf", "pmf", "logpmf")
_OF_NUMBERS = {*_DENSITIES, *TAILS, *QUANTILES, "sample"}


class Variable(RandomVariable):
    """A random variable with which one computes."""

    def __add__(self, loc: Any) -> "Variable":
        return ShiftedScaled(self, loc=loc)

    __radd__ = __add__

    def __sub__(self, loc: Any) -> "Variable":
        return ShiftedScaled(self, loc=-real_parameter("loc", loc))

    def __rsub__(self, loc: Any) -> "Variable":
        return (self * -1) + loc

    def __mul__(self, scale: Any) -> "Variable":
        return ShiftedScaled(self, scale=scale)

    __rmul__ = __mul__

    def __truediv__(self, scale: Any) -> "Variable":
        return ShiftedScaled(self, scale=1 / real_parameter("scale", scale))

    def __neg__(self) -> "Variable":
        return self * -1

    def __abs__(self) -> "Variable":
        return Folded(self)

    def __pow__(self, other: Any) -> "Variable":
        if not _is_number(other) or other <= 0 or other != int(other):
            raise NotImplementedError(
                f"the exponent of a random variable must be a positive integer, got {shown(other)}"
            )
        maps = (
            lambda u: power(u, float(other)),
            lambda u: sign(u) * absolute(u) ** (1 / other),
            lambda u: absolute(u) ** (1 / other - 1) / other,
        )
        variable = Folded(self) if other % 2 == 0 else self
        return Function(variable, maps, True, lambda write: f"({write(self)})**{write(other)}")

    def __rpow__(self, other: Any) -> "Variable":
        if not _is_number(other) or other <= 0 or other == 1:
            raise NotImplementedError(
                "the base of a random exponent must be a positive number other than 1, got"
                f" {shown(other)}"
            )
        base = float(other)
        maps = (
            lambda u: power(base, u),
            lambda u: um_log(u) / math.log(base),
            lambda u: 1 / absolute(u * math.log(base)),
        )
        return Function(self, maps, base > 1, lambda write: f"{write(other)}**({write(self)})")

    def __rtruediv__(self, other: Any) -> "Variable":
        """A number over the variable; reads the support."""
        low, high = (end.get() for end in self.support())
        if not ((low >= 0).all() or (high <= 0).all()):
            raise NotImplementedError(
                "a divisor must be a random variable whose support has no numbers of both signs"
            )
        maps = lambda u: 1 / u, lambda u: 1 / u, lambda u: 1 / u**2
        found = Function(self, maps, False, lambda write: f"{write(other)}/({write(self)})")
        return found if _is_number(other) and other == 1 else found * other


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


class Transformed(Variable):
    """A random variable made of another one, whose parameters it has as well."""

    def __init__(self, variable: Any, **parameters: Any):
        super().__init__()
        if not isinstance(variable, Variable) or variable._discrete:
            raise NotImplementedError(
                f"variable must be a continuous random variable, got {shown(variable)}"
            )
        if set(parameters) & set(variable._parameters):
            raise ValueError(
                f"One or more of the parameters of {variable} has the same name as a parameter of"
                f" {type(self).__name__}, {', '.join(parameters)}: names must differ."
            )
        self._variable, self._shape = variable, variable._shape
        self._dtype, self._of_parameters = variable._dtype, variable._of_parameters
        self._parameters = variable._parameters
        self._hold(**parameters)

    def _double(self, name: str) -> ndarray:
        return self._parameters[name].astype(np.float64)

    def _inside(self, x: Any, value: Any, below: Any, above: Any) -> Any:
        """A value within the support, or those beyond its ends."""
        low, high = self._ends()
        return where(x < low, below, where(x > high, above, value))

    def _words(self, write: Any) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        with np.printoptions(threshold=10):
            return self._words(repr)

    def __str__(self) -> str:
        with np.printoptions(threshold=10):
            return self._words(str)


# ---- location and scale --------------------------------------------------------------------------


class ShiftedScaled(Transformed):
    """A random variable times a number, which may be negative, plus a number."""

    def _has_formula(self, function: str, order: int = 0) -> bool:
        return self._variable._has_formula(function, order)

    def __init__(self, variable: Any, loc: Any = 0.0, scale: Any = 1.0):
        if isinstance(variable, ShiftedScaled):
            scale = real_parameter("scale", scale)
            loc = real_parameter("loc", loc) + scale * variable.loc
            variable, scale = variable._variable, scale * variable.scale
        super().__init__(variable, loc=loc, scale=scale)
        self._loc, self._scale = self._double("loc"), self._double("scale")

    def _moved(self, z: Any) -> Any:
        return z * self._scale + self._loc

    def _turned(self, function: Any, *args: Any) -> Any:
        """A function whose last argument says which tail; a negative factor exchanges them."""
        *first, upper = args
        return where(self._scale > 0, function(*first, upper), function(*first, not upper))

    def _ends(self) -> tuple[Any, Any]:
        low, high = (self._moved(end) for end in self._variable._ends())
        return where(self._scale > 0, low, high), where(self._scale > 0, high, low)

    def _placed(self, x: Any) -> Any:
        return (x - self._loc) / self._scale

    def _density(self, x: Any) -> Any:
        return self._variable._density(self._placed(x)) / absolute(self._scale)

    def _log_density(self, x: Any) -> Any:
        return self._variable._log_density(self._placed(x)) - um_log(absolute(self._scale))

    def _tail(self, x: Any, upper: bool) -> Any:
        return self._turned(self._variable._tail, self._placed(x), upper)

    def _log_tail(self, x: Any, upper: bool) -> Any:
        return self._turned(self._variable._log_tail, self._placed(x), upper)

    def _quantile(self, p: Any, upper: bool) -> Any:
        return self._moved(self._turned(self._variable._quantile, p, upper))

    def _log_quantile(self, p: Any, upper: bool) -> Any:
        return self._moved(self._turned(self._variable._log_quantile, p, upper))

    def _draw(self, source: Any, shape: tuple[int, ...]) -> Any:
        return self._moved(self._variable._draw(source, shape))

    def _expectation(self, function: Any, tol: float | None = None) -> Any:
        tol = self.tol if tol is None else tol
        return self._variable._expectation(lambda x: function(self._moved(x)), tol)

    def _raw(self, order: int) -> Any:
        total = self._loc**order
        for k in range(1, order + 1):
            moment = self._scale**k * self._variable._raw(k)
            total = total + math.comb(order, k) * self._loc ** (order - k) * moment
        return total

    def _central(self, order: int) -> Any:
        return self._scale**order * self._variable._central(order)

    def _standardized(self, order: int) -> Any:
        return sign(self._scale) ** order * self._variable._standardized(order)

    def _information(self) -> Any:
        return self._variable._information() + um_log(absolute(self._scale))

    def _most_likely(self) -> Any:
        return self._moved(self._variable._most_likely())

    def _words(self, write: Any) -> str:
        loc, scale = shown_parameter(self.loc), shown_parameter(self.scale)
        text = f"{write(scale)}*{write(self._variable)}"
        if not loc.ndim and loc < 0:
            return f"{text} - {write(-loc)}"
        return f"{text} + {write(loc)}" if loc.any() else text


# ---- monotonic functions and absolute values -----------------------------------------------------


class Function(Transformed):
    """A monotonic function of a random variable: the function, its inverse, and the slope of that,
    of which the logarithm may be known as well."""

    def __init__(self, variable: Any, maps: tuple[Any, ...], is_rising: bool, words: Any):
        super().__init__(variable)
        self._function, self._inverse, self._slope, *rest = maps
        self._log_slope = rest[0] if rest else lambda u: um_log(self._slope(u))
        self._is_rising, self._text = is_rising, words

    def _has_formula(self, function: str, order: int = 0) -> bool:
        return function in _OF_NUMBERS and self._variable._has_formula(function)

    def _words(self, write: Any) -> str:
        return self._text(write)

    def _ends(self) -> tuple[Any, Any]:
        low, high = self._variable._ends()
        ends = self._function(low), self._function(where(high == 0, -0.0, high))
        return ends if self._is_rising else ends[::-1]

    def _density(self, x: Any) -> Any:
        density = self._variable._density(self._inverse(x))
        value = where(
            density == 0, 0.0, density * self._slope(x)
        )  # at an end the slope is infinite
        return self._inside(x, value, 0.0, 0.0)

    def _log_density(self, x: Any) -> Any:
        density = self._variable._log_density(self._inverse(x))
        value = where(density == -math.inf, density, density + self._log_slope(x))
        return self._inside(x, value, -math.inf, -math.inf)

    def _tail(self, x: Any, upper: bool) -> Any:
        value = self._variable._tail(self._inverse(x), upper == self._is_rising)
        return self._inside(x, value, float(upper), float(not upper))

    def _log_tail(self, x: Any, upper: bool) -> Any:
        value = self._variable._log_tail(self._inverse(x), upper == self._is_rising)
        ends = (0.0, -math.inf) if upper else (-math.inf, 0.0)
        return self._inside(x, value, *ends)

    def _quantile(self, p: Any, upper: bool) -> Any:
        return self._function(self._variable._quantile(p, upper == self._is_rising))

    def _log_quantile(self, p: Any, upper: bool) -> Any:
        return self._function(self._variable._log_quantile(p, upper == self._is_rising))

    def _draw(self, source: Any, shape: tuple[int, ...]) -> Any:
        return self._function(self._variable._draw(source, shape))

    def _expectation(self, function: Any, tol: float | None = None) -> Any:
        tol = self.tol if tol is None else tol
        return self._variable._expectation(lambda x: function(self._function(x)), tol)


class Folded(Transformed):
    """The absolute value of a random variable."""

    _formulas = frozenset({*_DENSITIES, *TAILS, "sample"})
    _names_of_formulas: ClassVar = {
        name: ("subtraction", "addition") if "cc" not in name else ("addition",) for name in TAILS
    }

    def _ends(self) -> tuple[Any, Any]:
        low, high = self._variable._ends()
        return maximum(maximum(low, -high), 0.0), maximum(-low, high)

    def _density(self, x: Any) -> Any:
        value = self._variable._density(x) + self._variable._density(-x)
        return self._inside(x, value, 0.0, 0.0)

    def _tail(self, x: Any, upper: bool) -> Any:
        size = absolute(x)
        if upper:
            value = self._variable._tail(-size, False) + self._variable._tail(size, True)
        else:
            value = self._variable._between(-size, size)
        return self._inside(x, value, float(upper), float(not upper))

    def _quantile(self, p: Any, upper: bool) -> Any:
        low, high = self._ends()
        above = p if upper else 1 - p
        reach = self._variable._quantile(above / 2, True)
        reach = maximum(reach, -self._variable._quantile(above / 2, False))
        return inverted(self, p, upper, low, minimum(reach, high))

    def _draw(self, source: Any, shape: tuple[int, ...]) -> Any:
        return absolute(self._variable._draw(source, shape))

    def _halves(self) -> Any:
        zero = asarray(0.0)  # quantiles are on one side of it
        return self._variable._tail(zero, False), self._variable._tail(zero, True)

    def _quantile_of_half(self, p: Any, upper: bool) -> Any:
        return absolute(self._variable._quantile(p, upper))

    def _words(self, write: Any) -> str:
        return f"abs({write(self._variable)})"


# ---- truncation and ranks ------------------------------------------------------------------------


class Truncated(Transformed):
    """A random variable, given that it lies between two numbers."""

    _formulas = frozenset({*_DENSITIES, *TAILS, *QUANTILES})
    _names_of_formulas: ClassVar = {"logcdf": ("subtraction",), "logccdf": ("subtraction",)}

    def __init__(self, variable: Any, lb: Any, ub: Any):
        super().__init__(variable, lb=lb, ub=ub)
        lower, upper = self._double("lb"), self._double("ub")
        low, high = variable._ends()
        valid = lower < upper
        self._low = where(valid, maximum(low, lower), np.nan)
        self._high = where(valid, minimum(high, upper), np.nan)
        self._mass = variable._between(self._low, self._high)

    def _ends(self) -> tuple[Any, Any]:
        return self._low, self._high

    def _density(self, x: Any) -> Any:
        return self._inside(x, self._variable._density(x) / self._mass, 0.0, 0.0)

    def _log_density(self, x: Any) -> Any:
        value = self._variable._log_density(x) - um_log(self._mass)
        return self._inside(x, value, -math.inf, -math.inf)

    def _tail(self, x: Any, upper: bool) -> Any:
        x = self._inside(x, x, self._low, self._high)
        ends = (x, self._high) if upper else (self._low, x)
        return minimum(self._variable._between(*ends) / self._mass, 1.0)

    def _quantile(self, p: Any, upper: bool) -> Any:
        of = self._variable
        below, above = (1 - p, p) if upper else (p, 1 - p)
        lower = of._tail(self._low, False) + below * self._mass
        higher = of._tail(self._high, True) + above * self._mass
        x = where(lower > higher, of._quantile(higher, True), of._quantile(lower, False))
        x = self._inside(x, x, self._low, self._high)
        return where((p >= 0) & (p <= 1), x, np.nan)

    def _log_quantile(self, p: Any, upper: bool) -> Any:
        of, mass = self._variable, um_log(self._mass)
        rest = where(p > -math.log(2), um_log(-expm1(p)), log1p(-um_exp(p)))
        below, above = (rest, p) if upper else (p, rest)
        lower = logaddexp(of._log_tail(self._low, False), below + mass)
        higher = logaddexp(of._log_tail(self._high, True), above + mass)
        x = where(lower > higher, of._log_quantile(higher, True), of._log_quantile(lower, False))
        return where(p <= 0, self._inside(x, x, self._low, self._high), np.nan)

    def _words(self, write: Any) -> str:
        lower, upper = shown_parameter(self.lb), shown_parameter(self.ub)
        return f"truncate({write(self._variable)}, lb={write(lower)}, ub={write(upper)})"


class OrderStatistic(Transformed):
    """The r-th smallest of n independent random variables with one distribution."""

    _formulas = frozenset({*_DENSITIES, "cdf", "ccdf", "icdf", "iccdf"})

    def __init__(self, variable: Any, r: Any, n: Any):
        super().__init__(variable, r=r, n=n)
        r, n = self._double("r"), self._double("n")
        valid = (r >= 1) & (r <= n) & (um_floor(r) == r) & (um_floor(n) == n)
        self._rank, self._rest = where(valid, r, np.nan), where(valid, n - r + 1, np.nan)

    def _ends(self) -> tuple[Any, Any]:
        low, high = self._variable._ends()
        return low + 0 * self._rank, high + 0 * self._rank

    def _log_density(self, x: Any) -> Any:
        of = self._variable
        below, above = of._log_tail(x, False), of._log_tail(x, True)
        powers = [where(k == 1, 0.0, (k - 1) * t) for k, t in
                  ((self._rank, below), (self._rest, above))]  # fmt: skip
        return of._log_density(x) + powers[0] + powers[1] - betaln(self._rank, self._rest)

    def _tail(self, x: Any, upper: bool) -> Any:
        below, above = self._variable._tail(x, False), self._variable._tail(x, True)
        first, second = (betaincc, betainc) if upper else (betainc, betaincc)
        left = first(self._rank, self._rest, below)
        return where(below <= above, left, second(self._rest, self._rank, above))

    def _quantile(self, p: Any, upper: bool) -> Any:
        first, second = (betainccinv, betaincinv) if upper else (betaincinv, betainccinv)
        below, above = first(self._rank, self._rest, p), second(self._rest, self._rank, p)
        left, right = self._variable._quantile(below, False), self._variable._quantile(above, True)
        return where(below <= above, left, right)

    def _words(self, write: Any) -> str:
        r, n = shown_parameter(self.r), shown_parameter(self.n)
        return f"order_statistic({write(self._variable)}, r={write(r)}, n={write(n)})"


# ---- functions -----------------------------------------------------------------------------------


def truncate(X, lb=-math.inf, ub=math.inf) -> Variable:
    """Return a random variable, given that it lies between two numbers.

    Parameters
    ----------
    X : object
        Continuous random variable to truncate.
    lb, ub : float or array_like, optional
        Lower and upper end of its new support.

    Returns
    -------
    object
        The truncated variable; its functions are NaN unless `lb` is less than `ub`.

    Examples
    --------
    >>> from gpunp.scipy import stats
    >>> stats.truncate(stats.Normal(), lb=0).support()
    (array(0.), array(inf))
    """
    return Truncated(X, lb, ub)


def order_statistic(X, /, *, r, n) -> Variable:
    """Return the r-th smallest of n independent random variables.

    Parameters
    ----------
    X : object
        Continuous random variable, whose distribution all of them have.
    r, n : int or array_like of int
        Rank, from 1 for the smallest, and how many there are.

    Returns
    -------
    object
        The order statistic; its functions are NaN where the rank exceeds the number.

    Raises
    ------
    ValueError
        If a number of the host is negative or not whole. Those of the device are not read.
    """
    for value in (r, n):
        if not isinstance(value, ndarray):
            host = as_host(value, np.float64)
            if ((host != np.floor(host)) | (host < 0)).any():
                raise ValueError(
                    f"`r` and `n` must contain only positive integers, got {shown(value)}."
                )
    return OrderStatistic(X, r, n)


def abs(X, /) -> Variable:
    """Return the absolute value of a random variable.

    Parameters
    ----------
    X : object
        Continuous random variable to transform.

    Returns
    -------
    object
        Its absolute value, of which quantiles are found by bisection.
    """
    return Folded(X)


def exp(X, /) -> Variable:
    """Return the exponential of a random variable.

    Parameters
    ----------
    X : object
        Continuous random variable to transform.

    Returns
    -------
    object
        Its natural exponential.
    """
    maps = um_exp, um_log, lambda u: 1 / u, lambda u: -um_log(u)
    return Function(X, maps, True, lambda write: f"exp({write(X)})")


def log(X, /) -> Variable:
    """Return the natural logarithm of a random variable; reads its support.

    Parameters
    ----------
    X : object
        Continuous random variable that is never negative.

    Returns
    -------
    object
        Its natural logarithm.

    Raises
    ------
    NotImplementedError
        If the variable may be negative.
    """
    if isinstance(X, Variable) and bool((X.support()[0] < 0).any()):
        raise NotImplementedError(
            "the logarithm needs a random variable whose support has no negative numbers"
        )
    maps = um_log, um_exp, um_exp, as_array
    return Function(X, maps, True, lambda write: f"log({write(X)})")

"""Base class of a user's distributions on whole numbers, and distributions of given values."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core.fromnumeric import argsort, searchsorted, take
from ..._core.multiarray import arange, ndarray, where, zeros
from ..._core.reductions import cumsum, sum
from ..special import entr
from ._distn_infrastructure import Discrete
from ._distn_integrals import flat
from ._distn_user import FLOOR, HIGH, LOW, WHOLE, UserDistribution, rules

__all__ = ["rv_discrete"]

_PIECE = 1 << 20  # probabilities at once
_MOST = 1 << 24  # numbers that a sum takes at most


class _KindOfDiscrete(type):
    """Makes `isinstance(poisson, rv_discrete)` true, as poisson is of another class."""

    def __instancecheck__(cls, instance: Any) -> bool:
        known = cls is rv_discrete and isinstance(instance, Discrete)
        return known or super().__instancecheck__(instance)


class rv_discrete(UserDistribution, Discrete, metaclass=_KindOfDiscrete):
    """Base class of distributions on whole numbers, for distributions of one's own.

    A subclass has one of the methods `_pmf`, `_logpmf` and `_cdf`, functions of a vector of the
    device and of vectors of the shape parameters. It may have `_logcdf`, `_sf`, `_logsf`, `_ppf`,
    `_isf`, `_stats`, `_munp`, `_entropy`, `_rvs`, `_argcheck` and `_get_support` as well. With
    `values`, the class itself makes a distribution of these values.

    Parameters
    ----------
    a, b : int, optional
        Lower and upper end of the support, by default 0 and none.
    name : str, optional
        Name of the distribution, by default "Distribution".
    badvalue : float, optional
        Value of results for invalid arguments, by default NaN.
    moment_tol : float, optional
        Accepted for compatibility: sums go on until terms no longer count.
    values : tuple of two array_like, optional
        Numbers `xk` and their probabilities `pk`, of which arrays of the device are read to be
        checked; the numbers may be any.
    inc : int, optional
        Step of the numbers, which must be 1.
    longname : str, optional
        A longer name for descriptions.
    shapes : str, optional
        Names of the shape parameters; by default they are those of the methods.
    seed : None, int, Generator or RandomState, optional
        Source of random numbers of `rvs`.

    Notes
    -----
    Probabilities that are not given are sums from the lower end of the support, for numbers of the
    host as parameters one running sum for all points. Such sums, and quantiles by halving, read at
    each step whether they are done.

    Examples
    --------
    >>> import gpunp as cp
    >>> die = cp.scipy.stats.rv_discrete(values=([1, 2, 6], [0.5, 0.25, 0.25]))
    >>> die.cdf([1, 3, 6]), die.mean()
    (array([0.5 , 0.75, 1.  ]), array(2.5))
    """

    def __new__(
        cls, a=0, b=math.inf, name=None, badvalue=None, moment_tol=1e-8, values=None, inc=1,
        longname=None, shapes=None, seed=None,
    ):  # fmt: skip
        return super().__new__(_Sample if cls is rv_discrete and values is not None else cls)

    _formulas = ("_pmf", "_logpmf", "_cdf", "_logcdf", "_sf", "_logsf", "_ppf", "_isf")
    _rules = rules("pmf", (0.0, 1.0, LOW | HIGH | WHOLE), LOW | FLOOR)
    _before = 1

    def __init__(
        self, a=0, b=math.inf, name=None, badvalue=None, moment_tol=1e-8, values=None, inc=1,
        longname=None, shapes=None, seed=None,
    ) -> None:  # fmt: skip
        if inc != 1:
            raise ValueError(f"inc must be 1, got {inc!r}")
        self.moment_tol, self.inc, self.a, self.b = moment_tol, inc, a, b
        self._prepare(name, longname, shapes, seed, badvalue)

    def _formula(self, method: str, z: ndarray, shapes: tuple, args: Any, kwds: Any) -> Any:
        # Of parameters that are numbers the formula takes one element each: one running sum then
        # serves all points.
        is_host = not any(isinstance(v, ndarray) for v in self._numbers(args, kwds)[: self.numargs])
        if is_host and not self._has("_cdf"):
            shapes = tuple(v[:1] for v in shapes)
        return getattr(self, f"_{method}")(z, *shapes)

    # ---- what follows from the user's formulas ---------------------------------------------------

    def _nonzero(self, k: Any, *args: Any) -> Any:
        return um.floor(k) == k

    def _pmf(self, k: Any, *args: Any) -> Any:
        if self._has("_logpmf"):
            return um.exp(self._logpmf(k, *args))
        return self._cdf(k, *args) - self._cdf(k - 1, *args)

    def _logpmf(self, k: Any, *args: Any) -> Any:
        return um.log(self._pmf(k, *args))

    def _cdf(self, k: Any, *args: Any) -> Any:
        if self._has("_sf"):
            return 1.0 - self._sf(k, *args)
        if self._has("_logcdf"):
            return um.exp(self._logcdf(k, *args))
        if not (self._has("_pmf") or self._has("_logpmf")):
            raise NotImplementedError("one of _pmf, _logpmf, _cdf, _logcdf and _sf must be given")
        return self._summed(k, args)

    def _sf(self, k: Any, *args: Any) -> Any:
        return 1.0 - self._cdf(k, *args)

    def _logcdf(self, k: Any, *args: Any) -> Any:
        return um.log(self._cdf(k, *args))

    def _logsf(self, k: Any, *args: Any) -> Any:
        return um.log(self._sf(k, *args))

    def _first(self, args: tuple) -> ndarray:
        """Lower ends of the support, which must be finite."""
        low = flat(self._get_support(*args)[0], args[0].size if args else 1)
        if bool((low == -math.inf).any()):
            raise OverflowError(f"{self.name} has no lower end from which to sum: give it a _cdf")
        return low

    def _summed(self, k: ndarray, args: tuple) -> ndarray:
        """Sums of probabilities from the lower end of the support to k."""
        if not k.size:
            return k
        low = self._first(args)
        most = int(float((k - low).max()))
        if most >= _MOST:
            raise ValueError(f"sums of {most} probabilities are too long: give {self.name} a _cdf")
        if low.size == 1:
            return self._from_running_sum(k, low, most, args)
        rows, total = max(1, _PIECE // low.size), zeros(low.size)
        for start in range(0, most + 1, rows):
            steps = arange(start, min(start + rows, most + 1), dtype=np.float64)[:, None]
            at = steps + low
            given = (flat(v + zeros(at.shape), at.size) for v in args)
            p = flat(self._pmf(at.reshape(-1), *given), at.size).reshape(at.shape)
            total = total + sum(where(at <= k, p, 0.0), axis=0)
        return um.minimum(total, 1.0)

    def _from_running_sum(self, k: ndarray, low: ndarray, most: int, args: tuple) -> ndarray:
        """The same for one set of parameters."""
        at = arange(most + 1, dtype=np.float64) + low
        p = flat(self._pmf(at, *(flat(v, at.size) for v in args)), at.size)
        return take(um.minimum(cumsum(p), 1.0), (k - low).astype(np.int64), mode="clip")

    def _ppf(self, q: Any, *args: Any) -> Any:
        if self._has("_isf"):
            return self._isf(1.0 - q, *args)
        return self._least(lambda k: self._cdf(k, *args) >= q, q.size, args)

    def _isf(self, q: Any, *args: Any) -> Any:
        if self._has("_ppf"):
            return self._ppf(1.0 - q, *args)
        return self._least(lambda k: self._sf(k, *args) <= q, q.size, args)

    def _least(self, is_reached: Callable[[Any], Any], size: int, args: tuple) -> ndarray:
        """The least numbers that are reached: steps that double, then halving."""
        low, high = (flat(end, size) for end in self._get_support(*args))
        is_bounded = low > -math.inf
        start = where(is_bounded, low - 1, -1.0)

        def reached(k: Any) -> Any:
            inside = um.maximum(um.minimum(k, high), where(is_bounded, low, k))
            return (k >= high) | ((k >= low) & is_reached(inside))

        down = ~is_bounded & reached(start)
        below = above = start
        step = 1.0
        while step < 1e300:
            goes_down = down & reached(below)
            goes_up = ~down & ~reached(above)
            if not bool((goes_down | goes_up).any()):
                break
            above, below = (
                where(goes_down, below, where(goes_up, above + step, above)),
                where(goes_down, below - step, where(goes_up, above, below)),
            )
            step *= 2
        while bool((above - below > 1).any()):
            middle = um.floor(0.5 * (below + above))
            is_there, is_wide = reached(middle), above - below > 1
            above = where(is_wide & is_there, middle, above)
            below = where(is_wide & ~is_there, middle, below)
        return um.minimum(above, high)

    def _sum_over(self, function: Callable[..., Any], args: tuple, low: Any, high: Any) -> ndarray:
        """The sums of function(k, p) over the numbers from low to high, p their probabilities."""
        size = args[0].size if args else 1
        low, high = flat(low, size), flat(high, size)
        start = where(low > -math.inf, low, where(high < 0, high, 0.0))
        total = zeros(size)
        for sign in (1.0, -1.0):
            done, length, mass = 0, 64, zeros(size)
            while done < _MOST:
                steps = arange(done, done + length, dtype=np.float64)[:, None]
                k = start + sign * (steps if sign > 0 else steps + 1)
                given = (flat(v + zeros(k.shape), k.size) for v in args)
                inside = (k >= low) & (k <= high)
                p = flat(self._pmf(k.reshape(-1), *given), k.size).reshape(k.shape)
                p = where(inside & (p > 0), p, 0.0)
                terms = where(p > 0, function(k, p), 0.0)
                total, mass = total + sum(terms, axis=0), mass + sum(p, axis=0)
                last = abs(terms[-1]) * length
                is_done = (sign * (k[-1] - (high if sign > 0 else low)) >= 0) | (
                    (last <= 1e-17 * abs(total)) & (p[-1] < 1e-14) & ((mass > 0.1) | (done > 4096))
                )
                if bool(is_done.all()):
                    break
                done, length = done + length, min(2 * length, max(64, _PIECE // size))
        return total

    def _munp(self, n: Any, *args: Any) -> Any:
        return self._sum_over(lambda k, p: k**n * p, args, *self._get_support(*args))

    def _entropy(self, *args: Any) -> Any:
        return self._sum_over(lambda k, p: entr(p), args, *self._get_support(*args))

    def _sample(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        return super()._sample(source, shape, numbers).astype(np.int64)

    def _expected(self, function: Any, given: Any, bounds: Any, conditional: bool) -> ndarray:
        loc = given["loc"]
        shapes = tuple(flat(given[name], 1) for name in self._names[: self.numargs])
        low, high = (flat(end, 1) for end in self._get_support(*shapes))
        low = low if bounds[0] is None else um.maximum(low, float(bounds[0]) - loc)
        high = high if bounds[1] is None else um.minimum(high, float(bounds[1]) - loc)
        total = self._sum_over(lambda k, p: function(k + loc) * p, shapes, low, high)
        if conditional:
            total = total / self._sum_over(lambda k, p: p, shapes, low, high)
        return total.reshape(())


rv_discrete._own = rv_discrete


class _Sample(rv_discrete):
    """The distribution of given numbers with given probabilities."""

    _rules = rules("pmf", (0.0, 1.0, LOW | HIGH), LOW)

    def __init__(
        self, a=0, b=math.inf, name=None, badvalue=None, moment_tol=1e-8, values=None, inc=1,
        longname=None, shapes=None, seed=None,
    ) -> None:  # fmt: skip
        xk, pk = values
        xk, pk = as_array(xk), as_array(pk)
        if xk.shape != pk.shape:
            raise ValueError("xk and pk must have the same shape.")
        xk, pk = xk.reshape(-1), pk.reshape(-1).astype(np.float64)
        order = argsort(xk)
        self.xk, self.pk = take(xk, order), take(pk, order)
        if bool((pk < 0).any()):
            raise ValueError("All elements of pk must be non-negative.")
        if not math.isclose(float(sum(pk)), 1.0, rel_tol=1e-5, abs_tol=1e-8):
            raise ValueError("The sum of provided pk is not 1.")
        if bool((self.xk[1:] == self.xk[:-1]).any()):
            raise ValueError("xk may not contain duplicate values.")
        self.qvals = cumsum(self.pk)
        ends = [float(end) for end in self.xk[:: max(1, self.xk.size - 1)].get()]
        super().__init__(
            ends[0], ends[-1], name, badvalue, moment_tol, None, inc, longname, "", seed
        )

    def _place(self, x: Any) -> tuple[ndarray, ndarray]:
        """How many numbers are at most x, and that of the last of them."""
        count = searchsorted(self.xk.astype(np.float64), x, side="right")
        return count, um.maximum(count - 1, 0)

    def _pmf(self, x: Any, *args: Any) -> Any:
        count, place = self._place(x)
        return where((count > 0) & (take(self.xk, place) == x), take(self.pk, place), 0.0)

    def _cdf(self, x: Any, *args: Any) -> Any:
        count, place = self._place(x)
        return where(count > 0, take(self.qvals, place), 0.0)

    def _ppf(self, q: Any, *args: Any) -> Any:
        place = searchsorted(self.qvals, q, side="left")
        return take(self.xk, um.minimum(place, self.xk.size - 1))

    def _isf(self, q: Any, *args: Any) -> Any:
        return self._ppf(1.0 - q)

    def _sample(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        values = UserDistribution._sample(self, source, shape, numbers)
        is_whole = not isinstance(numbers[0], ndarray) and numbers[0] == 0.0
        return values.astype(self.xk.dtype) if is_whole else values

    def _rvs(self, *args: Any, size: Any = None, random_state: Any = None) -> ndarray:
        uniform = getattr(random_state, "random_sample", None) or random_state.random
        points = uniform(size)
        return self._ppf(points.reshape(-1)).reshape(points.shape)

    def _munp(self, n: Any, *args: Any) -> Any:
        return sum(self.xk.astype(np.float64) ** n * self.pk)

    def _entropy(self, *args: Any) -> Any:
        return sum(entr(self.pk))

    def _sum_over(self, function: Callable[..., Any], args: tuple, low: Any, high: Any) -> ndarray:
        x = self.xk.astype(np.float64)
        inside = (x >= low) & (x <= high)
        return sum(where(inside, function(x, self.pk), 0.0)).reshape(1)

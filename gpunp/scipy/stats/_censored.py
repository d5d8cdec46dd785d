"""Samples of which some values are only known to lie beyond or between others."""

import types
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.multiarray import concatenate, ndarray, zeros
from ..._core.raw import ReductionKernel
from ..._core.shape_base import stack
from ._axis import check_alternative, normal_pvalue, real

__all__ = ["CensoredData", "logrank"]


@dataclass(eq=False)
class LogRankResult:
    """Statistic and p-value of a test of two samples of lifetimes."""

    statistic: ndarray
    pvalue: ndarray


def _values(x: Any, name: str, is_finite: bool = True) -> ndarray:
    """A vector of the sample, which is checked, as the user may have given it wrong."""
    if x is None:
        return zeros(0)
    x = real(x, name)
    if x.ndim != 1:
        raise ValueError(f"`{name}` must be a one-dimensional sequence.")
    is_good = um.isfinite(x) if is_finite else x == x
    if not bool(is_good.all()):
        has_nan = bool(um.isnan(x).any())
        wanted = "not contain nan" if has_nan else "contain only finite values"
        raise ValueError(f"`{name}` must {wanted}.")
    return x


def _ends(interval: Any) -> tuple[ndarray, ndarray]:
    """Ends of intervals, which are checked."""
    x = zeros((0, 2)) if interval is None else real(interval, "interval")
    x = x.reshape(0, 2) if x.shape == (0,) else x
    if x.ndim != 2 or x.shape[1] != 2:
        raise ValueError(
            "`interval` must be a two-dimensional array with shape (m, 2), where m is the number of"
            f" interval-censored values, but got shape {x.shape}"
        )
    if bool(um.isnan(x).any()):
        raise ValueError("`interval` must not contain nan.")
    if bool(um.isinf(x).all(axis=1).any()):
        raise ValueError("In each row in `interval`, both values must not be infinite.")
    low, high = x[:, 0], x[:, 1]
    if bool((low > high).any()):
        raise ValueError(
            "In each row of `interval`, the left value must not exceed the right value."
        )
    return low, high


class CensoredData:
    """A sample with censored values.

    What is given is checked, for which arrays of the device are read.

    Parameters
    ----------
    uncensored : array_like, optional
        Values that are known.
    left : array_like, optional
        Numbers below or at which a value lies, one for each left-censored value.
    right : array_like, optional
        Numbers above or at which a value lies, one for each right-censored value.
    interval : array_like, optional
        Ends of intervals, an array of shape (m, 2), in which values lie. One end may be infinite,
        and equal ends are a value that is known.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.stats import CensoredData, expon
    >>> lifetimes = CensoredData(uncensored=cp.array([2.0, 3.0, 7.0]), right=cp.array([8.0, 8.0]))
    >>> print(lifetimes)
    CensoredData(5 values: 3 not censored, 2 right-censored)
    >>> expon.fit(lifetimes, floc=0)[1].__round__(3)
    9.333
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, uncensored=None, *, left=None, right=None, interval=None) -> None:
        self._uncensored = _values(uncensored, "uncensored")
        self._left, self._right = _values(left, "left"), _values(right, "right")
        self._interval = zeros((0, 2))
        if interval is not None:
            self._take_intervals(*_ends(interval))

    def _take_intervals(self, low: ndarray, high: ndarray) -> None:
        """Take intervals, of which some are points and some have one end."""
        is_known, is_left, is_right = low == high, low == -np.inf, high == np.inf
        rest = ~(is_known | is_left | is_right)
        self._uncensored = concatenate([self._uncensored, low[is_known]])
        self._left = concatenate([self._left, high[is_left]])
        self._right = concatenate([self._right, low[is_right]])
        self._interval = stack([low[rest], high[rest]], axis=1)

    def __len__(self) -> int:
        return self._uncensored.size + self.num_censored()

    def __repr__(self) -> str:
        names = ("uncensored", "left", "right", "interval")
        parts = ", ".join(f"{name}={getattr(self, f'_{name}')!r}" for name in names)
        return f"CensoredData({parts})"

    def __str__(self) -> str:
        counts = [
            (self._uncensored.size, "not censored"),
            (self._left.size, "left-censored"),
            (self._right.size, "right-censored"),
            (self._interval.shape[0], "interval-censored"),
        ]
        parts = [f"{n} {what}" for n, what in counts if n or what == "not censored"]
        return f"CensoredData({len(self)} values: {', '.join(parts)})"

    def num_censored(self) -> int:
        """Return the number of values that are censored.

        Returns
        -------
        int
            Number of limits and intervals together.
        """
        return self._left.size + self._right.size + self._interval.shape[0]

    def _uncensor(self) -> ndarray:
        """A sample for starting values: limits and middles of intervals instead of values."""
        middle = self._interval.mean(axis=1)
        return concatenate([self._uncensored, self._left, self._right, middle])

    @classmethod
    def _one_sided(cls, x: Any, censored: Any, side: str) -> "CensoredData":
        x, mask = _values(x, "x"), real(censored, "censored")
        if mask.ndim != 1:
            raise ValueError("`censored` must be one-dimensional.")
        if x.shape != mask.shape:
            raise ValueError("`x` and `censored` must have the same length.")
        is_censored = mask != 0
        known = {"uncensored": x[~is_censored], side: x[is_censored]}
        return cls(**known)

    @classmethod
    def right_censored(cls, x, censored) -> "CensoredData":
        """Return a sample of which some values are lower limits.

        Parameters
        ----------
        x : array_like
            Values and limits, of one dimension.
        censored : array_like of bool
            Which elements of `x` are limits.

        Returns
        -------
        CensoredData
            The sample of values and limits.
        """
        return cls._one_sided(x, censored, "right")

    @classmethod
    @documented_as(right_censored)
    def left_censored(cls, x, censored) -> "CensoredData":
        """Return a sample of which some values are upper limits."""
        return cls._one_sided(x, censored, "left")

    @classmethod
    @documented_as(right_censored)
    def interval_censored(cls, low, high) -> "CensoredData":
        """Return a sample of values that lie in intervals, some of which may be points.

        Parameters
        ----------
        low, high : array_like
            Ends of the intervals, one of which may be infinite. Equal ends are a value that is
            known.
        """
        low, high = _values(low, "low", False), _values(high, "high", False)
        if low.shape != high.shape:
            raise ValueError("`low` and `high` must have the same length.")
        return cls(interval=stack([low, high], axis=1))


def survival(data: Any, name: str) -> tuple[ndarray, ndarray]:
    """Known values in order, and all values in order with the limits from below."""
    if not isinstance(data, CensoredData):
        known = sort(_values(data, name))
        return known, known
    if data._left.size or data._interval.shape[0]:
        raise NotImplementedError(
            "Currently, only uncensored and right-censored data is supported."
        )
    return sort(data._uncensored), sort(concatenate([data._uncensored, data._right]))


# Number of elements of a sorted vector that are below a value, or at most equal to it.
BELOW = """
template <class A>
__device__ double below(const A &keys, const long long count, const double value, const bool equals)
{
    long long low = 0, high = count;
    while (low < high) {
        const long long middle = low + (high - low) / 2;
        const double key = keys[middle];
        if (equals ? key <= value : key < value) low = middle + 1;
        else high = middle;
    }
    return (double)low;
}
"""
# The expected number of events in the first sample, and its variance, of a time t: a share of them
# for each of the events at t. N. Mantel, Cancer Chemotherapy Reports 50, 1966.
_LOG_RANK = ReductionKernel(
    "float64 t, raw float64 events, raw float64 first, raw float64 second, int64 count, int64 m,"
    " int64 n",
    "complex128 y",
    "shares(events, first, second, count, m, n, t)",
    "a + b",
    "y = a",
    "complex<double>(0)",
    "log_rank_sums",
    reduce_type="complex<double>",
    preamble=BELOW + """
template <class A, class B, class C>
__device__ complex<double> shares(const A &events, const B &first, const C &second,
                                  const long long count, const long long m, const long long n,
                                  const double t)
{
    const double d = below(events, count, t, true) - below(events, count, t, false);
    const double one = m - below(first, m, t, false), two = n - below(second, n, t, false);
    const double all = one + two;
    const double var = all > 1 ? one * two * (all - d) / (all * all * (all - 1)) : 0;
    return complex<double>(one / all, var);
}
""",
)  # fmt: skip


def logrank(x, y, alternative="two-sided") -> LogRankResult:
    """Test whether two samples of lifetimes, some of them censored, have the same distribution.

    Samples are checked for NaN, which reads them.

    Parameters
    ----------
    x, y : array_like or CensoredData
        Samples of one dimension; values may be censored from the right.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the survival functions differ, or lifetimes of `x` are longer
        ('less', fewer events than expected) or shorter ('greater').

    Returns
    -------
    LogRankResult
        Object with attributes `statistic`, the events of `x` less those that are expected, divided
        by their standard deviation, and `pvalue`, by the normal distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.scipy.stats.logrank(cp.array([8.0, 12, 26, 14]), cp.array([33.0, 28, 41]))
    >>> result.statistic.round(4), result.pvalue.round(4)
    (array(2.3725), array(0.0177))
    """
    alternative = check_alternative(alternative)
    (known_x, all_x), (known_y, all_y) = survival(x, "x"), survival(y, "y")
    events = sort(concatenate([known_x, known_y]))
    found = _LOG_RANK(events, events, all_x, all_y, events.size, all_x.size, all_y.size)
    statistic = (known_x.size - found.real) / um.sqrt(found.imag)
    return LogRankResult(statistic, normal_pvalue(statistic, alternative))

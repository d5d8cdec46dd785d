"""Standard scores, entropy, trimmed means and the log-likelihood of a Box-Cox transform."""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, index_of_axis, normalize_axis_tuple, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.fusion import fuse
from ..._core.multiarray import arange, ndarray, where
from ..._core.numeric import moveaxis
from ..._core.raw import ReductionKernel
from ..._core.reductions import mean, std, sum
from ..._core.shape_base import atleast_1d
from ..._core.umath import isnan, mean_std, nanmean_nanstd
from ...lib._nanfunctions_impl import nanmean, nanstd
from ...lib._stride_tricks_impl import broadcast_arrays
from ..special import entr, rel_entr

__all__ = ["boxcox_llf", "entropy", "trim_mean", "zmap", "zscore"]


def _floating(x) -> ndarray:
    """An array of floating-point numbers: integers become float64."""
    x = as_array(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _sample(x) -> ndarray:
    """An array of floating-point numbers, with an axis at least."""
    return atleast_1d(_floating(x))


def _check_policy(nan_policy, *arrays):
    """Raise for an unknown policy, and for NaN if that is to be refused."""
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError(
            f"nan_policy must be 'propagate', 'omit' or 'raise', not {shown(nan_policy)}"
        )
    if nan_policy == "raise" and any(bool(isnan(x).any()) for x in arrays):
        raise ValueError("The input contains nan values")


def _rows(x, axis, keepdims):
    """`x` with the reduced axes joined to its last one, and the shape of a result."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    try:
        axes = [index_of_axis(k, x.ndim) for k in axes]
    except TypeError:
        raise np.exceptions.AxisError(
            f"`axis` must be an integer, a tuple of integers, or `None`, not {shown(axis)}"
        ) from None
    if len(set(axes)) < len(axes):
        raise np.exceptions.AxisError("`axis` must contain only distinct elements")
    kept = [n for k, n in enumerate(x.shape) if k not in axes]
    ones = [1 if k in axes else n for k, n in enumerate(x.shape)]
    last = moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
    count = math.prod(x.shape[k] for k in axes)
    return last.reshape((*kept, count)), tuple(ones if keepdims else kept)


# ---- scores --------------------------------------------------------------------------------------


@fuse
def _scored(x, center, spread, eps):
    return where(spread <= eps * abs(center), np.nan, (x - center) / spread)


def _mean_and_std(x, axis, ddof, omits):
    """Mean and deviation with axes of size one, of real numbers in one pass."""
    if x.dtype.kind == "c":
        center = (nanmean if omits else mean)(x, axis=axis, keepdims=True)
        return center, (nanstd if omits else std)(x, axis=axis, ddof=ddof, keepdims=True)
    both = (nanmean_nanstd if omits else mean_std)(x, axis=axis, ddof=ddof, keepdims=True)
    return both.real.astype(x.dtype, copy=False), both.imag.astype(x.dtype, copy=False)


def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate") -> ndarray:
    """Return scores in standard deviations from the mean of other ones.

    Parameters
    ----------
    scores : array_like
        Numbers to be scored.
    compare : array_like
        Numbers whose mean and standard deviation are taken.
    axis : int or None, optional
        Axis along which mean and deviation are taken; None takes all elements.
    ddof : int, optional
        Degrees of freedom that the deviation takes off.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN of `compare` spoils a mean, is left out, or raises, which waits for the device.

    Returns
    -------
    ndarray
        Scores; NaN where the numbers compared with are equal but for rounding.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.zmap(cp.array([1.0, 3.0]), cp.array([0.0, 2.0]))
    array([0., 2.])
    """
    x, other = _floating(scores), _floating(compare)
    if axis is not None:
        axis = normalize_axis_tuple(axis, other.ndim)
    _check_policy(nan_policy, other)
    if x.size == 0:
        return x.copy()
    center, spread = _mean_and_std(other, axis, ddof, nan_policy == "omit")
    dtype = np.result_type(x.dtype, other.dtype)
    eps = np.finfo(dtype).eps if scores is compare else -1  # below which a deviation is none
    return _scored(x, center, spread, eps)


@documented_as(zmap)
def zscore(a, axis=0, ddof=0, nan_policy="propagate") -> ndarray:
    """Return numbers in standard deviations from their mean.

    Parameters
    ----------
    a : array_like
        Numbers to be scored.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a mean, is left out, or raises, which waits for the device.

    Returns
    -------
    ndarray
        Scores; NaN where the numbers are equal but for rounding.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.zscore(cp.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    a = _floating(a)
    return zmap(a, a, axis, ddof, nan_policy)


# ---- summaries -----------------------------------------------------------------------------------


def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False) -> ndarray:
    """Return the entropy of a distribution, or its divergence from another one.

    Parameters
    ----------
    pk : array_like
        Weights of the outcomes, which are divided by their sum.
    qk : array_like, optional
        Weights of the distribution that `pk` is compared with (Kullback-Leibler).
    base : float, optional
        Base of the logarithm. By default e.
    axis : int, tuple of ints or None, optional
        Axis or axes of the outcomes.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises, which waits for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    ndarray
        Entropy or divergence along the axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.entropy(cp.array([1.0, 1.0]), base=2)
    array(1.)
    """
    if base is not None and not as_host(base) > 0:
        raise ValueError("`base` must be a positive number or `None`.")
    arrays: Any = broadcast_arrays(*(_sample(x) for x in ([pk] if qk is None else [pk, qk])))
    kept = None
    if nan_policy == "omit":
        kept = ~isnan(arrays[0]) if qk is None else ~(isnan(arrays[0]) | isnan(arrays[1]))
    shares = [_shares(x, kept, axis) for x in arrays]
    terms = entr(*shares) if qk is None else rel_entr(*shares)
    result = sum(terms, axis=axis, keepdims=keepdims)
    _check_policy(nan_policy, *arrays)
    return result if base is None else result / math.log(base)


def _shares(x, kept, axis):
    """Weights divided by their sum; 0 for those that are left out."""
    if kept is None:
        return x / sum(x, axis=axis, keepdims=True)
    x = where(kept, x, x.dtype.type(0))
    return where(kept, x / sum(x, axis=axis, keepdims=True), x.dtype.type(0))


def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False) -> ndarray:
    """Return the mean without the smallest and the largest elements.

    Parameters
    ----------
    a : array_like
        Numbers to be averaged.
    proportiontocut : float
        Share of the elements that is left out at each end.
    axis : int, tuple of ints or None, optional
        Axis or axes along which the means are taken.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a mean, is left out, or raises, which waits for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    ndarray
        Means; NaN where nothing is left.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.trim_mean(cp.array([0.0, 1.0, 2.0, 90.0]), 0.25)
    array(1.5)
    """
    x = _sample(a)
    share = float(as_host(proportiontocut))
    if not share >= 0:
        raise ValueError(f"proportiontocut must be at least 0, not {share}")
    rows, shape = _rows(x, axis, keepdims)
    _check_policy(nan_policy, x)
    ordered, count = sort(rows, axis=-1), rows.shape[-1]  # NaN comes last
    if nan_policy == "omit":
        found = sum(~isnan(rows), axis=-1, keepdims=True)
        cut: Any = (share * found).astype(np.int64)
        place = arange(count)
        inside = (place >= cut) & (place < found - cut)
        total = sum(where(inside, ordered, x.dtype.type(0)), axis=-1)
        return (total / sum(inside, axis=-1).astype(x.dtype)).reshape(shape)
    cut = int(share * count)
    if count <= 2 * cut:
        return (sum(ordered, axis=-1) * np.nan).reshape(shape)
    middle = mean(ordered[..., cut : count - cut], axis=-1)
    spoilt = isnan(ordered[..., -1])
    return where(spoilt, x.dtype.type(np.nan), middle).reshape(shape)


_LOGS = ReductionKernel(
    "T x, bool omits",
    "float64 total, float64 count",
    "counted_log(x, omits)",
    "a + b",
    "total = a.total, count = a.count",
    "log_sum{0, 0}",
    "sum_of_logs",
    reduce_type="log_sum",
    preamble="""
    struct log_sum {
        double total, count;
    };
    __device__ inline log_sum operator+(const log_sum &a, const log_sum &b)
    {
        return log_sum{a.total + b.total, a.count + b.count};
    }
    __device__ inline log_sum counted_log(double x, bool omits)
    {
        return omits && x != x ? log_sum{0, 0} : log_sum{log(x), 1};
    }
    """,
)
# The variance of x**lmb / lmb, by deviations of the logarithms, which do not overflow.
_LIKELIHOOD = ReductionKernel(
    "T x, float64 total, float64 count, L lmb, bool omits",
    "T result",
    "transformed(x, total, count, lmb, omits)",
    "a + b",
    """
    const double center = a.total / a.size, log_variance = log(a.squares / a.size);
    const double power = a.lmb == 0 ? 0 : 2 * (a.lmb * center - log(fabs(a.lmb)));
    result = (T)((a.lmb - 1) * a.total - a.size / 2 * (log_variance + power));
    """,
    "transformed_sums{0, 0, 0, 0, 0, 0}",
    "boxcox_likelihood",
    reduce_type="transformed_sums",
    preamble="""
    // Number, mean and squares of what was transformed so far; what all of it has in common.
    struct transformed_sums {
        double count, mean, squares, total, size, lmb;
    };
    __device__ inline transformed_sums operator+(const transformed_sums &a,
                                                 const transformed_sums &b)
    {
        if (b.count == 0) return a.size == 0 ? b : a;
        if (a.count == 0) return b;
        const double count = a.count + b.count, share = b.count / count, d = b.mean - a.mean;
        return transformed_sums{count, a.mean + d * share,
                                a.squares + b.squares + d * d * (a.count * share),
                                a.total, a.size, a.lmb};
    }
    __device__ inline transformed_sums transformed(double x, double total, double count, double lmb,
                                                   bool omits)
    {
        if (omits && x != x) return transformed_sums{0, 0, 0, total, count, lmb};
        const double d = log(x) - total / count;
        return transformed_sums{1, lmb == 0 ? d : expm1(lmb * d), 0, total, count, lmb};
    }
    """,
)


@documented_as(entropy)
def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate") -> ndarray:
    """Return the log-likelihood of the parameter of a Box-Cox transform.

    Parameters
    ----------
    lmb : float or ndarray
        Parameter of the transform; an array of one element stays on the device.
    data : array_like
        Positive numbers to be transformed.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample.

    Returns
    -------
    ndarray
        Logarithm of the likelihood; NaN without data.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(float(cp.scipy.stats.boxcox_llf(0, cp.array([1.0, 2.0, 3.0]))), 6)
    0.579837
    """
    x = _sample(data)
    if x.dtype.kind == "c":
        raise TypeError(f"data must be real, not {x.dtype}")
    if isinstance(lmb, ndarray):
        if lmb.dtype.kind not in "biuf":
            raise TypeError(f"lmb must be real, not {lmb.dtype}")
        lmb = lmb.reshape(())
    else:
        lmb = float(as_host(lmb).item())
    rows, shape = _rows(x, axis, keepdims)
    _check_policy(nan_policy, x)
    omits = nan_policy == "omit"
    total, count = _LOGS(rows, omits, axis=-1, keepdims=True)
    return _LIKELIHOOD(rows, total, count, lmb, omits, axis=-1).reshape(shape)

"""`scipy.stats.sampling`: generators of samples of a distribution that is given by functions.

A generator is set up once, from a few numbers of the host or some calls of the functions with
arrays of points. Samples and quantiles are computed on the device.
"""

import importlib
import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shape_tuple, shown
from ..._core.fromnumeric import searchsorted
from ..._core.multiarray import arange, asarray, concatenate, empty, ndarray, where, zeros
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import argmax
from .._borrowed import borrow as _borrow
from .._host import to_host
from ._distn_infrastructure import generator_of
from ._distn_integrals import integral
from ._inverse_tables import Inverse, by_density, by_distribution_function, cut, spread
from .qmc import Halton, QMCEngine

_OWN = [
    "DiscreteAliasUrn",
    "DiscreteGuideTable",
    "NumericalInverseHermite",
    "NumericalInversePolynomial",
    "RatioUniforms",
    "SimpleRatioUniforms",
]

__all__, __getattr__, __dir__ = _borrow("stats.sampling", own=_OWN, same=["UNURANError"])

_ATTEMPTS = 50_000  # points without a sample, after which there is none
_MOST = 1 << 22  # points of a round
# A point in the urns' row: its urn's own number, or the other one that fills the urn up.
_FROM_URN = ElementwiseKernel(
    "float64 u, float64 v, raw float64 shares, raw int32 others, int32 low, int64 count",
    "int32 k",
    """
    const ptrdiff_t urn = min((long long)(u * count), (long long)count - 1);
    k = low + (v < shares[urn] ? (int)urn : others[urn]);
    """,
    "alias_urn",
)


def _failed(text: str) -> Exception:
    """SciPy's error of what its library refuses."""
    return importlib.import_module("scipy.stats.sampling").UNURANError(text)


def _uniform(source: Any, shape: Any) -> ndarray:
    return (getattr(source, "random_sample", None) or source.random)(shape)


def _domain(dist: Any, domain: Any, is_finite: bool = False) -> tuple[float, float] | None:
    """The ends of the support that are given, or those of the distribution."""
    if domain is None and hasattr(dist, "support"):
        domain = dist.support()
    if domain is None:
        return None
    if len(domain) != 2:
        raise ValueError(f"`domain` must have two elements, got {shown(domain)}")
    low, high = (float(to_host(end)) for end in domain)
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`domain` must not have NaN, got {(low, high)}")
    if is_finite and not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"`domain` must be finite, got {(low, high)}")
    if low >= high:
        raise _failed(f"the lower end of `domain` must be less than the upper one, got {domain}")
    return low, high


class _Generator:
    """What generators share: the source of random numbers, and the shape of samples."""

    _source: Any

    def set_random_state(self, random_state=None) -> None:
        """Set the source of random numbers.

        Parameters
        ----------
        random_state : None, int, Generator or RandomState, optional
            Source of the random numbers, of `gpunp.random`.
        """
        self._source = generator_of(random_state)

    def rvs(self, size=None, random_state=None) -> ndarray:
        """Draw samples.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples; by default one without axes.
        random_state : None, int, Generator or RandomState, optional
            Source of the random numbers, by default that of the generator.

        Returns
        -------
        ndarray
            Samples of the distribution.
        """
        source = self._source if random_state is None else generator_of(random_state)
        return self._drawn(source, () if size is None else shape_tuple(size))

    _drawn: Callable[[Any, tuple[int, ...]], ndarray]


# ---- probabilities of whole numbers --------------------------------------------------------------


class _OfProbabilities(_Generator):
    """A generator of whole numbers, whose probabilities are read."""

    def __init__(self, dist: Any, domain: Any, random_state: Any):
        self.set_random_state(random_state)
        ends = _domain(dist, domain, is_finite=hasattr(dist, "pmf"))
        if hasattr(dist, "pmf"):
            if ends is None:
                raise ValueError("`domain` must be given with a function of the probabilities")
            self._low, high = int(ends[0]), int(ends[1])
            dist = dist.pmf(self._low + arange(high - self._low + 1))
        else:
            self._low = 0 if ends is None else int(ends[0])
        self._probabilities = self._checked(as_host(to_host(dist), np.float64))

    def _checked(self, values: np.ndarray) -> np.ndarray:
        values = np.atleast_1d(values)
        if values.ndim != 1 or values.size == 0:
            raise ValueError(
                f"probabilities must be a vector of one element at least, got {values.shape}"
            )
        if not np.isfinite(values).all():
            raise ValueError("probabilities must be finite")
        if (values < 0).any():
            raise _failed("probabilities must not be negative")
        if not values.any():
            raise ValueError("one of the probabilities must not be zero")
        return values


class DiscreteAliasUrn(_OfProbabilities):
    """Generator of whole numbers by urns, each of which holds two of them.

    A sample takes two uniform numbers, for an urn and for one of its two numbers, however many
    there are (A. J. Walker, ACM Transactions on Mathematical Software 3, 1977).

    Parameters
    ----------
    dist : array_like or object
        Probabilities, or an object with a method `pmf`, a function of an array of whole numbers.
        They are read; those of an array need not sum to one.
    domain : tuple of int, optional
        Least and largest number, by default those of a method `support` of `dist`. With an array
        of probabilities, the number of the first one, by default 0.
    urn_factor : float, optional
        Number of urns by that of probabilities, at least 1.
    random_state : None, int, Generator or RandomState, optional
        Source of the random numbers, of `gpunp.random`.

    Raises
    ------
    ValueError
        If the probabilities are not finite, or all zero, or no vector.
    UNURANError
        If one is negative, or the ends of `domain` are in descending order.

    Examples
    --------
    >>> from gpunp.scipy.stats.sampling import DiscreteAliasUrn
    >>> urns = DiscreteAliasUrn([1, 3, 0, 4], random_state=1)
    >>> urns.rvs(10000).mean().round(0)
    array(2.)
    """

    def __init__(self, dist, *, domain=None, urn_factor=1, random_state=None):
        super().__init__(dist, domain, random_state)
        count = self._probabilities.size
        is_more = isinstance(urn_factor, (int, float)) and 1 < urn_factor < math.inf
        self._count = math.ceil(count * urn_factor) if is_more else count
        shares, others = _urns(self._probabilities, self._count)
        self._shares, self._others = asarray(shares), asarray(others)

    def _drawn(self, source: Any, shape: tuple[int, ...]) -> ndarray:
        u, v = _uniform(source, shape), _uniform(source, shape)
        return _FROM_URN(u, v, self._shares, self._others, self._low, self._count)


def _urns(probabilities: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The share of each urn's own number, and the other number in it."""
    filled = np.zeros(count)
    filled[: probabilities.size] = probabilities * (count / probabilities.sum())
    shares, others = filled.tolist(), list(range(count))
    short = [k for k, share in enumerate(shares) if share < 1]
    long = [k for k, share in enumerate(shares) if share >= 1]
    while short and long:
        urn, other = short.pop(), long[-1]
        others[urn] = other
        shares[other] -= 1 - shares[urn]
        if shares[other] < 1:
            short.append(long.pop())
    for urn in short:  # full but for rounding, unless they have no probability
        if filled[urn] > 0:
            shares[urn] = 1.0
        else:
            others[urn] = int(probabilities.argmax())
    return np.array(shares), np.array(others, np.int32)


class DiscreteGuideTable(_OfProbabilities):
    """Generator of whole numbers by inversion of their distribution function.

    Parameters
    ----------
    dist : array_like or object
        Probabilities, or an object with a method `pmf`, a function of an array of whole numbers.
        They are read; those of an array need not sum to one.
    domain : tuple of int, optional
        Least and largest number, by default those of a method `support` of `dist`. With an array
        of probabilities, the number of the first one, by default 0.
    guide_factor : float, optional
        Accepted for compatibility: numbers are found by bisection.
    random_state : None, int, Generator or RandomState, optional
        Source of the random numbers, of `gpunp.random`.

    Raises
    ------
    ValueError
        If the probabilities are not finite, or all zero, or no vector.
    UNURANError
        If one is negative, or the ends of `domain` are in descending order.

    Examples
    --------
    >>> from gpunp.scipy.stats.sampling import DiscreteGuideTable
    >>> DiscreteGuideTable([0.1, 0.2, 0.7]).ppf([0.05, 0.2, 0.5])
    array([0., 1., 2.])
    """

    def __init__(self, dist, *, domain=None, guide_factor=1, random_state=None):
        super().__init__(dist, domain, random_state)
        self._sums = asarray(np.cumsum(self._probabilities))

    def ppf(self, u) -> ndarray:
        """Evaluate the quantile function.

        Parameters
        ----------
        u : array_like
            Probabilities of the lower tail.

        Returns
        -------
        ndarray
            Quantiles of type float64; NaN for what is no probability, and for 0 the number before
            the first one.
        """
        u = as_array(u).astype(np.float64, copy=False)
        last = self._probabilities.size - 1
        found = um.minimum(searchsorted(self._sums, u * self._sums[-1]), last)
        k = where(u <= 0, -1, where(u >= 1, last, found)) + float(self._low)
        return where((u >= 0) & (u <= 1), k, np.nan)

    def _drawn(self, source: Any, shape: tuple[int, ...]) -> ndarray:
        u = 1.0 - _uniform(source, shape)  # without 0
        found = searchsorted(self._sums, u * self._sums[-1])
        found = um.minimum(found, int(np.flatnonzero(self._probabilities)[-1])) + self._low
        return asarray(found).astype(np.int32)


# ---- ratios of uniform numbers -------------------------------------------------------------------


def _rejected(propose: Callable[[int], tuple[ndarray, ndarray]], count: int) -> ndarray:
    """Proposed points that are accepted, as many as are wanted; reads how many each round has."""
    parts: list[ndarray] = []
    found = tried = 0
    while found < count:
        rate = max(found / tried, 1e-3) if tried else 0.5
        size = min(int(1.1 * (count - found) / rate) + 64, _MOST)
        points, is_accepted = propose(size)
        parts.append(points[is_accepted])
        found, tried = found + parts[-1].size, tried + size
        if not found and tried >= _ATTEMPTS:
            raise RuntimeError(
                f"none of {tried} points was accepted: the rectangle does not fit the density"
            )
    return concatenate(parts)[:count] if parts else zeros(0)


def _ratios(pdf: Any, source: Any, rectangle: tuple[float, ...], count: int) -> ndarray:
    """Samples of a density: ratios v / u of points whose square of u is less than it there.

    A. J. Kinderman and J. F. Monahan, ACM Transactions on Mathematical Software 3, 1977.
    """
    most, low, high, shift, first, last = rectangle

    def propose(size: int) -> tuple[ndarray, ndarray]:
        u = most * (1.0 - _uniform(source, (size,)))
        x = (low + (high - low) * _uniform(source, (size,))) / u + shift
        inside = (x >= first) & (x <= last)
        return x, inside & (u * u <= pdf(where(inside, x, shift)))

    return _rejected(propose, count)


class RatioUniforms:
    """Generator of samples of a density, by ratios of uniform numbers.

    Parameters
    ----------
    pdf : callable
        Function of an array of points that is proportional to the density.
    umax : float
        Upper bound of the square root of `pdf`.
    vmin, vmax : float
        Bounds of (x - c) times the square root of `pdf`.
    c : float, optional
        Point that is subtracted, by default 0.
    random_state : None, int, Generator or RandomState, optional
        Source of the random numbers, of `gpunp.random`.

    Raises
    ------
    ValueError
        If `umax` is not positive, or `vmin` not less than `vmax`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.stats.sampling import RatioUniforms
    >>> v = (2 / 2.718281828) ** 0.5
    >>> normal = RatioUniforms(lambda x: cp.exp(-x * x / 2), umax=1, vmin=-v, vmax=v)
    >>> normal.rvs((2, 3)).shape
    (2, 3)
    """

    def __init__(self, pdf, *, umax, vmin, vmax, c=0, random_state=None):
        if vmin >= vmax:
            raise ValueError(f"vmin must be smaller than vmax, got {vmin} and {vmax}")
        if umax <= 0:
            raise ValueError(f"umax must be positive, got {umax}")
        self._pdf, self._source = pdf, generator_of(random_state)
        self._rectangle = (umax, vmin, vmax, c, -math.inf, math.inf)

    def rvs(self, size=1) -> ndarray:
        """Draw samples; reads after each round how many there are.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples, by default one.

        Returns
        -------
        ndarray
            Samples of type float64.

        Raises
        ------
        RuntimeError
            If none of 50000 points is accepted.
        """
        shape = shape_tuple(size)
        empty(shape)  # raises for a shape that is none
        return _ratios(self._pdf, self._source, self._rectangle, math.prod(shape)).reshape(shape)


class SimpleRatioUniforms(_Generator):
    """Generator of samples of a density with one mode, by ratios of uniform numbers.

    The density must be concave when it is transformed by -1 / sqrt; then its mode and area are
    enough for a rectangle (J. Leydold, ACM Transactions on Mathematical Software 27, 2001).

    Parameters
    ----------
    dist : object
        Object with a method `pdf`, a function of an array of points that is proportional to the
        density.
    mode : float, optional
        Point where the density is largest; by default it is searched for.
    pdf_area : float, optional
        Integral of `pdf`, or more.
    domain : tuple of float, optional
        Ends of the support, by default those of a method `support` of `dist`, or none.
    cdf_at_mode : float, optional
        Probability of points up to the mode, with which half as many points are rejected.
    random_state : None, int, Generator or RandomState, optional
        Source of the random numbers, of `gpunp.random`.

    Raises
    ------
    ValueError
        If `dist` has no `pdf`, or `pdf_area` is negative, or `domain` is none.
    UNURANError
        If the density at the mode or its area is not positive, or the mode is out of the domain.

    Examples
    --------
    >>> from gpunp.scipy import stats
    >>> generator = stats.sampling.SimpleRatioUniforms(stats.gamma(3.0), mode=2.0)
    >>> generator.rvs(5, random_state=1).shape
    (5,)
    """

    def __init__(
        self, dist, *, mode=None, pdf_area=1, domain=None, cdf_at_mode=None, random_state=None
    ):
        self.set_random_state(random_state)
        if not hasattr(dist, "pdf"):
            raise ValueError(f"`dist` must have a method `pdf`, got {shown(dist)}")
        low, high = _domain(dist, domain) or (-math.inf, math.inf)
        if pdf_area < 0:
            raise ValueError(f"`pdf_area` must be positive, got {pdf_area}")
        mode = _mode(dist.pdf, low, high) if mode is None else float(mode)
        if not low <= mode <= high:
            raise _failed(f"the mode must be in the domain, got {mode} and {(low, high)}")
        top = float(as_array(dist.pdf(asarray(mode)))) if math.isfinite(mode) else 0.0
        if not (top > 0 and 0 < pdf_area < math.inf):
            raise _failed(f"density at the mode and area must be positive, got {top}, {pdf_area}")
        self._pdf, most = dist.pdf, math.sqrt(top)
        width = pdf_area / most
        is_known = cdf_at_mode is not None and 0 <= cdf_at_mode <= 1
        left = -cdf_at_mode * width if is_known else -width
        right = left + width if is_known else width
        self._rectangle = (most, left, right, mode, low, high)

    def _drawn(self, source: Any, shape: tuple[int, ...]) -> ndarray:
        empty(shape)  # raises for a shape that is none
        return _ratios(self._pdf, source, self._rectangle, math.prod(shape)).reshape(shape)


def _mode(pdf: Any, low: float, high: float) -> float:
    """The best of many points of the domain, about which points are taken again."""
    t = np.linspace(-1, 1, 4097)[1:-1]
    wide = t / (1 - t * t)
    if math.isfinite(low) and math.isfinite(high):
        points = low + (high - low) * (t + 1) / 2
    elif math.isfinite(low):
        points = low + (1 + t) / (1 - t)
    else:
        points = high - (1 + t) / (1 - t) if math.isfinite(high) else wide
    points = np.sort(np.concatenate([points, [end for end in (low, high) if math.isfinite(end)]]))
    for _ in range(8):
        best = int(argmax(as_array(pdf(asarray(points)))))
        first, last = points[max(best - 1, 0)], points[min(best + 1, points.size - 1)]
        points = np.sort(np.append(np.linspace(first, last, 64), points[best]))
    return float(points[int(argmax(as_array(pdf(asarray(points)))))])


# ---- inversion -----------------------------------------------------------------------------------

UError = namedtuple("UError", "max_error mean_absolute_error")


class _Inversion(_Generator):
    """A generator by a quantile function that is made of polynomials."""

    _inverse: Inverse
    _cdf: Any  # the distribution's own, if it has one

    def _drawn(self, source: Any, shape: tuple[int, ...]) -> ndarray:
        return self._inverse.ppf(_uniform(source, shape))

    @property
    def intervals(self) -> int:
        """Number of intervals, each of which has a polynomial."""
        return self._inverse.count

    def ppf(self, u) -> ndarray:
        """Evaluate the quantile function.

        Parameters
        ----------
        u : array_like
            Probabilities of the lower tail.

        Returns
        -------
        ndarray
            Quantiles of type float64; NaN for what is no probability.
        """
        return self._inverse.ppf(as_array(u).astype(np.float64, copy=False))

    def qrvs(self, size=None, d=None, qmc_engine=None) -> ndarray:
        """Compute quasi-random samples.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the samples; by default one without axes.
        d : int, optional
            Dimension of the points, which is the last axis of the samples.
        qmc_engine : QMCEngine, optional
            Engine of `gpunp.scipy.stats.qmc`, by default `Halton`.

        Returns
        -------
        ndarray
            Quantiles of the points.

        Raises
        ------
        ValueError
            If `qmc_engine` is none, or of another dimension than `d`.
        """
        if not (qmc_engine is None or isinstance(qmc_engine, QMCEngine)):
            raise ValueError(
                "`qmc_engine` must be an engine of gpunp.scipy.stats.qmc or None, got"
                f" {shown(qmc_engine)}"
            )
        if qmc_engine is not None and d not in (None, qmc_engine.d):
            raise ValueError(f"`d` must be that of `qmc_engine`, {qmc_engine.d}, got {d}")
        engine = Halton(1 if d is None else d) if qmc_engine is None else qmc_engine
        shape = () if size is None else shape_tuple(size)
        x = self._inverse.ppf(asarray(engine.random(math.prod(shape))))
        return x.reshape(shape if engine.d == 1 else (*shape, engine.d))

    def u_error(self, sample_size=100000) -> UError:
        """Estimate the error of the probabilities of quantiles.

        Parameters
        ----------
        sample_size : int, optional
            Number of random probabilities, at least 1000.

        Returns
        -------
        UError
            `max_error` and `mean_absolute_error`, arrays without axes.

        Raises
        ------
        ValueError
            If the distribution has no `cdf`, or `sample_size` is less than 1000.
        """
        if sample_size < 1000:
            raise ValueError(f"`sample_size` must be 1000 or more, got {sample_size}")
        if self._cdf is None:
            raise ValueError("the error needs a method `cdf` of the distribution")
        u = _uniform(self._source, (sample_size,))
        error = abs(as_array(self._cdf(self._inverse.ppf(u))) - u)
        return UError(error.max(), error.mean())


def _methods(dist: Any, names: str, needed: str) -> list[Any]:
    """Methods of a distribution, None for those that it lacks but does not need."""
    found = [getattr(dist, name, None) for name in names.split()]
    for name, method in zip(names.split(), found, strict=True):
        if method is None and name in needed.split():
            raise ValueError(f"`dist` must have a method `{name}`, got {shown(dist)}")
    return found


class NumericalInverseHermite(_Inversion):
    """Generator of samples by a quantile function, from the distribution function and density.

    In each of many intervals it is a polynomial with the derivatives that the density gives, at
    both ends (W. Hoermann and J. Leydold, ACM Transactions on Modeling and Computer Simulation 13,
    2003). The set-up reads the functions at the ends of intervals, which are halved until errors
    are small enough.

    Parameters
    ----------
    dist : object
        Object with the methods `cdf`, `pdf` for an order of 3 or 5, and its derivative `dpdf` for
        an order of 5: functions of an array of points.
    domain : tuple of float, optional
        Ends of the support, by default those of a method `support` of `dist`, or none.
    order : {1, 3, 5}, optional
        Degree of the polynomials.
    u_resolution : float, optional
        Largest error of probabilities, at least 1e-14.
    construction_points : array_like, optional
        Ends of intervals to begin with.
    random_state : None, int, Generator or RandomState, optional
        Source of the random numbers, of `gpunp.random`.

    Raises
    ------
    ValueError
        If `dist` lacks a method, or `order` or `domain` is none.
    UNURANError
        If the ends of `domain` are in descending order.

    Examples
    --------
    >>> from gpunp.scipy import stats
    >>> generator = stats.sampling.NumericalInverseHermite(stats.norm())
    >>> generator.ppf([0.5, 0.975]).round(6)
    array([0.      , 1.959964])
    """

    def __init__(
        self, dist, *, domain=None, order=3, u_resolution=1e-12, construction_points=None,
        random_state=None,
    ):  # fmt: skip
        self.set_random_state(random_state)
        if order not in (1, 3, 5):
            raise ValueError(f"`order` must be 1, 3 or 5, got {shown(order)}")
        needed = " ".join(("cdf", "pdf", "dpdf")[: (int(order) + 1) // 2])
        functions = _methods(dist, "cdf pdf dpdf", needed)
        self._cdf, resolution = functions[0], max(float(u_resolution), 1e-14)
        low, high = _domain(dist, domain) or (-math.inf, math.inf)

        def cdf(x: np.ndarray) -> np.ndarray:
            return to_host(self._cdf(asarray(x)))

        center, most = min(max(0.0, low), high), 0.05 * resolution
        first = low if low > -math.inf else cut(cdf, min(center, high), -1, most)
        last = high if high < math.inf else cut(lambda x: 1 - cdf(x), center, 1, most)
        points = spread(center, first, last)
        if construction_points is not None:
            given = as_host(construction_points, np.float64)
            kept = given[(given > first) & (given < last)]
            points = np.unique(np.concatenate([[first, last], kept]))
        table = by_distribution_function(tuple(functions), points, int(order), resolution)
        self._inverse = Inverse(table, low, high)

    @property
    def midpoint_error(self) -> float:
        """Largest error of probabilities that the set-up found within intervals."""
        return self._inverse.error


class NumericalInversePolynomial(_Inversion):
    """Generator of samples by a quantile function, from the density alone.

    In each of many intervals it is a polynomial through points whose probabilities are integrals
    (G. Derflinger, W. Hoermann and J. Leydold, ACM Transactions on Modeling and Computer Simulation
    20, 2010). The set-up reads the density at points of intervals, which are halved until errors
    are small enough.

    Parameters
    ----------
    dist : object
        Object with a method `logpdf` or `pdf`, functions of an array of points that need not be
        normalized. A method `cdf` is for `u_error`.
    mode, center : float, optional
        Point where the density is largest, or one nearby, by default 0.
    domain : tuple of float, optional
        Ends of the support, by default those of a method `support` of `dist`, or none.
    order : int, optional
        Degree of the polynomials, from 3 to 17.
    u_resolution : float, optional
        Largest error of probabilities, from 1e-15 to 1e-5.
    random_state : None, int, Generator or RandomState, optional
        Source of the random numbers, of `gpunp.random`.

    Raises
    ------
    ValueError
        If `dist` has no density, or `order`, `u_resolution` or `domain` is none.
    UNURANError
        If the ends of `domain` are in descending order, the mode is out of it, or the density has
        no finite integral.

    Examples
    --------
    >>> import gpunp as cp
    >>> class Normal:
    ...     def pdf(self, x):
    ...         return cp.exp(-0.5 * x * x)
    >>> generator = cp.scipy.stats.sampling.NumericalInversePolynomial(Normal())
    >>> generator.ppf(0.975).round(6)
    array(1.959964)
    """

    def __init__(
        self, dist, *, mode=None, center=None, domain=None, order=5, u_resolution=1e-10,
        random_state=None,
    ):  # fmt: skip
        self.set_random_state(random_state)
        if not (isinstance(order, (int, float, np.integer)) and order in range(3, 18)):
            raise ValueError(f"`order` must be a whole number from 3 to 17, got {shown(order)}")
        if not 1e-15 <= u_resolution <= 1e-5:
            raise ValueError(f"`u_resolution` must be from 1e-15 to 1e-5, got {u_resolution}")
        log_density, density, self._cdf = _methods(dist, "logpdf pdf cdf", "")
        if log_density is None and density is None:
            raise ValueError(f"`dist` must have a method `pdf` or `logpdf`, got {shown(dist)}")
        low, high = _domain(dist, domain) or (-math.inf, math.inf)
        if mode is not None and not low <= mode <= high:
            raise _failed(f"the mode must be in the domain, got {mode} and {(low, high)}")
        middle = next((float(v) for v in (mode, center) if v is not None), 0.0)
        middle = min(max(middle, low), high)
        pdf = density if log_density is None else _scaled(log_density, middle)

        def tail(upper: bool) -> Callable[[Any], np.ndarray]:
            return lambda x: to_host(
                integral(pdf, x, math.inf, size=x.size) if upper
                else integral(pdf, -math.inf, x, size=x.size)
            )  # fmt: skip

        area = float((integral(pdf, low, middle) + integral(pdf, middle, high))[0])
        if not 0 < area < math.inf:
            raise _failed(f"the integral of the density must be positive and finite, got {area}")
        most = 0.05 * u_resolution * area
        first = low if low > -math.inf else cut(tail(False), middle, -1, most)
        last = high if high < math.inf else cut(tail(True), middle, 1, most)
        points = spread(middle, first, last)
        table = by_density(pdf, points, int(order), u_resolution)
        self._inverse = Inverse(table, low, high)

    def cdf(self, x) -> ndarray:
        """Evaluate the distribution function whose inverse is `ppf`.

        Parameters
        ----------
        x : array_like
            Points at which to evaluate.

        Returns
        -------
        ndarray
            Probabilities of type float64.
        """
        return self._inverse.cdf(as_array(x).astype(np.float64, copy=False))


def _scaled(log_density: Any, center: float) -> Callable[[Any], ndarray]:
    """The density of a logarithm without its constant, by the value at a point."""
    base = float(as_array(log_density(asarray(center))))
    base = base if math.isfinite(base) else 0.0
    return lambda x: um.exp(log_density(x) - base)

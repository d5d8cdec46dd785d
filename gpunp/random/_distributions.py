"""The distributions that Generator and RandomState share: one method per row of tables/random.def.

A method is one kernel launch. Parameters are numbers or arrays and broadcast; host values are
checked as in NumPy, device arrays are not, because that would wait: an invalid element gives NaN or
an arbitrary number. The algorithms and their sources are in kernels/random/random_draws.cuh.
"""

from typing import Any

import numpy as np

from .._core._convert import as_host, check_cast
from .._core._docstrings import documented_as
from .._core.multiarray import ndarray
from .._core.randomness import RandomStream, looked_at, random_distributions, random_draw

_ROW = {row[0]: number for number, row in enumerate(random_distributions())}
_RANDOM, _UNIFORM = _ROW["random"], _ROW["uniform"]
_STANDARD_NORMAL, _NORMAL = _ROW["standard_normal"], _ROW["normal"]


def _on_host(*values: Any) -> list[Any] | None:
    """Return the values as NumPy arrays of float64, or None if one of them is on the device."""
    for value in values:
        if isinstance(value, np.ndarray):
            check_cast(value.dtype, np.dtype(np.float64), "safe")
    values = tuple(looked_at(real(value)) for value in values)
    if any(isinstance(value, ndarray) for value in values):
        return None
    return [as_host(value, np.float64) for value in values]


def finite_extent(low: Any, high: Any) -> Any:
    """`high - low` of numbers on the host, else None; OverflowError if it is not finite."""
    host = _on_host(low, high)
    if host is None:
        return None
    with np.errstate(all="ignore"):
        extent = host[1] - host[0]
    if not np.isfinite(extent).all():
        raise OverflowError("high - low range exceeds valid bounds")
    return extent


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of Python or NumPy, which counts times among its integers."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64)


def real(value: Any) -> Any:
    """Return the value; TypeError for None, text, and a time that is no integer of Python."""
    if isinstance(value, (str, bytes)):
        float(value)  # ValueError for the text of no number
        raise TypeError(f"must be real number, not {type(value).__name__}")
    if value is None or isinstance(value, (np.timedelta64, np.datetime64)):
        float(value if value is None else value.item())  # type: ignore[arg-type]
    return value


def counts(value: Any) -> Any:
    """A list of counts as NumPy converts it, each by itself; anything else unchanged."""
    return as_host(value, np.int64) if isinstance(value, (list, tuple)) else value


def check_long(value: Any) -> None:
    """The errors of a number that is no C long, for parameters that NumPy holds as such."""
    if (is_integer(value) or isinstance(value, (float, np.floating))) and not -(2**63) <= int(
        value
    ) < 2**63:
        raise OverflowError("Python int too large to convert to C long")


class Distributions:
    """Methods that draw samples from `_stream`."""

    _stream: RandomStream

    # ---- one word or one normal variate per element ---------------------------------------------

    def random(self, size=None, dtype=np.float64, out=None) -> ndarray:
        """Draw samples from the uniform distribution on [0, 1).

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; None gives a 0-d array, or the shape of `out`.
        dtype : dtype, optional
            Type of the result: float64 or float32.
        out : ndarray, optional
            Contiguous array of that type to fill.

        Returns
        -------
        ndarray
            Samples: multiples of 2^-53 or 2^-24.

        Examples
        --------
        >>> import gpunp as cp
        >>> cp.random.default_rng(1).random(3, dtype=cp.float32).shape
        (3,)
        """
        return random_draw(self._stream, _RANDOM, size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=None) -> ndarray:
        """Draw samples uniformly from [low, high).

        Parameters
        ----------
        low, high : float or array_like of floats
            Lower and upper end of the interval.
        size : int or tuple of ints, optional
            Shape of the result. By default the shape to which the parameters broadcast.
        dtype : dtype, optional
            Type of the result: float32, or float64, the default.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _UNIFORM, size, dtype, None, low, high)

    def standard_normal(self, size=None, dtype=np.float64, out=None) -> ndarray:
        """Draw normal samples with mean 0 and standard deviation 1.

        Parameters
        ----------
        size, dtype, out
            Shape and type of the result, and output array, as for `random`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _STANDARD_NORMAL, size, dtype, out)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw normal samples.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mean, and standard deviation (nonnegative) of the distribution.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _NORMAL, size, dtype, None, loc, scale)

    # ---- the others: float64 inside, float32 on demand; counts are int64 ----------------------

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=None) -> ndarray:
        """Draw samples whose logarithm is normally distributed.

        Parameters
        ----------
        mean, sigma : float or array_like of floats
            Mean and standard deviation (nonnegative) of the logarithm.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["lognormal"], size, dtype, None, mean, sigma)

    def exponential(self, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw exponential samples.

        Parameters
        ----------
        scale : float or array_like of floats
            Mean of the distribution, which must be nonnegative.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["exponential"], size, dtype, None, scale)

    def standard_cauchy(self, size=None, dtype=None) -> ndarray:
        """Draw Cauchy samples with mode 0 and scale 1.

        Parameters
        ----------
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["standard_cauchy"], size, dtype, None)

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw samples of Gumbel's extreme value distribution.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mode, and scale (nonnegative) of the distribution.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["gumbel"], size, dtype, None, loc, scale)

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw Laplace (double exponential) samples.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mean, and exponential decay (nonnegative) of the distribution.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["laplace"], size, dtype, None, loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw logistic samples.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mean, and scale (nonnegative) of the distribution.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["logistic"], size, dtype, None, loc, scale)

    def pareto(self, a, size=None, dtype=None) -> ndarray:
        """Draw samples of the Pareto II (Lomax) distribution.

        Parameters
        ----------
        a : float or array_like of floats
            Shape of the distribution, which must be positive.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["pareto"], size, dtype, None, a)

    def power(self, a, size=None, dtype=None) -> ndarray:
        """Draw samples from [0, 1] with the density a x^(a - 1).

        Parameters
        ----------
        a : float or array_like of floats
            Exponent of the density, which must be positive.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["power"], size, dtype, None, a)

    def rayleigh(self, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw Rayleigh samples.

        Parameters
        ----------
        scale : float or array_like of floats
            Mode of the distribution, which must be nonnegative.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["rayleigh"], size, dtype, None, scale)

    def weibull(self, a, size=None, dtype=None) -> ndarray:
        """Draw Weibull samples with scale 1.

        Parameters
        ----------
        a : float or array_like of floats
            Shape of the distribution, which must be nonnegative.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["weibull"], size, dtype, None, a)

    def geometric(self, p, size=None, dtype=None) -> ndarray:
        """Draw geometric samples: the number of trials until the first success.

        Parameters
        ----------
        p : float or array_like of floats
            Probability of success, in (0, 1].
        size, dtype
            Shape and type of the result, as for `uniform`; the type is an integer one, by default
            int64.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["geometric"], size, dtype, None, p)

    def gamma(self, shape, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw gamma samples.

        Parameters
        ----------
        shape, scale : float or array_like of floats
            Shape and scale of the distribution, which must be nonnegative.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["gamma"], size, dtype, None, shape, scale)

    def beta(self, a, b, size=None, dtype=None) -> ndarray:
        """Draw beta samples, which are in [0, 1].

        Parameters
        ----------
        a, b : float or array_like of floats
            Parameters of the distribution, which must be positive.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["beta"], size, dtype, None, a, b)

    def chisquare(self, df, size=None, dtype=None) -> ndarray:
        """Draw chi-square samples.

        Parameters
        ----------
        df : float or array_like of floats
            Degrees of freedom, which must be positive.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["chisquare"], size, dtype, None, df)

    def noncentral_chisquare(self, df, nonc, size=None, dtype=None) -> ndarray:
        """Draw noncentral chi-square samples.

        Parameters
        ----------
        df, nonc : float or array_like of floats
            Degrees of freedom (positive), and noncentrality (nonnegative).
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["noncentral_chisquare"], size, dtype, None, df, nonc)

    def f(self, dfnum, dfden, size=None, dtype=None) -> ndarray:
        """Draw samples of the F distribution, the ratio of two mean squares.

        Parameters
        ----------
        dfnum, dfden : float or array_like of floats
            Degrees of freedom in the numerator and the denominator, which must be positive.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["f"], size, dtype, None, dfnum, dfden)

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=None) -> ndarray:
        """Draw samples of the noncentral F distribution.

        Parameters
        ----------
        dfnum, dfden, nonc : float or array_like of floats
            Degrees of freedom in the numerator and the denominator (positive), and noncentrality
            (nonnegative).
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(
            self._stream, _ROW["noncentral_f"], size, dtype, None, dfnum, dfden, nonc
        )

    @documented_as(chisquare)
    def standard_t(self, df, size=None, dtype=None) -> ndarray:
        """Draw samples of Student's t distribution."""
        return random_draw(self._stream, _ROW["standard_t"], size, dtype, None, df)

    def vonmises(self, mu, kappa, size=None, dtype=None) -> ndarray:
        """Draw angles in [-pi, pi] from the von Mises distribution.

        Parameters
        ----------
        mu, kappa : float or array_like of floats
            Mode, and concentration (nonnegative) of the distribution.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["vonmises"], size, dtype, None, mu, kappa)

    def wald(self, mean, scale, size=None, dtype=None) -> ndarray:
        """Draw Wald (inverse Gaussian) samples.

        Parameters
        ----------
        mean, scale : float or array_like of floats
            Mean and scale of the distribution, which must be positive.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["wald"], size, dtype, None, mean, scale)

    def binomial(self, n, p, size=None, dtype=None) -> ndarray:
        """Draw binomial samples: the number of successes in n trials.

        Parameters
        ----------
        n : int or array_like of ints
            Number of trials, which must be nonnegative.
        p : float or array_like of floats
            Probability of success, in [0, 1].
        size, dtype
            Shape and type of the result, as for `uniform`; the type is an integer one, by default
            int64.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        check_long(n)
        return random_draw(self._stream, _ROW["binomial"], size, dtype, None, counts(n), p)

    def poisson(self, lam=1.0, size=None, dtype=None) -> ndarray:
        """Draw Poisson samples: the number of events with a given mean.

        Parameters
        ----------
        lam : float or array_like of floats
            Mean of the distribution, which must be nonnegative.
        size, dtype
            Shape and type of the result, as for `uniform`; the type is an integer one, by default
            int64.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["poisson"], size, dtype, None, lam)

    def logseries(self, p, size=None, dtype=None) -> ndarray:
        """Draw samples of the logarithmic series distribution.

        Parameters
        ----------
        p : float or array_like of floats
            Parameter of the distribution, in [0, 1).
        size, dtype
            Shape and type of the result, as for `uniform`; the type is an integer one, by default
            int64.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["logseries"], size, dtype, None, p)

    def zipf(self, a, size=None, dtype=None) -> ndarray:
        """Draw samples of the Zipf (zeta) distribution.

        Parameters
        ----------
        a : float or array_like of floats
            Exponent of the distribution, which must be greater than 1.
        size, dtype
            Shape and type of the result, as for `uniform`; the type is an integer one, by default
            int64.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["zipf"], size, dtype, None, a)

    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None) -> ndarray:
        """Draw exponential samples with mean 1.

        Parameters
        ----------
        size, dtype, out
            Shape and type of the result, and output array, as for `random`.
        method : {"zig", "inv"}, optional
            Method that NumPy would use; here both mean inversion.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["standard_exponential"], size, dtype, out)

    def standard_gamma(self, shape, size=None, dtype=np.float64, out=None) -> ndarray:
        """Draw gamma samples with scale 1.

        Parameters
        ----------
        shape : float or array_like of floats
            Shape of the distribution, which must be nonnegative.
        size, dtype, out
            Shape and type of the result, and output array, as for `random`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        return random_draw(self._stream, _ROW["standard_gamma"], size, dtype, out, shape)

    def triangular(self, left, mode, right, size=None, dtype=None) -> ndarray:
        """Draw samples of the triangular distribution.

        Parameters
        ----------
        left, mode, right : float or array_like of floats
            Lower end, peak and upper end of the distribution.
        size, dtype
            Shape and type of the result, as for `uniform`.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        host = _on_host(left, mode, right)
        if host is not None:
            if np.any(host[0] > host[1]):
                raise ValueError("left > mode")
            if np.any(host[1] > host[2]):
                raise ValueError("mode > right")
            if np.any(host[0] == host[2]):
                raise ValueError("left == right")
        row = _ROW["triangular"]
        return random_draw(self._stream, row, size, dtype, None, left, mode, right)

    def negative_binomial(self, n, p, size=None, dtype=None) -> ndarray:
        """Draw negative binomial samples: the number of failures before the n-th success.

        Parameters
        ----------
        n, p : float or array_like of floats
            Number of successes (positive), and probability of success, in (0, 1].
        size, dtype
            Shape and type of the result, as for `uniform`; the type is an integer one, by default
            int64.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        host = _on_host(n, p)
        if host is not None:
            if np.any(np.isnan(host[0])):
                raise ValueError("n must not be NaN")
            with np.errstate(all="ignore"):
                mean = (1 - host[1]) / host[1] * (host[0] + 10 * np.sqrt(host[0]))
                too_large = np.any((mean > 2.0**63 - 1e10) & (host[0] > 0) & (host[1] > 0))
            if too_large:
                raise ValueError(
                    "n too large or p too small, see Generator.negative_binomial Notes"
                )
        return random_draw(self._stream, _ROW["negative_binomial"], size, dtype, None, n, p)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=None) -> ndarray:
        """Draw hypergeometric samples: the number of good items in a sample without replacement.

        Parameters
        ----------
        ngood, nbad, nsample : int or array_like of ints
            Numbers of good and bad items (below 10^9), and size of the sample.
        size, dtype
            Shape and type of the result, as for `uniform`; the type is an integer one, by default
            int64.

        Returns
        -------
        ndarray
            Samples of the given shape and type.
        """
        for number in (ngood, nbad, nsample):
            check_long(number)
        ngood, nbad, nsample = counts(ngood), counts(nbad), counts(nsample)
        host = _on_host(ngood, nbad, nsample)
        if host is not None:
            if np.any(host[0] >= 1e9) or np.any(host[1] >= 1e9):
                raise ValueError("both ngood and nbad must be less than 1000000000")
            if np.any(host[0] + host[1] < host[2]):
                raise ValueError("ngood + nbad < nsample")
        row = _ROW["hypergeometric"]
        return random_draw(self._stream, row, size, dtype, None, ngood, nbad, nsample)

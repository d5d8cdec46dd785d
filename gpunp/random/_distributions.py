"""The distributions that Generator and RandomState share: one method per row of tables/random.def.

A method is one kernel launch. Parameters are numbers or arrays and broadcast; host values are
checked as NumPy checks them, device arrays are not, because that would wait: a bad element there
gives NaN or a number without meaning. The algorithms and their sources are in
kernels/random_draws.cuh.
"""

from typing import Any

import numpy as np

from .._core._convert import as_host
from .._core._docstrings import documented_as
from .._core.multiarray import ndarray
from .._core.randomness import RandomStream, looked_at, random_distributions, random_draw

_ROW = {row[0]: number for number, row in enumerate(random_distributions())}
_RANDOM, _UNIFORM = _ROW["random"], _ROW["uniform"]
_STANDARD_NORMAL, _NORMAL = _ROW["standard_normal"], _ROW["normal"]


def _on_host(*values: Any) -> list[Any] | None:
    """The values as NumPy arrays of float64, or None when one of them is on the device."""
    values = tuple(looked_at(value) for value in values)
    if any(isinstance(value, ndarray) for value in values):
        return None
    return [as_host(value, np.float64) for value in values]


class Distributions:
    """Methods that draw from `_stream`."""

    _stream: RandomStream

    # ---- one word or one normal variate per element ---------------------------------------------

    def random(self, size=None, dtype=np.float64, out=None) -> ndarray:
        """Draw floats uniformly from [0, 1).

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result; None gives a 0-d array, or the shape of `out`.
        dtype : dtype, optional
            float64 or float32.
        out : ndarray, optional
            Contiguous array of that dtype to fill.

        Returns
        -------
        ndarray
            Multiples of 2^-53 or 2^-24.

        Examples
        --------
        >>> import gpunp as cp
        >>> cp.random.default_rng(1).random(3, dtype=cp.float32).shape
        (3,)
        """
        return random_draw(self._stream, _RANDOM, size, dtype, out)

    def uniform(self, low=0.0, high=1.0, size=None, dtype=None) -> ndarray:
        """Draw floats uniformly from [low, high).

        Parameters
        ----------
        low, high : float or array_like of floats
            The ends.
        size : int or tuple of ints, optional
            Shape of the result; None gives the parameters' common shape.
        dtype : dtype, optional
            float64 (None) or float32.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _UNIFORM, size, dtype, None, low, high)

    def standard_normal(self, size=None, dtype=np.float64, out=None) -> ndarray:
        """Draw normal variates of mean 0 and standard deviation 1.

        Parameters
        ----------
        size, dtype, out
            As for `random`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _STANDARD_NORMAL, size, dtype, out)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw normal variates.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mean, and standard deviation (not negative).
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _NORMAL, size, dtype, None, loc, scale)

    # ---- the others: float64 inside, float32 on demand; counts are int64 ----------------------

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=None) -> ndarray:
        """Draw numbers whose logarithm is normal.

        Parameters
        ----------
        mean, sigma : float or array_like of floats
            Mean and standard deviation (not negative) of the logarithm.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["lognormal"], size, dtype, None, mean, sigma)

    def exponential(self, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw exponential variates.

        Parameters
        ----------
        scale : float or array_like of floats
            The mean, not negative.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["exponential"], size, dtype, None, scale)

    def standard_cauchy(self, size=None, dtype=None) -> ndarray:
        """Draw Cauchy variates of mode 0 and scale 1.

        Parameters
        ----------
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["standard_cauchy"], size, dtype, None)

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw Gumbel variates, the limits of maxima.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mode, and scale (not negative).
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["gumbel"], size, dtype, None, loc, scale)

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw Laplace variates, the double exponential distribution.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mean, and decay (not negative).
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["laplace"], size, dtype, None, loc, scale)

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw logistic variates.

        Parameters
        ----------
        loc, scale : float or array_like of floats
            Mean, and scale (not negative).
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["logistic"], size, dtype, None, loc, scale)

    def pareto(self, a, size=None, dtype=None) -> ndarray:
        """Draw Pareto II (Lomax) variates.

        Parameters
        ----------
        a : float or array_like of floats
            The shape, above 0.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["pareto"], size, dtype, None, a)

    def power(self, a, size=None, dtype=None) -> ndarray:
        """Draw numbers of [0, 1] with the density a x^(a - 1).

        Parameters
        ----------
        a : float or array_like of floats
            The exponent, above 0.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["power"], size, dtype, None, a)

    def rayleigh(self, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw Rayleigh variates.

        Parameters
        ----------
        scale : float or array_like of floats
            The mode, not negative.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["rayleigh"], size, dtype, None, scale)

    def weibull(self, a, size=None, dtype=None) -> ndarray:
        """Draw Weibull variates of scale 1.

        Parameters
        ----------
        a : float or array_like of floats
            The shape, not negative.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["weibull"], size, dtype, None, a)

    def geometric(self, p, size=None, dtype=None) -> ndarray:
        """Draw the number of trials until the first success.

        Parameters
        ----------
        p : float or array_like of floats
            Probability of success, in (0, 1].
        size, dtype
            As for `uniform`; an integer dtype, int64 by default.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["geometric"], size, dtype, None, p)

    def gamma(self, shape, scale=1.0, size=None, dtype=None) -> ndarray:
        """Draw gamma variates.

        Parameters
        ----------
        shape, scale : float or array_like of floats
            Both not negative.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["gamma"], size, dtype, None, shape, scale)

    def beta(self, a, b, size=None, dtype=None) -> ndarray:
        """Draw beta variates, numbers of [0, 1].

        Parameters
        ----------
        a, b : float or array_like of floats
            Both above 0.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["beta"], size, dtype, None, a, b)

    def chisquare(self, df, size=None, dtype=None) -> ndarray:
        """Draw chi-square variates.

        Parameters
        ----------
        df : float or array_like of floats
            Degrees of freedom, above 0.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["chisquare"], size, dtype, None, df)

    def noncentral_chisquare(self, df, nonc, size=None, dtype=None) -> ndarray:
        """Draw noncentral chi-square variates.

        Parameters
        ----------
        df, nonc : float or array_like of floats
            Degrees of freedom (above 0), and noncentrality (not negative).
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["noncentral_chisquare"], size, dtype, None, df, nonc)

    def f(self, dfnum, dfden, size=None, dtype=None) -> ndarray:
        """Draw F variates, ratios of two mean squares.

        Parameters
        ----------
        dfnum, dfden : float or array_like of floats
            Degrees of freedom above and below, above 0.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["f"], size, dtype, None, dfnum, dfden)

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=None) -> ndarray:
        """Draw noncentral F variates.

        Parameters
        ----------
        dfnum, dfden, nonc : float or array_like of floats
            Degrees of freedom (above 0), and noncentrality (not negative).
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(
            self._stream, _ROW["noncentral_f"], size, dtype, None, dfnum, dfden, nonc
        )

    @documented_as(chisquare)
    def standard_t(self, df, size=None, dtype=None) -> ndarray:
        """Draw Student's t variates."""
        return random_draw(self._stream, _ROW["standard_t"], size, dtype, None, df)

    def vonmises(self, mu, kappa, size=None, dtype=None) -> ndarray:
        """Draw angles of [-pi, pi] around mu.

        Parameters
        ----------
        mu, kappa : float or array_like of floats
            Mode, and concentration (not negative).
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["vonmises"], size, dtype, None, mu, kappa)

    def wald(self, mean, scale, size=None, dtype=None) -> ndarray:
        """Draw Wald (inverse Gaussian) variates.

        Parameters
        ----------
        mean, scale : float or array_like of floats
            Both above 0.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["wald"], size, dtype, None, mean, scale)

    def binomial(self, n, p, size=None, dtype=None) -> ndarray:
        """Draw the number of successes in n trials.

        Parameters
        ----------
        n : int or array_like of ints
            Trials, not negative.
        p : float or array_like of floats
            Probability of success, in [0, 1].
        size, dtype
            As for `uniform`; an integer dtype, int64 by default.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["binomial"], size, dtype, None, n, p)

    def poisson(self, lam=1.0, size=None, dtype=None) -> ndarray:
        """Draw the number of events of a mean number.

        Parameters
        ----------
        lam : float or array_like of floats
            The mean, not negative.
        size, dtype
            As for `uniform`; an integer dtype, int64 by default.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["poisson"], size, dtype, None, lam)

    def logseries(self, p, size=None, dtype=None) -> ndarray:
        """Draw logarithmic series variates.

        Parameters
        ----------
        p : float or array_like of floats
            In [0, 1).
        size, dtype
            As for `uniform`; an integer dtype, int64 by default.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["logseries"], size, dtype, None, p)

    def zipf(self, a, size=None, dtype=None) -> ndarray:
        """Draw Zipf (zeta) variates.

        Parameters
        ----------
        a : float or array_like of floats
            The exponent, above 1.
        size, dtype
            As for `uniform`; an integer dtype, int64 by default.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["zipf"], size, dtype, None, a)

    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None) -> ndarray:
        """Draw exponential variates of mean 1.

        Parameters
        ----------
        size, dtype, out
            As for `random`.
        method : {"zig", "inv"}, optional
            NumPy's two methods; here both mean inversion.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["standard_exponential"], size, dtype, out)

    def standard_gamma(self, shape, size=None, dtype=np.float64, out=None) -> ndarray:
        """Draw gamma variates of scale 1.

        Parameters
        ----------
        shape : float or array_like of floats
            Not negative.
        size, dtype, out
            As for `random`.

        Returns
        -------
        ndarray
        """
        return random_draw(self._stream, _ROW["standard_gamma"], size, dtype, out, shape)

    def triangular(self, left, mode, right, size=None, dtype=None) -> ndarray:
        """Draw numbers of the triangle's density.

        Parameters
        ----------
        left, mode, right : float or array_like of floats
            Where the density begins, is highest and ends.
        size, dtype
            As for `uniform`.

        Returns
        -------
        ndarray
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
        """Draw the number of failures before the n-th success.

        Parameters
        ----------
        n, p : float or array_like of floats
            Successes (above 0), and the probability of one, in (0, 1].
        size, dtype
            As for `uniform`; an integer dtype, int64 by default.

        Returns
        -------
        ndarray
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
        """Draw how many of the drawn ones are good.

        Parameters
        ----------
        ngood, nbad, nsample : int or array_like of ints
            Good ones and bad ones (below 10^9), and how many of them are drawn.
        size, dtype
            As for `uniform`; an integer dtype, int64 by default.

        Returns
        -------
        ndarray
        """
        host = _on_host(ngood, nbad, nsample)
        if host is not None:
            if np.any(host[0] >= 1e9) or np.any(host[1] >= 1e9):
                raise ValueError("both ngood and nbad must be less than 1000000000")
            if np.any(host[0] + host[1] < host[2]):
                raise ValueError("ngood + nbad < nsample")
        row = _ROW["hypergeometric"]
        return random_draw(self._stream, row, size, dtype, None, ngood, nbad, nsample)

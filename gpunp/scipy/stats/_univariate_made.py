"""Random variables of distributions: some by name, others by `make_distribution`."""

import inspect
import math
from typing import Any

import numpy as np

from ..._core._convert import shown
from ..._core.multiarray import asarray, where
from ..._core.umath import floor, isfinite
from ..special import ndtri_exp
from . import _distributions
from ._distn_infrastructure import Continuous, Discrete
from ._distn_user import UserDistribution
from ._univariate_transformed import Variable
from ._univariate_ways import KINDS, QUANTILES, TAILS

__all__ = ["Binomial", "Logistic", "Normal", "Uniform", "make_distribution"]

_UNSUPPORTED = (
    "hypergeom", "levy_stable", "nchypergeom_fisher", "nchypergeom_wallenius", "poisson_binom",
    "vonmises",
)  # fmt: skip


def _members(function: str, order: int) -> tuple[str, ...]:
    """Names in `_formulas_of`, of which one is enough for a function or the moment of an order."""
    if function == "raw":
        return ("moment", "mean") if order == 1 else ("moment",)
    if function == "central":
        return {2: ("var",), 3: ("skew",), 4: ("kurt",)}.get(order, ())
    if function == "standardized":
        return {3: ("skew",), 4: ("kurt",)}.get(order, ())
    return (function,)


_MEMBERS = ("moment", "mean", "var", "skew", "kurt", "entropy")
_KNOWN = {
    "pdf", "logpdf", "pmf", "logpmf", *TAILS, "icdf", "iccdf", "sample", *_MEMBERS,
}  # fmt: skip
_USERS = {
    "ccdf": "sf", "logccdf": "logsf", "icdf": "ppf", "iccdf": "isf", "moment": "munp",
    "mean": "stats", "var": "stats", "skew": "stats", "kurt": "stats",
}  # fmt: skip


def _formulas_of(distribution: Any) -> set[str]:
    """What a distribution computes itself: its kernels all that it has, the methods of a user's
    class what they give."""
    if not isinstance(distribution, UserDistribution):
        return _KNOWN
    methods = {name: f"_{_USERS.get(name, name)}" for name in _KNOWN}
    written = {
        name for name, method in methods.items()
        if hasattr(distribution, method) and distribution._has(method)
    }  # fmt: skip
    return {"sample"} | written


class OfDistribution(Variable):
    """A random variable with the functions of a distribution of this package."""

    _distribution: Any
    _names: tuple[str, ...] = ()
    _own_formulas: frozenset[str] = frozenset()  # besides those of the distribution

    def _has_formula(self, function: str, order: int = 0) -> bool:
        if function in self._own_formulas or (function in KINDS and order == 0):
            return True
        return any(name in _formulas_of(self._distribution) for name in _members(function, order))

    def __init__(self, *, tol=None, validation_policy=None, cache_policy=None, **parameters):
        super().__init__(tol=tol, validation_policy=validation_policy, cache_policy=cache_policy)
        given = {name: value for name, value in parameters.items() if value is not None}
        if set(given) != set(self._names):
            raise ValueError(self._unsupported(given))
        self._hold(**{name: given[name] for name in self._names})
        self._given = self._arguments(**{k: v.astype(float) for k, v in self._parameters.items()})

    def _unsupported(self, given: dict[str, Any]) -> str:
        name = type(self).__name__
        if not self._names:
            return (
                f"The `{name}` distribution family does not accept parameters, but parameters"
                f" `{set(given)}` were provided."
            )
        if not given:
            return f"The `{name}` distribution family requires parameters, but none were provided."
        return (
            f"The provided parameters `{{{', '.join(sorted(given))}}}` do not match a supported"
            f" parameterization of the `{name}` distribution family, {{{', '.join(self._names)}}}."
        )

    def _arguments(self, *_: Any, **parameters: Any) -> dict[str, Any]:
        """Parameters of the distribution."""
        return parameters

    def _called(self, method: str, *before: Any, **options: Any) -> Any:
        return getattr(self._distribution, method)(*before, **self._given, **options)

    def _ends(self) -> tuple[Any, Any]:
        return self._called("support")

    def _density(self, x: Any) -> Any:
        return self._called("pmf" if self._discrete else "pdf", x)

    def _log_density(self, x: Any) -> Any:
        return self._called("logpmf" if self._discrete else "logpdf", x)

    def _tail(self, x: Any, upper: bool) -> Any:
        return self._called("sf" if upper else "cdf", x)

    def _log_tail(self, x: Any, upper: bool) -> Any:
        return self._called("logsf" if upper else "logcdf", x)

    def _quantile(self, p: Any, upper: bool) -> Any:
        value = self._called("isf" if upper else "ppf", p)
        if not self._discrete:
            return value
        low, _ = self._ends()  # the distribution has one less for no probability
        return where(value < low, low, value)

    def _draw(self, source: Any, shape: tuple[int, ...]) -> Any:
        drawn = self._called("rvs", size=shape, random_state=source)
        low, _ = self._ends()
        return where(low == low, drawn, np.nan)

    def _information(self) -> Any:
        return self._called("entropy")

    def _raw(self, order: int) -> Any:
        return self._called("mean") if order == 1 else self._called("moment", order)

    def _central(self, order: int) -> Any:
        if order == 2:
            return self._called("var")
        if order < 5:
            return self._standardized(order) * self._called("var") ** (order / 2)
        if not self._discrete:
            return super()._central(order)
        mean = self._called("mean")
        total = (-mean) ** order
        for k in range(1, order + 1):
            total = total + math.comb(order, k) * (-mean) ** (order - k) * self._raw(k)
        return total

    def _standardized(self, order: int) -> Any:
        if order == 3:
            return self._called("stats", moments="s")
        if order == 4:
            return self._called("stats", moments="k") + 3.0
        return super()._standardized(order)


# ---- distributions by name -----------------------------------------------------------------------


class Normal(OfDistribution):
    """Random variable with a normal distribution.

    Parameters
    ----------
    mu : float or array_like, optional
        Mean of the distribution, by default 0.
    sigma : float or array_like, optional
        Standard deviation, by default 1.
    **kwargs : object
        `tol`, `validation_policy` and `cache_policy`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import stats
    >>> X = stats.Normal(mu=[0.0, 1.0], sigma=2.0)
    >>> X.cdf(1.0).round(3)
    array([0.691, 0.5  ])
    >>> (2 * X + 1).mean()
    array([1., 3.])
    """

    _distribution = _distributions.norm
    _names: tuple[str, ...] = ("mu", "sigma")
    _own_formulas = frozenset({
        *QUANTILES, *KINDS, "median", "mode", "entropy", "logentropy",
    })  # fmt: skip

    def __new__(cls, mu=None, sigma=None, **kwargs):
        is_standard = cls is Normal and mu is None and sigma is None
        return super().__new__(StandardNormal if is_standard else cls)

    def __init__(self, *, mu=None, sigma=None, **kwargs):
        is_standard = isinstance(self, StandardNormal)
        mu = 0.0 if mu is None and not is_standard else mu
        sigma = 1.0 if sigma is None and not is_standard else sigma
        super().__init__(mu=mu, sigma=sigma, **kwargs)

    def _arguments(self, mu: Any = 0.0, sigma: Any = 1.0) -> dict[str, Any]:
        mu, sigma = asarray(mu), asarray(sigma)
        valid = isfinite(mu) & (sigma > 0) & isfinite(sigma)
        return {"loc": where(valid, mu, np.nan), "scale": where(valid, sigma, np.nan)}

    def _log_quantile(self, p: Any, upper: bool) -> Any:
        z = ndtri_exp(p)
        return (-z if upper else z) * self._given["scale"] + self._given["loc"]

    def _central(self, order: int) -> Any:
        if order % 2:
            return 0.0 * self._given["scale"]
        return math.prod(range(1, order, 2)) * self._given["scale"] ** order

    def _most_likely(self) -> Any:
        return self._given["loc"]


class StandardNormal(Normal):
    """Normal distribution of mean 0 and standard deviation 1."""

    _names: tuple[str, ...] = ()

    @property
    def mu(self) -> Any:
        """Mean."""
        return asarray(0.0)

    @property
    def sigma(self) -> Any:
        """Standard deviation."""
        return asarray(1.0)


class Uniform(OfDistribution):
    """Random variable that is uniform between two numbers.

    Parameters
    ----------
    a, b : float or array_like
        Lower and upper end of the support.
    **kwargs : object
        `tol`, `validation_policy` and `cache_policy`.
    """

    _distribution = _distributions.uniform
    _names = ("a", "b")
    _own_formulas = frozenset({"median", "mode", "raw"})

    def __init__(self, *, a=None, b=None, **kwargs):
        super().__init__(a=a, b=b, **kwargs)

    def _arguments(self, a: Any, b: Any) -> dict[str, Any]:
        self._high = b
        return {"loc": where(isfinite(a), a, np.nan), "scale": where(isfinite(b), b - a, np.nan)}

    def _ends(self) -> tuple[Any, Any]:
        low, high = self._called("support")
        return low, where(high == high, self._high, high)

    def _most_likely(self) -> Any:
        return self._called("median")


class Logistic(OfDistribution):
    """Random variable with the standard logistic distribution.

    Parameters
    ----------
    **kwargs : object
        `tol`, `validation_policy` and `cache_policy`.
    """

    _distribution = _distributions.logistic
    _own_formulas = frozenset({*KINDS, "median", "mode", "logentropy"})

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def _most_likely(self) -> Any:
        return asarray(0.0)

    def _raw(self, order: int) -> Any:
        return asarray(0.0) if order % 2 else super()._raw(order)

    def _central(self, order: int) -> Any:
        return self._raw(order)


class Binomial(OfDistribution):
    """Random number of successes, with a binomial distribution.

    Parameters
    ----------
    n : int or array_like of int
        Number of trials, which is positive.
    p : float or array_like
        Probability of success, between 0 and 1.
    **kwargs : object
        `tol`, `validation_policy` and `cache_policy`.
    """

    _distribution = _distributions.binom
    _names = ("n", "p")
    _discrete = True
    _own_formulas = frozenset({"mode", "mean", "central"})

    def __init__(self, *, n, p, **kwargs):
        super().__init__(n=n, p=p, **kwargs)

    def _arguments(self, n: Any, p: Any) -> dict[str, Any]:
        valid = (n > 0) & isfinite(n) & (p > 0) & (p < 1)
        return {"n": where(valid, n, np.nan), "p": where(valid, p, np.nan)}

    def _most_likely(self) -> Any:
        low, _ = self._ends()
        return floor((self._given["n"] + 1) * self._given["p"]) + low


# ---- other distributions -------------------------------------------------------------------------


def make_distribution(dist) -> type[Variable]:
    """Return a class of random variables with a distribution.

    Parameters
    ----------
    dist : object
        Distribution of `gpunp.scipy.stats`, such as `gamma`, or an instance of `rv_continuous` or
        `rv_discrete`.

    Returns
    -------
    type
        Class whose objects are made of the shape parameters, by keyword. Location and scale come by
        arithmetic.

    Raises
    ------
    NotImplementedError
        For distributions with which objects of this kind cannot deal, as in SciPy.
    ValueError
        If `dist` is something else.

    Examples
    --------
    >>> from gpunp.scipy import stats
    >>> Gamma = stats.make_distribution(stats.gamma)
    >>> X = 3 * Gamma(a=2.0) + 1
    >>> X.mean(), X.variance()
    (array(7.), array(18.))
    """
    if not isinstance(dist, (Continuous, Discrete)):
        raise ValueError(
            "The argument must be a distribution of gpunp.scipy.stats, or an instance of"
            f" `rv_continuous` or `rv_discrete`, got {shown(dist)}."
        )
    if dist.name in _UNSUPPORTED and type(dist).__module__.startswith(__package__):
        raise NotImplementedError(f"a class of random variables cannot be made of {dist.name}")
    names = dist._names[: dist.numargs]
    own = {
        "_distribution": dist,
        "_names": names,
        "_discrete": isinstance(dist, Discrete),
        "__doc__": f"Random variables of the distribution `{dist.name}`.",
        "__module__": __name__,
        "__signature__": _signature(names),
    }
    return type(dist.name.capitalize(), (OfDistribution,), own)


def _signature(names: tuple[str, ...]) -> inspect.Signature:
    word, options = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
    parameters = [inspect.Parameter(name, word) for name in names]
    return inspect.Signature([*parameters, inspect.Parameter("kwargs", options)])

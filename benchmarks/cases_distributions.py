"""Distributions: methods of each library's `scipy.stats`."""

import importlib

from case import Case

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}


def distribution(lib, name):
    """A distribution of the library's module."""
    return getattr(importlib.import_module(f"{WAYS[lib.name]}.stats"), name)


def method(name, function, *shapes, dtype="f8"):
    """A function of numbers between 0 and 1, with shapes that are numbers."""

    def setup(lib, n=1000):
        called, x = getattr(distribution(lib, name), function), abs(lib.noise((n,), dtype)) % 1.0
        return lambda: called(x, *shapes)

    return setup


def samples(name, *shapes):
    """Samples from the library's default source."""

    def setup(lib, n=1000):
        draw = distribution(lib, name).rvs
        return lambda: draw(*shapes, size=n)

    return setup


def likelihood(lib, n=1000):
    """The likelihood of normal numbers."""
    x, dist = lib.noise((n,), "f8"), distribution(lib, "norm")
    return lambda: dist.nnlf((0.1, 1.2), x)


def matrices(name, *parameters, dim=4):
    """Samples of matrices of a few rows from the library's default source."""

    def setup(lib, n=1000):
        draw = distribution(lib, name).rvs
        return lambda: draw(*parameters, size=n // dim**2)

    return setup


def matrix_densities(lib, n=1000):
    """Wishart densities of matrices of four rows."""
    dist, x = distribution(lib, "wishart"), lib.noise((4, 4, n // 16), "f8")
    x = x + x.swapaxes(0, 1) + 8 * lib.xp.eye(4)[..., None]
    return lambda: dist.logpdf(x, 5.5, [1.0, 2.0, 3.0, 4.0])


def counts_of_trials(lib, n=1000):
    """Probabilities of numbers of successes in 2000 trials."""
    dist, p = distribution(lib, "poisson_binom"), abs(lib.noise((2000,), "f8")) % 1.0
    k = (abs(lib.noise((n,), "f8")) * 600).astype("i8")
    return lambda: dist.cdf(k, p)


def known_covariance(lib, n=1000):
    """Normal densities in 16 dimensions with variances that are known."""
    made = distribution(lib, "Covariance").from_diagonal(abs(lib.noise((16,), "f8")) + 1)
    dist, x = distribution(lib, "multivariate_normal"), lib.noise((n // 16, 16), "f8")
    return lambda: dist.logpdf(x, None, made)


def mixture_quantiles(lib, n=1000):
    """Quantiles of a mixture of two normal variables."""
    normal, mixture = distribution(lib, "Normal"), distribution(lib, "Mixture")
    made = mixture([normal(mu=-1.0), normal(mu=3.0)])
    p = abs(lib.noise((n,), "f8")) % 1.0
    return lambda: made.icdf(p)


def statistic_moments(lib, n=1000):
    """Four moments of Kolmogorov's statistic of 200 numbers."""
    dist = distribution(lib, "kstwo")
    return lambda: dist.stats(200, moments="mvsk")


HOST = [
    Case("stats.norm.pdf(x)", method("norm", "pdf")),
    Case("stats.gamma.ppf(q, 2.5)", method("gamma", "ppf", 2.5)),
]
DEVICE = [
    Case("norm.pdf f4", method("norm", "pdf", dtype="f4"), 12, 1 / 4),
    Case("norm.logcdf", method("norm", "logcdf"), 16, 1 / 4),
    Case("gamma.pdf", method("gamma", "pdf", 2.5), 16, 1 / 16),
    Case("gamma.ppf", method("gamma", "ppf", 2.5), 16, 1 / 64),
    Case("t.cdf", method("t", "cdf", 4.5), 16, 1 / 16),
    Case("beta.ppf", method("beta", "ppf", 2.5, 1.5), 16, 1 / 64),
    Case("invgauss.ppf", method("invgauss", "ppf", 0.8), 16, 1 / 64),
    Case("binom.pmf", method("binom", "pmf", 12, 0.4), 16, 1 / 16),
    Case("kstwo.sf of 50", method("kstwo", "sf", 50), 16, 1 / 256),
    Case("kstwo.stats of 200", statistic_moments, 1, 1 / 4096),
    Case("poisson_binom.cdf of 2000", counts_of_trials, 16, 1 / 4096),
    Case("multivariate_normal.logpdf of a Covariance", known_covariance, 8.5, 1 / 16),
    Case("Mixture.icdf", mixture_quantiles, 16, 1 / 256),
    Case("levy_stable.pdf", method("levy_stable", "pdf", 1.5, 0.5), 16, 1 / 4096),
    Case("studentized_range.sf", method("studentized_range", "sf", 4.0, 12.0), 16, 1 / 4096),
    Case("irwinhall.cdf of 12", method("irwinhall", "cdf", 12), 16, 1 / 64),
    Case("norm.nnlf", likelihood, 8, 1 / 4),
    Case("wishart.logpdf 4x4", matrix_densities, 8.5, 1 / 16),
    Case("wishart.rvs 4x4", matrices("wishart", 5.5, [1.0, 2.0, 3.0, 4.0]), 8, 1 / 64),
    Case("ortho_group.rvs 4x4", matrices("ortho_group", 4), 8, 1 / 64),
    Case("truncnorm.rvs", samples("truncnorm", -1.0, 2.5), 8, 1 / 16),
]

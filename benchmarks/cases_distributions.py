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
    Case("levy_stable.pdf", method("levy_stable", "pdf", 1.5, 0.5), 16, 1 / 4096),
    Case("studentized_range.sf", method("studentized_range", "sf", 4.0, 12.0), 16, 1 / 4096),
    Case("irwinhall.cdf of 12", method("irwinhall", "cdf", 12), 16, 1 / 64),
    Case("norm.nnlf", likelihood, 8, 1 / 4),
    Case("wishart.logpdf 4x4", matrix_densities, 8.5, 1 / 16),
    Case("wishart.rvs 4x4", matrices("wishart", 5.5, [1.0, 2.0, 3.0, 4.0]), 8, 1 / 64),
    Case("ortho_group.rvs 4x4", matrices("ortho_group", 4), 8, 1 / 64),
    Case("truncnorm.rvs", samples("truncnorm", -1.0, 2.5), 8, 1 / 16),
]

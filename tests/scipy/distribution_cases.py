"""Parameters of the distributions that tests compare with SciPy's, and how."""

import numpy as np
import scipy.stats

import gpunp as cp

# Shapes of each distribution, the first of which the short tests use.
SHAPES = {
    "norm": [()],
    "uniform": [()],
    "expon": [()],
    "gamma": [(2.5,), (0.3,), (150.0,)],
    "erlang": [(3.0,)],
    "beta": [(2.5, 1.5), (0.4, 0.6), (40.0, 70.0)],
    "chi2": [(5.0,), (0.7,), (60.0,)],
    "t": [(4.5,), (0.8,), (2.5,), (80.0,)],
    "f": [(5.0, 12.0), (0.8, 3.0), (30.0, 9.0)],
    "lognorm": [(0.7,), (2.0,)],
    "maxwell": [()],
    "halfnorm": [()],
    "rayleigh": [()],
    "invgamma": [(5.5,), (0.6,)],
    "invgauss": [(0.8,), (6.0,)],
    "wald": [()],
    "logistic": [()],
    "laplace": [()],
    "cauchy": [()],
    "weibull_min": [(1.7,), (0.6,)],
    "weibull_max": [(1.7,), (0.6,)],
    "exponweib": [(2.2, 1.4), (0.5, 0.8)],
    "gumbel_r": [()],
    "gumbel_l": [()],
    "genextreme": [(-0.12,), (0.0,), (0.3,)],
    "genpareto": [(0.1,), (0.0,), (-0.4,), (1.5,)],
    "pareto": [(5.2,), (0.7,)],
    "burr": [(6.0, 1.3), (0.9, 0.5)],
    "fisk": [(5.3,), (0.8,)],
    "triang": [(0.3,), (0.0,), (1.0,)],
    "truncnorm": [(-1.0, 2.5), (2.0, 5.0), (-9.0, -7.0)],
    "loguniform": [(0.1, 3.0)],
    "reciprocal": [(0.1, 3.0)],
    "powerlaw": [(1.6,), (0.4,)],
    "skewnorm": [(3.0,), (-1.5,), (0.0,)],
    "vonmises": [(2.5,), (20.0,)],
    "vonmises_line": [(2.5,)],
    "alpha": [(3.5,)],
    "anglit": [()],
    "arcsine": [()],
    "argus": [(1.4,)],
    "betaprime": [(5.0, 6.5), (0.5, 0.7)],
    "bradford": [(0.3,)],
    "burr12": [(5.0, 3.0), (0.8, 0.9)],
    "chi": [(5.0,), (60.0,)],
    "cosine": [()],
    "crystalball": [(2.0, 5.5)],
    "dgamma": [(1.1,), (3.0,)],
    "dweibull": [(2.1,)],
    "exponnorm": [(1.5,)],
    "exponpow": [(2.7,)],
    "fatiguelife": [(2.0,)],
    "foldcauchy": [(4.7,)],
    "foldnorm": [(1.9,)],
    "genexpon": [(2.0, 3.0, 1.5)],
    "gengamma": [(4.4, 3.1), (4.4, -3.1)],
    "genhalflogistic": [(0.7,)],
    "genlogistic": [(0.4,), (3.0,)],
    "gennorm": [(1.3,)],
    "gibrat": [()],
    "gompertz": [(0.9,)],
    "halfcauchy": [()],
    "halfgennorm": [(0.7,)],
    "halflogistic": [()],
    "hypsecant": [()],
    "invweibull": [(10.5,)],
    "jf_skew_t": [(8.0, 4.0)],
    "johnsonsb": [(1.3, 2.2)],
    "johnsonsu": [(2.5, 2.2)],
    "kappa3": [(6.0,)],
    "geninvgauss": [(2.3, 1.5)],
    "kappa4": [(0.2, 0.1), (0.0, 0.1), (0.3, 0.0), (0.0, 0.0), (-0.2, -0.1)],
    "kstwobign": [()],
    "ncf": [(27.0, 27.0, 0.4)],
    "nct": [(14.0, 0.24)],
    "laplace_asymmetric": [(2.0,)],
    "levy": [()],
    "levy_l": [()],
    "loggamma": [(0.4,), (5.0,)],
    "loglaplace": [(6.2,)],
    "lomax": [(6.5,)],
    "mielke": [(10.4, 6.6)],
    "moyal": [()],
    "nakagami": [(4.9,)],
    "ncx2": [(21.0, 1.05)],
    "pearson3": [(0.1,), (-2.0,), (1.2,), (0.0,)],
    "powerlognorm": [(2.1, 0.4)],
    "powernorm": [(4.4,)],
    "rdist": [(1.6,)],
    "recipinvgauss": [(0.6,)],
    "rice": [(0.8,)],
    "semicircular": [()],
    "skewcauchy": [(0.5,)],
    "trapezoid": [(0.2, 0.8)],
    "truncexpon": [(4.7,)],
    "truncpareto": [(1.8, 5.3), (2.0, 5.0)],
    "truncweibull_min": [(2.5, 0.25, 1.75)],
    "tukeylambda": [(3.1,), (-0.1,)],
    "wrapcauchy": [(0.3,)],
    "genhyperbolic": [(0.5, 1.5, -0.5), (-1.2, 2.0, 0.3)],
    "dpareto_lognorm": [(3.0, 0.4, 5.5, 2.0)],
    "rel_breitwigner": [(36.5,), (0.4,)],
    "ksone": [(10,), (30,)],
    "kstwo": [(10,), (3,)],
    "irwinhall": [(10,), (3,)],
    "gausshyper": [(2.0, 3.0, 1.2, 0.5), (0.7, 0.9, -0.8, 6.0)],
    "bernoulli": [(0.3,)],
    "binom": [(12, 0.4), (5000, 0.02)],
    "nbinom": [(5, 0.4), (0.7, 0.2)],
    "geom": [(0.3,), (0.001,)],
    "poisson": [(3.5,), (800.0,)],
    "hypergeom": [(30, 12, 9), (5000, 900, 700)],
    "randint": [(-3, 12)],
    "zipf": [(6.6,), (2.5,)],
    "planck": [(0.6,)],
    "boltzmann": [(0.6, 12)],
    "betabinom": [(12, 2.3, 0.7)],
    "skellam": [(6.0, 4.0)],
    "logser": [(0.6,)],
    "dlaplace": [(0.8,)],
    "yulesimon": [(11.0,)],
    "nhypergeom": [(40, 12, 7)],
    "betanbinom": [(5, 9.3, 2.0)],
    "nchypergeom_fisher": [(40, 12, 7, 2.5), (300, 90, 200, 0.4)],
    "nchypergeom_wallenius": [(40, 12, 7, 2.5), (60, 20, 30, 0.4)],
    "zipfian": [(0.75, 15), (1.0, 300), (2.2, 60)],
}
# Relative tolerances where SciPy's own results, or tails without a form of their own, have fewer digits.
LOOSE = {
    ("exponweib", "stats"): 1e-6,
    ("exponweib", "entropy"): 1e-6,
    **{("vonmises", method): 1e-6 for method in ("cdf", "logcdf", "sf", "logsf", "ppf", "isf")},
    **{
        ("vonmises_line", method): 1e-6 for method in ("cdf", "logcdf", "sf", "logsf", "ppf", "isf")
    },
    ("truncnorm", "logcdf"): 1e-8,
    ("truncnorm", "sf"): 1e-8,
    ("truncnorm", "logsf"): 1e-8,
    ("zipf", "entropy"): 1e-3,
    ("burr12", "logcdf"): 1e-9,
    ("kstwobign", "pdf"): 1e-7,
    ("kstwobign", "logpdf"): 1e-7,
    ("kstwobign", "entropy"): 1e-6,
    ("arcsine", "sf"): 1e-9,
    ("arcsine", "logsf"): 1e-4,
    ("argus", "entropy"): 1e-6,
    ("crystalball", "entropy"): 1e-5,
    **{
        (name, "stats"): 1e-5
        for name in (
            "argus",
            "chi",
            "crystalball",
            "exponpow",
            "genexpon",
            "gompertz",
            "johnsonsb",
            "kstwobign",
        )
    },
    ("powerlognorm", "stats"): 1e-6,  # SciPy's error: mpmath has our digits, as of powernorm
    ("powernorm", "stats"): 1e-7,
    **{("crystalball", method): 1e-6 for method in ("std", "moment")},
    ("johnsonsb", "std"): 1e-6,
    ("vonmises", "stats"): 1e-5,
    ("vonmises", "std"): 1e-6,
    ("vonmises", "entropy"): 1e-6,
    ("vonmises", "moment"): 1e-6,
    ("genhyperbolic", "isf"): 1e-8,
    ("ksone", "stats"): 5e-4,  # SciPy's errors: see test_moments_of_statistics
    ("kstwo", "stats"): 2e-3,
    ("kstwo", "logpdf"): 1e-9,  # SciPy's slopes have eleven digits, and logarithms near 0 fewer
    ("kstwo", "entropy"): 5e-6,  # of 3 numbers by mpmath: -0.644478329505
    ("gausshyper", "logcdf"): 2e-8,  # SciPy's integrals: see test_tails_by_mpmath
    ("gausshyper", "sf"): 2e-8,
    ("gausshyper", "logsf"): 2e-8,
    ("nchypergeom_wallenius", "logpmf"): 2e-4,  # as above
    **{(name, method): 1e-5 for name in ("ksone", "kstwo") for method in ("std", "moment")},
    **{
        ("nchypergeom_wallenius", method): 1e-6
        for method in ("stats", "std", "moment", "sf", "logsf", "isf")
    },
    **{("geninvgauss", method): 1e-8 for method in ("cdf", "logcdf", "sf", "logsf", "ppf", "isf")},
    **{
        ("tukeylambda", method): 1e-7
        for method in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf")
    },
}
# Moments that do not exist, for which SciPy has NaN or the result of an integration.
INFINITE = [("genpareto", (1.5,)), ("pareto", (0.7,))]
# How far the probability 1e-9 is from that of its quantile, by the spacing of numbers about -1.
ROUNDED = {"rdist": 2e-5}
PROBABILITIES = [1e-6, 0.003, 0.2, 0.5, 0.71, 0.95, 0.9997]
OF_DATA = ["pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"]
OF_PROBABILITY = ["ppf", "isf"]


def points(dist, shapes):
    """Points across a distribution, on and beyond the ends of its support."""
    inside = dist.ppf(PROBABILITIES, *shapes)
    low, high = dist.support(*shapes)
    ends = [low, high, low - 1, high + 1, np.nan, np.inf, -np.inf]
    return np.array([*inside, *[x for x in ends if abs(x) != np.inf or x in (np.inf, -np.inf)]])


def both(name, method, shapes, *before, **places):
    """A method's results of both libraries."""
    theirs = getattr(getattr(scipy.stats, name), method)
    ours = getattr(getattr(cp.scipy.stats, name), method)
    on_device = [cp.asarray(x) if isinstance(x, np.ndarray) else x for x in before]
    with np.errstate(all="ignore"):
        wanted = theirs(*before, *shapes, **places)
    return ours(*on_device, *shapes, **places), wanted

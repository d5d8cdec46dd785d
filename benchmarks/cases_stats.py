"""Statistics of samples and k-means: each library's `scipy.stats` and `scipy.cluster`."""

import importlib

from case import Case
from libraries import mixed_noise

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}
CODES = 64
FEATURES = 16


def module_of(lib, name="stats"):
    """The library's module."""
    return importlib.import_module(f"{WAYS[lib.name]}.{name}")


def sample(name, dtype="f4", columns=0, **options):
    """A function of one sample, or of a matrix of samples."""

    def setup(lib, n=1000):
        x = lib.noise((n // columns, columns) if columns else (n,), dtype)
        function = getattr(module_of(lib), name)
        return lambda: function(x, **options)

    return setup


def pair(name, dtype="f8", **options):
    """A function of two samples."""

    def setup(lib, n=1000):
        x = lib.noise((n,), dtype)
        y = x[::-1] * x
        function = getattr(module_of(lib), name)
        return lambda: function(x, y, **options)

    return setup


def samples_of_two(name, **options):
    """A function of a list of samples."""

    def setup(lib, n=1000):
        x = lib.noise((n,), "f8")
        both, function = [x, x[::-1] * x], getattr(module_of(lib), name)
        return lambda: function(both, **options)

    return setup


def fitness(lib, n=1000):
    """A goodness of fit by 999 samples."""
    x, stats = lib.noise((n,), "f8"), module_of(lib)
    return lambda: stats.goodness_of_fit(stats.norm, x, n_mc_samples=999)


def density(dtype):
    """A density at as many points as its sample has."""

    def setup(lib, n=1000):
        x = lib.noise((n,), dtype)
        made = module_of(lib).gaussian_kde(x)
        return lambda: made(x)

    return setup


def bins(statistic):
    """A statistic of the values in the bins of a plane."""

    def setup(lib, n=1000):
        points, values = lib.noise((n, 2), "f8"), lib.noise((n,), "f8")
        function = module_of(lib).binned_statistic_dd
        return lambda: function(points, values, statistic, bins=64)

    return setup


def clusters(name, **options):
    """K-means of rows: the nearest codes, or ten steps."""

    def setup(lib, n=1000):
        x = lib.noise((max(n // FEATURES, CODES), FEATURES), "f4")
        book = x[:CODES] + 0.125
        function = getattr(module_of(lib, "cluster.vq"), name)
        return lambda: function(x, book, check_finite=False, **options)

    return setup


def points_of(name, dimensions=8):
    """Quasi-random points."""

    def setup(lib, n=1000):
        make = getattr(module_of(lib).qmc, name)
        return lambda: make(dimensions, scramble=False).random(max(n // dimensions, 1))

    return setup


def tree_of_clusters(method, ties=False):
    """The tree of clusters of points in a plane; sizes are of distances, of which many are equal or
    all differ."""

    def setup(lib, n=1000):
        shape = (max(int(n**0.5), 2), 2)
        x = lib.noise(shape, "f8") if ties else lib.astype(mixed_noise(lib, shape), "f8")
        linkage = module_of(lib, "cluster.hierarchy").linkage
        return lambda: linkage(x, method)

    return setup


HOST = [
    Case("zscore of 1000", sample("zscore")),
    Case("rankdata of 1000", sample("rankdata")),
    Case("ttest_ind of 1000", pair("ttest_ind")),
    Case("pearsonr of 1000", pair("pearsonr")),
    Case("kendalltau of 1000", pair("kendalltau")),
    Case("linregress of 1000", pair("linregress")),
    Case("f_oneway of 1000", pair("f_oneway")),
    Case("ks_2samp of 1000", pair("ks_2samp")),
    Case("mannwhitneyu of 1000", pair("mannwhitneyu")),
    Case("bws_test of 1000", pair("bws_test")),
    Case("yeojohnson of 1000", sample("yeojohnson", "f8")),
]
DEVICE = [
    Case("zscore", sample("zscore"), 12, 1 / 4),
    Case("zscore axis 1", sample("zscore", columns=1024, axis=1), 12, 1 / 4),
    Case("skew", sample("skew"), 4),
    Case("kurtosis axis 1", sample("kurtosis", columns=1024, axis=1), 4),
    Case("ttest_ind", pair("ttest_ind", "f4"), 8, 1 / 2),
    Case("pearsonr", pair("pearsonr", "f4"), 8, 1 / 2),
    Case("linregress", pair("linregress"), 16, 1 / 2),
    Case("f_oneway", pair("f_oneway", "f4"), 8, 1 / 2),
    Case("tstd", sample("tstd"), 4),
    Case("circmean", sample("circmean"), 4),
    Case("mode", sample("mode"), 0, 1 / 16),
    Case("rankdata f4", sample("rankdata"), 16, 1 / 4),
    Case("mannwhitneyu", pair("mannwhitneyu"), 0, 1 / 16),
    Case("spearmanr", pair("spearmanr"), 0, 1 / 16),
    Case("kendalltau", pair("kendalltau"), 0, 1 / 64),
    Case("ks_2samp", pair("ks_2samp", method="asymp"), 0, 1 / 16),
    Case("anderson_ksamp", samples_of_two("anderson_ksamp"), 0, 1 / 16),
    Case("goodness_of_fit", fitness, 0, 1 / 8192),
    Case("gaussian_kde f4", density("f4"), 0, 1 / 2560),
    Case("gaussian_kde f8", density("f8"), 0, 1 / 2560),
    Case("binned_statistic_dd mean", bins("mean"), 24, 1 / 16),
    Case("binned_statistic_dd median", bins("median"), 24, 1 / 64),
    Case("Sobol points", points_of("Sobol"), 8, 1 / 16),
    Case("Halton points", points_of("Halton"), 8, 1 / 16),
    Case("linkage of points", tree_of_clusters("average"), 0, 1 / 64),
    Case("linkage of equal distances", tree_of_clusters("average", True), 0, 1 / 64),
    Case("linkage single", tree_of_clusters("single"), 0, 1 / 64),
    Case("linkage complete", tree_of_clusters("complete"), 0, 1 / 64),
    Case("linkage ward", tree_of_clusters("ward"), 0, 1 / 64),
    Case("linkage centroid", tree_of_clusters("centroid"), 0, 1 / 64),
    Case("linkage median", tree_of_clusters("median"), 0, 1 / 64),
    Case("linkage centroid of equal distances", tree_of_clusters("centroid", True), 0, 1 / 64),
    Case("linkage of 8192 points", tree_of_clusters("average"), 0, 1 / 4),
    Case("linkage single of 8192 points", tree_of_clusters("single"), 0, 1 / 4),
    Case("linkage centroid of 8192 points", tree_of_clusters("centroid"), 0, 1 / 4),
    Case("vq of 64 codes", clusters("vq"), 4),
    Case("kmeans2, a step", clusters("kmeans2", minit="matrix", iter=1), 4),
    Case("kmeans2, ten steps", clusters("kmeans2", minit="matrix"), 40, 1 / 4),
]

"""Clusters of points in a plane by k-means, and the density of the points, as two pictures.

python examples/clusters.py [pictures]      the folder of the pictures; they need Matplotlib
"""

import sys
from pathlib import Path

import gpunp as cp
from gpunp.scipy.cluster import vq
from gpunp.scipy.stats import binned_statistic_2d, gaussian_kde

CENTRES = ((-2.0, -1.0), (0.0, 1.5), (2.0, -0.5), (2.4, 2.0))


def points(count=2000, seed=1):
    """Points about each of the centres, in rows."""
    rng = cp.random.default_rng(seed)
    about = cp.array(CENTRES)[:, None] + 0.6 * rng.standard_normal((len(CENTRES), count, 2))
    return about.reshape(-1, 2)


def clusters(x, count=4):
    """(means of the clusters, number of each point's cluster)."""
    return vq.kmeans2(x, count, minit="++", iter=20, rng=3)


def grid(x, size=120):
    """Coordinates of a grid of points about a sample, one axis for each."""
    low, high = x.min(axis=0) - 0.3, x.max(axis=0) + 0.3
    return [cp.linspace(low[k], high[k], size) for k in range(2)]


def density(x, across, up):
    """The estimated density of a sample on a grid."""
    at = cp.stack([a.ravel() for a in cp.meshgrid(across, up)])
    return gaussian_kde(x.T)(at).reshape(up.size, across.size)


def draw(x, folder):
    """Write both pictures as PNGs."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    means, label = clusters(x)
    figure, axes = pyplot.subplots(figsize=(5, 3.6), dpi=75)
    axes.scatter(*x.get().T, c=label.get(), s=1, cmap="viridis")
    axes.scatter(*means.get().T, c="red", marker="+", s=120)
    figure.tight_layout()
    figure.savefig(Path(folder) / "clusters.png")
    pyplot.close(figure)
    across, up = grid(x)
    figure, axes = pyplot.subplots(figsize=(5, 3.6), dpi=75)
    levels = axes.contourf(across.get(), up.get(), density(x, across, up).get(), 12, cmap="magma")
    figure.colorbar(levels, label="density")
    figure.tight_layout()
    figure.savefig(Path(folder) / "density.png")
    pyplot.close(figure)


if __name__ == "__main__":
    sample = points()
    found, label = clusters(sample)
    sizes = cp.bincount(label).get().tolist()
    spread = binned_statistic_2d(*sample.T, sample[:, 0], "count", bins=8).statistic
    print("means:", found[found[:, 0].argsort()].round(1).get().tolist())
    print("sizes:", sorted(sizes), "most in one of 64 bins:", int(spread.max()))
    if len(sys.argv) > 1:
        draw(sample, sys.argv[1])

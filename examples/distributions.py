"""Lifetimes of a million parts: samples, a fit, and the risk of a failure before a date.

python examples/distributions.py [picture.png]      the picture needs Matplotlib
"""

import sys

import gpunp as cp
from gpunp.scipy import stats

SHAPE, SCALE = 1.7, 9.0  # of the Weibull distribution, in years


def lifetimes(n=1_000_000):
    """Samples in years."""
    return stats.weibull_min.rvs(SHAPE, scale=SCALE, size=n, random_state=7)


def fitted(years):
    """The Weibull distribution that makes the samples most likely."""
    shape, loc, scale = stats.weibull_min.fit(years, 1.0, floc=0)
    return stats.weibull_min(shape, loc, scale)


def draw(years, life, path):
    """Write the histogram, the density and the share that has failed as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    heights, edges = cp.histogram(years, bins=80, range=(0, 30), density=True)
    x = cp.linspace(0, 30, 301)
    low, high = life.interval(0.9)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(6.4, 2.6), dpi=75)
    left.stairs(heights.get(), edges.get(), fill=True, color="0.8", label="samples")
    left.plot(x.get(), life.pdf(x).get(), label="density")
    left.axvspan(float(low), float(high), alpha=0.15, label="90 %")
    left.set(xlabel="years", title="lifetimes")
    left.legend(frameon=False)
    right.plot(x.get(), life.cdf(x).get(), label="failed")
    right.plot(x.get(), (life.pdf(x) / life.sf(x)).get(), label="rate of failure")
    right.set(xlabel="years", title="share of parts")
    right.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


if __name__ == "__main__":
    found = lifetimes()
    life = fitted(found)
    print(f"shape {life.args[0]:.3f}, scale {life.args[2]:.3f} years")
    print(f"failed within two years: {100 * float(life.cdf(2.0)):.2f} %")
    print(f"one in a million fails within {float(life.ppf(1e-6)):.4f} years")
    if len(sys.argv) > 1:
        draw(found, life, sys.argv[1])

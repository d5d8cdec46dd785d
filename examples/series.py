"""A noisy curve as a series of Chebyshev polynomials: fitted, searched for extremes, integrated.

python examples/series.py [picture.png]      the picture needs Matplotlib
"""

import sys

import gpunp as cp
from gpunp.polynomial import Chebyshev


def noisy_curve(n=20_000):
    """x, a curve that fades, and the noise on it: the same on every device."""
    x = cp.linspace(0, 10, n)
    return x, cp.exp(-x / 5) * cp.sin(x), cp.sin(1e4 * x * x) / 20


def extremes(series, margin=0.5):
    """Where the series turns, in ascending order; not near the ends of its domain."""
    low, high = series.domain
    roots = series.deriv().roots()
    inside = (roots.real > low + margin) & (roots.real < high - margin)
    return cp.sort(roots[inside & (cp.abs(roots.imag) < 1e-6)].real)


def draw(x, samples, fit, path):
    """Write the noisy curve, the fit and its extremes as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5.6, 3.2), dpi=90)
    axes.plot(x[::20].get(), samples[::20].get(), ".", markersize=2, color="#aaa")
    axes.plot(x.get(), fit(x).get(), color="#3b82c4")
    places = extremes(fit)
    axes.plot(places.get(), fit(places).get(), "o", color="#d9822b")
    axes.set(xlabel="x", ylabel="samples, fit, extremes")
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def main(path=None):
    """Fits, and says what the fit knows."""
    x, curve, noise = noisy_curve()
    fit = Chebyshev.fit(x, curve + noise, deg=20)
    error = cp.sqrt(cp.mean((fit(x) - curve) ** 2))
    print(f"off by {float(error):.4f}, where the noise is {float(noise.std()):.4f}")
    for place in extremes(fit).tolist():
        print(f"turns at {place:.3f}, value {float(fit(place)):.4f}")
    print(f"area {float(fit.integ(lbnd=0)(10.0)):.4f}")
    if path is not None:
        draw(x, curve + noise, fit, path)


if __name__ == "__main__":
    main(*sys.argv[1:])

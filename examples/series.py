"""A noisy curve as a series of Chebyshev polynomials: fitted, searched for extremes, integrated.

python examples/series.py      uses a GPU, or the emulated device where there is none
"""

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


def main():
    """Fits, and says what the fit knows."""
    x, curve, noise = noisy_curve()
    fit = Chebyshev.fit(x, curve + noise, deg=20)
    error = cp.sqrt(cp.mean((fit(x) - curve) ** 2))
    print(f"off by {float(error):.4f}, where the noise is {float(noise.std()):.4f}")
    for place in extremes(fit).tolist():
        print(f"turns at {place:.3f}, value {float(fit(place)):.4f}")
    print(f"area {float(fit.integ(lbnd=0)(10.0)):.4f}")


if __name__ == "__main__":
    main()

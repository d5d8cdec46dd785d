"""The price of an Asian option by Monte Carlo: `python examples/options.py`.

A share follows a geometric Brownian motion; the option pays what the mean of the daily prices is
above the strike. Paths and steps are one array of normals; everything stays on the device until the
two numbers at the end.
"""

import sys

import numpy as np

import gpunp as cp


def price(xp, rng, paths, days=64, spot=100.0, strike=100.0, rate=0.03, volatility=0.2):
    """The mean discounted payoff, and its standard error, with antithetic paths."""
    step = 1.0 / 252
    z = rng.standard_normal((paths, days), dtype=np.float32)
    payoffs = []
    for sign in (1, -1):
        growth = (rate - volatility**2 / 2) * step + sign * volatility * step**0.5 * z
        daily = spot * xp.exp(xp.cumsum(growth, axis=1))
        payoffs.append(xp.maximum(daily.mean(axis=1) - strike, 0))
    payoff = (payoffs[0] + payoffs[1]) / 2 * np.exp(-rate * days * step)
    return float(payoff.mean()), float(payoff.std()) / paths**0.5


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    mean, error = price(cp, cp.random.default_rng(2026), number)
    print(f"{mean:.4f} +- {error:.4f} from {number:,} pairs of paths")

"""Special functions on the device: a posterior, a diffraction pattern, quantiles.

Run with `python examples/special_functions.py`. Needs SciPy for the comparison.
"""

import numpy as np
import scipy.special

import gpunp as cp
from gpunp import special

# The posterior of a coin's bias after 7 heads in 10 throws: a beta distribution.
bias = cp.linspace(0, 1, 11)
below = special.betainc(7 + 1, 3 + 1, bias)
print("P(bias <= x):", cp.round(below, 3))
print("its median:", float(special.betaincinv(8, 4, cp.array(0.5))))

# Light behind a circular aperture: the Airy pattern.
radius = cp.linspace(1e-6, 12, 7)
print("intensity:", cp.round((2 * special.j1(radius) / radius) ** 2, 4))

# Probabilities from logits, in one pass over each row for the normalisation.
logits = cp.asarray(np.random.default_rng(0).normal(size=(3, 5)) * 30)
print("sums of softmax:", special.softmax(logits, axis=1).sum(axis=1))

# SciPy's own ufuncs take the arrays too and compute on the device.
x = cp.linspace(-2, 2, 5)
print(type(scipy.special.erf(x)).__module__, scipy.special.erf(x))

"""Wright's generalized Bessel function: small and large arguments, the ends of the domain."""

import mpmath as mp

INF, NAN = float("inf"), float("nan")
A = [0.0, 1e-3, 0.3, 1.0, 2.5, 10.0]
B = [0.0, 0.1, 1.0, 3.7, 25.0]
X = [0.0, 1e-300, 1e-3, 0.7, 4.0, 30.0, 300.0, 1e4]
EDGES = [-1.0, 0.0, 1.0, INF, NAN]

POINTS = {
    name: [(A, B, X), (EDGES, EDGES, EDGES)] for name in ("wright_bessel", "log_wright_bessel")
}


def wright(a, b, x):
    """The sum over k of x^k / (k! Gamma(a k + b)), whose terms are positive."""
    if a == 0:
        return mp.exp(x) * mp.rgamma(b)
    total, largest, k = mp.mpf(0), mp.mpf(0), 0
    while k < 3000:
        term = x**k / mp.factorial(k) * mp.rgamma(a * k + b)
        total, largest = total + term, max(largest, term)
        if k > 5 and term < largest and term < total * mp.mpf(10) ** -30:
            return total
        k += 1
    raise ValueError("too many terms")


def log_wright(a, b, x):
    value = wright(a, b, x)
    return mp.log(value) if value > 0 else mp.ninf


REFERENCE = {"wright_bessel": wright, "log_wright_bessel": log_wright}
LIMITS = {"log_wright_bessel": {"scale": lambda *point: 1.0, "why": "absolute near its zeros"}}
DIFFERS = {}

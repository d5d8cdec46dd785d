"""The same seed gives the same bits on the emulated device and on every GPU.

`golden.json` has the hash of some draws of every distribution, dtype and bit generator.
`python tests/random/test_same_bits.py` writes it anew: only when the numbers are meant to change.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import gpunp as cp

GOLDEN = Path(__file__).with_name("golden.json")
N = 3001

# Parameters that reach all branches of a distribution, an array of them in one draw.
PARAMETERS = {
    "random": [],
    "uniform": [[-1.0, 0.0, 1e9], [1.0, 5.0, 2e9]],
    "standard_normal": [],
    "normal": [[0.0, 5.0], [1.0, 1e-3]],
    "lognormal": [[0.0, 1.0], [1.0, 3.0]],
    "standard_exponential": [],
    "exponential": [[1.0, 7.0]],
    "standard_cauchy": [],
    "gumbel": [0.0, [1.0, 2.0]],
    "laplace": [0.0, [1.0, 2.0]],
    "logistic": [0.0, [1.0, 2.0]],
    "pareto": [[0.1, 1.0, 30.0]],
    "power": [[0.1, 1.0, 30.0]],
    "rayleigh": [[1.0, 2.0]],
    "triangular": [0.0, [0.0, 0.5, 2.0], 2.0],
    "weibull": [[0.0, 0.1, 1.0, 30.0]],
    "geometric": [[1e-12, 0.1, 0.5, 1.0]],
    "standard_gamma": [[0.0, 1e-3, 0.5, 1.0, 3.0, 1e9]],
    "gamma": [[0.5, 3.0], 2.0],
    "beta": [[1e-3, 0.5, 3.0], [1e-3, 2.0, 7.0]],
    "chisquare": [[0.5, 3.0]],
    "noncentral_chisquare": [[0.5, 1.5, 3.0], [0.0, 2.0, 70.0]],
    "f": [[1.0, 8.0], 5.0],
    "noncentral_f": [[1.0, 8.0], 5.0, [0.0, 3.0]],
    "standard_t": [[0.5, 30.0]],
    "vonmises": [0.5, [0.0, 1e-6, 1.0, 50.0, 1e7]],
    "wald": [[0.1, 1.0, 100.0], [1.0, 0.1, 5.0]],
    "binomial": [[0, 5, 40, 10**6, 2**40], [0.3, 1.0, 0.5, 0.999, 1e-6]],
    "negative_binomial": [[0.3, 5.0, 1e4], [0.9, 0.2, 0.01]],
    "poisson": [[0.0, 0.1, 9.0, 10.0, 1e4, 1e12]],
    "hypergeometric": [[5, 100, 90000, 0], [9, 300, 70000, 7], [4, 250, 80000, 3]],
    "logseries": [[0.0, 0.3, 0.9999]],
    "zipf": [[1.01, 2.0, 50.0]],
}
FLOAT32 = ["random", "uniform", "standard_normal", "normal", "lognormal"]
FLOAT32 += ["standard_exponential", "exponential", "standard_cauchy"]
KINDS = ["Philox4x3210", "XORWOW", "MRG32k3a"]


def columns(parameters):
    """Scalars and lists made to broadcast along the last axis of the result."""
    longest = max([len(p) for p in parameters if isinstance(p, list)], default=1)
    return longest, [np.resize(p, longest) if isinstance(p, list) else p for p in parameters]


def draws():
    """{name: function that draws}."""
    table = {}
    for kind in KINDS:
        for name, parameters in PARAMETERS.items():
            if kind != KINDS[0] and name not in ("random", "standard_normal", "gamma", "poisson"):
                continue
            for dtype in ("f4", "f8") if name in FLOAT32 else ("",):

                def draw(kind=kind, name=name, parameters=parameters, dtype=dtype):
                    rng = cp.random.Generator(getattr(cp.random, kind)(20261121))
                    width, given = columns(parameters)
                    keywords = {"dtype": dtype} if dtype else {}
                    first = getattr(rng, name)(*given, size=(N // width, width), **keywords)
                    again = getattr(rng, name)(*given, size=width, **keywords)
                    return [first, again]

                table[f"{kind}.{name}{dtype and '.' + dtype}"] = draw
        for dtype, high in [("u1", 256), ("u1", 7), ("i2", 1000), ("u4", 3 << 30), ("i8", 3 << 61)]:

            def integers(kind=kind, dtype=dtype, high=high):
                rng = cp.random.Generator(getattr(cp.random, kind)(20261121))
                narrow = rng.integers(0, [5, high], (3, 2), dtype)
                return [rng.integers(0, high, N, dtype=dtype), narrow]

            table[f"{kind}.integers.{dtype}.{high}"] = integers
        for name, arguments in {
            "multinomial": (100, [0.2, 0.3, 0.5], 50),
            "multivariate_hypergeometric": ([30, 20, 50], 40, 50),
            "permutation": (1000,),
            "choice": (50, 20, False),
        }.items():

            def other(kind=kind, name=name, arguments=arguments):
                rng = cp.random.Generator(getattr(cp.random, kind)(20261121))
                return [getattr(rng, name)(*arguments), rng.random(3)]

            table[f"{kind}.{name}"] = other

    def long_order():
        return [cp.random.default_rng(20261121).permutation(70001)]

    table["Philox4x3210.permutation.long"] = long_order

    def sample(n):
        return lambda: [cp.random.default_rng(20261121).choice(n, 3000, replace=False)]

    table["Philox4x3210.choice.many"] = sample(70001)
    table["Philox4x3210.choice.wide"] = sample(2**40 + 1)
    return table


TABLE = draws()


def digest(arrays):
    """A hash of values; NaNs count as one."""
    total = hashlib.sha256()
    for array in arrays:
        host = array.get()
        if host.dtype.kind == "f":
            host[np.isnan(host)] = np.nan
        total.update(f"{host.dtype}{host.shape}".encode() + np.ascontiguousarray(host).tobytes())
    return total.hexdigest()[:16]


@pytest.mark.parametrize("name", TABLE)
def test_bits(name):
    assert digest(TABLE[name]()) == json.loads(GOLDEN.read_text())[name]


def test_every_distribution_has_golden_bits():
    rows = {row[0] for row in cp._core.randomness.random_distributions()} - {"log_gamma"}
    assert rows == set(PARAMETERS)


ROOT = r"""
extern "C" __global__ void root(float *out, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = __int_as_float(0x3f800000 + i * step), r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    float y = __fmul_rn(x, r);
    out[i] = __fmaf_rn(__fmaf_rn(-y, y, x), __fmul_rn(0.5f, r), y);
}"""


def test_the_square_root_is_rounded_correctly():
    """root_of of kernels/random/random_math.cuh over the mantissas of [1, 4): all of them on a GPU."""
    step = 8 if os.environ["GPUNP_DEVICE"].startswith("emulated") else 1
    n = (1 << 24) // step
    ours = cp.empty(n, np.float32)
    cp.RawKernel(ROOT, "root")((n // 256,), (256,), (ours, np.int32(step)))
    x = np.arange(0x3F800000, 0x40800000, step, dtype=np.uint32).view(np.float32)
    assert (ours.get() == np.sqrt(x)).all()


if __name__ == "__main__":
    GOLDEN.write_text(
        json.dumps({name: digest(draw()) for name, draw in TABLE.items()}, indent=1) + "\n"
    )
    print(f"{len(TABLE)} hashes written to {GOLDEN}", file=sys.stderr)

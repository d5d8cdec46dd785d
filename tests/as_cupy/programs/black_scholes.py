"""Option prices by one elementwise kernel, with single and double precision."""

import cupy as cp
import numpy as np
from cupyx.scipy.special import ndtr

kernel = cp.ElementwiseKernel(
    "T s, T x, T t, T r, T v",
    "T call, T put",
    """
    const T sqrt_t = sqrt(t);
    const T d1 = (log(s / x) + (r + v * v / 2) * t) / (v * sqrt_t);
    const T d2 = d1 - v * sqrt_t;
    const T n1 = cdf(d1), n2 = cdf(d2), rest = exp(-r * t) * x;
    call = s * n1 - rest * n2;
    put = rest * (1 - n2) - s * (1 - n1);
    """,
    "black_scholes",
    preamble="template <typename T> __device__ T cdf(T d) { return erfc(-d / sqrt(T(2))) / 2; }",
)
for dtype in (cp.float32, cp.float64):
    s = cp.linspace(5, 30, 50, dtype=dtype)
    x = cp.full_like(s, 15)
    call, put = kernel(s, x, 0.5, 0.02, 0.3)
    assert call.dtype == dtype
    # Put-call parity.
    rest = x * np.exp(-0.02 * 0.5)
    cp.testing.assert_allclose(call - put, s - rest, rtol=1e-3, atol=1e-4)
d1 = (cp.log(s / x) + (0.02 + 0.3**2 / 2) * 0.5) / (0.3 * np.sqrt(0.5))
expected = s * ndtr(d1) - rest * ndtr(d1 - 0.3 * np.sqrt(0.5))
cp.testing.assert_allclose(call, expected, atol=1e-9)

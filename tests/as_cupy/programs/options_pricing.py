"""European options: closed form by an ElementwiseKernel and by fusion; paths by Monte Carlo."""

import contextlib
import time

import cupy
import numpy as np
from cupyx.profiler import benchmark
from scipy.special import ndtr

kernel = cupy.ElementwiseKernel(
    "T s, T x, T t, T R, T V",
    "T call, T put",
    """
    const T sqrt_t = sqrt(t);
    const T d1 = (log(s / x) + (R + V * V / 2) * t) / (V * sqrt_t);
    const T d2 = d1 - V * sqrt_t;
    const T cnd_d1 = get_cumulative_normal_distribution(d1);
    const T cnd_d2 = get_cumulative_normal_distribution(d2);
    const T exp_rt = exp(- R * t);
    call = s * cnd_d1 - x * exp_rt * cnd_d2;
    put = x * exp_rt * (1 - cnd_d2) - s * (1 - cnd_d1);
    """,
    "black_scholes_kernel",
    preamble="""
    __device__
    inline T get_cumulative_normal_distribution(T x) {
        return normcdf(x);
    }
    """,
)


@cupy.fuse()
def fused(s, x, t, r, v):
    d1 = (cupy.log(s / x) + (r + v * v / 2) * t) / (v * cupy.sqrt(t))
    d2 = d1 - v * cupy.sqrt(t)
    n1 = 0.5 * (1 + cupy.tanh(0.7978845608 * (d1 + 0.044715 * d1**3)))
    n2 = 0.5 * (1 + cupy.tanh(0.7978845608 * (d2 + 0.044715 * d2**3)))
    return s * n1 - x * cupy.exp(-r * t) * n2


monte_carlo = cupy.ElementwiseKernel(
    "T s, T x, T t, T r, T v, int32 n_samples, uint64 seed",
    "T call",
    """
    const T v_by_sqrt_t = v * sqrt(t);
    const T mu_by_t = (r - v * v / 2) * t;
    unsigned long long state = seed + i * 2654435761ULL;
    T call_sum = 0;
    for (int k = 0; k < n_samples; ++k) {
        const T p = sample_normal(state);
        const T y = max(s * exp(mu_by_t + v_by_sqrt_t * p) - x, (T)0);
        call_sum += y;
    }
    call = exp(-r * t) * (call_sum / n_samples);
    """,
    preamble="""
    __device__ inline double next_uniform(unsigned long long &state) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return ((state >> 11) + 0.5) * (1.0 / 9007199254740992.0);
    }
    __device__ inline T sample_normal(unsigned long long &state) {
        const double a = next_uniform(state), b = next_uniform(state);
        return sqrt(-2 * log(a)) * cospi(2 * b);
    }
    """,
)


@contextlib.contextmanager
def timer(message):
    cupy.cuda.Stream.null.synchronize()
    start = time.time()
    yield
    cupy.cuda.Stream.null.synchronize()
    print("%s: %f sec" % (message, time.time() - start))


rng = np.random.RandomState(1)
n = 500
s, x, t = rng.uniform(5, 30, n), rng.uniform(1, 100, n), rng.uniform(0.25, 10, n)

r, v = 0.02, 0.3
d1 = (np.log(s / x) + (r + v * v / 2) * t) / (v * np.sqrt(t))
d2 = d1 - v * np.sqrt(t)
want = s * ndtr(d1) - x * np.exp(-r * t) * ndtr(d2)
gs, gx, gt = cupy.asarray(s), cupy.asarray(x), cupy.asarray(t)
with timer("kernel"):
    call, put = kernel(gs, gx, gt, r, v)
np.testing.assert_allclose(call.get(), want, rtol=1e-9, atol=1e-12)
np.testing.assert_allclose((call - put).get(), s - x * np.exp(-r * t), rtol=1e-9, atol=1e-9)
assert float(abs(fused(gs, gx, gt, r, v) - call).max()) < 0.1
one = monte_carlo(cupy.full(64, 20.0), 18.0, 1.0, r, v, 300, 7)
exact, _ = kernel(cupy.full(1, 20.0), 18.0, 1.0, r, v)
assert abs(float(one.mean()) - float(exact[0])) < 0.3
print(benchmark(kernel, (gs, gx, gt, r, v), n_repeat=3, n_warmup=1))

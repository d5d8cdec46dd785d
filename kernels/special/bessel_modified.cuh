// I and K of real order and real argument, plain and scaled: iv, kv, ive, kve. Methods: bessel_core.cuh; negative
// orders by DLMF 10.27.2 and 10.27.3.
#ifndef GNP_SPECIAL_BESSEL_MODIFIED_CUH
#define GNP_SPECIAL_BESSEL_MODIFIED_CUH

#include "special/bessel_core.cuh"

namespace special {

// Orders beyond BESSEL_MAX_ORDER: DLMF 10.41.3 and 10.41.4; the next term is below 1e-15.
static __device__ __noinline__ f64 modified_debye(f64 v, f64 x, bool want_k, bool scaled)
{
    auto over = [](f64 a, f64 b) { return quotient_called(a, b); };
    const f64 z = over(x, v), s = root_called(fma(z, z, 1.0)), p = over(1, s), p2 = p * p;
    const f64 u1 = over(over(p * (3 - 5 * p2), 24), v);
    const f64 u2 = over(over(over(p2 * (81 + p2 * (385 * p2 - 462)), 1152), v), v);
    const f64 log_part = log_of(over(1 + s, z)), exponent = v * ((scaled ? over(1, s + z) : s) - log_part);
    const f64 factor = root_called(over((want_k ? HALF_PI_F64 : 0.15915494309189533577) * p, v));
    return times_exp(factor * (1 + (want_k ? u2 - u1 : u2 + u1)), want_k ? -exponent : exponent, 0);
}

static __device__ __noinline__ f64 modified_k(f64 v, f64 x, bool scaled)
{
    v = fabs(v);
    if (x == 0) return INFINITY_F64;
    if (!(x > 0) || v != v) return NAN_F64;
    if (x == INFINITY_F64) return scaled ? NAN_F64 : 0.0;
    if (v > BESSEL_MAX_ORDER && !hankel_region(v, x)) return v < 1e300 ? modified_debye(v, x, true, scaled) : NAN_F64;
    const BesselPair<f64> k = macdonald(v, x);
    return times_exp(k.now, scaled ? 0.0 : -x, k.exponent);
}

// v >= 0, 0 < x < infinity
static __device__ __noinline__ f64 modified_i(f64 v, f64 x, bool scaled)
{
    const f64 square = 0.25 * x * x;
    if (square <= v + 1) return times_exp(leading_power(v, x) * power_series(v, square), scaled ? -x : 0.0, 0);
    const f64 shift = scaled ? 0.0 : x;
    if (v > BESSEL_MAX_ORDER && !hankel_region(v, x)) return v < 1e300 ? modified_debye(v, x, false, scaled) : 0.0;
    if (hankel_region(v, x)) return times_exp(hankel_sum(v, -1 / x) * 0.39894228040143267794 / sqrt(x), shift, 0);
    const BesselPair<f64> k = macdonald(v, x);
    return times_exp(1 / (x * fma(first_fraction(v, x, 1.0), k.now, k.next)), shift, -k.exponent);
}

static __device__ __noinline__ f64 modified_i_any(f64 v, f64 x, bool scaled)
{
    const bool whole = is_integer(v);
    if (v != v || x != x || (x < 0 && !whole)) return NAN_F64;
    const f64 order = fabs(v), sign = x < 0 && 0.5 * order != floor(0.5 * order) ? -1.0 : 1.0;
    const f64 size = fabs(x);
    if (size == 0) return order == 0 ? 1.0 : v > 0 || whole ? 0.0 : scaled ? NAN_F64 : INFINITY_F64;
    if (size == INFINITY_F64) return NAN_F64;
    f64 y = modified_i(order, size, scaled);
    if (v < 0 && !whole) {
        const f64 k = modified_k(order, size, scaled) * (scaled ? times_exp(1.0, -2 * size, 0) : 1.0);
        y = fma(0.63661977236758134308 * unit_by_pi(order).im, k, y);
    }
    return sign * y;
}

GNP_FN f64 kv(f64 v, f64 x) { return modified_k(v, x, false); }
GNP_FN f64 kve(f64 v, f64 x) { return modified_k(v, x, true); }
GNP_FN f64 iv(f64 v, f64 x) { return modified_i_any(v, x, false); }
GNP_FN f64 ive(f64 v, f64 x) { return modified_i_any(v, x, true); }
GNP_FN f64 ivp(f64 v, f64 x, i64 n)
{
    return bessel_derivative([](f64 v, f64 x) { return iv(v, x); }, v, x, n, 1.0);
}
GNP_FN f64 kvp(f64 v, f64 x, i64 n)
{
    const f64 sum = bessel_derivative([](f64 v, f64 x) { return kv(v, x); }, v, x, n, 1.0);
    return n & 1 ? -sum : sum;
}
}

#endif

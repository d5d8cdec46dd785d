// Carlson's symmetric elliptic integrals of complex arguments by duplication (Carlson 1995, "Numerical computation of
// real or complex elliptic integrals"; DLMF 19.36(i)). Arguments on the cut, the negative real axis, give NaN.
#ifndef GNP_SPECIAL_CARLSON_COMPLEX_CUH
#define GNP_SPECIAL_CARLSON_COMPLEX_CUH

#include "complex.cuh"
#include "special/common.cuh"

namespace special {

enum { MAX_COMPLEX_DUPLICATIONS = 500 }; // one argument far from the rest comes closer by 4 a step

GNP_FN c128 times(f64 s, c128 z) { return c128(s * z.re, s * z.im); }
GNP_COLD c128 multiplied(c128 a, c128 b) { return a * b; }
GNP_COLD c128 quotient_of(c128 a, c128 b) { return a / b; }
GNP_FN f64 size_of(c128 z) { return fmax(fabs(z.re), fabs(z.im)); }
GNP_FN bool is_zero(c128 z) { return z.re == 0 && z.im == 0; }
GNP_FN bool is_nan(c128 z) { return z.re != z.re || z.im != z.im; }
GNP_FN bool is_infinite(c128 z) { return size_of(z) == INFINITY_F64; }
GNP_FN bool is_on_cut(c128 z) { return z.re < 0 && z.im == 0; }
GNP_FN c128 no_number() { return c128(NAN_F64, NAN_F64); }

// z^(-1/2) and z^(-3/2) by the principal root.
GNP_COLD c128 inverse_root(c128 z) { return quotient_of(c128(1.0), ::sqrt(z)); }
GNP_COLD c128 inverse_root_cubed(c128 z) { return quotient_of(inverse_root(z), z); }

// What the integrals of the first and second kind need of one step: roots of the arguments and their sum of products.
struct Duplication {
    c128 a, b, c, lambda;
};
GNP_COLD Duplication duplication(c128 x, c128 y, c128 z)
{
    Duplication d;
    d.a = ::sqrt(x), d.b = ::sqrt(y), d.c = ::sqrt(z);
    d.lambda = multiplied(d.a, d.b + d.c) + multiplied(d.b, d.c);
    return d;
}

GNP_COLD c128 rf_of(c128 x, c128 y, c128 z)
{
    const c128 start = times(1.0 / 3, x + y + z), u0 = start - x, v0 = start - y;
    c128 mean = start;
    f64 scale = 1, spread = 400 * fmax(fmax(size_of(u0), size_of(v0)), size_of(start - z));
#pragma unroll 1
    for (int step = 0; step < MAX_COMPLEX_DUPLICATIONS && spread * scale > size_of(mean); step++) {
        const c128 lambda = duplication(x, y, z).lambda;
        x = times(0.25, x + lambda), y = times(0.25, y + lambda), z = times(0.25, z + lambda);
        mean = times(0.25, mean + lambda);
        scale *= 0.25;
    }
    const c128 u = quotient_of(times(scale, u0), mean), v = quotient_of(times(scale, v0), mean), w = c128(0.0) - u - v;
    const c128 uv = multiplied(u, v), e2 = uv - multiplied(w, w), e3 = multiplied(uv, w);
    c128 sum = multiplied(e2, times(1.0 / 24, e2) - times(3.0 / 44, e3) - times(5.0 / 208, multiplied(e2, e2)) - c128(0.1));
    sum = sum + multiplied(e3, c128(1.0 / 14) + times(3.0 / 104, e3));
    return multiplied(c128(1.0) + sum, inverse_root(mean));
}

// The series of R_D and R_J in the symmetric functions of the arguments about their mean, 19.36.2.
GNP_COLD c128 third_kind_series(c128 e2, c128 e3, c128 e4, c128 e5)
{
    c128 sum = times(9.0 / 88, e2) - times(9.0 / 52, e3) - times(1.0 / 16, multiplied(e2, e2)) + times(3.0 / 20, e4);
    sum = multiplied(e2, sum - c128(3.0 / 14)) + multiplied(e3, c128(1.0 / 6) + times(3.0 / 40, e3));
    return c128(1.0) + sum - times(3.0 / 22, e4) + times(3.0 / 26, e5);
}

GNP_COLD c128 rd_of(c128 x, c128 y, c128 z)
{
    const c128 start = times(0.2, x + y + times(3, z)), u0 = start - x, v0 = start - y;
    c128 mean = start, sum = c128(0.0);
    f64 scale = 1, spread = 700 * fmax(fmax(size_of(u0), size_of(v0)), size_of(start - z));
#pragma unroll 1
    for (int step = 0; step < MAX_COMPLEX_DUPLICATIONS && spread * scale > size_of(mean); step++) {
        const Duplication d = duplication(x, y, z);
        sum = sum + quotient_of(c128(scale), multiplied(d.c, z + d.lambda));
        x = times(0.25, x + d.lambda), y = times(0.25, y + d.lambda), z = times(0.25, z + d.lambda);
        mean = times(0.25, mean + d.lambda);
        scale *= 0.25;
    }
    const c128 u = quotient_of(times(scale, u0), mean), v = quotient_of(times(scale, v0), mean), w = times(-1.0 / 3, u + v);
    const c128 uv = multiplied(u, v), ww = multiplied(w, w), e3 = multiplied(times(3, uv) - times(8, ww), w);
    const c128 e5 = multiplied(multiplied(uv, ww), w), e4 = times(3, multiplied(uv - ww, ww));
    const c128 series = third_kind_series(uv - times(6, ww), e3, e4, e5);
    return times(3, sum) + times(scale, multiplied(series, inverse_root_cubed(mean)));
}

// R_C(x, y) where y is off the cut.
GNP_COLD c128 rc_of(c128 x, c128 y)
{
    const c128 start = times(1.0 / 3, x + times(2, y)), s0 = y - start;
    c128 mean = start;
    f64 scale = 1, spread = 600 * fmax(size_of(s0), size_of(start - x));
#pragma unroll 1
    for (int step = 0; step < MAX_COMPLEX_DUPLICATIONS && spread * scale > size_of(mean); step++) {
        const c128 lambda = times(2, multiplied(::sqrt(x), ::sqrt(y))) + y;
        x = times(0.25, x + lambda), y = times(0.25, y + lambda), mean = times(0.25, mean + lambda);
        scale *= 0.25;
    }
    const f64 c[] = {1, 0, 3.0 / 10, 1.0 / 7, 3.0 / 8, 9.0 / 22, 159.0 / 208, 9.0 / 8};
    const c128 s = quotient_of(times(scale, s0), mean);
    c128 sum = c128(c[7]);
#pragma unroll 1
    for (int k = 6; k >= 0; k--) {
        sum = multiplied(sum, s) + c128(c[k]);
    }
    return multiplied(sum, inverse_root(mean));
}

GNP_FN int zeros_of(c128 x, c128 y, c128 z) { return is_zero(x) + is_zero(y) + is_zero(z); }
GNP_FN bool is_outside(c128 x, c128 y, c128 z)
{
    return is_nan(x + y + z) || is_on_cut(x) || is_on_cut(y) || is_on_cut(z);
}
GNP_FN bool is_any_infinite(c128 x, c128 y, c128 z) { return is_infinite(x) || is_infinite(y) || is_infinite(z); }

GNP_FN c128 elliprf(c128 x, c128 y, c128 z)
{
    if (is_any_infinite(x, y, z)) return c128(0.0);
    if (is_outside(x, y, z)) return no_number();
    return zeros_of(x, y, z) > 1 ? c128(INFINITY_F64) : rf_of(x, y, z);
}

GNP_FN c128 elliprd(c128 x, c128 y, c128 z)
{
    if (is_any_infinite(x, y, z)) return c128(0.0);
    if (is_outside(x, y, z)) return no_number();
    return is_zero(z) || (is_zero(x) && is_zero(y)) ? c128(INFINITY_F64) : rd_of(x, y, z);
}

// A principal value for y < 0, by 19.2.20.
GNP_FN c128 elliprc(c128 x, c128 y)
{
    if (is_infinite(x) || is_infinite(y)) return c128(0.0);
    if (is_nan(x + y) || is_zero(y)) return no_number();
    if (!is_on_cut(y)) return is_on_cut(x) ? no_number() : rc_of(x, y);
    return multiplied(::sqrt(quotient_of(x, x - y)), rc_of(x - y, c128(-y.re)));
}

// 19.21.10 with the argument of middle size in the place of z.
GNP_COLD c128 elliprg(c128 x, c128 y, c128 z)
{
    if (is_any_infinite(x, y, z)) return c128(INFINITY_F64);
    if (is_outside(x, y, z)) return no_number();
    const f64 a = hypot(x.re, x.im), b = hypot(y.re, y.im), c = hypot(z.re, z.im);
    const f64 middle = fmax(fmin(a, b), fmin(fmax(a, b), c));
    const c128 swapped = middle == a ? x : middle == b ? y : z;
    if (middle == a) x = z;
    if (middle == b && middle != a) y = z;
    z = swapped;
    if (is_zero(z)) return times(0.5, ::sqrt(is_zero(x) ? y : x));
    const c128 rest = multiplied(multiplied(x - z, y - z), rd_of(x, y, z));
    const c128 roots = multiplied(multiplied(::sqrt(x), ::sqrt(y)), inverse_root(z));
    return times(0.5, multiplied(z, rf_of(x, y, z)) - times(1.0 / 3, rest) + roots);
}

GNP_COLD c128 rj_of(c128 x, c128 y, c128 z, c128 p)
{
    const c128 start = times(0.2, x + y + z + times(2, p)), u0 = start - x, v0 = start - y, w0 = start - z;
    c128 mean = start, sum = c128(0.0);
    f64 scale = 1, spread = 700 * fmax(fmax(size_of(u0), size_of(v0)), fmax(size_of(w0), size_of(start - p)));
#pragma unroll 1
    for (int step = 0; step < MAX_COMPLEX_DUPLICATIONS && spread * scale > size_of(mean); step++) {
        const Duplication d = duplication(x, y, z);
        const c128 r = ::sqrt(p), product = multiplied(multiplied(r + d.a, r + d.b), r + d.c);
        const c128 other = quotient_of(multiplied(times(2, r), p + d.lambda), product); // 1 + e_m without cancellation
        sum = sum + times(scale, quotient_of(rc_of(c128(1.0), other), product));
        x = times(0.25, x + d.lambda), y = times(0.25, y + d.lambda), z = times(0.25, z + d.lambda);
        p = times(0.25, p + d.lambda), mean = times(0.25, mean + d.lambda);
        scale *= 0.25;
    }
    const c128 by = quotient_of(c128(scale), mean), u = multiplied(u0, by), v = multiplied(v0, by), w = multiplied(w0, by);
    const c128 t = times(-0.5, u + v + w), uv = multiplied(u, v), uvw = multiplied(uv, w), tt = multiplied(t, t);
    const c128 e2 = uv + multiplied(w, u + v) - times(3, tt);
    const c128 e3 = uvw + multiplied(times(2, e2) + times(4, tt), t);
    const c128 e4 = multiplied(times(2, uvw) + multiplied(e2 + times(3, tt), t), t), e5 = multiplied(uvw, tt);
    const c128 series = third_kind_series(e2, e3, e4, e5);
    return times(6, sum) + times(scale, multiplied(series, inverse_root_cubed(mean)));
}

// 19.20.14: the principal value at p = -q of real arguments.
GNP_COLD c128 rj_principal(f64 x, f64 y, f64 z, f64 q)
{
    const f64 low = fmin(x, fmin(y, z)), high = fmax(x, fmax(y, z)), middle = fmax(fmin(x, y), fmin(fmax(x, y), z));
    const f64 more = (high - middle) * ((middle - low) / (middle + q)), s = more + middle, lh = low * high, sq = s * q;
    const c128 a = c128(low), b = c128(middle), c = c128(high);
    const c128 sum = times(more, rj_of(a, b, c, c128(s))) - times(3, rf_of(a, b, c));
    const c128 last = times(3 * ::sqrt(lh * middle / (lh + sq)), rc_of(c128(lh + sq), c128(sq)));
    return times(1 / (middle + q), sum + last);
}

GNP_FN bool is_real_positive(c128 z) { return z.im == 0 && z.re >= 0; }
GNP_FN bool is_pair(c128 a, c128 b, c128 c) { return a.re == b.re && a.im == -b.im && is_real_positive(c); }

// Carlson's conditions: no real part below 0 and Re p > 0; or real x, y and z, or one real and two that are conjugates,
// with p off the cut.
GNP_COLD c128 elliprj(c128 x, c128 y, c128 z, c128 p)
{
    if (is_any_infinite(x, y, z) || is_infinite(p)) return c128(0.0);
    if (is_outside(x, y, z) || is_nan(p) || is_zero(p)) return no_number();
    if (zeros_of(x, y, z) > 1) return c128(INFINITY_F64);
    const bool real = is_real_positive(x) && is_real_positive(y) && is_real_positive(z);
    const bool right = x.re >= 0 && y.re >= 0 && z.re >= 0 && p.re > 0;
    if (real && is_on_cut(p)) return rj_principal(x.re, y.re, z.re, -p.re);
    if (!right && (is_on_cut(p) || !(real || is_pair(x, y, z) || is_pair(y, z, x) || is_pair(x, z, y)))) return no_number();
    return rj_of(x, y, z, p);
}
}

#endif

// The parabolic cylinder function W(a, x) and its derivative (DLMF 12.14). From |x| = 13, or more for a large a, on by the
// asymptotic series (12.14.17 to 12.14.20). Nearer, the equation y'' = (a - x^2 / 4) y is followed by Taylor series: from
// 0, where 12.14.2 and 12.14.3 have the values, or, where W decays with x, inwards from there.
#ifndef GNP_SPECIAL_PBWA_CUH
#define GNP_SPECIAL_PBWA_CUH

#include "special/gamma_complex.cuh"

namespace special {

enum { CYLINDER_TERMS = 60, CYLINDER_STEPS = 20000 };

struct CylinderW {
    f64 value, slope;
};

// From one place to another.
GNP_COLD CylinderW cylinder_w_follow(f64 a, f64 from, f64 to, CylinderW w)
{
#pragma unroll 1
    for (int i = 0; i < CYLINDER_STEPS && from != to; i++) {
        const f64 left = to - from, reach = fmin(1.0, 2 / sqrt(fabs(a) + 0.25 * from * from + 1));
        const f64 h = copysign(fmin(fabs(left), reach), left), second = h * h;
        const f64 here = second * (a - 0.25 * from * from), third = -0.5 * from * h * second, fourth = -0.25 * second * second;
        // Terms of order k - 2, k - 1, k and k + 1.
        f64 p = 0, q = 0, r = w.value, s = w.slope * h, value = r + s, slope = s;
#pragma unroll 1
        for (int k = 0; k < CYLINDER_TERMS; k++) {
            const f64 next = (here * r + third * q + fourth * p) / ((k + 1.0) * (k + 2.0));
            p = q;
            q = r;
            r = s;
            s = next;
            value += s;
            slope += (k + 2) * s;
            const f64 last = fabs(s) + fabs(r) + fabs(q) + fabs(p); // at 0 some orders are absent
            if (k > 3 && (k + 2) * last < 0x1p-57 * fmin(fabs(value), fabs(slope))) break;
        }
        w = {value, slope / h};
        from = fabs(left) <= reach ? to : from + h;
    }
    return from == to ? w : CylinderW{NAN_F64, NAN_F64};
}

// Both functions of |x| that oscillate, of x and of -x, without their amplitudes (2 k)^(1/2) and (2 / k)^(1/2).
GNP_COLD CylinderW cylinder_w_far(f64 a, f64 x, bool left)
{
    // s1 + i s2 and x times its derivative: the sum of (-i)^r (1/2 + ia)_2r / (r! (2 x^2)^r).
    const f64 inverse = 1 / (2 * x * x);
    c128 term = c128(1.0), sum = term, slope = c128(0.0);
#pragma unroll 1
    for (int r = 1; r < 120; r++) {
        const f64 first = 2 * r - 1.5, second = 2 * r - 0.5; // (first + ia) (second + ia) (-i)
        const c128 factor = c128(a * (first + second), -(first * second - a * a));
        const f64 before = hypot(term.re, term.im);
        term = term * factor;
        term = c128(term.re * inverse / r, term.im * inverse / r);
        const f64 size = hypot(term.re, term.im);
        if (size > before && first * first > a * a) break;
        sum = sum + term;
        slope = slope + c128(-2 * r * term.re, -2 * r * term.im);
        if (size < 0x1p-57 * hypot(sum.re, sum.im)) break;
    }
    f64 sine, cosine;
    sincos(0.25 * x * x - a * log(x) + 0.25 * PI_F64 + 0.5 * loggamma(c128(0.5, a)).im, &sine, &cosine);
    const c128 wave = c128(cosine, sine), y = sum * wave, rate = c128(-0.5 / x, 0.5 * x - a / x);
    const c128 dy = y * rate + c128(slope.re / x, slope.im / x) * wave;
    const f64 scale = 1 / sqrt(x);
    return left ? CylinderW{scale * y.im, -scale * dy.im} : CylinderW{scale * y.re, scale * dy.re};
}

// k^(1/2), k = (1 + e^(2 pi a))^(1/2) - e^(pi a).
GNP_COLD f64 cylinder_w_amplitude(f64 a)
{
    const f64 small = exp(-PI_F64 * fabs(a)), root = sqrt(1 + small * small);
    return a > 0 ? exp(-0.5 * PI_F64 * a) / sqrt(1 + root) : sqrt(1 / (root + small));
}

GNP_COLD CylinderW cylinder_w(f64 a, f64 x)
{
    const f64 size = fabs(x), far = ceil(fmax(fmax(13.0, 2 * sqrt(fabs(a)) + 5), 0.4 * fabs(a)));
    if (!(fabs(a) <= 1000 && size < INFINITY_F64)) return {NAN_F64, NAN_F64};
    const bool left = x < 0, decays = a > 0.5 && x > 0;
    if (size >= far || decays) {
        const f64 k = cylinder_w_amplitude(a), scale = 1.41421356237309505 * (left ? 1 / k : k);
        CylinderW w = cylinder_w_far(a, fmax(size, far), left);
        if (size < far) w = cylinder_w_follow(a, far, x, w);
        return {scale * w.value, scale * w.slope};
    }
    const f64 ratio = exp(0.5 * (loggamma(c128(0.25, 0.5 * a)).re - loggamma(c128(0.75, 0.5 * a)).re));
    return cylinder_w_follow(a, 0, x, {0.594603557501360533 * ratio, -0.840896415253714543 / ratio}); // 2^(-3/4), 2^(-1/4)
}

template <class O> GNP_FN void pbwa(f64 a, f64 x, O &value, O &slope)
{
    const CylinderW w = cylinder_w(a, x);
    value = (O)w.value;
    slope = (O)w.slope;
}
}

#endif

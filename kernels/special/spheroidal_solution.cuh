// Solutions of the spheroidal equation, (x^2 - s) v'' + 2 (p + 1) x v' + (p (p + 1) - cv + d x^2) v = 0, where the
// function is (x^2 - s)^(p / 2) v and p is m or -m (DLMF 30.2.1): followed along the real axis by Taylor series, from the
// singular point 1 by the series of the solution that is regular there, from infinity by the asymptotic one.
#ifndef GNP_SPECIAL_SPHEROIDAL_SOLUTION_CUH
#define GNP_SPECIAL_SPHEROIDAL_SOLUTION_CUH

#include "special/common.cuh"

namespace special {

enum { TAYLOR_TERMS = 120, TAYLOR_STEPS = 20000, ASYMPTOTIC_TERMS = 200 };

struct SpheroidalEquation {
    f64 s, p, cv, d; // s is 1 or -1
};
struct Solution {
    f64 value, slope;
};

// One Taylor series, about x.
GNP_COLD Solution spheroidal_step(const SpheroidalEquation &e, f64 x, f64 h, Solution v)
{
    const f64 square = x * x - e.s, free = e.p * (e.p + 1) - e.cv + e.d * x * x;
    const f64 first = 2 * x * h / square, second = h * h / square, third = 2 * x * e.d * h * second;
    const f64 fourth = e.d * h * h * second;
    // a, b, c, d: the terms of order k - 2, k - 1, k, k + 1
    f64 a = 0, b = 0, c = v.value, d = v.slope * h, value = c + d, slope = d;
#pragma unroll 1
    for (int k = 0; k < TAYLOR_TERMS; k++) {
        const f64 inner = k * (k - 1.0) + 2 * (e.p + 1) * k + free;
        const f64 next = -(first * (k + 1) * (k + e.p + 1) * d + second * inner * c + third * b + fourth * a) /
                         ((k + 1.0) * (k + 2.0));
        a = b;
        b = c;
        c = d;
        d = next;
        value += d;
        slope += (k + 2) * d;
        if (k > 3 && (k + 2) * (fabs(d) + fabs(c)) < 0x1p-58 * fmin(fabs(value), fabs(slope))) break;
        if (k > 40 && (k + 2) * (fabs(d) + fabs(c)) < 0x1p-64 * (fabs(v.value) + fabs(v.slope * h))) break;
    }
    return {value, slope / h};
}

// From one place of an interval without singular points to another.
GNP_COLD Solution spheroidal_follow(const SpheroidalEquation &e, f64 from, f64 to, Solution v)
{
#pragma unroll 1
    for (int i = 0; i < TAYLOR_STEPS && from != to; i++) {
        const f64 square = from * from - e.s, free = e.p * (e.p + 1) - e.cv + e.d * from * from;
        const f64 reach = e.s < 0 ? sqrt(from * from + 1) : fabs(1 - fabs(from));
        const f64 rate = sqrt(fabs(free / square)), left = to - from;
        const f64 h = fmin(fmin(0.4 * reach, 2 / rate), fabs(left));
        v = spheroidal_step(e, from, copysign(h, left), v);
        from = h == fabs(left) ? to : from + copysign(h, left);
    }
    if (from != to) v = {NAN_F64, NAN_F64};
    return v;
}

// The solution that is regular at 1 and 1 there, at 1 - t for |t| <= 1; s is 1 and p not negative.
GNP_COLD Solution spheroidal_regular(const SpheroidalEquation &e, f64 t)
{
    const f64 free = e.p * (e.p + 1) - e.cv + e.d;
    f64 a = 0, b = 0, c = 1, value = 1, slope = 0;
#pragma unroll 1
    for (int k = 0; k < 2 * TAYLOR_TERMS; k++) {
        const f64 inner = k * (k - 1.0) + 2 * (e.p + 1) * k + free;
        const f64 next = (inner * c - 2 * e.d * t * b + e.d * t * t * a) / (2 * (k + 1.0) * (k + e.p + 1));
        slope += (k + 1) * next;
        a = b;
        b = c;
        c = next * t;
        value += c;
        if (k > 3 && (k + 1) * (fabs(c) + fabs(b)) < 0x1p-58 * fmin(fabs(value), fabs(slope * t))) break;
    }
    return {value, -slope};
}

// The solution that is e^(i d^(1/2) x) x^(-p-1) at infinity, from the first x of 8, 16, 32 ... on where its series serves.
// Its real or imaginary part times that of `phase`: where that is, is put into x.
GNP_COLD bool spheroidal_asymptotic(const SpheroidalEquation &e, f64 &x, Solution &real, Solution &imaginary)
{
    const f64 c = sqrt(e.d), order = e.p + 1, free = e.p * (e.p + 1) - e.cv + e.d * e.s;
#pragma unroll 1
    for (int i = 0; i < 12; i++, x *= 2) {
        // Terms of order k - 2, k - 1 and k; those of odd orders are times 1/i.
        f64 a = 0, b = 0, t = 1, sum[2] = {1, 0}, weighted[2] = {order, 0}, size = 1;
#pragma unroll 1
        for (int k = 0; k < ASYMPTOTIC_TERMS; k++) {
            const f64 now = k + order, inner = now * (now + 1) - 2 * order * now + free;
            const f64 turn = k & 1 ? 1.0 : -1.0; // of 1/i in units of what the next order has
            f64 next = turn * (inner * t / x - e.s * (now - 2) * (now - 1) * a / (x * x * x));
            next = (next + 2 * c * e.s * (now - 1) * b / (x * x)) / (2 * c * (k + 1.0));
            a = b;
            b = t;
            t = next;
            size = fabs(t) + fabs(b);
            sum[(k + 1) & 1] += t;
            weighted[(k + 1) & 1] += (now + 1) * t;
            if (size < 0x1p-58 || size > 1e6) break;
        }
        if (size < 0x1p-56) {
            f64 sine, cosine;
            sincos(c * x, &sine, &cosine);
            const f64 scale = pow(x, -order), re = -weighted[0] / x - c * sum[1], im = c * sum[0] - weighted[1] / x;
            real = {scale * (cosine * sum[0] - sine * sum[1]), scale * (cosine * re - sine * im)};
            imaginary = {scale * (sine * sum[0] + cosine * sum[1]), scale * (sine * re + cosine * im)};
            return true;
        }
    }
    return false;
}
}

#endif

// stirling2.cuh: Stirling numbers of the second kind. Up to n = 50 by their recurrence; beyond, from k = 13, Cauchy's integral of
// the generating function (e^z - 1)^k, DLMF 26.8.12, by the trapezoidal rule on the circle through the saddle point
// (Temme 1993 has its expansion): all nodes that count are within 9 widths of the positive axis.
#ifndef GNP_SPECIAL_STIRLING2_CUH
#define GNP_SPECIAL_STIRLING2_CUH

#include "special/stirling.cuh"

namespace special {

// S(n, k) for 1 < k < n <= 50: S(n, k) = k S(n - 1, k) + S(n - 1, k - 1), column by column.
GNP_COLD f64 stirling2_recurrence(int n, int k)
{
    f64 column[50]; // S(j + i, j) by i, for j = 1, 2 ... k
    int length = n - k + 1;
#pragma unroll 1
    for (int i = 0; i < length; i++) {
        column[i] = 1;
    }
#pragma unroll 1
    for (int j = 2; j <= k; j++) {
#pragma unroll 1
        for (int i = 1; i < length; i++) {
            column[i] = fma((f64)j, column[i - 1], column[i]);
        }
    }
    return column[length - 1];
}

// The alternating sum DLMF 26.8.6 for n > 50, where the first of a few terms is nearly all.
GNP_COLD f64 stirling2_few(f64 n, f64 k)
{
    f64 sum = 1, count = 1, first = pow(k, n - 1);
#pragma unroll 1
    for (f64 i = 1; i < k; i++) {
        first /= i; // by (k - 1)! in the end
        count *= -(k - i + 1) / i;
        sum += count * pow((k - i) / k, n);
    }
    return first * sum;
}

// log(n!/k!) for 0 < k < n
GNP_FN f64 log_factorial_ratio(f64 n, f64 k)
{
    return (n - k) * (::log(n) - 1) + (k + 0.5) * ::log1p((n - k) / k) + stirling_tail(n) - stirling_tail(k);
}

GNP_COLD f64 stirling2_contour(f64 n, f64 k)
{
    f64 q = n / k, r = fmin(q, 2 * ((n - k) / k)); // the saddle: r/(1 - exp(-r)) = q, from above
#pragma unroll 1
    for (int i = 0; i < 20; i++) {
        f64 step = (r + q * ::expm1(-r)) / (1 - q * ::exp(-r));
        r -= step;
        if (!(fabs(step) > 1e-9 * r)) break;
    }
    f64 rise = ::expm1(r), width = 1 / sqrt(n * (1 - r / rise)), sum = 0.5;
    f64 points = ceil(fmax(4 * PI_F64 / width, 32.0)), angle = 2 * PI_F64 / points;
#pragma unroll 1
    for (int i = 1; 2 * i <= points && i < 200; i++) {
        f64 theta = i * angle, s, c, es, ec;
        ::sincos(theta, &s, &c);
        ::sincos(r * s, &es, &ec);
        f64 e = ::expm1(r * c), half = ::sin(0.5 * r * s);
        f64 re = fma(e, ec, -2 * half * half), im = fma(e, es, es);
        f64 size = 0.5 * k * ::log((re * re + im * im) / (rise * rise)), term = 0;
        if (size > -45) term = ::exp(size) * ::cos(k * ::atan2(im, re) - n * theta);
        sum += 2 * i == points ? 0.5 * term : term;
        if (size <= -45) break;
    }
    return ::exp(log_factorial_ratio(n, k) + k * ::log(rise / r) - (n - k) * ::log(r)) * (2 * sum / points);
}

// S(n, k) for whole numbers; 0 outside of 0 <= k <= n.
GNP_FN f64 stirling2(f64 n, f64 k)
{
    if (!(k >= 0 && k <= n)) return 0;
    if (k == n || k <= 1) return k == n || k == 1 ? 1 : 0;
    if (k == 2) return ::ldexp(1.0, (int)fmin(n - 1, 5000.0)) - 1;
    if (k <= 12 && n > 50) return stirling2_few(n, k);
    return n <= 50 ? stirling2_recurrence((int)n, (int)k) : stirling2_contour(n, k);
}
}

#endif

// smirnov_two.cuh: the distributions of Kolmogorov's and Smirnov's statistics of n numbers, at a distance x: the
// density of the one-sided one, whose tail is special::smirnov, and the two-sided one, which is
//   n x < 95 and few steps     n steps of J. Durbin's recurrence, in the form of G. Marsaglia, W. W. Tsang, J. Wang, J.
//                              Statist. Software 8 (18), 2003: numbers of points in intervals of length 1/n, as Poisson
//                              numbers of mean 1, between both bounds. Its derivative follows in the same steps
//   n x^2 > 6.2                twice the one-sided tail: both bounds are crossed with a probability below rounding
//   otherwise                  the expansion in 1/sqrt(n) of W. Pelz, I. J. Good, J. R. Statist. Soc. B 38 (1976)
#ifndef GNP_STATS_SMIRNOV_TWO_CUH
#define GNP_STATS_SMIRNOV_TWO_CUH

#include "special/root.cuh"
#include "special/smirnov.cuh"
#include "stats/counting.cuh"

namespace stats {

// The derivative of the one-sided distribution function, term by term.
/** Minus the slope of Smirnov's probability for a large n: that of its expansion, far from 0 by differences of the
 *  logarithm, which is nearly quadratic. */
GNP_COLD f64 smirnov_slope(f64 n, f64 x)
{
    const f64 s = n * x * x, step = 2e-3 * x;
    if (s < 1) {
        const f64 series = 1 - 2 * x / 3 + 2 * x * x / 3 * (1 - 2 * s / 3) + 4 * x / (9 * n) * (0.2 + s * (2 * s / 3 - 19.0 / 15));
        const f64 slope = -2.0 / 3 + 4 * x / 3 * (1 - 4 * s / 3) + 4 / (45 * n) + x * x * (40 * s / 27 - 76.0 / 45);
        return exp(-2 * s) * (4 * n * x * series - slope);
    }
    const f64 here = x < 0.5 ? special::smirnov_of(n, x, true) : 0;
    if (here < 1e-290) return fmax(here, 0.0) * 4 * n * x * (1 + 4 * x * x / 9);
    f64 sum = 0;
#pragma unroll 1
    for (int i = -2; i <= 2; i++) {
        const f64 weight = i == 0 ? 0 : (i & 1 ? 8 : -1) * (i > 0 ? 1.0 : -1.0);
        sum += weight * log(special::smirnov_of(n, x + i * step, true));
    }
    return -here * sum / (12 * step);
}

GNP_COLD f64 smirnov_pdf(f64 n, f64 x)
{
    const f64 d = n * x, d_low = fma(n, x, -d);
    f64 sum = 0;
    if (n == 1 || (d <= (n > 300000 ? 9 : 5) && x <= 0.5)) {
        f64 power = 1;
#pragma unroll 1
        for (f64 i = 0; i <= d && (i < n || i == 0); i++) {
            const f64 below = (d - i) / n, above = 1 + below;
            const f64 slope = i > 0 ? i * pow(below, i - 1) * x + pow(below, i) : 1;
            sum += power * exp((n - i - 1) * log1p(below)) * (slope + (i > 0 ? pow(below, i) : 1) * x * (n - i - 1) / above);
            power *= -(n - i) / (i + 1);
        }
        return sum;
    }
    if (n > 300000) return smirnov_slope(n, x); // not n terms
    sum = n * exp((n - 1) * log1p(-x));
    const f64 last = floor(n - d);
#pragma unroll 1
    for (f64 j = 1; j <= last; j++) {
        const f64 term = special::smirnov_term(n, d, d_low, j, n - j);
        if (n - d - j > 1e-9) sum += term * n * ((d + 1) / (d + j) + d / (n - d - j) - 1 / d);
    }
    return sum;
}

#define GNP_STATS_MOST_STATES 191
#define GNP_STATS_JUMPS 22

struct KolmogorovState {
    f64 p[GNP_STATS_MOST_STATES + 1], slope[GNP_STATS_MOST_STATES + 1]; // and their derivatives by h
    f64 jump[GNP_STATS_JUMPS], lost[GNP_STATS_JUMPS], by_h[GNP_STATS_JUMPS]; // 1/k!, h^k/k! and its derivative, over e
};

GNP_FN void start_kolmogorov(KolmogorovState &s, f64 h, int states, int middle)
{
    f64 weight = 0x1.78b56362cef38p-2, power = 1; // exp(-1)
#pragma unroll 1
    for (int k = 0; k < GNP_STATS_JUMPS; k++) {
        s.jump[k] = weight;
        s.lost[k] = weight * power;
        s.by_h[k] = k > 0 ? s.lost[k - 1] : 0;
        weight /= k + 1;
        power *= h;
    }
#pragma unroll 1
    for (int i = 0; i <= states; i++) {
        s.p[i] = i == middle ? 1 : 0;
        s.slope[i] = 0;
    }
}

// States 1 ... m from the last: a state follows from those up to the next one. Their derivatives are left out unless
// they are wanted.
template <bool DENSITY> GNP_FN void step_kolmogorov(KolmogorovState &s, int m, f64 corner, f64 corner_by_h)
{
    f64 next = 0, next_slope = 0;
#pragma unroll 1
    for (int i = m; i >= 1; i--) {
        f64 p = s.jump[0] * next, slope = s.jump[0] * next_slope;
        const int first = i + 2 > GNP_STATS_JUMPS ? i + 2 - GNP_STATS_JUMPS : 1;
#pragma unroll 1
        for (int j = i; j >= first; j--) {
            p += s.jump[i - j + 1] * s.p[j];
            if constexpr (DENSITY) slope += s.jump[i - j + 1] * s.slope[j];
        }
        if (first == 1) { // what the jumps lose below the first state
            p -= s.lost[i] * s.p[1];
            if constexpr (DENSITY) slope -= s.lost[i] * s.slope[1] + s.by_h[i] * s.p[1];
        }
        if (i == m) { // and beyond the last one
#pragma unroll 1
            for (int j = i; j >= first; j--) {
                p -= s.lost[i - j + 1] * s.p[j];
                if constexpr (DENSITY) slope -= s.lost[i - j + 1] * s.slope[j] + s.by_h[i - j + 1] * s.p[j];
            }
            p += corner * s.p[1];
            slope += corner * s.slope[1] + corner_by_h * s.p[1];
        }
        next = s.p[i];
        next_slope = s.slope[i];
        s.p[i] = p;
        s.slope[i] = slope;
    }
}

// The distribution function by the recurrence, or the density.
template <bool DENSITY> GNP_COLD f64 kolmogorov_exact(f64 n, f64 x)
{
    const int middle = (int)floor(n * x) + 1, m = 2 * middle - 1;
    const f64 h = middle - n * x;
    KolmogorovState s;
    start_kolmogorov(s, h, m, middle);
    const bool has_corner = h > 0.5 && m < GNP_STATS_JUMPS;
    const f64 by_h = has_corner ? 2 * pow(2 * h - 1, (f64)(m - 1)) * s.jump[m - 1] : 0;
    const f64 corner = has_corner ? pow(2 * h - 1, (f64)m) * s.jump[m] : 0;
#pragma unroll 1
    for (f64 step = 0; step < n; step++) {
        step_kolmogorov<DENSITY>(s, m, corner, by_h);
    }
    return (DENSITY ? -n * s.slope[middle] : s.p[middle]) / poisson_pmf(n, n);
}

GNP_COLD f64 kolmogorov_expansion(f64 n, f64 x)
{
    const f64 z2 = n * x * x, z = sqrt(z2), z4 = z2 * z2, z6 = z4 * z2, root = sqrt(0.5 * PI_F64);
    f64 k0 = 0, k1 = 0, k2 = 0, k3 = 0;
#pragma unroll 1
    for (int k = 0; k < 12; k++) {
        const f64 a = square(PI_F64 * (k + 0.5)), e = 2 * exp(-a / (2 * z2));
        const f64 b = square(PI_F64 * k), whole = k > 0 ? 2 * exp(-b / (2 * z2)) : 0;
        k0 += e;
        k1 += (a - z2) * e;
        k2 += (6 * z6 + 2 * z4 + a * (2 * z4 - 5 * z2) + a * a * (1 - 2 * z2)) * e / 2 - z4 * b * whole;
        k3 += (a * a * a * (5 - 30 * z2) + a * a * (212 * z4 - 60 * z2) + a * (135 * z4 - 96 * z6) - 30 * z6
               - 90 * z4 * z4)
                * e
            + 60 * z4 * (3 * b * z2 - b * b) * whole;
    }
    const f64 r = 1 / sqrt(n);
    return root / z * (k0 + r / (6 * z2 * z) * (k1 + r / (6 * z2 * z) * (k2 + r / (180 * z2 * z) * k3)));
}

// The two-sided distribution function, or its complement, for 0 < x < 1; without steps where they are not wanted.
GNP_COLD f64 kolmogorov_two(f64 n, f64 x, bool upper, bool steps = true)
{
    if (!(x < 1)) return upper ? 0 : 1;
    const f64 d = n * x, s = d * x;
    if (d <= 0.5) return upper ? 1 : 0;
    if (s > 6.2 || x >= 0.5) {
        const f64 one = special::smirnov(n, x);
        return upper ? 2 * one : 1 - 2 * one;
    }
    const f64 states = 2 * floor(d) + 1;
    f64 below;
    if (steps && states <= GNP_STATS_MOST_STATES && n * states <= 2e5) below = kolmogorov_exact<false>(n, x);
    else if (s > 3) return fabs((upper ? 0 : 1) - 2 * (special::smirnov(n, x) - exp(-8 * s)));
    else below = kolmogorov_expansion(n, x);
    return upper ? 1 - below : below;
}

GNP_COLD f64 kolmogorov_two_pdf(f64 n, f64 x)
{
    const f64 d = n * x, s = d * x;
    if (d <= 0.5) return 0;
    if (s > 6.2 || x > 0.5) return 2 * smirnov_pdf(n, x);
    const f64 states = 2 * floor(d) + 1;
    if (states <= GNP_STATS_MOST_STATES && n * states <= 2e5) return kolmogorov_exact<true>(n, x);
    const f64 step = 2e-3 * x; // differences of five points
    const f64 near = kolmogorov_expansion(n, x + step) - kolmogorov_expansion(n, x - step);
    const f64 far = kolmogorov_expansion(n, x + 2 * step) - kolmogorov_expansion(n, x - 2 * step);
    return (8 * near - far) / (12 * step);
}

struct KolmogorovTail {
    f64 n;
    bool steps;

    __device__ __noinline__ f64 operator()(f64 x, bool upper) const { return kolmogorov_two(n, x, upper, steps); }
};

// The x with the probability p below and q = 1 - p above. For many numbers the search begins at the root without steps,
// so few of the costly probabilities are computed: steps of Newton with the slope there, or those in a bracket about the
// root where they do not become small at once.
GNP_COLD f64 kolmogorov_two_quantile(f64 n, f64 p, f64 q)
{
    const f64 least = 0.5 / n;
    const special::Level<KolmogorovTail> rough = {{n, n < 100}, p, q}, level = {{n, true}, p, q};
    const f64 x = special::positive_root(rough, true, fmin(1 / sqrt(n), 0.9), least, 1);
    if (n < 100 || !(x > least && x < 1)) return x;
    const f64 slope = (rough(x * (1 + 0x1p-14)) - rough(x * (1 - 0x1p-14))) / (0x1p-13 * x), fx = level(x);
    f64 root = x, step = fx / slope, before = 0x1p-10 * x;
#pragma unroll 1
    while (fabs(step) < 0.125 * before) {
        root -= step;
        if (step * step <= 0x1p-53 * before * root) return root; // the next one would be below rounding
        before = fabs(step);
        step = level(root) / slope;
    }
    const f64 bound = fx < 0 ? 1 : least;
    f64 width = 1e-6, other = x, f_other = fx;
#pragma unroll 1
    while ((f_other < 0) == (fx < 0) && f_other != 0 && other != bound) {
        other = fx < 0 ? fmin(x * (1 + width), bound) : fmax(x / (1 + width), bound);
        f_other = level(other);
        width *= 32;
    }
    return (f_other < 0) == (fx < 0) && f_other != 0 ? other : special::root_between(level, x, fx, other, f_other);
}

GNP_FN f64 smirnov_cdf(f64 n, f64 x) { return x <= 0 ? 0 : x >= 1 ? 1 : special::smirnov_of(n, x, false); }
}

#endif

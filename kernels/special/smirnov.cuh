// smirnov.cuh: the distribution of Smirnov's one-sided statistic of n numbers, d = n x:
//   P(D > x) = sum over 0 <= j <= n - d of d/(j + d) b(j; n, x + j/n)
// with b the binomial probability, whose exponent has no cancellation in Loader's form (2000).
//   d <= 5        1 less the complementary sum, whose few terms alternate (van Mulbregt 2018)
//   d >= 50       the sum is an integral, and the trapezoidal rule in log(j/(n - d - j)) has some 100 nodes
//   n > 300000    otherwise, from d = 12: the expansion in 1/sqrt(n) (Gnedenko, Korolyuk and Skorokhod 1960)
#ifndef GNP_SPECIAL_SMIRNOV_CUH
#define GNP_SPECIAL_SMIRNOV_CUH

#include "special/root.cuh"
#include "special/stirling.cuh"

namespace special {

GNP_COLD f64 pow_called(f64 x, f64 y) { return pow(x, y); }

// d/(j + d) b(j; n, (j + d)/n) for 0 < j < n, rest = n - j; j need not be whole. d_low is what d has lost.
GNP_COLD f64 smirnov_term(f64 n, f64 d, f64 d_low, f64 j, f64 rest)
{
    f64 u = d / j, v = -d / rest, left = rest - d - d_low, lost = d_low * (j / (j + d));
    if (!(left > 0)) return 0;
    f64 e = j * (u < 1.33 ? log1pmx(u) : log1p_called(u) - u);
    if (v > -0.5) {
        e += rest * log1pmx(v);
        lost -= d_low * (rest / left);
    }
    else {
        e += rest * (log_called(left / rest) - v);
    }
    e += stirling_tail(n) - stirling_tail(j) - stirling_tail(rest) + lost;
    return d / (j + d) * sqrt(n / rest / j) * exp_called(e) / ROOT_TWO_PI_F64;
}

// sum of (-1)^i C(n, i) (x - i/n)^i (1 + x - i/n)^(n - i - 1) x over 0 <= i <= d
GNP_COLD f64 smirnov_lower(f64 n, f64 x, f64 d)
{
    f64 sum = exp_called((n - 1) * log1p_called(x)), power = 1;
#pragma unroll 1
    for (f64 i = 1; i <= d && i <= n; i++) {
        power *= -(n - i + 1) / i;
        sum += power * pow_called((d - i) / n, i) * exp_called((n - i - 1) * log1p_called((d - i) / n));
    }
    return x * sum;
}

GNP_COLD f64 smirnov_integral(f64 n, f64 d, f64 d_low)
{
    f64 step = fmin(0.2, 0.7 * sqrt(n) / d), sum = 0, largest = 0, most = n - d;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        f64 last = 0;
#pragma unroll 1
        for (int i = side; i < 400; i++) {
            f64 r = exp_called(step * (side ? -i : i)), s = 1 / (1 + r), j = most * (r * s);
            f64 term = smirnov_term(n, d, d_low, j, d + most * s) * most * r * s * s;
            sum += term;
            largest = fmax(largest, term);
            if (term < last && term < 1e-18 * largest) break;
            last = term;
        }
    }
    return sum * step;
}

GNP_COLD f64 smirnov_expansion(f64 n, f64 x)
{
    f64 s = n * x * x, r = x / 3; // s = lambda^2, r = lambda/(3 sqrt n)
    f64 series = 1 - 2 * r + 2 * s / (3 * n) * (1 - 2 * s / 3) + 4 * r / (3 * n) * (0.2 + s * (2 * s / 3 - 19.0 / 15));
    return exp_called(-2 * s) * series;
}

// P(D > x), or P(D <= x), for 0 < x < 1 and whole n.
GNP_COLD f64 smirnov_of(f64 n, f64 x, bool upper)
{
    f64 d = n * x, d_low = fma(n, x, -d), most = n - d;
    if (d <= 5 || (d <= 12 && n > 300000)) {
        f64 lower = smirnov_lower(n, x, d);
        if (lower < 0.6) return upper ? 1 - lower : lower;
    }
    // As an integral: the first term has to be nothing, and the peak wider than the distance of terms.
    f64 sum = x > 0.5 ? pow_called(1 - x, n) : exp_called(n * log1p_called(-x));
    bool smooth = d >= 50 && sum <= 1e-19 * smirnov_term(n, d, d_low, 0.5 * most, d + 0.5 * most);
    if (smooth && most * (n + d) >= 7 * d * sqrt(n)) {
        sum = smirnov_integral(n, d, d_low);
    }
    else if (n > 300000) {
        sum = smirnov_expansion(n, x);
    }
    else {
        f64 last = floor(most);
#pragma unroll 1
        for (f64 j = 1; j <= last; j++) {
            sum += smirnov_term(n, d, d_low, j, n - j);
        }
    }
    return upper ? sum : 1 - sum;
}

GNP_FN f64 smirnov(f64 n, f64 x)
{
    n = floor(n);
    if (!(n > 0 && n < INFINITY_F64 && x >= 0 && x <= 1)) return NAN_F64;
    return x == 0 || x == 1 ? 1 - x : smirnov_of(n, x, true);
}
GNP_FN f64 smirnov(i64 n, f64 x) { return smirnov((f64)n, x); }

struct SmirnovTail {
    f64 n;

    GNP_FN f64 operator()(f64 x, bool upper) const
    {
        return x >= 1 ? (upper ? 0.0 : 1.0) : smirnov_of(n, x, upper);
    }
};

GNP_FN f64 smirnovi(f64 n, f64 p)
{
    n = floor(n);
    if (!(n > 0 && n < INFINITY_F64 && p >= 0 && p <= 1)) return NAN_F64;
    if (p == 0 || p == 1) return 1 - p;
    Level<SmirnovTail> f = {{n}, 1 - p, p};
    return positive_root(f, true, fmin(sqrt(-0.5 * log_called(p) / n), 0.5), 1e-300, 1);
}
GNP_FN f64 smirnovi(i64 n, f64 p) { return smirnovi((f64)n, p); }
}

#endif

// random_draws.cuh: what the expressions of tables/random.def call. Functions of one Word use it up;
// those of a Stream d draw as many numbers as it takes, and end for parameters that are NaN.
#ifndef GNP_RANDOM_DRAWS_CUH
#define GNP_RANDOM_DRAWS_CUH

#include "random.cuh"

// ---- one word: inversion of the distribution function (L. Devroye, "Non-Uniform Random Variate
// Generation", 1986, II.2) ------------------------------------------------------------------------

GNP_FN f64 laplace(Word<f64> w)
{
    f64 u = open_unit(w), value = log_normal(u < 0.5 ? 2.0 * u : 2.0 - 2.0 * u);
    return u < 0.5 ? value : -value;
}
GNP_FN f64 logistic(Word<f64> w)
{
    f64 u = open_unit(w);
    return log_normal(u / (1.0 - u));
}
// The tangent of an angle anywhere on the circle.
GNP_FN f32 cauchy(Word<f32> w) { return tangent(w.bits); }
GNP_FN f64 cauchy(Word<f64> w)
{
    f64 s, c;
    turn(w.bits, s, c);
    return s / c;
}
GNP_FN f64 weibull(Word<f64> w, f64 a) { return a == 0.0 ? 0.0 : power_of(exponential(w), 1.0 / a); }
GNP_FN f64 power_draw(Word<f64> w, f64 a) { return power_of(-expm1_of(-exponential(w)), 1.0 / a); }
GNP_FN f64 triangular(Word<f64> w, f64 left, f64 mode, f64 right)
{
    f64 u = unit(w), base = right - left, below = mode - left;
    return u <= below / base ? left + sqrt(u * (below * base)) : right - sqrt((1.0 - u) * ((right - mode) * base));
}
// The number of trials: at least one.
GNP_FN f64 geometric(Word<f64> w, f64 p)
{
    f64 n = ceil(exponential(w) / -log1p_of(-p));
    return n < 1.0 ? 1.0 : n;
}

// ---- gamma and its kin ----------------------------------------------------------------------------

// What rows without preparation prepare.
struct Nothing {};

// A gamma variate of shape a >= 1 by G. Marsaglia, W. W. Tsang, "A simple method for generating gamma
// variables", ACM TOMS 26 (2000); below 1 one of shape a + 1 times U^(1/a) (section 6 of the same).
// What depends on the shape alone is made once where all elements have the same.
struct Gamma {
    f64 shape, third, slope, inverse;
    GNP_FN explicit Gamma(f64 a) : shape(a), third((a < 1.0 ? a + 1.0 : a) - 1.0 / 3), slope(1.0 / sqrt(9.0 * third))
    {
        inverse = a < 1.0 ? 1.0 / a : 0.0;
    }
    GNP_FN bool is_degenerate() const { return !(shape > 0.0 && shape < HUGE_F64); }
    template <class D> GNP_FN f64 from_one(D &d) const
    {
#pragma unroll 1
        for (;;) {
            f64 x = d.normal(), v = fma(slope, x, 1.0);
            if (v <= 0.0) {
                continue;
            }
            v = v * v * v;
            f64 u = d.open_unit(), square = x * x;
            if (u < 1.0 - 0.0331 * (square * square) ||
                log_seldom(u) < 0.5 * square + third * (1.0 - v + log_seldom(v))) {
                return third * v;
            }
        }
    }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        if (is_degenerate()) {
            return shape;
        }
        f64 value = from_one(d);
        return shape < 1.0 ? value * exp_of(-d.exponential() * inverse) : value;
    }
    // Its logarithm: of any shape it stays finite.
    template <class D> GNP_FN f64 draw_log(D &d) const
    {
        if (is_degenerate()) {
            return shape == 0.0 ? -HUGE_F64 : shape;
        }
        f64 value = log_of(from_one(d));
        return shape < 1.0 ? value - d.exponential() * inverse : value;
    }
};

template <class D> GNP_FN f64 gamma(D &d, f64 a) { return Gamma(a).draw(d); }
template <class D> GNP_FN f64 log_gamma_draw(D &d, f64 a) { return Gamma(a).draw_log(d); }
template <class D> GNP_FN f64 chisquare(D &d, f64 df) { return 2.0 * gamma(d, 0.5 * df); }

// X / (X + Y) of two gamma variates, by their logarithms where they may both underflow.
template <class D> GNP_FN f64 beta(D &d, f64 a, f64 b)
{
    if (a < 1.0 || b < 1.0) {
        f64 x = log_gamma_draw(d, a), y = log_gamma_draw(d, b);
        return 1.0 / (1.0 + exp_of(y - x));
    }
    f64 x = gamma(d, a), y = gamma(d, b);
    return x / (x + y);
}

template <class D> GNP_FN f64 f_ratio(D &d, f64 dfnum, f64 dfden)
{
    f64 above = chisquare(d, dfnum) * dfden;
    return above / (chisquare(d, dfden) * dfnum);
}

template <class D> GNP_FN f64 student(D &d, f64 df)
{
    f64 z = d.normal(), half = 0.5 * df;
    return z * sqrt(half / gamma(d, half));
}

// ---- counts -----------------------------------------------------------------------------------------

// Small means by going through the terms; else the transformed rejection PTRS of W. Hormann, "The
// transformed rejection method for generating Poisson random variables", 1993.
struct Poisson {
    f64 mean, log_mean, a, b, log_inverse_alpha, squeeze; // of a small mean log_mean is the first term
    GNP_FN explicit Poisson(f64 m) : mean(m)
    {
        if (m < 10.0) {
            log_mean = exp_of(-m);
            return;
        }
        log_mean = log_seldom(m);
        b = 0.931 + 2.53 * sqrt(m);
        a = -0.059 + 0.02483 * b;
        log_inverse_alpha = log_seldom(1.1239 + 1.1328 / (b - 3.4));
        squeeze = 0.9277 - 3.6224 / (b - 2.0);
    }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        if (!(mean > 0.0 && mean < HUGE_F64)) {
            return mean;
        }
        if (mean < 10.0) {
            f64 u = d.unit(), term = log_mean, k = 0.0;
#pragma unroll 1
            while (u > term && k < 200.0) {
                u -= term;
                k += 1.0;
                term *= mean / k;
            }
            return k;
        }
#pragma unroll 1
        for (;;) {
            f64 u, v;
            d.units(u, v);
            u -= 0.5;
            f64 us = 0.5 - fabs(u);
            f64 k = floor((2.0 * a / us + b) * u + mean + 0.43);
            if (us >= 0.07 && v <= squeeze) {
                return k;
            }
            if (!(k >= 0.0) || (us < 0.013 && v > us)) {
                continue;
            }
            if (log_seldom(v / (a / (us * us) + b)) + log_inverse_alpha <= k * log_mean - mean - log_gamma(k + 1.0)) {
                return k;
            }
        }
    }
};

template <class D> GNP_FN f64 poisson(D &d, f64 mean) { return Poisson(mean).draw(d); }

// Where n p is below 10 by going through the terms; else the transformed rejection BTRS of W. Hormann,
// "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46
// (1993). Of p above 1/2 the failures are drawn.
struct Binomial {
    f64 n, p, small, odds, first; // odds of small and the term of none; or, with BTRS, the logarithm of odds
    f64 a, b, centre, squeeze, alpha, mode, top;
    GNP_FN Binomial(f64 trials, f64 chance) : n(trials), p(chance), small(chance <= 0.5 ? chance : 1.0 - chance)
    {
        if (!(n * small >= 10.0)) {
            odds = small / (1.0 - small);
            first = exp_of(n * log1p_of(-small));
            return;
        }
        f64 spread = sqrt(n * small * (1.0 - small));
        b = 1.15 + 2.53 * spread;
        a = -0.0873 + 0.0248 * b + 0.01 * small;
        centre = n * small + 0.5;
        squeeze = 0.92 - 4.2 / b;
        alpha = (2.83 + 5.1 / b) * spread;
        odds = log_seldom(small / (1.0 - small));
        mode = floor((n + 1.0) * small);
        top = log_gamma(mode + 1.0) + log_gamma(n - mode + 1.0);
    }
    template <class D> GNP_FN f64 rejected(D &d) const
    {
#pragma unroll 1
        for (;;) {
            f64 u, v;
            d.units(u, v);
            u -= 0.5;
            f64 us = 0.5 - fabs(u);
            f64 k = floor((2.0 * a / us + b) * u + centre);
            if (us >= 0.07 && v <= squeeze) {
                return k;
            }
            if (!(k >= 0.0 && k <= n)) {
                continue;
            }
            if (log_seldom(v * alpha / (a / (us * us) + b)) <=
                top - log_gamma(k + 1.0) - log_gamma(n - k + 1.0) + (k - mode) * odds) {
                return k;
            }
        }
    }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        if (!(n > 0.0 && p > 0.0)) {
            return 0.0;
        }
        f64 k = 0.0;
        if (n * small >= 10.0) {
            k = rejected(d);
        }
        else if (small > 0.0) {
            f64 u = d.unit(), term = first, most = n < 200.0 ? n : 200.0;
#pragma unroll 1
            while (u > term && k < most) {
                u -= term;
                k += 1.0;
                term *= odds * (n - k + 1.0) / k;
            }
        }
        return p <= 0.5 ? k : n - k;
    }
};

template <class D> GNP_FN f64 binomial(D &d, f64 n, f64 p) { return Binomial(n, p).draw(d); }

template <class D> GNP_FN f64 negative_binomial(D &d, f64 n, f64 p)
{
    return poisson(d, gamma(d, n) * ((1.0 - p) / p));
}

GNP_FN f64 log_factorial(f64 k) { return log_gamma(k + 1.0); }

// Few draws one by one; else the ratio of uniforms HRUA* of E. Stadlober, "The ratio of uniforms
// approach for generating discrete random variates", 1990, of the smaller halves of both divisions.
template <class D> GNP_FN f64 hypergeometric(D &d, f64 good, f64 bad, f64 sample)
{
    f64 all = good + bad, n = sample <= all - sample ? sample : all - sample;
    f64 few = good <= bad ? good : bad, many = good <= bad ? bad : good, k = 0.0;
    if (!(n >= 0.0 && few >= 0.0)) {
        return 0.0;
    }
    if (n < 10.0) {
        f64 total = all, left = few;
#pragma unroll 1
        for (f64 i = 0.0; i < n; i += 1.0) {
            if (d.unit() * total < left) {
                k += 1.0;
                left -= 1.0;
            }
            total -= 1.0;
        }
    }
    else {
        f64 p = few / all, centre = n * p + 0.5;
        f64 c = sqrt((all - n) * n * p * (1.0 - p) / (all - 1.0) + 0.5);
        f64 h = 1.7155277699214135 * c + 0.8989161620588988; // 2 sqrt(2 / e), 3 - 2 sqrt(3 / e)
        f64 mode = floor((n + 1.0) * (few + 1.0) / (all + 2.0)), end = floor(centre + 16.0 * c);
        f64 most = n < few ? n : few;
        end = most + 1.0 < end ? most + 1.0 : end;
        f64 top = log_factorial(mode) + log_factorial(few - mode) + log_factorial(n - mode) +
                  log_factorial(many - n + mode);
#pragma unroll 1
        for (;;) {
            f64 u, v;
            d.units(v, u);
            f64 x = centre + h * (v - 0.5) / u;
            if (!(x >= 0.0 && x < end)) {
                continue;
            }
            k = floor(x);
            f64 t = top - (log_factorial(k) + log_factorial(few - k) + log_factorial(n - k) +
                           log_factorial(many - n + k));
            if (u * (4.0 - u) - 3.0 <= t || (u * (u - t) < 1.0 && 2.0 * log_seldom(u) <= t)) {
                break;
            }
        }
    }
    k = good <= bad ? k : n - k;
    return n == sample ? k : good - k;
}

// Algorithm LK of A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random
// variables", Applied Statistics 30 (1981).
template <class D> GNP_FN f64 logseries(D &d, f64 p)
{
    f64 r = log1p_of(-p);
#pragma unroll 1
    for (;;) {
        f64 v = d.open_unit();
        if (!(v < p)) {
            return 1.0;
        }
        f64 q = -expm1_of(r * d.open_unit());
        if (v <= q * q) {
            f64 k = floor(1.0 + log_seldom(v) / log_seldom(q));
            if (k >= 1.0) {
                return k;
            }
            continue;
        }
        return v >= q ? 1.0 : 2.0;
    }
}

// Rejection from the bounds of Devroye, 1986, X.6.1, cut where an int64 ends.
template <class D> GNP_FN f64 zipf(D &d, f64 a)
{
    if (!(a > 1.0 && a < 1025.0)) {
        return 1.0;
    }
    f64 less = a - 1.0, b = power_of(2.0, less), least = power_of(9223372036854775807.0, -less);
#pragma unroll 1
    for (;;) {
        f64 u, v;
        d.units(v, u);
        f64 x = floor(power_of(u * least + (1.0 - u), -1.0 / less));
        f64 t = power_of(1.0 + 1.0 / x, less);
        if (x >= 1.0 && x < 9223372036854775807.0 && v * x * (t - 1.0) / (b - 1.0) <= t / b) {
            return x;
        }
    }
}

// ---- others -------------------------------------------------------------------------------------------

template <class D> GNP_FN f64 noncentral_chisquare(D &d, f64 df, f64 nonc)
{
    if (nonc == 0.0) {
        return chisquare(d, df);
    }
    if (df > 1.0) {
        f64 x = chisquare(d, df - 1.0), z = d.normal() + sqrt(nonc);
        return x + z * z;
    }
    f64 n = poisson(d, 0.5 * nonc);
    return chisquare(d, df + 2.0 * n);
}

template <class D> GNP_FN f64 noncentral_f(D &d, f64 dfnum, f64 dfden, f64 nonc)
{
    f64 above = noncentral_chisquare(d, dfnum, nonc) * dfden;
    return above / (chisquare(d, dfden) * dfnum);
}

// D. J. Best, N. I. Fisher, "Efficient simulation of the von Mises distribution", Applied Statistics
// 28 (1979); above 10^6 a normal distribution wrapped around the circle.
template <class D> GNP_FN f64 vonmises(D &d, f64 mu, f64 kappa)
{
    f64 angle;
    if (kappa != kappa || mu != mu) {
        return NAN_F64;
    }
    if (kappa < 1e-8) {
        return PI * (2.0 * d.unit() - 1.0);
    }
    if (kappa > 1e6) {
        angle = sqrt(1.0 / kappa) * d.normal();
    }
    else {
        f64 r = 1.0 + sqrt(1.0 + 4.0 * kappa * kappa), rho = (r - sqrt(2.0 * r)) / (2.0 * kappa);
        f64 s = kappa < 1e-5 ? 1.0 / kappa + kappa : (1.0 + rho * rho) / (2.0 * rho), sine, z, w, y, v;
#pragma unroll 1
        do {
            turn(d.wide().bits >> 1, sine, z);
            w = (1.0 + s * z) / (s + z);
            y = kappa * (s - w);
            v = d.open_unit();
        } while (!(y * (2.0 - y) - v >= 0.0 || log_seldom(y / v) + 1.0 - y >= 0.0));
        f64 under = 1.0 + w;
        angle = under > 0.0 ? 2.0 * arctan_of(sqrt((1.0 - w < 0.0 ? 0.0 : 1.0 - w) / under)) : PI;
        angle = d.wide().bits & 1u ? angle : -angle;
    }
    angle += mu;
    return angle - 2.0 * PI * rint(angle / (2.0 * PI));
}

// J. R. Michael, W. R. Schucany, R. W. Haas, "Generating random variates using transformations with
// multiple roots", The American Statistician 30 (1976). The root is written so that nothing cancels.
template <class D> GNP_FN f64 wald(D &d, f64 mean, f64 scale)
{
    f64 z = d.normal(), w = mean * (z * z) / (2.0 * scale);
    f64 root = 1.0 / (1.0 + w + sqrt(w * (w + 2.0)));
    return d.unit() <= 1.0 / (1.0 + root) ? mean * root : mean / root;
}

#endif

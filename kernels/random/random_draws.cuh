// random_draws.cuh: the functions that expressions of tables/random.def call. Functions of one Word consume
// it; those of a Stream d draw as many numbers as necessary, and terminate for parameters that are NaN.
#ifndef GNP_RANDOM_DRAWS_CUH
#define GNP_RANDOM_DRAWS_CUH

#include "random/random.cuh"

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
// The tangent of a uniform angle.
GNP_FN f32 cauchy(Word<f32> w) { return tangent(w.bits); }
GNP_FN f64 cauchy(Word<f64> w)
{
    f64 s, c;
    sincos_turns(w.bits, s, c);
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

// ---- gamma and related -----------------------------------------------------------------------------

// The preparation of rows without one. wants_normal: whether a DRAW_PAIRED element may draw a normal variate.
struct Nothing {
    GNP_FN bool wants_normal() const { return true; }
};

// A gamma variate of shape a >= 1 by G. Marsaglia, W. W. Tsang, "A simple method for generating gamma
// variables", ACM TOMS 26 (2000); below 1 one of shape a + 1 times U^(1/a) (section 6 of the same). Of the
// shapes 1 to 4 it is a sum of exponential variates, the logarithm of a product: nothing is rejected.
// What depends on the shape alone is made once where all elements have the same.
struct Gamma {
    enum { MOST_TERMS = 4 };
    f64 shape, third, slope, inverse;
    GNP_FN explicit Gamma(f64 a) : shape(a), third((a < 1.0 ? a + 1.0 : a) - 1.0 / 3), slope(1.0 / sqrt(9.0 * third))
    {
        inverse = a < 1.0 ? 1.0 / a : 0.0;
    }
    GNP_FN bool is_degenerate() const { return !(shape > 0.0 && shape < HUGE_F64); }
    GNP_FN bool is_sum() const { return shape >= 1.0 && shape <= MOST_TERMS && shape == floor(shape); }
    GNP_FN bool wants_normal() const { return !(is_degenerate() || is_sum()); }
    template <class D> GNP_FN f64 sum(D &d) const
    {
        f64 product = 1.0;
#pragma unroll 1
        for (f64 i = 0.0; i < shape; i += 1.0) {
            product *= open_word(d.wide());
        }
        return -log_normal(product);
    }
    template <class D> GNP_FN f64 from_one(D &d) const
    {
        if (is_sum()) {
            return sum(d);
        }
#pragma unroll 1
        for (;;) {
            f64 x = d.normal(), v = fma(slope, x, 1.0);
            if (v <= 0.0) {
                continue;
            }
            v = v * v * v;
            f64 u = d.open_unit(), square = x * x;
            if (u < 1.0 - 0.0331 * (square * square) ||
                log_not_inlined(u) < 0.5 * square + third * (1.0 - v + log_not_inlined(v))) {
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

// X / (X + Y) of two gamma variates, by their logarithms where they may both underflow.
struct Beta {
    Gamma first, second;
    GNP_FN bool wants_normal() const { return first.wants_normal() || second.wants_normal(); }
    GNP_FN Beta(f64 a, f64 b) : first(a), second(b) {}
    template <class D> GNP_FN f64 draw(D &d) const
    {
        if (first.shape < 1.0 || second.shape < 1.0) {
            f64 x = first.draw_log(d), y = second.draw_log(d);
            return 1.0 / (1.0 + exp_of(y - x));
        }
        f64 x = first.draw(d), y = second.draw(d);
        return x / (x + y);
    }
};

struct Chisquare {
    Gamma half;
    GNP_FN explicit Chisquare(f64 df) : half(0.5 * df) {}
    GNP_FN bool wants_normal() const { return half.wants_normal(); }
    template <class D> GNP_FN f64 draw(D &d) const { return 2.0 * half.draw(d); }
};

// The ratio of two chi-square variates over their degrees of freedom.
template <class Above> struct Ratio {
    Above above;
    Chisquare below;
    f64 dfnum, dfden;
    GNP_FN Ratio(const Above &x, f64 num, f64 den) : above(x), below(den), dfnum(num), dfden(den) {}
    GNP_FN bool wants_normal() const { return above.wants_normal() || below.wants_normal(); }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        f64 x = above.draw(d) * dfden;
        return x / (below.draw(d) * dfnum);
    }
};
GNP_FN Ratio<Chisquare> f_ratio(f64 dfnum, f64 dfden) { return Ratio<Chisquare>(Chisquare(dfnum), dfnum, dfden); }

struct Student {
    Gamma half;
    GNP_FN explicit Student(f64 df) : half(0.5 * df) {}
    GNP_FN bool wants_normal() const { return true; }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        f64 z = d.normal();
        return z * sqrt(half.shape / half.draw(d));
    }
};

// ---- counts -----------------------------------------------------------------------------------------

// Small means by sequential search (inversion); else the transformed rejection PTRS of W. Hormann, "The
// transformed rejection method for generating Poisson random variables", 1993.
struct Poisson {
    f64 mean, log_mean, a, b, log_inverse_alpha, squeeze; // of a small mean log_mean is the first term
    GNP_FN explicit Poisson(f64 m) : mean(m)
    {
        if (m < 10.0) {
            log_mean = exp_of(-m);
            return;
        }
        log_mean = log_not_inlined(m);
        b = 0.931 + 2.53 * sqrt(m);
        a = -0.059 + 0.02483 * b;
        log_inverse_alpha = log_not_inlined(1.1239 + 1.1328 / (b - 3.4));
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
            if (log_not_inlined(v / (a / (us * us) + b)) + log_inverse_alpha <= k * log_mean - mean - log_gamma(k + 1.0)) {
                return k;
            }
        }
    }
};

// Where n p is below 10 by sequential search (inversion); else the transformed rejection BTRS of W. Hormann,
// "The generation of binomial random variates", Journal of Statistical Computation and Simulation 46 (1993).
// For p above 1/2 the failures are drawn.
struct Binomial {
    f64 n, p, small, odds, first; // odds of small and the term of none; or, with BTRS, the logarithm of odds
    f64 a, b, centre, squeeze, alpha, mode, top;
    GNP_FN Binomial(f64 trials, f64 chance) : n(trials), p(chance), small(chance <= 0.5 ? chance : 1.0 - chance)
    {
        if (!(n > 0.0 && n * small >= 10.0)) {
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
        odds = log_not_inlined(small / (1.0 - small));
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
            if (log_not_inlined(v * alpha / (a / (us * us) + b)) <=
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

struct NegativeBinomial {
    Gamma successes;
    f64 scale;
    GNP_FN NegativeBinomial(f64 n, f64 p) : successes(n), scale((1.0 - p) / p) {}
    template <class D> GNP_FN f64 draw(D &d) const { return Poisson(successes.draw(d) * scale).draw(d); }
};

GNP_FN f64 log_factorial(f64 k) { return log_gamma(k + 1.0); }

// Sequential search where there are few terms; else the ratio of uniforms HRUA* of E. Stadlober, "The ratio
// of uniforms approach for generating discrete random variates", 1990. Both count the smaller of good and bad
// among the smaller of sample and rest; the result follows by symmetry.
struct Hypergeometric {
    enum { FEW = 20 };
    f64 good, sample, n, few, many, most;
    f64 first;                 // the probability of none
    f64 centre, h, end, top;   // of HRUA*
    GNP_FN Hypergeometric(f64 ngood, f64 nbad, f64 nsample) : good(ngood), sample(nsample)
    {
        f64 all = ngood + nbad;
        n = sample <= all - sample ? sample : all - sample;
        few = ngood <= nbad ? ngood : nbad;
        many = ngood <= nbad ? nbad : ngood;
        most = n < few ? n : few;
        if (!(most > FEW)) {
            f64 without = all - (n < few ? few : n);
            first = 1.0;
#pragma unroll 1
            for (f64 i = 0.0; i < most; i += 1.0) {
                first *= (without - i) / (all - i);
            }
            return;
        }
        if (is_too_many()) {
            return; // products of such numbers overflow
        }
        f64 p = few / all, c = sqrt((all - n) * n * p * (1.0 - p) / (all - 1.0) + 0.5);
        centre = n * p + 0.5;
        h = 1.7155277699214135 * c + 0.8989161620588988; // 2 sqrt(2 / e), 3 - 2 sqrt(3 / e)
        f64 mode = floor((n + 1.0) * (few + 1.0) / (all + 2.0));
        end = floor(centre + 16.0 * c);
        end = most + 1.0 < end ? most + 1.0 : end;
        top = minus_log_weight(mode);
    }
    GNP_FN bool is_too_many() const { return !(many < 9223372036854775808.0); }
    // Minus the logarithm of the probability, up to a constant.
    GNP_FN f64 minus_log_weight(f64 k) const
    {
        return log_factorial(k) + log_factorial(few - k) + log_factorial(n - k) + log_factorial(many - n + k);
    }
    template <class D> GNP_FN f64 rejected(D &d) const
    {
#pragma unroll 1
        for (;;) {
            f64 u, v;
            d.units(v, u);
            f64 x = centre + h * (v - 0.5) / u;
            if (!(x >= 0.0 && x < end)) {
                continue;
            }
            f64 k = floor(x), t = top - minus_log_weight(k);
            if (u * (4.0 - u) - 3.0 <= t || (u * (u - t) < 1.0 && 2.0 * log_not_inlined(u) <= t)) {
                return k;
            }
        }
    }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        f64 k = 0.0;
        if (!(n >= 0.0 && few >= 0.0) || is_too_many()) {
            return 0.0;
        }
        if (most > FEW) {
            k = rejected(d);
        }
        else {
            f64 u = d.unit(), term = first, odd = many - n + 1.0;
#pragma unroll 1
            while (u > term && k < most) {
                u -= term;
                term *= (few - k) * (n - k) / ((k + 1.0) * (odd + k));
                k += 1.0;
            }
        }
        k = good == few ? k : n - k;
        return n == sample ? k : good - k;
    }
};

template <class D> GNP_FN f64 hypergeometric(D &d, f64 good, f64 bad, f64 sample)
{
    return Hypergeometric(good, bad, sample).draw(d);
}

// Algorithm LK of A. W. Kemp, "Efficient generation of logarithmically distributed pseudo-random
// variables", Applied Statistics 30 (1981).
template <class D> GNP_FN f64 logseries(D &d, f64 p)
{
    if (!(p > 0.0 && p < 1.0)) {
        return 1.0;
    }
    f64 r = log1p_of(-p);
#pragma unroll 1
    for (;;) {
        f64 v = d.open_unit();
        if (!(v < p)) {
            return 1.0;
        }
        f64 q = -expm1_of(r * d.open_unit());
        if (v <= q * q) {
            f64 k = floor(1.0 + log_not_inlined(v) / log_not_inlined(q));
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

struct NoncentralChisquare {
    f64 df, nonc, root;
    Chisquare central; // of df for a central distribution, else of the part beside one squared normal variate
    GNP_FN NoncentralChisquare(f64 degrees, f64 noncentrality)
        : df(degrees), nonc(noncentrality), root(sqrt(noncentrality)),
          central(noncentrality == 0.0 ? degrees : degrees - 1.0)
    {
    }
    GNP_FN bool wants_normal() const { return true; }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        if (nonc == 0.0 || df > 1.0) {
            f64 x = central.draw(d);
            if (nonc == 0.0) {
                return x;
            }
            f64 z = d.normal() + root;
            return x + z * z;
        }
        f64 n = Poisson(0.5 * nonc).draw(d);
        return Chisquare(df + 2.0 * n).draw(d);
    }
};

GNP_FN Ratio<NoncentralChisquare> noncentral_ratio(f64 dfnum, f64 dfden, f64 nonc)
{
    return Ratio<NoncentralChisquare>(NoncentralChisquare(dfnum, nonc), dfnum, dfden);
}

// D. J. Best, N. I. Fisher, "Efficient simulation of the von Mises distribution", Applied Statistics
// 28 (1979); above 10^6 a normal distribution wrapped around the circle.
struct VonMises {
    f64 mu, kappa, s;
    GNP_FN VonMises(f64 mode, f64 dispersion) : mu(mode), kappa(dispersion)
    {
        f64 r = 1.0 + sqrt(1.0 + 4.0 * kappa * kappa), rho = (r - sqrt(2.0 * r)) / (2.0 * kappa);
        s = kappa < 1e-5 ? 1.0 / kappa + kappa : (1.0 + rho * rho) / (2.0 * rho);
    }
    template <class D> GNP_FN f64 rejected(D &d) const
    {
        f64 sine, z, w, y, v;
#pragma unroll 1
        do {
            sincos_turns(d.wide().bits >> 1, sine, z);
            w = (1.0 + s * z) / (s + z);
            y = kappa * (s - w);
            v = d.open_unit();
        } while (!(y * (2.0 - y) - v >= 0.0 || log_not_inlined(y / v) + 1.0 - y >= 0.0));
        f64 under = 1.0 + w;
        f64 angle = under > 0.0 ? 2.0 * arctan_of(sqrt((1.0 - w < 0.0 ? 0.0 : 1.0 - w) / under)) : PI;
        return d.wide().bits & 1u ? angle : -angle;
    }
    template <class D> GNP_FN f64 draw(D &d) const
    {
        if (kappa != kappa || mu != mu) {
            return NAN_F64;
        }
        if (kappa < 1e-8) {
            return PI * (2.0 * d.unit() - 1.0);
        }
        f64 angle = mu + (kappa > 1e6 ? sqrt(1.0 / kappa) * d.normal() : rejected(d));
        return angle - 2.0 * PI * rint(angle / (2.0 * PI));
    }
};

// J. R. Michael, W. R. Schucany, R. W. Haas, "Generating random variates using transformations with
// multiple roots", The American Statistician 30 (1976). The root is written so that nothing cancels.
template <class D> GNP_FN f64 wald(D &d, f64 mean, f64 scale)
{
    f64 z = d.normal(), w = mean * (z * z) / (2.0 * scale);
    f64 root = 1.0 / (1.0 + w + sqrt(w * (w + 2.0)));
    return d.unit() <= 1.0 / (1.0 + root) ? mean * root : mean / root;
}

#endif

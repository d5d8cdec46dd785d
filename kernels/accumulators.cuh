// accumulators.cuh: the functions that expressions of tables/reductions.def call.
#ifndef GNP_ACCUMULATORS_CUH
#define GNP_ACCUMULATORS_CUH

#include "math.cuh"

// ---- neutral values -------------------------------------------------------------------------------------

// -0 for floats, which leaves -0 as it is.
template <class A> GNP_FN A no_sum()
{
    if constexpr (Info<A>::cls == 'f') {
        return (A)-0.0;
    }
    else if constexpr (Info<A>::cls == 'c') {
        return A((Part<A>)-0.0, (Part<A>)-0.0);
    }
    else {
        return (A)0;
    }
}

// A sum that began with `zero`: NumPy's begin with 0, so that the sum of nothing but -0 is 0, or with an
// initial value, which has been added.
template <class A> GNP_FN A begun(A sum, f64 zero)
{
    if constexpr (Info<A>::cls == 'f') {
        return sum + (A)zero;
    }
    else if constexpr (Info<A>::cls == 'c') {
        return sum + A((Part<A>)zero, (Part<A>)zero);
    }
    else {
        return sum;
    }
}

// The value below (above) all others; infinite where the type has infinity.
template <class A> GNP_FN A extreme(bool top)
{
    if constexpr (Info<A>::cls == 'c') {
        return A(extreme<Part<A>>(top), extreme<Part<A>>(top));
    }
    else if constexpr (Info<A>::cls == 'f') {
        return top ? (A)INFINITY_F32 : (A)-INFINITY_F32;
    }
    else if constexpr (Info<A>::cls == '?') {
        return top;
    }
    else if constexpr (Info<A>::cls == 'u') {
        return top ? (A)~(A)0 : (A)0;
    }
    else if constexpr (Info<A>::cls == 'm') {
        return A(top ? 0x7fffffffffffffff : -0x7fffffffffffffff);
    }
    else {
        A least = (A)(1ull << (8 * sizeof(A) - 1));
        return top ? (A)~least : least;
    }
}
template <class A> GNP_FN A lowest() { return extreme<A>(false); }
template <class A> GNP_FN A highest() { return extreme<A>(true); }

// NaN, which any number replaces; where there is no NaN, the last value.
template <class A> GNP_FN A no_number(bool top)
{
    if constexpr (Info<A>::cls == 'c') {
        return A(no_number<Part<A>>(top), no_number<Part<A>>(top));
    }
    else if constexpr (Info<A>::cls == 'f') {
        return (A)__int_as_float(0x7fc00000);
    }
    else if constexpr (Info<A>::cls == 'm') {
        return not_a_time();
    }
    else {
        return extreme<A>(top);
    }
}

// ---- extremes ---------------------------------------------------------------------------------------------

// Which of two NaNs a complex extreme keeps: one whose real part alone is NaN comes before one with both, and
// that before one whose imaginary part alone is (CuPy's order).
template <class F> GNP_FN int nan_rank(Complex<F> a)
{
    return is_nan(a.re) ? (is_nan(a.im) ? 2 : 3) : is_nan(a.im) ? 1 : 0;
}
template <class F> GNP_FN Complex<F> pick(Complex<F> a, Complex<F> b, bool top)
{
    int ra = nan_rank(a), rb = nan_rank(b);
    if (ra != rb) return ra > rb ? a : b;
    if (ra == 3) return (a.im < b.im) == top ? b : a;
    if (ra == 1) return (a.re < b.re) == top ? b : a;
    return less(a, b) == top ? b : a;
}
template <class A> GNP_FN A larger(A a, A b)
{
    if constexpr (Info<A>::cls == 'c') {
        return pick(a, b, true);
    }
    else {
        return maximum(a, b);
    }
}
template <class A> GNP_FN A smaller(A a, A b)
{
    if constexpr (Info<A>::cls == 'c') {
        return pick(a, b, false);
    }
    else {
        return minimum(a, b);
    }
}

// The smallest and the largest value at once.
template <class V> struct Extent {
    V low, high;
};
template <class V> GNP_FN Extent<V> covering(Extent<V> a, Extent<V> b)
{
    return Extent<V>{minimum(a.low, b.low), maximum(a.high, b.high)};
}

// A value and its index; index `nowhere` loses to everything.
template <class V> struct Indexed {
    V value;
    u64 index;
};
GNP_FN u64 nowhere() { return ~0ull; }
template <class V> GNP_FN Indexed<V> indexed(V value, u64 index) { return Indexed<V>{value, index}; }

// NaN before numbers, then the extreme, then the first.
template <class V> GNP_FN Indexed<V> first_extreme(Indexed<V> a, Indexed<V> b, bool top)
{
    if (a.index == nowhere()) return b;
    if (b.index == nowhere()) return a;
    bool na = is_nan(a.value), nb = is_nan(b.value);
    if (na != nb) return na ? a : b;
    if (!na) {
        if (less(a.value, b.value)) return top ? b : a;
        if (less(b.value, a.value)) return top ? a : b;
    }
    return a.index < b.index ? a : b;
}

// ---- means and variances ------------------------------------------------------------------------------------

GNP_FN f32 times_f64(f32 a, f64 by) { return (f32)(a * by); }
GNP_FN f64 times_f64(f64 a, f64 by) { return a * by; }
template <class F> GNP_FN Complex<F> times_f64(Complex<F> a, f64 by) { return Complex<F>(times_f64(a.re, by), times_f64(a.im, by)); }

GNP_FN f32 over(f32 a, f64 n) { return (f32)(a / n); }
GNP_FN f64 over(f64 a, f64 n) { return a / n; }
template <class F> GNP_FN Complex<F> over(Complex<F> a, f64 n) { return Complex<F>(over(a.re, n), over(a.im, n)); }
template <class T> GNP_FN T over(T a, f64 n) { return cast<T>((f64)a / n); }

GNP_FN f32 squared(f32 a) { return a * a; }
GNP_FN f64 squared(f64 a) { return a * a; }
template <class F> GNP_FN F squared(Complex<F> a) { return a.re * a.re + a.im * a.im; }
template <class F> GNP_FN F cubed(F a) { return a * a * a; }

// A sum and the number of its elements, for masks.
template <class V> struct Counted {
    V sum;
    u64 n;
};
template <class V> GNP_FN Counted<V> counted(V value, u64 n) { return Counted<V>{value, n}; }
template <class V> GNP_FN Counted<V> operator+(Counted<V> a, Counted<V> b) { return Counted<V>{a.sum + b.sum, a.n + b.n}; }

// The type in which moments of V are kept: the mean of many f32 needs more than f32.
template <class V> struct Wider { typedef V type; };
template <> struct Wider<f32> { typedef f64 type; };
template <> struct Wider<c64> { typedef c128 type; };

// Number, mean and sum of squared distances from the mean of a set of values of type V.
template <class V> struct Moments {
    typedef typename Wider<V>::type Mean;
    u64 n;
    Mean mean;
    f64 m2;
};
template <class V> GNP_FN Moments<V> moments(u64 n, typename Moments<V>::Mean mean, f64 m2)
{
    Moments<V> m;
    m.n = n;
    m.mean = mean;
    m.m2 = m2;
    return m;
}
template <class V> GNP_FN Moments<V> moments(V value) { return moments<V>(1, cast<typename Moments<V>::Mean>(value), 0); }

// T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample
// variances", 1979.
template <class V> GNP_FN Moments<V> merged(Moments<V> a, Moments<V> b)
{
    typedef typename Moments<V>::Mean Mean;
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    f64 share = (f64)b.n / (f64)(a.n + b.n);
    Mean d = b.mean - a.mean;
    return moments<V>(a.n + b.n, a.mean + d * Mean(share), a.m2 + b.m2 + squared(d) * ((f64)a.n * share));
}
template <class V> GNP_FN Part<V> variance(Moments<V> a, f64 ddof)
{
    f64 n = (f64)a.n - ddof;
    return (Part<V>)(a.m2 / (n > 0 ? n : 0));
}

// Number, mean and sums of the second to fourth powers of distances from the mean, of real values of type V.
template <class V> struct Powers {
    u64 n;
    f64 mean, m2, m3, m4;
};
template <class V> GNP_FN Powers<V> powers() { return Powers<V>{0, 0, 0, 0, 0}; }
template <class V> GNP_FN Powers<V> powers(V value) { return Powers<V>{1, cast<f64>(value), 0, 0, 0}; }

// P. Pebay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
// moments", 2008.
template <class V> GNP_FN Powers<V> merged(Powers<V> a, Powers<V> b)
{
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    const f64 na = (f64)a.n, nb = (f64)b.n, share_a = na / (na + nb), share_b = nb / (na + nb);
    const f64 d = b.mean - a.mean, d2 = d * d, product = na * share_b;
    Powers<V> m;
    m.n = a.n + b.n;
    m.mean = a.mean + d * share_b;
    m.m2 = a.m2 + b.m2 + d2 * product;
    m.m3 = a.m3 + b.m3 + d * d2 * product * (share_a - share_b) + 3 * d * (share_a * b.m2 - share_b * a.m2);
    m.m4 = a.m4 + b.m4 + d2 * d2 * product * (share_a * share_a - share_a * share_b + share_b * share_b) +
           6 * d2 * (share_a * share_a * b.m2 + share_b * share_b * a.m2) + 4 * d * (share_a * b.m3 - share_b * a.m3);
    return m;
}

// Whether the spread is no more than what rounding makes of the mean.
template <class F, class V> GNP_FN bool is_level(Powers<V> a)
{
    const f64 epsilon = sizeof(F) == 8 ? 2.220446049250313e-16 : sizeof(F) == 4 ? 1.1920928955078125e-07 : 9.765625e-04;
    const f64 level = epsilon * a.mean;
    return !(a.m2 / (f64)a.n > level * level);
}

// Skewness and kurtosis (3 of normal values), those of a sample or, if `corrected`, estimates of the population's.
template <class F, class V> GNP_FN F skewness(Powers<V> a, bool corrected)
{
    const f64 n = (f64)a.n, m2 = a.m2 / n;
    const f64 biased = a.m3 / n / (m2 * sqrt(m2));
    const f64 factor = corrected && a.n > 2 ? sqrt((n - 1) * n) / (n - 2) : 1;
    return (F)(is_level<F>(a) ? 0.0 / 0.0 : factor * biased);
}
template <class F, class V> GNP_FN F kurtosis(Powers<V> a, bool corrected)
{
    const f64 n = (f64)a.n, m2 = a.m2 / n;
    f64 k = a.m4 / n / (m2 * m2);
    if (corrected && a.n > 3) k = ((n * n - 1) * k - 3 * (n - 1) * (n - 1)) / ((n - 2) * (n - 3)) + 3;
    return (F)(is_level<F>(a) ? 0.0 / 0.0 : k);
}

// The same of values that are not NaN.
template <class V> struct PresentPowers {
    Powers<V> of;
};
template <class V> GNP_FN PresentPowers<V> present_powers(V value) { return PresentPowers<V>{is_nan(value) ? powers<V>() : powers(value)}; }
template <class V> GNP_FN PresentPowers<V> merged(PresentPowers<V> a, PresentPowers<V> b) { return PresentPowers<V>{merged(a.of, b.of)}; }

// The same of values that are not NaN; without enough of them there is no variance.
template <class V> struct Present {
    Moments<V> of;
};
template <class V> GNP_FN Present<V> present() { return Present<V>{moments<V>(0, 0, 0)}; }
template <class V> GNP_FN Present<V> present(V value) { return Present<V>{is_nan(value) ? moments<V>(0, 0, 0) : moments(value)}; }
template <class V> GNP_FN Present<V> merged(Present<V> a, Present<V> b) { return Present<V>{merged(a.of, b.of)}; }
template <class V> GNP_FN Part<V> variance(Present<V> a, f64 ddof)
{
    f64 n = (f64)a.of.n - ddof;
    return n > 0 ? (Part<V>)(a.of.m2 / n) : (Part<V>)__longlong_as_double(0x7ff8000000000000ll);
}

// ---- sums of exponentials -------------------------------------------------------------------------------------

// exp(largest) (1 + others): the largest element stands for itself, so that its share is exact. Of no element
// the largest is -inf and the sum 0.
template <class V> struct LogSum {
    V largest, others;
};
template <class V> GNP_FN LogSum<V> joined(LogSum<V> a, LogSum<V> b)
{
    V gap = fabs(a.largest - b.largest);
    V share = a.largest == b.largest ? V(1) : exp(-gap); // equal infinities have no difference
    bool first = a.largest >= b.largest;
    V higher = first ? a.others : b.others, lower = first ? b.others : a.others;
    return LogSum<V>{maximum(a.largest, b.largest), higher + share * (V(1) + lower)};
}

#endif

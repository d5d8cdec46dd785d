// complex.cuh: the functions that expressions of tables/ufuncs.def call for complex numbers, with the branch
// cuts and special values of C99 Annex G. c64 is computed in f64, where overflow and cancellation do no harm;
// c128 scales where necessary.
#ifndef GNP_COMPLEX_CUH
#define GNP_COMPLEX_CUH

#include "math.cuh"

#define INFINITY_F64 __longlong_as_double(0x7ff0000000000000ll)
#define NAN_F64 __longlong_as_double(0x7ff8000000000000ll)
#define PI_F64 3.141592653589793116
#define HALF_PI_F64 1.570796326794896558

// ---- arithmetic, order, tests ---------------------------------------------------------------------------

template <class F> GNP_FN bool nonzero(Complex<F> a) { return a.re != 0 || a.im != 0; }
template <class F> GNP_FN bool is_nan(Complex<F> a) { return is_nan(a.re) || is_nan(a.im); }
template <class F> GNP_FN bool is_inf(Complex<F> a) { return isinf(a.re) || isinf(a.im); }
template <class F> GNP_FN bool is_finite(Complex<F> a) { return isfinite(a.re) && isfinite(a.im); }
template <class F> GNP_FN bool equal(Complex<F> a, Complex<F> b) { return a == b; }

// By real part, then imaginary part; anything beside a NaN is unordered.
template <class F> GNP_FN bool less(Complex<F> a, Complex<F> b)
{
    return (a.re < b.re && !is_nan(a.im) && !is_nan(b.im)) || (a.re == b.re && a.im < b.im);
}
template <class F> GNP_FN bool less_equal(Complex<F> a, Complex<F> b)
{
    return (a.re < b.re && !is_nan(a.im) && !is_nan(b.im)) || (a.re == b.re && a.im <= b.im);
}

// As for real numbers, but of equal numbers the first is returned.
template <class F> GNP_FN Complex<F> maximum(Complex<F> a, Complex<F> b)
{
    return less_equal(b, a) || is_nan(a) ? a : b;
}
template <class F> GNP_FN Complex<F> minimum(Complex<F> a, Complex<F> b)
{
    return less_equal(a, b) || is_nan(a) ? a : b;
}
template <class F> GNP_FN Complex<F> maximum_number(Complex<F> a, Complex<F> b)
{
    return less_equal(b, a) || is_nan(b) ? a : b;
}
template <class F> GNP_FN Complex<F> minimum_number(Complex<F> a, Complex<F> b)
{
    return less_equal(a, b) || is_nan(b) ? a : b;
}

template <class F> GNP_FN Complex<F> negative(Complex<F> a) { return Complex<F>(-a.re, -a.im); }
template <class F> GNP_FN Complex<F> conjugate(Complex<F> a) { return Complex<F>(a.re, -a.im); }
template <class F> GNP_FN Complex<F> scaled(Complex<F> a, F b) { return Complex<F>(a.re * b, a.im * b); }
template <class F> GNP_FN F absolute(Complex<F> a) { return hypotenuse(a.re, a.im); }
template <class F> GNP_FN Complex<F> square(Complex<F> a)
{
    return Complex<F>(a.re * a.re - a.im * a.im, a.re * a.im + a.im * a.re);
}
template <class F> GNP_FN Complex<F> rint(Complex<F> a) { return Complex<F>(rint(a.re), rint(a.im)); }

// Smith's formula for 1 / a.
template <class F> GNP_FN Complex<F> reciprocal(Complex<F> a)
{
    if (fabs(a.im) <= fabs(a.re)) {
        F ratio = a.im / a.re, d = a.re + a.im * ratio;
        return Complex<F>(1 / d, -ratio / d);
    }
    F ratio = a.re / a.im, d = a.re * ratio + a.im;
    return Complex<F>(ratio / d, -1 / d);
}

// a / |a|; 0 for 0, one axis for one infinite part.
template <class F> GNP_FN Complex<F> sign(Complex<F> a)
{
    F size = hypot(a.re, a.im);
    if (isinf(size)) {
        if (isinf(a.re) && isinf(a.im)) return Complex<F>((F)NAN_F64, (F)NAN_F64);
        return isinf(a.re) ? Complex<F>(copysign((F)1, a.re), 0) : Complex<F>(0, copysign((F)1, a.im));
    }
    if (is_nan(size)) return Complex<F>(size, size);
    return size == 0 ? Complex<F>(0, 0) : Complex<F>(a.re / size, a.im / size);
}

// ---- exponentials ------------------------------------------------------------------------------------------

// exp(x) beyond the range of f64 as two factors that do not overflow one by one.
struct Factors { f64 first, second; };
GNP_CALL f64 second_factor(f64 x) { return exp(x - 709); } // seldom needed
GNP_FN Factors exp_factors(f64 x)
{
    Factors f;
    f.first = exp(x > 709 ? 709 : x);
    f.second = x > 709 ? second_factor(x) : 1;
    return f;
}

GNP_CALL c128 exp(c128 z)
{
    const bool is_real = z.im == 0, is_split = z.re > 709 && !is_real;
    const f64 first = exp(is_split ? 709 : z.re);
    if (is_real) return c128(first, z.im);
    if (!isfinite(z.im) && isinf(z.re)) {
        return z.re < 0 ? c128(0, copysign(0.0, z.im)) : c128(z.re, NAN_F64);
    }
    const f64 second = is_split ? second_factor(z.re) : 1;
    f64 s, c;
    sincos(z.im, &s, &c);
    return c128(first * c * second, first * s * second);
}
// The angle y log(2) as a sum of two doubles: its rounding error would be multiplied by |y|.
GNP_CALL c128 exp2(c128 z)
{
    const f64 log2_high = 0.693147180559945286, log2_low = 2.319046813846299558e-17;
    if (z.im == 0) return c128(exp2(z.re), z.im);
    if (!is_finite(z)) return exp(z);
    f64 s, c, angle = z.im * log2_high;
    f64 rest = fma(z.im, log2_high, -angle) + z.im * log2_low;
    sincos(angle, &s, &c);
    f64 first = exp2(fmin(z.re, 1000.0)), second = exp2(fmax(z.re, 1000.0) - 1000);
    return c128(first * (c - rest * s) * second, first * (s + rest * c) * second);
}
GNP_CALL c128 expm1(c128 z)
{
    if (z.im == 0) return c128(expm1(z.re), z.im);
    c128 e = exp(z);
    if (!is_finite(z) || z.re > 40) return c128(e.re - 1, e.im);
    f64 h = sin(0.5 * z.im);
    return c128(expm1(z.re) * cos(z.im) - 2 * h * h, e.im);
}

// x * x + y * y - 1 without cancellation, for x * x + y * y near 1.
GNP_FN f64 norm_minus_one(f64 x, f64 y)
{
    f64 p = x * x, q = y * y;
    return ((p - 1) + q) + (fma(x, x, -p) + fma(y, y, -q));
}

// hypot and log stand once, for numbers of all sizes: most of the code is theirs.
GNP_CALL f64 log_absolute(c128 z)
{
    f64 x = fmax(fabs(z.re), fabs(z.im)), y = fmin(fabs(z.re), fabs(z.im)), shift = 0;
    if (x > 0.5 && x < 3 && y < 3 && !is_nan(z)) return 0.5 * log1p(norm_minus_one(x, y));
    if (is_nan(z) || isinf(x)) {
        x = z.re;
        y = z.im;
    }
    else if (x > 1e300) {
        x *= 0.25;
        y *= 0.25;
        shift = 1.386294361119890618835;
    }
    else if (x < 1e-290) {
        x *= 0x1p200;
        y *= 0x1p200;
        shift = -138.6294361119890618835;
    }
    return log(hypot(x, y)) + shift;
}
GNP_FN c128 log(c128 z) { return c128(log_absolute(z), atan2(z.im, z.re)); }
GNP_CALL c128 log_called(c128 z) { return log(z); } // where there are several
GNP_FN c128 log2(c128 z)
{
    return c128(log_absolute(z) * 1.442695040888963407360, atan2(z.im, z.re) * 1.442695040888963407360);
}
GNP_FN c128 log10(c128 z)
{
    return c128(log_absolute(z) * 0.434294481903251827651, atan2(z.im, z.re) * 0.434294481903251827651);
}
GNP_CALL c128 log1p(c128 z)
{
    f64 angle = atan2(z.im, z.re + 1);
    if (fabs(z.re) < 0.5 && fabs(z.im) < 0.5) {
        return c128(0.5 * log1p(z.re * (2 + z.re) + z.im * z.im), angle);
    }
    return c128(log_absolute(c128(z.re + 1, z.im)), angle);
}

GNP_CALL c128 sqrt(c128 z)
{
    if (z.re == 0 && z.im == 0) return c128(0, z.im);
    if (isinf(z.im)) return c128(INFINITY_F64, z.im);
    if (isinf(z.re)) {
        f64 other = is_nan(z.im) ? z.im : 0;
        return z.re > 0 ? c128(z.re, copysign(other, z.im)) : c128(other, copysign(z.re, z.im));
    }
    if (is_nan(z)) return c128(NAN_F64, NAN_F64);
    f64 size = fmax(fabs(z.re), fabs(z.im));
    f64 up = size > 1e300 ? 0x1p-4 : size < 1e-290 ? 0x1p200 : 1;
    f64 down = size > 1e300 ? 0x1p2 : size < 1e-290 ? 0x1p-100 : 1;
    f64 x = fabs(z.re) * up, y = z.im * up;
    f64 t = sqrt(0.5 * (x + hypot(x, y)));
    f64 u = fabs(y) / (2 * t);
    return z.re >= 0 ? c128(t * down, copysign(u * down, z.im)) : c128(u * down, copysign(t * down, z.im));
}

// C99 Annex G: an infinite factor makes the product infinite, where the formula alone gives NaN.
GNP_FN c128 product(c128 a, c128 b)
{
    c128 ab = a * b;
    if (!is_nan(ab.re) || !is_nan(ab.im) || !(is_inf(a) || is_inf(b))) return ab;
    auto box = [](c128 x) { // 1 for an infinite part, 0 for others
        return c128(copysign(isinf(x.re) ? 1.0 : 0.0, x.re), copysign(isinf(x.im) ? 1.0 : 0.0, x.im));
    };
    auto number = [](c128 x) { // no NaN
        return c128(is_nan(x.re) ? copysign(0.0, x.re) : x.re, is_nan(x.im) ? copysign(0.0, x.im) : x.im);
    };
    c128 whole = (is_inf(a) ? box(a) : number(a)) * (is_inf(b) ? box(b) : number(b));
    return c128(INFINITY_F64 * whole.re, INFINITY_F64 * whole.im);
}

// Whole exponents below 100 by squaring, as NumPy; the rest by exp(b log(a)).
GNP_CALL c128 power(c128 a, c128 b)
{
    if (b.re == 0 && b.im == 0) return c128(1, 0);
    if (a.re == 0 && a.im == 0) {
        return b.re > 0 ? c128(0, 0) : c128(NAN_F64, NAN_F64);
    }
    if (b.im == 0 && fabs(b.re) < 100 && trunc(b.re) == b.re) {
        c128 result(1, 0), base = a;
#pragma unroll 1
        for (int n = (int)fabs(b.re); n; n >>= 1) {
            if (n & 1) result = result.re == 1 && result.im == 0 ? base : result * base;
            if (n > 1) base = base * base;
        }
        return b.re < 0 ? c128(1, 0) / result : result;
    }
    return exp(product(b, log(a)));
}

// ---- hyperbolic and trigonometric: sin(z) = -i sinh(iz), cos(z) = cosh(iz), tan(z) = -i tanh(iz) ----------

GNP_FN c128 times_i(c128 z) { return c128(-z.im, z.re); }
GNP_FN c128 times_minus_i(c128 z) { return c128(z.im, -z.re); }

GNP_CALL c128 cosh(c128 z)
{
    f64 x = fabs(z.re), y = z.re < 0 || (z.re == 0 && signbit(z.re)) ? -z.im : z.im;
    if (y == 0) return c128(cosh(x), is_nan(x) ? z.im : y);
    if (x == 0) return c128(cos(y), isfinite(y) ? x * sin(y) : 0);
    if (isinf(x) && !isfinite(y)) return c128(x, NAN_F64);
    f64 s, c;
    sincos(y, &s, &c);
    if (x > 22) {
        Factors e = exp_factors(x);
        return c128(0.5 * e.first * c * e.second, 0.5 * e.first * s * e.second);
    }
    return c128(cosh(x) * c, sinh(x) * s);
}

GNP_CALL c128 sinh(c128 z)
{
    f64 x = fabs(z.re), y = z.im;
    if (y == 0) return c128(sinh(z.re), y);
    if (x == 0) return c128(isfinite(y) ? z.re * cos(y) : z.re, sin(y));
    if (isinf(x) && !isfinite(y)) return c128(x, NAN_F64);
    f64 s, c;
    sincos(y, &s, &c);
    if (x > 22) {
        Factors e = exp_factors(x);
        f64 first = copysign(0.5 * e.first, z.re);
        return c128(first * c * e.second, 0.5 * e.first * s * e.second);
    }
    return c128(sinh(z.re) * c, cosh(x) * s);
}

// W. Kahan, "Branch cuts for complex elementary functions", 1987, section on tanh.
GNP_CALL c128 tanh(c128 z)
{
    f64 x = z.re, y = z.im;
    if (isinf(x)) return c128(copysign(1.0, x), copysign(0.0, isfinite(y) ? sin(2 * y) : y));
    if (!isfinite(y)) return c128(x == 0 ? x : NAN_F64, NAN_F64);
    if (y == 0) return c128(tanh(x), y);
    f64 t = tan(y);
    if (fabs(x) > 22) {
        f64 s, c, e = exp(-fabs(x));
        sincos(y, &s, &c);
        return c128(copysign(1.0, x), 4 * s * c * e * e);
    }
    f64 s = sinh(x), beta = 1 + t * t, rho = sqrt(1 + s * s), d = 1 + beta * s * s;
    return c128(beta * rho * s / d, t / d);
}

GNP_FN c128 sin(c128 z)
{
    c128 w = times_minus_i(sinh(times_i(z)));
    return is_nan(w.re) && isinf(w.im) ? c128(w.re, INFINITY_F64) : w; // a sign C99 leaves open
}
GNP_FN c128 cos(c128 z) { return cosh(times_i(z)); }
GNP_FN c128 tan(c128 z) { return times_minus_i(tanh(times_i(z))); }

// ---- inverse functions -----------------------------------------------------------------------------

// For x, y >= 0: the real parts of arcsin and arccos, and the imaginary part of arcsin.
// T. Hull, T. Fairgrieve, P. Tang, "Implementing the complex arcsine and arccosine functions using
// exception handling", ACM TOMS 23 (1997).
struct Arcs { f64 sine, cosine, height; };

// First what the angles and the height are functions of, so that each function stands once.
GNP_CALL Arcs arcs(f64 x, f64 y)
{
    Arcs r;
    if (is_nan(x) || is_nan(y)) {
        r.sine = x == 0 ? 0 : NAN_F64;
        r.cosine = x == 0 ? HALF_PI_F64 : NAN_F64;
        r.height = isinf(x) || isinf(y) ? INFINITY_F64 : NAN_F64;
        return r;
    }
    enum { GIVEN, OF_SINE, OF_QUOTIENT } angles = GIVEN; // arcsin(other); the angle of (x, other)
    enum { KNOWN, LOG, LOG1P } height = KNOWN;           // of `of`
    f64 other = y, of = 0, shift = 0, size = fmax(x, y);
    if (size > 1e150) { // arcsin z ~ angle + i log 2|z|, infinities included
        angles = OF_QUOTIENT;
        height = isinf(size) ? KNOWN : LOG;
        r.height = size;
        of = hypot(x * 0x1p-600, y * 0x1p-600);
        shift = 416.581455272494128;
    }
    else if (size < 1e-150) {
        r.sine = x;
        r.cosine = HALF_PI_F64 - x;
        r.height = y;
    }
    else if (y < 1e-150 && x == 1) {
        r.cosine = sqrt(y);
        r.sine = HALF_PI_F64 - r.cosine;
        r.height = r.cosine;
    }
    else if (y < 1e-150) { // y alone is too small to be squared
        f64 side = sqrt(fabs(x - 1) * (x + 1));
        r.cosine = r.height = y / side;
        r.sine = HALF_PI_F64 - r.cosine;
        other = x;
        of = x - 1 + side;
        angles = x < 1 ? OF_SINE : GIVEN;
        height = x < 1 ? KNOWN : LOG1P;
    }
    else {
        f64 plus = hypot(x + 1, y), minus = hypot(x - 1, y);
        f64 a = 0.5 * (plus + minus), b = x / a, yy = y * y;
        if (b <= 0.6417) {
            angles = OF_SINE;
            other = b;
        }
        else {
            f64 ax = a + x;
            angles = OF_QUOTIENT;
            other = x <= 1 ? sqrt(0.5 * ax * (yy / (plus + x + 1) + (minus + (1 - x))))
                           : y * sqrt(0.5 * (ax / (plus + x + 1) + ax / (minus + (x - 1))));
        }
        if (a <= 1.5) {
            f64 am1 = x < 1 ? 0.5 * (yy / (plus + x + 1) + yy / (minus + (1 - x)))
                            : 0.5 * (yy / (plus + x + 1) + (minus + (x - 1)));
            height = LOG1P;
            of = am1 + sqrt(am1 * (a + 1));
        }
        else {
            height = LOG;
            of = a + sqrt(a * a - 1);
        }
    }
    if (angles == OF_SINE) {
        r.sine = asin(other);
        r.cosine = acos(other);
    }
    else if (angles == OF_QUOTIENT) {
        r.sine = atan2(x, other);
        r.cosine = atan2(other, x);
    }
    if (height != KNOWN) {
        r.height = height == LOG ? log(of) + shift : log1p(of);
    }
    return r;
}

GNP_FN c128 asin(c128 z)
{
    Arcs r = arcs(fabs(z.re), fabs(z.im));
    return c128(copysign(r.sine, z.re), copysign(r.height, z.im));
}
GNP_FN f64 arccosine_real(Arcs r, f64 x) { return signbit(x) ? PI_F64 - r.cosine : r.cosine; }
GNP_FN c128 acos(c128 z)
{
    Arcs r = arcs(fabs(z.re), fabs(z.im));
    return c128(arccosine_real(r, z.re), signbit(z.im) ? r.height : -r.height);
}
GNP_FN c128 acosh(c128 z)
{
    Arcs r = arcs(fabs(z.re), fabs(z.im));
    return c128(r.height, copysign(arccosine_real(r, z.re), z.im));
}
GNP_FN c128 asinh(c128 z)
{
    Arcs r = arcs(fabs(z.im), fabs(z.re));
    return c128(copysign(r.height, z.re), copysign(r.sine, z.im));
}

GNP_CALL c128 atanh(c128 z)
{
    f64 x = fabs(z.re), y = fabs(z.im), re, im;
    if (isinf(y) || (isinf(x) && !is_nan(y))) {
        re = 0;
        im = HALF_PI_F64;
    }
    else if (is_nan(x) || is_nan(y)) {
        re = x == 0 || isinf(x) ? 0 : NAN_F64;
        im = NAN_F64;
    }
    else if (x > 1e150 || y > 1e150) {
        f64 size = fmax(x, y), u = x / size, v = y / size;
        re = u / (u * u + v * v) / size;
        im = HALF_PI_F64;
    }
    else if (x == 1 && y < 1e-150) {
        re = y == 0 ? INFINITY_F64 : 0.5 * (0.693147180559945309417 - log(y));
        im = y == 0 ? 0 : 0.25 * PI_F64;
    }
    else {
        f64 d = 1 - x;
        re = 0.25 * log1p(4 * x / (d * d + y * y));
        im = 0.5 * atan2(2 * y, d * (1 + x) - y * y);
    }
    return c128(copysign(re, z.re), copysign(im, z.im));
}
GNP_FN c128 atan(c128 z) { return times_minus_i(atanh(times_i(z))); }

// ---- c64 through f64 --------------------------------------------------------------------------------------

GNP_FN c128 widen(c64 z) { return c128(z.re, z.im); }
GNP_FN c64 narrow(c128 z) { return c64((f32)z.re, (f32)z.im); }

#define THROUGH_F64(f) GNP_FN c64 f(c64 z) { return narrow(f(widen(z))); }
THROUGH_F64(exp)
THROUGH_F64(exp2)
THROUGH_F64(expm1)
THROUGH_F64(log)
THROUGH_F64(log2)
GNP_FN c64 binary_log(c64 z) { return log2(z); }
GNP_FN c128 binary_log(c128 z) { return log2(z); }
THROUGH_F64(log10)
GNP_FN c64 decimal_log(c64 z) { return log10(z); }
GNP_FN c128 decimal_log(c128 z) { return log10(z); }
THROUGH_F64(log1p)
THROUGH_F64(sqrt)
THROUGH_F64(sin)
THROUGH_F64(cos)
THROUGH_F64(tan)
THROUGH_F64(sinh)
THROUGH_F64(cosh)
THROUGH_F64(tanh)
THROUGH_F64(asin)
THROUGH_F64(acos)
THROUGH_F64(atan)
THROUGH_F64(asinh)
THROUGH_F64(acosh)
THROUGH_F64(atanh)
#undef THROUGH_F64
GNP_FN c64 power(c64 a, c64 b) { return narrow(power(widen(a), widen(b))); }

#endif

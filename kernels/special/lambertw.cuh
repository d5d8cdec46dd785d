// lambertw.cuh: Lambert's W on all branches and Wright's omega: the fourth-order step of F. Fritsch, R. Shafer and
// W. Crowley, CACM 16 (1973), algorithm 443, from starts of P. Lawrence, R. Corless and D. Jeffrey, ACM TOMS 38
// (2012), algorithm 917, and of R. Corless et al., "On the Lambert W function", 1996.
#ifndef GNP_SPECIAL_LAMBERTW_CUH
#define GNP_SPECIAL_LAMBERTW_CUH

#include "complex.cuh"
#include "special/common.cuh"

namespace special {

#define TWO_PI_F64 0x1.921fb54442d18p+2

// One step for w + log w = constant with the residual r; the start tells the branch, so r is taken near 0.
GNP_CALL c128 lambert_step(c128 w, c128 &r)
{
    r.im = fma(-TWO_PI_F64, rint(r.im / TWO_PI_F64), r.im);
    c128 one(1, 0), next = w + one, q = (next + r * c128(2.0 / 3, 0)) * next * c128(2, 0);
    return w * (one + r / next * ((q - r) / (q - r - r)));
}

GNP_FN f64 taxicab(c128 z) { return fabs(z.re) + fabs(z.im); }

// Around the branch point -1 of W by p = sqrt(2 (e z + 1)), Corless et al. (4.22).
GNP_CALL c128 lambert_branch_point(c128 p)
{
    const f64 c[] = {-1.0, 1.0, -1.0 / 3, 11.0 / 72, -43.0 / 540, 769.0 / 17280, -221.0 / 8505,
                     680863.0 / 43545600, -1963.0 / 204120, 226287557.0 / 37623398400.0};
    c128 sum(c[9], 0);
#pragma unroll 1
    for (int k = 8; k >= 0; k--) {
        sum = sum * p + c128(c[k], 0);
    }
    return sum;
}

GNP_FN c128 lambert_infinite(c128 z, f64 turns)
{
    if (is_nan(z.re) || is_nan(z.im)) return z;
    if (z.re == INFINITY_F64) return c128(z.re, z.im + turns);
    return z.re == -INFINITY_F64 ? c128(-z.re, -z.im + turns + PI_F64) : c128(NAN_F64, NAN_F64);
}

GNP_CALL c128 lambertw(c128 z, i64 k)
{
    f64 turns = TWO_PI_F64 * (f64)k;
    if (!is_finite(z)) return lambert_infinite(z, turns);
    f64 size = taxicab(z);
    if (size == 0) return k == 0 ? z : c128(-INFINITY_F64, 0);
    if (k == 0 && size < 1e-9) return z - z * z;
    // the branches 1 below the real axis and -1 above it are real on (-1/e, 0)
    // (the branch -1 also where the imaginary part is -0, as SciPy's)
    bool real = z.im == 0 && z.re > -0.36787944117144233, above = z.im > 0 || !signbit(z.im);
    bool second = (k == -1 && (above || real)) || (k == 1 && !above);
    const f64 e = 0x1.5bf0a8b145769p+1, e_low = 0x1.4d57ee2b1013ap-53;
    c128 w;
    c128 square(2 * (fma(e, z.re, 1.0) + e_low * z.re), 2 * e * z.im);
    if ((k == 0 || second) && taxicab(square) < 1.2) {
        c128 p = sqrt(square);
        if (second) p = -p;
        w = lambert_branch_point(p);
        if (taxicab(p) < 0.03) return w;
    }
    else if (k == 0 && size < 6 && z.re > -0.5) {
        w = log1p(z);
    }
    else {
        c128 l = log_called(second && size < 0.5 ? -z : z);
        if (!second || size >= 0.5) l.im += turns;
        w = l - log_called(second && size < 0.5 ? -l : l);
    }
#pragma unroll 1
    for (int step = 0; step < 20; step++) {
        c128 r = (size < 1e-280 || size > 1e300 ? log_called(z) - log_called(w) : log_called(z / w)) - w;
        w = lambert_step(w, r);
        if (!(taxicab(r) > 1e-8)) return w;
    }
    return c128(NAN_F64, NAN_F64);
}

// ---- Wright's omega: w + log w = z -----------------------------------------------------------------------

GNP_FN f64 wrightomega(f64 x)
{
    if (!(x < 1e20)) return x;
    f64 e = x < 2 ? exp(x) : 0;
    if (x < -50) return e;
    f64 w = x < -2 ? e : x < 2 ? exp((x - 1) * 0.5) : x - log(x) + log(x) / x;
#pragma unroll 1
    for (int step = 0; step < 4; step++) {
        f64 l = log(x < 2 ? e / w : w), r = (x < 2 ? l : x - l) - w, next = 1 + w, q = 2 * next * (next + 2.0 / 3 * r);
        w *= 1 + r / next * ((q - r) / (q - 2 * r));
        if (fabs(r) < 1e-4) break;
    }
    return w;
}

GNP_CALL c128 wrightomega(c128 z)
{
    if (is_nan(z.re) || is_nan(z.im)) return c128(NAN_F64, NAN_F64);
    f64 x = z.re, y = z.im;
    bool strip = fabs(y) <= PI_F64;
    if (isinf(x) || isinf(y)) return x < 0 && isinf(x) && strip ? c128(0, 0) : z;
    if (x < -50 && strip) return exp(z);
    if (taxicab(z) > 1e20) return z - log_called(z);
    if (y == 0) return c128(wrightomega(x), 0);
    c128 w, near(x + 1, fabs(y) - PI_F64 - 0x1.1a62633145c07p-53), e(0, 0);
    bool exponential = strip && x < 1;
    if (exponential) e = exp(z);
    if (taxicab(near) < 0.5) { // the branch point -1 + i pi
        // e z + 1 of W is 1 - exp(near), p^2 twice that; outside the strip p is the other root
        const c128 third(1 + near.re / 3, near.im / 3), half = near * c128(0.5, 0) * third;
        c128 p = sqrt(near * c128(-2, 0) * (c128(1, 0) + half));
        w = lambert_branch_point(near.im > 0 ? -p : p);
        if (y < 0) w.im = -w.im;
        if (taxicab(near) < 1e-6) return w; // steps would lose half of the digits
    }
    else if (x <= -1 && strip) {
        w = e;
        if (x > -2) w = e / (c128(1, 0) + e);
    }
    else if (x <= -1 && fabs(y) < 3 * PI_F64) {
        c128 t(x, y - copysign(PI_F64, y));
        w = t - log_called(-t);
    }
    else if (x < 3 && fabs(y) < PI_F64) {
        c128 t(0.5 * (x - 1), 0.5 * y);
        w = c128(1, 0) + t + t * t * c128(0.25, 0);
    }
    else {
        w = z - log_called(z);
    }
#pragma unroll 1
    for (int step = 0; step < 20; step++) {
        c128 r = (exponential ? log_called(e / w) : z - log_called(w)) - w;
        w = lambert_step(w, r);
        if (!(taxicab(r) > 1e-8)) return w;
    }
    return c128(NAN_F64, NAN_F64);
}
}

#endif

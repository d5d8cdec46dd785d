// elliptic.cuh: Legendre's elliptic integrals and Jacobi's functions of real arguments, by the parameter m = k^2.
// Complete integrals by the arithmetic-geometric mean (DLMF 19.8(i)), that of the second kind near m = 1 by its
// expansion 19.12.2; incomplete ones by Carlson's (19.25.5, 19.25.10); Jacobi's by descending Landen
// transformations (22.20(ii)).
#ifndef GNP_SPECIAL_ELLIPTIC_CUH
#define GNP_SPECIAL_ELLIPTIC_CUH

#include "special/carlson.cuh"
#include "special/elliptic_fits.cuh"

namespace special {

// K(1 - p).
GNP_FN f64 ellipkm1(f64 p)
{
    if (!(p > 0)) return p == 0 ? INFINITY_F64 : NAN_F64;
    if (p == INFINITY_F64) return 0;
    f64 a = 1, b = sqrt(p);
#pragma unroll 1
    for (int step = 0; step < 40 && fabs(a - b) > 0x1p-26 * a; step++) {
        f64 mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return PI_F64 / (a + b); // one more mean; the next changes nothing
}

GNP_FN f64 ellipk(f64 m) { return ellipkm1(1 - m); }

// E(1 - p) for 0 < p <= 1: K times 1 less the squares of the differences of the means.
GNP_FN f64 ellipe_of_rest(f64 p)
{
    if (p < 0.1) return fma(p, fma(-log(p), polynomial(ELLIPE_LOG, p), polynomial(ELLIPE_REST, p)), 1.0);
    f64 a = 1, b = sqrt(p), sum = 0.5 * (1 - p), power = 1;
#pragma unroll 1
    for (int step = 0; step < 8 && fabs(a - b) > 0x1p-30 * a; step++) {
        f64 c = 0.5 * (a - b), mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        sum = fma(power * c, c, sum);
        power *= 2;
    }
    return PI_F64 / (a + b) * (1 - sum);
}

GNP_FN f64 ellipe(f64 m)
{
    if (!(m < 1)) return m == 1 ? 1.0 : NAN_F64;
    if (m >= 0) return ellipe_of_rest(1 - m);
    if (m == -INFINITY_F64) return INFINITY_F64;
    return sqrt(1 - m) * ellipe_of_rest(1 / (1 - m)); // DLMF 19.7.2
}

// ---- incomplete integrals --------------------------------------------------------------------------------

// phi - k pi in [-pi/2, pi/2], and k.
GNP_FN f64 reduced_amplitude(f64 phi, f64 &k)
{
    const f64 pi_rest = 0x1.1a62633145c07p-53;
    k = rint(phi / PI_F64);
    return fma(-k, pi_rest, fma(-k, PI_F64, phi));
}

GNP_COLD f64 ellipkinc(f64 phi, f64 m)
{
    if (phi != phi || m != m || m > 1) return NAN_F64;
    if (fabs(phi) == INFINITY_F64) return m == -INFINITY_F64 ? NAN_F64 : phi;
    if (m == -INFINITY_F64 || m == 0) return m == 0 ? phi : 0.0;
    f64 k, r = reduced_amplitude(phi, k), s = sin(r), c = cos(r);
    if (m == 1) return k != 0 || fabs(phi) >= HALF_PI_F64 ? copysign(INFINITY_F64, phi) : asinh(tan(phi));
    f64 part = s * elliprf(c * c, fma((1 - m) * s, s, c * c), 1);
    return k == 0 ? part : fma(2 * k, ellipk(m), part);
}

GNP_COLD f64 ellipeinc(f64 phi, f64 m)
{
    if (phi != phi || m != m || m > 1) return NAN_F64;
    if (fabs(phi) == INFINITY_F64) return phi;
    if (m == 0) return phi;
    if (m == -INFINITY_F64) return -m;
    f64 k, r = reduced_amplitude(phi, k), s = sin(r), c = cos(r), p = 1 - m;
    f64 q = fma(p * s, s, c * c), part;
    if (m < 0) {
        part = s * fma(-m / 3 * s, s * elliprd(c * c, q, 1), elliprf(c * c, q, 1));
    }
    else if (m == 1) {
        part = s;
    }
    else {
        part = p * s * fma(m / 3 * s, s * elliprd(c * c, 1, q), elliprf(c * c, q, 1)) + m * s * c / sqrt(q);
    }
    return k == 0 ? part : fma(2 * k, ellipe(m), part);
}

// ---- Jacobi's functions ------------------------------------------------------------------------------------

template <class O> GNP_COLD void ellipj(f64 u, f64 m, O &sn, O &cn, O &dn, O &ph)
{
    enum { LEVELS = 10 };
    f64 ratio[LEVELS], phi, before, sine;
    if (!(m >= 0 && m <= 1) || !(fabs(u) < INFINITY_F64)) {
        sn = cn = dn = ph = (O)NAN_F64;
        return;
    }
    if (m == 1) {
        f64 e = 1 / cosh(u);
        sn = (O)tanh(u), cn = (O)e, dn = (O)e, ph = (O)(2 * atan(tanh(0.5 * u)));
        return;
    }
    f64 a = 1, b = sqrt(1 - m), scale = 1;
    int n = 0;
#pragma unroll 1
    while (n < LEVELS && fabs(a - b) > 0x1p-53 * a) {
        f64 c = 0.5 * (a - b), mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        ratio[n++] = c / a;
        scale *= 2;
    }
    phi = before = scale * a * u;
#pragma unroll 1
    while (n > 0) {
        before = phi;
        phi = 0.5 * (phi + asin(ratio[--n] * sin(phi)));
    }
    sine = sin(phi);
    sn = (O)sine, cn = (O)cos(phi), dn = (O)sqrt(fma(-m * sine, sine, 1.0)), ph = (O)phi;
}
}

#endif

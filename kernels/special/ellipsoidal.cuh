// Ellipsoidal harmonics, Lame's functions of whole degree n and order p from 1 to 2n + 1 (G. Dassios, Ellipsoidal
// Harmonics, 2012; DLMF 29.12). With a = h^2 and b = k^2 the first kind is
//   E(s) = s^e0 |s^2 - a|^(e1/2) |s^2 - b|^(e2/2) P(s^2),   P of degree d, and E(s) / s^n is 1 at infinity.
// The coefficients of P in powers of u = s^2 - a are an eigenvector of a tridiagonal matrix that can be made symmetric;
// the 2n + 1 functions are those of four classes, in each ordered by eigenvalue.
#ifndef GNP_SPECIAL_ELLIPSOIDAL_CUH
#define GNP_SPECIAL_ELLIPSOIDAL_CUH

#include "special/owens_t_fits.cuh"
#include "special/tridiagonal.cuh"

namespace special {

enum { ELLIPSOIDAL_MOST_DEGREE = 2000 };

// Row j: lower(j) P(j - 1) + (diagonal(j) - value) P(j) + upper(j) P(j + 1) = 0.
struct EllipsoidalRows {
    f64 a, b, gap; // gap = b - a
    int n, e0, e1, e2, degree;
    int index, low, high;
    bool valid;

    __device__ f64 diagonal(int j) const
    {
        const f64 t = -(4 * e0 + 2) * gap + (4 * e1 + 2) * (a - gap) + (4 * e2 + 2) * a;
        return j * (4 * (a - gap) * (j - 1) + t);
    }
    __device__ f64 lower(int j) const
    {
        const f64 odd = e0 + e1 + e2 + 0.5;
        return 4 * ((j - 1) * (j - 1 + odd) - degree * (degree + odd));
    }
    __device__ f64 upper(int j) const { return -a * gap * (j + 1) * (4 * j + 4 * e1 + 2); }
    __device__ f64 square(int j) const { return j + 1 < high ? lower(j + 1) * upper(j) : 0.0; }
};

GNP_COLD EllipsoidalRows ellipsoidal_rows(f64 h2, f64 k2, f64 degree, f64 order)
{
    EllipsoidalRows r = {h2, k2, k2 - h2, 0, 0, 0, 0, 0, 0, 0, 0, false};
    const f64 whole = trunc(degree), which = trunc(order) - 1;
    if (!(0 <= h2 && h2 <= k2 && k2 < INFINITY_F64 && 0 <= whole && whole <= ELLIPSOIDAL_MOST_DEGREE)) return r;
    if (!(0 <= which && which <= 2 * whole)) return r;
    r.n = (int)whole;
    const int half = r.n / 2, rest = r.n - half;
    int place = (int)which;
    // Classes K, L, M, N: half + 1, rest, rest and half functions.
    const bool k = place <= half;
    place -= k ? 0 : half + 1;
    const bool l = !k && place < rest;
    place -= k || l ? 0 : rest;
    const bool m = !k && !l && place < rest;
    place -= k || l || m ? 0 : rest;
    r.e1 = l || !(k || m);
    r.e2 = m || !(k || l);
    r.e0 = (r.n - r.e1 - r.e2) & 1;
    r.degree = (r.n - r.e0 - r.e1 - r.e2) / 2;
    r.index = r.degree - place;
    r.high = r.degree + 1;
    r.valid = true;
    return r;
}

// The eigenvalue, and the row where its eigenvector is large.
struct EllipsoidalVector {
    f64 value;
    int middle;
};

GNP_FN f64 pivot_of(f64 x) { return fabs(x) < 1e-290 ? 1e-290 : x; }

// Pivots from the first row to `row`, or from the last one: what is left of its diagonal.
GNP_COLD f64 ellipsoidal_pivot(const EllipsoidalRows &r, f64 value, int row, bool upwards)
{
    f64 pivot = 1, square = 0;
    int j = upwards ? 0 : r.degree;
#pragma unroll 1
    for (;; j += upwards ? 1 : -1) {
        pivot = pivot_of(r.diagonal(j) - value - square / pivot);
        if (j == row) return pivot;
        square = r.square(upwards ? j : j - 1);
    }
}

GNP_COLD EllipsoidalVector ellipsoidal_vector(const EllipsoidalRows &r)
{
    f64 low = INFINITY_F64, high = -INFINITY_F64, before = 0, best = INFINITY_F64;
#pragma unroll 1
    for (int j = 0; j < r.high; j++) { // Gershgorin's circles
        const f64 beside = sqrt(r.square(j)), reach = before + beside, at = r.diagonal(j);
        low = fmin(low, at - reach);
        high = fmax(high, at + reach);
        before = beside;
    }
    const f64 slack = 4 * EPSILON_F64 * (fabs(low) + fabs(high)) + 1e-300;
    EllipsoidalVector v = {eigenvalue_between(r, low - slack, high + slack, 0.0), 0};
    // The row whose equation fails most if all others hold has the largest element.
#pragma unroll 1
    for (int j = 0; j < r.high; j++) {
        const f64 up = ellipsoidal_pivot(r, v.value, j, true), down = ellipsoidal_pivot(r, v.value, j, false);
        const f64 short_of = fabs(up + down - (r.diagonal(j) - v.value));
        if (short_of < best) {
            best = short_of;
            v.middle = j;
        }
    }
    return v;
}

// P(u) with 1 as its leading coefficient: in units of the middle row's coefficient, from both ends.
GNP_COLD f64 ellipsoidal_polynomial(const EllipsoidalRows &r, const EllipsoidalVector &v, f64 u)
{
    f64 down = 0, lead = 1, up = 0, power = 1, pivot = 1, square = 0;
#pragma unroll 1
    for (int j = r.degree; j > v.middle; j--) {
        pivot = pivot_of(r.diagonal(j) - v.value - square / pivot);
        const f64 ratio = -r.lower(j) / pivot; // of P(j) and P(j - 1)
        square = r.square(j - 1);
        down = ratio * u * (1 + down);
        lead *= ratio;
    }
    pivot = 1;
    square = 0;
#pragma unroll 1
    for (int j = 0; j < v.middle; j++) {
        pivot = pivot_of(r.diagonal(j) - v.value - square / pivot);
        up = (up + power) * (-r.upper(j) / pivot); // of P(j) and P(j + 1)
        square = r.square(j);
        power *= u;
    }
    return (up + power * (1 + down)) / lead;
}

// E where s^2 - b is known by itself.
GNP_COLD f64 ellipsoidal_value(const EllipsoidalRows &r, const EllipsoidalVector &v, f64 s, f64 from_b)
{
    const f64 u = from_b + r.gap;
    f64 y = ellipsoidal_polynomial(r, v, u);
    if (r.e0) y *= s;
    if (r.e1) y *= sqrt(fabs(u));
    return r.e2 ? y * sqrt(fabs(from_b)) : y;
}

GNP_COLD f64 ellipsoidal_first_of(f64 h2, f64 k2, f64 n, f64 p, f64 s)
{
    const EllipsoidalRows r = ellipsoidal_rows(h2, k2, n, p);
    if (!r.valid || s != s) return NAN_F64;
    const EllipsoidalVector v = ellipsoidal_vector(r);
    // s^2 - a and s^2 - b as products, and the polynomial of what is nearer to 0.
    const f64 k = sqrt(k2), h = sqrt(h2), size = fabs(s);
    f64 y = ellipsoidal_polynomial(r, v, fma(s, s, -h2));
    if (r.e0) y *= s;
    if (r.e1) y *= sqrt(fabs((size - h) * (size + h)));
    return r.e2 ? y * sqrt(fabs((size - k) * (size + k))) : y;
}
GNP_FN f64 ellipsoidal_first(f64 h2, f64 k2, f64 n, f64 p, f64 s) { return ellipsoidal_first_of(h2, k2, n, p, s); }

// (2n + 1) E(s) times the integral of 1 / (E(1/u)^2 ((1 - u^2 b) (1 - u^2 a))^(1/2)) from 0 to 1/s. In the angle with
// cos(angle) = k u the integrand is smooth but at 0, where s is k: intervals three times as long as their distance from there.
GNP_FN f64 ellipsoidal_second(f64 h2, f64 k2, f64 n, f64 p, f64 s)
{
    const EllipsoidalRows r = ellipsoidal_rows(h2, k2, n, p);
    const f64 k = sqrt(k2), size = fabs(s);
    if (!(r.valid && size >= k && size < INFINITY_F64 && k > 0)) return NAN_F64;
    const EllipsoidalVector v = ellipsoidal_vector(r);
    const f64 from_b = (size - k) * (size + k), own = ellipsoidal_value(r, v, s, from_b);
    f64 sum = 0, start = atan2(sqrt(from_b), k);
    if (start == 0 && r.e2) return NAN_F64;
#pragma unroll 1
    for (int i = 0; i < 32 && start < HALF_PI_F64; i++) {
        const f64 end = fmin(fmax(4 * start, 0x1p-52), HALF_PI_F64), half = 0.5 * (end - start), centre = start + half;
        f64 part = 0;
#pragma unroll 1
        for (int j = 0; j < 40; j++) {
            const f64 node = LEGENDRE_NODES[j >> 1];
            f64 sine, cosine;
            sincos(fma(j & 1 ? half : -half, node, centre), &sine, &cosine);
            const f64 tangent = k * sine / cosine, e = ellipsoidal_value(r, v, k / cosine, tangent * tangent);
            part = fma(LEGENDRE_WEIGHTS[j >> 1], 1 / (e * e * sqrt(1 - h2 / k2 * cosine * cosine)), part);
        }
        sum = fma(half, part, sum);
        start = end;
    }
    return (s < 0 ? -(2 * r.n + 1) : 2 * r.n + 1) * own * (sum / k);
}

// 8 times the double integral of (y^2 - x^2) E(x)^2 E(y)^2 / (|y^2 - k^2| |y^2 - h^2| |x^2 - h^2| |x^2 - k^2|)^(1/2) over
// 0 < x < h < y < k: four integrals over a quarter of a period, by the midpoint rule, which converges geometrically.
GNP_FN f64 ellipsoidal_norm(f64 h2, f64 k2, f64 n, f64 p)
{
    const EllipsoidalRows r = ellipsoidal_rows(h2, k2, n, p);
    if (!(r.valid && 0 < h2 && h2 < k2)) return NAN_F64;
    const EllipsoidalVector v = ellipsoidal_vector(r);
    const f64 strip = fmin(acosh(sqrt(k2 / h2)), asinh(sqrt(h2 / r.gap)));
    const int points = (int)fmin(r.n + 12 + 11 / strip, 20000.0);
    f64 x0 = 0, x1 = 0, y0 = 0, y1 = 0;
#pragma unroll 1
    for (int i = 0; i < points; i++) {
        f64 sine, cosine;
        sincospi(0.5 * (i + 0.5) / points, &sine, &cosine);
        const f64 x = h2 * sine * sine, y = h2 + r.gap * sine * sine;
        const f64 at_x = ellipsoidal_value(r, v, sqrt(x), x - k2), at_y = ellipsoidal_value(r, v, sqrt(y), -r.gap * cosine * cosine);
        const f64 of_x = at_x * at_x / sqrt(k2 - x), of_y = at_y * at_y / sqrt(y);
        x0 += of_x;
        x1 = fma(x, of_x, x1);
        y0 += of_y;
        y1 = fma(y, of_y, y1);
    }
    const f64 step = HALF_PI_F64 / points;
    return 8 * (x0 * y1 - x1 * y0) * step * step;
}

// 1, signm, signn or their product for the classes K, L, M, N.
GNP_FN f64 ellipsoidal_sign(f64 n, f64 p, f64 signm, f64 signn)
{
    const EllipsoidalRows r = ellipsoidal_rows(1, 2, n, p);
    if (!(fabs(signm) == 1 && fabs(signn) == 1)) return NAN_F64;
    return (r.e1 ? signm : 1.0) * (r.e2 ? signn : 1.0);
}
}

#endif

// Carlson's R_J of real arguments by duplication (Carlson 1995; DLMF 19.36(i)), its principal value for p < 0 by
// DLMF 19.20.14.
#ifndef GNP_SPECIAL_CARLSON_THIRD_CUH
#define GNP_SPECIAL_CARLSON_THIRD_CUH

#include "special/carlson.cuh"

namespace special {

enum { MAX_FAR_DUPLICATIONS = 500 }; // p far above the rest comes closer by 4 a step

GNP_COLD f64 elliprj_positive(f64 x, f64 y, f64 z, f64 p)
{
    f64 start = (x + y + z + 2 * p) / 5, mean = start, scale = 1, sum = 0, x0 = x, y0 = y, z0 = z;
    f64 spread = 700 * fmax(largest_of(start - x, start - y, start - z), fabs(start - p));
#pragma unroll 1
    for (int step = 0; step < MAX_FAR_DUPLICATIONS && spread * scale > mean; step++) {
        f64 a = sqrt(x), b = sqrt(y), c = sqrt(z), r = sqrt(p), lambda = a * b + a * c + b * c;
        f64 d = (r + a) * (r + b) * (r + c);
        sum += scale / d * elliprc(1, 2 * r * (p + lambda) / d); // 1 + e_m of 19.36 without its cancellation
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda), p = 0.25 * (p + lambda);
        mean = 0.25 * (mean + lambda);
        scale *= 0.25;
    }
    f64 u = (start - x0) * scale / mean, v = (start - y0) * scale / mean, w = (start - z0) * scale / mean;
    f64 t = -(u + v + w) / 2, e2 = u * v + u * w + v * w - 3 * t * t, e3 = u * v * w + 2 * e2 * t + 4 * t * t * t;
    f64 e4 = (2 * u * v * w + e2 * t + 3 * t * t * t) * t, e5 = u * v * w * t * t;
    f64 series = e2 * (-3.0 / 14 + 9.0 / 88 * e2 - 9.0 / 52 * e3 - 1.0 / 16 * e2 * e2 + 3.0 / 20 * e4) +
                 e3 * (1.0 / 6 + 3.0 / 40 * e3) - 3.0 / 22 * e4 + 3.0 / 26 * e5;
    return 6 * sum + scale * (1 + series) / (mean * sqrt(mean));
}

GNP_COLD f64 elliprj(f64 x, f64 y, f64 z, f64 p)
{
    if (!(x >= 0 && y >= 0 && z >= 0) || fabs(p) < 2.3e-308) return NAN_F64;
    if (x == INFINITY_F64 || y == INFINITY_F64 || z == INFINITY_F64 || fabs(p) == INFINITY_F64) return 0;
    if (p != p) return NAN_F64;
    if ((x < 2.3e-308) + (y < 2.3e-308) + (z < 2.3e-308) > 1) return INFINITY_F64;
    int exponent; // the function is homogeneous of degree -3/2: the largest argument becomes about 1
    frexp(fmax(largest_of(x, y, z), fabs(p)), &exponent);
    exponent /= 2;
    x = ldexp(x, -2 * exponent), y = ldexp(y, -2 * exponent), z = ldexp(z, -2 * exponent);
    p = ldexp(p, -2 * exponent);
    if (p > 0) return ldexp(elliprj_positive(x, y, z, p), -3 * exponent);
    f64 low = fmin(x, fmin(y, z)), high = fmax(x, fmax(y, z)), middle = fmax(fmin(x, y), fmin(fmax(x, y), z)), q = -p;
    f64 more = (high - middle) * ((middle - low) / (middle + q)), s = more + middle, lh = low * high, sq = s * q;
    f64 value = more * elliprj_positive(low, middle, high, s) - 3 * elliprf(low, middle, high) +
                3 * sqrt(lh * middle / (lh + sq)) * elliprc(lh + sq, sq);
    return ldexp(value / (middle + q), -3 * exponent);
}
}

#endif

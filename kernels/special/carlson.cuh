// carlson.cuh: Carlson's symmetric elliptic integrals of real arguments by duplication (Carlson 1995, "Numerical
// computation of real or complex elliptic integrals"; DLMF 19.36(i)). Each step brings the arguments four times
// closer together; the series about their mean then has an error below rounding.
#ifndef GNP_SPECIAL_CARLSON_CUH
#define GNP_SPECIAL_CARLSON_CUH

#include "special/common.cuh"

namespace special {

enum { MAX_DUPLICATIONS = 100 };

GNP_FN f64 largest_of(f64 a, f64 b, f64 c) { return fmax(fmax(fabs(a), fabs(b)), fabs(c)); }

GNP_COLD f64 elliprf(f64 x, f64 y, f64 z)
{
    if (!(x >= 0 && y >= 0 && z >= 0)) return NAN_F64;
    if (x == INFINITY_F64 || y == INFINITY_F64 || z == INFINITY_F64) return 0;
    if ((x == 0) + (y == 0) + (z == 0) > 1) return INFINITY_F64;
    f64 start = (x + y + z) / 3, mean = start, scale = 1;
    f64 spread = 400 * largest_of(start - x, start - y, start - z), x0 = x, y0 = y;
#pragma unroll 1
    for (int step = 0; step < MAX_DUPLICATIONS && spread * scale > mean; step++) {
        f64 a = sqrt(x), b = sqrt(y), c = sqrt(z), lambda = a * b + a * c + b * c;
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
        mean = 0.25 * (mean + lambda);
        scale *= 0.25;
    }
    f64 u = (start - x0) * scale / mean, v = (start - y0) * scale / mean, w = -u - v;
    f64 e2 = u * v - w * w, e3 = u * v * w;
    f64 sum = e2 * (-1.0 / 10 + e2 * (1.0 / 24 - 5.0 / 208 * e2) - 3.0 / 44 * e3) + e3 * (1.0 / 14 + 3.0 / 104 * e3);
    return (1 + sum) / sqrt(mean);
}

GNP_COLD f64 elliprd(f64 x, f64 y, f64 z)
{
    if (!(x >= 0 && y >= 0 && z >= 0)) return NAN_F64;
    if (z == 0 || (x == 0 && y == 0 && z < INFINITY_F64)) return INFINITY_F64;
    if (x == INFINITY_F64 || y == INFINITY_F64 || z == INFINITY_F64) return 0;
    f64 start = (x + y + 3 * z) / 5, mean = start, scale = 1, sum = 0;
    f64 spread = 700 * largest_of(start - x, start - y, start - z), x0 = x, y0 = y;
#pragma unroll 1
    for (int step = 0; step < MAX_DUPLICATIONS && spread * scale > mean; step++) {
        f64 a = sqrt(x), b = sqrt(y), c = sqrt(z), lambda = a * b + a * c + b * c;
        sum += scale / (c * (z + lambda));
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
        mean = 0.25 * (mean + lambda);
        scale *= 0.25;
    }
    f64 u = (start - x0) * scale / mean, v = (start - y0) * scale / mean, w = -(u + v) / 3;
    f64 uv = u * v, ww = w * w;
    f64 e2 = uv - 6 * ww, e3 = (3 * uv - 8 * ww) * w, e4 = 3 * (uv - ww) * ww, e5 = uv * ww * w;
    f64 series = e2 * (-3.0 / 14 + 9.0 / 88 * e2 - 9.0 / 52 * e3 - 1.0 / 16 * e2 * e2 + 3.0 / 20 * e4) +
                 e3 * (1.0 / 6 + 3.0 / 40 * e3) - 3.0 / 22 * e4 + 3.0 / 26 * e5;
    return 3 * sum + scale * (1 + series) / (mean * sqrt(mean));
}

// R_C(x, y) in elementary functions, DLMF 19.2.17 to 19.2.20; a principal value for y < 0.
GNP_FN f64 elliprc(f64 x, f64 y)
{
    if (!(x >= 0) || y != y || y == 0 || (y < 0 && x == INFINITY_F64)) return NAN_F64;
    if (x == INFINITY_F64 || fabs(y) == INFINITY_F64) return 0;
    if (y < 0) return sqrt(x / (x - y)) * elliprf(x - y, -y, -y);
    f64 d = (y - x) / fmax(x, y); // close to 0 the elementary functions lose the difference
    return fabs(d) < 0.25 ? elliprf(x, y, y)
           : y > x        ? atan(sqrt((y - x) / x)) / sqrt(y - x)
                          : log((sqrt(x) + sqrt(x - y)) / sqrt(y)) / sqrt(x - y);
}

// DLMF 19.21.10, with z between the others so that no difference cancels.
GNP_FN f64 elliprg(f64 x, f64 y, f64 z)
{
    if (!(x >= 0 && y >= 0 && z >= 0)) return NAN_F64;
    if (x == INFINITY_F64 || y == INFINITY_F64 || z == INFINITY_F64) return INFINITY_F64;
    f64 low = fmin(x, fmin(y, z)), high = fmax(x, fmax(y, z)), middle = fmax(fmin(x, y), fmin(fmax(x, y), z));
    if (middle <= 1e-200 * high) return 0.5 * sqrt(high);
    low /= high, middle /= high; // the function is homogeneous of degree 1/2
    f64 product = (1 - middle) * (middle - low);
    f64 sum = middle * elliprf(low, 1, middle) + product * elliprd(low, 1, middle) / 3 + sqrt(low / middle);
    return 0.5 * sum * sqrt(high);
}
}

#endif

// stable.cuh: stable distributions by the integrals of J. P. Nolan, Comm. Statist. Stochastic Models 13 (1997), after
// V. M. Zolotarev: with a function g of an angle, which is monotone, the density is an integral of g exp(-g), both tails
// those of exp(-g) and 1 - exp(-g). The angle is v = log of the ratio of its distances from both ends, of which log g
// has a nearly constant slope far out; the rule of 32 points takes intervals between given values of log g.
// Characteristic functions are exp(-|t|^a (1 - i b sign(t) tan(pi a / 2))), and
// exp(-|t| (1 + i b sign(t) 2/pi log |t|)) for a = 1.
#ifndef GNP_STATS_STABLE_CUH
#define GNP_STATS_STABLE_CUH

#include "stats/gauss_rule.cuh"

namespace stats {

enum StableKind { STABLE_PDF, STABLE_NEAR, STABLE_FAR }; // integrals of g exp(-g), exp(-g), 1 - exp(-g)

// The angles and log g for a point x > 0, or any x for a = 1 and b > 0.
struct StableAngles {
    f64 a, b, length, from_pi, rest, constant; // the length of the interval, pi less it, pi - a * length

    GNP_FN StableAngles(f64 a_, f64 b_, f64 x) : a(a_), b(b_)
    {
        if (a == 1) {
            length = PI_F64;
            from_pi = rest = 0;
            constant = log(2 / PI_F64) - 0.5 * PI_F64 * x / b;
            return;
        }
        const f64 right = PI_F64 * (a < 1 ? 0.5 * a : 0.5 * a - 1); // atan(tan(pi a / 2))
        const f64 offset = fabs(b) == 1 ? b * right : atan(b * tan(right)); // a theta_0
        length = 0.5 * PI_F64 + offset / a;
        from_pi = fmax(0.5 * PI_F64 - offset / a, 0.0);
        rest = fmax(PI_F64 - 0.5 * PI_F64 * a - offset, 0.0);
        if (b == 1 && a < 1) from_pi = 0, length = PI_F64;
        if (b == -1 && a > 1) rest = 0;
        constant = log(cos(offset)) / (a - 1) + a / (a - 1) * log(x);
    }

    // The weight d(angle)/dv.
    GNP_FN f64 slope(f64 v) const { const f64 e = exp(-fabs(v)); return length * e / square(1 + e); }

    __device__ __noinline__ f64 log_g(f64 v) const
    {
        const f64 e = exp(-fabs(v)), near = length * e / (1 + e); // the distance from the nearer end
        const bool is_left = v < 0;
        if (a == 1) {
            const f64 height = is_left ? 0.5 * PI_F64 * (1 - b) + b * near : 0.5 * PI_F64 * (1 + b) - b * near;
            return constant + log(height / sin(near)) + (is_left ? -height : height) / (b * tan(near));
        }
        const f64 cosine = sin(is_left ? from_pi + near : near), sine = sin(is_left ? a * near : rest + a * near);
        const f64 other = sin(is_left ? from_pi + (1 - a) * near : rest + (a - 1) * near);
        return constant + a / (a - 1) * log(cosine / sine) + log(other / cosine);
    }

    // The v between two at which log g is a level, or an end.
    __device__ __noinline__ f64 at_level(f64 level, f64 low, f64 high) const
    {
        const bool rising = a <= 1;
#pragma unroll 1
        for (int i = 0; i < 48; i++) {
            const f64 middle = 0.5 * (low + high);
            const bool is_below = (log_g(middle) < level) == rising;
            low = is_below ? middle : low;
            high = is_below ? high : middle;
        }
        return 0.5 * (low + high);
    }
};

static __constant__ f64 STABLE_LEVELS[] = {4.2, 3, 2, 1, 0, -1.5, -3, -6, -12, -24, -48};

GNP_COLD f64 stable_integral(f64 a, f64 b, f64 x, StableKind kind)
{
    const StableAngles angles(a, b, x);
    const f64 center = angles.at_level(0, -745, 745);
    const f64 low = fmin(center, 0.0) - 45, high = fmax(center, 0.0) + 45, start = a <= 1 ? high : low;
    const auto value = [&](f64 v) {
        const f64 s = angles.log_g(v), g = exp(s);
        const f64 h = kind == STABLE_PDF ? exp(s - g) : kind == STABLE_NEAR ? exp(-g) : -expm1(-g);
        return h == h ? h * angles.slope(v) : 0;
    };
    f64 sum = 0, from = start;
#pragma unroll 1
    for (int i = 0; i <= 11; i++) {
        const f64 to = i == 11 ? low + high - start : angles.at_level(STABLE_LEVELS[i], low, high);
        const f64 parts = ceil(fabs(to - from) / 5), width = (to - from) / fmax(parts, 1.0);
        const bool counts = i > 0 || kind == STABLE_FAR; // log g is large before the first level
#pragma unroll 1
        for (f64 part = 0; part < parts && counts; part++) {
            const f64 begin = from + part * width;
            sum += fabs(gauss_integral([&](f64 t) { return value(begin + t); }, width));
        }
        from = to;
    }
    return sum;
}

GNP_COLD f64 stable_pdf(f64 a, f64 b, f64 x)
{
    if (a == 2) return exp(-0.25 * x * x) / (2 * sqrt(PI_F64));
    if (a == 1 && b == 0) return 1 / (PI_F64 * (1 + x * x));
    if (a == 1) return stable_integral(1, fabs(b), b < 0 ? -x : x, STABLE_PDF) / (2 * fabs(b));
    if (x < 0) x = -x, b = -b;
    if (a < 1 && (b == -1 || (b == 1 && x == 0))) return 0;
    if (x == 0) {
        const f64 right = PI_F64 * (a < 1 ? 0.5 * a : 0.5 * a - 1), skew = b * tan(right);
        return tgamma(1 + 1 / a) * cos(atan(skew) / a) / (PI_F64 * pow(1 + skew * skew, 0.5 / a));
    }
    return a / (PI_F64 * fabs(a - 1) * x) * stable_integral(a, b, x, STABLE_PDF);
}

// The probability below x, or above.
GNP_COLD f64 stable_tail(f64 a, f64 b, f64 x, bool upper)
{
    if (a == 2) return 0.5 * erfc(upper ? 0.5 * x : -0.5 * x);
    if (x < 0 ? a != 1 || b <= 0 : a == 1 && b < 0) x = -x, b = -b, upper = !upper;
    if (a == 1 && b == 0) return x > 1 || x < -1 ? (upper == (x > 0) ? 0 : 1) + (upper ? 1 : -1) * atan(1 / x) / PI_F64
                                                 : 0.5 + (upper ? -1 : 1) * atan(x) / PI_F64;
    if (a == 1) return stable_integral(1, b, x, upper ? STABLE_FAR : STABLE_NEAR) / PI_F64;
    const f64 right = PI_F64 * (a < 1 ? 0.5 * a : 0.5 * a - 1);
    const f64 offset = (fabs(b) == 1 ? b * right : atan(b * tan(right))) / a;
    const f64 below = a < 1 && b == 1 ? 0 : a < 1 && b == -1 ? 1 : 0.5 - offset / PI_F64; // the probability below 0
    if (x == 0 || (a < 1 && b == -1)) return upper ? 1 - below : below;
    if (a < 1) {
        const f64 part = stable_integral(a, b, x, upper ? STABLE_FAR : STABLE_NEAR) / PI_F64;
        return upper ? part : below + part;
    }
    const f64 part = stable_integral(a, b, x, STABLE_NEAR) / PI_F64;
    return upper ? part : 1 - part;
}
}

#endif

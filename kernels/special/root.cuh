// root.cuh: a root of a monotonic function of one variable, for inverses of distribution functions. F is a
// function object, f64 operator()(f64) const. The step within a bracket is Chandrupatla's (1997): inverse
// quadratic interpolation where the three last points allow it, else the middle of the bracket, the geometric
// one while the ends differ by a factor of four or more.
#ifndef GNP_SPECIAL_ROOT_CUH
#define GNP_SPECIAL_ROOT_CUH

#include "special/common.cuh"

namespace special {

// Where between x (0) and other (1) the next point lies.
GNP_COLD f64 share_of_bracket(f64 x, f64 f, f64 other, f64 f_other, f64 last, f64 f_last)
{
    f64 xi = (x - other) / (last - other), phi = (f - f_other) / (f_last - f_other);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
        return f / (f_other - f) * (f_last / (f_other - f_last)) +
               (last - x) / (other - x) * (f / (f_last - f)) * (f_other / (f_last - f_other));
    }
    bool wide = x > 0 && other > 0 && fmax(x, other) > 4 * fmin(x, other);
    return wide ? (sqrt(x) * sqrt(other) - x) / (other - x) : 0.5;
}

// The root between x and other, where f has different signs.
template <class F> GNP_FN f64 root_between(const F &f, f64 x, f64 fx, f64 other, f64 f_other)
{
    f64 share = 0.5, best = x;
    if (x > 0 && other > 0) {
        share = (sqrt(x) * sqrt(other) - x) / (other - x);
    }
#pragma unroll 1
    for (int i = 0; i < 2 * MAX_ROOT_STEPS; i++) {
        best = fabs(fx) < fabs(f_other) ? x : other;
        f64 least = 0x1p-53 * fabs(best) / fabs(other - x);
        if (fx == 0 || f_other == 0 || !(least < 0.5)) {
            return best;
        }
        f64 next = fma(fmin(fmax(share, least), 1 - least), other - x, x);
        if (next == x || next == other) {
            return best;
        }
        f64 value = f(next), last = x, f_last = fx;
        if (value != value) {
            return value;
        }
        if ((value < 0) != (fx < 0)) {
            last = other;
            f_last = f_other;
            other = x;
            f_other = fx;
        }
        x = next;
        fx = value;
        share = share_of_bracket(x, fx, other, f_other, last, f_last);
    }
    return fabs(other - x) < 1e-13 * fabs(best) ? best : NAN_F64;
}

// The root x > 0 of a function that rises, or falls: from `start`, by growing steps up to a bound, which is
// the result where the root lies beyond it.
template <class F> GNP_COLD f64 positive_root(const F &f, bool rising, f64 start, f64 least, f64 most)
{
    f64 x = start, fx = f(x), other = x, f_other = fx, step = 2;
    bool up = (fx < 0) == rising;
#pragma unroll 1
    while (f_other != 0 && (f_other < 0) == (fx < 0)) {
        x = other;
        fx = f_other;
        if (fx != fx || x == (up ? most : least)) {
            return fx != fx ? fx : x;
        }
        other = up ? fmin(x * step, most) : fmax(x / step, least);
        step *= step;
        f_other = f(other);
    }
    return f_other != f_other ? f_other : root_between(f, x, fx, other, f_other);
}

// Whether a distribution function reaches its level: log(P/p), or log(q/Q) for the smaller of the tails p and
// q = 1 - p, as a function of one of its arguments. D is a function object, f64 operator()(f64 v, bool upper).
template <class D> struct Level {
    D tail;
    f64 p, q;

    __device__ __noinline__ f64 operator()(f64 v) const
    {
        return q < p ? ::log(q / tail(v, true)) : ::log(tail(v, false) / p);
    }
};
}

#endif

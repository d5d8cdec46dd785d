// root.cuh: the positive root of a monotonic function of one variable, for inverses of distribution functions. F is
// a function object, f64 operator()(f64) const. The step within a bracket is Chandrupatla's (1997): inverse
// quadratic interpolation where the three last points allow it, else the middle; in the logarithm of the variable
// while the ends of the bracket differ by more than a factor of two.
#ifndef GNP_SPECIAL_ROOT_CUH
#define GNP_SPECIAL_ROOT_CUH

#include "special/log_pair.cuh"

namespace special {

// A bracket from x, the last point, to other; `last` is the one before.
struct Bracket {
    f64 x, fx, other, f_other, last, f_last;
};

GNP_COLD f64 distance_in_bracket(f64 from, f64 to, bool wide) { return wide ? log_called(to / from) : to - from; }

// The point to try next, or the better end where the bracket cannot get smaller.
GNP_COLD f64 next_in_bracket(const Bracket &b)
{
    bool wide = b.other > 2 * b.x || b.x > 2 * b.other;
    f64 best = fabs(b.fx) < fabs(b.f_other) ? b.x : b.other, share = 0.5;
    f64 width = distance_in_bracket(b.x, b.other, wide), least = 0x1p-53 * (wide ? 1 : best) / fabs(width);
    if (b.fx == 0 || b.f_other == 0 || !(least < 0.5)) return best;
    f64 back = distance_in_bracket(b.x, b.last, wide); // to the point before
    f64 xi = width / (width - back), phi = (b.fx - b.f_other) / (b.f_last - b.f_other);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi) {
        share = b.fx / (b.f_other - b.fx) * (b.f_last / (b.f_other - b.f_last)) +
                back / width * (b.fx / (b.f_last - b.fx)) * (b.f_other / (b.f_last - b.f_other));
    }
    share = fmin(fmax(share, least), 1 - least);
    f64 next = wide ? b.x * exp_called(share * width) : fma(share, width, b.x);
    return next == b.x || next == b.other ? best : next;
}

template <class F> GNP_FN f64 root_between(const F &f, f64 x, f64 fx, f64 other, f64 f_other)
{
    Bracket b = {x, fx, other, f_other, other, f_other};
#pragma unroll 1
    for (int i = 0; i < 2 * MAX_ROOT_STEPS; i++) {
        f64 next = next_in_bracket(b);
        if (next == b.x || next == b.other) return next;
        f64 value = f(next);
        if (value != value) return value;
        bool same = (value < 0) == (b.fx < 0);
        b.last = same ? b.x : b.other;
        b.f_last = same ? b.fx : b.f_other;
        b.other = same ? b.other : b.x;
        b.f_other = same ? b.f_other : b.fx;
        b.x = next;
        b.fx = value;
    }
    return NAN_F64;
}

// The root of a function that rises, or falls: from `start`, by growing steps up to a bound, which is the result
// where the root lies beyond it.
template <class F> GNP_COLD f64 positive_root(const F &f, bool rising, f64 start, f64 least, f64 most)
{
    f64 x = start, fx = f(x), other = x, f_other = fx, step = 2;
    bool up = (fx < 0) == rising;
#pragma unroll 1
    while (f_other != 0 && (f_other < 0) == (fx < 0)) {
        x = other;
        fx = f_other;
        if (fx != fx || x == (up ? most : least)) return fx != fx ? fx : x;
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
        bool upper = q < p;
        f64 t = tail(v, upper);
        return log_called(upper ? q / t : t / p);
    }
};
}

#endif

// betaincinv.cuh: inverses of the incomplete beta function in x, by the root finder in x or in 1 - x, whichever is
// smaller, so that both keep their relative accuracy.
#ifndef GNP_SPECIAL_BETAINCINV_CUH
#define GNP_SPECIAL_BETAINCINV_CUH

#include "special/betainc.cuh"
#include "special/root.cuh"

namespace special {

struct BetaOfPlace {
    f64 a, b;

    GNP_FN f64 operator()(f64 x, bool upper) const { return beta_tail(a, b, x, 1 - x, 0, upper); }
};

// The x with I_x(a, b) = y, or 1 less it for `upper`, as the smaller of x and 1 - x: which of them, in `below`.
GNP_COLD f64 beta_place(f64 a, f64 b, f64 y, bool upper, bool &below)
{
    below = true;
    if (!(a > 0 && b > 0 && y >= 0 && y <= 1 && a < INFINITY_F64 && b < INFINITY_F64)) return NAN_F64;
    if (y == 0 || y == 1) {
        below = (y == 0) != upper;
        return 0;
    }
    f64 p = upper ? 1 - y : y, q = upper ? y : 1 - y;
    Level<BetaOfPlace> f = {{a, b}, p, q};
    below = f(0.5) >= 0;
    if (!below) f = {{b, a}, q, p};
    f64 x = positive_root(f, true, fmin(f.tail.a / (a + b), 0.25), 0x1p-1074, 0.5);
    return x == 0x1p-1074 ? 0.0 : x;
}

GNP_FN f64 betaincinv_of(f64 a, f64 b, f64 y, bool upper)
{
    bool below;
    f64 x = beta_place(a, b, y, upper, below);
    return below ? x : 1 - x;
}

// x / (1 - x) of the same x.
GNP_FN f64 beta_odds(f64 a, f64 b, f64 y, bool upper)
{
    bool below;
    f64 x = beta_place(a, b, y, upper, below);
    return below ? x / (1 - x) : (1 - x) / x;
}

GNP_FN f64 betaincinv(f64 a, f64 b, f64 y) { return betaincinv_of(a, b, y, false); }
GNP_FN f64 betainccinv(f64 a, f64 b, f64 y) { return betaincinv_of(a, b, y, true); }
}

#endif

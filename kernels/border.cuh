// border.cuh: which element stands beyond the end of an axis, by an enum PadRule.
#ifndef GNP_BORDER_CUH
#define GNP_BORDER_CUH

#include "gnp.cuh"

// In [0, n), whatever the sign of x.
template <class I> GNP_FN I remainder(I x, I n)
{
    x %= n;
    return x < 0 ? x + n : x;
}

// The index of n elements that stands for x; -1: none, the constant does.
template <int RULE, class I> GNP_FN I border_source(I x, I n)
{
    if (x >= 0 && x < n) {
        return x;
    }
    if constexpr (RULE == PAD_CONSTANT) {
        return -1;
    }
    else if constexpr (RULE == PAD_EDGE) {
        return x < 0 ? 0 : n - 1;
    }
    else if constexpr (RULE == PAD_WRAP) {
        x += x < 0 ? n : -n;
        return x < 0 || x >= n ? remainder(x, n) : x;
    }
    else if constexpr (RULE == PAD_REFLECT) {
        x = x < 0 ? -x : 2 * (n - 1) - x;
        if (x < 0 || x >= n) {
            x = n == 1 ? 0 : remainder(x, 2 * (n - 1));
            x = x < n ? x : 2 * (n - 1) - x;
        }
        return x;
    }
    else {
        x = x < 0 ? -1 - x : 2 * n - 1 - x;
        if (x < 0 || x >= n) {
            x = remainder(x, 2 * n);
            x = x < n ? x : 2 * n - 1 - x;
        }
        return x;
    }
}

// The same for a rule that is known when the kernel runs: a call, as few elements stand beyond an end.
static __device__ __noinline__ i64 border_source(int rule, i64 x, i64 n)
{
    switch (rule) {
    case PAD_CONSTANT:
        return border_source<PAD_CONSTANT>(x, n);
    case PAD_EDGE:
        return border_source<PAD_EDGE>(x, n);
    case PAD_WRAP:
        return border_source<PAD_WRAP>(x, n);
    case PAD_REFLECT:
        return border_source<PAD_REFLECT>(x, n);
    default:
        return border_source<PAD_SYMMETRIC>(x, n);
    }
}

#endif

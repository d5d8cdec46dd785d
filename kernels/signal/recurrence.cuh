// recurrence.cuh: linear recurrences of the transposed direct form II, section after section:
//
//     y = z[0] + b[0] x,   z[i] = z[i + 1] + b[i + 1] x - a[i + 1] y
//
// Included after the knobs: S stored in `in`, R in `out`; A, of f64 numbers, is the state, C the coefficients;
// SECTIONS of ORDER each. A section has its ORDER + 1 numbers b, then ORDER numbers -a.
#ifndef GNP_RECURRENCE_CUH
#define GNP_RECURRENCE_CUH

#include "gnp.cuh"

enum { K = SECTIONS * ORDER, EACH_SECTION = 2 * ORDER + 1, FACTORS = SECTIONS * EACH_SECTION };

typedef Raw<A> State;
typedef Raw<C> Factor;

GNP_FN void multiply_add(f64 &sum, f64 a, f64 b) { sum = fma(a, b, sum); }
GNP_FN void multiply_add(c128 &sum, f64 a, c128 b)
{
    sum.re = fma(a, b.re, sum.re);
    sum.im = fma(a, b.im, sum.im);
}
GNP_FN void multiply_add(c128 &sum, c128 a, c128 b)
{
    sum.re = fma(-a.im, b.im, fma(a.re, b.re, sum.re));
    sum.im = fma(a.im, b.re, fma(a.re, b.im, sum.im));
}

GNP_FN State sample(Raw<R> raw) { return State(In<R, A>::value(raw)); }

// The coefficients in registers where they are few, else where they lie.
template <bool FEW> struct Coefficients {
    const Factor *at;
    GNP_FN Coefficients(const Factor *from) : at(from) {}
};
template <> struct Coefficients<true> {
    Factor at[FACTORS];
    GNP_FN Coefficients(const Factor *from)
    {
#pragma unroll
        for (int i = 0; i < FACTORS; i++) {
            at[i] = from[i];
        }
    }
};
typedef Coefficients<(FACTORS * sizeof(Factor) <= 256)> Filter;

// Takes one sample through all sections.
template <class F> GNP_FN State step(State (&z)[K], const F &filter, State x)
{
#pragma unroll
    for (int s = 0; s < SECTIONS; s++) {
        const Factor *f = filter.at + s * EACH_SECTION;
        State y = z[s * ORDER];
        multiply_add(y, f[0], x);
#pragma unroll
        for (int i = 0; i < ORDER; i++) {
            State next = i + 1 < ORDER ? z[s * ORDER + i + 1] : State(0);
            multiply_add(next, f[1 + i], x);
            multiply_add(next, f[ORDER + 1 + i], y);
            z[s * ORDER + i] = next;
        }
        x = y;
    }
    return x;
}

GNP_FN void load(State (&z)[K], const State *from)
{
#pragma unroll
    for (int i = 0; i < K; i++) {
        z[i] = from[i];
    }
}
GNP_FN void store(State *to, const State (&z)[K])
{
#pragma unroll
    for (int i = 0; i < K; i++) {
        to[i] = z[i];
    }
}

#endif

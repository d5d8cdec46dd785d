// edges: the edges of `nbins` bins of equal width from low to high, as numpy.linspace computes them;
// a range of one value becomes one of width 1 around it.
// Knobs: E: the edges' type; X: the complex type of `extent`, whose parts are low and high.
// Launch: one thread per edge.
#include "knobs/edges.cuh"

// Rounds to E: each step of the computation is rounded as NumPy's is.
GNP_FN Compute<E> kept(Compute<E> x) { return In<E, E>::value(Out<E, E>::raw(x)); }

extern "C" __global__ void __launch_bounds__(BLOCK) edges(const X *extent, Raw<E> *out, const u64 nbins)
{
    typedef Compute<E> F;
    u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    F low = kept((F)cast<E>(extent->re)), high = kept((F)cast<E>(extent->im));

    if (low == high) {
        low = kept(low - (F)0.5);
        high = kept(high + (F)0.5);
    }
    if (i <= nbins) {
        F width = kept(high - low), step = kept(width / kept((F)nbins)), x = kept((F)i);
        x = step == 0 ? kept(kept(x / kept((F)nbins)) * width) : kept(x * step);
        out[i] = Out<E, E>::raw(i == nbins ? high : kept(x + low));
    }
}

// bins.cuh: which bin a value belongs to. Included after the knobs of histogram.cu, which declare KIND,
// S and E.
#ifndef GNP_BINS_CUH
#define GNP_BINS_CUH

template <int B, class X, class Y> struct If { typedef X type; };
template <class X, class Y> struct If<0, X, Y> { typedef Y type; };

// The smallest and largest integers met.
struct Range {
    i64 low = 0x7fffffffffffffffll, high = -0x7fffffffffffffffll - 1;

    GNP_FN void see(i64 x)
    {
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    // All threads of the block call it: an atomic operation of each thread would be serialised and take
    // longer than the counting.
    GNP_FN void merge_into(u64 *extent) const
    {
        __shared__ u64 most[2][BLOCK / 32];
        const u64 sign = 1ull << 63;
        u64 word[2] = {(u64)high ^ sign, ~(u64)low ^ sign};
#pragma unroll
        for (int k = 0; k < 2; k++) {
#pragma unroll
            for (int d = 16; d > 0; d /= 2) {
                u64 other = __shfl_down_sync(0xffffffffu, word[k], d);
                word[k] = other > word[k] ? other : word[k];
            }
            if (threadIdx.x % 32 == 0) {
                most[k][threadIdx.x / 32] = word[k];
            }
        }
        __syncthreads();
        if (threadIdx.x < 2) {
            u64 all = 0;
#pragma unroll
            for (int w = 0; w < BLOCK / 32; w++) {
                all = most[threadIdx.x][w] > all ? most[threadIdx.x][w] : all;
            }
            atomicMax(extent + threadIdx.x, all);
        }
    }
};

typedef If<SHARED, i32, i64>::type Bin;

// Bin b holds edges[b] <= x < edges[b + 1]; the last holds its upper edge too. -1: no bin, also for NaN.
struct Bins {
    typedef Compute<E> F;
    // Estimates are computed in f64 where, with many bins, most estimates in f32 would be uncertain.
    enum { FINE = KIND == BINS_UNIFORM && SHARED != BINS_SHARED_STATIC && sizeof(E) == 4 };
    typedef typename If<FINE, f64, F>::type P;
    const Raw<E> *edges;
    u64 nbins;
    F low, high;
    P scale, slack;

    GNP_FN static F edge(const Raw<E> *edges, u64 b) { return In<E, E>::value(edges[b]); }

    // Evenly spaced edges are rounded, and so is the quotient that estimates a bin. Where its distance from
    // an integer exceeds both errors the estimate is right; `slack` is a bound of their sum, in bins (of the
    // edges' error alone for a fine estimate). Elsewhere the value is compared with the edges. `ulps` is not 0 where
    // edges were computed in f64: by how many units of the larger end they and the two ends are rounded together.
    GNP_FN Bins(const Raw<E> *e, u64 n, f64 ulps) : edges(e), nbins(n)
    {
        if constexpr (KIND != BINS_DIRECT) {
            low = edge(e, 0);
            high = edge(e, n);
            if constexpr (KIND == BINS_UNIFORM) {
                const F unit = sizeof(E) == 2 ? (F)4e-3 : sizeof(E) == 4 ? (F)1.2e-7 : (F)2.3e-16;
                scale = (P)n / ((P)high - (P)low);
                const P ends = (absolute((P)low) + absolute((P)high)) * scale;
                slack = FINE ? unit * (P(1.6) * (P)n + P(0.6) * ends) : P(8) * unit * ((P)n + ends);
                if (FINE && ulps != 0) {
                    slack = unit * (P)ulps * maximum<P>(absolute((P)low), absolute((P)high)) * scale;
                }
            }
        }
    }

    GNP_FN Bin find(F x, Range &range) const
    {
        if constexpr (KIND == BINS_DIRECT) {
            range.see((i64)x);
            return (u64)(i64)x < nbins ? (Bin)x : (Bin)-1;
        }
        else if constexpr (KIND == BINS_UNIFORM) {
            if (!(x >= low && x <= high)) {
                return -1;
            }
            P place = ((P)x - (P)low) * scale;
            if constexpr (SHARED == BINS_SHARED_STATIC && sizeof(F) == 4) {
                // Few bins: adding 1.5 * 2^23 rounds to an integer, which is then in the low mantissa bits of
                // the sum; a conversion instruction has a quarter of the throughput.
                const F whole = 12582912.0f;
                F near = place - 0.5f + whole;
                F rest = place - (near - whole); // from the bin's lower edge
                Bin bin = __float_as_int(near) - __float_as_int(whole);
                return rest > slack && rest < 1 - slack ? bin : corrected(edges, (Bin)nbins, x, bin);
            }
            Bin bin = (Bin)place;
            P rest = place - (P)bin;
            if constexpr (SHARED != BINS_SHARED_STATIC) { // many bins: often uncertain, but only between two neighbours
                if (slack < P(0.5)) {
                    if (rest <= slack) {
                        bin -= bin > 0 && x < edge(edges, bin);
                    }
                    else if (rest >= 1 - slack) {
                        bin += x >= edge(edges, bin + 1);
                    }
                    return bin < (Bin)nbins ? bin : (Bin)nbins - 1;
                }
            }
            return rest > slack && rest < 1 - slack ? bin : corrected(edges, (Bin)nbins, x, bin);
        }
        else {
            return x >= low && x <= high ? bisect(edges, (Bin)nbins, x) : (Bin)-1;
        }
    }

    // Not inlined, to keep kernels short: the one is rare, the other long.
    static __device__ __noinline__ Bin corrected(const Raw<E> *edges, Bin nbins, F x, Bin bin)
    {
        bin = bin < 0 ? 0 : bin >= nbins ? nbins - 1 : bin;
#pragma unroll 1
        while (bin > 0 && x < edge(edges, bin)) {
            bin--;
        }
#pragma unroll 1
        while (bin + 1 < nbins && x >= edge(edges, bin + 1)) {
            bin++;
        }
        return bin;
    }

    static __device__ __noinline__ Bin bisect(const Raw<E> *edges, Bin nbins, F x)
    {
        Bin first = 0, count = nbins; // edges[first] <= x, and it is in the `count` bins from there
#pragma unroll 1
        while (count > 1) {
            Bin half = count / 2;
            if (x >= edge(edges, first + half)) {
                first += half;
                count -= half;
            }
            else {
                count = half;
            }
        }
        return first;
    }
};

#endif

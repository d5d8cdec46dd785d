// histogram: out[bin of x] += 1, or += the weight beside x.
// Knobs: S: the stored elements; KIND: how a bin is found: BINS_DIRECT (an integer is its bin), BINS_UNIFORM
// (edges are evenly spaced) or BINS_EDGES (by bisection); E: the edges' type; W: the weights', counted as
// f64, or void; SHARED: bins fit into shared memory, `copies` (a power of two) of each, so that lanes seldom
// collide, in a static array (BINS_SHARED_STATIC) or in dynamic shared memory (BINS_SHARED_DYNAMIC); WIDTH
// elements per access, UNROLL accesses in flight.
// Launch: any number of blocks. `out` begins as zeros; so does `extent` (or null), which receives for
// BINS_DIRECT the largest element and the complement of the smallest, both with the sign bit flipped, so that
// unsigned atomicMax serves both.
#include "knobs/histogram.cuh"
#include "select/bins.cuh"

typedef If<WEIGHTED, f64, u32>::type Cell;
typedef If<WEIGHTED, f64, u64>::type Total;

enum { CELLS = SHARED == BINS_SHARED_STATIC ? 32768 / sizeof(Cell) : 1 };

GNP_FN Cell weight_of(const Raw<W> *weights, u64 i)
{
    if constexpr (WEIGHTED != 0) {
        return In<W, f64>::value(weights[i]);
    }
    else {
        return 1;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
histogram(const Raw<S> *in, const Raw<W> *weights, Total *out, u64 *extent, const Raw<E> *edges, const u64 n,
          const u64 nbins, const u32 copies, const f64 ulps)
{
    __shared__ Cell few[CELLS];
    extern __shared__ Cell many[];
    Cell *cells = SHARED == BINS_SHARED_DYNAMIC ? many : few;
    const u32 mine = threadIdx.x & (copies - 1);
    const u64 chunk = BLOCK * WIDTH * UNROLL;
    const Bins bins(edges, nbins, ulps);
    Range range;

    if constexpr (SHARED != 0) {
#pragma unroll 1
        for (u32 c = threadIdx.x; c < (u32)nbins * copies; c += BLOCK) {
            cells[c] = 0;
        }
        __syncthreads();
    }
    auto add = [&](Bin bin, Total sum) {
        if (bin >= 0) {
            atomicAdd(&out[bin], sum);
        }
    };
    auto count = [&](Raw<S> raw, u64 i) {
        Bin bin = bins.find(In<S, E>::value(raw), range);
        if (bin >= 0) {
            if constexpr (SHARED != 0) {
                atomicAdd(&cells[(u32)bin * copies + mine], weight_of(weights, i));
            }
            else {
                add(bin, (Total)weight_of(weights, i));
            }
        }
    };
    // From the end to the start: the end is still in the cache if the extent was computed just before.
#pragma unroll 1
    for (i64 c = (i64)((n + chunk - 1) / chunk) - 1 - blockIdx.x; c >= 0; c -= gridDim.x) {
        const u64 i = (u64)c * chunk + threadIdx.x * WIDTH;
        Vec<Raw<S>, WIDTH> raw[UNROLL];
        if (i + ((u64)BLOCK * (UNROLL - 1) + 1) * WIDTH <= n) {
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                raw[k] = *(const Vec<Raw<S>, WIDTH> *)(in + i + (u64)k * BLOCK * WIDTH);
            }
            if constexpr (SHARED == 0) { // equal bins together: all elements may belong to one bin, and so to one address
                Bin run = -1;
                Total sum = 0;
#pragma unroll
                for (int k = 0; k < UNROLL * WIDTH; k++) {
                    Bin bin = bins.find(In<S, E>::value(raw[k / WIDTH].at[k % WIDTH]), range);
                    Total one = weight_of(weights, i + (u64)(k / WIDTH) * BLOCK * WIDTH + k % WIDTH);
                    if (bin != run) {
                        add(run, sum);
                        run = bin;
                        sum = 0;
                    }
                    sum += one;
                }
                add(run, sum);
            }
            else {
#pragma unroll
                for (int k = 0; k < UNROLL * WIDTH; k++) {
                    count(raw[k / WIDTH].at[k % WIDTH], i + (u64)(k / WIDTH) * BLOCK * WIDTH + k % WIDTH);
                }
            }
        }
        else {
#pragma unroll 1
            for (int k = 0; k < UNROLL * WIDTH; k++) {
                u64 j = i + (u64)(k / WIDTH) * BLOCK * WIDTH + k % WIDTH;
                if (j < n) {
                    count(in[j], j);
                }
            }
        }
    }
    if constexpr (KIND == BINS_DIRECT) {
        if (extent != nullptr) {
            range.merge_into(extent);
        }
    }
    if constexpr (SHARED != 0) {
        __syncthreads();
#pragma unroll 1
        for (u32 bin = threadIdx.x; bin < (u32)nbins; bin += BLOCK) {
            Total sum = 0;
#pragma unroll 1
            for (u32 c = 0; c < copies; c++) { // each thread begins at another copy: no bank conflicts
                sum += cells[bin * copies + ((c + threadIdx.x) & (copies - 1))];
            }
            if (sum != 0) {
                atomicAdd(&out[bin], sum);
            }
        }
    }
}

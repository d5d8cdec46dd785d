// sort_histogram: how often each digit of each pass occurs in each row, in one reading of the keys; and
// whether -0 or NaN is among them.
// Knobs: T, DESCENDING, Count (u32 or u64), WIDTH elements per load, COPIES of the counters, so that fewer
// lanes add to the same one; PART: not all bits of a key are sorted; BLOCK threads; MATCH and ITEMS are not used.
// Launch: `chunks` blocks for each row, `chunk` elements (a multiple of WIDTH) each.
#include "knobs/sort_histogram.cuh"
#include "select/sort.cuh"

enum { COPY = PASSES * RADIX + 1 }; // the copies of a counter are in different banks

GNP_FN bool count(u32 *counters, Raw<T> x, const Sort &s)
{
    auto key = key_of<T>(x);
    u32 *mine = counters + threadIdx.x % COPIES * COPY;
#pragma unroll
    for (int pass = 0; pass < PASSES; pass++) {
        if (!PART || pass < (int)s.digits) {
            atomicAdd(&mine[pass * RADIX + digit_of(key, 8 * pass + (PART ? (int)s.first : 0))], 1);
        }
    }
    return differ(key, key_of<T, true>(x));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sort_histogram(const Sort s, const u32 chunks, const u64 chunk)
{
    __shared__ u32 counters[COPIES * COPY];
    const u64 row = blockIdx.x / chunks, first = blockIdx.x % chunks * chunk;
    const u64 stop = s.n - first < chunk ? s.n : first + chunk;
    const Raw<T> *in = (const Raw<T> *)s.in + row * s.n;
    Count *out = (Count *)s.counts + row * (PASSES * RADIX);

    for (int i = threadIdx.x; i < COPIES * COPY; i += BLOCK) {
        counters[i] = 0;
    }
    __syncthreads();
    u64 i = first + threadIdx.x * WIDTH;
    bool special = false;
#pragma unroll 2
    for (; i + WIDTH <= stop; i += BLOCK * WIDTH) {
        Vec<Raw<T>, WIDTH> v = *(const Vec<Raw<T>, WIDTH> *)(in + i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            special |= count(counters, v.at[k], s);
        }
    }
    for (; i < stop; i++) {
        special |= count(counters, in[i], s);
    }
    if (__syncthreads_or(special) && threadIdx.x == 0) {
        s.needed[MOST_PASSES] = 1;
    }
    for (int d = threadIdx.x; d < PASSES * RADIX; d += BLOCK) {
        u32 sum = 0;
#pragma unroll
        for (int copy = 0; copy < COPIES; copy++) {
            sum += counters[copy * COPY + d];
        }
        if (sum != 0) {
            atomicAdd(&out[d], (Count)sum);
        }
    }
}

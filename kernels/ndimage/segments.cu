// segments: an accumulator for each label of an array of labels, of few labels. Each warp has an accumulator of each
// label in shared memory; lanes of one label are combined by a tree of shuffles first. All orders are fixed, so that
// results repeat bit for bit. segments_finish combines the blocks.
// Knobs: S: the elements; K: the labels; X: the table of labels, i64 or f64; BITS of the number of labels; OPERATION, SOURCE and ORDER: see shared.cuh;
// WIDTH elements per access. Index has room for the number of elements.
// Launch: any number of blocks, with shared memory of labels * warps accumulators. `partial` has room for the labels of
// each block.
#include "knobs/segments.cuh"
#include "ndimage/segments.cuh"
#include "peers.cuh"

enum { WARPS = BLOCK / 32, UNROLL = 2 };

GNP_FN A shuffled(A x, int lane)
{
    const int words = (sizeof(A) + 3) / 4;
    u32 word[words];
    word[words - 1] = 0;
    memcpy(word, &x, sizeof(A));
#pragma unroll
    for (int k = 0; k < words; k++) {
        word[k] = __shfl_sync(0xffffffffu, word[k], lane);
    }
    memcpy(&x, word, sizeof(A));
    return x;
}

// All lanes of the warp call it. In each round every other lane of a label takes in the next one.
GNP_FN void add(A *cells, i32 bin, A x)
{
    const u32 all = 0xffffffffu, lane = threadIdx.x % 32;
    const u32 peers = lanes_of_same<BITS>((u32)bin), before = peers & ((1u << lane) - 1);
    const bool is_first = before == 0 && bin >= 0;
    u32 above = bin < 0 ? 0 : peers & (0xfffffffeu << lane);
    if (__any_sync(all, above != 0)) {
        u32 rank = __popc(before);
#pragma unroll 1
        do {
            const A other = shuffled(x, above != 0 ? __ffs(above) - 1 : (int)lane);
            x = above != 0 ? combine(x, other) : x;
            above &= __ballot_sync(all, (rank & 1) == 0);
            rank >>= 1;
        } while (__any_sync(all, above != 0));
    }
    if (is_first) {
        cells[bin] = combine(cells[bin], x);
    }
    __syncwarp();
}

extern "C" __global__ void __launch_bounds__(BLOCK)
segments(const Raw<S> *in, const Raw<K> *labels, const Raw<X> *values, const f64 *centres, A *partial,
         const GnpSegments s)
{
    extern __shared__ u64 memory[];
    const u32 warp = threadIdx.x / 32;
    A *all = (A *)memory, *cells = all + warp * s.labels;
#pragma unroll 1
    for (i64 i = threadIdx.x; i < s.labels * WARPS; i += BLOCK) {
        u32 *words = (u32 *)&all[i]; // copies read the padding too
#pragma unroll
        for (int k = 0; k < (int)(sizeof(A) / 4); k++) {
            words[k] = 0;
        }
        all[i] = A::none();
    }
    Table table(values, s.labels);
    table.check_range(); // a barrier
    const i64 chunk = (i64)BLOCK * WIDTH * UNROLL, chunks = (s.size + chunk - 1) / chunk;
#pragma unroll 1
    for (i64 c = blockIdx.x; c < chunks; c += gridDim.x) {
        Vec<Raw<K>, WIDTH> label[UNROLL];
        Vec<Raw<S>, WIDTH> raw[UNROLL];
        const i64 first = c * chunk + (i64)threadIdx.x * WIDTH;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const i64 i = first + (i64)u * BLOCK * WIDTH;
            if (i + WIDTH <= s.size) {
                label[u] = *(const Vec<Raw<K>, WIDTH> *)(labels + i);
                if constexpr (READS != 0) {
                    raw[u] = *(const Vec<Raw<S>, WIDTH> *)(in + i);
                }
            }
            else {
#pragma unroll
                for (int k = 0; k < WIDTH; k++) {
                    const i64 j = i + k < s.size ? i + k : s.size - 1;
                    label[u].at[k] = labels[j];
                    if constexpr (READS != 0) {
                        raw[u].at[k] = in[j];
                    }
                }
            }
        }
#pragma unroll 1
        for (int u = 0; u < UNROLL; u++) {
            i32 bin[WIDTH];
            A x[WIDTH];
            bool same = true;
#pragma unroll
            for (int k = 0; k < WIDTH; k++) {
                const i64 i = first + (i64)u * BLOCK * WIDTH + k;
                const Raw<K> mine = u == 0 ? label[0].at[k] : label[1].at[k];
                bin[k] = i < s.size ? table.find(mine) : -1;
                const Raw<S> value = READS == 0 ? Raw<S>() : u == 0 ? raw[0].at[k] : raw[1].at[k];
                x[k] = element(value, (Index)i, s, SOURCE == SEGMENT_SQUARE ? centres + (bin[k] < 0 ? 0 : bin[k]) : centres);
                same = same && bin[k] == bin[0];
            }
            const bool is_run = WIDTH > 1 && __all_sync(0xffffffffu, same); // long runs of one label
#pragma unroll
            for (int k = 1; k < WIDTH; k++) {
                x[0] = is_run ? combine(x[0], x[k]) : x[0];
            }
#pragma unroll 1
            for (int k = 0; k < (is_run ? 1 : WIDTH); k++) {
                i32 b = bin[0];
                A one = x[0];
#pragma unroll
                for (int j = 1; j < WIDTH; j++) { // registers have no index
                    b = j == k ? bin[j] : b;
                    one = j == k ? x[j] : one;
                }
                add(cells, b, one);
            }
        }
    }
    __syncthreads();
#pragma unroll 1
    for (i64 bin = threadIdx.x; bin < s.labels; bin += BLOCK) {
        A x = all[bin];
#pragma unroll
        for (int w = 1; w < WARPS; w++) {
            x = combine(x, all[w * s.labels + bin]);
        }
        partial[blockIdx.x * s.labels + bin] = x;
    }
}

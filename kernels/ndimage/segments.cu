// segments: an accumulator for each label of an array of labels, of few labels. Each warp has an accumulator of each
// label in shared memory. Lanes mark themselves in a word of the warp that their label shares with few others, and those
// of one word add one after the other; where they are many, lanes of one label are combined by a tree of shuffles first.
// All orders are fixed, so that results repeat bit for bit. segments_finish combines the blocks.
// Knobs: S: the elements; K: the labels; X: the table of labels, i64 or f64; BITS of the number of labels; OPERATION, SOURCE and ORDER: see shared.cuh;
// WIDTH elements per access. Index has room for the number of elements.
// Launch: any number of blocks, with shared memory of labels accumulators and SEGMENT_SLOTS words a warp. `partial` has room for the labels of
// each block.
#include "knobs/segments.cuh"
#include "ndimage/segments.cuh"
#include "peers.cuh"

enum { WARPS = BLOCK / 32 };
// Lanes of one word that add one after the other at most, and labels from which on these are likely to suffice.
enum { MOST_TURNS = 6, SCATTERED = 64 };

extern __shared__ u64 memory[]; // the accumulators of all warps, then their words

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

// All lanes of the warp call it; accumulators of the warp begin at `base`. In each round every other lane of a label takes
// in the next one.
static __device__ __noinline__ void add_many(i32 base, i32 bin, A x)
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
        A *const cell = (A *)memory + base + bin;
        *cell = combine(*cell, x);
    }
    __syncwarp();
}

// The same of lanes with two or more others in `before`, which have the same word and do not wait.
static __device__ __noinline__ void add_in_turn(i32 base, i32 bin, u32 before, A x)
{
    const u32 all = 0xffffffffu;
    const int turn = __popc(before);
    if (__any_sync(all, turn > MOST_TURNS)) {
        add_many(base, turn > 1 ? bin : -1, x);
        return;
    }
    A *const cell = (A *)memory + base + bin;
    int now = 2;
#pragma unroll 1
    do {
        if (turn == now) {
            *cell = combine(*cell, x);
        }
        __syncwarp();
    } while (__any_sync(all, turn > now++));
}

// All lanes of the warp call it; `own` is the lane's bit. The words are zero between calls. The first two lanes of a word,
// which seldom has more, take their turns here.
GNP_FN void add(i32 base, u32 *slots, i32 bin, const A &x, u32 own)
{
    const u32 all = 0xffffffffu, absent = (u32)(bin >> 31);
    u32 *const slot = slots + (bin & (SEGMENT_SLOTS - 1));
    A *const cell = (A *)memory + base + bin;
    atomicOr(slot, own & ~absent);
    __syncwarp();
    const u32 before = *slot & (own - 1) & ~absent, others = before & (before - 1);
    __syncwarp();
    if ((before | absent) == 0) {
        *slot = 0;
        *cell = combine(*cell, x);
    }
    __syncwarp();
    if (__any_sync(all, before != 0)) {
        if (before != 0 && others == 0) {
            *cell = combine(*cell, x);
        }
        __syncwarp();
        if (__any_sync(all, others != 0)) {
            add_in_turn(base, bin, before, x);
        }
    }
}

// Extremes take so much code that it stands there once.
static __device__ __noinline__ void add_extreme(i32 base, u32 *slots, i32 bin, A x, u32 own)
{
    add(base, slots, bin, x, own);
}

// What a thread has of the elements: the last ones again behind the end.
struct Piece {
    Vec<Raw<K>, WIDTH> label;
    Vec<Raw<S>, WIDTH> raw;

    GNP_FN void load(const Raw<S> *in, const Raw<K> *labels, i64 i, i64 size)
    {
        if (i + WIDTH <= size) {
            label = *(const Vec<Raw<K>, WIDTH> *)(labels + i);
            if constexpr (READS != 0) {
                raw = *(const Vec<Raw<S>, WIDTH> *)(in + i);
            }
            return;
        }
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            const i64 j = i + k < size ? i + k : size - 1;
            label.at[k] = labels[j];
            if constexpr (READS != 0) {
                raw.at[k] = in[j];
            }
        }
    }
};

// Adds the elements from i on.
GNP_FN void add_piece(const Piece &mine, const Table &table, const f64 *centres, i32 base, u32 *slots, i64 i, const GnpSegments &s)
{
    const int there = s.size - i < WIDTH ? (int)(s.size - i) : WIDTH; // below zero behind the end
    i32 bin[WIDTH];
    A x[WIDTH];
    bool same = true;
    if (table.is_range) {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            bin[k] = k < there ? table.place_in_range(mine.label.at[k]) : -1;
        }
    }
    else {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            bin[k] = k < there ? table.find(mine.label.at[k]) : -1;
        }
    }
#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        const Raw<S> value = READS == 0 ? Raw<S>() : mine.raw.at[k];
        x[k] = element(value, (Index)(i + k), s, SOURCE == SEGMENT_SQUARE ? centres + (bin[k] < 0 ? 0 : bin[k]) : centres);
        same = same && bin[k] == bin[0];
    }
    if (__all_sync(0xffffffffu, same)) { // long runs of one label
#pragma unroll
        for (int k = 1; k < WIDTH; k++) {
            x[0] = combine(x[0], x[k]);
        }
        add_many(base, bin[0], x[0]);
    }
    else if (s.labels < SCATTERED) {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            add_many(base, bin[k], x[k]);
        }
    }
    else {
        const u32 own = 1u << threadIdx.x % 32;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if constexpr (OPERATION == SEGMENT_SUM) {
                add(base, slots, bin[k], x[k], own);
            }
            else {
                add_extreme(base, slots, bin[k], x[k], own);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
segments(const Raw<S> *in, const Raw<K> *labels, const Raw<X> *values, const f64 *centres, A *partial,
         const GnpSegments s)
{
    const u32 warp = threadIdx.x / 32;
    A *all = (A *)memory;
    u32 *const slots = (u32 *)(all + WARPS * s.labels) + warp * SEGMENT_SLOTS;
#pragma unroll
    for (int i = 0; i < SEGMENT_SLOTS; i += 32) {
        slots[i + threadIdx.x % 32] = 0;
    }
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
    table.check_range();
    __syncthreads();
    const i64 chunk = (i64)BLOCK * WIDTH, step = gridDim.x * chunk, start = blockIdx.x * chunk;
    Piece next;
    next.load(in, labels, start + threadIdx.x * WIDTH, s.size);
#pragma unroll 1
    for (i64 first = start; first < s.size; first += step) {
        const i64 i = first + threadIdx.x * WIDTH;
        const Piece mine = next;
        if (first + step < s.size) { // while those before are added
            next.load(in, labels, i + step, s.size);
        }
        add_piece(mine, table, centres, (i32)(warp * s.labels), slots, i, s);
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

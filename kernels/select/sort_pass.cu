// sort_pass: one pass of a least-significant-digit radix sort. Every tile ranks its elements by a digit
// in shared memory, learns by look-back how many elements of each digit the tiles before it have, and
// stores its elements in runs of equal digits. One reading and one writing of the data (Adinets and
// Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022).
// Knobs: T, DESCENDING; Count, as wide as two bits and a row's length; INDICES of enum SortAlong: what moves along, as Value (u32 or u64); BLOCK threads (at least 256), ITEMS elements of each, RESIDENT blocks at once on a
// multiprocessor; MATCH: match.sync instead of eight votes; PART: not all bits of a key are sorted.
// Launch: a block for each tile of each row. Tiles are numbered by an atomic ticket, so all earlier ones have
// begun.
#include "knobs/sort_pass.cuh"
#include "select/sort.cuh"

typedef Raw<T> Item;

enum { SHIFT = 8 * sizeof(Count) - 2, AHEAD = 4 };
#define ABOUT_TILE ((Count)1 << SHIFT) // the count is of this tile alone
#define ABOUT_ALL ((Count)2 << SHIFT)  // of all tiles up to this one

// The number of elements with this thread's digit in the tiles of the row before `tile`.
GNP_FN Count look_back(const volatile Count *state, u64 tile)
{
    Count sum = 0;
    while (tile > 0) {
        Count seen[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            seen[k] = k < tile ? state[-(i64)(k + 1) * RADIX] : 0;
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (seen[k] == 0) {
                break;
            }
            sum += seen[k] & ~((Count)3 << SHIFT);
            if (seen[k] >> SHIFT == 2) {
                return sum;
            }
            tile--;
            state -= RADIX;
        }
    }
    return sum;
}

// The index of this pass among the passes that run (least significant digit first), and their number; false
// when it does not run. In place their number must be even, so a pass that changes nothing may run as well.
GNP_FN bool find_position(const Sort &s, int pass, int &position, int &npasses)
{
    int spare = 0;
    position = npasses = 0;
#pragma unroll
    for (int p = 0; p < PASSES; p++) {
        int one = s.needed[p];
        position += p < pass ? one : 0;
        npasses += one;
        spare = one ? spare : p;
    }
    bool runs = s.needed[pass];
    if (npasses == 0) { // all elements are equal: one pass copies them
        npasses = 1;
        runs = pass == 0 && !s.in_place;
    }
    else if (s.in_place && npasses % 2 != 0) {
        npasses++;
        position += spare < pass;
        runs = runs || pass == spare;
    }
    return runs;
}

// One piece, so that addresses in it share their base.
struct SharedMemory {
    union {
        u32 counts[WARPS * RADIX];
        Item items[TILE];
        Value values[INDICES ? TILE : 1];
    };
    Count base[RADIX]; // destination of the tile's items of each digit, less their position in the tile
    alignas(16) u32 sums[WARPS];
    u32 ticket;
};

// FAST: the tile is whole, and there is neither -0 nor NaN.
template <bool FAST> GNP_FN void find_digits(const Item (&item)[ITEMS], u32 (&digit)[ITEMS], u32 count, int bit)
{
#pragma unroll
    for (int k = 0; k < ITEMS; k++) { // elements past the end rank last
        digit[k] = FAST || place_of(k) < count ? digit_of(key_of<T, FAST>(item[k]), bit) : RADIX - 1;
    }
}

// Stores the first `count` items of the sorted tile; `at` are the positions of this thread's items.
template <bool FAST>
GNP_FN void store_items(const SharedMemory &shared, Item *out, Count (&at)[ITEMS], u32 count, int bit)
{
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        u32 j = k * BLOCK + threadIdx.x;
        Item x = shared.items[j];
        at[k] = shared.base[digit_of(key_of<T, FAST>(x), bit)] + j;
        if (FAST || j < count) {
            out[at[k]] = x;
        }
    }
}

// What moves along with the items of a tile, of which `index` has the values after the first pass.
GNP_FN void load_values(Value (&value)[ITEMS], const Sort &s, const Value *index, u64 first, u32 count, bool is_first)
{
    const bool joins = is_first && INDICES == SORT_WORDS;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const u32 place = place_of(k);
        value[k] = (Value)(first + place);
        if (joins && place < count) {
            const u64 above = s.above != nullptr ? s.above[first + place] : (u32)value[k];
            value[k] = (Value)(above << 32 | ((const u32 *)s.values)[first + place]);
        }
        else if (place < count) {
            value[k] = index[place];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) sort_pass(const Sort s, const int pass)
{
    __shared__ SharedMemory shared;
    int position, npasses;

    if (!find_position(s, pass, position, npasses)) {
        return;
    }
    if (threadIdx.x == 0) {
        shared.ticket = atomicAdd(&s.tickets[pass], 1);
    }
    __syncthreads();
    const u32 ticket = shared.ticket;
    const u64 row = ticket / s.tiles, tile = ticket - row * s.tiles, first = tile * TILE;
    const u32 count = s.n - first < TILE ? (u32)(s.n - first) : (u32)TILE;
    const int to = (npasses - 1 - position) & 1, bit = 8 * pass + (PART ? (int)s.first : 0);
    const bool is_first = position == 0, is_last = position == npasses - 1;
    const Item *in = (is_first ? (const Item *)s.in : (const Item *)(to ? s.keys[0] : s.keys[1])) + row * s.n;
    const bool stores = !INDICES || !is_last || s.keeps;
    const bool fast = count == TILE && s.needed[MOST_PASSES] == 0;
    Item *out = (Item *)(to ? s.keys[1] : s.keys[0]) + row * s.n;

    Item item[ITEMS];
    u32 digit[ITEMS], rank[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        u32 place = place_of(k);
        if (place < count) {
            item[k] = in[first + place];
        }
    }
    if (fast) {
        find_digits<true>(item, digit, count, bit);
    }
    else {
        find_digits<false>(item, digit, count, bit);
    }
    count_digits(digit, shared.counts);
    __syncthreads();

    // Post the tile's counts as early as possible; this pass uses one half of the state and clears the other
    // for the next.
    const u64 states = s.rows * s.tiles * RADIX;
    Count *state = (Count *)s.state + (position & 1) * states + (u64)ticket * RADIX + threadIdx.x;
    u32 total = digit_total(shared.counts), all;
    if (threadIdx.x < RADIX) {
        *(volatile Count *)state = (tile == 0 ? ABOUT_ALL : ABOUT_TILE) | total;
        if (!is_last) {
            ((Count *)s.state)[((position + 1) & 1) * states + (u64)ticket * RADIX + threadIdx.x] = 0;
        }
    }
    const u32 start = count_before<BLOCK>(total, shared.sums, all);
    counts_to_places(shared.counts, start);
    __syncthreads();
    rank_items(digit, shared.counts, rank);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        shared.items[rank[k]] = item[k];
    }
    Value value[ITEMS]; // on their way while the tile waits for those before it; positions take registers that others need
    if constexpr (INDICES >= SORT_VALUES) {
        const char *from = is_first && INDICES == SORT_VALUES ? s.values : to ? s.index[0] : s.index[1];
        load_values(value, s, (const Value *)from + row * s.n + first, first, count, is_first);
    }
    if (threadIdx.x < RADIX) {
        Count before = look_back(state, tile);
        if (tile > 0) {
            *(volatile Count *)state = ABOUT_ALL | (before + total);
        }
        shared.base[threadIdx.x] =
            ((const Count *)s.counts)[(row * PASSES + pass) * RADIX + threadIdx.x] + before - start;
    }
    __syncthreads();

    asm volatile("" : "+l"(out)); // one base address instead of a sum for each item
    __builtin_assume(__isGlobal(out));
    Count at[ITEMS];
    if (fast && stores) {
        store_items<true>(shared, out, at, count, bit);
    }
    else {
        store_items<false>(shared, out, at, stores ? count : 0, bit);
    }
    if constexpr (INDICES != 0) {
        const Value *index = (const Value *)(to ? s.index[0] : s.index[1]) + row * s.n + first;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const u32 place = place_of(k);
            if constexpr (INDICES < SORT_VALUES) {
                value[k] = is_first || place >= count ? (Value)(first + place) : index[place];
            }
            shared.values[rank[k]] = value[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            u32 j = k * BLOCK + threadIdx.x;
            if (j < count && is_last && INDICES == SORT_POSITIONS) {
                s.indices[row * s.n + at[k]] = (i64)shared.values[j];
            }
            else if (j < count) { // of the last pass `to` is 0, and index[0] where values go
                ((Value *)(to ? s.index[1] : s.index[0]))[row * s.n + at[k]] = shared.values[j];
            }
        }
    }
}

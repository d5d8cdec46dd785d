// results.cuh: how the tiles of a kernel that drops elements learn where their results go, by look-back (D. Merrill and
// M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA technical report 2016-002). `state`,
// zeros at first, has a word for each tile, and then the ticket: tiles are numbered as they start, so that all earlier
// ones have begun. The low 62 bits of the last tile's word are the number of all results.
#ifndef GNP_RESULTS_CUH
#define GNP_RESULTS_CUH

#define OWN (1ull << 62) // the word has the results of one tile
#define ALL (2ull << 62) // and of all tiles before it
enum { NAP = 100 };      // nanoseconds

// Tells later tiles how many results this one has; some time before it asks for those of earlier ones. One thread
// calls it.
GNP_FN void post_results(volatile u64 *state, i64 tile, u64 mine) { state[tile] = (tile == 0 ? ALL : OWN) | mine; }

// The number of results of the tiles before this one, which has `mine`. One warp calls it.
GNP_FN u64 results_before(volatile u64 *state, i64 tile, u64 mine)
{
    const int lane = threadIdx.x % 32;
    u64 sum = 0;
    bool more = tile > 0;
#pragma unroll 1
    for (i64 at = tile - 1; more; at -= 32) {
        const i64 k = at - lane;
        u64 word = k >= 0 ? state[k] : ALL;
#pragma unroll 1
        while (__any_sync(0xffffffffu, word == 0)) {
            __nanosleep(NAP); // all tiles look at the same few words, whose cache would be busy with nothing else
            word = k >= 0 ? state[k] : ALL;
        }
        const u32 complete = __ballot_sync(0xffffffffu, word >> 63);
        const int last = complete != 0 ? __ffs(complete) - 1 : 32;
        u32 part = lane < last ? (u32)word : 0; // what one tile has is less than 2^32
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            part += __shfl_xor_sync(0xffffffffu, part, d);
        }
        const u64 all = __shfl_sync(0xffffffffu, word, last % 32) & (OWN - 1);
        more = complete == 0;
        sum += part + (more ? 0 : all);
    }
    if (lane == 0 && tile > 0) {
        state[tile] = ALL | (sum + mine);
    }
    return sum;
}

#endif

// results.cuh: how the tiles of a kernel that drops elements learn where their results go, by look-back (D. Merrill and
// M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA technical report 2016-002). A tile looks at
// those of its group of 32, and then at what 32 groups before it have in all, since one look takes as long as the cache does:
// looks at 32 tiles one after the other would take longer than the tiles themselves. `state`, zeros at first, has a word
// for each tile, and then the ticket: tiles are numbered as they start, so that all earlier ones have begun. The low 62 bits
// of the last tile's word are the number of all results.
#ifndef GNP_RESULTS_CUH
#define GNP_RESULTS_CUH

#define ALL (1ull << 63)   // the word has the results of this tile and all before it
#define OWN (1ull << 62)   // of the tile, fewer than 2^20
#define GROUP (1ull << 61) // and above them of its group up to it, in the word of the group's last tile
enum { TILES = 32, GROUP_AT = 20, NAP = 100 }; // nanoseconds

// Tells later tiles how many results this one has; some time before it asks for those of earlier ones. One thread
// calls it.
GNP_FN void post_results(volatile u64 *state, i64 tile, u64 mine) { state[tile] = (tile == 0 ? ALL : OWN) | mine; }

// A word of each lane that has one, when all of them have one of these bits; `otherwise` for the others.
GNP_FN u64 await_words(volatile u64 *state, int at, bool is, u64 bits, u64 otherwise)
{
#pragma unroll 1
    for (;;) {
        const u64 word = is ? state[at] : otherwise;
        if (!__any_sync(0xffffffffu, (word & bits) == 0)) {
            return word;
        }
        __nanosleep(NAP); // many tiles look at the same words, whose cache would be busy with nothing else
    }
}

// The number of results of the tiles before this one, which has `mine`. One warp calls it.
GNP_FN u64 results_before(volatile u64 *state, int tile, u64 mine)
{
    const int lane = threadIdx.x % 32, inside = tile % TILES;
    u64 sum = 0;
    bool more = tile > 0, of_groups = false;
#pragma unroll 1
    for (int at = tile - 1; more; of_groups = true) {
        const int k = at - lane * (of_groups ? TILES : 1);
        const u64 word = await_words(state, k, of_groups ? k >= 0 : lane < inside, ALL | (of_groups ? GROUP : OWN),
                                     of_groups ? ALL : OWN);
        // Lanes up to the first one that has the results of all tiles before it too.
        const u32 complete = __ballot_sync(0xffffffffu, (word & ALL) != 0);
        const int last = complete != 0 ? __ffs(complete) - 1 : 32;
        const u32 count = of_groups ? (u32)(word >> GROUP_AT) : (u32)word & ((1u << GROUP_AT) - 1);
        u32 part = lane < last ? count : 0;
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            part += __shfl_xor_sync(0xffffffffu, part, d);
        }
        const u64 all = __shfl_sync(0xffffffffu, word, last % 32) & (GROUP - 1);
        more = complete == 0;
        sum += part + (more ? 0 : all);
        if (more && !of_groups && inside == TILES - 1 && lane == 0) {
            state[tile] = OWN | GROUP | (sum + mine) << GROUP_AT | mine;
        }
        at = of_groups ? at - 32 * TILES : tile - inside - 1;
    }
    if (lane == 0 && tile > 0) {
        state[tile] = ALL | (sum + mine);
    }
    return sum;
}

#endif

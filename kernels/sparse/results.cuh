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
GNP_FN u64 await_words(volatile u64 *state, i64 at, bool is, u64 bits, u64 otherwise)
{
    u64 word = is ? state[at] : otherwise;
#pragma unroll 1
    while (__any_sync(0xffffffffu, (word & bits) == 0)) {
        __nanosleep(NAP); // many tiles look at the same words, whose cache would be busy with nothing else
        word = is ? state[at] : otherwise;
    }
    return word;
}

// Adds up numbers of results, in bits from `shift` on of the lanes' words, up to the first one that has those of all tiles
// before it too; whether there is one.
GNP_FN bool add_words(u64 word, int shift, u64 &sum)
{
    const u32 complete = __ballot_sync(0xffffffffu, (word & ALL) != 0);
    const int last = complete != 0 ? __ffs(complete) - 1 : 32;
    const u32 count = (u32)(word >> shift) & (shift == 0 ? (1u << GROUP_AT) - 1 : 0xffffffffu);
    u32 part = (int)(threadIdx.x % 32) < last ? count : 0;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        part += __shfl_xor_sync(0xffffffffu, part, d);
    }
    const u64 all = __shfl_sync(0xffffffffu, word, last % 32) & (GROUP - 1);
    sum += part + (complete != 0 ? all : 0);
    return complete != 0;
}

// The number of results of the tiles before this one, which has `mine`. One warp calls it.
GNP_FN u64 results_before(volatile u64 *state, i64 tile, u64 mine)
{
    const int lane = threadIdx.x % 32, inside = (int)(tile % TILES);
    u64 sum = 0;
    if (tile == 0) {
        return sum;
    }
    bool more = !add_words(await_words(state, tile - 1 - lane, lane < inside, OWN | ALL, OWN), 0, sum);
    if (more && inside == TILES - 1 && lane == 0) {
        state[tile] = OWN | GROUP | (sum + mine) << GROUP_AT | mine;
    }
#pragma unroll 1
    for (i64 at = tile - inside - 1; more; at -= 32 * TILES) {
        const i64 k = at - lane * TILES;
        more = !add_words(await_words(state, k, k >= 0, GROUP | ALL, ALL), GROUP_AT, sum);
    }
    if (lane == 0) {
        state[tile] = ALL | (sum + mine);
    }
    return sum;
}

#endif

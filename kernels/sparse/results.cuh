// results.cuh: how the tiles of a kernel that drops elements learn where their results go, by look-back (D. Merrill and
// M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA technical report 2016-002). `state`,
// zeros at first, has a word for each tile, and then the ticket: tiles are numbered as they start, so that all earlier
// ones have begun. The low 62 bits of the last tile's word are the number of all results.
#ifndef GNP_RESULTS_CUH
#define GNP_RESULTS_CUH

#define OWN (1ull << 62) // the word has the results of one tile
#define ALL (2ull << 62) // and of all tiles before it

enum { LOOKS = 4 }; // words of a lane

// The number of results of the tiles before this one, which has `mine`. One warp calls it.
GNP_FN u64 results_before(volatile u64 *state, i64 tile, u64 mine)
{
    const int lane = threadIdx.x % 32;
    u64 sum = 0;
    if (lane == 0) {
        state[tile] = (tile == 0 ? ALL : OWN) | mine;
    }
    bool more = tile > 0;
#pragma unroll 1
    for (i64 at = tile - 1; more; at -= 32 * LOOKS) {
        u64 part, word[LOOKS];
        bool complete, missing;
        do {
#pragma unroll
            for (int j = 0; j < LOOKS; j++) {
                const i64 k = at - lane * LOOKS - j;
                word[j] = k >= 0 ? state[k] : ALL;
            }
            part = 0;
            complete = missing = false;
#pragma unroll
            for (int j = 0; j < LOOKS; j++) { // words behind a complete one do not count
                missing |= !complete && word[j] == 0;
                part += complete ? 0 : word[j] & (OWN - 1);
                complete |= word[j] >> 63 != 0;
            }
        } while (__any_sync(0xffffffffu, missing));
        const u32 found = __ballot_sync(0xffffffffu, complete);
        part = lane <= (found != 0 ? __ffs(found) - 1 : 31) ? part : 0;
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            part += __shfl_xor_sync(0xffffffffu, part, d);
        }
        sum += part;
        more = found == 0;
    }
    if (lane == 0 && tile > 0) {
        state[tile] = ALL | (sum + mine);
    }
    return sum;
}

#endif

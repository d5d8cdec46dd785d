// lookback.cuh: decoupled look-back: how the tiles of a scan pass their sums on, in one pass over memory.
//
// After D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back" (NVIDIA
// technical report 2016-002), with one difference: there a tile adds up what its predecessors have posted so
// far, so rounding depends on timing. Here tiles form groups of FAN and groups of groups, and a tile always
// adds the same three sums in the same order:
//
//     everything before its group of groups, the groups before its own, the tiles before it
//
// so results repeat bit for bit. Tiles are numbered by an atomic ticket when they start, so every tile that
// another waits for has started before it and is resident: there is no deadlock.
#ifndef GNP_LOOKBACK_CUH
#define GNP_LOOKBACK_CUH

// A posted value: 32 bits of it and a valid mark in each 64-bit word. A 64-bit access is atomic, so mark and
// data arrive together and neither side needs a fence. The words are cleared before the launch.
template <class A> struct Posted {
    enum { words = (sizeof(A) + 3) / 4 };
};

template <class A> GNP_FN void post(u64 *at, A x)
{
    u32 part[Posted<A>::words];
    part[Posted<A>::words - 1] = 0;
    memcpy(part, &x, sizeof(A));
#pragma unroll
    for (int k = 0; k < Posted<A>::words; k++) {
        ((volatile u64 *)at)[k] = 1ull << 32 | part[k];
    }
}

template <class A> GNP_FN A posted_value(const u64 *word)
{
    u32 part[Posted<A>::words];
#pragma unroll
    for (int k = 0; k < Posted<A>::words; k++) {
        part[k] = (u32)word[k];
    }
    A x;
    memcpy(&x, part, sizeof(A));
    return x;
}

template <class A> GNP_FN A await(const u64 *at)
{
    u64 word[Posted<A>::words];
    bool missing;
    do {
        missing = false;
#pragma unroll
        for (int k = 0; k < Posted<A>::words; k++) {
            word[k] = ((const volatile u64 *)at)[k];
            missing |= word[k] >> 32 == 0;
        }
    } while (missing);
    return posted_value<A>(word);
}

// Polls a posted value, if it is needed at all.
template <class A> struct Answer {
    const u64 *at;
    u64 word[Posted<A>::words];
    bool missing;

    GNP_FN Answer(const u64 *where, bool wanted) : at(where), missing(wanted)
    {
#pragma unroll
        for (int k = 0; k < Posted<A>::words; k++) {
            word[k] = 0;
        }
    }
    GNP_FN void look()
    {
        if (missing) {
            missing = false;
#pragma unroll
            for (int k = 0; k < Posted<A>::words; k++) {
                word[k] = ((const volatile u64 *)at)[k];
                missing |= word[k] >> 32 == 0;
            }
        }
    }
    GNP_FN A value() const { return posted_value<A>(word); }
};

// The memory in which the tiles of a scan post: `ntiles` sums of tiles, then sums of groups, then sums of
// everything up to the end of a group of groups; consecutive ones are `step` words apart.
template <int FAN> struct Board {
    u64 *tiles, *groups, *heads;
    u64 step;

    GNP_FN static u32 size(u32 ntiles) { return ntiles + ntiles / FAN + ntiles / (FAN * FAN); }
    GNP_FN Board(u64 *at, u32 ntiles, u64 words)
    {
        step = words;
        tiles = at;
        groups = tiles + ntiles * step;
        heads = groups + ntiles / FAN * step;
    }
};

// A number for this block, in the order in which blocks start. All threads call it.
GNP_FN u32 take_ticket(u32 *tickets)
{
    __shared__ u32 mine;
    if (threadIdx.x == 0) {
        mine = atomicAdd(tickets, 1u);
    }
    __syncthreads();
    return mine;
}

#endif

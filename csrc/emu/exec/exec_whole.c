/* Operations of whole warps, all lanes of a full mask at once: shuffles, votes and matches of code
 * that does not diverge, which is nearly all there is. exec_warp.c does the others.
 *
 * Results equal those of exec_warp.c lane for lane. Called by emu_run_warp after waiting groups
 * have joined; returns 0 to let it do the work. Results are collected in scratch first: a
 * destination may be the row of an operand.
 */
#include "emu/exec/block.h"

#include <string.h>

/* The bits of 32 predicates. */
static uint32_t
bits_of_bytes(const uint8_t *p)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t v;
        memcpy(&v, p + 8 * k, 8);
        v = (v | v >> 4) & 0x0f0f0f0f0f0f0f0full; /* any bit of a byte makes it 1 */
        v = (v | v >> 2) & 0x0303030303030303ull;
        v = (v | v >> 1) & 0x0101010101010101ull;
        /* The multiplication moves the lowest bit of byte k to bit 56 + k: the eight 0/1 bytes meet
         * in the top byte. */
        bits |= (uint32_t)(v * 0x0102040810204080ull >> 56) << 8 * k;
    }
    return bits;
}

/* The lane that each lane of a warp reads, and whether it is inside of the segment. */
static void
find_sources(unsigned kind, const uint32_t *rb, const uint32_t *rc, uint8_t *from, uint8_t *inside)
{
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        uint32_t by = rb[lane] & 31, clamp = rc[lane] & 31, seg = rc[lane] >> 8 & 31;
        uint32_t bottom = lane & seg, top = bottom | (clamp & ~seg);
        int32_t j = kind == EMU_WARP_SHFL_UP     ? (int32_t)lane - (int32_t)by
                    : kind == EMU_WARP_SHFL_DOWN ? (int32_t)(lane + by)
                    : kind == EMU_WARP_SHFL_BFLY ? (int32_t)(lane ^ by)
                                                 : (int32_t)(bottom | (by & ~seg));
        int ok = kind == EMU_WARP_SHFL_UP ? j >= (int32_t)top : j <= (int32_t)top;
        from[lane] = (uint8_t)(ok ? j & 31 : (int32_t)lane);
        inside[lane] = (uint8_t)ok;
    }
}

static void
shuffle(Block *b, const Instr *in)
{
    Reg *rb = b->regs + in->op[3], *rc = b->regs + in->op[4];
    Reg *d = b->regs + in->op[0], *p = b->regs + in->op[1];
    /* The shuffle's distance is nearly always a literal, and then the table of source lanes serves
     * every warp. */
    const int same = rb->tag & rc->tag & EMU_TAG_UNIFORM; /* one pattern for all warps */
    const uint32_t *s = emu_row_read(b, b->regs + in->op[2]);
    const uint32_t *by = emu_row_read(b, rb), *how = emu_row_read(b, rc);
    uint32_t *to = (uint32_t *)(void *)b->scratch[EMU_OPERANDS - 1];
    uint8_t *flag = b->scratch[EMU_OPERANDS - 2], from[EMU_WARP];
    for (uint32_t i = 0; i < b->n; i += EMU_WARP) {
        if (i == 0 || !same) {
            find_sources((unsigned)in->imm, by + i, how + i, from, flag + i);
        }
        else {
            memcpy(flag + i, flag, EMU_WARP);
        }
        for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
            to[i + lane] = s[i + from[lane]];
        }
    }
    memcpy(emu_row_write(b, d, 0), to, (size_t)b->n * 4);
    emu_row_commit(b, d, 0);
    memcpy(emu_row_write(b, p, 1), flag, b->n);
    emu_row_commit(b, p, 1);
}

/* vote.sync and ballot; ballot gives words, the others predicates of one byte. */
static void
vote(Block *b, const Instr *in)
{
    Reg *d = b->regs + in->op[0];
    const uint8_t *p = emu_row_read(b, b->regs + in->op[1]);
    uint32_t *word = (uint32_t *)(void *)b->scratch[EMU_OPERANDS - 1];
    uint8_t *byte = b->scratch[EMU_OPERANDS - 1];
    for (uint32_t i = 0; i < b->n; i += EMU_WARP) {
        uint32_t bits = bits_of_bytes(p + i);
        int value = in->imm == EMU_WARP_ALL   ? bits == UINT32_MAX
                    : in->imm == EMU_WARP_ANY ? bits != 0
                                              : bits == UINT32_MAX || bits == 0;
        if (in->imm == EMU_WARP_BALLOT) {
            for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
                word[i + lane] = bits;
            }
        }
        else {
            memset(byte + i, value, EMU_WARP);
        }
    }
    size_t bytes = (size_t)b->n << d->shift;
    memcpy(emu_row_write(b, d, 0), b->scratch[EMU_OPERANDS - 1], bytes);
    emu_row_commit(b, d, 0);
}

/* The lanes of a warp with equal values: a hash table of chains, one entry for each value. */
static void
match_warp(const uint32_t *s, uint32_t *to)
{
    enum { SLOTS = 64, NONE = 0xff };
    uint8_t first[SLOTS], next[EMU_WARP], entry[EMU_WARP];
    uint32_t value[EMU_WARP], lanes[EMU_WARP], entries = 0;
    memset(first, NONE, sizeof first);
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        /* The top six bits of a multiplication by 2^32 over the golden ratio: 64 slots for at most
         * 32 values. */
        uint32_t v = s[lane], slot = v * 0x9e3779b1u >> 26, e = first[slot];
        while (e != NONE && value[e] != v) {
            e = next[e];
        }
        if (e == NONE) {
            e = entries++;
            value[e] = v;
            lanes[e] = 0;
            next[e] = first[slot];
            first[slot] = (uint8_t)e;
        }
        lanes[e] |= 1u << lane;
        entry[lane] = (uint8_t)e;
    }
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        to[lane] = lanes[entry[lane]];
    }
}

/* match.any.sync.b32: radix sorts call it for every digit. */
static void
match_any(Block *b, const Instr *in)
{
    Reg *d = b->regs + in->op[0];
    const uint32_t *s = emu_row_read(b, b->regs + in->op[2]);
    uint32_t *to = (uint32_t *)(void *)b->scratch[EMU_OPERANDS - 1];
    for (uint32_t i = 0; i < b->n; i += EMU_WARP) {
        match_warp(s + i, to + i);
    }
    memcpy(emu_row_write(b, d, 0), to, (size_t)b->n * 4);
    emu_row_commit(b, d, 0);
    emu_row_set_uniform(b, b->regs + in->op[1], 0); /* the predicate is of match.all */
}

int
emu_run_whole(Block *b, const Instr *in)
{
    /* No gaps and whole warps only: then every lane of the mask is here by construction. A partial
     * last warp goes the general way. */
    if (!b->dense || b->lo % EMU_WARP != 0 || b->n % EMU_WARP != 0 || in->imm == EMU_WARP_CALL) {
        return 0;
    }
    const EmuRow *op = emu_operands(in);
    const Reg *mask = b->regs + op[in->nd + in->ns - 1];
    /* The usual mask is a literal, so its row is uniform; any other goes lane by lane. */
    if (!(mask->tag & EMU_TAG_UNIFORM) || (uint32_t)mask->base != UINT32_MAX) {
        return 0;
    }
    switch (in->imm) {
    case EMU_WARP_SYNC:
        return 1;
    case EMU_WARP_SHFL_UP:
    case EMU_WARP_SHFL_DOWN:
    case EMU_WARP_SHFL_BFLY:
    case EMU_WARP_SHFL_IDX:
        shuffle(b, in);
        return 1;
    case EMU_WARP_BALLOT:
    case EMU_WARP_ALL:
    case EMU_WARP_ANY:
    case EMU_WARP_UNI:
        vote(b, in);
        return 1;
    case EMU_WARP_MATCH_ANY:
        /* match.any.b64 is rare. */
        if (b->regs[in->op[2]].shift != 2) {
            return 0;
        }
        match_any(b, in);
        return 1;
    default:
        return 0;
    }
}

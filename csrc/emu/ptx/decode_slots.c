/* Renames virtual registers to rows that are reused as soon as a value is dead, so that the rows of
 * a block stay in the caches. Liveness by data flow over basic blocks, then one linear scan: a
 * value occupies its row from its first to its last position, counting every block it lives
 * through.
 *
 * Threads that diverged share rows lane by lane. A row may be reused although other lanes still
 * hold a live value in it, because a group that is not alone only writes its own lanes.
 *
 * Called at the end of a function's body, under the module's lock. Constants stay outside: they
 * have rows of their own behind the registers. All arrays here are temporary except the widths of
 * the rows, which the function keeps.
 */
#include "emu/ptx/decode.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CONST 0x80000000u
#define NOWHERE 0xffffffffu

typedef struct {
    int32_t start, end; /* instructions [start, end) */
    int32_t next[2];
    const int32_t *table; /* more successors */
    int32_t ntable;
    uint64_t *in, *out, *use, *def;
} BasicBlock;

/* Only values that live across the end of a basic block have bits in its sets: in long functions
 * those are few. `dense` is their number there (NOWHERE for the others), `shared` the way back. */
typedef struct {
    Function *fn;
    size_t nregs, nshared, words;
    uint32_t *dense, *shared;
    BasicBlock *blocks;
    size_t nblocks;
    int32_t *block_of;
    uint64_t *bits;
    int32_t *first, *last;
} Liveness;

/* The instruction behind a jump starts a block. */
static int
is_leader_after(const Instr *in)
{
    return in->flow != EMU_FLOW_NEXT;
}

/* A label at the very end of the text stands for no instruction. */
static void
mark(uint8_t *leader, int32_t pc, int32_t n)
{
    if (pc < n) {
        leader[pc] = 1;
    }
}

/* Basic blocks and their successors. Calls are no ends of blocks: they come back to the next
 * instruction. */
static int
find_blocks(Liveness *lv)
{
    const Function *f = lv->fn;
    int32_t n = f->ninstrs;
    uint8_t *leader = calloc((size_t)n + 1, 1);
    lv->block_of = malloc(((size_t)n + 1) * sizeof *lv->block_of);
    if (leader == NULL || lv->block_of == NULL) {
        free(leader);
        return -1;
    }
    leader[0] = 1;
    for (int32_t pc = 0; pc < n; pc++) {
        const Instr *in = &f->code[pc];
        if (in->flow == EMU_FLOW_BRANCH || in->flow == EMU_FLOW_JUMP) {
            mark(leader, in->target, n);
        }
        for (int32_t k = 0; in->flow == EMU_FLOW_TABLE && k < in->target; k++) {
            mark(leader, in->table[k], n);
        }
        if (is_leader_after(in)) {
            mark(leader, pc + 1, n);
        }
    }
    /* A leader begins a basic block (Aho, Lam, Sethi, Ullman, section 8.4). */
    for (int32_t pc = 0; pc < n; pc++) {
        lv->nblocks += leader[pc];
    }
    lv->blocks = calloc(lv->nblocks, sizeof *lv->blocks);
    if (lv->blocks == NULL) {
        free(leader);
        return -1;
    }
    /* The first instruction is a leader, so `b` is valid from the first step on. */
    int32_t b = -1;
    for (int32_t pc = 0; pc < n; pc++) {
        if (leader[pc]) {
            lv->blocks[++b].start = pc;
        }
        lv->blocks[b].end = pc + 1;
        lv->block_of[pc] = b;
    }
    free(leader);
    for (size_t i = 0; i < lv->nblocks; i++) {
        BasicBlock *block = &lv->blocks[i];
        /* The last instruction of a block decides where it goes on. */
        const Instr *in = &f->code[block->end - 1];
        block->next[0] = block->next[1] = -1;
        if (in->flow == EMU_FLOW_NEXT || in->flow == EMU_FLOW_BRANCH) {
            block->next[0] = block->end < n ? lv->block_of[block->end] : -1;
        }
        if (in->flow == EMU_FLOW_BRANCH || in->flow == EMU_FLOW_JUMP) {
            block->next[1] = in->target < n ? lv->block_of[in->target] : -1;
        }
        /* A table's successors are its entries; they are looked up when they are needed. */
        if (in->flow == EMU_FLOW_TABLE) {
            block->table = in->table;
            block->ntable = in->target;
        }
    }
    return 0;
}

static void
set(uint64_t *bits, size_t i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

static int
get(const uint64_t *bits, size_t i)
{
    return (bits[i / 64] >> (i % 64)) & 1;
}

/* Finds the values that cross a block: those that one block uses before it writes them, or that two
 * mention. */
static int
find_shared(Liveness *lv)
{
    uint32_t *home = malloc((lv->nregs + 1) * sizeof *home); /* the block that mentions it first */
    lv->dense = malloc((lv->nregs + 1) * sizeof *lv->dense);
    lv->shared = malloc((lv->nregs + 1) * sizeof *lv->shared);
    if (home == NULL || lv->dense == NULL || lv->shared == NULL) {
        free(home);
        return -1;
    }
    /* All bits set is NOWHERE. */
    memset(home, 0xff, lv->nregs * sizeof *home);
    memset(lv->dense, 0xff, lv->nregs * sizeof *lv->dense);
    for (uint32_t i = 0; i < lv->nblocks; i++) {
        for (int32_t pc = lv->blocks[i].start; pc < lv->blocks[i].end; pc++) {
            const Instr *in = &lv->fn->code[pc];
            const EmuRow *op = emu_operands(in);
            unsigned n = (unsigned)in->nd + in->ns;
            for (unsigned j = 0; j < n; j++) {
                /* An instruction reads before it writes: `add x, x, 1` uses the old x. */
                unsigned k = (j + in->nd) % n; /* sources first */
                if (op[k] >= FIRST_CONST) {
                    continue;
                }
                int is_source = k >= in->nd;
                /* A value is shared when its first mention in the function is a use (it comes from
                 * elsewhere, or is never set), or when a second block mentions it. */
                if (lv->dense[op[k]] == NOWHERE &&
                    (home[op[k]] == NOWHERE ? is_source : home[op[k]] != i)) {
                    lv->shared[lv->nshared] = op[k];
                    lv->dense[op[k]] = (uint32_t)lv->nshared++;
                }
                home[op[k]] = i;
            }
        }
    }
    free(home);
    return 0;
}

/* The bit sets of liveness analysis, over shared values alone: most registers live and die in one
 * block, and a set over all of them would grow with the square of the function. */
static int
find_uses(Liveness *lv)
{
    lv->words = (lv->nshared + 63) / 64;
    lv->bits = calloc(lv->nblocks * 4 * lv->words + 1, sizeof *lv->bits);
    if (lv->bits == NULL) {
        return -1;
    }
    /* Four sets for each block, in one allocation. */
    for (size_t i = 0; i < lv->nblocks; i++) {
        BasicBlock *b = &lv->blocks[i];
        b->in = lv->bits + (4 * i) * lv->words;
        b->out = b->in + lv->words;
        b->use = b->out + lv->words;
        b->def = b->use + lv->words;
        for (int32_t pc = b->start; pc < b->end; pc++) {
            const Instr *in = &lv->fn->code[pc];
            const EmuRow *op = emu_operands(in);
            for (unsigned k = in->nd; k < (unsigned)in->nd + in->ns; k++) {
                uint32_t at = op[k] < FIRST_CONST ? lv->dense[op[k]] : NOWHERE;
                /* Used before it is written in this block: alive at its start. */
                if (at != NOWHERE && !get(b->def, at)) {
                    set(b->use, at);
                }
            }
            /* Constants are never destinations. */
            for (unsigned k = 0; k < in->nd; k++) {
                if (lv->dense[op[k]] != NOWHERE) {
                    set(b->def, lv->dense[op[k]]);
                }
            }
        }
    }
    return 0;
}

/* out of a block is the union of in of its successors; returns whether it grew. */
static int
merge_successor(Liveness *lv, BasicBlock *b, int32_t next)
{
    if (next < 0) {
        return 0;
    }
    int changed = 0;
    for (size_t w = 0; w < lv->words; w++) {
        uint64_t more = lv->blocks[next].in[w] & ~b->out[w];
        b->out[w] |= more;
        changed |= more != 0;
    }
    return changed;
}

/* The usual fixed point: in = use + (out - def). */
static void
solve(Liveness *lv)
{
    int changed = 1;
    /* At first every block needs what it uses itself. */
    for (size_t i = 0; i < lv->nblocks; i++) {
        memcpy(lv->blocks[i].in, lv->blocks[i].use, lv->words * sizeof(uint64_t));
    }
    while (changed) {
        changed = 0;
        /* Liveness flows backwards, so blocks in reverse order need few rounds; sets only grow, so
         * the rounds end. */
        for (size_t i = lv->nblocks; i-- > 0;) {
            BasicBlock *b = &lv->blocks[i];
            int grown = merge_successor(lv, b, b->next[0]) | merge_successor(lv, b, b->next[1]);
            for (int32_t k = 0; k < b->ntable; k++) {
                grown |= merge_successor(lv, b, lv->block_of[b->table[k]]);
            }
            if (grown) {
                changed = 1;
                for (size_t w = 0; w < lv->words; w++) {
                    b->in[w] = b->use[w] | (b->out[w] & ~b->def[w]);
                }
            }
        }
    }
}

/* Words of the registers that are alive before an instruction; predicates are free. */
static size_t
words_alive(const uint64_t *alive, size_t words, const uint8_t *shift)
{
    size_t n = 0;
    for (size_t w = 0; w < words; w++) {
        for (uint64_t bits = alive[w]; bits != 0; bits &= bits - 1) {
            /* Predicates have registers of their own on a GPU. */
            uint8_t s = shift[64 * w + (size_t)__builtin_ctzll(bits)];
            n += s == 0 ? 0 : s == 3 ? 2 : 1;
        }
    }
    return n;
}

static int
is_call(const Instr *in)
{
    return in->run == emu_run_call || in->run == emu_run_call_indirect;
}

static int
has_calls(const Function *f)
{
    int32_t pc = 0;
    while (pc < f->ninstrs && !is_call(&f->code[pc])) {
        pc++;
    }
    return pc < f->ninstrs;
}

/* What a call of this function takes of a GPU's stack besides its variables: registers that live
 * through its own calls are kept there, and the way back; multiples of 16 bytes. (As ptxas 13.0
 * compiles a function with 0, 4 and 12 values alive, and an H200 counts.) */
static int
find_kept(Liveness *lv, const uint8_t *shift)
{
    Function *f = lv->fn;
    size_t most = 0, words = (lv->nregs + 63) / 64;
    int calls = has_calls(f);
    uint64_t *alive = malloc((words + 1) * sizeof *alive);
    if (alive == NULL) {
        return -1;
    }
    /* Only functions with calls keep registers across them. */
    for (size_t i = 0; i < lv->nblocks && calls; i++) {
        const BasicBlock *b = &lv->blocks[i];
        memset(alive, 0, words * sizeof *alive);
        for (size_t k = 0; k < lv->nshared; k++) {
            if (get(b->out, k)) {
                set(alive, lv->shared[k]);
            }
        }
        /* Backwards: below a destination the value is not alive yet; a call's own sources are dead
         * behind it. */
        for (int32_t pc = b->end; pc-- > b->start;) {
            const Instr *in = &f->code[pc];
            const EmuRow *op = emu_operands(in);
            for (unsigned k = 0; k < in->nd; k++) {
                alive[op[k] / 64] &= ~(1ull << (op[k] % 64));
            }
            /* What is alive behind the call must survive it. */
            if (is_call(in)) {
                size_t n = words_alive(alive, words, shift);
                most = n > most ? n : most;
            }
            for (unsigned k = in->nd; k < (unsigned)in->nd + in->ns; k++) {
                if (op[k] < FIRST_CONST) {
                    set(alive, op[k]);
                }
            }
        }
    }
    free(alive);
    /* Two words more for the way back. */
    f->kept_bytes = (4 * (most + 2) + 15) / 16 * 16;
    return 0;
}

/* Extends the interval of a register to a position. */
static void
touch(Liveness *lv, size_t reg, int32_t pc)
{
    if (lv->first[reg] < 0 || pc < lv->first[reg]) {
        lv->first[reg] = pc;
    }
    if (pc > lv->last[reg]) {
        lv->last[reg] = pc;
    }
}

/* From first to last mention in program order, stretched over every block that a value is alive
 * through (linear scan, Poletto and Sarkar 1999). It may be longer than needed, never shorter. */
static int
find_intervals(Liveness *lv)
{
    lv->first = malloc((lv->nregs + 1) * sizeof *lv->first);
    lv->last = malloc((lv->nregs + 1) * sizeof *lv->last);
    if (lv->first == NULL || lv->last == NULL) {
        return -1;
    }
    memset(lv->first, 0xff, lv->nregs * sizeof *lv->first);
    memset(lv->last, 0xff, lv->nregs * sizeof *lv->last);
    for (size_t i = 0; i < lv->nblocks; i++) {
        BasicBlock *b = &lv->blocks[i];
        for (size_t w = 0; w < lv->words; w++) {
            /* Alive at the start or at the end: the interval covers the block's border, and thus a
             * loop as a whole. */
            for (uint64_t bits = b->in[w]; bits != 0; bits &= bits - 1) {
                touch(lv, lv->shared[64 * w + (size_t)__builtin_ctzll(bits)], b->start);
            }
            for (uint64_t bits = b->out[w]; bits != 0; bits &= bits - 1) {
                touch(lv, lv->shared[64 * w + (size_t)__builtin_ctzll(bits)], b->end);
            }
        }
        for (int32_t pc = b->start; pc < b->end; pc++) {
            const Instr *in = &lv->fn->code[pc];
            const EmuRow *op = emu_operands(in);
            for (unsigned k = 0; k < (unsigned)in->nd + in->ns; k++) {
                if (op[k] < FIRST_CONST) {
                    touch(lv, op[k], pc);
                }
            }
        }
    }
    return 0;
}

/* State of the linear scan. */
typedef struct {
    EmuRow *row;    /* of each virtual register */
    int32_t *ends;  /* per row: the last position in use */
    uint8_t *shift; /* per row */
    size_t nrows;
    uint32_t *order; /* registers by first position */
} Scan;

/* Only these handlers read a lane's sources before they write the lane's destinations. */
static int
is_lane_loop(const Instr *in)
{
    return in->run == emu_run_alu1 || in->run == emu_run_alu2 || in->run == emu_run_alu3 ||
           in->run == emu_run_alu;
}

/* A destination may take the row of a source that dies in the same instruction only if the
 * instruction has one destination and works lane by lane; otherwise the first write could hurt the
 * second read. */
static void
scan(Liveness *lv, Scan *sc, const uint8_t *shift, size_t nused)
{
    const Function *f = lv->fn;
    /* Registers in the order in which their intervals start; the first row of the same width that
     * is free is taken. First fit keeps the rows in use close together. */
    for (size_t i = 0; i < nused; i++) {
        uint32_t reg = sc->order[i];
        int32_t at = lv->first[reg];
        int single = at < f->ninstrs && f->code[at].nd == 1 && is_lane_loop(&f->code[at]);
        size_t row = sc->nrows;
        /* Quadratic in the worst case, but there are about as many rows as values alive at once. */
        for (size_t r = 0; r < sc->nrows; r++) {
            if (sc->shift[r] == shift[reg] && (sc->ends[r] < at || (single && sc->ends[r] == at))) {
                row = r;
                break;
            }
        }
        if (row == sc->nrows) {
            sc->shift[sc->nrows++] = shift[reg];
        }
        sc->row[reg] = (EmuRow)row;
        sc->ends[row] = lv->last[reg];
    }
}

/* Destinations and sources get rows, constants the rows behind all others. */
static void
rename_operands(Function *f, const EmuRow *row)
{
    for (int32_t pc = 0; pc < f->ninstrs; pc++) {
        const Instr *in = &f->code[pc];
        EmuRow *op = emu_operands(in);
        for (unsigned k = 0; k < (unsigned)in->nd + in->ns; k++) {
            EmuRow v = op[k];
            op[k] = v < FIRST_CONST ? row[v] : (EmuRow)f->nregs + (v - FIRST_CONST);
        }
    }
}

/* By first position; registers that are never mentioned are left out. */
static size_t
sort_by_start(const Liveness *lv, uint32_t *order)
{
    /* counting sort over positions */
    size_t n = 0, positions = (size_t)lv->fn->ninstrs + 2;
    uint32_t *start = calloc(positions + 1, sizeof *start);
    if (start == NULL) {
        return (size_t)-1;
    }
    for (size_t r = 0; r < lv->nregs; r++) {
        if (lv->first[r] >= 0) {
            start[lv->first[r] + 1]++;
            n++;
        }
    }
    /* The prefix sum gives each position its place in the order. */
    for (size_t p = 1; p <= positions; p++) {
        start[p] += start[p - 1];
    }
    for (size_t r = 0; r < lv->nregs; r++) {
        if (lv->first[r] >= 0) {
            order[start[lv->first[r]]++] = (uint32_t)r;
        }
    }
    free(start);
    return n;
}

/* Replaces f's virtual registers by rows. Returns 0 or -1 without memory, when the code is
 * unchanged. */
int
emu_slots_assign(Function *f, uint8_t *shift, size_t nvirtual)
{
    Liveness lv = {.fn = f, .nregs = nvirtual};
    Scan sc = {0};
    int ret = -1;
    sc.row = calloc(nvirtual + 1, sizeof *sc.row);
    sc.ends = malloc((nvirtual + 1) * sizeof *sc.ends);
    sc.shift = malloc(nvirtual + 1);
    sc.order = malloc((nvirtual + 1) * sizeof *sc.order);
    if (sc.row == NULL || sc.ends == NULL || sc.shift == NULL || sc.order == NULL ||
        find_blocks(&lv) != 0 || find_shared(&lv) != 0 || find_uses(&lv) != 0) {
        goto fail;
    }
    solve(&lv);
    if (find_kept(&lv, shift) != 0 || find_intervals(&lv) != 0) {
        goto fail;
    }
    size_t nused = sort_by_start(&lv, sc.order);
    if (nused == (size_t)-1) {
        goto fail;
    }
    scan(&lv, &sc, shift, nused);
    f->reg_shift = sc.shift;
    f->nregs = sc.nrows;
    rename_operands(f, sc.row);
    /* The widths belong to the function now. */
    sc.shift = NULL;
    ret = 0;
fail:
    free(sc.row);
    free(sc.ends);
    free(sc.shift);
    free(sc.order);
    free(lv.blocks);
    free(lv.block_of);
    free(lv.bits);
    free(lv.dense);
    free(lv.shared);
    free(lv.first);
    free(lv.last);
    return ret;
}

/* Where threads meet: block barriers, and the .sync operations of a warp. Threads that wait keep
 * their program counter at the instruction; the last to arrive lets all go on.
 *
 * PTX has two kinds: bar (barrier), which counts threads of the block on one of 16 barriers, and
 * operations with a member mask (bar.warp.sync, shfl, vote, match, redux, elect, and the matrix
 * instructions), which all lanes that the mask names execute together. Since lanes of a warp may be
 * in different groups, a .sync operation may have to wait until the missing groups arrive. The
 * functions here run on the block's worker and hold no lock.
 */
#include "emu/exec/block.h"

#include <stdlib.h>
#include <string.h>

/* ---- block barriers -------------------------------------------------------------------------- */

/* The form of bar, in imm: barrier.sync, barrier.arrive and the three reductions of barrier.red. */
enum { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR };

/* The bar.red value over the lanes that arrived, each group by its own predicate row. */
static uint64_t
reduce(Block *b, unsigned id, int kind)
{
    uint32_t set = 0, total = 0;
    for (Group *g = b->groups; g != NULL; g = g->next) {
        if (g->state != EMU_GROUP_BARRIER || g->barrier != id) {
            continue;
        }
        /* A waiting group's program counter stands at its own bar instruction, which need not be
         * the same for all: barriers are named by number, not by place. */
        const Instr *in = &g->frame->function->code[g->pc];
        Reg *p = g->frame->regs + in->op[in->nd + 2];
        for (uint32_t lane = 0; lane < b->nthreads; lane++) {
            if ((g->bits[lane / EMU_WARP] >> (lane % EMU_WARP)) & 1) {
                set += emu_row_lane(b, p, lane) != 0;
                total++;
            }
        }
    }
    return kind == BAR_POPC ? set : kind == BAR_AND ? set == total : set != 0;
}

/* Lets all groups at the barrier go on; returns how many groups did. */
static int
release(Block *b, unsigned id)
{
    Barrier *bar = &b->barriers[id];
    uint64_t results[5] = {0};
    int released = 0;
    /* One report for the barrier, at the place of any group that waits there. */
    for (Group *g = b->groups; g != NULL && b->watch != NULL && bar->expected == 0; g = g->next) {
        if (g->state == EMU_GROUP_BARRIER && g->barrier == id) {
            emu_group_load(b, g);
            emu_observer(b)->barrier(b, &b->code[g->pc], id);
            break;
        }
    }
    if (b->watch != NULL) {
        emu_observer(b)->release(b, bar->arrived, id);
        emu_observer(b)->meet(b, bar->arrived);
    }
    /* bar.red: reduced over all groups before the first of them goes on and may change its
     * predicate. */
    for (int kind = BAR_POPC; kind <= BAR_OR; kind++) {
        results[kind] = reduce(b, id, kind);
    }
    for (Group *g = b->groups; g != NULL; g = g->next) {
        if (g->state != EMU_GROUP_BARRIER || g->barrier != id) {
            continue;
        }
        /* Results go to all lanes, so each group's destination becomes uniform. */
        const Instr *in = &g->frame->function->code[g->pc];
        if (in->nd > 0) {
            emu_group_load(b, g);
            emu_row_set_uniform(b, b->regs + in->op[0], results[in->imm]);
        }
        /* The wait ends with the program counter behind the instruction. */
        g->state = EMU_GROUP_RUN;
        g->pc++;
        released++;
        b->waiting--;
    }
    /* The barrier is ready for the next use at once: those that were released cannot come back to
     * it before this function returns. */
    memset(bar, 0, sizeof *bar);
    return released;
}

/* Threads count by warps: a warp counts in full once all of it that lives has arrived. */
static int
is_complete(const Block *b, const Barrier *bar)
{
    uint32_t arrived = bar->extra, missing = 0;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        /* The count of a barrier is in threads but a multiple of the warp size: a partial warp
         * counts as 32. */
        if (bar->arrived[w] != 0 && (b->alive[w] & ~bar->arrived[w]) == 0) {
            arrived += EMU_WARP;
        }
        missing |= b->alive[w] & ~bar->arrived[w];
    }
    return bar->expected == 0 ? missing == 0 : arrived >= bar->expected;
}

/* Called when no group can run and when threads have ended: a barrier may be complete now without a
 * new arrival. */
void
emu_barrier_check(Block *b)
{
    if (b->cluster_used || b->cluster != NULL) {
        emu_cluster_check(b);
    }
    for (unsigned id = 0; id < EMU_BARRIERS && b->waiting > 0; id++) {
        Barrier *bar = &b->barriers[id];
        uint32_t any = 0;
        /* A barrier at which nobody waits has nothing to release, even if bar.arrive counted
         * enough. */
        for (uint32_t w = 0; w < b->nwarps; w++) {
            any |= bar->arrived[w];
        }
        if (any != 0 && is_complete(b, bar)) {
            release(b, id);
        }
    }
}

/* ---- barriers that part of a warp does not reach --------------------------------------------- */

/* Marks what can be executed after `pc`, itself included. */
static void
mark_reachable(const Function *f, int32_t pc, uint8_t *marks, uint8_t mark, int32_t *todo)
{
    int32_t n = 0;
    todo[n++] = pc;
    while (n > 0) {
        /* Calls fall through to the next instruction, since callees return. The caller's `todo` has
         * room for every edge of the control flow graph. */
        for (pc = todo[--n]; pc >= 0 && pc < f->ninstrs && !(marks[pc] & mark);) {
            const Instr *in = &f->code[pc];
            marks[pc] |= mark;
            if (in->flow == EMU_FLOW_END) {
                break;
            }
            if (in->flow == EMU_FLOW_TABLE) {
                for (int32_t k = 0; k < in->target; k++) {
                    todo[n++] = in->table[k];
                }
                break;
            }
            if (in->flow == EMU_FLOW_BRANCH) {
                todo[n++] = in->target;
            }
            pc = in->flow == EMU_FLOW_JUMP ? in->target : pc + 1;
        }
    }
}

/* Whether threads at `pc` have gone around the barrier at `barrier`: they cannot come to it any
 * more and still execute what follows it. Threads that only leave the kernel have not. */
static int
goes_around(const Function *f, int32_t pc, int32_t barrier)
{
    enum { AFTER = 1, AHEAD = 2 };
    size_t n = (size_t)f->ninstrs, edges = 2 * n;
    for (size_t i = 0; i < n; i++) {
        edges += f->code[i].flow == EMU_FLOW_TABLE ? (size_t)f->code[i].target : 0;
    }
    uint8_t *marks = calloc(n + 1, 1);
    int32_t *todo = malloc((edges + 1) * sizeof *todo);
    /* Without host memory the question is left open: no report rather than a wrong one. */
    int around = 0;
    if (marks != NULL && todo != NULL) {
        /* An instruction that follows the barrier and that the threads can still reach, while the
         * barrier itself is out of reach, proves that they missed it. Inside a loop the barrier
         * stays reachable, so threads of another round are not suspected. */
        mark_reachable(f, barrier + 1, marks, AFTER, todo);
        mark_reachable(f, pc, marks, AHEAD, todo);
        for (size_t i = 0; i < n && !(marks[barrier] & AHEAD); i++) {
            around |= marks[i] == (AFTER | AHEAD) && f->code[i].flow != EMU_FLOW_END;
        }
    }
    free(marks);
    free(todo);
    return around;
}

/* Reports when the rest of a warp that comes to an aligned barrier waits at another one or has gone
 * around it. Rare: most barriers are reached by whole warps. */
static int
is_divergent(Block *b, const Instr *in)
{
    Group *g = b->group;
    int32_t pc = (int32_t)(in - b->code);
    for (uint32_t w = 0; w < b->nwarps; w++) {
        /* A warp of which none or all are here: threads that left the kernel are not waited for. */
        if (g->bits[w] == 0 || g->bits[w] == b->alive[w]) {
            continue;
        }
        /* Only groups of the same frame are compared: program counters of other functions or other
         * calls say nothing about this barrier. */
        for (Group *o = b->groups; o != NULL; o = o->next) {
            if (o == g || o->bits[w] == 0 || o->frame != g->frame) {
                continue;
            }
            const Instr *there = &b->code[o->pc];
            int waits = o->state == EMU_GROUP_BARRIER;
            if (waits ? there == in : !goes_around(b->frame->function, o->pc, pc)) {
                continue;
            }
            char place[300];
            emu_source_text(b->launch->module, there, place, sizeof place);
            int lane = (int)(EMU_WARP * w) + __builtin_ctz(g->bits[w]);
            emu_fault(b, in, (FaultWhat){EMU_FAULT_DIVERGENT, 719, lane, 0},
                      "divergent barrier: %u threads of warp %u are here, %u %s at %s",
                      emu_popcount(g->bits[w]), w, emu_popcount(o->bits[w]),
                      waits ? "wait at another barrier" : "have gone around it and are", place);
            return 1;
        }
    }
    return 0;
}

/* Lanes that name another barrier than `id` come to the instruction as a group of their own. */
static void
keep_same(Block *b, Reg *r, unsigned id, int32_t pc)
{
    uint32_t other[EMU_WARPS] = {0}, any = 0;
    for (uint32_t lane = b->lo; !(r->tag & EMU_TAG_UNIFORM) && lane < b->lo + b->n; lane++) {
        if (emu_lane_active(b, lane) && (unsigned)emu_row_lane(b, r, lane) != id) {
            other[lane / EMU_WARP] |= 1u << (lane % EMU_WARP);
            any = 1;
        }
    }
    if (any) {
        Group *g = b->group;
        emu_group_split(b, other, pc);
        emu_group_load(b, g);
    }
}

int32_t
emu_run_bar(Block *b, const Instr *in, int32_t pc)
{
    Group *g = b->group;
    /* The lowest active lane's barrier is served now. */
    unsigned id = (unsigned)emu_row_lane(b, b->regs + in->op[in->nd], b->lo);
    keep_same(b, b->regs + in->op[in->nd], id, pc);
    unsigned count = (unsigned)emu_row_lane(b, b->regs + in->op[in->nd + 1], b->lo);
    /* PTX ISA, bar/barrier: numbers 0 to 15, and a count that is a multiple of the warp size. */
    if (id >= EMU_BARRIERS || count % EMU_WARP != 0 || count > EMU_LANES) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_TRAP, 719, (int)b->lo, 0},
                         "barrier %u with %u threads: the number must be below 16, the count a "
                         "multiple of the warp size",
                         id, count);
    }
    Barrier *bar = &b->barriers[id];
    /* The usual barrier costs nothing: a single group of all threads that live, and no thread that
     * arrived without waiting (bar.arrive). */
    if (b->exclusive && b->ngroups == 1 && in->imm == BAR_SYNC && count == 0 && bar->extra == 0) {
        if (b->watch != NULL) {
            emu_observer(b)->meet(b, g->bits);
            if (emu_observer(b)->barrier(b, in, id) != 0) {
                return EMU_EVENT_FAULT;
            }
        }
        return pc + 1; /* all that live are here */
    }
    /* Kept in the barrier so that later checks, without an instruction at hand, know the count. */
    bar->expected = count;
    b->barriers_used = 1;
    /* An arrival is progress for the watchdog. */
    b->progress_count++;
    if (in->flags & EMU_FLAG_ALIGNED && is_divergent(b, in)) {
        return EMU_EVENT_FAULT;
    }
    if (in->imm == BAR_ARRIVE) {
        if (b->watch != NULL) {
            emu_observer(b)->arrive(b, g->bits, id);
        }
        /* bar.arrive counts warps, as bar.sync does: each warp with a lane here adds 32. */
        for (uint32_t w = 0; w < b->nwarps; w++) {
            bar->extra += g->bits[w] != 0 ? EMU_WARP : 0;
        }
        uint32_t any = 0;
        for (uint32_t w = 0; w < b->nwarps; w++) {
            any |= bar->arrived[w];
        }
        /* The arrival was the last one missing: those that wait go on, and the group that arrived
         * continues with them after the next choice. */
        if (any != 0 && is_complete(b, bar)) {
            g->pc = pc + 1;
            release(b, id);
            return EMU_EVENT_SWITCH;
        }
        /* Only arrivals and no thread that waits: the barrier is full and starts anew. */
        if (any == 0 && bar->extra >= count) {
            memset(bar, 0, sizeof *bar);
        }
        return pc + 1;
    }
    for (uint32_t w = 0; w < b->nwarps; w++) {
        bar->arrived[w] |= g->bits[w];
    }
    /* The group stays at the instruction until release() moves it on. */
    g->pc = pc;
    g->state = EMU_GROUP_BARRIER;
    b->waiting++;
    g->barrier = (uint8_t)id;
    if (is_complete(b, bar)) {
        release(b, id);
    }
    return EMU_EVENT_SWITCH;
}

/* ---- warps ----------------------------------------------------------------------------------- */

/* One warp's operation: the lanes that take part, their values and masks. */
typedef struct {
    uint32_t lanes; /* that execute it */
    uint64_t value[EMU_WARP];
    uint32_t b[EMU_WARP], c[EMU_WARP];
    uint64_t result[EMU_WARP];
    uint8_t flag[EMU_WARP];
    uint32_t nowhere; /* lanes whose result comes from one that takes no part */
} Warp;

/* The pseudo-code of shfl.sync in the PTX ISA. c holds the clamp in bits 0..4 and the segment mask
 * in bits 8..12: lanes that agree in the masked bits form a segment. */
static void
shuffle(const Instr *in, Warp *w)
{
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        uint32_t bval = w->b[lane] & 31, cval = w->c[lane] & 31, seg = (w->c[lane] >> 8) & 31;
        uint32_t top = (lane & seg) | (cval & ~seg), bottom = lane & seg;
        int32_t j;
        int ok;
        switch (in->imm) {
        case EMU_WARP_SHFL_UP:
            j = (int32_t)lane - (int32_t)bval;
            ok = j >= (int32_t)top;
            break;
        case EMU_WARP_SHFL_DOWN:
            /* Lane numbers above 31 exceed every bound `top`, so the wrapped index below is not
             * reached for them. */
            j = (int32_t)(lane + bval);
            ok = j <= (int32_t)top;
            break;
        case EMU_WARP_SHFL_BFLY:
            j = (int32_t)(lane ^ bval);
            ok = j <= (int32_t)top;
            break;
        default:
            j = (int32_t)(bottom | (bval & ~seg));
            ok = j <= (int32_t)top;
        }
        /* A source outside the segment: the lane keeps its own value and the predicate is false. */
        j = ok ? j : (int32_t)lane;
        /* Undefined on a GPU when the source lane takes no part: the value read is whatever the row
         * holds, and the observer reports it where it was asked to (`nowhere`). */
        w->result[lane] = w->value[j & 31];
        w->nowhere |= (uint32_t)!((w->lanes >> (j & 31)) & 1) << lane;
        w->flag[lane] = (uint8_t)ok;
    }
}

/* Quadratic in the lanes of a warp; exec_whole.c has the loops that whole warps take. */
static void
match(const Instr *in, Warp *w)
{
    uint32_t all = ~0u;
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < EMU_WARP; k++) {
            if (((w->lanes >> k) & 1) && w->value[k] == w->value[lane]) {
                same |= 1u << k;
            }
        }
        w->result[lane] = same;
        if ((w->lanes >> lane) & 1) {
            all &= same;
        }
    }
    int equal = (w->lanes & ~all) == 0;
    for (uint32_t lane = 0; lane < EMU_WARP && in->imm == EMU_WARP_MATCH_ALL; lane++) {
        w->result[lane] = equal ? w->lanes : 0;
        w->flag[lane] = (uint8_t)equal;
    }
}

/* redux.sync on 32-bit words. The first lane's value is the start, so no operation needs a neutral
 * element. */
static uint64_t
redux(const Instr *in, const Warp *w)
{
    uint32_t r = 0;
    int first = 1, is_signed = in->flags & EMU_FLAG_SIGNED;
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        if (!((w->lanes >> lane) & 1)) {
            continue;
        }
        uint32_t v = (uint32_t)w->value[lane];
        int less = is_signed ? (int32_t)v < (int32_t)r : v < r;
        switch (first ? -1 : in->imm) {
        case EMU_WARP_REDUX_ADD:
            r += v;
            break;
        case EMU_WARP_REDUX_MIN:
            r = less ? v : r;
            break;
        case EMU_WARP_REDUX_MAX:
            r = less ? r : v;
            break;
        case EMU_WARP_REDUX_AND:
            r &= v;
            break;
        case EMU_WARP_REDUX_OR:
            r |= v;
            break;
        case EMU_WARP_REDUX_XOR:
            r ^= v;
            break;
        default:
            r = v;
        }
        first = 0;
    }
    return r;
}

/* The operation on collected values, without knowledge of groups: emu_warp_cross uses it for lanes
 * that stand at different instructions. */
static void
compute(const Instr *in, Warp *w)
{
    uint32_t votes = 0;
    uint64_t r = 0;
    /* Ballot of the predicate; the three votes follow from it. */
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        votes |= (uint32_t)(((w->lanes >> lane) & 1) && w->value[lane] != 0) << lane;
    }
    switch (in->imm) {
    case EMU_WARP_SYNC:
        return;
    case EMU_WARP_SHFL_UP:
    case EMU_WARP_SHFL_DOWN:
    case EMU_WARP_SHFL_BFLY:
    case EMU_WARP_SHFL_IDX:
        shuffle(in, w);
        return;
    case EMU_WARP_MATCH_ANY:
    case EMU_WARP_MATCH_ALL:
        match(in, w);
        return;
    case EMU_WARP_BALLOT:
        r = votes;
        break;
    case EMU_WARP_ALL:
        r = votes == w->lanes;
        break;
    case EMU_WARP_ANY:
        r = votes != 0;
        break;
    case EMU_WARP_UNI:
        r = votes == w->lanes || votes == 0;
        break;
    /* elect.sync: PTX lets any member be the leader; this takes the lowest lane. */
    case EMU_WARP_ELECT:
        r = w->lanes == 0 ? 0 : (uint32_t)__builtin_ctz(w->lanes);
        for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
            w->flag[lane] = lane == r;
        }
        break;
    default:
        r = redux(in, w);
    }
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        w->result[lane] = r;
    }
}

/* The row of the member mask is the last source. */
static Reg *
mask_row(Block *b, const Frame *frame, const Instr *in)
{
    (void)b;
    return (Reg *)(uintptr_t)(frame->regs + emu_operands(in)[in->nd + in->ns - 1]);
}

/* Reads the operands of warp `w` for the lanes in `bits`. */
static void
collect(Block *b, Frame *frame, const Instr *in, uint32_t index, uint32_t bits, Warp *w)
{
    for (unsigned k = 0; k + 1 < in->ns; k++) {
        Reg *r = frame->regs + in->op[in->nd + k];
        for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
            if (k == 0 || ((bits >> lane) & 1)) {
                /* Values of lanes outside of the mask are read as well, for shuffles from lanes
                 * that take no part: a GPU reads their registers too. A value that an earlier call
                 * collected for a participant is kept. */
                uint64_t v = emu_row_lane(b, r, EMU_WARP * index + lane);
                if (k == 0) {
                    if (((bits >> lane) & 1) || !((w->lanes >> lane) & 1)) {
                        w->value[lane] = v;
                    }
                }
                else if (k == 1) {
                    w->b[lane] = (uint32_t)v;
                }
                else {
                    w->c[lane] = (uint32_t)v;
                }
            }
        }
    }
    w->lanes |= bits;
}

/* Writes the results of warp `index` for the lanes of the running group. */
static void
deliver(Block *b, const Instr *in, uint32_t index, const Warp *w)
{
    uint32_t bits = b->group->bits[index];
    for (unsigned k = 0; k < in->nd; k++) {
        Reg *d = b->regs + in->op[k];
        for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
            if ((bits >> lane) & 1) {
                uint64_t v = k == 0 ? w->result[lane] : w->flag[lane];
                emu_put_bits(d->lanes + ((size_t)(EMU_WARP * index + lane) << d->shift), d->shift,
                             v);
            }
        }
    }
}

/* Destinations get their lanes one by one, so what they hold must be in lanes. */
static void
open_rows(Block *b, const Instr *in)
{
    const EmuRow *op = emu_operands(in);
    for (unsigned k = 0; k < in->nd; k++) {
        Reg *d = b->regs + op[k];
        if (!(d->tag & EMU_TAG_LANES)) {
            emu_row_fill(b, d);
        }
        d->tag = EMU_TAG_LANES;
    }
}

/* Which of the group's warps cannot go yet, because lanes of the mask are elsewhere. */
static int32_t
find_waiting(Block *b, const Instr *in, uint32_t *waiting)
{
    Group *g = b->group;
    /* The lanes are collected in waiting[w], and -1 stands for a fault. Lanes that left the kernel
     * are not waited for. */
    Reg *mask = mask_row(b, b->frame, in);
    int any = 0;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        waiting[w] = 0;
        for (uint32_t bits = g->bits[w]; bits != 0; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            uint32_t m = (uint32_t)emu_row_lane(b, mask, EMU_WARP * w + lane);
            /* PTX ISA: behaviour is undefined if the executing thread is not in the member mask. */
            if (!((m >> lane) & 1)) {
                emu_fault(b, in,
                          (FaultWhat){EMU_FAULT_BAD_MASK, 719, (int)(EMU_WARP * w + lane), 0},
                          "the mask 0x%08x of a .sync operation does not name the thread itself "
                          "(lane %u)",
                          m, lane);
                return -1;
            }
            if (b->watch != NULL && emu_observer(b)->mask(b, in, EMU_WARP * w + lane, m) != 0) {
                return -1;
            }
            if ((m & b->alive[w] & ~g->bits[w]) != 0) {
                waiting[w] |= 1u << lane;
                any = 1;
            }
            if (mask->tag & EMU_TAG_UNIFORM) {
                /* every lane has this mask: it must name them all */
                uint32_t outside = g->bits[w] & ~m;
                if (outside == 0) {
                    waiting[w] = waiting[w] != 0 ? g->bits[w] : 0;
                    break;
                }
            }
        }
    }
    return any;
}

/* The different masks of a warp's lanes are separate operations (cooperative tiles). */
static int32_t
run_warp(Block *b, const Instr *in, uint32_t index)
{
    uint32_t left = b->group->bits[index];
    Reg *mask = mask_row(b, b->frame, in);
    /* Results of all member sets are gathered before any is written: a destination may be a source.
     */
    Warp result;
    memset(&result, 0, sizeof result);
    while (left != 0) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t m = (uint32_t)emu_row_lane(b, mask, EMU_WARP * index + lane);
        uint32_t members = left & m;
        Warp w;
        memset(&w, 0, sizeof w);
        collect(b, b->frame, in, index, members, &w);
        compute(in, &w);
        if ((w.nowhere & members) != 0 && b->watch != NULL &&
            emu_observer(b)->shuffle(b, in, index, w.nowhere & members) != 0) {
            return EMU_EVENT_FAULT;
        }
        for (uint32_t k = 0; k < EMU_WARP; k++) {
            if ((members >> k) & 1) {
                result.result[k] = w.result[k];
                result.flag[k] = w.flag[k];
            }
        }
        /* The lane itself is removed even where its mask does not name it, so the loop ends. */
        left &= ~(members | 1u << lane);
    }
    deliver(b, in, index, &result);
    return 0;
}

/* Groups that already wait at this instruction join the running one. */
static void
join_waiting(Block *b, int32_t pc)
{
    Group *g = b->group;
    /* Waiting groups stand at this instruction and frame already: merging needs no change of
     * program counter. */
    int joined = 0;
    for (Group *other = b->groups, *next; other != NULL; other = next) {
        next = other->next;
        if (other != g && other->state == EMU_GROUP_WARP && other->frame == g->frame &&
            other->pc == pc) {
            for (uint32_t w = 0; w < b->nwarps; w++) {
                g->bits[w] |= other->bits[w];
            }
            emu_group_drop(b, other);
            joined = 1;
        }
    }
    if (joined) {
        emu_group_load(b, g);
    }
}

/* Tells the race check which threads of each warp the operation brings together. Only bar.warp.sync
 * promises that memory is in order; but the others make threads wait for each other as well, and a
 * warp's accesses go out in order, so what stands between them is not reported. */
static void
meet(Block *b, const Instr *in)
{
    Reg *mask = mask_row(b, b->frame, in);
    for (uint32_t w = 0; w < b->nwarps; w++) {
        for (uint32_t left = b->group->bits[w]; left != 0;) {
            uint32_t lane = (uint32_t)__builtin_ctz(left), bits[EMU_WARPS] = {0};
            uint32_t m = (uint32_t)emu_row_lane(b, mask, EMU_WARP * w + lane);
            bits[w] = left & (m | 1u << lane);
            emu_observer(b)->meet(b, bits);
            left &= ~bits[w];
        }
    }
}

/* Every instruction with a member mask comes here; imm says which operation. A group whose warps
 * are partly ready is cut: those warps that are complete go on, the rest waits as a group of its
 * own. */
int32_t
emu_run_warp(Block *b, const Instr *in, int32_t pc)
{
    uint32_t waiting[EMU_WARPS];
    Group *g = b->group;
    /* The group that arrives last continues with all lanes and in one piece. */
    if (b->ngroups > 1) {
        join_waiting(b, pc);
    }
    /* The common case: all lanes of every warp are in the group and the masks are full. */
    if (emu_run_whole(b, in)) {
        if (b->watch != NULL) {
            meet(b, in);
        }
        return pc + 1;
    }
    int32_t any = find_waiting(b, in, waiting);
    if (any < 0) {
        return EMU_EVENT_FAULT;
    }
    if (any) {
        uint32_t ready = 0;
        for (uint32_t w = 0; w < b->nwarps; w++) {
            ready |= g->bits[w] & ~waiting[w];
        }
        /* The group stays at the instruction, whether it waits or its ready part goes on. */
        g->pc = pc;
        if (ready == 0) {
            g->state = EMU_GROUP_WARP;
            return EMU_EVENT_SWITCH;
        }
        emu_group_split(b, waiting, pc);
        /* emu_group_split links the new group first in the list. */
        b->groups->state = EMU_GROUP_WARP;
        emu_group_load(b, g);
    }
    if (b->watch != NULL) {
        meet(b, in);
    }
    /* bar.warp.sync has no operands besides its mask: meeting is all it does. */
    if (in->imm != EMU_WARP_SYNC) {
        open_rows(b, in);
        for (uint32_t w = 0; w < b->nwarps; w++) {
            if (g->bits[w] == 0) {
                continue;
            }
            int32_t fault = in->imm == EMU_WARP_CALL ? ((EmuWarpFn)(uintptr_t)in->ptr)(b, in, pc, w)
                                                     : run_warp(b, in, w);
            if (fault != 0) {
                return EMU_EVENT_FAULT;
            }
        }
    }
    /* After a split the limit of the run is out of date: choose again. */
    if (any) {
        g->pc = pc + 1;
        return EMU_EVENT_SWITCH;
    }
    return pc + 1;
}

/* No group can run: threads of one warp may wait for each other at different instructions, which is
 * allowed when operation and mask agree. Lets such threads meet; returns 0 when there are none. */
int
emu_warp_cross(Block *b)
{
    for (Group *g = b->groups; g != NULL; g = g->next) {
        /* Matrix operations read rows of one frame for the whole warp, so their lanes cannot be
         * collected from different instructions. */
        const Instr *in = &g->frame->function->code[g->pc];
        if (g->state != EMU_GROUP_WARP || in->imm == EMU_WARP_CALL) {
            continue;
        }
        for (uint32_t w = 0; w < b->nwarps; w++) {
            if (g->bits[w] == 0) {
                continue;
            }
            uint32_t lane = (uint32_t)__builtin_ctz(g->bits[w]);
            uint32_t m = (uint32_t)emu_row_lane(b, mask_row(b, g->frame, in), EMU_WARP * w + lane);
            uint32_t here = 0;
            Warp values;
            memset(&values, 0, sizeof values);
            /* Operations agree when they are of the same kind; their operands may be in different
             * registers and frames. */
            for (Group *o = b->groups; o != NULL; o = o->next) {
                const Instr *other = &o->frame->function->code[o->pc];
                if (o->state == EMU_GROUP_WARP && other->imm == in->imm && (o->bits[w] & m) != 0) {
                    here |= o->bits[w] & m;
                    collect(b, o->frame, other, w, o->bits[w] & m, &values);
                }
            }
            /* Somebody is still missing; another warp or group may be complete. */
            if ((m & b->alive[w] & ~here) != 0) {
                continue;
            }
            compute(in, &values);
            if (b->watch != NULL) {
                uint32_t bits[EMU_WARPS] = {0};
                bits[w] = here;
                emu_observer(b)->meet(b, bits);
            }
            for (Group *o = b->groups, *next; o != NULL; o = next) {
                next = o->next;
                const Instr *other = &o->frame->function->code[o->pc];
                if (o->state != EMU_GROUP_WARP || other->imm != in->imm ||
                    (o->bits[w] & here) == 0) {
                    continue;
                }
                uint32_t moving[EMU_WARPS] = {0}, rest = 0;
                moving[w] = o->bits[w] & here;
                emu_group_load(b, o);
                /* The group may hold lanes of other warps, or lanes outside of this mask: they stay
                 * and wait. */
                for (uint32_t k = 0; k < b->nwarps; k++) {
                    rest |= o->bits[k] & ~moving[k];
                }
                if (rest != 0) {
                    emu_group_split(b, moving, o->pc);
                    o = b->groups;
                    emu_group_load(b, o);
                }
                open_rows(b, other);
                deliver(b, other, w, &values);
                o->state = EMU_GROUP_RUN;
                o->pc++;
            }
            /* One meeting at a time: the lists have changed, and the scheduler calls again if
             * needed. */
            return 1;
        }
    }
    return 0;
}

/* activemask is the set of lanes that execute the instruction together, which in the emulation is
 * the warp's part of the running group. */
int32_t
emu_run_activemask(Block *b, const Instr *in, int32_t pc)
{
    Reg *d = b->regs + in->op[0];
    uint32_t *to = emu_row_write(b, d, 0);
    for (uint32_t i = 0; i < b->n; i++) {
        to[i] = b->group->bits[(b->lo + i) / EMU_WARP];
    }
    emu_row_commit(b, d, 0);
    return pc + 1;
}

/* Control flow: branches, tables, calls, returns and exits.
 *
 * A branch that all lanes take the same way changes the program counter alone. One on which they
 * differ splits the running group; the parts meet again where exec_group.c finds them at the same
 * instruction, so no reconvergence point is computed ahead. Handlers run on the block's worker and
 * hold no lock.
 */
#include "emu/exec/block.h"

#include <string.h>
#include <time.h>

/* Bits of the group's lanes whose byte in `p` is nonzero (or zero, when negated). */
static void
lanes_to_bits(Block *b, const uint8_t *p, int negate, uint32_t *bits)
{
    memset(bits, 0, EMU_WARPS * sizeof *bits);
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t lane = b->lo + i;
        bits[lane / EMU_WARP] |= (uint32_t)((p[i] != 0) ^ negate) << (lane % EMU_WARP);
    }
    for (uint32_t w = 0; w < b->nwarps; w++) {
        bits[w] &= b->group->bits[w];
    }
}

static int
is_empty(const Block *b, const uint32_t *bits)
{
    uint32_t any = 0;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        any |= bits[w];
    }
    return any == 0;
}

static int32_t
jump(Block *b, int32_t pc, int32_t target)
{
    /* Only jumps backwards can make threads run for ever, so they alone are charged to the group's
     * budget. */
    if (target <= pc && emu_group_backward(b, target)) {
        return EMU_EVENT_SWITCH;
    }
    return target;
}

/* The running group lost all its lanes. The lanes that ended may have been the last that a barrier
 * waited for: threads that left the kernel are not counted. */
static int32_t
group_ended(Block *b)
{
    emu_group_drop(b, b->group);
    emu_barrier_check(b);
    return EMU_EVENT_SWITCH;
}

int32_t
emu_run_jump(Block *b, const Instr *in, int32_t pc)
{
    return jump(b, pc, in->target);
}

/* The branch when the byte row of the predicate is mixed. Inactive lanes made it so, or the active
 * ones differ: the mask tells which. */
static int32_t
diverge(Block *b, const Instr *in, int32_t pc, const uint8_t *p)
{
    uint32_t taken[EMU_WARPS];
    Group *g = b->group;
    /* The mask of the group is applied here, so what inactive lanes hold is of no consequence
     * below. */
    lanes_to_bits(b, p, (in->flags & EMU_FLAG_NEGATE) != 0, taken);
    if (is_empty(b, taken)) {
        return pc + 1;
    }
    uint32_t stay = 0;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        stay |= g->bits[w] & ~taken[w];
    }
    if (stay == 0) {
        return jump(b, pc, in->target);
    }
    /* `if (i >= n) return;`, the commonest divergence: the lanes end here and the rest stays one
     * group. The early exit needs a frame without a parent: in a called function the same target is
     * a return. */
    if ((in->flags & EMU_FLAG_EXIT) && b->frame->parent == NULL) {
        emu_group_retire(b, taken);
        emu_barrier_check(b);
        emu_group_load(b, g);
        return pc + 1;
    }
    if (in->target <= pc) {
        /* the lanes that leave the loop wait; the others go round */
        g->pc = pc + 1;
        emu_group_split(b, taken, in->target);
        Group *looping = b->groups;
        /* A loop that some lanes leave in each round would never use up a budget that starts anew
         * with every split, so the new group inherits what is left. */
        looping->budget = g->budget - (b->polled ? EMU_BUDGET / 256 : 1);
        b->polled = 0;
        /* The epoch puts the group behind those that have not had a turn, for example the lanes
         * that hold a lock this loop waits for (independent thread scheduling since Volta). */
        if (looping->budget <= 0) {
            looping->budget = EMU_BUDGET;
            looping->epoch++;
            emu_progress(b);
        }
        return EMU_EVENT_SWITCH;
    }
    /* Forward branch: the smaller program counter runs first, which choose() decides. */
    g->pc = pc + 1;
    emu_group_split(b, taken, in->target);
    return EMU_EVENT_SWITCH;
}

int32_t
emu_run_branch(Block *b, const Instr *in, int32_t pc)
{
    Reg *p = b->regs + in->op[0];
    uint8_t negate = (in->flags & EMU_FLAG_NEGATE) != 0;
    /* A uniform predicate has no lanes to look at; the group cannot split. */
    if (p->tag & EMU_TAG_UNIFORM) {
        return ((uint8_t)p->base != 0) != negate ? jump(b, pc, in->target) : pc + 1;
    }
    const uint8_t *lanes = p->lanes + b->lo;
    /* Counts the predicate over the whole range of lanes, active or not: one vector loop decides
     * most branches. */
    size_t set = b->loops->count(lanes, b->n);
    if (set == b->n || set == 0) {
        /* the lanes that are not active agree as well, or nothing is set */
        return (set != 0) != negate ? jump(b, pc, in->target) : pc + 1;
    }
    return diverge(b, in, pc, lanes);
}

/* brx.idx: one group for each distinct target. The running group keeps the first lane's target; the
 * lanes of each other one leave as a group. */
int32_t
emu_run_table(Block *b, const Instr *in, int32_t pc)
{
    Reg *r = b->regs + in->op[0];
    uint32_t first = (uint32_t)emu_row_lane(b, r, b->lo);
    Group *g = b->group;
    if (!(r->tag & EMU_TAG_UNIFORM)) {
        const uint32_t *v = emu_row_read(b, r);
        for (;;) {
            /* peel off all lanes that want another target than the first */
            uint32_t other[EMU_WARPS] = {0}, want = 0, any = 0;
            for (uint32_t i = 0; i < b->n; i++) {
                uint32_t lane = b->lo + i;
                if (emu_lane_active(b, lane) && v[i] != first && (!any || v[i] == want)) {
                    want = v[i];
                    any = 1;
                    other[lane / EMU_WARP] |= 1u << (lane % EMU_WARP);
                }
            }
            if (!any) {
                break;
            }
            /* An index outside of the table is undefined in PTX; here it is a fault that names the
             * index. */
            if (want >= (uint32_t)in->target) {
                first = want;
                break;
            }
            emu_group_split(b, other, in->table[want]);
        }
    }
    if (first >= (uint32_t)in->target) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_TRAP, 719, (int)b->lo, 0},
                         "brx.idx with index %u of %d targets", first, in->target);
    }
    g->pc = in->table[first];
    (void)pc;
    return EMU_EVENT_SWITCH;
}

/* The lanes leave `alive` as well, so barriers and masks of .sync operations no longer wait for
 * them. */
int32_t
emu_run_exit(Block *b, const Instr *in, int32_t pc)
{
    uint32_t bits[EMU_WARPS];
    (void)in;
    (void)pc;
    memcpy(bits, b->group->bits, sizeof bits);
    emu_group_retire(b, bits);
    return group_ended(b);
}

/* Return of all lanes of the running group. Lanes that entered in the same call but are elsewhere
 * hold the frame through its `users`, so it is released by the last. */
int32_t
emu_run_ret(Block *b, const Instr *in, int32_t pc)
{
    Frame *frame = b->frame, *parent = frame->parent;
    Group *g = b->group;
    /* In an entry function ret ends the thread, as exit does (PTX ISA, ret). */
    if (parent == NULL) {
        return emu_run_exit(b, in, pc);
    }
    int32_t back = frame->return_pc;
    g->frame = parent;
    if (--frame->users == 0) {
        emu_frame_release(b, frame);
    }
    g->pc = back;
    /* Groups that wait behind the call, or are still inside of it, may have to run first. */
    if (b->ngroups > 1) {
        return EMU_EVENT_SWITCH;
    }
    emu_group_load(b, g);
    return back;
}

/* The lanes of the running group call `callee`. Arguments and results are in local memory, so only
 * the frame and the program counter change; a callee's frame is its own until the group splits. */
static int32_t
enter(Block *b, const Instr *in, Function *callee, int32_t pc)
{
    Frame *caller = b->frame;
    /* The callee's parameters and local variables lie behind the caller's, at the same offset for
     * all lanes. */
    uint64_t base = caller->local_base + caller->function->local_bytes;
    uint64_t stack = caller->stack + (callee->is_on_cycle ? callee->kept_bytes : 0);
    /* A GPU's stack (CU_LIMIT_STACK_SIZE) is charged for functions on a cycle of calls alone: the
     * depth of all others was known when the kernel was decoded. */
    if (stack + caller->top > b->launch->stack_bytes) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_STACK_OVERFLOW, 700, (int)b->lo, 0},
                         "stack overflow calling %s: %zu bytes per thread (CU_LIMIT_STACK_SIZE), "
                         "depth %u",
                         callee->name, b->launch->stack_bytes, caller->depth + 1);
    }
    /* alloca grows from the other end of local memory (`top`): both meet in the middle. */
    if (base + callee->local_bytes + caller->top > b->local_bytes) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_STACK_OVERFLOW, 700, (int)b->lo, 0},
                         "stack overflow calling %s: %zu bytes per thread, depth %u", callee->name,
                         b->local_bytes, caller->depth + 1);
    }
    Frame *frame = emu_frame_new(b, callee);
    if (frame == NULL) {
        return emu_fault(
            b, in, (FaultWhat){EMU_FAULT_STACK_OVERFLOW, 700, (int)b->lo, 0},
            "stack overflow calling %s: no memory for %zu more registers per thread, depth %u",
            callee->name, callee->nregs, caller->depth + 1);
    }
    frame->parent = caller;
    frame->return_pc = pc + 1;
    frame->depth = caller->depth + 1;
    frame->local_base = base;
    frame->stack = stack + (callee->is_on_cycle ? callee->depot_bytes : 0);
    frame->top = caller->top;
    frame->users = 1;
    b->group->frame = frame;
    b->group->pc = 0;
    /* With other groups about, one of them may be deeper or further behind: choose again. */
    if (b->ngroups > 1) {
        return EMU_EVENT_SWITCH;
    }
    emu_group_load(b, b->group);
    return 0;
}

int32_t
emu_run_call(Block *b, const Instr *in, int32_t pc)
{
    return enter(b, in, b->launch->module->functions[in->target], pc);
}

int32_t
emu_run_call_indirect(Block *b, const Instr *in, int32_t pc)
{
    const EmuModule *m = b->launch->module;
    Reg *r = b->regs + in->op[0];
    Group *g = b->group;
    /* The first active lane decides which function this group enters. */
    uint64_t first = emu_row_lane(b, r, b->lo);
    /* The address of a function is its number in a window of its own, so a pointer to data is
     * recognised. */
    uint64_t index = (first - EMU_CODE_WINDOW) / 16;
    if (first < EMU_CODE_WINDOW || first % 16 != 0 || index >= m->nfunctions ||
        !m->functions[index]->decoded || m->functions[index]->is_entry) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_TRAP, 719, (int)b->lo, first},
                         "call of 0x%llx, which is no function of this module",
                         (unsigned long long)first);
    }
    if (!(r->tag & EMU_TAG_UNIFORM)) {
        uint32_t other[EMU_WARPS] = {0}, any = 0;
        for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
            if (emu_lane_active(b, lane) && emu_row_lane(b, r, lane) != first) {
                other[lane / EMU_WARP] |= 1u << (lane % EMU_WARP);
                any = 1;
            }
        }
        if (any) {
            /* the others come back to this instruction, and split again if they must */
            emu_group_split(b, other, pc);
            emu_group_load(b, g);
        }
    }
    return enter(b, in, m->functions[index], pc);
}

int32_t
emu_run_trap(Block *b, const Instr *in, int32_t pc)
{
    (void)pc;
    return emu_fault(b, in, (FaultWhat){EMU_FAULT_TRAP, 719, (int)b->lo, 0},
                     "the kernel executed trap");
}

/* membar and fence: blocks of one grid run on several workers and reach global memory by plain host
 * accesses, so a fence of any scope is a full fence of the host. */
int32_t
emu_run_fence(Block *b, const Instr *in, int32_t pc)
{
    (void)in;
    atomic_thread_fence(memory_order_seq_cst);
    if (b->watch != NULL) {
        emu_observer(b)->fence(b);
    }
    return pc + 1;
}

/* Lets the worker sleep as long as the most patient lane asks, a millisecond at most as on a GPU;
 * what is shorter than the system's own timers is over by now. */
int32_t
emu_run_sleep(Block *b, const Instr *in, int32_t pc)
{
    enum { SHORTEST = 2000, LONGEST = 1000000 };
    uint32_t longest = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (emu_lane_active(b, b->lo + i)) {
            uint32_t t = (uint32_t)emu_row_lane(b, b->regs + in->op[0], b->lo + i);
            longest = t > longest ? t : longest;
        }
    }
    /* A loop with nanosleep waits for somebody: it counts as polling, so its group yields early. */
    b->polled = EMU_FLAG_POLL;
    if (longest >= SHORTEST) {
        struct timespec time = {0, longest < LONGEST ? longest : LONGEST - 1};
        nanosleep(&time, NULL);
    }
    return pc + 1;
}

/* Special registers and the addresses that only a running block knows. */
#include "emu/exec/block.h"

#include <string.h>
#include <time.h>

/* %globaltimer is the time of day in nanoseconds. */
static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The registers that are the same for all threads of a block. Registers of lanes are in lane_value,
 * thread numbers in the rows of the block. */
static uint64_t
uniform_value(const Block *b, int64_t which)
{
    const EmuLaunch *spec = b->launch->spec;
    const uint32_t *cluster = b->launch->cluster;
    switch (which) {
    case NTID_X:
    case NTID_Y:
    case NTID_Z:
        return spec->block[which - NTID_X];
    case CTAID_X:
    case CTAID_Y:
    case CTAID_Z:
        return b->block[which - CTAID_X];
    /* Clusters tile the grid, so a block's cluster and its place in it are quotient and remainder.
     */
    case CLUSTERID_X:
    case CLUSTERID_Y:
    case CLUSTERID_Z:
        return b->block[which - CLUSTERID_X] / cluster[which - CLUSTERID_X];
    case CLUSTER_CTAID_X:
    case CLUSTER_CTAID_Y:
    case CLUSTER_CTAID_Z:
        return b->block[which - CLUSTER_CTAID_X] % cluster[which - CLUSTER_CTAID_X];
    case NCTAID_X:
    case NCTAID_Y:
    case NCTAID_Z:
        return spec->grid[which - NCTAID_X];
    case NCLUSTERID_X:
    case NCLUSTERID_Y:
    case NCLUSTERID_Z:
        return spec->grid[which - NCLUSTERID_X] / cluster[which - NCLUSTERID_X];
    case NWARPID:
        return 64; /* warps that a multiprocessor holds, not those of the block */
    case SMID:
        /* Workers stand for multiprocessors: a worker runs a block to its end, so %smid does not
         * change. */
        return spec->sm_count > 0 ? b->worker->id % (uint32_t)spec->sm_count : 0;
    case NSMID:
        return spec->sm_count > 0 ? (uint64_t)spec->sm_count : 1;
    case CLOCK:
        /* Clocks count instructions, so they are monotonic within a block. */
        return (uint32_t)b->count;
    case CLOCK_HI:
        return b->count >> 32;
    case CLOCK64:
        return b->count;
    case TIMER:
        return now_ns();
    case TIMER_LO:
        return (uint32_t)now_ns();
    case TIMER_HI:
        return now_ns() >> 32;
    case GRID_WORKSPACE_HI: /* as cooperative_groups/details/driver_abi.h reads them */
        return b->launch->grid_workspace >> 32;
    case GRID_WORKSPACE_LO:
        return (uint32_t)b->launch->grid_workspace;
    case DYNAMIC_SMEM:
        return spec->shared_bytes;
    case TOTAL_SMEM:
    case AGGREGATE_SMEM:
        return b->shared_bytes;
    case CLUSTER_NCTAID_X:
    case CLUSTER_NCTAID_Y:
    case CLUSTER_NCTAID_Z:
        return cluster[which - CLUSTER_NCTAID_X];
    case CLUSTER_SIZE:
        return b->launch->cluster_size;
    case CLUSTER_RANK:
        return b->rank;
    case EXPLICIT_CLUSTER:
        return (uint64_t)b->launch->cluster_explicit;
    default:
        return 0;
    }
}

/* The values that depend on the lane. %warpid is the warp's number in the block, which the PTX ISA
 * leaves open. */
static uint32_t
lane_value(int64_t which, uint32_t lane)
{
    uint32_t k = lane % EMU_WARP, eq = 1u << k;
    switch (which) {
    case LANEID:
        return k;
    case WARPID:
        return lane / EMU_WARP;
    case MASK_EQ:
        return eq;
    case MASK_LT:
        return eq - 1;
    case MASK_LE:
        return eq | (eq - 1);
    case MASK_GE:
        return ~(eq - 1);
    default:
        return ~(eq | (eq - 1));
    }
}

/* mov from a special register. The result's form matters more than its value: %tid.x of a line of
 * threads is the affine row from which most addresses derive. */
int32_t
emu_run_sreg(Block *b, const Instr *in, int32_t pc)
{
    Reg *d = b->regs + in->op[0];
    int64_t which = in->imm;
    int by_lane = which == LANEID || which == WARPID || (which >= MASK_EQ && which <= MASK_GT);
    if (!by_lane && which > TID_Z) {
        emu_row_set_uniform(b, d, uniform_value(b, which));
        return pc + 1;
    }
    /* A one-dimensional block, which is nearly every block: %tid.x is base 0 step 1, the others are
     * 0. */
    if (which <= TID_Z && b->is_line && b->scalar) {
        d->base = 0;
        d->step = which == TID_X;
        d->tag = which == TID_X ? EMU_TAG_AFFINE : EMU_TAG_UNIFORM;
        /* Without affine tracking the row is filled from the formula. */
        if (which == TID_X && b->optimise < 2) {
            emu_row_fill(b, d);
            d->tag = EMU_TAG_LANES;
        }
        return pc + 1;
    }
    uint32_t *to = emu_row_write(b, d, 0);
    if (by_lane) {
        for (uint32_t i = 0; i < b->n; i++) {
            to[i] = lane_value(which, b->lo + i);
        }
    }
    else {
        memcpy(to, b->tid[which].lanes + 4 * (size_t)b->lo, 4 * (size_t)b->n);
    }
    emu_row_commit(b, d, 0);
    return pc + 1;
}

/* The address of a .local variable or of an argument, within the lane's own local memory. */
int32_t
emu_run_local_address(Block *b, const Instr *in, int32_t pc)
{
    emu_row_set_uniform(b, b->regs + in->op[0], b->frame->local_base + (uint64_t)in->imm);
    return pc + 1;
}

/* alloca d, bytes, align: from the end of local memory, so that the frames of callees stay where
 * calls expect them; a group takes for all its lanes what the greediest wants. stackrestore gives
 * back what no other group may hold, a return gives back everything. */
int32_t
emu_run_stack(Block *b, const Instr *in, int32_t pc)
{
    Frame *frame = b->frame;
    /* The lanes of a group share one frame and thus one `top`. */
    uint64_t most = 0, least = UINT64_MAX;
    for (uint32_t lane = b->lo; in->ns > 0 && lane < b->lo + b->n; lane++) {
        if (emu_lane_active(b, lane)) {
            uint64_t v = emu_row_lane(b, b->regs + in->op[in->nd], lane);
            most = v > most ? v : most;
            least = v < least ? v : least;
        }
    }
    /* stackrestore, of a value that stacksave or alloca gave. With other groups in the frame
     * nothing is given back. */
    if (in->nd == 0) {
        if (frame->users == 1 && least <= b->local_bytes && b->local_bytes - most <= frame->top) {
            frame->top = b->local_bytes - least;
        }
        return pc + 1;
    }
    /* alloca; stacksave has neither argument and only reads the top. */
    if (in->ns > 0) {
        uint64_t low = frame->local_base + frame->function->local_bytes;
        uint64_t left = b->local_bytes - frame->top, align = (uint64_t)in->imm;
        /* Rounding down keeps the address aligned, since the area grows downwards. */
        uint64_t at = most <= left ? (left - most) / align * align : 0;
        if (most > left || at < low ||
            frame->stack + (b->local_bytes - at) > b->launch->stack_bytes) {
            return emu_fault(b, in, (FaultWhat){EMU_FAULT_STACK_OVERFLOW, 700, (int)b->lo, 0},
                             "stack overflow: alloca of %llu bytes, of %zu bytes per thread "
                             "(CU_LIMIT_STACK_SIZE)",
                             (unsigned long long)most, b->launch->stack_bytes);
        }
        frame->top = b->local_bytes - at;
    }
    emu_row_set_uniform(b, b->regs + in->op[0], b->local_bytes - frame->top);
    return pc + 1;
}

/* Dynamic shared memory starts at the same place in every block of a launch. */
int32_t
emu_run_dynamic_address(Block *b, const Instr *in, int32_t pc)
{
    emu_row_set_uniform(b, b->regs + in->op[0], b->dynamic_base + (uint64_t)in->imm);
    return pc + 1;
}

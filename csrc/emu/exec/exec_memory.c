/* Loads, stores and atomics: turns the address row into host addresses that were checked (bounds,
 * alignment, read-only), then moves lanes. A group whose addresses are uniform or affine costs one
 * check; otherwise the extremes of the addresses are compared with one live span, and only when
 * lanes fall into several spans each lane is looked at.
 *
 * All functions run on the worker that owns the block. Plain accesses of lanes are plain accesses
 * of the host, which may race with other workers exactly where the program's blocks race; volatile
 * and ordered ones are relaxed atomics, and atomics go through exec_atom.c. Every access passes a
 * check before memory is touched, and the observer is told after the check and before the change.
 */
#include "emu/exec/block.h"

#include <stdio.h>
#include <string.h>

typedef enum { SPAN_ONE, SPAN_STEP, SPAN_EACH } SpanForm;

/* Host addresses of the group's lanes, first lane first. EACH: every one of the n is safe to read,
 * lanes that are not active repeat an active one's address. */
typedef struct {
    SpanForm form;
    unsigned char *base;
    int64_t step;
    const uint64_t *each;
} Span;

static const char *
access_name(const Instr *in)
{
    return in->run == emu_run_store  ? "store to"
           : in->run == emu_run_atom ? "atomic on"
                                     : "load from";
}

/* Windows are laid out in the order shared, local, parameters, code; whatever lies outside is
 * global. Constants are global memory on this device. */
static EmuSpace
space_of_window(uint64_t address)
{
    if (address < EMU_SHARED_WINDOW || address >= EMU_CODE_WINDOW) {
        return EMU_SPACE_GLOBAL;
    }
    return address >= EMU_PARAM_WINDOW   ? EMU_SPACE_PARAM
           : address >= EMU_LOCAL_WINDOW ? EMU_SPACE_LOCAL
                                         : EMU_SPACE_SHARED;
}

/* What is subtracted from a generic address to get the address inside of its space (cvta.to in
 * PTX). */
static uint64_t
window_of(EmuSpace space)
{
    return space == EMU_SPACE_PARAM    ? EMU_PARAM_WINDOW
           : space == EMU_SPACE_LOCAL  ? EMU_LOCAL_WINDOW
           : space == EMU_SPACE_SHARED ? EMU_SHARED_WINDOW
                                       : 0;
}

/* The address that a register, extended to 64 bits, and an offset add up to (emu_space_wraps). All
 * that touches memory comes through here. Constants lie in global memory on this device: what wraps
 * is their offset in the bank. */
static uint64_t
effective(const Block *b, EmuSpace space, uint64_t sum)
{
    const EmuModule *m = b->launch->module;
    if (!emu_space_wraps(space)) {
        return sum;
    }
    uint64_t origin = space == EMU_SPACE_CONST ? m->storage_const : 0;
    return origin + (uint32_t)(sum - origin);
}

/* Is what lies from low to below high inside one live span? Looks in the cache of this instruction
 * first. A high that went round the end of the address space is not above low. */
static int
is_live(Block *b, int32_t pc, uint64_t low, uint64_t high)
{
    unsigned slot = (unsigned)pc % EMU_CACHES;
    if (low >= high) {
        return 0;
    }
    /* A span covers an allocation, so accesses of one instruction nearly always hit, and the lookup
     * in the driver's table is rare. Entries stay valid for the launch: memory that it may reach is
     * freed behind it. */
    if (low >= b->cache[slot].lo && high <= b->cache[slot].hi) {
        return 1;
    }
    uint64_t lo, hi;
    if (!emu_memory_find(b->launch->spec->memory, b->launch->spec->moment, low, &lo, &hi)) {
        return 0;
    }
    b->cache[slot].lo = lo;
    b->cache[slot].hi = hi;
    return high <= hi;
}

/* Whether [low, high) touches the module's constants, which a kernel may only read. */
static int
is_read_only(const Block *b, uint64_t low, uint64_t high)
{
    const EmuModule *m = b->launch->module;
    return m->const_bytes != 0 && low < m->storage_const + m->const_bytes &&
           high > m->storage_const;
}

/* The first byte behind a private or shared area, as seen by the program. */
static uint64_t
area_end(const Block *b, const Instr *in, EmuSpace space)
{
    switch (space) {
    case EMU_SPACE_SHARED:
        return b->shared_bytes;
    case EMU_SPACE_LOCAL:
        /* Accesses without an address register (target < 0) were placed by the decoder, also those
         * of arguments that the callee's frame will hold; the whole local area bounds them. */
        return in->target < 0 ? b->local_bytes
                              : b->frame->local_base + b->frame->function->local_bytes;
    default:
        return b->launch->params_bytes;
    }
}

/* The fault of one access, with the sentence that helps most for its space. Alignment is judged
 * first, as on a GPU, where it is an error of its own (716). */
static int32_t
report(Block *b, const Instr *in, EmuSpace space, int lane, uint64_t address, unsigned bytes)
{
    char where[400] = "";
    if (address % bytes != 0) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_MISALIGNED, 716, lane, address},
                         "misaligned %u-byte %s address 0x%llx", bytes, access_name(in),
                         (unsigned long long)address);
    }
    if (space == EMU_SPACE_SHARED && b->cluster != NULL && address >> EMU_CLUSTER_SHIFT != 0 &&
        address >> EMU_CLUSTER_SHIFT <= EMU_CLUSTER) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_SHARED_BOUNDS, 700, lane, address},
                         "%u-byte %s shared address 0x%llx of block %llu of the cluster, which has "
                         "ended or has less",
                         bytes, access_name(in),
                         (unsigned long long)(address & ((1u << EMU_CLUSTER_SHIFT) - 1)),
                         (unsigned long long)(address >> EMU_CLUSTER_SHIFT) - 1);
    }
    if (space == EMU_SPACE_SHARED) {
        /* a block alone is its cluster's rank 0 */
        address -=
            b->cluster == NULL && address >> EMU_CLUSTER_SHIFT == 1 ? 1u << EMU_CLUSTER_SHIFT : 0;
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_SHARED_BOUNDS, 700, lane, address},
                         "%u-byte %s shared address 0x%llx, beyond the block's %zu bytes (%zu "
                         "static, %zu dynamic)",
                         bytes, access_name(in), (unsigned long long)address, b->shared_bytes,
                         b->launch->entry->shared_bytes, b->launch->spec->shared_bytes);
    }
    if (space == EMU_SPACE_LOCAL) {
        if (in->target < 0) {
            return emu_fault(b, in, (FaultWhat){EMU_FAULT_STACK_OVERFLOW, 700, lane, address},
                             "stack overflow: %zu bytes per thread", b->local_bytes);
        }
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_LOCAL_BOUNDS, 700, lane, address},
                         "%u-byte %s local address 0x%llx, beyond the frame's end at 0x%llx", bytes,
                         access_name(in), (unsigned long long)address,
                         (unsigned long long)area_end(b, in, space));
    }
    if (space == EMU_SPACE_PARAM) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_OUT_OF_BOUNDS, 700, lane, address},
                         "%u-byte %s parameter offset %llu, beyond the %zu bytes of parameters",
                         bytes, access_name(in), (unsigned long long)address,
                         b->launch->params_bytes);
    }
    if (space == EMU_SPACE_CONST) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_OUT_OF_BOUNDS, 700, lane, address},
                         "%u-byte %s constant address 0x%llx, outside the module's %zu bytes",
                         bytes, access_name(in), (unsigned long long)address,
                         b->launch->module->const_bytes);
    }
    emu_memory_describe(b->launch->spec->memory, address, where, sizeof where);
    return emu_fault(b, in, (FaultWhat){EMU_FAULT_OUT_OF_BOUNDS, 700, lane, address},
                     "%u-byte %s address 0x%llx, which is not allocated device memory (%s)", bytes,
                     access_name(in), (unsigned long long)address, where);
}

/* Checks one address range; 0 or the fault. `host` receives the host address of `low` for lane 0.
 * Alignment is not looked at here. High is one past the last byte, and a range that wraps is
 * refused by low < high. */
static int32_t
check(Block *b, const Instr *in, int32_t pc, EmuSpace space, uint64_t low, uint64_t high)
{
    if (space == EMU_SPACE_LOCAL && low < high && high <= b->local_bytes &&
        /* The frame's own part at the end of local memory, beyond what the function declared. */
        low >= b->local_bytes - b->frame->top) {
        return 0; /* from alloca */
    }
    if (space == EMU_SPACE_SHARED || space == EMU_SPACE_LOCAL || space == EMU_SPACE_PARAM) {
        return low < high && high <= area_end(b, in, space) ? 0 : -1;
    }
    if (space == EMU_SPACE_CONST) {
        uint64_t origin = b->launch->module->storage_const;
        return low < high && low >= origin && high <= origin + b->launch->module->const_bytes ? 0
                                                                                              : -1;
    }
    return is_live(b, pc, low, high) ? 0 : -1;
}

/* The same for one lane, whose shared address may be another block's of the cluster. */
static int32_t
check_lane(Block *b, const Instr *in, int32_t pc, EmuSpace space, uint64_t at, uint64_t bytes)
{
    /* Rank 0 is the block itself: addresses below the first window of the cluster. */
    uint64_t rank = at >> EMU_CLUSTER_SHIFT;
    if (space == EMU_SPACE_SHARED && rank != 0) {
        const Block *peer = emu_cluster_peer(b, rank - 1);
        uint64_t inside = at & ((1u << EMU_CLUSTER_SHIFT) - 1);
        return peer != NULL && inside + bytes <= peer->shared_bytes ? 0 : -1;
    }
    return check(b, in, pc, space, at, at + bytes);
}

/* The host's address behind an address that was checked; a peer of the cluster is known to live. */
static unsigned char *
host_of(Block *b, EmuSpace space, uint64_t address, uint32_t lane)
{
    switch (space) {
    case EMU_SPACE_SHARED: {
        uint64_t rank = address >> EMU_CLUSTER_SHIFT;
        return rank == 0 ? b->shared + address
                         : emu_cluster_peer(b, rank - 1)->shared +
                               (address & ((1u << EMU_CLUSTER_SHIFT) - 1));
    }
    case EMU_SPACE_LOCAL:
        /* Local memory is one area per lane, side by side, so an address common to all lanes is a
         * line of stride local_bytes. */
        return b->local + (size_t)lane * b->local_bytes + address;
    case EMU_SPACE_PARAM:
        return (unsigned char *)(uintptr_t)b->launch->params + address;
    default:
        return (unsigned char *)(uintptr_t)address;
    }
}

/* Everything but a load counts as a store here, atomics and copies included. */
static int
forbids_store(const Block *b, const Instr *in, EmuSpace space, uint64_t low, uint64_t high)
{
    if (in->run == emu_run_load || in->run == emu_run_load_param) {
        return 0;
    }
    return space == EMU_SPACE_PARAM ||
           ((space == EMU_SPACE_GLOBAL || space == EMU_SPACE_CONST || space == EMU_SPACE_GENERIC) &&
            is_read_only(b, low, high));
}

static int32_t
read_only(Block *b, const Instr *in, int lane, uint64_t address)
{
    return emu_fault(b, in, (FaultWhat){EMU_FAULT_READ_ONLY, 700, lane, address},
                     "%s address 0x%llx, which is constant", access_name(in),
                     (unsigned long long)address);
}

/* Every lane on its own: mixed windows, several spans, or a fault to be found. */
static int32_t
resolve_lanes(Block *b, const Instr *in, int32_t pc, const uint64_t *address, unsigned bytes,
              Span *span)
{
    /* Inactive lanes get the address of an active one. Loads then need no mask: what they bring
     * for those lanes is blended away. */
    uint64_t safe = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (!b->dense && !emu_lane_active(b, b->lo + i)) {
            continue;
        }
        uint64_t v = effective(b, (EmuSpace)in->space, address[i]);
        EmuSpace space = in->space == EMU_SPACE_GENERIC ? space_of_window(v) : in->space;
        /* The window's start is a multiple of every access size, so alignment can be judged behind
         * the subtraction. */
        v -= in->space == EMU_SPACE_GENERIC ? window_of(space) : 0;
        if (v % bytes != 0 || check_lane(b, in, pc, space, v, bytes) != 0) {
            return report(b, in, space, (int)(b->lo + i), v, bytes);
        }
        if (forbids_store(b, in, space, v, v + bytes)) {
            return read_only(b, in, (int)(b->lo + i), v);
        }
        b->address[i] = (uint64_t)(uintptr_t)host_of(b, space, v, b->lo + i);
        safe = b->address[i];
    }
    for (uint32_t i = 0; i < b->n && !b->dense; i++) {
        /* Nothing is stored through the repeated addresses: stores have a mask. */
        if (!emu_lane_active(b, b->lo + i)) {
            b->address[i] = safe;
        }
    }
    span->form = SPAN_EACH;
    span->each = b->address;
    return 0;
}

/* Every lane has an address of its own. Three passes over the row at most: widen, find the
 * extremes, add the host's base. */
static int32_t
resolve_each(Block *b, const Instr *in, int32_t pc, Reg *r, unsigned bytes, Span *span)
{
    const MemoryLanes *lanes = b->loops;
    uint64_t *address = (uint64_t *)(void *)b->scratch[EMU_OPERANDS - 1];
    uint64_t low, high, bits;
    const void *row = emu_row_read(b, r);
    uint64_t add = (uint64_t)in->imm;
    /* A 32-bit register: in windowed spaces the offset is added modulo 2^32, in the others after
     * widening. */
    if (r->shift == 2) {
        int wraps = emu_space_wraps((EmuSpace)in->space);
        lanes->widen(address, row, wraps ? (uint32_t)add : 0, b->n);
        row = address;
        add = wraps ? 0 : add;
    }
    if (add != 0) {
        lanes->scale(address, row, add, 0, b->n);
        row = address;
    }
    /* One pass gives lowest, highest and the OR of all addresses. If the whole range lies in one
     * span and the OR has no bit below the alignment, every lane is good and none is looked at
     * alone. A bit that is set in any address below the access size makes some lane misaligned. */
    if (b->dense) {
        lanes->range(row, b->n, &low, &high, &bits);
    }
    else {
        lanes->range_mask(row, emu_group_mask(b), b->n, &low, &high, &bits);
    }
    EmuSpace space = in->space;
    if (space == EMU_SPACE_GENERIC) {
        /* The ends decide. Global memory lies on both sides of the windows, but no live span
         * reaches across them. */
        space = space_of_window(low);
        if (space_of_window(high) != space) {
            return resolve_lanes(b, in, pc, row, bytes, span);
        }
    }
    uint64_t window = in->space == EMU_SPACE_GENERIC ? window_of(space) : 0;
    low -= window;
    high += bytes - window;
    /* The quick test may refuse good accesses (two spans, a hole between lanes); lane by lane
     * decides, and names the lane at fault. */
    if (bits % bytes != 0 || check(b, in, pc, space, low, high) != 0 ||
        forbids_store(b, in, space, low, high)) {
        return resolve_lanes(b, in, pc, row, bytes, span);
    }
    /* Device addresses of global memory are host addresses (delta 0). In local memory each lane
     * has an area of its own, hence the stride. */
    uint64_t delta = (uint64_t)(uintptr_t)host_of(b, space, 0, b->lo) - window;
    uint64_t stride = space == EMU_SPACE_LOCAL ? b->local_bytes : 0;
    if (delta != 0 || stride != 0) {
        lanes->scale(b->address, row, delta, stride, b->n);
        row = b->address;
    }
    if (!b->dense) {
        const uint8_t *mask = emu_group_mask(b);
        uint64_t safe = ((const uint64_t *)row)[0]; /* the first lane of a group is active */
        const uint64_t *from = row;
        for (uint32_t i = 0; i < b->n; i++) {
            b->address[i] = mask[i] ? from[i] : safe;
        }
        row = b->address;
    }
    else if (in->count > 1 && row != b->address) {
        /* the first element may be loaded into the address row itself */
        lanes->scale(b->address, row, 0, 0, b->n);
        row = b->address;
    }
    span->form = SPAN_EACH;
    span->each = row;
    return 0;
}

/* Uniform or affine addresses: the two ends stand for all lanes, so the check costs the same for
 * one lane and for a thousand. */
static int32_t
resolve_line(Block *b, const Instr *in, int32_t pc, Reg *r, unsigned bytes, Span *span)
{
    int64_t step = r->tag & EMU_TAG_UNIFORM ? 0 : r->step;
    uint64_t base = r->base;
    if (r->shift == 2) {
        /* An affine row of 32 bits may wrap within the lanes; then it is a line only in spaces
         * that wrap as well. */
        base = (uint32_t)base;
        if (step != 0 && !emu_space_wraps((EmuSpace)in->space) &&
            ((int64_t)base + step * (int64_t)(b->width - 1) < 0 ||
             (int64_t)base + step * (int64_t)(b->width - 1) > UINT32_MAX)) {
            return resolve_each(b, in, pc, r, bytes, span);
        }
    }
    uint64_t first = effective(b, (EmuSpace)in->space,
                               base + (uint64_t)in->imm + (uint64_t)(step * (int64_t)b->lo));
    /* The ends of the line bound all lanes, active or not. A line that fails because of inactive
     * lanes is looked at lane by lane. */
    uint64_t last = first + (uint64_t)(step * (int64_t)(b->n - 1));
    uint64_t low = step < 0 ? last : first, high = step < 0 ? first : last;
    EmuSpace space = in->space;
    if (space == EMU_SPACE_GENERIC) {
        space = space_of_window(low);
        if (space_of_window(high) != space) {
            return resolve_each(b, in, pc, r, bytes, span);
        }
        uint64_t window = window_of(space);
        /* The line is refused as a whole when it touches constants or a hole; resolve_each then
         * sees the active lanes alone. */
        low -= window;
        high -= window;
        first -= window;
    }
    if ((first | (uint64_t)step) % bytes != 0 || check(b, in, pc, space, low, high + bytes) != 0 ||
        forbids_store(b, in, space, low, high + bytes)) {
        return resolve_each(b, in, pc, r, bytes, span);
    }
    span->base = host_of(b, space, first, b->lo);
    /* In local memory each lane adds its own area to the step of the address. */
    span->step = step + (space == EMU_SPACE_LOCAL ? (int64_t)b->local_bytes : 0);
    span->form = span->step == 0 ? SPAN_ONE : SPAN_STEP;
    return 0;
}

/* Chooses the cheapest of the three ways by the tag of the address register. */
static int32_t
locate(Block *b, const Instr *in, int32_t pc, unsigned bytes, Span *span)
{
    /* No register: a parameter or a local variable at a fixed place of the frame. */
    if (in->target < 0) {
        uint64_t at = b->frame->local_base + (uint64_t)in->imm;
        if (at > b->local_bytes || bytes > b->local_bytes - at) {
            return report(b, in, EMU_SPACE_LOCAL, (int)b->lo, at, 1);
        }
        if (at % bytes != 0) {
            return report(b, in, EMU_SPACE_LOCAL, (int)b->lo, at, bytes);
        }
        span->base = host_of(b, EMU_SPACE_LOCAL, at, b->lo);
        span->step = (int64_t)b->local_bytes;
        span->form = SPAN_STEP;
        return 0;
    }
    Reg *r = b->regs + in->op[in->target];
    return r->tag & (EMU_TAG_UNIFORM | EMU_TAG_AFFINE) ? resolve_line(b, in, pc, r, bytes, span)
                                                       : resolve_each(b, in, pc, r, bytes, span);
}

/* Describes the access to the observer, in host addresses. */
static int32_t
watch(Block *b, const Instr *in, unsigned bytes, const Span *span)
{
    Access access = {
        .in = in,
        .kind = in->run == emu_run_store  ? ACCESS_WRITE
                : in->run == emu_run_atom ? ACCESS_ATOMIC
                                          : ACCESS_READ,
        .bytes = bytes,
        .only = -1,
    };
    if (span->form == SPAN_EACH) {
        access.each = span->each;
    }
    else {
        access.base = span->base;
        access.step = span->form == SPAN_ONE ? 0 : span->step;
    }
    return emu_observer(b)->access(b, &access);
}

/* Where the group's lanes reach; everything that touches memory comes through here. */
static int32_t
resolve(Block *b, const Instr *in, int32_t pc, unsigned bytes, Span *span)
{
    int32_t fault = locate(b, in, pc, bytes, span);
    return fault != 0 || __builtin_expect(b->watch == NULL, 1) ? fault : watch(b, in, bytes, span);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* A word that others may be writing. Relaxed: only tearing is ruled out. Order comes from fences
 * and barriers, as in PTX's memory model. */
static uint64_t
read_shared(const void *at, size_t bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)at, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t *)at, __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED);
    }
}

static uint64_t
load_one(const unsigned char *from, unsigned size, int is_signed)
{
    /* One load for all lanes: they read one word and must see one value. */
    uint64_t v = read_shared(from, (size_t)1 << size);
    if (is_signed && size < 3) {
        unsigned up = 64 - (8u << size);
        v = (uint64_t)((int64_t)(v << up) >> up);
    }
    return v;
}

/* Whether other threads may read or write the words meanwhile: those are not torn. */
static int
is_strong(const Instr *in)
{
    return (in->flags & (EMU_FLAG_POLL | EMU_FLAG_RELEASE)) != 0;
}

static unsigned char *
lane_address(const Span *span, uint32_t i)
{
    return span->form == SPAN_EACH ? (unsigned char *)(uintptr_t)span->each[i]
                                   : span->base + (int64_t)i * span->step;
}

static void
load_lanes(const Block *b, const Instr *in, const Span *span, unsigned char *row, unsigned shift,
           unsigned at)
{
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t v = load_one(lane_address(span, i) + at, in->size, in->flags & EMU_FLAG_SIGNED);
        memcpy(row + ((size_t)i << shift), &v, (size_t)1 << shift);
    }
}

/* A loop that goes through an array in strides of the whole grid leaves a processor's own
 * prefetching behind: what it will read in the next round but one is asked for now. */
static void
look_ahead(Block *b, int32_t pc, const unsigned char *base, size_t bytes)
{
    unsigned slot = (unsigned)pc % EMU_CACHES;
    uint64_t at = (uint64_t)(uintptr_t)base, stride = at - b->cache[slot].last;
    uint64_t from = at + 2 * stride;
    b->cache[slot].last = at;
    /* Strides between -bytes and bytes (one unsigned comparison) the processor prefetches itself;
     * beyond the live span nothing may be asked for. */
    if (stride + bytes <= 2 * bytes || from < b->cache[slot].lo ||
        from + bytes > b->cache[slot].hi) {
        return;
    }
    for (size_t k = 0; k < bytes; k += 64) {
        __builtin_prefetch((const void *)(uintptr_t)(from + k));
    }
}

int32_t
emu_run_load(Block *b, const Instr *in, int32_t pc)
{
    const MemoryLanes *lanes = b->loops;
    Span span;
    int is_signed = in->flags & EMU_FLAG_SIGNED;
    unsigned unit = 1u << in->size;
    if (resolve(b, in, pc, unit * in->count, &span) != 0) {
        return EMU_EVENT_FAULT;
    }
    /* A load that others may answer: a loop around it is charged as waiting (emu_group_backward).
     */
    b->polled |= in->flags & EMU_FLAG_POLL;
    for (unsigned k = 0; k < in->count; k++) {
        Reg *d = b->regs + in->op[k];
        unsigned at = k << in->size;
        if (span.form == SPAN_ONE) {
            /* All lanes read one place, so the result stays uniform and the row is not filled. */
            emu_row_set_uniform(b, d, load_one(span.base + at, in->size, is_signed));
            continue;
        }
        void *to = emu_row_write(b, d, (int)k);
        if (is_strong(in)) {
            load_lanes(b, in, &span, to, d->shift, at);
        }
        else if (span.form == SPAN_EACH) {
            lanes->load_each[in->size][is_signed][d->shift](to, span.each, at, b->n);
        }
        else if (span.step == (int64_t)unit) {
            /* The contiguous case, one vector loop; `at` is 0 there, since the elements of a vector
             * access make the step larger than one element. */
            look_ahead(b, pc, span.base, (size_t)unit * b->n);
            lanes->load_line[in->size][is_signed][d->shift](to, span.base, b->n);
        }
        else {
            lanes->load_step[in->size][is_signed][d->shift](to, span.base + at, span.step, b->n);
        }
    }
    /* the rows become visible together: a destination may be the address row of the next part */
    for (unsigned k = 0; k < in->count && span.form != SPAN_ONE; k++) {
        emu_row_commit(b, b->regs + in->op[k], (int)k);
    }
    return pc + 1;
}

/* 1 when all lanes at work have the same value: a register that was set on one side of a branch. */
static int
common_value(Block *b, Reg *r, uint64_t *value)
{
    int found = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (!emu_lane_active(b, b->lo + i)) {
            continue;
        }
        uint64_t v = emu_row_lane(b, r, b->lo + i);
        if (found && v != *value) {
            return 0;
        }
        *value = v;
        found = 1;
    }
    return found;
}

/* ld.param of an entry: the launch's parameter buffer is the same for all threads, so the result is
 * uniform. Addresses that really differ between lanes go the general way. */
int32_t
emu_run_load_param(Block *b, const Instr *in, int32_t pc)
{
    uint64_t at = (uint64_t)in->imm;
    unsigned unit = 1u << in->size;
    if (in->target >= 0) {
        Reg *r = b->regs + in->op[in->target];
        uint64_t base = r->base;
        if (!(r->tag & EMU_TAG_UNIFORM) && !common_value(b, r, &base)) {
            return emu_run_load(b, in, pc);
        }
        at = effective(b, EMU_SPACE_PARAM, base + at);
    }
    size_t end = b->launch->params_bytes;
    if (at > end || (size_t)unit * in->count > end - at) {
        return report(b, in, EMU_SPACE_PARAM, (int)b->lo, at, 1);
    }
    for (unsigned k = 0; k < in->count; k++) {
        emu_row_set_uniform(
            b, b->regs + in->op[k],
            load_one(b->launch->params + at + k * unit, in->size, in->flags & EMU_FLAG_SIGNED));
    }
    return pc + 1;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* As read_shared. */
static void
write_shared(void *to, size_t bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        __atomic_store_n((uint8_t *)to, (uint8_t)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t *)to, (uint16_t)value, __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((uint32_t *)to, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((uint64_t *)to, value, __ATOMIC_RELAXED);
    }
}

/* Stores of a group with gaps too: lanes outside must not be written, not even with their old
 * value, since another thread may be writing there. */
static void
store_lanes(Block *b, const Instr *in, const Span *span, const unsigned char *row, unsigned shift,
            unsigned at)
{
    size_t unit = (size_t)1 << in->size;
    for (uint32_t i = 0; i < b->n; i++) {
        if (emu_lane_active(b, b->lo + i)) {
            uint64_t value = 0;
            memcpy(&value, row + ((size_t)i << shift), unit);
            write_shared(lane_address(span, i) + at, unit, value);
        }
    }
}

/* All lanes write one place: one of them wins, here the last. PTX leaves open which of several
 * threads writing one address wins; the highest lane is as good as any. */
static void
store_one(Block *b, const Instr *in, const Span *span, Reg *s, unsigned at)
{
    write_shared(span->base + at, (size_t)1 << in->size, emu_row_lane(b, s, b->lo + b->n - 1));
}

int32_t
emu_run_store(Block *b, const Instr *in, int32_t pc)
{
    const MemoryLanes *lanes = b->loops;
    Span span;
    unsigned unit = 1u << in->size;
    if (resolve(b, in, pc, unit * in->count, &span) != 0) {
        return EMU_EVENT_FAULT;
    }
    /* A store counts as progress for the watchdog whether or not the value changes. */
    b->progress_count++;
    for (unsigned k = 0; k < in->count; k++) {
        Reg *s = b->regs + in->op[k];
        unsigned at = k << in->size;
        if (span.form == SPAN_ONE) {
            store_one(b, in, &span, s, at);
            continue;
        }
        unsigned char *row = emu_row_read(b, s);
        if (!b->dense || is_strong(in)) {
            store_lanes(b, in, &span, row, s->shift, at);
        }
        else if (span.form == SPAN_EACH) {
            lanes->store_each[in->size][s->shift](row, span.each, at, b->n);
        }
        else if (span.step == (int64_t)unit) {
            lanes->store_line[in->size][s->shift](row, span.base, b->n);
        }
        else {
            lanes->store_step[in->size][s->shift](row, span.base + at, span.step, b->n);
        }
    }
    return pc + 1;
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Counting in shared memory, which histograms and sorts do for every element. Plain additions: the
 * shared memory of a block without a cluster belongs to this worker alone. */
static int32_t
add_words(Block *b, const Instr *in, int32_t pc, const Span *span)
{
    Reg *d = b->regs + in->op[0];
    const uint32_t *value = emu_row_read(b, b->regs + in->op[1]);
    uint32_t *old = (uint32_t *)(void *)b->scratch[EMU_OPERANDS - 2], changed = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->dense || emu_lane_active(b, b->lo + i)) {
            uint32_t *at = span->form == SPAN_EACH
                               ? (uint32_t *)(uintptr_t)span->each[i]
                               : (uint32_t *)(void *)(span->base + (int64_t)i * span->step);
            /* Lanes of a warp that hit the same word are served in the order of lanes, each seeing
             * the sum of those before. */
            old[i] = *at;
            *at += value[i];
            changed |= value[i];
        }
    }
    /* An atomic that leaves memory as it was (a lock that is taken) is no progress. */
    b->progress_count += changed != 0;
    b->polled |= in->flags & EMU_FLAG_POLL;
    if (in->flags & EMU_FLAG_VALUE) {
        memcpy(emu_row_write(b, d, 0), old, (size_t)b->n * 4);
        emu_row_commit(b, d, 0);
    }
    return pc + 1;
}

/* atom and red. Lanes are executed one after the other, which is one of the orders that PTX allows.
 */
int32_t
emu_run_atom(Block *b, const Instr *in, int32_t pc)
{
    Span span;
    EmuAtomFn fn = (EmuAtomFn)(uintptr_t)in->ptr;
    if (resolve(b, in, pc, 1u << in->size, &span) != 0) {
        return EMU_EVENT_FAULT;
    }
    Reg *d = b->regs + in->op[0], *rb = b->regs + in->op[1], *rc = b->regs + in->op[2];
    /* Counting is by far the commonest atomic of sorts and histograms. */
    if (in->space == EMU_SPACE_SHARED && emu_atom_adds_words(fn) && rb->shift == 2 &&
        d->shift == 2 && b->cluster == NULL) {
        return add_words(b, in, pc, &span);
    }
    const unsigned char *pb = emu_row_read(b, rb), *pc_ = emu_row_read(b, rc);
    /* Other workers, or launches of other streams, may be at the same place. */
    int locked = in->space != EMU_SPACE_SHARED ? EMU_ATOM_LOCKED : 0;
    unsigned char *old = b->scratch[EMU_OPERANDS - 2];
    uint64_t changed = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (!b->dense && !emu_lane_active(b, b->lo + i)) {
            continue;
        }
        void *at = span.form == SPAN_EACH ? (void *)(uintptr_t)span.each[i]
                                          : (void *)(span.base + (int64_t)i * span.step);
        uint64_t vb = emu_get_bits(pb + ((size_t)i << rb->shift), rb->shift);
        uint64_t vc = emu_get_bits(pc_ + ((size_t)i << rc->shift), rc->shift);
        /* Generic addresses may lead into shared memory, where the floating-point rules differ
         * (exec_atom.c). */
        int near =
            (unsigned char *)at >= b->shared && (unsigned char *)at < b->shared + b->shared_bytes;
        uint64_t was = fn(at, vb, vc, locked | (near ? EMU_ATOM_SHARED : 0));
        changed |= was ^ read_shared(at, (size_t)1 << in->size);
        emu_put_bits(old + ((size_t)i << d->shift), d->shift, was);
    }
    b->progress_count += changed != 0;
    b->polled |= in->flags & EMU_FLAG_POLL;
    if (in->flags & EMU_FLAG_VALUE) {
        void *to = emu_row_write(b, d, 0);
        memcpy(to, old, (size_t)b->n << d->shift);
        emu_row_commit(b, d, 0);
    }
    return pc + 1;
}

/* 128 bits: exchanged or compared under one lock for all, since C has no such atomic. */
int32_t
emu_run_atom_pair(Block *b, const Instr *in, int32_t pc)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    /* A row holds eight bytes a lane, and one value has sixteen: the last two scratch rows are
     * adjacent in the arena. */
    uint64_t (*old)[2] = (void *)b->scratch[EMU_OPERANDS - 2]; /* two rows, side by side */
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t lane = b->lo + i;
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        uint64_t v[2], w[2];
        for (unsigned k = 0; k < 2; k++) {
            v[k] = emu_row_lane(b, b->regs + in->op[2 + k], lane);
            w[k] = emu_row_lane(b, b->regs + in->op[4 + k], lane);
        }
        uint64_t at = emu_row_lane(b, b->regs + in->op[in->target], lane) + (uint64_t)in->imm;
        unsigned char *host = emu_memory_lane(b, in, pc,
                                              (EmuLaneAccess){.space = in->space,
                                                              .address = at,
                                                              .lane = lane,
                                                              .bytes = 16,
                                                              .kind = ACCESS_ATOMIC});
        if (host == NULL) {
            return EMU_EVENT_FAULT;
        }
        /* The lock orders these against each other; an atomic of fewer bytes on the same place does
         * not take it. */
        pthread_mutex_lock(&lock);
        memcpy(old[i], host, 16);
        if (!(in->flags & EMU_FLAG_VALUE)) {
            memcpy(host, v, 16);
        }
        else if (memcmp(old[i], v, 16) == 0) {
            memcpy(host, w, 16);
        }
        pthread_mutex_unlock(&lock);
    }
    b->progress_count++;
    /* The instruction always counts as polling: 128-bit compare-and-swap is used for locks. */
    b->polled |= EMU_FLAG_POLL;
    for (unsigned k = 0; k < 2; k++) {
        Reg *d = b->regs + in->op[k];
        uint64_t *to = emu_row_write(b, d, (int)k);
        for (uint32_t i = 0; i < b->n; i++) {
            to[i] = old[i][k];
        }
        emu_row_commit(b, d, (int)k);
    }
    return pc + 1;
}

/* ---- spaces ---------------------------------------------------------------------------------- */

/* isspacep: whether a generic address lies in the window of a space. */
int32_t
emu_run_isspacep(Block *b, const Instr *in, int32_t pc)
{
    Reg *d = b->regs + in->op[0], *a = b->regs + in->op[1];
    const EmuModule *m = b->launch->module;
    uint64_t lo = 0, hi = 0;
    int outside = 0; /* true outside [lo, hi) */
    switch (in->space) {
    case EMU_SPACE_SHARED:
    case EMU_SPACE_LOCAL:
    case EMU_SPACE_PARAM:
        lo = window_of(in->space);
        hi = lo + EMU_WINDOW_BYTES;
        break;
    case EMU_SPACE_CONST:
        lo = m->storage_const;
        hi = lo + m->const_bytes;
        break;
    default:
        lo = EMU_SHARED_WINDOW;
        hi = EMU_CODE_WINDOW;
        outside = 1;
    }
    const uint64_t *v = emu_row_read(b, a);
    uint8_t *to = emu_row_write(b, d, 0);
    /* isspacep.shared without ::cluster is true for the block's own window alone (PTX ISA,
     * isspacep). */
    int own = in->space == EMU_SPACE_SHARED && !(in->flags & EMU_FLAG_CLUSTER);
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t rank = own ? (v[i] - lo) >> EMU_CLUSTER_SHIFT : 0;
        to[i] =
            (uint8_t)((v[i] >= lo && v[i] < hi && (rank == 0 || rank == b->rank + 1)) ^ outside);
    }
    emu_row_commit(b, d, 0);
    return pc + 1;
}

/* One lane's access for instructions that are executed lane by lane: atomics of 128 bits,
 * mbarriers, copies, matrices. */
unsigned char *
emu_memory_lane(Block *b, const Instr *in, int32_t pc, EmuLaneAccess a)
{
    EmuSpace space = a.space == EMU_SPACE_GENERIC ? space_of_window(a.address) : a.space;
    uint64_t v = a.space == EMU_SPACE_GENERIC ? a.address - window_of(space)
                                              : effective(b, space, a.address);
    unsigned align = a.align != 0 ? a.align : a.bytes;
    if (v % align != 0 || check_lane(b, in, pc, space, v, a.bytes) != 0) {
        report(b, in, space, (int)a.lane, v, v % align != 0 ? align : a.bytes);
        return NULL;
    }
    if (a.kind > ACCESS_READ &&
        (space == EMU_SPACE_PARAM || (space != EMU_SPACE_SHARED && space != EMU_SPACE_LOCAL &&
                                      is_read_only(b, v, v + a.bytes)))) {
        read_only(b, in, (int)a.lane, v);
        return NULL;
    }
    unsigned char *host = host_of(b, space, v, a.lane);
    Access access = {
        .in = in,
        .kind = a.kind > ACCESS_READ ? a.kind : ACCESS_READ,
        .bytes = a.bytes,
        .base = host,
        .only = (int32_t)(a.lane - b->lo),
        .releases = a.releases,
    };
    return b->watch != NULL && emu_observer(b)->access(b, &access) != 0 ? NULL : host;
}

/* Bytes of one lane's local memory, for printf and the like. */
void
emu_local_copy(Block *b, uint32_t lane, uint64_t offset, void *out, size_t bytes)
{
    memset(out, 0, bytes);
    if (offset <= b->local_bytes && bytes <= b->local_bytes - offset) {
        memcpy(out, host_of(b, EMU_SPACE_LOCAL, offset, lane), bytes);
    }
}

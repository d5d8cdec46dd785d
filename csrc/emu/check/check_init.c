/* Reads of memory that was never written: one bit per byte, set when the memory comes into being
 * and cleared by what writes it. Global memory's bitmaps belong to its spans (memory.c), those
 * of shared and local memory to the block. A read is reported when any byte of it is unwritten; in
 * local memory, where compilers move whole words of partly filled structs, when all are.
 *
 * Compilers read shared and local memory ahead of the test whether the value is wanted, and then
 * select; such a read, whose value only meets a selection, is not reported.
 *
 * Called by check.c on the launch's one worker. Bitmaps of global memory are shared with other
 * launches and with copies of the driver; those of the block are its own.
 */
#include "emu/check/watch.h"

#include <stdlib.h>
#include <string.h>

/* ---- bitmaps --------------------------------------------------------------------------------- */

/* Bits are tested one by one up to a byte boundary, then 64 at a time: whole lines of lanes are
 * asked about at once. */
static int
any_set(const unsigned char *bits, uint64_t from, uint64_t to)
{
    for (; from < to && from % 8 != 0; from++) {
        if ((bits[from / 8] >> (from % 8)) & 1) {
            return 1;
        }
    }
    for (; from + 64 <= to; from += 64) {
        uint64_t word;
        memcpy(&word, bits + from / 8, sizeof word);
        if (word != 0) {
            return 1;
        }
    }
    for (; from < to; from++) {
        if ((bits[from / 8] >> (from % 8)) & 1) {
            return 1;
        }
    }
    return 0;
}

/* For local memory only, whose accesses are a few bytes. */
static int
all_set(const unsigned char *bits, uint64_t from, uint64_t to)
{
    for (; from < to; from++) {
        if (!((bits[from / 8] >> (from % 8)) & 1)) {
            return 0;
        }
    }
    return 1;
}

/* Other launches may clear bits of the same byte. Relaxed is enough: the bits order nothing, and a
 * launch that reads them without being ordered behind the writer is a race of its own. */
static void
clear(unsigned char *bits, uint64_t from, uint64_t to)
{
    while (from < to) {
        /* Whole bytes of the bitmap are written plainly: all eight bytes of memory were written by
         * this launch, and clearing is idempotent. */
        if (from % 8 == 0 && to - from >= 8) {
            memset(bits + from / 8, 0, (to - from) / 8);
            from += (to - from) / 8 * 8;
            continue;
        }
        __atomic_fetch_and(&bits[from / 8], (unsigned char)~(1u << (from % 8)), __ATOMIC_RELAXED);
        from++;
    }
}

/* ---- where the bits of an address are -------------------------------------------------------- */

typedef struct {
    unsigned char *bits; /* NULL: none are kept */
    uint64_t at;         /* bit of the first byte */
    EmuSpace space;
} Place;

/* The launch keeps the last span of global memory it found; the differences are unsigned, so one
 * comparison tests both ends. Addresses are host addresses; which area they fall into tells the
 * space. */
static Place
place_of(Block *b, uint64_t address)
{
    BlockWatch *own = b->watch;
    Watch *watch = b->launch->watch;
    const Block *owner = emu_watch_owner(b, address);
    uint64_t local = (uint64_t)(uintptr_t)b->local;
    uint64_t params = (uint64_t)(uintptr_t)b->launch->params;
    if (owner != NULL) {
        uint64_t at = address - (uint64_t)(uintptr_t)owner->shared;
        return (Place){owner->watch->shared, at, EMU_SPACE_SHARED};
    }
    if (address - local < b->local_bytes * b->width) {
        return (Place){own->local, address - local, EMU_SPACE_LOCAL};
    }
    /* Parameters are always written. */
    if (address - params < b->launch->params_bytes) {
        return (Place){NULL, 0, EMU_SPACE_PARAM};
    }
    if (address < watch->unwritten.lo || address >= watch->unwritten.hi) {
        unsigned char *bits = NULL;
        /* Unknown spans have no bitmap: they count as written. */
        uint64_t lo = 0, hi = 0;
        if (!emu_memory_unwritten(b->launch->spec->memory, address, &lo, &hi, &bits)) {
            return (Place){NULL, 0, EMU_SPACE_GLOBAL};
        }
        watch->unwritten.lo = lo;
        watch->unwritten.hi = hi;
        watch->unwritten.bits = bits;
    }
    return (Place){watch->unwritten.bits, address - watch->unwritten.lo, EMU_SPACE_GLOBAL};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* One bit for each byte of the areas, plus a byte for the rest. */
int
emu_init_take(Block *b)
{
    b->watch->shared_bytes = b->shared_bytes / 8 + 1;
    b->watch->local_bytes = b->local_bytes * b->width / 8 + 1;
    b->watch->shared = malloc(b->watch->shared_bytes);
    b->watch->local = malloc(b->watch->local_bytes);
    return b->watch->shared != NULL && b->watch->local != NULL ? 0 : -1;
}

/* Shared and local memory are reused by the next block, which must not see what the last one
 * wrote. */
void
emu_init_start(Block *b)
{
    memset(b->watch->shared, 0xff, b->watch->shared_bytes);
    memset(b->watch->local, 0xff, b->watch->local_bytes);
}

/* The machine itself has written local memory of a thread: the result of malloc, say. */
void
emu_init_written(Block *b, uint32_t lane, uint64_t at, uint64_t bytes)
{
    uint64_t from = (uint64_t)lane * b->local_bytes + at;
    if (b->watch->local != NULL) {
        clear(b->watch->local, from, from + bytes);
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Instructions looked at behind a load. */
enum { AHEAD = 64 };

/* Whether the instruction may drop one of its operands: a selection, or a logical and/or. Found by
 * the loop that runs, since decoded instructions do not keep their names. */
static int
selects(const Instr *in)
{
    static const char *const keys[] = {"selp.b16",  "selp.b32", "selp.b64",
                                       "selp.pred", "and.pred", "or.pred"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const LaneEntry *entry = emu_lane_find(keys[i]);
        if (entry != NULL && entry->fn == in->fn) {
            return 1;
        }
    }
    return 0;
}

/* Instructions that only compute, and can be followed from row to row. */
static int
is_alu(const Instr *in)
{
    return in->run == emu_run_alu1 || in->run == emu_run_alu2 || in->run == emu_run_alu3 ||
           in->run == emu_run_alu || in->run == emu_run_pack || in->run == emu_run_unpack;
}

/* Follows what is computed from the rows that `in` loads: 1 when the first to use it otherwise than
 * in arithmetic is a selection. */
static int
is_speculative(const Block *b, const Instr *in)
{
    /* Rows that hold the loaded value or something computed from it. */
    const Function *f = b->frame->function;
    uint8_t *held = calloc(f->nregs + f->nconstants + 1, 1);
    int answer = 0;
    for (unsigned k = 0; held != NULL && k < in->nd; k++) {
        held[emu_operands(in)[k]] = 1;
    }
    /* Compilers load ahead of a condition and select afterwards, when the value may not be used at
     * all. A short look along the code recognises it. */
    const Instr *end = f->code + f->ninstrs, *last = in + AHEAD;
    for (const Instr *i = in + 1; held != NULL && i < end && i < last; i++) {
        const EmuRow *op = emu_operands(i);
        int uses = 0;
        for (unsigned k = i->nd; k < (unsigned)i->nd + i->ns; k++) {
            uses |= held[op[k]];
        }
        /* A store, a branch or an address is a use; a selection may drop the value. */
        if (uses && (!is_alu(i) || selects(i))) {
            answer = is_alu(i);
            break;
        }
        /* A row that is written with something else no longer holds the value. */
        for (unsigned k = 0; k < i->nd; k++) {
            held[op[k]] = (uint8_t)uses;
        }
        /* Code behind a jump is not followed; behind a conditional branch the fall-through path is.
         */
        if (i->flow != EMU_FLOW_NEXT && i->flow != EMU_FLOW_BRANCH) {
            break;
        }
    }
    free(held);
    return answer;
}

/* Names the place in terms of its space. */
static int32_t
report(Block *b, const Access *a, int lane, const Place *place, uint64_t address)
{
    FaultWhat what = {EMU_FAULT_UNWRITTEN, 719, lane, address};
    char where[400] = "";
    switch (place->space) {
    case EMU_SPACE_SHARED:
        what.address = place->at;
        return emu_watch_report(b, a->in, what,
                                "%u-byte read of shared memory at 0x%llx that was never written",
                                a->bytes, (unsigned long long)place->at);
    case EMU_SPACE_LOCAL:
        what.address = place->at % b->local_bytes;
        return emu_watch_report(b, a->in, what,
                                "%u-byte read of local memory at 0x%llx that was never written",
                                a->bytes, (unsigned long long)what.address);
    default:
        emu_memory_describe(b->launch->spec->memory, address, where, sizeof where);
        return emu_watch_report(b, a->in, what,
                                "%u-byte read of uninitialised memory: nobody has written 0x%llx "
                                "(%s)",
                                a->bytes, (unsigned long long)address, where);
    }
}

/* All lanes at once when they stand side by side; 1 when that was enough. Returning 0 leaves the
 * access to the general way, which finds the lane or forgives. */
static int
access_line(Block *b, const Access *a)
{
    if (a->each != NULL || a->only >= 0 || !b->dense ||
        (a->step != 0 && a->step != (int64_t)a->bytes)) {
        return 0;
    }
    /* All lanes at one place: one element. */
    uint64_t bytes = a->step == 0 ? a->bytes : (uint64_t)a->bytes * b->n;
    Place place = place_of(b, (uint64_t)(uintptr_t)a->base);
    if (place.bits == NULL) {
        return 1;
    }
    /* Atomics read as well; only a plain write may be the first access. */
    if (a->kind != ACCESS_WRITE && any_set(place.bits, place.at, place.at + bytes)) {
        return 0; /* find the lane */
    }
    if (a->kind != ACCESS_READ) {
        clear(place.bits, place.at, place.at + bytes);
    }
    return 1;
}

/* Reports and clears: atomics read and write, so both parts apply to them. */
int32_t
emu_init_access(Block *b, const Access *a)
{
    if (access_line(b, a)) {
        return 0;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        if (!access_concerns(b, a, i)) {
            continue;
        }
        uint64_t address = access_address(a, i);
        Place place = place_of(b, address);
        if (place.bits == NULL) {
            continue;
        }
        uint64_t end = place.at + a->bytes;
        if (a->kind != ACCESS_WRITE && any_set(place.bits, place.at, end) &&
            /* A struct with padding is copied in words of which some bytes were never written: in
             * local memory one written byte is enough. */
            (place.space != EMU_SPACE_LOCAL || all_set(place.bits, place.at, end)) &&
            (place.space == EMU_SPACE_GLOBAL || a->kind != ACCESS_READ ||
             !is_speculative(b, a->in))) {
            if (report(b, a, (int)(b->lo + i), &place, address) != 0) {
                return EMU_EVENT_FAULT;
            }
            clear(place.bits, place.at, end); /* once is enough */
        }
        else if (a->kind != ACCESS_READ) {
            clear(place.bits, place.at, end);
        }
    }
    return 0;
}

/* The value of such a lane is undefined (PTX ISA, shfl.sync); like a load it is forgiven when a
 * selection may drop it. */
int32_t
emu_init_shuffle(Block *b, const Instr *in, uint32_t warp, uint32_t lanes)
{
    int lane = (int)(EMU_WARP * warp) + __builtin_ctz(lanes);
    if (!(b->launch->watch->checks & EMU_CHECK_INIT) || is_speculative(b, in)) {
        return 0;
    }
    return emu_watch_report(b, in, (FaultWhat){EMU_FAULT_UNWRITTEN, 719, lane, 0},
                            "a shuffle reads a lane that takes no part in it: the value is "
                            "undefined in %u lanes (mask of them 0x%08x)",
                            emu_popcount(lanes), lanes);
}

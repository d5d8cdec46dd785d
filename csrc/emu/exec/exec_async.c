/* Memory barriers (mbarrier) and the copies that signal them. Copies happen at once: asynchrony
 * only promises that they have happened when a wait has returned.
 *
 * An mbarrier is one word in shared memory, opaque to programs: arrivals still missing in this
 * phase, arrivals expected in each, bytes still missing, and the parity of the phase.
 *
 * Everything runs on the worker that owns the block and, for clusters, all of its peers: the word
 * needs no atomic access. PTX ISA, "Parallel Synchronization and Communication Instructions:
 * mbarrier", has the rules of phases, pending counts and tx-counts.
 */
#include "emu/exec/block.h"

#include <string.h>

/* The largest count of mbarrier.init is 2^20 - 1, and tx-counts lie within the same bounds on both
 * sides: 21 bits with sign. */
#define COUNT_MASK 0xfffffull
#define COUNT_BITS 20
#define BYTES_AT 40
#define BYTES_BITS 21
#define PHASE_AT 63

typedef struct {
    uint64_t missing, expected;
    int64_t bytes;
    unsigned phase;
} State;

/* The shift left and the arithmetic shift right extend the sign of the byte count. */
static State
unpack(uint64_t word)
{
    int64_t bytes = (int64_t)(word << (64 - BYTES_AT - BYTES_BITS)) >> (64 - BYTES_BITS);
    return (State){word & COUNT_MASK, word >> COUNT_BITS & COUNT_MASK, bytes,
                   (unsigned)(word >> PHASE_AT)};
}

static uint64_t
pack(State s)
{
    uint64_t bytes = (uint64_t)s.bytes & ((1ull << BYTES_BITS) - 1);
    return s.missing | s.expected << COUNT_BITS | bytes << BYTES_AT | (uint64_t)s.phase << PHASE_AT;
}

/* A phase ends when nothing is missing any more. */
static State
settle(State s)
{
    if (s.missing == 0 && s.bytes == 0) {
        /* The same word serves the next phase; threads that test the old one see its parity gone.
         */
        s.phase ^= 1;
        s.missing = s.expected;
    }
    return s;
}

/* PTX leaves wrong uses undefined; here they are faults that say which. */
static int32_t
misuse(Block *b, const Instr *in, uint32_t lane, uint64_t address, const char *what)
{
    return emu_fault(b, in, (FaultWhat){EMU_FAULT_TRAP, 719, (int)lane, address},
                     "mbarrier at shared address 0x%llx: %s", (unsigned long long)address, what);
}

typedef struct {
    int64_t kind;
    EmuSpace space;
    uint64_t address, value; /* count, bytes, state or parity */
    uint64_t count;          /* arrivals */
    uint32_t lane;
    int releases;
} Request;

/* Checked like any 8-byte store of the lane, also for tests: a barrier lives in writable shared
 * memory. To the check of races, init and inval are plain writes, which other threads must be
 * ordered against; everything else is atomic, and tests acquire what arrivals have released. */
static unsigned char *
barrier_at(Block *b, const Instr *in, int32_t pc, const Request *r)
{
    int plain = r->kind == EMU_MBARRIER_INIT || r->kind == EMU_MBARRIER_INVALIDATE;
    return emu_memory_lane(b, in, pc,
                           (EmuLaneAccess){.space = r->space,
                                           .address = r->address,
                                           .lane = r->lane,
                                           .bytes = 8,
                                           .kind = plain ? ACCESS_WRITE : ACCESS_ATOMIC,
                                           .releases = r->releases});
}

/* Changes one mbarrier; *result is the state before, or the answer of a test. */
static int32_t
apply(Block *b, const Instr *in, int32_t pc, const Request *r, uint64_t *result)
{
    /* Asks about a state that the program holds, not about the barrier in memory. */
    if (r->kind == EMU_MBARRIER_PENDING) {
        *result = unpack(r->value).missing;
        return 0;
    }
    unsigned char *host = barrier_at(b, in, pc, r);
    uint64_t word;
    if (host == NULL) {
        return EMU_EVENT_FAULT;
    }
    /* memcpy: the barrier may be in another block's memory, at an address whose type the host does
     * not know. */
    memcpy(&word, host, sizeof word);
    State s = unpack(word);
    /* mbarrier.arrive returns the state before the arrival; a later test compares its phase. */
    *result = word;
    if (r->kind == EMU_MBARRIER_INIT) {
        if (r->value == 0 || r->value > COUNT_MASK) {
            return misuse(b, in, r->lane, r->address, "initialised with a count out of range");
        }
        s = (State){r->value, r->value, 0, 0};
    }
    else if (s.expected == 0) {
        /* The word is zero before init and after inval, since mbarrier.init takes counts of 1 and
         * more. */
        return misuse(b, in, r->lane, r->address,
                      "used before mbarrier.init or after mbarrier.inval");
    }
    switch (r->kind) {
    case EMU_MBARRIER_INVALIDATE:
        s = (State){0};
        break;
    case EMU_MBARRIER_EXPECT:
        s.bytes += (int64_t)r->value;
        break;
    case EMU_MBARRIER_COMPLETE:
        /* Bytes may arrive before they are expected: the count is signed and goes through zero. */
        s.bytes -= (int64_t)r->value;
        s = settle(s);
        break;
    case EMU_MBARRIER_ARRIVE:
    case EMU_MBARRIER_DROP:
        /* arrive.expect_tx: the bytes are expected before the arrival counts, so the phase cannot
         * end between the two. */
        s.bytes += (int64_t)r->value;
        if (r->count > s.missing) {
            return misuse(b, in, r->lane, r->address, "more arrivals than the phase has left");
        }
        s.missing -= r->count;
        /* arrive_drop: from the next phase on this thread is not waited for. */
        s.expected -= r->kind == EMU_MBARRIER_DROP ? r->count : 0;
        s = settle(s);
        break;
    /* The phase of the token has completed when the current one differs. */
    case EMU_MBARRIER_TEST:
        *result = s.phase != unpack(r->value).phase;
        return 0;
    /* test_wait.parity: the phase of that parity has completed when the current parity is the
     * other. */
    case EMU_MBARRIER_TEST_PARITY:
        *result = s.phase != (r->value & 1);
        return 0;
    default:
        break;
    }
    word = pack(s);
    /* No atomic is needed: shared memory of a cluster belongs to one worker. */
    memcpy(host, &word, sizeof word);
    b->progress_count++;
    return 0;
}

int32_t
emu_mbarrier_complete(Block *b, const Instr *in, int32_t pc, uint32_t lane, uint64_t address,
                      uint64_t bytes)
{
    uint64_t ignored;
    /* The space of the copy's instruction is that of its data. Complete-tx on a barrier releases
     * what was copied (PTX ISA, "mbarrier: complete-tx operation"). */
    Request r = {.kind = EMU_MBARRIER_COMPLETE,
                 .space = address >= EMU_SHARED_WINDOW ? EMU_SPACE_GENERIC : EMU_SPACE_SHARED,
                 .address = address,
                 .value = bytes,
                 .lane = lane,
                 .releases = 1};
    return apply(b, in, pc, &r, &ignored);
}

/* imm: the operation; sources: address, value, count. The result, if there is one, is op[0]. */
int32_t
emu_run_mbarrier(Block *b, const Instr *in, int32_t pc)
{
    uint64_t *out = (uint64_t *)(void *)b->scratch[EMU_OPERANDS - 1];
    const EmuRow *source = in->op + in->nd;
    int is_test = in->imm == EMU_MBARRIER_TEST || in->imm == EMU_MBARRIER_TEST_PARITY;
    int arrives = in->imm == EMU_MBARRIER_ARRIVE || in->imm == EMU_MBARRIER_DROP;
    uint64_t place = 0, token = 0;
    uint32_t warp = EMU_WARPS;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t lane = b->lo + i;
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        /* One lane after the other: each arrival is complete before the next. */
        Request r = {.kind = in->imm, .space = in->space, .lane = lane};
        r.address = emu_row_lane(b, b->regs + source[0], lane);
        r.value = emu_row_lane(b, b->regs + source[1], lane);
        r.count = emu_row_lane(b, b->regs + source[2], lane);
        if (apply(b, in, pc, &r, &out[i]) != 0) {
            return EMU_EVENT_FAULT;
        }
        /* A failed test is a waiting loop's, which must yield. */
        b->polled |= is_test && out[i] == 0 ? EMU_FLAG_POLL : 0;
        if (arrives) {
            /* the lanes of a warp arrive together: all get the state before the first of them */
            int together = warp == lane / EMU_WARP && place == r.address &&
                           /* A phase may end between two lanes of the warp; then the later lanes
                            * have a state of their own. */
                           unpack(token).phase == unpack(out[i]).phase;
            token = together ? token : out[i];
            warp = lane / EMU_WARP;
            place = r.address;
            out[i] = token;
        }
    }
    if (in->nd > 0) {
        Reg *d = b->regs + in->op[0];
        unsigned char *to = emu_row_write(b, d, 0);
        for (uint32_t i = 0; i < b->n; i++) {
            memcpy(to + ((size_t)i << d->shift), &out[i], (size_t)1 << d->shift);
        }
        emu_row_commit(b, d, 0);
    }
    return pc + 1;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* cp.async: `count` bytes, of which the third source says how many are read; the rest is zero.
 * Sources: shared address, global address, bytes to read. */
int32_t
emu_run_copy(Block *b, const Instr *in, int32_t pc)
{
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        /* At most 16 bytes (cp-size); bytes beyond src-size are filled with zeros (PTX ISA,
         * cp.async). */
        unsigned char data[16] = {0};
        uint64_t bytes = (uint32_t)emu_row_lane(b, b->regs + in->op[2], lane);
        bytes = bytes > in->count ? in->count : bytes;
        EmuLaneAccess to = {.space = in->space,
                            .address = emu_row_lane(b, b->regs + in->op[0], lane),
                            .lane = lane,
                            .bytes = in->count,
                            .kind = ACCESS_WRITE};
        EmuLaneAccess from = {.space = EMU_SPACE_GLOBAL,
                              .address = emu_row_lane(b, b->regs + in->op[1], lane),
                              .lane = lane,
                              .bytes = (unsigned)bytes,
                              /* Alignment is that of the whole copy, although fewer bytes may be
                               * read. */
                              .align = in->count};
        if (bytes > 0) {
            const unsigned char *source = emu_memory_lane(b, in, pc, from);
            if (source == NULL) {
                return EMU_EVENT_FAULT;
            }
            memcpy(data, source, bytes);
        }
        unsigned char *target = emu_memory_lane(b, in, pc, to);
        if (target == NULL) {
            return EMU_EVENT_FAULT;
        }
        memcpy(target, data, in->count);
    }
    b->progress_count++;
    return pc + 1;
}

typedef struct {
    uint64_t to, from, bytes, barrier, mask;
    uint32_t lane;
} Bulk;

/* Copies, or combines element by element when the instruction has an operation. */
static void
move_bytes(const Instr *in, unsigned char *to, const unsigned char *from, const Bulk *k, int locked)
{
    EmuAtomFn fn = (EmuAtomFn)(uintptr_t)in->ptr;
    if (fn == NULL && k->mask == 0xffff) {
        memmove(to, from, k->bytes);
        return;
    }
    /* cp.async.bulk.cp_mask: bit i of the mask is byte i of each 16. */
    if (fn == NULL) {
        for (uint64_t i = 0; i < k->bytes; i++) {
            to[i] = (k->mask >> (i % 16)) & 1 ? from[i] : to[i];
        }
        return;
    }
    /* Reductions are atomic per element and relaxed, not as a whole. */
    for (uint64_t i = 0; i < k->bytes; i += (uint64_t)1 << in->size) {
        uint64_t v = 0;
        memcpy(&v, from + i, (size_t)1 << in->size);
        fn(to + i, v, 0, locked);
    }
}

static int32_t
bulk_one(Block *b, const Instr *in, int32_t pc, const Bulk *k)
{
    EmuSpace source = (EmuSpace)(in->target & 15);
    /* PTX ISA, cp.async.bulk: size, source and destination are multiples of 16. */
    if (k->bytes % 16 != 0) {
        return emu_fault(b, in, (FaultWhat){EMU_FAULT_MISALIGNED, 716, (int)k->lane, k->to},
                         "a bulk copy of %llu bytes, which is no multiple of 16",
                         (unsigned long long)k->bytes);
    }
    if (k->bytes > 0) {
        EmuLaneAccess access = {.space = source,
                                .address = k->from,
                                .lane = k->lane,
                                .bytes = (unsigned)k->bytes,
                                .align = 16};
        const unsigned char *from = emu_memory_lane(b, in, pc, access);
        access.space = in->space;
        access.address = k->to;
        access.kind = ACCESS_WRITE;
        unsigned char *to = from == NULL ? NULL : emu_memory_lane(b, in, pc, access);
        if (to == NULL) {
            return EMU_EVENT_FAULT;
        }
        move_bytes(in, to, from, k, in->space != EMU_SPACE_SHARED);
    }
    /* The bytes are there, so the mbarrier's phase may end now. */
    if (in->flags & EMU_BULK_SIGNALS) {
        return emu_mbarrier_complete(b, in, pc, k->lane, k->barrier, k->bytes);
    }
    return 0;
}

/* cp.async.bulk and cp.reduce.async.bulk. Sources: target, source, bytes, mbarrier, mask of the
 * blocks (multicast) or of the bytes. in->target: the space of the source. */
int32_t
emu_run_bulk(Block *b, const Instr *in, int32_t pc)
{
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        uint64_t v[5];
        for (unsigned k = 0; k < 5; k++) {
            v[k] = emu_row_lane(b, b->regs + in->op[k], lane);
        }
        Bulk k = {v[0], v[1], (uint32_t)v[2], v[3], v[4] & 0xffff, lane};
        if (!(in->flags & EMU_BULK_MULTICAST)) {
            if (bulk_one(b, in, pc, &k) != 0) {
                return EMU_EVENT_FAULT;
            }
            continue;
        }
        /* The mask operand is the set of blocks, not of bytes. */
        k.mask = 0xffff;
        for (unsigned rank = 0; rank < EMU_CLUSTER; rank++) {
            /* Each target block gets the data at the same offset and the signal at its own
             * mbarrier. */
            if ((v[4] >> rank) & 1) {
                k.to = emu_cluster_address(v[0], rank);
                k.barrier = emu_cluster_address(v[3], rank);
                if (bulk_one(b, in, pc, &k) != 0) {
                    return EMU_EVENT_FAULT;
                }
            }
        }
    }
    b->progress_count++;
    return pc + 1;
}

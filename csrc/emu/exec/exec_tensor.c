/* Copies by tensor maps: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, which move a box of
 * an array, or the columns of a convolution, between global and shared memory. PTX ISA, "Tensors".
 * Like all copies here they happen at once.
 *
 * Executed lane by lane on the worker that owns the block. The box is walked row by row along
 * dimension 0, in pieces of 16 bytes, the unit in which a swizzle permutes shared memory. A copy of
 * a load ends with its bytes reported to the mbarrier, stores and reductions complete in bulk
 * groups that need no state here.
 */
#include "emu/exec/block.h"

#include <stdio.h>
#include <string.h>

enum {
    ATOM = 16,
    LINE = 128
}; /* bytes that a swizzle moves as one, and the width of its pattern */

/* One copy of one thread. */
typedef struct {
    Block *b;
    const Instr *in;
    const TensorOp *op;
    int32_t pc;
    uint32_t lane;
    const EmuTensorMap *map;
    uint64_t shared, barrier;
    int32_t at[EMU_TENSOR_DIMS];
    uint32_t offsets[3];
    EmuAtomFn combine; /* of a reduction */
    uint64_t near;     /* where the row begins, from `shared` on */
    uint64_t done;     /* bytes so far */
} Copy;

/* 715 is CUDA_ERROR_ILLEGAL_INSTRUCTION. */
static int32_t
fail(Copy *c, uint64_t address, const char *what)
{
    return emu_fault(c->b, c->in, (FaultWhat){EMU_FAULT_TRAP, 715, (int)c->lane, address}, "%s",
                     what);
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Where a swizzle puts the bytes at an address: a few bits are combined with higher ones. */
static uint64_t
swizzled(const EmuTensorMap *m, uint64_t at)
{
    switch (m->swizzle) {
    case 1:
        /* Bits 4 to 6 are XORed with bits 7 to 9, of which CU_TENSOR_MAP_SWIZZLE_32B takes one, 64B
         * two and 128B three: a column of 16-byte atoms falls into different banks. */
        return at ^ (at >> 3 & 0x10);
    case 2:
        return at ^ (at >> 3 & 0x30);
    case 3:
        return at ^ (at >> 3 & 0x70);
    default:
        return at;
    }
}

/* The host's address of the 16 bytes at `offset` of the box. */
static unsigned char *
shared_atom(Copy *c, uint64_t offset)
{
    /* Checked as one access of the lane, so the end of shared memory and finished peers of a
     * cluster are noticed. */
    EmuLaneAccess access = {
        .space = c->shared >= EMU_SHARED_WINDOW ? EMU_SPACE_GENERIC : EMU_SPACE_SHARED,
        .address = swizzled(c->map, c->shared + offset),
        .lane = c->lane,
        .bytes = ATOM,
        .align = ATOM,
        .kind = c->op->kind == TENSOR_LOAD ? ACCESS_WRITE : ACCESS_READ,
    };
    return emu_memory_lane(c->b, c->in, c->pc, access);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* What a load makes of single precision on its way to tf32: ten bits of fraction, to nearest,
 * halves to even; NaN is one. Subnormals stay, also in the types that are named for flushing them.
 */
static void
convert(const EmuTensorMap *m, unsigned char *bytes, unsigned n)
{
    for (unsigned i = 0; i < n && m->type >= EMU_TENSOR_TF32; i++) {
        uint32_t v;
        memcpy(&v, bytes + 4 * i, sizeof v);
        /* Adding 0xfff and the last kept bit rounds to nearest even; NaN becomes one pattern first.
         */
        v = (v & 0x7fffffffu) > 0x7f800000u ? 0x7fffe000u
                                            : (v + 0xfff + (v >> 13 & 1)) & ~(uint32_t)0x1fff;
        memcpy(bytes + 4 * i, &v, sizeof v);
    }
}

/* The elements outside: zero, or a NaN that every type of two bytes and more reads as such. */
static void
fill(const EmuTensorMap *m, unsigned char *to, unsigned bytes)
{
    const uint16_t code = m->nan_fill ? 0x7ff7 : 0;
    for (unsigned i = 0; i < bytes; i += sizeof code) {
        memcpy(to + i, &code, sizeof code);
    }
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* Bytes behind a row's last element that a store changes as well, if there is memory: it clips at
 * multiples of 16 bytes. */
static unsigned
overhang(const Copy *c, uint64_t address)
{
    const EmuTensorMap *m = c->map;
    /* -row % ATOM is the distance to the next multiple of 16. */
    uint64_t lo, hi, row = ((uint64_t)m->last[0] + 1) * emu_tensor_bytes(m->type);
    unsigned more = (unsigned)(-row % ATOM);
    if (c->op->kind == TENSOR_LOAD ||
        !emu_memory_find(c->b->launch->spec->memory, 0, address, &lo, &hi)) {
        return 0;
    }
    return address + row + more <= hi ? more : 0;
}

/* One row of `count` elements along dimension 0, from x[0] on, the others fixed. Loads fill what
 * lies outside, stores and reductions skip it (PTX ISA, "Tensors"). */
static int32_t
move_row(Copy *c, const int64_t *x, unsigned count)
{
    const EmuTensorMap *m = c->map;
    unsigned size = emu_tensor_bytes(m->type), per = ATOM / size;
    uint64_t base = m->address;
    int is_outside = 0;
    for (unsigned d = 1; d < m->rank; d++) {
        /* An outer coordinate outside makes the whole row fill or vanish; coordinates are signed.
         */
        is_outside |= x[d] < 0 || x[d] > (int64_t)m->last[d];
        base += (uint64_t)x[d] * m->strides[d - 1];
    }
    int64_t end = is_outside ? 0 : (int64_t)m->last[0] + 1 + overhang(c, base) / size;
    for (unsigned i = 0; i < count; i += per) {
        unsigned n = count - i < per ? count - i : per, first = 0, last = n;
        /* Bounds of the part of the atom that lies inside of the tensor. */
        while (first < n && (x[0] + i + first < 0 || x[0] + i + first >= end)) {
            first++;
        }
        while (last > first && x[0] + i + last - 1 >= end) {
            last--;
        }
        unsigned char *near = shared_atom(c, c->near + i * size), *far = NULL;
        if (near == NULL) {
            return EMU_EVENT_FAULT;
        }
        if (last > first) {
            EmuLaneAccess access = {.space = EMU_SPACE_GLOBAL,
                                    /* Added modulo 2^64: first is where x[0] + i becomes valid, so
                                     * the sum is never before the row. */
                                    .address = base + (uint64_t)(x[0] + i + first) * size,
                                    .lane = c->lane,
                                    .bytes = (last - first) * size,
                                    .align = size,
                                    .kind =
                                        c->op->kind != TENSOR_LOAD ? ACCESS_WRITE : ACCESS_READ};
            /* Checked per atom like any access of the lane, so a map over freed memory is a fault
             * with a place. */
            far = emu_memory_lane(c->b, c->in, c->pc, access);
            if (far == NULL) {
                return EMU_EVENT_FAULT;
            }
        }
        if (c->op->kind == TENSOR_LOAD) {
            /* The whole atom is filled before the valid part is copied over it. */
            fill(m, near, n * size);
            if (far != NULL) {
                memcpy(near + first * size, far, (last - first) * size);
                convert(m, near + first * size, last - first);
            }
        }
        else if (far != NULL && c->combine == NULL) {
            memcpy(far, near + first * size, (last - first) * size);
        }
        else if (far != NULL) {
            for (unsigned k = first; k < last; k++) {
                uint64_t v = 0;
                memcpy(&v, near + k * size, size);
                /* Elements of global memory may be in use by other workers, so each addition is
                 * atomic. */
                c->combine(far + (k - first) * size, v, 0, EMU_ATOM_LOCKED);
            }
        }
        /* Elements outside count as well: the mbarrier expects the bytes of the whole box. */
        c->done += n * size;
    }
    /* A swizzle works on rows of its own width: ATOM << swizzle is 32, 64 or 128 bytes. */
    uint64_t bytes = (uint64_t)count * size, width = m->swizzle > 0 ? ATOM << m->swizzle : 0;
    c->near += bytes > width ? bytes : width;
    return 0;
}

/* Counts through the box with dimension 1 fastest; dimension 0 is the row. */
static int32_t
move_box(Copy *c)
{
    const EmuTensorMap *m = c->map;
    unsigned index[EMU_TENSOR_DIMS] = {0};
    for (;;) {
        int64_t x[EMU_TENSOR_DIMS];
        for (unsigned d = 0; d < m->rank; d++) {
            /* Element strides apply to the outer dimensions; the innermost one is contiguous. */
            x[d] = (int64_t)c->at[d] + (int64_t)index[d] * (d > 0 ? m->steps[d] : 1);
        }
        if (move_row(c, x, m->box[0]) != 0) {
            return EMU_EVENT_FAULT;
        }
        unsigned d = 1;
        while (d < m->rank && ++index[d] * m->steps[d] >= m->box[d]) {
            index[d++] = 0;
        }
        if (d >= m->rank) {
            return 0;
        }
    }
}

/* The pixels of a convolution's windows: from the given one on, along the rows of the box that the
 * corners bound, then the next plane and the next image. The im2col mode. Dimension 0 is the
 * channels, the last one the images, those between are spatial. */
static int32_t
move_columns(Copy *c)
{
    const EmuTensorMap *m = c->map;
    unsigned spatial = m->rank - 2u;
    int64_t pixel[EMU_TENSOR_DIMS], x[EMU_TENSOR_DIMS];
    for (unsigned d = 0; d < m->rank; d++) {
        pixel[d] = c->at[d];
    }
    for (unsigned i = 0; i < m->box[1]; i++) {
        memcpy(x, pixel, sizeof x);
        /* The offsets of the instruction select the element of the filter; they shift the window,
         * not the walk. */
        for (unsigned d = 0; d < spatial; d++) {
            x[d + 1] += c->offsets[d];
        }
        if (move_row(c, x, m->box[0]) != 0) {
            return EMU_EVENT_FAULT;
        }
        unsigned d = 0;
        while (d < spatial) {
            pixel[d + 1] += m->steps[d + 1];
            /* The corner bounds are relative to the tensor: the box of window positions ends at
             * last + upper. */
            if (pixel[d + 1] <= (int64_t)m->last[d + 1] + m->upper[d]) {
                break;
            }
            pixel[d + 1] = m->lower[d];
            d++;
        }
        pixel[m->rank - 1] += d == spatial;
    }
    return 0;
}

/* ---- the instruction ------------------------------------------------------------------------- */

/* The function of a reduction by the map's type: an H200 adds more types than it orders, and counts
 * and masks words alone. */
static int
find_combine(Copy *c)
{
    enum { ADDS = 1, ORDERS = 2, COUNTS = 4, MASKS = 8 };
    static const struct {
        char name[5];
        uint8_t has;
    } types[EMU_TENSOR_TYPES] = {
        [EMU_TENSOR_U32] = {"u32", ADDS | ORDERS | COUNTS | MASKS},
        [EMU_TENSOR_S32] = {"s32", ADDS | ORDERS | MASKS},
        [EMU_TENSOR_U64] = {"u64", ADDS | ORDERS | MASKS},
        [EMU_TENSOR_S64] = {"s64", ORDERS},
        [EMU_TENSOR_F16] = {"f16", ADDS | ORDERS},
        [EMU_TENSOR_F32] = {"f32", ADDS},
        [EMU_TENSOR_F64] = {"f64", ADDS},
        [EMU_TENSOR_BF16] = {"bf16", ADDS | ORDERS},
        [EMU_TENSOR_F32_FLUSHED] = {"f32", ADDS},
        [EMU_TENSOR_TF32] = {"f32", ADDS},
        [EMU_TENSOR_TF32_FLUSHED] = {"f32", ADDS},
    };
    const char *op = c->op->reduction;
    char key[16];
    if (c->op->kind != TENSOR_REDUCE) {
        return 0;
    }
    int wanted = strcmp(op, "add") == 0                             ? ADDS
                 : *op == 'm'                                       ? ORDERS
                 : strcmp(op, "inc") == 0 || strcmp(op, "dec") == 0 ? COUNTS
                                                                    : MASKS;
    snprintf(key, sizeof key, "%s.%s", op, types[c->map->type].name);
    /* The operation's letter and the type make the key of an atomic. */
    c->combine = types[c->map->type].has & wanted ? emu_atom_find(key) : NULL;
    return c->combine == NULL ? -1 : 0;
}

/* Whether the bytes are a map that an encoding call has made, not only its beginning. The bytes may
 * have been written by the program itself: every field that indexes or divides is checked. */
static int
is_map(const EmuTensorMap *m)
{
    if (m->magic != EMU_TENSOR_MAGIC || m->rank < 1 || m->rank > EMU_TENSOR_DIMS ||
        m->type >= EMU_TENSOR_TYPES || m->swizzle > 3 || (m->is_columns && m->rank < 3)) {
        return 0;
    }
    for (unsigned d = 0; d < m->rank; d++) {
        if (m->steps[d] == 0 || (m->box[d] == 0 && (!m->is_columns || d < 2))) {
            return 0;
        }
    }
    return 1;
}

/* Reads the map and moves the bytes; all targets of a multicast are served one after the other. */
static int32_t
run_copy(Copy *c, uint64_t map_at)
{
    EmuTensorMap map;
    EmuLaneAccess access = {
        .address = map_at, .lane = c->lane, .bytes = EMU_TENSOR_BYTES, .align = 64};
    const unsigned char *host = emu_memory_lane(c->b, c->in, c->pc, access);
    if (host == NULL) {
        return EMU_EVENT_FAULT;
    }
    memcpy(&map, host, sizeof map);
    /* A copy: the program may change the map while its lanes run. */
    c->map = &map;
    if (!is_map(&map)) {
        return fail(c, map_at, "uses a tensor map that no cuTensorMapEncode call has made");
    }
    if (map.rank != c->op->rank || map.is_columns != c->op->is_columns) {
        return fail(c, map_at, "uses a tensor map of another rank or mode than its own");
    }
    /* PTX demands 128 bytes for the shared side of a tensor copy. */
    if (c->shared % LINE != 0) {
        return emu_fault(c->b, c->in,
                         (FaultWhat){EMU_FAULT_MISALIGNED, 716, (int)c->lane, c->shared},
                         "a tensor copy with shared address 0x%llx, which is no multiple of 128",
                         (unsigned long long)c->shared);
    }
    if (c->at[0] * (int64_t)emu_tensor_bytes(map.type) % ATOM != 0) {
        return emu_fault(c->b, c->in, (FaultWhat){EMU_FAULT_TRAP, 715, (int)c->lane, map_at},
                         "a tensor copy from coordinate %d on, which is no multiple of 16 bytes",
                         c->at[0]);
    }
    for (unsigned d = 0; d < map.rank && !map.is_columns && c->op->kind != TENSOR_LOAD; d++) {
        if (c->at[d] < 0) {
            return emu_fault(c->b, c->in, (FaultWhat){EMU_FAULT_TRAP, 715, (int)c->lane, map_at},
                             "a tensor store to coordinate %d of dimension %u", c->at[d], d);
        }
    }
    if (find_combine(c) != 0) {
        return fail(c, map_at, "reduces by an operation that the map's type does not have");
    }
    if ((map.is_columns ? move_columns(c) : move_box(c)) != 0) {
        return EMU_EVENT_FAULT;
    }
    return c->op->kind == TENSOR_LOAD
               ? emu_mbarrier_complete(c->b, c->in, c->pc, c->lane, c->barrier, c->done)
               : 0;
}

/* Sources: map, shared address, mbarrier, mask of blocks, coordinates, offsets. */
int32_t
emu_run_tensor(Block *b, const Instr *in, int32_t pc)
{
    const TensorOp *op = in->ptr;
    const EmuRow *source = emu_operands(in);
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        Copy c = {.b = b, .in = in, .op = op, .pc = pc, .lane = lane};
        /* v: map, shared address, mbarrier, mask of blocks. */
        uint64_t v[4];
        for (unsigned i = 0; i < 4; i++) {
            v[i] = emu_row_lane(b, b->regs + source[i], lane);
        }
        for (unsigned i = 0; i < op->rank; i++) {
            c.at[i] = (int32_t)emu_row_lane(b, b->regs + source[4 + i], lane);
        }
        for (unsigned i = 0; i < op->offsets; i++) {
            /* im2col offsets are 16-bit and unsigned. */
            c.offsets[i] = (uint16_t)emu_row_lane(b, b->regs + source[4 + op->rank + i], lane);
        }
        for (unsigned rank = 0; rank < (op->is_multicast ? EMU_CLUSTER : 1); rank++) {
            if (op->is_multicast && !(v[3] >> rank & 1)) {
                continue;
            }
            /* In a multicast every target block has the box and the mbarrier at the same offset of
             * its own shared memory. */
            c.shared = op->is_multicast ? emu_cluster_address(v[1], rank) : v[1];
            c.barrier = op->is_multicast ? emu_cluster_address(v[2], rank) : v[2];
            c.done = c.near = 0;
            if (run_copy(&c, v[0]) != 0) {
                return EMU_EVENT_FAULT;
            }
        }
    }
    b->progress_count++;
    return pc + 1;
}

/* ---- changing maps --------------------------------------------------------------------------- */

/* By the numbers of .elemtype, which are not those of the driver. */
static int
set_type(EmuTensorMap *m, uint64_t code)
{
    static const uint8_t types[] = {EMU_TENSOR_U8,          EMU_TENSOR_U16,  EMU_TENSOR_U32,
                                    EMU_TENSOR_S32,         EMU_TENSOR_U64,  EMU_TENSOR_S64,
                                    EMU_TENSOR_F16,         EMU_TENSOR_F32,  EMU_TENSOR_F32_FLUSHED,
                                    EMU_TENSOR_F64,         EMU_TENSOR_BF16, EMU_TENSOR_TF32,
                                    EMU_TENSOR_TF32_FLUSHED};
    if (code >= sizeof types) {
        return -1;
    }
    m->type = types[code];
    return 0;
}

/* Limits are those of cuTensorMapEncodeTiled. Nonzero means that the value is refused; the map is
 * not stored then. */
static int
set_field(EmuTensorMap *m, TensorField field, uint64_t at, uint64_t value)
{
    /* Strides have one entry less than the dimensions: the innermost is implied. */
    if (at >= EMU_TENSOR_DIMS - (field == TENSOR_STRIDE)) {
        return -1;
    }
    switch (field) {
    case TENSOR_ADDRESS:
        m->address = value;
        return value % ATOM != 0;
    case TENSOR_RANK: /* less one */
        m->rank = (uint8_t)(value + 1);
        return value >= EMU_TENSOR_DIMS;
    case TENSOR_BOX:
        m->box[at] = (uint16_t)value;
        return value == 0 || value > 256;
    case TENSOR_DIM:
        m->last[at] = (uint32_t)value - 1;
        return value == 0;
    case TENSOR_STRIDE:
        m->strides[at] = value;
        return value % ATOM != 0;
    case TENSOR_STEP:
        m->steps[at] = (uint8_t)value;
        return value == 0 || value > 8;
    case TENSOR_TYPE:
        return set_type(m, value);
    case TENSOR_INTERLEAVE: /* other layouts are not here */
        return value != 0;
    case TENSOR_SWIZZLE:
        m->swizzle = (uint8_t)value;
        return value > 3;
    default:
        m->nan_fill = (uint8_t)value;
        return value > 1;
    }
}

/* tensormap.replace. Sources: map, value; size: the field; imm: which dimension. */
int32_t
emu_run_tensor_field(Block *b, const Instr *in, int32_t pc)
{
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        EmuTensorMap map;
        EmuLaneAccess access = {.space = in->space,
                                .address = emu_row_lane(b, b->regs + in->op[0], lane),
                                .lane = lane,
                                .bytes = EMU_TENSOR_BYTES,
                                .kind = ACCESS_WRITE};
        /* The map is changed in a copy and written back as a whole, after its value was accepted.
         */
        uint64_t value = emu_row_lane(b, b->regs + in->op[1], lane);
        unsigned char *host = emu_memory_lane(b, in, pc, access);
        if (host == NULL) {
            return EMU_EVENT_FAULT;
        }
        memcpy(&map, host, sizeof map);
        if (map.magic != EMU_TENSOR_MAGIC ||
            set_field(&map, (TensorField)in->size, (uint64_t)in->imm, value) != 0) {
            return emu_fault(b, in, (FaultWhat){EMU_FAULT_TRAP, 715, (int)lane, access.address},
                             "tensormap.replace by 0x%llx, which the field does not take, or of "
                             "bytes that no cuTensorMapEncode call has made",
                             (unsigned long long)value);
        }
        memcpy(host, &map, sizeof map);
    }
    return pc + 1;
}

/* tensormap.cp_fenceproxy: the bytes of a map from shared to global memory. Sources: to, from. */
int32_t
emu_run_tensor_copy(Block *b, const Instr *in, int32_t pc)
{
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        EmuLaneAccess access = {.space = EMU_SPACE_SHARED,
                                .address = emu_row_lane(b, b->regs + in->op[1], lane),
                                .lane = lane,
                                .bytes = EMU_TENSOR_BYTES};
        const unsigned char *from = emu_memory_lane(b, in, pc, access);
        access.space = EMU_SPACE_GLOBAL;
        access.address = emu_row_lane(b, b->regs + in->op[0], lane);
        access.kind = ACCESS_WRITE;
        unsigned char *to = from == NULL ? NULL : emu_memory_lane(b, in, pc, access);
        if (to == NULL) {
            return EMU_EVENT_FAULT;
        }
        memcpy(to, from, EMU_TENSOR_BYTES);
        break; /* the lanes of a group name the same map */
    }
    b->progress_count++;
    return pc + 1;
}

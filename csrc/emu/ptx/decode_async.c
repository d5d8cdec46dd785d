/* mbarrier, cp.async, cp.async.bulk with and without tensor maps, cp.reduce.async.bulk, st.async,
 * red.async, createpolicy.
 *
 * Copies have happened when the instruction returns (exec_async.c), so commit and wait instructions
 * disappear here; what stays are the copies, their checks and the signals to mbarriers.
 */
#include "emu/ptx/decode.h"

#include <stdio.h>
#include <string.h>

static const Type type_u32 = {'u', 32, 0};
static const Type type_u64 = {'u', 64, 0};
static const Type type_pred = {'p', 1, 0};

static int
refuse(Decoder *dc)
{
    return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length, dc->opcode.at);
}

/* Modifiers with parts of their own, "shared::cluster". */
static int
starts_with(const Decoder *dc, size_t i, const char *text)
{
    return i < dc->nmods && dc->mods[i].length >= strlen(text) &&
           memcmp(dc->mods[i].at, text, strlen(text)) == 0;
}

/* ---- mbarrier -------------------------------------------------------------------------------- */

/* try_wait is test_wait: a waiting loop stands around both. */
static const struct {
    const char *name;
    EmuMbarrier kind;
} operations[] = {
    {"init", EMU_MBARRIER_INIT},
    {"inval", EMU_MBARRIER_INVALIDATE},
    {"expect_tx", EMU_MBARRIER_EXPECT},
    {"complete_tx", EMU_MBARRIER_COMPLETE},
    {"arrive", EMU_MBARRIER_ARRIVE},
    {"arrive_drop", EMU_MBARRIER_DROP},
    {"test_wait", EMU_MBARRIER_TEST},
    {"try_wait", EMU_MBARRIER_TEST},
    {"pending_count", EMU_MBARRIER_PENDING},
};

/* Three sources in a fixed order, whatever the form: address, value, count. */
static Instr *
emit_mbarrier(Decoder *dc, EmuMbarrier kind, EmuSpace space, const EmuRow *sources)
{
    Instr *in = decode_emit(dc, emu_run_mbarrier);
    in->imm = kind;
    in->space = (uint8_t)space;
    /* Arrivals release unless they are .relaxed. */
    int signals =
        kind == EMU_MBARRIER_ARRIVE || kind == EMU_MBARRIER_DROP || kind == EMU_MBARRIER_COMPLETE;
    in->flags = signals && !decode_has(dc, "relaxed") ? EMU_FLAG_RELEASE : 0;
    in->ns = 3;
    memcpy(in->op, sources, 3 * sizeof *sources);
    return in;
}

/* Puts a destination before the sources. The sources move up by one, since destinations come first.
 */
static void
add_result(Instr *in, EmuRow reg)
{
    memmove(in->op + 1, in->op, in->ns * sizeof *in->op);
    in->op[0] = reg;
    in->nd = 1;
}

int
decode_mbarrier(Decoder *dc)
{
    int kind = -1;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        kind = decode_is_mod(dc, 0, operations[i].name) ? (int)operations[i].kind : kind;
    }
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (kind < 0 || dc->noperands < 1) {
        return refuse(dc);
    }
    /* Absent operands: no bytes, one arrival. */
    EmuRow zero = decode_constant(dc, 3, 0, 0), one = decode_constant(dc, 3, 1, 0);
    EmuRow s[3] = {zero, zero, one};
    const Operand *o = dc->operands;
    int arrives = kind == EMU_MBARRIER_ARRIVE || kind == EMU_MBARRIER_DROP;
    int tests = kind == EMU_MBARRIER_TEST,
        returns = arrives || tests || kind == EMU_MBARRIER_PENDING;
    /* A state or predicate before the address; without one ("_" or nothing) the first operand is
     * the address itself. */
    size_t at = returns && o->kind != OPERAND_MEMORY; /* where the address stands */
    if (dc->noperands < at + 1) {
        return refuse(dc);
    }
    if (kind == EMU_MBARRIER_PENDING) {
        s[1] = decode_source(dc, &o[1], type_u64);
    }
    else {
        s[0] = decode_address(dc, decode_space(dc), &o[at]);
    }
    /* The operand behind the address is a count of arrivals, a number of bytes, a state or a
     * parity. */
    if (dc->noperands > at + 1 && kind != EMU_MBARRIER_PENDING) {
        int is_state = tests && !decode_has(dc, "parity");
        EmuRow v = decode_source(dc, &o[at + 1], is_state ? type_u64 : type_u32);
        s[arrives && !decode_has(dc, "expect_tx") ? 2 : 1] = v;
    }
    if (tests && decode_has(dc, "parity")) {
        kind = EMU_MBARRIER_TEST_PARITY;
    }
    Type type = tests ? type_pred : kind == EMU_MBARRIER_PENDING ? type_u32 : type_u64;
    EmuRow d = at ? decode_target(dc, &o[0], type) : 0;
    Instr *in = emit_mbarrier(dc, (EmuMbarrier)kind, decode_space(dc), s);
    if (at) {
        /* Before the finish: converting the result is a further instruction. */
        add_result(in, d);
        decode_finish(dc, &o[0], d, type);
    }
    return dc->status;
}

/* ---- cp.async -------------------------------------------------------------------------------- */

/* cp.async.ca.shared.global [to], [from], bytes[, source bytes | ignore][, policy] */
static int
copy_async(Decoder *dc)
{
    /* A cache policy is one operand more, a hint. */
    size_t n = dc->noperands - (size_t)decode_has(dc, "L2::cache_hint");
    const Operand *o = dc->operands;
    if (n < 3 || n > 4 || o[2].kind != OPERAND_NUMBER) {
        return refuse(dc);
    }
    unsigned bytes = (unsigned)decode_number(&o[2], type_u64);
    /* The sizes that the hardware copies (PTX ISA, cp.async). */
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        return decode_fail(dc, "cp.async of %u bytes", bytes);
    }
    /* All bytes are read unless the fourth operand says otherwise. */
    EmuRow take = decode_constant(dc, 2, bytes, 0);
    /* The fourth operand is a number of bytes, or a predicate "ignore source": then nothing is read
     * and zeros are written. */
    int is_predicate =
        n == 4 && ((o[3].kind == OPERAND_REG && dc->shift[o[3].reg] == 0) || o[3].negate);
    if (is_predicate) {
        EmuRow ignore = decode_source(dc, &o[3], type_pred), some = decode_temp(dc, 2);
        EmuRow ops[] = {some, decode_constant(dc, 2, 0, 0), take, ignore};
        decode_lane(dc, "selp.b32", ops, 4);
        take = some;
    }
    else if (n == 4) {
        take = decode_source(dc, &o[3], type_u32);
    }
    EmuRow to = decode_address(dc, EMU_SPACE_SHARED, &o[0]),
           from = decode_address(dc, EMU_SPACE_GLOBAL, &o[1]);
    Instr *in = decode_emit(dc, emu_run_copy);
    in->count = (uint8_t)bytes;
    in->space = EMU_SPACE_SHARED;
    in->ns = 3;
    in->op[0] = to;
    in->op[1] = from;
    in->op[2] = take;
    return dc->status;
}

/* The first and second state space of the opcode. */
static EmuSpace
space_at(const Decoder *dc, unsigned k)
{
    /* The opcode names the destination's space first. */
    for (size_t i = 0; i < dc->nmods; i++) {
        int shared = starts_with(dc, i, "shared"), global = decode_is_mod(dc, i, "global");
        if ((shared || global) && k-- == 0) {
            return shared ? EMU_SPACE_SHARED : EMU_SPACE_GLOBAL;
        }
    }
    return EMU_SPACE_GENERIC;
}

/* cp[.reduce].async.bulk.to.from.completion... [to], [from], bytes, [mbarrier][, mask][, policy] */
static int
copy_bulk(Decoder *dc, EmuAtomFn combine, unsigned shift)
{
    size_t n = dc->noperands - (size_t)decode_has(dc, "L2::cache_hint");
    const Operand *o = dc->operands;
    int signals = decode_has(dc, "mbarrier::complete_tx::bytes");
    int multicast = decode_has(dc, "multicast::cluster"), masked = decode_has(dc, "cp_mask");
    /* Exactly the operands of the form; anything else is a later version's. */
    if (n != 3u + (unsigned)signals + (unsigned)(multicast || masked)) {
        return refuse(dc);
    }
    EmuRow s[5];
    s[0] = decode_address(dc, space_at(dc, 0), &o[0]);
    s[1] = decode_address(dc, space_at(dc, 1), &o[1]);
    s[2] = decode_source(dc, &o[2], type_u32);
    /* Without a signal the operand exists, so the handler need not ask. */
    s[3] = signals ? decode_address(dc, EMU_SPACE_SHARED, &o[3]) : decode_constant(dc, 3, 0, 0);
    /* with a policy the mask of the bytes comes last, the mask of the blocks before it */
    size_t mask = masked ? dc->noperands - 1 : 4;
    /* No mask: all blocks, all bytes. */
    s[4] = multicast || masked ? decode_source(dc, &o[mask], (Type){'u', 16, 0})
                               : decode_constant(dc, 1, 0xffff, 0);
    Instr *in = decode_emit(dc, emu_run_bulk);
    in->ptr = (const void *)combine;
    in->size = (uint8_t)shift;
    in->space = (uint8_t)space_at(dc, 0);
    in->target = (int32_t)space_at(dc, 1);
    in->flags = (uint8_t)((signals ? EMU_BULK_SIGNALS : 0) | (multicast ? EMU_BULK_MULTICAST : 0));
    in->ns = 5;
    memcpy(in->op, s, sizeof s);
    return dc->status;
}

/* The registers of a list, `count` of them, as values of `type`. A single coordinate may stand
 * without braces. */
static int
list_of(Decoder *dc, const Operand *o, unsigned count, Type type, EmuRow *out)
{
    const Operand *each = o->kind == OPERAND_REG || o->kind == OPERAND_NUMBER ? o : o->elements;
    unsigned n = each == o ? 1 : o->count;
    if (n != count) {
        return decode_fail(dc, "a list of %u where '%.*s' takes %u", n, (int)dc->opcode.length,
                           dc->opcode.at, count);
    }
    for (unsigned i = 0; i < count; i++) {
        out[i] = decode_source(dc, &each[i], type);
    }
    return 0;
}

/* The kind, rank and mode of a tensor copy; 0 for what sm_90 does not have. */
static int
read_tensor(const Decoder *dc, TensorOp *op)
{
    static const char *const reductions[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
    for (uint8_t i = 0; i < 5; i++) {
        op->rank = decode_has(dc, ranks[i]) ? (uint8_t)(i + 1) : op->rank;
    }
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        if (decode_has(dc, reductions[i])) {
            memcpy(op->reduction, reductions[i], strlen(reductions[i]) + 1);
        }
    }
    /* The space of the destination tells loads from stores. */
    op->kind = decode_is_mod(dc, 0, "reduce")        ? TENSOR_REDUCE
               : space_at(dc, 0) == EMU_SPACE_SHARED ? TENSOR_LOAD
                                                     : TENSOR_STORE;
    op->is_columns = (uint8_t)(decode_has(dc, "im2col") || decode_has(dc, "im2col_no_offs"));
    op->is_multicast = (uint8_t)decode_has(dc, "multicast::cluster");
    /* Offsets select the element of the filter in im2col loads; stores have none. */
    op->offsets = op->kind == TENSOR_LOAD && op->is_columns ? (uint8_t)(op->rank - 2) : 0;
    static const char *const others[] = {"tile::gather4",  "tile::scatter4", "im2col::w",
                                         "im2col::w::128", "cta_group::1",   "cta_group::2"};
    /* Forms of later architectures. */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (decode_has(dc, others[i])) {
            return 0;
        }
    }
    /* im2col needs an image: at least channels, one spatial dimension and a batch. */
    return op->rank > (op->is_columns ? 2 : 0) &&
           (op->kind == TENSOR_REDUCE) == (*op->reduction != 0);
}

/* cp.async.bulk.tensor.rank.to.from... [shared], [map, {x}], [mbarrier][, {offsets}][, mask]
 * [, policy];  cp[.reduce].async.bulk.tensor.rank.global.shared... [map, {x}], [shared][, policy]
 */
static int
copy_tensor(Decoder *dc)
{
    /* The description lives as long as the function: the instruction points to it. */
    TensorOp *op = decode_keep(dc, sizeof *op);
    size_t n = dc->noperands - (size_t)decode_has(dc, "L2::cache_hint");
    const Operand *o = dc->operands;
    EmuRow s[12];
    if (op == NULL || !read_tensor(dc, memset(op, 0, sizeof *op))) {
        return refuse(dc);
    }
    int loads = op->kind == TENSOR_LOAD;
    /* The bracketed map stands second in loads and first in stores. */
    if (n != (loads ? 3u + (op->offsets > 0) + op->is_multicast : 2u) ||
        o[loads].kind != OPERAND_MEMORY || o[loads].elements == NULL) {
        return refuse(dc);
    }
    /* The map's address without its coordinates. */
    Operand map = o[loads];
    map.elements = NULL;
    map.count = 0;
    s[0] = decode_address(dc, EMU_SPACE_GENERIC, &map);
    s[1] = decode_address(dc, EMU_SPACE_SHARED, &o[!loads]);
    s[2] = loads ? decode_address(dc, EMU_SPACE_SHARED, &o[2]) : decode_constant(dc, 3, 0, 0);
    s[3] = op->is_multicast ? decode_source(dc, &o[n - 1], (Type){'u', 16, 0})
                            : decode_constant(dc, 1, 0, 0);
    if (list_of(dc, &o[loads], op->rank, type_u32, s + 4) != 0 ||
        (op->offsets > 0 &&
         list_of(dc, &o[3], op->offsets, (Type){'u', 16, 0}, s + 4 + op->rank) != 0)) {
        return -1;
    }
    unsigned count = 4u + op->rank + op->offsets;
    Instr *in = decode_emit(dc, emu_run_tensor);
    /* Long lists of operands are kept by the function. */
    EmuRow *to = in->op;
    if (count > EMU_OPERANDS) {
        to = decode_keep(dc, count * sizeof *to);
        if (to == NULL) {
            return -1;
        }
        in->many = to;
    }
    memcpy(to, s, count * sizeof *to);
    in->ptr = op;
    in->ns = (uint8_t)count;
    return dc->status;
}

/* cp.async, cp.async.bulk, cp.reduce.async.bulk, and their groups, which have nothing to wait for
 */
int
decode_copy(Decoder *dc)
{
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (decode_has(dc, "tensor") && !decode_has(dc, "prefetch")) {
        return copy_tensor(dc);
    }
    /* Groups of copies and prefetches: nothing is outstanding. */
    if (decode_has(dc, "commit_group") || decode_has(dc, "wait_group") ||
        decode_has(dc, "wait_all") || decode_has(dc, "prefetch")) {
        return dc->status;
    }
    if (decode_has(dc, "mbarrier")) {
        /* the arrival of copies that are done; without .noinc it adds to no count */
        if (dc->noperands != 1) {
            return refuse(dc);
        }
        if (decode_has(dc, "noinc")) {
            EmuRow s[3] = {decode_address(dc, decode_space(dc), &dc->operands[0]),
                           decode_constant(dc, 3, 0, 0), decode_constant(dc, 3, 1, 0)};
            emit_mbarrier(dc, EMU_MBARRIER_ARRIVE, decode_space(dc), s);
        }
        return dc->status;
    }
    /* The element type decides the function and the step of the reduction. */
    if (decode_is_mod(dc, 0, "reduce")) {
        Type type;
        EmuAtomFn fn = decode_atom_function(dc, &type);
        return fn == NULL ? refuse(dc)
                          : copy_bulk(dc, fn,
                                      type.bits == 64   ? 3
                                      : type.bits == 32 ? 2
                                                        : 1);
    }
    return decode_has(dc, "bulk")          ? copy_bulk(dc, NULL, 0)
           : decode_is_mod(dc, 0, "async") ? copy_async(dc)
                                           : refuse(dc);
}

/* What follows st.async and red.async: the bytes are reported to the mbarrier. */
int
decode_async_signal(Decoder *dc, const Operand *barrier, unsigned bytes)
{
    /* The count is not looked at for bytes. */
    EmuRow s[3] = {decode_address(dc, EMU_SPACE_SHARED, barrier), decode_constant(dc, 3, bytes, 0),
                   decode_constant(dc, 3, 1, 0)};
    emit_mbarrier(dc, EMU_MBARRIER_COMPLETE, EMU_SPACE_SHARED, s);
    return dc->status;
}

/* tensormap.replace.tile.field.space.b1024.type [map], [ordinal,] value;
 * tensormap.cp_fenceproxy.global.shared::cta... [to], [from], 128 */
int
decode_tensor_map(Decoder *dc)
{
    /* Field names of the manual, and whether an ordinal tells which dimension is meant. */
    static const struct {
        const char *name;
        uint8_t has_ordinal;
    } fields[TENSOR_FIELDS] = {
        [TENSOR_ADDRESS] = {"global_address", 0},
        [TENSOR_RANK] = {"rank", 0},
        [TENSOR_BOX] = {"box_dim", 1},
        [TENSOR_DIM] = {"global_dim", 1},
        [TENSOR_STRIDE] = {"global_stride", 1},
        [TENSOR_STEP] = {"element_stride", 1},
        [TENSOR_TYPE] = {"elemtype", 0},
        [TENSOR_INTERLEAVE] = {"interleave_layout", 0},
        [TENSOR_SWIZZLE] = {"swizzle_mode", 0},
        [TENSOR_FILL] = {"fill_mode", 0},
    };
    const Operand *o = dc->operands;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    /* A copy with a fence between proxies, which plain memory has no need of. */
    if (decode_is_mod(dc, 0, "cp_fenceproxy") && dc->noperands == 3) {
        EmuRow to = decode_address(dc, EMU_SPACE_GLOBAL, &o[0]),
               from = decode_address(dc, EMU_SPACE_SHARED, &o[1]);
        Instr *in = decode_emit(dc, emu_run_tensor_copy);
        in->ns = 2;
        in->op[0] = to;
        in->op[1] = from;
        return dc->status;
    }
    unsigned field = 0;
    /* Exactly one field is named. */
    while (field < TENSOR_FIELDS && !decode_has(dc, fields[field].name)) {
        field++;
    }
    if (!decode_is_mod(dc, 0, "replace") || field == TENSOR_FIELDS ||
        dc->noperands != 2u + fields[field].has_ordinal ||
        (fields[field].has_ordinal && o[1].kind != OPERAND_NUMBER)) {
        return refuse(dc);
    }
    Type type = decode_has(dc, "b64") ? type_u64 : type_u32;
    EmuRow map = decode_address(dc, decode_space(dc), &o[0]);
    EmuRow value = decode_source(dc, &o[dc->noperands - 1], type);
    Instr *in = decode_emit(dc, emu_run_tensor_field);
    /* The ordinal is a literal (PTX ISA, tensormap.replace). */
    in->imm = fields[field].has_ordinal ? (int64_t)decode_number(&o[1], type_u32) : 0;
    in->size = (uint8_t)field;
    in->space = (uint8_t)decode_space(dc);
    in->ns = 2;
    in->op[0] = map;
    in->op[1] = value;
    return dc->status;
}

/* createpolicy...b64 d, ...: policies are hints and all the same here */
int
decode_policy(Decoder *dc)
{
    if (decode_operands(dc) != 0 || dc->noperands < 1) {
        return refuse(dc);
    }
    /* The policy's value is never looked at. */
    EmuRow d = decode_target(dc, &dc->operands[0], type_u64);
    decode_lane(dc, "mov.b64", (EmuRow[]){d, decode_constant(dc, 3, 0, 0)}, 2);
    return dc->status;
}

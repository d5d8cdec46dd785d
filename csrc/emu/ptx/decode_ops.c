/* Opcodes to code: most instructions are one row of ptx.def, found by a key made of the mnemonic
 * and its modifiers without rounding, .ftz and .sat; the rest have a decoder each (the table
 * below).
 *
 * Called with the opcode split into mnemonic and modifiers. A decoder reads its operands, turns
 * them into registers, emits one or more instructions and returns 0, or -1 after decode_fail. What
 * it emits may use temporaries freely: they cost rows only while they are alive.
 */
#include "emu/ptx/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 80

static const Type type_pred = {'p', 1, 0};
static const Type type_b32 = {'b', 32, 0};
static const Type type_u32 = {'u', 32, 0};
static const Type type_b64 = {'b', 64, 0};

/* The types among the modifiers, in their order: destination first where there are several. */
static int
types_of(const Decoder *dc, Type *types, int limit)
{
    int n = 0;
    for (size_t i = 0; i < dc->nmods && n < limit; i++) {
        n += decode_type(dc->mods[i].at, dc->mods[i].length, &types[n]);
    }
    return n;
}

/* Keys that would not fit are cut and then not found, so the instruction is refused. */
static void
append(char *key, const char *text, size_t length)
{
    size_t n = strlen(key);
    if (n + length < KEY_BYTES) {
        memcpy(key + n, text, length);
        key[n + length] = '\0';
    }
}

/* Rounding and flushing as an index of exec_alu.c's mode table. */
static uint8_t
float_mode(const Decoder *dc)
{
    static const char *const modes[] = {"rn", "rz", "rm", "rp"};
    /* .rn is 0, the processor's own mode, so most instructions need no change of it. */
    uint8_t csr = 0;
    for (uint8_t k = 0; k < 4; k++) {
        csr = decode_has(dc, modes[k]) ? k : csr;
    }
    return (uint8_t)(csr | (decode_has(dc, "ftz") ? 4 : 0));
}

static int
is_one_of(const Decoder *dc, size_t i, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (decode_is_mod(dc, i, *names)) {
            return 1;
        }
    }
    return 0;
}

/* Rounding and flushing are not part of a key: they change the mode of the loop, not the loop.
 * Saturation is a step of its own for floats, but part of the operation for integers. */
static void
plain_key(const Decoder *dc, char *key, int keep_sat)
{
    static const char *const dropped[] = {"rn", "rz", "rm", "rp", "ftz", "noftz", NULL};
    key[0] = '\0';
    append(key, dc->mnemonic, dc->mnemonic_length);
    for (size_t i = 0; i < dc->nmods; i++) {
        if (is_one_of(dc, i, dropped) || (!keep_sat && decode_is_mod(dc, i, "sat"))) {
            continue;
        }
        append(key, ".", 1);
        append(key, dc->mods[i].at, dc->mods[i].length);
    }
}

/* The type of an operand whose lanes have this width. */
static Type
operand_type(Type main, unsigned shift)
{
    if (decode_shift(main) == shift) {
        return main;
    }
    return shift == 0 ? type_pred : (Type){'u', (uint8_t)(8u << shift), 0};
}

static const char *
float_name(Type t)
{
    return t.kind == 'h'   ? (t.is_x2 ? "f16x2" : "f16")
           : t.kind == 'g' ? (t.is_x2 ? "bf16x2" : "bf16")
           : t.bits == 64  ? "f64"
                           : "f32";
}

/* The mnemonic alone, without modifiers. */
int
decode_is(const Decoder *dc, const char *name)
{
    return dc->mnemonic_length == strlen(name) &&
           memcmp(dc->mnemonic, name, dc->mnemonic_length) == 0;
}

int
decode_unsupported(Decoder *dc)
{
    return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length, dc->opcode.at);
}

/* "mul.f16" -> "mul.ftz.f16" where there is such a row: products are flushed before they are
 * rounded. */
static void
half_flush_key(const Decoder *dc, char *key)
{
    char other[KEY_BYTES];
    size_t n = dc->mnemonic_length;
    snprintf(other, sizeof other, "%.*s.ftz%s", (int)n, key, key + n);
    if (emu_lane_find(other) != NULL) {
        memcpy(key, other, sizeof other);
    }
}

/* "ex2.approx.f32" -> "ex2.exact.f32", "div.full.f32" -> "div.exact_full.f32" where there is such a
 * row. With GPUNP_EMU_EXACT=1 approximate instructions give the bits of an H200, by tables; else
 * they are computed in double and rounded once. */
static void
exact_key(const Decoder *dc, char *key)
{
    char other[KEY_BYTES];
    const char *approx = strstr(key, ".approx"), *full = strstr(key, ".full");
    if (approx == NULL && full == NULL) {
        return;
    }
    snprintf(other, sizeof other, "%.*s.exact%s%s", (int)dc->mnemonic_length, key,
             full != NULL ? "_full" : "",
             full != NULL ? full + sizeof ".full" - 1 : approx + sizeof ".approx" - 1);
    if (emu_lane_find(other) != NULL) {
        memcpy(key, other, sizeof other);
    }
}

/* The general decoder: one loop, found by its key, with flushes before and saturation after it. */
static int
decode_alu(Decoder *dc)
{
    char key[KEY_BYTES], flusher[16];
    Type types[4] = {type_b32};
    EmuRow ops[6];
    if (decode_operands(dc) != 0) {
        return -1;
    }
    /* The first type decides about the loop; operands of other widths follow from its signature. */
    types_of(dc, types, 4);
    Type main = types[0];
    int is_float = main.kind == 'f' || main.kind == 'h' || main.kind == 'g';
    plain_key(dc, key, !is_float);
    if (main.kind == 'h' && decode_has(dc, "ftz")) {
        half_flush_key(dc, key);
    }
    /* rsqrt.approx.f64 without .ftz is refined by the assembler; the .ftz form is the bare
     * approximation of the upper word. */
    if (strcmp(key, "rsqrt.approx.f64") == 0 && !decode_has(dc, "ftz")) {
        snprintf(key, sizeof key, "rsqrt.refined.f64");
    }
    if (emu_settings()->exact) {
        exact_key(dc, key);
    }
    const LaneEntry *entry = emu_lane_find(key);
    if (entry == NULL) {
        return decode_unsupported(dc);
    }
    /* Loops with two destinations have decoders of their own. */
    if (entry->nd != 1 || dc->noperands != (size_t)entry->ns + 1) {
        return decode_fail(dc, "wrong number of operands for '%.*s'", (int)dc->opcode.length,
                           dc->opcode.at);
    }
    /* MXCSR flushes for f32 arithmetic; the rest needs steps of its own */
    int is_half = main.kind == 'h' || main.kind == 'g';
    int flush = strstr(key, ".ftz") == NULL && decode_has(dc, "ftz") &&
                (is_half || (main.kind == 'f' && main.bits == 32));
    /* These look at bits or compare, which the flushing mode of the processor does not reach. */
    int by_bits = is_half || decode_is(dc, "neg") || decode_is(dc, "abs") || decode_is(dc, "min") ||
                  decode_is(dc, "max");
    for (size_t k = 1; k < dc->noperands; k++) {
        ops[k] = decode_source(dc, &dc->operands[k], operand_type(main, entry->shift[k]));
        if (flush && by_bits) {
            EmuRow t = decode_temp(dc, decode_shift(main));
            snprintf(flusher, sizeof flusher, "flush.%s", float_name(main));
            decode_lane(dc, flusher, (EmuRow[]){t, ops[k]}, 2);
            ops[k] = t;
        }
    }
    Type result = operand_type(main, entry->shift[0]);
    ops[0] = decode_target(dc, &dc->operands[0], result);
    Instr *in = decode_lane(dc, key, ops, dc->noperands);
    if (in == NULL) {
        return -1;
    }
    /* f64 has no .ftz, and half types round once from f32; their mode stays to nearest. */
    in->csr = main.kind == 'f' || main.kind == 'x' ? float_mode(dc) : 0;
    /* Half results may be subnormal again after rounding. */
    if (flush && is_half) {
        decode_lane(dc, flusher, (EmuRow[]){ops[0], ops[0]}, 2);
    }
    /* Saturation to [0, 1] comes last; NaN becomes 0 (PTX ISA, .sat). */
    if (is_float && decode_has(dc, "sat")) {
        snprintf(key, sizeof key, "sat.%s", float_name(main));
        decode_lane(dc, key, (EmuRow[]){ops[0], ops[0]}, 2);
    }
    decode_finish(dc, &dc->operands[0], ops[0], result);
    return dc->status;
}

static int
type_is_float(Type t)
{
    return t.kind == 'f' || t.kind == 'h' || t.kind == 'g';
}

/* The combination of a comparison with a predicate, .and, .or or .xor. */
static const char *
bool_op(const Decoder *dc)
{
    return decode_has(dc, "and") ? "and.pred" : decode_has(dc, "or") ? "or.pred" : "xor.pred";
}

/* min and max of integers with .relu, wherever it is written; three operands are two steps */
static int
decode_extreme(Decoder *dc)
{
    Type type = type_b32;
    char key[KEY_BYTES];
    types_of(dc, &type, 1);
    int is_single = type.kind == 'f' && type.bits == 32;
    int relu = decode_has(dc, "relu") && !type_is_float(type);
    int absolute = decode_has(dc, "abs") && !decode_has(dc, "xorsign");
    /* The operands are read before the form is known; the general decoder reads them again. */
    Lexer start = dc->lx;
    if (!relu && !is_single) {
        return decode_alu(dc);
    }
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands < 4 && !absolute && !relu) {
        dc->lx = start;
        return decode_alu(dc);
    }
    if (dc->noperands < 3 || dc->noperands > 4) {
        return decode_unsupported(dc);
    }
    /* What is done to each source first: flush, then absolute value. */
    const char *const steps[] = {is_single && decode_has(dc, "ftz") ? "flush.f32" : NULL,
                                 absolute ? "abs.f32" : NULL};
    snprintf(key, sizeof key, "%.*s%s.%s", (int)dc->mnemonic_length, dc->mnemonic,
             decode_has(dc, "NaN") ? ".NaN" : "",
             is_single    ? "f32"
             : type.is_x2 ? (type.kind == 's' ? "s16x2" : "u16x2")
                          : "s32");
    EmuRow s[4] = {0}, t = decode_temp(dc, 2);
    for (size_t k = 1; k < dc->noperands; k++) {
        s[k] = decode_source(dc, &dc->operands[k], type);
        /* Two optional steps for each source. */
        for (int i = 0; i < 2; i++) {
            if (steps[i] != NULL) {
                EmuRow next = decode_temp(dc, 2);
                decode_lane(dc, steps[i], (EmuRow[]){next, s[k]}, 2);
                s[k] = next;
            }
        }
    }
    EmuRow d = decode_target(dc, &dc->operands[0], type);
    decode_lane(dc, key, (EmuRow[]){t, s[1], s[2]}, 3);
    /* Three operands: the third is combined with the result of the first two. */
    if (dc->noperands == 4) {
        EmuRow u = decode_temp(dc, 2);
        decode_lane(dc, key, (EmuRow[]){u, t, s[3]}, 3);
        t = u;
    }
    const char *last = !relu ? "mov.b32" : type.is_x2 ? "relu.s16x2" : "relu.s32";
    decode_lane(dc, last, (EmuRow[]){d, t}, 2);
    return dc->status;
}

/* lop3.b32 d, a, b, c, table; lop3.op.b32 d|p, a, b, c, table, q: p = (d != 0) op q. The form with
 * a predicate (PTX ISA 8.2) compares the result with zero. */
static int
decode_lop3(Decoder *dc)
{
    if (!decode_has(dc, "and") && !decode_has(dc, "or")) {
        return decode_alu(dc);
    }
    if (decode_operands(dc) != 0 || dc->noperands != 6) {
        return decode_fail(dc, "bad lop3");
    }
    const Operand *o = dc->operands;
    EmuRow ops[5];
    for (size_t k = 1; k < 5; k++) {
        ops[k] = decode_source(dc, &o[k], type_b32);
    }
    EmuRow q = decode_source(dc, &o[5], type_pred), p = decode_temp(dc, 0);
    ops[0] = decode_target(dc, &o[0], type_b32);
    decode_lane(dc, "lop3.b32", ops, 5);
    decode_lane(dc, "setp.ne.u32", (EmuRow[]){p, ops[0], decode_constant(dc, 2, 0, 0)}, 3);
    if (o[0].second < DECODE_NO_REG - 1) {
        decode_lane(dc, bool_op(dc), (EmuRow[]){o[0].second, p, q}, 3);
    }
    return dc->status;
}

/* CC.CF, the one carry flag of a thread: a predicate register that exists in functions that use it.
 */
static EmuRow
carry_flag(Decoder *dc)
{
    if (dc->carry == DECODE_NO_REG) {
        dc->carry = decode_temp(dc, 0);
    }
    return dc->carry;
}

/* add.cc addc addc.cc sub.cc ... mad.lo.cc madc.hi ...: d, CC, a, b, (c), CC. All forms have one
 * signature of loops: result and new flag, then the sources and the old flag. */
static int
decode_carry(Decoder *dc)
{
    char key[KEY_BYTES];
    Type type = type_u32;
    EmuRow ops[6];
    size_t n = 0;
    int keeps = decode_has(dc, "cc");
    if (decode_operands(dc) != 0) {
        return -1;
    }
    types_of(dc, &type, 1);
    key[0] = '\0';
    append(key, dc->mnemonic, dc->mnemonic_length);
    const char *half = decode_has(dc, "lo") ? ".lo" : decode_has(dc, "hi") ? ".hi" : "";
    append(key, half, strlen(half));
    snprintf(key + strlen(key), sizeof key - strlen(key), ".cc.%c%d", type.kind, type.bits);
    ops[n++] = decode_target(dc, &dc->operands[0], type);
    /* Without .cc the carry of the result is dropped, but the loop writes one all the same. */
    ops[n++] = keeps ? carry_flag(dc) : decode_temp(dc, 0);
    for (size_t k = 1; k < dc->noperands && n < 5; k++) {
        ops[n++] = decode_source(dc, &dc->operands[k], type);
    }
    /* The old flag is always a source; plain add.cc has a loop that ignores it. */
    ops[n++] = carry_flag(dc);
    decode_lane(dc, key, ops, n);
    decode_finish(dc, &dc->operands[0], ops[0], type);
    return dc->status;
}

static int
decode_add(Decoder *dc)
{
    return decode_has(dc, "cc") ? decode_carry(dc) : decode_alu(dc);
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* mov.b32 {a, b}, r and its reverse; widths of the parts follow from the type. */
static int
decode_pack(Decoder *dc, Type type)
{
    int packs = dc->operands[1].kind == OPERAND_VECTOR;
    const Operand *vector = &dc->operands[packs], *scalar = &dc->operands[!packs];
    EmuRow parts[4], whole;
    if (vector->count != 2 && vector->count != 4) {
        return decode_fail(dc, "a vector of %u in a move", vector->count);
    }
    Type part = {'b', (uint8_t)(type.bits / vector->count), 0};
    for (uint32_t i = 0; i < vector->count; i++) {
        parts[i] = packs ? decode_source(dc, &vector->elements[i], part)
                         : decode_target(dc, &vector->elements[i], part);
    }
    whole = packs ? decode_target(dc, scalar, type) : decode_source(dc, scalar, type);
    Instr *in = decode_emit(dc, packs ? emu_run_pack : emu_run_unpack);
    in->count = (uint8_t)vector->count;
    in->size = part.bits == 8 ? 0 : (uint8_t)decode_shift(part); /* bytes live in 16-bit lanes */
    in->nd = (uint8_t)(packs ? 1 : vector->count);
    in->ns = (uint8_t)(packs ? vector->count : 1);
    memcpy(in->op + packs, parts, vector->count * sizeof *parts);
    in->op[packs ? 0 : vector->count] = whole;
    if (packs) {
        decode_finish(dc, scalar, whole, type);
    }
    else {
        /* Unpacked parts may have to be widened into their registers. */
        for (uint32_t i = 0; i < vector->count; i++) {
            decode_finish(dc, &vector->elements[i], parts[i], part);
        }
    }
    return dc->status;
}

/* The parts of an operand that is moved part by part: a list, or the halves of 128 bits. */
static uint32_t
parts_of(const Operand *o, Operand *parts)
{
    uint32_t n = o->kind == OPERAND_VECTOR ? o->count : 2;
    for (uint32_t i = 0; i < n && i < 4; i++) {
        parts[i] = o->kind == OPERAND_VECTOR ? o->elements[i] : *o;
        parts[i].reg = (EmuRow)(parts[i].reg + (o->kind == OPERAND_VECTOR ? 0 : i));
        parts[i].is_pair = 0;
    }
    /* 0 when the operand cannot be taken apart. */
    return o->kind != OPERAND_VECTOR && !o->is_pair ? 0 : n;
}

/* mov.b128 between registers and pairs of them; mov.v4.f32 and the like between vectors */
static int
move_parts(Decoder *dc, Type type)
{
    Operand to[4], from[4];
    uint32_t n = parts_of(&dc->operands[0], to), m = parts_of(&dc->operands[1], from);
    char key[16];
    EmuRow saved[4];
    if (n != m || n == 0 || n > 4 || (type.bits == 128 && n != 2)) {
        return decode_fail(dc, "a move between different vectors");
    }
    snprintf(key, sizeof key, "mov.b%d", 8 << decode_shift(type));
    /* All parts are read before any is written: mov may exchange the halves of a register. */
    for (uint32_t i = 0; i < n; i++) {
        saved[i] = decode_temp(dc, decode_shift(type));
        decode_lane(dc, key, (EmuRow[]){saved[i], decode_source(dc, &from[i], type)}, 2);
    }
    for (uint32_t i = 0; i < n && dc->status == 0; i++) {
        EmuRow d = decode_target(dc, &to[i], type);
        decode_lane(dc, key, (EmuRow[]){d, saved[i]}, 2);
        decode_finish(dc, &to[i], d, type);
    }
    return dc->status;
}

/* Moves of scalars, predicates, addresses and special registers. */
static int
decode_mov(Decoder *dc)
{
    Type type = type_b32;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    types_of(dc, &type, 1);
    if (dc->noperands != 2) {
        return decode_fail(dc, "mov takes two operands");
    }
    if (type.bits == 128 ||
        (dc->operands[0].kind == OPERAND_VECTOR && dc->operands[1].kind == OPERAND_VECTOR)) {
        return move_parts(dc, type);
    }
    if (dc->operands[0].kind == OPERAND_VECTOR || dc->operands[1].kind == OPERAND_VECTOR) {
        return decode_pack(dc, type);
    }
    char key[16];
    if (type.kind == 'p') {
        snprintf(key, sizeof key, "mov.pred");
    }
    else {
        snprintf(key, sizeof key, "mov.b%d", 8 << decode_shift(type));
    }
    size_t before = dc->ncode;
    EmuRow s = decode_source(dc, &dc->operands[1], type);
    EmuRow d = decode_target(dc, &dc->operands[0], type);
    /* The condition proves that the last instruction made the source, and that nothing else can
     * have seen it: a temporary has no other reader. */
    if (dc->ncode > before && s < DECODE_CONST && dc->code[dc->ncode - 1].nd == 1 &&
        dc->code[dc->ncode - 1].op[0] == s && decode_reg_shift(dc, s) == decode_reg_shift(dc, d)) {
        /* What made the source (a special register, an address) may write the destination: saves a
         * copy of each. */
        dc->code[dc->ncode - 1].op[0] = d;
    }
    else {
        decode_lane(dc, key, (EmuRow[]){d, s}, 2);
    }
    decode_finish(dc, &dc->operands[0], d, type);
    return dc->status;
}

/* cvta and cvta.to: between a state space and generic addresses. */
static int
decode_cvta(Decoder *dc)
{
    if (decode_operands(dc) != 0 || dc->noperands != 2) {
        return decode_fail(dc, "cvta takes two operands");
    }
    Type type = decode_has(dc, "u32") ? type_u32 : type_b64;
    EmuSpace space = decode_space(dc);
    /* Generic addresses of global and constant memory are host addresses; the other spaces are
     * windows, so cvta is one addition. A function's parameters lie in local memory. */
    uint64_t window = space == EMU_SPACE_SHARED                      ? EMU_SHARED_WINDOW
                      : space == EMU_SPACE_LOCAL                     ? EMU_LOCAL_WINDOW
                      : space == EMU_SPACE_PARAM && dc->fn->is_entry ? EMU_PARAM_WINDOW
                      : space == EMU_SPACE_PARAM                     ? EMU_LOCAL_WINDOW
                                                                     : 0;
    EmuRow s = decode_source(dc, &dc->operands[1], type);
    EmuRow d = decode_target(dc, &dc->operands[0], type);
    /* 32-bit addresses have no windows: generic and space address are the same. */
    if (window == 0 || type.bits == 32) {
        decode_lane(dc, type.bits == 32 ? "mov.b32" : "mov.b64", (EmuRow[]){d, s}, 2);
    }
    else {
        EmuRow w = decode_constant(dc, 3, window, 0);
        decode_lane(dc, decode_has(dc, "to") ? "sub.u64" : "add.u64", (EmuRow[]){d, s, w}, 3);
    }
    decode_finish(dc, &dc->operands[0], d, type);
    return dc->status;
}

/* mapa[.shared::cluster].type d, a, b; getctarank[.shared::cluster].type d, a. Addresses of shared
 * memory in another block of the cluster: the block's number is part of the address (exec.h). */
static int
decode_cluster_address(Decoder *dc)
{
    int maps = dc->mnemonic[0] == 'm';
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands != 2u + (unsigned)maps) {
        return decode_unsupported(dc);
    }
    Type type = decode_has(dc, "u64") ? type_b64 : type_b32;
    EmuRow a = decode_source(dc, &dc->operands[1], type);
    /* The second source of getctarank is the block's own rank, for addresses that name no block. */
    EmuRow r = maps ? decode_source(dc, &dc->operands[2], type_u32)
                    : decode_special(dc, "%cluster_ctarank");
    Type result = maps ? type : type_u32;
    EmuRow d = decode_target(dc, &dc->operands[0], result);
    char key[24];
    snprintf(key, sizeof key, "%s.u%d", maps ? "mapa" : "getctarank", type.bits);
    decode_lane(dc, key, (EmuRow[]){d, a, r}, 3);
    decode_finish(dc, &dc->operands[0], d, result);
    return dc->status;
}

/* The answer depends on the address at run time; only the space is known here. */
static int
decode_isspacep(Decoder *dc)
{
    if (decode_operands(dc) != 0 || dc->noperands != 2) {
        return decode_fail(dc, "isspacep takes two operands");
    }
    EmuRow s = decode_source(dc, &dc->operands[1], type_b64);
    EmuRow d = decode_target(dc, &dc->operands[0], type_pred);
    Instr *in = decode_emit(dc, emu_run_isspacep);
    in->space = (uint8_t)decode_space(dc);
    in->flags = decode_has(dc, "shared::cluster") ? EMU_FLAG_CLUSTER : 0;
    in->nd = in->ns = 1;
    in->op[0] = d;
    in->op[1] = s;
    return dc->status;
}

/* alloca.type d, bytes{, align};   stacksave.type d;   stackrestore.type a */
static int
decode_stack(Decoder *dc)
{
    Type type = type_b64;
    int saves = decode_is(dc, "stacksave"), restores = decode_is(dc, "stackrestore");
    uint64_t align = 8;
    EmuRow d = 0, s = 0;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    types_of(dc, &type, 1);
    /* stacksave has a destination only, stackrestore a source only, alloca both. */
    int alloca_align = !saves && !restores && dc->noperands == 3;
    if (dc->noperands != (size_t)(2 - saves - restores + alloca_align)) {
        return decode_unsupported(dc);
    }
    if (alloca_align) {
        /* The alignment must be a literal power of two (PTX ISA, alloca). */
        align = decode_number(&dc->operands[2], type_u32);
        if (dc->operands[2].kind != OPERAND_NUMBER || align == 0 || (align & (align - 1)) != 0 ||
            align > 1u << 23) {
            return decode_fail(dc, "an alignment that is no power of two");
        }
    }
    if (!saves) {
        s = decode_source(dc, &dc->operands[!restores], type);
    }
    if (!restores) {
        d = decode_target(dc, &dc->operands[0], type);
    }
    /* The handler tells the three apart by its numbers of operands. */
    Instr *in = decode_emit(dc, emu_run_stack);
    in->imm = (int64_t)align;
    in->nd = (uint8_t)!restores;
    in->ns = (uint8_t)!saves;
    in->op[0] = restores ? s : d;
    in->op[1] = s;
    if (!restores) {
        decode_finish(dc, &dc->operands[0], d, type);
    }
    dc->fn->recursive = 1; /* its need of stack is known only when it runs */
    return dc->status;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* setp.CMP[.BOOL][.ftz].type p[|q], a, b[, {!}c]; set.CMP[.BOOL].dtype.stype d, a, b[, c]. Compares
 * into a new predicate, combined with the optional third source. */
static EmuRow
compare(Decoder *dc, Type type, int want_other, EmuRow *other)
{
    char key[KEY_BYTES];
    static const char *const x2[] = {"f16x2", "bf16x2"};
    if (dc->nmods == 0 || type.is_x2) {
        decode_fail(dc, "unsupported comparison of %s", x2[type.kind == 'g']);
        return 0;
    }
    snprintf(key, sizeof key, "setp.%.*s.", (int)dc->mods[0].length, dc->mods[0].at);
    char name[8];
    if (type.kind == 'h' || type.kind == 'g' || type.kind == 'f') {
        snprintf(name, sizeof name, "%s", float_name(type));
    }
    else {
        snprintf(name, sizeof name, "%c%d", type.kind, type.bits);
    }
    append(key, name, strlen(name));
    EmuRow a = decode_source(dc, &dc->operands[1], type);
    EmuRow b = decode_source(dc, &dc->operands[2], type);
    /* f16 is computed in f32, where its subnormals are normal: .ftz must flush them before. */
    if (type.kind == 'h' && decode_has(dc, "ftz")) {
        EmuRow t[2] = {decode_temp(dc, 1), decode_temp(dc, 1)};
        decode_lane(dc, "flush.f16", (EmuRow[]){t[0], a}, 2);
        decode_lane(dc, "flush.f16", (EmuRow[]){t[1], b}, 2);
        a = t[0];
        b = t[1];
    }
    EmuRow p = decode_temp(dc, 0);
    Instr *in = decode_lane(dc, key, (EmuRow[]){p, a, b}, 3);
    if (in == NULL) {
        return 0;
    }
    /* Comparisons do not round; flushing concerns f32. */
    in->csr = type.kind == 'f' ? float_mode(dc) & 4 : 0;
    /* q of p|q is the negated comparison, combined with the same c. */
    if (want_other) {
        *other = decode_temp(dc, 0);
        decode_lane(dc, "not.pred", (EmuRow[]){*other, p}, 2);
    }
    /* The combination with the third source comes after the negation. */
    if (dc->noperands > 3) {
        EmuRow c = decode_source(dc, &dc->operands[3], type_pred);
        EmuRow t = decode_temp(dc, 0);
        decode_lane(dc, bool_op(dc), (EmuRow[]){t, p, c}, 3);
        if (want_other) {
            EmuRow u = decode_temp(dc, 0);
            decode_lane(dc, bool_op(dc), (EmuRow[]){u, *other, c}, 3);
            *other = u;
        }
        p = t;
    }
    return p;
}

/* Compares the halves of two packed operands; results: predicates of the lower and upper half.
 * f16x2 and bf16x2 have no loop for comparisons of their own. */
static void
compare_halves(Decoder *dc, Type type, EmuRow *results)
{
    /* Index 0 is unused: operands are numbered from the destination. */
    EmuRow halves[3][2];
    for (size_t k = 1; k < 3; k++) {
        EmuRow s = decode_source(dc, &dc->operands[k], type_b32);
        halves[k][0] = decode_temp(dc, 1);
        halves[k][1] = decode_temp(dc, 1);
        Instr *in = decode_emit(dc, emu_run_unpack);
        in->count = 2;
        in->size = 1;
        in->nd = 2;
        in->ns = 1;
        in->op[0] = halves[k][0];
        in->op[1] = halves[k][1];
        in->op[2] = s;
    }
    for (size_t h = 0; h < 2; h++) {
        EmuRow ignored;
        /* The halves take the place of the operands, so that compare() reads them. */
        dc->operands[1] = (Operand){.kind = OPERAND_REG, .reg = halves[1][h]};
        dc->operands[2] = (Operand){.kind = OPERAND_REG, .reg = halves[2][h]};
        results[h] = compare(dc, (Type){type.kind, 16, 0}, 0, &ignored);
    }
}

/* setp of packed halves: p for the lower, q for the upper */
static int
decode_setp_halves(Decoder *dc, Type type)
{
    EmuRow p[2];
    Operand *o = &dc->operands[0];
    compare_halves(dc, type, p);
    /* A sink as destination drops the predicate. */
    if (dc->status == 0 && o->kind == OPERAND_REG) {
        decode_lane(dc, "mov.pred", (EmuRow[]){o->reg, p[0]}, 2);
    }
    if (dc->status == 0 && o->second < DECODE_NO_REG - 1) {
        decode_lane(dc, "mov.pred", (EmuRow[]){o->second, p[1]}, 2);
    }
    return dc->status;
}

/* slct.type.s32|f32 d, a, b, c: a where c >= 0. A selection by the sign of a number; NaN selects b
 * (PTX ISA, slct). */
static int
decode_slct(Decoder *dc)
{
    char key[KEY_BYTES];
    Type types[2] = {type_b32, type_b32};
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands != 4 || types_of(dc, types, 2) != 2) {
        return decode_fail(dc, "bad slct");
    }
    EmuRow a = decode_source(dc, &dc->operands[1], types[0]);
    EmuRow b = decode_source(dc, &dc->operands[2], types[0]);
    EmuRow c = decode_source(dc, &dc->operands[3], types[1]);
    /* .ftz flushes the selector, which is compared with zero. */
    if (types[1].kind == 'f' && decode_has(dc, "ftz")) {
        EmuRow t = decode_temp(dc, 2);
        decode_lane(dc, "flush.f32", (EmuRow[]){t, c}, 2);
        c = t;
    }
    EmuRow d = decode_target(dc, &dc->operands[0], types[0]);
    snprintf(key, sizeof key, "slct.b%d.%s", types[0].bits, types[1].kind == 'f' ? "f32" : "s32");
    decode_lane(dc, key, (EmuRow[]){d, a, b, c}, 4);
    decode_finish(dc, &dc->operands[0], d, types[0]);
    return dc->status;
}

/* setp writes one predicate, or two that differ by the negated comparison. */
static int
decode_setp(Decoder *dc)
{
    Type type = type_u32;
    EmuRow q = 0;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands < 3 || types_of(dc, &type, 1) != 1) {
        return decode_fail(dc, "bad setp");
    }
    if (type.is_x2) {
        return decode_setp_halves(dc, type);
    }
    Operand *o = &dc->operands[0];
    /* A discarded q needs no instruction. */
    int want_q = o->second != DECODE_NO_REG && o->second != DECODE_NO_REG - 1;
    size_t first = dc->ncode;
    EmuRow p = compare(dc, type, want_q, &q);
    if (dc->status != 0) {
        return -1;
    }
    if (o->kind == OPERAND_REG && !want_q && dc->ncode > first) {
        /* the last instruction may write the predicate itself */
        dc->code[dc->ncode - 1].op[0] = o->reg;
        return 0;
    }
    if (o->kind == OPERAND_REG) {
        decode_lane(dc, "mov.pred", (EmuRow[]){o->reg, p}, 2);
    }
    if (want_q) {
        decode_lane(dc, "mov.pred", (EmuRow[]){o->second, q}, 2);
    }
    return dc->status;
}

/* set writes a number instead of a predicate: all ones for integers, 1.0 for floats. */
static int
decode_set(Decoder *dc)
{
    Type types[2] = {type_u32, type_u32};
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands < 3 || types_of(dc, types, 2) != 2) {
        return decode_fail(dc, "bad set");
    }
    Type d = types[0];
    uint64_t one = d.kind == 'f'   ? 0x3f800000u
                   : d.kind == 'h' ? 0x3c00
                   : d.kind == 'g' ? 0x3f80
                   : d.bits == 16  ? 0xffff
                                   : 0xffffffffu;
    if (types[1].is_x2) {
        /* two comparisons of the halves */
        EmuRow p[2], results[2];
        compare_halves(dc, types[1], p);
        if (dc->status != 0) {
            return -1;
        }
        for (size_t h = 0; h < 2; h++) {
            results[h] = decode_temp(dc, 1);
            decode_lane(dc, "selp.b16",
                        /* Halves of integers are all ones, halves of floats are 1.0. */
                        (EmuRow[]){results[h], decode_constant(dc, 1, d.is_x2 ? one : 0xffff, 0),
                                   decode_constant(dc, 1, 0, 0), p[h]},
                        4);
        }
        EmuRow r = decode_target(dc, &dc->operands[0], type_b32);
        Instr *in = decode_emit(dc, emu_run_pack);
        *in = (Instr){.run = emu_run_pack,
                      .count = 2,
                      .size = 1,
                      .nd = 1,
                      .ns = 2,
                      .op = {r, results[0], results[1]},
                      .line = dc->line};
        return dc->status;
    }
    EmuRow ignored;
    EmuRow p = compare(dc, types[1], 0, &ignored);
    EmuRow r = decode_target(dc, &dc->operands[0], d);
    decode_lane(dc, decode_shift(d) == 1 ? "selp.b16" : "selp.b32",
                (EmuRow[]){r, decode_constant(dc, decode_shift(d), one, 0),
                           decode_constant(dc, decode_shift(d), 0, 0), p},
                4);
    return dc->status;
}

/* ---- control --------------------------------------------------------------------------------- */

/* bra and bra.uni; guarded branches are emitted by decode.c. */
static int
decode_bra(Decoder *dc)
{
    Instr *in = decode_emit(dc, emu_run_jump);
    in->flow = EMU_FLOW_JUMP;
    decode_reference(dc, dc->lx.token, (int32_t)dc->ncode - 1, NULL);
    emu_lex_next(&dc->lx);
    return emu_lex_accept(&dc->lx, ";") ? dc->status : decode_fail(dc, "expected ;");
}

/* brx.idx jumps through a table of labels declared by .branchtargets. */
static int
decode_brx(Decoder *dc)
{
    if (decode_operands(dc) != 0) {
        return -1;
    }
    const Operand *o = &dc->operands[1];
    if (dc->noperands != 2 || o->kind != OPERAND_SYMBOL || o->name != NAME_TARGETS) {
        return decode_fail(dc, "brx.idx needs an index and a .branchtargets label");
    }
    EmuRow index = decode_source(dc, &dc->operands[0], type_u32);
    LocalName *l = &dc->names[o->index];
    /* The table is the function's: the instruction points to it. */
    int32_t *table = decode_keep(dc, (l->nlabels + 1) * sizeof *table);
    if (table == NULL) {
        return -1;
    }
    for (size_t i = 0; i < l->nlabels; i++) {
        decode_reference(dc, ((Token *)(void *)l->params)[i], -1, &table[i]);
    }
    Instr *in = decode_emit(dc, emu_run_table);
    in->flow = EMU_FLOW_TABLE;
    in->ns = 1;
    in->op[0] = index;
    in->table = table;
    in->target = (int32_t)l->nlabels;
    return dc->status;
}

/* An instruction without operands that matter: they are read and forgotten. */
int
decode_bare(Decoder *dc, EmuHandler run, uint8_t flow)
{
    if (decode_operands(dc) != 0) {
        return -1;
    }
    decode_emit(dc, run)->flow = flow;
    return dc->status;
}

static int
decode_ret(Decoder *dc)
{
    return decode_bare(dc, emu_run_ret, EMU_FLOW_END);
}

static int
decode_exit(Decoder *dc)
{
    return decode_bare(dc, emu_run_exit, EMU_FLOW_END);
}

/* trap ends the launch when it runs; control flow analysis may still follow it. */
static int
decode_trap(Decoder *dc)
{
    return decode_bare(dc, emu_run_trap, EMU_FLOW_NEXT);
}

/* Hints for caches, counters and dependent launches have no effect on results. */
static int
decode_nop(Decoder *dc)
{
    /* prefetch, discard, pmevent, applypriority: hints; their operands are not even looked at */
    while (dc->lx.token.kind != TOKEN_END && !emu_lex_accept(&dc->lx, ";")) {
        emu_lex_next(&dc->lx);
    }
    return dc->status;
}

/* All fences are full ones; scopes and kinds make no difference here (exec_control.c). */
static int
decode_fence(Decoder *dc)
{
    return decode_bare(dc, emu_run_fence, EMU_FLOW_NEXT);
}

/* The handler needs the duration of each lane. */
static int
decode_sleep(Decoder *dc)
{
    if (decode_operands(dc) != 0 || dc->noperands != 1) {
        return decode_unsupported(dc);
    }
    EmuRow s = decode_source(dc, &dc->operands[0], type_u32);
    Instr *in = decode_emit(dc, emu_run_sleep);
    in->ns = 1;
    in->op[0] = s;
    return dc->status;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Opcodes that are more than one lane operation. Everything else goes to decode_alu, which refuses
 * what has no row in ptx.def. */
static const struct {
    const char *mnemonic;
    int (*decode)(Decoder *dc);
} rows[] = {
    {"cp", decode_copy},
    {"ld", decode_load},
    {"ldu", decode_load},
    {"st", decode_store},
    {"mov", decode_mov},
    {"setp", decode_setp},
    {"slct", decode_slct},
    {"set", decode_set},
    {"cvt", decode_convert},
    {"cvta", decode_cvta},
    {"bra", decode_bra},
    {"add", decode_add},
    {"sub", decode_add},
    {"mad", decode_add},
    {"addc", decode_carry},
    {"subc", decode_carry},
    {"madc", decode_carry},
    {"vadd", decode_video},
    {"vsub", decode_video},
    {"vabsdiff", decode_video},
    {"vmin", decode_video},
    {"vmax", decode_video},
    {"vshl", decode_video},
    {"vshr", decode_video},
    {"vmad", decode_video},
    {"vset", decode_video},
    {"vadd2", decode_video},
    {"vadd4", decode_video},
    {"vsub2", decode_video},
    {"vsub4", decode_video},
    {"vabsdiff2", decode_video},
    {"vabsdiff4", decode_video},
    {"vmin2", decode_video},
    {"vmin4", decode_video},
    {"vmax2", decode_video},
    {"vmax4", decode_video},
    {"vavrg2", decode_video},
    {"vavrg4", decode_video},
    {"vset2", decode_video},
    {"vset4", decode_video},
    {"ret", decode_ret},
    {"exit", decode_exit},
    {"trap", decode_trap},
    {"brkpt", decode_trap},
    {"call", decode_call},
    {"brx", decode_brx},
    {"atom", decode_atom},
    {"red", decode_atom},
    {"bar", decode_bar},
    {"barrier", decode_bar},
    {"membar", decode_fence},
    {"fence", decode_fence},
    {"shfl", decode_shfl},
    {"vote", decode_vote},
    {"match", decode_match},
    {"redux", decode_redux},
    {"activemask", decode_activemask},
    {"elect", decode_elect},
    {"tex", decode_texture},
    {"tld4", decode_texture},
    {"suld", decode_texture},
    {"sust", decode_texture},
    {"sured", decode_texture},
    {"txq", decode_texture},
    {"suq", decode_texture},
    {"isspacep", decode_isspacep},
    {"nanosleep", decode_sleep},
    {"prefetch", decode_nop},
    {"prefetchu", decode_nop},
    {"discard", decode_nop},
    {"applypriority", decode_nop},
    {"pmevent", decode_nop},
    {"griddepcontrol", decode_nop},
    {"setmaxnreg", decode_nop},
    {"mma", decode_mma},
    {"min", decode_extreme},
    {"max", decode_extreme},
    {"lop3", decode_lop3},
    {"mapa", decode_cluster_address},
    {"getctarank", decode_cluster_address},
    {"mbarrier", decode_mbarrier},
    {"tensormap", decode_tensor_map},
    {"createpolicy", decode_policy},
    {"wmma", decode_wmma},
    {"ldmatrix", decode_matrix_rows},
    {"stmatrix", decode_matrix_rows},
    {"movmatrix", decode_matrix_turn},
    {"alloca", decode_stack},
    {"stacksave", decode_stack},
    {"stackrestore", decode_stack},
};

/* A linear search: decoding happens once per function. */
int
decode_instruction(Decoder *dc)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (decode_is(dc, rows[i].mnemonic)) {
            return rows[i].decode(dc);
        }
    }
    return decode_alu(dc);
}

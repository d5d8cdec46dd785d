/* cvt: every pair of types as a chain of one to three rows. Rounding to an integer is done under
 * the MXCSR mode, so .rni .rzi .rmi .rpi are modes like .rn .rz .rm .rp.
 *
 * The chains are put together so that the value is rounded once: steps before the last are exact,
 * or round to odd, which keeps a second rounding correct. Saturation, .relu and .satfinite are
 * steps behind the rounding.
 */
#include "emu/ptx/decode.h"

#include <stdio.h>
#include <string.h>

static int
is_float(Type t)
{
    return t.kind == 'f' || t.kind == 'h' || t.kind == 'g';
}

/* The name of a type in the keys of ptx.def: bit types count as unsigned. */
static const char *
name_of(Type t, char *text)
{
    if (t.kind == 'h' || t.kind == 'g') {
        snprintf(text, 12, "%s", t.kind == 'h' ? "f16" : "bf16");
    }
    else {
        snprintf(text, 12, "%c%d", t.kind == 'b' ? 'u' : t.kind, t.bits);
    }
    return text;
}

/* 0 rn, 1 rz, 2 rm, 3 rp; *integer: one of the .r?i forms */
static uint8_t
rounding(const Decoder *dc, int *integer)
{
    static const char *const plain[] = {"rn", "rz", "rm", "rp"};
    static const char *const whole[] = {"rni", "rzi", "rmi", "rpi"};
    uint8_t mode = 0;
    *integer = 0;
    for (uint8_t k = 0; k < 4; k++) {
        /* The index is that of emu_float_mode. */
        if (decode_has(dc, plain[k])) {
            mode = k;
        }
        if (decode_has(dc, whole[k])) {
            mode = k;
            *integer = 1;
        }
    }
    return mode;
}

/* One row from -> to; returns the register of the result. */
static EmuRow
step(Decoder *dc, const char *key, EmuRow from, unsigned shift, uint8_t csr)
{
    EmuRow d = decode_temp(dc, shift);
    Instr *in = decode_lane(dc, key, (EmuRow[]){d, from}, 2);
    if (in != NULL) {
        in->csr = csr;
    }
    return d;
}

/* .sat limits floats to [0, 1]. */
static EmuRow
saturate(Decoder *dc, EmuRow r, Type type)
{
    char key[16], text[12];
    if (!decode_has(dc, "sat")) {
        return r;
    }
    snprintf(key, sizeof key, "sat.%s", name_of(type, text));
    return step(dc, key, r, decode_shift(type), 0);
}

/* Any float to f32 or f64, exactly (but for f64 -> f32). */
static EmuRow
to_float(Decoder *dc, EmuRow r, Type from, unsigned bits, uint8_t csr)
{
    /* Halves are exact in both wider types, so no mode matters. */
    if (from.kind != 'f' && bits == 64) {
        return step(dc, from.kind == 'h' ? "cvt.f64.f16" : "cvt.f64.bf16", r, 3, 0);
    }
    if (from.kind != 'f') {
        r = step(dc, from.kind == 'h' ? "cvt.f32.f16" : "cvt.f32.bf16", r, 2, 0);
        from = (Type){'f', 32, 0};
    }
    /* Only narrowing rounds, under the caller's mode. */
    if (from.bits != bits) {
        r = step(dc, bits == 64 ? "cvt.f64.f32" : "cvt.f32.f64", r, bits == 64 ? 3 : 2, csr);
    }
    return r;
}

/* f32 or f64 to a 16-bit float. To nearest from f32 there is a loop; other modes and f64 go through
 * double, whose loops round by integers, independent of MXCSR. */
static EmuRow
to_half(Decoder *dc, EmuRow r, Type from, Type to, uint8_t mode)
{
    static const char *const names[] = {"rn", "rz", "rm", "rp"};
    char key[32], text[12];
    if (from.bits == 32 && mode == 0) {
        snprintf(key, sizeof key, "cvt.%s.f32", name_of(to, text));
        return step(dc, key, r, 1, 0);
    }
    if (from.kind == 'f' && from.bits == 32) {
        /* One NaN for all before it is cut to a half. */
        r = step(dc, "canon.f32", r, 2, 0);
    }
    r = to_float(dc, r, from, 64, 0);
    snprintf(key, sizeof key, "cvt.%s.%s.f64", names[mode], name_of(to, text));
    return step(dc, key, r, 1, 0);
}

/* Integers: truncation and extension, or clamping for .sat. */
static EmuRow
convert_int(Decoder *dc, EmuRow r, Type from, Type to)
{
    char key[40], a[12], b[12];
    if (!decode_has(dc, "sat")) {
        /* only 8-bit results, which are extended to 16, differ by sign */
        Type bits = {to.bits == 8 ? to.kind : 'u', to.bits, 0};
        snprintf(key, sizeof key, "cvt.%s.%s", name_of(bits, a), name_of(from, b));
        return step(dc, key, r, decode_shift(to), 0);
    }
    /* u64 does not fit into the signed 64 bits that clamping works on, so its upper half is cut
     * first. */
    if (from.kind == 'u' && from.bits == 64) {
        if (to.kind == 'u' && to.bits == 64) {
            return step(dc, "mov.b64", r, 3, 0);
        }
        r = step(dc, "clamp.s64.u64", r, 3, 0);
    }
    else {
        snprintf(key, sizeof key, "cvt.u64.%s", name_of(from, b));
        r = step(dc, key, r, 3, 0);
    }
    /* Every signed or smaller value has been widened to s64 by now, which is the result. */
    if (to.kind == 's' && to.bits == 64) {
        return r;
    }
    snprintf(key, sizeof key, "clamp.%s.s64", name_of(to, a));
    return step(dc, key, r, decode_shift(to), 0);
}

/* Integers to floats. f32 and f64 round once in hardware, under the mode. */
static EmuRow
from_int(Decoder *dc, EmuRow r, Type from, Type to, uint8_t mode)
{
    char key[40], a[12], b[12];
    if (to.kind == 'f') {
        snprintf(key, sizeof key, "cvt.%s.%s", name_of(to, a), name_of(from, b));
        return saturate(dc, step(dc, key, r, decode_shift(to), mode), to);
    }
    /* Halves go through double: exact for 32 bits; for 64 bits rounded to odd, so that the second
     * rounding is right (Boldo and Melquiond, 2008). */
    snprintf(key, sizeof key, from.bits == 64 ? "cvt.odd.%s" : "cvt.f64.%s", name_of(from, b));
    r = step(dc, key, r, 3, 0);
    return saturate(dc, to_half(dc, r, (Type){'f', 64, 0}, to, mode), to);
}

/* To integers under the rounding mode; the loop decides about NaN and values out of range (PTX ISA,
 * cvt). */
static EmuRow
to_int(Decoder *dc, EmuRow r, Type from, Type to, uint8_t csr)
{
    char key[40], a[12], b[12];
    /* Halves become f32 exactly first. */
    if (from.kind != 'f') {
        r = to_float(dc, r, from, 32, 0);
        from = (Type){'f', 32, 0};
    }
    snprintf(key, sizeof key, "cvt.%s.%s", name_of(to, a), name_of(from, b));
    return step(dc, key, r, decode_shift(to), csr);
}

/* Between floats: rounding to whole numbers first (.rni and its like), then the change of format.
 */
static EmuRow
float_to_float(Decoder *dc, EmuRow r, Type from, Type to, uint8_t mode, int integer)
{
    uint8_t flush = decode_has(dc, "ftz") ? 4 : 0;
    /* Rounding to a whole number happens in the source's format; what follows is exact. */
    if (integer) {
        unsigned bits = from.kind == 'f' ? from.bits : 32;
        r = to_float(dc, r, from, bits, 0);
        r = step(dc, bits == 64 ? "cvt.rint.f64" : "cvt.rint.f32", r, bits == 64 ? 3 : 2,
                 (uint8_t)(mode | flush));
        from = (Type){'f', (uint8_t)bits, 0};
        /* The rounding is spent: the result needs none. */
        mode = 0;
    }
    if (to.kind == 'f') {
        /* Flushing looks at bits, and is not left to a conversion that might be exact. */
        if (flush && from.kind == 'f' && from.bits == 32) {
            r = step(dc, "flush.f32", r, 2, 0);
            r = step(dc, "canon.f32", r, 2, 0);
        }
        r = to_float(dc, r, from, to.bits, (uint8_t)(mode | flush));
        if (flush && from.kind != 'f' && to.bits == 32) { /* bfloat16 has float32's subnormals */
            r = step(dc, "flush.f32", r, 2, 0);
            r = step(dc, "canon.f32", r, 2, 0);
        }
        return saturate(dc, r, to);
    }
    /* Same format and no rounding left. */
    if (from.kind == to.kind) {
        return r;
    }
    /* f16 and bf16 convert to each other through f32. */
    r = from.kind == 'f' ? r : to_float(dc, r, from, 32, 0);
    from = from.kind == 'f' ? from : (Type){'f', 32, 0};
    r = to_half(dc, r, from, to, mode);
    /* Overflow gives the largest finite number instead of infinity. */
    if (decode_has(dc, "satfinite")) {
        r = step(dc, to.kind == 'h' ? "limit.f16" : "limit.bf16", r, 1, 0);
    }
    /* Negative results become 0. */
    if (decode_has(dc, "relu")) {
        r = step(dc, to.kind == 'h' ? "relu.f16" : "relu.bf16", r, 1, 0);
    }
    return saturate(dc, r, to);
}

/* cvt.rn.f16x2.f32 d, a, b: a to the upper half */
static int
convert_pair(Decoder *dc, Type to, uint8_t mode)
{
    Type f32 = {'f', 32, 0}, half = {to.kind, 16, 0}, b32 = {'b', 32, 0};
    EmuRow high = decode_source(dc, &dc->operands[1], f32);
    EmuRow low = decode_source(dc, &dc->operands[2], f32);
    EmuRow d = decode_target(dc, &dc->operands[0], b32);
    /* The usual form has a loop of its own. */
    if (mode == 0 && !decode_has(dc, "relu") && !decode_has(dc, "satfinite")) {
        decode_lane(dc, to.kind == 'h' ? "cvt.f16x2.f32" : "cvt.bf16x2.f32",
                    (EmuRow[]){d, high, low}, 3);
        return dc->status;
    }
    high = float_to_float(dc, high, f32, half, mode, 0);
    low = float_to_float(dc, low, f32, half, mode, 0);
    /* The first operand is the upper half (PTX ISA, cvt). */
    Instr *in = decode_emit(dc, emu_run_pack);
    in->count = 2;
    in->size = 1;
    in->nd = 1;
    in->ns = 2;
    in->op[0] = d;
    in->op[1] = low;
    in->op[2] = high;
    return dc->status;
}

/* cvt.rn.satfinite.e4m3x2.f32 d, a, b;  .f16x2 d, a;  and back: one row each */
static int
convert_fp8(Decoder *dc, Type to, Type from)
{
    char key[48] = "cvt";
    /* The key is made of the types in their order. */
    for (size_t i = 0; i < dc->nmods; i++) {
        Type type;
        if (decode_type(dc->mods[i].at, dc->mods[i].length, &type)) {
            size_t n = strlen(key);
            snprintf(key + n, sizeof key - n, ".%.*s", (int)dc->mods[i].length, dc->mods[i].at);
        }
    }
    EmuRow ops[3];
    if (dc->noperands < 2 || dc->noperands > 3) {
        return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length,
                           dc->opcode.at);
    }
    for (size_t k = 1; k < dc->noperands; k++) {
        ops[k] = decode_source(dc, &dc->operands[k], from);
    }
    ops[0] = decode_target(dc, &dc->operands[0], to);
    decode_lane(dc, key, ops, dc->noperands);
    /* relu works on both elements in place. */
    if (decode_has(dc, "relu")) {
        decode_lane(dc, to.kind == 'e' ? "relu.e4m3x2" : "relu.f16x2", (EmuRow[]){ops[0], ops[0]},
                    2);
    }
    return dc->status;
}

/* cvt.rna.tf32.f32 d, a;  .rn, .rz, .relu, .satfinite */
static int
convert_tf32(Decoder *dc)
{
    Type type = {'b', 32, 0};
    char key[32];
    /* .rna, the only mode at first, rounds ties away from zero. */
    snprintf(key, sizeof key, "cvt.%s.tf32.f32",
             decode_has(dc, "rn")   ? "rn"
             : decode_has(dc, "rz") ? "rz"
                                    : "rna");
    EmuRow d = step(dc, key, decode_source(dc, &dc->operands[1], type), 2, 0);
    if (decode_has(dc, "satfinite")) {
        d = step(dc, "limit.tf32", d, 2, 0);
    }
    if (decode_has(dc, "relu")) {
        d = step(dc, "relu.tf32", d, 2, 0);
    }
    decode_finish(dc, &dc->operands[0], d, type);
    return dc->status;
}

/* cvt.pack.sat.u16.s32 d, a, b;   cvt.pack.sat.u8.s32.b32 d, a, b, c */
static int
convert_pack(Decoder *dc)
{
    /* The modifiers are pack, sat, the result's type and the source's. */
    const char *to = dc->nmods > 2 ? dc->mods[2].at : "";
    unsigned bits = 0;
    for (size_t i = 1; dc->nmods > 2 && i < dc->mods[2].length && to[i] >= '0' && to[i] <= '9';
         i++) {
        bits = (bits * 10 + (unsigned)(to[i] - '0')) % 100;
    }
    if ((bits != 2 && bits != 4 && bits != 8 && bits != 16) || !decode_is_mod(dc, 1, "sat") ||
        (*to != 'u' && *to != 's') || dc->noperands != (bits == 16 ? 3u : 4u)) {
        return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length,
                           dc->opcode.at);
    }
    Type b32 = {'b', 32, 0};
    /* The width and the sign travel in the last source. */
    EmuRow ops[5] = {0, 0, 0, decode_constant(dc, 2, 0, 0),
                     decode_constant(dc, 2, bits | (*to == 's' ? 64u : 0), 0)};
    for (size_t k = 1; k < dc->noperands; k++) {
        ops[k] = decode_source(dc, &dc->operands[k], b32);
    }
    ops[0] = decode_target(dc, &dc->operands[0], b32);
    decode_lane(dc, "cvt.pack", ops, 5);
    return dc->status;
}

int
decode_convert(Decoder *dc)
{
    Type types[2];
    int n = 0, integer;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    /* Before types are read: "pack" has its own order of them. */
    if (decode_is_mod(dc, 0, "pack")) {
        return convert_pack(dc);
    }
    /* Destination and source type, in this order. */
    for (size_t i = 0; i < dc->nmods && n < 2; i++) {
        n += decode_type(dc->mods[i].at, dc->mods[i].length, &types[n]);
    }
    uint8_t mode = rounding(dc, &integer);
    if (n == 2 && decode_has(dc, "tf32") && dc->noperands == 2) {
        return convert_tf32(dc);
    }
    if (n == 2 && (types[0].kind == 'e' || types[1].kind == 'e')) {
        return convert_fp8(dc, types[0], types[1]);
    }
    /* Two sources make a pair of halves. */
    if (n == 2 && types[0].is_x2 && types[1].kind == 'f' && types[1].bits == 32 &&
        dc->noperands == 3) {
        return convert_pair(dc, types[0], mode);
    }
    if (n != 2 || dc->noperands != 2 || types[0].is_x2 || types[1].is_x2) {
        return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length,
                           dc->opcode.at);
    }
    Type to = types[0], from = types[1];
    uint8_t csr = (uint8_t)(mode | (decode_has(dc, "ftz") ? 4 : 0));
    EmuRow r = decode_source(dc, &dc->operands[1], from);
    size_t before = dc->ncode;
    EmuRow d = !is_float(from) && !is_float(to) ? convert_int(dc, r, from, to)
               : !is_float(from)                ? from_int(dc, r, from, to, mode)
               : !is_float(to)                  ? to_int(dc, r, from, to, csr)
                                                : float_to_float(dc, r, from, to, mode, integer);
    if (dc->status != 0) {
        return -1;
    }
    const Operand *o = &dc->operands[0];
    if (o->kind == OPERAND_REG && decode_reg_shift(dc, o->reg) == decode_shift(to)) {
        /* The last instruction of the chain writes the destination itself. */
        if (dc->ncode > before && dc->code[dc->ncode - 1].op[0] == d) {
            dc->code[dc->ncode - 1].op[0] = o->reg;
        }
        else {
            char key[16];
            snprintf(key, sizeof key, "mov.b%d", 8 << decode_shift(to));
            decode_lane(dc, key, (EmuRow[]){o->reg, d}, 2);
        }
        return dc->status;
    }
    decode_finish(dc, o, d, to);
    return dc->status;
}

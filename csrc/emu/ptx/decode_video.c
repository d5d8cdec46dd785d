/* vadd vsub vabsdiff vmin vmax vshl vshr vmad vset and the forms of two and four parts.
 *
 * They are old, but compilers still emit some: NVRTC 13.0 makes vabsdiff2 and vabsdiff4 of the
 * intrinsics __vabsdiffu4, __vsadu2, __vsadu4 and their signed forms, for every architecture.
 *
 * Called by decode_ops.c. The instruction is put together as an EmuVideo in imm and a few more bits
 * in target; exec_video.c reads both.
 */
#include "emu/ptx/decode.h"

#include <string.h>

static const Type type_b32 = {'b', 32, 0};

static const struct {
    const char *name;
    uint8_t op, most; /* most: how many parts there can be */
} ops[] = {
    {"vadd", VIDEO_ADD, 4}, {"vsub", VIDEO_SUB, 4}, {"vabsdiff", VIDEO_ABSDIFF, 4},
    {"vmin", VIDEO_MIN, 4}, {"vmax", VIDEO_MAX, 4}, {"vavrg", VIDEO_AVERAGE, 4},
    {"vshl", VIDEO_SHL, 1}, {"vshr", VIDEO_SHR, 1}, {"vmad", VIDEO_MAD, 1},
    {"vset", VIDEO_SET, 4},
};

/* The operation of a mnemonic and its number of parts; 0 when there is no such instruction. */
static int
parse_name(const Decoder *dc, EmuVideo *v)
{
    size_t length = dc->mnemonic_length;
    /* The mnemonic's last character tells how many parts the SIMD forms have. */
    char last = dc->mnemonic[length - 1];
    v->lanes = last == '2' ? 2 : last == '4' ? 4 : 1;
    length -= v->lanes != 1;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (strlen(ops[i].name) == length && memcmp(ops[i].name, dc->mnemonic, length) == 0 &&
            v->lanes <= ops[i].most) {
            v->op = ops[i].op;
            return 1;
        }
    }
    return 0;
}

/* .b0 ... .h1: which bits of an operand */
static void
selector(const Operand *o, uint32_t *at, uint32_t *bits)
{
    /* Without a selector the whole word counts. */
    *at = o->selector == 0   ? 0
          : o->selector <= 4 ? 8u * (o->selector - 1u)
                             : 16u * (o->selector - 5u);
    *bits = o->selector == 0 ? 32 : o->selector <= 4 ? 8 : 16;
}

static int
parse_modifiers(Decoder *dc, EmuVideo *v)
{
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    Type types[3] = {type_b32, type_b32, type_b32};
    /* vset alone needs a comparison. */
    int n = 0, seen = v->op != VIDEO_SET;
    for (size_t i = 0; i < dc->nmods && n < 3; i++) {
        n += decode_type(dc->mods[i].at, dc->mods[i].length, &types[n]);
    }
    for (uint32_t k = 0; k < 6; k++) {
        if (decode_has(dc, compares[k])) {
            v->compare = k & 7;
            seen = 1;
        }
    }
    /* a scalar vset names the types of its sources only; its minima and maxima go by the first */
    int first = n == 3;
    v->d_signed = types[0].kind == 's';
    v->a_signed = types[first].kind == 's';
    v->b_signed = types[first + 1].kind == 's';
    /* The secondary operation with c (PTX ISA, "Scalar Video Instructions"). */
    v->second = decode_has(dc, "add")   ? VIDEO_ADD
                : decode_has(dc, "min") ? VIDEO_MIN
                : decode_has(dc, "max") ? VIDEO_MAX
                                        : VIDEO_NONE;
    v->saturate = decode_has(dc, "sat") != 0;
    v->wrap = decode_has(dc, "wrap") != 0;
    v->plus_one = decode_has(dc, "po") != 0;
    v->scale = decode_has(dc, "shr7") ? 7 : decode_has(dc, "shr15") ? 15 : 0;
    /* Types of both sources are always written. */
    return seen && n >= 2;
}

/* The parts that a source gives to the places of the result, three bits each, or the places of the
 * result that are written, one bit each. A list names the highest place first; what it leaves out
 * stays as it would be without a list. -1: no such part. */
static int
part_list(const Operand *o, unsigned lanes, int first)
{
    /* A single selector is a list of one part. */
    char one[2] = {o->selector <= 4 ? 'b' : 'h', (char)('0' + (o->selector - 1) % 4)};
    const char *list = o->parts_length > 0 ? o->parts : one;
    unsigned n = o->parts_length > 0 ? o->parts_length - 1u : o->selector != 0;
    /* Without a list as destination mask every part is written. */
    int is_mask = first < 0, r = is_mask && n == 0 ? (1 << lanes) - 1 : 0;
    if (n > lanes || (n > 0 && *list != (lanes == 4 ? 'b' : 'h'))) {
        return -1;
    }
    /* Behind the list the numbering goes on where the operand's own parts begin. */
    for (unsigned i = 0; i < (is_mask ? n : lanes); i++) {
        int digit = i < n ? list[n - i] - '0' : (int)((unsigned)first + i);
        if (digit < 0 || (unsigned)digit >= (is_mask ? lanes : 2 * lanes)) {
            return -1;
        }
        r |= is_mask ? 1 << digit : digit << (3 * i);
    }
    return r;
}

/* What does not fit into imm: lists of parts and signs, see exec_video.c. */
static int
extra_fields(Decoder *dc, const EmuVideo *v, int32_t *extra)
{
    Operand *o = dc->operands;
    /* A product is negative when one factor is; c has its own sign. */
    int signs = (o[1].negate ^ o[2].negate) | (dc->noperands > 3 && o[3].negate) << 1;
    /* Cleared, since decode_source would take it for a predicate's negation. */
    for (size_t k = 1; k < dc->noperands; k++) {
        o[k].negate = 0;
    }
    *extra = signs << VIDEO_SIGNS;
    /* Only vmad has signs. */
    if (v->lanes == 1) {
        return signs == 0 || v->op == VIDEO_MAD;
    }
    int a = part_list(&o[1], v->lanes, 0), b = part_list(&o[2], v->lanes, v->lanes),
        d = part_list(&o[0], v->lanes, -1);
    *extra |= a | b << VIDEO_PARTS_B | d << VIDEO_PLACES;
    return a >= 0 && b >= 0 && d >= 0 && signs == 0;
}

int
decode_video(Decoder *dc)
{
    EmuVideo v = {0};
    uint32_t at[3], bits[3];
    if (!parse_name(dc, &v) || !parse_modifiers(dc, &v) || decode_operands(dc) != 0 ||
        dc->noperands < 3 || dc->noperands > 4 || (v.op == VIDEO_MAD && dc->noperands != 4)) {
        return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length,
                           dc->opcode.at);
    }
    for (size_t k = 0; k < 3; k++) {
        selector(&dc->operands[k], &at[k], &bits[k]);
    }
    int32_t extra;
    /* SIMD forms always have c. */
    if (!extra_fields(dc, &v, &extra) || (v.lanes > 1 && dc->noperands != 4)) {
        return decode_fail(dc, "unsupported parts of '%.*s'", (int)dc->opcode.length,
                           dc->opcode.at);
    }
    /* The masks tell the compiler that the values fit into their bit fields. */
    v.d_at = at[0] & 31;
    v.a_at = at[1] & 31;
    v.b_at = at[2] & 31;
    v.d_bits = bits[0] & 63;
    v.a_bits = bits[1] & 63;
    v.b_bits = bits[2] & 63;
    /* Missing c counts as 0. */
    EmuRow s[3] = {0, 0, decode_constant(dc, 2, 0, 0)};
    for (size_t k = 1; k < dc->noperands; k++) {
        s[k - 1] = decode_source(dc, &dc->operands[k], type_b32);
    }
    EmuRow d = decode_target(dc, &dc->operands[0], type_b32);
    Instr *in = decode_emit(dc, emu_run_video);
    in->nd = 1;
    in->ns = 3;
    in->op[0] = d;
    memcpy(in->op + 1, s, sizeof s);
    memcpy(&in->imm, &v, sizeof in->imm);
    in->target = extra;
    decode_finish(dc, &dc->operands[0], d, type_b32);
    return dc->status;
}

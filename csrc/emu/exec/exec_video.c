/* The video instructions: bytes, halves or words of the operands are widened, combined, saturated
 * and then added to, compared with or put into a third operand. PTX ISA, "Video Instructions".
 *
 * A lane at a time: these instructions are emulated on current GPUs as well and are rare. Values
 * are widened to 64 bits, where no intermediate result overflows.
 */
#include "emu/exec/block.h"

#include <string.h>

/* One part of a word: bits wide, from a position, extended. */
static int64_t
part(uint32_t v, unsigned at, unsigned bits, int is_signed)
{
    uint32_t cut = bits == 32 ? v : (v >> at) & ((1u << bits) - 1);
    uint32_t sign = bits == 32 ? 0x80000000u : 1u << (bits - 1);
    /* XOR and subtraction of the sign bit extend it without relying on the host's shifts. */
    return is_signed ? (int64_t)(cut ^ sign) - (int64_t)sign : (int64_t)cut;
}

/* The result of one of several parts, cut to the range of its type. */
static int64_t
clamp(int64_t v, unsigned bits, int is_signed)
{
    int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t high = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
    return v < low ? low : v > high ? high : v;
}

/* Scalar forms are long sequences of a device's own instructions. What those leave at the edges,
 * measured, is not always what PTX says: a word of the unsigned kind that is too large is cut by
 * sums and differences, and a byte or half takes what is negative for too large. Applied where the
 * instruction says .sat. */
static int64_t
clamp_scalar(const EmuVideo *v, int64_t r)
{
    int is_shift = v->op == VIDEO_SHL || v->op == VIDEO_SHR || v->op == VIDEO_MAD;
    if (v->d_bits < 32 && !is_shift) {
        uint32_t high = (1u << (v->d_bits - v->d_signed)) - 1;
        return r < 0 || r > high ? high : r;
    }
    if (v->d_signed) {
        return clamp(r, 32, 1);
    }
    return r < 0 ? 0 : is_shift && r > UINT32_MAX ? UINT32_MAX : r;
}

static int
holds(uint8_t compare, int64_t a, int64_t b)
{
    switch (compare) {
    case VIDEO_EQ:
        return a == b;
    case VIDEO_NE:
        return a != b;
    case VIDEO_LT:
        return a < b;
    case VIDEO_LE:
        return a <= b;
    case VIDEO_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* The operation on two parts, exact. */
static int64_t
combine(const EmuVideo *v, int64_t a, int64_t b)
{
    switch (v->op) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a > b ? a : b;
    case VIDEO_AVERAGE:
        /* vavrg rounds half away from zero: a sum that is not negative has one added before the
         * shift. */
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_SHL:
    case VIDEO_SHR: {
        /* .wrap takes the amount modulo 32, .clamp cuts it at 32. */
        int64_t by = v->wrap ? b & 31 : b > 32 ? 32 : b;
        return v->op == VIDEO_SHR ? a >> by : (int64_t)((uint64_t)a << by);
    }
    default:
        /* vset: 1 or 0. */
        return holds(v->compare, a, b);
    }
}

static uint32_t
multiply(const EmuVideo *v, unsigned signs, uint32_t a, uint32_t b, uint32_t c)
{
    /* whole words count as signed, as measured; the types choose the saturation */
    EmuVideo as = *v;
    /* The result counts as signed when any factor does, or when something is negated (PTX ISA,
     * vmad). */
    as.d_signed = v->a_signed || v->b_signed || signs != 0;
    int64_t r = part(a, v->a_at, v->a_bits, v->a_signed || v->a_bits == 32) *
                part(b, v->b_at, v->b_bits, v->b_signed || v->b_bits == 32);
    r = signs & 1 ? -r : r;
    /* .po (plus one) adds one to the sum. */
    r += (signs & 2 ? -part(c, 0, 32, 1) : part(c, 0, 32, 1)) + v->plus_one;
    r = as.d_signed ? r >> v->scale : (int64_t)((uint64_t)r >> v->scale);
    return (uint32_t)(v->saturate ? clamp_scalar(&as, r) : r);
}

/* A byte, half or word, and what is done with the third operand behind it: two of 64 bits are
 * compared. */
static uint32_t
scalar(const EmuVideo *v, uint32_t a, uint32_t b, uint32_t c)
{
    int64_t r = combine(v, part(a, v->a_at, v->a_bits, v->a_signed),
                        part(b, v->b_at, v->b_bits, v->b_signed));
    if (v->saturate) {
        r = v->op == VIDEO_SHL ? (int64_t)((uint64_t)r << 30) >> 30 : r; /* 34 bits are looked at */
        r = clamp_scalar(v, r);
    }
    if (v->op == VIDEO_ADD || v->op == VIDEO_SUB || (v->op == VIDEO_SHL && v->saturate)) {
        r = (int32_t)r;
    }
    /* c counts as signed when the destination does. */
    int64_t y = part(c, 0, 32, v->d_signed);
    int less = v->d_signed ? r < y : (uint64_t)r < (uint64_t)y;
    switch (v->second) {
    case VIDEO_ADD:
        return (uint32_t)r + c;
    case VIDEO_MIN:
        return (uint32_t)(less ? r : y);
    case VIDEO_MAX:
        return (uint32_t)(less ? y : r);
    default:
        break;
    }
    /* Without a second operation the result is merged into c at the part that the destination
     * names. */
    uint32_t mask = v->d_bits == 32 ? ~0u : ((1u << v->d_bits) - 1) << v->d_at;
    return (((uint32_t)r << v->d_at) & mask) | (c & ~mask);
}

/* One result, or two or four side by side. */
static uint32_t
evaluate(const EmuVideo *v, uint32_t extra, uint32_t a, uint32_t b, uint32_t c)
{
    if (v->op == VIDEO_MAD) {
        return multiply(v, extra >> VIDEO_SIGNS & 3, a, b, c);
    }
    /* SIMD forms have no second operation but .add, which sums all lanes into c. */
    if (v->lanes == 1) {
        return scalar(v, a, b, c);
    }
    unsigned bits = 32u / v->lanes;
    uint32_t low = (uint32_t)((1ull << bits) - 1), d = c, sum = c;
    for (unsigned k = 0; k < v->lanes; k++) {
        unsigned x = extra >> (3 * k) & 7, y = extra >> (VIDEO_PARTS_B + 3 * k) & 7;
        /* Selectors 0 to 3 name parts of a, 4 to 7 parts of b; halves use 0 to 3. */
        int64_t r = combine(v, part(x < v->lanes ? a : b, x % v->lanes * bits, bits, v->a_signed),
                            part(y < v->lanes ? a : b, y % v->lanes * bits, bits, v->b_signed));
        r = v->saturate ? clamp(r, bits, v->d_signed) : r;
        if ((extra >> (VIDEO_PLACES + k)) & 1) {
            sum += (uint32_t)r;
            d = (d & ~(low << (k * bits))) | ((uint32_t)r & low) << (k * bits);
        }
    }
    return v->second == VIDEO_ADD ? sum : d;
}

int32_t
emu_run_video(Block *b, const Instr *in, int32_t pc)
{
    EmuVideo how;
    memcpy(&how, &in->imm, sizeof in->imm);
    const uint32_t *x = emu_row_read(b, b->regs + in->op[1]);
    const uint32_t *y = emu_row_read(b, b->regs + in->op[2]);
    const uint32_t *z = emu_row_read(b, b->regs + in->op[3]);
    Reg *to = b->regs + in->op[0];
    uint32_t *d = emu_row_write(b, to, 0);
    for (uint32_t i = 0; i < b->n; i++) {
        d[i] = evaluate(&how, (uint32_t)in->target, x[i], y[i], z[i]);
    }
    emu_row_commit(b, to, 0);
    return pc + 1;
}

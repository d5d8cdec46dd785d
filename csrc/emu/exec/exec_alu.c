/* Runs the lane operations: scalar when every source is uniform, symbolic when the sources are
 * affine and a rule knows the result, else as a loop over the group's lanes.
 *
 * Every lane operation goes through one of four handlers by its number of operands, which
 * exec_tables.c resolves to a loop when the function is decoded. The rules of the affine form must
 * give what the loop would give for every lane of the group, so a rule that is not sure returns 0
 * and the loop runs.
 */
#include "emu/exec/block.h"

#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

/* mode: rounding (0 nearest, 1 zero, 2 down, 3 up) + 4 to flush subnormals. Writes MXCSR: all
 * exceptions masked (0x1f80), the rounding field in bits 13 and 14, and for modes from 4 on
 * flush-to-zero and denormals-are-zero (0x8040), which is PTX's .ftz. */
void
emu_float_mode(uint8_t mode)
{
#if defined(__x86_64__)
    static const unsigned values[8] = {0x1f80, 0x7f80, 0x3f80, 0x5f80,
                                       0x9fc0, 0xffc0, 0xbfc0, 0xdfc0};
    _mm_setcsr(values[mode & 7]);
#else
    static const int values[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(values[mode & 3]);
#endif
}

/* The mode is changed around the loop and restored, so nothing else of the worker runs with it.
 * Most instructions round to nearest and skip both writes, which cost more than a short loop. */
static inline void
call(const Instr *in, void *const *p, size_t n)
{
    if (in->csr == 0) {
        in->fn(p, n);
    }
    else {
        emu_float_mode(in->csr);
        in->fn(p, n);
        emu_float_mode(0);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Writes the lanes of a row that exists as a formula only. */
void
emu_row_fill(Block *b, Reg *r)
{
    const MemoryLanes *lanes = b->loops;
    if (r->tag & EMU_TAG_UNIFORM) {
        lanes->fill[r->shift](r->lanes, r->base, b->width);
    }
    else if (r->tag & EMU_TAG_AFFINE) {
        lanes->ramp[r->shift](r->lanes, r->base, r->step, b->width);
    }
    /* The other form stays valid beside the lanes: the value has not changed. */
    r->tag |= EMU_TAG_LANES;
}

/* The group's lanes as bytes, for blending. Made once for each change of the group (emu_group_load
 * clears `masked`). */
const uint8_t *
emu_group_mask(Block *b)
{
    if (!b->masked) {
        for (uint32_t w = 0; w < b->nwarps; w++) {
            uint32_t bits = b->group->bits[w];
            for (uint32_t k = 0; k < 4; k++, bits >>= 8) {
                /* spread eight bits over eight bytes, then make each 0 or 1 */
                uint64_t v =
                    (uint64_t)(bits & 0xff) * 0x0101010101010101ull & 0x8040201008040201ull;
                v = ((v + 0x7f7f7f7f7f7f7f7full) | v) >> 7 & 0x0101010101010101ull;
                memcpy(b->mask + 32 * w + 8 * k, &v, 8);
            }
        }
        b->masked = 1;
    }
    return b->mask + b->lo;
}

/* Where the caller may write lanes lo .. lo + n. A row shared with other groups must keep their
 * lanes, so its formula is expanded first. */
void *
emu_row_write(Block *b, Reg *r, int scratch)
{
    /* Other lanes of the row belong to no group: they need not be kept. */
    if (b->exclusive) {
        return r->lanes + ((size_t)b->lo << r->shift);
    }
    if (!(r->tag & EMU_TAG_LANES)) {
        emu_row_fill(b, r);
    }
    /* A group with gaps writes to scratch, and emu_row_commit blends its lanes in. */
    return b->dense ? r->lanes + ((size_t)b->lo << r->shift) : b->scratch[scratch];
}

/* From here on the lanes are the only valid form of the row. */
void
emu_row_commit(Block *b, Reg *r, int scratch)
{
    r->tag = EMU_TAG_LANES;
    if (!b->exclusive && !b->dense) {
        b->loops->blend[r->shift](r->lanes + ((size_t)b->lo << r->shift), b->scratch[scratch],
                                  emu_group_mask(b), b->n);
    }
}

/* One value for all lanes of the group. As a scalar where the group has the row for itself, which
 * costs nothing per lane. */
void
emu_row_set_uniform(Block *b, Reg *r, uint64_t value)
{
    if (b->scalar) {
        r->base = value;
        r->tag = EMU_TAG_UNIFORM;
        return;
    }
    void *d = emu_row_write(b, r, 0);
    b->loops->fill[r->shift](d, value, b->n);
    emu_row_commit(b, r, 0);
}

/* For single lanes, without expanding the row. */
uint64_t
emu_row_lane(Block *b, Reg *r, uint32_t lane)
{
    (void)b;
    if (r->tag & EMU_TAG_LANES) {
        return emu_get_bits(r->lanes + ((size_t)lane << r->shift), r->shift);
    }
    /* Affine values are kept in 64 bits and cut to the width of the row when they are read. */
    uint64_t v = r->tag & EMU_TAG_AFFINE ? r->base + (uint64_t)r->step * lane : r->base;
    return r->shift == 3 ? v : v & ((1ull << (8u << r->shift)) - 1);
}

/* ---- handlers -------------------------------------------------------------------------------- */

/* One destination and one source. */
int32_t
emu_run_alu1(Block *b, const Instr *in, int32_t pc)
{
    Reg *d = b->regs + in->op[0], *a = b->regs + in->op[1];
    void *p[2];
    /* Uniform operands: one scalar step of the same loop, on the rows' base values. This is what
     * makes addresses and counters of loops cheap. */
    if (b->scalar) {
        if (a->tag & EMU_TAG_UNIFORM) {
            p[0] = &d->base;
            p[1] = &a->base;
            call(in, p, 1);
            d->tag = EMU_TAG_UNIFORM;
            return pc + 1;
        }
        if (in->affine != NULL && (a->tag & EMU_TAG_AFFINE) && in->affine(b, in)) {
            return pc + 1;
        }
    }
    p[1] = emu_row_read(b, a);
    p[0] = emu_row_write(b, d, 0);
    call(in, p, b->n);
    emu_row_commit(b, d, 0);
    return pc + 1;
}

int32_t
emu_run_alu2(Block *b, const Instr *in, int32_t pc)
{
    Reg *d = b->regs + in->op[0], *a = b->regs + in->op[1], *c = b->regs + in->op[2];
    void *p[3];
    if (b->scalar) {
        /* Both sources uniform: ANDing the tags tests both at once. */
        if (a->tag & c->tag & EMU_TAG_UNIFORM) {
            p[0] = &d->base;
            p[1] = &a->base;
            p[2] = &c->base;
            call(in, p, 1);
            d->tag = EMU_TAG_UNIFORM;
            return pc + 1;
        }
        /* 3 is UNIFORM | AFFINE: a uniform row is an affine one with step zero. */
        if (in->affine != NULL && (a->tag & 3) && (c->tag & 3) && in->affine(b, in)) {
            return pc + 1;
        }
    }
    p[1] = emu_row_read(b, a);
    p[2] = emu_row_read(b, c);
    p[0] = emu_row_write(b, d, 0);
    call(in, p, b->n);
    emu_row_commit(b, d, 0);
    return pc + 1;
}

int32_t
emu_run_alu3(Block *b, const Instr *in, int32_t pc)
{
    Reg *d = b->regs + in->op[0], *a = b->regs + in->op[1], *c = b->regs + in->op[2],
        *e = b->regs + in->op[3];
    void *p[4];
    if (b->scalar) {
        if (a->tag & c->tag & e->tag & EMU_TAG_UNIFORM) {
            p[0] = &d->base;
            p[1] = &a->base;
            p[2] = &c->base;
            p[3] = &e->base;
            call(in, p, 1);
            d->tag = EMU_TAG_UNIFORM;
            return pc + 1;
        }
        if (in->affine != NULL && (a->tag & 3) && (c->tag & 3) && (e->tag & 3) &&
            in->affine(b, in)) {
            return pc + 1;
        }
    }
    p[1] = emu_row_read(b, a);
    p[2] = emu_row_read(b, c);
    p[3] = emu_row_read(b, e);
    p[0] = emu_row_write(b, d, 0);
    call(in, p, b->n);
    emu_row_commit(b, d, 0);
    return pc + 1;
}

/* Any number of destinations and sources. */
int32_t
emu_run_alu(Block *b, const Instr *in, int32_t pc)
{
    void *p[EMU_OPERANDS];
    unsigned nd = in->nd, n = nd + in->ns, uniform = EMU_TAG_UNIFORM;
    for (unsigned k = nd; k < n; k++) {
        uniform &= b->regs[in->op[k]].tag;
    }
    /* A uniform result per destination. Values are computed at full width in `base` of the
     * destination itself. */
    if (b->scalar && uniform) {
        for (unsigned k = 0; k < n; k++) {
            p[k] = &b->regs[in->op[k]].base;
        }
        /* a destination may be a source too (the carry flag): read before written, lane by lane */
        call(in, p, 1);
        for (unsigned k = 0; k < nd; k++) {
            b->regs[in->op[k]].tag = EMU_TAG_UNIFORM;
        }
        return pc + 1;
    }
    for (unsigned k = nd; k < n; k++) {
        p[k] = emu_row_read(b, b->regs + in->op[k]);
    }
    for (unsigned k = 0; k < nd; k++) {
        p[k] = emu_row_write(b, b->regs + in->op[k], (int)k);
    }
    call(in, p, b->n);
    for (unsigned k = 0; k < nd; k++) {
        emu_row_commit(b, b->regs + in->op[k], (int)k);
    }
    return pc + 1;
}

/* ---- pack and unpack ------------------------------------------------------------------------- */

/* n parts of `bytes` bytes, which the callers know when compiling: a copy is a load and a store. */
static inline __attribute__((always_inline)) void
copy_parts(unsigned char *to, size_t to_step, const unsigned char *from, size_t from_step, size_t n,
           size_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(to + i * to_step, from + i * from_step, bytes);
    }
}

/* count parts of 1 << size bytes; packs: parts to whole. Constant sizes in each case let the
 * compiler turn the copies into plain moves; whole and part never overlap. */
static void
interleave(unsigned char *whole, unsigned char *part, const Instr *in, unsigned k, size_t n,
           int packs)
{
    size_t stride = (size_t)in->count << in->size, at = (size_t)k << in->size;
    switch (in->size) {
    case 1:
        if (packs) {
            copy_parts(whole + at, stride, part, 2, n, 2);
        }
        else {
            copy_parts(part, 2, whole + at, stride, n, 2);
        }
        break;
    case 2:
        if (packs) {
            copy_parts(whole + at, stride, part, 4, n, 4);
        }
        else {
            copy_parts(part, 4, whole + at, stride, n, 4);
        }
        break;
    default: /* bytes in 16-bit lanes */
        for (size_t i = 0; i < n; i++) {
            if (packs) {
                whole[i * stride + at] = part[2 * i];
            }
            else {
                part[2 * i] = whole[i * stride + at];
                part[2 * i + 1] = 0;
            }
        }
    }
}

/* mov.b32 {..} and mov.b64 {..}: parts become one register, the first in the lowest bits (PTX ISA,
 * mov). */
int32_t
emu_run_pack(Block *b, const Instr *in, int32_t pc)
{
    Reg *d = b->regs + in->op[0];
    unsigned uniform = EMU_TAG_UNIFORM;
    for (unsigned k = 1; k <= in->count; k++) {
        uniform &= b->regs[in->op[k]].tag;
    }
    if (b->scalar && uniform) {
        uint64_t v = 0;
        unsigned bits = (8u << d->shift) / in->count;
        for (unsigned k = 0; k < in->count; k++) {
            v |= (b->regs[in->op[k + 1]].base & ((1ull << bits) - 1)) << (bits * k);
        }
        emu_row_set_uniform(b, d, v);
        return pc + 1;
    }
    /* The destination may be one of the parts, so the whole is put together in scratch. */
    unsigned char *to = b->scratch[EMU_OPERANDS - 1];
    for (unsigned k = 0; k < in->count; k++) {
        interleave(to, emu_row_read(b, b->regs + in->op[k + 1]), in, k, b->n, 1);
    }
    void *w = emu_row_write(b, d, 0);
    memcpy(w, to, (size_t)b->n << d->shift);
    emu_row_commit(b, d, 0);
    return pc + 1;
}

/* The reverse of emu_run_pack. */
int32_t
emu_run_unpack(Block *b, const Instr *in, int32_t pc)
{
    Reg *s = b->regs + in->op[in->count];
    if (b->scalar && (s->tag & EMU_TAG_UNIFORM)) {
        uint64_t v = s->base;
        unsigned bits = (8u << s->shift) / in->count;
        for (unsigned k = 0; k < in->count; k++, v >>= bits) {
            emu_row_set_uniform(b, b->regs + in->op[k], v & ((1ull << bits) - 1));
        }
        return pc + 1;
    }
    void *from = emu_row_read(b, s);
    for (unsigned k = 0; k < in->count; k++) {
        Reg *d = b->regs + in->op[k];
        interleave(from, emu_row_write(b, d, 0), in, k, b->n, 0);
        emu_row_commit(b, d, 0);
    }
    return pc + 1;
}

/* ---- affine rules ---------------------------------------------------------------------------- */

#define REG(k) (b->regs + in->op[k])

/* A uniform row counts as a line of step zero. */
static int64_t
step_of(const Reg *r)
{
    return r->tag & EMU_TAG_UNIFORM ? 0 : r->step;
}

/* 32-bit rows keep their base below 2^32; anything above would show where the value is widened. */
static uint64_t
cut(uint64_t v, unsigned shift)
{
    return shift == 3 ? v : v & 0xffffffffu;
}

/* Sets the result; a line that turns out flat becomes uniform, which is cheaper for what follows.
 */
static int
give(Reg *d, uint64_t base, int64_t step)
{
    d->base = cut(base, d->shift);
    d->step = step;
    d->tag = step == 0 ? EMU_TAG_UNIFORM : EMU_TAG_AFFINE;
    return 1;
}

/* The 32-bit affine value as a 64-bit one, if it does not wrap over the lanes of the block. */
static int
extend(const Block *b, const Reg *r, int is_signed, int64_t *base, int64_t *step)
{
    int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : (int64_t)UINT32_MAX;
    *base = is_signed ? (int64_t)(int32_t)(uint32_t)r->base : (int64_t)(uint32_t)r->base;
    *step = step_of(r);
    /* Steps beyond 32 bits cannot come from a line that stays in range. */
    if (*step > INT32_MAX || *step < INT32_MIN) {
        return 0;
    }
    /* The line is monotonic: its last lane decides. */
    int64_t last = *base + *step * (int64_t)(b->width - 1);
    return last >= low && last <= high;
}

static int
affine_add(Block *b, const Instr *in)
{
    return give(REG(0), REG(1)->base + REG(2)->base, step_of(REG(1)) + step_of(REG(2)));
}

/* Sums and differences of lines are lines, modulo the width of the row. */
static int
affine_sub(Block *b, const Instr *in)
{
    return give(REG(0), REG(1)->base - REG(2)->base, step_of(REG(1)) - step_of(REG(2)));
}

/* In 32 bits only the low half of a step counts; it is kept signed so that it stays small. */
static int64_t
product_step(int64_t step, uint64_t factor, unsigned shift)
{
    uint64_t v = (uint64_t)step * factor;
    return shift == 3 ? (int64_t)v : (int64_t)(int32_t)(uint32_t)v;
}

/* A product of two lines is no line, so one factor must be uniform. Products are commutative: the
 * factors are swapped to have it second. */
static int
affine_mul(Block *b, const Instr *in)
{
    Reg *x = REG(1), *y = REG(2);
    if (!(y->tag & EMU_TAG_UNIFORM)) {
        Reg *t = x;
        x = y;
        y = t;
    }
    if (!(y->tag & EMU_TAG_UNIFORM)) {
        return 0;
    }
    uint64_t factor = cut(y->base, y->shift);
    return give(REG(0), x->base * factor, product_step(step_of(x), factor, x->shift));
}

/* As affine_mul, plus a third line. */
static int
affine_mad(Block *b, const Instr *in)
{
    Reg *x = REG(1), *y = REG(2), *z = REG(3);
    if (!(y->tag & EMU_TAG_UNIFORM)) {
        Reg *t = x;
        x = y;
        y = t;
    }
    if (!(y->tag & EMU_TAG_UNIFORM)) {
        return 0;
    }
    uint64_t factor = cut(y->base, y->shift);
    return give(REG(0), x->base * factor + z->base,
                product_step(step_of(x), factor, x->shift) + step_of(z));
}

static int
affine_shl(Block *b, const Instr *in)
{
    Reg *x = REG(1), *y = REG(2);
    /* PTX clamps shift amounts; those of 32 and more are left to the loop. */
    uint32_t by = (uint32_t)y->base;
    if (!(y->tag & EMU_TAG_UNIFORM) || by > 31) {
        return 0;
    }
    return give(REG(0), x->base << by, product_step(step_of(x), 1ull << by, x->shift));
}

/* mul.wide and mad.wide: the factors must not wrap in 32 bits, or the line would break at the wrap
 * in 64. */
static int
wide(Block *b, const Instr *in, int is_signed)
{
    Reg *x = REG(1), *y = REG(2);
    int64_t base, step, factor, none;
    if (!(y->tag & EMU_TAG_UNIFORM)) {
        Reg *t = x;
        x = y;
        y = t;
    }
    if (!(y->tag & EMU_TAG_UNIFORM) || !extend(b, x, is_signed, &base, &step) ||
        !extend(b, y, is_signed, &factor, &none)) {
        return 0;
    }
    uint64_t more = in->ns == 3 ? REG(3)->base : 0;
    int64_t more_step = in->ns == 3 ? step_of(REG(3)) : 0;
    return give(REG(0), (uint64_t)base * (uint64_t)factor + more, step * factor + more_step);
}

static int
affine_wide_u(Block *b, const Instr *in)
{
    return wide(b, in, 0);
}

static int
affine_wide_s(Block *b, const Instr *in)
{
    return wide(b, in, 1);
}

static int
affine_extend_u(Block *b, const Instr *in)
{
    int64_t base, step;
    return extend(b, REG(1), 0, &base, &step) && give(REG(0), (uint64_t)base, step);
}

static int
affine_extend_s(Block *b, const Instr *in)
{
    int64_t base, step;
    return extend(b, REG(1), 1, &base, &step) && give(REG(0), (uint64_t)base, step);
}

/* The low half of a line is a line modulo 2^32. */
static int
affine_truncate(Block *b, const Instr *in)
{
    return give(REG(0), REG(1)->base, product_step(step_of(REG(1)), 1, 2));
}

/* Moves and conversions between types of one width keep the line. */
static int
affine_move(Block *b, const Instr *in)
{
    return give(REG(0), REG(1)->base, step_of(REG(1)));
}

/* An ordered comparison of lines that has the same answer at both ends of the group has it
 * everywhere. The difference of 64-bit values is only trusted far from overflow. This is what keeps
 * `if (i < n)` from costing a lane loop in all blocks but the last. */
static int
compare_line(Block *b, const Instr *in, int is_signed, int is_wide)
{
    const int64_t far = (int64_t)1 << 61;
    int64_t base[2], step[2], end[2][2];
    for (int k = 0; k < 2; k++) {
        const Reg *r = REG(k + 1);
        if (!is_wide) {
            if (!extend(b, r, is_signed, &base[k], &step[k])) {
                return 0;
            }
        }
        else {
            base[k] = (int64_t)r->base;
            step[k] = step_of(r);
            /* Far from overflow: 2^61 plus 2^31 times the largest block stays below 2^63. */
            if (step[k] > INT32_MAX || step[k] < INT32_MIN || base[k] > far ||
                base[k] < (is_signed ? -far : 0)) {
                return 0;
            }
        }
        end[k][0] = base[k] + step[k] * (int64_t)b->lo;
        end[k][1] = base[k] + step[k] * (int64_t)(b->lo + b->n - 1);
        if (is_wide && !is_signed && (end[k][0] < 0 || end[k][1] < 0)) {
            return 0;
        }
    }
    /* the lane function itself decides, for two lanes in 64 or 32 bits */
    union {
        int64_t wide[2];
        int32_t narrow[2];
    } x, y;
    uint8_t result[2];
    for (int e = 0; e < 2; e++) {
        if (is_wide) {
            x.wide[e] = end[0][e];
            y.wide[e] = end[1][e];
        }
        else {
            x.narrow[e] = (int32_t)(uint32_t)end[0][e];
            y.narrow[e] = (int32_t)(uint32_t)end[1][e];
        }
    }
    in->fn((void *[]){result, &x, &y}, 2);
    /* The comparison changes somewhere in the group: the loop finds where. */
    if (result[0] != result[1]) {
        return 0;
    }
    REG(0)->base = result[0];
    REG(0)->tag = EMU_TAG_UNIFORM;
    return 1;
}

static int
affine_setp_s32(Block *b, const Instr *in)
{
    return compare_line(b, in, 1, 0);
}

static int
affine_setp_u32(Block *b, const Instr *in)
{
    return compare_line(b, in, 0, 0);
}

static int
affine_setp_s64(Block *b, const Instr *in)
{
    return compare_line(b, in, 1, 1);
}

static int
affine_setp_u64(Block *b, const Instr *in)
{
    return compare_line(b, in, 0, 1);
}

/* The rule for a key, or NULL. Called by the decoder; with GPUNP_EMU_OPT below 2 there are none, so
 * that both ways can be compared. */
EmuAffineFn
emu_affine_find(const char *key)
{
    static const struct {
        const char *key;
        EmuAffineFn fn;
    } rows[] = {
        {"add.u32", affine_add},          {"add.u64", affine_add},
        {"sub.u32", affine_sub},          {"sub.u64", affine_sub},
        {"mul.lo.u32", affine_mul},       {"mul.lo.u64", affine_mul},
        {"mad.lo.u32", affine_mad},       {"mad.lo.u64", affine_mad},
        {"shl.b32", affine_shl},          {"shl.b64", affine_shl},
        {"mul.wide.u32", affine_wide_u},  {"mul.wide.s32", affine_wide_s},
        {"mad.wide.u32", affine_wide_u},  {"mad.wide.s32", affine_wide_s},
        {"cvt.u64.u32", affine_extend_u}, {"cvt.u64.s32", affine_extend_s},
        {"cvt.u32.u64", affine_truncate}, {"cvt.u32.s64", affine_truncate},
        {"cvt.u32.u32", affine_move},     {"cvt.u32.s32", affine_move},
        {"cvt.u64.u64", affine_move},     {"cvt.u64.s64", affine_move},
        {"mov.b32", affine_move},         {"mov.b64", affine_move},
    };
    /* Equality is missing: it can hold in the middle of a line and at neither end. */
    static const char *const orders[] = {"lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    if (emu_settings()->optimise < 2) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, key) == 0) {
            return rows[i].fn;
        }
    }
    if (strncmp(key, "setp.", 5) != 0 || strlen(key) != 11) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (strncmp(key + 5, orders[i], 2) == 0) {
            const char *type = key + 8;
            return strcmp(type, "s32") == 0   ? affine_setp_s32
                   : strcmp(type, "u32") == 0 ? affine_setp_u32
                   : strcmp(type, "s64") == 0 ? affine_setp_s64
                   : strcmp(type, "u64") == 0 ? affine_setp_u64
                                              : NULL;
        }
    }
    return NULL;
}

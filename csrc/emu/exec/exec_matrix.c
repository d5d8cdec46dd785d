/* The matrix operations of a warp: mma.sync, mma.sp, wmma.load, wmma.store, wmma.mma, ldmatrix,
 * stmatrix and movmatrix. Each runs once per warp, after emu_run_warp has brought its lanes
 * together.
 *
 * Fragments. Element i of a lane's part of a matrix has the place that the PTX manual documents for
 * mma.sync. wmma leaves it open; here it is as an H200 has it.
 *
 * Numerics, as measured on an H200 (every case of tests/emu/machine/test_matrix.py bit for bit).
 * Integer products are exact and wrap, or saturate once at the end (.satfinite). f64 is a chain of
 * fused multiply-adds in the order of k. The other floating-point types follow the model of Fasi,
 * Higham, Mikaitis and Pranesh ("Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science
 * 7:e330, 2021): products are exact, all addends of a step (at most 16 products, 8 of tf32, and the
 * accumulator) are aligned to the largest exponent among them and cut behind 25 bits, the sum is
 * exact, and the result is cut to f32, or rounded to the nearest f16. The exponent of a product is
 * the sum of its factors' exponents, not normalised. Two shapes are no longer in the hardware and
 * composed of other instructions there: m8n8k4 of f16 is a chain of f32 operations, with the
 * accumulator first where the result is f16 and last where it is f32; m16n8k32 of 8-bit floats are
 * two steps of f16 from zero (k mod 4 in 0, 1, then the rest), then one f32 addition of the
 * accumulator.
 *
 * Called by emu_run_warp through Instr.ptr, with destinations already open for writing lane by
 * lane. Sources are read lane by lane as well: a matrix operation costs thousands of steps, so the
 * form of its rows does not matter.
 */
#include "emu/exec/block.h"
#include "emu/exec/lanes_math.h"

#include <string.h>

/* The largest m and n of any shape (wmma m8n32k16 and m32n8k16). */
#define MAX_SIDE 32
#define MAX_K 64 /* elements; single bits are taken as words of 32 */
/* An exponent below every real one: marks zeros and specials, and survives the addition of two. */
#define FAR_BELOW (-100000)

typedef struct {
    uint8_t bits;     /* of an element in its register */
    uint8_t exponent; /* bits of the exponent; 0 for an integer */
    uint8_t fraction;
    uint8_t is_signed;
    uint8_t no_infinity; /* e4m3: only the largest code is special, and it is NaN */
} Element;

static const Element elements[] = {
    [EMU_ELEMENT_F16] = {16, 5, 10, 1, 0},  [EMU_ELEMENT_BF16] = {16, 8, 7, 1, 0},
    [EMU_ELEMENT_TF32] = {32, 8, 10, 1, 0}, [EMU_ELEMENT_F32] = {32, 8, 23, 1, 0},
    [EMU_ELEMENT_F64] = {64, 11, 52, 1, 0}, [EMU_ELEMENT_E4M3] = {8, 4, 3, 1, 1},
    [EMU_ELEMENT_E5M2] = {8, 5, 2, 1, 0},   [EMU_ELEMENT_S8] = {8, 0, 0, 1, 0},
    [EMU_ELEMENT_U8] = {8, 0, 0, 0, 0},     [EMU_ELEMENT_S4] = {4, 0, 0, 1, 0},
    [EMU_ELEMENT_U4] = {4, 0, 0, 0, 0},     [EMU_ELEMENT_B1] = {32, 0, 0, 0, 0},
    [EMU_ELEMENT_S32] = {32, 0, 0, 1, 0},
};

/* ---- places ---------------------------------------------------------------------------------- */

typedef struct {
    unsigned row, col;
} Place;

/* Elements of one register: 64-bit registers hold one f64. */
static unsigned
per_register(unsigned type)
{
    return type == EMU_ELEMENT_F64 ? 1 : 32u / elements[type].bits;
}

/* In words for single bits, in elements for the rest. Single bits come 32 to a register and are
 * multiplied as whole words. */
static unsigned
depth(const EmuTile *t)
{
    return t->a == EMU_ELEMENT_B1 ? t->k / 32u : t->k;
}

/* m8n8k4 of f16: four independent products, each by the eight lanes of two quads 16 lanes apart.
 * The legacy shape keeps Volta's layout (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16"). */
static Place
place_quads(char matrix, unsigned type, int column, unsigned lane, unsigned i)
{
    unsigned high = lane >= 16 ? 4 : 0, low = lane & 3;
    if (matrix == 'a') {
        return column ? (Place){i + high, low} : (Place){low + high, i};
    }
    if (matrix == 'b') {
        return column ? (Place){i, low + high} : (Place){low, i + high};
    }
    if (type == EMU_ELEMENT_F16) {
        return (Place){low + high, i};
    }
    return (Place){(lane & 1) + high + (i & 2), (i & 4) + (lane & 2) + (i & 1)};
}

/* Row and column of element i in the part of `lane`. All other shapes are tiles of 8 x 8 (a: 8 x 4
 * registers) in which lane / 4 counts rows and lane % 4 registers along the row; larger shapes
 * repeat the tile. */
static Place
place(const EmuTile *t, char matrix, unsigned type, unsigned lane, unsigned i)
{
    unsigned group = lane / 4, four = lane % 4, per = per_register(type);
    unsigned r = i / per, k = depth(t), part = four * per + i % per;
    unsigned tall = t->m >= 16 ? 2 : 1, deep = k / (4 * per); /* registers of a tile of 16 rows */
    if (t->n == 32) {
        /* m8n32: the transposed problem. B of the wide shape is stored as A of the tall one, and
         * the result is transposed with them. */
        EmuTile transposed = {.m = 32, .n = 8, .k = t->k, .a = t->a};
        Place x =
            place(&transposed, matrix == 'c' ? 'c' : (char)('a' + 'b' - matrix), type, lane, i);
        return (Place){x.col, x.row};
    }
    if (matrix == 'a') {
        /* wmma repeats the fragment where it has more registers than the tile needs. */
        r %= t->m * k / 32u / per;
        return (Place){group + 8 * (r % tall) + 16 * (r / (tall * deep)),
                       part + r / tall % deep * 4 * per};
    }
    if (matrix == 'b') {
        r %= t->n * k / 32u / per;
        return (Place){part + r % deep * 4 * per, group + 8 * (r / deep)};
    }
    tall = t->m / 8u;
    return (Place){group + 8 * (i / 2 % tall), four * 2 + i % 2 + 8 * (i / 2 / tall)};
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Element i of a fragment whose registers are op[0], op[1], ... A fragment's elements are packed
 * from the lowest bits of its first register on. */
static uint64_t
take(Block *b, const EmuRow *op, unsigned type, uint32_t lane, unsigned i)
{
    unsigned bits = elements[type].bits, per = per_register(type);
    uint64_t v = emu_row_lane(b, b->regs + op[i / per], lane);
    return bits == 64 ? v : v >> (i % per * bits) & ((1ull << bits) - 1);
}

/* Straight into the row: emu_run_warp has made the lanes the valid form. */
static void
put(Block *b, EmuRow op, uint32_t lane, uint64_t v)
{
    Reg *d = b->regs + op;
    memcpy(d->lanes + ((size_t)lane << d->shift), &v, (size_t)1 << d->shift);
}

static int64_t
integer_of(uint64_t code, unsigned type)
{
    unsigned up = 64 - elements[type].bits;
    return elements[type].is_signed ? (int64_t)(code << up) >> up : (int64_t)code;
}

/* ---- floating point -------------------------------------------------------------------------- */

typedef struct {
    int32_t digits; /* with sign; the value is digits * 2^(exponent - fraction) */
    int32_t exponent;
} Addend;

enum { SPECIAL_NAN = 1, SPECIAL_PLUS = 2, SPECIAL_MINUS = 4, SPECIAL_ZERO = 8 };

/* Splits a code; returns the SPECIAL_* it is. */
static unsigned
split(uint64_t code, unsigned type, Addend *out)
{
    const Element *e = &elements[type];
    /* tf32 is stored as f32 and read without its 13 low bits (PTX ISA, "Alternate floating-point
     * data formats"). */
    unsigned stored = type == EMU_ELEMENT_TF32 ? 23 : e->fraction;
    unsigned top = (1u << e->exponent) - 1, bias = top >> 1;
    unsigned exponent = (unsigned)(code >> stored) & top;
    uint32_t fraction = (uint32_t)(code & ((1ull << stored) - 1)) >> (stored - e->fraction);
    int minus = (code >> (stored + e->exponent)) & 1;
    /* e4m3 has no infinities: only the code with all fraction bits set is special. */
    int is_top =
        e->no_infinity ? exponent == top && fraction == (1u << e->fraction) - 1 : exponent == top;
    *out = (Addend){0, FAR_BELOW};
    if (is_top) {
        return fraction != 0 ? SPECIAL_NAN : minus ? SPECIAL_MINUS : SPECIAL_PLUS;
    }
    int32_t digits = (int32_t)(fraction | (exponent != 0 ? 1u << e->fraction : 0));
    if (digits == 0) {
        return SPECIAL_ZERO;
    }
    out->digits = minus ? -digits : digits;
    /* Subnormals share the smallest normal exponent and have no hidden bit. */
    out->exponent = (int32_t)(exponent == 0 ? 1 : exponent) - (int32_t)bias;
    return 0;
}

/* Shifts toward zero: the hardware cuts, it does not round. */
static int64_t
cut(int64_t digits, int32_t by)
{
    uint64_t size = (uint64_t)(digits < 0 ? -digits : digits);
    /* Shifts of 64 and more are undefined in C, and nothing would be left. */
    size = by >= 0 ? size << by : by > -64 ? size >> -by : 0;
    return digits < 0 ? -(int64_t)size : (int64_t)size;
}

/* sum * 2^scale as f32, cut; or as f16, rounded to nearest. */
static uint64_t
deliver(int64_t sum, int32_t scale, unsigned type)
{
    uint64_t size = (uint64_t)(sum < 0 ? -sum : sum);
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    if (size == 0) {
        return 0;
    }
    int32_t top = 63 - __builtin_clzll(size), exponent = top + scale;
    if (type == EMU_ELEMENT_F16) {
        /* far below or above the range the double is still exact: it has at most 53 bits */
        return f64_to_f16(ldexp((double)sum, scale), 0);
    }
    /* The bits below f32's last place: of the normal range, or of the fixed place of subnormals. */
    int32_t drop = exponent < -126 ? -149 - scale : top - 23;
    uint64_t digits = drop > 63 ? 0 : drop >= 0 ? size >> drop : size << -drop;
    /* Beyond the range the result is an infinity although the sum is cut. */
    if (exponent > 127) {
        return sign | 0x7f800000u;
    }
    if (exponent < -126) {
        return sign | (uint32_t)digits;
    }
    return sign | (uint32_t)(exponent + 127) << 23 | ((uint32_t)digits & 0x7fffffu);
}

#define FRACTION 25 /* bits kept behind the largest exponent */

static int
is_eight_bit_float(const EmuTile *t)
{
    return t->a == EMU_ELEMENT_E4M3 || t->a == EMU_ELEMENT_E5M2;
}

/* One step: acc + a[0] * b[0] + ... over n products. `digits` are the products' fraction bits. The
 * model described above: aligned, cut, summed exactly in 64 bits. 17 addends of fewer than 30 bits
 * cannot overflow. */
static uint64_t
dot_step(const Addend *a, const Addend *b, unsigned n, uint64_t acc, unsigned digits, unsigned type)
{
    Addend c;
    split(acc, type, &c);
    int32_t largest = c.exponent;
    for (unsigned k = 0; k < n; k++) {
        int32_t e = a[k].exponent + b[k].exponent;
        largest = e > largest ? e : largest;
    }
    /* All addends are zero. */
    if (largest < FAR_BELOW / 2) {
        return 0;
    }
    int64_t sum = cut(c.digits, c.exponent - largest + FRACTION - (int32_t)elements[type].fraction);
    for (unsigned k = 0; k < n; k++) {
        int32_t by = a[k].exponent + b[k].exponent - largest + FRACTION - (int32_t)digits;
        sum += cut((int64_t)a[k].digits * b[k].digits, by);
    }
    return deliver(sum, largest - FRACTION, type);
}

/* ---- products -------------------------------------------------------------------------------- */

/* The factors of one warp, by place. */
typedef struct {
    const EmuTile *tile;
    unsigned m, n, k;
    uint64_t a[MAX_SIDE][MAX_K], b[MAX_SIDE][MAX_K]; /* b by columns */
    Addend fa[MAX_SIDE][MAX_K], fb[MAX_SIDE][MAX_K];
    uint8_t sa[MAX_SIDE][MAX_K], sb[MAX_SIDE][MAX_K];
    unsigned any_a[MAX_SIDE], any_b[MAX_SIDE]; /* specials of a row of a, of a column of b */
} Factors;

/* What infinities and NaN among the addends make of a sum: 0 when there are none. */
static unsigned
special_sum(const Factors *f, unsigned row, unsigned col, uint64_t acc)
{
    Addend ignored;
    unsigned seen = split(acc, f->tile->d, &ignored);
    /* The other classes are decided by the factors. */
    seen &= SPECIAL_NAN | SPECIAL_PLUS | SPECIAL_MINUS;
    if (((f->any_a[row] | f->any_b[col]) & ~(unsigned)SPECIAL_ZERO) != 0) {
        for (unsigned k = 0; k < f->k; k++) {
            unsigned x = f->sa[row][k], y = f->sb[col][k];
            /* Infinity times zero is NaN, as is a sum of infinities with different signs
             * (special_code). */
            unsigned endless = SPECIAL_PLUS | SPECIAL_MINUS;
            if ((x | y) & SPECIAL_NAN || ((x & endless) && (y & SPECIAL_ZERO)) ||
                ((y & endless) && (x & SPECIAL_ZERO))) {
                seen |= SPECIAL_NAN;
            }
            else if ((x | y) & endless) {
                int minus = ((x & SPECIAL_MINUS) != 0 || f->fa[row][k].digits < 0) ^
                            ((y & SPECIAL_MINUS) != 0 || f->fb[col][k].digits < 0);
                seen |= minus ? SPECIAL_MINUS : SPECIAL_PLUS;
            }
        }
    }
    return seen;
}

/* NaN results are the one canonical NaN of the type, 0x7fff or 0x7fffffff. */
static uint64_t
special_code(unsigned seen, unsigned type)
{
    /* 6 is SPECIAL_PLUS | SPECIAL_MINUS. */
    int none = (seen & SPECIAL_NAN) || (seen & 6) == 6;
    if (type == EMU_ELEMENT_F16) {
        return none ? 0x7fff : seen & SPECIAL_PLUS ? 0x7c00 : 0xfc00;
    }
    return none ? 0x7fffffffu : seen & SPECIAL_PLUS ? 0x7f800000u : 0xff800000u;
}

/* The accumulator in the type of the result. */
static uint64_t
widen(uint64_t c, const EmuTile *t)
{
    return t->c == EMU_ELEMENT_F16 && t->d == EMU_ELEMENT_F32 ? bits_of(from_f16((u16)c)) : c;
}

static uint64_t
float_dot(const Factors *f, unsigned row, unsigned col, uint64_t acc)
{
    const EmuTile *t = f->tile;
    unsigned seen = special_sum(f, row, col, acc);
    unsigned digits = elements[t->a].fraction + elements[t->b].fraction;
    if (seen != 0) {
        return special_code(seen, t->d);
    }
    unsigned step = t->a == EMU_ELEMENT_TF32 ? 8 : 16;
    /* 8-bit floats: the accumulator is added at the end, by itself. */
    uint64_t sum = is_eight_bit_float(t) ? 0 : acc;
    for (unsigned k = 0; k < f->k; k += step) {
        unsigned n = f->k - k < step ? f->k - k : step;
        sum = dot_step(f->fa[row] + k, f->fb[col] + k, n, sum, digits, t->d);
    }
    return is_eight_bit_float(t) ? bits_of(canon(float_of((u32)sum) + float_of((u32)acc))) : sum;
}

/* m8n8k4: as f32 operations. */
static uint64_t
chain_dot(const Factors *f, unsigned row, unsigned col, uint64_t acc)
{
    int halves = f->tile->d == EMU_ELEMENT_F16;
    float c = f->tile->c == EMU_ELEMENT_F16 ? from_f16((u16)acc) : float_of((u32)acc);
    float s = from_f16((u16)f->a[row][0]) * from_f16((u16)f->b[col][0]);
    s = halves ? s + c : s; /* the product is exact */
    for (unsigned k = 1; k < 4; k++) {
        s = fmaf(from_f16((u16)f->a[row][k]), from_f16((u16)f->b[col][k]), s);
    }
    return halves ? to_f16(s) : bits_of(canon(s + c));
}

/* The order in which the products of k are added: see above. */
static unsigned
position(const EmuTile *t, unsigned k)
{
    return is_eight_bit_float(t) ? (k % 4 < 2 ? 0 : 16) + k / 4 * 2 + k % 2 : k;
}

/* FP64 tensor cores are IEEE: one rounding for each fused multiply-add, in the order of k. */
static uint64_t
double_dot(const Factors *f, unsigned row, unsigned col, uint64_t acc)
{
    double s = double_of(acc);
    for (unsigned k = 0; k < f->k; k++) {
        s = fma(double_of(f->a[row][k]), double_of(f->b[col][k]), s);
    }
    return bits_of_double(s);
}

/* 64 bits hold every exact sum: 64 products of 16 bits and an accumulator of 32. Overflow wraps
 * unless .satfinite is given. */
static uint64_t
integer_dot(const Factors *f, unsigned row, unsigned col, uint64_t acc, unsigned flags)
{
    int64_t s = (int32_t)(uint32_t)acc;
    for (unsigned k = 0; k < f->k; k++) {
        if (f->tile->a == EMU_ELEMENT_B1) {
            uint32_t x = (uint32_t)f->a[row][k], y = (uint32_t)f->b[col][k];
            s += emu_popcount(flags & EMU_MATRIX_AND ? x & y : x ^ y);
        }
        else {
            s += integer_of(f->a[row][k], f->tile->a) * integer_of(f->b[col][k], f->tile->b);
        }
    }
    return (uint32_t)(flags & EMU_MATRIX_SATURATE ? clamp_s32(s) : (s32)(u32)(u64)s);
}

static uint64_t
dot(const Factors *f, unsigned row, unsigned col, uint64_t acc, unsigned flags)
{
    return f->tile->d == EMU_ELEMENT_S32   ? integer_dot(f, row, col, acc, flags)
           : f->tile->d == EMU_ELEMENT_F64 ? double_dot(f, row, col, acc)
                                           : float_dot(f, row, col, acc);
}

/* Each factor is split once, although it meets every column of the other matrix. */
static void
split_factors(Factors *f)
{
    const EmuTile *t = f->tile;
    if (elements[t->a].exponent == 0 || t->a == EMU_ELEMENT_F64) {
        return;
    }
    memset(f->any_a, 0, sizeof f->any_a);
    memset(f->any_b, 0, sizeof f->any_b);
    for (unsigned k = 0; k < f->k; k++) {
        for (unsigned r = 0; r < f->m; r++) {
            f->sa[r][k] = (uint8_t)split(f->a[r][k], t->a, &f->fa[r][k]);
            f->any_a[r] |= f->sa[r][k];
        }
        for (unsigned c = 0; c < f->n; c++) {
            f->sb[c][k] = (uint8_t)split(f->b[c][k], t->b, &f->fb[c][k]);
            f->any_b[c] |= f->sb[c][k];
        }
    }
}

/* Registers of a lane's part. */
static unsigned
registers(unsigned count, unsigned type)
{
    return count * per_register(type);
}

/* The operands of a product; e is the indices of mma.sp. */
typedef struct {
    const EmuRow *d, *a, *b, *c, *e;
    unsigned nd, na, nb, nc;
} Parts;

/* The operands stand in the order d, a, b, c, then the indices of a sparse a, then the member mask.
 */
static Parts
parts_of(const Instr *in)
{
    Parts p = {.nd = in->nd, .d = emu_operands(in)};
    p.na = in->count;
    p.nb = in->size;
    /* The last source is the mask of lanes. */
    p.nc = (unsigned)in->ns - 1 - p.na - p.nb - ((in->flags & EMU_MATRIX_SPARSE) != 0);
    p.a = p.d + p.nd;
    p.b = p.a + p.na;
    p.c = p.b + p.nb;
    p.e = p.c + p.nc;
    return p;
}

static int32_t
product_quads(Block *b, const Instr *in, uint32_t warp)
{
    const EmuTile *t = &in->tile;
    Parts p = parts_of(in);
    int ca = (in->flags & EMU_MATRIX_A_COLUMN) != 0, cb = (in->flags & EMU_MATRIX_B_COLUMN) != 0;
    for (unsigned quad = 0; quad < 4; quad++) {
        Factors f = {.tile = t, .m = 8, .n = 8, .k = 4};
        uint64_t c[8][8], out[EMU_WARP][8];
        /* A quad pair: lanes 4 q to 4 q + 3 and the same 16 lanes up. */
        for (unsigned half = 0; half < 8; half++) {
            uint32_t lane = 4 * quad + (half & 3) + (half >= 4 ? 16 : 0),
                     at = EMU_WARP * warp + lane;
            for (unsigned i = 0; i < registers(p.na, t->a); i++) {
                Place x = place_quads('a', t->a, ca, lane, i),
                      y = place_quads('b', t->b, cb, lane, i);
                f.a[x.row][x.col] = take(b, p.a, t->a, at, i);
                f.b[y.col][y.row] = take(b, p.b, t->b, at, i);
            }
            for (unsigned i = 0; i < 8; i++) {
                Place z = place_quads('c', t->c, 0, lane, i);
                c[z.row][z.col] = take(b, p.c, t->c, at, i);
            }
        }
        for (unsigned half = 0; half < 8; half++) {
            uint32_t lane = 4 * quad + (half & 3) + (half >= 4 ? 16 : 0),
                     at = EMU_WARP * warp + lane;
            for (unsigned i = 0; i < 8; i++) {
                Place z = place_quads('c', t->d, 0, lane, i);
                out[lane][i] = chain_dot(&f, z.row, z.col, c[z.row][z.col]);
            }
            for (unsigned r = 0; r < p.nd; r++) {
                put(b, p.d[r], at,
                    /* f32 results take a register each, f16 results share one in pairs. */
                    p.nd == 8 ? out[lane][r] : out[lane][2 * r] | out[lane][2 * r + 1] << 16);
            }
        }
    }
    return 0;
}

/* d = a * b + c over two dense factors; c and d share `cells`. */
static void
product_dense(Block *b, const Instr *in, uint32_t first, uint64_t (*cells)[MAX_SIDE])
{
    const EmuTile *t = &in->tile;
    Parts p = parts_of(in);
    Factors f;
    f.tile = t;
    f.m = t->m;
    f.n = t->n;
    f.k = depth(t);
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        for (unsigned i = 0; i < registers(p.na, t->a); i++) {
            Place x = place(t, 'a', t->a, lane, i);
            /* position() permutes k for both factors alike, so the sum is over the same products.
             */
            f.a[x.row][position(t, x.col)] = take(b, p.a, t->a, first + lane, i);
        }
        for (unsigned i = 0; i < registers(p.nb, t->b); i++) {
            Place x = place(t, 'b', t->b, lane, i);
            f.b[x.col][position(t, x.row)] = take(b, p.b, t->b, first + lane, i);
        }
    }
    split_factors(&f);
    for (unsigned row = 0; row < f.m; row++) {
        for (unsigned col = 0; col < f.n; col++) {
            /* In place: cell (row, col) is read as c and written as d once. */
            cells[row][col] = dot(&f, row, col, cells[row][col], in->flags);
        }
    }
}

/* ---- sparse products ------------------------------------------------------------------------- */

/* mma.sp keeps half of a row of a: two of four neighbours, of tf32 one of two, of 4-bit elements
 * two pairs of four. Index register e of some lanes says which: two bits for a place among four,
 * four for a place among two. Returns the column of the row's element j. */
static unsigned
sparse_column(const EmuTile *t, const uint32_t *e, unsigned selector, unsigned row, unsigned j)
{
    unsigned width = t->a == EMU_ELEMENT_TF32 ? 4 : 2;
    unsigned pair = elements[t->a].bits == 4 ? 2 : 1;
    /* Which lane holds the indices of a row, and where in its register (PTX ISA, "Sparse matrix
     * storage"); `selector` is the instruction's sparsity selector, which picks among the lanes of
     * a quad. */
    unsigned at = j / pair * width, row_bits = t->k / 2u / pair * width, low = row < 8;
    unsigned lane = row % 8 * 4, bit = at;
    if (row_bits == 16) {
        lane += selector;
        bit += low ? 0 : 16;
    }
    else if (row_bits == 32 && elements[t->a].bits >= 16) {
        lane += 2 * selector + at / 16;
        bit = at % 16 + (low ? 0 : 16);
    }
    else {
        lane += 2 * selector + (low ? 0 : 1) + at / 32 * 2;
        bit = at % 32;
    }
    unsigned index = e[lane] >> bit & ((1u << width) - 1);
    /* The index names a place in a group of four (two for tf32, whose four-bit index is 0b0100 or
     * 0b1110). */
    return width == 4 ? 2 * j + (index >> 3) : (j / pair / 2 * 4 + index) * pair + j % pair;
}

/* d = a * b + c where a has half of its elements: a product of single rows, each with the part of b
 * that it needs. */
static void
product_sparse(Block *b, const Instr *in, uint32_t first, uint64_t (*cells)[MAX_SIDE])
{
    const EmuTile *t = &in->tile;
    EmuTile half = *t;
    Parts p = parts_of(in);
    Factors f;
    uint32_t e[EMU_WARP];
    uint64_t kept[16][MAX_K], whole[8][2 * MAX_K];
    half.k /= 2;
    f.tile = &half;
    f.m = 1;
    f.n = t->n;
    f.k = half.k;
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        e[lane] = (uint32_t)emu_row_lane(b, b->regs + *p.e, first + lane);
        for (unsigned i = 0; i < registers(p.na, t->a); i++) {
            Place x = place(&half, 'a', t->a, lane, i);
            kept[x.row][x.col] = take(b, p.a, t->a, first + lane, i);
        }
        for (unsigned i = 0; i < registers(p.nb, t->b); i++) {
            Place x = place(t, 'b', t->b, lane, i);
            whole[x.col][x.row] = take(b, p.b, t->b, first + lane, i);
        }
    }
    for (unsigned row = 0; row < t->m; row++) {
        for (unsigned j = 0; j < f.k; j++) {
            unsigned from = sparse_column(t, e, in->space, row, j), to = position(t, j);
            f.a[0][to] = kept[row][j];
            for (unsigned col = 0; col < f.n; col++) {
                f.b[col][to] = whole[col][from];
            }
        }
        split_factors(&f);
        for (unsigned col = 0; col < f.n; col++) {
            cells[row][col] = dot(&f, 0, col, cells[row][col], in->flags);
        }
    }
}

/* d = a * b + c for one warp. */
int32_t
emu_matrix_product(Block *b, const Instr *in, int32_t pc, uint32_t warp)
{
    const EmuTile *t = &in->tile;
    Parts p = parts_of(in);
    uint32_t first = EMU_WARP * warp;
    uint64_t cells[MAX_SIDE][MAX_SIDE];
    (void)pc;
    /* Only m8n8k4 of f16 has k of 4 and halves. */
    if (t->k == 4 && t->a == EMU_ELEMENT_F16) {
        return product_quads(b, in, warp);
    }
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        /* c in the layout of its own type: f16 accumulators may come with f32 results. */
        for (unsigned i = 0; i < registers(p.nc, t->c); i++) {
            Place x = place(t, 'c', t->c, lane, i);
            cells[x.row][x.col] = widen(take(b, p.c, t->c, first + lane, i), t);
        }
    }
    if (in->flags & EMU_MATRIX_SPARSE) {
        product_sparse(b, in, first, cells);
    }
    else {
        product_dense(b, in, first, cells);
    }
    unsigned per = per_register(t->d);
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        for (unsigned r = 0; r < p.nd; r++) {
            /* Elements of one register side by side; wider types have one element, so the shift is
             * 0. */
            uint64_t v = 0;
            for (unsigned i = 0; i < per; i++) {
                Place x = place(t, 'c', t->d, lane, r * per + i);
                v |= cells[x.row][x.col] << (16 * i);
            }
            put(b, p.d[r], first + lane, v);
        }
    }
    return 0;
}

/* ---- fragments and memory -------------------------------------------------------------------- */

/* Which of the three fragments wmma.load and wmma.store move. */
static char
matrix_letter(const Instr *in)
{
    return "abc"[in->tile.b];
}

/* The address of element i of a lane: sources are address and stride. */
static uint64_t
element_address(Block *b, const Instr *in, uint32_t lane, unsigned i, unsigned *shift)
{
    const EmuRow *op = emu_operands(in);
    /* The last three sources are address, stride and mask. */
    unsigned sources = (unsigned)in->nd + in->ns - 3, type = in->tile.a;
    unsigned bits = type == EMU_ELEMENT_B1 ? 32 : elements[type].bits;
    uint32_t at = EMU_WARP * (lane / EMU_WARP) + lane % EMU_WARP;
    uint64_t base = emu_row_lane(b, b->regs + op[sources], at);
    uint64_t stride = emu_row_lane(b, b->regs + op[sources + 1], at);
    Place x = place(&in->tile, matrix_letter(in), type, lane % EMU_WARP, i);
    uint64_t word = type == EMU_ELEMENT_B1 ? 32 : 1;
    /* Strides are in elements, along the leading dimension of the layout. */
    uint64_t line = in->flags & EMU_MATRIX_A_COLUMN ? x.col : x.row;
    uint64_t along = in->flags & EMU_MATRIX_A_COLUMN ? x.row : x.col;
    if (type == EMU_ELEMENT_B1) {
        return base + (line * stride + along * word) / 8;
    }
    uint64_t bit = (line * stride + along) * bits;
    *shift = (unsigned)bit % 8;
    return base + bit / 8;
}

/* wmma.load and wmma.store. */
int32_t
emu_matrix_move(Block *b, const Instr *in, int32_t pc, uint32_t warp)
{
    const EmuRow *op = emu_operands(in);
    unsigned type = in->tile.a, per = per_register(type), bits = elements[type].bits;
    unsigned count = in->count, bytes = bits < 8 ? 1 : bits / 8;
    int stores = in->nd == 0;
    for (uint32_t k = 0; k < EMU_WARP; k++) {
        uint32_t lane = EMU_WARP * warp + k;
        if (!emu_lane_active(b, lane)) {
            continue;
        }
        /* A fragment's registers each take up to four elements from memory, which are scattered in
         * general. */
        for (unsigned r = 0; r < count; r++) {
            uint64_t whole = stores ? emu_row_lane(b, b->regs + op[r], lane) : 0;
            for (unsigned i = 0; i < per; i++) {
                unsigned shift = 0;
                uint64_t part = 0, at = element_address(b, in, lane, r * per + i, &shift);
                unsigned char *host =
                    emu_memory_lane(b, in, pc,
                                    (EmuLaneAccess){.space = in->space,
                                                    .address = at,
                                                    .lane = lane,
                                                    .bytes = bytes,
                                                    .kind = stores ? ACCESS_WRITE : ACCESS_READ});
                if (host == NULL) {
                    return EMU_EVENT_FAULT;
                }
                if (stores) {
                    part = whole >> (bits == 64 ? 0 : i * bits);
                    memcpy(host, &part, bytes);
                    continue;
                }
                memcpy(&part, host, bytes);
                /* 4-bit elements share a byte: the half is chosen by the bit address. */
                part = bits < 8 ? part >> shift & ((1u << bits) - 1) : part;
                whole |= bits == 64 ? part : part << (i * bits);
            }
            if (!stores) {
                put(b, op[r], lane, whole);
            }
        }
    }
    return 0;
}

/* ldmatrix and stmatrix: count matrices of 8 x 8 halves; lane 8 j + i has the address of row i of
 * matrix j. */
int32_t
emu_matrix_rows(Block *b, const Instr *in, int32_t pc, uint32_t warp)
{
    const EmuRow *op = emu_operands(in);
    int stores = in->nd == 0, transposed = (in->flags & EMU_MATRIX_A_COLUMN) != 0;
    unsigned address = (unsigned)in->nd + in->ns - 2;
    /* The addresses of matrix j come from lanes 8 j to 8 j + 7, whatever rows those lanes hold. */
    for (unsigned j = 0; j < in->count; j++) {
        unsigned char *rows[8];
        for (unsigned i = 0; i < 8; i++) {
            uint32_t lane = EMU_WARP * warp + 8 * j + i;
            rows[i] = emu_memory_lane(
                b, in, pc,
                (EmuLaneAccess){.space = in->space,
                                .address = emu_row_lane(b, b->regs + op[address], lane),
                                .lane = lane,
                                /* A row is 16 bytes and must be aligned to them (PTX ISA,
                                 * ldmatrix). */
                                .bytes = 16,
                                .kind = stores ? ACCESS_WRITE : ACCESS_READ});
            if (rows[i] == NULL) {
                return EMU_EVENT_FAULT;
            }
        }
        for (uint32_t k = 0; k < EMU_WARP; k++) {
            uint32_t lane = EMU_WARP * warp + k;
            uint64_t v = stores ? emu_row_lane(b, b->regs + op[j], lane) : 0;
            for (unsigned i = 0; i < 2; i++) {
                /* Each lane has two neighbouring halves of row k / 4; .trans exchanges rows and
                 * columns. */
                unsigned row = transposed ? k % 4 * 2 + i : k / 4,
                         col = transposed ? k / 4 : k % 4 * 2 + i;
                uint16_t half = (uint16_t)(v >> (16 * i));
                if (stores) {
                    memcpy(rows[row] + 2 * col, &half, 2);
                    continue;
                }
                memcpy(&half, rows[row] + 2 * col, 2);
                v |= (uint64_t)half << (16 * i);
            }
            if (!stores) {
                put(b, op[j], lane, v);
            }
        }
    }
    return 0;
}

/* movmatrix: the 8 x 8 halves of the lanes, transposed. */
int32_t
emu_matrix_transpose(Block *b, const Instr *in, int32_t pc, uint32_t warp)
{
    uint16_t m[8][8];
    (void)pc;
    for (uint32_t k = 0; k < EMU_WARP; k++) {
        uint64_t v = emu_row_lane(b, b->regs + in->op[1], EMU_WARP * warp + k);
        m[k / 4][k % 4 * 2] = (uint16_t)v;
        m[k / 4][k % 4 * 2 + 1] = (uint16_t)(v >> 16);
    }
    for (uint32_t k = 0; k < EMU_WARP; k++) {
        uint32_t v = m[k % 4 * 2][k / 4] | (uint32_t)m[k % 4 * 2 + 1][k / 4] << 16;
        put(b, in->op[0], EMU_WARP * warp + k, v);
    }
    return 0;
}

/* The approximate functions as an H200 has them, to the last bit: piecewise quadratic interpolation
 * in integers, with a squarer that leaves out the partial products of low weight, and truncation of
 * the result. Doubles hold all of these integers exactly, and vector units gather and add them.
 * Included by lanes.h before its own macros. */
#ifndef EMU_APPROX_H
#define EMU_APPROX_H

#include "emu/exec/lanes_math.h"

/* Where the pieces of each function begin: a function takes the number of its first piece, and a
 * line of the table is an enumerator's name. */
#define PIECE_OF(line) approx_piece_##line
#define PIECE_AT(line) PIECE_OF(line)
#define FUNCTION(name) name##_pieces, name##_before = name##_pieces - 1,
#define PIECE(a, b, c) PIECE_AT(__LINE__),
enum {
#include "emu/exec/approx.def"
};

#define FUNCTION(name)
#define PIECE(a, b, c) a,
static const double approx_a[] = {
#include "emu/exec/approx.def"
};
#define FUNCTION(name)
#define PIECE(a, b, c) b,
static const double approx_b[] = {
#include "emu/exec/approx.def"
};
#define FUNCTION(name)
#define PIECE(a, b, c) c,
static const double approx_c[] = {
#include "emu/exec/approx.def"
};

/* Row i of the folded square of k: bit i times the bits above it, and its own square; products
 * below 2^cut are left out, the rest is in units of 2^cut. */
#define CUT_ABOVE(i, cut)                                                                          \
    ((cut) - (i) >= (i) + 2 ? k >> (((cut) - (i) - 1) & 31)                                        \
                            : (k >> ((i) + 1)) << ((2 * (i) + 2 - (cut)) & 31))
#define CUT_OWN(i, cut) (2 * (i) >= (cut) ? 1u << ((2 * (i) - (cut)) & 31) : 0u)
#define CUT_ROW(i, cut) ((0u - (k >> (i) & 1)) & (CUT_ABOVE(i, cut) + CUT_OWN(i, cut)))

/* 16 bits, cut at 2^17 */
static inline u32
square16(u32 k)
{
    return CUT_ROW(1, 17) + CUT_ROW(2, 17) + CUT_ROW(3, 17) + CUT_ROW(4, 17) + CUT_ROW(5, 17) +
           CUT_ROW(6, 17) + CUT_ROW(7, 17) + CUT_ROW(8, 17) + CUT_ROW(9, 17) + CUT_ROW(10, 17) +
           CUT_ROW(11, 17) + CUT_ROW(12, 17) + CUT_ROW(13, 17) + CUT_ROW(14, 17) + CUT_ROW(15, 17);
}

/* 17 bits, cut at 2^19 */
static inline u32
square17(u32 k)
{
    return CUT_ROW(2, 19) + CUT_ROW(3, 19) + CUT_ROW(4, 19) + CUT_ROW(5, 19) + CUT_ROW(6, 19) +
           CUT_ROW(7, 19) + CUT_ROW(8, 19) + CUT_ROW(9, 19) + CUT_ROW(10, 19) + CUT_ROW(11, 19) +
           CUT_ROW(12, 19) + CUT_ROW(13, 19) + CUT_ROW(14, 19) + CUT_ROW(15, 19) + CUT_ROW(16, 19);
}

/* The result of piece p; k: the bits below those that chose it, square: theirs. */
#define QUADRATIC(p, k, square)                                                                    \
    (approx_a[p] + approx_b[p] * (double)(s32)(k) + approx_c[p] * (double)(s32)(square))
/* m: 23 bits of fraction; from: the first piece, counted in those of the function. */
#define PIECE17(name, m, from)                                                                     \
    QUADRATIC((u32)name##_pieces + (from) + ((m) >> 17), (m) & 0x1ffff, square17((m) & 0x1ffff))
#define PIECE16(name, m)                                                                           \
    QUADRATIC((u32)name##_pieces + ((m) >> 16), (m) & 0xffff, square16((m) & 0xffff))

/* Truncation of the magnitude. */
static inline double
cut_bits(double d, u64 mask)
{
    return double_of(bits_of_double(d) & ~mask);
}
#define TO_24_BITS 0x1fffffffull
#define TO_HIGH_WORD 0xffffffffull

static inline double
power_of_two(s64 n)
{
    return double_of((u64)(n + 1023) << 52);
}

static inline double
with_sign(double d, u64 bits)
{
    return double_of(bits_of_double(d) | (bits & SIGN64));
}

/* The 23 bits of fraction of an f32. */
static inline u32
fraction23(u64 bits)
{
    return (u32)(bits >> 29) & 0x7fffff;
}

/* mask: how much of the result is cut off */
static inline double
rcp_piece(double x, u64 mask)
{
    u64 bits = bits_of_double(x), e = bits >> 52 & 0x7ff;
    u32 m = fraction23(bits);
    double v = cut_bits(PIECE16(rcp, m) * 0x1p-39, mask) * double_of((2046 - e) << 52);
    v = e == 0 ? INFINITY : e == 0x7ff ? 0.0 : v;
    return x != x ? x : with_sign(v, bits);
}

/* Two powers of two, since the parity of the exponent decides which root is taken. */
static inline double
rsqrt_piece(double x, u64 mask)
{
    u64 bits = bits_of_double(x), e = bits >> 52 & 0x7ff;
    u32 m = fraction23(bits), even = (u32)(e & 1); /* 1023 is odd */
    double v = PIECE17(rsqrt, m, even ? 0u : 64u) * (even ? 0x1p-40 : 0x1p-41);
    v = even && m == 0 ? 1.0 : cut_bits(v, mask);
    v *= double_of((1023 + 511 - ((e - even) >> 1) + (1 - even)) << 52);
    v = e == 0 ? INFINITY : e == 0x7ff ? 0.0 : v;
    v = e == 0 ? with_sign(v, bits) : v;
    return x < 0 && e != 0 ? NAN : x != x ? x : v;
}

/* Zero, infinity and NaN pass through. */
static inline double
sqrt_piece(double x)
{
    u64 bits = bits_of_double(x), e = bits >> 52 & 0x7ff;
    u32 m = fraction23(bits), even = (u32)(e & 1);
    double v = cut_bits(PIECE17(sqrt, m, even ? 0u : 64u) * 0x1p-40, TO_24_BITS);
    v *= double_of((((e - even) >> 1) + 512 - (1 - even)) << 52);
    v = e == 0 || e == 0x7ff ? x : v;
    return x < 0 && e != 0 ? NAN : v;
}

/* rsqrt.approx.f64 without .ftz: the seed and one step of third order, as ptxas writes it out. */
static inline double
rsqrt_refined(double x)
{
    double small = fabs(x) < 0x1p-1022 ? 0x1p54 : 1.0;
    double v = x * small;
    double y = rsqrt_piece(double_of(bits_of_double(v) & ~TO_HIGH_WORD), TO_HIGH_WORD);
    double e = fma(v, -(y * y), 1.0);
    double r = fma(fma(e, 0.375, 0.5), y * e, y) * (small == 1.0 ? 1.0 : 0x1p27);
    r = x == 0 ? with_sign(INFINITY, bits_of_double(x)) : x == INFINITY ? 0.0 : r;
    return x < 0 ? double_of(0xfff8000000000000ull) : x != x ? quiet(x) : r;
}

/* 2^x: 23 bits of fraction; of a negative number the ones' complement. */
static inline double
ex2_fixed(double x)
{
    double size = fabs(x);
    double t = (size < 1024 ? size : 1024.0) * 0x1p23;
    double near = (t + 0x1p52) - 0x1p52;
    near = near > t ? near - 1 : near;
    s64 whole = (s64)(bits_of_double(near + 0x1p52) & 0xfffffffffffffull);
    whole = x < 0 ? (whole & 0x7fffff) == 0 ? -whole : -whole - 1 : whole;
    u32 m = (u32)whole & 0x7fffff;
    double v = cut_bits(PIECE17(ex2, m, 0u) * 0x1p-38, TO_24_BITS) * power_of_two(whole >> 23);
    v = x >= 1024 ? INFINITY : x <= -1022 ? 0.0 : v;
    return x != x ? x : v;
}

/* Below 2^-126 the square of the result for half of x. */
static inline double
ex2_piece(double x)
{
    double v = ex2_fixed(x < -126 ? x * 0.5 : x);
    return x < -126 ? v * v : v;
}

/* 36 bits behind the point; of a negative number the ones' complement. */
static inline double
lg2_fixed(double x)
{
    u64 bits = bits_of_double(x), e = bits >> 52 & 0x7ff;
    u32 m = fraction23(bits);
    double f = PIECE17(lg2, m, 0u) * 0.125;
    double near = (f + 0x1p52) - 0x1p52;
    f = x == 1 ? 0.0 : near > f ? near - 1 : near;
    double v = ((double)(s32)e - 1023) * 0x1p36 + f;
    double size = v < 0 ? -v - 1 : v;
    size = cut_bits(size * 0x1p-36, TO_24_BITS);
    return v < 0 ? -size : size;
}

/* The sine of x turns, 25 bits behind the point; quarter: 0 sine, 1 cosine. */
static inline double
sine_of_turns(double x, u32 quarter)
{
    double size = fabs(x), whole = (size + 0x1p52) - 0x1p52;
    whole = size < 0x1p52 ? (whole > size ? whole - 1 : whole) : size;
    u32 t = (u32)(s32)((size - whole) * 0x1p25);
    u32 q = (t >> 23) + quarter, m = (q & 1 ? ~t : t) & 0x7fffff;
    double v = cut_bits(PIECE17(sin, m, 0u) * 0x1p-37, TO_24_BITS);
    v = q & 2 ? -v : v;
    return double_of(bits_of_double(v) ^ (quarter == 0 ? bits_of_double(x) & SIGN64 : 0));
}

/* The argument is multiplied by 1/2pi in f32, towards zero. */
static inline double
sin_piece(double x, u32 quarter)
{
    double v = sine_of_turns(cut_bits(x * 0x1.45f306p-3, TO_24_BITS), quarter);
    return fabs(x) < INFINITY ? v : NAN;
}

/* Half-precision forms cut the result of the single one; what does not fit is infinite. */
static inline u16
cut_to_f16(double v)
{
    u16 h = f64_to_f16(v, 1);
    return v != v ? 0x7fff : v >= 0x1p16 ? 0x7c00 : h;
}

static inline u16
cut_to_bf16(double v)
{
    u16 h = f64_to_bf16(v, 1);
    return v != v ? 0x7fff : v >= 0x1p128 ? 0x7f80 : h;
}

/* div.approx and div.full; huge: what there is done about divisors above 2^126. */
static inline double
div_piece(double a, double b, double huge)
{
    double by = fabs(b) < 0x1p-126 ? 0x1p24 : fabs(b) > 0x1p126 ? huge : 1.0;
    double r = rcp_piece(b * by, TO_24_BITS);
    return (double)(float)(a * by) * (fabs(r) < 0x1p-126 ? with_sign(0.0, bits_of_double(r)) : r);
}

/* From 2^-8 to 8 each power of two has pieces of its own. */
static inline double
tanh_piece(double x)
{
    static const u32 bits_of[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
    static const u32 first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    double size = fabs(x);
    u64 bits = bits_of_double(size < 0x1p-8 ? 0x1p-8 : size < 8 ? size : 4.0);
    u32 m = fraction23(bits), e = (u32)(bits >> 52) - (1023 - 8), n = bits_of[e];
    u32 p = first[e] + (m >> (23 - n)), k = m >> (6 - n) & 0x1ffff;
    double v = QUADRATIC((u32)tanh_pieces + p, k, square17(k));
    v = cut_bits(v * power_of_two((e < 7 ? (s64)e : 7) - 46), TO_24_BITS);
    v = size < 0x1p-8 ? size : size < 8 ? v : 1.0;
    return x != x ? x : with_sign(v, bits_of_double(x));
}

/* Subnormal arguments are scaled into the normal range first. */
static inline double
lg2_piece(double x)
{
    double v = lg2_fixed(x < 0x1p-126 ? x * 0x1p24 : x);
    v = x < 0x1p-126 ? v - 24 : v;
    v = x > 0 ? v : x == 0 ? -INFINITY : NAN;
    return x == INFINITY ? x : v;
}

#endif

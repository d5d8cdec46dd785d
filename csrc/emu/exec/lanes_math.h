/* Scalar helpers of the lane loops: exact integer and half-precision pieces, and the double
 * polynomials behind the approximate functions. Everything is branch-free where it can be, so that
 * the loops of ptx.def become vector code. */
#ifndef EMU_LANES_MATH_H
#define EMU_LANES_MATH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8, pred;
typedef int8_t s8;
typedef uint16_t u16, b16, f16, bf16;
typedef int16_t s16;
typedef uint32_t u32, b32, f16x2, bf16x2;
typedef int32_t s32;
typedef uint64_t u64, b64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

#define SIGN64 0x8000000000000000ull
#define INF64 0x7ff0000000000000ull
#define JOIN(high, low) ((uint64_t)(high) << 32 | (uint32_t)(low))

static inline float
float_of(u32 bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline u32
bits_of(float f)
{
    u32 bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline double
double_of(u64 bits)
{
    double f;
    memcpy(&f, &bits, 8);
    return f;
}

static inline u64
bits_of_double(double f)
{
    u64 bits;
    memcpy(&bits, &f, 8);
    return bits;
}

/* Every f32 result that is NaN has this one pattern on the hardware. */
static inline float
canon(float f)
{
    return f == f ? f : float_of(0x7fffffffu);
}

static inline double
quiet(double d)
{
    return double_of(bits_of_double(d) | 0x0008000000000000ull);
}

/* The NaN that an f64 operation with the result r gives: that of b, else of c, else of a. */
static inline double
nan2(double r, double a, double b)
{
    double nan = a != a ? quiet(a) : double_of(0xfff8000000000000ull);
    nan = b != b ? quiet(b) : nan;
    return r == r ? r : nan;
}

static inline double
nan3(double r, double a, double b, double c)
{
    double nan = a != a ? quiet(a) : double_of(0xfff8000000000000ull);
    nan = c != c ? quiet(c) : nan;
    nan = b != b ? quiet(b) : nan;
    return r == r ? r : nan;
}

/* ---- integers -------------------------------------------------------------------------------- */

/* Saturation of .sat and .satfinite on 32-bit integers. */
static inline s32
clamp_s32(s64 v)
{
    return (s32)(v < INT32_MIN ? INT32_MIN : v > INT32_MAX ? INT32_MAX : v);
}

/* The rank of the block whose shared address this is; `own` for plain addresses. */
static inline u32
cluster_rank(u32 address, u32 own)
{
    u32 part = address >> 24;
    return part == 0 ? own : part - 1;
}

/* cvt.pack: a above b in the low bits, c above them. `how`: bits of a part, and 64 when signed. */
static inline u32
pack_saturated(u32 a, u32 b, u32 c, u32 how)
{
    u32 bits = how & 63, mask = (1u << bits) - 1;
    s32 high = (s32)((how & 64) ? mask >> 1 : mask), low = (how & 64) ? -high - 1 : 0;
    s32 x = (s32)a, y = (s32)b;
    x = x < low ? low : x > high ? high : x;
    y = y < low ? low : y > high ? high : y;
    u32 both = ((u32)x & mask) << bits | ((u32)y & mask);
    return bits == 16 ? both : both | c << (2 * bits);
}

/* mul24 and mad24 look at the low 24 bits alone; the signed forms extend bit 23. */
static inline u32
low24(u32 a)
{
    return a & 0xffffff;
}

static inline s64
slow24(u32 a)
{
    return (s64)((s32)(a << 8) >> 8);
}

/* By parallel sums of bits, which vector units without a population count can do. */
static inline u32
popcount32(u32 a)
{
    a = a - ((a >> 1) & 0x55555555u);
    a = (a & 0x33333333u) + ((a >> 2) & 0x33333333u);
    return (((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

static inline u32
reverse32(u32 a)
{
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(a);
}

/* Bit i of the table is the result for the i-th combination of a, b, c, with a in the highest place
 * (PTX ISA, lop3). */
static inline u32
lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 r = 0;
    r |= (0u - (table & 1)) & ~a & ~b & ~c;
    r |= (0u - ((table >> 1) & 1)) & ~a & ~b & c;
    r |= (0u - ((table >> 2) & 1)) & ~a & b & ~c;
    r |= (0u - ((table >> 3) & 1)) & ~a & b & c;
    r |= (0u - ((table >> 4) & 1)) & a & ~b & ~c;
    r |= (0u - ((table >> 5) & 1)) & a & ~b & c;
    r |= (0u - ((table >> 6) & 1)) & a & b & ~c;
    r |= (0u - ((table >> 7) & 1)) & a & b & c;
    return r;
}

/* Branch-free around the case 0, for which the builtin is undefined. */
static inline u32
bfind_u32_one(u32 a)
{
    return a == 0 ? ~0u : 31u - (u32)__builtin_clz(a);
}

static inline u32
bfind_u64_one(u64 a)
{
    return a == 0 ? ~0u : 63u - (u32)__builtin_clzll(a);
}

/* .shiftamt counts from the top; "not found" stays all ones. */
static inline u32
shiftamt(u32 found, u32 top)
{
    return found == ~0u ? ~0u : top - found;
}

/* A shift by the width of the word is undefined in C, hence the case. */
static inline u32
ones32(u32 n)
{
    return n > 31 ? ~0u : (1u << n) - 1;
}

static inline u64
ones64(u32 n)
{
    return n > 63 ? ~0ull : (1ull << n) - 1;
}

/* PTX ISA, bfe: position and length count modulo 256, and bits beyond the word repeat the sign. */
static inline u32
bfe32(u32 a, u32 pos, u32 len, int is_signed)
{
    pos &= 0xff;
    len &= 0xff;
    u32 left = pos > 31 ? 0 : 32 - pos;
    u32 width = len < left ? len : left;
    u32 last = pos + len > 32 ? 31 : pos + len - 1;
    u32 sign = is_signed && len != 0 ? (a >> (last & 31)) & 1 : 0;
    u32 mask = ones32(width);
    return ((a >> (pos & 31)) & mask) | ((0u - sign) & ~mask);
}

static inline u64
bfe64(u64 a, u32 pos, u32 len, int is_signed)
{
    /* unlike the 32-bit form, whole words of position and length count */
    len = len > 64 ? 64 : len;
    pos = pos > 64 ? 64 : pos;
    u32 left = pos > 63 ? 0 : 64 - pos;
    u32 width = len < left ? len : left;
    u32 last = pos + len > 64 ? 63 : pos + len - 1;
    u64 sign = is_signed && len != 0 ? (a >> (last & 63)) & 1 : 0;
    u64 mask = ones64(width);
    return ((a >> (pos & 63)) & mask) | ((0ull - sign) & ~mask);
}

static inline u32
bfi32(u32 a, u32 b, u32 pos, u32 len)
{
    pos &= 0xff;
    u32 mask = pos > 31 ? 0 : ones32(len & 0xff) << (pos & 31);
    return (b & ~mask) | ((a << (pos & 31)) & mask);
}

static inline u64
bfi64(u64 a, u64 b, u32 pos, u32 len)
{
    u64 mask = pos > 63 ? 0 : ones64(len) << (pos & 63);
    return (b & ~mask) | ((a << (pos & 63)) & mask);
}

/* .wrap takes both numbers modulo 32, .clamp lets them run out of the word. */
static inline u32
bmsk(u32 pos, u32 width, int wrap)
{
    if (wrap) {
        return ones32(width & 31) << (pos & 31);
    }
    return pos > 31 ? 0 : ones32(width) << (pos & 31);
}

/* Sign or zero extension from bit n - 1. */
static inline u32
szext(u32 a, u32 n, int is_signed)
{
    u32 mask = ones32(n);
    u32 sign = is_signed && n > 0 ? (a >> ((n - 1) & 31)) & 1 : 0;
    return (a & mask) | ((0u - sign) & ~mask);
}

/* PTX ISA, fns: the n-th set bit from a base, upwards or downwards. */
static inline u32
find_nth(u32 mask, u32 base, s32 offset)
{
    if (offset == INT32_MIN) {
        return 0; /* as measured */
    }
    s32 step = offset < 0 ? -1 : 1;
    s64 left = offset < 0 ? -(s64)offset : offset;
    if (offset == 0) {
        return base < 32 && ((mask >> base) & 1) ? base : ~0u;
    }
    for (s64 pos = base; pos >= 0 && pos < 32; pos += step) {
        if (((mask >> pos) & 1) && --left == 0) {
            return (u32)pos;
        }
    }
    return ~0u;
}

/* Bit 3 of a selector asks for the sign of the byte, repeated. */
static inline u32
prmt_byte(u64 v, u32 selector)
{
    u32 byte = (u32)(v >> (8 * (selector & 7))) & 0xff;
    u32 sign = (0u - (byte >> 7)) & 0xff;
    return selector & 8 ? sign : byte;
}

static inline u32
prmt(u32 a, u32 b, u32 c)
{
    u64 v = JOIN(b, a);
    return prmt_byte(v, c) | prmt_byte(v, c >> 4) << 8 | prmt_byte(v, c >> 8) << 16 |
           prmt_byte(v, c >> 12) << 24;
}

/* The named modes of prmt as selectors of the general one. */
static inline u32
prmt_b4e_selector(u32 c)
{
    static const u16 selectors[4] = {0x5670, 0x6701, 0x7012, 0x0123};
    return selectors[c & 3];
}

static inline u32
prmt_edge(u32 c, int right)
{
    static const u16 selectors[2][4] = {{0x3210, 0x3211, 0x3222, 0x3333},
                                        {0x0000, 0x1110, 0x2210, 0x3210}};
    return selectors[right][c & 3];
}

#define DP4(TA, TB)                                                                                \
    (c + (u32)((s32)(TA)a * (s32)(TB)b + (s32)(TA)(a >> 8) * (s32)(TB)(b >> 8) +                   \
               (s32)(TA)(a >> 16) * (s32)(TB)(b >> 16) + (s32)(TA)(a >> 24) * (s32)(TB)(b >> 24)))
#define DP2(TA, TB, from)                                                                          \
    (c + (u32)((s32)(TA)a * (s32)(TB)(b >> (from)) +                                               \
               (s32)(TA)(a >> 16) * (s32)(TB)(b >> ((from) + 8))))

/* ---- half precision -------------------------------------------------------------------------- */

/* The exponent is moved by a multiplication, which handles subnormals as well; infinities and NaN
 * get the largest exponent. */
static inline float
from_f16(u16 h)
{
    u32 sign = (u32)(h & 0x8000) << 16, rest = (u32)(h & 0x7fff) << 13;
    float f = float_of(rest) * 0x1p112f;
    u32 bits = rest >= 0x0f800000u ? rest | 0x7f800000u : bits_of(f);
    return float_of(bits | sign);
}

/* To nearest even. Normal results round in integers; for subnormal ones the addition of 0.5 lets
 * the processor round at the right bit. */
static inline u16
to_f16(float f)
{
    u32 u = bits_of(f), sign = (u >> 16) & 0x8000;
    u &= 0x7fffffffu;
    u32 small = bits_of(float_of(u) + 0.5f) - 0x3f000000u;
    u32 normal = (u + 0xfff + ((u >> 13) & 1) - 0x38000000u) >> 13;
    u32 h = u < 0x38800000u ? small : normal;
    h = u >= 0x477ff000u ? 0x7c00 : h;
    h |= sign;
    return (u16)(u > 0x7f800000u ? 0x7fff : h);
}

/* 10 bits of fraction, rounded by what is added below them; a NaN is cut off */
static inline u32
to_tf32(float f, u32 add)
{
    u32 u = bits_of(f);
    return (u + (f == f ? add : 0)) & ~0x1fffu;
}

static inline float
from_bf16(u16 h)
{
    return float_of((u32)h << 16);
}

/* To nearest even: half of the last place is added, less one where the last kept bit is 0. */
static inline u16
to_bf16(float f)
{
    u32 u = bits_of(f);
    u32 h = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
    return (u16)((u & 0x7fffffffu) > 0x7f800000u ? 0x7fff : h);
}

/* Nearest float with the last bit set when inexact: a second rounding of it is the right one. */
static inline float
odd_float(double d)
{
    float f = (float)d;
    u32 bits = bits_of(f);
    double back = f;
    u32 above = fabs(back) > fabs(d);
    bits = back == d || d != d ? bits : ((bits - above) | 1);
    return float_of(bits);
}

/* Directed rounding to a 16-bit format: truncate, then step away from zero if it must grow.
 * mode: 0 nearest even, 1 to zero, 2 down, 3 up. */
static inline u16
f64_to_f16(double d, int mode)
{
    if (d != d) {
        u64 bits = bits_of_double(quiet(d));
        return (u16)((bits >> 48 & 0x8000) | 0x7c00 | (bits >> 42 & 0x3ff));
    }
    u16 h = to_f16(odd_float(d));
    if (mode == 0) {
        return h;
    }
    if (fabs((double)from_f16(h)) > fabs(d)) {
        h = (u16)(h - 1);
    }
    int grow = (mode == 2 && d < 0) || (mode == 3 && d > 0);
    if (grow && (double)from_f16(h) != d && (h & 0x7fff) != 0x7c00) {
        h = (u16)(h + 1);
    }
    return h;
}

static inline u16
f64_to_bf16(double d, int mode)
{
    if (d != d) {
        u64 bits = bits_of_double(quiet(d));
        return (u16)((bits >> 48 & 0x8000) | 0x7f80 | (bits >> 45 & 0x7f));
    }
    u16 h = to_bf16(odd_float(d));
    if (mode == 0) {
        return h;
    }
    if (fabs((double)from_bf16(h)) > fabs(d)) {
        h = (u16)(h - 1);
    }
    int grow = (mode == 2 && d < 0) || (mode == 3 && d > 0);
    if (grow && (double)from_bf16(h) != d && (h & 0x7fff) != 0x7f80) {
        h = (u16)(h + 1);
    }
    return h;
}

/* a * b + c in double is exact for f16; for bf16 the lost tail is kept as a sticky bit. */
static inline u16
half_fused_f16(u16 a, u16 b, u16 c)
{
    return to_f16(odd_float((double)from_f16(a) * from_f16(b) + from_f16(c)));
}

static inline u16
half_fused_bf16(u16 a, u16 b, u16 c)
{
    double p = (double)from_bf16(a) * from_bf16(b), z = from_bf16(c);
    double s = p + z, t = s - p;
    double lost = (p - (s - t)) + (z - t);
    u64 bits = bits_of_double(s);
    u64 shrink = (lost < 0) != (s < 0);
    bits =
        lost == lost && lost != 0 && s - s == 0 ? ((bits - ((bits & 1) == 0 && shrink)) | 1) : bits;
    return to_bf16(odd_float(double_of(bits)));
}

/* An exact result, flushed where it is below the normal numbers when rounded to their precision. */
static inline u16
flushed_f16(double exact)
{
    u16 sign = (u16)(bits_of_double(exact) >> 48 & 0x8000);
    return fabs(exact) < 0x1.ffep-15 ? sign : to_f16(odd_float(exact));
}

static inline double
from_flushed_f16(u16 h)
{
    return (double)from_f16((h & 0x7c00) == 0 ? h & 0x8000 : h);
}

/* The 8-bit formats, saturating to the largest finite value: e4m3 has 3 bits of fraction and no
 * infinity, e5m2 has 2 and is the upper half of an f16. */
static inline u32
to_fp8(float f, u32 digits, u32 largest)
{
    u32 u = bits_of(f), sign = (u >> 24) & 0x80, drop = 23 - digits;
    u32 bias = digits == 3 ? 7 : 15;
    float unit = digits == 3 ? 0x1p9f : 0x1p16f;
    u &= 0x7fffffffu;
    u32 small = (u32)rintf(float_of(u < 0x3f800000u ? u : 0) * unit);
    u32 rounded = u + ((1u << (drop - 1)) - 1) + ((u >> drop) & 1);
    u32 normal = (rounded >> drop) - ((127 - bias) << digits);
    u32 code = u < ((128 - bias) << 23) ? small : normal;
    code = code > largest || u >= 0x7f800000u ? largest : code;
    return u > 0x7f800000u ? 0x7f : code | sign;
}

static inline u16
from_fp8(u32 v, u32 digits)
{
    if (digits == 2) {
        return (u16)((v & 0x7f) > 0x7c ? 0x7fff : v << 8);
    }
    float f = (float)(v & 7) + ((v & 0x78) != 0 ? 8.0f : 0.0f);
    u32 e = (v >> 3) & 15;
    f *= float_of((127 - 9 + (e == 0 ? 0 : e - 1)) << 23);
    u16 h = to_f16(f);
    return (u16)((v & 0x7f) == 0x7f ? 0x7fff : h | (v & 0x80) << 8);
}

/* Keeps a 64-bit integer exact enough for a later rounding to a short format: the bits that a
 * double cannot hold become one sticky bit. */
static inline u64
sticky64(u64 v)
{
    u64 low = (v & 0xfff) != 0 ? 0x1000 : 0;
    return v >> 53 ? (v & ~0xfffull) | low : v;
}

/* ---- float to integer, saturating; NaN as the PTX manual says -------------------------------- */

static inline s32
to_int(double r, s32 low, s32 high, s32 nan)
{
    s32 v = (s32)(r < low ? low : r > high ? high : r == r ? r : 0);
    return r == r ? v : nan;
}

/* Comparisons first: converting a value out of range is undefined in C. */
static inline s32
f32_to_s32(float r)
{
    s32 v = (s32)(r < 2147483648.0f && r >= -2147483648.0f ? r : 0.0f);
    v = r >= 2147483648.0f ? INT32_MAX : v;
    return r < -2147483648.0f ? INT32_MIN : v;
}

static inline u32
f32_to_u32(float r)
{
    u32 v = (u32)(s64)(r < 4294967296.0f && r > 0 ? r : 0.0f);
    return r >= 4294967296.0f ? ~0u : v;
}

static inline s32
f64_to_s32(double r)
{
    s32 v = (s32)(r > -2147483648.0 ? (r < 2147483647.0 ? r : 2147483647.0) : -2147483648.0);
    return v;
}

static inline u32
f64_to_u32(double r)
{
    u32 v = (u32)(s64)(r > 0 ? (r < 4294967295.0 ? r : 4294967295.0) : 0.0);
    return r == r ? v : 0x80000000u;
}

static inline s64
to_s64(double r)
{
    s64 v = (s64)(r < 0x1p63 && r >= -0x1p63 ? r : 0.0);
    v = r >= 0x1p63 ? INT64_MAX : v;
    return r < -0x1p63 || r != r ? INT64_MIN : v;
}

static inline u64
to_u64(double r)
{
    u64 v = (u64)(r < 0x1p64 && r > 0 ? r : 0.0);
    v = r >= 0x1p64 ? ~0ull : v;
    return r == r ? v : SIGN64;
}

/* ---- minimum and maximum: NaN loses, -0 is below +0 ------------------------------------------ */

/* PTX ISA, min: NaN only when both operands are. Equal operands differ in the sign of zero at most,
 * and OR takes the negative one. */
static inline float
min32(float a, float b)
{
    float r = a < b ? a : b;
    r = a == b ? float_of(bits_of(a) | bits_of(b)) : r;
    r = b != b ? a : r;
    return canon(a != a ? b : r);
}

/* As min32, with AND for the positive zero. */
static inline float
max32(float a, float b)
{
    float r = a > b ? a : b;
    r = a == b ? float_of(bits_of(a) & bits_of(b)) : r;
    r = b != b ? a : r;
    return canon(a != a ? b : r);
}

static inline double
min64(double a, double b)
{
    double r = a < b ? a : b;
    r = a == b ? double_of(bits_of_double(a) | bits_of_double(b)) : r;
    r = b != b ? a : r;
    r = a != a ? b : r;
    return r == r ? r : quiet(r);
}

static inline double
max64(double a, double b)
{
    double r = a > b ? a : b;
    r = a == b ? double_of(bits_of_double(a) & bits_of_double(b)) : r;
    r = b != b ? a : r;
    r = a != a ? b : r;
    return r == r ? r : quiet(r);
}

static inline u16
xor_half(u16 r, u16 a, u16 b, u16 infinity)
{
    return r > infinity ? 0x7fff : (u16)((r & 0x7fff) | ((a ^ b) & 0x8000));
}

static inline float
xorsign(float r, float a, float b)
{
    if (r != r) {
        return float_of(0x7fffffffu);
    }
    return float_of((bits_of(r) & 0x7fffffffu) | ((bits_of(a) ^ bits_of(b)) & 0x80000000u));
}

/* ---- approximate functions in double --------------------------------------------------------- */

/* exp2 (for tanh): Taylor series of 2^f, |f| <= 1/2. log2: the series of atanh((m-1)/(m+1)) with m
 * in [sqrt(1/2), sqrt(2)). sin and cos: Taylor series after a two-part reduction by pi/2. */

/* Adding 1.5 * 2^52 rounds to the nearest integer, whose low bits then make the exponent of the
 * scale. */
static inline double
exp2_double(double x)
{
    double clamped = x > 1000.0 ? 1000.0 : x < -1000.0 ? -1000.0 : x;
    double shifted = clamped + 0x1.8p52;
    double f = (clamped - (shifted - 0x1.8p52)) * 0.69314718055994530942;
    double p = 1.0 / 3628800;
    p = p * f + 1.0 / 362880;
    p = p * f + 1.0 / 40320;
    p = p * f + 1.0 / 5040;
    p = p * f + 1.0 / 720;
    p = p * f + 1.0 / 120;
    p = p * f + 1.0 / 24;
    p = p * f + 1.0 / 6;
    p = p * f + 0.5;
    p = p * f + 1.0;
    p = p * f + 1.0;
    double scale = double_of((bits_of_double(shifted) << 52) + 0x3ff0000000000000ull);
    return x != x ? x : p * scale;
}

/* Subtracting the bits of sqrt(1/2) centres the mantissa around 1, where the series converges
 * fastest. */
static inline double
log2_double(double x)
{
    u64 bits = bits_of_double(x);
    u64 shifted = bits - 0x3fe6a09e667f3bcdull; /* sqrt(1/2) */
    double e =
        double_of(0x4330000000000000ull | (((shifted >> 52) + 0x400) & 0xfff)) - (0x1p52 + 1024);
    double m = double_of((shifted & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
    double f = (m - 1) / (m + 1), g = f * f;
    double p = 1.0 / 17;
    p = p * g + 1.0 / 15;
    p = p * g + 1.0 / 13;
    p = p * g + 1.0 / 11;
    p = p * g + 1.0 / 9;
    p = p * g + 1.0 / 7;
    p = p * g + 1.0 / 5;
    p = p * g + 1.0 / 3;
    p = p * g + 1.0;
    double r = e + p * f * 2.8853900817779268147;
    r = x > 0 ? r : x == 0 ? -INFINITY : NAN;
    return x == INFINITY ? x : r;
}

/* Arguments that are whole turns in f32 anyway: a device's unit takes the sine of zero. */
static inline double
sin_double(double any, int quarter)
{
    double x = fabs(any) < 0x1p28 ? any : any * 0.0;
    double shifted = x * 0.63661977236758134308 + 0x1.8p52;
    double k = shifted - 0x1.8p52;
    u64 n = bits_of_double(shifted) + (u64)quarter;
    double r = (x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34;
    double g = r * r;
    double s = -1.0 / 1307674368000.0, c = -1.0 / 87178291200.0;
    s = s * g + 1.0 / 6227020800.0;
    s = s * g - 1.0 / 39916800.0;
    s = s * g + 1.0 / 362880.0;
    s = s * g - 1.0 / 5040.0;
    s = s * g + 1.0 / 120.0;
    s = s * g - 1.0 / 6.0;
    s = s * g * r + r;
    c = c * g + 1.0 / 479001600.0;
    c = c * g - 1.0 / 3628800.0;
    c = c * g + 1.0 / 40320.0;
    c = c * g - 1.0 / 720.0;
    c = c * g + 1.0 / 24.0;
    c = c * g - 0.5;
    c = c * g + 1.0;
    double v = n & 1 ? c : s;
    v = n & 2 ? -v : v;
    return x - x == 0 ? v : NAN;
}

/* Small arguments by the first terms of the series: 1 - 2 / (t + 1) would cancel. */
static inline double
tanh_double(double x)
{
    double a = fabs(x);
    double t = exp2_double((a > 30 ? 30 : a) * 2.8853900817779268147);
    double r = 1 - 2 / (t + 1);
    r = a < 0x1p-10 ? a - a * a * a / 3 : r;
    r = x != x ? x : r;
    return double_of(bits_of_double(r) | (bits_of_double(x) & SIGN64));
}

/* The f64 seeds see and give only the high word; subnormals count as zero. */
static inline double
high_input(u64 bits)
{
    u64 v = bits & 0xffffffff00000000ull;
    return double_of((v & INF64) == 0 ? v & SIGN64 : v);
}

static inline double
high_word(double r)
{
    u64 v = bits_of_double(r);
    u64 rounded = (v + 0x80000000ull) & 0xffffffff00000000ull;
    u64 flushed = (v & INF64) == 0 ? v & SIGN64 : rounded;
    return double_of(r - r == 0 ? flushed : r == r ? v : 0x7fffffff00000000ull);
}

#endif

#include "fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} kinds[KIND_COUNT] = {
    {"b8", 1},    {"pred", 1},   {"b16", 2},    {"b32", 4},    {"b64", 8},   {"f16", 2},
    {"bf16", 2},  {"f32", 4},    {"f64", 8},    {"f16x2", 4},  {"bf16x2", 4}, {"shift", 4},
    {"lane", 4},  {"few", 4},    {"few64", 8},  {"all16", 2},  {"index", 4}, {"small", 4},
    {"f32n", 4},  {"f64n", 8},   {"sweep", 4},  {"zero32", 4},{"small64", 8},
};

static const uint64_t corners_int[] = {
    0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 24, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 254, 255, 256,
    0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x10000, 0x7ffffffe, 0x7fffffff, 0x80000000,
    0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7ffffffffffffffe, 0x7fffffffffffffff,
    0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff,
    0xffffffffffff8000, 0xffffffffffff7fff, 0xffffffff80000000, 0xffffffff7fffffff};

static const uint32_t corners_f32[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fffffff, 0xffc00000,
    0x7fc00000, 0x7f800001, 0xff812345, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
    0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000,
    0xc0200000, 0x40490fdb, 0x3f7fffff, 0x3f800001, 0x4b000000, 0x4b000001, 0x4affffff, 0x4b7fffff,
    0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x4f7fffff, 0x5f000000, 0xdf000000, 0x5f800000,
    0x5effffff, 0x42fe0000, 0x42ff0000, 0x43000000, 0xc3000000, 0x46fffe00, 0x477fe000, 0x47800000,
    0x477ff000, 0x33000000, 0x33800000, 0x387fe000, 0x38800000, 0x1e3ce508, 0x20000000, 0x5f7fffff,
    0x42c80000, 0x3effffff, 0x3f000001, 0x7e800000, 0x7f000000, 0x00400000, 0x0d800000, 0x43e00000};

static const uint64_t corners_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x7ff0000000000000, 0xfff0000000000000, 0x7fffffffffffffff, 0xfff8000000000000,
    0x7ff8000000000000, 0x7ff0000000000001, 0xfff0000012345678, 0x7ff8000000000123,
    0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
    0x8010000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x3fe0000000000000,
    0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x3fefffffffffffff, 0x3ff0000000000001, 0x4330000000000000, 0x4330000000000001,
    0x432fffffffffffff, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,
    0x41dfffffffe00000, 0xc1e0000000100000, 0x41efffffffe00000, 0x41f0000000000000,
    0x43e0000000000000, 0xc3e0000000000000, 0x43dfffffffffffff, 0x43f0000000000000,
    0x405fc00000000000, 0x406fe00000000000, 0x40dfffc000000000, 0x40efffe000000000,
    0x40f0000000000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
    0x3810000000000000, 0x380fffffffffffff, 0x36a0000000000000, 0x3690000000000000,
    0x3690000000000001, 0x3e60000000000000, 0x3f10000000000000, 0x400921fb54442d18,
    0x40effe0000000000, 0x40effc0000000000, 0x7fe0000000000000, 0x2000000000000000};

static const uint16_t corners_f16[] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7fff, 0x7e00, 0xfe00, 0x7c01, 0xfd23,
    0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x7bff, 0xfbff, 0x3800, 0xb800, 0x3e00,
    0x4100, 0xc100, 0x3bff, 0x3c01, 0x6400, 0x6401, 0x63ff, 0x7800, 0x57f0, 0x5bf8, 0x0200};

static const uint16_t corners_bf16[] = {
    0x0000, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fff, 0x7fc0, 0xffc0, 0x7f81, 0xff93,
    0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x7f7f, 0xff7f, 0x3f00, 0xbf00, 0x3fc0,
    0x4020, 0xc020, 0x3f7f, 0x3f81, 0x4300, 0x4301, 0x42ff, 0x42fe, 0x437f, 0x4f00, 0x0040};

static const uint32_t corners_shift[] = {0,  1,  2,  4,  7,   8,   15,  16,  17,  24,        28,
                                         31, 32, 33, 47, 48,  63,  64,  65,  96,  127,       128,
                                         200, 255, 256, 257, 0x120, 0x8000, 0xffff, 0x80000000,
                                         0xffffffff, 0x10001};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static uint64_t
mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

Kind
fill_kind(const char *name)
{
    for (int k = 0; k < KIND_COUNT; k++) {
        if (strcmp(name, kinds[k].name) == 0) {
            return (Kind)k;
        }
    }
    fprintf(stderr, "unknown kind %s\n", name);
    exit(2);
}

size_t
fill_size(Kind kind)
{
    return kinds[kind].size;
}

static uint64_t
corner(Kind kind, size_t i)
{
    switch (kind) {
    case KIND_F16:
        return corners_f16[i % LENGTH(corners_f16)];
    case KIND_BF16:
        return corners_bf16[i % LENGTH(corners_bf16)];
    case KIND_F32:
        return corners_f32[i % LENGTH(corners_f32)];
    case KIND_F64:
        return corners_f64[i % LENGTH(corners_f64)];
    case KIND_SHIFT:
        return corners_shift[i % LENGTH(corners_shift)];
    default:
        return corners_int[i % LENGTH(corners_int)];
    }
}

/* Random bits whose exponent is often near that of another operand's, so that sums cancel. */
static uint64_t
random_float(Kind kind, uint64_t r, uint64_t s)
{
    int fraction = kind == KIND_F64 ? 52 : kind == KIND_F32 ? 23 : kind == KIND_F16 ? 10 : 7;
    int exponent = kind == KIND_F64 ? 11 : kind == KIND_F16 ? 5 : 8;
    uint64_t bias = (1ull << (exponent - 1)) - 1;
    uint64_t keep = (1ull << fraction) - 1;
    uint64_t sign = (r >> 63) << (fraction + exponent);
    uint64_t e;
    switch (s & 3) {
    case 0:
        return r; /* the caller cuts it */
    case 1:
        e = bias + ((s >> 8) & 7) - 4;
        break;
    case 2:
        e = bias + ((s >> 8) % 61) - 30;
        e = exponent == 5 ? (s >> 8) & 31 : e;
        break;
    default: /* few bits of fraction: ties, exact results */
        e = bias + ((s >> 8) & 15) - 7;
        keep &= ~(keep >> 4);
    }
    return sign | e << fraction | (r & keep);
}

static uint64_t
random_value(Kind kind, uint64_t r, uint64_t s)
{
    switch (kind) {
    case KIND_F16:
    case KIND_BF16:
    case KIND_F32:
    case KIND_F64:
        return random_float(kind, r, s);
    case KIND_SHIFT:
        return s & 7 ? r & 63 : r;
    default: /* integers of all lengths, both signs */
        r >>= (s & 63);
        return (s >> 8) & 3 ? r : 0 - r;
    }
}

static uint64_t
one(Kind kind, uint64_t r, uint64_t s, unsigned operand, size_t i)
{
    const size_t side = 64;
    if (i < side * side) {
        size_t c = operand == 0 ? i % side : operand == 1 ? i / side : (size_t)(r % side);
        return corner(kind, c);
    }
    return (s >> 32) % 5 == 0 ? corner(kind, (size_t)(r >> 8)) : random_value(kind, r, s);
}

uint64_t
fill_value(Kind kind, uint64_t seed, unsigned operand, size_t index)
{
    uint64_t r = mix(mix(seed * 16 + operand) + index), s = mix(r);
    size_t size = kinds[kind].size;
    uint64_t v;
    switch (kind) {
    case KIND_PRED:
        v = r & 1;
        break;
    case KIND_F16X2:
    case KIND_BF16X2: {
        Kind half = kind == KIND_F16X2 ? KIND_F16 : KIND_BF16;
        v = (one(half, r, s, operand, index) & 0xffff) |
            (one(half, s, mix(s), operand + 2, index) & 0xffff) << 16;
        break;
    }
    case KIND_LANE:
        v = s % 16 == 0 ? r : (r % 44) - 3;
        break;
    case KIND_FEW:
    case KIND_FEW64:
        v = (r & 3) * 0x4000000040000001ull - 1;
        break;
    case KIND_ALL16:
        v = index;
        break;
    case KIND_INDEX:
        v = index;
        break;
    case KIND_SMALL:
    case KIND_SMALL64:
        v = r & 63;
        break;
    case KIND_F32N:
        v = (r & 0x807fffff) | ((0x7cull + (s & 7)) << 23);
        break;
    case KIND_F64N:
        v = (r & 0x800fffffffffffffull) | ((0x3fcull + (s & 7)) << 52);
        break;
    case KIND_SWEEP:
        v = index * seed + operand;
        break;
    case KIND_ZERO32:
        v = 0;
        break;
    default:
        v = one(kind, r, s, operand, index);
    }
    return size == 8 ? v : v & ((1ull << (8 * size)) - 1);
}

void
fill_values(unsigned char *to, Kind kind, size_t count, uint64_t seed, unsigned operand)
{
    size_t size = kinds[kind].size;
    for (size_t i = 0; i < count; i++) {
        uint64_t v = fill_value(kind, seed, operand, i);
        memcpy(to + i * size, &v, size);
    }
}

uint64_t
fill_distance(Kind kind, uint64_t a, uint64_t b)
{
    unsigned bits = (unsigned)(8 * kinds[kind].size);
    uint64_t sign = 1ull << (bits - 1);
    uint64_t inf = kind == KIND_F64 || kind == KIND_F64N ? 0x7ff0000000000000ull
                   : kind == KIND_F32 || kind == KIND_F32N ? 0x7f800000u
                   : kind == KIND_BF16 ? 0x7f80
                                       : 0x7c00;
    int nan_a = (a & (sign - 1)) > inf, nan_b = (b & (sign - 1)) > inf;
    if (nan_a || nan_b) {
        return nan_a && nan_b ? 0 : ~0ull >> 1;
    }
    int64_t x = a & sign ? -(int64_t)(a & (sign - 1)) : (int64_t)a;
    int64_t y = b & sign ? -(int64_t)(b & (sign - 1)) : (int64_t)b;
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

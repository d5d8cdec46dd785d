/* The arithmetic of the emulated NCCL: its twelve types and five operations.
 *
 * Ranks are combined in their order and each step is rounded to the type, so every rank computes
 * the same bits. Integers wrap around. */
#include "emu/libs/halves.h"
#include "emu/libs/nccl.h"

#include <math.h>
#include <string.h>

size_t
nccl_type_bytes(ncclDataType_t type)
{
    static const unsigned char bytes[NCCL_NTYPES] = {
        [ncclInt8] = 1,    [ncclUint8] = 1,    [ncclInt32] = 4,      [ncclUint32] = 4,
        [ncclInt64] = 8,   [ncclUint64] = 8,   [ncclFloat16] = 2,    [ncclFloat32] = 4,
        [ncclFloat64] = 8, [ncclBfloat16] = 2, [ncclFloat8e4m3] = 1, [ncclFloat8e5m2] = 1,
    };
    return bytes[type];
}

/* ---- integers -------------------------------------------------------------------------------- */

/* Sums and products are those of the type without a sign, which are the same bits. */
static uint64_t
combine_words(uint64_t a, uint64_t b, int a_is_less, ncclRedOp_t op)
{
    switch (op) {
    case ncclProd:
        return a * b;
    case ncclMax:
        return a_is_less ? b : a;
    case ncclMin:
        return a_is_less ? a : b;
    default:
        return a + b;
    }
}

static int
is_signed(ncclDataType_t type)
{
    return type == ncclInt8 || type == ncclInt32 || type == ncclInt64;
}

/* The integer at `at`, extended to 64 bits by its sign or by zeros. */
static uint64_t
load_integer(const unsigned char *at, ncclDataType_t type)
{
    uint64_t word = 0;
    const size_t bytes = nccl_type_bytes(type);
    memcpy(&word, at, bytes); /* little-endian, as the device is */
    const int shift = 64 - 8 * (int)bytes;
    return is_signed(type) ? (uint64_t)((int64_t)(word << shift) >> shift) : word;
}

static void
combine_integers(unsigned char *into, const unsigned char *from, size_t count, ncclDataType_t type,
                 ncclRedOp_t op)
{
    const size_t bytes = nccl_type_bytes(type);
    for (size_t i = 0; i < count * bytes; i += bytes) {
        const uint64_t a = load_integer(into + i, type), b = load_integer(from + i, type);
        const int is_less = is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
        const uint64_t word = combine_words(a, b, is_less, op);
        memcpy(into + i, &word, bytes);
    }
}

/* ---- floats ---------------------------------------------------------------------------------- */

/* float8: e4m3 has no infinities and one NaN pattern, e5m2 is the upper half of a float16. */
static float
from_float8(uint8_t bits, ncclDataType_t type)
{
    if (type == ncclFloat8e5m2) {
        return emu_math_from_half((uint16_t)(bits << 8));
    }
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const float sign = bits & 0x80 ? -1.0F : 1.0F;
    if ((bits & 0x7F) == 0x7F) {
        return sign * NAN;
    }
    return sign * (exponent == 0 ? ldexpf((float)fraction, -9)
                                 : ldexpf((float)(8 + fraction), exponent - 10));
}

/* To nearest, ties to even, and to the largest finite value beyond it, as CUDA's conversions with
 * saturation. */
static uint8_t
to_float8(float value, ncclDataType_t type)
{
    const int is_e5m2 = type == ncclFloat8e5m2;
    const int fraction_bits = is_e5m2 ? 2 : 3, lowest = is_e5m2 ? -14 : -6;
    const float largest = is_e5m2 ? 57344.0F : 448.0F;
    const uint8_t sign = signbit(value) ? 0x80 : 0;
    float magnitude = fabsf(value);
    if (isnan(value)) {
        return (uint8_t)(sign | 0x7F);
    }
    magnitude = magnitude > largest ? largest : magnitude;
    int exponent = 0;
    frexpf(magnitude, &exponent); /* magnitude = f * 2^exponent, 0.5 <= f < 1 */
    exponent = magnitude == 0 || exponent - 1 < lowest ? lowest : exponent - 1;
    /* In units of the last place, which a carry may move into the next exponent: codes are
     * consecutive, so adding does it. */
    const int units = (int)rintf(ldexpf(magnitude, fraction_bits - exponent));
    return (uint8_t)(sign | (((exponent - lowest) << fraction_bits) + units));
}

static double
load_float(const unsigned char *at, ncclDataType_t type)
{
    uint16_t bits;
    float single;
    double value;
    switch (type) {
    case ncclFloat16:
    case ncclBfloat16:
        memcpy(&bits, at, sizeof bits);
        return type == ncclFloat16 ? emu_math_from_half(bits) : emu_math_from_bfloat(bits);
    case ncclFloat32:
        memcpy(&single, at, sizeof single);
        return single;
    case ncclFloat64:
        memcpy(&value, at, sizeof value);
        return value;
    default:
        return from_float8(*at, type);
    }
}

/* Sums, products and quotients of two floats of a narrower type are exact enough in double that
 * rounding once more to the type gives the same as computing in it. */
static void
store_float(unsigned char *at, double value, ncclDataType_t type)
{
    const float single = (float)value;
    uint16_t bits;
    switch (type) {
    case ncclFloat16:
    case ncclBfloat16:
        bits = type == ncclFloat16 ? emu_math_to_half(single) : emu_math_to_bfloat(single);
        memcpy(at, &bits, sizeof bits);
        return;
    case ncclFloat32:
        memcpy(at, &single, sizeof single);
        return;
    case ncclFloat64:
        memcpy(at, &value, sizeof value);
        return;
    default:
        *at = to_float8(single, type);
    }
}

static double
combine_values(double a, double b, ncclRedOp_t op)
{
    switch (op) {
    case ncclProd:
        return a * b;
    case ncclMax:
        return fmax(a, b);
    case ncclMin:
        return fmin(a, b);
    default:
        return a + b;
    }
}

static void
combine_floats(unsigned char *into, const unsigned char *from, size_t count, ncclDataType_t type,
               ncclRedOp_t op)
{
    const size_t bytes = nccl_type_bytes(type);
    for (size_t i = 0; i < count * bytes; i += bytes) {
        store_float(into + i,
                    combine_values(load_float(into + i, type), load_float(from + i, type), op),
                    type);
    }
}

void
nccl_combine(void *into, const void *from, size_t count, ncclDataType_t type, ncclRedOp_t op)
{
    if (type < ncclFloat16) {
        combine_integers(into, from, count, type, op);
    }
    else {
        combine_floats(into, from, count, type, op);
    }
}

static uint64_t
divide_word(uint64_t word, int by, ncclDataType_t type)
{
    return is_signed(type) ? (uint64_t)((int64_t)word / by) : word / (uint64_t)by;
}

/* Integers are cut off towards zero. */
void
nccl_divide(void *into, size_t count, ncclDataType_t type, int by)
{
    const size_t bytes = nccl_type_bytes(type);
    unsigned char *at = into;
    for (size_t i = 0; i < count; i++, at += bytes) {
        if (type >= ncclFloat16) {
            store_float(at, load_float(at, type) / by, type);
            continue;
        }
        const uint64_t word = divide_word(load_integer(at, type), by, type);
        memcpy(at, &word, bytes);
    }
}

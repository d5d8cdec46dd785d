/* Floats of 16 bits, to and from float32, for the emulated libraries that compute with them. */
#include "emu/libs/halves.h"

#include <string.h>

/* Conversions are done in integers, as C11 has no 16-bit floats. */
float
emu_math_from_half(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31;
    uint32_t fraction = bits & 1023, word;
    float value;
    if (exponent == 0) {
        value = (float)fraction * 5.9604644775390625e-08F; /* 2^-24 */
        return sign ? -value : value;
    }
    word = exponent == 31 ? sign | 0x7F800000 | fraction << 13
                          : sign | (exponent + 112) << 23 | fraction << 13;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* To nearest, ties to even. */
uint16_t
emu_math_to_half(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) {
        return (uint16_t)(sign | 0x7E00);
    }
    if (magnitude >= 0x47800000) {
        return (uint16_t)(sign | 0x7C00);
    }
    if (magnitude < 0x38800000) { /* a subnormal half: the sum rounds it */
        /* Adding 0.5 lets the float unit round at the half's last place; the bits below it are the
         * result. */
        float small, shift = 0.5F;
        memcpy(&small, &magnitude, sizeof small);
        small += shift;
        memcpy(&magnitude, &small, sizeof magnitude);
        return (uint16_t)(sign | (magnitude - 0x3F000000));
    }
    /* The exponent's bias goes from 127 to 15, and half a last place is added, less one bit unless
     * the last place is odd: ties go to even. */
    magnitude += 0xC8000FFF + (magnitude >> 13 & 1);
    return (uint16_t)(sign | magnitude >> 13);
}

/* bfloat16 is the upper half of a float32. */
float
emu_math_from_bfloat(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* To nearest, ties to even; a NaN stays one, by setting its quiet bit. */
uint16_t
emu_math_to_bfloat(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    if ((word & 0x7FFFFFFF) > 0x7F800000) {
        return (uint16_t)(word >> 16 | 0x40);
    }
    return (uint16_t)((word + 0x7FFF + (word >> 16 & 1)) >> 16);
}

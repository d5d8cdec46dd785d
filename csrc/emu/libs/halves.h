/* Floats of 16 bits: conversions, to nearest with ties to even. */
#ifndef EMU_HALVES_H
#define EMU_HALVES_H

#include <stdint.h>

float emu_math_from_half(uint16_t bits);
uint16_t emu_math_to_half(float value);
float emu_math_from_bfloat(uint16_t bits);
uint16_t emu_math_to_bfloat(float value);

#endif

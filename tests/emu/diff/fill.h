/* Values made from a seed: corner values of a kind in all pairs first, then random ones. The same
 * numbers on every machine, so that a bundle need not carry them. */
#ifndef EMU_DIFF_FILL_H
#define EMU_DIFF_FILL_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    KIND_B8,   /* any byte */
    KIND_PRED, /* 0 or 1 as a byte */
    KIND_B16,
    KIND_B32,
    KIND_B64,
    KIND_F16,
    KIND_BF16,
    KIND_F32,
    KIND_F64,
    KIND_F16X2,
    KIND_BF16X2,
    KIND_SHIFT, /* 32 bits: shift counts, positions and lengths, mostly small */
    KIND_LANE,  /* 32 bits: shuffle lanes, -3 .. 40, rarely more */
    KIND_FEW,   /* 32 bits: one of four values */
    KIND_FEW64,
    KIND_ALL16, /* 16 bits: the index itself, so that 65536 elements are all of them */
    KIND_INDEX, /* 32 bits: the index */
    KIND_SMALL, /* 32 bits: below 64 */
    KIND_F32N,  /* floats of everyday size */
    KIND_F64N,
    KIND_SWEEP, /* 32 bits: index * seed + operand */
    KIND_ZERO32,
    KIND_SMALL64, /* 64 bits: below 64 */
    KIND_COUNT
} Kind;

Kind fill_kind(const char *name);
size_t fill_size(Kind kind);
uint64_t fill_value(Kind kind, uint64_t seed, unsigned operand, size_t index);
void fill_values(unsigned char *to, Kind kind, size_t count, uint64_t seed, unsigned operand);
/* Steps between two floats of a kind; NaN and NaN are 0 apart. */
uint64_t fill_distance(Kind kind, uint64_t a, uint64_t b);

#endif

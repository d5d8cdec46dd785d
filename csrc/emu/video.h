/* What a video instruction does, between its decoder and its handler. It travels in the imm of an
 * Instr. */
#ifndef EMU_VIDEO_H
#define EMU_VIDEO_H

#include <stdint.h>

enum {
    VIDEO_NONE,
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_AVERAGE,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_MAD,
    VIDEO_SET
};
enum { VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE };

/* Fields of the Instr's target: the parts of a in the low bits (three per place), then those of b,
 * the places that are written, and the signs of vmad (1: of the product, 2: of c). */
enum { VIDEO_PARTS_B = 12, VIDEO_PLACES = 24, VIDEO_SIGNS = 28 };

typedef struct {
    uint32_t op : 4, second : 4, compare : 3, lanes : 3;
    uint32_t d_signed : 1, a_signed : 1, b_signed : 1;
    uint32_t saturate : 1, wrap : 1, plus_one : 1;
    uint32_t scale : 4;
    uint32_t d_at : 5, a_at : 5, b_at : 5;
    uint32_t d_bits : 6, a_bits : 6, b_bits : 6;
} EmuVideo;

_Static_assert(sizeof(EmuVideo) == sizeof(int64_t), "a video instruction fits into imm");

#endif

/* The words of cuRAND's generators, each from its place: nothing is kept between calls. */
#ifndef EMU_CURAND_WORDS_H
#define EMU_CURAND_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Words [place, place + n) of the generator of a seed, in cuRAND's default ordering. */
typedef struct {
    unsigned int *out;
    size_t n;
    uint64_t seed, place;
} CurandWords;

/* One for each generator: arguments of emu_math_enqueue(), `object` is a CurandWords. */
void curand_words_philox(void *object);
void curand_words_xorwow(void *object);
void curand_words_mrg32k3a(void *object);

#endif

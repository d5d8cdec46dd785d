/* The emulated cuRAND: generators, and their words in the order of a stream.
 *
 * curand_words.c makes the words. The Mersenne Twisters are refused, with the status the real
 * library has for a type it does not know. */
#include "emu/libs/curand.h"
#include "emu/libs/curand_words.h"

#include <stdlib.h>

static const int version[3] = {10, 4, 0}; /* the interface that is imitated */

/* Handles are pointers: a freed or foreign one is recognised by this word, most of the time. */
enum { MAGIC = 0x63754e64 };

struct curandGenerator_st {
    unsigned magic;
    EmuWork work;
    uint64_t seed, place; /* words drawn so far, the offset included */
    cudaStream_t stream;
};

static const struct {
    curandRngType_t type;
    EmuWork work;
} kinds[] = {
    {CURAND_RNG_PSEUDO_DEFAULT, curand_words_xorwow},
    {CURAND_RNG_PSEUDO_XORWOW, curand_words_xorwow},
    {CURAND_RNG_PSEUDO_MRG32K3A, curand_words_mrg32k3a},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, curand_words_philox},
};

/* NULL: there is no such generator here. */
static EmuWork
work_of(curandRngType_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].type == type) {
            return kinds[i].work;
        }
    }
    return NULL;
}

EXPORT int
curandGetProperty(libraryPropertyType type, int *value)
{
    return emu_math_property(type, version, value) < 0 ? CURAND_STATUS_OUT_OF_RANGE
                                                       : CURAND_STATUS_SUCCESS;
}

static int
is_generator(curandGenerator_t generator)
{
    return generator != NULL && generator->magic == MAGIC;
}

/* The seed is 0 until another one is set. The real library allocates states on the device here;
 * these need none, as any word can be computed from its index. */
EXPORT int
curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    if (generator == NULL) {
        return CURAND_STATUS_INTERNAL_ERROR;
    }
    EmuWork work = work_of(type);
    if (work == NULL) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    struct curandGenerator_st *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    made->magic = MAGIC;
    made->work = work;
    *generator = made;
    return CURAND_STATUS_SUCCESS;
}

EXPORT int
curandDestroyGenerator(curandGenerator_t generator)
{
    if (!is_generator(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator->magic = 0;
    free(generator);
    return CURAND_STATUS_SUCCESS;
}

EXPORT int
curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!is_generator(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

/* A seed begins anew. */
EXPORT int
curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
    if (!is_generator(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator->seed = seed;
    generator->place = 0;
    return CURAND_STATUS_SUCCESS;
}

/* The offset is absolute, and counts words. */
EXPORT int
curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!is_generator(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator->place = offset;
    return CURAND_STATUS_SUCCESS;
}

/* The words are written in the order of the stream, with a copy of seed and place. */
EXPORT int
curandGenerate(curandGenerator_t generator, unsigned int *out, size_t n)
{
    if (!is_generator(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    const CurandWords words = {out, n, generator->seed, generator->place};
    if (n == 0) {
        return CURAND_STATUS_SUCCESS;
    }
    /* A kernel would fault, or write to other memory. */
    if ((uintptr_t)out % sizeof *out != 0 || n > SIZE_MAX / sizeof *out ||
        !emu_math_is_inside(out, n * sizeof *out)) {
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    int status =
        emu_math_status(emu_math_enqueue(generator->stream, generator->work, &words, sizeof words),
                        CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_LAUNCH_FAILURE);
    /* Advanced when the call is made: later calls go on from there, whenever the stream runs
     * them. */
    generator->place += status == CURAND_STATUS_SUCCESS ? n : 0;
    return status;
}

/* The look-alike of cuRAND: generators, and their words in the order of a stream.
 *
 * Philox4x32-10 is imitated bit for bit: word i of a generator belongs to group i / 4, and group q
 * is the one that sequence q mod 65536 yields at place q / 65536, of the seed as key. Other
 * generators are refused with the status the real library has for a type it does not know. */
#include "emu/math/curand.h"

#include <stdlib.h>

static const int version[3] = {10, 4, 0}; /* the interface that is imitated */

enum { MAGIC = 0x63754e64, SEQUENCES = 65536, ROUNDS = 10 };

struct curandGenerator_st {
    unsigned magic;
    uint64_t seed, place; /* words drawn so far, the offset included */
    cudaStream_t stream;
};

typedef struct {
    unsigned int *out;
    size_t n;
    uint64_t seed, place;
} Words;

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

EXPORT int
curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    if (generator == NULL) {
        return CURAND_STATUS_INTERNAL_ERROR;
    }
    if (type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    struct curandGenerator_st *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    made->magic = MAGIC;
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

EXPORT int
curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!is_generator(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator->place = offset;
    return CURAND_STATUS_SUCCESS;
}

/* J. K. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
static void
philox(uint64_t group, uint64_t seed, uint32_t words[4])
{
    uint32_t c0 = (uint32_t)(group / SEQUENCES), c1 = (uint32_t)(group / SEQUENCES >> 32);
    uint32_t c2 = (uint32_t)(group % SEQUENCES), c3 = 0;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = (uint64_t)c0 * 0xd2511f53u, b = (uint64_t)c2 * 0xcd9e8d57u;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)b;
        c3 = (uint32_t)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

static void
write_words(void *object)
{
    const Words *w = object;
    uint32_t words[4];
    uint64_t group = UINT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        uint64_t at = w->place + i;
        if (at / 4 != group) {
            group = at / 4;
            philox(group, w->seed, words);
        }
        w->out[i] = words[at % 4];
    }
}

EXPORT int
curandGenerate(curandGenerator_t generator, unsigned int *out, size_t n)
{
    if (!is_generator(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    const Words words = {out, n, generator->seed, generator->place};
    if (n > 0 &&
        emu_math_enqueue(generator->stream, write_words, &words, sizeof words) != CUDA_SUCCESS) {
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    generator->place += n;
    return CURAND_STATUS_SUCCESS;
}

/* The words of cuRAND's generators, bit for bit.
 *
 * A generator deals its words out in turns: word i belongs to sequence i mod S and is that
 * sequence's word i / S (of Philox: a group of four words). The sequences are parts of one, equally
 * far from each other. A step of XORWOW or MRG32k3a is linear, over bits or modulo two primes, so
 * many steps are a power of its matrix: the powers of two of it are made once, and any word can be
 * reached without those before it. Orderings, distances and seeding: "Generator Options" and
 * "Bit Generation" in the cuRAND guide, and NVIDIA's header of the device interface. */
#include "emu/libs/curand_words.h"

#include <pthread.h>
#include <string.h>

/* ---- Philox4x32-10 --------------------------------------------------------------------------- */

enum { PHILOX_SEQUENCES = 65536, PHILOX_ROUNDS = 10 };

/* J. K. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
static void
philox(uint64_t group, uint64_t seed, uint32_t words[4])
{
    uint64_t turn = group / PHILOX_SEQUENCES;
    uint32_t c0 = (uint32_t)turn, c1 = (uint32_t)(turn >> 32);
    uint32_t c2 = (uint32_t)(group % PHILOX_SEQUENCES), c3 = 0;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int i = 0; i < PHILOX_ROUNDS; i++) {
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

void
curand_words_philox(void *object)
{
    const CurandWords *w = object;
    uint32_t words[4];
    uint64_t group = UINT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        uint64_t at = w->place + i;
        /* One group of four words is computed once for its four elements. */
        if (at / 4 != group) {
            group = at / 4;
            philox(group, w->seed, words);
        }
        w->out[i] = words[at % 4];
    }
}

/* ---- XORWOW ---------------------------------------------------------------------------------- */

/* G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003). Sequences are 2^67 steps
 * apart, a multiple of the counter's period. */
enum {
    XORWOW_WORDS = 5,
    XORWOW_BITS = 32 * XORWOW_WORDS,
    XORWOW_LOG_DISTANCE = 67,
    XORWOW_LOG_SEQUENCES = 12,
    XORWOW_POWERS = XORWOW_LOG_DISTANCE + XORWOW_LOG_SEQUENCES,
    XORWOW_SEQUENCES = 1 << XORWOW_LOG_SEQUENCES
};
static const uint32_t XORWOW_COUNT = 362437;

typedef struct {
    uint32_t v[XORWOW_WORDS];
} Xorwow;

/* [k][b]: what a lone bit b is 2^k steps later. */
static Xorwow xorwow_power[XORWOW_POWERS][XORWOW_BITS];

static Xorwow
xorwow_step(Xorwow x)
{
    uint32_t t = x.v[0] ^ x.v[0] >> 2, last = x.v[4];
    memmove(x.v, x.v + 1, (XORWOW_WORDS - 1) * sizeof x.v[0]);
    x.v[4] = last ^ last << 4 ^ t ^ t << 1;
    return x;
}

static Xorwow
xorwow_move(const Xorwow power[XORWOW_BITS], const Xorwow *x)
{
    Xorwow sum = {{0}};
    for (int b = 0; b < XORWOW_BITS; b++) {
        uint32_t mask = 0u - (x->v[b / 32] >> b % 32 & 1u);
        for (int i = 0; i < XORWOW_WORDS; i++) {
            sum.v[i] ^= power[b].v[i] & mask;
        }
    }
    return sum;
}

static void
xorwow_make_powers(void)
{
    for (int b = 0; b < XORWOW_BITS; b++) {
        Xorwow lone = {{0}};
        lone.v[b / 32] = 1u << b % 32;
        xorwow_power[0][b] = xorwow_step(lone);
    }
    for (int k = 1; k < XORWOW_POWERS; k++) {
        for (int b = 0; b < XORWOW_BITS; b++) {
            xorwow_power[k][b] = xorwow_move(xorwow_power[k - 1], &xorwow_power[k - 1][b]);
        }
    }
}

/* x moved on by `count` times 2^first steps. */
static Xorwow
xorwow_skip(Xorwow x, uint64_t count, int first)
{
    for (int k = first; count != 0; k++, count >>= 1) {
        if (count & 1) {
            x = xorwow_move(xorwow_power[k], &x);
        }
    }
    return x;
}

/* The state of a seed; returns the counter. */
static uint32_t
xorwow_seed(Xorwow *x, uint64_t seed)
{
    uint32_t a = ((uint32_t)seed ^ 0xaad26b49u) * 1099087573u;
    uint32_t b = ((uint32_t)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
    *x = (Xorwow){{123456789u + a, 362436069u ^ a, 521288629u + b, 88675123u ^ b, 5783321u + a}};
    return 6615241u + a + b;
}

void
curand_words_xorwow(void *object)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const CurandWords *w = object;
    Xorwow first;
    /* Streams of several contexts may run at once. */
    pthread_once(&once, xorwow_make_powers);
    uint64_t turn = w->place / XORWOW_SEQUENCES, sequence = w->place % XORWOW_SEQUENCES;
    uint32_t count = xorwow_seed(&first, w->seed) + (uint32_t)turn * XORWOW_COUNT;
    const Xorwow start = xorwow_skip(first, turn, 0);
    first = xorwow_skip(start, sequence, XORWOW_LOG_DISTANCE);
    /* Sequence by sequence rather than word by word: a step is cheaper than a jump. */
    for (size_t i = 0; i < w->n && i < XORWOW_SEQUENCES; i++) {
        if (i > 0) {
            first = xorwow_move(xorwow_power[XORWOW_LOG_DISTANCE], &first);
        }
        if (i > 0 && ++sequence == XORWOW_SEQUENCES) { /* the next turn begins */
            sequence = 0;
            first = xorwow_step(start);
            count += XORWOW_COUNT;
        }
        Xorwow x = first;
        uint32_t now = count;
        for (size_t k = i; k < w->n; k += XORWOW_SEQUENCES) {
            x = xorwow_step(x);
            w->out[k] = x.v[4] + (now += XORWOW_COUNT);
        }
    }
}

/* ---- MRG32k3a -------------------------------------------------------------------------------- */

/* P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
 * generators", Operations Research 47 (1999). Sequences are 2^76 steps apart. */
enum { MRG_LOG_DISTANCE = 76, MRG_POWERS = MRG_LOG_DISTANCE + 17, MRG_SEQUENCES = 81920 };
static const uint64_t mrg_prime[2] = {4294967087u, 4294944443u};

typedef struct {
    uint64_t at[3][3];
} MrgMatrix;
typedef struct {
    uint64_t s[2][3]; /* the recurrence of each prime, oldest first */
} Mrg;

static MrgMatrix mrg_power[MRG_POWERS][2];

static void
mrg_make_powers(void)
{
    static const MrgMatrix step[2] = {{{{0, 1, 0}, {0, 0, 1}, {4294967087u - 810728, 1403580, 0}}},
                                      {{{0, 1, 0}, {0, 0, 1}, {4294944443u - 1370589, 0, 527612}}}};
    memcpy(mrg_power[0], step, sizeof step);
    for (int k = 1; k < MRG_POWERS; k++) {
        for (int cell = 0; cell < 2 * 9; cell++) {
            int half = cell / 9, i = cell % 9 / 3, j = cell % 3;
            const MrgMatrix *m = &mrg_power[k - 1][half];
            uint64_t sum = 0;
            for (int l = 0; l < 3; l++) {
                sum = (sum + m->at[i][l] * m->at[l][j] % mrg_prime[half]) % mrg_prime[half];
            }
            mrg_power[k][half].at[i][j] = sum;
        }
    }
}

/* The state times a power of the step, for both primes; products fit 64 bits, as the primes are
 * below 2^32. */
static Mrg
mrg_move(const MrgMatrix power[2], const Mrg *x)
{
    Mrg moved;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 3; i++) {
            uint64_t sum = 0;
            for (int j = 0; j < 3; j++) {
                sum += power[half].at[i][j] * x->s[half][j] % mrg_prime[half];
            }
            moved.s[half][i] = sum % mrg_prime[half];
        }
    }
    return moved;
}

static Mrg
mrg_skip(Mrg x, uint64_t count, int first)
{
    for (int k = first; count != 0; k++, count >>= 1) {
        if (count & 1) {
            x = mrg_move(mrg_power[k], &x);
        }
    }
    return x;
}

/* Seed 0 is the published start. */
static Mrg
mrg_seed(uint64_t seed)
{
    const uint64_t x[2] = {(uint32_t)seed ^ 0x55555555u, (uint32_t)(seed >> 32) ^ 0xaaaaaaaau};
    Mrg start;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 3; i++) {
            uint64_t factor = seed != 0 ? x[(half + i) % 2] : 1;
            start.s[half][i] = 12345 * factor % mrg_prime[half];
        }
    }
    return start;
}

/* The newest numbers' difference, in [1, prime], stretched to 32 bits: the largest would be 2^32,
 * and a GPU's conversion stops at the last word. */
static uint32_t
mrg_word(const Mrg *x)
{
    uint64_t a = x->s[0][2], b = x->s[1][2];
    double stretched = (double)(a > b ? a - b : a + mrg_prime[0] - b) * 1.000000048662;
    return stretched < 4294967295.0 ? (uint32_t)stretched : UINT32_MAX;
}

/* As for XORWOW: jumps to the first word of each sequence, then steps. */
void
curand_words_mrg32k3a(void *object)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const CurandWords *w = object;
    pthread_once(&once, mrg_make_powers);
    uint64_t turn = w->place / MRG_SEQUENCES, sequence = w->place % MRG_SEQUENCES;
    const Mrg start = mrg_skip(mrg_seed(w->seed), turn, 0);
    Mrg first = mrg_skip(start, sequence, MRG_LOG_DISTANCE);
    for (size_t i = 0; i < w->n && i < MRG_SEQUENCES; i++) {
        if (i > 0) {
            first = mrg_move(mrg_power[MRG_LOG_DISTANCE], &first);
        }
        if (i > 0 && ++sequence == MRG_SEQUENCES) { /* the next turn begins */
            sequence = 0;
            first = mrg_move(mrg_power[0], &start);
        }
        Mrg x = first;
        for (size_t k = i; k < w->n; k += MRG_SEQUENCES) {
            x = mrg_move(mrg_power[0], &x);
            w->out[k] = mrg_word(&x);
        }
    }
}

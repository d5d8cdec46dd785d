/* Skipping ahead: the first states of many sequences of XORWOW and MRG32k3a.
 *
 * A step of either is a linear map (over GF(2), or modulo two primes), so n steps are the n-th
 * power of its matrix, computed by repeated squaring. Sequence t + 1 is sequence t moved on by 2^67
 * (XORWOW) or 2^76 (MRG32k3a) steps, the distances of cuRAND's sequences.
 *
 * Runs on the host once for each new generator, without the GIL: 65,536 jumps take a few
 * milliseconds.
 */
#include "random/random.h"

#include <string.h>

/* ---- XORWOW: five words of xorshift, 160 bits, and a counter --------------------------------- */

enum {
    WORDS = 5,
    BITS = 32 * WORDS,
    XORWOW_LOG_STEPS = 67,
    MRG_LOG_STEPS = 76,
    LOG_SEQUENCES = 16
};
_Static_assert(1 << LOG_SEQUENCES == GNP_RANDOM_SEQUENCES, "a jump is a power of two of sequences");

/* Row b is the image of the state with the single bit b. */
typedef struct {
    uint32_t row[BITS][WORDS];
} BitMatrix;

static void
apply(const BitMatrix *m, const uint32_t in[WORDS], uint32_t out[WORDS])
{
    uint32_t sum[WORDS] = {0};
    for (int b = 0; b < BITS; b++) {
        /* All bits set where bit b of the state is 1: no branch. */
        uint32_t mask = 0u - (in[b / 32] >> b % 32 & 1u);
        for (int i = 0; i < WORDS; i++) {
            sum[i] ^= m->row[b][i] & mask;
        }
    }
    memcpy(out, sum, sizeof sum);
}

static void
xorwow_step(BitMatrix *m)
{
    memset(m, 0, sizeof *m);
    for (int b = 0; b < BITS; b++) {
        uint32_t x[WORDS] = {0};
        x[b / 32] = 1u << b % 32;
        uint32_t t = x[0] ^ x[0] >> 2;
        memcpy(m->row[b], x + 1, sizeof *x * (WORDS - 1));
        m->row[b][WORDS - 1] = x[WORDS - 1] ^ x[WORDS - 1] << 4 ^ t ^ t << 1;
    }
}

/* The rows of the square are the images of the rows. */
static void
square_bits(BitMatrix *m)
{
    BitMatrix old = *m;
    for (int b = 0; b < BITS; b++) {
        apply(&old, old.row[b], m->row[b]);
    }
}

/* The counter grows by a constant each step: 2^67 steps change nothing modulo 2^32. */
static void
xorwow_sequences(const uint32_t *first, uint64_t jumps, uint32_t *states)
{
    BitMatrix distance, jump;
    uint32_t x[WORDS];
    xorwow_step(&distance);
    for (int i = 0; i < XORWOW_LOG_STEPS; i++) {
        square_bits(&distance);
    }
    memcpy(x, first, sizeof x);
    /* From one sequence to the one 65,536 further on, so that generators with different `stream` do
     * not share sequences. */
    jump = distance;
    for (int i = 0; i < LOG_SEQUENCES && jumps != 0; i++) {
        square_bits(&jump);
    }
    for (; jumps != 0; jumps >>= 1) {
        if (jumps & 1) {
            apply(&jump, x, x);
        }
        square_bits(&jump);
    }
    for (int t = 0; t < GNP_RANDOM_SEQUENCES; t++) {
        for (int i = 0; i < WORDS; i++) {
            /* Word by word, so that neighbouring threads load neighbouring words. */
            states[i * GNP_RANDOM_SEQUENCES + t] = x[i];
        }
        states[WORDS * GNP_RANDOM_SEQUENCES + t] = first[WORDS];
        apply(&distance, x, x);
    }
}

/* ---- MRG32k3a: two recurrences of three words ------------------------------------------------ */

typedef struct {
    uint64_t at[3][3];
} Matrix;

/* L'Ecuyer's m1 and m2. Products of two residues stay below 2^64; negative coefficients are given
 * as m - a. */
static const uint64_t modulus[2] = {4294967087u, 4294944443u};
static const Matrix steps[2] = {
    {{{0, 1, 0}, {0, 0, 1}, {4294967087u - 810728u, 1403580u, 0}}},
    {{{0, 1, 0}, {0, 0, 1}, {4294944443u - 1370589u, 0, 527612u}}},
};

static void
square_matrix(Matrix *m, uint64_t prime)
{
    Matrix old = *m;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++) {
                sum = (sum + old.at[i][k] * old.at[k][j] % prime) % prime;
            }
            m->at[i][j] = sum;
        }
    }
}

static void
multiply(const Matrix *m, uint64_t prime, uint32_t x[3])
{
    uint64_t y[3];
    for (int i = 0; i < 3; i++) {
        y[i] = 0;
        for (int k = 0; k < 3; k++) {
            y[i] = (y[i] + m->at[i][k] * x[k] % prime) % prime;
        }
    }
    for (int i = 0; i < 3; i++) {
        x[i] = (uint32_t)y[i];
    }
}

static void
mrg_sequences(const uint32_t *first, uint64_t jumps, uint32_t *states)
{
    for (int half = 0; half < 2; half++) {
        uint64_t prime = modulus[half], left = jumps;
        Matrix distance = steps[half];
        uint32_t x[3];
        memcpy(x, first + 3 * half, sizeof x);
        for (int i = 0; i < MRG_LOG_STEPS; i++) {
            square_matrix(&distance, prime);
        }
        Matrix jump = distance;
        for (int i = 0; i < LOG_SEQUENCES; i++) {
            square_matrix(&jump, prime);
        }
        for (; left != 0; left >>= 1) {
            if (left & 1) {
                multiply(&jump, prime, x);
            }
            square_matrix(&jump, prime);
        }
        for (int t = 0; t < GNP_RANDOM_SEQUENCES; t++) {
            for (int i = 0; i < 3; i++) {
                states[(3 * half + i) * GNP_RANDOM_SEQUENCES + t] = x[i];
            }
            multiply(&distance, prime, x);
        }
    }
}

void
gnp_random_sequences(GnpOrigin origin, const uint32_t first[GNP_RANDOM_STATE_WORDS], uint64_t jumps,
                     uint32_t *states)
{
    if (origin == GNP_XORWOW) {
        xorwow_sequences(first, jumps, states);
    }
    else {
        mrg_sequences(first, jumps, states);
    }
}

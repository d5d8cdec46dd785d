/* Loops in lazy mode: after how many commands the recorded work is to run.
 *
 * Commands are grouped into kernels where they run together. Were they cut into pieces of one fixed
 * length, each round of a loop would be cut at another place, and each cut makes groups, and
 * kernels to compile, of its own. So commands are compared with those before: once a sequence has
 * come twice, pieces are whole rounds.
 *
 * Called with the GIL; only the thread in lazy mode records. */
#include "fuse/lazy.h"

#include <string.h>

enum {
    USUAL = 64,    /* bounds the time of grouping and the latency until the device gets work */
    LONGEST = 128, /* rounds that are longer are cut at USUAL */
    LEAST_ALIKE = 8
};

static struct {
    uint64_t last[LONGEST]; /* hashes of the latest commands, a ring */
    uint64_t count;
    int alike[LONGEST + 1];  /* [p]: how many commands in a row equalled the one p before */
    int broken[LONGEST + 1]; /* [p]: the longest such run that has ended */
    int period;              /* 0: none found */
} past;

/* What decides on groups and kernels; neither addresses nor the values of scalars, which differ
 * between rounds. */
static uint64_t
hash_of(const GnpLazyCommand *c)
{
    uint64_t number[4 + 3 * GNP_LAZY_OPERANDS + GNP_MAX_DIMS];
    size_t n = 0;
    number[n++] = (uint64_t)(uintptr_t)c->op;
    number[n++] = (uint64_t)(uintptr_t)c->reduction;
    number[n++] = (uint64_t)c->nin << 32 | (uint64_t)c->n;
    number[n++] = (uint64_t)c->ndim;
    for (int k = 0; k < c->n; k++) {
        number[n++] = (uint64_t)c->view[k].dtype;
        number[n++] = (uint64_t)c->view[k].compute;
        number[n++] = (uint64_t)(c->view[k].buffer < 0) << 1 | (uint64_t)c->view[k].is_flat;
    }
    for (int axis = 0; axis < c->ndim; axis++) {
        number[n++] = (uint64_t)c->shape[axis];
    }
    return gnp_hash64(number, n * sizeof *number, 4);
}

static uint64_t
before(int distance)
{
    return past.last[(past.count - (uint64_t)distance) % LONGEST];
}

/* The shortest sequence of which a whole repetition has been seen. An inner loop ends in each round
 * of an outer one, so a sequence that broke off has to come more often than it did then, unless the
 * outer loop would be too long to be found. */
static int
find_period(int most)
{
    for (int p = 1; p <= most; p++) {
        const int least = past.broken[p] < LONGEST ? past.broken[p] + 1 : p;
        if (past.alike[p] >= p && past.alike[p] >= LEAST_ALIKE && past.alike[p] >= least) {
            return p;
        }
    }
    return 0;
}

void
gnp_lazy_note(const GnpLazyCommand *c)
{
    const uint64_t hash = hash_of(c);
    const int most = past.count < LONGEST ? (int)past.count : LONGEST;
    for (int p = 1; p <= most; p++) {
        if (hash == before(p)) {
            past.alike[p]++;
            continue;
        }
        past.broken[p] = past.alike[p] > past.broken[p] ? past.alike[p] : past.broken[p];
        past.alike[p] = 0;
    }
    past.last[past.count++ % LONGEST] = hash;
    if (past.period == 0 || past.alike[past.period] == 0) {
        past.period = find_period(most);
    }
}

void
gnp_lazy_forget(void)
{
    memset(&past, 0, sizeof past);
}

int
gnp_lazy_most_pending(void)
{
    const int p = past.period;
    return p == 0 ? USUAL : p > USUAL ? p : USUAL / p * p;
}

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
gnp_lazy_note(uint64_t hash)
{
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

/* ---- whether it pays ------------------------------------------------------------------------- */

/* Recording a command and running it later takes the host about a fifth of what a launch does. Where
 * that does not save launches, as in programs that do not repeat or whose commands cannot share
 * kernels, most commands are run at once, and a few are recorded now and then. */
enum { PATIENCE = 256, SHORTEST_PAUSE = 512, LONGEST_PAUSE = 16384 };

static struct {
    int balance; /* commands, less four for each launch that was saved */
    int left;    /* commands until recording is tried again */
    int pause;   /* the latest: the next is longer */
} trial;

void
gnp_lazy_count(const GnpLazyProgram *p)
{
    const int saved = p->ncommands - p->nlaunches;
    if (5 * saved >= p->ncommands) {
        trial.balance = 0;
        trial.pause = 0;
        return;
    }
    trial.balance += p->ncommands;
    if (trial.balance >= PATIENCE) {
        trial.pause = trial.pause == 0 ? SHORTEST_PAUSE : 2 * trial.pause;
        trial.pause = trial.pause > LONGEST_PAUSE ? LONGEST_PAUSE : trial.pause;
        trial.left = trial.pause;
        trial.balance = 0;
    }
}

int
gnp_lazy_pays(void)
{
    if (trial.left == 0) {
        return 1;
    }
    trial.left--;
    return 0;
}

/* ---- the same for both ---- */
void
gnp_lazy_forget(void)
{
    memset(&past, 0, sizeof past);
    /* A program that is called again is recorded from its beginning, so that it can be known. */
    if (trial.left < trial.pause - trial.pause / 4) {
        trial.left = 0;
    }
}

int
gnp_lazy_most_pending(void)
{
    const int p = past.period;
    return p == 0 ? USUAL : p > USUAL ? p : USUAL / p * p;
}


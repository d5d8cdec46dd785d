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

/* Hashes of the latest commands, from the newest at `head` to older ones, and each once more
 * LONGEST further, so that all lie in a row. */
static uint32_t last[2 * LONGEST];
static int head;
static int alike[LONGEST];  /* [p - 1]: how many commands in a row equalled the one p before */
static int broken[LONGEST]; /* [p - 1]: the longest such run that has ended */
static int period;          /* 0: none found */

/* The shortest sequence of which a whole repetition has been seen. An inner loop ends in each round
 * of an outer one, so a sequence that broke off has to come more often than it did then, unless the
 * outer loop would be too long to be found. */
static int
find_period(void)
{
    for (int p = 1; p <= LONGEST; p++) {
        const int times = alike[p - 1];
        const int least = broken[p - 1] < LONGEST ? broken[p - 1] + 1 : p;
        if (times >= p && times >= LEAST_ALIKE && times >= least) {
            return p;
        }
    }
    return 0;
}

/* The loop has no branches, so that compilers use vectors for it. */
void
gnp_lazy_note(uint64_t hash)
{
    const uint32_t newest = (uint32_t)(hash >> 32) | 1; /* 0: no command */
    const uint32_t *before = last + head;
    for (int p = 0; p < LONGEST; p++) {
        const int times = alike[p], same = -(before[p] == newest);
        const int ended = times & ~same;
        broken[p] = ended > broken[p] ? ended : broken[p];
        alike[p] = (times + 1) & same;
    }
    head = (head + LONGEST - 1) % LONGEST;
    last[head] = last[head + LONGEST] = newest;
}

/* ---- whether it pays ------------------------------------------------------------------------- */

GnpLazyMode gnp_lazy_mode = GNP_LAZY_PAYS;

/* Recording a command and running it later takes the host about a tenth of what a launch does, and
 * running a program about a half. Where that does not save launches, as in programs that do not
 * repeat or whose commands cannot share kernels, most commands run at once, and some are recorded
 * now and then. */
enum {
    PATIENCE = 256,
    SHORTEST_PAUSE = 512,
    LONGEST_PAUSE = 4096,
    COST_OF_LAUNCH = 10,
    COST_OF_PROGRAM = 5
};

static struct {
    int lost;  /* what recording has cost more than it saved, in commands; below zero: it paid */
    int left;  /* commands until recording is tried again */
    int pause; /* the latest: the next is longer */
} trial;

void
gnp_lazy_set_mode(GnpLazyMode mode)
{
    gnp_lazy_mode = mode;
    memset(&trial, 0, sizeof trial);
}

void
gnp_lazy_count(const GnpLazyProgram *p)
{
    const int saved = p->ncommands - p->nlaunches;
    trial.lost += p->ncommands + COST_OF_PROGRAM - COST_OF_LAUNCH * saved;
    if (trial.lost <= -PATIENCE) {
        trial.lost = -PATIENCE;
        trial.pause = 0;
    }
    if (trial.lost >= PATIENCE) {
        trial.pause = trial.pause == 0 ? SHORTEST_PAUSE : 2 * trial.pause;
        trial.pause = trial.pause > LONGEST_PAUSE ? LONGEST_PAUSE : trial.pause;
        trial.left = trial.pause;
        trial.lost = 0;
    }
}

int
gnp_lazy_pays(void)
{
    if (gnp_lazy_mode != GNP_LAZY_PAYS) {
        return gnp_lazy_mode == GNP_LAZY_ALL;
    }
    if (trial.left == 0) {
        return 1;
    }
    trial.left--;
    return 0;
}

void
gnp_lazy_forget(void)
{
    memset(last, 0, sizeof last);
    memset(alike, 0, sizeof alike);
    memset(broken, 0, sizeof broken);
    period = 0;
    /* A program that is called again is recorded from its beginning, so that it can be known. */
    if (trial.left < trial.pause - trial.pause / 4) {
        trial.left = 0;
    }
}

int
gnp_lazy_is_full(int ncommands)
{
    if (ncommands <= USUAL / 2) {
        return 0; /* whole rounds are more */
    }
    if (period == 0 || alike[period - 1] == 0) {
        period = find_period();
    }
    const int most = period == 0 ? USUAL : period > USUAL ? period : USUAL / period * period;
    return ncommands >= most;
}

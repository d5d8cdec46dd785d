/* Python functions in streams, and driver calls that wait for a whole context.
 *
 * Freeing memory, loading code and similar calls may wait for the device inside the driver, which
 * meanwhile holds a lock of the context that nearly every other call takes (seen on an H200:
 * cuMemFree, cuModuleLoadDataEx and copies to pageable memory against cuStreamBeginCapture and
 * cuEventCreate). If the device's work includes a Python function, which needs the GIL, and the
 * thread that has the GIL is blocked in such another call, that is a deadlock: function -> GIL ->
 * context lock -> device -> function. So the two exclude each other: a call that may wait for the
 * context first waits, without the GIL, until the queued functions have ended, and none is queued
 * while it waits.
 *
 * Both counts are guarded by the GIL. */
#include "rt/internal.h"

#define FIRST_PAUSE_NS 20000
#define LONGEST_PAUSE_NS 1000000
#define LOOK_AFTER_NS                                                                              \
    100000000 /* then check whether the context is lost: its functions would never run */

static int nqueued;  /* functions in streams that have not ended */
static int nwaiting; /* calls that wait for the context, or are about to */

static void
pause_longer(int64_t *pause)
{
    gnp_pause_without_gil(*pause);
    *pause = *pause * 2 < LONGEST_PAUSE_NS ? *pause * 2 : LONGEST_PAUSE_NS;
}

static int
context_is_lost(void)
{
    size_t available, total;
    CUresult code;
    GNP_NOGIL(code = gnp_cu->cuMemGetInfo_v2(&available, &total));
    return gnp_cuda_is_lost(code);
}

/* A host function that makes such a call itself must not wait for its own end. */
static int
must_wait(void)
{
    return nqueued > 0 && !gnp_thread.in_host_function && !gnp_forked && !gnp_is_closing();
}

typedef struct {
    int64_t pause, look;
} Wait;

static void
wait_on(Wait *w)
{
    w->look = w->look != 0 ? w->look : gnp_wait_clock() + LOOK_AFTER_NS;
    pause_longer(&w->pause);
    if (gnp_wait_clock() > w->look) {
        w->look = 0;
        nqueued = context_is_lost() ? 0 : nqueued;
    }
}

/* Announced before the wait: from here on no function is queued, so the count only falls. */
void
gnp_context_wait_begin(void)
{
    Wait wait = {.pause = FIRST_PAUSE_NS};
    nwaiting++;
    while (must_wait()) {
        wait_on(&wait);
    }
}

int
gnp_context_wait_ready(void)
{
    Wait wait = {.pause = FIRST_PAUSE_NS};
    int ret = 0;
    nwaiting++;
    while (ret == 0 && must_wait()) {
        wait_on(&wait);
        ret = PyErr_CheckSignals();
    }
    nwaiting--;
    return ret;
}

void
gnp_context_wait_end(void)
{
    nwaiting--;
}

void
gnp_host_functions_queued(int n)
{
    int64_t pause = FIRST_PAUSE_NS;
    while (n > 0 && nwaiting > 0 && !gnp_thread.in_host_function) {
        pause_longer(&pause);
    }
    nqueued += n;
}

void
gnp_host_functions_ended(int n)
{
    /* may be below n: graphs launched by their raw handles are not counted when they are queued */
    nqueued = nqueued > n ? nqueued - n : 0;
}

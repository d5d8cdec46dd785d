/* Watched launches: making and ending their observers, handing accesses to them, and findings.
 *
 * The machine (exec/) calls the observer's functions before each access and at each barrier;
 * without one it pays a single test of a pointer. A watched launch runs on one worker, so a Watch
 * and its blocks need no lock.
 */
#include "emu/check/watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* WATCHED: checks that need the observer; those of streams need the footprint alone, leaks need
 * nothing here. */
enum {
    NO_MEMORY = 2,
    WATCHED = EMU_CHECK_INIT | EMU_CHECK_RACE | EMU_CHECK_COUNT | EMU_CHECK_SYNC
};

/* Called by emu_launch_run before the workers start. NULL means that the launch is not watched. */
static Watch *
begin(Launch *launch, CUresult *status)
{
    const EmuLaunch *spec = launch->spec;
    *status = 0;
    /* The common case by far: nothing is asked for, and the launch keeps all its workers. */
    if (!(spec->checks & WATCHED) && spec->footprint == NULL) {
        return NULL;
    }
    /* Assumed until everything is allocated. */
    *status = NO_MEMORY;
    Watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        return NULL;
    }
    watch->launch = launch;
    watch->checks = spec->checks;
    watch->footprint = spec->footprint;
    if (spec->checks & EMU_CHECK_RACE) {
        watch->race = emu_race_new(launch);
        if (watch->race == NULL) {
            free(watch);
            return NULL;
        }
    }
    *status = 0;
    return watch;
}

/* After the workers have ended: counts go to the process's table, findings were reported when they
 * were made. */
static void
end(Watch *watch)
{
    emu_count_add(watch);
    emu_race_free(watch->race);
    free(watch->reported);
    free(watch);
}

/* Called once for each block that a worker holds; start() is called for each block of the grid that
 * it then runs in it. */
static int
take(Block *b)
{
    const Watch *watch = b->launch->watch;
    b->watch = calloc(1, sizeof *b->watch);
    if (b->watch == NULL) {
        return -1;
    }
    if (watch->checks & EMU_CHECK_COUNT) {
        b->trace |= EMU_TRACE_COUNT;
    }
    if (watch->race != NULL) {
        b->watch->race = emu_race_take(b);
        if (b->watch->race == NULL) {
            return -1;
        }
    }
    return watch->checks & EMU_CHECK_INIT ? emu_init_take(b) : 0;
}

/* Block objects are reused for many blocks of the grid, so their state starts anew. */
static void
start(Block *b)
{
    if (b->watch->race != NULL) {
        emu_race_start(b);
    }
    if (b->watch->shared != NULL) {
        emu_init_start(b);
    }
}

/* Also called for a block whose take() failed half-way: what is missing is NULL. */
static void
give(Block *b)
{
    emu_race_give(b->watch->race);
    free(b->watch->shared);
    free(b->watch->local);
    free(b->watch);
    b->watch = NULL;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static int
is_shared_of(const Block *b, uint64_t address)
{
    return address - (uint64_t)(uintptr_t)b->shared < b->shared_bytes;
}

/* The block of the cluster that has the address in its shared memory, or NULL. */
Block *
emu_watch_owner(Block *b, uint64_t address)
{
    if (is_shared_of(b, address)) {
        return b;
    }
    for (unsigned i = 0; b->cluster != NULL && i < b->cluster->size; i++) {
        if (is_shared_of(b->cluster->members[i], address)) {
            return b->cluster->members[i];
        }
    }
    return NULL;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Memory that no other launch can touch does not belong into a footprint. */
static int
is_private(Block *b, uint64_t address)
{
    const unsigned char *at = (const unsigned char *)(uintptr_t)address;
    return emu_watch_owner(b, address) != NULL ||
           (at >= b->local && at < b->local + b->local_bytes * b->width) ||
           (at >= b->launch->params && at < b->launch->params + b->launch->params_bytes);
}

/* Adds global memory to the footprint; lanes side by side at once. */
static void
touch(Block *b, const Access *a)
{
    static const EmuTouch touches[] = {
        [ACCESS_READ] = EMU_TOUCH_READ,
        [ACCESS_WRITE] = EMU_TOUCH_WRITE,
        [ACCESS_ATOMIC] = EMU_TOUCH_ATOMIC,
    };
    Watch *watch = b->launch->watch;
    /* Lanes of one access are in one space, unless their addresses differ. */
    if (a->each == NULL && is_private(b, (uint64_t)(uintptr_t)a->base)) {
        return;
    }
    /* Lanes side by side, or all at one place: one range instead of n. */
    if (a->each == NULL && a->only < 0 && b->dense &&
        (a->step == (int64_t)a->bytes || a->step == 0)) {
        uint64_t bytes = a->step == 0 ? a->bytes : (uint64_t)a->bytes * b->n;
        watch->bytes += (uint64_t)a->bytes * b->n;
        if (watch->footprint != NULL) {
            emu_footprint_add(watch->footprint, (uint64_t)(uintptr_t)a->base, bytes,
                              touches[a->kind]);
        }
        return;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t at = access_address(a, i);
        if (access_concerns(b, a, i) && !is_private(b, at)) {
            watch->bytes += a->bytes;
            if (watch->footprint != NULL) {
                emu_footprint_add(watch->footprint, at, a->bytes, touches[a->kind]);
            }
        }
    }
}

/* Called after bounds and alignment were found good and before memory changes, so checks can
 * compare old and new values. */
static int32_t
access(Block *b, const Access *access)
{
    const Watch *watch = b->launch->watch;
    /* Initialisation first: a read of memory that was never written is the plainer report of the
     * two. */
    if (watch->checks & EMU_CHECK_INIT && emu_init_access(b, access) != 0) {
        return EMU_EVENT_FAULT;
    }
    if (watch->race != NULL && emu_race_access(b, access) != 0) {
        return EMU_EVENT_FAULT;
    }
    if (watch->footprint != NULL || watch->checks & EMU_CHECK_COUNT) {
        touch(b, access);
    }
    return 0;
}

/* Counted in lanes too: a divergent branch executes the same instructions with fewer. Called for
 * every instruction under EMU_TRACE_COUNT. */
static void
instruction(Block *b)
{
    Watch *watch = b->launch->watch;
    watch->instructions++;
    if (b->dense) {
        watch->lanes += b->n;
        return;
    }
    for (uint32_t w = 0; w < b->nwarps; w++) {
        watch->lanes += emu_popcount(b->group->bits[w]);
    }
}

/* ---- threads that have left ------------------------------------------------------------------ */

/* Lanes of the warp that have left the kernel. */
static uint32_t
exited(const Block *b, uint32_t warp)
{
    /* The last warp of a block may be partial; lanes that never were have not left. */
    uint32_t left = b->nthreads - EMU_WARP * warp;
    return (left >= EMU_WARP ? ~0u : (1u << left) - 1) & ~b->alive[warp];
}

/* Threads that have left never arrive: hardware since Volta may hang, or go on. */
static int32_t
barrier(Block *b, const Instr *in, unsigned id)
{
    uint32_t gone = 0;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        gone += emu_popcount(exited(b, w));
    }
    if (gone == 0 || !(b->launch->watch->checks & EMU_CHECK_SYNC)) {
        return 0;
    }
    return emu_watch_report(b, in, (FaultWhat){EMU_FAULT_DIVERGENT, 719, (int)b->lo, 0},
                            "barrier %u of all threads of the block, %u of which have left the "
                            "kernel without it",
                            id, gone);
}

/* Since Volta lanes that have left are not waited for, but what a shuffle reads from them is
 * undefined. */
static int32_t
mask_names_exited(Block *b, const Instr *in, uint32_t lane, uint32_t mask)
{
    uint32_t gone = mask & exited(b, lane / EMU_WARP);
    if (gone == 0 || !(b->launch->watch->checks & EMU_CHECK_SYNC)) {
        return 0;
    }
    return emu_watch_report(b, in, (FaultWhat){EMU_FAULT_BAD_MASK, 719, (int)lane, 0},
                            "the mask 0x%08x of a .sync operation names lanes 0x%08x, which have "
                            "left the kernel",
                            mask, gone);
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Whether this instruction was reported before; remembers it. Linear: findings are few. By
 * instruction: a loop would report the same mistake for every element. */
static int
is_known(Watch *watch, const Instr *in)
{
    for (size_t i = 0; i < watch->nreported; i++) {
        if (watch->reported[i] == in) {
            return 1;
        }
    }
    /* Without memory a finding may be reported twice, no more. */
    const Instr **more = realloc(watch->reported, (watch->nreported + 1) * sizeof *more);
    if (more != NULL) {
        watch->reported = more;
        watch->reported[watch->nreported++] = in;
    }
    return 0;
}

/* Without EMU_CHECK_CONTINUE a finding ends the launch as a fault does; 719 is
 * CUDA_ERROR_LAUNCH_FAILED. */
int32_t
emu_watch_report(Block *b, const Instr *in, FaultWhat what, const char *format, ...)
{
    char message[1024];
    const EmuLaunch *spec = b->launch->spec;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (!(spec->checks & EMU_CHECK_CONTINUE) || spec->report == NULL) {
        return emu_fault(b, in, what, "%s", message);
    }
    /* The report goes to the driver, which counts findings and writes their text. */
    if (!is_known(b->launch->watch, in)) {
        EmuFault finding;
        memset(&finding, 0, sizeof finding);
        emu_fault_describe(b, in, what, message, &finding);
        spec->report(spec->print_context, &finding);
    }
    return 0;
}

const EmuObserver emu_check_observer = {
    .begin = begin,
    .end = end,
    .take = take,
    .start = start,
    .give = give,
    .access = access,
    .instruction = instruction,
    .shuffle = emu_init_shuffle,
    .written = emu_init_written,
    .barrier = barrier,
    .mask = mask_names_exited,
    .meet = emu_race_meet,
    .arrive = emu_race_arrive,
    .release = emu_race_release,
    .fence = emu_race_fence,
    .cluster_arrive = emu_race_cluster_arrive,
    .cluster_meet = emu_race_cluster_meet,
    .cluster_wait = emu_race_cluster_wait,
};

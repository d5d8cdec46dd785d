/* Observers of the machine: what a launch does, seen by checks that are off unless asked for.
 *
 * A launch that is watched has a Watch, each of its blocks a BlockWatch; a launch that is not has
 * neither, and the machine pays one test of a pointer per memory instruction, barrier and fence.
 * Every access comes by emu_watch_access with the host addresses of its lanes, after bounds and
 * alignment were found good and before memory changes. Watched launches run on one worker, so
 * observers need no locks of their own.
 */
#ifndef EMU_CHECK_H
#define EMU_CHECK_H

#include "machine.h"

typedef enum { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ATOMIC = 3 } AccessKind;

/* One memory instruction for the lanes of the running group: lane i reaches count elements of
 * `bytes` bytes at base + i * step, or at each[i] when that is not NULL. */
typedef struct {
    const Instr *in;
    AccessKind kind;
    unsigned bytes;
    const unsigned char *base;
    int64_t step;
    const uint64_t *each;
    int32_t only; /* the one lane that it is about, counted in the group; -1: all active ones */
} Access;

static inline int
access_concerns(const Block *b, const Access *a, uint32_t i)
{
    return a->only < 0 ? b->dense || emu_lane_active(b, b->lo + i) : i == (uint32_t)a->only;
}

static inline uint64_t
access_address(const Access *a, uint32_t lane)
{
    return a->each != NULL ? a->each[lane]
                           : (uint64_t)(uintptr_t)a->base + (uint64_t)(a->step * (int64_t)lane);
}

/* ---- one launch (check.c) ------------------------------------------------------------------- */

typedef struct Race Race;
typedef struct BlockRace BlockRace;

struct Watch {
    Launch *launch;
    unsigned checks; /* EMU_CHECK_* */
    Race *race;      /* NULL when races are not looked for */
    EmuFootprint *footprint;
    struct {
        uint64_t lo, hi;     /* of the span looked at last */
        unsigned char *bits; /* its bitmap, NULL when none is kept */
    } unwritten;
    uint64_t instructions, lanes, bytes;
    const Instr **reported; /* owned: where something was found already */
    size_t nreported;
};

struct BlockWatch {
    BlockRace *race;
    unsigned char *shared, *local; /* owned bitmaps of bytes that were never written */
    size_t shared_bytes, local_bytes;
};

/* NULL with *status 0 when nothing is asked for, else with 2. */
Watch *emu_watch_new(Launch *launch, CUresult *status);
void emu_watch_free(Watch *watch);
/* A block is made ready for the launch, put at its start as another block of the grid, given up. */
int emu_watch_take(Block *b);
void emu_watch_start(Block *b);
void emu_watch_give(Block *b);
/* 0, or EMU_EVENT_FAULT. */
int32_t emu_watch_access(Block *b, const Access *access);
void emu_watch_instruction(Block *b);
/* Threads of a warp that have left the kernel. */
uint32_t emu_watch_exited(const Block *b, uint32_t warp);
/* EMU_CHECK_SYNC: all threads that are left have come to barrier `id`, which counts all, at `in`; a
 * .sync operation of a lane names `mask`. */
int32_t emu_watch_barrier(Block *b, const Instr *in, unsigned id);
int32_t emu_watch_mask(Block *b, const Instr *in, uint32_t lane, uint32_t mask);

/* Says what was found: ends the launch with a fault, or, under EMU_CHECK_CONTINUE, tells the driver
 * half once per instruction and goes on. */
int32_t emu_watch_report(Block *b, const Instr *in, FaultWhat what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- counts (check_count.c) ----------------------------------------------------------------- */

/* Adds the launch to its kernel's row of the table that is printed at exit. NULL: not watched. */
void emu_count_add(const Watch *watch);

/* ---- never written (check_init.c) ----------------------------------------------------------- */

int emu_init_take(Block *b);
void emu_init_start(Block *b);
/* Lanes of a warp are given values that no lane has offered. */
int32_t emu_init_shuffle(Block *b, const Instr *in, uint32_t warp, uint32_t lanes);
void emu_init_written(Block *b, uint32_t lane, uint64_t at, uint64_t bytes);
int32_t emu_init_access(Block *b, const Access *access);

/* ---- races (check_race.c, check_clock.c) ---------------------------------------------------- */

Race *emu_race_new(const Launch *launch);
void emu_race_free(Race *race);
BlockRace *emu_race_take(const Block *b);
void emu_race_give(BlockRace *race);
void emu_race_start(Block *b);
int32_t emu_race_access(Block *b, const Access *access);

/* Threads meet: those in `bits` wait for each other; of those in `before` the rest goes on. */
void emu_race_meet(Block *b, const uint32_t *bits);
/* bar.arrive: what these threads did comes before the release of the barrier. */
void emu_race_arrive(Block *b, const uint32_t *bits, unsigned barrier);
void emu_race_release(Block *b, const uint32_t *bits, unsigned barrier);
void emu_race_fence(Block *b);

#endif

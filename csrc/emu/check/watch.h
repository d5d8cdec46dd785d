/* What the checks share: the state of a watched launch and of its blocks.
 *
 * A launch that is watched has a Watch, each of its blocks a BlockWatch; EmuObserver (exec/block.h)
 * says when their functions are called. Watched launches run on one worker, so the checks need no
 * locks of their own.
 */
#ifndef EMU_WATCH_H
#define EMU_WATCH_H

#include "emu/check/check.h"
#include "emu/exec/block.h"

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

/* ---- one launch (check.c) -------------------------------------------------------------------- */

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

/* The block of the cluster that has the address in its shared memory, or NULL. */
Block *emu_watch_owner(Block *b, uint64_t address);

/* Says what was found: ends the launch with a fault, or, under EMU_CHECK_CONTINUE, tells the driver
 * once per instruction and goes on. */
int32_t emu_watch_report(Block *b, const Instr *in, FaultWhat what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- counts (check_count.c) ------------------------------------------------------------------ */

/* Adds the launch to its kernel's row of the table that is printed at exit. */
void emu_count_add(const Watch *watch);

/* ---- never written (check_init.c) ------------------------------------------------------------ */

int emu_init_take(Block *b);
void emu_init_start(Block *b);
/* Lanes of a warp are given values that no lane has offered. */
int32_t emu_init_shuffle(Block *b, const Instr *in, uint32_t warp, uint32_t lanes);
void emu_init_written(Block *b, uint32_t lane, uint64_t at, uint64_t bytes);
int32_t emu_init_access(Block *b, const Access *access);

/* ---- races (check_race.c, check_clock.c) ----------------------------------------------------- */

Race *emu_race_new(const Launch *launch);
void emu_race_free(Race *race);
BlockRace *emu_race_take(const Block *b);
void emu_race_give(BlockRace *race);
void emu_race_start(Block *b);
int32_t emu_race_access(Block *b, const Access *access);

/* As in EmuObserver. */
void emu_race_meet(Block *b, const uint32_t *bits);
void emu_race_arrive(Block *b, const uint32_t *bits, unsigned barrier);
void emu_race_release(Block *b, const uint32_t *bits, unsigned barrier);
void emu_race_fence(Block *b);
void emu_race_cluster_arrive(Block *b, const uint32_t *bits);
void emu_race_cluster_meet(Block *b);
void emu_race_cluster_wait(Block *b, const uint32_t *bits);

#endif

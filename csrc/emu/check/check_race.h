/* What the two files of the race check share: clocks of threads (check_clock.c) and what memory
 * remembers of its last accesses (check_race.c).
 *
 * Happens-before after FastTrack (Flanagan and Freund, PLDI 2009): every thread counts its
 * synchronisations; an access is stamped with the thread and its count, and is ordered before
 * another one when the count has reached that thread's vector clock. Inside a block barriers join
 * the clocks (floor: all of a block at once; near: within a warp; far: any two); between blocks a
 * release to and an acquire from an address do, which is looked for only when two accesses meet.
 * The barrier of a cluster does both: what its threads did before they arrived happened before what
 * they do once they have waited.
 */
#ifndef EMU_CHECK_RACE_H
#define EMU_CHECK_RACE_H

#include "emu/check/watch.h"

enum { RACE_CLOCK_END = 32767, RACE_PAGE = 1024 };

typedef uint16_t Clock;

/* A stamp: instruction 16, lane 10, strong 1, clock 15, block 22 bits; 0 is none. */
typedef uint64_t Stamp;

static inline uint32_t
stamp_instr(Stamp s)
{
    return (uint32_t)(s & 0xffff);
}

static inline uint32_t
stamp_lane(Stamp s)
{
    return (uint32_t)(s >> 16) & 1023;
}

static inline int
stamp_strong(Stamp s)
{
    return (int)(s >> 26) & 1;
}

static inline Clock
stamp_clock(Stamp s)
{
    return (Clock)((s >> 27) & 32767);
}

static inline uint32_t
stamp_block(Stamp s)
{
    return (uint32_t)(s >> 42);
}

/* The last accesses of a word or byte: one write, and two reads since then that nothing orders. */
typedef struct {
    Stamp write, read[2];
} Cell;

/* RACE_PAGE bytes of memory: a cell for each word, from the first smaller access on for each byte.
 */
typedef struct {
    uint64_t number; /* address / RACE_PAGE */
    int by_bytes;
    Cell *cells; /* owned */
} RacePage;

/* An acquire: a lane read at `version` what others had released to an object. */
typedef struct {
    uint32_t object, version;
    uint16_t lane;
    Clock clock;
} Edge;

typedef struct {
    Edge *items; /* owned */
    uint32_t count, capacity;
} Edges;

/* What one block released to one object. */
typedef struct {
    uint32_t object, block, first_version, nedges;
    int32_t next; /* slot of the same object, -1 */
    int32_t lane; /* the only one that released, or -1 */
    Clock *known; /* owned: per lane of the block */
} Released;

/* A place in memory through which threads order each other. */
typedef struct {
    uint64_t address;
    uint32_t block; /* of shared memory, else ~0 */
    uint32_t version;
    int32_t first; /* slot */
    uint32_t visited, visited_version;
} SyncObject;

typedef struct {
    uint32_t *slots; /* index + 1; owned */
    size_t capacity, used;
} Index;

struct Race {
    const Launch *launch;
    uint32_t width;
    uint32_t *first_instr; /* owned: number of each function's first instruction, 0 unknown */
    RacePage *pages;       /* owned */
    size_t npages, pages_capacity, bytes;
    Index page_index;
    SyncObject *objects; /* owned */
    size_t nobjects, objects_capacity;
    Index object_index;
    Released *released; /* owned */
    size_t nreleased, released_capacity;
    Index released_index;
    Edges *edges; /* owned: per block, NULL until there are any */
    uint32_t query;
};

struct BlockRace {
    Race *race;
    uint32_t width, block;
    int gave_up, used_near;
    Clock *clock, *floor, *near, *far; /* owned; near: 32 per lane; far: width per lane, or NULL */
    Clock *row;
    /* What came to the barrier of the cluster: in the phase under way, and in the last one, which
     * the lanes know that have waited for it. `last` came last, at `last_clock`. */
    Clock *arriving, *arrived, last_clock;
    uint32_t last;
    uint8_t *waited;
    Clock *pending[EMU_BARRIERS]; /* owned: what came by bar.arrive */
    uint8_t *fenced;
    RacePage *pages; /* owned: of shared memory */
    size_t npages;
};

/* Whether what another lane of the block did until `clock` happened before the lane's next access.
 */
static inline int
race_happened_before(const BlockRace *r, uint32_t lane, uint32_t other, Clock clock)
{
    return clock <= r->floor[other] ||
           (lane / EMU_WARP == other / EMU_WARP &&
            clock <= r->near[EMU_WARP * lane + other % EMU_WARP]) ||
           (r->waited[lane] && clock <= r->arrived[other]) ||
           (r->far != NULL && clock <= r->far[(size_t)r->width * lane + other]);
}

/* The same for the stamp of a thread of another block. */
int emu_race_happened_before_across(BlockRace *r, uint32_t lane, Stamp stamp);

/* `owner`: the block in whose shared memory the address is, or NO_BLOCK. */
enum { NO_BLOCK = ~0u };
void emu_race_acquire_from(BlockRace *r, uint32_t lane, uint64_t address, uint32_t owner);
void emu_race_release_to(BlockRace *r, uint32_t lane, uint64_t address, uint32_t owner);
void emu_clock_start(BlockRace *r, uint32_t block);
void emu_clock_free(Race *race);

/* An index of things by a hash; `matches` looks at thing i. Returns the slot, *slot 0 when absent.
 */
uint32_t *emu_index_find(Index *index, uint64_t hash, int (*matches)(const void *, uint32_t),
                         const void *key);
int emu_index_reserve(Index *index, uint64_t (*hash)(const void *, uint32_t), const void *things);

#endif

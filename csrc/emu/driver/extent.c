/* Parts of allocations that a program's own pool gives out (cuEmuExtent): kernels reach these and
 * nothing between them.
 *
 * Work runs later than it is submitted, and a pool gives the place of a freed block to the next at
 * once, which a stream makes safe. So every change has a number, a launch remembers the number of
 * its time, and blocks that are gone are remembered too, the latest of them; launches from before
 * that reach whole allocations.
 *
 * Pools call cuEmuExtent for each block on any thread; kernels ask emu_extent_find by way of
 * memory.c. Readers share the lock, so helper threads of one kernel do not wait for each other. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The history remembers the latest 4096 blocks that ended. NEWER bounds the search by which a block
 * that comes back is recognised: 16 frees are enough for the loops that matter. */
enum { PAST = 4096, NEWER = 16 };

typedef struct {
    uint64_t lo, hi, born;
} Extent;

struct EmuExtents {
    Extent *items; /* by address, none overlap */
    size_t count, capacity;
};

static struct {
    pthread_rwlock_t lock; /* guards all but `moment`, and the spans' extents */
    _Atomic uint64_t moment;
    struct {
        Extent extent;
        uint64_t died; /* 0: an unused place, or the block came back */
    } past[PAST];
    uint64_t past_count;   /* ever */
    uint64_t horizon;      /* what died before that may be forgotten */
    uint32_t latest[PAST]; /* place + 1 in `past` of the latest block at an address, by hash */
} history = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* Relaxed: a thread sees its own changes, and changes by others are ordered by whatever made their
 * addresses known. */
uint64_t
emu_extent_moment(void)
{
    return atomic_load_explicit(&history.moment, memory_order_relaxed);
}

/* Called when the record of a span goes, usually with the memory's lock held, which comes before
 * this one in the lock order. */
void
emu_extents_free(EmuSpan *span)
{
    if (span->extents != NULL) {
        pthread_rwlock_wrlock(&history.lock);
        free(span->extents->items);
        free(span->extents);
        span->extents = NULL;
        pthread_rwlock_unlock(&history.lock);
    }
}

static uint32_t
hash(uint64_t address)
{
    return (uint32_t)(address * 0x9e3779b97f4a7c15u >> 52) % PAST;
}

/* The first item that ends above the address. Binary search: items are sorted and disjoint. */
static size_t
find(const EmuExtents *extents, uint64_t address)
{
    size_t low = 0, high = extents->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (extents->items[middle].hi > address) {
            high = middle;
        }
        else {
            low = middle + 1;
        }
    }
    return low;
}

/* Moves an item into the history, whose oldest entry it overwrites. Caller holds the lock for
 * writing. */
static void
drop(EmuExtents *extents, size_t i, uint64_t now)
{
    size_t at = history.past_count++ % PAST;
    /* What is overwritten is forgotten, so launches from before its end can no longer be judged:
     * the horizon moves to that time. */
    if (history.past[at].died > history.horizon) {
        history.horizon = history.past[at].died;
    }
    history.past[at].extent = extents->items[i];
    history.past[at].died = now;
    history.latest[hash(history.past[at].extent.lo)] = (uint32_t)at + 1;
    extents->count--;
    memmove(&extents->items[i], &extents->items[i + 1],
            (extents->count - i) * sizeof *extents->items);
}

/* When a block that was freed a moment ago comes back at its place without having been used
 * meanwhile, it counts as one that was there all the time: loops that allocate and free leave no
 * history. */
static uint64_t
born_before(uint64_t lo, uint64_t hi, uint64_t now)
{
    uint32_t at = history.latest[hash(lo)];
    if (at-- == 0 || history.past[at].died == 0 || history.past[at].extent.lo != lo ||
        history.past[at].extent.hi != hi) {
        return now;
    }
    /* How many blocks ended after it. Any of them that overlaps has used the place meanwhile. */
    uint64_t newer = (history.past_count - 1 - at) % PAST;
    for (uint64_t k = 0; k < newer; k++) {
        size_t other = (history.past_count - 1 - k) % PAST;
        if (newer > NEWER || (history.past[other].died != 0 && history.past[other].extent.lo < hi &&
                              history.past[other].extent.hi > lo)) {
            return now;
        }
    }
    /* Its end is cancelled: for launches from that time on, the block was there without
     * interruption. */
    history.past[at].died = 0;
    return history.past[at].extent.born;
}

/* A span gets its table with the first block that is named; until then kernels may reach all of it.
 * Caller holds the lock for writing. */
static int
make_room(EmuSpan *span)
{
    if (span->extents == NULL) {
        span->extents = calloc(1, sizeof *span->extents);
    }
    EmuExtents *e = span->extents;
    if (e != NULL && e->count == e->capacity) {
        size_t capacity = e->capacity == 0 ? 16 : 2 * e->capacity;
        Extent *more = realloc(e->items, capacity * sizeof *more);
        if (more == NULL) {
            return -1;
        }
        e->items = more;
        e->capacity = capacity;
    }
    return e != NULL ? 0 : -1;
}

/* `bytes` 0 says that the block at the address was freed. The lookup is repeated under the lock, as
 * the span may end in between. */
EMU_EXPORT void
cuEmuExtent(uint64_t address, size_t bytes)
{
    EmuSpan *span = emu_driver() != NULL ? emu_find_any(address) : NULL;
    if (span == NULL || bytes > span->hi - address) {
        return;
    }
    pthread_rwlock_wrlock(&history.lock);
    if (!span->live || address < span->lo || address >= span->hi) {
        pthread_rwlock_unlock(&history.lock);
        return; /* freed by another thread */
    }
    uint64_t now = atomic_fetch_add_explicit(&history.moment, 1, memory_order_relaxed) + 1;
    EmuExtents *e = span->extents;
    size_t i = e != NULL ? find(e, address) : 0;
    /* What overlaps the new block must have ended: a pool that forgets to tell of a free is
     * corrected here. */
    while (e != NULL && i < e->count && e->items[i].lo < address + (bytes > 0 ? bytes : 1)) {
        drop(e, i, now);
    }
    if (bytes > 0 && make_room(span) == 0) {
        e = span->extents;
        memmove(&e->items[i + 1], &e->items[i], (e->count - i) * sizeof *e->items);
        e->items[i] =
            (Extent){address, address + bytes, born_before(address, address + bytes, now)};
        e->count++;
    }
    pthread_rwlock_unlock(&history.lock);
}

/* `when` is the moment of the launch. Current blocks are tried first, then those that have ended
 * since, latest first. */
int
emu_extent_find(const EmuSpan *span, uint64_t when, uint64_t address, uint64_t *lo, uint64_t *hi)
{
    const Extent *found = NULL;
    pthread_rwlock_rdlock(&history.lock);
    const EmuExtents *e = span->extents;
    /* Nothing can be said of launches from before the horizon, so they are given the whole
     * allocation rather than a wrong fault. */
    int whole = e == NULL || when < history.horizon;
    size_t i = whole ? 0 : find(e, address);
    if (!whole && i < e->count && e->items[i].lo <= address && e->items[i].born <= when) {
        found = &e->items[i];
    }
    for (uint64_t k = 0; !whole && found == NULL && k < PAST && k < history.past_count; k++) {
        size_t at = (history.past_count - 1 - k) % PAST;
        const Extent *p = &history.past[at].extent;
        if (address >= p->lo && address < p->hi && p->born <= when &&
            when < history.past[at].died) {
            found = p;
        }
    }
    *lo = found != NULL ? found->lo : span->lo;
    *hi = found != NULL ? found->hi : span->hi;
    pthread_rwlock_unlock(&history.lock);
    return whole || found != NULL;
}

/* For reports: the block that an address outside of all was most likely meant for. */
int
emu_extent_nearest(const EmuSpan *span, uint64_t address, uint64_t *lo, uint64_t *hi)
{
    pthread_rwlock_rdlock(&history.lock);
    const EmuExtents *e = span->extents;
    size_t n = e != NULL ? e->count : 0, i = n > 0 ? find(e, address) : 0;
    if (n > 0) {
        /* the one before when it is nearer */
        if (i == n || (i > 0 && e->items[i].lo > address &&
                       address - e->items[i - 1].hi < e->items[i].lo - address)) {
            i--;
        }
        *lo = e->items[i].lo;
        *hi = e->items[i].hi;
    }
    pthread_rwlock_unlock(&history.lock);
    return n > 0;
}

/* Parts of allocations that a program's own pool gives out (cuEmuExtent): kernels reach these and
 * nothing between them.
 *
 * Work runs later than it is submitted, and a pool gives the place of a freed block to the next at
 * once, which a stream makes safe. So every change has a number, a launch remembers the number of
 * its time, and blocks that are gone are remembered too, the latest of them; launches from before
 * that reach whole allocations. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

uint64_t
emu_extent_moment(void)
{
    return atomic_load_explicit(&history.moment, memory_order_relaxed);
}

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

/* The first item that ends above the address. */
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

static void
drop(EmuExtents *extents, size_t i, uint64_t now)
{
    size_t at = history.past_count++ % PAST;
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
    uint64_t newer = (history.past_count - 1 - at) % PAST;
    for (uint64_t k = 0; k < newer; k++) {
        size_t other = (history.past_count - 1 - k) % PAST;
        if (newer > NEWER || (history.past[other].died != 0 && history.past[other].extent.lo < hi &&
                              history.past[other].extent.hi > lo)) {
            return now;
        }
    }
    history.past[at].died = 0;
    return history.past[at].extent.born;
}

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

int
emu_extent_find(const EmuSpan *span, uint64_t when, uint64_t address, uint64_t *lo, uint64_t *hi)
{
    const Extent *found = NULL;
    pthread_rwlock_rdlock(&history.lock);
    const EmuExtents *e = span->extents;
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

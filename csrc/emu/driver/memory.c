/* Device-accessible memory.
 *
 * Each device, and the host memory all devices reach, is one reserved address range without access.
 * An allocation makes its pages accessible; releasing takes them away again, and addresses are not
 * given out twice before the range has been used up, so a stale pointer faults instead of reading
 * another allocation's data. Between two allocations there is at least one inaccessible page.
 *
 * A table with one entry per granule finds the span of an address in one load; entries change under
 * the lock and are read without it. Span records are recycled but never unmapped. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, GRANULE = 16384, CHARGE = 512, FREED = 64, FRESH = 0xCD };
/* Marks in a table entry: the span is dead, or it is a reserved range. Lookups skip both, the
 * search for room does not. */
enum { MARK_DEAD = 1, MARK_RANGE = 2, MARKS = 3 };
static const uint64_t RANGE = (uint64_t)256 << 30;
/* Far below the usual mappings and easy to recognise in a report; a taken place is no harm. */
static const uint64_t FIRST_BASE = 0x7a0000000000u;

struct EmuMemory {
    uint64_t base, end;
    _Atomic(EmuSpan *) *table;
    int device; /* -1 for host memory */
    size_t limit;
    EmuMemory *host;
    _Atomic(EmuMemory *) peers[EMU_MAX_DEVICES];

    pthread_mutex_t lock; /* guards what follows */
    uint64_t next;        /* address the search for room starts at */
    size_t used;
    EmuSpan live, retired; /* list heads */
    uint64_t counts[SPAN_KINDS], sizes[SPAN_KINDS];
    unsigned char *unwritten; /* a bit per byte of the range, once anybody wants to know */
    struct {
        uint64_t lo, hi;
    } freed[FREED]; /* the latest, for fault reports */
    unsigned freed_count;

    pthread_rwlock_t registered_lock; /* guards `registered`; host memory only */
    EmuSpan registered;
    _Atomic int registered_count;
};

static _Atomic uint64_t span_ids;

static struct {
    pthread_mutex_t lock;
    EmuSpan *free;
} records = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- span records and lists ------------------------------------------------------------------ */

static EmuSpan *
record_new(void)
{
    pthread_mutex_lock(&records.lock);
    if (records.free == NULL) {
        enum { BATCH = 256 };
        EmuSpan *batch = calloc(BATCH, sizeof *batch);
        for (int i = 0; batch != NULL && i < BATCH; i++) {
            batch[i].next = records.free;
            records.free = &batch[i];
        }
    }
    EmuSpan *span = records.free;
    if (span != NULL) {
        records.free = span->next;
    }
    pthread_mutex_unlock(&records.lock);
    return span;
}

static void
record_free(EmuSpan *span)
{
    emu_extents_free(span);
    free(span->advice);
    span->advice = NULL;
    pthread_mutex_lock(&records.lock);
    span->next = records.free;
    records.free = span;
    pthread_mutex_unlock(&records.lock);
}

static void
list_add(EmuSpan *list, EmuSpan *span)
{
    span->next = list->next;
    span->previous = list;
    list->next->previous = span;
    list->next = span;
}

static void
list_remove(EmuSpan *span)
{
    span->next->previous = span->previous;
    span->previous->next = span->next;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The hint is taken when the place is free; otherwise the system chooses. */
static void *
reserve(uint64_t hint, uint64_t bytes)
{
    return mmap((void *)(uintptr_t)hint, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

EmuMemory *
emu_memory_new(size_t limit_bytes, int device)
{
    EmuMemory *memory = calloc(1, sizeof *memory);
    if (memory == NULL) {
        return NULL;
    }
    uint64_t bytes = RANGE;
    while (bytes < 4 * (uint64_t)limit_bytes) {
        bytes *= 2;
    }
    void *range = MAP_FAILED;
    /* A machine with a limit on address space gets a smaller range. */
    for (; bytes >= (uint64_t)256 << 20 && range == MAP_FAILED; bytes /= 2) {
        range = reserve(FIRST_BASE + (uint64_t)(device + 1) * bytes, bytes);
        if (range != MAP_FAILED) {
            break;
        }
    }
    size_t table_bytes = bytes / GRANULE * sizeof *memory->table;
    void *table = mmap(NULL, table_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED || table == MAP_FAILED) {
        free(memory);
        return NULL;
    }
    memory->base = ((uint64_t)(uintptr_t)range + GRANULE - 1) / GRANULE * GRANULE;
    memory->end = (uint64_t)(uintptr_t)range + bytes - GRANULE;
    memory->next = memory->base + GRANULE;
    memory->table = table;
    memory->device = device;
    memory->limit = limit_bytes;
    memory->live.next = memory->live.previous = &memory->live;
    memory->retired.next = memory->retired.previous = &memory->retired;
    memory->registered.next = memory->registered.previous = &memory->registered;
    pthread_mutex_init(&memory->lock, NULL);
    pthread_rwlock_init(&memory->registered_lock, NULL);
    return memory;
}

void
emu_memory_set_host(EmuMemory *memory, EmuMemory *host)
{
    memory->host = host;
}

void
emu_memory_set_peer(EmuMemory *memory, EmuMemory *peer, int enabled)
{
    atomic_store(&memory->peers[peer->device], enabled ? peer : NULL);
}

int
emu_memory_contains(const EmuMemory *memory, uint64_t address)
{
    return address >= memory->base && address < memory->end;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static _Atomic(EmuSpan *) *
entry_of(const EmuMemory *memory, uint64_t address)
{
    return &memory->table[(address - memory->base) / GRANULE];
}

static uint64_t
round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Granules a span takes, its trailing guard page included. */
static uint64_t
granules_of(uint64_t bytes)
{
    /* The guard page is inaccessible: a kernel that runs past its checks, or the emulator itself,
     * stops there. */
    return (round_up(bytes, PAGE) + PAGE + GRANULE - 1) / GRANULE;
}

static int
is_free(const EmuMemory *memory, uint64_t at)
{
    /* Relaxed: entries change under the lock, which the caller holds. */
    return atomic_load_explicit(entry_of(memory, at), memory_order_relaxed) == NULL;
}

/* Address of `granules` unused ones, or 0; next fit. Caller holds the lock. */
static uint64_t
find_room(EmuMemory *memory, uint64_t granules, uint64_t alignment)
{
    /* Next fit: an address comes back only after the whole range was used, so a stale pointer
     * meets a dead entry for as long as possible. */
    uint64_t at = round_up(memory->next, alignment);
    if (granules > (memory->end - memory->base) / GRANULE) {
        return 0;
    }
    if (at + granules * GRANULE <= memory->end) {
        uint64_t run = 0;
        while (run < granules && is_free(memory, at + run * GRANULE)) {
            run++;
        }
        if (run == granules) {
            return at;
        }
    }
    at = round_up(memory->base, alignment);
    for (uint64_t run = 0; at + (run + 1) * GRANULE <= memory->end;) {
        if (!is_free(memory, at + run * GRANULE)) {
            at = round_up(at + (run + 1) * GRANULE, alignment);
            run = 0;
        }
        else if (++run == granules) {
            return at;
        }
    }
    return 0;
}

static void
fill_table(EmuMemory *memory, const EmuSpan *span, EmuSpan *value)
{
    uint64_t granules = granules_of(span->hi - span->lo);
    for (uint64_t i = 0; i < granules; i++) {
        /* Release: a reader that loads the entry (acquire, no lock) sees the span's fields. */
        atomic_store_explicit(entry_of(memory, span->lo + i * GRANULE), value,
                              memory_order_release);
    }
}

static void
count_span(EmuMemory *memory, const EmuSpan *span, int sign)
{
    uint64_t bytes = span->hi - span->lo;
    memory->counts[span->kind] += (uint64_t)(int64_t)sign;
    memory->sizes[span->kind] += sign > 0 ? bytes : -bytes;
}

/* Opens the pages at a free address for `span`. Caller holds the lock. */
static int
place(EmuMemory *memory, EmuSpan *span, size_t bytes)
{
    if (bytes == 0 || bytes > memory->limit - memory->used) {
        return 0;
    }
    uint64_t granules = granules_of(bytes), at = find_room(memory, granules, GRANULE);
    if (at == 0 ||
        mprotect((void *)(uintptr_t)at, round_up(bytes, PAGE), PROT_READ | PROT_WRITE) != 0) {
        return 0;
    }
    span->lo = at;
    span->hi = at + bytes;
    memory->next = at + granules * GRANULE;
    /* What cuMemGetInfo counts: a GPU's allocator hands memory out in units of this size. */
    span->charged = round_up(bytes, CHARGE);
    memory->used += span->charged;
    return 1;
}

/* Marks a new span as never written. Memory the host fills by itself counts as written. */
static void
mark_unwritten(EmuMemory *memory, const EmuSpan *span)
{
    int wanted =
        (emu_checks() & EMU_CHECK_INIT) && (span->kind == SPAN_DEVICE || span->kind == SPAN_ASYNC ||
                                            span->kind == SPAN_HEAP || span->kind == SPAN_GRAPH);
    pthread_mutex_lock(&memory->lock);
    if (memory->unwritten == NULL && wanted) {
        /* Reserved for the whole range at once and backed by zero pages until touched: spans that
         * were there before the check began count as written. */
        void *bits = mmap(NULL, (memory->end - memory->base) / 8 + PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        memory->unwritten = bits != MAP_FAILED ? bits : NULL;
    }
    if (memory->unwritten != NULL) {
        memset(memory->unwritten + (span->lo - memory->base) / 8, wanted ? 0xff : 0,
               (span->hi - span->lo + 7) / 8);
    }
    pthread_mutex_unlock(&memory->lock);
}

EmuSpan *
emu_span_new(EmuMemory *memory, size_t bytes, EmuSpanKind kind, Context *context)
{
    EmuSpan *span = record_new();
    if (span == NULL) {
        return NULL;
    }
    *span = (EmuSpan){.kind = kind,
                      .device = memory->device,
                      .context = context,
                      .memory = memory,
                      .id = 1 + atomic_fetch_add(&span_ids, 1)};
    pthread_mutex_lock(&memory->lock);
    /* Under one lock from the search to the table, or two threads could find the same place. */
    int placed = place(memory, span, bytes);
    if (placed) {
        span->live = 1;
        list_add(&memory->live, span);
        count_span(memory, span, 1);
        fill_table(memory, span, span);
    }
    pthread_mutex_unlock(&memory->lock);
    if (!placed) {
        record_free(span);
        return NULL;
    }
    mark_unwritten(memory, span);
    /* Outside of the lock: filling may take long, and the address is not known to anybody yet. */
    size_t poison = emu_driver_settings()->poison_bytes;
    if (kind == SPAN_HEAP || kind == SPAN_DEVICE || kind == SPAN_ASYNC || kind == SPAN_PINNED) {
        memset((void *)(uintptr_t)span->lo, FRESH, bytes < poison ? bytes : poison);
    }
    return span;
}

/* Marks the span dead; its table entries stay until its pages go, so its addresses are not given
 * out again. */
static void
retire_locked(EmuMemory *memory, EmuSpan *span)
{
    span->live = 0;
    list_remove(span);
    list_add(&memory->retired, span);
    count_span(memory, span, -1);
    memory->freed[memory->freed_count % FREED].lo = span->lo;
    memory->freed[memory->freed_count++ % FREED].hi = span->hi;
    fill_table(memory, span, (EmuSpan *)((uintptr_t)span | MARK_DEAD));
}

static void
release_locked(EmuMemory *memory, EmuSpan *span)
{
    uint64_t bytes = round_up(span->hi - span->lo, PAGE);
    /* A fresh mapping gives the pages back to the system; addresses stay reserved. */
    mmap((void *)(uintptr_t)span->lo, bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    fill_table(memory, span, NULL);
    memory->used -= span->charged;
    list_remove(span);
    record_free(span);
}

void
emu_span_retire(EmuSpan *span)
{
    pthread_mutex_lock(&span->memory->lock);
    if (span->live) {
        retire_locked(span->memory, span);
    }
    pthread_mutex_unlock(&span->memory->lock);
}

static int
unregister(EmuSpan *span, uint64_t id)
{
    EmuMemory *host = span->memory;
    pthread_rwlock_wrlock(&host->registered_lock);
    /* The record may have been freed and reused since the caller looked; its id tells. */
    int dropped = span->live && span->id == id;
    if (dropped) {
        span->live = 0;
        list_remove(span);
        atomic_fetch_sub(&host->registered_count, 1);
    }
    pthread_rwlock_unlock(&host->registered_lock);
    if (dropped) {
        record_free(span);
    }
    return dropped;
}

int
emu_span_drop(EmuSpan *span, uint64_t id)
{
    EmuMemory *memory = span->memory;
    if (span->kind == SPAN_REGISTERED) {
        return unregister(span, id);
    }
    pthread_mutex_lock(&memory->lock);
    int dropped = span->live && span->id == id;
    if (dropped) {
        retire_locked(memory, span);
        release_locked(memory, span);
    }
    pthread_mutex_unlock(&memory->lock);
    return dropped;
}

void
emu_memory_release_retired(EmuMemory *memory)
{
    pthread_mutex_lock(&memory->lock);
    while (memory->retired.next != &memory->retired) {
        release_locked(memory, memory->retired.next);
    }
    pthread_mutex_unlock(&memory->lock);
}

/* EMU_CHECK_LEAKS: what is left of a context (NULL: of all), largest kinds of objects by name. */
void
emu_memory_report_leaks(EmuMemory *memory, const Context *context, const char *when)
{
    enum { SHOWN = 8 };
    static const char *const kinds[SPAN_KINDS] = {
        [SPAN_DEVICE] = "cuMemAlloc",
        [SPAN_ASYNC] = "cuMemAllocAsync",
        [SPAN_PINNED] = "cuMemHostAlloc",
        [SPAN_MANAGED] = "cuMemAllocManaged",
        [SPAN_REGISTERED] = "cuMemHostRegister",
        [SPAN_HEAP] = "malloc in a kernel",
        [SPAN_GRAPH] = "a graph",
        [SPAN_MAPPED] = "cuMemMap",
    };
    char text[1024], list[800] = "";
    size_t count = 0, n = 0;
    uint64_t bytes = 0;
    pthread_mutex_lock(&memory->lock);
    for (const EmuSpan *span = memory->live.next; span != &memory->live; span = span->next) {
        if ((context != NULL && span->context != context) || span->kind == SPAN_MODULE) {
            continue;
        }
        bytes += span->hi - span->lo;
        if (count++ < SHOWN) {
            n += (size_t)snprintf(
                list + n, sizeof list - n, "%s%llu bytes at 0x%llx by %s (no. %llu)",
                n > 0 ? ", " : "", (unsigned long long)(span->hi - span->lo),
                (unsigned long long)span->lo, kinds[span->kind], (unsigned long long)span->id);
        }
    }
    pthread_mutex_unlock(&memory->lock);
    if (count > 0) {
        snprintf(text, sizeof text, "leak: %zu allocation%s, %llu bytes, left when %s: %s%s", count,
                 count > 1 ? "s" : "", (unsigned long long)bytes, when, list,
                 count > SHOWN ? ", ..." : "");
        emu_finding(text);
    }
}

size_t
emu_memory_drop_context(EmuMemory *memory, const Context *context)
{
    size_t leaked = 0;
    if (emu_checks() & EMU_CHECK_LEAKS) {
        emu_memory_report_leaks(memory, context, "the context ended");
    }
    pthread_mutex_lock(&memory->lock);
    for (EmuSpan *span = memory->live.next, *next; span != &memory->live; span = next) {
        next = span->next;
        if (context == NULL || span->context == context) {
            leaked += span->kind != SPAN_MODULE;
            retire_locked(memory, span);
            release_locked(memory, span);
        }
    }
    pthread_mutex_unlock(&memory->lock);
    pthread_rwlock_wrlock(&memory->registered_lock);
    for (EmuSpan *span = memory->registered.next, *next; span != &memory->registered; span = next) {
        next = span->next;
        if (context == NULL || span->context == context) {
            leaked++;
            span->live = 0;
            list_remove(span);
            atomic_fetch_sub(&memory->registered_count, 1);
            record_free(span);
        }
    }
    pthread_rwlock_unlock(&memory->registered_lock);
    return leaked;
}

CUresult
emu_memory_register(EmuMemory *host, uint64_t address, size_t bytes, EmuSpan **out)
{
    EmuSpan *span = record_new();
    if (span == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *span = (EmuSpan){.lo = address,
                      .hi = address + bytes,
                      .kind = SPAN_REGISTERED,
                      .device = -1,
                      .memory = host,
                      .id = 1 + atomic_fetch_add(&span_ids, 1)};
    pthread_rwlock_wrlock(&host->registered_lock);
    int overlaps = 0;
    for (EmuSpan *other = host->registered.next; other != &host->registered; other = other->next) {
        overlaps |= address < other->hi && other->lo < address + bytes;
    }
    if (!overlaps) {
        span->live = 1;
        list_add(&host->registered, span);
        atomic_fetch_add(&host->registered_count, 1);
    }
    pthread_rwlock_unlock(&host->registered_lock);
    if (overlaps) {
        record_free(span);
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    *out = span;
    return 0;
}

/* ---- reserved ranges ------------------------------------------------------------------------- */

int
emu_range_new(EmuMemory *memory, size_t bytes, size_t alignment, void *owner, EmuSpan **held)
{
    EmuSpan *range = record_new();
    if (range == NULL) {
        return -1;
    }
    *range = (EmuSpan){.kind = SPAN_MAPPED,
                       .device = memory->device,
                       .memory = memory,
                       .owner = owner,
                       .id = 1 + atomic_fetch_add(&span_ids, 1)};
    pthread_mutex_lock(&memory->lock);
    uint64_t granules = granules_of(bytes);
    uint64_t at = find_room(memory, granules, alignment > GRANULE ? alignment : GRANULE);
    if (at != 0) {
        range->lo = at;
        range->hi = at + bytes;
        range->next = range->previous = range;
        memory->next = at + granules * GRANULE;
        *held = range;
        /* Low bits of an entry say what it is: records are aligned, so they are free. */
        fill_table(memory, range, (EmuSpan *)((uintptr_t)range | MARK_RANGE));
    }
    pthread_mutex_unlock(&memory->lock);
    if (at == 0) {
        record_free(range);
        return -1;
    }
    return 0;
}

EmuSpan *
emu_range_find(EmuMemory *memory, uint64_t address)
{
    if (!emu_memory_contains(memory, address)) {
        return NULL;
    }
    /* Pairs with the release in fill_table. */
    EmuSpan *entry = atomic_load_explicit(entry_of(memory, address), memory_order_acquire);
    uintptr_t marks = (uintptr_t)entry & MARKS;
    if (entry == NULL || marks == MARK_DEAD) {
        return NULL;
    }
    EmuSpan *range =
        marks == MARK_RANGE ? (EmuSpan *)((uintptr_t)entry - MARK_RANGE) : entry->range;
    return range != NULL && address < range->hi ? range : NULL;
}

/* Writes `value` over the table entries of [lo, hi). */
static void
fill_part(EmuMemory *memory, uint64_t lo, uint64_t hi, EmuSpan *value)
{
    for (uint64_t at = lo; at < hi; at += GRANULE) {
        atomic_store_explicit(entry_of(memory, at), value, memory_order_release);
    }
}

/* Ends the visible spans that lie within [lo, hi), whose entries were rewritten. */
static void
drop_parts(EmuSpan *range, uint64_t lo, uint64_t hi, const EmuSpan *but)
{
    EmuMemory *memory = range->memory;
    for (EmuSpan *span = memory->live.next, *next; span != &memory->live; span = next) {
        next = span->next;
        if (span->range == range && span != but && span->lo < hi && lo < span->hi) {
            span->live = 0;
            count_span(memory, span, -1);
            list_remove(span);
            record_free(span);
        }
    }
}

EmuSpan *
emu_range_show(EmuSpan *range, uint64_t lo, uint64_t hi, EmuSpanKind kind)
{
    EmuMemory *memory = range->memory;
    EmuSpan *span = record_new();
    if (span == NULL) {
        return NULL;
    }
    *span = (EmuSpan){.lo = lo,
                      .hi = hi,
                      .kind = kind,
                      .device = range->device,
                      .memory = memory,
                      .range = range,
                      .owner = range->owner,
                      .live = 1,
                      .id = 1 + atomic_fetch_add(&span_ids, 1)};
    pthread_mutex_lock(&memory->lock);
    list_add(&memory->live, span);
    count_span(memory, span, 1);
    fill_part(memory, lo, hi, span);
    drop_parts(range, lo, hi, span);
    pthread_mutex_unlock(&memory->lock);
    mark_unwritten(memory, span);
    return span;
}

void
emu_range_hide(EmuSpan *range, uint64_t lo, uint64_t hi)
{
    pthread_mutex_lock(&range->memory->lock);
    fill_part(range->memory, lo, hi, (EmuSpan *)((uintptr_t)range | MARK_RANGE));
    drop_parts(range, lo, hi, NULL);
    pthread_mutex_unlock(&range->memory->lock);
}

void
emu_range_retire(EmuSpan *range)
{
    EmuMemory *memory = range->memory;
    pthread_mutex_lock(&memory->lock);
    fill_table(memory, range, (EmuSpan *)((uintptr_t)range | MARK_DEAD));
    drop_parts(range, range->lo, range->hi, NULL);
    list_add(&memory->retired, range);
    pthread_mutex_unlock(&memory->lock);
}

int
emu_memory_charge(EmuMemory *memory, int64_t bytes)
{
    pthread_mutex_lock(&memory->lock);
    int fits = bytes <= 0 || (uint64_t)bytes <= memory->limit - memory->used;
    if (fits) {
        memory->used += (size_t)bytes;
    }
    pthread_mutex_unlock(&memory->lock);
    return fits;
}

/* ---- lookup ---------------------------------------------------------------------------------- */

static EmuSpan *
find_registered(EmuMemory *host, uint64_t address)
{
    if (atomic_load_explicit(&host->registered_count, memory_order_acquire) == 0) {
        return NULL;
    }
    EmuSpan *found = NULL;
    pthread_rwlock_rdlock(&host->registered_lock);
    for (EmuSpan *span = host->registered.next; span != &host->registered; span = span->next) {
        if (address >= span->lo && address < span->hi) {
            found = span;
        }
    }
    pthread_rwlock_unlock(&host->registered_lock);
    return found;
}

EmuSpan *
emu_span_find(EmuMemory *memory, uint64_t address)
{
    if (!emu_memory_contains(memory, address)) {
        return memory->device < 0 ? find_registered(memory, address) : NULL;
    }
    EmuSpan *span = atomic_load_explicit(entry_of(memory, address), memory_order_acquire);
    if (span == NULL || ((uintptr_t)span & MARKS) != 0 || address >= span->hi) {
        return NULL;
    }
    return span;
}

/* The span, in any memory this one's device reaches. */
static EmuSpan *
find_reachable(EmuMemory *own, uint64_t address)
{
    EmuSpan *span = emu_span_find(own, address);
    if (span == NULL && own->host != NULL) {
        span = emu_span_find(own->host, address);
    }
    for (int i = 0; span == NULL && i < EMU_MAX_DEVICES; i++) {
        EmuMemory *peer = atomic_load_explicit(&own->peers[i], memory_order_acquire);
        span = peer != NULL ? emu_span_find(peer, address) : NULL;
    }
    return span;
}

int
emu_memory_find(const EmuMemory *memory, uint64_t moment, uint64_t address, uint64_t *lo,
                uint64_t *hi)
{
    /* Looking up takes no lock of the device, but may take the one of registered memory or of
     * parts. What the granule adds is looked for from a byte below, and lies in a page of the span.
     */
    size_t granule = emu_driver_settings()->granule;
    EmuMemory *own = (EmuMemory *)(uintptr_t)memory;
    for (uint64_t at = address;; at = address / granule * granule) {
        const EmuSpan *span = find_reachable(own, at);
        uint64_t most = granule > 1 && span != NULL && span->kind != SPAN_REGISTERED ? granule : 1;
        if (span != NULL && moment != 0 && span->extents != NULL) {
            if (!emu_extent_find(span, moment, at, lo, hi)) {
                span = NULL;
            }
        }
        else if (span != NULL) {
            *lo = span->lo;
            *hi = span->hi;
        }
        if (span != NULL) {
            *hi = round_up(*hi, most);
            return address < *hi;
        }
        if (at == address / granule * granule) {
            return 0;
        }
    }
}

void
emu_memory_usage(EmuMemory *memory, size_t *used, size_t *limit)
{
    pthread_mutex_lock(&memory->lock);
    *used = memory->used;
    *limit = memory->limit;
    pthread_mutex_unlock(&memory->lock);
}

uint64_t
emu_memory_count(EmuMemory *memory, unsigned kinds, int want_bytes)
{
    uint64_t total = 0;
    pthread_mutex_lock(&memory->lock);
    for (int kind = 0; kind < SPAN_KINDS; kind++) {
        if (kinds & 1u << kind) {
            total += want_bytes ? memory->sizes[kind] : memory->counts[kind];
        }
    }
    pthread_mutex_unlock(&memory->lock);
    if (kinds & 1u << SPAN_REGISTERED) {
        total += (uint64_t)atomic_load(&memory->registered_count);
    }
    return total;
}

/* ---- for the machine ------------------------------------------------------------------------- */

uint64_t
emu_memory_alloc(EmuMemory *memory, size_t bytes)
{
    EmuSpan *span = emu_span_new(memory, bytes, SPAN_MODULE, emu_context_peek());
    return span != NULL ? span->lo : 0;
}

void
emu_memory_free(EmuMemory *memory, uint64_t address)
{
    EmuSpan *span = emu_span_find(memory, address);
    if (span != NULL && span->lo == address && span->kind == SPAN_MODULE) {
        emu_span_drop(span, span->id);
    }
}

int
emu_memory_unwritten(const EmuMemory *memory, uint64_t address, uint64_t *lo, uint64_t *hi,
                     unsigned char **bits)
{
    EmuSpan *span = find_reachable((EmuMemory *)(uintptr_t)memory, address);
    if (span == NULL) {
        return 0;
    }
    unsigned char *all = span->kind == SPAN_REGISTERED ? NULL : span->memory->unwritten;
    *lo = span->lo;
    *hi = span->hi;
    *bits = all != NULL ? all + (span->lo - span->memory->base) / 8 : NULL;
    return 1;
}

uint64_t
emu_memory_heap_alloc(EmuMemory *memory, size_t bytes, size_t limit, void *owner)
{
    if (bytes == 0 || bytes > limit ||
        emu_memory_count(memory, 1u << SPAN_HEAP, 1) + bytes > limit) {
        return 0;
    }
    EmuSpan *span = emu_span_new(memory, bytes, SPAN_HEAP, owner);
    return span != NULL ? span->lo : 0;
}

int
emu_memory_heap_free(EmuMemory *memory, uint64_t address)
{
    EmuSpan *span = emu_span_find(memory, address);
    if (span == NULL || span->lo != address || span->kind != SPAN_HEAP) {
        return -1;
    }
    return emu_span_drop(span, span->id) ? 0 : -1;
}

static unsigned char *
bits_of(uint64_t address, uint64_t *bit)
{
    const EmuSpan *span = emu_find_any(address);
    if (span == NULL || span->kind == SPAN_REGISTERED || span->memory->unwritten == NULL) {
        return NULL;
    }
    *bit = address - span->memory->base;
    return span->memory->unwritten;
}

void
emu_memory_copied(uint64_t to, uint64_t from, uint64_t bytes)
{
    uint64_t t = 0, f = 0;
    unsigned char *into = bits_of(to, &t);
    const unsigned char *out = from != 0 ? bits_of(from, &f) : NULL;
    if (into == NULL) {
        return;
    }
    f = out != NULL ? f : t;
    while (bytes > 0) {
        if (t % 8 == 0 && f % 8 == 0 && bytes >= 8) {
            uint64_t whole = bytes / 8;
            if (out != NULL) {
                memmove(into + t / 8, out + f / 8, whole);
            }
            else {
                memset(into + t / 8, 0, whole);
            }
            t += 8 * whole;
            f += 8 * whole;
            bytes -= 8 * whole;
            continue;
        }
        unsigned bit = out != NULL ? (out[f / 8] >> (f % 8)) & 1u : 0;
        unsigned char mask = (unsigned char)(1u << (t % 8));
        if (bit != 0) {
            __atomic_fetch_or(&into[t / 8], mask, __ATOMIC_RELAXED);
        }
        else {
            __atomic_fetch_and(&into[t / 8], (unsigned char)~mask, __ATOMIC_RELAXED);
        }
        t++;
        f++;
        bytes--;
    }
}

void
emu_memory_all_written(EmuMemory *memory)
{
    pthread_mutex_lock(&memory->lock);
    if (memory->unwritten != NULL) {
        madvise(memory->unwritten, (memory->end - memory->base) / 8 + PAGE, MADV_DONTNEED);
    }
    pthread_mutex_unlock(&memory->lock);
}

static uint64_t
distance(uint64_t address, uint64_t lo, uint64_t hi)
{
    return address < lo ? lo - address : address >= hi ? address - hi + 1 : 0;
}

/* Whether the process has memory there. */
static int
is_mapped(uint64_t address)
{
    unsigned char resident;
    return mincore((void *)(uintptr_t)(address / PAGE * PAGE), 1, &resident) == 0;
}

void
emu_memory_describe(const EmuMemory *memory, uint64_t address, char *text, size_t capacity)
{
    EmuMemory *own = (EmuMemory *)(uintptr_t)memory;
    if (!emu_memory_contains(own, address)) {
        if (own->host != NULL && emu_memory_contains(own->host, address)) {
            own = own->host;
        }
        else {
            snprintf(text, capacity,
                     address < 65536      ? "0x%llx is (nearly) a null pointer"
                     : is_mapped(address) ? "0x%llx is host memory that no device can reach"
                                          : "0x%llx is an address of nothing",
                     (unsigned long long)address);
            return;
        }
    }
    pthread_mutex_lock(&own->lock);
    const EmuSpan *best = NULL;
    for (const EmuSpan *span = own->live.next; span != &own->live; span = span->next) {
        if (best == NULL ||
            distance(address, span->lo, span->hi) < distance(address, best->lo, best->hi)) {
            best = span;
        }
    }
    for (unsigned i = 0; i < FREED && i < own->freed_count; i++) {
        uint64_t lo = own->freed[i].lo, hi = own->freed[i].hi;
        if (address >= lo && address < hi) {
            snprintf(text, capacity,
                     "0x%llx is %llu bytes into a freed allocation of %llu bytes at 0x%llx",
                     (unsigned long long)address, (unsigned long long)(address - lo),
                     (unsigned long long)(hi - lo), (unsigned long long)lo);
            pthread_mutex_unlock(&own->lock);
            return;
        }
    }
    uint64_t lo = best != NULL ? best->lo : 0, hi = best != NULL ? best->hi : 0;
    int is_part = best != NULL && address >= lo && address < hi &&
                  emu_extent_nearest(best, address, &lo, &hi);
    if (best == NULL) {
        snprintf(text, capacity, "0x%llx: nothing is allocated", (unsigned long long)address);
    }
    else {
        int before = address < lo;
        uint64_t by = before ? lo - address : address < hi ? address - lo : address - hi;
        snprintf(text, capacity, "0x%llx is %llu bytes %s the %s of %llu bytes at 0x%llx",
                 (unsigned long long)address, (unsigned long long)by,
                 before         ? "before"
                 : address < hi ? "into"
                                : "past the end of",
                 is_part ? "block" : "allocation", (unsigned long long)(hi - lo),
                 (unsigned long long)lo);
    }
    pthread_mutex_unlock(&own->lock);
}

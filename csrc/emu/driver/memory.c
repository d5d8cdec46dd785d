/* Device-accessible memory.
 *
 * Each device, and the host memory all devices reach, is one reserved address range without access.
 * An allocation makes its pages accessible; releasing takes them away again, and addresses are not
 * given out twice before the range has been used up, so a stale pointer faults instead of reading
 * another allocation's data. Between two allocations there is at least one inaccessible page.
 *
 * A table with one entry per granule finds the span of an address in one load; entries change under
 * the lock and are read without it. Span records are recycled but never unmapped.
 *
 * The calls come from the driver's entries and from the machine that runs kernels (exec/), on any
 * thread. Allocating and freeing take the memory's lock; a kernel's accesses only read the table. A
 * span has two ends: retired, it is found no more but its pages stay, so that work under way reads
 * stale data and does not crash the process; released, its pages go back to the system. */
#include "emu/driver/driver.h"

#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>

/* PAGE is the unit of protection and GRANULE that of the table: with 16 KiB a table for 256 GiB has
 * 16 Mi entries, of which only those in use are backed by memory. */
enum { PAGE = 4096, GRANULE = 16384, CHARGE = 512, FREED = 64, FRESH = 0xCD };
/* Marks in a table entry: the span is dead, or it is a reserved range. Lookups skip both, the
 * search for room does not. */
enum { MARK_DEAD = 1, MARK_RANGE = 2, MARKS = 3 };
/* Address space costs nothing until it is used, so the range is much larger than any device's
 * memory; that is what lets addresses rest after a free. */
static const uint64_t RANGE = (uint64_t)256 << 30;
/* Far below the usual mappings and easy to recognise in a report; a taken place is no harm. */
static const uint64_t FIRST_BASE = 0x7a0000000000u;

struct EmuMemory {
    uint64_t base, end;
    _Atomic(EmuSpan *) *table;
    int device; /* -1 for host memory */
    size_t limit;
    EmuMemory *host;
    _Atomic(EmuMemory *) peers[EMU_MAX_DEVICES];  /* all of it is in reach, see find_reachable */
    _Atomic(EmuMemory *) shared[EMU_MAX_DEVICES]; /* parts of it may be */

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

    /* Memory that the program owns lies outside of the range, so no table entry can find it. There
     * are few such spans: a list is searched, under a lock that lookups only share. */
    pthread_rwlock_t registered_lock; /* guards `registered`; host memory only */
    EmuSpan registered;
    _Atomic int registered_count;
};

/* Ids are unique in the process and never reused. They tell an allocation from a later one at the
 * same address or in the same record. */
static _Atomic uint64_t span_ids;

/* A lookup returns a record without a lock, so a stale pointer to one may be read at any time. For
 * that reason records are recycled here and never given back to malloc. */
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
        /* One calloc serves many allocations; a batch is never freed. */
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
    /* Four times the limit at least, so that addresses are reused late even when a program fills
     * the device again and again. */
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
    /* One pointer per granule. The operating system backs the table with zero pages when entries
     * are first written. */
    size_t table_bytes = bytes / GRANULE * sizeof *memory->table;
    void *table = mmap(NULL, table_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED || table == MAP_FAILED) {
        free(memory);
        return NULL;
    }
    /* The last granule stays unused, since the base is rounded up and a span at the very end would
     * have no guard page inside the range. */
    memory->base = ((uint64_t)(uintptr_t)range + GRANULE - 1) / GRANULE * GRANULE;
    memory->end = (uint64_t)(uintptr_t)range + bytes - GRANULE;
    /* The first granule is never given out: an access just below an allocation is inaccessible too.
     */
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

/* Called once at cuInit, before other threads can see the memory. */
void
emu_memory_set_host(EmuMemory *memory, EmuMemory *host)
{
    memory->host = host;
}

/* Atomic, because kernels of this device may be looking up addresses meanwhile. */
void
emu_memory_set_peer(EmuMemory *memory, EmuMemory *peer, int enabled)
{
    atomic_store(&memory->peers[peer->device], enabled ? peer : NULL);
}

/* Never taken back: the pool says what may be accessed now. */
void
emu_memory_set_shared(EmuMemory *memory, EmuMemory *owner)
{
    atomic_store(&memory->shared[owner->device], owner);
}

/* Two comparisons without a lock: `base` and `end` are fixed when the memory is made. */
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
    /* Next fit: an address comes back only after the whole range was used, so a stale pointer meets
     * a dead entry for as long as possible. `alignment` is GRANULE or a larger power of two, for
     * cuMemAddressReserve; bases are aligned to GRANULE only, so addresses are rounded, not
     * offsets. */
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
    /* The second search begins at the base and skips past each occupied granule. It is linear in
     * the range, but runs only when the first one met something, usually after the range was used
     * up. */
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

/* Writes one value over all entries of a span, guard page included. Caller holds the lock. */
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

/* Kept as totals by kind, so that the ledger and the limit of the device heap need no walk over the
 * list. */
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
    /* The pages are opened while the lock is held: two threads cannot be given the same place, and
     * a failed mprotect leaves the table as it was. */
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
    /* Once anybody wants the bits, they are kept for all spans, since an address range may be used
     * again by memory that counts as written. */
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
        /* `live` is set before the table shows the span, so no lookup can return one that a
         * concurrent free takes for dead. */
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
    /* A ring of the latest frees serves emu_memory_describe only: it names the allocation that a
     * stale pointer belonged to. */
    memory->freed[memory->freed_count % FREED].lo = span->lo;
    memory->freed[memory->freed_count++ % FREED].hi = span->hi;
    fill_table(memory, span, (EmuSpan *)((uintptr_t)span | MARK_DEAD));
}

/* Takes the span out of the `retired` list, frees its addresses for reuse and its record. Caller
 * holds the lock and knows that no work uses the pages. */
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

/* For frees in stream order (driver_pool.c): other streams may still run work that was submitted
 * with the address. */
void
emu_span_retire(EmuSpan *span)
{
    pthread_mutex_lock(&span->memory->lock);
    if (span->live) {
        retire_locked(span->memory, span);
    }
    pthread_mutex_unlock(&span->memory->lock);
}

/* Registered memory is the program's: only the record goes, its pages are left alone. */
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

/* For frees that waited for all work (emu_deallocate). `id` is what the caller read before it
 * waited: if the allocation changed meanwhile, another thread freed it first. */
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

/* Called at synchronisation points, when no work of the device is under way. */
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
        /* A few are named; the total tells of the rest. Modules' own memory is no leak of the
         * program's. */
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
    /* The report comes first, since the spans are gone afterwards, and takes the lock by itself. */
    size_t leaked = 0;
    if (emu_checks() & EMU_CHECK_LEAKS) {
        emu_memory_report_leaks(memory, context, "the context ended");
    }
    pthread_mutex_lock(&memory->lock);
    for (EmuSpan *span = memory->live.next, *next; span != &memory->live; span = next) {
        next = span->next;
        /* Both steps at once: the context has waited for its work, so nothing uses the pages. */
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
    /* The record is made before the lock is taken, since allocation may block. */
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
    /* The exclusive lock covers the test and the insertion: of two threads that register one range,
     * one gets the error. */
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

/* A range has no pages of its own: entries with MARK_RANGE make lookups fail until emu_range_show
 * replaces a part of them by a visible span. Ranges serve cuMemAddressReserve and allocation nodes
 * of graphs. */
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
        /* Written before the table is, and the table's store is a release: whoever finds the range
         * finds its owner complete. */
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

/* Sees ranges through visible parts as well: entries of those hold the visible span, which names
 * its range. */
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

/* Ends the visible spans that lie within [lo, hi), whose entries were rewritten. Called after the
 * entries were overwritten, under the same lock, so a lookup finds either the old span whole or the
 * new one. */
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

/* The new span enters the table before the old ones leave the list: a kernel that runs meanwhile
 * finds the address at every moment. */
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

/* The guard against use after unmapping: accesses fail in the lookup, before they reach the page.
 */
void
emu_range_hide(EmuSpan *range, uint64_t lo, uint64_t hi)
{
    pthread_mutex_lock(&range->memory->lock);
    fill_part(range->memory, lo, hi, (EmuSpan *)((uintptr_t)range | MARK_RANGE));
    drop_parts(range, lo, hi, NULL);
    pthread_mutex_unlock(&range->memory->lock);
}

/* The range joins the `retired` list with its entries dead, so its addresses rest until
 * emu_memory_release_retired. */
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

/* For memory that is counted without a span here: physical memory of cuMemCreate and pages of
 * graphs. */
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

/* The count spares the lock for the many programs that register nothing. Acquire pairs with the
 * increment after the insertion. */
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

/* Hot: memory instructions of a kernel that miss the cache of their block (exec/exec_memory.c) end
 * here. Two comparisons and an acquire load, which pairs with the release in fill_table and makes
 * the span's fields visible. */
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

/* Whether a device may access a span of another one. Enabling peer access (`is_peer`) has no effect
 * on stream-ordered memory, whose pool says who may access it. */
static int
may_access(const EmuMemory *own, const EmuSpan *span, int is_peer)
{
    return span->kind == SPAN_ASYNC ? span->pool != NULL && emu_pool_lets(span->pool, own->device)
                                    : is_peer;
}

/* The span at an address of another device's memory, if this one's device may access it. */
static EmuSpan *
find_on_peers(EmuMemory *own, uint64_t address)
{
    for (int i = 0; i < EMU_MAX_DEVICES; i++) {
        EmuMemory *peer = atomic_load_explicit(&own->peers[i], memory_order_acquire);
        EmuMemory *shared = atomic_load_explicit(&own->shared[i], memory_order_acquire);
        EmuMemory *other = peer != NULL ? peer : shared;
        EmuSpan *span = other != NULL ? emu_span_find(other, address) : NULL;
        if (span != NULL) {
            return may_access(own, span, peer != NULL) ? span : NULL;
        }
    }
    return NULL;
}

/* The span, in any memory this one's device reaches. Own memory first, since nearly all accesses of
 * a kernel go there; then the host's, then peers in the order of their numbers. */
static EmuSpan *
find_reachable(EmuMemory *own, uint64_t address)
{
    EmuSpan *span = emu_span_find(own, address);
    if (span == NULL && own->host != NULL) {
        span = emu_span_find(own->host, address);
    }
    return span != NULL ? span : find_on_peers(own, address);
}

/* Called by the machine for an address that a kernel uses; *lo and *hi bound what it may access
 * around it. `moment` is the time of the launch (extent.c), 0 for launches that are not bound to
 * parts. */
int
emu_memory_find(const EmuMemory *memory, uint64_t moment, uint64_t address, uint64_t *lo,
                uint64_t *hi)
{
    /* Looking up takes no lock of the device, but may take the one of registered memory or of
     * parts. What the granule adds is looked for from a byte below, and lies in a page of the span.
     * GPUNP_EMU_GRANULE relaxes the bounds to what a GPU would tolerate: an allocation is rounded
     * up to the granule, so code that reads a little past its end passes. It does not apply to
     * registered memory, whose last page may hold other data. */
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

/* Variables of modules and other memory of the emulated device itself. It counts towards the
 * calling thread's context, which frees it at its end. */
uint64_t
emu_memory_alloc(EmuMemory *memory, size_t bytes)
{
    EmuSpan *span = emu_span_new(memory, bytes, SPAN_MODULE, emu_context_peek());
    return span != NULL ? span->lo : 0;
}

/* Only what emu_memory_alloc returned: the kind is tested, so a wrong address frees nothing. */
void
emu_memory_free(EmuMemory *memory, uint64_t address)
{
    EmuSpan *span = emu_span_find(memory, address);
    if (span != NULL && span->lo == address && span->kind == SPAN_MODULE) {
        emu_span_drop(span, span->id);
    }
}

/* The bits of a span for the machine, which tests and clears them as a kernel reads and writes.
 * *bits is NULL when nothing is recorded; the caller then takes all bytes as written. */
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

/* malloc in a kernel. `limit` is CU_LIMIT_MALLOC_HEAP_SIZE; 0 is device malloc's null pointer on
 * failure, as the CUDA programming guide says. */
uint64_t
emu_memory_heap_alloc(EmuMemory *memory, size_t bytes, size_t limit, void *owner)
{
    if (bytes == 0 || bytes > limit ||
        emu_memory_count(memory, 1u << SPAN_HEAP, 1) + bytes > limit) {
        return 0;
    }
    EmuSpan *span = emu_span_new(memory, bytes, SPAN_HEAP, owner);
    /* Workers that allocate side by side have all found room above. */
    if (span != NULL && emu_memory_count(memory, 1u << SPAN_HEAP, 1) > limit) {
        emu_span_drop(span, span->id);
        return 0;
    }
    return span != NULL ? span->lo : 0;
}

/* free in a kernel: an address that malloc did not return is reported as a fault by the caller. */
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

/* Copies the bits along with the data: copying memory that was never written is no error, reading
 * its copy is. `from` 0 means that the source counts as written. */
void
emu_memory_copied(uint64_t to, uint64_t from, uint64_t bytes)
{
    uint64_t t = 0, f = 0;
    unsigned char *into = bits_of(to, &t);
    const unsigned char *out = from != 0 ? bits_of(from, &f) : NULL;
    if (into == NULL) {
        return;
    }
    /* Without a source its bit position follows the target's, so the fast path below depends on one
     * alignment only. */
    f = out != NULL ? f : t;
    while (bytes > 0) {
        /* Eight bytes of data are one byte of bits. The slow path moves single bits, at most seven
         * at each end when both sides are aligned alike. */
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
        /* Atomic, as another stream may change bits of the same byte for neighbouring data.
         * Relaxed: the bits carry no data of their own. */
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
        /* Dropping the pages makes them read as zeros, that is as written, at no cost for the
         * untouched part of the range. */
        madvise(memory->unwritten, (memory->end - memory->base) / 8 + PAGE, MADV_DONTNEED);
    }
    pthread_mutex_unlock(&memory->lock);
}

static uint64_t
distance(uint64_t address, uint64_t lo, uint64_t hi)
{
    return address < lo ? lo - address : address >= hi ? address - hi + 1 : 0;
}

/* Whether the process has memory there. mincore fails with ENOMEM for a page that is not mapped,
 * and reads nothing. */
static int
is_mapped(uint64_t address)
{
    unsigned char resident;
    return mincore((void *)(uintptr_t)(address / PAGE * PAGE), 1, &resident) == 0;
}

/* Text for a fault report. Rare, so it walks the whole list under the lock, which also keeps the
 * records from being recycled. */
void
emu_memory_describe(const EmuMemory *memory, uint64_t address, char *text, size_t capacity)
{
    EmuMemory *own = (EmuMemory *)(uintptr_t)memory;
    if (!emu_memory_contains(own, address)) {
        const EmuSpan *span = emu_find_any(address);
        if (own->host != NULL && emu_memory_contains(own->host, address)) {
            own = own->host;
        }
        else if (span != NULL && span->memory->device >= 0) {
            snprintf(text, capacity,
                     "0x%llx is in an allocation of %llu bytes on device %d, %s device %d has no "
                     "access",
                     (unsigned long long)address, (unsigned long long)(span->hi - span->lo),
                     span->memory->device,
                     span->kind == SPAN_ASYNC ? "to whose memory pool" : "to whose memory",
                     own->device);
            return;
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
    /* Nearest by distance: a pointer slightly outside of an allocation was most likely meant for
     * it. */
    const EmuSpan *best = NULL;
    for (const EmuSpan *span = own->live.next; span != &own->live; span = span->next) {
        if (best == NULL ||
            distance(address, span->lo, span->hi) < distance(address, best->lo, best->hi)) {
            best = span;
        }
    }
    /* A freed allocation that contains the address explains it better than a live one nearby. */
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

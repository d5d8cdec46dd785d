/* Happens-before between streams (EMU_CHECK_STREAM): which bytes each piece touched, and whether
 * everything that touched them before was waited for.
 *
 * Every piece of work carries a clock: for each stream, the number of the last piece that is
 * certain to run before it, by stream order, events, the legacy stream, or a host thread that had
 * waited when it submitted. When a piece has run, its bytes are compared page by page with what ran
 * before. Two pieces that share a byte which one of them writes are unordered when neither is in
 * the other's clock, whatever came first this time. The clock is a vector clock with one entry per
 * stream; host threads count as one: what one has waited for happened before all.
 *
 * Submitting, running and waiting threads call into this file from stream.c, event.c, work.c and
 * graph/. Nearly all calls return at once unless EMU_CHECK_STREAM is on, so the checks cost a load
 * otherwise. */
#include "emu/driver/driver.h"
#include "emu/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, TEXT = 160, FREED = 256 };

/* Immutable once it is shared, so that many pieces can refer to one clock and only a join
 * allocates. */
struct OrderClock {
    _Atomic int refs;
    uint32_t count;
    struct {
        uint64_t stream, number;
    } items[];
};

/* Who touched a page, and which bytes of it. */
typedef struct Record {
    struct Record *next;
    struct Piece *piece; /* reference */
    EmuFootprintPage page;
} Record;

/* A piece of work that has run, as reports name it. Counted under order.lock: one reference per
 * record, and one while emu_order_touched works. */
typedef struct Piece {
    uint32_t refs;
    uint64_t stream, number;
    char text[TEXT];
} Piece;

/* What is known of all streams. They may belong to any context, so there is one for the process.
 * Innermost: callers may hold the context's and the stream's lock. Only reports take a lock inside
 * of it, emu_memory's for describing an address. */
static struct {
    pthread_mutex_t lock; /* guards what follows; innermost */
    Record *buckets[BUCKETS];
    size_t nrecords;
    struct {
        uint64_t lo, hi, stream, number;
    } freed[FREED]; /* the latest frees by streams */
    unsigned nfreed;
    OrderClock *host; /* what threads of the program have waited for */
    OrderClock *ran;  /* everything that has run */
    uint64_t *live;   /* ids of streams that exist; work of others is ordered before all */
    size_t nlive, live_capacity;
} order = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The piece that the calling thread runs. Set and cleared around each piece by run_next. `clock` is
 * a reference and NULL when the check is off or was turned on after the piece had been submitted.
 */
static _Thread_local struct {
    Stream *stream;
    uint64_t number;
    OrderClock *clock;
} running;

/* ---- vector clocks --------------------------------------------------------------------------- */

static int
is_on(void)
{
    return (emu_checks() & EMU_CHECK_STREAM) != 0;
}

/* A clock may be dropped by any thread, without order.lock. */
void
emu_order_unref(OrderClock *clock)
{
    /* Clocks never change once they are shared: a join makes a new one. So readers need a
     * reference, but no lock. */
    if (clock != NULL && atomic_fetch_sub(&clock->refs, 1) == 1) {
        free(clock);
    }
}

OrderClock *
emu_order_ref(OrderClock *clock)
{
    if (clock != NULL) {
        atomic_fetch_add(&clock->refs, 1);
    }
    return clock;
}

/* Linear: a program has few streams, and a clock holds only live ones. */
static uint64_t
known(const OrderClock *clock, uint64_t stream)
{
    for (uint32_t i = 0; clock != NULL && i < clock->count; i++) {
        if (clock->items[i].stream == stream) {
            return clock->items[i].number;
        }
    }
    return 0;
}

static int
is_live(uint64_t stream)
{
    for (size_t i = 0; i < order.nlive; i++) {
        if (order.live[i] == stream) {
            return 1;
        }
    }
    return 0;
}

static void
add_item(OrderClock *clock, uint64_t stream, uint64_t number)
{
    for (uint32_t i = 0; i < clock->count; i++) {
        if (clock->items[i].stream == stream) {
            uint64_t *at = &clock->items[i].number;
            *at = *at > number ? *at : number;
            return;
        }
    }
    /* Streams that ended are left out, or clocks would grow with every stream a program ever made.
     */
    if (number > 0 && is_live(stream)) {
        clock->items[clock->count].stream = stream;
        clock->items[clock->count++].number = number;
    }
}

/* Replaces *clock by its join with `other` and (stream, number). Clocks are immutable, so the join
 * is a new object; readers of the old one keep theirs. */
static void
join(OrderClock **clock, const OrderClock *other, uint64_t stream, uint64_t number)
{
    uint32_t capacity =
        1 + (*clock != NULL ? (*clock)->count : 0) + (other != NULL ? other->count : 0);
    OrderClock *joined = malloc(sizeof *joined + capacity * sizeof joined->items[0]);
    /* Without memory the clock stays as it is: too little is known to be ordered, and a false
     * finding is possible only here. */
    if (joined == NULL) {
        return;
    }
    atomic_init(&joined->refs, 1);
    joined->count = 0;
    for (uint32_t i = 0; *clock != NULL && i < (*clock)->count; i++) {
        add_item(joined, (*clock)->items[i].stream, (*clock)->items[i].number);
    }
    for (uint32_t i = 0; other != NULL && i < other->count; i++) {
        add_item(joined, other->items[i].stream, other->items[i].number);
    }
    add_item(joined, stream, number);
    emu_order_unref(*clock);
    *clock = joined;
}

/* ---- submitting and waiting ------------------------------------------------------------------ */

/* The counterpart of add_implicit_order in stream.c for the check: the rule is the one of the
 * legacy default stream, whether or not any work is under way. */
void
emu_order_after_streams(Stream *stream)
{
    Context *context = stream->context;
    if (!is_on() || (stream->flags & CU_STREAM_NON_BLOCKING) != 0) {
        return;
    }
    /* The legacy stream and blocking streams are ordered against each other in both directions, at
     * submission. */
    if (stream != context->legacy) {
        pthread_mutex_lock(&order.lock);
        join(&stream->clock, context->legacy->clock, 0, 0);
        pthread_mutex_unlock(&order.lock);
        return;
    }
    pthread_mutex_lock(&context->lock);
    pthread_mutex_lock(&order.lock);
    /* Every blocking stream counts, also idle ones: an idle stream's past work happened before too,
     * and its clock says so. */
    for (const Stream *other = context->streams; other != NULL; other = other->next) {
        if ((other->flags & CU_STREAM_NON_BLOCKING) == 0) {
            join(&stream->clock, other->clock, 0, 0);
        }
    }
    pthread_mutex_unlock(&order.lock);
    pthread_mutex_unlock(&context->lock);
}

OrderClock *
emu_order_submit(Stream *stream, uint64_t number)
{
    if (!is_on()) {
        return NULL;
    }
    pthread_mutex_lock(&order.lock);
    if (!is_live(stream->id)) {
        if (order.nlive == order.live_capacity) {
            size_t capacity = order.live_capacity > 0 ? 2 * order.live_capacity : 64;
            uint64_t *more = realloc(order.live, capacity * sizeof *more);
            order.live = more != NULL ? more : order.live;
            order.live_capacity = more != NULL ? capacity : order.live_capacity;
        }
        if (order.nlive < order.live_capacity) {
            order.live[order.nlive++] = stream->id;
        }
    }
    /* What the program has waited for happened before all it submits from now on, and a stream's
     * own pieces are in order. */
    join(&stream->clock, order.host, stream->id, number);
    OrderClock *clock = emu_order_ref(stream->clock);
    pthread_mutex_unlock(&order.lock);
    return clock;
}

/* Called by the destructor of the stream, after its last reference: nothing can submit to it any
 * more. */
void
emu_order_stream_ended(Stream *stream)
{
    pthread_mutex_lock(&order.lock);
    for (size_t i = 0; i < order.nlive; i++) {
        if (order.live[i] == stream->id) {
            order.live[i] = order.live[--order.nlive];
            break;
        }
    }
    /* An ended stream has run everything; its records count as ordered (is_ordered), since it is
     * not live any more. */
    emu_order_unref(stream->clock);
    stream->clock = NULL;
    pthread_mutex_unlock(&order.lock);
}

/* NULL while the check is off, which all receivers take as no information. */
OrderClock *
emu_order_of_stream(Stream *stream)
{
    if (!is_on()) {
        return NULL;
    }
    pthread_mutex_lock(&order.lock);
    OrderClock *clock = emu_order_ref(stream->clock);
    pthread_mutex_unlock(&order.lock);
    return clock;
}

void
emu_order_stream_waits(Stream *stream, const OrderClock *clock)
{
    if (clock != NULL && is_on()) {
        pthread_mutex_lock(&order.lock);
        join(&stream->clock, clock, 0, 0);
        pthread_mutex_unlock(&order.lock);
    }
}

/* The program's threads share one clock: that overstates the order between threads and hides races
 * only between host threads that do not synchronise with each other. */
void
emu_order_host_waited(const OrderClock *clock)
{
    if (clock != NULL && is_on()) {
        pthread_mutex_lock(&order.lock);
        join(&order.host, clock, 0, 0);
        pthread_mutex_unlock(&order.lock);
    }
}

void
emu_order_host_waited_stream(Stream *stream)
{
    OrderClock *clock = emu_order_of_stream(stream);
    emu_order_host_waited(clock);
    emu_order_unref(clock);
}

static void
drop_record(Record **at)
{
    Record *r = *at;
    *at = r->next;
    if (--r->piece->refs == 0) {
        free(r->piece);
    }
    free(r);
    order.nrecords--;
}

void
emu_order_host_waited_all(Context *context)
{
    if (!is_on()) {
        return;
    }
    pthread_mutex_lock(&context->lock);
    pthread_mutex_lock(&order.lock);
    join(&order.host, context->legacy->clock, 0, 0);
    for (const Stream *stream = context->streams; stream != NULL; stream = stream->next) {
        join(&order.host, stream->clock, 0, 0);
    }
    /* Records that are ordered before everything to come can never conflict again: a program that
     * synchronises now and then keeps the table small. */
    /* What the host knows of comes before all that is submitted from now on. */
    for (size_t i = 0; order.nrecords > 0 && i < BUCKETS; i++) {
        for (Record **at = &order.buckets[i]; *at != NULL;) {
            const Piece *p = (*at)->piece;
            if (known(order.host, p->stream) >= p->number || !is_live(p->stream)) {
                drop_record(at);
            }
            else {
                at = &(*at)->next;
            }
        }
    }
    pthread_mutex_unlock(&order.lock);
    pthread_mutex_unlock(&context->lock);
}

/* ---- running --------------------------------------------------------------------------------- */

void
emu_order_begin(Stream *stream, uint64_t number, OrderClock *clock)
{
    running.stream = stream;
    running.number = number;
    running.clock = clock;
}

/* Called after the piece ran and before its number is published as done. */
void
emu_order_end(void)
{
    if (running.clock != NULL) {
        pthread_mutex_lock(&order.lock);
        /* `ran` serves waits on values in memory, whose writer is not known: it overstates the
         * order rather than report a race that is none. */
        join(&order.ran, running.clock, 0, 0);
        pthread_mutex_unlock(&order.lock);
        emu_order_unref(running.clock);
    }
    running.clock = NULL;
}

/* A value in memory was waited for: the writer has run, so this follows all that has. The stream's
 * own clock advances as well, since later pieces of the stream follow this one. */
void
emu_order_await_value(void)
{
    if (running.clock != NULL) {
        pthread_mutex_lock(&order.lock);
        join(&running.clock, order.ran, 0, 0);
        join(&running.stream->clock, order.ran, 0, 0);
        pthread_mutex_unlock(&order.lock);
    }
}

/* A host function is going to run, and may tell the program so. Host functions may signal other
 * threads by means unknown here, so everything before the function counts as waited for by the
 * program. */
void
emu_order_host_function(void)
{
    emu_order_host_waited(running.clock);
}

/* ---- what was touched ------------------------------------------------------------------------ */

int
emu_order_is_watched(void)
{
    return running.clock != NULL;
}

/* Multiplicative hashing by the golden ratio: the page number's high product bits are well mixed,
 * where consecutive pages would fill neighbouring buckets. */
static size_t
bucket_of(uint64_t address)
{
    return (size_t)((address / EMU_FOOTPRINT_BYTES * 0x9e3779b97f4a7c15ull) >> 40) % BUCKETS;
}

/* The first byte both touch and at least one changes; -1 when there is none. */
static int
first_conflict(const EmuFootprintPage *a, const EmuFootprintPage *b)
{
    for (int w = 0; w < EMU_FOOTPRINT_WORDS; w++) {
        uint64_t ar = a->bits[EMU_TOUCH_READ][w], br = b->bits[EMU_TOUCH_READ][w];
        uint64_t aw = a->bits[EMU_TOUCH_WRITE][w], bw = b->bits[EMU_TOUCH_WRITE][w];
        uint64_t aa = a->bits[EMU_TOUCH_ATOMIC][w], ba = b->bits[EMU_TOUCH_ATOMIC][w];
        /* Atomics conflict with plain accesses, not with each other. */
        uint64_t both = (aw & (br | bw | ba)) | (bw & (ar | aa)) | (aa & br) | (ba & ar);
        if (both != 0) {
            return 64 * w + __builtin_ctzll(both);
        }
    }
    return -1;
}

/* What ran later and in order stands for what ran before on the same bytes. */
static int
take_over(EmuFootprintPage *old, const EmuFootprintPage *now, int same_stream)
{
    uint64_t left = 0;
    for (int w = 0; w < EMU_FOOTPRINT_WORDS; w++) {
        /* A later ordered write hides all that was before: who is ordered after the write is
         * ordered after that too. A read hides only reads of its own stream, since other readers
         * may be unordered with the next writer. */
        uint64_t gone = now->bits[EMU_TOUCH_WRITE][w];
        old->bits[EMU_TOUCH_WRITE][w] &= ~gone;
        old->bits[EMU_TOUCH_ATOMIC][w] &= ~gone;
        old->bits[EMU_TOUCH_READ][w] &= ~(gone | (same_stream ? now->bits[EMU_TOUCH_READ][w] : 0));
        left |= old->bits[EMU_TOUCH_WRITE][w] | old->bits[EMU_TOUCH_ATOMIC][w] |
                old->bits[EMU_TOUCH_READ][w];
    }
    return left == 0;
}

static const char *
verb(const EmuFootprintPage *page, int at)
{
    uint64_t bit = 1ull << (at % 64);
    return page->bits[EMU_TOUCH_WRITE][at / 64] & bit    ? "writes"
           : page->bits[EMU_TOUCH_ATOMIC][at / 64] & bit ? "changes atomically"
                                                         : "reads";
}

/* Caller holds order.lock, which `is_live` needs. */
static int
is_ordered(const Piece *old, const OrderClock *clock, uint64_t stream)
{
    return old->stream == stream || known(clock, old->stream) >= old->number ||
           !is_live(old->stream);
}

typedef struct {
    char text[1200];
    int found;
} Finding;

/* Only the first conflict of a piece is reported: one missing event usually makes thousands of
 * conflicting bytes. */
static void
note(Finding *finding, const char *mine, const char *my_verb, const Record *old, uint64_t address,
     int at)
{
    if (!finding->found) {
        finding->found = 1;
        EmuSpan *span = emu_find_any(address);
        char where[400] = "memory that was freed meanwhile";
        if (span != NULL) {
            emu_memory_describe(span->memory, address, where, sizeof where);
        }
        snprintf(finding->text, sizeof finding->text,
                 "stream order: %s %s what %s %s, and neither waits for the other (%s): an event "
                 "between the two is missing",
                 mine, my_verb, old->piece->text, verb(&old->page, at), where);
    }
}

/* Called without order.lock: reporting runs code of gate.c with a lock of its own and may end the
 * context. */
static void
deliver(const Finding *finding, Context *context)
{
    if (finding->found && emu_finding(finding->text)) {
        emu_context_fail(context, CUDA_ERROR_LAUNCH_FAILED);
    }
}

/* Memory that another stream has freed meanwhile without waiting. */
static void
compare_freed(const Piece *piece, const EmuFootprintPage *page, Finding *finding)
{
    for (unsigned i = 0; i < FREED && i < order.nfreed; i++) {
        if (order.freed[i].lo >= page->address + EMU_FOOTPRINT_BYTES ||
            order.freed[i].hi <= page->address || order.freed[i].stream == piece->stream ||
            known(running.clock, order.freed[i].stream) >= order.freed[i].number ||
            finding->found) {
            continue;
        }
        finding->found = 1;
        snprintf(finding->text, sizeof finding->text,
                 "stream order: freeing %llu bytes at 0x%llx on another stream does not wait for "
                 "what %s does there: an event between the two is missing",
                 (unsigned long long)(order.freed[i].hi - order.freed[i].lo),
                 (unsigned long long)order.freed[i].lo, piece->text);
    }
}

/* Compares one page of the running piece with all records of it, then files the page as a record
 * itself. Caller holds order.lock. */
static void
compare(Piece *piece, EmuFootprintPage *page, Finding *finding)
{
    for (Record **at = &order.buckets[bucket_of(page->address)]; *at != NULL;) {
        Record *old = *at;
        if (old->page.address != page->address) {
            at = &old->next;
            continue;
        }
        /* One look for each page and earlier piece: exact bytes are compared only where clocks
         * give no order. */
        if (is_ordered(old->piece, running.clock, piece->stream)) {
            if (take_over(&old->page, page, old->piece->stream == piece->stream)) {
                drop_record(at);
                continue;
            }
        }
        else {
            int byte = first_conflict(page, &old->page);
            if (byte >= 0) {
                note(finding, piece->text, verb(page, byte), old, page->address + (uint64_t)byte,
                     byte);
            }
        }
        at = &old->next;
    }
    Record *r = malloc(sizeof *r);
    if (r != NULL) {
        Record **bucket = &order.buckets[bucket_of(page->address)];
        *r = (Record){.next = *bucket, .piece = piece, .page = *page};
        *bucket = r;
        piece->refs++;
        order.nrecords++;
    }
}

/* `footprint` holds the bytes that the piece accessed, one bitmap per page and kind of access.
 * Called by the thread that runs the piece, once or several times: a graph runs many works in one
 * piece, and a library's host function names each range. */
void
emu_order_touched(const EmuFootprint *footprint, const char *what)
{
    EmuFootprintPage *page;
    Finding finding = {.found = 0};
    Piece *piece = running.clock != NULL && footprint != NULL ? calloc(1, sizeof *piece) : NULL;
    if (piece == NULL) {
        return;
    }
    Stream *stream = running.stream;
    piece->refs = 1;
    piece->stream = stream->id;
    piece->number = running.number;
    if (stream == stream->context->legacy) {
        snprintf(piece->text, TEXT, "%s (default stream)", what);
    }
    else {
        snprintf(piece->text, TEXT, "%s (stream %p)", what, (void *)stream);
    }
    pthread_mutex_lock(&order.lock);
    for (size_t i = 0; (page = emu_footprint_page(footprint, i)) != NULL; i++) {
        compare_freed(piece, page, &finding);
        compare(piece, page, &finding);
    }
    if (--piece->refs == 0) {
        free(piece);
    }
    pthread_mutex_unlock(&order.lock);
    deliver(&finding, stream->context);
}

/* An access outside of the pieces that are watched: by the program, or a free. */
typedef struct {
    uint64_t lo, hi;
    EmuTouch touch;
    const char *what;
    const OrderClock *clock; /* what happened before it */
    uint64_t stream;         /* 0: the program */
} OtherAccess;

/* Looks for records of the same bytes that did not happen before the access. A scan of the whole
 * table: frees and host accesses are rare next to kernels, so no index by address range is kept.
 * Caller holds order.lock. */
static void
search(const OtherAccess *a, Finding *finding)
{
    for (size_t i = 0; order.nrecords > 0 && i < BUCKETS; i++) {
        for (const Record *r = order.buckets[i]; r != NULL; r = r->next) {
            if (r->page.address + EMU_FOOTPRINT_BYTES <= a->lo || r->page.address >= a->hi ||
                is_ordered(r->piece, a->clock, a->stream)) {
                continue;
            }
            EmuFootprintPage mine = {.address = r->page.address};
            for (int byte = 0; byte < EMU_FOOTPRINT_BYTES; byte++) {
                uint64_t at = mine.address + (uint64_t)byte;
                if (at >= a->lo && at < a->hi) {
                    mine.bits[a->touch][byte / 64] |= 1ull << (byte % 64);
                }
            }
            int byte = first_conflict(&mine, &r->page);
            if (byte >= 0) {
                note(finding, a->what, a->touch == EMU_TOUCH_WRITE ? "writes" : "reads", r,
                     mine.address + (uint64_t)byte, byte);
            }
        }
    }
}

/* A free acts as a write of all bytes of the allocation. Afterwards its records go: the addresses
 * will not be used by another allocation for a long time (memory.c). */
void
emu_order_freed(const EmuSpan *span)
{
    Finding finding = {.found = 0};
    if (running.clock == NULL) {
        return;
    }
    char what[TEXT];
    Stream *stream = running.stream;
    snprintf(what, sizeof what, "freeing (stream %p)", (void *)stream);
    pthread_mutex_lock(&order.lock);
    const OtherAccess access = {span->lo, span->hi,      EMU_TOUCH_WRITE,
                                what,     running.clock, stream->id};
    search(&access, &finding);
    /* Addresses are not reused, so work that comes later to this range was submitted before the
     * free, or is an error of its own. */
    order.freed[order.nfreed % FREED].lo = span->lo;
    order.freed[order.nfreed % FREED].hi = span->hi;
    order.freed[order.nfreed % FREED].stream = stream->id;
    order.freed[order.nfreed++ % FREED].number = running.number;
    for (size_t i = 0; order.nrecords > 0 && i < BUCKETS; i++) {
        for (Record **at = &order.buckets[i]; *at != NULL;) {
            if ((*at)->page.address + EMU_FOOTPRINT_BYTES > span->lo &&
                (*at)->page.address < span->hi) {
                drop_record(at);
            }
            else {
                at = &(*at)->next;
            }
        }
    }
    pthread_mutex_unlock(&order.lock);
    deliver(&finding, stream->context);
}

/* Called when the check is switched on: pieces from before have no clock, so they must not be
 * compared with. */
void
emu_order_forget(void)
{
    pthread_mutex_lock(&order.lock);
    for (size_t i = 0; order.nrecords > 0 && i < BUCKETS; i++) {
        while (order.buckets[i] != NULL) {
            drop_record(&order.buckets[i]);
        }
    }
    order.nfreed = 0;
    pthread_mutex_unlock(&order.lock);
}

/* For code outside of the driver that reads or writes managed or pinned memory on the host: nothing
 * here can observe such accesses, so the caller names them. */
EMU_EXPORT int
cuEmuHostAccess(const void *address, size_t bytes, int writes)
{
    Finding finding = {.found = 0};
    Context *context = emu_context_peek();
    uint64_t lo = (uint64_t)(uintptr_t)address;
    if (!is_on() || context == NULL) {
        return 0;
    }
    /* The host's access happens now: only pieces the program has waited for happened before it. */
    emu_context_drain(context); /* what is still to run must be seen */
    pthread_mutex_lock(&order.lock);
    const OtherAccess access = {
        lo, lo + bytes, writes ? EMU_TOUCH_WRITE : EMU_TOUCH_READ, "the program", order.host, 0};
    search(&access, &finding);
    pthread_mutex_unlock(&order.lock);
    deliver(&finding, context);
    return finding.found ? CUDA_ERROR_LAUNCH_FAILED : 0;
}

/* For emulated libraries, whose work runs as host functions of a stream and touches device memory
 * without a kernel or a copy. */
EMU_EXPORT void
cuEmuDeviceAccess(const void *address, size_t bytes, int writes, const char *what)
{
    uint64_t at = (uint64_t)(uintptr_t)address;
    EmuFootprint *footprint = emu_order_is_watched() ? emu_footprint_new() : NULL;
    if (writes) {
        emu_memory_copied(at, 0, bytes);
    }
    if (footprint != NULL) {
        emu_footprint_add(footprint, at, bytes, writes ? EMU_TOUCH_WRITE : EMU_TOUCH_READ);
        emu_order_touched(footprint, what);
        emu_footprint_free(footprint);
    }
}

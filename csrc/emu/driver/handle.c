/* Objects behind the driver's opaque handles.
 *
 * Every object is a slot of one reserved address range. Slots are never unmapped and carry the kind
 * of their object, so a destroyed, foreign or invented handle is recognised instead of followed.
 * The slot of a destroyed object goes to the end of a queue and is reused last.
 *
 * References and handles end separately: closing an object makes its handle invalid at once, and
 * the object itself goes with its last reference, which queued work may hold. Any thread may call
 * anything here; the lock is innermost. */
#include "emu/driver/driver.h"

#include <string.h>
#include <sys/mman.h>

/* The largest objects, streams, contexts, events and graph nodes, are tested against this size at
 * compile time. */
enum { SLOT_BYTES = 512 };
/* Room for 524,288 objects. Pages that no slot was taken from cost nothing. */
static const size_t RANGE_BYTES = (size_t)256 << 20;
static const size_t KEEP_FREE = 4096; /* slots that rest before the oldest is used again */

static struct {
    pthread_mutex_t lock; /* guards all but `base`, which is written once */
    _Atomic(char *) base;
    size_t used; /* slots ever used */
    EmuHandle *oldest, *newest;
    size_t resting;
    uint32_t serial;
    uint64_t live[KINDS];
} slots = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* While a slot rests, the word after its header links to the next one. */
static EmuHandle **
link_of(EmuHandle *slot)
{
    return (EmuHandle **)(void *)(slot + 1);
}

/* Caller holds the lock. `base` is stored only when the range exists, so emu_handle_get may read it
 * without the lock. */
static EmuHandle *
take_slot(void)
{
    char *base = atomic_load(&slots.base);
    if (base == NULL) {
        void *range = mmap(NULL, RANGE_BYTES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) {
            return NULL;
        }
        base = range;
        atomic_store(&slots.base, base);
    }
    int full = slots.used == RANGE_BYTES / SLOT_BYTES;
    /* Freed slots rest, oldest reused first: a stale handle meets a dead slot for as long as
     * possible and is reported instead of naming another object. */
    if (slots.oldest != NULL && (slots.resting > KEEP_FREE || full)) {
        EmuHandle *slot = slots.oldest;
        slots.oldest = *link_of(slot);
        slots.resting--;
        if (slots.oldest == NULL) {
            slots.newest = NULL;
        }
        return slot;
    }
    return full ? NULL : (EmuHandle *)(void *)(base + SLOT_BYTES * slots.used++);
}

void *
emu_handle_new(EmuKind kind, size_t bytes, void (*destroy)(void *object))
{
    if (bytes > SLOT_BYTES) {
        return NULL;
    }
    pthread_mutex_lock(&slots.lock);
    EmuHandle *slot = take_slot();
    uint32_t serial = ++slots.serial;
    if (slot != NULL) {
        slots.live[kind]++;
    }
    pthread_mutex_unlock(&slots.lock);
    if (slot == NULL) {
        return NULL;
    }
    /* The rest of a reused slot still holds its last object. The header is written field by field
     * instead, because emu_handle_get may read `kind` of any slot at any time. */
    memset(slot + 1, 0, SLOT_BYTES - sizeof *slot);
    slot->was = kind;
    slot->serial = serial;
    slot->destroy = destroy;
    atomic_store(&slot->refs, 1);
    /* Release: who finds the kind sees the cleared object. The creator fills the object before it
     * gives the handle away. */
    atomic_store_explicit(&slot->kind, kind, memory_order_release);
    return slot;
}

/* Wait-free: two comparisons and a load. The result is borrowed; a caller that keeps it takes a
 * reference, and a program that destroys an object while it passes the handle elsewhere breaks
 * CUDA's rules. */
void *
emu_handle_get(const void *handle, EmuKind kind)
{
    char *base = atomic_load_explicit(&slots.base, memory_order_relaxed);
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)base;
    if (base == NULL || offset >= RANGE_BYTES || offset % SLOT_BYTES != 0) {
        return NULL;
    }
    EmuHandle *slot = (EmuHandle *)(void *)(base + offset);
    /* Pairs with the release in emu_handle_new. */
    return atomic_load_explicit(&slot->kind, memory_order_acquire) == kind ? slot : NULL;
}

void
emu_handle_ref(void *object)
{
    EmuHandle *slot = object;
    /* Relaxed: the caller holds a reference, or the object could not be named here. */
    atomic_fetch_add_explicit(&slot->refs, 1, memory_order_relaxed);
}

void
emu_handle_unref(void *object)
{
    EmuHandle *slot = object;
    /* Acquire and release: the thread that frees sees what others wrote before they dropped their
     * references. */
    if (slot == NULL || atomic_fetch_sub_explicit(&slot->refs, 1, memory_order_acq_rel) != 1) {
        return;
    }
    atomic_store(&slot->kind, KIND_FREE);
    /* Without the lock, since destructors drop references of other objects. The slot is put to rest
     * only afterwards: destructors still use its memory. */
    if (slot->destroy != NULL) {
        slot->destroy(slot);
    }
    pthread_mutex_lock(&slots.lock);
    *link_of(slot) = NULL;
    if (slots.newest != NULL) {
        *link_of(slots.newest) = slot;
    }
    else {
        slots.oldest = slot;
    }
    slots.newest = slot;
    slots.resting++;
    pthread_mutex_unlock(&slots.lock);
}

/* Also ends the count of a closed object. `was` and not `kind` tells what to subtract, as `kind` is
 * KIND_FREE by then. */
void
emu_handle_hide(void *object)
{
    EmuHandle *slot = object;
    pthread_mutex_lock(&slots.lock);
    if (slot->was != KIND_FREE) {
        slots.live[slot->was]--;
        slot->was = KIND_FREE;
    }
    pthread_mutex_unlock(&slots.lock);
}

void
emu_handle_show(void *object, EmuKind kind)
{
    EmuHandle *slot = object;
    pthread_mutex_lock(&slots.lock);
    slot->was = kind;
    slots.live[kind]++;
    pthread_mutex_unlock(&slots.lock);
}

/* Called once by whoever owns the handle. Later uses of the handle are recognised at once, though
 * work may hold the object for long. */
void
emu_handle_close(void *object)
{
    EmuHandle *slot = object;
    atomic_store(&slot->kind, KIND_FREE);
    emu_handle_hide(slot);
    emu_handle_unref(slot);
}

uint64_t
emu_handle_count(EmuKind kind)
{
    pthread_mutex_lock(&slots.lock);
    uint64_t count = slots.live[kind];
    pthread_mutex_unlock(&slots.lock);
    return count;
}

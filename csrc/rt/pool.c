/* The device memory pool: stream-ordered free lists over segments that the driver gave.
 *
 * Each stream has an arena. A block freed on its own stream is free at once, since whatever reuses
 * it there runs later; a block that other streams used waits for events recorded on them. Free
 * chunks sit in bins of a two-level segregated fit (Masmano et al., "TLSF", ECRTS 2004), so taking
 * and giving back cost a few loads; neighbours merge at once. Chunks tile their segment: their
 * capacities add up to it, and no two free ones touch.
 *
 * Everything here is guarded by the GIL, which is dropped only around driver calls that may block,
 * where no list is half changed. */
#include "rt/internal.h"

#include <stdlib.h>
#include <string.h>

#define GRAIN 512u
#define SMALL_LIMIT ((size_t)1 << 20) /* requests up to here share small segments */
#define SMALL_SEGMENT ((size_t)2 << 20)
#define MEDIUM_LIMIT ((size_t)10 << 20)
#define MEDIUM_SEGMENT ((size_t)20 << 20)
#define LARGE_GRAIN ((size_t)2 << 20)
#define ROWS 40
#define COLUMNS 16
#define GONE_STREAM ((CUstream)(intptr_t) - 1)       /* its stream was destroyed */
#define PER_THREAD_STREAM ((CUstream)(intptr_t) - 2) /* some thread's default stream */
#define HIDDEN_STREAM ((CUstream)(intptr_t) - 3)     /* its stream is being captured */

typedef struct Chunk {
    GnpBlock block; /* first: a block of this pool is its chunk */
    size_t capacity;
    struct Chunk *before, *after;  /* neighbours in the segment */
    struct Chunk *next, *previous; /* in the bin, when free */
    struct Segment *segment;
    int is_free;
} Chunk;

typedef struct {
    uint64_t rows;
    uint16_t columns[ROWS];
    Chunk *heads[ROWS][COLUMNS];
} Bins;

typedef struct Segment {
    CUdeviceptr ptr;
    size_t bytes;
    int is_small;
    PyObject *owner; /* what a Python allocator returned, or NULL */
    Chunk *first;
    struct Arena *arena;
    struct Segment *next, *previous;
} Segment;

/* ARENA_OPEN serves its stream. While the stream is captured it is ARENA_HIDDEN, and another one,
 * which belongs to the capture, stands in its place; when the capture ends, that one is ARENA_KEPT
 * by the graph. ARENA_RETIRED: the stream or the graph is gone, others adopt its segments. */
typedef enum { ARENA_OPEN, ARENA_HIDDEN, ARENA_KEPT, ARENA_RETIRED } ArenaState;

typedef struct Arena {
    GnpPool *pool;
    CUstream stream;
    uint64_t thread;           /* whose, for a per-thread default stream; else 0 */
    CUevent retired;           /* the last work of a destroyed stream, or NULL */
    const GnpCapture *capture; /* what the memory was taken for, or NULL */
    ArenaState state;
    Segment *segments;
    struct Arena *next;
    Bins small, large;
} Arena;

/* One stream's use of another's block, and where it stands in the pool's list of all uses. */
typedef struct GnpBlockUse {
    CUstream stream;
    CUevent event; /* recorded when the stream went or the block was freed; else NULL */
    struct GnpBlockUse *next;
    struct GnpBlockUse *all_next, *all_previous;
} BlockUse;

struct GnpPool {
    GnpDevice *device;
    PyObject *allocator; /* owned: where segments come from, or NULL for the driver */
    int is_dropped, is_off, is_poisoned;
    size_t nlive; /* blocks handed out and not freed, pending ones included */
    size_t used_bytes, total_bytes, limit_bytes, peak_bytes;
    Arena *arenas, *last; /* `last` is the one used most recently */
    Chunk *pending;       /* freed, but other streams may still use them */
    BlockUse *uses;       /* of all blocks */
    GnpPool *next;        /* all pools */
};

static GnpPool *all_pools;
static Chunk *spare; /* unused chunk structs of all pools, linked by next */

/* ---- bins --------------------------------------------------------------------------------------
 */

static inline int
top_bit(uint64_t x)
{
    return 63 - __builtin_clzll(x);
}

/* Row and column of a capacity: exact below 16 grains, then 16 columns for each power of two. */
static inline void
locate(size_t capacity, int *row, int *column)
{
    uint64_t grains = capacity / GRAIN;
    if (grains < COLUMNS) {
        *row = 0;
        *column = (int)grains;
        return;
    }
    int top = top_bit(grains);
    *row = top - 3;
    *column = (int)((grains >> (top - 4)) & (COLUMNS - 1));
}

static inline void
bin_insert(Bins *bins, Chunk *chunk)
{
    int row, column;
    locate(chunk->capacity, &row, &column);
    Chunk *head = bins->heads[row][column];
    chunk->is_free = 1;
    chunk->next = head;
    chunk->previous = NULL;
    if (head != NULL) {
        head->previous = chunk;
    }
    bins->heads[row][column] = chunk;
    bins->columns[row] = (uint16_t)(bins->columns[row] | 1u << column);
    bins->rows |= (uint64_t)1 << row;
}

static inline void
bin_remove(Bins *bins, Chunk *chunk)
{
    chunk->is_free = 0;
    if (chunk->next != NULL) {
        chunk->next->previous = chunk->previous;
    }
    if (chunk->previous != NULL) {
        chunk->previous->next = chunk->next;
        return;
    }
    int row, column;
    locate(chunk->capacity, &row, &column);
    bins->heads[row][column] = chunk->next;
    if (chunk->next == NULL) {
        bins->columns[row] = (uint16_t)(bins->columns[row] & ~(1u << column));
        if (bins->columns[row] == 0) {
            bins->rows &= ~((uint64_t)1 << row);
        }
    }
}

/* A free chunk of at least `capacity`, or NULL. It stays in its bin. */
static inline Chunk *
bin_find(const Bins *bins, size_t capacity)
{
    int row, column;
    locate(capacity, &row, &column);
    /* The bin of the size itself may hold smaller chunks too: its first entries are tried, where
     * a block of just this size that was freed lately is found. */
    Chunk *chunk = bins->heads[row][column];
    for (int tries = 0; chunk != NULL && tries < 4; tries++, chunk = chunk->next) {
        if (chunk->capacity >= capacity) {
            return chunk;
        }
    }
    unsigned columns = bins->columns[row] & (0xfffeu << column);
    if (columns == 0) {
        uint64_t rows = bins->rows & (UINT64_MAX << (row + 1));
        if (rows == 0) {
            return NULL;
        }
        row = __builtin_ctzll(rows);
        columns = bins->columns[row];
    }
    return bins->heads[row][__builtin_ctz(columns)];
}

static inline Bins *
bins_of(const Segment *segment)
{
    return segment->is_small ? &segment->arena->small : &segment->arena->large;
}

/* ---- chunks ------------------------------------------------------------------------------------
 */

/* Fresh chunk structs come 64 at a time and are kept for ever: a handful per array alive. */
static Chunk *
new_chunk(void)
{
    if (GNP_UNLIKELY(spare == NULL)) {
        Chunk *slab = calloc(64, sizeof *slab);
        if (slab == NULL) {
            return NULL;
        }
        for (int i = 0; i < 64; i++) {
            slab[i].next = spare;
            spare = &slab[i];
        }
    }
    Chunk *chunk = spare;
    spare = chunk->next;
    return chunk;
}

static inline void
recycle(Chunk *chunk)
{
    chunk->next = spare;
    spare = chunk;
}

/* Cuts `capacity` bytes off the front of a chunk that is in no bin; the rest becomes free. Out of
 * host memory the chunk stays whole. */
static inline void
split(Chunk *chunk, size_t capacity)
{
    if (chunk->capacity == capacity) {
        return;
    }
    Chunk *rest = new_chunk();
    if (GNP_UNLIKELY(rest == NULL)) {
        return;
    }
    rest->block.ptr = chunk->block.ptr + capacity;
    rest->capacity = chunk->capacity - capacity;
    rest->segment = chunk->segment;
    rest->before = chunk;
    rest->after = chunk->after;
    if (rest->after != NULL) {
        rest->after->before = rest;
    }
    chunk->after = rest;
    chunk->capacity = capacity;
    bin_insert(bins_of(chunk->segment), rest);
}

/* Joins `second` onto `first`, its left neighbour; neither is in a bin. */
static inline void
join(Chunk *first, Chunk *second)
{
    first->capacity += second->capacity;
    first->after = second->after;
    if (first->after != NULL) {
        first->after->before = first;
    }
    recycle(second);
}

static inline void
give_back(Chunk *chunk)
{
    Bins *bins = bins_of(chunk->segment);
    Chunk *after = chunk->after, *before = chunk->before;
    if (after != NULL && after->is_free) {
        bin_remove(bins, after);
        join(chunk, after);
    }
    if (before != NULL && before->is_free) {
        bin_remove(bins, before);
        join(before, chunk);
        chunk = before;
    }
    bin_insert(bins, chunk);
}

/* ---- segments ----------------------------------------------------------------------------------
 */

static void
link_segment(Arena *arena, Segment *segment)
{
    segment->arena = arena;
    segment->previous = NULL;
    segment->next = arena->segments;
    if (arena->segments != NULL) {
        arena->segments->previous = segment;
    }
    arena->segments = segment;
}

static void
unlink_segment(Segment *segment)
{
    *(segment->previous != NULL ? &segment->previous->next : &segment->arena->segments) =
        segment->next;
    if (segment->next != NULL) {
        segment->next->previous = segment->previous;
    }
}

static int
is_unused(const Segment *segment)
{
    return segment->first->is_free && segment->first->capacity == segment->bytes;
}

/* An unused segment goes back to where it came from. Its device's context is current. */
static void
delete_segment(GnpPool *pool, Segment *segment)
{
    CUdeviceptr ptr = segment->ptr;
    PyObject *owner = segment->owner;
    bin_remove(bins_of(segment), segment->first);
    recycle(segment->first);
    unlink_segment(segment);
    pool->total_bytes -= segment->bytes;
    free(segment);
    if (owner != NULL) {
        Py_DECREF(owner);
    }
    else if (!gnp_is_closing()) {
        CUresult code = 0;
        const CUstreamCaptureMode mode = gnp_capture_relax();
        GNP_NOGIL(code = gnp_cu->cuMemFree_v2(ptr)); /* it waits for the device */
        gnp_capture_restore(mode);
        gnp_cuda_drop(code, "cuMemFree_v2(ptr)", __func__);
    }
}

/* Device memory for a segment: *ptr, and *owner when a Python allocator gave it. Returns 1 when
 * there is none (no exception), -1 with an exception. */
static int
get_memory(GnpPool *pool, size_t bytes, CUdeviceptr *ptr, PyObject **owner)
{
    CUresult code = 0;
    *owner = NULL;
    if (pool->allocator != NULL) {
        PyObject *pointer = NULL;
        *owner = PyObject_CallFunction(pool->allocator, "n", (Py_ssize_t)bytes);
        if (*owner == NULL && PyErr_ExceptionMatches(PyExc_MemoryError)) {
            PyErr_Clear();
            return 1;
        }
        if (*owner != NULL) {
            pointer = PyObject_GetAttrString(*owner, "ptr");
        }
        *ptr = pointer != NULL ? PyLong_AsUnsignedLongLong(pointer) : 0;
        Py_XDECREF(pointer);
        if (PyErr_Occurred()) {
            Py_CLEAR(*owner);
            return -1;
        }
        return 0;
    }
    if (gnp_memory_hook("alloc_preprocess", pool->device->id, bytes, bytes, 0, NULL) < 0) {
        return -1;
    }
    const CUstreamCaptureMode mode = gnp_capture_relax();
    GNP_NOGIL(code = gnp_cu->cuMemAlloc_v2(ptr, bytes));
    gnp_capture_restore(mode);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
        return 1;
    }
    if (code != 0) {
        return gnp_cuda_raise(code, "cuMemAlloc_v2(ptr, bytes)", __func__);
    }
    gnp_log(1, "pool: %zu bytes from the driver", bytes);
    if (gnp_memory_hook("alloc_postprocess", pool->device->id, bytes, bytes, *ptr, NULL) < 0) {
        CU_DROP(cuMemFree_v2(*ptr));
        return -1;
    }
    return 0;
}

/* A new segment of `bytes` in the arena, one free chunk. 0, 1 when there is no memory, -1. */
static int
grow(Arena *arena, size_t bytes, int is_small)
{
    GnpPool *pool = arena->pool;
    if (pool->limit_bytes != 0 &&
        (bytes > pool->limit_bytes || pool->total_bytes > pool->limit_bytes - bytes)) {
        return 1;
    }
    Segment *segment = calloc(1, sizeof *segment);
    Chunk *chunk = new_chunk();
    int status = segment != NULL && chunk != NULL ? 0 : -1;
    if (status < 0) {
        PyErr_NoMemory();
    }
    else {
        pool->total_bytes += bytes; /* before the GIL is dropped, so that the limit holds */
        status = get_memory(pool, bytes, &segment->ptr, &segment->owner);
        pool->total_bytes -= status == 0 ? 0 : bytes;
    }
    if (status != 0) {
        free(segment);
        if (chunk != NULL) {
            recycle(chunk);
        }
        return status;
    }
    segment->bytes = bytes;
    segment->is_small = is_small;
    segment->first = chunk;
    link_segment(arena, segment);
    chunk->block.ptr = segment->ptr;
    chunk->capacity = bytes;
    chunk->segment = segment;
    chunk->before = chunk->after = NULL;
    bin_insert(bins_of(segment), chunk);
    return 0;
}

/* ---- arenas ------------------------------------------------------------------------------------
 */

uint64_t
gnp_thread_serial(void)
{
    static uint64_t last;
    if (gnp_thread.serial == 0) {
        gnp_thread.serial = ++last;
    }
    return gnp_thread.serial;
}

static Arena *
find_arena(GnpPool *pool, CUstream stream, uint64_t thread)
{
    for (Arena *arena = pool->arenas; arena != NULL; arena = arena->next) {
        if (arena->stream == stream && arena->thread == thread && arena->state == ARENA_OPEN) {
            return arena;
        }
    }
    return NULL;
}

/* The arena of a stream of the calling thread, made when missing; NULL with MemoryError. */
static Arena *
get_arena(GnpPool *pool, CUstream stream)
{
    uint64_t thread = 0;
    const CUstream wanted = stream;
    if (stream == CU_STREAM_LEGACY) {
        stream = NULL;
    }
    if (stream == CU_STREAM_PER_THREAD) {
        stream = PER_THREAD_STREAM;
        thread = gnp_thread_serial();
    }
    Arena *arena = pool->last;
    if (GNP_LIKELY(arena != NULL && arena->stream == stream && arena->thread == thread)) {
        return arena;
    }
    arena = find_arena(pool, stream, thread);
    if (arena == NULL) {
        arena = calloc(1, sizeof *arena);
        if (arena == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        arena->pool = pool;
        arena->stream = stream;
        arena->thread = thread;
        arena->capture = gnp_captures != NULL ? gnp_capture_find(wanted) : NULL;
        arena->next = pool->arenas;
        pool->arenas = arena;
    }
    pool->last = arena;
    return arena;
}

/* Moves an unused segment of at least `bytes` from a destroyed stream's arena, once the last work
 * of that stream is done. 1 when one was found. */
static int
adopt(Arena *arena, size_t bytes, int is_small)
{
    for (Arena *old = arena->pool->arenas; old != NULL; old = old->next) {
        if (old->state != ARENA_RETIRED || old->segments == NULL) {
            continue;
        }
        if (old->retired != NULL) {
            const CUstreamCaptureMode mode = gnp_capture_relax();
            CUresult code = gnp_cu->cuEventQuery(old->retired);
            gnp_capture_restore(mode);
            if (code == CUDA_ERROR_NOT_READY) {
                continue;
            }
            CU_DROP(cuEventDestroy_v2(old->retired));
            old->retired = NULL;
        }
        for (Segment *s = old->segments; s != NULL; s = s->next) {
            if (s->is_small == is_small && s->bytes >= bytes && is_unused(s)) {
                bin_remove(bins_of(s), s->first);
                unlink_segment(s);
                link_segment(arena, s);
                bin_insert(bins_of(s), s->first);
                return 1;
            }
        }
    }
    return 0;
}

/* Arenas of destroyed streams that hold nothing any more. */
static void
delete_empty_arenas(GnpPool *pool)
{
    Arena **link = &pool->arenas;
    while (*link != NULL) {
        Arena *arena = *link;
        if (arena->state == ARENA_RETIRED && arena->segments == NULL) {
            *link = arena->next;
            if (arena->retired != NULL && !gnp_is_closing()) {
                CU_DROP(cuEventDestroy_v2(arena->retired));
            }
            free(arena);
        }
        else {
            link = &arena->next;
        }
    }
}

/* ---- uses by other streams ---------------------------------------------------------------------
 */

/* A mark of all work of the stream so far. NULL means that there is nothing to wait for: when no
 * event can be had, the work is waited for here. */
static CUevent
record_event(CUstream stream)
{
    CUevent event = NULL;
    CUresult code = gnp_cu->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (code == 0) {
        code = gnp_cu->cuEventRecord(event, stream);
        if (code == 0) {
            return event;
        }
        CU_DROP(cuEventDestroy_v2(event));
    }
    gnp_cuda_drop(code, "cuEventRecord(event, stream)", __func__);
    CU_DROP(cuCtxSynchronize());
    return NULL;
}

static void
delete_use(GnpPool *pool, BlockUse *use)
{
    *(use->all_previous != NULL ? &use->all_previous->all_next : &pool->uses) = use->all_next;
    if (use->all_next != NULL) {
        use->all_next->all_previous = use->all_previous;
    }
    if (use->event != NULL && !gnp_is_closing()) {
        CU_DROP(cuEventDestroy_v2(use->event));
    }
    free(use);
}

/* Where a use by the calling thread's `stream` is waited for. Another thread cannot record on a
 * per-thread stream, but the legacy stream waits for it. */
static CUstream
recordable(CUstream stream)
{
    return stream == CU_STREAM_PER_THREAD || stream == CU_STREAM_LEGACY ? NULL : stream;
}

void
gnp_block_record_slow(GnpBlock *block, CUstream stream)
{
    GnpPool *pool = block->pool;
    const Arena *arena = pool != NULL ? ((Chunk *)block)->segment->arena : NULL;
    if (arena != NULL &&
        (stream == CU_STREAM_LEGACY
             ? block->stream == NULL
             : stream == CU_STREAM_PER_THREAD && arena->stream == PER_THREAD_STREAM &&
                   arena->thread == gnp_thread_serial() && arena->state == ARENA_OPEN)) {
        return;
    }
    GnpCapture *capture = gnp_captures != NULL ? gnp_capture_find(stream) : NULL;
    if (capture != NULL) {
        gnp_capture_hold(capture, block);
        return;
    }
    if (pool == NULL) {
        return;
    }
    stream = recordable(stream);
    for (BlockUse *use = block->uses; use != NULL; use = use->next) {
        if (use->event == NULL && use->stream == stream) {
            return;
        }
    }
    BlockUse *use = calloc(1, sizeof *use);
    if (use == NULL) {
        /* Without a note the block could be reused too early: wait here instead. */
        CU_DROP(cuStreamSynchronize(stream));
        return;
    }
    use->stream = stream;
    use->next = block->uses;
    block->uses = use;
    use->all_next = pool->uses;
    if (pool->uses != NULL) {
        pool->uses->all_previous = use;
    }
    pool->uses = use;
}

/* Drops the uses that are over; 1 when none is left. */
static int
uses_are_over(GnpPool *pool, GnpBlock *block)
{
    BlockUse **link = &block->uses;
    while (*link != NULL) {
        BlockUse *use = *link;
        if (use->event == NULL && !gnp_is_closing()) { /* freed during a capture */
            use->event = record_event(use->stream);
            use->stream = GONE_STREAM;
        }
        if (use->event != NULL && gnp_cu->cuEventQuery(use->event) == CUDA_ERROR_NOT_READY) {
            link = &use->next;
            continue;
        }
        *link = use->next;
        delete_use(pool, use);
    }
    return block->uses == NULL;
}

static void
forget_live_block(GnpPool *pool)
{
    pool->nlive--;
    if (pool->nlive == 0 && pool->is_dropped) {
        gnp_pool_drop(pool);
    }
}

/* Frees what other streams are done with. Not during a capture, which events would break. */
static void
collect_pending(GnpPool *pool)
{
    if (gnp_captures != NULL) {
        return;
    }
    Chunk **link = &pool->pending;
    while (*link != NULL) {
        Chunk *chunk = *link;
        if (!uses_are_over(pool, &chunk->block)) {
            link = &chunk->next;
            continue;
        }
        *link = chunk->next;
        give_back(chunk);
        pool->nlive--;
    }
}

/* What the blocks of the arena say whose they are. */
static void
set_stream(const Arena *arena, CUstream stream)
{
    for (Segment *s = arena->segments; s != NULL; s = s->next) {
        for (Chunk *chunk = s->first; chunk != NULL; chunk = chunk->after) {
            chunk->block.stream = stream;
        }
    }
}

void
gnp_pool_forget_stream(GnpDevice *device, CUstream stream)
{
    for (GnpPool *pool = all_pools; pool != NULL; pool = pool->next) {
        if (pool->device != device) {
            continue;
        }
        for (BlockUse *use = pool->uses; use != NULL; use = use->all_next) {
            if (use->event == NULL && use->stream == stream) {
                use->event = record_event(stream);
                use->stream = GONE_STREAM;
            }
        }
        Arena *arena = find_arena(pool, stream, 0);
        if (arena == NULL) {
            continue;
        }
        arena->retired = record_event(stream);
        arena->state = ARENA_RETIRED;
        pool->last = NULL;
        set_stream(arena, GONE_STREAM);
        arena->stream = GONE_STREAM;
        delete_empty_arenas(pool);
    }
}

/* ---- captures ----------------------------------------------------------------------------------
 *
 * What a capture allocates must stay where it is for the life of the graph, and what it frees may
 * be reused by the capture alone, since every replay uses it again. So it has arenas of its own. */

static int
is_for(const Arena *arena, CUstream stream)
{
    if (stream == CU_STREAM_PER_THREAD) {
        return arena->stream == PER_THREAD_STREAM && arena->thread == gnp_thread_serial();
    }
    return arena->stream == stream;
}

void
gnp_pool_capture_begin(const GnpDevice *device, CUstream stream)
{
    for (GnpPool *pool = all_pools; pool != NULL; pool = pool->next) {
        for (Arena *arena = pool->arenas; arena != NULL && pool->device == device;
             arena = arena->next) {
            if (arena->state == ARENA_OPEN && is_for(arena, stream)) {
                arena->state = ARENA_HIDDEN;
                set_stream(arena, HIDDEN_STREAM); /* so that each use is noticed */
                pool->last = NULL;
            }
        }
    }
}

void
gnp_pool_capture_end(const GnpDevice *device, CUstream stream, const GnpCapture *capture)
{
    for (GnpPool *pool = all_pools; pool != NULL; pool = pool->next) {
        for (Arena *arena = pool->arenas; arena != NULL && pool->device == device;
             arena = arena->next) {
            if (!is_for(arena, stream)) {
                continue;
            }
            if (arena->state == ARENA_HIDDEN) {
                arena->state = ARENA_OPEN;
                set_stream(arena, arena->stream);
            }
            else if (arena->state == ARENA_OPEN && arena->capture == capture) {
                arena->state = ARENA_KEPT;
                set_stream(arena, GONE_STREAM);
                arena->stream = GONE_STREAM;
            }
            pool->last = NULL;
        }
    }
}

static int
is_kept(const GnpPool *pool)
{
    const Arena *arena = pool->arenas;
    while (arena != NULL && arena->capture == NULL) {
        arena = arena->next;
    }
    return arena != NULL;
}

void
gnp_pool_capture_drop(const GnpCapture *capture, int has_run, CUstream stream)
{
    for (GnpPool *pool = all_pools, *next; pool != NULL; pool = next) {
        next = pool->next;
        for (Arena *arena = pool->arenas; arena != NULL; arena = arena->next) {
            if (arena->state == ARENA_KEPT && arena->capture == capture) {
                arena->retired = has_run ? record_event(recordable(stream)) : NULL;
                arena->state = ARENA_RETIRED;
                arena->capture = NULL;
            }
        }
        delete_empty_arenas(pool);
        if (pool->is_dropped) {
            gnp_pool_drop(pool);
        }
    }
}

void
gnp_pool_captures_over(void)
{
    for (GnpPool *pool = all_pools, *next; pool != NULL; pool = next) {
        next = pool->next;
        if (pool->pending != NULL) {
            CUcontext before = NULL;
            CU_DROP(cuCtxGetCurrent(&before));
            CU_DROP(cuCtxSetCurrent(pool->device->context));
            collect_pending(pool);
            CU_DROP(cuCtxSetCurrent(before));
        }
        if (pool->is_dropped) {
            gnp_pool_drop(pool);
        }
    }
}

/* ---- allocation --------------------------------------------------------------------------------
 */

size_t
gnp_pool_rounded(size_t bytes)
{
    return (bytes + GRAIN - 1) / GRAIN * GRAIN;
}

static size_t
segment_size(const GnpPool *pool, size_t capacity)
{
    if (pool->is_off) {
        return capacity;
    }
    if (capacity <= SMALL_LIMIT) {
        return SMALL_SEGMENT;
    }
    if (capacity <= MEDIUM_LIMIT) {
        return MEDIUM_SEGMENT;
    }
    return (capacity + LARGE_GRAIN - 1) / LARGE_GRAIN * LARGE_GRAIN;
}

static int
raise_exhausted(GnpPool *pool, size_t bytes, size_t capacity)
{
    size_t available = 0, total = 0;
    CU_DROP(cuMemGetInfo_v2(&available, &total));
    GnpText text = {0};
    gnp_text_add(&text,
                 "out of memory allocating %zu bytes (%zu when rounded): the pool of device %d "
                 "holds %zu bytes, %zu of them in use",
                 bytes, capacity, pool->device->id, pool->total_bytes, pool->used_bytes);
    if (pool->limit_bytes != 0) {
        gnp_text_add(&text, ", and its limit is %zu", pool->limit_bytes);
    }
    gnp_text_add(&text, "; the device has %zu of %zu bytes free", available, total);
    if (gnp_text_finish(&text) == 0) {
        PyErr_SetString(gnp_state.OutOfMemoryError, text.text);
    }
    gnp_text_clear(&text);
    return -1;
}

static int
run_garbage_collector(void)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *result = gc != NULL ? PyObject_CallMethod(gc, "collect", NULL) : NULL;
    Py_XDECREF(gc);
    Py_XDECREF(result);
    return result != NULL ? 0 : -1;
}

/* No free chunk fits. Finds or makes one: 0, or -1 with an exception. */
static int
refill(Arena *arena, size_t bytes, size_t capacity)
{
    GnpPool *pool = arena->pool;
    int is_small = capacity <= SMALL_LIMIT && !pool->is_off;
    size_t size = segment_size(pool, capacity);
    if (adopt(arena, capacity, is_small)) {
        return 0;
    }
    int status = grow(arena, size, is_small);
    for (int step = 0; status == 1 && step < 3; step++) {
        /* Out of memory or at the limit: a segment of just this size; without what is cached;
         * without what only the garbage collector can free. */
        if (step == 2 && run_garbage_collector() < 0) {
            return -1;
        }
        if (step > 0) {
            gnp_pool_trim(pool, 0, NULL);
        }
        status = grow(arena, capacity, is_small);
    }
    return status == 1 ? raise_exhausted(pool, bytes, capacity) : status;
}

GnpBlock *
gnp_pool_alloc(GnpPool *pool, size_t bytes, CUstream stream)
{
    if (GNP_UNLIKELY(bytes > SIZE_MAX / 4)) {
        PyErr_Format(gnp_state.OutOfMemoryError, "out of memory allocating %zu bytes", bytes);
        return NULL;
    }
    size_t capacity = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    Arena *arena = get_arena(pool, stream);
    if (GNP_UNLIKELY(arena == NULL)) {
        return NULL;
    }
    if (GNP_UNLIKELY(pool->pending != NULL)) {
        collect_pending(pool);
    }
    Bins *bins = capacity <= SMALL_LIMIT && !pool->is_off ? &arena->small : &arena->large;
    Chunk *chunk = bin_find(bins, capacity);
    while (GNP_UNLIKELY(chunk == NULL)) {
        /* Another thread may take the new chunk while the GIL is dropped; then once more. */
        if (refill(arena, bytes, capacity) < 0) {
            return NULL;
        }
        chunk = bin_find(bins, capacity);
    }
    bin_remove(bins, chunk);
    split(chunk, capacity);
    pool->nlive++;
    pool->used_bytes += chunk->capacity;
    if (pool->used_bytes > pool->peak_bytes) {
        pool->peak_bytes = pool->used_bytes;
    }
    GnpBlock *block = &chunk->block;
    block->bytes = bytes;
    block->refcount = 1;
    block->device_id = pool->device->id;
    block->stream = arena->stream;
    block->owner = NULL;
    block->pool = pool;
    block->uses = NULL;
    return block;
}

/* Events on the streams that used the block, during a capture when that ends; then the block waits
 * in the list of pending ones. */
static void
free_later(GnpPool *pool, Chunk *chunk)
{
    for (BlockUse *use = chunk->block.uses; use != NULL; use = use->next) {
        if (use->event == NULL && gnp_captures == NULL) {
            use->event = record_event(use->stream);
            use->stream = GONE_STREAM;
        }
    }
    chunk->next = pool->pending;
    pool->pending = chunk;
    collect_pending(pool);
}

void
gnp_pool_free(GnpBlock *block)
{
    Chunk *chunk = (Chunk *)block;
    GnpPool *pool = block->pool;
    pool->used_bytes -= chunk->capacity;
    if (GNP_UNLIKELY(block->uses != NULL) && !gnp_is_closing()) {
        /* The count of live blocks falls when the uses are over. */
        CUcontext before = NULL;
        CU_DROP(cuCtxGetCurrent(&before));
        CU_DROP(cuCtxSetCurrent(pool->device->context));
        free_later(pool, chunk);
        CU_DROP(cuCtxSetCurrent(before));
        if (pool->is_dropped) {
            gnp_pool_drop(pool);
        }
        return;
    }
    if (GNP_UNLIKELY(pool->is_poisoned) && chunk->block.stream != GONE_STREAM &&
        chunk->block.stream != PER_THREAD_STREAM && !gnp_is_closing()) {
        CU_DROP(cuMemsetD8Async(block->ptr, 0xff, chunk->capacity, block->stream));
    }
    give_back(chunk);
    if (GNP_UNLIKELY(pool->is_off)) {
        gnp_pool_trim(pool, 0, NULL);
    }
    forget_live_block(pool);
}

/* ---- the pool as a whole ------------------------------------------------------------------------
 */

GnpPool *
gnp_pool_new(GnpDevice *device)
{
    GnpPool *pool = calloc(1, sizeof *pool);
    if (pool != NULL) {
        const char *mode = gnp_env(GNP_ENV_POOL);
        pool->device = device;
        pool->is_off = strcmp(mode, "off") == 0;
        pool->is_poisoned = strcmp(mode, "poison") == 0;
        pool->next = all_pools;
        all_pools = pool;
    }
    return pool;
}

void
gnp_pool_set_allocator(GnpPool *pool, PyObject *allocator)
{
    Py_XSETREF(pool->allocator, Py_XNewRef(allocator));
}

/* Freeing segments waits for the device in any case, so what other streams still use comes too. */
static void
wait_for_pending(GnpPool *pool)
{
    CUcontext before = NULL;
    CUresult code = 0;
    CU_DROP(cuCtxGetCurrent(&before));
    CU_DROP(cuCtxSetCurrent(pool->device->context));
    GNP_NOGIL(code = gnp_cu->cuCtxSynchronize());
    gnp_cuda_drop(code, "cuCtxSynchronize()", __func__);
    collect_pending(pool);
    CU_DROP(cuCtxSetCurrent(before));
}

static Segment *
find_unused(const GnpPool *pool, int only, const Arena *wanted)
{
    for (const Arena *arena = pool->arenas; arena != NULL; arena = arena->next) {
        for (Segment *s = arena->segments; s != NULL && (!only || arena == wanted); s = s->next) {
            if (is_unused(s) && arena->capture == NULL) {
                return s;
            }
        }
    }
    return NULL;
}

void
gnp_pool_trim(GnpPool *pool, int only, CUstream stream)
{
    CUcontext before = NULL;
    int on_device = gnp_cu != NULL && !gnp_is_closing();
    if (on_device) {
        CU_DROP(cuCtxGetCurrent(&before));
        CU_DROP(cuCtxSetCurrent(pool->device->context));
        if (pool->pending != NULL && gnp_captures == NULL) {
            wait_for_pending(pool);
        }
    }
    Arena *wanted = only ? get_arena(pool, stream) : NULL;
    if (only && wanted == NULL) {
        PyErr_Clear();
    }
    /* Freeing drops the GIL, and other threads may change the lists meanwhile: the search starts
     * over after each segment. There are few. */
    for (Segment *s; (s = find_unused(pool, only, wanted)) != NULL;) {
        delete_segment(pool, s);
    }
    delete_empty_arenas(pool);
    if (on_device) {
        CU_DROP(cuCtxSetCurrent(before));
    }
}

void
gnp_pool_drop(GnpPool *pool)
{
    pool->is_dropped = 1;
    if (pool->pending != NULL && gnp_captures == NULL && !gnp_is_closing()) {
        wait_for_pending(pool);
    }
    if (pool->nlive != 0 || is_kept(pool) || gnp_is_closing()) {
        return;
    }
    pool->nlive = 1; /* a block freed while trimming must not come here again */
    gnp_pool_trim(pool, 0, NULL);
    GnpPool **link = &all_pools;
    while (*link != pool) {
        link = &(*link)->next;
    }
    *link = pool->next;
    for (Arena *arena = pool->arenas, *next; arena != NULL; arena = next) {
        next = arena->next;
        free(arena);
    }
    Py_CLEAR(pool->allocator);
    free(pool);
}

void
gnp_pool_set_limit(GnpPool *pool, size_t bytes)
{
    pool->limit_bytes = bytes;
}

void
gnp_pool_stats(const GnpPool *pool, GnpPoolStats *out)
{
    memset(out, 0, sizeof *out);
    out->used_bytes = pool->used_bytes;
    out->total_bytes = pool->total_bytes;
    out->limit_bytes = pool->limit_bytes;
    out->peak_bytes = pool->peak_bytes;
    for (const Arena *arena = pool->arenas; arena != NULL; arena = arena->next) {
        for (const Segment *s = arena->segments; s != NULL; s = s->next) {
            for (const Chunk *chunk = s->first; chunk != NULL; chunk = chunk->after) {
                out->free_blocks += (size_t)chunk->is_free;
            }
        }
    }
}

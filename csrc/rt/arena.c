/* Arenas of device memory: segments that the driver gave, cut into chunks.
 *
 * Free chunks are kept in the bins of a two-level segregated fit (Masmano et al., "TLSF", ECRTS
 * 2004), so allocation and freeing take constant time; free neighbours merge immediately.
 *
 * An address never moves between segments: a chunk is split and merged within the one the driver
 * gave, and a segment goes back to the driver only when it is one free chunk again (pool.c decides
 * when). Callers hold the GIL, which is the only lock of these lists.
 */
#include "rt/arena.h"

#include <stdlib.h>

/* Shared by all devices and pools: a struct has no device memory of its own. Guarded by the GIL. */
static GnpChunk *spare; /* unused chunk structs of all pools, linked by next */

/* ---- bins ------------------------------------------------------------------------------------ */

static inline int
top_bit(uint64_t x)
{
    return 63 - __builtin_clzll(x);
}

/* Row and column of a capacity: exact below 16 grains, then 16 columns for each power of two. Row 0
 * holds the sizes below 16 grains (8 KiB), one per column. In a later row the column is the four
 * bits behind the leading one, so sizes in one bin differ by 1/16 at most. */
static inline void
locate(size_t capacity, int *row, int *column)
{
    uint64_t grains = capacity / GNP_GRAIN;
    if (grains < GNP_BIN_COLUMNS) {
        *row = 0;
        *column = (int)grains;
        return;
    }
    int top = top_bit(grains);
    *row = top - 3;
    *column = (int)((grains >> (top - 4)) & (GNP_BIN_COLUMNS - 1));
}

/* Freed chunks go to the front of their bin: memory used last is taken first, while its lines may
 * still be in the device's L2 cache. The two bit maps say which bins are not empty. */
static inline void
bin_insert(GnpBins *bins, GnpChunk *chunk)
{
    int row, column;
    locate(chunk->capacity, &row, &column);
    GnpChunk *head = bins->heads[row][column];
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

/* The links of a chunk that is not free are stale: nobody reads them but pool_streams.c, which uses
 * `next` for its list of pending chunks. */
static inline void
bin_remove(GnpBins *bins, GnpChunk *chunk)
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
static inline GnpChunk *
bin_find(const GnpBins *bins, size_t capacity)
{
    int row, column;
    locate(capacity, &row, &column);
    /* The bin of the requested size may hold smaller chunks too, since a bin covers a range. Its
     * first entries are tried before the next bin: a block of the same size that was freed recently
     * is at the front. */
    GnpChunk *chunk = bins->heads[row][column];
    for (int tries = 0; chunk != NULL && tries < 4; tries++, chunk = chunk->next) {
        if (chunk->capacity >= capacity) {
            return chunk;
        }
    }
    /* Two bit scans replace a search: the first nonempty bin behind this one in the row, else the
     * first nonempty row. Every chunk there is large enough, so the head is taken unseen. */
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

/* Small and large requests never share a segment, so a chunk's bins follow from its segment. */
static inline GnpBins *
bins_of(const GnpSegment *segment)
{
    return segment->is_small ? &segment->arena->small : &segment->arena->large;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Chunk structs are allocated 64 at a time and never freed: there are a few per live array. */
static GnpChunk *
new_chunk(void)
{
    if (GNP_UNLIKELY(spare == NULL)) {
        GnpChunk *slab = calloc(64, sizeof *slab);
        if (slab == NULL) {
            return NULL;
        }
        for (int i = 0; i < 64; i++) {
            slab[i].next = spare;
            spare = &slab[i];
        }
    }
    GnpChunk *chunk = spare;
    spare = chunk->next;
    return chunk;
}

/* The struct may be handed out again at once: callers must have read what they need from it. */
static inline void
recycle(GnpChunk *chunk)
{
    chunk->next = spare;
    spare = chunk;
}

/* Cuts `capacity` bytes off the front of a chunk that is in no bin; the rest becomes free. Out of
 * host memory the chunk stays whole. */
static inline void
split(GnpChunk *chunk, size_t capacity)
{
    if (chunk->capacity == capacity) {
        return;
    }
    GnpChunk *rest = new_chunk();
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

/* Merges `second` into `first`, its left neighbour; neither is in a bin. */
static inline void
join(GnpChunk *first, GnpChunk *second)
{
    first->capacity += second->capacity;
    first->after = second->after;
    if (first->after != NULL) {
        first->after->before = first;
    }
    recycle(second);
}

GnpChunk *
gnp_chunk_take(GnpBins *bins, size_t capacity)
{
    GnpChunk *chunk = bin_find(bins, capacity);
    if (GNP_LIKELY(chunk != NULL)) {
        bin_remove(bins, chunk);
        split(chunk, capacity);
    }
    return chunk;
}

/* Only with an emulated device's extents, and for requests that fill whole grains: their last byte
 * would be next to another block's first, and a write beyond the end would look valid. */
GnpChunk *
gnp_chunk_take_apart(GnpBins *bins, size_t capacity)
{
    GnpChunk *chunk = bin_find(bins, capacity);
    if (chunk != NULL && chunk->capacity == capacity && chunk->after != NULL) {
        chunk = bin_find(bins, capacity + GNP_GRAIN);
    }
    if (chunk != NULL) {
        bin_remove(bins, chunk);
        split(chunk, capacity + (chunk->capacity > capacity ? GNP_GRAIN : 0));
    }
    return chunk;
}

void
gnp_chunk_give_back(GnpChunk *chunk)
{
    GnpBins *bins = bins_of(chunk->segment);
    /* Tell the emulated device first: from here on an access to these bytes is use after free. */
    const GnpPool *pool = chunk->segment->arena->pool;
    if (GNP_UNLIKELY(pool->extent != NULL)) {
        pool->extent(chunk->block.ptr, 0);
    }
    GnpChunk *after = chunk->after, *before = chunk->before;
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

/* ---- segments -------------------------------------------------------------------------------- */

/* The newest is first; nothing depends on the order. */
static void
link_segment(GnpArena *arena, GnpSegment *segment)
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
unlink_segment(GnpSegment *segment)
{
    *(segment->previous != NULL ? &segment->previous->next : &segment->arena->segments) =
        segment->next;
    if (segment->next != NULL) {
        segment->next->previous = segment->previous;
    }
}

int
gnp_segment_is_unused(const GnpSegment *segment)
{
    return segment->first->is_free && segment->first->capacity == segment->bytes;
}

/* All bookkeeping is done before the memory is freed, since both ways of freeing may run other
 * threads: the first by a destructor in Python, the second by releasing the GIL. */
void
gnp_segment_delete(GnpPool *pool, GnpSegment *segment)
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
        /* This thread may be capturing in a strict mode, in which the driver rejects frees. */
        const CUstreamCaptureMode mode = gnp_capture_relax();
        CU_WAIT(code, cuMemFree_v2(ptr)); /* it waits for the device */
        gnp_capture_restore(mode);
        gnp_cuda_drop(code, "cuMemFree_v2(ptr)", __func__);
    }
}

/* Device memory for a segment: *ptr, and *owner when a Python allocator gave it. Returns 1 when
 * there is none (no exception), -1 with an exception. The GIL is released in both branches: a
 * Python allocator runs any code, and cuMemAlloc may wait for the device. gnp_arena_grow() changes
 * nothing of the pool's lists before this returns. */
static int
get_memory(GnpPool *pool, size_t bytes, CUdeviceptr *ptr, PyObject **owner)
{
    CUresult code = 0;
    *owner = NULL;
    if (pool->allocator != NULL) {
        PyObject *pointer = NULL;
        *owner = PyObject_CallFunction(pool->allocator, "n", (Py_ssize_t)bytes);
        /* A Python allocator reports exhaustion by MemoryError (OutOfMemoryError is one): then the
         * pool frees its cache and tries again, as for the driver. Other exceptions go to the
         * caller. */
        if (*owner == NULL && PyErr_ExceptionMatches(PyExc_MemoryError)) {
            PyErr_Clear();
            return 1;
        }
        if (*owner != NULL) {
            pointer = PyObject_GetAttrString(*owner, "ptr");
        }
        uint64_t address = 0;
        int failed = pointer == NULL || gnp_uint64_from_object(pointer, "ptr", &address) < 0;
        *ptr = address;
        Py_XDECREF(pointer);
        if (failed) {
            Py_CLEAR(*owner);
            return -1;
        }
        return 0;
    }
    if (gnp_context_wait_ready() < 0 ||
        gnp_memory_hook("alloc_preprocess", pool->device->id, bytes, bytes, 0, NULL) < 0) {
        return -1;
    }
    const CUstreamCaptureMode mode = gnp_capture_relax();
    CU_WAIT(code, cuMemAlloc_v2(ptr, bytes));
    gnp_capture_restore(mode);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
        return 1;
    }
    if (code != 0) {
        return gnp_cuda_raise(code, "cuMemAlloc_v2(ptr, bytes)", __func__);
    }
    gnp_log(1, "pool: %zu bytes from the driver", bytes);
    if (gnp_memory_hook("alloc_postprocess", pool->device->id, bytes, bytes, *ptr, NULL) < 0) {
        CU_DROP_WAIT(cuMemFree_v2(*ptr));
        return -1;
    }
    return 0;
}

/* The comparison is written so that no sum overflows: total + bytes > limit. */
int
gnp_arena_grow(GnpArena *arena, size_t bytes, int is_small)
{
    GnpPool *pool = arena->pool;
    if (pool->limit_bytes != 0 &&
        (bytes > pool->limit_bytes || pool->total_bytes > pool->limit_bytes - bytes)) {
        return 1;
    }
    GnpSegment *segment = calloc(1, sizeof *segment);
    GnpChunk *chunk = new_chunk();
    int status = segment != NULL && chunk != NULL ? 0 : -1;
    if (status < 0) {
        PyErr_NoMemory();
    }
    else {
        pool->total_bytes += bytes; /* counted before the GIL is released, so that two threads
                                       together keep to the limit */
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

/* ---- arenas ---------------------------------------------------------------------------------- */

/* Thread ids of the system are reused; memory that belonged to a thread that has ended must not be
 * taken for that of a new one. Counted under the GIL. */
uint64_t
gnp_thread_serial(void)
{
    static uint64_t last;
    if (gnp_thread.serial == 0) {
        gnp_thread.serial = ++last;
    }
    return gnp_thread.serial;
}

GnpArena *
gnp_arena_find(GnpPool *pool, CUstream stream, uint64_t thread)
{
    for (GnpArena *arena = pool->arenas; arena != NULL; arena = arena->next) {
        if (arena->stream == stream && arena->thread == thread && arena->state == GNP_ARENA_OPEN) {
            return arena;
        }
    }
    return NULL;
}

/* The legacy stream has two handles, 0 and 1, which are one here. The per-thread handle 2 stands
 * for a different stream in each thread, so the thread is part of the arena's identity. */
GnpArena *
gnp_arena_get(GnpPool *pool, CUstream stream)
{
    uint64_t thread = 0;
    const CUstream wanted = stream;
    if (stream == CU_STREAM_LEGACY) {
        stream = NULL;
    }
    if (stream == CU_STREAM_PER_THREAD) {
        stream = GNP_STREAM_OF_THREAD;
        thread = gnp_thread_serial();
    }
    /* The common case is one stream: one comparison instead of a walk. Whoever changes an arena's
     * stream or state clears `last`. */
    GnpArena *arena = pool->last;
    if (GNP_LIKELY(arena != NULL && arena->stream == stream && arena->thread == thread)) {
        return arena;
    }
    arena = gnp_arena_find(pool, stream, thread);
    if (arena == NULL) {
        arena = calloc(1, sizeof *arena);
        if (arena == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        arena->pool = pool;
        arena->stream = stream;
        arena->thread = thread;
        /* While the stream is captured its usual arena is hidden, so the search above has not found
         * one: this new one belongs to the capture. */
        arena->capture = gnp_captures != NULL ? gnp_capture_find(wanted) : NULL;
        arena->next = pool->arenas;
        pool->arenas = arena;
    }
    pool->last = arena;
    return arena;
}

/* Only whole segments move: chunks of two streams in one segment would merge although the work of
 * one of them is not over. */
int
gnp_arena_adopt(GnpArena *arena, size_t bytes, int is_small)
{
    for (GnpArena *old = arena->pool->arenas; old != NULL; old = old->next) {
        if (old->state != GNP_ARENA_RETIRED || old->segments == NULL) {
            continue;
        }
        /* Events of a stream that was destroyed can still be queried. Once the mark is reached it
         * is dropped, and later calls skip the query. */
        if (old->retired != NULL) {
            const CUstreamCaptureMode mode = gnp_capture_relax();
            const int is_over = gnp_mark_is_over(old->retired);
            gnp_capture_restore(mode);
            if (!is_over) {
                continue;
            }
            gnp_mark_release(old->retired);
            old->retired = NULL;
        }
        /* The first that fits, not the best: destroyed streams are rare, and each leaves few
         * segments. */
        for (GnpSegment *s = old->segments; s != NULL; s = s->next) {
            if (s->is_small == is_small && s->bytes >= bytes && gnp_segment_is_unused(s)) {
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

/* Only retired ones: an open arena is found again by its stream, and costs 10 KiB of host
 * memory. */
void
gnp_arenas_delete_empty(GnpPool *pool)
{
    GnpArena **link = &pool->arenas;
    while (*link != NULL) {
        GnpArena *arena = *link;
        if (arena->state == GNP_ARENA_RETIRED && arena->segments == NULL && arena->users == 0) {
            *link = arena->next;
            gnp_mark_release(arena->retired);
            free(arena);
        }
        else {
            link = &arena->next;
        }
    }
}

int
gnp_block_is_plain(const GnpBlock *block)
{
    /* A block of a pool is its chunk. A Python allocator may take its memory from anywhere. */
    return block->pool != NULL && ((const GnpChunk *)block)->segment->owner == NULL;
}

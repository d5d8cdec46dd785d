/* Arenas of device memory: segments that the driver gave, cut into chunks.
 *
 * Free chunks are kept in the bins of a two-level segregated fit (Masmano et al., "TLSF", ECRTS
 * 2004), so allocation and freeing take constant time; free neighbours merge immediately. */
#include "rt/arena.h"

#include <stdlib.h>

static GnpChunk *spare; /* unused chunk structs of all pools, linked by next */

/* ---- bins ------------------------------------------------------------------------------------ */

static inline int
top_bit(uint64_t x)
{
    return 63 - __builtin_clzll(x);
}

/* Row and column of a capacity: exact below 16 grains, then 16 columns for each power of two. */
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
        const CUstreamCaptureMode mode = gnp_capture_relax();
        CU_WAIT(code, cuMemFree_v2(ptr)); /* it waits for the device */
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
    if (gnp_memory_hook("alloc_preprocess", pool->device->id, bytes, bytes, 0, NULL) < 0) {
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
        arena->capture = gnp_captures != NULL ? gnp_capture_find(wanted) : NULL;
        arena->next = pool->arenas;
        pool->arenas = arena;
    }
    pool->last = arena;
    return arena;
}

int
gnp_arena_adopt(GnpArena *arena, size_t bytes, int is_small)
{
    for (GnpArena *old = arena->pool->arenas; old != NULL; old = old->next) {
        if (old->state != GNP_ARENA_RETIRED || old->segments == NULL) {
            continue;
        }
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

void
gnp_arenas_delete_empty(GnpPool *pool)
{
    GnpArena **link = &pool->arenas;
    while (*link != NULL) {
        GnpArena *arena = *link;
        if (arena->state == GNP_ARENA_RETIRED && arena->segments == NULL) {
            *link = arena->next;
            gnp_mark_release(arena->retired);
            free(arena);
        }
        else {
            link = &arena->next;
        }
    }
}

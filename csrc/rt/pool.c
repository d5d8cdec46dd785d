/* The device memory pool: blocks are allocated from the arena of their stream and freed to it.
 *
 * Where the arena has no free chunk, the driver is asked for a segment; when that fails, cached
 * memory and then garbage is freed and the allocation retried before OutOfMemoryError is raised.
 *
 * Allocation and release are a few hundred instructions on the path of every operation: no driver
 * call, no lock but the GIL, which the caller holds. The GIL may be released whenever a segment is
 * allocated or freed and when events are recorded, so after such a call all pointers into the lists
 * are read again.
 */
#include "rt/arena.h"

#include <stdlib.h>
#include <string.h>

/* Segments are larger than small requests, so that a driver call, which is slow and may wait for
 * the device, serves many of them; and small blocks have segments of their own, so that one of them
 * that lives long does not split a large segment. */
#define SMALL_LIMIT ((size_t)1 << 20) /* requests up to here share small segments */
#define SMALL_SEGMENT ((size_t)2 << 20)
#define MEDIUM_LIMIT ((size_t)10 << 20)
#define MEDIUM_SEGMENT ((size_t)20 << 20)
/* Large segments are multiples of 2 MiB, which is the size of the device's pages. */
#define LARGE_GRAIN ((size_t)2 << 20)

GnpPool *gnp_pools;

/* ---- allocation ------------------------------------------------------------------------------ */

size_t
gnp_pool_rounded(size_t bytes)
{
    return (bytes + GNP_GRAIN - 1) / GNP_GRAIN * GNP_GRAIN;
}

/* With GPUNP_POOL=off every block has a segment of its own, which goes back to the driver when the
 * block is freed: tools such as compute-sanitizer then see each allocation. */
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

/* The numbers tell apart the usual causes: a limit, fragmentation, and memory used by others. */
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

/* Arrays in reference cycles hold memory that only a collection frees. It may run any code. */
static int
run_garbage_collector(void)
{
    PyObject *gc = PyImport_ImportModule("gc");
    PyObject *result = gc != NULL ? PyObject_CallMethod(gc, "collect", NULL) : NULL;
    Py_XDECREF(gc);
    Py_XDECREF(result);
    return result != NULL ? 0 : -1;
}

/* No free chunk fits. Finds or makes one: 0, or -1 with an exception. Memory of destroyed
 * streams first, since it costs no driver call. Each step after that is more expensive than
 * the one before. */
static int
refill_pinned(GnpArena *arena, size_t bytes, size_t capacity)
{
    GnpPool *pool = arena->pool;
    int is_small = capacity <= SMALL_LIMIT && !pool->is_off;
    size_t size = segment_size(pool, capacity);
    if (gnp_arena_adopt(arena, capacity, is_small)) {
        return 0;
    }
    int status = gnp_arena_grow(arena, size, is_small);
    for (int step = 0; status == 1 && step < 3; step++) {
        /* Out of memory or at the limit: first try a segment of just this size; then free what is
         * cached; then what only the garbage collector can free. */
        if (step == 2 && run_garbage_collector() < 0) {
            return -1;
        }
        if (step > 0) {
            gnp_pool_trim(pool, 0, NULL);
        }
        /* Of exactly the size that is needed, as the usual segment may be what did not fit. */
        status = gnp_arena_grow(arena, capacity, is_small);
    }
    return status == 1 ? raise_exhausted(pool, bytes, capacity) : status;
}

/* Other threads may retire the arena meanwhile; it is not deleted. */
static int
refill(GnpArena *arena, size_t bytes, size_t capacity)
{
    arena->users++;
    int status = refill_pinned(arena, bytes, capacity);
    arena->users--;
    return status;
}

/* The bytes of a block that kernels may access: whole words, since atomics on 8 and 16 bits are
 * done on the 32-bit word around them. */
static inline size_t
reach_of(size_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

/* Apart only where the block fills its last grain; otherwise the unused rest of the grain separates
 * it from the next one. */
static inline GnpChunk *
take(const GnpPool *pool, GnpBins *bins, size_t bytes, size_t capacity)
{
    return GNP_UNLIKELY(pool->extent != NULL) && reach_of(bytes) == capacity
               ? gnp_chunk_take_apart(bins, capacity)
               : gnp_chunk_take(bins, capacity);
}

/* The last block of a pool whose owner is gone deletes the pool: `pool` is invalid afterwards. */
static void
forget_live_block(GnpPool *pool)
{
    pool->nlive--;
    if (pool->nlive == 0 && pool->is_dropped) {
        gnp_pool_drop(pool);
    }
}

/* The work that used the chunk before was submitted to the same stream, or is over: the new owner's
 * work in this stream comes after it, so nothing is waited for. */
GnpBlock *
gnp_pool_alloc(GnpPool *pool, size_t bytes, CUstream stream)
{
    if (GNP_UNLIKELY(bytes > GNP_LARGEST_BLOCK)) {
        PyErr_Format(gnp_state.OutOfMemoryError, "out of memory allocating %zu bytes", bytes);
        return NULL;
    }
    size_t capacity = (bytes + GNP_GRAIN - 1) / GNP_GRAIN * GNP_GRAIN;
    GnpArena *arena;
    GnpChunk *chunk;
    /* From here on the block counts: it keeps the pool alive while the GIL is released. */
    pool->nlive++;
    /* Done here rather than at the release, since time has passed and the other streams are
     * likelier to be done. */
    if (GNP_UNLIKELY(pool->pending != NULL)) {
        gnp_pool_collect(pool);
    }
    for (;;) {
        arena = gnp_arena_get(pool, stream);
        if (GNP_UNLIKELY(arena == NULL)) {
            forget_live_block(pool);
            return NULL;
        }
        GnpBins *bins = capacity <= SMALL_LIMIT && !pool->is_off ? &arena->small : &arena->large;
        chunk = take(pool, bins, bytes, capacity);
        if (GNP_LIKELY(chunk != NULL)) {
            break;
        }
        /* refill() may release the GIL. Another thread may then take the new chunk, or begin or end
         * a capture of the stream, which gives it another arena. */
        if (refill(arena, bytes, capacity) < 0) {
            forget_live_block(pool);
            return NULL;
        }
    }
    pool->used_bytes += capacity;
    if (pool->used_bytes > pool->peak_bytes) {
        pool->peak_bytes = pool->used_bytes;
    }
    GnpBlock *block = &chunk->block;
    block->bytes = bytes;
    block->refcount = 1;
    block->is_exported = 0;
    block->device_id = pool->device->id;
    block->stream = arena->stream;
    block->owner = NULL;
    block->pool = pool;
    block->uses = NULL;
    if (GNP_UNLIKELY(pool->extent != NULL)) {
        pool->extent(block->ptr, reach_of(bytes));
    }
    return block;
}

/* Cannot fail, and raises nothing: it runs in destructors. */
void
gnp_pool_free(GnpBlock *block)
{
    GnpChunk *chunk = (GnpChunk *)block;
    GnpPool *pool = block->pool;
    pool->used_bytes -= gnp_pool_rounded(block->bytes);
    if (GNP_UNLIKELY(block->uses != NULL) && !gnp_is_closing()) {
        /* Other streams used it: it counts as live until their work is done. */
        CUcontext before = NULL;
        CU_DROP(cuCtxGetCurrent(&before));
        CU_DROP(cuCtxSetCurrent(pool->device->context));
        pool->nlive++; /* keeps the pool alive: the GIL may be released, and other threads may
                          collect the chunk */
        gnp_pool_free_later(pool, chunk);
        pool->nlive--;
        CU_DROP(cuCtxSetCurrent(before));
        if (pool->is_dropped) {
            gnp_pool_drop(pool);
        }
        return;
    }
    /* GPUNP_POOL=poison fills freed memory with NaNs, so that reading it shows. Only where the
     * owner is a stream that this thread can name. */
    if (GNP_UNLIKELY(pool->is_poisoned) && chunk->block.stream != GNP_STREAM_GONE &&
        chunk->block.stream != GNP_STREAM_OF_THREAD && !gnp_is_closing()) {
        CU_DROP_QUEUE(cuMemsetD8Async(block->ptr, 0xff, chunk->capacity, block->stream));
    }
    gnp_chunk_give_back(chunk);
    if (GNP_UNLIKELY(pool->is_off)) {
        gnp_pool_trim(pool, 0, NULL);
    }
    forget_live_block(pool);
}

/* ---- the pool as a whole --------------------------------------------------------------------- */

/* With the GIL, which guards the list. It is newest first; gnp_pool_forget_stream() and captures
 * walk it to find all arenas of a stream. */
GnpPool *
gnp_pool_new(GnpDevice *device)
{
    GnpPool *pool = calloc(1, sizeof *pool);
    if (pool != NULL) {
        const char *mode = gnp_env(GNP_ENV_POOL);
        pool->device = device;
        pool->extent = gnp_cuda_driver()->extent;
        pool->is_off = strcmp(mode, "off") == 0;
        pool->is_poisoned = strcmp(mode, "poison") == 0;
        pool->next = gnp_pools;
        gnp_pools = pool;
    }
    return pool;
}

/* Before the first allocation. The emulated device is not told of blocks in memory that it did not
 * hand out to this pool. */
void
gnp_pool_set_allocator(GnpPool *pool, PyObject *allocator)
{
    Py_XSETREF(pool->allocator, Py_XNewRef(allocator));
    pool->extent = allocator == NULL ? gnp_cuda_driver()->extent : NULL;
}

/* Freeing segments waits for the device in any case, so blocks that other streams still use are
 * waited for and freed too. A capture in progress would be broken by the wait: then nothing is
 * done, and the blocks stay pending. */
static void
wait_for_pending(GnpPool *pool)
{
    CUcontext before = NULL;
    CUresult code = 0;
    CU_DROP(cuCtxGetCurrent(&before));
    CU_DROP(cuCtxSetCurrent(pool->device->context));
    if (gnp_wait_context(pool->device, &code) == 0) {
        gnp_cuda_drop(code, "cuCtxSynchronize()", __func__);
        gnp_pool_collect(pool);
    }
    CU_DROP(cuCtxSetCurrent(before));
}

/* Arenas of captures are left out even when empty: the graph replays with their addresses. */
static GnpSegment *
find_unused(const GnpPool *pool, int only, const GnpArena *wanted)
{
    for (const GnpArena *arena = pool->arenas; arena != NULL; arena = arena->next) {
        for (GnpSegment *s = arena->segments; s != NULL && (!only || arena == wanted);
             s = s->next) {
            if (gnp_segment_is_unused(s) && arena->capture == NULL) {
                return s;
            }
        }
    }
    return NULL;
}

/* Errors cannot be raised here: it also runs while memory is being freed. */
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
    GnpArena *wanted = only ? gnp_arena_get(pool, stream) : NULL;
    if (only && wanted == NULL) {
        PyErr_Clear();
    }
    /* Freeing releases the GIL, and other threads may change the lists meanwhile: the search
     * restarts after each segment. There are few. */
    for (GnpSegment *s; (s = find_unused(pool, only, wanted)) != NULL;) {
        gnp_segment_delete(pool, s);
    }
    gnp_arenas_delete_empty(pool);
    if (on_device) {
        CU_DROP(cuCtxSetCurrent(before));
    }
}

/* For libraries that allocate outside of the pool, such as cuFFT's work areas. Each turn of the
 * loop frees at least one segment, so it ends. */
void
gnp_pools_relieve(int collects)
{
    const GnpDevice *device = gnp_device_current();
    if (device == NULL || (collects && run_garbage_collector() < 0)) {
        PyErr_Clear(); /* the caller reports missing memory */
        return;
    }
    for (GnpPool *pool = gnp_pools; pool != NULL;) {
        if (pool->device->id != device->id || find_unused(pool, 0, NULL) == NULL) {
            pool = pool->next;
            continue;
        }
        pool->nlive++; /* keeps the pool alive while the GIL is released */
        gnp_pool_trim(pool, 0, NULL);
        forget_live_block(pool);
        pool = gnp_pools;
    }
}

/* Called by the owner, and again by whatever keeps the pool alive when that ends: its last block, a
 * graph, a pending block. The GIL may be released twice. Meanwhile the pool counts as in use, so
 * that no other thread deletes it; one that uses it itself by then deletes it when it is through.
 */
void
gnp_pool_drop(GnpPool *pool)
{
    pool->is_dropped = 1;
    if (pool->pending != NULL && gnp_captures == NULL && !gnp_is_closing()) {
        pool->nlive++;
        wait_for_pending(pool);
        pool->nlive--;
    }
    if (pool->nlive != 0 || gnp_pool_is_kept(pool) || gnp_is_closing()) {
        return;
    }
    pool->nlive++;
    gnp_pool_trim(pool, 0, NULL);
    if (--pool->nlive != 0) {
        return;
    }
    GnpPool **link = &gnp_pools;
    while (*link != pool) {
        link = &(*link)->next;
    }
    *link = pool->next;
    for (GnpArena *arena = pool->arenas, *next; arena != NULL; arena = next) {
        next = arena->next;
        free(arena);
    }
    Py_CLEAR(pool->allocator);
    free(pool);
}

/* 0 is none. Checked when a segment is allocated (gnp_arena_grow), not per block. */
void
gnp_pool_set_limit(GnpPool *pool, size_t bytes)
{
    pool->limit_bytes = bytes;
}

/* The free chunks are counted by a walk: keeping a count would cost each allocation. */
void
gnp_pool_stats(const GnpPool *pool, GnpPoolStats *out)
{
    memset(out, 0, sizeof *out);
    out->used_bytes = pool->used_bytes;
    out->total_bytes = pool->total_bytes;
    out->limit_bytes = pool->limit_bytes;
    out->peak_bytes = pool->peak_bytes;
    for (const GnpArena *arena = pool->arenas; arena != NULL; arena = arena->next) {
        for (const GnpSegment *s = arena->segments; s != NULL; s = s->next) {
            for (const GnpChunk *chunk = s->first; chunk != NULL; chunk = chunk->after) {
                out->free_blocks += (size_t)chunk->is_free;
            }
        }
    }
}

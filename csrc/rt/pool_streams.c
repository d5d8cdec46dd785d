/* Which streams use the blocks of a pool, and what becomes of a stream's arena.
 *
 * A block freed on its own stream is free at once, since whatever reuses it there runs later; one
 * that other streams used waits for events recorded on them. When a stream is destroyed, others
 * adopt its segments; while it is captured, the capture has an arena of its own. */
#include "rt/arena.h"

#include <stdlib.h>

/* ---- uses by other streams ------------------------------------------------------------------- */

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
delete_use(GnpPool *pool, GnpBlockUse *use)
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
    const GnpArena *arena = pool != NULL ? ((GnpChunk *)block)->segment->arena : NULL;
    if (arena != NULL &&
        (stream == CU_STREAM_LEGACY
             ? block->stream == NULL
             : stream == CU_STREAM_PER_THREAD && arena->stream == GNP_STREAM_OF_THREAD &&
                   arena->thread == gnp_thread_serial() && arena->state == GNP_ARENA_OPEN)) {
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
    for (GnpBlockUse *use = block->uses; use != NULL; use = use->next) {
        if (use->event == NULL && use->stream == stream) {
            return;
        }
    }
    GnpBlockUse *use = calloc(1, sizeof *use);
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
    GnpBlockUse **link = &block->uses;
    while (*link != NULL) {
        GnpBlockUse *use = *link;
        if (use->event == NULL && !gnp_is_closing()) { /* freed during a capture */
            use->event = record_event(use->stream);
            use->stream = GNP_STREAM_GONE;
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

void
gnp_pool_collect(GnpPool *pool)
{
    if (gnp_captures != NULL) {
        return;
    }
    GnpChunk **link = &pool->pending;
    while (*link != NULL) {
        GnpChunk *chunk = *link;
        if (!uses_are_over(pool, &chunk->block)) {
            link = &chunk->next;
            continue;
        }
        *link = chunk->next;
        gnp_chunk_give_back(chunk);
        pool->nlive--;
    }
}

/* Events on the streams that used the block, during a capture when that ends; then the block waits
 * in the list of pending ones. */
void
gnp_pool_free_later(GnpPool *pool, GnpChunk *chunk)
{
    for (GnpBlockUse *use = chunk->block.uses; use != NULL; use = use->next) {
        if (use->event == NULL && gnp_captures == NULL) {
            use->event = record_event(use->stream);
            use->stream = GNP_STREAM_GONE;
        }
    }
    chunk->next = pool->pending;
    pool->pending = chunk;
    gnp_pool_collect(pool);
}

/* What the blocks of the arena say whose they are. */
static void
set_stream(const GnpArena *arena, CUstream stream)
{
    for (GnpSegment *s = arena->segments; s != NULL; s = s->next) {
        for (GnpChunk *chunk = s->first; chunk != NULL; chunk = chunk->after) {
            chunk->block.stream = stream;
        }
    }
}

void
gnp_pool_forget_stream(GnpDevice *device, CUstream stream)
{
    for (GnpPool *pool = gnp_pools; pool != NULL; pool = pool->next) {
        if (pool->device != device) {
            continue;
        }
        for (GnpBlockUse *use = pool->uses; use != NULL; use = use->all_next) {
            if (use->event == NULL && use->stream == stream) {
                use->event = record_event(stream);
                use->stream = GNP_STREAM_GONE;
            }
        }
        GnpArena *arena = gnp_arena_find(pool, stream, 0);
        if (arena == NULL) {
            continue;
        }
        arena->retired = record_event(stream);
        arena->state = GNP_ARENA_RETIRED;
        pool->last = NULL;
        set_stream(arena, GNP_STREAM_GONE);
        arena->stream = GNP_STREAM_GONE;
        gnp_arenas_delete_empty(pool);
    }
}

/* ---- captures ----------------------------------------------------------------------------------
 *
 * What a capture allocates must stay where it is for the life of the graph, and what it frees may
 * be reused by the capture alone, since every replay uses it again. So it has arenas of its own. */

static int
is_for(const GnpArena *arena, CUstream stream)
{
    if (stream == CU_STREAM_PER_THREAD) {
        return arena->stream == GNP_STREAM_OF_THREAD && arena->thread == gnp_thread_serial();
    }
    return arena->stream == stream;
}

void
gnp_pool_capture_begin(const GnpDevice *device, CUstream stream)
{
    for (GnpPool *pool = gnp_pools; pool != NULL; pool = pool->next) {
        for (GnpArena *arena = pool->arenas; arena != NULL && pool->device == device;
             arena = arena->next) {
            if (arena->state == GNP_ARENA_OPEN && is_for(arena, stream)) {
                arena->state = GNP_ARENA_HIDDEN;
                set_stream(arena, GNP_STREAM_HIDDEN); /* so that each use is noticed */
                pool->last = NULL;
            }
        }
    }
}

void
gnp_pool_capture_end(const GnpDevice *device, CUstream stream, const GnpCapture *capture)
{
    for (GnpPool *pool = gnp_pools; pool != NULL; pool = pool->next) {
        for (GnpArena *arena = pool->arenas; arena != NULL && pool->device == device;
             arena = arena->next) {
            if (!is_for(arena, stream)) {
                continue;
            }
            if (arena->state == GNP_ARENA_HIDDEN) {
                arena->state = GNP_ARENA_OPEN;
                set_stream(arena, arena->stream);
            }
            else if (arena->state == GNP_ARENA_OPEN && arena->capture == capture) {
                arena->state = GNP_ARENA_KEPT;
                set_stream(arena, GNP_STREAM_GONE);
                arena->stream = GNP_STREAM_GONE;
            }
            pool->last = NULL;
        }
    }
}

int
gnp_pool_is_kept(const GnpPool *pool)
{
    const GnpArena *arena = pool->arenas;
    while (arena != NULL && arena->capture == NULL) {
        arena = arena->next;
    }
    return arena != NULL;
}

void
gnp_pool_capture_drop(const GnpCapture *capture, int has_run, CUstream stream)
{
    for (GnpPool *pool = gnp_pools, *next; pool != NULL; pool = next) {
        next = pool->next;
        for (GnpArena *arena = pool->arenas; arena != NULL; arena = arena->next) {
            if (arena->state == GNP_ARENA_KEPT && arena->capture == capture) {
                arena->retired = has_run ? record_event(recordable(stream)) : NULL;
                arena->state = GNP_ARENA_RETIRED;
                arena->capture = NULL;
            }
        }
        gnp_arenas_delete_empty(pool);
        if (pool->is_dropped) {
            gnp_pool_drop(pool);
        }
    }
}

void
gnp_pool_captures_over(void)
{
    for (GnpPool *pool = gnp_pools, *next; pool != NULL; pool = next) {
        next = pool->next;
        if (pool->pending != NULL) {
            CUcontext before = NULL;
            CU_DROP(cuCtxGetCurrent(&before));
            CU_DROP(cuCtxSetCurrent(pool->device->context));
            gnp_pool_collect(pool);
            CU_DROP(cuCtxSetCurrent(before));
        }
        if (pool->is_dropped) {
            gnp_pool_drop(pool);
        }
    }
}

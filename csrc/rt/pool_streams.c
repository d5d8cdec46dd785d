/* Which streams use the blocks of a pool, and what happens to a stream's arena.
 *
 * A block that only its own stream used is free at once, since work that reuses it there is ordered
 * after its last use; one that other streams used is pending until events recorded on them have
 * completed. When a stream is destroyed, other arenas adopt its segments; while it is captured, the
 * capture has an arena of its own. */
#include "rt/arena.h"

#include <stdlib.h>

#define RECORDING_PAUSE_NS 200000

/* ---- marks ----------------------------------------------------------------------------------- */

static int
    nrecording; /* threads inside record_mark: streams they record on must not be destroyed */

/* A mark behind all work of the stream so far; NULL when an event cannot be recorded now. May
 * release the GIL. `nrecording` is read by gnp_pool_forget_stream(): a stream must not be destroyed
 * between the time another thread read its handle here and the event's recording. */
static GnpMark *
record_mark(CUstream stream)
{
    GnpMark *mark = calloc(1, sizeof *mark);
    CUresult code = mark != NULL ? gnp_cu->cuEventCreate(&mark->event, CU_EVENT_DISABLE_TIMING)
                                 : CUDA_ERROR_OUT_OF_MEMORY;
    if (code != 0) {
        gnp_cuda_drop(code, "cuEventCreate", __func__);
        free(mark);
        return NULL;
    }
    nrecording++;
    CU_QUEUE(code, cuEventRecord(mark->event, stream));
    nrecording--;
    mark->refcount = 1;
    if (code != 0) {
        gnp_cuda_drop(code, "cuEventRecord(event, stream)", __func__);
        gnp_mark_release(mark);
        return NULL;
    }
    return mark;
}

/* The same, but never NULL: when an event cannot be recorded, the work is waited for here. The mark
 * for "done already" is shared and never freed. Used where there is no second chance: the stream is
 * about to go. */
static GnpMark *
record_last_mark(const GnpDevice *device, CUstream stream)
{
    static GnpMark done = {NULL, 1};
    GnpMark *mark = record_mark(stream);
    if (mark == NULL) {
        gnp_wait_quietly(device, stream);
        mark = &done;
        mark->refcount++;
    }
    return mark;
}

static GnpMark *
retain_mark(GnpMark *mark)
{
    mark->refcount++;
    return mark;
}

void
gnp_mark_release(GnpMark *mark)
{
    if (mark == NULL || --mark->refcount != 0) {
        return;
    }
    if (mark->event != NULL && !gnp_is_closing()) {
        CU_DROP(cuEventDestroy_v2(mark->event));
    }
    free(mark);
}

/* A mark is shared by all blocks that the stream used, and queried for each: one driver call per
 * pending use. After a fault of a kernel nothing runs any more, and the memory may be reused. */
int
gnp_mark_is_over(const GnpMark *mark)
{
    if (mark->event == NULL) {
        return 1;
    }
    CUresult code = gnp_cu->cuEventQuery(mark->event);
    return code == 0 || gnp_cuda_is_lost(code);
}

/* ---- uses by other streams ------------------------------------------------------------------- */

/* Out of the pool's list of all uses; the block's own list is the caller's. */
static void
delete_use(GnpPool *pool, GnpBlockUse *use)
{
    *(use->all_previous != NULL ? &use->all_previous->all_next : &pool->uses) = use->all_next;
    if (use->all_next != NULL) {
        use->all_next->all_previous = use->all_previous;
    }
    gnp_mark_release(use->mark);
    free(use);
}

/* False also while another thread is recording the mark (see GnpBlockUse). */
static int
is_unmarked(const GnpBlockUse *use)
{
    return use->mark == NULL && use->stream != GNP_STREAM_GONE;
}

/* Marks a use of a block that was freed; it is pending and so stays valid while the GIL is
 * released. Setting `stream` first keeps other threads from marking the same use. -1 when no event
 * can be recorded now. */
static int
mark_use(GnpBlockUse *use)
{
    const CUstream stream = use->stream;
    use->stream = GNP_STREAM_GONE;
    use->mark = record_mark(stream);
    if (use->mark == NULL) {
        use->stream = stream;
        return -1;
    }
    return 0;
}

/* The stream on which to record an event behind a use by the calling thread's `stream`. Another
 * thread cannot name this thread's per-thread stream, but the legacy stream synchronises with it.
 */
static CUstream
recordable(CUstream stream)
{
    return stream == CU_STREAM_PER_THREAD || stream == CU_STREAM_LEGACY ? NULL : stream;
}

/* Drops the uses that are over; 1 when none is left. A use whose mark is still missing counts as
 * not over. */
static int
uses_are_over(GnpPool *pool, GnpBlock *block)
{
    GnpBlockUse **link = &block->uses;
    while (*link != NULL) {
        GnpBlockUse *use = *link;
        if (use->mark == NULL || !gnp_mark_is_over(use->mark)) {
            link = &use->next;
            continue;
        }
        *link = use->next;
        delete_use(pool, use);
    }
    return block->uses == NULL;
}

/* The first test sees aliases: the legacy stream has two handles, and the per-thread handle is the
 * owner when this very thread allocated the block. */
void
gnp_block_record_slow(GnpBlock *block, CUstream stream)
{
    GnpPool *pool = block->pool;
    /* A stream of another device, which is no stream of the pool's: peer.c sees to the order. */
    if (GNP_UNLIKELY(gnp_thread.guests & 1u << block->device_id)) {
        return;
    }
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
        if (use->mark == NULL && use->stream == stream) {
            return;
        }
    }
    /* Uses by streams that were destroyed since have marks: a block that lives long would collect
     * one for each of them. */
    if (gnp_captures == NULL) {
        (void)uses_are_over(pool, block);
    }
    GnpBlockUse *use = calloc(1, sizeof *use);
    if (use == NULL) {
        /* Unrecorded, the block could be reused too early: wait here instead. */
        CU_DROP_WAIT(cuStreamSynchronize(stream));
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

/* Only blocks that were freed are pending: uses of live blocks need no event yet. */
static GnpBlockUse *
find_unmarked(const GnpPool *pool)
{
    for (const GnpChunk *chunk = pool->pending; chunk != NULL; chunk = chunk->next) {
        for (GnpBlockUse *use = chunk->block.uses; use != NULL; use = use->next) {
            if (is_unmarked(use)) {
                return use;
            }
        }
    }
    return NULL;
}

/* Called before allocations while anything is pending. Cost: one query per pending use, so a
 * program with many of them pays for each allocation; they are usually few. */
void
gnp_pool_collect(GnpPool *pool)
{
    GnpBlockUse *use;
    /* Uses of blocks freed during a capture, and those whose mark failed. mark_use() may release
     * the GIL, so the search restarts each time. */
    while (gnp_captures == NULL && (use = find_unmarked(pool)) != NULL && mark_use(use) == 0) {
    }
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

/* Records marks on the streams that used the block (during a capture: when that has ended) and adds
 * the block to the list of pending ones. */
void
gnp_pool_free_later(GnpPool *pool, GnpChunk *chunk)
{
    for (GnpBlockUse *use = chunk->block.uses; use != NULL; use = use->next) {
        if (is_unmarked(use) && gnp_captures == NULL) {
            (void)mark_use(use);
        }
    }
    chunk->next = pool->pending;
    pool->pending = chunk;
    gnp_pool_collect(pool);
}

/* Sets the owning stream of all blocks of the arena. Free chunks too: their field is set again when
 * they are handed out, and is harmless before. */
static void
set_stream(const GnpArena *arena, CUstream stream)
{
    for (GnpSegment *s = arena->segments; s != NULL; s = s->next) {
        for (GnpChunk *chunk = s->first; chunk != NULL; chunk = chunk->after) {
            chunk->block.stream = stream;
        }
    }
}

/* Whether a block or an arena of the device refers to the stream. A stream that never allocated,
 * nor used a block of another one, needs no event when it goes. */
static int
is_named(const GnpDevice *device, CUstream stream)
{
    for (GnpPool *pool = gnp_pools; pool != NULL; pool = pool->next) {
        if (pool->device != device) {
            continue;
        }
        for (const GnpBlockUse *use = pool->uses; use != NULL; use = use->all_next) {
            if (use->mark == NULL && use->stream == stream) {
                return 1;
            }
        }
        if (gnp_arena_find(pool, stream, 0) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* Live blocks of the stream become blocks without an owner: each later use by any stream is
 * recorded, and freeing waits for the mark. */
static void
forget_in_pool(GnpPool *pool, CUstream stream, GnpMark *mark)
{
    for (GnpBlockUse *use = pool->uses; use != NULL; use = use->all_next) {
        if (use->mark == NULL && use->stream == stream) {
            use->mark = retain_mark(mark);
            use->stream = GNP_STREAM_GONE;
        }
    }
    GnpArena *arena = gnp_arena_find(pool, stream, 0);
    if (arena == NULL) {
        return;
    }
    arena->retired = retain_mark(mark);
    arena->state = GNP_ARENA_RETIRED;
    pool->last = NULL;
    set_stream(arena, GNP_STREAM_GONE);
    arena->stream = GNP_STREAM_GONE;
    gnp_arenas_delete_empty(pool);
}

/* The handle may be given to a new stream right after its destruction, so no block may keep it. */
void
gnp_pool_forget_stream(GnpDevice *device, CUstream stream)
{
    GnpMark *mark = NULL; /* owned */
    for (;;) {
        while (nrecording != 0) { /* another thread may be recording on this stream */
            gnp_pause_without_gil(RECORDING_PAUSE_NS);
        }
        if (mark != NULL || !is_named(device, stream)) {
            break;
        }
        mark = record_last_mark(device, stream); /* may release the GIL: the loop checks again */
    }
    for (GnpPool *pool = gnp_pools; pool != NULL && mark != NULL; pool = pool->next) {
        if (pool->device == device) {
            forget_in_pool(pool, stream, mark);
        }
    }
    gnp_mark_release(mark);
}

/* ---- captures -------------------------------------------------------------------------------- */

/* Memory that a capture allocates must keep its address for the life of the graph, and what it
 * frees may be reused only within the capture, since every replay uses it again. So a capture has
 * arenas of its own. */

/* The per-thread stream's arenas are found by the thread: every thread's handle is the same
 * number. */
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
                set_stream(arena,
                           GNP_STREAM_HIDDEN); /* no stream's handle: each use of these blocks takes
                                                  the slow path and is recorded */
                pool->last = NULL;
            }
        }
    }
}

/* Blocks allocated during the capture that are still alive are the program's arrays: without an
 * owning stream, each use by any stream is recorded. The hidden arena serves the stream again. */
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

/* Arenas of a capture in progress count too. */
int
gnp_pool_is_kept(const GnpPool *pool)
{
    const GnpArena *arena = pool->arenas;
    while (arena != NULL && arena->capture == NULL) {
        arena = arena->next;
    }
    return arena != NULL;
}

/* Deletes the pools that were dropped and have no blocks left. Starts over after each deletion,
 * which may have run other threads. */
static void
drop_pools(void)
{
    GnpPool *pool = gnp_pools;
    while (pool != NULL && !gnp_is_closing()) {
        if (pool->is_dropped && pool->nlive == 0 && !gnp_pool_is_kept(pool)) {
            gnp_pool_drop(pool);
            pool = gnp_pools; /* other threads may have changed the list */
            continue;
        }
        pool = pool->next;
    }
}

/* The arenas become those of a stream that was destroyed, whose last work is the last replay: the
 * next allocation that needs a segment may adopt them once that is over. */
void
gnp_pool_capture_drop(const GnpCapture *capture, int has_run, CUstream stream)
{
    GnpMark *mark =
        has_run ? record_last_mark(gnp_capture_device(capture), recordable(stream)) : NULL;
    for (GnpPool *pool = gnp_pools; pool != NULL; pool = pool->next) {
        for (GnpArena *arena = pool->arenas; arena != NULL; arena = arena->next) {
            if (arena->state == GNP_ARENA_KEPT && arena->capture == capture) {
                arena->retired = mark != NULL ? retain_mark(mark) : NULL;
                arena->state = GNP_ARENA_RETIRED;
                arena->capture = NULL;
            }
        }
        gnp_arenas_delete_empty(pool);
    }
    gnp_mark_release(mark);
    drop_pools();
}

/* By number, since pointers into the list may be stale after the GIL was released. */
static GnpPool *
nth_pool(int n)
{
    GnpPool *pool = gnp_pools;
    for (; pool != NULL && n > 0; n--) {
        pool = pool->next;
    }
    return pool;
}

void
gnp_pool_captures_over(void)
{
    GnpPool *pool;
    /* Collecting may release the GIL and the list change: a pool that is skipped is collected at
     * its next allocation. */
    for (int i = 0; (pool = nth_pool(i)) != NULL; i++) {
        if (pool->pending != NULL) {
            CUcontext before = NULL;
            CU_DROP(cuCtxGetCurrent(&before));
            CU_DROP(cuCtxSetCurrent(pool->device->context));
            pool->nlive++; /* keeps the pool alive meanwhile */
            if (pool->is_dropped) {
                gnp_pool_drop(pool); /* waits for the pending ones */
            }
            else {
                gnp_pool_collect(pool);
            }
            pool->nlive--;
            CU_DROP(cuCtxSetCurrent(before));
        }
    }
    drop_pools();
}

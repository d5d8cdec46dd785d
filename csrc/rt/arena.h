/* What the files of the device memory pool share: a pool has one arena per stream, an arena has
 * segments allocated from the driver, and chunks tile a segment.
 *
 * A chunk's capacity is a multiple of GNP_GRAIN; those of a segment add up to it, and no two free
 * neighbours touch. arena.c maintains this; pool_streams.c decides when a stream is done with a
 * chunk; pool.c allocates. All of it is guarded by the GIL, which is released only around driver
 * calls that may block, where every list is consistent. */
#ifndef GNP_ARENA_H
#define GNP_ARENA_H

#include "rt/internal.h"

#define GNP_GRAIN 512u
#define GNP_BIN_ROWS 40
#define GNP_BIN_COLUMNS 16
/* Larger sizes (2 PiB) have no row; a segment's size, rounded up, stays below the last one. */
#define GNP_LARGEST_BLOCK ((size_t)GNP_GRAIN << (GNP_BIN_ROWS + 2))

/* Values of `stream` that are not handles of the driver. */
#define GNP_STREAM_GONE ((CUstream)(intptr_t)-1)      /* its stream was destroyed */
#define GNP_STREAM_OF_THREAD ((CUstream)(intptr_t)-2) /* some thread's default stream */
#define GNP_STREAM_HIDDEN ((CUstream)(intptr_t)-3)    /* its stream is being captured */

typedef struct GnpChunk {
    GnpBlock block; /* first: a block of this pool is its chunk */
    size_t capacity;
    struct GnpChunk *before, *after;  /* neighbours in the segment */
    struct GnpChunk *next, *previous; /* in the bin, when free */
    struct GnpSegment *segment;
    int is_free;
} GnpChunk;

typedef struct {
    uint64_t rows;
    uint16_t columns[GNP_BIN_ROWS];
    GnpChunk *heads[GNP_BIN_ROWS][GNP_BIN_COLUMNS];
} GnpBins;

typedef struct GnpSegment {
    CUdeviceptr ptr;
    size_t bytes;
    int is_small;
    PyObject *owner; /* what a Python allocator returned, or NULL */
    GnpChunk *first;
    struct GnpArena *arena;
    struct GnpSegment *next, *previous;
} GnpSegment;

/* GNP_ARENA_OPEN serves its stream. While the stream is captured it is GNP_ARENA_HIDDEN, and
 * another one, which belongs to the capture, takes its place; when the capture ends, that one is
 * GNP_ARENA_KEPT by the graph. GNP_ARENA_RETIRED: the stream or the graph was destroyed; other
 * arenas adopt its segments. */
typedef enum { GNP_ARENA_OPEN, GNP_ARENA_HIDDEN, GNP_ARENA_KEPT, GNP_ARENA_RETIRED } GnpArenaState;

/* A point in a stream's work: where it was destroyed, or where blocks that it had used were freed.
 */
typedef struct GnpMark {
    CUevent event; /* NULL: all of it is done */
    int refcount;
} GnpMark;

typedef struct GnpArena {
    GnpPool *pool;
    CUstream stream;
    uint64_t thread;           /* owner of a per-thread default stream; else 0 */
    GnpMark *retired;          /* owned: the last work of a destroyed stream, or NULL */
    const GnpCapture *capture; /* what the memory was taken for, or NULL */
    GnpArenaState state;
    int users; /* threads that are getting memory for it, without the GIL */
    GnpSegment *segments;
    struct GnpArena *next;
    GnpBins small, large;
} GnpArena;

/* The use of a block by a stream that does not own it, and its links in the pool's list of all
 * uses. The mark is recorded when the stream is destroyed or the block is freed. While a thread
 * records it, `stream` is GNP_STREAM_GONE and `mark` is NULL: such a use is still pending, and no
 * other thread may record its mark. */
typedef struct GnpBlockUse {
    CUstream stream;
    GnpMark *mark; /* owned, or NULL */
    struct GnpBlockUse *next;
    struct GnpBlockUse *all_next, *all_previous;
} GnpBlockUse;

struct GnpPool {
    GnpDevice *device;
    PyObject *allocator; /* owned: where segments come from, or NULL for the driver */
    /* Tells the emulated device how many bytes of a chunk are allocated, 0 when it is freed, so
     * that it can report accesses beyond. NULL for a real driver, and where segments come from a
     * Python allocator. */
    void (*extent)(uint64_t address, size_t bytes);
    int is_dropped, is_off, is_poisoned;
    size_t nlive; /* blocks handed out and not freed, pending ones included */
    size_t used_bytes, total_bytes, limit_bytes, peak_bytes;
    GnpArena *arenas, *last; /* `last` is the one used most recently */
    GnpChunk *pending;       /* freed, but other streams may still use them */
    GnpBlockUse *uses;       /* of all blocks */
    GnpPool *next;           /* all pools */
};

extern GnpPool *gnp_pools; /* all of them */

/* ---- arena.c --------------------------------------------------------------------------------- */

/* A chunk of `capacity` bytes at least, of the smallest bin that has one; NULL when none fits. It
 * is larger only where there was no host memory to describe the rest. */
GnpChunk *gnp_chunk_take(GnpBins *bins, size_t capacity);
/* The same with an unused grain behind it, unless it ends its segment: where the emulated device
 * looks for accesses past the end, two blocks must not be adjacent. */
GnpChunk *gnp_chunk_take_apart(GnpBins *bins, size_t capacity);
/* Makes a chunk free, and one with its free neighbours. */
void gnp_chunk_give_back(GnpChunk *chunk);

int gnp_segment_is_unused(const GnpSegment *segment);
/* Frees an unused segment. Its device's context is current. */
void gnp_segment_delete(GnpPool *pool, GnpSegment *segment);

GNP_BORROW GnpArena *gnp_arena_find(GnpPool *pool, CUstream stream, uint64_t thread);
/* The arena of a stream of the calling thread, made when missing; NULL with MemoryError. */
GNP_BORROW GnpArena *gnp_arena_get(GnpPool *pool, CUstream stream);
/* A new segment of `bytes` in the arena, one free chunk. 0, 1 when there is no memory (without an
 * exception), -1. */
int gnp_arena_grow(GnpArena *arena, size_t bytes, int is_small);
/* Moves an unused segment of at least `bytes` from a destroyed stream's arena, once the last work
 * of that stream is done. 1 when one was found. */
int gnp_arena_adopt(GnpArena *arena, size_t bytes, int is_small);
/* Deletes arenas of destroyed streams that are empty. */
void gnp_arenas_delete_empty(GnpPool *pool);

/* ---- pool_streams.c -------------------------------------------------------------------------- */

/* Whether the work before the mark is done; in a lost context it is. */
int gnp_mark_is_over(const GnpMark *mark);
void gnp_mark_release(GnpMark *mark);
/* Frees blocks that other streams are done with. Not during a capture, which querying events would
 * break. May release the GIL. */
void gnp_pool_collect(GnpPool *pool);
/* A block that other streams used waits until they are done with it. */
void gnp_pool_free_later(GnpPool *pool, GnpChunk *chunk);
/* Whether a graph owns memory of the pool. */
int gnp_pool_is_kept(const GnpPool *pool);

#endif

/* Captures: work of a stream is recorded into a graph, and what the graph uses lives as long as it.
 *
 * While a stream is captured, its allocations come from arenas of the capture (pool_streams.c), so
 * that replays find their temporaries at the recorded addresses, and arrays made during the capture
 * are valid after each replay. Blocks of other arenas that captured work uses are held, so that the
 * program may drop its arrays. Host memory that is copied to the device is copied into buffers of
 * the graph first. All this belongs to a GnpCapture, which the graph object owns; when it is
 * released, events order the reuse of its memory after replays in progress, without waiting on the
 * host, unless the graph calls host functions.
 *
 * A call that would have to wait for a captured stream is rejected before it reaches the driver,
 * since the driver would invalidate the capture. Everything is guarded by the GIL.
 *
 * Lifetimes: the list of captures in progress owns a capture until gnp_capture_end(), then the
 * graph object does, and each outer graph that includes it. A release while any capture is in
 * progress is put off until the last one ends.
 */
#include "rt/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Page-locked memory is expensive to allocate, so small uploads share slabs of this size. The pause
 * is between two looks at a lock or condition that cannot be waited for with the GIL released. */
#define SLAB_BYTES ((size_t)1 << 16)
#define PAUSE_NS 200000
#define LONGEST_SUSPENSION_NS ((int64_t)10 * 1000000000)

typedef struct {
    CUstream stream;
    GnpDevice *device;
    uint64_t thread;  /* of a per-thread default stream; else 0 */
    PyObject *object; /* owned, or NULL */
} StreamRef;

typedef struct {
    StreamRef *items;
    int count;
} StreamSet;

/* Page-locked memory that uploads read when the graph runs. */
typedef struct Slab {
    struct Slab *next;
    char *ptr;
    size_t used, bytes;
} Slab;

struct GnpCapture {
    GnpCapture *next; /* of the captures in progress, or of those whose release waits */
    int refcount;
    GnpDevice *device;
    CUgraph graph;
    GnpTurn turn;        /* at the graph */
    int is_non_blocking; /* the stream ignores the legacy stream */
    int is_brief;        /* it ends by itself, soon: other threads wait for that */
    uint64_t thread;     /* where it began */
    StreamSet captured;  /* the streams; the first is where it began */
    StreamSet runs_in;   /* streams the graph was launched in; the last one of the set last */
    GnpBlock **blocks;   /* retained: a hash set */
    size_t nblocks, capacity;
    PyObject *objects;    /* owned list, or NULL: kernels' modules, host buffers */
    PyObject *host_calls; /* owned list, or NULL */
    Slab *slabs;
    GnpCapture **children; /* owned: of graphs that are part of this one */
    int nchildren;
};

GnpCapture *gnp_captures = NULL;
static GnpCapture *waiting; /* to be released when no capture is in progress */

/* The list of captures is written, and captures begin and end, with both this lock and the GIL
 * held, so a thread that holds either may read it. Lock order: a thread with the GIL never blocks
 * on the lock (lock_list() polls and releases the GIL), since its holder may wait for the device,
 * and the device for a Python function, which needs the GIL. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- sets ------------------------------------------------------------------------------------ */

static int
same_stream(const StreamRef *ref, CUstream stream)
{
    return ref->stream == stream &&
           (stream != CU_STREAM_PER_THREAD || ref->thread == gnp_thread_serial());
}

/* Appends the stream, or moves it to the end: the last one is where the graph ran last. -1 with
 * MemoryError. Sets are small: a linear search suffices. The reference to the object keeps a handle
 * from being destroyed, and reused for another stream, as long as it is in the set. */
static int
add_stream(StreamSet *set, GnpDevice *device, CUstream stream, PyObject *object)
{
    for (int i = 0; i < set->count; i++) {
        if (same_stream(&set->items[i], stream)) {
            StreamRef found = set->items[i];
            memmove(&set->items[i], &set->items[i + 1],
                    (size_t)(set->count - i - 1) * sizeof found);
            set->items[set->count - 1] = found;
            return 0;
        }
    }
    StreamRef *grown = realloc(set->items, (size_t)(set->count + 1) * sizeof *grown);
    if (grown == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    set->items = grown;
    grown[set->count++] =
        (StreamRef){stream, device, stream == CU_STREAM_PER_THREAD ? gnp_thread_serial() : 0,
                    Py_XNewRef(object)};
    return 0;
}

static void
clear_streams(StreamSet *set)
{
    for (int i = 0; i < set->count; i++) {
        Py_XDECREF(set->items[i].object);
    }
    free(set->items);
    *set = (StreamSet){NULL, 0};
}

/* The slot of a block in the hash set (linear probing), or the free slot where it belongs. Ends
 * because the table is at most half full. */
static size_t
place_of(GnpBlock *const *blocks, size_t capacity, const GnpBlock *block)
{
    /* Fibonacci hashing; the shifts drop alignment bits, and the low bits of the product. */
    size_t at = (size_t)(((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
    while (blocks[at] != NULL && blocks[at] != block) {
        at = (at + 1) & (capacity - 1);
    }
    return at;
}

static int
grow_blocks(GnpCapture *capture)
{
    size_t capacity = capture->capacity != 0 ? capture->capacity * 2 : 64;
    GnpBlock **blocks = calloc(capacity, sizeof *blocks);
    if (blocks == NULL) {
        return -1;
    }
    for (size_t i = 0; i < capture->capacity; i++) {
        if (capture->blocks[i] != NULL) {
            blocks[place_of(blocks, capacity, capture->blocks[i])] = capture->blocks[i];
        }
    }
    free(capture->blocks);
    capture->blocks = blocks;
    capture->capacity = capacity;
    return 0;
}

/* Called for every operand of every captured operation, hence a hash set: a block that is used a
 * thousand times is retained once. */
void
gnp_capture_hold(GnpCapture *capture, GnpBlock *block)
{
    if (capture->nblocks * 2 >= capture->capacity && grow_blocks(capture) < 0) {
        gnp_block_retain(block); /* out of memory: a leak is better than a use after free */
        return;
    }
    size_t at = place_of(capture->blocks, capture->capacity, block);
    if (capture->blocks[at] == NULL) {
        capture->blocks[at] = gnp_block_retain(block);
        capture->nblocks++;
    }
}

/* ---- queries --------------------------------------------------------------------------------- */

GnpCapture *
gnp_capture_find(CUstream stream)
{
    for (GnpCapture *capture = gnp_captures; capture != NULL; capture = capture->next) {
        for (int i = 0; i < capture->captured.count; i++) {
            if (same_stream(&capture->captured.items[i], stream)) {
                return capture;
            }
        }
    }
    return NULL;
}

/* Raised before the driver is asked, and with its error code: the driver would give the same code,
 * but would also invalidate the capture, and everything recorded would be lost. */
static int
refuse(const char *function, const char *what)
{
    GnpText text = {0};
    gnp_text_add(
        &text,
        "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: %s has to wait for %s being "
        "captured into a graph. What needs values on the host (get, item, float, printing, "
        "a[mask], nonzero) belongs before or after the capture",
        function, what);
    if (gnp_text_finish(&text) == 0) {
        gnp_error_raise_text(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                             "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", text.text);
    }
    gnp_text_clear(&text);
    return -1;
}

/* Whether a stream of the device is captured: streams of several devices may be in one capture. */
static int
is_on(const GnpCapture *capture, int device_id)
{
    for (int i = 0; i < capture->captured.count; i++) {
        if (capture->captured.items[i].device->id == device_id) {
            return 1;
        }
    }
    return 0;
}

/* Whether the legacy stream synchronises with the captured one, which would break the capture. */
static int
holds_legacy(const GnpCapture *capture, int device_id)
{
    return !capture->is_non_blocking && is_on(capture, device_id);
}

int
gnp_capture_check_slow(CUstream stream, const char *function)
{
    if (gnp_capture_find(stream) != NULL) {
        return refuse(function, "the stream, which is");
    }
    for (const GnpCapture *c = gnp_captures; c != NULL; c = c->next) {
        /* The legacy stream waits for all blocking ones. */
        if ((stream == NULL || stream == CU_STREAM_LEGACY) &&
            holds_legacy(c, gnp_thread.device_id)) {
            return refuse(function, "a stream, since the default stream waits for it, that is");
        }
    }
    return 0;
}

/* 1 when a brief capture of another thread has to end first. */
static int
check_device(const GnpDevice *device)
{
    int waits = 0;
    for (const GnpCapture *c = gnp_captures; c != NULL; c = c->next) {
        if (is_on(c, device->id) && (!c->is_brief || c->thread == gnp_thread_serial())) {
            return refuse("this call", "all streams of the device, one of which is");
        }
        waits |= is_on(c, device->id);
    }
    return waits;
}

int
gnp_capture_check_device(const GnpDevice *device)
{
    int ret;
    while ((ret = check_device(device)) > 0) {
        gnp_pause_without_gil(PAUSE_NS);
        if (PyErr_CheckSignals() < 0) {
            return -1;
        }
    }
    return ret;
}

/* Called without the GIL by threads that poll a stream. Holding the lock until gnp_capture_admit()
 * keeps a capture from beginning between the test and the driver's query. */
int
gnp_capture_exclude(int device_id, CUstream stream)
{
    int found = 0;
    pthread_mutex_lock(&list_lock);
    if (stream == GNP_ANY_STREAM) {
        for (const GnpCapture *c = gnp_captures; c != NULL; c = c->next) {
            found |= is_on(c, device_id);
        }
    }
    else if (stream == NULL || stream == CU_STREAM_LEGACY) {
        for (const GnpCapture *c = gnp_captures; c != NULL; c = c->next) {
            found |= holds_legacy(c, device_id);
        }
    }
    else {
        found = gnp_captures != NULL && gnp_capture_find(stream) != NULL;
    }
    if (!found) {
        return 0;
    }
    pthread_mutex_unlock(&list_lock);
    return -1;
}

void
gnp_capture_admit(void)
{
    pthread_mutex_unlock(&list_lock);
}

/* Takes the lock, with the GIL, which is released while another thread holds the lock. Never blocks
 * with the GIL: see the lock order above. */
static void
lock_list(void)
{
    while (pthread_mutex_trylock(&list_lock) != 0) {
        gnp_pause_without_gil(PAUSE_NS);
    }
}

/* In the global and thread-local modes the driver rejects calls such as cuMemAlloc and marks the
 * capture invalid. The mode that is returned is the thread's own, to be restored; the relaxed one
 * where there is nothing to restore. Whether there is a capture is not asked: another thread may
 * begin one at this moment. */
CUstreamCaptureMode
gnp_capture_relax(void)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
    return mode;
}

void
gnp_capture_restore(CUstreamCaptureMode mode)
{
    if (mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
    }
}

/* ---- calls that break captures --------------------------------------------------------------- */

/* By device: such calls in progress, and those that wait for captures to end. No capture begins
 * while either count is positive: with waiting calls excluded, captures that overlap could starve
 * them. Guarded by the GIL. */
static struct {
    int running, waiting;
} breakers[GNP_MAX_DEVICES];

/* Whether this thread captures, or works in a stream that is captured. Waiting for one's own
 * capture would be a deadlock. */
static int
captures_itself(int device_id)
{
    for (const GnpCapture *c = gnp_captures; c != NULL; c = c->next) {
        if (is_on(c, device_id) && c->thread == gnp_thread_serial()) {
            return 1;
        }
    }
    return gnp_capture_find(gnp_thread.streams[device_id]) != NULL;
}

int
gnp_capture_try_suspend(int device_id)
{
    int found = 0;
    for (const GnpCapture *c = gnp_captures; c != NULL; c = c->next) {
        found |= is_on(c, device_id);
    }
    if (found && !captures_itself(device_id)) {
        return -1;
    }
    breakers[device_id].running++;
    return 0;
}

/* Polled, because what ends a capture is another thread's Python code, which needs the GIL; Ctrl-C
 * ends the wait with the pending exception. */
int
gnp_capture_suspend(int device_id, const char *what)
{
    const int64_t end = gnp_wait_clock() + LONGEST_SUSPENSION_NS;
    int ret;
    breakers[device_id].waiting++;
    while ((ret = gnp_capture_try_suspend(device_id)) < 0) {
        if (gnp_wait_clock() > end) {
            PyErr_Format(PyExc_RuntimeError,
                         "%s breaks captures of other threads, and has waited 10 s for one to end: "
                         "do it before the capture begins",
                         what);
            break;
        }
        gnp_pause_without_gil(PAUSE_NS);
        if (PyErr_CheckSignals() < 0) {
            break;
        }
    }
    breakers[device_id].waiting--;
    return ret;
}

void
gnp_capture_resume(int device_id)
{
    breakers[device_id].running--;
}

/* Takes the lock when a capture may begin; -1 with an exception, without it, after a Ctrl-C. A
 * capture of this thread may begin although others wait: they wait for this thread's first one too,
 * which could otherwise never end. */
static int
lock_to_begin(int device_id)
{
    for (;;) {
        lock_list();
        if (breakers[device_id].running == 0 &&
            (breakers[device_id].waiting == 0 || captures_itself(device_id))) {
            return 0;
        }
        gnp_capture_admit();
        gnp_pause_without_gil(PAUSE_NS);
        if (PyErr_CheckSignals() < 0) {
            return -1;
        }
    }
}

/* ---- beginning and ending -------------------------------------------------------------------- */

/* The whole of it happens under the lock: a thread that polls the stream without the GIL sees it
 * either not captured or in the list. */
int
gnp_capture_begin(GnpDevice *device, CUstream stream, PyObject *object, int mode, int is_brief)
{
    GnpCapture *capture = NULL; /* owned */
    unsigned flags = 0;
    CUresult code;
    if (stream == NULL || stream == CU_STREAM_LEGACY) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the legacy default stream cannot be captured; make a stream of your own: "
                        "with gpunp.cuda.Stream() as s: s.begin_capture()");
        return -1;
    }
    if (lock_to_begin(device->id) < 0) {
        return -1;
    }
    if (gnp_capture_find(stream) != NULL) {
        gnp_capture_admit();
        PyErr_SetString(PyExc_RuntimeError, "this stream is being captured already");
        return -1;
    }
    capture = calloc(1, sizeof *capture);
    if (capture == NULL) {
        gnp_capture_admit();
        PyErr_NoMemory();
        return -1;
    }
    capture->refcount = 1;
    capture->device = device;
    capture->thread = gnp_thread_serial();
    capture->is_brief = is_brief;
    GNP_TRY(add_stream(&capture->captured, device, stream, object));
    CU_TRY(cuStreamGetFlags(stream, &flags));
    capture->is_non_blocking = (flags & CU_STREAM_NON_BLOCKING) != 0;
    code = gnp_cu->cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode);
    if (code != 0) {
        gnp_cuda_raise(code, "cuStreamBeginCapture_v2", "Stream.begin_capture");
        goto fail;
    }
    capture->next = gnp_captures;
    gnp_captures = capture;
    gnp_pool_capture_begin(device, stream);
    gnp_capture_admit();
    return 0;
fail:
    gnp_capture_admit();
    clear_streams(&capture->captured);
    free(capture);
    return -1;
}

/* The capture that the driver has added the stream to, and that does not know it yet; or NULL. The
 * lock is held. */
static GnpCapture *
find_joined(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    GnpCapture *joined = gnp_captures;
    if (joined == NULL || gnp_capture_find(stream) != NULL ||
        gnp_cu->cuStreamIsCapturing(stream, &status) != 0 ||
        status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        return NULL;
    }
    if (joined->next != NULL && gnp_cu->cuStreamGetCaptureInfo_v2 != NULL) {
        /* Several are in progress: the driver's capture id identifies the one that was joined. */
        cuuint64_t number = 0, other = 0;
        CU_DROP(cuStreamGetCaptureInfo_v2(stream, &status, &number, NULL, NULL, NULL));
        for (; joined != NULL; joined = joined->next) {
            CU_DROP(cuStreamGetCaptureInfo_v2(joined->captured.items[0].stream, &status, &other,
                                              NULL, NULL, NULL));
            if (other == number) {
                break;
            }
        }
    }
    return joined;
}

/* Called after a stream has waited for an event. If that event is part of a capture, the driver has
 * added the stream to it silently; here our lists follow. */
int
gnp_capture_join(GnpDevice *device, CUstream stream, PyObject *object)
{
    if (gnp_captures == NULL) {
        return 0;
    }
    /* Before the search: other threads may end captures while this one waits for the lock. */
    lock_list();
    GnpCapture *joined = find_joined(stream);
    /* Appended: the first of the set stays the stream where the capture began. */
    int ret = joined != NULL ? add_stream(&joined->captured, device, stream, object) : 0;
    gnp_capture_admit();
    if (joined != NULL && ret == 0) {
        gnp_pool_capture_begin(device, stream);
    }
    return ret;
}

/* Whether the driver still captures the stream; assumed where the query fails. Decides whether a
 * failed end can be retried; assuming "yes" keeps the capture in the list, so that nothing it uses
 * is freed. */
static int
is_captured(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return gnp_cu->cuStreamIsCapturing(stream, &status) != 0 ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* Removes it from the list; the lock is held. From here on allocations of its streams come from
 * their usual arenas again (end_streams). */
static void
unlink_capture(GnpCapture *capture)
{
    for (GnpCapture **link = &gnp_captures; *link != NULL; link = &(*link)->next) {
        if (*link == capture) {
            *link = capture->next;
            break;
        }
    }
    capture->next = NULL;
}

/* Continues what waited for the end of a capture; it is no longer in the list. Memory that the
 * capture took stays reserved for the graph. What other captures' ends had to wait for, pending
 * blocks and graphs to be released, is done when this was the last one. */
static void
end_streams(GnpCapture *capture)
{
    for (int i = 0; i < capture->captured.count; i++) {
        const StreamRef *ref = &capture->captured.items[i];
        gnp_pool_capture_end(ref->device, ref->stream, capture);
    }
    clear_streams(&capture->captured);
    if (gnp_captures != NULL) {
        return;
    }
    gnp_pool_captures_over();
    while (waiting != NULL &&
           gnp_captures == NULL) { /* a capture may begin while others are released */
        GnpCapture *next = waiting;
        waiting = next->next;
        next->next = NULL;
        gnp_capture_release(next);
    }
}

/* The capture that began in the stream; NULL with an exception. The driver ends a capture only in
 * its origin stream, and reports anything else less clearly. */
static GnpCapture *
find_to_end(CUstream stream)
{
    GnpCapture *capture = gnp_capture_find(stream);
    if (capture == NULL) {
        gnp_error_raise_text(CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE",
                             "this stream is not being captured");
        return NULL;
    }
    if (!same_stream(&capture->captured.items[0], stream)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "a capture ends in the stream it began in; this one joined it");
        return NULL;
    }
    return capture;
}

/* An invalidated capture also ends here: the driver returns an error, and the graph is empty. */
GnpCapture *
gnp_capture_end(CUstream stream)
{
    lock_list();
    GnpCapture *capture = find_to_end(stream);
    if (capture == NULL) {
        gnp_capture_admit();
        return NULL;
    }
    CUresult code = gnp_cu->cuStreamEndCapture(stream, &capture->graph);
    /* When the driver did nothing the capture continues, and ending it can be tried again. */
    int goes_on = code != 0 && is_captured(stream);
    if (!goes_on) {
        unlink_capture(capture);
    }
    gnp_capture_admit();
    if (!goes_on) {
        end_streams(capture);
    }
    if (code == 0 && capture->graph != NULL) {
        return capture;
    }
    capture->graph = NULL;
    if (!goes_on) {
        gnp_capture_release(capture);
    }
    /* Success without a graph is how some drivers end a capture that was invalidated. */
    gnp_cuda_raise(code != 0 ? code : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "cuStreamEndCapture",
                   "Stream.end_capture");
    return NULL;
}

/* The reference that begin made is dropped here, as there is no graph object to take it. */
int
gnp_capture_abandon(CUstream stream)
{
    if (gnp_captures == NULL) {
        return 0;
    }
    lock_list();
    GnpCapture *capture = gnp_capture_find(stream);
    if (capture == NULL || !same_stream(&capture->captured.items[0], stream)) {
        gnp_capture_admit();
        return 0;
    }
    CUresult code = gnp_cu->cuStreamEndCapture(stream, &capture->graph);
    unlink_capture(capture);
    gnp_capture_admit();
    gnp_cuda_drop(code, "cuStreamEndCapture(stream, &capture->graph)", __func__);
    capture->graph = code == 0 ? capture->graph : NULL;
    end_streams(capture);
    gnp_capture_release(capture);
    return 1;
}

int
gnp_capture_abandon_own(CUstream stream)
{
    const GnpCapture *capture = gnp_captures != NULL ? gnp_capture_find(stream) : NULL;
    return capture != NULL && capture->thread == gnp_thread_serial() ? gnp_capture_abandon(stream)
                                                                     : 0;
}

/* ---- resources of a graph -------------------------------------------------------------------- */

/* The list is made when it is first needed: most graphs have neither host calls nor objects. */
static int
append(PyObject **list, PyObject *object)
{
    if (*list == NULL) {
        *list = PyList_New(0);
    }
    return *list != NULL ? PyList_Append(*list, object) : -1;
}

/* Looks back over the last 16 objects only: loops launch few different kernels, and a second
 * reference does no harm. */
int
gnp_capture_keep_slow(CUstream stream, PyObject *object)
{
    GnpCapture *capture = gnp_capture_find(stream);
    if (capture == NULL) {
        return 0;
    }
    Py_ssize_t n = capture->objects != NULL ? PyList_GET_SIZE(capture->objects) : 0;
    for (Py_ssize_t i = n - 1; i >= 0 && i >= n - 16; i--) { /* the same kernel again */
        if (PyList_GET_ITEM(capture->objects, i) == object) {
            return 0;
        }
    }
    return append(&capture->objects, object);
}

/* `bytes` of page-locked memory that lives as long as the graph; NULL with an exception. Aligned to
 * 16 bytes. The rest of the previous slab is given up when a request does not fit. */
static void *
slab_memory(GnpCapture *capture, size_t bytes)
{
    Slab *slab = capture->slabs;
    bytes = (bytes + 15) / 16 * 16;
    if (slab == NULL || slab->bytes - slab->used < bytes) {
        slab = calloc(1, sizeof *slab);
        if (slab == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        slab->bytes = bytes > SLAB_BYTES ? bytes : SLAB_BYTES;
        void *ptr = NULL;
        const CUstreamCaptureMode mode = gnp_capture_relax();
        CUresult code;
        CU_WAIT(code, cuMemHostAlloc(&ptr, slab->bytes, 0));
        gnp_capture_restore(mode);
        if (code != 0) {
            free(slab);
            gnp_cuda_raise(code, "cuMemHostAlloc", __func__);
            return NULL;
        }
        slab->ptr = ptr;
        slab->next = capture->slabs;
        capture->slabs = slab;
    }
    slab->used += bytes;
    return slab->ptr + slab->used - bytes;
}

/* The values at the time of the capture are part of the graph, as the contents of pageable memory
 * are for a copy outside of one. Replays read the slab, never the caller's memory. */
int
gnp_capture_upload(GnpCapture *capture, CUdeviceptr dst, const void *src, size_t bytes,
                   CUstream stream)
{
    int ret = -1;
    gnp_capture_retain(
        capture); /* the GIL is released below, and the graph could be deallocated meanwhile */
    void *copy = slab_memory(capture, bytes);
    if (copy == NULL) {
        goto fail;
    }
    memcpy(copy, src, bytes);
    CU_TRY_QUEUE(cuMemcpyHtoDAsync_v2(dst, copy, bytes, stream));
    ret = 0;
fail:
    gnp_capture_release(capture);
    return ret;
}

/* Unlike a function that a stream calls once, this one keeps its reference, which the graph owns.
 * Runs in a thread of the driver, at each replay, while the graph's work in that stream waits for
 * it. Nothing can be raised there: errors go to sys.unraisablehook. */
static void
run_host_call(void *data)
{
    if (gnp_is_closing()) {
        return;
    }
    PyGILState_STATE state = gnp_host_function_begin();
    PyObject *pair = Py_NewRef(data);
    PyObject *result = PyObject_CallObject(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
    if (result == NULL) {
        PyErr_WriteUnraisable(PyTuple_GET_ITEM(pair, 0));
    }
    Py_XDECREF(result);
    Py_DECREF(pair);
    gnp_host_function_end(state);
}

int
gnp_capture_host_call(GnpCapture *capture, CUstream stream, PyObject *pair)
{
    GNP_TRY(append(&capture->host_calls, pair));
    /* As long as the graph lives, launches may have to wait for functions that need the GIL. */
    __atomic_add_fetch(&gnp_host_functions, 1, __ATOMIC_RELAXED);
    CU_TRY_QUEUE(cuLaunchHostFunc(stream, run_host_call, pair));
    return 0;
fail:
    return -1;
}

/* Recursive, because a launch runs the functions of all child graphs too. */
int
gnp_capture_count_functions(const GnpCapture *capture)
{
    int n = capture->host_calls != NULL ? (int)PyList_GET_SIZE(capture->host_calls) : 0;
    for (int i = 0; i < capture->nchildren; i++) {
        n += gnp_capture_count_functions(capture->children[i]);
    }
    return n;
}

PyObject *
gnp_capture_host_calls(const GnpCapture *capture)
{
    return capture->host_calls;
}

CUgraph
gnp_capture_graph(const GnpCapture *capture)
{
    return capture->graph;
}

GnpTurn *
gnp_capture_turn(GnpCapture *capture)
{
    return &capture->turn;
}

GnpDevice *
gnp_capture_device(const GnpCapture *capture)
{
    return capture->device;
}

static int
is_last(const StreamSet *set, CUstream stream)
{
    return set->count != 0 && same_stream(&set->items[set->count - 1], stream);
}

/* Children may have been launched elsewhere by themselves. */
int
gnp_capture_ran_last_in(const GnpCapture *capture, CUstream stream)
{
    for (int i = 0; i < capture->nchildren; i++) {
        if (!gnp_capture_ran_last_in(capture->children[i], stream)) {
            return 0;
        }
    }
    return is_last(&capture->runs_in, stream);
}

/* Kept for the release: a graph launched in several streams may still run in any of them. */
int
gnp_capture_runs_in(GnpCapture *capture, CUstream stream, PyObject *object)
{
    for (int i = 0; i < capture->nchildren; i++) {
        if (gnp_capture_runs_in(capture->children[i], stream, object) < 0) {
            return -1;
        }
    }
    if (is_last(&capture->runs_in, stream)) {
        return 0;
    }
    return add_stream(&capture->runs_in, capture->device, stream, object);
}

/* In the child's turn, and with the GIL throughout. Room for the reference is made first, so that
 * nothing can fail after the node exists. */
static int
include(GnpCapture *capture, CUstream stream, GnpCapture *child)
{
    CUstreamCaptureStatus status;
    cuuint64_t number = 0;
    CUgraph graph = NULL;
    CUgraphNode node = NULL;
    const CUgraphNode *needs = NULL;
    size_t count = 0;
    GnpCapture **grown =
        realloc(capture->children, (size_t)(capture->nchildren + 1) * sizeof *grown);
    if (grown == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    capture->children = grown;
    CU_TRY(cuStreamGetCaptureInfo_v2(stream, &status, &number, &graph, &needs, &count));
    CU_TRY(cuGraphAddChildGraphNode(&node, graph, needs, count, child->graph));
    CU_TRY(cuStreamUpdateCaptureDependencies(stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    grown[capture->nchildren++] = gnp_capture_retain(child);
    return 0;
fail:
    return -1;
}

/* The driver copies the child graph into a node. It is appended behind what the stream has recorded
 * so far, and becomes the dependency of what follows. While this thread waits for its turn at the
 * child, others may include graphs too, drop the child, or end the capture. */
int
gnp_capture_include(CUstream stream, GnpCapture *child)
{
    int ret = -1;
    if (gnp_cu->cuStreamGetCaptureInfo_v2 == NULL || gnp_cu->cuGraphAddChildGraphNode == NULL ||
        gnp_cu->cuStreamUpdateCaptureDependencies == NULL) {
        return gnp_cuda_raise(CUDA_ERROR_NOT_SUPPORTED, "cuGraphAddChildGraphNode", "Graph.launch");
    }
    gnp_capture_retain(child);
    gnp_turn_take(&child->turn);
    GnpCapture *capture = gnp_capture_find(stream);
    if (capture != NULL) {
        ret = include(capture, stream, child);
    }
    else {
        PyErr_SetString(PyExc_RuntimeError, "the capture was ended by another thread meanwhile");
    }
    gnp_turn_end(&child->turn);
    gnp_capture_release(child);
    return ret;
}

GnpCapture *
gnp_capture_retain(GnpCapture *capture)
{
    capture->refcount++;
    return capture;
}

/* The handle 2 is the calling thread's own stream, so another thread cannot refer to it; it can use
 * the legacy stream, which synchronises with it. */
static CUstream
nameable(const StreamRef *ref)
{
    return ref->stream == CU_STREAM_PER_THREAD ? NULL : ref->stream;
}

/* Makes `last` wait for the work of the stream so far. The event may be destroyed at once: the
 * driver keeps it until the wait has been done. */
static CUresult
order_after(CUstream stream, CUstream last)
{
    CUevent event = NULL;
    CUresult code = gnp_cu->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (code != 0) {
        return code;
    }
    CU_QUEUE(code, cuEventRecord(event, stream));
    if (code == 0) {
        CU_QUEUE(code, cuStreamWaitEvent(last, event, 0));
    }
    CU_DROP(cuEventDestroy_v2(event));
    return code;
}

/* Makes the last stream the graph ran in wait for the others, so that it stands for all. Events
 * instead of waits on the host. Where one cannot be recorded the host waits after all. */
static CUstream
gather_runs(const GnpDevice *device, const StreamSet *set)
{
    const CUstream last = nameable(&set->items[set->count - 1]);
    for (int i = 0; i + 1 < set->count; i++) {
        const CUstream stream = nameable(&set->items[i]);
        if (order_after(stream, last) != 0) {
            gnp_wait_quietly(device, stream);
        }
    }
    return last;
}

/* A block of another device than the graph's: its pool cannot record events in a stream of the
 * graph's, so a stream of its own waits for the replays. May be called while an exception is
 * pending. */
static void
release_elsewhere(GnpBlock *block, const GnpPeerSide *replays)
{
    PyObject *type, *value, *trace;
    const GnpPeerSide own = {.device = gnp_device_if_open(block->device_id)};
    PyErr_Fetch(&type, &value, &trace);
    if (gnp_peer_wait(&own, replays) < 0) {
        PyErr_Clear();
        CU_DROP(cuCtxSetCurrent(replays->device->context));
        gnp_wait_quietly(replays->device, replays->stream);
    }
    PyErr_Restore(type, value, trace);
    gnp_block_record(block, own.stream);
    gnp_block_release(block);
    CU_DROP(cuCtxSetCurrent(replays->device->context));
}

/* Frees what replays use, once events show the pool that they have ended. Page-locked memory
 * has no stream order, and host functions are called with objects that are about to be freed:
 * both need a wait. Blocks do not: recording the stream makes the pool hold them back until
 * its work is done. */
static void
release_uses(GnpCapture *capture)
{
    const int has_run = capture->runs_in.count != 0;
    const CUstream last = has_run ? gather_runs(capture->device, &capture->runs_in) : NULL;
    if (has_run && (capture->slabs != NULL || capture->host_calls != NULL)) {
        gnp_wait_quietly(capture->device, last);
    }
    const GnpPeerSide replays = {.device = capture->device, .stream = last};
    for (size_t i = 0; i < capture->capacity; i++) {
        GnpBlock *block = capture->blocks[i];
        if (block != NULL && has_run && block->device_id != capture->device->id) {
            release_elsewhere(block, &replays);
        }
        else if (block != NULL) {
            if (has_run) {
                gnp_block_record(block, last);
            }
            gnp_block_release(block);
        }
    }
    gnp_pool_capture_drop(capture, has_run, last);
    for (Slab *slab = capture->slabs, *next; slab != NULL; slab = next) {
        next = slab->next;
        CU_DROP_WAIT(cuMemFreeHost(slab->ptr));
        free(slab);
    }
}

void
gnp_capture_release(GnpCapture *capture)
{
    if (--capture->refcount > 0) {
        return;
    }
    if (gnp_is_closing()) {
        return; /* the process ends: the driver frees everything */
    }
    if (gnp_captures != NULL) {
        /* Events recorded now could become part of a capture in progress, or break it. */
        capture->refcount = 1;
        capture->next = waiting;
        waiting = capture;
        return;
    }
    /* Destructors run in any thread, with any device current: the graph's is made current
     * meanwhile. */
    CUcontext before = NULL;
    CU_DROP(cuCtxGetCurrent(&before));
    CU_DROP(cuCtxSetCurrent(capture->device->context));
    if (capture->graph != NULL) {
        CU_DROP_WAIT(cuGraphDestroy(capture->graph));
    }
    release_uses(capture);
    CU_DROP(cuCtxSetCurrent(before));
    if (capture->host_calls != NULL) {
        __atomic_sub_fetch(&gnp_host_functions, (int)PyList_GET_SIZE(capture->host_calls),
                           __ATOMIC_RELAXED);
    }
    for (int i = 0; i < capture->nchildren; i++) {
        gnp_capture_release(capture->children[i]);
    }
    free(capture->children);
    free(capture->blocks);
    clear_streams(&capture->runs_in);
    Py_XDECREF(capture->host_calls);
    Py_XDECREF(capture->objects);
    free(capture);
}

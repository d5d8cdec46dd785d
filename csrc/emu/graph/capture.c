/* Stream capture: work submitted to a capturing stream becomes nodes of a graph.
 *
 * A capture begins in one stream and spreads to others that wait for events recorded in it. For
 * each stream it keeps the nodes the next one will need (its tails). Everything here is rare and
 * stands under one lock; `active` lets the usual calls pass without it.
 *
 * The driver calls up into this file (driver/upward.h): emu_submit for each piece of work, event.c
 * for records and waits, and calls that a capture forbids. The lock comes before those of contexts
 * and streams and is held while nodes are added to the graph, so that a graph that is captured has
 * a lock although graphs in general have none.
 *
 * A capture that met a forbidden call is broken: it stays until cuStreamEndCapture, which returns
 * the error and no graph, as the CUDA programming guide says of invalidated captures. */
#include "emu/graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* One stream of a capture. `tails` are the last nodes of the stream: an event waited for adds the
 * nodes at its record, the next node replaces them all. */
typedef struct Member {
    struct Member *next;
    Stream *stream;         /* reference */
    Node **tails;           /* owned */
    CUgraphEdgeData *edges; /* owned: zeros, as many as were asked for */
    size_t edges_count;
    int count;
} Member;

/* Belongs to the list below from its beginning to its end. `origin` is no reference of its own; the
 * member for it holds one. */
struct Capture {
    uint64_t number;
    Graph *graph;
    int foreign; /* the graph is the caller's: it stays when the capture fails */
    Stream *origin;
    CUstreamCaptureMode mode;
    uint64_t thread;
    int broken;
    Member *members;
    struct Capture *next;
};

/* The captures under way, in whatever context: one in global mode concerns all of them. */
static struct {
    pthread_mutex_t lock; /* guards all captures and what follows */
    Capture *captures;
    uint64_t numbers, threads;
    /* The number of captures. Zero lets every call pass without the lock. */
    _Atomic int active;
} capturing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t thread_number;
/* Of this thread, as cuThreadExchangeStreamCaptureMode sets it: what it asks of captures of
 * others. */
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/* ---- helpers; the lock is held --------------------------------------------------------------- */

/* Numbered from 1 rather than by pthread_self(), which the system gives again to later threads. */
static uint64_t
this_thread(void)
{
    if (thread_number == 0) {
        thread_number = ++capturing.threads;
    }
    return thread_number;
}

/* Caller holds the lock, so relaxed is enough; others ask emu_stream_captures. */
static Capture *
capture_of(Stream *stream)
{
    return atomic_load_explicit(&stream->capture, memory_order_relaxed);
}

/* A capture has few streams, so its members are a list. */
static Member *
member_of(Capture *capture, const Stream *stream)
{
    Member *member = capture->members;
    while (member != NULL && member->stream != stream) {
        member = member->next;
    }
    return member;
}

/* The reference keeps the stream's memory although the program destroys it during the capture. */
static Member *
join(Capture *capture, Stream *stream)
{
    Member *member = calloc(1, sizeof *member);
    if (member != NULL) {
        emu_handle_ref(stream);
        member->stream = stream;
        member->next = capture->members;
        capture->members = member;
        /* Stored last: emu_stream_captures of another thread sees a complete member. */
        atomic_store(&stream->capture, capture);
    }
    return member;
}

/* Adds nodes to a set that starts as (*set, *count). */
static CUresult
unite(Node ***set, int *count, Node *const *more, int more_count)
{
    /* One place more than needed, so that an empty set is not a call of realloc with size 0. */
    Node **grown = realloc(*set, (size_t)(*count + more_count + 1) * sizeof(Node *));
    if (grown == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *set = grown;
    for (int i = 0; i < more_count; i++) {
        /* A set: the same node may come by the stream's own order and by an event. */
        int known = 0;
        for (int k = 0; k < *count && !known; k++) {
            known = grown[k] == more[i];
        }
        if (!known) {
            grown[(*count)++] = more[i];
        }
    }
    return 0;
}

/* Ends what was captured, unless it went into a graph of the program's. */
static void
drop_graph(Capture *capture)
{
    if (capture->graph != NULL && !capture->foreign) {
        emu_graph_end(capture->graph);
    }
}

/* Frees the capture; its graph is the caller's. Streams stop capturing here, whatever became of the
 * graph. References go under the lock, which no destructor of a stream takes. */
static void
finish(Capture *capture)
{
    while (capture->members != NULL) {
        Member *member = capture->members;
        capture->members = member->next;
        atomic_store(&member->stream->capture, NULL);
        emu_handle_unref(member->stream);
        free(member->tails);
        free(member->edges);
        free(member);
    }
    for (Capture **at = &capturing.captures; *at != NULL; at = &(*at)->next) {
        if (*at == capture) {
            *at = capture->next;
            break;
        }
    }
    atomic_fetch_sub(&capturing.active, 1);
    free(capture);
}

/* ---- what other files ask -------------------------------------------------------------------- */

/* Acquire: whoever sees the capture sees its members too. */
int
emu_stream_captures(Stream *stream)
{
    /* Asked on each submission without the lock. The answer may be out of date only if another
     * thread begins or ends the capture meanwhile, which a program has to order by itself. */
    return atomic_load_explicit(&stream->capture, memory_order_acquire) != NULL;
}

/* For calls that may synchronise or have other effects on the whole context, such as cuMemAlloc
 * (cudaStreamCaptureMode). */
CUresult
emu_capture_refuse(void)
{
    /* Every call that allocates passes here, and captures are rare: without one the question costs
     * a load. */
    if (atomic_load_explicit(&capturing.active, memory_order_acquire) == 0 ||
        thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
        return 0;
    }
    CUresult result = 0;
    pthread_mutex_lock(&capturing.lock);
    for (Capture *capture = capturing.captures; capture != NULL; capture = capture->next) {
        /* As cuThreadExchangeStreamCaptureMode has it: a global capture forbids unsafe calls to
         * every thread that has not asked for less, a thread-local one to its own thread. The call
         * fails and the capture is broken as well. */
        int mine = capture->thread == this_thread();
        if ((capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
             (mine || thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL)) ||
            (capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && mine)) {
            capture->broken = 1;
            result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

/* For calls that wait for the whole context, which no mode allows. Waiting for the context would
 * wait for work that does not run. The capture breaks whatever its mode is, as the call concerns
 * the capturing streams directly. */
CUresult
emu_capture_refuse_all(const Context *context)
{
    if (atomic_load_explicit(&capturing.active, memory_order_acquire) == 0) {
        return 0;
    }
    CUresult result = 0;
    pthread_mutex_lock(&capturing.lock);
    for (Capture *capture = capturing.captures; capture != NULL; capture = capture->next) {
        if (capture->origin->context == context) {
            capture->broken = 1;
            result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

/* For the emulated cuFFT: the real one breaks captures of other threads when it destroys a plan. */
EMU_EXPORT void
cuEmuBreakCaptures(int *count)
{
    Context *context;
    *count = 0;
    if (atomic_load_explicit(&capturing.active, memory_order_acquire) == 0 ||
        emu_context_current(&context) != 0) {
        return;
    }
    pthread_mutex_lock(&capturing.lock);
    /* Of the calling thread's context only, and not captures of the thread itself. */
    for (Capture *capture = capturing.captures; capture != NULL; capture = capture->next) {
        if (capture->origin->context == context && capture->thread != this_thread()) {
            capture->broken = 1;
            ++*count;
        }
    }
    pthread_mutex_unlock(&capturing.lock);
}

/* The error tells the caller that its call is not allowed; the capture ends later with INVALIDATED.
 */
CUresult
emu_capture_invalidate(Stream *stream)
{
    pthread_mutex_lock(&capturing.lock);
    Capture *capture = capture_of(stream);
    if (capture != NULL) {
        capture->broken = 1;
    }
    pthread_mutex_unlock(&capturing.lock);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/* `breaks` is 0 for questions about the legacy stream, which return the error and leave the capture
 * whole. */
static CUresult
check_legacy(const Context *context, int breaks)
{
    if (atomic_load_explicit(&capturing.active, memory_order_acquire) == 0) {
        return 0;
    }
    CUresult result = 0;
    pthread_mutex_lock(&capturing.lock);
    for (Capture *capture = capturing.captures; capture != NULL; capture = capture->next) {
        /* Any member counts, not the origin alone. Non-blocking streams have no order with the
         * legacy stream, so they may capture while it works. */
        for (Member *member = capture->members; member != NULL; member = member->next) {
            /* Work on the legacy stream would wait for this stream, and what is captured does not
             * run. */
            if (member->stream->context == context &&
                (member->stream->flags & CU_STREAM_NON_BLOCKING) == 0) {
                capture->broken |= breaks;
                result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
            }
        }
    }
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

CUresult
emu_capture_check_legacy(Context *context)
{
    return check_legacy(context, 1);
}

/* Types that a stream can capture. Allocations, releases and conditions have their own ways into a
 * graph. */
static int
node_type(WorkKind kind)
{
    switch (kind) {
    case WORK_KERNEL:
        return CU_GRAPH_NODE_TYPE_KERNEL;
    case WORK_COPY:
        return CU_GRAPH_NODE_TYPE_MEMCPY;
    case WORK_FILL:
        return CU_GRAPH_NODE_TYPE_MEMSET;
    case WORK_HOST:
        return CU_GRAPH_NODE_TYPE_HOST;
    case WORK_EMPTY:
        return CU_GRAPH_NODE_TYPE_EMPTY;
    case WORK_RECORD:
        return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    case WORK_AWAIT:
        return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    case WORK_GRAPH:
        return CU_GRAPH_NODE_TYPE_GRAPH;
    case WORK_VALUES:
        return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    default:
        return -1;
    }
}

/* Takes the work, on failure too. Errors break the capture: the graph would lack the work. */
static CUresult
add_locked(Stream *stream, Work *work)
{
    Capture *capture = capture_of(stream);
    Member *member = capture != NULL ? member_of(capture, stream) : NULL;
    int type = node_type(work->kind);
    CUresult result = 0;
    if (member == NULL || type < 0) {
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    else if (capture->broken) {
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (result != 0) {
        if (capture != NULL) {
            capture->broken = 1;
        }
        emu_work_clear(work);
        return result;
    }
    Node *node;
    /* The node follows the tails of its stream and then is the only one. */
    EMU_TRY(emu_graph_add(&node, capture->graph, type, work, member->tails, member->count));
    /* The set keeps its array; only its count is reset. */
    member->count = 0;
    return unite(&member->tails, &member->count, &node, 1);
}

CUresult
emu_capture_add(Stream *stream, Work *work)
{
    pthread_mutex_lock(&capturing.lock);
    CUresult result = add_locked(stream, work);
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

/* The member that may get a node now; else 901, or 900 for a stream that does not capture. */
static CUresult
open_member(Stream *stream, Capture **capture, Member **member)
{
    *capture = capture_of(stream);
    *member = *capture != NULL ? member_of(*capture, stream) : NULL;
    if (*member == NULL) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return (*capture)->broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : 0;
}

static CUresult
allocate_locked(Stream *stream, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    Capture *capture;
    Member *member;
    Node *node;
    EMU_TRY(open_member(stream, &capture, &member));
    EMU_TRY(emu_node_allocate(&node, capture->graph, params, member->tails, member->count));
    member->count = 0;
    return unite(&member->tails, &member->count, &node, 1);
}

/* cuMemAllocAsync on a capturing stream. The address is known at once and stays the same for all
 * launches. */
CUresult
emu_capture_allocate(Stream *stream, size_t bytes, CUdeviceptr *out)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, stream->context->device->ordinal}},
        .bytesize = bytes};
    pthread_mutex_lock(&capturing.lock);
    CUresult result = allocate_locked(stream, &params);
    pthread_mutex_unlock(&capturing.lock);
    if (result == 0) {
        *out = params.dptr;
    }
    return result;
}

/* The address must be of an allocation node, of this graph or another. */
static CUresult
release_locked(Stream *stream, CUdeviceptr address)
{
    Capture *capture;
    Member *member;
    Node *node;
    EMU_TRY(open_member(stream, &capture, &member));
    EMU_TRY(emu_node_release(&node, capture->graph, address, member->tails, member->count));
    member->count = 0;
    return unite(&member->tails, &member->count, &node, 1);
}

CUresult
emu_capture_release(Stream *stream, CUdeviceptr address)
{
    pthread_mutex_lock(&capturing.lock);
    CUresult result = release_locked(stream, address);
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

/* Recording does not add a node: the event remembers the tails, from which a wait in another stream
 * continues. */
CUresult
emu_capture_record(Stream *stream, Event *event)
{
    CUresult result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    pthread_mutex_lock(&capturing.lock);
    Capture *capture = capture_of(stream);
    Member *member = capture != NULL ? member_of(capture, stream) : NULL;
    if (member != NULL && !capture->broken) {
        event->captured_count = 0;
        result = unite(&event->captured, &event->captured_count, member->tails, member->count);
        /* The number and no pointer: the capture may be gone when the event is used. */
        atomic_store(&event->capture, capture->number);
    }
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

/* An event of a capture carries the tails of the stream at the time of its record; waiting for it
 * adds them to those of the waiting stream, which joins. */
static CUresult
wait_locked(Stream *stream, Event *event)
{
    uint64_t number = atomic_load(&event->capture);
    /* Found by number among those that are under way, so an event of an ended capture is
     * recognised. */
    Capture *mine = capture_of(stream), *its = capturing.captures;
    while (its != NULL && its->number != number) {
        its = its->next;
    }
    if (number == 0 || its == NULL || its->broken) {
        if (mine == NULL) {
            /* A stream that does not capture cannot wait for work that has not run. */
            return CUDA_ERROR_INVALID_VALUE; /* its capture has ended or failed */
        }
        if (number == 0 && event->generation == 0) {
            return 0; /* never recorded: nothing to wait for */
        }
        /* An event recorded outside of the capture stands for work that runs when the graph is
         * captured and not when it is launched (CUDA programming guide, cross-stream dependencies).
         */
        mine->broken = 1; /* work the graph would not contain */
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    /* Two captures cannot become one graph. */
    if (mine != NULL && mine != its) {
        mine->broken = its->broken = 1;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    /* The legacy stream cannot take part, since it synchronises with all others. */
    if (stream == stream->context->legacy) {
        its->broken = 1;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    /* Here a capture spreads: the stream joins the capture of the event, as fork and join by events
     * require. */
    Member *member = mine != NULL ? member_of(its, stream) : join(its, stream);
    if (member == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* Adds to what the stream's own order needs; both must be done before its next node. */
    return unite(&member->tails, &member->count, event->captured, event->captured_count);
}

/* Asking for the state of a captured event is not allowed while its capture goes on. */
CUresult
emu_capture_ask(Event *event)
{
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&capturing.lock);
    uint64_t number = atomic_load(&event->capture);
    for (Capture *capture = capturing.captures; capture != NULL; capture = capture->next) {
        if (capture->number == number && !capture->broken) {
            capture->broken = 1;
            result = CUDA_ERROR_CAPTURED_EVENT;
        }
    }
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

CUresult
emu_capture_wait(Stream *stream, Event *event)
{
    pthread_mutex_lock(&capturing.lock);
    CUresult result = wait_locked(stream, event);
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Where a capture puts its nodes; without a graph, into a new one. cuStreamBeginCaptureToGraph
 * continues a graph of the program from given nodes. */
typedef struct {
    Graph *graph;
    Node *const *needs;
    int count;
} Target;

static CUresult
begin_locked(Stream *stream, CUstreamCaptureMode mode, const Target *target)
{
    /* A stream takes part in one capture at a time. */
    if (capture_of(stream) != NULL) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    Capture *capture = calloc(1, sizeof *capture);
    if (capture == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    capture->foreign = target->graph != NULL;
    capture->graph = capture->foreign ? target->graph : emu_graph_new();
    capture->number = ++capturing.numbers;
    capture->origin = stream;
    capture->mode = mode;
    capture->thread = this_thread();
    /* Listed before anything can fail, so that finish() undoes all in one way. */
    capture->next = capturing.captures;
    capturing.captures = capture;
    atomic_fetch_add(&capturing.active, 1);
    Member *member = capture->graph != NULL ? join(capture, stream) : NULL;
    CUresult result = member != NULL
                          ? unite(&member->tails, &member->count, target->needs, target->count)
                          : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != 0) {
        drop_graph(capture);
        finish(capture);
        return result;
    }
    /* The program must not use the handle of a graph that is still being captured. It stays hidden
     * from the ledger until the capture ends well. */
    if (!capture->foreign) {
        emu_graph_lend(capture->graph);
    }
    return 0;
}

static CUresult
begin(CUstream handle, CUstreamCaptureMode mode, const Target *target)
{
    Context *context;
    Stream *stream;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    /* Mode and stream are checked before the lock is taken. The legacy stream cannot capture;
     * per-thread default streams can. */
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (stream == stream->context->legacy) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    pthread_mutex_lock(&capturing.lock);
    CUresult result = begin_locked(stream, mode, target);
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

CUresult
cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    EMU_TRY_ENTER(cuStreamBeginCapture_v2);
    return begin(stream, mode, &(Target){0});
}

/* The first version of the call knew no modes; its behaviour is that of global mode. */
CUresult
cuStreamBeginCapture(CUstream stream)
{
    EMU_TRY_ENTER(cuStreamBeginCapture);
    return begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, &(Target){0});
}

/* Whether all of `nodes` belong to the graph. */
static CUresult
check_nodes(const Graph *graph, const CUgraphNode *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const Node *node = nodes != NULL ? emu_handle_get(nodes[i], KIND_NODE) : NULL;
        if (node == NULL || node->graph != graph) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return 0;
}

CUresult
cuStreamBeginCaptureToGraph(CUstream stream, CUgraph handle, const CUgraphNode *needs,
                            const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode)
{
    EMU_TRY_ENTER_GRAPH(cuStreamBeginCaptureToGraph, handle, graph);
    /* Nodes must belong to the graph; capturing continues as if an event at them had been waited
     * for. */
    EMU_TRY(check_nodes(graph, needs, count));
    EMU_TRY(emu_edges_check(edges, count));
    return begin(stream, mode, &(Target){graph, (Node *const *)(const void *)needs, (int)count});
}

/* Whether all that other streams captured comes before the end of the first one. Marks all nodes
 * that the origin's tails depend on. Every other stream's tails must be among them, or work would
 * be left that nothing in the graph waits for. */
static int
all_joined(Capture *capture)
{
    Node **order = emu_graph_order(capture->graph);
    if (order == NULL) {
        return 0;
    }
    const Member *first = member_of(capture, capture->origin);
    for (int i = 0; i < capture->graph->count; i++) {
        order[i]->mark = 0;
    }
    for (int i = 0; i < first->count; i++) {
        first->tails[i]->mark = 1;
    }
    /* In reverse topological order, a node's mark is final before it is handed to what it needs. */
    for (int i = capture->graph->count - 1; i >= 0; i--) { /* from the ends to the beginnings */
        for (int k = 0; order[i]->mark && k < order[i]->needs_count; k++) {
            order[i]->needs[k]->mark = 1;
        }
    }
    free(order);
    for (const Member *member = capture->members; member != NULL; member = member->next) {
        for (int i = 0; i < member->count; i++) {
            if (!member->tails[i]->mark) {
                return 0;
            }
        }
    }
    return 1;
}

/* Only the first stream ends a capture, and all others have to have come back to it by events.
 * *made becomes whether the capture made the graph. */
static CUresult
end_locked(Stream *stream, Graph **out, int *made)
{
    Capture *capture = capture_of(stream);
    *out = NULL;
    *made = 0;
    if (capture == NULL) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    /* Ending it elsewhere is an error that breaks the capture but leaves it open for the stream
     * that began it. */
    if (capture->origin != stream) {
        capture->broken = 1;
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    /* Only relaxed captures may move between threads (cuStreamEndCapture). */
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != this_thread()) {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    CUresult result = capture->broken        ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                      : !all_joined(capture) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                             : 0;
    if (result == 0) {
        *out = capture->graph;
        *made = !capture->foreign;
    }
    else {
        drop_graph(capture);
    }
    /* The stream is free for other work from here on, also after an error. */
    finish(capture);
    return result;
}

CUresult
cuStreamEndCapture(CUstream handle, CUgraph *out)
{
    Context *context;
    Stream *stream;
    Graph *graph;
    int made;
    EMU_TRY_ENTER_CONTEXT(cuStreamEndCapture, context);
    EMU_TRY(emu_stream_get(context, handle, &stream));
    pthread_mutex_lock(&capturing.lock);
    CUresult result = end_locked(stream, &graph, &made);
    pthread_mutex_unlock(&capturing.lock);
    if (out == NULL) { /* not asked for */
        if (made) {
            emu_graph_end(graph);
        }
        return result;
    }
    /* The graph is the program's only after this call, so its handle is made visible outside of the
     * lock. A graph that was captured into stays what it was: the program's, or a node's. */
    *out = (CUgraph)graph;
    if (made) {
        graph->borrowed = 0;
        emu_handle_show(graph, KIND_GRAPH);
    }
    return result;
}

/* A stream is destroyed while it captures. Called by cuStreamDestroy. Without its origin a capture
 * cannot end; without another stream it cannot be complete. */
void
emu_capture_abandon(Stream *stream)
{
    pthread_mutex_lock(&capturing.lock);
    Capture *capture = capture_of(stream);
    if (capture != NULL && capture->origin == stream) {
        drop_graph(capture);
        finish(capture);
    }
    else if (capture != NULL) {
        capture->broken = 1;
    }
    pthread_mutex_unlock(&capturing.lock);
}

/* ---- questions ------------------------------------------------------------------------------- */

/* What is being captured, for the three forms of the question. Returns the member, NULL for none.
 * Caller holds the lock. A broken capture reports its status and nothing else. */
static Member *
ask(Stream *stream, CUstreamCaptureStatus *status, cuuint64_t *number, CUgraph *graph)
{
    Capture *capture = capture_of(stream);
    *status = capture == NULL   ? CU_STREAM_CAPTURE_STATUS_NONE
              : capture->broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (capture == NULL || capture->broken) {
        return NULL;
    }
    if (number != NULL) {
        *number = capture->number;
    }
    if (graph != NULL) {
        *graph = (CUgraph)capture->graph;
    }
    return member_of(capture, stream);
}

/* Asking about the legacy stream while a blocking stream captures is an error by itself. */
static CUresult
capturing_stream(CUstream handle, Stream **out)
{
    Context *context;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, out));
    /* The question must not break the capture, hence 0. */
    return *out == (*out)->context->legacy ? check_legacy((*out)->context, 0) : 0;
}

CUresult
cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
    Stream *stream;
    EMU_TRY_ENTER(cuStreamIsCapturing);
    if (status == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(capturing_stream(handle, &stream));
    pthread_mutex_lock(&capturing.lock);
    ask(stream, status, NULL, NULL);
    pthread_mutex_unlock(&capturing.lock);
    return 0;
}

CUresult
cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *number)
{
    Stream *stream;
    EMU_TRY_ENTER(cuStreamGetCaptureInfo);
    if (status == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(capturing_stream(handle, &stream));
    pthread_mutex_lock(&capturing.lock);
    ask(stream, status, number, NULL);
    pthread_mutex_unlock(&capturing.lock);
    return 0;
}

/* Edge data for all tails of a member: plain edges, which are zeros. NULL when there is no memory.
 * The array belongs to the member and is valid until the next call, as CUDA has it. Plain edges are
 * the only ones here, so the array is filled by calloc once. */
static const CUgraphEdgeData *
edges_of(Member *member)
{
    size_t count = (size_t)member->count;
    if (count > member->edges_count) {
        CUgraphEdgeData *more = calloc(count, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        free(member->edges);
        member->edges = more;
        member->edges_count = count;
    }
    return member->edges;
}

/* What the second and the third form of the question tell. */
typedef struct {
    cuuint64_t *number;
    CUgraph *graph;
    const CUgraphNode **needs;
    const CUgraphEdgeData **edges;
    size_t *count;
} Answers;

static CUresult
ask_all(CUstream handle, CUstreamCaptureStatus *status, const Answers *to)
{
    Stream *stream;
    CUresult result = 0;
    if (status == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(capturing_stream(handle, &stream));
    if (to->edges != NULL) {
        *to->edges = NULL;
    }
    pthread_mutex_lock(&capturing.lock);
    Member *member = ask(stream, status, to->number, to->graph);
    if (member != NULL && to->needs != NULL) {
        /* The array of tails is the member's own, valid until the stream's next node
         * (cuStreamGetCaptureInfo). */
        *to->needs = (const CUgraphNode *)(const void *)member->tails;
    }
    if (member != NULL && to->count != NULL) {
        *to->count = (size_t)member->count;
    }
    if (member != NULL && to->edges != NULL && member->count > 0) {
        *to->edges = edges_of(member);
        result = *to->edges == NULL ? CUDA_ERROR_OUT_OF_MEMORY : 0;
    }
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

CUresult
cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *number,
                          CUgraph *graph, const CUgraphNode **needs, size_t *count)
{
    EMU_TRY_ENTER(cuStreamGetCaptureInfo_v2);
    return ask_all(handle, status, &(Answers){number, graph, needs, NULL, count});
}

CUresult
cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *number,
                          CUgraph *graph, const CUgraphNode **needs, const CUgraphEdgeData **edges,
                          size_t *count)
{
    EMU_TRY_ENTER(cuStreamGetCaptureInfo_v3);
    return ask_all(handle, status, &(Answers){number, graph, needs, edges, count});
}

/* Changes what the next node of the stream will need. Also used to remove dependencies: SET with no
 * nodes makes the next node a root. */
static CUresult
update_locked(Stream *stream, const CUgraphNode *nodes, size_t count, unsigned flags)
{
    Capture *capture = capture_of(stream);
    Member *member = capture != NULL ? member_of(capture, stream) : NULL;
    if (member == NULL) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    EMU_TRY(check_nodes(capture->graph, nodes, count));
    /* The old set goes first, so nodes that are named again are kept. */
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
        member->count = 0;
    }
    return unite(&member->tails, &member->count, (Node *const *)(const void *)nodes, (int)count);
}

static CUresult
update(CUstream handle, const CUgraphNode *nodes, size_t count, unsigned flags)
{
    Stream *stream;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(capturing_stream(handle, &stream));
    pthread_mutex_lock(&capturing.lock);
    CUresult result = update_locked(stream, nodes, count, flags);
    pthread_mutex_unlock(&capturing.lock);
    return result;
}

CUresult
cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count,
                                  unsigned int flags)
{
    EMU_TRY_ENTER(cuStreamUpdateCaptureDependencies);
    return update(stream, nodes, count, flags);
}

CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes,
                                     const CUgraphEdgeData *edges, size_t count, unsigned int flags)
{
    EMU_TRY_ENTER(cuStreamUpdateCaptureDependencies_v2);
    EMU_TRY(emu_edges_check(edges, count));
    return update(stream, nodes, count, flags);
}

/* Returns the old mode in *mode. It concerns the calling thread only and needs no lock. */
CUresult
cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    EMU_TRY_ENTER(cuThreadExchangeStreamCaptureMode);
    if (mode == NULL || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
        *mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return 0;
}

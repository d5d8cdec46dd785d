/* Streams: queues of work, their order, and who runs them.
 *
 * Work of one stream runs in order, one piece at a time, by the thread that set `executing`: the
 * stream's dispatcher thread, which starts with the first piece of work, or a thread that waits for
 * the stream and finds its head waiting. Order between streams is a list of (stream, number) pairs
 * a piece of work waits for before it runs; they always name earlier work, so waiting cannot cycle.
 *
 * The legacy default stream waits for all blocking streams of its context, and they wait for it.
 * GPUNP_EMU_ASYNC=0 runs work where it is submitted; =2 runs none before a thread waits or asks.
 *
 * A queue holds GPUNP_EMU_QUEUE pieces, as a GPU's does: a thread that submits more waits. */
#include "emu/driver/upward.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INLINE_AFTER = 2, SPINS = 50 };

/* One piece of queued work. The queue owns it until run_next takes it off; from then on the thread
 * that executes it does. */
struct Op {
    Op *next;
    uint64_t number;
    Dependency *after; /* `inline_after`, or owned */
    int after_count;
    OrderClock *clock; /* owned */
    Dependency inline_after[INLINE_AFTER];
    Work work;
};

_Static_assert(sizeof(Stream) <= 512, "handle.c: a stream must fit its slot");

static _Atomic uint64_t stream_ids, thread_ids;
static _Thread_local int per_thread_default;

/* ---- operations ------------------------------------------------------------------------------ */

/* Runs without any lock: each unref may be the last one of a stream, an event or a function, whose
 * destructors take locks of their own. */
static void
op_free(Op *op)
{
    for (int i = 0; i < op->after_count; i++) {
        emu_handle_unref(op->after[i].stream);
    }
    if (op->after != op->inline_after) {
        free(op->after);
    }
    emu_order_unref(op->clock);
    emu_work_clear(&op->work);
    free(op);
}

/* Waits for `after` before it runs; takes a reference. Returns 0 or 2. */
static CUresult
op_add_after(Op *op, Stream *stream, uint64_t number)
{
    int count = op->after_count;
    /* Capacity doubles whenever the count reaches a power of two from INLINE_AFTER on. */
    if (count >= INLINE_AFTER && (count & (count - 1)) == 0) {
        Dependency *grown = malloc((size_t)count * 2 * sizeof *grown);
        if (grown == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        memcpy(grown, op->after, (size_t)count * sizeof *grown);
        if (op->after != op->inline_after) {
            free(op->after);
        }
        op->after = grown;
    }
    emu_handle_ref(stream);
    op->after[op->after_count++] = (Dependency){stream, number};
    return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Set only after the dependencies of the piece were waited for: waiting may run pieces of other
 * streams on this thread, which set and clear the two themselves. */
static _Thread_local Stream *running; /* whose head the thread runs, and its number */
static _Thread_local uint64_t running_number;

/* For a kernel's helper threads, which do not have the thread-local `running`: they compare the two
 * numbers themselves. */
const _Atomic uint64_t *
emu_stream_cancels(uint64_t *number)
{
    *number = running_number;
    return running != NULL ? &running->cancelled : NULL;
}

int
emu_stream_is_cancelled(void)
{
    return running != NULL && atomic_load(&running->cancelled) >= running_number;
}

/* GPUNP_EMU_DELAY: brings races between streams to light. Each thread has its own generator, so
 * that pausing does not order threads by a lock. */
static void
random_pause(void)
{
    static _Thread_local unsigned state;
    unsigned limit = emu_driver_settings()->delay_us;
    if (limit > 0) {
        if (state == 0) {
            state = (unsigned)(emu_settings()->seed * 2654435761u + (uintptr_t)&state) | 1;
        }
        state = state * 1664525u + 1013904223u;
        usleep((state >> 8) % limit);
    }
}

/* Runs the head of the queue. Called and returns with the stream's lock held; no thread executes.
 */
static void
run_next(Stream *stream)
{
    Op *op = stream->first;
    Context *context = stream->context;
    /* Taken off before the lock is dropped, so that a failing or long piece is never seen twice.
     * `executing` keeps every other thread from the piece behind it meanwhile. */
    stream->first = op->next;
    if (stream->first == NULL) {
        stream->last = NULL;
    }
    stream->executing = 1;
    pthread_mutex_unlock(&stream->lock);

    /* Dependencies point to work that was submitted before, so waiting for them cannot close a
     * circle; it may run that work on this thread. */
    for (int i = 0; i < op->after_count; i++) {
        emu_stream_wait(op->after[i].stream, op->after[i].number);
    }
    random_pause();
    int broken = atomic_load_explicit(&context->error, memory_order_relaxed) != 0;
    WorkKind kind = op->work.kind;
    /* A broken context still runs what others wait for or own: records release their waiters,
     * callbacks are told the error, frees give memory back. */
    if (!broken || kind == WORK_RECORD || kind == WORK_CALLBACK || kind == WORK_FREE) {
        emu_order_begin(stream, op->number, op->clock);
        op->clock = NULL;
        running = stream;
        running_number = op->number;
        CUresult result = emu_work_run(context, &op->work);
        running = NULL;
        emu_order_end();
        if (result != 0) {
            emu_context_fail(context, result);
        }
    }
    uint64_t number = op->number;
    /* Freed before `done` advances: who waits for a piece may rely on its references, to modules,
     * events and graphs, being gone. */
    op_free(op);

    pthread_mutex_lock(&stream->lock);
    /* Release: a thread that sees the number (reached) sees all that the work wrote, without
     * taking the lock. */
    atomic_store_explicit(&stream->done, number, memory_order_release);
    stream->executing = 0;
    /* Most work finishes with no thread asleep; the count saves a system call for each piece. */
    if (stream->waiters > 0) {
        pthread_cond_broadcast(&stream->progress);
    }
}

/* Called once, by the dispatcher at its end or by emu_stream_end when there is none. Not under the
 * stream's lock, which comes after the context's in the lock order. Only who found the stream in
 * the list drops the list's reference. */
static void
stream_unlist(Stream *stream)
{
    Context *context = stream->context;
    int found = 0;
    pthread_mutex_lock(&context->lock);
    for (Stream **at = &context->streams; *at != NULL; at = &(*at)->next) {
        if (*at == stream) {
            *at = stream->next;
            found = 1;
            break;
        }
    }
    pthread_mutex_unlock(&context->lock);
    if (found) {
        emu_handle_unref(stream);
    }
}

/* The thread of a stream. It ends once the stream is being destroyed and its queue is empty, which
 * is after all the work it holds references for. */
static void *
dispatch(void *object)
{
    Stream *stream = object;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        if (stream->first != NULL && !stream->executing) {
            run_next(stream);
        }
        else if (stream->stopping && stream->first == NULL && !stream->executing) {
            break;
        }
        else {
            stream->sleeping = 1;
            /* No wake-up is lost between the test and the wait: submit() queues and signals under
             * the same lock. */
            pthread_cond_wait(&stream->work, &stream->lock);
            stream->sleeping = 0;
        }
    }
    pthread_mutex_unlock(&stream->lock);
    stream_unlist(stream);
    emu_handle_unref(stream);
    return NULL;
}

/* Makes sure that the dispatcher looks at the queue. Caller holds the stream's lock. */
static void
wake(Stream *stream)
{
    if (stream->started) {
        if (stream->sleeping) {
            stream->sleeping = 0;
            pthread_cond_signal(&stream->work);
        }
        return;
    }
    /* Signals are for the threads of the program, never for ours. The new thread inherits the mask,
     * so it is set around the call: a handler of the program must never run on a thread that may
     * hold a lock of the driver. */
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    emu_handle_ref(stream);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, dispatch, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        emu_handle_unref(stream); /* its work runs when a thread waits */
        return;
    }
    /* Nobody joins it: the reference taken above keeps the stream until the thread is through. */
    pthread_detach(thread);
    stream->started = 1;
}

/* Host functions belong on a thread that is not the program's, unless all work runs inline. */
static int
may_run_here(const Stream *stream)
{
    if (stream->first == NULL || stream->executing) {
        return 0;
    }
    WorkKind kind = stream->first->work.kind;
    return (kind != WORK_HOST && kind != WORK_CALLBACK && kind != WORK_GRAPH) ||
           emu_driver_settings()->async == EMU_ASYNC_INLINE;
}

static int
reached(Stream *stream, uint64_t number)
{
    /* Pairs with the release in run_next. */
    return atomic_load_explicit(&stream->done, memory_order_acquire) >= number;
}

/* Blocks until piece `number` has run, and helps meanwhile. Called without locks, from
 * synchronising calls, from run_next for dependencies and from a submitter whose queue is full. */
void
emu_stream_wait(Stream *stream, uint64_t number)
{
    if (reached(stream, number)) {
        return;
    }
    pthread_mutex_lock(&stream->lock);
    int patient = 1;
    while (!reached(stream, number)) {
        if (may_run_here(stream)) {
            run_next(stream);
            continue;
        }
        if (stream->first != NULL && !stream->executing) {
            wake(stream);
        }
        if (patient) { /* most work is shorter than going to sleep and being woken */
            patient = 0;
            pthread_mutex_unlock(&stream->lock);
            for (int i = 0; i < SPINS && !reached(stream, number); i++) {
                sched_yield();
            }
            pthread_mutex_lock(&stream->lock);
            continue;
        }
        stream->waiters++;
        pthread_cond_wait(&stream->progress, &stream->lock);
        stream->waiters--;
    }
    /* What follows in the queue is the dispatcher's again. A piece that this thread ran may have
     * left work behind it, and the dispatcher was not told of that while it slept. */
    if (stream->first != NULL && !stream->executing &&
        emu_driver_settings()->async == EMU_ASYNC_THREADS) {
        wake(stream);
    }
    else if (stream->stopping && stream->started) {
        wake(stream);
    }
    pthread_mutex_unlock(&stream->lock);
}

/* Asking is also a promise of progress: a program that polls cuStreamQuery in a loop must see its
 * work run under EMU_ASYNC_LAZY too, so the question wakes the dispatcher. */
int
emu_stream_reached(Stream *stream, uint64_t number)
{
    if (reached(stream, number)) {
        return 1;
    }
    pthread_mutex_lock(&stream->lock);
    if (stream->first != NULL) {
        wake(stream);
    }
    pthread_mutex_unlock(&stream->lock);
    return reached(stream, number);
}

/* ---- submitting ------------------------------------------------------------------------------ */

static int
is_blocking(const Stream *stream)
{
    return (stream->flags & CU_STREAM_NON_BLOCKING) == 0;
}

/* Without a lock the answer may be out of date. It is too late only in the direction of busy, which
 * adds a dependency that is satisfied at once. */
static int
is_busy(Stream *stream)
{
    return atomic_load_explicit(&stream->done, memory_order_acquire) <
           atomic_load_explicit(&stream->submitted, memory_order_relaxed);
}

/* Order with the legacy default stream. */
static CUresult
add_implicit_order(Stream *stream, Op *op)
{
    Context *context = stream->context;
    if (!is_blocking(stream)) {
        return 0;
    }
    if (stream != context->legacy) {
        /* Read after is_busy: all that was submitted to the legacy stream until now is waited for,
         * as the CUDA driver API's chapter on stream synchronization behavior asks for the legacy
         * default stream. */
        return is_busy(context->legacy)
                   ? op_add_after(op, context->legacy, atomic_load(&context->legacy->submitted))
                   : 0;
    }
    CUresult result = 0;
    pthread_mutex_lock(&context->lock);
    for (Stream *other = context->streams; other != NULL && result == 0; other = other->next) {
        if (is_blocking(other) && is_busy(other)) {
            /* What is submitted to `other` after this line is ordered by its own submission, which
             * looks at the legacy stream. */
            result = op_add_after(op, other, atomic_load(&other->submitted));
        }
    }
    pthread_mutex_unlock(&context->lock);
    return result;
}

/* Waits until the queue is below its limit. Marks, frees and orders between streams always fit:
 * they come with other work, and their callers may hold what that work needs in order to end. */
static void
wait_for_room(Stream *stream, WorkKind kind)
{
    uint64_t limit = emu_driver_settings()->queue;
    /* First what is done: other threads may submit and finish work between the two, and a number
     * done above the one submitted would look like a queue without end. */
    uint64_t done = atomic_load_explicit(&stream->done, memory_order_acquire);
    uint64_t submitted = atomic_load_explicit(&stream->submitted, memory_order_relaxed);
    if (submitted - done < limit || limit == 0) {
        return;
    }
    switch (kind) {
    case WORK_KERNEL:
    case WORK_COPY:
    case WORK_FILL:
    case WORK_HOST:
    case WORK_CALLBACK:
    case WORK_VALUES:
    case WORK_GRAPH:
        emu_stream_wait(stream, submitted - limit + 1);
        break;
    default:
        break;
    }
}

/* The common path of all submissions. Takes no lock for the allocation and the implicit order; the
 * stream's lock covers the number, the clock and the queue, so that the three agree. */
static CUresult
submit(Stream *stream, Work *work, const Dependency *after, SubmitMode mode, uint64_t *number)
{
    wait_for_room(stream, work->kind);
    /* The work is owned from here on: every way out clears it. */
    Op *op = malloc(sizeof *op);
    if (op == NULL) {
        emu_work_clear(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    op->next = NULL;
    op->after = op->inline_after;
    op->after_count = 0;
    op->clock = NULL;
    op->work = *work;
    CUresult result = add_implicit_order(stream, op);
    /* Before the stream's lock: it takes the context's, which comes first in the lock order. */
    emu_order_after_streams(stream);
    if (result == 0 && after != NULL) {
        result = op_add_after(op, after->stream, after->number);
    }
    if (result != 0) {
        op_free(op);
        return result;
    }
    int async = emu_driver_settings()->async;
    pthread_mutex_lock(&stream->lock);
    /* Relaxed: numbers only change under the lock. The store is a release for is_busy and the
     * waits of other streams, which read it without. */
    uint64_t mine = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
    op->number = mine;
    op->clock = emu_order_submit(stream, mine);
    atomic_store_explicit(&stream->submitted, mine, memory_order_release);
    if (stream->last != NULL) {
        stream->last->next = op;
    }
    else {
        stream->first = op;
    }
    stream->last = op;
    /* A caller that waits runs the work itself, which is cheaper than waking the dispatcher.
     * EMU_ASYNC_LAZY never wakes it here: work runs when a thread waits or asks, the latest moment
     * a program may rely on. */
    if (mode == SUBMIT_ONLY && async == EMU_ASYNC_THREADS) {
        wake(stream);
    }
    pthread_mutex_unlock(&stream->lock);
    if (number != NULL) {
        *number = mine;
    }
    if (mode == SUBMIT_AND_WAIT || async == EMU_ASYNC_INLINE) {
        emu_stream_wait(stream, mine);
    }
    if (mode == SUBMIT_AND_WAIT) {
        emu_order_host_waited_stream(stream);
    }
    return mode == SUBMIT_AND_WAIT ? emu_context_error(stream->context) : 0;
}

/* A stream that captures runs nothing: its work becomes nodes of the graph. A call that has to wait
 * for the result can never be recorded, so it breaks the capture (CUDA programming guide,
 * prohibited operations of stream capture). */
CUresult
emu_submit(Stream *stream, Work *work, SubmitMode mode)
{
    if (emu_stream_captures(stream)) {
        if (mode == SUBMIT_AND_WAIT) {
            emu_work_clear(work);
            return emu_capture_invalidate(stream);
        }
        return emu_capture_add(stream, work);
    }
    if (stream == stream->context->legacy) {
        CUresult result = emu_capture_check_legacy(stream->context);
        if (result != 0) {
            emu_work_clear(work);
            return result;
        }
    }
    return submit(stream, work, NULL, mode, NULL);
}

/* Skips the tests for a capture: callers, in event.c and in graph/, made them before. */
CUresult
emu_submit_after(Stream *stream, Work *work, const Dependency *after, uint64_t *number)
{
    return submit(stream, work, after, SUBMIT_ONLY, number);
}

/* ---- cancelling ------------------------------------------------------------------------------ */

/* Returns how many pieces of the queue were not done. */
static uint64_t
cancel(Stream *stream)
{
    uint64_t submitted = atomic_load(&stream->submitted), done = atomic_load(&stream->done);
    /* Work up to the number skips itself when its turn comes; the queue keeps its order and its
     * references. */
    atomic_store(&stream->cancelled, submitted);
    return submitted - done;
}

/* Of the contexts only the calling thread's: an interrupt handler of one context must not cut off
 * another's work. */
EMU_EXPORT uint64_t
cuEmuCancel(void)
{
    Context *context = emu_context_peek();
    uint64_t count = 0;
    if (context == NULL) {
        return 0;
    }
    pthread_mutex_lock(&context->lock);
    for (Stream *stream = context->streams; stream != NULL; stream = stream->next) {
        count += cancel(stream);
    }
    count += cancel(context->legacy);
    pthread_mutex_unlock(&context->lock);
    return count;
}

EMU_EXPORT void
cuEmuIsCancelled(int *cancelled)
{
    *cancelled = emu_stream_is_cancelled();
}

EMU_EXPORT void
cuEmuWorkFailed(const char *what)
{
    if (running != NULL) {
        emu_report_fault(what);
        emu_context_fail(running->context, CUDA_ERROR_LAUNCH_FAILED);
    }
}

/* ---- creation and end -------------------------------------------------------------------- */

static void
stream_destroy(void *object)
{
    Stream *stream = object;
    emu_order_stream_ended(stream);
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->progress);
    emu_handle_unref(stream->context);
}

/* Returns the creator's reference in *out; a listed stream has a second one, the list's, which
 * stream_unlist drops. */
CUresult
emu_stream_new(Stream **out, Context *context, unsigned flags, int priority)
{
    Stream *stream = emu_handle_new(KIND_STREAM, sizeof *stream, stream_destroy);
    if (stream == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->work, NULL);
    pthread_cond_init(&stream->progress, NULL);
    emu_handle_ref(context);
    stream->context = context;
    stream->flags = flags;
    /* Priorities outside of [-5, 0] are clamped, not refused, as cuStreamCreateWithPriority
     * documents. */
    stream->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    stream->id = 2 + atomic_fetch_add(&stream_ids, 1);
    if (context->legacy != NULL) { /* the legacy stream comes first and is in no list */
        emu_handle_ref(stream);    /* the list's */
        pthread_mutex_lock(&context->lock);
        stream->next = context->streams;
        context->streams = stream;
        pthread_mutex_unlock(&context->lock);
    }
    *out = stream;
    return 0;
}

/* Ends the handle at once and lets queued work finish, as cuStreamDestroy does: it returns without
 * waiting. The dispatcher or a waiting thread drains the queue; the last reference frees the
 * object. */
void
emu_stream_end(Stream *stream)
{
    pthread_mutex_lock(&stream->context->lock);
    pthread_mutex_lock(&stream->lock);
    if (stream->stopping) { /* its thread and its context may end at the same time */
        pthread_mutex_unlock(&stream->lock);
        pthread_mutex_unlock(&stream->context->lock);
        return;
    }
    stream->stopping = 1;
    if (stream->first != NULL || stream->started) {
        wake(stream); /* the dispatcher finishes the work, then takes it from the list */
    }
    int dispatched = stream->started;
    if (is_blocking(stream)) { /* the legacy stream comes after it, even when it is gone */
        OrderClock *clock = emu_order_of_stream(stream);
        emu_order_stream_waits(stream->context->legacy, clock);
        emu_order_unref(clock);
    }
    pthread_mutex_unlock(&stream->lock);
    pthread_mutex_unlock(&stream->context->lock);
    if (!dispatched) {
        stream_unlist(stream);
    }
    emu_handle_close(stream);
}

/* The default streams a thread owns, one per context; they end with the thread. */
typedef struct OwnStream {
    struct OwnStream *next;
    Stream *stream; /* reference */
} OwnStream;

static pthread_key_t own_streams;
static pthread_once_t own_streams_once = PTHREAD_ONCE_INIT;

/* pthread's destructor of the key, on the ending thread. The handle may have ended before, with its
 * context, but the reference in the list kept the slot from being reused. */
static void
end_own_streams(void *list)
{
    for (OwnStream *own = list, *next; own != NULL; own = next) {
        next = own->next;
        if (emu_handle_get(own->stream, KIND_STREAM) != NULL) {
            emu_stream_end(own->stream);
        }
        emu_handle_unref(own->stream);
        free(own);
    }
}

static void
make_own_streams_key(void)
{
    pthread_key_create(&own_streams, end_own_streams);
}

/* The list is private to the thread, so it needs no lock. It is searched by context because a
 * thread may use several in turn. */
static CUresult
per_thread_stream(Context *context, Stream **out)
{
    pthread_once(&own_streams_once, make_own_streams_key);
    OwnStream *list = pthread_getspecific(own_streams);
    for (OwnStream *own = list; own != NULL; own = own->next) {
        if (own->stream->context == context &&
            emu_handle_get(own->stream, KIND_STREAM) == own->stream) {
            *out = own->stream;
            return 0;
        }
    }
    OwnStream *own = malloc(sizeof *own);
    if (own == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = emu_stream_new(&own->stream, context, CU_STREAM_DEFAULT, 0);
    if (result != 0) {
        free(own);
        return result;
    }
    emu_handle_hide(own->stream);
    /* One reference is the thread's list's; the handle's own goes with emu_stream_end. */
    emu_handle_ref(own->stream);
    own->stream->thread = 1 + atomic_fetch_add(&thread_ids, 1);
    own->next = list;
    pthread_setspecific(own_streams, own);
    *out = own->stream;
    return 0;
}

void
emu_per_thread_default(int change)
{
    per_thread_default += change;
}

/* 0, 1 and 2 are CU_STREAM handles that are no objects: NULL, CU_STREAM_LEGACY and
 * CU_STREAM_PER_THREAD. All other values must be handles of live streams, which emu_handle_get can
 * tell for any bits. */
CUresult
emu_stream_get(Context *context, CUstream handle, Stream **out)
{
    if (handle == NULL && per_thread_default > 0) {
        return per_thread_stream(context, out);
    }
    if (handle == NULL || handle == CU_STREAM_LEGACY) {
        *out = context->legacy;
        return 0;
    }
    if (handle == CU_STREAM_PER_THREAD) {
        return per_thread_stream(context, out);
    }
    *out = emu_handle_get(handle, KIND_STREAM);
    return *out != NULL ? 0 : CUDA_ERROR_INVALID_HANDLE;
}

CUresult
emu_stream_synchronize(Stream *stream)
{
    Context *context = stream->context;
    if (emu_stream_captures(stream)) {
        return emu_capture_invalidate(stream);
    }
    if (stream == context->legacy) {
        EMU_TRY(emu_capture_check_legacy(context));
        Work nothing = {.kind = WORK_EMPTY}; /* orders it after all blocking streams */
        EMU_TRY(submit(stream, &nothing, NULL, SUBMIT_AND_WAIT, NULL));
    }
    else {
        EMU_TRY(emu_capture_refuse());
        emu_stream_wait(stream, atomic_load(&stream->submitted));
        emu_order_host_waited_stream(stream);
    }
    emu_context_flush_print(context);
    return emu_context_error(context);
}

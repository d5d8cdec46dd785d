/* Events: a place in a stream (stream, number) and the time the stream got there.
 *
 * A record is a piece of work in its stream; the event itself keeps only the place of the latest
 * one. So waiting for an event is waiting for a number of a stream, and recording again, which CUDA
 * allows at any time, replaces the place without disturbing earlier waits. `generation` counts
 * records: a record that runs late finds that a newer one was made and leaves the time alone.
 *
 * The event's lock is a leaf: references are taken under it and dropped outside. Events recorded in
 * a capture are handled in graph/capture.c. */
#include "emu/driver/upward.h"

#include <stdlib.h>
#include <time.h>

_Static_assert(sizeof(Event) <= 512, "handle.c: an event must fit its slot");

/* A monotonic clock, since an adjusted wall clock would give negative times. Resolution is far
 * better than the 0.5 us of a GPU's event timer. */
static uint64_t
now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Runs on the thread that executes the record. Generation 0 is a record node of a graph, which has
 * no generation of its own. */
void
emu_event_ran(Event *event, uint64_t generation)
{
    /* An event without timing needs no time, and reading the clock would cost more than the rest of
     * the record. */
    if (event->flags & CU_EVENT_DISABLE_TIMING) {
        return;
    }
    uint64_t now = now_ns();
    pthread_mutex_lock(&event->lock);
    if (generation == 0 || generation == event->generation) { /* not recorded again since */
        event->time_ns = now;
        event->timed = 1;
    }
    pthread_mutex_unlock(&event->lock);
}

/* Runs when the handle was destroyed and no queued record or graph node refers to the event any
 * more. */
static void
event_destroy(void *object)
{
    Event *event = object;
    emu_handle_unref(event->at.stream);
    emu_order_unref(event->clock);
    free(event->captured);
    pthread_mutex_destroy(&event->lock);
    emu_handle_unref(event->context);
}

CUresult
cuEventCreate(CUevent *out, unsigned int flags)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuEventCreate, context);
    /* An IPC event must disable timing, as cuEventCreate documents for CU_EVENT_INTERPROCESS. */
    unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (out == NULL || (flags & ~known) != 0 ||
        ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Event *event = emu_handle_new(KIND_EVENT, sizeof *event, event_destroy);
    if (event == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&event->lock, NULL);
    /* The event holds its context, so the link below stays valid even when the context ends first.
     */
    emu_handle_ref(context);
    event->context = context;
    event->flags = flags;
    pthread_mutex_lock(&context->lock);
    event->next = context->events;
    event->link = &context->events;
    if (event->next != NULL) {
        event->next->link = &event->next;
    }
    context->events = event;
    pthread_mutex_unlock(&context->lock);
    *out = (CUevent)event;
    return 0;
}

/* Of two threads one unlinks and closes it: a program may destroy an event while its context ends.
 */
int
emu_event_unlink(Event *event)
{
    pthread_mutex_lock(&event->context->lock);
    int was_linked = event->link != NULL;
    if (was_linked) {
        *event->link = event->next;
        if (event->next != NULL) {
            event->next->link = event->link;
        }
        event->link = NULL;
    }
    pthread_mutex_unlock(&event->context->lock);
    return was_linked;
}

/* Allowed while a record is pending: the event is freed when the stream has passed it, by the
 * reference in the work. Does not need a current context. */
CUresult
cuEventDestroy_v2(CUevent handle)
{
    EMU_TRY_ENTER(cuEventDestroy_v2);
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!emu_event_unlink(event)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    emu_handle_close(event);
    return 0;
}

/* A reference to the place of the last record; stream NULL when there is none. */
static Dependency
event_place(Event *event)
{
    pthread_mutex_lock(&event->lock);
    /* Referenced under the lock: a later record may drop the stream at once. */
    Dependency at = event->at;
    if (at.stream != NULL) {
        emu_handle_ref(at.stream);
    }
    pthread_mutex_unlock(&event->lock);
    return at;
}

/* What is certain to have run once the event is reached; a reference. */
static OrderClock *
event_clock(Event *event)
{
    pthread_mutex_lock(&event->lock);
    OrderClock *clock = emu_order_ref(event->clock);
    pthread_mutex_unlock(&event->lock);
    return clock;
}

/* The host has seen the event: all that happened before it is ordered before what the program
 * submits next. */
static void
host_waited(Event *event)
{
    OrderClock *clock = event_clock(event);
    emu_order_host_waited(clock);
    emu_order_unref(clock);
}

/* Called after the record was submitted, and by graph launches that contain a record node. */
void
emu_event_set_place(Event *event, Stream *stream, uint64_t number, uint64_t generation)
{
    OrderClock *clock = emu_order_of_stream(stream);
    emu_handle_ref(stream);
    pthread_mutex_lock(&event->lock);
    /* Of two threads that record the event at once, the later record may come here first. */
    if (generation != 0 && generation < event->placed) {
        pthread_mutex_unlock(&event->lock);
        emu_order_unref(clock);
        emu_handle_unref(stream);
        return;
    }
    Stream *old = event->at.stream;
    OrderClock *old_clock = event->clock;
    event->placed = generation != 0 ? generation : event->placed;
    /* The old place is replaced, not merged: cuEventRecord documents that a later record overwrites
     * the state. Streams that waited on the old place hold their own dependency. */
    event->at = (Dependency){stream, number};
    event->clock = clock;
    pthread_mutex_unlock(&event->lock);
    /* Outside of the lock: the last reference ends the stream, which takes locks of its own. */
    emu_order_unref(old_clock);
    emu_handle_unref(old);
}

/* Used by cuStreamWaitEvent outside of captures. The place is read once: later records of the event
 * do not affect this wait. */
CUresult
emu_event_order_after(Event *event, Stream *stream)
{
    Dependency at = event_place(event);
    if (at.stream == NULL) {
        return 0; /* never recorded: nothing to wait for */
    }
    CUresult result = 0;
    OrderClock *clock = event_clock(event);
    emu_order_stream_waits(stream, clock);
    emu_order_unref(clock);
    /* A wait on the same stream is satisfied by stream order, and one for work that is done needs
     * no dependency. Otherwise an empty piece of work carries the dependency and holds up all that
     * follows it. */
    if (at.stream != stream && atomic_load(&at.stream->done) < at.number) {
        Work nothing = {.kind = WORK_EMPTY};
        result = emu_submit_after(stream, &nothing, &at, NULL);
    }
    emu_handle_unref(at.stream);
    return result;
}

/* Shared by both entries. The order of the tests decides which error a call with several faults
 * returns. */
static CUresult
record(Context *context, CUevent handle, CUstream stream_handle, unsigned flags)
{
    Stream *stream;
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if ((flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_stream_get(context, stream_handle, &stream));
    if (event->context != stream->context) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    /* CU_EVENT_RECORD_EXTERNAL makes a node in the captured graph that records the real event at
     * each launch. Without the flag the event only marks a place inside the capture. */
    int captures = emu_stream_captures(stream);
    if ((flags & CU_EVENT_RECORD_EXTERNAL) && !captures) {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    if (captures && !(flags & CU_EVENT_RECORD_EXTERNAL)) {
        return emu_capture_record(stream, event);
    }
    if (captures) {
        Work external = {.kind = WORK_RECORD, .record = {.event = event}};
        emu_handle_ref(event);
        return emu_submit(stream, &external, SUBMIT_ONLY);
    }
    if (stream == stream->context->legacy) {
        EMU_TRY(emu_capture_check_legacy(context));
    }
    /* The state is reset before the work is submitted: the record may run at once, on this or
     * another thread, and must find its own generation. */
    pthread_mutex_lock(&event->lock);
    uint64_t generation = ++event->generation, number;
    event->timed = 0;
    atomic_store(&event->capture, 0);
    pthread_mutex_unlock(&event->lock);

    Work work = {.kind = WORK_RECORD, .record = {.event = event, .generation = generation}};
    emu_handle_ref(event);
    EMU_TRY(emu_submit_after(stream, &work, NULL, &number));
    emu_event_set_place(event, stream, number, generation);
    return 0;
}

CUresult
cuEventRecord(CUevent event, CUstream stream)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuEventRecord, context);
    return record(context, event, stream, 0);
}

CUresult
cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuEventRecordWithFlags, context);
    return record(context, event, stream, flags);
}

CUresult
cuEventQuery(CUevent handle)
{
    Context *context;
    EMU_TRY_ENTER_UNCAPTURED(cuEventQuery, context);
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    /* An event that was last recorded in a capture has no place in a stream, so asking is an error;
     * capture.c knows which. */
    if (atomic_load(&event->capture) != 0) {
        return emu_capture_ask(event);
    }
    Dependency at = event_place(event);
    int done = at.stream == NULL || emu_stream_reached(at.stream, at.number);
    emu_handle_unref(at.stream);
    /* Taking a finished event as a synchronisation point is what programs do that poll cuEventQuery
     * before they use the results. */
    if (done) {
        host_waited(event);
    }
    /* A sticky error comes first: the work may never have run. */
    CUresult error = emu_context_error(event->context);
    return error != 0 ? error : done ? 0 : CUDA_ERROR_NOT_READY;
}

CUresult
cuEventSynchronize(CUevent handle)
{
    Context *context;
    EMU_TRY_ENTER_UNCAPTURED(cuEventSynchronize, context);
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (atomic_load(&event->capture) != 0) {
        return emu_capture_ask(event);
    }
    Dependency at = event_place(event);
    /* The handle may be destroyed by another thread during the wait; the reference from event_place
     * keeps the stream. */
    if (at.stream != NULL) {
        emu_stream_wait(at.stream, at.number);
        host_waited(event);
        emu_handle_unref(at.stream);
    }
    /* Output of device printf appears at synchronisation points, as the CUDA programming guide says
     * for formatted output. */
    emu_context_flush_print(event->context);
    return emu_context_error(event->context);
}

/* Either order of the two events is allowed; the result is negative when `end` came first. */
static CUresult
elapsed(float *milliseconds, CUevent start_handle, CUevent end_handle)
{
    Event *start = emu_handle_get(start_handle, KIND_EVENT);
    Event *end = emu_handle_get(end_handle, KIND_EVENT);
    if (milliseconds == NULL || start == NULL || end == NULL || start->context != end->context ||
        ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (atomic_load(&start->capture) != 0 || atomic_load(&end->capture) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Both events must have been recorded before either is tested for completion: CUDA reports a
     * missing record first. */
    Event *events[2] = {start, end};
    uint64_t times[2];
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&events[i]->lock);
        int recorded = events[i]->at.stream != NULL;
        pthread_mutex_unlock(&events[i]->lock);
        if (!recorded) {
            return CUDA_ERROR_INVALID_HANDLE;
        }
    }
    for (int i = 0; i < 2; i++) {
        Dependency at = event_place(events[i]);
        int done = at.stream != NULL && emu_stream_reached(at.stream, at.number);
        emu_handle_unref(at.stream);
        pthread_mutex_lock(&events[i]->lock);
        done = done && events[i]->timed;
        times[i] = events[i]->time_ns;
        pthread_mutex_unlock(&events[i]->lock);
        if (!done) {
            return CUDA_ERROR_NOT_READY;
        }
    }
    /* The difference is converted as a signed number, so it may be negative. double keeps the
     * nanoseconds of long spans until the last step. */
    *milliseconds = (float)((double)(int64_t)(times[1] - times[0]) / 1e6);
    return 0;
}

CUresult
cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuEventElapsedTime, context);
    return elapsed(milliseconds, start, end);
}

CUresult
cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuEventElapsedTime_v2, context);
    return elapsed(milliseconds, start, end);
}

CUresult
cuStreamWaitEvent(CUstream stream_handle, CUevent handle, unsigned int flags)
{
    Context *context;
    Stream *stream;
    EMU_TRY_ENTER_CONTEXT(cuStreamWaitEvent, context);
    EMU_TRY(emu_stream_get(context, stream_handle, &stream));
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        /* A failed call on a capturing stream invalidates the capture, since the graph would lack
         * the dependency. */
        if (emu_stream_captures(stream)) {
            emu_capture_invalidate(stream);
        }
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if ((flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* CU_EVENT_WAIT_EXTERNAL: the wait becomes a node of its own and refers to records outside of
     * the graph. */
    if (flags == CU_EVENT_WAIT_EXTERNAL) {
        if (!emu_stream_captures(stream)) {
            return CUDA_ERROR_ILLEGAL_STATE;
        }
        Work wait = {.kind = WORK_AWAIT, .record = {.event = event}};
        emu_handle_ref(event);
        return emu_capture_add(stream, &wait);
    }
    /* Also when only the event is captured: waiting on it makes this stream join that capture. */
    if (emu_stream_captures(stream) || atomic_load(&event->capture) != 0) {
        return emu_capture_wait(stream, event);
    }
    /* Waiting on the legacy stream would order it after blocking streams that capture. */
    if (stream == stream->context->legacy) {
        EMU_TRY(emu_capture_check_legacy(context));
    }
    return emu_event_order_after(event, stream);
}

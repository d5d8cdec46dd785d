/* Events: a place in a stream (stream, number) and the time the stream got there. */
#include "emu/driver/upward.h"

#include <stdlib.h>
#include <time.h>

_Static_assert(sizeof(Event) <= 512, "handle.c: an event must fit its slot");

static uint64_t
now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void
emu_event_ran(Event *event, uint64_t generation)
{
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

CUresult
cuEventDestroy_v2(CUevent handle)
{
    EMU_TRY_ENTER(cuEventDestroy_v2);
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    pthread_mutex_lock(&event->context->lock);
    /* NULL when the context ended first and took its list apart. */
    if (event->link != NULL) {
        *event->link = event->next;
        if (event->next != NULL) {
            event->next->link = event->link;
        }
        event->link = NULL;
    }
    pthread_mutex_unlock(&event->context->lock);
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

static void
host_waited(Event *event)
{
    OrderClock *clock = event_clock(event);
    emu_order_host_waited(clock);
    emu_order_unref(clock);
}

void
emu_event_set_place(Event *event, Stream *stream, uint64_t number)
{
    OrderClock *clock = emu_order_of_stream(stream);
    emu_handle_ref(stream);
    pthread_mutex_lock(&event->lock);
    Stream *old = event->at.stream;
    OrderClock *old_clock = event->clock;
    event->at = (Dependency){stream, number};
    event->clock = clock;
    pthread_mutex_unlock(&event->lock);
    /* Outside of the lock: the last reference ends the stream, which takes locks of its own. */
    emu_order_unref(old_clock);
    emu_handle_unref(old);
}

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
    if (at.stream != stream && atomic_load(&at.stream->done) < at.number) {
        Work nothing = {.kind = WORK_EMPTY};
        result = emu_submit_after(stream, &nothing, &at, NULL);
    }
    emu_handle_unref(at.stream);
    return result;
}

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
    pthread_mutex_lock(&event->lock);
    uint64_t generation = ++event->generation, number;
    event->timed = 0;
    atomic_store(&event->capture, 0);
    pthread_mutex_unlock(&event->lock);

    Work work = {.kind = WORK_RECORD, .record = {.event = event, .generation = generation}};
    emu_handle_ref(event);
    EMU_TRY(emu_submit_after(stream, &work, NULL, &number));
    emu_event_set_place(event, stream, number);
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
    if (atomic_load(&event->capture) != 0) {
        return emu_capture_ask(event);
    }
    Dependency at = event_place(event);
    int done = at.stream == NULL || emu_stream_reached(at.stream, at.number);
    emu_handle_unref(at.stream);
    if (done) {
        host_waited(event);
    }
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
    if (at.stream != NULL) {
        emu_stream_wait(at.stream, at.number);
        host_waited(event);
        emu_handle_unref(at.stream);
    }
    emu_context_flush_print(event->context);
    return emu_context_error(event->context);
}

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
        if (emu_stream_captures(stream)) {
            emu_capture_invalidate(stream);
        }
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if ((flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags == CU_EVENT_WAIT_EXTERNAL) {
        if (!emu_stream_captures(stream)) {
            return CUDA_ERROR_ILLEGAL_STATE;
        }
        Work wait = {.kind = WORK_AWAIT, .record = {.event = event}};
        emu_handle_ref(event);
        return emu_capture_add(stream, &wait);
    }
    if (emu_stream_captures(stream) || atomic_load(&event->capture) != 0) {
        return emu_capture_wait(stream, event);
    }
    if (stream == stream->context->legacy) {
        EMU_TRY(emu_capture_check_legacy(context));
    }
    return emu_event_order_after(event, stream);
}

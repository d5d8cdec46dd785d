/* gpunp.cuda.runtime: streams and events.
 *
 * Handles made here are destroyed by streamDestroy and eventDestroy only. While such a stream is in
 * use by arrays (ExternalStream), destroying it tells the pool first, so that its memory is not
 * ordered by a handle that is gone.
 */
#include "rt/runtime.h"

/* ---- streams --------------------------------------------------------------------------------- */

static PyObject *
streamCreate(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    CUstream stream = NULL;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY_WAIT(cuStreamCreate(&stream, 0));
    return gnp_from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamCreateWithFlags(PARAMS)
{
    uint64_t n[1] = {0};
    CUstream stream = NULL;
    BIND_OR_RETURN("streamCreateWithFlags(flags: unsigned)")
    RT_TRY_WAIT(cuStreamCreate(&stream, (unsigned)n[0]));
    return gnp_from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamCreateWithPriority(PARAMS)
{
    uint64_t n[2] = {0};
    CUstream stream = NULL;
    BIND_OR_RETURN("streamCreateWithPriority(flags: unsigned, priority: int)")
    RT_TRY_WAIT(cuStreamCreateWithPriority(&stream, (unsigned)n[0], (int)n[1]));
    return gnp_from_pointer(stream);
fail:
    return NULL;
}

/* The numbers up to 2 are the default streams: for these the driver's error is the answer. */
static PyObject *
streamDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("streamDestroy(stream)")
    if (n[0] > 2) {
        (void)gnp_capture_abandon(gnp_stream_of(n[0]));
        gnp_pool_forget_stream(device, gnp_stream_of(n[0]));
    }
    RT_TRY_WAIT(cuStreamDestroy_v2(gnp_stream_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
streamSynchronize(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("streamSynchronize(stream)")
    if (gnp_wait_stream(gnp_stream_of(n[0]), "streamSynchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* 0 when all work is done, 600 (cudaErrorNotReady) when not. Not an exception: programs poll it. */
static PyObject *
streamQuery(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("streamQuery(stream)")
    CUresult code = gnp_cu->cuStreamQuery(gnp_stream_of(n[0]));
    if (code != 0 && code != CUDA_ERROR_NOT_READY) {
        gnp_runtime_raise(code, "cuStreamQuery");
        return NULL;
    }
    return PyLong_FromLong(code);
}

/* Waiting for an event of a capture adds this stream to it; nobody keeps the handle alive here. */
static PyObject *
streamWaitEvent(PARAMS)
{
    uint64_t n[3] = {0};
    BIND_OR_RETURN("streamWaitEvent(stream, event, flags: unsigned=0)")
    RT_TRY_QUEUE(cuStreamWaitEvent(gnp_stream_of(n[0]), gnp_event_of(n[1]), (unsigned)n[2]));
    GNP_TRY(gnp_capture_join(device, gnp_stream_of(n[0]), NULL));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
streamGetPriority(PARAMS)
{
    uint64_t n[1] = {0};
    int priority = 0;
    BIND_OR_RETURN("streamGetPriority(stream)")
    RT_TRY(cuStreamGetPriority(gnp_stream_of(n[0]), &priority));
    return PyLong_FromLong(priority);
fail:
    return NULL;
}

static PyObject *
streamGetFlags(PARAMS)
{
    uint64_t n[1] = {0};
    unsigned flags = 0;
    BIND_OR_RETURN("streamGetFlags(stream)")
    RT_TRY(cuStreamGetFlags(gnp_stream_of(n[0]), &flags));
    return PyLong_FromUnsignedLong(flags);
fail:
    return NULL;
}

static PyObject *
deviceGetStreamPriorityRange(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    int least = 0, greatest = 0;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY(cuCtxGetStreamPriorityRange(&least, &greatest));
    return Py_BuildValue("(ii)", least, greatest);
fail:
    return NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

static PyObject *
eventCreate(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    CUevent event = NULL;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY(cuEventCreate(&event, 0));
    return gnp_from_pointer(event);
fail:
    return NULL;
}

static PyObject *
eventCreateWithFlags(PARAMS)
{
    uint64_t n[1] = {0};
    CUevent event = NULL;
    BIND_OR_RETURN("eventCreateWithFlags(flags: unsigned)")
    RT_TRY(cuEventCreate(&event, (unsigned)n[0]));
    return gnp_from_pointer(event);
fail:
    return NULL;
}

static PyObject *
eventDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("eventDestroy(event)")
    RT_TRY(cuEventDestroy_v2(gnp_event_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
eventRecord(PARAMS)
{
    uint64_t n[2] = {0};
    BIND_OR_RETURN("eventRecord(event, stream)")
    RT_TRY_QUEUE(cuEventRecord(gnp_event_of(n[0]), gnp_stream_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
eventQuery(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("eventQuery(event)")
    CUresult code = gnp_cu->cuEventQuery(gnp_event_of(n[0]));
    if (code != 0 && code != CUDA_ERROR_NOT_READY) {
        gnp_runtime_raise(code, "cuEventQuery");
        return NULL;
    }
    return PyLong_FromLong(code);
}

static PyObject *
eventSynchronize(PARAMS)
{
    uint64_t n[1] = {0};
    BIND_OR_RETURN("eventSynchronize(event)")
    if (gnp_wait_event(gnp_event_of(n[0]), "eventSynchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
eventElapsedTime(PARAMS)
{
    uint64_t n[2] = {0};
    float ms = 0;
    BIND_OR_RETURN("eventElapsedTime(start, end)")
    RT_TRY(cuEventElapsedTime(&ms, gnp_event_of(n[0]), gnp_event_of(n[1])));
    return PyFloat_FromDouble(ms);
fail:
    return NULL;
}

PyMethodDef gnp_runtime_stream_functions[] = {
    PLAIN(streamCreate, "int\n    Handle of the stream.", "Create a stream."),
    MANY(streamCreateWithFlags, streamCreateWithFlags, "flags", P_flags,
         "int\n    Handle of the stream.",
         "Create a stream with flags, one of the constants `stream...`."),
    MANY(streamCreateWithPriority, streamCreateWithPriority, "flags, priority", P_flags P_priority,
         "int\n    Handle of the stream.", "Create a stream with flags and a priority."),
    MANY(streamDestroy, streamDestroy, "stream", P_stream, "None",
         "Destroy a stream; its work is completed."),
    MANY(streamSynchronize, streamSynchronize, "stream", P_stream, "None",
         "Wait until all work in a stream is complete."),
    MANY(streamQuery, streamQuery, "stream", P_stream, "int\n    0, or `cudaErrorNotReady`.",
         "Return whether all work in a stream is complete."),
    MANY(streamWaitEvent, streamWaitEvent, "stream, event, flags=0", P_stream P_event P_flags,
         "None", "Make later work in a stream wait for an event."),
    MANY(streamGetPriority, streamGetPriority, "stream", P_stream,
         "int\n    Priority of the stream.", "Return the priority of a stream."),
    MANY(streamGetFlags, streamGetFlags, "stream", P_stream,
         "int\n    One of the constants `stream...`.", "Return the flags of a stream."),
    PLAIN(deviceGetStreamPriorityRange,
          "least, greatest : int\n    Priorities; the greatest one is the lowest number.",
          "Return the range of priorities of streams."),
    PLAIN(eventCreate, "int\n    Handle of the event.", "Create an event with timing."),
    MANY(eventCreateWithFlags, eventCreateWithFlags, "flags", P_flags,
         "int\n    Handle of the event.",
         "Create an event with flags, a combination of the constants `event...`."),
    MANY(eventDestroy, eventDestroy, "event", P_event, "None", "Destroy an event."),
    MANY(eventRecord, eventRecord, "event, stream", P_event P_stream, "None",
         "Record an event in a stream."),
    MANY(eventQuery, eventQuery, "event", P_event, "int\n    0, or `cudaErrorNotReady`.",
         "Return whether an event is complete."),
    MANY(eventSynchronize, eventSynchronize, "event", P_event, "None",
         "Wait until an event is complete."),
    MANY(eventElapsedTime, eventElapsedTime, "start, end", P_start P_end,
         "float\n    Time in milliseconds.", "Return the time between two events."),
    {NULL, NULL, 0, NULL},
};

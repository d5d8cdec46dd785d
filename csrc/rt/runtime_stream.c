/* gpunp.cuda.runtime: streams and events. */
#include "rt/runtime.h"

/* ---- streams
 * ------------------------------------------------------------------------------------------------
 */

static PyObject *
streamCreate(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    CUstream stream = NULL;
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    RT_TRY(cuStreamCreate(&stream, 0));
    return gnp_from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamCreateWithFlags(PARAMS)
{
    uint64_t n[1] = {0};
    CUstream stream = NULL;
    BIND("streamCreateWithFlags(flags)")
    RT_TRY(cuStreamCreate(&stream, (unsigned)n[0]));
    return gnp_from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamCreateWithPriority(PARAMS)
{
    uint64_t n[2] = {0};
    CUstream stream = NULL;
    BIND("streamCreateWithPriority(flags, priority)")
    RT_TRY(cuStreamCreateWithPriority(&stream, (unsigned)n[0], (int)n[1]));
    return gnp_from_pointer(stream);
fail:
    return NULL;
}

static PyObject *
streamDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("streamDestroy(stream)")
    if (n[0] > 2) {
        gnp_pool_forget_stream(device, gnp_stream_of(n[0]));
    }
    RT_TRY(cuStreamDestroy_v2(gnp_stream_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
streamSynchronize(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("streamSynchronize(stream)")
    if (gnp_wait_stream(gnp_stream_of(n[0]), "streamSynchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* 0 when all work is done, 600 (cudaErrorNotReady) when not. */
static PyObject *
streamQuery(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("streamQuery(stream)")
    CUresult code = gnp_cu->cuStreamQuery(gnp_stream_of(n[0]));
    if (code != 0 && code != CUDA_ERROR_NOT_READY) {
        gnp_runtime_raise(code, "cuStreamQuery");
        return NULL;
    }
    return PyLong_FromLong(code);
}

static PyObject *
streamWaitEvent(PARAMS)
{
    uint64_t n[3] = {0};
    BIND("streamWaitEvent(stream, event, flags=0)")
    RT_TRY(cuStreamWaitEvent(gnp_stream_of(n[0]), gnp_event_of(n[1]), (unsigned)n[2]));
    GNP_TRY(gnp_capture_join(gnp_stream_of(n[0]), NULL));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
streamGetPriority(PARAMS)
{
    uint64_t n[1] = {0};
    int priority = 0;
    BIND("streamGetPriority(stream)")
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
    BIND("streamGetFlags(stream)")
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

/* ---- events
 * ---------------------------------------------------------------------------------------------------
 */

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
    BIND("eventCreateWithFlags(flags)")
    RT_TRY(cuEventCreate(&event, (unsigned)n[0]));
    return gnp_from_pointer(event);
fail:
    return NULL;
}

static PyObject *
eventDestroy(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("eventDestroy(event)")
    RT_TRY(cuEventDestroy_v2(gnp_event_of(n[0])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
eventRecord(PARAMS)
{
    uint64_t n[2] = {0};
    BIND("eventRecord(event, stream)")
    RT_TRY(cuEventRecord(gnp_event_of(n[0]), gnp_stream_of(n[1])));
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyObject *
eventQuery(PARAMS)
{
    uint64_t n[1] = {0};
    BIND("eventQuery(event)")
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
    BIND("eventSynchronize(event)")
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
    BIND("eventElapsedTime(start, end)")
    RT_TRY(cuEventElapsedTime(&ms, gnp_event_of(n[0]), gnp_event_of(n[1])));
    return PyFloat_FromDouble(ms);
fail:
    return NULL;
}

PyMethodDef gnp_runtime_stream_functions[] = {
    PLAIN(streamCreate),
    MANY(streamCreateWithFlags, streamCreateWithFlags, "flags"),
    MANY(streamCreateWithPriority, streamCreateWithPriority, "flags, priority"),
    MANY(streamDestroy, streamDestroy, "stream"),
    MANY(streamSynchronize, streamSynchronize, "stream"),
    MANY(streamQuery, streamQuery, "stream"),
    MANY(streamWaitEvent, streamWaitEvent, "stream, event, flags=0"),
    MANY(streamGetPriority, streamGetPriority, "stream"),
    MANY(streamGetFlags, streamGetFlags, "stream"),
    PLAIN(deviceGetStreamPriorityRange),
    PLAIN(eventCreate),
    MANY(eventCreateWithFlags, eventCreateWithFlags, "flags"),
    MANY(eventDestroy, eventDestroy, "event"),
    MANY(eventRecord, eventRecord, "event, stream"),
    MANY(eventQuery, eventQuery, "event"),
    MANY(eventSynchronize, eventSynchronize, "event"),
    MANY(eventElapsedTime, eventElapsedTime, "start, end"),
    {NULL, NULL, 0, NULL},
};

/* gpunp.cuda.Event: a point in a stream's work, with a time stamp unless that is switched off.
 *
 * Handles are created and destroyed with the object. An event belongs to the device that was
 * current when it was made; methods make that one current, so an event may be used from any thread.
 * Creation takes microseconds and needs no lock of ours.
 */
#include "rt/internal.h"

#include <structmember.h>

typedef struct {
    PyObject_HEAD CUevent handle;
    int device_id;
    int is_captured; /* recorded in a stream that was captured */
    PyObject *weakrefs;
} EventObject;

static PyTypeObject *event_type;

/* The device is current. */
static PyObject *
make(PyTypeObject *type, const GnpDevice *device, unsigned flags)
{
    EventObject *self = NULL; /* owned */
    GNP_NEW(self, (EventObject *)type->tp_alloc(type, 0));
    self->device_id = device->id;
    CU_TRY(cuEventCreate(&self->handle, flags));
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

PyObject *
gnp_event_new(const GnpDevice *device)
{
    return make(event_type, device, CU_EVENT_DEFAULT);
}

int
gnp_event_from_object(PyObject *object, CUevent *out)
{
    if (!PyObject_TypeCheck(object, event_type)) {
        PyErr_Format(PyExc_TypeError, "expected an Event, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = ((EventObject *)object)->handle;
    return 0;
}

/* Set at each recording, since an event may be recorded in a captured stream first and in another
 * one later. */
void
gnp_event_recorded(PyObject *object, CUstream stream)
{
    if (PyObject_TypeCheck(object, event_type)) {
        ((EventObject *)object)->is_captured =
            gnp_captures != NULL && gnp_capture_find(stream) != NULL;
    }
}

/* An event of a capture is a node of the graph: the host cannot wait for it. */
static int
check_not_captured(const EventObject *self, const char *what)
{
    if (GNP_LIKELY(!self->is_captured)) {
        return 0;
    }
    PyErr_Format(PyExc_RuntimeError,
                 "Event.%s: the event was recorded in a stream that was being captured; it is a "
                 "place in the graph and never reached by itself",
                 what);
    return -1;
}

/* The flags are the driver's: without timing an event costs less to record, and interprocess events
 * cannot have it. */
static PyObject *
event_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig =
        GNP_SIGNATURE("Event(block=False, disable_timing=False, interprocess=False)");
    static const unsigned bits[3] = {CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING,
                                     CU_EVENT_INTERPROCESS};
    PyObject *values[GNP_MAX_PARAMS];
    unsigned flags = 0;
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0) {
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        int on = values[i] != NULL ? PyObject_IsTrue(values[i]) : 0;
        if (on < 0) {
            return NULL;
        }
        flags |= on ? bits[i] : 0;
    }
    if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)) {
        PyErr_SetString(PyExc_ValueError, "an interprocess event needs disable_timing=True");
        return NULL;
    }
    const GnpDevice *device = gnp_device_current();
    return device != NULL ? make(type, device, flags) : NULL;
}

/* Destroying an event that the device has not reached is allowed: the driver frees it when it
 * has. */
static void
event_dealloc(PyObject *object)
{
    EventObject *self = (EventObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    if (self->handle != NULL && !gnp_is_closing()) {
        CU_DROP(cuEventDestroy_v2(self->handle));
    }
    type->tp_free(object);
    Py_DECREF(type);
}

/* The event's device, made current; NULL with an exception. */
static GnpDevice *
enter(const EventObject *self)
{
    GnpDevice *device = gnp_device_get(self->device_id);
    return device != NULL && gnp_device_enter(device) == 0 ? device : NULL;
}

/* May wait for room in the stream's queue, hence CU_TRY_QUEUE; the arguments are held by the
 * caller. */
static PyObject *
event_record(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("record(stream=None)");
    PyObject *values[GNP_MAX_PARAMS];
    CUstream stream = NULL;
    EventObject *self = (EventObject *)object;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, values));
    GnpDevice *device = enter(self);
    if (device == NULL) {
        return NULL;
    }
    GNP_TRY(gnp_stream_from_object(values[0], device, &stream));
    CU_TRY_QUEUE(cuEventRecord(self->handle, stream));
    gnp_event_recorded(object, stream);
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* By polling, as all waits here: Ctrl-C ends it (wait.c). */
static PyObject *
event_synchronize(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    EventObject *self = (EventObject *)object;
    if (check_not_captured(self, "synchronize") < 0 || enter(self) == NULL ||
        gnp_wait_event(self->handle, "Event.synchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
event_get_ptr(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong((uintptr_t)((EventObject *)self)->handle);
}

/* Does not wait. An error is that of the work before the event, such as a kernel's fault. */
static PyObject *
event_get_done(PyObject *object, void *Py_UNUSED(closure))
{
    EventObject *self = (EventObject *)object;
    if (check_not_captured(self, "done") < 0 || enter(self) == NULL) {
        return NULL;
    }
    CUresult code = gnp_cu->cuEventQuery(self->handle);
    if (code != 0 && code != CUDA_ERROR_NOT_READY) {
        gnp_cuda_raise(code, "cuEventQuery", "Event.done");
        return NULL;
    }
    return PyBool_FromLong(code == 0);
}

static PyMethodDef event_methods[] = {
    {"record", GNP_FAST(event_record), METH_FASTCALL | METH_KEYWORDS,
     "record(stream=None)\n--\n\n"
     "Record the event in a stream.\n\n"
     "Parameters\n----------\n"
     "stream : Stream, optional\n"
     "    Stream in which the event is recorded. By default the current one.\n\n"
     "Returns\n-------\n"
     "None"},
    {"synchronize", event_synchronize, METH_NOARGS,
     "synchronize()\n--\n\n"
     "Wait until the event is complete.\n\n"
     "Returns\n-------\n"
     "None"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef event_getset[] = {
    {"ptr", event_get_ptr, NULL, "Handle of the driver, as an int.", NULL},
    {"done", event_get_done, NULL, "Whether the event is complete.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef event_members[] = {
    {"device_id", T_INT, offsetof(EventObject, device_id), READONLY, "Ordinal of the device."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(EventObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot event_slots[] = {
    {Py_tp_doc,
     GNP_DOC(
         "Event(block=False, disable_timing=False, interprocess=False)\n--\n\n"
         "Event in a stream, which can be waited for and timed.\n\n"
         "Parameters\n----------\n"
         "block : bool, optional\n    If True, threads that synchronize with the event sleep.\n"
         "disable_timing : bool, optional\n    If True, the event has no time, which is faster.\n"
         "interprocess : bool, optional\n    If True, other processes can open the event.")},
    {Py_tp_new, event_new},
    {Py_tp_dealloc, event_dealloc},
    {Py_tp_methods, event_methods},
    {Py_tp_getset, event_getset},
    {Py_tp_members, event_members},
    {0, NULL},
};

static PyType_Spec event_spec = {
    .name = "gpunp.cuda.Event",
    .basicsize = sizeof(EventObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = event_slots,
};

/* The driver checks that both events have timing and are complete; its resolution is about 0.5
 * us. */
static PyObject *
get_elapsed_time(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("get_elapsed_time(start_event, end_event)");
    PyObject *values[GNP_MAX_PARAMS];
    CUevent start = NULL, end = NULL;
    float ms = 0;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, values));
    GNP_TRY(gnp_event_from_object(values[0], &start));
    GNP_TRY(gnp_event_from_object(values[1], &end));
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    CU_TRY(cuEventElapsedTime(&ms, start, end));
    return PyFloat_FromDouble(ms);
fail:
    return NULL;
}

static PyMethodDef functions[] = {
    {"get_elapsed_time", GNP_FAST(get_elapsed_time), METH_FASTCALL | METH_KEYWORDS,
     "get_elapsed_time(start_event, end_event)\n--\n\n"
     "Return the time in milliseconds between two recorded events.\n\n"
     "Parameters\n----------\n"
     "start_event, end_event : Event\n"
     "    Events with timing that are complete; others raise an error.\n\n"
     "Returns\n-------\n"
     "float\n    Time in milliseconds."},
    {NULL, NULL, 0, NULL},
};

int
gnp_event_init(PyObject *module)
{
    event_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &event_spec, NULL);
    if (event_type == NULL || PyModule_AddType(module, event_type) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, functions);
}

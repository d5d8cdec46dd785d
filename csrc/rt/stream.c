/* gpunp.cuda.Stream and ExternalStream, and the current stream of each thread and device.
 *
 * The handle that launches read is in thread-local memory; the object that keeps it alive is in the
 * thread state's dict, so it is released with the thread. Both change together.
 *
 * Handles of our own streams are in the list `live`, so that waiting for a device can poll each of
 * them (wait.c). Python functions in streams are here too: what may be called while one is pending
 * is the subject of host_functions.c.
 */
#include "rt/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <structmember.h>

typedef enum { KIND_NULL, KIND_PER_THREAD, KIND_OWNED, KIND_EXTERNAL } StreamKind;

struct GnpStream {
    PyObject_HEAD CUstream handle;
    int device_id; /* -1 for the default streams, which every device has */
    StreamKind kind;
    PyObject *owner; /* of an external stream, or NULL */
    PyObject *weakrefs;
    GnpStream *next, *previous; /* our live owned streams; guarded by the GIL */
};

static PyTypeObject *stream_type;
static PyTypeObject *external_type;
static GnpStream *live;

/* ---- handles --------------------------------------------------------------------------------- */

/* The stream's device, made current; NULL with an exception. The default streams have no device:
 * they are those of whichever device is current. */
static GnpDevice *
enter(const GnpStream *self)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL || self->device_id < 0 || self->device_id == device->id) {
        return device;
    }
    device = gnp_device_get(self->device_id);
    return device != NULL && gnp_device_enter(device) == 0 ? device : NULL;
}

/* Captured streams are left out, since a query would break the capture. The reference keeps the
 * handle valid while the caller waits without the GIL. */
PyObject *
gnp_stream_next_busy(int device_id, CUstream *out)
{
    for (GnpStream *stream = live; stream != NULL; stream = stream->next) {
        if (stream->device_id == device_id &&
            (gnp_captures == NULL || gnp_capture_find(stream->handle) == NULL) &&
            gnp_cu->cuStreamQuery(stream->handle) == CUDA_ERROR_NOT_READY) {
            *out = stream->handle;
            return Py_NewRef((PyObject *)stream);
        }
    }
    return NULL;
}

/* The handle of an object with the stream protocol: (version, handle). The protocol of cuda.core,
 * which PyTorch and others implement too. The version is not looked at: later ones keep the first
 * two items. */
static int
handle_from_protocol(PyObject *object, CUstream *out)
{
    PyObject *pair = PyObject_CallMethod(object, "__cuda_stream__", NULL);
    if (pair == NULL) {
        return -1;
    }
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) < 2) {
        PyErr_SetString(PyExc_TypeError, "__cuda_stream__() must return a pair of version and "
                                         "pointer");
        Py_DECREF(pair);
        return -1;
    }
    void *pointer;
    int status = gnp_pointer_from_object(PyTuple_GET_ITEM(pair, 1), "the stream", &pointer);
    Py_DECREF(pair);
    if (status == 0) {
        *out = pointer;
    }
    return status;
}

/* Borrowed: the object has to outlive the use of the handle. Recorded work is launched first, since
 * the handle leaves this library's control. */
int
gnp_stream_from_object(PyObject *object, const GnpDevice *device, CUstream *out)
{
    gnp_work_begins();
    if (object == NULL || object == Py_None) {
        *out = gnp_stream_current(device);
        return 0;
    }
    if (PyObject_TypeCheck(object, stream_type)) {
        *out = ((GnpStream *)object)->handle;
        return 0;
    }
    if (PyLong_Check(object)) {
        void *pointer;
        if (gnp_pointer_from_object(object, "the stream", &pointer) < 0) {
            return -1;
        }
        *out = pointer;
        return 0;
    }
    if (PyObject_HasAttrString(object, "__cuda_stream__")) {
        return handle_from_protocol(object, out);
    }
    PyErr_Format(PyExc_TypeError, "a stream is a Stream, a pointer or None, not %.100s",
                 Py_TYPE(object)->tp_name);
    return -1;
}

/* ---- the current stream ---------------------------------------------------------------------- */

/* dict[key] of this thread, made by `make` when missing. Borrowed. In the thread state's dict
 * rather than in thread-local memory, because Python objects in the latter would never be
 * released. */
static PyObject *
thread_entry(PyObject *key, PyObject *(*make)(void))
{
    PyObject *dict = PyThreadState_GetDict();
    if (dict == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "this thread has no Python state");
        return NULL;
    }
    PyObject *entry = PyDict_GetItemWithError(dict, key);
    if (entry == NULL && !PyErr_Occurred()) {
        entry = make();
        if (entry != NULL && PyDict_SetItem(dict, key, entry) < 0) {
            Py_CLEAR(entry);
        }
        Py_XDECREF(entry); /* the dict holds it */
    }
    return entry;
}

static int
set_thread_entry(PyObject *key, PyObject *value)
{
    PyObject *dict = PyThreadState_GetDict();
    return dict != NULL ? PyDict_SetItem(dict, key, value) : -1;
}

static PyObject *
empty_stack(void)
{
    return Py_NewRef(Py_None);
}

/* Borrowed from the state, which lives as long as the module. */
static PyObject *
default_object(void)
{
    return gnp_default_stream != NULL ? gnp_state.per_thread_stream : gnp_state.null_stream;
}

/* The stream object of `device_id`: borrowed. Without an entry of its own the thread uses the
 * default stream, which GPUNP_PTDS chooses. */
PyObject *
gnp_stream_current_object(int device_id)
{
    PyObject *streams = thread_entry(gnp_state.str_gpunp_streams, PyDict_New);
    PyObject *key = streams != NULL ? PyLong_FromLong(device_id) : NULL;
    if (key == NULL) {
        return NULL;
    }
    PyObject *stream = PyDict_GetItemWithError(streams, key);
    Py_DECREF(key);
    return stream != NULL || PyErr_Occurred() ? stream : default_object();
}

/* The object first: if storing it fails the handle is unchanged, so the two never disagree. */
static int
set_current(int device_id, PyObject *object)
{
    GnpStream *stream = (GnpStream *)object;
    PyObject *streams = thread_entry(gnp_state.str_gpunp_streams, PyDict_New);
    PyObject *key = streams != NULL ? PyLong_FromLong(device_id) : NULL;
    if (key == NULL) {
        return -1;
    }
    int status = PyDict_SetItem(streams, key, object);
    Py_DECREF(key);
    if (status == 0) {
        /* 0 in the thread's table means the default, which need not be the legacy stream. */
        CUstream handle = stream->handle;
        gnp_thread.streams[device_id] =
            handle == NULL && gnp_default_stream != NULL ? CU_STREAM_LEGACY : handle;
    }
    return status;
}

/* The id of the current device, on which `self` may become current; -1 with an exception. A stream
 * works on its own device only. Changing the device silently would surprise later calls. */
static int
usable_device(const GnpStream *self)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    if (self->device_id >= 0 && self->device_id != device->id) {
        PyErr_Format(PyExc_RuntimeError,
                     "this stream belongs to device %d, but the current device is %d",
                     self->device_id, device->id);
        return -1;
    }
    return device->id;
}

/* ---- construction and destruction ------------------------------------------------------------ */

/* tp_alloc clears the rest: no owner, not in the list. */
static GnpStream *
new_object(PyTypeObject *type, CUstream handle, int device_id, StreamKind kind)
{
    GnpStream *self = (GnpStream *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->handle = handle;
        self->device_id = device_id;
        self->kind = kind;
    }
    return self;
}

/* On failure the kind is still KIND_NULL, so that deallocating the object destroys nothing. */
static int
create(GnpStream *self, int flags, PyObject *priority)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    if (priority == NULL || priority == Py_None) {
        CU_TRY_WAIT(cuStreamCreate(&self->handle, (unsigned)flags));
    }
    else {
        int level;
        if (gnp_int_from_object(priority, "priority", &level) < 0) {
            return -1;
        }
        CU_TRY_WAIT(cuStreamCreateWithPriority(&self->handle, (unsigned)flags, level));
    }
    self->kind = KIND_OWNED;
    self->device_id = device->id;
    self->next = live;
    if (live != NULL) {
        live->previous = self;
    }
    live = self;
    return 0;
fail:
    return -1;
}

/* Stream(null=True) is another object with the same handle; it compares equal to Stream.null. */
static PyObject *
stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig =
        GNP_SIGNATURE("Stream(null=False, non_blocking=False, ptds=False, priority=None)");
    PyObject *values[GNP_MAX_PARAMS];
    int flags[3] = {0, 0, 0};
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0) {
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        flags[i] = values[i] != NULL ? PyObject_IsTrue(values[i]) : 0;
        if (flags[i] < 0) {
            return NULL;
        }
    }
    if (flags[0] && flags[2]) {
        PyErr_SetString(PyExc_ValueError, "null and ptds exclude each other");
        return NULL;
    }
    if (flags[0] || flags[2]) {
        return (PyObject *)new_object(type, flags[0] ? NULL : CU_STREAM_PER_THREAD, -1,
                                      flags[0] ? KIND_NULL : KIND_PER_THREAD);
    }
    GnpStream *self = new_object(type, NULL, -1, KIND_NULL);
    if (self != NULL && create(self, flags[1] ? CU_STREAM_NON_BLOCKING : 0, values[3]) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* The owner is kept for from_external(); for a bare address the program has to keep the stream. */
static PyObject *
new_external(PyTypeObject *type, CUstream handle, int device_id, PyObject *owner)
{
    GnpDevice *device = gnp_device_for(device_id);
    GnpStream *self = device != NULL ? new_object(type, handle, device->id, KIND_EXTERNAL) : NULL;
    if (self != NULL) {
        self->owner = Py_XNewRef(owner);
    }
    return (PyObject *)self;
}

static PyObject *
external_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("ExternalStream(ptr, device_id=-1)");
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0) {
        return NULL;
    }
    void *pointer = NULL;
    int device_id = -1;
    if (gnp_pointer_from_object(values[0], "ptr", &pointer) < 0 ||
        (values[1] != NULL && gnp_int_from_object(values[1], "device_id", &device_id) < 0)) {
        return NULL;
    }
    return new_external(type, pointer, device_id, NULL);
}

static PyObject *
stream_from_external(PyObject *Py_UNUSED(type), PyObject *object)
{
    CUstream handle = NULL;
    if (!PyObject_HasAttrString(object, "__cuda_stream__")) {
        PyErr_Format(PyExc_TypeError, "%.100s has no __cuda_stream__ method",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    if (handle_from_protocol(object, &handle) < 0) {
        return NULL;
    }
    return new_external(external_type, handle, -1, object);
}

/* The capture of a stream that is destroyed could never be ended, and would block the device. The
 * warning may run Python code while an exception is pending in the code that dropped the stream:
 * that exception is put aside. */
static void
abandon_capture(const GnpStream *self)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (gnp_capture_abandon(self->handle) &&
        gnp_warn(PyExc_ResourceWarning,
                 "a stream was dropped while it was captured: what it recorded is lost") < 0) {
        PyErr_WriteUnraisable(NULL);
    }
    PyErr_Restore(type, value, trace);
}

/* The pool first: it records where the stream's work ends, for the blocks it owns or has used. The
 * driver completes queued work after the destruction. */
static void
destroy(GnpStream *self)
{
    *(self->previous != NULL ? &self->previous->next : &live) = self->next;
    if (self->next != NULL) {
        self->next->previous = self->previous;
    }
    GnpDevice *device = gnp_device_if_open(self->device_id);
    if (device == NULL || gnp_is_closing()) {
        return;
    }
    CUcontext before = NULL;
    CU_DROP(cuCtxGetCurrent(&before));
    CU_DROP(cuCtxSetCurrent(device->context));
    abandon_capture(self);
    gnp_pool_forget_stream(device, self->handle);
    CU_DROP_WAIT(cuStreamDestroy_v2(self->handle));
    CU_DROP(cuCtxSetCurrent(before));
}

static void
stream_dealloc(PyObject *object)
{
    GnpStream *self = (GnpStream *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    if (self->kind == KIND_OWNED) {
        destroy(self);
    }
    Py_XDECREF(self->owner);
    type->tp_free(object);
    Py_DECREF(type);
}

/* ---- methods --------------------------------------------------------------------------------- */

static PyObject *
stream_repr(PyObject *object)
{
    char handle[32]; /* "%p" would write NULL as (nil) */
    snprintf(handle, sizeof handle, "0x%llx",
             (unsigned long long)(uintptr_t)((GnpStream *)object)->handle);
    return PyUnicode_FromFormat("<%s %s (device %d)>",
                                PyObject_TypeCheck(object, external_type) ? "ExternalStream"
                                                                          : "Stream",
                                handle, ((GnpStream *)object)->device_id);
}

/* Handles are addresses, aligned to 16 at least; equal handles compare equal, so they hash
 * alike. */
static Py_hash_t
stream_hash(PyObject *object)
{
    return (Py_hash_t)((uintptr_t)((GnpStream *)object)->handle >> 4);
}

static PyObject *
stream_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyObject_TypeCheck(b, stream_type) || (op != Py_EQ && op != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int same = ((GnpStream *)a)->handle == ((GnpStream *)b)->handle;
    return PyBool_FromLong(same == (op == Py_EQ));
}

static PyObject *
stream_use(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    int device_id = usable_device((GnpStream *)self);
    if (device_id < 0 || set_current(device_id, self) < 0) {
        return NULL;
    }
    return Py_NewRef(self);
}

/* The blocks that the thread is in are a chain of tuples: device, stream before, whether the stream
 * was captured before the block, and the tuple of the block around it, or None. Leaving one takes
 * no memory, so it cannot fail. The device is there since a device switch inside of the block must
 * not restore the stream of another one. */
static PyObject *
stream_enter(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    PyObject *const key = gnp_state.str_gpunp_stream_stack;
    int device_id = usable_device((GnpStream *)self);
    PyObject *around = device_id >= 0 ? thread_entry(key, empty_stack) : NULL;
    PyObject *before = around != NULL ? gnp_stream_current_object(device_id) : NULL;
    PyObject *block = NULL; /* owned */
    PyObject *ret = NULL;
    if (before == NULL) {
        return NULL;
    }
    Py_INCREF(around); /* the dict's is replaced */
    const CUstream handle = ((GnpStream *)self)->handle;
    const int captured = gnp_captures != NULL && gnp_capture_find(handle) != NULL;
    GNP_NEW(block, Py_BuildValue("(iOiO)", device_id, before, captured, around));
    GNP_TRY(set_current(device_id, self));
    GNP_TRY(set_thread_entry(key, block));
    ret = Py_NewRef(self);
fail:
    Py_DECREF(around);
    Py_XDECREF(block);
    return ret;
}

/* A capture that began in a block which an exception leaves will hardly be ended by anyone, and
 * would keep the device from being waited for. */
static int
leave_capture(PyObject *self, PyObject *error_type, PyObject *was_captured)
{
    int captured = 1;
    GNP_TRY(gnp_int_from_object(was_captured, "captured", &captured));
    if (!captured && error_type != Py_None && enter((GnpStream *)self) != NULL) {
        (void)gnp_capture_abandon_own(((GnpStream *)self)->handle);
    }
    return PyErr_Occurred() ? -1 : 0;
fail:
    return -1;
}

/* Restores what was current before, also when the block itself has called use(). Arguments are no
 * tuple, for which there might be no memory: then the stream would stay current. */
static PyObject *
stream_exit(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *const key = gnp_state.str_gpunp_stream_stack;
    PyObject *block = thread_entry(key, empty_stack);
    if (block == NULL || block == Py_None) {
        if (block == Py_None) {
            PyErr_SetString(PyExc_RuntimeError, "Stream.__exit__ without __enter__");
        }
        return NULL;
    }
    Py_INCREF(block); /* the dict's is replaced */
    int device_id = 0;
    int status = set_thread_entry(key, PyTuple_GET_ITEM(block, 3));
    status =
        status < 0 ? status : gnp_int_from_object(PyTuple_GET_ITEM(block, 0), "device", &device_id);
    status = status < 0 ? status : set_current(device_id, PyTuple_GET_ITEM(block, 1));
    status = status < 0
                 ? status
                 : leave_capture(self, nargs > 0 ? args[0] : Py_None, PyTuple_GET_ITEM(block, 2));
    Py_DECREF(block);
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
stream_synchronize(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    GnpStream *self = (GnpStream *)object;
    if (enter(self) == NULL || gnp_wait_stream(self->handle, "Stream.synchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* The stream's device is made current, as a new event belongs to the current one. */
static PyObject *
stream_record(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("record(event=None)");
    PyObject *values[GNP_MAX_PARAMS];
    PyObject *event = NULL; /* returned */
    CUevent handle = NULL;
    GnpStream *self = (GnpStream *)object;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, values));
    const GnpDevice *device = enter(self);
    if (device == NULL) {
        return NULL;
    }
    if (values[0] != NULL && values[0] != Py_None) {
        event = Py_NewRef(values[0]);
    }
    else {
        GNP_NEW(event, gnp_event_new(device));
    }
    GNP_TRY(gnp_event_from_object(event, &handle));
    CU_TRY_QUEUE(cuEventRecord(handle, self->handle));
    gnp_event_recorded(event, self->handle);
    return event;
fail:
    Py_XDECREF(event);
    return NULL;
}

/* A wait on the device: the host goes on. It may bring this stream into a capture. */
static PyObject *
stream_wait_event(PyObject *object, PyObject *event)
{
    CUevent handle = NULL;
    GnpStream *self = (GnpStream *)object;
    GNP_TRY(gnp_event_from_object(event, &handle));
    GnpDevice *device = enter(self);
    if (device == NULL) {
        return NULL;
    }
    CU_TRY_QUEUE(cuStreamWaitEvent(self->handle, handle, 0));
    GNP_TRY(gnp_capture_join(device, self->handle, object));
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* ---- host functions -------------------------------------------------------------------------- */

int gnp_host_functions = 0;

/* A Python call made by a stream. The driver's thread must not call CUDA, and dropping the last
 * reference to a stream or an array would: so the references are dropped later, by another thread.
 */
typedef struct HostCall {
    PyObject *pair; /* owned: (callable, arguments) */
    struct HostCall *next;
} HostCall;

static HostCall *called; /* done; guarded by the GIL */
/* Incremented and decremented with the GIL; more than one when functions of several streams take
 * turns. */
static int npaused;  /* Python functions of streams that run now */
static int collects; /* garbage was collected before the first of them */

/* Called by a thread of the driver, in which Python may run for the first time. */
PyGILState_STATE
gnp_host_function_begin(void)
{
    PyGILState_STATE state = PyGILState_Ensure();
    gnp_thread.in_host_function = 1;
    if (npaused++ == 0) { /* garbage may own CUDA resources too */
        collects = PyGC_Disable();
    }
    return state;
}

/* The collector is switched on again when the last of several has ended, and only if it was on. */
void
gnp_host_function_end(PyGILState_STATE state)
{
    if (--npaused == 0 && collects) {
        PyGC_Enable();
    }
    gnp_thread.in_host_function = 0;
    gnp_host_functions_ended(1);
    PyGILState_Release(state);
}

/* The list is taken apart before each reference is dropped, because a destructor may come back
 * here. */
void
gnp_host_functions_clear(void)
{
    while (called != NULL) {
        HostCall *call = called;
        called = call->next;
        PyObject *pair = call->pair;
        free(call);
        Py_DECREF(pair);
    }
}

static int
clear_soon(void *Py_UNUSED(unused))
{
    gnp_host_functions_clear();
    return 0;
}

/* While Python shuts down the GIL cannot be had: the call is dropped, and leaks. */
static void
run_host_function(void *data)
{
    HostCall *call = data;
    if (gnp_is_closing()) {
        return;
    }
    PyGILState_STATE state = gnp_host_function_begin();
    PyObject *pair = call->pair;
    PyObject *result = PyObject_CallObject(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
    if (result == NULL) {
        PyErr_WriteUnraisable(PyTuple_GET_ITEM(pair, 0));
    }
    Py_XDECREF(result);
    call->next = called;
    called = call;
    (void)Py_AddPendingCall(clear_soon, NULL); /* else the next wait or host function drops them */
    gnp_host_function_end(state);
    /* Counted down last: until here a launch that waits for room in the queue must not hold the
     * GIL. */
    __atomic_sub_fetch(&gnp_host_functions, 1, __ATOMIC_RELAXED);
}

/* Ownership of `call` passes to the driver with the successful call; before that every failure
 * frees it here. */
static PyObject *
launch_host(GnpStream *self, PyObject *callback, GNP_STEAL PyObject *arguments)
{
    PyObject *pair = NULL; /* owned until the driver has it */
    HostCall *call = NULL; /* the same */
    CUresult code = 0;
    if (arguments == NULL) {
        return NULL;
    }
    gnp_host_functions_clear();
    if (!PyCallable_Check(callback)) {
        PyErr_SetString(PyExc_TypeError, "the callback must be callable");
        goto fail;
    }
    if (enter(self) == NULL) {
        goto fail;
    }
    GNP_NEW(pair, PyTuple_Pack(2, callback, arguments));
    GnpCapture *capture = gnp_captures != NULL ? gnp_capture_find(self->handle) : NULL;
    if (capture != NULL) {
        GNP_TRY(gnp_capture_host_call(capture, self->handle, pair));
        Py_DECREF(pair);
        Py_DECREF(arguments);
        Py_RETURN_NONE;
    }
    call = calloc(1, sizeof *call);
    if (call == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    call->pair = pair;
    gnp_host_functions_queued(1);
    __atomic_add_fetch(&gnp_host_functions, 1, __ATOMIC_RELAXED);
    CU_QUEUE(code, cuLaunchHostFunc(self->handle, run_host_function, call));
    if (code != 0) {
        __atomic_sub_fetch(&gnp_host_functions, 1, __ATOMIC_RELAXED);
        gnp_host_functions_ended(1);
        gnp_cuda_raise(code, "cuLaunchHostFunc", __func__);
        goto fail;
    }
    Py_DECREF(arguments);
    Py_RETURN_NONE;
fail:
    free(call);
    Py_XDECREF(pair);
    Py_DECREF(arguments);
    return NULL;
}

static PyObject *
stream_launch_host_func(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("launch_host_func(callback, arg)");
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind(&sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    return launch_host((GnpStream *)self, values[0], PyTuple_Pack(1, values[1]));
}

/* The arguments are those of cudaStreamAddCallback; the status is always 0, because the driver does
 * not call host functions after an error. */
static PyObject *
stream_add_callback(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("add_callback(callback, arg)");
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind(&sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    return launch_host((GnpStream *)self, values[0], Py_BuildValue("(OiO)", self, 0, values[1]));
}

/* ---- captures -------------------------------------------------------------------------------- */

/* A stream of ours is not kept by its own capture: if the program drops it, the capture ends with
 * it instead of leaking both. */
static PyObject *
stream_begin_capture(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("begin_capture(mode=None)");
    PyObject *values[GNP_MAX_PARAMS];
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (gnp_args_bind(&sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    if (values[0] != NULL && values[0] != Py_None) {
        if (gnp_int_from_object(values[0], "mode", &mode) < 0) {
            return NULL;
        }
        if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED) {
            PyErr_Format(PyExc_ValueError,
                         "mode is 0 (global), 1 (thread-local) or 2 (relaxed), not %d", mode);
            return NULL;
        }
    }
    GnpStream *self = (GnpStream *)object;
    GnpDevice *device = enter(self);
    PyObject *kept = self->kind == KIND_OWNED ? NULL : object;
    if (device == NULL || gnp_capture_begin(device, self->handle, kept, mode, 0) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* For the package's own recordings of fixed work (gpunp/cuda/graph.py). */
static PyObject *
stream_begin_brief_capture(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    GnpStream *self = (GnpStream *)object;
    GnpDevice *device = enter(self);
    PyObject *kept = self->kind == KIND_OWNED ? NULL : object;
    const int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (device == NULL || gnp_capture_begin(device, self->handle, kept, mode, 1) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* gnp_graph_new() takes the capture, also on failure. */
static PyObject *
stream_end_capture(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    GnpStream *self = (GnpStream *)object;
    GnpCapture *capture = enter(self) != NULL ? gnp_capture_end(self->handle) : NULL;
    return capture != NULL ? gnp_graph_new(capture) : NULL;
}

static PyObject *
stream_is_capturing(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    GnpStream *self = (GnpStream *)object;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (enter(self) == NULL) {
        return NULL;
    }
    CUresult code = gnp_cu->cuStreamIsCapturing(self->handle, &status);
    /* The legacy stream gives this error while a stream that it synchronises with is captured. */
    if (code != 0 && code != CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        gnp_cuda_raise(code, "cuStreamIsCapturing", "Stream.is_capturing");
        return NULL;
    }
    return PyBool_FromLong(status != CU_STREAM_CAPTURE_STATUS_NONE);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static PyObject *
stream_cuda_stream(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return Py_BuildValue("(iK)", 0, (unsigned long long)(uintptr_t)((GnpStream *)self)->handle);
}

static PyObject *
stream_get_ptr(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong((uintptr_t)((GnpStream *)self)->handle);
}

/* Does not wait. An error that is found is that of work queued earlier. */
static PyObject *
stream_get_done(PyObject *object, void *Py_UNUSED(closure))
{
    GnpStream *self = (GnpStream *)object;
    if (enter(self) == NULL) {
        return NULL;
    }
    CUresult code = gnp_cu->cuStreamQuery(self->handle);
    if (code != 0 && code != CUDA_ERROR_NOT_READY) {
        gnp_cuda_raise(code, "cuStreamQuery", "Stream.done");
        return NULL;
    }
    return PyBool_FromLong(code == 0);
}

static PyObject *
stream_get_priority(PyObject *object, void *Py_UNUSED(closure))
{
    GnpStream *self = (GnpStream *)object;
    int priority = 0;
    if (enter(self) == NULL) {
        return NULL;
    }
    CU_TRY(cuStreamGetPriority(self->handle, &priority));
    return PyLong_FromLong(priority);
fail:
    return NULL;
}

static PyObject *
stream_get_is_non_blocking(PyObject *object, void *Py_UNUSED(closure))
{
    GnpStream *self = (GnpStream *)object;
    unsigned flags = 0;
    if (enter(self) == NULL) {
        return NULL;
    }
    CU_TRY(cuStreamGetFlags(self->handle, &flags));
    return PyBool_FromLong(flags & CU_STREAM_NON_BLOCKING);
fail:
    return NULL;
}

/* ---- the types ------------------------------------------------------------------------------- */

static PyMethodDef stream_methods[] = {
    {"use", stream_use, METH_NOARGS,
     "use()\n--\n\n"
     "Make this the current stream of the thread and device.\n\n"
     "Returns\n-------\n"
     "None"},
    {"__enter__", stream_enter, METH_NOARGS, NULL},
    {"__exit__", GNP_FAST(stream_exit), METH_FASTCALL, NULL},
    {"synchronize", stream_synchronize, METH_NOARGS,
     "synchronize()\n--\n\n"
     "Wait until all work in the stream is complete.\n\n"
     "Returns\n-------\n"
     "None"},
    {"record", GNP_FAST(stream_record), METH_FASTCALL | METH_KEYWORDS,
     "record(event=None)\n--\n\n"
     "Record an event (by default a new one) in the stream and return it.\n\n"
     "Parameters\n----------\n"
     "event : Event, optional\n    Event that is recorded. By default a new one.\n\n"
     "Returns\n-------\n"
     "Event\n    Event, which completes when all work queued so far is complete."},
    {"wait_event", stream_wait_event, METH_O,
     "wait_event(event)\n--\n\n"
     "Make later work in the stream wait for an event.\n\n"
     "Parameters\n----------\n"
     "event : Event\n    Event of any stream and device; the host does not wait.\n\n"
     "Returns\n-------\n"
     "None"},
    {"launch_host_func", GNP_FAST(stream_launch_host_func), METH_FASTCALL | METH_KEYWORDS,
     "launch_host_func(callback, arg)\n--\n\n"
     "Call callback(arg) on the host in stream order.\n\n"
     "The callback must not call CUDA.\n\n"
     "Parameters\n----------\n"
     "callback : callable\n    Function, which is called by a thread of the driver.\n"
     "arg : object\n    Argument that is passed to the function.\n\n"
     "Returns\n-------\n"
     "None"},
    {"add_callback", GNP_FAST(stream_add_callback), METH_FASTCALL | METH_KEYWORDS,
     "add_callback(callback, arg)\n--\n\n"
     "Call callback(stream, status, arg) on the host in stream order.\n\n"
     "The callback must not call CUDA.\n\n"
     "Parameters\n----------\n"
     "callback : callable\n"
     "    Function, which is called by a thread of the driver; status is 0.\n"
     "arg : object\n    Last argument of the function.\n\n"
     "Returns\n-------\n"
     "None"},
    {"begin_capture", GNP_FAST(stream_begin_capture), METH_FASTCALL | METH_KEYWORDS,
     "begin_capture(mode=None)\n--\n\n"
     "Start to capture work in the stream to a graph, instead of executing it.\n\n"
     "The mode is one of `runtime.streamCaptureMode...`, relaxed by default. What is allocated\n"
     "meanwhile belongs to the graph that `end_capture` returns.\n\n"
     "Parameters\n----------\n"
     "mode : int, optional\n    Restrictions on other threads during the capture.\n\n"
     "Returns\n-------\n"
     "None"},
    {"_begin_brief_capture", stream_begin_brief_capture, METH_NOARGS,
     "_begin_brief_capture()\n--\n\n"
     "Start a capture that ends soon, for whose end other threads wait."},
    {"end_capture", stream_end_capture, METH_NOARGS,
     "end_capture()\n--\n\n"
     "End the capture and return its Graph.\n\n"
     "Returns\n-------\n"
     "Graph\n    Graph that is ready to be launched."},
    {"is_capturing", stream_is_capturing, METH_NOARGS,
     "is_capturing()\n--\n\n"
     "Return whether work in the stream is being captured.\n\n"
     "Returns\n-------\n"
     "bool\n    True between begin_capture and end_capture."},
    {"from_external", stream_from_external, METH_O | METH_STATIC,
     "from_external(obj)\n--\n\n"
     "Wrap the stream of an object that has __cuda_stream__.\n\n"
     "Parameters\n----------\n"
     "obj : object\n    Stream of another package, which is kept alive.\n\n"
     "Returns\n-------\n"
     "Stream\n    Stream with the same handle."},
    {"__cuda_stream__", stream_cuda_stream, METH_NOARGS,
     "__cuda_stream__()\n--\n\n"
     "Return the version of the protocol and the pointer of the stream."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef stream_getset[] = {
    {"ptr", stream_get_ptr, NULL, "Handle of the driver, as an int.", NULL},
    {"done", stream_get_done, NULL, "Whether all work in the stream is complete.", NULL},
    {"priority", stream_get_priority, NULL,
     "Priority of the stream; lower numbers are more urgent.", NULL},
    {"is_non_blocking", stream_get_is_non_blocking, NULL,
     "Whether the stream does not synchronize with the legacy default stream.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef stream_members[] = {
    {"device_id", T_INT, offsetof(GnpStream, device_id), READONLY,
     "Ordinal of the device; -1 for the default streams."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GnpStream, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot stream_slots[] = {
    {Py_tp_doc,
     GNP_DOC(
         "Stream(null=False, non_blocking=False, ptds=False, priority=None)\n--\n\n"
         "Queue of work on a device.\n\n"
         "Used as a context manager, it is the current stream within the block. `Stream.null` is\n"
         "the legacy default stream and `Stream.ptds` the per-thread default stream.\n\n"
         "Parameters\n----------\n"
         "null : bool, optional\n    If True, refer to the legacy default stream.\n"
         "non_blocking : bool, optional\n"
         "    If True, the stream does not synchronize with the legacy default stream.\n"
         "ptds : bool, optional\n    If True, refer to the per-thread default stream.\n"
         "priority : int, optional\n    Priority of the stream; lower numbers are more urgent.")},
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_repr, stream_repr},
    {Py_tp_hash, stream_hash},
    {Py_tp_richcompare, stream_richcompare},
    {Py_tp_methods, stream_methods},
    {Py_tp_getset, stream_getset},
    {Py_tp_members, stream_members},
    {0, NULL},
};

static PyType_Spec stream_spec = {
    .name = "gpunp.cuda.Stream",
    .basicsize = sizeof(GnpStream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = stream_slots,
};

static PyType_Slot external_slots[] = {
    {Py_tp_doc,
     GNP_DOC("ExternalStream(ptr, device_id=-1)\n--\n\n"
             "Stream created by another library, which must keep it alive.\n\n"
             "Parameters\n----------\n"
             "ptr : int\n    Handle of the stream, its address.\n"
             "device_id : int, optional\n    Ordinal of the device; -1 is the current one.")},
    {Py_tp_new, external_new},
    {0, NULL},
};

static PyType_Spec external_spec = {
    .name = "gpunp.cuda.ExternalStream",
    .basicsize = sizeof(GnpStream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = external_slots,
};

static PyObject *
get_current_stream(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("get_current_stream(device_id=-1)");
    PyObject *values[GNP_MAX_PARAMS];
    int id = -1;
    if (gnp_args_bind(&sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    if (values[0] != NULL && gnp_int_from_object(values[0], "device_id", &id) < 0) {
        return NULL;
    }
    id = id < 0 ? gnp_thread.device_id : id;
    if (id >= GNP_MAX_DEVICES) {
        PyErr_Format(PyExc_ValueError, "there is no device %d", id);
        return NULL;
    }
    return Py_XNewRef(gnp_stream_current_object(id));
}

static PyMethodDef functions[] = {
    {"get_current_stream", GNP_FAST(get_current_stream), METH_FASTCALL | METH_KEYWORDS,
     "get_current_stream(device_id=-1)\n--\n\n"
     "Return the current stream of this thread.\n\n"
     "Parameters\n----------\n"
     "device_id : int, optional\n    Ordinal of the device; -1 is the current one.\n\n"
     "Returns\n-------\n"
     "Stream\n    The null stream unless another one is in use."},
    {NULL, NULL, 0, NULL},
};

int
gnp_stream_init(PyObject *module)
{
    GNP_NEW(stream_type, (PyTypeObject *)PyType_FromModuleAndSpec(module, &stream_spec, NULL));
    GNP_NEW(external_type, (PyTypeObject *)PyType_FromModuleAndSpec(module, &external_spec,
                                                                    (PyObject *)stream_type));
    GNP_TRY(PyModule_AddType(module, stream_type));
    GNP_TRY(PyModule_AddType(module, external_type));
    GNP_NEW(gnp_state.null_stream, (PyObject *)new_object(stream_type, NULL, -1, KIND_NULL));
    GNP_NEW(gnp_state.per_thread_stream,
            (PyObject *)new_object(stream_type, CU_STREAM_PER_THREAD, -1, KIND_PER_THREAD));
    GNP_TRY(PyObject_SetAttrString((PyObject *)stream_type, "null", gnp_state.null_stream));
    GNP_TRY(PyObject_SetAttrString((PyObject *)stream_type, "ptds", gnp_state.per_thread_stream));
    return PyModule_AddFunctions(module, functions);
fail:
    return -1;
}

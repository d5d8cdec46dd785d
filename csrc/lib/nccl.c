/* gpunp._C.NcclCommunicator and the functions of gpunp.cuda.nccl.
 *
 * Methods have CuPy's names and take addresses. Every call of NCCL is made without the GIL: it may
 * wait for other ranks, which may be threads of this process. A communicator may be used by one
 * thread at a time, and a lock orders them; only abort() does not insist on it, since it has to end
 * a call that another rank keeps waiting. */
#include "lib/nccl.h"

#include <string.h>

/* How long abort() waits for a call of another thread: longer than a call takes whose peers are
 * there. */
enum { ABORT_PATIENCE_US = 500000 };

/* `comm` is NULL once it was destroyed or aborted. Inside a group NCCL may write it as late as at
 * the group's end, until which the object is kept. Graphs with its operations refer to `captured`,
 * which is NULL where there are none. */
typedef struct {
    PyObject_HEAD ncclComm_t comm;
    int device_id;
    PyObject *captured;      /* borrowed */
    PyThread_type_lock lock; /* owned: of `comm` */
} Communicator;

/* The thread's groups: how many are open, one in another, and a list of the communicators that were
 * made meanwhile (owned, or NULL). */
static _Thread_local struct {
    int depth;
    PyObject *made;
} group;

/* 0, or -1 with an exception. */
static int
keep_in_group(Communicator *self)
{
    if (group.depth == 0) {
        return 0;
    }
    if (group.made == NULL) {
        group.made = PyList_New(0);
    }
    return group.made != NULL ? PyList_Append(group.made, (PyObject *)self) : -1;
}

/* The holder may need the GIL to go on, so it is released while another thread is waited for. */
static void
lock(Communicator *self)
{
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK) == 0) {
        GNP_NOGIL(PyThread_acquire_lock(self->lock, WAIT_LOCK));
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* NCCL's own sentence about its last failure, as a note of the pending exception. */
static void
add_reason(const GnpNccl *api, ncclComm_t comm)
{
    const char *reason = api->ncclGetLastError != NULL ? api->ncclGetLastError(comm) : NULL;
    if (reason == NULL || *reason == '\0') {
        return;
    }
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    PyObject *done = PyObject_CallMethod(error, "add_note", "s", reason); /* owned */
    if (done == NULL) {
        PyErr_Clear();
    }
    Py_XDECREF(done);
    PyErr_Restore(type, error, trace);
}

/* None, or NULL with NcclError. ncclInProgress is what a group in progress answers. */
static PyObject *
result(const GnpNccl *api, ncclComm_t comm, int status, const char *call)
{
    if (status == 0 || status == 7) {
        Py_RETURN_NONE;
    }
    gnp_library_raise(GNP_LIBRARY_NCCL, status, call, __func__);
    add_reason(api, comm);
    return NULL;
}

/* -1 with NcclError where there is no communicator any more. */
static int
check_alive(const Communicator *self, const char *call)
{
    return self->comm != NULL
               ? 0
               : gnp_library_raise(GNP_LIBRARY_NCCL, 5, call, "a communicator that was destroyed");
}

/* ---- making and ending ----------------------------------------------------------------------- */

/* The items of a sequence as a tuple, which no __index__ of an item can change. New reference. */
static PyObject *
fixed_items(PyObject *object, const char *message)
{
    PyObject *items = PySequence_Fast(object, message); /* owned */
    PyObject *ret = items != NULL ? PySequence_Tuple(items) : NULL;
    Py_XDECREF(items);
    return ret;
}

/* A tuple or list of 128 small integers, as get_unique_id() returns it, or 128 bytes. */
static int
unique_id(PyObject *object, ncclUniqueId *id)
{
    PyObject *items =
        fixed_items(object, "commId must be what get_unique_id() returned"); /* owned */
    int ret = -1;
    if (items == NULL) {
        return -1;
    }
    if (PyTuple_GET_SIZE(items) != NCCL_UNIQUE_ID_BYTES) {
        PyErr_Format(PyExc_ValueError, "commId has %zd items, not %d", PyTuple_GET_SIZE(items),
                     NCCL_UNIQUE_ID_BYTES);
        goto fail;
    }
    for (Py_ssize_t i = 0; i < NCCL_UNIQUE_ID_BYTES; i++) {
        int value;
        GNP_TRY(gnp_int_from_object(PyTuple_GET_ITEM(items, i), "an item of commId", &value));
        id->internal[i] = (char)value; /* 128 and more are those of bytes */
    }
    ret = 0;
fail:
    Py_DECREF(items);
    return ret;
}

static Communicator *
allocate(PyTypeObject *type, int device_id)
{
    Communicator *self = (Communicator *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->device_id = device_id;
        self->lock = PyThread_allocate_lock();
        if (self->lock == NULL) {
            PyErr_NoMemory();
            Py_CLEAR(self);
        }
    }
    return self;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static void
forget_captured(PyObject *capsule)
{
    Communicator *self = PyCapsule_GetPointer(capsule, NULL);
    self->captured = NULL;
    Py_DECREF(self);
}

/* NCCL ends a communicator only when no graph has operations of it, and waits until then. So what
 * such graphs refer to keeps the communicator. */
static int
keep_captured(Communicator *self, CUstream stream)
{
    PyObject *captured = Py_XNewRef(self->captured); /* owned */
    if (captured == NULL && gnp_captures != NULL) {
        captured = PyCapsule_New(self, NULL, forget_captured);
        if (captured == NULL) {
            return -1;
        }
        Py_INCREF(self);
        self->captured = captured;
    }
    int status = captured != NULL ? gnp_capture_keep(stream, captured) : 0;
    Py_XDECREF(captured);
    return status;
}

/* Waits for the other ranks, unless it is in a group. */
static PyObject *
communicator_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature signature = GNP_SIGNATURE("NcclCommunicator(ndev, commId, rank)");
    PyObject *given[3], *done = NULL; /* done: owned */
    Communicator *self = NULL;        /* owned */
    const GnpNccl *api;
    GnpDevice *device;
    ncclUniqueId id;
    int count, rank, status;

    GNP_TRY(gnp_args_bind_call(&signature, args, kwargs, given));
    GNP_TRY(gnp_int_from_object(given[0], "ndev", &count));
    GNP_TRY(unique_id(given[1], &id));
    GNP_TRY(gnp_int_from_object(given[2], "rank", &rank));
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(api, gnp_nccl());
    GNP_NEW(self, allocate(type, device->id));
    GNP_TRY(keep_in_group(self));
    GNP_NOGIL(status = api->ncclCommInitRank(&self->comm, count, id, rank));
    GNP_NEW(done, result(api, NULL, status, "ncclCommInitRank"));
    Py_DECREF(done);
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

static int
end(Communicator *self, int aborts)
{
    const GnpNccl *api = gnp_nccl(); /* open, as there is a communicator */
    ncclComm_t comm = self->comm;
    int status = 0;
    self->comm = NULL;
    if (comm != NULL && api != NULL) {
        GNP_NOGIL(status = aborts ? api->ncclCommAbort(comm) : api->ncclCommDestroy(comm));
    }
    return status;
}

/* A communicator that is left over when Python ends, or in a forked child, is left to the process's
 * end: NCCL would wait for ranks and threads that may be gone. */
static void
communicator_dealloc(PyObject *object)
{
    Communicator *self = (Communicator *)object;
    PyTypeObject *type = Py_TYPE(object);
    int status = gnp_is_closing() ? 0 : end(self, 0);
    if (status != 0) {
        gnp_log(1, "ncclCommDestroy: status %d", status);
    }
    if (self->lock != NULL) {
        PyThread_free_lock(self->lock);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

PyDoc_STRVAR(
    destroy_doc,
    "destroy($self)\n--\n\n"
    "End the communicator, once its work has been done; without effect the second time.\n\n"
    "Graphs that have its operations go first: NCCL would wait for that.\n\n"
    "Returns\n-------\nNone");

static PyObject *
communicator_destroy(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    Communicator *self = (Communicator *)object;
    const GnpNccl *api = gnp_nccl();
    if (api == NULL) {
        return NULL;
    }
    if (self->captured != NULL) {
        gnp_library_raise(GNP_LIBRARY_NCCL, 5, "ncclCommDestroy",
                          "a communicator whose operations are in graphs: delete those first");
        return NULL;
    }
    lock(self);
    int status = end(self, 0);
    PyThread_release_lock(self->lock);
    return result(api, NULL, status, "ncclCommDestroy");
}

PyDoc_STRVAR(abort_doc,
             "abort($self)\n--\n\n"
             "End the communicator and the work that waits for other ranks.\n\n"
             "What that work was to write is undefined. Any thread may call it. It returns when\n"
             "no graph has operations of the communicator.\n\n"
             "Returns\n-------\nNone");

/* A call of another thread that does not return waits for a rank that will not come, and is ended
 * by this, which NCCL allows. */
static PyObject *
communicator_abort(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    Communicator *self = (Communicator *)object;
    const GnpNccl *api = gnp_nccl();
    PyLockStatus locked;
    if (api == NULL) {
        return NULL;
    }
    GNP_NOGIL(locked = PyThread_acquire_lock_timed(self->lock, ABORT_PATIENCE_US, 0));
    int status = end(self, 1);
    if (locked == PY_LOCK_ACQUIRED) {
        PyThread_release_lock(self->lock);
    }
    return result(api, NULL, status, "ncclCommAbort");
}

PyDoc_STRVAR(
    init_all_doc,
    "initAll(devices, /)\n--\n\n"
    "Return a list of communicators, one for each device, all in this process.\n\n"
    "It is a group of its own, and raises an error within another one.\n\n"
    "Parameters\n----------\n"
    "devices : sequence of int, or int\n    Numbers of the devices, or how many there are.\n\n"
    "Returns\n-------\n"
    "list of NcclCommunicator\n    One communicator for each device.");

static int
device_numbers(PyObject *devices, int numbers[], int most)
{
    int n = -1;
    if (PyLong_Check(devices)) {
        GNP_TRY(gnp_int_from_object(devices, "devices", &n));
        for (int i = 0; i < n && i < most; i++) {
            numbers[i] = i;
        }
    }
    else {
        PyObject *items = fixed_items(devices, "devices must be a sequence or an int"); /* owned */
        Py_ssize_t count = items != NULL ? PyTuple_GET_SIZE(items) : -1;
        for (Py_ssize_t i = 0; i < count && i < most; i++) {
            if (gnp_int_from_object(PyTuple_GET_ITEM(items, i), "a device", &numbers[i])) {
                count = -1;
            }
        }
        Py_XDECREF(items);
        n = (int)count;
    }
    if (!PyErr_Occurred() && (n < 1 || n > most)) {
        PyErr_Format(PyExc_ValueError, "devices names %d devices, not 1 to %d", n, most);
        return -1;
    }
fail:
    return PyErr_Occurred() ? -1 : n;
}

/* Not in a group, as NCCL would write the communicators when that ends. */
static PyObject *
communicator_init_all(PyObject *type, PyObject *devices)
{
    enum { MOST = 64 };
    int numbers[MOST], status;
    ncclComm_t comms[MOST];
    PyObject *list = NULL, *done = NULL; /* owned */
    const GnpNccl *api;
    if (group.depth > 0) {
        gnp_library_raise(GNP_LIBRARY_NCCL, 5, "ncclCommInitAll", "a group");
        return NULL;
    }
    const int n = device_numbers(devices, numbers, MOST);
    GNP_TRY(n);
    GNP_NEW(api, gnp_nccl());
    for (int i = 0; i < n; i++) {
        if (gnp_device_get(numbers[i]) == NULL) { /* its context exists from now on */
            goto fail;
        }
    }
    GNP_NEW(list, PyList_New(n));
    for (int i = 0; i < n; i++) {
        Communicator *self;
        GNP_NEW(self, allocate((PyTypeObject *)type, numbers[i]));
        PyList_SET_ITEM(list, i, (PyObject *)self);
    }
    GNP_NOGIL(status = api->ncclCommInitAll(comms, n, numbers));
    GNP_NEW(done, result(api, NULL, status, "ncclCommInitAll"));
    Py_DECREF(done);
    for (int i = 0; i < n; i++) {
        ((Communicator *)PyList_GET_ITEM(list, i))->comm = comms[i];
    }
    return list;
fail:
    Py_XDECREF(list);
    return NULL;
}

PyDoc_STRVAR(split_doc,
             "commSplit($self, color, key)\n--\n\n"
             "Return a communicator of the ranks with the same color, ordered by key.\n\n"
             "All ranks call it.\n\n"
             "Parameters\n----------\n"
             "color : int\n    Ranks with the same color belong together; -1 for none.\n"
             "key : int\n    Ranks are ordered by it, equal keys by rank.\n\n"
             "Returns\n-------\n"
             "NcclCommunicator or None\n    New communicator; None for the color -1.");

static PyObject *
communicator_split(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    static GnpSignature signature = GNP_SIGNATURE("commSplit(color, key)");
    Communicator *self = (Communicator *)object, *made = NULL; /* made: owned */
    PyObject *given[2], *done = NULL;                          /* done: owned */
    const GnpNccl *api;
    int color, key, status;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, names, given));
    GNP_TRY(gnp_int_from_object(given[0], "color", &color));
    GNP_TRY(gnp_int_from_object(given[1], "key", &key));
    GNP_NEW(api, gnp_nccl());
    if (api->ncclCommSplit == NULL) {
        PyErr_SetString(PyExc_NotImplementedError, "ncclCommSplit needs NCCL 2.18");
        goto fail;
    }
    GNP_NEW(made, allocate(Py_TYPE(object), self->device_id));
    GNP_TRY(keep_in_group(made));
    lock(self);
    ncclComm_t comm = self->comm;
    int is_alive = check_alive(self, "ncclCommSplit") == 0;
    if (is_alive) {
        GNP_NOGIL(status = api->ncclCommSplit(comm, color, key, &made->comm, NULL));
        done = result(api, self->comm, status, "ncclCommSplit");
    }
    PyThread_release_lock(self->lock);
    GNP_TRY(done != NULL ? 0 : -1);
    if (color < 0) {
        Py_DECREF(made);
        return done;
    }
    Py_DECREF(done);
    return (PyObject *)made;
fail:
    Py_XDECREF((PyObject *)made);
    return NULL;
}

/* ---- questions ------------------------------------------------------------------------------- */

typedef int (*Question)(const ncclComm_t, int *);

static PyObject *
ask(PyObject *object, Question question, const char *call)
{
    Communicator *self = (Communicator *)object;
    int value = 0;
    if (question == NULL || check_alive(self, call) < 0) {
        return NULL;
    }
    PyObject *done = result(gnp_nccl(), self->comm, question(self->comm, &value), call);
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    return PyLong_FromLong(value);
}

static PyObject *
communicator_size(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    const GnpNccl *api = gnp_nccl();
    return ask(self, api != NULL ? api->ncclCommCount : NULL, "ncclCommCount");
}

static PyObject *
communicator_rank_id(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    const GnpNccl *api = gnp_nccl();
    return ask(self, api != NULL ? api->ncclCommUserRank : NULL, "ncclCommUserRank");
}

static PyObject *
communicator_device_id(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    const GnpNccl *api = gnp_nccl();
    return ask(self, api != NULL ? api->ncclCommCuDevice : NULL, "ncclCommCuDevice");
}

PyDoc_STRVAR(check_doc, "check_async_error($self)\n--\n\n"
                        "Raise NcclError if work of the communicator has failed meanwhile.\n\n"
                        "Returns\n-------\nNone");

/* Whoever is in a call reports its failure itself, and may be waiting for a rank that does not
 * come: it is not waited for. The lock keeps the communicator from being destroyed meanwhile. */
static PyObject *
communicator_check(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    Communicator *self = (Communicator *)object;
    const GnpNccl *api = gnp_nccl();
    int found = 0;
    if (api == NULL) {
        return NULL;
    }
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK) == 0) {
        Py_RETURN_NONE;
    }
    PyObject *ret = NULL;
    if (check_alive(self, "ncclCommGetAsyncError") == 0) {
        int status = api->ncclCommGetAsyncError(self->comm, &found);
        ret = result(api, self->comm, status != 0 ? status : found, "ncclCommGetAsyncError");
    }
    PyThread_release_lock(self->lock);
    return ret;
}

/* ---- communication --------------------------------------------------------------------------- */

typedef enum {
    ALL_REDUCE,
    REDUCE,
    BROADCAST,
    BCAST,
    REDUCE_SCATTER,
    ALL_GATHER,
    SEND,
    RECV,
    NKINDS
} Kind;

/* CuPy's parameters of each method. */
static GnpSignature signatures[NKINDS] = {
    [ALL_REDUCE] = GNP_SIGNATURE("allReduce(sendbuf, recvbuf, count, datatype, op, stream)"),
    [REDUCE] = GNP_SIGNATURE("reduce(sendbuf, recvbuf, count, datatype, op, root, stream)"),
    [BROADCAST] = GNP_SIGNATURE("broadcast(sendbuff, recvbuff, count, datatype, root, stream)"),
    [BCAST] = GNP_SIGNATURE("bcast(buff, count, datatype, root, stream)"),
    [REDUCE_SCATTER] =
        GNP_SIGNATURE("reduceScatter(sendbuf, recvbuf, recvcount, datatype, op, stream)"),
    [ALL_GATHER] = GNP_SIGNATURE("allGather(sendbuf, recvbuf, count, datatype, stream)"),
    [SEND] = GNP_SIGNATURE("send(sendbuf, count, datatype, peer, stream)"),
    [RECV] = GNP_SIGNATURE("recv(recvbuf, count, datatype, peer, stream)"),
};

/* What each parameter is: s and r addresses, n count, t type, o operation, p rank, x stream. */
static const struct {
    const char *call, *letters;
} rows[NKINDS] = {
    [ALL_REDUCE] = {"ncclAllReduce", "srntox"},
    [REDUCE] = {"ncclReduce", "srntopx"},
    [BROADCAST] = {"ncclBroadcast", "srntpx"},
    [BCAST] = {"ncclBroadcast", "sntpx"},
    [REDUCE_SCATTER] = {"ncclReduceScatter", "srntox"},
    [ALL_GATHER] = {"ncclAllGather", "srntx"},
    [SEND] = {"ncclSend", "sntpx"},
    [RECV] = {"ncclRecv", "rntpx"},
};

/* The arguments of all methods that communicate. */
typedef struct {
    void *send, *recv;
    int64_t count;
    int type, op, rank; /* rank: the root or the peer */
    CUstream stream;
} Call;

static int
read_argument(PyObject *value, char letter, GnpDevice *device, Call *call)
{
    switch (letter) {
    case 's':
        return gnp_pointer_from_object(value, "sendbuf", &call->send);
    case 'r':
        return gnp_pointer_from_object(value, "recvbuf", &call->recv);
    case 'n':
        return gnp_size_from_object(value, "count", &call->count);
    case 't':
        return gnp_int_from_object(value, "datatype", &call->type);
    case 'o':
        return gnp_int_from_object(value, "op", &call->op);
    case 'p':
        return gnp_int_from_object(value, "the rank", &call->rank);
    default:
        return gnp_stream_from_object(value, device, &call->stream);
    }
}

/* Without the GIL: the first call between two ranks waits for the other one, and a full queue for
 * the device. */
static int
launch(const GnpNccl *api, ncclComm_t comm, Kind kind, const Call *c)
{
    const size_t count = (size_t)c->count;
    switch (kind) {
    case ALL_REDUCE:
        return api->ncclAllReduce(c->send, c->recv, count, c->type, c->op, comm, c->stream);
    case REDUCE:
        return api->ncclReduce(c->send, c->recv, count, c->type, c->op, c->rank, comm, c->stream);
    case BROADCAST:
        return api->ncclBroadcast(c->send, c->recv, count, c->type, c->rank, comm, c->stream);
    case BCAST:
        return api->ncclBroadcast(c->send, c->send, count, c->type, c->rank, comm, c->stream);
    case REDUCE_SCATTER:
        return api->ncclReduceScatter(c->send, c->recv, count, c->type, c->op, comm, c->stream);
    case ALL_GATHER:
        return api->ncclAllGather(c->send, c->recv, count, c->type, comm, c->stream);
    case SEND:
        return api->ncclSend(c->send, count, c->type, c->rank, comm, c->stream);
    default:
        return api->ncclRecv(c->recv, count, c->type, c->rank, comm, c->stream);
    }
}

static PyObject *
communicate(PyObject *object, Kind kind, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    Communicator *self = (Communicator *)object;
    PyObject *given[GNP_MAX_PARAMS], *ret = NULL; /* ret: returned */
    const GnpNccl *api;
    GnpDevice *device;
    Call call = {0};

    GNP_TRY(gnp_args_bind(&signatures[kind], args, nargs, names, given));
    GNP_NEW(api, gnp_nccl());
    GNP_NEW(device, gnp_device_get(self->device_id));
    for (int i = 0; rows[kind].letters[i] != '\0'; i++) {
        GNP_TRY(read_argument(given[i], rows[kind].letters[i], device, &call));
    }
    GNP_TRY(gnp_queue_room(call.stream));
    GNP_TRY(keep_captured(self, call.stream));
    lock(self);
    if (check_alive(self, rows[kind].call) == 0) {
        ncclComm_t comm = self->comm; /* which another thread's abort() takes away */
        int status;
        GNP_NOGIL(status = launch(api, comm, kind, &call));
        ret = result(api, self->comm, status, rows[kind].call);
    }
    PyThread_release_lock(self->lock);
fail:
    return ret;
}

static PyObject *
communicator_all_reduce(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    return communicate(self, ALL_REDUCE, args, nargs, names);
}

static PyObject *
communicator_reduce(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    return communicate(self, REDUCE, args, nargs, names);
}

static PyObject *
communicator_broadcast(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    return communicate(self, BROADCAST, args, nargs, names);
}

static PyObject *
communicator_bcast(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    return communicate(self, BCAST, args, nargs, names);
}

static PyObject *
communicator_reduce_scatter(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *names)
{
    return communicate(self, REDUCE_SCATTER, args, nargs, names);
}

static PyObject *
communicator_all_gather(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    return communicate(self, ALL_GATHER, args, nargs, names);
}

static PyObject *
communicator_send(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    return communicate(self, SEND, args, nargs, names);
}

static PyObject *
communicator_recv(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *names)
{
    return communicate(self, RECV, args, nargs, names);
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyObject *
communicator_is_captured(PyObject *object, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(((Communicator *)object)->captured != NULL);
}

/* The address of NCCL's object, 0 once it was destroyed. */
static PyObject *
communicator_comm(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromVoidPtr(((Communicator *)self)->comm);
}

static PyGetSetDef communicator_getset[] = {
    {"comm", communicator_comm, NULL, "Address of NCCL's communicator.", NULL},
    {"_is_captured", communicator_is_captured, NULL, "Whether graphs have its operations.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* The sections of docstrings, put together from what methods have in common. */
#define NONE "\n\nReturns\n-------\nNone"
#define PARAMETERS "\n\nParameters\n----------\n"
#define ADDRESS(name) name " : int\n    Address on the communicator's device.\n"
#define ITEMS(name) name " : int\n    Number of elements of a rank's buffer.\n"
#define TYPE "datatype : int\n    NCCL's number of the type, such as NCCL_FLOAT.\n"
#define OPERATION "op : int\n    NCCL's number of the operation, such as NCCL_SUM.\n"
#define RANK(name) name " : int\n    Number of the other or the root's rank.\n"
#define STREAM "stream : int or Stream\n    Stream to work in, or its address."
#define ANSWER "\n\nReturns\n-------\nint\n    "
#define ROW(name, function, signature, text)                                                       \
    {name, GNP_FAST(function), METH_FASTCALL | METH_KEYWORDS, signature "\n--\n\n" text NONE}
static PyMethodDef communicator_methods[] = {
    {"initAll", communicator_init_all, METH_O | METH_CLASS, init_all_doc},
    {"destroy", communicator_destroy, METH_NOARGS, destroy_doc},
    {"abort", communicator_abort, METH_NOARGS, abort_doc},
    {"device_id", communicator_device_id, METH_NOARGS,
     "device_id($self)\n--\n\nReturn the number of this rank's device." ANSWER
     "Number of the device that the communicator was made on."},
    {"rank_id", communicator_rank_id, METH_NOARGS,
     "rank_id($self)\n--\n\nReturn the rank of this communicator." ANSWER "Rank, from 0 on."},
    {"size", communicator_size, METH_NOARGS,
     "size($self)\n--\n\nReturn the number of ranks." ANSWER
     "Number of ranks of the communicator."},
    {"check_async_error", communicator_check, METH_NOARGS, check_doc},
    {"commSplit", GNP_FAST(communicator_split), METH_FASTCALL | METH_KEYWORDS, split_doc},
    ROW("allReduce", communicator_all_reduce,
        "allReduce($self, sendbuf, recvbuf, count, datatype, op, stream)",
        "Combine the buffers of all ranks; each receives the result." PARAMETERS ADDRESS("sendbuf")
            ADDRESS("recvbuf") ITEMS("count") TYPE OPERATION STREAM),
    ROW("reduce", communicator_reduce,
        "reduce($self, sendbuf, recvbuf, count, datatype, op, root, stream)",
        "Combine the buffers of all ranks; the root receives the result." PARAMETERS ADDRESS(
            "sendbuf") ADDRESS("recvbuf") ITEMS("count") TYPE OPERATION RANK("root") STREAM),
    ROW("broadcast", communicator_broadcast,
        "broadcast($self, sendbuff, recvbuff, count, datatype, root, stream)",
        "Copy the root's buffer to all ranks." PARAMETERS ADDRESS("sendbuff") ADDRESS("recvbuff")
            ITEMS("count") TYPE RANK("root") STREAM),
    ROW("bcast", communicator_bcast, "bcast($self, buff, count, datatype, root, stream)",
        "Copy the root's buffer to all ranks, in place." PARAMETERS ADDRESS("buff") ITEMS("count")
            TYPE RANK("root") STREAM),
    ROW("reduceScatter", communicator_reduce_scatter,
        "reduceScatter($self, sendbuf, recvbuf, recvcount, datatype, op, stream)",
        "Combine the buffers of all ranks; each receives its own block of the result." PARAMETERS
            ADDRESS("sendbuf") ADDRESS("recvbuf") ITEMS("recvcount") TYPE OPERATION STREAM),
    ROW("allGather", communicator_all_gather,
        "allGather($self, sendbuf, recvbuf, count, datatype, stream)",
        "Join the buffers of all ranks, in the order of ranks; each receives the result." PARAMETERS
            ADDRESS("sendbuf") ADDRESS("recvbuf") ITEMS("count") TYPE STREAM),
    ROW("send", communicator_send, "send($self, sendbuf, count, datatype, peer, stream)",
        "Send a buffer to another rank, which receives it." PARAMETERS ADDRESS("sendbuf")
            ITEMS("count") TYPE RANK("peer") STREAM),
    ROW("recv", communicator_recv, "recv($self, recvbuf, count, datatype, peer, stream)",
        "Receive a buffer that another rank sends." PARAMETERS ADDRESS("recvbuf") ITEMS("count")
            TYPE RANK("peer") STREAM),
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(communicator_doc,
             "NcclCommunicator(ndev, commId, rank)\n--\n\n"
             "One rank of a communicator of NCCL, on the current device.\n\n"
             "All ranks call it with the same identifier; it returns once all have.\n\n"
             "Parameters\n----------\n"
             "ndev : int\n    Number of ranks of the communicator.\n"
             "commId : tuple of int\n    What get_unique_id() returned, on one rank.\n"
             "rank : int\n    Which rank this is, from 0 on.");

static PyType_Slot communicator_slots[] = {
    {Py_tp_doc, GNP_DOC(communicator_doc)}, {Py_tp_new, communicator_new},
    {Py_tp_dealloc, communicator_dealloc},  {Py_tp_methods, communicator_methods},
    {Py_tp_getset, communicator_getset},    {0, NULL},
};
static PyType_Spec communicator_spec = {
    .name = "gpunp.cuda.nccl.NcclCommunicator",
    .basicsize = sizeof(Communicator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = communicator_slots,
};

/* ---- functions ------------------------------------------------------------------------------- */

static PyObject *
get_unique_id(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpNccl *api = gnp_nccl();
    ncclUniqueId id;
    int status = 0;
    if (api == NULL) {
        return NULL;
    }
    GNP_NOGIL(status = api->ncclGetUniqueId(&id)); /* opens sockets */
    PyObject *done = result(api, NULL, status, "ncclGetUniqueId");
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    PyObject *items = PyTuple_New(NCCL_UNIQUE_ID_BYTES); /* owned */
    for (Py_ssize_t i = 0; items != NULL && i < NCCL_UNIQUE_ID_BYTES; i++) {
        PyObject *item = PyLong_FromLong((signed char)id.internal[i]);
        if (item == NULL) {
            Py_CLEAR(items);
            break;
        }
        PyTuple_SET_ITEM(items, i, item);
    }
    return items;
}

static PyObject *
get_version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpNccl *api = gnp_nccl();
    int version = 0;
    if (api == NULL) {
        return NULL;
    }
    PyObject *done = result(api, NULL, api->ncclGetVersion(&version), "ncclGetVersion");
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    return PyLong_FromLong(version);
}

static PyObject *
group_start(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpNccl *api = gnp_nccl();
    PyObject *ret = api != NULL ? result(api, NULL, api->ncclGroupStart(), "ncclGroupStart") : NULL;
    group.depth += ret != NULL;
    return ret;
}

/* Launches what the group has, and waits for ranks that join communicators in it. Those that nobody
 * refers to any more end here. */
static PyObject *
group_end(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpNccl *api = gnp_nccl();
    int status;
    if (api == NULL) {
        return NULL;
    }
    GNP_NOGIL(status = api->ncclGroupEnd());
    PyObject *ret = result(api, NULL, status, "ncclGroupEnd");
    group.depth -= group.depth > 0;
    if (group.depth == 0) {
        PyObject *made = group.made;
        group.made = NULL;
        Py_XDECREF(made);
    }
    return ret;
}

/* uses(array, stream): calls take addresses, so the caller says which stream will use the array.
 * Its memory is not reused before that stream's work has ended, and a graph that captures it keeps
 * it. */
static PyObject *
uses(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    CUstream stream;
    GnpDevice *device;
    if (nargs != 2 || !gnp_array_check(args[0])) {
        return PyErr_Format(PyExc_TypeError, "_nccl_uses() takes an array and a stream");
    }
    GnpArray *array = (GnpArray *)args[0];
    GNP_NEW(device, gnp_device_get(array->device_id));
    GNP_TRY(gnp_stream_from_object(args[1], device, &stream));
    GNP_TRY(gnp_capture_keep(stream, args[0]));
    gnp_block_record(array->block, stream);
    Py_RETURN_NONE;
fail:
    return NULL;
}

/* buffer(array): its address, its device, and whether its elements are adjacent. For calls that
 * take microseconds, of which `array.data.ptr` would be a good part. */
static PyObject *
buffer(PyObject *Py_UNUSED(module), PyObject *object)
{
    if (!gnp_array_check(object)) {
        return PyErr_Format(PyExc_TypeError, "_nccl_buffer() takes an array");
    }
    const GnpArray *array = (GnpArray *)object;
    gnp_work_begins(); /* what gets the address queues work that gpunp does not see */
    array->block->is_exported = 1;
    return Py_BuildValue("KiO", (unsigned long long)array->data, array->device_id,
                         array->flags & (GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS) ? Py_True : Py_False);
}

static PyMethodDef functions[] = {
    {"_nccl_buffer", buffer, METH_O,
     "_nccl_buffer(array, /)\n--\n\n"
     "Return an array's address, its device and whether it is contiguous."},
    {"_nccl_uses", GNP_FAST(uses), METH_FASTCALL,
     "_nccl_uses(array, stream, /)\n--\n\nSay that work in a stream will use an array."},
    {"_nccl_unique_id", get_unique_id, METH_NOARGS,
     "_nccl_unique_id()\n--\n\nReturn an identifier for a new communicator: 128 small integers."},
    {"_nccl_version", get_version, METH_NOARGS,
     "_nccl_version()\n--\n\nReturn NCCL's version, such as 22803 for 2.28.3."},
    {"_nccl_group_start", group_start, METH_NOARGS,
     "_nccl_group_start()\n--\n\nBegin a group of calls of this thread."},
    {"_nccl_group_end", group_end, METH_NOARGS,
     "_nccl_group_end()\n--\n\nEnd a group: its calls are launched together."},
    {NULL, NULL, 0, NULL},
};

/* The module holds the reference to the type; instances hold their own. */
int
gnp_nccl_init(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&communicator_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "NcclCommunicator", type) < 0) {
        Py_XDECREF(type);
        return -1;
    }
    Py_DECREF(type);
    return PyModule_AddFunctions(module, functions);
}

/* gpunp.cuda.Graph: recorded work that is launched again as a whole.
 *
 * The executable form is made when it is first needed, so that a graph which only serves to update
 * another one costs no instantiation. What replays use is kept by a GnpCapture; the object tells it
 * in which streams the graph runs.
 *
 * Called with the GIL. Streams make the objects (Stream.end_capture); everything that has to
 * outlive a replay in progress is in the capture, so an object may be dropped at any time.
 */
#include "rt/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <structmember.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    PyObject_HEAD GnpCapture *capture; /* owned */
    CUgraphExec exec;                  /* NULL until needed */
    GnpTurn turn;                      /* at both */
    PyObject *weakrefs;
} GraphObject;

static PyTypeObject *graph_type;

/* Takes the capture in any case: a caller cannot use it after a failure. */
PyObject *
gnp_graph_new(GNP_STEAL GnpCapture *capture)
{
    GraphObject *self = (GraphObject *)graph_type->tp_alloc(graph_type, 0);
    if (self == NULL) {
        gnp_capture_release(capture);
        return NULL;
    }
    self->capture = capture;
    return (PyObject *)self;
}

/* The executable graph first: it may still run, and the capture then waits or orders the reuse of
 * its memory (graph_capture.c). Destroying it is left to the driver, which waits where it must. */
static void
graph_dealloc(PyObject *object)
{
    GraphObject *self = (GraphObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    if (self->exec != NULL && !gnp_is_closing()) {
        CU_DROP_WAIT(cuGraphExecDestroy(self->exec));
    }
    gnp_capture_release(self->capture);
    type->tp_free(object);
    Py_DECREF(type);
}

/* The graph's device, made current; NULL with an exception. */
static GnpDevice *
enter(const GraphObject *self)
{
    GnpDevice *device = gnp_capture_device(self->capture), *current = gnp_device_current();
    if (current == device) { /* the usual case, in which its context is current too */
        return device;
    }
    return current != NULL && gnp_device_enter(device) == 0 ? device : NULL;
}

/* Takes milliseconds for large graphs and may wait for the context, hence without the GIL; in the
 * object's turn. */
static int
instantiate(GraphObject *self)
{
    CUresult code = 0;
    if (self->exec != NULL) {
        return 0;
    }
    if (gnp_context_wait_ready() < 0) {
        return -1;
    }
    gnp_turn_take(gnp_capture_turn(self->capture));
    CU_WAIT(code, cuGraphInstantiateWithFlags(&self->exec, gnp_capture_graph(self->capture), 0));
    gnp_turn_end(gnp_capture_turn(self->capture));
    if (code != 0) {
        self->exec = NULL;
        return gnp_cuda_raise(code, "cuGraphInstantiateWithFlags", "Graph");
    }
    return 0;
}

/* Notes where the graph runs, with the object that keeps the stream alive. An integer names a
 * stream that nobody keeps alive here: then that is the caller's duty. */
static int
note_stream(GnpCapture *capture, CUstream stream, PyObject *argument)
{
    if (gnp_capture_ran_last_in(capture, stream)) {
        return 0;
    }
    if (argument != NULL && argument != Py_None) {
        PyObject *owner = PyLong_Check(argument) ? NULL : argument;
        return gnp_capture_runs_in(capture, stream, owner);
    }
    PyObject *owner = gnp_stream_current_object(gnp_capture_device(capture)->id);
    return owner != NULL ? gnp_capture_runs_in(capture, stream, owner) : -1;
}

static int
launch_into(GraphObject *self, CUstream stream)
{
    return gnp_launch_graph(self->exec, gnp_capture_count_functions(self->capture), stream);
}

static int
upload_into(GraphObject *self, CUstream stream)
{
    CU_TRY_QUEUE(cuGraphUpload(self->exec, stream));
    return 0;
fail:
    return -1;
}

/* The driver does not synchronise calls on one graph. The stream is noted before the call: when the
 * graph is dropped right after a launch, its release has to know it. */
static PyObject *
in_turn(GraphObject *self, int (*queue)(GraphObject *, CUstream), CUstream stream,
        PyObject *argument)
{
    PyObject *ret = NULL;
    gnp_turn_take(&self->turn);
    GNP_TRY(instantiate(self));
    GNP_TRY(note_stream(self->capture, stream, argument));
    GNP_TRY(queue(self, stream));
    ret = Py_NewRef(Py_None);
fail:
    gnp_turn_end(&self->turn);
    return ret;
}

/* In a stream that is captured itself the graph becomes a child node, with its resources owned by
 * the outer capture; the driver would reject a launch. */
static PyObject *
graph_launch(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("launch(stream=None)");
    PyObject *values[GNP_MAX_PARAMS];
    GraphObject *self = (GraphObject *)object;
    CUstream stream = NULL;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, values));
    GnpDevice *device = enter(self);
    if (device == NULL) {
        return NULL;
    }
    GNP_TRY(gnp_stream_from_object(values[0], device, &stream));
    if (gnp_captures != NULL && gnp_capture_find(stream) != NULL) {
        GNP_TRY(gnp_capture_include(stream, self->capture));
        Py_RETURN_NONE;
    }
    return in_turn(self, launch_into, stream, values[0]);
fail:
    return NULL;
}

/* Copies the executable graph to the device ahead of time, which the first launch would do. */
static PyObject *
graph_upload(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("upload(stream=None)");
    PyObject *values[GNP_MAX_PARAMS];
    GraphObject *self = (GraphObject *)object;
    CUstream stream = NULL;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, values));
    GnpDevice *device = enter(self);
    if (device == NULL) {
        return NULL;
    }
    GNP_TRY(gnp_stream_from_object(values[0], device, &stream));
    return in_turn(self, upload_into, stream, values[0]);
fail:
    return NULL;
}

/* The meaning of the driver's result of an update; NULL when the call itself failed. */
static const char *
update_reason(CUgraphExecUpdateResult result)
{
    static const char *const reasons[] = {
        NULL,
        "the driver gives no reason",
        "they differ in their nodes or dependencies",
        "a node has another type",
        "a kernel node has another function",
        "a parameter of a node cannot be changed",
        "a node's feature cannot be updated",
        "a kernel's function belongs to another device or context",
        "a node's attributes cannot be changed",
    };
    return (unsigned)result < sizeof reasons / sizeof *reasons ? reasons[result] : reasons[1];
}

/* Only the executable graph changes. It then uses the other capture's memory and functions, so the
 * object shares that capture and drops its own. */
static PyObject *
update_from(GraphObject *self, GnpCapture *capture)
{
    CUgraphExecUpdateResultInfo info = {0};
    if (instantiate(self) < 0) {
        return NULL;
    }
    gnp_turn_take(gnp_capture_turn(capture));
    CUresult code = gnp_cu->cuGraphExecUpdate_v2(self->exec, gnp_capture_graph(capture), &info);
    gnp_turn_end(gnp_capture_turn(capture));
    if (code == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) {
        PyErr_Format(PyExc_ValueError, "the graph cannot take over the other one's arguments: %s",
                     update_reason(info.result));
        return NULL;
    }
    if (code != 0) {
        gnp_cuda_raise(code, "cuGraphExecUpdate", "Graph.update");
        return NULL;
    }
    /* Earlier launches may be in progress: their memory is freed in stream order, after events. */
    GnpCapture *before = self->capture;
    self->capture = gnp_capture_retain(capture);
    gnp_capture_release(before);
    Py_RETURN_NONE;
}

static PyObject *
graph_update(PyObject *object, PyObject *other)
{
    GraphObject *self = (GraphObject *)object;
    if (!PyObject_TypeCheck(other, graph_type)) {
        PyErr_Format(PyExc_TypeError, "update() takes a Graph, not %.100s",
                     Py_TYPE(other)->tp_name);
        return NULL;
    }
    if (enter(self) == NULL) {
        return NULL;
    }
    /* The other object may take over another capture meanwhile. */
    GnpCapture *capture = gnp_capture_retain(((GraphObject *)other)->capture);
    gnp_turn_take(&self->turn);
    PyObject *ret = capture == self->capture ? Py_NewRef(Py_None) : update_from(self, capture);
    gnp_turn_end(&self->turn);
    gnp_capture_release(capture);
    return ret;
}

static int
print_dot(GraphObject *self, const char *path, unsigned flags)
{
    CUresult code = 0;
    GnpCapture *capture = gnp_capture_retain(self->capture); /* an update may drop it */
    gnp_turn_take(gnp_capture_turn(capture));
    CU_WAIT(code, cuGraphDebugDotPrint(gnp_capture_graph(capture), path, flags));
    gnp_turn_end(gnp_capture_turn(capture));
    gnp_capture_release(capture);
    return code == 0 ? 0 : gnp_cuda_raise(code, "cuGraphDebugDotPrint", "Graph.debug_dot_str");
}

/* The driver writes to a path; an anonymous file has one while it is open. The file lives in memory
 * and has no name that another process could guess or that would remain after a crash. */
static PyObject *
graph_debug_dot_str(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("debug_dot_str(flags=0)");
    PyObject *values[GNP_MAX_PARAMS], *ret = NULL;
    GraphObject *self = (GraphObject *)object;
    struct stat about;
    char path[64], *text = NULL;
    int file = -1;
    GNP_TRY(gnp_args_bind(&sig, args, nargs, kwnames, values));
    unsigned flags = 0;
    if ((values[0] != NULL && gnp_unsigned_from_object(values[0], "flags", &flags) < 0) ||
        enter(self) == NULL) {
        return NULL;
    }
    file = memfd_create("gpunp graph", MFD_CLOEXEC);
    if (file < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        goto fail;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    GNP_TRY(print_dot(self, path, flags));
    if (fstat(file, &about) < 0 || (text = malloc((size_t)about.st_size + 1)) == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    ssize_t got = pread(file, text, (size_t)about.st_size, 0);
    if (got < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        goto fail;
    }
    ret = PyUnicode_DecodeUTF8(text, got, "replace");
fail:
    free(text);
    if (file >= 0) {
        close(file);
    }
    return ret;
}

/* Nodes of child graphs are not counted: a child is one node. */
static Py_ssize_t
graph_length(PyObject *object)
{
    size_t count = 0;
    if (enter((GraphObject *)object) == NULL) {
        return -1;
    }
    GnpCapture *capture = gnp_capture_retain(((GraphObject *)object)->capture);
    gnp_turn_take(gnp_capture_turn(capture));
    CUresult code = gnp_cu->cuGraphGetNodes(gnp_capture_graph(capture), NULL, &count);
    gnp_turn_end(gnp_capture_turn(capture));
    gnp_capture_release(capture);
    return code == 0 ? (Py_ssize_t)count : gnp_cuda_raise(code, "cuGraphGetNodes", __func__);
}

/* Without it, truth would follow from the length. */
static int
graph_bool(PyObject *Py_UNUSED(object))
{
    return 1; /* an empty one too */
}

static PyObject *
graph_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<Graph %p (device %d)>",
                                (void *)gnp_capture_graph(((GraphObject *)object)->capture),
                                gnp_capture_device(((GraphObject *)object)->capture)->id);
}

static PyObject *
graph_get_graph(PyObject *self, void *Py_UNUSED(closure))
{
    gnp_work_is_exported = 1;
    return PyLong_FromVoidPtr((void *)gnp_capture_graph(((GraphObject *)self)->capture));
}

static PyObject *
graph_get_exec(PyObject *object, void *Py_UNUSED(closure))
{
    GraphObject *self = (GraphObject *)object;
    if (enter(self) == NULL) {
        return NULL;
    }
    gnp_turn_take(&self->turn);
    int status = instantiate(self);
    gnp_turn_end(&self->turn);
    gnp_work_is_exported = 1;
    return status < 0 ? NULL : PyLong_FromVoidPtr((void *)self->exec);
}

static PyObject *
graph_get_host_funcargs(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *calls = gnp_capture_host_calls(((GraphObject *)self)->capture);
    return calls != NULL ? PyList_AsTuple(calls) : PyTuple_New(0);
}

static PyMethodDef graph_methods[] = {
    {"launch", GNP_FAST(graph_launch), METH_FASTCALL | METH_KEYWORDS,
     "launch(stream=None)\n--\n\n"
     "Launch the graph in a stream.\n\n"
     "Parameters\n----------\n"
     "stream : Stream, optional\n"
     "    Stream in which the graph runs. By default the current one.\n\n"
     "Returns\n-------\n"
     "None"},
    {"upload", GNP_FAST(graph_upload), METH_FASTCALL | METH_KEYWORDS,
     "upload(stream=None)\n--\n\n"
     "Prepare the device for the first launch, which becomes faster.\n\n"
     "Parameters\n----------\n"
     "stream : Stream, optional\n"
     "    Stream in which the preparation is queued. By default the current one.\n\n"
     "Returns\n-------\n"
     "None"},
    {"update", graph_update, METH_O,
     "update(other)\n--\n\n"
     "Update the arguments of the graph to those of another graph with the same nodes.\n\n"
     "The same operations captured again, on other arrays or with other numbers, give a graph\n"
     "whose arguments this one can have without being made anew. ValueError when it cannot.\n\n"
     "Parameters\n----------\n"
     "other : Graph\n    Graph that was captured again.\n\n"
     "Returns\n-------\n"
     "None"},
    {"debug_dot_str", GNP_FAST(graph_debug_dot_str), METH_FASTCALL | METH_KEYWORDS,
     "debug_dot_str(flags=0)\n--\n\n"
     "Return the graph in Graphviz's DOT language.\n\n"
     "The flags are `runtime.cudaGraphDebugDotFlags...`.\n\n"
     "Parameters\n----------\n"
     "flags : int, optional\n"
     "    Details of the nodes to include, from `runtime.cudaGraphDebugDotFlags...`.\n\n"
     "Returns\n-------\n"
     "str\n    Text in DOT format."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef graph_getset[] = {
    {"graph", graph_get_graph, NULL, "Handle of the graph, as an int.", NULL},
    {"graphExec", graph_get_exec, NULL, "Handle of the executable graph, as an int.", NULL},
    {"host_funcargs", graph_get_host_funcargs, NULL,
     "Functions called on the host, with their arguments.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef graph_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GraphObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot graph_slots[] = {
    {Py_tp_doc,
     GNP_DOC("Work that a stream captured; `launch` does it again. `len` counts its nodes.\n\n"
             "Made by `Stream.end_capture`. It owns the memory that was allocated during the\n"
             "capture and keeps alive every array, kernel and host function that it uses.")},
    {Py_tp_dealloc, graph_dealloc},
    {Py_tp_repr, graph_repr},
    {Py_sq_length, graph_length},
    {Py_nb_bool, graph_bool},
    {Py_tp_methods, graph_methods},
    {Py_tp_getset, graph_getset},
    {Py_tp_members, graph_members},
    {0, NULL},
};

static PyType_Spec graph_spec = {
    .name = "gpunp.cuda.Graph",
    .basicsize = sizeof(GraphObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = graph_slots,
};

int
gnp_graph_init(PyObject *module)
{
    graph_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &graph_spec, NULL);
    return graph_type != NULL ? PyModule_AddType(module, graph_type) : -1;
}

/* gpunp._C.RandomStream: the state of a bit generator.
 *
 * Philox is a key and two counters, on the host. XORWOW and MRG32k3a keep 65,536 sequences in
 * device memory; groups of elements are assigned to them in turn, so the numbers do not depend on
 * the grid. A launch that changes them is ordered after the one before, on whichever stream that
 * was.
 *
 * Threads take turns from the reading of a position to its change. `written` is recorded after each
 * launch that changes the states, and a launch on another stream waits for it.
 */
#include "random/random.h"

#include <string.h>

PyTypeObject *gnp_random_stream_type;

enum { NO_TIMING = 2, CELLS = GNP_RANDOM_STATE_WORDS * GNP_RANDOM_SEQUENCES };

/* Work that is being captured does not run now: it neither waits for other work nor is waited
 * for. */
static int
is_capturing(CUstream stream, int *capturing)
{
    CUstreamCaptureStatus status = 0;
    CU_TRY(cuStreamIsCapturing(stream, &status));
    *capturing = status != 0;
    return 0;
fail:
    return -1;
}

/* A replayed graph advances the states each time, in the order of its stream. */
static int
wait_for_states(GnpRandomStream *r, const GnpDevice *device, CUstream stream)
{
    int capturing = 0;
    if (r->states->device_id != device->id) {
        PyErr_Format(PyExc_ValueError,
                     "the generator's state is on device %d, the current device is %d",
                     r->states->device_id, device->id);
        return -1;
    }
    gnp_block_record(r->states->block, stream);
    /* On one stream the order is that of the launches. */
    if (r->written != NULL && r->last != stream) {
        GNP_TRY(is_capturing(stream, &capturing));
        if (!capturing) {
            CU_TRY_QUEUE(cuStreamWaitEvent(stream, r->written, 0));
        }
    }
    return 0;
fail:
    return -1;
}

static int
mark_states(GnpRandomStream *r, CUstream stream)
{
    int capturing = 0;
    GNP_TRY(is_capturing(stream, &capturing));
    if (capturing) {
        return 0;
    }
    if (r->written == NULL) {
        CU_TRY(cuEventCreate(&r->written, NO_TIMING));
    }
    CU_TRY_QUEUE(cuEventRecord(r->written, stream));
    r->last = stream;
    return 0;
fail:
    return -1;
}

/* The words of one launch, in r->states until it has ended. Python code: it may draw from another
 * generator, or fail, and so runs before the turn. */
static int
ask_for_words(GnpRandomStream *r, int64_t n)
{
    PyObject *words = PyObject_CallFunction(r->words, "L", (long long)n); /* owned */
    if (words == NULL) {
        return -1;
    }
    GnpArray *a = (GnpArray *)words;
    if (!gnp_array_check(words) || a->dtype != GNP_U32 || a->size != n ||
        !(a->flags & GNP_C_CONTIGUOUS) || a->data % 16 != 0) {
        PyErr_SetString(PyExc_TypeError, "a source of words returns aligned vectors of uint32");
        Py_DECREF(words);
        return -1;
    }
    gnp_turn_take(&r->turn);
    Py_XSETREF(r->states, a);
    return 0;
}

int
gnp_random_begin(GnpRandomStream *r, int64_t groups, const GnpDevice *device, CUstream stream)
{
    if (r->origin == GNP_GIVEN) {
        return ask_for_words(r, 4 * groups);
    }
    gnp_turn_take(&r->turn);
    if (r->origin != GNP_PHILOX && wait_for_states(r, device, stream) < 0) {
        gnp_turn_end(&r->turn);
        return -1;
    }
    return 0;
}

/* A failed draw leaves the position. */
int
gnp_random_end(GnpRandomStream *r, int64_t groups, CUstream stream, int status)
{
    if (r->origin == GNP_GIVEN) {
        Py_CLEAR(r->states);
    }
    if (status == 0) {
        r->position += (uint64_t)groups;
        status = gnp_random_threads(r) > 0 ? mark_states(r, stream) : 0;
    }
    gnp_turn_end(&r->turn);
    return status;
}

/* ---- the states of XORWOW and MRG32k3a ------------------------------------------------------- */

/* Six words as the first state, from a sequence of ints. */
static int
words_from_object(PyObject *object, uint32_t words[GNP_RANDOM_STATE_WORDS])
{
    PyObject *items = PySequence_Tuple(object); /* owned */
    if (items == NULL) {
        return -1;
    }
    if (PyTuple_GET_SIZE(items) != GNP_RANDOM_STATE_WORDS) {
        PyErr_Format(PyExc_ValueError, "a state has %d words", GNP_RANDOM_STATE_WORDS);
        goto fail;
    }
    for (int i = 0; i < GNP_RANDOM_STATE_WORDS; i++) {
        GNP_TRY(gnp_unsigned_from_object(PyTuple_GET_ITEM(items, i), "a state's word", &words[i]));
    }
    Py_DECREF(items);
    return 0;
fail:
    Py_DECREF(items);
    return -1;
}

static int
make_states(GnpRandomStream *r, PyObject *first, uint64_t jumps)
{
    const int64_t shape[2] = {GNP_RANDOM_STATE_WORDS, GNP_RANDOM_SEQUENCES};
    uint32_t words[GNP_RANDOM_STATE_WORDS];
    uint32_t *host = NULL; /* owned */
    int ret = -1;

    GNP_TRY(words_from_object(first, words));
    GNP_NEW(r->states, gnp_array_new(2, shape, GNP_U32, 'C'));
    host = PyMem_Malloc(sizeof *host * CELLS);
    if (host == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    GNP_NOGIL(gnp_random_sequences(r->origin, words, jumps, host));
    /* Waits until `host` was read, so it can be freed. */
    GNP_TRY(gnp_copy_h2d(r->states->data, host, sizeof *host * CELLS, r->states->block->stream));
    ret = mark_states(r, r->states->block->stream);
fail:
    PyMem_Free(host);
    return ret;
}

static PyObject *
stream_states(PyObject *object, void *Py_UNUSED(closure))
{
    GnpRandomStream *r = (GnpRandomStream *)object;
    int previous;
    if (r->states == NULL) {
        Py_RETURN_NONE;
    }
    if (gnp_array_enter(r->states, &previous) < 0) {
        return NULL;
    }
    PyObject *copy = NULL;
    GnpDevice *device = gnp_device_current();
    gnp_turn_take(&r->turn);
    if (device != NULL && wait_for_states(r, device, gnp_stream_current(device)) == 0) {
        copy = gnp_array_to_numpy(r->states, 'C');
    }
    gnp_turn_end(&r->turn);
    gnp_array_leave(r->states, previous);
    return copy;
}

static int
stream_set_states(PyObject *object, PyObject *value, void *Py_UNUSED(closure))
{
    GnpRandomStream *r = (GnpRandomStream *)object;
    if (r->states == NULL || value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "this stream keeps no states");
        return -1;
    }
    GnpArray *given = gnp_array_from_object(value, GNP_U32, GNP_COPY_ALWAYS, 'C'); /* owned */
    if (given == NULL) {
        return -1;
    }
    if (given->ndim != 2 || gnp_shape(given)[0] != GNP_RANDOM_STATE_WORDS ||
        gnp_shape(given)[1] != GNP_RANDOM_SEQUENCES) {
        PyErr_Format(PyExc_ValueError, "the states have the shape (%d, %d)", GNP_RANDOM_STATE_WORDS,
                     GNP_RANDOM_SEQUENCES);
        Py_DECREF((PyObject *)given);
        return -1;
    }
    GnpDevice *device = gnp_device_current();
    gnp_turn_take(&r->turn);
    if (r->written != NULL && r->states->device_id != given->device_id) {
        CU_DROP(cuEventDestroy_v2(r->written)); /* it belongs to the other device */
        r->written = NULL;
    }
    Py_SETREF(r->states, given);
    int status = device == NULL ? -1 : mark_states(r, gnp_stream_current(device));
    gnp_turn_end(&r->turn);
    return status;
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyObject *
stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature signature =
        GNP_SIGNATURE("RandomStream(origin, key, position=0, stream=0)");
    static const char *const names[] = {"philox", "xorwow", "mrg32k3a", "given"};
    PyObject *given[4];
    GnpRandomStream *self = NULL; /* owned */
    const char *name;

    GNP_TRY(gnp_args_bind_call(&signature, args, kwargs, given));
    GNP_NEW(name, PyUnicode_AsUTF8(given[0]));
    int origin = 0;
    while (origin < GNP_NORIGINS && strcmp(name, names[origin]) != 0) {
        origin++;
    }
    if (origin == GNP_NORIGINS) {
        PyErr_Format(PyExc_ValueError, "unknown source of random numbers: %R", given[0]);
        goto fail;
    }
    GNP_NEW(self, (GnpRandomStream *)type->tp_alloc(type, 0));
    self->origin = (GnpOrigin)origin;
    if (given[2] != NULL) {
        GNP_TRY(gnp_uint64_from_object(given[2], "position", &self->position));
    }
    if (given[3] != NULL) {
        GNP_TRY(gnp_unsigned_from_object(given[3], "stream", &self->stream));
    }
    if (origin == GNP_GIVEN) {
        self->words = Py_NewRef(given[1]);
        return (PyObject *)self;
    }
    if (origin != GNP_PHILOX) {
        GNP_TRY(make_states(self, given[1], self->stream));
        return (PyObject *)self;
    }
    GNP_TRY(gnp_uint64_from_object(given[1], "key", &self->key));
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

static void
stream_dealloc(PyObject *object)
{
    GnpRandomStream *r = (GnpRandomStream *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (r->written != NULL && !gnp_is_closing()) {
        CU_DROP(cuEventDestroy_v2(r->written));
    }
    Py_XDECREF((PyObject *)r->states);
    Py_XDECREF(r->words);
    type->tp_free(object);
    Py_DECREF(type);
}

/* A source of words is a method of the bit generator that has this stream: a cycle. `states` is an
 * array without references to others. */
static int
stream_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((GnpRandomStream *)object)->words);
    return 0;
}

static int
stream_clear(PyObject *object)
{
    Py_CLEAR(((GnpRandomStream *)object)->words);
    return 0;
}

/* The three numbers of Philox; the closure says which. */
static PyObject *
stream_number(PyObject *object, void *closure)
{
    const GnpRandomStream *r = (GnpRandomStream *)object;
    return PyLong_FromUnsignedLongLong(closure == (void *)0   ? r->key
                                       : closure == (void *)1 ? r->position
                                                              : r->stream);
}
static int
stream_set_number(PyObject *object, PyObject *value, void *closure)
{
    GnpRandomStream *r = (GnpRandomStream *)object;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "cannot be deleted");
        return -1;
    }
    uint64_t number;
    if (closure == (void *)2) {
        return gnp_unsigned_from_object(value, "stream", &r->stream);
    }
    if (gnp_uint64_from_object(value, "the number", &number) < 0) {
        return -1;
    }
    *(closure == (void *)0 ? &r->key : &r->position) = number;
    return 0;
}

static PyGetSetDef stream_getset[] = {
    {"key", stream_number, stream_set_number, "Philox: the key, an int below 2^64.", (void *)0},
    {"position", stream_number, stream_set_number, "Philox: groups of four words drawn so far.",
     (void *)1},
    {"stream", stream_number, stream_set_number, "How many jumps ahead it is.", (void *)2},
    {"states", stream_states, stream_set_states,
     "The states in device memory as a NumPy array (waits for the device); None for Philox.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(stream_doc, "RandomStream(origin, key, position=0, stream=0)\n--\n\n"
                         "What a bit generator keeps: origin 'philox' with a key of 64 bits, "
                         "'xorwow' or\n'mrg32k3a' with the six words of their first state, or "
                         "'given' with a function\nthat returns so many words.");

static PyType_Slot stream_slots[] = {
    {Py_tp_doc, GNP_DOC(stream_doc)},
    {Py_tp_new, stream_new},
    {Py_tp_dealloc, stream_dealloc},
    {Py_tp_traverse, stream_traverse},
    {Py_tp_clear, stream_clear},
    {Py_tp_getset, stream_getset},
    {0, NULL},
};
static PyType_Spec stream_spec = {
    .name = "gpunp._C.RandomStream",
    .basicsize = sizeof(GnpRandomStream),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = stream_slots,
};

int
gnp_random_stream_init(PyObject *module)
{
    gnp_random_stream_type = (PyTypeObject *)PyType_FromSpec(&stream_spec);
    return gnp_random_stream_type == NULL
               ? -1
               : PyModule_AddObjectRef(module, "RandomStream", (PyObject *)gnp_random_stream_type);
}

/* gpunp._C.CurandGenerator: words of one of cuRAND's generators, as a source of draws.
 *
 * Only curandGenerate is used: kernels/random/random.cu computes the distributions, so every
 * distribution exists for every generator. The real library allocates and waits at the first words
 * of a generator, so that call cannot be captured into a graph.
 */
#include "lib/rand.h"

/* The handle is created on device_id and destroyed with the object. cuRAND's generators are not
 * thread-safe, and the GIL is released while they run: a lock, as of NumPy's, orders threads. */
typedef struct {
    PyObject_HEAD curandGenerator_t handle;
    int device_id;
    CUstream stream;         /* as last set */
    PyThread_type_lock lock; /* owned: of the handle and its stream */
} Generator;

/* The holder needs the GIL to go on, so it is released while another thread is waited for. */
static void
lock(Generator *self)
{
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK) == 0) {
        GNP_NOGIL(PyThread_acquire_lock(self->lock, WAIT_LOCK));
    }
}

static PyObject *
generator_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature signature = GNP_SIGNATURE("CurandGenerator(method, seed)");
    PyObject *given[2];
    Generator *self = NULL; /* owned */
    const GnpCurand *api;
    GnpDevice *device;

    GNP_TRY(gnp_args_bind_call(&signature, args, kwargs, given));
    int method;
    uint64_t seed;
    GNP_TRY(gnp_int_from_object(given[0], "method", &method));
    GNP_TRY(gnp_uint64_from_object(given[1], "seed", &seed));
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(api, gnp_curand());
    GNP_NEW(self, (Generator *)type->tp_alloc(type, 0));
    self->device_id = device->id;
    self->lock = PyThread_allocate_lock();
    if (self->lock == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    LIB_TRY_NOGIL(CURAND, api->curandCreateGenerator(&self->handle, method));
    LIB_TRY_NOGIL(CURAND, api->curandSetPseudoRandomGeneratorSeed(self->handle, seed));
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* The library is open, as there is a handle; without the GIL, since freeing memory of the device
 * waits for it. */
static void
generator_dealloc(PyObject *object)
{
    Generator *self = (Generator *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->handle != NULL && !gnp_is_closing()) {
        const GnpCurand *api = gnp_curand();
        int status = 0;
        GNP_CONTEXT_WAIT(status = api->curandDestroyGenerator(self->handle)); /* it frees memory */
        if (status != 0) {
            gnp_log(1, "curandDestroyGenerator: status %d", status);
        }
    }
    if (self->lock != NULL) {
        PyThread_free_lock(self->lock);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

/* Into `out`, on the stream. The lock is held. */
static int
generate(Generator *self, GnpArray *out, CUstream stream)
{
    const GnpCurand *api;
    GNP_NEW(api, gnp_curand());
    if (stream != self->stream) {
        LIB_TRY(CURAND, api->curandSetStream(self->handle, stream));
        self->stream = stream;
    }
    LIB_TRY_NOGIL(CURAND,
                  api->curandGenerate(self->handle, (unsigned int *)out->data, (size_t)out->size));
    return 0;
fail:
    return -1;
}

PyDoc_STRVAR(words_doc, "words($self, n, /)\n--\n\n"
                        "The next n words of 32 bits, a vector of uint32 on the current stream.");

/* The generator's states live on its device. */
static PyObject *
generator_words(PyObject *object, PyObject *count)
{
    Generator *self = (Generator *)object;
    GnpArray *out = NULL; /* owned */
    PyObject *ret = NULL; /* returned */
    GnpDevice *device;

    int64_t n;
    GNP_TRY(gnp_size_from_object(count, "n", &n));
    GNP_NEW(device, gnp_device_current());
    if (device->id != self->device_id) {
        PyErr_Format(PyExc_ValueError, "the generator is of device %d, the current device is %d",
                     self->device_id, device->id);
        goto fail;
    }
    CUstream stream = gnp_stream_current(device);
    GNP_NEW(out, gnp_array_new(1, &n, GNP_U32, 'C'));
    if (n > 0) {
        lock(self);
        int status = generate(self, out, stream);
        PyThread_release_lock(self->lock);
        GNP_TRY(status);
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)out);
    return ret;
}

PyDoc_STRVAR(offset_doc,
             "set_offset($self, offset, /)\n--\n\n"
             "Go to a place in the sequence, counted in words; not every generator can.");

/* Counted in words of 32 bits, as curandSetGeneratorOffset does. */
static PyObject *
generator_set_offset(PyObject *object, PyObject *offset)
{
    Generator *self = (Generator *)object;
    uint64_t place;
    GNP_TRY(gnp_uint64_from_object(offset, "offset", &place));
    lock(self);
    int status = gnp_curand()->curandSetGeneratorOffset(self->handle, place);
    PyThread_release_lock(self->lock);
    if (status != 0) {
        gnp_library_raise(GNP_LIBRARY_CURAND, status, "curandSetGeneratorOffset", __func__);
        goto fail;
    }
    Py_RETURN_NONE;
fail:
    return NULL;
}

static PyMethodDef generator_methods[] = {
    {"set_offset", generator_set_offset, METH_O, offset_doc},
    {"words", generator_words, METH_O, words_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(generator_doc, "CurandGenerator(method, seed)\n--\n\n"
                            "One of cuRAND's generators, by the library's number for it.");

static PyType_Slot generator_slots[] = {
    {Py_tp_doc, GNP_DOC(generator_doc)},
    {Py_tp_new, generator_new},
    {Py_tp_dealloc, generator_dealloc},
    {Py_tp_methods, generator_methods},
    {0, NULL},
};
static PyType_Spec generator_spec = {
    .name = "gpunp._C.CurandGenerator",
    .basicsize = sizeof(Generator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = generator_slots,
};

/* The module holds the reference to the type; instances hold their own. */
int
gnp_rand_init(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&generator_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "CurandGenerator", type) < 0) {
        Py_XDECREF(type);
        return -1;
    }
    Py_DECREF(type);
    return 0;
}

/* Page-locked host memory: blocks that the device reads and writes directly. */
#include "rt/internal.h"

#include <structmember.h>

/* `size` bytes at `ptr`, freed with the object unless it is a part of another one (`owner`). */
typedef struct {
    PyObject_HEAD
    void *ptr;
    Py_ssize_t size;
    PyObject *owner;
    PyObject *weakrefs;
} PinnedObject;

static PyTypeObject *pinned_type;

static PyObject *
pinned_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("PinnedBuffer(size, flags=0)");
    PyObject *values[GNP_MAX_PARAMS];
    PinnedObject *self = NULL; /* owned */
    CUresult code = 0;
    void *ptr = NULL;
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0) {
        return NULL;
    }
    Py_ssize_t size = PyNumber_AsSsize_t(values[0], PyExc_OverflowError);
    long flags = values[1] != NULL ? PyLong_AsLong(values[1]) : 0;
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "the size must not be negative");
        return NULL;
    }
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    GNP_NEW(self, (PinnedObject *)type->tp_alloc(type, 0));
    if (size > 0) {
        GNP_NOGIL(code = gnp_cu->cuMemHostAlloc(&ptr, (size_t)size, (unsigned)flags));
        if (code != 0) {
            gnp_cuda_raise(code, "cuMemHostAlloc", "PinnedMemory");
            goto fail;
        }
    }
    self->ptr = ptr;
    self->size = size;
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

static void
pinned_dealloc(PyObject *object)
{
    PinnedObject *self = (PinnedObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    if (self->ptr != NULL && self->owner == NULL && !gnp_is_closing()) {
        CU_DROP(cuMemFreeHost(self->ptr));
    }
    Py_XDECREF(self->owner);
    type->tp_free(object);
    Py_DECREF(type);
}

/* A part of this memory that keeps it alive. */
static PyObject *
pinned_part(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    PinnedObject *self = (PinnedObject *)object;
    Py_ssize_t offset = nargs == 2 ? PyNumber_AsSsize_t(args[0], PyExc_OverflowError) : -1;
    Py_ssize_t size = nargs == 2 ? PyNumber_AsSsize_t(args[1], PyExc_OverflowError) : -1;
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (offset < 0 || size < 0 || offset > self->size || size > self->size - offset) {
        PyErr_SetString(PyExc_ValueError, "part(offset, size) must lie inside the memory");
        return NULL;
    }
    PinnedObject *part = (PinnedObject *)pinned_type->tp_alloc(pinned_type, 0);
    if (part != NULL) {
        part->ptr = (char *)self->ptr + offset;
        part->size = size;
        part->owner = Py_NewRef(object);
    }
    return (PyObject *)part;
}

static int
pinned_getbuffer(PyObject *object, Py_buffer *view, int flags)
{
    PinnedObject *self = (PinnedObject *)object;
    return PyBuffer_FillInfo(view, object, self->ptr, self->size, 0, flags);
}

static PyObject *
pinned_int(PyObject *self)
{
    return PyLong_FromVoidPtr(((PinnedObject *)self)->ptr);
}

static PyObject *
pinned_get_ptr(PyObject *self, void *Py_UNUSED(closure))
{
    return pinned_int(self);
}

static PyMethodDef pinned_methods[] = {
    {"_part", GNP_FAST(pinned_part), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef pinned_getset[] = {
    {"ptr", pinned_get_ptr, NULL, "The host address.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef pinned_members[] = {
    {"_size", T_PYSSIZET, offsetof(PinnedObject, size), READONLY, "Bytes."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PinnedObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot pinned_slots[] = {
    {Py_tp_doc, GNP_DOC("PinnedBuffer(size, flags=0)\n--\n\nPage-locked host memory with the buffer "
                "protocol.")},
    {Py_tp_new, pinned_new},
    {Py_tp_dealloc, pinned_dealloc},
    {Py_tp_methods, pinned_methods},
    {Py_tp_getset, pinned_getset},
    {Py_tp_members, pinned_members},
    {Py_nb_int, pinned_int},
    {Py_bf_getbuffer, pinned_getbuffer},
    {0, NULL},
};

static PyType_Spec pinned_spec = {
    .name = "gpunp._C.PinnedBuffer",
    .basicsize = sizeof(PinnedObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = pinned_slots,
};

int
gnp_pinned_init(PyObject *module)
{
    pinned_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &pinned_spec, NULL);
    return pinned_type != NULL ? PyModule_AddType(module, pinned_type) : -1;
}

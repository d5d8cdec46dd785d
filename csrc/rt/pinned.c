/* Page-locked host memory: blocks that the device reads and writes directly.
 *
 * Blocks belong to Python objects and are freed with them; there is no cache here (the pool of
 * page-locked memory, PinnedMemoryPool, is Python). numpy.frombuffer() over the buffer protocol
 * gives arrays whose copies to and from the device are asynchronous.
 */
#include "rt/internal.h"

#include <structmember.h>

/* `size` bytes at `ptr`. A PinnedMemory frees them when it is deallocated; a PinnedMemoryPointer is
 * a part of the memory of `mem`, which it keeps alive. */
typedef struct {
    PyObject_HEAD void *ptr;
    Py_ssize_t size;
    PyObject *mem; /* NULL for a PinnedMemory */
    PyObject *weakrefs;
} PinnedObject;

static PyTypeObject *pinned_type, *pointer_type;

/* Page-locking is slow and may wait for the device, hence without the GIL. The object exists before
 * the memory, so that no failure in between leaks it. */
static PyObject *
pinned_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("PinnedMemory(size, flags=0)");
    PyObject *values[GNP_MAX_PARAMS];
    PinnedObject *self = NULL; /* owned */
    CUresult code = 0;
    void *ptr = NULL;
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0) {
        return NULL;
    }
    int64_t size = 0;
    unsigned flags = 0;
    if (gnp_size_from_object(values[0], "size", &size) < 0 ||
        (values[1] != NULL && gnp_unsigned_from_object(values[1], "flags", &flags) < 0)) {
        return NULL;
    }
    if (gnp_device_current() == NULL) {
        return NULL;
    }
    GNP_NEW(self, (PinnedObject *)type->tp_alloc(type, 0));
    if (size > 0) {
        GNP_TRY(gnp_context_wait_ready());
        CU_WAIT(code, cuMemHostAlloc(&ptr, (size_t)size, flags));
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

/* The driver waits for copies in progress that use the memory before it is freed. */
static void
pinned_dealloc(PyObject *object)
{
    PinnedObject *self = (PinnedObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    if (self->ptr != NULL && self->mem == NULL && !gnp_is_closing()) {
        CU_DROP_WAIT(cuMemFreeHost(self->ptr));
    }
    Py_XDECREF(self->mem);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Writable, and without an export count: the view holds a reference to this object. */
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

static PyGetSetDef pinned_getset[] = {
    {"ptr", pinned_get_ptr, NULL, "Address in host memory.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef pinned_members[] = {
    {"size", T_PYSSIZET, offsetof(PinnedObject, size), READONLY, "Size in bytes."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PinnedObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot pinned_slots[] = {
    {Py_tp_doc,
     GNP_DOC("PinnedMemory(size, flags=0)\n--\n\n"
             "Page-locked host memory, with the buffer protocol.\n\n"
             "Parameters\n----------\n"
             "size : int\n    Size of the memory in bytes.\n"
             "flags : int, optional\n    Combination of the constants `runtime.hostAlloc...`.")},
    {Py_tp_new, pinned_new},
    {Py_tp_dealloc, pinned_dealloc},
    {Py_tp_getset, pinned_getset},
    {Py_tp_members, pinned_members},
    {Py_nb_int, pinned_int},
    {Py_bf_getbuffer, pinned_getbuffer},
    {0, NULL},
};

static PyType_Spec pinned_spec = {
    .name = "gpunp.cuda.PinnedMemory",
    .basicsize = sizeof(PinnedObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = pinned_slots,
};

/* ---- PinnedMemoryPointer --------------------------------------------------------------------- */

/* `mem` is any object with `ptr` and `size`, so classes written in Python may own the memory. */
static PyObject *
make_pointer(PyObject *mem, Py_ssize_t offset)
{
    PyObject *ptr = NULL, *size = NULL; /* owned */
    PinnedObject *self = NULL;          /* returned */
    GNP_NEW(ptr, PyObject_GetAttrString(mem, "ptr"));
    GNP_NEW(size, PyObject_GetAttrString(mem, "size"));
    void *base;
    int64_t bytes;
    GNP_TRY(gnp_pointer_from_object(ptr, "ptr", &base));
    GNP_TRY(gnp_size_from_object(size, "size", &bytes));
    if (offset < 0 || offset > bytes) {
        PyErr_Format(PyExc_ValueError, "the offset %zd lies outside of %lld bytes", offset,
                     (long long)bytes);
        goto fail;
    }
    GNP_NEW(self, (PinnedObject *)pointer_type->tp_alloc(pointer_type, 0));
    self->ptr = (char *)base + offset;
    self->size = bytes - offset;
    self->mem = Py_NewRef(mem);
fail:
    Py_XDECREF(ptr);
    Py_XDECREF(size);
    return (PyObject *)self;
}

static PyObject *
pointer_new(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("PinnedMemoryPointer(mem, offset)");
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind_call(&sig, args, kwargs, values) < 0) {
        return NULL;
    }
    Py_ssize_t offset = PyNumber_AsSsize_t(values[1], PyExc_OverflowError);
    return PyErr_Occurred() ? NULL : make_pointer(values[0], offset);
}

static PyObject *
pointer_size(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return PyLong_FromSsize_t(((PinnedObject *)self)->size);
}

/* pointer + offset, or pointer - offset when `sign` is -1. Relative to the start of the memory
 * rather than to this pointer: an offset may go back, and make_pointer() checks it against the
 * whole block. */
static PyObject *
pointer_move(PyObject *a, PyObject *b, int sign)
{
    if (sign > 0 && !PyObject_TypeCheck(a, pointer_type)) {
        PyObject *swapped = a;
        a = b;
        b = swapped;
    }
    if (!PyObject_TypeCheck(a, pointer_type) || !PyIndex_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PinnedObject *self = (PinnedObject *)a;
    Py_ssize_t step = PyNumber_AsSsize_t(b, PyExc_OverflowError);
    PyObject *base = PyErr_Occurred() ? NULL : PyObject_GetAttrString(self->mem, "ptr");
    if (base == NULL) {
        return NULL;
    }
    void *start = NULL;
    int failed = gnp_pointer_from_object(base, "ptr", &start) < 0;
    Py_DECREF(base);
    /* Computed as integers: the two addresses need not belong to one C object. */
    int64_t offset = (int64_t)((uintptr_t)self->ptr - (uintptr_t)start);
    if (!failed && (sign > 0 ? __builtin_add_overflow(offset, step, &offset)
                             : __builtin_sub_overflow(offset, step, &offset))) {
        PyErr_Format(PyExc_OverflowError, "the offset is out of range: %R", b);
        failed = 1;
    }
    return failed ? NULL : make_pointer(self->mem, offset);
}

static PyObject *
pointer_add(PyObject *a, PyObject *b)
{
    return pointer_move(a, b, 1);
}

static PyObject *
pointer_subtract(PyObject *a, PyObject *b)
{
    return pointer_move(a, b, -1);
}

static PyMethodDef pointer_methods[] = {
    {"size", pointer_size, METH_NOARGS,
     "size()\n--\n\n"
     "Return the number of bytes from the pointer to the end of the block.\n\n"
     "Returns\n-------\n"
     "int\n    Size in bytes."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef pointer_members[] = {
    {"mem", T_OBJECT, offsetof(PinnedObject, mem), READONLY, "Memory that is pointed to."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PinnedObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot pointer_slots[] = {
    {Py_tp_doc, GNP_DOC("PinnedMemoryPointer(mem, offset)\n--\n\n"
                        "Pointer into page-locked memory, with the buffer protocol.\n\n"
                        "Parameters\n----------\n"
                        "mem : object\n    Page-locked memory, which is kept alive.\n"
                        "offset : int\n    Offset in bytes from its start.")},
    {Py_tp_new, pointer_new},
    {Py_tp_dealloc, pinned_dealloc},
    {Py_tp_methods, pointer_methods},
    {Py_tp_getset, pinned_getset},
    {Py_tp_members, pointer_members},
    {Py_nb_int, pinned_int},
    {Py_nb_add, pointer_add},
    {Py_nb_subtract, pointer_subtract},
    {Py_bf_getbuffer, pinned_getbuffer},
    {0, NULL},
};

static PyType_Spec pointer_spec = {
    .name = "gpunp.cuda.PinnedMemoryPointer",
    .basicsize = sizeof(PinnedObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = pointer_slots,
};

int
gnp_pinned_init(PyObject *module)
{
    GNP_NEW(pinned_type, (PyTypeObject *)PyType_FromModuleAndSpec(module, &pinned_spec, NULL));
    GNP_NEW(pointer_type, (PyTypeObject *)PyType_FromModuleAndSpec(module, &pointer_spec, NULL));
    GNP_TRY(PyModule_AddType(module, pinned_type));
    return PyModule_AddType(module, pointer_type);
fail:
    return -1;
}

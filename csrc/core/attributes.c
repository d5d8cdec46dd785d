/* The attributes of the array type.
 *
 * Reading an attribute never waits for the device. Setting shape or dtype changes this object only:
 * views that exist keep theirs, as in NumPy.
 *
 * All getters hold the GIL and allocate no more than their result.
 */
#include "core/core_internal.h"

#include <string.h>

/* ---- shape and type -------------------------------------------------------------------------- */

/* A tuple, made on each access: the array stores plain integers. */
static PyObject *
array_get_shape(PyObject *self, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    return gnp_tuple_from_ints(a->ndim, gnp_shape(a));
}

/* Gives `a` another shape over the same memory. The new dims are allocated before the old ones are
 * touched, so a failure changes nothing. */
static int
replace_dims(GnpArray *a, int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t *dims = a->inline_dims;
    if (ndim > GNP_INLINE_DIMS) {
        dims = PyMem_Malloc(2 * (size_t)ndim * sizeof *dims);
        if (dims == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    int64_t *old = a->dims;
    a->dims = dims;
    memcpy(dims, shape, (size_t)ndim * sizeof *dims);
    memcpy(dims + ndim, strides, (size_t)ndim * sizeof *dims);
    a->ndim = ndim;
    a->size = gnp_layout_size(ndim, shape);
    if (old != a->inline_dims) {
        PyMem_Free(old);
    }
    gnp_array_update_flags(a);
    return 0;
}

/* Never copies: other references to this array would otherwise see different memory. */
static int
array_set_shape(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "Cannot delete array shape");
        return -1;
    }
    int ndim = gnp_shape_from_object(value, shape);
    if (ndim < 0 || gnp_layout_resolve_unknown(a->size, ndim, shape) < 0) {
        return -1;
    }
    /* AttributeError, as NumPy raises here. */
    if (!gnp_layout_reshape(a, ndim, shape, 'C', strides)) {
        PyErr_SetString(PyExc_AttributeError,
                        "Incompatible shape for in-place modification. Use "
                        "`.reshape()` to make a copy with the desired shape.");
        return -1;
    }
    return replace_dims(a, ndim, shape, strides);
}

/* In bytes, as NumPy's. */
static PyObject *
array_get_strides(PyObject *self, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    return gnp_tuple_from_ints(a->ndim, gnp_strides(a));
}

/* The dtype object of NumPy, of which there is one per type. */
static PyObject *
array_get_dtype(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_XNewRef(gnp_dtype_object((GnpDtype)((GnpArray *)self)->dtype));
}

/* The rules, for instance of a last axis that changes its length, are those of view(dtype). */
static int
array_set_dtype(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "Cannot delete array dtype");
        return -1;
    }
    GnpDtype dtype = gnp_stored_dtype_from_object(value);
    /* A view only for its shape and strides. */
    GnpArray *view = dtype == GNP_NO_DTYPE ? NULL : gnp_array_view_dtype(a, gnp_array_type, dtype);
    if (view == NULL) {
        return -1;
    }
    /* Before the rest, which depends on the size of an element. */
    int16_t before = a->dtype;
    a->dtype = (int16_t)dtype;
    int status = replace_dims(a, view->ndim, gnp_shape(view), gnp_strides(view));
    if (status < 0) {
        a->dtype = before;
    }
    Py_DECREF((PyObject *)view);
    return status;
}

static PyObject *
array_get_ndim(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(((GnpArray *)self)->ndim);
}

static PyObject *
array_get_size(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLongLong(((GnpArray *)self)->size);
}

static PyObject *
array_get_nbytes(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLongLong(gnp_array_nbytes((GnpArray *)self));
}

static PyObject *
array_get_itemsize(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLongLong(gnp_itemsize((GnpArray *)self));
}

/* ---- views ----------------------------------------------------------------------------------- */

/* A view: strides reversed, no data moved. */
static PyObject *
array_get_T(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_of_class((PyObject *)gnp_array_transpose((GnpArray *)self, NULL), self);
}

/* The array API's name for the transpose of the last two axes. */
static PyObject *
array_get_mT(PyObject *self, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    int axes[GNP_MAX_DIMS];
    if (a->ndim < 2) {
        PyErr_SetString(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
        return NULL;
    }
    for (int i = 0; i < a->ndim; i++) {
        axes[i] = i;
    }
    axes[a->ndim - 1] = a->ndim - 2;
    axes[a->ndim - 2] = a->ndim - 1;
    return gnp_of_class((PyObject *)gnp_array_transpose(a, axes), self);
}

/* Only complex arrays have parts that are views. */
static int
is_complex(const GnpArray *a)
{
    return gnp_dtypes[a->dtype].cls == 'c';
}

/* For real types NumPy returns the array itself, too. */
static PyObject *
array_get_real(PyObject *self, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    return is_complex(a) ? gnp_of_class((PyObject *)gnp_array_part(a, 0), self) : Py_NewRef(self);
}

/* NumPy returns a new array of zeros for real types; it is read-only there too. */
static PyObject *
array_get_imag(PyObject *self, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    GnpScalar zero = {{0, 0}};
    if (is_complex(a)) {
        return (PyObject *)gnp_array_part(a, 1);
    }
    int previous;
    if (gnp_array_enter(a, &previous) < 0) {
        return NULL;
    }
    GnpArray *zeros = gnp_array_new_like(a, (GnpDtype)a->dtype, 'K');
    gnp_array_leave(a, previous);
    if (zeros != NULL &&
        (gnp_is_structured(a->dtype) ? gnp_clear_structures(zeros) : gnp_fill(zeros, &zero)) < 0) {
        Py_CLEAR(zeros);
    }
    if (zeros != NULL) {
        zeros->flags &=
            (int16_t)~GNP_WRITEABLE; /* it is a copy: writing to it would not change `a` */
    }
    return (PyObject *)zeros;
}

/* Assigning to `real` of a real array is assigning to the array. */
static int
set_part(GnpArray *a, PyObject *value, int imaginary)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "Cannot delete array parts");
        return -1;
    }
    if (gnp_check_writeable(a) < 0) {
        return -1;
    }
    if (!is_complex(a)) {
        if (imaginary) {
            PyErr_SetString(PyExc_TypeError, "array does not have imaginary part to set");
            return -1;
        }
        return gnp_array_assign(a, value);
    }
    GnpArray *part = gnp_array_part(a, imaginary);
    int status = part == NULL ? -1 : gnp_array_assign(part, value);
    Py_XDECREF((PyObject *)part);
    return status;
}

static int
array_set_real(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    return set_part((GnpArray *)self, value, 0);
}

static int
array_set_imag(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    return set_part((GnpArray *)self, value, 1);
}

/* Each access makes an iterator of its own, whose position starts at 0. */
static PyObject *
array_get_flat(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_flatiter_new((GnpArray *)self);
}

/* a.flat = values assigns in C order, repeating the values. */
static int
array_set_flat(PyObject *self, PyObject *value, void *Py_UNUSED(closure))
{
    PyObject *flat = gnp_flatiter_new((GnpArray *)self);
    int status = -1;
    if (flat != NULL && value != NULL) {
        status = PyObject_SetItem(flat, Py_Ellipsis, value);
    }
    else if (flat != NULL) {
        PyErr_SetString(PyExc_AttributeError, "Cannot delete flat iterator");
    }
    Py_XDECREF(flat);
    return status;
}

/* ---- memory and device ----------------------------------------------------------------------- */

/* The object refers to the array, see flags.c. */
static PyObject *
array_get_flags(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_flags_new((GnpArray *)self);
}

/* None for an array that owns its memory, as in NumPy. */
static PyObject *
array_get_base(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *base = ((GnpArray *)self)->base;
    return Py_NewRef(base == NULL ? Py_None : base);
}

/* A cuda.Device, not a number: the array API compares devices. */
static PyObject *
array_get_device(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_device_object(((GnpArray *)self)->device_id);
}

/* MemoryPointer(memory, offset): the pointer keeps the memory alive, or for that of other libraries
 * the array. The address leaves the library's control, so recorded work is launched first. */
static PyObject *
array_get_data(PyObject *self, void *Py_UNUSED(closure))
{
    gnp_work_begins();
    GnpArray *a = (GnpArray *)self;
    a->block->is_exported = 1;
    PyObject *home = NULL;    /* owned */
    PyObject *memory = NULL;  /* owned */
    PyObject *address = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_NEW(home, PyImport_ImportModule("gpunp.cuda.memory"));
    GNP_NEW(memory, gnp_block_memory(a->block));
    if (memory == Py_None) {
        Py_SETREF(memory, PyObject_CallMethod(home, "UnownedMemory", "KnOi", a->block->ptr,
                                              (Py_ssize_t)a->block->bytes, self, a->device_id));
    }
    uint64_t start;
    GNP_NEW(address, memory != NULL ? PyObject_GetAttrString(memory, "ptr") : NULL);
    GNP_TRY(gnp_uint64_from_object(address, "ptr", &start));
    ret = PyObject_CallMethod(home, "MemoryPointer", "OL", memory, (long long)(a->data - start));
fail:
    Py_XDECREF(home);
    Py_XDECREF(memory);
    Py_XDECREF(address);
    return ret;
}

/* The bytes that a kernel parameter of a strided array would hold: pointer, size, shape, strides.
 */
static PyObject *
array_get_cstruct(PyObject *self, void *Py_UNUSED(closure))
{
    GnpArray *a = (GnpArray *)self;
    int64_t words[2 + 2 * GNP_MAX_DIMS];
    words[0] = (int64_t)a->data;
    words[1] = a->size;
    memcpy(words + 2, a->dims, 2 * (size_t)a->ndim * sizeof *words);
    return PyBytes_FromStringAndSize((const char *)words,
                                     (2 + 2 * (Py_ssize_t)a->ndim) * (Py_ssize_t)sizeof *words);
}

/* `bit` is one of the flags of the array, which the table names. */
static PyObject *
array_get_flag(PyObject *self, void *bit)
{
    return PyBool_FromLong(((GnpArray *)self)->flags & (int)(intptr_t)bit);
}

/* Made anew at each access, as the address or the stream may differ. */
static PyObject *
array_get_interface(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_interface_export((GnpArray *)self);
}

/* Above NumPy's 0, so that `numpy_array + a` is left to this class even by code that knows nothing
 * of __array_ufunc__. */
static PyObject *
array_get_priority(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    return PyFloat_FromDouble(100.0);
}

/* `_c_contiguous` and `_f_contiguous` spare code in Python the flags object. */
PyGetSetDef gnp_core_array_getset[] = {
    {"shape", array_get_shape, array_set_shape, "Length of each axis, as a tuple.", NULL},
    {"strides", array_get_strides, NULL, "Number of bytes between elements along each axis.", NULL},
    {"dtype", array_get_dtype, array_set_dtype, "Type of the elements, a NumPy dtype.", NULL},
    {"ndim", array_get_ndim, NULL, "Number of axes.", NULL},
    {"size", array_get_size, NULL, "Number of elements.", NULL},
    {"nbytes", array_get_nbytes, NULL, "Number of bytes of all elements.", NULL},
    {"itemsize", array_get_itemsize, NULL, "Number of bytes of an element.", NULL},
    {"T", array_get_T, NULL, "View with the axes reversed.", NULL},
    {"mT", array_get_mT, NULL, "View with the last two axes exchanged.", NULL},
    {"real", array_get_real, array_set_real, "Real part, as a view.", NULL},
    {"imag", array_get_imag, array_set_imag, "Imaginary part; a view for complex arrays.", NULL},
    {"flat", array_get_flat, array_set_flat,
     "Iterator over the elements in C order, which can be indexed.", NULL},
    {"flags", array_get_flags, NULL, "Flags of the memory layout, as in NumPy.", NULL},
    {"base", array_get_base, NULL, "Object that owns the memory of a view, or None.", NULL},
    {"device", array_get_device, NULL, "Device that holds the memory.", NULL},
    {"data", array_get_data, NULL, "Pointer to the first element, a cuda.MemoryPointer.", NULL},
    {"cstruct", array_get_cstruct, NULL, "Pointer, size, shape and strides as bytes, for kernels.",
     NULL},
    {"_c_contiguous", array_get_flag, NULL, "Same as flags.c_contiguous.",
     (void *)GNP_C_CONTIGUOUS},
    {"_f_contiguous", array_get_flag, NULL, "Same as flags.f_contiguous.",
     (void *)GNP_F_CONTIGUOUS},
    {"__cuda_array_interface__", array_get_interface, NULL, "CUDA Array Interface, version 3.",
     NULL},
    {"__array_priority__", array_get_priority, NULL, "Where binary operators defer by priority.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

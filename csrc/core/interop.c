/* What DLPack and the CUDA array interface share, and the latter itself (version 3).
 *
 * An exporter's description is not trusted: shapes and strides are checked for overflow, and both
 * ends of the memory are looked up with the driver before an array is made over it.
 *
 * Lifetimes: an array over foreign memory has the exporter as its base, which keeps the memory
 * alive. Ordering: the consumer's stream waits for the exporter's by an event; the host does not
 * wait.
 */
#include "core/core_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- streams --------------------------------------------------------------------------------- */

/* Waiting for oneself costs an event and two calls of the driver. */
static int
same_stream(CUstream a, CUstream b)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x == y || (x <= 1 && y <= 1); /* 0 and 1 are both the legacy default stream */
}

/* Events order work across devices too. */
int
gnp_stream_order(CUstream stream, CUstream waiter)
{
    CUevent event = NULL; /* owned */
    int ret = -1;
    if (same_stream(stream, waiter)) {
        return 0;
    }
    CU_TRY(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CU_TRY_QUEUE(cuEventRecord(event, stream));
    CU_TRY_QUEUE(cuStreamWaitEvent(waiter, event, 0));
    ret = 0;
fail:
    if (event != NULL) {
        CU_DROP(cuEventDestroy_v2(event)); /* the driver frees it when the wait is over */
    }
    return ret;
}

/* The handle is the consumer's or producer's word: the driver does not check it. */
static int
handle_from_int(PyObject *object, CUstream *out)
{
    void *handle;
    if (gnp_pointer_from_object(object, "stream", &handle) < 0) {
        return -1;
    }
    *out = handle;
    return 0;
}

/* ---- foreign memory -------------------------------------------------------------------------- */

/* The class of the exception is the protocol's: BufferError for DLPack, ValueError for the
 * other. */
static int
refuse(const Foreign *f, const char *why)
{
    PyErr_Format(f->error, "%s: %s", f->protocol, why);
    return -1;
}

/* The device that can reach `ptr`; -1 with an exception. A wrong address would otherwise show only
 * when a kernel faults, which ends the context. */
static int
device_of(const Foreign *f, CUdeviceptr ptr, int fallback)
{
    int type = 0, ordinal = -1;
    CUresult code = gnp_cu->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, ptr);
    if (code == 0 && type == CU_MEMORYTYPE_HOST) {
        return fallback; /* pinned: every device reaches it */
    }
    if (code == 0) {
        code = gnp_cu->cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr);
    }
    if (code == CUDA_ERROR_INVALID_VALUE || (code == 0 && ordinal < 0)) {
        return refuse(f, "the pointer and strides do not describe device memory");
    }
    return code == 0 ? ordinal : gnp_cuda_raise(code, "cuPointerGetAttribute", __func__);
}

/* Fills strides when there are none and checks every number; *low and *high become the byte range.
 * All numbers come from outside, so every product is checked. */
static int
check_layout(Foreign *f, int64_t *low, int64_t *high)
{
    int64_t size, nbytes, part, reach = 0;
    int64_t itemsize = gnp_dtypes[f->dtype].bytes;

    for (int i = 0; i < f->ndim; i++) {
        if (f->shape[i] < 0) {
            return refuse(f, "a negative length in the shape");
        }
    }
    if (gnp_layout_check(f->ndim, f->shape, itemsize, &size, &nbytes) < 0) {
        PyErr_Clear();
        return refuse(f, "the array is too big for this machine");
    }
    /* Filled in, so that everything after has strides. */
    if (!f->has_strides) {
        gnp_layout_fill_strides(f->ndim, f->shape, itemsize, 'C', f->strides);
    }
    for (int i = 0; i < f->ndim && size > 0; i++) {
        if (f->strides[i] == INT64_MIN ||
            gnp_mul_size(f->shape[i] - 1, llabs(f->strides[i]), &part) < 0 ||
            gnp_add_size(reach, part, &reach) < 0 || reach > INT64_MAX / 4) {
            return refuse(f, "the strides reach beyond the address space");
        }
    }
    f->size = size;
    gnp_layout_bounds(f->ndim, f->shape, f->strides, itemsize, low, high);
    if (size > 0 && (f->data > INT64_MAX / 2 || (int64_t)f->data + *low <= 0)) {
        return refuse(f, f->data == 0 ? "a null pointer"
                                      : "the memory lies outside the address space");
    }
    return 0;
}

/* Both ends are looked up: one allocation is on one device, so what lies between them is too. */
GnpArray *
gnp_foreign_array(Foreign *f, PyObject *owner)
{
    int64_t low, high;
    GnpDevice *device = gnp_device_current();
    if (device == NULL || check_layout(f, &low, &high) < 0) {
        return NULL;
    }
    int device_id = device->id;
    CUdeviceptr data = f->size == 0 ? 0 : f->data;
    if (f->size > 0) {
        CUdeviceptr first = data + (CUdeviceptr)low, last = data + (CUdeviceptr)high - 1;
        device_id = device_of(f, first, device->id);
        int last_id = device_id < 0 ? -1 : device_of(f, last, device->id);
        if (last_id < 0) {
            return NULL;
        }
        if (last_id != device_id) {
            refuse(f, "the memory spans two devices");
            return NULL;
        }
        if (f->device_id >= 0 && f->device_id != device_id) {
            PyErr_Format(f->error, "%s: the array says device %d, its memory is on device %d",
                         f->protocol, f->device_id, device_id);
            return NULL;
        }
        /* Makes the device known to the library, or raises. */
        if (gnp_device_get(device_id) == NULL) {
            return NULL;
        }
    }
    /* Without a pool: the block frees nothing, it only keeps the owner. */
    GnpBlock *block = gnp_block_wrap(data + (CUdeviceptr)(f->size == 0 ? 0 : low),
                                     (size_t)(high - low), device_id, owner);
    if (block == NULL) {
        return NULL;
    }
    GnpArray *a = gnp_array_from_block(block, data, f->ndim, f->shape, f->strides, f->dtype);
    if (a != NULL && f->read_only) {
        a->flags &= (int16_t)~GNP_WRITEABLE;
    }
    return a;
}

/* ---- __cuda_array_interface__: export -------------------------------------------------------- */

/* The fields of a structured dtype, as NumPy describes them; it has no description of fields that
 * overlap. */
static PyObject *
export_descr(const GnpArray *a, PyObject *typestr)
{
    if (gnp_is_structured(a->dtype)) {
        PyObject *descr = PyObject_GetAttrString(gnp_dtype_object((GnpDtype)a->dtype), "descr");
        if (descr != NULL || !PyErr_ExceptionMatches(PyExc_ValueError)) {
            return descr;
        }
        PyErr_Clear();
    }
    return Py_BuildValue("[(s,O)]", "", typestr);
}

/* Strides are None for C order, as the protocol prefers. The stream tells the consumer what to wait
 * for; version 3 forbids 0, so the legacy stream is 1. */
PyObject *
gnp_interface_export(GnpArray *a)
{
    PyObject *shape = NULL;   /* owned */
    PyObject *strides = NULL; /* owned */
    PyObject *typestr = NULL; /* owned */
    PyObject *descr = NULL;   /* owned */
    PyObject *ret = NULL;

    /* AttributeError, so that hasattr() is false and consumers try DLPack. */
    if (a->dtype == GNP_BF16) {
        PyErr_SetString(PyExc_AttributeError,
                        "the CUDA array interface has no bfloat16; use DLPack");
        return NULL;
    }
    GnpDevice *device = gnp_device_get(a->device_id);
    if (device == NULL) {
        return NULL;
    }
    uintptr_t stream = (uintptr_t)gnp_stream_current(device);
    a->block->is_exported = 1;
    GNP_NEW(shape, gnp_tuple_from_ints(a->ndim, gnp_shape(a)));
    GNP_NEW(strides, a->flags & GNP_C_CONTIGUOUS ? Py_NewRef(Py_None)
                                                 : gnp_tuple_from_ints(a->ndim, gnp_strides(a)));
    GNP_NEW(typestr, PyObject_GetAttrString(gnp_dtype_object((GnpDtype)a->dtype), "str"));
    GNP_NEW(descr, export_descr(a, typestr));
    ret = Py_BuildValue("{s:O,s:O,s:O,s:(K,O),s:O,s:i,s:K}", "shape", shape, "typestr", typestr,
                        "descr", descr, "data", a->size == 0 ? 0ull : a->data,
                        a->flags & GNP_WRITEABLE ? Py_False : Py_True, "strides", strides,
                        "version", 3, "stream", (unsigned long long)(stream == 0 ? 1 : stream));
fail:
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    Py_XDECREF(typestr);
    Py_XDECREF(descr);
    return ret;
}

/* ---- __cuda_array_interface__: import -------------------------------------------------------- */

/* Ints from a tuple or list: how many, or -1 with ValueError or TypeError. The length is read again
 * in the loop: a list could change while its items are read. */
static int
read_ints(PyObject *object, const char *what, int64_t *out)
{
    if (!PyTuple_Check(object) && !PyList_Check(object)) {
        PyErr_Format(PyExc_TypeError,
                     "__cuda_array_interface__: %s must be a tuple of int, not %.200s", what,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
    if (n > GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "__cuda_array_interface__: %s has more than %d items", what,
                     GNP_MAX_DIMS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n && i < PySequence_Fast_GET_SIZE(object); i++) {
        int overflow = 0;
        PyObject *item = PySequence_Fast_GET_ITEM(object, i);
        if (!PyLong_Check(item)) {
            PyErr_Format(PyExc_TypeError, "__cuda_array_interface__: %s must hold int, not %.200s",
                         what, Py_TYPE(item)->tp_name);
            return -1;
        }
        out[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
        if (overflow) {
            PyErr_Format(PyExc_ValueError, "__cuda_array_interface__: %s is out of range", what);
            return -1;
        }
    }
    return (int)n;
}

/* Pairs of another form, such as the null address of an empty array, are legal. */
static int
read_data(PyObject *data, Foreign *f)
{
    if (data == NULL || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2 ||
        !PyLong_Check(PyTuple_GET_ITEM(data, 0))) {
        PyErr_SetString(
            PyExc_TypeError,
            "__cuda_array_interface__: data must be a tuple (int pointer, bool read-only)");
        return -1;
    }
    uint64_t address;
    if (gnp_uint64_from_object(PyTuple_GET_ITEM(data, 0), "pointer", &address) < 0) {
        PyErr_SetString(PyExc_ValueError, "__cuda_array_interface__: the pointer is out of range");
        return -1;
    }
    f->data = address;
    f->read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1));
    return f->read_only < 0 ? -1 : 0;
}

/* A structured dtype from its description, which names also what lies between the fields. */
static GnpDtype
read_descr(PyObject *descr)
{
    PyObject *format = PyImport_ImportModule("numpy.lib.format");
    PyObject *dtype =
        format == NULL ? NULL : PyObject_CallMethod(format, "descr_to_dtype", "O", descr);
    const GnpDtype ret = dtype == NULL ? GNP_NO_DTYPE : gnp_stored_dtype_from_object(dtype);
    Py_XDECREF(format);
    Py_XDECREF(dtype);
    return ret;
}

/* [('', typestr)]: no more than typestr says. */
static int
is_plain_descr(PyObject *descr)
{
    if (descr == NULL || descr == Py_None) {
        return 1;
    }
    PyObject *item =
        PyList_Check(descr) && PyList_GET_SIZE(descr) == 1 ? PyList_GET_ITEM(descr, 0) : NULL;
    PyObject *name = item != NULL && PyTuple_Check(item) && PyTuple_GET_SIZE(item) > 0
                         ? PyTuple_GET_ITEM(item, 0)
                         : NULL;
    return name != NULL && PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) == 0;
}

/* NumPy's parser; dtypes that arrays here cannot have raise TypeError. Of a structured dtype the
 * string has the size alone. */
static int
read_typestr(PyObject *typestr, PyObject *descr, Foreign *f)
{
    if (typestr == NULL || !PyUnicode_Check(typestr)) {
        PyErr_SetString(PyExc_TypeError, "__cuda_array_interface__: typestr must be a str");
        return -1;
    }
    f->dtype = gnp_stored_dtype_from_object(typestr);
    if (f->dtype == GNP_NO_DTYPE || !gnp_is_structured(f->dtype) || is_plain_descr(descr)) {
        return f->dtype == GNP_NO_DTYPE ? -1 : 0;
    }
    const int32_t bytes = gnp_dtypes[f->dtype].bytes;
    f->dtype = read_descr(descr);
    if (f->dtype != GNP_NO_DTYPE && gnp_dtypes[f->dtype].bytes != bytes) {
        PyErr_Format(PyExc_ValueError,
                     "__cuda_array_interface__: descr has elements of %d bytes, typestr %d",
                     gnp_dtypes[f->dtype].bytes, bytes);
        return -1;
    }
    return f->dtype == GNP_NO_DTYPE ? -1 : 0;
}

/* Makes this thread's current stream wait for the exporter's stream.
 * GPUNP_CUDA_ARRAY_INTERFACE_SYNC=0 switches it off, for programs that order streams
 * themselves. */
static int
wait_for_exporter(PyObject *stream)
{
    if (stream == NULL || stream == Py_None || gnp_env_int(GNP_ENV_CAI_SYNC) == 0) {
        return 0;
    }
    CUstream handle;
    if (!PyLong_Check(stream) || PyBool_Check(stream)) {
        PyErr_SetString(PyExc_TypeError, "__cuda_array_interface__: stream must be None or an int");
        return -1;
    }
    if (handle_from_int(stream, &handle) < 0) {
        PyErr_SetString(PyExc_ValueError, "__cuda_array_interface__: the stream is out of range");
        return -1;
    }
    if (handle == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "__cuda_array_interface__: stream 0 is disallowed (ambiguous)");
        return -1;
    }
    GnpDevice *device = gnp_device_current();
    return device == NULL ? -1 : gnp_stream_order(handle, gnp_stream_current(device));
}

/* Keys of later versions are ignored. */
static int
read_interface(PyObject *d, Foreign *f)
{
    PyObject *shape = PyDict_GetItemWithError(d, gnp_state.str_shape);
    PyObject *strides = PyDict_GetItemWithError(d, gnp_state.str_strides);
    PyObject *mask = PyDict_GetItemWithError(d, gnp_state.str_mask);
    PyObject *version = PyDict_GetItemWithError(d, gnp_state.str_version);
    PyObject *typestr = PyDict_GetItemWithError(d, gnp_state.str_typestr);
    PyObject *descr = PyDict_GetItemWithError(d, gnp_state.str_descr);
    PyObject *data = PyDict_GetItemWithError(d, gnp_state.str_data);
    if (PyErr_Occurred()) { /* of comparing keys that are no str */
        return -1;
    }
    if (version == NULL || !PyLong_Check(version) || shape == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "__cuda_array_interface__: shape and version are required");
        return -1;
    }
    if (mask != NULL && mask != Py_None) {
        PyErr_SetString(PyExc_BufferError,
                        "__cuda_array_interface__: masked arrays are not supported");
        return -1;
    }
    f->ndim = read_ints(shape, "shape", f->shape);
    if (f->ndim < 0 || read_typestr(typestr, descr, f) < 0 || read_data(data, f) < 0) {
        return -1;
    }
    if (strides != NULL && strides != Py_None) {
        int n = read_ints(strides, "strides", f->strides);
        if (n >= 0 && n != f->ndim) {
            PyErr_SetString(PyExc_ValueError,
                            "__cuda_array_interface__: strides and shape differ in length");
        }
        if (n != f->ndim) {
            return -1;
        }
        f->has_strides = 1;
    }
    return 0;
}

GnpArray *
gnp_interface_import(PyObject *owner, PyObject *description)
{
    Foreign f = {
        .protocol = "__cuda_array_interface__", .error = PyExc_ValueError, .device_id = -1};
    if (!PyDict_Check(description)) {
        PyErr_Format(PyExc_TypeError, "__cuda_array_interface__ must be a dict, not %.200s",
                     Py_TYPE(description)->tp_name);
        return NULL;
    }
    /* A copy owns the values, whatever the program does to its dictionary meanwhile: parsing a
     * dtype and waiting may run Python code. */
    PyObject *kept = PyDict_Copy(description); /* owned */
    if (kept == NULL) {
        return NULL;
    }
    GnpArray *a = read_interface(kept, &f) < 0 ? NULL : gnp_foreign_array(&f, owner);
    PyObject *stream = a == NULL ? NULL : PyDict_GetItemWithError(kept, gnp_state.str_stream);
    if (a != NULL && (PyErr_Occurred() || wait_for_exporter(stream) < 0)) {
        Py_CLEAR(a);
    }
    Py_DECREF(kept);
    return a;
}

/* Any object to an array, and an array to host memory.
 *
 * Nested lists are converted by NumPy on the host and uploaded in one copy, unless they contain
 * device arrays: those are stacked on the device. Hostile nesting (lists that contain themselves,
 * shared sublists that multiply) is found by a scan of bounded cost before NumPy sees the list.
 *
 * gnp_array_from_object() is what asarray(), operators and functions call for arguments of any
 * kind. Order of attempts: our own arrays, exporters of device memory (DLPack, then the CUDA array
 * interface), lists, and everything else through NumPy on the host.
 */
#include "core/core_internal.h"

#include <string.h>

/* ---- devices --------------------------------------------------------------------------------- */

/* Always -1, so that callers can return it. */
int
gnp_device_mismatch(int have, int want, const char *what)
{
    PyErr_Format(PyExc_ValueError,
                 "%s is on device %d, but the array is on device %d; move one of them (to_device, "
                 "or asarray inside `with cuda.Device(...)`)",
                 what, have, want);
    return -1;
}

/* Cheap when the device is current already, which is nearly always. */
int
gnp_array_enter(const GnpArray *a, int *previous)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    *previous = device->id;
    return GNP_LIKELY(device->id == a->device_id) ? 0 : gnp_device_set_current(a->device_id);
}

/* Called on error paths too: a pending exception is kept. */
void
gnp_array_leave(const GnpArray *a, int previous)
{
    if (GNP_UNLIKELY(a->device_id != previous)) {
        gnp_device_restore(previous);
    }
}

/* In one kernel or memcpy, on the array's device. */
GnpArray *
gnp_array_copy(GnpArray *src, char order)
{
    return gnp_astype(src, (GnpDtype)src->dtype, order);
}

/* ---- to the host ----------------------------------------------------------------------------- */

/* The one place where values come to the host for bool(), int() and the like. */
int
gnp_array_read_element(GnpArray *a, GnpScalar *out)
{
    assert(a->size == 1);
    int previous;
    memset(out, 0, sizeof *out);
    if (GNP_UNLIKELY(gnp_is_structured(a->dtype))) { /* larger than `out` */
        return gnp_refuse_unit("reading one number", a->dtype);
    }
    if (gnp_array_enter(a, &previous) < 0) {
        return -1;
    }
    GnpDevice *device = gnp_device_get(a->device_id);
    int status = -1;
    if (device != NULL) {
        CUstream stream = gnp_stream_current(device);
        gnp_block_record(a->block, stream);
        status = gnp_copy_d2h(out, a->data, (size_t)gnp_itemsize(a), stream);
    }
    gnp_array_leave(a, previous);
    return status;
}

/* gnp_array_to_numpy once a's device is current. A copy to the host moves contiguous memory, so
 * other layouts are made contiguous on the device first, which is faster than gathering on the
 * host. */
static PyObject *
to_numpy_here(GnpArray *a, char order)
{
    GnpArray *dense = NULL; /* owned */
    PyObject *host = NULL;  /* owned */
    PyObject *ret = NULL;
    GnpHostView view;

    int c = a->flags & GNP_C_CONTIGUOUS, f = a->flags & GNP_F_CONTIGUOUS;
    int fortran = order == 'F' || ((order == 'A' || order == 'K') && f && !c);
    if (fortran ? f : c) {
        dense = (GnpArray *)Py_NewRef((PyObject *)a);
    }
    else {
        GNP_NEW(dense, gnp_array_copy(a, fortran ? 'F' : 'C'));
    }
    GNP_NEW(host, gnp_npy_empty(a->ndim, gnp_shape(a), (GnpDtype)a->dtype, fortran));
    if (a->size > 0) {
        GnpDevice *device = gnp_device_get(a->device_id);
        if (device == NULL) {
            goto fail;
        }
        CUstream stream = gnp_stream_current(device);
        gnp_npy_view(host, &view);
        gnp_block_record(dense->block, stream);
        GNP_TRY(gnp_copy_d2h(view.data, dense->data, (size_t)gnp_array_nbytes(a), stream));
    }
    ret = Py_NewRef(host);
fail:
    Py_XDECREF((PyObject *)dense);
    Py_XDECREF(host);
    return ret;
}

/* The result has order 'F' for 'A' and 'K' only where the array is Fortran-contiguous alone. */
PyObject *
gnp_array_to_numpy(GnpArray *a, char order)
{
    int previous;
    if (gnp_array_enter(a, &previous) < 0) {
        return NULL;
    }
    PyObject *host = to_numpy_here(a, order);
    gnp_array_leave(a, previous);
    return host;
}

/* ---- nested lists ---------------------------------------------------------------------------- */

typedef struct {
    PyObject *path[GNP_MAX_DIMS + 1]; /* borrowed: the enclosing lists */
    int depth;
    int64_t visited; /* list items looked at */
    int64_t product; /* product of the lengths along the first path: the items NumPy will visit */
    int has_arrays;  /* a device array is among the leaves */
    int on_first_path;
    /* One scan's state, on the stack: it visits each list once per place where it stands. */
} Scan;

/* Both are sequences of items for NumPy; strings and other sequences are not looked into. */
static int
is_list(PyObject *object)
{
    return PyList_Check(object) || PyTuple_Check(object);
}

/* Finds device arrays; raises for self-nesting and for a depth beyond 64. A sublist that is the
 * same object as the one before it is not visited again, so `l = [l, l]` repeated 40 times costs 40
 * visits, not 2^40. */
static int
scan_list(Scan *scan, PyObject *list)
{
    for (int i = 0; i < scan->depth; i++) {
        if (scan->path[i] == list) {
            PyErr_SetString(PyExc_ValueError, "a list that contains itself is no array");
            return -1;
        }
    }
    if (scan->depth == GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "lists nested more than %d deep are no array", GNP_MAX_DIMS);
        return -1;
    }
    PyObject *previous = NULL;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
    int first = scan->on_first_path;
    /* NumPy visits as many items as the product says, since it cannot know that sublists are one
     * object. */
    if (first && gnp_mul_size(scan->product, n, &scan->product) < 0) {
        scan->product = INT64_MAX;
    }
    /* Only enclosing lists are compared: the same list twice side by side is legal. */
    scan->path[scan->depth++] = list;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(list, i);
        scan->visited++;
        scan->on_first_path = first && i == 0;
        if (item != previous && is_list(item)) {
            Py_INCREF(item); /* a signal handler may change the list, or another thread meanwhile */
            const int status = scan_list(scan, item);
            Py_DECREF(item);
            if (status < 0) {
                return -1;
            }
        }
        else if (gnp_array_check(item)) {
            scan->has_arrays = 1;
        }
        previous = item;
    }
    scan->depth--;
    if ((scan->visited & 0xfffff) == 0 && PyErr_CheckSignals() < 0) {
        return -1;
    }
    return 0;
}

/* Shape and dtype of a list that contains arrays, following the first item of each level. The first
 * path decides; stack_into() finds the places that do not fit it. */
static int
stacked_shape(PyObject *object, int *ndim, int64_t *shape)
{
    while (is_list(object)) {
        if (*ndim == GNP_MAX_DIMS) {
            PyErr_SetString(PyExc_ValueError, "the stacked array would have too many dimensions");
            return -1;
        }
        shape[(*ndim)++] = PySequence_Fast_GET_SIZE(object);
        if (PySequence_Fast_GET_SIZE(object) == 0) {
            return 0;
        }
        object = PySequence_Fast_GET_ITEM(object, 0);
    }
    Py_INCREF(object); /* converting it may run code that changes the list */
    GnpArray *leaf = gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
    Py_DECREF(object);
    if (leaf == NULL) {
        return -1;
    }
    int too_many = *ndim + leaf->ndim > GNP_MAX_DIMS;
    if (!too_many) {
        memcpy(shape + *ndim, gnp_shape(leaf), (size_t)leaf->ndim * sizeof *shape);
        *ndim += leaf->ndim;
    }
    else {
        PyErr_SetString(PyExc_ValueError, "the stacked array would have too many dimensions");
    }
    Py_DECREF((PyObject *)leaf);
    return too_many ? -1 : 0;
}

/* Joins the dtype of every leaf into *dtype. Python numbers become arrays here, so they promote as
 * NumPy's defaults (int64, float64): in a list they are no weak scalars. */
static int
stacked_dtype(PyObject *object, GnpDtype *dtype)
{
    GnpDtype own;
    if (is_list(object)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); i++) {
            PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(object, i));
            int status = stacked_dtype(item, dtype);
            Py_DECREF(item);
            if (status < 0) {
                return -1;
            }
        }
        return 0;
    }
    if (gnp_array_check(object)) {
        own = (GnpDtype)((GnpArray *)object)->dtype;
    }
    else {
        GnpArray *leaf = gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
        if (leaf == NULL) {
            return -1;
        }
        own = (GnpDtype)leaf->dtype;
        Py_DECREF((PyObject *)leaf);
    }
    GnpDtype joined = *dtype == GNP_NO_DTYPE ? own : gnp_promote(*dtype, own);
    if (joined == GNP_NO_DTYPE) {
        PyErr_Format(PyExc_TypeError, "no common dtype for %s and %s", gnp_dtypes[*dtype].name,
                     gnp_dtypes[own].name);
        return -1;
    }
    *dtype = joined;
    return 0;
}

/* One copy per leaf: such lists are short. */
static int
stack_into(GnpArray *dst, PyObject *object)
{
    if (!is_list(object)) {
        int ndim = -1;
        if (gnp_array_check(object)) {
            ndim = ((GnpArray *)object)->ndim;
        }
        if (ndim < 0 ? dst->ndim != 0 && gnp_weak_kind(object) != GNP_WEAK_NONE
                     : ndim != dst->ndim) {
            PyErr_SetString(PyExc_ValueError,
                            "setting an array element with a sequence. The requested array has an "
                            "inhomogeneous shape");
            return -1;
        }
        return gnp_array_assign(dst, object);
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
    if (dst->ndim == 0 || n != gnp_shape(dst)[0]) {
        PyErr_SetString(PyExc_ValueError,
                        "setting an array element with a sequence. The requested array has an "
                        "inhomogeneous shape");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (i >= PySequence_Fast_GET_SIZE(object)) {
            PyErr_SetString(PyExc_ValueError, "the list changed its length while it was read");
            return -1;
        }
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(object, i));
        GnpArray *row =
            gnp_array_view(dst, dst->data + (CUdeviceptr)(i * gnp_strides(dst)[0]), dst->ndim - 1,
                           gnp_shape(dst) + 1, gnp_strides(dst) + 1, (GnpDtype)dst->dtype);
        int status = row == NULL ? -1 : stack_into(row, item);
        Py_XDECREF((PyObject *)row);
        Py_DECREF(item);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* Everything stays on the device; only Python numbers among the leaves are uploaded. */
static GnpArray *
from_list_with_arrays(PyObject *list, GnpDtype dtype, char order)
{
    int ndim = 0;
    int64_t shape[GNP_MAX_DIMS];
    if (stacked_shape(list, &ndim, shape) < 0 ||
        (dtype == GNP_NO_DTYPE && stacked_dtype(list, &dtype) < 0)) {
        return NULL;
    }
    if (gnp_has_unit(dtype)) { /* possibly without a unit: the items have one */
        GnpDtype own = GNP_NO_DTYPE;
        if (stacked_dtype(list, &own) < 0) {
            return NULL;
        }
        dtype = own == GNP_NO_DTYPE ? dtype : gnp_wanted_dtype(dtype, own);
    }
    GnpArray *a = gnp_array_new(ndim, shape, dtype, order == 'F' ? 'F' : 'C');
    if (a != NULL && stack_into(a, list) < 0) {
        Py_CLEAR(a);
    }
    return a;
}

/* NumPy would not end, or would use up the stack or the memory, on the lists that are refused
 * here. */
int
gnp_check_list(PyObject *list)
{
    Scan scan;
    if (!is_list(list)) {
        return 0;
    }
    memset(&scan, 0, sizeof scan);
    scan.product = 1;
    scan.on_first_path = 1;
    if (scan_list(&scan, list) < 0) {
        return -1;
    }
    /* Only for products that would keep NumPy busy for seconds, and only when most of it is
     * repetition. */
    if (!scan.has_arrays && scan.product > (int64_t)1 << 24 && scan.product / 4 > scan.visited) {
        PyErr_Format(PyExc_ValueError,
                     "a nested list of %lld elements out of %lld list items is no sensible array",
                     (long long)scan.product, (long long)scan.visited);
        return -1;
    }
    return scan.has_arrays ? 2 : 1;
}

/* For Python code that hands a list to NumPy by itself. */
PyObject *
gnp_checked_list(PyObject *Py_UNUSED(module), PyObject *object)
{
    return gnp_check_list(object) < 0 ? NULL : Py_NewRef(object);
}

/* NumPy decides dtype and shape, and raises its own errors for ragged lists. */
static GnpArray *
from_list(PyObject *list, GnpDtype dtype, char order)
{
    PyObject *host = NULL; /* owned */
    GnpArray *ret = NULL;
    int found = gnp_check_list(list);
    if (found < 0) {
        return NULL;
    }
    if (found == 2) {
        return from_list_with_arrays(list, dtype, order);
    }
    /* One upload for the whole list. */
    GNP_NEW(host, gnp_npy_asarray(list, dtype, 0));
    ret = gnp_array_from_numpy(host, dtype, order);
fail:
    Py_XDECREF(host);
    return ret;
}

/* ---- any object ------------------------------------------------------------------------------ */

/* 'K' fits any layout. */
static int
order_fits(const GnpArray *a, char order)
{
    switch (order) {
    case 'C':
        return a->flags & GNP_C_CONTIGUOUS;
    case 'F':
        return a->flags & GNP_F_CONTIGUOUS;
    case 'A':
        return a->flags & (GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS);
    default:
        return 1;
    }
}

/* NumPy's message for copy=False. */
static GnpArray *
raise_copy_needed(void)
{
    PyErr_SetString(PyExc_ValueError,
                    "Unable to avoid copy while creating an array as requested. Use copy=None to "
                    "allow one.");
    return NULL;
}

/* `a` (stolen) with the requested dtype and order, copied if requested. `owned`: its memory is not
 * shared. One exit for all sources. Changes of dtype and order, and the requested copy, are made in
 * one pass. */
static GnpArray *
finish(GNP_STEAL GnpArray *a, GnpDtype dtype, GnpCopyMode copy, char order, int owned)
{
    GnpDevice *here = gnp_device_current();
    GnpArray *result = NULL;
    if (dtype == GNP_NO_DTYPE) {
        dtype = (GnpDtype)a->dtype;
    }
    if (here == NULL) {
        goto done;
    }
    dtype = gnp_wanted_dtype(dtype, (GnpDtype)a->dtype);
    int moved = a->device_id != here->id;
    int change = dtype != (GnpDtype)a->dtype || !order_fits(a, order);
    if (copy == GNP_COPY_NEVER && (moved || change)) {
        raise_copy_needed();
        goto done;
    }
    if (moved) {
        GnpArray *local = gnp_array_to_current_device(a);
        if (local == NULL) {
            goto done;
        }
        Py_SETREF(a, local);
        owned = 1;
    }
    if (change || (copy == GNP_COPY_ALWAYS && !owned)) {
        if (gnp_warn_if_discarded(a->dtype, dtype) < 0) {
            goto done;
        }
        result = gnp_astype(a, dtype, order);
    }
    else {
        result = (GnpArray *)Py_NewRef((PyObject *)a);
    }
done:
    Py_DECREF((PyObject *)a);
    return result;
}

/* The array that an object of CuPy's protocol, __cupy_get_ndarray__, stands for: 1 with the array
 * in *out, 0 for other objects, -1 with an exception. */
static int
from_cupy_getter(PyObject *object, GnpArray **out)
{
    if (!PyObject_HasAttrString((PyObject *)Py_TYPE(object), "__cupy_get_ndarray__")) {
        return 0;
    }
    PyObject *array = PyObject_CallMethod(object, "__cupy_get_ndarray__", NULL);
    if (array != NULL && !gnp_array_check(array)) {
        PyErr_Format(PyExc_TypeError, "__cupy_get_ndarray__ must return a gpunp array, not %.200s",
                     Py_TYPE(array)->tp_name);
        Py_CLEAR(array);
    }
    *out = (GnpArray *)array;
    return array == NULL ? -1 : 1;
}

/* The array of an object with one of the protocols: 1 and *out (owned), 0 if it has none, -1. The
 * common types are told apart by their type alone, since looking up attributes that do not exist is
 * slow. DLPack comes first, because it orders streams; a refusal (BufferError) leaves the older
 * protocol to try. */
static int
from_exporter(PyObject *object, GnpArray **out)
{
    int type, id;
    PyTypeObject *cls = Py_TYPE(object);
    PyObject *description;
    *out = NULL;

    if (cls == &PyLong_Type || cls == &PyFloat_Type || is_list(object) ||
        gnp_is_numpy_array(object) || gnp_is_numpy_scalar(object)) {
        return 0;
    }
    if (PyObject_HasAttr((PyObject *)cls, gnp_state.str___dlpack_device__)) {
        if (gnp_dlpack_device(object, &type, &id) < 0) {
            return -1;
        }
        if (type == 2 || type == 13) { /* kDLCUDA, kDLCUDAManaged */
            *out = gnp_dlpack_import(object, NULL, NULL);
            if (*out != NULL) {
                return 1;
            }
            if (!PyErr_ExceptionMatches(PyExc_BufferError)) {
                return -1;
            }
            PyErr_Clear(); /* it may still support the other protocol */
        }
    }
    description = PyObject_GetAttr(object, gnp_state.str___cuda_array_interface__);
    if (description == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
        return from_cupy_getter(object, out);
    }
    *out = gnp_interface_import(object, description);
    Py_DECREF(description);
    return *out == NULL ? -1 : 1;
}

GnpArray *
gnp_array_from_object(PyObject *object, GnpDtype dtype, GnpCopyMode copy, char order)
{
    GnpArray *a;
    if (gnp_array_check(object)) {
        return finish((GnpArray *)Py_NewRef(object), dtype, copy, order, 0);
    }
    int exported = from_exporter(object, &a);
    if (exported != 0) {
        return exported < 0 ? NULL : finish(a, dtype, copy, order, 0);
    }
    if (copy == GNP_COPY_NEVER) {
        return raise_copy_needed();
    }
    a = gnp_flatiter_check(object) ? gnp_flatiter_copy(object)
        : is_list(object)          ? from_list(object, dtype, order)
                                   : gnp_array_from_numpy(object, dtype, order);
    return a == NULL ? NULL : finish(a, dtype, copy, order, 1);
}

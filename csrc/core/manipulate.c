/* Methods that give the same memory another shape: reshape, transpose, view and so on.
 *
 * Each returns a view where the layout allows it, a copy where not.
 *
 * Nothing here launches a kernel unless a copy is needed. The gnp_array_* functions at the top are
 * used by other files; the methods below bind arguments.
 *
 * A view shares the block of memory and has the array as its base, so the memory lives as long
 * as any view. All methods hold the GIL and wait for nothing.
 */
#include "core/core_internal.h"

#include <string.h>

/* ---- operations ------------------------------------------------------------------------------ */

/* `copy`: 0 as needed, 1 always, -1 never. `shape` may hold one -1, which is resolved in place. */
GnpArray *
gnp_array_reshape(GnpArray *a, int ndim, int64_t *shape, char order, int copy)
{
    int64_t strides[GNP_MAX_DIMS];
    GnpArray *dense = NULL; /* owned */
    GnpArray *ret = NULL;

    if (order == 'K') {
        PyErr_SetString(PyExc_ValueError, "order 'K' is not permitted for reshaping");
        return NULL;
    }
    /* 'A' means Fortran order only for arrays that are Fortran-contiguous and not C-contiguous. */
    if (order == 'A') {
        order = !(a->flags & GNP_C_CONTIGUOUS) && a->flags & GNP_F_CONTIGUOUS ? 'F' : 'C';
    }
    /* Raises where the sizes differ. */
    GNP_TRY(gnp_layout_resolve_unknown(a->size, ndim, shape));
    /* A view wherever the strides allow one. */
    if (copy <= 0 && gnp_layout_reshape(a, ndim, shape, order, strides)) {
        return gnp_array_view(a, a->data, ndim, shape, strides, (GnpDtype)a->dtype);
    }
    if (copy < 0) {
        PyErr_SetString(PyExc_ValueError, "Unable to avoid creating a copy while reshaping.");
        goto fail;
    }
    /* Dense in the requested order, so the new shape fits without another copy. */
    GNP_NEW(dense, gnp_array_copy(a, order));
    gnp_layout_fill_strides(ndim, shape, gnp_itemsize(a), order, strides);
    ret = gnp_array_view(dense, dense->data, ndim, shape, strides, (GnpDtype)a->dtype);
    if (ret != NULL) {
        Py_CLEAR(ret->base); /* nothing else refers to the copy: the result owns its memory */
    }
fail:
    Py_XDECREF((PyObject *)dense);
    return ret;
}

/* A view where the elements are dense in memory, else a copy in the order of iteration. */
static GnpArray *
ravel_in_memory_order(GnpArray *a)
{
    int64_t size = a->size, stride = gnp_itemsize(a);
    const int64_t *strides = gnp_strides(a);
    int fastest_first[GNP_MAX_DIMS], axes[GNP_MAX_DIMS];

    if (gnp_layout_is_dense(a->ndim, gnp_shape(a), strides, stride)) {
        return gnp_array_view(a, a->data, 1, &size, &stride, (GnpDtype)a->dtype);
    }
    /* Transposed to the order in memory, the array is one that order 'C' reads as it lies. */
    gnp_iteration_order(a->ndim, gnp_shape(a), 1, &strides, fastest_first);
    for (int i = 0; i < a->ndim; i++) {
        axes[i] = fastest_first[a->ndim - 1 - i];
    }
    GnpArray *ordered = gnp_array_transpose(a, axes); /* owned */
    GnpArray *ret = ordered == NULL ? NULL : gnp_array_ravel(ordered, 'C');
    Py_XDECREF((PyObject *)ordered);
    return ret;
}

/* Always contiguous: programs pass its pointer to kernels. NumPy returns a strided view in some
 * cases where this copies. */
GnpArray *
gnp_array_ravel(GnpArray *a, char order)
{
    int64_t size = a->size;
    if (order == 'K') {
        /* Contiguous arrays need no analysis of their strides. */
        int f = !(a->flags & GNP_C_CONTIGUOUS) && a->flags & GNP_F_CONTIGUOUS;
        if (!f && !(a->flags & GNP_C_CONTIGUOUS)) {
            return ravel_in_memory_order(a);
        }
        order = f ? 'F' : 'C';
    }
    GnpArray *line = gnp_array_reshape(a, 1, &size, order, 0);
    if (line != NULL && !(line->flags & GNP_C_CONTIGUOUS)) { /* a view with steps */
        Py_SETREF(line, gnp_array_copy(line, 'C'));
    }
    return line;
}

/* NULL reverses the axes; other axes have been checked by the caller. */
GnpArray *
gnp_array_transpose(GnpArray *a, const int *axes)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    for (int i = 0; i < a->ndim; i++) {
        int axis = axes == NULL ? a->ndim - 1 - i : axes[i];
        shape[i] = gnp_shape(a)[axis];
        strides[i] = gnp_strides(a)[axis];
    }
    return gnp_array_view(a, a->data, a->ndim, shape, strides, (GnpDtype)a->dtype);
}

/* Only the last axis may change its length; alignment may get lost, and is then handled where the
 * array is read. */
GnpArray *
gnp_array_view_dtype(GnpArray *a, PyTypeObject *subtype, GnpDtype dtype)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int64_t have = gnp_itemsize(a), want = gnp_dtypes[dtype].bytes;
    int last = a->ndim - 1;

    memcpy(shape, gnp_shape(a), (size_t)a->ndim * sizeof *shape);
    memcpy(strides, gnp_strides(a), (size_t)a->ndim * sizeof *strides);
    /* The bytes stay the same, so only the last axis can take up the difference. */
    if (have != want) {
        if (a->ndim == 0) {
            PyErr_SetString(PyExc_ValueError,
                            "Changing the dtype of a 0d array is only supported if "
                            "the itemsize is unchanged");
            return NULL;
        }
        /* Neighbouring elements are merged or split, so they have to be neighbours in memory. */
        if (shape[last] != 1 && a->size != 0 && strides[last] != have) {
            PyErr_SetString(PyExc_ValueError, "To change to a dtype of a different size, the last "
                                              "axis must be contiguous");
            return NULL;
        }
        if (want < have && have % want != 0) {
            PyErr_SetString(PyExc_ValueError,
                            "When changing to a smaller dtype, its size must be a divisor of the "
                            "size of original dtype");
            return NULL;
        }
        if (want > have && shape[last] * have % want != 0) {
            PyErr_SetString(PyExc_ValueError,
                            "When changing to a larger dtype, its size must be a divisor of the "
                            "total size in bytes of the last axis of the array.");
            return NULL;
        }
        shape[last] = shape[last] * have / want;
        strides[last] = want;
    }
    return gnp_array_view_as(a, subtype, a->data, a->ndim, shape, strides, dtype);
}

/* A view with twice the stride of its item: real and imaginary parts alternate in memory. */
GnpArray *
gnp_array_part(GnpArray *a, int imaginary)
{
    GnpDtype dtype = gnp_dtypes[a->dtype].real;
    assert(gnp_dtypes[a->dtype].cls == 'c');
    CUdeviceptr data = a->data + (imaginary ? gnp_dtypes[dtype].bytes : 0);
    return gnp_array_view(a, data, a->ndim, gnp_shape(a), gnp_strides(a), dtype);
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* (2, 3), [2, 3] or the separate arguments 2, 3. A tuple is made for the second form only. */
static int
shape_from_args(PyObject *const *args, Py_ssize_t nargs, int64_t *shape)
{
    /* One argument may be an int as well as a sequence. */
    if (nargs == 1) {
        return gnp_shape_from_object(args[0], shape);
    }
    PyObject *tuple = PyTuple_New(nargs);
    for (Py_ssize_t i = 0; tuple != NULL && i < nargs; i++) {
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
    }
    int ndim = tuple == NULL ? -1 : gnp_shape_from_object(tuple, shape);
    Py_XDECREF(tuple);
    return ndim;
}

/* Numbers beyond Py_ssize_t raise ValueError. */
static int
axis_from_object(PyObject *object, int ndim, int *axis)
{
    Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_ValueError);
    if (value == -1 && PyErr_Occurred()) {
        return -1;
    }
    return gnp_normalize_axis(value, ndim, axis);
}

/* Reading an axis may run Python code (__index__) that gives the array another shape. */
static int
check_unchanged(const GnpArray *a, int one, int two)
{
    if (one < a->ndim && two < a->ndim) {
        return 0;
    }
    PyErr_SetString(PyExc_ValueError, "the array changed its shape while its axes were read");
    return -1;
}

/* ---- methods --------------------------------------------------------------------------------- */

PyDoc_STRVAR(reshape_doc,
             "reshape($self, /, *shape, order='C', copy=None)\n--\n\n"
             "Return an array with the same elements and another shape: a view if possible.\n\n"
             "Parameters\n----------\n"
             "*shape : int, or a tuple of them\n"
             "    New shape. One length may be -1; it is computed from the others.\n"
             "order : {'C', 'F', 'A'}, optional\n"
             "    Order in which elements are read and placed; 'A' is 'F' for Fortran-contiguous\n"
             "    arrays.\n"
             "copy : bool, optional\n"
             "    If True, always copy; if False, raise ValueError if a view is not possible.\n\n"
             "Returns\n-------\n"
             "ndarray\n    A view if the memory layout allows it, otherwise a copy.\n\n"
             "Raises\n------\n"
             "ValueError\n    If the sizes differ.\n\n"
             "Examples\n--------\n"
             ">>> import gpunp as cp\n"
             ">>> cp.arange(6).reshape(2, -1).shape\n"
             "(2, 3)");

/* Bound by hand: any number of positional arguments, and keywords. */
static PyObject *
array_reshape(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    int64_t shape[GNP_MAX_DIMS];
    char order = 'C';
    int copy = 0;
    PyObject *shape_keyword = NULL; /* borrowed */
    Py_ssize_t nkeywords = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);

    for (Py_ssize_t i = 0; i < nkeywords; i++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, i);
        PyObject *value = args[nargs + i];
        if (PyUnicode_CompareWithASCIIString(name, "order") == 0) {
            if (gnp_order_from_object(value, 'C', &order) < 0) {
                return NULL;
            }
        }
        else if (PyUnicode_CompareWithASCIIString(name, "copy") == 0) {
            GnpCopyMode mode;
            if (gnp_copy_mode_from_object(value, GNP_COPY_IF_NEEDED, &mode) < 0) {
                return NULL;
            }
            copy = mode == GNP_COPY_IF_NEEDED ? 0 : mode == GNP_COPY_ALWAYS ? 1 : -1;
        }
        else if (PyUnicode_CompareWithASCIIString(name, "shape") == 0 && nargs == 0) {
            shape_keyword = value;
        }
        else {
            PyErr_Format(PyExc_TypeError, "reshape() got an unexpected keyword argument '%U'",
                         name);
            return NULL;
        }
    }
    if (nargs == 0 && shape_keyword == NULL) {
        PyErr_SetString(PyExc_TypeError, "reshape() takes exactly 1 argument (0 given)");
        return NULL;
    }
    /* `shape=` is a name of NumPy 2.1; both forms parse alike. */
    int ndim = shape_keyword != NULL ? gnp_shape_from_object(shape_keyword, shape)
                                     : shape_from_args(args, nargs, shape);
    return ndim < 0 ? NULL
                    : (PyObject *)gnp_array_reshape((GnpArray *)self, ndim, shape, order, copy);
}

/* order='K' reads the elements as they lie in memory. */
static PyObject *
array_ravel(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("ravel(order='C')");
    PyObject *given[1];
    char order;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 ||
        gnp_order_from_object(given[0], 'C', &order) < 0) {
        return NULL;
    }
    return (PyObject *)gnp_array_ravel((GnpArray *)self, order);
}

/* A result of ravel() that has a base is a view, and is copied; the others are new already. */
static PyObject *
array_flatten(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("flatten(order='C')");
    PyObject *given[1];
    char order;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 ||
        gnp_order_from_object(given[0], 'C', &order) < 0) {
        return NULL;
    }
    GnpArray *line = gnp_array_ravel((GnpArray *)self, order);
    if (line != NULL && line->base != NULL) {
        GnpArray *copy = gnp_array_copy(line, 'C');
        Py_DECREF((PyObject *)line);
        line = copy;
    }
    return (PyObject *)line;
}

PyDoc_STRVAR(transpose_doc, "transpose($self, /, *axes)\n--\n\n"
                            "Return a view with the axes permuted; reversed if none are given.\n\n"
                            "Parameters\n----------\n"
                            "*axes : int, or a tuple of them\n    New order of the axes.\n\n"
                            "Returns\n-------\n"
                            "ndarray\n    A view of the input.\n\n"
                            "Raises\n------\n"
                            "ValueError\n    If an axis is missing or given twice.\n\n"
                            "Examples\n--------\n"
                            ">>> import gpunp as cp\n"
                            ">>> cp.zeros((2, 3, 4)).transpose(2, 0, 1).shape\n"
                            "(4, 2, 3)");

/* Axes may be negative; each has to occur once. */
static PyObject *
array_transpose(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *a = (GnpArray *)self;
    int64_t wanted[GNP_MAX_DIMS];
    int axes[GNP_MAX_DIMS];
    int seen[GNP_MAX_DIMS] = {0};

    if (nargs == 0 || (nargs == 1 && args[0] == Py_None)) {
        return (PyObject *)gnp_array_transpose(a, NULL);
    }
    int n = shape_from_args(args, nargs, wanted);
    if (n < 0) {
        return NULL;
    }
    /* Every axis has to be named. */
    if (n != a->ndim) {
        PyErr_SetString(PyExc_ValueError, "axes don't match array");
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        if (gnp_normalize_axis(wanted[i], n, &axes[i]) < 0) {
            return NULL;
        }
        if (seen[axes[i]]++) {
            PyErr_SetString(PyExc_ValueError, "repeated axis in transpose");
            return NULL;
        }
    }
    return (PyObject *)gnp_array_transpose(a, axes);
}

/* The axes are read first, as reading may run Python code; then the shape is looked at. */
static PyObject *
array_swapaxes(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("swapaxes(axis1, axis2, /)");
    GnpArray *a = (GnpArray *)self;
    PyObject *given[2];
    int axes[GNP_MAX_DIMS];
    int one, two;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 ||
        axis_from_object(given[0], a->ndim, &one) < 0 ||
        axis_from_object(given[1], a->ndim, &two) < 0) {
        return NULL;
    }
    if (check_unchanged(a, one, two) < 0) {
        return NULL;
    }
    for (int i = 0; i < a->ndim; i++) {
        axes[i] = i == one ? two : i == two ? one : i;
    }
    return (PyObject *)gnp_array_transpose(a, axes);
}

/* The axes are checked against the shape after all of them have been read. */
static PyObject *
array_squeeze(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("squeeze(axis=None)");
    GnpArray *a = (GnpArray *)self;
    PyObject *given[1];
    int64_t wanted[GNP_MAX_DIMS], shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int drop[GNP_MAX_DIMS] = {0};
    int ndim = 0;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    /* Without axes all of length 1 are removed. */
    int all = given[0] == NULL || given[0] == Py_None;
    int n = all ? 0 : gnp_shape_from_object(given[0], wanted);
    if (n < 0) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        int axis;
        if (gnp_normalize_axis(wanted[i], a->ndim, &axis) < 0) {
            return NULL;
        }
        if (drop[axis]++) {
            PyErr_SetString(PyExc_ValueError, "duplicate value in 'axis'");
            return NULL;
        }
        if (gnp_shape(a)[axis] != 1) {
            PyErr_SetString(PyExc_ValueError, "cannot select an axis to squeeze out which has size "
                                              "not equal to one");
            return NULL;
        }
    }
    for (int i = 0; i < a->ndim; i++) {
        if (all ? gnp_shape(a)[i] != 1 : !drop[i]) {
            shape[ndim] = gnp_shape(a)[i];
            strides[ndim++] = gnp_strides(a)[i];
        }
    }
    return (PyObject *)gnp_array_view(a, a->data, ndim, shape, strides, (GnpDtype)a->dtype);
}

/* The first argument may be a type instead of a dtype, as in NumPy. */
static PyObject *
array_view(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("view(dtype=None, type=None)");
    GnpArray *a = (GnpArray *)self;
    PyObject *given[2];
    GnpDtype dtype = (GnpDtype)a->dtype;
    PyTypeObject *subtype = Py_TYPE(self);

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    /* A subclass of ndarray in the first place is a type, not a dtype. */
    PyObject *wanted_type = given[1];
    if (given[0] != NULL && PyType_Check(given[0]) &&
        PyType_IsSubtype((PyTypeObject *)given[0], gnp_array_type)) {
        wanted_type = given[0];
    }
    else if (given[0] != NULL && given[0] != Py_None) {
        dtype = gnp_stored_dtype_from_object(given[0]);
        if (dtype == GNP_NO_DTYPE) {
            return NULL;
        }
    }
    if (wanted_type != NULL && wanted_type != Py_None) {
        if (!PyType_Check(wanted_type) ||
            !PyType_IsSubtype((PyTypeObject *)wanted_type, gnp_array_type)) {
            PyErr_SetString(PyExc_ValueError, "Type must be a sub-type of ndarray type");
            return NULL;
        }
        subtype = (PyTypeObject *)wanted_type;
    }
    return (PyObject *)gnp_array_finalized(gnp_array_view_dtype(a, subtype, dtype), self);
}

/* Stepping along the diagonal adds both strides: a view. It is writeable, unlike NumPy's, as CuPy's
 * is. */
static PyObject *
array_diagonal(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("diagonal(offset=0, axis1=0, axis2=1)");
    GnpArray *a = (GnpArray *)self;
    PyObject *given[3];
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int one = 0, two = 1, ndim = 0;
    Py_ssize_t offset = 0;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    if (given[0] != NULL) {
        offset = PyNumber_AsSsize_t(given[0], NULL);
        if (offset == -1 && PyErr_Occurred()) {
            return NULL;
        }
    }
    /* Before the axes: for fewer axes NumPy names the number, not an axis. */
    if (a->ndim < 2) {
        PyErr_SetString(PyExc_ValueError, "diag requires an array of at least two dimensions");
        return NULL;
    }
    if ((given[1] != NULL && axis_from_object(given[1], a->ndim, &one) < 0) ||
        (given[2] != NULL && axis_from_object(given[2], a->ndim, &two) < 0)) {
        return NULL;
    }
    if (one == two) {
        PyErr_SetString(PyExc_ValueError, "axis1 and axis2 cannot be the same");
        return NULL;
    }
    if (check_unchanged(a, one, two) < 0) {
        return NULL;
    }
    /* Read again after check_unchanged, as the shape may differ from that before the arguments
     * were read. */
    int64_t rows = gnp_shape(a)[one], columns = gnp_shape(a)[two];
    CUdeviceptr data = a->data;
    /* What the shorter of both axes leaves after the offset. */
    int64_t length;
    if (offset >= 0) {
        length = offset >= columns ? 0 : columns - offset < rows ? columns - offset : rows;
        /* An empty diagonal keeps the start, so that the address stays inside the block. */
        data += length > 0 ? (CUdeviceptr)(offset * gnp_strides(a)[two]) : 0;
    }
    else {
        length = offset <= -rows ? 0 : rows + offset < columns ? rows + offset : columns;
        data += length > 0 ? (CUdeviceptr)(-offset * gnp_strides(a)[one]) : 0;
    }
    for (int i = 0; i < a->ndim; i++) {
        if (i != one && i != two) {
            shape[ndim] = gnp_shape(a)[i];
            strides[ndim++] = gnp_strides(a)[i];
        }
    }
    /* The diagonal becomes the last axis, as in NumPy. */
    shape[ndim] = length;
    strides[ndim++] = gnp_strides(a)[one] + gnp_strides(a)[two];
    return (PyObject *)gnp_array_view(a, data, ndim, shape, strides, (GnpDtype)a->dtype);
}

PyDoc_STRVAR(reduced_view_doc,
             "reduced_view($self, /, dtype=None)\n--\n\n"
             "Return a view with as few axes as the memory layout allows (C order).\n\n"
             "Parameters\n----------\n"
             "dtype : dtype, optional\n    Type of the view, as for `view`.\n\n"
             "Returns\n-------\n"
             "ndarray\n    A view; that of a contiguous array has one axis.");

/* CuPy's method for authors of kernels: fewer axes mean simpler indexing. */
static PyObject *
array_reduced_view(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("reduced_view(dtype=None)");
    GnpArray *a = (GnpArray *)self;
    PyObject *given[1];
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int n = 0;
    GnpDtype dtype = (GnpDtype)a->dtype;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    if (given[0] != NULL && given[0] != Py_None) {
        dtype = gnp_stored_dtype_from_object(given[0]);
        if (dtype == GNP_NO_DTYPE) {
            return NULL;
        }
    }
    for (int i = 0; i < a->ndim; i++) {
        int64_t length = gnp_shape(a)[i], stride = gnp_strides(a)[i];
        /* Its stride is never used, so it must not keep neighbours apart. */
        if (length == 1) {
            continue;
        }
        /* Adjacent axes are one where the outer stride spans the inner axis. */
        if (n > 0 && strides[n - 1] == length * stride) {
            shape[n - 1] *= length;
            strides[n - 1] = stride;
        }
        else {
            shape[n] = length;
            strides[n++] = stride;
        }
    }
    /* One empty axis whatever the shape was. */
    if (a->size == 0) {
        n = 1;
        shape[0] = 0;
        strides[0] = gnp_itemsize(a);
    }
    GnpArray *view = gnp_array_view(a, a->data, n, shape, strides, (GnpDtype)a->dtype);
    /* After merging: the last axis is then the one that is contiguous. */
    if (view != NULL && dtype != (GnpDtype)a->dtype) {
        GnpArray *other = gnp_array_view_dtype(view, gnp_array_type, dtype);
        Py_DECREF((PyObject *)view);
        view = other;
    }
    return (PyObject *)view;
}

/* a's bytes, one axis for the parts of an element and one for the bytes of a part, last byte first
 * where `reversed`. Reading backwards and writing forwards reverses the bytes: a copy of views
 * needs no kernel of its own. */
static GnpArray *
bytes_view(GnpArray *a, int reversed)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int n = a->ndim, parts = gnp_dtypes[a->dtype].cls == 'c' ? 2 : 1;
    int64_t width = gnp_itemsize(a) / parts;
    if (n + 2 > GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "byteswap takes at most %d dimensions", GNP_MAX_DIMS - 2);
        return NULL;
    }
    /* Complex numbers keep the order of their parts: each is swapped by itself. */
    memcpy(shape, gnp_shape(a), (size_t)n * sizeof *shape);
    memcpy(strides, gnp_strides(a), (size_t)n * sizeof *strides);
    shape[n] = parts;
    strides[n] = width;
    shape[n + 1] = width;
    strides[n + 1] = reversed ? -1 : 1;
    CUdeviceptr data = a->data + (reversed && a->size > 0 ? (CUdeviceptr)(width - 1) : 0);
    return gnp_array_view(a, data, n + 2, shape, strides, GNP_U8);
}

/* Source and target overlap, so gnp_copy() takes a copy first. */
static int
swap_in_place(GnpArray *a)
{
    if (gnp_is_structured(a->dtype)) {
        return gnp_each_field(a, swap_in_place);
    }
    GnpArray *from = bytes_view(a, 1);                     /* owned */
    GnpArray *to = from == NULL ? NULL : bytes_view(a, 0); /* owned */
    const int status = to == NULL ? -1 : gnp_copy(to, from);
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)to);
    return status;
}

PyDoc_STRVAR(byteswap_doc,
             "byteswap($self, /, inplace=False)\n--\n\n"
             "Return the elements with their bytes in the opposite order.\n\n"
             "Parameters\n----------\n"
             "inplace : bool, optional\n    If True, swap the bytes of the array itself.\n\n"
             "Returns\n-------\n"
             "ndarray\n    A copy, or the array itself.");

/* A copy is swapped on its way, but for structures, whose fields are swapped one by one. */
static PyObject *
array_byteswap(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("byteswap(inplace=False)");
    GnpArray *a = (GnpArray *)self;
    GnpArray *out = NULL, *from = NULL, *to = NULL; /* owned */
    PyObject *given[1], *ret = NULL;                /* ret: returned */
    int inplace = 0;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    if (given[0] != NULL) {
        GNP_TRY(inplace = PyObject_IsTrue(given[0]));
    }
    /* A copy needs no right to write to the array. */
    if (inplace) {
        GNP_TRY(gnp_check_writeable(a));
        out = (GnpArray *)Py_NewRef(self);
    }
    else if (gnp_is_structured(a->dtype)) {
        GNP_NEW(out, gnp_array_copy(a, 'C'));
    }
    else {
        GNP_NEW(out, gnp_array_new(a->ndim, gnp_shape(a), (GnpDtype)a->dtype, 'C'));
    }
    if (inplace || gnp_is_structured(a->dtype)) {
        GNP_TRY(swap_in_place(out));
    }
    else {
        GNP_NEW(from, bytes_view(a, 1));
        GNP_NEW(to, bytes_view(out, 0));
        GNP_TRY(gnp_copy(to, from));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)out);
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)to);
    return ret;
}

/* The method table has the signature of METH_NOARGS functions. */
#define FAST(function) (PyCFunction)(void (*)(void))(function)

GNP_OF_CLASS(array_reshape)
GNP_OF_CLASS(array_ravel)
GNP_OF_CLASS(array_flatten)
GNP_OF_CLASS(array_swapaxes)
GNP_OF_CLASS(array_squeeze)
GNP_OF_CLASS(array_byteswap)
GNP_OF_CLASS(array_diagonal)

/* Subclasses get the result as their own class, as in NumPy. */
static PyObject *
array_transpose_of_class(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return gnp_of_class(array_transpose(self, args, nargs), self);
}

PyMethodDef gnp_manipulate_methods[] = {
    {"reshape", FAST(array_reshape_of_class), METH_FASTCALL | METH_KEYWORDS, reshape_doc},
    {"ravel", FAST(array_ravel_of_class), METH_FASTCALL | METH_KEYWORDS,
     "ravel($self, /, order='C')\n--\n\n"
     "Return the elements as a one-dimensional array: a view if possible.\n\n"
     "Parameters\n----------\n"
     "order : {'C', 'F', 'A', 'K'}, optional\n"
     "    Order in which elements are read; 'K' is the order in memory.\n\n"
     "Returns\n-------\n"
     "ndarray\n    One-dimensional array."},
    {"flatten", FAST(array_flatten_of_class), METH_FASTCALL | METH_KEYWORDS,
     "flatten($self, /, order='C')\n--\n\n"
     "Return a copy of the elements as a one-dimensional array.\n\n"
     "Parameters\n----------\n"
     "order : {'C', 'F', 'A', 'K'}, optional\n"
     "    Order in which elements are read; 'K' is the order in memory.\n\n"
     "Returns\n-------\n"
     "ndarray\n    One-dimensional copy."},
    {"transpose", FAST(array_transpose_of_class), METH_FASTCALL, transpose_doc},
    {"swapaxes", FAST(array_swapaxes_of_class), METH_FASTCALL | METH_KEYWORDS,
     "swapaxes($self, axis1, axis2, /)\n--\n\n"
     "Return a view with two axes exchanged.\n\n"
     "Parameters\n----------\n"
     "axis1, axis2 : int\n"
     "    Axes that are exchanged; negative values count from the end.\n\n"
     "Returns\n-------\n"
     "ndarray\n    A view of the input."},
    {"squeeze", FAST(array_squeeze_of_class), METH_FASTCALL | METH_KEYWORDS,
     "squeeze($self, /, axis=None)\n--\n\n"
     "Return a view without axes of size one.\n\n"
     "Parameters\n----------\n"
     "axis : int or tuple of int, optional\n"
     "    Axes to remove. By default all axes of size one. Others raise ValueError.\n\n"
     "Returns\n-------\n"
     "ndarray\n    A view of the input."},
    {"view", FAST(array_view), METH_FASTCALL | METH_KEYWORDS,
     "view($self, /, dtype=None, type=None)\n--\n\n"
     "Return a view of the memory as another dtype or type.\n\n"
     "Parameters\n----------\n"
     "dtype : dtype, optional\n"
     "    Type of the view. If its size differs, the last axis must be contiguous and\n"
     "    changes its length.\n"
     "type : type, optional\n    Subclass of ndarray of the view.\n\n"
     "Returns\n-------\n"
     "ndarray\n    A view of the input.\n\n"
     "Raises\n------\n"
     "ValueError\n"
     "    If the last axis does not hold a whole number of elements, or is not contiguous.\n\n"
     "Examples\n--------\n"
     ">>> import gpunp as cp\n"
     ">>> cp.array([1.0], dtype=\"f4\").view(\"u4\")\n"
     "array([1065353216], dtype=uint32)"},
    {"byteswap", FAST(array_byteswap_of_class), METH_FASTCALL | METH_KEYWORDS, byteswap_doc},
    {"diagonal", FAST(array_diagonal_of_class), METH_FASTCALL | METH_KEYWORDS,
     "diagonal($self, /, offset=0, axis1=0, axis2=1)\n--\n\n"
     "Return a view of the diagonals over two axes.\n\n"
     "Parameters\n----------\n"
     "offset : int, optional\n"
     "    Offset from the main diagonal: positive above it, negative below it.\n"
     "axis1, axis2 : int, optional\n    Axes of the matrices whose diagonals are taken.\n\n"
     "Returns\n-------\n"
     "ndarray\n    Writeable view, with the diagonal along the last axis."},
    {"reduced_view", FAST(array_reduced_view), METH_FASTCALL | METH_KEYWORDS, reduced_view_doc},
    {NULL, NULL, 0, NULL},
};

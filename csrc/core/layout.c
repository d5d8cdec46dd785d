/* Layout: shapes, strides and what follows from them. Pure arithmetic; no device, no memory.
 *
 * Strides are bytes and may be negative, zero, or no multiple of the item size. Shapes of existing
 * arrays never overflow; shapes that users ask for pass gnp_layout_check first.
 */
#include "core/core_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Does not overflow for shapes of existing arrays. */
int64_t
gnp_layout_size(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    for (int i = 0; i < ndim; i++) {
        size *= shape[i];
    }
    return size;
}

/* The limit is int64 bytes, as NumPy's on 64-bit machines. Raises ValueError as NumPy does for
 * arrays that are too large. */
int
gnp_layout_check(int ndim, const int64_t *shape, int64_t itemsize, int64_t *size, int64_t *nbytes)
{
    if (ndim > GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %d",
                     GNP_MAX_DIMS, ndim);
        return -1;
    }
    int64_t bytes =
        itemsize; /* NumPy counts axes of length 0 as 1 here, and so refuses (2**40, 2**40, 0) */
    int empty = 0;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
            return -1;
        }
        if (shape[i] == 0) {
            empty = 1;
        }
        else if (gnp_mul_size(bytes, shape[i], &bytes) < 0) {
            PyErr_SetString(PyExc_ValueError,
                            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
                            "maximum possible size.");
            return -1;
        }
    }
    *size = empty ? 0 : bytes / itemsize;
    if (nbytes != NULL) {
        *nbytes = empty ? 0 : bytes;
    }
    return 0;
}

/* "(2,3)", as NumPy prints shapes in messages. */
void
gnp_layout_text(GnpText *text, int ndim, const int64_t *shape)
{
    gnp_text_add(text, "(");
    for (int i = 0; i < ndim; i++) {
        gnp_text_add(text, i == 0 ? "%lld" : ",%lld", (long long)shape[i]);
    }
    gnp_text_add(text, ndim == 1 ? ",)" : ")");
}

/* ---- strides --------------------------------------------------------------------------------- */

/* Axes of length 0 count as 1, so that no stride becomes 0: NumPy's strides of empty arrays. */
void
gnp_layout_fill_strides(int ndim, const int64_t *shape, int64_t itemsize, char order,
                        int64_t *strides)
{
    int64_t step = itemsize;
    for (int k = 0; k < ndim; k++) {
        int i = order == 'F' ? k : ndim - 1 - k;
        strides[i] = step;
        step *= shape[i] == 0 ? 1 : shape[i];
    }
}

/* `axes` names the axes from the fastest to the slowest. */
void
gnp_layout_order_strides(int ndim, const int64_t *shape, int64_t itemsize, const int *axes,
                         int64_t *strides)
{
    int64_t step = itemsize;
    for (int k = 0; k < ndim; k++) {
        strides[axes[k]] = step;
        step *= shape[axes[k]] == 0 ? 1 : shape[axes[k]];
    }
}

/* 1 when axis `outer` should be inside axis `inner`; 0 when not; -1 when no array determines it. An
 * array that prefers C order wins over others. Strides of 0 say nothing: along such an axis all
 * elements are one. */
static int
prefers_inside(int narrays, const int64_t *const *strides, int outer, int inner)
{
    int opinion = -1;
    for (int i = 0; i < narrays; i++) {
        int64_t so = llabs(strides[i][outer]), si = llabs(strides[i][inner]);
        if (so == 0 || si == 0) {
            continue;
        }
        /* Equal strides count as C order. */
        if (si <= so) {
            return 0;
        }
        opinion = 1;
    }
    return opinion;
}

/* An insertion sort: its result is well defined although "undetermined" is not transitive. It is
 * NumPy's algorithm too, so the order agrees. `place` only moves over axes that some array wants
 * outside; undetermined ones in between move along. */
void
gnp_iteration_order(int ndim, const int64_t *shape, int narrays, const int64_t *const *strides,
                    int *axes)
{
    for (int i = 0; i < ndim; i++) {
        int axis = ndim - 1 - i, place = i;
        for (int j = i - 1; j >= 0 && shape[axis] != 1; j--) {
            int inside = shape[axes[j]] == 1 ? -1 : prefers_inside(narrays, strides, axis, axes[j]);
            if (inside == 0) {
                break;
            }
            if (inside > 0) {
                place = j;
            }
        }
        memmove(&axes[place + 1], &axes[place], (size_t)(i - place) * sizeof *axes);
        axes[place] = axis;
    }
}

/* Axes from the slowest to the fastest, by the size of the stride; equal strides keep C order.
 * Zeros are the smallest strides here, which is the memory order of NumPy's copies; its iterator's
 * order, gnp_iteration_order, differs. */
static void
sort_axes(int ndim, const int64_t *strides, int *axes)
{
    for (int i = 0; i < ndim; i++) {
        int64_t step = llabs(strides[i]);
        int at = i;
        while (at > 0 && llabs(strides[axes[at - 1]]) < step) {
            axes[at] = axes[at - 1];
            at--;
        }
        axes[at] = i;
    }
}

/* The same order of axes, without gaps. */
void
gnp_layout_keep_strides(const GnpArray *like, int64_t itemsize, int64_t *strides)
{
    int axes[GNP_MAX_DIMS];
    int ndim = like->ndim;
    const int64_t *shape = gnp_shape(like);
    int64_t step = itemsize;

    /* The usual case, without a sort. */
    if (like->flags & GNP_C_CONTIGUOUS || ndim <= 1) {
        gnp_layout_fill_strides(ndim, shape, itemsize, 'C', strides);
        return;
    }
    sort_axes(ndim, gnp_strides(like), axes);
    for (int k = ndim - 1; k >= 0; k--) {
        strides[axes[k]] = step;
        step *= shape[axes[k]] == 0 ? 1 : shape[axes[k]];
    }
}

/* Axes of length 1 are left out: their strides are arbitrary. */
int
gnp_layout_is_dense(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize)
{
    int axes[GNP_MAX_DIMS];
    int n = 0;
    int64_t used_shape[GNP_MAX_DIMS], used_strides[GNP_MAX_DIMS] = {0};

    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 0) {
            return 1;
        }
        if (shape[i] > 1) {
            used_shape[n] = shape[i];
            used_strides[n++] = strides[i];
        }
    }
    sort_axes(n, used_strides, axes);
    int64_t step = itemsize;
    for (int k = n - 1; k >= 0; k--) {
        if (used_strides[axes[k]] != step) {
            return 0;
        }
        step *= used_shape[axes[k]];
    }
    return 1;
}

/* Cannot overflow for arrays that exist; others are checked by their callers first. */
void
gnp_layout_bounds(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize,
                  int64_t *low, int64_t *high)
{
    *low = 0;
    *high = itemsize;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 0) {
            *low = *high = 0;
            return;
        }
        int64_t reach = (shape[i] - 1) * strides[i];
        *(reach < 0 ? low : high) += reach;
    }
}

/* ---- broadcasting ---------------------------------------------------------------------------- */

/* From the last axis: missing leading axes count as 1. */
int
gnp_broadcast_shape(int *ndim, int64_t *shape, int ndim_b, const int64_t *shape_b)
{
    int wide = *ndim > ndim_b ? *ndim : ndim_b;
    /* Apart, since `shape` is still needed for the message. */
    int64_t result[GNP_MAX_DIMS];

    for (int i = 1; i <= wide; i++) {
        int64_t a = i <= *ndim ? shape[*ndim - i] : 1;
        int64_t b = i <= ndim_b ? shape_b[ndim_b - i] : 1;
        if (a != b && a != 1 && b != 1) {
            GnpText text = {NULL, 0, 0, 0};
            gnp_layout_text(&text, *ndim, shape);
            gnp_text_add(&text, " ");
            gnp_layout_text(&text, ndim_b, shape_b);
            if (gnp_text_finish(&text) == 0) {
                PyErr_Format(PyExc_ValueError,
                             "operands could not be broadcast together with shapes %s ", text.text);
            }
            gnp_text_clear(&text);
            return -1;
        }
        /* Not the larger one: 1 against 0 is 0. */
        result[wide - i] = a == 1 ? b : a;
    }
    memcpy(shape, result, (size_t)wide * sizeof *shape);
    *ndim = wide;
    return 0;
}

/* An axis of length 1 that stays 1 keeps its stride, which is never used. */
void
gnp_broadcast_strides(const GnpArray *a, int ndim, const int64_t *shape, int64_t *strides)
{
    int extra = ndim - a->ndim;
    for (int i = 0; i < extra; i++) {
        strides[i] = 0;
    }
    for (int i = 0; i < a->ndim; i++) {
        int stretched = gnp_shape(a)[i] == 1 && shape[extra + i] != 1;
        strides[extra + i] = stretched ? 0 : gnp_strides(a)[i];
    }
}

/* ---- reshape without a copy ------------------------------------------------------------------ */

/* Goes through both shapes together: a run of old axes and a run of new ones of equal size match
 * when the old run is contiguous. */
int
gnp_layout_reshape(const GnpArray *a, int ndim, const int64_t *shape, char order, int64_t *strides)
{
    int64_t old_shape[GNP_MAX_DIMS], old_strides[GNP_MAX_DIMS];
    int n = 0;
    int64_t itemsize = gnp_itemsize(a);

    for (int i = 0; i < a->ndim; i++) {
        if (gnp_shape(a)[i] != 1) {
            old_shape[n] = gnp_shape(a)[i];
            old_strides[n++] = gnp_strides(a)[i];
        }
    }
    /* Nothing is ever read through the strides of an empty array. */
    if (a->size == 0) {
        gnp_layout_fill_strides(ndim, shape, itemsize, order, strides);
        return 1;
    }
    int oi = 0, ni = 0;
    while (oi < n && ni < ndim) {
        int oj = oi + 1, nj = ni + 1;
        int64_t have = old_shape[oi], want = shape[ni];
        /* Ends, because both shapes have the same size, and none is 0. */
        while (have != want) {
            if (want < have) {
                want *= shape[nj++];
            }
            else {
                have *= old_shape[oj++];
            }
        }
        /* The old axes of the run must be steps of one walk through memory. */
        for (int k = oi; k + 1 < oj; k++) {
            int slow = order == 'F' ? k + 1 : k;
            int fast = order == 'F' ? k : k + 1;
            if (old_strides[slow] != old_shape[fast] * old_strides[fast]) {
                return 0;
            }
        }
        /* The new axes of the run, from the stride of its fastest old axis. */
        if (order == 'F') {
            strides[ni] = old_strides[oi];
            for (int k = ni + 1; k < nj; k++) {
                strides[k] = strides[k - 1] * shape[k - 1];
            }
        }
        else {
            strides[nj - 1] = old_strides[oj - 1];
            for (int k = nj - 1; k > ni; k--) {
                strides[k - 1] = strides[k] * shape[k];
            }
        }
        oi = oj;
        ni = nj;
    }
    /* The remaining axes have length 1. */
    int64_t step = itemsize;
    if (ni > 0) {
        step = order == 'F' ? strides[ni - 1] * shape[ni - 1] : strides[ni - 1];
    }
    for (int k = ni; k < ndim; k++) {
        strides[k] = step;
    }
    return 1;
}

/* A requested shape as NumPy prints it: leading unknown axes are left out, later ones are
 * "newaxis". */
static void
unknown_text(GnpText *text, int ndim, const int64_t *shape)
{
    int first = 0;
    while (first < ndim && shape[first] < 0) {
        first++;
    }
    gnp_text_add(text, "(");
    for (int i = first; i < ndim; i++) {
        if (shape[i] < 0) {
            gnp_text_add(text, ",newaxis");
        }
        else {
            gnp_text_add(text, i == first ? "%lld" : ",%lld", (long long)shape[i]);
        }
    }
    gnp_text_add(text, ndim == 1 && first == 0 ? ",)" : ")");
}

/* A known part of 0 leaves the unknown axis undetermined, which is an error. */
int
gnp_layout_resolve_unknown(int64_t size, int ndim, int64_t *shape)
{
    int unknown = -1;
    int64_t known = 1;
    int overflow = 0;

    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            if (unknown >= 0) {
                PyErr_SetString(PyExc_ValueError, "can only specify one unknown dimension");
                return -1;
            }
            unknown = i;
        }
        else if (gnp_mul_size(known, shape[i], &known) < 0) {
            overflow = 1; /* cannot equal the size of anything, unless a later axis is 0 */
            known = shape[i] == 0 ? 0 : INT64_MAX;
        }
    }
    for (int i = 0; overflow && i < ndim; i++) {
        if (shape[i] == 0) {
            known = 0;
        }
    }
    if (unknown >= 0 && known > 0 && size % known == 0) {
        shape[unknown] = size / known;
        return 0;
    }
    if (unknown < 0 && known == size) {
        return 0;
    }
    GnpText text = {NULL, 0, 0, 0};
    unknown_text(&text, ndim, shape);
    if (gnp_text_finish(&text) == 0) {
        PyErr_Format(PyExc_ValueError, "cannot reshape array of size %lld into shape %s",
                     (long long)size, text.text);
    }
    gnp_text_clear(&text);
    return -1;
}

/* ---- shapes and axes from Python ------------------------------------------------------------- */

/* Negative numbers are allowed here: -1 has a meaning for reshape. */
static int
dimension_from_object(PyObject *object, int64_t *out)
{
    int overflow = 0;
    if (PyBool_Check(object)) { /* usually a forgotten comma or keyword */
        PyErr_SetString(PyExc_TypeError, "an integer is required");
        return -1;
    }
    PyObject *index = PyNumber_Index(object);
    if (index == NULL) {
        return -1;
    }
    *out = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow) {
        PyErr_SetString(PyExc_ValueError, "Maximum allowed dimension exceeded");
        return -1;
    }
    return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Serves for axes and strides as well. A 0-d device array counts as a number, which is read from
 * the device. */
int
gnp_shape_from_object(PyObject *object, int64_t shape[GNP_MAX_DIMS])
{
    PyObject *items = NULL; /* owned */
    int ret = -1;

    if (PyLong_CheckExact(object)) {
        return dimension_from_object(object, shape) < 0 ? -1 : 1;
    }
    if (object == Py_None) {
        PyErr_SetString(PyExc_TypeError,
                        "expected a sequence of integers or a single integer, got 'None'");
        return -1;
    }
    int scalar = gnp_array_check(object) ? ((GnpArray *)object)->ndim == 0
                                         : !PySequence_Check(object) || PyUnicode_Check(object) ||
                                               gnp_is_numpy_scalar(object);
    if (scalar) {
        if (dimension_from_object(object, shape) == 0) {
            return 1;
        }
        if (PyErr_ExceptionMatches(PyExc_TypeError) && !PyUnicode_Check(object)) {
            PyErr_Format(PyExc_TypeError,
                         "expected a sequence of integers or a single integer, got '%S'", object);
        }
        return -1;
    }
    GNP_NEW(items, PySequence_Tuple(object));
    Py_ssize_t n = PyTuple_GET_SIZE(items);
    if (n > GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError,
                     "maximum supported dimension for an ndarray is currently %d, found %zd",
                     GNP_MAX_DIMS, n);
        goto fail;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        GNP_TRY(dimension_from_object(PyTuple_GET_ITEM(items, i), &shape[i]));
    }
    ret = (int)n;
fail:
    Py_XDECREF(items);
    return ret;
}

/* A new tuple; NULL with an exception. */
PyObject *
gnp_tuple_from_ints(int n, const int64_t *values)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple != NULL && i < n; i++) {
        PyObject *value = PyLong_FromLongLong(values[i]);
        if (value == NULL) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, value);
    }
    return tuple;
}

/* The int of an axis. A bool is none, as in NumPy: it was meant for another argument. */
PyObject *
gnp_axis_number(PyObject *object)
{
    if (PyBool_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "an integer is required for the axis");
        return NULL;
    }
    return PyNumber_Index(object);
}

/* numpy.exceptions.AxisError, so that programs may catch NumPy's class. */
int
gnp_normalize_axis(int64_t axis, int ndim, int *out)
{
    if (axis < -ndim || axis >= ndim) {
        PyObject *error = PyObject_CallFunction(gnp_state.AxisError, "Li", (long long)axis, ndim);
        if (error != NULL) {
            PyErr_SetObject(gnp_state.AxisError, error);
            Py_DECREF(error);
        }
        return -1;
    }
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return 0;
}

/* Indexing: a[key] and a[key] = value.
 *
 * A key is a tuple of parts. Basic parts (integers, slices, newaxis, ellipsis) only move the data
 * pointer and choose strides, so they are applied here, without any Python object but the result.
 * Parts that are arrays are collected in a GnpIndex for select/advanced.c, together with the view
 * that results from the basic parts.
 *
 * Two paths: keys of basic parts only, which is nearly every key, end in apply_basic_key() after
 * one pass and allocate nothing; others go through parse_general(). Index semantics are NumPy's,
 * including where the axes of array parts go in the result.
 *
 * Two ways: keys of integers, slices, ellipses and newaxis make a view without the device; keys
 * with arrays become a GnpIndex, which select/ gathers or scatters. The order of errors is
 * NumPy's.
 */
#include "core/core_internal.h"

#include <string.h>

/* Set by a higher folder at start-up: see docs/folders.md. */
PyObject *(*gnp_advanced_get)(const GnpIndex *index);
int (*gnp_advanced_set)(const GnpIndex *index, GnpArray *value, const GnpScalar *scalar);

/* The view under construction. It works on a copy of the array's layout: slices and integers may
 * run Python code (__index__), which may change the array's shape meanwhile. */
typedef struct {
    CUdeviceptr data;
    GnpDtype dtype;
    int axis; /* next axis of the array to be consumed */
    int from_ndim;
    int ndim;
    int64_t from_shape[GNP_MAX_DIMS];
    int64_t from_strides[GNP_MAX_DIMS];
    int64_t shape[GNP_MAX_DIMS];
    int64_t strides[GNP_MAX_DIMS];
} View;

enum PartKind { PART_INT, PART_SLICE, PART_NEWAXIS, PART_ELLIPSIS, PART_BOOL, PART_ARRAY };

static const char bad_index[] = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis "
                                "(`None`) and integer or boolean arrays are valid indices";

/* ---- basic parts ----------------------------------------------------------------------------- */

/* Copied axis by axis: arrays have few, and memcpy of unknown length is a call. */
static void
view_start(View *v, const GnpArray *a)
{
    v->data = a->data;
    v->dtype = (GnpDtype)a->dtype;
    v->axis = v->ndim = 0;
    v->from_ndim = a->ndim;
    for (int i = 0; i < a->ndim; i++) {
        v->from_shape[i] = a->dims[i];
        v->from_strides[i] = a->dims[a->ndim + i];
    }
}

/* newaxis can exceed the limit, axes of the array cannot. */
static int
push_axis(View *v, int64_t length, int64_t stride)
{
    if (v->ndim == GNP_MAX_DIMS) {
        PyErr_Format(PyExc_IndexError,
                     "number of dimensions must be within [0, %d], indexing result would have more",
                     GNP_MAX_DIMS);
        return -1;
    }
    v->shape[v->ndim] = length;
    v->strides[v->ndim++] = stride;
    return 0;
}

/* Offsets are added to an unsigned address modulo 2^64, so negative strides work. */
static int
apply_int(View *v, int64_t i)
{
    int64_t length = v->from_shape[v->axis];
    if (GNP_UNLIKELY(i < -length || i >= length)) {
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %lld",
                     (long long)i, v->axis, (long long)length);
        return -1;
    }
    v->data += (CUdeviceptr)((i < 0 ? i + length : i) * v->from_strides[v->axis]);
    v->axis++;
    return 0;
}

/* PySlice_Unpack clips like NumPy; a negative step begins at the far end. */
static int
apply_slice(View *v, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0) {
        return -1;
    }
    int64_t stride = v->from_strides[v->axis];
    int64_t stepped;
    Py_ssize_t n = PySlice_AdjustIndices((Py_ssize_t)v->from_shape[v->axis], &start, &stop, step);
    /* An empty slice leaves the pointer where it is: it must not point outside of the memory. */
    if (n > 0) {
        v->data += (CUdeviceptr)(start * stride);
    }
    /* A step that overflows selects one element at most, and then its stride is never used. */
    if (__builtin_mul_overflow(stride, step, &stepped)) {
        stepped = stride;
    }
    v->axis++;
    return push_axis(v, n, stepped);
}

/* What an ellipsis, or the end of the key, stands for: axes as they are. */
static int
apply_rest(View *v, int count)
{
    for (int i = 0; i < count; i++, v->axis++) {
        if (push_axis(v, v->from_shape[v->axis], v->from_strides[v->axis]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* 1: an integer, stored; 0: something else; -1: an exception. Device arrays have __index__ too,
 * which would wait for the device; they are taken as index arrays instead. 0-d NumPy arrays of
 * integers are integers. */
static int
integer_part(PyObject *item, int64_t *out)
{
    if (!PyLong_CheckExact(item)) {
        if (!PyIndex_Check(item) || PyBool_Check(item) || gnp_array_check(item)) {
            return 0;
        }
        if (gnp_is_numpy_array(item)) {
            GnpHostView view;
            gnp_npy_view(item, &view);
            if (view.ndim != 0 || view.dtype == GNP_NO_DTYPE ||
                (gnp_dtypes[view.dtype].cls != 'i' && gnp_dtypes[view.dtype].cls != 'u')) {
                return 0;
            }
        }
    }
    Py_ssize_t value = PyNumber_AsSsize_t(item, PyExc_IndexError);
    if (value == -1 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_IndexError)) {
            PyErr_Format(PyExc_IndexError, "index %S is too large for any axis", item);
        }
        return -1;
    }
    *out = value;
    return 1;
}

/* NumPy's message. */
static void
raise_too_many(int ndim, Py_ssize_t used)
{
    PyErr_Format(PyExc_IndexError,
                 "too many indices for array: array is %d-dimensional, but %zd were indexed", ndim,
                 used);
}

/* Exact ints only: subclasses, bools among them, take the general path. */
static int
is_basic(PyObject *item)
{
    return PyLong_CheckExact(item) || PySlice_Check(item) || item == Py_None || item == Py_Ellipsis;
}

/* The whole key if it has basic parts only: 1 done, 0 if it has others, -1 with an exception.
 * Counted first, so that an ellipsis knows how many axes it stands for. */
static int
apply_basic_key(View *v, PyObject *const *items, Py_ssize_t nitems)
{
    Py_ssize_t used = 0, ellipses = 0;
    for (Py_ssize_t i = 0; i < nitems; i++) {
        if (!is_basic(items[i])) {
            return 0;
        }
        ellipses += items[i] == Py_Ellipsis;
        used += items[i] != Py_None && items[i] != Py_Ellipsis;
    }
    if (ellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        return -1;
    }
    if (used > v->from_ndim) {
        raise_too_many(v->from_ndim, used);
        return -1;
    }
    for (Py_ssize_t i = 0; i < nitems; i++) {
        PyObject *item = items[i];
        int status;
        if (PySlice_Check(item)) {
            status = apply_slice(v, item);
        }
        else if (item == Py_None) {
            status = push_axis(v, 1, 0);
        }
        else if (item == Py_Ellipsis) {
            status = apply_rest(v, v->from_ndim - (int)used);
        }
        else {
            int64_t value;
            status = integer_part(item, &value) < 0 ? -1 : apply_int(v, value);
        }
        if (status < 0) {
            return -1;
        }
    }
    return apply_rest(v, v->from_ndim - v->axis) < 0 ? -1 : 1;
}

/* ---- keys with arrays ------------------------------------------------------------------------ */

typedef struct {
    enum PartKind kind;
    int64_t integer; /* PART_INT: the index; PART_BOOL: the truth value */
    PyObject *slice; /* borrowed */
    GnpArray *array; /* owned */
} Part;

typedef struct {
    int nparts, naxes, narrays, nbools, nellipses;
    /* 64 axes and as many newaxis. */
    Part parts[2 * GNP_MAX_DIMS + 1];
} Key;

/* The view and the index arrays are owned by the index. */
void
gnp_index_clear(GnpIndex *index)
{
    for (int i = 0; i < index->nindices; i++) {
        Py_CLEAR(index->index[i]);
    }
    index->nindices = 0;
    Py_CLEAR(index->view);
}

/* Also for keys whose parsing failed in the middle. */
static void
key_clear(Key *key)
{
    for (int i = 0; i < key->nparts; i++) {
        Py_CLEAR(key->parts[i].array);
    }
}

/* A list, a NumPy array or another device array as an index array on the device. Uploaded to the
 * current device, which is that of the array. */
static GnpArray *
index_array(const GnpArray *a, PyObject *item)
{
    GnpArray *index = NULL; /* owned */
    if (gnp_array_check(item)) {
        index = (GnpArray *)Py_NewRef(item);
    }
    else if (gnp_is_numpy_array(item) || gnp_flatiter_check(item) ||
             (PySequence_Check(item) && !PyUnicode_Check(item) && !PyBytes_Check(item))) {
        index = gnp_array_from_object(item, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
        if (index != NULL && index->size == 0 && !gnp_is_numpy_array(item)) {
            GnpArray *empty = gnp_array_new(index->ndim, gnp_shape(index), GNP_I64, 'C');
            Py_SETREF(index, empty); /* [] is float64 to NumPy, and an index all the same */
        }
    }
    else {
        PyErr_SetString(PyExc_IndexError, bad_index);
    }
    if (index == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) { /* a list of str, an array of objects */
            PyErr_SetString(PyExc_IndexError, bad_index);
        }
        return NULL;
    }
    char cls = gnp_dtypes[index->dtype].cls;
    if (cls != '?' && cls != 'i' && cls != 'u') {
        PyErr_SetString(PyExc_IndexError,
                        "arrays used as indices must be of integer (or boolean) type");
        Py_CLEAR(index);
    }
    else if (index->device_id != a->device_id) {
        const int brought = gnp_array_bring(&index);
        if (brought == 0) {
            gnp_device_mismatch(index->device_id, a->device_id, "the index");
        }
        if (brought <= 0) {
            Py_CLEAR(index);
        }
    }
    return index;
}

/* Order matters: bool is a subclass of int, and an array of one bool is a mask, not an index. */
static int
parse_part(const GnpArray *a, PyObject *item, Key *key, Part *part)
{
    int64_t value;
    part->array = NULL;
    if (item == Py_Ellipsis || item == Py_None) {
        part->kind = item == Py_None ? PART_NEWAXIS : PART_ELLIPSIS;
        key->nellipses += item == Py_Ellipsis;
        return 0;
    }
    if (PySlice_Check(item)) {
        part->kind = PART_SLICE;
        part->slice = item;
        key->naxes++;
        return 0;
    }
    int is_bool = PyBool_Check(item) || gnp_is_numpy_bool(item);
    int found = is_bool ? 0 : integer_part(item, &value);
    if (found < 0) {
        return -1;
    }
    if (found) {
        part->kind = PART_INT;
        part->integer = value;
        key->naxes++;
        return 0;
    }
    if (!is_bool) {
        part->array = index_array(a, item);
        if (part->array == NULL) {
            return -1;
        }
        is_bool = part->array->dtype == GNP_BOOL && part->array->ndim == 0;
        item = (PyObject *)part->array;
    }
    if (is_bool) {
        int truth = PyObject_IsTrue(item); /* a 0-d array is fetched from the device */
        Py_CLEAR(part->array);
        part->kind = PART_BOOL;
        part->integer = truth;
        key->nbools++;
        return truth < 0 ? -1 : 0;
    }
    part->kind = PART_ARRAY;
    key->narrays++;
    key->naxes += part->array->dtype == GNP_BOOL ? part->array->ndim : 1;
    return 0;
}

/* `nparts` counts what key_clear() has to look at, also after a failure in the middle. */
static int
parse_key(const GnpArray *a, PyObject *const *items, Py_ssize_t nitems, Key *key)
{
    /* The parts are several kilobytes and are filled one by one. */
    memset(key, 0, offsetof(Key, parts));
    if (nitems > 2 * GNP_MAX_DIMS) {
        PyErr_SetString(PyExc_IndexError, "too many indices for array");
        return -1;
    }
    for (Py_ssize_t i = 0; i < nitems; i++) {
        key->nparts = (int)i + 1;
        if (parse_part(a, items[i], key, &key->parts[i]) < 0) {
            return -1;
        }
    }
    if (key->nellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        return -1;
    }
    /* The index has room for as many arrays as an array can have axes. */
    if (key->narrays + key->nbools >= GNP_MAX_DIMS) {
        PyErr_Format(PyExc_IndexError, "too many index arrays and booleans: %d, at most %d",
                     key->narrays + key->nbools, GNP_MAX_DIMS - 1);
        return -1;
    }
    return 0;
}

/* Its shape has to equal that of the axes it stands for. */
static int
check_mask(const View *v, const GnpArray *mask)
{
    for (int i = 0; i < mask->ndim; i++) {
        int64_t have = v->from_shape[v->axis + i];
        if (gnp_shape(mask)[i] != have) {
            PyErr_Format(PyExc_IndexError,
                         "boolean index did not match indexed array along axis %d; size of axis is "
                         "%lld but size of corresponding boolean axis is %lld",
                         v->axis + i, (long long)have, (long long)gnp_shape(mask)[i]);
            return -1;
        }
    }
    return 0;
}

/* An index of one zero (or none) for the axis of length 1 that a single bool adds. True and False
 * beside arrays broadcast like an index array of one and of no element. */
static GnpArray *
bool_index(int64_t truth)
{
    GnpScalar zero = {{0, 0}};
    int64_t length = truth ? 1 : 0;
    GnpArray *index = gnp_array_new(1, &length, GNP_I64, 'C');
    if (index != NULL && gnp_fill(index, &zero) < 0) {
        Py_CLEAR(index);
    }
    return index;
}

/* The axes stay in the view, and gather or scatter replaces them: their place is recorded. */
static int
apply_array(View *v, Part *part, GnpIndex *out)
{
    int at = out->nindices;
    int naxes = 1;
    out->axis[at] = v->ndim;
    if (part->kind == PART_BOOL) {
        out->index[at] = bool_index(part->integer);
        if (out->index[at] == NULL) {
            return -1;
        }
        out->naxes[at] = 1;
        out->nindices++;
        return push_axis(v, 1, 0);
    }
    if (part->array->dtype == GNP_BOOL) {
        naxes = part->array->ndim;
        if (check_mask(v, part->array) < 0) {
            return -1;
        }
    }
    out->naxes[at] = naxes;
    out->index[at] = part->array; /* moved */
    part->array = NULL;
    out->nindices++;
    return apply_rest(v, naxes);
}

/* Applies the parts to `v`, fills out's indices and result axis. Bools without any array make one
 * extra axis (of length 1, or 0 if one is False): *bool_axis is its position, else -1. Integers
 * count as array parts where there are arrays, as in NumPy: a[0, :, i] has two runs, so the indexed
 * axes come first. */
static int
apply_key(View *v, Key *key, GnpIndex *out, int *bool_axis)
{
    int group = 0; /* 0 before, 1 inside, 2 after the first run of array parts, 3 a second run */
    int first = 0;
    int64_t truth = 1;

    for (int i = 0; i < key->nparts; i++) {
        Part *part = &key->parts[i];
        int is_group =
            part->kind == PART_INT || part->kind == PART_BOOL || part->kind == PART_ARRAY;
        int status = 0;
        if (is_group && group != 1) {
            /* Where the run begins, or, with a second run, in front of everything. */
            first = group == 0 ? v->ndim : 0;
            group = group == 0 ? 1 : 3;
        }
        else if (!is_group && group == 1) {
            group = 2;
        }
        switch (part->kind) {
        case PART_INT:
            status = apply_int(v, part->integer);
            break;
        case PART_SLICE:
            status = apply_slice(v, part->slice);
            break;
        case PART_NEWAXIS:
            status = push_axis(v, 1, 0);
            break;
        case PART_ELLIPSIS:
            status = apply_rest(v, v->from_ndim - key->naxes);
            break;
        case PART_BOOL:
            truth &= part->integer;
            status = key->narrays > 0 ? apply_array(v, part, out) : 0;
            break;
        case PART_ARRAY:
            status = apply_array(v, part, out);
            break;
        }
        if (status < 0) {
            return -1;
        }
    }
    if (apply_rest(v, v->from_ndim - v->axis) < 0) {
        return -1;
    }
    out->result_axis = first;
    *bool_axis = -1;
    /* Bools alone need no gather: one more axis, of length 1 or 0. */
    if (key->nbools > 0 && key->narrays == 0) {
        if (push_axis(v, 0, 0) < 0) {
            return -1;
        }
        size_t tail = (size_t)(v->ndim - 1 - first) * sizeof *v->shape;
        memmove(&v->shape[first + 1], &v->shape[first], tail);
        memmove(&v->strides[first + 1], &v->strides[first], tail);
        v->shape[first] = truth;
        v->strides[first] = 0;
        *bool_axis = first;
    }
    return 0;
}

/* A view of the array with the axes that the basic parts have left. */
static GnpArray *
view_of(GnpArray *a, const View *v)
{
    return gnp_array_view(a, v->data, v->ndim, v->shape, v->strides, v->dtype);
}

/* Fills `out`: out->view always, indices when the key has arrays in it. On failure `out` is
 * cleared, so callers need not. */
static int
parse_general(GnpArray *a, PyObject *const *items, Py_ssize_t nitems, GnpIndex *out, int *bool_axis)
{
    Key key;
    View v;
    int ret = -1;

    out->nindices = 0;
    out->view = NULL;
    GNP_TRY(parse_key(a, items, nitems, &key));
    view_start(&v, a);
    if (key.naxes > v.from_ndim) {
        raise_too_many(v.from_ndim, key.naxes);
        goto fail;
    }
    GNP_TRY(apply_key(&v, &key, out, bool_axis));
    GNP_NEW(out->view, view_of(a, &v));
    ret = 0;
fail:
    key_clear(&key);
    if (ret < 0) {
        gnp_index_clear(out);
    }
    return ret;
}

/* For other folders, as scatter_add, which take the same keys as a[key]. */
int
gnp_index_parse(GnpArray *a, PyObject *key, GnpIndex *out)
{
    int bool_axis, is_tuple = PyTuple_Check(key);
    return parse_general(a, is_tuple ? &PyTuple_GET_ITEM(key, 0) : &key,
                         is_tuple ? PyTuple_GET_SIZE(key) : 1, out, &bool_axis);
}

/* ---- a[key] ---------------------------------------------------------------------------------- */

/* A key with bools gives a copy, never a view, as in NumPy. */
static PyObject *
get_general(GnpArray *a, PyObject *const *items, Py_ssize_t nitems)
{
    GnpIndex index;
    PyObject *ret = NULL;
    int bool_axis;
    if (parse_general(a, items, nitems, &index, &bool_axis) < 0) {
        return NULL;
    }
    if (index.nindices == 0) {
        ret = bool_axis < 0 ? Py_NewRef((PyObject *)index.view)
                            : (PyObject *)gnp_array_copy(index.view, 'C');
    }
    else {
        ret = gnp_is_structured(a->dtype) ? gnp_structured_get(&index) : gnp_advanced_get(&index);
    }
    gnp_index_clear(&index);
    return ret;
}

/* Views need neither device nor stream, so the device is entered only for keys with arrays. */
PyObject *
gnp_array_getitem(GnpArray *a, PyObject *key)
{
    View v;
    PyObject *const *items = &key;
    Py_ssize_t nitems = 1;
    if (PyTuple_Check(key)) {
        items = &PyTuple_GET_ITEM(key, 0);
        nitems = PyTuple_GET_SIZE(key);
    }
    view_start(&v, a);
    /* Most keys end here, without an allocation but for the view. */
    int basic = apply_basic_key(&v, items, nitems);
    if (GNP_LIKELY(basic > 0)) {
        return (PyObject *)view_of(a, &v);
    }
    int previous;
    GnpArray *field;
    if (basic == 0 && gnp_is_structured(a->dtype)) {
        const int found = gnp_field_view(a, key, &field);
        if (found != 0) {
            return found < 0 ? NULL : (PyObject *)field;
        }
    }
    if (basic < 0 || gnp_array_enter(a, &previous) < 0) {
        return NULL;
    }
    PyObject *part = get_general(a, items, nitems);
    gnp_array_leave(a, previous);
    return part;
}

/* ---- a[key] = value -------------------------------------------------------------------------- */

/* A value as an array (owned, *array) or as an element of `dtype` (*scalar, *array NULL). Python
 * numbers become one element on the host, and are passed as a kernel parameter: no upload, no
 * allocation. NumPy arrays are uploaded, since the assignment names both sides explicitly. */
static int
convert_value(PyObject *value, GnpDtype dtype, GnpArray **array, GnpScalar *scalar)
{
    *array = NULL;
    if (gnp_array_check(value)) {
        if (gnp_warn_if_discarded(((GnpArray *)value)->dtype, dtype) < 0) {
            return -1;
        }
        *array = (GnpArray *)Py_NewRef(value);
        return 0;
    }
    if (GNP_UNLIKELY(gnp_is_structured(dtype))) { /* NumPy makes elements of tuples and numbers */
        *array = gnp_array_from_object(value, dtype, GNP_COPY_IF_NEEDED, 'K');
        return *array == NULL ? -1 : 0;
    }
    if (gnp_weak_kind(value) != GNP_WEAK_NONE || gnp_is_numpy_scalar(value) ||
        (gnp_has_unit(dtype) && gnp_is_date_like(value))) {
        return gnp_scalar_from_object(value, dtype, scalar);
    }
    if (gnp_is_numpy_array(value)) { /* explicit: the user names source and destination */
        *array = gnp_array_from_numpy(value, GNP_NO_DTYPE, 'K');
    }
    else if (PyList_Check(value) || PyTuple_Check(value)) {
        *array = gnp_array_from_object(value, dtype, GNP_COPY_IF_NEEDED, 'C');
    }
    else if (PyUnicode_Check(value) || PyBytes_Check(value) || value == Py_None) {
        PyErr_Format(PyExc_TypeError, "cannot store a %.200s in an array of %s",
                     Py_TYPE(value)->tp_name, gnp_dtypes[dtype].name);
        return -1;
    }
    else {
        *array = gnp_array_from_object(value, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
    }
    if (*array != NULL && gnp_warn_if_discarded((*array)->dtype, dtype) < 0) {
        Py_CLEAR(*array);
    }
    return *array == NULL ? -1 : 0;
}

/* gnp_array_assign once a's device is current, to which lists and host arrays are uploaded. */
static int
assign_here(GnpArray *a, PyObject *value)
{
    GnpArray *array;
    GnpScalar scalar;
    if (convert_value(value, (GnpDtype)a->dtype, &array, &scalar) < 0) {
        return -1;
    }
    if (array == NULL) {
        return gnp_fill(a, &scalar);
    }
    int status = gnp_copy(a, array);
    Py_DECREF((PyObject *)array);
    return status;
}

/* The device of `a` is current during the call, and the previous one afterwards. */
int
gnp_array_assign(GnpArray *a, PyObject *value)
{
    int previous;
    if (gnp_array_enter(a, &previous) < 0) {
        return -1;
    }
    int status = assign_here(a, value);
    gnp_array_leave(a, previous);
    return status;
}

/* Values on other devices are refused without the program's consent: scatter kernels read them
 * directly. */
static int
set_general(GnpArray *a, PyObject *const *items, Py_ssize_t nitems, PyObject *value)
{
    GnpIndex index;
    GnpArray *array = NULL; /* owned */
    GnpScalar scalar;
    int bool_axis;
    int ret = -1;

    if (parse_general(a, items, nitems, &index, &bool_axis) < 0) {
        return -1;
    }
    if (index.nindices == 0) {
        ret = gnp_array_assign(index.view, value);
        goto fail;
    }
    GNP_TRY(convert_value(value, (GnpDtype)a->dtype, &array, &scalar));
    if (array != NULL) {
        const int brought = gnp_array_bring(&array);
        GNP_TRY(brought != 0 ? brought
                             : gnp_device_mismatch(array->device_id, a->device_id, "the value"));
    }
    ret = gnp_is_structured(a->dtype)
              ? gnp_structured_set(&index, array)
              : gnp_advanced_set(&index, array, array == NULL ? &scalar : NULL);
fail:
    Py_XDECREF((PyObject *)array);
    gnp_index_clear(&index);
    return ret;
}

/* Checked before the key is read, so that a read-only array raises whatever the key is. */
int
gnp_array_setitem(GnpArray *a, PyObject *key, PyObject *value)
{
    View v;
    PyObject *const *items = &key;
    Py_ssize_t nitems = 1;
    if (value == NULL) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    if (gnp_check_writeable(a) < 0) {
        return -1;
    }
    if (PyTuple_Check(key)) {
        items = &PyTuple_GET_ITEM(key, 0);
        nitems = PyTuple_GET_SIZE(key);
    }
    view_start(&v, a);
    int basic = apply_basic_key(&v, items, nitems);
    if (basic == 0 && gnp_is_structured(a->dtype)) {
        GnpArray *field;
        const int found = gnp_field_view(a, key, &field);
        if (found != 0) {
            const int done = found < 0 ? -1 : gnp_array_assign(field, value);
            Py_XDECREF(found < 0 ? NULL : (PyObject *)field);
            return done;
        }
    }
    if (basic <= 0) {
        int previous;
        if (basic < 0 || gnp_array_enter(a, &previous) < 0) {
            return -1;
        }
        int done = set_general(a, items, nitems, value);
        gnp_array_leave(a, previous);
        return done;
    }
    GnpArray *view = view_of(a, &v);
    int status = view == NULL ? -1 : gnp_array_assign(view, value);
    Py_XDECREF((PyObject *)view);
    return status;
}

/* sort, argsort and the like on arrays of any layout: the axis is moved to the end, copied where it
 * is not contiguous, and the rows are sorted. The sorts themselves are in sort.c; this file
 * decides layouts. All are stable and none waits for the device. Callers hold the GIL. */
#include "select/select.h"

#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

static int
is_given(PyObject *object)
{
    return object != NULL && object != Py_None;
}

/* Any of NumPy's names, of which the first letter counts: there is one algorithm, and it is stable.
 * All kinds are the same here: radix sorts are stable. */
static int
check_kind(PyObject *kind, PyObject *stable)
{
    if (!is_given(kind)) {
        return 0;
    }
    if (is_given(stable)) {
        PyErr_SetString(PyExc_ValueError, "`kind` and keyword parameters can't be provided at the "
                                          "same time. Use only one of them.");
        return -1;
    }
    if (!PyUnicode_Check(kind)) {
        PyErr_Format(PyExc_TypeError, "sort kind must be str, not %s", Py_TYPE(kind)->tp_name);
        return -1;
    }
    if (PyUnicode_GetLength(kind) > 0 && strchr("qmhsQMHS", (int)PyUnicode_ReadChar(kind, 0))) {
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "sort kind must be one of 'quick', 'heap', or 'stable' (got %R)",
                 kind);
    return -1;
}

/* The arguments of sort and argsort after the array. */
enum { SORT_AXIS, SORT_KIND, SORT_ORDER, SORT_STABLE, SORT_DESCENDING, SORT_NARGS };

/* *axis stays as it is when none is given; *descending is 0 or 1. Shared by sort and argsort,
 * methods and functions. */
static int
parse(PyObject *const *given, const GnpArray *a, int *axis, int *descending)
{
    if (is_given(given[SORT_ORDER]) && !gnp_is_structured(a->dtype)) {
        PyErr_SetString(PyExc_ValueError, "Cannot specify order when the array has no fields.");
        return -1;
    }
    *descending = 0;
    if (is_given(given[SORT_DESCENDING])) {
        *descending = PyObject_IsTrue(given[SORT_DESCENDING]);
        if (*descending < 0) {
            return -1;
        }
    }
    if (check_kind(given[SORT_KIND], given[SORT_STABLE]) < 0) {
        return -1;
    }
    /* The default is the last axis. */
    Py_ssize_t wanted = -1;
    if (given[SORT_AXIS] != NULL) {
        wanted = PyNumber_AsSsize_t(given[SORT_AXIS], PyExc_ValueError);
        if (wanted == -1 && PyErr_Occurred()) {
            return -1;
        }
    }
    return gnp_normalize_axis(wanted, a->ndim, axis);
}

/* Records are sorted by one field after the other, in Python: `what` is a function there. */
static PyObject *
sort_records(const char *what, GnpArray *a, int axis, PyObject *const *given, int descending)
{
    PyObject *order = given[SORT_ORDER] == NULL ? Py_None : given[SORT_ORDER];
    return gnp_structured_call(what, "(OiOi)", a, axis, order, descending);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A view of `a` whose last axis is `axis`. A view: the others keep their order. */
static GnpArray *
axis_last(GnpArray *a, int axis)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int n = 0;
    for (int i = 0; i <= a->ndim; i++) {
        int from = i == a->ndim ? axis : i;
        if (i < a->ndim && i == axis) {
            continue;
        }
        shape[n] = gnp_shape(a)[from];
        strides[n++] = gnp_strides(a)[from];
    }
    return gnp_array_view(a, a->data, a->ndim, shape, strides, (GnpDtype)a->dtype);
}

/* The elements of `a` as rows along `axis`, C-contiguous: a's own memory where it has that layout.
 */
static GnpArray *
rows_along(GnpArray *a, int axis)
{
    GnpArray *readable = gnp_readable_any(a, "sort"); /* owned */
    GnpArray *view = NULL;                            /* owned */
    GnpArray *ret = NULL;
    if (readable == NULL) {
        return NULL;
    }
    GNP_NEW(view, axis_last(readable, axis));
    ret = view->flags & GNP_C_CONTIGUOUS ? (GnpArray *)Py_NewRef((PyObject *)view)
                                         : gnp_astype(view, (GnpDtype)view->dtype, 'C');
fail:
    Py_XDECREF((PyObject *)readable);
    Py_XDECREF((PyObject *)view);
    return ret;
}

/* Sorts contiguous rows into contiguous rows; `keys` and `indices` may be NULL. Units of time sort
 * as int64 with NaT last. */
static int
sort_rows(GnpArray *rows, int descending, GnpArray *keys, GnpArray *indices)
{
    if (rows->size == 0) {
        return 0;
    }
    const int64_t n = gnp_shape(rows)[rows->ndim - 1];
    GnpSortTask task = {.in = rows->data,
                        .dtype = (GnpDtype)gnp_kernel_dtype(rows->dtype),
                        .rows = rows->size / n,
                        .n = n,
                        .descending = descending,
                        .keys = keys != NULL ? keys->data : 0,
                        .indices = indices != NULL ? indices->data : 0};
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    gnp_block_record(rows->block, gnp_stream_current(device));
    return gnp_sort_run(&task);
}

/* ---- sorting and positions ------------------------------------------------------------------- */

/* Sorts `a` along `axis` into `out`, which has its shape and dtype and shares nothing with it.
 * Results of other layouts go through a contiguous array. */
static int
sort_into(GnpArray *a, int axis, int descending, GnpArray *out)
{
    GnpArray *rows = NULL, *view = NULL, *sorted = NULL; /* owned */
    int ret = -1;

    GNP_NEW(rows, rows_along(a, axis));
    GNP_NEW(view, axis_last(out, axis));
    /* Written where it is wanted, without a copy. */
    if (view->flags & GNP_C_CONTIGUOUS) {
        ret = sort_rows(rows, descending, view, NULL);
        goto fail;
    }
    GNP_NEW(sorted, gnp_array_new(rows->ndim, gnp_shape(rows), (GnpDtype)rows->dtype, 'C'));
    GNP_TRY(sort_rows(rows, descending, sorted, NULL));
    GNP_TRY(gnp_copy(view, sorted));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)rows);
    Py_XDECREF((PyObject *)view);
    Py_XDECREF((PyObject *)sorted);
    return ret;
}

/* New arrays have the layout of `a`, as NumPy's copy has. */
static GnpArray *
sorted_copy(GnpArray *a, int axis, int descending)
{
    GnpArray *out = gnp_array_new_like(a, (GnpDtype)a->dtype, 'K');
    if (out != NULL && sort_into(a, axis, descending, out) < 0) {
        Py_CLEAR(out);
    }
    return out;
}

/* a.sort(axis): in place, when the axis is contiguous. Without a second array where the passes
 * allow it. */
static int
sort_here(GnpArray *a, int axis, int descending)
{
    GnpArray *view = NULL, *sorted = NULL; /* owned */
    int ret = -1;
    GNP_NEW(view, axis_last(a, axis));
    if (a->size == 0) {
        ret = 0;
    }
    /* One-byte types have one pass, which would end in the other buffer. */
    else if (view->flags & GNP_C_CONTIGUOUS && view->flags & GNP_ALIGNED &&
             gnp_sort_in_place((GnpDtype)a->dtype, gnp_shape(a)[axis])) {
        ret = sort_rows(view, descending, view, NULL);
    }
    else {
        GNP_NEW(sorted, sorted_copy(a, axis, descending));
        ret = gnp_copy(a, sorted);
    }
fail:
    Py_XDECREF((PyObject *)view);
    Py_XDECREF((PyObject *)sorted);
    return ret;
}

/* Positions along `axis` in C order; `keys`, when not NULL, becomes the sorted rows, axis last. C
 * order whatever the input's layout, as in NumPy. */
static GnpArray *
sorted_indices(GnpArray *a, int axis, int descending, GnpArray **keys)
{
    GnpArray *rows = NULL, *indices = NULL, *view = NULL; /* owned */
    GnpArray *ret = NULL;

    GNP_NEW(rows, rows_along(a, axis));
    GNP_NEW(indices, gnp_array_new(rows->ndim, gnp_shape(rows), GNP_I64, 'C'));
    if (keys != NULL) {
        GNP_NEW(*keys, gnp_array_new(rows->ndim, gnp_shape(rows), (GnpDtype)rows->dtype, 'C'));
    }
    GNP_TRY(sort_rows(rows, descending, keys != NULL ? *keys : NULL, indices));
    /* The rows are the result already. */
    if (axis == a->ndim - 1) {
        ret = (GnpArray *)Py_NewRef((PyObject *)indices);
        goto fail;
    }
    GNP_NEW(ret, gnp_array_new(a->ndim, gnp_shape(a), GNP_I64, 'C'));
    view = axis_last(ret, axis);
    if (view == NULL || gnp_copy(view, indices) < 0) {
        Py_CLEAR(ret);
    }
fail:
    Py_XDECREF((PyObject *)rows);
    Py_XDECREF((PyObject *)indices);
    Py_XDECREF((PyObject *)view);
    return ret;
}

/* ---- methods and functions ------------------------------------------------------------------- */

/* Sorting in place must not lose an unaligned array's result, hence the copy back. */
PyObject *
array_sort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("sort(" GNP_TEXT_SORT);
    GnpArray *a = (GnpArray *)self, *here = NULL; /* owned */
    PyObject *given[SORT_NARGS], *ret = NULL;
    int axis, descending;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(parse(given, a, &axis, &descending));
    GNP_TRY(gnp_check_writeable(a));
    if (GNP_UNLIKELY(gnp_is_structured(a->dtype))) {
        return sort_records("sort_in_place", a, axis, given, descending);
    }
    GNP_NEW(here, gnp_readable_any(a, "sort")); /* a copy of a misaligned array comes back below */
    GNP_TRY(sort_here(here, axis, descending));
    if (here != a) {
        GNP_TRY(gnp_copy(a, here));
    }
    ret = Py_NewRef(Py_None);
fail:
    Py_XDECREF((PyObject *)here);
    return ret;
}

/* axis=None sorts the flattened array. */
PyObject *
array_argsort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("argsort(" GNP_TEXT_SORT);
    GnpArray *a = (GnpArray *)self, *flat = NULL; /* owned */
    PyObject *number = NULL;                      /* owned */
    PyObject *given[SORT_NARGS], *ret = NULL;
    int axis, descending;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    if (given[SORT_AXIS] == Py_None || a->ndim == 0) { /* a number is one element, as in NumPy */
        GNP_NEW(flat, gnp_array_ravel(a, 'C'));
        a = flat;
        given[SORT_AXIS] = given[SORT_AXIS] == Py_None ? NULL : given[SORT_AXIS];
    }
    if (given[SORT_AXIS] != NULL) {
        GNP_NEW(number, gnp_axis_number(given[SORT_AXIS])); /* sort takes a bool, argsort none */
        given[SORT_AXIS] = number;
    }
    GNP_TRY(parse(given, a, &axis, &descending));
    ret = GNP_UNLIKELY(gnp_is_structured(a->dtype))
              ? sort_records("argsort", a, axis, given, descending)
              : (PyObject *)sorted_indices(a, axis, descending, NULL);
fail:
    Py_XDECREF((PyObject *)flat);
    Py_XDECREF(number);
    return ret;
}

/* a[...] = gpunp.partition(a, ...). The Python function chooses between the algorithms. */
PyObject *
array_partition(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("partition(kth, axis=-1, kind='introselect', order=None)");
    static const char *const names[4] = {NULL, "axis", "kind", "order"};
    PyObject *package = NULL, *function = NULL, *positional = NULL; /* owned */
    PyObject *options = NULL, *sorted = NULL;                       /* owned */
    PyObject *given[4], *ret = NULL;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_check_writeable((GnpArray *)self));
    GNP_NEW(package, PyImport_ImportModule("gpunp"));
    GNP_NEW(function, PyObject_GetAttrString(package, "partition"));
    GNP_NEW(positional, PyTuple_Pack(2, self, given[0]));
    GNP_NEW(options, PyDict_New());
    for (int i = 1; i < 4; i++) {
        if (given[i] != NULL) {
            GNP_TRY(PyDict_SetItemString(options, names[i], given[i]));
        }
    }
    GNP_NEW(sorted, PyObject_Call(function, positional, options));
    GNP_TRY(gnp_copy((GnpArray *)self, (GnpArray *)sorted));
    ret = Py_NewRef(Py_None);
fail:
    Py_XDECREF(package);
    Py_XDECREF(function);
    Py_XDECREF(positional);
    Py_XDECREF(options);
    Py_XDECREF(sorted);
    return ret;
}

PyDoc_STRVAR(sorted_doc, "sorted_copy(a, " GNP_TEXT_SORT "\n--\n\n"
                         "A copy of `a` sorted along an axis, its memory ordered as a's.");

/* The function behind gpunp.sort, for any axis. */
static PyObject *
sorted_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("sorted_copy(a, " GNP_TEXT_SORT);
    PyObject *given[1 + SORT_NARGS];
    int axis, descending;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    if (!gnp_array_check(given[0])) {
        PyErr_Format(PyExc_TypeError, "sort() takes a gpunp array, not %s",
                     Py_TYPE(given[0])->tp_name);
        return NULL;
    }
    GnpArray *a = (GnpArray *)given[0];
    if (parse(given + 1, a, &axis, &descending) < 0) {
        return NULL;
    }
    if (GNP_UNLIKELY(gnp_is_structured(a->dtype))) {
        return sort_records("sort", a, axis, given + 1, descending);
    }
    return (PyObject *)sorted_copy(a, axis, descending);
}

PyDoc_STRVAR(pairs_doc, "sorted_pairs(a)\n--\n\n"
                        "The sorted rows along the last axis, and where each element was.");

/* For unique() with indices: one sort gives both. */
static PyObject *
pairs_function(PyObject *Py_UNUSED(module), PyObject *object)
{
    GnpArray *keys = NULL, *indices = NULL; /* owned */
    PyObject *ret = NULL;
    if (!gnp_array_check(object) || ((GnpArray *)object)->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "sorted_pairs() takes an array of one dimension or more");
        return NULL;
    }
    GnpArray *a = (GnpArray *)object;
    if (GNP_UNLIKELY(gnp_is_structured(a->dtype))) {
        return gnp_structured_call("sorted_pairs", "(O)", a);
    }
    GNP_NEW(indices, sorted_indices(a, a->ndim - 1, 0, &keys));
    ret = PyTuple_Pack(2, keys, indices);
fail:
    Py_XDECREF((PyObject *)keys);
    Py_XDECREF((PyObject *)indices);
    return ret;
}

PyDoc_STRVAR(values_doc,
             "sorted_values(keys, values, bits)\n--\n\n"
             "Sorted keys that are not negative and differ in their low bits, and the values of 4\n"
             "or 8 bytes that belong to them; without values, where each key was.");

/* Contiguous arrays of one axis: the keys, what moves along or NULL, and the upper halves of words.
 */
typedef struct {
    GnpArray *keys, *values, *above; /* owned */
} Line;

/* Sorts by bits [first, bits) of the keys; what moves along ends up in `along`. */
static int
sort_line(const Line *line, int first, int bits, GnpArray *out, GnpArray *along)
{
    GnpArray *const parts[] = {line->keys, line->values, line->above};
    if (line->keys->size == 0) {
        return 0;
    }
    GnpSortTask task = {.in = line->keys->data,
                        .dtype = (GnpDtype)gnp_kernel_dtype(line->keys->dtype),
                        .rows = 1,
                        .n = line->keys->size,
                        .keys = out->data,
                        .indices = along->data,
                        .values = line->values != NULL ? line->values->data : 0,
                        .above = line->above != NULL ? line->above->data : 0,
                        .value_bytes = (int)gnp_itemsize(along),
                        .bits = bits,
                        .first = first};
    task.is_words = line->values != NULL && gnp_itemsize(line->values) != task.value_bytes;
    task.is_narrow = line->values == NULL && task.value_bytes == 4;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    for (int i = 0; i < 3; i++) {
        if (parts[i] != NULL) {
            gnp_block_record(parts[i]->block, stream);
        }
    }
    return gnp_sort_run(&task);
}

/* (sorted keys, what moved along, of `dtype`) of a row. */
static PyObject *
sorted_along(const Line *line, GnpDtype dtype, int first, int bits)
{
    const int64_t n = line->keys->size;
    GnpArray *out = NULL, *along = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_NEW(out, gnp_array_new(1, &n, (GnpDtype)line->keys->dtype, 'C'));
    GNP_NEW(along, gnp_array_new(1, &n, dtype, 'C'));
    GNP_TRY(sort_line(line, first, bits, out, along));
    ret = PyTuple_Pack(2, out, along);
fail:
    Py_XDECREF((PyObject *)out);
    Py_XDECREF((PyObject *)along);
    return ret;
}

static void
line_clear(Line *line)
{
    Py_XDECREF((PyObject *)line->keys);
    Py_XDECREF((PyObject *)line->values);
    Py_XDECREF((PyObject *)line->above);
}

/* Arrays of one axis, as sorted_values needs. */
static int
is_line(PyObject *object)
{
    return gnp_array_check(object) && ((GnpArray *)object)->ndim == 1;
}

/* For sparse matrices: only `bits` low bits are sorted, so fewer passes are needed. */
static PyObject *
values_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("sorted_values(keys, values, bits)");
    Line line = {NULL, NULL, NULL}; /* owned */
    PyObject *given[3], *ret = NULL;
    int bits;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_int_from_object(given[2], "bits", &bits));
    const int with = given[1] != Py_None;
    if (!is_line(given[0]) || (with && !is_line(given[1]))) {
        PyErr_SetString(PyExc_TypeError, "sorted_values() takes gpunp arrays of one axis");
        goto fail;
    }
    GNP_NEW(line.keys, rows_along((GnpArray *)given[0], 0));
    if (with) {
        GNP_NEW(line.values, rows_along((GnpArray *)given[1], 0));
    }
    const int64_t bytes = with ? gnp_itemsize(line.values) : 8, n = line.keys->size;
    if ((line.keys->dtype != GNP_I32 && line.keys->dtype != GNP_I64) ||
        (bytes != 4 && bytes != 8) || (with && line.values->size != n)) {
        PyErr_SetString(PyExc_ValueError, "sorted_values() takes integers of 4 or 8 bytes, and "
                                          "as many values of 4 or 8 bytes");
        goto fail;
    }
    const GnpDtype dtype = with ? (GnpDtype)line.values->dtype : GNP_I64;
    ret = sorted_along(&line, dtype, 0, bits);
fail:
    line_clear(&line);
    return ret;
}

PyDoc_STRVAR(places_doc, "sorted_places(a)\n--\n\n"
                         "A sorted row of less than 2^32 elements, and where each was, as uint32.");

/* For ranks: the last pass writes half of what positions of 8 bytes would take. */
static PyObject *
places_function(PyObject *Py_UNUSED(module), PyObject *object)
{
    Line line = {NULL, NULL, NULL}; /* owned */
    PyObject *ret = NULL;
    if (!is_line(object) || gnp_is_structured(((GnpArray *)object)->dtype) ||
        ((GnpArray *)object)->size > UINT32_MAX) {
        PyErr_SetString(PyExc_TypeError, "sorted_places() takes a row of less than 2^32 numbers");
        goto fail;
    }
    GNP_NEW(line.keys, rows_along((GnpArray *)object, 0));
    ret = sorted_along(&line, GNP_U32, 0, 0);
fail:
    line_clear(&line);
    return ret;
}

PyDoc_STRVAR(words_doc,
             "sorted_words(keys, low, above, first, bits)\n--\n\n"
             "Keys that are not negative, sorted by their bits [first, bits), equal ones in their\n"
             "order, and words of 8 bytes that belong to them: of `low`, and of `above` or where\n"
             "each key was.");

/* For sparse matrices: the first pass makes the words, so that nobody has to write them before. */
static PyObject *
words_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("sorted_words(keys, low, above, first, bits)");
    Line line = {NULL, NULL, NULL}; /* owned */
    PyObject *given[5], *ret = NULL;
    int first, bits, with;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_int_from_object(given[3], "first", &first));
    GNP_TRY(gnp_int_from_object(given[4], "bits", &bits));
    with = given[2] != Py_None;
    if (!is_line(given[0]) || !is_line(given[1]) || (with && !is_line(given[2]))) {
        PyErr_SetString(PyExc_TypeError, "sorted_words() takes gpunp arrays of one axis");
        goto fail;
    }
    GNP_NEW(line.keys, rows_along((GnpArray *)given[0], 0));
    GNP_NEW(line.values, rows_along((GnpArray *)given[1], 0));
    if (with) {
        GNP_NEW(line.above, rows_along((GnpArray *)given[2], 0));
    }
    const int64_t n = line.keys->size;
    if (line.keys->dtype != GNP_I32 || gnp_itemsize(line.values) != 4 || line.values->size != n ||
        (with && (gnp_itemsize(line.above) != 4 || line.above->size != n)) || first < 0 ||
        bits <= first || bits > 31 || n > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "sorted_words() takes int32, as many halves of 4 bytes, "
                                          "and 0 <= first < bits < 32");
        goto fail;
    }
    ret = sorted_along(&line, GNP_U64, first, bits);
fail:
    line_clear(&line);
    return ret;
}

static PyMethodDef functions[] = {
    {"sorted_copy", GNP_FAST(sorted_function), METH_FASTCALL | METH_KEYWORDS, sorted_doc},
    {"sorted_pairs", pairs_function, METH_O, pairs_doc},
    {"sorted_places", places_function, METH_O, places_doc},
    {"sorted_values", GNP_FAST(values_function), METH_FASTCALL | METH_KEYWORDS, values_doc},
    {"sorted_words", GNP_FAST(words_function), METH_FASTCALL | METH_KEYWORDS, words_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_sort_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

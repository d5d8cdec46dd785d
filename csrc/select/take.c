/* take, take_along_axis and put: one index array that selects along one axis. Each is a Gather,
 * as general indexing is (gather.h, advanced.c). Indices out of bounds wrap in the kernel, which
 * needs no wait; put() alone can raise for them, and then waits. All hold the GIL. */
#include "select/gather.h"

#include <string.h>

typedef GnpGather Gather;

/* ---- take ------------------------------------------------------------------------------------ */

/* `a` is the index and `b` the size of the axis. */
static const GnpElementOp clip_op = {
    .name = "clip_index", .expression = "a < 0 ? 0 : a < b ? a : b - 1", .nin = 2, .nout = 1};

/* The indices of take(): any integers; clipped to [0, size) in mode 'clip'. Clipping happens here,
 * in one launch: the gather then wraps nothing. */
static GnpArray *
take_indices(PyObject *object, int64_t size, int clip)
{
    GnpArray *index = gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
    if (index != NULL && index->size == 0 && !gnp_array_check(object) &&
        !gnp_is_numpy_array(object)) {
        Py_SETREF(index, gnp_astype(index, GNP_I64, 'C')); /* [] */
    }
    if (index == NULL) {
        return NULL;
    }
    if (!gnp_can_cast(index->dtype, GNP_I64, GNP_CAST_SAME_KIND)) {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from dtype('%s') to dtype('int64') according to the "
                     "rule 'safe'",
                     gnp_dtypes[index->dtype].name);
        Py_DECREF((PyObject *)index);
        return NULL;
    }
    /* take() uses truth values as the integers 0 and 1; clipping needs memory of its own to
     * write to. */
    if (index->dtype == GNP_BOOL || clip) {
        Py_SETREF(index, gnp_astype(index, GNP_I64, 'C'));
    }
    if (index != NULL && clip) {
        GnpOperand self = {.data = index->data,
                           .block = index->block,
                           .strides = gnp_strides(index),
                           .dtype = GNP_I64,
                           .compute = GNP_I64};
        GnpOperand operands[] = {
            self, {.scalar = &size, .dtype = GNP_I64, .compute = GNP_I64}, self};
        if (gnp_elementwise(&clip_op, operands, index->ndim, gnp_shape(index)) < 0) {
            Py_CLEAR(index);
        }
    }
    return index;
}

/* 'raise' follows set_index_mode, as all indexing does. */
static int
parse_mode(PyObject *mode, int *clip, int *wraps)
{
    const int is_default = mode == NULL || mode == Py_None;
    const char *text = is_default ? "raise" : PyUnicode_Check(mode) ? PyUnicode_AsUTF8(mode) : "";
    if (text == NULL) {
        return -1;
    }
    *clip = strcmp(text, "clip") == 0;
    *wraps = strcmp(text, "wrap") == 0;
    if (!*clip && !*wraps && strcmp(text, "raise") != 0) {
        PyErr_Format(PyExc_ValueError,
                     "clipmode must be one of 'clip', 'raise', or 'wrap' (got %R)", mode);
        return -1;
    }
    return 0;
}

/* Any cast, as gnp_copy makes; the shape has to agree. */
static int
copy_out(GnpArray *out, GnpArray *result)
{
    int same = out->ndim == result->ndim;
    for (int i = 0; same && i < out->ndim; i++) {
        same = gnp_shape(out)[i] == gnp_shape(result)[i];
    }
    if (!same) {
        PyErr_SetString(PyExc_ValueError, "output array does not match result of ndarray.take");
        return -1;
    }
    return gnp_check_writeable(out) < 0 ? -1 : gnp_copy(out, result);
}

static PyObject *take(GnpArray *a, PyObject *const *bound);

/* The axis of an array of one axis or more; -1 with an exception. */
static int
axis_argument(PyObject *object, int ndim)
{
    int axis;
    Py_ssize_t value = PyNumber_AsSsize_t(object, PyExc_IndexError);
    return (value == -1 && PyErr_Occurred()) || gnp_normalize_axis(value, ndim, &axis) < 0 ? -1
                                                                                           : axis;
}

/* The same for `take`, which refuses a bool, as NumPy's does. */
static int
take_axis(PyObject *object, int ndim)
{
    PyObject *number = gnp_axis_number(object);
    const int axis = number == NULL ? -1 : axis_argument(number, ndim);
    Py_XDECREF(number);
    return axis;
}

/* Words of structured elements, whose axis comes behind the one that is taken from. */
static PyObject *
take_structured(GnpArray *a, PyObject *const *bound)
{
    GnpArray *line = NULL, *words = NULL, *result = NULL; /* owned */
    PyObject *axis = NULL, *ret = NULL;                   /* axis is owned */
    const int64_t end = gnp_itemsize(a);
    const int is_flat = bound[1] == NULL || bound[1] == Py_None;
    const int has_out = bound[2] != NULL && bound[2] != Py_None;
    GNP_NEW(line, is_flat || a->ndim == 0 ? gnp_array_ravel(a, 'C')
                                          : (GnpArray *)Py_NewRef((PyObject *)a));
    const int at = is_flat ? 0 : take_axis(bound[1], line->ndim);
    GNP_TRY(at);
    GNP_NEW(axis, PyLong_FromLong(at));
    GNP_NEW(words, gnp_words(line, 0, end, gnp_word_bytes(line, 0, end)));
    PyObject *const inner[4] = {bound[0], axis, NULL, bound[3]};
    GNP_NEW(result, (GnpArray *)take(words, inner));
    result = gnp_array_from_words(result, (GnpDtype)a->dtype);
    if (result != NULL && has_out && !gnp_array_check(bound[2])) {
        PyErr_Format(PyExc_TypeError, "out must be a gpunp array, not %s",
                     Py_TYPE(bound[2])->tp_name);
    }
    else if (result != NULL && (!has_out || copy_out((GnpArray *)bound[2], result) == 0)) {
        ret = Py_NewRef(has_out ? bound[2] : (PyObject *)result);
    }
fail:
    Py_XDECREF((PyObject *)line);
    Py_XDECREF((PyObject *)words);
    Py_XDECREF((PyObject *)result);
    Py_XDECREF(axis);
    return ret;
}

/* bound: indices, axis, out, mode. One gather along one axis. */
static PyObject *
take(GnpArray *a, PyObject *const *bound)
{
    if (GNP_UNLIKELY(gnp_is_structured(a->dtype))) {
        return take_structured(a, bound);
    }
    GnpArray *aligned = NULL, *flat = NULL, *result = NULL, *index = NULL; /* owned */
    PyObject *ret = NULL;
    Gather g = {0};
    int axis = 0, clip = 0;

    GNP_NEW(aligned, gnp_readable_any(a, "take"));
    g.view = aligned;
    /* Arguments are checked before any work is queued. */
    GNP_TRY(parse_mode(bound[3], &clip, &g.wraps));
    if (bound[2] != NULL && bound[2] != Py_None && !gnp_array_check(bound[2])) {
        PyErr_Format(PyExc_TypeError, "out must be a gpunp array, not %s",
                     Py_TYPE(bound[2])->tp_name);
        goto fail;
    }
    int is_flat = bound[1] == NULL || bound[1] == Py_None;
    if (is_flat || a->ndim == 0) { /* a number is one element, as in NumPy */
        GNP_NEW(flat, gnp_array_ravel(aligned, 'C'));
        g.view = flat;
    }
    if (!is_flat) {
        axis = take_axis(bound[1], g.view->ndim);
        GNP_TRY(axis);
    }
    GNP_NEW(index, take_indices(bound[0], gnp_shape(g.view)[axis], clip));
    gnp_gather_push(&g, (GnpArray *)Py_NewRef((PyObject *)index), axis);
    g.result_axis = axis;
    g.clips = clip || g.wraps; /* then an empty result needs no element to take */
    GNP_TRY(gnp_gather_shapes(&g));
    /* Even with out=: it may overlap the array or be of another dtype. */
    GNP_NEW(result, gnp_gather_take(&g, 'C'));
    if (bound[2] != NULL && bound[2] != Py_None) {
        GNP_TRY(copy_out((GnpArray *)bound[2], result));
        ret = Py_NewRef(bound[2]);
    }
    else {
        ret = Py_NewRef((PyObject *)result);
    }
fail:
    gnp_gather_clear(&g);
    Py_XDECREF((PyObject *)index);
    Py_XDECREF((PyObject *)flat);
    Py_XDECREF((PyObject *)aligned);
    Py_XDECREF((PyObject *)result);
    return ret;
}

/* The method of arrays: the function without its first argument. */
PyObject *
array_take(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("take(indices, axis=None, out=None, mode='raise')");
    PyObject *bound[4];
    return gnp_args_bind(&signature, args, nargs, kwnames, bound) < 0
               ? NULL
               : take((GnpArray *)self, bound);
}

PyDoc_STRVAR(take_doc, "take($module, a, indices, axis=None, out=None, mode='raise')\n--\n\n"
                       "Take elements along an axis by index.\n\n"
                       "Indices out of bounds wrap around, unless set_index_mode('raise') is on;\n"
                       "mode='clip' clips them.");

/* NumPy arrays are refused: they are on the host. */
static PyObject *
advanced_take(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("take(a, indices, axis=None, out=None, mode='raise')");
    PyObject *bound[5];
    if (gnp_args_bind(&signature, args, nargs, kwnames, bound) < 0) {
        return NULL;
    }
    if (!gnp_array_check(bound[0])) {
        PyErr_Format(PyExc_TypeError,
                     "take() takes a gpunp array, not %s; convert it with gpunp.asarray()",
                     Py_TYPE(bound[0])->tp_name);
        return NULL;
    }
    return take((GnpArray *)bound[0], bound + 1);
}

PyDoc_STRVAR(take_along_doc, "take_along(a, indices, axis)\n--\n\n"
                             "Take a[..., indices[..., i, ...], ...] along an axis. Beside it the\n"
                             "shapes of the two are equal or 1.");

static PyObject *advanced_take_along(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                                     PyObject *kwnames);

/* The indices get an axis beside that of the words. */
static PyObject *
take_along_structured(GnpArray *a, GnpArray *index, PyObject *axis_object)
{
    GnpArray *words = NULL, *beside = NULL; /* owned */
    PyObject *axis = NULL, *ret = NULL;     /* axis is owned */
    const int64_t end = gnp_itemsize(a);
    const int at = axis_argument(axis_object, a->ndim);
    GNP_TRY(at);
    GNP_NEW(axis, PyLong_FromLong(at));
    GNP_NEW(words, gnp_words(a, 0, end, gnp_word_bytes(a, 0, end)));
    GNP_NEW(beside, gnp_beside_words(index));
    PyObject *const args[] = {(PyObject *)words, (PyObject *)beside, axis};
    ret = advanced_take_along(NULL, args, 3, NULL);
    if (ret != NULL) {
        ret = (PyObject *)gnp_array_from_words((GnpArray *)ret, (GnpDtype)a->dtype);
    }
fail:
    Py_XDECREF((PyObject *)words);
    Py_XDECREF((PyObject *)beside);
    Py_XDECREF(axis);
    return ret;
}

/* Indices and array advance together along the other axes, so they broadcast against each other. */
static PyObject *
advanced_take_along(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("take_along(a, indices, axis)");
    GnpArray *result = NULL, *aligned = NULL, *index = NULL; /* the last two owned */
    int64_t beside[GNP_MAX_DIMS];
    PyObject *bound[3];
    Gather g = {.along = 1};
    int axis = 0;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    if (!gnp_array_check(bound[0]) || !gnp_array_check(bound[1])) {
        PyErr_SetString(PyExc_TypeError, "take_along() takes gpunp arrays");
        goto fail;
    }
    if (GNP_UNLIKELY(gnp_is_structured(((GnpArray *)bound[0])->dtype))) {
        return take_along_structured((GnpArray *)bound[0], (GnpArray *)bound[1], bound[2]);
    }
    axis = axis_argument(bound[2], ((GnpArray *)bound[0])->ndim);
    GNP_TRY(axis);
    GNP_NEW(aligned, gnp_readable_any((GnpArray *)bound[0], "take_along_axis"));
    g.view = aligned;
    GNP_NEW(index, take_indices(bound[1], gnp_shape(aligned)[axis], 0));
    gnp_gather_push(&g, (GnpArray *)Py_NewRef((PyObject *)index), axis);
    g.bndim = g.ndim = index->ndim;
    memcpy(g.bshape, gnp_shape(index), (size_t)index->ndim * sizeof *g.bshape);
    memcpy(beside, gnp_shape(aligned), (size_t)aligned->ndim * sizeof *beside);
    /* The axis itself has the length of the indices in the result. */
    beside[axis] = 1;
    GNP_TRY(gnp_broadcast_shape(&g.bndim, g.bshape, aligned->ndim, beside));
    memcpy(g.shape, g.bshape, sizeof g.shape);
    g.ndim = g.bndim;
    if (g.ndim != aligned->ndim) {
        PyErr_SetString(PyExc_ValueError,
                        "`indices` and `arr` must have the same number of dimensions");
        goto fail;
    }
    /* Wrapping is undefined in an empty axis. */
    if (g.size[0] == 0 && index->size > 0) {
        PyErr_SetString(PyExc_IndexError, "index is out of bounds for axis with size 0");
        goto fail;
    }
    result = gnp_gather_take(&g, 'C');
fail:
    gnp_gather_clear(&g);
    Py_XDECREF((PyObject *)index);
    Py_XDECREF((PyObject *)aligned);
    return (PyObject *)result;
}

/* ---- put ------------------------------------------------------------------------------------- */

/* IndexError for the index at `position` of the flattened indices. Reads the one index that was
 * rejected, for the message. */
static int
raise_out_of_bounds(GnpArray *index, int64_t position, int64_t size)
{
    /* A view of one element, read back after the failure only. */
    const int64_t stride = 0, one = 1;
    GnpArray *at = NULL, *wide = NULL; /* owned */
    GnpScalar element;
    GNP_NEW(at, gnp_array_view(index, index->data + (CUdeviceptr)(position * gnp_strides(index)[0]),
                               1, &one, &stride, (GnpDtype)index->dtype));
    GNP_NEW(wide, gnp_astype(at, GNP_I64, 'C'));
    GNP_TRY(gnp_array_read_element(wide, &element));
    PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis 0 with size %lld",
                 (long long)element.i, (long long)size);
fail:
    Py_XDECREF((PyObject *)at);
    Py_XDECREF((PyObject *)wide);
    return -1;
}

/* The launch, and a check for indices that it rejected. The kernel stores what is in bounds and
 * records the first index that is not: NumPy stores up to there. The wait is the price of the
 * exception. Each index stands for the elements of a row: one, or the words of a structure. */
static int
put_checked(const Gather *g, const GnpArray *value, const int64_t *strides)
{
    const int64_t row = g->ndim > 1 ? g->shape[1] : 1;
    GnpBlock *word = NULL; /* owned */
    uint64_t position;
    int ret = -1;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    GNP_NEW(word, gnp_block_new(device, sizeof position, stream));
    /* All ones: above every position, so that the least of the rejected ones remains. */
    CU_TRY_QUEUE(cuMemsetD32Async(word->ptr, UINT32_MAX, 2, stream));
    GNP_TRY(gnp_gather_scatter(g, value, strides, NULL, word->ptr));
    GNP_TRY(gnp_copy_d2h(&position, word->ptr, sizeof position, stream));
    ret = position == UINT64_MAX
              ? 0
              : raise_out_of_bounds(g->index[0], (int64_t)position / row, g->size[0]);
fail:
    gnp_block_release(word);
    return ret;
}

PyDoc_STRVAR(put_doc,
             "put(a, indices, values, wraps)\n--\n\n"
             "Store values at places of a 1-d array; both run side by side or `values` is\n"
             "one. Places beyond the array wrap, or raise IndexError after all the others\n"
             "are stored, for which the call waits.");

static PyObject *take_put(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);

/* The words of structures, of both arrays alike; the values have the dtype of `a`. */
static int
put_structured(GnpArray *a, PyObject *index, GnpArray *value, PyObject *wraps)
{
    GnpArray *to = NULL, *from = NULL; /* owned */
    PyObject *done = NULL;             /* owned */
    const int64_t end = gnp_itemsize(a), of_a = gnp_word_bytes(a, 0, end),
                  of_value = gnp_word_bytes(value, 0, end);
    if (value->dtype != a->dtype) {
        PyErr_SetString(PyExc_TypeError, "put() takes values of the dtype of the array");
        return -1;
    }
    GNP_NEW(to, gnp_words(a, 0, end, of_a < of_value ? of_a : of_value));
    GNP_NEW(from, gnp_words(value, 0, end, gnp_itemsize(to)));
    PyObject *const args[] = {(PyObject *)to, index, (PyObject *)from, wraps};
    done = take_put(NULL, args, 4, NULL);
fail:
    Py_XDECREF((PyObject *)to);
    Py_XDECREF((PyObject *)from);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* Python has flattened the arguments and repeated the values. */
static PyObject *
take_put(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("put(a, indices, values, wraps)");
    GnpArray *value = NULL, *aligned = NULL; /* owned */
    PyObject *bound[4], *ret = NULL;
    int64_t strides[GNP_MAX_DIMS] = {0};
    Gather g = {.wraps = 1};

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    for (int k = 0; k < 3; k++) {
        const int most = k == 0 ? 2 : 1; /* axes: the second one is that of words */
        if (!gnp_array_check(bound[k]) ||
            (k < 2 && (((GnpArray *)bound[k])->ndim < 1 || ((GnpArray *)bound[k])->ndim > most))) {
            PyErr_SetString(PyExc_TypeError, "put() takes gpunp arrays of one axis");
            goto fail;
        }
    }
    GnpArray *a = (GnpArray *)bound[0];
    GNP_TRY(gnp_check_writeable(a));
    if (GNP_UNLIKELY(gnp_is_structured(a->dtype))) {
        GNP_TRY(put_structured(a, bound[1], (GnpArray *)bound[2], bound[3]));
        return Py_NewRef(Py_None);
    }
    GNP_NEW(aligned, gnp_readable_any(a, "put"));
    g.view = aligned;
    gnp_gather_push(&g, (GnpArray *)Py_NewRef(bound[1]), 0);
    GNP_TRY(gnp_gather_shapes(&g));
    GNP_NEW(value, gnp_gather_value(&g, (GnpArray *)bound[2], (GnpDtype)g.view->dtype, strides));
    if (g.shape[0] > 0) {
        GNP_TRY(gnp_gather_unify(&g, GNP_GATHER_WRITES));
        GNP_TRY(bound[3] == Py_True ? gnp_gather_scatter(&g, value, strides, NULL, 0)
                                    : put_checked(&g, value, strides));
        /* An unaligned array was written as a copy. */
        GNP_TRY(aligned != a ? gnp_copy(a, aligned) : 0);
    }
    ret = Py_NewRef(Py_None);
fail:
    gnp_gather_clear(&g);
    Py_XDECREF((PyObject *)value);
    Py_XDECREF((PyObject *)aligned);
    return ret;
}

static PyMethodDef functions[] = {
    {"take_along", (PyCFunction)(void (*)(void))advanced_take_along, METH_FASTCALL | METH_KEYWORDS,
     take_along_doc},
    {"take", (PyCFunction)(void (*)(void))advanced_take, METH_FASTCALL | METH_KEYWORDS, take_doc},
    {"put", GNP_FAST(take_put), METH_FASTCALL | METH_KEYWORDS, put_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_take_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

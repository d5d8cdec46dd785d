/* repr and str: NumPy prints a host copy.
 *
 * Of an array that NumPy would summarise, only the items it shows cross the bus: every long axis is
 * cut to its edges with one item in between, and the printed shape is put right afterwards.
 */
#include "core/core_internal.h"

#include <string.h>

typedef struct {
    int64_t threshold, edge_items, line_width;
} Options;

static int
read_option(PyObject *dict, const char *name, int64_t *out)
{
    PyObject *value = PyDict_GetItemString(dict, name); /* borrowed */
    if (value == NULL || !PyLong_Check(value)) { /* threshold may be sys.maxsize or a float inf */
        *out = value != NULL && PyFloat_Check(value) ? INT64_MAX : 0;
        return 0;
    }
    int overflow;
    *out = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) {
        *out = INT64_MAX;
    }
    return 0;
}

static int
read_options(Options *options)
{
    PyObject *dict = PyObject_CallMethod(gnp_state.numpy, "get_printoptions", NULL);
    if (dict == NULL) {
        return -1;
    }
    int status = PyDict_Check(dict) && read_option(dict, "threshold", &options->threshold) == 0 &&
                         read_option(dict, "edgeitems", &options->edge_items) == 0 &&
                         read_option(dict, "linewidth", &options->line_width) == 0
                     ? 0
                     : -1;
    Py_DECREF(dict);
    return status;
}

/* Copies the first and last `edge` items of every long axis into `dst`, block by block. */
static int
copy_edges(GnpArray *dst, GnpArray *src, int axis, int64_t edge)
{
    int64_t shape[2][GNP_MAX_DIMS];
    if (axis == src->ndim) {
        return gnp_copy(dst, src);
    }
    int64_t length = gnp_shape(src)[axis];
    if (length <= 2 * edge + 1) {
        return copy_edges(dst, src, axis + 1, edge);
    }
    for (int side = 0; side < 2; side++) {
        int64_t n = side == 0 ? edge + 1 : edge; /* the item in between comes with the first block */
        int64_t dst_at = side == 0 ? 0 : edge + 1, src_at = side == 0 ? 0 : length - edge;
        memcpy(shape[0], gnp_shape(dst), (size_t)dst->ndim * sizeof(int64_t));
        memcpy(shape[1], gnp_shape(src), (size_t)src->ndim * sizeof(int64_t));
        shape[0][axis] = shape[1][axis] = n;
        if (n == 0) {
            continue;
        }
        GnpArray *d = gnp_array_view(dst, dst->data + (CUdeviceptr)(dst_at * gnp_strides(dst)[axis]),
                                     dst->ndim, shape[0], gnp_strides(dst), (GnpDtype)dst->dtype);
        GnpArray *s = gnp_array_view(src, src->data + (CUdeviceptr)(src_at * gnp_strides(src)[axis]),
                                     src->ndim, shape[1], gnp_strides(src), (GnpDtype)src->dtype);
        int status = d == NULL || s == NULL ? -1 : copy_edges(d, s, axis + 1, edge);
        Py_XDECREF((PyObject *)d);
        Py_XDECREF((PyObject *)s);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

static GnpArray *
edges_of(GnpArray *a, int64_t edge)
{
    int64_t shape[GNP_MAX_DIMS];
    for (int i = 0; i < a->ndim; i++) {
        int64_t length = gnp_shape(a)[i];
        shape[i] = length > 2 * edge + 1 ? 2 * edge + 1 : length;
    }
    GnpArray *edges = gnp_array_new(a->ndim, shape, (GnpDtype)a->dtype, 'C');
    if (edges != NULL && copy_edges(edges, a, 0, edge) < 0) {
        Py_CLEAR(edges);
    }
    return edges;
}

/* numpy.array_repr(host) or array_str, with threshold=0 when only edges are there. */
static PyObject *
numpy_text(PyObject *host, const char *function, int summarise)
{
    PyObject *options = NULL; /* owned: numpy.printoptions(threshold=0) */
    PyObject *entered = NULL; /* owned */
    PyObject *text = NULL;
    if (!summarise) {
        return PyObject_CallMethod(gnp_state.numpy, function, "O", host);
    }
    PyObject *type, *value, *trace;
    PyObject *call = PyObject_GetAttrString(gnp_state.numpy, "printoptions");
    PyObject *keywords = call == NULL ? NULL : Py_BuildValue("{s:i}", "threshold", 0);
    PyObject *none = keywords == NULL ? NULL : PyTuple_New(0);
    options = none == NULL ? NULL : PyObject_Call(call, none, keywords);
    Py_XDECREF(call);
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    if (options == NULL) {
        return NULL;
    }
    GNP_NEW(entered, PyObject_CallMethod(options, "__enter__", NULL));
    text = PyObject_CallMethod(gnp_state.numpy, function, "O", host);
    PyErr_Fetch(&type, &value, &trace);
    Py_XSETREF(entered, PyObject_CallMethod(options, "__exit__", "OOO", Py_None, Py_None, Py_None));
    if (type != NULL) {
        PyErr_Restore(type, value, trace);
    }
    else if (entered == NULL) {
        Py_CLEAR(text);
    }
fail:
    Py_XDECREF(options);
    Py_XDECREF(entered);
    return text;
}

/* "..., shape=(7, 7), dtype=...)" as NumPy says it of the edges -> with a's own shape. Versions of
 * NumPy that print no shape leave nothing to do. */
static PyObject *
correct_shape(GNP_STEAL PyObject *text, const GnpArray *edges, const GnpArray *a, int64_t width)
{
    PyObject *wrong_shape = NULL; /* owned */
    PyObject *right_shape = NULL; /* owned */
    PyObject *wrong = NULL;       /* owned */
    PyObject *head = NULL;        /* owned */
    PyObject *extra = NULL;       /* owned */
    PyObject *tail = NULL;        /* owned */
    PyObject *ret = NULL;

    GNP_NEW(wrong_shape, gnp_tuple_from_ints(edges->ndim, gnp_shape(edges)));
    GNP_NEW(right_shape, gnp_tuple_from_ints(a->ndim, gnp_shape(a)));
    GNP_NEW(wrong, PyUnicode_FromFormat("shape=%R", wrong_shape));
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_ssize_t at = PyUnicode_Find(text, wrong, 0, length, -1);
    if (at < 0) {
        ret = at == -1 ? Py_NewRef(text) : NULL;
        goto fail;
    }
    GNP_NEW(tail, PyUnicode_Substring(text, at + PyUnicode_GET_LENGTH(wrong), length));
    GNP_NEW(extra, PyUnicode_FromFormat("shape=%R%U", right_shape, tail));
    Py_ssize_t end = at;
    while (end > 0 && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, end - 1))) {
        end--;
    }
    GNP_NEW(head, PyUnicode_Substring(text, 0, end));
    Py_ssize_t line = PyUnicode_FindChar(head, '\n', 0, end, -1);
    Py_ssize_t last_line = end - (line + 1); /* -1 when the text has one line */
    int wraps = last_line + PyUnicode_GET_LENGTH(extra) + 1 > width;
    ret = PyUnicode_FromFormat(wraps ? "%U\n      %U" : "%U %U", head, extra); /* under "array(" */
fail:
    Py_DECREF(text);
    Py_XDECREF(wrong_shape);
    Py_XDECREF(right_shape);
    Py_XDECREF(wrong);
    Py_XDECREF(head);
    Py_XDECREF(extra);
    Py_XDECREF(tail);
    return ret;
}

static PyObject *
array_text(GnpArray *a, const char *function, int is_repr)
{
    GnpArray *shown = NULL; /* owned */
    PyObject *host = NULL;  /* owned */
    PyObject *text = NULL;
    Options options;

    if (read_options(&options) < 0) {
        return NULL;
    }
    int summarise = a->size > options.threshold && options.edge_items >= 0 &&
                    options.edge_items < INT32_MAX;
    GNP_NEW(shown, summarise ? edges_of(a, options.edge_items)
                             : (GnpArray *)Py_NewRef((PyObject *)a));
    GNP_NEW(host, gnp_array_to_numpy(shown, 'C'));
    text = numpy_text(host, function, summarise);
    if (text != NULL && is_repr && summarise) {
        text = correct_shape(text, shown, a, options.line_width);
    }
fail:
    Py_XDECREF((PyObject *)shown);
    Py_XDECREF(host);
    return text;
}

PyObject *
gnp_array_repr(PyObject *self)
{
    return array_text((GnpArray *)self, "array_repr", 1);
}

PyObject *
gnp_array_str(PyObject *self)
{
    return array_text((GnpArray *)self, "array_str", 0);
}

/* _C.nearest: one pass of a distance transform along an axis. gpunp.scipy.ndimage checks the
 * arguments. An exact distance transform is one pass per axis: after it, each element has the
 * least cost over all elements of its line, and the passes together give the least over all axes
 * (Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions", 2012). A pass is
 * two launches. */
#include "sci/sci_internal.h"

#include <string.h>

enum { BLOCK = 256 };

/* One pass; `from` and `to` carry the index of the nearest element along, where it is wanted. */
typedef struct {
    GnpArray *cost, *from, *out, *to; /* owned; from and to may be NULL */
    GnpLines lines;
    int metric, finish;
} Pass;

/* 32-bit indices need fewer registers and suffice for arrays below 2**31 elements. */
static int
is_wide(const Pass *p)
{
    return p->cost->size > INT32_MAX;
}

/* The least costs of bands along the axis; a new reference. Bands let the search skip 32
 * elements whose least cost is no better. */
static GnpArray *
find_bands(const Pass *p)
{
    const int64_t size =
        p->lines.outer * gnp_ceil_div(p->lines.length, (int64_t)NEAREST_BAND) * p->lines.step;
    GnpSpec_nearest_bands spec = {GNP_SPEC(nearest_bands), .head.wide = is_wide(p),
                                  .Cost = p->cost->dtype, .BLOCK = BLOCK};
    GnpArray *bands = gnp_array_new(1, &size, p->cost->dtype, 'C');
    if (bands != NULL &&
        gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                            .blocks = gnp_ceil_div(size, (int64_t)BLOCK),
                                            .threads = BLOCK,
                                            .narrays = 2,
                                            .array = {bands, p->cost},
                                            .value = {&p->lines, &size}}) < 0) {
        Py_CLEAR(bands);
    }
    return bands;
}

/* The bands are released after queueing; their memory is reused in stream order. */
static int
launch(Pass *p)
{
    GnpSpec_nearest spec = {GNP_SPEC(nearest),     .head.wide = is_wide(p), .Cost = p->cost->dtype,
                            .R = p->out->dtype,    .METRIC = p->metric,     .FINISH = p->finish,
                            .INDEXED = p->to != 0, .BLOCK = BLOCK};
    GnpArray *bands = find_bands(p);
    if (bands == NULL) {
        return -1;
    }
    const int64_t size = p->cost->size;
    int result = gnp_launch_arrays(&(GnpArrayLaunch){
        .spec = &spec.head,
        .blocks = gnp_ceil_div(size, (int64_t)BLOCK),
        .threads = BLOCK,
        .narrays = 5,
        .array = {p->out, p->to, p->cost, bands, p->from},
        .value = {&p->lines, &size},
    });
    Py_DECREF((PyObject *)bands);
    return result;
}

/* In the order of enum NearestMetric and of enum NearestFinish. */
static const char *const metrics[] = {"euclidean", "taxicab", "chessboard"};
static const char *const finishes[] = {"cost", "root", "number"};

/* Costs of whole distances are integers, exact in int32 or int64; sampled ones are float64.
 * Indices are int64 and come in pairs. */
static int
check(const Pass *p)
{
    const GnpArray *arrays[] = {p->cost, p->from, p->out, p->to};
    for (int i = 0; i < 4; i++) {
        if (arrays[i] != NULL &&
            (!(arrays[i]->flags & GNP_C_CONTIGUOUS) || arrays[i]->size != p->cost->size)) {
            PyErr_SetString(PyExc_ValueError, "nearest: C-contiguous arrays of one shape");
            return -1;
        }
    }
    const GnpDtype cost = p->cost->dtype, out = p->out->dtype;
    /* The root of a cost is a distance; a number is the cost as an unsigned or signed int. */
    const int fits = p->finish == NEAREST_ROOT   ? out == GNP_F64
                     : p->finish == NEAREST_COST ? out == cost
                                                 : out == GNP_I32 || out == GNP_U32;
    if ((cost != GNP_I32 && cost != GNP_I64 && cost != GNP_F64) || !fits ||
        (p->from == NULL) != (p->to == NULL) ||
        (p->to != NULL && (p->from->dtype != GNP_I64 || p->to->dtype != GNP_I64))) {
        PyErr_SetString(PyExc_ValueError, "nearest: types of the arrays");
        return -1;
    }
    return 0;
}

/* `outer` lines of blocks, `step` elements between neighbours of a line: the array is read as
 * (outer, length, step) whatever its number of axes. */
static int
take_lines(Pass *p, PyObject *axis, PyObject *scale)
{
    const int64_t at = PyLong_AsLongLong(axis);
    p->lines.scale = PyFloat_AsDouble(scale);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (at < 0 || at >= p->cost->ndim) {
        PyErr_SetString(PyExc_ValueError, "nearest: no such axis");
        return -1;
    }
    p->lines.outer = p->lines.step = 1;
    p->lines.length = gnp_shape(p->cost)[at];
    for (int i = 0; i < p->cost->ndim; i++) {
        *(i < at ? &p->lines.outer : &p->lines.step) *= i == at ? 1 : gnp_shape(p->cost)[i];
    }
    return 0;
}

PyDoc_STRVAR(
    nearest_doc,
    "nearest($module, cost, indices, out, out_indices, axis, metric, scale, finish, /)\n--\n\n"
    "Write into out, for each element, the least over a line along the axis of the cost\n"
    "combined with the distance, `scale` an element; of indices (or None) those found.");

enum { COST, FROM, OUT, TO, AXIS, METRIC, SCALE, FINISH, COUNT };

/* Arrays are taken in the order of the enumeration, so the cleanup is a loop over the same
 * places. */
static PyObject *
nearest(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Pass p = {.cost = NULL};
    GnpArray **arrays[] = {&p.cost, &p.from, &p.out, &p.to};
    PyObject *ret = NULL;
    if (nargs != COUNT || args[COST] == Py_None || args[OUT] == Py_None) {
        PyErr_SetString(PyExc_TypeError, "nearest takes arrays, numbers and names");
        return NULL;
    }
    for (int i = COST; i <= TO; i++) {
        if (args[i] == Py_None) {
            continue;
        }
        if (!gnp_array_check(args[i])) {
            PyErr_SetString(PyExc_TypeError, "nearest takes arrays, numbers and names");
            goto fail;
        }
        GNP_NEW(*arrays[i], gnp_readable((GnpArray *)args[i], "nearest"));
    }
    GNP_TRY(gnp_name_from_object(args[METRIC], metrics, 3, &p.metric));
    GNP_TRY(gnp_name_from_object(args[FINISH], finishes, 3, &p.finish));
    GNP_TRY(take_lines(&p, args[AXIS], args[SCALE]));
    GNP_TRY(check(&p));
    if (p.cost->size > 0) {
        GNP_TRY(launch(&p));
    }
    GNP_TRY(gnp_write_back(p.out, args[OUT]));
    GNP_TRY(gnp_write_back(p.to, args[TO]));
    ret = Py_NewRef(args[OUT]);
fail:
    for (int i = COST; i <= TO; i++) {
        Py_XDECREF((PyObject *)*arrays[i]);
    }
    return ret;
}

static PyMethodDef functions[] = {
    {"nearest", (PyCFunction)(void (*)(void))nearest, METH_FASTCALL, nearest_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_nearest_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* _C.plane_lines: windows along the last two axes, one after the other, in one launch.
 * gpunp.scipy.ndimage checks the arguments. Two axes in one launch read and write the image once
 * instead of twice; the intermediate results stay in shared memory. It is taken for windows
 * whose halo fits there, line_filter.c for the others. */
#include "sci/sci_internal.h"

#include <string.h>

/* A block computes 64 x 64 outputs. The limits of taps follow from 48 KiB of shared memory for
 * the tile and its halo. */
enum { BLOCK = 256, EDGE = 64, MOST_TAPS = 33, MOST_TAPS_WIDE = 9 }; /* wide: of 8 bytes */

/* One call; y is the axis before the last one, x the last. */
typedef struct {
    GnpArray *in, *weights, *out; /* owned; weights may be NULL; y's, then x's */
    GnpDtype loop;
    GnpLines y, x;
    int operation;
    GnpScalar beyond;
} Filter;

/* The halo is a class of sizes rather than the exact one, so that few kernels are compiled. */
static int
launch(Filter *f)
{
    const int64_t taps = f->y.taps > f->x.taps ? f->y.taps : f->x.taps;
    GnpSpec_plane_lines spec = {GNP_SPEC(plane_lines),
                                .S = f->in->dtype,
                                .R = f->out->dtype,
                                .A = f->loop,
                                .OPERATION = f->operation,
                                .HALO = taps <= 9 ? 8 : taps <= 17 ? 16 : 32,
                                .BLOCK = BLOCK};
    /* The size is not 0 here, so neither are the lengths. */
    const int64_t planes = f->in->size / f->y.length / f->x.length;
    /* Tiles of EDGE x EDGE outputs; the axes before the last two are counted as one. */
    const int64_t blocks =
        gnp_ceil_div(f->x.length, EDGE) * gnp_ceil_div(f->y.length, EDGE) * planes;
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = blocks,
                                               .threads = BLOCK,
                                               .narrays = 3,
                                               .array = {f->out, f->in, f->weights},
                                               .value = {&f->y, &f->x, &f->beyond}});
}

/* One axis: (taps, left, rule). `scale` is the divisor of a mean. The window begins `left`
 * elements before its element. */
static int
take_lines(PyObject *given, int64_t length, int most, GnpLines *lines)
{
    int64_t taps, left;
    int rule;
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != 3) {
        PyErr_SetString(PyExc_TypeError, "plane_lines: an axis is (taps, left, rule)");
        return -1;
    }
    if (gnp_int64_from_object(PyTuple_GET_ITEM(given, 0), "taps", &taps) < 0 ||
        gnp_int64_from_object(PyTuple_GET_ITEM(given, 1), "left", &left) < 0 ||
        gnp_pad_rule_from_object(PyTuple_GET_ITEM(given, 2), &rule) < 0) {
        return -1;
    }
    if (taps < 1 || taps > most || left < 0 || left >= taps) {
        PyErr_Format(PyExc_ValueError, "plane_lines: a window of 1 to %d places around its element",
                     most);
        return -1;
    }
    *lines = (GnpLines){
        .length = length, .left = left, .taps = taps, .rule = rule, .scale = (double)taps};
    return 0;
}

/* What the kernel relies on: equal shapes, contiguous memory and a weight for each tap. */
static int
check(const Filter *f)
{
    if (f->in->ndim < 2 || f->in->ndim != f->out->ndim ||
        memcmp(gnp_shape(f->in), gnp_shape(f->out), (size_t)f->in->ndim * sizeof(int64_t)) != 0 ||
        !(f->in->flags & GNP_C_CONTIGUOUS) || !(f->out->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_ValueError,
                        "plane_lines: C-contiguous arrays of one shape, of two axes or more");
        return -1;
    }
    /* The kernel reads weights of sums of products alone, and does not ask whether there are
     * any. */
    if ((f->operation == LINE_CORRELATE) != (f->weights != NULL) ||
        (f->weights != NULL &&
         (f->weights->size != f->y.taps + f->x.taps || f->weights->dtype != f->loop ||
          !(f->weights->flags & GNP_C_CONTIGUOUS)))) {
        PyErr_SetString(PyExc_ValueError, "plane_lines: a weight of the loop's type for each tap");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(plane_lines_doc,
             "plane_lines($module, a, weights, out, y, x, operation, beyond, dtype, /)\n--\n\n"
             "Write into out, for each element of a, what an operation makes of the windows along\n"
             "the last axis, and then of those results along the axis before it, computed in\n"
             "dtype. y and x are (taps, left, rule): a window begins `left` elements before its\n"
             "element. The weights are those of y, then those of x.");

enum { A, WEIGHTS, OUT, Y, X, OPERATION, BEYOND, DTYPE, COUNT };

/* Elements of 8 bytes allow fewer taps, as they take twice the shared memory. */
static int
take_axes(Filter *f, PyObject *const *args)
{
    const int nd = f->in->ndim;
    /* Both axes share the limit, as the tile has one halo for both. */
    const int most = gnp_dtypes[f->loop].bytes <= 4 ? MOST_TAPS : MOST_TAPS_WIDE;
    if (nd < 2 || gnp_dtypes[f->loop].bytes > 8) {
        PyErr_SetString(PyExc_ValueError, "plane_lines: two axes of elements of 8 bytes at most");
        return -1;
    }
    if (take_lines(args[Y], gnp_shape(f->in)[nd - 2], most, &f->y) < 0) {
        return -1;
    }
    return take_lines(args[X], gnp_shape(f->in)[nd - 1], most, &f->x);
}

/* References are taken before shapes are read, since gnp_readable may replace an array. */
static PyObject *
plane_lines(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Filter f = {.in = NULL};
    PyObject *ret = NULL;
    if (nargs != COUNT || !gnp_array_check(args[A]) || !gnp_array_check(args[OUT]) ||
        (args[WEIGHTS] != Py_None && !gnp_array_check(args[WEIGHTS]))) {
        PyErr_SetString(PyExc_TypeError, "plane_lines takes arrays, tuples and names");
        return NULL;
    }
    f.loop = gnp_dtype_from_object(args[DTYPE]);
    if (f.loop == GNP_NO_DTYPE) {
        return NULL;
    }
    GNP_TRY(gnp_name_from_object(args[OPERATION], gnp_line_operations, 4, &f.operation));
    GNP_TRY(gnp_scalar_from_object(args[BEYOND], f.loop, &f.beyond));
    GNP_NEW(f.in, gnp_readable((GnpArray *)args[A], "plane_lines"));
    GNP_NEW(f.out, gnp_readable((GnpArray *)args[OUT], "plane_lines"));
    if (args[WEIGHTS] != Py_None) {
        GNP_NEW(f.weights, gnp_readable((GnpArray *)args[WEIGHTS], "plane_lines"));
    }
    GNP_TRY(take_axes(&f, args));
    GNP_TRY(check(&f));
    if (f.in->size > 0) {
        GNP_TRY(launch(&f));
    }
    GNP_TRY(gnp_write_back(f.out, args[OUT]));
    ret = Py_NewRef(args[OUT]);
fail:
    Py_XDECREF((PyObject *)f.in);
    Py_XDECREF((PyObject *)f.weights);
    Py_XDECREF((PyObject *)f.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"plane_lines", (PyCFunction)(void (*)(void))plane_lines, METH_FASTCALL, plane_lines_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_plane_lines_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* _C.line_filter: a window that moves along one axis, in one launch. gpunp.scipy.ndimage checks the
 * arguments. A thread computes several consecutive outputs of a line, so that each input is read
 * from shared memory once per thread. Used by correlate1d, gaussian, uniform, minimum and
 * maximum filters. */
#include "sci/sci_internal.h"

#include <string.h>

enum { CHUNK = 64, MOST_ORDERED = 256 };

/* One call; lines.outer, length and step describe the array as three axes around the chosen one. */
typedef struct {
    GnpArray *in, *weights, *out; /* owned; weights may be NULL */
    GnpDtype loop;
    GnpLines lines;
    int operation;
    GnpScalar beyond;
} Filter;

/* ---- the launch ------------------------------------------------------------------------------ */

/* Lines of a block: as many as lie side by side, of short lines along themselves some. 48 KiB of
 * shared memory hold the outputs of a block and a chunk of taps. Lines that lie side by side are
 * read together, so that accesses are coalesced. */
static int
lines_of_block(const GnpLines *l, int ordered, int outputs)
{
    const int most = ordered ? 8 : 32;
    int lines = 1;
    if (l->step == 1) {
        while (l->length <= 64 * outputs / lines && lines < most) {
            lines *= 2;
        }
        return lines;
    }
    return l->step <= 4 ? 4 : l->step <= 8 ? 8 : most;
}

/* Integer results cut off fractions, so a last bit decides; ORDERED then adds in SciPy's order.
 * The numbers of outputs shrink with the element's size, as registers and shared memory are
 * fixed; in a block of a single line they are odd, for the banks of shared memory. */
static GnpSpec_line_filter
choose(const Filter *f)
{
    const int bytes = gnp_dtypes[f->loop].bytes, cls = gnp_dtypes[f->out->dtype].cls;
    const int ordered = f->operation == LINE_CORRELATE && f->loop == GNP_F64 &&
                        (cls == 'i' || cls == 'u' || cls == '?') && f->lines.taps <= MOST_ORDERED;
    const int outputs = bytes <= 4 ? 16 : bytes == 8 ? 8 : 4; /* of a thread */
    int lines = lines_of_block(&f->lines, ordered, outputs);
    /* Elements of 16 bytes take twice the shared memory. */
    lines = bytes > 8 && lines > 16 ? 16 : lines;
    return (GnpSpec_line_filter){GNP_SPEC(line_filter),
                                 .S = f->in->dtype,
                                 .R = f->out->dtype,
                                 .A = f->loop,
                                 .OPERATION = f->operation,
                                 .LINES = lines,
                                 .ALONG = f->lines.step == 1,
                                 .OUT = f->lines.step == 1 && lines == 1 ? outputs - 1 : outputs,
                                 .CHUNK = ordered      ? MOST_ORDERED
                                          : bytes <= 8 ? CHUNK
                                                       : CHUNK / 2,
                                 .ORDERED = ordered,
                                 .BLOCK = lines == 32 && f->lines.step > 1 ? 256 : 128};
}

/* Groups of lines vary fastest in the grid, so that neighbouring blocks share cache lines. */
static int
launch(Filter *f)
{
    GnpSpec_line_filter spec = choose(f);
    const GnpLines *l = &f->lines;
    const int64_t groups = spec.ALONG ? gnp_ceil_div(l->outer, (int64_t)spec.LINES)
                                      : l->outer * gnp_ceil_div(l->step, (int64_t)spec.LINES);
    const int64_t segments = gnp_ceil_div(l->length, (int64_t)(spec.BLOCK / spec.LINES * spec.OUT));
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = groups * segments,
                                               .threads = spec.BLOCK,
                                               .narrays = 3,
                                               .array = {f->out, f->in, f->weights},
                                               .value = {l, &f->beyond}});
}

/* ---- arguments ------------------------------------------------------------------------------- */

const char *const gnp_line_operations[] = {"correlate", "mean", "minimum", "maximum"};

/* `scale` is the divisor of a mean, in float64 for all types. */
static int
take_lines(const GnpArray *a, PyObject *const *numbers, GnpLines *lines)
{
    const int64_t axis = PyLong_AsLongLong(numbers[0]);
    lines->taps = PyLong_AsLongLong(numbers[1]);
    lines->left = PyLong_AsLongLong(numbers[2]);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (axis < 0 || axis >= a->ndim || lines->taps < 1 || lines->left < 0 ||
        lines->left >= lines->taps) {
        PyErr_SetString(PyExc_ValueError, "line_filter: an axis, and a position within the window");
        return -1;
    }
    /* The axes before are counted as one, and those after make the step from element to element. */
    lines->outer = lines->step = 1;
    lines->length = gnp_shape(a)[axis];
    lines->scale = (double)lines->taps;
    for (int i = 0; i < a->ndim; i++) {
        *(i < axis ? &lines->outer : &lines->step) *= i == axis ? 1 : gnp_shape(a)[i];
    }
    return 0;
}

/* The kernel reads a weight for each tap in the loop's type. */
static int
check(const Filter *f)
{
    if (!(f->out->flags & GNP_C_CONTIGUOUS) || !(f->in->flags & GNP_C_CONTIGUOUS) ||
        f->in->ndim != f->out->ndim ||
        memcmp(gnp_shape(f->in), gnp_shape(f->out), (size_t)f->in->ndim * sizeof(int64_t)) != 0) {
        PyErr_SetString(PyExc_ValueError, "line_filter: C-contiguous arrays of one shape");
        return -1;
    }
    if (f->weights != NULL &&
        (f->weights->ndim != 1 || f->weights->size != f->lines.taps ||
         f->weights->dtype != f->loop || !(f->weights->flags & GNP_C_CONTIGUOUS))) {
        PyErr_SetString(PyExc_ValueError, "line_filter: a weight of the loop's type for each tap");
        return -1;
    }
    if ((f->operation == LINE_CORRELATE) != (f->weights != NULL)) {
        PyErr_SetString(PyExc_ValueError, "line_filter: weights are for sums of products");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(line_filter_doc,
             "line_filter($module, a, weights, out, axis, taps, left, operation, rule, beyond, "
             "dtype, /)\n--\n\n"
             "Write into out, for each element of a, the sum of products of the weights with the\n"
             "window that begins `left` elements before it along an axis, or its mean, minimum or\n"
             "maximum (weights=None), computed in dtype.");

/* Nothing is launched for an empty array. */
static PyObject *
line_filter(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Filter f = {.in = NULL};
    PyObject *ret = NULL;
    int rule;
    if (nargs != 10 || !gnp_array_check(args[0]) || !gnp_array_check(args[2]) ||
        (args[1] != Py_None && !gnp_array_check(args[1]))) {
        PyErr_SetString(PyExc_TypeError, "line_filter takes arrays, numbers and names");
        return NULL;
    }
    f.loop = gnp_dtype_from_object(args[9]);
    if (f.loop == GNP_NO_DTYPE) {
        return NULL;
    }
    GNP_TRY(gnp_name_from_object(args[6], gnp_line_operations, 4, &f.operation));
    GNP_TRY(gnp_pad_rule_from_object(args[7], &rule));
    GNP_TRY(gnp_scalar_from_object(args[8], f.loop, &f.beyond));
    GNP_NEW(f.in, gnp_readable((GnpArray *)args[0], "line_filter"));
    GNP_NEW(f.out, gnp_readable((GnpArray *)args[2], "line_filter"));
    if (args[1] != Py_None) {
        GNP_NEW(f.weights, gnp_readable((GnpArray *)args[1], "line_filter"));
    }
    GNP_TRY(take_lines(f.in, &args[3], &f.lines));
    f.lines.rule = rule;
    GNP_TRY(check(&f));
    if (f.in->size > 0) {
        GNP_TRY(launch(&f));
    }
    GNP_TRY(gnp_write_back(f.out, args[2]));
    ret = Py_NewRef(args[2]);
fail:
    Py_XDECREF((PyObject *)f.in);
    Py_XDECREF((PyObject *)f.weights);
    Py_XDECREF((PyObject *)f.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"line_filter", (PyCFunction)(void (*)(void))line_filter, METH_FASTCALL, line_filter_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_line_filter_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* _C.spline_filter: coefficients of B-splines along one axis, in one launch. gpunp.scipy.ndimage
 * checks the arguments. */
#include "sci/sci_internal.h"

#include <math.h>

enum { LANES = 32, WARPS = 3072, LEAST_CHUNKS = 4 };

typedef struct {
    GnpArray *in, *out; /* owned */
    GnpDtype loop;
    GnpSpline spline;
    int order;
    GnpScalar beyond;
} Filter;

/* ---- poles ----------------------------------------------------------------------------------- */

/* The values of the B-spline of an order at whole numbers are the coefficients of a polynomial that
 * has the zero 1/z with z: it is one in s = z + 1/z, for example s^2 + 26 s + 66 - 2 = 0 for
 * order 5. The zeros are negative; the one within the unit circle is taken. */
static int
set_poles(GnpSpline *s, int order)
{
    const double far4 = 38 + sqrt(1216), far5 = 13 + sqrt(105);
    const double sums[4][2] = {{6}, {4}, {228 / far4, far4}, {64 / far5, far5}}; /* -s */
    const int count = order > 3 ? 2 : 1;
    s->gain = 1;
    for (int i = 0; i < count; i++) {
        const double sum = sums[order - 2][i];
        s->poles[i] = -2 / (sum + sqrt(sum * sum - 4));
        s->gain *= 2 + sum; /* (1 - z) (1 - 1/z) */
    }
    return count;
}

/* Within so many elements a pole's response falls below the rounding errors of the loop's type, to
 * a whole batch of the kernel. */
static int
halo_of(const GnpSpline *s, int is_single)
{
    const double digits = is_single ? 25 : 54;
    return (int)gnp_ceil_div((int64_t)ceil(digits / -log2(-s->poles[0])), (int64_t)8) * 8;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The number of warps wanted, 3072, occupies the device; a line's parts overlap by the halo, so
 * a part has at least LEAST_CHUNKS chunks to keep that share small. */
static int
launch(Filter *f)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    GnpSpline *s = &f->spline;
    const int poles = set_poles(s, f->order);
    GnpSpec_spline_filter spec = {
        GNP_SPEC(spline_filter),
        .S = f->in->dtype,
        .R = f->out->dtype,
        .A = f->loop,
        .ALONG = s->lines.step == 1,
        .POLES = poles,
        .HALO = halo_of(s, f->loop == GNP_F32 || f->loop == GNP_C64),
        .CHUNK = 32,
    };
    /* Lines are cut where there are too few to keep the device busy. */
    const int64_t groups = gnp_ceil_div(s->lines.outer * s->lines.step, (int64_t)LANES);
    const int64_t chunks = gnp_ceil_div(s->lines.length + 2 * s->pad, (int64_t)spec.CHUNK);
    int64_t each = gnp_ceil_div(chunks * groups, (int64_t)WARPS);
    each = each < LEAST_CHUNKS ? LEAST_CHUNKS : each > chunks ? chunks : each;
    s->march = each * spec.CHUNK;
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = groups * gnp_ceil_div(chunks, each),
                                               .threads = LANES,
                                               .narrays = 2,
                                               .array = {f->out, f->in},
                                               .value = {s, &f->beyond}});
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* The output is longer than the input by `pad` on both sides along the axis. */
static int
take_lines(Filter *f, PyObject *axis, PyObject *order, PyObject *pad)
{
    GnpLines *lines = &f->spline.lines;
    const int64_t at = PyLong_AsLongLong(axis), degree = PyLong_AsLongLong(order);
    f->spline.pad = PyLong_AsLongLong(pad);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (at < 0 || at >= f->in->ndim || degree < 2 || degree > 5 || f->spline.pad < 0) {
        PyErr_SetString(PyExc_ValueError, "spline_filter: an axis, an order from 2 to 5, a width");
        return -1;
    }
    /* Orders 0 and 1 need no filter: their coefficients are the elements. */
    f->order = (int)degree;
    lines->outer = lines->step = 1;
    lines->length = gnp_shape(f->in)[at];
    for (int i = 0; i < f->in->ndim; i++) {
        *(i < at ? &lines->outer : &lines->step) *= i == at ? 1 : gnp_shape(f->in)[i];
    }
    int fits = f->in->ndim == f->out->ndim;
    for (int i = 0; fits && i < f->in->ndim; i++) {
        fits = gnp_shape(f->out)[i] == gnp_shape(f->in)[i] + (i == at ? 2 * f->spline.pad : 0);
    }
    if (!fits || !(f->out->flags & GNP_C_CONTIGUOUS) || !(f->in->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_ValueError, "spline_filter: C-contiguous arrays that fit");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(
    spline_filter_doc,
    "spline_filter($module, a, out, axis, order, rule, pad, pad_rule, beyond, dtype, /)\n"
    "--\n\n"
    "Write into out the coefficients of the splines of an order through the elements of a\n"
    "along an axis, padded by `pad` elements on both sides, computed in dtype.");

enum { IN, OUT, AXIS, ORDER, RULE, PAD, PAD_RULE_NAME, BEYOND, DTYPE, COUNT };

/* `rule` is for elements beyond the input, `pad_rule` for what the pad itself is filled with. */
static PyObject *
spline_filter(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Filter f = {.in = NULL};
    PyObject *ret = NULL;
    int rule, pad_rule;
    if (nargs != COUNT || !gnp_array_check(args[IN]) || !gnp_array_check(args[OUT])) {
        PyErr_SetString(PyExc_TypeError, "spline_filter takes arrays, numbers and names");
        return NULL;
    }
    f.loop = gnp_dtype_from_object(args[DTYPE]);
    if (f.loop == GNP_NO_DTYPE) {
        return NULL;
    }
    GNP_TRY(gnp_pad_rule_from_object(args[RULE], &rule));
    GNP_TRY(gnp_pad_rule_from_object(args[PAD_RULE_NAME], &pad_rule));
    GNP_TRY(gnp_scalar_from_object(args[BEYOND], f.loop, &f.beyond));
    GNP_NEW(f.in, gnp_readable((GnpArray *)args[IN], "spline_filter"));
    GNP_NEW(f.out, gnp_readable((GnpArray *)args[OUT], "spline_filter"));
    GNP_TRY(take_lines(&f, args[AXIS], args[ORDER], args[PAD]));
    f.spline.lines.rule = rule;
    f.spline.pad_rule = pad_rule;
    if (f.in->size > 0) {
        GNP_TRY(launch(&f));
    }
    GNP_TRY(gnp_write_back(f.out, args[OUT]));
    ret = Py_NewRef(args[OUT]);
fail:
    Py_XDECREF((PyObject *)f.in);
    Py_XDECREF((PyObject *)f.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"spline_filter", (PyCFunction)(void (*)(void))spline_filter, METH_FASTCALL, spline_filter_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_spline_filter_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

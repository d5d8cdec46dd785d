/* _C.footprint_filter: a window over several axes, in one launch. gpunp.scipy.ndimage checks the
 * arguments. Three kernels: plane_filter for rectangles of the last two axes that fit into
 * shared memory, rank_plane for ranks in large rectangles, footprint_filter for everything else.
 * The choice is by sizes alone, and the results are equal. */
#include "sci/sci_internal.h"

#include <string.h>

enum { BLOCK = 128, MOST_OF_FEW = 49 }; /* elements that a thread sorts in its registers */
/* Of plane_filter: outputs of a thread, and the largest windows that leave a block its shared
 * memory and a thread its registers. */
enum { EACH = 8, MOST_HIGH = 16, MOST_WIDE = 32, MOST_RANKED = 7 };
/* Of rank_plane: outputs of a thread, and what a block may have of shared memory. */
enum { RANKED_EACH = 4, MOST_SHARED = 48 * 1024 };

/* One call; `window` is the struct that the kernels get. */
typedef struct {
    GnpArray *in, *mask, *weights, *out; /* owned; mask and weights may be NULL */
    GnpDtype loop;
    GnpFootprint window;
    int operation;
    int64_t taps; /* places that the mask selects */
    int skips;    /* negligible weights are left out, beside infinities too */
    GnpScalar beyond;
} Filter;

/* ---- the launch ------------------------------------------------------------------------------ */

/* Whether sums are rounded as SciPy's: their fractions are cut off. */
static int
is_ordered(const Filter *f)
{
    const int cls = gnp_dtypes[f->out->dtype].cls;
    return f->operation == FOOTPRINT_CORRELATE && f->loop == GNP_F64 &&
           (cls == 'i' || cls == 'u' || cls == '?');
}

/* Whether the window is a rectangle of the last two axes that plane_filter takes. Registers
 * limit sorted windows: 49 elements of 4 bytes, or 25 of 8. */
static int
is_plane(const Filter *f)
{
    const int nd = f->in->ndim, bytes = gnp_dtypes[f->loop].bytes;
    if (nd < 2 || nd > 3 || f->mask != NULL || (nd == 3 && f->window.window[0] != 1)) {
        return 0;
    }
    /* A window of one row or column gains nothing from a tile of two axes. */
    const int64_t high = f->window.window[nd - 2], wide = f->window.window[nd - 1];
    if (high < 2 || wide < 2) {
        return 0;
    }
    if (f->operation == FOOTPRINT_CORRELATE) {
        return !is_ordered(f) && bytes <= 8 && high <= MOST_HIGH && wide <= MOST_WIDE;
    }
    /* Minima and maxima are left to the general kernel. */
    return f->operation == FOOTPRINT_FEW && high <= MOST_RANKED && wide <= MOST_RANKED &&
           (bytes <= 4 || high * wide <= 25);
}

/* A compile-time window lets the compiler unroll its loops. */
static GnpSpec_plane_filter
choose_plane(const Filter *f)
{
    const int nd = f->in->ndim, is_sum = f->operation == FOOTPRINT_CORRELATE;
    return (GnpSpec_plane_filter){
        GNP_SPEC(plane_filter),
        .S = f->in->dtype,
        .R = f->out->dtype,
        .A = f->loop,
        .OPERATION = f->operation,
        .AXES = nd,
        .HIGH = (int)f->window.window[nd - 2],
        .WIDE = (int)f->window.window[nd - 1],
        .RANK = is_sum ? 0 : (int)f->window.rank,
        .SKIPS = is_sum && f->skips,
        .EACH = EACH,
        .BLOCK = BLOCK,
    };
}

/* Ranks among few places are sorted in registers, whose number must be a constant. */
static GnpSpec_footprint_filter
choose(const Filter *f)
{
    /* Otherwise their values are no knobs, so that all windows share a kernel. */
    const int is_few = f->operation == FOOTPRINT_FEW;
    return (GnpSpec_footprint_filter){
        GNP_SPEC(footprint_filter),
        .S = f->in->dtype,
        .R = f->out->dtype,
        .A = f->loop,
        .OPERATION = f->operation,
        .ND = f->in->ndim,
        .MASKED = f->mask != NULL,
        .WEIGHTED = f->weights != NULL,
        .SKIPS = f->operation == FOOTPRINT_CORRELATE && f->skips,
        .ORDERED = is_ordered(f),
        .TAPS = is_few ? (int)f->taps : 1,
        .RANK = is_few ? (int)f->window.rank : 0,
        .EACH = 4,
        .BLOCK = BLOCK,
    };
}

/* Blocks of `wide` x `high` outputs of the last two axes; of one axis, `high` is 1. The grid is
 * one-dimensional; the kernel splits its index into tiles and planes. */
static int64_t
count_blocks(const Filter *f, int64_t wide, int64_t high)
{
    const int nd = f->in->ndim;
    const int64_t columns = f->window.shape[nd - 1];
    const int64_t rows = nd == 1 ? 1 : f->window.shape[nd - 2];
    return gnp_ceil_div(columns, wide) * gnp_ceil_div(rows, high) * (f->in->size / columns / rows);
}

/* A block loads its tile and the halo once, and its threads read it from shared memory. */
static int
launch_plane(Filter *f)
{
    GnpSpec_plane_filter spec = choose_plane(f);
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = count_blocks(f, 32, BLOCK / 32 * EACH),
                                               .threads = BLOCK,
                                               .narrays = 3,
                                               .array = {f->out, f->in, f->weights},
                                               .value = {&f->window, &f->beyond}});
}

/* Shared memory of rank_plane for a rectangular window of up to two axes; 0 where it is not for
 * rank_plane. */
static int64_t
ranked_bytes(const Filter *f)
{
    const int nd = f->in->ndim;
    if (f->operation != FOOTPRINT_MANY || f->mask != NULL || nd > 3 ||
        (nd == 3 && f->window.window[0] != 1)) {
        return 0;
    }
    /* Elements are kept as keys of 32 or 64 bits that sort as they do. */
    const int64_t key = gnp_dtypes[f->loop].bytes < 4 ? 4 : gnp_dtypes[f->loop].bytes;
    /* A block's outputs and the halo around them. */
    const int64_t tall = nd == 1 ? 1 : BLOCK / 32 * RANKED_EACH + f->window.window[nd - 2] - 1;
    const int64_t broad = (nd == 1 ? BLOCK * RANKED_EACH : 32) + f->window.window[nd - 1] - 1;
    const int64_t most = MOST_SHARED / key;
    /* Each side first, so that the product cannot overflow. */
    return broad <= most && tall <= most && tall * broad <= most ? key * tall * broad : 0;
}

/* Dynamic shared memory, as the window's size is not a knob here. The limit of 48 KiB needs no
 * attribute of the function. */
static int
launch_ranked(Filter *f, int64_t shared)
{
    const int nd = f->in->ndim;
    GnpSpec_rank_plane spec = {GNP_SPEC(rank_plane), .S = f->in->dtype, .R = f->out->dtype,
                               .A = f->loop,         .AXES = nd,        .EACH = RANKED_EACH,
                               .BLOCK = BLOCK};
    const int64_t blocks =
        count_blocks(f, nd == 1 ? BLOCK * RANKED_EACH : 32, nd == 1 ? 1 : BLOCK / 32 * RANKED_EACH);
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = blocks,
                                               .threads = BLOCK,
                                               .shared_bytes = (int)shared,
                                               .narrays = 2,
                                               .array = {f->out, f->in},
                                               .value = {&f->window, &f->beyond}});
}

/* Tries the specialised kernels first. */
static int
launch(Filter *f)
{
    if (is_plane(f)) {
        return launch_plane(f);
    }
    const int64_t shared = ranked_bytes(f);
    if (shared > 0) {
        return launch_ranked(f, shared);
    }
    GnpSpec_footprint_filter spec = choose(f);
    const int64_t wide = f->in->ndim == 1 ? BLOCK * spec.EACH : 32;
    const int64_t high = f->in->ndim == 1 ? 1 : BLOCK / 32 * spec.EACH;
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = count_blocks(f, wide, high),
                                               .threads = BLOCK,
                                               .narrays = 4,
                                               .array = {f->out, f->in, f->mask, f->weights},
                                               .value = {&f->window, &f->beyond}});
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* In the order of enum FootprintOperation. */
static const char *const operations[] = {"correlate", "minimum", "maximum", "rank"};

/* The product of sizes is checked, as places are counted in 32 bits by the kernels. */
static int
take_window(Filter *f, PyObject *window, PyObject *left)
{
    const int nd = f->in->ndim;
    if (nd < 1 || nd > FOOTPRINT_AXES || !PyTuple_Check(window) || !PyTuple_Check(left) ||
        PyTuple_GET_SIZE(window) != nd || PyTuple_GET_SIZE(left) != nd) {
        PyErr_Format(PyExc_ValueError, "footprint_filter: a window of 1 to %d axes",
                     FOOTPRINT_AXES);
        return -1;
    }
    f->window.places = 1;
    for (int i = 0; i < nd; i++) {
        const int64_t size = PyLong_AsLongLong(PyTuple_GET_ITEM(window, i));
        const int64_t before = PyLong_AsLongLong(PyTuple_GET_ITEM(left, i));
        if (PyErr_Occurred()) {
            return -1;
        }
        /* The element itself is in its window. */
        if (size < 1 || size > INT32_MAX || before < 0 || before >= size ||
            __builtin_mul_overflow(f->window.places, size, &f->window.places) ||
            f->window.places > INT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "footprint_filter: a window around its element");
            return -1;
        }
        f->window.shape[i] = gnp_shape(f->in)[i];
        f->window.window[i] = size;
        f->window.left[i] = before;
    }
    return 0;
}

/* A missing array stands for a full mask or no weights. */
static int
is_of_window(const Filter *f, const GnpArray *a, GnpDtype dtype)
{
    return a == NULL ||
           (a->size == f->window.places && a->dtype == dtype && (a->flags & GNP_C_CONTIGUOUS) != 0);
}

/* Ranks count places that the mask selects, from 0. */
static int
check(const Filter *f)
{
    if (!(f->out->flags & GNP_C_CONTIGUOUS) || !(f->in->flags & GNP_C_CONTIGUOUS) ||
        f->in->ndim != f->out->ndim ||
        memcmp(gnp_shape(f->in), gnp_shape(f->out), (size_t)f->in->ndim * sizeof(int64_t)) != 0) {
        PyErr_SetString(PyExc_ValueError, "footprint_filter: C-contiguous arrays of one shape");
        return -1;
    }
    if (!is_of_window(f, f->mask, GNP_BOOL) || !is_of_window(f, f->weights, f->loop) ||
        (f->operation == FOOTPRINT_CORRELATE && f->weights == NULL)) {
        PyErr_SetString(PyExc_ValueError, "footprint_filter: a weight and a flag for each place");
        return -1;
    }
    if (f->taps < 1 || f->taps > f->window.places || f->window.rank < 0 ||
        f->window.rank >= f->taps) {
        PyErr_SetString(PyExc_ValueError, "footprint_filter: a rank of the places that count");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(
    footprint_filter_doc,
    "footprint_filter($module, a, mask, weights, out, window, left, operation, taps, rank,\n"
    "rule, beyond, dtype, skips, /)\n--\n\n"
    "Write into out, for each element of a, the sum of products of the weights with the\n"
    "window that begins `left` elements before it, its minimum, maximum or the element of\n"
    "a rank among the `taps` places that the mask selects, computed in dtype. With `skips`,\n"
    "negligible weights are left out, so that what they would multiply may be infinite.");

enum {
    A,
    MASK,
    WEIGHTS,
    OUT,
    WINDOW,
    LEFT,
    OPERATION,
    TAPS,
    RANK,
    RULE,
    BEYOND,
    DTYPE,
    SKIPS,
    COUNT
};

/* `beyond` is the value outside the array for the rule "constant", in the loop's type. */
static int
take_numbers(Filter *f, PyObject *const *args)
{
    int rule;
    if (gnp_name_from_object(args[OPERATION], operations, 4, &f->operation) < 0 ||
        gnp_pad_rule_from_object(args[RULE], &rule) < 0) {
        return -1;
    }
    f->window.rule = rule;
    f->taps = PyLong_AsLongLong(args[TAPS]);
    f->window.rank = PyLong_AsLongLong(args[RANK]);
    f->skips = PyObject_IsTrue(args[SKIPS]);
    if (PyErr_Occurred()) {
        return -1;
    }
    return gnp_scalar_from_object(args[BEYOND], f->loop, &f->beyond);
}

/* More places than a thread sorts in registers are counted instead (FOOTPRINT_MANY). */
static PyObject *
footprint_filter(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Filter f = {.in = NULL};
    PyObject *ret = NULL;
    if (nargs != COUNT || !gnp_array_check(args[A]) || !gnp_array_check(args[OUT]) ||
        (args[MASK] != Py_None && !gnp_array_check(args[MASK])) ||
        (args[WEIGHTS] != Py_None && !gnp_array_check(args[WEIGHTS]))) {
        PyErr_SetString(PyExc_TypeError, "footprint_filter takes arrays, numbers and names");
        return NULL;
    }
    f.loop = gnp_dtype_from_object(args[DTYPE]);
    if (f.loop == GNP_NO_DTYPE) {
        return NULL;
    }
    GNP_TRY(take_numbers(&f, args));
    GNP_NEW(f.in, gnp_readable((GnpArray *)args[A], "footprint_filter"));
    GNP_NEW(f.out, gnp_readable((GnpArray *)args[OUT], "footprint_filter"));
    if (args[MASK] != Py_None) {
        GNP_NEW(f.mask, gnp_readable((GnpArray *)args[MASK], "footprint_filter"));
    }
    if (args[WEIGHTS] != Py_None) {
        GNP_NEW(f.weights, gnp_readable((GnpArray *)args[WEIGHTS], "footprint_filter"));
    }
    GNP_TRY(take_window(&f, args[WINDOW], args[LEFT]));
    GNP_TRY(check(&f));
    if (f.operation == FOOTPRINT_FEW && (f.taps > MOST_OF_FEW || f.window.places > BLOCK)) {
        f.operation = FOOTPRINT_MANY;
    }
    if (f.in->size > 0) {
        GNP_TRY(launch(&f));
    }
    GNP_TRY(gnp_write_back(f.out, args[OUT]));
    ret = Py_NewRef(args[OUT]);
fail:
    Py_XDECREF((PyObject *)f.in);
    Py_XDECREF((PyObject *)f.mask);
    Py_XDECREF((PyObject *)f.weights);
    Py_XDECREF((PyObject *)f.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"footprint_filter", (PyCFunction)(void (*)(void))footprint_filter, METH_FASTCALL,
     footprint_filter_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_footprint_filter_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

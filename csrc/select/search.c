/* searchsorted and membership: both arguments in the type NumPy promotes them to, one binary search
 * for each value.
 *
 * Binary searches are bound by the latency of dependent reads, so their first steps go to shared
 * memory where that pays off. Called by searchsorted, digitize, isin and unique, with the GIL;
 * no wait.
 */
#include "select/select.h"

enum {
    BLOCK = 256,
    SHARED_BYTES = 16384,
    SAMPLED_BLOCK = 512,
    SAMPLES_BYTES = 32768,
    NEAR_BYTES = 1 << 24
};

/* One call and its options, which select the variant of the kernel. */
typedef struct {
    GnpArray *sorted, *sorter, *values; /* owned; contiguous; sorter may be NULL */
    GnpArray *out;                      /* owned */
    int right, member, invert;          /* member: the result is a bool, other than `invert` */
    int either;                         /* the sequence may be descending */
} Search;

/* Also for partly filled structs. */
static void
search_clear(Search *s)
{
    Py_CLEAR(s->sorted);
    Py_CLEAR(s->sorter);
    Py_CLEAR(s->values);
    Py_CLEAR(s->out);
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A search reads in no order, so a strided sequence would cost more than its copy. */
static GnpArray *
contiguous(GnpArray *a, GnpDtype dtype)
{
    GnpArray *readable = gnp_readable_any(a, "searchsorted");
    if (readable == NULL || (readable->dtype == (int)dtype && readable->flags & GNP_C_CONTIGUOUS)) {
        return readable;
    }
    GnpArray *copy = gnp_astype(readable, dtype, 'C');
    Py_DECREF((PyObject *)readable);
    return copy;
}

/* Whole words only: NumPy no longer accepts abbreviations. */
static int
parse_side(PyObject *side, int *right)
{
    if (side == NULL ||
        (PyUnicode_Check(side) && PyUnicode_CompareWithASCIIString(side, "left") == 0)) {
        *right = 0;
        return 0;
    }
    if (PyUnicode_Check(side) && PyUnicode_CompareWithASCIIString(side, "right") == 0) {
        *right = 1;
        return 0;
    }
    PyErr_Format(PyUnicode_Check(side) ? PyExc_ValueError : PyExc_TypeError,
                 "search side must be 'left' or 'right' (got %R)", side);
    return -1;
}

/* The sequence is then read through it: one more access per step. */
static int
parse_sorter(Search *s, PyObject *object)
{
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "sorter must be a gpunp array, not %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    GnpArray *sorter = (GnpArray *)object;
    char cls = gnp_dtypes[sorter->dtype].cls;
    if (sorter->ndim != 1 || (cls != 'i' && cls != 'u')) {
        PyErr_SetString(PyExc_TypeError, "sorter must be a 1-d array of integers");
        return -1;
    }
    if (sorter->size != s->sorted->size) {
        PyErr_SetString(PyExc_ValueError, "sorter.size must equal len(a)");
        return -1;
    }
    s->sorter = contiguous(sorter, GNP_I64);
    return s->sorter == NULL ? -1 : 0;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* Where searches begin: in global memory, in a copy of the sequence in shared memory, or in a copy
 * of every 2^shift-th element there; copying pays off when a block has many searches. */
typedef struct {
    int shared, sampled; /* elements in shared memory; whether they are samples */
    int shift, block, unroll;
    int64_t blocks;
} Plan;

/* `most` blocks per multiprocessor bound how often the copy to shared memory is repeated. */
static Plan
make_plan(const Search *s, const GnpDevice *device)
{
    const int64_t n = s->sorted->size, itemsize = gnp_itemsize(s->sorted);
    Plan p = {.block = BLOCK, .unroll = 1};
    int64_t most = 128;
    if (s->sorter == NULL && n <= SHARED_BYTES / itemsize) {
        p.shared = SHARED_BYTES / (int)itemsize;
        p.unroll = 4; /* several in flight only from the L2 cache */
        most = 32;
    }
    /* Many searches: the first steps of each are done in the samples, the last ones in memory. */
    else if (s->sorter == NULL && s->values->size >= (int64_t)device->sm_count * 8192) {
        p.sampled = 1;
        p.shared = SAMPLES_BYTES / (int)itemsize;
        p.block = SAMPLED_BLOCK;
        p.unroll = n * itemsize > NEAR_BYTES ? 2 : 4; /* beyond L2: fewer in flight is faster */
        most = 4;
        while (n >> p.shift > p.shared) {
            p.shift++;
        }
    }
    /* Fewer than `most` where the values are few. */
    p.blocks = gnp_ceil_div(s->values->size, (int64_t)p.block * p.unroll);
    most *= device->sm_count;
    p.blocks = p.blocks < most ? p.blocks : most;
    return p;
}

/* Positions are 64-bit where the sequence has more than 2^31 elements. */
static GnpSpec_search
spec_of(const Search *s, const Plan *p)
{
    return (GnpSpec_search){GNP_SPEC(search),
                            .head.wide = s->sorted->size > INT32_MAX,
                            .T = gnp_kernel_dtype(s->sorted->dtype),
                            .RIGHT = s->right,
                            .SORTER = s->sorter != NULL,
                            .MEMBER = s->member,
                            .EITHER = s->either,
                            .SHARED = p->shared,
                            .SAMPLED = p->sampled,
                            .UNROLL = p->unroll,
                            .ITEMS = 1,
                            .BLOCK = p->block};
}

/* Blocks loop over the values, so that the number of blocks can be limited. */
static int
search(const Search *s)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    const Plan plan = make_plan(s, device);
    GnpSpec_search spec = spec_of(s, &plan);
    return gnp_launch_arrays(
        &(GnpArrayLaunch){.spec = &spec.head,
                          .blocks = plan.blocks,
                          .threads = plan.block,
                          .narrays = 4,
                          .array = {s->sorted, s->sorter, s->values, s->out},
                          .value = {&s->sorted->size, &s->values->size, &s->invert, &plan.shift}});
}

/* Converts both to their common type, runs the search and releases what `s` owns. `s` has the
 * options and, if given, the sorter. The types promote as in NumPy: an integer is found in a
 * sequence of floats. */
static PyObject *
run(Search *s, GnpArray *a, GnpArray *v, PyObject *sorter)
{
    PyObject *ret = NULL;
    GnpDtype dtype = gnp_promote((GnpDtype)a->dtype, (GnpDtype)v->dtype);
    if (dtype == GNP_NO_DTYPE) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "searchsorted: the dtypes have no common type");
        }
        goto fail;
    }
    GNP_NEW(s->sorted, contiguous(a, dtype));
    GNP_NEW(s->values, contiguous(v, dtype));
    GNP_TRY(parse_sorter(s, sorter));
    GNP_NEW(s->out, gnp_array_new(v->ndim, gnp_shape(v), s->member ? GNP_BOOL : GNP_I64, 'C'));
    if (s->out->size > 0) {
        GNP_TRY(search(s));
    }
    ret = Py_NewRef((PyObject *)s->out);
fail:
    search_clear(s);
    return ret;
}

static int
is_structured(const GnpArray *a, const GnpArray *b)
{
    return GNP_UNLIKELY(gnp_is_structured(a->dtype) || gnp_is_structured(b->dtype));
}

/* given: v, side, sorter. NumPy arrays are refused, not uploaded silently. */
static PyObject *
searchsorted(GnpArray *a, PyObject *const *given)
{
    Search s = {.right = 0};
    GnpArray *v = NULL; /* owned */
    PyObject *ret = NULL;

    if (a->ndim != 1) {
        PyErr_SetString(PyExc_ValueError, "object too deep for desired array");
        goto fail;
    }
    GNP_TRY(parse_side(given[1], &s.right));
    if (gnp_is_numpy_array(given[0])) {
        PyErr_SetString(PyExc_TypeError, "searchsorted() does not take a NumPy array; move it to "
                                         "the device with gpunp.asarray()");
        goto fail;
    }
    GNP_NEW(v, gnp_array_from_object(given[0], GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K'));
    ret = is_structured(a, v) ? gnp_structured_call("searchsorted", "(OOiO)", a, v, s.right,
                                                    given[2] == NULL ? Py_None : given[2])
                              : run(&s, a, v, given[2]);
fail:
    Py_XDECREF((PyObject *)v);
    return ret;
}

/* The method; gpunp.searchsorted calls it. */
PyObject *
array_searchsorted(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("searchsorted(v, side='left', sorter=None)");
    PyObject *given[3];
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    return searchsorted((GnpArray *)self, given);
}

PyDoc_STRVAR(member_doc, "is_member(sorted, values, invert, /)\n--\n\n"
                         "Whether each value is in a sorted 1-d array, or with `invert` is not.");

PyDoc_STRVAR(either_doc, "search_either(sequence, values, right, /)\n--\n\n"
                         "searchsorted in a 1-d array that ascends or descends; where it descends, "
                         "positions are those that digitize counts.");

/* Whether the sequence descends is decided on the device by its ends, without a wait. */
static PyObject *
either_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Search s = {.either = 1};
    if (nargs != 3 || !gnp_array_check(args[0]) || ((GnpArray *)args[0])->ndim != 1 ||
        !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "search_either() takes a 1-d array, an array and a bool");
        return NULL;
    }
    s.right = PyObject_IsTrue(args[2]);
    return s.right < 0 ? NULL : run(&s, (GnpArray *)args[0], (GnpArray *)args[1], NULL);
}

/* gpunp.isin has sorted the second argument. */
static PyObject *
member_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Search s = {.member = 1};
    if (nargs != 3 || !gnp_array_check(args[0]) || ((GnpArray *)args[0])->ndim != 1 ||
        !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "is_member() takes a 1-d array, an array and a bool");
        return NULL;
    }
    s.invert = PyObject_IsTrue(args[2]);
    if (s.invert < 0) {
        return NULL;
    }
    if (is_structured((GnpArray *)args[0], (GnpArray *)args[1])) {
        return gnp_structured_call("is_member", "(OOO)", args[0], args[1], args[2]);
    }
    return run(&s, (GnpArray *)args[0], (GnpArray *)args[1], NULL);
}

/* With equal_nan, NaNs, which sort last, are one run. */
static const GnpElementOp start_op = {
    .name = "run_start", .expression = "a != b", .nin = 2, .nout = 1};
static const GnpElementOp start_nan_op = {
    .name = "run_start_nan", .expression = "a != b && b == b", .nin = 2, .nout = 1};

PyDoc_STRVAR(starts_doc,
             "run_starts(sorted, equal_nan, /)\n--\n\n"
             "Whether each element of a sorted 1-d array is the first of its run of equal ones.");

/* The first element starts a run; the others are compared with the one before. */
static PyObject *
starts_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *sorted = NULL, *out = NULL, *first = NULL; /* owned */
    PyObject *ret = NULL;
    const GnpScalar yes = {{1, 0}};
    if (nargs != 2 || !gnp_array_check(args[0]) || ((GnpArray *)args[0])->ndim != 1) {
        PyErr_SetString(PyExc_TypeError, "run_starts() takes a 1-d array and a bool");
        return NULL;
    }
    int equal_nan = PyObject_IsTrue(args[1]);
    GNP_TRY(equal_nan);
    if (GNP_UNLIKELY(gnp_is_structured(((GnpArray *)args[0])->dtype))) {
        return gnp_structured_call("run_starts", "(O)", args[0]);
    }
    GNP_NEW(sorted, gnp_readable_any((GnpArray *)args[0], "unique"));
    GNP_NEW(out, gnp_array_new(1, &sorted->size, GNP_BOOL, 'C'));
    if (sorted->size > 0) {
        const int64_t one = 1, n = sorted->size - 1, *stride = gnp_strides(sorted);
        GnpOperand operands[3] = {{.data = sorted->data + (CUdeviceptr)*stride,
                                   .block = sorted->block,
                                   .strides = stride,
                                   .dtype = gnp_kernel_dtype(sorted->dtype),
                                   .compute = gnp_kernel_dtype(sorted->dtype)},
                                  {0},
                                  {.data = out->data + 1,
                                   .block = out->block,
                                   .strides = &one,
                                   .dtype = GNP_BOOL,
                                   .compute = GNP_BOOL}};
        operands[1] = operands[0];
        operands[1].data = sorted->data;
        GNP_NEW(first, gnp_array_view(out, out->data, 1, &one, &one, GNP_BOOL));
        GNP_TRY(gnp_fill(first, &yes));
        GNP_TRY(gnp_elementwise(equal_nan ? &start_nan_op : &start_op, operands, 1, &n));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)sorted);
    Py_XDECREF((PyObject *)out);
    Py_XDECREF((PyObject *)first);
    return ret;
}

static PyMethodDef functions[] = {
    {"is_member", GNP_FAST(member_function), METH_FASTCALL, member_doc},
    {"search_either", GNP_FAST(either_function), METH_FASTCALL, either_doc},
    {"run_starts", GNP_FAST(starts_function), METH_FASTCALL, starts_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_search_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

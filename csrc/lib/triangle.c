/* Triangular systems by our own kernel: a block for a few right-hand sides of a matrix, which stay
 * in shared memory.
 *
 * The libraries' batched call needs copies with right-hand sides as columns, and arrays of
 * addresses, and takes longer for all but large matrices; a single large matrix needs more than a
 * few blocks, and is left to them. */
#include "lib/small.h"

enum {
    TRIANGLE_BLOCK = 256,
    RIGHT_BYTES = 32,   /* of the right-hand sides of a block, for each row */
    CHIP_BYTES = 49152, /* shared memory of a block by default */
    DIAGONAL_BYTES = 32 * 33,
    MOST_ROWS = 1024,
    /* As measured on an H200, where it is the better choice for a single matrix. */
    MOST_ROWS_OF_ONE = 512, /* with at least FEW right-hand sides and up to MANY */
    MOST_ROWS_OF_FEW = 64,  /* with fewer */
    FEW = 4,
    MANY = 1024,
    MOST_GROUPS = 65535,
};

typedef struct {
    int lower, trans, unit, each; /* trans: 0, 1 (transposed) or 2 (conjugate) */
    int64_t chip_bytes;
} Solve;

/* How many right-hand sides share a block, and whether the kernel is the best choice. */
static int
plan(const GnpSmall *a, const GnpSmall *b, Solve *s)
{
    const int64_t bytes = gnp_dtypes[a->dtype].bytes, n = a->rows;
    s->each = 1;
    while (s->each < b->columns && s->each < RIGHT_BYTES / bytes) {
        s->each *= 2;
    }
    /* n | 1: an odd distance between columns, so that neighbouring threads use different banks of
     * shared memory. */
    s->chip_bytes = s->each * (n | 1) * bytes;
    if (n > MOST_ROWS || s->chip_bytes + DIAGONAL_BYTES * bytes > CHIP_BYTES ||
        b->columns > (int64_t)s->each * MOST_GROUPS || b->count > INT32_MAX) {
        return 0;
    }
    return b->count > 1 ||
           (n <= (b->columns < FEW ? MOST_ROWS_OF_FEW : MOST_ROWS_OF_ONE) && b->columns <= MANY);
}

/* The kernel, and what it is told of the matrices. */
static GnpKernel *
find_kernel(GnpDevice *device, const GnpSmall *a, const Solve *s, GnpTriangle *t)
{
    *t = (GnpTriangle){a->place, (int)a->rows, a->rows | 1};
    /* A transposed triangle is the other one with strides exchanged. */
    if (s->trans != 0) {
        t->at.row = a->place.column;
        t->at.column = a->place.row;
    }
    GnpSpec_triangle spec = {GNP_SPEC(triangle),
                             .T = a->dtype,
                             .LOWER = s->trans != 0 ? !s->lower : s->lower,
                             .UNIT = s->unit,
                             .CONJ = s->trans == 2 && gnp_dtypes[a->dtype].cls == 'c',
                             .ALONG = llabs(t->at.column) <= llabs(t->at.row),
                             .EACH = s->each,
                             .BLOCK = TRIANGLE_BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

void
gnp_triangle_ask(GnpDevice *device, const GnpSmall *a, const GnpSmall *b, int lower, int unit)
{
    Solve s = {.lower = lower, .unit = unit};
    if (plan(a, b, &s)) {
        (void)find_kernel(device, a, &s, &(GnpTriangle){.n = 0});
    }
}

static int
launch(const GnpSmall *a, const GnpSmall *b, const Solve *s, GnpArray *x, GnpArray *flag)
{
    GnpKernel *kernel;
    GnpDevice *device;
    GnpTriangle t;
    int columns = (int)b->columns;
    GnpPlace from = b->place, to = {x->data, b->rows * b->columns, b->columns, 1};
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(kernel, find_kernel(device, a, s, &t));
    const unsigned grid[3] = {(unsigned)b->count, (unsigned)((columns + s->each - 1) / s->each), 1};
    const unsigned block[3] = {TRIANGLE_BLOCK, 1, 1};
    void *arguments[] = {&t, &from, &to, &columns, &flag->data};
    return gnp_launch(kernel, grid, block, (unsigned)s->chip_bytes, gnp_stream_current(device),
                      arguments);
fail:
    return -1;
}

PyDoc_STRVAR(
    triangle_doc,
    "lapack_triangle(a, b, lower, trans, unit)\n--\n\n"
    "x of op(a) x = b for stacks of one shape in any layout, of which one triangle is read; "
    "trans\nis 0, 1 (transposed) or 2 (conjugate); `unit`: the diagonal counts as ones. "
    "Returns (x, flag):\nflag is an int32 that is not zero where there is a zero on a "
    "diagonal; or None where the library\nis the better choice.");

static PyObject *
triangle(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("lapack_triangle(a, b, lower, trans, unit)");
    PyObject *given[5], *ret = NULL;
    GnpSmall a = {.count = 0}, b = {.count = 0}; /* owned */
    GnpArray *x = NULL, *flag = NULL;            /* owned */
    Solve s;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_small_from(given[0], "a", INT64_MAX, &a));
    GNP_TRY(gnp_small_from(given[1], "b", INT64_MAX, &b));
    GNP_TRY(s.lower = PyObject_IsTrue(given[2]));
    GNP_TRY(s.unit = PyObject_IsTrue(given[4]));
    GNP_TRY(gnp_int_from_object(given[3], "trans", &s.trans));
    if (a.rows != a.columns || a.rows != b.rows || a.count != b.count || a.dtype != b.dtype) {
        PyErr_SetString(PyExc_ValueError, "a and b do not fit together");
        goto fail;
    }
    if (!plan(&a, &b, &s)) {
        ret = Py_NewRef(Py_None);
        goto fail;
    }
    const int64_t sizes[] = {b.rows, b.columns};
    GNP_NEW(x, gnp_small_result(&b, 2, sizes, b.dtype));
    GNP_NEW(flag, gnp_small_flag(x->size > 0 ? b.count * ((b.columns + s.each - 1) / s.each) : 0));
    if (x->size > 0) {
        GNP_TRY(launch(&a, &b, &s, x, flag));
    }
    ret = PyTuple_Pack(2, x, flag);
fail:
    gnp_small_clear(&a);
    gnp_small_clear(&b);
    Py_XDECREF((PyObject *)x);
    Py_XDECREF((PyObject *)flag);
    return ret;
}

PyMethodDef gnp_triangle_functions[] = {
    {"lapack_triangle", GNP_FAST(triangle), METH_FASTCALL | METH_KEYWORDS, triangle_doc},
    {NULL, NULL, 0, NULL},
};

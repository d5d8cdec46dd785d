/* softmax and its logarithm of contiguous rows that fit into the registers of a block: one launch,
 * which reads and writes each element once. Others are left to gpunp.scipy.special, which makes two
 * launches. Holds the GIL. */
#include "reduce/reduce.h"

/* The values a thread keeps in registers, of 4 bytes; and threads of a block. */
enum { VALUES = 16, MOST_LANES = 1024, BLOCK = 256 };
/* A row of so many elements is too much for one block where most multiprocessors have none. */
enum { LONG = 4096, FEW_ROWS = 32 };

typedef struct {
    int width, items, lanes;
} Plan;

/* As few threads per row as hold it, so that they seldom wait for each other. 0: it is too long. */
static int
make_plan(const GnpArray *x, int64_t n, Plan *p)
{
    const int bytes = (int)gnp_itemsize(x), values = bytes == 8 ? VALUES / 2 : VALUES;
    p->width = 16 / bytes;
    while (p->width > 1 && (n % p->width != 0 || x->data % (uint64_t)(p->width * bytes) != 0)) {
        p->width /= 2;
    }
    const int64_t accesses = n / p->width, most = values / p->width;
    p->lanes = gnp_power_of_two(accesses, 32);
    while (p->lanes < MOST_LANES && accesses > p->lanes * most) {
        p->lanes *= 2;
    }
    p->items = gnp_power_of_two(gnp_ceil_div(accesses, p->lanes), (int)most);
    return accesses <= (int64_t)p->lanes * p->items;
}

static int
launch(const Plan *p, GnpArray *x, GnpArray *out, int64_t n, int is_log)
{
    const int block = p->lanes > BLOCK ? p->lanes : BLOCK;
    const int64_t rows = x->size / n;
    GnpSpec_softmax_rows spec = {
        GNP_SPEC(softmax_rows), .T = x->dtype,     .LOG = is_log,  .LANES = p->lanes,
        .WIDTH = p->width,      .ITEMS = p->items, .BLOCK = block,
    };
    const uint32_t length = (uint32_t)n;
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = gnp_ceil_div(rows, block / p->lanes),
                                               .threads = block,
                                               .narrays = 2,
                                               .array = {x, out},
                                               .value = {&length, &rows}});
}

PyDoc_STRVAR(doc,
             "softmax_rows($module, x, n, is_log, /)\n--\n\n"
             "The softmax, or its logarithm, of each `n` elements of a C-contiguous array of\n"
             "real floats. None if a row is too long for a block, or there are few long ones.");

/* None tells Python to take another method. */
static PyObject *
softmax_rows(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *x = NULL, *out = NULL; /* owned */
    PyObject *ret = NULL;            /* returned */
    Plan plan;
    if (nargs != 3 || !gnp_array_check(args[0]) ||
        gnp_dtypes[((GnpArray *)args[0])->dtype].cls != 'f' ||
        !(((GnpArray *)args[0])->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_TypeError,
                        "softmax_rows takes a contiguous array of floats, a length, a truth value");
        return NULL;
    }
    const Py_ssize_t n = PyNumber_AsSsize_t(args[1], PyExc_OverflowError);
    const int is_log = n == -1 && PyErr_Occurred() ? -1 : PyObject_IsTrue(args[2]);
    GNP_TRY(is_log);
    GNP_NEW(x, gnp_readable((GnpArray *)args[0], "softmax_rows"));
    if (n < 1 || x->size == 0 || x->size % n != 0 || !make_plan(x, n, &plan) ||
        (n > LONG && x->size / n < FEW_ROWS)) {
        ret = Py_NewRef(Py_None);
        goto fail;
    }
    GNP_NEW(out, gnp_array_new(x->ndim, gnp_shape(x), (GnpDtype)x->dtype, 'C'));
    GNP_TRY(launch(&plan, x, out, n, is_log));
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)x);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"softmax_rows", GNP_FAST(softmax_rows), METH_FASTCALL, doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_softmax_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

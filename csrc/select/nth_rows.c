/* Rows that fit into a block: their elements of given ranks, or the rows partitioned by one of
 * them, without sorting.
 *
 * A block loads a row into registers and shared memory and narrows down the key by its digits.
 * partition() and medians of many short rows use it. Ranks come from Python as numbers.
 */
#include "select/select.h"

#include <string.h>

enum { MOST_RANKS = GNP_RANKS_MOST, MOST_BYTES = 32768, MOST_ITEMS = 16 };

typedef GnpNthRanks Ranks;

/* What the shared memory of a block holds. Keys of less than 4 bytes take 4 in shared memory. */
static int64_t
longest_row(const GnpArray *a)
{
    const int64_t bytes = gnp_itemsize(a), n = MOST_BYTES / (bytes > 4 ? bytes : 4);
    return n;
}

/* A block per row: rows are limited by the grid, 2^31 - 1. */
static int
launch(GnpArray *a, const Ranks *ranks, int gives, GnpArray *out)
{
    const int64_t n = gnp_shape(a)[a->ndim - 1], rows = a->size / n;
    /* Longer rows get more threads before they get more elements per thread. */
    const int threads = n > 256 * 8 ? 512 : 256;
    const int items = gnp_power_of_two(gnp_ceil_div(n, threads), MOST_ITEMS);
    const uint32_t length = (uint32_t)n;
    GnpSpec_nth_rows spec = {GNP_SPEC(nth_rows), .T = a->dtype, .GIVES = gives, .ITEMS = items,
                             .BLOCK = threads};
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = rows,
                                               .threads = threads,
                                               .narrays = 2,
                                               .array = {a, out},
                                               .value = {&length, ranks}});
}

/* Partitioning has one rank, since two would need two passes. `list` is a tuple, which no __index__
 * can change. */
static int
read_ranks(PyObject *list, int64_t n, int gives, Ranks *ranks)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(list);
    if (count < 1 || count > (gives == NTH_ELEMENTS ? MOST_RANKS : 1)) {
        PyErr_SetString(PyExc_ValueError, "nth_rows: one rank, or up to eight for elements");
        return -1;
    }
    ranks->count = (uint32_t)count;
    for (Py_ssize_t k = 0; k < count; k++) {
        int64_t rank = PyLong_AsLongLong(PyTuple_GET_ITEM(list, k));
        if (rank < 0 || rank >= n) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_IndexError, "nth_rows: a rank is out of bounds");
            }
            return -1;
        }
        ranks->at[k] = (uint32_t)rank;
    }
    return 0;
}

PyDoc_STRVAR(doc,
             "nth_rows($module, a, ranks, gives, /)\n--\n\n"
             "Of the C-contiguous rows of real numbers along the last axis: the elements of up\n"
             "to eight ranks (gives 0), the rows parted by one rank (1), or the positions that\n"
             "part them (2). None if the rows are longer than 8192 elements or 32 KiB.");

/* None tells Python to take another method for longer rows. */
static PyObject *
nth_rows_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *a = NULL, *out = NULL; /* owned */
    PyObject *list = NULL;           /* owned */
    PyObject *ret = NULL;            /* returned */
    int64_t shape[GNP_MAX_DIMS];
    Ranks ranks;
    if (nargs != 3 || !gnp_array_check(args[0]) || !PyList_Check(args[1]) ||
        ((GnpArray *)args[0])->ndim == 0 || gnp_dtypes[((GnpArray *)args[0])->dtype].cls == 'c' ||
        !(((GnpArray *)args[0])->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_TypeError, "nth_rows takes contiguous real rows, a list, a number");
        return NULL;
    }
    int gives;
    GNP_TRY(gnp_int_from_object(args[2], "gives", &gives));
    GNP_NEW(a, gnp_readable((GnpArray *)args[0], "nth_rows"));
    const int last = a->ndim - 1;
    /* Before the ranks are read, which the other method checks, too. */
    if (gnp_shape(a)[last] > longest_row(a)) {
        ret = Py_NewRef(Py_None);
        goto fail;
    }
    GNP_NEW(list, PyList_AsTuple(args[1]));
    GNP_TRY(read_ranks(list, gnp_shape(a)[last], gives, &ranks));
    memcpy(shape, gnp_shape(a), (size_t)a->ndim * sizeof *shape);
    shape[last] = gives == NTH_ELEMENTS ? ranks.count : shape[last];
    GNP_NEW(out, gnp_array_new(a->ndim, shape,
                               gives == NTH_POSITIONS ? GNP_I64 : (GnpDtype)a->dtype, 'C'));
    if (a->size > 0) {
        GNP_TRY(launch(a, &ranks, gives, out));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF(list);
    Py_XDECREF((PyObject *)a);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"nth_rows", GNP_FAST(nth_rows_function), METH_FASTCALL, doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_nth_rows_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* _C.banded_factor, banded_sides, banded_back: one step of the elimination of a banded system, of
 * its right-hand sides, and back. gpunp.scipy.linalg._banded calls them for each of log2(n) steps
 * without reading anything back, and owns the arrays between the steps. Widths are limited by the
 * kernels' shared memory; a few sizes of kernels serve all of them. */
#include "sparse/sparse_internal.h"

enum { BLOCK = 128 };
/* The arrays of banded_factor are {BLOCKS, KEPT, NEXT}; numbers begin with blocks and width. */
enum { COUNT, WIDTH, COLUMNS };

/* The smallest of the sizes for which kernels are compiled; -1 with a ValueError. */
static int
size_of(const GnpSparseCall *call)
{
    for (int most = 2; most <= BANDED_MOST_WIDTH; most *= 2) {
        if (call->number[WIDTH] >= 1 && call->number[WIDTH] <= most) {
            return most;
        }
    }
    PyErr_Format(PyExc_ValueError, "%s: width is 1 to %d, not %lld", call->name, BANDED_MOST_WIDTH,
                 (long long)call->number[WIDTH]);
    return -1;
}

/* Arrays: blocks, kept, next. Numbers: blocks, width. The pairs of a thread block are as in the
 * kernel. */
static PyObject *
banded_factor(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "banded_factor", .narrays = 3, .nnumbers = 2};
    int status = -1, most;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 7u));
    GNP_TRY(most = size_of(&call));
    GnpSpec_banded_factor spec = {GNP_SPEC(banded_factor), .T = call.array[0]->dtype, .MOST = most};
    const int64_t pairs = (call.number[COUNT] + 1) / 2, together = most <= 2   ? 4
                                                                   : most <= 4 ? 2
                                                                               : 1;
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(pairs, together), 32, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Arrays: kept, sides, what stays, next. Numbers: blocks, width, columns. */
static PyObject *
banded_sides(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "banded_sides", .narrays = 4, .nnumbers = 3};
    int status = -1, most;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 15u));
    GNP_TRY(most = size_of(&call));
    GnpSpec_banded_sides spec = {GNP_SPEC(banded_sides), .T = call.array[0]->dtype, .MOST = most,
                                 .BLOCK = BLOCK};
    const int64_t threads = (call.number[COUNT] + 1) / 2 * call.number[COLUMNS];
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(threads, (int64_t)BLOCK), BLOCK,
                               NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Arrays: kept, what stayed, the unknowns. Numbers: blocks, width, columns, the distance of
 * neighbouring unknowns of this step, the last unknown. */
static PyObject *
banded_back(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "banded_back", .narrays = 3, .nnumbers = 5};
    int status = -1, most;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 7u));
    GNP_TRY(most = size_of(&call));
    GnpSpec_banded_back spec = {GNP_SPEC(banded_back), .T = call.array[0]->dtype, .MOST = most,
                                .BLOCK = BLOCK};
    const int64_t threads = call.number[COUNT] / 2 * call.number[COLUMNS];
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(threads, (int64_t)BLOCK), BLOCK,
                               NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

static PyMethodDef functions[] = {
    {"banded_factor", (PyCFunction)(void (*)(void))banded_factor, METH_FASTCALL,
     "banded_factor($module, blocks, kept, next, count, width, /)\n--\n\n"
     "Eliminate the unknown between each two blocks of equations."},
    {"banded_sides", (PyCFunction)(void (*)(void))banded_sides, METH_FASTCALL,
     "banded_sides($module, kept, sides, stay, next, count, width, columns, /)\n--\n\n"
     "Do the same with right-hand sides."},
    {"banded_back", (PyCFunction)(void (*)(void))banded_back, METH_FASTCALL,
     "banded_back($module, kept, stay, found, count, width, columns, stride, last, /)\n--\n\n"
     "Find the unknowns that a step eliminated."},
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_banded_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0
               ? -1
               : PyModule_AddIntConstant(module, "BANDED_MOST_WIDTH", BANDED_MOST_WIDTH);
}

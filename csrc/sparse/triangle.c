/* _C.sparse_triangle: systems of a triangle in compressed rows. One launch without a schedule of
 * levels: warps wait for elements that others post on the board. That cannot deadlock, since
 * rows are taken by tickets in the order of their dependencies. */
#include "sparse/sparse_internal.h"

/* ROWS of kernels/sparse/sparse_triangle.cu. */
enum { ROWS = 8 };

enum { BEGINS, INDICES, DATA, B, OUT, BOARD };

/* 64-bit words in which an element is posted: 32 bits of it in each. A word holds 32 bits of
 * data and a flag, so that both are written by one store. */
static int64_t
words_of(int dtype)
{
    return gnp_ceil_div(gnp_dtypes[dtype].bytes, 4);
}

/* Numbers: rows, right-hand sides, whether the triangle is the lower one, whether its diagonal is
 * of ones. */
static PyObject *
sparse_triangle(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_triangle", .narrays = 6, .nnumbers = 4};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << BEGINS | 1u << INDICES));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA | 1u << B | 1u << OUT));
    const int dtype = call.array[OUT]->dtype, most = gnp_power_of_two(call.number[1], 32);
    const int64_t n = call.number[0], groups = gnp_ceil_div(call.number[1], (int64_t)most);
    const int64_t blocks = gnp_ceil_div(n, (int64_t)ROWS) * groups;
    if (call.array[BOARD] == NULL || call.array[BOARD]->dtype != GNP_U64 ||
        call.array[BOARD]->size < n * call.number[1] * words_of(dtype) + 1 || blocks > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError,
                        "sparse_triangle: the board is too small, or the system too large");
        goto fail;
    }
    GnpSpec_sparse_triangle spec = {
        GNP_SPEC(sparse_triangle),    .I = call.array[BEGINS]->dtype, .T = dtype,
        .LOWER = call.number[2] != 0, .UNIT = call.number[3] != 0,    .COLUMNS = most,
    };
    /* The last two numbers have become knobs. */
    call.nnumbers = 3;
    call.number[2] = groups;
    status = gnp_sparse_launch(&call, &spec.head, blocks, 32, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

static PyMethodDef functions[] = {
    {"sparse_triangle", (PyCFunction)(void (*)(void))sparse_triangle, METH_FASTCALL,
     "sparse_triangle($module, begins, indices, data, b, out, board, rows, columns, lower, unit, "
     "/)\n"
     "--\n\nWrite the solutions of a triangular system. `board` has 64-bit zeros: for each element "
     "of\n"
     "`out` one per four bytes, and one."},
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_triangle_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* _C.sparse_triangle: systems of a triangle in compressed rows. One launch without a schedule of
 * levels: rows that need an element which no warp has found yet are appended to the list of that
 * element, and are taken up again by a queue. */
#include "sparse/sparse_internal.h"

/* ROWS, COUNTERS and LINE of kernels/sparse/sparse_triangle.cu, and blocks that a multiprocessor
 * holds at most. */
enum { ROWS = 8, COUNTERS = 4, LINE = 32, BLOCKS = 32 };

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
    GnpDevice *device = NULL; /* borrowed */
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << BEGINS | 1u << INDICES));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA | 1u << B | 1u << OUT));
    const int dtype = call.array[OUT]->dtype, most = gnp_power_of_two(call.number[1], 32);
    const int64_t n = call.number[0], groups = gnp_ceil_div(call.number[1], (int64_t)most);
    const int64_t units = gnp_ceil_div(n, (int64_t)ROWS) * groups;
    const int64_t lists = gnp_ceil_div(n * groups + 2 * units, (int64_t)2) + COUNTERS * LINE / 2;
    if (call.array[BOARD] == NULL || call.array[BOARD]->dtype != GNP_U64 ||
        call.array[BOARD]->size < n * call.number[1] * words_of(dtype) + lists ||
        n * groups >= UINT32_MAX - 1) {
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
    GNP_NEW(device, gnp_device_current());
    const int64_t most_blocks = (int64_t)device->sm_count * BLOCKS;
    status = gnp_sparse_launch(&call, &spec.head, units < most_blocks ? units : most_blocks, 32,
                               NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

static PyMethodDef functions[] = {
    {"sparse_triangle", (PyCFunction)(void (*)(void))sparse_triangle, METH_FASTCALL,
     "sparse_triangle($module, begins, indices, data, b, out, board, rows, columns, lower, unit, "
     "/)\n"
     "--\n\nWrite the solutions of a triangular system. `board` has 64-bit zeros: for each element "
     "of\n"
     "`out` one per four bytes; for each row and group of up to 32 columns 3/4, and 68."},
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_triangle_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

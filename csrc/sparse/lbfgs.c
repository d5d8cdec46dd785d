/* _C.lbfgs_direction and others: an iteration of L-BFGS in three launches beside the function's,
 * and one reading. Rows of a matrix are the last steps, each before its change of the gradient;
 * the small products of them are kept by gpunp.scipy.optimize on the host, which finds weights. */
#include "sparse/sparse_internal.h"

enum { BLOCK = 256, DIRECTION_EACH = 2, PRODUCTS_EACH = 2, FINISH_BLOCK = 512 };
enum { MOST_BLOCKS = 1 << 16 };

/* The arrays in the order of the kernels' parameters. */
enum { ROWS, GRADIENT, POINT, WEIGHTS, DIRECTION, AHEAD };
enum { PRODUCT_ROWS, ALONG, NOW, BEFORE, PLACE, LOW, HIGH, SUMS };
enum { VALUE, PARTS, NUMBERS };

static int64_t
blocks_of(int64_t n, int each, int64_t most)
{
    const int64_t tiles = gnp_ceil_div(n, (int64_t)BLOCK * each);
    return tiles < most ? tiles : most;
}

/* Numbers: elements, rows, the step to the point. */
static PyObject *
lbfgs_direction(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "lbfgs_direction", .narrays = 6, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << ROWS | 1u << GRADIENT | 1u << POINT |
                                             1u << DIRECTION | 1u << AHEAD));
    GnpSpec_lbfgs_direction spec = {GNP_SPEC(lbfgs_direction), .T = call.array[ROWS]->dtype,
                                    .BLOCK = BLOCK};
    const int64_t blocks = blocks_of(call.number[0], DIRECTION_EACH, MOST_BLOCKS);
    status = gnp_sparse_launch(&call, &spec.head, blocks, BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: elements, rows, the first row and the end of those that are multiplied, the place of
 * the new pair, the step. Bounds may be None. */
static PyObject *
lbfgs_products(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "lbfgs_products", .narrays = 8, .nnumbers = 6};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    const int is_box = call.array[LOW] != NULL;
    const unsigned all = 1u << PRODUCT_ROWS | 1u << ALONG | 1u << NOW | 1u << BEFORE | 1u << SUMS;
    GNP_TRY(
        gnp_sparse_check_same(&call, is_box ? all | 1u << PLACE | 1u << LOW | 1u << HIGH : all));
    if (call.number[3] - call.number[2] > LBFGS_MOST_ROWS) {
        PyErr_SetString(PyExc_ValueError, "lbfgs_products: too many rows");
        goto fail;
    }
    GnpSpec_lbfgs_products spec = {GNP_SPEC(lbfgs_products), .T = call.array[NOW]->dtype,
                                   .BOX = is_box, .BLOCK = BLOCK};
    const int64_t blocks = blocks_of(call.number[0], PRODUCTS_EACH, LBFGS_MOST_SUMS);
    status = gnp_sparse_launch(&call, &spec.head, blocks, BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: how many there are besides the value, elements of the vectors. */
static PyObject *
lbfgs_finish(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "lbfgs_finish", .narrays = 3, .nnumbers = 2};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << VALUE | 1u << NUMBERS));
    call.number[1] = blocks_of(call.number[1], PRODUCTS_EACH, LBFGS_MOST_SUMS);
    GnpSpec_lbfgs_finish spec = {GNP_SPEC(lbfgs_finish), .T = call.array[PARTS]->dtype,
                                 .BLOCK = FINISH_BLOCK};
    status = gnp_sparse_launch(&call, &spec.head, 1, FINISH_BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

#define FUNCTION(name, parameters, summary)                                                        \
    {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL,                                      \
     #name "($module, " parameters ", /)\n--\n\n" summary}

static PyMethodDef functions[] = {
    FUNCTION(lbfgs_direction, "rows, g, x, weights, p, point, n, count, step",
             "Write a direction of L-BFGS, and the point a step along it."),
    FUNCTION(lbfgs_products,
             "rows, p, g, before, x, low, high, sums, n, count, first, end, place, step",
             "Write the last step and change of the gradient, and sums of products with them."),
    FUNCTION(lbfgs_finish, "value, sums, numbers, count, n",
             "Write the value of a function, and sums of `lbfgs_products` added up."),
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_lbfgs_init(PyObject *module)
{
    if (PyModule_AddFunctions(module, functions) < 0 ||
        PyModule_AddIntConstant(module, "LBFGS_MOST_SUMS", LBFGS_MOST_SUMS) < 0) {
        return -1;
    }
    return PyModule_AddIntConstant(module, "LBFGS_MOST_ROWS", LBFGS_MOST_ROWS);
}

/* _C.krylov_dot and others: parts of the steps of conjugate gradients, and of Gram-Schmidt.
 * gpunp.scipy.sparse.linalg calls the steps in turn without reading anything back: alpha, beta
 * and the state of convergence stay on the device, and the host looks at the state every few
 * steps only. */
#include "sparse/sparse_internal.h"

/* Every block of the next step adds up the sums of all blocks, so their number is limited. */
enum { BLOCK = 256, EACH = 4, MOST_BLOCKS = 1024 };

/* The arrays in the order of the kernel's parameters. */
enum { X, R, P, Q, FIRST, SECOND, OUT, RHO, STATE, TOLERANCE };

/* The blocks of a launch, each of which leaves a sum. */
static int64_t
blocks_of(int64_t n)
{
    const int64_t tiles = gnp_ceil_div(n, (int64_t)BLOCK * EACH);
    return tiles < MOST_BLOCKS ? tiles : MOST_BLOCKS;
}

/* Numbers: elements, parity of the step, whether it is the first one. One part of a step of
 * conjugate gradients. The parity of the step selects one of two places, as a block may still
 * read the previous number while another writes the next. */
static PyObject *
step(PyObject *const *args, Py_ssize_t nargs, int part, unsigned same)
{
    GnpSparseCall call = {.name = "krylov_step", .narrays = 10, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, same));
    const int64_t blocks = blocks_of(call.number[0]), parity = call.number[1] & 1;
    GnpSpec_krylov_step spec = {GNP_SPEC(krylov_step), .T = call.array[R]->dtype, .STEP = part,
                                .BLOCK = BLOCK};
    call.nnumbers = 4;
    call.number[3] = call.number[2];
    call.number[2] = parity;
    call.number[1] = blocks;
    status = gnp_sparse_launch(&call, &spec.head, blocks, BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* The mask names the arrays that the part uses, all of one dtype. */
static PyObject *
krylov_dot(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return step(args, nargs, KRYLOV_DOT, 1u << X | 1u << R | 1u << OUT);
}

static PyObject *
krylov_advance(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return step(args, nargs, KRYLOV_ADVANCE,
                1u << X | 1u << R | 1u << P | 1u << Q | 1u << FIRST | 1u << OUT | 1u << RHO);
}

static PyObject *
krylov_turn(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return step(args, nargs, KRYLOV_TURN,
                1u << R | 1u << P | 1u << FIRST | 1u << SECOND | 1u << RHO);
}

/* ---- Gram-Schmidt ---------------------------------------------------------------------------- */

/* A block leaves a sum for each row of the basis, so these are fewer blocks than above, but large
 * ones, so that enough loads are on their way; a vector of 2**16 elements has one for each of most
 * multiprocessors. */
enum { PROJECT_BLOCK = 512, PROJECT_LONG = 1 << 20 };

enum { BASIS, VECTOR, REST, SUMS, MORE_SUMS, NUMBERS };

static int64_t
project_blocks_of(int64_t n)
{
    const int64_t tiles = gnp_ceil_div(n, (int64_t)PROJECT_BLOCK);
    return tiles < KRYLOV_MOST_SUMS ? tiles : KRYLOV_MOST_SUMS;
}

/* The basis of long vectors comes from memory. The pass that reads it twice has small tiles: the
 * rows of all tiles at work, 4 kilobytes each, stay in the cache. */
static int
project_each(int64_t n, int pass)
{
    return n >= PROJECT_LONG && pass != KRYLOV_AGAIN ? 2 : 1;
}

/* Numbers: elements, rows, the first row of the first pass, the pass, the slack. Classical
 * Gram-Schmidt, twice: one pass loses orthogonality to rounding, a second one restores it. The
 * number of rows is limited by the kernel's shared memory. */
static PyObject *
krylov_project(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "krylov_project", .narrays = 6, .nnumbers = 5};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    const int pass = (int)call.number[3];
    const unsigned first = 1u << BASIS | 1u << VECTOR | 1u << MORE_SUMS;
    GNP_TRY(gnp_sparse_check_same(
        &call, pass == KRYLOV_PRODUCTS ? first : first | 1u << REST | 1u << SUMS | 1u << NUMBERS));
    if (call.number[1] > KRYLOV_MOST_ROWS) {
        PyErr_SetString(PyExc_ValueError, "krylov_project: too many rows");
        goto fail;
    }
    GnpSpec_krylov_project spec = {GNP_SPEC(krylov_project), .T = call.array[BASIS]->dtype,
                                   .PASS = pass, .EACH = project_each(call.number[0], pass),
                                   .BLOCK = PROJECT_BLOCK};
    const int64_t blocks = project_blocks_of(call.number[0]);
    call.number[3] = blocks;
    status = gnp_sparse_launch(&call, &spec.head, blocks, PROJECT_BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: elements. */
static PyObject *
krylov_put(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "krylov_put", .narrays = 4, .nnumbers = 1};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 7u));
    const int64_t n = call.number[0], blocks = gnp_ceil_div(n, (int64_t)BLOCK);
    GnpSpec_krylov_put spec = {GNP_SPEC(krylov_put), .T = call.array[0]->dtype, .BLOCK = BLOCK};
    call.nnumbers = 2;
    call.number[1] = project_blocks_of(n);
    status = gnp_sparse_launch(&call, &spec.head, blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS,
                               BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

#define METHOD(function, summary)                                                                  \
    {#function, (PyCFunction)(void (*)(void))function, METH_FASTCALL,                              \
     #function "($module, x, r, p, q, first, second, out, rho, state, tolerance, n, step, "        \
               "is_first, /)\n--\n\n" summary}

static PyMethodDef functions[] = {
    METHOD(krylov_dot, "Write sums of the product of `x`, conjugated, and `r`."),
    METHOD(krylov_advance, "Change solution and residual along a direction."),
    METHOD(krylov_turn, "Test the residual, and find the next direction."),
    {"krylov_project", (PyCFunction)(void (*)(void))krylov_project, METH_FASTCALL,
     "krylov_project($module, basis, w, rest, sums, out, numbers, n, rows, first, step, slack, /)\n"
     "--\n\nPass of Gram-Schmidt: write `w` less the parts of `sums`, and sums of blocks."},
    {"krylov_put", (PyCFunction)(void (*)(void))krylov_put, METH_FASTCALL,
     "krylov_put($module, w, row, sums, length, n, /)\n--\n\nWrite a vector with length one."},
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_krylov_init(PyObject *module)
{
    if (PyModule_AddFunctions(module, functions) < 0 ||
        PyModule_AddIntConstant(module, "KRYLOV_MOST_BLOCKS", MOST_BLOCKS) < 0 ||
        PyModule_AddIntConstant(module, "KRYLOV_MOST_SUMS", KRYLOV_MOST_SUMS) < 0) {
        return -1;
    }
    return PyModule_AddIntConstant(module, "KRYLOV_MOST_ROWS", KRYLOV_MOST_ROWS);
}

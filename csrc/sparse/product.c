/* _C.sparse_product, sparse_columns, sparse_lengths and sparse_square: a compressed sparse matrix
 * times a vector, a dense matrix or another sparse one. Called by gpunp.scipy.sparse with
 * compressed rows; a product with columns uses PLACES, the order of the elements by rows. The
 * kernels add in an order that depends on the structure alone, so results repeat bit for bit, which
 * atomic additions would not give. */
#include "sparse/sparse_internal.h"

/* Where elements are in the order of PLACES: in DATA, or in KEPT, with which DATA is compared. */
enum { FROM_PLACES = 1, FROM_KEPT = 2 };

/* Blocks of 256 threads that run at once on a multiprocessor. */
enum { RESIDENT = 8 };

enum { BLOCK = 256, CARRY_BLOCK = 1024, SQUARE_BLOCK = 128, SQUARE_ROWS = 2 };

/* The most products of a row that are sorted in shared memory, and those that one warp sorts. */
enum { SQUARE_MOST = 1024, SQUARE_WARP_MOST = 256 };

enum { BEGINS, INDICES, PLACES, DATA, X, OUT, LONGEST, KEPT, CHANGED, CARRY_ROWS, CARRIES };

/* Along the path a block needs this much shared memory: its terms, and ends of rows. */
static int
path_items(GnpDtype computed)
{
    return gnp_dtypes[computed].bytes > 8 ? 4 : 8;
}

/* Rows of up to so many elements are worth a group of lanes; of a longer one the merge path takes
 * care. */
static int64_t
longest_for_lanes(int64_t mean, int lanes)
{
    return 4 * mean + 16 * lanes;
}

/* Rows that end in a later block than they begin get the carried sums afterwards, by one block,
 * in the order of the blocks. */
static int
launch_carry(GnpSparseCall *call, GnpDtype computed, int64_t tiles, int64_t limit)
{
    GnpSparseCall carry = {
        .name = call->name,
        .narrays = 4,
        .nnumbers = 3,
        .array = {call->array[OUT], call->array[LONGEST], call->array[CARRY_ROWS],
                  call->array[CARRIES]},
        .number = {call->number[0], tiles, limit},
    };
    GnpSpec_sparse_carry spec = {GNP_SPEC(sparse_carry), .I = call->array[BEGINS]->dtype,
                                 .T = computed, .R = call->array[OUT]->dtype, .BLOCK = CARRY_BLOCK};
    return gnp_sparse_launch(&carry, &spec.head, 1, CARRY_BLOCK, NULL, NULL);
}

/* Numbers: rows, elements, the step of x. Which of both ways is taken is decided on the device,
 * by the longest row, so that the host does not wait for it; the grid is large enough for
 * either. */
static int
run_product(GnpSparseCall *call, int lanes)
{
    const int64_t rows = call->number[0], n = call->number[1], mean = n / rows;
    const GnpDtype out = (GnpDtype)call->array[OUT]->dtype;
    const int items = path_items(out);
    const int64_t tiles = gnp_ceil_div(rows + n, (int64_t)BLOCK * items);
    const int64_t limit = longest_for_lanes(mean, lanes);
    GnpSpec_sparse_product spec = {
        GNP_SPEC(sparse_product),
        .I = call->array[BEGINS]->dtype,
        .S = call->array[DATA]->dtype,
        .X = gnp_sparse_dtype(call, X, out),
        .T = out,
        .R = out,
        .VECTOR = call->array[X] != NULL,
        .PERMUTED = call->array[KEPT] != NULL     ? FROM_KEPT
                    : call->array[PLACES] != NULL ? FROM_PLACES
                                                  : 0,
        .LANES = lanes,
        .ITEMS = items,
        .BLOCK = BLOCK,
    };
    int64_t blocks = gnp_ceil_div(rows, (int64_t)BLOCK / lanes);
    const int has_path = call->array[LONGEST] != NULL;
    /* The limit, and how many elements x has, are parameters of the kernel behind the call's
     * numbers. */
    call->nnumbers = 5;
    call->number[3] = limit;
    call->number[4] = call->array[X] != NULL ? call->array[X]->size : 0;
    blocks = has_path && blocks < tiles ? tiles : blocks;
    if (gnp_sparse_launch(call, &spec.head, blocks, BLOCK, NULL, NULL) < 0) {
        return -1;
    }
    if (call->array[KEPT] != NULL) { /* again, with values that have changed, if they have */
        const int64_t most = (int64_t)gnp_device_current()->sm_count * RESIDENT;
        spec.PERMUTED = FROM_PLACES;
        if (gnp_sparse_launch(call, &spec.head, blocks < most ? blocks : most, BLOCK, NULL, NULL) <
            0) {
            return -1;
        }
    }
    return has_path && tiles > 1 ? launch_carry(call, out, tiles, limit) : 0;
}

/* CARRY_ROWS and CARRIES are temporaries of the call, one entry for each tile of the merge path;
 * gnp_sparse_end drops them. A matrix without rows has no mean length. */
static PyObject *
sparse_product(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_product", .narrays = 9, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << BEGINS | (call.array[X] != NULL) << INDICES |
                                             (call.array[PLACES] != NULL) << PLACES |
                                             (call.array[LONGEST] != NULL) << LONGEST));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA | (call.array[KEPT] != NULL) << KEPT));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << OUT));
    if (call.number[0] == 0) {
        status = 0;
        goto fail;
    }
    call.narrays = 11;
    if (call.array[LONGEST] != NULL) {
        /* As many as there can be: path_items is 4 at least. */
        const int64_t tiles = gnp_ceil_div(call.number[0] + call.number[1], (int64_t)BLOCK * 4);
        const int dtype = call.array[OUT]->dtype;
        GNP_NEW(call.array[CARRY_ROWS], gnp_array_new(1, &tiles, GNP_I64, 'C'));
        GNP_NEW(call.array[CARRIES],
                gnp_array_new(1, &tiles, (GnpDtype)gnp_dtypes[dtype].compute, 'C'));
    }
    const int64_t mean = gnp_ceil_div(call.number[1], call.number[0]);
    const int lanes = gnp_power_of_two(gnp_ceil_div(mean, 2), 32);
    status = run_product(&call, lanes < 2 ? 2 : lanes);
fail:
    return gnp_sparse_end(&call, status);
}

/* ---- a dense matrix -------------------------------------------------------------------------- */

/* How many neighbouring columns a thread reads at once, as one access of up to 16 bytes, where at
 * least 8 lanes are left for a row: several rows in a warp have more bytes on their way. */
static int
columns_together(const GnpSparseCall *call, int64_t width)
{
    const GnpArray *x = call->array[X], *out = call->array[OUT];
    const int64_t bytes = gnp_itemsize(x), result = gnp_itemsize(out);
    int together = bytes < 16 ? (int)(16 / bytes) : 1;
    while (together > 4 || (together > 1 && (width % together != 0 || width < 8 * together))) {
        together /= 2;
    }
    return (x->data | (uint64_t)(call->number[2] * bytes)) % (uint64_t)(together * bytes) == 0 &&
                   out->data % (uint64_t)(together * result < 16 ? together * result : 16) == 0
               ? together
               : 1;
}

/* Numbers: rows, columns of the dense matrix, elements between its rows. `lanes` threads of a
 * warp share a sparse row, each with 1 to 4 columns of the result, so an element of the row is
 * read once for up to 128 columns. */
static PyObject *
sparse_columns(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_columns", .narrays = 6, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 3u | (call.array[PLACES] != NULL) << PLACES));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << X));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << OUT));
    const int64_t rows = call.number[0], width = call.number[1];
    const int together = columns_together(&call, width);
    const int lanes = gnp_power_of_two(gnp_ceil_div(width, (int64_t)together), 32);
    const int columns = together > 1 ? together : width > 64 ? 4 : width > 32 ? 2 : 1;
    GnpSpec_sparse_columns spec = {
        GNP_SPEC(sparse_columns),
        .I = call.array[BEGINS]->dtype,
        .S = call.array[DATA]->dtype,
        .X = call.array[X]->dtype,
        .T = call.array[OUT]->dtype,
        .R = call.array[OUT]->dtype,
        .PERMUTED = call.array[PLACES] != NULL,
        .LANES = lanes,
        .COLUMNS = columns,
        .TOGETHER = together > 1,
        .BLOCK = BLOCK,
    };
    /* Blocks of a strip, and the bounds of indices and begins, are parameters of the kernel. */
    call.nnumbers = 6;
    call.number[3] = gnp_ceil_div(rows, (int64_t)BLOCK / lanes);
    call.number[4] = call.array[X]->size / width;
    call.number[5] = (call.array[PLACES] != NULL ? call.array[PLACES] : call.array[DATA])->size;
    status = gnp_sparse_launch(&call, &spec.head,
                               call.number[3] * gnp_ceil_div(width, (int64_t)lanes * columns),
                               BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* ---- a sparse matrix ------------------------------------------------------------------------- */

enum {
    BEGINS_A,
    INDICES_A,
    DATA_A,
    BEGINS_B,
    INDICES_B,
    DATA_B,
    BEGINS_C,
    INDICES_C,
    DATA_C,
    LIKE_C
};

/* The bits that numbers below n need. */
static int
bits_below(int64_t n)
{
    int bits = 0;
    while (bits < 63 && (int64_t)1 << bits < n) {
        bits++;
    }
    return bits;
}

/* Numbers: rows, elements of the first matrix. */
static PyObject *
sparse_lengths(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_lengths", .narrays = 4, .nnumbers = 2};
    GnpDevice *device = gnp_device_current();
    int status = -1;
    GNP_TRY(device == NULL ? -1 : 0);
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 7));
    const int64_t rows = call.number[0], mean = gnp_ceil_div(call.number[1], rows);
    const int lanes = gnp_power_of_two(gnp_ceil_div(mean, 2), 32);
    GnpSpec_sparse_lengths spec = {GNP_SPEC(sparse_lengths), .I = call.array[0]->dtype,
                                   .LANES = lanes < 2 ? 2 : lanes, .BLOCK = BLOCK};
    const int64_t blocks = gnp_ceil_div(rows, (int64_t)BLOCK / spec.LANES);
    const int64_t most = (int64_t)device->sm_count * RESIDENT;
    call.number[1] = call.array[2]->size - 1; /* rows of the second matrix */
    status = gnp_sparse_launch(&call, &spec.head, blocks < most ? blocks : most, BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: rows, the most products of a row, columns of the product. A row's products are
 * expanded and sorted in shared memory, hence the limit of SQUARE_MOST. The sort key has the
 * column above the place of the product; 32 bits suffice for most matrices and sort faster. A
 * warp per row has no block-wide barriers; a block has two. */
static PyObject *
sparse_square(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_square", .narrays = 10, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << BEGINS_A | 1u << INDICES_A | 1u << BEGINS_B |
                                             1u << INDICES_B));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA_A));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA_B));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << LIKE_C));
    const int power = gnp_power_of_two(call.number[1], SQUARE_MOST);
    const int block = power <= SQUARE_WARP_MOST ? 32 : SQUARE_BLOCK;
    const int most = power < block ? block : power, shift = bits_below(most);
    const int64_t rows = call.number[0];
    GnpSpec_sparse_square spec = {
        GNP_SPEC(sparse_square),
        .I = call.array[BEGINS_A]->dtype,
        .SA = call.array[DATA_A]->dtype,
        .SB = call.array[DATA_B]->dtype,
        .T = call.array[LIKE_C]->dtype,
        .R = call.array[LIKE_C]->dtype,
        .Key = bits_below(call.number[2]) + shift <= 32 ? 4 : 8,
        .FILL = call.array[INDICES_C] != NULL,
        .MOST = most,
        .SHIFT = shift,
        .BLOCK = block,
        .ROWS = block == 32 ? SQUARE_ROWS : 1,
    };
    call.nnumbers = 2;
    call.number[0] = call.array[BEGINS_B]->size - 1; /* rows of the second matrix */
    call.number[1] = rows;
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(rows, (int64_t)spec.ROWS),
                               spec.ROWS * block, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

static PyMethodDef functions[] = {
    {"sparse_lengths", (PyCFunction)(void (*)(void))sparse_lengths, METH_FASTCALL,
     "sparse_lengths($module, begins_a, indices_a, begins_b, numbers, rows, n, /)\n--\n\nAdd the "
     "number of products of elements to the first number, and raise the second one to\nthe most of "
     "a row."},
    {"sparse_square", (PyCFunction)(void (*)(void))sparse_square, METH_FASTCALL,
     "sparse_square($module, begins_a, indices_a, data_a, begins_b, indices_b, data_b, begins,\n"
     "              indices, out, like, rows, most, columns, /)\n--\n\nWrite the numbers of "
     "elements of the "
     "product's rows, or, where `indices` is given, the\nelements. No row has more than `most` "
     "products, which are SPARSE_SQUARE_MOST at most."},
    {"sparse_product", (PyCFunction)(void (*)(void))sparse_product, METH_FASTCALL,
     "sparse_product($module, begins, indices, places, data, x, out, longest, kept, changed,\n"
     "               rows, n, step, /)\n--\n\nWrite the product with a vector, or the sums of "
     "rows. "
     "`longest` has the length of the\nlongest row; without it the rows are taken as of similar "
     "lengths. `kept` has values\nin the order of `places`, and then as they were; those of "
     "`data` are taken where they differ, by\nwhich `changed`, a zero, becomes one."},
    {"sparse_columns", (PyCFunction)(void (*)(void))sparse_columns, METH_FASTCALL,
     "sparse_columns($module, begins, indices, places, data, x, out, rows, width, step, /)\n"
     "--\n\nWrite the product with a dense matrix in C order."},
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_product_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0
               ? -1
               : PyModule_AddIntConstant(module, "SPARSE_SQUARE_MOST", SQUARE_MOST);
}

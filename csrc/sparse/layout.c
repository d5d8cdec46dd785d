/* _C.sparse_keys, sparse_begins, sparse_runs, sparse_arrange, sparse_rows, sparse_find,
 * sparse_check, sparse_check_pairs: conversions between coordinates and compressed rows, selection
 * of rows and elements, and whether arrays are those of a matrix. Keys are row and column in one
 * integer, so that sorting, searching and comparing handle one number. gpunp.scipy.sparse sorts
 * them between sparse_keys and sparse_runs. The callers hold the results and check shapes. */
#include "sparse/sparse_internal.h"

/* Several elements per thread hide the latency of the loads. */
enum { BLOCK = 256, EACH = 4, CHECK_EACH = 16, ARRANGE_BLOCK = 128 };

/* Of sparse_runs: a tile, and the elements of a run that one thread sums. */
enum { RUNS_BLOCK = 128, RUNS_ITEMS = 8, RUNS_TILE = RUNS_BLOCK * RUNS_ITEMS, RUNS_MOST = 32 };

/* With `rows` of begins instead of a row per element, the kernel finds the row by a binary
 * search. */
static PyObject *
sparse_keys(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_keys", .narrays = 3, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    /* Bits of the arrays that have to be of one type. */
    GNP_TRY(gnp_sparse_check_same(&call, call.array[1] != NULL ? 3 : 1));
    GNP_TRY(gnp_sparse_check_same(&call, 4));
    GnpSpec_sparse_keys spec = {
        GNP_SPEC(sparse_keys),
        .I = call.array[0]->dtype,
        .K = call.array[2]->dtype,
        .COMPRESSED = call.number[1] >= 0,
        .COLUMNS = call.array[1] != NULL,
        .EACH = EACH,
        .BLOCK = BLOCK,
    };
    status = gnp_sparse_launch(
        &call, &spec.head, gnp_ceil_div(call.number[0], (int64_t)BLOCK * EACH), BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* A thread per row searches the sorted keys, so empty rows need no special case. */
static PyObject *
sparse_begins(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_begins", .narrays = 2, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1));
    GNP_TRY(gnp_sparse_check_same(&call, 2));
    GnpSpec_sparse_begins spec = {GNP_SPEC(sparse_begins), .K = call.array[0]->dtype,
                                  .I = call.array[1]->dtype, .BLOCK = BLOCK};
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(call.number[1], (int64_t)BLOCK),
                               BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

enum { KEYS, PLACES, DATA, COUNTS, RUNS_BEGINS, INDICES };

/* Numbers: elements, rows, bits of a column. Called twice: the counts per tile are summed by
 * Python, then the results are written to known places. Equal keys are summed in their order, so
 * that results repeat bit for bit. */
static PyObject *
sparse_runs(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_runs", .narrays = 7, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << KEYS));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << COUNTS | (call.array[PLACES] != NULL) << PLACES));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA));
    GnpSpec_sparse_runs spec = {
        GNP_SPEC(sparse_runs),
        .K = call.array[KEYS]->dtype,
        .J = gnp_sparse_dtype(&call, INDICES, GNP_I32),
        .S = call.array[DATA]->dtype,
        .PERMUTED = call.array[PLACES] != NULL,
        /* The second call has the arrays to be filled, the first one only counts. */
        .FILL = call.array[INDICES] != NULL,
        .MOST = RUNS_MOST,
        .ITEMS = RUNS_ITEMS,
        .BLOCK = RUNS_BLOCK,
    };
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(call.number[0], (int64_t)RUNS_TILE),
                               RUNS_BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: rows, bits of the rows of a group, bits of a column, and whether elements of one place
 * stay. A group is a block, and finds where its results go by itself.
 */
static PyObject *
sparse_arrange(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    enum { ROWS, WORDS, COLUMNS, VALUES, GROUPS, STATE, BEGINS, FOUND, OUT };
    GnpSparseCall call = {.name = "sparse_arrange", .narrays = 9, .nnumbers = 4};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << VALUES | 1u << OUT));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << ROWS | 1u << GROUPS | 1u << BEGINS | 1u << FOUND));
    const int in_words = gnp_itemsize(call.array[VALUES]) == 4 ? SPARSE_WORDS : SPARSE_PLACES;
    GnpSpec_sparse_arrange spec = {
        GNP_SPEC(sparse_arrange),
        .S = call.array[VALUES]->dtype,
        .Key = call.number[2] + SPARSE_PLACE_BITS <= 32 ? 4 : 8,
        .FROM = call.array[WORDS] != NULL ? in_words : SPARSE_ARRAYS,
        .KEEPS = call.number[3] != 0,
        .BLOCK = ARRANGE_BLOCK,
    };
    call.nnumbers = 3; /* the last one has become a knob */
    status = gnp_sparse_launch(&call, &spec.head, call.array[GROUPS]->size - 1, ARRANGE_BLOCK, NULL,
                               NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Balanced by elements: a thread finds its row by binary search, so that long rows do not hold
 * up the others. The masks 0x17 and 0x28 are the index and the data arrays. */
static PyObject *
sparse_rows(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_rows", .narrays = 6, .nnumbers = 2};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 0x17));
    GNP_TRY(gnp_sparse_check_same(&call, 0x28));
    GnpSpec_sparse_rows spec = {GNP_SPEC(sparse_rows), .I = call.array[0]->dtype,
                                .Item = (int32_t)gnp_itemsize(call.array[3]), .EACH = EACH,
                                .BLOCK = BLOCK};
    status = gnp_sparse_launch(
        &call, &spec.head, gnp_ceil_div(call.number[0], (int64_t)BLOCK * EACH), BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Binary search in a row, which requires ascending columns without duplicates. */
static PyObject *
sparse_find(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_find", .narrays = 5, .nnumbers = 1};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 0xf));
    GnpSpec_sparse_find spec = {GNP_SPEC(sparse_find), .I = call.array[0]->dtype, .BLOCK = BLOCK};
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(call.number[0], (int64_t)BLOCK),
                               BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: elements, rows, columns. One launch and one read answer all that is asked of a matrix
 * whose arrays come from the user. */
static PyObject *
check(const char *name, int compressed, PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = name, .narrays = 3, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 3));
    GnpSpec_sparse_check spec = {GNP_SPEC(sparse_check), .I = call.array[0]->dtype,
                                 .COMPRESSED = compressed, .EACH = CHECK_EACH, .BLOCK = BLOCK};
    const int64_t elements = call.number[0], begins = compressed ? call.number[1] + 1 : 0;
    status = gnp_sparse_launch(
        &call, &spec.head,
        gnp_ceil_div(elements > begins ? elements : begins, (int64_t)BLOCK * CHECK_EACH), BLOCK,
        NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

static PyObject *
sparse_check(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return check("sparse_check", 1, args, nargs);
}

static PyObject *
sparse_check_pairs(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return check("sparse_check_pairs", 0, args, nargs);
}

#define METHOD(function, arguments, summary)                                                       \
    {#function, (PyCFunction)(void (*)(void))function, METH_FASTCALL,                              \
     #function "($module, " arguments ", /)\n--\n\n" summary}

static PyMethodDef functions[] = {
    METHOD(
        sparse_keys, "rows, columns, out, n, m, bits",
        "Write keys of n elements, or their rows without columns; m >= 0: `rows` has the begins\n"
        "of m rows."),
    METHOD(sparse_begins, "keys, out, n, count, bits",
           "Write where each row begins among n ascending keys."),
    METHOD(sparse_runs, "keys, places, data, counts, begins, indices, out, n, rows, bits",
           "Count the runs of equal keys in each tile, 1 << 48 more where one is too long to be\n"
           "summed by a thread, or write rows where `indices` is given."),
    METHOD(sparse_arrange,
           "rows, words, columns, data, groups, state, begins, indices, out, m, group, bits, keeps",
           "Write m short rows of elements that are together in groups of 1 << group rows."),
    METHOD(sparse_rows, "begins, sources, indices, data, out_indices, out_data, n, m",
           "Copy m rows of n elements, row r from its place in `sources`."),
    METHOD(sparse_find, "begins, indices, rows, columns, out, n",
           "Write where n elements are stored, -1 for those that are not."),
    METHOD(sparse_check, "begins, indices, counts, n, m, columns",
           "Count what is out of bounds or out of order in a matrix of n elements in m rows, then\n"
           "indices in a row that are less than, or equal to, the one before; then the last end."),
    METHOD(sparse_check_pairs, "rows, columns, counts, n, m, columns",
           "Count coordinates that are out of bounds, rows that are less than the one before, and\n"
           "pairs of which that is true."),
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_layout_init(PyObject *module)
{
    if (PyModule_AddFunctions(module, functions) < 0 ||
        PyModule_AddIntConstant(module, "SPARSE_MOST_ARRANGED", SPARSE_MOST_ARRANGED) < 0 ||
        PyModule_AddIntConstant(module, "SPARSE_GROUP_ROWS", ARRANGE_BLOCK) < 0) {
        return -1;
    }
    return PyModule_AddIntConstant(module, "SPARSE_RUNS_TILE", RUNS_TILE);
}

/* Long rows partitioned around the element of one rank, without sorting, all rows at once: a radix
 * selection finds the pivots as in rank.c, then the elements of each part are counted in chunks of
 * the rows and moved to their places. Nothing waits. gpunp.partition and argpartition use it, with
 * the GIL. */
#include "select/select.h"

enum { BLOCK = 256, ITEMS = 8, TILE = BLOCK * ITEMS };
enum { STEP = 11, BINS = 1 << STEP, WANTED = 16, PARTS = 16 }; /* as kernels/select/rank.cuh */
enum { MOST_ROWS = 65535, MOST_CHUNKS = 1024 };

typedef struct {
    GnpArray *in, *out; /* borrowed; contiguous */
    GnpBlock *scratch;  /* owned */
    GnpDevice *device;
    CUstream stream;
    int64_t n, rows, rank, chunks, each;
    int gives, steps, width;
    /* In the scratch: WANTED of each row before each step and at last, counts of each step, parts
     * of each chunk, and elements that are not used. */
    CUdeviceptr wanted, counts, parts, elements;
} Task;

/* Enough chunks to keep the device busy, but no more sums than a block adds up at once. */
static void
plan_chunks(Task *t)
{
    const int64_t busy = gnp_ceil_div((int64_t)t->device->sm_count * 8, t->rows);
    const int64_t most = t->device->prefers_short ? 2 : busy < MOST_CHUNKS ? busy : MOST_CHUNKS;
    t->each = gnp_ceil_div(gnp_ceil_div(t->n, most), TILE) * TILE;
    t->chunks = gnp_ceil_div(t->n, t->each);
}

/* Pivots and counts begin as zeros. */
static int
new_scratch(Task *t)
{
    const int64_t wanted = (t->steps + 1) * t->rows * WANTED,
                  counts = t->steps * t->rows * BINS * 8;
    const int64_t parts = t->rows * t->chunks * PARTS;
    t->scratch =
        gnp_block_new(t->device, (size_t)(wanted + counts + parts + t->rows * 8), t->stream);
    if (t->scratch == NULL) {
        return -1;
    }
    t->wanted = t->scratch->ptr;
    t->counts = t->wanted + (CUdeviceptr)wanted;
    t->parts = t->counts + (CUdeviceptr)counts;
    t->elements = t->parts + (CUdeviceptr)parts;
    CU_TRY_QUEUE(cuMemsetD32Async(t->wanted, 0, (size_t)(wanted + counts) / 4, t->stream));
    return 0;
fail:
    return -1;
}

static int
launch(const Task *t, GnpKernel *kernel, int64_t blocks, GnpParams *params)
{
    const unsigned grid[3] = {(unsigned)blocks, (unsigned)t->rows, 1}, block[3] = {BLOCK, 1, 1};
    return gnp_launch(kernel, grid, block, 0, t->stream, params->arg);
}

/* The keys of the rank, 11 bits at a time. */
static int
find_pivots(Task *t)
{
    const int bits = 8 * gnp_dtypes[t->in->dtype].bytes;
    GnpSpec_rank_count count = {GNP_SPEC(rank_count), .T = t->in->dtype, .RANKS = 1,
                                .WIDTH = t->width,    .ITEMS = 1,        .BLOCK = BLOCK};
    GnpSpec_rank_count pick = count;
    pick.head.kernel = GNP_KERNEL_rank_pick;
    GnpSpec *const specs[] = {&count.head, &pick.head};
    GnpKernel *kernels[2];
    if (gnp_kernels_find(t->device, specs, kernels, 2) < 0) {
        return -1;
    }
    for (int step = 0; step < t->steps; step++) {
        const int known = step * STEP < bits ? step * STEP : bits;
        const CUdeviceptr wanted = t->wanted + (CUdeviceptr)(step * t->rows * WANTED),
                          next = wanted + (CUdeviceptr)(t->rows * WANTED),
                          counts = t->counts + (CUdeviceptr)(step * t->rows * BINS * 8);
        const int64_t rank = step == 0 ? t->rank : -1;
        GnpParams params;
        gnp_params_init(&params, 1);
        gnp_params_add(&params, &t->in->data, sizeof t->in->data);
        gnp_params_add(&params, &wanted, sizeof wanted);
        gnp_params_add(&params, &counts, sizeof counts);
        gnp_params_add(&params, &t->n, sizeof t->n);
        gnp_params_add(&params, &known, sizeof known);
        GNP_TRY(launch(t, kernels[0], t->chunks, &params));
        gnp_params_init(&params, 1);
        gnp_params_add(&params, &counts, sizeof counts);
        gnp_params_add(&params, &wanted, sizeof wanted);
        gnp_params_add(&params, &next, sizeof next);
        gnp_params_add(&params, &t->elements, sizeof t->elements);
        gnp_params_add(&params, &known, sizeof known);
        gnp_params_add(&params, &rank, sizeof rank);
        GNP_TRY(launch(t, kernels[1], 1, &params));
    }
    return 0;
fail:
    return -1;
}

static int
move_elements(Task *t)
{
    const CUdeviceptr pivots = t->wanted + (CUdeviceptr)(t->steps * t->rows * WANTED);
    GnpSpec_part_rows move = {GNP_SPEC(part_rows), .T = t->in->dtype, .GIVES = t->gives,
                              .MOVES = 1,          .ITEMS = ITEMS,    .BLOCK = BLOCK};
    GnpSpec_part_rows count = move;
    count.MOVES = 0;
    GnpSpec *const specs[] = {&count.head, &move.head};
    GnpKernel *kernels[2];
    if (gnp_kernels_find(t->device, specs, kernels, 2) < 0) {
        return -1;
    }
    GnpParams params;
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &t->in->data, sizeof t->in->data);
    gnp_params_add(&params, &t->out->data, sizeof t->out->data);
    gnp_params_add(&params, &pivots, sizeof pivots);
    gnp_params_add(&params, &t->parts, sizeof t->parts);
    gnp_params_add(&params, &t->n, sizeof t->n);
    gnp_params_add(&params, &t->each, sizeof t->each);
    return launch(t, kernels[0], t->chunks, &params) < 0 ||
                   launch(t, kernels[1], t->chunks, &params) < 0
               ? -1
               : 0;
}

static int
part(Task *t)
{
    const int bytes = gnp_dtypes[t->in->dtype].bytes;
    int ret = -1;
    GNP_NEW(t->device, gnp_device_current());
    t->stream = gnp_stream_current(t->device);
    t->steps = (8 * bytes + STEP - 1) / STEP;
    /* Vector loads need rows that begin at a multiple of them. */
    t->width = t->in->data % 16 == 0 && (t->rows == 1 || t->n * bytes % 16 == 0) ? 16 / bytes : 1;
    gnp_block_record(t->in->block, t->stream);
    gnp_block_record(t->out->block, t->stream);
    plan_chunks(t);
    GNP_TRY(new_scratch(t));
    GNP_TRY(find_pivots(t));
    GNP_TRY(move_elements(t));
    ret = 0;
fail:
    gnp_block_release(t->scratch);
    return ret;
}

PyDoc_STRVAR(doc, "part_rows($module, a, rank, gives, /)\n--\n\n"
                  "The C-contiguous rows of real numbers along the last axis, partitioned around\n"
                  "the element of a rank (gives 1), or the positions that part them (2).");

static PyObject *
part_rows(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *in = NULL, *out = NULL; /* owned */
    PyObject *ret = NULL;             /* returned */
    if (nargs != 3 || !gnp_array_check(args[0]) || ((GnpArray *)args[0])->ndim == 0 ||
        gnp_dtypes[((GnpArray *)args[0])->dtype].cls == 'c' ||
        !(((GnpArray *)args[0])->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_TypeError, "part_rows takes contiguous real rows and two numbers");
        return NULL;
    }
    Task t = {.rank = PyNumber_AsSsize_t(args[1], PyExc_IndexError)};
    GNP_TRY(t.rank == -1 && PyErr_Occurred() ? -1 : 0);
    GNP_TRY(gnp_int_from_object(args[2], "gives", &t.gives));
    GNP_NEW(in, gnp_readable((GnpArray *)args[0], "part_rows"));
    t.n = gnp_shape(in)[in->ndim - 1];
    t.rows = t.n > 0 ? in->size / t.n : 0;
    if (t.rows < 1 || t.rows > MOST_ROWS || t.rank < 0 || t.rank >= t.n ||
        (t.gives != NTH_PARTITION && t.gives != NTH_POSITIONS)) {
        PyErr_Format(PyExc_ValueError, "part_rows: rank %lld of %lld rows of %lld elements",
                     (long long)t.rank, (long long)t.rows, (long long)t.n);
        goto fail;
    }
    GNP_NEW(out, gnp_array_new(in->ndim, gnp_shape(in),
                               t.gives == NTH_POSITIONS ? GNP_I64 : (GnpDtype)in->dtype, 'C'));
    t.in = in;
    t.out = out;
    GNP_TRY(part(&t));
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)in);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"part_rows", GNP_FAST(part_rows), METH_FASTCALL, doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_part_rows_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

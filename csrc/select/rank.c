/* The elements of given ranks in a 1-d array without sorting it: a radix selection finds their keys
 * 11 bits at a time, reading the array once per step. The ranks may be on the device: nothing
 * waits. A step counts the keys by their next 11 bits among those that share the bits found so
 * far, and picks the bin that has the rank: 64-bit keys take six reads of the array, a sort at
 * least as many reads and writes. Called by gpunp.median and quantile for long arrays, with the
 * GIL. */
#include "select/select.h"

enum { BLOCK = 256, TOGETHER = 4, STEP = 11, BINS = 1 << STEP }; /* as kernels/select/rank.cuh */

typedef struct {
    GnpArray *in, *ranks, *out; /* borrowed; contiguous */
    GnpBlock *scratch;          /* owned: Wanted[steps + 1][n], then counts[steps][n][BINS] */
    GnpDevice *device;
    CUstream stream;
    int steps, width;
} Selection;

/* Counting and picking have the same parameters. 0 or -1. */
static int
find_kernels(const Selection *s, int n, GnpKernel *kernels[2])
{
    GnpSpec_rank_count count = {GNP_SPEC(rank_count), .T = s->in->dtype, .RANKS = n,
                                .WIDTH = s->width,    .ITEMS = 1,        .BLOCK = BLOCK};
    GnpSpec_rank_count pick = count;
    pick.head.kernel = GNP_KERNEL_rank_pick;
    GnpSpec *const specs[] = {&count.head, &pick.head};
    return gnp_kernels_find(s->device, specs, kernels, 2);
}

/* Steps over up to TOGETHER ranks, the first of them number `first`. One count and one pick per
 * step, for up to four ranks together: their prefixes may differ. */
static int
select_some(Selection *s, int64_t first, int n)
{
    /* Wanted is 16 bytes: the prefix found so far and the rank within it. */
    const int wanted_bytes = 16 * n, bits = 8 * gnp_dtypes[s->in->dtype].bytes;
    const int64_t wanted_all = (int64_t)(s->steps + 1) * 16 * TOGETHER;
    const int64_t counts_bytes = (int64_t)n * BINS * 8, size = s->in->size;
    const CUdeviceptr base = s->scratch->ptr,
                      out = s->out->data + (CUdeviceptr)first * (CUdeviceptr)gnp_itemsize(s->in);
    const int64_t each_has_its_own = -1;
    GnpKernel *kernels[2];
    int ret = -1;
    if (find_kernels(s, n, kernels) < 0) {
        return -1;
    }
    /* Every block clears and adds up bins of its own, so the emulated device gets few blocks. */
    const int64_t most = (int64_t)s->device->sm_count * (s->device->prefers_short ? 1 : 6);
    const int64_t wanted_blocks = gnp_ceil_div(size, (int64_t)BLOCK * s->width * 8);
    const int64_t blocks = wanted_blocks < most ? wanted_blocks : most;

    CU_TRY_QUEUE(
        cuMemsetD32Async(base, 0, (size_t)(wanted_all + s->steps * counts_bytes) / 4, s->stream));
    for (int r = 0; r < n; r++) {
        CU_TRY_QUEUE(cuMemcpyDtoDAsync_v2(base + (CUdeviceptr)r * 16 + 8,
                                          s->ranks->data + (CUdeviceptr)(first + r) * 8, 8,
                                          s->stream));
    }
    for (int step = 0; step < s->steps; step++) {
        /* Bits of the prefix that the steps before have found. */
        const int known = step * STEP < bits ? step * STEP : bits;
        const CUdeviceptr wanted = base + (CUdeviceptr)(step * wanted_bytes);
        const CUdeviceptr next = wanted + (CUdeviceptr)wanted_bytes;
        const CUdeviceptr counts = base + (CUdeviceptr)(wanted_all + step * counts_bytes);
        GnpParams params;
        gnp_params_init(&params, 1);
        gnp_params_add(&params, &s->in->data, sizeof s->in->data);
        gnp_params_add(&params, &wanted, sizeof wanted);
        gnp_params_add(&params, &counts, sizeof counts);
        gnp_params_add(&params, &size, sizeof size);
        gnp_params_add(&params, &known, sizeof known);
        GNP_TRY(gnp_launch_blocks(kernels[0], blocks, BLOCK, s->stream, params.arg));
        gnp_params_init(&params, 1);
        gnp_params_add(&params, &counts, sizeof counts);
        gnp_params_add(&params, &wanted, sizeof wanted);
        gnp_params_add(&params, &next, sizeof next);
        gnp_params_add(&params, &out, sizeof out);
        gnp_params_add(&params, &known, sizeof known);
        gnp_params_add(&params, &each_has_its_own, sizeof each_has_its_own);
        GNP_TRY(gnp_launch_blocks(kernels[1], n, BLOCK, s->stream, params.arg));
    }
    ret = 0;
fail:
    return ret;
}

/* The scratch is allocated once and cleared for each group of ranks, in stream order. */
static int
select_ranks(GnpArray *in, GnpArray *ranks, GnpArray *out)
{
    Selection s = {.in = in, .ranks = ranks, .out = out};
    const int bytes = gnp_dtypes[in->dtype].bytes;
    int ret = -1;

    GNP_NEW(s.device, gnp_device_current());
    s.stream = gnp_stream_current(s.device);
    s.steps = (8 * bytes + STEP - 1) / STEP;
    /* Vector loads need an aligned start. */
    s.width = in->data % 16 == 0 ? 16 / bytes : 1;
    gnp_block_record(in->block, s.stream);
    gnp_block_record(ranks->block, s.stream);
    GNP_NEW(s.scratch,
            gnp_block_new(s.device,
                          (size_t)((s.steps + 1) * 16 * TOGETHER + s.steps * TOGETHER * BINS * 8),
                          s.stream));
    for (int64_t first = 0; first < ranks->size; first += TOGETHER) {
        int64_t n = ranks->size - first;
        GNP_TRY(select_some(&s, first, n < TOGETHER ? (int)n : TOGETHER));
    }
    ret = 0;
fail:
    gnp_block_release(s.scratch);
    return ret;
}

PyDoc_STRVAR(doc, "select_ranks(a, ranks, /)\n--\n\n"
                  "The elements that a sort of the 1-d array `a` of real numbers would put at the\n"
                  "positions `ranks` (int64, within bounds). -0 comes back as 0.");

/* Ranks are not checked: they may be computed on the device. */
static PyObject *
select_ranks_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *in = NULL, *out = NULL, *ranks = NULL; /* owned */
    PyObject *ret = NULL;
    if (nargs != 2 || !gnp_array_check(args[0]) || !gnp_array_check(args[1]) ||
        ((GnpArray *)args[1])->dtype != GNP_I64 || ((GnpArray *)args[1])->ndim != 1 ||
        gnp_dtypes[((GnpArray *)args[0])->dtype].cls == 'c') {
        PyErr_SetString(PyExc_TypeError, "select_ranks() takes a real array and 1-d int64 ranks");
        return NULL;
    }
    GNP_NEW(in, gnp_readable((GnpArray *)args[0], "select_ranks"));
    GNP_NEW(ranks, gnp_readable((GnpArray *)args[1], "select_ranks"));
    if (!(in->flags & GNP_C_CONTIGUOUS)) {
        Py_SETREF(in, gnp_astype(in, (GnpDtype)in->dtype, 'C'));
    }
    if (in != NULL && !(ranks->flags & GNP_C_CONTIGUOUS)) {
        Py_SETREF(ranks, gnp_astype(ranks, GNP_I64, 'C'));
    }
    if (in == NULL || ranks == NULL) {
        goto fail;
    }
    GNP_NEW(out, gnp_array_new(1, &ranks->size, (GnpDtype)in->dtype, 'C'));
    if (in->size > 0 && ranks->size > 0) {
        GNP_TRY(select_ranks(in, ranks, out));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)in);
    Py_XDECREF((PyObject *)ranks);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"select_ranks", GNP_FAST(select_ranks_function), METH_FASTCALL, doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_rank_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

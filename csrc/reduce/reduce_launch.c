/* Launching a reduction: a task becomes a Plan (which kernel, how many threads share an output, how
 * many pieces), and the plan one or two launches; with pieces, the first stores accumulators and
 * the second combines them. The order of combination depends only on the plan, so results repeat
 * bit for bit.
 *
 * gnp_reduce_plan() and gnp_reduce_launch() also serve ReductionKernel (user/) and lazy mode
 * (fuse/), which have kernels of their own of the same form.
 */
#include "reduce/reduce.h"

#include <string.h>

/* 48 bytes hold every accumulator of the table. */
enum { BLOCK = GNP_REDUCE_BLOCK, LARGEST_ACCUMULATOR = 48 };

typedef GnpReduceTask Task;

/* ---- the axes -------------------------------------------------------------------------------- */

static int64_t
reduced_count(const Task *t)
{
    int64_t n = 1;
    for (int axis = 0; axis < t->in->ndim; axis++) {
        n *= t->reduced[axis] ? gnp_shape(t->in)[axis] : 1;
    }
    return n;
}

/* kept: strides of in, where and out; reduced: of in and where. Out's axes are in's without the
 * reduced. Kept axes are sorted by the input's strides, so that neighbouring outputs read
 * neighbouring memory; the reduced ones too, as the order of summation is free. An index, however,
 * counts in C order. */
static void
split_axes(const Task *t, GnpAxes *kept, GnpAxes *reduced)
{
    const GnpArray *in = t->in;
    int64_t mask[GNP_MAX_DIMS];
    int position = t->out->ndim;
    if (t->where != NULL) {
        gnp_broadcast_strides(t->where, in->ndim, gnp_shape(in), mask);
    }
    else {
        memset(mask, 0, (size_t)in->ndim * sizeof *mask);
    }
    gnp_axes_init(kept, 3);
    gnp_axes_init(reduced, 2);
    for (int axis = in->ndim - 1; axis >= 0; axis--) {
        int64_t stride[3] = {gnp_strides(in)[axis], mask[axis], 0};
        if (t->reduced[axis]) {
            gnp_axes_add(reduced, gnp_shape(in)[axis], stride);
        }
        else {
            stride[2] = gnp_strides(t->out)[--position];
            gnp_axes_add(kept, gnp_shape(in)[axis], stride);
        }
    }
    gnp_axes_sort(kept);
    gnp_axes_merge(kept);
    if (t->row->result != RESULT_INDEX || t->row->arguments != ARGS_ARG) {
        gnp_axes_sort(reduced); /* argmax counts in C order */
    }
    gnp_axes_merge(reduced);
}

/* ---- the plan -------------------------------------------------------------------------------- */

typedef GnpReducePlan Plan;
typedef GnpReduceSource Source;

/* The number of pieces of a reduction so that all blocks together fill the device; each piece is at
 * least `least` long and a multiple of it. Only where the outputs alone are too few blocks. 65,535
 * is the limit of the grid's second axis. */
static void
plan_pieces(Plan *p, int64_t wanted_blocks, int64_t least)
{
    int64_t pieces = wanted_blocks / p->nblocks, most = p->n / least;
    pieces = pieces < most ? pieces : most;
    pieces = pieces < 65535 ? pieces : 65535;
    p->chunk = p->n;
    p->pieces = 1;
    if (pieces > 1) {
        p->chunk = gnp_ceil_div(gnp_ceil_div(p->n, pieces), least) * least;
        p->pieces = gnp_ceil_div(p->n, p->chunk);
    }
}

/* Unroll so that a thread has about 64 bytes of loads in flight (Little's law), but no more than 32
 * accumulators, which are registers. */
static int
choose_unroll(int width, int itemsize)
{
    int unroll = 64 / (width * itemsize);
    unroll = unroll > 8 ? 8 : unroll < 1 ? 1 : unroll;
    while (unroll > 1 && unroll * width > 32) {
        unroll /= 2;
    }
    return unroll;
}

/* Not unrolled beyond the number of accesses that a thread has. */
static int
fit_unroll(int unroll, int64_t accesses)
{
    while (unroll > 1 && unroll > accesses) {
        unroll /= 2;
    }
    return unroll;
}

/* Threads side by side along the reduced axes, in accesses of p->width elements. */
static void
share_row(Plan *p, int itemsize, const GnpDevice *device)
{
    p->unroll = p->masked ? 4 : choose_unroll(p->width, itemsize);
    /* Half of the threads that a multiprocessor holds are enough to hide the memory's latency with
     * several accesses in flight each. */
    int64_t accesses = gnp_ceil_div(p->n, p->width), threads = (int64_t)device->sm_count * 1024;
    /* About 16 accesses per thread, so that the tree over the lanes is cheap in comparison, but
     * enough lanes for coalesced reads. */
    int few = gnp_power_of_two(gnp_ceil_div(accesses, 4), p->width > 1 ? 4 : 1);
    p->lanes = gnp_power_of_two(gnp_ceil_div(accesses, 16), BLOCK);
    p->lanes = p->lanes > few ? p->lanes : few;
    /* Few outputs: more threads per output, until the device is full or each thread has one
     * access. */
    while (p->lanes < BLOCK && p->lanes < accesses && p->nout * p->lanes < threads) {
        p->lanes *= 2;
    }
    p->unroll = fit_unroll(p->unroll, p->n / ((int64_t)p->lanes * p->width));
    p->nblocks = gnp_ceil_div(p->nout, BLOCK / p->lanes);
    plan_pieces(p, p->lanes == BLOCK ? (int64_t)device->sm_count * 32 : 1,
                (int64_t)4 * BLOCK * p->width * p->unroll);
}

/* Threads beside each other read along the reduced axis, and a tree over shared memory combines
 * them. */
static void
plan_along(Plan *p, const Source *t, const GnpAxes *kept, const GnpAxes *reduced,
           const GnpDevice *device)
{
    int itemsize = t->itemsize;
    uint64_t others = t->address | gnp_axes_offsets(kept, 0);
    p->width = p->masked ? 1 : gnp_axes_width(reduced, itemsize, 16 / itemsize, others);
    /* An access must not reach over the end of the innermost axis. */
    while (reduced->naxes > 1 && reduced->shape[0] % p->width != 0) {
        p->width /= 2;
    }
    share_row(p, itemsize, device);
}

/* Long contiguous rows, some of which do not start on 16-byte boundaries (RAGGED). Each row's
 * unaligned head and tail are read by single elements, the rest by full accesses. */
static void
start_anywhere(Plan *p, const Source *t, const GnpAxes *kept, const GnpAxes *reduced,
               const GnpDevice *device)
{
    enum { LEAST = 128 }; /* from so many bytes on, the two unaligned ends of a row cost little */
    const int itemsize = t->itemsize;
    const uint64_t offsets = t->address | gnp_axes_offsets(kept, 0);
    if (!t->anywhere || p->masked || reduced->naxes != 1 || reduced->stride[0][0] != itemsize ||
        p->width * itemsize >= 16 || offsets % (uint64_t)itemsize != 0 || p->n < LEAST / itemsize) {
        return;
    }
    p->ragged = 1;
    p->width = 16 / itemsize;
    share_row(p, itemsize, device);
}

/* Threads side by side along the outputs. Each thread has outputs of its own, which are
 * adjacent, so accesses are coalesced without a tree; several rows are in flight where there
 * are few outputs. */
static void
plan_columns(Plan *p, const Source *t, const GnpAxes *kept, const GnpAxes *reduced,
             const GnpDevice *device)
{
    int itemsize = t->itemsize;
    int widest = 16 / itemsize < 4 ? 16 / itemsize : 4;
    uint64_t others = t->address | gnp_axes_offsets(reduced, 0);
    p->by_columns = 1;
    p->width = p->masked ? 1 : gnp_axes_width(kept, itemsize, widest, others);
    while (kept->naxes > 0 && kept->shape[0] % p->width != 0) {
        p->width /= 2;
    }
    p->unroll = p->masked ? 4 : choose_unroll(p->width, itemsize);
    int most = gnp_power_of_two(gnp_ceil_div(p->n, p->unroll), BLOCK); /* rows in flight */
    int columns = gnp_power_of_two(gnp_ceil_div(p->nout, p->width), 32);
    p->lanes = columns > BLOCK / most ? columns : BLOCK / most;
    int64_t threads = p->nout / p->width / device->sm_count;
    if (threads >= (p->n <= 16 * p->unroll ? 512 : 2048)) {
        p->lanes = BLOCK; /* enough threads without several per column */
    }
    p->unroll = fit_unroll(p->unroll, p->n / (BLOCK / p->lanes));
    p->nblocks = gnp_ceil_div(p->nout, (int64_t)p->lanes * p->width);
    plan_pieces(p, (int64_t)device->sm_count * 16, (int64_t)4 * (BLOCK / p->lanes) * p->unroll);
}

/* A stride of 0 is no direction of memory. */
static int64_t
smallest_stride(const GnpAxes *axes)
{
    int64_t stride = axes->naxes > 0 ? axes->stride[0][0] : 0;
    return stride < 0 ? -stride : stride > 0 ? stride : INT64_MAX;
}

/* Offsets of kept and reduced axes add up. */
static int
needs_wide_index(const Plan *p, const GnpAxes *kept, const GnpAxes *reduced)
{
    const int64_t limit =
        ((int64_t)1 << 31) - 65536; /* indices run past the end by up to a block */
    for (int k = 0; k < kept->noperands; k++) {
        int64_t along = k < reduced->noperands ? gnp_axes_reach(reduced, k) : 0;
        if (gnp_axes_reach(kept, k) + along > limit) {
            return 1;
        }
    }
    return p->nout > limit || p->n > limit;
}

void
gnp_reduce_plan(Plan *p, const Source *t, const GnpAxes *kept, const GnpAxes *reduced,
                const GnpDevice *device)
{
    *p = (Plan){
        .masked = t->masked,
        .nout = gnp_axes_size(kept),
        .n = gnp_axes_size(reduced),
        .kept_class = gnp_axes_class(kept->naxes),
        .reduced_class = gnp_axes_class(reduced->naxes),
    };
    p->wide = needs_wide_index(p, kept, reduced);
    /* The axis that is contiguous decides how threads are arranged. */
    if (kept->naxes == 0 || smallest_stride(reduced) <= smallest_stride(kept)) {
        plan_along(p, t, kept, reduced, device);
        start_anywhere(p, t, kept, reduced, device);
    }
    else {
        plan_columns(p, t, kept, reduced, device);
    }
    p->partial = p->pieces > 1;
}

/* A power of two that divides the block: threads beside each other take outputs, those behind each
 * other pieces. */
int
gnp_reduce_finish_columns(int64_t nout, int64_t pieces)
{
    int most = gnp_power_of_two(pieces, BLOCK);
    int columns =
        gnp_power_of_two(nout, pieces > 256 ? 8 : 32); /* many pieces: prefer more blocks */
    return columns > BLOCK / most ? columns : BLOCK / most;
}

/* Packed rows: rows of few outputs that are adjacent in memory are treated as one longer row, so
 * that all threads of a block have an output; the axes become those of the longer rows. For
 * instance the sum of an (n, 3) array over its first axis: three outputs would occupy three
 * threads. `missing` is what the last packed row lacks. */
static void
pack_rows(Plan *p, const Source *t, GnpAxes *kept, GnpAxes *reduced, const GnpDevice *device)
{
    const int64_t itemsize = t->itemsize;
    if (!p->by_columns || p->masked || t->is_index || kept->naxes == 0 || reduced->naxes != 1 ||
        kept->stride[0][0] != itemsize || reduced->stride[0][0] != kept->shape[0] * itemsize) {
        return;
    }
    GnpAxes longer;
    gnp_axes_copy(&longer, kept);
    const int64_t period = kept->shape[0], n = p->n;
    int width = 16 / (int)itemsize < 4 ? 16 / (int)itemsize : 4;
    longer.shape[0] = (int64_t)BLOCK * width;
    longer.stride[0][0] = itemsize;
    width = gnp_axes_width(&longer, (int)itemsize, width, t->address);
    int64_t many = (int64_t)BLOCK * width / period;
    while (many > 1 && many * period % width != 0) {
        many--;
    }
    /* Too few rows: the final combination within a packed row would cost more than it saves. */
    if (many < 2 || n / many < 8) {
        return;
    }
    p->packed = 1;
    p->period = period;
    p->across = many * period;
    p->missing = n % many != 0 ? p->across - n % many * period : 0;
    p->n = gnp_ceil_div(n, many);
    p->width = width;
    p->lanes = BLOCK;
    p->unroll = fit_unroll(choose_unroll(width, (int)itemsize), p->n);
    p->nblocks = p->nout / period;
    kept->shape[0] = p->across;
    reduced->shape[0] = p->n;
    reduced->stride[0][0] *= many;
    plan_pieces(p, (int64_t)device->sm_count * 4, (int64_t)4 * p->unroll);
    p->partial = p->pieces > 1;
}

int
gnp_reduce_is_packed(const Plan *plan, const Source *source, const GnpAxes *kept,
                     const GnpAxes *reduced, const GnpDevice *device)
{
    Plan p = *plan;
    GnpAxes k, r;
    gnp_axes_copy(&k, kept);
    gnp_axes_copy(&r, reduced);
    pack_rows(&p, source, &k, &r, device);
    return p.packed;
}

static void
plan_make(Plan *p, const Task *t, GnpAxes *kept, GnpAxes *reduced, const GnpDevice *device)
{
    const Source source = {(int)gnp_itemsize(t->in), t->where != NULL,
                           t->row->result == RESULT_INDEX, 1, t->in->data};
    gnp_reduce_plan(p, &source, kept, reduced, device);
    pack_rows(p, &source, kept, reduced, device);
    p->initial = t->has_initial && !p->partial;
}

/* The second launch: combines the accumulators of the first, [pieces][nout]. The accumulators are
 * contiguous, outputs side by side, so columns fit. */
static void
plan_resume(Plan *p, const Plan *first, const Task *t)
{
    *p = *first;
    p->by_columns = p->resume = p->width = p->unroll = 1;
    p->masked = p->partial = p->packed = p->ragged = 0;
    p->initial = t->has_initial;
    p->reduced_class = 1;
    p->n = p->chunk = first->pieces;
    p->pieces = 1;
    p->lanes = gnp_reduce_finish_columns(p->nout, p->n);
    p->nblocks = gnp_ceil_div(p->nout, p->lanes);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The row's expressions as device functions; the kernels in kernels/reduce*.cu call them. */
static int
write_functions(GnpKernelText *text, const void *context)
{
    const Task *t = context;
    const GnpReductionRow *row = t->row;
    gnp_text_add(&text->code, "typedef %s A;\nGNP_FN A identity() { return %s; }\n",
                 row->accumulator, row->identity);
    gnp_text_add(&text->code, "GNP_FN A map(Compute<T> a, u64 i) { return %s; }\n", row->map);
    gnp_text_add(&text->code, "GNP_FN A combine(A a, A b) { return %s; }\n", row->combine);
    gnp_text_add(&text->code, "GNP_FN Compute<R> finish(A a, u64 n, f64 p) { return %s; }\n",
                 row->finish);
    gnp_text_add(&text->name, "%s__%s_%s", row->name,
                 gnp_dtypes[gnp_kernel_dtype(t->in->dtype)].name,
                 gnp_dtypes[gnp_kernel_dtype(t->result)].name);
    return 0;
}

static GnpKernel *
find_kernel(const Plan *p, const Task *t, GnpDevice *device)
{
    GnpSpec_reduce spec = {GNP_SPEC(reduce),
                           .head.code = (uint64_t)(uintptr_t)t->row,
                           .head.wide = p->wide,
                           .S = gnp_kernel_dtype(t->in->dtype),
                           .T = gnp_kernel_dtype(t->loop),
                           .R = gnp_kernel_dtype(t->result),
                           .KEPT = p->kept_class,
                           .REDUCED = p->reduced_class,
                           .LANES = p->lanes,
                           .WIDTH = p->width,
                           .UNROLL = p->unroll,
                           .MASKED = p->masked,
                           .PARTIAL = p->partial,
                           .RESUME = p->resume,
                           .INITIAL = p->initial,
                           .RAGGED = p->ragged,
                           .PACKED = p->packed,
                           .BLOCK = BLOCK};
    if (p->by_columns) {
        spec.head.kernel = GNP_KERNEL_reduce_columns;
    }
    return gnp_kernel_find(device, &spec.head, write_functions, t);
}

/* ---- launches -------------------------------------------------------------------------------- */

int
gnp_reduce_launch(const GnpKernel *kernel, const Plan *p, CUstream stream, void **arg)
{
    if (p->nblocks > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "array is too big for one launch");
        return -1;
    }
    const unsigned nblocks = (unsigned)p->nblocks, pieces = (unsigned)p->pieces;
    const unsigned block[3] = {BLOCK, 1, 1};
    /* Rows in pieces are fewer blocks than wanted, so they fit the second axis. */
    const int swaps = p->partial && !p->by_columns;
    const unsigned grid[3] = {swaps ? pieces : nblocks, swaps ? nblocks : pieces, 1};
    return gnp_launch(kernel, grid, block, 0, stream, arg);
}

static int
launch(const Plan *p, const Task *t, const GnpAxes *kept, const GnpAxes *reduced, CUdeviceptr in,
       CUdeviceptr out, CUstream stream, GnpDevice *device)
{
    GnpKernel *kernel = find_kernel(p, t, device);
    if (kernel == NULL) {
        return -1;
    }
    GnpParams params;
    gnp_params_init(&params, p->wide);
    /* `count` is the number of elements, for means; `parameter` is ddof. */
    GnpReduceEnding end = {.count = (uint64_t)reduced_count(t), .parameter = t->parameter};
    CUdeviceptr mask = t->where != NULL ? t->where->data : 0;
    memcpy(end.initial, t->initial.bits, sizeof end.initial);
    gnp_params_add(&params, &in, sizeof in);
    gnp_params_add(&params, &mask, sizeof mask);
    gnp_params_add(&params, &out, sizeof out);
    gnp_params_layout(&params, kept, p->kept_class);
    gnp_params_layout(&params, reduced, p->reduced_class);
    gnp_params_index(&params, p->nout);
    gnp_params_index(&params, p->n);
    gnp_params_index(&params, p->chunk);
    gnp_params_add(&params, &end, sizeof end);
    if (p->by_columns) {
        gnp_params_index(&params, p->across);
        gnp_params_index(&params, p->period);
        gnp_params_index(&params, p->missing);
    }
    return gnp_reduce_launch(kernel, p, stream, params.arg);
}

/* For gnp_ahead_begin: the launch over the pieces' results. */
typedef struct {
    const Plan *first;
    const Task *task;
    GnpDevice *device;
} Pieces;

static void
ask_for_second(void *context)
{
    const Pieces *p = context;
    Plan second;
    plan_resume(&second, p->first, p->task);
    (void)find_kernel(&second, p->task, p->device);
}

int (*gnp_reduce_recorder)(const GnpReduceTask *task);

/* The recorder of lazy mode may take the task; then nothing is launched here. */
int
gnp_reduce_run(const GnpReduceTask *t)
{
    int recorded = GNP_UNLIKELY(gnp_reduce_recorder != NULL) ? gnp_reduce_recorder(t) : 0;
    GnpDevice *device = recorded == 0 ? gnp_device_current() : NULL;
    if (device == NULL) {
        return recorded > 0 ? 0 : -1;
    }
    return gnp_reduce_run_on(t, device, gnp_stream_current(device));
}

int
gnp_reduce_run_on(const GnpReduceTask *t, GnpDevice *device, CUstream stream)
{
    GnpBlock *scratch = NULL; /* owned */
    int ret = -1;
    GnpAxes kept, reduced, outputs;
    Plan plan, second;

    split_axes(t, &kept, &reduced);
    gnp_axes_copy(&outputs, &kept);
    plan_make(&plan, t, &kept, &reduced, device);
    gnp_block_record(t->in->block, stream);
    gnp_block_record(t->out->block, stream);
    if (t->where != NULL) {
        gnp_block_record(t->where->block, stream);
    }
    if (!plan.partial) {
        ret = launch(&plan, t, &kept, &reduced, t->in->data, t->out->data, stream, device);
        goto fail;
    }
    /* Scratch lives until this returns and is reused in stream order, after both launches. */
    int64_t bytes;
    if (gnp_mul_size(plan.pieces * LARGEST_ACCUMULATOR, plan.nout, &bytes) < 0) {
        PyErr_NoMemory();
        goto fail;
    }
    GNP_NEW(scratch, gnp_block_new(device, (size_t)bytes, stream));
    Pieces of_plan = {&plan, t, device};
    const GnpAhead ahead = {ask_for_second, &of_plan}, *before = gnp_ahead_begin(&ahead);
    ret = launch(&plan, t, &kept, &reduced, t->in->data, scratch->ptr, stream, device);
    gnp_ahead_end(before);
    GNP_TRY(ret);
    ret = -1;
    plan_resume(&second, &plan, t);
    gnp_axes_init(&reduced, 2);
    GNP_TRY(launch(&second, t, &outputs, &reduced, scratch->ptr, t->out->data, stream, device));
    ret = 0;
fail:
    gnp_block_release(scratch);
    return ret;
}

/* Launching a scan: a task becomes a Plan, and the plan one launch.
 *
 * The layout decides which kernel: scan.cu where the scanned axis is contiguous, scan_columns.cu
 * where another one is. An input whose layout differs from the output's is copied there first. Long
 * axes are cut into tiles that pass their sums on by decoupled look-back (kernels/lookback.cuh) in
 * cleared memory, the board: one pass over the data, and the order of operations depends on the
 * shape alone.
 */
#include "reduce/reduce.h"

#include <string.h>

enum {
    BLOCK = 256,
    LARGER_BLOCK = 512,
    ROW_FAN = 32,
    COLUMN_FAN = 8
}; /* fans: as the kernels have them */

typedef GnpScanTask Task;

typedef struct {
    int block, by_columns, width, depth, lanes, resident, lookback, wide, kept_class;
    int64_t n, nout, ntiles, nblocks, board_words;
} Plan;

/* ---- the axes -------------------------------------------------------------------------------- */

/* Strides of in and out along all axes but the scanned one. Sorted by the input's strides:
 * neighbouring lines are neighbours in memory. */
static void
kept_axes(const Task *t, GnpAxes *kept)
{
    gnp_axes_init(kept, 2);
    for (int axis = t->in->ndim - 1; axis >= 0; axis--) {
        if (axis != t->axis) {
            const int64_t stride[2] = {gnp_strides(t->in)[axis], gnp_strides(t->out)[axis]};
            gnp_axes_add(kept, gnp_shape(t->in)[axis], stride);
        }
    }
    gnp_axes_sort(kept);
    gnp_axes_merge(kept);
}

/* The widest access, up to `widest` elements, that is aligned in both arrays at every offset. Both
 * arrays are accessed by the same threads at the same places. */
static int
common_width(const Task *t, const GnpAxes *kept, int first, uint64_t in_others, uint64_t out_others,
             int widest)
{
    uint64_t in = t->in->data | in_others, out = t->out->data | out_others;
    for (int axis = first; axis < kept->naxes; axis++) {
        in |= (uint64_t)kept->stride[axis][0];
        out |= (uint64_t)kept->stride[axis][1];
    }
    int width = widest;
    while (width > 1 && (in % (uint64_t)(width * gnp_itemsize(t->in)) != 0 ||
                         out % (uint64_t)(width * gnp_itemsize(t->out)) != 0)) {
        width /= 2;
    }
    return width;
}

/* Of the type that is computed in: 16-bit floats accumulate in 32 bits. */
static int
accumulator_bytes(GnpDtype loop)
{
    return gnp_dtypes[gnp_dtypes[loop].compute].bytes;
}

static int
larger_item(const Task *t)
{
    int64_t in = gnp_itemsize(t->in), out = gnp_itemsize(t->out);
    return (int)(in > out ? in : out);
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Tiles post their sums, and groups of `fan` tiles theirs, in two levels: a tile then looks back
 * over a few words instead of over all tiles before it. One more word is the ticket counter. */
static int64_t
board_words(const Plan *p, const Task *t, int fan, int64_t boards)
{
    int64_t posts = p->ntiles + p->ntiles / fan + p->ntiles / (fan * fan);
    return 1 + boards * posts * ((accumulator_bytes(t->loop) + 3) / 4);
}

/* Accesses of a thread per tile, kept in registers: many where a tile waits for its predecessors,
 * since larger tiles mean fewer of them in the chain of look-backs. */
static int
elements_at_once(const Task *t, int waits)
{
    int words = (accumulator_bytes(t->loop) + 3) / 4;
    int some = larger_item(t) <= 2 ? 32 : words > 2 ? 8 : 16;
    return waits && words <= 2 ? 2 * some : some;
}

/* Lanes first, up to a block, then more accesses per thread: both are powers of two, so that few
 * kernels exist. */
static void
plan_tiles(Plan *p, int most)
{
    int64_t accesses = gnp_ceil_div(p->n, p->width);
    p->lanes = gnp_power_of_two(gnp_ceil_div(accesses, 2), 32);
    while (p->lanes < p->block && (int64_t)p->lanes * (most / p->width) < accesses) {
        p->lanes *= 2;
    }
    p->depth =
        gnp_power_of_two(gnp_ceil_div(accesses, p->lanes), most > p->width ? most / p->width : 1);
    p->ntiles = gnp_ceil_div(p->n, (int64_t)p->lanes * p->width * p->depth);
}

/* Threads side by side along the scanned axis. */
static void
plan_rows(Plan *p, const Task *t, const GnpAxes *kept, const GnpDevice *device)
{
    int words = (accumulator_bytes(t->loop) + 3) / 4;
    p->width = common_width(t, kept, 0, 0, 0, 16 / larger_item(t));
    plan_tiles(p, elements_at_once(t, 0));
    /* Look-back is worth its traffic where there are too few rows to occupy the device with one
     * block each, and a row is long enough to be split. */
    p->lookback = p->ntiles > 4 && p->nout < (int64_t)device->sm_count * 4;
    p->nblocks = gnp_ceil_div(p->nout, BLOCK / p->lanes);
    p->resident = 1;
    if (p->lookback) {
        /* Enough tiles to fill the device even when each is twice as large. */
        if (p->ntiles * p->nout >= (int64_t)device->sm_count * 16) {
            p->block = words == 1 ? LARGER_BLOCK : BLOCK;
            plan_tiles(p, elements_at_once(t, 1));
        }
        p->nblocks = p->ntiles * p->nout;
        /* Blocks per multiprocessor that its registers allow: those of the elements and 32 others
         * per thread; fewer where blocks are large. */
        p->resident = p->block == BLOCK ? 256 / (p->width * p->depth * words + 32)
                                        : 160 / (p->width * p->depth * words + 32);
    }
    p->board_words = board_words(p, t, ROW_FAN, p->nout);
}

/* Threads side by side along another axis: 32 of them with 8 bytes each give 256-byte accesses per
 * warp, which is enough, and the fewer columns a tile has, the fewer values it posts to its
 * successors. */
static void
plan_columns(Plan *p, const Task *t, const GnpAxes *kept)
{
    int item = larger_item(t), widest = item >= 8 ? 1 : 8 / item > 4 ? 4 : 8 / item;
    p->by_columns = 1;
    p->width = common_width(t, kept, 1, (uint64_t)gnp_strides(t->in)[t->axis],
                            (uint64_t)gnp_strides(t->out)[t->axis], widest);
    /* A column group must not reach over the end of the axis. */
    while (kept->shape[0] % p->width != 0) {
        p->width /= 2;
    }
    p->depth = accumulator_bytes(t->loop) > 8 || p->width > 2 ? 8 : 16;
    p->depth = gnp_power_of_two(p->n, p->depth);
    p->lanes = gnp_power_of_two(gnp_ceil_div(p->nout, p->width), 32);
    int rows = gnp_power_of_two(gnp_ceil_div(p->n, p->depth), BLOCK / p->lanes);
    p->lanes = BLOCK / rows;
    p->ntiles = gnp_ceil_div(p->n, (int64_t)rows * p->depth);
    /* By columns there is no other way to split a long axis over blocks. */
    p->lookback = p->ntiles > 1;
    int64_t strips = gnp_ceil_div(p->nout, (int64_t)p->lanes * p->width);
    p->nblocks = strips * p->ntiles;
    p->board_words = board_words(p, t, COLUMN_FAN, strips * p->lanes * p->width);
}

static void
plan_make(Plan *p, const Task *t, const GnpAxes *kept, int by_columns, const GnpDevice *device)
{
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    *p = (Plan){
        .block = BLOCK,
        .n = gnp_shape(t->in)[t->axis],
        .nout = gnp_axes_size(kept),
        .kept_class = gnp_axes_class(kept->naxes),
    };
    p->wide = p->n > limit || p->nout > limit || gnp_axes_reach(kept, 0) > limit ||
              gnp_axes_reach(kept, 1) > limit;
    /* The choice was made by the layout (which_kernel). */
    if (by_columns) {
        plan_columns(p, t, kept);
    }
    else {
        plan_rows(p, t, kept, device);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* NaN-skipping forms map NaN to the identity before combining. */
static int
write_combine(GnpKernelText *text, const void *context)
{
    const Task *t = context;
    text->header = gnp_op_header(&t->row->op, gnp_dtypes[t->loop].cls == 'c');
    gnp_text_add(&text->code, "typedef Compute<T> A;\nGNP_FN A map(A a) { return %s; }\n",
                 !t->skips_nan                      ? "a"
                 : t->row->identity == IDENTITY_ONE ? "is_nan(a) ? A(1) : a"
                                                    : "is_nan(a) ? A(0) : a");
    /* A long function is called: inlined at every step it would give megabytes of code and seconds
     * of compilation. */
    gnp_text_add(&text->code, "%s A combine(A a, A b) { return A(%s); }\n",
                 t->row->rule == RULE_REAL || t->row->rule == RULE_LISTED
                     ? "static __device__ __noinline__"
                     : "GNP_FN",
                 t->row->op.expression);
    gnp_text_add(&text->name, "%s_accumulate__%s_%s", t->row->op.name,
                 gnp_dtypes[gnp_kernel_dtype(t->in->dtype)].name,
                 gnp_dtypes[gnp_kernel_dtype(t->out->dtype)].name);
    return 0;
}

/* The row's address stands for its expression. */
static GnpKernel *
find_kernel(const Plan *p, const Task *t, GnpDevice *device)
{
    GnpSpec_scan spec = {GNP_SPEC(scan),
                         .head.code = (uint64_t)(uintptr_t)t->row,
                         .head.wide = p->wide,
                         .S = gnp_kernel_dtype(t->in->dtype),
                         .T = gnp_kernel_dtype(t->loop),
                         .R = gnp_kernel_dtype(t->out->dtype),
                         .KEPT = p->kept_class,
                         .LANES = p->lanes,
                         .WIDTH = p->width,
                         .DEPTH = p->depth,
                         .LOOKBACK = p->lookback,
                         .RESIDENT = p->resident,
                         .SKIPS_NAN = t->skips_nan,
                         .BLOCK = p->block};
    if (p->by_columns) {
        spec.head.kernel = GNP_KERNEL_scan_columns;
    }
    return gnp_kernel_find(device, &spec.head, write_combine, t);
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The board of a scan by tiles. It is cleared by a memset in the stream, so that captured graphs
 * clear it at each replay too. Look-back waits for lower tickets only, which are taken when a block
 * starts, so it ends whatever order blocks are scheduled in. */
static GnpBlock *
new_board(const Plan *p, GnpDevice *device, CUstream stream)
{
    GnpBlock *board = gnp_block_new(device, (size_t)p->board_words * 8, stream);
    if (board == NULL) {
        return NULL;
    }
    CU_TRY_QUEUE(cuMemsetD32Async(board->ptr, 0, (size_t)p->board_words * 2, stream));
    return board;
fail:
    gnp_block_release(board);
    return NULL;
}

static int
launch(const Task *t, const GnpAxes *kept, int by_columns)
{
    Plan plan;
    GnpParams params;
    GnpBlock *board = NULL; /* owned */
    GnpKernel *kernel;
    int ret = -1;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    plan_make(&plan, t, kept, by_columns, device);
    GNP_NEW(kernel, find_kernel(&plan, t, device));
    if (plan.lookback) {
        GNP_NEW(board, new_board(&plan, device, stream));
    }
    gnp_block_record(t->in->block, stream);
    gnp_block_record(t->out->block, stream);
    CUdeviceptr posted = board != NULL ? board->ptr : 0;
    uint32_t ntiles = (uint32_t)plan.ntiles;
    gnp_params_init(&params, plan.wide);
    gnp_params_add(&params, &t->in->data, sizeof t->in->data);
    gnp_params_add(&params, &t->out->data, sizeof t->out->data);
    gnp_params_layout(&params, kept, plan.kept_class);
    gnp_params_index(&params, plan.nout);
    gnp_params_index(&params, plan.n);
    if (by_columns) {
        gnp_params_add(&params, &gnp_strides(t->in)[t->axis], sizeof(int64_t));
        gnp_params_add(&params, &gnp_strides(t->out)[t->axis], sizeof(int64_t));
    }
    gnp_params_add(&params, &posted, sizeof posted);
    gnp_params_add(&params, &ntiles, sizeof ntiles);
    GNP_TRY(gnp_launch_blocks(kernel, plan.nblocks, plan.block, stream, params.arg));
    ret = 0;
fail:
    gnp_block_release(board);
    return ret;
}

/* ---- any layout ------------------------------------------------------------------------------ */

/* Which kernel can run it without a copy: 0 by rows, 1 by columns; -1: none. An axis of length 1 is
 * its own scan: any kernel does. */
static int
which_kernel(const Task *t, GnpAxes *kept)
{
    int64_t in = gnp_itemsize(t->in), out = gnp_itemsize(t->out);
    kept_axes(t, kept);
    if (gnp_shape(t->in)[t->axis] == 1 ||
        (gnp_strides(t->in)[t->axis] == in && gnp_strides(t->out)[t->axis] == out)) {
        return 0;
    }
    return kept->naxes > 0 && kept->stride[0][0] == in && kept->stride[0][1] == out ? 1 : -1;
}

static int
run_as_it_lies(const Task *t)
{
    GnpAxes kept;
    int kernel = which_kernel(t, &kept);
    return launch(t, &kept, kernel);
}

/* Copies the input to the output's memory and scans in place, if the output's layout suits a kernel
 * and it has the loop's dtype; else both are new memory. Scanning in place is safe: each element is
 * read before it is written, by the thread that writes it. */
static int
run_apart(const Task *t)
{
    GnpAxes kept;
    Task apart = *t;
    int status;
    apart.in = t->out;
    if (t->out->dtype == (int)t->loop && which_kernel(&apart, &kept) >= 0) {
        return gnp_copy(t->out, t->in) < 0 ? -1 : run_as_it_lies(&apart);
    }
    apart.out = gnp_astype(t->in, t->loop, 'K'); /* owned */
    if (apart.out == NULL) {
        return -1;
    }
    apart.in = apart.out;
    status = run_as_it_lies(&apart);
    if (status == 0) {
        status = gnp_copy(t->out, apart.out);
    }
    Py_DECREF((PyObject *)apart.out);
    return status;
}

/* Overlapping input is copied first. */
int
gnp_scan_run(const GnpScanTask *t)
{
    GnpAxes kept;
    if (t->out->size == 0) {
        return 0;
    }
    return gnp_overlaps_harmfully(t->out, t->in) || which_kernel(t, &kept) < 0 ? run_apart(t)
                                                                               : run_as_it_lies(t);
}

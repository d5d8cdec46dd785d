/* Launching a product: which kernel, which tile, how many pieces of k (split-k); then one launch,
 * or two where the pieces are summed afterwards. Everything follows from shapes and strides alone,
 * and pieces are summed in a fixed order, so results repeat bit for bit.
 *
 * Three kernels share the work. Tiles in shared memory (product.cu) take matrices. Thin products,
 * with a vector on one side, and tiny ones are dot products of rows (product_rows.cu) where memory
 * runs along k, and of columns (product_columns.cu) where it runs along the outputs.
 *
 * Called by product.c after cuBLAS has declined, with the GIL. The pieces of split-k give
 * products with few outputs and a long k enough blocks; their partial sums lie in scratch memory
 * of the stream.
 */
#include "product/product.h"

#include <string.h>

/* TINY and SHORT: below these a tile would be mostly empty. */
enum { BLOCK = 256, TINY = 8, SHORT = 32 };

/* ---- tiles ----------------------------------------------------------------------------------- */

/* A tile of m x n outputs, k steps deep, and the reg_m x reg_n outputs of a thread. */
typedef struct {
    unsigned char m, n, k, reg_m, reg_n, unroll, blocks; /* blocks: on a multiprocessor; 0: any */
} Tile;

/* Tiles from the largest to the smallest, for each type of sums; measured on an H200. Larger tiles
 * reuse what they load more often; smaller ones keep more multiprocessors busy. */
enum { NTILES = 4 };
#define SMALL_TILES(unroll) {32, 32, 16, 4, 4, unroll, 1}, {16, 16, 16, 2, 2, unroll, 1}
static const Tile tiles_f32[NTILES] = {
    {128, 128, 16, 8, 8, 16, 2}, {64, 64, 16, 8, 4, 4, 0}, SMALL_TILES(4)};
static const Tile tiles_u32[NTILES] = {
    {128, 128, 16, 8, 8, 4, 2}, {64, 64, 16, 8, 4, 4, 0}, SMALL_TILES(4)};
static const Tile tiles_f64[NTILES] = {
    {128, 64, 8, 8, 4, 2, 0}, {64, 64, 8, 4, 4, 2, 1}, SMALL_TILES(4)};
static const Tile tiles_u64[NTILES] = {
    {64, 64, 8, 4, 4, 4, 1}, {64, 64, 8, 4, 4, 4, 1}, SMALL_TILES(4)};
static const Tile tiles_c64[NTILES] = {
    {128, 64, 8, 8, 4, 2, 2}, {64, 64, 8, 4, 4, 2, 1}, SMALL_TILES(2)};
static const Tile tiles_c128[NTILES] = {{64, 64, 8, 4, 4, 2, 2},
                                        {64, 64, 8, 4, 4, 2, 2},
                                        {32, 32, 8, 4, 4, 2, 1},
                                        {16, 16, 16, 2, 2, 2, 1}};

/* The type of the sums decides the registers and shared memory of a tile. */
static const Tile *
tiles_of(GnpDtype sum)
{
    switch (sum) {
    case GNP_F32:
        return tiles_f32;
    case GNP_F64:
        return tiles_f64;
    case GNP_U64:
        return tiles_u64;
    case GNP_C64:
        return tiles_c64;
    case GNP_C128:
        return tiles_c128;
    default:
        return tiles_u32;
    }
}

/* Integers wrap, so unsigned arithmetic of the same width gives the same bits and has no undefined
 * overflow. Halves are summed in float. */
GnpDtype
gnp_product_sum_dtype(GnpDtype loop)
{
    switch (gnp_dtypes[loop].cls) {
    case '?':
    case 'i':
    case 'u':
        return gnp_dtypes[loop].bytes == 8 ? GNP_U64 : GNP_U32;
    default:
        return gnp_dtypes[loop].compute;
    }
}

/* ---- the plan -------------------------------------------------------------------------------- */

typedef enum { KERNEL_TILES, KERNEL_ROWS, KERNEL_COLUMNS, KERNEL_FINISH } Kernel;

/* The whole launch: the kernel, its knobs and the sizes of the grid. */
typedef struct {
    Kernel kernel;
    GnpDtype sum;
    int axes, wide, partial, lanes, width, unroll; /* lanes: of rows, columns of a block, finish */
    int width_b, width_c, along_a, along_b, moves;
    Tile tile;
    int64_t tiles_m, tiles_n, nout, nmatrices, nblocks, chunk, pieces;
} Plan;

/* Reversed views have negative strides; how close neighbours lie is what counts. */
static inline int64_t
magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static inline int64_t
smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Bits that are set anywhere limit the alignment of every matrix of the batch. */
static uint64_t
batch_offsets(const GnpAxes *batch, int operand)
{
    uint64_t offsets = 0;
    for (int axis = 0; axis < batch->naxes; axis++) {
        offsets |= (uint64_t)batch->stride[axis][operand];
    }
    return offsets;
}

/* Elements per access, up to `widest`, when neighbours are `step` bytes apart, `extent` of them lie
 * in a row and rows begin at multiples of `offsets`. */
static int
access_width(int64_t step, int64_t extent, uint64_t offsets, int itemsize, int widest)
{
    int width = step == itemsize ? widest : 1;
    while (width > 1 && (width * itemsize > 16 || extent % width != 0 ||
                         offsets % (uint64_t)(width * itemsize) != 0)) {
        width /= 2;
    }
    return width;
}

/* The number of pieces of k, so that `nblocks` blocks become about `wanted`; each piece is a
 * multiple of `unit` and at least `least` long, and the partial sums take no more than 64 MiB. */
static void
plan_pieces(Plan *p, int64_t k, int64_t wanted, int64_t unit, int64_t least)
{
    const int64_t scratch = (int64_t)1 << 26;
    int64_t pieces = smaller(wanted / p->nblocks, k / least);
    /* The y axis of the grid. */
    pieces = smaller(pieces, 65535);
    pieces = smaller(pieces, scratch / (p->nout * gnp_dtypes[p->sum].bytes + 1));
    p->chunk = gnp_ceil_div(k, unit) * unit;
    p->pieces = 1;
    if (pieces > 1) {
        p->chunk = gnp_ceil_div(gnp_ceil_div(k, pieces), unit) * unit;
        p->pieces = gnp_ceil_div(k, p->chunk);
    }
    p->partial = p->pieces > 1;
}

/* The largest tile of which at least three quarters are inside the matrices, and which occupies the
 * device: by its number of blocks (for smaller tiles a quarter of the multiprocessors is enough,
 * as k is then split), or because k is long enough to be split into pieces. */
static Tile
choose_tile(const Plan *p, const GnpProduct *t, const GnpDevice *device)
{
    const Tile *tiles = tiles_of(p->sum);
    for (int i = 0; i < NTILES - 1; i++) {
        int64_t blocks = gnp_ceil_div(t->m, tiles[i].m) * gnp_ceil_div(t->n, tiles[i].n);
        int fits = t->m * 4 > tiles[i].m * 3 && t->n * 4 > tiles[i].n * 3;
        int fills = blocks * p->nmatrices * (i == 0 ? 1 : 4) >= device->sm_count ||
                    t->k >= (i == 0 ? 65536 : 2048);
        if (fits && fills) {
            return tiles[i];
        }
        /* The smallest tile is for products that fit into it. */
        if (i == NTILES - 2 && (t->m > tiles[i + 1].m || t->n > tiles[i + 1].n)) {
            return tiles[i];
        }
    }
    return tiles[NTILES - 1];
}

/* How an operand is read: along k or across it, and the elements per access. */
static void
plan_reads(const GnpProduct *t, const Tile *tile, int is_b, int *along, int *width)
{
    const GnpMatrix *x = is_b ? &t->b : &t->a;
    int64_t across_step = is_b ? x->column : x->row, along_step = is_b ? x->row : x->column;
    int64_t across = is_b ? t->n : t->m;
    int itemsize = gnp_dtypes[x->dtype].bytes, rows = is_b ? tile->n : tile->m;
    int threads = tile->m / tile->reg_m * (tile->n / tile->reg_n);
    uint64_t offsets = (uint64_t)x->data | batch_offsets(&t->batch, is_b);
    int widest = rows * tile->k / threads;
    /* Neighbouring threads read along the smaller stride. */
    *along = magnitude(along_step) < magnitude(across_step) || across == 1;
    if (t->k == 1) {
        *along = 0;
    }
    int limit = *along ? tile->k : rows;
    widest = widest > 8 ? 8 : widest;
    widest = widest > limit ? limit : widest;
    *width =
        access_width(*along ? along_step : across_step, *along ? t->k : across,
                     offsets | (uint64_t)(*along ? across_step : along_step), itemsize, widest);
}

/* Each matrix of the batch has its own tiles; all of them are one grid. */
static void
plan_tiles(Plan *p, const GnpProduct *t, const GnpDevice *device)
{
    p->kernel = KERNEL_TILES;
    p->tile = choose_tile(p, t, device);
    p->tiles_m = gnp_ceil_div(t->m, p->tile.m);
    p->tiles_n = gnp_ceil_div(t->n, p->tile.n);
    p->nblocks = p->tiles_m * p->tiles_n * p->nmatrices;
    plan_reads(t, &p->tile, 0, &p->along_a, &p->width);
    plan_reads(t, &p->tile, 1, &p->along_b, &p->width_b);
    /* Two blocks per multiprocessor where there would be less than one. */
    int64_t wanted = p->nblocks < device->sm_count ? (int64_t)device->sm_count * 2 : p->nblocks;
    plan_pieces(p, t->k, wanted, p->tile.k, 256);
    int bytes = gnp_dtypes[t->out.dtype].bytes, vector = 16 / gnp_dtypes[p->sum].bytes;
    vector = vector < p->tile.reg_n ? vector : p->tile.reg_n;
    p->width_c = p->partial ? 1
                            : access_width(t->out.column, t->n,
                                           (uint64_t)t->out.data | batch_offsets(&t->batch, 2) |
                                               (uint64_t)(t->m > 1 ? t->out.row : 0),
                                           bytes, vector);
    p->axes = gnp_axes_class(t->batch.naxes);
}

/* Outputs as an index space: columns, rows, batch; or rows, columns, batch. */
static void
output_axes(const GnpProduct *t, GnpAxes *axes, int rows_first)
{
    const int64_t rows[] = {t->a.row, 0, t->out.row}, columns[] = {0, t->b.column, t->out.column};
    gnp_axes_init(axes, 3);
    gnp_axes_add(axes, rows_first ? t->m : t->n, rows_first ? rows : columns);
    gnp_axes_add(axes, rows_first ? t->n : t->m, rows_first ? columns : rows);
    for (int axis = 0; axis < t->batch.naxes; axis++) {
        gnp_axes_add(axes, t->batch.shape[axis], t->batch.stride[axis]);
    }
    gnp_axes_merge(axes);
}

/* 64-bit offsets cost registers and instructions in the innermost loop. */
static int
needs_wide_index(const Plan *p, const GnpAxes *axes)
{
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    for (int operand = 0; operand < 3; operand++) {
        if (gnp_axes_reach(axes, operand) > limit) {
            return 1;
        }
    }
    return p->nout > limit;
}

/* Dot products of rows: `lanes` threads share an output and combine their sums by shuffles. */
static void
plan_rows(Plan *p, const GnpProduct *t, const GnpAxes *axes, const GnpDevice *device)
{
    int size_a = gnp_dtypes[t->a.dtype].bytes, size_b = gnp_dtypes[t->b.dtype].bytes;
    int widest = 16 / (size_a > size_b ? size_a : size_b);
    uint64_t a = (uint64_t)t->a.data, b = (uint64_t)t->b.data;
    for (int axis = 0; axis < axes->naxes; axis++) {
        a |= (uint64_t)axes->stride[axis][0];
        b |= (uint64_t)axes->stride[axis][1];
    }
    p->kernel = KERNEL_ROWS;
    p->width = access_width(t->a.column, t->k, a, size_a, widest > 8 ? 8 : widest);
    p->width = access_width(t->b.row, t->k, b, size_b, p->width);
    int64_t accesses = gnp_ceil_div(t->k, p->width), threads = (int64_t)device->sm_count * 2048;
    /* Lanes of one row: a thread for short rows, up to a whole block where there are few rows. */
    p->lanes = t->k <= SHORT && p->width == 1 ? 1 : gnp_power_of_two(gnp_ceil_div(accesses, 2), 32);
    while (p->lanes < BLOCK && p->lanes < accesses && p->nout * p->lanes < threads / 4) {
        p->lanes *= 2;
    }
    int64_t turns = accesses / p->lanes;
    p->unroll = turns >= 8 ? 4 : turns >= 2 ? 2 : 1;
    p->nblocks = gnp_ceil_div(p->nout, BLOCK / p->lanes);
    plan_pieces(p, t->k, p->lanes == BLOCK ? (int64_t)device->sm_count * 16 : 1, p->width,
                (int64_t)4 * BLOCK * p->width * p->unroll);
}

/* Neighbouring threads have neighbouring outputs, so that loads across k are coalesced. */
static void
plan_columns(Plan *p, const GnpProduct *t, const GnpAxes *axes, const GnpDevice *device)
{
    int size_a = gnp_dtypes[t->a.dtype].bytes, size_b = gnp_dtypes[t->b.dtype].bytes;
    int64_t beside = axes->naxes > 0 ? axes->shape[0] : 1;
    int64_t step_a = axes->naxes > 0 ? axes->stride[0][0] : 0;
    int64_t step_b = axes->naxes > 0 ? axes->stride[0][1] : 0;
    uint64_t a = (uint64_t)t->a.data | (uint64_t)t->a.column;
    uint64_t b = (uint64_t)t->b.data | (uint64_t)t->b.row;
    for (int axis = 1; axis < axes->naxes; axis++) {
        a |= (uint64_t)axes->stride[axis][0];
        b |= (uint64_t)axes->stride[axis][1];
    }
    int widest = 16 / size_a > 8 ? 8 : 16 / size_a;
    p->kernel = KERNEL_COLUMNS;
    /* Whether b changes from one output to the next; otherwise one load of it serves all columns of
     * the block. */
    p->moves = step_b != 0;
    p->width = access_width(step_a, beside, a, size_a, widest);
    if (p->moves) {
        p->width = access_width(step_b, beside, b, size_b, p->width);
    }
    p->lanes = 32; /* columns per block: as wide as leaves enough blocks */
    while (p->lanes < 128 && p->nout >= (int64_t)p->lanes * p->width * 8) {
        p->lanes *= 2;
    }
    p->unroll = t->k >= 8 * (BLOCK / p->lanes) ? 4 : 1;
    p->nblocks = gnp_ceil_div(p->nout, (int64_t)p->lanes * p->width);
    plan_pieces(p, t->k, (int64_t)device->sm_count * 12, 1,
                (int64_t)2 * (BLOCK / p->lanes) * p->unroll);
}

/* Up to four columns are cheaper as dot products when the matrix is contiguous along k: its rows
 * are read from the cache after the first column. */
static int
is_thin(const GnpProduct *t)
{
    if (t->m <= 2 || t->n <= 2 || (t->m <= TINY && t->n <= TINY && t->k <= SHORT)) {
        return 1;
    }
    return (t->n <= 4 && magnitude(t->a.column) < magnitude(t->a.row)) ||
           (t->m <= 4 && magnitude(t->b.row) < magnitude(t->b.column));
}

/* Columns where neighbouring outputs lie closer in memory than neighbouring k. */
static void
plan_thin(Plan *p, const GnpProduct *t, GnpAxes *axes, const GnpDevice *device)
{
    output_axes(t, axes, magnitude(t->a.row) < magnitude(t->a.column));
    int64_t beside = axes->naxes > 0 ? magnitude(axes->stride[0][0]) : 0;
    if (beside != 0 && beside < magnitude(t->a.column) && p->nout >= 16) {
        plan_columns(p, t, axes, device);
    }
    else {
        plan_rows(p, t, axes, device);
    }
    p->axes = gnp_axes_class(axes->naxes);
    p->wide = needs_wide_index(p, axes);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The kernel's name in profiles; it does not change the code. */
static int
write_name(GnpKernelText *text, const void *context)
{
    const GnpProduct *t = context;
    gnp_text_add(&text->name, "product__%s_%s_%s", gnp_dtypes[t->a.dtype].name,
                 gnp_dtypes[t->b.dtype].name, gnp_dtypes[t->out.dtype].name);
    return 0;
}

/* All knobs are part of the key, so equal plans share a kernel. */
static GnpKernel *
find_tiles(const Plan *p, const GnpProduct *t, GnpDevice *device)
{
    GnpSpec_product spec = {GNP_SPEC(product),
                            .SA = t->a.dtype,
                            .SB = t->b.dtype,
                            .SO = t->out.dtype,
                            .T = t->loop,
                            .X = p->sum,
                            .LOGIC = t->loop == GNP_BOOL,
                            .CONJ_A = t->a.conjugate,
                            .CONJ_B = t->b.conjugate,
                            .PARTIAL = p->partial,
                            .AXES = p->axes,
                            .TILE_M = p->tile.m,
                            .TILE_N = p->tile.n,
                            .TILE_K = p->tile.k,
                            .REG_M = p->tile.reg_m,
                            .REG_N = p->tile.reg_n,
                            .UNROLL = p->tile.unroll,
                            .BLOCKS = p->tile.blocks,
                            .WIDTH_A = p->width,
                            .WIDTH_B = p->width_b,
                            .WIDTH_C = p->width_c,
                            .ALONG_A = p->along_a,
                            .ALONG_B = p->along_b};
    return gnp_kernel_find(device, &spec.head, write_name, t);
}

static GnpKernel *
find_thin(const Plan *p, const GnpProduct *t, GnpDevice *device)
{
    GnpSpec_product_rows spec = {GNP_SPEC(product_rows),
                                 .head.wide = p->wide,
                                 .SA = t->a.dtype,
                                 .SB = t->b.dtype,
                                 .SO = t->out.dtype,
                                 .T = t->loop,
                                 .X = p->sum,
                                 .LOGIC = t->loop == GNP_BOOL,
                                 .CONJ_A = t->a.conjugate,
                                 .CONJ_B = t->b.conjugate,
                                 .PARTIAL = p->partial,
                                 .AXES = p->axes,
                                 .LANES = p->lanes,
                                 .WIDTH = p->width,
                                 .UNROLL = p->unroll,
                                 .B_MOVES = p->moves,
                                 .BLOCK = BLOCK};
    /* The three kernels have the same knobs. */
    spec.head.kernel = p->kernel == KERNEL_COLUMNS  ? GNP_KERNEL_product_columns
                       : p->kernel == KERNEL_FINISH ? GNP_KERNEL_product_finish
                                                    : GNP_KERNEL_product_rows;
    return gnp_kernel_find(device, &spec.head, write_name, t);
}

static GnpKernel *
find_kernel(const Plan *p, const GnpProduct *t, GnpDevice *device)
{
    return p->kernel == KERNEL_TILES ? find_tiles(p, t, device) : find_thin(p, t, device);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The grid's y axis counts the pieces of k. `a` and `out` are parameters, as the second launch
 * reads the partial sums instead of the operands. */
static int
launch(const Plan *p, const GnpProduct *t, const GnpAxes *axes, CUdeviceptr a, CUdeviceptr out,
       GnpDevice *device, CUstream stream)
{
    GnpParams params;
    GnpKernel *kernel = find_kernel(p, t, device);
    if (kernel == NULL) {
        return -1;
    }
    if (p->nblocks > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "array is too big for one launch");
        return -1;
    }
    unsigned threads = BLOCK;
    gnp_params_init(&params, p->kernel == KERNEL_TILES || p->wide);
    gnp_params_add(&params, &a, sizeof a);
    if (p->kernel != KERNEL_FINISH) {
        gnp_params_add(&params, &t->b.data, sizeof t->b.data);
    }
    gnp_params_add(&params, &out, sizeof out);
    gnp_params_layout(&params, axes, p->axes);
    if (p->kernel == KERNEL_TILES) {
        GnpProductShape s = {t->m,
                             t->n,
                             t->k,
                             p->chunk,
                             t->a.row,
                             t->a.column,
                             t->b.row,
                             t->b.column,
                             t->out.row,
                             t->out.column,
                             (uint32_t)p->tiles_m,
                             (uint32_t)p->tiles_n};
        gnp_params_add(&params, &s, sizeof s);
        threads = (unsigned)(p->tile.m / p->tile.reg_m * (p->tile.n / p->tile.reg_n));
    }
    else {
        gnp_params_add(&params, &p->nout, sizeof p->nout);
        gnp_params_add(&params, p->kernel == KERNEL_FINISH ? &p->pieces : &t->k, sizeof t->k);
        if (p->kernel != KERNEL_FINISH) {
            gnp_params_add(&params, &p->chunk, sizeof p->chunk);
            gnp_params_add(&params, &t->a.column, sizeof t->a.column);
            gnp_params_add(&params, &t->b.row, sizeof t->b.row);
        }
    }
    const unsigned pieces = p->kernel == KERNEL_FINISH ? 1 : (unsigned)p->pieces;
    const unsigned grid[3] = {(unsigned)p->nblocks, pieces, 1}, block[3] = {threads, 1, 1};
    return gnp_launch(kernel, grid, block, 0, stream, params.arg);
}

/* The second launch: sums of pieces, [pieces][outputs], outputs in the order the first counts them.
 */
static int
finish(const Plan *first, const GnpProduct *t, const GnpAxes *axes, CUdeviceptr sums,
       GnpDevice *device, CUstream stream)
{
    GnpAxes outputs;
    gnp_axes_copy(&outputs, axes);
    Plan p = {
        .kernel = KERNEL_FINISH, .sum = first->sum, .nout = first->nout, .pieces = first->pieces};
    if (first->kernel == KERNEL_TILES) {
        output_axes(t, &outputs, 0);
    }
    p.lanes =
        p.nout >= (int64_t)device->sm_count * BLOCK ? 1 : gnp_power_of_two(p.pieces / 4, BLOCK);
    p.axes = gnp_axes_class(outputs.naxes);
    p.wide = needs_wide_index(&p, &outputs);
    p.nblocks = gnp_ceil_div(p.nout, BLOCK / p.lanes);
    return launch(&p, t, &outputs, sums, t->out.data, device, stream);
}

/* The transposed product: out' = b' a'. */
static void
exchange_sides(GnpProduct *t)
{
    GnpMatrix a = t->a;
    int64_t step = t->out.row, size = t->m;
    t->a = (GnpMatrix){t->b.data, t->b.block, t->b.dtype, t->b.conjugate, t->b.column, t->b.row};
    t->b = (GnpMatrix){a.data, a.block, a.dtype, a.conjugate, a.column, a.row};
    t->out.row = t->out.column;
    t->out.column = step;
    t->m = t->n;
    t->n = size;
    for (int axis = 0; axis < t->batch.naxes; axis++) {
        int64_t *stride = t->batch.stride[axis];
        step = stride[0];
        stride[0] = stride[1];
        stride[1] = step;
    }
}

/* The scratch is released after queueing; its reuse is ordered by the stream. Blocks are
 * recorded as used by product.c. */
int
gnp_product_run(const GnpProduct *product, GnpDevice *device, CUstream stream)
{
    GnpBlock *scratch = NULL; /* owned */
    int ret = -1;
    GnpProduct t = *product;
    GnpAxes axes;
    Plan p = {.sum = gnp_product_sum_dtype(t.loop), .nmatrices = gnp_axes_size(&t.batch)};

    p.nout = t.m * t.n * p.nmatrices;
    int thin = is_thin(&t);
    /* Transposed where that makes a the matrix and b the vector (thin products), or the columns of
     * out contiguous (tiles). */
    if (thin ? t.n > t.m : t.n > 1 && magnitude(t.out.row) < magnitude(t.out.column)) {
        exchange_sides(&t);
    }
    gnp_axes_merge(&t.batch);
    if (thin) {
        plan_thin(&p, &t, &axes, device);
    }
    else {
        plan_tiles(&p, &t, device);
        axes = t.batch;
    }
    if (!p.partial) {
        ret = launch(&p, &t, &axes, t.a.data, t.out.data, device, stream);
        goto fail;
    }
    /* At most 64 MiB, see plan_pieces. */
    int64_t bytes = p.pieces * p.nout * gnp_dtypes[p.sum].bytes;
    GNP_NEW(scratch, gnp_block_new(device, (size_t)bytes, stream));
    GNP_TRY(launch(&p, &t, &axes, t.a.data, scratch->ptr, device, stream));
    GNP_TRY(finish(&p, &t, &axes, scratch->ptr, device, stream));
    ret = 0;
fail:
    gnp_block_release(scratch);
    return ret;
}

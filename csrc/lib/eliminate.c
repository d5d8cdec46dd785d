/* LU factors of stacks by our own kernels: panels of columns, of all matrices at once.
 *
 * A panel is factored by one block per matrix (lu_panel.cu), its row exchanges are applied to the
 * other columns and its rows of U computed (lu_rows.cu), and the product is subtracted from the
 * remaining matrix (lu_update.cu): the right-looking algorithm of LAPACK's getrf. cuBLAS's batched
 * call uses one block per matrix throughout, cuSOLVER computes one matrix after the other. */
#include "lib/small.h"

enum {
    PANEL_BYTES = 128, /* of a row of a panel, which a thread keeps in registers */
    ROWS_BLOCK = 256,
    ROWS_EACH = 4,
    TILE = 64,
    TILE_EACH = 4,
    MOST_TILES = 65535,
};

static unsigned
blocks_for(int32_t size, int32_t each)
{
    return (unsigned)((size + each - 1) / each);
}

/* A block has a thread for each row, so rows are bounded by the largest block; the grid's y and z
 * axes bound the tiles. */
int
gnp_lu_takes(const GnpStack *a)
{
    return a->rows <= GNP_LU_MOST_ROWS && a->columns <= (int64_t)TILE * MOST_TILES &&
           a->count <= INT32_MAX;
}

int
gnp_lu(const GnpStack *a, GnpArray *pivots, GnpArray *info)
{
    const int bytes = (int)gnp_dtypes[a->dtype].bytes, width = PANEL_BYTES / bytes;
    const int32_t rows = (int32_t)a->rows, columns = (int32_t)a->columns;
    const int32_t steps = rows < columns ? rows : columns;
    GnpBlock *moves = NULL; /* owned */
    GnpKernel *kernels[3];  /* panel, rows, update */
    GnpDevice *device;
    int ret = -1;
    GNP_NEW(device, gnp_device_current());
    CUstream stream = gnp_stream_current(device);
    GnpSpec_lu_panel panel = {GNP_SPEC(lu_panel), .T = a->dtype, .WIDTH = width};
    GnpSpec_lu_rows other = {GNP_SPEC(lu_rows), .T = a->dtype, .WIDTH = width, .EACH = ROWS_EACH,
                             .BLOCK = ROWS_BLOCK};
    GnpSpec_lu_update update = {GNP_SPEC(lu_update), .T = a->dtype, .WIDTH = width, .TILE = TILE,
                                .EACH = TILE_EACH};
    GnpSpec *const specs[] = {&panel.head, &other.head, &update.head};
    GNP_TRY(gnp_kernels_find(device, specs, kernels, 3));
    /* For each matrix of the stack, the rows that one panel exchanges: from and to. */
    GNP_NEW(moves,
            gnp_block_new(device, (size_t)a->count * 2 * (size_t)width * sizeof(int32_t), stream));
    CUdeviceptr matrices = a->data, exchanges = pivots->data, flags = info->data, ways = moves->ptr;
    /* Three launches per panel, on one stream, which orders them. */
    for (int32_t first = 0; first < steps; first += width) {
        GnpPanel s = {rows, columns, first, steps - first < width ? steps - first : width, steps};
        const unsigned count = (unsigned)a->count;
        const int32_t below = rows - first - s.width, right = columns - first - s.width;
        void *to_panel[] = {&matrices, &exchanges, &ways, &flags, &s};
        void *to_rows[] = {&matrices, &ways, &s}, *to_update[] = {&matrices, &s};
        const unsigned panels[3] = {count, 1, 1};
        const unsigned threads[3] = {blocks_for(rows - first, 32) * 32, 1, 1};
        GNP_TRY(gnp_launch(kernels[0], panels, threads, 0, stream, to_panel));
        if (columns > s.width) {
            const unsigned a_block = (unsigned)(ROWS_BLOCK / width * ROWS_EACH);
            const unsigned grid[3] = {count,
                                      ((unsigned)(columns - s.width) + a_block - 1) / a_block, 1};
            const unsigned block[3] = {ROWS_BLOCK, 1, 1};
            GNP_TRY(gnp_launch(kernels[1], grid, block, 0, stream, to_rows));
        }
        if (below > 0 && right > 0) {
            const unsigned grid[3] = {count, blocks_for(below, TILE), blocks_for(right, TILE)};
            const unsigned block[3] = {(TILE / TILE_EACH) * (TILE / TILE_EACH), 1, 1};
            GNP_TRY(gnp_launch(kernels[2], grid, block, 0, stream, to_update));
        }
    }
    ret = 0;
fail:
    gnp_block_release(moves);
    return ret;
}

/* Sorting the rows of contiguous memory. Rows that fit into a block's shared memory are sorted
 * there, several to a block; longer ones by a radix sort with one pass over memory for each byte of
 * the key, least significant first, all rows in the same launches. A pass in which all keys agree
 * is skipped, which is decided on the device: nothing waits.
 *
 * The radix sort follows the "onesweep" scheme (Adinets and Merrill, 2022): one histogram pass for
 * all digits, then per digit one pass that ranks within a tile and finds its place by decoupled
 * look-back. Keys are mapped to unsigned integers whose order is that of the type, NaNs last.
 */
#include "select/select.h"

#include <string.h>

enum { ROWS_BLOCK = 256, PASS_BLOCK = 384, HISTOGRAM_BLOCK = 512, RADIX = 256, MOST_PASSES = 16 };

typedef GnpSortTask Task;

/* ---- kernels --------------------------------------------------------------------------------- */

/* Whether to rank with match.sync instead of one vote per bit: the emulated device executes it in
 * one step, on a GPU votes are faster. */
static int
matches(const GnpDevice *device)
{
    return device->prefers_short;
}

/* ---- short rows ------------------------------------------------------------------------------ */

/* The most elements that one block sorts: 32 KiB, and no more than 16 per thread, which are
 * registers. Rows up to here need no scratch memory. */
static int64_t
tile_limit(const Task *t)
{
    int bytes = gnp_dtypes[t->dtype].bytes;
    return bytes <= 4 ? 4096 : bytes == 8 ? 2048 : 1024;
}

/* Several rows share a block where they are short: an extra digit, the row's number, keeps them
 * apart. */
static int
sort_short(const Task *t, GnpDevice *device, CUstream stream)
{
    const int64_t limit = tile_limit(t), most = t->rows * t->n < 2048 ? t->rows * t->n : 2048;
    int64_t tile =
        ROWS_BLOCK * gnp_power_of_two(gnp_ceil_div(t->n > most ? t->n : most, ROWS_BLOCK), 16);
    tile = tile < limit ? tile : limit;
    int64_t together = tile / t->n < RADIX ? tile / t->n : RADIX;
    const int several = together > 1 && t->rows > 1, items = (int)(tile / ROWS_BLOCK);
    const int wants_keys = t->keys != 0, wants_indices = t->indices != 0;
    GnpSpec_sort_rows spec = {GNP_SPEC(sort_rows),
                              .T = t->dtype,
                              .DESCENDING = t->descending,
                              .KEYS = wants_keys,
                              .INDICES = wants_indices,
                              .SEVERAL = several,
                              .ITEMS = items,
                              .MATCH = matches(device),
                              .BLOCK = ROWS_BLOCK};
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel == NULL) {
        return -1;
    }
    together = several ? together : 1;
    const int64_t nblocks = gnp_ceil_div(t->rows, together);
    GnpParams params;
    gnp_params_init(&params, 0);
    gnp_params_add(&params, &t->in, sizeof t->in);
    gnp_params_add(&params, &t->keys, sizeof t->keys);
    gnp_params_add(&params, &t->indices, sizeof t->indices);
    gnp_params_add(&params, &t->rows, sizeof t->rows);
    gnp_params_index(&params, t->n);
    gnp_params_index(&params, together);
    return gnp_launch_blocks(kernel, nblocks, ROWS_BLOCK, stream, params.arg);
}

/* ---- long rows: scratch memory --------------------------------------------------------------- */

/* The struct of kernels/select/sort.cuh. */
typedef struct {
    CUdeviceptr in, keys[2], index[2], indices, values, needed, tickets, counts, state;
    uint64_t n, rows, tiles;
    uint32_t keeps, in_place, digits, first;
    CUdeviceptr above;
} Sort;

typedef struct {
    Sort sort;
    GnpBlock *scratch; /* owned */
    int bytes, wide_count, wide_value, items;
    int64_t cleared; /* bytes at the start of the scratch that must be 0 */
    /* Sizes of counters and positions follow from the row's length. */
} Passes;

/* Parts are aligned to 256 bytes, like allocations. */
static int64_t
take_bytes(int64_t *used, int64_t bytes)
{
    int64_t at = *used;
    *used += (bytes + 255) / 256 * 256;
    return at;
}

/* Elements per thread: about 32 KiB per block, including the positions that move along. */
static int
choose_items(const Passes *p, const Task *t)
{
    if (p->bytes == 16) {
        return 6;
    }
    if (p->bytes == 8 || (t->indices != 0 && p->wide_value)) {
        return 12;
    }
    return 20;
}

/* All scratch is one block. Passes alternate between two buffers; the results' own memory is
 * one of them where it is large enough. Only the first part of the scratch has to be zero:
 * flags, counts and the look-back's state of the first pass. Each pass clears the state that
 * the next one uses. */
static int
passes_begin(Passes *p, const Task *t, GnpDevice *device, CUstream stream)
{
    const int64_t size = t->rows * t->n;
    /* A count of the look-back carries two bits of state, so 32 bits hold rows below 2^30. */
    *p = (Passes){.bytes = gnp_dtypes[t->dtype].bytes,
                  .wide_count = t->n >= (int64_t)1 << 30,
                  .wide_value = t->values != 0 ? t->value_bytes == 8 : t->n > UINT32_MAX};
    p->items = choose_items(p, t);
    const int count_bytes = p->wide_count ? 8 : 4, value_bytes = p->wide_value ? 8 : 4;
    const int64_t tiles = gnp_ceil_div(t->n, (int64_t)PASS_BLOCK * p->items);
    const int64_t states = t->rows * tiles * RADIX * count_bytes;
    const int more = p->bytes > 1, both = p->bytes + value_bytes <= 8;
    int64_t used = 0, index[2] = {-1, -1}, keys[2] = {-1, -1};

    int64_t flags = take_bytes(&used, 3 * MOST_PASSES * 4);
    int64_t counts = take_bytes(&used, t->rows * p->bytes * RADIX * count_bytes);
    int64_t state = used;
    used += states;
    p->cleared = used;
    used += more ? states : 0;
    used = (used + 255) / 256 * 256;
    if (more) {
        keys[1] = take_bytes(&used, size * p->bytes);
    }
    if (t->indices != 0 && more) {
        index[1] = take_bytes(&used, size * value_bytes);
        index[0] =
            t->keys != 0 || both || p->bytes == 16 ? -1 : take_bytes(&used, size * value_bytes);
        keys[0] = t->keys != 0 || p->bytes <= 8 ? -1 : take_bytes(&used, size * p->bytes);
    }
    p->scratch = gnp_block_new(device, (size_t)used, stream);
    if (p->scratch == NULL) {
        return -1;
    }
    const CUdeviceptr base = p->scratch->ptr, result = t->indices;
    p->sort = (Sort){
        .in = t->in,
        .keys = {t->keys != 0   ? t->keys
                 : keys[0] >= 0 ? base + (CUdeviceptr)keys[0]
                                : result + (both ? (CUdeviceptr)(size * value_bytes) : 0),
                 base + (CUdeviceptr)keys[1]},
        .index = {index[0] >= 0 ? base + (CUdeviceptr)index[0] : result,
                  base + (CUdeviceptr)index[1]},
        .indices = result,
        .values = t->values,
        .needed = base + (CUdeviceptr)flags,
        .tickets = base + (CUdeviceptr)flags + 2 * MOST_PASSES * 4,
        .counts = base + (CUdeviceptr)counts,
        .state = base + (CUdeviceptr)state,
        .n = (uint64_t)t->n,
        .rows = (uint64_t)t->rows,
        .tiles = (uint64_t)tiles,
        .keeps = t->keys != 0,
        .in_place = t->keys == t->in,
        .digits = (uint32_t)(t->bits > 0 ? gnp_ceil_div(t->bits - t->first, 8) : p->bytes),
        .first = (uint32_t)t->first,
        .above = t->above,
    };
    return 0;
}

/* ---- long rows: launches --------------------------------------------------------------------- */

/* Counts all digits in one read of the keys. */
static int
launch_histogram(const Passes *p, const Task *t, GnpDevice *device, CUstream stream)
{
    const int64_t row_bytes = t->n * p->bytes;
    const int width = (t->in | (uint64_t)row_bytes) % 16 == 0 ? 16 / p->bytes : 1;
    GnpSpec_sort_histogram spec = {GNP_SPEC(sort_histogram),
                                   .T = t->dtype,
                                   .Count = p->wide_count ? 8 : 4,
                                   .DESCENDING = t->descending,
                                   .WIDTH = width,
                                   .COPIES = p->bytes <= 8 ? 2 : 1,
                                   .ITEMS = 1,
                                   .PART = t->bits > 0,
                                   .BLOCK = HISTOGRAM_BLOCK};
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel == NULL) {
        return -1;
    }
    const int64_t step = (int64_t)HISTOGRAM_BLOCK * width;
    int64_t chunk = gnp_ceil_div(t->n * t->rows, (int64_t)device->sm_count * 8);
    chunk = gnp_ceil_div(chunk > 16384 ? chunk : 16384, step) * step;
    const int64_t chunks = gnp_ceil_div(t->n, chunk), nblocks = chunks * t->rows;
    GnpParams params;
    gnp_params_init(&params, 0);
    gnp_params_add(&params, &p->sort, sizeof p->sort);
    gnp_params_index(&params, chunks);
    gnp_params_add(&params, &chunk, sizeof chunk);
    return gnp_launch_blocks(kernel, nblocks, HISTOGRAM_BLOCK, stream, params.arg);
}

/* Also finds the passes that can be skipped, where one digit has all keys. */
static int
launch_scan(const Passes *p, const Task *t, GnpDevice *device, CUstream stream)
{
    GnpSpec_sort_scan spec = {GNP_SPEC(sort_scan), .Count = p->wide_count ? 8 : 4,
                              .PASSES = p->bytes};
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel == NULL) {
        return -1;
    }
    GnpParams params;
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &p->sort.counts, sizeof p->sort.counts);
    gnp_params_add(&params, &p->sort.needed, sizeof p->sort.needed);
    gnp_params_index(&params, t->n);
    return gnp_launch_blocks(kernel, t->rows * p->bytes, RADIX, stream, params.arg);
}

/* One launch per byte; a skipped pass returns at once. */
static int
launch_passes(const Passes *p, const Task *t, GnpDevice *device, CUstream stream)
{
    const int wants_indices = t->indices != 0;
    const int positions = t->is_narrow ? SORT_PLACES : SORT_POSITIONS;
    const int with = t->is_words ? SORT_WORDS : t->values != 0 ? SORT_VALUES : positions;
    GnpSpec_sort_pass spec = {GNP_SPEC(sort_pass),
                              .T = t->dtype,
                              .Count = p->wide_count ? 8 : 4,
                              .Value = p->wide_value ? 8 : 4,
                              .DESCENDING = t->descending,
                              .INDICES = wants_indices ? with : SORT_ALONE,
                              .ITEMS = p->items,
                              .MATCH = matches(device),
                              .PART = t->bits > 0,
                              .RESIDENT = p->bytes <= 8 && !wants_indices ? 3 : 2,
                              .BLOCK = PASS_BLOCK};
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel == NULL) {
        return -1;
    }
    for (int pass = 0; pass < (int)p->sort.digits; pass++) {
        GnpParams params;
        gnp_params_init(&params, 0);
        gnp_params_add(&params, &p->sort, sizeof p->sort);
        gnp_params_index(&params, pass);
        if (gnp_launch_blocks(kernel, p->sort.tiles * p->sort.rows, PASS_BLOCK, stream,
                              params.arg) < 0) {
            return -1;
        }
    }
    return 0;
}

/* For gnp_ahead_begin. */
typedef struct {
    const Passes *passes;
    const Task *task;
    GnpDevice *device;
} Sorting;

static void
ask_for_others(void *context)
{
    const Sorting *s = context;
    (void)launch_passes(s->passes, s->task, s->device, NULL);
    (void)launch_scan(s->passes, s->task, s->device, NULL);
}

static int
sort_long(const Task *t, GnpDevice *device, CUstream stream)
{
    Passes p = {.scratch = NULL};
    Sorting sorting = {&p, t, device};
    const GnpAhead ahead = {ask_for_others, &sorting}, *before = gnp_ahead_begin(&ahead);
    int ret = -1;
    int64_t tiles = gnp_ceil_div(t->n, (int64_t)PASS_BLOCK * 6);
    /* Before any product is formed that could overflow the grid. */
    if (t->rows > INT32_MAX / MOST_PASSES || tiles > INT32_MAX / t->rows) {
        PyErr_SetString(PyExc_ValueError, "array is too big for one launch");
        goto fail;
    }
    GNP_TRY(passes_begin(&p, t, device, stream));
    CU_TRY_QUEUE(cuMemsetD32Async(p.scratch->ptr, 0, (size_t)p.cleared / 4, stream));
    GNP_TRY(launch_histogram(&p, t, device, stream));
    GNP_TRY(launch_scan(&p, t, device, stream));
    GNP_TRY(launch_passes(&p, t, device, stream));
    ret = 0;
fail:
    gnp_ahead_end(before);
    gnp_block_release(p.scratch);
    return ret;
}

/* An even number of passes ends in the buffer where it began; one-byte types have one pass. */
int
gnp_sort_in_place(GnpDtype dtype, int64_t n)
{
    const Task t = {.dtype = dtype};
    return n <= tile_limit(&t) || gnp_dtypes[dtype].bytes > 1;
}

int
gnp_sort_run(const GnpSortTask *t)
{
    if (t->rows == 0 || t->n == 0) {
        return 0;
    }
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    const int is_short = t->n <= tile_limit(t) && t->values == 0 && !t->is_narrow;
    return is_short ? sort_short(t, device, stream) : sort_long(t, device, stream);
}

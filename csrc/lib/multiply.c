/* Products of matrices by cuBLASLt: which ones, in which layout, and the plans.
 *
 * cuBLAS is column-major with one unit stride per matrix; a row-major result is the transposed
 * product. Operands it cannot read (two strides, another type) are copied first where the product
 * is large enough to pay for it. The algorithm that its heuristics choose for a shape is cached,
 * with the size of its workspace, so a later call is one table lookup and one call. Without the
 * library, and for thin or small products, our own kernels are used. gnp_multiply is the hook
 * gnp_product_library of product/. All state is guarded by the GIL, which is released while the
 * library chooses an algorithm or queues work; `nrunning` keeps plans alive then. */
#include "lib/multiply.h"

#include "lib/lib.h"

#include <stdlib.h>
#include <string.h>

#define RUNNING_PAUSE_NS 50000

enum {
    THIN = 4,       /* up to so many rows or columns the time is that of reading the matrix */
    SKINNY = 16,    /* up to so many, our tiles leave most of the device idle */
    PLANS = 1024,   /* slots, a power of two; when three quarters are used the table is cleared */
    MAX_LOOPS = 64, /* most calls for batches without a common stride */
    MOST_ALIGNMENT = 256, /* of allocated memory */
};
static const uint64_t workspace_bytes = 32u << 20; /* NVIDIA's advice for Hopper */

/* ---- types ----------------------------------------------------------------------------------- */

typedef struct {
    GnpDtype in, out;
    cudaDataType type_in, type_out, scale;
    cublasComputeType_t compute, fast; /* fast: where TF32 is allowed */
    /* As measured on an H200: products of from^3 multiplications or more are faster by the library,
     * and thin ones where takes_thin; matrices of a batch whose sizes are up to `tiny` are faster
     * by our kernels. */
    int from, takes_thin, tiny;
} Kind;

/* In the order of increasing generality; the index is part of a key. */
static const Kind kinds[] = {
    {GNP_F16, GNP_F16, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F,
     160, 1, 32},
    {GNP_BF16, GNP_BF16, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F,
     CUBLAS_COMPUTE_32F, 160, 1, 32},
    {GNP_F32, GNP_F32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F,
     CUBLAS_COMPUTE_32F_FAST_TF32, 320, 0, 32},
    {GNP_F64, GNP_F64, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F,
     144, 1, 20},
    {GNP_C64, GNP_C64, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F,
     CUBLAS_COMPUTE_32F_FAST_TF32, 112, 0, 32},
    {GNP_C128, GNP_C128, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F,
     64, 0, 20},
    {GNP_I8, GNP_I32, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I,
     256, 0, 32},
};

/* A product of bytes may have a result of bytes: it is the int32 result, truncated. */
static const Kind *
kind_of(const GnpProduct *p)
{
    int bytes = p->a.dtype == GNP_I8 && p->b.dtype == GNP_I8;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const Kind *kind = &kinds[i];
        if (p->loop == p->out.dtype && (kind->in != GNP_I8 || bytes) &&
            (kind->out == p->out.dtype || kind->in == p->out.dtype)) {
            return kind;
        }
    }
    return NULL;
}

/* ---- a product as cuBLAS sees it ------------------------------------------------------------- */

/* Everything that the choice of an algorithm depends on; hashed and compared as bytes. */
typedef struct {
    int64_t m, n, k, ld[3]; /* of a, b and out, in elements */
    int64_t count, step[3]; /* of the batch, in elements */
    int32_t trans[2];
    int16_t kind, device;
    uint8_t alignment[4]; /* log2 of the alignment of a, b and out */
    uint32_t fast, unused;
} Key;

_Static_assert(sizeof(Key) == 104, "a key is hashed and compared whole: it has no padding");

static int tf32 = -1; /* guarded by the GIL; -1: not read from the environment yet */

/* -1 only asks. TF32 rounds the inputs of float32 products to 10 bits of mantissa, so it is off
 * unless the user allows it. */
int
gnp_tf32(int set)
{
    int before = tf32 >= 0 ? tf32 : gnp_env_int(GNP_ENV_TF32) != 0;
    tf32 = set >= 0 ? set : before;
    return before;
}

/* Strides may be negative, and their size tells which axis varies fastest. */
static inline int64_t
magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

/* The transposed product: out' = b' a'. */
static void
exchange_sides(GnpProduct *t)
{
    GnpMatrix a = t->a, b = t->b;
    int64_t step = t->out.row, size = t->m;
    t->a = b;
    t->a.row = b.column;
    t->a.column = b.row;
    t->b = a;
    t->b.row = a.column;
    t->b.column = a.row;
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

/* A batch of a with a common b is one product with a taller a; the same for b and a. Fewer and
 * larger products are faster than a batch of small ones. */
static void
merge_batch(GnpProduct *t)
{
    int naxes = 0;
    for (int axis = 0; axis < t->batch.naxes; axis++) {
        const int64_t *stride = t->batch.stride[axis];
        int64_t size = t->batch.shape[axis];
        if (stride[1] == 0 && stride[0] == t->a.row * t->m && stride[2] == t->out.row * t->m) {
            t->m *= size;
            continue;
        }
        if (stride[0] == 0 && stride[1] == t->b.column * t->n &&
            stride[2] == t->out.column * t->n) {
            t->n *= size;
            continue;
        }
        t->batch.shape[naxes] = size;
        memmove(t->batch.stride[naxes], stride, sizeof t->batch.stride[naxes]);
        naxes++;
    }
    t->batch.naxes = naxes;
}

/* Merges batch axes that have a common stride. The longest is cuBLAS's strided batch; each index of
 * the others is a call of its own. */
static void
join_batch(GnpProduct *t)
{
    int naxes = 0, longest = 0;
    for (int axis = 0; axis < t->batch.naxes; axis++) {
        const int64_t *stride = t->batch.stride[axis];
        int64_t size = t->batch.shape[axis];
        const int64_t *inner = naxes > 0 ? t->batch.stride[naxes - 1] : stride;
        int64_t step = naxes > 0 ? t->batch.shape[naxes - 1] : 0;
        if (naxes > 0 && stride[0] == inner[0] * step && stride[1] == inner[1] * step &&
            stride[2] == inner[2] * step) {
            t->batch.shape[naxes - 1] *= size;
            continue;
        }
        t->batch.shape[naxes] = size;
        memmove(t->batch.stride[naxes], stride, sizeof t->batch.stride[naxes]);
        naxes++;
    }
    t->batch.naxes = naxes;
    for (int axis = 1; axis < naxes; axis++) {
        const int64_t *stride = t->batch.stride[axis];
        int forward = stride[0] >= 0 && stride[1] >= 0 && stride[2] >= 0;
        /* The library's batch stride must not be negative. */
        longest = forward && t->batch.shape[axis] > t->batch.shape[longest] ? axis : longest;
    }
    if (longest > 0) {
        int64_t size = t->batch.shape[0], stride[3];
        memcpy(stride, t->batch.stride[0], sizeof stride);
        t->batch.shape[0] = t->batch.shape[longest];
        memcpy(t->batch.stride[0], t->batch.stride[longest], sizeof stride);
        t->batch.shape[longest] = size;
        memcpy(t->batch.stride[longest], stride, sizeof stride);
    }
}

/* The leading dimension of rows x columns elements that are contiguous along rows, or -1. A single
 * column has no stride that matters. */
static int64_t
leading(int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t itemsize)
{
    if (rows > 1 && row != itemsize) {
        return -1;
    }
    if (columns == 1) {
        return rows;
    }
    return column % itemsize == 0 && column / itemsize >= rows ? column / itemsize : -1;
}

/* How cuBLAS reads an operand: 0 with *trans and *ld, or -1 when it cannot. */
static int
read_operand(const GnpMatrix *x, int64_t rows, int64_t columns, int32_t *trans, int64_t *ld)
{
    int64_t itemsize = gnp_dtypes[x->dtype].bytes;
    *ld = leading(x->row, x->column, rows, columns, itemsize);
    *trans = CUBLAS_OP_N;
    if (*ld < 0) {
        *ld = leading(x->column, x->row, columns, rows, itemsize);
        *trans = CUBLAS_OP_T;
    }
    return *ld < 0 ? -1 : 0;
}

/* ---- copies of operands that cuBLAS cannot read ---------------------------------------------- */

/* Replaces an operand by a contiguous copy in the type of `kind`, with the batch axes along which
 * its stride is not 0. Bytes become contiguous along k, as tensor cores read them; other types keep
 * their orientation, so that the copy is coalesced. */
static int
copy_operand(GnpProduct *t, int is_b, const Kind *kind, GnpArray **owner)
{
    const GnpDtype dtype = kind->in;
    GnpMatrix *x = is_b ? &t->b : &t->a;
    const int64_t rows = is_b ? t->k : t->m, columns = is_b ? t->n : t->k;
    int64_t shape[GNP_MAX_DIMS + 2], from[GNP_MAX_DIMS + 2];
    int axis_of[GNP_MAX_DIMS], ndim = 0;
    for (int axis = t->batch.naxes - 1; axis >= 0; axis--) {
        axis_of[axis] = -1;
        if (t->batch.stride[axis][is_b] != 0) {
            axis_of[axis] = ndim;
            shape[ndim] = t->batch.shape[axis];
            from[ndim++] = t->batch.stride[axis][is_b];
        }
    }
    int by_rows = dtype == GNP_I8 ? !is_b : magnitude(x->column) <= magnitude(x->row);
    shape[ndim] = by_rows ? rows : columns;
    from[ndim++] = by_rows ? x->row : x->column;
    shape[ndim] = by_rows ? columns : rows;
    from[ndim++] = by_rows ? x->column : x->row;
    *owner = gnp_array_new(ndim, shape, dtype, 'C');
    if (*owner == NULL) {
        return -1;
    }
    GnpOperand operands[2] = {
        {.data = x->data, .block = x->block, .strides = from, .dtype = x->dtype, .compute = dtype},
        {.data = (*owner)->data,
         .block = (*owner)->block,
         .strides = gnp_strides(*owner),
         .dtype = dtype,
         .compute = dtype},
    };
    if (gnp_elementwise(&gnp_copy_op, operands, ndim, shape) < 0) {
        return -1;
    }
    const int64_t *strides = gnp_strides(*owner);
    for (int axis = 0; axis < t->batch.naxes; axis++) {
        t->batch.stride[axis][is_b] = axis_of[axis] >= 0 ? strides[axis_of[axis]] : 0;
    }
    x->data = (*owner)->data;
    x->block = (*owner)->block;
    x->dtype = dtype;
    x->row = strides[by_rows ? ndim - 2 : ndim - 1];
    x->column = strides[by_rows ? ndim - 1 : ndim - 2];
    return 0;
}

/* ---- plans ----------------------------------------------------------------------------------- */

typedef struct {
    Key key;
    cublasLtMatmulDesc_t desc; /* owned; NULL where the library offers nothing */
    cublasLtMatrixLayout_t layout[3];
    cublasLtMatmulAlgo_t algo;
    size_t workspace;
    int used;
} Plan;

static Plan plans[PLANS]; /* guarded by the GIL */
static int nplans;
static int nrunning; /* products in progress without the GIL: their plans must stay */

/* Only called for plans that no thread runs. Errors of destroying are ignored: the objects are
 * host memory of the library. */
static void
plan_clear(const GnpCublasLt *api, Plan *plan)
{
    for (int i = 0; i < 3; i++) {
        if (plan->layout[i] != NULL) {
            api->cublasLtMatrixLayoutDestroy(plan->layout[i]);
        }
    }
    if (plan->desc != NULL) {
        api->cublasLtMatmulDescDestroy(plan->desc);
    }
    memset(plan, 0, sizeof *plan);
}

/* The three layouts describe a, b and out; out is also C with beta = 0, so it is not read. */
static int
describe(const GnpCublasLt *api, Plan *plan)
{
    const Key *key = &plan->key;
    const Kind *kind = &kinds[key->kind];
    const int64_t sizes[3][2] = {{key->m, key->k}, {key->k, key->n}, {key->m, key->n}};
    cublasComputeType_t compute = key->fast ? kind->fast : kind->compute;
    LIB_TRY(CUBLASLT, api->cublasLtMatmulDescCreate(&plan->desc, compute, kind->scale));
    LIB_TRY(CUBLASLT, api->cublasLtMatmulDescSetAttribute(plan->desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                                          &key->trans[0], sizeof key->trans[0]));
    LIB_TRY(CUBLASLT, api->cublasLtMatmulDescSetAttribute(plan->desc, CUBLASLT_MATMUL_DESC_TRANSB,
                                                          &key->trans[1], sizeof key->trans[1]));
    for (int i = 0; i < 3; i++) {
        int transposed = i < 2 && key->trans[i] != CUBLAS_OP_N;
        int32_t count = (int32_t)key->count;
        LIB_TRY(CUBLASLT,
                api->cublasLtMatrixLayoutCreate(
                    &plan->layout[i], i < 2 ? kind->type_in : kind->type_out,
                    (uint64_t)sizes[i][transposed], (uint64_t)sizes[i][!transposed], key->ld[i]));
        LIB_TRY(CUBLASLT, api->cublasLtMatrixLayoutSetAttribute(plan->layout[i],
                                                                CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                                &count, sizeof count));
        LIB_TRY(CUBLASLT, api->cublasLtMatrixLayoutSetAttribute(
                              plan->layout[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                              &key->step[i], sizeof key->step[i]));
    }
    return 0;
fail:
    return -1;
}

/* Asks the library's heuristics for an algorithm; a plan without a description where there is none.
 */
static int
choose(const GnpCublasLt *api, cublasLtHandle_t handle, Plan *plan)
{
    static const int attribute[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    cublasLtMatmulPreference_t preference = NULL; /* owned */
    cublasLtMatmulHeuristicResult_t found;
    int ret = -1, nfound = 0;
    GNP_TRY(describe(api, plan));
    LIB_TRY(CUBLASLT, api->cublasLtMatmulPreferenceCreate(&preference));
    LIB_TRY(CUBLASLT, api->cublasLtMatmulPreferenceSetAttribute(
                          preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                          sizeof workspace_bytes));
    for (int i = 0; i < 4; i++) {
        uint32_t bytes = 1u << plan->key.alignment[i < 3 ? i : 2];
        LIB_TRY(CUBLASLT, api->cublasLtMatmulPreferenceSetAttribute(preference, attribute[i],
                                                                    &bytes, sizeof bytes));
    }
    int status;
    GNP_CONTEXT_WAIT(status = api->cublasLtMatmulAlgoGetHeuristic(/* it may load code */
                                                                  handle, plan->desc,
                                                                  plan->layout[0], plan->layout[1],
                                                                  plan->layout[2], plan->layout[2],
                                                                  preference, 1, &found, &nfound));
    /* Remembered too, so that the question is not asked again. */
    if (status != 0 || nfound == 0 || found.state != 0) {
        api->cublasLtMatmulDescDestroy(plan->desc);
        plan->desc = NULL;
    }
    else {
        plan->algo = found.algo;
        plan->workspace = found.workspaceSize;
    }
    ret = 0;
fail:
    if (preference != NULL) {
        api->cublasLtMatmulPreferenceDestroy(preference);
    }
    return ret;
}

/* The slot of the key in the table, or the free one where it belongs. Linear probing; the table is
 * never full, see find_plan. */
static size_t
slot_of(const Key *key)
{
    size_t slot = (size_t)gnp_hash64(key, sizeof *key, 0) & (PLANS - 1);
    while (plans[slot].used && memcmp(&plans[slot].key, key, sizeof *key) != 0) {
        slot = (slot + 1) & (PLANS - 1);
    }
    return slot;
}

/* Simpler than evicting from a table with probing, and rare. */
static void
forget_plans(const GnpCublasLt *api)
{
    while (nrunning != 0) {
        gnp_pause_without_gil(RUNNING_PAUSE_NS);
    }
    for (int i = 0; i < PLANS; i++) {
        plan_clear(api, &plans[i]);
    }
    nplans = 0;
}

/* Returns a plan that stays valid while the GIL is held. */
static const Plan *
find_plan(const GnpCublasLt *api, cublasLtHandle_t handle, const Key *key)
{
    size_t slot = slot_of(key);
    if (GNP_LIKELY(plans[slot].used)) {
        return &plans[slot];
    }
    Plan made = {.key = *key};
    if (choose(api, handle, &made) < 0) {
        plan_clear(api, &made);
        return NULL;
    }
    /* choose() gave up the GIL: the table may have changed. */
    if (nplans >= PLANS / 4 * 3) {
        forget_plans(api);
    }
    slot = slot_of(key);
    if (plans[slot].used) { /* another thread was first */
        plan_clear(api, &made);
        return &plans[slot];
    }
    made.used = 1;
    plans[slot] = made;
    nplans++;
    return &plans[slot];
}

/* ---- a call ---------------------------------------------------------------------------------- */

/* The lowest bit that is set in any address or stride. */
static uint8_t
alignment_of(uint64_t bits)
{
    bits |= MOST_ALIGNMENT;
    return (uint8_t)__builtin_ctzll(bits);
}

/* alpha and beta have the type of `scale` and are read on the host. The workspace is released
 * after queueing, and its reuse is ordered behind the product. */
static int
call(const GnpCublasLt *api, cublasLtHandle_t handle, const Plan *plan, const CUdeviceptr at[3],
     GnpDevice *device, CUstream stream)
{
    static const gnp_c128 one = {1.0, 0.0}, zero = {0.0, 0.0};
    static const gnp_c64 one_single = {1.0F, 0.0F};
    static const int32_t one_int = 1;
    cudaDataType scale = kinds[plan->key.kind].scale;
    const void *alpha = scale == CUDA_R_32I                          ? (const void *)&one_int
                        : scale == CUDA_R_32F || scale == CUDA_C_32F ? (const void *)&one_single
                                                                     : (const void *)&one;
    GnpBlock *work = NULL; /* owned */
    int ret = -1;
    void *work_ptr = NULL;
    if (plan->workspace > 0) {
        GNP_NEW(work, gnp_block_new(device, plan->workspace, stream));
        work_ptr = (void *)(uintptr_t)work->ptr;
    }
    const void *a = (const void *)(uintptr_t)at[0], *b = (const void *)(uintptr_t)at[1];
    void *out = (void *)(uintptr_t)at[2];
    LIB_TRY_QUEUE(CUBLASLT, api->cublasLtMatmul(handle, plan->desc, alpha, a, plan->layout[0], b,
                                                plan->layout[1], &zero, out, plan->layout[2], out,
                                                plan->layout[2], &plan->algo, work_ptr,
                                                plan->workspace, stream));
    ret = 0;
fail:
    gnp_block_release(work);
    return ret;
}

/* One call for each index of the batch axes other than cuBLAS's own. Counts through the batch axes
 * like an odometer. */
static int
call_each(const GnpCublasLt *api, cublasLtHandle_t handle, const Plan *plan, const GnpProduct *t,
          GnpDevice *device, CUstream stream)
{
    int64_t at[GNP_MAX_DIMS] = {0};
    for (;;) {
        CUdeviceptr data[3] = {t->a.data, t->b.data, t->out.data};
        for (int axis = 1; axis < t->batch.naxes; axis++) {
            for (int i = 0; i < 3; i++) {
                data[i] += (CUdeviceptr)(at[axis] * t->batch.stride[axis][i]);
            }
        }
        if (call(api, handle, plan, data, device, stream) < 0) {
            return -1;
        }
        int axis = 1;
        while (axis < t->batch.naxes && ++at[axis] == t->batch.shape[axis]) {
            at[axis++] = 0;
        }
        if (axis >= t->batch.naxes) {
            return 0;
        }
    }
}

/* The key of a product whose operands cuBLAS can read; -1 where it cannot. */
static int
make_key(const GnpProduct *t, const Kind *kind, const GnpDevice *device, Key *key)
{
    memset(key, 0, sizeof *key);
    int64_t bytes_in = gnp_dtypes[kind->in].bytes, bytes_out = gnp_dtypes[kind->out].bytes;
    uint64_t bits[3] = {t->a.data, t->b.data, t->out.data};
    key->m = t->m;
    key->n = t->n;
    key->k = t->k;
    key->ld[2] = leading(t->out.row, t->out.column, t->m, t->n, bytes_out);
    if (read_operand(&t->a, t->m, t->k, &key->trans[0], &key->ld[0]) < 0 ||
        read_operand(&t->b, t->k, t->n, &key->trans[1], &key->ld[1]) < 0 || key->ld[2] < 0) {
        return -1;
    }
    key->count = t->batch.naxes > 0 ? t->batch.shape[0] : 1;
    for (int axis = 0; axis < t->batch.naxes; axis++) {
        for (int i = 0; i < 3; i++) {
            int64_t bytes = i < 2 ? bytes_in : bytes_out, stride = t->batch.stride[axis][i];
            if (stride % bytes != 0 || (axis == 0 && stride < 0)) {
                return -1;
            }
            bits[i] |= (uint64_t)stride;
            key->step[i] = axis == 0 ? stride / bytes : key->step[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        key->alignment[i] = alignment_of(bits[i]);
    }
    key->kind = (int16_t)(kind - kinds);
    key->device = (int16_t)device->id;
    key->fast = gnp_tf32(-1) && kind->fast != kind->compute;
    return key->count <= INT32_MAX ? 0 : -1;
}

/* 1 where the batch would need too many calls. */
static int
too_many_calls(const GnpProduct *t)
{
    int64_t calls = 1;
    for (int axis = 1; axis < t->batch.naxes; axis++) {
        calls *= t->batch.shape[axis];
    }
    return calls > MAX_LOOPS;
}

/* Whether our kernels compute a thin product at the memory's bandwidth: few vectors and a matrix
 * that is contiguous along k. For a single vector the library is faster. */
static int
is_read_well(const GnpProduct *p)
{
    if (p->m <= p->n) {
        return p->m == 2 || (p->m <= THIN && magnitude(p->b.row) < magnitude(p->b.column));
    }
    return p->n == 2 || (p->n <= THIN && magnitude(p->a.column) < magnitude(p->a.row));
}

/* Whether cuBLAS is faster here. */
static int
is_worth_it(const GnpProduct *p, const Kind *kind)
{
    int64_t from = (int64_t)kind->from * kind->from * kind->from, tiny = kind->tiny;
    int64_t each = p->m * p->n * p->k, all = each, least = p->m < p->n ? p->m : p->n;
    for (int axis = 0; axis < p->batch.naxes; axis++) {
        all *= p->batch.shape[axis];
    }
    if (p->m == 1 && p->n == 1) {
        return 0; /* with two vectors our kernels reach the memory's bandwidth, cuBLASLt half of it
                   */
    }
    if (all != each && each <= tiny * tiny * tiny) {
        return 0;
    }
    if (least <= THIN && !kind->takes_thin && (is_read_well(p) || kind->in != GNP_F32)) {
        return 0;
    }
    return all >= (least <= SKINNY ? from / 4 : from);
}

/* int8 products run on tensor cores only in the form A^T B with leading dimensions that are
 * multiples of 4 (cuBLAS documentation, cublasLtMatmul). */
static int
is_readable(const GnpProduct *t, int is_b, const Kind *kind)
{
    const GnpMatrix *x = is_b ? &t->b : &t->a;
    int32_t trans;
    int64_t ld;
    if (x->dtype != kind->in ||
        read_operand(x, is_b ? t->k : t->m, is_b ? t->n : t->k, &trans, &ld) < 0) {
        return 0;
    }
    return kind->in != GNP_I8 || (trans == (is_b ? CUBLAS_OP_N : CUBLAS_OP_T) && ld % 4 == 0);
}

/* Returns 1 when done, 0 when our own kernels have to do it, -1 with an exception. */
static int
multiply(const GnpProduct *product, const Kind *kind, GnpDevice *device, CUstream stream)
{
    GnpArray *copies[2] = {NULL, NULL}; /* owned */
    int ret = -1;
    GnpProduct t = *product;
    Key key;
    const GnpCublasLt *api = gnp_cublaslt();
    cublasLtHandle_t handle;
    GNP_NEW(handle, api != NULL ? gnp_cublaslt_handle(device) : NULL);
    GNP_TRY(gnp_queue_room(stream));
    if (t.n > 1 && magnitude(t.out.row) > magnitude(t.out.column)) {
        exchange_sides(&t);
    }
    merge_batch(&t);
    for (int is_b = 0; is_b < 2; is_b++) {
        if (!is_readable(&t, is_b, kind)) {
            GNP_TRY(copy_operand(&t, is_b, kind, &copies[is_b]));
        }
    }
    join_batch(&t);
    /* 0: our own kernels take it. */
    if (make_key(&t, kind, device, &key) < 0 || too_many_calls(&t)) {
        ret = 0;
        goto fail;
    }
    const Plan *plan;
    GNP_NEW(plan, find_plan(api, handle, &key));
    if (plan->desc == NULL) {
        ret = 0;
        goto fail;
    }
    /* Between find_plan and here the GIL is held, so the plan is still there. */
    nrunning++;
    ret = call_each(api, handle, plan, &t, device, stream) < 0 ? -1 : 1;
    nrunning--;
fail:
    Py_XDECREF((PyObject *)copies[0]);
    Py_XDECREF((PyObject *)copies[1]);
    return ret;
}

/* A product of bytes as bytes: computed as int32, of which the low bytes are kept. */
static int
multiply_narrow(const GnpProduct *p, const Kind *kind, GnpDevice *device, CUstream stream)
{
    GnpProduct wide = *p;
    GnpArray *sums = NULL; /* owned */
    int64_t shape[GNP_MAX_DIMS + 2], to[GNP_MAX_DIMS + 2];
    int ndim = 0, ret = -1;
    for (int axis = p->batch.naxes - 1; axis >= 0; axis--) {
        shape[ndim] = p->batch.shape[axis];
        to[ndim++] = p->batch.stride[axis][2];
    }
    shape[ndim] = p->m;
    to[ndim++] = p->out.row;
    shape[ndim] = p->n;
    to[ndim++] = p->out.column;
    GNP_NEW(sums, gnp_array_new(ndim, shape, kind->out, 'C'));
    const int64_t *strides = gnp_strides(sums);
    for (int axis = 0; axis < p->batch.naxes; axis++) {
        wide.batch.stride[axis][2] = strides[p->batch.naxes - 1 - axis];
    }
    wide.out =
        (GnpMatrix){sums->data, sums->block, kind->out, 0, strides[ndim - 2], strides[ndim - 1]};
    wide.loop = kind->out;
    ret = multiply(&wide, kind, device, stream);
    if (ret == 1) {
        GnpOperand operands[2] = {
            {.data = sums->data,
             .block = sums->block,
             .strides = strides,
             .dtype = kind->out,
             .compute = p->out.dtype},
            {.data = p->out.data,
             .block = p->out.block,
             .strides = to,
             .dtype = p->out.dtype,
             .compute = p->out.dtype},
        };
        ret = gnp_elementwise(&gnp_copy_op, operands, ndim, shape) < 0 ? -1 : 1;
    }
fail:
    Py_XDECREF((PyObject *)sums);
    return ret;
}

typedef enum { USE_UNKNOWN, USE_OWN, USE_BEST, USE_LIBRARY } Use;

/* Which code multiplies, by GPUNP_PRODUCTS and whether cuBLASLt is installed. GPUNP_PRODUCTS is
 * read once, at the first product that the library could compute. */
static Use
decide(void)
{
    const char *wanted = gnp_env(GNP_ENV_PRODUCTS);
    if (strcmp(wanted, "own") == 0) {
        return USE_OWN;
    }
    if (gnp_cublaslt() == NULL) {
        PyErr_Clear(); /* our kernels can do it as well, if slower */
        gnp_log(1, "cuBLASLt is not there: products run on gpunp's own kernels");
        return USE_OWN;
    }
    return strcmp(wanted, "library") == 0 ? USE_LIBRARY : USE_BEST;
}

static Use use; /* guarded by the GIL */

/* _products(which): "own", "best" or "library" from now on, overriding the environment; for tests
 * and benchmarks. */
PyObject *
gnp_set_products(PyObject *Py_UNUSED(module), PyObject *which)
{
    static const char *const names[] = {"unknown", "own", "best", "library"};
    for (int i = USE_UNKNOWN; i <= USE_LIBRARY; i++) {
        if (PyUnicode_Check(which) && PyUnicode_CompareWithASCIIString(which, names[i]) == 0) {
            const char *before = names[use];
            use = (Use)i;
            return PyUnicode_FromString(before);
        }
    }
    PyErr_Format(PyExc_ValueError, "products are 'own', 'best' or 'library', not %R", which);
    return NULL;
}

/* None asks without setting. */
PyObject *
gnp_set_tf32(PyObject *Py_UNUSED(module), PyObject *on)
{
    int wanted = on == Py_None ? -1 : PyObject_IsTrue(on);
    if (wanted < 0 && on != Py_None) {
        return NULL;
    }
    return PyBool_FromLong(gnp_tf32(wanted));
}

/* 1: done; 0: the caller uses our kernels; -1: an exception. */
int
gnp_multiply(const GnpProduct *p, GnpDevice *device, CUstream stream)
{
    if (use == USE_OWN || p->a.conjugate || p->b.conjugate) {
        return 0;
    }
    const Kind *kind = kind_of(p);
    if (kind == NULL || (use != USE_LIBRARY && !is_worth_it(p, kind))) {
        return 0;
    }
    if (GNP_UNLIKELY(use == USE_UNKNOWN)) {
        use = decide();
        if (use == USE_OWN) {
            return 0;
        }
    }
    if (kind->in == GNP_I8 && (p->k % 4 != 0 || p->m % 4 != 0 || p->n % 4 != 0)) {
        return 0; /* tensor cores read four bytes at once */
    }
    return p->out.dtype == kind->out ? multiply(p, kind, device, stream)
                                     : multiply_narrow(p, kind, device, stream);
}

/* The emulated cuFFT: plans, their work areas, and putting transforms into a stream.
 *
 * A handle is made, told whether to allocate its own work area, given a shape once, and executed.
 * What is out of order or out of range is refused with the real library's numbers. So is what
 * reaches beyond the memory behind a pointer, where the real library breaks the context. A plan
 * is used by one thread at a time; the table of plans is shared, under `lock`. No other lock is
 * taken while it is held. The execution itself is in fft_execute.c. */
#include "emu/libs/cufft.h"
#include "emu/libs/fft_plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const int version[3] = {12, 0, 0}; /* the interface that is imitated */

/* `area` is what a call uses, `own_area` what the plan has to free. */
typedef struct {
    int is_made, allocates;
    FftShape shape;
    size_t area_bytes;
    CUdeviceptr area, own_area;
    cudaStream_t stream;
} Plan;

enum { NO_PLAN = -1, MAX_PLANS = 16384, REGISTER_LENGTH = 16, AREA_ALIGNMENT = 256 };

static Plan *plans[MAX_PLANS]; /* by handle; guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The real library does not promise more than one thread per handle either; the lock protects the
 * table alone. */
static Plan *
find(cufftHandle handle)
{
    Plan *plan = NULL;
    if (handle >= 0 && handle < MAX_PLANS) {
        pthread_mutex_lock(&lock);
        plan = plans[handle];
        pthread_mutex_unlock(&lock);
    }
    return plan;
}

EXPORT int
cufftGetProperty(libraryPropertyType type, int *value)
{
    return emu_math_property(type, version, value) < 0 ? CUFFT_INVALID_VALUE : CUFFT_SUCCESS;
}

/* Making and destroying plans waits for the device: on a GPU that breaks captures of other threads,
 * and fails. */
static int
breaks_captures(void)
{
    int count;
    emu_math.cuEmuBreakCaptures(&count);
    return count != 0;
}

/* ---- handles --------------------------------------------------------------------------------- */

EXPORT int
cufftCreate(cufftHandle *handle)
{
    if (handle == NULL) {
        return CUFFT_INVALID_VALUE;
    }
    Plan *plan = calloc(1, sizeof *plan);
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < MAX_PLANS && plans[i] != NULL) {
        i++;
    }
    if (plan != NULL && i < MAX_PLANS) {
        plan->allocates = 1;
        plans[i] = plan;
        /* Small numbers, as the real library gives them, the first free one. */
        *handle = i;
        plan = NULL;
    }
    else {
        i = MAX_PLANS;
    }
    pthread_mutex_unlock(&lock);
    free(plan);
    return i < MAX_PLANS ? CUFFT_SUCCESS : CUFFT_ALLOC_FAILED;
}

/* -1 stands for no plan, which the real library accepts. The table's entry goes first, so that
 * no other thread finds a plan that is being freed. */
EXPORT int
cufftDestroy(cufftHandle handle)
{
    if (handle == NO_PLAN) {
        return CUFFT_SUCCESS;
    }
    Plan *plan = find(handle);
    if (plan == NULL) {
        return CUFFT_INVALID_PLAN;
    }
    pthread_mutex_lock(&lock);
    plans[handle] = NULL;
    pthread_mutex_unlock(&lock);
    CUresult code = plan->own_area != 0 ? emu_math.cuMemFree_v2(plan->own_area) : CUDA_SUCCESS;
    free(plan);
    return code == CUDA_SUCCESS && !breaks_captures() ? CUFFT_SUCCESS : CUFFT_INTERNAL_ERROR;
}

/* Has to precede the shape, which allocates. */
EXPORT int
cufftSetAutoAllocation(cufftHandle handle, int allocates)
{
    Plan *plan = find(handle);
    if (plan == NULL) {
        return CUFFT_INVALID_PLAN;
    }
    plan->allocates = allocates != 0;
    return CUFFT_SUCCESS;
}

EXPORT int
cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    Plan *plan = find(handle);
    if (plan == NULL) {
        return CUFFT_INVALID_PLAN;
    }
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

/* Checked at execution: the caller may set another one before. */
EXPORT int
cufftSetWorkArea(cufftHandle handle, void *area)
{
    Plan *plan = find(handle);
    if (plan == NULL) {
        return CUFFT_INVALID_PLAN;
    }
    plan->area = (CUdeviceptr)(uintptr_t)area;
    return CUFFT_SUCCESS;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The real library's numbers have the bit 0x40 in the types of double precision. */
static int
set_type(FftShape *shape, cufftType type)
{
    switch (type) {
    case CUFFT_C2C:
    case CUFFT_Z2Z:
        shape->kind = FFT_C2C;
        break;
    case CUFFT_R2C:
    case CUFFT_D2Z:
        shape->kind = FFT_R2C;
        break;
    case CUFFT_C2R:
    case CUFFT_Z2D:
        shape->kind = FFT_C2R;
        break;
    default:
        return CUFFT_INVALID_TYPE;
    }
    shape->is_double = (type & 0x40) != 0;
    return CUFFT_SUCCESS;
}

/* A real side has n points on its last axis, the half spectrum n / 2 + 1. */
static int
set_lengths(FftShape *shape, int rank, const long long *n, long long batch)
{
    if (rank < 1 || rank > FFT_MAX_RANK || n == NULL) {
        return CUFFT_INVALID_VALUE;
    }
    shape->rank = rank;
    shape->batch = batch;
    shape->in.is_real = shape->kind == FFT_R2C;
    shape->out.is_real = shape->kind == FFT_C2R;
    for (int axis = 0; axis < rank; axis++) {
        if (n[axis] <= 0) {
            return CUFFT_INVALID_SIZE;
        }
        shape->n[axis] = shape->in.shape[axis] = shape->out.shape[axis] = n[axis];
    }
    int64_t half = n[rank - 1] / 2 + 1;
    if (shape->kind == FFT_R2C) {
        shape->out.shape[rank - 1] = half;
    }
    if (shape->kind == FFT_C2R) {
        shape->in.shape[rank - 1] = half;
    }
    return batch > 0 ? CUFFT_SUCCESS : CUFFT_INVALID_SIZE;
}

/* The advanced layout: element [b][x][y][z] of a side lies at
 * b * distance + ((x * embed[1] + y) * embed[2] + z) * stride. Without `embed` it is the side's own
 * shape in C order, one after the other. Rows that overlap are refused, which the real library does
 * not notice. */
static int
set_side(const FftShape *shape, FftSide *side, const long long *embed, long long stride,
         long long distance)
{
    int64_t step = embed != NULL ? stride : 1;
    if (step <= 0) {
        return CUFFT_INVALID_VALUE;
    }
    for (int axis = shape->rank - 1; axis >= 0; axis--) {
        int64_t rows = embed != NULL ? embed[axis] : side->shape[axis];
        side->stride[axis] = step;
        if (axis > 0 && rows < side->shape[axis]) {
            return CUFFT_INVALID_VALUE;
        }
        if (__builtin_mul_overflow(step, rows, &step)) {
            return CUFFT_INVALID_SIZE;
        }
    }
    side->distance = embed != NULL ? distance : step;
    return side->distance <= 0 ? CUFFT_INVALID_VALUE : CUFFT_SUCCESS;
}

/* None where a transform fits into registers; else what one pass writes for another to read. */
static size_t
area_bytes(const FftShape *shape)
{
    int64_t total = 1, longest = 1;
    for (int axis = 0; axis < shape->rank; axis++) {
        total *= shape->n[axis];
        longest = shape->n[axis] > longest ? shape->n[axis] : longest;
    }
    return longest <= REGISTER_LENGTH ? 0 : (size_t)(total * (shape->is_double ? 16 : 8));
}

/* A handle gets a shape once; the checks are in the order of the real library's. */
EXPORT int
cufftMakePlanMany64(cufftHandle handle, int rank, long long *n, long long *inembed,
                    long long istride, long long idist, long long *onembed, long long ostride,
                    long long odist, cufftType type, long long batch, size_t *work_bytes)
{
    Plan *plan = find(handle);
    FftShape shape = {.is_basic = inembed == NULL};
    if (plan == NULL || plan->is_made) {
        return CUFFT_INVALID_PLAN;
    }
    if (work_bytes == NULL || (inembed == NULL) != (onembed == NULL)) {
        return CUFFT_INVALID_VALUE;
    }
    int status = set_type(&shape, type);
    if (status == CUFFT_SUCCESS) {
        status = set_lengths(&shape, rank, n, batch);
    }
    if (status == CUFFT_SUCCESS) {
        status = set_side(&shape, &shape.in, shape.is_basic ? NULL : inembed, istride, idist);
    }
    if (status == CUFFT_SUCCESS) {
        status = set_side(&shape, &shape.out, shape.is_basic ? NULL : onembed, ostride, odist);
    }
    if (status != CUFFT_SUCCESS) {
        return status;
    }
    if (breaks_captures()) {
        return CUFFT_INTERNAL_ERROR;
    }
    plan->area_bytes = area_bytes(&shape);
    if (plan->allocates && plan->area_bytes != 0) {
        if (emu_math.cuMemAlloc_v2(&plan->own_area, plan->area_bytes) != CUDA_SUCCESS) {
            return CUFFT_ALLOC_FAILED;
        }
        plan->area = plan->own_area;
    }
    plan->shape = shape;
    plan->is_made = 1;
    *work_bytes = plan->area_bytes;
    return CUFFT_SUCCESS;
}

/* ---- execution ------------------------------------------------------------------------------- */

/* What the work needs, as a copy. */
typedef struct {
    FftShape shape;
    int sign;
    void *in, *out, *area;
    size_t area_bytes;
} Call;

/* The checks see a side as one piece of memory, which it is but for gaps that strides leave. */
static void
tell(const FftShape *shape, const FftSide *side, const void *address, int writes)
{
    emu_math.cuEmuDeviceAccess(address, (size_t)fft_side_bytes(shape, side), writes, "cuFFT");
}

/* In the order of the stream, so with the arguments of the call and not with the plan, which may
 * have changed. */
static void
run(void *arguments)
{
    Call *call = arguments;
    tell(&call->shape, &call->shape.in, call->in, 0);
    tell(&call->shape, &call->shape.out, call->out, 1);
    /* The real kernels leave values of the transform there: a program that shares the memory must
     * see it.
     */
    if (call->area_bytes != 0) {
        memset(call->area, 0xa5, call->area_bytes);
    }
    if (fft_execute(&call->shape, call->sign, call->in, call->out) < 0) {
        emu_math.cuEmuWorkFailed("cuFFT: no host memory for its working space");
    }
}

/* Everything that can be refused is refused here, before it is in the stream: an error in the
 * stream could not be told from another one's. */
EXPORT int
cufftXtExec(cufftHandle handle, void *in, void *out, int direction)
{
    Plan *plan = find(handle);
    if (plan == NULL || !plan->is_made) {
        return CUFFT_INVALID_PLAN;
    }
    Call call = {plan->shape, direction, in, out, (void *)(uintptr_t)plan->area, plan->area_bytes};
    if (in == NULL || out == NULL ||
        (call.shape.kind == FFT_C2C && direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)) {
        return CUFFT_INVALID_VALUE;
    }
    /* In place, rows of reals are padded to the length of their half spectrum. */
    if (in == out && call.shape.is_basic && call.shape.kind != FFT_C2C) {
        fft_pad_reals(&call.shape);
    }
    int64_t unit = call.shape.is_double ? 16 : 8;
    if ((uintptr_t)in % (uintptr_t)unit != 0 || (uintptr_t)out % (uintptr_t)unit != 0) {
        return CUFFT_INVALID_VALUE;
    }
    if (call.area_bytes != 0 && (plan->area == 0 || plan->area % AREA_ALIGNMENT != 0 ||
                                 !emu_math_is_inside(call.area, call.area_bytes))) {
        return CUFFT_NO_WORKSPACE;
    }
    if (!emu_math_is_inside(in, (size_t)fft_side_bytes(&call.shape, &call.shape.in)) ||
        !emu_math_is_inside(out, (size_t)fft_side_bytes(&call.shape, &call.shape.out))) {
        return CUFFT_EXEC_FAILED;
    }
    return emu_math_status(emu_math_enqueue(plan->stream, run, &call, sizeof call),
                           CUFFT_ALLOC_FAILED, CUFFT_EXEC_FAILED);
}

/* Plans of cuFFT, cached per device; the least recently used ones are evicted first.
 *
 * A plan owns no work area: each run borrows one from the pool in stream order, so all plans share
 * the same bytes. A plan that was captured into a graph is never destroyed, since the graph refers
 * to its tables on the device. Everything here is guarded by the GIL. */
#include "lib/fft.h"

#include <stdlib.h>
#include <string.h>

struct GnpFftPlan {
    GnpFftKey key;
    int device_id;
    uint64_t hash;
    cufftHandle handle;
    size_t area_bytes;
    CUstream stream;           /* as last set */
    CUdeviceptr area;          /* as last set */
    int is_kept;               /* a graph refers to it */
    GnpTurn turn;              /* at setting it up and queueing its work */
    int users;                 /* runs in progress: they may release the GIL */
    GnpFftPlan *chain;         /* the next of its bucket, or of `dropped` */
    GnpFftPlan *newer, *older; /* by last use */
};

enum { MAX_DEVICES = 32, NBUCKETS = 256, DEFAULT_PLANS = 128 };

/* The plans of a device: buckets for finding, a list for evicting. The plan of a key may exist
 * twice when two threads made it at the same time. */
typedef struct {
    GnpFftPlan *bucket[NBUCKETS];
    GnpFftPlan *newest, *oldest;
    GnpFftCacheInfo info;
    int is_set_up;
} Cache;

static Cache caches[MAX_DEVICES];
static GnpFftPlan *dropped; /* evicted, to be destroyed */

/* The limits are CuPy's default number of plans, and no limit of bytes, as plans own no area. */
static Cache *
cache_of(int device_id)
{
    Cache *cache = &caches[device_id];
    if (!cache->is_set_up) {
        cache->info.max_plans = DEFAULT_PLANS;
        cache->info.max_bytes = -1;
        cache->is_set_up = 1;
    }
    return cache;
}

/* ---- the list and the buckets ---------------------------------------------------------------- */

static void
unlink_use(Cache *cache, GnpFftPlan *plan)
{
    *(plan->newer != NULL ? &plan->newer->older : &cache->newest) = plan->older;
    *(plan->older != NULL ? &plan->older->newer : &cache->oldest) = plan->newer;
}

static void
link_newest(Cache *cache, GnpFftPlan *plan)
{
    plan->newer = NULL;
    plan->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = plan;
    cache->newest = plan;
}

/* The whole key is compared; gnp_hash64 only selects candidates. */
static GnpFftPlan *
find(Cache *cache, const GnpFftKey *key, uint64_t hash)
{
    GnpFftPlan *plan = cache->bucket[hash % NBUCKETS];
    while (plan != NULL && (plan->hash != hash || memcmp(&plan->key, key, sizeof *key) != 0)) {
        plan = plan->chain;
    }
    return plan;
}

static void
insert(Cache *cache, GnpFftPlan *plan)
{
    GnpFftPlan **bucket = &cache->bucket[plan->hash % NBUCKETS];
    plan->chain = *bucket;
    *bucket = plan;
    link_newest(cache, plan);
    cache->info.plans++;
    cache->info.bytes += (int64_t)plan->area_bytes;
}

/* Takes a plan out of the cache; destroy_dropped() destroys it later. Not destroyed at once, as a
 * thread may be running it without the GIL. */
static void
drop(Cache *cache, GnpFftPlan *plan)
{
    GnpFftPlan **at = &cache->bucket[plan->hash % NBUCKETS];
    while (*at != plan) {
        at = &(*at)->chain;
    }
    *at = plan->chain;
    unlink_use(cache, plan);
    cache->info.plans--;
    cache->info.bytes -= (int64_t)plan->area_bytes;
    plan->chain = dropped;
    dropped = plan;
}

/* Destroying waits for the device, which may wait for a thread that needs the GIL, so the GIL is
 * released; and it breaks captures of other threads, so the caller has made sure that there are
 * none. While this thread captures a stream the driver allows it only in relaxed mode. */
static void
destroy(GnpFftPlan *plan)
{
    const GnpCufft *api = gnp_cufft();
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    int status = 0;
    CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
    GNP_CONTEXT_WAIT(status = api->cufftDestroy(plan->handle));
    CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
    if (status != 0) {
        gnp_log(1, "cufftDestroy: status %d", status);
    }
    free(plan);
}

/* Plans that cannot be destroyed because another thread captures are left for a later call. */
static void
destroy_dropped(void)
{
    GnpFftPlan **at = &dropped;
    while (*at != NULL) {
        GnpFftPlan *plan = *at;
        const int device_id = plan->device_id;
        if (plan->users != 0 || plan->is_kept || gnp_capture_try_suspend(device_id) < 0) {
            at = &plan->chain;
            continue;
        }
        *at = plan->chain;
        destroy(plan);
        gnp_capture_resume(device_id);
        at = &dropped; /* the list may have changed meanwhile */
    }
}

static int
is_over(const GnpFftCacheInfo *info)
{
    return (info->max_plans >= 0 && info->plans > info->max_plans) ||
           (info->max_bytes >= 0 && info->bytes > info->max_bytes);
}

/* Evicts plans down to the limits, except `needed`. From the oldest to the newest. The plan that
 * is needed now stays, whatever its size. */
static void
shrink(Cache *cache, const GnpFftPlan *needed)
{
    GnpFftPlan *plan = cache->oldest;
    while (plan != NULL && is_over(&cache->info)) {
        GnpFftPlan *newer = plan->newer;
        if (plan != needed) {
            drop(cache, plan);
        }
        plan = newer;
    }
}

/* ---- making a plan --------------------------------------------------------------------------- */

/* No automatic work area: gnp_fft_plan_run gives one. */
static int
make(const GnpCufft *api, GnpFftPlan *plan)
{
    GnpFftKey *key = &plan->key;
    long long n[GNP_FFT_RANK], in[GNP_FFT_RANK], out[GNP_FFT_RANK];
    for (int i = 0; i < GNP_FFT_RANK; i++) {
        n[i] = key->n[i];
        in[i] = key->in.embed[i];
        out[i] = key->out.embed[i];
    }
    int status = api->cufftCreate(&plan->handle);
    if (status != 0) {
        return status;
    }
    status = api->cufftSetAutoAllocation(plan->handle, 0);
    if (status == 0) {
        status = api->cufftMakePlanMany64(
            plan->handle, key->rank, n, key->is_basic ? NULL : in, key->in.stride, key->in.distance,
            key->is_basic ? NULL : out, key->out.stride, key->out.distance, key->type, key->batch,
            &plan->area_bytes);
    }
    if (status != 0) {
        api->cufftDestroy(plan->handle);
    }
    return status;
}

/* Making allocates and copies: see destroy(). */
static int
make_beside_captures(const GnpCufft *api, GnpFftPlan *plan)
{
    int status = 0, attempt = 0;
    do {
        CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
        GNP_TRY(gnp_capture_suspend(plan->device_id, "making a plan of cuFFT"));
        CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
        GNP_CONTEXT_WAIT(status = make(api, plan));
        CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
        gnp_capture_resume(plan->device_id);
    } while (status != 0 && gnp_library_retry(GNP_LIBRARY_CUFFT, status, attempt++));
    if (status != 0) {
        return gnp_library_raise(GNP_LIBRARY_CUFFT, status, "cufftMakePlanMany64", __func__);
    }
    return 0;
fail:
    return -1;
}

/* A hit moves the plan to the front. The plan is borrowed: the caller runs it before the GIL is
 * released, see gnp_fft_plan_run. */
GnpFftPlan *
gnp_fft_plan(GnpDevice *device, const GnpFftKey *key)
{
    const GnpCufft *api = gnp_cufft();
    Cache *cache = cache_of(device->id);
    uint64_t hash = gnp_hash64(key, sizeof *key, 0);
    GnpFftPlan *plan = find(cache, key, hash);
    if (GNP_LIKELY(plan != NULL)) {
        cache->info.hits++;
        if (cache->newest != plan) {
            unlink_use(cache, plan);
            link_newest(cache, plan);
        }
        return plan;
    }
    if (api == NULL) {
        return NULL;
    }
    plan = calloc(1, sizeof *plan);
    if (plan == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    cache->info.misses++;
    plan->key = *key;
    plan->device_id = device->id;
    plan->hash = hash;
    if (make_beside_captures(api, plan) < 0) {
        free(plan);
        return NULL;
    }
    insert(cache,
           plan); /* a plan that another thread made meanwhile is older and will be evicted */
    shrink(cache, plan);
    return plan;
}

/* ---- running --------------------------------------------------------------------------------- */

/* A captured plan must never be destroyed, see above. */
static void
note_capture(GnpFftPlan *plan, CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!plan->is_kept && gnp_cu->cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS) {
        plan->is_kept = status != CU_STREAM_CAPTURE_STATUS_NONE;
    }
}

/* Sets the plan up and runs it exclusively: the GIL may be released while its work is queued. A
 * handle has one stream and one work area at a time, so two threads must not set it up at once. */
static int
run_alone(const GnpCufft *api, GnpFftPlan *plan, CUdeviceptr area, CUdeviceptr in, CUdeviceptr out,
          int direction, CUstream stream)
{
    int ret = -1;
    gnp_turn_take(&plan->turn);
    if (plan->area != area) {
        LIB_TRY(CUFFT, api->cufftSetWorkArea(plan->handle, (void *)(uintptr_t)area));
        plan->area = area;
    }
    if (plan->stream != stream) {
        LIB_TRY(CUFFT, api->cufftSetStream(plan->handle, stream));
        plan->stream = stream;
    }
    LIB_TRY_QUEUE(CUFFT, api->cufftXtExec(plan->handle, (void *)(uintptr_t)in,
                                          (void *)(uintptr_t)out, direction));
    ret = 0;
fail:
    gnp_turn_end(&plan->turn);
    return ret;
}

/* The area is released right after queueing; the pool reuses it in stream order. */
int
gnp_fft_plan_run(GnpFftPlan *plan, GnpDevice *device, CUdeviceptr in, CUdeviceptr out,
                 int direction, CUstream stream)
{
    const GnpCufft *api = gnp_cufft();
    GnpBlock *area = NULL; /* owned */
    int ret = -1;
    plan->users++; /* first: waiting for room in the queue gives up the GIL */
    GNP_TRY(gnp_queue_room(stream));
    note_capture(plan, stream);
    if (plan->area_bytes != 0) {
        GNP_NEW(area, gnp_block_new(device, plan->area_bytes, stream));
    }
    ret = run_alone(api, plan, area != NULL ? area->ptr : plan->area, in, out, direction, stream);
fail:
    gnp_block_release(area);
    plan->users--;
    if (GNP_UNLIKELY(dropped != NULL)) {
        destroy_dropped();
    }
    return ret;
}

/* ---- the cache for Python -------------------------------------------------------------------- */

void
gnp_fft_cache_info(int device_id, GnpFftCacheInfo *info)
{
    *info = cache_of(device_id)->info;
}

/* (type, lengths, batch, bytes of work area) of a plan. A plan for Python, for tests and for
 * users who tune the limits. */
static PyObject *
described(const GnpFftPlan *plan)
{
    static const struct {
        int type;
        const char *name;
    } types[] = {{CUFFT_C2C, "C2C"}, {CUFFT_R2C, "R2C"}, {CUFFT_C2R, "C2R"},
                 {CUFFT_Z2Z, "Z2Z"}, {CUFFT_D2Z, "D2Z"}, {CUFFT_Z2D, "Z2D"}};
    const char *name = "";
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        name = types[k].type == plan->key.type ? types[k].name : name;
    }
    PyObject *lengths = gnp_tuple_from_ints(plan->key.rank, plan->key.n); /* stolen below */
    return lengths == NULL ? NULL
                           : Py_BuildValue("(sNLL)", name, lengths, (long long)plan->key.batch,
                                           (long long)plan->area_bytes);
}

PyObject *
gnp_fft_cache_list(int device_id)
{
    PyObject *list = PyList_New(0); /* returned */
    for (const GnpFftPlan *plan = cache_of(device_id)->newest; list != NULL && plan != NULL;
         plan = plan->older) {
        PyObject *item = described(plan); /* owned */
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

void
gnp_fft_cache_limit(int device_id, int64_t max_plans, int64_t max_bytes)
{
    Cache *cache = cache_of(device_id);
    cache->info.max_plans = max_plans;
    cache->info.max_bytes = max_bytes;
    shrink(cache, NULL);
    destroy_dropped();
}

/* Plans in use are destroyed at the end of the run that uses them. */
void
gnp_fft_cache_clear(int device_id)
{
    Cache *cache = cache_of(device_id);
    while (cache->oldest != NULL) {
        drop(cache, cache->oldest);
    }
    cache->info.hits = cache->info.misses = 0;
    destroy_dropped();
}

/* Devices: the driver opened, primary contexts retained, the current device of each thread.
 *
 * Invariant: a GnpDevice is complete before it is published, and lives as long as the process, as
 * its primary context does.
 *
 * gnp_device_current() is on the path of every operation; when nothing has changed it costs a
 * thread-local read and cuCtxGetCurrent. gnp_device_get() opens a device on first use, which takes
 * a fraction of a second and is done without the GIL.
 */
#include "rt/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if PY_VERSION_HEX < 0x030d0000
#define Py_IsFinalizing _Py_IsFinalizing
#endif

_Thread_local GnpThread gnp_thread;
CUstream gnp_default_stream = NULL;
int gnp_forked = 0;

static GnpDevice devices[GNP_MAX_DEVICES]; /* filled under device_lock */
static int opened[GNP_MAX_DEVICES];        /* under device_lock: all but the pool is there */
static int ready[GNP_MAX_DEVICES]; /* published by a release store: readers load it with acquire
                                      order and take no lock */
static int device_total = -1;
static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- opening the driver ---------------------------------------------------------------------- */

enum { GPU_SM_COUNT = 132 }; /* for which GPUNP_PLANS=gpu plans: an H100's or H200's */

/* CUDA does not survive fork(): in the child every handle is invalid, so nothing is freed either
 * (gnp_is_closing), and each entry reports the fork instead of a driver error. */
static void
after_fork_in_child(void)
{
    if (gnp_cuda_driver_if_open() != NULL) {
        gnp_forked = 1;
        gnp_thread.device = NULL;
    }
}

static void
register_fork_handler(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

/* Destructors ask this before each driver call: at that time the driver may have been unloaded by
 * its own exit handlers, and would crash rather than return an error. */
int
gnp_is_closing(void)
{
    return gnp_forked || Py_IsFinalizing();
}

/* Once per process, from whichever operation opens the driver. */
static int
warn_of_fallback(const GnpDriver *driver)
{
    if (driver->fallback[0] == '\0') {
        return 0;
    }
    return gnp_warn(gnp_state.EmulatedDeviceWarning,
                    "no GPU can be used, so gpunp runs on its emulated device, which is slow; "
                    "`python -m gpunp` says why, GPUNP_DEVICE=emulated chooses it without a "
                    "warning, GPUNP_DEVICE=cuda insists on a GPU");
}

/* Opens the driver; 0 or -1 with an exception. Most calls find the pointer set and return. */
static int
open_driver(void)
{
    if (GNP_UNLIKELY(gnp_forked)) {
        return gnp_error_raise_text(
            CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED",
            "CUDA was initialised before this process was forked, and a forked child cannot use "
            "it. Start processes with the 'spawn' method: "
            "multiprocessing.set_start_method('spawn').");
    }
    if (GNP_LIKELY(gnp_cu != NULL)) {
        return 0;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const GnpDriver *driver = NULL;
    GNP_NOGIL(driver = gnp_cuda_driver());
    if (driver == NULL) {
        return gnp_error_raise_text(CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
                                    gnp_cuda_error_text());
    }
    pthread_once(&once, register_fork_handler);
    /* Another thread may have come here while the GIL was released; the first to have it again sets
     * the pointer. Both have the same table. */
    if (gnp_cu == NULL) {
        gnp_cu = &driver->api;
        gnp_log(1, "driver %s, CUDA %d.%d", driver->path, driver->driver_version / 1000,
                driver->driver_version % 1000 / 10);
        return warn_of_fallback(driver);
    }
    return 0;
}

/* The number does not change during a process (CUDA_VISIBLE_DEVICES is read once by the driver), so
 * it is asked for once. Two threads may both ask, with the same answer. */
int
gnp_device_count(int *count)
{
    if (open_driver() < 0) {
        return -1;
    }
    if (device_total < 0) {
        int total = 0;
        CU_TRY(cuDeviceGetCount(&total));
        device_total = total < GNP_MAX_DEVICES ? total : GNP_MAX_DEVICES;
    }
    *count = device_total;
    return 0;
fail:
    return -1;
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* Fills `device` and retains its primary context. The first error code, with the call's name in
 * *call. Runs without the GIL. The primary context is the one that cudart and other libraries use
 * too; retaining it makes pointers and streams exchangeable with theirs. It is never released: at
 * exit the driver does it. */
static CUresult
open_device(GnpDevice *device, int id, const char **call)
{
    static const struct {
        int attribute;
        size_t offset;
    } wanted[] = {
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, offsetof(GnpDevice, sm_count)},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, offsetof(GnpDevice, cc_major)},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, offsetof(GnpDevice, cc_minor)},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, offsetof(GnpDevice, max_shared_bytes)},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
         offsetof(GnpDevice, optin_shared_bytes)},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
         offsetof(GnpDevice, max_threads_per_sm)},
    };
    device->id = id;
    device->emulated = gnp_cuda_driver()->emulated;
    *call = "cuDeviceGet";
    CUresult code = gnp_cu->cuDeviceGet(&device->handle, id);
    for (size_t i = 0; code == 0 && i < sizeof wanted / sizeof wanted[0]; i++) {
        *call = "cuDeviceGetAttribute";
        int *field = (int *)((char *)device + wanted[i].offset);
        code = gnp_cu->cuDeviceGetAttribute(field, wanted[i].attribute, device->handle);
    }
    device->prefers_short = device->emulated && strcmp(gnp_env(GNP_ENV_PLANS), "gpu") != 0;
    if (device->emulated && !device->prefers_short) {
        device->sm_count = GPU_SM_COUNT;
    }
    if (code == 0) {
        *call = "cuDeviceTotalMem_v2";
        code = gnp_cu->cuDeviceTotalMem_v2(&device->total_bytes, device->handle);
    }
    if (code == 0) {
        if (!device->prefers_short) {
            gnp_prewarm(device->cc_major * 10 + device->cc_minor);
        }
        *call = "cuDevicePrimaryCtxRetain";
        code = CU_UNLOCKED(cuDevicePrimaryCtxRetain(&device->context, device->handle));
    }
    return code;
}

/* GPUNP_POOL_LIMIT: bytes, or a percentage of the device's memory; 0 for none. */
static size_t
limit_from_environment(size_t total)
{
    const char *text = gnp_env(GNP_ENV_POOL_LIMIT);
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || !(value > 0)) {
        return 0;
    }
    return *end == '%' ? (size_t)((double)total * value / 100) : (size_t)value;
}

/* Lock order: device_lock is taken without the GIL, and nothing under it takes the GIL. A failure
 * leaves the device unopened, and the next call tries again. What the GIL guards is made by
 * add_pool. */
static CUresult
open_device_once(int id, const char **call)
{
    CUresult code = 0;
    pthread_mutex_lock(&device_lock);
    if (!opened[id]) {
        GnpDevice fresh;
        memset(&fresh, 0, sizeof fresh);
        code = open_device(&fresh, id, call);
        if (code == 0) {
            devices[id] = fresh;
            opened[id] = 1;
        }
    }
    pthread_mutex_unlock(&device_lock);
    return code;
}

/* The device's pool joins the list of all pools, which the GIL guards, as it does the decision who
 * of several threads that opened the device adds it. -1 with an exception. */
static int
add_pool(int id)
{
    GnpDevice *device = &devices[id];
    if (ready[id]) {
        return 0;
    }
    device->pool = gnp_pool_new(device);
    if (device->pool == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    gnp_pool_set_limit(device->pool, limit_from_environment(device->total_bytes));
    /* The device is filled before the flag is set with release order: who sees the flag by an
     * acquire load sees all fields. */
    __atomic_store_n(&ready[id], 1, __ATOMIC_RELEASE);
    return 0;
}

GnpDevice *
gnp_device_if_open(int id)
{
    if (id < 0 || id >= GNP_MAX_DEVICES || !__atomic_load_n(&ready[id], __ATOMIC_ACQUIRE)) {
        return NULL;
    }
    return &devices[id];
}

/* The range is checked only for devices that are not open, on the slow path. */
GnpDevice *
gnp_device_get(int id)
{
    GnpDevice *device = gnp_device_if_open(id);
    int total = 0;
    if (GNP_LIKELY(device != NULL && !gnp_forked)) {
        return device;
    }
    if (gnp_device_count(&total) < 0) {
        return NULL;
    }
    if (id < 0 || id >= total) {
        char call[96];
        PyOS_snprintf(call, sizeof call, "Device(%d); there %s %d, numbered from 0", id,
                      total == 1 ? "is" : "are", total);
        gnp_cuda_raise(CUDA_ERROR_INVALID_DEVICE, call, __func__);
        return NULL;
    }
    CUresult code = 0;
    const char *call = "";
    /* Registered here rather than at import, so that programs that never use the device do not have
     * it. */
    gnp_exit_watch();
    GNP_NOGIL(code = open_device_once(id, &call));
    if (code != 0) {
        gnp_cuda_raise(code, call, __func__);
        return NULL;
    }
    if (add_pool(id) < 0) {
        return NULL;
    }
    gnp_log(1, "device %d, compute capability %d.%d, %d SMs, %zu bytes", id, devices[id].cc_major,
            devices[id].cc_minor, devices[id].sm_count, devices[id].total_bytes);
    return &devices[id];
}

/* ---- the current device ---------------------------------------------------------------------- */

/* Asked first, since it is nearly always current already. */
int
gnp_device_enter(GnpDevice *device)
{
    CUcontext current = NULL;
    CU_TRY(cuCtxGetCurrent(&current));
    if (GNP_UNLIKELY(current != device->context)) {
        CU_TRY(cuCtxSetCurrent(device->context));
    }
    return 0;
fail:
    return -1;
}

/* Also after another library has changed the thread's context: it is set back, and the thread's
 * device stays what the program chose. */
static GnpDevice *
first_current(void)
{
    GnpDevice *device = gnp_device_get(gnp_thread.device_id);
    if (device == NULL || gnp_device_enter(device) < 0) {
        return NULL;
    }
    gnp_thread.device = device;
    return device;
}

GnpDevice *
gnp_device_current(void)
{
    GnpDevice *device = gnp_thread.device;
    CUcontext current = NULL;
    if (GNP_UNLIKELY(device == NULL)) {
        return first_current();
    }
    /* Another library (PyTorch, Numba) may have made another context current in this thread. */
    if (GNP_UNLIKELY(gnp_cu->cuCtxGetCurrent(&current) != 0 || current != device->context)) {
        return first_current();
    }
    return device;
}

/* The id is stored only when the device could be opened: after an error the previous one stays
 * current. */
int
gnp_device_set_current(int id)
{
    GnpDevice *device = gnp_device_get(id);
    if (device == NULL || gnp_device_enter(device) < 0) {
        return -1;
    }
    gnp_thread.device = device;
    gnp_thread.device_id = id;
    return 0;
}

void
gnp_device_restore(int id)
{
    GnpDevice *device = gnp_device_if_open(id);
    gnp_thread.device_id = id;
    gnp_thread.device =
        device != NULL && gnp_cu->cuCtxSetCurrent(device->context) == 0 ? device : NULL;
}

GnpDevice *
gnp_device_for(int id)
{
    return id < 0 ? gnp_device_current() : gnp_device_get(id);
}

void (*gnp_before_work)(void);

/* What follows uses the stream, so recorded work (lazy mode) is launched first, in order. */
CUstream
gnp_stream_current(const GnpDevice *device)
{
    gnp_work_begins();
    return gnp_stream_peek(device);
}

CUstream
gnp_stream_enter(const GnpDevice *device, CUstream stream)
{
    CUstream before = gnp_thread.streams[device->id];
    /* 0 in the thread's table means the default, which need not be the legacy stream. */
    gnp_thread.streams[device->id] =
        stream == NULL && gnp_default_stream != NULL ? CU_STREAM_LEGACY : stream;
    return before;
}

void
gnp_stream_leave(const GnpDevice *device, CUstream before)
{
    gnp_thread.streams[device->id] = before;
}

CUstream
gnp_stream_peek(const GnpDevice *device)
{
    CUstream stream = gnp_thread.streams[device->id];
    return stream != NULL ? stream : gnp_default_stream;
}

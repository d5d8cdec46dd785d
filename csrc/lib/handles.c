/* Handles of the libraries, one per device and thread, with the caller's stream set.
 *
 * A handle is never destroyed: when its thread ends it is kept for the next thread that needs one.
 * Destroying would wait for the device, and at the end of the process the driver may be shut down
 * already.
 *
 * Libraries' handles may be used by one thread at a time, and calls give up the GIL; one for each
 * thread needs no lock. `lock` is taken only when a thread first uses a device or ends.
 */
#include "lib/lib.h"

#include <pthread.h>
#include <stdlib.h>

enum { MAX_DEVICES = 32 };

typedef struct Handles {
    cublasHandle_t cublas;
    cusolverDnHandle_t cusolver;
    CUstream cublas_stream, cusolver_stream; /* as last set */
    struct Handles *next;                    /* link in the list of unused handles */
} Handles;

typedef struct {
    Handles *of_device[MAX_DEVICES];
} Thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `idle` and `key_made` */
static Handles *idle[MAX_DEVICES];
static pthread_key_t key;
static int key_made;
static _Thread_local Thread *this_thread; /* value of the thread-specific key */

/* Runs in the ending thread without the GIL, so no Python here. */
static void
thread_ends(void *object)
{
    Thread *thread = object;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_DEVICES; i++) {
        Handles *handles = thread->of_device[i];
        if (handles != NULL) {
            handles->next = idle[i];
            idle[i] = handles;
        }
    }
    pthread_mutex_unlock(&lock);
    free(thread);
}

/* The first use in a thread: the handles of a thread that has ended, or empty ones, which are
 * filled when a library is first called. */
static Handles *
find_slow(int device_id)
{
    pthread_mutex_lock(&lock);
    if (!key_made) {
        key_made = pthread_key_create(&key, thread_ends) == 0;
    }
    if (this_thread == NULL && key_made) {
        this_thread = calloc(1, sizeof *this_thread);
        if (this_thread != NULL) {
            pthread_setspecific(key, this_thread);
        }
    }
    Handles *handles = this_thread != NULL ? idle[device_id] : NULL;
    if (handles != NULL) {
        idle[device_id] = handles->next;
    }
    pthread_mutex_unlock(&lock);
    if (this_thread != NULL && handles == NULL) {
        handles = calloc(1, sizeof *handles);
    }
    if (handles == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    this_thread->of_device[device_id] = handles;
    return handles;
}

static inline Handles *
find(const GnpDevice *device)
{
    Handles *handles = this_thread != NULL ? this_thread->of_device[device->id] : NULL;
    return handles != NULL ? handles : find_slow(device->id);
}

cublasHandle_t
gnp_cublas_handle(const GnpDevice *device, CUstream stream)
{
    const GnpCublas *api = gnp_cublas();
    Handles *handles = api != NULL ? find(device) : NULL;
    if (handles == NULL || gnp_queue_room(stream) < 0) {
        return NULL;
    }
    if (handles->cublas == NULL) {
        LIB_TRY_NOGIL(CUBLAS, api->cublasCreate_v2(&handles->cublas));
        /* A new handle uses the legacy default stream. */
        handles->cublas_stream = NULL;
    }
    if (handles->cublas_stream != stream) {
        LIB_TRY(CUBLAS, api->cublasSetStream_v2(handles->cublas, stream));
        handles->cublas_stream = stream;
    }
    return handles->cublas;
fail:
    return NULL;
}

/* As for cuBLAS. The stream is set only where it changes, since the call costs more than a
 * comparison. */
cusolverDnHandle_t
gnp_cusolver_handle(const GnpDevice *device, CUstream stream)
{
    const GnpCusolver *api = gnp_cusolver();
    Handles *handles = api != NULL ? find(device) : NULL;
    if (handles == NULL || gnp_queue_room(stream) < 0) {
        return NULL;
    }
    if (handles->cusolver == NULL) {
        LIB_TRY_NOGIL(CUSOLVER, api->cusolverDnCreate(&handles->cusolver));
        handles->cusolver_stream = NULL;
    }
    if (handles->cusolver_stream != stream) {
        LIB_TRY(CUSOLVER, api->cusolverDnSetStream(handles->cusolver, stream));
        handles->cusolver_stream = stream;
    }
    return handles->cusolver;
fail:
    return NULL;
}

/* cuBLASLt's handle has no stream and may be shared by threads. */
cublasLtHandle_t
gnp_cublaslt_handle(const GnpDevice *device)
{
    static cublasLtHandle_t made[MAX_DEVICES]; /* guarded by the GIL */
    const GnpCublasLt *api = gnp_cublaslt();
    if (api == NULL) {
        return NULL;
    }
    if (GNP_UNLIKELY(made[device->id] == NULL)) {
        cublasLtHandle_t handle = NULL;
        LIB_TRY_NOGIL(CUBLASLT, api->cublasLtCreate(&handle));
        if (made[device->id] ==
            NULL) { /* else another thread was first, and this one is not needed */
            made[device->id] = handle;
        }
    }
    return made[device->id];
fail:
    return NULL;
}

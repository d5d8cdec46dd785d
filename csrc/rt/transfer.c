/* Host memory to device and back.
 *
 * The driver copies pageable memory with one thread, at a fraction of the bus. Here large copies go
 * in chunks through page-locked buffers: several threads fill (or empty) buffers while the device's
 * copy engine moves others. Each thread owns two buffers; a buffer's event says when the device is
 * done with it. One staged copy runs at a time; a second one is left to the driver.
 *
 * Small and page-locked memory, the per-thread default stream (whose handle means another stream in
 * another thread) and the emulated device are left to the driver as well.
 *
 * Lock order: `lock` alone, and never with the GIL but for moments. Workers have no Python state.
 * They run as long as the process, asleep between copies, and keep their buffers (4 MiB each).
 */
#include "rt/internal.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

/* Large enough that a copy's fixed cost does not matter, small enough that filling one buffer and
 * moving another overlap early. Below STAGED_FROM waking the workers costs more than it saves. */
#define CHUNK ((size_t)2 << 20)
#define STAGED_FROM ((size_t)4 << 20)
#define DRIVER_STAGES_UP_TO 65536 /* copied by the driver without waiting for the stream */
#define MAX_WORKERS 6
#define BUFFERS 2

typedef struct {
    char *ptr;                       /* CHUNK bytes, page-locked for all devices */
    CUevent events[GNP_MAX_DEVICES]; /* made when first needed there */
    CUevent pending;                 /* one of them while the device uses the buffer, or NULL */
} Buffer;

typedef struct {
    pthread_t thread;
    Buffer buffers[BUFFERS];
} Worker;

/* The staged copy in progress. Fields are written under the lock before the workers are woken,
 * which makes them visible to the workers; the three at the end change meanwhile and are atomic. */
typedef struct {
    int to_device;
    char *host;
    CUdeviceptr device;
    size_t bytes, nchunks;
    CUstream stream;
    const GnpDevice *on;
    size_t next_chunk;
    int cancelled;
    CUresult code;
} Job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the following fields */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static Worker workers[MAX_WORKERS];
static int nworkers; /* running; -1 when none could be started */
static int is_busy;  /* a job is in progress */
static int nactive;  /* workers still at it */
static uint64_t job_number;
static Job job;

static int always_stage; /* for tests on the emulated device */

/* ---- workers --------------------------------------------------------------------------------- */

/* Only the first error is kept: the others usually follow from it. */
static void
fail_job(CUresult code)
{
    CUresult none = 0;
    __atomic_compare_exchange_n(&job.code, &none, code, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __atomic_store_n(&job.cancelled, 1, __ATOMIC_RELAXED);
}

static int
is_cancelled(void)
{
    /* Relaxed: a worker that sees it late copies one more chunk, which does no harm. */
    return __atomic_load_n(&job.cancelled, __ATOMIC_RELAXED);
}

/* Until the device is done with the buffer; polled, so that a cancelled job ends at once. -1 when
 * it was cancelled first; the buffer stays pending then. */
static int
wait_for_buffer(Buffer *buffer)
{
    for (unsigned polls = 0; buffer->pending != NULL; polls++) {
        CUresult code = gnp_cu->cuEventQuery(buffer->pending);
        if (code == CUDA_SUCCESS) {
            buffer->pending = NULL;
            break;
        }
        if (code != CUDA_ERROR_NOT_READY) {
            buffer->pending = NULL;
            fail_job(code);
        }
        if (is_cancelled()) {
            return -1;
        }
        /* The device needs some 50 us for a chunk: yielding catches that; sleeping is for a device
         * that is busy with other work. */
        if (polls < 1000) {
            sched_yield();
        }
        else {
            struct timespec t = {0, 100000};
            nanosleep(&t, NULL);
        }
    }
    return 0;
}

/* Buffers and events are made when a copy first needs them. */
static int
prepare_buffer(Buffer *buffer)
{
    CUresult code = 0;
    CUevent *event = &buffer->events[job.on->id];
    if (buffer->ptr == NULL) {
        code = CU_UNLOCKED(cuMemHostAlloc((void **)&buffer->ptr, CHUNK, CU_MEMHOSTALLOC_PORTABLE));
    }
    if (code == 0 && *event == NULL) {
        code = gnp_cu->cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
    }
    if (code != 0) {
        fail_job(code);
        return -1;
    }
    return wait_for_buffer(buffer);
}

/* Queues the device's part of one chunk and marks the buffer. Chunks of one copy may reach the
 * stream in any order. Each goes to its own part of the target. */
static int
queue_chunk(Buffer *buffer, size_t offset, size_t bytes)
{
    CUevent event = buffer->events[job.on->id];
    CUresult code = job.to_device
                        ? gnp_cu->queues.cuMemcpyHtoDAsync_v2(job.device + offset, buffer->ptr,
                                                              bytes, job.stream)
                        : gnp_cu->queues.cuMemcpyDtoHAsync_v2(buffer->ptr, job.device + offset,
                                                              bytes, job.stream);
    if (code == 0) {
        code = gnp_cu->queues.cuEventRecord(event, job.stream);
    }
    if (code != 0) {
        fail_job(code);
        return -1;
    }
    buffer->pending = event;
    return 0;
}

/* The next chunk's offset and size; 0 when there is none. The counter only has to give each chunk
 * once, so relaxed order is enough: the job itself was published by the lock. */
static size_t
take_chunk(size_t *offset)
{
    size_t chunk = __atomic_fetch_add(&job.next_chunk, 1, __ATOMIC_RELAXED);
    if (chunk >= job.nchunks || is_cancelled()) {
        return 0;
    }
    *offset = chunk * CHUNK;
    return job.bytes - *offset < CHUNK ? job.bytes - *offset : CHUNK;
}

/* One buffer is filled while the device reads the other. */
static void
upload(Worker *worker)
{
    size_t offset, bytes;
    for (int i = 0; (bytes = take_chunk(&offset)) != 0; i = (i + 1) % BUFFERS) {
        Buffer *buffer = &worker->buffers[i];
        if (prepare_buffer(buffer) < 0) {
            return;
        }
        gnp_copy_streaming(buffer->ptr, job.host + offset, bytes);
        if (queue_chunk(buffer, offset, bytes) < 0) {
            return;
        }
    }
}

/* The device fills one buffer while the thread empties the other. */
static void
download(Worker *worker)
{
    size_t offsets[BUFFERS], sizes[BUFFERS] = {0};
    for (int i = 0, drained = 0; !drained; i = (i + 1) % BUFFERS) {
        Buffer *buffer = &worker->buffers[i];
        if (sizes[i] != 0) {
            if (wait_for_buffer(buffer) < 0) {
                return;
            }
            gnp_copy_streaming(job.host + offsets[i], buffer->ptr, sizes[i]);
        }
        /* The buffer was emptied above, so it can take the next chunk at once. */
        sizes[i] = take_chunk(&offsets[i]);
        if (sizes[i] != 0 &&
            (prepare_buffer(buffer) < 0 || queue_chunk(buffer, offsets[i], sizes[i]) < 0)) {
            return;
        }
        drained = sizes[0] == 0 && sizes[1] == 0;
    }
}

/* `seen` starts at 0 and job numbers at 1: a worker that starts late takes part in the job that
 * started it. It reads `job` without the lock, since it is not written before all have finished. */
static void *
work(void *data)
{
    uint64_t seen = 0;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (job_number == seen) {
            pthread_cond_wait(&wake, &lock);
        }
        seen = job_number;
        pthread_mutex_unlock(&lock);
        CUresult code = gnp_cu->cuCtxSetCurrent(job.on->context);
        if (code != 0) {
            fail_job(code);
        }
        else if (job.to_device) {
            upload(data);
        }
        else {
            download(data);
        }
        pthread_mutex_lock(&lock);
        if (--nactive == 0) { /* the last worker: the caller waits for all of them */
            pthread_cond_broadcast(&finished);
        }
    }
    return NULL;
}

/* Under the lock. Half of the cores: the other half is the program's. Started at the first large
 * copy; when threads cannot be created, the driver copies. */
static int
start_workers(void)
{
    cpu_set_t cores;
    if (nworkers != 0) {
        return nworkers;
    }
    int ncores = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 2;
    int wanted = ncores / 2 < 1 ? 1 : ncores / 2;
    for (int i = 0; i < wanted && i < MAX_WORKERS; i++) {
        if (pthread_create(&workers[nworkers].thread, NULL, work, &workers[nworkers]) != 0) {
            break;
        }
        nworkers++;
    }
    if (nworkers == 0) {
        nworkers = -1;
    }
    return nworkers;
}

/* ---- a staged copy --------------------------------------------------------------------------- */

/* Hands the job to the workers; 0 when they cannot take it. Without the GIL. Returns at once. A
 * second copy meanwhile, by another thread, is refused and goes to the driver. */
static int
begin(const Job *wanted)
{
    int taken = 0;
    pthread_mutex_lock(&lock);
    if (!is_busy && start_workers() > 0) {
        job = *wanted;
        is_busy = 1;
        nactive = nworkers;
        job_number++;
        taken = 1;
        pthread_cond_broadcast(&wake);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

/* Waits at most 50 ms; 1 when the job is done. Without the GIL. A condition variable measures
 * against the real-time clock; a jump of that clock makes one slice shorter or longer, which does
 * no harm. */
static int
wait_a_little(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&lock);
    int status = 0;
    while (nactive != 0 && status != ETIMEDOUT) {
        status = pthread_cond_timedwait(&finished, &lock, &until);
    }
    int done = nactive == 0;
    pthread_mutex_unlock(&lock);
    return done;
}

static CUresult
end(void)
{
    pthread_mutex_lock(&lock);
    CUresult code = job.code;
    is_busy = 0;
    pthread_mutex_unlock(&lock);
    return code;
}

/* 1 when the copy was made, 0 when the workers could not take it, -1 with an exception. After
 * Ctrl-C the workers stop at the next chunk, and are waited for, because they write to the caller's
 * memory. What has been copied by then stays. */
static int
copy_staged(const Job *wanted, const char *function)
{
    int taken = 0, done = 0, interrupted = 0;
    /* The workers may allocate page-locked memory, which waits for the context: no Python function
     * may be pending in a stream then. */
    GNP_CONTEXT_WAIT(taken = begin(wanted));
    if (!taken) {
        return 0;
    }
    while (!done) {
        GNP_NOGIL(done = wait_a_little());
        if (!done && !interrupted && PyErr_CheckSignals() < 0) {
            interrupted = 1;
            __atomic_store_n(&job.cancelled, 1, __ATOMIC_RELAXED);
        }
    }
    CUresult code = end();
    gnp_submissions++;
    if (interrupted) {
        return -1;
    }
    if (code == CUDA_ERROR_OUT_OF_MEMORY) {
        return 0; /* no page-locked memory left: copy everything again by the driver */
    }
    return code == 0 ? 1 : gnp_cuda_raise(code, "staged copy", function);
}

/* On the emulated device both sides are host memory, and its copies are plain ones. */
static int
is_worth_staging(size_t bytes, CUstream stream, const GnpDevice *device)
{
    return bytes >= STAGED_FROM && stream != CU_STREAM_PER_THREAD &&
           (!device->emulated || always_stage);
}

/* 1 for page-locked memory, 0 for other, -1 with an exception: taking one for the other could free
 * memory that the device still reads. The plural call returns 0 for memory unknown to the driver;
 * the singular one treats it as an error, which sanitizers report. */
static int
is_page_locked(const void *host)
{
    unsigned type = 0;
    CUpointer_attribute wanted[1] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
    void *answer[1] = {&type};
    CU_TRY(cuPointerGetAttributes(1, wanted, answer, (CUdeviceptr)(uintptr_t)host));
    return type != 0;
fail:
    return -1;
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* The source may change when this returns: it was read, or copied to a buffer. */
static int
copy_h2d(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
    CUresult code = 0;
    GnpDevice *device = bytes != 0 ? gnp_device_current() : NULL;
    if (device == NULL) {
        return bytes == 0 ? 0 : -1;
    }
    GnpCapture *capture = GNP_UNLIKELY(gnp_captures != NULL) ? gnp_capture_find(stream) : NULL;
    if (capture != NULL) {
        return gnp_capture_upload(capture, dst, src, bytes, stream);
    }
    int locked = is_page_locked(src);
    if (locked < 0) {
        return -1;
    }
    if (!locked && is_worth_staging(bytes, stream, device)) {
        Job wanted = {.to_device = 1,
                      .host = (char *)(uintptr_t)src,
                      .device = dst,
                      .bytes = bytes,
                      .nchunks = (bytes + CHUNK - 1) / CHUNK,
                      .stream = stream,
                      .on = device};
        int status = copy_staged(&wanted, __func__);
        if (status != 0) {
            return status < 0 ? -1 : 0;
        }
    }
    /* The driver waits for the stream before it stages larger copies, and Ctrl-C cannot interrupt
     * it. */
    if (!locked && bytes > DRIVER_STAGES_UP_TO && gnp_wait_stream(stream, __func__) < 0) {
        return -1;
    }
    if (gnp_queue_room(stream) < 0) {
        return -1;
    }
    CU_QUEUE_OR(bytes > DRIVER_STAGES_UP_TO, code, cuMemcpyHtoDAsync_v2(dst, src, bytes, stream));
    if (code != 0) {
        return gnp_cuda_raise(code, "cuMemcpyHtoDAsync_v2", __func__);
    }
    /* Pageable memory has been read when the call returns; page-locked memory has not. */
    return locked ? gnp_wait_stream(stream, __func__) : 0;
}

/* Nothing may be written to `dst` after this returns, also after an error or Ctrl-C: it may be
 * freed then. */
static int
copy_d2h(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    CUresult code = 0;
    GnpDevice *device = bytes != 0 ? gnp_device_current() : NULL;
    if (device == NULL) {
        return bytes == 0 ? 0 : -1;
    }
    if (gnp_capture_check(stream, "a copy to the host") < 0) {
        return -1;
    }
    /* Wait first: the driver's copy to pageable memory would wait uninterruptibly. */
    if (gnp_wait_stream(stream, __func__) < 0) {
        return -1;
    }
    int locked = is_worth_staging(bytes, stream, device) ? is_page_locked(dst) : 1;
    if (locked < 0) {
        return -1;
    }
    if (!locked) {
        Job wanted = {.host = dst,
                      .device = src,
                      .bytes = bytes,
                      .nchunks = (bytes + CHUNK - 1) / CHUNK,
                      .stream = stream,
                      .on = device};
        int status = copy_staged(&wanted, __func__);
        if (status != 0) {
            return status < 0 ? -1 : 0;
        }
    }
    /* Pageable memory: it waits for the stream, into which others may have put more by now. */
    CU_QUEUE_OR(bytes > DRIVER_STAGES_UP_TO || gnp_host_functions_pending(), code,
                cuMemcpyDtoHAsync_v2(dst, src, bytes, stream));
    if (code != 0) {
        return gnp_cuda_raise(code, "cuMemcpyDtoHAsync_v2", __func__);
    }
    return gnp_wait_stream(stream, __func__);
}

int
gnp_copy_h2d(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
    const double begin = gnp_trace_clock();
    int status = copy_h2d(dst, src, bytes, stream);
    gnp_trace_slice("copy to device", begin);
    return status;
}

/* Copies to the host wait by their nature, so allow_synchronize(False) refuses them. */
int
gnp_copy_d2h(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    const double begin = gnp_trace_clock();
    if (gnp_wait_check() < 0) {
        return -1;
    }
    int status = copy_d2h(dst, src, bytes, stream);
    gnp_trace_slice("copy to host", begin);
    return status;
}

static PyObject *
stage_always(PyObject *Py_UNUSED(module), PyObject *flag)
{
    int on = PyObject_IsTrue(flag);
    if (on < 0) {
        return NULL;
    }
    always_stage = on;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_stage_always", stage_always, METH_O,
     "Stage large copies on the emulated device too, as on a GPU (for tests)."},
    {NULL, NULL, 0, NULL},
};

int
gnp_transfer_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

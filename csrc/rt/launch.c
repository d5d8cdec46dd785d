/* Launches: the driver's call, with the logging, tracing and synchronisation that the environment
 * enables.
 *
 * Every kernel of the library goes through gnp_launch() or gnp_launch_special(), with the GIL. The
 * common path is one test of `is_watched` (and of guests, peer.c) and the driver's call; logs,
 * traces and waits are in watched(). A launch returns when it is queued: its errors appear at a
 * later call (exit.c reports those that never do), or here with GPUNP_SYNC=1.
 */
#include "rt/internal.h"

#include <stdio.h>
#include <string.h>

static int is_watched; /* GPUNP_SYNC, GPUNP_DEBUG >= 2 or a trace: launches are observed */
static int is_synchronous;

/* Rare and slow beside gnp_launch(): the GIL is always released, without asking whether the call
 * may wait. */
static CUresult
submit_special(const GnpLaunch *l)
{
    CUlaunchAttribute attribute[2] = {{0}};
    CUlaunchConfig config = {
        .gridDimX = l->grid[0],
        .gridDimY = l->grid[1],
        .gridDimZ = l->grid[2],
        .blockDimX = l->block[0],
        .blockDimY = l->block[1],
        .blockDimZ = l->block[2],
        .sharedMemBytes = l->shared_bytes,
        .hStream = l->stream,
        .attrs = attribute,
    };
    CUresult code;
    if (l->cooperative) {
        attribute[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attribute[config.numAttrs++].value.cooperative = 1;
    }
    if (l->cluster[0] != 0) {
        attribute[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute[config.numAttrs].value.clusterDim.x = l->cluster[0];
        attribute[config.numAttrs].value.clusterDim.y = l->cluster[1];
        attribute[config.numAttrs++].value.clusterDim.z = l->cluster[2];
    }
    GNP_NOGIL(code = gnp_cu->cuLaunchKernelEx(&config, l->kernel->function, l->args, NULL));
    gnp_submissions++;
    return code;
}

/* The GIL is kept, since releasing it would slow down every launch, except while Python functions
 * are queued in streams: the driver could then wait for one of them, which needs the GIL. */
static inline CUresult
submit(const GnpKernel *kernel, const unsigned grid[3], const unsigned block[3],
       unsigned shared_bytes, CUstream stream, void **args)
{
    PyThreadState *saved = GNP_UNLIKELY(gnp_host_functions_pending()) ? PyEval_SaveThread() : NULL;
    CUresult code = gnp_cu->cuLaunchKernel(kernel->function, grid[0], grid[1], grid[2], block[0],
                                           block[1], block[2], shared_bytes, stream, args, NULL);
    if (GNP_UNLIKELY(saved != NULL)) {
        PyEval_RestoreThread(saved);
        gnp_submissions++;
    }
    /* For the messages of sticky errors. The name lives as long as the kernel, which is never
     * freed. */
    gnp_thread.last_kernel = kernel->name;
    return code;
}

/* Noted where it has succeeded, not where the kernel was made: the call may fail and be needed
 * again, and other threads find the kernel while it is made. */
int
gnp_kernel_allow_shared(GnpKernel *kernel, int bytes)
{
    if (GNP_LIKELY(bytes <= kernel->shared_bytes)) {
        return 0;
    }
    CU_TRY_WAIT(cuFuncSetAttribute(kernel->function,
                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes));
    kernel->shared_bytes = bytes;
    return 0;
fail:
    return -1;
}

/* 0, or -1 with the error of the call or, with GPUNP_SYNC, of the work. Work that is captured is
 * not executed now, and a wait would break the capture. */
static int
finish(CUresult code, const char *call, const char *name, CUstream stream)
{
    if (GNP_UNLIKELY(code != 0)) {
        return gnp_cuda_raise(code, call, name);
    }
    return is_synchronous && (gnp_captures == NULL || gnp_capture_find(stream) == NULL)
               ? gnp_wait_stream(stream, name)
               : 0;
}

/* Launch with log, trace and wait. `is_traced` is read once: the GIL may be released below, and a
 * trace begin or end meanwhile. */
static int
watched(const GnpLaunch *l)
{
    const unsigned *grid = l->grid, *block = l->block;
    GnpTraceMark mark;
    char detail[160];
    int is_traced = gnp_tracing;
    if (GNP_UNLIKELY(gnp_thread.guests != 0) &&
        gnp_peer_before_launch(l->kernel->device_id, l->stream) < 0) {
        return -1;
    }
    gnp_log(2, "launch %s grid %u,%u,%u block %u,%u,%u shared %u stream 0x%llx", l->kernel->name,
            grid[0], grid[1], grid[2], block[0], block[1], block[2], l->shared_bytes,
            (unsigned long long)(uintptr_t)l->stream);
    if (is_traced) {
        snprintf(detail, sizeof detail,
                 "\"grid\":\"%u,%u,%u\",\"block\":\"%u,%u,%u\",\"shared\":%u", grid[0], grid[1],
                 grid[2], block[0], block[1], block[2], l->shared_bytes);
        gnp_trace_begin(&mark, l->stream);
    }
    CUresult code = l->cluster != NULL
                        ? submit_special(l)
                        : submit(l->kernel, grid, block, l->shared_bytes, l->stream, l->args);
    gnp_thread.last_kernel = l->kernel->name;
    if (is_traced) {
        gnp_trace_end(&mark, l->kernel->name, detail);
    }
    if (GNP_UNLIKELY(gnp_thread.guests != 0) && code == 0 &&
        gnp_peer_after_launch(l->kernel->device_id, l->stream) < 0) {
        return -1;
    }
    return finish(code, l->cluster != NULL ? "cuLaunchKernelEx" : "cuLaunchKernel", l->kernel->name,
                  l->stream);
}

int
gnp_launch(const GnpKernel *kernel, const unsigned grid[3], const unsigned block[3],
           unsigned shared_bytes, CUstream stream, void **args)
{
    if (GNP_UNLIKELY(gnp_queue_room(stream) < 0)) {
        return -1;
    }
    if (GNP_UNLIKELY(is_watched | (int)gnp_thread.guests)) {
        return watched(&(GnpLaunch){kernel, grid, block, shared_bytes, stream, args, 0, NULL});
    }
    CUresult code = submit(kernel, grid, block, shared_bytes, stream, args);
    return GNP_UNLIKELY(code != 0) ? gnp_cuda_raise(code, "cuLaunchKernel", kernel->name) : 0;
}

int
gnp_launch_special(const GnpLaunch *l)
{
    if (gnp_queue_room(l->stream) < 0) {
        return -1;
    }
    if (is_watched | (int)gnp_thread.guests) {
        return watched(l);
    }
    CUresult code = submit_special(l);
    gnp_thread.last_kernel = l->kernel->name;
    return code != 0 ? gnp_cuda_raise(code, "cuLaunchKernelEx", l->kernel->name) : 0;
}

/* One submission, whatever the number of its nodes; queue.c counts it as one. */
int
gnp_launch_graph(CUgraphExec exec, int nfunctions, CUstream stream)
{
    GnpTraceMark mark;
    CUresult code = 0;
    int is_traced = gnp_tracing;
    if (gnp_queue_room(stream) < 0) {
        return -1;
    }
    if (is_traced) {
        gnp_trace_begin(&mark, stream);
    }
    /* Counted before the launch, since a function may run, and be counted down, before it returns.
     * Once launched they count themselves, whatever happens to the wait in finish(). */
    gnp_host_functions_queued(nfunctions);
    CU_QUEUE(code, cuGraphLaunch(exec, stream));
    if (code != 0) {
        gnp_host_functions_ended(nfunctions);
    }
    if (is_traced) {
        gnp_trace_end(&mark, "graph", NULL);
    }
    gnp_log(2, "launch graph %p stream %p", (void *)exec, (void *)stream);
    return finish(code, "cuGraphLaunch", "Graph.launch", stream);
}

/* Also called when a trace begins or ends. */
void
gnp_launch_settings(void)
{
    is_synchronous = gnp_env_int(GNP_ENV_SYNC) != 0;
    is_watched = is_synchronous || gnp_debug_level >= 2 || gnp_tracing;
}

int
gnp_launch_init(PyObject *Py_UNUSED(module))
{
    gnp_launch_settings();
    return 0;
}

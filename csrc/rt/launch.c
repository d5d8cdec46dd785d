/* Launches: the driver's call, and around it what the environment asks for. */
#include "rt/internal.h"

#include <string.h>

static int is_watched; /* GPUNP_SYNC or GPUNP_DEBUG >= 2: the slow way */
static int is_synchronous;

static int
watched(const GnpKernel *kernel, const unsigned grid[3], const unsigned block[3],
        unsigned shared_bytes, CUstream stream)
{
    gnp_log(2, "launch %s grid %u,%u,%u block %u,%u,%u shared %u stream %p", kernel->name, grid[0],
            grid[1], grid[2], block[0], block[1], block[2], shared_bytes, (void *)stream);
    return is_synchronous && (gnp_captures == NULL || gnp_capture_find(stream) == NULL)
               ? gnp_wait_stream(stream, kernel->name)
               : 0;
}

int
gnp_launch_watch_graph(CUgraphExec exec, CUstream stream)
{
    if (GNP_LIKELY(!is_watched)) {
        return 0;
    }
    gnp_log(2, "launch graph %p stream %p", (void *)exec, (void *)stream);
    return is_synchronous && (gnp_captures == NULL || gnp_capture_find(stream) == NULL)
               ? gnp_wait_stream(stream, "Graph.launch")
               : 0;
}

int
gnp_launch(const GnpKernel *kernel, const unsigned grid[3], const unsigned block[3],
           unsigned shared_bytes, CUstream stream, void **args)
{
    PyThreadState *saved = GNP_UNLIKELY(gnp_host_functions != 0) ? PyEval_SaveThread() : NULL;
    CUresult code = gnp_cu->cuLaunchKernel(kernel->function, grid[0], grid[1], grid[2], block[0],
                                           block[1], block[2], shared_bytes, stream, args, NULL);
    if (GNP_UNLIKELY(saved != NULL)) {
        PyEval_RestoreThread(saved);
    }
    gnp_thread.last_kernel = kernel->name;
    if (GNP_UNLIKELY(code != 0)) {
        return gnp_cuda_raise(code, "cuLaunchKernel", kernel->name);
    }
    return GNP_UNLIKELY(is_watched) ? watched(kernel, grid, block, shared_bytes, stream) : 0;
}

int
gnp_launch_special(const GnpKernel *kernel, const unsigned grid[3], const unsigned block[3],
                   unsigned shared_bytes, CUstream stream, void **args, int cooperative,
                   const unsigned cluster[3])
{
    CUlaunchAttribute attribute[2] = {{0}};
    CUlaunchConfig config = {
        .gridDimX = grid[0],
        .gridDimY = grid[1],
        .gridDimZ = grid[2],
        .blockDimX = block[0],
        .blockDimY = block[1],
        .blockDimZ = block[2],
        .sharedMemBytes = shared_bytes,
        .hStream = stream,
        .attrs = attribute,
    };
    CUresult code;
    if (cooperative) {
        attribute[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attribute[config.numAttrs++].value.cooperative = 1;
    }
    if (cluster[0] != 0) {
        attribute[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute[config.numAttrs].value.clusterDim.x = cluster[0];
        attribute[config.numAttrs].value.clusterDim.y = cluster[1];
        attribute[config.numAttrs++].value.clusterDim.z = cluster[2];
    }
    GNP_NOGIL(code = gnp_cu->cuLaunchKernelEx(&config, kernel->function, args, NULL));
    gnp_thread.last_kernel = kernel->name;
    if (code != 0) {
        return gnp_cuda_raise(code, "cuLaunchKernelEx", kernel->name);
    }
    return is_watched ? watched(kernel, grid, block, shared_bytes, stream) : 0;
}

int
gnp_launch_init(PyObject *Py_UNUSED(module))
{
    is_synchronous = gnp_env_int(GNP_ENV_SYNC) != 0;
    is_watched = is_synchronous || gnp_debug_level >= 2;
    return 0;
}

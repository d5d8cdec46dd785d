/* Work in the order of a stream: a host function with a copy of its arguments.
 *
 * The copy lives until the function has run; one that is captured belongs to the graph and lives
 * as long as the last graph made of it. */
#include "emu/libs/libs.h"

#include <stdlib.h>
#include <string.h>

void *
emu_math_scratch(int64_t count, size_t item_bytes)
{
    size_t bytes = 0;
    void *scratch = NULL;
    /* malloc(0) may return NULL, which is no failure. */
    if (count >= 0 && !__builtin_mul_overflow((size_t)count, item_bytes, &bytes)) {
        scratch = malloc(bytes > 0 ? bytes : 1);
    }
    if (scratch == NULL) {
        emu_math.cuEmuWorkFailed("a library's function: no host memory for its working space");
    }
    return scratch;
}

int
emu_math_is_inside(const void *address, size_t bytes)
{
    CUdeviceptr start = 0, at = (CUdeviceptr)(uintptr_t)address;
    size_t size = 0;
    return emu_math.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at) ==
               CUDA_SUCCESS &&
           emu_math.cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at) ==
               CUDA_SUCCESS &&
           start <= at && bytes <= start + size - at;
}

int
emu_math_is_of_device(const void *address)
{
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)address;
    unsigned type = 0, is_managed = 0;
    return emu_math.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at) ==
               CUDA_SUCCESS &&
           emu_math.cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at) ==
               CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE && !is_managed;
}

typedef struct {
    EmuWork work;
    int is_kept; /* by a graph */
    _Alignas(16) unsigned char arguments[];
} Task;

static void
run(void *object)
{
    Task *task = object;
    /* The context has failed or is being torn down: memory may be gone. */
    int cancelled = 0;
    emu_math.cuEmuIsCancelled(&cancelled);
    if (!cancelled) {
        task->work(task->arguments);
    }
    if (!task->is_kept) {
        free(task);
    }
}

/* Gives the task to the graph a stream is captured into, if it is. */
static CUresult
give_to_graph(CUstream stream, Task *task)
{
    CUstreamCaptureStatus status = 0;
    CUgraph graph = NULL;
    CUuserObject object = NULL;
    CUresult code = emu_math.cuStreamGetCaptureInfo_v2(stream, &status, NULL, &graph, NULL, NULL);
    if (code != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        return code;
    }
    /* The graph frees the task when its last executable has ended. */
    code = emu_math.cuUserObjectCreate(&object, task, free, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (code != CUDA_SUCCESS) {
        return code;
    }
    task->is_kept = 1;
    return emu_math.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
}

CUresult
emu_math_enqueue(CUstream stream, EmuWork work, const void *arguments, size_t bytes)
{
    Task *task = malloc(sizeof *task + bytes);
    if (task == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    task->work = work;
    task->is_kept = 0;
    memcpy(task->arguments, arguments, bytes);
    CUresult code = give_to_graph(stream, task);
    if (code == CUDA_SUCCESS) {
        code = emu_math.cuLaunchHostFunc(stream, run, task);
    }
    /* After the object was made, the task is the graph's even when queueing fails. */
    if (code != CUDA_SUCCESS && !task->is_kept) {
        free(task);
    }
    return code;
}

/* Errors: wrong handles and arguments, broken contexts, injected faults, lookups. */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>

CASE(nothing_works_before_init)
{
    int count;
    CUdeviceptr p;
    const char *text;
    GIVES(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    GIVES(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc_v2(&p, 16));
    OK(cuDriverGetVersion(&count));
    CHECK(count >= 13000 && cuEmuIsEmulated() == 1);
    OK(cuGetErrorName(2, &text));
    CHECK(strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
    OK(cuGetErrorName(0, &text));
    CHECK(strcmp(text, "CUDA_SUCCESS") == 0);
    OK(cuGetErrorString(700, &text));
    CHECK(strstr(text, "illegal memory access") != NULL);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(12345, &text));
    CHECK(text == NULL);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    OK(cuInit(0));
    OK(cuInit(0));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc_v2(&p, 16));
}

CASE(no_device)
{
    GIVES(CUDA_ERROR_NO_DEVICE, cuInit(0)); /* GPUNP_EMU_DEVICES=0 */
    GIVES(CUDA_ERROR_NO_DEVICE, cuInit(0));
}

CASE(device_queries)
{
    start();
    char name[64];
    int value, major, minor;
    size_t bytes;
    CUuuid one;
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strcmp(name, "gpunp emulated device") == 0);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    CHECK(value == 32);
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    CHECK(major == 9 && minor == 0);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CHECK(value == 4);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, 100000, 0));
    GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, 1, 7));
    GIVES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&value, 1));
    OK(cuDeviceTotalMem_v2(&bytes, 0));
    OK(cuDeviceGetUuid_v2(&one, 0));
    OK(cuDeviceGetPCIBusId(name, sizeof name, 0));
    OK(cuDeviceGetByPCIBusId(&value, name));
    CHECK(bytes > 0 && value == 0);
}

CASE(handles_are_recognised)
{
    start_with_kernels();
    char buffer[600] = {0};
    CUevent event;
    CUstream stream;
    CUdeviceptr p = new_zeros(4);
    int n = 1;
    void *params[] = {&p, &n};
    OK(cuEventCreate(&event, 0));
    OK(cuStreamCreate(&stream, 0));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord((CUevent)stream, NULL));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord((CUevent)buffer, NULL));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, (CUstream)event));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize((CUstream)((char *)stream + 8)));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload((CUmodule)twice));
    GIVES(CUDA_ERROR_INVALID_HANDLE,
          cuLaunchKernel((CUfunction)module, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)buffer));
    OK(cuModuleUnload(module));
    GIVES(CUDA_ERROR_INVALID_HANDLE, launch_twice(p, 1, NULL));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
}

CASE(arrays_end_with_their_context)
{
    start();
    CUcontext mine;
    CUarray array;
    CUdeviceptr p;
    CUDA_ARRAY_DESCRIPTOR shape = {.Width = 64, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    char data[256] = {0};
    OK(cuCtxCreate_v2(&mine, 0, 0));
    OK(cuArrayCreate_v2(&array, &shape));
    OK(cuCtxDestroy_v2(mine));
    OK(cuMemAlloc_v2(&p, 256)); /* may have the record of the array's memory */
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor_v2(&shape, array));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoA_v2(array, 0, data, sizeof data));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
    OK(cuMemFree_v2(p));
}

CASE(contexts_and_their_stack)
{
    start();
    CUcontext mine, current;
    CUdevice device;
    CUdeviceptr p;
    unsigned flags;
    int active;
    OK(cuCtxCreate_v2(&mine, CU_CTX_SCHED_YIELD, 0));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == mine);
    OK(cuMemAlloc_v2(&p, 16));
    CHECK(cuEmuLedger(EMU_LIVE_CONTEXTS) == 2);
    OK(cuCtxDestroy_v2(mine)); /* takes its memory along, and leaves the stack */
    CHECK(cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0);
    OK(cuCtxGetCurrent(&current));
    CHECK(current == context);
    OK(cuCtxCreate_v2(&mine, 0, 0));
    OK(cuCtxPushCurrent_v2(mine));
    OK(cuCtxPushCurrent_v2(context));
    OK(cuCtxDestroy_v2(mine));
    OK(cuCtxPopCurrent_v2(&current));
    CHECK(current == context);
    GIVES(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxGetDevice(&device));
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxSetCurrent(NULL));
    OK(cuCtxSetCurrent(NULL));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(context)); /* the primary one */
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 1);
    OK(cuDevicePrimaryCtxRetain(&current, 0));
    CHECK(current == context);
    OK(cuDevicePrimaryCtxRelease_v2(0));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    GIVES(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 0 && cuEmuLedger(EMU_LIVE_CONTEXTS) == 0);
}

CASE(limits)
{
    start();
    size_t value;
    OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    CHECK(value == 1024);
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    CHECK(value == 4096);
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
    GIVES(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2));
    GIVES(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(99, 2));
}

CASE(a_device_fault_is_sticky)
{
    start_with_kernels();
    char text[1024];
    CUdeviceptr p = new_zeros(16), q;
    CUevent event;
    OK(cuEventCreate(&event, 0));
    OK(launch_stray(p + 16)); /* the launch itself succeeds */
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&q, 16));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, launch_twice(p, 4, NULL));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemFree_v2(p));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(NULL));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventRecord(event, NULL));
    CHECK(cuEmuLastFault(text, sizeof text) > 0 && strstr(text, "stray") != NULL);
    OK(cuDevicePrimaryCtxReset_v2(0));
    CHECK(cuEmuLedger(EMU_LIVE_ALLOCATIONS) == 0 && cuEmuLedger(EMU_LIVE_MODULES) == 0);
    start_with_kernels();
    p = new_zeros(4);
    OK(launch_twice(p, 1, NULL));
    CHECK(read_int(p) == 1);
}

CASE(a_misaligned_store)
{
    start_with_kernels();
    OK(launch_stray(new_zeros(16) + 2));
    GIVES(CUDA_ERROR_MISALIGNED_ADDRESS, cuStreamSynchronize(NULL));
}

CASE(shapes_of_launches)
{
    start_with_kernels();
    CUdeviceptr p = new_zeros(4);
    int n = 1;
    void *params[] = {&p, &n};
    const int bad[][7] = {
        {0, 1, 1, 1, 1, 1, 0},     {1, 0, 1, 1, 1, 1, 0},     {1, 1, 1, 0, 1, 1, 0},
        {1, 65536, 1, 1, 1, 1, 0}, {1, 1, 1, 1025, 1, 1, 0},  {1, 1, 1, 64, 32, 1, 0},
        {1, 1, 1, 1, 1, 65, 0},    {1, 1, 1, 1, 1, 1, 50000}, {-2147483647, 1, 1, 1, 1, 1, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const int *b = bad[i];
        GIVES(CUDA_ERROR_INVALID_VALUE,
              cuLaunchKernel(twice, (unsigned)b[0], (unsigned)b[1], (unsigned)b[2], (unsigned)b[3],
                             (unsigned)b[4], (unsigned)b[5], (unsigned)b[6], NULL, params, NULL));
    }
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuFuncSetAttribute(twice, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    OK(cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 50000, NULL, params, NULL));
    GIVES(CUDA_ERROR_INVALID_VALUE,
          cuFuncSetAttribute(twice, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 240000));
    GIVES(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
          cuLaunchCooperativeKernel(twice, 1000, 1, 1, 1024, 1, 1, 0, NULL, params));
    OK(cuLaunchCooperativeKernel(twice, 2, 1, 1, 32, 1, 1, 0, NULL, params));
    OK(cuCtxSynchronize());
}

CASE(packed_parameters)
{
    start_with_kernels();
    struct {
        CUdeviceptr p;
        int n;
    } packed = {new_zeros(8), 2};
    size_t bytes = 12, wrong = 8;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    bytes = sizeof packed; /* with the padding of the struct */
    GIVES(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
          cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    extra[3] = &wrong;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, NULL, NULL, 0};
    CUdeviceptr p = packed.p;
    int n = 2;
    void *params[] = {&p, &n};
    OK(cuLaunchKernelEx(&config, twice, params, NULL));
    p = 0; /* parameters were copied at the call */
    n = 1000;
    CHECK(read_int(packed.p) == 3 && read_int(packed.p + 4) == 3);
}

CASE(modules)
{
    start_with_kernels();
    CUmodule bad;
    CUfunction f;
    CUdeviceptr p;
    size_t bytes, offset;
    unsigned count;
    int value;
    char error[512] = "";
    const char *name;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {error, (void *)sizeof error};
    GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, module, "absent"));
    GIVES(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal_v2(&p, &bytes, module, "absent"));
    OK(cuModuleGetGlobal_v2(&p, &bytes, module, "counter"));
    CHECK(bytes == 4 && read_int(p) == 5);
    OK(cuModuleGetFunctionCount(&count, module));
    CHECK(count == 2);
    OK(cuFuncGetName(&name, twice));
    CHECK(strcmp(name, "twice") == 0);
    OK(cuFuncGetParamInfo(twice, 1, &offset, &bytes));
    CHECK(offset == 8 && bytes == 4);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(twice, 2, &offset, &bytes));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, twice));
    CHECK(value == 1024);
    GIVES(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&bad, "hello"));
    GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU,
          cuModuleLoadDataEx(&bad, "\177ELF\2\1", 2, options, values));
    CHECK(strstr(error, "PTX only") != NULL && (uintptr_t)values[1] == strlen(error));
    values[1] = (void *)sizeof error;
    GIVES(CUDA_ERROR_INVALID_PTX,
          cuModuleLoadDataEx(&bad, ".version 7.0\n.target sm_75\n.visible .entry f( {\n", 2,
                             options, values));
    CHECK(error[0] != '\0');
    GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&bad, "/nonexistent/file.ptx"));
    CHECK(cuEmuLedger(EMU_LIVE_MODULES) == 1);
}

CASE(libraries_and_linking)
{
    start();
    CUlibrary library;
    CUkernel kernel;
    CUlinkState link;
    void *image;
    size_t bytes;
    CUdeviceptr p = new_zeros(4);
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "twice"));
    twice = (CUfunction)kernel;
    OK(launch_twice(p, 1, NULL));
    OK(cuLibraryUnload(library));
    GIVES(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(library));
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, sizeof ptx, "a", 0, NULL,
                        NULL));
    GIVES(
        CUDA_ERROR_NO_BINARY_FOR_GPU,
        cuLinkAddData_v2(link, CU_JIT_INPUT_CUBIN, (void *)(uintptr_t)ptx, 4, "b", 0, NULL, NULL));
    OK(cuLinkComplete(link, &image, &bytes));
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&twice, module, "twice"));
    OK(launch_twice(p, 1, NULL));
    CHECK(read_int(p) == 3);
    CHECK(cuEmuLedger(EMU_LIVE_LIBRARIES) == 0 && cuEmuLedger(EMU_LIVE_LINKS) == 0);
}

static size_t
no_shared(int block)
{
    (void)block;
    return 0;
}

CASE(occupancy)
{
    start_with_kernels();
    int blocks, grid, block;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 256, 0));
    CHECK(blocks >= 1 && blocks <= 8);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 256, 200000));
    CHECK(blocks == 0); /* more than it may ask for */
    OK(cuFuncSetAttribute(twice, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200000));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 256, 200000));
    CHECK(blocks == 1);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, twice, no_shared, 0, 0));
    CHECK(block >= 32 && block <= 1024 && grid >= 4);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, twice, NULL, 0, 100));
    CHECK(block <= 100);
    GIVES(CUDA_ERROR_INVALID_VALUE,
          cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 0, 0));
}

CASE(injected_faults)
{
    start();
    CUdeviceptr p;
    int plan = cuEmuFail("cuMemAlloc_v2", 2, CUDA_ERROR_OUT_OF_MEMORY, EMU_FAIL_ONCE);
    CHECK(plan > 0 && cuEmuFail("cuNothing", 1, 2, EMU_FAIL_ONCE) == 0);
    OK(cuMemAlloc_v2(&p, 16));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, 16));
    OK(cuMemAlloc_v2(&p, 16));
    CHECK(cuEmuFailFired(plan) == 1);
    cuEmuFailClear();
    cuEmuFail("*", 2, CUDA_ERROR_UNKNOWN, EMU_FAIL_AFTER);
    OK(cuMemsetD8_v2(p, 0, 16));
    GIVES(CUDA_ERROR_UNKNOWN, cuMemsetD8_v2(p, 0, 16));
    OK(cuMemFree_v2(p)); /* releases are passed over */
    GIVES(CUDA_ERROR_UNKNOWN, cuMemAlloc_v2(&p, 16));
    cuEmuFailClear();
    OK(cuMemAlloc_v2(&p, 16));
    cuEmuFail("cuMemsetD8Async", 1, CUDA_ERROR_LAUNCH_FAILED, EMU_FAIL_LATE);
    OK(cuMemsetD8Async(p, 0, 16, NULL));
    GIVES(CUDA_ERROR_LAUNCH_FAILED, cuStreamSynchronize(NULL));
    GIVES(CUDA_ERROR_LAUNCH_FAILED, cuMemAlloc_v2(&p, 16));
    CHECK(cuEmuCalls("cuMemAlloc_v2") == 6 && cuEmuCalls("*") > 6);
}

CASE(injected_by_the_environment)
{
    /* GPUNP_EMU_FAIL="cuInit:1=100,once;cuMemAlloc_v2:1=2,after" */
    CUdeviceptr p;
    GIVES(CUDA_ERROR_NO_DEVICE, cuInit(0));
    start();
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, 16));
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, 16));
}

CASE(ledger_names)
{
    for (int kind = 0; kind < EMU_LIVE_KINDS; kind++) {
        CHECK(cuEmuLedgerName(kind) != NULL && cuEmuLedger(kind) == 0);
    }
    CHECK(cuEmuLedgerName(EMU_LIVE_KINDS) == NULL && cuEmuLedger(-1) == 0);
}

CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuTexRefCreate(void);

CASE(entries_by_name)
{
    void *f;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress_v2("cuMemAlloc", &f, 12000, 0, &status));
    CHECK(f == (void *)(uintptr_t)cuMemAlloc_v2 && status == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress_v2("cuEventElapsedTime", &f, 12000, 0, &status));
    CHECK(f == (void *)(uintptr_t)cuEventElapsedTime);
    OK(cuGetProcAddress_v2("cuEventElapsedTime", &f, 13000, 0, &status));
    CHECK(f == (void *)(uintptr_t)cuEventElapsedTime_v2);
    OK(cuGetProcAddress_v2("cuGraphInstantiate", &f, 13000, 0, &status));
    CHECK(f == (void *)(uintptr_t)cuGraphInstantiate_v2);
    OK(cuGetProcAddress_v2("cuMemcpyHtoD", &f, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                           &status));
    CHECK(f == (void *)(uintptr_t)cuMemcpyHtoD_v2_ptds);
    OK(cuGetProcAddress_v2("cuTexRefCreate", &f, 13000, 0, &status));
    CHECK(f == (void *)(uintptr_t)cuTexRefCreate);
    GIVES(CUDA_ERROR_NOT_SUPPORTED, cuTexRefCreate());
    OK(cuGetProcAddress_v2("cuEventElapsedTime", &f, 1000, 0, &status));
    CHECK(f == NULL && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    OK(cuGetProcAddress_v2("cuNothing", &f, 13000, 0, &status));
    CHECK(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    const void *table;
    CUuuid id = {"0123456789abcde"};
    GIVES(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &id));
}

CASE(a_forked_child_is_told)
{
    start();
    CUdeviceptr p = new_zeros(4);
    pid_t child = fork();
    if (child == 0) {
        CUdeviceptr q;
        _exit(cuMemAlloc_v2(&q, 16) == CUDA_ERROR_NOT_INITIALIZED &&
                      cuInit(0) == CUDA_ERROR_NOT_INITIALIZED
                  ? 0
                  : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(read_int(p) == 0);
}

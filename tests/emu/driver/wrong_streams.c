/* Wrong calls: streams, events, capture, stream memory operations. */
#include "wrong.h"

#include <stdatomic.h>

static char page[64];

static void
nothing(void *data)
{
    (void)data;
}

static void
callback(CUstream stream, CUresult status, void *data)
{
    (void)stream, (void)status, (void)data;
}

GROUP(streams)
{
    start();
    CUstream s = new_stream(), t = NULL;
    CUdeviceptr p = memory(64);
    unsigned flags = 0;
    int i = 0;
    CUcontext c = NULL;
    unsigned long long id = 0;
    R(cuStreamCreate(NULL, 0));
    R(cuStreamCreate(&t, 2));
    R(cuStreamCreate(&t, 0xff));
    R(cuStreamCreateWithPriority(NULL, 0, 0));
    R(cuStreamCreateWithPriority(&t, 4, 0));
    R(cuStreamCreateWithPriority(&t, 0, -1000));
    V(cuStreamGetPriority(t, &i), i);
    R(cuStreamCreateWithPriority(&t, 0, 1000));
    V(cuStreamGetPriority(t, &i), i);
    V(cuStreamGetFlags(t, &flags), flags);
    R(cuStreamGetPriority(s, NULL));
    R(cuStreamGetFlags(s, NULL));
    R(cuStreamGetCtx(s, NULL));
    R(cuStreamGetId(s, NULL));
    R(cuStreamGetDevice(s, NULL));
    V(cuStreamGetCtx(s, &c), c == context);
    V(cuStreamGetFlags(s, &flags), flags);
    V(cuStreamGetPriority(NULL, &i), i);
    V(cuStreamGetFlags(NULL, &flags), flags);
    V(cuStreamGetFlags(CU_STREAM_LEGACY, &flags), flags);
    V(cuStreamGetFlags(CU_STREAM_PER_THREAD, &flags), flags);
    V(cuStreamGetCtx(NULL, &c), c == context);
    R(cuStreamGetId(NULL, &id));
    R(cuStreamDestroy_v2(NULL));
    R(cuStreamDestroy_v2(CU_STREAM_LEGACY));
    R(cuStreamDestroy_v2(CU_STREAM_PER_THREAD));
    R(cuStreamQuery(s));
    R(cuStreamQuery(NULL));
    R(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    R(cuStreamWaitEvent(s, NULL, 0));
    R(cuLaunchHostFunc(s, NULL, NULL));
    R(cuStreamAddCallback(s, NULL, NULL, 0));
    R(cuStreamAddCallback(s, callback, NULL, 1));
    R(cuStreamCopyAttributes(s, s));
    R(cuStreamCopyAttributes(s, NULL));
    CUstreamAttrValue value;
    memset(&value, 0, sizeof value);
    R(cuStreamGetAttribute(s, (CUstreamAttrID)99, &value));
    R(cuStreamGetAttribute(s, (CUstreamAttrID)0, &value));
    R(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    R(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
    V(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value), value.priority);
    V(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value), value.syncPolicy);
    R(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    R(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &value));
    R(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value));
    R(cuStreamSetAttribute(s, (CUstreamAttrID)99, &value));
    R(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
    memset(&value, 0, sizeof value);
    value.priority = -3;
    R(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    V(cuStreamGetPriority(s, &i), i);
    value.priority = -1000;
    R(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    V(cuStreamGetPriority(s, &i), i);
    memset(&value, 0, sizeof value);
    value.syncPolicy = (CUsynchronizationPolicy)4;
    R(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    V(cuStreamGetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value), value.syncPolicy);
    value.syncPolicy = (CUsynchronizationPolicy)77;
    R(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    WHEN("stray handle");
    R(cuStreamSynchronize(STRAY(CUstream)));
    R(cuStreamQuery(STRAY(CUstream)));
    R(cuMemsetD8Async(p, 0, 64, STRAY(CUstream)));
    WHEN("destroyed");
    OK(cuStreamDestroy_v2(s));
    R(cuStreamSynchronize(s));
    R(cuStreamQuery(s));
    R(cuMemsetD8Async(p, 0, 64, s));
    R(cuMemAllocAsync(&p, 64, s));
    R(cuStreamGetFlags(s, &flags));
    R(cuStreamDestroy_v2(s));
    R(cuLaunchHostFunc(s, nothing, NULL));
}

GROUP(events)
{
    start();
    CUstream s = new_stream();
    CUevent a = NULL, b = NULL, untimed = NULL;
    float ms = 0;
    R(cuEventCreate(NULL, 0));
    R(cuEventCreate(&a, 8));
    R(cuEventCreate(&a, 0xff));
    OK(cuEventCreate(&a, 0));
    OK(cuEventCreate(&b, 0));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    R(cuEventQuery(a));
    R(cuEventSynchronize(a));
    R(cuStreamWaitEvent(s, a, 0));
    R(cuStreamWaitEvent(s, a, 2));
    R(cuEventElapsedTime(&ms, a, b));
    R(cuEventElapsedTime_v2(&ms, a, b));
    R(cuEventElapsedTime(NULL, a, b));
    OK(cuEventRecord(a, s));
    R(cuEventElapsedTime(&ms, a, b));
    OK(cuEventRecord(b, s));
    OK(cuEventRecord(untimed, s));
    OK(cuStreamSynchronize(s));
    R(cuEventElapsedTime(NULL, a, b));
    R(cuEventElapsedTime_v2(NULL, a, b));
    R(cuEventElapsedTime(&ms, a, b));
    R(cuEventElapsedTime(&ms, b, a));
    R(cuEventElapsedTime(&ms, a, untimed));
    R(cuEventElapsedTime(&ms, a, a));
    R(cuEventElapsedTime_v2(&ms, a, untimed));
    R(cuEventRecordWithFlags(a, s, 2));
    R(cuEventRecordWithFlags(a, s, 0xff));
    R(cuEventRecordWithFlags(a, s, CU_EVENT_RECORD_EXTERNAL));
    R(cuStreamWaitEvent(s, a, CU_EVENT_WAIT_EXTERNAL));
    WHEN("null");
    R(cuEventQuery(NULL));
    R(cuEventSynchronize(NULL));
    R(cuEventDestroy_v2(NULL));
    R(cuEventRecord(NULL, s));
    R(cuEventElapsedTime(&ms, NULL, a));
    R(cuStreamWaitEvent(s, NULL, 0));
    WHEN("destroyed");
    OK(cuEventDestroy_v2(a));
    R(cuEventQuery(a));
    R(cuEventSynchronize(a));
    R(cuEventRecord(a, s));
    R(cuEventElapsedTime(&ms, a, b));
    R(cuStreamWaitEvent(s, a, 0));
    R(cuEventDestroy_v2(a));
    WHEN("another context");
    CUcontext other;
    OK(cuCtxCreate_v2(&other, 0, 0));
    R(cuEventRecord(b, NULL));
    R(cuEventQuery(b));
    R(cuStreamWaitEvent(NULL, b, 0));
}

static atomic_int gate;

static void
hold(void *data)
{
    (void)data;
    while (!gate) {
        usleep(1000);
    }
}

static int callback_codes[12];

static void
calls_within(void *data)
{
    CUdeviceptr p;
    CUstream s;
    int i = 0;
    (void)data;
    callback_codes[i++] = cuMemAlloc_v2(&p, 16);
    callback_codes[i++] = cuStreamCreate(&s, 0);
    callback_codes[i++] = cuCtxSynchronize();
    callback_codes[i++] = cuDeviceGetCount(&(int){0});
    callback_codes[i++] = cuDriverGetVersion(&(int){0});
    callback_codes[i++] = cuGetErrorName((CUresult)1, &(const char *){NULL});
    callback_codes[i++] = cuInit(0);
    callback_codes[i++] = cuCtxGetCurrent(&(CUcontext){NULL});
}

GROUP(pending_work)
{
    start();
    CUstream s = new_stream();
    CUevent a = new_event(0), b = new_event(0);
    float ms = 0;
    OK(cuEventRecord(a, s));
    OK(cuLaunchHostFunc(s, hold, NULL));
    OK(cuEventRecord(b, s));
    R(cuStreamQuery(s));
    R(cuEventQuery(b));
    R(cuEventElapsedTime(&ms, a, b));
    R(cuEventElapsedTime(&ms, b, b));
    R(cuStreamQuery(NULL));
    gate = 1;
    R(cuStreamSynchronize(s));
    R(cuEventQuery(b));
    OK(cuLaunchHostFunc(s, calls_within, NULL));
    OK(cuStreamSynchronize(s));
    WHEN("inside a host function");
    R(callback_codes[0] /* cuMemAlloc_v2 */);
    R(callback_codes[1] /* cuStreamCreate */);
    R(callback_codes[2] /* cuCtxSynchronize */);
    R(callback_codes[3] /* cuDeviceGetCount */);
    R(callback_codes[4] /* cuDriverGetVersion */);
    R(callback_codes[5] /* cuGetErrorName */);
    R(callback_codes[6] /* cuInit */);
    R(callback_codes[7] /* cuCtxGetCurrent */);
}

GROUP(memory_operations)
{
    start();
    CUstream s = new_stream();
    CUdeviceptr p = memory(64);
    CUdeviceptr host = (CUdeviceptr)(uintptr_t)page;
    R(cuStreamWriteValue32_v2(s, 0, 1, 0));
    R(cuStreamWriteValue32_v2(s, p + 1, 1, 0));
    R(cuStreamWriteValue32_v2(s, p + 2, 1, 0));
    R(cuStreamWriteValue32_v2(s, host, 1, 0));
    R(cuStreamWriteValue32_v2(s, p, 1, 2));
    R(cuStreamWriteValue32_v2(s, p, 1, 1));
    R(cuStreamWriteValue32_v2(s, p, 1, 0));
    R(cuStreamWriteValue32_v2(NULL, p, 1, 0));
    R(cuStreamWriteValue64_v2(s, p + 4, 1, 0));
    R(cuStreamWriteValue64_v2(s, p, 1, 0));
    R(cuStreamWaitValue32_v2(s, 0, 1, 0));
    R(cuStreamWaitValue32_v2(s, p + 1, 1, 0));
    R(cuStreamWaitValue32_v2(s, p, 1, 4));
    R(cuStreamWaitValue32_v2(s, p, 1, 0x40000000));
    R(cuStreamWaitValue32_v2(s, p, 1, 1));
    R(cuStreamWaitValue64_v2(s, p + 4, 1, 0));
    R(cuStreamWaitValue64_v2(s, p, 1, 0));
    CUstreamBatchMemOpParams ops[2];
    memset(ops, 0, sizeof ops);
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[0].writeValue.address = p;
    ops[0].writeValue.value = 5;
    ops[1] = ops[0];
    R(cuStreamBatchMemOp_v2(s, 0, ops, 0));
    R(cuStreamBatchMemOp_v2(s, 1, NULL, 0));
    R(cuStreamBatchMemOp_v2(s, 300, ops, 0));
    R(cuStreamBatchMemOp_v2(s, 1, ops, 1));
    R(cuStreamBatchMemOp_v2(s, 2, ops, 0));
    ops[1].writeValue.address = p + 2;
    WHEN("the second misaligned");
    R(cuStreamBatchMemOp_v2(s, 2, ops, 0));
    ops[1].writeValue.address = p;
    ops[1].operation = (CUstreamBatchMemOpType)99;
    WHEN("operation 99");
    R(cuStreamBatchMemOp_v2(s, 2, ops, 0));
    ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
    memset(&ops[1], 0, sizeof ops[1]);
    ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
    WHEN("a barrier");
    R(cuStreamBatchMemOp_v2(s, 2, ops, 0));
    memset(&ops[1], 0, sizeof ops[1]);
    ops[1].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    WHEN("a flush");
    R(cuStreamBatchMemOp_v2(s, 2, ops, 0));
    R(cuStreamSynchronize(s));
}

GROUP(capture)
{
    start();
    CUstream s = new_stream(), t = new_stream(), blocking = NULL;
    CUevent e = new_event(0), f = new_event(0);
    CUgraph g = NULL;
    CUdeviceptr p = memory(64), q = 0;
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    void *host = NULL;
    OK(cuStreamCreate(&blocking, 0));
    R(cuStreamBeginCapture_v2(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    R(cuStreamBeginCapture_v2(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL));
    R(cuStreamBeginCapture_v2(s, (CUstreamCaptureMode)9));
    R(cuStreamEndCapture(s, &g));
    R(cuStreamEndCapture(NULL, &g));
    R(cuStreamIsCapturing(s, NULL));
    V(cuStreamIsCapturing(s, &status), status);
    V(cuStreamIsCapturing(NULL, &status), status);
    R(cuStreamGetCaptureInfo_v2(s, NULL, &id, NULL, NULL, NULL));
    V(cuStreamGetCaptureInfo_v2(s, &status, &id, NULL, NULL, NULL), status);
    R(cuThreadExchangeStreamCaptureMode(NULL));
    mode = (CUstreamCaptureMode)9;
    R(cuThreadExchangeStreamCaptureMode(&mode));
    mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    V(cuThreadExchangeStreamCaptureMode(&mode), mode);
    R(cuStreamUpdateCaptureDependencies(s, NULL, 0, 0));

#define CAPTURE(words, call)                                                                       \
    do {                                                                                           \
        WHEN(words);                                                                               \
        OK(cuStreamBeginCapture_v2(s, mode));                                                      \
        R(call);                                                                                   \
        V(cuStreamIsCapturing(s, &status), status);                                                \
        R(cuStreamEndCapture(s, &g));                                                              \
    } while (0)
    mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    CAPTURE("global", cuMemAlloc_v2(&q, 64));
    CAPTURE("global", cuMemFree_v2(0));
    CAPTURE("global", cuMemFree_v2(q));
    CAPTURE("global", cuMemHostAlloc(&host, 64, 0));
    CAPTURE("global", cuMemAllocManaged(&q, 64, 1));
    CAPTURE("global", cuMemGetInfo_v2(&(size_t){0}, &(size_t){0}));
    CAPTURE("global", cuStreamSynchronize(s));
    CAPTURE("global", cuStreamQuery(s));
    CAPTURE("global", cuStreamSynchronize(t));
    CAPTURE("global", cuStreamQuery(t));
    CAPTURE("global", cuCtxSynchronize());
    CAPTURE("global", cuEventQuery(e));
    CAPTURE("global", cuEventSynchronize(e));
    CAPTURE("global", cuStreamWaitEvent(s, e, 0));
    CAPTURE("global", cuStreamWaitEvent(s, NULL, 0));
    CAPTURE("global", cuStreamCreate(&blocking, 0));
    CAPTURE("global", cuEventCreate(&f, 0));
    CAPTURE("global", cuEventDestroy_v2(f));
    CAPTURE("global", cuMemcpyHtoD_v2(p, page, 16));
    CAPTURE("global", cuMemcpyDtoD_v2(p, p + 32, 16));
    CAPTURE("global", cuMemcpyHtoDAsync_v2(p, page, 16, s));
    CAPTURE("global", cuMemcpyHtoDAsync_v2(p, page, 16, t));
    CAPTURE("global", cuMemcpyHtoDAsync_v2(p, page, 16, NULL));
    CAPTURE("global", cuMemsetD8_v2(p, 0, 16));
    CAPTURE("global", cuMemsetD8Async(p, 0, 16, s));
    CAPTURE("global", cuMemsetD8Async(p, 0, 16, t));
    CAPTURE("global", cuMemsetD8Async(p, 0, 16, NULL));
    CAPTURE("global", cuMemsetD8Async(p, 0, 16, blocking));
    CAPTURE("global", cuMemsetD8Async(0, 0, 16, s));
    CAPTURE("global", cuMemsetD8Async(p, 0, 0, s));
    CAPTURE("global", cuLaunchHostFunc(s, nothing, NULL));
    CAPTURE("global", cuLaunchHostFunc(s, NULL, NULL));
    CAPTURE("global", cuStreamAddCallback(s, callback, NULL, 0));
    CAPTURE("global", cuMemAllocAsync(&q, 64, s));
    CAPTURE("global", cuMemAllocAsync(&q, 64, t));
    CAPTURE("global", cuMemFreeAsync(p, s));
    CAPTURE("global", cuMemFreeAsync(0, s));
    CAPTURE("global", cuModuleLoadData(&module, wrong_ptx));
    CAPTURE("global", cuModuleUnload(module));
    CAPTURE("global", cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CAPTURE("global", cuStreamEndCapture(t, &g));
    CAPTURE("global", cuStreamEndCapture(NULL, &g));
    CAPTURE("global", cuEventRecord(e, s));
    CAPTURE("global", cuEventRecord(e, NULL));
    CAPTURE("global", cuEventRecord(e, t));
    CAPTURE("global", cuEventRecordWithFlags(e, s, CU_EVENT_RECORD_EXTERNAL));
    CAPTURE("global", cuStreamWaitEvent(s, e, CU_EVENT_WAIT_EXTERNAL));
    CAPTURE("global", cuStreamWriteValue32_v2(s, p, 1, 0));
    CAPTURE("global", cuStreamWaitValue32_v2(s, p, 1, 0));
    CAPTURE("global", cuStreamIsCapturing(NULL, &status));
    CAPTURE("global", cuStreamIsCapturing(blocking, &status));
    CAPTURE("global", cuStreamGetCaptureInfo_v2(s, &status, &id, NULL, NULL, NULL));
    CAPTURE("global", cuStreamGetFlags(s, &(unsigned){0}));
    CAPTURE("global", cuStreamAttachMemAsync(s, p, 0, 1));
    CAPTURE("global", cuMemPoolTrimTo(NULL, 0));
    CAPTURE("global", cuDeviceGetAttribute(&(int){0}, (CUdevice_attribute)1, 0));
    CAPTURE("global", cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    CAPTURE("global", cuStreamUpdateCaptureDependencies(s, NULL, 0, 1));
    CAPTURE("global", cuStreamUpdateCaptureDependencies(s, NULL, 1, 1));
    CAPTURE("global", cuStreamUpdateCaptureDependencies(s, NULL, 0, 7));
    CAPTURE("global", cuStreamDestroy_v2(t));
    t = new_stream();
    mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    CAPTURE("thread local", cuMemAlloc_v2(&q, 64));
    CAPTURE("thread local", cuStreamSynchronize(t));
    CAPTURE("thread local", cuCtxSynchronize());
    CAPTURE("thread local", cuMemsetD8_v2(p, 0, 16));
    OK(cuCtxSynchronize());
    mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CAPTURE("relaxed", cuMemAlloc_v2(&q, 64));
    CAPTURE("relaxed", cuStreamSynchronize(s));
    CAPTURE("relaxed", cuStreamSynchronize(t));
    CAPTURE("relaxed", cuStreamSynchronize(NULL));
    CAPTURE("relaxed", cuCtxSynchronize());
    CAPTURE("relaxed", cuMemsetD8_v2(p, 0, 16));
    CAPTURE("relaxed", cuMemsetD8Async(p, 0, 16, NULL));
    CAPTURE("relaxed", cuEventQuery(e));
    CAPTURE("relaxed", cuModuleLoadData(&module, wrong_ptx));
    CAPTURE("relaxed", cuMemFree_v2(q));
    CAPTURE("relaxed", cuMemcpyHtoD_v2(p, page, 16));

    mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    WHEN("unjoined");
    OK(cuStreamBeginCapture_v2(s, mode));
    OK(cuEventRecord(e, s));
    R(cuStreamWaitEvent(t, e, 0));
    OK(cuMemsetD8Async(p, 0, 16, t));
    V(cuStreamIsCapturing(t, &status), status);
    R(cuStreamEndCapture(t, &g));
    R(cuStreamEndCapture(s, &g));
    V(cuStreamIsCapturing(t, &status), status);
    WHEN("unjoined without work");
    OK(cuStreamBeginCapture_v2(s, mode));
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    R(cuStreamEndCapture(s, &g));
    WHEN("never joined at the end");
    OK(cuStreamBeginCapture_v2(s, mode));
    OK(cuEventRecord(e, s));
    OK(cuStreamWaitEvent(t, e, 0));
    OK(cuMemsetD8Async(p, 0, 16, t));
    R(cuStreamEndCapture(s, &g));
    WHEN("the event of an ended capture");
    R(cuEventQuery(e));
    R(cuEventSynchronize(e));
    R(cuStreamWaitEvent(t, e, 0));
    R(cuEventElapsedTime(&(float){0}, e, e));
    R(cuEventRecord(e, t));
    R(cuEventSynchronize(e));
    WHEN("an event while captured");
    OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuEventRecord(e, s));
    R(cuEventQuery(e));
    V(cuStreamIsCapturing(s, &status), status);
    R(cuEventSynchronize(e));
    R(cuStreamWaitEvent(NULL, e, 0));
    V(cuStreamIsCapturing(s, &status), status);
    R(cuStreamEndCapture(s, &g));
    WHEN("two captures");
    OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuStreamBeginCapture_v2(t, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuEventRecord(e, s));
    R(cuStreamWaitEvent(t, e, 0));
    R(cuStreamEndCapture(t, &g));
    R(cuStreamEndCapture(s, &g));
    WHEN("no place for the graph");
    OK(cuStreamBeginCapture_v2(s, mode));
    R(cuStreamEndCapture(s, NULL));
    R(cuStreamEndCapture(s, &g));
    WHEN("destroyed");
    OK(cuStreamBeginCapture_v2(s, mode));
    R(cuStreamDestroy_v2(s));
    R(cuMemAlloc_v2(&q, 64));
    WHEN("blocking stream");
    OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    R(cuMemsetD8Async(p, 0, 16, NULL));
    R(cuStreamIsCapturing(NULL, &status));
    R(cuStreamEndCapture(blocking, &g));
    OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    R(cuStreamIsCapturing(NULL, &status));
    R(cuStreamEndCapture(blocking, &g));
    OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    R(cuStreamSynchronize(NULL));
    R(cuStreamEndCapture(blocking, &g));
    OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    R(cuMemsetD8_v2(p, 0, 16));
    R(cuStreamEndCapture(blocking, &g));
}

/* Graphs and stream capture. */
#include "check.h"

#include <pthread.h>

static CUgraphNode
kernel_node(CUgraph graph, CUgraphNode after, CUdeviceptr p)
{
    CUgraphNode node;
    int n = 1;
    void *params[] = {&p, &n};
    CUDA_KERNEL_NODE_PARAMS k = {.func = twice,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 32,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    OK(cuGraphAddKernelNode_v2(&node, graph, &after, after != NULL, &k));
    return node;
}

static CUgraphNode
fill_node(CUgraph graph, CUdeviceptr p, unsigned value)
{
    CUgraphNode node;
    CUDA_MEMSET_NODE_PARAMS m = {
        .dst = p, .value = value, .elementSize = 4, .width = 1, .height = 1};
    OK(cuGraphAddMemsetNode(&node, graph, NULL, 0, &m, context));
    return node;
}

static void
count_up(void *counter)
{
    __atomic_fetch_add((int *)counter, 1, __ATOMIC_ACQ_REL);
}

CASE(built_by_hand)
{
    start_with_kernels();
    CUgraph graph, copy;
    CUgraphExec exec;
    CUgraphNode fill, kernel, host, nodes[4];
    CUgraphNodeType type;
    CUdeviceptr p = new_zeros(4);
    size_t count = 0;
    int runs = 0;
    CUDA_HOST_NODE_PARAMS h = {count_up, &runs};
    OK(cuGraphCreate(&graph, 0));
    fill = fill_node(graph, p, 3);
    kernel = kernel_node(graph, fill, p);
    OK(cuGraphAddHostNode(&host, graph, &kernel, 1, &h));
    OK(cuGraphGetNodes(graph, NULL, &count));
    CHECK(count == 3);
    count = 4;
    OK(cuGraphGetRootNodes(graph, nodes, &count));
    CHECK(count == 1 && nodes[0] == fill && nodes[1] == NULL);
    OK(cuGraphGetEdges(graph, NULL, NULL, &count));
    CHECK(count == 2);
    OK(cuGraphNodeGetType(kernel, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_KERNEL);
    OK(cuGraphClone(&copy, graph));
    OK(cuGraphNodeFindInClone(&nodes[0], kernel, copy));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 5; i++) {
        OK(cuGraphLaunch(exec, NULL));
    }
    OK(cuCtxSynchronize());
    CHECK(read_int(p) == 7 && runs == 5);
    OK(cuGraphDestroy(copy));
    OK(cuGraphDestroy(graph));
    OK(cuGraphLaunch(exec, NULL)); /* needs the graph no more */
    OK(cuGraphExecDestroy(exec));  /* nor the launch the exec */
    OK(cuCtxSynchronize());
    CHECK(runs == 6 && cuEmuLedger(EMU_LIVE_GRAPHS) == 0 && cuEmuLedger(EMU_LIVE_GRAPH_EXECS) == 0);
}

CASE(capture_into_the_body_of_a_condition)
{
    start_with_kernels();
    CUgraph graph, body, captured;
    CUgraphExec exec;
    CUgraphNode node;
    CUstream s;
    CUdeviceptr p = new_zeros(4);
    CUgraphNodeParams condition = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                                   .conditional = {.size = 1}};
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (int asked = 0; asked < 2; asked++) { /* whether the end of the capture returns the graph */
        OK(cuGraphCreate(&graph, 0));
        OK(cuGraphConditionalHandleCreate(&condition.conditional.handle, graph, context, 1, 1));
        OK(cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &condition));
        body = condition.conditional.phGraph_out[0];
        OK(cuStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
        OK(cuMemsetD32Async(p, 5 + (unsigned)asked, 1, s));
        OK(cuStreamEndCapture(s, asked ? &captured : NULL));
        CHECK(!asked || captured == body);
        CHECK(cuEmuLedger(EMU_LIVE_GRAPHS) == 1); /* the body is still the node's */
        GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(body));
        OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
        OK(cuGraphLaunch(exec, s));
        OK(cuStreamSynchronize(s));
        CHECK(read_int(p) == 5 + asked);
        OK(cuGraphExecDestroy(exec));
        OK(cuGraphDestroy(graph));
        CHECK(cuEmuLedger(EMU_LIVE_GRAPHS) == 0);
    }
}

CASE(dependencies_decide_the_order)
{
    start_with_kernels();
    CUgraph graph;
    CUgraphExec exec;
    CUdeviceptr p = new_zeros(4);
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode kernel = kernel_node(graph, NULL, p), fill = fill_node(graph, p, 10);
    OK(cuGraphAddDependencies(graph, &fill, &kernel, 1)); /* the younger one first */
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    CHECK(read_int(p) == 21);
    OK(cuGraphAddDependencies(graph, &kernel, &fill, 1)); /* a cycle */
    CUgraphExec cyclic;
    GIVES(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&cyclic, graph, 0));
    OK(cuGraphRemoveDependencies(graph, &fill, &kernel, 1));
    OK(cuGraphDestroyNode(fill));
    OK(cuGraphInstantiateWithFlags(&cyclic, graph, 0));
    OK(cuGraphExecDestroy(cyclic));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

CASE(changing_an_exec_leaves_launches_alone)
{
    start_with_kernels();
    CUgraph graph, other;
    CUgraphExec exec;
    CUgraphExecUpdateResultInfo info;
    CUdeviceptr p = new_zeros(4);
    CUstream stream;
    unsigned enabled;
    int go = 0;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode fill = fill_node(graph, p, 1);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuLaunchHostFunc(stream, hold, &go));
    OK(cuGraphLaunch(exec, stream));
    CUDA_MEMSET_NODE_PARAMS m = {.dst = p, .value = 2, .elementSize = 4, .width = 1, .height = 1};
    OK(cuGraphExecMemsetNodeSetParams(exec, fill, &m, context));
    open_gate(&go);
    OK(cuStreamSynchronize(stream));
    CHECK(read_int(p) == 1);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(read_int(p) == 2);
    OK(cuGraphCreate(&other, 0));
    fill_node(other, p, 5);
    OK(cuGraphExecUpdate_v2(exec, other, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(read_int(p) == 5);
    OK(cuGraphNodeSetEnabled(exec, fill, 0));
    OK(cuGraphNodeGetEnabled(exec, fill, &enabled));
    OK(cuMemsetD32_v2(p, 0, 1));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(enabled == 0 && read_int(p) == 0);
    kernel_node(other, NULL, p);
    GIVES(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(exec, other, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuGraphDestroy(other));
}

CASE(capture_of_a_chain)
{
    start_with_kernels();
    CUdeviceptr p = new_zeros(4), q = new_zeros(4);
    CUstream stream;
    CUgraph graph, none;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    size_t count = 0;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2(NULL, 0));
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2(stream, 0));
    OK(cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuMemsetD32Async(p, 4, 1, stream));
    OK(launch_twice(p, 1, stream));
    OK(cuMemcpyDtoDAsync_v2(q, p, 4, stream));
    OK(cuStreamEndCapture(stream, &graph));
    GIVES(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &none));
    CHECK(read_int(q) == 0); /* nothing ran */
    CHECK(cuEmuLedger(EMU_LIVE_GRAPHS) == 1);
    OK(cuGraphGetNodes(graph, NULL, &count));
    CHECK(count == 3);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(read_int(q) == 9);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

CASE(capture_forks_and_joins)
{
    start_with_kernels();
    CUdeviceptr p = new_zeros(4), q = new_zeros(4);
    CUstream first, second;
    CUevent fork_event, join_event;
    CUgraph graph;
    CUgraphExec exec;
    size_t edges = 0;
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&fork_event, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&join_event, CU_EVENT_DISABLE_TIMING));
    OK(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuMemsetD32Async(p, 1, 1, first));
    OK(cuEventRecord(fork_event, first));
    OK(cuStreamWaitEvent(second, fork_event, 0));
    OK(cuMemsetD32Async(q, 2, 1, second));
    OK(launch_twice(p, 1, first));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(second, &graph));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(first, &graph));
    CHECK(graph == NULL);

    OK(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuMemsetD32Async(p, 1, 1, first));
    OK(cuEventRecord(fork_event, first));
    OK(cuStreamWaitEvent(second, fork_event, 0));
    OK(cuMemsetD32Async(q, 2, 1, second));
    OK(cuEventRecord(join_event, second));
    OK(launch_twice(p, 1, first));
    OK(cuStreamWaitEvent(first, join_event, 0));
    OK(launch_twice(q, 1, first));
    OK(cuStreamEndCapture(first, &graph));
    OK(cuGraphGetEdges(graph, NULL, NULL, &edges));
    CHECK(edges == 4);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, first));
    OK(cuStreamSynchronize(first));
    CHECK(read_int(p) == 3 && read_int(q) == 5);
    GIVES(CUDA_ERROR_INVALID_VALUE, cuEventQuery(join_event)); /* its capture has ended */
    OK(cuEventRecord(join_event, first));
    OK(cuEventSynchronize(join_event));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

CASE(capture_that_leaves_work_unjoined)
{
    start_with_kernels();
    CUdeviceptr p = new_zeros(4);
    CUstream first, second;
    CUevent event;
    CUgraph graph;
    OK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, 0));
    OK(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(event, first));
    OK(cuStreamWaitEvent(second, event, 0));
    OK(launch_twice(p, 1, second));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(first, &graph));
    OK(launch_twice(p, 1, second)); /* an ordinary stream again */
    OK(cuStreamSynchronize(second));
    CHECK(read_int(p) == 1 && cuEmuLedger(EMU_LIVE_GRAPHS) == 0);
}

static void *
allocate_elsewhere(void *code)
{
    CUdeviceptr p;
    OK(cuCtxSetCurrent(context));
    *(int *)code = cuMemAlloc_v2(&p, 16);
    return NULL;
}

static int
in_another_thread(void)
{
    pthread_t thread;
    int code = -1;
    pthread_create(&thread, NULL, allocate_elsewhere, &code);
    pthread_join(thread, NULL);
    return code;
}

CASE(calls_that_break_a_capture)
{
    start_with_kernels();
    CUdeviceptr p;
    CUstream stream, blocking;
    CUgraph graph;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(in_another_thread() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CHECK(in_another_thread() == 0);
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc_v2(&p, 16));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemAlloc_v2(&p, 16)); /* this thread said it knows what it does */
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));

    OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, launch_twice(p, 1, NULL));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(blocking, &graph));

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamDestroy_v2(stream)); /* ends the capture too */
    OK(cuMemFree_v2(p));
}

/* What copies within and between devices alike is captured; what names two contexts is not. */
CASE(copies_that_a_capture_refuses)
{
    start();
    CUdeviceptr p = new_zeros(8), q = new_zeros(8);
    size_t bytes = 8, first = 0;
    CUstream stream;
    CUgraph graph;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUDA_MEMCPY3D_PEER box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcDevice = p,
                              .dstDevice = q,
                              .WidthInBytes = 8,
                              .Height = 1,
                              .Depth = 1};
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemcpyAsync(q, p, 8, stream));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          cuMemcpyPeerAsync(q, context, p, context, 8, stream));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemcpy3DPeerAsync(&box, stream));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          cuMemcpyBatchAsync_v2(&q, &p, &bytes, 1, &attributes, &first, 1, stream));
    OK(cuMemcpyDtoDAsync_v2(q, p, 8, stream));
    OK(cuStreamEndCapture(stream, &graph)); /* the batch is missing in it, and it is whole */
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy_v2(stream));
}

static void
set_flag(void *flag)
{
    *(int *)flag += 1;
}

CASE(user_objects)
{
    start();
    CUuserObject object;
    CUgraph graph;
    CUgraphExec exec;
    int gone = 0;
    OK(cuUserObjectCreate(&object, &gone, set_flag, 1, 1));
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphRetainUserObject(graph, object, 1, 1)); /* the graph takes it over */
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    CHECK(gone == 0);
    OK(cuGraphExecDestroy(exec));
    CHECK(gone == 1 && cuEmuLedger(EMU_LIVE_USER_OBJECTS) == 0);
}

CASE(child_graphs_and_events)
{
    start_with_kernels();
    CUgraph graph, child;
    CUgraphExec exec;
    CUgraphNode first, node, record;
    CUevent event;
    CUdeviceptr p = new_zeros(4);
    OK(cuEventCreate(&event, 0));
    OK(cuGraphCreate(&child, 0));
    kernel_node(child, kernel_node(child, NULL, p), p);
    OK(cuGraphCreate(&graph, 0));
    first = fill_node(graph, p, 1);
    OK(cuGraphAddChildGraphNode(&node, graph, &first, 1, child));
    OK(cuGraphAddEventRecordNode(&record, graph, &node, 1, event));
    OK(cuGraphDestroy(child));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, NULL));
    OK(cuEventSynchronize(event));
    CHECK(read_int(p) == 7);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    CHECK(cuEmuLedger(EMU_LIVE_GRAPHS) == 0);
}

static void
nothing_to_do(void *data)
{
    (void)data;
}

/* Makes one of everything, stops at the first failure, and takes down what there is. */
static void
make_and_unmake(void)
{
    enum { UNIT = 2 << 20 };
    CUgraph graph = NULL, copy = NULL, memory_graph = NULL;
    CUgraphExec exec = NULL, memory_exec = NULL;
    CUgraphNode a = NULL, b = NULL;
    CUdeviceptr range = 0;
    CUmemGenericAllocationHandle physical = 0;
    CUlinkState link = NULL;
    CUmodule linked = NULL;
    CUuserObject user = NULL;
    CUstream s = NULL;
    void *image;
    size_t bytes;
    int held = 0, mapped = 0;
    CUDA_HOST_NODE_PARAMS host = {.fn = nothing_to_do};
    CUDA_MEM_ALLOC_NODE_PARAMS alloc = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = 5000};
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUgraphNodeParams condition = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                                   .conditional = {.size = 1}};
#define STEP(call)                                                                                 \
    if ((call) != 0) {                                                                             \
        goto end;                                                                                  \
    }
    STEP(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    STEP(cuGraphCreate(&graph, 0));
    STEP(cuUserObjectCreate(&user, NULL, nothing_to_do, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    STEP(cuGraphRetainUserObject(graph, user, 1, CU_GRAPH_USER_OBJECT_MOVE));
    held = 1;
    STEP(cuGraphAddHostNode(&a, graph, NULL, 0, &host));
    STEP(cuGraphConditionalHandleCreate(&condition.conditional.handle, graph, context, 1, 1));
    STEP(cuGraphAddNode_v2(&b, graph, &a, NULL, 1, &condition));
    STEP(cuGraphAddEmptyNode(&a, condition.conditional.phGraph_out[0], NULL, 0));
    STEP(cuGraphClone(&copy, graph));
    STEP(cuGraphInstantiateWithFlags(&exec, graph, 0));
    STEP(cuGraphLaunch(exec, s));
    STEP(cuStreamSynchronize(s));
    STEP(cuGraphCreate(&memory_graph, 0));
    STEP(cuGraphAddMemAllocNode(&a, memory_graph, NULL, 0, &alloc));
    STEP(cuGraphAddMemFreeNode(&b, memory_graph, &a, 1, alloc.dptr));
    STEP(cuGraphInstantiateWithFlags(&memory_exec, memory_graph, 0));
    STEP(cuGraphLaunch(memory_exec, s));
    STEP(cuMemCreate(&physical, UNIT, &prop, 0));
    STEP(cuMemAddressReserve(&range, UNIT, 0, 0, 0));
    STEP(cuMemMap(range, UNIT, 0, physical, 0));
    mapped = 1;
    STEP(cuMemSetAccess(range, UNIT, &access, 1));
    STEP(cuMemsetD8_v2(range, 1, UNIT));
    STEP(cuLinkCreate_v2(0, NULL, NULL, &link));
    STEP(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, sizeof ptx, "x", 0, NULL,
                          NULL));
    STEP(cuLinkComplete(link, &image, &bytes));
    STEP(cuModuleLoadData(&linked, image));
end:
    cuEmuFailClear();
    cuStreamSynchronize(s);
    cuGraphExecDestroy(exec);
    cuGraphExecDestroy(memory_exec);
    cuGraphDestroy(copy);
    cuGraphDestroy(graph);
    cuGraphDestroy(memory_graph);
    if (user != NULL && !held) {
        cuUserObjectRelease(user, 1);
    }
    if (mapped) {
        OK(cuMemUnmap(range, UNIT));
    }
    cuMemRelease(physical);
    cuMemAddressFree(range, UNIT);
    if (link != NULL) {
        cuLinkDestroy(link);
    }
    if (linked != NULL) {
        OK(cuModuleUnload(linked));
    }
    if (s != NULL) {
        OK(cuStreamDestroy_v2(s));
    }
}

CASE(no_failure_leaks)
{
    start();
    make_and_unmake();
    OK(cuCtxSynchronize());
    uint64_t before[EMU_LIVE_KINDS], fired = 1;
    for (int kind = 0; kind < EMU_LIVE_KINDS; kind++) {
        before[kind] = cuEmuLedger(kind);
    }
    CHECK(before[EMU_LIVE_GRAPHS] == 0 && before[EMU_LIVE_GRAPH_MEMORY] == 0);
    uint64_t n = 0;
    while (fired > 0) {
        uint64_t calls = cuEmuCalls("*");
        CHECK(cuEmuFail("*", ++n, CUDA_ERROR_OUT_OF_MEMORY, EMU_FAIL_ONCE) > 0);
        make_and_unmake();
        fired = cuEmuCalls("*") - calls >= n && n < 40; /* the plan is forgotten by then */
        OK(cuCtxSynchronize());
        for (int kind = 0; kind < EMU_LIVE_KINDS; kind++) {
            CHECK(cuEmuLedger(kind) == before[kind]);
        }
    }
    CHECK(n > 20);
}

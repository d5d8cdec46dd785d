/* Random sequences of driver calls over a table of handles: valid ones, destroyed ones and invented
 * ones. Nothing may crash, hang or leak; the codes do not matter.
 *
 *     fuzz CALLS [SEED [THREADS]]
 *
 * Each thread has a context and objects of its own, since a handle may not be used while another
 * thread destroys it; memory, pools, modules' code and the accounts behind them are shared. A broken
 * context is replaced. At the end all is destroyed and the ledger must be empty. */
#include "cuda/cuda_abi.h"
#include "emu/gpunp_emu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CU(name, params) CUresult name params;
#define NVRTC(name, params)
#include "tables/cuda_api.def"

typedef enum {
    STREAM,
    EVENT,
    MODULE,
    FUNCTION,
    GRAPH,
    NODE,
    EXEC,
    MEMORY,
    HOST,
    POOL,
    PHYSICAL,
    RANGE,
    USER,
    LINK,
    LIBRARY,
    KERNEL,
    KINDS
} Kind;

enum { SLOTS = 12, UNIT = 2 << 20 };

typedef struct {
    uint64_t state, handles[KINDS][SLOTS], old[KINDS];
    long calls, rounds, contexts, kept;
    CUcontext context;
    char page[8192];
} Fuzz;

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .entry put(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b32 %r<3>;\n.reg .b64 %a<3>;\n"
    "ld.param.u64 %a1, [p];\nld.param.u32 %r1, [n];\ncvta.to.global.u64 %a2, %a1;\n"
    "st.global.u32 [%a2], %r1;\nret;\n}\n"
    ".visible .entry nothing()\n{\nret;\n}\n";

/* ---- choosing -------------------------------------------------------------------------------- */

static uint64_t
draw(Fuzz *f)
{
    f->state ^= f->state << 13;
    f->state ^= f->state >> 7;
    f->state ^= f->state << 17;
    return f->state;
}

static unsigned
below(Fuzz *f, unsigned n)
{
    return (unsigned)(draw(f) >> 33) % n;
}

static uint64_t
pick(Fuzz *f, Kind kind)
{
    switch (below(f, 16)) {
    case 0:
        return 0;
    case 1:
        return f->old[kind];
    case 2:
        return f->handles[below(f, KINDS)][below(f, SLOTS)];
    case 3:
        return f->handles[kind][below(f, SLOTS)] + (below(f, 4) == 0 ? 8 : 0);
    case 4:
        return below(f, 8) == 0 ? draw(f) : 1 + below(f, 2);
    default:
        return f->handles[kind][below(f, SLOTS)];
    }
}

#define PICK(type, kind) ((type)(uintptr_t)pick(f, kind))
/* Sizes and flags: mostly good ones. */
#define SIZE() (below(f, 8) == 0 ? (size_t)draw(f) : (size_t)below(f, 5000))
#define FLAG(good) (below(f, 8) == 0 ? (unsigned)draw(f) : below(f, (good) + 1))

static void drop(Fuzz *f, Kind kind, uint64_t handle);

/* Puts a new handle into a slot; what was there is destroyed. */
static void
keep(Fuzz *f, Kind kind, uint64_t handle)
{
    uint64_t *slot = &f->handles[kind][below(f, SLOTS)];
    uint64_t before = *slot;
    f->kept++;
    *slot = handle;
    if (before != 0) {
        f->old[kind] = before;
        drop(f, kind, before);
    }
}

static int
forget(Fuzz *f, Kind kind, uint64_t handle)
{
    for (int i = 0; handle != 0 && i < SLOTS; i++) {
        if (f->handles[kind][i] == handle) {
            f->handles[kind][i] = 0;
            f->old[kind] = handle;
            return 1;
        }
    }
    return 0;
}

static void
drop(Fuzz *f, Kind kind, uint64_t handle)
{
    (void)f;
    switch (kind) {
    case STREAM:
        cuStreamDestroy_v2((CUstream)(uintptr_t)handle);
        break;
    case EVENT:
        cuEventDestroy_v2((CUevent)(uintptr_t)handle);
        break;
    case MODULE:
        cuModuleUnload((CUmodule)(uintptr_t)handle);
        break;
    case GRAPH:
        cuGraphDestroy((CUgraph)(uintptr_t)handle);
        break;
    case EXEC:
        cuGraphExecDestroy((CUgraphExec)(uintptr_t)handle);
        break;
    case MEMORY:
        cuMemFree_v2(handle);
        break;
    case HOST:
        cuMemFreeHost((void *)(uintptr_t)handle);
        break;
    case POOL:
        cuMemPoolDestroy((CUmemoryPool)(uintptr_t)handle);
        break;
    case PHYSICAL:
        cuMemRelease(handle);
        break;
    case RANGE:
        cuMemUnmap(handle, 4 * UNIT);
        cuMemAddressFree(handle, 4 * UNIT);
        break;
    case USER:
        cuUserObjectRelease((CUuserObject)(uintptr_t)handle, 1);
        break;
    case LINK:
        cuLinkDestroy((CUlinkState)(uintptr_t)handle);
        break;
    case LIBRARY:
        cuLibraryUnload((CUlibrary)(uintptr_t)handle);
        break;
    default:
        break;
    }
}

#define KEEP(code, kind, handle)                                                                   \
    do {                                                                                           \
        if ((code) == 0) {                                                                         \
            keep(f, kind, (uint64_t)(uintptr_t)(handle));                                          \
        }                                                                                          \
    } while (0)

static void
host_function(void *data)
{
    (void)data;
}

/* ---- the calls ------------------------------------------------------------------------------- */

typedef void (*Call)(Fuzz *f);
static Call calls[128];
static unsigned call_count;

#define CALL(name)                                                                                 \
    static void call_##name(Fuzz *f);                                                              \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        calls[call_count++] = call_##name;                                                         \
    }                                                                                              \
    static void call_##name(Fuzz *f)

CALL(stream)
{
    CUstream s = NULL;
    KEEP(cuStreamCreateWithPriority(&s, FLAG(1), (int)below(f, 9) - 6), STREAM, s);
}

CALL(stream_questions)
{
    CUstream s = PICK(CUstream, STREAM);
    unsigned flags;
    int i;
    unsigned long long id;
    CUcontext c;
    CUstreamAttrValue value;
    cuStreamQuery(s);
    cuStreamGetFlags(s, &flags);
    cuStreamGetPriority(s, &i);
    cuStreamGetCtx(s, &c);
    cuStreamGetId(s, &id);
    cuStreamGetAttribute(s, (int)FLAG(16), &value);
    f->calls += 5;
}

CALL(stream_end)
{
    uint64_t s = pick(f, STREAM);
    if (forget(f, STREAM, s) || s < 3) {
        cuStreamDestroy_v2((CUstream)(uintptr_t)s);
    }
}

CALL(synchronize)
{
    cuStreamSynchronize(PICK(CUstream, STREAM));
}

CALL(event)
{
    CUevent e = NULL;
    KEEP(cuEventCreate(&e, FLAG(7)), EVENT, e);
}

CALL(record)
{
    cuEventRecordWithFlags(PICK(CUevent, EVENT), PICK(CUstream, STREAM), below(f, 8) == 0);
}

CALL(event_questions)
{
    float ms;
    cuEventQuery(PICK(CUevent, EVENT));
    cuEventElapsedTime_v2(&ms, PICK(CUevent, EVENT), PICK(CUevent, EVENT));
    cuStreamWaitEvent(PICK(CUstream, STREAM), PICK(CUevent, EVENT), below(f, 8) == 0);
    f->calls += 2;
}

CALL(event_end)
{
    uint64_t e = pick(f, EVENT);
    if (forget(f, EVENT, e)) {
        cuEventDestroy_v2((CUevent)(uintptr_t)e);
    }
}

CALL(memory)
{
    CUdeviceptr p = 0;
    size_t pitch;
    switch (below(f, 4)) {
    case 0:
        KEEP(cuMemAllocPitch_v2(&p, &pitch, below(f, 300), below(f, 20), 4), MEMORY, p);
        break;
    case 1:
        KEEP(cuMemAllocManaged(&p, SIZE() % (1 << 20), FLAG(2)), MEMORY, p);
        break;
    default:
        KEEP(cuMemAlloc_v2(&p, SIZE() % (1 << 20)), MEMORY, p);
    }
}

CALL(memory_in_order)
{
    CUdeviceptr p = 0;
    KEEP(below(f, 2) ? cuMemAllocAsync(&p, SIZE() % (1 << 20), PICK(CUstream, STREAM))
                     : cuMemAllocFromPoolAsync(&p, SIZE() % (1 << 20), PICK(CUmemoryPool, POOL),
                                               PICK(CUstream, STREAM)),
         MEMORY, p);
}

CALL(free_in_order)
{
    uint64_t p = pick(f, MEMORY);
    if (cuMemFreeAsync(p, PICK(CUstream, STREAM)) == 0) {
        forget(f, MEMORY, p);
    }
}

CALL(free_memory)
{
    uint64_t p = pick(f, MEMORY);
    if (cuMemFree_v2(p) == 0) {
        forget(f, MEMORY, p);
    }
}

CALL(host_memory)
{
    void *p = NULL;
    unsigned flags;
    CUdeviceptr d;
    KEEP(cuMemHostAlloc(&p, SIZE() % 100000, FLAG(7)), HOST, p);
    cuMemHostGetFlags(&flags, PICK(void *, HOST));
    cuMemHostGetDevicePointer_v2(&d, PICK(void *, HOST), FLAG(0));
    f->calls += 2;
}

CALL(host_free)
{
    uint64_t p = pick(f, HOST);
    if (cuMemFreeHost((void *)(uintptr_t)p) == 0) {
        forget(f, HOST, p);
    }
}

CALL(registered)
{
    cuMemHostRegister_v2(f->page, 1 + below(f, sizeof f->page), FLAG(3));
    cuMemHostUnregister(below(f, 4) == 0 ? f->page + 4 : f->page);
    f->calls++;
}

CALL(copy)
{
    CUdeviceptr to = pick(f, MEMORY) + below(f, 64), from = pick(f, MEMORY) + below(f, 64);
    CUstream s = PICK(CUstream, STREAM);
    size_t bytes = below(f, 4) == 0 ? SIZE() : below(f, 200);
    switch (below(f, 5)) {
    case 0:
        cuMemcpyHtoDAsync_v2(to, f->page, bytes % sizeof f->page, s);
        break;
    case 1:
        cuMemcpyDtoHAsync_v2(f->page, from, bytes % sizeof f->page, s);
        break;
    case 2:
        cuMemcpyDtoDAsync_v2(to, from, bytes, s);
        break;
    case 3:
        cuMemcpyDtoD_v2(to, from, bytes);
        break;
    default:
        cuMemcpyHtoD_v2(to, f->page, bytes % sizeof f->page);
    }
}

static CUDA_MEMCPY3D
box(Fuzz *f)
{
    CUDA_MEMCPY3D b = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = pick(f, MEMORY),
                       .srcPitch = below(f, 100),
                       .srcHeight = below(f, 5),
                       .srcXInBytes = below(f, 4),
                       .dstMemoryType = FLAG(4) & 7,
                       .dstDevice = pick(f, MEMORY),
                       .dstPitch = below(f, 4) == 0 ? SIZE() : 64,
                       .dstHeight = below(f, 5),
                       .WidthInBytes = below(f, 80),
                       .Height = below(f, 5),
                       .Depth = below(f, 3)};
    if (b.dstMemoryType == CU_MEMORYTYPE_UNIFIED) { /* an invented address would be the host's */
        b.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    }
    if (b.dstMemoryType == CU_MEMORYTYPE_HOST) {
        b.dstHost = f->page;
        b.dstPitch = 64;
        b.dstHeight = 8;
    }
    return b;
}

CALL(copy_box)
{
    CUDA_MEMCPY3D b = box(f);
    cuMemcpy3DAsync_v2(&b, PICK(CUstream, STREAM));
}

CALL(fill)
{
    CUdeviceptr p = pick(f, MEMORY) + below(f, 8);
    CUstream s = PICK(CUstream, STREAM);
    switch (below(f, 4)) {
    case 0:
        cuMemsetD2D32Async(p, SIZE(), 7, below(f, 20), below(f, 4), s);
        break;
    case 1:
        cuMemsetD16_v2(p, 7, below(f, 100));
        break;
    default:
        cuMemsetD8Async(p, 7, SIZE(), s);
    }
}

CALL(pointer_questions)
{
    unsigned long long room[8];
    CUdeviceptr p = pick(f, below(f, 2) ? MEMORY : HOST) + below(f, 64), base;
    size_t bytes;
    cuPointerGetAttribute(room, (int)FLAG(22), p);
    cuMemGetAddressRange_v2(&base, &bytes, p);
    cuMemGetInfo_v2(&bytes, NULL);
    cuMemAdvise(p, SIZE(), (int)FLAG(7), 0);
    cuMemPrefetchAsync(p, SIZE(), 0, PICK(CUstream, STREAM));
    f->calls += 4;
}

CALL(pool)
{
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .handleTypes = (int)FLAG(1),
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, (int)FLAG(0)},
                            .maxSize = below(f, 2) ? 0 : SIZE()};
    CUmemoryPool p = NULL;
    cuuint64_t value = 0;
    KEEP(cuMemPoolCreate(&p, &props), POOL, p);
    cuMemPoolGetAttribute(PICK(CUmemoryPool, POOL), (int)FLAG(8), &value);
    cuMemPoolSetAttribute(PICK(CUmemoryPool, POOL), (int)FLAG(8), &value);
    cuMemPoolTrimTo(PICK(CUmemoryPool, POOL), SIZE());
    f->calls += 3;
}

CALL(physical)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {CU_MEM_LOCATION_TYPE_DEVICE, (int)FLAG(0)}};
    CUmemGenericAllocationHandle h = 0;
    KEEP(cuMemCreate(&h, (1 + below(f, 2)) * (size_t)UNIT, &prop, FLAG(0)), PHYSICAL, h);
}

CALL(range)
{
    CUdeviceptr p = 0;
    KEEP(cuMemAddressReserve(&p, 4 * (size_t)UNIT, 0, 0, FLAG(0)), RANGE, p);
}

CALL(map)
{
    CUdeviceptr p = pick(f, RANGE) + below(f, 4) * (uint64_t)UNIT;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, (int)FLAG(0)}, below(f, 2) ? 3 : 0};
    unsigned long long flags;
    CUmemGenericAllocationHandle h;
    size_t bytes = (1 + below(f, 2)) * (size_t)UNIT;
    switch (below(f, 5)) {
    case 0:
        cuMemUnmap(p, bytes);
        break;
    case 1:
        cuMemGetAccess(&flags, &access.location, p);
        if (cuMemRetainAllocationHandle(&h, (void *)(uintptr_t)p) == 0) {
            cuMemRelease(h);
        }
        break;
    case 2:
        cuMemsetD8_v2(p, 1, bytes);
        break;
    default:
        cuMemMap(p, bytes, 0, pick(f, PHYSICAL), FLAG(0));
        cuMemSetAccess(p, bytes, &access, 1);
    }
}

CALL(module)
{
    CUmodule m = NULL;
    CUdeviceptr p;
    size_t bytes;
    if (below(f, 8) == 0) {
        KEEP(cuModuleLoadData(&m, ptx), MODULE, m);
    }
    cuModuleGetGlobal_v2(&p, &bytes, PICK(CUmodule, MODULE), "counter");
}

CALL(function)
{
    static const char *const names[] = {"put", "nothing", "absent", ""};
    CUfunction g = NULL;
    int i;
    if (cuModuleGetFunction(&g, PICK(CUmodule, MODULE), names[below(f, 4)]) == 0) {
        keep(f, FUNCTION, (uintptr_t)g);
    }
    cuFuncGetAttribute(&i, (int)FLAG(15), PICK(CUfunction, FUNCTION));
    cuFuncSetAttribute(PICK(CUfunction, FUNCTION), 8, (int)FLAG(60000));
    cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, PICK(CUfunction, FUNCTION), (int)FLAG(1024),
                                                SIZE());
    f->calls += 3;
}

CALL(library)
{
    CUlibrary l = NULL;
    CUkernel k = NULL;
    if (below(f, 8) == 0) {
        KEEP(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0), LIBRARY, l);
    }
    if (cuLibraryGetKernel(&k, PICK(CUlibrary, LIBRARY), "nothing") == 0) {
        keep(f, KERNEL, (uintptr_t)k);
    }
}

CALL(linker)
{
    CUlinkState l = NULL;
    void *image;
    size_t bytes;
    if (below(f, 4) == 0) {
        KEEP(cuLinkCreate_v2(0, NULL, NULL, &l), LINK, l);
    }
    cuLinkAddData_v2(PICK(CUlinkState, LINK), (int)FLAG(5), (void *)(uintptr_t)ptx,
                     1 + below(f, sizeof ptx), "x", 0, NULL, NULL);
    cuLinkComplete(PICK(CUlinkState, LINK), &image, &bytes);
    f->calls++;
}

CALL(launch)
{
    CUdeviceptr p = f->handles[MEMORY][below(f, SLOTS)]; /* rarely a wrong one: it breaks all */
    int n = 3;
    if (below(f, 2000) == 0) {
        p = pick(f, MEMORY) + below(f, 8);
    }
    void *params[] = {&p, &n};
    CUfunction g = PICK(CUfunction, below(f, 4) ? FUNCTION : KERNEL);
    const char *name;
    size_t bytes;
    if (p == 0 || cuMemGetAddressRange_v2(NULL, &bytes, p) != 0 || bytes < 4) {
        if (cuFuncGetName(&name, g) != 0 || strcmp(name, "nothing") != 0) {
            return;
        }
    }
    cuLaunchKernel(g, below(f, 4), 1, below(f, 8) ? 1 : 65536, FLAG(64), 1, 1, FLAG(1000), PICK(CUstream, STREAM), params,
                   NULL);
}

CALL(host_launch)
{
    cuLaunchHostFunc(PICK(CUstream, STREAM), below(f, 8) ? host_function : NULL, NULL);
}

CALL(values)
{
    CUdeviceptr p = pick(f, MEMORY) + 4 * below(f, 3);
    cuStreamWriteValue32_v2(PICK(CUstream, STREAM), p, 5, FLAG(0));
    cuStreamWriteValue64_v2(PICK(CUstream, STREAM), p, 5, FLAG(0));
    f->calls++;
}

CALL(capture)
{
    CUstream s = PICK(CUstream, STREAM);
    CUgraph g = NULL;
    CUstreamCaptureStatus status;
    cuuint64_t id;
    switch (below(f, 4)) {
    case 0:
        if (below(f, 4) == 0) {
            cuStreamBeginCapture_v2(s, (int)FLAG(2));
        }
        break;
    case 1:
        cuStreamGetCaptureInfo_v2(s, &status, &id, NULL, NULL, NULL);
        break;
    default:
        for (int i = 0; i < SLOTS; i++) {
            g = NULL;
            if (cuStreamEndCapture((CUstream)(uintptr_t)f->handles[STREAM][i], &g) == 0 &&
                g != NULL) {
                keep(f, GRAPH, (uintptr_t)g);
            }
        }
    }
}

CALL(graph)
{
    CUgraph g = NULL;
    if (below(f, 2)) {
        KEEP(cuGraphCreate(&g, FLAG(0)), GRAPH, g);
    }
    else {
        KEEP(cuGraphClone(&g, PICK(CUgraph, GRAPH)), GRAPH, g);
    }
}

static void
fill_params(Fuzz *f, CUgraphNodeParams *p)
{
    static int n = 4;
    static CUdeviceptr spot;
    static void *params[] = {&spot, &n};
    memset(p, 0, sizeof *p);
    p->type = (int)FLAG(13) & 31;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        p->kernel = (CUDA_KERNEL_NODE_PARAMS){.func = PICK(CUfunction, KERNEL),
                                              .gridDimX = 1,
                                              .gridDimY = 1,
                                              .gridDimZ = 1,
                                              .blockDimX = FLAG(64),
                                              .blockDimY = 1,
                                              .blockDimZ = 1,
                                              .kernelParams = params};
        break;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        p->memcpy.copyParams = box(f);
        break;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        p->memset = (CUDA_MEMSET_NODE_PARAMS_v2){pick(f, MEMORY), 64, 7, 1u << below(f, 4),
                                                 below(f, 20),    1,  NULL};
        break;
    case CU_GRAPH_NODE_TYPE_HOST:
        p->host.fn = below(f, 8) ? host_function : NULL;
        break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        p->graph.graph = PICK(CUgraph, GRAPH);
        break;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        p->eventWait.event = PICK(CUevent, EVENT);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        p->alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p->alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        p->alloc.bytesize = below(f, 10000);
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        p->free.dptr = pick(f, MEMORY);
        break;
    default:
        break;
    }
}

CALL(node)
{
    CUgraphNodeParams p;
    CUgraphNode node = NULL, needs[2] = {PICK(CUgraphNode, NODE), PICK(CUgraphNode, NODE)};
    CUgraph g = PICK(CUgraph, GRAPH);
    size_t count = 0;
    cuGraphGetNodes(g, NULL, &count);
    if (count > 40) { /* graphs in graphs grow fast */
        return;
    }
    fill_params(f, &p);
    if (cuGraphAddNode_v2(&node, g, needs, NULL, below(f, 3), &p) == 0) {
        keep(f, NODE, (uintptr_t)node);
        if (p.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && below(f, 2)) {
            CUgraphNode release;
            cuGraphAddMemFreeNode(&release, g, &node, 1, p.alloc.dptr);
        }
    }
}

CALL(node_questions)
{
    CUgraphNode a = PICK(CUgraphNode, NODE), b = PICK(CUgraphNode, NODE), list[4];
    CUgraph g = PICK(CUgraph, GRAPH);
    CUgraphNodeType type;
    CUgraphNodeParams p;
    size_t count = below(f, 5);
    fill_params(f, &p);
    cuGraphAddDependencies(g, &a, &b, 1);
    cuGraphNodeGetType(a, &type);
    cuGraphNodeSetParams(a, &p);
    cuGraphNodeGetDependencies(a, count > 0 ? list : NULL, &count);
    count = below(f, 5);
    cuGraphGetEdges(g, list, list, &count);
    cuGraphRemoveDependencies(g, &a, &b, 1);
    if (below(f, 8) == 0) {
        cuGraphDestroyNode(b);
    }
    cuGraphDebugDotPrint(g, "/dev/null", 0);
    f->calls += 7;
}

CALL(instantiate)
{
    CUgraphExec x = NULL;
    KEEP(cuGraphInstantiateWithFlags(&x, PICK(CUgraph, GRAPH), FLAG(1)), EXEC, x);
}

CALL(exec)
{
    CUgraphNodeParams p;
    CUgraphExecUpdateResultInfo info;
    CUgraphExec x = PICK(CUgraphExec, EXEC);
    unsigned enabled;
    fill_params(f, &p);
    cuGraphExecNodeSetParams(x, PICK(CUgraphNode, NODE), &p);
    cuGraphNodeSetEnabled(x, PICK(CUgraphNode, NODE), below(f, 2));
    cuGraphNodeGetEnabled(x, PICK(CUgraphNode, NODE), &enabled);
    if (below(f, 4) == 0) {
        cuGraphExecUpdate_v2(x, PICK(CUgraph, GRAPH), &info);
    }
    f->calls += 3;
}

CALL(graph_launch)
{
    cuGraphLaunch(PICK(CUgraphExec, EXEC), PICK(CUstream, STREAM));
}

CALL(graph_end)
{
    uint64_t g = pick(f, GRAPH), x = pick(f, EXEC);
    if (forget(f, GRAPH, g)) {
        cuGraphDestroy((CUgraph)(uintptr_t)g);
    }
    if (forget(f, EXEC, x)) {
        cuGraphExecDestroy((CUgraphExec)(uintptr_t)x);
    }
}

CALL(user_object)
{
    CUuserObject u = NULL;
    KEEP(cuUserObjectCreate(&u, NULL, host_function, 1, FLAG(1)), USER, u);
    cuGraphRetainUserObject(PICK(CUgraph, GRAPH), PICK(CUuserObject, USER), 1, 0);
}

CALL(device_questions)
{
    int i;
    size_t bytes;
    void *p;
    cuDeviceGetAttribute(&i, (int)FLAG(150), (int)FLAG(0));
    cuCtxGetLimit(&bytes, (int)FLAG(9));
    cuCtxGetStreamPriorityRange(&i, &i);
    cuGetProcAddress_v2("cuMemAlloc", &p, (int)FLAG(13000), FLAG(2), NULL);
    f->calls += 3;
}

/* ---- threads --------------------------------------------------------------------------------- */

static long wanted;
static _Atomic long all_contexts, all_kept;
static uint64_t seed;

static void
end_all(Fuzz *f)
{
    for (int i = 0; i < SLOTS; i++) {
        CUgraph g = NULL;
        if (cuStreamEndCapture((CUstream)(uintptr_t)f->handles[STREAM][i], &g) == 0 && g != NULL) {
            cuGraphDestroy(g);
        }
    }
    cuCtxSynchronize();
    /* Graphs hold user objects and physical memory is mapped somewhere: backwards by kind. */
    static const Kind order[] = {EXEC,  GRAPH, NODE,   KERNEL,  FUNCTION, LIBRARY, MODULE, LINK,
                                 RANGE, EVENT, MEMORY, PHYSICAL, HOST,    STREAM,  POOL,   USER};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        for (int i = 0; i < SLOTS; i++) {
            uint64_t handle = f->handles[order[k]][i];
            f->handles[order[k]][i] = 0;
            if (handle != 0) {
                drop(f, order[k], handle);
            }
        }
    }
}

static void
new_context(Fuzz *f)
{
    if (f->context != NULL) {
        end_all(f);
        cuCtxDestroy_v2(f->context);
    }
    f->contexts++;
    if (cuCtxCreate_v2(&f->context, 0, 0) != 0) {
        fprintf(stderr, "no new context\n");
        exit(1);
    }
    CUmodule m;
    CUfunction g;
    if (cuModuleLoadData(&m, ptx) == 0 && cuModuleGetFunction(&g, m, "put") == 0) {
        keep(f, MODULE, (uintptr_t)m);
        keep(f, FUNCTION, (uintptr_t)g);
    }
}

static void *
run(void *argument)
{
    Fuzz *f = calloc(1, sizeof *f);
    f->state = (seed + (uintptr_t)argument) * 0x9e3779b97f4a7c15u + 1;
    new_context(f);
    while (f->calls < wanted) {
        f->calls++;
        calls[below(f, call_count)](f);
        size_t bytes;
        if ((++f->rounds & 15) == 0 && cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE) != 0) {
            new_context(f);
        }
    }
    end_all(f);
    cuCtxDestroy_v2(f->context);
    long made = f->calls;
    atomic_fetch_add(&all_contexts, f->contexts);
    atomic_fetch_add(&all_kept, f->kept);
    free(f);
    return (void *)(intptr_t)made;
}

int
main(int argc, char **argv)
{
    enum { MOST_THREADS = 16 };
    int threads = argc > 3 ? atoi(argv[3]) : 1;
    pthread_t ids[MOST_THREADS];
    long made = 0;
    struct timespec begin, end;
    threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    wanted = argc > 1 ? atol(argv[1]) / threads : 10000;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (cuInit(0) != 0) {
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < threads; i++) {
        pthread_create(&ids[i], NULL, run, (void *)(intptr_t)i);
    }
    for (int i = 0; i < threads; i++) {
        void *result;
        pthread_join(ids[i], &result);
        made += (long)(intptr_t)result;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    int left = 0;
    for (int kind = 0; kind < EMU_LIVE_KINDS; kind++) {
        if (cuEmuLedger(kind) != 0) {
            fprintf(stderr, "%llu %s left\n", (unsigned long long)cuEmuLedger(kind),
                    cuEmuLedgerName(kind));
            left = 1;
        }
    }
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("%ld calls, %ld objects, %ld contexts in %.1f s, seed %llu\n", made, all_kept,
           all_contexts, seconds, (unsigned long long)seed);
    return left;
}

/* Memory that graphs allocate and free: nodes for it, and what a stream captures as such.
 *
 * An allocation node has one address for all its life. Its pages come with the first launch and
 * stay while an executable graph may need them; what is seen of it follows the order of the stream:
 * from the allocation to the release, wherever either happens.
 *
 * Three states are kept apart: `allocated` is what the program may assume after all queued work;
 * `open` is whether lookups find the memory now; `committed` is whether it has pages. The lock
 * guards the last two and is taken by the program's threads and by threads that run streams; it
 * comes before the memory's lock. */
#include "emu/graph/graph.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Held by its allocation node and by all work that names it, so that a captured free outlives the
 * graph. */
struct GraphMemory {
    EmuHandle head;
    Device *device;
    EmuSpan *range;
    size_t bytes;
    _Atomic int allocated;      /* after all work that is queued */
    int open, committed, users; /* under the lock */
};

static const size_t PAGE = 4096;
/* The unit in which the real driver takes memory for graphs. */
static const uint64_t CHUNK = (uint64_t)32 << 20; /* what the device's figures are multiples of */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What is charged and given back, in whole pages. */
static size_t
pages_of(const GraphMemory *memory)
{
    return (memory->bytes + PAGE - 1) / PAGE * PAGE;
}

/* Pages are reserved and in use for the same time, so both pairs of figures (now, high) go
 * together. Caller holds the lock. The attributes are numbered in pairs, current and high, used
 * before reserved. */
static void
count(Device *device, size_t bytes, int sign)
{
    for (int now = CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT;
         now <= CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT; now += 2) {
        device->graph_memory[now] += sign > 0 ? bytes : -bytes;
        if (device->graph_memory[now + 1] < device->graph_memory[now]) {
            device->graph_memory[now + 1] = device->graph_memory[now];
        }
    }
}

/* Caller holds the lock. Lookups fail from here on; the pages stay until uncommit_locked. */
static void
close_locked(GraphMemory *memory)
{
    if (memory->open) {
        memory->open = 0;
        emu_range_hide(memory->range, memory->range->lo, memory->range->hi);
    }
}

/* Gives the pages back once nothing may touch them. Caller holds the lock. */
static void
uncommit_locked(GraphMemory *memory)
{
    /* Three reasons to keep the pages: none there, in use now, or an executable graph that may
     * launch again. */
    if (!memory->committed || memory->open || memory->users > 0) {
        return;
    }
    memory->committed = 0;
    /* Mapping anew gives the pages back and keeps the addresses reserved. */
    mmap((void *)(uintptr_t)memory->range->lo, pages_of(memory), PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    emu_memory_charge(memory->device->memory, -(int64_t)pages_of(memory));
    count(memory->device, pages_of(memory), -1);
}

/* Called when a program with the allocation is made or freed, on any thread. */
void
emu_graph_memory_use(GraphMemory *memory, int change)
{
    pthread_mutex_lock(&lock);
    memory->users += change;
    uncommit_locked(memory);
    pthread_mutex_unlock(&lock);
}

/* Runs with the last reference: no program, node or work names the memory any more. */
static void
memory_destroy(void *object)
{
    GraphMemory *memory = object;
    pthread_mutex_lock(&lock);
    close_locked(memory);
    uncommit_locked(memory);
    pthread_mutex_unlock(&lock);
    /* The ledger counts graph memory until it is gone, not until its node is. */
    emu_handle_hide(memory);
    emu_range_retire(memory->range);
}

/* Reserves addresses only; pages come with the first launch. */
static CUresult
make_memory(GraphMemory **out, Device *device, size_t bytes)
{
    GraphMemory *memory = emu_handle_new(KIND_GRAPH_MEMORY, sizeof *memory, memory_destroy);
    if (memory == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory->device = device;
    memory->bytes = bytes;
    if (emu_range_new(device->memory, bytes, 0, memory, &memory->range) < 0) {
        /* There is no range yet that it could retire. */
        memory->head.destroy = NULL;
        emu_handle_close(memory);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = memory;
    return 0;
}

static CUdeviceptr
address_of(const GraphMemory *memory)
{
    return memory->range->lo;
}

/* Only the start of an allocation is its address. */
GraphMemory *
emu_graph_memory_at(uint64_t address)
{
    Driver *driver = emu_driver();
    for (int i = 0; i < driver->device_count; i++) {
        EmuSpan *range = emu_range_find(driver->devices[i].memory, address);
        if (range != NULL && range->lo == address) {
            return range->owner;
        }
    }
    return NULL;
}

/* Called on launch, so that the program gets OUT_OF_MEMORY from the call, and again when the work
 * runs. */
CUresult
emu_graph_memory_commit(GraphMemory *memory)
{
    CUresult result = 0;
    pthread_mutex_lock(&lock);
    if (!memory->committed) {
        size_t pages = pages_of(memory);
        /* Charged before the pages are opened, since the limit stands for the device's memory. */
        if (!emu_memory_charge(memory->device->memory, (int64_t)pages)) {
            result = CUDA_ERROR_OUT_OF_MEMORY;
        }
        else if (mprotect((void *)(uintptr_t)memory->range->lo, memory->bytes,
                          PROT_READ | PROT_WRITE) != 0) {
            emu_memory_charge(memory->device->memory, -(int64_t)pages);
            result = CUDA_ERROR_OUT_OF_MEMORY;
        }
        else {
            memory->committed = 1;
            count(memory->device, pages, 1);
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* The allocation node's turn in the stream. The pages may have been given back since the launch was
 * queued. */
CUresult
emu_graph_memory_open(GraphMemory *memory)
{
    EMU_TRY(emu_graph_memory_commit(memory));
    CUresult result = 0;
    pthread_mutex_lock(&lock);
    close_locked(memory); /* a launch that frees what the one before it left */
    size_t most = emu_driver_settings()->poison_bytes;
    /* What a program reads before it writes should be neither zero nor what was there. The fill
     * also catches reads of what an earlier launch left, which on a GPU might still be there. */
    memset((void *)(uintptr_t)memory->range->lo, 0xCD, memory->bytes < most ? memory->bytes : most);
    EmuSpan *span = emu_range_show(memory->range, memory->range->lo, memory->range->hi, SPAN_GRAPH);
    if (span == NULL) {
        result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    else {
        memory->open = 1;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* The release's turn, or cuMemFree of memory that a launch has left. */
void
emu_graph_memory_close(GraphMemory *memory)
{
    pthread_mutex_lock(&lock);
    close_locked(memory);
    uncommit_locked(memory);
    pthread_mutex_unlock(&lock);
}

/* The answer is about the end of the queue: launches and frees set it when they are submitted. */
int
emu_graph_memory_allocated(GraphMemory *memory)
{
    return atomic_load(&memory->allocated);
}

/* Exchanging tells the second of two frees that it is one. */
int
emu_graph_memory_exchange(GraphMemory *memory, int now)
{
    return atomic_exchange(&memory->allocated, now);
}

/* ---- the device's figures -------------------------------------------------------------------- */

CUresult
cuDeviceGetGraphMemAttribute(CUdevice ordinal, CUgraphMem_attribute attribute, void *value)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetGraphMemAttribute);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (value == NULL || attribute < 0 || attribute > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    /* The real driver allocates for graphs in units of 32 MiB. Rounded for the caller only; the
     * sums are exact. */
    *(cuuint64_t *)value = (device->graph_memory[attribute] + CHUNK - 1) / CHUNK * CHUNK;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* Only high-water marks can be set, and only to zero, which means the present value. */
CUresult
cuDeviceSetGraphMemAttribute(CUdevice ordinal, CUgraphMem_attribute attribute, void *value)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceSetGraphMemAttribute);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (value == NULL || *(cuuint64_t *)value != 0 ||
        (attribute != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
         attribute != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    device->graph_memory[attribute] = device->graph_memory[attribute - 1];
    pthread_mutex_unlock(&lock);
    return 0;
}

CUresult
cuDeviceGraphMemTrim(CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGraphMemTrim);
    return emu_device_get(ordinal, &device); /* pages go as soon as they may */
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Peers need no list: memory of this device is in reach of all that have access to it. */
static CUresult
check_alloc(const CUDA_MEM_ALLOC_NODE_PARAMS *p, Device **device)
{
    if (p == NULL || p->bytesize == 0 || p->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        (p->accessDescs == NULL && p->accessDescCount > 0)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (p->poolProps.location.id < 0 || p->poolProps.location.id >= emu_driver()->device_count) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (p->poolProps.handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
        /* Memory of graphs cannot be shared with other processes. */
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return emu_device_get(p->poolProps.location.id, device);
}

/* `params` receives the address, as cuGraphAddMemAllocNode does. The node keeps a copy of the
 * parameters to be read back. */
CUresult
emu_node_allocate(Node **out, Graph *graph, CUDA_MEM_ALLOC_NODE_PARAMS *params, Node *const *needs,
                  int needs_count)
{
    Device *device;
    Work work = {.kind = WORK_ALLOCATE};
    EMU_TRY(check_alloc(params, &device));
    CUDA_MEM_ALLOC_NODE_PARAMS *kept = malloc(sizeof *kept);
    CUresult result = kept != NULL ? make_memory(&work.memory, device, params->bytesize)
                                   : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == 0) {
        /* emu_graph_add takes over the reference in `work`, also when it fails. */
        params->dptr = address_of(work.memory);
        result = emu_graph_add(out, graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC, &work, needs, needs_count);
    }
    if (result != 0) {
        free(kept);
        return result;
    }
    *kept = *params;
    kept->accessDescs = NULL; /* the caller's list; every peer that may, can access the memory */
    kept->accessDescCount = 0;
    (*out)->alloc = kept;
    /* Graphs with memory nodes cannot be cloned or changed freely; the count tells. */
    graph->memory_nodes++;
    return 0;
}

CUresult
emu_node_release(Node **out, Graph *graph, CUdeviceptr address, Node *const *needs, int needs_count)
{
    GraphMemory *memory = emu_graph_memory_at(address);
    if (memory == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* One release per graph. Memory that another graph allocates may be released here. */
    for (const Node *node = graph->first; node != NULL; node = node->next) {
        if (node->work.kind == WORK_RELEASE && node->work.memory == memory) {
            return CUDA_ERROR_INVALID_VALUE; /* freed in this graph already */
        }
    }
    Work work = {.kind = WORK_RELEASE, .memory = memory};
    emu_handle_ref(memory);
    EMU_TRY(emu_graph_add(out, graph, CU_GRAPH_NODE_TYPE_MEM_FREE, &work, needs, needs_count));
    graph->memory_nodes++;
    return 0;
}

CUresult
cuGraphMemAllocNodeGetParams(CUgraphNode handle, CUDA_MEM_ALLOC_NODE_PARAMS *out)
{
    EMU_TRY_ENTER_NODE(cuGraphMemAllocNodeGetParams, handle, node);
    if (out == NULL || node->alloc == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = *node->alloc;
    return 0;
}

CUresult
cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr *out)
{
    EMU_TRY_ENTER_NODE(cuGraphMemFreeNodeGetParams, handle, node);
    if (out == NULL || node->work.kind != WORK_RELEASE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = address_of(node->work.memory);
    return 0;
}

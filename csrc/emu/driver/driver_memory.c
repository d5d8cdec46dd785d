/* Allocation of device, pinned, registered and managed memory; pointer attributes; IPC handles.
 *
 * Allocations are spans of memory.c with an owner context. Freeing waits for the context's work
 * first, as cuMemFree documents by synchronising, so the pages may go at once; frees in stream
 * order are in driver_pool.c.
 *
 * A call that allocates or frees is refused during a capture in global mode
 * (EMU_TRY_ENTER_UNCAPTURED), since it may synchronise. */
#include "emu/driver/upward.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Rows of 512 bytes satisfy the alignment of textures and of coalesced access. */
enum { PITCH = 512 };

/* Used by all kinds of allocation. Runs without locks and may wait for work of the context. */
CUresult
emu_allocate(Context *context, size_t bytes, EmuSpanKind kind, EmuSpan **out)
{
    int on_host = kind == SPAN_PINNED || kind == SPAN_MANAGED;
    EmuMemory *memory = on_host ? emu_driver()->host : context->device->memory;
    if (bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EmuSpan *span = emu_span_new(memory, bytes, kind, context);
    /* Memory that streams have freed still counts until a synchronisation. So a failure is final
     * only after one. */
    if (span == NULL) {
        emu_context_wait(context);
        emu_memory_release_retired(memory);
        span = emu_span_new(memory, bytes, kind, context);
    }
    if (span == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* Host memory has no device of its own; the attribute names the one of the context that
     * allocated it. */
    span->device = context->device->ordinal;
    *out = span;
    return 0;
}

/* May be called by any thread, also without a current context. What identifies the allocation is
 * read before waiting, since its record may be recycled meanwhile. */
CUresult
emu_deallocate(EmuSpan *span)
{
    Context *owner = emu_handle_get(span->context, KIND_CONTEXT);
    Context *mine = emu_context_peek();
    uint64_t id = span->id, bytes = span->hi - span->lo;
    Pool *pool = span->pool;
    if (owner != NULL) {
        emu_context_wait(owner);
    }
    /* Work of the caller's context may use memory of another one, through peers or host memory. */
    if (mine != NULL && mine != owner) {
        emu_context_wait(mine);
    }
    /* Of two threads that free one address, the slower gets the error. */
    if (!emu_span_drop(span, id)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (pool != NULL) {
        emu_pool_forget(pool, bytes);
    }
    return 0;
}

/* The live allocation that starts at `address` and is of one of `kinds`, or NULL. */
static EmuSpan *
allocation(uint64_t address, unsigned kinds)
{
    EmuSpan *span = emu_find_any(address);
    return span != NULL && span->lo == address && (kinds & 1u << span->kind) != 0 ? span : NULL;
}

/* ---- device memory --------------------------------------------------------------------------- */

/* Free memory is what the limit leaves, since fragmentation of addresses does not occur in
 * practice: the range is many times the limit. */
CUresult
cuMemGetInfo_v2(size_t *available, size_t *total)
{
    Context *context;
    size_t used;
    EMU_TRY_ENTER_CONTEXT(cuMemGetInfo_v2, context);
    size_t all;
    emu_memory_usage(context->device->memory, &used, &all);
    if (available != NULL) {
        *available = all - used;
    }
    if (total != NULL) {
        *total = all;
    }
    return 0;
}

CUresult
cuMemAlloc_v2(CUdeviceptr *out, size_t bytes)
{
    Context *context;
    EmuSpan *span;
    EMU_TRY_ENTER_UNCAPTURED(cuMemAlloc_v2, context);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_allocate(context, bytes, SPAN_DEVICE, &span));
    *out = span->lo;
    return 0;
}

/* The pitch is the caller's to use; element_bytes names the largest access, 4, 8 or 16 bytes, and
 * needs no more than the fixed pitch gives. */
CUresult
cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                   unsigned int element_bytes)
{
    Context *context;
    EmuSpan *span;
    EMU_TRY_ENTER_UNCAPTURED(cuMemAllocPitch_v2, context);
    /* Checked for overflow by `row < width` and by the division. */
    size_t row = (width + PITCH - 1) / PITCH * PITCH;
    if (out == NULL || pitch == NULL || width == 0 || height == 0 || row < width ||
        row > SIZE_MAX / height ||
        (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_allocate(context, row * height, SPAN_DEVICE, &span));
    *out = span->lo;
    *pitch = row;
    return 0;
}

CUresult
cuMemFree_v2(CUdeviceptr address)
{
    Context *context = emu_context_peek(); /* may be missing: the address says whose it is */
    EMU_TRY_ENTER(cuMemFree_v2);
    /* A sticky error is returned before anything is freed. */
    EMU_TRY(context != NULL ? atomic_load(&context->error) : 0);
    EMU_TRY(emu_capture_refuse());
    if (address == 0) {
        return 0;
    }
    /* An allocation node's memory may be freed outside of its graph (CUDA programming guide, graph
     * memory nodes). It is closed, not deallocated: its address belongs to the node. */
    GraphMemory *memory = emu_graph_memory_at(address);
    if (memory != NULL) {
        if (!emu_graph_memory_exchange(memory, 0)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        CUresult error = context != NULL ? emu_context_wait(context) : 0;
        emu_graph_memory_close(memory);
        return error;
    }
    /* A pending cuMemFreeAsync makes a second free an error although the memory is still there. */
    EmuSpan *span = allocation(address, 1u << SPAN_DEVICE | 1u << SPAN_ASYNC | 1u << SPAN_MANAGED);
    if (span == NULL || (__atomic_load_n(&span->flags, __ATOMIC_ACQUIRE) & SPAN_FREE_QUEUED) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_deallocate(span));
    /* The free has waited for work, so it reports the error of that work. */
    return context != NULL ? atomic_load(&context->error) : 0;
}

/* Answers with the whole allocation, also for an address inside of it. */
CUresult
cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuMemGetAddressRange_v2, context);
    EmuSpan *span = emu_find_any(address);
    if (span == NULL) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (base != NULL) {
        *base = span->lo;
    }
    if (bytes != NULL) {
        *bytes = span->hi - span->lo;
    }
    return 0;
}

/* ---- host memory ----------------------------------------------------------------------------- */

/* 0 bytes give a null pointer and no error. Flags are the low three: portable, device map,
 * write-combined; none changes anything here. */
static CUresult
allocate_host(void **out, size_t bytes, unsigned flags)
{
    Context *context;
    EmuSpan *span;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_capture_refuse());
    if (out == NULL || (flags & ~7u) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = NULL;
    if (bytes == 0) {
        return 0;
    }
    EMU_TRY(emu_allocate(context, bytes, SPAN_PINNED, &span));
    span->flags = flags;
    *out = (void *)(uintptr_t)span->lo;
    return 0;
}

CUresult
cuMemHostAlloc(void **out, size_t bytes, unsigned int flags)
{
    EMU_TRY_ENTER(cuMemHostAlloc);
    return allocate_host(out, bytes, flags);
}

CUresult
cuMemAllocHost_v2(void **out, size_t bytes)
{
    EMU_TRY_ENTER(cuMemAllocHost_v2);
    return allocate_host(out, bytes, 0);
}

/* Waits for work like cuMemFree: a copy under way may still use the buffer. */
CUresult
cuMemFreeHost(void *address)
{
    EMU_TRY_ENTER(cuMemFreeHost);
    EMU_TRY(emu_capture_refuse());
    if (address == NULL) {
        return 0;
    }
    EmuSpan *span = allocation((uintptr_t)address, 1u << SPAN_PINNED);
    if (span == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return emu_deallocate(span);
}

/* Under unified addressing the device's pointer equals the host's. */
CUresult
cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *address, unsigned int flags)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuMemHostGetDevicePointer_v2, context);
    EmuSpan *span = emu_find_any((uintptr_t)address);
    if (out == NULL || flags != 0 || span == NULL ||
        (span->kind != SPAN_PINNED && span->kind != SPAN_REGISTERED)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (uintptr_t)address;
    return 0;
}

CUresult
cuMemHostGetFlags(unsigned int *flags, void *address)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuMemHostGetFlags, context);
    EmuSpan *span = emu_find_any((uintptr_t)address);
    if (flags == NULL || span == NULL ||
        (span->kind != SPAN_PINNED && span->kind != SPAN_REGISTERED)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Under unified addressing all pinned memory is mapped. */
    *flags = (span->flags & 7u) | CU_MEMHOSTALLOC_DEVICEMAP;
    return 0;
}

/* Whether the process has memory at all pages of the range. 1024 pages at a time, so that the array
 * is on the stack. mincore fails when any page is not mapped. */
static int
is_mapped(uint64_t address, size_t bytes)
{
    enum { PAGE = 4096, AT_ONCE = 1024 };
    unsigned char pages[AT_ONCE];
    uint64_t at = address / PAGE * PAGE, end = address + bytes;
    while (at < end) {
        uint64_t length = end - at < (uint64_t)PAGE * AT_ONCE ? end - at : (uint64_t)PAGE * AT_ONCE;
        if (mincore((void *)(uintptr_t)at, length, pages) != 0) {
            return 0;
        }
        at += (uint64_t)PAGE * AT_ONCE;
    }
    return 1;
}

/* Locks no pages: it makes the range known, so that kernels may use it and copies need no staging.
 */
CUresult
cuMemHostRegister_v2(void *address, size_t bytes, unsigned int flags)
{
    Context *context;
    EmuSpan *span;
    EMU_TRY_ENTER_UNCAPTURED(cuMemHostRegister_v2, context);
    uint64_t at = (uintptr_t)address;
    if (address == NULL || bytes == 0 || at + bytes < at || (flags & ~15u) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Memory of the device's own ranges is page-locked already. */
    if (emu_is_ours(at) || emu_is_ours(at + bytes - 1) || !is_mapped(at, bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_memory_register(emu_driver()->host, at, bytes, &span));
    span->flags = flags;
    span->context = context;
    span->device = context->device->ordinal;
    return 0;
}

/* The address must be the one that was registered; one inside of the range is a wrong value, any
 * other is not registered. */
CUresult
cuMemHostUnregister(void *address)
{
    EMU_TRY_ENTER(cuMemHostUnregister);
    EMU_TRY(emu_capture_refuse());
    EmuSpan *span = allocation((uintptr_t)address, 1u << SPAN_REGISTERED);
    if (span == NULL) {
        return address == NULL || emu_find_any((uintptr_t)address) != NULL
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    }
    return emu_deallocate(span);
}

/* ---- managed memory -------------------------------------------------------------------------- */

/* Managed memory lies in the range that the host and all devices reach; nothing migrates
 * (advice.c). */
CUresult
cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned int flags)
{
    Context *context;
    EmuSpan *span;
    EMU_TRY_ENTER_UNCAPTURED(cuMemAllocManaged, context);
    if (out == NULL || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_allocate(context, bytes, SPAN_MANAGED, &span));
    span->flags = flags;
    *out = span->lo;
    return 0;
}

/* Attaching tells which stream may use the memory while the host does. Here all may at any time, so
 * only the arguments are checked. */
CUresult
cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address, size_t bytes, unsigned int flags)
{
    Context *context;
    Stream *stream;
    EMU_TRY_ENTER_CONTEXT(cuStreamAttachMemAsync, context);
    EMU_TRY(emu_stream_get(context, handle, &stream));
    if (emu_stream_captures(stream)) {
        return emu_capture_invalidate(stream);
    }
    EmuSpan *span = emu_find_any(address);
    if (span == NULL || span->kind != SPAN_MANAGED ||
        (bytes != 0 && bytes != span->hi - span->lo) ||
        (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
         flags != CU_MEM_ATTACH_SINGLE) ||
        (flags == CU_MEM_ATTACH_SINGLE && stream == context->legacy)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return 0;
}

/* ---- pointer attributes ---------------------------------------------------------------------- */

static int
is_host_memory(const EmuSpan *span)
{
    return span->kind == SPAN_PINNED || span->kind == SPAN_REGISTERED;
}

/* One attribute of an address within `span`. The type of *value follows from the attribute. */
static CUresult
span_attribute(const EmuSpan *span, uint64_t address, CUpointer_attribute attribute, void *value)
{
    uint64_t lo = span->lo, hi = span->hi;
    /* A visible span may join several mappings, while RANGE attributes ask for the reservation and
     * MAPPING attributes for one mapping. */
    if (span->kind == SPAN_MAPPED) {
        emu_mapping_find(address, &lo, &hi);
        span = attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                       attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE
                   ? span->range
                   : span;
    }
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: /* memory of pools and what is mapped belong to none */
        *(CUcontext *)value = span->kind == SPAN_ASYNC ? NULL : (CUcontext)span->context;
        return 0;
    /* Managed memory answers as device memory, as the driver does. */
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = is_host_memory(span) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return 0;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)value = address;
        return 0;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!is_host_memory(span) && span->kind != SPAN_MANAGED) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        *(void **)value = (void *)(uintptr_t)address;
        return 0;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        memset(value, 0, 16); /* for kernel drivers that are not there */
        return is_host_memory(span) ? CUDA_ERROR_INVALID_VALUE : 0;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: /* copies are complete when their calls return */
        *(unsigned *)value = !is_host_memory(span);
        return 0;
    /* Ids are unique in the process, as BUFFER_ID documents. */
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        *(unsigned long long *)value = span->id;
        return 0;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)value = span->kind == SPAN_MANAGED;
        return 0;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = span->device;
        return 0;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)value = span->kind == SPAN_DEVICE;
        return 0;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)value = span->lo;
        return 0;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)value = span->hi - span->lo;
        return 0;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *(CUdeviceptr *)value = lo;
        return 0;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *(size_t *)value = hi - lo;
        return 0;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)value = 1;
        return 0;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(uint64_t *)value = 0;
        return 0;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        *(unsigned *)value = 0;
        return 0;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(CUmemAccess_flags *)value = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        return 0;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)value = (CUmemoryPool)span->pool;
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* What cuPointerGetAttributes says about memory the driver does not know. */
static CUresult
foreign_attribute(CUpointer_attribute attribute, void *value)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(uint64_t *)value = 0;
        return 0;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = CU_DEVICE_INVALID;
        return 0;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)value = 0;
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* This single form fails for unknown memory, while the plural one answers with zeros. */
CUresult
cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    EMU_TRY_ENTER(cuPointerGetAttribute);
    EmuSpan *span = emu_find_any(address);
    if (value == NULL || span == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return span_attribute(span, address, attribute, value);
}

/* Programs use it to classify a pointer in one call, which is why unknown memory is no error
 * (cuPointerGetAttributes). */
CUresult
cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **values,
                       CUdeviceptr address)
{
    EMU_TRY_ENTER(cuPointerGetAttributes);
    if (count == 0 || attributes == NULL || values == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EmuSpan *span = emu_find_any(address);
    for (unsigned i = 0; i < count; i++) {
        /* An attribute that does not apply is answered as for foreign memory. */
        if (span == NULL || span_attribute(span, address, attributes[i], values[i]) != 0) {
            EMU_TRY(foreign_attribute(attributes[i], values[i]));
        }
    }
    return 0;
}

CUresult
cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
    EMU_TRY_ENTER(cuPointerSetAttribute);
    if (value == NULL || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        emu_find_any(address) == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return 0; /* synchronous copies are complete on return anyway */
}

/* ---- handles for other processes: they work within this one ---------------------------------- */

/* A handle carries what is needed to find the object again and to recognise one that was reused.
 * The process id makes a handle of another process fail instead of being taken for one of this. */
enum { IPC_EVENT = 0x65706963, IPC_MEMORY = 0x6d706963 };

typedef struct {
    uint32_t magic;
    int process;
    uint64_t object, id;
} IpcHandle;

_Static_assert(sizeof(IpcHandle) <= sizeof(CUipcMemHandle), "an IPC handle has 64 bytes");

/* Any address within the allocation will do; the handle names its start. */
CUresult
cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr address)
{
    EMU_TRY_ENTER(cuIpcGetMemHandle);
    EmuSpan *span = emu_find_any(address);
    if (out == NULL || span == NULL || span->kind != SPAN_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    IpcHandle handle = {IPC_MEMORY, (int)getpid(), span->lo, span->id};
    memset(out, 0, sizeof *out);
    memcpy(out, &handle, sizeof handle);
    return 0;
}

/* Gives the same address again, since one process has one address space here. */
static CUresult
open_memory(CUdeviceptr *out, const CUipcMemHandle *bytes, unsigned flags)
{
    Context *context;
    IpcHandle handle;
    EMU_TRY(emu_context_current(&context));
    memcpy(&handle, bytes, sizeof handle);
    if (out == NULL || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || handle.magic != IPC_MEMORY) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EmuSpan *span = handle.process == (int)getpid() ? emu_find_any(handle.object) : NULL;
    if (span == NULL || span->id != handle.id) {
        return CUDA_ERROR_MAP_FAILED;
    }
    /* Counted, so that a close without an open is an error. The owner's free ends the memory
     * whatever the count is. */
    __atomic_fetch_add(&span->opened, 1, __ATOMIC_RELAXED);
    *out = span->lo;
    return 0;
}

CUresult
cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle, unsigned int flags)
{
    EMU_TRY_ENTER(cuIpcOpenMemHandle_v2);
    return open_memory(out, &handle, flags);
}

CUresult
cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle, unsigned int flags)
{
    EMU_TRY_ENTER(cuIpcOpenMemHandle);
    return open_memory(out, &handle, flags);
}

CUresult
cuIpcCloseMemHandle(CUdeviceptr address)
{
    EMU_TRY_ENTER(cuIpcCloseMemHandle);
    EmuSpan *span = allocation(address, 1u << SPAN_DEVICE);
    if (span == NULL || __atomic_load_n(&span->opened, __ATOMIC_RELAXED) == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    __atomic_fetch_sub(&span->opened, 1, __ATOMIC_RELAXED);
    return 0;
}

/* Only events made for other processes have handles. */
CUresult
cuIpcGetEventHandle(CUipcEventHandle *out, CUevent event_handle)
{
    EMU_TRY_ENTER(cuIpcGetEventHandle);
    Event *event = emu_handle_get(event_handle, KIND_EVENT);
    if (event == NULL || out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!(event->flags & CU_EVENT_INTERPROCESS)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    IpcHandle handle = {IPC_EVENT, (int)getpid(), (uintptr_t)event, event->head.serial};
    memset(out, 0, sizeof *out);
    memcpy(out, &handle, sizeof handle);
    return 0;
}

CUresult
cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle bytes)
{
    IpcHandle handle;
    EMU_TRY_ENTER(cuIpcOpenEventHandle);
    memcpy(&handle, &bytes, sizeof handle);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (handle.magic != IPC_EVENT) {
        return CUDA_ERROR_MAP_FAILED;
    }
    /* A driver gives the opener an object of its own; in one process that would be the same event
     * destroyed twice, so it is refused as a driver refuses a handle of its own process. */
    return CUDA_ERROR_INVALID_CONTEXT;
}

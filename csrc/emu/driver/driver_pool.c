/* Memory pools and stream-ordered allocation.
 *
 * An allocation is a span of its own from the start; freeing it is stream work that makes the span
 * unreachable but keeps its pages until a synchronisation, so that a program that breaks stream
 * order gets an error and not a crash. Addresses are not reused: what a pool would give out again
 * at once on a GPU is caught here when it is used too late.
 *
 * A pool here is an account: how much is allocated through it, the most that ever was, and its
 * limit. Each allocation holds a reference to its pool, so that destroying the pool is safe at any
 * time. */
#include "emu/driver/upward.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* `limit` is maxSize of the properties; 0 stands for none. `access` changes without the lock:
 * kernels of other devices read it while they run. */
struct Pool {
    EmuHandle head;
    Device *device;
    int is_default;
    _Atomic unsigned access; /* bit per device */
    int handle_types, exported;
    Pool *source;         /* of an imported pool: the one it stands for; reference */
    pthread_mutex_t lock; /* guards what follows */
    uint64_t used, used_high, threshold, limit;
    int reuse[3]; /* the three reuse policies, kept to be read back */
};

/* Runs with the last reference: after the handle and all allocations are gone. */
static void
pool_destroy(void *object)
{
    Pool *pool = object;
    emu_handle_unref(pool->source);
    pthread_mutex_destroy(&pool->lock);
}

/* Default pools live as long as the driver and are not counted by the ledger. */
Pool *
emu_pool_new(Device *device, int is_default)
{
    Pool *pool = emu_handle_new(KIND_POOL, sizeof *pool, pool_destroy);
    if (pool != NULL) {
        pthread_mutex_init(&pool->lock, NULL);
        pool->device = device;
        pool->is_default = is_default;
        pool->access = 1u << device->ordinal;
        /* The three policies are enabled at first, as the driver API documents. */
        pool->reuse[0] = pool->reuse[1] = pool->reuse[2] = 1;
        if (is_default) {
            emu_handle_hide(pool);
        }
    }
    return pool;
}

/* Counts an allocation before it is made, so that threads side by side stay within the limit. The
 * high-water mark is kept under the same lock as the sum. */
static CUresult
reserve(Pool *pool, uint64_t bytes)
{
    pthread_mutex_lock(&pool->lock);
    int fits = pool->limit == 0 || (pool->used <= pool->limit && bytes <= pool->limit - pool->used);
    pool->used += fits ? bytes : 0;
    if (pool->used > pool->used_high) {
        pool->used_high = pool->used;
    }
    pthread_mutex_unlock(&pool->lock);
    return fits ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Also drops the allocation's reference, which may be the last. */
void
emu_pool_forget(Pool *pool, uint64_t bytes)
{
    pthread_mutex_lock(&pool->lock);
    pool->used -= bytes;
    pthread_mutex_unlock(&pool->lock);
    emu_handle_unref(pool);
}

/* Runs on the thread that executes the stream. The size is read before the span is retired, since
 * its record may be recycled then. */
void
emu_pool_span_freed(EmuSpan *span)
{
    Pool *pool = span->pool;
    uint64_t bytes = span->hi - span->lo;
    emu_span_retire(span);
    if (pool != NULL) {
        emu_pool_forget(pool, bytes);
    }
}

/* ---- allocation ------------------------------------------------------------------------------ */

/* Allocates at once on the calling thread: memory that is there earlier than stream order asks for
 * does no harm. */
static CUresult
allocate(CUdeviceptr *out, size_t bytes, Pool *pool, CUstream handle)
{
    Context *context;
    Stream *stream;
    EmuSpan *span;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (bytes == 0) {
        *out = 0;
        return 0;
    }
    /* During a capture the allocation becomes a node of the graph, and the address is the node's.
     */
    if (emu_stream_captures(stream)) {
        return emu_capture_allocate(stream, bytes, out);
    }
    EMU_TRY(emu_capture_refuse());
    if (pool != NULL && pool->device != context->device) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The device's current pool can be exchanged by cuDeviceSetMemPool and then destroyed: the lock
     * covers the reference, which is the allocation's. */
    pthread_mutex_lock(&context->device->lock);
    pool = pool != NULL ? pool : context->device->current_pool;
    emu_handle_ref(pool);
    pthread_mutex_unlock(&context->device->lock);
    CUresult result = reserve(pool, bytes);
    if (result != 0) {
        emu_handle_unref(pool);
        return result;
    }
    /* May wait for the context's work when memory is short (emu_allocate), so no lock is held. */
    result = emu_allocate(context, bytes, SPAN_ASYNC, &span);
    if (result != 0) {
        emu_pool_forget(pool, bytes);
        return result;
    }
    span->pool = pool;
    *out = span->lo;
    return 0;
}

CUresult
cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemAllocAsync);
    return allocate(out, bytes, NULL, stream);
}

CUresult
cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool handle, CUstream stream)
{
    EMU_TRY_ENTER(cuMemAllocFromPoolAsync);
    Pool *pool = emu_handle_get(handle, KIND_POOL);
    /* Imported pools cannot be allocated from (cuMemPoolImportFromShareableHandle). */
    return pool != NULL && pool->source == NULL ? allocate(out, bytes, pool, stream)
                                                : CUDA_ERROR_INVALID_VALUE;
}

/* The memory may come from any pool or from cuMemAlloc (CUDA programming guide, stream-ordered
 * memory allocator). */
CUresult
cuMemFreeAsync(CUdeviceptr address, CUstream handle)
{
    Context *context;
    Stream *stream;
    EMU_TRY_ENTER_CONTEXT(cuMemFreeAsync, context);
    EMU_TRY(emu_stream_get(context, handle, &stream));
    if (address == 0) {
        return 0;
    }
    if (emu_stream_captures(stream)) {
        return emu_capture_release(stream, address);
    }
    GraphMemory *memory = emu_graph_memory_at(address);
    /* Memory of a graph node that its own graph does not free. */
    if (memory != NULL) {
        if (!emu_graph_memory_exchange(memory, 0)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        Work release = {.kind = WORK_RELEASE, .memory = memory};
        emu_handle_ref(memory);
        return emu_submit(stream, &release, SUBMIT_ONLY);
    }
    EmuSpan *span = emu_find_any(address);
    /* Managed memory cannot be freed in stream order here. */
    if (span != NULL && span->lo == address && span->kind == SPAN_MANAGED) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    /* An address inside of an allocation is refused, as is memory of other kinds. */
    if (span == NULL || span->lo != address ||
        (span->kind != SPAN_ASYNC && span->kind != SPAN_DEVICE)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* At once, on the calling thread: the second of two frees is refused although the first has
     * not run yet. */
    if (__atomic_fetch_or(&span->flags, SPAN_FREE_QUEUED, __ATOMIC_ACQ_REL) & SPAN_FREE_QUEUED) {
        return CUDA_ERROR_INVALID_VALUE; /* freed twice */
    }
    Work work = {.kind = WORK_FREE, .span = span};
    return emu_submit(stream, &work, SUBMIT_ONLY);
}

/* ---- pools ----------------------------------------------------------------------------------- */

/* The entries below act on a pool by its handle, without a current context. */
#define EMU_TRY_ENTER_POOL(name, handle, pool)                                                     \
    EMU_TRY_ENTER(name);                                                                           \
    Pool *pool = emu_handle_get(handle, KIND_POOL);                                                \
    if (pool == NULL) {                                                                            \
        return CUDA_ERROR_INVALID_VALUE;                                                           \
    }

/* Only memory on a device; handles for other processes are file descriptors. */
CUresult
cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
    Device *device;
    EMU_TRY_ENTER(cuMemPoolCreate);
    if (out == NULL || props == NULL || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if ((props->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0 ||
        emu_device_get(props->location.id, &device) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Pool *pool = emu_pool_new(device, 0);
    if (pool == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pool->limit = props->maxSize;
    pool->handle_types = props->handleTypes;
    *out = (CUmemoryPool)pool;
    return 0;
}

CUresult
cuMemPoolDestroy(CUmemoryPool handle)
{
    EMU_TRY_ENTER_POOL(cuMemPoolDestroy, handle, pool);
    if (pool->is_default) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* A destroyed pool is not allocated from any more, also where a program had made it the
     * device's. The lock of the device is taken, not the pool's: the former guards which pool is
     * current. */
    pthread_mutex_lock(&pool->device->lock);
    if (pool->device->current_pool == pool) {
        pool->device->current_pool = pool->device->default_pool;
    }
    pthread_mutex_unlock(&pool->device->lock);
    emu_handle_close(pool); /* its allocations keep it until they are freed */
    return 0;
}

/* Nothing is cached in a pool, so trimming means waiting and releasing what streams have freed. */
CUresult
cuMemPoolTrimTo(CUmemoryPool handle, size_t keep)
{
    EMU_TRY_ENTER(cuMemPoolTrimTo);
    EMU_TRY(emu_capture_refuse());
    const Pool *pool = emu_handle_get(handle, KIND_POOL);
    if (pool == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    (void)keep; /* freed pages go at the next moment without work */
    Context *context = emu_context_peek();
    if (context != NULL && context->device == pool->device) {
        emu_context_wait(context);
        emu_memory_release_retired(pool->device->memory);
    }
    return 0;
}

/* The type of *value follows from the attribute: int for the policies, 64 bits for sizes. */
CUresult
cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value)
{
    EMU_TRY_ENTER_POOL(cuMemPoolSetAttribute, handle, pool);
    CUresult result = 0;
    /* An imported pool's attributes are its exporter's. */
    if (value == NULL || pool->source != NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&pool->lock);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->reuse[attribute - 1] = *(int *)value != 0;
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        pool->threshold = *(cuuint64_t *)value;
        break;
    /* High-water marks can only be reset, to the current values. */
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        result = *(cuuint64_t *)value == 0 ? 0 : CUDA_ERROR_INVALID_VALUE;
        if (result == 0) {
            pool->used_high = pool->used;
        }
        break;
    default:
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&pool->lock);
    return result;
}

CUresult
cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value)
{
    EMU_TRY_ENTER_POOL(cuMemPoolGetAttribute, handle, pool);
    CUresult result = 0;
    if (value == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&pool->lock);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = pool->reuse[attribute - 1];
        break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = pool->threshold;
        break;
    /* Memory is reserved as long as it is used, so the two figures are one. */
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = pool->used;
        break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = pool->used_high;
        break;
    default:
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&pool->lock);
    return result;
}

CUresult
cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *list, size_t count)
{
    EMU_TRY_ENTER_POOL(cuMemPoolSetAccess, handle, pool);
    if (list == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        Device *device;
        if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
            return CUDA_ERROR_NOT_SUPPORTED;
        }
        if (list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
            list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        EMU_TRY(emu_device_get(list[i].location.id, &device));
        int enable = list[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        /* A device always reaches its own pool; taking that right away is an error. */
        if (device == pool->device) {
            if (!enable) {
                return CUDA_ERROR_INVALID_DEVICE;
            }
            continue;
        }
        if (enable && !emu_driver_settings()->peers) {
            return CUDA_ERROR_INVALID_DEVICE;
        }
        unsigned bit = 1u << device->ordinal;
        if (enable) {
            atomic_fetch_or(&pool->access, bit);
            emu_memory_set_shared(device->memory, pool->device->memory);
        }
        else {
            atomic_fetch_and(&pool->access, ~bit);
        }
    }
    return 0;
}

/* Slots of handles are never unmapped, so a pool that is gone is read without harm by a kernel that
 * uses its memory too late. */
int
emu_pool_lets(const Pool *pool, int device)
{
    return (atomic_load_explicit(&pool->access, memory_order_acquire) & 1u << device) != 0;
}

CUresult
cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool handle, CUmemLocation *location)
{
    Device *device;
    EMU_TRY_ENTER_POOL(cuMemPoolGetAccess, handle, pool);
    if (flags == NULL || location == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (emu_device_get(location->id, &device) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *flags = pool->access & 1u << device->ordinal ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                  : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return 0;
}

CUresult
cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetDefaultMemPool);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUmemoryPool)device->default_pool;
    return 0;
}

CUresult
cuDeviceGetMemPool(CUmemoryPool *out, CUdevice ordinal)
{
    Device *device;
    EMU_TRY_ENTER(cuDeviceGetMemPool);
    if (out == NULL || emu_device_get(ordinal, &device) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&device->lock);
    *out = (CUmemoryPool)device->current_pool;
    pthread_mutex_unlock(&device->lock);
    return 0;
}

CUresult
cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle)
{
    Device *device;
    EMU_TRY_ENTER_POOL(cuDeviceSetMemPool, handle, pool);
    EMU_TRY(emu_device_get(ordinal, &device));
    if (pool->device != device) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&device->lock);
    device->current_pool = pool;
    pthread_mutex_unlock(&device->lock);
    return 0;
}

/* ---- handles for other processes: they work within this one ---------------------------------- */

/* Marks, so that a descriptor or buffer of another kind is refused. */
enum { POOL_HANDLE = 0x6c6f6f70, POOL_POINTER = 0x72747070 };

typedef struct {
    uint32_t magic;
    int process;
    uint64_t object, id;
} Ticket;

_Static_assert(sizeof(Ticket) <= sizeof(CUmemPoolPtrExportData),
               "an exported pointer has 64 bytes");

/* The handle is a file that says which pool it is. The file lives in memory only, and closes on
 * exec. The pool is found again by address and serial number, so a reused slot is noticed. */
CUresult
cuMemPoolExportToShareableHandle(void *out, CUmemoryPool handle, CUmemAllocationHandleType type,
                                 unsigned long long flags)
{
    EMU_TRY_ENTER_POOL(cuMemPoolExportToShareableHandle, handle, pool);
    if (out == NULL || flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        pool->handle_types != type) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Ticket ticket = {POOL_HANDLE, (int)getpid(), (uintptr_t)pool, pool->head.serial};
    int file = (int)syscall(SYS_memfd_create, "gpunp emulated device pool", 1u /* close on exec */);
    if (file < 0 || pwrite(file, &ticket, sizeof ticket, 0) != (ssize_t)sizeof ticket) {
        if (file >= 0) {
            close(file);
        }
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    pool->exported = 1;
    *(int *)out = file;
    return 0;
}

/* Within one process only: another process has an emulated device of its own. */
CUresult
cuMemPoolImportFromShareableHandle(CUmemoryPool *out, void *shared, CUmemAllocationHandleType type,
                                   unsigned long long flags)
{
    Ticket ticket = {0};
    EMU_TRY_ENTER(cuMemPoolImportFromShareableHandle);
    if (out == NULL || flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        pread((int)(intptr_t)shared, &ticket, sizeof ticket, 0) != (ssize_t)sizeof ticket ||
        ticket.magic != POOL_HANDLE || ticket.process != (int)getpid()) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Pool *source = emu_handle_get((const void *)(uintptr_t)ticket.object, KIND_POOL);
    if (source == NULL || source->head.serial != ticket.id) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Pool *pool = emu_pool_new(source->device, 0);
    if (pool == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* The reference keeps the exporter's pool while the imported one exists. */
    emu_handle_ref(source);
    pool->source = source;
    *out = (CUmemoryPool)pool;
    return 0;
}

/* Only of pools that were exported before, as the driver API requires. */
CUresult
cuMemPoolExportPointer(CUmemPoolPtrExportData *out, CUdeviceptr address)
{
    EMU_TRY_ENTER(cuMemPoolExportPointer);
    EmuSpan *span = emu_find_any(address);
    if (out == NULL || span == NULL || span->lo != address || span->pool == NULL ||
        !span->pool->exported) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Ticket ticket = {POOL_POINTER, (int)getpid(), span->lo, span->id};
    memset(out, 0, sizeof *out);
    memcpy(out, &ticket, sizeof ticket);
    return 0;
}

/* The same address as the exporter's. Freeing it frees the allocation itself. */
CUresult
cuMemPoolImportPointer(CUdeviceptr *out, CUmemoryPool handle, CUmemPoolPtrExportData *data)
{
    Ticket ticket;
    EMU_TRY_ENTER_POOL(cuMemPoolImportPointer, handle, pool);
    if (out == NULL || data == NULL || pool->source == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(&ticket, data, sizeof ticket);
    EmuSpan *span = ticket.magic == POOL_POINTER ? emu_find_any(ticket.object) : NULL;
    if (span == NULL || span->id != ticket.id || span->pool != pool->source) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = span->lo;
    return 0;
}

/* ---- pools by place -------------------------------------------------------------------------- */

/* The newer entries name a pool by its location; those for the host do not exist here. */
static CUresult
device_of(const CUmemLocation *location, CUmemAllocationType type, CUdevice *out)
{
    Device *device;
    if (location == NULL || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        type != CU_MEM_ALLOCATION_TYPE_PINNED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = location->id;
    return emu_device_get(location->id, &device);
}

CUresult
cuMemGetDefaultMemPool(CUmemoryPool *out, CUmemLocation *location, CUmemAllocationType type)
{
    CUdevice device;
    EMU_TRY_ENTER(cuMemGetDefaultMemPool);
    EMU_TRY(device_of(location, type, &device));
    return cuDeviceGetDefaultMemPool(out, device);
}

CUresult
cuMemGetMemPool(CUmemoryPool *out, CUmemLocation *location, CUmemAllocationType type)
{
    CUdevice device;
    EMU_TRY_ENTER(cuMemGetMemPool);
    EMU_TRY(device_of(location, type, &device));
    return cuDeviceGetMemPool(out, device);
}

CUresult
cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    CUdevice device;
    EMU_TRY_ENTER(cuMemSetMemPool);
    EMU_TRY(device_of(location, type, &device));
    return cuDeviceSetMemPool(device, pool);
}

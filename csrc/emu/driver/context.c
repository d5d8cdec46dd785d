/* Contexts, the stack of them each thread has, limits and peer access.
 *
 * A context owns its streams, events, modules and memory: ending it ends them. A thread keeps
 * contexts on its stack by handle and serial number, so that one destroyed elsewhere is noticed.
 *
 * The context of a thread is the top of its stack; calls other than those here take it by
 * emu_context_current. A kernel's fault becomes the context's sticky error, which all later calls
 * return until the context is destroyed, as the CUDA driver API says of CUDA_ERROR_ILLEGAL_ADDRESS
 * and the errors like it. */
#include "emu/driver/upward.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any program nests. A full stack is reported as OUT_OF_MEMORY. */
enum { STACK_DEPTH = 64 };

/* One stack per thread, so it needs no lock. The entries are no references: a thread must not keep
 * a context that another destroys. */
static _Thread_local struct {
    struct {
        Context *context;
        uint32_t serial;
    } items[STACK_DEPTH];
    int depth;
} stack;

static _Atomic uint64_t context_ids;

/* ---- the calling thread's context ------------------------------------------------------------ */

/* A slot of an ended context may hold a new one by now. Kind and serial are both tested, and the
 * slot itself is always readable (handle.c). */
static CUresult
top(Context **out)
{
    if (stack.depth == 0 || stack.items[stack.depth - 1].context == NULL) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    Context *context = stack.items[stack.depth - 1].context;
    if (atomic_load_explicit(&context->head.kind, memory_order_acquire) != KIND_CONTEXT ||
        context->head.serial != stack.items[stack.depth - 1].serial) {
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    *out = context;
    return 0;
}

/* Every call that needs a context passes here. Relaxed: the error is set by work on another thread,
 * and a call that comes too early to see it succeeds, as on a GPU. */
CUresult
emu_context_current(Context **out)
{
    CUresult result = top(out);
    return result != 0 ? result : atomic_load_explicit(&(*out)->error, memory_order_relaxed);
}

Context *
emu_context_peek(void)
{
    Context *context = NULL;
    return top(&context) == 0 ? context : NULL;
}

static CUresult
push(Context *context)
{
    if (stack.depth == STACK_DEPTH) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    stack.items[stack.depth].context = context;
    /* The serial tells a context from a later one in the same slot: a destroyed context on the
     * stack is recognised. */
    stack.items[stack.depth++].serial = context != NULL ? context->head.serial : 0;
    return 0;
}

/* ---- creation and end -------------------------------------------------------------------- */

/* What cuCtxGetLimit returns at first, in bytes or counts. Those left out are zero. */
static const size_t default_limits[EMU_LIMITS] = {
    [CU_LIMIT_STACK_SIZE] = 1024,
    [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
    [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20,
    [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
};

/* Runs with the last reference, which may be held by a stream, an event or a module that outlives
 * the handle. */
static void
context_destroy(void *object)
{
    Context *context = object;
    free(context->printed);
    pthread_mutex_destroy(&context->lock);
}

_Static_assert(sizeof(Context) <= 512, "handle.c: a context must fit its slot");

/* One way of waiting at most. */
int
emu_context_flags_valid(unsigned flags)
{
    unsigned waiting = flags & CU_CTX_SCHED_MASK;
    return (flags & ~(unsigned)CU_CTX_FLAGS_MASK) == 0 && (waiting & (waiting - 1)) == 0;
}

/* Used for contexts of programs and, under the device's lock, for primary ones. It waits for
 * nothing. */
CUresult
emu_context_new(Context **out, Device *device, unsigned flags, int primary)
{
    if (!emu_context_flags_valid(flags)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Context *context = emu_handle_new(KIND_CONTEXT, sizeof *context, context_destroy);
    if (context == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&context->lock, NULL);
    context->device = device;
    context->flags = flags;
    context->primary = primary;
    /* The version that cuCtxCreate_v2 reports. */
    context->version = 3020;
    context->id = 1 + atomic_fetch_add(&context_ids, 1);
    for (int i = 0; i < EMU_LIMITS; i++) {
        atomic_store(&context->limits[i], default_limits[i]);
    }
    /* The legacy stream holds a reference to the context, which its end drops: the cycle is broken
     * by emu_context_end. */
    CUresult result = emu_stream_new(&context->legacy, context, CU_STREAM_DEFAULT, 0);
    if (result != 0) {
        emu_handle_close(context);
        return result;
    }
    emu_handle_hide(context->legacy);
    *out = context;
    return 0;
}

/* Called without locks by cuCtxDestroy and when a primary context's count reaches zero. Streams
 * first, as their work needs everything else; then modules and events; memory last. */
void
emu_context_end(Context *context)
{
    emu_context_wait(context);
    /* From here on no thread finds it; what is left belongs to this one. */
    /* The handle stops resolving before anything is taken apart; the memory stays until the last
     * reference. Other threads that have the context on their stacks get CONTEXT_IS_DESTROYED from
     * now on. */
    atomic_store(&context->head.kind, KIND_FREE);
    /* A stream that is stopping leaves the list on its dispatcher's thread, so the loop takes the
     * lock anew for each and waits until the list is empty. */
    for (;;) {
        pthread_mutex_lock(&context->lock);
        Stream *stream = context->streams;
        while (stream != NULL && stream->stopping) {
            stream = stream->next;
        }
        int none_left = context->streams == NULL;
        pthread_mutex_unlock(&context->lock);
        if (none_left) {
            break;
        }
        if (stream != NULL) {
            emu_stream_end(stream);
        }
        else {
            sched_yield(); /* the last ones leave the list by their own threads */
        }
    }
    emu_stream_end(context->legacy);
    while (context->modules != NULL) {
        emu_module_end(context->modules);
    }
    /* Other threads may destroy events meanwhile: the reference keeps one until it is decided who
     * closes it. */
    for (;;) {
        pthread_mutex_lock(&context->lock);
        Event *event = context->events;
        if (event != NULL) {
            emu_handle_ref(event);
        }
        pthread_mutex_unlock(&context->lock);
        if (event == NULL) {
            break;
        }
        if (emu_event_unlink(event)) {
            emu_handle_close(event);
        }
        emu_handle_unref(event);
    }
    /* Both memories: host memory allocated through this context goes with it. */
    emu_memory_drop_context(context->device->memory, context);
    emu_memory_drop_context(emu_driver()->host, context);
    emu_handle_close(context);
}

/* The first error stays: later ones are consequences of it. */
void
emu_context_fail(Context *context, CUresult code)
{
    int none = 0;
    atomic_compare_exchange_strong(&context->error, &none, code);
}

/* What is late was injected by a fault plan (gate.c) for the next call that synchronises, which is
 * where programs see asynchronous errors. */
CUresult
emu_context_error(Context *context)
{
    if (atomic_load_explicit(&context->late, memory_order_relaxed) != 0) {
        emu_context_fail(context, atomic_exchange(&context->late, 0));
    }
    return atomic_load(&context->error);
}

void
emu_context_drain(Context *context)
{
    /* Streams cannot vanish while they are referenced; more work may be queued meanwhile, which is
     * not waited for. Batches on the stack: neither memory nor the context's lock may be held while
     * waiting, since the work itself may take that lock. */
    enum { BATCH = 64 };
    struct {
        Stream *stream;
        uint64_t number;
    } waits[BATCH];
    int count, more;
    do {
        count = more = 0;
        pthread_mutex_lock(&context->lock);
        for (Stream *stream = context->streams; stream != NULL; stream = stream->next) {
            uint64_t number = atomic_load(&stream->submitted);
            if (atomic_load(&stream->done) >= number) {
                continue;
            }
            if (count == BATCH) {
                more = 1;
                break;
            }
            emu_handle_ref(stream);
            waits[count].stream = stream;
            waits[count++].number = number;
        }
        pthread_mutex_unlock(&context->lock);
        for (int i = 0; i < count; i++) {
            emu_stream_wait(waits[i].stream, waits[i].number);
            emu_handle_unref(waits[i].stream);
        }
    } while (more);
    /* The legacy stream is in no list. */
    emu_stream_wait(context->legacy, atomic_load(&context->legacy->submitted));
}

/* The common synchronisation point: cuCtxSynchronize, frees, unloading. Everything that became safe
 * by the wait is done here. */
CUresult
emu_context_wait(Context *context)
{
    emu_context_drain(context);
    emu_order_host_waited_all(context);
    /* Nothing runs now unless another thread is submitting, so pages that streams have freed go. */
    emu_memory_release_retired(context->device->memory);
    emu_context_flush_print(context);
    return emu_context_error(context);
}

/* ---- device printf --------------------------------------------------------------------------- */

/* Called by threads that run kernels, so the buffer has a lock: the context's, which is free while
 * work runs. */
void
emu_context_print(void *object, const char *text, size_t bytes)
{
    Context *context = object;
    pthread_mutex_lock(&context->lock);
    /* A buffer that cannot grow loses the text; printf of a kernel has no way to report that. */
    if (context->printed_bytes + bytes > context->printed_capacity) {
        size_t capacity = 2 * (context->printed_bytes + bytes) + 256;
        char *grown = realloc(context->printed, capacity);
        if (grown == NULL) {
            pthread_mutex_unlock(&context->lock);
            return;
        }
        context->printed = grown;
        context->printed_capacity = capacity;
    }
    memcpy(context->printed + context->printed_bytes, text, bytes);
    context->printed_bytes += bytes;
    pthread_mutex_unlock(&context->lock);
}

/* Output appears at synchronisation points and in the order in which it was printed (CUDA
 * programming guide, formatted output). fwrite runs under the lock, so that two threads cannot mix
 * texts. */
void
emu_context_flush_print(Context *context)
{
    pthread_mutex_lock(&context->lock);
    if (context->printed_bytes > 0) {
        fwrite(context->printed, 1, context->printed_bytes, stdout);
        fflush(stdout);
        context->printed_bytes = 0;
    }
    pthread_mutex_unlock(&context->lock);
}

/* ---- making and choosing --------------------------------------------------------------------- */

/* A new context becomes current, which only this family of calls does. */
static CUresult
create(CUcontext *out, unsigned flags, CUdevice ordinal, unsigned version)
{
    Device *device;
    Context *context;
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_device_get(ordinal, &device));
    EMU_TRY(emu_context_new(&context, device, flags, 0));
    context->version = version;
    CUresult result = push(context);
    if (result != 0) {
        emu_context_end(context);
        return result;
    }
    *out = (CUcontext)context;
    return 0;
}

CUresult
cuCtxCreate_v2(CUcontext *out, unsigned int flags, CUdevice device)
{
    EMU_TRY_ENTER(cuCtxCreate_v2);
    return create(out, flags, device, 3020);
}

CUresult
cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinity, int count, unsigned int flags,
               CUdevice device)
{
    EMU_TRY_ENTER(cuCtxCreate_v3);
    if (affinity != NULL || count != 0) {
        /* Affinity limits a context to a part of the multiprocessors, for MPS. There is none. */
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    }
    return create(out, flags, device, 11040);
}

CUresult
cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
    EMU_TRY_ENTER(cuCtxCreate_v4);
    if (params != NULL && (params->numExecAffinityParams != 0 || params->cigParams != NULL)) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return create(out, flags, device, 3020);
}

CUresult
cuCtxDestroy_v2(CUcontext handle)
{
    EMU_TRY_ENTER(cuCtxDestroy_v2);
    if (handle == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Context *context = emu_handle_get(handle, KIND_CONTEXT);
    if (context == NULL || context->primary) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    /* Destroying the current context pops it; elsewhere on a stack its entry stays and reports that
     * it is gone. */
    if (emu_context_peek() == context) {
        stack.depth--;
    }
    emu_context_end(context);
    return 0;
}

/* A context may be on the stacks of several threads, and on one stack several times. */
CUresult
cuCtxPushCurrent_v2(CUcontext handle)
{
    EMU_TRY_ENTER(cuCtxPushCurrent_v2);
    if (handle == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Context *context = emu_handle_get(handle, KIND_CONTEXT);
    return context != NULL ? push(context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult
cuCtxPopCurrent_v2(CUcontext *out)
{
    EMU_TRY_ENTER(cuCtxPopCurrent_v2);
    if (stack.depth == 0) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    /* A destroyed context is popped like any other: a program must be able to clean its stack. */
    Context *context = stack.items[--stack.depth].context;
    if (out != NULL) {
        *out = (CUcontext)context;
    }
    return 0;
}

/* Replaces the top, or pushes when the stack is empty; NULL only pops (cuCtxSetCurrent). */
CUresult
cuCtxSetCurrent(CUcontext handle)
{
    EMU_TRY_ENTER(cuCtxSetCurrent);
    Context *context = NULL;
    if (handle != NULL) {
        context = emu_handle_get(handle, KIND_CONTEXT);
        if (context == NULL) {
            return CUDA_ERROR_INVALID_CONTEXT;
        }
    }
    if (stack.depth > 0) {
        stack.depth--;
    }
    return context != NULL ? push(context) : 0;
}

CUresult
cuCtxGetCurrent(CUcontext *out)
{
    EMU_TRY_ENTER(cuCtxGetCurrent);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* No check that it still exists: CUDA returns the handle, and its use tells. */
    *out = stack.depth > 0 ? (CUcontext)stack.items[stack.depth - 1].context : NULL;
    return 0;
}

CUresult
cuCtxGetDevice(CUdevice *out)
{
    Context *context;
    EMU_TRY_ENTER(cuCtxGetDevice);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Uses `top` and not emu_context_current: questions about the context itself are answered in
     * spite of a sticky error. */
    EMU_TRY(top(&context));
    *out = context->device->ordinal;
    return 0;
}

CUresult
cuCtxGetFlags(unsigned int *flags)
{
    Context *context;
    EMU_TRY_ENTER(cuCtxGetFlags);
    EMU_TRY(top(&context));
    if (flags == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Primary contexts always map host memory. */
    *flags = context->flags | (context->primary ? CU_CTX_MAP_HOST : 0u);
    return 0;
}

CUresult
cuCtxSetFlags(unsigned int flags)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxSetFlags, context);
    if (!emu_context_flags_valid(flags)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    context->flags = flags;
    return 0;
}

/* NULL means the calling thread's own. */
static CUresult
named(CUcontext handle, Context **out)
{
    if (handle == NULL) {
        return top(out);
    }
    *out = emu_handle_get(handle, KIND_CONTEXT);
    return *out != NULL ? 0 : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult
cuCtxGetId(CUcontext handle, unsigned long long *id)
{
    Context *context;
    EMU_TRY_ENTER(cuCtxGetId);
    EMU_TRY(named(handle, &context));
    if (id == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *id = context->id;
    return 0;
}

CUresult
cuCtxGetApiVersion(CUcontext handle, unsigned int *version)
{
    Context *context;
    EMU_TRY_ENTER(cuCtxGetApiVersion);
    EMU_TRY(named(handle, &context));
    if (version == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *version = context->version;
    return 0;
}

CUresult
cuCtxSynchronize(void)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxSynchronize, context);
    /* Waiting for a context would wait for streams whose work is only captured. */
    EMU_TRY(emu_capture_refuse_all(context));
    return emu_context_wait(context);
}

/* ---- limits and preferences ------------------------------------------------------------------ */

CUresult
cuCtxSetLimit(CUlimit limit, size_t value)
{
    /* The least values that the driver accepts, to which it raises smaller ones. */
    enum { LEAST_PRINTF = 512 << 10, LEAST_HEAP = 4 << 20 }; /* as an H200 rounds up */
    Context *context;
    EMU_TRY_ENTER_UNCAPTURED(cuCtxSetLimit, context);
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        /* Per thread; rounded as the hardware does, up to 512 KiB less the local memory window. */
        if (value > 524288 - 512) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        value = (value + 15) / 16 * 16;
        break;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        value = value < LEAST_PRINTF ? LEAST_PRINTF : value;
        break;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
        value = value < LEAST_HEAP ? LEAST_HEAP : value;
        break;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
        break;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        if (value > 128) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        break;
    /* These limits can be read and not set. */
    case CU_LIMIT_SHMEM_SIZE:
    case CU_LIMIT_CIG_ENABLED:
        return CUDA_ERROR_NOT_PERMITTED; /* only to be asked for */
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    atomic_store(&context->limits[limit], value);
    return 0;
}

CUresult
cuCtxGetLimit(size_t *value, CUlimit limit)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxGetLimit, context);
    if (value == NULL || limit < 0 || limit > CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH || limit == CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED) {
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    }
    *value = atomic_load(&context->limits[limit]);
    return 0;
}

CUresult
cuCtxGetCacheConfig(CUfunc_cache *config)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxGetCacheConfig, context);
    if (config == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *config = context->cache_config;
    return 0;
}

CUresult
cuCtxSetCacheConfig(CUfunc_cache config)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxSetCacheConfig, context);
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    context->cache_config = config;
    return 0;
}

CUresult
cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxGetSharedMemConfig, context);
    if (config == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *config = 1; /* four-byte banks, the only kind since compute capability 5 */
    return 0;
}

CUresult
cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxSetSharedMemConfig, context);
    return config >= 0 && config <= 2 ? 0 : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuCtxResetPersistingL2Cache(void)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxResetPersistingL2Cache, context);
    return 0;
}

CUresult
cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxGetStreamPriorityRange, context);
    if (least != NULL) {
        *least = 0;
    }
    if (greatest != NULL) {
        *greatest = -5;
    }
    return 0;
}

/* ---- peer access ----------------------------------------------------------------------------- */

/* Memory of all devices is in one address space. Enabling access only makes lookups for this device
 * search the peer's memory as well; direction matters, as on a GPU. */
CUresult
cuCtxEnablePeerAccess(CUcontext handle, unsigned int flags)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxEnablePeerAccess, context);
    Context *peer = emu_handle_get(handle, KIND_CONTEXT);
    if (peer == NULL) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (peer->device == context->device || !emu_driver_settings()->peers) {
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    }
    /* A bit per device under the lock: of two threads that enable one peer, one is told that it was
     * enabled already. */
    unsigned bit = 1u << peer->device->ordinal;
    pthread_mutex_lock(&context->lock);
    int already = (context->peers & bit) != 0;
    context->peers |= bit;
    pthread_mutex_unlock(&context->lock);
    if (already) {
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    }
    emu_memory_set_peer(context->device->memory, peer->device->memory, 1);
    return 0;
}

CUresult
cuCtxDisablePeerAccess(CUcontext handle)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuCtxDisablePeerAccess, context);
    Context *peer = emu_handle_get(handle, KIND_CONTEXT);
    if (peer == NULL) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    unsigned bit = 1u << peer->device->ordinal;
    pthread_mutex_lock(&context->lock);
    int enabled = (context->peers & bit) != 0;
    context->peers &= ~bit;
    pthread_mutex_unlock(&context->lock);
    if (!enabled) {
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    }
    emu_memory_set_peer(context->device->memory, peer->device->memory, 0);
    return 0;
}

/* The exported stream functions; stream.c holds the queues behind them.
 *
 * All entries here resolve the handle in the calling thread's context, so NULL means that context's
 * default stream. Calls that ask about or wait for a capturing stream break its capture, as
 * "prohibited operations" in the CUDA programming guide says. */
#include "emu/driver/upward.h"

#include <string.h>

/* Flags are tested here; priorities are clamped in stream.c. */
static CUresult
create(CUstream *out, unsigned flags, int priority)
{
    Context *context;
    Stream *stream;
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_context_current(&context));
    if ((flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_stream_new(&stream, context, flags, priority));
    *out = (CUstream)stream;
    return 0;
}

CUresult
cuStreamCreate(CUstream *out, unsigned int flags)
{
    EMU_TRY_ENTER(cuStreamCreate);
    return create(out, flags, 0);
}

CUresult
cuStreamCreateWithPriority(CUstream *out, unsigned int flags, int priority)
{
    EMU_TRY_ENTER(cuStreamCreateWithPriority);
    return create(out, flags, priority);
}

/* Needs no current context. Default streams are refused: they end with their context or thread. */
CUresult
cuStreamDestroy_v2(CUstream handle)
{
    EMU_TRY_ENTER(cuStreamDestroy_v2);
    Stream *stream = emu_handle_get(handle, KIND_STREAM);
    if (stream == NULL || stream->thread != 0 || stream == stream->context->legacy) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    /* A destroyed stream can end no capture, so what began in it is dropped without a graph. */
    if (emu_stream_captures(stream)) {
        emu_capture_abandon(stream);
    }
    emu_stream_end(stream);
    return 0;
}

/* The named stream of the calling thread's context. */
#define EMU_TRY_ENTER_STREAM(name, handle, stream)                                                 \
    Context *context;                                                                              \
    EMU_TRY_ENTER_CONTEXT(name, context);                                                          \
    EMU_TRY(emu_stream_get(context, handle, &(stream)))

/* Answers by what is submitted now. Asking starts the queue where work runs lazily
 * (emu_stream_reached). */
CUresult
cuStreamQuery(CUstream handle)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamQuery, handle, stream);
    if (emu_stream_captures(stream)) {
        return emu_capture_invalidate(stream);
    }
    EMU_TRY(stream != context->legacy ? emu_capture_refuse() : 0);
    int done = emu_stream_reached(stream, atomic_load(&stream->submitted));
    /* The legacy stream stands for all blocking streams: it is done when they are. */
    if (stream == context->legacy && done) {
        EMU_TRY(emu_capture_check_legacy(context));
        /* The lock keeps the list; emu_stream_reached takes each stream's lock inside, which is the
         * lock order. */
        pthread_mutex_lock(&context->lock);
        for (Stream *other = context->streams; other != NULL && done; other = other->next) {
            done = (other->flags & CU_STREAM_NON_BLOCKING) != 0 ||
                   emu_stream_reached(other, atomic_load(&other->submitted));
        }
        pthread_mutex_unlock(&context->lock);
    }
    /* For the order check a positive answer is a synchronisation: the program may use the results.
     */
    if (done) {
        emu_order_after_streams(stream);
        emu_order_host_waited_stream(stream);
    }
    /* A sticky error outranks the state of the stream. */
    CUresult error = emu_context_error(context);
    return error != 0 ? error : done ? 0 : CUDA_ERROR_NOT_READY;
}

/* The rules for captures and the legacy stream stand in emu_stream_synchronize. */
CUresult
cuStreamSynchronize(CUstream handle)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamSynchronize, handle, stream);
    return emu_stream_synchronize(stream);
}

CUresult
cuStreamGetPriority(CUstream handle, int *priority)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamGetPriority, handle, stream);
    if (priority == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *priority = stream->priority;
    return 0;
}

CUresult
cuStreamGetFlags(CUstream handle, unsigned int *flags)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamGetFlags, handle, stream);
    if (flags == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (emu_stream_captures(stream)) {
        return emu_capture_invalidate(stream);
    }
    *flags = stream->flags;
    return 0;
}

/* The context of the default stream is the calling thread's. */
CUresult
cuStreamGetCtx(CUstream handle, CUcontext *out)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamGetCtx, handle, stream);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUcontext)stream->context;
    return 0;
}

/* Green contexts do not exist, so the stream is in an ordinary one. */
CUresult
cuStreamGetCtx_v2(CUstream handle, CUcontext *out, CUgreenCtx *green)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamGetCtx_v2, handle, stream);
    if (out == NULL || green == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUcontext)stream->context;
    *green = NULL; /* there are none */
    return 0;
}

CUresult
cuStreamGetDevice(CUstream handle, CUdevice *out)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamGetDevice, handle, stream);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = stream->context->device->ordinal;
    return 0;
}

/* Ids start at 2 and are never reused, unlike handles. */
CUresult
cuStreamGetId(CUstream handle, unsigned long long *id)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamGetId, handle, stream);
    if (id == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *id = stream->id;
    return 0;
}

/* Attributes that the device accepts without effect read as zeros. */
CUresult
cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamGetAttribute, handle, stream);
    if (value == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memset(value, 0, sizeof *value);
    /* Attributes share numbers with those of launches (CUlaunchAttributeID). */
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value->priority = stream->priority;
        return 0;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value->syncPolicy = stream->sync_policy != 0 ? stream->sync_policy : CU_SYNC_POLICY_AUTO;
        return 0;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Hints about caches and waiting: accepted, without effect here. */
CUresult
cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute, const CUstreamAttrValue *value)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamSetAttribute, handle, stream);
    if (value == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        stream->priority = value->priority > 0 ? 0 : value->priority < -5 ? -5 : value->priority;
        return 0;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        /* The policy is stored and read back: threads here wait in one way only. */
        if (value->syncPolicy < CU_SYNC_POLICY_AUTO ||
            value->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        stream->sync_policy = value->syncPolicy;
        return 0;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuStreamCopyAttributes(CUstream to_handle, CUstream from_handle)
{
    Stream *to, *from;
    EMU_TRY_ENTER_STREAM(cuStreamCopyAttributes, to_handle, to);
    EMU_TRY(emu_stream_get(context, from_handle, &from));
    to->priority = from->priority;
    return 0;
}

/* ---- host functions -------------------------------------------------------------------------- */

/* A host function runs on the stream's dispatcher, unless all work runs inline (may_run_here in
 * stream.c), and is skipped when the context has failed. */
CUresult
cuLaunchHostFunc(CUstream handle, CUhostFn run, void *data)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuLaunchHostFunc, handle, stream);
    if (run == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Work work = {.kind = WORK_HOST, .host = {.run = run, .data = data}};
    return emu_submit(stream, &work, SUBMIT_ONLY);
}

CUresult
cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *data, unsigned int flags)
{
    Stream *stream;
    EMU_TRY_ENTER_STREAM(cuStreamAddCallback, handle, stream);
    if (callback == NULL || flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Callbacks cannot be captured; cuLaunchHostFunc can, as a host node. */
    if (emu_stream_captures(stream)) {
        return emu_capture_invalidate(stream);
    }
    /* The callback gets the handle that the caller gave: NULL stays NULL. */
    Work work = {.kind = WORK_CALLBACK,
                 .host = {.callback = callback, .data = data, .stream = handle}};
    return emu_submit(stream, &work, SUBMIT_ONLY);
}

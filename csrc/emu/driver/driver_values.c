/* Memory operations of streams: waiting for values and writing them, one by one or in batches.
 *
 * The operations are checked and copied on the calling thread and run by work.c in the order of the
 * stream. Aligned words are required, because both sides access them atomically. */
#include "emu/driver/upward.h"

#include <stdlib.h>
#include <string.h>

/* The driver API documents 256 as the bound for cuStreamBatchMemOp. */
enum { MOST = 256 }; /* operations of one batch */

/* All members of the union begin with operation and address, and `flags` lies at the same offset in
 * waits and writes, so one function reads both. */
static CUresult
check_value(const CUstreamBatchMemOpParams *op, unsigned bytes, unsigned flags, int in_graph)
{
    /* Memory of a graph counts where it is planned to exist when the operation runs. */
    EmuSpan *span = emu_find_planned(op->writeValue.address, in_graph);
    if ((op->writeValue.flags & ~flags) != 0 || op->writeValue.address % bytes != 0 ||
        span == NULL || span->hi - op->writeValue.address < bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return 0;
}

static int
is_wait(const CUstreamBatchMemOpParams *op)
{
    return op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
           op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static CUresult
check(const CUstreamBatchMemOpParams *op, int in_graph)
{
    /* The two low bits of a wait say how to compare. CU_STREAM_WAIT_VALUE_FLUSH is for writes that
     * arrive over PCIe from other devices. */
    enum { WAIT_FLAGS = 3, WRITE_FLAGS = 0, FLUSH = 1 << 30 };
    if (is_wait(op) && (op->waitValue.flags & FLUSH) != 0) {
        return CUDA_ERROR_NOT_SUPPORTED; /* as the device's attribute says */
    }
    switch (op->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return check_value(op, 4, WAIT_FLAGS, in_graph);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return check_value(op, 8, WAIT_FLAGS, in_graph);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return check_value(op, 4, WRITE_FLAGS, in_graph);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return check_value(op, 8, WRITE_FLAGS, in_graph);
    case CU_STREAM_MEM_OP_BARRIER:
        return 0;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return CUDA_ERROR_NOT_SUPPORTED; /* as the device's attribute says */
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Used by the entries below and by graph nodes. The copy belongs to the work, so the caller's list
 * may go at once. */
CUresult
emu_values_work(Work *work, const CUstreamBatchMemOpParams *list, unsigned count, int in_graph)
{
    if (count > MOST || (list == NULL && count > 0)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < count; i++) {
        EMU_TRY(check(&list[i], in_graph));
    }
    *work = (Work){.kind = WORK_VALUES, .values = {.count = count}};
    /* A list of length 0 is allowed, and malloc(0) may return NULL. */
    work->values.list = malloc((count > 0 ? count : 1) * sizeof *list);
    if (work->values.list == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (count > 0) {
        memcpy(work->values.list, list, count * sizeof *list);
    }
    return 0;
}

static CUresult
submit(CUstream handle, const CUstreamBatchMemOpParams *list, unsigned count)
{
    Context *context;
    Stream *stream;
    Work work;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    EMU_TRY(emu_values_work(&work, list, count, emu_stream_captures(stream)));
    return emu_submit(stream, &work, SUBMIT_ONLY);
}

/* The old names and the _v2 ones have the same parameters and, on this device, the same rights. */
#define VALUE(symbol, type, op, member, field)                                                     \
    CUresult symbol(CUstream stream, CUdeviceptr address, type value, unsigned int flags)          \
    {                                                                                              \
        EMU_TRY_ENTER(symbol);                                                                     \
        CUstreamBatchMemOpParams params = {                                                        \
            .member = {.operation = op, .address = address, .field = value, .flags = flags}};      \
        return submit(stream, &params, 1);                                                         \
    }
VALUE(cuStreamWaitValue32_v2, cuuint32_t, CU_STREAM_MEM_OP_WAIT_VALUE_32, waitValue, value)
VALUE(cuStreamWaitValue64_v2, cuuint64_t, CU_STREAM_MEM_OP_WAIT_VALUE_64, waitValue, value64)
VALUE(cuStreamWriteValue32_v2, cuuint32_t, CU_STREAM_MEM_OP_WRITE_VALUE_32, writeValue, value)
VALUE(cuStreamWriteValue64_v2, cuuint64_t, CU_STREAM_MEM_OP_WRITE_VALUE_64, writeValue, value64)
VALUE(cuStreamWaitValue32, cuuint32_t, CU_STREAM_MEM_OP_WAIT_VALUE_32, waitValue, value)
VALUE(cuStreamWaitValue64, cuuint64_t, CU_STREAM_MEM_OP_WAIT_VALUE_64, waitValue, value64)
VALUE(cuStreamWriteValue32, cuuint32_t, CU_STREAM_MEM_OP_WRITE_VALUE_32, writeValue, value)
VALUE(cuStreamWriteValue64, cuuint64_t, CU_STREAM_MEM_OP_WRITE_VALUE_64, writeValue, value64)

CUresult
cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
                      unsigned int flags)
{
    EMU_TRY_ENTER(cuStreamBatchMemOp_v2);
    return flags == 0 ? submit(stream, list, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
                   unsigned int flags)
{
    EMU_TRY_ENTER(cuStreamBatchMemOp);
    return flags == 0 ? submit(stream, list, count) : CUDA_ERROR_INVALID_VALUE;
}

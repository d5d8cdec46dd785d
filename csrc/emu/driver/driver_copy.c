/* Copies and fills. Every range is tested against the allocations before it is queued: a wrong
 * address is CUDA_ERROR_INVALID_VALUE at the call, never a crash later.
 *
 * Each entry checks its arguments on the calling thread and submits one piece of work, always a box
 * of rows and slices; work.c moves the bytes. Whether a call waits follows the driver API's chapter
 * on API synchronization behavior: synchronous entries wait in any case, asynchronous ones only
 * where pageable memory is involved. */
#include "emu/driver/upward.h"

#include <stdlib.h>
#include <string.h>

/* Copies from pageable memory up to here are staged and asynchronous; larger ones wait. The limit
 * bounds the memory that queued copies hold. */
static const size_t STAGING_LIMIT = (size_t)64 << 20;

/* What the name of an entry says about a side: an HtoD copy refuses a host address as its target.
 */
typedef enum { SIDE_ANY, SIDE_HOST, SIDE_DEVICE } SideKind;

/* 0 and whether devices may reach [address, address + bytes), or 1 when it is not what it claims. A
 * side is accepted when it lies within one allocation, or, unless it must be device memory, outside
 * of all of this device's ranges. Pageable memory cannot be tested further. */
static CUresult
check_side(SideKind kind, uint64_t address, uint64_t bytes, int *device, int in_graph)
{
    EmuSpan *span = emu_find_planned(address, in_graph);
    *device = span != NULL;
    if (span != NULL) {
        return bytes <= span->hi - address ? 0 : CUDA_ERROR_INVALID_VALUE;
    }
    if (kind == SIDE_DEVICE || address == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* An address of ours without an allocation is a dangling device pointer. */
    return emu_is_ours(address) ? CUDA_ERROR_INVALID_VALUE : 0;
}

typedef struct {
    SideKind to, from;
} Direction;

/* Bytes from the first to behind the last one a box touches; 0 on overflow. In 128 bits: pitches
 * and counts are the caller's, and their product may overflow 64 bits. The caller has excluded
 * boxes without bytes, so 0 is free to mean an overflow. */
static uint64_t
extent(const CopyWork *box, size_t pitch, size_t slice)
{
    unsigned __int128 bytes = (unsigned __int128)(box->height - 1) * pitch +
                              (unsigned __int128)(box->depth - 1) * slice + box->width;
    return bytes > INT64_MAX ? 0 : (uint64_t)bytes;
}

/* Tests both sides of a box that is not empty. Also notes which sides lie in memory that devices
 * reach, which work.c tests again when the copy runs. */
static CUresult
check_box(CopyWork *box, Direction direction, int in_graph)
{
    uint64_t to_bytes = extent(box, box->to_pitch, box->to_slice);
    uint64_t from_bytes = extent(box, box->from_pitch, box->from_slice);
    if (to_bytes == 0 || from_bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(check_side(direction.to, box->to, to_bytes, &box->to_device, in_graph));
    return check_side(direction.from, box->from, from_bytes, &box->from_device, in_graph);
}

/* `box` belongs to the caller; the staged copy that it may receive belongs to the work from
 * emu_submit on. */
static CUresult
submit_copy(CUstream handle, CopyWork *box, Direction direction, SubmitMode mode)
{
    Context *context;
    Stream *stream;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    /* An empty copy succeeds whatever its addresses are. */
    if (box->width == 0 || box->height == 0 || box->depth == 0) {
        return 0;
    }
    EMU_TRY(check_box(box, direction, emu_stream_captures(stream)));
    uint64_t from_bytes = extent(box, box->from_pitch, box->from_slice);
    /* A captured copy runs at each launch of the graph and reads its source then, so nothing is
     * staged. */
    if (mode == SUBMIT_ONLY && !emu_stream_captures(stream)) {
        /* Pageable memory: the source may change and the target be read once the call returns.
         * Copies into pageable memory are complete when the call returns, since the host may read
         * the target at once. */
        if (!box->to_device || (!box->from_device && from_bytes > STAGING_LIMIT)) {
            mode = SUBMIT_AND_WAIT;
        }
        else if (!box->from_device) {
            /* The extent is staged, gaps between rows included, so the pitches stay as they are. */
            box->staged = malloc(from_bytes);
            if (box->staged == NULL) {
                return CUDA_ERROR_OUT_OF_MEMORY;
            }
            memcpy(box->staged, (const void *)(uintptr_t)box->from, from_bytes);
        }
    }
    Work work = {.kind = WORK_COPY, .copy = *box};
    return emu_submit(stream, &work, mode);
}

static CUresult
copy_line(CUstream stream, uint64_t to, uint64_t from, size_t bytes, Direction direction,
          SubmitMode mode)
{
    CopyWork box = {.to = to, .from = from, .width = bytes, .height = 1, .depth = 1};
    return submit_copy(stream, &box, direction, mode);
}

/* Named by direction, since a pair of enumerators at each call would not tell which is the target.
 */
static const Direction any_to_any = {SIDE_ANY, SIDE_ANY};
static const Direction host_to_device = {SIDE_DEVICE, SIDE_HOST};
static const Direction device_to_host = {SIDE_HOST, SIDE_DEVICE};
static const Direction device_to_device = {SIDE_DEVICE, SIDE_DEVICE};

/* ---- lines ----------------------------------------------------------------------------------- */

/* Unified addressing: the addresses say which side is where. */
CUresult
cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpy);
    return copy_line(NULL, to, from, bytes, any_to_any, SUBMIT_AND_WAIT);
}

CUresult
cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyAsync);
    return copy_line(stream, to, from, bytes, any_to_any, SUBMIT_ONLY);
}

CUresult
cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyHtoD_v2);
    return copy_line(NULL, to, (uintptr_t)from, bytes, host_to_device, SUBMIT_AND_WAIT);
}

CUresult
cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyDtoH_v2);
    return copy_line(NULL, (uintptr_t)to, from, bytes, device_to_host, SUBMIT_AND_WAIT);
}

CUresult
cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyDtoD_v2);
    return copy_line(NULL, to, from, bytes, device_to_device, SUBMIT_AND_WAIT);
}

CUresult
cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyHtoDAsync_v2);
    return copy_line(stream, to, (uintptr_t)from, bytes, host_to_device, SUBMIT_ONLY);
}

CUresult
cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyDtoHAsync_v2);
    return copy_line(stream, (uintptr_t)to, from, bytes, device_to_host, SUBMIT_ONLY);
}

CUresult
cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyDtoDAsync_v2);
    return copy_line(stream, to, from, bytes, device_to_device, SUBMIT_ONLY);
}

/* NULL means the calling thread's context. Only tested: the addresses themselves say which device's
 * memory they are in. */
static CUresult
check_contexts(CUcontext one, CUcontext other)
{
    int known = (one == NULL || emu_handle_get(one, KIND_CONTEXT) != NULL) &&
                (other == NULL || emu_handle_get(other, KIND_CONTEXT) != NULL);
    return known ? 0 : CUDA_ERROR_INVALID_CONTEXT;
}

/* Ordered with both contexts, as cuMemcpyPeer documents of a device's work before and after it. */
CUresult
cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
             size_t bytes)
{
    EMU_TRY_ENTER(cuMemcpyPeer);
    EMU_TRY(check_contexts(to_context, from_context));
    /* This one form is in order with all work of both contexts. */
    Context *current;
    EMU_TRY(emu_context_current(&current));
    EMU_TRY(emu_context_wait(to_context != NULL ? (Context *)to_context : current));
    EMU_TRY(emu_context_wait(from_context != NULL ? (Context *)from_context : current));
    return copy_line(NULL, to, from, bytes, device_to_device, SUBMIT_AND_WAIT);
}

/* Copies that name two contexts cannot be captured: a node has one. (Copies that name none can,
 * between devices as well.) Like all calls that have no node they break the capture: CUDA
 * programming guide, "Prohibited and Unhandled Operations". */
static CUresult
refuse_captured(CUstream handle)
{
    Context *context;
    Stream *stream;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    return emu_stream_captures(stream) ? emu_capture_invalidate(stream) : 0;
}

CUresult
cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                  size_t bytes, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyPeerAsync);
    EMU_TRY(check_contexts(to_context, from_context));
    EMU_TRY(refuse_captured(stream));
    return copy_line(stream, to, from, bytes, device_to_device, SUBMIT_ONLY);
}

/* ---- several lines at once ------------------------------------------------------------------- */

/* The null stream is refused, as cuMemcpyBatchAsync documents. So is one that is captured, and that
 * capture goes on: it lacks the copies, as with the driver of CUDA 13. */
static CUresult
copy_batch(CUdeviceptr *to, CUdeviceptr *from, const size_t *bytes, size_t count, CUstream handle)
{
    Context *context;
    Stream *stream;
    if (to == NULL || from == NULL || bytes == NULL || count == 0 || handle == NULL ||
        handle == CU_STREAM_LEGACY) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    if (emu_stream_captures(stream)) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    /* One after another in the stream, which is one of the orders that the batch allows. */
    for (size_t i = 0; i < count; i++) {
        EMU_TRY(copy_line(handle, to[i], from[i], bytes[i], any_to_any, SUBMIT_ONLY));
    }
    return 0;
}

/* The attributes say how early the sources may be read; here all are read in the stream's order.
 * Each attribute applies from its index to the next one's, so the indices must rise from 0. */
static CUresult
check_batch(const CUmemcpyAttributes *attributes, const size_t *first, size_t attribute_count,
            size_t count)
{
    if (attributes == NULL || first == NULL || attribute_count == 0 || attribute_count > count ||
        first[0] != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < attribute_count; i++) {
        if (first[i] >= count || (i > 0 && first[i] <= first[i - 1]) ||
            attributes[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            attributes[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return 0;
}

CUresult
cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                      CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                      CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyBatchAsync_v2);
    EMU_TRY(check_batch(attributes, first, attribute_count, count));
    return copy_batch(to, from, bytes, count, stream);
}

CUresult
cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                   CUmemcpyAttributes *attributes, size_t *first, size_t attribute_count,
                   size_t *failed, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpyBatchAsync);
    if (failed != NULL) {
        *failed = SIZE_MAX; /* not one of the copies by itself */
    }
    EMU_TRY(check_batch(attributes, first, attribute_count, count));
    return copy_batch(to, from, bytes, count, stream);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Where one side of a box starts, and what it must be. The memory type of a side selects which of
 * the fields is read. */
static CUresult
side_start(CUmemorytype type, const void *host, CUdeviceptr device, uint64_t *start, SideKind *kind)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        *start = (uintptr_t)host;
        *kind = SIDE_HOST;
        return 0;
    case CU_MEMORYTYPE_DEVICE:
        *start = device;
        *kind = SIDE_DEVICE;
        return 0;
    case CU_MEMORYTYPE_UNIFIED:
        *start = device;
        *kind = SIDE_ANY;
        return 0;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* The box that `p` describes. Used by copies and by graph nodes, so that both check alike. */
static CUresult
read_box(const CUDA_MEMCPY3D *p, CopyWork *out, Direction *direction)
{
    CopyWork box = {.width = p->WidthInBytes, .height = p->Height, .depth = p->Depth};
    CUDA_MEMCPY3D plain;
    /* Arrays are replaced by the memory they consist of, on a copy of the caller's struct. */
    if (p->srcMemoryType == CU_MEMORYTYPE_ARRAY || p->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        plain = *p;
        EMU_TRY(emu_array_resolve(&plain));
        p = &plain;
    }
    EMU_TRY(side_start(p->srcMemoryType, p->srcHost, p->srcDevice, &box.from, &direction->from));
    EMU_TRY(side_start(p->dstMemoryType, p->dstHost, p->dstDevice, &box.to, &direction->to));
    /* Pitches left at zero mean tight rows and slices. */
    box.from_pitch = p->srcPitch != 0 ? p->srcPitch : p->srcXInBytes + box.width;
    box.to_pitch = p->dstPitch != 0 ? p->dstPitch : p->dstXInBytes + box.width;
    size_t from_rows = p->srcHeight != 0 ? p->srcHeight : p->srcY + box.height;
    size_t to_rows = p->dstHeight != 0 ? p->dstHeight : p->dstY + box.height;
    /* Pitch and height matter only where there is a second row or slice; smaller values are
     * accepted otherwise. */
    int several = box.height > 1 || box.depth > 1;
    /* Only the products are checked here. Sums are in the extent, which check_side compares with
     * the allocation. */
    if ((several && (box.from_pitch < p->srcXInBytes + box.width ||
                     box.to_pitch < p->dstXInBytes + box.width)) ||
        (box.depth > 1 && (from_rows < p->srcY + box.height || to_rows < p->dstY + box.height)) ||
        __builtin_mul_overflow(box.from_pitch, from_rows, &box.from_slice) ||
        __builtin_mul_overflow(box.to_pitch, to_rows, &box.to_slice)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    box.from += p->srcXInBytes + p->srcY * box.from_pitch + p->srcZ * box.from_slice;
    box.to += p->dstXInBytes + p->dstY * box.to_pitch + p->dstZ * box.to_slice;
    *out = box;
    return 0;
}

/* An empty box is no error, even when its other fields are not valid. */
static CUresult
copy_3d(const CUDA_MEMCPY3D *p, CUstream stream, SubmitMode mode)
{
    CopyWork box;
    Direction direction;
    if (p->WidthInBytes == 0 || p->Height == 0 || p->Depth == 0) {
        return 0;
    }
    EMU_TRY(read_box(p, &box, &direction));
    return submit_copy(stream, &box, direction, mode);
}

/* For nodes of graphs: an empty box is refused there, and memory of the graph counts as present. */
CUresult
emu_copy_work(CopyWork *work, const CUDA_MEMCPY3D *params)
{
    Direction direction;
    EMU_TRY(read_box(params, work, &direction));
    return work->width > 0 && work->height > 0 && work->depth > 0 ? check_box(work, direction, 1)
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

/* A plane is a box of depth 1. */
static CUresult
copy_2d(const CUDA_MEMCPY2D *p, CUstream stream, SubmitMode mode)
{
    if (p == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUDA_MEMCPY3D box = {.srcXInBytes = p->srcXInBytes,
                         .srcY = p->srcY,
                         .srcMemoryType = p->srcMemoryType,
                         .srcHost = p->srcHost,
                         .srcDevice = p->srcDevice,
                         .srcArray = p->srcArray,
                         .srcPitch = p->srcPitch,
                         .dstXInBytes = p->dstXInBytes,
                         .dstY = p->dstY,
                         .dstMemoryType = p->dstMemoryType,
                         .dstHost = p->dstHost,
                         .dstDevice = p->dstDevice,
                         .dstArray = p->dstArray,
                         .dstPitch = p->dstPitch,
                         .WidthInBytes = p->WidthInBytes,
                         .Height = p->Height,
                         .Depth = 1};
    return copy_3d(&box, stream, mode);
}

CUresult
cuMemcpy2D_v2(const CUDA_MEMCPY2D *box)
{
    EMU_TRY_ENTER(cuMemcpy2D_v2);
    return copy_2d(box, NULL, SUBMIT_AND_WAIT);
}

CUresult
cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *box)
{
    EMU_TRY_ENTER(cuMemcpy2DUnaligned_v2);
    return copy_2d(box, NULL, SUBMIT_AND_WAIT);
}

CUresult
cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *box, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpy2DAsync_v2);
    return copy_2d(box, stream, SUBMIT_ONLY);
}

CUresult
cuMemcpy3D_v2(const CUDA_MEMCPY3D *box)
{
    EMU_TRY_ENTER(cuMemcpy3D_v2);
    return box != NULL ? copy_3d(box, NULL, SUBMIT_AND_WAIT) : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *box, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpy3DAsync_v2);
    return box != NULL ? copy_3d(box, stream, SUBMIT_ONLY) : CUDA_ERROR_INVALID_VALUE;
}

/* The two structs differ only in the words that hold the contexts. Contexts stand where the plain
 * struct has reserved fields, which read_box ignores. */
static CUresult
copy_3d_peer(const CUDA_MEMCPY3D_PEER *p, CUstream stream, SubmitMode mode)
{
    _Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER),
                   "they differ in names only");
    CUDA_MEMCPY3D box;
    if (p == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(check_contexts(p->srcContext, p->dstContext));
    memcpy(&box, p, sizeof box);
    return copy_3d(&box, stream, mode);
}

CUresult
cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *box)
{
    EMU_TRY_ENTER(cuMemcpy3DPeer);
    return copy_3d_peer(box, NULL, SUBMIT_AND_WAIT);
}

CUresult
cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *box, CUstream stream)
{
    EMU_TRY_ENTER(cuMemcpy3DPeerAsync);
    EMU_TRY(refuse_captured(stream));
    return copy_3d_peer(box, stream, SUBMIT_ONLY);
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* cuMemsetD16 and D32 require an aligned address, and the pitch of the 2D forms must keep each row
 * aligned. */
CUresult
emu_fill_check(const FillWork *fill, int in_graph)
{
    CopyWork box = {.height = fill->height, .depth = 1};
    int device;
    /* Elements are checked against overflow before any sum uses them. */
    if (__builtin_mul_overflow(fill->width, (size_t)fill->element_bytes, &box.width) ||
        (fill->height > 1 && fill->pitch < box.width) || fill->to % fill->element_bytes != 0 ||
        fill->pitch % fill->element_bytes != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    uint64_t bytes = extent(&box, fill->pitch, 0);
    return bytes > 0 ? check_side(SIDE_DEVICE, fill->to, bytes, &device, in_graph)
                     : CUDA_ERROR_INVALID_VALUE;
}

/* Synchronous fills wait here although the real ones may return earlier: a program cannot tell,
 * except by time. */
static CUresult
submit_fill(CUstream handle, FillWork fill, SubmitMode mode)
{
    Context *context;
    Stream *stream;
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, handle, &stream));
    if (fill.width == 0 || fill.height == 0) {
        return 0;
    }
    EMU_TRY(emu_fill_check(&fill, emu_stream_captures(stream)));
    Work work = {.kind = WORK_FILL, .fill = fill};
    return emu_submit(stream, &work, mode);
}

/* LINE and ROWS spell FillWork in the order of the entries' parameters. */
#define LINE(to, value, count, element_bytes)                                                      \
    ((FillWork){(to), 0, (count), 1, (value), (element_bytes)})
#define ROWS(to, pitch, value, width, height, element_bytes)                                       \
    ((FillWork){(to), (pitch), (width), (height), (value), (element_bytes)})

CUresult
cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
    EMU_TRY_ENTER(cuMemsetD8_v2);
    return submit_fill(NULL, LINE(to, value, count, 1), SUBMIT_AND_WAIT);
}

CUresult
cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count)
{
    EMU_TRY_ENTER(cuMemsetD16_v2);
    return submit_fill(NULL, LINE(to, value, count, 2), SUBMIT_AND_WAIT);
}

CUresult
cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count)
{
    EMU_TRY_ENTER(cuMemsetD32_v2);
    return submit_fill(NULL, LINE(to, value, count, 4), SUBMIT_AND_WAIT);
}

CUresult
cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    EMU_TRY_ENTER(cuMemsetD8Async);
    return submit_fill(stream, LINE(to, value, count, 1), SUBMIT_ONLY);
}

CUresult
cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    EMU_TRY_ENTER(cuMemsetD16Async);
    return submit_fill(stream, LINE(to, value, count, 2), SUBMIT_ONLY);
}

CUresult
cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
    EMU_TRY_ENTER(cuMemsetD32Async);
    return submit_fill(stream, LINE(to, value, count, 4), SUBMIT_ONLY);
}

CUresult
cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height)
{
    EMU_TRY_ENTER(cuMemsetD2D8_v2);
    return submit_fill(NULL, ROWS(to, pitch, value, width, height, 1), SUBMIT_AND_WAIT);
}

CUresult
cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height)
{
    EMU_TRY_ENTER(cuMemsetD2D16_v2);
    return submit_fill(NULL, ROWS(to, pitch, value, width, height, 2), SUBMIT_AND_WAIT);
}

CUresult
cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height)
{
    EMU_TRY_ENTER(cuMemsetD2D32_v2);
    return submit_fill(NULL, ROWS(to, pitch, value, width, height, 4), SUBMIT_AND_WAIT);
}

CUresult
cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                  CUstream stream)
{
    EMU_TRY_ENTER(cuMemsetD2D8Async);
    return submit_fill(stream, ROWS(to, pitch, value, width, height, 1), SUBMIT_ONLY);
}

CUresult
cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                   CUstream stream)
{
    EMU_TRY_ENTER(cuMemsetD2D16Async);
    return submit_fill(stream, ROWS(to, pitch, value, width, height, 2), SUBMIT_ONLY);
}

CUresult
cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height,
                   CUstream stream)
{
    EMU_TRY_ENTER(cuMemsetD2D32Async);
    return submit_fill(stream, ROWS(to, pitch, value, width, height, 4), SUBMIT_ONLY);
}

/* Peers: access of one device to another one's memory, and copies between devices.
 *
 * Access is enabled when a copy first needs it, for each ordered pair of contexts, and for each
 * pool of stream-ordered memory, which the former does not cover (CUDA C++ Programming Guide,
 * "Stream-Ordered Memory Allocator"). What a program has enabled by itself is told apart, so that
 * cudart's functions answer as if nothing had been enabled behind its back.
 *
 * A copy is in order with both of its streams and waits for nothing on the host. With a path
 * between the devices, the source's copy engine writes to the target's memory: writes need no
 * answer, and a read does. Without one, pieces go through a ring of page-locked buffers: the
 * source's engine fills one while the target's empties another, and events say when a buffer is
 * full and when it is empty.
 *
 * All of this needs the GIL, which guards the tables. It may be released while work is queued, so
 * an event is taken out of its list, and a ring is marked as busy, while they are in use.
 */
#include "rt/internal.h"

#include <string.h>

/* Large enough that the six calls for a piece take little of its time on the bus (some 80 us),
 * small enough that the first piece leaves early. */
#define PIECE ((size_t)4 << 20)
enum { BUFFERS = 4, SPARE_EVENTS = 8 };

typedef enum {
    ACCESS_UNKNOWN,
    ACCESS_REFUSED, /* the driver has no path */
    ACCESS_ENABLED, /* by a copy */
    ACCESS_ASKED    /* by the program, which may disable it */
} Access;

static unsigned char table[GNP_MAX_DEVICES][GNP_MAX_DEVICES]; /* [who][whose memory]: an Access */

/* Events without timing that no stream is about to wait for. */
static struct {
    CUevent items[SPARE_EVENTS];
    int count;
} spare[GNP_MAX_DEVICES];

typedef struct {
    char *memory;             /* BUFFERS pieces, page-locked for all devices; NULL until needed */
    CUevent filled[BUFFERS];  /* of the source's device */
    CUevent emptied[BUFFERS]; /* of the target's device */
    unsigned used;            /* buffers that have been in use */
    unsigned next;
    GnpTurn turn; /* at queueing one piece */
} Ring;

static Ring rings[GNP_MAX_DEVICES][GNP_MAX_DEVICES]; /* [source][target] */

/* What gnp_submissions was behind the last copy between the default streams of two devices,
 * [source] [target]; 0 where it is not known. */
static uint64_t in_order[GNP_MAX_DEVICES][GNP_MAX_DEVICES];

/* ---- access ---------------------------------------------------------------------------------- */

/* The driver's code. The call may be made during a capture, which it does not take part in. */
static CUresult
enable(const GnpDevice *device, const GnpDevice *other)
{
    CUcontext before = NULL;
    CUresult code = gnp_cu->cuCtxGetCurrent(&before);
    if (code == 0) {
        code = gnp_cu->cuCtxSetCurrent(device->context);
    }
    if (code == 0) {
        const CUstreamCaptureMode mode = gnp_capture_relax();
        CU_WAIT(code, cuCtxEnablePeerAccess(other->context, 0));
        gnp_capture_restore(mode);
        CU_DROP(cuCtxSetCurrent(before));
    }
    return code;
}

/* Other libraries of the process use the same contexts and may have enabled access already. */
int
gnp_peer_enable(const GnpDevice *device, const GnpDevice *other)
{
    unsigned char *state = &table[device->id][other->id];
    int can = 0;
    if (GNP_LIKELY(*state != ACCESS_UNKNOWN)) {
        return *state != ACCESS_REFUSED;
    }
    if (gnp_env_int(GNP_ENV_PEER) != 0) {
        CU_TRY(cuDeviceCanAccessPeer(&can, device->handle, other->handle));
    }
    CUresult code = can ? enable(device, other) : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    if (gnp_cuda_is_lost(code)) {
        return gnp_cuda_raise(code, "cuCtxEnablePeerAccess", __func__);
    }
    int enabled = code == 0 || code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    gnp_log(1, "device %d %s access to memory of device %d", device->id, enabled ? "has" : "has no",
            other->id);
    /* Other errors, such as a lack of memory, need not come again. */
    if (enabled || code == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ||
        code == CUDA_ERROR_TOO_MANY_PEERS) {
        *state = enabled ? ACCESS_ENABLED : ACCESS_REFUSED;
    }
    return enabled;
fail:
    return -1;
}

/* Whether the device has access to stream-ordered memory at `ptr`, which it is given; 1 for memory
 * of other kinds. A pool that another process exported may refuse. */
static int
enable_pool(const GnpDevice *device, CUdeviceptr ptr)
{
    CUmemoryPool pool = NULL;
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->id},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    /* An error says that the driver does not know the memory, or not this attribute. */
    if (gnp_cu->cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, ptr) != 0 ||
        pool == NULL) {
        return 1;
    }
    if (gnp_cu->cuMemPoolGetAccess(&flags, pool, &access.location) == 0 && flags == access.flags) {
        return 1;
    }
    const CUstreamCaptureMode mode = gnp_capture_relax();
    CUresult code;
    CU_WAIT(code, cuMemPoolSetAccess(pool, &access, 1));
    gnp_capture_restore(mode);
    gnp_log(1, "device %d %s access to a memory pool of another device", device->id,
            code == 0 ? "has" : "has no");
    return code == 0;
}

int
gnp_peer_reach(const GnpDevice *device, const GnpDevice *other, CUdeviceptr ptr)
{
    int enabled = gnp_peer_enable(device, other);
    return enabled > 0 ? enable_pool(device, ptr) : enabled;
}

/* For small copies the question about the memory would be a good part of the calls. */
static int
reach_side(const GnpDevice *device, const GnpPeerSide *other)
{
    return other->is_plain ? gnp_peer_enable(device, other->device)
                           : gnp_peer_reach(device, other->device, other->ptr);
}

/* Both directions are enabled: which of them a driver asks for is not documented. The one in which
 * the copy is made decides. */
int
gnp_peer_has_path(const GnpPeerCopy *copy)
{
    return reach_side(copy->to.device, &copy->from) < 0 ? -1
                                                        : reach_side(copy->from.device, &copy->to);
}

/* cudart's answer: 704 only when the program has enabled the access itself. */
CUresult
gnp_peer_ask(const GnpDevice *device, const GnpDevice *other)
{
    unsigned char *state = &table[device->id][other->id];
    CUresult code = *state == ACCESS_ENABLED ? 0 : enable(device, other);
    if (code == 0 || code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
        *state = ACCESS_ASKED;
    }
    return code;
}

/* A copy may enable it again. What a copy has enabled is not the program's to disable: 705. */
CUresult
gnp_peer_give_up(const GnpDevice *device, const GnpDevice *other)
{
    unsigned char *state = &table[device->id][other->id];
    CUresult code = CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    if (*state != ACCESS_ENABLED) {
        CU_WAIT(code, cuCtxDisablePeerAccess(other->context));
    }
    if (code == 0) {
        *state = ACCESS_UNKNOWN;
    }
    return code;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The device is current. */
static int
take_event(const GnpDevice *device, CUevent *event)
{
    if (spare[device->id].count > 0) {
        *event = spare[device->id].items[--spare[device->id].count];
        return 0;
    }
    CU_TRY(cuEventCreate(event, CU_EVENT_DISABLE_TIMING));
    return 0;
fail:
    return -1;
}

/* An event may be recorded again as soon as the wait for it was queued: the wait is for the earlier
 * recording. */
static void
give_event_back(const GnpDevice *device, CUevent event)
{
    if (event == NULL) {
        return;
    }
    if (spare[device->id].count < SPARE_EVENTS) {
        spare[device->id].items[spare[device->id].count++] = event;
        return;
    }
    CU_DROP(cuEventDestroy_v2(event));
}

int
gnp_peer_wait(const GnpPeerSide *later, const GnpPeerSide *earlier)
{
    CUevent event = NULL; /* owned */
    int ret = -1;
    GNP_TRY(gnp_device_enter(earlier->device));
    GNP_TRY(take_event(earlier->device, &event));
    CU_TRY_QUEUE(cuEventRecord(event, earlier->stream));
    GNP_TRY(gnp_device_enter(later->device));
    CU_TRY_QUEUE(cuStreamWaitEvent(later->stream, event, 0));
    ret = 0;
fail:
    give_event_back(earlier->device, event);
    return ret;
}

/* ---- by the copy engine ---------------------------------------------------------------------- */

/* In a captured stream, where the driver refuses the calls that name two contexts. These find the
 * devices by the addresses, and need access to be enabled. */
static int
copy_as_node(const GnpPeerCopy *c, CUstream stream)
{
    const GnpPeerSide *to = &c->to, *from = &c->from;
    if (c->height == 1 && c->depth == 1) {
        CU_TRY_QUEUE(cuMemcpyDtoDAsync_v2(to->ptr, from->ptr, c->width, stream));
        return 0;
    }
    const CUDA_MEMCPY3D box = {
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = from->ptr,
        .srcPitch = from->pitch,
        .srcHeight = from->rows,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = to->ptr,
        .dstPitch = to->pitch,
        .dstHeight = to->rows,
        .WidthInBytes = c->width,
        .Height = c->height,
        .Depth = c->depth,
    };
    CU_TRY_QUEUE(cuMemcpy3DAsync_v2(&box, stream));
    return 0;
fail:
    return -1;
}

/* In a stream of either device, which is current. */
static int
copy_directly(const GnpPeerCopy *c, CUstream stream)
{
    const GnpPeerSide *to = &c->to, *from = &c->from;
    if (GNP_UNLIKELY(gnp_captures != NULL) && gnp_capture_find(stream) != NULL) {
        return copy_as_node(c, stream);
    }
    if (c->height == 1 && c->depth == 1) {
        CU_TRY_QUEUE(cuMemcpyPeerAsync(to->ptr, to->device->context, from->ptr,
                                       from->device->context, c->width, stream));
        return 0;
    }
    CUDA_MEMCPY3D_PEER box = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = from->ptr,
        .srcContext = from->device->context,
        .srcPitch = from->pitch,
        .srcHeight = from->rows,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = to->ptr,
        .dstContext = to->device->context,
        .dstPitch = to->pitch,
        .dstHeight = to->rows,
        .WidthInBytes = c->width,
        .Height = c->height,
        .Depth = c->depth,
    };
    CU_TRY_QUEUE(cuMemcpy3DPeerAsync(&box, stream));
    return 0;
fail:
    return -1;
}

/* After a failure: nothing that was queued in the stream is under way any more. */
static void
settle(const GnpPeerSide *side)
{
    CU_DROP(cuCtxSetCurrent(side->device->context));
    gnp_wait_quietly(side->device, side->stream);
}

/* Whether all work of the stream is done, whoever queued it; its device is current. In a relaxed
 * mode, since another library may be capturing in one in which the question is an error. */
static int
is_idle(CUstream stream)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (gnp_captures != NULL || gnp_cu->cuThreadExchangeStreamCaptureMode(&mode) != 0) {
        return 0;
    }
    const CUresult code = gnp_cu->cuStreamQuery(stream);
    CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
    return code == 0;
}

static int
uses_default_streams(const GnpPeerCopy *c)
{
    return c->to.stream == NULL && c->from.stream == NULL;
}

/* Whether the source's stream waits for all work of the target's stream that may use the memory. It
 * does behind a copy that was followed by nothing: the target's stream waits for that copy alone.
 * Others' work is not counted, and is no concern where it cannot use the memory. Default streams
 * only, as the handle of another one may have become that of a new stream. */
static int
is_ordered(const GnpPeerCopy *c, uint64_t before)
{
    return c->is_private && uses_default_streams(c) && gnp_captures == NULL &&
           in_order[c->from.device->id][c->to.device->id] == before;
}

/* `expected`: the count if no thread has submitted anything else meanwhile. */
static void
note_order(const GnpPeerCopy *c, uint64_t expected)
{
    const int is_known = uses_default_streams(c) && gnp_submissions == expected;
    in_order[c->from.device->id][c->to.device->id] = is_known ? expected : 0;
}

/* Usually nothing is under way on the target's device: asking takes less than an event and a wait
 * for it, and the copy begins earlier, without a signal that goes there and back. That is most of
 * the time of small copies that follow each other, of which only the first one asks.
 *
 * The target may be in use by work queued before, and the source may be written to by work queued
 * after. Where the target's stream cannot be made to wait the host does, so that nothing is under
 * way after a failure. `before` is the count of submissions before this copy's room in the queue.
 */
static int
copy_in_order(const GnpPeerCopy *c, uint64_t before)
{
    const int waits = !is_ordered(c, before) && !is_idle(c->to.stream);
    if (waits) {
        GNP_TRY(gnp_peer_wait(&c->from, &c->to));
    }
    GNP_TRY(gnp_device_enter(c->from.device));
    GNP_TRY(copy_directly(c, c->from.stream));
    if (gnp_peer_wait(&c->to, &c->from) < 0) {
        settle(&c->from);
        return -1;
    }
    /* The room, an event and a wait for each direction, and the copy. */
    note_order(c, before + 1 + (waits ? 2 : 0) + 1 + 2);
    return 0;
fail:
    return -1;
}

/* ---- through the host ------------------------------------------------------------------------ */

/* This thread may be capturing another stream in a strict mode, in which the driver rejects
 * allocations. */
static int
make_buffers(Ring *ring)
{
    void *memory = NULL;
    CUresult code;
    GNP_TRY(gnp_context_wait_ready());
    const CUstreamCaptureMode mode = gnp_capture_relax();
    CU_WAIT(code, cuMemHostAlloc(&memory, BUFFERS * PIECE, CU_MEMHOSTALLOC_PORTABLE));
    gnp_capture_restore(mode);
    ring->memory = memory;
    return code == 0 ? 0 : gnp_cuda_raise(code, "cuMemHostAlloc", __func__);
fail:
    return -1;
}

/* Called until it has made everything: what was made before a failure is kept. */
static int
prepare_ring(Ring *ring, const GnpPeerCopy *c)
{
    if (ring->memory == NULL) {
        GNP_TRY(make_buffers(ring));
    }
    for (int i = 0; i < BUFFERS; i++) {
        if (ring->filled[i] == NULL) {
            GNP_TRY(gnp_device_enter(c->from.device));
            CU_TRY(cuEventCreate(&ring->filled[i], CU_EVENT_DISABLE_TIMING));
        }
        if (ring->emptied[i] == NULL) {
            GNP_TRY(gnp_device_enter(c->to.device));
            CU_TRY(cuEventCreate(&ring->emptied[i], CU_EVENT_DISABLE_TIMING));
        }
    }
    return 0;
fail:
    return -1;
}

/* Each stream waits for the other one's part of the piece only. A buffer's wait is left out for its
 * first use: an event that was never recorded is complete, but says so at the cost of a call. */
static int
copy_piece(Ring *ring, const GnpPeerCopy *c, size_t offset, size_t bytes)
{
    const unsigned i = ring->next;
    char *buffer = ring->memory + i * PIECE;
    GNP_TRY(gnp_device_enter(c->from.device));
    if (ring->used == BUFFERS) {
        CU_TRY_QUEUE(cuStreamWaitEvent(c->from.stream, ring->emptied[i], 0));
    }
    CU_TRY_QUEUE(cuMemcpyDtoHAsync_v2(buffer, c->from.ptr + offset, bytes, c->from.stream));
    CU_TRY_QUEUE(cuEventRecord(ring->filled[i], c->from.stream));
    GNP_TRY(gnp_device_enter(c->to.device));
    CU_TRY_QUEUE(cuStreamWaitEvent(c->to.stream, ring->filled[i], 0));
    CU_TRY_QUEUE(cuMemcpyHtoDAsync_v2(c->to.ptr + offset, buffer, bytes, c->to.stream));
    CU_TRY_QUEUE(cuEventRecord(ring->emptied[i], c->to.stream));
    ring->next = (i + 1) % BUFFERS;
    ring->used += ring->used < BUFFERS;
    return 0;
fail:
    return -1;
}

/* After a failure a buffer may be in use without an event that says so: both streams are waited
 * for. */
static int
copy_staged(const GnpPeerCopy *c)
{
    Ring *ring = &rings[c->from.device->id][c->to.device->id];
    for (size_t offset = 0; offset < c->width; offset += PIECE) {
        const size_t bytes = c->width - offset < PIECE ? c->width - offset : PIECE;
        gnp_turn_take(&ring->turn);
        int status = prepare_ring(ring, c) < 0 ? -1 : copy_piece(ring, c, offset, bytes);
        if (status < 0) {
            settle(&c->from);
            settle(&c->to);
        }
        gnp_turn_end(&ring->turn);
        if (status < 0 || gnp_queue_room(c->to.stream) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* What becomes of a copy: with a capture, a node of both streams when both are in it; of the
 * target's when only that one is, and what the source holds at a replay is copied then. */
typedef enum { COPY_REFUSED = -1, COPY_NOW, COPY_IN_BOTH, COPY_IN_TARGET } CopyKind;

static CopyKind
kind_of(const GnpPeerSide *to, const GnpPeerSide *from, int path)
{
    const GnpCapture *capture = gnp_capture_find(to->stream);
    const GnpCapture *other = gnp_capture_find(from->stream);
    if (capture == NULL && other == NULL) {
        return COPY_NOW;
    }
    if (other != NULL && other != capture) {
        PyErr_Format(PyExc_RuntimeError,
                     "a copy from device %d, whose stream is captured, to device %d, whose stream "
                     "is not captured with it: let that one wait for an event of the first",
                     from->device->id, to->device->id);
        return COPY_REFUSED;
    }
    if (!path) {
        PyErr_Format(PyExc_RuntimeError,
                     "a copy from device %d to device %d cannot be captured: there is no peer "
                     "access between them, so it goes through the host; copy before the capture",
                     from->device->id, to->device->id);
        return COPY_REFUSED;
    }
    return other != NULL ? COPY_IN_BOTH : COPY_IN_TARGET;
}

int
gnp_peer_check_capture(GnpDevice *to, GnpDevice *from)
{
    const GnpPeerSide there = {.device = to, .stream = gnp_stream_peek(to)};
    const GnpPeerSide here = {.device = from, .stream = gnp_stream_peek(from)};
    if (gnp_capture_find(there.stream) == NULL && gnp_capture_find(here.stream) == NULL) {
        return 0;
    }
    const int one = gnp_peer_enable(to, from), other = gnp_peer_enable(from, to);
    return one < 0 || other < 0 || kind_of(&there, &here, one && other) < 0 ? -1 : 0;
}

static int
copy_between(const GnpPeerCopy *c)
{
    if (c->width == 0 || c->height == 0 || c->depth == 0) {
        return 0;
    }
    const uint64_t before = gnp_submissions;
    GNP_TRY(gnp_queue_room(c->to.stream));
    const int path = gnp_peer_has_path(c);
    GNP_TRY(path);
    const CopyKind kind = gnp_captures != NULL ? kind_of(&c->to, &c->from, path) : COPY_NOW;
    GNP_TRY(kind);
    if (kind == COPY_IN_TARGET) {
        GNP_TRY(gnp_device_enter(c->to.device));
        return copy_directly(c, c->to.stream);
    }
    /* Boxes are left to the driver where there is no path: core/ makes none of them then. */
    return path || c->height != 1 || c->depth != 1 ? copy_in_order(c, before) : copy_staged(c);
fail:
    return -1;
}

/* The target's device is current, and is again afterwards. */
int
gnp_peer_copy(const GnpPeerCopy *copy)
{
    const double begin = gnp_trace_clock();
    int status = copy_between(copy);
    if (status == 0) {
        status = gnp_device_enter(copy->to.device);
    }
    else {
        CU_DROP(cuCtxSetCurrent(copy->to.device->context));
    }
    gnp_trace_slice("copy between devices", begin);
    return status;
}

/* ---- consent --------------------------------------------------------------------------------- */

/* What the program says about operands of another device: gpunp.cuda.set_peer_access. */
enum { CONSENT_NONE, CONSENT_GIVEN, CONSENT_WITH_WARNING };
static int consent;

int
gnp_peer_consent(int have, int want)
{
    if (consent == CONSENT_NONE) {
        return 0;
    }
    if (consent == CONSENT_WITH_WARNING &&
        gnp_warn(gnp_state.PerformanceWarning,
                 "an operand is on device %d, the current device is %d: its elements cross the bus "
                 "between the devices",
                 have, want) < 0) {
        return -1;
    }
    return 1;
}

/* The other device's stream is recorded as using the block: it waits for the launch (share_order),
 * so that the memory is not reused before. The mask is put aside meanwhile, since it keeps uses by
 * streams of other devices from being recorded. */
int
gnp_peer_guest(const GnpDevice *device, GnpBlock *block)
{
    int allowed = gnp_peer_consent(block->device_id, device->id);
    GnpDevice *other = allowed > 0 ? gnp_device_get(block->device_id) : NULL;
    if (other == NULL) {
        return allowed > 0 ? -1 : allowed;
    }
    int reach = gnp_peer_reach(device, other, block->ptr);
    if (reach == 0) {
        PyErr_Format(PyExc_ValueError,
                     "device %d cannot access memory of device %d: there is no peer access between "
                     "them; copy the array with cp.asarray",
                     device->id, other->id);
    }
    else if (reach > 0 && gnp_captures != NULL) {
        PyErr_SetString(PyExc_RuntimeError,
                        "a kernel with operands of another device cannot be launched during a "
                        "capture");
        reach = 0;
    }
    if (reach <= 0) {
        return -1;
    }
    const unsigned guests = gnp_thread.guests;
    gnp_thread.guests = 0;
    gnp_block_record(block, gnp_stream_current(other));
    gnp_thread.guests = guests | 1u << other->id;
    return 1;
}

unsigned
gnp_peer_guests_begin(void)
{
    const unsigned before = gnp_thread.guests;
    gnp_thread.guests = 0;
    return before;
}

void
gnp_peer_guests_end(unsigned before)
{
    gnp_thread.guests = before;
}

/* Before a launch its stream waits for the streams of the devices whose memory the kernel uses, and
 * after it they wait for it. Leaves the kernel's device current. */
static int
share_order(GnpDevice *device, CUstream stream, int is_over)
{
    const GnpPeerSide launch = {.device = device, .stream = stream};
    for (unsigned left = gnp_thread.guests; left != 0; left &= left - 1) {
        GnpPeerSide other = {.device = gnp_device_get(__builtin_ctz(left))};
        if (other.device == NULL) {
            return -1;
        }
        other.stream = gnp_stream_peek(other.device);
        GNP_TRY(is_over ? gnp_peer_wait(&other, &launch) : gnp_peer_wait(&launch, &other));
    }
    return gnp_device_enter(device);
fail:
    CU_DROP(cuCtxSetCurrent(device->context));
    return -1;
}

int
gnp_peer_before_launch(int device_id, CUstream stream)
{
    return share_order(gnp_device_get(device_id), stream, 0);
}

/* As after a copy, nothing is under way when this fails. */
int
gnp_peer_after_launch(int device_id, CUstream stream)
{
    GnpDevice *device = gnp_device_get(device_id);
    int status = share_order(device, stream, 1);
    if (status < 0) {
        settle(&(GnpPeerSide){.device = device, .stream = stream});
    }
    return status;
}

static PyObject *
set_peer_access(PyObject *Py_UNUSED(module), PyObject *object)
{
    int wanted, before = consent;
    if (gnp_int_from_object(object, "allow", &wanted) < 0) {
        return NULL;
    }
    consent = wanted;
    return PyLong_FromLong(before);
}

/* ---- for Python ------------------------------------------------------------------------------ */

/* _peer_reach(device, other, ptr): enables access of a device to the memory of another one at an
 * address, for copies by address; False without a path. */
static PyObject *
peer_reach(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    int device_id, other_id;
    uint64_t ptr;
    if (nargs != 3) {
        PyErr_SetString(PyExc_TypeError, "_peer_reach takes three arguments");
        return NULL;
    }
    if (gnp_int_from_object(args[0], "device", &device_id) < 0 ||
        gnp_int_from_object(args[1], "other", &other_id) < 0 ||
        gnp_uint64_from_object(args[2], "ptr", &ptr) < 0) {
        return NULL;
    }
    const GnpDevice *device = gnp_device_get(device_id);
    const GnpDevice *other = device != NULL ? gnp_device_get(other_id) : NULL;
    int reach = other != NULL ? gnp_peer_reach(device, other, ptr) : -1;
    return reach < 0 ? NULL : PyBool_FromLong(reach);
}

static PyMethodDef functions[] = {
    {"_peer_reach", GNP_FAST(peer_reach), METH_FASTCALL,
     "_peer_reach(device, other, ptr)\n--\n\nEnable access to memory of another device."},
    {"_set_peer_access", set_peer_access, METH_O,
     "_set_peer_access(allow)\n--\n\nSet what cuda.set_peer_access sets; return what it was."},
    {NULL, NULL, 0, NULL},
};

int
gnp_peer_init(PyObject *module)
{
    PyObject *warning = PyErr_NewExceptionWithDoc(
        "gpunp.exceptions.PerformanceWarning",
        "An operation works, but slower than the program may expect.\n\n"
        "Given for operands of another device where `cuda.set_peer_access` asks for it.",
        PyExc_RuntimeWarning, NULL); /* owned by the state */
    if (warning == NULL) {
        return -1;
    }
    Py_XSETREF(gnp_state.PerformanceWarning, warning);
    if (PyModule_AddObjectRef(module, "PerformanceWarning", warning) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, functions);
}

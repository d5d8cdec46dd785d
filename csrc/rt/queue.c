/* Back-pressure: how far the host may be ahead of a device.
 *
 * The driver queues about 1,024 launches; the next one blocks inside it, with the GIL held and
 * without reacting to Ctrl-C. So the wait is done here, before that limit. At every MARK_EVERY-th
 * submission an event is recorded in the stream in use, and the host waits, without the GIL, for
 * the event recorded LAG marks earlier: at most (LAG + 1) * MARK_EVERY submissions are ahead of the
 * device. Usually that event has completed and there is no wait.
 *
 * Submissions of all streams are counted together, and the period is a prime, so that in a program
 * that uses its streams in turn each of them gets marked. Correctness does not depend on this:
 * driver errors are ignored here, since the driver would still block by itself. */
#include "rt/internal.h"

enum { MARK_EVERY = GNP_QUEUE_MARK, MARKS = 8, LAG = 2 };

/* Counted up inline by every submission (gnp_queue_room in rt.h), reset here. Guarded by the
 * GIL. */
unsigned gnp_queued = 0;
uint64_t gnp_submissions = 0;

typedef struct {
    CUevent events[MARKS];
    unsigned made, next; /* events that exist; marks so far */
} Ring;

static Ring rings[GNP_MAX_DEVICES]; /* guarded by the GIL */

/* Events that are recorded during a capture would become part of the graph. The driver is asked
 * too, because other libraries capture streams without telling us. */
static int
is_captured(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return gnp_captures != NULL || gnp_cu->cuStreamIsCapturing(stream, &status) != 0 ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* A ring of a few events: the oldest is recorded again, which is allowed whether or not it has been
 * reached. */
static int
mark(Ring *ring, CUstream stream)
{
    if (ring->made < MARKS) {
        if (gnp_cu->cuEventCreate(&ring->events[ring->made], CU_EVENT_DISABLE_TIMING) != 0) {
            return -1;
        }
        ring->made++;
    }
    CUresult code;
    CU_QUEUE(code, cuEventRecord(ring->events[ring->next % MARKS], stream));
    if (code != 0) {
        return -1;
    }
    ring->next++;
    return 0;
}

/* Waits until the mark is reached, has failed, or its event was recorded again by another thread
 * (the ring has wrapped around). */
static int
wait_for_mark(int device_id, const Ring *ring, unsigned number)
{
    CUevent event = ring->events[number % MARKS];
    CUresult code = gnp_cu->cuEventQuery(event);
    int64_t begin = code == CUDA_ERROR_NOT_READY ? gnp_wait_clock() : 0;
    double traced = gnp_trace_clock();
    /* The difference is right after `next` has wrapped around, too: it is unsigned. */
    while (code == CUDA_ERROR_NOT_READY && ring->next - number <= MARKS) {
        GNP_NOGIL(code = gnp_wait_slice(device_id, NULL, event, begin));
        if (PyErr_CheckSignals() < 0) {
            gnp_wait_interrupted();
            return -1;
        }
    }
    if (begin != 0) {
        gnp_trace_slice("queue is full", traced);
    }
    return 0;
}

/* With an exception pending it does nothing, as a second one could replace it. */
int
gnp_queue_wait(CUstream stream)
{
    GnpDevice *device = gnp_thread.device;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    int status = 0;
    gnp_queued = 0;
    if (device == NULL || gnp_forked || PyErr_Occurred() || is_captured(stream)) {
        return 0;
    }
    /* Another library of this process may be capturing in a mode in which querying an event is an
     * error. */
    if (gnp_cu->cuThreadExchangeStreamCaptureMode(&mode) != 0) {
        return 0;
    }
    Ring *ring = &rings[device->id];
    if (mark(ring, stream) == 0 && ring->next > LAG) {
        status = wait_for_mark(device->id, ring, ring->next - 1 - LAG);
    }
    CU_DROP(cuThreadExchangeStreamCaptureMode(&mode));
    return status;
}

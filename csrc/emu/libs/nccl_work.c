/* The work of the emulated NCCL: collective operations as messages between all ranks.
 *
 * A piece of work has the calls of one group. It runs in the order of its stream, and after the
 * pieces of the same communicator that were put into streams before it, as NCCL's own do. Sends and
 * receives that follow each other are moved at once. Results are combined in scratch memory and
 * written when this rank's own data has been sent, so a buffer may be input and output. */
#include "emu/libs/nccl.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ncclComm_t comm;
    uint64_t number; /* of this piece; TAKEN_LATER: a graph's */
    int count;
    NcclCall calls[];
} Piece;

#define TAKEN_LATER UINT64_MAX

static size_t
call_bytes(const NcclCall *call)
{
    return call->count * nccl_type_bytes(call->type);
}

static NcclMessage
to_peer(int peer, const void *data, size_t bytes)
{
    /* The bytes are only read; a message has one pointer for both directions. */
    return (NcclMessage){(void *)(uintptr_t)data, bytes, 0, peer, 1};
}

static NcclMessage
from_peer(int peer, void *data, size_t bytes)
{
    return (NcclMessage){data, bytes, 0, peer, 0};
}

static int
exchange(ncclComm_t comm, NcclMessage *messages, int count)
{
    return nccl_segment_exchange(comm->segment, messages, count, &comm->aborted);
}

/* ---- without arithmetic ---------------------------------------------------------------------- */

static int
run_broadcast(ncclComm_t comm, const NcclCall *c)
{
    NcclMessage messages[NCCL_MAX_RANKS];
    const size_t bytes = call_bytes(c);
    int n = 0;
    if (comm->rank != c->rank) {
        messages[0] = from_peer(c->rank, c->recv, bytes);
        return exchange(comm, messages, 1);
    }
    for (int peer = 0; peer < comm->nranks; peer++) {
        if (peer != comm->rank) {
            messages[n++] = to_peer(peer, c->send, bytes);
        }
    }
    memmove(c->recv, c->send, bytes);
    return exchange(comm, messages, n);
}

/* This rank's block goes to all, and theirs come to `all`, which has a block for each rank. */
static int
gather_blocks(ncclComm_t comm, const void *own, unsigned char *all, size_t bytes)
{
    NcclMessage messages[2 * NCCL_MAX_RANKS];
    int n = 0;
    memmove(all + (size_t)comm->rank * bytes, own, bytes);
    for (int peer = 0; peer < comm->nranks; peer++) {
        if (peer != comm->rank) {
            /* The copy is sent, as `own` may be a part of `all`. */
            messages[n++] = to_peer(peer, all + (size_t)comm->rank * bytes, bytes);
            messages[n++] = from_peer(peer, all + (size_t)peer * bytes, bytes);
        }
    }
    return exchange(comm, messages, n);
}

/* ---- with arithmetic ------------------------------------------------------------------------- */

/* Combines a block from each rank, in the order of ranks, and writes the result. */
static void
combine_blocks(ncclComm_t comm, const NcclCall *c, unsigned char *blocks)
{
    const size_t bytes = call_bytes(c);
    for (int i = 1; i < comm->nranks; i++) {
        nccl_combine(blocks, blocks + (size_t)i * bytes, c->count, c->type, c->op);
    }
    if (c->op == ncclAvg) {
        nccl_divide(blocks, c->count, c->type, comm->nranks);
    }
    memcpy(c->recv, blocks, bytes);
}

/* Blocks go where they are combined: `wanted` says which block of `send` each rank gets, -1 none.
 */
static int
collect_blocks(ncclComm_t comm, const NcclCall *c, const int wanted[], unsigned char *blocks)
{
    NcclMessage messages[2 * NCCL_MAX_RANKS];
    const size_t bytes = call_bytes(c);
    const unsigned char *send = c->send;
    int n = 0;
    for (int peer = 0; peer < comm->nranks; peer++) {
        if (wanted[peer] >= 0) {
            messages[n++] = to_peer(peer, send + (size_t)wanted[peer] * bytes, bytes);
        }
        if (blocks != NULL) {
            messages[n++] = from_peer(peer, blocks + (size_t)peer * bytes, bytes);
        }
    }
    return exchange(comm, messages, n);
}

/* all-reduce, reduce and reduce-scatter. */
static int
run_reduction(ncclComm_t comm, const NcclCall *c)
{
    int wanted[NCCL_MAX_RANKS];
    for (int peer = 0; peer < comm->nranks; peer++) {
        wanted[peer] = c->kind == NCCL_REDUCE_SCATTER                  ? peer
                       : c->kind == NCCL_ALL_REDUCE || peer == c->rank ? 0
                                                                       : -1;
    }
    unsigned char *blocks = NULL; /* owned */
    if (wanted[comm->rank] >= 0) {
        blocks = emu_math_scratch(comm->nranks, call_bytes(c));
        if (blocks == NULL) {
            return -1;
        }
    }
    int status = collect_blocks(comm, c, wanted, blocks);
    if (status == 0 && blocks != NULL) {
        combine_blocks(comm, c, blocks);
    }
    free(blocks);
    return status;
}

/* ---- a piece --------------------------------------------------------------------------------- */

typedef struct {
    size_t read, written;
} Extent;

/* The bytes of this rank's two buffers that a call touches; 0 for none. */
static Extent
extent_of(ncclComm_t comm, const NcclCall *c)
{
    const size_t bytes = call_bytes(c), all = bytes * (size_t)comm->nranks;
    const int is_root = comm->rank == c->rank;
    const int reads = c->kind != NCCL_RECV && (c->kind != NCCL_BROADCAST || is_root);
    const int writes = c->kind != NCCL_SEND && (c->kind != NCCL_REDUCE || is_root);
    return (Extent){
        .read = !reads                           ? 0
                : c->kind == NCCL_REDUCE_SCATTER ? all
                                                 : bytes,
        .written = !writes                      ? 0
                   : c->kind == NCCL_ALL_GATHER ? all
                                                : bytes,
    };
}

/* Tells the device's checks what a call reads and writes. */
static void
tell(ncclComm_t comm, const NcclCall *c)
{
    const Extent extent = extent_of(comm, c);
    if (extent.read > 0) {
        emu_math.cuEmuDeviceAccess(c->send, extent.read, 0, "NCCL");
    }
    if (extent.written > 0) {
        emu_math.cuEmuDeviceAccess(c->recv, extent.written, 1, "NCCL");
    }
}

static int
is_captured(cudaStream_t stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return emu_math.cuStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, NULL, NULL) ==
               CUDA_SUCCESS &&
           status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/* Captured calls are not looked at: memory that a graph allocates is there only while it runs. */
int
nccl_work_fits(ncclComm_t comm, cudaStream_t stream, const NcclCall *c)
{
    const size_t most = SIZE_MAX / (size_t)comm->nranks / nccl_type_bytes(c->type);
    if (c->count > most || is_captured(stream)) {
        return c->count <= most;
    }
    const Extent extent = extent_of(comm, c);
    return (extent.read == 0 || emu_math_is_inside(c->send, extent.read)) &&
           (extent.written == 0 || emu_math_is_inside(c->recv, extent.written));
}

static int
is_message(const NcclCall *c)
{
    return c->kind == NCCL_SEND || c->kind == NCCL_RECV;
}

/* The calls from `first` on that are sends and receives, all at once. How many, or -1. */
static int
run_messages(ncclComm_t comm, const NcclCall *first, int most)
{
    int n = 0;
    while (n < most && is_message(&first[n])) {
        n++;
    }
    NcclMessage *messages = emu_math_scratch(n, sizeof *messages); /* owned */
    if (messages == NULL) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        const NcclCall *c = &first[i];
        messages[i] = c->kind == NCCL_SEND ? to_peer(c->rank, c->send, call_bytes(c))
                                           : from_peer(c->rank, c->recv, call_bytes(c));
    }
    int status = exchange(comm, messages, n);
    free(messages);
    return status == 0 ? n : -1;
}

static int
run_calls(ncclComm_t comm, const NcclCall *calls, int count)
{
    for (int i = 0; i < count;) {
        const NcclCall *c = &calls[i];
        int done = 1;
        if (is_message(c)) {
            done = run_messages(comm, c, count - i);
        }
        else if (c->kind == NCCL_BROADCAST) {
            done = run_broadcast(comm, c) < 0 ? -1 : 1;
        }
        else if (c->kind == NCCL_ALL_GATHER) {
            done = gather_blocks(comm, c->send, c->recv, call_bytes(c)) < 0 ? -1 : 1;
        }
        else {
            done = run_reduction(comm, c) < 0 ? -1 : 1;
        }
        if (done < 0) {
            return -1;
        }
        i += done;
    }
    return 0;
}

/* Order: a piece counts itself as running before it looks whether the communicator has ended, and
 * the end is marked before the count is looked at, so one of the two sees the other. */
void
nccl_work_close(ncclComm_t comm)
{
    const int is_through =
        atomic_load(&comm->aborted) || atomic_load(&comm->turn) == atomic_load(&comm->last);
    if (atomic_load(&comm->ended) && atomic_load(&comm->running) == 0 && is_through &&
        atomic_exchange(&comm->closed, 1) == 0) {
        nccl_segment_close(comm->segment);
    }
}

/* A piece that is not done leaves its results undefined; the communicator is of no use then, since
 * ranks no longer agree on what comes next. */
static void
run_in_turn(ncclComm_t comm, const Piece *piece)
{
    unsigned turns = 0;
    const uint64_t number =
        piece->number == TAKEN_LATER ? atomic_fetch_add(&comm->next, 1) : piece->number;
    while (atomic_load_explicit(&comm->turn, memory_order_acquire) != number) {
        if (nccl_pause(&turns, &comm->aborted) < 0) {
            /* Its number is lost, and with it those of all pieces that follow. */
            atomic_store(&comm->error, ncclRemoteError);
            return;
        }
    }
    for (int i = 0; i < piece->count; i++) {
        tell(comm, &piece->calls[i]);
    }
    if (run_calls(comm, piece->calls, piece->count) < 0) {
        atomic_store(&comm->error, ncclRemoteError);
    }
    atomic_store(&comm->turn, number + 1);
}

/* Runs on the thread of the stream. A graph may run after the communicator has ended. */
static void
run(void *object)
{
    const Piece *piece = object;
    ncclComm_t comm = piece->comm;
    atomic_fetch_add(&comm->running, 1);
    if (!atomic_load(&comm->aborted) &&
        !(piece->number == TAKEN_LATER && atomic_load(&comm->ended))) {
        run_in_turn(comm, piece);
    }
    atomic_fetch_sub(&comm->running, 1);
    nccl_work_close(comm);
}

/* A piece that is captured gets its number each time the graph runs. */
int
nccl_work_enqueue(ncclComm_t comm, cudaStream_t stream, const NcclCall *calls, int count)
{
    const size_t bytes = sizeof(Piece) + (size_t)count * sizeof *calls;
    CUstreamCaptureStatus capture = 0;
    Piece *piece = malloc(bytes);
    if (piece == NULL) {
        return ncclSystemError;
    }
    CUresult code = emu_math.cuStreamGetCaptureInfo_v2(stream, &capture, NULL, NULL, NULL, NULL);
    const int is_captured = capture == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    piece->comm = comm;
    piece->count = count;
    memcpy(piece->calls, calls, (size_t)count * sizeof *calls);
    piece->number = is_captured ? TAKEN_LATER : atomic_fetch_add(&comm->next, 1);
    code = code == CUDA_SUCCESS ? emu_math_enqueue(stream, run, piece, bytes) : code;
    free(piece);
    if (code != CUDA_SUCCESS) {
        /* The number was taken, so nothing that follows could run. */
        atomic_store(&comm->error, ncclUnhandledCudaError);
        atomic_store(&comm->aborted, !is_captured);
        return ncclUnhandledCudaError;
    }
    if (!is_captured) {
        /* Work starts at once even where the device puts it off until somebody waits: ranks of this
         * process wait for each other, not for the stream. */
        (void)emu_math.cuStreamQuery(stream);
    }
    return ncclSuccess;
}

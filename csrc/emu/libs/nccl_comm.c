/* The emulated NCCL: communicators, groups, and the functions that are exported.
 *
 * Calls check their arguments as NCCL does and are collected in the thread's group; outside of one
 * a call is a group of its own. At the end of the outermost group the thread first waits for the
 * communicators that were joined in it, and then each communicator's calls become a piece of work.
 *
 * Ranks are threads or processes of one machine. Version 2.28 is imitated. */
#include "emu/libs/nccl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { VERSION = 22800, MAGIC = 0x6e63636c };
static const char id_head[8] = "gpunp\0\1"; /* how an identifier begins */

/* ---- the thread's group ---------------------------------------------------------------------- */

typedef struct {
    ncclComm_t comm;
    cudaStream_t stream;
    NcclCall call;
} Pending;

static _Thread_local struct {
    int depth, status; /* status: of the first call that failed */
    int ncalls, calls_capacity, njoins, joins_capacity;
    Pending *calls;    /* owned */
    ncclComm_t *joins; /* owned */
} group;

/* Room for one more item; 0, or -1. */
static int
grow(void *items, int count, int *capacity, size_t item_bytes)
{
    void **array = items;
    if (count < *capacity) {
        return 0;
    }
    int larger = *capacity > 0 ? 2 * *capacity : 8;
    void *grown = realloc(*array, (size_t)larger * item_bytes);
    if (grown == NULL) {
        return -1;
    }
    *array = grown;
    *capacity = larger;
    return 0;
}

/* `after` waits for what `before` has now. */
static CUresult
order(cudaStream_t before, cudaStream_t after)
{
    CUevent event = NULL;
    CUresult code = emu_math.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
    if (code == CUDA_SUCCESS) {
        code = emu_math.cuEventRecord(event, before);
        code = code == CUDA_SUCCESS ? emu_math.cuStreamWaitEvent(after, event, 0) : code;
        emu_math.cuEventDestroy_v2(event);
    }
    return code;
}

/* A group's work waits for all streams that its calls of a communicator name, and all of them wait
 * for it. */
static int
join_streams(ncclComm_t comm, cudaStream_t stream, int is_after)
{
    CUresult code = CUDA_SUCCESS;
    for (int i = 0; code == CUDA_SUCCESS && i < group.ncalls; i++) {
        cudaStream_t other = group.calls[i].stream;
        if (group.calls[i].comm == comm && other != stream) {
            code = is_after ? order(stream, other) : order(other, stream);
        }
    }
    return code == CUDA_SUCCESS ? ncclSuccess : ncclUnhandledCudaError;
}

/* All calls of the communicator of call `first`, in their order. Its context is current, which also
 * says what the null stream is. */
static int
launch_calls(int first)
{
    ncclComm_t comm = group.calls[first].comm;
    cudaStream_t stream = group.calls[first].stream;
    NcclCall *calls = malloc((size_t)group.ncalls * sizeof *calls); /* owned */
    int n = 0;
    if (calls == NULL) {
        return ncclSystemError;
    }
    for (int i = first; i < group.ncalls; i++) {
        if (group.calls[i].comm == comm) {
            calls[n++] = group.calls[i].call;
        }
    }
    int status = join_streams(comm, stream, 0);
    status = status == ncclSuccess ? nccl_work_enqueue(comm, stream, calls, n) : status;
    status = status == ncclSuccess ? join_streams(comm, stream, 1) : status;
    free(calls);
    return status;
}

/* Takes the calls off the list. */
static int
launch_from(int first)
{
    ncclComm_t comm = group.calls[first].comm;
    CUcontext before = NULL;
    emu_math.cuCtxGetCurrent(&before);
    emu_math.cuCtxSetCurrent(comm->context);
    int status = launch_calls(first);
    emu_math.cuCtxSetCurrent(before);
    for (int i = first; i < group.ncalls; i++) {
        group.calls[i].comm = group.calls[i].comm == comm ? NULL : group.calls[i].comm;
    }
    return status;
}

/* Waits for the other ranks of a communicator, which another thread may abort meanwhile. */
static int
meet(ncclComm_t comm)
{
    int status = ncclRemoteError;
    atomic_fetch_add(&comm->running, 1);
    if (!atomic_load(&comm->ended)) {
        status = nccl_segment_meet(comm->segment, &comm->aborted);
    }
    atomic_fetch_sub(&comm->running, 1);
    nccl_work_close(comm);
    return status;
}

EXPORT int
ncclGroupStart(void)
{
    group.depth++;
    return ncclSuccess;
}

EXPORT int
ncclGroupEnd(void)
{
    if (group.depth == 0) {
        return ncclInvalidUsage;
    }
    if (--group.depth > 0) {
        return ncclSuccess;
    }
    int status = group.status;
    for (int i = 0; status == ncclSuccess && i < group.njoins; i++) {
        status = meet(group.joins[i]);
    }
    for (int i = 0; status == ncclSuccess && i < group.ncalls; i++) {
        status = group.calls[i].comm != NULL ? launch_from(i) : ncclSuccess;
    }
    for (int i = 0; status != ncclSuccess && i < group.njoins; i++) {
        (void)ncclCommAbort(group.joins[i]); /* nobody can use what is not complete */
    }
    free(group.calls);
    free(group.joins);
    memset(&group, 0, sizeof group);
    return status;
}

/* The end of a call: the group keeps the first failure, and a call outside of a group is one. */
static int
end_call(int status)
{
    if (status != ncclSuccess && group.status == ncclSuccess) {
        group.status = status;
    }
    int ended = ncclGroupEnd();
    return status != ncclSuccess ? status : ended;
}

/* ---- communicators --------------------------------------------------------------------------- */

EXPORT int
ncclGetVersion(int *version)
{
    if (version == NULL) {
        return ncclInvalidArgument;
    }
    *version = VERSION;
    return ncclSuccess;
}

EXPORT int
ncclGetUniqueId(ncclUniqueId *id)
{
    if (id == NULL) {
        return ncclInvalidArgument;
    }
    const int32_t process = (int32_t)getpid();
    memset(id, 0, sizeof *id);
    memcpy(id->internal, id_head, sizeof id_head);
    memcpy(id->internal + NCCL_ID_PROCESS, &process, sizeof process);
    return getrandom(id->internal + sizeof id_head, 16, 0) == 16 ? ncclSuccess : ncclSystemError;
}

EXPORT const char *
ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return "";
}

/* Joins as `rank`, on the device whose context is current. */
static int
join(ncclComm_t *out, int nranks, const ncclUniqueId *id, int rank)
{
    if (out == NULL || nranks < 1 || nranks > NCCL_MAX_RANKS || rank < 0 || rank >= nranks ||
        memcmp(id->internal, id_head, sizeof id_head) != 0 ||
        grow(&group.joins, group.njoins, &group.joins_capacity, sizeof *group.joins) < 0) {
        return ncclInvalidArgument;
    }
    ncclComm_t comm = calloc(1, sizeof *comm);
    CUdevice device = 0;
    if (comm == NULL) {
        return ncclSystemError;
    }
    if (emu_math.cuCtxGetCurrent(&comm->context) != CUDA_SUCCESS || comm->context == NULL ||
        emu_math.cuCtxGetDevice(&device) != CUDA_SUCCESS) {
        free(comm);
        return ncclUnhandledCudaError;
    }
    int status = nccl_segment_open(id, nranks, rank, &comm->segment);
    if (status != ncclSuccess) {
        free(comm);
        return status;
    }
    comm->magic = MAGIC;
    comm->id = *id;
    comm->rank = rank;
    comm->nranks = nranks;
    comm->device = device;
    group.joins[group.njoins++] = comm;
    *out = comm;
    return ncclSuccess;
}

EXPORT int
ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    ncclGroupStart();
    return end_call(join(comm, nranks, &id, rank));
}

/* One rank for each device, in this process. The contexts exist, as the caller sees to. */
EXPORT int
ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
    ncclUniqueId id;
    CUcontext before = NULL;
    int status = comms == NULL || count < 1 ? ncclInvalidArgument : ncclGetUniqueId(&id);
    for (int i = 0; status == ncclSuccess && devices != NULL && i < count; i++) {
        for (int j = 0; j < i; j++) {
            status = devices[j] == devices[i] ? ncclInvalidUsage : status;
        }
    }
    emu_math.cuCtxGetCurrent(&before);
    ncclGroupStart();
    for (int i = 0; status == ncclSuccess && i < count; i++) {
        const int device = devices != NULL ? devices[i] : i;
        CUcontext context = NULL;
        if (emu_math.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS) {
            status = ncclUnhandledCudaError;
            continue;
        }
        emu_math.cuCtxSetCurrent(context);
        status = status == ncclSuccess ? join(&comms[i], count, &id, i) : status;
        emu_math.cuDevicePrimaryCtxRelease_v2(device);
    }
    emu_math.cuCtxSetCurrent(before);
    return end_call(status);
}

static int
is_comm(const ncclComm_t comm)
{
    return comm != NULL && comm->magic == MAGIC && !atomic_load(&comm->ended);
}

/* ---- splitting ------------------------------------------------------------------------------- */

/* What each rank says. */
typedef struct {
    int color, key;
} Choice;

/* Rank and size of this rank among those with its color, which are ordered by key and rank. */
static void
place(const Choice *choices, int nranks, int own, int *rank, int *size)
{
    *rank = *size = 0;
    for (int i = 0; i < nranks; i++) {
        if (choices[i].color == choices[own].color) {
            *size += 1;
            *rank += choices[i].key < choices[own].key ||
                     (choices[i].key == choices[own].key && i < own);
        }
    }
}

/* Ranks tell each other their choices through the rings, here on the caller's thread: it waits for
 * the work that the communicator has in streams. 0, or -1 once it was aborted. Acquiring the turn
 * orders this exchange behind all that the holder of the turn before did in the rings. */
static int
exchange_choices(ncclComm_t comm, Choice *choices)
{
    NcclMessage messages[2 * NCCL_MAX_RANKS];
    const uint64_t number = atomic_fetch_add(&comm->next, 1);
    unsigned turns = 0;
    int n = 0;
    while (atomic_load_explicit(&comm->turn, memory_order_acquire) != number) {
        if (nccl_pause(&turns, &comm->aborted) < 0) {
            return -1;
        }
    }
    for (int peer = 0; peer < comm->nranks; peer++) {
        if (peer != comm->rank) {
            messages[n++] = (NcclMessage){&choices[comm->rank], sizeof *choices, 0, peer, 1};
            messages[n++] = (NcclMessage){&choices[peer], sizeof *choices, 0, peer, 0};
        }
    }
    int status = nccl_segment_exchange(comm->segment, messages, n, &comm->aborted);
    atomic_store_explicit(&comm->turn, number + 1, memory_order_release);
    return status;
}

/* An identifier that the ranks with this color, and no others, derive alike: the random bytes of
 * the communicator's own with color and count in them, mixed as by SplitMix64. */
static ncclUniqueId
derive_id(ncclComm_t comm, int color)
{
    ncclUniqueId id = comm->id;
    for (size_t i = 0; i < 2; i++) {
        char *at = id.internal + sizeof id_head + 8 * i;
        uint64_t word;
        memcpy(&word, at, sizeof word);
        word += (uint64_t)comm->splits << 32 | (uint32_t)color;
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
        word = (word ^ word >> 27) * 0x94D049BB133111EBu;
        word ^= word >> 31;
        memcpy(at, &word, sizeof word);
    }
    return id;
}

EXPORT int
ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made, ncclConfig_t *config)
{
    Choice choices[NCCL_MAX_RANKS];
    int rank, size;
    if (!is_comm(comm) || made == NULL || config != NULL || group.depth > 0) {
        return ncclInvalidArgument;
    }
    *made = NULL;
    choices[comm->rank] = (Choice){color, key};
    if (exchange_choices(comm, choices) < 0) {
        return ncclRemoteError;
    }
    comm->splits++;
    if (color < 0) {
        return ncclSuccess;
    }
    place(choices, comm->nranks, comm->rank, &rank, &size);
    CUcontext before = NULL;
    emu_math.cuCtxGetCurrent(&before);
    emu_math.cuCtxSetCurrent(comm->context);
    int status = ncclCommInitRank(made, size, derive_id(comm, color), rank);
    emu_math.cuCtxSetCurrent(before);
    return status;
}

/* ---- ending and asking ----------------------------------------------------------------------- */

/* Work that is in streams still runs, and the last piece closes the segment. */
EXPORT int
ncclCommDestroy(ncclComm_t comm)
{
    if (!is_comm(comm)) {
        return ncclInvalidArgument;
    }
    atomic_store(&comm->last, atomic_load(&comm->next));
    atomic_store(&comm->ended, 1);
    nccl_work_close(comm);
    return ncclSuccess;
}

/* Work that runs stops soon, and what is queued does nothing. */
EXPORT int
ncclCommAbort(ncclComm_t comm)
{
    if (!is_comm(comm)) {
        return ncclInvalidArgument;
    }
    atomic_store(&comm->aborted, 1);
    atomic_store(&comm->ended, 1);
    nccl_work_close(comm);
    return ncclSuccess;
}

EXPORT int
ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    if (!is_comm(comm) || error == NULL) {
        return ncclInvalidArgument;
    }
    *error = atomic_load(&comm->error);
    return ncclSuccess;
}

/* A fact of a communicator, for the three questions below. */
static int
answer(const ncclComm_t comm, int fact, int *out)
{
    if (out == NULL) {
        return ncclInvalidArgument;
    }
    *out = fact;
    return is_comm(comm) ? ncclSuccess : ncclInvalidArgument;
}

EXPORT int
ncclCommCount(const ncclComm_t comm, int *count)
{
    return comm != NULL ? answer(comm, comm->nranks, count) : ncclInvalidArgument;
}

EXPORT int
ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    return comm != NULL ? answer(comm, comm->device, device) : ncclInvalidArgument;
}

EXPORT int
ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    return comm != NULL ? answer(comm, comm->rank, rank) : ncclInvalidArgument;
}

/* ---- communication --------------------------------------------------------------------------- */

static int
add_call(ncclComm_t comm, cudaStream_t stream, NcclCall call)
{
    ncclGroupStart();
    if (!is_comm(comm) || call.type < 0 || call.type >= NCCL_NTYPES || call.op < 0 ||
        call.op >= NCCL_NOPS || call.rank < 0 || call.rank >= comm->nranks ||
        !nccl_work_fits(comm, stream, &call)) {
        return end_call(ncclInvalidArgument);
    }
    if (atomic_load(&comm->error) != ncclSuccess) {
        return end_call(atomic_load(&comm->error));
    }
    if (grow(&group.calls, group.ncalls, &group.calls_capacity, sizeof *group.calls) < 0) {
        return end_call(ncclSystemError);
    }
    group.calls[group.ncalls++] = (Pending){comm, stream, call};
    return end_call(ncclSuccess);
}

EXPORT int
ncclReduce(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t op,
           int root, ncclComm_t comm, cudaStream_t stream)
{
    return add_call(comm, stream, (NcclCall){NCCL_REDUCE, type, op, root, send, recv, count});
}

EXPORT int
ncclBroadcast(const void *send, void *recv, size_t count, ncclDataType_t type, int root,
              ncclComm_t comm, cudaStream_t stream)
{
    return add_call(comm, stream, (NcclCall){NCCL_BROADCAST, type, 0, root, send, recv, count});
}

EXPORT int
ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t op,
              ncclComm_t comm, cudaStream_t stream)
{
    return add_call(comm, stream, (NcclCall){NCCL_ALL_REDUCE, type, op, 0, send, recv, count});
}

EXPORT int
ncclReduceScatter(const void *send, void *recv, size_t count, ncclDataType_t type, ncclRedOp_t op,
                  ncclComm_t comm, cudaStream_t stream)
{
    return add_call(comm, stream, (NcclCall){NCCL_REDUCE_SCATTER, type, op, 0, send, recv, count});
}

EXPORT int
ncclAllGather(const void *send, void *recv, size_t count, ncclDataType_t type, ncclComm_t comm,
              cudaStream_t stream)
{
    return add_call(comm, stream, (NcclCall){NCCL_ALL_GATHER, type, 0, 0, send, recv, count});
}

EXPORT int
ncclSend(const void *send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
         cudaStream_t stream)
{
    return add_call(comm, stream, (NcclCall){NCCL_SEND, type, 0, peer, send, NULL, count});
}

EXPORT int
ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
         cudaStream_t stream)
{
    return add_call(comm, stream, (NcclCall){NCCL_RECV, type, 0, peer, NULL, recv, count});
}

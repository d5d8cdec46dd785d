/* The emulated NCCL: what its files share, and prototypes of what is exported.
 *
 * nccl_channel.c moves bytes between ranks, nccl_reduce.c combines them, nccl_work.c makes
 * collective operations of both, nccl_comm.c has communicators and groups. */
#ifndef EMU_NCCL_H
#define EMU_NCCL_H

#include "emu/libs/libs.h"
#include "lib/nccl_abi.h"

#include <stdatomic.h>

#define CALL(name, params) int name params;
#define TEXT(name, params) const char *name params;
#include "tables/nccl.def"

enum {
#define STATUS(number, name, kind) name = number,
#include "tables/nccl.def"
};

/* An identifier: a head of 8 bytes, 16 random ones, the process that made it as int32_t at
 * NCCL_ID_PROCESS, zeros. The process names the file that the ranks share, for whoever finds it. */
enum { NCCL_ID_PROCESS = 24 };

enum { NCCL_MAX_RANKS = 64, NCCL_NTYPES = 12, NCCL_NOPS = 5 };

/* ---- channels -------------------------------------------------------------------------------- */

/* Memory that all ranks of a communicator share, threads and processes alike. */
typedef struct NcclSegment NcclSegment;

/* Joins as `rank`; does not wait for the others. A status, and *out on success. */
int nccl_segment_open(const ncclUniqueId *id, int nranks, int rank, NcclSegment **out);
/* Waits until all ranks have joined. A status. */
int nccl_segment_meet(NcclSegment *segment, const atomic_int *aborted);
/* For this rank only. */
void nccl_segment_close(NcclSegment *segment);

/* A message of this rank to `peer`, or from it. */
typedef struct {
    void *data;
    size_t bytes, done;
    int peer, is_sent;
} NcclMessage;

/* Moves all messages at once, so that their order among different peers does not matter; those
 * with one peer keep theirs. 0, or -1 when `aborted` was set or the device's work is cancelled. */
int nccl_segment_exchange(NcclSegment *segment, NcclMessage *messages, int count,
                          const atomic_int *aborted);
/* A pause of a loop that waits for another rank; `turns` counts them. 0, or -1 as above. */
int nccl_pause(unsigned *turns, const atomic_int *aborted);

/* ---- arithmetic ------------------------------------------------------------------------------ */

size_t nccl_type_bytes(ncclDataType_t type);
/* into[i] = into[i] op from[i]; the average is a sum until nccl_divide ends it. */
void nccl_combine(void *into, const void *from, size_t count, ncclDataType_t type, ncclRedOp_t op);
void nccl_divide(void *into, size_t count, ncclDataType_t type, int by);

/* ---- work ------------------------------------------------------------------------------------ */

typedef enum {
    NCCL_ALL_REDUCE,
    NCCL_REDUCE,
    NCCL_BROADCAST,
    NCCL_REDUCE_SCATTER,
    NCCL_ALL_GATHER,
    NCCL_SEND,
    NCCL_RECV
} NcclKind;

typedef struct {
    NcclKind kind;
    ncclDataType_t type;
    ncclRedOp_t op;
    int rank; /* the root or the peer */
    const void *send;
    void *recv;
    size_t count;
} NcclCall;

/* A communicator. Graphs may hold work of it for as long as they like, so it is never freed: what
 * costs memory, the segment, is closed once the communicator has ended and its work is through. */
struct ncclComm {
    unsigned magic, splits; /* splits: how often it was split */
    int rank, nranks, device;
    ncclUniqueId id;
    CUcontext context;
    NcclSegment *segment;
    atomic_int aborted, ended;   /* ended: destroyed or aborted; nothing is called any more */
    atomic_int running, closed;  /* pieces of work that run; whether the segment was closed */
    atomic_int error;            /* what ncclCommGetAsyncError answers */
    _Atomic uint64_t next, turn; /* pieces of work run in the order of their numbers */
    _Atomic uint64_t last;       /* `next` when the communicator was destroyed */
};

/* Whether the buffers of a call lie in memory that is allocated: work that left it would end the
 * process. */
int nccl_work_fits(ncclComm_t comm, cudaStream_t stream, const NcclCall *call);
/* Puts a group's calls of one communicator into a stream, as one piece of work. A status. */
int nccl_work_enqueue(ncclComm_t comm, cudaStream_t stream, const NcclCall *calls, int count);
/* Closes the segment if the communicator has ended and no work needs it. */
void nccl_work_close(ncclComm_t comm);

#endif

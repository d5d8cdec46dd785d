/* Bytes between ranks of the emulated NCCL: a ring buffer for each ordered pair of ranks, in a file
 * of /dev/shm that every rank maps.
 *
 * A ring has one writer and one reader, at most one thread each, as work of a communicator runs one
 * piece at a time. Memory order: the writer stores the bytes, then `written` with release; the
 * reader loads `written` with acquire, reads the bytes, then stores `read` with release, which the
 * writer loads before it uses the place again.
 *
 * The file is named after the communicator's identifier and is unlinked by the rank that joins
 * last, or by one that leaves before or whose process ends, as it does where a rank never comes.
 * It is sparse: pages of rings that nobody uses cost nothing. */
#include "emu/libs/nccl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RING = 1 << 16, LINE = 64, YIELDS = 200, PAUSE_NS = 100000 };

/* Counts of all bytes so far, each on a cache line of its own. */
typedef struct {
    _Alignas(LINE) _Atomic uint64_t written;
    _Alignas(LINE) _Atomic uint64_t read;
    _Alignas(LINE) unsigned char bytes[RING];
} Ring;

typedef struct {
    atomic_int joined, nranks; /* nranks: 0 until the first rank has set it */
    atomic_int taken[NCCL_MAX_RANKS];
    _Alignas(LINE) Ring rings[]; /* from rank i to rank j: i * nranks + j */
} Shared;

struct NcclSegment {
    Shared *shared;
    size_t bytes;
    int rank, nranks;
    char path[80];
    NcclSegment *next; /* of `waiting` */
};

/* Segments of this process that some rank may not have joined, and the lock of the list. */
static NcclSegment *waiting;
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t waiting_process; /* not a child that was forked meanwhile */

static void
add_waiting(NcclSegment *segment)
{
    pthread_mutex_lock(&waiting_lock);
    segment->next = waiting;
    waiting = segment;
    waiting_process = getpid();
    pthread_mutex_unlock(&waiting_lock);
}

static void
remove_waiting(NcclSegment *segment)
{
    pthread_mutex_lock(&waiting_lock);
    for (NcclSegment **at = &waiting; *at != NULL; at = &(*at)->next) {
        if (*at == segment) {
            *at = segment->next;
            break;
        }
    }
    pthread_mutex_unlock(&waiting_lock);
}

/* At the process's end, while a thread may still wait for a rank. */
__attribute__((destructor)) static void
unlink_waiting(void)
{
    pthread_mutex_lock(&waiting_lock);
    for (NcclSegment *s = waiting_process == getpid() ? waiting : NULL; s != NULL; s = s->next) {
        unlink(s->path);
    }
    pthread_mutex_unlock(&waiting_lock);
}

/* Spins, then sleeps: the other rank may be a process that shares this core. */
int
nccl_pause(unsigned *turns, const atomic_int *aborted)
{
    int cancelled = 0;
    if (atomic_load_explicit(aborted, memory_order_acquire)) {
        return -1;
    }
    if (++*turns < YIELDS) {
        sched_yield();
        return 0;
    }
    emu_math.cuEmuIsCancelled(&cancelled);
    struct timespec pause = {0, PAUSE_NS};
    nanosleep(&pause, NULL);
    return cancelled ? -1 : 0;
}

/* The path follows from the identifier: the process that made it, and its random bytes. */
static void
name_file(const ncclUniqueId *id, char *path, size_t capacity)
{
    int32_t process;
    memcpy(&process, id->internal + NCCL_ID_PROCESS, sizeof process);
    int used = snprintf(path, capacity, "/dev/shm/gpunp-nccl-%d-", (int)process);
    for (int i = 8; i < 24; i++) {
        used += snprintf(path + used, capacity - (size_t)used, "%02x",
                         (unsigned)(unsigned char)id->internal[i]);
    }
}

/* The file is made by whoever comes first; setting its size again does no harm. */
static Shared *
map_file(const char *path, size_t bytes)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) {
        return NULL;
    }
    void *mapped = ftruncate(file, (off_t)bytes) == 0
                       ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                       : MAP_FAILED;
    close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* All ranks must agree on their number, and no two may be the same. */
static int
take_rank(Shared *shared, int nranks, int rank)
{
    int before = 0;
    if (!atomic_compare_exchange_strong(&shared->nranks, &before, nranks) && before != nranks) {
        return ncclInvalidArgument;
    }
    return atomic_exchange(&shared->taken[rank], 1) ? ncclInvalidUsage : ncclSuccess;
}

int
nccl_segment_open(const ncclUniqueId *id, int nranks, int rank, NcclSegment **out)
{
    NcclSegment *segment = calloc(1, sizeof *segment);
    if (segment == NULL) {
        return ncclSystemError;
    }
    segment->rank = rank;
    segment->nranks = nranks;
    segment->bytes = sizeof(Shared) + (size_t)nranks * (size_t)nranks * sizeof(Ring);
    name_file(id, segment->path, sizeof segment->path);
    segment->shared = map_file(segment->path, segment->bytes);
    int status =
        segment->shared != NULL ? take_rank(segment->shared, nranks, rank) : ncclSystemError;
    if (status != ncclSuccess) {
        if (segment->shared != NULL) {
            munmap(segment->shared, segment->bytes);
        }
        free(segment);
        return status;
    }
    add_waiting(segment);
    if (atomic_fetch_add(&segment->shared->joined, 1) == nranks - 1) {
        unlink(segment->path);
    }
    *out = segment;
    return ncclSuccess;
}

/* Not on a stream's thread, so a cancelled device is no concern of it. */
int
nccl_segment_meet(NcclSegment *segment, const atomic_int *aborted)
{
    while (atomic_load(&segment->shared->joined) < segment->nranks) {
        struct timespec pause = {0, PAUSE_NS};
        if (atomic_load(aborted)) {
            return ncclRemoteError;
        }
        nanosleep(&pause, NULL);
    }
    remove_waiting(segment);
    return ncclSuccess;
}

void
nccl_segment_close(NcclSegment *segment)
{
    if (atomic_load(&segment->shared->joined) < segment->nranks) {
        unlink(segment->path); /* it will never be complete */
    }
    remove_waiting(segment);
    munmap(segment->shared, segment->bytes);
    free(segment);
}

/* ---- messages -------------------------------------------------------------------------------- */

static size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* As many bytes as there is room for; how many. A ring that wraps takes two turns. One process
 * writes and one reads: each owns its counter, which it loads relaxed. Releasing it hands over the
 * bytes copied before, or their room, to the other one, which acquires it. */
static size_t
push(Ring *ring, const unsigned char *data, size_t bytes)
{
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_acquire);
    size_t at = written % RING, n = smaller(bytes, RING - (size_t)(written - read));
    n = smaller(n, RING - at);
    memcpy(ring->bytes + at, data, n);
    atomic_store_explicit(&ring->written, written + n, memory_order_release);
    return n;
}

static size_t
pull(Ring *ring, unsigned char *data, size_t bytes)
{
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    size_t at = read % RING, n = smaller(bytes, (size_t)(written - read));
    n = smaller(n, RING - at);
    memcpy(data, ring->bytes + at, n);
    atomic_store_explicit(&ring->read, read + n, memory_order_release);
    return n;
}

static size_t
move(NcclSegment *segment, NcclMessage *m)
{
    Shared *shared = segment->shared;
    unsigned char *at = (unsigned char *)m->data + m->done;
    size_t n = m->is_sent ? push(&shared->rings[segment->rank * segment->nranks + m->peer], at,
                                 m->bytes - m->done)
                          : pull(&shared->rings[m->peer * segment->nranks + segment->rank], at,
                                 m->bytes - m->done);
    m->done += n;
    return n;
}

/* Whether an earlier message uses the same ring: its bytes come first. */
static int
must_wait(const NcclMessage *messages, int i)
{
    for (int j = 0; j < i; j++) {
        if (messages[j].peer == messages[i].peer && messages[j].is_sent == messages[i].is_sent &&
            messages[j].done < messages[j].bytes) {
            return 1;
        }
    }
    return 0;
}

int
nccl_segment_exchange(NcclSegment *segment, NcclMessage *messages, int count,
                      const atomic_int *aborted)
{
    for (unsigned turns = 0;;) {
        size_t moved = 0;
        int left = 0;
        for (int i = 0; i < count; i++) {
            NcclMessage *m = &messages[i];
            if (m->done < m->bytes && !must_wait(messages, i)) {
                moved += move(segment, m);
            }
            left += m->done < m->bytes;
        }
        if (left == 0) {
            return 0;
        }
        turns = moved > 0 ? 0 : turns;
        if (moved == 0 && nccl_pause(&turns, aborted) < 0) {
            return -1;
        }
    }
}

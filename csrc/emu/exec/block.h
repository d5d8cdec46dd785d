/* The state of a running block: register rows, frames, groups, the launch it belongs to.
 *
 * A block of threads runs in lock step. Every virtual register is a row of lanes, one per thread.
 * A row also carries a tag: it may be known to hold one value for all lanes (uniform) or
 * base + step * lane (affine); then most instructions cost one scalar step instead of a lane loop.
 * Threads that diverge are kept as groups (a program counter and a set of lanes); a group that
 * shares its frame with no other may overwrite whole rows, the others blend.
 */
#ifndef EMU_BLOCK_H
#define EMU_BLOCK_H

#include "emu/exec/exec.h"

#include <stdatomic.h>
#include <string.h>

#define EMU_CACHES 8
#ifndef EMU_BUDGET /* a fuzzer compiles with less, 256 at least */
#define EMU_BUDGET 16384
#endif
#ifndef EMU_FRAME_LIMIT /* registers of all frames of a block; a fuzzer compiles with less */
#define EMU_FRAME_LIMIT ((size_t)1 << 30)
#endif

typedef struct Frame Frame;
typedef struct Group Group;

/* A shared address, be it generic or of the state space. */
static inline uint64_t
emu_shared_offset(uint64_t address)
{
    return address - (address >= EMU_SHARED_WINDOW ? EMU_SHARED_WINDOW : 0);
}

static inline uint64_t
emu_cluster_address(uint64_t address, unsigned rank)
{
    uint64_t inside = (1ull << EMU_CLUSTER_SHIFT) - 1;
    return address - emu_shared_offset(address) + ((uint64_t)(rank + 1) << EMU_CLUSTER_SHIFT) +
           (address & inside);
}

/* Load, store and mask loops, see lanes_memory.h. */
typedef struct {
    /* index: size of memory element (0..3) x signed x shift of the lane */
    void (*load_line[4][2][4])(void *d, const unsigned char *base, size_t n);
    void (*load_step[4][2][4])(void *d, const unsigned char *base, int64_t step, size_t n);
    void (*load_each[4][2][4])(void *d, const uint64_t *address, int64_t delta, size_t n);
    void (*store_line[4][4])(const void *s, unsigned char *base, size_t n);
    void (*store_step[4][4])(const void *s, unsigned char *base, int64_t step, size_t n);
    void (*store_each[4][4])(const void *s, const uint64_t *address, int64_t delta, size_t n);
    void (*blend[4])(void *d, const void *s, const uint8_t *mask, size_t n);
    void (*fill[4])(void *d, uint64_t value, size_t n);
    void (*ramp[4])(void *d, uint64_t base, int64_t step, size_t n);
    void (*range)(const uint64_t *a, size_t n, uint64_t *min, uint64_t *max, uint64_t *bits);
    void (*range_mask)(const uint64_t *a, const uint8_t *mask, size_t n, uint64_t *min,
                       uint64_t *max, uint64_t *bits);
    void (*widen)(uint64_t *d, const uint32_t *s, uint32_t add, size_t n);
    void (*scale)(uint64_t *d, const uint64_t *s, uint64_t add, uint64_t step, size_t n);
    size_t (*count)(const uint8_t *p, size_t n);
} MemoryLanes;

extern const MemoryLanes emu_memory_v2, emu_memory_v3, emu_memory_v4;
const MemoryLanes *emu_memory_lanes(void);

/* ---- frames, groups and blocks --------------------------------------------------------------- */

struct Frame {
    Function *function;
    Frame *parent, *next_free;
    int32_t return_pc;
    uint32_t users; /* groups that have this frame on their chain */
    uint32_t depth;
    uint64_t local_base;
    uint64_t stack; /* what a GPU's stack would hold: recursive functions alone */
    uint64_t top;   /* bytes that alloca took from the end of local memory, callers' included */
    unsigned char *memory;
    uint32_t width; /* lanes a row was made for */
    Reg regs[];
};

enum { EMU_TRACE_PTX = 1, EMU_TRACE_COUNT = 2 };

enum { EMU_GROUP_RUN, EMU_GROUP_BARRIER, EMU_GROUP_WARP, EMU_GROUP_CLUSTER };

struct Group {
    uint32_t bits[EMU_WARPS];
    Frame *frame;
    int32_t pc;
    uint8_t state, barrier;
    uint32_t epoch;
    int32_t budget;
    Group *next;
};

typedef struct {
    uint32_t arrived[EMU_WARPS];
    uint32_t extra;    /* threads counted by bar.arrive */
    uint32_t expected; /* 0: every live thread */
} Barrier;

typedef struct Launch Launch;
typedef struct Worker Worker;
typedef struct Watch Watch;           /* the observer's, of one launch */
typedef struct BlockWatch BlockWatch; /* the same, of one block */

typedef struct Cluster Cluster;
struct Cluster {
    Block *members[EMU_CLUSTER]; /* by rank */
    unsigned size, left;         /* left: members that have not ended */
    Cluster *next, **link;       /* of the worker */
};

struct Block {
    /* the running group, unpacked */
    Reg *regs;
    const Instr *code;
    uint32_t lo, n;
    uint8_t exclusive, dense, masked; /* masked: `mask` is up to date */
    uint8_t optimise, scalar;         /* scalar: uniform results may stay scalars */
    uint8_t polled, suspended, trace; /* trace: EMU_TRACE_* */
    int32_t limit;
    Group *group;
    Frame *frame;
    uint64_t count; /* instructions executed */
    uint8_t *mask;  /* one byte per lane */
    unsigned char *scratch[EMU_OPERANDS];
    uint64_t *address;

    Group *groups; /* all of them, running and waiting */
    Group *free_groups;
    uint32_t ngroups;
    uint32_t alive[EMU_WARPS];
    uint32_t nthreads, width, nwarps;
    size_t shared_capacity, local_capacity;
    uint32_t block[3];
    uint32_t index;
    Barrier barriers[EMU_BARRIERS];
    unsigned char *shared;
    size_t shared_bytes, dynamic_base;
    unsigned char *local;
    size_t local_bytes; /* per lane */
    struct {
        uint64_t lo, hi, last; /* last: where the latest line of lanes began */
    } cache[EMU_CACHES];       /* live spans, by pc */
    uint64_t progress_seen, progress_count;
    uint32_t rotations;
    Frame **free_frames; /* per function of the module */
    size_t frame_bytes;  /* of all frames there are, used or not */
    uint32_t dim[3];     /* the block shape the tid rows were made for */
    Reg tid[3];
    uint8_t is_line; /* blockDim.y == blockDim.z == 1 */
    const MemoryLanes *loops;
    uint32_t waiting; /* groups at block barriers */
    uint8_t barriers_used;
    BlockWatch *watch; /* NULL: not watched */
    /* the cluster: NULL when it is this block alone */
    Cluster *cluster;
    uint32_t rank;
    uint32_t cluster_arrived[EMU_WARPS];
    uint8_t cluster_used, blocked, finished; /* blocked: only the cluster's barrier is waited for */
    Launch *launch;
    Worker *worker;
    Block *next;
    void *arena;
};

struct Launch {
    const EmuLaunch *spec;
    Function *entry;
    struct EmuModule *module;
    EmuFault *fault;
    pthread_mutex_t lock;
    atomic_uint_fast64_t next_block;
    uint64_t nblocks;   /* of the grid */
    uint64_t nclusters; /* what the workers take; without clusters, nblocks */
    atomic_uint_fast64_t progress;
    atomic_uint_fast64_t done;
    atomic_int stop;
    atomic_uint_fast64_t stalled; /* instructions since something changed */
    uint64_t grid_workspace;      /* of a cooperative launch: its size and its barrier; else 0 */
    atomic_uint_fast64_t spent;   /* backward jumps in all, counted by budgets */
    uint32_t cluster[3];          /* blocks of a cluster */
    unsigned cluster_size;
    int cluster_explicit;
    uint64_t watchdog;
    char *print;
    size_t print_used, print_capacity;
    size_t stack_bytes; /* of the context: what recursion may take */
    size_t local_bytes; /* what a thread has here, which is more */
    const unsigned char *params;
    size_t params_bytes;
    uint64_t start_ns;
    Watch *watch;
};

static inline int
emu_launch_is_cancelled(const Launch *launch)
{
    const EmuLaunch *spec = launch->spec;
    return spec->cancels != NULL && atomic_load(spec->cancels) >= spec->number;
}

struct Worker {
    Launch *launch;
    uint32_t id;
};

/* ---- observers ------------------------------------------------------------------------------- */

/* One memory instruction for the lanes of the running group: lane i reaches `bytes` bytes at
 * base + i * step, or at each[i] when that is not NULL. */
typedef enum { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ATOMIC = 3 } AccessKind;
typedef struct {
    const Instr *in;
    AccessKind kind;
    unsigned bytes;
    const unsigned char *base;
    int64_t step;
    const uint64_t *each;
    int32_t only; /* the one lane that it is about, counted in the group; -1: all active ones */
    int releases; /* hands on what the thread has done, whatever the instruction's flags say */
} Access;

/* What an observer of launches implements (check/): the machine knows it by these pointers alone.
 * A launch that is watched has a Watch, each of its blocks a BlockWatch, and runs on one worker;
 * one that is not has neither, and pays one test of a pointer per memory instruction, barrier and
 * fence. Functions that return int32_t give 0, or EMU_EVENT_FAULT. */
struct EmuObserver {
    /* NULL with *status 0 when nothing is asked for, else with the error. */
    Watch *(*begin)(Launch *launch, CUresult *status);
    void (*end)(Watch *watch);
    /* A block is made ready for the launch (0 or -1), put at its start as another block of the
     * grid, given up. */
    int (*take)(Block *b);
    void (*start)(Block *b);
    void (*give)(Block *b);
    /* An access whose bounds and alignment were found good, before memory changes; `each` and
     * `base` are host addresses. */
    int32_t (*access)(Block *b, const Access *access);
    /* An instruction is about to run: under EMU_TRACE_COUNT. */
    void (*instruction)(Block *b);
    /* Lanes of a warp are given values that no lane has offered. */
    int32_t (*shuffle)(Block *b, const Instr *in, uint32_t warp, uint32_t lanes);
    /* The machine itself wrote local memory of one lane. */
    void (*written)(Block *b, uint32_t lane, uint64_t at, uint64_t bytes);
    /* All threads that are left have come to barrier `id`, which counts all, at `in`; a .sync
     * operation of a lane names `mask`. */
    int32_t (*barrier)(Block *b, const Instr *in, unsigned id);
    int32_t (*mask)(Block *b, const Instr *in, uint32_t lane, uint32_t mask);
    /* Threads meet: those in `bits` wait for each other. */
    void (*meet)(Block *b, const uint32_t *bits);
    /* bar.arrive: what these threads did comes before the release of the barrier. */
    void (*arrive)(Block *b, const uint32_t *bits, unsigned barrier);
    void (*release)(Block *b, const uint32_t *bits, unsigned barrier);
    void (*fence)(Block *b);
    /* The barrier of the cluster: some threads arrive, all of the cluster have arrived, some have
     * waited. */
    void (*cluster_arrive)(Block *b, const uint32_t *bits);
    void (*cluster_meet)(Block *b);
    void (*cluster_wait)(Block *b, const uint32_t *bits);
};

/* The observer of the block's launch; asked only where b->watch is not NULL. */
static inline const EmuObserver *
emu_observer(const Block *b)
{
    return b->launch->spec->observer;
}

/* ---- rows of registers ----------------------------------------------------------------------- */

void emu_row_fill(Block *b, Reg *r);

/* The lanes of a source, at the first lane of the group. */
static inline void *
emu_row_read(Block *b, Reg *r)
{
    if (!(r->tag & EMU_TAG_LANES)) {
        emu_row_fill(b, r);
    }
    return r->lanes + ((size_t)b->lo << r->shift);
}

/* A lane's bits as a number; `shift` is log2 of its bytes. A size that is not known when compiling
 * makes a call of memcpy. */
static inline uint64_t
emu_get_bits(const unsigned char *from, unsigned shift)
{
    uint64_t wide;
    uint32_t word;
    uint16_t half;
    switch (shift) {
    case 3:
        memcpy(&wide, from, 8);
        return wide;
    case 2:
        memcpy(&word, from, 4);
        return word;
    case 1:
        memcpy(&half, from, 2);
        return half;
    default:
        return *from;
    }
}

static inline void
emu_put_bits(unsigned char *to, unsigned shift, uint64_t v)
{
    switch (shift) {
    case 3:
        memcpy(to, &v, 8);
        break;
    case 2:
        memcpy(to, &v, 4);
        break;
    case 1:
        memcpy(to, &v, 2);
        break;
    default:
        *to = (unsigned char)v;
    }
}

/* Where to write a destination; emu_row_commit then makes it visible. */
void *emu_row_write(Block *b, Reg *r, int scratch);
void emu_row_commit(Block *b, Reg *r, int scratch);
void emu_row_set_uniform(Block *b, Reg *r, uint64_t value);
uint64_t emu_row_lane(Block *b, Reg *r, uint32_t lane);
const uint8_t *emu_group_mask(Block *b);
static inline int
emu_lane_active(const Block *b, uint32_t lane)
{
    return (b->group->bits[lane / EMU_WARP] >> (lane % EMU_WARP)) & 1;
}

/* Without the popcnt instruction, which the lowest instruction set of x86-64 lacks. */
static inline uint32_t
emu_popcount(uint32_t v)
{
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    return (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

/* lane < 0: the block as a whole. */
typedef struct {
    EmuFaultKind kind;
    CUresult code;
    int lane;
    uint64_t address;
} FaultWhat;
/* "file.cu:12" when compiled with -lineinfo, else "ptx line 40". */
void emu_source_text(const EmuModule *module, const Instr *in, char *text, size_t capacity);
/* Writes the whole sentence about a fault, `message` last. */
void emu_fault_describe(const Block *b, const Instr *in, FaultWhat what, const char *message,
                        EmuFault *fault);
/* Fills the launch's fault once and returns EMU_EVENT_FAULT. */
int32_t emu_fault(Block *b, const Instr *in, FaultWhat what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- groups, barriers and clusters ----------------------------------------------------------- */

/* Groups (exec_group.c). */
Group *emu_group_new(Block *b);
void emu_group_split(Block *b, const uint32_t *bits, int32_t pc);
void emu_group_retire(Block *b, const uint32_t *bits);
void emu_group_drop(Block *b, Group *g);
void emu_group_load(Block *b, Group *g);
int emu_block_run(Block *b);
void emu_barrier_check(Block *b);
int emu_warp_cross(Block *b);
/* The operation at once when all warps of the group are whole and the mask is full; 0 else. */
int emu_run_whole(Block *b, const Instr *in);
Frame *emu_frame_new(Block *b, Function *fn);
void emu_frame_release(Block *b, Frame *frame);
void emu_local_copy(Block *b, uint32_t lane, uint64_t offset, void *out, size_t bytes);

/* Bytes that a copy has brought, told to an mbarrier (exec_async.c). */
int32_t emu_mbarrier_complete(Block *b, const Instr *in, int32_t pc, uint32_t lane,
                              uint64_t address, uint64_t bytes);

/* Clusters (exec_cluster.c). The block of that rank, or NULL when there is none any more. */
Block *emu_cluster_peer(Block *b, uint64_t rank);
void emu_cluster_check(Block *b);
int emu_cluster_blocked(Block *b);

void emu_float_mode(uint8_t mode);
void emu_progress(Block *b);
int emu_group_backward(Block *b, int32_t target);

/* ---- memory of one lane ---------------------------------------------------------------------- */

/* One lane's access (exec_memory.c): checked like any other; the host address, or NULL when it is a
 * fault. `kind` 0 is ACCESS_READ. `align`: 0 for natural alignment. */
typedef struct {
    EmuSpace space;
    uint64_t address;
    uint32_t lane;
    unsigned bytes, align;
    AccessKind kind;
    int releases; /* of an atomic access: see Access */
} EmuLaneAccess;
unsigned char *emu_memory_lane(Block *b, const Instr *in, int32_t pc, EmuLaneAccess access);
int emu_atom_adds_words(EmuAtomFn fn); /* of 32 bits */

#endif

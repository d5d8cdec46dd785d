/* What the files of the machine share: decoded code, register rows, frames, groups, blocks.
 *
 * A block of threads runs in lock step. Every virtual register is a row of lanes, one per thread.
 * A row also carries a tag: it may be known to hold one value for all lanes (uniform) or
 * base + step * lane (affine); then most instructions cost one scalar step instead of a lane loop.
 * Threads that diverge are kept as groups (a program counter and a set of lanes); a group that
 * shares its frame with no other may overwrite whole rows, the others blend.
 */
#ifndef EMU_MACHINE_H
#define EMU_MACHINE_H

#include "emu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define EMU_WARP 32
#define EMU_WARPS 32
#define EMU_LANES (EMU_WARP * EMU_WARPS)
#define EMU_OPERANDS 10
#define EMU_BARRIERS 16
#define EMU_CACHES 8
#ifndef EMU_BUDGET /* a fuzzer compiles with less, 256 at least */
#define EMU_BUDGET 16384
#endif
#ifndef EMU_FRAME_LIMIT /* registers of all frames of a block; a fuzzer compiles with less */
#define EMU_FRAME_LIMIT ((size_t)1 << 30)
#endif

/* Windows of the generic address space that are not memory of the host. Their starts are no
 * multiples of 2^32, as a GPU's are not: the low half of a generic address is no address in the
 * window. */
#define EMU_SHARED_WINDOW 0x140000000ull
#define EMU_LOCAL_WINDOW 0x240000000ull
#define EMU_PARAM_WINDOW 0x340000000ull
#define EMU_CODE_WINDOW 0x440000000ull
#define EMU_WINDOW_BYTES 0x100000000ull

/* Blocks of a cluster. Shared memory of the block with rank r starts at (r + 1) << 24 of
 * everybody's shared window; addresses below are the block's own. */
#define EMU_CLUSTER 16
#define EMU_CLUSTER_SHIFT 24

typedef struct Block Block;
typedef struct Instr Instr;
typedef struct Function Function;
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

/* ---- decoded code --------------------------------------------------------------------------- */

/* Runs one instruction for the current group; returns the next program counter or an event. */
typedef int32_t (*EmuHandler)(Block *b, const Instr *in, int32_t pc);
/* Pure function of lanes: p[0..] destinations, then sources; lanes 0..n-1. */
typedef void (*EmuLaneFn)(void *const *p, size_t n);
/* One operation of a whole warp, whose lanes have met; 0 or EMU_EVENT_FAULT. */
typedef int32_t (*EmuWarpFn)(Block *b, const Instr *in, int32_t pc, uint32_t warp);
/* Tries to produce an affine result; returns 1 when it did. */
typedef int (*EmuAffineFn)(Block *b, const Instr *in);

enum { EMU_EVENT_SWITCH = -1, EMU_EVENT_FAULT = -2, EMU_EVENT_DONE = -3 };

typedef enum {
    EMU_SPACE_GENERIC,
    EMU_SPACE_GLOBAL,
    EMU_SPACE_SHARED,
    EMU_SPACE_LOCAL,
    EMU_SPACE_CONST,
    EMU_SPACE_PARAM
} EmuSpace;

/* Global memory and generic addresses have 64 bits; every other space is a window of 32, and
 * register and offset add up modulo 2^32 there, whatever the width of the register: a base below a
 * variable comes round to it. */
static inline int
emu_space_wraps(EmuSpace space)
{
    return space != EMU_SPACE_GENERIC && space != EMU_SPACE_GLOBAL;
}

enum {
    EMU_FLAG_SIGNED = 1,   /* a load that extends the sign */
    EMU_FLAG_POLL = 2,     /* volatile, acquire, relaxed: may be part of a waiting loop */
    EMU_FLAG_NEGATE = 4,   /* @!p */
    EMU_FLAG_ALIGNED = 4,  /* a barrier that whole warps must reach together */
    EMU_FLAG_RELEASE = 8,  /* a store or an atomic that makes earlier writes visible */
    EMU_FLAG_EXIT = 16,    /* the branch leads straight to the end of the kernel */
    EMU_FLAG_CLUSTER = 32, /* the shared memory of all blocks of the cluster */
    EMU_FLAG_VALUE = 64    /* the atomic's old value is wanted */
};

/* Operations of emu_run_warp, in imm. */
enum {
    EMU_WARP_SYNC,
    EMU_WARP_SHFL_UP,
    EMU_WARP_SHFL_DOWN,
    EMU_WARP_SHFL_BFLY,
    EMU_WARP_SHFL_IDX,
    EMU_WARP_BALLOT,
    EMU_WARP_ALL,
    EMU_WARP_ANY,
    EMU_WARP_UNI,
    EMU_WARP_MATCH_ANY,
    EMU_WARP_MATCH_ALL,
    EMU_WARP_ELECT,
    EMU_WARP_REDUX_ADD,
    EMU_WARP_REDUX_MIN,
    EMU_WARP_REDUX_MAX,
    EMU_WARP_REDUX_AND,
    EMU_WARP_REDUX_OR,
    EMU_WARP_REDUX_XOR,
    EMU_WARP_CALL /* the function in `ptr`, once per warp */
};

/* Element types of matrices. */
enum {
    EMU_ELEMENT_F16,
    EMU_ELEMENT_BF16,
    EMU_ELEMENT_TF32,
    EMU_ELEMENT_F32,
    EMU_ELEMENT_F64,
    EMU_ELEMENT_E4M3,
    EMU_ELEMENT_E5M2,
    EMU_ELEMENT_S8,
    EMU_ELEMENT_U8,
    EMU_ELEMENT_S4,
    EMU_ELEMENT_U4,
    EMU_ELEMENT_B1,
    EMU_ELEMENT_S32
};

/* Operations of emu_run_mbarrier, in imm. */
typedef enum {
    EMU_MBARRIER_INIT,
    EMU_MBARRIER_INVALIDATE,
    EMU_MBARRIER_EXPECT,
    EMU_MBARRIER_COMPLETE,
    EMU_MBARRIER_ARRIVE,
    EMU_MBARRIER_DROP,
    EMU_MBARRIER_TEST,
    EMU_MBARRIER_TEST_PARITY,
    EMU_MBARRIER_PENDING
} EmuMbarrier;

/* Flags of emu_run_bulk. */
enum { EMU_BULK_SIGNALS = 1, EMU_BULK_MULTICAST = 2 };

/* Flags of matrix operations. */
enum {
    EMU_MATRIX_A_COLUMN = 1, /* also: the order in memory, and .trans */
    EMU_MATRIX_B_COLUMN = 2,
    EMU_MATRIX_SATURATE = 4,
    EMU_MATRIX_AND = 8,
    EMU_MATRIX_SPARSE = 16 /* the selector is in `space` */
};

/* What control flow analysis must know about an instruction. */
enum { EMU_FLOW_NEXT, EMU_FLOW_BRANCH, EMU_FLOW_JUMP, EMU_FLOW_TABLE, EMU_FLOW_END };

/* Which register an operand is: a virtual one while a function is decoded, then a row of its
 * frames. */
typedef uint32_t EmuRow;

/* A matrix operation of a warp: its shape and the element types (EMU_ELEMENT_*). */
typedef struct {
    uint8_t m, n;
    uint16_t k;
    uint8_t a, b, c, d;
} EmuTile;

struct Instr {
    EmuHandler run;
    union {
        EmuLaneFn fn;
        const void *ptr;
    };
    union {
        EmuAffineFn affine;
        EmuTile tile;
    };
    union {
        int64_t imm;
        const int32_t *table;
    };
    union {
        EmuRow op[EMU_OPERANDS]; /* destinations first */
        EmuRow *many;            /* when there are more than EMU_OPERANDS; the function owns it */
    };
    uint8_t nd, ns;
    uint8_t csr; /* index of a floating-point mode, 0 = to nearest */
    uint8_t flow;
    uint8_t space, size, count, flags; /* memory: log2 of bytes, vector elements */
    int32_t target;
    int32_t line, source_line; /* source_line: EMU_SOURCE(file, line) */
};

static inline EmuRow *
emu_operands(const Instr *in)
{
    return (unsigned)in->nd + in->ns > EMU_OPERANDS ? in->many : (EmuRow *)(uintptr_t)in->op;
}

/* A place in the source: the file's number in the PTX above the line. */
#define EMU_SOURCE(file, line) ((int32_t)((uint32_t)(file) << 24 | ((uint32_t)(line) & 0xffffffu)))
#define EMU_SOURCE_FILE(source) ((uint32_t)(source) >> 24)
#define EMU_SOURCE_LINE(source) ((int)((uint32_t)(source) & 0xffffffu))

enum { EMU_TAG_UNIFORM = 1, EMU_TAG_AFFINE = 2, EMU_TAG_LANES = 4 };

/* One register: any set bit of `tag` says which of the three forms is valid. */
typedef struct {
    uint64_t base;
    int64_t step;
    unsigned char *lanes;
    uint8_t tag, shift; /* shift: log2 of the bytes of a lane */
    uint8_t constant;
} Reg;

typedef struct {
    uint64_t value;
    uint8_t shift;
    uint8_t shared_local; /* value is an offset into the entry's own shared variables */
} Constant;

typedef struct {
    char *name;
    size_t offset, bytes, align;
} Param;

struct Function {
    struct EmuModule *module;
    char *name;
    uint32_t index;
    int is_entry, is_weak, has_body, decoded;
    uint32_t unit;          /* the text it stands in */
    const char *text, *end; /* the body without its braces */
    int line;
    Param *params;
    size_t nparams, params_bytes;
    size_t returns_bytes; /* .func: results lie behind the parameters */
    Param *results;
    size_t nresults;
    int max_threads;
    uint32_t cluster[3];  /* .reqnctapercluster, or zeros */
    int explicit_cluster; /* .explicitcluster: a launch without a cluster is refused */
    /* after decoding */
    Instr *code;
    int32_t ninstrs;
    void **tables; /* what instructions point to: branch tables, long operand lists */
    size_t ntables;
    uint8_t *reg_shift; /* per row */
    size_t nregs;
    Constant *constants; /* rows nregs .. nregs + nconstants */
    size_t nconstants;
    size_t lanes_bytes; /* of one lane over all rows */
    size_t local_bytes; /* params, results, depots, outgoing area excluded */
    size_t shared_bytes;
    size_t own_shared;           /* function scope */
    int ptx_version, sm_version; /* of its text */
    int uses_module_shared;
    size_t dynamic_align; /* of dynamic shared memory */
    size_t depot_bytes;   /* its .local variables */
    size_t kept_bytes;    /* registers that a GPU would keep on the stack, and the way back */
    int recursive;        /* the depth of its calls is known only when it runs */
    int is_on_cycle;
    unsigned visiting; /* the place in the chain of calls being followed, from 1 */
    size_t stack_need;
    Function **callees;
    size_t ncallees;
    char *fault; /* reachable but unsupported: the message */
    struct EmuFunction *handle;
};

struct EmuFunction {
    Function *function;
};

/* ---- lane functions ---------------------------------------------------------------------------
 */

typedef struct {
    const char *key; /* "add.u32" */
    EmuLaneFn fn;
    uint8_t nd, ns;
    uint8_t shift[6]; /* log2 of the lane bytes of each operand, destinations first */
} LaneEntry;

typedef struct {
    const LaneEntry *entries;
    size_t count;
} LaneTable;

/* One per instruction set; the best one the processor has is chosen once. */
extern const LaneTable emu_lanes_v2, emu_lanes_v3, emu_lanes_v4;
const LaneEntry *emu_lane_find(const char *key);

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

/* ---- running -------------------------------------------------------------------------------- */

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
typedef struct Watch Watch;           /* check.h */
typedef struct BlockWatch BlockWatch; /* check.h */

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
    uint64_t cache_epoch;
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
    BlockWatch *watch; /* NULL: nobody looks */
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
    uint64_t nblocks;
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

/* ---- module --------------------------------------------------------------------------------- */

typedef struct {
    char *name;
    uint64_t address;             /* or offset in shared memory */
    size_t bytes, element, align; /* element: bytes of one */
    uint32_t unit;                /* the text it stands in */
    uint8_t space;
    uint8_t is_extern;
    uint8_t linkage; /* a Linkage of ptx_module.c */
} Variable;

typedef struct {
    const char *key;
    size_t length;
    uint32_t value;
    uint32_t kind;
} Symbol;

typedef struct {
    Symbol *slots;
    size_t capacity, used;
} SymbolTable;

struct EmuModule {
    EmuMemory *memory;
    char *text;
    size_t bytes;
    Function **functions;
    size_t nfunctions;
    struct EmuFunction *entries;
    size_t nentries;
    Variable *variables;
    size_t nvariables;
    SymbolTable symbols; /* what all texts see: .visible, .weak, .extern, .common, entries */
    SymbolTable *locals; /* per text: the rest */
    size_t nlocals;
    uint64_t storage, storage_const;
    size_t shared_bytes;
    size_t const_bytes;
    int ptx_version, sm_version; /* of the text being read */
    char **files;                /* names in .file, by number; NULL where there is none */
    size_t nfiles;
    pthread_mutex_t lock;
    Block *pool; /* idle blocks, with their memory */
    pthread_mutex_t pool_lock;
};

enum { EMU_SYMBOL_FUNCTION, EMU_SYMBOL_VARIABLE };
Symbol *emu_symbol_find(const SymbolTable *table, const char *name, size_t length);
/* A name as text number `unit` of the module sees it. */
Symbol *emu_module_symbol(const EmuModule *m, size_t unit, const char *name, size_t length);
int emu_symbol_add(SymbolTable *table, Symbol symbol);

/* decode.c: parses and translates the body of `function` and of everything it calls. */
/* exec.c: releases the idle blocks of a module. */
void emu_blocks_free(EmuModule *module);
CUresult emu_function_decode(Function *function, EmuLog *log);
/* decode_slots.c: renames virtual registers to reused rows; fills reg_shift and nregs. */
int emu_slots_assign(Function *function, uint8_t *shift, size_t nvirtual);

/* ---- between the exec files -------------------------------------------------------------------
 */

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

/* Handlers. */
#define EMU_HANDLER(name) int32_t name(Block *b, const Instr *in, int32_t pc);
extern void emu_float_mode(uint8_t mode);
void emu_progress(Block *b);
int emu_group_backward(Block *b, int32_t target);
EMU_HANDLER(emu_run_alu1)
EMU_HANDLER(emu_run_alu2)
EMU_HANDLER(emu_run_alu3)
EMU_HANDLER(emu_run_alu)
EMU_HANDLER(emu_run_sreg)
EMU_HANDLER(emu_run_local_address)
EMU_HANDLER(emu_run_stack)
EMU_HANDLER(emu_run_dynamic_address)
EMU_HANDLER(emu_run_pack)
EMU_HANDLER(emu_run_unpack)
EMU_HANDLER(emu_run_load_param)
EMU_HANDLER(emu_run_load)
EMU_HANDLER(emu_run_store)
EMU_HANDLER(emu_run_atom)
EMU_HANDLER(emu_run_atom_pair)
EMU_HANDLER(emu_run_mbarrier)
EMU_HANDLER(emu_run_copy)
EMU_HANDLER(emu_run_bulk)
EMU_HANDLER(emu_run_tensor)
EMU_HANDLER(emu_run_tensor_field)
EMU_HANDLER(emu_run_tensor_copy)
EMU_HANDLER(emu_run_cluster_arrive)
EMU_HANDLER(emu_run_cluster_wait)
EMU_HANDLER(emu_run_isspacep)
EMU_HANDLER(emu_run_branch)
EMU_HANDLER(emu_run_jump)
EMU_HANDLER(emu_run_table)
EMU_HANDLER(emu_run_exit)
EMU_HANDLER(emu_run_ret)
EMU_HANDLER(emu_run_call)
EMU_HANDLER(emu_run_call_indirect)
EMU_HANDLER(emu_run_trap)
EMU_HANDLER(emu_run_nop)
EMU_HANDLER(emu_run_fence)
EMU_HANDLER(emu_run_sleep)
EMU_HANDLER(emu_run_unsupported)
EMU_HANDLER(emu_run_bar)
EMU_HANDLER(emu_run_warp)
EMU_HANDLER(emu_run_video)
EMU_HANDLER(emu_run_texture)
EMU_HANDLER(emu_run_surface)
EMU_HANDLER(emu_run_texture_query)
EMU_HANDLER(emu_run_activemask)
EMU_HANDLER(emu_run_printf)
EMU_HANDLER(emu_run_assert)
EMU_HANDLER(emu_run_malloc)
EMU_HANDLER(emu_run_free)

int32_t emu_matrix_product(Block *b, const Instr *in, int32_t pc, uint32_t warp);
int32_t emu_matrix_move(Block *b, const Instr *in, int32_t pc, uint32_t warp);
int32_t emu_matrix_rows(Block *b, const Instr *in, int32_t pc, uint32_t warp);
int32_t emu_matrix_turn(Block *b, const Instr *in, int32_t pc, uint32_t warp);

/* One lane's access (exec_memory.c): checked like any other; the host address, or NULL when it is a
 * fault. `align`: 0 for natural alignment. */
typedef struct {
    EmuSpace space;
    uint64_t address;
    uint32_t lane;
    unsigned bytes, align;
    int stores;
} EmuLaneAccess;
unsigned char *emu_memory_lane(Block *b, const Instr *in, int32_t pc, EmuLaneAccess access);

/* Affine rules (exec_alu.c), found by the key of the lane function. */
EmuAffineFn emu_affine_find(const char *key);
/* Atomic lane loops (exec_atom.c), found by "add.u32". */
enum { EMU_ATOM_LOCKED = 1, EMU_ATOM_SHARED = 2 }; /* bits of `how` */
typedef uint64_t (*EmuAtomFn)(void *address, uint64_t b, uint64_t c, int how);
EmuAtomFn emu_atom_find(const char *key);
int emu_atom_adds_words(EmuAtomFn fn); /* of 32 bits */

#endif

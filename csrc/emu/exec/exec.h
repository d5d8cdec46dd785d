/* Decoded code, and what runs it: the public header of the machine.
 *
 * The decoder (ptx/) fills in Function and Instr; a launch (emu_launch_run, declared in emu.h) runs
 * them. An Instr names its handler and its operands, which are rows of registers: one value for
 * each thread of a block. What a block looks like while it runs stands in block.h, for the files of
 * this folder and for the observers in check/.
 */
#ifndef EMU_EXEC_H
#define EMU_EXEC_H

#include "emu/emu.h"

#include <pthread.h>

#define EMU_WARP 32
#define EMU_WARPS 32
#define EMU_LANES (EMU_WARP * EMU_WARPS)
#define EMU_OPERANDS 10
#define EMU_BARRIERS 16

/* Windows of the generic address space that are not memory of the host. Their starts are no
 * multiples of 2^32, as a GPU's are not: the low half of a generic address is no address in the
 * window. */
#define EMU_SHARED_WINDOW 0x140000000ull
#define EMU_LOCAL_WINDOW 0x240000000ull
#define EMU_PARAM_WINDOW 0x340000000ull
#define EMU_CODE_WINDOW 0x440000000ull
#define EMU_WINDOW_BYTES 0x100000000ull

/* Blocks of a cluster. Shared memory of the block with rank r starts at (r + 1) << 24 of
 * every block's shared window; addresses below are the block's own. */
#define EMU_CLUSTER 16
#define EMU_CLUSTER_SHIFT 24

typedef struct Block Block;
typedef struct Instr Instr;
typedef struct Function Function;

/* ---- decoded code ---------------------------------------------------------------------------- */

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
    EMU_FLAG_RELEASE = 8,  /* a store or an atomic that makes earlier writes visible */
    EMU_FLAG_EXIT = 16,    /* the branch leads straight to the end of the kernel */
    EMU_FLAG_CLUSTER = 32, /* the shared memory of all blocks of the cluster */
    EMU_FLAG_VALUE = 64,   /* the atomic's old value is wanted */
    EMU_FLAG_ALIGNED = 128 /* a barrier that whole warps must reach together */
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
    int min_blocks;       /* .minnctapersm, 1 where only .maxntid is given, else 0 */
    int most_registers;   /* .maxnreg, or 0 */
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
    struct Function *decoded_before; /* in the decoding under way, see emu_function_decode */
    char *fault;                     /* reachable but unsupported: the message */
    struct EmuFunction *handle;
};

struct EmuFunction {
    Function *function;
};

/* ---- lane functions -------------------------------------------------------------------------- */

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

/* ---- what an instruction carries besides its operands ---------------------------------------- */

/* The special registers, by the numbers that travel in imm. */
typedef enum {
#define SPECIAL(name, id, shift, family) id,
#include "emu/exec/special.def"
#undef SPECIAL
    EMU_SPECIALS
} EmuSpecial;

/* Copies by tensor maps. */
typedef enum { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE } TensorKind;

/* One instruction. Sources: map, shared address, mbarrier, mask of blocks, coordinates, offsets. */
typedef struct {
    TensorKind kind;
    uint8_t rank, offsets; /* offsets: how many */
    uint8_t is_columns, is_multicast;
    char reduction[4];
} TensorOp;

/* What tensormap.replace changes. */
typedef enum {
    TENSOR_ADDRESS,
    TENSOR_RANK,
    TENSOR_BOX,
    TENSOR_DIM,
    TENSOR_STRIDE,
    TENSOR_STEP,
    TENSOR_TYPE,
    TENSOR_INTERLEAVE,
    TENSOR_SWIZZLE,
    TENSOR_FILL,
    TENSOR_FIELDS
} TensorField;

/* Texture and surface instructions. */
typedef enum {
    TEXTURE_SAMPLE,
    TEXTURE_GATHER,
    SURFACE_LOAD,
    SURFACE_STORE,
    SURFACE_REDUCE
} TexKind;
typedef enum { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO } SurfaceMode;
typedef enum { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR } SurfaceReduction;

typedef enum {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_CHANNEL_TYPE,
    QUERY_CHANNEL_ORDER,
    QUERY_NORMALIZED,
    QUERY_MODE_0,
    QUERY_MODE_1,
    QUERY_MODE_2,
    QUERY_FILTER,
    QUERY_LEVELS,
    QUERY_SAMPLES,
    QUERY_ARRAY_SIZE
} TexQuery;

/* One instruction. Operands: destinations (and the predicate), then the values of a store, the
 * handle, the layer when there are layers, the coordinates. */
typedef struct {
    TexKind kind;
    uint8_t dims, layered;
    uint8_t is_float;  /* coordinates are f32, else s32 */
    uint8_t component; /* of a gather */
    uint8_t values;    /* of a surface access: elements, and bytes of each */
    uint8_t bytes;
    uint8_t has_predicate, is_signed;
    SurfaceMode mode;
    SurfaceReduction reduction;
} TexOp;

/* Video instructions: an EmuVideo travels in imm. */
enum {
    VIDEO_NONE,
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_AVERAGE,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_MAD,
    VIDEO_SET
};
enum { VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE };

/* Fields of the Instr's target: the parts of a in the low bits (three per place), then those of b,
 * the places that are written, and the signs of vmad (1: of the product, 2: of c). */
enum { VIDEO_PARTS_B = 12, VIDEO_PLACES = 24, VIDEO_SIGNS = 28 };

typedef struct {
    uint32_t op : 4, second : 4, compare : 3, lanes : 3;
    uint32_t d_signed : 1, a_signed : 1, b_signed : 1;
    uint32_t saturate : 1, wrap : 1, plus_one : 1;
    uint32_t scale : 4;
    uint32_t d_at : 5, a_at : 5, b_at : 5;
    uint32_t d_bits : 6, a_bits : 6, b_bits : 6;
} EmuVideo;

_Static_assert(sizeof(EmuVideo) == sizeof(int64_t), "a video instruction fits into imm");

/* ---- module ---------------------------------------------------------------------------------- */

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
    /* Parses and translates the body of a function and of everything it calls: the decoder's
     * (ptx/decode.c), since decoding is put off until the first launch. */
    CUresult (*decode)(Function *function, EmuLog *log);
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

/* Releases the idle blocks of a module (exec.c). */
void emu_blocks_free(EmuModule *module);

/* ---- handlers -------------------------------------------------------------------------------- */

#define EMU_HANDLER(name) int32_t name(Block *b, const Instr *in, int32_t pc);
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
EMU_HANDLER(emu_run_fence)
EMU_HANDLER(emu_run_sleep)
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
int32_t emu_matrix_transpose(Block *b, const Instr *in, int32_t pc, uint32_t warp);

/* Affine rules (exec_alu.c), found by the key of the lane function. */
EmuAffineFn emu_affine_find(const char *key);
/* Atomic lane loops (exec_atom.c), found by "add.u32". */
enum { EMU_ATOM_LOCKED = 1, EMU_ATOM_SHARED = 2 }; /* bits of `how` */
typedef uint64_t (*EmuAtomFn)(void *address, uint64_t b, uint64_t c, int how);
EmuAtomFn emu_atom_find(const char *key);

#endif

/* What all folders of the emulated device know: the types in which its two halves meet, and what
 * the driver provides for the machine.
 *
 * The device is an emulated CUDA driver. One half is the *driver*: the exported cu* functions,
 * contexts, device memory, streams, events and graphs (driver/, graph/). The other is the
 * *machine*: it turns PTX text into decoded code (ptx/) and runs a grid of it (exec/), which
 * observers may watch (check/). No Python, no CUDA header, nothing of gpunp.
 *
 * Includes go down: driver, graph -> check, ptx -> exec -> this header. The functions that the
 * machine calls in the driver stand in the section of services below and nowhere else.
 *
 * Errors are CUresult values; details travel as data in EmuLog (loading) and EmuFault (running).
 */
#ifndef EMU_EMU_H
#define EMU_EMU_H

#include "emu/gpunp_emu.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef int CUresult; /* the driver's numbers: 0 success, 1 invalid value, 218 invalid PTX ... */

typedef struct EmuModule EmuModule;       /* one loaded PTX text (ptx/ptx.h) */
typedef struct EmuFunction EmuFunction;   /* one .entry of it */
typedef struct EmuFootprint EmuFootprint; /* a set of bytes of device memory (check/check.h) */
typedef struct EmuObserver EmuObserver;   /* what watches launches (exec/block.h) */

/* Of a multiprocessor, and of a thread. */
enum { EMU_SM_BLOCKS = 32, EMU_SM_REGISTERS = 65536, EMU_MOST_REGISTERS = 255 };

/* ---- text collected while loading ------------------------------------------------------------ */

/* Appends are cut at the capacity; `error` is the caller's buffer and may be NULL. */
typedef struct {
    char *error;
    size_t error_capacity, error_used;
} EmuLog;

/* ---- services: memory, as the machine sees it (driver/memory.c) ------------------------------ */

/* Device addresses are host addresses inside one reserved range, so lanes dereference them
 * directly once the bounds are known. */
typedef struct EmuMemory EmuMemory;

/* The live span [lo, hi) that contains `address`, or the part of one that a launch of that moment
 * may reach (EmuLaunch.moment; 0: the whole); returns 0 when there is none (freed, never allocated,
 * a host pointer). Any thread. Blocks keep what they found until their launch ends: memory that a
 * launch may reach is freed behind it. */
int emu_memory_find(const EmuMemory *memory, uint64_t moment, uint64_t address, uint64_t *lo,
                    uint64_t *hi);
/* One line about the allocation nearest to `address`, for a fault report. */
void emu_memory_describe(const EmuMemory *memory, uint64_t address, char *text, size_t capacity);
/* Storage for a module's .global and .const variables; 256-byte aligned, zeroed; 0 on failure. */
uint64_t emu_memory_alloc(EmuMemory *memory, size_t bytes);
void emu_memory_free(EmuMemory *memory, uint64_t address);

/* The bitmap of bytes that were never written, of the span that contains `address` ([lo, hi), bit
 * i of byte k stands for lo + 8 * k + i): NULL when none is kept. Returns 0 outside live spans. */
int emu_memory_unwritten(const EmuMemory *memory, uint64_t address, uint64_t *lo, uint64_t *hi,
                         unsigned char **bits);
/* Device malloc, for the context in EmuLaunch.print_context: 0 when the heap of `limit` bytes is
 * exhausted. Free: -1 when `address` is no live block of the heap. */
uint64_t emu_memory_heap_alloc(EmuMemory *memory, size_t bytes, size_t limit, void *owner);
int emu_memory_heap_free(EmuMemory *memory, uint64_t address);

/* ---- services: textures and surfaces (driver/array.c) ---------------------------------------- */

typedef struct {
    uint64_t address; /* device memory */
    size_t bytes;     /* of all */
    size_t pitch, slice;
    uint32_t size[3]; /* width, height, depth in elements; 1 where there is no such dimension */
    uint32_t layers;  /* 0: none */
    uint8_t unit, channels, format; /* bytes of an element; CUarray_format */
    uint8_t is_surface, is_linear;  /* linear: memory of one dimension, only fetched by index */
    /* of a texture */
    uint8_t mode[3], filter; /* CUaddress_mode, CUfilter_mode */
    uint8_t as_integer, normalized, srgb;
    float border[4];
} EmuTexture;

/* What a handle in a kernel's hands names; NULL for one that is destroyed or invented. Lives until
 * the object is destroyed. */
const EmuTexture *emu_texture_find(uint64_t handle);

/* ---- tensor maps ----------------------------------------------------------------------------- */

/* What cuTensorMapEncode* (driver/tensor_map.c) writes into a program's 128 bytes and
 * cp.async.bulk.tensor (exec/exec_tensor.c) reads. The format is this library's own, as the
 * driver's is NVIDIA's. */
#define EMU_TENSOR_DIMS 5
#define EMU_TENSOR_BYTES 128 /* of a map */
#define EMU_TENSOR_MAGIC 0x70616d2d75706e67ull

/* In the order of CUtensorMapDataType. */
typedef enum {
    EMU_TENSOR_U8,
    EMU_TENSOR_U16,
    EMU_TENSOR_U32,
    EMU_TENSOR_S32,
    EMU_TENSOR_U64,
    EMU_TENSOR_S64,
    EMU_TENSOR_F16,
    EMU_TENSOR_F32,
    EMU_TENSOR_F64,
    EMU_TENSOR_BF16,
    EMU_TENSOR_F32_FLUSHED,
    EMU_TENSOR_TF32,
    EMU_TENSOR_TF32_FLUSHED,
    EMU_TENSOR_TYPES
} EmuTensorType;

typedef struct {
    uint64_t magic, address;
    uint64_t strides[EMU_TENSOR_DIMS - 1]; /* bytes, from dimension 1 on */
    uint32_t last[EMU_TENSOR_DIMS];        /* size - 1: sizes reach 2^32 */
    uint16_t box[EMU_TENSOR_DIMS];         /* of columns: channels, pixels */
    uint8_t steps[EMU_TENSOR_DIMS];
    uint8_t rank, type, interleave, swizzle;
    uint8_t nan_fill, is_columns;
    int16_t lower[3], upper[3]; /* corners of columns, innermost first */
} EmuTensorMap;

_Static_assert(sizeof(EmuTensorMap) <= EMU_TENSOR_BYTES, "a tensor map has 128 bytes");

/* Bytes of an element. */
static inline unsigned
emu_tensor_bytes(unsigned type)
{
    static const uint8_t bytes[EMU_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

/* ---- running --------------------------------------------------------------------------------- */

typedef enum {
    EMU_FAULT_NONE = 0,
    EMU_FAULT_OUT_OF_BOUNDS,  /* 700 */
    EMU_FAULT_MISALIGNED,     /* 716 */
    EMU_FAULT_READ_ONLY,      /* 700: store to .const or .param */
    EMU_FAULT_SHARED_BOUNDS,  /* 700 */
    EMU_FAULT_LOCAL_BOUNDS,   /* 700 */
    EMU_FAULT_STACK_OVERFLOW, /* 700 */
    EMU_FAULT_ASSERT,         /* 710 */
    EMU_FAULT_TRAP,           /* 719 */
    EMU_FAULT_DEADLOCK,       /* 719: barriers that cannot complete */
    EMU_FAULT_BAD_MASK,       /* 719: a .sync mask that names absent lanes */
    EMU_FAULT_TIMEOUT,        /* 702 */
    EMU_FAULT_UNSUPPORTED,    /* 715: an instruction the machine does not know */
    EMU_FAULT_DIVERGENT,      /* 719: a barrier that part of a warp does not reach */
    EMU_FAULT_HEAP,           /* 719: device free of what malloc did not give */
    EMU_FAULT_UNWRITTEN,      /* 719: a read of memory that was never written */
    EMU_FAULT_RACE,           /* 719: two threads, one place, and nothing that orders them */
    EMU_FAULT_KINDS
} EmuFaultKind;

/* What went wrong, as data. `text` is one complete sentence or more for people: kernel, source
 * line when .loc gives one, block, thread, address, nearest allocation. */
typedef struct {
    EmuFaultKind kind;
    CUresult code;
    uint32_t block[3], thread[3];
    uint64_t address;
    int ptx_line, source_line;
    char text[1536];
} EmuFault;

typedef struct {
    EmuFunction *function;
    EmuMemory *memory;
    uint32_t grid[3], block[3];
    size_t shared_bytes; /* dynamic */
    const void *params;  /* the packed parameter buffer, params_bytes long */
    uint64_t moment;     /* for emu_memory_find */
    int cooperative;     /* all blocks must be resident */
    uint32_t cluster[3]; /* blocks of a cluster; zeros: as the kernel says */
    int sm_count;        /* reported by %nsmid */
    int workers;         /* threads to use; 1 runs blocks in order on the calling thread */
    uint64_t watchdog;   /* instructions without progress before TIMEOUT; 0 for none */
    uint64_t limit;      /* backward jumps in all before TIMEOUT, about; 0 for none */
    /* The launch ends early, without a fault, once *cancels >= number; NULL: it never does. */
    const _Atomic uint64_t *cancels;
    uint64_t number;
    size_t stack_bytes, heap_bytes, printf_bytes;
    unsigned checks;             /* EMU_CHECK_* */
    const EmuObserver *observer; /* carries the checks out; NULL: not watched */
    EmuFootprint *footprint;     /* receives what the launch touches in device memory, or NULL */
    /* Receives each finding under EMU_CHECK_CONTINUE; `print_context` comes with it. */
    void (*report)(void *context, const EmuFault *finding);
    /* Receives what device printf wrote, when the grid ends; may be NULL for stdout. */
    void (*print)(void *context, const char *text, size_t bytes);
    void *print_context;
} EmuLaunch;

/* Runs the whole grid (exec/exec.c); returns 0 or fault->code with `fault` filled. Several launches
 * may run at once from different threads. */
CUresult emu_launch_run(const EmuLaunch *launch, EmuFault *fault);

/* ---- services: settings (driver/settings.c) -------------------------------------------------- */

/* The driver reads the environment once; the machine only reads this. */
typedef struct {
    int optimise; /* GPUNP_EMU_OPT: 0 plain, 1 uniform values as scalars, 2 affine tracking */
    int isa;      /* GPUNP_EMU_ISA: at most these lane loops (2, 3, 4); 0 the best there are */
    int exact;    /* approximate instructions to the last bit of an H200 */
    int shuffle;  /* random block order, seeded; 0 off */
    uint64_t seed;
    int trace;       /* one line per executed instruction on stderr */
    unsigned checks; /* EMU_CHECK_* at start; cuEmuChecks changes what launches are given */
} EmuSettings;

const EmuSettings *emu_settings(void);

#endif

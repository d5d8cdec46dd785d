/* The door inside the emulated device: where its two halves meet.
 *
 * The room holds a look-alike of the CUDA driver. One half is the *driver*: the exported cu*
 * functions, contexts, device memory, streams and events (driver_*.c, memory.c). The other is the
 * *machine*: it turns PTX text into decoded code and runs a grid of it (ptx_*.c, exec*.c). Each
 * half sees of the other only what stands here. No Python, no CUDA header, nothing of gpunp.
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

/* ---- text collected while loading ---------------------------------------------------------- */

/* Appends are cut at `capacity`; `error` and `info` are the caller's buffers and may be NULL. */
typedef struct {
    char *info;
    size_t info_capacity, info_used;
    char *error;
    size_t error_capacity, error_used;
} EmuLog;

void emu_log_error(EmuLog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emu_log_info(EmuLog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- memory, as the machine sees it (driver half provides) ---------------------------------- */

/* Device addresses are host addresses inside one reserved range, so lanes dereference them
 * directly once the bounds are known. */
typedef struct EmuMemory EmuMemory;

/* The live span [lo, hi) that contains `address`, or the part of one that a launch of that moment
 * may reach (EmuLaunch.moment; 0: the whole); returns 0 when there is none (freed, never allocated,
 * a host pointer). Any thread; it is called on a miss of a per-instruction cache, whose entries are
 * valid while emu_memory_epoch() stays the same. */
int emu_memory_find(const EmuMemory *memory, uint64_t moment, uint64_t address, uint64_t *lo,
                    uint64_t *hi);
/* Changes whenever a span is freed or unmapped. */
uint64_t emu_memory_epoch(const EmuMemory *memory);
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

/* ---- textures and surfaces, as the machine sees them (driver half provides) ------------------ */

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

/* ---- what a piece of work touched (machine half provides) ------------------------------------ */

/* A set of bytes, by pages of EMU_FOOTPRINT_BYTES; three bits for each. One thread at a time. */
enum { EMU_FOOTPRINT_BYTES = 4096, EMU_FOOTPRINT_WORDS = EMU_FOOTPRINT_BYTES / 64 };
typedef enum { EMU_TOUCH_READ, EMU_TOUCH_WRITE, EMU_TOUCH_ATOMIC, EMU_TOUCHES } EmuTouch;

typedef struct {
    uint64_t address; /* of its first byte */
    uint64_t bits[EMU_TOUCHES][EMU_FOOTPRINT_WORDS];
} EmuFootprintPage;

typedef struct EmuFootprint EmuFootprint;

EmuFootprint *emu_footprint_new(void);
void emu_footprint_free(EmuFootprint *footprint);
void emu_footprint_add(EmuFootprint *footprint, uint64_t address, uint64_t bytes, EmuTouch touch);
/* The pages, in no order; the footprint keeps owning them. NULL past the last. */
EmuFootprintPage *emu_footprint_page(const EmuFootprint *footprint, size_t i);

/* ---- code (machine half provides) ----------------------------------------------------------- */

typedef struct EmuModule EmuModule;     /* one loaded PTX text */
typedef struct EmuFunction EmuFunction; /* one .entry of it */

/* Parses `text` (need not end in NUL) and lays out its globals in `memory`. Code is decoded at the
 * first launch or attribute query of each entry. Returns 0, 218 (INVALID_PTX), 222
 * (UNSUPPORTED_PTX_VERSION), 2 (OUT_OF_MEMORY); errors name line, text and opcode in `log`. */
CUresult emu_module_load(EmuModule **out, const char *text, size_t bytes, EmuMemory *memory,
                         EmuLog *log);
void emu_module_unload(EmuModule *module);
/* NULL when there is no such entry. The result lives as long as the module. */
EmuFunction *emu_module_function(EmuModule *module, const char *name);
size_t emu_module_function_count(const EmuModule *module);
EmuFunction *emu_module_function_at(EmuModule *module, size_t i);
/* Address and size of a .global or .const variable; returns 0 when there is none. */
int emu_module_global(EmuModule *module, const char *name, uint64_t *address, size_t *bytes);

typedef struct {
    const char *name;
    size_t params_count, params_bytes;
    size_t shared_bytes; /* static */
    size_t local_bytes;  /* per thread */
    size_t const_bytes;
    int registers;               /* as a compiler would report: an estimate, at most 255 */
    int max_threads;             /* .maxntid product, or 1024 */
    uint32_t cluster[3];         /* .reqnctapercluster, or zeros */
    int needs_cluster;           /* .explicitcluster: it must be launched with one */
    int ptx_version, sm_version; /* 90 for .version 9.0 and for sm_90 */
} EmuFunctionInfo;

/* Decodes the function if needed. Returns 0 or 218 with `log` filled. */
CUresult emu_function_info(EmuFunction *function, EmuFunctionInfo *info, EmuLog *log);
/* Offset and size of parameter `i` in the parameter buffer; returns 0 past the last. */
int emu_function_param(EmuFunction *function, size_t i, size_t *offset, size_t *bytes);

/* ---- running -------------------------------------------------------------------------------- */

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
    unsigned checks;         /* EMU_CHECK_* */
    EmuFootprint *footprint; /* receives what the launch touches in device memory, or NULL */
    /* Receives each finding under EMU_CHECK_CONTINUE; `print_context` comes with it. */
    void (*report)(void *context, const EmuFault *finding);
    /* Receives what device printf wrote, when the grid ends; may be NULL for stdout. */
    void (*print)(void *context, const char *text, size_t bytes);
    void *print_context;
} EmuLaunch;

/* Runs the whole grid; returns 0 or fault->code with `fault` filled. Several launches may run at
 * once from different threads. */
CUresult emu_launch_run(const EmuLaunch *launch, EmuFault *fault);

/* ---- settings (driver half reads the environment once; the machine only reads) --------------- */

typedef struct {
    int optimise; /* GPUNP_EMU_OPT: 0 plain, 1 uniform values as scalars, 2 affine tracking */
    int isa;      /* GPUNP_EMU_ISA: at most these lane loops (2, 3, 4); 0 the best there are */
    int exact;    /* approximate instructions to the last bit of an H200 */
    int shuffle;  /* random block order, seeded; 0 off */
    uint64_t seed;
    int trace;       /* one line per executed instruction on stderr */
    unsigned checks; /* EMU_CHECK_* at start; cuEmuChecks changes what launches are given */
} EmuSettings;

extern const EmuSettings *emu_settings(void);

#endif

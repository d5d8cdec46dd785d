/* The public header of the driver: what its files, and those of graph/, share.
 *
 * The exported functions stand in device.c, context.c, driver_*.c and graph/; beneath them are
 * memory.c (spans of device memory), handle.c (objects behind CUstream, CUmodule ...), stream.c
 * (queues of work and who runs them) and gate.c (counting, fault plans, ledger).
 *
 * Lock order: Context.lock, Stream.lock, EmuMemory's lock, gate and handle locks. No lock is held
 * while work runs.
 */
#ifndef EMU_DRIVER_H
#define EMU_DRIVER_H

#include "cuda/cuda_abi.h"
#include "emu/emu.h"
#include "emu/gpunp_emu.h"
#include "emu/ptx/ptx.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#define CU(name, params) CUresult name params;
#define NVRTC(name, params)
#include "tables/cuda_api.def"
#pragma GCC visibility pop

#define EMU_EXPORT __attribute__((visibility("default")))

enum {
    EMU_MAX_DEVICES = 8,
    EMU_MAX_PARAMS = 32768, /* bytes of kernel parameters */
    EMU_DRIVER_VERSION = 13000
};

/* ---- settings (settings.c): the only reader of the environment ------------------------------- */

enum { EMU_ASYNC_INLINE = 0, EMU_ASYNC_THREADS = 1, EMU_ASYNC_LAZY = 2 };

typedef struct {
    int devices, sm_count, arch_major, arch_minor;
    int peers;           /* devices can access each other's memory */
    size_t memory_bytes; /* per device */
    int async;           /* EMU_ASYNC_* */
    unsigned queue;      /* pieces of work that a stream holds; 0: any number */
    unsigned delay_us;   /* random pause of up to this before each piece of stream work */
    int workers;         /* threads of one launch */
    uint64_t watchdog;
    size_t granule;      /* what a kernel may reach is rounded up to this */
    size_t poison_bytes; /* fresh memory is filled with 0xCD up to here */
    int trace_calls;     /* one line per driver call on stderr */
    int log_unsupported;
    char report[512];   /* "" none, "stderr", or a file that gets each fault's text */
    char fail[1024];    /* fault plan */
    char toolkit[1024]; /* CUDA_HOME, or "" */
} EmuDriverSettings;

const EmuDriverSettings *emu_driver_settings(void);
/* EMU_CHECK_* that are on now (gate.c). */
unsigned emu_checks(void);

/* ---- handles (handle.c) ---------------------------------------------------------------------- */

/* Objects live in slots of one reserved range that is never unmapped, so any value a caller passes
 * as a handle can be tested: it is one iff it points at a slot of that kind. Slots of destroyed
 * objects are reused last. */
typedef enum {
    KIND_FREE,
    KIND_CONTEXT,
    KIND_STREAM,
    KIND_EVENT,
    KIND_MODULE,
    KIND_FUNCTION,
    KIND_LIBRARY,
    KIND_LINK,
    KIND_POOL,
    KIND_GRAPH,
    KIND_NODE,
    KIND_GRAPH_EXEC,
    KIND_USER_OBJECT,
    KIND_GRAPH_MEMORY,
    KIND_PHYSICAL,
    KIND_RESERVATION,
    KIND_ARRAY,
    KIND_TEXTURE,
    KINDS
} EmuKind;

typedef struct {
    _Atomic uint32_t kind; /* KIND_FREE once destroyed, while references may still hold the slot */
    _Atomic uint32_t refs;
    uint32_t was;    /* the kind it had; the ledger counts by it until it is closed */
    uint32_t serial; /* tells two users of one slot apart */
    void (*destroy)(void *object);
} EmuHandle;

/* A zeroed object with one reference; `destroy` (may be NULL) runs when the last one goes. */
void *emu_handle_new(EmuKind kind, size_t bytes, void (*destroy)(void *object));
/* The object, or NULL when `handle` is none of that kind. */
void *emu_handle_get(const void *handle, EmuKind kind);
void emu_handle_ref(void *object);
void emu_handle_unref(void *object);
/* Ends the handle: no longer found by emu_handle_get; drops the creator's reference. */
void emu_handle_close(void *object);
/* Live objects of a kind; hidden ones (default streams, default pools) are not counted. */
uint64_t emu_handle_count(EmuKind kind);
void emu_handle_hide(void *object);
void emu_handle_show(void *object, EmuKind kind); /* counts it again */

/* ---- gate (gate.c): every exported function passes it ---------------------------------------- */

typedef enum {
#define CU(name, params) ENTRY_##name,
#define NVRTC(name, params)
#include "tables/cuda_api.def"
    ENTRIES
} EmuEntry;

extern _Atomic int emu_gate_slow; /* a plan, the trace, a forked child, or cuInit not called yet */
extern _Atomic uint64_t emu_gate_calls[ENTRIES];
CUresult emu_gate_check(EmuEntry entry, int needs_init);

static inline CUresult
emu_gate(EmuEntry entry, int needs_init)
{
    atomic_fetch_add_explicit(&emu_gate_calls[entry], 1, memory_order_relaxed);
    if (atomic_load_explicit(&emu_gate_slow, memory_order_relaxed) == 0) {
        return 0;
    }
    return emu_gate_check(entry, needs_init);
}

#define EMU_TRY(call)                                                                              \
    do {                                                                                           \
        CUresult code_ = (call);                                                                   \
        if (code_ != 0) {                                                                          \
            return code_;                                                                          \
        }                                                                                          \
    } while (0)
#define EMU_TRY_ENTER(name) EMU_TRY(emu_gate(ENTRY_##name, 1))
#define EMU_TRY_ENTER_UNINITIALISED(name) EMU_TRY(emu_gate(ENTRY_##name, 0))
/* As above, and puts the calling thread's context, which must exist and be whole, into `ctx`. */
#define EMU_TRY_ENTER_CONTEXT(name, ctx)                                                           \
    EMU_TRY(emu_gate(ENTRY_##name, 1));                                                            \
    EMU_TRY(emu_context_current(&(ctx)))

void emu_gate_initialised(void);
int emu_gate_is_initialised(void);
/* Marks the calling thread as inside a host function: driver calls are refused there. */
void emu_gate_in_callback(int inside);
/* Keeps the text for cuEmuLastFault and writes the report, if asked for. */
void emu_report_fault(const char *text);
/* Counts and reports what a check found; whether it is to end the context. */
int emu_finding(const char *text);
void emu_report_unsupported(const char *name);

/* ---- memory (memory.c) ----------------------------------------------------------------------- */

typedef enum {
    SPAN_DEVICE,
    SPAN_ASYNC, /* from a pool */
    SPAN_MODULE,
    SPAN_PINNED,
    SPAN_MANAGED,
    SPAN_REGISTERED,
    SPAN_HEAP,   /* device malloc */
    SPAN_GRAPH,  /* from an allocation node; visible while a launch has it allocated */
    SPAN_MAPPED, /* the accessible part of a range that cuMemMap fills */
    SPAN_KINDS
} EmuSpanKind;

enum { SPAN_FREE_QUEUED = 1 << 30 }; /* in a span's flags: a stream is going to free it */

typedef struct Context Context;
typedef struct Stream Stream;
typedef struct Pool Pool;

typedef struct EmuSpan {
    uint64_t lo, hi; /* hi - lo is the size asked for */
    EmuSpanKind kind;
    unsigned flags;
    int device;
    uint64_t id;
    Context *context; /* compared, never dereferenced after its end */
    Pool *pool;
    EmuMemory *memory;
    size_t charged;        /* bytes of the memory's limit that it takes */
    struct EmuSpan *range; /* the reserved range it lies in, or NULL */
    void *owner;           /* of a reserved range: who made it */
    int live;              /* under its memory's lock: neither retired nor released */
    struct EmuExtents
        *extents; /* owned: parts that a program's own pool has given out, see extent.c; or NULL */
    void *advice; /* owned: of managed memory, see advice.c; or NULL */
    int opened;   /* times it was opened through an IPC handle */
    struct EmuSpan *next, *previous; /* live or retired spans of its memory */
} EmuSpan;

/* ---- parts of allocations (extent.c) --------------------------------------------------------- */

typedef struct EmuExtents EmuExtents;
/* The time of a launch that is submitted now; never 0 once a part was named. */
uint64_t emu_extent_moment(void);
/* The part that contains `address` for a launch of that time; all of the span when it has no parts.
 */
int emu_extent_find(const EmuSpan *span, uint64_t when, uint64_t address, uint64_t *lo,
                    uint64_t *hi);
/* The part now nearest to the address; returns 0 when there is none. */
int emu_extent_nearest(const EmuSpan *span, uint64_t address, uint64_t *lo, uint64_t *hi);
void emu_extents_free(EmuSpan *span);

/* Ranges: one per device, and one for pinned and managed memory that all devices reach. */
EmuMemory *emu_memory_new(size_t limit_bytes, int device);
void emu_memory_delete(EmuMemory *memory);
void emu_memory_set_host(EmuMemory *memory, EmuMemory *host);
void emu_memory_set_peer(EmuMemory *memory, EmuMemory *peer, int enabled);
/* The owner's memory has parts that `memory`'s device may access without being a peer. */
void emu_memory_set_shared(EmuMemory *memory, EmuMemory *owner);
/* NULL when memory is exhausted. */
EmuSpan *emu_span_new(EmuMemory *memory, size_t bytes, EmuSpanKind kind, Context *context);
/* No longer found; its pages stay until released, so that work under way cannot crash. */
void emu_span_retire(EmuSpan *span);
/* Retires and releases the span if it still is allocation `id`; returns whether it was. Of two
 * threads that free one address, one wins. */
int emu_span_drop(EmuSpan *span, uint64_t id);
/* Releases everything that was retired; the caller knows that no work is under way. */
void emu_memory_release_retired(EmuMemory *memory);
/* The live span of this memory alone that contains `address`, or NULL. */
EmuSpan *emu_span_find(EmuMemory *memory, uint64_t address);
/* [to, to + bytes) now holds a copy of what is at `from`, or, when that is 0, has been written. */
void emu_memory_copied(uint64_t to, uint64_t from, uint64_t bytes);
/* All that is allocated counts as written from now on. */
void emu_memory_all_written(EmuMemory *memory);
/* Reports what is left of a context (NULL: of all), for EMU_CHECK_LEAKS. */
void emu_memory_report_leaks(EmuMemory *memory, const Context *context, const char *when);
/* Frees all spans of a context (NULL: all). Returns how many there were, modules' not counted. */
size_t emu_memory_drop_context(EmuMemory *memory, const Context *context);
void emu_memory_usage(EmuMemory *memory, size_t *used, size_t *limit);
uint64_t emu_memory_count(EmuMemory *memory, unsigned kinds, int want_bytes);
/* A reserved range of addresses that may not be used yet: 0, or -1 without room.
 * `alignment` is a power of two. `*held`, a field of the owner, is set before any thread can find
 * the owner by an address. Memory is put there by the caller, who then shows it. */
int emu_range_new(EmuMemory *memory, size_t bytes, size_t alignment, void *owner, EmuSpan **held);
/* The range that contains `address`, or NULL. */
EmuSpan *emu_range_find(EmuMemory *memory, uint64_t address);
/* Makes [lo, hi) of the range visible as one live span, instead of what was visible there. `lo` is
 * at a granule (16 KiB) from the start; pages are accessible already. NULL without memory. */
EmuSpan *emu_range_show(EmuSpan *range, uint64_t lo, uint64_t hi, EmuSpanKind kind);
/* [lo, hi) is found no longer; its pages stay as they are. */
void emu_range_hide(EmuSpan *range, uint64_t lo, uint64_t hi);
/* Hides all of it; its addresses and pages go when work that may know them is done. */
void emu_range_retire(EmuSpan *range);
/* Counts bytes against the memory's limit (negative: no longer). Returns 0 when it is exceeded. */
int emu_memory_charge(EmuMemory *memory, int64_t bytes);
/* Page-locks foreign memory. Returns 0, 712 when part of it is registered already, 2. */
CUresult emu_memory_register(EmuMemory *host, uint64_t address, size_t bytes, EmuSpan **out);
int emu_memory_contains(const EmuMemory *memory, uint64_t address); /* in its range, live or not */

/* ---- devices and contexts (device.c, context.c) ---------------------------------------------- */

typedef struct {
    int ordinal;
    EmuMemory *memory;
    pthread_mutex_t lock; /* guards what follows */
    Context *primary;
    unsigned primary_refs, primary_flags;
    Pool *default_pool, *current_pool;
    uint64_t graph_memory[4]; /* by CU_GRAPH_MEM_ATTR_*; under the lock of graph_memory.c */
} Device;

typedef struct {
    int device_count;
    Device devices[EMU_MAX_DEVICES];
    EmuMemory *host; /* pinned, managed, registered */
} Driver;

/* NULL before cuInit. */
Driver *emu_driver(void);
CUresult emu_device_get(CUdevice ordinal, Device **out);
/* The span holding `address` in any device's or the host's memory, or NULL. */
EmuSpan *emu_find_any(uint64_t address);
/* The same for work that is only queued now: memory of graphs counts once queued work allocates it,
 * for work of a graph in any case. */
EmuSpan *emu_find_planned(uint64_t address, int in_graph);
int emu_is_ours(uint64_t address); /* in a range of ours, allocated or not */

enum { EMU_LIMITS = 10 };

struct Context {
    EmuHandle head;
    Device *device;
    unsigned flags;
    unsigned version;
    int primary;
    uint64_t id;
    _Atomic int error;    /* sticky: set by work that failed, returned by every later call */
    _Atomic int late;     /* an injected error that becomes sticky at the next synchronisation */
    pthread_mutex_t lock; /* guards the lists and what follows */
    Stream *legacy;       /* the NULL stream */
    Stream *streams;      /* all others, default per-thread ones included */
    _Atomic uint64_t limits[EMU_LIMITS];
    unsigned peers; /* bit per device */
    int cache_config, shared_config;
    struct Module *modules;
    struct Event *events;
    char *printed; /* what kernels printed since the last synchronisation */
    size_t printed_bytes, printed_capacity;
};

/* The calling thread's context: 201 when it has none, 709 when it was destroyed, else its sticky
 * error or 0. */
CUresult emu_context_current(Context **out);
/* NULL when there is none; ignores the sticky error. */
Context *emu_context_peek(void);
CUresult emu_context_new(Context **out, Device *device, unsigned flags, int primary);
void emu_context_end(Context *context);
int emu_context_flags_valid(unsigned flags);
/* Waits for all work of the context, though no caller may rely on it. */
void emu_context_drain(Context *context);
/* Waits for all work of the context; returns its sticky error. */
CUresult emu_context_wait(Context *context);
void emu_context_fail(Context *context, CUresult code);
/* The sticky error as a synchronising call sees it. */
CUresult emu_context_error(Context *context);
void emu_context_print(void *context, const char *text, size_t bytes);
void emu_context_flush_print(Context *context);

/* ---- streams, events and work (stream.c, work.c, event.c) ------------------------------------ */

typedef enum {
    WORK_EMPTY,
    WORK_KERNEL,
    WORK_COPY,
    WORK_FILL,
    WORK_HOST,
    WORK_CALLBACK,
    WORK_RECORD,
    WORK_VALUES, /* stream memory operations */
    WORK_FREE,
    WORK_AWAIT,     /* an event, inside a graph */
    WORK_ALLOCATE,  /* a graph's memory */
    WORK_RELEASE,   /* the same */
    WORK_CONDITION, /* graphs run or not by the value of a cell */
    WORK_GRAPH
} WorkKind;

typedef struct Function Function;
typedef struct Event Event;
typedef struct Program Program;
typedef struct GraphMemory GraphMemory;

typedef struct {
    Function *function; /* reference */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* zeros: as the kernel says */
    size_t shared_bytes;
    int cooperative;
    size_t params_bytes;
    void *params;    /* owned, malloc */
    uint64_t moment; /* when it was submitted (extent.c); 0: it may reach whole allocations */
} KernelWork;

/* A box of rows and slices; one row for a plain copy. Pitches are bytes. */
typedef struct {
    uint64_t to, from;
    size_t width, height, depth;
    size_t to_pitch, from_pitch, to_slice, from_slice;
    void *staged;               /* owned copy of pageable source memory, or NULL */
    int to_device, from_device; /* that side must be device-accessible memory when it runs */
} CopyWork;

typedef struct {
    uint64_t to;
    size_t pitch, width, height; /* width in elements */
    uint32_t value, element_bytes;
} FillWork;

typedef struct {
    WorkKind kind;
    union {
        KernelWork kernel;
        CopyWork copy;
        FillWork fill;
        struct {
            CUhostFn run;
            CUstreamCallback callback;
            void *data;
            CUstream stream;
        } host;
        struct {
            Event *event; /* reference */
            uint64_t generation;
        } record;
        struct {
            CUstreamBatchMemOpParams *list; /* owned, malloc */
            unsigned count, flags;
        } values;
        EmuSpan *span;
        GraphMemory *memory; /* reference */
        struct {
            CUgraphConditionalHandle cell; /* address of its value */
            CUgraphConditionalNodeType type;
            unsigned assign, value; /* whether a launch sets the cell, and to what */
            int count;
            Program **bodies; /* owned array of references; NULL in a node */
        } condition;
        Program *program; /* reference: what a graph does, in order */
    };
} Work;

/* Runs one piece of work on the calling thread. */
CUresult emu_work_run(Context *context, Work *work);
/* Releases what it owns. */
void emu_work_clear(Work *work);
/* A second, independent instance. Returns 0 or 2. */
CUresult emu_work_copy(Work *to, const Work *from);

typedef struct Op Op;
typedef struct Capture Capture;

/* A queue of work. The thread that holds `executing` runs its head: its own dispatcher thread,
 * started with the first piece of work, or a thread that waits for the stream anyway. */
struct Stream {
    EmuHandle head;
    Context *context;
    unsigned flags;
    int priority, sync_policy;
    uint64_t id;
    uint64_t thread;          /* not 0 for a per-thread default stream */
    struct OrderClock *clock; /* owned, under the lock of order.c */
    Stream *next;             /* under context->lock */
    pthread_mutex_t lock;     /* guards what follows */
    pthread_cond_t work, progress;
    Op *first, *last;
    _Atomic uint64_t submitted, done; /* numbers of the last piece queued and finished */
    _Atomic uint64_t cancelled;       /* work up to this number does nothing any more */
    int executing, waiters, sleeping, stopping, started;
    _Atomic(Capture *) capture;
};

typedef struct {
    Stream *stream; /* reference */
    uint64_t number;
} Dependency;

/* ---- order of streams (order.c): nothing of it happens but under EMU_CHECK_STREAM ------------ */

/* What is certain to have run before; NULL: not known, then nothing is looked at. */
typedef struct OrderClock OrderClock;

OrderClock *emu_order_ref(OrderClock *clock);
void emu_order_unref(OrderClock *clock);
/* The stream's next piece follows what the legacy stream orders it after. Before the stream's lock.
 */
void emu_order_after_streams(Stream *stream);
/* The clock of a piece that is submitted; a reference. Under the stream's lock. */
OrderClock *emu_order_submit(Stream *stream, uint64_t number);
/* The clock of the last piece submitted; a reference. */
OrderClock *emu_order_of_stream(Stream *stream);
void emu_order_stream_waits(Stream *stream, const OrderClock *clock);
void emu_order_stream_ended(Stream *stream);
void emu_order_host_waited(const OrderClock *clock);
void emu_order_host_waited_stream(Stream *stream);
void emu_order_host_waited_all(Context *context);
/* Around running a piece, on the thread that runs it; takes the reference. */
void emu_order_begin(Stream *stream, uint64_t number, OrderClock *clock);
void emu_order_end(void);
void emu_order_await_value(void);
void emu_order_host_function(void);
/* Whether the running piece is looked at, and what it touched. */
int emu_order_is_watched(void);
void emu_order_touched(const EmuFootprint *footprint, const char *what);
void emu_order_freed(const EmuSpan *span);
/* Drops all clocks: what ran until now is ordered before everything. */
void emu_order_forget(void);

CUresult emu_stream_new(Stream **out, Context *context, unsigned flags, int priority);
void emu_stream_end(Stream *stream);
/* Resolves NULL, 1, 2 and real handles; 400 for anything else. */
CUresult emu_stream_get(Context *context, CUstream handle, Stream **out);
/* While positive, NULL means the per-thread default stream on this thread (_ptsz entries). */
void emu_per_thread_default(int change);

typedef enum { SUBMIT_ONLY, SUBMIT_AND_WAIT } SubmitMode;
/* Queues `work` (taking over what it owns, also on failure), or adds it to a graph when the stream
 * captures. SUBMIT_AND_WAIT runs it before returning and returns the context's error. */
CUresult emu_submit(Stream *stream, Work *work, SubmitMode mode);
/* As emu_submit with further work to wait for; used by events. `number` receives the place. */
CUresult emu_submit_after(Stream *stream, Work *work, const Dependency *after, uint64_t *number);
void emu_stream_wait(Stream *stream, uint64_t number);
/* 1 when everything up to `number` has run. */
int emu_stream_reached(Stream *stream, uint64_t number);
CUresult emu_stream_synchronize(Stream *stream);
/* Whether the piece of work that the calling thread runs was cancelled meanwhile. */
int emu_stream_is_cancelled(void);
/* The same as numbers for threads that help: cancelled once *upto >= *number. NULL outside work. */
const _Atomic uint64_t *emu_stream_cancels(uint64_t *number);

struct Event {
    EmuHandle head;
    Context *context;
    unsigned flags;
    Event *next, **link;         /* context's list, under context->lock */
    pthread_mutex_t lock;        /* guards what follows */
    Dependency at;               /* where it was recorded last; stream NULL: never */
    uint64_t generation, placed; /* of the last record, and of the one that `at` is of */
    struct OrderClock *clock;    /* owned: of the place */
    uint64_t time_ns;            /* when that record ran */
    int timed;
    _Atomic uint64_t capture; /* number of the capture it was last recorded in, or 0 */
    struct Node **captured;   /* owned; under the lock of capture.c */
    int captured_count;
};

void emu_event_ran(Event *event, uint64_t generation);
/* Takes it off its context's list. 1 for the one caller that is to close it, else 0. */
int emu_event_unlink(Event *event);
/* The event now stands for this place: a graph that records it was launched there. `generation` is
 * of the record, 0 for a graph's. */
void emu_event_set_place(Event *event, Stream *stream, uint64_t number, uint64_t generation);
/* Work submitted to the stream from now on waits for what the event stands for now. */
CUresult emu_event_order_after(Event *event, Stream *stream);

/* ---- modules (driver_module.c) --------------------------------------------------------------- */

typedef struct Module {
    EmuHandle head;
    Context *context;
    EmuModule *code;
    struct Library *library;
    struct Module *next, **link; /* context's list */
    pthread_mutex_t lock;        /* guards `functions` */
    Function *functions;
} Module;

/* Also what a CUkernel points at: libraries here belong to the context they were loaded in. */
struct Function {
    EmuHandle head;
    Module *module;
    EmuFunction *code;
    Function *next;
    EmuFunctionInfo info;
    struct {
        uint32_t offset, bytes;
    } *params; /* info.params_count of them */
    _Atomic int max_dynamic_shared, carveout, cache_config;
    _Atomic int cluster[5]; /* attributes from REQUIRED_CLUSTER_WIDTH on, kept to be read back */
};

/* Ends a module and the handles of its functions; its code goes when no work needs it any more. */
void emu_module_end(Module *module);
CUresult emu_function_get(CUfunction handle, Function **out);
/* Checks the shape of a launch and packs the parameters. */
CUresult emu_kernel_work(KernelWork *work, Function *function, const CUlaunchConfig *config,
                         void **params, void **extra);

/* Options as cuModuleLoadDataEx and cuLinkCreate take them; only the logs mean something here. */
typedef struct {
    EmuLog log;
    char *info; /* stays empty: loading has nothing to remark */
    size_t info_capacity;
    void **info_size, **error_size; /* receive how much was written */
} EmuJitOptions;

CUresult emu_jit_read(EmuJitOptions *jit, unsigned count, const CUjit_option *options,
                      void **values);
void emu_jit_write_sizes(const EmuJitOptions *jit);
/* The whole file, with a NUL behind it; `bytes` may be NULL. The caller frees it. */
CUresult emu_read_file(const char *path, char **out, size_t *bytes);

/* ---- linking (driver_link.c) ----------------------------------------------------------------- */

/* What a linker has collected: one PTX text, which is also what linking results in. */
typedef struct {
    char *text; /* owned; ends in NUL */
    size_t used;
} EmuLinkText;

/* Adds the PTX of an image of `bytes` bytes: text, a fatbin, or any file that fatbins are embedded
 * in. Returns 0, 2, or what emu_image_ptx returns, with a line in `log`. */
CUresult emu_link_add(EmuLinkText *link, const void *image, size_t bytes, EmuLog *log);

/* ---- arrays and textures (array.c) ----------------------------------------------------------- */

/* Replaces arrays in a description by the device memory they lie in. Returns 0 or 1. */
CUresult emu_array_resolve(CUDA_MEMCPY3D *params);

/* ---- work that graphs are made of (driver_copy.c, driver_values.c) --------------------------- */

/* Checked work for what a graph node describes; nothing is staged. */
CUresult emu_copy_work(CopyWork *work, const CUDA_MEMCPY3D *params);
CUresult emu_fill_check(const FillWork *fill, int in_graph);
/* Work for stream memory operations, checked. */
CUresult emu_values_work(Work *work, const CUstreamBatchMemOpParams *list, unsigned count,
                         int in_graph);

/* ---- mapped memory (driver_physical.c) ------------------------------------------------------- */

/* The bounds of the mapping at `address`; a visible span may join several. Returns 0 without one.
 */
int emu_mapping_find(uint64_t address, uint64_t *lo, uint64_t *hi);

/* ---- pools (driver_pool.c) ------------------------------------------------------------------- */

Pool *emu_pool_new(Device *device, int is_default);
/* Whether the device may access memory of the pool. */
int emu_pool_lets(const Pool *pool, int device);
/* The stream has come to the place where the span is freed. */
void emu_pool_span_freed(EmuSpan *span);
/* Takes the allocation out of its pool's account, if it has one. */
void emu_pool_forget(Pool *pool, uint64_t bytes);
/* Allocates for the caller's context; when memory is short, waits for work and releases what
 * streams have freed. */
CUresult emu_allocate(Context *context, size_t bytes, EmuSpanKind kind, EmuSpan **out);
/* Ends an allocation now: waits for its context's work first. Returns 0 or 1 (INVALID_VALUE) when
 * another thread was faster. */
CUresult emu_deallocate(EmuSpan *span);

#endif

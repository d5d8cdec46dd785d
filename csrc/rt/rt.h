/* The runtime: devices, streams, events, memory, compiled kernels, launches.
 *
 * Here a CUresult becomes a Python exception. Device memory has owners: a GnpBlock is reference
 * counted and stream-ordered; an array view holds its base's block.
 */
#ifndef GNP_RT_H
#define GNP_RT_H

#include "base/base.h"
#include "cuda/cuda.h"

/* ---- errors ---------------------------------------------------------------------------------- */

/* Sets gpunp.cuda.CUDADriverError (or OutOfMemoryError for code 2) naming call, code, kernel and
 * function; always returns -1. On the emulated device the fault's report is part of the message. */
int gnp_cuda_raise(CUresult code, const char *call, const char *function);

/* CUDALaunchError, a CUDADriverError and a ValueError, for sizes of a launch that the device
 * refuses, with a text as of PyErr_Format; returns -1. */
int gnp_launch_refuse(const char *format, ...);

/* CU_TRY(cu->cuMemAlloc_v2(&p, n)): test, raise, go to fail. `gnp_cu` is the open driver's table.
 */
#define CU_TRY(call)                                                                               \
    do {                                                                                           \
        CUresult gnp_code = gnp_cu->call;                                                          \
        if (GNP_UNLIKELY(gnp_code != 0)) {                                                         \
            gnp_cuda_raise(gnp_code, #call, __func__);                                             \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)
/* Where raising is impossible (dealloc, fail path, other threads): logs at GPUNP_DEBUG >= 1. */
#define CU_DROP(call) gnp_cuda_drop(gnp_cu->call, #call, __func__)
void gnp_cuda_drop(CUresult code, const char *call, const char *function);

/* Counts what this process has put into streams by gpunp, and blocks that went back to their pools:
 * while it stays the same nothing of that has happened. Guarded by the GIL; counted up behind a
 * call that releases it, when others may know of the call. */
extern uint64_t gnp_submissions;

/* The same for entries that the table marks CU_WAITS and CU_QUEUES; the two above do not compile
 * with them. A call that waits for the device with the GIL held is a deadlock when the device
 * itself waits for a Python function (Stream.launch_host_func). So the first kind always releases
 * the GIL; the second, which may wait for room in a stream's queue, does while such functions are
 * queued. Other threads run meanwhile: shared lists must be consistent and borrowed pointers must
 * stay valid. A destructor may do it once nothing refers to its object. */
#define CU_WAIT(code, call) GNP_CONTEXT_WAIT((code) = gnp_cu->waits.call)
#define CU_QUEUE(code, call) CU_QUEUE_OR(0, code, call)
/* `must`: the call may wait for more than room in the queue, such as a copy of pageable memory. */
#define CU_QUEUE_OR(must, code, call)                                                              \
    do {                                                                                           \
        if (must) {                                                                                \
            GNP_CONTEXT_WAIT((code) = gnp_cu->queues.call);                                        \
            break;                                                                                 \
        }                                                                                          \
        GNP_QUEUE((code) = gnp_cu->queues.call);                                                   \
    } while (0)
/* The second kind, for calls of libraries too. */
#define GNP_QUEUE(statement)                                                                       \
    do {                                                                                           \
        PyThreadState *gnp_saved =                                                                 \
            GNP_UNLIKELY(gnp_host_functions_pending()) ? PyEval_SaveThread() : NULL;               \
        statement;                                                                                 \
        if (GNP_UNLIKELY(gnp_saved != NULL)) {                                                     \
            PyEval_RestoreThread(gnp_saved);                                                       \
        }                                                                                          \
        gnp_submissions++;                                                                         \
    } while (0)
/* A copy of host memory, which may be pageable. */
#define CU_COPY(code, call) CU_QUEUE_OR(1, code, call)
#define CU_TRY_BY(how, call, text)                                                                 \
    do {                                                                                           \
        CUresult gnp_code;                                                                         \
        how(gnp_code, call);                                                                       \
        if (GNP_UNLIKELY(gnp_code != 0)) {                                                         \
            gnp_cuda_raise(gnp_code, text, __func__);                                              \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)
#define CU_DROP_BY(how, call, text)                                                                \
    do {                                                                                           \
        CUresult gnp_code;                                                                         \
        how(gnp_code, call);                                                                       \
        gnp_cuda_drop(gnp_code, text, __func__);                                                   \
    } while (0)
#define CU_TRY_WAIT(call)                                                                          \
    do {                                                                                           \
        GNP_TRY(gnp_context_wait_ready());                                                         \
        CU_TRY_BY(CU_WAIT, call, #call);                                                           \
    } while (0)
#define CU_TRY_QUEUE(call) CU_TRY_BY(CU_QUEUE, call, #call)
#define CU_TRY_COPY(call) CU_TRY_BY(CU_COPY, call, #call)
#define CU_DROP_WAIT(call) CU_DROP_BY(CU_WAIT, call, #call)
#define CU_DROP_QUEUE(call) CU_DROP_BY(CU_QUEUE, call, #call)
/* A call of an entry marked CU_WAITS in a function that runs without the GIL. */
#define CU_UNLOCKED(call) gnp_cu->waits.call

/* Around a driver call that waits for all work of the context: Python functions in streams end
 * before, and none is queued meanwhile. Called with the GIL, which it releases while waiting. */
void gnp_context_wait_begin(void);
void gnp_context_wait_end(void);
/* The first part of it, ahead of a call that may raise: Ctrl-C ends it, -1 with the exception. */
int gnp_context_wait_ready(void);
#define GNP_CONTEXT_WAIT(statement)                                                                \
    do {                                                                                           \
        gnp_context_wait_begin();                                                                  \
        GNP_NOGIL(statement);                                                                      \
        gnp_context_wait_end();                                                                    \
        gnp_submissions++;                                                                         \
    } while (0)
/* The number of Python functions that streams have yet to run, and of those in graphs that may be
 * launched. */
extern int gnp_host_functions;

/* They count themselves down without the GIL. */
static inline int
gnp_host_functions_pending(void)
{
    return __atomic_load_n(&gnp_host_functions, __ATOMIC_RELAXED) != 0;
}

/* 1 when Python is going away (or this is a forked child): destructors then leave the driver and
 * its libraries alone. */
int gnp_is_closing(void);

/* Less than a second. */
void gnp_pause_without_gil(int64_t ns);
/* A turn at an object that its library does not synchronise, while calls on it may release the GIL.
 * Taken and ended with the GIL, which waiting releases; not by a thread that has it. */
typedef struct {
    int is_taken;
} GnpTurn;
void gnp_turn_take(GnpTurn *turn);
void gnp_turn_end(GnpTurn *turn);

/* Whether the code means that the context is lost: nothing runs in it any more, and every call
 * fails. */
int gnp_cuda_is_lost(CUresult code);

extern const GnpDriverApi *gnp_cu; /* NULL until the first gnp_device_get; set once */

/* ---- devices --------------------------------------------------------------------------------- */

typedef struct GnpStream GnpStream;
typedef struct GnpPool GnpPool;

typedef struct GnpDevice {
    int id;
    CUdevice handle;
    CUcontext context; /* the primary context, retained */
    int sm_count, cc_major, cc_minor;
    int max_shared_bytes;   /* per block without opting in */
    int optin_shared_bytes; /* and with */
    int max_threads_per_sm;
    int emulated;
    int prefers_short; /* kernels that compile and run fast on the emulated device */
    size_t total_bytes;
    GnpPool *pool;
} GnpDevice;

/* Device `id`, its primary context retained on first use. NULL with an exception. */
GNP_BORROW GnpDevice *gnp_device_get(int id);
/* A gpunp.cuda.Device object. */
PyObject *gnp_device_object(int id);
/* This thread's current device, with its context made current. This is the first step of the hot
 * path: a thread-local read and one cuCtxGetCurrent. */
GNP_BORROW GnpDevice *gnp_device_current(void);
int gnp_device_set_current(int id);
/* Back to the device that was current before such a call. Cannot fail, and touches no exception:
 * where the driver refuses now, the context becomes current at the next use. */
void gnp_device_restore(int id);
int gnp_device_count(int *count);

/* ---- streams --------------------------------------------------------------------------------- */

/* The handle work of this thread on `device` goes to now: 0 legacy null, 2 per-thread, or a
 * CUstream. Objects: gpunp.cuda.Stream (rt/stream.c) set it. */
CUstream gnp_stream_current(const GnpDevice *device);
/* Work of this thread on `device` goes to the handle `stream`, until gnp_stream_leave gets what
 * this returned. For calls with a stream argument: all their work, copies too, goes there. */
CUstream gnp_stream_enter(const GnpDevice *device, CUstream stream);
void gnp_stream_leave(const GnpDevice *device, CUstream before);
/* The same as gnp_stream_current without its side effects: to identify the stream, not to use it.
 */
CUstream gnp_stream_peek(const GnpDevice *device);
/* Set while work is recorded rather than launched: called before a stream is used, before a wait,
 * and before an address is handed out. Never fails: errors go to sys.unraisablehook. Needs the GIL.
 */
extern void (*gnp_before_work)(void);
static inline void
gnp_work_begins(void)
{
    if (GNP_UNLIKELY(gnp_before_work != NULL)) {
        gnp_before_work();
    }
}
/* From Stream, int, anything with __cuda_stream__; None or NULL means the current one of `device`.
 */
int gnp_stream_from_object(PyObject *object, const GnpDevice *device, CUstream *out);

/* ---- queues ---------------------------------------------------------------------------------- */

/* Called before each launch, copy, fill or call of a library: waits when the host is far ahead of
 * the device. -1 when Ctrl-C ended the wait; the work must not be submitted then. */
enum { GNP_QUEUE_MARK = 251 };
extern unsigned gnp_queued;
int gnp_queue_wait(CUstream stream);
static inline int
gnp_queue_room(CUstream stream)
{
    gnp_submissions++;
    return GNP_LIKELY(++gnp_queued < GNP_QUEUE_MARK) ? 0 : gnp_queue_wait(stream);
}

/* ---- captures -------------------------------------------------------------------------------- */

/* Work of a stream is recorded into a graph instead of done. While `gnp_captures` is not NULL, some
 * stream of gpunp's is captured; calls that must wait for the device call gnp_capture_check first.
 */
typedef struct GnpCapture GnpCapture;
extern GnpCapture *gnp_captures;
/* The capture in progress of the stream, or NULL. */
GNP_BORROW GnpCapture *gnp_capture_find(CUstream stream);
/* -1 with an exception when waiting for the stream, on behalf of `function`, would break a capture.
 */
int gnp_capture_check_slow(CUstream stream, const char *function);
static inline int
gnp_capture_check(CUstream stream, const char *function)
{
    return GNP_UNLIKELY(gnp_captures != NULL) ? gnp_capture_check_slow(stream, function) : 0;
}
/* Around a call that breaks captures of other threads on the device, such as making and destroying
 * plans of cuFFT: no capture begins meanwhile. The first waits for those in progress, without the
 * GIL; after ten seconds (they may be waiting for this thread) it raises RuntimeError naming
 * `what`. The second returns -1 at once instead, without an exception. Captures of this thread, and
 * of the stream it works in, are not waited for. */
int gnp_capture_suspend(int device_id, const char *what);
int gnp_capture_try_suspend(int device_id);
void gnp_capture_resume(int device_id);
/* Keeps an object (a module whose kernel is launched, a host buffer) as long as the graph lives
 * that `stream` is captured into; does nothing for other streams. */
int gnp_capture_keep_slow(CUstream stream, PyObject *object);
static inline int
gnp_capture_keep(CUstream stream, PyObject *object)
{
    return GNP_UNLIKELY(gnp_captures != NULL) ? gnp_capture_keep_slow(stream, object) : 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct GnpBlock {
    CUdeviceptr ptr;
    size_t bytes; /* as requested, before the pool's rounding */
    int refcount; /* atomic in free-threaded builds */
    int device_id;
    int is_exported; /* others know the address: their work may use it without our knowing */
    CUstream
        stream; /* the owning stream; a value that is no handle once that stream was destroyed */
    PyObject *owner; /* keeps foreign memory alive, or NULL for the pool's own */
    GnpPool *pool;   /* NULL for foreign memory and for empty blocks */
    /* Streams other than `stream` that used it since allocation, as pool_streams.c keeps them. */
    struct GnpBlockUse *uses;
} GnpBlock;

/* `bytes` of device memory ordered on `stream`; ptr 0 for 0 bytes without asking the driver.
 * On exhaustion: free the cache, collect garbage, retry, then gpunp.cuda.OutOfMemoryError. Honours
 * set_allocator. The bytes are not cleared. */
GnpBlock *gnp_block_new(GnpDevice *device, size_t bytes, CUstream stream);
/* Returns the cached memory of the current device's pools to the driver, for a library that ran out
 * of memory; `collects`: runs the garbage collector first. Sets no exception. */
void gnp_pools_relieve(int collects);
/* Whether the memory is known to be of cuMemAlloc. */
int gnp_block_is_plain(const GnpBlock *block);
/* Others may launch work of ours, a graph, on memory whose address they do not know. */
extern int gnp_work_is_exported;
/* Whether all work that uses the block is put into streams by gpunp, and so is counted. */
static inline int
gnp_block_is_private(const GnpBlock *block)
{
    return block->pool != NULL && !block->is_exported && !gnp_work_is_exported;
}
/* The object of gpunp.cuda that the memory came as, which keeps it alive: a PooledMemory of a
 * pool's block, or the `mem` of the MemoryPointer that an allocator or the program gave. None for
 * memory of other libraries. */
PyObject *gnp_block_memory(GnpBlock *block);
/* Foreign memory kept alive by `owner`. */
GnpBlock *gnp_block_wrap(CUdeviceptr ptr, size_t bytes, int device_id, PyObject *owner);
static inline GnpBlock *
gnp_block_retain(GnpBlock *block)
{
    __atomic_fetch_add(&block->refcount, 1, __ATOMIC_RELAXED);
    return block;
}
void gnp_block_release(GnpBlock *block); /* NULL is allowed; needs the GIL */
/* Tell the pool that `stream` uses the block: its memory is not reused before that work is done.
 * The inline test comes first: for the owning stream there is nothing to do. */
void gnp_block_record_slow(GnpBlock *block, CUstream stream);
static inline void
gnp_block_record(GnpBlock *block, CUstream stream)
{
    if (GNP_UNLIKELY(block->stream != stream)) {
        gnp_block_record_slow(block, stream);
    }
}

/* Host memory to device and back on `stream`. Pageable host memory is staged through pinned buffers
 * by several threads; returns when the host side may be reused (h2d) or holds the data (d2h). The
 * GIL is released while waiting. */
int gnp_copy_h2d(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream);
int gnp_copy_d2h(void *dst, CUdeviceptr src, size_t bytes, CUstream stream);

/* ---- peers ----------------------------------------------------------------------------------- */

/* One side of a copy between devices. */
typedef struct {
    CUdeviceptr ptr;
    GnpDevice *device;
    CUstream stream;    /* of the device; the copy is in order with its work */
    size_t pitch, rows; /* of a box: bytes from row to row, rows from slice to slice */
    int is_plain; /* of cuMemAlloc for certain (gnp_block_is_plain): it is in no pool of CUDA's,
                     which has an access of its own */
} GnpPeerSide;

/* `height` rows of `width` bytes in each of `depth` slices; a line has one of each. */
typedef struct {
    GnpPeerSide to, from;
    size_t width, height, depth;
    int is_private; /* the memory of both sides: gnp_block_is_private */
} GnpPeerCopy;

/* Copies between two devices in stream order, without a wait. The target's device is current. */
int gnp_peer_copy(const GnpPeerCopy *copy);
/* Whether the devices can reach each other's memory, which is enabled for it: 1, 0, or -1 with an
 * exception. Boxes are for devices that can. */
int gnp_peer_has_path(const GnpPeerCopy *copy);
/* Ahead of the work around a copy between the current streams of two devices: -1 with an exception
 * where a capture could not have the copy. */
int gnp_peer_check_capture(GnpDevice *to, GnpDevice *from);
/* Lets work of `device` access memory of `other` at `ptr`: 1, 0 without a path, -1. */
int gnp_peer_reach(const GnpDevice *device, const GnpDevice *other, CUdeviceptr ptr);
/* Work that is queued in the later stream from now on waits for what is in the earlier one. Leaves
 * the later one's device current. */
int gnp_peer_wait(const GnpPeerSide *later, const GnpPeerSide *earlier);
/* Whether operands on device `have` may be used while `want` is current (cuda.set_peer_access): 1
 * (it may have warned), 0, or -1 with the warning as an exception. */
int gnp_peer_consent(int have, int want);
/* Lets the launches on `device` that follow in this thread use a block of another one, in order
 * with that one's current stream, until gnp_peer_guests_end. 1, 0 without consent (no exception),
 * or -1. */
int gnp_peer_guest(const GnpDevice *device, GnpBlock *block);
/* Around a call that may have guests, from before its arguments are read, which may run Python code
 * with calls of its own: `before` is what begin returned. */
unsigned gnp_peer_guests_begin(void);
void gnp_peer_guests_end(unsigned before);

/* ---- threads that work ahead (workers.c) ------------------------------------------------------
 */

/* Run once, by a worker or by who waits for it; without the GIL, and not a user of the device. */
typedef struct GnpJob {
    void (*run)(struct GnpJob *job);
    struct GnpJob *next;
    enum { GNP_JOB_QUEUED, GNP_JOB_RUNNING, GNP_JOB_DONE } state;
} GnpJob;
/* 0, or -1 where there are no workers: on one core, and when Python ends. With the GIL. The job has
 * to live until it is done. */
int gnp_job_submit(GnpJob *job);
/* Without the GIL. */
void gnp_job_wait(GnpJob *job);
/* 8 bytes at `ptr` that a kernel stores and the host reads without a copy (host_word.c). */
typedef struct {
    CUdeviceptr ptr;
    CUstream stream; /* in which the kernel runs */
    GnpBlock *block; /* owned: device memory in its place; or NULL */
    int number;      /* 0: device memory, or read already */
} GnpHostWord;
int gnp_host_word_take(GnpHostWord *w, GnpDevice *device, CUstream stream);
/* Waits for the stream. Once for each word. */
int gnp_host_word_read(GnpHostWord *w, int64_t *value);
/* Also of a word that was not read, or is all zeros. */
void gnp_host_word_release(GnpHostWord *w);

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct {
    const char *name; /* "elementwise/elementwise.cu" */
    const char *text;
    size_t bytes;
} GnpEmbeddedFile;
extern const GnpEmbeddedFile gnp_embedded_files[]; /* generated; ends with a NULL name */

/* A loaded kernel of one device; lives until the device is reset. */
typedef struct GnpKernel {
    CUfunction function;
    const char *name; /* for messages and traces: "add__float32_float32" */
    int device_id;
    int registers, max_threads;
    int shared_bytes; /* of dynamic shared memory that were asked for; see gnp_kernel_allow_shared
                       */
} GnpKernel;

/* User code around a kernel file, which is in a namespace of ours; the user's text follows it. */
typedef struct {
    const char *head, *tail;    /* put before and behind the file's text */
    const char *const *options; /* of the compiler, beside ours; contracts a * b + c by default */
    int noptions;
    const char *title, *shown; /* what a compile error shows instead of the generated source */
} GnpUserSource;

typedef struct {
    const char *file;  /* "elementwise.cu", the name of an embedded file without its folder */
    const char *entry; /* the extern "C" function */
    const char *name;  /* for messages and traces */
    const char *knobs; /* text of the knob header, included as "knobs/<file without .cu>.cuh" */
    size_t knobs_bytes;
    const GnpUserSource *user; /* NULL: no user code */
} GnpKernelSource;

/* Compiles (NVRTC: --minimal -no-cache --fmad=false, cubin for GPUs, PTX for the emulated device)
 * or finds in the memory and disk caches, and loads. NULL with an exception that shows the log. */
GNP_BORROW GnpKernel *gnp_kernel_get(GnpDevice *device, const GnpKernelSource *source);

/* Kernels compiled ahead. Between begin and end, when this thread meets a kernel that has to be
 * made, `ask` is called once to name the others of the operation, which are compiled in other
 * threads meanwhile: it calls what would launch them, and there no kernel is found, so that it
 * returns at the point where the kernel is looked for, without an exception. What fails to compile
 * is reported by the call that needs it. `before` is what begin returned. With the GIL. */
typedef struct {
    void (*ask)(void *context);
    void *context;
} GnpAhead;
const GnpAhead *gnp_ahead_begin(const GnpAhead *ahead);
void gnp_ahead_end(const GnpAhead *before);
/* Calls `ask` at once, for kernels of calls that follow work of another kind, such as a library's.
 */
void gnp_ahead_ask(const GnpAhead *ahead);
/* Whether `ask` is being called. */
int gnp_ahead_is_asking(void);

/* The head of a kernel's compile-time parameters: with what follows it, `bytes` in all, it is the
 * key by which the kernel is found again. No two fields have padding between them. */
typedef struct {
    uint64_t code;          /* distinguishes operations that have the same parameters */
    int16_t kernel, device; /* a row of tables/kernels.def; the device's id */
    int16_t bytes, wide;    /* wide: 64-bit indices */
} GnpSpec;
/* The kernel that was kept with these bytes, or NULL. */
GNP_BORROW GnpKernel *gnp_kernel_known(const GnpSpec *spec);
int gnp_kernel_keep(const GnpSpec *spec, GnpKernel *kernel);

/* User source: any text, options, several entries by name (RawKernel, RawModule, Elementwise...).
 * Where it includes more than our own headers, the toolkit's are on the search path. */
typedef struct GnpModule GnpModule;
typedef struct {
    const char *text, *file_name;
    const char *const *options, *const *names; /* names: expressions whose symbols are asked for */
    int noptions, nnames;
} GnpModuleSource;
GnpModule *gnp_module_compile(GnpDevice *device, const GnpModuleSource *source);
/* A cubin, a fat binary, or PTX with a NUL at its end; `name` is for messages. */
GnpModule *gnp_module_load(const void *image, size_t bytes, const char *name);
GnpModule *gnp_module_retain(GnpModule *module);
void gnp_module_release(GnpModule *module);
/* `name` is a symbol or one of the name expressions. */
int gnp_module_function(GnpModule *module, const char *name, CUfunction *out);
int gnp_module_global(GnpModule *module, const char *name, CUdeviceptr *ptr, size_t *bytes);
/* The symbol of a name expression; NULL for another name. */
const char *gnp_module_symbol(const GnpModule *module, const char *name);
/* The i-th name expression and its symbol; 0 behind the last. */
int gnp_module_name(const GnpModule *module, int i, const char **name, const char **symbol);
CUmodule gnp_module_handle(const GnpModule *module);
/* The compiler's output, warnings; "" when there was none or the result came from the disk. */
const char *gnp_module_log(const GnpModule *module);

/* ---- launches -------------------------------------------------------------------------------- */

/* Before a launch with more than 48 KiB of dynamic shared memory: asks the driver for as many
 * bytes, unless that was done before. 0 or -1. */
int gnp_kernel_allow_shared(GnpKernel *kernel, int bytes);
/* One launch on `stream`; args as cuLaunchKernel takes them. Traces, counts and synchronises as the
 * environment says. 0 or -1. Allocates nothing. */
int gnp_launch(const GnpKernel *kernel, const unsigned grid[3], const unsigned block[3],
               unsigned shared_bytes, CUstream stream, void **args);
/* The same for blocks that may wait for each other (cooperative), or in clusters. */
typedef struct {
    const GnpKernel *kernel;
    const unsigned *grid, *block; /* three numbers each */
    unsigned shared_bytes;
    CUstream stream;
    void **args;
    int cooperative;
    const unsigned *cluster; /* all 0: none; NULL: nothing of this is asked for, as in gnp_launch */
} GnpLaunch;
int gnp_launch_special(const GnpLaunch *launch);

/* ---- what module.c needs --------------------------------------------------------------------- */

/* Adds the runtime's types and functions (Device, Stream, Event, MemoryPool, runtime.*...) to the
 * extension module; gpunp/cuda re-exports them. */
int gnp_rt_init(PyObject *module);

#endif

/* Private header of rt/. */
#ifndef GNP_RT_INTERNAL_H
#define GNP_RT_INTERNAL_H

#include "rt/rt.h"

#define GNP_MAX_DEVICES 32

/* ---- threads --------------------------------------------------------------------------------- */

/* State of a thread. `device` is NULL until the thread first needs one. A stream of 0 means the
 * default stream: the legacy one, or the per-thread one when the environment selects that. */
typedef struct {
    GnpDevice *device;
    int device_id;
    int depth;                      /* of `with Device(n):` */
    unsigned char entered_from[64]; /* the device before each of them */
    CUstream streams[GNP_MAX_DEVICES];
    const char *last_kernel; /* launched by this thread, for messages */
    int in_host_function;    /* a stream calls Python here */
    uint64_t serial;         /* identifies the thread, and is never reused; 0 until needed */
    PyObject *allocator;     /* owned: set by using_allocator, or NULL */
    int hooks;               /* memory hooks this thread has entered */
    unsigned guests;         /* bit per device whose memory the next launches use as well */
    const GnpAhead *ahead;   /* of the operation that the thread is in, or NULL */
    int is_asking;           /* that is being called */
} GnpThread;

extern _Thread_local GnpThread gnp_thread;
extern CUstream gnp_default_stream; /* 0 or CU_STREAM_PER_THREAD */
extern int gnp_forked;              /* this process is a fork of one that had opened the driver */

/* The device if its context exists already, else NULL; no exception. */
GNP_BORROW GnpDevice *gnp_device_if_open(int id);
/* The same device's context made current for the next calls; -1 with an exception. */
int gnp_device_enter(GnpDevice *device);
/* `id` < 0 means the current device. */
GNP_BORROW GnpDevice *gnp_device_for(int id);

/* ---- errors ---------------------------------------------------------------------------------- */

int gnp_error_init(PyObject *module);
/* Whether the code is what a kernel's failure leaves behind. */
int gnp_error_is_of_kernel(CUresult code);
/* A kernel's failure was raised: it is not reported again at exit. */
extern int gnp_error_told;
/* Registers the check for unreported failures at the end of the interpreter (exit.c). */
void gnp_exit_watch(void);
/* CUDADriverError with this text and status. Returns -1. */
int gnp_error_raise_text(CUresult status, const char *name, const char *text);
/* The same as gnp_cuda_raise with cudart's name of the code, for cp.cuda.runtime. */
int gnp_runtime_raise(CUresult code, const char *call);

/* ---- waiting --------------------------------------------------------------------------------- */

int gnp_wait_init(PyObject *module);
/* DeviceSynchronized, and -1, where this thread must not wait (gpunp.allow_synchronize). */
int gnp_wait_check(void);

/* Waits until the work of a stream, or up to an event, is done. The GIL is released; Ctrl-C ends
 * the wait within 50 ms. 0, or -1 with the device's error or KeyboardInterrupt. */
int gnp_wait_stream(CUstream stream, const char *function);
int gnp_wait_event(CUevent event, const char *function);
int gnp_wait_device(GnpDevice *device);
/* Before a driver call that waits for the device and cannot be interrupted: waits for the streams
 * of the device, checking for signals. -1 only with a signal handler's exception; errors of the
 * device are left to the call. */
int gnp_wait_before(GnpDevice *device);
/* The parts of a wait, for queue.c and exit.c: the time in ns, and polling without the GIL until
 * the event (or, when that is NULL, the stream) is done or a slice of time is over. */
int64_t gnp_wait_clock(void);
CUresult gnp_wait_slice(int device_id, CUstream stream, CUevent event, int64_t begin);
/* Adds to a pending KeyboardInterrupt that the work continues; and whether a wait was interrupted
 * and none has completed since. */
void gnp_wait_interrupted(void);
int gnp_wait_was_left(void);
/* The same for callers that cannot raise and must not be interrupted; errors are logged. */
void gnp_wait_quietly(const GnpDevice *device, CUstream stream);
/* cuCtxSynchronize without the GIL; the device's context is current. 1 when a capture is in
 * progress, which that would break: then nothing is done. */
int gnp_wait_context(const GnpDevice *device, CUresult *code);

/* ---- streams and events ---------------------------------------------------------------------- */

/* Around a Python function that a thread of the driver's calls: the GIL, and no collection of
 * garbage, which could call CUDA. */
PyGILState_STATE gnp_host_function_begin(void);
void gnp_host_function_end(PyGILState_STATE state);
/* Drops the references to functions that were called, and to their arguments. */
void gnp_host_functions_clear(void);
/* Before n functions are put into a stream: waits while a call waits for the context. And after
 * they have ended, or could not be queued. With the GIL. */
void gnp_host_functions_queued(int n);
void gnp_host_functions_ended(int n);
int gnp_stream_init(PyObject *module);
int gnp_event_init(PyObject *module);
int gnp_device_init(PyObject *module);
int gnp_event_from_object(PyObject *object, CUevent *out);
/* Stores whether the event (one of ours) was recorded in a captured stream: the host cannot wait
 * for it then. */
void gnp_event_recorded(PyObject *object, CUstream stream);
/* The object of the thread's current stream on a device; NULL with an exception. */
GNP_BORROW PyObject *gnp_stream_current_object(int device_id);
PyObject *gnp_event_new(const GnpDevice *device); /* with timing; the device is current */
/* The first of our live streams of the device that is not done (new reference), or NULL. */
PyObject *gnp_stream_next_busy(int device_id, CUstream *out);

/* ---- captures and graphs (graph_capture.c, graph.c) ------------------------------------------ */

/* A stream that gnp_capture_begin opened leads to a graph object; NULL with an exception. `object`
 * is kept during the capture; it is NULL for a stream whose deallocation calls gnp_capture_abandon,
 * so that the stream can be dropped, which ends its capture. Streams that join by waiting for an
 * event are added by gnp_capture_join. A brief capture is one of the package's own: it ends without
 * the program's doing, so that other threads which have to wait for the device wait for its end,
 * where they would raise an exception otherwise. */
int gnp_capture_begin(GnpDevice *device, CUstream stream, PyObject *object, int mode, int is_brief);
GnpCapture *gnp_capture_end(CUstream stream);
/* The stream is about to be destroyed: a capture that began in it ends, and what it recorded is
 * dropped. 1 when there was one. */
int gnp_capture_abandon(CUstream stream);
/* The same for a capture that this thread began, and nothing for others. */
int gnp_capture_abandon_own(CUstream stream);
int gnp_capture_join(GnpDevice *device, CUstream stream, PyObject *object);
/* The block lives as long as the graph. */
void gnp_capture_hold(GnpCapture *capture, GnpBlock *block);
/* A copy of host memory becomes part of the graph: it copies the present contents of `bytes`. */
int gnp_capture_upload(GnpCapture *capture, CUdeviceptr dst, const void *src, size_t bytes,
                       CUstream stream);
/* (callable, arguments), called at each replay. */
int gnp_capture_host_call(GnpCapture *capture, CUstream stream, PyObject *pair);
/* Raises when waiting for the whole device would break a capture; waits for the end of brief ones
 * of other threads, without the GIL. */
int gnp_capture_check_device(const GnpDevice *device);
/* Between these two no capture begins or ends. For calls that would break one and are made without
 * the GIL, when the result of gnp_capture_check, which needs it, may be outdated. -1 when the
 * stream is being captured, or is a legacy one that synchronises with such a stream; then the call
 * must not be made, nor gnp_capture_admit. NULL is the device's legacy stream, GNP_ANY_STREAM all
 * streams. */
#define GNP_ANY_STREAM ((CUstream)(intptr_t)-1)
int gnp_capture_exclude(int device_id, CUstream stream);
void gnp_capture_admit(void);
/* Calls that may synchronise are allowed in a thread that captures between these two. */
CUstreamCaptureMode gnp_capture_relax(void);
void gnp_capture_restore(CUstreamCaptureMode mode);

/* The result of a capture: the graph and what its replays use. Shared by graph objects; `graph_*`
 * functions are the only users. */
GnpCapture *gnp_capture_retain(GnpCapture *capture);
void gnp_capture_release(GnpCapture *capture);
CUgraph gnp_capture_graph(const GnpCapture *capture);
GnpTurn *gnp_capture_turn(GnpCapture *capture); /* for calls of the driver with the graph */
GnpDevice *gnp_capture_device(const GnpCapture *capture);
/* A list of (callable, arguments), or NULL when there are none. */
/* How many Python functions a launch of the graph calls. */
int gnp_capture_count_functions(const GnpCapture *capture);
GNP_BORROW PyObject *gnp_capture_host_calls(const GnpCapture *capture);
/* Whether the graph and its children ran in `stream` last, so that there is nothing to be noted. */
int gnp_capture_ran_last_in(const GnpCapture *capture, CUstream stream);
/* The graph runs in `stream`, whose object is kept when there is one. */
int gnp_capture_runs_in(GnpCapture *capture, CUstream stream, PyObject *object);

/* The graph of `child` becomes a node of the capture that the stream is in, where the driver
 * rejects launches. */
int gnp_capture_include(CUstream stream, GnpCapture *child);

PyObject *gnp_graph_new(GNP_STEAL GnpCapture *capture);
int gnp_graph_init(PyObject *module);

/* ---- memory ---------------------------------------------------------------------------------- */

/* A pool of one device; segments come from the driver, or from `allocator` when that is not NULL.
 * No Python API; NULL when out of host memory. */
GnpPool *gnp_pool_new(GnpDevice *device);
void gnp_pool_set_allocator(GnpPool *pool, PyObject *allocator);
/* The owner drops the pool; it is deleted with its last block. */
void gnp_pool_drop(GnpPool *pool);
/* Retries when out of memory, see refill(). `bytes` > 0; the device is current. */
GnpBlock *gnp_pool_alloc(GnpPool *pool, size_t bytes, CUstream stream);
void gnp_pool_free(GnpBlock *block);
/* Frees unused segments: of all streams, or of one when `only` is set. */
void gnp_pool_trim(GnpPool *pool, int only, CUstream stream);
/* `stream` is about to be destroyed: replaces it everywhere. Its device has to be current. */
void gnp_pool_forget_stream(GnpDevice *device, CUstream stream);
size_t gnp_pool_rounded(size_t bytes);

typedef struct {
    size_t used_bytes, total_bytes, limit_bytes;
    size_t free_blocks;
    size_t peak_bytes; /* of used_bytes */
} GnpPoolStats;
void gnp_pool_stats(const GnpPool *pool, GnpPoolStats *out);
void gnp_pool_set_limit(GnpPool *pool, size_t bytes);

/* `stream` is captured from now on: its arenas are replaced by arenas of the capture. */
void gnp_pool_capture_begin(const GnpDevice *device, CUstream stream);
/* The capture has ended: its arenas are kept for the graph. */
void gnp_pool_capture_end(const GnpDevice *device, CUstream stream, const GnpCapture *capture);
/* The graph was destroyed; if it has run, the last time was in `stream`. Its device is current. */
void gnp_pool_capture_drop(const GnpCapture *capture, int has_run, CUstream stream);
/* No capture is in progress any more: frees what had to wait for that. */
void gnp_pool_captures_over(void);
/* Identifies the calling thread; never reused. */
uint64_t gnp_thread_serial(void);

/* Calls memory hooks around driver allocations; nothing when the thread has none. -1 on error. */
int gnp_memory_hook(const char *when, int device_id, size_t bytes, size_t rounded, CUdeviceptr ptr,
                    const void *block);
int gnp_memory_init(PyObject *module);
int gnp_pinned_init(PyObject *module);
int gnp_transfer_init(PyObject *module);
int gnp_peer_init(PyObject *module);
/* Access of a device, which is open, to all memory of another one: 1, 0 without a path, -1. */
int gnp_peer_enable(const GnpDevice *device, const GnpDevice *other);
/* cudart's functions for the current device; the driver's code. */
CUresult gnp_peer_ask(const GnpDevice *device, const GnpDevice *other);
CUresult gnp_peer_give_up(const GnpDevice *device, const GnpDevice *other);
/* Around a launch while the thread has guests: order with the other devices' streams. */
int gnp_peer_before_launch(int device_id, CUstream stream);
int gnp_peer_after_launch(int device_id, CUstream stream);
int gnp_runtime_init(PyObject *module);

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct {
    char *data; /* malloc */
    size_t bytes;
} GnpBytes;

/* One compilation (compile.c): no Python API, any thread. */
typedef struct {
    int cc;          /* 90 */
    int is_emulated; /* then PTX, else a cubin */
    const char *source, *file_name;
    const char *extra_name, *extra_text; /* one more header, or NULL */
    const char *const *options;
    int noptions;
    const char *const *names; /* name expressions, for user source */
    int nnames;
    int may_be_stored;               /* on disk: everything it includes is part of the key */
    int without_packs;               /* the driver refused what a pack had */
    const char *shown_title, *shown; /* what an error shows instead of the source, or NULL */
} GnpCompileRequest;

typedef struct {
    GnpBytes image; /* cubin, or PTX with its NUL */
    char **lowered; /* nnames of them, malloc */
    int nnames;
    GnpText error;     /* when it failed: log and source, for the message */
    GnpText log;       /* when it did not: warnings */
    int is_user_error; /* an error in the source rather than in the installation */
    int was_stored;    /* it came from the disk */
    int was_packed;    /* namely from a kernel pack */
    double seconds; /* duration, where the next run of the program will find the result on disk */
} GnpCompiled;

/* What an image is compiled with, and for. */
typedef struct {
    int major, minor; /* of NVRTC */
    int arch;         /* 90 */
    int makes_cubin;  /* else PTX */
} GnpTarget;

int gnp_compile(const GnpCompileRequest *request, GnpCompiled *out);
/* Waits for threads that compile, a few seconds at most. */
void gnp_compile_wait(void);
/* The key under which the result is stored. `key->failed` is set without memory. */
void gnp_compile_key(const GnpTarget *target, const GnpCompileRequest *request, GnpText *key);
/* Version of gpunp and of its headers, as text: what all keys have in common. */
void gnp_compile_origin(GnpText *out);
/* For packs: compiles for the target, whose version of NVRTC is filled in; `stored` is what the
 * cache keeps under `key`. The request's device counts by is_emulated only. */
int gnp_compile_for(GnpTarget *target, const GnpCompileRequest *request, GnpText *key,
                    GnpText *stored, GnpCompiled *out);
/* The options of our own kernels. */
enum { GNP_KERNEL_OPTIONS = 3 };
extern const char *const gnp_kernel_options[GNP_KERNEL_OPTIONS];
/* Options that put the toolkit's headers on the search path (toolkit.c): their number, 0 where
 * there is no toolkit. They live as long as the process. Call with the GIL. */
int gnp_toolkit_includes(const char *const **options);
void gnp_compiled_clear(GnpCompiled *compiled);
/* The system's clock for durations. Any thread. */
double gnp_seconds(void);
/* After a successful compilation, with the GIL (notice.c): shows a notice at a terminal, once, when
 * compiling takes long, and warns, once, when the disk cache cannot be trusted. 0 or -1. */
int gnp_compile_told(const GnpCompiled *compiled);
/* Text of the embedded file of that name, or of the same file below GPUNP_KERNELS; NULL when there
 * is none. */
const char *gnp_source_text(const char *name);

/* Whether a file may be included by that name because it is one of ours. */
int gnp_is_own_header(const char *name);

/* What a source includes (module.c): our own headers at most, <angled> ones of the toolkit, or
 * unknown files, because the user gives search paths or "quoted" names. */
typedef enum { GNP_INCLUDES_OURS, GNP_INCLUDES_TOOLKIT, GNP_INCLUDES_UNKNOWN } GnpIncludes;
GnpIncludes gnp_includes_of(const char *source, const char *const *options, int noptions);
/* An option as it is passed on where C++17 is needed, as by our headers and the toolkit's of CUDA
 * 13: an older -std= becomes that, which programs ask for that were written for CUDA 11 (module.c).
 */
const char *gnp_current_dialect(const char *option);
/* Whether the options say already that what has no `__device__` is the device's: CuPy compiles so,
 * and so does user code here; twice it would be an error. */
int gnp_names_default_space(const char *const *options, int n);

/* module.c. These raise what a compilation or the driver's loader said; -1. */
int gnp_raise_compile_error(const GnpCompiled *compiled, const GnpCompileRequest *request);
int gnp_raise_load_error(CUresult code, const char *log, const char *name);
/* Loads an image; the driver's log in `log` when it refuses. Without the GIL. */
CUresult gnp_load_image(const GnpBytes *image, CUmodule *module, char *log, size_t capacity);

int gnp_kernel_init(PyObject *module);
int gnp_launch_init(PyObject *module);
/* Launches read these settings once; this makes them read GPUNP_DEBUG and the trace again. */
void gnp_launch_settings(void);
/* The same for a graph, in which `nfunctions` Python functions are called: traces and waits as the
 * environment says. 0 or -1. */
int gnp_launch_graph(CUgraphExec exec, int nfunctions, CUstream stream);

/* ---- traces (trace.c) ------------------------------------------------------------------------ */

extern int gnp_tracing; /* a trace is being recorded */

/* Work of a stream: begin and end are called around its submission. `detail` is the inside of a
 * JSON object, or NULL. */
typedef struct {
    CUstream stream;
    CUevent event;
    double begin;
} GnpTraceMark;

void gnp_trace_begin(GnpTraceMark *mark, CUstream stream);
void gnp_trace_end(GnpTraceMark *mark, const char *name, const char *detail);
/* A slice of the thread: from what gnp_trace_clock said till now. */
double gnp_trace_clock(void);
void gnp_trace_slice(const char *name, double begin);
int gnp_trace_init(PyObject *module);

/* The disk cache (cache.c): no Python API, any thread.
 *
 * The payload stored under `key`, or -1 when there is none that can be trusted. */
int gnp_cache_load(const void *key, size_t key_bytes, GnpBytes *out);
void gnp_cache_store(const void *key, size_t key_bytes, const void *payload, size_t bytes);
/* A message, once, when the directory cannot be trusted; else NULL. */
const char *gnp_cache_take_warning(void);
/* Directory (empty: memory only), entries, bytes; and removal of all entries (count, or -1). */
void gnp_cache_describe(char *dir, size_t capacity, int64_t *entries, int64_t *bytes);
int64_t gnp_cache_clear(void);
/* 1 when no process has stored a kernel yet, or none can be. */
int gnp_cache_is_empty(void);

/* ---- kernel packs (pack.c) ------------------------------------------------------------------- */

enum { GNP_PACK_HASHES = 2 };
/* What identifies a key in a pack. */
void gnp_pack_hash(const void *key, size_t bytes, uint64_t hash[GNP_PACK_HASHES]);
/* What the cache would hold for the request, or -1 when no pack has it. Any thread. */
int gnp_pack_load(const GnpCompileRequest *request, GnpBytes *out);
/* Whether a pack has kernels for the GPU. */
int gnp_pack_has(int cc);
/* Warns, once, of a pack that cannot be used: 0 or -1. With the GIL. */
int gnp_pack_warn(void);
int gnp_pack_init(PyObject *module);
int gnp_pack_make_init(PyObject *module);
/* Unpacks a raw LZMA stream whose result has exactly `out_bytes`; -1 for any other (lzma.c). */
int gnp_lzma(const void *in, size_t bytes, void *out, size_t out_bytes);
/* The same in steps: `out` and `in` stay the caller's, who frees what is returned (malloc). -1
 * where the first `wanted` bytes cannot be had. */
typedef struct GnpLzma GnpLzma;
GnpLzma *gnp_lzma_new(const void *in, size_t bytes, void *out, size_t out_bytes);
int gnp_lzma_until(GnpLzma *lzma, size_t wanted);

/* Ends the workers when they have finished what they are at. Without the GIL. */
void gnp_workers_close(void);
/* Opens NVRTC in the background, once per process (prewarm.c), for a GPU of that architecture. */
void gnp_prewarm(int cc);
/* Until that thread has ended, before NVRTC is unloaded. Called without the GIL. */
void gnp_prewarm_wait(void);

#endif

/* What the files of this room share and nobody else sees. */
#ifndef GNP_RT_INTERNAL_H
#define GNP_RT_INTERNAL_H

#include "rt/rt.h"

#define GNP_MAX_DEVICES 32

/* ---- threads --------------------------------------------------------------------------------- */

/* What a thread works with. `device` is NULL until the thread first needs one. A stream of 0 means
 * the default stream: the legacy one, or the per-thread one when the environment asks for that. */
typedef struct {
    GnpDevice *device;
    int device_id;
    int depth;                      /* of `with Device(n):` */
    unsigned char entered_from[64]; /* the device before each of them */
    CUstream streams[GNP_MAX_DEVICES];
    const char *last_kernel; /* launched by this thread, for messages */
    int in_host_function;    /* a stream calls Python here */
    uint64_t serial;         /* names the thread, and is never used twice; 0 until needed */
    PyObject *allocator;     /* owned: set by using_allocator, or NULL */
    int hooks;               /* memory hooks this thread has entered */
} GnpThread;

extern _Thread_local GnpThread gnp_thread;
extern CUstream gnp_default_stream; /* 0 or CU_STREAM_PER_THREAD */
extern int gnp_forked;              /* this process is a fork of one that had opened the driver */

/* 1 when Python is going away (or this is a forked child): frees then skip the driver. */
int gnp_is_closing(void);

/* The device if its context is there already, else NULL; no exception. */
GNP_BORROW GnpDevice *gnp_device_if_open(int id);
/* The same device's context made current for the next calls; -1 with an exception. */
int gnp_device_enter(GnpDevice *device);
/* `id` < 0 means the current device. */
GNP_BORROW GnpDevice *gnp_device_for(int id);

/* ---- errors ---------------------------------------------------------------------------------- */

int gnp_error_init(PyObject *module);
/* Whether the code is what a kernel's failure leaves behind. */
int gnp_error_is_of_kernel(CUresult code);
/* An exception has told of a kernel's failure: nobody need hear of it at exit. */
extern int gnp_error_told;
/* Calls what looks for unheard failures when the interpreter ends (exit.c). */
void gnp_exit_watch(void);
/* CUDADriverError with this text and status. Returns -1. */
int gnp_error_raise_text(CUresult status, const char *name, const char *text);
/* The same as gnp_cuda_raise with cudart's name of the code, for cp.cuda.runtime. */
int gnp_runtime_raise(CUresult code, const char *call);

/* ---- waiting --------------------------------------------------------------------------------- */

int gnp_wait_init(PyObject *module);
/* DeviceSynchronized, and -1, where this thread must not wait (gpunp.allow_synchronize). */
int gnp_wait_check(void);

/* Until the work of a stream or up to an event is done. The GIL is released; Ctrl-C leaves within
 * 50 ms. 0, or -1 with the device's error or KeyboardInterrupt. */
int gnp_wait_stream(CUstream stream, const char *function);
int gnp_wait_event(CUevent event, const char *function);
int gnp_wait_device(GnpDevice *device);
/* Before a driver call that waits for the device where Ctrl-C cannot reach: waits for the streams
 * of the device, looking for signals. -1 only for what a signal's handler raised; errors of the
 * device are left to the call. */
int gnp_wait_before(GnpDevice *device);
/* The parts of a wait, for queue.c and exit.c: the time in ns, and polling without the GIL until
 * the event (or, when that is NULL, the stream) is done or a slice of time is over. */
int64_t gnp_wait_clock(void);
CUresult gnp_wait_slice(int device_id, CUstream stream, CUevent event, int64_t begin);
/* What a pending KeyboardInterrupt has to say about the work that goes on; and whether a wait was
 * left so and none has come to its end since. */
void gnp_wait_interrupted(void);
int gnp_wait_was_left(void);
/* The same for who cannot raise and is not to be interrupted; errors are logged. */
void gnp_wait_quietly(const GnpDevice *device, CUstream stream);
/* cuCtxSynchronize without the GIL; the device's context is current. 1 when a capture is in
 * progress, which that would break: then nothing is done. */
int gnp_wait_context(const GnpDevice *device, CUresult *code);

/* ---- streams and events ---------------------------------------------------------------------- */

/* Around a Python function that a thread of the driver's calls: the GIL, and no collection of
 * garbage, which could call CUDA. */
PyGILState_STATE gnp_host_function_begin(void);
void gnp_host_function_end(PyGILState_STATE state);
/* Lets go of the functions that were called, and their arguments. */
void gnp_host_functions_clear(void);
/* n functions are about to be put into a stream: waits while a call waits for the context. They
 * have ended, or were not taken. With the GIL. */
void gnp_host_functions_queued(int n);
void gnp_host_functions_ended(int n);
int gnp_stream_init(PyObject *module);
int gnp_event_init(PyObject *module);
int gnp_device_init(PyObject *module);
int gnp_event_from_object(PyObject *object, CUevent *out);
/* Notes whether the event was recorded in a stream that is captured, when it is one of ours: it
 * cannot be waited for on the host then. */
void gnp_event_recorded(PyObject *object, CUstream stream);
/* The object of the thread's current stream on a device; NULL with an exception. */
GNP_BORROW PyObject *gnp_stream_current_object(int device_id);
PyObject *gnp_event_new(void); /* with timing */
/* The first of our live streams of the device that is not done (new reference), or NULL. */
PyObject *gnp_stream_next_busy(int device_id, CUstream *out);

/* ---- captures and graphs (graph_capture.c, graph.c) ------------------------------------------ */

/* A stream that gnp_capture_begin opened leads to a graph object; NULL with an exception. `object`
 * is kept during the capture; it is NULL for a stream whose end gnp_capture_abandon is told, so
 * that a stream which is dropped ends its capture. Streams that join by waiting for an event are
 * told by gnp_capture_join. */
int gnp_capture_begin(GnpDevice *device, CUstream stream, PyObject *object, int mode);
GnpCapture *gnp_capture_end(CUstream stream);
/* The stream is about to go: a capture that began in it ends, and what it recorded is dropped. 1
 * when there was one. */
int gnp_capture_abandon(CUstream stream);
int gnp_capture_join(CUstream stream, PyObject *object);
/* The block lives as long as the graph. */
void gnp_capture_hold(GnpCapture *capture, GnpBlock *block);
/* A copy of host memory becomes part of the graph: it copies `bytes` as they are now. */
int gnp_capture_upload(GnpCapture *capture, CUdeviceptr dst, const void *src, size_t bytes,
                       CUstream stream);
/* (callable, arguments), called at each replay. */
int gnp_capture_host_call(GnpCapture *capture, CUstream stream, PyObject *pair);
/* Raises when waiting for the whole device would break a capture. */
int gnp_capture_check_device(const GnpDevice *device);
/* Between these two no capture begins or ends. For calls that would break one, made without the
 * GIL: what gnp_capture_check found with it may be over by then. -1 when the stream is being
 * captured, or is a legacy one that waits for such a stream; then the call is not to be made, and
 * nothing has to be admitted. NULL names the device's legacy stream, GNP_ANY_STREAM stands for all.
 */
#define GNP_ANY_STREAM ((CUstream)(intptr_t)-1)
int gnp_capture_exclude(int device_id, CUstream stream);
void gnp_capture_admit(void);
/* Calls that may synchronise are allowed in a thread that captures between these two. */
CUstreamCaptureMode gnp_capture_relax(void);
void gnp_capture_restore(CUstreamCaptureMode mode);

/* What a capture left: the graph and what its replays use. Shared by graph objects; `graph_*`
 * functions are the only users. */
GnpCapture *gnp_capture_retain(GnpCapture *capture);
void gnp_capture_release(GnpCapture *capture);
CUgraph gnp_capture_graph(const GnpCapture *capture);
GnpDevice *gnp_capture_device(const GnpCapture *capture);
/* A list of (callable, arguments), or NULL when there are none. */
/* How many Python functions a launch of the graph calls. */
int gnp_capture_count_functions(const GnpCapture *capture);
GNP_BORROW PyObject *gnp_capture_host_calls(const GnpCapture *capture);
/* The graph runs in `stream`, whose object is kept when there is one. */
int gnp_capture_runs_in(GnpCapture *capture, CUstream stream, PyObject *object);

/* The graph of `child` becomes a node of the capture in progress: the driver refuses launches. */
int gnp_capture_include(GnpCapture *capture, CUstream stream, GnpCapture *child);

PyObject *gnp_graph_new(GNP_STEAL GnpCapture *capture);
int gnp_graph_init(PyObject *module);

/* ---- memory ---------------------------------------------------------------------------------- */

/* A pool of one device; segments come from the driver, or from `allocator` when that is not NULL.
 * No Python API; NULL when out of host memory. */
GnpPool *gnp_pool_new(GnpDevice *device);
void gnp_pool_set_allocator(GnpPool *pool, PyObject *allocator);
/* Its maker is done with it; it goes when its last block does. */
void gnp_pool_drop(GnpPool *pool);
/* The OOM ladder included. `bytes` > 0; the device is current. */
GnpBlock *gnp_pool_alloc(GnpPool *pool, size_t bytes, CUstream stream);
void gnp_pool_free(GnpBlock *block);
/* Gives segments that nothing uses back: of all streams, or of one when `only` is set. */
void gnp_pool_trim(GnpPool *pool, int only, CUstream stream);
/* `stream` is about to be destroyed: nothing may name it any more. Needs its device current. */
void gnp_pool_forget_stream(GnpDevice *device, CUstream stream);
size_t gnp_pool_rounded(size_t bytes);

typedef struct {
    size_t used_bytes, total_bytes, limit_bytes;
    size_t free_blocks;
    size_t peak_bytes; /* of used_bytes */
} GnpPoolStats;
void gnp_pool_stats(const GnpPool *pool, GnpPoolStats *out);
void gnp_pool_set_limit(GnpPool *pool, size_t bytes);

/* `stream` is captured from now on: its arenas make room for such that belong to the capture. */
void gnp_pool_capture_begin(const GnpDevice *device, CUstream stream);
/* No more: the capture's arenas stay for its graph. */
void gnp_pool_capture_end(const GnpDevice *device, CUstream stream, const GnpCapture *capture);
/* The graph is gone; when it has run, the last time in `stream`. Its device is current. */
void gnp_pool_capture_drop(const GnpCapture *capture, int has_run, CUstream stream);
/* No capture is in progress any more: what waited for that goes on. */
void gnp_pool_captures_over(void);
/* Names the calling thread; never used twice. */
uint64_t gnp_thread_serial(void);

/* Calls memory hooks around driver allocations; nothing when the thread has none. -1 on error. */
int gnp_memory_hook(const char *when, int device_id, size_t bytes, size_t rounded, CUdeviceptr ptr,
                    const void *block);
int gnp_memory_init(PyObject *module);
int gnp_pinned_init(PyObject *module);
int gnp_transfer_init(PyObject *module);
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
    int may_be_stored;               /* on disk: all it includes is in the key */
    const char *shown_title, *shown; /* what an error shows instead of the source, or NULL */
} GnpCompileRequest;

typedef struct {
    GnpBytes image; /* cubin, or PTX with its NUL */
    char **lowered; /* nnames of them, malloc */
    int nnames;
    GnpText error;     /* when it failed: log and source, for people */
    GnpText log;       /* when it did not: warnings */
    int is_user_error; /* the source is wrong, rather than the installation */
    int was_stored;    /* it came from the disk */
    double seconds;    /* that compiling took, when another run will not take them again */
} GnpCompiled;

int gnp_compile(const GnpCompileRequest *request, GnpCompiled *out);
/* Options that put the toolkit's headers on the search path (toolkit.c): their number, 0 where
 * there is no toolkit. They live as long as the process. Call with the GIL. */
int gnp_toolkit_includes(const char *const **options);
void gnp_compiled_clear(GnpCompiled *compiled);
/* The system's clock for durations. Any thread. */
double gnp_seconds(void);
/* After a compilation that went well, with the GIL (notice.c): tells a person at a terminal, once,
 * when compiling takes long, and warns, once, when the disk cache cannot be trusted. 0 or -1. */
int gnp_compile_told(const GnpCompiled *compiled);
/* Text of an embedded file, or of GPUNP_KERNELS/name; NULL when there is none. */
const char *gnp_source_text(const char *name);

/* What a source includes (module.c): our own headers at most, <angled> ones of the toolkit, or
 * files of which nothing is known here, because the user names folders or quotes. */
typedef enum { GNP_INCLUDES_OURS, GNP_INCLUDES_TOOLKIT, GNP_INCLUDES_UNKNOWN } GnpIncludes;
GnpIncludes gnp_includes_of(const char *source, const char *const *options, int noptions);

/* module.c. These raise what a compilation or the driver's loader said; -1. */
int gnp_raise_compile_error(const GnpCompiled *compiled);
int gnp_raise_load_error(CUresult code, const char *log, const char *name);
/* Loads an image; the driver's log in `log` when it refuses. Without the GIL. */
CUresult gnp_load_image(const GnpBytes *image, CUmodule *module, char *log, size_t capacity);

int gnp_kernel_init(PyObject *module);
int gnp_launch_init(PyObject *module);
/* Tells launches that what they look at has changed: GPUNP_DEBUG, a trace. */
void gnp_launch_settings(void);
/* The same for a graph: traces and waits as the environment asks. 0 or -1. */
int gnp_launch_graph(CUgraphExec exec, CUstream stream);

/* ---- traces (trace.c) ------------------------------------------------------------------------ */

extern int gnp_tracing; /* a trace is being recorded */

/* Work of a stream: begin and end stand around its submission. `detail` is the inside of a JSON
 * object, or NULL. */
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
/* A sentence when the directory cannot be trusted and nobody was told yet; else NULL. */
const char *gnp_cache_take_warning(void);
/* Directory (empty: memory only), entries, bytes; and removal of all entries (count, or -1). */
void gnp_cache_describe(char *dir, size_t capacity, int64_t *entries, int64_t *bytes);
int64_t gnp_cache_clear(void);
/* 1 when no process has stored a kernel yet, or none can be. */
int gnp_cache_is_empty(void);

/* Opens NVRTC in the background, once per process (prewarm.c). */
void gnp_prewarm(void);

#endif

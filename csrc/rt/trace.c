/* GPUNP_TRACE: a timeline of the program, as JSON for Perfetto and Chrome.
 *
 * A launch becomes a slice of the calling thread and one of its stream, the latter from a pair of
 * events around the work. Waits, copies, compilations and the ranges of gpunp.cuda.nvtx are slices
 * of the thread; so are the lines of the program that launched something. Records are kept in
 * memory; events are read when there are many and at the end. Guarded by the GIL.
 *
 * The device's clock is synchronised with the host's by one event per device, waited for when its
 * records begin, so device slices may be off by some microseconds. Captured work has no slices of
 * its own; the graph's launch has. */
#include "rt/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PENDING_LIMIT 2048 /* launches whose events have not been read */

int gnp_tracing = 0;

typedef struct {
    char *name;             /* owned */
    char *detail;           /* owned: the inside of "args", or NULL */
    char kind;              /* 'h' of a thread, 'd' of a stream, 'i' a moment */
    double begin, duration; /* microseconds since the start */
    long row;               /* the thread's id, or the number of the stream's row */
} Record;

typedef struct {
    CUevent begin, end;
    int device_id;
    size_t record; /* begin and duration follow from the events */
} Pending;

typedef struct {
    char *name; /* owned */
    double begin;
    long thread;
} Range;

typedef struct {
    CUstream stream;
    int device_id;
} Row;

static struct {
    char *path;
    double start;
    Record *records;
    size_t nrecords, capacity;
    Pending *pending;
    size_t npending, pending_capacity;
    Range *ranges;
    size_t nranges, ranges_capacity;
    Row *rows;
    size_t nrows, rows_capacity;
    CUevent base[GNP_MAX_DEVICES]; /* recorded at base_time, or NULL */
    double base_time[GNP_MAX_DEVICES];
    /* The program's line that launched last; a slice per run of launches of one line. */
    char *line; /* owned */
    double line_begin, line_end;
    long line_thread;
    int is_ending; /* it is being written */
} trace;

/* Host times are microseconds, the unit of the file format; CLOCK_MONOTONIC never jumps. */
static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* The system's number, which profilers and debuggers show too. */
static long
thread_id(void)
{
    return (long)syscall(SYS_gettid);
}

/* Reserves one more item; 0 without memory, and the item is left out of the trace. A trace with
 * missing items is better than a program that fails because it is traced. */
static int
make_room(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return 1;
    }
    size_t wanted = *capacity != 0 ? *capacity * 2 : 256;
    void *grown = realloc(*items, wanted * size);
    if (grown == NULL) {
        return 0;
    }
    *items = grown;
    *capacity = wanted;
    return 1;
}

#define RESERVE(items, count, capacity)                                                            \
    make_room((void **)&trace.items, trace.count, &trace.capacity, sizeof *trace.items)

/* Takes `detail` in any case. The name is copied: kernels' names live long, those of ranges do
 * not. */
static size_t
add_record(char kind, const char *name, char *detail, double begin, double end, long row)
{
    char *copy = strdup(name);
    if (copy == NULL || !RESERVE(records, nrecords, capacity)) {
        free(copy);
        free(detail);
        return SIZE_MAX;
    }
    trace.records[trace.nrecords] =
        (Record){copy, detail, kind, begin - trace.start, end - begin, row};
    return trace.nrecords++;
}

/* ---- the device's clock ---------------------------------------------------------------------- */

/* Two events around each launch make submitting slower; the time on the device hardly changes. */
static CUevent
new_event(CUstream stream)
{
    CUevent event = NULL;
    if (gnp_cu->cuEventCreate(&event, CU_EVENT_DEFAULT) != 0) {
        return NULL;
    }
    CUresult code;
    CU_QUEUE(code, cuEventRecord(event, stream));
    if (code != 0) {
        CU_DROP(cuEventDestroy_v2(event));
        return NULL;
    }
    return event;
}

/* Synchronises the clock of a device with the host's, when it is first traced. Offsets from this
 * event are the device's time. float milliseconds from cuEventElapsedTime have 24 bits: after a
 * quarter of an hour the resolution is about 60 us. */
static int
has_base(int device_id, CUstream stream)
{
    if (trace.base[device_id] == NULL) {
        CUevent event = new_event(stream);
        CUresult code = CUDA_ERROR_INVALID_HANDLE;
        if (event != NULL) {
            CU_WAIT(code, cuEventSynchronize(event));
        }
        if (code != 0 || trace.base[device_id] != NULL) { /* another thread was first */
            if (event != NULL) {
                CU_DROP(cuEventDestroy_v2(event));
            }
            return trace.base[device_id] != NULL;
        }
        /* The second recording, in an idle stream, is reached at once: the host's clock is read
         * right after it. */
        CU_DROP_QUEUE(cuEventRecord(event, stream)); /* the stream is idle now */
        CU_DROP_WAIT(cuEventSynchronize(event));
        const double reached = now();
        if (trace.base[device_id] != NULL) { /* again */
            CU_DROP(cuEventDestroy_v2(event));
            return 1;
        }
        trace.base[device_id] = event;
        trace.base_time[device_id] = reached;
    }
    return 1;
}

/* The list is detached first: other threads may add to it, and call this function, while this one
 * waits. */
static void
read_events(void)
{
    Pending *list = trace.pending; /* owned */
    const size_t count = trace.npending;
    trace.pending = NULL;
    trace.npending = trace.pending_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        const Pending *p = &list[i];
        float begin = 0, length = 0;
        CUresult code = 0;
        CU_WAIT(code, cuEventSynchronize(p->end));
        if (code == 0 && trace.base[p->device_id] != NULL && p->record < trace.nrecords &&
            gnp_cu->cuEventElapsedTime(&begin, trace.base[p->device_id], p->begin) == 0 &&
            gnp_cu->cuEventElapsedTime(&length, p->begin, p->end) == 0) {
            Record *record = &trace.records[p->record];
            /* `records` may have grown, and so moved, during the wait: it is indexed anew each
             * time. */
            record->begin = trace.base_time[p->device_id] - trace.start + (double)begin * 1e3;
            record->duration = (double)length * 1e3;
        }
        CU_DROP(cuEventDestroy_v2(p->begin));
        CU_DROP(cuEventDestroy_v2(p->end));
    }
    free(list);
}

/* A stream that was destroyed and another one with the same handle share a row. */
static long
row_of(int device_id, CUstream stream)
{
    for (size_t i = 0; i < trace.nrows; i++) {
        if (trace.rows[i].stream == stream && trace.rows[i].device_id == device_id) {
            return (long)i;
        }
    }
    if (!RESERVE(rows, nrows, rows_capacity)) {
        return 0;
    }
    trace.rows[trace.nrows] = (Row){stream, device_id};
    return (long)trace.nrows++;
}

/* ---- lines of the program -------------------------------------------------------------------- */

static void
end_line(void)
{
    if (trace.line != NULL) {
        (void)add_record('h', trace.line, NULL, trace.line_begin, trace.line_end,
                         trace.line_thread);
        free(trace.line);
        trace.line = NULL;
    }
}

/* Whether a frame runs code of this package: by its module's name, since any path may hold "gpunp".
 */
static int
is_ours(PyFrameObject *frame)
{
    PyObject *globals = PyFrame_GetGlobals(frame);
    PyObject *module = PyDict_GetItemString(globals, "__name__"); /* borrowed */
    const char *name = module != NULL && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    int ours = name != NULL && (strcmp(name, "gpunp") == 0 || strncmp(name, "gpunp.", 6) == 0);
    Py_DECREF(globals);
    return ours;
}

/* "program.py:12 step", the innermost Python line that is not of this package; malloc, or NULL. */
static char *
current_line(void)
{
    PyFrameObject *frame = PyEval_GetFrame(), *owned = NULL;
    char text[256] = "";
    while (frame != NULL) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        const char *file = PyUnicode_AsUTF8(code->co_filename);
        const char *base = file != NULL ? strrchr(file, '/') : NULL;
        int ours = is_ours(frame);
        if (file != NULL && !ours) {
            const char *function = PyUnicode_AsUTF8(code->co_name);
            snprintf(text, sizeof text, "%s:%d %s", base != NULL ? base + 1 : file,
                     PyFrame_GetLineNumber(frame), function != NULL ? function : "");
        }
        Py_DECREF(code);
        PyFrameObject *back = ours ? PyFrame_GetBack(frame) : NULL;
        Py_XDECREF(owned);
        frame = owned = back;
    }
    PyErr_Clear();
    return text[0] != '\0' ? strdup(text) : NULL;
}

/* Consecutive launches of one line become one slice, whose end moves; a loop over one line is then
 * one slice, not thousands. */
static void
note_line(double begin, double end)
{
    char *line = current_line();
    if (line == NULL) {
        return;
    }
    long thread = thread_id();
    if (trace.line != NULL && trace.line_thread == thread && strcmp(trace.line, line) == 0) {
        trace.line_end = end;
        free(line);
        return;
    }
    end_line();
    trace.line = line;
    trace.line_begin = begin;
    trace.line_end = end;
    trace.line_thread = thread;
}

/* ---- records from other files ---------------------------------------------------------------- */

/* During captures no events are recorded, as they would become nodes of the graph. */
void
gnp_trace_begin(GnpTraceMark *mark, CUstream stream)
{
    *mark = (GnpTraceMark){.stream = stream};
    GnpDevice *device = gnp_device_current();
    if (device != NULL && gnp_captures == NULL && has_base(device->id, stream)) {
        mark->event = new_event(stream);
    }
    PyErr_Clear();
    mark->begin = now();
}

/* The trace may have ended between begin and end (the GIL was released): then the events are only
 * destroyed. */
void
gnp_trace_end(GnpTraceMark *mark, const char *name, const char *detail)
{
    double end = now();
    if (gnp_tracing) {
        (void)add_record('h', name, detail != NULL ? strdup(detail) : NULL, mark->begin, end,
                         thread_id());
        note_line(mark->begin, end);
    }
    if (mark->event == NULL) {
        return;
    }
    CUevent last = new_event(mark->stream);
    size_t record = SIZE_MAX;
    if (last != NULL && gnp_tracing && RESERVE(pending, npending, pending_capacity)) {
        record = add_record('d', name, NULL, mark->begin, mark->begin,
                            row_of(gnp_thread.device_id, mark->stream));
    }
    if (record == SIZE_MAX) {
        CU_DROP(cuEventDestroy_v2(mark->event));
        if (last != NULL) {
            CU_DROP(cuEventDestroy_v2(last));
        }
        return;
    }
    trace.pending[trace.npending++] = (Pending){mark->event, last, gnp_thread.device_id, record};
    if (trace.npending >= PENDING_LIMIT) {
        read_events();
    }
}

/* 0 stands for "no trace", so that a slice that began before the trace is left out. */
double
gnp_trace_clock(void)
{
    return gnp_tracing ? now() : 0;
}

void
gnp_trace_slice(const char *name, double begin)
{
    if (gnp_tracing && begin != 0) {
        double end = now();
        (void)add_record('h', name, NULL, begin, end, thread_id());
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Control characters cannot stand in a JSON string; UTF-8 can. */
static void
add_quoted(GnpText *text, const char *string)
{
    gnp_text_add_bytes(text, "\"", 1);
    for (const char *c = string; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            gnp_text_add(text, "\\%c", *c);
        }
        else if ((unsigned char)*c < 32) {
            gnp_text_add(text, "\\u%04x", (unsigned char)*c);
        }
        else {
            gnp_text_add_bytes(text, c, 1);
        }
    }
    gnp_text_add_bytes(text, "\"", 1);
}

/* Processes of the trace: 0 the program, 1 + n device n. */
static void
add_one(GnpText *text, const Record *r)
{
    int is_device = r->kind == 'd';
    gnp_text_add(text, ",\n{\"name\":");
    add_quoted(text, r->name);
    gnp_text_add(text, ",\"ph\":\"%s\",\"ts\":%.3f", r->kind == 'i' ? "i" : "X", r->begin);
    if (r->kind != 'i') {
        gnp_text_add(text, ",\"dur\":%.3f", r->duration);
    }
    gnp_text_add(text, ",\"pid\":%d,\"tid\":%ld", is_device ? 1 + trace.rows[r->row].device_id : 0,
                 r->row);
    if (r->detail != NULL) {
        gnp_text_add(text, ",\"args\":{%s}", r->detail);
    }
    gnp_text_add(text, "}");
}

static void
add_names(GnpText *text)
{
    gnp_text_add(text, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":"
                       "\"program\"}}");
    for (size_t i = 0; i < trace.nrows; i++) {
        const Row *row = &trace.rows[i];
        gnp_text_add(text,
                     ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":"
                     "\"device %d\"}}",
                     1 + row->device_id, row->device_id);
        gnp_text_add(text,
                     ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"args\":{"
                     "\"name\":\"stream %#zx\"}}",
                     1 + row->device_id, i, (size_t)(uintptr_t)row->stream);
    }
}

/* Written at the end in one piece, so a program that is killed leaves no half file. */
static int
write_file(void)
{
    GnpText text = {0};
    int status = 0;
    gnp_text_add(&text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    add_names(&text);
    for (size_t i = 0; i < trace.nrecords; i++) {
        add_one(&text, &trace.records[i]);
    }
    gnp_text_add(&text, "\n]}\n");
    if (gnp_text_finish(&text) < 0) {
        gnp_text_clear(&text);
        return -1;
    }
    FILE *file = fopen(trace.path, "w");
    if (file == NULL || fwrite(text.text, 1, text.used, file) != text.used) {
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, trace.path);
        status = -1;
    }
    if (file != NULL && fclose(file) != 0 && status == 0) {
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, trace.path);
        status = -1;
    }
    gnp_text_clear(&text);
    return status;
}

static void
clear(void)
{
    for (size_t i = 0; i < trace.nrecords; i++) {
        free(trace.records[i].name);
        free(trace.records[i].detail);
    }
    for (size_t i = 0; i < trace.nranges; i++) {
        free(trace.ranges[i].name);
    }
    for (int i = 0; i < GNP_MAX_DEVICES; i++) {
        if (trace.base[i] != NULL) {
            CU_DROP(cuEventDestroy_v2(trace.base[i]));
        }
    }
    free(trace.records);
    free(trace.pending);
    free(trace.ranges);
    free(trace.rows);
    free(trace.line);
    free(trace.path);
    memset(&trace, 0, sizeof trace);
}

/* ---- for Python ------------------------------------------------------------------------------ */

/* Setting the flag last: launches look at it first. */
static int
start(const char *path)
{
    if (gnp_tracing || trace.is_ending) {
        PyErr_SetString(PyExc_RuntimeError, "a trace is being recorded already");
        return -1;
    }
    trace.path = strdup(path);
    if (trace.path == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    trace.start = now();
    gnp_tracing = 1;
    gnp_launch_settings();
    return 0;
}

static PyObject *
trace_start(PyObject *Py_UNUSED(module), PyObject *path)
{
    PyObject *bytes = NULL; /* owned */
    if (PyUnicode_FSConverter(path, &bytes) == 0) {
        return NULL;
    }
    int status = start(PyBytes_AS_STRING(bytes));
    Py_DECREF(bytes);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* The flag is cleared first, so that nothing is added while events are read, for which the GIL is
 * released. Nor can another trace begin before this one is written. */
static PyObject *
trace_stop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (!gnp_tracing) {
        Py_RETURN_NONE;
    }
    gnp_tracing = 0;
    trace.is_ending = 1;
    gnp_launch_settings();
    end_line();
    read_events();
    int status = write_file();
    clear();
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* Ranges nest per thread, as in NVTX; the stack is shared, and each item has its thread. */
static PyObject *
trace_push(PyObject *Py_UNUSED(module), PyObject *name)
{
    if (gnp_tracing) {
        const char *text = PyUnicode_AsUTF8(name);
        char *copy = text != NULL ? strdup(text) : NULL;
        if (text == NULL) {
            return NULL;
        }
        if (copy != NULL && RESERVE(ranges, nranges, ranges_capacity)) {
            trace.ranges[trace.nranges++] = (Range){copy, now(), thread_id()};
        }
        else {
            free(copy);
        }
    }
    Py_RETURN_NONE;
}

/* The innermost range of this thread, which need not be the last of the list. Without one, nothing
 * happens, as in NVTX. */
static PyObject *
trace_pop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    long thread = gnp_tracing ? thread_id() : 0;
    for (size_t i = trace.nranges; gnp_tracing && i-- > 0;) {
        if (trace.ranges[i].thread == thread) {
            end_line();
            (void)add_record('h', trace.ranges[i].name, NULL, trace.ranges[i].begin, now(), thread);
            free(trace.ranges[i].name);
            memmove(&trace.ranges[i], &trace.ranges[i + 1],
                    (--trace.nranges - i) * sizeof *trace.ranges);
            break;
        }
    }
    Py_RETURN_NONE;
}

static PyObject *
trace_mark(PyObject *Py_UNUSED(module), PyObject *name)
{
    if (gnp_tracing) {
        const char *text = PyUnicode_AsUTF8(name);
        if (text == NULL) {
            return NULL;
        }
        double at = now();
        (void)add_record('i', text, NULL, at, at, thread_id());
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_trace_start", trace_start, METH_O, "Record what happens from now on, for a file."},
    {"_trace_stop", trace_stop, METH_NOARGS, "Write the file."},
    {"_trace_push", trace_push, METH_O, "Begin a named slice of this thread."},
    {"_trace_pop", trace_pop, METH_NOARGS, "End it."},
    {"_trace_mark", trace_mark, METH_O, "Note a moment."},
    {NULL, NULL, 0, NULL},
};

/* With GPUNP_TRACE the trace runs from here to the end of the program. */
static int
start_from_environment(PyObject *module)
{
    const char *path = gnp_env(GNP_ENV_TRACE);
    PyObject *atexit = NULL, *stop = NULL, *result = NULL; /* owned */
    int status = -1;
    if (path[0] == '\0') {
        return 0;
    }
    GNP_TRY(start(path));
    GNP_NEW(atexit, PyImport_ImportModule("atexit"));
    GNP_NEW(stop, PyObject_GetAttrString(module, "_trace_stop"));
    GNP_NEW(result, PyObject_CallMethod(atexit, "register", "O", stop));
    status = 0;
fail:
    Py_XDECREF(atexit);
    Py_XDECREF(stop);
    Py_XDECREF(result);
    return status;
}

int
gnp_trace_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0 ? -1 : start_from_environment(module);
}

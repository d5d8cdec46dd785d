/* Waiting for the device: poll, then sleep between polls, and check for Ctrl-C.
 *
 * The driver's own waiting functions cannot be interrupted by a signal, so they are not used.
 * For a GPU the thread polls without a pause for a millisecond, then gives the core to whoever
 * wants it between polls, which it makes more rarely as the wait grows, and from 20 ms on sleeps
 * for a part of the time waited so far, at most a millisecond. A sleep takes 50 us longer than it
 * should, on Linux: earlier ones made a wait of 3 ms end 0.2 ms late.
 *
 * All waits of the library for the device end up here, in wait_for() or gnp_wait_quietly(). The GIL
 * is released while polling; the caller keeps what it waits for alive.
 */
#include "rt/internal.h"

#include <sched.h>
#include <time.h>

/* Below the 50 ms within which Ctrl-C is promised to end a wait. */
#define SLICE_NS 40000000 /* between two checks for signals */
#define SPIN_NS 1000000   /* a GPU: its work ends without our cores */
#define YIELD_NS 20000000
/* The emulated device runs on the same cores: no spinning, and soon no polling. */
#define EMULATED_YIELD_NS 50000
#define LONGEST_NS 1000000

int64_t
gnp_wait_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static CUresult
query(CUstream stream, CUevent event)
{
    return event != NULL ? gnp_cu->cuEventQuery(event) : gnp_cu->cuStreamQuery(stream);
}

/* The same without the GIL: another thread may begin a capture at any time, which querying its
 * stream would break. Not ready while there is one. The exclusion lasts for one query only, so a
 * capture in another thread is held up for a microsecond at most. */
static CUresult
query_beside_captures(int device_id, CUstream stream, CUevent event)
{
    if (event != NULL) {
        return query(NULL, event);
    }
    if (gnp_capture_exclude(device_id, stream) < 0) {
        return CUDA_ERROR_NOT_READY;
    }
    CUresult code = query(stream, event);
    gnp_capture_admit();
    return code;
}

/* The polls of a GPU are rarer than they could be, since each takes a lock of the driver's that
 * launches of other threads need. A wait ends 0.4 % late while the core is kept, and 3 % or 6 %
 * late once it is left free. */
static void
pause_between(int emulated, int64_t at, int64_t waited)
{
    if (!emulated && waited < SPIN_NS) {
        return;
    }
    if (waited < (emulated ? EMULATED_YIELD_NS : YIELD_NS)) {
        const int64_t until = emulated ? 0 : at + waited / 256;
        do {
            sched_yield();
        } while (gnp_wait_clock() < until);
        return;
    }
    const int64_t pause = waited / (emulated ? 16 : 32);
    const struct timespec t = {0, pause < LONGEST_NS ? pause : LONGEST_NS};
    nanosleep(&t, NULL);
}

/* `begin` is when the whole wait began, not this slice: the pauses grow with it. */
CUresult
gnp_wait_slice(int device_id, CUstream stream, CUevent event, int64_t begin)
{
    const int emulated = gnp_cuda_driver_if_open()->emulated;
    int64_t slice_end = gnp_wait_clock() + SLICE_NS;
    for (;;) {
        CUresult code = query_beside_captures(device_id, stream, event);
        int64_t at = gnp_wait_clock();
        if (code != CUDA_ERROR_NOT_READY || at >= slice_end) {
            return code;
        }
        pause_between(emulated, at, at - begin);
    }
}

/* ---- gpunp.allow_synchronize ----------------------------------------------------------------- */

static _Thread_local int forbidden; /* this thread raises where it would wait */

/* A setting of the thread, for tests that a program's loop never waits. */
int
gnp_wait_check(void)
{
    if (forbidden) {
        PyErr_SetString(gnp_state.DeviceSynchronized,
                        "the host would wait for the device, which allow_synchronize forbids here");
        return -1;
    }
    return 0;
}

/* ---- failures that another thread found ------------------------------------------------------ */

/* The exception of fail_waits(), once: whatever wait comes next reports it. -1 when there was one.
 */
static int
raise_failure(void)
{
    PyObject *error = gnp_state.wait_failure; /* owned, once taken */
    if (GNP_LIKELY(error == NULL)) {
        return 0;
    }
    gnp_state.wait_failure = NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return -1;
}

/* Work may end without having been done, as when a communicator is aborted because a rank has died:
 * the wait for it would go on as if nothing had happened. */
static PyObject *
fail_waits(PyObject *Py_UNUSED(module), PyObject *error)
{
    if (error != Py_None && !PyExceptionInstance_Check(error)) {
        return PyErr_Format(PyExc_TypeError, "error must be an exception or None");
    }
    Py_XSETREF(gnp_state.wait_failure, error != Py_None ? Py_NewRef(error) : NULL);
    Py_RETURN_NONE;
}

/* Sets whether this thread may wait; returns the previous setting. */
static PyObject *
allow_waits(PyObject *Py_UNUSED(module), PyObject *flag)
{
    int on = PyObject_IsTrue(flag), before = !forbidden;
    if (on < 0) {
        return NULL;
    }
    forbidden = !on;
    return PyBool_FromLong(before);
}

static PyMethodDef functions[] = {
    {"_allow_waits", allow_waits, METH_O,
     "_allow_waits(allow, /)\n--\n\n"
     "Set whether this thread may wait for the device; return the previous setting."},
    {"_fail_waits", fail_waits, METH_O,
     "_fail_waits(error, /)\n--\n\n"
     "Let the wait in progress, or else the next one, raise an exception; None takes it back."},
    {NULL, NULL, 0, NULL},
};

int
gnp_wait_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

/* A wait was interrupted and none has completed since: the work queued before it is still running.
 */
static int was_interrupted;

int
gnp_wait_was_left(void)
{
    return was_interrupted;
}

/* Ctrl-C ends the wait, not the work. On the emulated device that work can take long, so a
 * second Ctrl-C, in the next wait, cancels it. The pending exception says so. Only with the
 * emulated device, which can cancel; a GPU's work ends soon. add_note() puts the text below
 * the traceback. */
void
gnp_wait_interrupted(void)
{
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    PyObject *type = NULL, *error = NULL, *trace = NULL, *done = NULL; /* owned */
    if (driver->cancel == NULL || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        return;
    }
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (was_interrupted) {
        unsigned long long count = driver->cancel();
        done = PyObject_CallMethod(
            error, "add_note", "N",
            PyUnicode_FromFormat("gpunp: the emulated device's work was cancelled (%llu "
                                 "pieces); the arrays it was to write are undefined.",
                                 count));
    }
    else {
        done = PyObject_CallMethod(error, "add_note", "s",
                                   "gpunp: the emulated device goes on with what is queued; "
                                   "interrupting the next wait as well cancels it.");
    }
    /* After the cancellation there is nothing left to cancel: the next Ctrl-C is a first one
     * again. */
    was_interrupted = !was_interrupted;
    if (done == NULL) {
        PyErr_Clear();
    }
    Py_XDECREF(done);
    PyErr_Restore(type, error, trace);
}

/* The legacy stream is that of `device`, which need not be the thread's own. */
static int
check_captures(const GnpDevice *device, CUstream stream, const char *function)
{
    const int is_legacy = stream == NULL || stream == CU_STREAM_LEGACY;
    return is_legacy && device != gnp_thread.device && gnp_captures != NULL
               ? gnp_capture_check_device(device)
               : gnp_capture_check(stream, function);
}

/* Exactly one of the two handles counts: the event unless it is NULL. `device` is current; it is
 * NULL in a thread that has used none yet. Recorded work is launched first, or it would not be
 * waited for. The check for captures is made again after each slice, as another thread may have
 * begun one. */
static int
wait_for(const GnpDevice *device, CUstream stream, CUevent event, const char *call,
         const char *function)
{
    gnp_work_begins();
    if (gnp_wait_check() < 0) {
        return -1;
    }
    if (event == NULL && check_captures(device, stream, function) < 0) {
        return -1;
    }
    CUresult code = query(stream, event);
    int64_t begin = 0;
    double traced = gnp_trace_clock();
    const int id = device != NULL ? device->id : gnp_thread.device_id;
    while (code == CUDA_ERROR_NOT_READY) {
        begin = begin != 0 ? begin : gnp_wait_clock();
        GNP_NOGIL(code = gnp_wait_slice(id, stream, event, begin));
        if (PyErr_CheckSignals() < 0) {
            gnp_wait_interrupted();
            return -1;
        }
        if (raise_failure() < 0) {
            return -1;
        }
        if (event == NULL && check_captures(device, stream, function) < 0) {
            return -1;
        }
    }
    if (begin != 0) {
        was_interrupted = 0;
        gnp_trace_slice("wait", traced);
        /* A wait is a good time to drop the objects of functions that have run by now. */
        gnp_host_functions_clear();
    }
    return code == 0 ? raise_failure() : gnp_cuda_raise(code, call, function);
}

int
gnp_wait_stream(CUstream stream, const char *function)
{
    return wait_for(gnp_thread.device, stream, NULL, "cuStreamSynchronize", function);
}

int
gnp_wait_event(CUevent event, const char *function)
{
    return wait_for(gnp_thread.device, NULL, event, "cuEventSynchronize", function);
}

/* For destructors, which cannot be interrupted. While another thread's capture includes the stream,
 * this waits for its end. */
void
gnp_wait_quietly(const GnpDevice *device, CUstream stream)
{
    const int64_t begin = gnp_wait_clock();
    CUresult code = CUDA_ERROR_NOT_READY;
    while (code == CUDA_ERROR_NOT_READY) {
        GNP_NOGIL(code = gnp_wait_slice(device->id, stream, NULL, begin));
    }
    gnp_cuda_drop(code, "cuStreamQuery(stream)", __func__);
}

/* Without the GIL. 1 when a capture is in progress, with nothing done. No capture may begin while
 * the driver waits: a wait for the context would break it. */
static int
synchronize_context(const GnpDevice *device, CUresult *code)
{
    if (gnp_capture_exclude(device->id, GNP_ANY_STREAM) < 0) {
        return 1;
    }
    *code = CU_UNLOCKED(cuCtxSynchronize());
    gnp_capture_admit();
    return 0;
}

int
gnp_wait_context(const GnpDevice *device, CUresult *code)
{
    int refused = 0;
    GNP_CONTEXT_WAIT(refused = synchronize_context(device, code));
    return refused;
}

/* Polls everything it can name, so that Ctrl-C works, and then asks the driver, which usually
 * returns at once. */
int
gnp_wait_device(GnpDevice *device)
{
    CUstream handle = NULL;
    CUresult code = 0;
    if (gnp_device_enter(device) < 0 || gnp_capture_check_device(device) < 0) {
        return -1;
    }
    /* The legacy stream stands for all blocking ones; our own non-blocking ones are queried one by
     * one; only non-blocking streams of other libraries, which cannot be polled, are left to
     * cuCtxSynchronize. */
    if (wait_for(device, CU_STREAM_LEGACY, NULL, "cuCtxSynchronize", __func__) < 0) {
        return -1;
    }
    for (PyObject *busy; (busy = gnp_stream_next_busy(device->id, &handle)) != NULL;) {
        int status = wait_for(device, handle, NULL, "cuCtxSynchronize", __func__);
        Py_DECREF(busy);
        if (status < 0) {
            return -1;
        }
    }
    while (gnp_wait_context(device, &code)) { /* another thread captures now */
        if (gnp_capture_check_device(device) < 0) {
            return -1;
        }
    }
    return code == 0 ? 0 : gnp_cuda_raise(code, "cuCtxSynchronize()", __func__);
}

/* Best effort, before a call that waits anyway: where it cannot poll it returns, and the call
 * waits. */
int
gnp_wait_before(GnpDevice *device)
{
    CUstream handle = CU_STREAM_LEGACY;
    PyObject *busy = NULL; /* owned */
    if (forbidden || gnp_captures != NULL || gnp_device_enter(device) < 0) {
        PyErr_Clear();
        return 0;
    }
    do {
        int status = wait_for(device, handle, NULL, __func__, __func__);
        Py_XDECREF(busy);
        if (status < 0) {
            if (!PyErr_ExceptionMatches(gnp_state.CUDADriverError)) {
                return -1;
            }
            PyErr_Clear();
            return 0;
        }
        busy = gnp_stream_next_busy(device->id, &handle);
    } while (busy != NULL);
    return 0;
}

/* The end of the interpreter: reports a kernel's failure that no call has raised yet.
 *
 * Launches return before their work is done, so a program that never synchronises would not learn
 * of a fault. When Python ends, each device is queried, and is given some time to finish. The
 * message goes to stderr, and the exit status becomes 1 unless the program has set one. Threads
 * that compile ahead or load NVRTC end here too. */
#include "rt/internal.h"

#include <stdlib.h>

#define PATIENCE_NS 1000000000 /* for unfinished work; a failure after that is not reported */

/* A status of 0 becomes 1. Python's own atexit functions cannot do that. glibc goes on with the
 * remaining handlers when one of them calls exit(), and flushes as always. */
#ifdef __GLIBC__
static void
fail_process(int status, void *Py_UNUSED(data))
{
    if (status == 0) {
        exit(EXIT_FAILURE);
    }
}
#endif

/* Written to sys.stderr by hand: there is no caller left to whom an exception could go. */
static void
report(CUresult code)
{
    PyObject *type = NULL, *error = NULL, *trace = NULL, *text = NULL; /* owned */
    PyObject *to = PySys_GetObject("stderr");                          /* borrowed */
    gnp_cuda_raise(code, "work that nobody waited for", NULL);
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    text = PyUnicode_FromFormat("gpunp: a kernel failed, and no call has reported it: %S\n", error);
    if (text != NULL && to != NULL && to != Py_None) {
        (void)PyFile_WriteObject(text, to, Py_PRINT_RAW);
    }
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
#ifdef __GLIBC__
    (void)on_exit(fail_process, NULL);
#endif
}

/* Polls until the stream is done, fails, or the time is over. */
static CUresult
ask(int device_id, CUstream stream, int64_t end)
{
    int64_t begin = gnp_wait_clock();
    CUresult code = gnp_cu->cuStreamQuery(stream);
    while (code == CUDA_ERROR_NOT_READY && gnp_wait_clock() < end) {
        GNP_NOGIL(code = gnp_wait_slice(device_id, stream, NULL, begin));
        if (PyErr_CheckSignals() < 0) {
            PyErr_Clear();
            return CUDA_ERROR_NOT_READY;
        }
    }
    return code;
}

static CUresult
ask_device(GnpDevice *device, int64_t end)
{
    CUstream handle = NULL;
    if (gnp_cu->cuCtxSetCurrent(device->context) != 0) {
        return 0;
    }
    CUresult code = ask(device->id, CU_STREAM_LEGACY, end); /* and so all blocking ones */
    while (code == 0) {
        PyObject *busy = gnp_stream_next_busy(device->id, &handle); /* owned */
        if (busy == NULL) {
            break;
        }
        code = ask(device->id, handle, end);
        Py_DECREF(busy);
    }
    return code;
}

static PyObject *
report_faults(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(noargs))
{
    if (!gnp_forked) {
        GNP_NOGIL(gnp_workers_close(); gnp_prewarm_wait(); gnp_compile_wait());
    }
    int64_t end = gnp_wait_clock() + (gnp_wait_was_left() ? 0 : PATIENCE_NS);
    CUresult code = 0;
    for (int id = 0; id < GNP_MAX_DEVICES && code == 0; id++) {
        GnpDevice *device = gnp_device_if_open(id);
        /* Querying a stream breaks a capture, but none will be completed now. */
        if (device != NULL && !gnp_forked && !gnp_error_told) {
            code = ask_device(device, end);
        }
        code = gnp_error_is_of_kernel(code) ? code : 0;
    }
    if (code != 0) {
        report(code);
    }
    Py_RETURN_NONE;
}

static PyMethodDef report_method = {"_report_faults", report_faults, METH_NOARGS,
                                    "_report_faults()\n--\n\n"
                                    "Report a kernel's failure that no call has reported."};

void
gnp_exit_watch(void)
{
    static int watched;                                        /* guarded by the GIL */
    PyObject *atexit = NULL, *function = NULL, *result = NULL; /* owned */
    if (watched) {
        return;
    }
    GNP_NEW(atexit, PyImport_ImportModule("atexit"));
    GNP_NEW(function, PyCFunction_New(&report_method, NULL));
    GNP_NEW(result, PyObject_CallMethod(atexit, "register", "O", function));
    watched = 1;
fail:
    PyErr_Clear(); /* never delay the program's end for the report */
    Py_XDECREF(result);
    Py_XDECREF(function);
    Py_XDECREF(atexit);
}

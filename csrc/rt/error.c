/* Where a CUresult becomes a Python exception: one class, naming call, code and kernel.
 *
 * Everything above rt/ sees exceptions only. A code that belongs to a kernel's failure is sticky:
 * the context is lost, and every later call returns it, so the message names the kernel launched
 * last as the likely, not the certain, cause.
 */
#include "rt/internal.h"

#include <string.h>

const GnpDriverApi *gnp_cu = NULL;
/* Written with the GIL; exit.c reads it, so that a failure is shown once. */
int gnp_error_told = 0;

/* Sets `name` on the pending exception's instance; on failure the exception stays as it is. Best
 * effort: an exception without its attributes is better than another exception in its place. */
static void
set_attribute(PyObject *instance, const char *name, GNP_STEAL PyObject *value)
{
    if (value == NULL || PyObject_SetAttrString(instance, name, value) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(value);
}

/* The instance is made here, because `status` and `name` are attributes of it. */
static int
raise_with(PyObject *type, CUresult status, const char *name, const char *text)
{
    PyObject *instance = PyObject_CallFunction(type, "s", text);
    if (instance != NULL) {
        set_attribute(instance, "status", PyLong_FromLong(status));
        set_attribute(instance, "name", PyUnicode_FromString(name));
        PyErr_SetObject(type, instance);
        Py_DECREF(instance);
    }
    return -1;
}

int
gnp_error_raise_text(CUresult status, const char *name, const char *text)
{
    return raise_with(gnp_state.CUDADriverError, status, name, text);
}

int
gnp_launch_refuse(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    PyObject *text = PyUnicode_FromFormatV(format, values); /* owned */
    va_end(values);
    const char *utf8 = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
    if (utf8 != NULL) {
        raise_with(gnp_state.CUDALaunchError, CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE",
                   utf8);
    }
    Py_XDECREF(text);
    return -1;
}

/* Codes that report an earlier kernel's failure: the message then contains its name. 700 to 721 are
 * the codes of faults during execution (illegal address, timeout, failed assertion, misaligned
 * access ...), after which the context is unusable. */
int
gnp_error_is_of_kernel(CUresult code)
{
    return (code >= 700 && code <= 721) || code == CUDA_ERROR_UNKNOWN;
}

int
gnp_cuda_is_lost(CUresult code)
{
    return gnp_error_is_of_kernel(code) || code == CUDA_ERROR_DEINITIALIZED;
}

/* Whether the emulated device's last report is about this error: a kernel's fault, or a kernel that
 * cannot be prepared, which a GPU's driver reports when it loads the module. */
static int
is_reported(CUresult code, const char *call)
{
    return gnp_error_is_of_kernel(code) ||
           (code == CUDA_ERROR_INVALID_PTX && strncmp(call, "cuModuleGetFunction", 19) == 0);
}

/* `function` is the C function that called, which finds the place in our source; `call` is the
 * driver's function as written there, with its arguments. */
static int
raise_named(CUresult code, const char *name, const char *call, const char *function)
{
    GnpText text = {0};
    gnp_text_add(&text, "%s: %s [in %s", name, gnp_cuda_error_string(code), call);
    if (function != NULL) {
        gnp_text_add(&text, ", called by %s", function);
    }
    if (gnp_error_is_of_kernel(code) && gnp_thread.last_kernel != NULL) {
        gnp_text_add(&text, "; the last kernel launched by this thread was %s",
                     gnp_thread.last_kernel);
    }
    gnp_error_told |= gnp_error_is_of_kernel(code);
    gnp_text_add(&text, "]");
    if (code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        gnp_text_add(&text, " The default stream was used while a stream that it waits for is "
                            "captured: put the work under `with stream:`, or capture a "
                            "Stream(non_blocking=True)");
    }
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    if (is_reported(code, call) && driver != NULL && driver->last_fault != NULL) {
        /* Only an emulated device has this: address, thread and source line of the bad access. */
        char fault[2048];
        if (driver->last_fault(fault, sizeof fault) != 0) {
            gnp_text_add(&text, "\n%s", fault);
        }
    }
    if (gnp_text_finish(&text) == 0) {
        PyObject *type = code == CUDA_ERROR_OUT_OF_MEMORY ? gnp_state.OutOfMemoryError
                                                          : gnp_state.CUDADriverError;
        raise_with(type, code, name, text.text);
    }
    gnp_text_clear(&text);
    return -1;
}

int
gnp_cuda_raise(CUresult code, const char *call, const char *function)
{
    return raise_named(code, gnp_cuda_error_name(code), call, function);
}

/* For places that must go on: destructors, clean-up after an error, threads without Python. */
void
gnp_cuda_drop(CUresult code, const char *call, const char *function)
{
    if (GNP_UNLIKELY(code != 0)) {
        gnp_log(1, "%s in %s: %s", call, function, gnp_cuda_error_name(code));
    }
}

/* cudart's name of a driver code: most numbers are common to both since CUDA 10.1. A linear search:
 * it runs only when an exception is raised. */
static const char *
runtime_name(CUresult code)
{
    static const struct {
        int code;
        const char *name;
    } rows[] = {
#define CUDART(number, name) {number, "cudaError" name},
#include "tables/cudart_errors.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == code) {
            return rows[i].name;
        }
    }
    return gnp_cuda_error_name(code);
}

int
gnp_runtime_raise(CUresult code, const char *call)
{
    return raise_named(code, runtime_name(code), call, NULL);
}

int
gnp_error_init(PyObject *module)
{
    PyObject *error = NULL, *memory_error = NULL, *waited = NULL; /* owned */
    PyObject *bases = NULL, *launch = NULL;                       /* owned */
    int ret = -1;

    GNP_NEW(error, PyErr_NewExceptionWithDoc(
                       "gpunp.cuda.CUDADriverError",
                       "A call of the CUDA driver failed: `status` is the code, `name` its name.",
                       PyExc_RuntimeError, NULL));
    GNP_NEW(bases, PyTuple_Pack(2, error, PyExc_ValueError));
    GNP_NEW(launch, PyErr_NewExceptionWithDoc(
                        "gpunp.cuda.driver.CUDALaunchError",
                        "The device has no room for the blocks, the grid or the shared memory of a "
                        "launch; a `ValueError` as well.",
                        bases, NULL));
    GNP_TRY(PyModule_AddObjectRef(module, "CUDALaunchError", launch));
    Py_XSETREF(gnp_state.CUDALaunchError, Py_NewRef(launch));
    GNP_NEW(memory_error,
            PyErr_NewExceptionWithDoc("gpunp.cuda.OutOfMemoryError",
                                      "Device memory is exhausted or the pool's limit is reached.",
                                      PyExc_MemoryError, NULL));
    GNP_NEW(waited, PyErr_NewExceptionWithDoc(
                        "gpunp.DeviceSynchronized",
                        "The host would wait for the device inside of allow_synchronize(False).",
                        PyExc_RuntimeError, NULL));
    GNP_TRY(PyModule_AddObjectRef(module, "DeviceSynchronized", waited));
    Py_XSETREF(gnp_state.DeviceSynchronized, Py_NewRef(waited));
    GNP_TRY(PyModule_AddObjectRef(module, "CUDADriverError", error));
    GNP_TRY(PyModule_AddObjectRef(module, "OutOfMemoryError", memory_error));
    Py_XSETREF(gnp_state.CUDADriverError, Py_NewRef(error));
    Py_XSETREF(gnp_state.OutOfMemoryError, Py_NewRef(memory_error));
    ret = 0;
fail:
    Py_XDECREF(bases);
    Py_XDECREF(launch);
    Py_XDECREF(waited);
    Py_XDECREF(error);
    Py_XDECREF(memory_error);
    return ret;
}

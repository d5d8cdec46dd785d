/* gpunp.cuda.runtime: cudart's names over the driver and the primary context. */
#include "rt/internal.h"

/* Test a driver call; raise with cudart's name of the code. */
#define RT_TRY(call)                                                                               \
    do {                                                                                           \
        CUresult rt_code = gnp_cu->call;                                                           \
        if (rt_code != 0) {                                                                        \
            gnp_runtime_raise(rt_code, #call);                                                     \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

/* The same for calls that may wait for the device. */
#define RT_TRY_NOGIL(call)                                                                         \
    do {                                                                                           \
        CUresult rt_code = 0;                                                                      \
        GNP_NOGIL(rt_code = gnp_cu->call);                                                         \
        if (rt_code != 0) {                                                                        \
            gnp_runtime_raise(rt_code, #call);                                                     \
            goto fail;                                                                             \
        }                                                                                          \
    } while (0)

static PyObject *
runtime_getDeviceCount(PyObject *Py_UNUSED(m), PyObject *Py_UNUSED(noargs))
{
    int count = 0;
    return gnp_device_count(&count) < 0 ? NULL : PyLong_FromLong(count);
}

static PyMethodDef functions[] = {
    {"getDeviceCount", runtime_getDeviceCount, METH_NOARGS,
     "getDeviceCount()\n--\n\nHow many devices there are."},
    {NULL, NULL, 0, NULL},
};

int
gnp_runtime_init(PyObject *module)
{
    PyObject *runtime = PyModule_New("gpunp._C.runtime");
    if (runtime == NULL || PyModule_AddFunctions(runtime, functions) < 0) {
        Py_XDECREF(runtime);
        return -1;
    }
    int status = PyModule_AddObjectRef(module, "runtime", runtime);
    Py_DECREF(runtime);
    return status;
}

/* What the files of gpunp.cuda.runtime share: how a cudart name becomes a driver call.
 *
 * Handles and addresses are ints there, as in cudart's own bindings. */
#ifndef GNP_RUNTIME_H
#define GNP_RUNTIME_H

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

#define PARAMS                                                                                     \
    PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

/* Binds a signature of ints to n[0..]; a parameter that is not given keeps its value in `n`. Then
 * a device is made current. */
#define BIND(text)                                                                                 \
    static GnpSignature sig = GNP_SIGNATURE(text);                                                 \
    GnpDevice *device = gnp_runtime_bind(&sig, args, nargs, kwnames, n);                           \
    if (device == NULL) {                                                                          \
        return NULL;                                                                               \
    }

GNP_BORROW GnpDevice *gnp_runtime_bind(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs,
                                       PyObject *kwnames, uint64_t *n);

static inline CUstream
gnp_stream_of(uint64_t number)
{
    return (CUstream)(uintptr_t)number;
}

static inline CUevent
gnp_event_of(uint64_t number)
{
    return (CUevent)(uintptr_t)number;
}

static inline void *
gnp_host_of(uint64_t number)
{
    return (void *)(uintptr_t)number;
}

static inline PyObject *
gnp_from_pointer(const void *pointer)
{
    return PyLong_FromUnsignedLongLong((uintptr_t)pointer);
}

/* Rows of the function tables. */
#define PLAIN(name) {#name, name, METH_NOARGS, #name "()\n--\n\ncudart's function of that name."}
#define ONE(name, parameter)                                                                       \
    {#name, name, METH_O, #name "(" parameter ")\n--\n\ncudart's function of that name."}
#define MANY(name, function, parameters)                                                           \
    {#name, GNP_FAST(function), METH_FASTCALL | METH_KEYWORDS,                                     \
     #name "(" parameters ")\n--\n\ncudart's function of that name."}

extern PyMethodDef gnp_runtime_device_functions[]; /* all end with a NULL name */
extern PyMethodDef gnp_runtime_memory_functions[];
extern PyMethodDef gnp_runtime_copy_functions[];
extern PyMethodDef gnp_runtime_stream_functions[];
extern PyMethodDef gnp_runtime_texture_functions[];
extern PyMethodDef gnp_runtime_graph_functions[];

#endif

/* gpunp.cuda.runtime: cudart's names over the driver and the primary context.
 *
 * Each function is the driver's with cudart's name and error codes; waiting ones can be left by
 * Ctrl-C. The functions are in runtime_device.c, runtime_memory.c, runtime_copy.c,
 * runtime_stream.c, runtime_graph.c and runtime_texture.c.
 *
 * These functions take what the program gives them: handles are not checked, and nothing is kept
 * alive. They exist for programs written against CuPy's cuda.runtime; the classes of gpunp.cuda are
 * the better interface.
 */
#include "rt/runtime.h"

/* By the parameter's type: int, unsigned, and uint64 where none is given. A negative int becomes a
 * 64-bit pattern, which the functions cast back with (int). */
static int
take_integer(PyObject *object, const GnpSignature *sig, int i, uint64_t *out)
{
    const char *name = PyUnicode_AsUTF8(sig->names[i]);
    int value;
    unsigned flags;
    if (name == NULL) {
        return -1;
    }
    switch (sig->integer[i]) {
    case 'i':
        if (gnp_int_from_object(object, name, &value) < 0) {
            return -1;
        }
        *out = (uint64_t)(int64_t)value;
        return 0;
    case 'u':
        if (gnp_unsigned_from_object(object, name, &flags) < 0) {
            return -1;
        }
        *out = flags;
        return 0;
    default:
        return gnp_uint64_from_object(object, name, out);
    }
}

/* A device is opened even by functions that do not name it, as cudart does on first use. */
GnpDevice *
gnp_runtime_bind(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                 uint64_t *n)
{
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind(sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    for (int i = 0; i < sig->nparams; i++) {
        if (values[i] == NULL) {
            continue;
        }
        if (take_integer(values[i], sig, i, &n[i]) < 0) {
            return NULL;
        }
    }
    return gnp_device_current();
}

/* Names as cudart and CuPy have them; values from the tables. */
static int
add_constants(PyObject *runtime)
{
    static const struct {
        int number;
        const char *name;
    } rows[] = {
#define CUDART(number, name) {number, "cudaError" name},
#include "tables/cudart_errors.def"
#define CONSTANT(name, value) {value, #name},
#include "tables/cudart_constants.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (PyModule_AddIntConstant(runtime, rows[i].name, rows[i].number) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The libraries that are open: {"driver": path, "nvrtc": path}. Opens nothing. For `python -m
 * gpunp`, which reports what was found. */
static PyObject *
library_paths(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    const GnpNvrtc *nvrtc = gnp_cuda_nvrtc_if_open();
    return Py_BuildValue("{szsz}", "driver", driver != NULL ? driver->path : NULL, "nvrtc",
                         nvrtc != NULL ? nvrtc->path : NULL);
}

/* Why `auto` took the emulated device, or "". */
static PyObject *
fallback_reason(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    const GnpDriver *driver = gnp_cuda_driver_if_open();
    return PyUnicode_FromString(driver != NULL ? driver->fallback : "");
}

/* Raises the exception of a status; none for 0. For code that calls C libraries by ctypes and gets
 * cudart's codes from them. */
static PyObject *
check_status(PyObject *Py_UNUSED(module), PyObject *status)
{
    int code = 0;
    if (gnp_int_from_object(status, "status", &code) < 0 ||
        (code != 0 && gnp_runtime_raise(code, "check_status") < 0)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    ONE(check_status, "status", P_status, "None", "Raise what a status says; 0 is no error."),
    {NULL, NULL, 0, NULL},
};

/* The arguments of the two functions below: a value, and its name in messages. The name is owned by
 * the argument, which the caller of the function holds. */
static int
bind_named(GnpSignature *sig, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
           PyObject **value, const char **name)
{
    PyObject *values[GNP_MAX_PARAMS];
    if (gnp_args_bind(sig, args, nargs, kwnames, values) < 0) {
        return -1;
    }
    *value = values[0];
    *name = PyUnicode_AsUTF8(values[1]);
    return *name != NULL ? 0 : -1;
}

static PyObject *
as_size(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("as_size(value, name, /)");
    PyObject *value;
    const char *name;
    int64_t size;
    GNP_TRY(bind_named(&sig, args, nargs, kwnames, &value, &name));
    GNP_TRY(gnp_size_from_object(value, name, &size));
    return PyLong_FromLongLong(size);
fail:
    return NULL;
}

static PyObject *
as_address(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature sig = GNP_SIGNATURE("as_address(value, name, /)");
    PyObject *value;
    const char *name;
    uint64_t address;
    GNP_TRY(bind_named(&sig, args, nargs, kwnames, &value, &name));
    GNP_TRY(gnp_uint64_from_object(value, name, &address));
    return PyLong_FromUnsignedLongLong(address);
fail:
    return NULL;
}

static PyMethodDef module_functions[] = {
    {"as_size", GNP_FAST(as_size), METH_FASTCALL | METH_KEYWORDS,
     "as_size($module, value, name, /)\n--\n\nAn int from 0 to 2**63 - 1, or ValueError or "
     "OverflowError."},
    {"as_address", GNP_FAST(as_address), METH_FASTCALL | METH_KEYWORDS,
     "as_address($module, value, name, /)\n--\n\nAn int from 0 to 2**64 - 1, or ValueError or "
     "OverflowError."},
    {"_fallback_reason", fallback_reason, METH_NOARGS,
     "Why no GPU is used where nobody chose the emulated device, or an empty str."},
    {"_release_texture", GNP_FAST(gnp_release_texture), METH_FASTCALL,
     "_release_texture(kind, handle, device_id)\n--\n\nFree an array, a texture or a surface."},
    {"_library_paths", library_paths, METH_NOARGS, "Paths of the libraries that are open."},
    {NULL, NULL, 0, NULL},
};

int
gnp_runtime_init(PyObject *module)
{
    PyObject *runtime = PyModule_New("gpunp._C.runtime"); /* owned */
    if (runtime == NULL || PyModule_AddFunctions(runtime, gnp_runtime_device_functions) < 0 ||
        PyModule_AddFunctions(runtime, gnp_runtime_memory_functions) < 0 ||
        PyModule_AddFunctions(runtime, gnp_runtime_copy_functions) < 0 ||
        PyModule_AddFunctions(runtime, gnp_runtime_stream_functions) < 0 ||
        PyModule_AddFunctions(runtime, gnp_runtime_texture_functions) < 0 ||
        PyModule_AddFunctions(runtime, gnp_runtime_graph_functions) < 0 ||
        PyModule_AddFunctions(runtime, functions) < 0 || add_constants(runtime) < 0) {
        Py_XDECREF(runtime);
        return -1;
    }
    int status = PyModule_AddObjectRef(module, "runtime", runtime);
    Py_DECREF(runtime);
    return status < 0 ? -1 : PyModule_AddFunctions(module, module_functions);
}

/* Gives the emulations of NVIDIA's libraries what they compute with: entries of the emulated
 * driver, and the BLAS and LAPACK that SciPy exports as C pointers.
 *
 * Called with the GIL when a library is first opened on the emulated device. Nothing is linked: the
 * shared object of the emulations is opened by its path and handed pointers by name.
 */
#include "lib/load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* 0, or -1 when the library has no such name. */
typedef int (*Set)(const char *name, void *pointer);

/* Two kinds of entries: functions of the driver's API by name, and functions of the emulator
 * that are fields of GnpDriver. The order of setting does not matter, as nothing runs yet. */
static int
set_driver(Set set)
{
    static const char *const names[] = {
#define DRIVER(name, params) #name,
#include "tables/emu_math.def"
    };
    /* A library that was built for another table has no such entry, and says so here rather than
     * at a call. */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *pointer = gnp_cuda_entry(names[i]);
        if (pointer == NULL || set(names[i], pointer) < 0) {
            PyErr_Format(PyExc_ImportError,
                         "the emulated device and its libraries differ in version: "
                         "%s",
                         names[i]);
            return -1;
        }
    }
    static const struct {
        const char *name;
        size_t field;
    } functions[] = {
#define EMULATOR(name, field, params) {#name, offsetof(GnpDriver, field)},
#include "tables/emu_math.def"
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *pointer;
        memcpy(&pointer, (const char *)gnp_cuda_driver() + functions[i].field, sizeof pointer);
        if (pointer == NULL || set(functions[i].name, pointer) < 0) {
            PyErr_Format(PyExc_ImportError, "the emulated device lacks %s", functions[i].name);
            return -1;
        }
    }
    return 0;
}

/* The pointers of one of SciPy's modules: {name: capsule}, new reference. */
static PyObject *
capsules(const char *module_name)
{
    PyObject *module = gnp_import_if_installed(module_name); /* owned */
    PyObject *ret = module != NULL ? PyObject_GetAttrString(module, "__pyx_capi__") : NULL;
    if (module == NULL && !PyErr_Occurred()) {
        PyErr_Format(PyExc_ImportError,
                     "linear algebra on the emulated device computes with SciPy's BLAS and LAPACK, "
                     "and %s is not installed; install it with `pip install 'gpunp[emulator]'`",
                     module_name);
    }
    Py_XDECREF(module);
    return ret;
}

/* Integers of another width would make LAPACK read beyond its arguments, so the signature is
 * checked. `name` is a routine of cython_blas or cython_lapack. */
static int
set_routine(Set set, PyObject *from, const char *name)
{
    PyObject *capsule = PyDict_GetItemString(from, name); /* borrowed */
    const char *signature = capsule != NULL ? PyCapsule_GetName(capsule) : NULL;
    /* The name of a capsule is the C signature, which shows the width of its integers. */
    if (signature == NULL || strstr(signature, "int *") == NULL ||
        strstr(signature, "64") != NULL) {
        PyErr_Format(PyExc_ImportError, "SciPy's %s is not there with 32-bit integers (%s)", name,
                     signature != NULL ? signature : "missing");
        return -1;
    }
    void *pointer = PyCapsule_GetPointer(capsule, signature);
    if (pointer == NULL || set(name, pointer) < 0) {
        PyErr_Format(PyExc_ImportError,
                     "the emulated libraries lack %s: they were built for another version", name);
        return -1;
    }
    return 0;
}

/* The modules stay imported, so the pointers stay valid for the life of the process. */
static int
set_lapack(Set set)
{
    static const char *const blas_names[] = {
#define BLAS(name, params) #name,
#include "tables/emu_math.def"
    };
    static const char *const lapack_names[] = {
#define LAPACK(name, params) #name,
#include "tables/emu_math.def"
        NULL,
    };
    PyObject *blas = NULL, *lapack = NULL; /* owned */
    int ret = -1;
    GNP_NEW(blas, capsules("scipy.linalg.cython_blas"));
    GNP_NEW(lapack, capsules("scipy.linalg.cython_lapack"));
    for (size_t i = 0; i < sizeof blas_names / sizeof *blas_names; i++) {
        GNP_TRY(set_routine(set, blas, blas_names[i]));
    }
    for (size_t i = 0; lapack_names[i] != NULL; i++) {
        GNP_TRY(set_routine(set, lapack, lapack_names[i]));
    }
    ret = 0;
fail:
    Py_XDECREF(blas);
    Py_XDECREF(lapack);
    return ret;
}

int
gnp_emulated_attach(int needs_lapack)
{
    static int has_driver, has_lapack; /* guarded by the GIL; doing it twice does no harm */
    if (has_driver && (has_lapack || !needs_lapack)) {
        return 0;
    }
    char file[1100], path[1024], tried[2048];
    /* The same file that load.c opens: dlopen gives the same handle. */
    snprintf(file, sizeof file, "%s/libgpunp_emu_math.so", gnp_cuda_package_dir());
    void *handle = gnp_cuda_open_exactly("the emulated device's libraries", file, path, sizeof path,
                                         tried, sizeof tried);
    Set set = NULL;
    if (handle != NULL) {
        *(void **)&set = dlsym(handle, "cuEmuMathSet");
    }
    if (set == NULL) {
        PyErr_Format(PyExc_ImportError, "the emulated device's libraries cannot be opened:\n%s",
                     handle != NULL ? "cuEmuMathSet is missing" : tried);
        return -1;
    }
    if (!has_driver) {
        if (set_driver(set) < 0) {
            return -1;
        }
        has_driver = 1;
    }
    if (needs_lapack && !has_lapack) {
        if (set_lapack(set) < 0) {
            return -1;
        }
        has_lapack = 1;
    }
    return 0;
}

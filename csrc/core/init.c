/* Start-up of core/: NumPy's objects, the small types, the functions, and the list of methods that
 * module.c gives the array type. */
#include "core/core_internal.h"

#include <string.h>

/* The sum of the four tables, with room to grow: an assertion checks it in debug builds. */
enum { MAX_METHODS = 96 };
PyMethodDef gnp_core_array_methods[MAX_METHODS];

/* Objects that are used on hot paths are looked up once. */
static int
import_numpy(void)
{
    PyObject *exceptions = NULL; /* owned */
    int ret = -1;
    GNP_NEW(gnp_state.numpy, PyImport_ImportModule("numpy"));
    GNP_NEW(gnp_state.numpy_ndarray, PyObject_GetAttrString(gnp_state.numpy, "ndarray"));
    GNP_NEW(gnp_state.numpy_no_value, PyObject_GetAttrString(gnp_state.numpy, "_NoValue"));
    GNP_NEW(exceptions, PyImport_ImportModule("numpy.exceptions"));
    GNP_NEW(gnp_state.AxisError, PyObject_GetAttrString(exceptions, "AxisError"));
    GNP_NEW(gnp_state.ComplexWarning, PyObject_GetAttrString(exceptions, "ComplexWarning"));
    GNP_NEW(gnp_state.python_functions, PyDict_New());
    GNP_NEW(gnp_state.structured, PyDict_New());
    ret = 0;
fail:
    Py_XDECREF(exceptions);
    return ret;
}

/* One table per file, as a type has one list of methods. */
static void
join_methods(void)
{
    PyMethodDef *const lists[] = {gnp_array_methods, gnp_manipulate_methods, gnp_interop_methods,
                                  gnp_override_methods};
    int n = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (const PyMethodDef *m = lists[i]; m->ml_name != NULL; m++) {
            assert(n + 1 < MAX_METHODS);
            gnp_core_array_methods[n++] = *m;
        }
    }
    memset(&gnp_core_array_methods[n], 0, sizeof *gnp_core_array_methods);
}

/* Dtypes before everything that makes arrays; small types before the functions that return them. */
int
gnp_core_init(PyObject *module)
{
    if (import_numpy() < 0 || gnp_dtype_init() < 0 || gnp_npy_init() < 0) {
        return -1;
    }
    join_methods();
    if (gnp_flags_init(module) < 0 || gnp_flatiter_init(module) < 0 ||
        gnp_hostcopy_init(module) < 0 || gnp_renamed_init(module) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, gnp_core_functions);
}

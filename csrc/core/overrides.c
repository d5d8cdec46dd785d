/* What C hands to Python: NumPy's functions and ufuncs called with our arrays (NEP 18 and 13), text
 * of arrays, the namespace. The Python functions are found on first use and kept. */
#include "core/core_internal.h"

#include <string.h>

/* gpunp._core.<module>.<name>, borrowed: the cache keeps it. */
static PyObject *
python_function(const char *module, const char *name)
{
    PyObject *found = PyDict_GetItemString(gnp_state.python_functions, name);
    if (found != NULL) {
        return found;
    }
    PyObject *home = PyImport_ImportModule(module);
    found = home == NULL ? NULL : PyObject_GetAttrString(home, name);
    if (found != NULL && PyDict_SetItemString(gnp_state.python_functions, name, found) < 0) {
        Py_CLEAR(found);
    }
    Py_XDECREF(home);
    Py_XDECREF(found);
    return found;
}

/* name(self, *args) with the keywords that follow the arguments. */
static PyObject *
call_with_self(const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames)
{
    PyObject *small[16];
    PyObject **values = small;
    PyObject *function = python_function("gpunp._core.overrides", name);
    Py_ssize_t total = 1 + nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));
    if (function == NULL) {
        return NULL;
    }
    if (total > (Py_ssize_t)(sizeof small / sizeof *small)) {
        values = PyMem_Malloc((size_t)total * sizeof *values);
        if (values == NULL) {
            return PyErr_NoMemory();
        }
    }
    values[0] = self;
    memcpy(values + 1, args, (size_t)(total - 1) * sizeof *values);
    PyObject *ret = PyObject_Vectorcall(function, values, (size_t)(1 + nargs), kwnames);
    if (values != small) {
        PyMem_Free(values);
    }
    return ret;
}

static PyObject *
array_array_function(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return call_with_self("array_function", self, args, nargs, kwnames);
}

static PyObject *
array_array_ufunc(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return call_with_self("array_ufunc", self, args, nargs, kwnames);
}

PyObject *
gnp_array_repr(PyObject *self)
{
    PyObject *function = python_function("gpunp._core.arrayprint", "array_repr");
    return function == NULL ? NULL : PyObject_CallOneArg(function, self);
}

PyObject *
gnp_array_str(PyObject *self)
{
    PyObject *function = python_function("gpunp._core.arrayprint", "array_str");
    return function == NULL ? NULL : PyObject_CallOneArg(function, self);
}

static PyObject *
array_array_namespace(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("__array_namespace__(*, api_version=None)");
    static const char *const known[] = {"2021.12", "2022.12", "2023.12", "2024.12", "2025.12"};
    PyObject *given[1];
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    int ok = given[0] == NULL || given[0] == Py_None;
    for (size_t i = 0; !ok && i < sizeof known / sizeof *known; i++) {
        ok = PyUnicode_Check(given[0]) &&
             PyUnicode_CompareWithASCIIString(given[0], known[i]) == 0;
    }
    if (!ok) {
        PyErr_Format(PyExc_ValueError, "unknown version of the array API standard: %R", given[0]);
        return NULL;
    }
    return PyImport_ImportModule("gpunp");
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)

PyMethodDef gnp_override_methods[] = {
    {"__array_function__", FAST(array_array_function), METH_FASTCALL | METH_KEYWORDS,
     "__array_function__($self, /, func, types, args, kwargs)\n--\n\nNEP 18."},
    {"__array_ufunc__", FAST(array_array_ufunc), METH_FASTCALL | METH_KEYWORDS,
     "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\nNEP 13."},
    {"__array_namespace__", FAST(array_array_namespace), METH_FASTCALL | METH_KEYWORDS,
     "__array_namespace__($self, /, *, api_version=None)\n--\n\nThe module gpunp."},
    {NULL, NULL, 0, NULL},
};

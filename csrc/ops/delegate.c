/* Methods of the array type that are compositions, written in Python: a.clip(...) is gpunp.clip(a,
 * ...), and what is a method alone is in gpunp._core._methods.
 *
 * The function is looked up in its module at each call, so what is there is what runs.
 */
#include "ops/methods.h"

#include <string.h>

enum { SMALL = 12 };

static PyObject *
call_function(const char *module, const char *name, PyObject *self, PyObject *const *args,
              Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *small[SMALL];
    PyObject **values = small;
    PyObject *package = NULL;  /* owned */
    PyObject *function = NULL; /* owned */
    PyObject *ret = NULL;      /* returned */
    Py_ssize_t total = 1 + nargs + (kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames));

    GNP_NEW(package, PyImport_ImportModule(module));
    GNP_NEW(function, PyObject_GetAttrString(package, name));
    if (total > SMALL) {
        values = PyMem_Malloc((size_t)total * sizeof *values);
        if (values == NULL) {
            PyErr_NoMemory();
            goto fail;
        }
    }
    values[0] = self;
    memcpy(values + 1, args, (size_t)(total - 1) * sizeof *values);
    ret = PyObject_Vectorcall(function, values, (size_t)(1 + nargs), kwnames);
    if (values != small) {
        PyMem_Free(values);
    }
fail:
    Py_XDECREF(package);
    Py_XDECREF(function);
    return ret;
}

#define DELEGATE_TO(module, name)                                                                  \
    PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,                \
                           PyObject *kwnames)                                                      \
    {                                                                                              \
        return call_function(module, #name, self, args, nargs, kwnames);                           \
    }
#define DELEGATE(name) DELEGATE_TO("gpunp", name)
#define METHOD_ALONE(name) DELEGATE_TO("gpunp._core._methods", name)

DELEGATE(argpartition)
DELEGATE(choose)
DELEGATE(ptp)
DELEGATE(dot)
DELEGATE(put)
DELEGATE(repeat)
DELEGATE(round)
DELEGATE(scatter_add)
DELEGATE(scatter_max)
DELEGATE(scatter_min)
DELEGATE(trace)
/* As methods, the array itself where it is real; as functions always a new one, NumPy says. */
#define CONJUGATE(name)                                                                            \
    PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,                \
                           PyObject *kwnames)                                                      \
    {                                                                                              \
        int dtype = ((GnpArray *)self)->dtype;                                                     \
        int real = gnp_dtypes[dtype].cls != 'c' && !gnp_has_unit(dtype);                           \
        return real && nargs == 0 && kwnames == NULL                                               \
                   ? Py_NewRef(self)                                                               \
                   : call_function("gpunp", #name, self, args, nargs, kwnames);                    \
    }
CONJUGATE(conj)
CONJUGATE(conjugate)

METHOD_ALONE(__round__)
METHOD_ALONE(clip)
METHOD_ALONE(getfield)
METHOD_ALONE(setfield)
METHOD_ALONE(setflags)
METHOD_ALONE(resize)

/* Here the array is the function's second argument. */
PyObject *
array_compress(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("compress(condition, axis=None, out=None)");
    PyObject *package = NULL; /* owned */
    PyObject *given[3], *ret = NULL;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_NEW(package, PyImport_ImportModule("gpunp"));
    ret = PyObject_CallMethod(package, "compress", "OOOO", given[0], self,
                              given[1] == NULL ? Py_None : given[1],
                              given[2] == NULL ? Py_None : given[2]);
fail:
    Py_XDECREF(package);
    return ret;
}

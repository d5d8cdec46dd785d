/* Methods of the array type that are written in Python: a.clip(...) is gpunp.clip(a, ...); those
 * without a function are in gpunp._core._methods.
 *
 * The function is looked up in its module at each call, so replacing it takes effect.
 *
 * Methods whose time does not matter stay in Python, where they are shorter. All hold the GIL;
 * `self` and the arguments are borrowed from the caller, which the call keeps alive.
 */
#include "methods/methods.h"

/* Arguments that need no memory from the heap. */
enum { SMALL = 12 };

/* The vector of the caller has no room for self before the arguments, so pointers are copied. */
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
    /* Without PY_VECTORCALL_ARGUMENTS_OFFSET: args belong to the caller and have no room before
     * them. */
    values[0] = self;
    for (Py_ssize_t i = 1; i < total; i++) { /* `args` is NULL where there are none */
        values[i] = args[i - 1];
    }
    ret = PyObject_Vectorcall(function, values, (size_t)(1 + nargs), kwnames);
    if (values != small) {
        PyMem_Free(values);
    }
fail:
    Py_XDECREF(package);
    Py_XDECREF(function);
    return ret;
}

/* A C function for each method, as a slot of a method table has no closure. */
#define DELEGATE_TO(module, name)                                                                  \
    static PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,         \
                                  PyObject *kwnames)                                               \
    {                                                                                              \
        return call_function(module, #name, self, args, nargs, kwnames);                           \
    }
#define DELEGATE(name) DELEGATE_TO("gpunp", name)
#define METHOD_ALONE(name) DELEGATE_TO("gpunp._core._methods", name)

DELEGATE(argpartition)
DELEGATE(ptp)
DELEGATE(dot)
DELEGATE(put)
DELEGATE(repeat)
DELEGATE(round)
DELEGATE(scatter_add)
DELEGATE(scatter_max)
DELEGATE(scatter_min)
DELEGATE(trace)
/* For real arrays the method returns the array itself, and the function a new one, as in NumPy. */
#define CONJUGATE(name)                                                                            \
    static PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,         \
                                  PyObject *kwnames)                                               \
    {                                                                                              \
        int dtype = ((GnpArray *)self)->dtype;                                                     \
        int real = gnp_dtypes[dtype].cls != 'c' && gnp_is_number(dtype);                           \
        return real && nargs == 0 && kwnames == NULL                                               \
                   ? Py_NewRef(self)                                                               \
                   : call_function("gpunp", #name, self, args, nargs, kwnames);                    \
    }
CONJUGATE(conj)
CONJUGATE(conjugate)

/* These have no function of the same name, or one with another signature. */
METHOD_ALONE(choose)
METHOD_ALONE(__round__)
METHOD_ALONE(clip)
METHOD_ALONE(getfield)
METHOD_ALONE(setfield)
METHOD_ALONE(setflags)
METHOD_ALONE(resize)

/* The array is the function's second argument. */
static PyObject *
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

static PyMethodDef array_methods[] = {
    GNP_ARRAY_METHOD(
        compress, "condition, axis=None, out=None)",
        "Return the slices along an axis for which a condition is true; see gpunp.compress."),
    GNP_ARRAY_METHOD(choose, "choices, out=None, mode='raise')",
                     "Choose elements from several arrays; see gpunp.choose."),
    GNP_ARRAY_METHOD(
        argpartition, "kth, axis=-1, kind='introselect', order=None)",
        "Return the indices that would partition along an axis; see gpunp.argpartition."),
    GNP_ARRAY_METHOD(clip, "min=None, max=None, out=None, **kwargs)",
                     "Limit the values to an interval; see gpunp.clip."),
    GNP_ARRAY_METHOD(conj, "out=None)", "Return the complex conjugate; see gpunp.conj."),
    GNP_ARRAY_METHOD(conjugate, "out=None)", "Return the complex conjugate; see gpunp.conjugate."),
    GNP_ARRAY_METHOD(ptp, "axis=None, out=None, keepdims=False)",
                     "Return the range (largest minus smallest element) over axes; see gpunp.ptp."),
    GNP_ARRAY_METHOD(dot, "b, out=None)",
                     "Compute the dot product with another array; see gpunp.dot."),
    GNP_ARRAY_METHOD(put, "ind, v, mode='raise')",
                     "Assign values to elements given by flat indices; see gpunp.put."),
    GNP_ARRAY_METHOD(repeat, "repeats, axis=None)",
                     "Repeat elements along an axis; see gpunp.repeat."),
    GNP_ARRAY_METHOD(round, "decimals=0, out=None)",
                     "Round to a number of decimals; see gpunp.round."),
    GNP_ARRAY_METHOD(trace, "offset=0, axis1=0, axis2=1, dtype=None, out=None)",
                     "Sum the diagonals over two axes; see gpunp.trace."),
    GNP_ARRAY_METHOD(scatter_add, "slices, value)",
                     "Add values to the elements selected by an index; see gpunp.scatter_add."),
    GNP_ARRAY_METHOD(
        scatter_max, "slices, value)",
        "Set the elements selected by an index to the maximum with values; see gpunp.scatter_max."),
    GNP_ARRAY_METHOD(
        scatter_min, "slices, value)",
        "Set the elements selected by an index to the minimum with values; see gpunp.scatter_min."),
    GNP_ARRAY_METHOD(getfield, "dtype, offset=0)",
                     "Return a part of each element as a view of another dtype.\n\n"
                     "Parameters\n----------\n"
                     "dtype : dtype\n    Type of the elements of the view.\n"
                     "offset : int, optional\n    Offset in bytes within each element.\n\n"
                     "Returns\n-------\nndarray\n    A view of the array."),
    GNP_ARRAY_METHOD(setfield, "val, dtype, offset=0)",
                     "Assign values to a part of each element.\n\n"
                     "Parameters\n----------\n"
                     "val : array_like\n    Values to assign, broadcast to the array.\n"
                     "dtype : dtype\n    Type of the part that is assigned.\n"
                     "offset : int, optional\n    Offset in bytes within each element."),
    GNP_ARRAY_METHOD(
        setflags, "write=None, align=None, uic=None)",
        "Set whether the array is writeable.\n\n"
        "Parameters\n----------\n"
        "write : bool, optional\n    If False, the array becomes read-only.\n"
        "align, uic : bool, optional\n    Accepted as NumPy accepts them; they change nothing."),
    GNP_ARRAY_METHOD(resize, "*new_shape, refcheck=True)",
                     "Change the shape and size of the array in place; new elements are zero.\n\n"
                     "Parameters\n----------\n"
                     "new_shape : int or tuple of ints\n    New shape of the array.\n"
                     "refcheck : bool, optional\n"
                     "    If True, raise ValueError if anything else refers to the array."),
    GNP_ARRAY_METHOD(__round__, "ndigits=None)",
                     "Round a single number to an int, or with ndigits to a 0-d array."),
    {NULL, NULL, 0, NULL},
};

/* core/ makes the type, and higher folders add methods to it. */
int
gnp_methods_init(PyObject *Py_UNUSED(module))
{
    return gnp_type_add_methods(gnp_array_type, array_methods);
}

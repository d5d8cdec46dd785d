/* NEP 13 and NEP 18: NumPy's functions and ufuncs, called with our arrays, are dispatched to ours.
 * Also repr and str of arrays, which are formatted in Python.
 *
 * numpy.linalg.norm is gpunp.linalg.norm: same module path, same name. A function is looked up once
 * and kept. A ufunc is known by identity: scipy.special has names of NumPy's with other loops. For
 * what gpunp lacks NotImplemented is returned, which NumPy turns into its TypeError.
 */
#include "core/core_internal.h"

#include <string.h>

/* gpunp's counterpart of numpy's `module`.`name`: new reference, Py_None if there is none. Modules
 * that gpunp does not have are no error: the answer is then None. */
static PyObject *
import_counterpart(const char *module, PyObject *name)
{
    GnpText text = {NULL, 0, 0, 0};
    PyObject *home = NULL; /* owned */
    PyObject *ret = NULL;

    if (strcmp(module, "numpy") != 0 && strncmp(module, "numpy.", 6) != 0) {
        return Py_NewRef(Py_None);
    }
    gnp_text_add(&text, "gpunp%s", module + 5);
    if (gnp_text_finish(&text) < 0) {
        goto fail;
    }
    home = gnp_import_if_installed(text.text);
    ret = home == NULL ? NULL : PyObject_GetAttr(home, name);
    if (home != NULL && ret == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    if (ret == NULL && !PyErr_Occurred()) {
        ret = Py_NewRef(Py_None);
    }
fail:
    gnp_text_clear(&text);
    Py_XDECREF(home);
    return ret;
}

/* A text that an object has as attribute: new reference, NULL without an exception where it has
 * none. */
static PyObject *
text_attribute(PyObject *object, const char *name)
{
    PyObject *text = PyObject_GetAttrString(object, name);
    if (text != NULL && !PyUnicode_Check(text)) {
        Py_CLEAR(text);
    }
    else if (text == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    return text;
}

/* The same through the cache, keyed by NumPy's function object. Borrowed. None is cached as well,
 * so a function without a counterpart costs one lookup. */
static PyObject *
counterpart(PyObject *function, const char *module)
{
    PyObject *found = PyDict_GetItemWithError(gnp_state.python_functions, function);
    if (found != NULL || PyErr_Occurred()) {
        return found;
    }
    PyObject *name = text_attribute(function, "__name__");
    if (name == NULL) {
        return PyErr_Occurred() ? NULL : Py_None;
    }
    found = import_counterpart(module, name);
    if (found == function) {
        Py_SETREF(found, Py_NewRef(Py_None));
    }
    Py_DECREF(name);
    if (found != NULL && PyDict_SetItem(gnp_state.python_functions, function, found) < 0) {
        Py_CLEAR(found);
    }
    Py_XDECREF(found); /* the cache holds it */
    return found;
}

/* 1: `type` is one whose arrays we can work with. NumPy's subclasses count, as their arrays convert
 * like any other. */
static int
type_is_known(PyTypeObject *type)
{
    return PyType_IsSubtype(type, gnp_array_type) ||
           PyType_IsSubtype(type, (PyTypeObject *)gnp_state.numpy_ndarray);
}

/* gpunp._core._plotting.<name>(*args): NumPy's own function on copies of the arrays. Matplotlib
 * calls NumPy's functions on whatever it is given; there the result has to be on the host. */
static PyObject *
on_the_host(const char *name, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *home = PyImport_ImportModule("gpunp._core._plotting"); /* owned */
    PyObject *target = home != NULL ? PyObject_GetAttrString(home, name) : NULL;
    PyObject *ret =
        target != NULL ? PyObject_Vectorcall(target, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(home);
    Py_XDECREF(target);
    return ret;
}

/* An unknown type among the arguments: NumPy then asks that type's __array_function__. */
static PyObject *
array_array_function(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("__array_function__(func, types, args, kwargs)");
    PyObject *given[4];
    PyObject *types = NULL;  /* owned */
    PyObject *module = NULL; /* owned */
    PyObject *ret = NULL;

    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    if (gnp_called_by_plotting()) {
        PyObject *const call[] = {given[0], given[2], given[3]};
        return on_the_host("call_function", call, 3, NULL);
    }
    GNP_NEW(types, PySequence_Tuple(given[1]));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(types); i++) {
        PyObject *type = PyTuple_GET_ITEM(types, i);
        if (!PyType_Check(type) || !type_is_known((PyTypeObject *)type)) {
            ret = Py_NewRef(Py_NotImplemented);
            goto fail;
        }
    }
    if (!PyTuple_Check(given[2]) || !PyDict_Check(given[3])) {
        PyErr_SetString(PyExc_TypeError, "args must be a tuple and kwargs a dict");
        goto fail;
    }
    module = text_attribute(given[0], "__module__");
    if (module == NULL) {
        ret = PyErr_Occurred() ? NULL : Py_NewRef(Py_NotImplemented);
        goto fail;
    }
    PyObject *ours = counterpart(given[0], PyUnicode_AsUTF8(module));
    if (ours == NULL) {
        goto fail;
    }
    ret = ours == Py_None ? Py_NewRef(Py_NotImplemented) : PyObject_Call(ours, given[2], given[3]);
fail:
    Py_XDECREF(types);
    Py_XDECREF(module);
    return ret;
}

/* 1: `object` is the attribute `name` of a module that is loaded. Compared by identity, since other
 * packages have ufuncs of the same names. Modules that are not loaded cannot have made it. */
static int
is_attribute(const char *module, PyObject *name, PyObject *object)
{
    PyObject *path = PyUnicode_FromString(module);                   /* owned */
    PyObject *home = path != NULL ? PyImport_GetModule(path) : NULL; /* owned */
    PyObject *found = home != NULL ? PyObject_GetAttr(home, name) : NULL;
    PyErr_Clear();
    Py_XDECREF(path);
    Py_XDECREF(home);
    Py_XDECREF(found);
    return found != NULL && found == object;
}

/* Our ufunc for a row of scipy.special, kept like the others. Borrowed; None where there is none.
 * The Python module of our special functions is imported when the first of them is dispatched. */
static PyObject *
special_counterpart(PyObject *ufunc, PyObject *name)
{
    PyObject *home = PyImport_ImportModule("gpunp.scipy.special._ufuncs"); /* owned */
    PyObject *found = home != NULL ? PyObject_GetAttr(home, name) : NULL;
    if (home != NULL && found == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        found = Py_NewRef(Py_None);
    }
    if (found != NULL && PyDict_SetItem(gnp_state.python_functions, ufunc, found) < 0) {
        Py_CLEAR(found);
    }
    Py_XDECREF(home);
    Py_XDECREF(found); /* the cache holds it */
    return found;
}

/* Our counterpart of a ufunc of NumPy or scipy.special. Borrowed; None where there is none. */
static PyObject *
ufunc_counterpart(PyObject *ufunc)
{
    PyObject *found = PyDict_GetItemWithError(gnp_state.python_functions, ufunc);
    if (found != NULL || PyErr_Occurred()) {
        return found;
    }
    const char *type = Py_TYPE(ufunc)->tp_name;
    if (strcmp(type, "gpunp.ufunc") == 0 || strcmp(type, "gpunp.gufunc") == 0) {
        return ufunc; /* from the __array_ufunc__ of a subclass */
    }
    PyObject *name = PyObject_GetAttrString(ufunc, "__name__"); /* owned */
    if (name == NULL || !PyUnicode_Check(name)) {
        PyErr_Clear();
        found = Py_None;
    }
    else if (is_attribute("numpy", name, ufunc)) {
        found = counterpart(ufunc, "numpy");
    }
    else if (is_attribute("scipy.special", name, ufunc) ||
             is_attribute("scipy.special._ufuncs", name, ufunc)) {
        found = special_counterpart(ufunc, name);
    }
    else {
        found = Py_None;
    }
    Py_XDECREF(name);
    return found;
}

/* 1: an operand to which we must defer (it defines __array_ufunc__ and is neither ours nor
 * NumPy's). As the protocol says: an operand that implements it itself, and is no array of ours or
 * NumPy's, decides. A __array_ufunc__ of None counts, and makes the operation fail. */
static int
must_defer(PyObject *operand)
{
    PyTypeObject *type = Py_TYPE(operand);
    if (type == &PyFloat_Type || type == &PyLong_Type || type_is_known(type) ||
        gnp_is_numpy_scalar(operand)) {
        return 0;
    }
    PyObject *method = PyObject_GetAttr((PyObject *)type, gnp_state.str___array_ufunc__);
    if (method == NULL) {
        PyErr_Clear();
        return 0;
    }
    Py_DECREF(method);
    return 1;
}

/* `out` is always a tuple here: NumPy has normalised it. */
static int
any_must_defer(PyObject *const *inputs, Py_ssize_t n, PyObject *const *values, PyObject *kwnames)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        if (must_defer(inputs[i])) {
            return 1;
        }
    }
    for (Py_ssize_t k = 0; kwnames != NULL && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *value = values[k];
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), "out") != 0) {
            continue;
        }
        for (Py_ssize_t i = 0; PyTuple_Check(value) && i < PyTuple_GET_SIZE(value); i++) {
            if (PyTuple_GET_ITEM(value, i) != Py_None && must_defer(PyTuple_GET_ITEM(value, i))) {
                return 1;
            }
        }
    }
    return 0;
}

/* NumPy's scalars compare as arrays without dimensions: np.float64(2) < a comes as array(2.) < a.
 * Such an operand becomes the scalar again. A 0-d array is a strong operand, a NumPy scalar is too,
 * but only the scalar is accepted without an upload. */
static PyObject *
scalar_again(PyObject *operand)
{
    if (!gnp_is_numpy_array(operand)) {
        return Py_NewRef(operand);
    }
    PyObject *shape = PyObject_GetAttrString(operand, "shape"); /* owned */
    if (shape == NULL) {
        return NULL;
    }
    PyObject *ret = PyTuple_Check(shape) && PyTuple_GET_SIZE(shape) == 0
                        ? PyObject_GetItem(operand, shape)
                        : Py_NewRef(operand);
    Py_DECREF(shape);
    return ret;
}

/* An operand as the default implementation takes it: a subclass with an __array_ufunc__ of its own
 * has been asked already, so that a plain view of it is used. */
static PyObject *
plain_again(PyObject *operand)
{
    if (!gnp_is_subclass(operand)) {
        return scalar_again(operand);
    }
    PyObject *own = PyObject_GetAttr((PyObject *)Py_TYPE(operand), gnp_state.str___array_ufunc__);
    PyObject *ours = PyObject_GetAttr((PyObject *)gnp_array_type, gnp_state.str___array_ufunc__);
    PyErr_Clear();
    int plain = own != ours;
    Py_XDECREF(own);
    Py_XDECREF(ours);
    GnpArray *a = (GnpArray *)operand;
    return plain ? (PyObject *)gnp_array_view_dtype(a, gnp_array_type, (GnpDtype)a->dtype)
                 : Py_NewRef(operand);
}

/* The tuple of outputs with plain views of subclasses. */
static PyObject *
plain_outputs(PyObject *outputs)
{
    Py_ssize_t n = PyTuple_GET_SIZE(outputs);
    PyObject *ret = PyTuple_New(n);
    for (Py_ssize_t i = 0; ret != NULL && i < n; i++) {
        PyObject *output = PyTuple_GET_ITEM(outputs, i);
        output = gnp_is_subclass(output) ? plain_again(output) : Py_NewRef(output);
        if (output == NULL) {
            Py_CLEAR(ret);
        }
        else {
            PyTuple_SET_ITEM(ret, i, output);
        }
    }
    return ret;
}

/* Results that are outputs come back as the objects that were given. */
static PyObject *
outputs_again(GNP_STEAL PyObject *result, PyObject *plain, PyObject *given)
{
    if (PyTuple_Check(result)) {
        Py_ssize_t n = PyTuple_GET_SIZE(result);
        PyObject *ret = PyTuple_New(n);
        for (Py_ssize_t i = 0; ret != NULL && i < n; i++) {
            PyObject *one = Py_NewRef(PyTuple_GET_ITEM(result, i));
            PyTuple_SET_ITEM(ret, i, outputs_again(one, plain, given));
        }
        Py_DECREF(result);
        return ret;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plain); i++) {
        if (PyTuple_GET_ITEM(plain, i) == result && result != Py_None) {
            Py_SETREF(result, Py_NewRef(PyTuple_GET_ITEM(given, i)));
        }
    }
    return result;
}

/* target(*inputs, **named). Keyword values follow the inputs in the vector, borrowed. */
static PyObject *
call_ufunc(PyObject *target, PyObject *const *inputs, Py_ssize_t ninputs, PyObject *kwnames)
{
    enum { MOST = 5 }; /* no ufunc has more inputs */
    PyObject *stack[MOST + 16], *given = NULL;
    PyObject *plain = NULL; /* owned */
    PyObject *ret = NULL;
    Py_ssize_t nkeys = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0, n = 0;
    if (ninputs > MOST || nkeys > 16) {
        return PyObject_Vectorcall(target, inputs, (size_t)ninputs, kwnames);
    }
    for (; n < ninputs; n++) {
        stack[n] = plain_again(inputs[n]);
        if (stack[n] == NULL) {
            goto fail;
        }
    }
    for (Py_ssize_t k = 0; k < nkeys; k++) {
        PyObject *value = inputs[ninputs + k];
        if (PyTuple_Check(value) &&
            PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), "out") == 0) {
            given = value;
            GNP_NEW(plain, plain_outputs(given));
            value = plain;
        }
        stack[ninputs + k] = value;
    }
    ret = PyObject_Vectorcall(target, stack, (size_t)ninputs, kwnames);
    if (ret != NULL && plain != NULL) {
        ret = outputs_again(ret, plain, given);
    }
fail:
    Py_XDECREF(plain);
    while (n > 0) {
        Py_DECREF(stack[--n]);
    }
    return ret;
}

/* NumPy passes the ufunc, the method's name and the inputs; outputs and the rest are keywords. */
static PyObject *
array_array_ufunc(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    PyObject *target = NULL; /* owned */
    PyObject *ret = NULL;

    if (nargs < 2 || !PyUnicode_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "__array_ufunc__ takes a ufunc, a method name and inputs");
        return NULL;
    }
    if (gnp_called_by_plotting()) {
        return on_the_host("call_ufunc", args, nargs, kwnames);
    }
    if (any_must_defer(args + 2, nargs - 2, args + nargs, kwnames)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *ours = ufunc_counterpart(args[0]);
    if (ours == NULL) {
        return NULL;
    }
    if (ours == Py_None) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (PyUnicode_CompareWithASCIIString(args[1], "__call__") == 0) {
        return call_ufunc(ours, args + 2, nargs - 2, kwnames);
    }
    target = PyObject_GetAttr(ours, args[1]);
    if (target == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (target != NULL) {
        ret = PyObject_Vectorcall(target, args + 2, (size_t)(nargs - 2), kwnames);
    }
    Py_XDECREF(target);
    return ret;
}

/* The versions of the standard that are known to be supported. */
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
        ok = PyUnicode_Check(given[0]) && PyUnicode_CompareWithASCIIString(given[0], known[i]) == 0;
    }
    if (!ok) {
        PyErr_Format(PyExc_ValueError, "unknown version of the array API standard: %R", given[0]);
        return NULL;
    }
    return PyImport_ImportModule("gpunp");
}

/* ---- text ------------------------------------------------------------------------------------ */

/* gpunp._core.arrayprint.<name>(self). Cached under the function's name: printing is used in loops
 * of debug output. */
static PyObject *
call_arrayprint(const char *name, PyObject *self)
{
    PyObject *key = PyUnicode_FromString(name);
    PyObject *function =
        key == NULL ? NULL : PyDict_GetItemWithError(gnp_state.python_functions, key);
    if (function == NULL && key != NULL && !PyErr_Occurred()) {
        PyObject *home = PyImport_ImportModule("gpunp._core.arrayprint");
        PyObject *found = home == NULL ? NULL : PyObject_GetAttr(home, key);
        if (found != NULL && PyDict_SetItem(gnp_state.python_functions, key, found) == 0) {
            function = found;
        }
        Py_XDECREF(home);
        Py_XDECREF(found); /* the cache holds it */
    }
    Py_XDECREF(key);
    int previous;
    if (function == NULL || gnp_array_enter((GnpArray *)self, &previous) < 0) {
        return NULL;
    }
    PyObject *text = PyObject_CallOneArg(function, self);
    gnp_array_leave((GnpArray *)self, previous);
    return text;
}

PyObject *
gnp_array_repr(PyObject *self)
{
    return call_arrayprint("array_repr", self);
}

PyObject *
gnp_array_str(PyObject *self)
{
    return call_arrayprint("array_str", self);
}

static PyObject *
array_repr_html(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return call_arrayprint("array_html", self);
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)

PyMethodDef gnp_override_methods[] = {
    {"__array_function__", FAST(array_array_function), METH_FASTCALL | METH_KEYWORDS,
     "__array_function__($self, /, func, types, args, kwargs)\n--\n\n"
     "Implement NumPy's functions (NEP 18)."},
    {"__array_ufunc__", FAST(array_array_ufunc), METH_FASTCALL | METH_KEYWORDS,
     "__array_ufunc__($self, ufunc, method, /, *inputs, **kwargs)\n--\n\n"
     "Implement the ufuncs of NumPy and scipy.special (NEP 13)."},
    {"__array_namespace__", FAST(array_array_namespace), METH_FASTCALL | METH_KEYWORDS,
     "__array_namespace__($self, /, *, api_version=None)\n--\n\n"
     "Return the module gpunp."},
    {"_repr_html_", array_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"
     "Return what notebooks show: type, shape, dtype, size, device and a corner of the values."},
    {NULL, NULL, 0, NULL},
};

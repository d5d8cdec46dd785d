/* Subclasses of the array as operands of ufuncs (NEP 13): one that has an __array_ufunc__ of its
 * own is asked, results of the others have the class of the operand with the highest priority.
 * Plain arrays and numbers cost one type comparison each. Runs before arguments are parsed,
 * since a class may accept other arguments than the ufunc does. */
#include "ufunc/ufunc.h"

/* Whether a class that is none of arrays wants to be asked, as that of distributed arrays does. The
 * __array_ufunc__ of other libraries alone is not enough: most would copy our arrays to the host.
 */
static int
is_foreign(const PyTypeObject *type)
{
    return type != gnp_array_type && (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 &&
           PyObject_HasAttrString((PyObject *)(uintptr_t)type, "__gpunp_ufuncs__");
}

/* 1: the class has its own __array_ufunc__; -1 with an exception. */
static int
has_own(PyObject *operand)
{
    if (!gnp_is_subclass(operand)) {
        return is_foreign(Py_TYPE(operand));
    }
    /* On the class, not on the object, as Python looks up special methods. */
    PyObject *own = PyObject_GetAttr((PyObject *)Py_TYPE(operand), gnp_state.str___array_ufunc__);
    PyObject *ours = PyObject_GetAttr((PyObject *)gnp_array_type, gnp_state.str___array_ufunc__);
    int differs = own == NULL || ours == NULL ? -1 : own != ours;
    Py_XDECREF(own);
    Py_XDECREF(ours);
    return differs;
}

/* The keywords with `out` as a tuple, which outputs given by position join. */
static PyObject *
keywords(const GnpUfunc *u, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    int nin = u->row->op.nin;
    PyObject *out = NULL; /* owned */
    PyObject *ret = PyDict_New();
    for (Py_ssize_t k = 0; ret != NULL && kwnames != NULL && k < PyTuple_GET_SIZE(kwnames); k++) {
        GNP_TRY(PyDict_SetItem(ret, PyTuple_GET_ITEM(kwnames, k), args[nargs + k]));
    }
    if (ret == NULL) {
        return NULL;
    }
    PyObject *given = PyDict_GetItemWithError(ret, gnp_state.str_out); /* borrowed */
    if (nargs > nin) {
        GNP_NEW(out, PyTuple_New(nargs - nin));
        for (Py_ssize_t i = nin; i < nargs; i++) {
            PyTuple_SET_ITEM(out, i - nin, Py_NewRef(args[i]));
        }
    }
    else if (given != NULL && !PyTuple_Check(given)) {
        GNP_NEW(out, PyTuple_Pack(1, given));
    }
    if (out != NULL) {
        GNP_TRY(PyDict_SetItem(ret, gnp_state.str_out, out));
    }
    Py_XDECREF(out);
    return ret;
fail:
    Py_XDECREF(out);
    Py_XDECREF(ret);
    return NULL;
}

/* operand.__array_ufunc__(ufunc, "__call__", *inputs, **keywords). */
static PyObject *
ask(const GnpUfunc *u, PyObject *operand, PyObject *const *args, PyObject *named)
{
    int nin = u->row->op.nin;
    PyObject *method = NULL;     /* owned */
    PyObject *positional = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_NEW(method, PyObject_GetAttr(operand, gnp_state.str___array_ufunc__));
    if (method == Py_None) {
        PyErr_Format(PyExc_TypeError, "operand '%s' does not support ufuncs (__array_ufunc__=None)",
                     Py_TYPE(operand)->tp_name);
        goto fail;
    }
    GNP_NEW(positional, PyTuple_New(2 + nin));
    PyTuple_SET_ITEM(positional, 0, Py_NewRef((PyObject *)(uintptr_t)u));
    for (int i = 0; i < nin; i++) {
        PyTuple_SET_ITEM(positional, 2 + i, Py_NewRef(args[i]));
    }
    PyObject *name = PyUnicode_FromString("__call__");
    if (name != NULL) {
        PyTuple_SET_ITEM(positional, 1, name);
        ret = PyObject_Call(method, positional, named);
    }
fail:
    Py_XDECREF(method);
    Py_XDECREF(positional);
    return ret;
}

/* All operands into `all`: arguments, then outputs given by name. Their number. */
static int
all_operands(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, PyObject **all)
{
    int n = 0;
    for (Py_ssize_t i = 0; i < nargs && n < GNP_MAX_ARGS; i++) {
        all[n++] = args[i];
    }
    for (Py_ssize_t k = 0; kwnames != NULL && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *value = args[nargs + k];
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), "out") != 0) {
            continue;
        }
        if (!PyTuple_Check(value)) {
            all[n++] = value;
        }
        for (Py_ssize_t i = 0;
             PyTuple_Check(value) && i < PyTuple_GET_SIZE(value) && n < 2 * GNP_MAX_ARGS; i++) {
            all[n++] = PyTuple_GET_ITEM(value, i);
        }
    }
    return n;
}

/* The operands are asked in order until one does not return NotImplemented, which this function
 * returns where no operand has a method of its own. NULL with an exception. */
PyObject *
gnp_ufunc_overridden(const GnpUfunc *u, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *all[2 * GNP_MAX_ARGS + 1]; /* borrowed */
    PyObject *named = NULL;              /* owned */
    PyObject *ret = Py_NewRef(Py_NotImplemented);
    int any = 0, n = nargs < u->row->op.nin ? 0 : all_operands(args, nargs, kwnames, all);
    for (int i = 0; i < n && ret == Py_NotImplemented; i++) {
        int own = has_own(all[i]);
        if (own > 0 && named == NULL) {
            named = keywords(u, args, nargs, kwnames);
        }
        if (own < 0 || (own > 0 && named == NULL)) {
            Py_CLEAR(ret);
        }
        else if (own > 0) {
            any = 1;
            Py_SETREF(ret, ask(u, all[i], args, named));
        }
    }
    if (any && ret == Py_NotImplemented) {
        PyErr_Format(PyExc_TypeError,
                     "operand type(s) all returned NotImplemented from __array_ufunc__(%R, "
                     "'__call__', ...)",
                     (PyObject *)(uintptr_t)u);
        Py_CLEAR(ret);
    }
    Py_XDECREF(named);
    return ret;
}

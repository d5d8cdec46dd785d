/* Functions that also take CuPy's names and positions of their parameters, beside NumPy's.
 *
 * A call by NumPy's names goes straight to the function and costs one test per keyword. A call that
 * uses one of the other names, or more positional arguments than NumPy's function has parameters,
 * goes through gpunp._core.renaming, which knows the table. Where host arrays are accepted
 * (on_host), a call whose first argument is another library's array (of NumPy, Dask) goes to that
 * function instead. The object stands in for the function in the package's namespace, so it answers
 * for it: attributes, repr and pickle are the function's. All under the GIL; it is tracked by the
 * garbage collector, since functions refer to modules. */
#include "core/core_internal.h"

#include <structmember.h>

/* All fields but the vector call are owned. `weakrefs` is the list that weak references need. */
typedef struct {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject *function;
    PyObject *names;     /* a dict whose keys are the other names */
    PyObject *translate; /* translate(args, kwargs) */
    PyObject *on_host;   /* what is called with arrays of others, or None */
    Py_ssize_t most;     /* positional arguments that need no translation */
    PyObject *weakrefs;
} Renamed;

/* 1: a keyword is one of the other names; -1 on failure. */
static int
any_other_name(const Renamed *self, PyObject *kwnames)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); k++) {
        int found = PyDict_Contains(self->names, PyTuple_GET_ITEM(kwnames, k));
        if (found != 0) {
            return found;
        }
    }
    return 0;
}

/* The slow way: a tuple and a dict for Python code that knows the table. */
static PyObject *
call_translated(const Renamed *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *positional = NULL; /* owned */
    PyObject *named = NULL;      /* owned */
    PyObject *ret = NULL;

    GNP_NEW(positional, PyTuple_New(nargs));
    GNP_NEW(named, PyDict_New());
    for (Py_ssize_t i = 0; i < nargs; i++) {
        PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
    }
    for (Py_ssize_t k = 0; kwnames != NULL && k < PyTuple_GET_SIZE(kwnames); k++) {
        GNP_TRY(PyDict_SetItem(named, PyTuple_GET_ITEM(kwnames, k), args[nargs + k]));
    }
    PyObject *const call[] = {positional, named};
    ret = PyObject_Vectorcall(self->translate, call, 2, NULL);
fail:
    Py_XDECREF(positional);
    Py_XDECREF(named);
    return ret;
}

/* An array of NumPy, or of a library that answers for NumPy's functions itself. */
static int
is_anothers(PyObject *object)
{
    return !gnp_array_check(object) &&
           (gnp_is_numpy_array(object) ||
            PyObject_HasAttrString((PyObject *)Py_TYPE(object), "__array_function__"));
}

/* Called for every use of the function, hence the vector call and as few tests as possible. */
static PyObject *
renamed_call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    const Renamed *self = (const Renamed *)object;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (self->on_host != Py_None && nargs > 0 && is_anothers(args[0])) {
        return PyObject_Vectorcall(self->on_host, args, nargsf, kwnames);
    }
    int other = nargs > self->most;
    if (!other && kwnames != NULL) {
        other = any_other_name(self, kwnames);
    }
    if (other < 0) {
        return NULL;
    }
    return other ? call_translated(self, args, nargs, kwnames)
                 : PyObject_Vectorcall(self->function, args, nargsf, kwnames);
}

/* Name, docstring, module and all else are the function's. */
static PyObject *
renamed_getattro(PyObject *object, PyObject *name)
{
    static const char *const own[] = {"__class__", "__wrapped__", "__reduce__", "__reduce_ex__",
                                      "__call__",  "__get__",     "__repr__",   NULL};
    for (int i = 0; own[i] != NULL; i++) {
        if (PyUnicode_CompareWithASCIIString(name, own[i]) == 0) {
            return PyObject_GenericGetAttr(object, name);
        }
    }
    return PyObject_GetAttr(((Renamed *)object)->function, name);
}

/* As the function is shown, since users see no difference between the two. */
static PyObject *
renamed_repr(PyObject *object)
{
    return PyObject_Repr(((Renamed *)object)->function);
}

/* A string is pickled as the name of a global of the object's module. */
static PyObject *
renamed_reduce(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    return PyObject_GetAttrString(((Renamed *)object)->function, "__qualname__");
}

/* As functions do: an attribute of a class becomes a bound method. */
static PyObject *
renamed_descr_get(PyObject *object, PyObject *instance, PyObject *Py_UNUSED(type))
{
    return instance == NULL || instance == Py_None ? Py_NewRef(object)
                                                   : PyMethod_New(object, instance);
}

/* Heap types visit their type too (CPython documentation, Py_TPFLAGS_HAVE_GC). */
static int
renamed_traverse(PyObject *object, visitproc visit, void *arg)
{
    Renamed *self = (Renamed *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->function);
    Py_VISIT(self->names);
    Py_VISIT(self->translate);
    Py_VISIT(self->on_host);
    return 0;
}

static int
renamed_clear(PyObject *object)
{
    Renamed *self = (Renamed *)object;
    Py_CLEAR(self->function);
    Py_CLEAR(self->names);
    Py_CLEAR(self->translate);
    Py_CLEAR(self->on_host);
    return 0;
}

/* Untracked first, so that the collector does not see it while it is taken apart. */
static void
renamed_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (((Renamed *)object)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    renamed_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Checked once here, so that a call need not check. */
static PyObject *
renamed_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature signature =
        GNP_SIGNATURE("renamed(function, names, translate, most, on_host=None)");
    PyObject *given[5];
    int64_t most;
    if (gnp_args_bind_call(&signature, args, kwargs, given) < 0 ||
        gnp_size_from_object(given[3], "most", &most) < 0) {
        return NULL;
    }
    if (!PyCallable_Check(given[0]) || !PyCallable_Check(given[2]) || !PyDict_Check(given[1])) {
        PyErr_SetString(PyExc_TypeError,
                        "renamed() takes a function, a dict of names and a function");
        return NULL;
    }
    Renamed *self = (Renamed *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->vectorcall = renamed_call;
        self->function = Py_NewRef(given[0]);
        self->names = Py_NewRef(given[1]);
        self->translate = Py_NewRef(given[2]);
        self->on_host = Py_NewRef(given[4] != NULL ? given[4] : Py_None);
        self->most = (Py_ssize_t)most;
    }
    return (PyObject *)self;
}

static PyMemberDef members[] = {
    {"__wrapped__", T_OBJECT_EX, offsetof(Renamed, function), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Renamed, vectorcall), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Renamed, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"__reduce__", renamed_reduce, METH_NOARGS,
     "__reduce__($self, /)\n--\n\n"
     "Return the name of the function, for pickle."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)(uintptr_t)"renamed(function, names, translate, most, on_host=None)\n--\n\n"
                                   "A function that takes other names of its parameters too."},
    {Py_tp_new, renamed_new},
    {Py_tp_dealloc, renamed_dealloc},
    {Py_tp_traverse, renamed_traverse},
    {Py_tp_clear, renamed_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_getattro, renamed_getattro},
    {Py_tp_descr_get, renamed_descr_get},
    {Py_tp_repr, renamed_repr},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {"gpunp._C.renamed", sizeof(Renamed), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                           slots};

int
gnp_renamed_init(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL); /* owned */
    int status = type == NULL ? -1 : PyModule_AddObjectRef(module, "renamed", type);
    Py_XDECREF(type);
    return status;
}

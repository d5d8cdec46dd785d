/* `with gpunp.allow_host_copy():`, a context variable, so that threads and tasks do not see each
 * other's setting.
 *
 * Plotting happens on the host, so Matplotlib gets copies implicitly: its functions convert by
 * numpy.asarray, by NumPy's functions or by operators, and few of them use its units registry,
 * which is why the calling frame is examined instead. */
#include "core/core_internal.h"

typedef struct {
    PyObject_HEAD PyObject *tokens; /* owned list: one per __enter__ still open */
} HostCopy;

/* Frames of NumPy in between are skipped: Matplotlib calls it, and it calls us. */
int
gnp_called_by_plotting(void)
{
    static const char *const packages[] = {"matplotlib", "mpl_toolkits", NULL};
    return gnp_caller_is(packages, "numpy");
}

/* Asked only where an implicit copy would otherwise raise, so the walk over frames is not on a hot
 * path. */
int
gnp_hostcopy_allowed(void)
{
    PyObject *value;
    if (PyContextVar_Get(gnp_state.host_copy, Py_False, &value) < 0) {
        return -1;
    }
    int truth = value == Py_True;
    Py_XDECREF(value);
    return truth || gnp_called_by_plotting();
}

/* Without arguments, as they would be ignored. */
static PyObject *
hostcopy_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (PyTuple_GET_SIZE(args) > 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)) {
        PyErr_SetString(PyExc_TypeError, "allow_host_copy() takes no arguments");
        return NULL;
    }
    HostCopy *self = (HostCopy *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->tokens = PyList_New(0);
        if (self->tokens == NULL) {
            Py_CLEAR(self);
        }
    }
    return (PyObject *)self;
}

/* Tokens that are left belong to a context that was never left; they undo nothing by themselves. */
static void
hostcopy_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((HostCopy *)self)->tokens);
    type->tp_free(self);
    Py_DECREF((PyObject *)type);
}

/* A list of tokens, since one object may be entered several times. */
static PyObject *
hostcopy_enter(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    PyObject *token = PyContextVar_Set(gnp_state.host_copy, Py_True);
    int status = token == NULL ? -1 : PyList_Append(((HostCopy *)self)->tokens, token);
    Py_XDECREF(token);
    return status < 0 ? NULL : Py_NewRef(self);
}

/* False: exceptions pass through. Resetting in another context raises RuntimeError, as it does for
 * Python's own context variables. */
static PyObject *
hostcopy_exit(PyObject *self, PyObject *Py_UNUSED(args))
{
    PyObject *tokens = ((HostCopy *)self)->tokens;
    Py_ssize_t n = PyList_GET_SIZE(tokens);
    if (n == 0) {
        PyErr_SetString(PyExc_RuntimeError, "allow_host_copy was not entered");
        return NULL;
    }
    PyObject *token = Py_NewRef(PyList_GET_ITEM(tokens, n - 1));
    int status = PyList_SetSlice(tokens, n - 1, n, NULL);
    if (status == 0) {
        status = PyContextVar_Reset(gnp_state.host_copy, token);
    }
    Py_DECREF(token);
    return status < 0 ? NULL : Py_NewRef(Py_False);
}

static PyMethodDef methods[] = {
    {"__enter__", hostcopy_enter, METH_NOARGS, NULL},
    {"__exit__", hostcopy_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(doc,
             "allow_host_copy()\n--\n\n"
             "Context manager that allows implicit copies to the host.\n\n"
             "Within it, numpy.asarray and libraries that call it convert device arrays to NumPy\n"
             "arrays instead of raising TypeError.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)(uintptr_t)doc},
    {Py_tp_new, hostcopy_new},
    {Py_tp_dealloc, hostcopy_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {"gpunp.allow_host_copy", sizeof(HostCopy), 0, Py_TPFLAGS_DEFAULT, slots};

int
gnp_hostcopy_init(PyObject *module)
{
    gnp_state.host_copy = PyContextVar_New("gpunp.allow_host_copy", Py_False);
    PyObject *type =
        gnp_state.host_copy == NULL ? NULL : PyType_FromModuleAndSpec(module, &spec, NULL);
    int status = type == NULL ? -1 : PyModule_AddObjectRef(module, "allow_host_copy", type);
    Py_XDECREF(type);
    return status;
}

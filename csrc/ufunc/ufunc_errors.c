/* Errors of ufunc calls, with NumPy's messages and, where NumPy has them, its exception types.
 * Programs test for these types and texts, so both follow NumPy's source. Each function sets the
 * exception and returns -1, with the GIL. */
#include "ufunc/ufunc.h"

/* numpy._core._exceptions.NAME(*args) raised; plain TypeError if NumPy no longer has it. Programs
 * catch these classes, though they are private to NumPy; their text is made by NumPy. */
static int
raise_numpy(const char *name, PyObject *args, const char *plain)
{
    PyObject *module = NULL, *type = NULL, *value = NULL; /* owned */
    if (args != NULL) {
        module = PyImport_ImportModule("numpy._core._exceptions");
        type = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
        value = type != NULL ? PyObject_CallObject(type, args) : NULL;
    }
    if (value != NULL) {
        PyErr_SetObject(type, value);
    }
    else {
        PyErr_SetString(PyExc_TypeError, plain);
    }
    Py_XDECREF(module);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(args);
    return -1;
}

/* (dtype, ..., None) of inputs and outputs; what NumPy's exceptions print as "X -> None". In the
 * form that NumPy's exception class prints. The static table is indexed by GnpWeak, whose first
 * value is GNP_WEAK_NONE. */
static PyObject *
input_types(const GnpUfuncRow *row, const GnpInputType *in)
{
    int n = row->op.nin + row->op.nout;
    PyObject *ret = PyTuple_New(n);
    for (int i = 0; ret != NULL && i < n; i++) {
        PyObject *item = Py_None;
        if (i < row->op.nin && in[i].weak == GNP_WEAK_NONE) {
            PyObject *dtype = gnp_dtype_object(in[i].dtype);
            /* The dtype's class, without byte order or unit. */
            item = dtype != NULL ? (PyObject *)Py_TYPE(dtype) : NULL;
        }
        else if (i < row->op.nin) {
            static PyTypeObject *const types[] = {NULL, &PyBool_Type, &PyLong_Type, &PyFloat_Type,
                                                  &PyComplex_Type};
            item = (PyObject *)types[in[i].weak];
        }
        if (item == NULL) {
            Py_CLEAR(ret);
            break;
        }
        PyTuple_SET_ITEM(ret, i, Py_NewRef(item));
    }
    return ret;
}

/* Python's bool counts, as it adapts to bool arrays. */
static int
all_bool(const GnpUfuncRow *row, const GnpInputType *in)
{
    for (int i = 0; i < row->op.nin; i++) {
        if (in[i].weak != GNP_WEAK_BOOL &&
            (in[i].weak != GNP_WEAK_NONE || in[i].dtype != GNP_BOOL)) {
            return 0;
        }
    }
    return 1;
}

/* NumPy has texts of its own for two operations on bool. */
int
gnp_ufunc_no_loop(GnpUfunc *u, const GnpInputType *in)
{
    const GnpUfuncRow *row = u->row;
    if (all_bool(row, in) && row == &gnp_ufunc_rows[GNP_UFUNC_subtract]) {
        PyErr_SetString(
            PyExc_TypeError,
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the "
            "`^` operator, or the logical_xor function instead.");
        return -1;
    }
    if (all_bool(row, in) && row == &gnp_ufunc_rows[GNP_UFUNC_negative]) {
        PyErr_SetString(
            PyExc_TypeError,
            "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator "
            "or the logical_not function instead.");
        return -1;
    }
    /* The only case in which NumPy raises this class; programs tell it by the class. */
    if (all_bool(row, in) && row->classes[0] == '!') {
        PyObject *types = input_types(row, in);
        PyObject *args = types != NULL ? Py_BuildValue("(ON)", u, types) : NULL;
        return raise_numpy("_UFuncNoLoopError", args,
                           "ufunc did not contain a loop with signature matching types");
    }
    if (row == &gnp_ufunc_rows[GNP_UFUNC_isnat]) {
        PyErr_SetString(PyExc_TypeError,
                        "ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.");
        return -1;
    }
    PyErr_Format(PyExc_TypeError,
                 "ufunc '%s' not supported for the input types, and the inputs could not be safely "
                 "coerced to "
                 "any supported types according to the casting rule ''safe''",
                 row->op.name);
    return -1;
}

/* For dtype= and signature=, which no loop of the row fits. */
int
gnp_ufunc_no_match(GnpUfunc *u)
{
    PyErr_Format(PyExc_TypeError,
                 "No loop matching the specified signature and casting was found for ufunc %s",
                 u->row->op.name);
    return -1;
}

/* NumPy's classes carry ufunc, casting rule, dtypes and the operand's number. */
int
gnp_ufunc_cast_error(GnpUfunc *u, int is_output, int i, GnpDtype from, GnpDtype to,
                     GnpCasting casting)
{
    static const char *const names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    PyObject *from_object = gnp_dtype_object(from),
             *to_object = gnp_dtype_object(to); /* borrowed */
    PyObject *args = NULL;
    if (from_object != NULL && to_object != NULL) {
        args = Py_BuildValue("(OsOOi)", u, names[casting], from_object, to_object, i);
    }
    return raise_numpy(is_output ? "_UFuncOutputCastingError" : "_UFuncInputCastingError", args,
                       "Cannot cast ufunc operand with this casting rule");
}

/* A host array is the usual mistake, and gets a message that says what to do. */
int
gnp_ufunc_bad_operand(GnpUfunc *u, PyObject *operand)
{
    const char *name = u->row->op.name;
    if (gnp_is_numpy_array(operand) || PyList_Check(operand) || PyTuple_Check(operand)) {
        PyErr_Format(PyExc_TypeError,
                     "%s: unsupported type %R; move it to the device with cp.asarray(...) first",
                     name, Py_TYPE(operand));
    }
    else {
        PyErr_Format(PyExc_TypeError,
                     "%s: unsupported type %R; operands are gpunp arrays and numbers", name,
                     Py_TYPE(operand));
    }
    return -1;
}

/* Scalars are printed as (), outputs that were not given are left out. */
int
gnp_ufunc_bad_shapes(const GnpUfuncRow *row, GnpArray *const *arrays, int n)
{
    PyObject *text =
        PyUnicode_FromString("operands could not be broadcast together with shapes "); /* owned */
    for (int i = 0; text != NULL && i < n; i++) {
        /* An output that is not given yet is not in the message. */
        PyObject *shape = arrays[i] != NULL
                              ? gnp_tuple_from_ints(arrays[i]->ndim, gnp_shape(arrays[i]))
                              : (i < row->op.nin ? PyTuple_New(0) : NULL);
        if (shape == NULL) {
            if (PyErr_Occurred()) {
                Py_CLEAR(text);
            }
            continue;
        }
        /* NumPy prints (3,) and (2,3): no space after a comma. */
        PyObject *repr = PyObject_Repr(shape);
        PyObject *blank = PyUnicode_FromString(", "), *comma = PyUnicode_FromString(",");
        PyObject *tight = repr && blank && comma ? PyUnicode_Replace(repr, blank, comma, -1) : NULL;
        PyObject *longer = tight != NULL ? PyUnicode_FromFormat("%U%U ", text, tight) : NULL;
        Py_XDECREF(shape);
        Py_XDECREF(repr);
        Py_XDECREF(blank);
        Py_XDECREF(comma);
        Py_XDECREF(tight);
        Py_SETREF(text, longer);
    }
    if (text != NULL) {
        PyErr_SetObject(PyExc_ValueError, text);
        Py_DECREF(text);
    }
    return -1;
}

/* Whether another device's memory may be used is the program's decision, see gnp_peer_consent. */
int
gnp_ufunc_check_devices(const GnpUfuncRow *row, GnpArray *const *arrays, int n)
{
    const GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (arrays[i] == NULL || arrays[i]->device_id == device->id) {
            continue;
        }
        const int allowed = gnp_peer_consent(arrays[i]->device_id, device->id);
        if (allowed < 0) {
            return -1;
        }
        if (allowed == 0) {
            PyErr_Format(PyExc_ValueError,
                         "%s: an operand is on device %d while the current device is %d; enter "
                         "`with cp.cuda.Device(%d):` or move the array",
                         row->op.name, arrays[i]->device_id, device->id, arrays[i]->device_id);
            return -1;
        }
    }
    return 0;
}

/* Outputs are not broadcast, as NumPy requires too. */
int
gnp_ufunc_bad_out_shape(const GnpArray *out, int ndim, const int64_t *shape)
{
    PyObject *have = gnp_tuple_from_ints(out->ndim, gnp_shape(out)),
             *want = gnp_tuple_from_ints(ndim, shape);
    if (have != NULL && want != NULL) {
        PyErr_Format(
            PyExc_ValueError,
            "non-broadcastable output operand with shape %R doesn't match the broadcast shape %R",
            have, want);
    }
    Py_XDECREF(have);
    Py_XDECREF(want);
    return -1;
}

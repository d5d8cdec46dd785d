/* gpunp.ufunc: the type, its call, attributes and methods, and the objects of all rows.
 *
 * An object is a row and a cache of loops. It pickles by module and name and is callable by
 * vectorcall; the operators of arrays come here too (number.c).
 *
 * Objects are made at start-up and never freed. The cache of loops is a table by the codes of the
 * inputs, allocated at the first call.
 *
 * All functions hold the GIL; only compiling a kernel and waits for room in a stream release it.
 * A call never waits for the device.
 */
#include "ufunc/ufunc.h"

#include <structmember.h>

#include <stdlib.h>
#include <string.h>

PyTypeObject *gnp_ufunc_type;
GnpUfunc *gnp_ufuncs[GNP_NUFUNCS];

/* ---- arguments ------------------------------------------------------------------------------- */

/* None stands for an output that is to be made. */
static int
take_one_out(GnpUfunc *u, GnpUfuncCall *call, int i, PyObject *out)
{
    if (out == Py_None) {
        return 0;
    }
    if (out == Py_Ellipsis) {
        PyErr_SetString(PyExc_TypeError,
                        "out=... is only allowed as a keyword argument, and not in a tuple");
        return -1;
    }
    if (!gnp_array_check(out)) {
        PyErr_Format(PyExc_TypeError, "%s: return arrays must be gpunp arrays, not %R",
                     u->row->op.name, Py_TYPE(out));
        return -1;
    }
    call->out[i] = out;
    return 0;
}

/* A tuple has one entry per output; a single array is allowed where there is one output. */
static int
take_out(GnpUfunc *u, GnpUfuncCall *call, PyObject *out)
{
    int nout = u->row->op.nout;
    if (out == Py_Ellipsis) {
        return 0; /* NumPy: an array instead of a scalar; here results are always arrays */
    }
    if (!PyTuple_Check(out)) {
        if (nout > 1 && out != Py_None) {
            PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays");
            return -1;
        }
        return take_one_out(u, call, 0, out);
    }
    if (PyTuple_GET_SIZE(out) != nout) {
        PyErr_SetString(PyExc_ValueError,
                        "The 'out' tuple must have exactly one entry per ufunc output");
        return -1;
    }
    for (int i = 0; i < nout; i++) {
        if (take_one_out(u, call, i, PyTuple_GET_ITEM(out, i)) < 0) {
            return -1;
        }
    }
    return 0;
}

/* None leaves the operand's type open. */
static int
want(GnpUfuncCall *call, int i, PyObject *dtype)
{
    if (dtype == Py_None) {
        return 0;
    }
    call->wanted[i] = gnp_dtype_from_object(dtype);
    call->any_wanted = 1;
    return call->wanted[i] == GNP_NO_DTYPE ? -1 : 0;
}

/* dtype= names the type of the outputs; the loop search derives the inputs' from it. */
static int
take_dtype(GnpUfunc *u, GnpUfuncCall *call, PyObject *dtype)
{
    for (int i = 0; i < u->row->op.nout; i++) {
        if (want(call, u->row->op.nin + i, dtype) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The text says which forms are accepted, as NumPy's message does not. */
static int
bad_signature(GnpUfunc *u)
{
    PyErr_Format(PyExc_ValueError,
                 "%s: a signature is a string such as 'dd->d', or a tuple of %d dtypes or None, "
                 "one for each operand",
                 u->row->op.name, u->row->op.nin + u->row->op.nout);
    return -1;
}

/* NumPy deprecated this form, because it can mean the output or all operands. */
static int
bad_single_dtype(void)
{
    PyErr_SetString(PyExc_TypeError,
                    "a signature of one dtype is ambiguous: use dtype=, or a tuple with None for "
                    "the other operands");
    return -1;
}

/* "dd->d": one character per operand. 'q' and 'Q' are C's long long, which is the same as long
 * here. */
static int
take_signature_text(GnpUfunc *u, GnpUfuncCall *call, PyObject *signature)
{
    int nin = u->row->op.nin, nargs = nin + u->row->op.nout;
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(signature, &n);
    if (text == NULL) {
        return -1;
    }
    /* One letter can mean the output or all operands, as one dtype can. */
    if (n == 1) {
        return bad_single_dtype();
    }
    if (n != nargs + 2 || memcmp(text + nin, "->", 2) != 0) {
        return bad_signature(u);
    }
    for (int i = 0; i < nargs; i++) {
        char letter = text[i < nin ? i : i + 2];
        for (int t = 0; t < GNP_NDTYPES; t++) {
            if (gnp_dtypes[t].letter == letter || (letter == 'q' && t == GNP_I64) ||
                (letter == 'Q' && t == GNP_U64)) {
                call->wanted[i] = t;
                call->any_wanted = 1;
            }
        }
        if (call->wanted[i] == GNP_NO_DTYPE) {
            return bad_signature(u);
        }
    }
    return 0;
}

/* Text, as str or bytes, or a tuple of dtypes; dtype= is a short form of it, so both are an error.
 */
static int
take_signature(GnpUfunc *u, GnpUfuncCall *call, PyObject *signature)
{
    if (signature == Py_None) {
        return 0;
    }
    if (call->any_wanted) {
        PyErr_SetString(PyExc_TypeError, "cannot specify both 'signature' and 'dtype'");
        return -1;
    }
    if (PyUnicode_Check(signature)) {
        return take_signature_text(u, call, signature);
    }
    if (PyBytes_Check(signature)) {
        PyObject *text = PyUnicode_DecodeASCII(PyBytes_AS_STRING(signature),
                                               PyBytes_GET_SIZE(signature), NULL); /* owned */
        const int status = text == NULL ? -1 : take_signature_text(u, call, text);
        Py_XDECREF(text);
        return status;
    }
    int nargs = u->row->op.nin + u->row->op.nout;
    if (!PyTuple_Check(signature)) {
        PyErr_SetString(PyExc_TypeError,
                        "the signature object to ufunc must be a string or a tuple.");
        return -1;
    }
    if (PyTuple_GET_SIZE(signature) == 1) {
        return bad_single_dtype();
    }
    if (PyTuple_GET_SIZE(signature) != nargs) {
        return bad_signature(u);
    }
    for (int i = 0; i < nargs; i++) {
        if (want(call, i, PyTuple_GET_ITEM(signature, i)) < 0) {
            return -1;
        }
    }
    return 0;
}

/* In the order of `names` in find_keyword. */
typedef enum {
    KEY_OUT,
    KEY_WHERE,
    KEY_DTYPE,
    KEY_CASTING,
    KEY_ORDER,
    KEY_SIGNATURE,
    KEY_SUBOK,
    NKEYS
} Keyword;

/* Names in calls are interned, so a comparison of pointers nearly always finds them. */
static int
find_keyword(PyObject *name)
{
    PyObject *const names[NKEYS] = {
        gnp_state.str_out,   gnp_state.str_where,     gnp_state.str_dtype, gnp_state.str_casting,
        gnp_state.str_order, gnp_state.str_signature, gnp_state.str_subok};
    for (int i = 0; i < NKEYS; i++) {
        if (names[i] == name) {
            return i;
        }
    }
    for (int i = 0; i < NKEYS; i++) {
        if (PyUnicode_Compare(names[i], name) == 0) {
            return i;
        }
    }
    /* NumPy's old name, rare enough to come last. */
    return PyUnicode_CompareWithASCIIString(name, "sig") == 0 ? KEY_SIGNATURE : -1;
}

/* The order of the checks is that of NumPy's errors. */
static int
take_keyword(GnpUfunc *u, GnpUfuncCall *call, PyObject *name, PyObject *value)
{
    switch (find_keyword(name)) {
    case KEY_OUT:
        if (call->positional_out) {
            PyErr_SetString(PyExc_TypeError,
                            "cannot specify 'out' as both a positional and keyword argument");
            return -1;
        }
        call->keyword_out = 1;
        return take_out(u, call, value);
    case KEY_WHERE:
        /* A mask of True selects everything, which the fast kernels do without a mask. */
        call->where = value == Py_True || value == Py_None ? NULL : value;
        return 0;
    case KEY_DTYPE:
        if (call->any_wanted) {
            PyErr_SetString(PyExc_TypeError, "cannot specify both 'signature' and 'dtype'");
            return -1;
        }
        return take_dtype(u, call, value);
    case KEY_CASTING:
        return gnp_casting_from_object(value, &call->casting);
    case KEY_ORDER:
        return gnp_order_from_object(value, 'K', &call->order);
    case KEY_SIGNATURE:
        return take_signature(u, call, value);
    case KEY_SUBOK:
        call->plain = PyObject_Not(value);
        return call->plain < 0 ? -1 : 0;
    default:
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'",
                     u->row->op.name, name);
        return -1;
    }
}

/* Everything is borrowed from the caller's vector. */
static int
take_arguments(GnpUfunc *u, GnpUfuncCall *call, PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames)
{
    int nin = u->row->op.nin, nout = u->row->op.nout;
    *call = (GnpUfuncCall){.casting = GNP_CAST_SAME_KIND, .order = 'K'};
    for (int i = 0; i < GNP_MAX_ARGS; i++) {
        call->wanted[i] = GNP_NO_DTYPE;
    }
    /* Outputs may follow the inputs by position, as in NumPy. */
    if (nargs < nin || nargs > nin + nout) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes from %d to %d positional arguments but %zd %s given",
                     u->row->op.name, nin, nin + nout, nargs, nargs == 1 ? "was" : "were");
        return -1;
    }
    for (int i = 0; i < nin; i++) {
        call->in[i] = args[i];
    }
    for (int i = nin; i < nargs; i++) {
        call->positional_out = 1;
        if (take_one_out(u, call, i - nin, args[i]) < 0) {
            return -1;
        }
    }
    Py_ssize_t nkeys = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < nkeys; i++) {
        if (take_keyword(u, call, PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0) {
            return -1;
        }
    }
    /* Elements where the mask is false are then uninitialised: NumPy warns, so does this. */
    if (call->where != NULL && !call->positional_out && !call->keyword_out) {
        return gnp_warn(
            PyExc_UserWarning,
            "'where' used without 'out', expect unitialized memory in output. If this is "
            "intentional, use out=None.");
    }
    return 0;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* The output of a call with no other keyword; NULL when there are others. `a + b` and `a += b` come
 * here: no other keyword keeps a call from the fast path. */
static PyObject *
only_out(const GnpUfunc *u, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    int nin = u->row->op.nin;
    if (nargs == nin + 1 && kwnames == NULL) {
        return args[nin];
    }
    if (nargs == nin && kwnames != NULL && PyTuple_GET_SIZE(kwnames) == 1 &&
        PyTuple_GET_ITEM(kwnames, 0) == gnp_state.str_out) {
        return args[nin];
    }
    return NULL;
}

/* A return of 0 from the fast path means that it does not apply, not that it failed. */
static PyObject *
ufunc_vectorcall(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    GnpUfunc *u = (GnpUfunc *)self;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    PyObject *out = NULL, *result;
    if ((nargs == u->row->op.nin && kwnames == NULL) ||
        (out = only_out(u, args, nargs, kwnames)) != NULL) {
        /* Before anything about overriding or casting is looked at: most calls end here. */
        int done = gnp_ufunc_fast(u, args, out, &result);
        if (done != 0) {
            return done > 0 ? result : NULL;
        }
    }
    GnpUfuncCall call;
    /* Other classes are asked before arguments are checked, as they may take different ones. */
    result = gnp_ufunc_overridden(u, args, nargs, kwnames);
    if (result != Py_NotImplemented) {
        return result;
    }
    Py_DECREF(result);
    if (take_arguments(u, &call, args, nargs, kwnames) < 0) {
        return NULL;
    }
    return gnp_ufunc_general(u, &call);
}

/* ---- methods --------------------------------------------------------------------------------- */

/* Sixteen is more than there are keywords. */
static PyObject *
call_with_keywords(PyObject *self, PyObject *a, PyObject *b, PyObject *const *values,
                   PyObject *kwnames)
{
    Py_ssize_t nkeys = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
    PyObject *stack[2 + 16];
    if (nkeys > 16) {
        PyErr_SetString(PyExc_TypeError, "too many keyword arguments");
        return NULL;
    }
    stack[0] = a;
    stack[1] = b;
    for (Py_ssize_t i = 0; i < nkeys; i++) {
        stack[2 + i] = values[i];
    }
    return ufunc_vectorcall(self, stack, 2, kwnames);
}

PyDoc_STRVAR(outer_doc, "outer($self, A, B, /, **kwargs)\n--\n\n"
                        "Apply the ufunc to all pairs of elements of A and B.\n\n"
                        "The result has A's axes, then B's.\n\n"
                        "Parameters\n----------\n"
                        "A, B : array_like\n    First and second operand.\n"
                        "**kwargs\n    Other keyword arguments of the ufunc.\n\n"
                        "Returns\n-------\n"
                        "ndarray\n    Array of shape A.shape + B.shape.\n\n"
                        "Examples\n--------\n"
                        ">>> import gpunp as cp\n"
                        ">>> cp.multiply.outer(cp.array([1, 2]), cp.array([3, 4]))\n"
                        "array([[3, 4],\n       [6, 8]])");

/* The left operand gets as many axes of length 1 as the right one has: broadcasting does the
 * rest. */
static PyObject *
ufunc_outer(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    const GnpUfuncRow *row = ((GnpUfunc *)self)->row;
    GnpArray *view = NULL; /* owned */
    PyObject *ret = NULL;
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    if (row->op.nin != 2) {
        PyErr_SetString(PyExc_ValueError, "outer product only supported for binary functions");
        return NULL;
    }
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError, "outer() takes exactly 2 positional arguments (%zd given)",
                     nargs);
        return NULL;
    }
    PyObject *a = args[0];
    /* Numbers broadcast by themselves; whatever else it is, the call refuses it. */
    if (gnp_array_check(args[0]) && gnp_array_check(args[1])) {
        GnpArray *left = (GnpArray *)args[0];
        int extra = ((GnpArray *)args[1])->ndim;
        if (left->ndim + extra > GNP_MAX_DIMS) {
            PyErr_Format(PyExc_ValueError, "the result would have more than %d dimensions",
                         GNP_MAX_DIMS);
            return NULL;
        }
        for (int axis = 0; axis < left->ndim + extra; axis++) {
            shape[axis] = axis < left->ndim ? gnp_shape(left)[axis] : 1;
            strides[axis] = axis < left->ndim ? gnp_strides(left)[axis] : 0;
        }
        GNP_NEW(view,
                gnp_array_view(left, left->data, left->ndim + extra, shape, strides, left->dtype));
        a = (PyObject *)view;
    }
    ret = call_with_keywords(self, a, args[1], args + nargs, kwnames);
fail:
    Py_XDECREF((PyObject *)view);
    return ret;
}

PyDoc_STRVAR(loop_dtypes_doc,
             "_loop_dtypes($self, dtypes, /)\n--\n\n"
             "Find the dtypes in which a call computes.\n\n"
             "Parameters\n----------\n"
             "dtypes : tuple\n"
             "    For each input its dtype, or the type int, float or complex for a number of\n"
             "    Python's; None for each output.\n\n"
             "Returns\n-------\n"
             "tuple of dtype\n    Types of all operands of the loop.\n\n"
             "Examples\n--------\n"
             ">>> import gpunp as cp, numpy as np\n"
             ">>> cp.add._loop_dtypes((np.dtype('f4'), float, None))\n"
             "(dtype('float32'), dtype('float32'), dtype('float32'))");

/* An entry of dtypes. -1 with an exception. */
static int
input_type(PyObject *entry, GnpInputType *type)
{
    *type = (GnpInputType){GNP_NO_DTYPE, entry == (PyObject *)&PyLong_Type      ? GNP_WEAK_INT
                                         : entry == (PyObject *)&PyFloat_Type   ? GNP_WEAK_FLOAT
                                         : entry == (PyObject *)&PyComplex_Type ? GNP_WEAK_COMPLEX
                                                                                : GNP_WEAK_NONE};
    if (type->weak == GNP_WEAK_NONE) {
        type->dtype = gnp_dtype_from_object(entry);
    }
    return type->weak == GNP_WEAK_NONE && type->dtype == GNP_NO_DTYPE ? -1 : 0;
}

/* For Python code that composes ufuncs and needs the type of the result beforehand. */
static PyObject *
ufunc_loop_dtypes(PyObject *self, PyObject *dtypes)
{
    GnpUfunc *u = (GnpUfunc *)self;
    const int nin = u->row->op.nin, nargs = nin + u->row->op.nout;
    GnpInputType types[GNP_MAX_IN];
    GnpLoop loop;
    PyObject *ret = NULL;
    if (!PyTuple_Check(dtypes) || PyTuple_GET_SIZE(dtypes) != nargs) {
        PyErr_Format(PyExc_TypeError, "%s._loop_dtypes: dtypes must be a tuple of %d entries",
                     u->row->op.name, nargs);
        return NULL;
    }
    for (int i = 0; i < nin; i++) {
        GNP_TRY(input_type(PyTuple_GET_ITEM(dtypes, i), &types[i]));
    }
    /* The exception is that of a call with such operands. */
    if (!gnp_loop_find(u->row, types, &loop)) {
        gnp_ufunc_no_loop(u, types);
        goto fail;
    }
    GNP_NEW(ret, PyTuple_New(nargs));
    for (int i = 0; i < nargs; i++) {
        PyObject *dtype = gnp_dtype_object((GnpDtype)loop.dtype[i]);
        if (dtype == NULL) {
            Py_CLEAR(ret);
            break;
        }
        PyTuple_SET_ITEM(ret, i, Py_NewRef(dtype));
    }
fail:
    return ret;
}

/* A string is the name of a global of the object's __module__. */
static PyObject *
ufunc_reduce_pickle(PyObject *self, PyObject *Py_UNUSED(noargs))
{
    return PyUnicode_FromString(((GnpUfunc *)self)->row->op.name); /* of its module */
}

/* As NumPy prints its ufuncs. */
static PyObject *
ufunc_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<ufunc '%s'>", ((GnpUfunc *)self)->row->op.name);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* SciPy's functions have lists of loops instead of classes of dtypes. */
static int
is_special(const GnpUfuncRow *row)
{
    return row->rule == RULE_LISTED;
}

/* The same for __name__, __qualname__ and name: ufuncs have no enclosing scope. */
static PyObject *
ufunc_get_name(PyObject *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(((GnpUfunc *)self)->row->op.name);
}

/* As declared in the table. */
static PyObject *
ufunc_get_nin(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(((GnpUfunc *)self)->row->op.nin);
}

/* As for nin. */
static PyObject *
ufunc_get_nout(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(((GnpUfunc *)self)->row->op.nout);
}

/* All operands that a call may name by position. */
static PyObject *
ufunc_get_nargs(PyObject *self, void *Py_UNUSED(closure))
{
    const GnpElementOp *op = &((GnpUfunc *)self)->row->op;
    return PyLong_FromLong(op->nin + op->nout);
}

/* Computed on each access: programs hardly read it. */
static PyObject *
ufunc_get_types(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_loop_types(((GnpUfunc *)self)->row);
}

/* The length of `types`, as in NumPy. */
static PyObject *
ufunc_get_ntypes(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *types = gnp_loop_types(((GnpUfunc *)self)->row);
    PyObject *ret = types != NULL ? PyLong_FromSsize_t(PyList_GET_SIZE(types)) : NULL;
    Py_XDECREF(types);
    return ret;
}

/* None also for ufuncs whose reduction needs an initial value. */
static PyObject *
ufunc_get_identity(PyObject *self, void *Py_UNUSED(closure))
{
    return gnp_ufunc_identity(((GnpUfunc *)self)->row);
}

static PyObject *
ufunc_get_core_signature(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    Py_RETURN_NONE; /* no row is a generalized ufunc */
}

/* "x1, x2", or what the row says. */
static void
write_names(GnpText *t, const GnpUfuncRow *row)
{
    const int count = row->op.nin;
    if (row->parameters != NULL) {
        gnp_text_add(t, "%s", row->parameters);
        return;
    }
    for (int i = 0; i < count; i++) {
        gnp_text_add(t, count == 1 ? "x" : i == 0 ? "x%d" : ", x%d", i + 1);
    }
}

/* "x1, x2, /, out=None, ...". The text for docstrings and for inspect.signature, so that they
 * agree. */
static void
write_parameters(GnpText *t, const GnpUfuncRow *row)
{
    write_names(t, row);
    gnp_text_add(t, row->op.nout == 1 ? ", /, out=None" : ", /, out=(None");
    for (int i = 1; i < row->op.nout; i++) {
        gnp_text_add(t, i + 1 < row->op.nout ? ", None" : ", None)");
    }
    gnp_text_add(
        t,
        ", *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None");
}

/* One phrase per rule. */
static const char *
result_words(const GnpUfuncRow *row)
{
    switch (row->rule) {
    case RULE_TEST:
    case RULE_COMPARE:
        return "Array of bool.";
    case RULE_PART:
        return "Array of the dtype of the input; for complex numbers, of their real part.";
    case RULE_COUNT:
        return "Array of uint8.";
    case RULE_FREXP:
        return "Array of floats, and array of int32.";
    case RULE_TRUE:
        return "Array of floats or complex numbers; integers give float64.";
    case RULE_REAL:
    case RULE_WIDE:
        return "Array of floats or complex numbers; integers are promoted first.";
    case RULE_LDEXP:
        return "Array of the first operand's dtype.";
    case RULE_LISTED:
        return "Array of floats or complex numbers, of the loop's type.";
    case RULE_SAME:
    case RULE_WHERE:
        break;
    }
    return "Array of the operands' common dtype.";
}

/* Keywords that generalized ufuncs have as well; the text is shared with gufunc.c. */
const char *
gnp_ufunc_options_doc(void)
{
    return "casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional\n"
           "    Rule that says which casts of the operands are allowed.\n"
           "order : {'K', 'A', 'C', 'F'}, optional\n"
           "    Memory layout of the result; 'K' keeps that of the inputs as closely as possible.\n"
           "dtype : dtype, optional\n"
           "    Type of the result, in which the function is computed. By default it follows\n"
           "    from the inputs.\n"
           "subok : bool, optional\n"
           "    Whether new results have the class of operands of a subclass, True by default;\n"
           "    otherwise they are plain arrays.\n"
           "signature : str, dtype or tuple of dtype, optional\n"
           "    Loop to use, such as 'dd->d', or the types of its operands.\n";
}

/* The list of the attribute `types`, for the notes of the docstring. */
static int
write_loops(GnpText *t, const GnpUfuncRow *row)
{
    PyObject *types = gnp_loop_types(row); /* owned */
    if (types == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(types); i++) {
        gnp_text_add(t, " %s", PyUnicode_AsUTF8(PyList_GET_ITEM(types, i)));
    }
    Py_DECREF(types);
    return 0;
}

/* Made on demand from the row: no process needs all of them. */
static PyObject *
ufunc_doc(const GnpUfuncRow *row)
{
    GnpText t = {0}; /* owned */
    PyObject *ret = NULL;
    gnp_text_add(&t, "%s(", row->op.name);
    write_parameters(&t, row);
    gnp_text_add(&t, ")\n\n%s\n\nParameters\n----------\n", row->summary);
    write_names(&t, row);
    gnp_text_add(&t,
                 " : gpunp.ndarray or number\n"
                 "    %s NumPy arrays and lists are refused: see cp.asarray.\n"
                 "out : gpunp.ndarray or tuple of gpunp.ndarray, optional\n"
                 "    Array into which the result is written, or a tuple with one for each\n"
                 "    output. By default a new array is returned.\n"
                 "where : gpunp.ndarray of bool, optional\n"
                 "    Mask, broadcast against the inputs. Where it is False, `out` keeps its\n"
                 "    values; without `out` these elements of the result are uninitialised.\n"
                 "%s\nReturns\n-------\n%s\n    %s\n\nNotes\n-----\nLoops:",
                 row->op.nin == 1 ? "Input array." : "Input arrays, broadcast against each other.",
                 gnp_ufunc_options_doc(),
                 row->op.nout == 1 ? "gpunp.ndarray" : "tuple of gpunp.ndarray", result_words(row));
    GNP_TRY(write_loops(&t, row));
    if (is_special(row)) {
        gnp_text_add(&t,
                     "\n\nThe largest error is %d units in the last place for float64 and %d for\n"
                     "float32.",
                     row->ulp, row->ulp32);
    }
    gnp_text_add(&t, "\n\nSee Also\n--------\n%s.%s\n", is_special(row) ? "scipy.special" : "numpy",
                 row->op.name);
    GNP_TRY(gnp_text_finish(&t));
    ret = PyUnicode_FromStringAndSize(t.text, (Py_ssize_t)t.used);
fail:
    gnp_text_clear(&t);
    return ret;
}

/* A docstring and a module for each object: the type has attributes of those names, which a getset
 * descriptor would hide. */
static PyObject *
ufunc_getattro(PyObject *self, PyObject *name)
{
    if (PyUnicode_CompareWithASCIIString(name, "__doc__") == 0) {
        return ufunc_doc(((GnpUfunc *)self)->row);
    }
    /* Pickles and help() look functions of SciPy up there. */
    if (PyUnicode_CompareWithASCIIString(name, "__module__") == 0 &&
        is_special(((GnpUfunc *)self)->row)) {
        return PyUnicode_FromString("gpunp.scipy.special._ufuncs");
    }
    return PyObject_GenericGetAttr(self, name);
}

/* An inspect.Signature, read off a lambda with the same parameters. Building a Signature object
 * parameter by parameter would be far longer. */
static PyObject *
ufunc_get_signature(PyObject *self, void *Py_UNUSED(closure))
{
    GnpText t = {0};                                        /* owned */
    PyObject *inspect = NULL, *scope = NULL, *model = NULL; /* owned */
    PyObject *ret = NULL;
    gnp_text_add(&t, "lambda ");
    write_parameters(&t, ((GnpUfunc *)self)->row);
    gnp_text_add(&t, ": None");
    GNP_TRY(gnp_text_finish(&t));
    GNP_NEW(scope, PyDict_New());
    /* The text is ours, so evaluating it runs nothing else. */
    GNP_NEW(model, PyRun_String(t.text, Py_eval_input, scope, scope));
    GNP_NEW(inspect, PyImport_ImportModule("inspect"));
    ret = PyObject_CallMethod(inspect, "signature", "O", model);
fail:
    Py_XDECREF(inspect);
    Py_XDECREF(scope);
    Py_XDECREF(model);
    gnp_text_clear(&t);
    return ret;
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyGetSetDef ufunc_getset[] = {
    {"__name__", ufunc_get_name, NULL, NULL, NULL},
    {"__qualname__", ufunc_get_name, NULL, NULL, NULL},
    {"__signature__", ufunc_get_signature, NULL, NULL, NULL},
    {"name", ufunc_get_name, NULL, "Name of the ufunc.", NULL},
    {"nin", ufunc_get_nin, NULL, "Number of inputs.", NULL},
    {"nout", ufunc_get_nout, NULL, "Number of outputs.", NULL},
    {"nargs", ufunc_get_nargs, NULL, "Number of operands, inputs and outputs.", NULL},
    {"types", ufunc_get_types, NULL, "Loops as character codes, such as 'dd->d'.", NULL},
    {"ntypes", ufunc_get_ntypes, NULL, "Number of loops.", NULL},
    {"identity", ufunc_get_identity, NULL, "Identity of the operation, or None.", NULL},
    {"signature", ufunc_get_core_signature, NULL,
     "None, as elementwise functions have no core dimensions.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef ufunc_methods[] = {
    {"outer", (PyCFunction)(void (*)(void))ufunc_outer, METH_FASTCALL | METH_KEYWORDS, outer_doc},
    {"_loop_dtypes", ufunc_loop_dtypes, METH_O, loop_dtypes_doc},
    {"__reduce__", ufunc_reduce_pickle, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(GnpUfunc, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* Reached only at failures of start-up, since objects live as long as the process. */
static void
ufunc_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    free(((GnpUfunc *)self)->loops);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot ufunc_slots[] = {
    {Py_tp_doc,
     GNP_DOC("Elementwise function of arrays, with broadcasting and casting.\n\n"
             "`gpunp.add` and its like are instances; each has a docstring of its own.")},
    {Py_tp_getattro, ufunc_getattro},
    {Py_tp_dealloc, ufunc_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_repr, ufunc_repr},
    {Py_tp_getset, ufunc_getset},
    {Py_tp_methods, ufunc_methods},
    {Py_tp_members, ufunc_members},
    {0, NULL},
};

static PyType_Spec ufunc_spec = {
    .name = "gpunp.ufunc",
    .basicsize = sizeof(GnpUfunc),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, /* gufunc.c derives from it */
    .slots = ufunc_slots,
};

/* Also for `where`, whose row is not in the table. */
GnpUfunc *
gnp_ufunc_new(const GnpUfuncRow *row)
{
    GnpUfunc *u = PyObject_New(GnpUfunc, gnp_ufunc_type);
    if (u != NULL) {
        u->vectorcall = ufunc_vectorcall;
        u->row = row;
        u->loops = NULL;
    }
    return u;
}

static const struct {
    const char *name;
    GnpUfuncId id;
} aliases[] = {
#define ALIAS(second, first) {#second, GNP_UFUNC_##first},
#include "tables/ufunc_aliases.def"
};
enum { NALIASES = sizeof aliases / sizeof *aliases };

/* For tests and stubs, which must know that two names are one object. */
PyObject *
gnp_ufunc_aliases(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(noargs))
{
    PyObject *ret = PyDict_New();
    for (int i = 0; ret != NULL && i < NALIASES; i++) {
        PyObject *first = PyUnicode_FromString(gnp_ufunc_rows[aliases[i].id].op.name);
        if (first == NULL || PyDict_SetItemString(ret, aliases[i].name, first) < 0) {
            Py_CLEAR(ret);
        }
        Py_XDECREF(first);
    }
    return ret;
}

/* By a dict, as they are not names of the main namespace. */
PyObject *
gnp_special_ufuncs(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(noargs))
{
    PyObject *ret = PyDict_New();
    for (int id = GNP_NUMPY_UFUNCS; ret != NULL && id < GNP_NUFUNCS; id++) {
        if (PyDict_SetItemString(ret, gnp_ufunc_rows[id].op.name, (PyObject *)gnp_ufuncs[id]) < 0) {
            Py_CLEAR(ret);
        }
    }
    return ret;
}

/* Aliases are further names of the same object, so `cp.abs is cp.absolute`. */
int
gnp_ufunc_init(PyObject *module)
{
    gnp_ufunc_type = (PyTypeObject *)PyType_FromSpec(&ufunc_spec);
    if (gnp_ufunc_type == NULL ||
        PyModule_AddObjectRef(module, "ufunc", (PyObject *)gnp_ufunc_type) < 0) {
        return -1;
    }
    for (int id = 0; id < GNP_NUFUNCS; id++) {
        gnp_ufuncs[id] = gnp_ufunc_new(&gnp_ufunc_rows[id]);
        if (gnp_ufuncs[id] == NULL ||
            (id < GNP_NUMPY_UFUNCS && PyModule_AddObjectRef(module, gnp_ufunc_rows[id].op.name,
                                                            (PyObject *)gnp_ufuncs[id]) < 0)) {
            return -1;
        }
    }
    for (int i = 0; i < NALIASES; i++) {
        if (PyModule_AddObjectRef(module, aliases[i].name, (PyObject *)gnp_ufuncs[aliases[i].id]) <
            0) {
            return -1;
        }
    }
    return gnp_where_init(module) < 0 ? -1 : gnp_formula_init(module);
}

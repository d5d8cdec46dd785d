/* The operators of arrays: number slots and comparisons, implemented by ufuncs.
 *
 * An operator returns NotImplemented for operands with __array_ufunc__ or a higher
 * __array_priority__, and for objects that are not operands; a NumPy array or a list is an error
 * whose message says how to convert it.
 *
 * Python calls a slot if either operand is an array, so both are looked at. The fast path of
 * ufuncs is tried before anything else, because exact arrays and numbers need no further checks.
 */
#include "methods/methods.h"

/* ---- deferring to other types ---------------------------------------------------------------- */

/* OPERAND_OURS: the ufunc converts it or raises; OPERAND_DEFERS: NotImplemented. */
typedef enum { OPERAND_OURS, OPERAND_DEFERS, OPERAND_ERROR } OperandKind;

/* How to treat an operand that is neither an array of ours nor a number. */
static OperandKind
foreign_operand(PyObject *o)
{
    if (gnp_is_numpy_array(o) && gnp_called_by_plotting()) {
        return OPERAND_DEFERS; /* left to NumPy, which gets a copy */
    }
    if (gnp_is_date(o) || gnp_is_numpy_array(o) || PyList_Check(o) || PyTuple_Check(o)) {
        return OPERAND_OURS; /* the ufunc's error */
    }
    /* Asked of the type, as NumPy does: attributes of instances do not count. */
    PyObject *type = (PyObject *)Py_TYPE(o);
    if (PyObject_HasAttr(type, gnp_state.str___array_ufunc__)) {
        return OPERAND_DEFERS;
    }
    if (PyObject_HasAttr(o, gnp_state.str___cuda_array_interface__)) {
        PyObject *priority = PyObject_GetAttr(o, gnp_state.str___array_priority__);
        /* A missing or wrong priority counts as low. */
        double value = priority != NULL ? PyFloat_AsDouble(priority) : 0;
        Py_XDECREF(priority);
        PyErr_Clear();
        return value > 100 ? OPERAND_DEFERS : OPERAND_OURS; /* an array's own priority */
    }
    return OPERAND_DEFERS;
}

/* Only for objects that the fast path did not take. */
static inline int
defers(PyObject *o)
{
    return !gnp_array_check(o) && gnp_weak_kind(o) == GNP_WEAK_NONE && !gnp_is_numpy_scalar(o) &&
           foreign_operand(o) == OPERAND_DEFERS;
}

/* ---- operators by ufunc ---------------------------------------------------------------------- */

/* A ufunc call without keywords. `out` is the array itself for operators in place. */
static PyObject *
call_plain(GnpUfuncId id, PyObject *const *in, PyObject *out)
{
    GnpUfunc *u = gnp_ufuncs[id];
    PyObject *result;
    int done = gnp_ufunc_fast(u, in, out, &result);
    if (done != 0) {
        return done > 0 ? result : NULL;
    }
    int nin = u->row->op.nin;
    /* The defaults of a call without keywords. */
    GnpUfuncCall call = {.casting = GNP_CAST_SAME_KIND, .order = 'K'};
    for (int i = 0; i < nin; i++) {
        call.in[i] = in[i];
    }
    call.out[0] = out;
    if (gnp_is_subclass(in[0]) || gnp_is_subclass(in[nin - 1])) { /* it may have its own way */
        PyObject *const args[] = {in[0], nin > 1 ? in[1] : out, out};
        result = gnp_ufunc_overridden(u, args, nin + (out != NULL), NULL);
        if (result != Py_NotImplemented) {
            return result;
        }
        Py_DECREF(result);
    }
    return gnp_ufunc_general(u, &call);
}

/* Unary operators have no second type to defer to. */
PyObject *
gnp_ufunc_unary(GnpUfuncId id, PyObject *a)
{
    return call_plain(id, &a, NULL);
}

/* Also for the reflected operator: Python passes the operands in their order. */
PyObject *
gnp_ufunc_binary(GnpUfuncId id, PyObject *a, PyObject *b)
{
    PyObject *const in[] = {a, b};
    PyObject *result;
    int done = gnp_ufunc_fast(gnp_ufuncs[id], in, NULL, &result);
    if (GNP_LIKELY(done != 0)) {
        return done > 0 ? result : NULL;
    }
    if (defers(a) || defers(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return call_plain(id, in, NULL);
}

/* The array is `out`, so the result is cast to its dtype by the rule same_kind. */
PyObject *
gnp_ufunc_inplace(GnpUfuncId id, PyObject *a, PyObject *b)
{
    PyObject *const in[] = {a, b};
    PyObject *result;
    int done = gnp_ufunc_fast(gnp_ufuncs[id], in, a, &result);
    if (GNP_LIKELY(done != 0)) {
        return done > 0 ? result : NULL;
    }
    if (defers(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return call_plain(id, in, a);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* A slot gets no closure, so each operator is a function of its own. */
#define UNARY(slot, id)                                                                            \
    static PyObject *slot(PyObject *a)                                                             \
    {                                                                                              \
        return gnp_ufunc_unary(GNP_UFUNC_##id, a);                                                 \
    }
#define BINARY(slot, id)                                                                           \
    static PyObject *slot(PyObject *a, PyObject *b)                                                \
    {                                                                                              \
        return gnp_ufunc_binary(GNP_UFUNC_##id, a, b);                                             \
    }
#define INPLACE(slot, id)                                                                          \
    static PyObject *slot(PyObject *a, PyObject *b)                                                \
    {                                                                                              \
        return gnp_ufunc_inplace(GNP_UFUNC_##id, a, b);                                            \
    }

UNARY(array_negative, negative)
UNARY(array_positive, positive)
UNARY(array_absolute, absolute)
UNARY(array_invert, invert)
BINARY(array_add, add)
BINARY(array_subtract, subtract)
BINARY(array_multiply, multiply)
BINARY(array_divide, divide)
BINARY(array_floor_divide, floor_divide)
BINARY(array_remainder, remainder)
BINARY(array_divmod, divmod)
BINARY(array_left_shift, left_shift)
BINARY(array_right_shift, right_shift)
BINARY(array_and, bitwise_and)
BINARY(array_or, bitwise_or)
BINARY(array_xor, bitwise_xor)
INPLACE(array_inplace_add, add)
INPLACE(array_inplace_subtract, subtract)
INPLACE(array_inplace_multiply, multiply)
INPLACE(array_inplace_divide, divide)
INPLACE(array_inplace_floor_divide, floor_divide)
INPLACE(array_inplace_remainder, remainder)
INPLACE(array_inplace_left_shift, left_shift)
INPLACE(array_inplace_right_shift, right_shift)
INPLACE(array_inplace_and, bitwise_and)
INPLACE(array_inplace_or, bitwise_or)
INPLACE(array_inplace_xor, bitwise_xor)

/* As NumPy: the exponents -1, 0.5, 1 and 2 of floats, and 2 of integers, have ufuncs of their own.
 */
static int
power_shortcut(PyObject *base, PyObject *exponent, GnpUfuncId *id)
{
    if (!gnp_array_check(base) || (!PyFloat_CheckExact(exponent) && !PyLong_CheckExact(exponent))) {
        return 0;
    }
    /* The exponent's type counts, too: an integer array squared by 2.0 becomes float64. */
    char cls = gnp_dtypes[((GnpArray *)base)->dtype].cls;
    int inexact = cls == 'f' || cls == 'c';
    double value = PyFloat_AsDouble(exponent);
    if (value == -1.0 && PyErr_Occurred()) {
        PyErr_Clear(); /* an integer beyond the range of float */
        return 0;
    }
    if (value == 2.0 && (inexact || PyLong_CheckExact(exponent))) {
        *id = GNP_UFUNC_square;
        return 1;
    }
    /* Set in any case; the return value tells whether it counts. */
    *id = value == 1.0 ? GNP_UFUNC_positive : value == -1.0 ? GNP_UFUNC_reciprocal : GNP_UFUNC_sqrt;
    return inexact && (value == 1.0 || value == -1.0 || value == 0.5);
}

/* pow(a, b, m) has no meaning for arrays in NumPy. */
static int
reject_modulus(PyObject *modulus)
{
    if (modulus == Py_None) {
        return 0;
    }
    PyErr_SetString(PyExc_TypeError, "pow() of arrays takes no third argument");
    return -1;
}

/* A square needs no pow(), which is many times slower on the device. */
static PyObject *
array_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    GnpUfuncId id;
    if (reject_modulus(modulus) < 0) {
        return NULL;
    }
    return power_shortcut(a, b, &id) ? gnp_ufunc_unary(id, a)
                                     : gnp_ufunc_binary(GNP_UFUNC_power, a, b);
}

/* As for array_power; a square in place is written to the array itself. */
static PyObject *
array_inplace_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    GnpUfuncId id;
    if (reject_modulus(modulus) < 0) {
        return NULL;
    }
    return power_shortcut(a, b, &id) ? call_plain(id, &a, a)
                                     : gnp_ufunc_inplace(GNP_UFUNC_power, a, b);
}

/* Without a fast path of its own: a product takes longer than these checks. */
static PyObject *
array_matmul(PyObject *a, PyObject *b)
{
    if (defers(a) || defers(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return gnp_matmul(a, b);
}

/* The left operand is ours, so only the right one can want the operator. */
static PyObject *
array_inplace_matmul(PyObject *a, PyObject *b)
{
    if (defers(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return gnp_matmul_inplace(a, b);
}

/* a == None is False for every element, as in NumPy. */
static PyObject *
compare_with_none(GnpArray *a, int is_equal)
{
    GnpScalar answer = {.bits = {!is_equal, 0}};
    GnpArray *ret = gnp_array_new_iterated(a, GNP_BOOL);
    if (ret != NULL && gnp_fill(ret, &answer) < 0) {
        Py_CLEAR(ret);
    }
    return (PyObject *)ret;
}

/* Times never equal numbers: where NumPy has no loop, == and != have the same result for all
 * elements. */
static PyObject *
compare_unlike(GnpArray *a, PyObject *b, int is_equal)
{
    GnpScalar answer = {.bits = {!is_equal, 0}};
    GnpArray *ret = NULL; /* returned */
    int64_t shape[GNP_MAX_DIMS];
    int ndim = a->ndim;
    PyErr_Clear();
    memcpy(shape, gnp_shape(a), (size_t)ndim * sizeof *shape);
    if (gnp_array_check(b)) {
        GnpArray *other = (GnpArray *)b;
        /* Shapes that do not fit are an error even so. */
        GNP_TRY(gnp_broadcast_shape(&ndim, shape, other->ndim, gnp_shape(other)));
    }
    GNP_NEW(ret, gnp_array_new(ndim, shape, GNP_BOOL, 'C'));
    if (gnp_fill(ret, &answer) < 0) {
        Py_CLEAR(ret);
    }
fail:
    return (PyObject *)ret;
}

/* Whether one of two has a unit of time, and the other is an array or a number too. */
static int
is_time_beside(PyObject *a, PyObject *b)
{
    const int is_time = gnp_has_unit(((GnpArray *)a)->dtype);
    GnpDtype dtype = GNP_BOOL;
    if (gnp_array_check(b)) {
        return is_time || gnp_has_unit(((GnpArray *)b)->dtype);
    }
    if (gnp_weak_kind(b) != GNP_WEAK_NONE) {
        return is_time;
    }
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace); /* the comparison's exception: to be raised, or dropped */
    int found = gnp_numpy_scalar_dtype(b, &dtype);
    PyErr_Restore(type, value, trace);
    return found > 0 && (is_time || gnp_has_unit(dtype));
}

/* Structured arrays are compared field by field, in Python. The comparison's exception is dropped.
 */
static PyObject *
compare_structured(PyObject *a, PyObject *b, int is_equal)
{
    PyErr_Clear();
    return gnp_structured_call(is_equal ? "equal" : "not_equal", "(OO)", a, b);
}

static int
is_structured(PyObject *object)
{
    return gnp_array_check(object) && gnp_is_structured(((GnpArray *)object)->dtype);
}

/* A NumPy array without axes as the scalar that it holds, or NULL: with an exception or without.
 * What an array of objects holds may be an array again, that one even: it is no number. */
static PyObject *
host_number(PyObject *object)
{
    PyObject *ndim =
        gnp_is_numpy_array(object) ? PyObject_GetAttrString(object, "ndim") : NULL; /* owned */
    const int has_axes = ndim == NULL || PyObject_IsTrue(ndim) != 0;
    Py_XDECREF(ndim);
    PyObject *ret = has_axes ? NULL : PyObject_CallMethod(object, "__getitem__", "(())");
    if (ret != NULL && gnp_is_numpy_array(ret)) {
        Py_CLEAR(ret);
    }
    return ret;
}

/* The comparison with a NumPy array without axes, which programs for CuPy write; NULL with the
 * exception that is set where `b` is something else. */
static PyObject *
compare_with_host_number(PyObject *a, PyObject *b, int operation)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *number = host_number(b); /* owned */
    if (number == NULL) {
        PyErr_Restore(type, value, trace);
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyObject *ret = PyObject_RichCompare(a, number, operation);
    Py_DECREF(number);
    return ret;
}

/* Comparisons return arrays; == with an unlike type is False for each element. */
static PyObject *
array_richcompare(PyObject *a, PyObject *b, int operation)
{
    static const GnpUfuncId ids[] = {
        [Py_LT] = GNP_UFUNC_less,    [Py_LE] = GNP_UFUNC_less_equal,
        [Py_EQ] = GNP_UFUNC_equal,   [Py_NE] = GNP_UFUNC_not_equal,
        [Py_GT] = GNP_UFUNC_greater, [Py_GE] = GNP_UFUNC_greater_equal,
    };
    if (b == Py_None && (operation == Py_EQ || operation == Py_NE)) {
        return is_structured(a) ? compare_structured(a, b, operation == Py_EQ)
                                : compare_with_none((GnpArray *)a, operation == Py_EQ);
    }
    PyObject *ret = gnp_ufunc_binary(ids[operation], a, b);
    if (ret == NULL && (operation == Py_EQ || operation == Py_NE) &&
        PyErr_ExceptionMatches(PyExc_TypeError) && (is_structured(a) || is_structured(b))) {
        return compare_structured(a, b, operation == Py_EQ);
    }
    if (ret == NULL && (operation == Py_EQ || operation == Py_NE) &&
        PyErr_ExceptionMatches(PyExc_TypeError) && is_time_beside(a, b)) {
        return compare_unlike((GnpArray *)a, b, operation == Py_EQ);
    }
    return ret == NULL && PyErr_ExceptionMatches(PyExc_TypeError)
               ? compare_with_host_number(a, b, operation)
               : ret;
}

PyType_Slot gnp_operator_slots[] = {
    {Py_nb_negative, array_negative},
    {Py_nb_positive, array_positive},
    {Py_nb_absolute, array_absolute},
    {Py_nb_invert, array_invert},
    {Py_nb_add, array_add},
    {Py_nb_subtract, array_subtract},
    {Py_nb_multiply, array_multiply},
    {Py_nb_true_divide, array_divide},
    {Py_nb_floor_divide, array_floor_divide},
    {Py_nb_remainder, array_remainder},
    {Py_nb_divmod, array_divmod},
    {Py_nb_power, array_power},
    {Py_nb_lshift, array_left_shift},
    {Py_nb_rshift, array_right_shift},
    {Py_nb_and, array_and},
    {Py_nb_or, array_or},
    {Py_nb_xor, array_xor},
    {Py_nb_matrix_multiply, array_matmul},
    {Py_nb_inplace_matrix_multiply, array_inplace_matmul},
    {Py_nb_inplace_add, array_inplace_add},
    {Py_nb_inplace_subtract, array_inplace_subtract},
    {Py_nb_inplace_multiply, array_inplace_multiply},
    {Py_nb_inplace_true_divide, array_inplace_divide},
    {Py_nb_inplace_floor_divide, array_inplace_floor_divide},
    {Py_nb_inplace_remainder, array_inplace_remainder},
    {Py_nb_inplace_power, array_inplace_power},
    {Py_nb_inplace_lshift, array_inplace_left_shift},
    {Py_nb_inplace_rshift, array_inplace_right_shift},
    {Py_nb_inplace_and, array_inplace_and},
    {Py_nb_inplace_or, array_inplace_or},
    {Py_nb_inplace_xor, array_inplace_xor},
    {Py_tp_richcompare, array_richcompare},
    {0, NULL},
};

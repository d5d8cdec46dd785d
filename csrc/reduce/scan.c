/* Scans: cumsum, cumprod and their NaN-skipping forms; ufunc.accumulate.
 *
 * All are described by a row of ufuncs.def, an axis, and the dtype of the loop. Associative
 * operations run in parallel (scan_launch.c), the others sequentially (sequential.c).
 */
#include "reduce/reduce.h"

#include <string.h>

/* Up to rounding for floats: the parallel order differs from NumPy's, and is the same in each
 * run. */
int
gnp_is_associative(const GnpUfuncRow *row)
{
    switch ((GnpUfuncId)(row - gnp_ufunc_rows)) {
    case GNP_UFUNC_add:
    case GNP_UFUNC_multiply:
    case GNP_UFUNC_maximum:
    case GNP_UFUNC_minimum:
    case GNP_UFUNC_fmax:
    case GNP_UFUNC_fmin:
    case GNP_UFUNC_logical_and:
    case GNP_UFUNC_logical_or:
    case GNP_UFUNC_logical_xor:
    case GNP_UFUNC_bitwise_and:
    case GNP_UFUNC_bitwise_or:
    case GNP_UFUNC_bitwise_xor:
    case GNP_UFUNC_gcd:
    case GNP_UFUNC_hypot:
    case GNP_UFUNC_logaddexp:
    case GNP_UFUNC_logaddexp2:
        return 1;
    default:
        return 0;
    }
}

/* ---- shared by the methods of ufuncs --------------------------------------------------------- */

static int
is_given(PyObject *object)
{
    return object != NULL && object != Py_None;
}

int
gnp_ufunc_check_chain(GnpUfunc *u, const char *method)
{
    if (u->row->op.nin != 2) {
        PyErr_Format(PyExc_ValueError, "%s only supported for binary functions", method);
        return -1;
    }
    if (u->row->op.nout != 1) {
        PyErr_Format(PyExc_ValueError, "%s only supported for functions returning a single value",
                     method);
        return -1;
    }
    return 0;
}

static int
parse_axis(PyObject *object, int ndim, int *out)
{
    PyObject *number = gnp_axis_number(object);
    if (number == NULL) {
        return -1;
    }
    int64_t axis = PyLong_AsLongLong(number);
    Py_DECREF(number);
    return axis == -1 && PyErr_Occurred() ? -1 : gnp_normalize_axis(axis, ndim, out);
}

/* NumPy's reduce takes several axes, its accumulate and reduceat one. */
int
gnp_chain_axis(PyObject *object, int ndim, const char *method, int *axis)
{
    *axis = 0;
    if (object == NULL) {
        return 0;
    }
    if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1) {
        object = PyTuple_GET_ITEM(object, 0);
    }
    if ((object == Py_None && ndim > 1) || PyTuple_Check(object)) {
        PyErr_Format(PyExc_ValueError, "%s does not allow multiple axes", method);
        return -1;
    }
    return object == Py_None ? 0 : parse_axis(object, ndim, axis);
}

/* As a tuple too, which is how __array_ufunc__ passes it. */
int
gnp_chain_out(PyObject *object, GnpArray **out)
{
    if (object != NULL && PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1 &&
        PyTuple_GET_ITEM(object, 0) != Py_None) {
        object = PyTuple_GET_ITEM(object, 0);
    }
    *out = NULL;
    if (!is_given(object)) {
        return 0;
    }
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "out must be a gpunp array, not %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = (GnpArray *)object;
    return gnp_check_writeable(*out);
}

/* Times are added up and compared, in their own unit. Adding dates is undefined; adding durations
 * and comparing either is not. */
static int
chain_unit(const GnpUfuncRow *row, GnpDtype in, GnpDtype wanted)
{
    const int adds = row == &gnp_ufunc_rows[GNP_UFUNC_add] && gnp_dtypes[in].cls == 'm';
    if (!adds && row != &gnp_ufunc_rows[GNP_UFUNC_maximum] &&
        row != &gnp_ufunc_rows[GNP_UFUNC_minimum]) {
        return gnp_time_refuse(row, in, row->op.name);
    }
    if (gnp_dtypes[wanted].cls != gnp_dtypes[in].cls) {
        return gnp_refuse_unit(row->op.name, in);
    }
    return 0; /* NumPy accepts another unit too */
}

int
gnp_refuse_detail(void)
{
    PyErr_SetString(PyExc_TypeError,
                    "The `dtype` and `signature` arguments to ufuncs only select the general DType "
                    "and not details such as the byte order or time unit.");
    return -1;
}

/* dtype= of a ufunc's method may be a kind of times without a unit; functions such as cumsum accept
 * a unit. */
static int
check_general(PyObject *dtype, GnpDtype own)
{
    GnpDtype wanted = is_given(dtype) ? gnp_dtype_from_object(dtype) : own;
    if (wanted == GNP_NO_DTYPE) {
        return -1;
    }
    return is_given(dtype) && gnp_has_unit(wanted) && wanted == gnp_wanted_dtype(wanted, own)
               ? gnp_refuse_detail()
               : 0;
}

/* A loop whose result can be its own first operand: the next step takes it. */
int
gnp_chain_dtype(GnpUfunc *u, GnpDtype in, PyObject *dtype, const GnpArray *out, GnpDtype *result)
{
    const GnpUfuncRow *row = u->row;
    const GnpInputType types[GNP_MAX_IN] = {
        {in, GNP_WEAK_NONE}, {in, GNP_WEAK_NONE}, {in, GNP_WEAK_NONE}};
    GnpLoop loop;
    if (GNP_UNLIKELY(gnp_has_unit(in))) {
        const GnpDtype wanted = is_given(dtype) ? gnp_dtype_from_object(dtype) : in;
        *result = in;
        return wanted == GNP_NO_DTYPE ? -1 : chain_unit(row, in, wanted);
    }
    GnpDtype wanted = GNP_NO_DTYPE;
    if (is_given(dtype)) {
        wanted = gnp_dtype_from_object(dtype);
        if (wanted == GNP_NO_DTYPE) {
            return -1;
        }
    }
    if (wanted != GNP_NO_DTYPE && gnp_has_unit(wanted)) {
        return gnp_refuse_unit(row->op.name, wanted);
    }
    if (out != NULL && !gnp_is_number(out->dtype)) {
        return gnp_refuse_unit(row->op.name, out->dtype);
    }
    if (!gnp_loop_find_chain(row, in, wanted, out != NULL ? (GnpDtype)out->dtype : GNP_NO_DTYPE,
                             &loop)) {
        return wanted == GNP_NO_DTYPE && out == NULL && !gnp_loop_find(row, types, &loop)
                   ? gnp_ufunc_no_loop(u, types)
                   : gnp_ufunc_no_match(u);
    }
    *result = (GnpDtype)loop.dtype[0];
    return is_given(dtype) && row->rule != RULE_TEST ? gnp_warn_if_discarded(in, *result) : 0;
}

/* ldexp's second operand is an integer, so its result cannot be chained. */
int
gnp_chain_uniform(GnpUfunc *u, const char *method)
{
    if (u->row->rule != RULE_LDEXP) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s.%s: both operands of a step must have one type",
                 u->row->op.name, method);
    return -1;
}

/* ---- one call -------------------------------------------------------------------------------- */

static int
check_out_shape(const GnpArray *in, const GnpArray *out)
{
    if (out->ndim != in->ndim ||
        memcmp(gnp_shape(out), gnp_shape(in), (size_t)in->ndim * sizeof(int64_t)) != 0) {
        PyErr_SetString(PyExc_ValueError, "provided out is the wrong size for the accumulation.");
        return -1;
    }
    return 0;
}

/* `in` has an axis `axis`; the result is `out` or a new array. */
static PyObject *
scan(GnpUfunc *u, GnpArray *in, int axis, PyObject *dtype, GnpArray *out, int skips_nan)
{
    GnpScanTask task = {.row = u->row, .skips_nan = skips_nan, .axis = axis};
    GnpArray *target = NULL; /* owned */
    PyObject *ret = NULL;
    char cls = gnp_dtypes[in->dtype].cls;

    GNP_TRY(gnp_chain_dtype(u, (GnpDtype)in->dtype, dtype, out, &task.loop));
    GNP_TRY(gnp_chain_uniform(u, "accumulate"));
    /* Integers have no NaN: fewer kernels. */
    task.skips_nan = skips_nan && (cls == 'f' || cls == 'c');
    if (out != NULL) {
        GNP_TRY(check_out_shape(in, out));
        /* A conversion of units would happen at every step. */
        if (gnp_has_unit(task.loop) && out->dtype != (int)task.loop) {
            gnp_refuse_unit(u->row->op.name, out->dtype);
            goto fail;
        }
        const int fits = out->flags & GNP_ALIGNED && out->device_id == in->device_id;
        target = fits ? (GnpArray *)Py_NewRef((PyObject *)out)
                      : gnp_array_new_like(out, (GnpDtype)out->dtype, 'K');
    }
    else {
        target = gnp_array_new_iterated(in, task.loop);
    }
    if (target == NULL) {
        goto fail;
    }
    task.in = in;
    task.out = target;
    GNP_TRY(gnp_is_associative(u->row) ? gnp_scan_run(&task) : gnp_sequential_accumulate(&task));
    if (out != NULL && target != out) {
        GNP_TRY(gnp_copy(out, target));
    }
    ret = Py_NewRef(out != NULL ? (PyObject *)out : (PyObject *)target);
fail:
    Py_XDECREF((PyObject *)target);
    return ret;
}

/* ---- ufunc.accumulate ------------------------------------------------------------------------ */

/* Arrays only: lists and NumPy arrays are refused as for other methods of ufuncs. */
PyObject *
gnp_ufunc_accumulate(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("accumulate(array, axis=0, dtype=None, out=None)");
    GnpUfunc *u = (GnpUfunc *)self;
    PyObject *bound[4], *ret = NULL;
    GnpArray *in = NULL; /* owned */
    GnpArray *out;
    int axis;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    GNP_TRY(gnp_ufunc_check_chain(u, "accumulate"));
    if (!gnp_array_check(bound[0])) {
        gnp_ufunc_bad_operand(u, bound[0]);
        goto fail;
    }
    GNP_NEW(in, gnp_readable_any((GnpArray *)bound[0], u->row->op.name));
    if (in->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "cannot accumulate on a scalar");
        goto fail;
    }
    GNP_TRY(gnp_chain_axis(bound[1], in->ndim, "accumulate", &axis));
    GNP_TRY(gnp_chain_out(bound[3], &out));
    GNP_TRY(check_general(bound[2], (GnpDtype)in->dtype));
    ret = scan(u, in, axis, bound[2], out, 0);
fail:
    Py_XDECREF((PyObject *)in);
    return ret;
}

/* ---- cumsum, cumprod and NaN-skipping forms -------------------------------------------------- */

/* bound: axis, dtype, out. Without an axis, and for a scalar, the flattened array is scanned. A
 * number counts as an array of one element. */
static PyObject *
cumulate(const char *name, GnpUfuncId id, int skips_nan, PyObject *a, PyObject *const *bound)
{
    GnpArray *in = NULL, *flat = NULL; /* owned */
    PyObject *ret = NULL;
    GnpArray *out;
    int axis = 0;
    if (!gnp_array_check(a)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes a gpunp array, not %s; convert it with gpunp.asarray()", name,
                     Py_TYPE(a)->tp_name);
        return NULL;
    }
    GNP_NEW(in, gnp_readable_any((GnpArray *)a, name));
    GNP_TRY(gnp_chain_out(bound[2], &out));
    if (is_given(bound[0]) && in->ndim == 0) {
        GNP_TRY(parse_axis(bound[0], 1, &axis));
    }
    else if (is_given(bound[0])) {
        GNP_TRY(parse_axis(bound[0], in->ndim, &axis));
    }
    if (in->ndim != 1 && (!is_given(bound[0]) || in->ndim == 0)) {
        GNP_NEW(flat, gnp_array_ravel(in, 'C'));
        Py_SETREF(in, flat);
        flat = NULL;
    }
    ret = scan(gnp_ufuncs[id], in, axis, bound[1], out, skips_nan);
fail:
    Py_XDECREF((PyObject *)in);
    return ret;
}

/* Rows: function, ufunc, whether NaNs are skipped, summary. NumPy's names, and cummax and cummin.
 */
#define SCANS(X)                                                                                   \
    X(cumsum, add, 0, "Cumulative sum of the elements along an axis.")                             \
    X(cumprod, multiply, 0, "Cumulative product of the elements along an axis.")                   \
    X(nancumsum, add, 1, "Cumulative sum, treating NaN as zero.")                                  \
    X(nancumprod, multiply, 1, "Cumulative product, treating NaN as one.")                         \
    X(cummax, maximum, 0, "Cumulative maximum along an axis; NaNs propagate.")                     \
    X(cummin, minimum, 0, "Cumulative minimum along an axis; NaNs propagate.")

#define DEFINE(name, ufunc, skips_nan, summary)                                                    \
    static PyObject *scan_##name(PyObject *Py_UNUSED(module), PyObject *const *args,               \
                                 Py_ssize_t nargs, PyObject *kwnames)                              \
    {                                                                                              \
        static GnpSignature signature =                                                            \
            GNP_SIGNATURE(#name "(a, axis=None, dtype=None, out=None)");                           \
        PyObject *bound[4];                                                                        \
        return gnp_args_bind(&signature, args, nargs, kwnames, bound) < 0                          \
                   ? NULL                                                                          \
                   : cumulate(#name, GNP_UFUNC_##ufunc, skips_nan, bound[0], bound + 1);           \
    }
SCANS(DEFINE)

#define METHOD(name, ufunc)                                                                        \
    PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,                \
                           PyObject *kwnames)                                                      \
    {                                                                                              \
        static GnpSignature signature = GNP_SIGNATURE(#name "(axis=None, dtype=None, out=None)");  \
        PyObject *bound[3];                                                                        \
        return gnp_args_bind(&signature, args, nargs, kwnames, bound) < 0                          \
                   ? NULL                                                                          \
                   : cumulate(#name, GNP_UFUNC_##ufunc, 0, self, bound);                           \
    }
METHOD(cumsum, add)
METHOD(cumprod, multiply)

#define ENTRY(name, ufunc, skips_nan, summary)                                                     \
    {#name, GNP_FAST(scan_##name), METH_FASTCALL | METH_KEYWORDS,                                  \
     #name "($module, a, axis=None, dtype=None, out=None)\n--\n\n" summary},

static PyMethodDef functions[] = {
    SCANS(ENTRY){NULL, NULL, 0, NULL},
};

int
gnp_scan_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

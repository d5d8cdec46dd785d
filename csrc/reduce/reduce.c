/* Reductions: rows of tables/reductions.def as functions and array methods. A call becomes a task:
 * the input, the axes, the types, the output. Nothing here waits for the device.
 *
 * A call goes through: arguments (axes, where, out), dtypes (the loop's, the result's), the output,
 * and either a fill (nothing to reduce) or a launch (reduce_launch.c). NumPy's rules are followed
 * case by case; where functions differ from each other the row says how.
 */
#include "reduce/reduce.h"

#include <string.h>

typedef GnpReduceTask Task;

const GnpReductionRow gnp_reduction_rows[GNP_NREDUCTIONS] = {
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    {#name, ARGS_##arguments, LOOP_##loop, RESULT_##result, EMPTY_##empty, accumulator, identity,  \
     map,   combine,          finish,      summary},
#include "tables/reductions.def"
};

/* ---- empty input ----------------------------------------------------------------------------- */

/* The names that NumPy's errors use for the rows without an identity. */
static const char *
long_name(const GnpReductionRow *row)
{
    switch (row - gnp_reduction_rows) {
    case REDUCE_max:
    case REDUCE_norm_max:
        return "maximum";
    case REDUCE_min:
    case REDUCE_norm_min:
        return "minimum";
    default:
        return row->name;
    }
}

/* The result of reducing no element: the identity, NaN with NumPy's warning, or an error where the
 * row has neither. */
static int
fill_empty(const Task *t)
{
    PyObject *number = NULL; /* owned */
    GnpScalar element;
    int ret = -1;

    if (t->has_initial) {
        return gnp_fill(t->out, &t->initial);
    }
    if (t->row->empty == EMPTY_NONE) {
        if (t->row->arguments == ARGS_ARG) {
            PyErr_Format(PyExc_ValueError, "attempt to get %s of an empty sequence", t->row->name);
        }
        else {
            PyErr_Format(PyExc_ValueError,
                         "zero-size array to reduction operation %s which has no identity",
                         long_name(t->row));
        }
        return -1;
    }
    char cls = gnp_dtypes[t->result].cls;
    int has_nan = cls == 'f' || cls == 'c' || gnp_has_unit(t->result);
    if (t->row->empty == EMPTY_NAN &&
        gnp_warn(PyExc_RuntimeWarning, t->row->arguments == ARGS_VAR
                                           ? "Degrees of freedom <= 0 for slice"
                                           : "Mean of empty slice") < 0) {
        return -1;
    }
    switch (t->row->empty) {
    case EMPTY_NAN: /* as any NaN converted to an integer: 0 */
        number = has_nan ? PyFloat_FromDouble(Py_NAN) : PyLong_FromLong(0);
        break;
    case EMPTY_NEG_INF:
        number = PyFloat_FromDouble(-Py_HUGE_VAL);
        break;
    case EMPTY_MINUS_ONE: /* all bits, in unsigned types too */
        memset(&element, 0xff, sizeof element);
        return gnp_fill(t->out, &element);
    default:
        number = PyLong_FromLong(t->row->empty == EMPTY_ONE || t->row->empty == EMPTY_TRUE);
    }
    if (number == NULL) {
        goto fail;
    }
    if (gnp_has_unit(t->result) && t->row->empty == EMPTY_NAN) {
        Py_SETREF(number, Py_NewRef(Py_None)); /* NaT */
    }
    GNP_TRY(gnp_scalar_from_object(number, t->result, &element));
    ret = gnp_fill(t->out, &element);
fail:
    Py_XDECREF(number);
    return ret;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* The arguments of each kind of signature (methods.h), in order. One signature per kind: the
 * parser, the text signature and this order have to agree. */
static const struct {
    int nargs;
    unsigned char arg[7];
} kinds[] = {
    [ARGS_SUM] = {6, {ARG_AXIS, ARG_DTYPE, ARG_OUT, ARG_KEEPDIMS, ARG_INITIAL, ARG_WHERE}},
    [ARGS_MAX] = {5, {ARG_AXIS, ARG_OUT, ARG_KEEPDIMS, ARG_INITIAL, ARG_WHERE}},
    [ARGS_ARG] = {3, {ARG_AXIS, ARG_OUT, ARG_KEEPDIMS}},
    [ARGS_ANY] = {4, {ARG_AXIS, ARG_OUT, ARG_KEEPDIMS, ARG_WHERE}},
    [ARGS_COUNT] = {2, {ARG_AXIS, ARG_KEEPDIMS}},
    [ARGS_MEAN] = {5, {ARG_AXIS, ARG_DTYPE, ARG_OUT, ARG_KEEPDIMS, ARG_WHERE}},
    [ARGS_VAR] = {7,
                  {ARG_AXIS, ARG_DTYPE, ARG_OUT, ARG_DDOF, ARG_KEEPDIMS, ARG_WHERE,
                   ARG_CORRECTION}},
};

static int
is_given(PyObject *object)
{
    return object != NULL && object != Py_None;
}

/* Each axis may occur once. */
static int
mark_axis(Task *t, PyObject *object)
{
    int axis;
    int64_t value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (t->in->ndim == 0 && (value == 0 || value == -1) && t->row->loop != LOOP_REAL) {
        return 0; /* NumPy lets a scalar be reduced along its missing axis, but for its mean */
    }
    if (gnp_normalize_axis(value, t->in->ndim, &axis) < 0) {
        return -1;
    }
    if (t->reduced[axis]) {
        PyErr_SetString(PyExc_ValueError, "duplicate value in 'axis'");
        return -1;
    }
    t->reduced[axis] = 1;
    t->nreduced++;
    return 0;
}

/* Only argmax and argmin take no tuple. */
static int
parse_axis(Task *t, PyObject *object)
{
    PyObject *number = NULL; /* owned */
    int ret = -1;
    if (!is_given(object)) {
        memset(t->reduced, 1, (size_t)t->in->ndim);
        t->nreduced = t->in->ndim;
        return 0;
    }
    int is_tuple = PyTuple_Check(object) && t->row->arguments != ARGS_ARG;
    Py_ssize_t n = is_tuple ? PyTuple_GET_SIZE(object) : 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        GNP_NEW(number, gnp_axis_number(is_tuple ? PyTuple_GET_ITEM(object, i) : object));
        GNP_TRY(mark_axis(t, number));
        Py_CLEAR(number);
    }
    ret = 0;
fail:
    Py_XDECREF(number);
    return ret;
}

/* It broadcasts to the array, never the array to it: the result's shape must not depend on the
 * mask. */
static int
parse_where(Task *t, PyObject *object)
{
    int64_t shape[GNP_MAX_DIMS];
    int ndim = t->in->ndim;
    if (!is_given(object) || object == Py_True) {
        return 0;
    }
    t->where = gnp_array_from_object(object, gnp_array_check(object) ? GNP_NO_DTYPE : GNP_BOOL,
                                     GNP_COPY_IF_NEEDED, 'K');
    if (t->where == NULL) {
        return -1;
    }
    if (t->where->dtype != GNP_BOOL) {
        PyErr_Format(
            PyExc_TypeError,
            "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
            gnp_dtypes[t->where->dtype].name);
        return -1;
    }
    memcpy(shape, gnp_shape(t->in), (size_t)ndim * sizeof *shape);
    if (gnp_broadcast_shape(&ndim, shape, t->where->ndim, gnp_shape(t->where)) < 0) {
        return -1;
    }
    if (ndim != t->in->ndim || memcmp(shape, gnp_shape(t->in), (size_t)ndim * sizeof *shape) != 0) {
        PyErr_SetString(PyExc_ValueError, "where must broadcast to the shape of the array");
        return -1;
    }
    return 0;
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

/* Sums of small integers are computed in 64 bits, means in float64; other types keep theirs. */
static GnpDtype
default_loop(const GnpReductionRow *row, GnpDtype dtype)
{
    char cls = gnp_dtypes[dtype].cls;
    if (cls == 'f' || cls == 'c' || gnp_has_unit(dtype) || row->loop == LOOP_SAME) {
        return dtype;
    }
    return row->loop == LOOP_REAL ? GNP_F64 : cls == 'u' ? GNP_U64 : GNP_I64;
}

/* RESULT_PART is for norms of complex numbers, which are real; RESULT_PAIR for a minimum and a
 * maximum at once. */
static GnpDtype
result_of(const GnpReductionRow *row, GnpDtype loop)
{
    switch (row->result) {
    case RESULT_INDEX:
        return GNP_I64;
    case RESULT_BOOL:
        return GNP_BOOL;
    case RESULT_PAIR:
        return gnp_dtypes[loop].complex;
    case RESULT_PART:
        return gnp_dtypes[loop].real;
    default:
        return loop;
    }
}

/* dtype=, where that or the array has a unit: of the same kind, and without a unit of its own. The
 * unit itself is the array's: dtype= may name the kind only. */
static int
choose_unit(Task *t)
{
    const GnpDtype wanted = t->loop, own = (GnpDtype)t->in->dtype;
    if (gnp_dtypes[wanted].cls != gnp_dtypes[own].cls) {
        return gnp_refuse_unit(t->row->name, gnp_has_unit(own) ? own : wanted);
    }
    t->loop = own;
    if (wanted != gnp_wanted_dtype(wanted, own)) {
        return 0;
    }
    return gnp_refuse_detail();
}

/* Reductions that are a ufunc's reduce use the ufunc's types and raise its errors; the result is
 * stored in `out` by any cast. Otherwise np.add.reduce(a) and np.sum(a) could differ in type. */
static int
choose_as_ufunc(Task *t, const GnpUfuncRow *row, PyObject *dtype, const GnpArray *out)
{
    if (gnp_chain_dtype(gnp_ufuncs[row - gnp_ufunc_rows], (GnpDtype)t->in->dtype, dtype, out,
                        &t->loop) < 0) {
        return -1;
    }
    if (row->rule == RULE_TEST) {
        t->loop = (GnpDtype)t->in->dtype; /* the kernel converts each element to bool */
    }
    t->result = result_of(t->row, t->loop);
    return 0;
}

/* NumPy's rules for `out`: a mean is stored by any cast, an index by a cast that is safe in the
 * other direction. */
static int
check_out_dtype(const Task *t, const GnpArray *out)
{
    const char own = gnp_dtypes[t->in->dtype].cls, given = gnp_dtypes[out->dtype].cls;
    const char *rule = NULL;
    switch ((GnpReductionId)(t->row - gnp_reduction_rows)) {
    case REDUCE_nanmean:
    case REDUCE_nanvar:
        if ((own == 'f' || own == 'c') && given != 'f' && given != 'c') {
            PyErr_Format(PyExc_TypeError, "If a is inexact, then out must be inexact (%s)",
                         t->row->name);
            return -1;
        }
        return 0;
    case REDUCE_mean:
    case REDUCE_mean_where:
    case REDUCE_var:
        return 0;
    default:
        break;
    }
    if (t->row->arguments == ARGS_ARG) {
        rule = gnp_can_cast((GnpDtype)out->dtype, t->result, GNP_CAST_SAFE) ? NULL : "safe";
    }
    else if (!gnp_can_cast(t->result, (GnpDtype)out->dtype, GNP_CAST_SAME_KIND)) {
        rule = "same_kind";
    }
    if (rule == NULL) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "Cannot cast %s output from dtype('%s') to dtype('%s') with casting rule '%s'",
                 t->row->name, gnp_dtypes[t->result].name, gnp_dtypes[out->dtype].name, rule);
    return -1;
}

/* The order of tests is that of NumPy's errors. */
static int
choose_dtypes(Task *t, PyObject *dtype, const GnpArray *out)
{
    const GnpUfuncRow *ufunc = t->sequential != NULL ? t->sequential : gnp_reduction_ufunc(t->row);
    if (ufunc != NULL && !gnp_has_unit(t->in->dtype)) {
        return choose_as_ufunc(t, ufunc, dtype, out);
    }
    t->loop = default_loop(t->row, t->in->dtype);
    if (is_given(dtype)) {
        t->loop = gnp_dtype_from_object(dtype);
        if (t->loop == GNP_NO_DTYPE) {
            return -1;
        }
        if ((gnp_has_unit(t->loop) || gnp_has_unit(t->in->dtype)) && choose_unit(t) < 0) {
            return -1;
        }
        if (t->row->arguments == ARGS_VAR) {
            t->loop = default_loop(t->row, t->loop);
        }
        if (gnp_warn_if_discarded(t->in->dtype, t->loop) < 0) {
            return -1;
        }
    }
    if (t->row->result == RESULT_PAIR && gnp_dtypes[t->loop].cls == 'c') {
        PyErr_SetString(PyExc_TypeError, "complex numbers have no range: they are not ordered");
        return -1;
    }
    t->result = result_of(t->row, t->loop);
    if (out != NULL && gnp_has_unit(t->result) && t->row->loop == LOOP_REAL &&
        out->dtype != (int)t->result) { /* NumPy divides the sum in out's unit */
        return gnp_refuse_unit(t->row->name, out->dtype);
    }
    return out != NULL ? check_out_dtype(t, out) : 0;
}

/* Without an identity a mask needs an initial value: it may be false everywhere. */
static int
parse_initial(Task *t, PyObject *initial)
{
    if (is_given(initial)) {
        t->has_initial = 1;
        t->parameter = -0.0; /* sums begin with `initial` */
        return gnp_scalar_from_object(initial, t->loop, &t->initial);
    }
    if (t->where != NULL && t->row->empty == EMPTY_NONE) {
        PyErr_Format(PyExc_ValueError,
                     "reduction operation '%s' does not have an identity, so to use a where mask "
                     "one has to specify 'initial'",
                     long_name(t->row));
        return -1;
    }
    return 0;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* New array of in's shape without the reduced axes, its memory in the order of iteration over in
 * (argmax: C). Reduced axes count while the others are sorted, as in NumPy. Where memory order
 * cannot matter, fewer than two axes or a C-contiguous input, the sort is skipped. */
static GnpArray *
new_result(const Task *t)
{
    int64_t shape[GNP_MAX_DIMS], kept[GNP_MAX_DIMS], mask[GNP_MAX_DIMS];
    const int64_t *strides[] = {gnp_strides(t->in), mask};
    int order[GNP_MAX_DIMS], axes[GNP_MAX_DIMS], place[GNP_MAX_DIMS], n = 0;
    for (int axis = 0; axis < t->in->ndim; axis++) {
        place[axis] = n;
        if (!t->reduced[axis]) {
            kept[n] = gnp_strides(t->in)[axis];
            shape[n++] = gnp_shape(t->in)[axis];
        }
    }
    if (n < 2 || t->row->arguments == ARGS_ARG || t->in->flags & GNP_C_CONTIGUOUS) {
        return gnp_array_new(n, shape, t->result, 'C');
    }
    if (t->row == &gnp_reduction_rows[REDUCE_nansum] ||
        t->row == &gnp_reduction_rows[REDUCE_nanprod]) { /* NumPy reduces a copy without NaNs */
        GnpArray *view = gnp_array_view(t->in, t->in->data, n, shape, kept, t->in->dtype);
        GnpArray *ret = view == NULL ? NULL : gnp_array_new_like(view, t->result, 'K');
        Py_XDECREF((PyObject *)view);
        return ret;
    }
    if (t->where != NULL) {
        gnp_broadcast_strides(t->where, t->in->ndim, gnp_shape(t->in), mask);
    }
    gnp_iteration_order(t->in->ndim, gnp_shape(t->in), 1 + (t->where != NULL), strides, order);
    n = 0;
    for (int i = 0; i < t->in->ndim; i++) {
        if (!t->reduced[order[i]]) {
            axes[n++] = place[order[i]];
        }
    }
    return gnp_array_new_ordered(n, shape, t->result, axes);
}

/* `with` (reduced axes present, of size 1) viewed without them, or the reverse. Views only:
 * keepdims costs no copy. */
static GnpArray *
change_axes(const Task *t, GnpArray *a, int keep)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int n = 0, from = 0;
    for (int axis = 0; axis < t->in->ndim; axis++) {
        if (!t->reduced[axis] || keep) {
            int inserted = t->reduced[axis];
            int source = keep ? from : axis;
            shape[n] = inserted ? 1 : gnp_shape(a)[source];
            strides[n++] = inserted ? 0 : gnp_strides(a)[source];
            from += !inserted;
        }
    }
    for (int axis = n - 1; keep && axis >= 0;
         axis--) { /* the strides that NumPy gives the new axes */
        if (t->reduced[axis]) {
            strides[axis] = axis == n - 1 ? gnp_itemsize(a) : strides[axis + 1] * shape[axis + 1];
        }
    }
    return gnp_array_view(a, a->data, n, shape, strides, a->dtype);
}

/* Unlike for ufuncs, `out` is not broadcast to. */
static int
check_out_shape(const Task *t, const GnpArray *out, int keepdims)
{
    int ndim = t->in->ndim - (keepdims ? 0 : t->nreduced), position = 0, good = out->ndim == ndim;
    for (int axis = 0; good && axis < t->in->ndim; axis++) {
        if (!t->reduced[axis] || keepdims) {
            good = gnp_shape(out)[position++] == (t->reduced[axis] ? 1 : gnp_shape(t->in)[axis]);
        }
    }
    if (!good) {
        PyErr_Format(PyExc_ValueError,
                     "output parameter for reduction operation %s has the wrong shape: expected %d "
                     "dimensions%s",
                     t->row->name, ndim, out->ndim == ndim ? " of other sizes" : "");
        return -1;
    }
    if (gnp_is_structured(out->dtype)) {
        return gnp_refuse_unit(t->row->name, out->dtype);
    }
    return gnp_check_writeable(out);
}

/* NULL without an exception: none was given. ufuncs pass out as a tuple of one. */
static GnpArray *
parse_out(PyObject *object)
{
    if (object != NULL && PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1 &&
        PyTuple_GET_ITEM(object, 0) != Py_None) {
        object = PyTuple_GET_ITEM(object, 0);
    }
    if (!is_given(object)) {
        return NULL;
    }
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "out must be a gpunp array, not %s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    return (GnpArray *)object;
}

/* Where the kernels write: `out` itself when they may, else a new array. A temporary where the
 * result has another type, alignment or device, or where `out` shares memory with what is read; it
 * is copied to `out` afterwards. */
static GnpArray *
make_target(const Task *t, GnpArray *out, int keepdims)
{
    if (out == NULL || out->dtype != (int)t->result || !(out->flags & GNP_ALIGNED) ||
        out->device_id != t->in->device_id || gnp_may_overlap(out, t->in) ||
        (t->where != NULL && gnp_may_overlap(out, t->where))) {
        return new_result(t);
    }
    return keepdims ? change_axes(t, out, 0) : (GnpArray *)Py_NewRef((PyObject *)out);
}

/* 1 when each element of the result reduces no element of the input. Even where the result is empty
 * too, an error for a missing identity has to be raised. */
static int
reduces_nothing(const Task *t)
{
    for (int axis = 0; axis < t->in->ndim; axis++) {
        if (t->reduced[axis] && gnp_shape(t->in)[axis] == 0) {
            return 1;
        }
    }
    return 0;
}

static int
reduce_task(Task *t)
{
    if (t->out->size == 0 && !reduces_nothing(t)) {
        return 0;
    }
    return t->in->size == 0        ? fill_empty(t)
           : t->sequential != NULL ? gnp_sequential_reduce(t)
                                   : gnp_reduce_run(t);
}

/* Ownership: the task's arrays belong to call_row(), which releases them whatever happens here. */
static PyObject *
reduce(Task *t, PyObject *const arg[GNP_REDUCE_NARGS])
{
    GnpArray *result = NULL; /* owned */
    PyObject *ret = NULL;
    int keepdims = 0;

    GnpArray *out = parse_out(arg[ARG_OUT]);
    if (out == NULL && PyErr_Occurred()) {
        goto fail;
    }
    GNP_TRY(parse_axis(t, arg[ARG_AXIS]));
    if (t->sequential != NULL && t->nreduced > 1) {
        PyErr_Format(
            PyExc_ValueError,
            "reduction operation '%s' is not reorderable, so at most one axis may be specified",
            t->row->name);
        goto fail;
    }
    GNP_TRY(parse_where(t, arg[ARG_WHERE]));
    if (t->where != NULL && t->row == &gnp_reduction_rows[REDUCE_mean]) {
        t->row = &gnp_reduction_rows[REDUCE_mean_where];
    }
    GNP_TRY(choose_dtypes(t, arg[ARG_DTYPE], out));
    GNP_TRY(parse_initial(t, arg[ARG_INITIAL]));
    if (arg[ARG_KEEPDIMS] != NULL) {
        GNP_TRY(keepdims = PyObject_IsTrue(arg[ARG_KEEPDIMS]));
    }
    if (out != NULL) {
        GNP_TRY(check_out_shape(t, out, keepdims));
    }
    GNP_NEW(t->out, make_target(t, out, keepdims));
    GNP_TRY(reduce_task(t));
    if (keepdims) {
        GNP_NEW(result, change_axes(t, t->out, 1));
    }
    else {
        result = (GnpArray *)Py_NewRef((PyObject *)t->out);
    }
    /* The kernels wrote to `out` itself unless make_target() chose another array. */
    if (out != NULL && result->data != out->data) {
        GNP_TRY(gnp_copy(out, result));
    }
    ret = Py_NewRef(out != NULL ? (PyObject *)out : (PyObject *)result);
fail:
    Py_XDECREF((PyObject *)result);
    return ret;
}

/* `correction` is the array API's name; it may be fractional. */
static int
parse_ddof(Task *t, PyObject *ddof, PyObject *correction)
{
    if (is_given(correction) && is_given(ddof) && PyObject_IsTrue(ddof) != 0) {
        PyErr_SetString(PyExc_ValueError, "ddof and correction can't be provided simultaneously.");
        return -1;
    }
    PyObject *given = is_given(correction) ? correction : ddof;
    t->parameter = is_given(given) ? PyFloat_AsDouble(given) : 0;
    return t->parameter == -1 && PyErr_Occurred() ? -1 : 0;
}

/* 0 when reductions of times have the row: tables/datetime_reductions.def. What NumPy refuses is
 * refused with its error, which names the ufunc it would use. */
static int
check_unit(const Task *t)
{
    static const struct {
        GnpReductionId row;
        const char *kinds;
        int asked; /* the ufunc that NumPy would use, or -1 */
    } known[] = {
#define TIMES(row, kinds, ufunc) {REDUCE_##row, kinds, ufunc},
#include "tables/datetime_reductions.def"
    };
    const int dtype = t->in->dtype;
    int asked = t->sequential != NULL ? (int)(t->sequential - gnp_ufunc_rows) : -1;
    for (size_t i = 0; t->sequential == NULL && i < sizeof known / sizeof known[0]; i++) {
        if (t->row == &gnp_reduction_rows[known[i].row]) {
            if (strchr(known[i].kinds, gnp_dtypes[dtype].cls) != NULL) {
                return 0;
            }
            asked = known[i].asked;
        }
    }
    return asked < 0 ? gnp_refuse_unit(t->row->name, dtype)
                     : gnp_time_refuse(&gnp_ufunc_rows[asked], (GnpDtype)dtype, t->row->name);
}

static PyObject *
call_row(const GnpReductionRow *row, const GnpUfuncRow *sequential, PyObject *a,
         PyObject *const arg[GNP_REDUCE_NARGS])
{
    Task task = {.row = row, .sequential = sequential};
    PyObject *ret = NULL;
    if (!gnp_array_check(a)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes a gpunp array, not %s; convert it with gpunp.asarray()", row->name,
                     Py_TYPE(a)->tp_name);
        return NULL;
    }
    if (GNP_UNLIKELY(gnp_is_structured(((GnpArray *)a)->dtype))) { /* NumPy's error */
        task.in = (GnpArray *)Py_NewRef(a);
        GNP_TRY(check_unit(&task));
    }
    Py_XSETREF(task.in, gnp_readable_any((GnpArray *)a, row->name));
    if (task.in == NULL) {
        goto fail;
    }
    if (GNP_UNLIKELY(gnp_has_unit(task.in->dtype))) {
        if (row == &gnp_reduction_rows[REDUCE_nansum]) { /* in NumPy NaT is not a NaN here */
            task.row = &gnp_reduction_rows[REDUCE_sum];
        }
        GNP_TRY(check_unit(&task));
    }
    GNP_TRY(parse_ddof(&task, arg[ARG_DDOF], arg[ARG_CORRECTION]));
    ret = reduce(&task, arg);
fail:
    Py_XDECREF((PyObject *)task.in);
    Py_XDECREF((PyObject *)task.out);
    Py_XDECREF((PyObject *)task.where);
    return ret;
}

PyObject *
gnp_reduce_call(GnpReductionId id, PyObject *a, PyObject *const arg[GNP_REDUCE_NARGS])
{
    return call_row(&gnp_reduction_rows[id], NULL, a, arg);
}

/* A row for this call alone: sequential reductions have no row of their own. */
PyObject *
gnp_reduce_by_steps(const GnpUfuncRow *sequential, PyObject *a,
                    PyObject *const arg[GNP_REDUCE_NARGS])
{
    const GnpReductionRow row = {.name = sequential->op.name, .arguments = ARGS_SUM};
    return call_row(&row, sequential, a, arg);
}

/* `bound` are the arguments after `a`, in the order of the row's signature; NumPy's marker of an
 * argument that was not given counts as none. */
static PyObject *
call(GnpReductionId id, PyObject *a, PyObject *const *bound)
{
    PyObject *arg[GNP_REDUCE_NARGS] = {NULL};
    ArgsKind kind = gnp_reduction_rows[id].arguments;
    for (int i = 0; i < kinds[kind].nargs; i++) {
        arg[kinds[kind].arg[i]] = bound[i] == gnp_state.numpy_no_value ? NULL : bound[i];
    }
    return gnp_reduce_call(id, a, arg);
}

/* ---- functions and methods ------------------------------------------------------------------- */

static GnpSignature function_signatures[GNP_NREDUCTIONS] = {
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    GNP_SIGNATURE(#name "(a, " GNP_TEXT_##arguments),
#include "tables/reductions.def"
};

static GnpSignature method_signatures[GNP_NREDUCTIONS] = {
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    GNP_SIGNATURE(#name "(" GNP_TEXT_##arguments),
#include "tables/reductions.def"
};

static PyObject *
call_function(GnpReductionId id, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *bound[GNP_MAX_PARAMS];
    if (gnp_args_bind(&function_signatures[id], args, nargs, kwnames, bound) < 0) {
        return NULL;
    }
    return call(id, bound[0], bound + 1);
}

static PyObject *
call_method(GnpReductionId id, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
            PyObject *kwnames)
{
    PyObject *bound[GNP_MAX_PARAMS];
    if (gnp_args_bind(&method_signatures[id], args, nargs, kwnames, bound) < 0) {
        return NULL;
    }
    return call(id, self, bound);
}

/* One function and one method for each row of the table. */
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    static PyObject *reduce_##name(PyObject *Py_UNUSED(module), PyObject *const *args,             \
                                   Py_ssize_t nargs, PyObject *kwnames)                            \
    {                                                                                              \
        return call_function(REDUCE_##name, args, nargs, kwnames);                                 \
    }                                                                                              \
    PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,                \
                           PyObject *kwnames)                                                      \
    {                                                                                              \
        return call_method(REDUCE_##name, self, args, nargs, kwnames);                             \
    }
#include "tables/reductions.def"

static PyMethodDef functions[] = {
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    {#name, (PyCFunction)(void (*)(void))reduce_##name, METH_FASTCALL | METH_KEYWORDS,             \
     #name "($module, a, " GNP_TEXT_##arguments "\n--\n\n" summary},
#include "tables/reductions.def"
    {NULL, NULL, 0, NULL},
};

int
gnp_reductions_init(PyObject *module)
{
    functions[REDUCE_reduce_bitwise_and].ml_name = NULL; /* the rest is for ufunc.reduce alone */
    return PyModule_AddFunctions(module, functions);
}

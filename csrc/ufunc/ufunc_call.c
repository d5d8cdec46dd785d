/* Running a ufunc: from Python operands to one call of the elementwise engine.
 *
 * There are two paths. The fast one takes exact arrays and Python scalars that need no broadcast,
 * and allocates nothing but the result; the general one does everything else. Both leave casts to
 * the kernel, which reads and writes each operand in its own dtype.
 *
 * Everything runs in the calling thread with the GIL. An operand's block is recorded for the
 * stream by the engine. Casts cost no pass over memory, only conversions in registers.
 */
#include "ufunc/ufunc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- loops by input codes -------------------------------------------------------------------- */

/* A code is a dtype, or beyond those the kind of a Python number. */
static void
find_by_codes(const GnpUfuncRow *row, const int *code, GnpLoop *loop)
{
    GnpInputType types[GNP_MAX_IN];
    for (int i = 0; i < row->op.nin; i++) {
        int weak = code[i] >= GNP_NDTYPES;
        types[i] = (GnpInputType){weak ? GNP_NO_DTYPE : (GnpDtype)code[i],
                                  weak ? (GnpWeak)(code[i] - GNP_NDTYPES) : GNP_WEAK_NONE};
    }
    if (!gnp_loop_find(row, types, loop)) {
        loop->found = -1;
    }
}

/* The loop of these inputs, cached for one and two of them (`spare` holds that of three); NULL when
 * there is none, or without memory for the cache. A square table for two inputs; three inputs, as
 * of where(), are looked up each time. */
static const GnpLoop *
cached_loop(GnpUfunc *u, const int *code, int nin, GnpLoop *spare)
{
    if (nin > 2) {
        find_by_codes(u->row, code, spare);
        return spare->found > 0 ? spare : NULL;
    }
    if (GNP_UNLIKELY(u->loops == NULL)) {
        u->loops = calloc(GNP_NCODES * (nin == 2 ? GNP_NCODES : 1), sizeof *u->loops);
        if (u->loops == NULL) {
            return NULL;
        }
    }
    GnpLoop *loop = &u->loops[nin == 2 ? code[0] * GNP_NCODES + code[1] : code[0]];
    if (GNP_UNLIKELY(loop->found == 0)) {
        find_by_codes(u->row, code, loop);
    }
    return loop->found > 0 ? loop : NULL;
}

/* ---- the fast path --------------------------------------------------------------------------- */

/* Exact types only: subclasses may convert in ways of their own. */
static inline int
exact_weak_code(PyObject *o)
{
    PyTypeObject *t = Py_TYPE(o);
    return t == &PyFloat_Type     ? GNP_NDTYPES + GNP_WEAK_FLOAT
           : t == &PyLong_Type    ? GNP_NDTYPES + GNP_WEAK_INT
           : t == &PyBool_Type    ? GNP_NDTYPES + GNP_WEAK_BOOL
           : t == &PyComplex_Type ? GNP_NDTYPES + GNP_WEAK_COMPLEX
                                  : -1;
}

/* Comparing sizes first settles most differences without reading the shapes. */
static inline int
same_shape(const GnpArray *a, const GnpArray *b)
{
    return a->ndim == b->ndim && a->size == b->size &&
           memcmp(a->dims, b->dims, (size_t)a->ndim * sizeof *a->dims) == 0;
}

/* What the fast kernels can read as one axis of whole elements. */
static inline int
is_plain(const GnpArray *a)
{
    const int plain = GNP_C_CONTIGUOUS | GNP_ALIGNED;
    return (a->flags & plain) == plain;
}

/* 1 when contiguous `out` can be written while contiguous `in` of the same shape is read: they are
 * the same memory, or disjoint. Two different blocks of the pool are disjoint; foreign memory may
 * be the same under two blocks. */
static inline int
plain_out_is_safe(const GnpArray *out, const GnpArray *in)
{
    if (out->block != in->block) {
        return out->block->owner == NULL && in->block->owner == NULL;
    }
    return out->data == in->data && gnp_itemsize(out) == gnp_itemsize(in);
}

/* A Python number as an element of the loop's dtype. 0 when the general path has to convert it. A
 * number that overflows the loop's type is left to the general path, which warns or raises. */
static inline int
fast_scalar(PyObject *number, int code, int dtype, GnpScalar *value)
{
    value->bits[0] = value->bits[1] = 0;
    if (code == GNP_NDTYPES + GNP_WEAK_FLOAT && dtype == GNP_F32) {
        value->f = (float)PyFloat_AS_DOUBLE(number);
        return isfinite(value->f) ||
               !isfinite(PyFloat_AS_DOUBLE(number)); /* overflow warns there */
    }
    if (code == GNP_NDTYPES + GNP_WEAK_FLOAT && dtype == GNP_F64) {
        value->d = PyFloat_AS_DOUBLE(number);
        return 1;
    }
    if (gnp_scalar_from_object(number, dtype, value) < 0) {
        PyErr_Clear();
        return 0;
    }
    return 1;
}

/* Fills the operands and codes; the array that gives the shape, or NULL when the call is not fast.
 * All arrays have one shape and one device and are contiguous, so one axis describes them all. */
static inline const GnpArray *
fast_operands(int nin, PyObject *const *in, GnpOperand *operands, int *code)
{
    const GnpArray *shape = NULL;
    for (int i = 0; i < nin; i++) {
        if (Py_TYPE(in[i]) != gnp_array_type) {
            code[i] = exact_weak_code(in[i]);
            if (code[i] < 0) {
                return NULL;
            }
            continue;
        }
        GnpArray *a = (GnpArray *)in[i];
        if (!is_plain(a) || !gnp_is_number(a->dtype) ||
            (shape != NULL && (!same_shape(a, shape) || a->device_id != shape->device_id))) {
            return NULL;
        }
        shape = a;
        code[i] = a->dtype;
        operands[i] = (GnpOperand){.data = a->data, .block = a->block, .dtype = a->dtype};
    }
    return shape;
}

/* Anything unusual about `out` sends the call to the general path. */
static int
fast_out(const GnpLoop *loop, int nin, PyObject *const *in, PyObject *out, const GnpArray *shape)
{
    const int plain = GNP_C_CONTIGUOUS | GNP_ALIGNED | GNP_WRITEABLE;
    if (Py_TYPE(out) != gnp_array_type) {
        return 0;
    }
    const GnpArray *o = (const GnpArray *)out;
    if ((o->flags & plain) != plain || !same_shape(o, shape) || o->device_id != shape->device_id ||
        (o->dtype != loop->dtype[nin] &&
         (!gnp_is_number(o->dtype) ||
          !gnp_can_cast(loop->dtype[nin], o->dtype, GNP_CAST_SAME_KIND)))) {
        return 0;
    }
    for (int i = 0; i < nin; i++) {
        if (Py_TYPE(in[i]) == gnp_array_type && !plain_out_is_safe(o, (const GnpArray *)in[i])) {
            return 0;
        }
    }
    return 1;
}

/* Benchmark host/add: everything here runs once per `a + b`. */
int
gnp_ufunc_fast(GnpUfunc *u, PyObject *const *in, PyObject *out, PyObject **result)
{
    const GnpUfuncRow *row = u->row;
    int nin = row->op.nin, code[GNP_MAX_IN];
    GnpOperand operands[GNP_MAX_IN + 1];
    GnpScalar value[GNP_MAX_IN];
    GnpLoop spare;
    int64_t strides[GNP_MAX_IN + 1];
    /* Two outputs are rare, and one code path less to test. */
    if (row->op.nout != 1) {
        return 0;
    }
    const GnpArray *shape = fast_operands(nin, in, operands, code);
    const GnpLoop *loop = shape != NULL ? cached_loop(u, code, nin, &spare) : NULL;
    if (loop == NULL || (row == &gnp_ufunc_rows[GNP_UFUNC_power] &&
                         gnp_dtypes[loop->dtype[0]].cls == 'i' && code[1] >= GNP_NDTYPES)) {
        return 0; /* a negative integer exponent raises an error on the general path */
    }
    for (int i = 0; i < nin; i++) {
        /* The address of `value` is only used until the launch has copied it. */
        if (code[i] >= GNP_NDTYPES) {
            if (!fast_scalar(in[i], code[i], loop->dtype[i], &value[i])) {
                return 0;
            }
            operands[i] = (GnpOperand){.scalar = &value[i], .dtype = loop->dtype[i]};
        }
        else {
            strides[i] = gnp_dtypes[operands[i].dtype].bytes;
            operands[i].strides = &strides[i];
        }
        operands[i].compute = loop->dtype[i];
    }
    GnpArray *dst; /* owned */
    if (out != NULL) {
        /* Without `out` the new array tells the current device; with it nothing else does. */
        const GnpDevice *device = gnp_device_current();
        if (device == NULL) {
            return -1;
        }
        if (shape->device_id != device->id || !fast_out(loop, nin, in, out, shape)) {
            return 0;
        }
        dst = (GnpArray *)Py_NewRef(out);
    }
    else {
        dst = gnp_array_new(shape->ndim, gnp_shape(shape), loop->dtype[nin], 'C');
        if (dst == NULL) {
            return -1;
        }
    }
    if (GNP_UNLIKELY(dst->device_id != shape->device_id)) { /* not the current device */
        Py_DECREF((PyObject *)dst);
        return 0;
    }
    strides[nin] = gnp_itemsize(dst);
    operands[nin] = (GnpOperand){.data = dst->data,
                                 .block = dst->block,
                                 .strides = &strides[nin],
                                 .dtype = dst->dtype,
                                 .compute = loop->dtype[nin]};
    if (gnp_elementwise(&row->op, operands, 1, &shape->size) < 0) {
        Py_DECREF((PyObject *)dst);
        return -1;
    }
    *result = (PyObject *)dst;
    return 1;
}

/* ---- the general path: inputs ---------------------------------------------------------------- */

/* An input of the general path; `object` is borrowed from the caller's vector. */
typedef struct {
    GnpArray *array; /* owned; NULL for a scalar */
    PyObject *object;
    GnpInputType type;
    GnpScalar value;
} Input;

/* The state of a general call, on the stack; the owned arrays are dropped at its end. */
typedef struct {
    GnpUfunc *u;
    const GnpUfuncCall *call;
    int nin, nout;
    Input in[GNP_MAX_IN];
    GnpArray *mask;             /* owned or NULL */
    GnpArray *out[GNP_MAX_OUT]; /* owned: what is written */
    GnpLoop loop;
    const GnpElementOp *op;
    int64_t
        scale[GNP_MAX_IN]; /* units of time: appended to op's inputs, if it has more parameters */
    int ndim;
    int64_t shape[GNP_MAX_DIMS];
    int64_t strides[GNP_MAX_ARGS + 1][GNP_MAX_DIMS];
    int constant; /* the constant result of a comparison; -1: none */
} Run;

/* Exporters of device memory are accepted as operands; host arrays are not, because uploading them
 * silently would hide the cost. */
static int
take_input(GnpUfunc *u, PyObject *object, Input *in)
{
    int found;
    in->object = object;
    in->type = (GnpInputType){GNP_NO_DTYPE, GNP_WEAK_NONE};
    if (gnp_array_check(object)) {
        in->array = (GnpArray *)Py_NewRef(object);
    }
    else if ((found = gnp_numpy_scalar_dtype(object, &in->type.dtype)) != 0) {
        return found < 0 ? -1 : 0;
    }
    else if ((in->type.weak = gnp_weak_kind(object)) != GNP_WEAK_NONE) {
        return 0;
    }
    else if (!gnp_is_numpy_array(object) &&
             PyObject_HasAttr(object, gnp_state.str___cuda_array_interface__)) {
        in->array = gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
        if (in->array == NULL) {
            return -1;
        }
    }
    else {
        return gnp_ufunc_bad_operand(u, object);
    }
    in->type.dtype = in->array->dtype;
    return 0;
}

/* Where an input has a unit of time. Operands whose conversion is no factor are converted by a
 * launch of their own. */
static int
find_time_loop(Run *r, const GnpInputType *types)
{
    const GnpUfuncRow *row = r->u->row;
    GnpTimeLoop found;
    if (r->call->any_wanted) {
        PyErr_Format(PyExc_TypeError, "%s: dtype and signature are not supported for datetimes",
                     row->op.name);
        return -1;
    }
    if (row->rule == RULE_WHERE ? gnp_time_where(row, types, &found) < 0
                                : gnp_time_loop_find(row, types, r->call->casting, &found) < 0) {
        return -1;
    }
    r->loop = found.loop;
    r->op = found.op;
    memcpy(r->scale, found.scale, sizeof r->scale);
    for (int i = 0; i < r->nin; i++) {
        if (r->in[i].array == NULL) {
            r->scale[i] = 1; /* NumPy converts scalars */
        }
        else if (found.recast[i]) {
            GnpArray *cast = gnp_astype(r->in[i].array, (GnpDtype)r->loop.dtype[i], 'K');
            if (cast == NULL) {
                return -1;
            }
            Py_SETREF(r->in[i].array, cast);
        }
    }
    return 0;
}

/* NumPy checks the casts of inputs after it has found the loop. */
static int
find_loop(Run *r)
{
    GnpInputType types[GNP_MAX_IN];
    int has_unit = 0;
    for (int i = 0; i < r->nin; i++) {
        types[i] = r->in[i].type;
        has_unit |= !gnp_is_number(types[i].dtype); /* NumPy refuses structured ones itself */
    }
    if (GNP_UNLIKELY(has_unit) && r->u->row->rule != RULE_LISTED) { /* SciPy's have none of times */
        return find_time_loop(r, types);
    }
    if (r->call->any_wanted) {
        if (!gnp_loop_find_matching(r->u->row, types, r->call->wanted, &r->loop)) {
            return gnp_ufunc_no_match(r->u);
        }
    }
    else if (!gnp_loop_find(r->u->row, types, &r->loop)) {
        return gnp_ufunc_no_loop(r->u, types);
    }
    if (r->u->row->rule == RULE_TEST && r->nin == 2 &&
        (r->loop.dtype[0] == GNP_BOOL || !r->call->any_wanted)) {
        return 0; /* NumPy takes truth values of anything, whatever the casting */
    }
    for (int i = 0; i < r->nin; i++) {
        GnpDtype to = r->loop.dtype[i];
        /* A number has the type that it would take beside the loop's. */
        GnpDtype from =
            types[i].weak != GNP_WEAK_NONE ? gnp_weak_promote(types[i].weak, to) : types[i].dtype;
        if (r->call->casting < GNP_CAST_SAFE && types[i].weak == GNP_WEAK_FLOAT) {
            from = GNP_F64; /* a Python float equals float64 alone */
        }
        if (!gnp_can_cast(from, to, r->call->casting)) {
            return gnp_ufunc_cast_error(r->u, 0, i, from, to, r->call->casting);
        }
        if (gnp_warn_if_discarded(from, to) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A comparison with a Python integer outside the range of the loop's type has a constant result.
 * For instance uint8 < 1000: true everywhere, without an overflow. */
static int
constant_comparison(Run *r, int i)
{
    int overflow;
    if (r->u->row->rule != RULE_COMPARE || r->in[i].type.weak != GNP_WEAK_INT ||
        !PyErr_ExceptionMatches(PyExc_OverflowError)) {
        return -1;
    }
    PyErr_Clear();
    (void)PyLong_AsLongLongAndOverflow(r->in[i].object, &overflow);
    /* Out of range on which side: an unsigned type is left by any negative number. */
    int below = overflow < 0 || (overflow == 0 && PyLong_AsLongLong(r->in[i].object) < 0);
    int first_is_less = (i == 0) == below; /* as if x1 < x2 for every element */
    switch ((GnpUfuncId)(r->u->row - gnp_ufunc_rows)) {
    case GNP_UFUNC_less:
    case GNP_UFUNC_less_equal:
        r->constant = first_is_less;
        break;
    case GNP_UFUNC_greater:
    case GNP_UFUNC_greater_equal:
        r->constant = !first_is_less;
        break;
    default:
        r->constant = r->u->row == &gnp_ufunc_rows[GNP_UFUNC_not_equal];
        break;
    }
    return 0;
}

/* Reads the value in the width of its type, as it was stored. */
static int
is_negative_integer(const GnpScalar *value, GnpDtype dtype)
{
    switch (dtype) {
    case GNP_I8:
        return (int8_t)value->bits[0] < 0;
    case GNP_I16:
        return (int16_t)value->bits[0] < 0;
    case GNP_I32:
        return (int32_t)value->bits[0] < 0;
    case GNP_I64:
        return value->i < 0;
    default:
        return 0;
    }
}

/* Before any launch, so that errors leave outputs untouched. */
static int
convert_scalars(Run *r)
{
    for (int i = 0; i < r->nin; i++) {
        if (r->in[i].array != NULL) {
            continue;
        }
        if (gnp_scalar_from_object(r->in[i].object, r->loop.dtype[i], &r->in[i].value) < 0 &&
            constant_comparison(r, i) < 0) {
            return -1;
        }
        if (i == 1 && r->u->row == &gnp_ufunc_rows[GNP_UFUNC_power] &&
            is_negative_integer(&r->in[1].value, r->loop.dtype[1])) {
            PyErr_SetString(PyExc_ValueError,
                            "Integers to negative integer powers are not allowed.");
            return -1;
        }
    }
    return 0;
}

/* Only bool: NumPy refuses other types too. */
static int
take_mask(Run *r)
{
    PyObject *where = r->call->where;
    if (where == NULL) {
        return 0;
    }
    if (!gnp_array_check(where)) {
        GnpDtype own; /* only to refuse scalars of foreign types, which NumPy could convert */
        int found = PyBool_Check(where) ? 1 : gnp_numpy_scalar_dtype(where, &own);
        if (found < 0) {
            return -1;
        }
        if (found) {
            r->mask = gnp_array_from_object(where, GNP_BOOL, GNP_COPY_IF_NEEDED, 'C');
            return r->mask != NULL ? 0 : -1;
        }
        PyErr_Format(PyExc_TypeError,
                     "%s: where must be a gpunp array of bool, not %R; use cp.asarray(...)",
                     r->u->row->op.name, Py_TYPE(where));
        return -1;
    }
    /* Not even integers of 0 and 1: that is NumPy's rule for masks. */
    if (((GnpArray *)where)->dtype != GNP_BOOL) {
        PyErr_Format(
            PyExc_TypeError,
            "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe'",
            gnp_dtypes[((GnpArray *)where)->dtype].name);
        return -1;
    }
    r->mask = (GnpArray *)Py_NewRef(where);
    return 0;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* All arrays of the call in NumPy's order: inputs (NULL: scalar), mask, outputs. For messages, and
 * for checks that apply to all of them. */
static int
all_arrays(const Run *r, GnpArray **arrays)
{
    int n = 0;
    for (int i = 0; i < r->nin; i++) {
        arrays[n++] = r->in[i].array;
    }
    for (int i = 0; i < r->nout; i++) {
        arrays[n++] = (GnpArray *)r->call->out[i];
    }
    arrays[n++] = r->mask;
    return n;
}

/* The error lists all operands, which the failing pair alone does not know. */
static int
broadcast_one(Run *r, const GnpArray *a)
{
    if (a == NULL || gnp_broadcast_shape(&r->ndim, r->shape, a->ndim, gnp_shape(a)) == 0) {
        return 0;
    }
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
        return -1;
    }
    PyErr_Clear();
    GnpArray *arrays[GNP_MAX_ARGS + 1];
    int n = all_arrays(r, arrays);
    return gnp_ufunc_bad_shapes(r->u->row, arrays, n);
}

/* Outputs take part in the check but must not be stretched. */
static int
broadcast_all(Run *r)
{
    r->ndim = 0;
    for (int i = 0; i < r->nin; i++) {
        GNP_TRY(broadcast_one(r, r->in[i].array));
    }
    GNP_TRY(broadcast_one(r, r->mask));
    for (int i = 0; i < r->nout; i++) {
        GNP_TRY(broadcast_one(r, (GnpArray *)r->call->out[i]));
    }
    for (int i = 0; i < r->nout; i++) {
        const GnpArray *out = (GnpArray *)r->call->out[i];
        if (out != NULL &&
            (out->ndim != r->ndim ||
             memcmp(gnp_shape(out), r->shape, (size_t)r->ndim * sizeof *r->shape) != 0)) {
            return gnp_ufunc_bad_out_shape(out, r->ndim, r->shape);
        }
    }
    return 0;
fail:
    return -1;
}

/* Operands of another device are an error, or moved, as the program has said; given outputs stay
 * where they are, see take_outputs. */
static int
check_devices(Run *r)
{
    GnpArray *arrays[GNP_MAX_ARGS + 1];
    for (int i = 0; i < r->nin; i++) {
        if (r->in[i].array != NULL && gnp_array_bring(&r->in[i].array) < 0) {
            return -1;
        }
    }
    if (r->mask != NULL && gnp_array_bring(&r->mask) < 0) {
        return -1;
    }
    return gnp_ufunc_check_devices(r->u->row, arrays, all_arrays(r, arrays));
}

/* What given outputs must be apart from their shapes, which NumPy looks at later. */
static int
check_outputs(const Run *r)
{
    for (int i = 0; i < r->nout; i++) {
        const GnpDtype dtype = r->loop.dtype[r->nin + i];
        const GnpArray *given = (GnpArray *)r->call->out[i];
        if (given != NULL && !gnp_can_cast(dtype, given->dtype, r->call->casting)) {
            return gnp_ufunc_cast_error(r->u, 1, i, dtype, given->dtype, r->call->casting);
        }
        if (given != NULL && gnp_check_writeable(given) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* 0-d operands have every order. */
static char
resolve_order(const Run *r)
{
    if (r->call->order == 'C' || r->call->order == 'F') {
        return r->call->order;
    }
    int all_c = 1, all_f = 1;
    for (int i = 0; i < r->nin; i++) {
        const GnpArray *a = r->in[i].array;
        if (a == NULL || a->ndim == 0) {
            continue;
        }
        /* An input with fewer axes is broadcast, so its layout is not that of the result. */
        all_c = all_c && (a->flags & GNP_C_CONTIGUOUS) && a->ndim == r->ndim;
        all_f = all_f && (a->flags & GNP_F_CONTIGUOUS);
    }
    if (r->call->order == 'A') {
        return all_f ? 'F' : 'C';
    }
    return all_c ? 'C' : 'K';
}

/* NumPy's 'K': the order in which its iterator would walk the inputs. */
static GnpArray *
new_output(const Run *r, GnpDtype dtype)
{
    char order = resolve_order(r);
    if (order != 'K') {
        return gnp_array_new(r->ndim, r->shape, dtype, order);
    }
    int axes[GNP_MAX_DIMS], n = 0;
    const int64_t *strides[GNP_MAX_IN];
    for (int i = 0; i < r->nin; i++) {
        if (r->in[i].array != NULL) {
            strides[n++] = r->strides[i];
        }
    }
    gnp_iteration_order(r->ndim, r->shape, n, strides, axes);
    return gnp_array_new_ordered(r->ndim, r->shape, dtype, axes);
}

/* Each of the given outputs is written directly, unless it is unaligned: then a temporary is. */
static int
take_outputs(Run *r)
{
    for (int i = 0; i < r->nout; i++) {
        GnpDtype dtype = r->loop.dtype[r->nin + i];
        GnpArray *given = (GnpArray *)r->call->out[i];
        if (given == NULL) {
            GNP_NEW(r->out[i], new_output(r, dtype));
            continue;
        }
        GNP_TRY(gnp_warn_if_discarded(dtype, given->dtype));
        /* Kernels know neither units nor structures, so the result is converted after it. */
        if (given->dtype != (int)dtype && !gnp_is_number(given->dtype | (int)dtype)) {
            if (r->mask != NULL) {
                PyErr_Format(PyExc_TypeError,
                             "%s: where does not go with an output of another unit of time, or a "
                             "structured one",
                             r->u->row->op.name);
                return -1;
            }
            GNP_NEW(r->out[i], new_output(r, dtype)); /* finish() converts */
            continue;
        }
        /* On another device: what it holds comes too, as a mask may leave some of it. */
        GNP_NEW(r->out[i], gnp_array_to_current_device(given));
        GnpArray *aligned = gnp_aligned(r->out[i]);
        if (aligned == NULL) {
            goto fail;
        }
        Py_SETREF(r->out[i], aligned);
    }
    return 0;
fail:
    return -1;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Replaces an array that is unaligned, or overlaps an output, by a copy. Only given outputs can
 * overlap an input: new ones have memory of their own. */
static int
set_apart(const Run *r, GnpArray **array)
{
    GnpArray *aligned = gnp_aligned(*array); /* owned */
    if (aligned == NULL) {
        return -1;
    }
    Py_SETREF(*array, aligned);
    for (int i = 0; i < r->nout; i++) {
        if (r->call->out[i] != NULL && gnp_overlaps_harmfully(r->out[i], *array)) {
            GnpArray *copy = gnp_astype(*array, (*array)->dtype, 'K');
            if (copy == NULL) {
                return -1;
            }
            Py_SETREF(*array, copy);
            return 0;
        }
    }
    return 0;
}

/* Strides are stored in the Run, as the operand keeps a pointer to them. */
static GnpOperand
array_operand(Run *r, const GnpArray *a, int k, GnpDtype compute)
{
    gnp_broadcast_strides(a, r->ndim, r->shape, r->strides[k]);
    return (GnpOperand){.data = a->data,
                        .block = a->block,
                        .strides = r->strides[k],
                        .dtype = gnp_kernel_dtype(a->dtype),
                        .compute = gnp_kernel_dtype(compute)};
}

/* One launch, whatever the types: operands are converted as they are read and written. */
static int
execute(Run *r)
{
    GnpOperand operands[GNP_MAX_IN + GNP_MAX_ARGS + 1];
    const GnpElementOp *op = r->op;
    uint8_t answer = (uint8_t)r->constant;
    int n = 0;
    /* The inputs are not read at all then, only their shape counts. */
    if (r->constant >= 0) {
        op = &gnp_copy_op;
        operands[n++] = (GnpOperand){.scalar = &answer, .dtype = GNP_BOOL, .compute = GNP_BOOL};
    }
    for (int i = 0; r->constant < 0 && i < r->nin; i++) {
        Input *in = &r->in[i];
        GnpDtype compute = gnp_kernel_dtype(r->loop.dtype[i]);
        operands[n] =
            in->array != NULL
                ? array_operand(r, in->array, n, compute)
                : (GnpOperand){.scalar = &in->value, .dtype = compute, .compute = compute};
        n++;
    }
    /* Inputs more than the ufunc has are the factors between units of time. */
    for (int i = 0; n < op->nin; i++) {
        operands[n++] = (GnpOperand){.scalar = &r->scale[i], .dtype = GNP_I64, .compute = GNP_I64};
    }
    if (r->mask != NULL) {
        operands[n] = array_operand(r, r->mask, r->nin, GNP_BOOL);
        n++;
    }
    for (int i = 0; i < r->nout; i++) {
        operands[n] = array_operand(r, r->out[i], r->nin + 1 + i, r->loop.dtype[r->nin + i]);
        n++;
    }
    return r->mask != NULL ? gnp_elementwise_masked(op, operands, r->ndim, r->shape)
                           : gnp_elementwise(op, operands, r->ndim, r->shape);
}

/* The order decides which of several errors is raised, and follows NumPy. */
static int
prepare(Run *r)
{
    for (int i = 0; i < r->nin; i++) {
        GNP_TRY(take_input(r->u, r->call->in[i], &r->in[i]));
    }
    GNP_TRY(take_mask(r));
    GNP_TRY(check_devices(r));
    GNP_TRY(find_loop(r));
    GNP_TRY(check_outputs(r));
    GNP_TRY(broadcast_all(r));
    GNP_TRY(convert_scalars(r));
    for (int i = 0; i < r->nin; i++) {
        if (r->in[i].array != NULL) {
            gnp_broadcast_strides(r->in[i].array, r->ndim, r->shape, r->strides[i]);
        }
    }
    GNP_TRY(take_outputs(r));
    for (int i = 0; i < r->nin; i++) {
        if (r->in[i].array != NULL) {
            GNP_TRY(set_apart(r, &r->in[i].array));
        }
    }
    if (r->mask != NULL) {
        GNP_TRY(set_apart(r, &r->mask));
    }
    return 0;
fail:
    return -1;
}

/* The outputs as Python returns them: the given objects themselves. Conversions between units of
 * time, and unaligned outputs, are copied back here. */
static PyObject *
finish(Run *r)
{
    PyObject *results[GNP_MAX_OUT]; /* borrowed */
    PyObject *parent = NULL;        /* borrowed */
    if (!r->call->plain && gnp_highest_subclass(r->call->in, r->nin, &parent) < 0) {
        return NULL;
    }
    for (int i = 0; i < r->nout; i++) {
        results[i] = r->call->out[i];
        if (results[i] == NULL) {
            if (parent != NULL) {
                r->out[i] = (GnpArray *)gnp_of_class((PyObject *)r->out[i], parent);
                if (r->out[i] == NULL) {
                    return NULL;
                }
            }
            results[i] = (PyObject *)r->out[i];
        }
        else if (results[i] != (PyObject *)r->out[i] &&
                 gnp_copy((GnpArray *)results[i], r->out[i]) < 0) {
            return NULL;
        }
    }
    if (r->nout == 1) {
        return Py_NewRef(results[0]);
    }
    PyObject *ret = PyTuple_New(r->nout);
    for (int i = 0; ret != NULL && i < r->nout; i++) {
        PyTuple_SET_ITEM(ret, i, Py_NewRef(results[i]));
    }
    return ret;
}

/* Fields are set one by one: clearing the whole struct, with its strides, would take longer than
 * the rest. */
PyObject *
gnp_ufunc_general(GnpUfunc *u, const GnpUfuncCall *call)
{
    Run r;
    PyObject *ret = NULL;
    r.u = u;
    r.call = call;
    r.op = &u->row->op;
    r.nin = u->row->op.nin;
    r.nout = u->row->op.nout;
    r.mask = NULL;
    r.constant = -1;
    for (int i = 0; i < GNP_MAX_IN; i++) {
        r.in[i].array = NULL;
    }
    for (int i = 0; i < GNP_MAX_OUT; i++) {
        r.out[i] = NULL;
    }
    GNP_TRY(prepare(&r));
    GNP_TRY(execute(&r));
    ret = finish(&r);
fail:
    for (int i = 0; i < r.nin; i++) {
        Py_XDECREF((PyObject *)r.in[i].array);
    }
    for (int i = 0; i < r.nout; i++) {
        Py_XDECREF((PyObject *)r.out[i]);
    }
    Py_XDECREF((PyObject *)r.mask);
    return ret;
}

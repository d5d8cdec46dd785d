/* where(condition, x, y), copyto and triangle: selection element by element.
 *
 * where is a row of its own: three inputs, the first a truth value of any dtype.
 *
 * All run in one launch of the elementwise engine. where has no out or casting arguments in
 * NumPy, so it is a function over a ufunc row rather than a ufunc of the table.
 */
#include "ufunc/ufunc.h"

#include <string.h>

static const GnpUfuncRow where_row = {
    .op = {.name = "where", .expression = "a ? b : c", .nin = 3, .nout = 1},
    .rule = RULE_WHERE,
    .result = "WHERE",
    .classes = "?iufc",
    .identity_name = "NONE",
    .summary = "Return elements chosen from x or y depending on condition.",
};

PyDoc_STRVAR(where_doc, "where(condition, x, y)\n--\n\n"
                        "Return elements of x or y, depending on condition.\n\n"
                        "All three broadcast together; the dtype is that of x and y together.");

static PyObject *array_where(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames);

/* x or y as an array of `dtype`; of its own one where that is GNP_NO_DTYPE. */
static GnpArray *
structured_operand(PyObject *object, GnpDtype dtype)
{
    if (!gnp_array_check(object) && gnp_is_numpy_array(object)) {
        gnp_ufunc_bad_operand((GnpUfunc *)gnp_state.where, object);
        return NULL;
    }
    return gnp_array_from_object(object, dtype, GNP_COPY_IF_NEEDED, 'K');
}

/* Words are chosen instead of elements. */
static PyObject *
where_structured(PyObject *const *in)
{
    GnpArray *condition = NULL, *beside = NULL;            /* owned */
    GnpArray *x = NULL, *y = NULL, *xw = NULL, *yw = NULL; /* owned */
    PyObject *words = NULL, *ret = NULL;
    GNP_NEW(condition, structured_operand(in[0], GNP_NO_DTYPE));
    GNP_NEW(beside, gnp_beside_words(condition));
    GNP_NEW(x, structured_operand(in[1], GNP_NO_DTYPE));
    GNP_NEW(y, structured_operand(in[2], GNP_NO_DTYPE));
    const GnpDtype dtype = gnp_promote((GnpDtype)x->dtype, (GnpDtype)y->dtype);
    if (dtype == GNP_NO_DTYPE) {
        PyErr_Format(PyExc_TypeError, "no common dtype for %s and %s", gnp_dtypes[x->dtype].name,
                     gnp_dtypes[y->dtype].name);
        goto fail;
    }
    Py_SETREF(x, x->dtype == (int)dtype ? (GnpArray *)Py_NewRef((PyObject *)x)
                                        : gnp_astype(x, dtype, 'K'));
    Py_SETREF(y, y->dtype == (int)dtype ? (GnpArray *)Py_NewRef((PyObject *)y)
                                        : gnp_astype(y, dtype, 'K'));
    if (x == NULL || y == NULL) {
        goto fail;
    }
    const int64_t end = gnp_itemsize(x), a = gnp_word_bytes(x, 0, end),
                  b = gnp_word_bytes(y, 0, end);
    GNP_NEW(xw, gnp_words(x, 0, end, a < b ? a : b));
    GNP_NEW(yw, gnp_words(y, 0, end, a < b ? a : b));
    PyObject *args[] = {(PyObject *)beside, (PyObject *)xw, (PyObject *)yw};
    words = array_where(NULL, args, 3, NULL);
    ret = words == NULL ? NULL : (PyObject *)gnp_array_from_words((GnpArray *)words, dtype);
fail:
    Py_XDECREF((PyObject *)condition);
    Py_XDECREF((PyObject *)beside);
    Py_XDECREF((PyObject *)x);
    Py_XDECREF((PyObject *)y);
    Py_XDECREF((PyObject *)xw);
    Py_XDECREF((PyObject *)yw);
    return ret;
}

static int
is_structured(PyObject *object)
{
    return gnp_array_check(object) && gnp_is_structured(((GnpArray *)object)->dtype);
}

/* The condition is read as a truth value of its own type. The fast path applies as for any
 * ufunc; the general one handles broadcasting and casts. */
static PyObject *
array_where(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("where(condition, x, y)");
    PyObject *in[3], *result;
    if (gnp_args_bind(&signature, args, nargs, kwnames, in) < 0) {
        return NULL;
    }
    int done = gnp_ufunc_fast((GnpUfunc *)gnp_state.where, in, NULL, &result);
    if (done != 0) {
        return done > 0 ? result : NULL;
    }
    if (is_structured(in[1]) || is_structured(in[2])) {
        return where_structured(in);
    }
    GnpUfuncCall call = {.in = {in[0], in[1], in[2]}, .casting = GNP_CAST_UNSAFE, .order = 'K'};
    return gnp_ufunc_general((GnpUfunc *)gnp_state.where, &call);
}

/* ---- copyto ---------------------------------------------------------------------------------- */

/* NumPy's message. copyto checks the cast before it looks at shapes, as NumPy does. */
static int
check_cast(GnpDtype from, GnpDtype to, GnpCasting casting)
{
    static const char *const names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    if (gnp_can_cast(from, to, casting)) {
        return 0;
    }
    PyErr_Format(
        PyExc_TypeError,
        "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule '%s'",
        gnp_dtypes[from].name, gnp_dtypes[to].name, names[casting]);
    return -1;
}

/* src as an array for dst: itself, or a 0-d array of dst's dtype for a number. Arrays keep their
 * dtype, as the copy converts; numbers become one element. */
static GnpArray *
source_array(PyObject *object, const GnpArray *dst, GnpCasting casting)
{
    GnpDtype dtype = GNP_NO_DTYPE;
    if (gnp_array_check(object)) {
        const GnpDtype from = ((GnpArray *)object)->dtype;
        if (check_cast(from, dst->dtype, casting) < 0 ||
            gnp_warn_if_discarded(from, dst->dtype) < 0) {
            return NULL;
        }
        return (GnpArray *)Py_NewRef(object);
    }
    if (gnp_is_structured(dst->dtype) && /* a tuple, or a structured scalar */
        (PyTuple_Check(object) || gnp_is_void_scalar(object))) {
        return gnp_array_from_object(object, dst->dtype, GNP_COPY_IF_NEEDED, 'C');
    }
    /* NumPy's scalars have a dtype; Python's numbers take that of dst where it can hold their
     * kind. */
    int found = gnp_numpy_scalar_dtype(object, &dtype);
    if (found < 0) {
        return NULL;
    }
    if (found == 0) {
        GnpWeak weak = gnp_weak_kind(object);
        if (weak == GNP_WEAK_NONE) {
            PyErr_Format(
                PyExc_TypeError,
                "copyto: unsupported type %R; move it to the device with cp.asarray(...) first",
                Py_TYPE(object));
            return NULL;
        }
        dtype = gnp_weak_promote(weak, dst->dtype);
    }
    if (check_cast(dtype, dst->dtype, casting) < 0) {
        return NULL;
    }
    return gnp_array_from_object(object, dst->dtype, GNP_COPY_IF_NEEDED, 'C');
}

/* The kernel reads and writes only where the mask is true. */
static int
copy_masked(GnpArray *dst, GnpArray *src, GnpArray *mask)
{
    int64_t shape[GNP_MAX_DIMS], src_strides[GNP_MAX_DIMS], mask_strides[GNP_MAX_DIMS];
    int ndim = dst->ndim;
    for (int axis = 0; axis < ndim; axis++) {
        shape[axis] = gnp_shape(dst)[axis];
    }
    if (gnp_broadcast_shape(&ndim, shape, src->ndim, gnp_shape(src)) < 0 ||
        gnp_broadcast_shape(&ndim, shape, mask->ndim, gnp_shape(mask)) < 0) {
        return -1;
    }
    for (int axis = 0; axis < ndim; axis++) {
        if (ndim != dst->ndim || shape[axis] != gnp_shape(dst)[axis]) {
            return gnp_ufunc_bad_out_shape(dst, ndim, shape);
        }
    }
    gnp_broadcast_strides(src, ndim, shape, src_strides);
    gnp_broadcast_strides(mask, ndim, shape, mask_strides);
    GnpOperand operands[] = {
        {.data = src->data,
         .block = src->block,
         .strides = src_strides,
         .dtype = gnp_kernel_dtype(src->dtype),
         .compute = gnp_kernel_dtype(dst->dtype)},
        {.data = mask->data,
         .block = mask->block,
         .strides = mask_strides,
         .dtype = GNP_BOOL,
         .compute = GNP_BOOL},
        {.data = dst->data,
         .block = dst->block,
         .strides = gnp_strides(dst),
         .dtype = gnp_kernel_dtype(dst->dtype),
         .compute = gnp_kernel_dtype(dst->dtype)},
    };
    return gnp_elementwise_masked(&gnp_copy_op, operands, ndim, shape);
}

/* `a` itself, or a copy where it overlaps what is written. New reference. */
static GnpArray *
apart_from(GnpArray *array, const GnpArray *dst)
{
    GnpArray *aligned = gnp_readable_any(array, "copyto");
    if (aligned != NULL && gnp_overlaps_harmfully(dst, aligned)) {
        Py_SETREF(aligned, gnp_astype(aligned, aligned->dtype, 'K'));
    }
    return aligned;
}

typedef struct {
    GnpArray *mask; /* borrowed */
    int ndim;       /* of the array that is written; words of it have more axes */
} Masked;

/* Overlap and alignment are resolved by copies. */
static int
copy_where(GnpArray *dst, GnpArray *src, void *context)
{
    const Masked *masked = context;
    GnpArray *mask = (GnpArray *)Py_NewRef((PyObject *)masked->mask); /* owned */
    GnpArray *to = NULL, *from = NULL, *apart = NULL;                 /* owned */
    int ret = -1;
    for (int i = masked->ndim; i < dst->ndim; i++) {
        GnpArray *deeper;
        GNP_NEW(deeper, gnp_beside_words(mask));
        Py_SETREF(mask, deeper);
    }
    GNP_NEW(to, gnp_readable_any(dst, "copyto"));
    GNP_NEW(from, apart_from(src, to));
    GNP_NEW(apart, apart_from(mask, to));
    GNP_TRY(copy_masked(to, from, apart));
    /* `to` is a copy of an unaligned dst, whose unselected elements it has too. */
    ret = to != dst ? gnp_copy(dst, to) : 0;
fail:
    Py_XDECREF((PyObject *)mask);
    Py_XDECREF((PyObject *)to);
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)apart);
    return ret;
}

PyDoc_STRVAR(copyto_doc,
             "copyto(dst, src, casting='same_kind', where=True)\n--\n\n"
             "Copy values from one array to another, with broadcasting.\n\n"
             "Parameters\n----------\n"
             "dst : ndarray\n    Array that is modified in place.\n"
             "src : array_like\n"
             "    Values to copy, broadcast to `dst`. If both overlap, `src` is copied first.\n"
             "casting : str, optional\n    Rule that says which casts are allowed.\n"
             "where : array_like of bool, optional\n    Mask of the elements that are written.");

/* Without a mask gnp_copy() does all of it. */
static PyObject *
array_copyto(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("copyto(dst, src, casting='same_kind', where=True)");
    PyObject *in[4];
    GnpArray *src = NULL, *mask = NULL; /* owned */
    GnpCasting casting = GNP_CAST_SAME_KIND;
    PyObject *ret = NULL;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, in));
    if (!gnp_array_check(in[0])) {
        PyErr_Format(PyExc_TypeError,
                     "copyto() writes to a gpunp.ndarray, not to %.100s; "
                     "a.get(out=host) copies to the host",
                     Py_TYPE(in[0])->tp_name);
        return NULL;
    }
    GnpArray *dst = (GnpArray *)in[0];
    if (in[2] != NULL) {
        GNP_TRY(gnp_casting_from_object(in[2], &casting));
    }
    GNP_TRY(gnp_check_writeable(dst));
    GNP_NEW(src, source_array(in[1], dst, casting));
    /* A plain copy is not slowed down by a mask. */
    if (in[3] == NULL || in[3] == Py_True || in[3] == Py_None) {
        GNP_TRY(gnp_copy(dst, src));
        ret = Py_NewRef(Py_None);
        goto fail;
    }
    /* The masked kernel converts numbers, not units of time or structures. */
    if (src->dtype != dst->dtype && !gnp_is_number(src->dtype | dst->dtype)) {
        Py_XSETREF(src, gnp_astype(src, (GnpDtype)dst->dtype, 'K'));
        if (src == NULL) {
            goto fail;
        }
    }
    GNP_NEW(mask, gnp_array_from_object(in[3], GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K'));
    /* NumPy accepts only bool masks here. */
    GNP_TRY(check_cast(mask->dtype, GNP_BOOL, GNP_CAST_SAFE));
    const Masked masked = {mask, dst->ndim};
    const GnpWordsTask task = {copy_where, (void *)(uintptr_t)&masked};
    GNP_TRY(gnp_each_words(dst, src, &task));
    ret = Py_NewRef(Py_None);
fail:
    Py_XDECREF((PyObject *)src);
    Py_XDECREF((PyObject *)mask);
    return ret;
}

/* ---- triangle -------------------------------------------------------------------------------- */

/* a: the element's bytes, b: its column less its row, c: the diagonal. No mask is read: the result
 * depends on the element's index. */
static const GnpElementOp lower_op = {
    .name = "lower_triangle", .expression = "b <= c ? a : T(0)", .nin = 3, .nout = 1};
static const GnpElementOp upper_op = {
    .name = "upper_triangle", .expression = "b >= c ? a : T(0)", .nin = 3, .nout = 1};

PyDoc_STRVAR(triangle_doc, "triangle(m, k, lower)\n--\n\n"
                           "Return a copy in C order whose elements above (not lower: below) the\n"
                           "k-th diagonal of the last two axes are 0; a vector is every row.");

/* Bytes of rows of zeros from which on it is worth a launch that they are not read. */
enum { WORTH_A_LAUNCH = 1 << 20 };

/* How many rows the launch has to read of the upper triangle `ret`; the others, at
 * the end of a tall matrix, are filled with zeros here. -1 with an exception. */
static int64_t
fill_empty_rows(GnpArray *ret, int64_t diagonal)
{
    const int64_t *shape = gnp_shape(ret), columns = shape[1];
    const int64_t used = diagonal >= columns              ? 0
                         : diagonal <= columns - shape[0] ? shape[0]
                                                          : columns - diagonal;
    const int64_t rest[] = {shape[0] - used, columns};
    const GnpScalar zero = {{0, 0}};
    if (rest[0] * columns * gnp_itemsize(ret) < WORTH_A_LAUNCH) {
        return shape[0];
    }
    const CUdeviceptr first = ret->data + (CUdeviceptr)(used * gnp_strides(ret)[0]);
    GnpArray *rows = gnp_array_view(ret, first, 2, rest, gnp_strides(ret), (GnpDtype)ret->dtype);
    const int status = rows != NULL ? gnp_fill(rows, &zero) : -1;
    Py_XDECREF((PyObject *)rows);
    return status < 0 ? -1 : used;
}

/* Zeros beside the diagonal are written by the launch that copies the others. */
static PyObject *
triangle(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("triangle(m, k, lower)");
    PyObject *in[3];
    GnpArray *m = NULL, *ret = NULL; /* m is owned, ret returned */
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS], place[GNP_MAX_DIMS] = {0};
    GnpScalar diagonal = {.i = 0};

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, in));
    if (!gnp_array_check(in[0]) || ((GnpArray *)in[0])->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "triangle() wants an array of at least one axis");
        return NULL;
    }
    diagonal.i = PyLong_AsLongLong(in[1]);
    if (diagonal.i == -1 && PyErr_Occurred()) {
        return NULL;
    }
    GNP_NEW(m, gnp_readable_any((GnpArray *)in[0], "triangle"));
    int lower = PyObject_IsTrue(in[2]), ndim = m->ndim > 1 ? m->ndim : 2;
    GNP_TRY(lower);
    memcpy(shape, gnp_shape(m), (size_t)m->ndim * sizeof *shape);
    /* A vector is broadcast to the rows of a square. */
    if (m->ndim == 1) {
        shape[1] = shape[0];
    }
    gnp_broadcast_strides(m, ndim, shape, strides);
    /* The operand of the position has the strides of column less row. */
    place[ndim - 1] = 1;
    place[ndim - 2] = -1;
    GNP_NEW(ret, gnp_array_new(ndim, shape, m->dtype, 'C'));
    if (!lower && ndim == 2) {
        shape[0] = fill_empty_rows(ret, diagonal.i);
        GNP_TRY(shape[0] < 0 ? -1 : 0);
    }
    /* Elements are only moved or zeroed, so one kernel serves all dtypes of a size. */
    const int type = gnp_same_bytes(m->dtype);
    GnpOperand operands[] = {
        {.data = m->data, .block = m->block, .strides = strides, .dtype = type, .compute = type},
        {.strides = place, .dtype = GNP_U8, .compute = GNP_I64, .kind = GNP_POSITION},
        {.scalar = &diagonal, .dtype = GNP_I64, .compute = GNP_I64},
        {.data = ret->data,
         .block = ret->block,
         .strides = gnp_strides(ret),
         .dtype = type,
         .compute = type},
    };
    GNP_TRY(gnp_elementwise(lower ? &lower_op : &upper_op, operands, ndim, shape));
    Py_DECREF((PyObject *)m);
    return (PyObject *)ret;
fail:
    Py_XDECREF((PyObject *)m);
    Py_XDECREF((PyObject *)ret);
    return NULL;
}

static PyMethodDef functions[] = {
    {"where", (PyCFunction)(void (*)(void))array_where, METH_FASTCALL | METH_KEYWORDS, where_doc},
    {"copyto", (PyCFunction)(void (*)(void))array_copyto, METH_FASTCALL | METH_KEYWORDS,
     copyto_doc},
    {"triangle", (PyCFunction)(void (*)(void))triangle, METH_FASTCALL | METH_KEYWORDS,
     triangle_doc},
    {"special_table", gnp_special_table, METH_NOARGS,
     PyDoc_STR("special_table()\n--\n\nReturn all rows of tables/special.def as a list of dicts.")},
    {"special_ufuncs", gnp_special_ufuncs, METH_NOARGS,
     PyDoc_STR("special_ufuncs()\n--\n\nReturn the ufuncs of tables/special.def by name.")},
    {"ufunc_table", gnp_ufunc_table, METH_NOARGS,
     PyDoc_STR("ufunc_table()\n--\n\nReturn all rows of tables/ufuncs.def as a list of dicts.")},
    {"ufunc_aliases", gnp_ufunc_aliases, METH_NOARGS,
     PyDoc_STR("ufunc_aliases()\n--\n\n"
               "Return the aliases of ufuncs, with the names they stand for.")},
    {NULL, NULL, 0, NULL},
};

/* where is stored in gnp_state, since its row has no id in the table. */
int
gnp_where_init(PyObject *module)
{
    gnp_state.where = (PyObject *)gnp_ufunc_new(&where_row);
    return gnp_state.where == NULL ? -1 : PyModule_AddFunctions(module, functions);
}

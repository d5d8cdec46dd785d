/* Functions of `gpunp._C` about arrays: creation, conversion, sharing, concatenation.
 *
 * The public functions of the package are Python and add what needs no speed; these are called by
 * them, or are them where the signatures agree. Arguments are bound without a tuple
 * (METH_FASTCALL).
 *
 * Everything holds the GIL; nothing waits for the device. New arrays are made on the current
 * device, and their memory is taken in the order of its current stream.
 */
#include "core/core_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each function has its signature as text, from which the binding and the messages of wrong
 * calls follow. */
#define BIND_OR_RETURN(text, count)                                                                \
    static GnpSignature signature = GNP_SIGNATURE(text);                                           \
    PyObject *given[count];                                                                        \
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {                              \
        return NULL;                                                                               \
    }

typedef PyObject *const *Args;

/* A dtype argument, `fallback` for None and absent: 0 or -1. GNP_NO_DTYPE as the fallback means "as
 * the values are". */
static int
dtype_argument(PyObject *object, GnpDtype fallback, GnpDtype *out)
{
    if (object == NULL || object == Py_None) {
        *out = fallback;
        return 0;
    }
    *out = gnp_stored_dtype_from_object(object);
    return *out == GNP_NO_DTYPE ? -1 : 0;
}

/* No conversion: functions of the package have made arrays of their arguments. */
static int
array_argument(PyObject *object, const char *name, GnpArray **out)
{
    if (object == NULL || !gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a gpunp.ndarray, not %.200s (see gpunp.asarray)",
                     name, object == NULL ? "missing" : Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = (GnpArray *)object;
    return 0;
}

/* None, True, False -> if needed, always, never. NumPy 2's meaning of copy=None and copy=False. A
 * string would be true, whatever it says. */
int
gnp_copy_mode_from_object(PyObject *object, GnpCopyMode fallback, GnpCopyMode *out)
{
    *out = fallback;
    if (object == NULL) {
        return 0;
    }
    if (PyUnicode_Check(object)) {
        PyErr_Format(PyExc_ValueError, "copy must be True, False or None, not the string %R",
                     object);
        return -1;
    }
    int truth = object == Py_None ? 0 : PyObject_IsTrue(object);
    *out = object == Py_None ? GNP_COPY_IF_NEEDED : truth ? GNP_COPY_ALWAYS : GNP_COPY_NEVER;
    return truth < 0 ? -1 : 0;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Orders 'A' and 'K' have no prototype here and are 'C'. */
static GnpArray *
empty_from(PyObject *shape_object, PyObject *dtype_object, GnpDtype fallback,
           PyObject *order_object)
{
    int64_t shape[GNP_MAX_DIMS];
    GnpDtype dtype;
    char order;
    int ndim = gnp_shape_from_object(shape_object, shape);
    if (ndim < 0 || dtype_argument(dtype_object, fallback, &dtype) < 0 ||
        gnp_order_from_object(order_object, 'C', &order) < 0) {
        return NULL;
    }
    return gnp_array_new(ndim, shape, dtype, order == 'F' ? 'F' : 'C');
}

/* The memory is that of the pool as it is: it may hold values of earlier arrays. */
static PyObject *
core_empty(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("empty(shape, dtype=None, order='C')", 3)
    return (PyObject *)empty_from(given[0], given[1], GNP_F64, given[2]);
}

/* numpy.full casts as copyto does: NumPy's integers wrap, and floating numbers become times, except
 * a Python float for timedelta64, which NumPy 2.5 rejects. 1: `out` is such an element. */
static int
cast_number(PyObject *value, GnpDtype dtype, GnpScalar *out)
{
    GnpDtype own;
    if (gnp_has_unit(dtype) && gnp_is_date_like(value)) {
        return gnp_scalar_from_object(value, dtype, out) < 0 ? -1 : 1;
    }
    if (gnp_has_unit(dtype) && PyFloat_Check(value)) {
        const double count = PyFloat_AS_DOUBLE(value);
        if (gnp_dtypes[dtype].cls == 'm' && !isnan(count) && !gnp_is_numpy_scalar(value)) {
            return 0;
        }
        out->i = count >= -0x1p63 && count < 0x1p63 ? (int64_t)count : INT64_MIN; /* NaT */
        return 1;
    }
    int found = strchr("iu", gnp_dtypes[dtype].cls) ? gnp_numpy_scalar_dtype(value, &own) : 0;
    if (found <= 0 || !strchr("iu", gnp_dtypes[own].cls)) {
        return found < 0 ? -1 : 0;
    }
    /* The low bytes of the wide integer are the wrapped value, as numpy.full casts. */
    GnpDtype wide = gnp_dtypes[own].cls == 'u' ? GNP_U64 : GNP_I64;
    return gnp_scalar_from_object(value, wide, out) < 0 ? -1 : 1; /* little-endian: low bytes */
}

/* A NULL value means zeros. Takes the array also when it is NULL, so that calls nest. */
static PyObject *
fill_new(GNP_STEAL GnpArray *a, PyObject *value)
{
    GnpScalar element = {{0, 0}};
    int status = -1;
    int known = a == NULL       ? -1
                : value == NULL ? 1
                                : cast_number(value, (GnpDtype)a->dtype, &element);
    if (known >= 0) {
        status = known ? gnp_fill(a, &element) : gnp_array_assign(a, value);
    }
    if (status < 0) {
        Py_CLEAR(a);
    }
    return (PyObject *)a;
}

/* Zeros are filled by a kernel, as pooled memory is never clean. */
static PyObject *
core_zeros(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("zeros(shape, dtype=None, order='C')", 3)
    return fill_new(empty_from(given[0], given[1], GNP_F64, given[2]), NULL);
}

/* A fill like full(), with True, which every dtype takes. */
static PyObject *
core_ones(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("ones(shape, dtype=None, order='C')", 3)
    return fill_new(empty_from(given[0], given[1], GNP_F64, given[2]), Py_True);
}

/* The dtype of numpy.asarray(value). Anything else is converted once for its dtype, and again for
 * its values. */
static int
dtype_of_value(PyObject *value, GnpDtype *out)
{
    GnpWeak weak = gnp_weak_kind(value);
    if (weak != GNP_WEAK_NONE) {
        *out = gnp_weak_promote(weak, GNP_NO_DTYPE);
        return 0;
    }
    if (gnp_array_check(value)) {
        *out = (GnpDtype)((GnpArray *)value)->dtype;
        return 0;
    }
    int found = gnp_is_void_scalar(value) ? 0 : gnp_numpy_scalar_dtype(value, out);
    if (found != 0) {
        return found < 0 ? -1 : 0;
    }
    GnpArray *a = gnp_array_from_object(value, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
    if (a == NULL) {
        return -1;
    }
    *out = (GnpDtype)a->dtype;
    Py_DECREF((PyObject *)a);
    return 0;
}

/* Without a dtype the value decides, as in NumPy. */
static PyObject *
core_full(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    GnpDtype fallback = GNP_F64;
    BIND_OR_RETURN("full(shape, fill_value, dtype=None, order='C')", 4)
    /* Not needed with a dtype: finding the value's may convert it. */
    if ((given[2] == NULL || given[2] == Py_None) && dtype_of_value(given[1], &fallback) < 0) {
        return NULL;
    }
    return fill_new(empty_from(given[0], given[2], fallback, given[3]), given[1]);
}

/* order 'K' of the prototype where the number of axes allows, as NumPy. `subok` is accepted for
 * NumPy's signature and has no effect: results are base arrays. */
static GnpArray *
like(PyObject *prototype, PyObject *dtype_object, PyObject *order_object, PyObject *shape_object)
{
    GnpArray *p;
    GnpDtype dtype;
    char order;
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    if (array_argument(prototype, "prototype", &p) < 0 ||
        dtype_argument(dtype_object, (GnpDtype)p->dtype, &dtype) < 0 ||
        gnp_order_from_object(order_object, 'K', &order) < 0) {
        return NULL;
    }
    if (shape_object == NULL || shape_object == Py_None) {
        return gnp_array_new_like(p, dtype, order);
    }
    int ndim = gnp_shape_from_object(shape_object, shape);
    if (ndim < 0) {
        return NULL;
    }
    /* With another shape 'K' can keep the order of the axes only if their number is the same. */
    int f = !(p->flags & GNP_C_CONTIGUOUS) && p->flags & GNP_F_CONTIGUOUS;
    if (order == 'K' && ndim == p->ndim && !f && !(p->flags & GNP_C_CONTIGUOUS)) {
        GnpArray *a = gnp_array_new(ndim, shape, dtype, 'C');
        if (a != NULL) { /* p's axis order with the new lengths */
            memcpy(strides, gnp_strides(p), (size_t)ndim * sizeof *strides);
            memcpy(gnp_strides(a), strides, (size_t)ndim * sizeof *strides);
            /* gnp_layout_keep_strides() reads an array, so the new one describes p's order for a
             * moment. */
            a->flags &= (int16_t)~GNP_C_CONTIGUOUS;
            gnp_layout_keep_strides(a, gnp_itemsize(a), strides);
            memcpy(gnp_strides(a), strides, (size_t)ndim * sizeof *strides);
            gnp_array_update_flags(a);
        }
        return a;
    }
    int fortran = order == 'F' || (f && (order == 'A' || (order == 'K' && ndim == p->ndim)));
    return gnp_array_new(ndim, shape, dtype, fortran ? 'F' : 'C');
}

/* The prototype is an array of ours: gpunp's Python functions convert other objects. */
static PyObject *
core_empty_like(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("empty_like(prototype, dtype=None, order='K', subok=True, shape=None)", 5)
    return (PyObject *)like(given[0], given[1], given[2], given[4]);
}

/* The memory order is that of the prototype. */
static PyObject *
core_zeros_like(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("zeros_like(a, dtype=None, order='K', subok=True, shape=None)", 5)
    return fill_new(like(given[0], given[1], given[2], given[4]), NULL);
}

/* As zeros_like, with ones. */
static PyObject *
core_ones_like(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("ones_like(a, dtype=None, order='K', subok=True, shape=None)", 5)
    return fill_new(like(given[0], given[1], given[2], given[4]), Py_True);
}

/* The dtype is the prototype's, unlike that of full(). */
static PyObject *
core_full_like(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None)", 6)
    return fill_new(like(given[0], given[2], given[3], given[5]), given[1]);
}

/* ---- conversion ------------------------------------------------------------------------------ */

/* array() and asarray() differ in what copy=None means. */
static PyObject *
convert(PyObject *object, PyObject *dtype_object, PyObject *copy_object, PyObject *order_object,
        GnpCopyMode fallback)
{
    GnpDtype dtype;
    GnpCopyMode copy;
    char order;
    if (dtype_argument(dtype_object, GNP_NO_DTYPE, &dtype) < 0 ||
        gnp_copy_mode_from_object(copy_object, fallback, &copy) < 0 ||
        gnp_order_from_object(order_object, 'K', &order) < 0) {
        return NULL;
    }
    return (PyObject *)gnp_array_from_object(object, dtype, copy, order);
}

PyDoc_STRVAR(array_doc, "array(object, dtype=None, copy=True, order='K', subok=False, ndmin=0, *, "
                        "blocking=False)\n--\n\n"
                        "Create an array from any object that NumPy or a GPU protocol supports.");

/* `blocking` is CuPy's: uploads from host memory have copied the values when they return. */
static PyObject *
core_array(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN(
        "array(object, dtype=None, copy=True, order='K', subok=False, ndmin=0, *, blocking=False)",
        7)
    Py_ssize_t ndmin = 0;
    if (given[5] != NULL) {
        ndmin = PyNumber_AsSsize_t(given[5], PyExc_ValueError);
        if (ndmin == -1 && PyErr_Occurred()) {
            return NULL;
        }
    }
    /* Before the conversion, which may be long. */
    if (ndmin > GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "ndmin must be <= %d", GNP_MAX_DIMS);
        return NULL;
    }
    PyObject *a = convert(given[0], given[1], given[2], given[3], GNP_COPY_ALWAYS);
    /* Axes of length 1 in front: a view, whatever the layout. */
    if (a != NULL && ((GnpArray *)a)->ndim < ndmin) {
        int64_t shape[GNP_MAX_DIMS];
        GnpArray *source = (GnpArray *)a;
        int extra = (int)ndmin - source->ndim;
        for (int i = 0; i < ndmin; i++) {
            shape[i] = i < extra ? 1 : gnp_shape(source)[i - extra];
        }
        Py_SETREF(a, (PyObject *)gnp_array_reshape(source, (int)ndmin, shape, 'C', 0));
    }
    return a;
}

/* A copy that the producer has made already has no base, and is not copied again. */
static PyObject *
core_from_dlpack(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("from_dlpack(x, /, *, device=None, copy=None)", 3)
    GnpCopyMode copy;
    if (gnp_copy_mode_from_object(given[2], GNP_COPY_IF_NEEDED, &copy) < 0) {
        return NULL;
    }
    GnpArray *a = PyCapsule_CheckExact(given[0]) ? gnp_dlpack_from_capsule(given[0])
                                                 : gnp_dlpack_import(given[0], given[1], given[2]);
    if (a != NULL && copy == GNP_COPY_ALWAYS && a->base != NULL) {
        Py_SETREF(a, gnp_array_copy(a, 'K'));
    }
    if (a != NULL && given[1] != NULL && given[1] != Py_None) {
        PyObject *moved = PyObject_CallMethod((PyObject *)a, "to_device", "O", given[1]);
        if (moved != NULL && copy == GNP_COPY_NEVER && moved != (PyObject *)a) {
            PyErr_SetString(PyExc_ValueError, "moving to another device needs a copy");
            Py_CLEAR(moved);
        }
        Py_SETREF(a, (GnpArray *)moved);
    }
    return (PyObject *)a;
}

/* ---- sharing --------------------------------------------------------------------------------- */

/* max_work: None is `fallback`; as NumPy, -1 exact (here any negative), 0 bounds only. The exact
 * answer is an integer program; max_work bounds the search. */
static PyObject *
shares(PyObject **given, int64_t fallback, const char *undecided)
{
    GnpArray *a, *b;
    int64_t work = fallback;
    if (array_argument(given[0], "a", &a) < 0 || array_argument(given[1], "b", &b) < 0) {
        return NULL;
    }
    if (given[2] != NULL && given[2] != Py_None) {
        work = PyLong_AsLongLong(given[2]);
        if (work == -1 && PyErr_Occurred()) {
            return NULL;
        }
    }
    int found = gnp_solve_overlap(a, b, work);
    /* may_share_memory takes "undecided" as yes. */
    if (found < 0 && undecided != NULL && work != 0) {
        PyObject *exceptions = PyImport_ImportModule("numpy.exceptions");
        PyObject *error =
            exceptions == NULL ? NULL : PyObject_GetAttrString(exceptions, "TooHardError");
        if (error != NULL) {
            PyErr_SetString(error, undecided);
        }
        Py_XDECREF(exceptions);
        Py_XDECREF(error);
        return NULL;
    }
    return PyBool_FromLong(found != 0);
}

/* Bounds only: an upper bound for sharing, at the cost of a few additions. */
static PyObject *
core_may_share_memory(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("may_share_memory(a, b, /, max_work=None)", 3)
    return shares(given, 0, NULL);
}

/* The exact answer may take exponential time, so max_work can bound it. */
static PyObject *
core_shares_memory(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("shares_memory(a, b, /, max_work=None)", 3)
    return shares(given, -1, "Exceeded max_work");
}

/* ---- views ----------------------------------------------------------------------------------- */

/* The view uses no memory, but NumPy refuses one whose number of bytes does not fit. */
static PyObject *
core_broadcast_to(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("broadcast_to(array, shape, subok=False)", 3)
    GnpArray *a;
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int64_t size;
    if (array_argument(given[0], "array", &a) < 0) {
        return NULL;
    }
    int ndim = gnp_shape_from_object(given[1], shape);
    if (ndim < 0 || gnp_layout_check(ndim, shape, gnp_itemsize(a), &size, NULL) < 0) {
        return NULL;
    }
    /* Only towards the given shape, not both ways as in an operation. */
    int fits = ndim >= a->ndim;
    for (int i = 0; fits && i < a->ndim; i++) {
        int64_t have = gnp_shape(a)[i];
        fits = have == 1 || have == shape[ndim - a->ndim + i];
    }
    if (!fits) {
        GnpText text = {NULL, 0, 0, 0};
        gnp_text_add(&text, ndim < a->ndim
                                ? "input operand has more dimensions than allowed by the "
                                  "axis remapping: "
                                : "operands could not be broadcast together with remapped "
                                  "shapes [original->remapped]: ");
        gnp_layout_text(&text, a->ndim, gnp_shape(a));
        gnp_text_add(&text, "  and requested shape ");
        gnp_layout_text(&text, ndim, shape);
        if (gnp_text_finish(&text) == 0) {
            PyErr_SetString(PyExc_ValueError, text.text);
        }
        gnp_text_clear(&text);
        return NULL;
    }
    /* New and stretched axes get a stride of 0. */
    gnp_broadcast_strides(a, ndim, shape, strides);
    GnpArray *view = gnp_array_view(a, a->data, ndim, shape, strides, (GnpDtype)a->dtype);
    if (view != NULL) {
        view->flags &=
            (int16_t)~GNP_WRITEABLE; /* zero strides: one element may appear many times */
    }
    return (PyObject *)view;
}

PyDoc_STRVAR(as_strided_doc,
             "as_strided(x, shape=None, strides=None, subok=False, writeable=True)\n--\n\n"
             "Return a view of x's memory with any shape and strides; ValueError if it leaves\n"
             "that memory.");

/* ValueError unless all bytes of a view of the array are in its block. */
static int
check_view_bounds(const GnpArray *a, int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t size, nbytes, low, high, part, reach = 0;
    GNP_TRY(gnp_layout_check(ndim, shape, gnp_itemsize(a), &size, &nbytes));
    /* First without overflow, so that the bounds below can be computed plainly. */
    for (int i = 0; i < ndim && size > 0; i++) {
        if (strides[i] == INT64_MIN || gnp_mul_size(shape[i] - 1, llabs(strides[i]), &part) < 0 ||
            gnp_add_size(reach, part, &reach) < 0 || reach > INT64_MAX / 4) {
            PyErr_SetString(PyExc_ValueError, "the strides reach beyond the address space");
            return -1;
        }
    }
    gnp_layout_bounds(ndim, shape, strides, gnp_itemsize(a), &low, &high);
    /* Bytes from the start of the block, which bound the view on both sides. */
    int64_t at = (int64_t)(a->data - a->block->ptr);
    if (size > 0 && (at + low < 0 || at + high > (int64_t)a->block->bytes)) {
        PyErr_Format(
            PyExc_ValueError, "the view would need bytes %lld to %lld of a memory of %llu bytes",
            (long long)(at + low), (long long)(at + high), (unsigned long long)a->block->bytes);
        return -1;
    }
    return 0;
fail:
    return -1;
}

/* NumPy checks nothing here; on a device a wrong view reads other arrays' memory or faults and ends
 * the context, so the bounds are checked against the block. */
static PyObject *
core_as_strided(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs, PyObject *kwnames)
{
    BIND_OR_RETURN("as_strided(x, shape=None, strides=None, subok=False, writeable=True)", 5)
    GnpArray *a;
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    if (array_argument(given[0], "x", &a) < 0) {
        return NULL;
    }
    int ndim = a->ndim, nstrides = a->ndim;
    memcpy(shape, gnp_shape(a), (size_t)ndim * sizeof *shape);
    memcpy(strides, gnp_strides(a), (size_t)ndim * sizeof *strides);
    if (given[1] != NULL && given[1] != Py_None &&
        (ndim = gnp_shape_from_object(given[1], shape)) < 0) {
        return NULL;
    }
    if (given[2] != NULL && given[2] != Py_None &&
        (nstrides = gnp_shape_from_object(given[2], strides)) < 0) {
        return NULL;
    }
    if (nstrides != ndim) {
        PyErr_SetString(PyExc_ValueError, "mismatch in length of strides and shape");
        return NULL;
    }
    if (check_view_bounds(a, ndim, shape, strides) < 0) {
        return NULL;
    }
    GnpArray *view = gnp_array_view(a, a->data, ndim, shape, strides, (GnpDtype)a->dtype);
    if (view != NULL && given[4] != NULL) {
        int writeable = PyObject_IsTrue(given[4]);
        if (writeable <= 0) {
            view->flags &= (int16_t)~GNP_WRITEABLE;
        }
        if (writeable < 0) {
            Py_CLEAR(view);
        }
    }
    return (PyObject *)view;
}

/* ---- promotion ------------------------------------------------------------------------------- */

/* numpy.result_type with arrays replaced by their dtypes: 0-d device arrays are strong, Python
 * numbers weak. Delegated to NumPy, whose rules are the reference. */
static PyObject *
core_result_type(PyObject *Py_UNUSED(module), Args args, Py_ssize_t nargs)
{
    PyObject *values[64]; /* borrowed: descriptors live on */
    if (nargs > 64) {
        PyErr_SetString(PyExc_ValueError, "too many arguments for result_type");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < nargs; i++) {
        values[i] = gnp_array_check(args[i])
                        ? gnp_dtype_object((GnpDtype)((GnpArray *)args[i])->dtype)
                        : args[i];
        if (values[i] == NULL) {
            return NULL;
        }
    }
    /* Looked up at each call: the function is rare. */
    PyObject *call = PyObject_GetAttrString(gnp_state.numpy, "result_type");
    PyObject *ret = call == NULL ? NULL : PyObject_Vectorcall(call, values, (size_t)nargs, NULL);
    Py_XDECREF(call);
    return ret;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)
#define KEYWORDS (METH_FASTCALL | METH_KEYWORDS)

/* Swaps the contents of two arrays: the last step of resizing in place. Reference counts and
 * weak references stay with the objects; `dims` may point into the object itself, so it is
 * redirected. */
static PyObject *
core_exchange(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != 2 || !gnp_array_check(args[0]) || !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "_exchange() takes two arrays");
        return NULL;
    }
    GnpArray *a = (GnpArray *)args[0], *b = (GnpArray *)args[1], old = *a;
    /* Everything behind the object header. */
    const size_t inside = sizeof *a - offsetof(GnpArray, data);
    PyObject *weak_a = a->weakrefs, *weak_b = b->weakrefs;
    memcpy(&a->data, &b->data, inside);
    memcpy(&b->data, &old.data, inside);
    a->weakrefs = weak_a;
    b->weakrefs = weak_b;
    a->dims = a->dims == b->inline_dims ? a->inline_dims : a->dims;
    b->dims = b->dims == a->inline_dims ? b->inline_dims : b->dims;
    Py_RETURN_NONE;
}

PyMethodDef gnp_core_functions[] = {
    {"dtype_table", gnp_dtype_table, METH_NOARGS,
     "dtype_table()\n--\n\n"
     "Return all rows of tables/dtypes.def as a list of dicts."},
    {"_exchange", FAST(core_exchange), METH_FASTCALL,
     "_exchange(a, b, /)\n--\n\n"
     "Exchange the contents of two arrays."},
    {"empty", FAST(core_empty), KEYWORDS,
     "empty(shape, dtype=None, order='C')\n--\n\n"
     "Create an array of uninitialised memory."},
    {"zeros", FAST(core_zeros), KEYWORDS,
     "zeros(shape, dtype=None, order='C')\n--\n\n"
     "Create an array of zeros."},
    {"ones", FAST(core_ones), KEYWORDS,
     "ones(shape, dtype=None, order='C')\n--\n\n"
     "Create an array of ones."},
    {"full", FAST(core_full), KEYWORDS,
     "full(shape, fill_value, dtype=None, order='C')\n--\n\n"
     "Create an array filled with a value."},
    {"empty_like", FAST(core_empty_like), KEYWORDS,
     "empty_like(prototype, dtype=None, order='K', subok=True, shape=None)\n--\n\n"
     "Create an uninitialised array with the prototype's shape, dtype and order."},
    {"zeros_like", FAST(core_zeros_like), KEYWORDS,
     "zeros_like(a, dtype=None, order='K', subok=True, shape=None)\n--\n\n"
     "Create an array of zeros like `a`."},
    {"ones_like", FAST(core_ones_like), KEYWORDS,
     "ones_like(a, dtype=None, order='K', subok=True, shape=None)\n--\n\n"
     "Create an array of ones like `a`."},
    {"full_like", FAST(core_full_like), KEYWORDS,
     "full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None)\n--\n\n"
     "Create an array like `a`, filled with a value."},
    {"array", FAST(core_array), KEYWORDS, array_doc},
    {"shown", gnp_shown, METH_O,
     "shown($module, object, /)\n--\n\n"
     "Return repr(object) for a message; errors of `repr` are caught."},
    {"check_list", gnp_checked_list, METH_O,
     "check_list($module, object, /)\n--\n\n"
     "Return `object`; ValueError for a list that contains itself or shares sublists\n"
     "excessively."},
    {"from_dlpack", FAST(core_from_dlpack), KEYWORDS,
     "from_dlpack(x, /, *, device=None, copy=None)\n--\n\n"
     "Import the memory of an object that supports DLPack."},
    {"may_share_memory", FAST(core_may_share_memory), KEYWORDS,
     "may_share_memory(a, b, /, max_work=None)\n--\n\n"
     "Return whether the memory bounds of two arrays overlap."},
    {"shares_memory", FAST(core_shares_memory), KEYWORDS,
     "shares_memory(a, b, /, max_work=None)\n--\n\n"
     "Return whether two arrays have a byte in common."},
    {"broadcast_to", FAST(core_broadcast_to), KEYWORDS,
     "broadcast_to(array, shape, subok=False)\n--\n\n"
     "Return a read-only view broadcast to a shape."},
    {"as_strided", FAST(core_as_strided), KEYWORDS, as_strided_doc},
    {"result_type", FAST(core_result_type), METH_FASTCALL,
     "result_type(*arrays_and_dtypes)\n--\n\n"
     "Return the dtype that NumPy's promotion rules give.\n\n"
     "Parameters\n----------\n"
     "*arrays_and_dtypes : array_like or dtype\n"
     "    Operands of the promotion. Python numbers are weak: only their kind counts.\n\n"
     "Returns\n-------\n"
     "numpy.dtype\n    The common dtype."},
    {NULL, NULL, 0, NULL},
};

/* Python functions of the transforms: those of numpy.fft, a general one for gpunp.scipy.fft, and
 * the cache of plans.
 *
 * Everything under the GIL. The docstrings are assembled from tables/fft.def, as are the functions.
 *
 * Arguments become a GnpFftCall, which fft.c runs. Errors and their order follow NumPy, since
 * programs catch them.
 */
#include "lib/fft.h"

#include <string.h>

/* A function of numpy.fft: its kind of transform, and the direction. `hermitian` marks hfft and
 * ihfft, which conjugate their input or output. A row of fft.def: what a name of numpy.fft means
 * to the transforms behind it. */
typedef struct {
    const char *name;
    GnpFftKind kind;
    int inverse, hermitian;
} Row;

enum {
#define LINE(name, kind, inverse, hermitian, size, summary, example) ROW_##name,
#define GRID(name, kind, inverse, axes, size, summary, example) ROW_##name,
#include "tables/fft.def"
    NROWS
};

static const Row rows[NROWS] = {
#define LINE(name, kind, inverse, hermitian, size, summary, example)                               \
    {#name, GNP_FFT_##kind, inverse, hermitian},
#define GRID(name, kind, inverse, axes, size, summary, example) {#name, GNP_FFT_##kind, inverse, 0},
#include "tables/fft.def"
};

/* ---- arguments ------------------------------------------------------------------------------- */

/* None and a missing argument mean the same throughout numpy.fft. */
static int
is_given(PyObject *object)
{
    return object != NULL && object != Py_None;
}

/* An array from an array, a scalar or a nested list, but not from a NumPy array. New reference. */
static GnpArray *
take_array(PyObject *object)
{
    if (GNP_LIKELY(gnp_array_check(object))) {
        if (GNP_UNLIKELY(gnp_is_structured(((GnpArray *)object)->dtype))) {
            gnp_refuse_unit("a transform", ((GnpArray *)object)->dtype);
            return NULL;
        }
        return (GnpArray *)Py_NewRef(object);
    }
    if (gnp_is_numpy_array(object)) {
        PyErr_SetString(PyExc_TypeError,
                        "unsupported argument type numpy.ndarray: move it to the device with "
                        "gpunp.asarray(x)");
        return NULL;
    }
    return gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
}

/* With __index__, so floats are refused as NumPy does. */
static int
take_int(PyObject *object, int64_t *value)
{
    PyObject *number = PyNumber_Index(object);
    if (number == NULL) {
        return -1;
    }
    *value = PyLong_AsLongLong(number);
    Py_DECREF(number);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

/* The default is the last axis. */
static int
take_axis(PyObject *object, int ndim, int *axis)
{
    int64_t value = -1;
    if (object != NULL && take_int(object, &value) < 0) {
        return -1;
    }
    return gnp_normalize_axis(value, ndim, axis);
}

/* The message is NumPy's. The hash comes first because NumPy looks the name up in a dict, so an
 * unhashable object is a TypeError. */
static int
take_norm(PyObject *object, GnpFftNorm *norm)
{
    static const char *const names[] = {
        [GNP_FFT_BACKWARD] = "backward", [GNP_FFT_ORTHO] = "ortho", [GNP_FFT_FORWARD] = "forward"};
    *norm = GNP_FFT_BACKWARD;
    if (!is_given(object)) {
        return 0;
    }
    /* Exactly these three words, as in NumPy. */
    for (int i = 0; PyUnicode_Check(object) && i < 3; i++) {
        if (PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
            *norm = (GnpFftNorm)i;
            return 0;
        }
    }
    if (PyObject_Hash(object) == -1) { /* a list, an array: as where names are looked up */
        return -1;
    }
    PyErr_Format(PyExc_ValueError,
                 "Invalid norm value %S; should be \"backward\",\"ortho\" or \"forward\".", object);
    return -1;
}

/* A tuple of one array is accepted as for ufuncs. The reference is borrowed. */
static int
take_out(PyObject *object, GnpArray **out)
{
    if (object != NULL && PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 1) {
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
    return 0;
}

/* The default of n. A half spectrum of m points is taken as that of an even length. */
static int64_t
default_length(const GnpArray *a, int axis, GnpFftKind kind)
{
    int64_t m = gnp_shape(a)[axis];
    return kind == GNP_FFT_C2R ? 2 * (m - 1) : m;
}

/* ---- one axis -------------------------------------------------------------------------------- */

/* given: a, n, axis, norm, out. The order of the checks is that of NumPy: axis, length, norm,
 * out. */
static PyObject *
transform_line(const Row *row, PyObject *const *given)
{
    GnpArray *a = NULL; /* owned */
    PyObject *ret = NULL;
    GnpFftCall call;
    call.axes.kind = row->kind;
    call.axes.inverse = row->inverse;
    call.axes.naxes = 1;
    call.hermitian = row->hermitian;
    /* NumPy's functions never write to their input. */
    call.overwrites = call.widens = 0;
    GNP_NEW(a, take_array(given[0]));
    GNP_TRY(take_axis(given[2], a->ndim, &call.axes.axes[0]));
    call.n[0] = default_length(a, call.axes.axes[0], row->kind);
    if (is_given(given[1])) {
        GNP_TRY(take_int(given[1], &call.n[0]));
    }
    GNP_TRY(take_norm(given[3], &call.norm));
    GNP_TRY(take_out(given[4], &call.out));
    ret = gnp_fft_call(a, &call);
fail:
    Py_XDECREF((PyObject *)a);
    return ret;
}

/* ---- several axes ---------------------------------------------------------------------------- */

#define WITHOUT_LENGTH INT64_MIN /* an item of `s` that is None */

/* A tuple of ints into values[]; the number of them, or -1. Items that are None become
 * WITHOUT_LENGTH. The tuple holds the items while their __index__ runs. */
static int
take_ints(PyObject *object, int64_t values[GNP_MAX_DIMS], const char *name)
{
    PyObject *list = PySequence_Tuple(object); /* owned */
    int n = list != NULL ? (int)PyTuple_GET_SIZE(list) : -1;
    if (n > GNP_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "%s has too many items", name);
        n = -1;
    }
    for (int i = 0; i < n; i++) {
        PyObject *item = PyTuple_GET_ITEM(list, i);
        values[i] = WITHOUT_LENGTH;
        if (item != Py_None && take_int(item, &values[i]) < 0) {
            n = -1;
        }
    }
    Py_XDECREF(list);
    return n;
}

/* NumPy's two deprecation warnings about `s`. */
static int
warn_of_sizes(PyObject *axes, const int64_t *sizes, int n)
{
    if (!is_given(axes) &&
        gnp_warn(PyExc_DeprecationWarning,
                 "`axes` should not be `None` if `s` is not `None`: name the axes that the "
                 "lengths belong to") < 0) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (sizes[i] == WITHOUT_LENGTH) {
            return gnp_warn(PyExc_DeprecationWarning,
                            "`None` values in `s` are deprecated: give -1, or the length");
        }
    }
    return 0;
}

/* The axes and the lengths along them, from NumPy's `s` and `axes`. */
static int
take_axes(GnpFftCall *call, const GnpArray *a, PyObject *s, PyObject *axes)
{
    int64_t values[GNP_MAX_DIMS], sizes[GNP_MAX_DIMS];
    int has_sizes = is_given(s), nsizes = has_sizes ? take_ints(s, sizes, "s") : 0;
    if (nsizes < 0) {
        return -1;
    }
    /* NumPy's defaults: as many last axes as there are sizes, or all. */
    int n = is_given(axes) ? take_ints(axes, values, "axes") : has_sizes ? nsizes : a->ndim;
    if (n < 0) {
        return -1;
    }
    if (has_sizes && !call->widens && warn_of_sizes(axes, sizes, nsizes) < 0) {
        return -1; /* SciPy's transforms, which widen, do not warn */
    }
    /* NumPy's message. */
    if (has_sizes && nsizes != n) {
        PyErr_SetString(PyExc_ValueError, "Shape and axes have different lengths.");
        return -1;
    }
    /* Axes without `axes` are the last n; only the last transformed axis of a complex-to-real
     * transform has another default length. */
    call->axes.naxes = n;
    for (int i = 0; i < n; i++) {
        if (gnp_normalize_axis(is_given(axes) ? values[i] : i - n, a->ndim, &call->axes.axes[i]) <
            0) {
            return -1;
        }
        int axis = call->axes.axes[i];
        int has_length = has_sizes && sizes[i] != WITHOUT_LENGTH;
        call->n[i] = has_length && sizes[i] != -1 ? sizes[i] : gnp_shape(a)[axis];
        /* None means the default here, -1 the length as it is. */
        if (i == n - 1 && !has_length) {
            call->n[i] = default_length(a, axis, call->axes.kind);
        }
    }
    return 0;
}

/* One bit per axis, as there are at most 64 axes. */
static int
has_repeated_axis(const GnpFftAxes *axes)
{
    uint64_t seen = 0;
    for (int i = 0; i < axes->naxes; i++) {
        if (seen >> axes->axes[i] & 1) {
            return 1;
        }
        seen |= (uint64_t)1 << axes->axes[i];
    }
    return 0;
}

/* An axis that is named twice is transformed twice: NumPy goes through the axes from the last to
 * the first, and through those of an inverse real transform from the first to the last. */
static PyObject *
transform_one_by_one(GnpArray *a, const GnpFftCall *call)
{
    GnpArray *now = (GnpArray *)Py_NewRef((PyObject *)a); /* owned */
    int n = call->axes.naxes, to_real = call->axes.kind == GNP_FFT_C2R;
    for (int step = 0; now != NULL && step < n; step++) {
        int i = to_real ? step : n - 1 - step;
        /* Only the last axis of the list has the real side of the transform. */
        GnpFftCall one = *call;
        one.axes.kind = i == n - 1 ? call->axes.kind : GNP_FFT_C2C;
        one.axes.naxes = 1;
        one.axes.axes[0] = call->axes.axes[i];
        one.n[0] = call->n[i];
        one.out = step == n - 1 ? call->out : NULL;
        Py_SETREF(now, (GnpArray *)gnp_fft_call(now, &one));
    }
    return (PyObject *)now;
}

/* No axes at all leave the array as it is; a real transform needs one, because its last axis
 * changes length. */
static PyObject *
transform_axes(GnpArray *a, const GnpFftCall *call)
{
    if (call->axes.naxes == 0) {
        if (call->axes.kind != GNP_FFT_C2C) {
            PyErr_SetString(PyExc_IndexError, "at least 1 axis must be transformed");
            return NULL;
        }
        return Py_NewRef((PyObject *)a);
    }
    return has_repeated_axis(&call->axes) ? transform_one_by_one(a, call) : gnp_fft_call(a, call);
}

/* given: a, s, axes, norm, out. One plan may cover several axes, which gnp_fft_call decides;
 * repeated axes cannot be in one plan. */
static PyObject *
transform_grid(const Row *row, PyObject *const *given, PyObject *axes)
{
    GnpArray *a = NULL; /* owned */
    PyObject *ret = NULL;
    GnpFftCall call;
    call.axes.kind = row->kind;
    call.axes.inverse = row->inverse;
    /* Only transforms of one axis have a Hermitian form in numpy.fft. */
    call.hermitian = call.overwrites = call.widens = 0;
    GNP_NEW(a, take_array(given[0]));
    GNP_TRY(take_axes(&call, a, given[1], given[2] != NULL ? given[2] : axes));
    GNP_TRY(take_norm(given[3], &call.norm));
    GNP_TRY(take_out(given[4], &call.out));
    ret = transform_axes(a, &call);
fail:
    Py_XDECREF((PyObject *)a);
    return ret;
}

/* ---- the functions of numpy.fft -------------------------------------------------------------- */

#define LINE(name, kind, inverse, hermitian, size, summary, example)                               \
    static PyObject *fft_##name(PyObject *Py_UNUSED(module), PyObject *const *args,                \
                                Py_ssize_t nargs, PyObject *kwnames)                               \
    {                                                                                              \
        static GnpSignature signature =                                                            \
            GNP_SIGNATURE(#name "(a, n=None, axis=-1, norm=None, out=None)");                      \
        PyObject *given[5];                                                                        \
        return gnp_args_bind(&signature, args, nargs, kwnames, given) < 0                          \
                   ? NULL                                                                          \
                   : transform_line(&rows[ROW_##name], given);                                     \
    }
#define GRID(name, kind, inverse, axes, size, summary, example)                                    \
    static PyObject *fft_##name(PyObject *Py_UNUSED(module), PyObject *const *args,                \
                                Py_ssize_t nargs, PyObject *kwnames)                               \
    {                                                                                              \
        static GnpSignature signature =                                                            \
            GNP_SIGNATURE(#name "(a, s=None, axes=" axes ", norm=None, out=None)");                \
        static const int has_two_axes = sizeof axes == sizeof "(-2, -1)";                          \
        PyObject *given[5];                                                                        \
        if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {                          \
            return NULL;                                                                           \
        }                                                                                          \
        PyObject *last_two = has_two_axes ? Py_BuildValue("(ii)", -2, -1) : Py_NewRef(Py_None);    \
        PyObject *ret =                                                                            \
            last_two != NULL ? transform_grid(&rows[ROW_##name], given, last_two) : NULL;          \
        Py_XDECREF(last_two);                                                                      \
        return ret;                                                                                \
    }
#include "tables/fft.def"

/* The parts of the docstrings that the functions have in common; each row of fft.def adds its
 * summary, its size and an example. */
#define COMMON_DOC                                                                                 \
    "norm : {'backward', 'ortho', 'forward'}, optional\n"                                          \
    "    Direction that is divided by the number of points: the inverse one, both by its\n"        \
    "    square root, or the forward one.\n"                                                       \
    "out : ndarray, optional\n"                                                                    \
    "    Array into which the result is written.\n\nReturns\n-------\nndarray\n"                   \
    "    Transform, in single precision for 16-bit and 32-bit floats and complex64, in double\n"   \
    "    precision otherwise. Its memory layout is that of `a`, or the transformed axes\n"         \
    "    vary fastest where that saves a copy.\n\nExamples\n--------\n"                            \
    ">>> import gpunp as cp\n"

/* Docstrings are string literals, joined by the preprocessor. */
#define LINE_DOC(name, size, summary, example)                                                     \
    name "($module, a, n=None, axis=-1, norm=None, out=None)\n--\n\n" summary                      \
         "\n\nParameters\n----------\na : array_like\n    Array to be transformed.\n"              \
         "n : int, optional\n"                                                                     \
         "    Length of the transform: `a` is cropped or padded with zeros to it. By default\n"    \
         "    " size ".\n"                                                                         \
         "axis : int, optional\n    Axis over which to transform.\n" COMMON_DOC example "\n"
#define GRID_DOC(name, axes, size, summary, example)                                               \
    name "($module, a, s=None, axes=" axes ", norm=None, out=None)\n--\n\n" summary                \
         "\n\nParameters\n----------\na : array_like\n    Array to be transformed.\n"              \
         "s : sequence of ints, optional\n"                                                        \
         "    Length of the transform along each axis: `a` is cropped or padded with zeros;\n"     \
         "    -1 keeps the length. By default " size ".\n"                                         \
         "axes : sequence of ints, optional\n"                                                     \
         "    Axes over which to transform. By default the last len(s), or all. An axis given\n"   \
         "    twice is transformed twice.\n" COMMON_DOC example "\n"

/* ---- for gpunp.scipy.fft --------------------------------------------------------------------- */

/* Linear: there are fewer than twenty names, and a transform takes longer. */
static const Row *
find_row(PyObject *name)
{
    for (int i = 0; i < NROWS; i++) {
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, rows[i].name) == 0) {
            return &rows[i];
        }
    }
    PyErr_Format(PyExc_ValueError, "there is no transform %R", name);
    return NULL;
}

PyDoc_STRVAR(axes_doc, "fft_axes($module, name, a, s, axes, norm, overwrites)\n--\n\n"
                       "The transform `name` over any axes, as scipy.fft has it.");

/* SciPy's functions keep single precision and widen integers in their own way, hence `widens`;
 * they may reuse the memory of their input where `overwrites` allows it. */
static PyObject *
fft_axes(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("fft_axes(name, a, s, axes, norm, overwrites)");
    PyObject *given[6], *ret = NULL;
    GnpArray *a = NULL; /* owned */
    GnpFftCall call = {.out = NULL, .widens = 1};
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    const Row *row = find_row(given[0]);
    /* -1 also stands for a missing row, whose exception is set. */
    call.overwrites = row != NULL ? PyObject_IsTrue(given[5]) : -1;
    GNP_TRY(call.overwrites);
    call.axes.kind = row->kind;
    call.axes.inverse = row->inverse;
    call.hermitian = row->hermitian;
    GNP_NEW(a, take_array(given[1]));
    GNP_TRY(take_axes(&call, a, given[2], given[3]));
    GNP_TRY(take_norm(given[4], &call.norm));
    ret = transform_axes(a, &call);
fail:
    Py_XDECREF((PyObject *)a);
    return ret;
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* The smallest product of powers of two and `factor` that is not below n. The bound on `factor`
 * keeps the product from overflowing. */
static int64_t
twos_from(int64_t n, int64_t factor)
{
    while (factor < n && factor <= INT64_MAX / 2) {
        factor *= 2;
    }
    return factor;
}

PyDoc_STRVAR(length_doc,
             "fft_length($module, n, /)\n--\n\n"
             "Return the smallest length of at least n without prime factors above 7: fast for\n"
             "cuFFT.");

/* The limit of INT64_MAX / 16 leaves room for one more factor of 7 in the loops below. */
static PyObject *
fft_length(PyObject *Py_UNUSED(module), PyObject *object)
{
    int64_t n, best;
    if (take_int(object, &n) < 0) {
        return NULL;
    }
    if (n > INT64_MAX / 16) {
        PyErr_SetString(PyExc_ValueError, "the length is too large");
        return NULL;
    }
    /* All products 2^a 3^b 5^c 7^d that are not below n: cuFFT has kernels for these primes. */
    best = twos_from(n, 1);
    for (int64_t seven = 1; seven < best; seven *= 7) {
        for (int64_t five = seven; five < best; five *= 5) {
            for (int64_t three = five; three < best; three *= 3) {
                int64_t length = twos_from(n, three);
                best = length >= n && length < best ? length : best;
            }
        }
    }
    return PyLong_FromLongLong(best);
}

/* ---- the cache of plans ---------------------------------------------------------------------- */

PyDoc_STRVAR(info_doc, "fft_cache_info($module, device, /)\n--\n\n"
                       "(max_plans, max_bytes, plans, bytes, hits, misses) of a device.");

/* Only existing devices have a cache, which is an array indexed by the device number. */
static int
take_device(PyObject *object, int *device_id)
{
    int64_t value;
    int count;
    if (take_int(object, &value) < 0 || gnp_device_count(&count) < 0) {
        return -1;
    }
    if (value < 0 || value >= count) {
        PyErr_Format(PyExc_ValueError, "there is no device %lld", (long long)value);
        return -1;
    }
    *device_id = (int)value;
    return 0;
}

/* The counters are read under the GIL, which guards the cache. */
static PyObject *
fft_cache_info(PyObject *Py_UNUSED(module), PyObject *device)
{
    GnpFftCacheInfo info;
    int id;
    if (take_device(device, &id) < 0) {
        return NULL;
    }
    gnp_fft_cache_info(id, &info);
    return Py_BuildValue("(LLLLLL)", (long long)info.max_plans, (long long)info.max_bytes,
                         (long long)info.plans, (long long)info.bytes, (long long)info.hits,
                         (long long)info.misses);
}

PyDoc_STRVAR(list_doc, "fft_cache_list($module, device, /)\n--\n\n"
                       "[(type, lengths, batch, bytes)] of a device's plans, last used first.");

/* For cupy.fft's cache object, which prints it. */
static PyObject *
fft_cache_list(PyObject *Py_UNUSED(module), PyObject *device)
{
    int id;
    return take_device(device, &id) < 0 ? NULL : gnp_fft_cache_list(id);
}

PyDoc_STRVAR(limit_doc, "fft_cache_limit($module, device, max_plans, max_bytes)\n--\n\n"
                        "Set the limits of a device's cache; -1 is no limit.");

static PyObject *
fft_cache_limit(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("fft_cache_limit(device, max_plans, max_bytes)");
    PyObject *given[3];
    int64_t plans, bytes;
    int id;
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0 ||
        take_device(given[0], &id) < 0 || take_int(given[1], &plans) < 0 ||
        take_int(given[2], &bytes) < 0) {
        return NULL;
    }
    gnp_fft_cache_limit(id, plans, bytes);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(clear_doc, "fft_cache_clear($module, device, /)\n--\n\nForget a device's plans.");

/* Plans in use by another thread are destroyed when it has finished with them. */
static PyObject *
fft_cache_clear(PyObject *Py_UNUSED(module), PyObject *device)
{
    int id;
    if (take_device(device, &id) < 0) {
        return NULL;
    }
    gnp_fft_cache_clear(id);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(whole_doc, "fft_whole($module, whole, /)\n--\n\n"
                        "Whether several axes may share a plan; returns what held before.");

/* For tests, which compare plans over several axes with plans over one. */
static PyObject *
fft_whole(PyObject *Py_UNUSED(module), PyObject *whole)
{
    int before = gnp_fft_whole, now = PyObject_IsTrue(whole);
    if (now < 0) {
        return NULL;
    }
    gnp_fft_whole = now;
    return PyBool_FromLong(before);
}

static PyMethodDef functions[] = {
#define LINE(name, kind, inverse, hermitian, size, summary, example)                               \
    {#name, GNP_FAST(fft_##name), METH_FASTCALL | METH_KEYWORDS,                                   \
     LINE_DOC(#name, size, summary, example)},
#define GRID(name, kind, inverse, axes, size, summary, example)                                    \
    {#name, GNP_FAST(fft_##name), METH_FASTCALL | METH_KEYWORDS,                                   \
     GRID_DOC(#name, axes, size, summary, example)},
#include "tables/fft.def"
    {"fft_axes", GNP_FAST(fft_axes), METH_FASTCALL | METH_KEYWORDS, axes_doc},
    {"fft_length", fft_length, METH_O, length_doc},
    {"fft_cache_info", fft_cache_info, METH_O, info_doc},
    {"fft_cache_list", fft_cache_list, METH_O, list_doc},
    {"fft_cache_limit", GNP_FAST(fft_cache_limit), METH_FASTCALL | METH_KEYWORDS, limit_doc},
    {"fft_cache_clear", fft_cache_clear, METH_O, clear_doc},
    {"fft_whole", fft_whole, METH_O, whole_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_fft_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0 || gnp_fft_callback_init(module) < 0
               ? -1
               : gnp_cosine_init(module);
}

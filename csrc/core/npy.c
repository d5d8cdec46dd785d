/* The bridge to NumPy: the only file that includes NumPy's headers.
 *
 * Descriptors, promotion, host arrays in and out, scalar objects. No device memory is touched here
 * except through gnp_copy_h2d and gnp_copy_d2h.
 *
 * NumPy's C API is kept to this file, so that only it has to be compiled against NumPy's headers,
 * whose macros and versions are then nobody else's concern.
 */
#include "core/core_internal.h"

#include <string.h>

#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

_Static_assert(sizeof(npy_intp) == sizeof(int64_t), "64-bit machines only");

enum { NPY_NUMBERS = NPY_CLONGDOUBLE + 1 };

/* By NumPy's type number; filled at start-up from kind and size, so that both C long and long long
 * find their place. */
static signed char dtype_of_number[NPY_HALF + 1];
static int number_of_dtype[GNP_NDTYPES];
static PyTypeObject *scalar_types[GNP_NDTYPES]; /* numpy.float32 ...; immortal like their modules */

/* ---- start-up -------------------------------------------------------------------------------- */

static const int builtin_numbers[] = {
    NPY_BOOL,  NPY_BYTE,   NPY_UBYTE,  NPY_SHORT,    NPY_USHORT,    NPY_INT,
    NPY_UINT,  NPY_LONG,   NPY_ULONG,  NPY_LONGLONG, NPY_ULONGLONG, NPY_HALF,
    NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE,
};

/* By kind and size rather than by name: C's long is 8 bytes here, as long long is, and both are
 * int64. */
static GnpDtype
find_builtin(const PyArray_Descr *descr)
{
    char cls = descr->kind == 'b' ? '?' : descr->kind;
    for (int i = 0; i < GNP_NDTYPES; i++) {
        if (i != GNP_BF16 && gnp_dtypes[i].cls == cls &&
            gnp_dtypes[i].bytes == PyDataType_ELSIZE(descr)) {
            return (GnpDtype)i;
        }
    }
    return GNP_NO_DTYPE;
}

/* The first number found for a dtype is the one that arrays made here get. */
int
gnp_npy_init(void)
{
    if (PyArray_ImportNumPyAPI() < 0) {
        return -1;
    }
    memset(dtype_of_number, GNP_NO_DTYPE, sizeof dtype_of_number);
    memset(number_of_dtype, 0, sizeof number_of_dtype);
    number_of_dtype[GNP_BF16] = -1;
    for (size_t i = 0; i < sizeof builtin_numbers / sizeof *builtin_numbers; i++) {
        PyArray_Descr *descr = PyArray_DescrFromType(builtin_numbers[i]);
        if (descr == NULL) {
            return -1;
        }
        GnpDtype dtype = find_builtin(descr);
        assert(dtype != GNP_NO_DTYPE);
        dtype_of_number[builtin_numbers[i]] = (signed char)dtype;
        if (scalar_types[dtype] == NULL) {
            number_of_dtype[dtype] = builtin_numbers[i];
            scalar_types[dtype] = descr->typeobj;
            gnp_dtype_set_object(dtype, (PyObject *)descr);
        }
        Py_DECREF(descr);
    }
    PyArray_Descr *time = PyArray_DescrFromType(NPY_TIMEDELTA);
    if (time == NULL) {
        return -1;
    }
    gnp_dtype_set_object(GNP_TIME, (PyObject *)time);
    Py_DECREF(time);
    return 0;
}

/* The unit is metadata of the descriptor, not part of its type number. */
int
gnp_npy_time_unit(PyObject *object, GnpTimeUnit *out)
{
    const PyArray_Descr *descr = (PyArray_Descr *)object;
    if (!PyTypeNum_ISDATETIME(descr->type_num)) {
        return 0;
    }
    const PyArray_DatetimeDTypeMetaData *data =
        (const PyArray_DatetimeDTypeMetaData *)PyDataType_C_METADATA(descr);
    *out = (GnpTimeUnit){descr->type_num == NPY_DATETIME ? 'M' : 'm', (int)data->meta.base,
                         data->meta.num};
    return 1;
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

/* By the name of its type first, without importing ml_dtypes: user-defined dtypes of other packages
 * must not cause that import. */
static int
is_bfloat16(const PyArray_Descr *descr)
{
    if (descr->type_num < NPY_USERDEF) {
        return 0;
    }
    if (number_of_dtype[GNP_BF16] < 0) {
        const char *name = descr->typeobj->tp_name;
        const char *dot = strrchr(name, '.');
        if (strcmp(dot == NULL ? name : dot + 1, "bfloat16") != 0) {
            return 0;
        }
        PyObject *known = gnp_dtype_object(GNP_BF16);
        if (known == NULL) {
            PyErr_Clear();
            return 0;
        }
        number_of_dtype[GNP_BF16] = ((PyArray_Descr *)known)->type_num;
        scalar_types[GNP_BF16] = ((PyArray_Descr *)known)->typeobj;
    }
    return descr->type_num == number_of_dtype[GNP_BF16];
}

/* In either byte order. Void, strings, objects and long doubles have none. */
static GnpDtype
dtype_of(const PyArray_Descr *descr)
{
    int number = descr->type_num;
    GnpTimeUnit unit;
    if (gnp_npy_time_unit((PyObject *)(uintptr_t)descr, &unit)) {
        return gnp_dtype_of_unit(&unit, (PyObject *)(uintptr_t)descr);
    }
    if (number >= 0 && number <= NPY_HALF) {
        return (GnpDtype)dtype_of_number[number];
    }
    return is_bfloat16(descr) ? GNP_BF16 : GNP_NO_DTYPE;
}

/* GNP_NO_DTYPE without an exception, since many callers have another way then. */
GnpDtype
gnp_dtype_from_descr(PyObject *descr)
{
    if (!PyArray_DescrCheck(descr) || !PyArray_ISNBO(((PyArray_Descr *)descr)->byteorder)) {
        return GNP_NO_DTYPE;
    }
    return dtype_of((PyArray_Descr *)descr);
}

int
gnp_npy_is_structured(PyObject *descr)
{
    return PyArray_DescrCheck(descr) && ((PyArray_Descr *)descr)->type_num == NPY_VOID &&
           !PyDataType_HASSUBARRAY((PyArray_Descr *)descr);
}

PyObject *
gnp_npy_copy_descr(PyObject *descr)
{
    return (PyObject *)PyArray_DescrNew((PyArray_Descr *)descr);
}

int
gnp_is_void_scalar(PyObject *object)
{
    return PyArray_IsScalar(object, Void);
}

GnpDtype
gnp_stored_dtype_from_descr(PyObject *descr)
{
    if (!gnp_npy_is_structured(descr)) {
        return gnp_dtype_from_descr(descr);
    }
    GnpDtype dtype = gnp_dtype_of_structure(descr);
    if (dtype == GNP_NO_DTYPE) {
        PyErr_Clear();
    }
    return dtype;
}

/* The list is written out, as it is the question that the reader has next. */
static void
raise_unsupported(PyObject *descr)
{
    PyErr_Format(PyExc_TypeError,
                 "%R is not supported: gpunp arrays hold bool, int8 to int64, uint8 to uint64, "
                 "float16, bfloat16, float32, float64, complex64, complex128, datetime64 and "
                 "timedelta64, in native byte order, and structures of them, which functions "
                 "move but do not compute with",
                 descr);
}

/* Descriptors are the common case and need no conversion. */
static GnpDtype
from_object(PyObject *object, int structured)
{
    if (PyArray_DescrCheck(object)) {
        GnpDtype quick = gnp_dtype_from_descr(object);
        if (quick != GNP_NO_DTYPE) {
            return quick;
        }
    }
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "bfloat16") == 0) {
        return gnp_dtype_object(GNP_BF16) == NULL
                   ? GNP_NO_DTYPE
                   : GNP_BF16; /* registered only when ml_dtypes is imported */
    }
    PyArray_Descr *descr = NULL;
    if (!PyArray_DescrConverter(object, &descr)) {
        if (PyErr_ExceptionMatches(PyExc_RecursionError)) { /* from formatting its message */
            PyErr_Format(PyExc_TypeError, "cannot interpret a %.200s as a data type",
                         Py_TYPE(object)->tp_name);
        }
        return GNP_NO_DTYPE;
    }
    GnpDtype dtype;
    if (structured && gnp_npy_is_structured((PyObject *)descr)) {
        dtype = gnp_dtype_of_structure((PyObject *)descr);
    }
    else {
        dtype = gnp_dtype_from_descr((PyObject *)descr);
        if (dtype == GNP_NO_DTYPE) {
            raise_unsupported((PyObject *)descr);
        }
    }
    Py_DECREF(descr);
    return dtype;
}

GnpDtype
gnp_dtype_from_object(PyObject *object)
{
    return from_object(object, 0);
}

GnpDtype
gnp_stored_dtype_from_object(PyObject *object)
{
    return from_object(object, 1);
}

/* NULL with an exception where NumPy refuses; the caller decides whether that is an error. */
GnpDtype
gnp_npy_promote(PyObject *a, PyObject *b)
{
    PyArray_Descr *common = PyArray_PromoteTypes((PyArray_Descr *)a, (PyArray_Descr *)b);
    if (common == NULL) {
        return GNP_NO_DTYPE;
    }
    GnpDtype dtype = gnp_stored_dtype_from_descr((PyObject *)common);
    Py_DECREF(common);
    return dtype;
}

/* NumPy's rules; the answers are cached in dtype.c. */
int
gnp_npy_can_cast(PyObject *from, PyObject *to, GnpCasting casting)
{
    static const NPY_CASTING rules[] = {NPY_NO_CASTING, NPY_EQUIV_CASTING, NPY_SAFE_CASTING,
                                        NPY_SAME_KIND_CASTING, NPY_UNSAFE_CASTING};
    return PyArray_CanCastTypeTo((PyArray_Descr *)from, (PyArray_Descr *)to, rules[casting]);
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* Subclasses count: they are host memory, too. */
int
gnp_is_numpy_array(PyObject *object)
{
    return PyArray_Check(object);
}

/* The two types that occur most are excluded first, without walking type hierarchies. */
int
gnp_is_numpy_scalar(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    return type != &PyLong_Type && type != &PyFloat_Type && PyArray_IsScalar(object, Generic);
}

/* Not a subclass of Python's bool, hence a test of its own. */
int
gnp_is_numpy_bool(PyObject *object)
{
    return PyArray_IsScalar(object, Bool);
}

/* A few pointer comparisons settle nearly all of them. */
int
gnp_numpy_scalar_dtype(PyObject *object, GnpDtype *dtype)
{
    PyTypeObject *type = Py_TYPE(object);
    if (!gnp_is_numpy_scalar(object)) {
        return 0;
    }
    for (int i = 0; i < GNP_NDTYPES; i++) {
        if (type == scalar_types[i]) {
            *dtype = (GnpDtype)i;
            return 1;
        }
    }
    /* long long, bfloat16 before its first use, subclasses, foreign ones */
    PyArray_Descr *descr = PyArray_DescrFromScalar(object);
    if (descr == NULL) {
        return -1;
    }
    GnpDtype found = gnp_dtype_from_descr((PyObject *)descr);
    if (found == GNP_NO_DTYPE) {
        raise_unsupported((PyObject *)descr);
    }
    else {
        *dtype = found;
    }
    Py_DECREF(descr);
    return found == GNP_NO_DTYPE ? -1 : 1;
}

/* `element` has room for the dtype's bytes. -1 with NumPy's exception. */
int
gnp_npy_pack(PyObject *object, GnpDtype dtype, void *element)
{
    PyObject *descr = gnp_dtype_object(dtype);
    return descr == NULL ? -1 : PyArray_Pack((PyArray_Descr *)descr, element, object);
}

/* A copy: the element may lie on the caller's stack. */
PyObject *
gnp_scalar_to_numpy(const void *element, GnpDtype dtype)
{
    PyObject *descr = gnp_dtype_object(dtype);
    if (descr == NULL) {
        return NULL;
    }
    return PyArray_Scalar((void *)(uintptr_t)element, (PyArray_Descr *)descr, NULL);
}

/* ---- host arrays ----------------------------------------------------------------------------- */

/* Uninitialised: every byte is overwritten by the copy. */
PyObject *
gnp_npy_empty(int ndim, const int64_t *shape, GnpDtype dtype, int fortran)
{
    PyObject *descr = gnp_dtype_object(dtype);
    if (descr == NULL) {
        return NULL;
    }
    Py_INCREF(descr); /* stolen */
    return PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)descr, ndim,
                                (npy_intp const *)shape, NULL, NULL,
                                fortran ? NPY_ARRAY_F_CONTIGUOUS : 0, NULL);
}

/* The memory is the caller's: the array owns nothing. */
PyObject *
gnp_npy_over(void *data, int ndim, const int64_t *shape, const int64_t *strides, GnpDtype dtype)
{
    PyObject *descr = gnp_dtype_object(dtype);
    if (descr == NULL) {
        return NULL;
    }
    Py_INCREF(descr); /* stolen */
    return PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)descr, ndim,
                                (npy_intp const *)shape, (npy_intp const *)strides, data, 0, NULL);
}

/* Borrowed pointers: the caller holds the array. */
void
gnp_npy_view(PyObject *array, GnpHostView *view)
{
    PyArrayObject *a = (PyArrayObject *)array;
    view->data = PyArray_BYTES(a);
    view->ndim = PyArray_NDIM(a);
    view->shape = (const int64_t *)PyArray_DIMS(a);
    view->strides = (const int64_t *)PyArray_STRIDES(a);
    view->dtype = gnp_stored_dtype_from_descr((PyObject *)PyArray_DESCR(a));
    view->c_contiguous = PyArray_IS_C_CONTIGUOUS(a);
    view->f_contiguous = PyArray_IS_F_CONTIGUOUS(a);
    view->writeable = PyArray_ISWRITEABLE(a);
}

/* ENSUREARRAY makes a base-class array of subclasses such as matrix and masked arrays. */
PyObject *
gnp_npy_asarray(PyObject *object, GnpDtype dtype, int force)
{
    PyObject *descr = NULL;
    if (dtype != GNP_NO_DTYPE) {
        descr = gnp_dtype_object(dtype);
        if (descr == NULL) {
            return NULL;
        }
        Py_INCREF(descr); /* stolen */
    }
    return PyArray_FromAny(object, (PyArray_Descr *)descr, 0, 0,
                           NPY_ARRAY_ENSUREARRAY | (force ? NPY_ARRAY_FORCECAST : 0), NULL);
}

int
gnp_npy_copy_into(PyObject *dst, PyObject *src)
{
    return PyArray_CopyInto((PyArrayObject *)dst, (PyArrayObject *)src);
}

/* `array` with the dtype's native form; itself when it is so already. New reference. Byte-swapped
 * arrays are swapped on the host, as kernels know only the native order. */
static PyObject *
to_native(PyObject *array, GnpDtype wanted, GnpDtype *dtype)
{
    PyArray_Descr *descr = PyArray_DESCR((PyArrayObject *)array);
    if (gnp_npy_is_structured((PyObject *)descr)) { /* as it is: fields have a byte order each */
        *dtype = gnp_dtype_of_structure((PyObject *)descr);
        return *dtype == GNP_NO_DTYPE ? NULL : Py_NewRef(array);
    }
    *dtype = dtype_of(descr);
    if (*dtype == GNP_NO_DTYPE) {
        if (wanted == GNP_NO_DTYPE) {
            PyErr_Format(
                PyExc_TypeError,
                "%R has no counterpart on the device: arrays hold numbers, bools and dates; "
                "numpy.array(x, dtype=float) converts text and objects that are numbers, "
                "list(x) sets and iterators",
                (PyObject *)descr);
            return NULL;
        }
        *dtype = wanted; /* long double, objects, strings of digits: cast by NumPy */
    }
    else if (PyArray_ISNBO(descr->byteorder)) {
        return Py_NewRef(array);
    }
    return gnp_npy_asarray(array, *dtype, 1);
}

/* A dense copy (or the array itself) that can be uploaded in one copy. `order` K keeps the order of
 * the axes. Gathering strided host memory is done by NumPy: copying gaps to the device would be
 * slower. */
static PyObject *
to_dense(PyObject *array, char order)
{
    PyArrayObject *a = (PyArrayObject *)array;
    int c = PyArray_IS_C_CONTIGUOUS(a);
    int f = PyArray_IS_F_CONTIGUOUS(a);
    if ((order == 'C' && c) || (order == 'F' && f) || (order == 'A' && (c || f)) ||
        (order == 'K' &&
         gnp_layout_is_dense(PyArray_NDIM(a), (const int64_t *)PyArray_DIMS(a),
                             (const int64_t *)PyArray_STRIDES(a), PyArray_ITEMSIZE(a)))) {
        return Py_NewRef(array);
    }
    NPY_ORDER rule = order == 'F' ? NPY_FORTRANORDER : order == 'K' ? NPY_KEEPORDER : NPY_CORDER;
    return PyArray_NewCopy(a, rule);
}

/* The upload keeps NumPy's order of axes and dtype; a cast is made on the device, so the smaller of
 * two forms may travel, but no host time is spent on it. */
GnpArray *
gnp_array_from_numpy(PyObject *object, GnpDtype dtype, char order)
{
    PyObject *array = NULL;  /* owned */
    PyObject *native = NULL; /* owned */
    PyObject *dense = NULL;  /* owned */
    GnpArray *a = NULL;      /* owned */
    GnpArray *ret = NULL;
    GnpDtype own;

    /* A Python int that does not fit is an OverflowError, not a cast. */
    GnpDtype asked = gnp_weak_kind(object) == GNP_WEAK_INT ? dtype : GNP_NO_DTYPE;
    if (dtype != GNP_NO_DTYPE && gnp_has_unit(dtype) && !PyArray_Check(object)) {
        asked = dtype; /* dates as text, and fractions: converted by NumPy */
    }
    const int structured = dtype != GNP_NO_DTYPE && gnp_is_structured(dtype);
    if (structured) { /* tuples are elements, and NumPy assigns to fields by its own rules */
        asked = dtype;
    }
    GNP_TRY(gnp_check_list(object));
    GNP_NEW(array, gnp_npy_asarray(object, asked, structured));
    GNP_NEW(native, to_native(array, dtype, &own));
    GNP_NEW(dense, to_dense(native, order));

    PyArrayObject *host = (PyArrayObject *)dense;
    GNP_NEW(a, gnp_array_new_strided(PyArray_NDIM(host), (const int64_t *)PyArray_DIMS(host),
                                     (const int64_t *)PyArray_STRIDES(host), own));
    if (a->size > 0) {
        const GnpDevice *device = gnp_device_get(a->device_id);
        if (device == NULL) {
            goto fail;
        }
        CUstream stream = gnp_stream_current(device);
        GNP_TRY(gnp_copy_h2d(a->data, PyArray_DATA(host), (size_t)gnp_array_nbytes(a), stream));
    }
    if (dtype != GNP_NO_DTYPE && dtype != own) {
        GnpArray *cast;
        GNP_TRY(gnp_warn_if_discarded(own, dtype));
        GNP_NEW(cast, gnp_astype(a, dtype, 'K'));
        Py_SETREF(a, cast);
    }
    ret = (GnpArray *)Py_NewRef((PyObject *)a);
fail:
    Py_XDECREF(array);
    Py_XDECREF(native);
    Py_XDECREF(dense);
    Py_XDECREF((PyObject *)a);
    return ret;
}

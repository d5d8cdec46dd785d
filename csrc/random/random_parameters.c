/* Parameters of draws: conversion, NumPy's checks with its messages, broadcasting.
 *
 * Values on the host are checked as NumPy does; values on the device are not, since that would wait
 * for it, except in the mode 'raise' of set_index_mode.
 */
#include "random/random_parameters.h"

#include <math.h>
#include <string.h>

void
gnp_random_parameters_clear(GnpRandomParameters *p)
{
    for (int i = 0; i < p->n; i++) {
        Py_CLEAR(p->array[i]);
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* The largest mean whose counts fit an int64 with a margin of ten standard deviations: NumPy's
 * bound. */
static const double largest_mean = 9.223372006484771e18;

/* The error message for a value, with %s for the name; NULL when it is valid. Each letter stands
 * for one of NumPy's constraints (_common.pyx); comparisons are written so that NaN falls on
 * NumPy's side. */
static const char *
complaint(double x, char check)
{
    switch (check) {
    case '0':
        return !isnan(x) && signbit(x) ? "%s < 0" : NULL;
    case 'i':
        return isnan(x) || x <= -1.0 ? "%s < 0" : NULL;
    case '+':
        return x <= 0 ? "%s <= 0" : NULL;
    case 'p':
        return !(x >= 0 && x <= 1) ? "%s < 0, %s > 1 or %s is NaN" : NULL;
    case 'q':
        return !(x > 0 && x <= 1) ? "%s <= 0, %s > 1 or %s contains NaNs" : NULL;
    case 'r':
        return !(x >= 0 && x < 1) ? "%s < 0, %s >= 1 or %s is NaN" : NULL;
    case 'z':
        return !(x > 1) ? "%s <= 1 or %s is NaN" : NULL;
    case 'l':
        return !(x >= 0) ? "%s < 0 or %s is NaN" : x > largest_mean ? "%s value too large" : NULL;
    default:
        return NULL;
    }
}

/* Word `place` of a list of names. There are enough words: the table has as many names as
 * checks. */
static void
find_name(const char *names, int place, char *out, size_t room)
{
    while (place-- > 0) {
        names = strchr(names, ' ') + 1;
    }
    size_t length = strcspn(names, " ");
    length = length < room - 1 ? length : room - 1;
    memcpy(out, names, length);
    out[length] = '\0';
}

static int
check_values(const double *x, int64_t n, const char *names, int place, char check)
{
    char name[32];
    for (int64_t i = 0; i < n; i++) {
        const char *text = complaint(x[i], check);
        if (text != NULL) {
            find_name(names, place, name, sizeof name);
            PyErr_Format(PyExc_ValueError, text, name, name, name);
            return -1;
        }
    }
    return 0;
}

/* ---- conversion ------------------------------------------------------------------------------ */

/* Takes `array`, which may be NULL with an exception. */
static int
add_array(GnpRandomParameters *p, GNP_STEAL GnpArray *array)
{
    if (array == NULL) {
        return -1;
    }
    /* Counted before what may fail, so that gnp_random_parameters_clear finds it. */
    p->array[p->n++] = array;
    p->narrays++;
    return gnp_broadcast_shape(&p->ndim, p->shape, array->ndim, gnp_shape(array));
}

/* In the mode 'raise' of set_index_mode, which waits for the device, values there are checked too.
 */
static int
check_device_array(GnpArray *a, const char *names, int place, char check)
{
    PyObject *host = NULL; /* owned */
    Py_buffer view;
    int ret = -1;
    if (check == '-' || a->size == 0 || !gnp_index_mode_raises()) {
        return 0;
    }
    GNP_NEW(host, PyObject_CallMethod((PyObject *)a, "get", NULL));
    GNP_TRY(PyObject_GetBuffer(host, &view, PyBUF_ANY_CONTIGUOUS));
    ret = check_values(view.buf, view.len / 8, names, place, check);
    PyBuffer_Release(&view);
fail:
    Py_XDECREF(host);
    return ret;
}

static int
add_device_array(GnpRandomParameters *p, GnpArray *a, GnpDtype dtype, const char *names, char check)
{
    if (gnp_dtypes[a->dtype].cls == 'c') {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from dtype('%s') to dtype('%s') according to the "
                     "rule 'safe'",
                     gnp_dtypes[a->dtype].name, gnp_dtypes[dtype].name);
        return -1;
    }
    GnpArray *readable = gnp_readable(a, "a random draw"); /* owned */
    if (readable != NULL && (GnpDtype)readable->dtype != dtype) {
        Py_SETREF(readable, gnp_astype(readable, dtype, 'K'));
    }
    if (readable != NULL && check_device_array(readable, names, p->n, check) < 0) {
        Py_CLEAR(readable);
    }
    return add_array(p, readable);
}

/* NumPy's arrays and scalars of complex numbers, dates, text and objects are rejected; a single
 * timedelta64 is accepted where NumPy makes an integer of it: a number of seconds is a timedelta of
 * Python. */
static int
refuse_kinds(PyObject *object)
{
    PyObject *dtype = NULL, *kind = NULL, *item = NULL, *number = NULL; /* owned */
    int ret = -1;
    if (!gnp_is_numpy_array(object) && !gnp_is_numpy_scalar(object)) {
        return 0;
    }
    GNP_NEW(dtype, PyObject_GetAttrString(object, "dtype"));
    GNP_NEW(kind, PyObject_GetAttrString(dtype, "kind"));
    Py_UCS4 letter = PyUnicode_GetLength(kind) == 1 ? PyUnicode_ReadChar(kind, 0) : 0;
    if (letter == 0 || strchr(gnp_is_numpy_array(object) ? "cMmOSUV" : "cM", (int)letter) != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from %R to dtype('float64') according to the rule "
                     "'safe'",
                     dtype);
        goto fail;
    }
    if (letter == 'm') {
        GNP_NEW(item, PyObject_CallMethod(object, "item", NULL));
        GNP_NEW(number, PyNumber_Float(item));
    }
    ret = 0;
fail:
    Py_XDECREF(dtype);
    Py_XDECREF(kind);
    Py_XDECREF(item);
    Py_XDECREF(number);
    return ret;
}

/* Other objects than floats, ints and our arrays are converted by NumPy. */
static int
add_host_object(GnpRandomParameters *p, PyObject *object, const char *names, char check)
{
    PyObject *host = NULL; /* owned */
    Py_buffer view;
    int ret = -1;

    GNP_TRY(refuse_kinds(object));
    GNP_TRY(gnp_check_list(object));
    GNP_NEW(host, PyObject_CallMethod(gnp_state.numpy, "asarray", "Oss", object, "f8", "C"));
    if (object == Py_None || PyUnicode_Check(object) || PyBytes_Check(object)) {
        PyErr_Format(PyExc_TypeError, "must be real number, not %s", Py_TYPE(object)->tp_name);
        goto fail; /* text of a number, too; other text has been refused above, as in NumPy */
    }
    GNP_TRY(PyObject_GetBuffer(host, &view, PyBUF_C_CONTIGUOUS));
    int bad = check_values(view.buf, view.len / 8, names, p->n, check);
    int scalar = view.ndim == 0;
    if (scalar) {
        p->value[p->n].d = *(const double *)view.buf;
    }
    PyBuffer_Release(&view);
    GNP_TRY(bad);
    if (!scalar) {
        ret = add_array(p, gnp_array_from_numpy(host, GNP_F64, 'C'));
        goto fail;
    }
    p->array[p->n++] = NULL;
    ret = 0;
fail:
    Py_XDECREF(host);
    return ret;
}

int
gnp_random_parameter(GnpRandomParameters *p, PyObject *object, const char *names, char check)
{
    double x;
    if (PyFloat_CheckExact(object)) {
        x = PyFloat_AS_DOUBLE(object);
    }
    else if (PyLong_CheckExact(object)) {
        x = PyLong_AsDouble(object);
        if (x == -1.0 && PyErr_Occurred()) {
            return -1;
        }
    }
    else if (gnp_array_check(object)) {
        return add_device_array(p, (GnpArray *)object, GNP_F64, names, check);
    }
    else {
        return add_host_object(p, object, names, check);
    }
    if (check_values(&x, 1, names, p->n, check) < 0) {
        return -1;
    }
    p->value[p->n].d = x;
    p->array[p->n++] = NULL;
    return 0;
}

/* Masked: callers pass the lower bound of any integer dtype, negative ones as their two's
 * complement. */
int
gnp_random_parameter_bits(GnpRandomParameters *p, PyObject *object)
{
    if (gnp_array_check(object)) {
        return add_device_array(p, (GnpArray *)object, GNP_U64, "", '-');
    }
    uint64_t bits = PyLong_AsUnsignedLongLongMask(object);
    if (bits == UINT64_MAX && PyErr_Occurred()) {
        return -1;
    }
    p->value[p->n].u = bits;
    p->array[p->n++] = NULL;
    return 0;
}

/* ---- the shape ------------------------------------------------------------------------------- */

int
gnp_random_parameters_fit(GnpRandomParameters *p, int ndim, const int64_t *shape)
{
    int64_t strides[GNP_RANDOM_PARAMETERS][GNP_MAX_DIMS], joined[GNP_MAX_DIMS];
    int64_t of_axis[GNP_AXES_OPERANDS];
    int njoined = ndim;
    if (p->narrays == 0) {
        return 0;
    }
    memcpy(joined, shape, sizeof *shape * (size_t)ndim);
    if (gnp_broadcast_shape(&njoined, joined, p->ndim, p->shape) < 0) {
        return -1;
    }
    /* The parameters may be smaller than the result, but must not enlarge it. */
    if (njoined != ndim || memcmp(joined, shape, sizeof *shape * (size_t)ndim) != 0) {
        PyErr_SetString(PyExc_ValueError,
                        "shape mismatch: the parameters' common shape does not fit the size");
        return -1;
    }
    for (int i = 0; i < p->n; i++) {
        memset(strides[i], 0, sizeof strides[i]);
        if (p->array[i] != NULL) {
            gnp_broadcast_strides(p->array[i], ndim, shape, strides[i]);
        }
    }
    gnp_axes_init(&p->axes, p->n);
    for (int axis = ndim - 1; axis >= 0; axis--) {
        for (int i = 0; i < p->n; i++) {
            of_axis[i] = strides[i][axis];
        }
        gnp_axes_add(&p->axes, shape[axis], of_axis);
    }
    /* Not sorted: element k of the result is in C order. */
    gnp_axes_merge(&p->axes);
    return 0;
}

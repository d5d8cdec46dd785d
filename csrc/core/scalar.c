/* Scalars: Python and NumPy numbers to the bytes of one element, and back.
 *
 * The common pairs (Python's int, float, complex to any dtype) are converted here; others go
 * through NumPy's own conversion, which also gives its error messages.
 *
 * Python numbers become elements on the host, and are then passed to kernels as parameters, so
 * no upload is needed. Values are cast as NumPy casts them: see NEP 50 for Python's integers.
 */
#include "core/core_internal.h"

#include <string.h>

/* ---- 16-bit floats: round to nearest, ties to even, straight from double --------------------- */

/* In one step: rounding to float first could round twice and differ from NumPy. */
uint16_t
gnp_double_to_half(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    uint64_t magnitude = bits & 0x7fffffffffffffffu;

    if (magnitude >= 0x7ff0000000000000u) { /* infinity, or NaN with its payload's top bits */
        uint16_t payload = (uint16_t)(magnitude >> 42 & 0x3ff);
        int nan = magnitude > 0x7ff0000000000000u;
        return (uint16_t)(sign | 0x7c00 | (nan ? (payload ? payload : 1) : 0));
    }
    int exponent = (int)(magnitude >> 52) - 1023;
    if (exponent >= 16) {
        return (uint16_t)(sign | 0x7c00);
    }
    /* Below half of the smallest subnormal, 2^-24: rounds to zero. */
    if (exponent < -25) {
        return sign;
    }
    uint64_t mantissa = (magnitude & 0x000fffffffffffffu) | 0x0010000000000000u;
    int drop = exponent >= -14 ? 42 : 42 + (-14 - exponent); /* bits below the last kept one */
    uint64_t kept = mantissa >> drop;
    uint64_t rest = mantissa & (((uint64_t)1 << drop) - 1);
    uint64_t tie = (uint64_t)1 << (drop - 1);
    if (rest > tie || (rest == tie && (kept & 1))) {
        kept++;
    }
    /* The implicit bit of `kept` adds one to the exponent field, and a carry out of the mantissa
     * one more: both are right in the IEEE encoding, up to infinity. So rounding needs no special
     * case. */
    uint64_t field = exponent >= -14 ? (uint64_t)(exponent + 14) << 10 : 0;
    return (uint16_t)(sign | (field + kept));
}

/* Exact: every half is a double. Subnormals are normalised by shifting. */
double
gnp_half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f;
    uint64_t mantissa = bits & 0x3ff;
    uint64_t out = (uint64_t)(bits & 0x8000) << 48;
    if (exponent == 0x1f) {
        out |= 0x7ff0000000000000u | mantissa << 42;
    }
    else if (exponent != 0) {
        out |= (uint64_t)(exponent - 15 + 1023) << 52 | mantissa << 42;
    }
    else if (mantissa != 0) {
        exponent = -14;
        while (!(mantissa & 0x400)) {
            mantissa <<= 1;
            exponent--;
        }
        out |= (uint64_t)(exponent + 1023) << 52 | (mantissa & 0x3ff) << 42;
    }
    double value;
    memcpy(&value, &out, sizeof value);
    return value;
}

/* Through float, as ml_dtypes does (two roundings, the same bits). */
uint16_t
gnp_double_to_bf16(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return (uint16_t)((bits >> 16 & 0x8000) | 0x7fc0);
    }
    /* Adding just under half of the last kept bit, and one more when that bit is set, rounds ties
     * to even; a carry moves into the exponent, which is right up to infinity. */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Exact: bfloat16 is the upper half of a float. */
double
gnp_bf16_to_double(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* ---- Python number to element ---------------------------------------------------------------- */

/* Real and imaginary part into a bool, float or complex dtype. Conversions to float use the host's
 * rounding, to nearest. */
static void
store_inexact(double re, double im, GnpDtype dtype, GnpScalar *out)
{
    uint16_t half;
    switch (dtype) {
    case GNP_BOOL:
        out->u = re != 0 || im != 0;
        break;
    case GNP_F16:
        half = gnp_double_to_half(re);
        memcpy(out, &half, sizeof half);
        break;
    case GNP_BF16:
        half = gnp_double_to_bf16(re);
        memcpy(out, &half, sizeof half);
        break;
    case GNP_F32:
        out->f = (float)re;
        break;
    case GNP_F64:
        out->d = re;
        break;
    case GNP_C64:
        out->c64 = (gnp_c64){(float)re, (float)im};
        break;
    default:
        assert(dtype == GNP_C128);
        out->c128 = (gnp_c128){re, im};
        break;
    }
}

/* NEP 50: a Python int that does not fit raises, it does not wrap. */
static int
store_integer(PyObject *object, GnpDtype dtype, GnpScalar *out)
{
    int overflow;
    int bits = gnp_dtypes[dtype].bytes * 8;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (value == -1 && !overflow && PyErr_Occurred()) {
        return -1;
    }
    if (gnp_dtypes[dtype].cls == 'i') {
        int64_t limit = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
        if (!overflow && value <= limit && value >= -limit - 1) {
            out->i = value; /* little-endian: the low bytes are the narrow element */
            return 0;
        }
    }
    else if (!overflow && value >= 0 && (bits == 64 || value < ((int64_t)1 << bits))) {
        out->u = (uint64_t)value;
        return 0;
    }
    else if (overflow > 0 && dtype == GNP_U64) {
        out->u = PyLong_AsUnsignedLongLong(object);
        if (out->u != (uint64_t)-1 || !PyErr_Occurred()) {
            return 0;
        }
        PyErr_Clear();
    }
    PyErr_Format(PyExc_OverflowError, "Python integer %S out of bounds for %s", object,
                 gnp_dtypes[dtype].name);
    return -1;
}

/* Device arrays are excluded: reading them would wait silently. */
static int
is_number(PyObject *object)
{
    if (PyComplex_Check(object) || gnp_is_numpy_array(object)) {
        return 1;
    }
    return PyNumber_Check(object) && !gnp_array_check(object);
}

/* NumPy scalars, 0-d arrays, Decimal, Fraction: NumPy converts them as it would for its own
 * arrays. */
static int
store_rare(PyObject *object, GnpDtype dtype, GnpScalar *out)
{
    GnpDtype own;
    if (gnp_numpy_scalar_dtype(object, &own) < 0) {
        return -1;
    }
    if (!is_number(object)) {
        PyErr_Format(PyExc_TypeError, "expected a number to store as %s, got %.200s",
                     gnp_dtypes[dtype].name, Py_TYPE(object)->tp_name);
        return -1;
    }
    return gnp_npy_pack(object, dtype, out);
}

/* The order is by frequency: floats, ints, the rest. */
int
gnp_scalar_from_object(PyObject *object, GnpDtype dtype, GnpScalar *out)
{
    char cls = gnp_dtypes[dtype].cls;
    int integral = cls == 'i' || cls == 'u';
    /* All bytes: kernels are passed the whole element, and narrow types fill only some of it. */
    memset(out, 0, sizeof *out);

    if (GNP_UNLIKELY(gnp_is_structured(dtype))) { /* larger than `out` */
        return gnp_refuse_unit("a number as an element", dtype);
    }
    if (GNP_UNLIKELY(gnp_has_unit(dtype))) { /* numbers, dates, strings: anything NumPy accepts */
        if (gnp_array_check(object)) {
            PyErr_Format(PyExc_TypeError, "expected a scalar to store as %s, got an array",
                         gnp_dtypes[dtype].name);
            return -1;
        }
        return gnp_npy_pack(object, dtype, out);
    }
    /* Subclasses may override the conversion, and NumPy's float64 is one: they take the long
     * way. */
    if (PyFloat_CheckExact(object) && !integral) {
        store_inexact(PyFloat_AS_DOUBLE(object), 0, dtype, out);
        return 0;
    }
    if (PyBool_Check(object)) {
        if (integral) {
            out->i = object == Py_True;
            return 0;
        }
        store_inexact(object == Py_True, 0, dtype, out);
        return 0;
    }
    if (PyLong_CheckExact(object)) {
        if (integral) {
            return store_integer(object, dtype, out);
        }
        if (cls == '?') {
            int truth = PyObject_IsTrue(object);
            out->u = truth > 0;
            return truth < 0 ? -1 : 0;
        }
        double value = PyLong_AsDouble(object);
        if (value == -1.0 && PyErr_Occurred()) {
            return -1;
        }
        store_inexact(value, 0, dtype, out);
        return 0;
    }
    if (PyComplex_CheckExact(object) && (cls == 'c' || cls == '?')) {
        Py_complex value = PyComplex_AsCComplex(object);
        store_inexact(value.real, value.imag, dtype, out);
        return 0;
    }
    return store_rare(object, dtype, out);
}

/* Exact types first: no subclass walk for the usual operands. */
GnpWeak
gnp_weak_kind(PyObject *object)
{
    if (PyFloat_CheckExact(object)) {
        return GNP_WEAK_FLOAT;
    }
    if (PyLong_CheckExact(object)) {
        return GNP_WEAK_INT;
    }
    if (PyBool_Check(object)) {
        return GNP_WEAK_BOOL;
    }
    if (PyComplex_CheckExact(object)) {
        return GNP_WEAK_COMPLEX;
    }
    /* numpy.float64 is a float and numpy.complex128 a complex, but both are strong. */
    if (gnp_array_check(object) || gnp_is_numpy_scalar(object)) {
        return GNP_WEAK_NONE;
    }
    if (PyLong_Check(object)) {
        return GNP_WEAK_INT;
    }
    if (PyFloat_Check(object)) {
        return GNP_WEAK_FLOAT;
    }
    return PyComplex_Check(object) ? GNP_WEAK_COMPLEX : GNP_WEAK_NONE;
}

/* Little-endian: narrow integers are the low bytes of the 64-bit one, the rest of which is 0. */
PyObject *
gnp_scalar_to_python(const void *element, GnpDtype dtype)
{
    GnpScalar value = {{0, 0}};
    if (!gnp_is_number(dtype)) { /* datetime, date, timedelta, int or None; tuple, bytes */
        PyObject *scalar = gnp_scalar_to_numpy(element, dtype);
        PyObject *ret = scalar == NULL ? NULL : PyObject_CallMethod(scalar, "item", NULL);
        Py_XDECREF(scalar);
        return ret;
    }
    memcpy(&value, element, gnp_dtypes[dtype].bytes);
    switch (dtype) {
    case GNP_BOOL:
        return PyBool_FromLong(value.u != 0);
    case GNP_I8:
        return PyLong_FromLong((int8_t)value.i);
    case GNP_I16:
        return PyLong_FromLong((int16_t)value.i);
    case GNP_I32:
        return PyLong_FromLong((int32_t)value.i);
    case GNP_I64:
        return PyLong_FromLongLong(value.i);
    case GNP_U8:
    case GNP_U16:
    case GNP_U32:
    case GNP_U64:
        return PyLong_FromUnsignedLongLong(value.u);
    case GNP_F16:
        return PyFloat_FromDouble(gnp_half_to_double((uint16_t)value.u));
    case GNP_BF16:
        return PyFloat_FromDouble(gnp_bf16_to_double((uint16_t)value.u));
    case GNP_F32:
        return PyFloat_FromDouble(value.f);
    case GNP_F64:
        return PyFloat_FromDouble(value.d);
    case GNP_C64:
        return PyComplex_FromDoubles(value.c64.re, value.c64.im);
    default:
        return PyComplex_FromDoubles(value.c128.re, value.c128.im);
    }
}

/* Arguments of a launch: Python objects into the bytes a kernel's parameters take.
 *
 * An array is its address; a NumPy scalar, or an array of NumPy of one element, its bytes; a Python
 * int, float, complex or bool is a 64-bit integer, a double, a complex of doubles or a bool, as
 * CuPy passes them; None is a null pointer; an object with `ptr` is that address; objects with the
 * buffer protocol (ctypes and NumPy records) are copied by value. The driver copies as many bytes
 * as the parameter's size, unchecked, so sizes are compared here first: integers are widened or
 * narrowed where their value fits, a Python number becomes the float the source declares,
 * everything else has to match.
 *
 * Called for each launch of a RawKernel or a Function, with the GIL. Nothing here waits; the bytes
 * live in a GnpArguments on the caller's stack until the driver has copied them.
 */
#include "user/function.h"

#include <stdlib.h>
#include <string.h>

/* One parameter while its argument is converted, for messages and size checks. */
typedef struct {
    const GnpFunctionObject *f;
    int index;
    size_t wanted; /* bytes of the parameter; 0: not known */
} Place;

/* Advice is text that follows the sizes, or "". */
static int
bad_size(const Place *p, PyObject *object, size_t bytes, const char *advice)
{
    PyErr_Format(PyExc_TypeError,
                 "argument %d of kernel %U: %.100s is %zu bytes, the kernel's parameter %zu%s",
                 p->index, p->f->name, Py_TYPE(object)->tp_name, bytes, p->wanted, advice);
    return -1;
}

/* The letter of a parameter, see GnpParameter; read from the source when first needed. Sizes come
 * from the driver, but it does not tell an int from a float of the same size. The source does,
 * where there is one; the answer is stored for all parameters at once. */
static char
parameter_letter(const Place *p)
{
    if (p->index >= p->f->nparameters) {
        return '?';
    }
    GnpParameter *parameter = &p->f->parameter[p->index];
    if (GNP_UNLIKELY(parameter->letter == 0)) {
        parameter->letter = '?';
        PyObject *compiler = NULL, *letters = NULL; /* owned */
        if (p->f->source != NULL) {
            compiler = PyImport_ImportModule("gpunp.cuda.compiler");
            letters = compiler == NULL ? NULL
                                       : PyObject_CallMethod(compiler, "_parameter_letters", "OO",
                                                             p->f->source, p->f->name);
        }
        Py_ssize_t n = 0;
        const char *text = letters == NULL ? NULL : PyUnicode_AsUTF8AndSize(letters, &n);
        for (int i = 0; text != NULL && n == p->f->nparameters && i < n; i++) {
            p->f->parameter[i].letter = text[i];
        }
        PyErr_Clear(); /* then only the size is known */
        Py_XDECREF(compiler);
        Py_XDECREF(letters);
    }
    return parameter->letter;
}

/* A number of the right size and the wrong kind would be reinterpreted bit by bit. */
static int
bad_kind(const Place *p, PyObject *object, const char *declared)
{
    PyErr_Format(PyExc_TypeError, "argument %d of kernel %U: %R is a %.100s, the parameter %s",
                 p->index, p->f->name, object, Py_TYPE(object)->tp_name, declared);
    return -1;
}

/* 1 when the source declares a float or a double: then `value` is stored as that. So that a Python
 * int given for a float is not passed as the bits of an integer. */
static int
put_real(const Place *p, double value, GnpScalar *out)
{
    char letter = parameter_letter(p);
    if (letter == 'f') {
        out->f = (float)value;
    }
    else if (letter == 'd') {
        out->d = value;
    }
    return letter == 'f' || letter == 'd';
}

/* Writes 64 bits; the driver copies the lowest ones, as CUDA devices and all supported hosts are
 * little-endian. The range check makes that a conversion without loss. */
static int
put_integer(const Place *p, PyObject *object, int is_signed, uint64_t bits, GnpScalar *out)
{
    int is_negative = is_signed && (int64_t)bits < 0;
    out->bits[0] = bits;
    if (p->wanted == 0 || p->wanted == 8) {
        return 0;
    }
    if (p->wanted > 8) {
        return bad_size(p, object, 8, "");
    }
    int nbits = 8 * (int)p->wanted;
    /* A parameter of 4 bytes takes -2**31..2**32 - 1: its signedness is not known. */
    if (is_negative ? (int64_t)bits < -((int64_t)1 << (nbits - 1)) : bits >> nbits != 0) {
        PyErr_Format(PyExc_OverflowError,
                     "argument %d of kernel %U: %R does not fit into a parameter of %zu bytes",
                     p->index, p->f->name, object, p->wanted);
        return -1;
    }
    return 0;
}

/* A double represents an int only approximately, which a float parameter accepts; otherwise the
 * exact 64 bits are taken, signed first and then unsigned. */
static int
put_python_int(const Place *p, PyObject *object, GnpScalar *out)
{
    double real = PyLong_AsDouble(object);
    if (real == -1.0 && PyErr_Occurred()) {
        PyErr_Clear(); /* too large for a double, and so for an integer: see below */
    }
    else if (put_real(p, real, out)) {
        return 0;
    }
    int64_t value = PyLong_AsLongLong(object);
    if (value != -1 || !PyErr_Occurred()) {
        return put_integer(p, object, 1, (uint64_t)value, out);
    }
    PyErr_Clear();
    uint64_t large = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred()) {
        PyErr_Format(PyExc_OverflowError, "argument %d of kernel %U: %R does not fit into 64 bits",
                     p->index, p->f->name, object);
        return -1;
    }
    return put_integer(p, object, 0, large, out);
}

/* A NumPy scalar has a type of its own, so it must match the declared kind; only integers change
 * their width. */
static int
put_numpy_scalar(const Place *p, PyObject *object, GnpDtype dtype, GnpScalar *out)
{
    const GnpDtypeInfo *info = &gnp_dtypes[dtype];
    if (gnp_scalar_from_object(object, dtype, out) < 0) {
        return -1;
    }
    char letter = parameter_letter(p);
    if (info->cls == 'i' || info->cls == 'u') {
        if (GNP_UNLIKELY(letter == 'f' || letter == 'd')) {
            return bad_kind(p, object, letter == 'f' ? "a float" : "a double");
        }
        /* Extended to 64 bits by shifts, as a parameter may be wider than the scalar. */
        uint64_t bits = 0;
        memcpy(&bits, out, info->bytes);
        int shift = 64 - 8 * info->bytes;
        int is_signed = info->cls == 'i';
        return put_integer(p, object, is_signed,
                           is_signed ? (uint64_t)((int64_t)(bits << shift) >> shift) : bits, out);
    }
    if (p->wanted != 0 && p->wanted != (size_t)info->bytes && info->cls != '?') {
        return bad_size(p, object, info->bytes, "");
    }
    return GNP_UNLIKELY(letter == 'i' && info->cls == 'f') ? bad_kind(p, object, "an integer") : 0;
}

/* Device addresses and texture handles have 64 bits. */
static int
put_address(const Place *p, PyObject *object, uint64_t address, GnpScalar *out)
{
    out->bits[0] = address;
    return p->wanted == 0 || p->wanted == 8 ? 0 : bad_size(p, object, 8, " (it is an address)");
}

/* An array with gaps is passed as an address, from which the kernel reads contiguously: a warning,
 * once, since it may be intended. */
static int
warn_of_gaps(const Place *p)
{
    GnpFunctionObject *f = (GnpFunctionObject *)(uintptr_t)p->f;
    if (f->warned_of_gaps) {
        return 0;
    }
    f->warned_of_gaps = 1;
    return gnp_warn(PyExc_RuntimeWarning,
                    "argument %d of kernel %U is a view that is not contiguous: the kernel "
                    "gets the address of its first element and nothing of its strides; "
                    "gpunp.ascontiguousarray(x) makes a contiguous copy",
                    p->index, f->name);
}

/* The record keeps the memory from being reused before `stream` has run the kernel. */
static int
put_array(const Place *p, PyObject *object, CUstream stream, GnpScalar *out)
{
    GnpArray *a = (GnpArray *)object;
    int allowed =
        GNP_LIKELY(a->device_id == p->f->device->id) ? 1 : gnp_peer_guest(p->f->device, a->block);
    if (allowed < 0) {
        return -1;
    }
    if (GNP_UNLIKELY(allowed == 0)) {
        PyErr_Format(PyExc_ValueError,
                     "argument %d of kernel %U: the array is on device %d, the kernel on device %d",
                     p->index, p->f->name, a->device_id, p->f->device->id);
        return -1;
    }
    if (GNP_UNLIKELY((a->flags & (GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS)) == 0) &&
        warn_of_gaps(p) < 0) {
        return -1;
    }
    gnp_block_record(a->block, stream);
    return put_address(p, object, a->data, out);
}

/* A NumPy array that cannot be meant by value: of another number of elements than one, or for a
 * parameter that the source declares a pointer. Passing its bytes would compile and read garbage,
 * so it is refused with advice. */
static int
is_host_array(const Place *p, PyObject *object)
{
    if (!gnp_is_numpy_array(object)) {
        return 0;
    }
    PyObject *size = PyObject_GetAttrString(object, "size"); /* owned */
    int is_one = size != NULL && PyLong_Check(size) && PyLong_AsLong(size) == 1;
    Py_XDECREF(size);
    PyErr_Clear();
    return !is_one || parameter_letter(p) == 'p';
}

/* Bytes by value. 1 when the object has no buffer. The buffer stays exported, and so in place,
 * until the launch. */
static int
put_buffer(const Place *p, PyObject *object, GnpArguments *a, int i)
{
    if (!PyObject_CheckBuffer(object)) {
        return 1;
    }
    if (is_host_array(p, object)) {
        PyErr_Format(PyExc_TypeError,
                     "argument %d of kernel %U is a NumPy array, which is on the host: move it to "
                     "the device with gpunp.asarray(x)",
                     p->index, p->f->name);
        return -1;
    }
    if (a->buffer == NULL) {
        a->buffer = PyMem_Calloc((size_t)a->n, sizeof *a->buffer);
        if (a->buffer == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    Py_buffer *buffer = &a->buffer[a->nbuffers];
    if (PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE) < 0) {
        return -1;
    }
    a->nbuffers++;
    a->arg[i] = buffer->buf;
    return p->wanted == 0 || p->wanted == (size_t)buffer->len
               ? 0
               : bad_size(p, object, (size_t)buffer->len, "");
}

/* An object with an address: MemoryPointer, TextureObject. 1 when it has none. An attribute that is
 * no int belongs to some other kind of object. */
static int
put_pointer(const Place *p, PyObject *object, GnpScalar *out)
{
    PyObject *ptr = PyObject_GetAttrString(object, "ptr"); /* owned */
    if (ptr == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
        return 1;
    }
    uint64_t address = 0;
    int is_int = PyLong_Check(ptr);
    int failed = is_int && gnp_uint64_from_object(ptr, "ptr", &address) < 0;
    Py_DECREF(ptr);
    if (failed) {
        return -1;
    }
    return is_int ? put_address(p, object, address, out) : 1;
}

/* A Python float is a double unless the source declares a float. */
static int
put_float(const Place *p, PyObject *object, GnpScalar *out)
{
    if (put_real(p, PyFloat_AS_DOUBLE(object), out)) {
        return 0;
    }
    if (parameter_letter(p) == 'i' || parameter_letter(p) == 'p') {
        return bad_kind(p, object, parameter_letter(p) == 'i' ? "an integer" : "a pointer");
    }
    out->d = PyFloat_AS_DOUBLE(object);
    if (p->wanted == 0 || p->wanted == 8) {
        return 0;
    }
    return bad_size(p, object, 8,
                    ": a Python float is a double; for a float give numpy.float32(x)");
}

/* A Python complex is two doubles, or two floats where the source declares that. */
static int
put_complex(const Place *p, PyObject *object, GnpScalar *out)
{
    Py_complex z = PyComplex_AsCComplex(object);
    out->c128 = (gnp_c128){z.real, z.imag};
    if (p->wanted == 0 || p->wanted == 16) {
        return 0;
    }
    if (p->wanted == 8 && parameter_letter(p) == 'F') {
        out->c64 = (gnp_c64){(float)z.real, (float)z.imag};
        return 0;
    }
    return bad_size(p, object, 16, ": a Python complex is two doubles; give numpy.complex64(x)");
}

/* The order of the tests matters: bool is a subclass of int, and numpy.float64 of float, so the
 * more specific types come first. */
static int
put_other(const Place *p, PyObject *object, GnpArguments *a, int i)
{
    GnpScalar *out = &a->value[i];
    GnpDtype dtype;
    *out = (GnpScalar){{0, 0}};
    if (PyBool_Check(object)) {
        if (put_real(p, (double)(object == Py_True), out)) {
            return 0;
        }
        out->bits[0] = object == Py_True;
        return p->wanted <= 8 ? 0 : bad_size(p, object, 1, "");
    }
    int found = gnp_numpy_scalar_dtype(object, &dtype);
    if (found < 0) { /* a structure, say: its bytes */
        PyErr_Clear();
        return put_buffer(p, object, a, i);
    }
    if (found > 0) {
        return put_numpy_scalar(p, object, dtype, out);
    }
    if (PyLong_Check(object)) {
        return put_python_int(p, object, out);
    }
    if (PyFloat_Check(object)) {
        return put_float(p, object, out);
    }
    if (PyComplex_Check(object)) {
        return put_complex(p, object, out);
    }
    if (object == Py_None) {
        return put_address(p, object, 0, out);
    }
    int done = put_pointer(p, object, out);
    if (done > 0) {
        done = put_buffer(p, object, a, i);
    }
    if (done > 0) {
        PyErr_Format(PyExc_TypeError,
                     "argument %d of kernel %U: unsupported type %R; arguments are gpunp arrays, "
                     "NumPy scalars, Python numbers, objects with a `ptr`, None, and what offers "
                     "its bytes",
                     p->index, p->f->name, Py_TYPE(object));
        return -1;
    }
    return done;
}

/* Few arguments use arrays in the struct itself, so a launch allocates nothing. */
static int
make_room(GnpArguments *a)
{
    a->arg = a->few_arg;
    a->value = a->few_value;
    if (a->n > GNP_FEW_ARGUMENTS) {
        a->arg = PyMem_Malloc((size_t)a->n * sizeof *a->arg);
        a->value = PyMem_Malloc((size_t)a->n * sizeof *a->value);
        if (a->arg == NULL || a->value == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    return 0;
}

/* CuPy's kernels ignore surplus arguments, and programs rely on it. */
static int
check_count(GnpArguments *a, const GnpFunctionObject *f)
{
    if (f->nparameters < 0 || a->n == f->nparameters) {
        return 0;
    }
    const int wanted = f->nparameters;
    if (a->n < wanted) {
        PyErr_Format(PyExc_TypeError, "kernel %U takes %d argument%s, %d were given", f->name,
                     wanted, wanted == 1 ? "" : "s", a->n);
        return -1;
    }
    return gnp_warn(PyExc_RuntimeWarning,
                    "kernel %U takes %d argument%s, %d were given: the last are ignored", f->name,
                    wanted, wanted == 1 ? "" : "s", a->n);
}

/* On failure too the caller calls gnp_arguments_clear, which releases buffers that were exported
 * so far. */
int
gnp_arguments_init(GnpArguments *a, const GnpFunctionObject *f, PyObject *args, CUstream stream)
{
    a->n = 0;
    a->nbuffers = 0;
    a->buffer = NULL;
    a->arg = a->few_arg;
    a->value = a->few_value;
    if (!PyTuple_Check(args)) {
        PyErr_Format(PyExc_TypeError, "args of kernel %U must be a tuple, not %.100s", f->name,
                     Py_TYPE(args)->tp_name);
        return -1;
    }
    a->n = (int)PyTuple_GET_SIZE(args);
    PyObject *const *object = &PyTuple_GET_ITEM(args, 0);
    if (check_count(a, f) < 0 || make_room(a) < 0) {
        return -1;
    }
    for (int i = 0; i < a->n; i++) {
        /* Arguments too many are passed on as well, which the driver does not read: if it counted
         * its parameters wrong, the kernel still finds them. */
        Place p = {f, i, i < f->nparameters ? f->parameter[i].bytes : 0};
        a->arg[i] = &a->value[i];
        int status = gnp_array_check(object[i]) ? put_array(&p, object[i], stream, &a->value[i])
                                                : put_other(&p, object[i], a, i);
        if (status < 0 && f->nparameters >= 0 && i >= f->nparameters) {
            PyErr_Clear(); /* what is ignored may be anything */
            a->n = i;
            return 0;
        }
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

/* Called after the launch, when the driver has copied all arguments. */
void
gnp_arguments_clear(GnpArguments *a)
{
    for (int i = 0; i < a->nbuffers; i++) {
        PyBuffer_Release(&a->buffer[i]);
    }
    PyMem_Free(a->buffer);
    if (a->arg != a->few_arg) {
        PyMem_Free(a->arg);
    }
    if (a->value != a->few_value) {
        PyMem_Free(a->value);
    }
}

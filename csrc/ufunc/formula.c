/* Functions of a few inputs that are one expression, and one launch: isclose, nan_to_num, round to
 * decimals, packbits. Numbers are operands like arrays.
 *
 * As compositions of ufuncs they would be five launches and as many temporaries. The Python
 * functions of the same names check arguments and choose the types.
 */
#include "ufunc/ufunc.h"

#include <string.h>

enum { MOST = 4 };

/* NumPy's formula, which is not symmetric in a and b. */
#define NEAR "(is_finite(b) && absolute(a - b) <= d + c * absolute(b)) || a == b"
static const GnpElementOp close_op = {.name = "isclose", .expression = NEAR, .nin = 4, .nout = 1};
static const GnpElementOp close_or_nan_op = {
    .name = "isclose_nan", .expression = NEAR " || (a != a && b != b)", .nin = 4, .nout = 1};
static const GnpElementOp number_op = {
    .name = "nan_to_num",
    .expression = "a != a ? b : is_finite(a) ? a : a > 0 ? c : d",
    .nin = 4,
    .nout = 1,
};
/* Two forms, because a multiplication by 10^n and a division by 10^-n round differently; NumPy's
 * choice is kept. */
static const GnpElementOp round_op = {
    .name = "round_up", .expression = "rint(a * b) / b", .nin = 2, .nout = 1};
static const GnpElementOp round_tens_op = {
    .name = "round_tens", .expression = "rint(a / b) * b", .nin = 2, .nout = 1};

/* Eight truth values, the bytes of one word, to the bits of a byte: each byte is normalised to 0 or
 * 1, and the multiplication shifts each to its own bit of the highest byte, without carries. */
#define TRUTHS "a |= a >> 4; a |= a >> 2; a |= a >> 1; r0 = (u8)((a & 0x0101010101010101ull) * "
static const GnpElementOp pack_big_op = {
    .name = "packbits", .expression = TRUTHS "0x8040201008040201ull >> 56)", .nin = 1, .nout = 1};
static const GnpElementOp pack_little_op = {.name = "packbits_little",
                                            .expression = TRUTHS "0x0102040810204080ull >> 56)",
                                            .nin = 1,
                                            .nout = 1};

/* The inputs: arrays (owned) or elements, and the shape they broadcast to. */
typedef struct {
    int nin;
    GnpDtype compute[MOST];
    GnpArray *array[MOST]; /* NULL for a scalar */
    GnpScalar scalar[MOST];
    int64_t strides[MOST][GNP_MAX_DIMS];
    int64_t shape[GNP_MAX_DIMS];
    int ndim;
} Inputs;

/* Numbers are converted to the type that is computed in; arrays keep theirs and are converted as
 * they are read. */
static int
take_input(Inputs *in, PyObject *object, GnpDtype compute, const char *function)
{
    int k = in->nin++;
    in->compute[k] = compute;
    if (!gnp_array_check(object)) {
        return gnp_scalar_from_object(object, compute, &in->scalar[k]);
    }
    in->array[k] = gnp_readable_any((GnpArray *)object, function);
    if (in->array[k] == NULL) {
        return -1;
    }
    /* Raises NumPy's error for shapes that do not fit. */
    return gnp_broadcast_shape(&in->ndim, in->shape, in->array[k]->ndim, gnp_shape(in->array[k]));
}

/* Also after failures, where nin counts the input that failed. */
static void
inputs_clear(Inputs *in)
{
    for (int k = 0; k < in->nin; k++) {
        Py_CLEAR(in->array[k]);
    }
}

/* New array in the order of iteration over the inputs, as a ufunc's result. Scalars have no strides
 * and no say in the order. */
static GnpArray *
new_result(const Inputs *in, GnpDtype dtype)
{
    int64_t strides[MOST][GNP_MAX_DIMS];
    const int64_t *arrays[MOST];
    int axes[GNP_MAX_DIMS], n = 0;
    for (int k = 0; k < in->nin; k++) {
        if (in->array[k] != NULL) {
            gnp_broadcast_strides(in->array[k], in->ndim, in->shape, strides[n]);
            arrays[n] = strides[n];
            n++;
        }
    }
    gnp_iteration_order(in->ndim, in->shape, n, arrays, axes);
    return gnp_array_new_ordered(in->ndim, in->shape, dtype, axes);
}

/* One launch; operands keep pointers into `in`, which outlives it. */
static int
run(const GnpElementOp *op, Inputs *in, GnpArray *out)
{
    GnpOperand operands[MOST + 1];
    for (int k = 0; k < in->nin; k++) {
        GnpArray *a = in->array[k];
        operands[k] = (GnpOperand){
            .scalar = &in->scalar[k], .dtype = in->compute[k], .compute = in->compute[k]};
        if (a != NULL) {
            gnp_broadcast_strides(a, in->ndim, in->shape, in->strides[k]);
            operands[k] = (GnpOperand){.data = a->data,
                                       .block = a->block,
                                       .strides = in->strides[k],
                                       .dtype = a->dtype,
                                       .compute = in->compute[k]};
        }
    }
    operands[in->nin] = (GnpOperand){.data = out->data,
                                     .block = out->block,
                                     .strides = gnp_strides(out),
                                     .dtype = out->dtype,
                                     .compute = out->dtype};
    return gnp_elementwise(op, operands, in->ndim, in->shape);
}

/* New array in the order of a copy of the first input, where that has the result's shape. */
static GnpArray *
new_copy(const Inputs *in, GnpDtype dtype, char order)
{
    const GnpArray *a = in->array[0];
    /* Otherwise another input has stretched it. */
    int same = a->ndim == in->ndim &&
               memcmp(gnp_shape(a), in->shape, (size_t)in->ndim * sizeof *in->shape) == 0;
    return same ? gnp_array_new_like(a, dtype, order) : new_result(in, dtype);
}

/* The expression of the inputs in `out`, a new array or NULL after a failure. */
static PyObject *
fill_new(const GnpElementOp *op, Inputs *in, GNP_STEAL GnpArray *out)
{
    if (out != NULL && run(op, in, out) < 0) {
        Py_CLEAR(out);
    }
    return (PyObject *)out;
}

PyDoc_STRVAR(isclose_doc,
             "isclose(a, b, rtol, atol, equal_nan, work)\n--\n\n"
             "Return whether |a - b| <= atol + rtol * |b|, or a == b, computed in the dtype\n"
             "`work`.");

/* Tolerances may be arrays, of the real type for complex numbers. */
static PyObject *
formula_isclose(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("isclose(a, b, rtol, atol, equal_nan, work)");
    PyObject *given[6];
    Inputs in = {.ndim = 0};
    PyObject *ret = NULL; /* returned */

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    int equal_nan = PyObject_IsTrue(given[4]);
    GNP_TRY(equal_nan);
    GnpDtype work = gnp_dtype_from_object(given[5]);
    if (work == GNP_NO_DTYPE) {
        goto fail;
    }
    for (int k = 0; k < 4; k++) {
        GNP_TRY(take_input(&in, given[k], k < 2 ? work : gnp_dtypes[work].real, "isclose"));
    }
    ret = fill_new(equal_nan ? &close_or_nan_op : &close_op, &in, new_result(&in, GNP_BOOL));
fail:
    inputs_clear(&in);
    return ret;
}

/* Integers need none of these functions; Python has handled them before. */
static GnpArray *
take_floats(PyObject *object, const char *function)
{
    if (!gnp_array_check(object) || gnp_dtypes[((GnpArray *)object)->dtype].cls != 'f') {
        PyErr_Format(PyExc_TypeError, "%s() takes a gpunp array of floats", function);
        return NULL;
    }
    return (GnpArray *)object;
}

PyDoc_STRVAR(nan_to_num_doc,
             "nan_to_num(a, nan, posinf, neginf, in_place)\n--\n\n"
             "Floats with other numbers for NaN and the infinities; in place, they have the shape\n"
             "of `a` or less and `a` is returned.");

/* In place, the array itself is input and output, which is safe element by element. */
static PyObject *
formula_nan_to_num(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("nan_to_num(a, nan, posinf, neginf, in_place)");
    PyObject *given[5];
    Inputs in = {.ndim = 0};
    GnpArray *a;
    PyObject *ret = NULL; /* returned */

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_NEW(a, take_floats(given[0], "nan_to_num"));
    for (int k = 0; k < 4; k++) {
        GNP_TRY(take_input(&in, given[k], (GnpDtype)a->dtype, "nan_to_num"));
    }
    if (given[4] != Py_True) {
        ret = fill_new(&number_op, &in, new_copy(&in, (GnpDtype)a->dtype, 'K'));
        goto fail;
    }
    GNP_TRY(gnp_check_writeable(a));
    if (in.ndim != a->ndim ||
        memcmp(in.shape, gnp_shape(a), (size_t)a->ndim * sizeof *in.shape) != 0) {
        PyErr_SetString(PyExc_ValueError, "the numbers have more elements than the array");
        goto fail;
    }
    for (int k = 1; k < 4; k++) {
        GnpArray *number = in.array[k];
        if (number != NULL && gnp_overlaps_harmfully(a, number)) {
            /* The replacement numbers would otherwise be changed while they are still read. */
            Py_SETREF(in.array[k], gnp_astype(number, (GnpDtype)number->dtype, 'K'));
            if (in.array[k] == NULL) {
                goto fail;
            }
        }
    }
    GNP_TRY(run(&number_op, &in, in.array[0]));
    /* An unaligned array was replaced by an aligned copy, which has the result. */
    GNP_TRY(in.array[0] != a ? gnp_copy(a, in.array[0]) : 0);
    ret = Py_NewRef(given[0]);
fail:
    inputs_clear(&in);
    return ret;
}

PyDoc_STRVAR(round_doc, "round_scaled(a, scale, is_up)\n--\n\n"
                        "Floats times (is_up) or through `scale`, rounded and scaled back.");

/* The scale is a power of ten that Python computed exactly. */
static PyObject *
formula_round(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("round_scaled(a, scale, is_up)");
    PyObject *given[3];
    Inputs in = {.ndim = 0};
    GnpArray *a;
    PyObject *ret = NULL; /* returned */

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_NEW(a, take_floats(given[0], "round_scaled"));
    for (int k = 0; k < 2; k++) {
        GNP_TRY(take_input(&in, given[k], (GnpDtype)a->dtype, "round"));
    }
    ret = fill_new(given[2] == Py_True ? &round_op : &round_tens_op, &in,
                   new_copy(&in, (GnpDtype)a->dtype, 'A'));
fail:
    inputs_clear(&in);
    return ret;
}

PyDoc_STRVAR(pack_doc,
             "pack_words(words, big)\n--\n\n"
             "Bytes whose bits say which bytes of 64-bit words are not zero, the first the\n"
             "highest (big) or the lowest.");

/* Python views eight bools as one word. */
static PyObject *
formula_pack(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("pack_words(words, big)");
    PyObject *given[2];
    Inputs in = {.ndim = 0};
    PyObject *ret = NULL; /* returned */

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    if (!gnp_array_check(given[0]) || ((GnpArray *)given[0])->dtype != GNP_U64) {
        PyErr_SetString(PyExc_TypeError, "pack_words() takes a gpunp array of uint64");
        goto fail;
    }
    GNP_TRY(take_input(&in, given[0], GNP_U64, "packbits"));
    ret = fill_new(given[1] == Py_True ? &pack_big_op : &pack_little_op, &in,
                   new_result(&in, GNP_U8));
fail:
    inputs_clear(&in);
    return ret;
}

static PyMethodDef functions[] = {
    {"isclose", GNP_FAST(formula_isclose), METH_FASTCALL | METH_KEYWORDS, isclose_doc},
    {"nan_to_num", GNP_FAST(formula_nan_to_num), METH_FASTCALL | METH_KEYWORDS, nan_to_num_doc},
    {"pack_words", GNP_FAST(formula_pack), METH_FASTCALL | METH_KEYWORDS, pack_doc},
    {"round_scaled", GNP_FAST(formula_round), METH_FASTCALL | METH_KEYWORDS, round_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_formula_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* Arrays computed from their indices: arange, linspace, eye, tri. One launch each.
 *
 * kernels/elementwise/fill.cu writes value(i) to element i of fresh C-contiguous memory; the
 * expression of value and the type it is computed in are knobs. Invariant: 32-bit indices are used
 * only when the last index, rounded up to a whole block, fits.
 */
#include "select/select.h"

#include <string.h>

enum { BLOCK = 256, STORE_BYTES = 16 };

/* One kernel of the family. `expression` is in i, in a, b, c of type P (`work`) and in the index d;
 * each step is rounded to P, as NumPy rounds between its operations. */
typedef struct {
    const char *name, *expression;
    GnpDtype work;
    GnpScalar a, b, c;
    int64_t d;
} Formula;

/* The formula is compiled into the kernel, so each has its own. */
static int
write_formula(GnpKernelText *text, const void *context)
{
    const Formula *f = context;
    gnp_text_add(&text->code, "GNP_FN P value(Index i, P a, P b, P c, Index d) { return %s; }\n",
                 f->expression);
    gnp_text_add(&text->name, "%s", f->name);
    return 0;
}

/* Every thread stores 16 bytes at once; memory is fresh, so it is aligned. */
static int
launch_formula(GnpArray *out, const Formula *f)
{
    GnpDevice *device = gnp_device_current();
    int width = STORE_BYTES / gnp_dtypes[out->dtype].bytes;
    int64_t per_block = (int64_t)width * BLOCK, blocks = (out->size + per_block - 1) / per_block;
    if (device == NULL) {
        return -1;
    }
    GnpSpec_fill spec = {GNP_SPEC(fill),
                         /* Of the text, since linspace's expression is put together for the
                          * call. */
                         .head.code = gnp_hash64(f->expression, strlen(f->expression), 0),
                         .head.wide = blocks * per_block > UINT32_MAX || f->d > UINT32_MAX,
                         .R = out->dtype, .P = f->work, .WIDTH = width, .BLOCK = BLOCK};
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, write_formula, f);
    if (kernel == NULL) {
        return -1;
    }
    /* Little-endian: the low half of a 64-bit number is where a 32-bit one is read. */
    uint64_t d = (uint64_t)f->d, n = (uint64_t)out->size;
    GnpScalar a = f->a, b = f->b, c = f->c;
    void *args[] = {&out->data, &a, &b, &c, &d, &n};
    CUstream stream = gnp_stream_current(device);
    gnp_block_record(out->block, stream);
    return gnp_launch_blocks(kernel, blocks, BLOCK, stream, args);
}

/* The array is returned unfilled only if it has no elements. */
static PyObject *
make(int ndim, const int64_t *shape, GnpDtype dtype, const Formula *f)
{
    GnpArray *out = NULL; /* owned */
    PyObject *ret = NULL; /* returned */

    GNP_NEW(out, gnp_array_new(ndim, shape, dtype, 'C'));
    if (out->size > 0) {
        GNP_TRY(launch_formula(out, f));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)out);
    return ret;
}

/* Computed on the device: an upload would be a wait. */
GnpArray *
gnp_addresses(CUdeviceptr first, int64_t step, int64_t count)
{
    Formula f = {.name = "addresses", .expression = "a + P(i) * b", .work = GNP_U64};
    f.a.u = first;
    f.b.u = (uint64_t)step;
    return (GnpArray *)make(1, &count, GNP_U64, &f);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int
int_argument(PyObject *object, int64_t *out)
{
    PyObject *index = PyNumber_Index(object); /* owned */
    if (index == NULL) {
        return -1;
    }
    *out = PyLong_AsLongLong(index);
    Py_DECREF(index);
    return *out == -1 && PyErr_Occurred() ? -1 : 0;
}

/* A length: ints, negative ones counting as 0. As NumPy's arange and eye, for which negative
 * lengths are empty. */
static int
length_argument(PyObject *object, int64_t *out)
{
    if (int_argument(object, out) < 0) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
            PyErr_SetString(PyExc_ValueError, "Maximum allowed dimension exceeded");
        }
        return -1;
    }
    if (*out < 0) {
        *out = 0;
    }
    return 0;
}

static int
dtype_argument(PyObject *object, GnpDtype *out)
{
    *out = gnp_dtype_from_object(object);
    return *out == GNP_NO_DTYPE ? -1 : 0;
}

/* The type an arithmetic progression of `dtype` is computed in: NumPy steps small floats in
 * float32, and integers wrap alike in 64 bits. */
static GnpDtype
progression_type(GnpDtype dtype)
{
    switch (gnp_dtypes[dtype].cls) {
    case '?':
    case 'i':
        return GNP_I64;
    case 'u':
        return GNP_U64;
    default:
        return gnp_dtypes[dtype].compute;
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

PyDoc_STRVAR(arange_fill_doc,
             "arange_fill(length, first, second, dtype)\n--\n\n"
             "Return `length` numbers starting with `first`, spaced `second - first`.");

/* The step is recomputed on the device from the first two numbers, as NumPy does, for equal
 * rounding. */
static PyObject *
arange_fill(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("arange_fill(length, first, second, dtype)");
    PyObject *given[4];
    int64_t length;
    GnpDtype dtype;
    Formula f = {.name = "arange", .expression = "P(a + P(P(i) * P(b - a)))"};

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(length_argument(given[0], &length));
    GNP_TRY(dtype_argument(given[3], &dtype));
    f.work = progression_type(dtype);
    GNP_TRY(gnp_scalar_from_object(given[1], f.work, &f.a));
    GNP_TRY(gnp_scalar_from_object(given[2], f.work, &f.b));
    return make(1, &length, dtype, &f);
fail:
    return NULL;
}

PyDoc_STRVAR(
    linspace_fill_doc,
    "linspace_fill(num, start, step, stop, div, fix_last, work, dtype)\n--\n\n"
    "Return `start + i * step` (`start + i / div * step` when div is not 0), computed in the\n"
    "dtype `work`; the last element is exactly `stop` when fix_last is true. Integer results\n"
    "are rounded down.");

/* `fix_last` stores the end exactly, whatever the rounding of the steps. Division by the count
 * comes first where the step would underflow to 0. */
static PyObject *
linspace_fill(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("linspace_fill(num, start, step, stop, div, fix_last, work, dtype)");
    PyObject *given[8];
    PyObject *ret = NULL;     /* returned */
    GnpText expression = {0}; /* owned */
    int64_t num, div;
    GnpDtype dtype;
    Formula f = {.name = "linspace"};

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(length_argument(given[0], &num));
    GNP_TRY(int_argument(given[4], &div));
    int fix_last = PyObject_IsTrue(given[5]);
    GNP_TRY(fix_last);
    GNP_TRY(dtype_argument(given[6], &f.work));
    GNP_TRY(dtype_argument(given[7], &dtype));
    GNP_TRY(gnp_scalar_from_object(given[1], f.work, &f.a));
    GNP_TRY(gnp_scalar_from_object(given[2], f.work, &f.b));
    GNP_TRY(gnp_scalar_from_object(given[3], f.work, &f.c));
    f.d = div != 0 ? div : num;
    /* With a divisor the last index is d; without, d is one past it. */
    int floors = gnp_dtypes[dtype].cls == 'i' || gnp_dtypes[dtype].cls == 'u';
    const char *round = floors ? "P(floor" : "(";
    if (fix_last) {
        gnp_text_add(&expression, "%s ? %s(c)) : ", div == 0 ? "i + 1 == d" : "i == d", round);
    }
    gnp_text_add(&expression, "%s(P(P(%s * b) + a)))", round, div == 0 ? "P(i)" : "P(P(i) / P(d))");
    GNP_TRY(gnp_text_finish(&expression));
    f.expression = expression.text;
    ret = make(1, &num, dtype, &f);
fail:
    gnp_text_clear(&expression);
    return ret;
}

/* Both matrices: an expression in the column minus the row, which is compared with b = k. Fortran
 * order is the transposed matrix in C order, seen through a view. */
static PyObject *
make_matrix(PyObject *const *given, const char *name, const char *expression, char order)
{
    int64_t rows, columns, k;
    GnpDtype dtype;
    GNP_TRY(length_argument(given[0], &rows));
    GNP_TRY(length_argument(given[1], &columns));
    GNP_TRY(int_argument(given[2], &k));
    GNP_TRY(dtype_argument(given[3], &dtype));
    int transposed = order == 'F';
    int64_t shape[2] = {transposed ? columns : rows, transposed ? rows : columns};
    Formula f = {
        .name = name,
        .expression = expression,
        .work = GNP_I64,
        /* -INT64_MIN is no int64, and neither is the number of a diagonal. */
        .b.i = transposed && k != INT64_MIN ? -k : k,
        .d = shape[1] > 0 ? shape[1] : 1,
    };
    PyObject *matrix = make(2, shape, dtype, &f);
    if (matrix == NULL || !transposed) {
        return matrix;
    }
    PyObject *ret = PyObject_GetAttrString(matrix, "T");
    Py_DECREF(matrix);
    return ret;
fail:
    return NULL;
}

PyDoc_STRVAR(eye_doc, "eye(rows, columns, k, dtype, order='C')\n--\n\n"
                      "Return a matrix of zeros with ones on its k-th diagonal.");

static PyObject *
eye(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("eye(rows, columns, k, dtype, order='C')");
    PyObject *given[5];
    char order;
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    GNP_TRY(gnp_order_from_object(given[4], 'C', &order));
    return make_matrix(given, "eye", "P(i % d) - P(i / d) == b", order);
fail:
    return NULL;
}

PyDoc_STRVAR(tri_doc, "tri(rows, columns, k, dtype)\n--\n\n"
                      "Return a matrix of ones at and below its k-th diagonal, zeros above.");

static PyObject *
tri(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("tri(rows, columns, k, dtype)");
    PyObject *given[4];
    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    return make_matrix(given, "tri", "P(i % d) - P(i / d) <= b", 'C');
fail:
    return NULL;
}

static PyMethodDef functions[] = {
    {"arange_fill", (PyCFunction)(void (*)(void))arange_fill, METH_FASTCALL | METH_KEYWORDS,
     arange_fill_doc},
    {"eye", (PyCFunction)(void (*)(void))eye, METH_FASTCALL | METH_KEYWORDS, eye_doc},
    {"linspace_fill", (PyCFunction)(void (*)(void))linspace_fill, METH_FASTCALL | METH_KEYWORDS,
     linspace_fill_doc},
    {"tri", (PyCFunction)(void (*)(void))tri, METH_FASTCALL | METH_KEYWORDS, tri_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_fill_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* isclose in one launch: the tolerances are operands like the others.
 */
#include "ops/ops.h"

#include <string.h>

enum { NIN = 4 };

#define NEAR "(is_finite(b) && absolute(a - b) <= d + c * absolute(b)) || a == b"
static const GnpElementOp close_op = {.name = "isclose", .expression = NEAR, .nin = NIN, .nout = 1};
static const GnpElementOp close_or_nan_op = {
    .name = "isclose_nan",
    .expression = NEAR " || (a != a && b != b)",
    .nin = NIN,
    .nout = 1,
};

/* Inputs taken apart: arrays (owned) or elements, and what they broadcast to. */
typedef struct {
    GnpArray *array[NIN]; /* NULL for a scalar */
    GnpScalar scalar[NIN];
    int64_t strides[NIN][GNP_MAX_DIMS];
    int64_t shape[GNP_MAX_DIMS];
    int ndim;
} Inputs;

static int
take_input(Inputs *in, int k, PyObject *object, GnpDtype compute)
{
    if (!gnp_array_check(object)) {
        return gnp_scalar_from_object(object, compute, &in->scalar[k]);
    }
    in->array[k] = gnp_aligned((GnpArray *)object);
    if (in->array[k] == NULL) {
        return -1;
    }
    return gnp_broadcast_shape(&in->ndim, in->shape, in->array[k]->ndim, gnp_shape(in->array[k]));
}

/* The result's memory: ordered as the first input that has its shape. */
static GnpArray *
new_result(const Inputs *in)
{
    for (int k = 0; k < NIN; k++) {
        const GnpArray *a = in->array[k];
        if (a != NULL && a->ndim == in->ndim &&
            memcmp(gnp_shape(a), in->shape, (size_t)in->ndim * sizeof *in->shape) == 0) {
            return gnp_array_new_like(a, GNP_BOOL, 'K');
        }
    }
    return gnp_array_new(in->ndim, in->shape, GNP_BOOL, 'C');
}

static GnpDtype
real_part_of(GnpDtype dtype)
{
    return dtype == GNP_C64 ? GNP_F32 : dtype == GNP_C128 ? GNP_F64 : dtype;
}

PyDoc_STRVAR(isclose_doc,
             "isclose(a, b, rtol, atol, equal_nan, work)\n--\n\n"
             "Whether |a - b| <= atol + rtol * |b|, or a == b, computed in the dtype `work`.");

static PyObject *
isclose_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("isclose(a, b, rtol, atol, equal_nan, work)");
    PyObject *given[6];
    Inputs in = {.ndim = 0};
    GnpOperand operands[NIN + 1];
    GnpArray *out = NULL; /* owned */
    PyObject *ret = NULL; /* returned */
    GnpDtype work;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    int equal_nan = PyObject_IsTrue(given[4]);
    GNP_TRY(equal_nan);
    work = gnp_dtype_from_object(given[5]);
    if (work == GNP_NO_DTYPE) {
        goto fail;
    }
    for (int k = 0; k < NIN; k++) {
        GNP_TRY(take_input(&in, k, given[k], k < 2 ? work : real_part_of(work)));
    }
    GNP_NEW(out, new_result(&in));
    for (int k = 0; k < NIN; k++) {
        GnpArray *a = in.array[k];
        GnpDtype compute = k < 2 ? work : real_part_of(work);
        operands[k] = (GnpOperand){.scalar = &in.scalar[k], .dtype = compute, .compute = compute};
        if (a != NULL) {
            gnp_broadcast_strides(a, in.ndim, in.shape, in.strides[k]);
            operands[k] = (GnpOperand){.data = a->data,
                                       .block = a->block,
                                       .strides = in.strides[k],
                                       .dtype = a->dtype,
                                       .compute = compute};
        }
    }
    operands[NIN] = (GnpOperand){.data = out->data,
                                 .block = out->block,
                                 .strides = gnp_strides(out),
                                 .dtype = GNP_BOOL,
                                 .compute = GNP_BOOL};
    GNP_TRY(gnp_elementwise(equal_nan ? &close_or_nan_op : &close_op, operands, in.ndim, in.shape));
    ret = Py_NewRef((PyObject *)out);
fail:
    for (int k = 0; k < NIN; k++) {
        Py_XDECREF((PyObject *)in.array[k]);
    }
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"isclose", (PyCFunction)(void (*)(void))isclose_function, METH_FASTCALL | METH_KEYWORDS,
     isclose_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_close_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

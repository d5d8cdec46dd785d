/* _C.fourier: a spectrum times a function of its frequencies, in one launch. gpunp.scipy.ndimage
 * checks the arguments and computes the tables. The functions are separable, so a table per axis
 * replaces a transcendental function per element; an ellipsoid's function is of a sum of
 * squares. Numbers are in double precision, as in SciPy. */
#include "sci/sci_internal.h"

enum { BLOCK = 256, EACH = 4 };

/* One call: the references that it holds and what the kernel is given. */
typedef struct {
    GnpArray *in, *out, *tables; /* owned */
    GnpImageShape shape;
    int kind;
} Task;

/* Index arithmetic is in 64 bits only for arrays of 2**31 elements or more. */
static int
launch(Task *t)
{
    const int is_complex = gnp_dtypes[t->out->dtype].cls == 'c';
    GnpSpec_fourier spec = {
        GNP_SPEC(fourier), .head.wide = t->in->size > INT32_MAX,
        .S = t->in->dtype, .R = t->out->dtype,
        .KIND = t->kind,   .A = is_complex ? GNP_C128 : GNP_F64,
        .EACH = EACH,      .BLOCK = BLOCK,
    };
    return gnp_launch_arrays(
        &(GnpArrayLaunch){.spec = &spec.head,
                          .blocks = gnp_ceil_div(t->shape.size, (int64_t)BLOCK * EACH),
                          .threads = BLOCK,
                          .narrays = 3,
                          .array = {t->out, t->in, t->tables},
                          .value = {&t->shape}});
}

/* The length of the tables is the sum of the axes' lengths, twice that for complex phases. A
 * mismatch would be read out of bounds, hence the check here too. */
static int
take_shape(Task *t)
{
    int64_t numbers = 0;
    int fits = t->in->ndim == t->out->ndim && t->in->ndim <= IMAGE_AXES &&
               t->tables->dtype == GNP_F64 && (t->in->flags & GNP_C_CONTIGUOUS) &&
               (t->out->flags & GNP_C_CONTIGUOUS) && (t->tables->flags & GNP_C_CONTIGUOUS);
    for (int i = 0; fits && i < t->in->ndim; i++) {
        t->shape.sizes[i] = gnp_shape(t->in)[i];
        numbers += t->shape.sizes[i];
        fits = gnp_shape(t->out)[i] == t->shape.sizes[i];
    }
    /* Filled in although the check may fail below: nothing reads them then. */
    t->shape.naxes = t->in->ndim;
    t->shape.size = t->in->size;
    t->shape.table = t->tables->size;
    if (!fits || t->shape.table != numbers * (t->kind == FOURIER_PHASES ? 2 : 1) ||
        (t->kind == FOURIER_PHASES && gnp_dtypes[t->out->dtype].cls != 'c')) {
        PyErr_Format(PyExc_ValueError, "fourier: C-contiguous arrays of %d axes at most, tables",
                     IMAGE_AXES);
        return -1;
    }
    return 0;
}

/* In the order of enum FourierKind. */
static const char *const kinds[] = {"factors", "phases", "ellipsoid"};

PyDoc_STRVAR(fourier_doc,
             "fourier($module, a, out, tables, kind, /)\n--\n\n"
             "Write into out a times what the tables of its axes give for the index on each: the\n"
             "product of numbers or phases, or a function of the sum of squares.");

/* `a` and `out` may be one array: each element is read once, before it is written. */
static PyObject *
fourier(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Task t = {.in = NULL};
    PyObject *ret = NULL;
    if (nargs != 4 || !gnp_array_check(args[0]) || !gnp_array_check(args[1]) ||
        !gnp_array_check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "fourier takes three arrays and a name");
        return NULL;
    }
    GNP_TRY(gnp_name_from_object(args[3], kinds, 3, &t.kind));
    GNP_NEW(t.in, gnp_readable((GnpArray *)args[0], "fourier"));
    GNP_NEW(t.out, gnp_readable((GnpArray *)args[1], "fourier"));
    GNP_NEW(t.tables, gnp_readable((GnpArray *)args[2], "fourier"));
    GNP_TRY(take_shape(&t));
    if (t.shape.size > 0) {
        GNP_TRY(launch(&t));
    }
    GNP_TRY(gnp_write_back(t.out, args[1]));
    ret = Py_NewRef(args[1]);
fail:
    Py_XDECREF((PyObject *)t.in);
    Py_XDECREF((PyObject *)t.out);
    Py_XDECREF((PyObject *)t.tables);
    return ret;
}

static PyMethodDef functions[] = {
    {"fourier", (PyCFunction)(void (*)(void))fourier, METH_FASTCALL, fourier_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_fourier_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

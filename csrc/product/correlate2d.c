/* _C.correlate2d: the cross-correlation of two matrices in one launch. gpunp.scipy.signal checks
 * the arguments.
 *
 * A block computes a tile of TILE x TILE outputs, REG of them per thread, and goes through v in
 * pieces of CHUNK x CHUNK in shared memory.
 */
#include "product/product.h"

#include <string.h>

enum { TILE = 32, REG = 4, CHUNK = 16 }; /* c128: 39 KiB of shared memory */

/* One call; `before` is the distance from the first window to the first element. */
typedef struct {
    GnpArray *a, *v, *out; /* owned */
    int64_t before[2];
    int32_t outside; /* the kernel's Outside */
    GnpScalar fill;
} Correlation;

/* Sums are in X, wider than the result for halves and small integers. */
static GnpKernel *
find_kernel(GnpDevice *device, const GnpArray *a, const GnpArray *v, GnpDtype loop)
{
    GnpSpec_correlate2d spec = {GNP_SPEC(correlate2d),
                                .SA = a->dtype,
                                .SB = v->dtype,
                                .SO = loop,
                                .T = loop,
                                .X = gnp_product_sum_dtype(loop),
                                .LOGIC = loop == GNP_BOOL,
                                .TILE = TILE,
                                .REG = REG,
                                .CHUNK = CHUNK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

/* A matrix with any strides, as the kernel takes it: transposed and reversed views need no copy. */
static GnpPlane
plane_of(const GnpArray *a)
{
    const int64_t *shape = gnp_shape(a), *strides = gnp_strides(a);
    return (GnpPlane){a->data, shape[0], shape[1], strides[0], strides[1]};
}

/* TILE x TILE / REG threads, each with REG outputs in registers. */
static int
launch(Correlation *c)
{
    GnpDevice *device = gnp_device_current();
    GnpKernel *kernel;
    if (device == NULL || (kernel = find_kernel(device, c->a, c->v, c->out->dtype)) == NULL) {
        return -1;
    }
    int64_t *shape = gnp_shape(c->out);
    int64_t blocks = gnp_ceil_div(shape[0], TILE) * gnp_ceil_div(shape[1], TILE);
    CUstream stream = gnp_stream_current(device);
    gnp_block_record(c->a->block, stream);
    gnp_block_record(c->v->block, stream);
    gnp_block_record(c->out->block, stream);
    GnpPlane a = plane_of(c->a), v = plane_of(c->v);
    void *args[] = {
        &a,          &v,      &c->out->data, &shape[0], &shape[1], &c->before[0], &c->before[1],
        &c->outside, &c->fill};
    return gnp_launch_blocks(kernel, blocks, TILE * TILE / REG, stream, args);
}

PyDoc_STRVAR(
    correlate2d_doc,
    "correlate2d($module, a, v, dtype, before_y, before_x, rows, columns, outside, fill, "
    "/)\n--\n\n"
    "rows x columns sums of products of v with windows of a, the first of which begins so\n"
    "many rows and columns before a; outside of it is 0 `fill`, 1 its other end, 2 its\n"
    "mirror image.");

/* Python has chosen the sizes: of 'full', 'same' or 'valid'. */
static PyObject *
ops_correlate2d(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Correlation c = {.a = NULL};
    PyObject *ret = NULL; /* returned */
    int64_t numbers[5];
    if (nargs != 9 || !gnp_array_check(args[0]) || !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "correlate2d takes two arrays, a dtype and six numbers");
        return NULL;
    }
    GnpDtype dtype = gnp_dtype_from_object(args[2]);
    for (int i = 0; i < 5; i++) {
        /* Errors are looked for once, behind the loop. */
        numbers[i] = PyLong_AsLongLong(args[3 + i]);
    }
    if (dtype == GNP_NO_DTYPE || PyErr_Occurred()) {
        return NULL;
    }
    memcpy(c.before, numbers, sizeof c.before);
    c.outside = (int32_t)numbers[4];
    GNP_TRY(gnp_scalar_from_object(args[8], dtype, &c.fill));
    GNP_NEW(c.a, gnp_readable((GnpArray *)args[0], "correlate2d"));
    GNP_NEW(c.v, gnp_readable((GnpArray *)args[1], "correlate2d"));
    if (c.a->ndim != 2 || c.v->ndim != 2 || c.outside < 0 || c.outside > 2 ||
        (c.outside > 0 && c.a->size == 0)) {
        PyErr_SetString(PyExc_ValueError, "correlate2d: matrices, of which the first has elements "
                                          "to repeat; outside is 0, 1 or 2");
        goto fail;
    }
    GNP_NEW(c.out, gnp_array_new(2, &numbers[2], dtype, 'C'));
    if (c.out->size > 0) {
        GNP_TRY(launch(&c));
    }
    ret = Py_NewRef((PyObject *)c.out);
fail:
    Py_XDECREF((PyObject *)c.a);
    Py_XDECREF((PyObject *)c.v);
    Py_XDECREF((PyObject *)c.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"correlate2d", (PyCFunction)(void (*)(void))ops_correlate2d, METH_FASTCALL, correlate2d_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_correlate2d_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

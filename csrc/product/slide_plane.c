/* _C.slide_plane: sums of products of a matrix with every window of another; one launch.
 * gpunp.scipy.signal does the arguments. */
#include "product/product.h"

#include <string.h>

enum { TILE = 32, REG = 4, CHUNK = 16 }; /* c128: 39 KiB of shared memory */

/* What is asked for. */
typedef struct {
    GnpArray *a, *v, *out; /* owned */
    int64_t before[2];
    int32_t outside; /* the kernel's Outside */
    GnpScalar fill;
} Slide;

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

static GnpPlane
plane_of(const GnpArray *a)
{
    const int64_t *shape = gnp_shape(a), *strides = gnp_strides(a);
    return (GnpPlane){a->data, shape[0], shape[1], strides[0], strides[1]};
}

static int
launch(Slide *s)
{
    GnpDevice *device = gnp_device_current();
    GnpKernel *kernel;
    if (device == NULL || (kernel = find_kernel(device, s->a, s->v, s->out->dtype)) == NULL) {
        return -1;
    }
    int64_t *shape = gnp_shape(s->out);
    int64_t blocks = gnp_ceil_div(shape[0], TILE) * gnp_ceil_div(shape[1], TILE);
    CUstream stream = gnp_stream_current(device);
    gnp_block_record(s->a->block, stream);
    gnp_block_record(s->v->block, stream);
    gnp_block_record(s->out->block, stream);
    GnpPlane a = plane_of(s->a), v = plane_of(s->v);
    void *args[] = {
        &a,          &v,      &s->out->data, &shape[0], &shape[1], &s->before[0], &s->before[1],
        &s->outside, &s->fill};
    return gnp_launch_blocks(kernel, blocks, TILE * TILE / REG, stream, args);
}

PyDoc_STRVAR(
    plane_doc,
    "slide_plane($module, a, v, dtype, before_y, before_x, rows, columns, outside, fill, "
    "/)\n--\n\n"
    "rows x columns sums of products of v with windows of a, the first of which begins so\n"
    "many rows and columns before a; outside of it is 0 `fill`, 1 its other end, 2 its\n"
    "mirror image.");

static PyObject *
ops_slide_plane(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Slide s = {.a = NULL};
    PyObject *ret = NULL; /* returned */
    int64_t numbers[5];
    if (nargs != 9 || !gnp_array_check(args[0]) || !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "slide_plane takes two arrays, a dtype and six numbers");
        return NULL;
    }
    GnpDtype dtype = gnp_dtype_from_object(args[2]);
    for (int i = 0; i < 5; i++) {
        numbers[i] = PyLong_AsLongLong(args[3 + i]);
    }
    if (dtype == GNP_NO_DTYPE || PyErr_Occurred()) {
        return NULL;
    }
    memcpy(s.before, numbers, sizeof s.before);
    s.outside = (int32_t)numbers[4];
    GNP_TRY(gnp_scalar_from_object(args[8], dtype, &s.fill));
    GNP_NEW(s.a, gnp_readable((GnpArray *)args[0], "slide_plane"));
    GNP_NEW(s.v, gnp_readable((GnpArray *)args[1], "slide_plane"));
    if (s.a->ndim != 2 || s.v->ndim != 2 || s.outside < 0 || s.outside > 2 ||
        (s.outside > 0 && s.a->size == 0)) {
        PyErr_SetString(PyExc_ValueError, "slide_plane: matrices, of which the first has elements "
                                          "to repeat; outside is 0, 1 or 2");
        goto fail;
    }
    GNP_NEW(s.out, gnp_array_new(2, &numbers[2], dtype, 'C'));
    if (s.out->size > 0) {
        GNP_TRY(launch(&s));
    }
    ret = Py_NewRef((PyObject *)s.out);
fail:
    Py_XDECREF((PyObject *)s.a);
    Py_XDECREF((PyObject *)s.v);
    Py_XDECREF((PyObject *)s.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"slide_plane", (PyCFunction)(void (*)(void))ops_slide_plane, METH_FASTCALL, plane_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_slide_plane_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

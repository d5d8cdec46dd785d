/* Random samples without replacement from many: the beginning of a random permutation that is never
 * stored.
 *
 * The permutation is a Feistel network over the product of two ranges, keyed by random words; an
 * image of n or more is permuted again (cycle walking) until it lies below n.
 */
#include "random/random.h"

#include <math.h>

enum { BLOCK = 256, ROUNDS = 8 };

/* 32-bit arithmetic where the product of the ranges allows it. */
static GnpKernel *
find_kernel(int is_wide, GnpDevice *device)
{
    GnpSpec_random_sample spec = {GNP_SPEC(random_sample), .head.wide = is_wide, .ROUNDS = ROUNDS,
                                  .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

static int
launch(const GnpArray *keys, int64_t n, const GnpArray *out)
{
    GnpParams params;
    GnpDevice *device;
    GnpKernel *kernel;
    /* The ranges of the two halves of the Feistel network, as equal as possible; their product is
     * little above n, so few images have to be permuted again. */
    int64_t left = (int64_t)sqrt((double)n), right = gnp_ceil_div(n, left);
    int is_wide = left * right > INT32_MAX;
    int64_t blocks = gnp_ceil_div(out->size, BLOCK);
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(kernel, find_kernel(is_wide, device));
    CUstream stream = gnp_stream_current(device);
    gnp_block_record(keys->block, stream);
    gnp_block_record(out->block, stream);
    gnp_params_init(&params, is_wide);
    gnp_params_add(&params, &out->data, sizeof out->data);
    gnp_params_add(&params, &keys->data, sizeof keys->data);
    gnp_params_index(&params, left);
    gnp_params_index(&params, right);
    gnp_params_index(&params, n);
    gnp_params_index(&params, out->size);
    return gnp_launch_blocks(kernel, blocks, BLOCK, stream, params.arg);
fail:
    return -1;
}

PyDoc_STRVAR(sample_doc,
             "random_sample(keys, n, count, /)\n--\n\n"
             "The first `count` of a random permutation of n > 0, as int64; `keys` are eight\n"
             "random uint64, which choose the order.");

static PyObject *
random_sample(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *out = NULL; /* owned */
    PyObject *ret = NULL; /* returned */
    GnpArray *keys = nargs == 3 && gnp_array_check(args[0]) ? (GnpArray *)args[0] : NULL;
    if (keys == NULL || keys->dtype != GNP_U64 || keys->size != ROUNDS ||
        !(keys->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_TypeError, "random_sample takes eight uint64 and two ints");
        return NULL;
    }
    const int64_t n = PyLong_AsLongLong(args[1]), count = PyLong_AsLongLong(args[2]);
    if (PyErr_Occurred()) {
        return NULL;
    }
    /* 2^62, so that the product of the ranges, which exceeds n a little, fits. */
    if (n < 1 || n > (int64_t)1 << 62 || count < 0 || count > n) {
        PyErr_SetString(PyExc_ValueError, "random_sample: 0 <= count <= n <= 2^62, and n > 0");
        return NULL;
    }
    GNP_NEW(out, gnp_array_new(1, &count, GNP_I64, 'C'));
    if (count > 0) {
        GNP_TRY(launch(keys, n, out));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"random_sample", (PyCFunction)(void (*)(void))random_sample, METH_FASTCALL, sample_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_random_sample_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

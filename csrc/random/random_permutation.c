/* Random permutations: the argsort of random keys. Equal keys (ties) keep the order of their
 * indices when they are sorted, so a second kernel shuffles each run of them; without this
 * tie-breaking the permutations would not be equally likely. */
#include "random/random.h"

enum { BLOCK = 256 };

static int
write_origin(GnpKernelText *text, const void *context)
{
    const GnpSpec_random_tie_breaking *spec = context;
    gnp_text_add(&text->code, "typedef %s Origin;\n",
                 gnp_random_origin_type((GnpOrigin)spec->ORIGIN));
    return 0;
}

static GnpKernel *
find_kernel(GnpOrigin origin, GnpDevice *device)
{
    GnpSpec_random_tie_breaking spec = {GNP_SPEC(random_tie_breaking), .ORIGIN = origin,
                                        .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, write_origin, &spec);
}

/* 32-bit keys have ties from about 2^16 elements on. A thread at the beginning of a run shuffles
 * it; runs are short. */
static int
break_ties(GnpRandomStream *r, GnpArray *keys, GnpArray *indices, GnpDevice *device)
{
    GnpParams params;
    GnpKernel *kernel;
    GNP_NEW(kernel, find_kernel(r->origin, device));
    CUstream stream = gnp_stream_current(device);
    GNP_TRY(gnp_random_begin(r, keys->size, device, stream));
    gnp_block_record(keys->block, stream);
    gnp_block_record(indices->block, stream);
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &keys->data, sizeof keys->data);
    gnp_params_add(&params, &indices->data, sizeof indices->data);
    gnp_random_add_origin(&params, r);
    gnp_params_index(&params, keys->size);
    int64_t blocks = gnp_ceil_div(keys->size, BLOCK);
    /* With states, a thread must not be one of a sequence that another thread uses. */
    int64_t most = gnp_random_threads(r) > 0 ? GNP_RANDOM_SEQUENCES / BLOCK : 1 << 30;
    int status =
        gnp_launch_blocks(kernel, blocks < most ? blocks : most, BLOCK, stream, params.arg);
    return gnp_random_end(r, keys->size, stream, status);
fail:
    return -1;
}

PyDoc_STRVAR(permutation_doc,
             "random_permutation(stream, keys, /)\n--\n\n"
             "Return the argsort of random keys, a C-contiguous uint32 vector, as\n"
             "int64: equal keys are shuffled.");

static PyObject *
random_permutation(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *sorted = NULL, *indices = NULL; /* owned */
    GnpDevice *device;
    PyObject *ret = NULL; /* returned */
    GnpArray *keys = nargs == 2 && gnp_array_check(args[1]) ? (GnpArray *)args[1] : NULL;
    if (keys == NULL || !Py_IS_TYPE(args[0], gnp_random_stream_type) || keys->dtype != GNP_U32 ||
        keys->ndim != 1 || !(keys->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_TypeError,
                        "random_permutation takes a RandomStream and a contiguous uint32 vector");
        return NULL;
    }
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(sorted, gnp_array_new(1, gnp_shape(keys), GNP_U32, 'C'));
    GNP_NEW(indices, gnp_array_new(1, gnp_shape(keys), GNP_I64, 'C'));
    if (keys->size > 0) {
        const GnpSortTask task = {.in = keys->data,
                                  .dtype = GNP_U32,
                                  .rows = 1,
                                  .n = keys->size,
                                  .keys = sorted->data,
                                  .indices = indices->data};
        gnp_block_record(keys->block, gnp_stream_current(device));
        GNP_TRY(gnp_sort_run(&task));
        GNP_TRY(break_ties((GnpRandomStream *)args[0], sorted, indices, device));
    }
    ret = Py_NewRef((PyObject *)indices);
fail:
    Py_XDECREF((PyObject *)sorted);
    Py_XDECREF((PyObject *)indices);
    return ret;
}

static PyMethodDef functions[] = {
    {"random_permutation", (PyCFunction)(void (*)(void))random_permutation, METH_FASTCALL,
     permutation_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_random_permutation_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

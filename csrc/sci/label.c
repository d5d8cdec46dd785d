/* _C.label_components and _C.label_numbers: connected components of an image of flags.
 * gpunp.scipy.ndimage checks the arguments. Union-find on the device (Jaiganesh and Burtscher,
 * "A High-Performance Connected Components Implementation for GPUs", 2018). Python counts the
 * flagged roots between the two functions, by which roots get ascending numbers, as in SciPy. */
#include "sci/sci_internal.h"

#include <string.h>

enum { BLOCK = 256, SIDE = 32 }; /* SIDE: of a tile of the kernel */

/* One call; the arrays that a function does not have stay NULL. */
typedef struct {
    GnpArray *in, *structure, *parents, *roots, *numbers, *out; /* owned or NULL */
    GnpImage image;
    int along;
} Labels;

/* ---- launches -------------------------------------------------------------------------------- */

/* Blocks of a step: for two axes the first two go by tiles, as the kernel says. */
static int64_t
blocks_of(const Labels *l, int step)
{
    int64_t threads = l->image.size;
    if (l->in != NULL && l->in->ndim == 2 && step <= LABEL_JOIN) {
        const int64_t height = l->image.shape[0], width = l->image.shape[1];
        const int64_t down = gnp_ceil_div(height, (int64_t)SIDE),
                      across = gnp_ceil_div(width, (int64_t)SIDE);
        if (step == LABEL_START) {
            return down * across;
        }
        threads = down * width + (across > 1 ? 2 * across * height : 0);
    }
    return gnp_ceil_div(threads, (int64_t)BLOCK);
}

/* Steps with a structure are compiled for the number of axes; the others see a flat array, so
 * they share one kernel. Arrays that a step does not use are null pointers. */
static int
launch(const Labels *l, int step)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    GnpSpec_label spec = {
        GNP_SPEC(label),
        .P = l->parents->dtype,
        .R = step == LABEL_NUMBERS ? l->out->dtype : l->parents->dtype,
        .STEP = step,
        .ND = step == LABEL_START || step == LABEL_JOIN ? l->in->ndim : 1,
        .ALONG = step == LABEL_START || step == LABEL_JOIN ? l->along : 0,
        .BLOCK = BLOCK,
    };
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    GnpArray *const arrays[] = {l->in, l->structure, l->parents, l->roots, l->numbers, l->out};
    CUdeviceptr data[6];
    void *args[7];
    for (int i = 0; i < 6; i++) {
        data[i] = arrays[i] != NULL ? arrays[i]->data : 0;
        args[i] = &data[i];
        if (arrays[i] != NULL) {
            gnp_block_record(arrays[i]->block, stream);
        }
    }
    /* The image last, by value, as the kernel declares it. */
    args[6] = (void *)&l->image;
    return gnp_launch_blocks(kernel, blocks_of(l, step), BLOCK, stream, args);
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A new reference; NULL with an exception. The kernels index flat memory. */
static GnpArray *
take_array(PyObject *object)
{
    if (!gnp_array_check(object)) {
        PyErr_SetString(PyExc_TypeError, "label: gpunp arrays");
        return NULL;
    }
    GnpArray *a = gnp_readable((GnpArray *)object, "label");
    if (a != NULL && !(a->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_ValueError, "label: C-contiguous arrays");
        Py_CLEAR(a);
    }
    return a;
}

/* int32 parents halve the traffic and are possible while indices fit. */
static int
is_of_parents(const GnpArray *parents, const GnpArray *a)
{
    return (parents->dtype == GNP_I64 || (parents->dtype == GNP_I32 && a->size <= INT32_MAX)) &&
           parents->size == a->size;
}

/* The structure has three places along each axis, as SciPy requires. */
static int
check_components(Labels *l)
{
    const int nd = l->in->ndim;
    int64_t places = 1;
    for (int i = 0; i < nd; i++) {
        places *= 3;
    }
    if (nd < 1 || nd > FOOTPRINT_AXES || l->in->dtype != GNP_BOOL ||
        l->structure->dtype != GNP_BOOL || l->structure->size != places ||
        !is_of_parents(l->parents, l->in) || l->roots->dtype != GNP_BOOL ||
        l->roots->size != l->in->size) {
        PyErr_SetString(PyExc_ValueError, "label: shapes and types of the arrays");
        return -1;
    }
    memcpy(l->image.shape, gnp_shape(l->in), (size_t)nd * sizeof(int64_t));
    l->image.size = l->in->size;
    return 0;
}

/* Drops the references of the call and returns `ret`, so each function ends in one line. */
static PyObject *
finish(Labels *l, PyObject *ret)
{
    GnpArray *const arrays[] = {l->in, l->structure, l->parents, l->roots, l->numbers, l->out};
    for (int i = 0; i < 6; i++) {
        Py_XDECREF((PyObject *)arrays[i]);
    }
    return ret;
}

PyDoc_STRVAR(
    label_components_doc,
    "label_components($module, flags, structure, along, parents, roots, /)\n--\n\n"
    "Write into parents the index of the first element of each element's component, -1 for\n"
    "background, and into roots whether an element is the first one. `along` says whether\n"
    "the structure joins neighbours along the last axis.");

/* For gnp_ahead_begin. */
static void
ask_for_others(void *context)
{
    for (int step = LABEL_START + 1; step <= LABEL_ROOTS; step++) {
        (void)launch(context, step);
    }
}

/* Four steps in one stream; each finds the results of the one before. */
static PyObject *
label_components(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Labels l = {.in = NULL};
    PyObject *ret = NULL;
    if (nargs != 5) {
        PyErr_SetString(PyExc_TypeError, "label_components takes five arguments");
        return NULL;
    }
    GNP_NEW(l.in, take_array(args[0]));
    GNP_NEW(l.structure, take_array(args[1]));
    GNP_TRY(l.along = PyObject_IsTrue(args[2]));
    GNP_NEW(l.parents, take_array(args[3]));
    GNP_NEW(l.roots, take_array(args[4]));
    GNP_TRY(check_components(&l));
    /* A union-find on the device: each element begins with the first one of its run as its parent,
     * neighbours are joined, then every element looks up its root. An empty image has no steps. */
    const GnpAhead ahead = {ask_for_others, &l}, *before = gnp_ahead_begin(&ahead);
    int status = 0;
    for (int step = LABEL_START; step <= LABEL_ROOTS && l.image.size > 0 && status == 0; step++) {
        status = launch(&l, step);
    }
    gnp_ahead_end(before);
    GNP_TRY(status);
    GNP_TRY(gnp_write_back(l.parents, args[3]));
    GNP_TRY(gnp_write_back(l.roots, args[4]));
    ret = Py_NewRef(Py_None);
fail:
    return finish(&l, ret);
}

PyDoc_STRVAR(label_numbers_doc,
             "label_numbers($module, parents, numbers, out, /)\n--\n\n"
             "Write into out the number of each element's parent, 0 for background.");

/* `numbers` has the number of each root at the root's index. */
static PyObject *
label_numbers(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Labels l = {.in = NULL};
    PyObject *ret = NULL;
    if (nargs != 3) {
        PyErr_SetString(PyExc_TypeError, "label_numbers takes three arguments");
        return NULL;
    }
    GNP_NEW(l.parents, take_array(args[0]));
    GNP_NEW(l.numbers, take_array(args[1]));
    GNP_NEW(l.out, take_array(args[2]));
    if (!is_of_parents(l.parents, l.out) || l.numbers->dtype != l.parents->dtype ||
        l.numbers->size != l.parents->size) {
        PyErr_SetString(PyExc_ValueError, "label: shapes and types of the arrays");
        goto fail;
    }
    l.image.size = l.out->size;
    if (l.image.size > 0) {
        GNP_TRY(launch(&l, LABEL_NUMBERS));
    }
    GNP_TRY(gnp_write_back(l.out, args[2]));
    ret = Py_NewRef(args[2]);
fail:
    return finish(&l, ret);
}

static PyMethodDef functions[] = {
    {"label_components", (PyCFunction)(void (*)(void))label_components, METH_FASTCALL,
     label_components_doc},
    {"label_numbers", (PyCFunction)(void (*)(void))label_numbers, METH_FASTCALL, label_numbers_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_label_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* _C.label_components and _C.label_numbers: connected components of an image of flags.
 * gpunp.scipy.ndimage checks the arguments. Union-find on the device (Jaiganesh and Burtscher,
 * "A High-Performance Connected Components Implementation for GPUs", 2018). Python adds the counts
 * of roots between the two functions, by which roots get ascending numbers, as in SciPy. */
#include "sci/sci_internal.h"

#include <string.h>

/* As in the kernel: the side of a tile, which a warp has; elements of a thread; and of a word. */
enum { BLOCK = 256, SIDE = 32, EACH = 4, WORD = 32 };

/* One call; the arrays that a function does not have stay NULL. */
typedef struct {
    GnpArray *in, *structure, *parents, *roots, *counts, *out; /* owned or NULL */
    GnpImage image;
    int along;
} Labels;

/* ---- launches -------------------------------------------------------------------------------- */

/* Blocks of a step: for two axes the first two go by tiles, as the kernel says. */
static int64_t
blocks_of(const Labels *l, int step)
{
    int64_t threads = l->image.size;
    if (step >= LABEL_ROOTS) {
        threads = gnp_ceil_div(threads, (int64_t)EACH);
    }
    else if (l->in->ndim == 2) {
        const int64_t height = l->image.shape[0], width = l->image.shape[1];
        const int64_t down = gnp_ceil_div(height, (int64_t)SIDE),
                      across = gnp_ceil_div(width, (int64_t)SIDE);
        threads =
            step == LABEL_START ? down * across * 32 : (down - 1) * width + (across - 1) * height;
    }
    return gnp_ceil_div(threads, (int64_t)BLOCK);
}

/* Steps with a structure are compiled for the number of axes; the others see a flat array, so
 * they share one kernel. Arrays that a step does not use are null pointers. */
static int
launch(const Labels *l, int step)
{
    GnpDevice *device = gnp_device_current();
    const int64_t blocks = blocks_of(l, step);
    if (device == NULL || blocks == 0) { /* a single tile meets no other */
        return device == NULL ? -1 : 0;
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
    /* The image last, by value, as the kernel declares it. */
    return gnp_launch_arrays(&(GnpArrayLaunch){
        .spec = &spec.head,
        .blocks = blocks,
        .threads = BLOCK,
        .narrays = 6,
        .array = {l->in, l->structure, l->parents, l->roots, l->counts, l->out},
        .value = {&l->image},
    });
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

/* A bit for each element, and a sum for each word of them. */
static int
are_of_roots(const GnpArray *parents, const GnpArray *roots, const GnpArray *counts)
{
    const int64_t words = gnp_ceil_div(parents->size, (int64_t)WORD);
    return roots->dtype == GNP_U32 && roots->size == words && counts->dtype == parents->dtype &&
           counts->size == words;
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
        !is_of_parents(l->parents, l->in) || !are_of_roots(l->parents, l->roots, l->counts)) {
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
    GnpArray *const arrays[] = {l->in, l->structure, l->parents, l->roots, l->counts, l->out};
    for (int i = 0; i < 6; i++) {
        Py_XDECREF((PyObject *)arrays[i]);
    }
    return ret;
}

PyDoc_STRVAR(
    label_components_doc,
    "label_components($module, flags, structure, along, parents, roots, counts, /)\n--\n\n"
    "Write into parents the index of the first element of each element's component, -1 for\n"
    "background; into roots, a bit for each element, whether it is the first one; and into counts\n"
    "how many are in each word of 32 bits. `along` says whether the structure joins neighbours\n"
    "along the last axis.");

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
    if (nargs != 6) {
        PyErr_SetString(PyExc_TypeError, "label_components takes six arguments");
        return NULL;
    }
    GNP_NEW(l.in, take_array(args[0]));
    GNP_NEW(l.structure, take_array(args[1]));
    GNP_TRY(l.along = PyObject_IsTrue(args[2]));
    GNP_NEW(l.parents, take_array(args[3]));
    GNP_NEW(l.roots, take_array(args[4]));
    GNP_NEW(l.counts, take_array(args[5]));
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
    GNP_TRY(gnp_write_back(l.counts, args[5]));
    ret = Py_NewRef(Py_None);
fail:
    return finish(&l, ret);
}

PyDoc_STRVAR(
    label_numbers_doc,
    "label_numbers($module, parents, roots, counts, out, /)\n--\n\n"
    "Write into out the number of each element's parent, 0 for background. `counts` are the\n"
    "roots up to the end of each word.");

/* Roots are numbered in ascending order: those before a word, and those before it in the word. */
static PyObject *
label_numbers(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Labels l = {.in = NULL};
    PyObject *ret = NULL;
    if (nargs != 4) {
        PyErr_SetString(PyExc_TypeError, "label_numbers takes four arguments");
        return NULL;
    }
    GNP_NEW(l.parents, take_array(args[0]));
    GNP_NEW(l.roots, take_array(args[1]));
    GNP_NEW(l.counts, take_array(args[2]));
    GNP_NEW(l.out, take_array(args[3]));
    if (!is_of_parents(l.parents, l.out) || !are_of_roots(l.parents, l.roots, l.counts)) {
        PyErr_SetString(PyExc_ValueError, "label: shapes and types of the arrays");
        goto fail;
    }
    l.image.size = l.out->size;
    if (l.image.size > 0) {
        GNP_TRY(launch(&l, LABEL_NUMBERS));
    }
    GNP_TRY(gnp_write_back(l.out, args[3]));
    ret = Py_NewRef(args[3]);
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

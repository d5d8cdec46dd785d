/* _C.pad: pads an array along all axes in one launch, with a constant, the edge, reflections or
 * periodic repetition. gpunp.pad checks the arguments; gpunp.roll is periodic padding too.
 *
 * Every element of the result computes where it comes from, so all modes are one gather.
 *
 * No wait, and one launch for any number of axes. A Frame is the problem in its simplest form:
 * axes merged, elements joined into items of up to 16 bytes.
 */
#include "select/select.h"

#include <string.h>

enum { BLOCK = 256 };

/* In the order of rule_names and of the kernel's enumeration. */
typedef enum PadRule Rule;
enum { NRULES = PAD_SYMMETRIC + 1 };
static const char *const rule_names[] = {"constant", "edge", "wrap", "reflect", "symmetric"};

/* As kernels/select/pad.cu has it, fastest axis first, in items. */
typedef struct {
    int naxes, item;
    int64_t size[GNP_MAX_DIMS], before[GNP_MAX_DIMS], length[GNP_MAX_DIMS], step[GNP_MAX_DIMS];
} Frame;

/* ---- the normal form ------------------------------------------------------------------------- */

/* The axis is not padded, so it can be merged with its neighbours. */
static int
is_whole(const Frame *f, int axis)
{
    return f->before[axis] == 0 && f->size[axis] == f->length[axis];
}

/* Appends the next slower axis, merged with the one before where that is not padded and contiguous
 * with it. Reflections and edges do not commute with merging, constants and wrapping do. */
static void
frame_add(Frame *f, Rule rule, int64_t size, int64_t before, int64_t length, int64_t step)
{
    int last = f->naxes - 1, is_same = before == 0 && size == length;
    /* An axis of one element has no step that would be taken. */
    if (size == 1 && is_same) {
        return;
    }
    if (last >= 0 && is_whole(f, last) && step == f->step[last] * f->length[last] &&
        (is_same || rule == PAD_CONSTANT || rule == PAD_WRAP)) {
        int64_t n = f->length[last];
        f->size[last] = size * n;
        f->before[last] = before * n;
        f->length[last] = length * n;
        return;
    }
    f->size[f->naxes] = size;
    f->before[f->naxes] = before;
    f->length[f->naxes] = length;
    f->step[f->naxes++] = step;
}

/* Several elements as one item, where all offsets and lengths allow it. */
static void
frame_widen(Frame *f, Rule rule, CUdeviceptr data)
{
    int bytes = f->item, item = 16;
    if (f->naxes == 0 || f->step[0] != bytes ||
        !(is_whole(f, 0) || rule == PAD_CONSTANT || rule == PAD_WRAP)) {
        return;
    }
    /* One OR holds the low bits of all boundaries along the fastest axis, and of the steps of
     * the others. */
    uint64_t places = data | (uint64_t)((f->size[0] | f->before[0] | f->length[0]) * bytes);
    for (int axis = 1; axis < f->naxes; axis++) {
        places |= (uint64_t)f->step[axis];
    }
    while (item > bytes && places % (uint64_t)item != 0) {
        item /= 2;
    }
    if (item > bytes) {
        int together = item / bytes;
        f->size[0] /= together;
        f->before[0] /= together;
        f->length[0] /= together;
        f->step[0] = f->item = item;
    }
}

/* Sorted by the result's strides, so that threads write contiguously. */
static Frame
make_frame(const GnpArray *a, const GnpArray *out, const int64_t *before, Rule rule)
{
    Frame f = {.item = (int)gnp_itemsize(a)};
    int order[GNP_MAX_DIMS];
    for (int i = 0; i < out->ndim; i++) { /* slowest last; a C array's axes stay as they are */
        int axis = out->ndim - 1 - i, j = i;
        for (; j > 0 && gnp_strides(out)[order[j - 1]] > gnp_strides(out)[axis]; j--) {
            order[j] = order[j - 1];
        }
        order[j] = axis;
    }
    for (int i = 0; i < out->ndim; i++) {
        int axis = order[i];
        frame_add(&f, rule, gnp_shape(out)[axis], before[axis], gnp_shape(a)[axis],
                  gnp_strides(a)[axis]);
    }
    return f;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The knobs of the kernel. */
typedef struct {
    Rule rule;
    int item, naxes, width, wide;
} Plan;

/* The length of a missing axis is 1 (k == 1), so that the modulus is defined. */
static void
add_frame(GnpParams *params, const Frame *f, int naxes)
{
    const int64_t *const lists[] = {f->before, f->length, f->step};
    gnp_params_divisor(params, f->naxes > 0 ? f->size[0] : 1);
    for (int i = 1; i < naxes; i++) {
        gnp_params_more_divisor(params, i < f->naxes ? f->size[i] : 1);
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < naxes; i++) {
            gnp_params_more_index(params, i < f->naxes ? lists[k][i] : k == 1);
        }
    }
}

/* The value's bytes, as often as they fit into a slot. Wider items than the element need the value
 * repeated. */
static void
fill_slot(char *slot, const GnpScalar *value, int bytes)
{
    for (int at = 0; at < 16; at += bytes) {
        memcpy(slot + at, value->bits, (size_t)bytes);
    }
}

/* Reads may lie anywhere in the source, hence its own reach. */
static int
launch(const GnpArray *a, GnpArray *out, const Frame *f, Rule rule, const GnpScalar *value)
{
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    char slot[16];
    GnpParams params;
    GnpKernel *kernel;
    int64_t n = 1, reach = 0;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    for (int axis = 0; axis < f->naxes; axis++) {
        int64_t way = f->step[axis] < 0 ? -f->step[axis] : f->step[axis];
        n *= f->size[axis];
        reach += f->length[axis] * way;
    }
    /* Small items: 8 bytes per thread, as each item is a read of its own. */
    Plan plan = {.rule = rule,
                 .item = f->item,
                 .naxes = gnp_axes_class(f->naxes),
                 .width = f->item >= 4 ? 16 / f->item : 8 / f->item,
                 .wide = n > limit || reach > limit};
    GnpSpec_pad spec = {GNP_SPEC(pad),    .head.wide = plan.wide, .Item = plan.item,
                        .ND = plan.naxes, .RULE = plan.rule,      .WIDTH = plan.width,
                        .BLOCK = BLOCK};
    kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel == NULL) {
        return -1;
    }
    fill_slot(slot, value, (int)gnp_itemsize(out));
    gnp_block_record(a->block, stream);
    gnp_block_record(out->block, stream);
    gnp_params_init(&params, plan.wide);
    gnp_params_add(&params, &out->data, sizeof out->data);
    gnp_params_add(&params, &a->data, sizeof a->data);
    gnp_params_add(&params, slot, sizeof slot);
    add_frame(&params, f, plan.naxes);
    gnp_params_index(&params, n);
    return gnp_launch_blocks(kernel, gnp_ceil_div(n, (int64_t)BLOCK * plan.width), BLOCK, stream,
                             params.arg);
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Python has computed them, so they are ints. */
static int
take_sizes(PyObject *tuple, int ndim, int64_t *sizes)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != ndim) {
        PyErr_SetString(PyExc_TypeError, "pad() takes a tuple with a number for each axis");
        return -1;
    }
    for (int axis = 0; axis < ndim; axis++) {
        sizes[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, axis));
        if (sizes[axis] == -1 && PyErr_Occurred()) {
            return -1;
        }
    }
    return 0;
}

/* A name instead of a number, as calls of private functions stay readable. */
static int
take_rule(PyObject *text, Rule *rule)
{
    for (int k = 0; k < NRULES; k++) {
        if (PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, rule_names[k]) == 0) {
            *rule = (Rule)k;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "pad() has no rule %R", text);
    return -1;
}

PyDoc_STRVAR(
    pad_doc,
    "pad(a, before, shape, rule, value)\n--\n\n"
    "Return an array of `shape` in which `a` begins at `before`; around it stands `value`\n"
    "(rule 'constant'; zeros of structures, whatever the value), or what the rule 'edge',\n"
    "'wrap', 'reflect' or 'symmetric' names.\n"
    "Of the shape of `a` it has the memory order of `a`; else F order if `a` has, or C.");

/* roll() passes offsets and the same shape; the result then keeps the order of the axes. */
static PyObject *
pad(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("pad(a, before, shape, rule, value)");
    PyObject *bound[5], *ret = NULL;
    int64_t before[GNP_MAX_DIMS], shape[GNP_MAX_DIMS];
    GnpArray *a = NULL, *words = NULL, *out = NULL; /* owned */
    GnpScalar value = {{0, 0}};
    Rule rule;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    if (!gnp_array_check(bound[0])) {
        PyErr_SetString(PyExc_TypeError, "pad() takes a gpunp array");
        goto fail;
    }
    GnpArray *given = (GnpArray *)bound[0];
    const int structured = gnp_is_structured(given->dtype);
    GNP_TRY(take_sizes(bound[1], given->ndim, before));
    GNP_TRY(take_sizes(bound[2], given->ndim, shape));
    GNP_TRY(take_rule(bound[3], &rule));
    if (structured) { /* elements as words, whose axis is not padded */
        const int64_t end = gnp_itemsize(given), word = gnp_word_bytes(given, 0, end);
        GNP_NEW(words, gnp_words(given, 0, end, word));
        before[given->ndim] = 0;
        shape[given->ndim] = end / word;
    }
    GNP_NEW(a, gnp_readable_any(structured ? words : given, "pad"));
    GNP_TRY(structured ? 0 : gnp_scalar_from_object(bound[4], (GnpDtype)a->dtype, &value));
    int same = memcmp(shape, gnp_shape(a), (size_t)a->ndim * sizeof *shape) == 0;
    int is_f = (a->flags & GNP_F_CONTIGUOUS) && !(a->flags & GNP_C_CONTIGUOUS);
    GNP_NEW(out, same ? gnp_array_new_like(a, (GnpDtype)a->dtype, 'K')
                      : gnp_array_new(a->ndim, shape, (GnpDtype)a->dtype, is_f ? 'F' : 'C'));
    if (a->size == 0 && out->size > 0 && rule != PAD_CONSTANT) {
        PyErr_SetString(PyExc_ValueError, "pad() cannot extend an empty axis by this rule");
        goto fail;
    }
    if (out->size > 0) {
        Frame f = make_frame(a, out, before, rule);
        frame_widen(&f, rule, a->data);
        GNP_TRY(launch(a, out, &f, rule, &value));
    }
    ret = Py_NewRef((PyObject *)out);
    if (structured) {
        ret = (PyObject *)gnp_array_from_words((GnpArray *)ret, (GnpDtype)given->dtype);
    }
fail:
    Py_XDECREF((PyObject *)a);
    Py_XDECREF((PyObject *)words);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"pad", GNP_FAST(pad), METH_FASTCALL | METH_KEYWORDS, pad_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_pad_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

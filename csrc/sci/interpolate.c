/* _C.interpolate: splines at coordinates, or at an affine map of the indices, in one launch.
 * gpunp.scipy.ndimage checks the arguments. Used by map_coordinates, affine_transform, zoom,
 * shift and rotate. The map of each kind is computed in the kernel, in float64 and in SciPy's
 * order of operations, since a last bit decides on which side of a border a coordinate lies. */
#include "sci/sci_internal.h"

enum { BLOCK = 256, EACH = 4, WIDEST = 32 };
/* From this many outputs on, a thread has twice as many: what it finds out once counts for more
 * than further blocks. */
enum { MANY = 1 << 22 };

/* One call. `axes` counts those that are interpolated along; the others are copied. */
typedef struct {
    GnpArray *in, *out, *coordinates; /* owned; coordinates may be NULL */
    GnpDtype loop;
    GnpInterpolation map;
    int kind, order, axes; /* axes that are interpolated along */
    GnpScalar beyond;
} Task;

/* ---- the launch ------------------------------------------------------------------------------ */

/* A block's tile of the last two axes, and the number of blocks. Tiles of the last two axes keep
 * neighbouring outputs in a block, whose inputs overlap in the cache; coordinates in memory have
 * no such neighbourhood and are taken in their order. The width is a power of two, so that the
 * kernel divides by a shift. */
static int64_t
cut_into_tiles(Task *t)
{
    GnpInterpolation *m = &t->map;
    const int64_t naxes = m->naxes;
    const int each = t->out->size >= MANY ? 2 * EACH : EACH;
    m->size = t->out->size;
    if (t->kind == INTERPOLATE_COORDINATES) {
        m->each = each;
        return gnp_ceil_div(m->size, (int64_t)BLOCK * each);
    }
    /* The narrowest tile that covers the last axis, so that few threads are left without an
     * output. */
    const int64_t widest = naxes > 1 ? WIDEST : BLOCK;
    for (m->width_bits = 0; 1 << m->width_bits < widest; m->width_bits++) {
        if (1 << m->width_bits >= m->outputs[naxes - 1].size) {
            break;
        }
    }
    m->each = naxes > 1 ? each : 1;
    int64_t blocks = gnp_ceil_div(m->outputs[naxes - 1].size, (int64_t)1 << m->width_bits);
    for (int64_t i = 0; i < naxes - 1; i++) {
        const int64_t size = m->outputs[i].size;
        /* The axis before the last is cut into tiles, too; those before have one tile per index. */
        blocks *= i == naxes - 2 ? gnp_ceil_div(size, (BLOCK >> m->width_bits) * m->each) : size;
    }
    return blocks;
}

/* The kernel is specialised for the kind, the axes and the order, as they are loop bounds. */
static int
launch(Task *t)
{
    GnpSpec_interpolate spec = {
        GNP_SPEC(interpolate),
        .head.wide = t->in->size > INT32_MAX || t->out->size > INT32_MAX,
        .S = t->in->dtype,
        .R = t->out->dtype,
        .A = t->loop,
        .C = t->coordinates != NULL ? t->coordinates->dtype : GNP_F64,
        .KIND = t->kind,
        .ND = t->axes,
        .UNIT = t->map.inputs[t->axes - 1].step == 1,
        .ORDER = t->order,
        .BLOCK = BLOCK,
    };
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = cut_into_tiles(t),
                                               .threads = BLOCK,
                                               .narrays = 3,
                                               .array = {t->out, t->in, t->coordinates},
                                               .value = {&t->map, &t->beyond}});
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Both in the order of enumerations in the kernel. */
static const char *const kinds[] = {"coordinates", "stored", "matrix", "zoom", "grid"};
static const char *const modes[] = {"constant", "grid-constant", "nearest",  "mirror",
                                    "reflect",  "wrap",          "grid-wrap"};

/* The axes of the input that are interpolated along, in order; `is_sampled` of all. Steps are in
 * elements of the C-contiguous input. */
static int
take_inputs(Task *t, PyObject *axes, int64_t *is_sampled)
{
    int64_t steps[IMAGE_AXES], step = 1;
    const Py_ssize_t count = PyTuple_Check(axes) ? PyTuple_GET_SIZE(axes) : 0;
    if (count < 1 || count > INTERPOLATE_AXES || t->in->ndim > IMAGE_AXES) {
        PyErr_Format(PyExc_ValueError, "interpolation is along 1 to %d axes of %d at most",
                     INTERPOLATE_AXES, IMAGE_AXES);
        return -1;
    }
    for (int i = t->in->ndim - 1; i >= 0; step *= gnp_shape(t->in)[i], i--) {
        steps[i] = step;
        is_sampled[i] = 0;
    }
    t->axes = (int)count;
    for (Py_ssize_t k = 0; k < count; k++) {
        const int64_t axis = PyLong_AsLongLong(PyTuple_GET_ITEM(axes, k));
        if (PyErr_Occurred()) {
            return -1;
        }
        if (axis < 0 || axis >= t->in->ndim || is_sampled[axis]) {
            PyErr_SetString(PyExc_ValueError, "interpolate: different axes");
            return -1;
        }
        /* Its place among the axes, from 1: 0 is an axis that is only copied along. */
        is_sampled[axis] = 1 + k;
        t->map.inputs[k].length = gnp_shape(t->in)[axis];
        t->map.inputs[k].last = (double)(gnp_shape(t->in)[axis] - 1);
        t->map.inputs[k].step = steps[axis];
    }
    return 0;
}

/* The axes of the output: those of the input where only some are interpolated along. Returns the
 * number of columns of the matrix, or -1. A column of the matrix belongs to each axis of the
 * output that the coordinates depend on. */
static int
take_outputs(Task *t, const int64_t *is_sampled)
{
    GnpInterpolation *m = &t->map;
    const int is_partial = t->axes < t->in->ndim;
    int64_t step = 1;
    int columns = 0;
    m->naxes = t->out->ndim;
    if (t->out->ndim < 1 || t->out->ndim > IMAGE_AXES ||
        ((is_partial || t->kind > INTERPOLATE_MATRIX) && t->out->ndim != t->in->ndim)) {
        PyErr_SetString(PyExc_ValueError, "interpolate: number of axes");
        return -1;
    }
    for (int i = 0; i < t->out->ndim; i++) {
        const int is_column = !is_partial || is_sampled[i] > 0;
        m->outputs[i].size = gnp_shape(t->out)[i];
        m->outputs[i].column = is_column ? columns++ : -1;
        if (!is_column && gnp_shape(t->in)[i] != m->outputs[i].size) {
            PyErr_SetString(PyExc_ValueError, "interpolate: shapes differ along other axes");
            return -1;
        }
    }
    /* An axis that is not interpolated along moves through the input in step with the output. */
    for (int i = t->out->ndim - 1; i >= 0 && is_partial; step *= gnp_shape(t->in)[i], i--) {
        m->outputs[i].step = step;
    }
    /* The kernel's matrix has so many columns. */
    if (columns > INTERPOLATE_AXES) {
        PyErr_Format(PyExc_ValueError, "interpolation is to %d axes at most", INTERPOLATE_AXES);
        return -1;
    }
    return columns;
}

/* Rows of the matrix, each with its offset last. Without a full matrix (zoom, grid) a row is a
 * factor and an offset. */
static int
take_matrix(Task *t, PyObject *numbers, int columns)
{
    const int width = t->kind == INTERPOLATE_MATRIX ? columns : 1;
    if (!PyTuple_Check(numbers) || PyTuple_GET_SIZE(numbers) != t->axes * (width + 1)) {
        PyErr_SetString(PyExc_ValueError, "interpolate: a row of numbers for each axis");
        return -1;
    }
    for (int i = 0; i < t->axes * (width + 1); i++) {
        GnpInputAxis *axis = &t->map.inputs[i / (width + 1)];
        const int k = i % (width + 1);
        *(k < width ? &axis->matrix[k] : &axis->offset) =
            PyFloat_AsDouble(PyTuple_GET_ITEM(numbers, i));
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* A stored matrix lies on the device, so that it is not read back by the host. */
static int
check_coordinates(const Task *t)
{
    const GnpArray *c = t->coordinates;
    const int is_matrix = t->kind == INTERPOLATE_STORED;
    const int64_t columns = is_matrix ? t->out->ndim + 1 : t->out->size;
    if (c == NULL || t->axes != t->in->ndim || c->size != t->axes * columns ||
        !(c->flags & GNP_C_CONTIGUOUS) ||
        (c->dtype != GNP_F64 && (is_matrix || c->dtype != GNP_F32))) {
        PyErr_SetString(PyExc_ValueError,
                        "interpolate: coordinates of each output on each axis, or a matrix");
        return -1;
    }
    return 0;
}

/* An empty input has no element to read; orders above 5 have no spline filter in SciPy. */
static int
check(const Task *t)
{
    if (!(t->out->flags & GNP_C_CONTIGUOUS) || !(t->in->flags & GNP_C_CONTIGUOUS) ||
        (t->in->size == 0 && t->out->size > 0) || t->order < 0 || t->order > 5 || t->map.pad < 0) {
        PyErr_SetString(PyExc_ValueError, "interpolate: C-contiguous arrays, an order up to 5");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(
    interpolate_doc,
    "interpolate($module, a, out, coordinates, axes, kind, numbers, order, mode, pad,\n"
    "            cval, dtype, /)\n--\n\n"
    "Write into out the values of splines with the coefficients a, interpolated along the\n"
    "axes at coordinates or at what the numbers make of the indices, computed in dtype.");

enum { IN, OUT, COORDINATES, AXES, KIND, NUMBERS, ORDER, MODE, PAD, CVAL, DTYPE, COUNT };

/* The order matters: the kind decides which of the other arguments are looked at. */
static int
take_task(Task *t, PyObject *const *args)
{
    int64_t is_sampled[IMAGE_AXES];
    int mode;
    if (gnp_int_from_object(args[ORDER], "order", &t->order) < 0) {
        return -1;
    }
    t->map.pad = (double)PyLong_AsLongLong(args[PAD]);
    if (PyErr_Occurred() || gnp_name_from_object(args[KIND], kinds, 5, &t->kind) < 0 ||
        gnp_name_from_object(args[MODE], modes, 7, &mode) < 0 ||
        gnp_scalar_from_object(args[CVAL], t->loop, &t->beyond) < 0 || check(t) < 0 ||
        take_inputs(t, args[AXES], is_sampled) < 0) {
        return -1;
    }
    t->map.mode = mode;
    if (t->kind <= INTERPOLATE_STORED && check_coordinates(t) < 0) {
        return -1;
    }
    if (t->kind == INTERPOLATE_COORDINATES) {
        return 0;
    }
    const int columns = take_outputs(t, is_sampled);
    /* The kernel reads a stored matrix by itself. */
    if (columns < 0 || t->kind == INTERPOLATE_STORED) {
        return columns < 0 ? -1 : 0;
    }
    return take_matrix(t, args[NUMBERS], columns);
}

/* The output is written as a whole; which of the other arrays are needed depends on the kind. */
static PyObject *
interpolate(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Task t = {.in = NULL};
    PyObject *ret = NULL;
    if (nargs != COUNT || !gnp_array_check(args[IN]) || !gnp_array_check(args[OUT]) ||
        (args[COORDINATES] != Py_None && !gnp_array_check(args[COORDINATES]))) {
        PyErr_SetString(PyExc_TypeError, "interpolate takes arrays, numbers and names");
        return NULL;
    }
    t.loop = gnp_dtype_from_object(args[DTYPE]);
    if (t.loop == GNP_NO_DTYPE) {
        return NULL;
    }
    GNP_NEW(t.in, gnp_readable((GnpArray *)args[IN], "interpolate"));
    GNP_NEW(t.out, gnp_readable((GnpArray *)args[OUT], "interpolate"));
    if (args[COORDINATES] != Py_None) {
        GNP_NEW(t.coordinates, gnp_readable((GnpArray *)args[COORDINATES], "interpolate"));
    }
    GNP_TRY(take_task(&t, args));
    if (t.out->size > 0) {
        GNP_TRY(launch(&t));
    }
    GNP_TRY(gnp_write_back(t.out, args[OUT]));
    ret = Py_NewRef(args[OUT]);
fail:
    Py_XDECREF((PyObject *)t.in);
    Py_XDECREF((PyObject *)t.out);
    Py_XDECREF((PyObject *)t.coordinates);
    return ret;
}

static PyMethodDef functions[] = {
    {"interpolate", (PyCFunction)(void (*)(void))interpolate, METH_FASTCALL, interpolate_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_interpolate_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

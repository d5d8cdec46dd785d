/* ReductionKernel: the type and its call.
 *
 * A call broadcasts the inputs, determines types and axes, allocates the outputs, and is planned in
 * reduction_source.c as the library's own reductions are.
 *
 * Runs with the GIL, except where a kernel is compiled. As for ElementwiseKernel, all references of
 * a call are in Call and are dropped at its end.
 *
 * The instance owns its texts as Python objects, for the attributes, and as C strings (code),
 * for the source. Compiled kernels are found in code.variants, which is freed with the instance.
 */
#include "user/reduction_kernel.h"

#include <structmember.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD GnpReductionCode code;
    PyObject *name, *map_expr, *reduce_expr, *post_map_expr, *identity, *reduce_type, *preamble,
        *options, *in_params, *out_params, *params; /* owned */
    int reduce_dims;
    vectorcallfunc vectorcall;
} ReductionKernel;

static PyTypeObject *kernel_type; /* owned, for the life of the process */

/* ---- a call ---------------------------------------------------------------------------------- */

/* One call, on the stack of the calling thread. Freed fields are `array` and `foreign`; all
 * other objects are borrowed from the caller's arguments, which outlive the call. */
typedef struct {
    ReductionKernel *kernel;
    const GnpKernelParams *params;
    PyObject *arg[GNP_MAX_USER_PARAMS];     /* borrowed; NULL: an output to be allocated */
    GnpArray *array[GNP_MAX_USER_PARAMS];   /* owned; NULL: a scalar */
    GnpArray *foreign[GNP_MAX_USER_PARAMS]; /* owned: `arg` as an array of ours, or NULL */
    GnpScalar scalar[GNP_MAX_USER_PARAMS];
    int8_t type[GNP_MAX_PLACEHOLDERS];
    PyObject *axis, *out, *dtype, *stream_object;
    int keepdims;
    GnpDevice *device;
    int ndim, nreduced;
    int64_t shape[GNP_MAX_DIMS];
    unsigned char reduced[GNP_MAX_DIMS];
} Call;

/* Compares names by hand instead of binding a signature, because the number of positional
 * arguments differs from kernel to kernel. None means the default for every keyword. */
static int
take_keywords(Call *c, PyObject *const *values, PyObject *kwnames)
{
    /* block_size is accepted as CuPy has it, and not used: blocks have the size of the library's
     * reductions. */
    static const char *const names[] = {"axis", "out", "keepdims", "stream", "dtype", "block_size"};
    PyObject *given[6] = {NULL};
    Py_ssize_t nkeys = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t k = 0; k < nkeys; k++) {
        int found = 0;
        for (int j = 0; j < 6; j++) {
            if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), names[j]) == 0) {
                given[j] = values[k] != Py_None ? values[k] : NULL;
                found = 1;
            }
        }
        if (!found) {
            PyErr_Format(PyExc_TypeError, "%U: unexpected keyword argument '%U'", c->kernel->name,
                         PyTuple_GET_ITEM(kwnames, k));
            return -1;
        }
    }
    c->axis = given[0];
    c->out = given[1];
    c->keepdims = given[2] != NULL ? PyObject_IsTrue(given[2]) : 0;
    c->stream_object = given[3];
    c->dtype = given[4];
    return c->keepdims < 0 ? -1 : 0;
}

/* The message lists the names of the inputs, since the count alone does not tell which is
 * missing. */
static int
bad_count(const Call *c, Py_ssize_t nargs)
{
    const GnpKernelParams *p = c->params;
    GnpText t = {0}; /* owned */
    for (int k = 0; k < p->nin; k++) {
        gnp_text_add(&t, "%s%s", k > 0 ? ", " : "", p->param[k].name);
    }
    if (gnp_text_finish(&t) == 0) {
        PyErr_Format(PyExc_TypeError,
                     "wrong number of arguments for kernel %U: it takes %d (%s), or %d with the "
                     "outputs, got %zd",
                     c->kernel->name, p->nin, t.text != NULL ? t.text : "", p->n, nargs);
    }
    gnp_text_clear(&t);
    return -1;
}

/* Takes argument k: an array of ours, an object with __cuda_array_interface__, which is wrapped
 * without a copy so that outputs are written in place, or a number. NumPy arrays are refused:
 * they are in host memory, and no transfer happens without the user's request. */
static int
take_one(Call *c, int k)
{
    const GnpKernelParam *param = &c->params->param[k];
    PyObject *object = c->arg[k];
    if (gnp_array_check(object)) {
        c->array[k] = (GnpArray *)Py_NewRef(object);
    }
    else if (!gnp_is_numpy_array(object) &&
             PyObject_HasAttr(object, gnp_state.str___cuda_array_interface__)) {
        GNP_NEW(c->array[k], gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_NEVER, 'K'));
        c->foreign[k] = (GnpArray *)Py_NewRef(c->array[k]);
        c->arg[k] = (PyObject *)c->array[k];
    }
    else if (param->is_output ||
             (gnp_weak_kind(object) == GNP_WEAK_NONE && !gnp_is_numpy_scalar(object))) {
        return gnp_params_refuse(c->kernel->name, param, object);
    }
    if (c->array[k] != NULL && c->array[k]->device_id != c->device->id) {
        int allowed = gnp_peer_guest(c->device, c->array[k]->block);
        if (allowed != 0) {
            return allowed < 0 ? -1 : 0;
        }
        PyErr_Format(PyExc_ValueError,
                     "%U: argument '%s' is on device %d, the current device is %d", c->kernel->name,
                     param->name, c->array[k]->device_id, c->device->id);
        goto fail;
    }
    return 0;
fail:
    return -1;
}

/* Positional outputs and out= are two ways to pass the same arrays, so both at once are refused. */
static int
take_arguments(Call *c, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    const GnpKernelParams *p = c->params;
    if (nargs != p->nin && nargs != p->n) {
        return bad_count(c, nargs);
    }
    if (take_keywords(c, args + nargs, kwnames) < 0) {
        return -1;
    }
    for (int k = 0; k < p->n; k++) {
        c->arg[k] = k < nargs ? args[k] : NULL;
    }
    if (c->out != NULL && nargs > p->nin) {
        PyErr_Format(PyExc_ValueError,
                     "%U: cannot specify 'out' as both a positional and keyword argument",
                     c->kernel->name);
        return -1;
    }
    /* A single array for out= is the first output; the others are allocated. */
    if (c->out != NULL && PyTuple_Check(c->out)) {
        if (PyTuple_GET_SIZE(c->out) != p->nout) {
            PyErr_Format(PyExc_ValueError, "%U: out must have one array for each of the %d outputs",
                         c->kernel->name, p->nout);
            return -1;
        }
        for (int k = 0; k < p->nout; k++) {
            c->arg[p->nin + k] = PyTuple_GET_ITEM(c->out, k);
        }
    }
    else if (c->out != NULL) {
        c->arg[p->nin] = c->out;
    }
    for (int k = 0; k < p->n; k++) {
        if (c->arg[k] != NULL && take_one(c, k) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Arrays decide the placeholders' types; then dtype= replaces those of new outputs. Scalars are
 * converted last, since their type follows from both. */
static int
take_types(Call *c)
{
    const GnpKernelParams *p = c->params;
    GnpDtype wanted = GNP_NO_DTYPE;
    if (gnp_params_types(p, c->kernel->name, c->arg, c->type) < 0) {
        return -1;
    }
    /* Read before outputs are looked at, so that a wrong dtype is an error in any case. */
    if (c->dtype != NULL && (wanted = gnp_dtype_from_object(c->dtype)) == GNP_NO_DTYPE) {
        return -1;
    }
    /* dtype= decides outputs that are not passed. */
    for (int k = p->nin; wanted != GNP_NO_DTYPE && k < p->n; k++) {
        if (p->param[k].placeholder >= 0 && c->array[k] == NULL) {
            c->type[p->param[k].placeholder] = (int8_t)wanted;
        }
    }
    for (int k = 0; k < p->nin; k++) {
        /* Cleared, since kernels are passed all its bytes and a scalar may fill fewer. */
        c->scalar[k] = (GnpScalar){{0, 0}};
        if (c->array[k] == NULL &&
            gnp_scalar_from_object(c->arg[k], gnp_param_dtype(&p->param[k], c->type),
                                   &c->scalar[k]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Any object with __index__ is an axis, as in NumPy; negative axes count from the end. */
static int
mark_axis(Call *c, PyObject *object)
{
    int axis;
    PyObject *index = PyNumber_Index(object); /* owned */
    if (index == NULL) {
        return -1;
    }
    int64_t value = PyLong_AsLongLong(index);
    Py_DECREF(index);
    if ((value == -1 && PyErr_Occurred()) || gnp_normalize_axis(value, c->ndim, &axis) < 0) {
        return -1;
    }
    /* Negative and positive numbers may name the same axis. */
    if (c->reduced[axis]) {
        PyErr_SetString(PyExc_ValueError, "duplicate value in 'axis'");
        return -1;
    }
    c->reduced[axis] = 1;
    c->nreduced++;
    return 0;
}

/* The inputs broadcast to one shape, and each axis of it is either kept or reduced. Raw arrays
 * are indexed by the user's code and take no part. axis=None reduces all of them. */
static int
take_axes(Call *c)
{
    const GnpKernelParams *p = c->params;
    c->ndim = 0;
    for (int k = 0; k < p->nin; k++) {
        if (c->array[k] != NULL && !p->param[k].is_raw &&
            gnp_broadcast_shape(&c->ndim, c->shape, c->array[k]->ndim, gnp_shape(c->array[k])) <
                0) {
            return -1;
        }
    }
    c->nreduced = 0;
    /* All axes or none, as a start. */
    memset(c->reduced, c->axis == NULL, (size_t)c->ndim);
    if (c->axis == NULL) {
        c->nreduced = c->ndim;
        return 0;
    }
    /* An empty tuple reduces nothing: every element is a result. */
    Py_ssize_t n = PyTuple_Check(c->axis) ? PyTuple_GET_SIZE(c->axis) : 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (mark_axis(c, PyTuple_Check(c->axis) ? PyTuple_GET_ITEM(c->axis, i) : c->axis) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The shape of the outputs; the number of their axes. */
static int
output_shape(const Call *c, int64_t *shape)
{
    int n = 0;
    for (int axis = 0; axis < c->ndim; axis++) {
        if (!c->reduced[axis] || c->keepdims) {
            shape[n++] = c->reduced[axis] ? 1 : c->shape[axis];
        }
    }
    return n;
}

/* NumPy does not broadcast outputs of reductions either, so any difference is an error. */
static int
bad_out_shape(const Call *c, int k, int ndim, const int64_t *shape)
{
    PyObject *got = gnp_tuple_from_ints(c->array[k]->ndim, gnp_shape(c->array[k]));
    PyObject *wanted = gnp_tuple_from_ints(ndim, shape);
    if (got != NULL && wanted != NULL) {
        PyErr_Format(PyExc_ValueError, "%U: output '%s' has shape %R, the result has shape %R",
                     c->kernel->name, c->params->param[k].name, got, wanted);
    }
    Py_XDECREF(got);
    Py_XDECREF(wanted);
    return -1;
}

/* Arrays that the kernel writes: those passed, or new ones where they cannot be written directly.
 * Outputs that overlap an input would be written while other blocks still read it. */
static int
make_outputs(Call *c)
{
    const GnpKernelParams *p = c->params;
    int64_t shape[GNP_MAX_DIMS];
    /* All outputs have one shape. */
    int ndim = output_shape(c, shape);
    for (int k = p->nin; k < p->n; k++) {
        GnpArray *out = c->array[k];
        if (out != NULL) {
            if (out->ndim != ndim ||
                memcmp(gnp_shape(out), shape, (size_t)ndim * sizeof *shape) != 0) {
                return bad_out_shape(c, k, ndim, shape);
            }
            if (gnp_check_writeable(out) < 0) {
                return -1;
            }
            /* A given output that is unaligned or overlaps an input gets a temporary, which is
             * copied at the end. */
            int apart = (out->flags & GNP_ALIGNED) != 0;
            for (int j = 0; j < p->nin; j++) {
                apart = apart && (c->array[j] == NULL || !gnp_may_overlap(out, c->array[j]));
            }
            if (apart) {
                continue;
            }
            Py_CLEAR(c->array[k]);
        }
        c->array[k] = gnp_array_new(ndim, shape, gnp_param_dtype(&p->param[k], c->type), 'C');
        if (c->array[k] == NULL) {
            return -1;
        }
        /* post_map_expr may read what it adds to. */
        if (out != NULL && gnp_copy(c->array[k], (GnpArray *)c->arg[k]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A product of sizes is avoided: only a zero among them matters. With `only_reduced` the result
 * tells whether each output is a reduction of nothing. */
static int
is_empty(const Call *c, int only_reduced)
{
    for (int axis = 0; axis < c->ndim; axis++) {
        if (c->shape[axis] == 0 && (c->reduced[axis] || !only_reduced)) {
            return 1;
        }
    }
    return 0;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Strides over the input's axes: of inputs broadcast, of outputs without the reduced axes. A
 * stride of 0 along the reduced axes makes all elements of a reduction address the same output.
 * Inputs are copied where their data or strides are not multiples of the item size, as the
 * kernel's loads require natural alignment. */
static int
take_strides(Call *c, int64_t (*strides)[GNP_MAX_DIMS])
{
    const GnpKernelParams *p = c->params;
    for (int k = 0; k < p->nin; k++) {
        GnpArray *aligned; /* owned */
        if (c->array[k] == NULL || p->param[k].is_raw) {
            continue;
        }
        GNP_NEW(aligned, gnp_aligned(c->array[k]));
        Py_SETREF(c->array[k], aligned);
        gnp_broadcast_strides(aligned, c->ndim, c->shape, strides[k]);
    }
    for (int k = p->nin; k < p->n; k++) {
        int from = 0;
        for (int axis = 0; axis < c->ndim; axis++) {
            strides[k][axis] = c->reduced[axis] ? 0 : gnp_strides(c->array[k])[from];
            from += !c->reduced[axis] || c->keepdims;
        }
    }
    return 0;
fail:
    return -1;
}

/* Everything here uses the current stream of the device; `stream` is that same stream, passed
 * for the launch. Copies of unaligned inputs, the kernel and the copies into `out` are ordered
 * by it. */
static int
run_on_current_stream(Call *c, CUstream stream)
{
    const GnpKernelParams *p = c->params;
    int64_t strides[GNP_MAX_USER_PARAMS][GNP_MAX_DIMS];
    GNP_TRY(take_types(c));
    GNP_TRY(take_axes(c));
    GNP_TRY(make_outputs(c));
    /* No outputs means no work, even if the reduced axes are not empty. */
    if (c->array[p->nin]->size == 0) {
        return 0;
    }
    /* As NumPy's maximum of nothing. */
    if (is_empty(c, 1) && *c->kernel->code.identity == '\0') {
        PyErr_Format(PyExc_ValueError,
                     "zero-size array to reduction operation %U which has no identity",
                     c->kernel->name);
        goto fail;
    }
    GNP_TRY(take_strides(c, strides));
    GNP_TRY(gnp_params_align_raw(p, c->array));
    GnpReductionCall call = {.code = &c->kernel->code,
                             .type = c->type,
                             .array = c->array,
                             .scalar = c->scalar,
                             .ndim = c->ndim,
                             .shape = c->shape,
                             .reduced = c->reduced,
                             .strides = strides};
    GNP_TRY(gnp_reduction_run(&call, c->device, stream));
    /* The kernel wrote into temporaries where make_outputs found the given arrays unsuitable. */
    for (int k = p->nin; k < p->n; k++) {
        if (c->arg[k] != NULL && c->arg[k] != (PyObject *)c->array[k] && !p->param[k].is_raw) {
            GNP_TRY(gnp_copy((GnpArray *)c->arg[k], c->array[k]));
        }
    }
    return gnp_params_write_back(p, c->array, c->arg);
fail:
    return -1;
}

/* A given stream becomes the current one for the whole call, so that allocations and copies
 * before and after the launch are ordered with the kernel. */
static int
run(Call *c, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    CUstream stream;
    GNP_NEW(c->device, gnp_device_current());
    GNP_TRY(take_arguments(c, args, nargs, kwnames));
    GNP_TRY(gnp_stream_from_object(c->stream_object, c->device, &stream));
    if (c->stream_object == NULL || c->stream_object == Py_None) {
        return run_on_current_stream(c, stream);
    }
    CUstream before = gnp_stream_enter(c->device, stream);
    int status = run_on_current_stream(c, stream);
    gnp_stream_leave(c->device, before);
    return status;
fail:
    return -1;
}

/* Outputs that were passed are returned as the same objects, as NumPy returns `out`. */
static PyObject *
results(const Call *c)
{
    const GnpKernelParams *p = c->params;
    PyObject *tuple = p->nout > 1 ? PyTuple_New(p->nout) : NULL;
    for (int k = p->nin; k < p->n; k++) {
        PyObject *result = c->arg[k] != NULL ? c->arg[k] : (PyObject *)c->array[k];
        if (p->nout == 1) {
            return Py_NewRef(result);
        }
        if (tuple == NULL) {
            return NULL;
        }
        PyTuple_SET_ITEM(tuple, k - p->nin, Py_NewRef(result));
    }
    return tuple;
}

/* Only the fields that the cleanup reads are initialised: Call is several kilobytes, and `run`
 * assigns the others before it uses them. */
static PyObject *
kernel_vectorcall(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Call c;
    PyObject *ret = NULL;
    c.kernel = (ReductionKernel *)self;
    c.params = &c.kernel->code.params;
    for (int k = 0; k < c.params->n; k++) {
        c.array[k] = c.foreign[k] = NULL;
    }
    const unsigned guests = gnp_peer_guests_begin();
    if (run(&c, args, PyVectorcall_NARGS(nargsf), kwnames) == 0) {
        ret = results(&c);
    }
    gnp_peer_guests_end(guests);
    for (int k = 0; k < c.params->n; k++) {
        Py_XDECREF((PyObject *)c.array[k]);
        Py_XDECREF((PyObject *)c.foreign[k]);
    }
    return ret;
}

/* ---- construction ---------------------------------------------------------------------------- */

/* The texts concatenated with their NULs: name, preamble, map, reduce, post-map, identity, type,
 * options. The C strings then live as long as the kernel, without a reference for each. */
static int
store_texts(ReductionKernel *self)
{
    PyObject *const texts[] = {self->name,        self->preamble,      self->map_expr,
                               self->reduce_expr, self->post_map_expr, self->identity,
                               self->reduce_type};
    GnpText t = {0};
    Py_ssize_t noptions = PyTuple_GET_SIZE(self->options);
    for (Py_ssize_t k = 0; k < 7 + noptions; k++) {
        PyObject *text = k < 7 ? texts[k] : PyTuple_GET_ITEM(self->options, k - 7);
        const char *s = "";
        if (text != Py_None) {
            if (!PyUnicode_Check(text)) {
                PyErr_Format(PyExc_TypeError, "ReductionKernel: %R must be a str", text);
                goto fail;
            }
            Py_ssize_t length;
            GNP_NEW(s, PyUnicode_AsUTF8AndSize(text, &length));
            if (strlen(s) != (size_t)length) {
                PyErr_SetString(PyExc_ValueError, "ReductionKernel: a text has a null character");
                goto fail;
            }
        }
        gnp_text_add_bytes(&t, s, strlen(s) + 1);
    }
    GNP_TRY(gnp_text_finish(&t));
    self->code.storage = t.text;
    return 0;
fail:
    gnp_text_clear(&t);
    return -1;
}

/* Indices are computed only where the text mentions them: each costs a layout. */
static int
read_code(ReductionKernel *self)
{
    GnpReductionCode *c = &self->code;
    const char *at = c->storage;
    GnpText shown = {0};
    c->text.name = gnp_next_text(&at);
    c->text.preamble = gnp_next_text(&at);
    c->map = gnp_next_text(&at);
    c->combine = gnp_next_text(&at);
    c->post = gnp_next_text(&at);
    c->identity = gnp_next_text(&at);
    c->type = gnp_next_text(&at);
    if (gnp_take_options(&c->text, at, PyTuple_GET_SIZE(self->options)) < 0) {
        return -1;
    }
    /* Headers with atomic functions for the types that CUDA lacks are included only where needed,
     * because every line of a header costs compile time. */
    c->text.has_atomics = strstr(c->map, "atomic") != NULL ||
                          strstr(c->text.preamble, "atomic") != NULL ||
                          strstr(c->post, "atomic") != NULL;
    c->sees_element = gnp_find_word(c->map, "i") != NULL;
    c->sees_step = gnp_find_word(c->map, "_J") != NULL;
    c->sees_output = gnp_find_word(c->map, "_i") != NULL;
    c->sees_flat = gnp_find_word(c->map, "_j") != NULL;
    c->post_sees_output = gnp_find_word(c->post, "_i") != NULL;
    gnp_text_add(&shown, "map_expr: %s\nreduce_expr: %s\npost_map_expr: %s\nidentity: %s", c->map,
                 c->combine, c->post, c->identity);
    if (gnp_text_finish(&shown) < 0) {
        gnp_text_clear(&shown);
        return -1;
    }
    c->shown = shown.text;
    c->codes = PyDict_New();
    return c->codes != NULL ? 0 : -1;
}

/* A default of the signature, as a new reference. */
static PyObject *
or_else(PyObject *given, const char *text)
{
    return given != NULL ? Py_NewRef(given) : PyUnicode_FromString(text);
}

/* On failure the partly built object is released; kernel_dealloc accepts NULL fields. */
static PyObject *
kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE(
        "ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, "
        "name='reduce_kernel', reduce_type=None, reduce_dims=True, preamble='', options=())");
    PyObject *given[11];
    ReductionKernel *self = NULL; /* returned */
    GNP_TRY(gnp_args_bind_call(&sig, args, kwargs, given));
    GNP_NEW(self, (ReductionKernel *)type->tp_alloc(type, 0));
    self->vectorcall = kernel_vectorcall;
    self->map_expr = Py_NewRef(given[2]);
    self->reduce_expr = Py_NewRef(given[3]);
    self->post_map_expr = Py_NewRef(given[4]);
    GNP_NEW(self->identity,
            given[5] == Py_None ? PyUnicode_FromString("") : PyObject_Str(given[5]));
    GNP_NEW(self->name, or_else(given[6], "reduce_kernel"));
    self->reduce_type = Py_NewRef(given[7] != NULL ? given[7] : Py_None);
    GNP_TRY(self->reduce_dims = given[8] != NULL ? PyObject_IsTrue(given[8]) : 1);
    GNP_NEW(self->preamble, or_else(given[9], ""));
    GNP_NEW(self->options, given[10] != NULL ? PySequence_Tuple(given[10]) : PyTuple_New(0));
    GNP_TRY(store_texts(self));
    GNP_TRY(read_code(self));
    GnpKernelParams *p = &self->code.params;
    GNP_TRY(gnp_params_parse(p, given[0], given[1]));
    if (p->nout == 0 || p->n > GNP_MAX_OPERANDS - 4) {
        /* Four operands are reserved for the indices i, _J, _i and _j, see take_inputs. */
        PyErr_Format(PyExc_ValueError,
                     "%U: a reduction has at least one output and at most %d "
                     "parameters",
                     self->name, GNP_MAX_OPERANDS - 4);
        goto fail;
    }
    for (int k = p->nin; k < p->n; k++) {
        if (p->param[k].is_raw) {
            PyErr_Format(PyExc_ValueError, "%U: the output '%s' cannot be raw", self->name,
                         p->param[k].name);
            goto fail;
        }
    }
    GNP_NEW(self->in_params, gnp_params_tuple(p, 0, p->nin));
    GNP_NEW(self->out_params, gnp_params_tuple(p, p->nin, p->nout));
    GNP_NEW(self->params, gnp_params_tuple(p, 0, p->n));
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* `code` is a plain struct inside the object, so its memory is freed field by field. The
 * compiled kernels themselves belong to the kernel cache of the device and stay loaded. */
static void
kernel_dealloc(PyObject *object)
{
    ReductionKernel *self = (ReductionKernel *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject **fields[] = {&self->name,          &self->map_expr, &self->reduce_expr,
                           &self->post_map_expr, &self->identity, &self->reduce_type,
                           &self->preamble,      &self->options,  &self->in_params,
                           &self->out_params,    &self->params,   &self->code.codes};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        Py_CLEAR(*fields[k]);
    }
    while (self->code.variants != NULL) {
        GnpVariant *next = self->code.variants->next;
        free(self->code.variants);
        self->code.variants = next;
    }
    gnp_params_clear(&self->code.params);
    free(self->code.text.options);
    free(self->code.storage);
    free(self->code.shown);
    type->tp_free(object);
    Py_DECREF(type);
}

/* ---- attributes ------------------------------------------------------------------------------ */

enum { GET_NIN, GET_NOUT, GET_NARGS, GET_REDUCE_DIMS };

static PyObject *
kernel_get_number(PyObject *object, void *which)
{
    const ReductionKernel *self = (const ReductionKernel *)object;
    const GnpKernelParams *p = &self->code.params;
    switch ((int)(intptr_t)which) {
    case GET_NIN:
        return PyLong_FromLong(p->nin);
    case GET_NOUT:
        return PyLong_FromLong(p->nout);
    case GET_NARGS:
        return PyLong_FromLong(p->n);
    default:
        return PyBool_FromLong(self->reduce_dims);
    }
}

/* A copy, since the caller may change what it gets while the original is the cache. */
static PyObject *
kernel_get_codes(PyObject *object, void *Py_UNUSED(closure))
{
    return PyDict_Copy(((ReductionKernel *)object)->code.codes);
}

static PyObject *
kernel_get_code(PyObject *object, void *Py_UNUSED(closure))
{
    return gnp_only_code(((ReductionKernel *)object)->code.codes);
}

static PyObject *
kernel_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<ReductionKernel '%U'>", ((ReductionKernel *)object)->name);
}

#define FIELD(name, doc) {#name, T_OBJECT_EX, offsetof(ReductionKernel, name), READONLY, doc}
static PyMemberDef kernel_members[] = {
    FIELD(name, "Name of the kernel."),
    {"__name__", T_OBJECT_EX, offsetof(ReductionKernel, name), READONLY, "Name of the kernel."},
    FIELD(map_expr, "Expression that maps an element."),
    FIELD(reduce_expr, "Expression that combines two values, a and b."),
    FIELD(post_map_expr, "Statements that set the outputs from the result a."),
    FIELD(identity, "Neutral element of the reduction, or ''."),
    FIELD(reduce_type, "C++ type of the values, or None."),
    FIELD(preamble, "Code that precedes the kernel."),
    FIELD(options, "Compiler options."),
    FIELD(in_params, "Input parameters, as ParameterInfo."),
    FIELD(out_params, "Output parameters, as ParameterInfo."),
    FIELD(params, "All parameters as ParameterInfo."),
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ReductionKernel, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

#define NUMBER(name, which, doc) {#name, kernel_get_number, NULL, doc, (void *)(intptr_t)(which)}
static PyGetSetDef kernel_getset[] = {
    NUMBER(nin, GET_NIN, "Number of inputs."),
    NUMBER(nout, GET_NOUT, "Number of outputs."),
    NUMBER(nargs, GET_NARGS, "Number of parameters."),
    NUMBER(reduce_dims, GET_REDUCE_DIMS, "Whether adjacent axes may be joined."),
    {"cached_codes", kernel_get_codes, NULL, "Compiled code by the dtypes of the arguments.", NULL},
    {"cached_code", kernel_get_code, NULL, "Compiled code.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(
    kernel_doc,
    "ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,\n"
    "                name='reduce_kernel', reduce_type=None, reduce_dims=True, preamble='',\n"
    "                options=())\n--\n\n"
    "User-defined reduction in CUDA C++.\n\n"
    "Calling it broadcasts the inputs and reduces them along the axes:\n"
    "kernel(*inputs, *outputs, axis=None, out=None, keepdims=False, dtype=None, stream=None).\n\n"
    "Parameters\n----------\n"
    "in_params, out_params : str\n"
    "    Declarations of the parameters, as for ElementwiseKernel.\n"
    "map_expr : str\n"
    "    Expression of the inputs that maps an element. `i` is the element's index in C\n"
    "    order, and `_J` its index along the reduced axes.\n"
    "reduce_expr : str\n"
    "    Expression of `a` and `b` that combines two values; it has to be associative and\n"
    "    commutative.\n"
    "post_map_expr : str\n    Statements that set the outputs from `a`, the result.\n"
    "identity : str or None\n"
    "    Neutral element of the reduction, which is the result of an empty one.\n"
    "name : str\n    Name of the kernel in messages.\n"
    "reduce_type : str\n"
    "    C++ type of `a` and `b`, such as a struct of the preamble. By default that of the\n"
    "    first output.\n"
    "reduce_dims : bool\n    Accepted for compatibility; it has no effect.\n"
    "preamble : str\n    Code that precedes the kernel.\n"
    "options : tuple of str\n    Options of the compiler, as a tuple.\n\n"
    "Notes\n-----\n"
    "Scalars and raw arguments are known in `post_map_expr` too, as are _in_ind.size() and\n"
    "_out_ind.size(), the numbers of elements and of results. `block_size` is accepted by a\n"
    "call, and the kernel chooses its own. Results repeat bit for bit.\n\n"
    "Examples\n--------\n"
    ">>> import gpunp as cp\n"
    ">>> l2norm = cp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0')\n"
    ">>> l2norm(cp.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1)\n"
    "array([ 5., 10.])");

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, GNP_DOC(kernel_doc)}, {Py_tp_new, kernel_new},
    {Py_tp_dealloc, kernel_dealloc},  {Py_tp_call, PyVectorcall_Call},
    {Py_tp_repr, kernel_repr},        {Py_tp_members, kernel_members},
    {Py_tp_getset, kernel_getset},    {0, NULL},
};

static PyType_Spec kernel_spec = {
    .name = "gpunp.ReductionKernel",
    .basicsize = sizeof(ReductionKernel),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = kernel_slots,
};

int
gnp_reduction_kernel_init(PyObject *module)
{
    kernel_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &kernel_spec, NULL);
    return kernel_type != NULL ? PyModule_AddType(module, kernel_type) : -1;
}

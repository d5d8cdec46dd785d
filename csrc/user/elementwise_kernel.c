/* ElementwiseKernel: the type and its call.
 *
 * A call determines types, then the shape, then the outputs, and launches once. Arrays that are
 * contiguous and of one shape need no broadcast, which is the fast path; `raw` arguments do not
 * take part in broadcasting.
 *
 * All functions need the GIL. Compiling, in the engine or the loop, gives it up; the call's own
 * state lies on the stack and its arrays are held by references in Call.
 *
 * Two ways to run the code exist. The elementwise engine of core/ takes code that sees only its
 * elements, its index and their number, and chooses vector widths and launch shapes; the loop of
 * user.cu takes all other code, one element per thread and step.
 */
#include "user/elementwise_kernel.h"

#include <structmember.h>

#include <string.h>

/* Threads of the loop; block_size= overrides it. */
enum { BLOCK = 128 };

typedef struct {
    PyObject_HEAD GnpElementwiseCode *code; /* borrowed: lives as long as the process */
    PyObject *name, *operation, *preamble, *kwargs, *in_params, *out_params, *params; /* owned */
    int no_return, return_tuple;
    vectorcallfunc vectorcall;
} ElementwiseKernel;

static PyTypeObject *kernel_type; /* owned, for the life of the process */

/* ---- a call ---------------------------------------------------------------------------------- */

/* One call, on the stack of the calling thread; see kernel_vectorcall for what is initialised. */
typedef struct {
    const ElementwiseKernel *kernel;
    const GnpElementwiseCode *code;
    PyObject *arg[GNP_MAX_USER_PARAMS];     /* borrowed; NULL: an output to be allocated */
    GnpArray *array[GNP_MAX_USER_PARAMS];   /* owned; NULL: a scalar */
    GnpArray *foreign[GNP_MAX_USER_PARAMS]; /* owned: `arg` as an array of ours, or NULL */
    GnpScalar scalar[GNP_MAX_USER_PARAMS];
    int8_t type[GNP_MAX_PLACEHOLDERS];
    PyObject *size, *stream_object;
    PyObject *textures; /* owned: a list of those passed and their handles; NULL for none */
    int block_size;
    GnpDevice *device;
    CUstream stream;
    int ndim;
    int64_t count, shape[GNP_MAX_DIMS];
    int64_t (*strides)[GNP_MAX_DIMS]; /* of each parameter; NULL on the fast path */
} Call;

/* The keywords of a call, which CuPy defines: size, stream and block_size. 1024 is the largest
 * block of every compute capability (CUDA C++ Programming Guide, "Compute Capabilities"). */
static int
take_keyword(Call *c, PyObject *name, PyObject *value)
{
    if (PyUnicode_CompareWithASCIIString(name, "size") == 0) {
        c->size = value != Py_None ? value : NULL;
        return 0;
    }
    if (PyUnicode_CompareWithASCIIString(name, "stream") == 0) {
        c->stream_object = value;
        return 0;
    }
    if (PyUnicode_CompareWithASCIIString(name, "block_size") == 0) {
        if (value == Py_None) {
            return 0;
        }
        int64_t threads;
        if (gnp_int64_from_object(value, "block_size", &threads) < 0) {
            return -1;
        }
        if (threads < 1 || threads > 1024) {
            PyErr_Format(PyExc_ValueError, "%U: block_size must lie in 1..1024, got %lld",
                         c->kernel->name, (long long)threads);
            return -1;
        }
        c->block_size = (int)threads;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%U: unexpected keyword argument '%U'", c->kernel->name, name);
    return -1;
}

/* "x, y, z" */
static void
add_names(GnpText *t, const GnpKernelParams *p, int first, int end)
{
    for (int k = first; k < end; k++) {
        gnp_text_add(t, "%s%s", k > first ? ", " : "", p->param[k].name);
    }
}

/* A call has all inputs, or all inputs and all outputs; the message names both lists. */
static int
bad_count(const Call *c, Py_ssize_t nargs)
{
    const GnpKernelParams *p = &c->code->params;
    GnpText t = {0}; /* owned */
    add_names(&t, p, 0, p->nin);
    gnp_text_add(&t, ")");
    if (p->nout > 0) {
        gnp_text_add(&t, " or %d with the outputs (", p->n);
        add_names(&t, p, p->nin, p->n);
        gnp_text_add(&t, ")");
    }
    if (gnp_text_finish(&t) == 0) {
        PyErr_Format(PyExc_TypeError,
                     "wrong number of arguments for kernel %U: it takes %d (%s, got %zd",
                     c->kernel->name, p->nin, t.text, nargs);
    }
    gnp_text_clear(&t);
    return -1;
}

/* A texture or surface stands for its handle, a scalar of NumPy. 1 when the object is none. */
static int
take_texture(Call *c, int k)
{
    PyObject *handle = PyObject_GetAttrString(c->arg[k], "_handle"); /* owned */
    if (handle == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
        return 1;
    }
    if (!gnp_is_numpy_scalar(handle)) {
        Py_DECREF(handle);
        return 1;
    }
    if (c->textures == NULL) {
        GNP_NEW(c->textures, PyList_New(0));
    }
    /* The object as well as its handle: the object's end would destroy the texture. */
    GNP_TRY(PyList_Append(c->textures, handle));
    GNP_TRY(PyList_Append(c->textures, c->arg[k]));
    c->arg[k] = handle; /* the list keeps it */
    Py_DECREF(handle);
    return 0;
fail:
    Py_DECREF(handle);
    return -1;
}

/* An argument that is not exactly an array of ours: one of another library, or a number. Foreign
 * arrays are wrapped without a copy, so that outputs are written in place. */
static int
take_other(Call *c, int k)
{
    PyObject *object = c->arg[k];
    const GnpKernelParam *param = &c->code->params.param[k];
    if (gnp_array_check(object)) {
        c->array[k] = (GnpArray *)Py_NewRef(object);
        return 0;
    }
    /* Before numbers: arrays of other libraries may also be convertible to numbers. NumPy's own
     * arrays are on the host. */
    if (!gnp_is_numpy_array(object) &&
        PyObject_HasAttr(object, gnp_state.str___cuda_array_interface__)) {
        c->foreign[k] = gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_NEVER, 'K');
        c->array[k] = (GnpArray *)Py_XNewRef((PyObject *)c->foreign[k]);
        return c->array[k] != NULL ? 0 : -1;
    }
    if (param->is_output) {
        return gnp_params_refuse(c->kernel->name, &c->code->params.param[k], c->arg[k]);
    }
    if (gnp_weak_kind(object) != GNP_WEAK_NONE || gnp_is_numpy_scalar(object)) {
        return 0;
    }
    int status = gnp_is_numpy_array(object) ? 1 : take_texture(c, k);
    return status == 1 ? gnp_params_refuse(c->kernel->name, &c->code->params.param[k], c->arg[k])
                       : status;
}

/* The exact type is compared first, as it is the common case and needs no call. From here on
 * arg[k] of an array is the array of ours, also where a foreign object was wrapped. */
static int
take_arguments(Call *c, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    const GnpKernelParams *p = &c->code->params;
    if (nargs != p->nin && nargs != p->n) {
        return bad_count(c, nargs);
    }
    Py_ssize_t nkeys = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t k = 0; k < nkeys; k++) {
        if (take_keyword(c, PyTuple_GET_ITEM(kwnames, k), args[nargs + k]) < 0) {
            return -1;
        }
    }
    for (int k = 0; k < p->n; k++) {
        c->arg[k] = k < nargs ? args[k] : NULL;
        if (c->arg[k] == NULL) {
            continue;
        }
        /* Kernels read addresses of one device; nothing is moved between devices silently. */
        if (Py_TYPE(c->arg[k]) == gnp_array_type) {
            c->array[k] = (GnpArray *)Py_NewRef(c->arg[k]);
        }
        else if (take_other(c, k) < 0) {
            return -1;
        }
        if (c->array[k] != NULL) {
            c->arg[k] = (PyObject *)c->array[k];
            if (GNP_UNLIKELY(c->array[k]->device_id != c->device->id)) {
                int allowed = gnp_peer_guest(c->device, c->array[k]->block);
                if (allowed != 0) {
                    if (allowed < 0) {
                        return -1;
                    }
                    continue;
                }
                PyErr_Format(
                    PyExc_ValueError, "%U: argument '%s' is on device %d, the current device is %d",
                    c->kernel->name, p->param[k].name, c->array[k]->device_id, c->device->id);
                return -1;
            }
        }
    }
    return 0;
}

/* After the types are known: a scalar has the dtype of its parameter. */
static int
take_scalars(Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    for (int k = 0; k < p->nin; k++) {
        if (c->array[k] == NULL &&
            gnp_scalar_from_object(c->arg[k], gnp_param_dtype(&p->param[k], c->type),
                                   &c->scalar[k]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* 1 when all arrays that are not raw are contiguous, of one shape, and no two of them overlap
 * unless they are the same memory. */
static int
is_plain_call(const Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    const int plain = GNP_C_CONTIGUOUS | GNP_ALIGNED;
    const GnpArray *first = NULL;
    for (int k = 0; k < p->n; k++) {
        const GnpArray *a = c->array[k];
        if (a == NULL || p->param[k].is_raw) {
            continue;
        }
        if ((a->flags & plain) != plain) {
            return 0;
        }
        if (first == NULL) {
            first = a;
            continue;
        }
        /* Sizes first: they differ more often than shapes of one size do. */
        if (a->ndim != first->ndim || a->size != first->size ||
            memcmp(a->dims, first->dims, (size_t)a->ndim * sizeof *a->dims) != 0) {
            return 0;
        }
    }
    for (int k = p->nin; k < p->n; k++) {
        const GnpArray *out = c->array[k];
        for (int j = 0; out != NULL && j < p->nin; j++) {
            const GnpArray *in = c->array[j];
            /* Element by element in place is safe; any other overlap would let one element read
             * another's result. */
            int same = in != NULL && in->data == out->data && gnp_itemsize(in) == gnp_itemsize(out);
            if (in != NULL && !p->param[j].is_raw && !same && gnp_may_overlap(out, in)) {
                return 0;
            }
        }
    }
    return first != NULL;
}

/* An output does not broadcast, because several elements would write the same address. */
static int
bad_out_shape(const Call *c, int k)
{
    PyObject *got = gnp_tuple_from_ints(c->array[k]->ndim, gnp_shape(c->array[k]));
    PyObject *wanted = gnp_tuple_from_ints(c->ndim, c->shape);
    if (got != NULL && wanted != NULL) {
        PyErr_Format(PyExc_ValueError,
                     "%U: output '%s' has shape %R, the loop has shape %R: an output is not "
                     "broadcast",
                     c->kernel->name, c->code->params.param[k].name, got, wanted);
    }
    Py_XDECREF(got);
    Py_XDECREF(wanted);
    return -1;
}

/* Only for kernels whose arrays are all raw, as CuPy has it. */
static int
take_size(Call *c, int narrays)
{
    if (narrays > 0) {
        PyErr_Format(PyExc_ValueError,
                     "%U: size can be given only where all arrays are raw parameters",
                     c->kernel->name);
        return -1;
    }
    c->ndim = 1;
    if (PyTuple_Check(c->size) || PyList_Check(c->size)) {
        c->ndim = gnp_shape_from_object(c->size, c->shape);
        return c->ndim < 0 ? -1 : 0;
    }
    /* As an index, so that a float is refused. */
    PyObject *index = PyNumber_Index(c->size); /* owned */
    if (index == NULL) {
        return -1;
    }
    c->shape[0] = PyLong_AsLongLong(index);
    Py_DECREF(index);
    if (c->shape[0] < 0) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "%U: size must not be negative, got %R", c->kernel->name,
                         c->size);
        }
        return -1;
    }
    return 0;
}

/* Names the raw parameters, as it is their number that the caller has to look at. */
static int
undecided(const Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    GnpText t = {0}; /* owned */
    for (int k = 0; k < p->n; k++) {
        if (p->param[k].is_raw) {
            gnp_text_add(&t, "%s%s", t.used > 0 ? ", " : "", p->param[k].name);
        }
    }
    if (gnp_text_finish(&t) == 0) {
        PyErr_Format(PyExc_ValueError,
                     "loop size is undecided: all array arguments of kernel %U (%s) are raw; give "
                     "size=",
                     c->kernel->name, t.text != NULL ? t.text : "none");
    }
    gnp_text_clear(&t);
    return -1;
}

/* The shape of the loop: size=, or the broadcast shape of all arrays that are not raw. */
static int
take_shape(Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    int narrays = 0, nelements = 0;
    for (int k = 0; k < p->n; k++) {
        narrays += c->array[k] != NULL && !p->param[k].is_raw;
        nelements += !p->param[k].is_raw;
    }
    c->ndim = 0;
    if (c->size != NULL) {
        return take_size(c, narrays);
    }
    /* Numbers alone, without raw arrays, make a loop of one element. */
    if (narrays == 0 && (p->nraw > 0 || nelements == 0)) {
        return undecided(c);
    }
    /* Outputs that are passed take part in broadcasting, so inputs can be smaller than outputs. */
    for (int k = 0; k < p->n; k++) {
        const GnpArray *a = c->array[k];
        if (a == NULL || p->param[k].is_raw ||
            gnp_broadcast_shape(&c->ndim, c->shape, a->ndim, gnp_shape(a)) == 0) {
            continue;
        }
        /* The inputs' own message names both shapes. */
        if (k < p->nin) {
            return -1;
        }
        PyErr_Clear();
        return bad_out_shape(c, k);
    }
    for (int k = p->nin; k < p->n; k++) {
        const GnpArray *out = c->array[k];
        if (out != NULL && !p->param[k].is_raw &&
            (out->ndim != c->ndim ||
             memcmp(gnp_shape(out), c->shape, (size_t)c->ndim * sizeof *c->shape) != 0)) {
            return bad_out_shape(c, k);
        }
    }
    return 0;
}

/* An empty axis makes the count zero even where the other axes overflow it, so zeros are found
 * before sizes are multiplied. Overflow would make the grid too small. */
static int
count_elements(Call *c)
{
    c->count = 1;
    for (int axis = 0; axis < c->ndim; axis++) {
        if (c->shape[axis] == 0) {
            c->count = 0;
            return 0;
        }
        if (gnp_mul_size(c->count, c->shape[axis], &c->count) < 0) {
            PyErr_Format(PyExc_ValueError, "%U: the broadcast shape is too big", c->kernel->name);
            return -1;
        }
    }
    return 0;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* Copies inputs that overlap outputs or are unaligned. For an output, gnp_aligned copies what it
 * holds, as the code may read it; run_general copies the result back. */
static int
set_apart(Call *c, int k)
{
    const GnpKernelParams *p = &c->code->params;
    GnpArray *aligned; /* owned */
    GNP_NEW(aligned, gnp_aligned(c->array[k]));
    Py_SETREF(c->array[k], aligned);
    /* Only outputs that were passed can overlap anything; new ones have memory of their own. */
    for (int j = p->nin; k < p->nin && j < p->n; j++) {
        if (c->arg[j] != NULL && !p->param[j].is_raw &&
            gnp_overlaps_harmfully((GnpArray *)c->arg[j], c->array[k])) {
            GNP_NEW(aligned, gnp_astype(c->array[k], (GnpDtype)c->array[k]->dtype, 'K'));
            Py_SETREF(c->array[k], aligned);
            break;
        }
    }
    return 0;
fail:
    return -1;
}

/* New outputs are C-contiguous and not initialised; each element is written by the kernel.
 * Outputs that were passed must not be read-only or broadcast views. */
static int
make_outputs(Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    for (int k = p->nin; k < p->n; k++) {
        if (c->array[k] != NULL) {
            if (gnp_check_writeable(c->array[k]) < 0) {
                return -1;
            }
            continue;
        }
        /* A raw output has no share in the loop's shape, so nothing tells its own. */
        if (p->param[k].is_raw && c->size == NULL) {
            PyErr_Format(PyExc_ValueError,
                         "%U: the output '%s' is raw: pass it, or size= for a new one",
                         c->kernel->name, p->param[k].name);
            return -1;
        }
        c->array[k] = gnp_array_new(c->ndim, c->shape, gnp_param_dtype(&p->param[k], c->type), 'C');
        if (c->array[k] == NULL) {
            return -1;
        }
    }
    return 0;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* The strides of the index itself in C order. In elements: the operand has no memory, and its
 * "address" is the index. */
static void
position_strides(const Call *c, int64_t *strides)
{
    int64_t step = 1;
    for (int axis = c->ndim - 1; axis >= 0; axis--) {
        strides[axis] = step;
        step *= c->shape[axis];
    }
}

/* Describes the parameters as operands of the engine, in the order of the generated op: inputs,
 * index, count, outputs. A contiguous call is one axis of `count` elements. */
static int
run_in_engine(Call *c, int plain)
{
    const GnpElementwiseCode *code = c->code;
    const GnpKernelParams *p = &code->params;
    GnpOperand operands[GNP_MAX_OPERANDS];
    int64_t step[GNP_MAX_OPERANDS], position[GNP_MAX_DIMS] = {1};
    const GnpScalar count = {.bits = {(uint64_t)c->count, 0}};
    int n = 0;
    if (code->sees_index && !plain) {
        position_strides(c, position);
    }
    for (int k = 0; k < p->n; k++) {
        if (k == p->nin) {
            if (code->sees_index) {
                /* GNP_U8 with strides of one byte: an offset of k bytes is the index k. */
                operands[n++] = (GnpOperand){
                    .strides = position, .dtype = GNP_U8, .compute = GNP_I64, .kind = GNP_POSITION};
            }
            if (code->sees_count) {
                operands[n++] =
                    (GnpOperand){.scalar = &count, .dtype = GNP_I64, .compute = GNP_I64};
            }
        }
        const GnpArray *a = c->array[k];
        GnpDtype dtype = gnp_param_dtype(&p->param[k], c->type);
        operands[n] = (GnpOperand){.dtype = dtype, .compute = dtype};
        if (a == NULL) {
            operands[n].scalar = &c->scalar[k];
        }
        else {
            step[n] = gnp_itemsize(a);
            operands[n].data = a->data;
            operands[n].block = a->block;
            operands[n].strides = plain ? &step[n] : c->strides[k];
        }
        if (k >= p->nin && c->arg[k] != NULL && !code->is_overwritten[k - p->nin]) {
            /* Code that may not set the output must find what it held. */
            operands[n].kind = GNP_READ_FIRST;
        }
        n++;
    }
    return gnp_elementwise_on(&code->op, operands, plain ? 1 : c->ndim,
                              plain ? &c->count : c->shape, c->stream);
}

/* The loop always computes strides, also for contiguous arrays, since plan_loop merges their
 * axes into one. */
static int
run_in_loop(Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    GnpLoopArgument argument[GNP_MAX_USER_PARAMS];
    for (int k = 0; k < p->n; k++) {
        argument[k] = (GnpLoopArgument){c->array[k], &c->scalar[k], c->strides[k]};
    }
    GnpLoopCall call = {.code = c->code,
                        .type = c->type,
                        .argument = argument,
                        .ndim = c->ndim,
                        .shape = c->shape,
                        .size = c->count,
                        .block_size = c->block_size > 0 ? c->block_size : BLOCK};
    return gnp_elementwise_loop(&call, c->device, c->stream);
}

/* The general path: everything but contiguous arrays of one shape. */
static int
run_general(Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    int64_t strides[GNP_MAX_USER_PARAMS][GNP_MAX_DIMS];
    for (int k = 0; k < p->n; k++) {
        if (c->array[k] != NULL && !p->param[k].is_raw) {
            if (set_apart(c, k) < 0) {
                return -1;
            }
            gnp_broadcast_strides(c->array[k], c->ndim, c->shape, strides[k]);
        }
    }
    c->strides = strides;
    /* The engine has its own block size and no place for code before or after the loop. */
    int status = c->code->needs_loop || c->block_size > 0 ? run_in_loop(c) : run_in_engine(c, 0);
    for (int k = p->nin; status == 0 && k < p->n; k++) { /* temporaries for unaligned outputs */
        if (c->arg[k] != NULL && (PyObject *)c->array[k] != c->arg[k] && !p->param[k].is_raw) {
            status = gnp_copy((GnpArray *)c->arg[k], c->array[k]);
        }
    }
    return status;
}

/* Outputs that were passed are returned as they are; temporaries stand only for c->array. */
static PyObject *
results(const Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    if (c->kernel->no_return || p->nout == 0) {
        Py_RETURN_NONE;
    }
    /* CuPy returns one output as it is, unless asked for a tuple. */
    PyObject *tuple = p->nout > 1 || c->kernel->return_tuple ? PyTuple_New(p->nout) : NULL;
    for (int k = p->nin; k < p->n; k++) {
        PyObject *result = c->arg[k] != NULL ? c->arg[k] : (PyObject *)c->array[k];
        if (p->nout == 1 && !c->kernel->return_tuple) {
            return Py_NewRef(result);
        }
        if (tuple == NULL) {
            return NULL;
        }
        PyTuple_SET_ITEM(tuple, k - p->nin, Py_NewRef(result));
    }
    return tuple;
}

/* The fast path decides shape and count without broadcasting. It is not taken with size= or
 * block_size=, which only the general path looks at. */
static int
run_on_current_stream(Call *c)
{
    const GnpKernelParams *p = &c->code->params;
    /* Types first: a mistake in them is more helpful than one in shapes. */
    GNP_TRY(gnp_params_types(p, c->kernel->name, c->arg, c->type));
    int plain = c->size == NULL && !c->code->needs_loop && c->block_size == 0 && is_plain_call(c);
    if (plain) {
        for (int k = 0; k < p->n; k++) {
            if (c->array[k] != NULL) {
                c->ndim = c->array[k]->ndim;
                c->count = c->array[k]->size;
                memcpy(c->shape, c->array[k]->dims, (size_t)c->ndim * sizeof *c->shape);
                break;
            }
        }
    }
    else {
        GNP_TRY(take_shape(c));
        GNP_TRY(count_elements(c));
    }
    GNP_TRY(take_scalars(c));
    GNP_TRY(make_outputs(c));
    /* After the outputs: an empty call has results, too. */
    if (c->count == 0) {
        return 0;
    }
    GNP_TRY(gnp_params_align_raw(p, c->array));
    GNP_TRY(plain ? run_in_engine(c, 1) : run_general(c));
    return gnp_params_write_back(p, c->array, c->arg);
fail:
    return -1;
}

/* Textures in a captured launch must live as long as the graph, which refers to their handles. */
static int
run(Call *c, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    GNP_NEW(c->device, gnp_device_current());
    GNP_TRY(take_arguments(c, args, nargs, kwnames));
    GNP_TRY(gnp_stream_from_object(c->stream_object, c->device, &c->stream));
    if (GNP_UNLIKELY(c->textures != NULL)) {
        GNP_TRY(gnp_capture_keep(c->stream, c->textures));
    }
    /* The caller's stream becomes the current one for the whole call, so that copies before and
     * after the launch are ordered with it. */
    if (c->stream_object == NULL || c->stream_object == Py_None) {
        return run_on_current_stream(c);
    }
    /* Restored also after errors. */
    CUstream before = gnp_stream_enter(c->device, c->stream);
    int status = run_on_current_stream(c);
    gnp_stream_leave(c->device, before);
    return status;
fail:
    return -1;
}

/* gpunp.optimizing chooses the size of the blocks, by trial calls of its own at first. Only calls
 * that write to new arrays alone can be repeated: those without outputs and without raw arrays. */
static int
ask_tuner(Call *c, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *given = NULL, *answer = NULL; /* owned */
    int64_t threads;
    int ret = -1;
    if (nargs != c->code->params.nin) {
        return 0;
    }
    for (int k = 0; k < c->code->params.n; k++) {
        if (c->code->params.param[k].is_raw) {
            return 0;
        }
    }
    GNP_NEW(given, PyTuple_New(nargs));
    for (Py_ssize_t k = 0; k < nargs; k++) {
        PyTuple_SET_ITEM(given, k, Py_NewRef(args[k]));
    }
    GNP_NEW(answer, PyObject_CallFunctionObjArgs(gnp_state.block_tuner, (PyObject *)c->kernel,
                                                 given, NULL));
    GNP_TRY(gnp_int64_from_object(answer, "block_size", &threads));
    c->block_size = (int)threads;
    ret = 0;
fail:
    Py_XDECREF(given);
    Py_XDECREF(answer);
    return ret;
}

/* Initialises only what the cleanup and the optional keywords read, since a Call has several
 * kilobytes and this is the path of every call. */
static PyObject *
kernel_vectorcall(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Call c;
    PyObject *ret = NULL;
    c.kernel = (const ElementwiseKernel *)self;
    c.code = c.kernel->code;
    c.size = c.stream_object = c.textures = NULL;
    c.block_size = 0;
    for (int k = 0; k < c.code->params.n; k++) {
        c.array[k] = c.foreign[k] = NULL;
    }
    const unsigned guests = gnp_peer_guests_begin();
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    int status = GNP_UNLIKELY(gnp_state.block_tuner != NULL) && kwnames == NULL
                     ? ask_tuner(&c, args, nargs)
                     : 0;
    if (status == 0 && run(&c, args, nargs, kwnames) == 0) {
        ret = results(&c);
    }
    gnp_peer_guests_end(guests);
    for (int k = 0; k < c.code->params.n; k++) {
        Py_XDECREF((PyObject *)c.array[k]);
        Py_XDECREF((PyObject *)c.foreign[k]);
    }
    Py_XDECREF(c.textures);
    return ret;
}

/* ---- the type -------------------------------------------------------------------------------- */

/* Removes the known keywords; those left are unknown. */
static int
take_kwargs(PyObject *kwargs, GnpElementwiseArguments *m)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(kwargs, &at, &key, &value)) {
        if (PyUnicode_CompareWithASCIIString(key, "options") == 0) {
            m->options = value;
        }
        else if (PyUnicode_CompareWithASCIIString(key, "loop_prep") == 0) {
            m->loop_prep = value;
        }
        else if (PyUnicode_CompareWithASCIIString(key, "after_loop") == 0) {
            m->after_loop = value;
        }
        else {
            PyErr_Format(PyExc_TypeError,
                         "ElementwiseKernel() got an unexpected keyword argument '%U'", key);
            return -1;
        }
    }
    return 0;
}

/* -1 with an exception if the object's truth value cannot be determined. */
static int
is_true(PyObject *object, int fallback)
{
    return object != NULL ? PyObject_IsTrue(object) : fallback;
}

/* Splits the keywords into those of the signature and others. The signature's grammar knows no
 * keywords that are passed on. */
static int
split_kwargs(PyObject *kwargs, PyObject **known, PyObject **others)
{
    static const char *const extra[] = {"options", "loop_prep", "after_loop"};
    GNP_NEW(*known, kwargs != NULL ? PyDict_Copy(kwargs) : PyDict_New());
    GNP_NEW(*others, PyDict_New());
    for (int k = 0; k < 3; k++) {
        PyObject *value = PyDict_GetItemString(*known, extra[k]);
        if (value != NULL) {
            GNP_TRY(PyDict_SetItemString(*others, extra[k], value));
            GNP_TRY(PyDict_DelItemString(*known, extra[k]));
        }
    }
    return 0;
fail:
    return -1;
}

/* The code is borrowed: equal kernels share it and it is never freed. The objects that the
 * instance owns are for its attributes only. */
static PyObject *
kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE(
        "ElementwiseKernel(in_params, out_params, operation, name='kernel', reduce_dims=True, "
        "preamble='', no_return=False, return_tuple=False)");
    PyObject *given[8], *known = NULL, *others = NULL, *options = NULL; /* the last three: owned */
    ElementwiseKernel *self = NULL;                                     /* returned */
    GNP_TRY(split_kwargs(kwargs, &known, &others));
    GNP_TRY(gnp_args_bind_call(&sig, args, known, given));
    GnpElementwiseArguments m = {
        .in_params = given[0], .out_params = given[1], .operation = given[2]};
    m.preamble = given[5];
    GNP_TRY(m.reduce_dims = is_true(given[4], 1));
    GNP_TRY(take_kwargs(others, &m));
    /* A copy: the caller may change a list, and the options are part of the code's identity. */
    if (m.options != NULL) {
        GNP_NEW(options, PySequence_Tuple(m.options));
        m.options = options;
    }
    GNP_NEW(self, (ElementwiseKernel *)type->tp_alloc(type, 0));
    self->vectorcall = kernel_vectorcall;
    GNP_NEW(self->name, given[3] != NULL ? Py_NewRef(given[3]) : PyUnicode_FromString("kernel"));
    m.name = self->name;
    self->operation = Py_NewRef(given[2]);
    GNP_NEW(self->preamble, given[5] != NULL ? Py_NewRef(given[5]) : PyUnicode_FromString(""));
    self->kwargs = Py_NewRef(others);
    GNP_TRY(self->no_return = is_true(given[6], 0));
    GNP_TRY(self->return_tuple = is_true(given[7], 0));
    /* Parses the parameters, so mistakes in them are raised here and not at the first call. */
    GNP_NEW(self->code, gnp_elementwise_code(&m));
    const GnpKernelParams *p = &self->code->params;
    GNP_NEW(self->in_params, gnp_params_tuple(p, 0, p->nin));
    GNP_NEW(self->out_params, gnp_params_tuple(p, p->nin, p->nout));
    GNP_NEW(self->params, gnp_params_tuple(p, 0, p->n));
    Py_DECREF(known);
    Py_DECREF(others);
    Py_XDECREF(options);
    return (PyObject *)self;
fail:
    Py_XDECREF(known);
    Py_XDECREF(others);
    Py_XDECREF(options);
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* The code and its compiled kernels stay for the next equal instance. */
static void
kernel_dealloc(PyObject *object)
{
    ElementwiseKernel *self = (ElementwiseKernel *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject **fields[] = {&self->name,      &self->operation,  &self->preamble, &self->kwargs,
                           &self->in_params, &self->out_params, &self->params};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        Py_CLEAR(*fields[k]);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

enum { GET_NIN, GET_NOUT, GET_NARGS, GET_REDUCE_DIMS, GET_NO_RETURN, GET_RETURN_TUPLE };

/* One getter for six attributes: `which` names the one in question. */
static PyObject *
kernel_get_number(PyObject *object, void *which)
{
    const ElementwiseKernel *self = (const ElementwiseKernel *)object;
    const GnpKernelParams *p = &self->code->params;
    switch ((int)(intptr_t)which) {
    case GET_NIN:
        return PyLong_FromLong(p->nin);
    case GET_NOUT:
        return PyLong_FromLong(p->nout);
    case GET_NARGS:
        return PyLong_FromLong(p->n);
    case GET_REDUCE_DIMS:
        return PyBool_FromLong(self->code->reduce_dims);
    case GET_NO_RETURN:
        return PyBool_FromLong(self->no_return);
    default:
        return PyBool_FromLong(self->return_tuple);
    }
}

/* A copy, so that the caller cannot change the table. */
static PyObject *
kernel_get_codes(PyObject *object, void *Py_UNUSED(closure))
{
    return PyDict_Copy(((ElementwiseKernel *)object)->code->codes);
}

static PyObject *
kernel_get_code(PyObject *object, void *Py_UNUSED(closure))
{
    return gnp_only_code(((ElementwiseKernel *)object)->code->codes);
}

static PyObject *
kernel_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<ElementwiseKernel '%U'>", ((ElementwiseKernel *)object)->name);
}

#define FIELD(name, doc) {#name, T_OBJECT_EX, offsetof(ElementwiseKernel, name), READONLY, doc}
static PyMemberDef kernel_members[] = {
    FIELD(name, "Name of the kernel."),
    {"__name__", T_OBJECT_EX, offsetof(ElementwiseKernel, name), READONLY, "Name of the kernel."},
    FIELD(operation, "Code for one element."),
    FIELD(preamble, "Code that precedes the kernel."),
    FIELD(kwargs, "Further keyword arguments of the constructor."),
    FIELD(in_params, "Input parameters, as ParameterInfo."),
    FIELD(out_params, "Output parameters, as ParameterInfo."),
    FIELD(params, "All parameters as ParameterInfo."),
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ElementwiseKernel, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

#define NUMBER(name, which, doc) {#name, kernel_get_number, NULL, doc, (void *)(intptr_t)(which)}
static PyGetSetDef kernel_getset[] = {
    NUMBER(nin, GET_NIN, "Number of inputs."),
    NUMBER(nout, GET_NOUT, "Number of outputs."),
    NUMBER(nargs, GET_NARGS, "Number of parameters."),
    NUMBER(reduce_dims, GET_REDUCE_DIMS, "Whether adjacent axes may be joined."),
    NUMBER(no_return, GET_NO_RETURN, "Whether a call returns None."),
    NUMBER(return_tuple, GET_RETURN_TUPLE, "Whether a single output is returned as a tuple."),
    {"cached_codes", kernel_get_codes, NULL, "Compiled code by the dtypes of the arguments.", NULL},
    {"cached_code", kernel_get_code, NULL, "Compiled code.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(
    kernel_doc,
    "ElementwiseKernel(in_params, out_params, operation, name='kernel', reduce_dims=True,\n"
    "                  preamble='', no_return=False, return_tuple=False, **kwargs)\n--\n\n"
    "User-defined elementwise function in CUDA C++.\n\n"
    "Calling it broadcasts the inputs, makes the outputs that are not passed, and runs the\n"
    "code once per element: kernel(*inputs, *outputs, size=None, stream=None,\n"
    "block_size=None).\n\n"
    "Parameters\n----------\n"
    "in_params, out_params : str\n"
    "    Comma-separated types and names: 'float32 x, T y, raw S z'. A type is the name of\n"
    "    a dtype, or a letter that stands for the dtype of the argument. A `raw` argument\n"
    "    is passed as a whole: z[i] is the i-th element in C order, z[ind] the one at an\n"
    "    array of indices, and z.size() and z.shape() give its size. With `size=`, a raw\n"
    "    output that is not passed is a new, uninitialised array of that shape. A texture\n"
    "    is an argument of type uint64.\n"
    "operation : str\n"
    "    Code for one element. It can use `i`, the element's index in C order; `n`, the\n"
    "    number of elements; and `_ind`, the index space (_ind.size(), _ind.shape(),\n"
    "    _ind.get()).\n"
    "name : str\n    Name of the kernel in messages.\n"
    "reduce_dims : bool\n    If True, adjacent axes may be joined in `_ind`.\n"
    "preamble : str\n    Code that precedes the kernel: functions, includes, macros.\n"
    "no_return, return_tuple : bool\n"
    "    Whether to return None, and whether to return a tuple for one output too.\n"
    "options : tuple of str\n    Options of the compiler, as a keyword argument.\n"
    "loop_prep, after_loop : str\n"
    "    Code that each thread runs before and after its elements, as keyword arguments.\n\n"
    "Notes\n-----\n"
    "Equal kernels share what was compiled. An output the code does not set keeps what it\n"
    "had if it was passed, and is 0 if not.\n\n"
    "Examples\n--------\n"
    ">>> import gpunp as cp\n"
    ">>> squared_diff = cp.ElementwiseKernel('T x, T y', 'T z', 'z = (x - y) * (x - y)')\n"
    ">>> squared_diff(cp.arange(4.0), 1)\n"
    "array([1., 0., 1., 4.])");

static PyType_Slot kernel_slots[] = {
    {Py_tp_doc, GNP_DOC(kernel_doc)}, {Py_tp_new, kernel_new},
    {Py_tp_dealloc, kernel_dealloc},  {Py_tp_call, PyVectorcall_Call},
    {Py_tp_repr, kernel_repr},        {Py_tp_members, kernel_members},
    {Py_tp_getset, kernel_getset},    {0, NULL},
};

static PyType_Spec kernel_spec = {
    .name = "gpunp.ElementwiseKernel",
    .basicsize = sizeof(ElementwiseKernel),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = kernel_slots,
};

static PyObject *
set_tuner(PyObject *Py_UNUSED(module), PyObject *function)
{
    Py_XSETREF(gnp_state.block_tuner, function == Py_None ? NULL : Py_NewRef(function));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_set_block_tuner", set_tuner, METH_O, "What is asked for a block_size, or None."},
    {NULL, NULL, 0, NULL},
};

int
gnp_elementwise_kernel_init(PyObject *module)
{
    if (gnp_params_init_type(module) < 0 || PyModule_AddFunctions(module, functions) < 0) {
        return -1;
    }
    kernel_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &kernel_spec, NULL);
    return kernel_type != NULL ? PyModule_AddType(module, kernel_type) : -1;
}

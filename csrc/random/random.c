/* Draws: random_draw(stream, distribution, size, dtype, out, parameters...) and random_integers,
 * one launch each.
 *
 * The kernel (kernels/random/random.cu) computes element k from the source, k and k's parameters; a
 * counter-based source (Philox) is advanced here, on the host, so nothing is read back and the
 * numbers do not depend on the grid. Invariant: a draw that fails before its launch leaves the
 * source unchanged.
 *
 * Called from gpunp.random with the GIL. The rows of tables/random.def are both the table here and
 * the text of the kernels: a row's expression is compiled when it is first drawn from.
 */

#include "random/random_parameters.h"

#include <string.h>

/* KEPT_BLOCK: sources with states in memory load and store one state per thread, which fewer
 * threads do at once. STORE_BYTES: the widest store of a thread. */
enum { BLOCK = 256, KEPT_BLOCK = 128, STORE_BYTES = 16, PHILOX_ROUNDS = 10 };

typedef enum DrawKind Kind;
/* FAST computes in the dtype of the result; REAL and COUNT in double, as single precision would
 * distort tails and large counts. */
typedef enum { FAST, REAL, COUNT } Result;

typedef struct {
    const char *name;
    Kind kind;
    Result result;
    const char *names, *checks, *prepared, *expression, *summary;
} Distribution;

static const Distribution distributions[] = {
#define DISTRIBUTION(id, kind, result, names, checks, prepared, expression, summary)               \
    {#id, DRAW_##kind, result, names, checks, prepared, expression, summary},
#include "tables/random.def"
};
enum {
#define DISTRIBUTION(id, kind, result, names, checks, prepared, expression, summary) ID_##id,
#include "tables/random.def"
    NDISTRIBUTIONS
};

/* One call. */
typedef struct {
    GnpRandomStream *source; /* borrowed */
    unsigned id;             /* a row, or NDISTRIBUTIONS for integers */
    Kind kind;
    const char *name, *prepared, *expression;
    GnpDtype computed, parameter, bound;
    GnpRandomParameters parameters;
    GnpArray *out; /* owned */
} Draw;

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Elements drawn at once, by the kernel's Group. Fixed by kind and dtype alone: it decides which of
 * the source's words element k gets. */
static int
group_size(const Draw *d)
{
    if (d->kind == DRAW_DRAWS) {
        return 1;
    }
    return d->kind == DRAW_BITS ? 16 / (int)gnp_itemsize(d->out) : d->computed == GNP_F32 ? 4 : 2;
}

/* Groups per thread, measured on an H200 at 2^28 elements. More where elements are expensive, since
 * a thread then prepares the parameters once for several. */
static int
unroll(const Draw *d, int64_t groups, const GnpDevice *device)
{
    if (d->kind == DRAW_BOUNDED || groups <= (int64_t)device->sm_count * 2048) {
        return 1;
    }
    return d->kind == DRAW_DRAWS || d->kind == DRAW_PAIRED ? 8 : 2;
}

const char *
gnp_random_origin_type(GnpOrigin origin)
{
    static const char *const types[] = {"Philox", "Xorwow", "Mrg32k3a", "Given"};
    return types[origin];
}

/* What distinguishes kernels of one distribution. */
typedef struct {
    int wide, store, unroll, block, nd, nparams;
} Shape;

static int
write_draw(GnpKernelText *text, const void *context)
{
    const Draw *d = context;
    gnp_text_add(&text->code,
                 "typedef %s Origin;\n"
                 "GNP_FN auto prepare(const P (&a)[NPARAMS]) { return %s; }\n"
                 "template <class X, class S>\n"
                 "GNP_FN F value(X &&x, const P (&a)[NPARAMS], const S &s) { return %s; }\n",
                 gnp_random_origin_type(d->source->origin), d->prepared, d->expression);
    gnp_text_add(&text->name, "%s__%s", d->name, gnp_dtypes[d->out->dtype].name);
    return 0;
}

static GnpKernel *
find_kernel(const Draw *d, const Shape *s, GnpDevice *device)
{
    GnpSpec_random spec = {GNP_SPEC(random),
                           .head.code = d->id,
                           .head.wide = s->wide,
                           .R = d->out->dtype,
                           .F = d->computed,
                           .P = d->parameter,
                           .Bound = d->bound,
                           .ORIGIN = d->source->origin,
                           .KIND = d->kind,
                           .NPARAMS = s->nparams,
                           .MIXED = d->parameters.narrays > 0,
                           .ND = s->nd,
                           .UNROLL = s->unroll,
                           .STORE = s->store,
                           .BLOCK = s->block};
    return gnp_kernel_find(device, &spec.head, write_draw, d);
}

/* The widest store `out` allows, in elements of one group. `out` may be a view whose first element
 * is less aligned than the pool's blocks. */
static int
store_width(const Draw *d, int group)
{
    int itemsize = (int)gnp_itemsize(d->out), width = STORE_BYTES / itemsize;
    width = width < group ? width : group;
    while (width > 1 && d->out->data % (uint64_t)(width * itemsize) != 0) {
        width /= 2;
    }
    return width;
}

void
gnp_random_add_origin(GnpParams *params, const GnpRandomStream *r)
{
    if (r->origin == GNP_PHILOX) {
        struct {
            uint64_t first;
            uint32_t stream, key[PHILOX_ROUNDS][2];
        } philox = {.first = r->position, .stream = r->stream};
        /* The round keys are the same for all threads, so they are computed here and passed as
         * parameters. */
        for (uint32_t i = 0; i < PHILOX_ROUNDS; i++) { /* by the golden ratio and sqrt(3) - 1 */
            philox.key[i][0] = (uint32_t)r->key + i * 0x9e3779b9u;
            philox.key[i][1] = (uint32_t)(r->key >> 32) + i * 0xbb67ae85u;
        }
        gnp_params_add(params, &philox, sizeof philox);
    }
    else if (r->origin == GNP_GIVEN) {
        gnp_params_add(params, &r->states->data, sizeof r->states->data);
    }
    else {
        const struct {
            CUdeviceptr states;
            uint64_t sequences;
        } kept = {r->states->data, GNP_RANDOM_SEQUENCES};
        gnp_params_add(params, &kept, sizeof kept);
    }
}

/* The kernel's Parameters: values, then addresses. */
static void
add_parameters(GnpParams *params, const GnpRandomParameters *p, int n, CUstream stream)
{
    uint64_t words[2 * GNP_RANDOM_PARAMETERS] = {0};
    for (int i = 0; i < p->n; i++) {
        if (p->array[i] == NULL) {
            words[i] = p->value[i].u;
            continue;
        }
        words[n + i] = p->array[i]->data;
        gnp_block_record(p->array[i]->block, stream);
    }
    gnp_params_add(params, words, sizeof *words * (size_t)(2 * n));
}

static int
launch(Draw *d)
{
    GnpParams params;
    GnpDevice *device;
    GnpKernel *kernel;
    GnpRandomStream *r = d->source;
    GnpRandomParameters *p = &d->parameters;
    int group = group_size(d);
    int64_t n = d->out->size, groups = gnp_ceil_div(n, group), blocks;

    GNP_NEW(device, gnp_device_current());
    int64_t most = gnp_random_threads(r);
    Shape s = {.store = store_width(d, group),
               .unroll = unroll(d, groups, device),
               .block = most > 0 ? KEPT_BLOCK : BLOCK,
               .nd = p->narrays > 0 ? gnp_axes_class(p->axes.naxes) : 1,
               .nparams = p->n > 0 ? p->n : 1};
    /* 65536 * 16: what the grid's last threads may count beyond n. */
    s.wide = n > INT32_MAX - 65536 * 16;
    for (int i = 0; i < p->n && p->narrays > 0; i++) {
        s.wide |= gnp_axes_reach(&p->axes, i) > INT32_MAX;
    }
    GNP_NEW(kernel, find_kernel(d, &s, device));
    CUstream stream = gnp_stream_current(device);
    /* A source with states has a fixed number of sequences, so at most that many threads; each
     * strides over the groups of its sequence. */
    blocks = most > 0 ? gnp_ceil_div(groups < most ? groups : most, s.block)
                      : gnp_ceil_div(groups, (int64_t)s.block * s.unroll);
    /* After everything that may fail, since it may consume words. */
    GNP_TRY(gnp_random_begin(r, groups, device, stream));
    gnp_params_init(&params, s.wide);
    gnp_params_add(&params, &d->out->data, sizeof d->out->data);
    gnp_random_add_origin(&params, r);
    add_parameters(&params, p, s.nparams, stream);
    p->axes.noperands = s.nparams;
    gnp_params_layout(&params, &p->axes, s.nd);
    gnp_params_index(&params, n);
    gnp_block_record(d->out->block, stream);
    int status = gnp_launch_blocks(kernel, blocks, s.block, stream, params.arg);
    return gnp_random_end(r, groups, stream, status);
fail:
    return -1;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* `out` as NumPy accepts it: contiguous, writeable, of the dtype, of the size where one is given.
 * Elements lie as they are drawn, so order F will do unless arrays of parameters are in order C. */
static int
take_out(Draw *d, PyObject *out, GnpDtype dtype, PyObject *size)
{
    int64_t shape[GNP_MAX_DIMS];
    const int wanted = GNP_WRITEABLE | GNP_ALIGNED;
    const int orders = GNP_C_CONTIGUOUS | (d->parameters.ndim == 0 ? GNP_F_CONTIGUOUS : 0);
    GnpArray *a = (GnpArray *)out;
    int is_array = gnp_array_check(out);
    if (is_array && (GnpDtype)a->dtype != dtype) {
        PyErr_Format(PyExc_TypeError,
                     "Supplied output array has the wrong type. Expected %s, got %s",
                     gnp_dtypes[dtype].name, gnp_dtypes[a->dtype].name);
        return -1;
    }
    if (!is_array || (a->flags & wanted) != wanted || !(a->flags & orders)) {
        PyErr_SetString(is_array ? PyExc_ValueError : PyExc_TypeError,
                        "Supplied output array must be a gpunp.ndarray, contiguous, writable and "
                        "aligned.");
        return -1;
    }
    if (size != Py_None) {
        int ndim = gnp_shape_from_object(size, shape);
        if (ndim < 0) {
            return -1;
        }
        if (ndim != a->ndim || memcmp(shape, gnp_shape(a), sizeof *shape * (size_t)ndim) != 0) {
            PyErr_SetString(PyExc_ValueError, "size must match out.shape when used together");
            return -1;
        }
    }
    d->out = gnp_readable_any(a, "random");
    return d->out != NULL ? 0 : -1;
}

/* The array to be filled, and the parameters' axes in it. */
static int
make_result(Draw *d, GnpDtype dtype, PyObject *size, PyObject *out)
{
    int64_t shape[GNP_MAX_DIMS];
    GnpRandomParameters *p = &d->parameters;
    if (out != Py_None) {
        if (take_out(d, out, dtype, size) < 0) {
            return -1;
        }
    }
    else {
        int ndim = p->ndim;
        if (size != Py_None) {
            ndim = gnp_shape_from_object(size, shape);
            GNP_TRY(ndim);
        }
        GNP_NEW(d->out, gnp_array_new(ndim, size != Py_None ? shape : p->shape, dtype, 'C'));
    }
    return gnp_random_parameters_fit(p, d->out->ndim, gnp_shape(d->out));
fail:
    return -1;
}

/* Fills the result and returns it. */
static PyObject *
finish(Draw *d)
{
    if (d->out->size > 0 && launch(d) < 0) {
        return NULL;
    }
    return Py_NewRef((PyObject *)d->out);
}

static int
stream_argument(PyObject *object, Draw *d)
{
    if (!Py_IS_TYPE(object, gnp_random_stream_type)) {
        PyErr_Format(PyExc_TypeError, "expected a RandomStream, not %.200s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    d->source = (GnpRandomStream *)object;
    return 0;
}

/* ---- random_draw ----------------------------------------------------------------------------- */

static int
float_dtype(PyObject *object, const Distribution *row, GnpDtype *out)
{
    *out = row->result == COUNT ? GNP_I64 : GNP_F64;
    if (object == Py_None) {
        return 0;
    }
    *out = gnp_dtype_from_object(object);
    if (*out == GNP_NO_DTYPE) {
        return -1;
    }
    char cls = gnp_dtypes[*out].cls;
    if (row->result == COUNT ? cls == 'i' || cls == 'u' : *out == GNP_F32 || *out == GNP_F64) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "Unsupported dtype %R for %s", gnp_dtype_object(*out), row->name);
    return -1;
}

PyDoc_STRVAR(draw_doc,
             "random_draw(stream, distribution, size, dtype, out, *parameters)\n--\n\n"
             "Numbers of a row of tables/random.def, which random_distributions() lists.");

static PyObject *
random_draw(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Draw d;
    GnpDtype dtype;
    PyObject *ret = NULL; /* returned */
    d.out = NULL;
    gnp_random_parameters_init(&d.parameters);
    int id = -1;
    /* Arguments come from gpunp.random only, so one message serves all mistakes. */
    if (nargs < 5 || gnp_int_from_object(args[1], "distribution", &id) < 0 || id < 0 ||
        id >= NDISTRIBUTIONS || nargs - 5 != (Py_ssize_t)strlen(distributions[id].checks)) {
        PyErr_SetString(PyExc_TypeError, "random_draw: no such distribution");
        return NULL;
    }
    const Distribution *row = &distributions[id];
    GNP_TRY(stream_argument(args[0], &d));
    GNP_TRY(float_dtype(args[3], row, &dtype));
    for (int i = 0; i < (int)nargs - 5; i++) {
        GNP_TRY(gnp_random_parameter(&d.parameters, args[5 + i], row->names, row->checks[i]));
    }
    d.id = (unsigned)id;
    d.kind = row->kind;
    d.name = row->name;
    d.prepared = row->prepared;
    d.expression = row->expression;
    d.computed = row->result == FAST ? dtype : GNP_F64;
    d.parameter = GNP_F64;
    d.bound = GNP_U32;
    GNP_TRY(make_result(&d, dtype, args[2], args[4]));
    ret = finish(&d);
fail:
    Py_XDECREF((PyObject *)d.out);
    gnp_random_parameters_clear(&d.parameters);
    return ret;
}

/* ---- random_integers ------------------------------------------------------------------------- */

/* Appends 2^bits modulo a count (0 means 2^bits): the threshold below which Lemire's method rejects
 * a word. Computed once here instead of by each thread: a remainder of 64 bits is slow on the
 * device. */
static void
add_least(GnpRandomParameters *p, int narrow)
{
    uint64_t count = p->value[1].u;
    uint32_t few = (uint32_t)count;
    p->value[p->n].u = narrow      ? (few > 0 ? (0 - few) % few : 0)
                       : count > 0 ? (0 - count) % count
                                   : 0;
    p->array[p->n++] = NULL;
}

PyDoc_STRVAR(
    integers_doc,
    "random_integers(stream, low, count, size, dtype)\n--\n\n"
    "`count` integers from low on; both are int or arrays of uint64, modulo 2^64, where a\n"
    "count of 0 means 2^64.");

static PyObject *
random_integers(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Draw d;
    PyObject *ret = NULL; /* returned */
    d.out = NULL;
    gnp_random_parameters_init(&d.parameters);
    GnpRandomParameters *p = &d.parameters;
    if (nargs != 5) {
        PyErr_SetString(PyExc_TypeError, "random_integers takes 5 arguments");
        return NULL;
    }
    GNP_TRY(stream_argument(args[0], &d));
    GnpDtype dtype = gnp_dtype_from_object(args[4]);
    if (dtype == GNP_NO_DTYPE || strchr("?iu", gnp_dtypes[dtype].cls) == NULL) {
        if (dtype != GNP_NO_DTYPE) {
            PyErr_Format(PyExc_TypeError, "Unsupported dtype %R for integers",
                         gnp_dtype_object(dtype));
        }
        goto fail;
    }
    GNP_TRY(gnp_random_parameter_bits(p, args[1]));
    GNP_TRY(gnp_random_parameter_bits(p, args[2]));
    int bits = dtype == GNP_BOOL ? 1 : 8 * gnp_dtypes[dtype].bytes;
    int scalar = p->array[1] == NULL;
    /* An array of counts on the device is not read: its largest value is taken to be the
     * dtype's. */
    uint64_t last = scalar ? p->value[1].u - 1 : UINT64_MAX >> (64 - bits);
    /* All values of the dtype: words are stored as they are, without rejection. */
    int whole = scalar && last == UINT64_MAX >> (64 - bits), narrow = last <= UINT32_MAX;
    d.id = NDISTRIBUTIONS;
    d.kind = whole ? DRAW_BITS : DRAW_BOUNDED;
    d.name = whole ? "random_bits" : "random_integers";
    d.prepared = "Nothing()";
    d.expression = "F(0)";
    d.computed = narrow ? GNP_F32 : GNP_F64;
    d.parameter = GNP_U64;
    d.bound = narrow ? GNP_U32 : GNP_U64;
    if (d.kind == DRAW_BOUNDED && scalar) {
        add_least(p, narrow);
    }
    GNP_TRY(make_result(&d, dtype, args[3], Py_None));
    ret = finish(&d);
fail:
    Py_XDECREF((PyObject *)d.out);
    gnp_random_parameters_clear(p);
    return ret;
}

PyDoc_STRVAR(rows_doc, "random_distributions()\n--\n\n"
                       "The rows of tables/random.def: (name, parameters, summary), by number.");

static PyObject *
random_distributions(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    PyObject *list = PyList_New(NDISTRIBUTIONS);
    for (int i = 0; list != NULL && i < NDISTRIBUTIONS; i++) {
        const Distribution *row = &distributions[i];
        PyObject *item = Py_BuildValue("(sss)", row->name, row->names, row->summary);
        if (item == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, i, item);
    }
    return list;
}

static PyMethodDef functions[] = {
    {"random_distributions", random_distributions, METH_NOARGS, rows_doc},
    {"random_draw", (PyCFunction)(void (*)(void))random_draw, METH_FASTCALL, draw_doc},
    {"random_integers", (PyCFunction)(void (*)(void))random_integers, METH_FASTCALL, integers_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_random_init(PyObject *module)
{
    GNP_TRY(gnp_random_stream_init(module));
    GNP_TRY(gnp_random_rows_init(module));
    GNP_TRY(gnp_random_permutation_init(module));
    GNP_TRY(gnp_random_sample_init(module));
    return PyModule_AddFunctions(module, functions);
fail:
    return -1;
}

/* matmul, vecdot, matvec and vecmat: generalized ufuncs over the product engine.
 *
 * An object is a ufunc whose row is one of `rows`; its loops, promotion and cast errors are those
 * of any row. What differs is shapes: every operand has core axes, last unless axes= or axis= move
 * them, and the rest broadcasts. A call becomes one GnpProduct on views; nothing is copied but an
 * input that is unaligned, or a result whose memory overlaps an input.
 *
 * All under the GIL; one Call on the stack has the references. gnp_matmul and gnp_matmul_inplace
 * are the operators @ and @=.
 *
 * The call is asynchronous: it returns when the product is queued. Errors and their order are
 * NumPy's.
 */
#include "product/product.h"

#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

/* Core dimensions: the rows of the left matrix, what is summed over, the columns of the right one.
 *
 * A core dimension's size is in Call.size[dim]; NDIMS indexes a size of 1 there.
 */
typedef enum { DIM_M, DIM_K, DIM_N, NDIMS } Dim;
enum { NOPERANDS = 3, MAX_CORE = 2, OUT = 2 };

/* A row of the signature: for each operand its core dimensions, in the order of its last axes.
 * `ndistinct` counts different dimensions, on which axis= and keepdims= depend. */
typedef struct {
    const char *signature;
    unsigned char ncore[NOPERANDS];
    unsigned char core[NOPERANDS][MAX_CORE]; /* Dims */
    unsigned char has_optional, conjugate, ndistinct;
} Core;

#define PRODUCT_ROW(NAME, SUMMARY)                                                                 \
    {.op = {.name = NAME, .expression = "a * b", .nin = 2, .nout = 1},                             \
     .rule = RULE_SAME,                                                                            \
     .identity = IDENTITY_NONE,                                                                    \
     .result = "SAME",                                                                             \
     .classes = "?iufc",                                                                           \
     .identity_name = "NONE",                                                                      \
     .summary = SUMMARY}

enum { MATMUL, VECDOT, MATVEC, VECMAT, NPRODUCTS };

static const GnpUfuncRow rows[NPRODUCTS] = {
    PRODUCT_ROW("matmul", "Multiply matrices, or stacks of them."),
    PRODUCT_ROW("vecdot", "Dot products of vectors; complex x1 are conjugated."),
    PRODUCT_ROW("matvec", "Multiply matrices by vectors."),
    PRODUCT_ROW("vecmat", "Multiply vectors by matrices; complex x1 are conjugated."),
};

static const Core cores[NPRODUCTS] = {
    {"(n?,k),(k,m?)->(n?,m?)",
     {2, 2, 2},
     {{DIM_M, DIM_K}, {DIM_K, DIM_N}, {DIM_M, DIM_N}},
     1,
     0,
     3},
    {"(n),(n)->()", {1, 1, 0}, {{DIM_K}, {DIM_K}, {0}}, 0, 1, 1},
    {"(m,n),(n)->(m)", {2, 1, 1}, {{DIM_M, DIM_K}, {DIM_K}, {DIM_M}}, 0, 0, 2},
    {"(n),(n,m)->(m)", {1, 2, 1}, {{DIM_K}, {DIM_K, DIM_N}, {DIM_N}}, 0, 1, 2},
};

/* ---- a call ---------------------------------------------------------------------------------- */

/* Everything about one call, on the stack; `array` has the references that run() drops. */
typedef struct {
    GnpUfunc *u;
    const Core *core;
    PyObject *in[2], *out; /* borrowed; out may be NULL */
    PyObject *axes, *axis; /* borrowed, or NULL */
    int keepdims, any_wanted, plain;
    GnpDtype wanted[NOPERANDS];
    GnpCasting casting;
    char order;

    GnpArray *array[NOPERANDS]; /* owned; the last is what is written */
    GnpLoop loop;
    int ncore[NOPERANDS];                   /* without the optional dimensions that are missing */
    unsigned char dim[NOPERANDS][MAX_CORE]; /* NDIMS: the axis of length 1 that keepdims leaves */
    int axis_of[NOPERANDS][MAX_CORE];       /* which axis of the operand; its own count of axes */
    int64_t size[NDIMS + 1];
    int nbatch;
    int64_t batch[GNP_MAX_DIMS];
} Call;

/* Messages begin with the ufunc's name, as NumPy's do. */
static int
error(const Call *c, PyObject *type, const char *text)
{
    PyErr_Format(type, "%s: %s", c->u->row->op.name, text);
    return -1;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A tuple of one entry is NumPy's general form of out=. */
static int
take_out(Call *c, PyObject *out)
{
    if (PyTuple_Check(out)) {
        if (PyTuple_GET_SIZE(out) != 1) {
            PyErr_SetString(PyExc_ValueError,
                            "The 'out' tuple must have exactly one entry per ufunc output");
            return -1;
        }
        out = PyTuple_GET_ITEM(out, 0);
    }
    if (out != Py_None && !gnp_array_check(out)) {
        PyErr_Format(PyExc_TypeError, "%s: return arrays must be gpunp arrays, not %R",
                     c->u->row->op.name, Py_TYPE(out));
        return -1;
    }
    /* None is an output that was not given. */
    c->out = out == Py_None ? NULL : out;
    return 0;
}

/* None leaves the type open; any_wanted sends the search for a loop to the slower function. */
static int
want(Call *c, int i, PyObject *dtype)
{
    if (dtype == Py_None) {
        return 0;
    }
    c->wanted[i] = gnp_dtype_from_object(dtype);
    c->any_wanted = 1;
    return c->wanted[i] == GNP_NO_DTYPE ? -1 : 0;
}

/* "dd->d", ('d', 'd', 'd') or one dtype for the result. */
static int
take_signature(Call *c, PyObject *signature)
{
    /* A tuple of another length is no signature, and dtype() raises below. */
    if (PyTuple_Check(signature) && PyTuple_GET_SIZE(signature) == NOPERANDS) {
        for (int i = 0; i < NOPERANDS; i++) {
            if (want(c, i, PyTuple_GET_ITEM(signature, i)) < 0) {
                return -1;
            }
        }
        return 0;
    }
    /* "dd->d" has the operands' letters at 0, 1 and 4. */
    if (PyUnicode_Check(signature) && PyUnicode_GET_LENGTH(signature) == NOPERANDS + 2) {
        static const int places[NOPERANDS] = {0, 1, 4};
        for (int i = 0; i < NOPERANDS; i++) {
            PyObject *letter = PyUnicode_Substring(signature, places[i], places[i] + 1);
            int status = letter != NULL ? want(c, i, letter) : -1;
            Py_XDECREF(letter);
            if (status < 0) {
                return -1;
            }
        }
        return 0;
    }
    return want(c, OUT, signature);
}

/* Names are compared as text: keywords are rare in calls of these functions. */
static int
take_keyword(Call *c, const char *name, PyObject *value)
{
    if (strcmp(name, "out") == 0) {
        if (c->out != NULL) {
            PyErr_SetString(PyExc_TypeError,
                            "cannot specify 'out' as both a positional and keyword argument");
            return -1;
        }
        return value == Py_Ellipsis ? 0
                                    : take_out(c, value); /* ...: an array, as results always are */
    }
    if (strcmp(name, "dtype") == 0) {
        return want(c, OUT, value);
    }
    if (strcmp(name, "signature") == 0 || strcmp(name, "sig") == 0) {
        return take_signature(c, value);
    }
    if (strcmp(name, "casting") == 0) {
        return gnp_casting_from_object(value, &c->casting);
    }
    if (strcmp(name, "order") == 0) {
        return gnp_order_from_object(value, 'K', &c->order);
    }
    if (strcmp(name, "subok") == 0) {
        c->plain = PyObject_Not(value);
        return c->plain < 0 ? -1 : 0;
    }
    if (strcmp(name, "axes") == 0) {
        c->axes = value;
        return 0;
    }
    if (strcmp(name, "axis") == 0) {
        c->axis = value == Py_None ? NULL : value;
        return 0;
    }
    if (strcmp(name, "keepdims") == 0) {
        c->keepdims = PyObject_IsTrue(value);
        return c->keepdims < 0 ? -1 : 0;
    }
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'",
                 c->u->row->op.name, name);
    return -1;
}

/* Run after all keywords are known, since they may come in any order. */
static int
check_axis_arguments(const Call *c)
{
    if (c->axes != NULL && c->axis != NULL) {
        PyErr_SetString(PyExc_TypeError, "cannot specify both 'axis' and 'axes'");
        return -1;
    }
    if (c->axis != NULL && PyTuple_Check(c->axis)) { /* an entry of `axes` may be one */
        PyErr_SetString(PyExc_TypeError, "'tuple' object cannot be interpreted as an integer");
        return -1;
    }
    if (c->axis != NULL && c->core->ndistinct != 1) {
        PyErr_Format(PyExc_TypeError,
                     "%s: axis can only be used with a single shared core dimension, not with the "
                     "%d distinct ones implied by signature %s.",
                     c->u->row->op.name, c->core->ndistinct, c->core->signature);
        return -1;
    }
    if (c->keepdims && c->core->ndistinct != 1) {
        int same = c->core->ncore[0] == c->core->ncore[1];
        PyErr_Format(
            PyExc_TypeError,
            "%s does not support keepdims: its signature %s requires %s %d to have %d core "
            "dimensions, but keepdims can only be used when all inputs have the same "
            "number of core dimensions and all outputs have no core dimensions.",
            c->u->row->op.name, c->core->signature, same ? "output" : "input", !same,
            c->core->ncore[same ? OUT : 1]);
        return -1;
    }
    if (c->axes != NULL && !PyList_Check(c->axes)) {
        PyErr_SetString(PyExc_TypeError, "axes should be a list.");
        return -1;
    }
    return 0;
}

/* Everything stays borrowed from the caller's vector, which outlives the call. */
static int
take_arguments(Call *c, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (nargs < 2 || nargs > 3) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes from 2 to 3 positional arguments but %zd %s given",
                     c->u->row->op.name, nargs, nargs == 1 ? "was" : "were");
        return -1;
    }
    c->in[0] = args[0];
    c->in[1] = args[1];
    /* The output may follow the inputs by position. */
    if (nargs == 3 && take_out(c, args[2]) < 0) {
        return -1;
    }
    Py_ssize_t nkeys = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < nkeys; i++) {
        const char *name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i));
        if (name == NULL || take_keyword(c, name, args[nargs + i]) < 0) {
            return -1;
        }
    }
    return nkeys > 0 ? check_axis_arguments(c) : 0;
}

/* ---- operands and types ---------------------------------------------------------------------- */

/* Numbers become arrays, so that the check of dimensions refuses them as NumPy does. Host arrays
 * are refused: no transfer happens without the user's request. */
static int
take_input(Call *c, int i)
{
    PyObject *object = c->in[i];
    if (gnp_array_check(object)) {
        c->array[i] = (GnpArray *)Py_NewRef(object);
        return 0;
    }
    int is_number = gnp_weak_kind(object) != GNP_WEAK_NONE || gnp_is_numpy_scalar(object);
    /* Arrays of other libraries on the device are taken without a copy. */
    if (!is_number && (gnp_is_numpy_array(object) ||
                       !PyObject_HasAttr(object, gnp_state.str___cuda_array_interface__))) {
        return gnp_ufunc_bad_operand(c->u, object);
    }
    c->array[i] = gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K');
    return c->array[i] != NULL ? 0 : -1;
}

/* A product reads all operands from one device. */
static int
check_devices(Call *c)
{
    for (int i = 0; i < 2; i++) {
        if (gnp_array_bring(&c->array[i]) < 0) {
            return -1;
        }
    }
    GnpArray *const arrays[NOPERANDS] = {c->array[0], c->array[1], (GnpArray *)c->out};
    return gnp_ufunc_check_devices(c->u->row, arrays, NOPERANDS);
}

/* Equal dtypes, the common case, need no promotion. */
static int
find_loop(Call *c)
{
    GnpInputType types[2] = {{c->array[0]->dtype, GNP_WEAK_NONE},
                             {c->array[1]->dtype, GNP_WEAK_NONE}};
    if (!c->any_wanted && types[0].dtype == types[1].dtype) {
        return gnp_loop_of_type(c->u->row, types[0].dtype, &c->loop)
                   ? 0
                   : gnp_ufunc_no_loop(c->u, types);
    }
    if (!c->any_wanted) {
        if (!gnp_loop_find(c->u->row, types, &c->loop)) {
            return gnp_ufunc_no_loop(c->u, types);
        }
    }
    else if (!gnp_loop_find_matching(c->u->row, types, c->wanted, &c->loop)) {
        return gnp_ufunc_no_match(c->u);
    }
    for (int i = 0; i < 2; i++) {
        if (!gnp_can_cast(types[i].dtype, c->loop.dtype[i], c->casting)) {
            return gnp_ufunc_cast_error(c->u, 0, i, types[i].dtype, c->loop.dtype[i], c->casting);
        }
        if (gnp_warn_if_discarded(types[i].dtype, c->loop.dtype[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- core axes ------------------------------------------------------------------------------- */

/* The given output takes part in shapes like an input; a new one does not exist yet. */
static const GnpArray *
operand(const Call *c, int i)
{
    return i == OUT ? (GnpArray *)c->out : c->array[i];
}

/* Which core dimensions each operand has. Those of matmul's matrices that are optional are missing
 * from vectors. */
static int
count_core(Call *c)
{
    int missing[NDIMS] = {0, 0, 0};
    for (int i = 0; i < 2; i++) {
        int ndim = c->array[i]->ndim, least = c->core->has_optional ? 1 : c->core->ncore[i];
        if (ndim < least) {
            PyErr_Format(
                PyExc_ValueError,
                "%s: Input operand %d does not have enough dimensions (has %d, gufunc core "
                "with signature %s requires %d)",
                c->u->row->op.name, i, ndim, c->core->signature, least);
            return -1;
        }
        /* Only matmul comes here: the others have returned with the error. */
        if (ndim < c->core->ncore[i]) {
            missing[i == 0 ? DIM_M : DIM_N] = 1;
        }
    }
    for (int i = 0; i < NOPERANDS; i++) {
        c->ncore[i] = 0;
        for (int k = 0; k < c->core->ncore[i]; k++) {
            if (!missing[c->core->core[i][k]]) {
                c->dim[i][c->ncore[i]++] = c->core->core[i][k];
            }
        }
    }
    /* An axis of length 1 in the place of those that the sum removes. */
    if (c->keepdims) {
        c->dim[OUT][c->ncore[OUT]++] = NDIMS;
    }
    if (c->out != NULL && operand(c, OUT)->ndim < c->ncore[OUT]) {
        PyErr_Format(PyExc_ValueError,
                     "%s: Output operand 0 does not have enough dimensions (has %d, gufunc core "
                     "with signature %s requires %d)",
                     c->u->row->op.name, operand(c, OUT)->ndim, c->core->signature, c->ncore[OUT]);
        return -1;
    }
    return 0;
}

/* The type is NumPy's own, which programs catch. */
static int
axis_error(const Call *c, const char *format, int i, int wanted, Py_ssize_t given)
{
    PyObject *exceptions = PyObject_GetAttrString(gnp_state.numpy, "exceptions"); /* owned */
    PyObject *type = exceptions != NULL ? PyObject_GetAttrString(exceptions, "AxisError") : NULL;
    if (type != NULL) {
        PyErr_Format(type, format, c->u->row->op.name, i, wanted, given);
    }
    Py_XDECREF(exceptions);
    Py_XDECREF(type);
    return -1;
}

/* The axes of operand i, which has `ndim` of them, from an entry of axes=: an int or a tuple. */
static int
take_entry(Call *c, int i, int ndim, PyObject *entry)
{
    /* An int is a short form for one core axis. */
    int is_tuple = PyTuple_Check(entry), n = c->ncore[i];
    if (!is_tuple && n != 1) {
        if (!PyIndex_Check(entry)) {
            PyErr_Format(PyExc_TypeError, "axes item %d should be a tuple.", i);
            return -1;
        }
        return axis_error(
            c, "%s: operand %d has %d core dimensions, but the axes item is a single integer.", i,
            n, 0);
    }
    if (is_tuple && PyTuple_GET_SIZE(entry) != n) {
        return axis_error(c,
                          "%s: operand %d has %d core dimensions, but %zd dimensions are specified "
                          "by axes tuple.",
                          i, n, PyTuple_GET_SIZE(entry));
    }
    for (int k = 0; k < n; k++) {
        PyObject *number = PyNumber_Index(is_tuple ? PyTuple_GET_ITEM(entry, k) : entry);
        int64_t axis = number != NULL ? PyLong_AsLongLong(number) : -1;
        Py_XDECREF(number);
        if ((axis == -1 && PyErr_Occurred()) ||
            gnp_normalize_axis(axis, ndim, &c->axis_of[i][k]) < 0) {
            return -1;
        }
    }
    /* There are at most two, so one comparison finds a repetition. */
    if (n == 2 && c->axis_of[i][0] == c->axis_of[i][1]) {
        PyErr_Format(PyExc_ValueError, "axes item %d has value %d repeated", i, c->axis_of[i][0]);
        return -1;
    }
    return 0;
}

/* Where operand i, of `ndim` axes, has its core axes. */
static int
place_core(Call *c, int i, int ndim)
{
    int n = c->ncore[i];
    for (int k = 0; k < n; k++) {
        c->axis_of[i][k] = ndim - n + k;
    }
    /* One axis for all operands that have a core axis. */
    if (c->axis != NULL && n > 0) {
        return take_entry(c, i, ndim, c->axis);
    }
    if (c->axes == NULL) {
        return 0;
    }
    /* An output without core axes needs no entry. */
    Py_ssize_t given = PyList_GET_SIZE(c->axes);
    if (given != NOPERANDS && (given != 2 || c->core->ncore[OUT] != 0)) {
        PyErr_SetString(PyExc_ValueError,
                        "axes should be a list with an entry for all 3 inputs and outputs; entries "
                        "for outputs can only be omitted if none of them has core axes.");
        return -1;
    }
    if (i < given) {
        /* owned, as an __index__ may change the list */
        PyObject *entry = Py_NewRef(PyList_GET_ITEM(c->axes, i));
        int status = take_entry(c, i, ndim, entry);
        Py_DECREF(entry);
        return status;
    }
    return 0; /* an axis that keepdims leaves comes last */
}

/* Core axes number at most two, so two comparisons do. */
static int
is_core(const Call *c, int i, int axis)
{
    return (c->ncore[i] > 0 && c->axis_of[i][0] == axis) ||
           (c->ncore[i] > 1 && c->axis_of[i][1] == axis);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The axes of operand i that are not core, in order. */
static int
loop_shape(const Call *c, int i, int64_t *shape)
{
    const GnpArray *a = operand(c, i);
    int n = 0;
    for (int axis = 0; axis < a->ndim; axis++) {
        if (!is_core(c, i, axis)) {
            shape[n++] = gnp_shape(a)[axis];
        }
    }
    return n;
}

/* -1 stands for a size that no operand has given yet. */
static int
match_core(Call *c, int i)
{
    const GnpArray *a = operand(c, i);
    for (int k = 0; k < c->ncore[i]; k++) {
        /* The first operand that has the dimension gives its size. */
        int64_t size = gnp_shape(a)[c->axis_of[i][k]], *known = &c->size[c->dim[i][k]];
        if (*known >= 0 && *known != size) {
            PyErr_Format(PyExc_ValueError,
                         "%s: %s operand %d has a mismatch in its core dimension %d, with gufunc "
                         "signature %s (size %lld is different from %lld)",
                         c->u->row->op.name, i == OUT ? "Output" : "Input", i == OUT ? 0 : i, k,
                         c->core->signature, (long long)size, (long long)*known);
            return -1;
        }
        *known = size;
    }
    return 0;
}

/* "(2,3)", and "newaxis" for axes that are not there, as NumPy prints shapes here. */
static void
write_shape(GnpText *text, int ndim, const int64_t *shape, int ncore)
{
    gnp_text_add(text, "(");
    for (int axis = 0; axis < ndim; axis++) {
        gnp_text_add(text, axis > 0 ? ",%lld" : "%lld", (long long)shape[axis]);
    }
    for (int axis = 0; axis < ncore; axis++) {
        gnp_text_add(text, ndim + axis > 0 ? ",newaxis" : "newaxis");
    }
    gnp_text_add(text, ndim == 1 && ncore == 0 ? ",)" : ")");
}

/* NumPy prints original and remapped shapes, where core axes are "newaxis". */
static int
bad_shapes(const Call *c)
{
    GnpText text = {0}; /* owned */
    /* The result's core sizes, which NumPy calls the requested shape. */
    int64_t core[MAX_CORE];
    int n = c->ncore[OUT];
    gnp_text_add(&text, "operands could not be broadcast together with remapped shapes "
                        "[original->remapped]: ");
    for (int i = 0; i < NOPERANDS; i++) {
        const GnpArray *a = operand(c, i);
        int64_t shape[GNP_MAX_DIMS];
        if (a == NULL) {
            continue;
        }
        write_shape(&text, a->ndim, gnp_shape(a), 0);
        gnp_text_add(&text, "->");
        if (i == OUT) {
            write_shape(&text, a->ndim, gnp_shape(a), 0);
        }
        else {
            int nloop = loop_shape(c, i, shape);
            write_shape(&text, nloop, shape, nloop > 0 ? n : 0);
        }
        gnp_text_add(&text, " ");
    }
    for (int k = 0; k < n; k++) {
        core[k] = c->size[c->dim[OUT][k]];
    }
    gnp_text_add(&text, " and requested shape ");
    write_shape(&text, n, core, 0);
    if (gnp_text_finish(&text) == 0) {
        PyErr_SetString(PyExc_ValueError, text.text);
    }
    gnp_text_clear(&text);
    return -1;
}

/* Core axes are placed and matched first, then the others broadcast, in NumPy's order. */
static int
find_shapes(Call *c)
{
    int64_t shape[GNP_MAX_DIMS];
    c->size[DIM_M] = c->size[DIM_K] = c->size[DIM_N] = -1;
    /* The size of the axis that keepdims leaves. */
    c->size[NDIMS] = 1;
    c->nbatch = 0;
    for (int i = 0; i < NOPERANDS; i++) {
        const GnpArray *a = operand(c, i);
        if (a != NULL) {
            GNP_TRY(place_core(c, i, a->ndim));
            GNP_TRY(match_core(c, i));
        }
    }
    for (int i = 0; i < NOPERANDS; i++) {
        if (operand(c, i) == NULL) {
            continue;
        }
        int n = loop_shape(c, i, shape);
        if (gnp_broadcast_shape(&c->nbatch, c->batch, n, shape) < 0) {
            if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
                return -1;
            }
            PyErr_Clear();
            return bad_shapes(c);
        }
    }
    for (int k = 0; k < NDIMS; k++) {
        /* The missing dimension of a vector: one row or one column. */
        c->size[k] = c->size[k] < 0 ? 1 : c->size[k];
    }
    /* NumPy does not broadcast the inputs to `out`. */
    if (c->out != NULL) {
        int n = loop_shape(c, OUT, shape);
        if (n != c->nbatch || memcmp(shape, c->batch, (size_t)n * sizeof *shape) != 0) {
            PyErr_SetString(PyExc_ValueError,
                            "output operand requires a reduction along dimension -1, but the "
                            "reduction is not enabled. The dimension size of 1 does not match the "
                            "expected output shape.");
            return -1;
        }
    }
    return 0;
fail:
    return -1;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* With order 'K' the result is C-ordered, as NumPy's matmul returns it. */
static int
new_output(Call *c)
{
    int64_t shape[GNP_MAX_DIMS];
    int ndim = c->nbatch + c->ncore[OUT], next = 0;
    if (ndim > GNP_MAX_DIMS) {
        return error(c, PyExc_ValueError, "the result would have more than 64 dimensions");
    }
    /* Only now: the number of axes follows from the batch. */
    if (place_core(c, OUT, ndim) < 0) {
        return -1;
    }
    memcpy(shape, c->batch, (size_t)c->nbatch * sizeof *shape);
    for (int k = 0; k < c->ncore[OUT]; k++) {
        shape[c->nbatch + k] = c->size[c->dim[OUT][k]];
    }
    GnpArray *out = gnp_array_new(ndim, shape, c->loop.dtype[OUT], c->order == 'F' ? 'F' : 'C');
    c->array[OUT] = out;
    if (out == NULL || (c->axes == NULL && c->axis == NULL)) {
        return out != NULL ? 0 : -1;
    }
    /* In memory, batch axes come first and core axes last, whatever axes= and axis= are. */
    int64_t strides[GNP_MAX_DIMS];
    memcpy(strides, gnp_strides(out), (size_t)ndim * sizeof *strides);
    for (int axis = 0; axis < ndim; axis++) {
        int from = !is_core(c, OUT, axis)       ? next++
                   : c->axis_of[OUT][0] == axis ? c->nbatch
                                                : c->nbatch + 1;
        gnp_shape(out)[axis] = shape[from];
        gnp_strides(out)[axis] = strides[from];
    }
    /* Shape and strides were changed in place, which is allowed as nobody else has the array
     * yet. */
    gnp_array_update_flags(out);
    return 0;
}

/* The array that is written: the given one, or a new one where it overlaps an input. */
static int
take_output(Call *c)
{
    GnpArray *given = (GnpArray *)c->out;
    GnpDtype dtype = c->loop.dtype[OUT];
    if (given == NULL) {
        return new_output(c);
    }
    if (gnp_check_writeable(given) < 0) {
        return -1;
    }
    /* Before anything is allocated or computed. */
    if (!gnp_can_cast(dtype, given->dtype, c->casting)) {
        return gnp_ufunc_cast_error(c->u, 1, 0, dtype, given->dtype, c->casting);
    }
    if (gnp_warn_if_discarded(dtype, given->dtype) < 0) {
        return -1;
    }
    /* An unaligned output, too, is computed elsewhere and copied. */
    int apart = (given->flags & GNP_ALIGNED) != 0 &&
                (c->array[0] == NULL || given->device_id == c->array[0]->device_id);
    for (int i = 0; apart && i < 2; i++) {
        /* The exact test is bounded: 10000 steps; without an answer the result is computed apart
         * and copied. */
        apart = !gnp_may_overlap(given, c->array[i]) ||
                gnp_solve_overlap(given, c->array[i], 10000) == 0;
    }
    c->array[OUT] = apart ? (GnpArray *)Py_NewRef(c->out)
                          : gnp_array_new(given->ndim, gnp_shape(given), given->dtype, 'C');
    return c->array[OUT] != NULL ? 0 : -1;
}

/* ---- the product ----------------------------------------------------------------------------- */

/* 0 for a dimension the operand lacks, so a vector is a matrix of one row. */
static int64_t
core_stride(const Call *c, int i, Dim dim)
{
    for (int k = 0; k < c->ncore[i]; k++) {
        if (c->dim[i][k] == dim) {
            return gnp_strides(c->array[i])[c->axis_of[i][k]];
        }
    }
    return 0;
}

/* Strides of operand i along the batch: 0 where it is broadcast. */
static void
loop_strides(const Call *c, int i, int64_t *strides)
{
    const GnpArray *a = c->array[i];
    int to = c->nbatch;
    /* From the last axis on, as shapes are aligned there. */
    for (int axis = a->ndim - 1; axis >= 0; axis--) {
        if (!is_core(c, i, axis)) {
            strides[--to] = gnp_shape(a)[axis] == 1 ? 0 : gnp_strides(a)[axis];
        }
    }
    /* Axes that the operand lacks are before its own, as in broadcasting. */
    while (to > 0) {
        strides[--to] = 0;
    }
}

/* A vector becomes a matrix with a stride of 0 along the missing dimension, whose size is 1. */
static GnpMatrix
matrix(const Call *c, int i, Dim row, Dim column)
{
    const GnpArray *a = c->array[i];
    return (GnpMatrix){.data = a->data,
                       .block = a->block,
                       .dtype = a->dtype,
                       .conjugate = i == 0 && c->core->conjugate && gnp_dtypes[a->dtype].cls == 'c',
                       .row = core_stride(c, i, row),
                       .column = core_stride(c, i, column)};
}

/* Batch axes are added from the last to the first, as GnpAxes has the fastest first. */
static int
multiply(const Call *c)
{
    GnpProduct p;
    int64_t strides[NOPERANDS][GNP_MAX_DIMS];
    p.a = matrix(c, 0, DIM_M, DIM_K);
    p.b = matrix(c, 1, DIM_K, DIM_N);
    p.out = matrix(c, OUT, DIM_M, DIM_N);
    /* Inputs are converted to it as they are read, see product.c. */
    p.loop = c->loop.dtype[OUT];
    p.m = c->size[DIM_M];
    p.k = c->size[DIM_K];
    p.n = c->size[DIM_N];
    /* Broadcast operands have strides of 0 in it, so nothing is repeated in memory. */
    gnp_axes_init(&p.batch, NOPERANDS);
    for (int i = 0; i < NOPERANDS; i++) {
        loop_strides(c, i, strides[i]);
    }
    for (int axis = c->nbatch - 1; axis >= 0; axis--) {
        const int64_t step[NOPERANDS] = {strides[0][axis], strides[1][axis], strides[2][axis]};
        gnp_axes_add(&p.batch, c->batch[axis], step);
    }
    return gnp_product(&p);
}

/* The output that was given, or the new array in the class of the inputs. */
static PyObject *
result_of(Call *c)
{
    PyObject *parent = NULL; /* borrowed */
    if (c->out != NULL) {
        return Py_NewRef(c->out);
    }
    if (!c->plain && gnp_highest_subclass(c->in, 2, &parent) < 0) {
        return NULL;
    }
    PyObject *ret = (PyObject *)c->array[OUT];
    c->array[OUT] = NULL;
    return parent != NULL ? gnp_of_class(ret, parent) : ret;
}

/* Arrays are taken first and dropped at one place; everything between may fail. */
static PyObject *
run(Call *c)
{
    PyObject *ret = NULL; /* returned */
    GNP_TRY(take_input(c, 0));
    GNP_TRY(take_input(c, 1));
    /* The order of the checks decides which of several errors is raised: it is NumPy's. */
    GNP_TRY(count_core(c));
    GNP_TRY(check_devices(c));
    GNP_TRY(find_loop(c));
    GNP_TRY(find_shapes(c));
    GNP_TRY(take_output(c));
    for (int i = 0; i < 2; i++) {
        /* After the output, whose overlap is tested with the memory of the originals. */
        GnpArray *aligned = gnp_aligned(c->array[i]);
        if (aligned == NULL) {
            goto fail;
        }
        Py_SETREF(c->array[i], aligned);
    }
    GNP_TRY(multiply(c));
    if (c->out != NULL && c->out != (PyObject *)c->array[OUT]) {
        GNP_TRY(gnp_copy((GnpArray *)c->out, c->array[OUT]));
    }
    ret = result_of(c);
fail:
    for (int i = 0; i < NOPERANDS; i++) {
        Py_XDECREF((PyObject *)c->array[i]);
    }
    return ret;
}

/* Only what keywords or the cleanup depend on; the arrays of shapes are filled later. */
static void
call_init(Call *c, GnpUfunc *u)
{
    c->u = u;
    /* Both tables have the same order. */
    c->core = &cores[u->row - rows];
    c->out = c->axes = c->axis = NULL;
    c->keepdims = c->any_wanted = c->plain = 0;
    /* NumPy's defaults. */
    c->casting = GNP_CAST_SAME_KIND;
    c->order = 'K';
    for (int i = 0; i < NOPERANDS; i++) {
        c->array[i] = NULL;
        c->wanted[i] = GNP_NO_DTYPE;
    }
}

/* `c` is a few kilobytes, so it is not cleared as a whole. */
static PyObject *
gufunc_vectorcall(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Call c;
    GnpUfunc *u = (GnpUfunc *)self;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    /* Subclasses with a way of their own are asked first, as by every ufunc. */
    PyObject *ret = gnp_ufunc_overridden(u, args, nargs, kwnames);
    if (ret != Py_NotImplemented) {
        return ret;
    }
    Py_DECREF(ret);
    call_init(&c, u);
    return take_arguments(&c, args, nargs, kwnames) < 0 ? NULL : run(&c);
}

/* The operator @: no keywords, so no parsing. */
PyObject *
gnp_matmul(PyObject *a, PyObject *b)
{
    Call c;
    PyObject *const args[] = {a, b};
    if (gnp_is_subclass(a) || gnp_is_subclass(b)) {
        return gufunc_vectorcall(gnp_state.matmul, args, 2, NULL);
    }
    call_init(&c, (GnpUfunc *)gnp_state.matmul);
    c.in[0] = a;
    c.in[1] = b;
    return run(&c);
}

/* The result has the shape of a, which run() checks since a is `out` too. It overlaps the input,
 * hence it is computed apart and copied. */
PyObject *
gnp_matmul_inplace(PyObject *a, PyObject *b)
{
    Call c;
    call_init(&c, (GnpUfunc *)gnp_state.matmul);
    int ndim_b = gnp_array_check(b) ? ((GnpArray *)b)->ndim : 2;
    if (((GnpArray *)a)->ndim < 1 || ndim_b < 2) {
        PyErr_SetString(PyExc_ValueError,
                        "inplace matrix multiplication requires the first operand to have at least "
                        "one and the second at least two dimensions.");
        return NULL;
    }
    PyObject *const args[] = {a, b, a};
    if (gnp_is_subclass(a) || gnp_is_subclass(b)) {
        return gufunc_vectorcall(gnp_state.matmul, args, 3, NULL);
    }
    c.in[0] = c.out = a;
    c.in[1] = b;
    return run(&c);
}

/* ---- the type -------------------------------------------------------------------------------- */

/* Rows and cores are parallel arrays. */
static const Core *
core_of(PyObject *self)
{
    return &cores[((GnpUfunc *)self)->row - rows];
}

/* NumPy's messages for methods that need a ufunc without core dimensions. */
static PyObject *
gufunc_no_reduction(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args),
                    PyObject *Py_UNUSED(kwargs))
{
    PyErr_SetString(PyExc_RuntimeError, "Reduction not defined on ufunc with signature");
    return NULL;
}

static PyObject *
gufunc_no_outer(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    PyErr_SetString(PyExc_TypeError,
                    "method outer is not allowed in ufunc with non-trivial signature");
    return NULL;
}

static PyObject *
gufunc_no_at(PyObject *self, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    const char *name = ((GnpUfunc *)self)->row->op.name;
    PyErr_Format(PyExc_TypeError,
                 "%s.at does not support ufunc with non-trivial signature: %s has signature %s.",
                 name, name, core_of(self)->signature);
    return NULL;
}

/* The attribute `signature`, as in NumPy. */
static PyObject *
gufunc_get_core_signature(PyObject *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(core_of(self)->signature);
}

/* An inspect.Signature, read off a lambda with the same parameters; NumPy's defaults of axes and
 * axis are its own "no value". */
static PyObject *
gufunc_get_signature(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    static const char text[] =
        "lambda x1, x2, /, out=None, *, axes=numpy._NoValue, axis=numpy._NoValue, keepdims=False, "
        "casting='same_kind', order='K', dtype=None, subok=True, signature=None: None";
    PyObject *inspect = NULL, *scope = NULL, *model = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_NEW(scope, Py_BuildValue("{s:O}", "numpy", gnp_state.numpy));
    GNP_NEW(model, PyRun_String(text, Py_eval_input, scope, scope));
    GNP_NEW(inspect, PyImport_ImportModule("inspect"));
    ret = PyObject_CallMethod(inspect, "signature", "O", model);
fail:
    Py_XDECREF(inspect);
    Py_XDECREF(scope);
    Py_XDECREF(model);
    return ret;
}

/* Made on demand, as that of a ufunc. */
static PyObject *
gufunc_doc(const GnpUfuncRow *row, const Core *core)
{
    return PyUnicode_FromFormat(
        "%s(x1, x2, /, out=None, *, axes, axis, keepdims=False, casting='same_kind', order='K', "
        "dtype=None, subok=True, signature=None)\n\n%s\n\nParameters\n----------\n"
        "x1, x2 : gpunp.ndarray\n"
        "    Inputs with the core dimensions %s; the other dimensions are broadcast.\n"
        "    Any strides are supported: nothing is copied.\n"
        "out : gpunp.ndarray, optional\n"
        "    Array into which the result is written. By default a new array is returned.\n"
        "axes : list of tuples, optional\n"
        "    Core dimensions of x1, x2 and the result, as axes of each.\n"
        "axis : int, optional\n"
        "    Axis of the core dimension, if all operands share a single one.\n"
        "keepdims : bool, optional\n"
        "    If True, core dimensions that the result lacks are kept with size one.\n"
        "%s\nReturns\n-------\ngpunp.ndarray\n    Array of the operands' common dtype.\n\n"
        "Notes\n-----\nBooleans are multiplied by `and` and summed by `or`; integers wrap around; "
        "float16 and bfloat16 are\nsummed in float32. Results repeat bit for bit.\n\n"
        "See Also\n--------\nnumpy.%s\n",
        row->op.name, row->summary, core->signature, gnp_ufunc_options_doc(), row->op.name);
}

/* The type has a __doc__ of its own, which a getset descriptor would hide. */
static PyObject *
gufunc_getattro(PyObject *self, PyObject *name)
{
    if (PyUnicode_CompareWithASCIIString(name, "__doc__") == 0) {
        return gufunc_doc(((GnpUfunc *)self)->row, core_of(self));
    }
    return PyObject_GenericGetAttr(self, name);
}

#define REFUSED(name, function)                                                                    \
    {name, (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS, NULL}

static PyMethodDef gufunc_methods[] = {
    REFUSED("reduce", gufunc_no_reduction),
    REFUSED("accumulate", gufunc_no_reduction),
    REFUSED("reduceat", gufunc_no_reduction),
    REFUSED("outer", gufunc_no_outer),
    REFUSED("at", gufunc_no_at),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef gufunc_getset[] = {
    {"__signature__", gufunc_get_signature, NULL, NULL, NULL},
    {"signature", gufunc_get_core_signature, NULL, "Core dimensions of the operands.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot gufunc_slots[] = {
    {Py_tp_doc, GNP_DOC("Ufunc of arrays with core dimensions, such as `gpunp.matmul`.")},
    {Py_tp_getattro, gufunc_getattro},
    {Py_tp_getset, gufunc_getset},
    {Py_tp_methods, gufunc_methods},
    {0, NULL},
};

static PyType_Spec gufunc_spec = {
    .name = "gpunp.gufunc",
    .basicsize = sizeof(GnpUfunc),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = gufunc_slots,
};

/* matmul is stored for the operators; gnp_state drops it at the end of the process. */
int
gnp_gufunc_init(PyObject *module)
{
    PyTypeObject *type = NULL; /* owned; the objects hold it on */
    GnpUfunc *u = NULL;        /* owned */
    int ret = -1;
    GNP_NEW(type,
            (PyTypeObject *)PyType_FromSpecWithBases(&gufunc_spec, (PyObject *)gnp_ufunc_type));
    GNP_TRY(PyModule_AddObjectRef(module, "gufunc", (PyObject *)type));
    for (int i = 0; i < NPRODUCTS; i++) {
        GNP_NEW(u, PyObject_New(GnpUfunc, type));
        u->vectorcall = gufunc_vectorcall;
        u->row = &rows[i];
        u->loops = NULL;
        GNP_TRY(PyModule_AddObjectRef(module, rows[i].op.name, (PyObject *)u));
        if (i == MATMUL) {
            Py_XSETREF(gnp_state.matmul, Py_NewRef((PyObject *)u));
        }
        Py_CLEAR(u);
    }
    ret = 0;
fail:
    Py_XDECREF((PyObject *)u);
    Py_XDECREF(type);
    return ret;
}

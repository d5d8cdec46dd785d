/* Ufuncs of datetime64 and timedelta64.
 *
 * NumPy's ufunc.resolve_dtypes gives the operands' dtypes, units included, or raises its own
 * exception. The result, cached per ufunc and pair of dtypes, selects a row of
 * tables/datetimes.def; units that differ become factors, which are arguments of the kernel. Where
 * no factor exists (years and months to days, by the calendar) the operand is converted before.
 */
#include "ufunc/ufunc.h"

#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct {
    GnpUfuncId ufunc;
    const char *loop;
    GnpElementOp op;
} Row;

/* Found by ufunc and types: a ufunc has one row for each combination that NumPy allows. */
static const Row rows[] = {
#define DATETIME(UFUNC, LOOP, NIN, NOUT, EXPRESSION)                                               \
    {.ufunc = GNP_UFUNC_##UFUNC,                                                                   \
     .loop = LOOP,                                                                                 \
     .op = {.name = #UFUNC "_time", .expression = EXPRESSION, .nin = NIN, .nout = NOUT}},
#include "tables/datetimes.def"
};

/* Only types that the rows have; anything else finds no row. */
static char
loop_letter(int dtype)
{
    return gnp_has_unit(dtype) ? gnp_dtypes[dtype].cls
           : dtype == GNP_I64  ? 'q'
           : dtype == GNP_F64  ? 'd'
           : dtype == GNP_BOOL ? '?'
                               : ' ';
}

/* NULL when no row has these types. A short linear search, done once per entry of the cache. */
static const Row *
find_row(GnpUfuncId ufunc, const GnpUfuncRow *row, const GnpLoop *loop)
{
    char text[GNP_MAX_ARGS + 3];
    int n = 0;
    for (int i = 0; i < row->op.nin + row->op.nout; i++) {
        if (i == row->op.nin) {
            text[n++] = '-';
            text[n++] = '>';
        }
        text[n++] = loop_letter(loop->dtype[i]);
    }
    text[n] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].ufunc == ufunc && strcmp(rows[i].loop, text) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* ---- resolution by NumPy --------------------------------------------------------------------- */

/* numpy.NAME; new reference. The public clip is a function; its ufunc is in a private module. */
static PyObject *
numpy_ufunc(const char *name)
{
    if (strcmp(name, "clip") != 0) {
        return PyObject_GetAttrString(gnp_state.numpy, name);
    }
    PyObject *module = PyImport_ImportModule("numpy._core.umath");
    PyObject *ret = module == NULL ? NULL : PyObject_GetAttrString(module, name);
    Py_XDECREF(module);
    return ret;
}

/* resolve_dtypes takes Python's types for weak scalars, and arrays' dtypes otherwise. */
static PyObject *
input_type(const GnpInputType *in)
{
    switch (in->weak) {
    case GNP_WEAK_NONE:
        return gnp_dtype_object(in->dtype);
    case GNP_WEAK_BOOL:
        return gnp_dtype_object(GNP_BOOL);
    case GNP_WEAK_INT:
        return (PyObject *)&PyLong_Type;
    case GNP_WEAK_FLOAT:
        return (PyObject *)&PyFloat_Type;
    default:
        return (PyObject *)&PyComplex_Type;
    }
}

/* ufunc.resolve_dtypes((inputs..., None...), casting=...) into *loop. An exception of NumPy's is
 * passed on unchanged: class and text are the reference. */
static int
ask_numpy(const GnpUfuncRow *row, const GnpInputType *in, GnpCasting casting, GnpLoop *loop)
{
    static const char *const names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    PyObject *ufunc = NULL, *method = NULL, *types = NULL, *args = NULL; /* owned */
    PyObject *keywords = NULL, *found = NULL;                            /* owned */
    int nargs = row->op.nin + row->op.nout, ret = -1;

    GNP_NEW(ufunc, numpy_ufunc(row->op.name));
    GNP_NEW(method, PyObject_GetAttrString(ufunc, "resolve_dtypes"));
    GNP_NEW(types, PyTuple_New(nargs));
    for (int i = 0; i < nargs; i++) {
        PyObject *type = i < row->op.nin ? input_type(&in[i]) : Py_None;
        if (type == NULL) {
            goto fail;
        }
        PyTuple_SET_ITEM(types, i, Py_NewRef(type));
    }
    GNP_NEW(args, PyTuple_Pack(1, types));
    GNP_NEW(keywords, Py_BuildValue("{s:s}", "casting", names[casting]));
    GNP_NEW(found, PyObject_Call(method, args, keywords));
    for (int i = 0; i < nargs; i++) {
        loop->dtype[i] = (int16_t)gnp_dtype_from_object(PyTuple_GET_ITEM(found, i));
        if (loop->dtype[i] == GNP_NO_DTYPE) {
            goto fail;
        }
    }
    loop->found = 1;
    ret = 0;
fail:
    Py_XDECREF(ufunc);
    Py_XDECREF(method);
    Py_XDECREF(types);
    Py_XDECREF(args);
    Py_XDECREF(keywords);
    Py_XDECREF(found);
    return ret;
}

/* ---- cache of resolutions -------------------------------------------------------------------- */

enum { CACHE = 256 };

typedef struct {
    const GnpUfuncRow *row; /* NULL: free */
    GnpInputType in[GNP_MAX_IN];
    GnpCasting casting;
    GnpTimeLoop answer;
} Entry;

/* A collision replaces the entry: resolving again is only slower. */
static Entry cache[CACHE]; /* direct-mapped; guarded by the GIL */

static Entry *
entry_of(const GnpUfuncRow *row, const GnpInputType *in, GnpCasting casting)
{
    uint64_t h = (uint64_t)(uintptr_t)row + (uint64_t)casting;
    for (int i = 0; i < row->op.nin; i++) {
        /* The high bits are the index, as a product mixes those best. */
        h = (h ^ ((uint64_t)(in[i].dtype + 1) << 4 | (uint64_t)in[i].weak)) * 0x9e3779b97f4a7c15u;
    }
    return &cache[h >> 56];
}

static int
is_entry(const Entry *e, const GnpUfuncRow *row, const GnpInputType *in, GnpCasting casting)
{
    int same = e->row == row && e->casting == casting;
    for (int i = 0; same && i < row->op.nin; i++) {
        same = e->in[i].dtype == in[i].dtype && e->in[i].weak == in[i].weak;
    }
    return same;
}

/* ---- one call -------------------------------------------------------------------------------- */

/* Factors of the inputs whose unit is not the loop's. A factor that is a whole number is applied in
 * the kernel, where the row takes one; others need a division or the calendar, and convert the
 * operand first. */
static int
find_factors(const GnpUfuncRow *row, const GnpInputType *in, GnpTimeLoop *t)
{
    for (int i = 0; i < row->op.nin; i++) {
        int to = t->loop.dtype[i];
        GnpTimeFactor f = {1, 1, 0, 0};
        if (in[i].weak == GNP_WEAK_NONE && gnp_has_unit(in[i].dtype) && gnp_has_unit(to) &&
            in[i].dtype != to && gnp_time_factor(in[i].dtype, (GnpDtype)to, &f) < 0) {
            return -1;
        }
        t->recast[i] = f.den != 1 || f.months_in != 0 || f.months_out != 0 ||
                       (f.num != 1 && t->op->nin == row->op.nin);
        t->scale[i] = t->recast[i] ? 1 : f.num;
    }
    return 0;
}

static int
is_all_bool(const GnpUfuncRow *row, const GnpLoop *loop)
{
    for (int i = 0; i < row->op.nin + row->op.nout; i++) {
        if (loop->dtype[i] != GNP_BOOL) {
            return 0;
        }
    }
    return 1;
}

/* The unit that an error names. The last operand where none has one, as for a result of times. */
static int
first_unit(const GnpUfuncRow *row, const GnpInputType *in)
{
    int i = 0;
    while (i + 1 < row->op.nin && !gnp_has_unit(in[i].dtype)) {
        i++;
    }
    return in[i].dtype;
}

/* Failures are not cached: they raise anyway. */
int
gnp_time_loop_find(const GnpUfuncRow *row, const GnpInputType *in, GnpCasting casting,
                   GnpTimeLoop *out)
{
    Entry *e = entry_of(row, in, casting);
    if (is_entry(e, row, in, casting)) {
        *out = e->answer;
        return 0;
    }
    *out = (GnpTimeLoop){.op = &row->op};
    if (ask_numpy(row, in, casting, &out->loop) < 0) {
        return -1;
    }
    if (!is_all_bool(row, &out->loop)) { /* logical_and of times takes their truth values */
        const Row *found = find_row((GnpUfuncId)(row - gnp_ufunc_rows), row, &out->loop);
        if (found == NULL) {
            return gnp_refuse_unit(row->op.name, first_unit(row, in));
        }
        out->op = &found->op;
    }
    if (find_factors(row, in, out) < 0) {
        return -1;
    }
    *e = (Entry){.row = row, .casting = casting, .answer = *out};
    memcpy(e->in, in, (size_t)row->op.nin * sizeof *in);
    return 0;
}

/* The condition takes no part; the other two promote as by numpy.result_type. */
int
gnp_time_where(const GnpUfuncRow *row, const GnpInputType *in, GnpTimeLoop *out)
{
    *out = (GnpTimeLoop){.op = &row->op, .loop = {.found = 1}};
    PyObject *call = NULL, *found = NULL; /* owned */
    int ret = -1;
    GNP_NEW(call, PyObject_GetAttrString(gnp_state.numpy, "result_type"));
    PyObject *a = in[1].weak == GNP_WEAK_NONE ? input_type(&in[1]) : NULL;
    PyObject *b = in[2].weak == GNP_WEAK_NONE ? input_type(&in[2]) : NULL;
    PyObject *zero = gnp_dtype_object(GNP_I64); /* a Python number beside a unit */
    GNP_NEW(found,
            PyObject_CallFunctionObjArgs(call, a != NULL ? a : zero, b != NULL ? b : zero, NULL));
    int dtype = gnp_dtype_from_object(found);
    if (dtype == GNP_NO_DTYPE) {
        goto fail;
    }
    for (int i = 0; i < 4; i++) {
        out->loop.dtype[i] = (int16_t)(i == 0 ? GNP_BOOL : dtype);
        out->recast[i < 3 ? i : 0] =
            i > 0 && i < 3 && in[i].weak == GNP_WEAK_NONE && in[i].dtype != dtype;
    }
    out->recast[0] = 0;
    ret = 0;
fail:
    Py_XDECREF(call);
    Py_XDECREF(found);
    return ret;
}

/* If NumPy does have such a loop, the message says that it is missing here. */
int
gnp_time_refuse(const GnpUfuncRow *row, GnpDtype dtype, const char *name)
{
    GnpInputType in[GNP_MAX_IN] = {
        {dtype, GNP_WEAK_NONE}, {dtype, GNP_WEAK_NONE}, {dtype, GNP_WEAK_NONE}};
    GnpLoop loop;
    return ask_numpy(row, in, GNP_CAST_SAME_KIND, &loop) < 0 ? -1 : gnp_refuse_unit(name, dtype);
}

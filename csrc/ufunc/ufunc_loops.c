/* Rows of tables/ufuncs.def and special.def, and which loop of a row of the former a call takes.
 *
 * A row has classes of dtypes and a rule; a loop is their result for one type T. The loop of a call
 * is NumPy's: the first type, in the order of dtypes.def, to which all inputs cast safely.
 *
 * Only types are decided here, so everything is a pure function of the row and the inputs'
 * types, and its results are cached by ufunc_call.c. Tests compare them with NumPy for all pairs
 * of dtypes.
 */
#include "ufunc/ufunc.h"

#include <string.h>

/* In the order of GnpUfuncId, NumPy's ufuncs before SciPy's. */
const GnpUfuncRow gnp_ufunc_rows[GNP_NUFUNCS] = {
#define UFUNC(NAME, NIN, NOUT, RESULT, CLASSES, IDENTITY, EXPRESSION, ULP, SUMMARY)                \
    {.op = {.name = #NAME, .expression = EXPRESSION, .nin = NIN, .nout = NOUT, .heavy = ULP > 0},  \
     .rule = RULE_##RESULT,                                                                        \
     .identity = IDENTITY_##IDENTITY,                                                              \
     .ulp = ULP,                                                                                   \
     .result = #RESULT,                                                                            \
     .classes = CLASSES,                                                                           \
     .identity_name = #IDENTITY,                                                                   \
     .summary = SUMMARY},
#include "tables/ufuncs.def"
#define SPECIAL(NAME, NIN, NOUT, PARAMETERS, LOOPS, EXPRESSION, HEADER, COMPLEX_HEADER, ULP64,     \
                ULP32, SUMMARY)                                                                    \
    {.op = {.name = #NAME,                                                                         \
            .expression = EXPRESSION,                                                              \
            .nin = NIN,                                                                            \
            .nout = NOUT,                                                                          \
            .heavy = 1,                                                                            \
            .header = HEADER,                                                                      \
            .complex_header = COMPLEX_HEADER},                                                     \
     .rule = RULE_LISTED,                                                                          \
     .identity = IDENTITY_NONE,                                                                    \
     .ulp = ULP64,                                                                                 \
     .ulp32 = ULP32,                                                                               \
     .result = "LISTED",                                                                           \
     .classes = "",                                                                                \
     .identity_name = "NONE",                                                                      \
     .summary = SUMMARY,                                                                           \
     .parameters = PARAMETERS,                                                                     \
     .loops = LOOPS},
#include "tables/special.def"
};

/* ---- loops ----------------------------------------------------------------------------------- */

/* A class is the kind letter of dtypes.def; a leading '!' excludes bool. */
static int
in_classes(const GnpUfuncRow *row, GnpDtype t)
{
    return strchr(row->classes, gnp_dtypes[t].cls) != NULL;
}

/* Types of one loop follow from T and the rule, except in three rules that name a type. */
int
gnp_loop_of_type(const GnpUfuncRow *row, GnpDtype t, GnpLoop *loop)
{
    if (!in_classes(row, t) || (row->rule == RULE_WIDE && gnp_dtypes[t].real != GNP_F64)) {
        return 0;
    }
    GnpDtype result = row->rule == RULE_TEST || row->rule == RULE_COMPARE ? GNP_BOOL
                      : row->rule == RULE_PART                            ? gnp_dtypes[t].real
                      : row->rule == RULE_COUNT                           ? GNP_U8
                                                                          : t;
    int nin = row->op.nin;
    for (int i = 0; i < nin + row->op.nout; i++) {
        loop->dtype[i] = (int16_t)(i < nin ? t : result);
    }
    if (row->rule == RULE_WHERE) {
        loop->dtype[0] = GNP_BOOL;
    }
    if (row->rule == RULE_FREXP) {
        loop->dtype[nin + 1] = GNP_I32;
    }
    if (row->rule == RULE_LDEXP) {
        loop->dtype[1] = GNP_I64;
    }
    loop->found = 1;
    return 1;
}

/* The common type of the inputs. Python numbers come last: they adapt to what the arrays agree
 * on. */
static GnpDtype
common_dtype(const GnpInputType *in, int n)
{
    GnpDtype common = GNP_NO_DTYPE;
    for (int i = 0; i < n; i++) {
        if (in[i].weak == GNP_WEAK_NONE) {
            common = common == GNP_NO_DTYPE ? in[i].dtype : gnp_promote(common, in[i].dtype);
            if (common == GNP_NO_DTYPE) {
                return common;
            }
        }
    }
    /* The widest kind among the numbers: a complex one makes the result complex. */
    GnpWeak weakest = GNP_WEAK_NONE;
    for (int i = 0; i < n; i++) {
        weakest = in[i].weak > weakest ? in[i].weak : weakest;
    }
    return weakest == GNP_WEAK_NONE ? common : gnp_weak_promote(weakest, common);
}

/* The first type at or after `t` that the row has and `t` casts to safely. Rows in
 * tables/dtypes.def are ordered so that the first that fits is the one that NumPy finds. */
static GnpDtype
first_type(const GnpUfuncRow *row, GnpDtype t)
{
    char cls = gnp_dtypes[t].cls;
    if (row->rule == RULE_TRUE && (cls == '?' || cls == 'i' || cls == 'u')) {
        t = GNP_F64;
    }
    GnpLoop loop;
    if (gnp_loop_of_type(row, t, &loop)) {
        return t;
    }
    /* NumPy refuses bool here instead of converting it to int8. */
    if (t == GNP_BOOL && row->classes[0] == '!') {
        return GNP_NO_DTYPE;
    }
    for (int wider = 0; wider < GNP_NDTYPES; wider++) {
        /* bfloat16 is the common type of bfloat16 inputs only. */
        if (wider != GNP_BF16 && gnp_can_cast(t, wider, GNP_CAST_SAFE) &&
            gnp_loop_of_type(row, wider, &loop)) {
            return wider;
        }
    }
    return GNP_NO_DTYPE;
}

/* NumPy's search, where promotion has no result or one without a loop in the row: the first type to
 * which every input casts safely (int8 and uint8 meet in float16, not in int16's float32). */
static GnpDtype
first_type_for_all(const GnpUfuncRow *row, const GnpInputType *in)
{
    for (int t = 0; t < GNP_NDTYPES; t++) {
        GnpLoop loop;
        int fits = gnp_loop_of_type(row, t, &loop), has_bf16 = 0;
        for (int i = 0; fits && i < row->op.nin; i++) {
            fits = in[i].weak == GNP_WEAK_NONE && gnp_can_cast(in[i].dtype, t, GNP_CAST_SAFE);
            has_bf16 |= in[i].dtype == GNP_BF16;
        }
        if (fits && (t != GNP_BF16 || has_bf16)) {
            return t;
        }
    }
    return GNP_NO_DTYPE;
}

/* The exponent's type is independent of the base's. */
static int
find_ldexp(const GnpUfuncRow *row, const GnpInputType *in, GnpLoop *loop)
{
    GnpDtype base = common_dtype(in, 1), power = common_dtype(in + 1, 1);
    GnpDtype t = base == GNP_NO_DTYPE ? base : first_type(row, base);
    if (t == GNP_NO_DTYPE || power == GNP_NO_DTYPE ||
        !gnp_can_cast(power, GNP_I64, GNP_CAST_SAFE)) {
        return 0;
    }
    gnp_loop_of_type(row, t, loop);
    loop->dtype[1] = gnp_can_cast(power, GNP_I32, GNP_CAST_SAFE) ? GNP_I32 : GNP_I64;
    return 1;
}

/* Signed beside unsigned 64-bit integers, which have no common integer type. NumPy compares such
 * integers exactly instead of as float64, so the kernel has both types. */
static int
find_mixed_compare(const GnpInputType *in, GnpLoop *loop)
{
    char a = in[0].weak == GNP_WEAK_NONE ? gnp_dtypes[in[0].dtype].cls : ' ';
    char b = in[1].weak == GNP_WEAK_NONE ? gnp_dtypes[in[1].dtype].cls : ' ';
    if (!((a == 'i' && b == 'u') || (a == 'u' && b == 'i')) || common_dtype(in, 2) != GNP_F64) {
        return 0;
    }
    *loop =
        (GnpLoop){.dtype = {a == 'i' ? GNP_I64 : GNP_U64, b == 'i' ? GNP_I64 : GNP_U64, GNP_BOOL},
                  .found = 1};
    return 1;
}

/* Python numbers only reach the second search through the common type. */
int
gnp_loop_find(const GnpUfuncRow *row, const GnpInputType *in, GnpLoop *loop)
{
    if (row->rule == RULE_LISTED) {
        return gnp_listed_find(row, in, loop);
    }
    if (row->rule == RULE_LDEXP) {
        return find_ldexp(row, in, loop);
    }
    if (row->rule == RULE_COMPARE && find_mixed_compare(in, loop)) {
        return 1;
    }
    int first = row->rule == RULE_WHERE; /* the condition does not take part in promotion */
    GnpDtype common = common_dtype(in + first, row->op.nin - first);
    GnpDtype t = common == GNP_NO_DTYPE ? common : first_type(row, common);
    if (row->op.nin == 2 &&
        (common == GNP_NO_DTYPE ||
         ((GnpDtype)t != common && common != GNP_BOOL && row->rule != RULE_TRUE))) {
        GnpDtype other = first_type_for_all(row, in);
        t = other != GNP_NO_DTYPE ? other : t;
    }
    return t != GNP_NO_DTYPE && gnp_loop_of_type(row, t, loop);
}

/* Types that were not named (GNP_NO_DTYPE) match any. */
static int
loop_matches(const GnpUfuncRow *row, const GnpLoop *loop, const GnpDtype *wanted)
{
    for (int i = 0; i < row->op.nin + row->op.nout; i++) {
        if (wanted[i] != GNP_NO_DTYPE && wanted[i] != (GnpDtype)loop->dtype[i]) {
            return 0;
        }
    }
    return 1;
}

/* A Python number fits whatever it would become beside the loop's type. */
static int
inputs_fit(const GnpUfuncRow *row, const GnpInputType *in, const GnpLoop *loop, GnpCasting casting)
{
    for (int i = 0; i < row->op.nin; i++) {
        GnpDtype from = in[i].weak != GNP_WEAK_NONE ? gnp_weak_promote(in[i].weak, loop->dtype[i])
                                                    : in[i].dtype;
        if (!gnp_can_cast(from, loop->dtype[i], casting)) {
            return 0;
        }
    }
    return 1;
}

/* The loop whose types all are that of the outputs given. */
static int
find_homogeneous(const GnpUfuncRow *row, const GnpDtype *wanted, GnpLoop *loop)
{
    GnpDtype t = GNP_NO_DTYPE;
    for (int i = row->op.nin; i < row->op.nin + row->op.nout; i++) {
        t = wanted[i] != GNP_NO_DTYPE ? wanted[i] : t;
    }
    if (t == GNP_NO_DTYPE || !gnp_loop_of_type(row, t, loop) || !loop_matches(row, loop, wanted)) {
        return 0;
    }
    for (int i = 0; i < row->op.nin + row->op.nout; i++) {
        if (loop->dtype[i] != (int)t) {
            return 0;
        }
    }
    return 1;
}

/* Some inputs given and no output: as if the inputs had those types. */
static int
find_promoted(const GnpUfuncRow *row, const GnpInputType *in, const GnpDtype *wanted, GnpLoop *loop)
{
    GnpInputType types[GNP_MAX_IN];
    for (int i = 0; i < row->op.nin; i++) {
        types[i] = wanted[i] == GNP_NO_DTYPE ? in[i] : (GnpInputType){wanted[i], GNP_WEAK_NONE};
    }
    return gnp_loop_find(row, types, loop) && loop_matches(row, loop, wanted);
}

/* dtype= and signature= narrow the search; the order of attempts is NumPy's. */
int
gnp_loop_find_matching(const GnpUfuncRow *row, const GnpInputType *in, const GnpDtype *wanted,
                       GnpLoop *loop)
{
    int names_input = 0, names_all = 1;
    if (row->rule == RULE_LISTED) {
        return gnp_listed_find_matching(row, in, wanted, loop);
    }
    /* Mostly the wanted types are those of the call without them. */
    if (gnp_loop_find(row, in, loop) && loop_matches(row, loop, wanted)) {
        return 1;
    }
    for (int i = 0; i < row->op.nin; i++) {
        names_input |= wanted[i] != GNP_NO_DTYPE;
        names_all &= wanted[i] != GNP_NO_DTYPE;
    }
    if (names_input && !names_all && wanted[row->op.nin] == GNP_NO_DTYPE) {
        return find_promoted(row, in, wanted, loop);
    }
    if (row->rule == RULE_LDEXP && !names_all && !find_ldexp(row, in, loop)) {
        return 0; /* no loop takes such an exponent, whatever the other operands are */
    }
    /* The safest loop that fits wins, even where a later type would need fewer conversions. */
    static const GnpCasting tries[] = {GNP_CAST_SAFE, GNP_CAST_SAME_KIND, GNP_CAST_UNSAFE};
    for (int i = 0; i < (names_input ? 3 : 1); i++) {
        for (int t = 0; t < GNP_NDTYPES; t++) {
            if (!gnp_loop_of_type(row, t, loop)) {
                continue;
            }
            if (row->rule == RULE_LDEXP && wanted[1] == GNP_I32) {
                loop->dtype[1] = GNP_I32;
            }
            if (loop_matches(row, loop, wanted) && inputs_fit(row, in, loop, tries[i])) {
                return 1;
            }
        }
    }
    return !names_input && find_homogeneous(row, wanted, loop);
}

/* Sums and products of small integers are computed in 64 bits. As sum and prod, and so their
 * ufuncs' reduce and accumulate. */
static GnpDtype
chain_default(const GnpUfuncRow *row, GnpDtype in)
{
    char cls = gnp_dtypes[in].cls;
    int grows = row == &gnp_ufunc_rows[GNP_UFUNC_add] || row == &gnp_ufunc_rows[GNP_UFUNC_multiply];
    return !grows                     ? GNP_NO_DTYPE
           : cls == 'u'               ? GNP_U64
           : cls == '?' || cls == 'i' ? GNP_I64
                                      : GNP_NO_DTYPE;
}

/* The result has to be usable as the next first operand. */
int
gnp_loop_find_chain(const GnpUfuncRow *row, GnpDtype in, GnpDtype wanted, GnpDtype out,
                    GnpLoop *loop)
{
    if (wanted == GNP_NO_DTYPE && out == GNP_NO_DTYPE) {
        wanted = chain_default(row, in);
    }
    if (wanted == GNP_NO_DTYPE &&
        (row->rule == RULE_TEST || (row->rule == RULE_COMPARE && in == GNP_BOOL))) {
        wanted = GNP_BOOL; /* truth values, of anything for the logical ones */
    }
    const GnpDtype first = wanted != GNP_NO_DTYPE ? wanted : out != GNP_NO_DTYPE ? out : in;
    const GnpInputType types[GNP_MAX_IN] = {{first, GNP_WEAK_NONE}, {in, GNP_WEAK_NONE}};
    const GnpDtype signature[3] = {wanted, GNP_NO_DTYPE, wanted};
    return (wanted != GNP_NO_DTYPE ? gnp_loop_find_matching(row, types, signature, loop)
                                   : gnp_loop_find(row, types, loop)) &&
           loop->dtype[0] == loop->dtype[2];
}

/* ---- rows for Python ------------------------------------------------------------------------- */

/* NumPy's notation: a letter per operand. */
static PyObject *
loop_text(const GnpUfuncRow *row, const GnpLoop *loop)
{
    char text[GNP_MAX_ARGS + 3];
    int n = 0;
    for (int i = 0; i < row->op.nin + row->op.nout; i++) {
        if (i == row->op.nin) {
            text[n++] = '-';
            text[n++] = '>';
        }
        text[n++] = gnp_dtypes[loop->dtype[i]].letter;
    }
    text[n] = '\0';
    return PyUnicode_FromString(text);
}

/* All loops of a row in the order of NumPy's list, for `types` and the docstring. */
PyObject *
gnp_loop_types(const GnpUfuncRow *row)
{
    const int listed = row->rule == RULE_LISTED;
    PyObject *ret = PyList_New(0);
    GnpLoop loop;
    for (int i = 0; ret != NULL && (listed ? gnp_listed_loop(row, i, &loop) : i < GNP_NDTYPES);
         i++) {
        if (!listed && !gnp_loop_of_type(row, i, &loop)) {
            continue;
        }
        PyObject *item = loop_text(row, &loop);
        if (item == NULL || PyList_Append(ret, item) < 0) {
            Py_CLEAR(ret);
        }
        Py_XDECREF(item);
    }
    return ret;
}

/* None also for ufuncs whose reduction has no start value. */
PyObject *
gnp_ufunc_identity(const GnpUfuncRow *row)
{
    switch (row->identity) {
    case IDENTITY_ZERO:
        return PyLong_FromLong(0);
    case IDENTITY_ONE:
        return PyLong_FromLong(1);
    case IDENTITY_MINUS_ONE:
        return PyLong_FromLong(-1);
    case IDENTITY_TRUE:
        Py_RETURN_TRUE;
    case IDENTITY_FALSE:
        Py_RETURN_FALSE;
    case IDENTITY_NEG_INF:
        return PyFloat_FromDouble(-Py_HUGE_VAL);
    case IDENTITY_NONE:
        break;
    }
    Py_RETURN_NONE;
}

/* For tests, stubs and documentation, which read the table through it. */
static PyObject *
row_as_dict(const GnpUfuncRow *row)
{
    PyObject *types = NULL; /* owned */
    PyObject *ret = NULL;
    GNP_NEW(types, gnp_loop_types(row));
    ret = Py_BuildValue("{s:s,s:i,s:i,s:s,s:s,s:s,s:s,s:i,s:i,s:s,s:O,s:z,s:z,s:z}", "name",
                        row->op.name, "nin", row->op.nin, "nout", row->op.nout, "result",
                        row->result, "classes", row->classes, "identity", row->identity_name,
                        "expression", row->op.expression, "ulp", row->ulp, "ulp32", row->ulp32,
                        "summary", row->summary, "types", types, "parameters", row->parameters,
                        "header", row->op.header, "complex_header", row->op.complex_header);
fail:
    Py_XDECREF(types);
    return ret;
}

/* Ids are contiguous: NumPy's ufuncs first, then SciPy's. */
static PyObject *
rows_as_list(int first, int end)
{
    PyObject *ret = PyList_New(end - first);
    for (int id = first; ret != NULL && id < end; id++) {
        PyObject *row = row_as_dict(&gnp_ufunc_rows[id]);
        if (row == NULL) {
            Py_CLEAR(ret);
        }
        else {
            PyList_SET_ITEM(ret, id - first, row);
        }
    }
    return ret;
}

/* The rows of tables/ufuncs.def. */
PyObject *
gnp_ufunc_table(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(noargs))
{
    return rows_as_list(0, GNP_NUMPY_UFUNCS);
}

PyObject *
gnp_special_table(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(noargs))
{
    return rows_as_list(GNP_NUMPY_UFUNCS, GNP_NUFUNCS);
}

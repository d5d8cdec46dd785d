/* Universal functions: the rows of tables/ufuncs.def as objects, how a loop is chosen for the types
 * of a call, and calls. */
#ifndef GNP_UFUNC_H
#define GNP_UFUNC_H

#include "core/core.h"

typedef enum {
#define UFUNC(name, nin, nout, result, classes, identity, expression, ulp, summary)                \
    GNP_UFUNC_##name,
#include "tables/ufuncs.def"
    GNP_NUMPY_UFUNCS, /* rows of ufuncs.def come first, those of special.def follow */
    GNP_BEFORE_SPECIAL = GNP_NUMPY_UFUNCS - 1,
#define SPECIAL(name, nin, nout, parameters, loops, expression, header, complex_header, ulp64,     \
                ulp32, summary)                                                                    \
    GNP_SPECIAL_##name,
#include "tables/special.def"
    GNP_NUFUNCS
} GnpUfuncId;

/* Calls a row on Python operands (arrays, Python and NumPy scalars); the operators' path. */
PyObject *gnp_ufunc_unary(GnpUfuncId id, PyObject *a);
PyObject *gnp_ufunc_binary(GnpUfuncId id, PyObject *a, PyObject *b);
/* a op= b */
PyObject *gnp_ufunc_inplace(GnpUfuncId id, PyObject *a, PyObject *b);

#define GNP_MAX_IN 5
#define GNP_MAX_OUT 4
#define GNP_MAX_ARGS (GNP_MAX_IN + GNP_MAX_OUT)

typedef enum {
    RULE_SAME,
    RULE_REAL,
    RULE_TRUE,
    RULE_WIDE,
    RULE_TEST,
    RULE_COMPARE,
    RULE_PART,
    RULE_COUNT,
    RULE_FREXP,
    RULE_LDEXP,
    RULE_LISTED, /* rows of special.def: `loops` lists them, as SciPy's ufunc.types */
    RULE_WHERE   /* not in the table: a truth value, then SAME */
} GnpResultRule;
typedef enum {
    IDENTITY_NONE,
    IDENTITY_ZERO,
    IDENTITY_ONE,
    IDENTITY_MINUS_ONE,
    IDENTITY_TRUE,
    IDENTITY_FALSE,
    IDENTITY_NEG_INF
} GnpIdentity;

typedef struct {
    GnpElementOp op;
    GnpResultRule rule;
    GnpIdentity identity;
    int ulp, ulp32; /* ulp32: rows of special.def only */
    const char *result, *classes, *identity_name, *summary;
    const char *parameters, *loops; /* rows of special.def only: "a, x" and "dd->d ff->f" */
} GnpUfuncRow;

extern const GnpUfuncRow gnp_ufunc_rows[GNP_NUFUNCS];

/* The dtypes of one loop: inputs, then outputs. */
typedef struct {
    int16_t dtype[GNP_MAX_ARGS];
    int8_t found;
} GnpLoop;

/* The type of an input: a dtype, or a weak kind (then dtype is GNP_NO_DTYPE). */
typedef struct {
    GnpDtype dtype;
    GnpWeak weak;
} GnpInputType;

/* The loop whose type is T. 0 when the row has none. */
int gnp_loop_of_type(const GnpUfuncRow *row, GnpDtype t, GnpLoop *loop);
/* The loop NumPy would take for these inputs; 0 when there is none (no exception is set). */
int gnp_loop_find(const GnpUfuncRow *row, const GnpInputType *in, GnpLoop *loop);
/* The same with some operands' dtypes given (others GNP_NO_DTYPE), by signature= or dtype=. */
int gnp_loop_find_matching(const GnpUfuncRow *row, const GnpInputType *in, const GnpDtype *wanted,
                           GnpLoop *loop);
/* The loop of reduce, accumulate and reduceat: its result can be its next first operand, which
 * `out` is at first if there is one. `wanted` is dtype=, or GNP_NO_DTYPE, as `out` may be. */
int gnp_loop_find_chain(const GnpUfuncRow *row, GnpDtype in, GnpDtype wanted, GnpDtype out,
                        GnpLoop *loop);
/* The loops of a row of special.def (listed_loops.c): the i-th, 0 behind the last; and as the
 * functions above for rows whose rule is RULE_LISTED. */
int gnp_listed_loop(const GnpUfuncRow *row, int i, GnpLoop *loop);
int gnp_listed_find(const GnpUfuncRow *row, const GnpInputType *in, GnpLoop *loop);
int gnp_listed_find_matching(const GnpUfuncRow *row, const GnpInputType *in, const GnpDtype *wanted,
                             GnpLoop *loop);
/* ["ff->f", ...] as ufunc.types. */
PyObject *gnp_loop_types(const GnpUfuncRow *row);
/* The docstring entries of the keywords that every ufunc has, from `casting` on. */
const char *gnp_ufunc_options_doc(void);
/* A Python number, or None. */
PyObject *gnp_ufunc_identity(const GnpUfuncRow *row);
/* _C.ufunc_table(), _C.special_table() */
PyObject *gnp_ufunc_table(PyObject *self, PyObject *noargs);
PyObject *gnp_special_table(PyObject *self, PyObject *noargs);
/* _C.special_ufuncs(): {name: ufunc} of special.def */
PyObject *gnp_special_ufuncs(PyObject *self, PyObject *noargs);
/* _C.ufunc_aliases(): {second name: name} */
PyObject *gnp_ufunc_aliases(PyObject *self, PyObject *noargs);

/* ---- the object ------------------------------------------------------------------------------ */

/* Codes of input types in the cache: a dtype, or GNP_NDTYPES + weak kind. */
#define GNP_NCODES (GNP_NDTYPES + GNP_WEAK_COMPLEX + 1)

typedef struct {
    PyObject_HEAD vectorcallfunc vectorcall;
    const GnpUfuncRow *row;
    GnpLoop *loops; /* NCODES (x NCODES for two inputs), found -1: none, 0: not known yet */
} GnpUfunc;

extern PyTypeObject *gnp_ufunc_type;
extern GnpUfunc *gnp_ufuncs[GNP_NUFUNCS]; /* owned; for the number slots */

/* A ufunc object of a row; NULL without memory. */
GnpUfunc *gnp_ufunc_new(const GnpUfuncRow *row);
int gnp_ufunc_init(PyObject *module);
int gnp_where_init(PyObject *module);
int gnp_formula_init(PyObject *module); /* isclose, nan_to_num, round_scaled */

/* ---- calls ----------------------------------------------------------------------------------- */

/* One call with its keywords parsed. Borrowed. */
typedef struct {
    PyObject *in[GNP_MAX_IN];
    PyObject *out[GNP_MAX_OUT]; /* arrays or NULL */
    PyObject *where;            /* NULL: everywhere */
    GnpDtype wanted[GNP_MAX_ARGS];
    int any_wanted;
    GnpCasting casting;
    char order;
    int positional_out, keyword_out; /* given so, None included */
    int plain;                       /* subok=False: results of subclasses are plain arrays, too */
} GnpUfuncCall;

/* Exact arrays and Python scalars, contiguous, of one shape, no keyword but out (NULL or an array):
 * 1 with *result, 0 when the call is not of that kind, -1 with an exception. */
int gnp_ufunc_fast(GnpUfunc *u, PyObject *const *in, PyObject *out, PyObject **result);
/* Every call. A new array, or a tuple of the outputs. */
PyObject *gnp_ufunc_general(GnpUfunc *u, const GnpUfuncCall *call);

/* What an operand's own __array_ufunc__ answers; NotImplemented where no operand has one. */
PyObject *gnp_ufunc_overridden(const GnpUfunc *u, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames);

/* ---- errors with NumPy's messages; all return -1 --------------------------------------------- */

int gnp_ufunc_no_loop(GnpUfunc *u, const GnpInputType *in);
int gnp_ufunc_no_match(GnpUfunc *u);
int gnp_ufunc_cast_error(GnpUfunc *u, int is_output, int i, GnpDtype from, GnpDtype to,
                         GnpCasting casting);
int gnp_ufunc_bad_operand(GnpUfunc *u, PyObject *operand);
int gnp_ufunc_bad_shapes(const GnpUfuncRow *row, GnpArray *const *arrays, int n);
/* 0 where all arrays, some of which may be NULL, are on the current device or may be read and
 * written from it. */
int gnp_ufunc_check_devices(const GnpUfuncRow *row, GnpArray *const *arrays, int n);
int gnp_ufunc_bad_out_shape(const GnpArray *out, int ndim, const int64_t *shape);

/* ---- datetime64 and timedelta64 (datetime.c) ------------------------------------------------- */

/* One call's types: loop.dtype with units, the operation on GNP_TIME, and what converts inputs. */
typedef struct {
    GnpLoop loop;
    const GnpElementOp *op;
    int64_t scale[GNP_MAX_IN];        /* appended to op's inputs, if it has more parameters */
    unsigned char recast[GNP_MAX_IN]; /* by astype to loop.dtype, before */
} GnpTimeLoop;

/* Resolved by NumPy; -1 with NumPy's exception. */
int gnp_time_loop_find(const GnpUfuncRow *row, const GnpInputType *in, GnpCasting casting,
                       GnpTimeLoop *out);
/* where(condition, x, y): the common dtype of x and y. */
int gnp_time_where(const GnpUfuncRow *row, const GnpInputType *in, GnpTimeLoop *out);
/* Raises what NumPy raises for a reduction of `dtype` by this row, or that `name` is not supported.
 * -1. */
int gnp_time_refuse(const GnpUfuncRow *row, GnpDtype dtype, const char *name);

#endif

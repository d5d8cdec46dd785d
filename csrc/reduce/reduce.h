/* A reduction between the call (reduce.c) and the launch (reduce_launch.c). */
#ifndef GNP_REDUCE_H
#define GNP_REDUCE_H

#include "ufunc/ufunc.h"

/* ---- rows ------------------------------------------------------------------------------------ */

typedef enum { LOOP_SAME, LOOP_SUM, LOOP_REAL } LoopRule;
typedef enum { RESULT_SAME, RESULT_PART, RESULT_INDEX, RESULT_BOOL, RESULT_PAIR } ResultRule;
typedef enum {
    EMPTY_NONE,
    EMPTY_ZERO,
    EMPTY_ONE,
    EMPTY_FALSE,
    EMPTY_TRUE,
    EMPTY_NAN,
    EMPTY_NEG_INF,
    EMPTY_MINUS_ONE
} EmptyRule;
typedef enum { ARGS_SUM, ARGS_MAX, ARGS_ARG, ARGS_ANY, ARGS_COUNT, ARGS_MEAN, ARGS_VAR } ArgsKind;

typedef struct {
    const char *name;
    ArgsKind arguments;
    LoopRule loop;
    ResultRule result;
    EmptyRule empty;
    const char *accumulator, *identity, *map, *combine, *finish, *summary;
} GnpReductionRow;

typedef enum {
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    REDUCE_##name,
#include "tables/reductions.def"
    GNP_NREDUCTIONS
} GnpReductionId;

extern const GnpReductionRow gnp_reduction_rows[GNP_NREDUCTIONS];

typedef struct {
    const GnpReductionRow *row;
    const GnpUfuncRow *sequential; /* not NULL: apply it in order instead (sequential.c) */
    GnpArray *in;                  /* owned */
    GnpArray *where;               /* owned; NULL: all elements */
    GnpArray *out;                 /* owned; of the row's own result dtype */
    GnpDtype loop, result;
    unsigned char reduced[GNP_MAX_DIMS]; /* flags of in's axes */
    int nreduced, has_initial;
    GnpScalar initial; /* an element of `loop` */
    double parameter;  /* of the row's finish */
} GnpReduceTask;

/* How an array is reduced: which kernel, how many threads share an output, how many pieces. */
typedef struct {
    int by_columns, width, unroll,
        lanes; /* lanes: threads per output, or threads beside each other */
    int masked, partial, resume, initial, wide, packed, ragged;
    int kept_class, reduced_class;
    int64_t nout, n, chunk, pieces, nblocks;
    int64_t across, period, missing; /* packed: see kernels/reduce/reduce_columns.cu */
} GnpReducePlan;

/* What the plan depends on beside the axes: the elements' size and the alignment of their address.
 */
typedef struct {
    int itemsize, masked, is_index; /* is_index: the result is an index or a count */
    int anywhere;                   /* rows may start between two boundaries of accesses */
    uint64_t address;
} GnpReduceSource;

enum { GNP_REDUCE_BLOCK = 256 };

/* The plan of one launch; plan->pieces > 1: accumulators are stored and a second one combines them.
 * Operand 0 of the axes is what is reduced. */
void gnp_reduce_plan(GnpReducePlan *plan, const GnpReduceSource *source, const GnpAxes *kept,
                     const GnpAxes *reduced, const GnpDevice *device);
/* 1 when the rows are packed instead, many at a time, which combines in another order. */
int gnp_reduce_is_packed(const GnpReducePlan *plan, const GnpReduceSource *source,
                         const GnpAxes *kept, const GnpAxes *reduced, const GnpDevice *device);
/* Threads beside each other (a knob) that combine `pieces` accumulators of each of `nout` outputs.
 */
int gnp_reduce_finish_columns(int64_t nout, int64_t pieces);
/* The plan's blocks, in pieces along the grid's other axis; ValueError for more than a grid has. */
int gnp_reduce_launch(const GnpKernel *kernel, const GnpReducePlan *plan, CUstream stream,
                      void **arg);

/* Reduces at least one element to at least one output, on the current stream. */
int gnp_reduce_run(const GnpReduceTask *task);
/* The same now, whatever the mode, on a stream of the current device. */
int gnp_reduce_run_on(const GnpReduceTask *task, GnpDevice *device, CUstream stream);
/* Lazy mode: 1 when the task was recorded, 0 when not, -1 with an exception. NULL: off. */
extern int (*gnp_reduce_recorder)(const GnpReduceTask *task);

/* Arguments of any reduction; NULL where not given. */
typedef enum {
    ARG_AXIS,
    ARG_DTYPE,
    ARG_OUT,
    ARG_KEEPDIMS,
    ARG_INITIAL,
    ARG_WHERE,
    ARG_DDOF,
    ARG_CORRECTION,
    GNP_REDUCE_NARGS
} GnpReduceArg;

PyObject *gnp_reduce_call(GnpReductionId id, PyObject *a, PyObject *const arg[GNP_REDUCE_NARGS]);
/* The ufunc whose reduction a row is, or NULL (ufunc_reduce.c). */
const GnpUfuncRow *gnp_reduction_ufunc(const GnpReductionRow *row);
/* A ufunc without a reduction of its own. */
PyObject *gnp_reduce_by_steps(const GnpUfuncRow *sequential, PyObject *a,
                              PyObject *const arg[GNP_REDUCE_NARGS]);

/* ---- scans (scan.c, scan_launch.c) ----------------------------------------------------------- */

typedef struct {
    const GnpUfuncRow *row; /* two inputs, one output, all of one dtype in the loop */
    int skips_nan;          /* NaN counts as the row's identity */
    GnpArray *in, *out;     /* of one shape, each element on its boundary, of any dtypes */
    GnpDtype loop;
    int axis;
} GnpScanTask;

/* out[.., i, ..] = in[.., 0, ..] op ... op in[.., i, ..] on the current stream, in any layout. They
 * may overlap. */
int gnp_scan_run(const GnpScanTask *task);
/* 1 when a row is associative up to rounding. */
int gnp_is_associative(const GnpUfuncRow *row);

/* ---- shared by accumulate, reduce and reduceat ----------------------------------------------- */

/* ValueError unless the row has two inputs and one output. */
int gnp_ufunc_check_chain(GnpUfunc *u, const char *method);
/* An axis, or None where there is only one. */
int gnp_chain_axis(PyObject *object, int ndim, const char *method, int *axis);
/* out=: a writeable array, or *out NULL. */
int gnp_chain_out(PyObject *object, GnpArray **out);
/* The dtype of a loop whose result can be its next first operand, as NumPy takes it for dtype=,
 * out= and `in`; TypeError when there is none. */
int gnp_chain_dtype(GnpUfunc *u, GnpDtype in, PyObject *dtype, const GnpArray *out, GnpDtype *loop);
/* TypeError: dtype= has a unit of time where only a kind is allowed. */
int gnp_refuse_detail(void);
/* TypeError where the row's second operand has another type: accumulate and reduceat reject it. */
int gnp_chain_uniform(GnpUfunc *u, const char *method);
PyObject *gnp_ufunc_accumulate(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames);

/* ---- sequential reduction along one axis (sequential.c) -------------------------------------- */

/* As gnp_scan_run, for rows whose order of operations matters. */
int gnp_sequential_accumulate(const GnpScanTask *task);
/* task->sequential along at most one axis; at least one output. */
int gnp_sequential_reduce(const GnpReduceTask *task);
/* ufunc.reduce (ufunc_reduce.c), ufunc.reduceat */
PyObject *gnp_ufunc_reduce(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames);
PyObject *gnp_ufunc_reduceat(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames);

/* ---- indices within bounds (bounds.c) -------------------------------------------------------- */

/* In mode 'raise' only: IndexError when an index is out of bounds of an axis of this size. Waits.
 */
int gnp_index_check(GnpArray *index, int64_t size, int axis);
/* 1 in the mode 'raise' of set_index_mode: values on the device are looked at, which waits. */
int gnp_index_mode_raises(void);
/* The functions of bounds.c: set_index_mode. */
int gnp_bounds_init(PyObject *module);

/* ---- start-up -------------------------------------------------------------------------------- */

/* Signatures after the array, by the arguments that reductions take. */
#define GNP_TEXT_SUM "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)"
#define GNP_TEXT_MAX "axis=None, out=None, keepdims=False, initial=None, where=None)"
#define GNP_TEXT_ARG "axis=None, out=None, *, keepdims=False)"
#define GNP_TEXT_ANY "axis=None, out=None, keepdims=False, *, where=None)"
#define GNP_TEXT_COUNT "axis=None, *, keepdims=False)"
#define GNP_TEXT_MEAN "axis=None, dtype=None, out=None, keepdims=False, *, where=None)"
#define GNP_TEXT_VAR                                                                               \
    "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, correction=None)"

/* Methods of the array, one for each row. */
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,                \
                           PyObject *kwnames);
#include "tables/reductions.def"
PyObject *array_cumsum(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_cumprod(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

int gnp_reduce_init(PyObject *module);
int gnp_reductions_init(PyObject *module); /* reduce.c */
int gnp_scan_init(PyObject *module);
int gnp_softmax_init(PyObject *module);

#endif

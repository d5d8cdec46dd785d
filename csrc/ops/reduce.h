/* A reduction on its way: what reduce.c makes of a call and reduce_launch.c runs. */
#ifndef GNP_REDUCE_H
#define GNP_REDUCE_H

#include "ops/ufunc.h"

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
    const GnpUfuncRow *fold; /* not NULL: its steps in their order instead (fold.c) */
    GnpArray *in;            /* owned */
    GnpArray *where;         /* owned; NULL: all elements */
    GnpArray *out;           /* owned; of the row's own result dtype */
    GnpDtype loop, result;
    unsigned char reduced[GNP_MAX_DIMS]; /* flags of in's axes */
    int nreduced, has_initial;
    GnpScalar initial; /* an element of `loop` */
    double parameter;
} GnpReduceTask;

/* How an array is reduced: which kernel, how many threads share an output, how many pieces. */
typedef struct {
    int by_columns, width, unroll,
        lanes; /* lanes: threads per output, or threads beside each other */
    int masked, partial, resume, initial, wide, folded, ragged;
    int kept_class, reduced_class;
    int64_t nout, n, chunk, pieces, nblocks;
    int64_t across, period, missing; /* folded: as kernels/reduce_columns.cu has them */
} GnpReducePlan;

/* What the plan depends on beside the axes: the elements' size and the bits of their address. */
typedef struct {
    int itemsize, masked, is_index; /* is_index: the result is an index or a count */
    int anywhere;                   /* rows may be taken from the first boundary of an access on */
    uint64_t address;
} GnpReduceSource;

enum { GNP_REDUCE_BLOCK = 256 };

/* The plan of one launch; plan->pieces > 1: accumulators are stored and a second one combines them.
 * Operand 0 of the axes is what is reduced. */
void gnp_reduce_plan(GnpReducePlan *plan, const GnpReduceSource *source, const GnpAxes *kept,
                     const GnpAxes *reduced, const GnpDevice *device);
/* 1 when the library's own rows are taken many at a time instead, in another order. */
int gnp_reduce_is_folded(const GnpReducePlan *plan, const GnpReduceSource *source,
                         const GnpAxes *kept, const GnpAxes *reduced, const GnpDevice *device);
/* Threads beside each other (a knob) that combine `pieces` accumulators of each of `nout` outputs.
 */
int gnp_reduce_finish_columns(int64_t nout, int64_t pieces);

/* Reduces at least one element to at least one output, on the current stream. */
int gnp_reduce_run(const GnpReduceTask *task);
/* The same now, whatever the mode, on a stream of the current device. */
int gnp_reduce_run_on(const GnpReduceTask *task, GnpDevice *device, CUstream stream);
/* Lazy mode: 1 when the task was taken for later, 0 when not, -1 with an exception. NULL: off. */
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
PyObject *gnp_reduce_by_steps(const GnpUfuncRow *fold, PyObject *a,
                              PyObject *const arg[GNP_REDUCE_NARGS]);

#endif

/* Lazy mode: elementwise work and reductions are recorded, and run in few kernels when a value is
 * needed (lazy.c records, lazy_known.c knows what was recorded before, lazy_plan.c groups,
 * lazy_source.c writes, lazy_run.c runs).
 *
 * Calls of the engines are recorded, with dtypes determined and results allocated, as commands that
 * read and write views of memory. Any other work gets its stream from gnp_stream_current, which
 * runs the pending commands first.
 */
#ifndef GNP_LAZY_H
#define GNP_LAZY_H

#include "fuse/fuse.h"

enum { GNP_LAZY_OPERANDS = 6 }; /* of a command; calls with more are not recorded */

/* Memory that commands refer to, and where the first view of it begins in its block. Offsets count
 * from there where programs are compared: a loop over rows moves all of them alike. */
typedef struct {
    GnpBlock *block; /* owned */
    int64_t origin;
} GnpLazyBuffer;

/* Two blocks cover some of the same bytes, which memory of another library may. */
static inline int
gnp_blocks_overlap(const GnpBlock *a, const GnpBlock *b)
{
    return a != b && a->ptr < b->ptr + b->bytes && b->ptr < a->ptr + a->bytes;
}

/* Elements of a buffer; axes of size 1 are left out. */
typedef struct {
    int buffer; /* -1: a scalar */
    int64_t offset;
    GnpScalar scalar;
    int dtype, compute;
    int is_flat; /* contiguous in C order over the command's shape */
    int64_t *strides;
} GnpLazyView;

typedef struct {
    const GnpElementOp *op;           /* elementwise; NULL: */
    const GnpReductionRow *reduction; /* operand 0 into operand 1 */
    GnpDtype loop, result;
    unsigned char *reduced; /* flags of the axes */
    double parameter;
    int nin, n, ndim, is_flat;
    int is_shared; /* refers to memory that two blocks cover: not recorded */
    int place;     /* among the commands of the program */
    int64_t *shape, size;
    GnpLazyView view[GNP_LAZY_OPERANDS];
    int64_t storage[]; /* shape, strides */
} GnpLazyCommand;

/* Commands that run together, in their order. A reduction is the last of its group. */
typedef struct {
    int ncommands;
    GnpLazyCommand **command; /* owned list, borrowed commands */
    int is_flat, ndim, has_reduction;
    const int64_t *shape;
    int64_t size;
} GnpLazyGroup;

/* An argument of the kernel of a group. */
typedef struct {
    int buffer; /* -1: the scalar */
    int64_t offset;
    GnpScalar scalar;
    int dtype;
    int command, view; /* that the scalar comes from */
    int64_t strides[GNP_MAX_DIMS];
} GnpStepOperand;

/* One kernel, or one reduction of the library. */
typedef struct {
    const GnpElementOp *op;        /* NULL: a reduction */
    const GnpLazyCommand *command; /* the reduction; its view 0 is read unless `source` is set */
    char *source;                  /* owned: the fused reduction's knobs */
    uint64_t source_number;
    struct GnpLazyRows *rows; /* owned: source is of lazy_rows.c */
    int nin, n, ndim;
    int64_t shape[GNP_MAX_DIMS];
    GnpStepOperand *operand; /* owned */
} GnpStep;

/* A complete list of steps and the memory they refer to. */
typedef struct {
    int ncommands, nbuffers, nsteps;
    GnpLazyCommand **command; /* owned, each from malloc */
    GnpLazyBuffer *buffer;    /* owned */
    GnpStep *step;            /* owned */
    int command_capacity, buffer_capacity;
    int nlaunches; /* when it ran last: steps, or commands where each ran by itself */
    GnpText key;   /* owned: what the steps depend on */
    uint64_t hash; /* of the key */
} GnpLazyProgram;

void gnp_lazy_program_clear(GnpLazyProgram *p);
/* Groups the commands and makes the steps. `is_needed` says for each buffer whether there are
 * references to it beside the commands'. -1 with an exception. */
int gnp_lazy_make_steps(GnpLazyProgram *p, const unsigned char *is_needed);

/* Where a program runs: the address of buffer i is base[i], its block block[i]. */
typedef struct {
    const CUdeviceptr *base;
    GnpBlock *const *block;
    GnpDevice *device;
    CUstream stream;
} GnpLazyPlace;

int gnp_lazy_run_steps(GnpLazyProgram *p, const GnpLazyPlace *place);
/* Runs each command by itself, with the kernels of eager mode. */
int gnp_lazy_run_commands(GnpLazyProgram *p, const GnpLazyPlace *place);

/* ---- programs by their structure (lazy_known.c) ---------------------------------------------- */

/* Adds the newest command to the program's key. Returns a hash of what decides on kernels: of
 * operations, types and sizes. */
uint64_t gnp_lazy_add_to_key(GnpLazyProgram *p);
/* Runs a program: command by command where its like was not seen before, else by steps, which are
 * kept for the next time. */
int gnp_lazy_run_program(GnpLazyProgram *p, const unsigned char *is_needed,
                         const GnpLazyPlace *place);
/* 1 when the reduction of a step can be made while its source is computed, in eager mode's order.
 */
int gnp_lazy_fits_reduction(const GnpStep *step);
/* An operand of a step from a view, without its strides. */
void gnp_lazy_fill_operand(GnpStepOperand *o, const GnpLazyView *view,
                           const GnpLazyCommand *command);
/* Strides of a view in the shape of a group. */
void gnp_lazy_strides(const GnpLazyView *view, const GnpLazyCommand *command, int ndim,
                      const int64_t *shape, int64_t *strides);
/* 1 when both are the same elements in the same order. */
int gnp_lazy_same_view(const GnpLazyView *a, const GnpLazyCommand *of_a, const GnpLazyView *b,
                       const GnpLazyCommand *of_b);

/* ---- loops (lazy_period.c) ------------------------------------------------------------------- */

/* A command was recorded; its hash by gnp_lazy_add_to_key. */
void gnp_lazy_note(uint64_t hash);
/* 1 when no more commands may be pending: 64, or about as many that are whole rounds of a loop. */
int gnp_lazy_is_full(int ncommands);
/* Lazy mode begins: what came before is another program's. */
void gnp_lazy_forget(void);
/* A program has run: whether recording pays is decided by how many launches it saves. */
void gnp_lazy_count(const GnpLazyProgram *p);
/* Asked before each command: 0 when it is not worth recording. */
int gnp_lazy_pays(void);
/* GPUNP_LAZY, read at import. ALL records everything and makes steps of it at first sight. */
typedef enum { GNP_LAZY_OFF, GNP_LAZY_PAYS, GNP_LAZY_ALL } GnpLazyMode;
extern GnpLazyMode gnp_lazy_mode;
/* What is known of whether recording pays is forgotten. */
void gnp_lazy_set_mode(GnpLazyMode mode);

/* ---- source (lazy_source.c) ------------------------------------------------------------------ */

/* A group in static single-assignment form: its loads, operations and stores. */
typedef struct {
    const GnpLazyGroup *group;
    int nleaves, nstored, ncommands;
    struct {
        const GnpLazyView *view;
        const GnpLazyCommand *command;
    } leaf[GNP_MAX_OPERANDS], stored[GNP_MAX_OPERANDS];
    int stored_value[GNP_MAX_OPERANDS]; /* which value each stored view gets */
} GnpLazyDag;

/* input[c][i]: the value (>= 0: GNP_LAZY_OPERANDS * command + operand) or the leaf (-1 - leaf) that
 * operand i of command c takes. */
enum { GNP_LAZY_COMMANDS = 24 };
typedef int GnpLazyInputs[GNP_LAZY_COMMANDS][GNP_LAZY_OPERANDS];

/* Groups before they become steps (lazy_plan.c). */
typedef struct {
    GnpLazyProgram *p;
    const unsigned char *is_needed;
    GnpLazyGroup *group; /* owned, with their lists */
    int ngroups;
} GnpLazyPlan;

void gnp_lazy_make_dag(const GnpLazyPlan *plan, const GnpLazyGroup *g, int ncommands, int store_all,
                       GnpLazyDag *dag, GnpLazyInputs input);
/* 1 when what the group writes to the buffer is read outside the group. */
int gnp_lazy_is_wanted(const GnpLazyPlan *plan, const GnpLazyGroup *g, int buffer);

/* Parts of the source, for lazy_rows.c. */
void gnp_lazy_write_headers(GnpText *t, const GnpLazyDag *dag);
/* struct F<first + k> for each command. */
void gnp_lazy_write_functions(GnpText *t, const GnpLazyDag *dag, int first);
/* The calls, from variables s0.. to v<first + command>_<operand>. */
void gnp_lazy_write_calls(GnpText *t, const GnpLazyDag *dag, int first, int ncommands,
                          const int (*input)[GNP_LAZY_OPERANDS]);
/* The name of a value or a leaf. */
void gnp_lazy_write_value(GnpText *t, int value, int first);

/* ---- rows (lazy_rows.c) ---------------------------------------------------------------------- */

/* Fuses reductions along rows with what is computed from them, row by row: the number of groups
 * from `place` on that became one step; 0: none, -1 with an exception. */
int gnp_lazy_add_rows(GnpLazyPlan *plan, int place);
/* Runs such a step. */
int gnp_lazy_run_rows(const GnpStep *step, const GnpLazyPlace *at);
/* 1 when all rows of operand k (elements of `item` bytes at address `place`) have the same
 * alignment, in accesses of `width` elements, as the rows of the reduced array: kept's last
 * operand, which starts `past` elements after a boundary. */
int gnp_lazy_in_step(const GnpAxes *kept, int k, int64_t item, CUdeviceptr place, int64_t past,
                     int width);
/* The plan of the reduction `c` as eager mode makes it, and its axes (strides of the array and of
 * the output): 0 when it takes several launches or combines in another order. */
int gnp_lazy_plan_reduction(const GnpLazyCommand *c, const GnpDevice *device, GnpReducePlan *plan);

/* The op of an elementwise group or, with a reduction at its end, of a fused reduction, of which
 * only the number and the source are used. NULL with an exception. */
GNP_BORROW const GnpElementOp *gnp_lazy_op_of(const GnpLazyDag *dag,
                                              const int (*input)[GNP_LAZY_OPERANDS], int heavy);
/* A copy of the text that such an op was made of (malloc); NULL with MemoryError. */
char *gnp_lazy_source_of(const GnpElementOp *op);

/* The name of kernels that are made now; lives as long as the process. */
extern const char *gnp_lazy_name;
/* The op of any other text, for its number and its source. NULL with an exception. */
GNP_BORROW const GnpElementOp *gnp_lazy_op_of_text(const GnpText *text);
/* The op of a form, numbers that describe all that a text depends on; NULL: not known yet. */
GNP_BORROW const GnpElementOp *gnp_lazy_known(const void *form, size_t nbytes);
/* Keeps the op of a form; returns it. */
GNP_BORROW const GnpElementOp *gnp_lazy_keep(const void *form, size_t nbytes,
                                             const GnpElementOp *op);
/* Appends the numbers of one group to a form. */
void gnp_lazy_describe(GnpText *form, const GnpLazyDag *dag, const int (*input)[GNP_LAZY_OPERANDS]);

#endif

/* Row by row: reductions along rows, what is computed once per row from them, and what is computed
 * per element from that, as the phases of one kernel (kernels/reduce/rowwise.cu). A row is read
 * from memory once; results of the reductions stay in registers, and are stored only where they are
 * read elsewhere. Softmax and layer normalisation are typical: a maximum or a mean per row, then
 * the elements less it, then a sum. The bits equal those of eager mode, as the reductions have
 * its plan. Called by lazy_plan.c (gnp_lazy_add_rows) and lazy_run.c (gnp_lazy_run_rows), with
 * the GIL. */
#include "fuse/lazy.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PHASES = 6, MOST_VALUES = 16, KIND_REDUCES = 0, KIND_ONCE, KIND_EACH };
static const char *const kind_names[] = {"REDUCES", "ONCE", "EACH"};

/* A value per row: where its group writes it, and its name in the source. */
typedef struct {
    const GnpLazyView *view;
    const GnpLazyCommand *command;
    int number, operand; /* v<number>_<operand> */
} RowValue;

/* A group as a phase: what it reads from memory, and which values it has in registers. */
typedef struct {
    const GnpLazyGroup *group;
    int kind, first; /* of its commands among all */
    GnpLazyDag dag;
    GnpLazyInputs input;
    int value[GNP_MAX_OPERANDS]; /* of each leaf: a row value, or -1: in memory */
    int is_stored;               /* a reduction's result is stored in memory */
} Phase;

/* The step while it is planned; allocated, as it is too large for the stack. */
typedef struct {
    const GnpLazyPlan *plan;
    const GnpLazyCommand *lead; /* the first reduction */
    GnpReducePlan reduction;
    int nphases, nvalues, ncommands;
    Phase phase[MOST_PHASES];
    RowValue value[MOST_VALUES];
} Piece;

/* What is needed to run a step. It lives in a step and refers to no commands, since those are
 * dropped in a replayed form. */
typedef struct GnpLazyRows {
    int nphases;
    int first[MOST_PHASES], nlisted[MOST_PHASES], nin[MOST_PHASES], kind[MOST_PHASES];
    GnpReducePlan plan;
    int64_t lead_strides[GNP_MAX_DIMS];
    int64_t past; /* elements between the last boundary of an access and the start of the lead's
                     array */
} Rows;

/* ---- views over the whole rows --------------------------------------------------------------- */

/* Strides over the lead's axes: 0 along rows for what has one value per row. A value per row has
 * stride 0 along the row, so the kernel's phases address it like any other operand. */
static void
expand(const Piece *p, const GnpLazyView *view, const GnpLazyCommand *command, int64_t *strides)
{
    const GnpLazyCommand *lead = p->lead;
    int64_t shape[GNP_MAX_DIMS], own[GNP_MAX_DIMS];
    int n = 0;
    if (command->reduction != NULL && view == &command->view[1]) {
        memcpy(strides, view->strides, (size_t)lead->ndim * sizeof *strides);
        return;
    }
    /* One value per element: the lead's own shape. */
    if (command->size == lead->size) {
        gnp_lazy_strides(view, command, lead->ndim, lead->shape, strides);
        return;
    }
    for (int axis = 0; axis < lead->ndim; axis++) {
        if (!lead->reduced[axis]) {
            shape[n++] = lead->shape[axis];
        }
    }
    gnp_lazy_strides(view, command, n, shape, own);
    for (int axis = 0, k = 0; axis < lead->ndim; axis++) {
        strides[axis] = lead->reduced[axis] ? 0 : own[k++];
    }
}

/* Two views are the same elements of the rows, whatever shapes their commands have. */
static int
same_places(const Piece *p, const GnpLazyView *a, const GnpLazyCommand *of_a, const GnpLazyView *b,
            const GnpLazyCommand *of_b)
{
    int64_t x[GNP_MAX_DIMS], y[GNP_MAX_DIMS];
    if (a->buffer != b->buffer || a->offset != b->offset || a->dtype != b->dtype) {
        return 0;
    }
    expand(p, a, of_a, x);
    expand(p, b, of_b, y);
    return memcmp(x, y, (size_t)p->lead->ndim * sizeof *x) == 0;
}

/* ---- choosing groups ------------------------------------------------------------------------- */

/* Equal numbers of axes and lengths. */
static int
same_shape(int ndim_a, const int64_t *a, int ndim_b, const int64_t *b)
{
    return ndim_a == ndim_b && memcmp(a, b, (size_t)ndim_a * sizeof *a) == 0;
}

/* Elements between the last boundary of an access and the first element of the reduced array. Rows
 * that do not start at a multiple of an access (ragged) begin with a shorter step; all arrays of
 * the phase have to agree on it. */
static int64_t
past_boundary(const GnpLazyCommand *c, const GnpReducePlan *plan)
{
    return plan->ragged ? c->view[0].offset / gnp_dtypes[c->view[0].dtype].bytes % plan->width : 0;
}

/* The group's kind as a phase of the step; -1 when its shape does not fit. */
static int
kind_of(const Piece *p, const GnpLazyGroup *g, const GnpDevice *device)
{
    const GnpLazyCommand *lead = p->lead, *last = g->command[g->ncommands - 1];
    int64_t kept[GNP_MAX_DIMS], strides[GNP_MAX_DIMS], wanted[GNP_MAX_DIMS];
    int n = 0;
    if (g->has_reduction) {
        GnpReducePlan plan;
        /* All reductions of a step share one loop over the row: the same axes, lanes and width, or
         * the bits would differ from eager mode's. */
        if (!same_shape(last->ndim, last->shape, lead->ndim, lead->shape) ||
            memcmp(last->reduced, lead->reduced, (size_t)lead->ndim) != 0 ||
            !gnp_lazy_plan_reduction(last, device, &plan) || plan.lanes != p->reduction.lanes ||
            plan.width != p->reduction.width || plan.unroll != p->reduction.unroll ||
            plan.ragged != p->reduction.ragged ||
            (past_boundary(last, &plan) - past_boundary(lead, &plan)) % plan.width != 0) {
            return -1;
        }
        gnp_lazy_strides(&last->view[0], last, lead->ndim, lead->shape, strides);
        gnp_lazy_strides(&lead->view[0], lead, lead->ndim, lead->shape, wanted);
        for (int axis = 0; axis < lead->ndim; axis++) {
            if (strides[axis] * gnp_dtypes[lead->view[0].dtype].bytes !=
                wanted[axis] * gnp_dtypes[last->view[0].dtype].bytes) {
                return -1;
            }
        }
        return KIND_REDUCES;
    }
    if (g->size == lead->size) {
        return g->is_flat || same_shape(g->ndim, g->shape, lead->ndim, lead->shape) ? KIND_EACH
                                                                                    : -1;
    }
    for (int axis = 0; axis < lead->ndim; axis++) {
        if (!lead->reduced[axis]) {
            kept[n++] = lead->shape[axis];
        }
    }
    return g->size == p->reduction.nout && (g->is_flat || same_shape(g->ndim, g->shape, n, kept))
               ? KIND_ONCE
               : -1;
}

/* The last one is the current one, as a buffer may be written twice. */
static int
find_value(const Piece *p, const GnpLazyView *view, const GnpLazyCommand *command)
{
    for (int k = p->nvalues - 1; k >= 0; k--) {
        if (view->buffer >= 0 &&
            same_places(p, view, command, p->value[k].view, p->value[k].command)) {
            return k;
        }
    }
    return -1;
}

/* 1 when an earlier phase stores something in the buffer. Such memory is written by other threads
 * of the same kernel, without synchronisation between phases. */
static int
is_written(const Piece *p, int buffer)
{
    for (int k = 0; k < p->nphases; k++) {
        const GnpLazyDag *dag = &p->phase[k].dag;
        for (int i = 0; i < dag->nstored; i++) {
            if (dag->stored[i].view->buffer == buffer) {
                return 1;
            }
        }
    }
    for (int k = 0; k < p->nvalues; k++) {
        if (p->value[k].view->buffer == buffer) {
            return 1;
        }
    }
    return 0;
}

/* 1 when this phase overwrites what earlier phases read only element by element, so that no row is
 * changed before another thread has read it. */
static int
is_apart(const Piece *p, const Phase *phase, const GnpLazyView *view, const GnpLazyCommand *command)
{
    if (is_written(p, view->buffer)) {
        return 0;
    }
    for (int k = 0; k < p->nphases; k++) {
        const GnpLazyDag *dag = &p->phase[k].dag;
        for (int l = 0; l < dag->nleaves; l++) {
            if (dag->leaf[l].view->buffer == view->buffer &&
                (phase->kind != KIND_EACH ||
                 !same_places(p, view, command, dag->leaf[l].view, dag->leaf[l].command))) {
                return 0;
            }
        }
    }
    return 1;
}

/* The same for all stores of the phase, and for its own reads. */
static int
writes_apart(const Piece *p, const Phase *phase)
{
    for (int k = 0; k < phase->dag.nstored; k++) {
        if (!is_apart(p, phase, phase->dag.stored[k].view, phase->dag.stored[k].command)) {
            return 0;
        }
    }
    return 1;
}

/* 0 where a row has more values than registers should hold. */
static int
add_value(Piece *p, const GnpLazyView *view, const GnpLazyCommand *command, int number, int operand)
{
    /* The group then becomes a step of its own. */
    if (p->nvalues == MOST_VALUES) {
        return 0;
    }
    p->value[p->nvalues++] = (RowValue){view, command, number, operand};
    return 1;
}

/* 1 when the group becomes the next phase. */
static int
take_group(Piece *p, const GnpLazyGroup *g, const GnpDevice *device)
{
    Phase *phase = &p->phase[p->nphases];
    int uses_values = p->nphases == 0;
    if (p->nphases == MOST_PHASES) {
        return 0;
    }
    /* Commands are numbered through all phases, so that their values have distinct names. */
    *phase = (Phase){.group = g, .kind = kind_of(p, g, device), .first = p->ncommands};
    if (phase->kind < 0) {
        return 0;
    }
    gnp_lazy_make_dag(p->plan, g, g->ncommands, phase->kind == KIND_ONCE, &phase->dag,
                      phase->input);
    for (int k = 0; k < phase->dag.nleaves; k++) {
        const GnpLazyView *view = phase->dag.leaf[k].view;
        phase->value[k] = find_value(p, view, phase->dag.leaf[k].command);
        uses_values |= phase->value[k] >= 0;
        if (phase->value[k] < 0 && view->buffer >= 0 && is_written(p, view->buffer)) {
            return 0;
        }
    }
    /* A group that uses no value of a row has no reason to be in this kernel. */
    if (!uses_values || !writes_apart(p, phase)) {
        return 0;
    }
    int good = 1;
    const GnpLazyCommand *last = g->command[g->ncommands - 1];
    if (phase->kind == KIND_REDUCES) {
        /* Moved from the list of stores, as the result is written once per row and not per
         * element. */
        phase->is_stored = phase->dag.nstored > 0;
        phase->dag.nstored = 0;
        /* 0 without room. */
        good = add_value(p, &last->view[1], last, phase->first + g->ncommands - 1, 1);
    }
    for (int k = 0; phase->kind == KIND_ONCE && k < phase->dag.nstored; k++) {
        int value = phase->dag.stored_value[k];
        good =
            good && add_value(p, phase->dag.stored[k].view, phase->dag.stored[k].command,
                              phase->first + value / GNP_LAZY_OPERANDS, value % GNP_LAZY_OPERANDS);
    }
    p->ncommands += g->ncommands;
    p->nphases += good;
    return good;
}

/* ---- source ---------------------------------------------------------------------------------- */

/* The C++ type of a dtype as it is stored. */
static const char *
device_name(int dtype)
{
    return gnp_dtypes[dtype].device_name;
}

/* struct Row: the values of a row, in registers of every lane. */
static void
write_row(GnpText *t, const Piece *p)
{
    gnp_text_add(t, "enum PhaseKind { REDUCES, ONCE, EACH };\ntemplate <int K> struct Phase;\n"
                    "struct Row {\n");
    for (int k = 0; k < p->nvalues; k++) {
        gnp_text_add(t, "    %s v%d_%d;\n", device_name(p->value[k].view->dtype),
                     p->value[k].number, p->value[k].operand);
    }
    gnp_text_add(t, "};\n");
}

/* A type per phase tells the kernel at compile time what the phase does. */
static void
write_struct(GnpText *t, const Phase *phase, int number, int first)
{
    const GnpLazyCommand *last = phase->group->command[phase->group->ncommands - 1];
    gnp_text_add(t,
                 "struct P%d {\n    enum { kind = %s, FIRST = %d };\n    typedef Operands%d "
                 "Operands;\n",
                 number, kind_names[phase->kind], first, number);
    /* A reduction stores its result in finish(), by one lane, rather than in op(). */
    if (phase->kind == KIND_REDUCES) {
        const GnpReductionRow *row = last->reduction;
        gnp_text_add(t,
                     "    typedef %s S;\n    typedef %s T;\n    typedef %s R;\n    typedef %s A;\n",
                     device_name(last->view[0].dtype), device_name(last->loop),
                     device_name(last->result), row->accumulator);
        gnp_text_add(t, "    GNP_FN static A identity() { return %s; }\n", row->identity);
        gnp_text_add(t, "    GNP_FN static A map(Compute<T> a, u64 i) { return %s; }\n", row->map);
        gnp_text_add(t, "    GNP_FN static A combine(A a, A b) { return %s; }\n", row->combine);
        gnp_text_add(t, "    GNP_FN static Compute<R> result(A a, u64 n, f64 p) { return %s; }\n",
                     row->finish);
    }
    gnp_text_add(t, "};\ntemplate <> struct Phase<%d> { typedef P%d type; };\n", number, number);
}

/* The body of a phase for one element, or for the row where the kind is ONCE. */
static void
write_op(GnpText *t, const Piece *p, const Phase *phase, int number)
{
    const GnpLazyDag *dag = &phase->dag;
    int reduces = phase->kind == KIND_REDUCES, last = dag->ncommands - 1;
    gnp_text_add(t, reduces ? "GNP_FN P%d::A op(P%d &, Row &row" : "GNP_FN void op(P%d &, Row &row",
                 number, number);
    for (int k = 0; k < dag->nleaves; k++) {
        if (phase->value[k] < 0) {
            gnp_text_add(t, ", %s a%d", gnp_compute_name(dag->leaf[k].view->dtype), k);
        }
    }
    for (int k = 0; k < dag->nstored; k++) {
        gnp_text_add(t, ", %s &r%d", gnp_compute_name(dag->stored[k].view->dtype), k);
    }
    gnp_text_add(t, ")\n{\n");
    for (int k = 0; k < dag->nleaves; k++) {
        const char *name = device_name(dag->leaf[k].view->dtype);
        if (phase->value[k] < 0) {
            gnp_text_add(t, "    const %s s%d = (%s)a%d;\n", name, k, name, k);
        }
        else {
            const RowValue *v = &p->value[phase->value[k]];
            gnp_text_add(t, "    const %s s%d = row.v%d_%d;\n", name, k, v->number, v->operand);
        }
    }
    gnp_lazy_write_calls(t, dag, phase->first, reduces ? last : dag->ncommands, phase->input);
    if (reduces) {
        gnp_text_add(t, "    return P%d::map(taken<P%d::S, P%d::T>(", number, number, number);
        gnp_lazy_write_value(t, phase->input[last][0], phase->first);
        gnp_text_add(t, "), 0);\n");
    }
    for (int k = 0; k < dag->nstored; k++) {
        gnp_text_add(t, "    r%d = ", k);
        gnp_lazy_write_value(t, dag->stored_value[k], phase->first);
        gnp_text_add(t, ";\n");
        if (phase->kind == KIND_ONCE) {
            gnp_text_add(t, "    row.");
            gnp_lazy_write_value(t, dag->stored_value[k], phase->first);
            gnp_text_add(t, " = ");
            gnp_lazy_write_value(t, dag->stored_value[k], phase->first);
            gnp_text_add(t, ";\n");
        }
    }
    gnp_text_add(t, "}\n");
}

/* Every lane gets the result into its registers; only the first stores it. */
static void
write_finish(GnpText *t, const Phase *phase, int number, int place)
{
    gnp_text_add(t,
                 "GNP_FN void finish(P%d &, Row &row, const P%d::A &x, const Slot *slots, const "
                 "Signed<Index>::type *base, bool first, u64 n)\n{\n    typedef P%d::R R;\n    "
                 "Raw<R> raw = Out<R, R>::raw(P%d::result(x, n, 0));\n    row.v%d_1 = stored<R, "
                 "R>(In<R, R>::value(raw));\n",
                 number, number, number, number, phase->first + phase->group->ncommands - 1);
    if (phase->is_stored) {
        gnp_text_add(
            t, "    if (first) {\n        *(Raw<R> *)(slots[%d].lo + base[%d]) = raw;\n    }\n",
            place, place);
    }
    gnp_text_add(t, "}\n");
}

/* ---- the step -------------------------------------------------------------------------------- */

/* The operand's strides are over the lead's axes. */
static void
add_operand(const Piece *p, GnpStep *step, const GnpLazyView *view, const GnpLazyCommand *command)
{
    GnpStepOperand *o = &step->operand[step->n++];
    gnp_lazy_fill_operand(o, view, command);
    expand(p, view, command, o->strides);
}

/* Operands are listed phase by phase: inputs, then stores, then a reduction's result. */
static void
add_phase(const Piece *p, GnpStep *step, int number)
{
    const Phase *phase = &p->phase[number];
    const GnpLazyCommand *last = phase->group->command[phase->group->ncommands - 1];
    Rows *rows = step->rows;
    rows->first[number] = step->n;
    rows->kind[number] = phase->kind;
    for (int k = 0; k < phase->dag.nleaves; k++) {
        if (phase->value[k] < 0) {
            add_operand(p, step, phase->dag.leaf[k].view, phase->dag.leaf[k].command);
        }
    }
    rows->nin[number] = step->n - rows->first[number];
    for (int k = 0; k < phase->dag.nstored; k++) {
        add_operand(p, step, phase->dag.stored[k].view, phase->dag.stored[k].command);
    }
    rows->nlisted[number] = step->n - rows->first[number];
    if (phase->kind == KIND_REDUCES && phase->is_stored) {
        add_operand(p, step, &last->view[1], last);
    }
}

static void
write_phase(const Piece *p, const Rows *rows, GnpText *t, int number)
{
    const Phase *phase = &p->phase[number];
    gnp_lazy_write_functions(t, &phase->dag, phase->first);
    write_struct(t, phase, number, rows->first[number]);
    write_op(t, p, phase, number);
    if (phase->kind == KIND_REDUCES) {
        write_finish(t, phase, number, rows->first[number] + rows->nlisted[number]);
    }
}

/* All that the text depends on, as in lazy_source.c; the first number is none of a single group. */
static void
describe(const Piece *p, GnpText *form)
{
    const int64_t head[] = {-1, p->nphases, p->nvalues};
    gnp_text_add_bytes(form, head, sizeof head);
    for (int k = 0; k < p->nvalues; k++) {
        const RowValue *v = &p->value[k];
        const int64_t numbers[] = {v->view->dtype, v->number, v->operand};
        gnp_text_add_bytes(form, numbers, sizeof numbers);
    }
    for (int k = 0; k < p->nphases; k++) {
        const Phase *phase = &p->phase[k];
        const int64_t numbers[] = {phase->kind, phase->first, phase->is_stored};
        gnp_text_add_bytes(form, numbers, sizeof numbers);
        gnp_text_add_bytes(form, phase->value, (size_t)phase->dag.nleaves * sizeof *phase->value);
        gnp_lazy_describe(form, &phase->dag, phase->input);
    }
}

/* The op of the whole text, which is written where it was not before. */
static const GnpElementOp *
op_of_piece(const Piece *p, const Rows *rows)
{
    GnpText form = {0}, t = {0}; /* owned */
    const GnpElementOp *op = NULL;
    describe(p, &form);
    GNP_TRY(gnp_text_finish(&form));
    op = gnp_lazy_known(form.text, form.used);
    if (op != NULL) {
        goto fail;
    }
    for (int k = 0; k < p->nphases; k++) {
        gnp_lazy_write_headers(&t, &p->phase[k].dag);
    }
    /* Before the phases, whose functions name it. */
    write_row(&t, p);
    for (int k = 0; k < p->nphases; k++) {
        write_phase(p, rows, &t, k);
    }
    GNP_TRY(gnp_text_finish(&t));
    op = gnp_lazy_keep(form.text, form.used, gnp_lazy_op_of_text(&t));
fail:
    gnp_text_clear(&form);
    gnp_text_clear(&t);
    return op;
}

/* An upper bound: values of rows need no operand. */
static int
count_operands(const Piece *p)
{
    int n = 0;
    for (int k = 0; k < p->nphases; k++) {
        n += p->phase[k].dag.nleaves + p->phase[k].dag.nstored + 1;
    }
    return n;
}

/* On failure the step is already counted, so its memory is freed with the program. */
static int
make_step(GnpLazyPlan *plan, const Piece *p)
{
    GnpStep *step = &plan->p->step[plan->p->nsteps];
    const GnpElementOp *op;
    *step = (GnpStep){.command = p->lead, .ndim = p->lead->ndim};
    memcpy(step->shape, p->lead->shape, (size_t)step->ndim * sizeof *step->shape);
    step->operand = calloc((size_t)count_operands(p), sizeof *step->operand);
    step->rows = calloc(1, sizeof *step->rows);
    plan->p->nsteps++;
    if (step->operand == NULL || step->rows == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    step->rows->nphases = p->nphases;
    /* Copied, as the piece is freed and the step may be replayed. */
    step->rows->plan = p->reduction;
    step->rows->past = past_boundary(p->lead, &p->reduction);
    gnp_lazy_strides(&p->lead->view[0], p->lead, step->ndim, step->shape, step->rows->lead_strides);
    for (int k = 0; k < p->nphases; k++) {
        add_phase(p, step, k);
    }
    GNP_NEW(op, op_of_piece(p, step->rows));
    step->source_number = op->number;
    GNP_NEW(step->source, gnp_lazy_source_of(op));
    return 0;
fail:
    return -1;
}

/* ---- running --------------------------------------------------------------------------------- */

/* A launch: the addresses of this time, and axes with the strides of all operands. */
typedef struct {
    const GnpStep *step;
    const CUdeviceptr *base;
    /* Strides of the operands; in kept, if the plan is ragged, of the lead's array behind them, in
     * its elements. */
    GnpAxes kept, reduced;
    GnpReducePlan plan;
    unsigned char access[GNP_MAX_OPERANDS];
} Run;

/* Scalars have no buffer and no address. */
static CUdeviceptr
address(const Run *r, const GnpStepOperand *o)
{
    return o->buffer < 0 ? 0 : r->base[o->buffer] + (CUdeviceptr)o->offset;
}

/* Both lists of axes in the order of eager mode's reduction, for the same bits. */
static void
take_axes(Run *r)
{
    const GnpStep *s = r->step;
    GnpAxes kept, reduced;
    /* One operand more than the step has: the lead's array decides the order and is not read
     * through. */
    gnp_axes_init(&kept, s->n + 1);
    gnp_axes_init(&reduced, s->n + 1);
    for (int axis = s->ndim - 1; axis >= 0; axis--) {
        int64_t strides[GNP_MAX_OPERANDS + 1] = {s->rows->lead_strides[axis]};
        for (int k = 0; k < s->n; k++) {
            strides[k + 1] = s->operand[k].strides[axis];
        }
        gnp_axes_add(s->command->reduced[axis] ? &reduced : &kept, s->shape[axis], strides);
    }
    gnp_axes_sort(&kept);
    gnp_axes_merge(&kept);
    gnp_axes_sort(&reduced);
    gnp_axes_merge(&reduced);
    gnp_axes_init(&r->kept, s->n + s->rows->plan.ragged);
    gnp_axes_init(&r->reduced, s->n);
    for (int axis = 0; axis < kept.naxes; axis++) {
        kept.stride[axis][s->n + 1] =
            kept.stride[axis][0] / gnp_dtypes[s->command->view[0].dtype].bytes;
        gnp_axes_add(&r->kept, kept.shape[axis], &kept.stride[axis][1]);
    }
    for (int axis = 0; axis < reduced.naxes; axis++) {
        gnp_axes_add(&r->reduced, reduced.shape[axis], &reduced.stride[axis][1]);
    }
}

/* 1 when no access crosses the end of an axis. */
static int
has_whole_accesses(const GnpStep *step)
{
    /* No addresses are needed for this. */
    Run r = {.step = step};
    take_axes(&r);
    const GnpReducePlan *plan = &step->rows->plan;
    return r.reduced.naxes < 2 || (!plan->ragged && r.reduced.shape[0] % plan->width == 0);
}

/* Returns the number of groups that became one step, 0 for none, -1 with an exception. */
int
gnp_lazy_add_rows(GnpLazyPlan *plan, int place)
{
    const GnpLazyGroup *first = &plan->group[place];
    const GnpDevice *device = gnp_device_current();
    int ret = 0;
    /* A single group is an ordinary step. */
    if (!first->has_reduction || place + 1 == plan->ngroups || device == NULL) {
        return device == NULL ? -1 : 0;
    }
    Piece *p = calloc(1, sizeof *p); /* owned */
    if (p == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    p->plan = plan;
    p->lead = first->command[first->ncommands - 1];
    if (gnp_lazy_plan_reduction(p->lead, device, &p->reduction)) {
        /* In the order of the groups, until one does not fit: a later one may depend on it. */
        while (place + p->nphases < plan->ngroups &&
               take_group(p, &plan->group[place + p->nphases], device)) {
        }
        /* Phases are dropped from the end until the operands fit; their groups become steps of
         * their own. */
        while (p->nphases > 1 && count_operands(p) > GNP_MAX_OPERANDS - 2) {
            p->nphases--;
        }
    }
    if (p->nphases > 1) {
        GnpStep *step = &plan->p->step[plan->p->nsteps];
        ret = make_step(plan, p) < 0 ? -1 : p->nphases;
        /* Known only with the operands, so the step is taken back. */
        if (ret > 0 && !has_whole_accesses(step)) {
            free(step->operand);
            free(step->source);
            free(step->rows);
            plan->p->nsteps--;
            ret = 0;
        }
    }
    free(p);
    return ret;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* Vector loads need alignment at each row, see lazy_run.c. */
static unsigned char
access_of(const Run *r, int k)
{
    const GnpStepOperand *o = &r->step->operand[k];
    int64_t item = gnp_dtypes[o->dtype].bytes, bytes = r->plan.width * item;
    int64_t stride = r->reduced.naxes > 0 ? r->reduced.stride[0][k] : 0;
    uint64_t places = address(r, o);
    /* A scalar is a parameter of the kernel. */
    if (o->buffer < 0) {
        return ACCESS_SCALAR;
    }
    if (r->plan.ragged) {
        return stride == item && gnp_lazy_in_step(&r->kept, k, item, places, r->step->rows->past,
                                                  r->plan.width)
                   ? ACCESS_CONTIGUOUS
                   : ACCESS_STRIDED;
    }
    for (int axis = 1; axis < r->reduced.naxes; axis++) {
        places |= (uint64_t)r->reduced.stride[axis][k];
    }
    for (int axis = 0; axis < r->kept.naxes; axis++) {
        places |= (uint64_t)r->kept.stride[axis][k];
    }
    return stride == item && places % (uint64_t)(bytes < 16 ? bytes : 16) == 0 ? ACCESS_CONTIGUOUS
                                                                               : ACCESS_STRIDED;
}

/* The plan is that of the step; only what depends on addresses is decided again. */
static void
make_run(Run *r)
{
    const GnpStep *s = r->step;
    /* Offsets in 32 bits, with room for what the kernel adds beyond the last element. */
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    take_axes(r);
    r->plan = s->rows->plan;
    r->plan.kept_class = gnp_axes_class(r->kept.naxes);
    r->plan.reduced_class = gnp_axes_class(r->reduced.naxes);
    for (int k = 0; k < s->n; k++) {
        r->plan.wide |= gnp_axes_reach(&r->kept, k) + gnp_axes_reach(&r->reduced, k) > limit;
        r->access[k] = access_of(r, k);
    }
}

/* Called when the kernel is new: operand types, then the source of the step. */
static int
write_phases(GnpKernelText *text, const void *context)
{
    const Run *r = context;
    const GnpStep *s = r->step;
    const Rows *rows = s->rows;
    for (int p = 0; p < rows->nphases; p++) {
        gnp_text_add(&text->code, "typedef List<");
        for (int j = 0; j < rows->nlisted[p]; j++) {
            int k = rows->first[p] + j;
            const char *type = gnp_dtypes[s->operand[k].dtype].device_name;
            gnp_text_add(&text->code, "%s%s<%s, %s, %s>", j > 0 ? ", " : "",
                         j < rows->nin[p] ? "In" : "Out", type, type,
                         gnp_access_names[r->access[k]]);
        }
        gnp_text_add(&text->code, "> Operands%d;\n", p);
    }
    gnp_text_add(&text->code, "%s", s->source);
    gnp_text_add(&text->name, "%s", gnp_lazy_name);
    return 0;
}

/* The number of the source stands for its text in the key. */
static GnpKernel *
find_kernel(const Run *r, GnpDevice *device)
{
    const GnpReducePlan *p = &r->plan;
    GnpSpec_rowwise spec = {GNP_SPEC(rowwise),
                            .head.code = r->step->source_number,
                            .head.wide = p->wide,
                            .PHASES = r->step->rows->nphases,
                            .OPERANDS = r->step->n > 0 ? r->step->n : 1,
                            .KEPT = p->kept_class,
                            .REDUCED = p->reduced_class,
                            .LANES = p->lanes,
                            .WIDTH = p->width,
                            .UNROLL = p->unroll,
                            .RAGGED = p->ragged,
                            .BLOCK = GNP_REDUCE_BLOCK};
    memcpy(spec.access, r->access, (size_t)r->step->n);
    return gnp_kernel_find(device, &spec.head, write_phases, r);
}

/* Dynamic shared memory that is requested but not used: it limits the blocks per multiprocessor, so
 * that the rows in progress fit into its share of the caches, from which each phase reads them
 * again. A multiprocessor's share of the H100's L2 is about 380 kB. 44 KiB leave
 * five blocks of 227 KiB. */
static unsigned
limit_residents(const Run *r)
{
    int64_t row = r->plan.n * gnp_dtypes[r->step->command->view[0].dtype].bytes;
    int64_t resident = 2048 / GNP_REDUCE_BLOCK * (GNP_REDUCE_BLOCK / r->plan.lanes) * row;
    return resident > 300000 ? 44 * 1024 : 0;
}

/* Blocks are recorded as used by the stream before the launch. */
int
gnp_lazy_run_rows(const GnpStep *step, const GnpLazyPlace *at)
{
    Run r; /* large: not cleared */
    uint64_t slots[GNP_MAX_OPERANDS][2];
    GnpParams params;
    r.step = step;
    r.base = at->base;
    make_run(&r);
    GnpKernel *kernel = find_kernel(&r, at->device);
    if (kernel == NULL) {
        return -1;
    }
    if (r.plan.nblocks > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "array is too big for one launch");
        return -1;
    }
    for (int k = 0; k < step->n; k++) {
        slots[k][0] = address(&r, &step->operand[k]);
        slots[k][1] = 0;
        if (step->operand[k].buffer < 0) {
            memcpy(slots[k], &step->operand[k].scalar, sizeof slots[k]);
        }
        else {
            gnp_block_record(at->block[step->operand[k].buffer], at->stream);
        }
    }
    gnp_params_init(&params, r.plan.wide);
    gnp_params_add(&params, slots, (size_t)(step->n > 0 ? step->n : 1) * sizeof slots[0]);
    gnp_params_layout(&params, &r.kept, r.plan.kept_class);
    gnp_params_layout(&params, &r.reduced, r.plan.reduced_class);
    gnp_params_index(&params, r.plan.nout);
    gnp_params_index(&params, r.plan.n);
    gnp_params_index(&params, step->rows->past);
    const unsigned grid[3] = {(unsigned)r.plan.nblocks, 1, 1};
    const unsigned threads[3] = {GNP_REDUCE_BLOCK, 1, 1};
    return gnp_launch(kernel, grid, threads, limit_residents(&r), at->stream, params.arg);
}

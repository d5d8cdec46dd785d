/* Grouping recorded commands into kernels.
 *
 * Commands over the same shape share a kernel when they depend on each other only element by
 * element. A group whose results are not referenced is recomputed where it is read, when that moves
 * fewer bytes; a reduction that reads one runs in the same pass. The order of operations on each
 * element never changes, so results have the same bits as in eager mode.
 *
 * Called by lazy.c with the GIL when pending commands run, and once for a form that is replayed.
 * Three passes: place_command puts each command into the earliest group it may join; compute_again
 * merges groups whose results need not be stored into those that read them; the rest writes a step,
 * with its source, for each group. All of them are quadratic in at most 64 commands.
 */
#include "fuse/lazy.h"

#include <stdlib.h>
#include <string.h>

/* Bounds on the registers and the parameters of a kernel. */
enum { MOST_VIEWS = 28, MOST_COMMANDS = GNP_LAZY_COMMANDS, MOST_READERS = 3 };

typedef GnpLazyPlan Plan;
typedef GnpLazyInputs Inputs;

/* ---- views ----------------------------------------------------------------------------------- */

int
gnp_lazy_same_view(const GnpLazyView *a, const GnpLazyCommand *of_a, const GnpLazyView *b,
                   const GnpLazyCommand *of_b)
{
    if (a->buffer != b->buffer || a->offset != b->offset || a->dtype != b->dtype) {
        return 0;
    }
    /* Both run through memory in C order, so equal sizes mean equal elements whatever the
     * shapes. */
    if (a->is_flat && b->is_flat) {
        return of_a->size == of_b->size;
    }
    size_t nbytes = (size_t)of_a->ndim * sizeof(int64_t);
    return of_a->ndim == of_b->ndim && memcmp(of_a->shape, of_b->shape, nbytes) == 0 &&
           memcmp(a->strides, b->strides, nbytes) == 0;
}

/* A flat view takes the strides of any shape of the same size, so it fits into a group of another
 * shape. */
void
gnp_lazy_strides(const GnpLazyView *view, const GnpLazyCommand *command, int ndim,
                 const int64_t *shape, int64_t *strides)
{
    if (!view->is_flat || view->buffer < 0) {
        for (int axis = 0; axis < ndim; axis++) {
            strides[axis] = view->buffer < 0 ? 0 : view->strides[axis];
        }
        (void)command;
        return;
    }
    int64_t step = gnp_dtypes[view->dtype].bytes;
    for (int axis = ndim - 1; axis >= 0; axis--) {
        strides[axis] = step;
        step *= shape[axis];
    }
}

/* ---- dependences between commands ------------------------------------------------------------ */

typedef enum { FREE, MEET, CLASH } Relation; /* MEET: in the same kernel or after it */

/* Reads do not order commands; any pair with a write does. */
static Relation
relate(const GnpLazyCommand *first, const GnpLazyCommand *second)
{
    Relation relation = FREE;
    for (int i = 0; i < first->n; i++) {
        for (int j = 0; j < second->n; j++) {
            const GnpLazyView *a = &first->view[i], *b = &second->view[j];
            if (a->buffer < 0 || a->buffer != b->buffer || (i < first->nin && j < second->nin)) {
                continue;
            }
            /* a reduction does not read or write element by element. */
            int meet =
                first->op != NULL && second->op != NULL && gnp_lazy_same_view(a, first, b, second);
            if (!meet) {
                return CLASH;
            }
            relation = MEET;
        }
    }
    return relation;
}

/* The strongest relation to any command of the group: one clash keeps the command out of the
 * whole kernel. */
static Relation
relate_group(const GnpLazyGroup *g, const GnpLazyCommand *c)
{
    Relation relation = FREE;
    for (int k = 0; k < g->ncommands; k++) {
        Relation one = relate(g->command[k], c);
        relation = one > relation ? one : relation;
    }
    return relation;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Sizes alone would not do: views with strides are walked axis by axis. */
static int
same_shape(int ndim_a, const int64_t *a, int ndim_b, const int64_t *b)
{
    return ndim_a == ndim_b && memcmp(a, b, (size_t)ndim_a * sizeof *a) == 0;
}

/* Where one side is flat its strides can be made for the other's shape, so equal sizes suffice. */
static int
fits_shape(const GnpLazyGroup *g, const GnpLazyCommand *c)
{
    return g->size == c->size &&
           (g->is_flat || c->is_flat || same_shape(g->ndim, g->shape, c->ndim, c->shape));
}

/* Counts a shared view several times: an upper bound of the kernel's parameters is enough here. */
static int
count_views(const GnpLazyGroup *g)
{
    int n = 0;
    for (int k = 0; k < g->ncommands; k++) {
        n += g->command[k]->n;
    }
    return n;
}

/* At `place` of the list of commands. -1 with MemoryError. */
static int
insert_command(GnpLazyGroup *g, int place, GnpLazyCommand *c)
{
    GnpLazyCommand **grown = realloc(g->command, (size_t)(g->ncommands + 1) * sizeof *grown);
    if (grown == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memmove(grown + place + 1, grown + place, (size_t)(g->ncommands - place) * sizeof *grown);
    grown[place] = c;
    g->command = grown;
    g->ncommands++;
    /* The first command with strides of its own decides the group's shape; flat ones adapt. */
    if (g->is_flat && !c->is_flat) {
        g->is_flat = 0;
        g->ndim = c->ndim;
        g->shape = c->shape;
    }
    return 0;
}

/* There is always room: the list has a place for each command. */
static int
add_group(Plan *plan, GnpLazyCommand *c)
{
    GnpLazyGroup *g = &plan->group[plan->ngroups++];
    *g = (GnpLazyGroup){.is_flat = c->is_flat,
                        .ndim = c->ndim,
                        .shape = c->shape,
                        .size = c->size,
                        .has_reduction = c->reduction != NULL};
    return insert_command(g, 0, c);
}

/* The earliest group that the command can join. */
static int
place_command(Plan *plan, GnpLazyCommand *c)
{
    int first = 0;
    for (int k = 0; k < plan->ngroups; k++) {
        Relation relation = relate_group(&plan->group[k], c);
        if (relation != FREE) {
            /* Not before the last group it depends on: later groups only come after. */
            first = k + (relation == CLASH);
        }
    }
    for (int k = first; c->op != NULL && k < plan->ngroups; k++) {
        GnpLazyGroup *g = &plan->group[k];
        if (!g->has_reduction && fits_shape(g, c) && g->ncommands < MOST_COMMANDS &&
            count_views(g) + c->n <= MOST_VIEWS) {
            return insert_command(g, g->ncommands, c);
        }
    }
    return add_group(plan, c);
}

/* ---- recomputing instead of storing ---------------------------------------------------------- */

/* 1 when the group reads the view from memory; `same`: element by element, in its own shape. */
static int
reads_buffer(const GnpLazyGroup *g, int buffer)
{
    for (int k = 0; k < g->ncommands; k++) {
        for (int i = 0; i < g->command[k]->nin; i++) {
            if (g->command[k]->view[i].buffer == buffer) {
                return 1;
            }
        }
    }
    return 0;
}

/* As any write, whatever the view: overlapping views of one buffer count as the same memory. */
static int
writes_buffer(const GnpLazyGroup *g, int buffer)
{
    for (int k = 0; k < g->ncommands; k++) {
        for (int i = g->command[k]->nin; i < g->command[k]->n; i++) {
            if (g->command[k]->view[i].buffer == buffer) {
                return 1;
            }
        }
    }
    return 0;
}

/* The last write counts, since a later reader sees only that. NULL when the group does not write
 * it. */
static const GnpLazyView *
find_writer(const GnpLazyGroup *g, int buffer, const GnpLazyCommand **command)
{
    for (int k = g->ncommands - 1; k >= 0; k--) {
        for (int i = g->command[k]->nin; i < g->command[k]->n; i++) {
            if (g->command[k]->view[i].buffer == buffer) {
                *command = g->command[k];
                return &g->command[k]->view[i];
            }
        }
    }
    return NULL;
}

/* 1 when `reader` reads g's results only element by element, exactly as g writes them. */
static int
reads_alike(const GnpLazyGroup *g, const GnpLazyGroup *reader)
{
    for (int k = 0; k < reader->ncommands; k++) {
        const GnpLazyCommand *c = reader->command[k];
        for (int i = 0; i < c->n; i++) {
            const GnpLazyCommand *writer = NULL;
            if (c->view[i].buffer < 0 || !writes_buffer(g, c->view[i].buffer)) {
                continue;
            }
            const GnpLazyView *view = find_writer(g, c->view[i].buffer, &writer);
            if (i >= c->nin || !gnp_lazy_same_view(view, writer, &c->view[i], c)) {
                return 0;
            }
        }
    }
    return 1;
}

/* 1 when a buffer that g reads is written by a group in [from, end): g cannot be recomputed after
 * it. Computing later must read the same values as computing at g's place would have. */
static int
leaves_change(const Plan *plan, const GnpLazyGroup *g, int from, int end)
{
    for (int k = from; k < end; k++) {
        for (int c = 0; c < g->ncommands; c++) {
            for (int i = 0; i < g->command[c]->nin; i++) {
                int buffer = g->command[c]->view[i].buffer;
                if (buffer >= 0 && !writes_buffer(g, buffer) &&
                    writes_buffer(&plan->group[k], buffer)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* 1 when the reader writes what g reads, and not element by element. */
static int
clashes(const GnpLazyGroup *g, const GnpLazyGroup *reader)
{
    for (int k = 0; k < g->ncommands; k++) {
        for (int j = 0; j < reader->ncommands; j++) {
            const GnpLazyCommand *c = g->command[k], *r = reader->command[j];
            if (r->op != NULL && relate(c, r) == CLASH) {
                return 1;
            }
            for (int i = 0; r->op == NULL && i < c->nin; i++) {
                if (c->view[i].buffer == r->view[1].buffer) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* Bytes that the group reads from memory, each view once. */
static int64_t
leaf_bytes(const GnpLazyGroup *g)
{
    int64_t bytes = 0;
    for (int k = 0; k < g->ncommands; k++) {
        const GnpLazyCommand *c = g->command[k];
        for (int i = 0; i < c->nin; i++) {
            if (c->view[i].buffer < 0 || writes_buffer(g, c->view[i].buffer)) {
                continue;
            }
            /* A view that is broadcast along the last axis is served by the caches and counts as
             * nothing. */
            int moves = c->view[i].is_flat;
            for (int axis = 0; axis < c->ndim; axis++) {
                moves = moves || (c->view[i].strides[axis] != 0 && axis == c->ndim - 1);
            }
            bytes += moves ? g->size * gnp_dtypes[c->view[i].dtype].bytes : 0;
        }
    }
    return bytes;
}

/* Whether an array of the program still refers to a result of the group. */
static int
has_needed_result(const Plan *plan, const GnpLazyGroup *g)
{
    for (int c = 0; c < g->ncommands; c++) {
        const GnpLazyCommand *command = g->command[c];
        for (int i = command->nin; i < command->n; i++) {
            if (plan->is_needed[command->view[i].buffer]) {
                return 1;
            }
        }
    }
    return 0;
}

/* The bytes of the group's results that another group reads; -1 where that one writes into the same
 * memory: which value a reader sees would depend on the order. */
static int64_t
bytes_read_by(const GnpLazyGroup *g, const GnpLazyGroup *reader)
{
    int64_t bytes = 0;
    for (int c = 0; c < g->ncommands; c++) {
        const GnpLazyCommand *command = g->command[c];
        for (int i = command->nin; i < command->n; i++) {
            const int buffer = command->view[i].buffer;
            if (writes_buffer(reader, buffer)) {
                return -1;
            }
            if (reads_buffer(reader, buffer)) {
                bytes += g->size * gnp_dtypes[command->view[i].dtype].bytes;
            }
        }
    }
    return bytes;
}

/* Whether the group's commands may be computed again in the group at `k`, in one kernel with that
 * group's own. */
static int
fits_reader(const Plan *plan, int place, int k)
{
    const GnpLazyGroup *g = &plan->group[place], *reader = &plan->group[k];
    const int shaped = g->is_flat || (reader->is_flat && !reader->has_reduction) ||
                       same_shape(g->ndim, g->shape, reader->ndim, reader->shape);
    return shaped && g->size == reader->size && reads_alike(g, reader) &&
           !leaves_change(plan, g, place + 1, k) && !clashes(g, reader) &&
           g->ncommands + reader->ncommands <= MOST_COMMANDS &&
           count_views(g) + count_views(reader) <= MOST_VIEWS;
}

/* The groups after g that read its results; -1 when it must not be recomputed in them. */
static int
find_readers(const Plan *plan, int place, int *readers)
{
    const GnpLazyGroup *g = &plan->group[place];
    int n = 0;
    int64_t stored = 0;
    if (has_needed_result(plan, g)) {
        return -1;
    }
    for (int k = place + 1; k < plan->ngroups; k++) {
        const int64_t bytes = bytes_read_by(g, &plan->group[k]);
        if (bytes < 0 || (bytes > 0 && (n == MOST_READERS || !fits_reader(plan, place, k)))) {
            return -1;
        }
        if (bytes > 0) {
            stored += bytes;
            readers[n++] = k;
        }
    }
    /* cost model in bytes of memory traffic: recomputing reads the leaves again in each reader but
     * one; storing writes the results and reads them back */
    return n > 0 && leaf_bytes(g) * (n - 1) > stored * 2 ? -1 : n;
}

/* Keeps the order of the others, which is the order in which they run. */
static void
remove_group(Plan *plan, int place)
{
    free(plan->group[place].command);
    plan->ngroups--;
    memmove(&plan->group[place], &plan->group[place + 1],
            (size_t)(plan->ngroups - place) * sizeof *plan->group);
}

/* Inserting at the front of a reader keeps the order of dependent commands.  */
static int
compute_again(Plan *plan)
{
    for (int place = 0; place < plan->ngroups;) {
        int readers[MOST_READERS];
        GnpLazyGroup *g = &plan->group[place];
        int n = g->has_reduction ? -1 : find_readers(plan, place, readers);
        if (n < 0) {
            place++;
            continue;
        }
        for (int k = 0; k < n; k++) { /* n is 0: the results are never read */
            for (int c = 0; c < g->ncommands; c++) {
                if (insert_command(&plan->group[readers[k]], c, g->command[c]) < 0) {
                    return -1;
                }
            }
        }
        remove_group(plan, place);
    }
    return 0;
}

/* ---- a group's values ------------------------------------------------------------------------ */

/* Leaves are shared between commands: each view is loaded once. Scalars are not, so that a kernel
 * does not depend on which numbers happen to be equal. */
static int
find_leaf(GnpLazyDag *dag, const GnpLazyView *view, const GnpLazyCommand *command)
{
    for (int k = 0; k < dag->nleaves; k++) {
        if (view->buffer >= 0 &&
            gnp_lazy_same_view(dag->leaf[k].view, dag->leaf[k].command, view, command)) {
            return k;
        }
    }
    /* There is room: insert_command's callers bound the views of a group. */
    dag->leaf[dag->nleaves].view = view;
    dag->leaf[dag->nleaves].command = command;
    return dag->nleaves++;
}

/* Values are numbered by command and output: GNP_LAZY_OPERANDS * command + operand. Of the writes
 * to a buffer before command `before`: the value in registers, which a later read uses instead of
 * memory. */
static int
latest_value(const GnpLazyGroup *g, int before, int buffer)
{
    for (int k = before - 1; k >= 0; k--) {
        const GnpLazyCommand *c = g->command[k];
        for (int i = c->n - 1; i >= c->nin; i--) {
            if (c->view[i].buffer == buffer) {
                return k * GNP_LAZY_OPERANDS + i;
            }
        }
    }
    return -1;
}

/* 1 when the group reads the buffer from memory, rather than values it computed itself. */
static int
loads_buffer(const GnpLazyGroup *g, int buffer)
{
    for (int k = 0; k < g->ncommands; k++) {
        for (int i = 0; i < g->command[k]->nin; i++) {
            if (g->command[k]->view[i].buffer == buffer && latest_value(g, k, buffer) < 0) {
                return 1;
            }
        }
    }
    return 0;
}

/* 1 when what the group writes to the buffer is read outside the group. */
int
gnp_lazy_is_wanted(const Plan *plan, const GnpLazyGroup *g, int buffer)
{
    if (plan->is_needed[buffer]) {
        return 1;
    }
    for (int k = 0; k < plan->ngroups; k++) {
        if (&plan->group[k] != g && loads_buffer(&plan->group[k], buffer)) {
            return 1;
        }
    }
    return 0;
}

/* Inputs first: each is either a value that an earlier command of the kernel has in a register,
 * or a leaf, as -1 minus its number. Then the values that must reach memory. `ncommands` may
 * leave out a reduction at the end; `store_all` stores what only that reduction reads. */
void
gnp_lazy_make_dag(const Plan *plan, const GnpLazyGroup *g, int ncommands, int store_all,
                  GnpLazyDag *dag, Inputs input)
{
    *dag = (GnpLazyDag){.group = g, .ncommands = ncommands};
    for (int k = 0; k < ncommands; k++) {
        const GnpLazyCommand *c = g->command[k];
        for (int i = 0; i < c->nin; i++) {
            int value = c->view[i].buffer >= 0 ? latest_value(g, k, c->view[i].buffer) : -1;
            input[k][i] = value >= 0 ? value : -1 - find_leaf(dag, &c->view[i], c);
        }
    }
    for (int k = 0; k < ncommands; k++) {
        const GnpLazyCommand *c = g->command[k];
        for (int i = c->nin; i < c->n; i++) {
            int buffer = c->view[i].buffer, value = k * GNP_LAZY_OPERANDS + i;
            /* Of several writes to one buffer only the last is stored. */
            if (latest_value(g, ncommands, buffer) == value &&
                (store_all || gnp_lazy_is_wanted(plan, g, buffer))) {
                dag->stored[dag->nstored].view = &c->view[i];
                dag->stored[dag->nstored].command = c;
                dag->stored_value[dag->nstored++] = value;
            }
        }
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* All but the strides. */
void
gnp_lazy_fill_operand(GnpStepOperand *o, const GnpLazyView *view, const GnpLazyCommand *command)
{
    o->buffer = view->buffer;
    o->offset = view->offset;
    o->scalar = view->scalar;
    o->dtype = view->dtype;
    o->command = command->place;
    o->view = (int)(view - command->view);
}

/* Leaves first, then what is stored: the order of the kernel's parameters. -1 with MemoryError. */
static int
fill_step(GnpStep *step, const GnpLazyDag *dag, int ndim, const int64_t *shape)
{
    step->nin = dag->nleaves;
    step->n = dag->nleaves + dag->nstored;
    step->ndim = ndim;
    memcpy(step->shape, shape, (size_t)ndim * sizeof *shape);
    step->operand = calloc((size_t)step->n + 1, sizeof *step->operand);
    if (step->operand == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int k = 0; k < step->n; k++) {
        const GnpLazyView *view =
            k < step->nin ? dag->leaf[k].view : dag->stored[k - step->nin].view;
        const GnpLazyCommand *command =
            k < step->nin ? dag->leaf[k].command : dag->stored[k - step->nin].command;
        gnp_lazy_fill_operand(&step->operand[k], view, command);
        /* For the step's shape, which may differ from that of the recorded command. */
        gnp_lazy_strides(view, command, ndim, shape, step->operand[k].strides);
    }
    return 0;
}

/* One operation with much code decides, as the kernel unrolls all of them together. */
static int
is_heavy(const GnpLazyGroup *g)
{
    for (int k = 0; k < g->ncommands; k++) {
        if (g->command[k]->op != NULL && g->command[k]->op->heavy) {
            return 1;
        }
    }
    return 0;
}

/* The elementwise commands of a group as one kernel; none when nothing is stored. */
static int
add_element_step(Plan *plan, const GnpLazyGroup *g, int ncommands, int store_all)
{
    GnpLazyDag dag;
    Inputs input;
    int ret = -1;
    gnp_lazy_make_dag(plan, g, ncommands, store_all, &dag, input);
    if (dag.nstored == 0) {
        return 0;
    }
    GnpStep *step = &plan->p->step[plan->p->nsteps];
    *step = (GnpStep){.n = 0};
    GNP_TRY(fill_step(step, &dag, g->ndim, g->shape));
    plan->p->nsteps++;
    /* A lone command needs no source of its own: it runs in the kernel that eager mode uses, which
     * is likely compiled already. */
    if (ncommands == 1 && g->command[0]->op->nout == dag.nstored &&
        dag.nleaves == g->command[0]->nin) {
        step->op = g->command[0]->op; /* as the call was recorded */
        step->command = g->command[0];
        return 0;
    }
    GNP_NEW(step->op, gnp_lazy_op_of(&dag, input, is_heavy(g)));
    ret = 0;
fail:
    return ret;
}

/* A reduction, with the commands before it in the same pass where possible. Where the reduction's
 * plan cannot read the leaves in the order of eager mode, which decides the bits of a sum, the
 * elements are stored first and reduced by the library's own kernel. */
static int
add_reduction_step(Plan *plan, const GnpLazyGroup *g)
{
    const GnpLazyCommand *last = g->command[g->ncommands - 1];
    GnpLazyDag dag;
    Inputs input;
    const GnpElementOp *op;
    int ret = -1;
    if (g->ncommands > 1) {
        gnp_lazy_make_dag(plan, g, g->ncommands, 0, &dag, input);
        dag.nstored = 1;
        dag.stored[0].view = &last->view[1];
        dag.stored[0].command = last;
        GnpStep *step = &plan->p->step[plan->p->nsteps];
        *step = (GnpStep){.command = last};
        GNP_TRY(fill_step(step, &dag, last->ndim, last->shape));
        if (gnp_lazy_fits_reduction(step)) {
            plan->p->nsteps++;
            GNP_NEW(op, gnp_lazy_op_of(&dag, input, 0));
            step->source_number = op->number;
            GNP_NEW(step->source, gnp_lazy_source_of(op));
            return 0;
        }
        free(step->operand);
        GNP_TRY(add_element_step(plan, g, g->ncommands - 1, 1));
    }
    GnpStep *step = &plan->p->step[plan->p->nsteps++];
    *step = (GnpStep){.command = last, .nin = 1, .n = 2};
    GNP_NEW(step->operand, calloc(2, sizeof *step->operand));
    for (int k = 0; k < 2; k++) {
        gnp_lazy_fill_operand(&step->operand[k], &last->view[k], last);
    }
    ret = 0;
fail:
    return ret;
}

/* Steps run in the order of the groups, which respects every dependence that relate() found. On
 * failure the caller clears the program, with the steps made so far. */
int
gnp_lazy_make_steps(GnpLazyProgram *p, const unsigned char *is_needed)
{
    Plan plan = {.p = p, .is_needed = is_needed};
    int ret = -1;
    plan.group = calloc((size_t)p->ncommands + 1, sizeof *plan.group);
    /* A group of a reduction may become two steps. */
    p->step = calloc(2 * (size_t)p->ncommands + 1, sizeof *p->step);
    if (plan.group == NULL || p->step == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    for (int k = 0; k < p->ncommands; k++) {
        GNP_TRY(place_command(&plan, p->command[k]));
    }
    GNP_TRY(compute_again(&plan));
    for (int k = 0; k < plan.ngroups; k++) {
        const GnpLazyGroup *g = &plan.group[k];
        int taken = gnp_lazy_add_rows(&plan, k);
        GNP_TRY(taken);
        if (taken > 0) {
            /* One kernel does these groups together, so their own steps are left out. */
            k += taken - 1;
            continue;
        }
        GNP_TRY(g->has_reduction ? add_reduction_step(&plan, g)
                                 : add_element_step(&plan, g, g->ncommands, 0));
    }
    ret = 0;
fail:
    for (int k = 0; plan.group != NULL && k < plan.ngroups; k++) {
        free(plan.group[k].command);
    }
    free(plan.group);
    return ret;
}

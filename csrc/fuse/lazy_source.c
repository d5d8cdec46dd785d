/* The source of fused kernels: each command is a function with its row's expression, and `op` calls
 * them one after the other. Between two calls a value is rounded to the dtype it would have in
 * memory.
 *
 * Names in the source: a0.. are the engine's arguments, s0.. leaves in the dtype they have in
 * memory, v<c>_<i> output i of command c. Texts are made from tables and numbers only, so equal
 * programs give equal texts, by which compiled kernels are found.
 *
 * All functions append to a GnpText, whose error is checked once at the end (gnp_text_finish).
 */
#include "fuse/lazy.h"

#include <stdlib.h>
#include <string.h>

/* The type in memory; computations use gnp_compute_name. */
static const char *
device_name(int dtype)
{
    return gnp_dtypes[dtype].device_name;
}

/* ---- headers and functions ------------------------------------------------------------------- */

/* Operations may need headers of their own; the common ones are written once. */
void
gnp_lazy_write_headers(GnpText *t, const GnpLazyDag *dag)
{
    int calls = 0, is_complex = 0, reduces = 0;
    for (int k = 0; k < dag->ncommands; k++) {
        const GnpLazyCommand *c = dag->group->command[k];
        reduces |= c->reduction != NULL;
        /* math.cuh costs compile time and is left out where no function is called. */
        calls |= c->op != NULL && strchr(c->op->expression, '(') != NULL;
        int here = 0;
        for (int i = 0; i < c->n; i++) {
            here |= gnp_dtypes[c->view[i].compute].cls == 'c';
        }
        const char *own = c->op != NULL ? gnp_op_header(c->op, here) : NULL;
        if (own != NULL) {
            gnp_text_add(t, "#include \"%s\"\n", own);
        }
        is_complex |= here;
    }
    if (is_complex) {
        gnp_text_add(t, "#include \"complex.cuh\"\n");
    }
    else if (calls) {
        gnp_text_add(t, "#include \"math.cuh\"\n");
    }
    gnp_text_add(t, "%s#include \"elementwise/fused.cuh\"\n",
                 reduces ? "#include \"accumulators.cuh\"\n" : "");
}

/* A command's expression with the names it expects. */
static void
write_function(GnpText *t, const GnpLazyCommand *c, int number)
{
    const GnpElementOp *op = c->op;
    gnp_text_add(t,
                 "struct F%d {\n    typedef %s T;\n    typedef %s R;\n    GNP_FN static void op(",
                 number, device_name(c->view[0].compute), device_name(c->view[c->nin].compute));
    for (int i = 0; i < c->nin; i++) {
        gnp_text_add(t, "%s%s %c", i > 0 ? ", " : "", gnp_compute_name(c->view[i].compute),
                     'a' + i);
    }
    for (int i = c->nin; i < c->n; i++) {
        gnp_text_add(t, "%s%s &r%d", i > 0 ? ", " : "", gnp_compute_name(c->view[i].compute),
                     i - c->nin);
    }
    /* An expression is a value for r0, or statements that assign r0.. themselves. */
    int assigns = op->nout > 1 || strstr(op->expression, "r0 =") != NULL;
    gnp_text_add(t, ") { %s%s; }\n};\n", assigns ? "" : "r0 = ", op->expression);
}

/* Reductions have no function: their parts are written by write_reduction. */
void
gnp_lazy_write_functions(GnpText *t, const GnpLazyDag *dag, int first)
{
    for (int k = 0; k < dag->ncommands; k++) {
        if (dag->group->command[k]->op != NULL) {
            write_function(t, dag->group->command[k], first + k);
        }
    }
}

/* ---- the body -------------------------------------------------------------------------------- */

/* Negative numbers are leaves, others are command and operand in one number. */
void
gnp_lazy_write_value(GnpText *t, int value, int first)
{
    if (value < 0) {
        gnp_text_add(t, "s%d", -1 - value);
    }
    else {
        gnp_text_add(t, "v%d_%d", first + value / GNP_LAZY_OPERANDS, value % GNP_LAZY_OPERANDS);
    }
}

/* taken<S, L>(value): operand i of command c. Converts from the dtype in memory to the one the
 * command computes in, as a load would. */
static void
write_taken(GnpText *t, const GnpLazyView *view, int value, int first)
{
    gnp_text_add(t, "taken<%s, %s>(", device_name(view->dtype), device_name(view->compute));
    gnp_lazy_write_value(t, value, first);
    gnp_text_add(t, ")");
}

/* stored<> rounds a result to the dtype it would have in memory, as eager mode does. */
static void
write_call(GnpText *t, const GnpLazyCommand *c, int number, const int *input, int first)
{
    for (int i = c->nin; i < c->n; i++) {
        gnp_text_add(t, "    %s x%d_%d;\n", gnp_compute_name(c->view[i].compute), number, i);
    }
    gnp_text_add(t, "    F%d::op(", number);
    for (int i = 0; i < c->nin; i++) {
        gnp_text_add(t, i > 0 ? ", " : "");
        write_taken(t, &c->view[i], input[i], first);
    }
    for (int i = c->nin; i < c->n; i++) {
        gnp_text_add(t, "%sx%d_%d", i > 0 ? ", " : "", number, i);
    }
    gnp_text_add(t, ");\n");
    for (int i = c->nin; i < c->n; i++) {
        gnp_text_add(t, "    const %s v%d_%d = stored<%s, %s>(x%d_%d);\n",
                     device_name(c->view[i].dtype), number, i, device_name(c->view[i].dtype),
                     device_name(c->view[i].compute), number, i);
    }
}

/* In the order of recording, which is an order of dependencies. */
void
gnp_lazy_write_calls(GnpText *t, const GnpLazyDag *dag, int first, int ncommands,
                     const int (*input)[GNP_LAZY_OPERANDS])
{
    for (int k = 0; k < ncommands; k++) {
        write_call(t, dag->group->command[k], first + k, input[k], first);
    }
}

/* The engine passes leaves in their compute types. */
static void
write_leaves(GnpText *t, const GnpLazyDag *dag)
{
    for (int k = 0; k < dag->nleaves; k++) {
        const char *name = device_name(dag->leaf[k].view->dtype);
        gnp_text_add(t, "    const %s s%d = (%s)a%d;\n", name, k, name, k);
    }
}

/* In the order of the engine's operands: leaves first. */
static void
write_parameters(GnpText *t, const GnpLazyDag *dag, const char *comma)
{
    for (int k = 0; k < dag->nleaves; k++) {
        gnp_text_add(t, "%s%s a%d", comma, gnp_compute_name(dag->leaf[k].view->dtype), k);
        comma = ", ";
    }
}

/* The op of an elementwise kernel; stored results are its outputs r0... */
static void
write_element_op(GnpText *t, const GnpLazyDag *dag, const int (*input)[GNP_LAZY_OPERANDS])
{
    gnp_text_add(t, "GNP_FN void op(");
    write_parameters(t, dag, "");
    for (int k = 0; k < dag->nstored; k++) {
        gnp_text_add(t, "%s%s &r%d", dag->nleaves + k > 0 ? ", " : "",
                     gnp_compute_name(dag->stored[k].view->dtype), k);
    }
    gnp_text_add(t, ")\n{\n");
    write_leaves(t, dag);
    gnp_lazy_write_calls(t, dag, 0, dag->ncommands, input);
    for (int k = 0; k < dag->nstored; k++) {
        gnp_text_add(t, "    r%d = ", k);
        gnp_lazy_write_value(t, dag->stored_value[k], 0);
        gnp_text_add(t, ";\n");
    }
    gnp_text_add(t, "}\n");
}

/* The functions of the row, as in kernels/reduce/reduce.cu. */
static void
write_reduction(GnpText *t, const GnpLazyCommand *c)
{
    const GnpReductionRow *row = c->reduction;
    gnp_text_add(t, "typedef %s S;\ntypedef %s T;\ntypedef %s R;\ntypedef %s A;\n",
                 device_name(c->view[0].dtype), device_name(c->loop), device_name(c->result),
                 row->accumulator);
    gnp_text_add(t, "struct Ending {\n    char *out;\n    u64 count;\n    f64 parameter;\n};\n");
    gnp_text_add(t, "GNP_FN A identity() { return %s; }\n", row->identity);
    gnp_text_add(t, "GNP_FN A map(Compute<T> a, u64 i) { return %s; }\n", row->map);
    gnp_text_add(t, "GNP_FN A combine(A a, A b) { return %s; }\n", row->combine);
    gnp_text_add(t, "GNP_FN Compute<R> finish(A a, u64 n, f64 p) { return %s; }\n", row->finish);
    gnp_text_add(t, "GNP_FN void finish(const A &a, const Ending &end, u64, const "
                    "Signed<Index>::type *at)\n{\n    *(Raw<R> *)(end.out + at[0]) = Out<R, "
                    "R>::raw(finish(a, end.count, end.parameter));\n}\n");
}

/* The op of a fused reduction: the mapped value of one element. */
static void
write_reduction_op(GnpText *t, const GnpLazyDag *dag, const int (*input)[GNP_LAZY_OPERANDS])
{
    int last = dag->ncommands - 1;
    write_reduction(t, dag->group->command[last]);
    gnp_text_add(t, "GNP_FN A op(const Ending &");
    write_parameters(t, dag, ", ");
    gnp_text_add(t, ")\n{\n");
    write_leaves(t, dag);
    gnp_lazy_write_calls(t, dag, 0, last, input);
    gnp_text_add(t, "    return map(taken<S, T>(");
    gnp_lazy_write_value(t, input[last][0], 0);
    gnp_text_add(t, "), 0);\n}\n");
}

/* A group's last command tells what it is: only that can be a reduction. */
static int
write_group(GnpText *t, const GnpLazyDag *dag, const int (*input)[GNP_LAZY_OPERANDS])
{
    const GnpLazyCommand *last = dag->group->command[dag->ncommands - 1];
    gnp_lazy_write_headers(t, dag);
    gnp_lazy_write_functions(t, dag, 0);
    if (last->reduction != NULL) {
        write_reduction_op(t, dag, input);
    }
    else {
        write_element_op(t, dag, input);
    }
    return gnp_text_finish(t);
}

/* ---- ops by their source --------------------------------------------------------------------- */

/* Never freed, as kernels in the cache refer to its number. */
typedef struct FusedOp {
    GnpElementOp op; /* first: the engine gets its address */
    struct FusedOp *next;
    uint64_t hash;
    size_t nbytes;
    char text[];
} FusedOp;

const char *gnp_lazy_name = "fused";

enum { BUCKETS = 256 };
static FusedOp *buckets[BUCKETS]; /* guarded by the GIL; entries are never removed */

/* GnpElementOp.write of all fused ops; the text was made when the op was. */
static int
write_fused(const GnpElementOp *op, const GnpOperand *Py_UNUSED(operands), GnpOpSource *out)
{
    const FusedOp *f = (const FusedOp *)op;
    gnp_text_add_bytes(&out->knobs, f->text, f->nbytes);
    return gnp_text_finish(&out->knobs);
}

/* The texts have a common table, as an op's number is part of the engine's keys and must mean one
 * source. */
static const GnpElementOp *
op_of_text(const GnpText *text, int nin, int nout, int heavy)
{
    uint64_t hash = gnp_hash64(text->text, text->used, 2);
    FusedOp **bucket = &buckets[hash % BUCKETS];
    for (FusedOp *f = *bucket; f != NULL; f = f->next) {
        if (f->hash == hash && f->nbytes == text->used &&
            memcmp(f->text, text->text, text->used) == 0) {
            return &f->op;
        }
    }
    FusedOp *f = malloc(sizeof *f + text->used);
    if (f == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *f = (FusedOp){.op = {.name = gnp_lazy_name,
                          .expression = "",
                          .nin = nin,
                          .nout = nout,
                          .heavy = heavy,
                          .number = gnp_op_number(),
                          .write = write_fused},
                   .next = *bucket,
                   .hash = hash,
                   .nbytes = text->used};
    memcpy(f->text, text->text, text->used);
    *bucket = f;
    return &f->op;
}

/* Sources of kernels by rows are in the same table only for their number; the op is not used. */
const GnpElementOp *
gnp_lazy_op_of_text(const GnpText *text)
{
    return op_of_text(text, 0, 0, 0);
}

char *
gnp_lazy_source_of(const GnpElementOp *op)
{
    const FusedOp *f = (const FusedOp *)op;
    char *text = malloc(f->nbytes + 1);
    if (text == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(text, f->text, f->nbytes);
    text[f->nbytes] = '\0';
    return text;
}

/* ---- ops by the form of their group ---------------------------------------------------------- */

/* Writing a text takes longer than a launch, so what it depends on is looked up first: operations,
 * types and how values flow; no numbers, sizes or addresses. Operations are known by their address,
 * since they live as long as the process. */
typedef struct Form {
    struct Form *next;
    const GnpElementOp *op; /* borrowed: never freed */
    uint64_t hash;
    size_t nbytes;
    unsigned char bytes[];
} Form;

static Form *forms[BUCKETS]; /* guarded by the GIL; entries are never removed */

/* One number each of what a group has, in a fixed order: commands, then leaves, then results. */
enum {
    FORM_OF_COMMAND = 6 + 3 * GNP_LAZY_OPERANDS,
    FORM_NUMBERS = 3 + GNP_LAZY_COMMANDS * FORM_OF_COMMAND + 3 * GNP_MAX_OPERANDS
};

static int
describe_command(const GnpLazyCommand *c, const int *input, uint64_t *out)
{
    int n = 0;
    out[n++] = (uint64_t)(uintptr_t)c->op;
    out[n++] = (uint64_t)(uintptr_t)c->reduction;
    out[n++] = (uint64_t)c->loop;
    out[n++] = (uint64_t)c->result;
    out[n++] = (uint64_t)c->nin;
    out[n++] = (uint64_t)c->n;
    for (int i = 0; i < c->n; i++) {
        out[n++] = (uint64_t)c->view[i].dtype;
        out[n++] = (uint64_t)c->view[i].compute;
        if (i < c->nin) {
            out[n++] = (uint64_t)(int64_t)input[i];
        }
    }
    return n;
}

static size_t
describe_group(const GnpLazyDag *dag, const int (*input)[GNP_LAZY_OPERANDS],
               uint64_t out[FORM_NUMBERS])
{
    int n = 0;
    out[n++] = (uint64_t)dag->ncommands;
    out[n++] = (uint64_t)dag->nleaves;
    out[n++] = (uint64_t)dag->nstored;
    for (int k = 0; k < dag->ncommands; k++) {
        n += describe_command(dag->group->command[k], input[k], out + n);
    }
    for (int k = 0; k < dag->nleaves; k++) {
        out[n++] = (uint64_t)dag->leaf[k].view->dtype;
    }
    for (int k = 0; k < dag->nstored; k++) {
        out[n++] = (uint64_t)dag->stored_value[k];
        out[n++] = (uint64_t)dag->stored[k].view->dtype;
    }
    return (size_t)n * sizeof *out;
}

void
gnp_lazy_describe(GnpText *form, const GnpLazyDag *dag, const int (*input)[GNP_LAZY_OPERANDS])
{
    uint64_t numbers[FORM_NUMBERS];
    const size_t nbytes = describe_group(dag, input, numbers);
    gnp_text_add_bytes(form, numbers, nbytes);
}

const GnpElementOp *
gnp_lazy_known(const void *form, size_t nbytes)
{
    const uint64_t hash = gnp_hash64(form, nbytes, 3);
    for (const Form *f = forms[hash % BUCKETS]; f != NULL; f = f->next) {
        if (f->hash == hash && f->nbytes == nbytes && memcmp(f->bytes, form, nbytes) == 0) {
            return f->op;
        }
    }
    return NULL;
}

/* A form without memory is not kept, which costs time only. */
const GnpElementOp *
gnp_lazy_keep(const void *form, size_t nbytes, const GnpElementOp *op)
{
    const uint64_t hash = gnp_hash64(form, nbytes, 3);
    Form *f = op != NULL ? malloc(sizeof *f + nbytes) : NULL;
    if (f != NULL) {
        *f = (Form){.next = forms[hash % BUCKETS], .op = op, .hash = hash, .nbytes = nbytes};
        memcpy(f->bytes, form, nbytes);
        forms[hash % BUCKETS] = f;
    }
    return op;
}

const GnpElementOp *
gnp_lazy_op_of(const GnpLazyDag *dag, const int (*input)[GNP_LAZY_OPERANDS], int heavy)
{
    uint64_t numbers[FORM_NUMBERS];
    GnpText text = {0}; /* owned */
    const size_t nbytes = describe_group(dag, input, numbers);
    const GnpElementOp *op = gnp_lazy_known(numbers, nbytes);
    if (op == NULL && write_group(&text, dag, input) == 0) {
        op = gnp_lazy_keep(numbers, nbytes, op_of_text(&text, dag->nleaves, dag->nstored, heavy));
    }
    gnp_text_clear(&text);
    return op;
}

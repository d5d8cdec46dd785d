/* _C.graph_join and graph_reach: steps of the weak and the strong components of graphs.
 * gpunp.scipy.sparse.csgraph runs them in turn. The result does not depend on the order in which
 * threads run: the least node of a component is its root. Called in the calling thread with the
 * GIL; no function waits for the device. */
#include "sparse/sparse_internal.h"

enum {
    BLOCK = 256,
    EACH = 8,
    MANY = 1 << 17,       /* of fewer nodes no sample is linked first */
    MARK_BLOCK = 1024,    /* as large as blocks are: each copies all bits */
    SPARE_BYTES = 1 << 10 /* of shared memory, which the driver takes */
};

/* Whether the arrays from `first` on are of 32-bit integers, or missing. Steps have one type of
 * index, so that few kernels are compiled; missing arrays pass. */
static int
check_i32(const GnpSparseCall *call, int first, int end)
{
    for (int k = first; k < end; k++) {
        if (gnp_sparse_dtype(call, k, GNP_I32) != GNP_I32) {
            PyErr_Format(PyExc_ValueError, "%s: argument %d must be int32", call->name, k + 1);
            return -1;
        }
    }
    return 0;
}

/* The blocks of a step. */
static int64_t
join_blocks(int step, int64_t edges, int64_t nodes)
{
    return step == GRAPH_JOIN     ? gnp_ceil_div(edges, (int64_t)BLOCK * EACH)
           : step == GRAPH_SAMPLE ? gnp_ceil_div(nodes, (int64_t)BLOCK * SAMPLE_STRIDE)
                                  : gnp_ceil_div(nodes, (int64_t)BLOCK);
}

/* As many blocks as run at once, each with the bits of all nodes in its shared memory where they
 * fit; the array of bits has a byte for each node, so whole words can be read. */
static int
mark(GnpSparseCall *call, GnpSpec *spec)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    const int64_t words = gnp_ceil_div(call->number[1], 32),
                  tiles = gnp_ceil_div(call->number[0], MARK_BLOCK);
    const int64_t most = device->optin_shared_bytes - SPARE_BYTES;
    call->shared_bytes = words * 4 <= most && call->number[1] >= MANY ? (int)(words * 4) : 0;
    call->number[2] = call->shared_bytes;
    const int status = gnp_sparse_launch(
        call, spec, tiles < device->sm_count ? tiles : device->sm_count, MARK_BLOCK, NULL, NULL);
    call->shared_bytes = 0;
    return status;
}

enum { PARENTS = 2, FOUND, MARKS = 5 };

/* Roots are written into the other array. */
static void
swap_parents(GnpSparseCall *call)
{
    GnpArray *parents = call->array[PARENTS];
    call->array[PARENTS] = call->array[FOUND];
    call->array[FOUND] = parents;
}

/* Nine or eleven launches in one stream; all loops are in the kernel, so nothing is read back. */
static PyObject *
graph_join(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    /* The parents are flattened before the edges are joined, too: most edges have one root then. */
    static const int steps[] = {GRAPH_START,  GRAPH_ROOTS, GRAPH_LINK, GRAPH_ROOTS,
                                GRAPH_SAMPLE, GRAPH_ROOTS, GRAPH_LINK, GRAPH_LARGEST,
                                GRAPH_MARK,   GRAPH_JOIN,  GRAPH_ROOTS};
    GnpSparseCall call = {.name = "graph_join", .narrays = 6, .nnumbers = 2};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 3));
    GNP_TRY(check_i32(&call, PARENTS, FOUND + 1));
    const int64_t edges = call.number[0], nodes = call.number[1];
    if (call.array[MARKS] == NULL || call.array[MARKS]->size < gnp_ceil_div(edges, BLOCK * EACH)) {
        PyErr_SetString(PyExc_ValueError, "graph_join: a mark for each block of edges");
        goto fail;
    }
    if (nodes >= MANY) {
        swap_parents(&call); /* six times in all, so that the last roots are in the first array */
    }
    call.nnumbers++; /* the bytes of shared memory, which one step has */
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const int step = steps[i], is_mark = step == GRAPH_MARK;
        if (step == GRAPH_SAMPLE && nodes < MANY) {
            i++; /* nor are roots written again */
            continue;
        }
        GnpSpec_graph_join spec = {GNP_SPEC(graph_join), .I = call.array[0]->dtype, .STEP = step,
                                   .EACH = is_mark ? BLOCK * EACH : EACH,
                                   .BLOCK = is_mark ? MARK_BLOCK : BLOCK};
        GNP_TRY(is_mark ? mark(&call, &spec.head)
                        : gnp_sparse_launch(&call, &spec.head, join_blocks(step, edges, nodes),
                                            BLOCK, NULL, NULL));
        if (step == GRAPH_ROOTS || step == GRAPH_LARGEST) {
            swap_parents(&call);
        }
    }
    status = 0;
fail:
    return gnp_sparse_end(&call, status);
}

/* A step over all edges, or over all nodes for GRAPH_RESET; number[0] is their number. */
static PyObject *
reach(PyObject *const *args, Py_ssize_t nargs, int step)
{
    GnpSparseCall call = {.name = "graph_reach", .narrays = 8, .nnumbers = 1};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(check_i32(&call, 0, 8));
    GnpSpec_graph_reach spec = {GNP_SPEC(graph_reach), .STEP = step, .BLOCK = BLOCK};
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(call.number[0], (int64_t)BLOCK),
                               BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Before each round of sweeps. */
static PyObject *
graph_reset(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return reach(args, nargs, GRAPH_RESET);
}

/* Repeated by Python until `changed` stays false, as the number of sweeps depends on the graph. */
static PyObject *
graph_sweep(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return reach(args, nargs, GRAPH_SWEEP);
}

/* The order of the edges that are kept is not defined: blocks reserve places with an atomic
 * counter. */
static PyObject *
graph_keep(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    return reach(args, nargs, GRAPH_KEEP);
}

#define METHOD(function, arguments, summary)                                                       \
    {#function, (PyCFunction)(void (*)(void))function, METH_FASTCALL,                              \
     #function "($module, " arguments ", /)\n--\n\n" summary}

#define ARGUMENTS "origins, ends, sources, targets, kept_origins, kept_ends, count, changed, n"

static PyMethodDef functions[] = {
    METHOD(graph_join, "begins, indices, parents, spare, roots, marks, edges, nodes",
           "Write the first node of each node's weak component, and whether a node is one."),
    METHOD(graph_reset, ARGUMENTS, "Let nodes that are not done begin with themselves."),
    METHOD(graph_sweep, ARGUMENTS, "Pass the least sources and targets along every edge."),
    METHOD(graph_keep, ARGUMENTS, "Append the edges within components that are not done."),
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_graph_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

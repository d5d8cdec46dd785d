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
    JOIN_BLOCKS = 8,      /* of a multiprocessor, which has room for so many */
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

/* What all steps have in common: the device that runs them, and how large the graph is. */
typedef struct {
    const GnpDevice *device;
    int64_t edges, nodes;
} Graph;

static int64_t
node_tiles(int64_t nodes)
{
    return gnp_ceil_div(nodes, (int64_t)BLOCK * GRAPH_NODES);
}

static int64_t
edge_tiles(int64_t edges)
{
    return gnp_ceil_div(edges, (int64_t)BLOCK * EACH);
}

/* The blocks of a step; those that look for tiles of edges are as many as run at once. */
static int64_t
join_blocks(int step, const Graph *graph)
{
    const int64_t most = (int64_t)graph->device->sm_count * (step == GRAPH_MARK ? 1 : JOIN_BLOCKS);
    int64_t blocks = gnp_ceil_div(graph->edges, (int64_t)MARK_BLOCK);
    switch (step) {
    case GRAPH_JOIN:
        blocks = edge_tiles(graph->edges);
        return blocks < most ? blocks : most;
    case GRAPH_MARK:
        return blocks < most ? blocks : most;
    case GRAPH_SAMPLE:
        return gnp_ceil_div(graph->nodes, (int64_t)BLOCK * SAMPLE_STRIDE);
    case GRAPH_START:
    case GRAPH_LAST:
    case GRAPH_MIDDLE:
        return gnp_ceil_div(graph->nodes, (int64_t)BLOCK);
    default:
        return node_tiles(graph->nodes);
    }
}

/* The bytes of the bits of all nodes. */
static int64_t
bits_bytes(int64_t nodes)
{
    return gnp_ceil_div(nodes, (int64_t)128) * 16;
}

/* Each block of GRAPH_MARK has the bits of all nodes in its shared memory where they fit. */
static int
mark_bytes(const Graph *graph)
{
    const int64_t bytes = bits_bytes(graph->nodes);
    const int fits = bytes <= graph->device->optin_shared_bytes - SPARE_BYTES;
    return fits && graph->nodes >= MANY ? (int)bytes : 0;
}

enum { LABELS = 2, FOUND, LINKS, LARGE, MARKS, STATE };

/* Roots are written into the other array. */
static void
swap_parents(GnpSparseCall *call)
{
    GnpArray *parents = call->array[LABELS];
    call->array[LABELS] = call->array[FOUND];
    call->array[FOUND] = parents;
}

/* The arrays that a call writes have so many elements at least, and these types. */
static int
check_scratch(const GnpSparseCall *call, const Graph *graph)
{
    const struct {
        int place;
        GnpDtype dtype;
        int64_t size;
    } rows[] = {
        {LABELS, GNP_I32, graph->nodes},           {FOUND, GNP_I32, graph->nodes},
        {LINKS, GNP_I32, 2 * graph->nodes},        {LARGE, GNP_U8, bits_bytes(graph->nodes)},
        {MARKS, GNP_U8, edge_tiles(graph->edges)}, {STATE, GNP_U64, node_tiles(graph->nodes) + 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const GnpArray *a = call->array[rows[i].place];
        if (a == NULL || a->dtype != rows[i].dtype || a->size < rows[i].size) {
            PyErr_Format(PyExc_ValueError, "%s: argument %d must have %lld elements of type %s",
                         call->name, rows[i].place + 1, (long long)rows[i].size,
                         gnp_dtypes[rows[i].dtype].name);
            return -1;
        }
    }
    return 0;
}

static int
join_step(GnpSparseCall *call, int step, const Graph *graph)
{
    const int is_mark = step == GRAPH_MARK;
    GnpSpec_graph_join spec = {GNP_SPEC(graph_join), .I = call->array[0]->dtype, .STEP = step,
                               .EACH = is_mark ? BLOCK * EACH : EACH,
                               .BLOCK = is_mark ? MARK_BLOCK : BLOCK};
    call->shared_bytes = is_mark ? mark_bytes(graph) : 0;
    call->number[2] = call->shared_bytes;
    return gnp_sparse_launch(call, &spec.head, join_blocks(step, graph),
                             is_mark ? MARK_BLOCK : BLOCK, NULL, NULL);
}

/* Ten or twelve launches in one stream; all loops are in the kernel, so nothing is read back. */
static PyObject *
graph_join(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    /* The parents are flattened before the edges are joined, too: most edges have one root then. */
    static const int steps[] = {GRAPH_START,  GRAPH_ROOTS, GRAPH_LAST,   GRAPH_ROOTS,
                                GRAPH_SAMPLE, GRAPH_ROOTS, GRAPH_MIDDLE, GRAPH_LARGEST,
                                GRAPH_MARK,   GRAPH_JOIN,  GRAPH_NUMBER, GRAPH_LABEL};
    GnpSparseCall call = {.name = "graph_join", .narrays = 8, .nnumbers = 2};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 3));
    Graph graph = {gnp_device_current(), call.number[0], call.number[1]};
    if (graph.device == NULL) {
        goto fail;
    }
    GNP_TRY(check_scratch(&call, &graph));
    if (graph.nodes < MANY) {
        swap_parents(&call); /* five times then, six otherwise: the labels are in the first array */
    }
    call.nnumbers++; /* the bytes of shared memory, which one step has */
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const int step = steps[i];
        if (step == GRAPH_SAMPLE && graph.nodes < MANY) {
            i++; /* nor are roots written again */
            continue;
        }
        GNP_TRY(join_step(&call, step, &graph));
        if (step == GRAPH_ROOTS || step == GRAPH_LARGEST || step == GRAPH_NUMBER) {
            swap_parents(&call);
        }
    }
    swap_parents(&call);
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
    METHOD(graph_join, "begins, indices, labels, spare, links, bits, marks, state, edges, nodes",
           "Write the number of each node's weak component. The low 62 bits of the last but one\n"
           "word of `state` become the number of components."),
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

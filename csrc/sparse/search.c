/* _C.graph_relax and others: steps of shortest paths, breadth-first orders and spanning forests.
 * gpunp.scipy.sparse.csgraph runs them in turn. The functions are single steps, because the
 * number of rounds depends on the graph: Python reads a counter from the device every few
 * launches and decides whether to go on. Results do not depend on the order in which threads
 * run, see the kernels. */
#include "sparse/sparse_internal.h"

enum { BLOCK = 256, NARROW = 1024, STATES = 4, SIDE = 64 };

/* A call of `narrays` arrays and `nnumbers` numbers; `types` has a letter for each array: i of the
 * indices' type, h of int32, q of int64, d of float64, b of bool or uint8. Types are checked
 * exactly, as the kernels cast the addresses. The first array, which has the indices, decides
 * what `i` stands for. */
static int
begin(GnpSparseCall *call, const char *types, PyObject *const *args, Py_ssize_t nargs)
{
    call->narrays = (int)strlen(types);
    GNP_TRY(gnp_sparse_begin(call, args, nargs));
    for (int k = 0; k < call->narrays; k++) {
        /* 'i' is the type of the first array, which a matrix's indices have in common. */
        const GnpDtype wanted = types[k] == 'h'   ? GNP_I32
                                : types[k] == 'q' ? GNP_I64
                                : types[k] == 'd' ? GNP_F64
                                : types[k] == 'b' ? GNP_BOOL
                                                  : gnp_sparse_dtype(call, 0, GNP_I32);
        if (gnp_sparse_dtype(call, k, wanted) != wanted) {
            PyErr_Format(PyExc_ValueError, "%s: argument %d has another type", call->name, k + 1);
            goto fail;
        }
    }
    return 0;
fail:
    return -1;
}

/* Steps of graph_paths: a thread handles STATES states, so that few threads idle in late rounds. */
static PyObject *
paths(PyObject *const *args, Py_ssize_t nargs, const char *name, int step)
{
    GnpSparseCall call = {.name = name, .nnumbers = 3};
    int status = -1;
    GNP_TRY(begin(&call, "iidqbbhqdd", args, nargs));
    GnpSpec_graph_paths spec = {GNP_SPEC(graph_paths), .I = gnp_sparse_dtype(&call, 0, GNP_I32),
                                .STEP = step, .WEIGHTED = call.array[2] != NULL, .BLOCK = BLOCK};
    const int64_t blocks = gnp_ceil_div(call.number[0], (int64_t)BLOCK * STATES);
    status = gnp_sparse_launch(&call, &spec.head, blocks, BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* A narrow level is done by one block of 1024 threads, the largest that CUDA allows, which needs
 * no launch per level; wide levels take three launches each. */
static PyObject *
levels(PyObject *const *args, Py_ssize_t nargs, const char *name, int step)
{
    GnpSparseCall call = {.name = name, .nnumbers = 3};
    const int narrow = step == LEVELS_NARROW, threads = narrow ? NARROW : BLOCK;
    int status = -1;
    GNP_TRY(begin(&call, "iiqhqq", args, nargs));
    GnpSpec_graph_levels spec = {GNP_SPEC(graph_levels), .I = gnp_sparse_dtype(&call, 0, GNP_I32),
                                 .STEP = step, .BLOCK = threads};
    const int64_t width = call.number[1] - call.number[0];
    const int64_t blocks = narrow ? 1 : gnp_ceil_div(width, (int64_t)BLOCK);
    status = gnp_sparse_launch(&call, &spec.head, blocks, threads, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Steps of a round of Boruvka's method; nodes or edges are the threads, as number[0] says. */
static PyObject *
forest(PyObject *const *args, Py_ssize_t nargs, const char *name, int step)
{
    GnpSparseCall call = {.name = name, .nnumbers = 1};
    int status = -1;
    GNP_TRY(begin(&call, "qhhdhqqbqq", args, nargs));
    GnpSpec_graph_forest spec = {GNP_SPEC(graph_forest), .STEP = step, .BLOCK = BLOCK};
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(call.number[0], (int64_t)BLOCK),
                               BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Floyd and Warshall's method in tiles: three launches for each tile of nodes, in one stream, so
 * each finds the results of those before. `middle` is a parameter of the kernel, hence it counts
 * in place. One tile alone has neither rows nor columns to update. */
static PyObject *
graph_pairs(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "graph_pairs", .nnumbers = 2};
    int status = -1;
    GNP_TRY(begin(&call, "dh", args, nargs));
    const int64_t tiles = gnp_ceil_div(call.number[0], (int64_t)SIDE);
    const int64_t blocks[] = {
        [PAIRS_DIAGONAL] = 1, [PAIRS_CROSS] = 2 * tiles, [PAIRS_REST] = tiles * tiles};
    for (int64_t *middle = &call.number[1]; *middle < tiles; ++*middle) {
        for (int step = PAIRS_DIAGONAL; step <= (tiles > 1 ? PAIRS_REST : PAIRS_DIAGONAL); step++) {
            GnpSpec_graph_pairs spec = {GNP_SPEC(graph_pairs), .STEP = step,
                                        .PARENTS = call.array[1] != NULL};
            GNP_TRY(gnp_sparse_launch(&call, &spec.head, blocks[step], 256, NULL, NULL));
        }
    }
    status = 0;
fail:
    return gnp_sparse_end(&call, status);
}

/* The functions for Python differ only in the step, a knob of the kernel. */
#define STEP_OF(engine, function, step)                                                            \
    static PyObject *function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t n)    \
    {                                                                                              \
        return engine(args, n, #function, step);                                                   \
    }

STEP_OF(paths, graph_relax, PATHS_RELAX)
STEP_OF(paths, graph_strict, PATHS_STRICT)
STEP_OF(paths, graph_tight, PATHS_TIGHT)
STEP_OF(paths, graph_settle, PATHS_SETTLE)
STEP_OF(levels, graph_narrow, LEVELS_NARROW)
STEP_OF(levels, graph_claim, LEVELS_CLAIM)
STEP_OF(levels, graph_count, LEVELS_COUNT)
STEP_OF(levels, graph_write, LEVELS_WRITE)
STEP_OF(forest, graph_least, FOREST_LEAST)
STEP_OF(forest, graph_first, FOREST_FIRST)
STEP_OF(forest, graph_connect, FOREST_JOIN)
STEP_OF(forest, graph_roots, FOREST_ROOTS)
STEP_OF(forest, graph_leave, FOREST_KEEP)

#define METHOD(function, arguments, summary)                                                       \
    {#function, (PyCFunction)(void (*)(void))function, METH_FASTCALL,                              \
     #function "($module, " arguments ", /)\n--\n\n" summary}

#define PATHS                                                                                      \
    "begins, indices, weights, keys, changed, next, parents, pending, near, delta, states, "       \
    "nodes, limit"
#define LEVELS "begins, indices, claims, order, counts, state, begin, end, most"
#define FOREST "edges, origins, ends, weights, parents, least, first, marks, kept, count, n"

static PyMethodDef functions[] = {
    METHOD(graph_relax, PATHS, "Relax the edges of the states that changed and are near."),
    METHOD(graph_strict, PATHS, "Find predecessors that are nearer to the source."),
    METHOD(graph_tight, PATHS, "Find predecessors among the states that were settled last."),
    METHOD(graph_settle, PATHS, "Settle the states whose predecessor was found."),
    METHOD(graph_narrow, LEVELS, "Append levels to a breadth-first order while they are narrow."),
    METHOD(graph_claim, LEVELS, "Claim the ends of the edges of a level."),
    METHOD(graph_count, LEVELS, "Count the nodes that each block of a level won."),
    METHOD(graph_write, LEVELS, "Append the nodes that a level won."),
    METHOD(graph_least, FOREST, "Find the least weight that leaves each component."),
    METHOD(graph_first, FOREST, "Find the first edge of that weight."),
    METHOD(graph_connect, FOREST, "Join the components that those edges connect."),
    METHOD(graph_roots, FOREST, "Replace parents by roots, and reset the minima."),
    METHOD(graph_leave, FOREST, "Keep the edges between components."),
    METHOD(graph_pairs, "distances, parents, n, first",
           "Shorten distances between all pairs of nodes by paths through every node."),
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_search_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}

/* What depends on what in a graph: questions about nodes and edges, adding and removing edges.
 *
 * All edges are plain ones: the later node begins when the earlier has ended.
 *
 * Graphs have no lock (graph.c). Every entry checks its handles before it changes anything, so a
 * refused call leaves the graph as it was. */
#include "emu/graph/graph.h"

#include <stdio.h>
#include <string.h>

/* Linear: a node has few dependencies. */
static int
needs(const Node *node, const Node *need)
{
    for (int i = 0; i < node->needs_count; i++) {
        if (node->needs[i] == need) {
            return 1;
        }
    }
    return 0;
}

/* The order of dependencies has no meaning, so the last takes the place of the one removed. */
static void
forget_need(Node *node, const Node *need)
{
    for (int i = 0; i < node->needs_count; i++) {
        if (node->needs[i] == need) {
            node->needs[i] = node->needs[--node->needs_count];
            return;
        }
    }
}

/* Edges are stored with the later node only, so all nodes are searched. The list is singly linked:
 * the search for the predecessor shares the walk that removes the edges. */
void
emu_graph_remove(Node *node)
{
    Graph *graph = node->graph;
    Node *previous = NULL;
    for (Node *other = graph->first; other != NULL; other = other->next) {
        forget_need(other, node);
        previous = other->next == node ? other : previous;
    }
    if (previous != NULL) {
        previous->next = node->next;
    }
    else {
        graph->first = node->next;
    }
    if (graph->last == node) {
        graph->last = previous;
    }
    graph->count--;
    emu_handle_close(node);
}

/* Executable graphs made earlier keep the node's work. */
CUresult
cuGraphDestroyNode(CUgraphNode handle)
{
    EMU_TRY_ENTER_NODE(cuGraphDestroyNode, handle, node);
    if (node->graph->memory_nodes > 0) {
        return CUDA_ERROR_NOT_SUPPORTED; /* addresses of the graph's memory are known outside */
    }
    emu_graph_remove(node);
    return 0;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Edge data other than zero asks for programmatic dependent launch, which does not exist here. */
CUresult
emu_edges_check(const CUgraphEdgeData *edges, size_t count)
{
    static const CUgraphEdgeData plain;
    for (size_t i = 0; edges != NULL && i < count; i++) {
        if (memcmp(&edges[i], &plain, sizeof plain) != 0) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return 0;
}

/* One call's edges, in the order of the entries' parameters. */
typedef struct {
    const CUgraphNode *from, *to;
    const CUgraphEdgeData *data;
    size_t count;
} Edges;

/* All of them are tested before the first changes the graph. `present` says whether the edges must
 * exist already: 1 for removing, 0 for adding. */
static CUresult
check_edges(CUgraph handle, const Edges *edges, int present)
{
    const Graph *graph = emu_handle_get(handle, KIND_GRAPH);
    if (graph == NULL || (edges->count > 0 && (edges->from == NULL || edges->to == NULL))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < edges->count; i++) {
        const Node *a = emu_handle_get(edges->from[i], KIND_NODE);
        const Node *b = emu_handle_get(edges->to[i], KIND_NODE);
        if (a == NULL || b == NULL || a == b || a->graph != graph || b->graph != graph ||
            needs(b, a) != present) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    /* Adding edges to a graph with memory nodes is allowed: it can only delay a use. */
    if (!present || graph->memory_nodes == 0 || edges->count == 0) {
        return emu_edges_check(edges->data, edges->count);
    }
    return CUDA_ERROR_NOT_SUPPORTED; /* a use could come to lie outside of its memory's life */
}

/* A cycle is not looked for here; instantiating finds it. */
static CUresult
add_edges(CUgraph graph, const Edges *edges)
{
    EMU_TRY(check_edges(graph, edges, 0));
    for (size_t i = 0; i < edges->count; i++) {
        EMU_TRY(emu_node_need((Node *)edges->to[i], (Node *)edges->from[i]));
    }
    return 0;
}

static CUresult
remove_edges(CUgraph graph, const Edges *edges)
{
    EMU_TRY(check_edges(graph, edges, 1));
    for (size_t i = 0; i < edges->count; i++) {
        forget_need((Node *)edges->to[i], (const Node *)edges->from[i]);
    }
    return 0;
}

/* The entries with edge data are the same, since only plain edges are accepted. */
CUresult
cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    EMU_TRY_ENTER(cuGraphAddDependencies);
    return add_edges(graph, &(Edges){from, to, NULL, count});
}

CUresult
cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                          const CUgraphEdgeData *data, size_t count)
{
    EMU_TRY_ENTER(cuGraphAddDependencies_v2);
    return add_edges(graph, &(Edges){from, to, data, count});
}

CUresult
cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                          size_t count)
{
    EMU_TRY_ENTER(cuGraphRemoveDependencies);
    return remove_edges(graph, &(Edges){from, to, NULL, count});
}

CUresult
cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                             const CUgraphEdgeData *data, size_t count)
{
    EMU_TRY_ENTER(cuGraphRemoveDependencies_v2);
    return remove_edges(graph, &(Edges){from, to, data, count});
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Queries give the number of answers when there is no array for them; else they fill the array,
 * null what is left over, and say how many there are. */
typedef struct {
    CUgraphNode *out, *also; /* for edges: the target, too */
    CUgraphEdgeData *data;
    size_t capacity, count;
} Answer;

/* Counts each answer and stores those that fit. */
static void
list(Answer *answer, Node *node, Node *also)
{
    size_t i = answer->count++;
    if (answer->out != NULL && i < answer->capacity) {
        answer->out[i] = (CUgraphNode)node;
        if (answer->also != NULL) {
            answer->also[i] = (CUgraphNode)also;
        }
        if (answer->data != NULL) {
            memset(&answer->data[i], 0, sizeof answer->data[i]);
        }
    }
}

/* The number that is returned is that of entries filled, or of all when only the number was asked
 * for (cuGraphGetNodes). */
static CUresult
finish(Answer *answer, size_t *count)
{
    for (size_t i = answer->count; answer->out != NULL && i < answer->capacity; i++) {
        answer->out[i] = NULL;
        if (answer->also != NULL) {
            answer->also[i] = NULL;
        }
    }
    int cut = answer->out != NULL && answer->count > answer->capacity;
    *count = cut ? answer->capacity : answer->count;
    return 0;
}

typedef enum { ASK_NODES, ASK_ROOTS, ASK_EDGES } GraphQuestion;

/* One walk for three questions. The two arrays of edges are given together or not at all. */
static CUresult
ask_graph(CUgraph handle, GraphQuestion question, Answer answer, size_t *count)
{
    const Graph *graph = emu_handle_get(handle, KIND_GRAPH);
    if (graph == NULL || count == NULL ||
        (question == ASK_EDGES && (answer.out == NULL) != (answer.also == NULL)) ||
        (answer.data != NULL && answer.out == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    answer.capacity = *count;
    for (Node *node = graph->first; node != NULL; node = node->next) {
        if (question == ASK_NODES || (question == ASK_ROOTS && node->needs_count == 0)) {
            list(&answer, node, NULL);
        }
        /* Edges are listed by their later node, in the order in which the nodes were made. */
        for (int i = 0; question == ASK_EDGES && i < node->needs_count; i++) {
            list(&answer, node->needs[i], node);
        }
    }
    return finish(&answer, count);
}

CUresult
cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER(cuGraphGetNodes);
    return ask_graph(graph, ASK_NODES, (Answer){.out = nodes}, count);
}

CUresult
cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER(cuGraphGetRootNodes);
    return ask_graph(graph, ASK_ROOTS, (Answer){.out = nodes}, count);
}

CUresult
cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    EMU_TRY_ENTER(cuGraphGetEdges);
    return ask_graph(graph, ASK_EDGES, (Answer){.out = from, .also = to}, count);
}

CUresult
cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                   size_t *count)
{
    EMU_TRY_ENTER(cuGraphGetEdges_v2);
    return ask_graph(graph, ASK_EDGES, (Answer){.out = from, .also = to, .data = data}, count);
}

/* The nodes that come directly before or after one. Dependencies are stored, dependents are
 * searched for. */
static CUresult
ask_node(CUgraphNode handle, int after, Answer answer, size_t *count)
{
    Node *node = emu_handle_get(handle, KIND_NODE);
    if (node == NULL || count == NULL || (answer.data != NULL && answer.out == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    answer.capacity = *count;
    for (int i = 0; !after && i < node->needs_count; i++) {
        list(&answer, node->needs[i], NULL);
    }
    for (Node *other = after ? node->graph->first : NULL; other != NULL; other = other->next) {
        if (needs(other, node)) {
            list(&answer, other, NULL);
        }
    }
    return finish(&answer, count);
}

CUresult
cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER(cuGraphNodeGetDependencies);
    return ask_node(node, 0, (Answer){.out = nodes}, count);
}

CUresult
cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                              size_t *count)
{
    EMU_TRY_ENTER(cuGraphNodeGetDependencies_v2);
    return ask_node(node, 0, (Answer){.out = nodes, .data = data}, count);
}

CUresult
cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER(cuGraphNodeGetDependentNodes);
    return ask_node(node, 1, (Answer){.out = nodes}, count);
}

CUresult
cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data,
                                size_t *count)
{
    EMU_TRY_ENTER(cuGraphNodeGetDependentNodes_v2);
    return ask_node(node, 1, (Answer){.out = nodes, .data = data}, count);
}

/* ---- a picture ------------------------------------------------------------------------------- */

/* A simple picture: the flags, which ask for more details, are ignored. `index` serves as the
 * number of a node. */
CUresult
cuGraphDebugDotPrint(CUgraph handle, const char *path, unsigned int flags)
{
    /* Names by the number of the node's type. */
    static const char *const types[] = {"kernel",
                                        "memcpy",
                                        "memset",
                                        "host",
                                        "graph",
                                        "empty",
                                        "event wait",
                                        "event record",
                                        "signal",
                                        "wait",
                                        "allocation",
                                        "deallocation",
                                        "memory operations",
                                        "condition"};
    (void)flags;
    EMU_TRY_ENTER_GRAPH(cuGraphDebugDotPrint, handle, graph);
    if (path == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    int number = 0;
    fprintf(file, "digraph graph_%u {\n", graph->head.serial);
    for (Node *node = graph->first; node != NULL; node = node->next) {
        node->index = number++;
        fprintf(file, "  n%d [label=\"%d %s %s\"];\n", node->index, node->index, types[node->type],
                node->work.kind == WORK_KERNEL ? node->work.kernel.function->info.name : "");
    }
    for (Node *node = graph->first; node != NULL; node = node->next) {
        for (int i = 0; i < node->needs_count; i++) {
            fprintf(file, "  n%d -> n%d;\n", node->needs[i]->index, node->index);
        }
    }
    fprintf(file, "}\n");
    return fclose(file) == 0 ? 0 : CUDA_ERROR_OPERATING_SYSTEM;
}

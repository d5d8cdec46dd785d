/* Graphs as data: nodes and their dependencies, clones.
 *
 * Graphs have no lock, as CUDA's are not safe for several threads either; nodes and graphs are
 * handles, so that a stale one is recognised (driver/handle.c).
 *
 * Edges are stored as `needs` with the later node. Nodes are handles with one reference, the
 * graph's; their work owns parameters of its own, so what a program passed may go at once. */
#include "emu/graph/graph.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(Node) <= 512, "handle.c: a node must fit its slot");

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Child graphs and bodies end with their node, which is the only one that names them. */
static void
node_destroy(void *object)
{
    Node *node = object;
    emu_work_clear(&node->work);
    free(node->needs);
    free(node->param_pointers);
    free(node->alloc);
    free(node->attributes);
    if (node->child != NULL) {
        emu_graph_end(node->child);
    }
    for (int i = 0; i < node->bodies_count; i++) {
        emu_graph_end(node->bodies[i]);
    }
    free(node->bodies);
}

/* Linear: nodes have few dependencies, and a set allows no duplicates. */
CUresult
emu_node_need(Node *node, Node *need)
{
    for (int i = 0; i < node->needs_count; i++) {
        if (node->needs[i] == need) {
            return 0;
        }
    }
    /* Grows by one; captures add most edges singly. */
    Node **grown = realloc(node->needs, (size_t)(node->needs_count + 1) * sizeof(Node *));
    if (grown == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->needs = grown;
    node->needs[node->needs_count++] = need;
    return 0;
}

/* Takes the work, on failure too. Dependencies are stored with the node that needs, which is the
 * direction a launch follows. */
CUresult
emu_graph_add(Node **out, Graph *graph, CUgraphNodeType type, Work *work, Node *const *needs,
              int count)
{
    Node *node = emu_handle_new(KIND_NODE, sizeof *node, node_destroy);
    if (node == NULL) {
        emu_work_clear(work);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->graph = graph;
    node->type = type;
    node->work = *work;
    for (int i = 0; i < count; i++) {
        if (emu_node_need(node, needs[i]) != 0) {
            /* Closing clears the work, as node_destroy does. */
            emu_handle_close(node);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    /* At the end of the list: creation order is kept, in which nodes are listed and mostly run. */
    if (graph->last != NULL) {
        graph->last->next = node;
    }
    else {
        graph->first = node;
    }
    graph->last = node;
    graph->count++;
    *out = node;
    return 0;
}

Graph *
emu_graph_new(void)
{
    return emu_handle_new(KIND_GRAPH, sizeof(Graph), NULL);
}

/* The nodes' handles end here. Executable graphs are not affected, as they have copies. */
void
emu_graph_end(Graph *graph)
{
    for (Node *node = graph->first, *next; node != NULL; node = next) {
        next = node->next;
        emu_handle_close(node);
    }
    while (graph->conditions != NULL) {
        Condition *condition = graph->conditions;
        graph->conditions = condition->next;
        free(condition);
    }
    emu_users_drop(graph->users);
    emu_handle_close(graph);
}

/* Kahn's algorithm by passes over the list, without a queue of ready nodes: each pass places all
 * whose dependencies are placed. `mark` and `index` are scratch of the walk. */
Node **
emu_graph_order(Graph *graph)
{
    /* One more, so that an empty graph does not give a null pointer. */
    Node **order = malloc((size_t)(graph->count + 1) * sizeof *order);
    int placed = 0, before = -1;
    for (Node *node = graph->first; node != NULL; node = node->next) {
        node->mark = 0;
    }
    /* Creation order nearly always is an order already, so passes are few. */
    while (order != NULL && placed < graph->count && placed != before) {
        before = placed;
        for (Node *node = graph->first; node != NULL; node = node->next) {
            int ready = !node->mark;
            for (int i = 0; i < node->needs_count && ready; i++) {
                ready = node->needs[i]->mark;
            }
            if (ready) {
                node->mark = 1;
                node->index = placed;
                order[placed++] = node;
            }
        }
    }
    /* No progress: the dependencies have a cycle. */
    if (order != NULL && placed < graph->count) {
        free(order);
        return NULL;
    }
    return order;
}

/* ---- making graphs --------------------------------------------------------------------------- */

/* Graphs belong to no context. */
CUresult
cuGraphCreate(CUgraph *out, unsigned int flags)
{
    EMU_TRY_ENTER(cuGraphCreate);
    if (out == NULL || flags != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Graph *graph = emu_graph_new();
    *out = (CUgraph)graph;
    return graph != NULL ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult
cuGraphDestroy(CUgraph handle)
{
    EMU_TRY_ENTER_GRAPH(cuGraphDestroy, handle, graph);
    /* Graphs inside of nodes end with them, captured ones with their capture. */
    if (graph->borrowed) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_graph_end(graph);
    return 0;
}

/* A graph inside another is not the program's to destroy. Hidden from the ledger as well: it counts
 * what the program must destroy. */
void
emu_graph_lend(Graph *graph)
{
    graph->borrowed = 1;
    emu_handle_hide(graph);
}

/* What a node has beside its work. A node that is cloned halfway ends with its graph, so errors
 * need no undoing here. */
static CUresult
clone_parts(Node *to, const Node *from)
{
    /* As many as graph_nodes.c keeps, by the number of the attribute. */
    enum { ATTRIBUTES = CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING + 1 };
    if (from->attributes != NULL) {
        to->attributes = malloc(ATTRIBUTES * sizeof *to->attributes);
        if (to->attributes == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        memcpy(to->attributes, from->attributes, ATTRIBUTES * sizeof *to->attributes);
    }
    if (from->child != NULL) {
        EMU_TRY(emu_graph_clone(&to->child, from->child));
        emu_graph_lend(to->child);
    }
    if (from->bodies_count > 0) {
        to->bodies = calloc((size_t)from->bodies_count, sizeof(Graph *));
        if (to->bodies == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        /* The count rises with each body, so that a failure frees those that exist. */
        for (; to->bodies_count < from->bodies_count; to->bodies_count++) {
            EMU_TRY(emu_graph_clone(&to->bodies[to->bodies_count], from->bodies[to->bodies_count]));
            emu_graph_lend(to->bodies[to->bodies_count]);
        }
    }
    return 0;
}

/* In topological order, so that what a node needs has been made. */
static CUresult
clone_nodes(Graph *copy, Node **order, Node **made, int count)
{
    for (int i = 0; i < count; i++) {
        /* An own copy: changing the clone's parameters must not change the original's. */
        Work work;
        EMU_TRY(emu_work_copy(&work, &order[i]->work));
        EMU_TRY(emu_graph_add(&made[i], copy, order[i]->type, &work, NULL, 0));
        made[i]->origin = order[i];
        for (int k = 0; k < order[i]->needs_count; k++) {
            /* `index` is the place in the order, which is the place in `made`. */
            EMU_TRY(emu_node_need(made[i], made[order[i]->needs[k]->index]));
        }
        EMU_TRY(clone_parts(made[i], order[i]));
    }
    return 0;
}

/* User objects are held by the clone as well (cuGraphClone). */
CUresult
emu_graph_clone(Graph **out, Graph *graph)
{
    if (graph->memory_nodes > 0) {
        return CUDA_ERROR_NOT_SUPPORTED; /* their addresses would be allocated twice */
    }
    Node **order = emu_graph_order(graph);
    Graph *copy = emu_graph_new();
    Node **made = calloc((size_t)graph->count + 1, sizeof *made);
    CUresult result = order != NULL && copy != NULL && made != NULL ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == 0) {
        result = clone_nodes(copy, order, made, graph->count);
    }
    if (result == 0) {
        result = emu_users_copy(&copy->users, graph->users);
    }
    free(order);
    free(made);
    if (result != 0) {
        if (copy != NULL) {
            emu_graph_end(copy);
        }
        return result;
    }
    *out = copy;
    return 0;
}

CUresult
cuGraphClone(CUgraph *out, CUgraph handle)
{
    Graph *copy;
    EMU_TRY_ENTER_GRAPH(cuGraphClone, handle, graph);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_graph_clone(&copy, graph));
    *out = (CUgraph)copy;
    return 0;
}

/* By the link to the original, which is compared and never followed. */
CUresult
cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode origin, CUgraph handle)
{
    EMU_TRY_ENTER_GRAPH(cuGraphNodeFindInClone, handle, graph);
    for (Node *node = graph->first; node != NULL && out != NULL; node = node->next) {
        if (node->origin == (Node *)origin) {
            *out = (CUgraphNode)node;
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* The destructor of the user object that owns the cell. Any device's memory may hold it; only the
 * right one frees it. */
static void
free_cell(void *cell)
{
    Driver *driver = emu_driver();
    for (int i = 0; i < driver->device_count; i++) {
        emu_memory_free(driver->devices[i].memory, (uintptr_t)cell);
    }
}

/* The handle is the address of the cell that kernels write, in device memory. */
CUresult
cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out, CUgraph handle,
                               CUcontext context_handle, unsigned int value, unsigned int flags)
{
    Context *context;
    EMU_TRY_ENTER_GRAPH(cuGraphConditionalHandleCreate, handle, graph);
    if (out == NULL || (flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (context_handle == NULL) {
        EMU_TRY(emu_context_current(&context));
    }
    else if ((context = emu_handle_get(context_handle, KIND_CONTEXT)) == NULL) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    Condition *condition = malloc(sizeof *condition);
    /* A cell is 8 bytes, although values have 32 bits: it is an allocation of its own, and kernels
     * find it by its address. */
    uint64_t cell = condition != NULL ? emu_memory_alloc(context->device->memory, 8) : 0;
    if (cell == 0) {
        free(condition);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* What is instantiated from the graph keeps the cell too. */
    CUresult result = emu_users_attach(graph, (void *)(uintptr_t)cell, free_cell);
    if (result != 0) {
        free(condition);
        free_cell((void *)(uintptr_t)cell);
        return result;
    }
    *condition = (Condition){graph->conditions, cell, flags & CU_GRAPH_COND_ASSIGN_DEFAULT, value};
    graph->conditions = condition;
    *out = cell;
    return 0;
}

/* A node in a body may use conditions of the graphs around it. */
int
emu_graph_condition_find(const Graph *graph, CUgraphConditionalHandle cell, unsigned *assign,
                         unsigned *value)
{
    for (; graph != NULL; graph = graph->parent) {
        for (const Condition *known = graph->conditions; known != NULL; known = known->next) {
            if (known->cell == cell) {
                *assign = known->assign;
                *value = known->value;
                return 1;
            }
        }
    }
    return 0;
}

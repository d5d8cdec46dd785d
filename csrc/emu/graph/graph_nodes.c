/* Nodes of each type: adding them, reading and changing their parameters.
 *
 * All typed functions go through CUgraphNodeParams, as cuGraphAddNode takes it.
 *
 * Parameters become work at once (emu_node_work): the node keeps no pointer of the caller's.
 * Executable graphs take the same path, so a change is checked by the rules of the node's creation.
 * Callers hold no lock; a graph is used by one thread at a time. */
#include "emu/graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- parameters as work ---------------------------------------------------------------------- */

/* `func` and `kern` are one kind of handle here. A stream and attributes do not belong to the
 * parameters of a node. */
static CUresult
kernel_work(Work *work, const CUDA_KERNEL_NODE_PARAMS *p)
{
    Function *function;
    CUfunction handle = p->func != NULL ? p->func : (CUfunction)p->kern;
    EMU_TRY(emu_function_get(handle, &function));
    CUlaunchConfig config = {
        p->gridDimX,  p->gridDimY,       p->gridDimZ, p->blockDimX, p->blockDimY,
        p->blockDimZ, p->sharedMemBytes, NULL,        NULL,         0};
    *work = (Work){.kind = WORK_KERNEL};
    return emu_kernel_work(&work->kernel, function, &config, p->kernelParams, p->extra);
}

/* The pitch is ignored for a single row, as cuGraphAddMemsetNode documents, and stored as zero. */
static CUresult
fill_work(Work *work, const CUDA_MEMSET_NODE_PARAMS_v2 *p)
{
    if ((p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) || p->width == 0 ||
        p->height == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *work = (Work){.kind = WORK_FILL,
                   .fill = {p->dst, p->height > 1 ? p->pitch : 0, p->width, p->height, p->value,
                            p->elementSize}};
    /* In a graph, memory of allocation nodes counts as present. */
    return emu_fill_check(&work->fill, 1);
}

/* Generation 0 marks a record that is not one of cuEventRecord (event.c). */
static CUresult
event_work(Work *work, WorkKind kind, CUevent handle)
{
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_handle_ref(event);
    *work = (Work){.kind = kind, .record = {.event = event}};
    return 0;
}

/* Work that refers to functions and events takes references; on failure it has none. Used for new
 * nodes, for changed ones and for executable graphs. */
CUresult
emu_node_work(Work *work, const CUgraphNodeParams *p)
{
    *work = (Work){.kind = WORK_EMPTY};
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return kernel_work(work, &p->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        work->kind = WORK_COPY;
        /* The context that the parameters name has no meaning: addresses say where memory is. */
        return emu_copy_work(&work->copy, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return fill_work(work, &p->memset);
    case CU_GRAPH_NODE_TYPE_HOST:
        work->kind = WORK_HOST;
        work->host.run = p->host.fn;
        work->host.data = p->host.userData;
        return p->host.fn != NULL ? 0 : CUDA_ERROR_INVALID_VALUE;
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return 0;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return event_work(work, WORK_AWAIT, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return event_work(work, WORK_RECORD, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return p->memOp.flags == 0 ? emu_values_work(work, p->memOp.paramArray, p->memOp.count, 1)
                                   : CUDA_ERROR_INVALID_VALUE;
    /* External semaphores belong to graphics interfaces, which do not exist here. */
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Where a node goes: its graph and what it needs. */
typedef struct {
    Graph *graph;
    Node *const *needs;
    int count;
} Place;

/* Dependencies must belong to the graph and be named once, as cuGraphAddNode documents. */
static CUresult
find_place(Place *place, CUgraph handle, const CUgraphNode *needs, size_t count)
{
    Graph *graph = emu_handle_get(handle, KIND_GRAPH);
    if (graph == NULL || (needs == NULL && count > 0)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        const Node *need = emu_handle_get(needs[i], KIND_NODE);
        if (need == NULL || need->graph != graph) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        for (size_t k = 0; k < i; k++) {
            if (needs[k] == needs[i]) {
                return CUDA_ERROR_INVALID_VALUE;
            }
        }
    }
    /* Handles are pointers to nodes, so the array serves as it is. */
    *place = (Place){graph, (Node *const *)(const void *)needs, (int)count};
    return 0;
}

/* A child graph is copied, so later changes of the original have no effect on the node, or moved
 * into the node with all it contains. */
static CUresult
add_child(Node **out, const Place *place, const CUDA_CHILD_GRAPH_NODE_PARAMS *p)
{
    Graph *copy;
    Graph *child = emu_handle_get(p->graph, KIND_GRAPH);
    if (child == NULL || child == place->graph || p->ownership < 0 ||
        p->ownership > CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    int move = p->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    /* A graph that is inside another, or has executable graphs with memory, cannot be given away.
     */
    if (move && (child->borrowed || child->instances > 0)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Work work = {.kind = WORK_EMPTY};
    if (move) {
        copy = child;
    }
    else {
        EMU_TRY(emu_graph_clone(&copy, child));
    }
    CUresult result = emu_graph_add(out, place->graph, CU_GRAPH_NODE_TYPE_GRAPH, &work,
                                    place->needs, place->count);
    /* A moved graph stays the caller's when adding fails. */
    if (result != 0) {
        if (!move) {
            emu_graph_end(copy);
        }
        return result;
    }
    /* The node owns it from here on, and the program may change it but not destroy it. */
    emu_graph_lend(copy);
    (*out)->child = copy;
    /* Memory inside of a child forbids what memory in the graph itself does. */
    place->graph->memory_nodes += copy->memory_nodes;
    return 0;
}

/* The bodies are empty graphs, which the program fills by their handles. */
static CUresult
add_condition(Node **out, const Place *place, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    /* IF has one body or two, the second for a value of zero; WHILE has one; SWITCH any number
     * (CUDA programming guide, conditional graph nodes). */
    unsigned most = p->type == CU_GRAPH_COND_TYPE_IF      ? 2
                    : p->type == CU_GRAPH_COND_TYPE_WHILE ? 1
                                                          : INT32_MAX;
    Work work = {.kind = WORK_CONDITION, .condition = {.cell = p->handle, .type = p->type}};
    /* The condition must have been made for this graph or one around it. */
    if (p->type < CU_GRAPH_COND_TYPE_IF || p->type > CU_GRAPH_COND_TYPE_SWITCH || p->size == 0 ||
        p->size > most ||
        !emu_graph_condition_find(place->graph, p->handle, &work.condition.assign,
                                  &work.condition.value)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Graph **bodies = calloc(p->size, sizeof *bodies);
    if (bodies == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = emu_graph_add(out, place->graph, CU_GRAPH_NODE_TYPE_CONDITIONAL, &work,
                                    place->needs, place->count);
    if (result != 0) {
        free(bodies);
        return result;
    }
    Node *node = *out;
    node->bodies = bodies;
    for (; node->bodies_count < (int)p->size; node->bodies_count++) {
        /* Counted up one by one, so that removing the node frees the bodies that exist. */
        Graph *body = emu_graph_new();
        if (body == NULL) {
            emu_graph_remove(node);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        emu_graph_lend(body);
        /* Conditions are looked up through the parents. */
        body->parent = place->graph;
        bodies[node->bodies_count] = body;
    }
    /* The array is the node's own; its lifetime is the node's, as CUDA documents. */
    p->phGraph_out = (CUgraph *)(void *)bodies;
    return 0;
}

/* All entries that add a node end here. `p` is not const, as two kinds of node return something in
 * it. */
static CUresult
add(CUgraphNode *out, CUgraph handle, const CUgraphNode *needs, size_t count, CUgraphNodeParams *p)
{
    Place place;
    Work work;
    Node *node = NULL;
    if (out == NULL || p == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(find_place(&place, handle, needs, count));
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_GRAPH:
        EMU_TRY(add_child(&node, &place, &p->graph));
        break;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        EMU_TRY(emu_node_allocate(&node, place.graph, &p->alloc, place.needs, place.count));
        break;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        EMU_TRY(emu_node_release(&node, place.graph, p->free.dptr, place.needs, place.count));
        break;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        EMU_TRY(add_condition(&node, &place, &p->conditional));
        break;
    default:
        /* A failed check has no node to undo; emu_graph_add clears the work when it fails. */
        EMU_TRY(emu_node_work(&work, p));
        EMU_TRY(emu_graph_add(&node, place.graph, p->type, &work, place.needs, place.count));
    }
    *out = (CUgraphNode)node;
    return 0;
}

CUresult
cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs,
                  const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params)
{
    EMU_TRY_ENTER(cuGraphAddNode_v2);
    EMU_TRY(emu_edges_check(edges, count));
    /* Reserved fields must be zero, which lets later versions give them a meaning. */
    for (int i = 0; params != NULL && i < 3; i++) {
        if (params->reserved0[i] != 0) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return add(out, graph, needs, count, params);
}

CUresult
cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
               CUgraphNodeParams *params)
{
    EMU_TRY_ENTER(cuGraphAddNode);
    return add(out, graph, needs, count, params);
}

/* The one type of node that keeps more than one member: what older structs leave out stays zero.
 * The old struct is a prefix of the new one. */
static CUgraphNodeParams
from_old_kernel(const CUDA_KERNEL_NODE_PARAMS_v1 *old)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    memcpy(&p.kernel, old, sizeof *old);
    return p;
}

/* The context is the first call's parameter and a member of the newer struct. */
static CUgraphNodeParams
from_fill(const CUDA_MEMSET_NODE_PARAMS *old, CUcontext context)
{
    CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
    memcpy(&p.memset, old, sizeof *old);
    p.memset.ctx = context;
    return p;
}

/* PARAMS makes a CUgraphNodeParams in place, of a type and one member. */
#define PARAMS(node_type, member, value)                                                           \
    (&(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_##node_type, .member = (value)})
#define EMU_TRY_NOT_NULL(pointer)                                                                  \
    if ((pointer) == NULL) {                                                                       \
        return CUDA_ERROR_INVALID_VALUE;                                                           \
    }

/* The typed entries only translate their parameters. The node types and their rules are in add().
 */
CUresult
cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphAddKernelNode_v2);
    EMU_TRY_NOT_NULL(params);
    return add(out, graph, needs, count, PARAMS(KERNEL, kernel, *params));
}

/* The struct of CUDA 11 lacks the kernel handle and the context. */
CUresult
cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                     const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    EMU_TRY_ENTER(cuGraphAddKernelNode);
    EMU_TRY_NOT_NULL(params);
    CUgraphNodeParams now = from_old_kernel(params);
    return add(out, graph, needs, count, &now);
}

CUresult
cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                     const CUDA_MEMCPY3D *params, CUcontext context)
{
    EMU_TRY_ENTER(cuGraphAddMemcpyNode);
    EMU_TRY_NOT_NULL(params);
    return add(out, graph, needs, count,
               PARAMS(MEMCPY, memcpy, ((CUDA_MEMCPY_NODE_PARAMS){0, 0, context, *params})));
}

CUresult
cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                     const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    EMU_TRY_ENTER(cuGraphAddMemsetNode);
    EMU_TRY_NOT_NULL(params);
    CUgraphNodeParams now = from_fill(params, context);
    return add(out, graph, needs, count, &now);
}

CUresult
cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                   const CUDA_HOST_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphAddHostNode);
    EMU_TRY_NOT_NULL(params);
    return add(out, graph, needs, count, PARAMS(HOST, host, *params));
}

CUresult
cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count)
{
    EMU_TRY_ENTER(cuGraphAddEmptyNode);
    return add(out, graph, needs, count, &(CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EMPTY});
}

CUresult
cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                         CUgraph child)
{
    EMU_TRY_ENTER(cuGraphAddChildGraphNode);
    return add(out, graph, needs, count,
               PARAMS(GRAPH, graph, ((CUDA_CHILD_GRAPH_NODE_PARAMS){child, 0})));
}

CUresult
cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                          CUevent event)
{
    EMU_TRY_ENTER(cuGraphAddEventRecordNode);
    return add(out, graph, needs, count, PARAMS(EVENT_RECORD, eventRecord.event, event));
}

CUresult
cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                        CUevent event)
{
    EMU_TRY_ENTER(cuGraphAddEventWaitNode);
    return add(out, graph, needs, count, PARAMS(WAIT_EVENT, eventWait.event, event));
}

CUresult
cuGraphAddBatchMemOpNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                         const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphAddBatchMemOpNode);
    EMU_TRY_NOT_NULL(params);
    return add(out, graph, needs, count, PARAMS(BATCH_MEM_OP, memOp, *params));
}

CUresult
cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                       CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphAddMemAllocNode);
    EMU_TRY_NOT_NULL(params);
    /* Copied back by hand, since the address is returned in the caller's struct. */
    CUgraphNodeParams now = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = *params};
    EMU_TRY(add(out, graph, needs, count, &now));
    params->dptr = now.alloc.dptr;
    return 0;
}

CUresult
cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                      CUdeviceptr address)
{
    EMU_TRY_ENTER(cuGraphAddMemFreeNode);
    return add(out, graph, needs, count, PARAMS(MEM_FREE, free.dptr, address));
}

/* ---- changing -------------------------------------------------------------------------------- */

/* The type cannot change, and types that are not work by themselves, child graphs and memory, are
 * refused by emu_node_work. */
static CUresult
set(CUgraphNode handle, const CUgraphNodeParams *p)
{
    Work work;
    Node *node = emu_handle_get(handle, KIND_NODE);
    if (node == NULL || p == NULL || node->type != p->type) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_node_work(&work, p));
    /* Cooperation and clusters are attributes, which changing the parameters keeps. */
    if (work.kind == WORK_KERNEL) {
        work.kernel.cooperative = node->work.kernel.cooperative;
        memcpy(work.kernel.cluster, node->work.kernel.cluster, sizeof work.kernel.cluster);
    }
    emu_work_clear(&node->work);
    /* The pointers lead into the old work's parameters. */
    free(node->param_pointers);
    node->param_pointers = NULL;
    node->work = work;
    return 0;
}

CUresult
cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    EMU_TRY_ENTER(cuGraphNodeSetParams);
    return set(node, params);
}

CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphKernelNodeSetParams_v2);
    EMU_TRY_NOT_NULL(params);
    return set(node, PARAMS(KERNEL, kernel, *params));
}

CUresult
cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    EMU_TRY_ENTER(cuGraphKernelNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    CUgraphNodeParams now = from_old_kernel(params);
    return set(node, &now);
}

/* The context is missing in this form and would not matter. */
CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    EMU_TRY_ENTER(cuGraphMemcpyNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    return set(node, PARAMS(MEMCPY, memcpy, ((CUDA_MEMCPY_NODE_PARAMS){0, 0, NULL, *params})));
}

CUresult
cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphMemsetNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    CUgraphNodeParams now = from_fill(params, NULL);
    return set(node, &now);
}

CUresult
cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphHostNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    return set(node, PARAMS(HOST, host, *params));
}

CUresult
cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    EMU_TRY_ENTER(cuGraphEventRecordNodeSetEvent);
    return set(node, PARAMS(EVENT_RECORD, eventRecord.event, event));
}

CUresult
cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    EMU_TRY_ENTER(cuGraphEventWaitNodeSetEvent);
    return set(node, PARAMS(WAIT_EVENT, eventWait.event, event));
}

CUresult
cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphBatchMemOpNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    return set(node, PARAMS(BATCH_MEM_OP, memOp, *params));
}

/* The same for executable graphs. The node is named by the handle of the graph's node, of which the
 * executable graph holds a copy. The graph itself is not changed. */

/* NULL is tested here once for all forms. */
static CUresult
exec_set(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *p)
{
    return p != NULL ? emu_exec_set(exec, node, p) : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
    EMU_TRY_ENTER(cuGraphExecNodeSetParams);
    return exec_set(exec, node, params);
}

CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphExecKernelNodeSetParams_v2);
    EMU_TRY_NOT_NULL(params);
    return exec_set(exec, node, PARAMS(KERNEL, kernel, *params));
}

CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    EMU_TRY_ENTER(cuGraphExecKernelNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    CUgraphNodeParams now = from_old_kernel(params);
    return exec_set(exec, node, &now);
}

CUresult
cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                               CUcontext context)
{
    EMU_TRY_ENTER(cuGraphExecMemcpyNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    return exec_set(exec, node,
                    PARAMS(MEMCPY, memcpy, ((CUDA_MEMCPY_NODE_PARAMS){0, 0, context, *params})));
}

CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    EMU_TRY_ENTER(cuGraphExecMemsetNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    CUgraphNodeParams now = from_fill(params, context);
    return exec_set(exec, node, &now);
}

CUresult
cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                             const CUDA_HOST_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphExecHostNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    return exec_set(exec, node, PARAMS(HOST, host, *params));
}

CUresult
cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    EMU_TRY_ENTER(cuGraphExecEventRecordNodeSetEvent);
    return exec_set(exec, node, PARAMS(EVENT_RECORD, eventRecord.event, event));
}

CUresult
cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    EMU_TRY_ENTER(cuGraphExecEventWaitNodeSetEvent);
    return exec_set(exec, node, PARAMS(WAIT_EVENT, eventWait.event, event));
}

CUresult
cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphExecBatchMemOpNodeSetParams);
    EMU_TRY_NOT_NULL(params);
    return exec_set(exec, node, PARAMS(BATCH_MEM_OP, memOp, *params));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Pointers into the node's copy of the arguments, valid until the node changes. */
static CUresult
read_kernel(Node *node, CUDA_KERNEL_NODE_PARAMS *p)
{
    if (p == NULL || node->work.kind != WORK_KERNEL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const KernelWork *k = &node->work.kernel;
    size_t count = k->function->info.params_count;
    /* Made at the first question and kept by the node, as the caller gets pointers that must stay
     * valid. */
    if (node->param_pointers == NULL) {
        node->param_pointers = calloc(count + 1, sizeof(void *));
        if (node->param_pointers == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        for (size_t i = 0; i < count; i++) {
            /* Offsets are those of the packed parameter buffer. */
            node->param_pointers[i] = (char *)k->params + k->function->params[i].offset;
        }
    }
    *p = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)k->function,
                                   .gridDimX = k->grid[0],
                                   .gridDimY = k->grid[1],
                                   .gridDimZ = k->grid[2],
                                   .blockDimX = k->block[0],
                                   .blockDimY = k->block[1],
                                   .blockDimZ = k->block[2],
                                   .sharedMemBytes = (unsigned)k->shared_bytes,
                                   .kernelParams = node->param_pointers};
    return 0;
}

CUresult
cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *p)
{
    EMU_TRY_ENTER_NODE(cuGraphKernelNodeGetParams_v2, handle, node);
    return read_kernel(node, p);
}

CUresult
cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    CUDA_KERNEL_NODE_PARAMS now;
    EMU_TRY_ENTER_NODE(cuGraphKernelNodeGetParams, handle, node);
    EMU_TRY_NOT_NULL(p);
    EMU_TRY(read_kernel(node, &now));
    memcpy(p, &now, sizeof *p);
    return 0;
}

/* The unified memory type describes each side, since the addresses tell what they are. Arrays were
 * resolved when the node was made. */
CUresult
cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D *p)
{
    EMU_TRY_ENTER_NODE(cuGraphMemcpyNodeGetParams, handle, node);
    if (p == NULL || node->work.kind != WORK_COPY) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const CopyWork *c = &node->work.copy;
    *p = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = c->from,
                         .srcPitch = c->from_pitch,
                         .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .dstDevice = c->to,
                         .dstPitch = c->to_pitch,
                         .WidthInBytes = c->width,
                         .Height = c->height,
                         .Depth = c->depth};
    /* Heights follow from the slice, which is pitch times height. */
    p->srcHeight = c->from_pitch > 0 ? c->from_slice / c->from_pitch : 0;
    p->dstHeight = c->to_pitch > 0 ? c->to_slice / c->to_pitch : 0;
    return 0;
}

CUresult
cuGraphMemsetNodeGetParams(CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS *p)
{
    EMU_TRY_ENTER_NODE(cuGraphMemsetNodeGetParams, handle, node);
    if (p == NULL || node->work.kind != WORK_FILL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const FillWork *f = &node->work.fill;
    *p =
        (CUDA_MEMSET_NODE_PARAMS){f->to, f->pitch, f->value, f->element_bytes, f->width, f->height};
    return 0;
}

/* The function and its data as they were given. */
CUresult
cuGraphHostNodeGetParams(CUgraphNode handle, CUDA_HOST_NODE_PARAMS *p)
{
    EMU_TRY_ENTER_NODE(cuGraphHostNodeGetParams, handle, node);
    if (p == NULL || node->work.kind != WORK_HOST) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *p = (CUDA_HOST_NODE_PARAMS){node->work.host.run, node->work.host.data};
    return 0;
}

/* The child is the node's: the caller may look at it and change its parameters. */
CUresult
cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph *out)
{
    EMU_TRY_ENTER_NODE(cuGraphChildGraphNodeGetGraph, handle, node);
    if (out == NULL || node->child == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUgraph)node->child;
    return 0;
}

/* The event is borrowed from the node. */
static CUresult
read_event(const Node *node, WorkKind kind, CUevent *out)
{
    if (out == NULL || node->work.kind != kind) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (CUevent)node->work.record.event;
    return 0;
}

CUresult
cuGraphEventRecordNodeGetEvent(CUgraphNode handle, CUevent *out)
{
    EMU_TRY_ENTER_NODE(cuGraphEventRecordNodeGetEvent, handle, node);
    return read_event(node, WORK_RECORD, out);
}

CUresult
cuGraphEventWaitNodeGetEvent(CUgraphNode handle, CUevent *out)
{
    EMU_TRY_ENTER_NODE(cuGraphEventWaitNodeGetEvent, handle, node);
    return read_event(node, WORK_AWAIT, out);
}

/* The list is the node's own copy, valid until the node changes. */
CUresult
cuGraphBatchMemOpNodeGetParams(CUgraphNode handle, CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    EMU_TRY_ENTER_NODE(cuGraphBatchMemOpNodeGetParams, handle, node);
    if (p == NULL || node->work.kind != WORK_VALUES) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *p = (CUDA_BATCH_MEM_OP_NODE_PARAMS){.count = node->work.values.count,
                                         .paramArray = node->work.values.list};
    return 0;
}

/* The type as the node was added, from which its work follows. */
CUresult
cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type)
{
    EMU_TRY_ENTER_NODE(cuGraphNodeGetType, handle, node);
    EMU_TRY_NOT_NULL(type);
    *type = node->type;
    return 0;
}

/* ---- attributes of kernel nodes -------------------------------------------------------------- */

enum { ATTRIBUTES = CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING + 1 };

/* Attributes are kept in an array by number, made at the first use. Those that mean something here
 * are carried over into the work. */
static CUresult
kernel_attributes(Node *node, CUkernelNodeAttrID id)
{
    static const unsigned char known[ATTRIBUTES] = {
        [CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW] = 1,
        [CU_LAUNCH_ATTRIBUTE_COOPERATIVE] = 1,
        [CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION] = 1,
        [CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] = 1,
        [CU_LAUNCH_ATTRIBUTE_PRIORITY] = 1,
        [CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP] = 1,
        [CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN] = 1,
        [CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = 1,
    };
    if (node == NULL || node->type != CU_GRAPH_NODE_TYPE_KERNEL || id < 0 || id >= ATTRIBUTES ||
        !known[id]) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (node->attributes == NULL) {
        node->attributes = calloc(ATTRIBUTES, sizeof *node->attributes);
    }
    return node->attributes != NULL ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult
cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                              CUkernelNodeAttrValue *value)
{
    EMU_TRY_ENTER_NODE(cuGraphKernelNodeGetAttribute, handle, node);
    EMU_TRY(kernel_attributes(node, id));
    EMU_TRY_NOT_NULL(value);
    *value = node->attributes[id];
    return 0;
}

CUresult
cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID id,
                              const CUkernelNodeAttrValue *value)
{
    EMU_TRY_ENTER_NODE(cuGraphKernelNodeSetAttribute, handle, node);
    EMU_TRY(kernel_attributes(node, id));
    EMU_TRY_NOT_NULL(value);
    node->attributes[id] = *value;
    /* Each setting copies both attributes with an effect, whichever was set. */
    node->work.kernel.cooperative =
        node->attributes[CU_LAUNCH_ATTRIBUTE_COOPERATIVE].cooperative != 0;
    const CUkernelNodeAttrValue *cluster = &node->attributes[CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION];
    node->work.kernel.cluster[0] = cluster->clusterDim.x;
    node->work.kernel.cluster[1] = cluster->clusterDim.y;
    node->work.kernel.cluster[2] = cluster->clusterDim.z;
    return 0;
}

/* Both nodes must be kernels. The array is copied whole, so attributes that were never set become
 * zeros. */
CUresult
cuGraphKernelNodeCopyAttributes(CUgraphNode to_handle, CUgraphNode from_handle)
{
    EMU_TRY_ENTER_NODE(cuGraphKernelNodeCopyAttributes, to_handle, to);
    Node *from = emu_handle_get(from_handle, KIND_NODE);
    EMU_TRY(kernel_attributes(from, CU_LAUNCH_ATTRIBUTE_PRIORITY));
    EMU_TRY(kernel_attributes(to, CU_LAUNCH_ATTRIBUTE_PRIORITY));
    memmove(to->attributes, from->attributes, ATTRIBUTES * sizeof *to->attributes);
    to->work.kernel.cooperative = from->work.kernel.cooperative;
    memcpy(to->work.kernel.cluster, from->work.kernel.cluster, sizeof to->work.kernel.cluster);
    return 0;
}

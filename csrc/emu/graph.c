/* Graphs as data: nodes, their parameters and dependencies, clones, user objects. */
#include "emu/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(Node) <= 512, "handle.c: a node must fit its slot");

/* ---- user objects: destructors that run when the last graph is gone ------------------------- */

static void
user_release(UserObject *user, int count)
{
    if (atomic_fetch_sub(&user->holds, count) == count) {
        user->destroy(user->object);
        emu_handle_close(user);
    }
}

UserHold *
emu_users_copy(const UserHold *users)
{
    UserHold *copies = NULL;
    for (; users != NULL; users = users->next) {
        UserHold *copy = malloc(sizeof *copy);
        if (copy != NULL) {
            *copy = (UserHold){copies, users->user, users->count};
            atomic_fetch_add(&users->user->holds, users->count);
            copies = copy;
        }
    }
    return copies;
}

void
emu_users_drop(UserHold *users)
{
    while (users != NULL) {
        UserHold *next = users->next;
        user_release(users->user, users->count);
        free(users);
        users = next;
    }
}

CUresult
cuUserObjectCreate(CUuserObject *out, void *object, CUhostFn destroy, unsigned int count,
                   unsigned int flags)
{
    EMU_TRY_ENTER(cuUserObjectCreate);
    if (out == NULL || destroy == NULL || count == 0 || count > INT32_MAX || flags != 1) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    UserObject *user = emu_handle_new(KIND_USER_OBJECT, sizeof *user, NULL);
    if (user == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    atomic_store(&user->holds, (int)count);
    user->object = object;
    user->destroy = destroy;
    *out = (CUuserObject)user;
    return 0;
}

static CUresult
get_user(CUuserObject handle, unsigned count, UserObject **out)
{
    *out = emu_handle_get(handle, KIND_USER_OBJECT);
    return *out != NULL && count > 0 && count <= INT32_MAX ? 0 : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuUserObjectRetain(CUuserObject handle, unsigned int count)
{
    UserObject *user;
    EMU_TRY_ENTER(cuUserObjectRetain);
    EMU_TRY(get_user(handle, count, &user));
    atomic_fetch_add(&user->holds, (int)count);
    return 0;
}

CUresult
cuUserObjectRelease(CUuserObject handle, unsigned int count)
{
    UserObject *user;
    EMU_TRY_ENTER(cuUserObjectRelease);
    EMU_TRY(get_user(handle, count, &user));
    user_release(user, (int)count);
    return 0;
}

CUresult
cuGraphRetainUserObject(CUgraph graph_handle, CUuserObject handle, unsigned int count,
                        unsigned int flags)
{
    enum { MOVE = 1 };
    UserObject *user;
    EMU_TRY_ENTER(cuGraphRetainUserObject);
    EMU_TRY(get_user(handle, count, &user));
    Graph *graph = emu_handle_get(graph_handle, KIND_GRAPH);
    if (graph == NULL || (flags & ~(unsigned)MOVE) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    UserHold *hold = malloc(sizeof *hold);
    if (hold == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *hold = (UserHold){graph->users, user, (int)count};
    graph->users = hold;
    if (!(flags & MOVE)) {
        atomic_fetch_add(&user->holds, (int)count);
    }
    return 0;
}

CUresult
cuGraphReleaseUserObject(CUgraph graph_handle, CUuserObject handle, unsigned int count)
{
    UserObject *user;
    EMU_TRY_ENTER(cuGraphReleaseUserObject);
    EMU_TRY(get_user(handle, count, &user));
    Graph *graph = emu_handle_get(graph_handle, KIND_GRAPH);
    for (UserHold **at = graph != NULL ? &graph->users : NULL; at != NULL && *at != NULL;
         at = &(*at)->next) {
        UserHold *hold = *at;
        if (hold->user == user && hold->count >= (int)count) {
            hold->count -= (int)count;
            if (hold->count == 0) {
                *at = hold->next;
                free(hold);
            }
            user_release(user, (int)count);
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static void
node_destroy(void *object)
{
    Node *node = object;
    emu_work_clear(&node->work);
    free(node->needs);
    free(node->param_pointers);
    if (node->child != NULL) {
        emu_graph_end(node->child);
    }
}

CUresult
emu_node_need(Node *node, Node *need)
{
    for (int i = 0; i < node->needs_count; i++) {
        if (node->needs[i] == need) {
            return 0;
        }
    }
    Node **grown = realloc(node->needs, (size_t)(node->needs_count + 1) * sizeof(Node *));
    if (grown == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    node->needs = grown;
    node->needs[node->needs_count++] = need;
    return 0;
}

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
            emu_handle_close(node);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
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

void
emu_graph_end(Graph *graph)
{
    for (Node *node = graph->first, *next; node != NULL; node = next) {
        next = node->next;
        emu_handle_close(node);
    }
    emu_users_drop(graph->users);
    emu_handle_close(graph);
}

Node **
emu_graph_order(Graph *graph)
{
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
    if (order != NULL && placed < graph->count) {
        free(order);
        return NULL;
    }
    return order;
}

/* ---- making graphs -------------------------------------------------------------------------- */

#define EMU_TRY_ENTER_GRAPH(name, handle, graph)                                                   \
    EMU_TRY_ENTER(name);                                                                           \
    Graph *graph = emu_handle_get(handle, KIND_GRAPH);                                             \
    if (graph == NULL) {                                                                           \
        return CUDA_ERROR_INVALID_VALUE;                                                           \
    }
#define EMU_TRY_ENTER_NODE(name, handle, node)                                                     \
    EMU_TRY_ENTER(name);                                                                           \
    Node *node = emu_handle_get(handle, KIND_NODE);                                                \
    if (node == NULL) {                                                                            \
        return CUDA_ERROR_INVALID_VALUE;                                                           \
    }

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
    if (graph->borrowed) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    emu_graph_end(graph);
    return 0;
}

static CUresult
clone_graph(Graph **out, Graph *graph)
{
    Node **order = emu_graph_order(graph);
    Graph *copy = emu_graph_new();
    CUresult result = order != NULL && copy != NULL ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
    Node **made = calloc((size_t)graph->count + 1, sizeof *made);
    for (int i = 0; result == 0 && i < graph->count; i++) {
        Work work;
        Node *node = NULL;
        result = made != NULL ? emu_work_copy(&work, &order[i]->work) : CUDA_ERROR_OUT_OF_MEMORY;
        if (result == 0) {
            result = emu_graph_add(&node, copy, order[i]->type, &work, NULL, 0);
        }
        for (int k = 0; result == 0 && k < order[i]->needs_count; k++) {
            result = emu_node_need(node, made[order[i]->needs[k]->index]);
        }
        if (result == 0 && order[i]->child != NULL) {
            result = clone_graph(&node->child, order[i]->child);
            if (result == 0) {
                node->child->borrowed = 1;
                emu_handle_hide(node->child);
            }
        }
        if (result == 0) {
            node->origin = order[i];
            made[i] = node;
        }
    }
    free(order);
    free(made);
    if (result != 0) {
        if (copy != NULL) {
            emu_graph_end(copy);
        }
        return result;
    }
    copy->users = emu_users_copy(graph->users);
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
    EMU_TRY(clone_graph(&copy, graph));
    *out = (CUgraph)copy;
    return 0;
}

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

/* ---- adding nodes --------------------------------------------------------------------------- */

static CUresult
add(CUgraphNode *out, CUgraph handle, const CUgraphNode *needs, size_t count, CUgraphNodeType type,
    Work *work)
{
    Node *node;
    Graph *graph = emu_handle_get(handle, KIND_GRAPH);
    int bad = out == NULL || graph == NULL || (needs == NULL && count > 0);
    for (size_t i = 0; !bad && i < count; i++) {
        const Node *need = emu_handle_get(needs[i], KIND_NODE);
        bad = need == NULL || need->graph != graph;
    }
    if (bad) {
        emu_work_clear(work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_graph_add(&node, graph, type, work, (Node *const *)needs, (int)count));
    *out = (CUgraphNode)node;
    return 0;
}

CUresult
emu_node_kernel(Work *work, const CUDA_KERNEL_NODE_PARAMS *p)
{
    Function *function;
    if (p == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUfunction handle = p->func != NULL ? p->func : (CUfunction)p->kern;
    EMU_TRY(emu_function_get(handle, &function));
    CUlaunchConfig config = {
        p->gridDimX,  p->gridDimY,       p->gridDimZ, p->blockDimX, p->blockDimY,
        p->blockDimZ, p->sharedMemBytes, NULL,        NULL,         0};
    *work = (Work){.kind = WORK_KERNEL};
    return emu_kernel_work(&work->kernel, function, &config, p->kernelParams, p->extra);
}

CUresult
cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    Work work;
    EMU_TRY_ENTER(cuGraphAddKernelNode_v2);
    EMU_TRY(emu_node_kernel(&work, params));
    return add(out, graph, needs, count, CU_GRAPH_NODE_TYPE_KERNEL, &work);
}

CUresult
cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                     const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    Work work;
    CUDA_KERNEL_NODE_PARAMS now = {0};
    EMU_TRY_ENTER(cuGraphAddKernelNode);
    if (params == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(&now, params, sizeof *params);
    EMU_TRY(emu_node_kernel(&work, &now));
    return add(out, graph, needs, count, CU_GRAPH_NODE_TYPE_KERNEL, &work);
}

CUresult
cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                     const CUDA_MEMCPY3D *params, CUcontext context)
{
    (void)context;
    EMU_TRY_ENTER(cuGraphAddMemcpyNode);
    Work work = {.kind = WORK_COPY};
    if (params == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_copy_work(&work.copy, params));
    return add(out, graph, needs, count, CU_GRAPH_NODE_TYPE_MEMCPY, &work);
}

CUresult
emu_node_fill(Work *work, const CUDA_MEMSET_NODE_PARAMS *p)
{
    if (p == NULL || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
        p->width == 0 || p->height == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *work = (Work){.kind = WORK_FILL,
                   .fill = {p->dst, p->height > 1 ? p->pitch : 0, p->width, p->height, p->value,
                            p->elementSize}};
    return emu_fill_check(&work->fill);
}

CUresult
cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                     const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    Work work;
    (void)context;
    EMU_TRY_ENTER(cuGraphAddMemsetNode);
    EMU_TRY(emu_node_fill(&work, params));
    return add(out, graph, needs, count, CU_GRAPH_NODE_TYPE_MEMSET, &work);
}

CUresult
cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                   const CUDA_HOST_NODE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphAddHostNode);
    if (params == NULL || params->fn == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Work work = {.kind = WORK_HOST, .host = {.run = params->fn, .data = params->userData}};
    return add(out, graph, needs, count, CU_GRAPH_NODE_TYPE_HOST, &work);
}

CUresult
cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count)
{
    EMU_TRY_ENTER(cuGraphAddEmptyNode);
    Work work = {.kind = WORK_EMPTY};
    return add(out, graph, needs, count, CU_GRAPH_NODE_TYPE_EMPTY, &work);
}

CUresult
cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                         CUgraph child_handle)
{
    Graph *copy;
    EMU_TRY_ENTER(cuGraphAddChildGraphNode);
    Graph *child = emu_handle_get(child_handle, KIND_GRAPH);
    if (child == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Work work = {.kind = WORK_EMPTY};
    EMU_TRY(clone_graph(&copy, child));
    CUresult result = add(out, graph, needs, count, CU_GRAPH_NODE_TYPE_GRAPH, &work);
    if (result != 0) {
        emu_graph_end(copy);
        return result;
    }
    copy->borrowed = 1;
    emu_handle_hide(copy);
    ((Node *)*out)->child = copy;
    return 0;
}

static CUresult
add_event(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count, CUevent handle,
          WorkKind kind)
{
    Event *event = emu_handle_get(handle, KIND_EVENT);
    if (event == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Work work = {.kind = kind, .record = {.event = event}};
    emu_handle_ref(event);
    return add(out, graph, needs, count,
               kind == WORK_RECORD ? CU_GRAPH_NODE_TYPE_EVENT_RECORD
                                   : CU_GRAPH_NODE_TYPE_WAIT_EVENT,
               &work);
}

CUresult
cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                          CUevent event)
{
    EMU_TRY_ENTER(cuGraphAddEventRecordNode);
    return add_event(out, graph, needs, count, event, WORK_RECORD);
}

CUresult
cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *needs, size_t count,
                        CUevent event)
{
    EMU_TRY_ENTER(cuGraphAddEventWaitNode);
    return add_event(out, graph, needs, count, event, WORK_AWAIT);
}

/* ---- reading and changing nodes ------------------------------------------------------------- */

static CUresult
replace(Node *node, Work *work)
{
    emu_work_clear(&node->work);
    free(node->param_pointers);
    node->param_pointers = NULL;
    node->work = *work;
    return 0;
}

CUresult
cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *p)
{
    EMU_TRY_ENTER_NODE(cuGraphKernelNodeGetParams_v2, handle, node);
    if (p == NULL || node->work.kind != WORK_KERNEL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const KernelWork *k = &node->work.kernel;
    size_t count = k->function->info.params_count;
    if (node->param_pointers == NULL) {
        node->param_pointers = calloc(count + 1, sizeof(void *));
        if (node->param_pointers == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        for (size_t i = 0; i < count; i++) {
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
cuGraphKernelNodeSetParams_v2(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS *params)
{
    Work work;
    EMU_TRY_ENTER_NODE(cuGraphKernelNodeSetParams_v2, handle, node);
    if (node->type != CU_GRAPH_NODE_TYPE_KERNEL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_node_kernel(&work, params));
    return replace(node, &work);
}

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
    p->srcHeight = c->from_pitch > 0 ? c->from_slice / c->from_pitch : 0;
    p->dstHeight = c->to_pitch > 0 ? c->to_slice / c->to_pitch : 0;
    return 0;
}

CUresult
cuGraphMemcpyNodeSetParams(CUgraphNode handle, const CUDA_MEMCPY3D *params)
{
    EMU_TRY_ENTER_NODE(cuGraphMemcpyNodeSetParams, handle, node);
    Work work = {.kind = WORK_COPY};
    if (params == NULL || node->type != CU_GRAPH_NODE_TYPE_MEMCPY) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_copy_work(&work.copy, params));
    return replace(node, &work);
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

CUresult
cuGraphMemsetNodeSetParams(CUgraphNode handle, const CUDA_MEMSET_NODE_PARAMS *params)
{
    Work work;
    EMU_TRY_ENTER_NODE(cuGraphMemsetNodeSetParams, handle, node);
    if (node->type != CU_GRAPH_NODE_TYPE_MEMSET) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_node_fill(&work, params));
    return replace(node, &work);
}

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

CUresult
cuGraphHostNodeSetParams(CUgraphNode handle, const CUDA_HOST_NODE_PARAMS *params)
{
    EMU_TRY_ENTER_NODE(cuGraphHostNodeSetParams, handle, node);
    if (params == NULL || params->fn == NULL || node->type != CU_GRAPH_NODE_TYPE_HOST) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    node->work.host.run = params->fn;
    node->work.host.data = params->userData;
    return 0;
}

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

CUresult
cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type)
{
    EMU_TRY_ENTER_NODE(cuGraphNodeGetType, handle, node);
    if (type == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *type = node->type;
    return 0;
}

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

CUresult
cuGraphDestroyNode(CUgraphNode handle)
{
    EMU_TRY_ENTER_NODE(cuGraphDestroyNode, handle, node);
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
    return 0;
}

/* ---- structure ------------------------------------------------------------------------------ */

static CUresult
get_pair(CUgraph handle, CUgraphNode from, CUgraphNode to)
{
    const Graph *graph = emu_handle_get(handle, KIND_GRAPH);
    const Node *a = emu_handle_get(from, KIND_NODE), *b = emu_handle_get(to, KIND_NODE);
    return graph != NULL && a != NULL && b != NULL && a->graph == graph && b->graph == graph &&
                   a != b
               ? 0
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    EMU_TRY_ENTER(cuGraphAddDependencies);
    for (size_t i = 0; i < count; i++) {
        EMU_TRY(get_pair(graph, from[i], to[i]));
        EMU_TRY(emu_node_need((Node *)to[i], (Node *)from[i]));
    }
    return 0;
}

CUresult
cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                          size_t count)
{
    EMU_TRY_ENTER(cuGraphRemoveDependencies);
    for (size_t i = 0; i < count; i++) {
        EMU_TRY(get_pair(graph, from[i], to[i]));
        forget_need((Node *)to[i], (const Node *)from[i]);
    }
    return 0;
}

/* Queries give the number of answers when there is no room for them; else they fill the room, null
 * what is left over, and say how many there are. */
typedef struct {
    CUgraphNode *out;
    size_t room, count;
} NodeList;

static void
list_node(NodeList *list, Node *node)
{
    if (list->out != NULL && list->count < list->room) {
        list->out[list->count] = (CUgraphNode)node;
    }
    list->count++;
}

static CUresult
finish_list(NodeList *list, size_t *count)
{
    for (size_t i = list->count; list->out != NULL && i < list->room; i++) {
        list->out[i] = NULL;
    }
    *count = list->out != NULL && list->count > list->room ? list->room : list->count;
    return 0;
}

CUresult
cuGraphGetNodes(CUgraph handle, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER_GRAPH(cuGraphGetNodes, handle, graph);
    if (count == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    NodeList list = {nodes, *count, 0};
    for (Node *node = graph->first; node != NULL; node = node->next) {
        list_node(&list, node);
    }
    return finish_list(&list, count);
}

CUresult
cuGraphGetRootNodes(CUgraph handle, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER_GRAPH(cuGraphGetRootNodes, handle, graph);
    if (count == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    NodeList list = {nodes, *count, 0};
    for (Node *node = graph->first; node != NULL; node = node->next) {
        if (node->needs_count == 0) {
            list_node(&list, node);
        }
    }
    return finish_list(&list, count);
}

CUresult
cuGraphGetEdges(CUgraph handle, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    EMU_TRY_ENTER_GRAPH(cuGraphGetEdges, handle, graph);
    if (count == NULL || (from == NULL) != (to == NULL)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    NodeList sources = {from, *count, 0}, targets = {to, *count, 0};
    for (Node *node = graph->first; node != NULL; node = node->next) {
        for (int i = 0; i < node->needs_count; i++) {
            list_node(&sources, node->needs[i]);
            list_node(&targets, node);
        }
    }
    finish_list(&sources, count);
    return finish_list(&targets, count);
}

CUresult
cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER_NODE(cuGraphNodeGetDependencies, handle, node);
    if (count == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    NodeList list = {nodes, *count, 0};
    for (int i = 0; i < node->needs_count; i++) {
        list_node(&list, node->needs[i]);
    }
    return finish_list(&list, count);
}

CUresult
cuGraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode *nodes, size_t *count)
{
    EMU_TRY_ENTER_NODE(cuGraphNodeGetDependentNodes, handle, node);
    if (count == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    NodeList list = {nodes, *count, 0};
    for (Node *other = node->graph->first; other != NULL; other = other->next) {
        for (int i = 0; i < other->needs_count; i++) {
            if (other->needs[i] == node) {
                list_node(&list, other);
            }
        }
    }
    return finish_list(&list, count);
}

CUresult
cuGraphDebugDotPrint(CUgraph handle, const char *path, unsigned int flags)
{
    static const char *const types[] = {"kernel", "memcpy", "memset",     "host",
                                        "graph",  "empty",  "event wait", "event record"};
    (void)flags;
    EMU_TRY_ENTER_GRAPH(cuGraphDebugDotPrint, handle, graph);
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    int number = 0;
    fprintf(file, "digraph graph_%u {\n", graph->head.serial);
    for (Node *node = graph->first; node != NULL; node = node->next) {
        node->index = number++;
        const char *type = node->type < 8 ? types[node->type] : "other";
        fprintf(file, "  n%d [label=\"%d %s %s\"];\n", node->index, node->index, type,
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

/* Instantiated graphs.
 *
 * Instantiation flattens a graph and its child graphs into a Program: work in an order that
 * respects all dependencies. A launch queues a reference to the program; changing an instantiated
 * graph copies the program first when a launch may still be using it. */
#include "emu/graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Work work;
    const Node *origin; /* compared, never followed */
    CUgraphNodeType type;
    int enabled;
} Item;

struct Program {
    _Atomic int refs;
    int count, capacity;
    Item *items;
    UserHold *users;
};

typedef struct {
    EmuHandle head;
    Context *context; /* reference */
    Program *program; /* reference */
    unsigned long long flags;
} GraphExec;

/* ---- programs ------------------------------------------------------------------------------- */

void
emu_program_ref(Program *program)
{
    atomic_fetch_add(&program->refs, 1);
}

void
emu_program_unref(Program *program)
{
    if (program == NULL || atomic_fetch_sub(&program->refs, 1) != 1) {
        return;
    }
    for (int i = 0; i < program->count; i++) {
        emu_work_clear(&program->items[i].work);
    }
    emu_users_drop(program->users);
    free(program->items);
    free(program);
}

/* Appends a copy of the work. */
static CUresult
append(Program *program, const Item *item)
{
    if (program->count == program->capacity) {
        int capacity = program->capacity > 0 ? 2 * program->capacity : 16;
        Item *grown = realloc(program->items, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        program->items = grown;
        program->capacity = capacity;
    }
    Item *place = &program->items[program->count];
    *place = *item;
    EMU_TRY(emu_work_copy(&place->work, &item->work));
    program->count++;
    return 0;
}

static CUresult
flatten(Program *program, Graph *graph)
{
    Node **order = emu_graph_order(graph);
    CUresult result = order != NULL ? 0 : CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; result == 0 && i < graph->count; i++) {
        Node *node = order[i];
        result = node->child != NULL ? flatten(program, node->child)
                                     : append(program, &(Item){node->work, node, node->type, 1});
    }
    free(order);
    return result;
}

static Program *
program_new(void)
{
    Program *program = calloc(1, sizeof *program);
    if (program != NULL) {
        atomic_store(&program->refs, 1);
    }
    return program;
}

static CUresult
compile(Program **out, Graph *graph)
{
    Program *program = program_new();
    if (program == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = flatten(program, graph);
    if (result != 0) {
        emu_program_unref(program);
        return result;
    }
    program->users = emu_users_copy(graph->users);
    *out = program;
    return 0;
}

CUresult
emu_program_run(Context *context, Program *program)
{
    for (int i = 0; i < program->count; i++) {
        if (program->items[i].enabled) {
            EMU_TRY(emu_work_run(context, &program->items[i].work));
        }
    }
    return 0;
}

/* ---- instantiation -------------------------------------------------------------------------- */

static CUresult
instantiate(CUgraphExec *out, CUgraph handle, unsigned long long flags)
{
    enum { KNOWN = 1 | 2 | 8 };
    Context *context;
    Program *program;
    EMU_TRY(emu_context_current(&context));
    Graph *graph = emu_handle_get(handle, KIND_GRAPH);
    if (out == NULL || graph == NULL || (flags & ~(unsigned long long)KNOWN) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(compile(&program, graph));
    GraphExec *exec = emu_handle_new(KIND_GRAPH_EXEC, sizeof *exec, NULL);
    if (exec == NULL) {
        emu_program_unref(program);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    emu_handle_ref(context);
    exec->context = context;
    exec->program = program;
    exec->flags = flags;
    *out = (CUgraphExec)exec;
    return 0;
}

CUresult
cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
    EMU_TRY_ENTER(cuGraphInstantiateWithFlags);
    return instantiate(out, graph, flags);
}

CUresult
cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node, char *log,
                      size_t log_bytes)
{
    EMU_TRY_ENTER(cuGraphInstantiate_v2);
    if (error_node != NULL) {
        *error_node = NULL;
    }
    if (log != NULL && log_bytes > 0) {
        log[0] = '\0';
    }
    return instantiate(out, graph, 0);
}

CUresult
cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphInstantiateWithParams);
    if (params == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = instantiate(out, graph, params->flags);
    params->hErrNode_out = NULL;
    params->result_out =
        result == 0 ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return result;
}

#define EMU_TRY_ENTER_EXEC(name, handle, exec)                                                     \
    EMU_TRY_ENTER(name);                                                                           \
    GraphExec *exec = emu_handle_get(handle, KIND_GRAPH_EXEC);                                     \
    if (exec == NULL) {                                                                            \
        return CUDA_ERROR_INVALID_VALUE;                                                           \
    }

CUresult
cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags)
{
    EMU_TRY_ENTER_EXEC(cuGraphExecGetFlags, handle, exec);
    if (flags == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *flags = exec->flags;
    return 0;
}

CUresult
cuGraphExecDestroy(CUgraphExec handle)
{
    EMU_TRY_ENTER_EXEC(cuGraphExecDestroy, handle, exec);
    Program *program = exec->program;
    Context *context = exec->context;
    emu_handle_close(exec);
    emu_program_unref(program); /* launches under way hold it themselves */
    emu_handle_unref(context);
    return 0;
}

CUresult
cuGraphUpload(CUgraphExec handle, CUstream stream_handle)
{
    Stream *stream;
    EMU_TRY_ENTER_EXEC(cuGraphUpload, handle, exec);
    return emu_stream_get(exec->context, stream_handle, &stream);
}

CUresult
cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    Context *context;
    Stream *stream;
    uint64_t number;
    EMU_TRY_ENTER_EXEC(cuGraphLaunch, handle, exec);
    EMU_TRY(emu_context_current(&context));
    EMU_TRY(emu_stream_get(context, stream_handle, &stream));
    Program *program = exec->program;
    Work work = {.kind = WORK_GRAPH, .program = program};
    emu_program_ref(program);
    if (emu_stream_captures(stream)) {
        return emu_capture_add(stream, &work);
    }
    if (stream == context->legacy) {
        CUresult result = emu_capture_check_legacy(context);
        if (result != 0) {
            emu_work_clear(&work);
            return result;
        }
    }
    EMU_TRY(emu_submit_after(stream, &work, NULL, &number));
    for (int i = 0; i < program->count; i++) {
        if (program->items[i].work.kind == WORK_RECORD) {
            emu_event_set_place(program->items[i].work.record.event, stream, number);
        }
    }
    return 0;
}

/* ---- changing what was instantiated --------------------------------------------------------- */

/* Makes the program this exec's alone, so that it may be changed. */
static CUresult
own_program(GraphExec *exec)
{
    Program *shared = exec->program;
    if (atomic_load(&shared->refs) == 1) {
        return 0;
    }
    Program *copy = program_new();
    CUresult result = copy != NULL ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; result == 0 && i < shared->count; i++) {
        result = append(copy, &shared->items[i]);
    }
    if (result != 0) {
        emu_program_unref(copy);
        return result;
    }
    copy->users = emu_users_copy(shared->users);
    exec->program = copy;
    emu_program_unref(shared);
    return 0;
}

static CUresult
find_item(GraphExec *exec, CUgraphNode node, Item **out)
{
    EMU_TRY(own_program(exec));
    for (int i = 0; i < exec->program->count; i++) {
        if (exec->program->items[i].origin == (const Node *)node) {
            *out = &exec->program->items[i];
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Takes over `work`. */
static CUresult
change(GraphExec *exec, CUgraphNode node, Work *work)
{
    Item *item;
    CUresult result = find_item(exec, node, &item);
    if (result == 0 && item->work.kind != work->kind) {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    if (result != 0) {
        emu_work_clear(work);
        return result;
    }
    emu_work_clear(&item->work);
    item->work = *work;
    return 0;
}

CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec handle, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *params)
{
    Work work;
    EMU_TRY_ENTER_EXEC(cuGraphExecKernelNodeSetParams_v2, handle, exec);
    EMU_TRY(emu_node_kernel(&work, params));
    return change(exec, node, &work);
}

CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec handle, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    Work work;
    CUDA_KERNEL_NODE_PARAMS now = {0};
    EMU_TRY_ENTER_EXEC(cuGraphExecKernelNodeSetParams, handle, exec);
    if (params == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(&now, params, sizeof *params);
    EMU_TRY(emu_node_kernel(&work, &now));
    return change(exec, node, &work);
}

CUresult
cuGraphExecMemcpyNodeSetParams(CUgraphExec handle, CUgraphNode node, const CUDA_MEMCPY3D *params,
                               CUcontext context)
{
    (void)context;
    EMU_TRY_ENTER_EXEC(cuGraphExecMemcpyNodeSetParams, handle, exec);
    Work work = {.kind = WORK_COPY};
    if (params == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_copy_work(&work.copy, params));
    return change(exec, node, &work);
}

CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec handle, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    Work work;
    (void)context;
    EMU_TRY_ENTER_EXEC(cuGraphExecMemsetNodeSetParams, handle, exec);
    EMU_TRY(emu_node_fill(&work, params));
    return change(exec, node, &work);
}

CUresult
cuGraphExecHostNodeSetParams(CUgraphExec handle, CUgraphNode node,
                             const CUDA_HOST_NODE_PARAMS *params)
{
    EMU_TRY_ENTER_EXEC(cuGraphExecHostNodeSetParams, handle, exec);
    if (params == NULL || params->fn == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Work work = {.kind = WORK_HOST, .host = {.run = params->fn, .data = params->userData}};
    return change(exec, node, &work);
}

CUresult
cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node, unsigned int enabled)
{
    Item *item;
    EMU_TRY_ENTER_EXEC(cuGraphNodeSetEnabled, handle, exec);
    EMU_TRY(find_item(exec, node, &item));
    if (item->type > CU_GRAPH_NODE_TYPE_MEMSET) {
        return CUDA_ERROR_INVALID_VALUE; /* only kernels, copies and fills */
    }
    item->enabled = enabled != 0;
    return 0;
}

CUresult
cuGraphNodeGetEnabled(CUgraphExec handle, CUgraphNode node, unsigned int *enabled)
{
    EMU_TRY_ENTER_EXEC(cuGraphNodeGetEnabled, handle, exec);
    for (int i = 0; i < exec->program->count && enabled != NULL; i++) {
        if (exec->program->items[i].origin == (const Node *)node) {
            *enabled = (unsigned)exec->program->items[i].enabled;
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo *info)
{
    Program *fresh;
    EMU_TRY_ENTER_EXEC(cuGraphExecUpdate_v2, handle, exec);
    Graph *graph = emu_handle_get(graph_handle, KIND_GRAPH);
    if (graph == NULL || info == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memset(info, 0, sizeof *info);
    EMU_TRY(compile(&fresh, graph));
    Program *old = exec->program;
    if (fresh->count != old->count) {
        info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    for (int i = 0; info->result == 0 && i < fresh->count; i++) {
        if (fresh->items[i].type != old->items[i].type) {
            info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
            info->errorNode = (CUgraphNode)(uintptr_t)fresh->items[i].origin;
            info->errorFromNode = (CUgraphNode)(uintptr_t)old->items[i].origin;
        }
    }
    if (info->result != 0) {
        emu_program_unref(fresh);
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    /* Later single changes still name the nodes of the graph it was made from. */
    for (int i = 0; i < fresh->count; i++) {
        fresh->items[i].origin = old->items[i].origin;
        fresh->items[i].enabled = old->items[i].enabled;
    }
    exec->program = fresh;
    emu_program_unref(old);
    return 0;
}

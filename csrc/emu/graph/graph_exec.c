/* Instantiated graphs.
 *
 * Instantiation flattens a graph and its child graphs into a Program: work in an order that
 * respects all dependencies. A launch queues a reference to the program; changing an instantiated
 * graph copies the program first when a launch may still be using it.
 *
 * A launch is one piece of stream work, WORK_GRAPH, whose items run one after another on the thread
 * that executes the stream, without locks. That is one of the orders which the dependencies allow;
 * a graph's branches do not run at the same time here.
 *
 * An executable graph is used by one thread at a time, as CUDA demands; programs are shared with
 * streams and therefore counted atomically and immutable while shared. */
#include "emu/graph/graph.h"

#include <stdlib.h>
#include <string.h>

/* `origin` and `child` are compared with handles that the program passes and may be stale. */
typedef struct {
    Work work;
    const Node *origin; /* compared, never followed */
    CUgraphNodeType type;
    int enabled;
    const Graph *child;  /* the innermost child graph it comes from; compared, never followed */
    uint64_t needs_hash; /* of the places, in the program, of what it needs */
} Item;

/* Shared by an executable graph and its launches in flight; never changed while `refs` is above 1,
 * see own_program. */
struct Program {
    _Atomic int refs;
    int count, capacity;
    Item *items;
    UserHold *users;
};

/* The exec refers to the graph only for its memory nodes, of which one executable graph may exist
 * at a time. */
typedef struct {
    EmuHandle head;
    Context *context; /* reference */
    Program *program; /* reference */
    unsigned long long flags;
    Graph *memory_of; /* the graph with memory nodes it was made from; reference */
} GraphExec;

/* ---- programs -------------------------------------------------------------------------------- */

void
emu_program_ref(Program *program)
{
    atomic_fetch_add(&program->refs, 1);
}

/* Atomic, as launches end in the threads that run streams. The last reference may go on a stream's
 * thread, after the executable graph was destroyed. */
void
emu_program_unref(Program *program)
{
    if (program == NULL || atomic_fetch_sub(&program->refs, 1) != 1) {
        return;
    }
    for (int i = 0; i < program->count; i++) {
        /* What the program needed of a graph's memory ends with it. */
        if (program->items[i].work.kind == WORK_ALLOCATE) {
            emu_graph_memory_use(program->items[i].work.memory, -1);
        }
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
    /* The item counts only after the copy has succeeded, so a failure leaves the program as it was.
     */
    Item *place = &program->items[program->count];
    *place = *item;
    /* A copy: the graph may change or end while an executable one is launched. */
    EMU_TRY(emu_work_copy(&place->work, &item->work));
    /* Pages of the memory stay while any program needs them (graph_memory.c). */
    if (place->work.kind == WORK_ALLOCATE) {
        emu_graph_memory_use(place->work.memory, 1);
    }
    program->count++;
    return 0;
}

static CUresult compile(Program **out, Graph *graph);

/* A condition's bodies become programs of their own. The bodies belong to the item's work, which is
 * copied once more by append; clearing the original drops the first references. */
static CUresult
append_condition(Program *program, const Node *node)
{
    Item item = {.work = node->work, .origin = node, .type = node->type, .enabled = 1};
    item.work.condition.bodies = calloc((size_t)node->bodies_count, sizeof(Program *));
    if (item.work.condition.bodies == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = 0;
    for (int i = 0; result == 0 && i < node->bodies_count; i++) {
        result = compile(&item.work.condition.bodies[i], node->bodies[i]);
        /* Counts only the bodies that exist, so that clearing frees no others. */
        item.work.condition.count += result == 0;
    }
    if (result == 0) {
        result = append(program, &item);
    }
    emu_work_clear(&item.work);
    return result;
}

/* Order-free, by the places emu_graph_order gave. cuGraphExecUpdate compares structures by it.
 * Multiplication by the golden ratio spreads small numbers over the word; the shifted term keeps
 * two nodes from cancelling. */
static uint64_t
hash_needs(const Node *node)
{
    uint64_t hash = (uint64_t)node->needs_count;
    for (int i = 0; i < node->needs_count; i++) {
        uint64_t place = (uint64_t)node->needs[i]->index + 1;
        /* A sum does not depend on the order in which dependencies were added. */
        hash += (place * 0x9e3779b97f4a7c15u) ^ (place << 32);
    }
    return hash;
}

/* Nodes in a topological order, child graphs in place of their nodes: a launch runs them one after
 * another, which every set of dependencies allows. Recursive: a child graph may contain child
 * graphs. `order` gives each node its index, which hash_needs reads. */
static CUresult
flatten(Program *program, Graph *graph)
{
    Node **order = emu_graph_order(graph);
    CUresult result = order != NULL ? 0 : CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; result == 0 && i < graph->count; i++) {
        Node *node = order[i];
        int before = program->count;
        if (node->child != NULL) {
            result = flatten(program, node->child);
        }
        else if (node->bodies_count > 0) {
            result = append_condition(program, node);
        }
        else {
            result = append(
                program,
                &(Item){.work = node->work, .origin = node, .type = node->type, .enabled = 1});
        }
        /* Items from inside a child graph already carry it; the others are of this graph. */
        for (int k = before; result == 0 && k < program->count; k++) {
            if (program->items[k].child == NULL) {
                program->items[k].child = graph;
            }
        }
        /* One item stands for the dependencies of its node: the first, which for a child graph is
         * its first item. */
        if (result == 0 && program->count > before) {
            program->items[before].needs_hash = hash_needs(node);
        }
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

/* Also called for bodies of conditions, and by updates, whose result is compared before it is used.
 */
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
    /* User objects live as long as any program that may use them (CUDA programming guide, CUDA user
     * objects). */
    result = emu_users_copy(&program->users, graph->users);
    if (result != 0) {
        emu_program_unref(program);
        return result;
    }
    *out = program;
    return 0;
}

/* In the thread that runs the stream, when it comes to the launch. Called by emu_work_run on the
 * stream's thread. The first error ends the launch and becomes the context's. */
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

/* Acquire: the kernel that set the value may have run in other threads. Read before the body and
 * again after each run of it, since kernels of the body decide whether it runs again. */
static unsigned
read_cell(const Work *condition)
{
    return __atomic_load_n((const unsigned *)(uintptr_t)condition->condition.cell,
                           __ATOMIC_ACQUIRE);
}

/* Conditions with CU_GRAPH_COND_ASSIGN_DEFAULT get their value at the start of each launch; others
 * keep what the last one left. Bodies are included, as their cells begin anew too. */
void
emu_program_start(Program *program)
{
    for (int i = 0; i < program->count; i++) {
        const Work *work = &program->items[i].work;
        if (work->kind != WORK_CONDITION) {
            continue;
        }
        if (work->condition.assign) {
            __atomic_store_n((unsigned *)(uintptr_t)work->condition.cell, work->condition.value,
                             __ATOMIC_RELEASE);
        }
        for (int k = 0; k < work->condition.count; k++) {
            emu_program_start(work->condition.bodies[k]);
        }
    }
}

/* The loop ends when the stream is cancelled, or a program's endless loop would hang the process. A
 * body runs as part of its launch: its errors end the whole. SWITCH takes the value as an index,
 * and an index without a body runs none. */
CUresult
emu_condition_run(Context *context, const Work *work)
{
    unsigned value = read_cell(work), count = (unsigned)work->condition.count;
    switch (work->condition.type) {
    case CU_GRAPH_COND_TYPE_WHILE:
        for (; value != 0 && !emu_stream_is_cancelled(); value = read_cell(work)) {
            EMU_TRY(emu_program_run(context, work->condition.bodies[0]));
        }
        return 0;
    case CU_GRAPH_COND_TYPE_IF:
        value = value != 0 ? 0 : 1; /* the second graph is the other branch */
        break;
    default:
        break;
    }
    return value < count ? emu_program_run(context, work->condition.bodies[value]) : 0;
}

/* ---- instantiation --------------------------------------------------------------------------- */

/* Launching from the device is not supported, so its flag is refused. */
enum {
    FLAGS_KNOWN = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
};

/* No lock: instantiating reads the graph, which the program must not change meanwhile. */
static CUresult
instantiate(CUgraphExec *out, CUgraph handle, unsigned long long flags)
{
    Context *context;
    Program *program;
    EMU_TRY(emu_context_current(&context));
    Graph *graph = emu_handle_get(handle, KIND_GRAPH);
    if (out == NULL || graph == NULL || (flags & ~(unsigned long long)FLAGS_KNOWN) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* The addresses of allocation nodes are fixed, hence one executable graph at a time. */
    if (graph->memory_nodes > 0 && graph->instances > 0) {
        return CUDA_ERROR_NOT_SUPPORTED; /* two would use the same addresses */
    }
    EMU_TRY(compile(&program, graph));
    /* No destructor: what the exec holds is released by cuGraphExecDestroy, the only end it has. */
    GraphExec *exec = emu_handle_new(KIND_GRAPH_EXEC, sizeof *exec, NULL);
    if (exec == NULL) {
        emu_program_unref(program);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (graph->memory_nodes > 0) {
        emu_handle_ref(graph);
        exec->memory_of = graph;
        graph->instances++;
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

/* The log stays empty; failures are told by the code. */
static CUresult
instantiate_with_log(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node, char *log,
                     size_t log_bytes)
{
    if (error_node != NULL) {
        *error_node = NULL;
    }
    if (log != NULL && log_bytes > 0) {
        log[0] = '\0';
    }
    return instantiate(out, graph, 0);
}

CUresult
cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node, char *log,
                      size_t log_bytes)
{
    EMU_TRY_ENTER(cuGraphInstantiate_v2);
    return instantiate_with_log(out, graph, error_node, log, log_bytes);
}

CUresult
cuGraphInstantiate(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node, char *log,
                   size_t log_bytes)
{
    EMU_TRY_ENTER(cuGraphInstantiate);
    return instantiate_with_log(out, graph, error_node, log, log_bytes);
}

CUresult
cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    EMU_TRY_ENTER(cuGraphInstantiateWithParams);
    if (params == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* There is nothing to upload, so that one flag is met as soon as it is given. */
    cuuint64_t flags = params->flags & ~(cuuint64_t)CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    /* A cycle is the one structural error, and compile reports it as INVALID_VALUE. */
    CUresult result = instantiate(out, graph, flags);
    params->hErrNode_out = NULL;
    params->result_out =
        result == 0 ? CUDA_GRAPH_INSTANTIATE_SUCCESS
        : (flags & ~(cuuint64_t)FLAGS_KNOWN) == 0 && result == CUDA_ERROR_INVALID_VALUE
            ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
            : CUDA_GRAPH_INSTANTIATE_ERROR;
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
    /* Read before the handle is closed, after which the slot may be reused. */
    Program *program = exec->program;
    Context *context = exec->context;
    Graph *graph = exec->memory_of;
    emu_handle_close(exec);
    emu_program_unref(program); /* launches under way hold it themselves */
    emu_handle_unref(context);
    if (graph != NULL) {
        graph->instances--;
        emu_handle_unref(graph);
    }
    return 0;
}

/* ---- launching ------------------------------------------------------------------------------- */

/* Linear, as are the loops below: graphs with memory have few such nodes. */
static int
releases(const Program *program, const GraphMemory *memory)
{
    for (int i = 0; i < program->count; i++) {
        if (program->items[i].work.kind == WORK_RELEASE &&
            program->items[i].work.memory == memory) {
            return 1;
        }
    }
    return 0;
}

static int
allocates(const Program *program, const GraphMemory *memory)
{
    for (int i = 0; i < program->count; i++) {
        if (program->items[i].work.kind == WORK_ALLOCATE &&
            program->items[i].work.memory == memory) {
            return 1;
        }
    }
    return 0;
}

/* Whether the memory of the program is as it needs it; gets the pages. Before the launch is queued,
 * as the caller gets the error. All nodes are tested before anything is queued. Pages that were
 * committed for a launch that is refused stay committed. */
static CUresult
check_memory(const Program *program, int auto_free)
{
    for (int i = 0; i < program->count; i++) {
        const Work *work = &program->items[i].work;
        if (work->kind == WORK_ALLOCATE) {
            /* With the flag for automatic frees, a launch frees what the last one left. */
            if (emu_graph_memory_allocated(work->memory) && !auto_free) {
                return CUDA_ERROR_INVALID_VALUE; /* what the last launch left was not freed */
            }
            EMU_TRY(emu_graph_memory_commit(work->memory));
        }
        else if (work->kind == WORK_RELEASE && !allocates(program, work->memory) &&
                 !emu_graph_memory_allocated(work->memory)) {
            /* A release of memory that another graph allocates must find it allocated. */
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return 0;
}

/* The stream waits for what the events of the graph's wait nodes stand for now. Events of wait
 * nodes are resolved at the time of the launch and the whole launch waits for them, though only
 * part of it may need to. */
static CUresult
await_events(Program *program, Stream *stream)
{
    for (int i = 0; i < program->count; i++) {
        if (program->items[i].work.kind == WORK_AWAIT) {
            EMU_TRY(emu_event_order_after(program->items[i].work.record.event, stream));
        }
    }
    return 0;
}

/* Writes down what the launch leaves allocated. For the calls that are made from now on, while the
 * launch itself may still be queued. */
static void
note_memory(const Program *program)
{
    for (int i = 0; i < program->count; i++) {
        const Work *work = &program->items[i].work;
        if (work->kind == WORK_ALLOCATE) {
            emu_graph_memory_exchange(work->memory, !releases(program, work->memory));
        }
        else if (work->kind == WORK_RELEASE) {
            emu_graph_memory_exchange(work->memory, 0);
        }
    }
}

/* There is nothing to upload; the stream is checked. */
CUresult
cuGraphUpload(CUgraphExec handle, CUstream stream_handle)
{
    Stream *stream;
    EMU_TRY_ENTER_EXEC(cuGraphUpload, handle, exec);
    return emu_stream_get(exec->context, stream_handle, &stream);
}

/* The order is: check, queue, then publish what the launch changes. A refused launch has no effects
 * but pages. */
CUresult
cuGraphLaunch(CUgraphExec handle, CUstream stream_handle)
{
    Context *context;
    Stream *stream;
    uint64_t number;
    EMU_TRY_ENTER_CONTEXT(cuGraphLaunch, context);
    GraphExec *exec = emu_handle_get(handle, KIND_GRAPH_EXEC);
    if (exec == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(emu_stream_get(context, stream_handle, &stream));
    Program *program = exec->program;
    if (stream == context->legacy && !emu_stream_captures(stream)) {
        EMU_TRY(emu_capture_check_legacy(context));
    }
    /* Memory is checked in a capture too. */
    EMU_TRY(check_memory(program,
                         (exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0));
    Work work = {.kind = WORK_GRAPH, .program = program};
    /* The reference is the work's. It keeps the program while the launch is queued, also after
     * cuGraphExecDestroy or an update. */
    emu_program_ref(program);
    /* In a capture the launch becomes a child graph node. */
    if (emu_stream_captures(stream)) {
        return emu_capture_add(stream, &work);
    }
    CUresult result = await_events(program, stream);
    if (result != 0) {
        emu_work_clear(&work);
        return result;
    }
    EMU_TRY(emu_submit_after(stream, &work, NULL, &number));
    note_memory(program);
    /* Records inside the graph stand for the end of the launch: waiting for one waits for all of
     * it. */
    for (int i = 0; i < program->count; i++) {
        if (program->items[i].work.kind == WORK_RECORD) {
            emu_event_set_place(program->items[i].work.record.event, stream, number, 0);
        }
    }
    return 0;
}

/* ---- changing what was instantiated ---------------------------------------------------------- */

/* Makes the program this exec's alone, so that it may be changed. Copy on write. Launches hold
 * references, so a count of 1 means that nobody else can see the program. */
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
    result = emu_users_copy(&copy->users, shared->users);
    if (result != 0) {
        emu_program_unref(copy);
        return result;
    }
    exec->program = copy;
    emu_program_unref(shared);
    return 0;
}

/* Copies first, since the caller is going to change the item. */
static CUresult
find_item(GraphExec *exec, CUgraphNode node, Item **out)
{
    EMU_TRY(own_program(exec));
    for (int i = 0; i < exec->program->count; i++) {
        /* A node of a child graph is found as well; its node must be the child's own. */
        if (exec->program->items[i].origin == (const Node *)node) {
            *out = &exec->program->items[i];
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Boxes keep their number of dimensions. cuGraphExecMemcpyNodeSetParams does not allow changing the
 * dimensionality of an operation. */
static int
is_flat(const Work *work)
{
    return work->kind == WORK_COPY   ? work->copy.height <= 1 && work->copy.depth <= 1
           : work->kind == WORK_FILL ? work->fill.height <= 1
                                     : 1;
}

CUresult
emu_exec_set(CUgraphExec handle, CUgraphNode node, const CUgraphNodeParams *params)
{
    Item *item;
    Work work;
    GraphExec *exec = emu_handle_get(handle, KIND_GRAPH_EXEC);
    if (exec == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Everything is checked before the old work is cleared, so a refused change has no effect. */
    EMU_TRY(find_item(exec, node, &item));
    if (item->type != params->type) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* As for a node of a graph: the same checks, with memory of graphs counted as present. */
    EMU_TRY(emu_node_work(&work, params));
    if (is_flat(&work) != is_flat(&item->work)) {
        emu_work_clear(&work);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (work.kind == WORK_KERNEL) {
        /* Attributes of the node are not part of its parameters. */
        work.kernel.cooperative = item->work.kernel.cooperative;
        memcpy(work.kernel.cluster, item->work.kernel.cluster, sizeof work.kernel.cluster);
    }
    emu_work_clear(&item->work);
    item->work = work;
    return 0;
}

/* A disabled node is left out, its dependencies stay. */
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
        if (exec->program->items[i].origin == (const Node *)node &&
            exec->program->items[i].type <= CU_GRAPH_NODE_TYPE_MEMSET) {
            *enabled = (unsigned)exec->program->items[i].enabled;
            return 0;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Whether two graphs have the same shape: as many nodes, and each needs what its counterpart needs.
 * The orders of both tell which nodes are counterparts. Types and hashes are compared item by item.
 * Equal hashes mean equal dependencies but for a collision of 64 bits. */
static CUgraphExecUpdateResult
compare(const Program *old, const Program *fresh, CUgraphExecUpdateResultInfo *info)
{
    if (fresh->count != old->count) {
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    for (int i = 0; i < fresh->count; i++) {
        if (fresh->items[i].type != old->items[i].type) {
            info->errorNode = (CUgraphNode)(uintptr_t)fresh->items[i].origin;
            info->errorFromNode = (CUgraphNode)(uintptr_t)old->items[i].origin;
            return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        }
        if (fresh->items[i].needs_hash != old->items[i].needs_hash) {
            info->errorNode = (CUgraphNode)(uintptr_t)fresh->items[i].origin;
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        }
    }
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/* The whole program is replaced: launches in flight keep the old one. */
static CUresult
update(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo *info)
{
    Program *fresh;
    GraphExec *exec = emu_handle_get(handle, KIND_GRAPH_EXEC);
    Graph *graph = emu_handle_get(graph_handle, KIND_GRAPH);
    memset(info, 0, sizeof *info);
    if (exec == NULL || graph == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Memory nodes cannot be updated, as their addresses would change. */
    if (exec->memory_of != NULL || graph->memory_nodes > 0) {
        info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    }
    EMU_TRY(compile(&fresh, graph));
    Program *old = exec->program;
    info->result = compare(old, fresh, info);
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

/* `info` may be NULL only here, so the older form shares the rest. */
CUresult
cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    CUgraphExecUpdateResultInfo ignored;
    EMU_TRY_ENTER(cuGraphExecUpdate_v2);
    return update(exec, graph, info != NULL ? info : &ignored);
}

CUresult
cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node,
                  CUgraphExecUpdateResult *why)
{
    CUgraphExecUpdateResultInfo info;
    EMU_TRY_ENTER(cuGraphExecUpdate);
    CUresult result = update(exec, graph, &info);
    if (error_node != NULL) {
        *error_node = info.errorNode;
    }
    if (why != NULL) {
        *why = info.result;
    }
    return result;
}

/* Replaces the work of a child graph's nodes by that of a graph of the same shape. The child's
 * items are exchanged one by one, since the rest of the program stays. Dependencies inside the
 * child are not compared. */
CUresult
cuGraphExecChildGraphNodeSetParams(CUgraphExec handle, CUgraphNode node_handle,
                                   CUgraph graph_handle)
{
    Program *fresh;
    EMU_TRY_ENTER_EXEC(cuGraphExecChildGraphNodeSetParams, handle, exec);
    const Node *node = emu_handle_get(node_handle, KIND_NODE);
    Graph *graph = emu_handle_get(graph_handle, KIND_GRAPH);
    if (node == NULL || node->child == NULL || graph == NULL || node->child->first == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(own_program(exec));
    EMU_TRY(compile(&fresh, graph));
    Program *program = exec->program;
    int first = 0; /* where the child's nodes begin; they stand together */
    while (first < program->count && program->items[first].child != node->child) {
        first++;
    }
    /* Types are compared completely before the first exchange. */
    CUresult result = fresh->count <= program->count - first ? 0 : CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; result == 0 && i < fresh->count; i++) {
        if (program->items[first + i].type != fresh->items[i].type) {
            result = CUDA_ERROR_INVALID_VALUE;
        }
    }
    /* The old work goes to `fresh`, which frees it. */
    for (int i = 0; result == 0 && i < fresh->count; i++) {
        Work before = program->items[first + i].work;
        program->items[first + i].work = fresh->items[i].work;
        fresh->items[i].work = before;
    }
    emu_program_unref(fresh);
    return result;
}

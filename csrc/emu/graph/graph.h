/* Private to the graph files: graphs, their nodes, and what instantiation makes of them.
 *
 * As in CUDA, a graph may be used by one thread at a time; what is launched is a Program, which
 * never changes once others may see it. */
#ifndef EMU_GRAPH_H
#define EMU_GRAPH_H

#include "emu/driver/upward.h"

typedef struct Graph Graph;

typedef struct Node {
    EmuHandle head;
    Graph *graph;
    struct Node *next; /* in order of creation */
    CUgraphNodeType type;
    Work work;
    Graph *child; /* of a child graph node; owned */
    struct Node **needs;
    int needs_count;
    int index, mark;                   /* scratch of a walk over the graph */
    struct Node *origin;               /* the node this one was cloned from */
    void **param_pointers;             /* owned; for kernel parameters read back */
    CUDA_MEM_ALLOC_NODE_PARAMS *alloc; /* of an allocation node; owned */
    Graph **bodies;                    /* of a conditional node; owned, as the graphs are */
    int bodies_count;
    CUlaunchAttributeValue *attributes; /* of a kernel node, by number; owned; NULL: all zero */
} Node;

typedef struct UserObject {
    EmuHandle head; /* one reference each for holders counted below */
    _Atomic int holds;
    void *object;
    CUhostFn destroy;
} UserObject;

/* What cuGraphConditionalHandleCreate made: a cell of device memory. */
typedef struct Condition {
    struct Condition *next;
    CUgraphConditionalHandle cell;
    unsigned assign, value;
} Condition;

typedef struct UserHold {
    struct UserHold *next;
    UserObject *user;
    int count;
} UserHold;

struct Graph {
    EmuHandle head;
    Node *first, *last;
    int count;
    int borrowed; /* belongs to a node or a capture: the caller may not destroy it */
    int memory_nodes;
    int instances;         /* executable graphs made of it, while it has memory nodes */
    struct Graph *parent;  /* of the body of a condition */
    Condition *conditions; /* owned */
    UserHold *users;
};

Graph *emu_graph_new(void);
/* What a launch does to a cell that belongs to the graph or one that contains it; 0 for none. */
int emu_graph_condition_find(const Graph *graph, CUgraphConditionalHandle cell, unsigned *assign,
                             unsigned *value);
/* Takes the node out of its graph and ends it. */
void emu_graph_remove(Node *node);
/* Changes one node of an executable graph. */
CUresult emu_exec_set(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *params);
/* Takes over the work, also on failure. */
CUresult emu_graph_add(Node **out, Graph *graph, CUgraphNodeType type, Work *work,
                       Node *const *needs, int count);
/* Makes `node` wait for `need`; once is enough. Returns 0 or 2. */
CUresult emu_node_need(Node *node, Node *need);
void emu_graph_end(Graph *graph);
/* Nodes so that each comes after what it needs; free() it. NULL without memory or with a cycle. */
Node **emu_graph_order(Graph *graph);
/* Checked work for the parameters of a node that is work by itself: all types but child graphs,
 * memory and conditions. The caller clears it. */
CUresult emu_node_work(Work *work, const CUgraphNodeParams *params);
/* Nodes that allocate and free memory of the graph; the address goes into params->dptr. */
CUresult emu_node_allocate(Node **out, Graph *graph, CUDA_MEM_ALLOC_NODE_PARAMS *params,
                           Node *const *needs, int needs_count);
CUresult emu_node_release(Node **out, Graph *graph, CUdeviceptr address, Node *const *needs,
                          int needs_count);
/* A copy of all nodes; `origin` of each names the one it was made from. */
CUresult emu_graph_clone(Graph **out, Graph *graph);
/* A graph inside a node: the caller may change it but not destroy it. */
void emu_graph_lend(Graph *graph);
/* 0 when `count` edges are plain ones (or `edges` is NULL). */
CUresult emu_edges_check(const CUgraphEdgeData *edges, size_t count);
/* Returns 0 or 2. */
CUresult emu_users_copy(UserHold **out, const UserHold *users);
/* A hidden user object with one hold, which the graph takes over. */
CUresult emu_users_attach(Graph *graph, void *object, CUhostFn destroy);
void emu_users_drop(UserHold *users);

/* Gets the pages, which stay until the memory is destroyed or trimmed. Returns 0 or 2. */
CUresult emu_graph_memory_commit(GraphMemory *memory);
/* An executable graph begins (1) or ceases (-1) to need the pages. */
void emu_graph_memory_use(GraphMemory *memory, int change);

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

#endif

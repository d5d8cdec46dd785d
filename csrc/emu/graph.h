/* Private to the graph files: graphs, their nodes, and what instantiation makes of them.
 *
 * As in CUDA, a graph may be used by one thread at a time; what is launched is a Program, which
 * never changes once others may see it. */
#ifndef EMU_GRAPH_H
#define EMU_GRAPH_H

#include "emu/driver.h"

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
    int index, mark;       /* scratch of whoever walks the graph */
    struct Node *origin;   /* the node this one was cloned from */
    void **param_pointers; /* owned; for kernel parameters read back */
} Node;

typedef struct UserObject {
    EmuHandle head; /* one reference each for holders counted below */
    _Atomic int holds;
    void *object;
    CUhostFn destroy;
} UserObject;

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
    UserHold *users;
};

Graph *emu_graph_new(void);
/* Takes over the work, also on failure. */
CUresult emu_graph_add(Node **out, Graph *graph, CUgraphNodeType type, Work *work,
                       Node *const *needs, int count);
/* Makes `node` wait for `need`; once is enough. */
CUresult emu_node_need(Node *node, Node *need);
void emu_graph_end(Graph *graph);
/* Nodes so that each comes after what it needs; free() it. NULL without memory or with a cycle. */
Node **emu_graph_order(Graph *graph);
/* The kernel work of node parameters. */
CUresult emu_node_kernel(Work *work, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult emu_node_fill(Work *work, const CUDA_MEMSET_NODE_PARAMS *params);
UserHold *emu_users_copy(const UserHold *users);
void emu_users_drop(UserHold *users);

#endif

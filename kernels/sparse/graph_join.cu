// graph_join: weak components of a graph in compressed rows, by union-find with the first node of a component as its
// root (unions.cuh). Steps, one launch each:
// GRAPH_START: the parent of a node is the least of itself and its first neighbours.
// GRAPH_LINK: the roots of a node and of two of its neighbours are linked, by one attempt each that waits for nothing: two
// rounds leave most graphs in few pieces (few edges of each node are enough for that: Sutton, Ben-Nun & Barak, "Optimizing
// Parallel Graph Connectivity Computation via Subgraph Sampling", 2018). A link that another one replaces is made good by:
// GRAPH_JOIN: the ends of every edge are joined; nearly all have one parent by then, where GRAPH_ROOTS came before.
// GRAPH_ROOTS: the parent of a node becomes its root, and roots are flagged.
// Knobs: I of the indices; STEP of enum GraphJoin; EACH edges of a thread in GRAPH_JOIN; BLOCK threads.
// Launch: a thread per node; GRAPH_JOIN: a block for every BLOCK * EACH edges.
#include "knobs/graph_join.cuh"
#include "sparse/sparse.cuh"
#include "unions.cuh"

enum { TILE = BLOCK * EACH, FIRST = 4 };

GNP_FN void start(const I *begins, const I *indices, i32 *parents, i64 v)
{
    const i64 begin = begins[v], end = begins[v + 1];
    i32 least = (i32)v;
#pragma unroll
    for (int j = 0; j < FIRST; j++) {
        const i32 other = begin + j < end ? (i32)indices[begin + j] : least;
        least = other < least ? other : least;
    }
    parents[v] = least;
}

// Both are the parents of joined nodes, and roots unless another thread has just linked them. A join that waits for its turn
// would have a million threads follow each other along the chains that they make.
GNP_FN void link(i32 *parents, i32 a, i32 b)
{
    if (a != b) {
        atomicMin(&parents[max(a, b)], min(a, b));
    }
}

GNP_FN void link_neighbours(const I *begins, const I *indices, i32 *parents, i64 v)
{
    const i64 begin = begins[v], end = begins[v + 1];
    if (begin < end) {
        const volatile i32 *parent = parents; // other threads lower it
        const i32 own = parent[v], last = parent[indices[end - 1]], middle = parent[indices[begin + (end - begin) / 2]];
        link(parents, own, last);
        link(parents, own, middle);
    }
}

GNP_FN void join_edges(const I *begins, const I *indices, i32 *parents, i64 edges, i64 nodes)
{
    __shared__ I shared[TILE];
    __shared__ i64 range[2];
    const i64 first = (i64)blockIdx.x * TILE, end = first + TILE < edges ? first + TILE : edges;
    const RowFinder<I, TILE> finder(begins, nodes, first, end, shared, range);
    i32 from[EACH], to[EACH], parent[EACH];
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const i64 k = first + j * BLOCK + threadIdx.x;
        to[j] = (i32)indices[k < end ? k : end - 1];
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const i64 k = first + j * BLOCK + threadIdx.x;
        from[j] = (i32)finder.row(k < end ? k : end - 1);
        parent[j] = *(volatile i32 *)&parents[to[j]];
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        if (*(volatile i32 *)&parents[from[j]] != parent[j]) {
            join(parents, from[j], to[j]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
graph_join(const I *begins, const I *indices, i32 *parents, bool *roots, const i64 edges, const i64 nodes)
{
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if constexpr (STEP == GRAPH_JOIN) {
        join_edges(begins, indices, parents, edges, nodes);
    }
    else if (v < nodes) {
        if constexpr (STEP == GRAPH_START) {
            start(begins, indices, parents, v);
        }
        else if constexpr (STEP == GRAPH_LINK) {
            link_neighbours(begins, indices, parents, v);
        }
        else {
            roots[v] = flattened(parents, (i32)v) == (i32)v;
        }
    }
}

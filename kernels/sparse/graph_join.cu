// graph_join: weak components of a graph in compressed rows, by union-find with the first node of a component as its
// root (unions.cuh). Steps, one launch each:
// GRAPH_START: the parent of a node is the least of itself and its first neighbours.
// GRAPH_LINK: the roots of a node and of two of its neighbours are linked, by one attempt each that waits for nothing: two
// rounds leave most graphs in few pieces (few edges of each node are enough for that: Sutton, Ben-Nun & Barak, "Optimizing
// Parallel Graph Connectivity Computation via Subgraph Sampling", 2018). A link that another one replaces is made good by:
// GRAPH_JOIN: the ends of every edge are joined. Nearly all are in one component by then, that of most of 32 sampled nodes,
// whose nodes have a bit each: a block whose edges all have both ends there has nothing to do.
// GRAPH_MARK: finds the blocks that have. The bits are copied into shared memory where they fit, since the first-level cache
// takes a cycle for each of a warp's 32 places, and needs no rows: nodes without a bit mark the blocks of all their edges.
// GRAPH_SAMPLE: GRAPH_LINK of one of SAMPLE_STRIDE nodes. It links what meets often, a few pairs whose addresses lie side by
// side, where millions of threads would take turns; once roots are known again, those pairs have the same one.
// GRAPH_ROOTS: the root of each node is written into another array, as what nobody changes is read from the first-level
// cache, and all chains end in the same few nodes; and roots are flagged. GRAPH_LARGEST: the same, but the flags become
// those bits.
// Knobs: I of the indices; STEP of enum GraphJoin; EACH edges of a thread in GRAPH_JOIN, up to 32, or of a mark in
// GRAPH_MARK; BLOCK threads.
// Launch: a thread per node, or per sampled node; GRAPH_JOIN: a block for every BLOCK * EACH edges; GRAPH_MARK: any number of
// blocks with `kept` bytes of shared memory.
#include "knobs/graph_join.cuh"
#include "sparse/sparse.cuh"
#include "unions.cuh"

enum { TILE = STEP == GRAPH_MARK ? EACH : BLOCK * EACH, FIRST = 4, SEEN = 512 };

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
// Most links of the second round exist already, and large components meet often: what another thread of the block has
// linked is left out, then what is linked in memory, as millions of accesses to few addresses take turns.
GNP_FN void link(i32 *parents, u64 *seen, i32 a, i32 b)
{
    const i32 high = max(a, b), low = min(a, b);
    const u64 pair = (u64)high << 32 | (u32)low;
    if (high != low && atomicExch(&seen[((u32)high * 31 + (u32)low) % SEEN], pair) != pair &&
        *(volatile i32 *)&parents[high] > low) {
        atomicMin(&parents[high], low);
    }
}

GNP_FN void link_neighbours(const I *begins, const I *indices, i32 *parents, i64 v, i64 nodes)
{
    __shared__ u64 seen[SEEN];
#pragma unroll 1
    for (int k = threadIdx.x; k < SEEN; k += BLOCK) {
        seen[k] = 0;
    }
    __syncthreads();
    const i64 begin = v < nodes ? begins[v] : 0, end = v < nodes ? begins[v + 1] : 0;
    if (begin < end) {
        const volatile i32 *parent = parents; // other threads lower it
        const i32 own = parent[v], last = parent[indices[end - 1]], middle = parent[indices[begin + (end - begin) / 2]];
        link(parents, seen, own, last);
        link(parents, seen, own, middle);
    }
}

// Whether a node is of the largest component.
GNP_FN bool is_large(const u8 *large, i32 v) { return large[v >> 3] >> (v & 7) & 1; }

// Where the row of edge k of a tile is kept: threads that write EACH of them at once are in different banks.
GNP_FN u32 kept_at(u32 k) { return k + k / EACH; }

// A mark for each tile of edges of which some end is not of the largest component.
GNP_FN void mark_by(const u8 *large, const I *begins, const I *indices, u8 *marks, i64 edges, i64 nodes)
{
    const i64 thread = (i64)blockIdx.x * BLOCK + threadIdx.x, threads = (i64)gridDim.x * BLOCK;
#pragma unroll 1
    for (i64 v = thread; v < nodes; v += threads) {
        const Span span = row_span(begins, v, edges);
        if (!is_large(large, (i32)v) && span.begin < span.end) {
#pragma unroll 1
            for (i64 tile = span.begin / TILE; tile <= (span.end - 1) / TILE; tile++) {
                marks[tile] = 1;
            }
        }
    }
#pragma unroll 4
    for (i64 k = thread; k < edges; k += threads) {
        if (!is_large(large, (i32)indices[k])) {
            marks[k / TILE] = 1;
        }
    }
}

// `kept` bytes of bits fit shared memory; 0 if all of them do not.
GNP_FN void mark_tiles(const I *begins, const I *indices, const u8 *large, u8 *marks, i64 edges, i64 nodes, i64 kept)
{
    extern __shared__ u32 bits[];
    if (kept == 0) {
        mark_by(large, begins, indices, marks, edges, nodes);
        return;
    }
#pragma unroll 1
    for (i64 k = threadIdx.x; k < kept / 4; k += BLOCK) {
        bits[k] = ((const u32 *)large)[k];
    }
    __syncthreads();
    mark_by((const u8 *)bits, begins, indices, marks, edges, nodes);
}

// The row of each edge of a tile, less the first one's. A thread finds those of EACH edges that follow each other.
template <class Finder> GNP_FN void find_rows(u32 *rows, const Finder &finder, i64 first, i64 end)
{
    const i64 start = first + (i64)threadIdx.x * EACH;
    i64 row = -1, next = start; // the row of the edge before, and where the next one begins
#pragma unroll 1
    for (u32 j = 0; j < EACH && start + j < end; j++) {
        const i64 k = start + j;
        if (k >= next) {
            row++;
            next = row + 1 < finder.rows ? (i64)finder.near[row + 1] : end;
            if (k >= next) { // the first edge, or rows without edges
                row = finder.row(k) - finder.base;
                next = row + 1 < finder.rows ? (i64)finder.near[row + 1] : end;
            }
        }
        rows[kept_at(threadIdx.x * EACH + j)] = (u32)row;
    }
    __syncthreads();
}

GNP_FN void join_edges(const I *begins, const I *indices, i32 *parents, const u8 *large, i64 edges, i64 nodes)
{
    __shared__ I shared[TILE];
    __shared__ u32 rows[TILE + BLOCK];
    __shared__ i64 range[2];
    const i64 first = (i64)blockIdx.x * TILE, end = first + TILE < edges ? first + TILE : edges;
    i32 to[EACH];
    u32 others = 0; // a bit for each edge that is not within the largest component
#pragma unroll
    for (u32 j = 0; j < EACH; j++) {
        const i64 k = first + j * BLOCK + threadIdx.x;
        to[j] = (i32)indices[k < end ? k : end - 1];
    }
    const RowFinder<I, TILE> finder(begins, nodes, first, end, shared, range);
    find_rows(rows, finder, first, end);
#pragma unroll
    for (u32 j = 0; j < EACH; j++) {
        const u32 k = j * BLOCK + threadIdx.x;
        const i32 from = (i32)(finder.base + (first + k < end ? rows[kept_at(k)] : 0));
        const bool is_known = is_large(large, to[j]) & is_large(large, from);
        others |= (first + k < end && !is_known ? 1u : 0u) << j;
    }
#pragma unroll 1
    for (; others != 0; others &= others - 1) {
        const u32 k = (__ffs(others) - 1) * BLOCK + threadIdx.x;
        const i32 a = (i32)(finder.base + rows[kept_at(k)]), b = (i32)indices[first + k];
        if (*(volatile i32 *)&parents[a] != *(volatile i32 *)&parents[b]) {
            join(parents, a, b);
        }
    }
}

// As root_of, of parents that do not change in this launch.
GNP_FN i32 fixed_root(const i32 *__restrict__ parents, i32 i)
{
#pragma unroll 1
    for (i32 next = parents[i]; next != i; next = parents[i]) {
        i = next;
    }
    return i;
}

// The root of most of 32 nodes. All threads call it.
GNP_FN i32 largest_root(const i32 *parents, i64 nodes)
{
    __shared__ i32 largest;
    if (threadIdx.x < 32) {
        const i32 root = fixed_root(parents, (i32)(threadIdx.x * nodes / 32));
        const u32 score = (u32)__popc(__match_any_sync(0xffffffffu, root)) << 5 | threadIdx.x;
        u32 most = score;
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
        }
        if (score == most) {
            largest = root;
        }
    }
    __syncthreads();
    return largest;
}

GNP_FN void write_roots(const i32 *parents, i32 *found, bool *roots, i64 v, i64 nodes)
{
    const i32 largest = STEP == GRAPH_LARGEST ? largest_root(parents, nodes) : 0;
    i32 root = -1;
    if (v < nodes) {
        root = fixed_root(parents, (i32)v);
        found[v] = root;
    }
    if constexpr (STEP == GRAPH_LARGEST) {
        const u32 large = __ballot_sync(0xffffffffu, root == largest);
        if (v < nodes && v % 8 == 0) {
            ((u8 *)roots)[v / 8] = (u8)(large >> v % 32);
        }
    }
    else if (v < nodes) {
        roots[v] = root == (i32)v;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
graph_join(const I *begins, const I *indices, i32 *parents, i32 *found, bool *roots, u8 *marks, const i64 edges,
           const i64 nodes, const i64 kept)
{
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if constexpr (STEP == GRAPH_MARK) {
        mark_tiles(begins, indices, (const u8 *)roots, marks, edges, nodes, kept);
    }
    else if constexpr (STEP == GRAPH_JOIN) {
        if (!marks[blockIdx.x]) {
            return;
        }
        join_edges(begins, indices, parents, (const u8 *)roots, edges, nodes);
    }
    else if constexpr (STEP == GRAPH_LINK || STEP == GRAPH_SAMPLE) {
        link_neighbours(begins, indices, parents, STEP == GRAPH_SAMPLE ? v * SAMPLE_STRIDE : v, nodes);
    }
    else if constexpr (STEP == GRAPH_START) {
        if (v < nodes) {
            start(begins, indices, parents, v);
        }
    }
    else {
        write_roots(parents, found, roots, v, nodes);
    }
}

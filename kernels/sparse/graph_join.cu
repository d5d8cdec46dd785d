// graph_join: weak components of a graph in compressed rows, by union-find with the first node of a component as its
// root (unions.cuh). Steps, one launch each:
// GRAPH_START: the parent of a node is the least of itself and its first neighbours. Its last neighbour and the one in the
// middle are written side by side, so that later steps do not read the rows again; and marks and `state` become zeros.
// GRAPH_LAST, GRAPH_MIDDLE: the roots of a node and of one of these neighbours are linked, by one attempt that waits for
// nothing: two rounds leave most graphs in few pieces (few edges of each node are enough for that: Sutton, Ben-Nun & Barak,
// "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", 2018). A link that another one replaces is made
// good by:
// GRAPH_JOIN: the ends of every edge are joined. Nearly all are in one component by then, that of most of 32 sampled nodes,
// whose nodes have a bit each: a tile of edges that all have both ends there has nothing to do.
// GRAPH_MARK: marks the tiles that do have something to do. The bits are copied into shared memory where they fit, which reads
// 32 different places of a warp faster than the first-level cache does. Rows need not be found: a node without a bit marks the
// tiles of all its edges, and an edge to such a node marks its own tile.
// GRAPH_SAMPLE: one of SAMPLE_STRIDE nodes with both neighbours. It links what meets often, a few pairs whose addresses lie
// side by side, where millions of threads would take turns; once roots are known again, those pairs have the same one.
// GRAPH_ROOTS: the root of each node is written into another array, as what nobody changes is read from the first-level
// cache, and all chains end in the same few nodes. GRAPH_LARGEST: those bits besides. GRAPH_NUMBER: a root gets the
// complement of its number, that of the roots before it, which tiles learn by look-back (results.cuh).
// GRAPH_LABEL: each node gets its root's number.
// Knobs: I of the indices; STEP of enum GraphJoin; EACH edges of a thread in GRAPH_JOIN, up to 32, or of a mark in
// GRAPH_MARK; BLOCK threads.
// Launch: a thread per node, per sampled node, or per NODES of them from GRAPH_ROOTS on; GRAPH_JOIN: any number of blocks;
// GRAPH_MARK: any number of blocks with `kept` bytes of shared memory.
#include "knobs/graph_join.cuh"
#include "scan.cuh"
#include "sparse/results.cuh"
#include "sparse/sparse.cuh"
#include "unions.cuh"

enum { TILE = STEP == GRAPH_MARK ? EACH : BLOCK * EACH, FIRST = 4, SEEN = 512, NODES = GRAPH_NODES, AT_ONCE = 16, AHEAD = 4 };

// The neighbours of a node without edges are itself.
GNP_FN void start(const I *begins, const I *indices, i32 *parents, i32 *links, i64 v, i64 nodes)
{
    const i64 begin = begins[v], end = begins[v + 1];
    const bool any = begin < end;
    const i32 last = any ? (i32)indices[end - 1] : (i32)v;
    const i32 middle = any ? (i32)indices[begin + (end - begin) / 2] : (i32)v;
    i32 least = (i32)v;
#pragma unroll
    for (int j = 0; j < FIRST; j++) {
        const i32 other = begin + j < end ? (i32)indices[begin + j] : least;
        least = other < least ? other : least;
    }
    parents[v] = least;
    links[v] = last;
    links[nodes + v] = middle;
}

// What later steps count on.
GNP_FN void clear(u8 *marks, u64 *state, i64 tiles, i64 words)
{
    const i64 thread = (i64)blockIdx.x * BLOCK + threadIdx.x, threads = (i64)gridDim.x * BLOCK;
#pragma unroll 1
    for (i64 k = thread; k < tiles; k += threads) {
        marks[k] = 0;
    }
#pragma unroll 1
    for (i64 k = thread; k < words; k += threads) {
        state[k] = 0;
    }
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

GNP_FN void link_neighbours(const i32 *links, i32 *parents, i64 v, i64 nodes)
{
    __shared__ u64 seen[SEEN];
#pragma unroll 1
    for (int k = threadIdx.x; k < SEEN; k += BLOCK) {
        seen[k] = 0;
    }
    __syncthreads();
    if (v < nodes) {
        const volatile i32 *parent = parents; // other threads lower it
        const i32 own = parent[v];
        const i32 last = STEP != GRAPH_MIDDLE ? parent[links[v]] : own;
        const i32 middle = STEP != GRAPH_LAST ? parent[links[nodes + v]] : own;
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
        if (is_large(large, (i32)v)) {
            continue;
        }
        const Span span = row_span(begins, v, edges);
#pragma unroll 1
        for (i64 tile = span.begin / TILE; span.begin < span.end && tile <= (span.end - 1) / TILE; tile++) {
            marks[tile] = 1;
        }
    }
    // All ends of a round are on their way before a mark is written. Places past the end repeat the last one.
#pragma unroll 1
    for (u64 first = (u64)thread; first < (u64)edges; first += AT_ONCE * (u64)threads) {
        i32 to[AT_ONCE];
        u32 others = 0;
#pragma unroll
        for (u32 j = 0; j < AT_ONCE; j++) {
            to[j] = (i32)indices[min(first + j * (u64)threads, (u64)edges - 1)];
        }
#pragma unroll
        for (u32 j = 0; j < AT_ONCE; j++) {
            others |= is_large(large, to[j]) ? 0u : 1u << j;
        }
#pragma unroll 1
        for (; others != 0; others &= others - 1) {
            marks[min(first + (u32)(__ffs(others) - 1) * (u64)threads, (u64)edges - 1) / TILE] = 1;
        }
    }
}

typedef Vec<u32, 4> Bits;

// `kept` bytes of bits fit shared memory; 0 if all of them do not.
GNP_FN void mark_tiles(const I *begins, const I *indices, const u8 *large, u8 *marks, i64 edges, i64 nodes, i64 kept)
{
    extern __shared__ Bits bits[];
    const Bits *from = (const Bits *)large;
    const u32 n = (u32)kept / (u32)sizeof(Bits);
#pragma unroll 1
    for (u32 first = threadIdx.x; first < n; first += AHEAD * BLOCK) {
        Bits part[AHEAD];
#pragma unroll
        for (u32 j = 0; j < AHEAD; j++) {
            part[j] = from[min(first + j * BLOCK, n - 1)];
        }
#pragma unroll
        for (u32 j = 0; j < AHEAD; j++) {
            bits[min(first + j * BLOCK, n - 1)] = part[j];
        }
    }
    __syncthreads();
    mark_by(kept > 0 ? (const u8 *)bits : large, begins, indices, marks, edges, nodes); // one code for both is compiled
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

GNP_FN void join_edges(const I *begins, const I *indices, i32 *parents, const u8 *large, i64 edges, i64 nodes, i64 tile)
{
    __shared__ I shared[TILE];
    __shared__ u32 rows[TILE + BLOCK];
    __shared__ i64 range[2];
    const i64 first = tile * TILE, end = first + TILE < edges ? first + TILE : edges;
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

// Some of the tiles with a mark: of as many in a row as there are blocks, a block takes one. The warps of a block read the same
// marks, 32 at once.
GNP_FN void join_marked(const I *begins, const I *indices, i32 *parents, const u8 *large, const u8 *marks, i64 edges,
                        i64 nodes)
{
    const i64 tiles = (edges + TILE - 1) / TILE, blocks = gridDim.x;
#pragma unroll 1
    for (i64 first = blockIdx.x; first < tiles; first += 32 * blocks) {
        const i64 mine = first + threadIdx.x % 32 * blocks;
        u32 marked = __ballot_sync(0xffffffffu, mine < tiles && marks[mine]);
#pragma unroll 1
        for (; marked != 0; marked &= marked - 1) {
            join_edges(begins, indices, parents, large, edges, nodes, first + (__ffs(marked) - 1) * blocks);
            __syncthreads();
        }
    }
}

// As root_of, of parents that do not change in this launch, of several nodes at once.
template <int N> GNP_FN void follow(const i32 *__restrict__ parents, i32 (&root)[N])
{
    bool more = true;
#pragma unroll 1
    while (more) {
        i32 next[N];
#pragma unroll
        for (int j = 0; j < N; j++) {
            next[j] = parents[root[j]];
        }
        more = false;
#pragma unroll
        for (int j = 0; j < N; j++) {
            more |= next[j] != root[j];
            root[j] = next[j];
        }
    }
}

// The root of most of 32 nodes. All threads call it.
GNP_FN i32 largest_root(const i32 *parents, i64 nodes)
{
    __shared__ i32 largest;
    if (threadIdx.x < 32) {
        i32 root[1] = {(i32)(threadIdx.x * nodes / 32)};
        follow(parents, root);
        const u32 score = (u32)__popc(__match_any_sync(0xffffffffu, root[0])) << 5 | threadIdx.x;
        u32 most = score;
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
        }
        if (score == most) {
            largest = root[0];
        }
    }
    __syncthreads();
    return largest;
}

// Where node j of this thread is: a warp has neighbouring ones.
GNP_FN i64 node_at(i64 block, int j) { return (block * NODES + j) * BLOCK + threadIdx.x; }

// The roots of this thread's nodes; nodes past the end repeat the last one.
GNP_FN void find_roots(const i32 *parents, i32 (&root)[NODES], i64 block, i64 nodes)
{
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        const i64 v = node_at(block, j);
        root[j] = (i32)(v < nodes ? v : nodes - 1);
    }
    follow(parents, root);
}

GNP_FN void write_roots(const i32 *parents, i32 *found, u8 *large, i64 nodes)
{
    i32 root[NODES];
    find_roots(parents, root, blockIdx.x, nodes);
    const i32 largest = STEP == GRAPH_LARGEST ? largest_root(parents, nodes) : 0;
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        const i64 v = node_at(blockIdx.x, j);
        if (v < nodes) {
            found[v] = root[j];
        }
        if constexpr (STEP == GRAPH_LARGEST) {
            const u32 bits = __ballot_sync(0xffffffffu, v < nodes && root[j] == largest);
            if (v < nodes && v % 8 == 0) {
                large[v / 8] = (u8)(bits >> v % 32);
            }
        }
    }
}

// `state` has a word for each block, and the ticket.
GNP_FN void write_numbers(const i32 *parents, i32 *found, u64 *state, i64 nodes)
{
    enum { WARPS = BLOCK / 32, COUNTS = WARPS * NODES };
    static_assert(STEP != GRAPH_NUMBER || COUNTS == 32, "a warp adds up the counts");
    __shared__ u32 counts[COUNTS];
    __shared__ i64 tile, before;
    if (threadIdx.x == 0) {
        tile = (i64)atomicAdd(&state[gridDim.x], 1ull);
    }
    __syncthreads();
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    i32 root[NODES];
    u32 is_root[NODES]; // bits of the warp's nodes
    find_roots(parents, root, tile, nodes);
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        is_root[j] = __ballot_sync(0xffffffffu, root[j] == node_at(tile, j));
        if (lane == 0) {
            counts[j * WARPS + warp] = __popc(is_root[j]);
        }
    }
    __syncthreads();
    if (warp == 0) {
        u32 sum = counts[lane];
        const u32 own = sum;
#pragma unroll
        for (u32 d = 1; d < 32; d *= 2) {
            const u32 other = __shfl_up_sync(0xffffffffu, sum, d);
            sum += lane >= d ? other : 0;
        }
        counts[lane] = sum - own;
        const u32 total = __shfl_sync(0xffffffffu, sum, 31);
        if (lane == 0) {
            post_results(state, tile, total);
        }
        const u64 all = results_before(state, tile, total);
        if (lane == 0) {
            before = (i64)all;
        }
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        const i64 v = node_at(tile, j);
        const u32 number = (u32)before + counts[j * WARPS + warp] + __popc(is_root[j] & ((1u << lane) - 1));
        if (v < nodes) {
            found[v] = root[j] == v ? ~(i32)number : root[j];
        }
    }
}

GNP_FN void write_labels(const i32 *__restrict__ numbered, i32 *labels, i64 nodes)
{
    i32 root[NODES], number[NODES];
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        const i64 v = node_at(blockIdx.x, j);
        root[j] = numbered[v < nodes ? v : nodes - 1];
    }
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        number[j] = root[j] < 0 ? root[j] : numbered[root[j]];
    }
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        const i64 v = node_at(blockIdx.x, j);
        if (v < nodes) {
            labels[v] = ~number[j];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
graph_join(const I *begins, const I *indices, i32 *parents, i32 *found, i32 *links, u8 *large, u8 *marks, u64 *state,
           const i64 edges, const i64 nodes, const i64 kept)
{
    const i64 v = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if constexpr (STEP == GRAPH_START) {
        clear(marks, state, (edges + TILE - 1) / TILE, (nodes + BLOCK * NODES - 1) / (BLOCK * NODES) + 1);
        if (v < nodes) {
            start(begins, indices, parents, links, v, nodes);
        }
    }
    else if constexpr (STEP == GRAPH_LAST || STEP == GRAPH_MIDDLE || STEP == GRAPH_SAMPLE) {
        link_neighbours(links, parents, STEP == GRAPH_SAMPLE ? v * SAMPLE_STRIDE : v, nodes);
    }
    else if constexpr (STEP == GRAPH_MARK) {
        mark_tiles(begins, indices, large, marks, edges, nodes, kept);
    }
    else if constexpr (STEP == GRAPH_JOIN) {
        join_marked(begins, indices, parents, large, marks, edges, nodes);
    }
    else if constexpr (STEP == GRAPH_NUMBER) {
        write_numbers(parents, found, state, nodes);
    }
    else if constexpr (STEP == GRAPH_LABEL) {
        write_labels(parents, found, nodes);
    }
    else {
        write_roots(parents, found, large, nodes);
    }
}

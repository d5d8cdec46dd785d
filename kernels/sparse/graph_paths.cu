// graph_paths: shortest paths from many sources at once, by relaxing the edges of the nodes that changed, nearest
// first (near and far piles: Davidson, Baxter, Garland & Owens, "Work-Efficient Parallel GPU Methods for Single-Source
// Shortest Paths", IPDPS 2014). A state is a node seen from a source; its distance is kept as an integer of the same
// order, so that minima are atomic. The least solution is unique: results do not depend on the order of relaxations.
// Steps, one launch each:
// PATHS_RELAX: the edges of states that changed are relaxed, unless they are farther than `near[round]`. `pending[round]`
// is the least distance that was left by the previous launch, NONE after the last one.
// PATHS_STRICT, PATHS_TIGHT: a state's predecessor is the least node of those that may precede it on a shortest path
// and are nearer; or of those that were settled by the previous launch.
// PATHS_SETTLE: states whose predecessor was found are settled; `pending` says how many states were, and how many are left.
// Knobs: I of the indices; STEP of enum GraphPaths; WEIGHTED: edges have weights, otherwise 1; BLOCK threads.
// Launch: a thread for every four states.
#include "knobs/graph_paths.cuh"
#include "scan.cuh"

enum { EACH = 4, TILE = BLOCK * EACH };
#define NONE 0x7fffffffffffffffll
#define INFINITE 0x7ff0000000000000ll // of an infinite distance
#define MISSING 0x7fffffff

// Integers in the order of doubles; those of numbers that are not negative are their bits.
GNP_FN i64 key_of(f64 x)
{
    const i64 bits = __double_as_longlong(x);
    return bits < 0 ? bits ^ NONE : bits;
}

GNP_FN f64 value_of(i64 key) { return __longlong_as_double(key < 0 ? key ^ NONE : key); }

// A state that is visited: the first state of its source, its own, where its edges begin.
struct Entry {
    i64 base, state, begin;
    f64 distance;
};

struct Shared {
    i64 states[TILE];
    Entry entries[BLOCK];
    i64 ends[BLOCK]; // the edges of a chunk of entries up to and with those of each
    i64 sums[BLOCK / 32 + 1];
    i64 least;
    u32 count;
};

struct Graph {
    const I *begins, *indices;
    const f64 *weights;
    i64 nodes;
};

// Calls visit(entry, end state, weight) for every edge of the states listed in shared memory; the work is
// divided among all threads.
template <class F> GNP_FN void visit_edges(Shared &shared, const Graph &g, const i64 *keys, F visit)
{
#pragma unroll 1
    for (u32 first = 0; first < shared.count; first += BLOCK) {
        const u32 place = first + threadIdx.x;
        Entry entry = {0, 0, 0, 0};
        i64 degree = 0, total;
        if (place < shared.count) {
            entry.state = shared.states[place];
            const i64 node = entry.state % g.nodes;
            entry.base = entry.state - node;
            entry.begin = g.begins[node];
            degree = g.begins[node + 1] - entry.begin;
            entry.distance = value_of(((const volatile i64 *)keys)[entry.state]);
        }
        shared.ends[threadIdx.x] = degree + sum_before<BLOCK>(degree, shared.sums, total);
        shared.entries[threadIdx.x] = entry;
        __syncthreads();
#pragma unroll 1
        for (i64 e = threadIdx.x; e < total; e += BLOCK) {
            int at = 0;
#pragma unroll
            for (int half = BLOCK / 2; half > 0; half /= 2) {
                at += shared.ends[at + half - 1] <= e ? half : 0;
            }
            const Entry &from = shared.entries[at];
            const i64 k = from.begin + e - (at > 0 ? shared.ends[at - 1] : 0);
            visit(from, from.base + g.indices[k], WEIGHTED ? g.weights[k] : 1.0);
        }
        __syncthreads();
    }
}

GNP_FN void relax(Shared &shared, const Graph &g, i64 *keys, u32 *changed, u8 *next, i64 *pending, f64 *near,
                  const f64 *delta, f64 limit, i64 states)
{
    const i64 reached = pending[0];
    if (reached == NONE) {
        return;
    }
    f64 threshold = near[0];
    const f64 nearest = value_of(reached);
    if (!(nearest <= threshold)) {
        threshold = nearest + *delta;
        threshold = threshold >= nearest ? threshold : __longlong_as_double(INFINITE);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        near[1] = threshold;
    }
    const i64 first = (i64)blockIdx.x * TILE + threadIdx.x * EACH;
    const u32 word = first < states ? changed[first / EACH] : 0;
    if (word != 0) {
        changed[first / EACH] = 0; // the next launch but one marks states here
    }
    i64 least = NONE;
#pragma unroll 1
    for (int j = 0; j < EACH; j++) {
        if (word >> 8 * j & 1) {
            const i64 key = ((volatile i64 *)keys)[first + j];
            if (value_of(key) <= threshold) {
                shared.states[atomicAdd(&shared.count, 1u)] = first + j;
            }
            else {
                ((volatile u8 *)next)[first + j] = 1;
                least = key < least ? key : least;
            }
        }
    }
    __syncthreads();
    visit_edges(shared, g, keys, [&](const Entry &from, i64 end, f64 weight) {
        const f64 sum = from.distance + weight;
        if (sum <= limit && sum < value_of(((volatile i64 *)keys)[end])) {
            const i64 key = key_of(sum);
            if (atomicMin(&keys[end], key) > key) {
                ((volatile u8 *)next)[end] = 1;
                least = key < least ? key : least;
            }
        }
    });
    if (least < shared.least) {
        atomicMin(&shared.least, least);
    }
    __syncthreads();
    if (threadIdx.x == 0 && shared.least != NONE) {
        atomicMin(&pending[1], shared.least);
    }
}

// Steps over the states that the previous launch settled, or over all that are reached.
GNP_FN void find_parents(Shared &shared, const Graph &g, const i64 *keys, const u8 *settled, const u8 *fresh,
                         i32 *parents, i64 states)
{
    const i64 first = (i64)blockIdx.x * TILE + threadIdx.x * EACH;
#pragma unroll 1
    for (int j = 0; j < EACH; j++) {
        const i64 state = first + j;
        if (state < states && (STEP == PATHS_STRICT ? keys[state] < INFINITE : fresh[state] != 0)) {
            shared.states[atomicAdd(&shared.count, 1u)] = state;
        }
    }
    __syncthreads();
    visit_edges(shared, g, keys, [&](const Entry &from, i64 end, f64 weight) {
        const f64 known = value_of(keys[end]);
        const bool nearer = STEP != PATHS_STRICT || from.distance < known;
        if (from.distance + weight == known && nearer && keys[end] < INFINITE && settled[end] == 0) {
            const i32 node = (i32)(from.state - from.base);
            if (node < ((volatile i32 *)parents)[end]) {
                atomicMin(&parents[end], node);
            }
        }
    });
}

// A state that is reached is settled once it has a predecessor; a source is settled from the beginning. With `again`
// the next launch steps from states that were settled before, too.
GNP_FN void settle(const i64 *keys, u8 *settled, u8 *fresh, const i32 *parents, i64 *pending, bool again, i64 states)
{
    const i64 first = (i64)blockIdx.x * TILE + threadIdx.x * EACH;
    int found = 0, left = 0;
#pragma unroll 1
    for (int j = 0; j < EACH; j++) {
        const i64 state = first + j;
        if (state < states) {
            const bool reached = keys[state] < INFINITE, before = settled[state] != 0;
            const bool now = reached && !before && parents[state] != MISSING;
            fresh[state] = now || (again && before);
            if (now) {
                settled[state] = 1;
            }
            found += now;
            left += reached && !before && !now;
        }
    }
    const bool any_found = __syncthreads_or(found), any_left = __syncthreads_or(left);
    if (threadIdx.x == 0 && any_found) {
        *(volatile i64 *)&pending[0] = 1;
    }
    if (threadIdx.x == 0 && any_left) {
        *(volatile i64 *)&pending[1] = 1;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
graph_paths(const I *begins, const I *indices, const f64 *weights, i64 *keys, u8 *changed, u8 *next, i32 *parents,
            i64 *pending, f64 *near, const f64 *delta, const i64 states, const i64 nodes, const i64 limit)
{
    __shared__ Shared shared;
    const Graph graph = {begins, indices, weights, nodes};
    if constexpr (STEP == PATHS_SETTLE) {
        settle(keys, changed, next, parents, pending, limit != 0, states);
    }
    else {
        if (threadIdx.x == 0) {
            shared.count = 0;
            shared.least = NONE;
        }
        __syncthreads();
        if constexpr (STEP == PATHS_RELAX) {
            relax(shared, graph, keys, (u32 *)changed, next, pending, near, delta, __longlong_as_double(limit),
                  states);
        }
        else {
            find_parents(shared, graph, keys, changed, next, parents, states);
        }
    }
}

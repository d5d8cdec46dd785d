// graph_reach: strong components of a graph given by its edges (Alabandi, Sands, Biros & Burtscher, "A High-Performance
// MPI and CUDA Algorithm for Strongly Connected Components", 2023): the least node that reaches a node and the least
// one that it reaches. Where they are equal, that node is the first of the component; edges between nodes of other
// pairs belong to no component. Steps, one launch each:
// GRAPH_RESET: nodes whose two numbers differ, which are not done, begin anew with themselves.
// GRAPH_SWEEP: the ends of each edge take over the lesser number; `changed` says whether one did.
// GRAPH_KEEP: edges within one pair that is not done are appended to `kept_from` and `kept_to`, in any order.
// Results do not depend on the order of edges: minima are final once nothing changes.
// Knobs: STEP of enum GraphReach; BLOCK threads.
// Launch: a thread per edge, GRAPH_RESET: per node.
#include "knobs/graph_reach.cuh"

// The least node known to reach v, one step further along the chain.
GNP_FN i32 followed(const i32 *least, i32 v)
{
    const volatile i32 *known = least; // other threads lower it
    return known[known[v]];
}

GNP_FN bool lower(i32 *least, i32 v, i32 value)
{
    return value < *(volatile i32 *)&least[v] && atomicMin(&least[v], value) > value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
graph_reach(const i32 *from, const i32 *to, i32 *sources, i32 *targets, i32 *kept_from, i32 *kept_to, i32 *count,
            i32 *changed, const i64 n)
{
    const i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if constexpr (STEP == GRAPH_RESET) {
        if (i < n && sources[i] != targets[i]) {
            sources[i] = targets[i] = (i32)i;
        }
    }
    else if constexpr (STEP == GRAPH_SWEEP) {
        if (i < n) {
            const i32 u = from[i], v = to[i];
            const bool forward = lower(sources, v, followed(sources, u));
            const bool backward = lower(targets, u, followed(targets, v));
            if (forward || backward) {
                *(volatile i32 *)changed = 1;
            }
        }
    }
    else {
        const i64 at = i < n ? i : n - 1;
        const i32 u = from[at], v = to[at], source = sources[u], target = targets[u];
        const bool kept = i < n && source != target && source == sources[v] && target == targets[v];
        const u32 lane = threadIdx.x % 32, all = __ballot_sync(0xffffffffu, kept);
        i32 base = 0;
        if (lane == 0 && all != 0) {
            base = atomicAdd(count, __popc(all));
        }
        base = __shfl_sync(0xffffffffu, base, 0);
        if (kept) {
            const i32 place = base + __popc(all & ((1u << lane) - 1));
            kept_from[place] = u;
            kept_to[place] = v;
        }
    }
}

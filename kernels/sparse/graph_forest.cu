// graph_forest: a minimum spanning forest by Boruvka's method (Fallin, Gonzalez, Seo & Burtscher, "A High-Performance
// MST Implementation for GPUs", SC 2023). Edges are ordered by (weight, place), so that the forest is unique. `parents`
// are roots (unions.cuh). Steps of a round, one launch each:
// FOREST_LEAST: the least weight of the edges that leave a component, as an integer of the same order.
// FOREST_FIRST: the first of the edges of that weight.
// FOREST_JOIN: those edges are marked and the components they connect are joined.
// FOREST_ROOTS: the parent of a node becomes its root, and the minima are reset.
// FOREST_KEEP: edges between components are appended to `kept`, in any order; `count` is their number.
// Knobs: STEP of enum GraphForest; BLOCK threads.
// Launch: a thread for each of n edges, or nodes in FOREST_JOIN and FOREST_ROOTS.
#include "knobs/graph_forest.cuh"
#include "unions.cuh"

#define NONE 0x7fffffffffffffffll

// Integers in the order of doubles; NaN is the greatest.
GNP_FN i64 key_of(f64 x)
{
    const i64 bits = __double_as_longlong(x + 0.0); // no negative zero
    return x != x ? NONE - 1 : bits < 0 ? bits ^ NONE : bits;
}

GNP_FN void lower(i64 *least, i64 value)
{
    if (value < *(volatile i64 *)least) {
        atomicMin(least, value);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
graph_forest(const i64 *edges, const i32 *from, const i32 *to, const f64 *weights, i32 *parents, i64 *least, i64 *first,
             bool *marks, i64 *kept, i64 *count, const i64 n)
{
    const i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if constexpr (STEP == FOREST_JOIN) {
        if (i < n && first[i] != NONE) {
            const i64 edge = first[i];
            marks[edge] = true;
            join(parents, from[edge], to[edge]);
        }
    }
    else if constexpr (STEP == FOREST_ROOTS) {
        if (i < n) {
            flattened(parents, (i32)i);
            least[i] = NONE;
            first[i] = NONE;
        }
    }
    else {
        const i64 edge = edges[i < n ? i : n - 1];
        const i32 a = parents[from[edge]], b = parents[to[edge]];
        const bool leaves = i < n && a != b;
        if constexpr (STEP == FOREST_KEEP) {
            const u32 lane = threadIdx.x % 32, all = __ballot_sync(0xffffffffu, leaves);
            i64 base = 0;
            if (lane == 0 && all != 0) {
                base = (i64)atomicAdd((u64 *)count, (u64)__popc(all));
            }
            base = __shfl_sync(0xffffffffu, base, 0);
            if (leaves) {
                kept[base + __popc(all & ((1u << lane) - 1))] = edge;
            }
        }
        else if (leaves) {
            const i64 key = key_of(weights[edge]);
            if constexpr (STEP == FOREST_LEAST) {
                lower(&least[a], key);
                lower(&least[b], key);
            }
            else {
                if (least[a] == key) {
                    lower(&first[a], edge);
                }
                if (least[b] == key) {
                    lower(&first[b], edge);
                }
            }
        }
    }
}

"""Trees of 'single' linkage: the least distances that connect all observations, found in rounds.

In a round each component takes the least distance that leads out of it, and those so connected
become one (O. Borůvka, "O jistém problému minimálním", 1926). There are no more rounds than
halvings of the number of observations. No two of the distances may be equal where the tree depends
on it.
"""

import numpy as np

from ..._core.multiarray import arange, empty, ndarray, zeros
from ..._core.numeric import full
from ._merge_kernels import BLOCK, blocks_at_once, compiled
from ._merges_in_order import numbered

__all__ = ["by_spanning_tree"]


_SPAN = """
// Of observations whose nearest one is now in their component, the nearest one outside of it.
__device__ __forceinline__ void
find_outside(const double *square, const int *component, int *nearest, double *least, int *control,
    const int n)
{
    const int lane = threadIdx.x %% 32, warps = BLOCK / 32;
    #pragma unroll 1
    for (int x = blockIdx.x * warps + threadIdx.x / 32; x < n; x += gridDim.x * warps) {
        const int here = component[x], known = nearest[x];
        if (known >= 0 && component[known] != here) continue;
        const double *row = square + (long long)x * n;
        Least found = {FAR, FAR, -1};
        #pragma unroll 8
        for (int i = lane; i < n; i += 32) {
            const double value = row[i]; // read at the same time as the component
            if (component[i] != here) take(found, value, i);
        }
        found = least_of_warp(found);
        if (lane) continue;
        nearest[x] = found.at;
        least[x] = found.value;
        if (found.second == found.value && found.value < FAR) control[TIED] = 1;
    }
}

// A component has the number of one of its observations, which is its own parent; `best` is the
// least distance that leads out of it, `chosen` the observation from which it does.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
span(const double *square, int *control, int *component, int *nearest, double *least,
    unsigned long long *best, int *chosen, int *parent, int2 *pairs, double *heights, const int n)
{
    volatile int *const seen = control;
    const int first = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
    int target = 0, before = 0;
    #pragma unroll 1
    while (before < n - 1) {
        #pragma unroll 1
        for (int x = first; x < n; x += step) {
            best[x] = ~0ull;
            chosen[x] = -1;
        }
        find_outside(square, component, nearest, least, control, n);
        meet(control, target);
        if (seen[TIED]) return;
        #pragma unroll 1
        for (int x = first; x < n; x += step)
            if (nearest[x] >= 0) atomicMin(&best[component[x]], key_of(least[x]));
        meet(control, target);
        #pragma unroll 1
        for (int x = first; x < n; x += step) {
            if (nearest[x] < 0 || key_of(least[x]) != best[component[x]]) continue;
            if (atomicExch(&chosen[component[x]], x) >= 0) control[TIED] = 1;
        }
        meet(control, target);
        if (seen[TIED]) return;
        #pragma unroll 1
        for (int c = first; c < n; c += step) {
            const int x = component[c] == c ? chosen[c] : -1;
            if (x < 0) {
                if (component[c] == c) parent[c] = c;
                continue;
            }
            const int y = nearest[x], other = component[y];
            const bool stays = chosen[other] == y && nearest[y] == x && c < other;
            parent[c] = stays ? c : other;
            if (stays) continue; // as the other one has the distance
            const int p = atomicAdd(&control[PAIRS], 1);
            pairs[p] = make_int2(x, y);
            heights[p] = least[x];
        }
        meet(control, target);
        const int total = seen[PAIRS];
        if (total == before) { // there is no order among the distances
            control[TIED] = 1;
            return;
        }
        #pragma unroll 1
        for (int x = first; x < n; x += step) {
            int c = component[x];
            #pragma unroll 1
            while (parent[c] != c) c = parent[c];
            component[x] = c;
        }
        before = total;
        meet(control, target);
    }
}
"""


def by_spanning_tree(square: ndarray, control: ndarray) -> ndarray:
    """The tree, unless `control` then says that it depends on the order of merges."""
    count = square.shape[0]
    (kernel,) = compiled("single", _SPAN, "span")
    nearest, component = full(count, -1, np.int32), arange(count, dtype=np.int32)
    least, best = empty(count), empty(count, np.uint64)
    chosen, parent = empty((2, count), np.int32)
    pairs, heights = empty((count - 1, 2), np.int32), zeros(count - 1)
    state = (component, nearest, least, best, chosen, parent, pairs, heights, np.int32(count))
    kernel(
        (blocks_at_once(count),),
        (BLOCK,),
        (square, control, *state),
        enable_cooperative_groups=True,
    )
    return numbered(pairs, heights, control)

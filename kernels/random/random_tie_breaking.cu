// random_tie_breaking: shuffles the indices of every run of equal keys in sorted keys (R. Durstenfeld,
// "Algorithm 235: Random permutation", Communications of the ACM 7, 1964), so that sorting by random 32-bit
// keys gives every permutation with the same probability.
// Knobs: Origin the source; BLOCK threads.
// Launch: one thread per element, those that begin a run work; sources that keep a state: thread t has
// sequence t, in any grid.
#include "knobs/random_tie_breaking.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
random_tie_breaking(const u32 *keys, i64 *indices, const Origin origin, const u64 n)
{
    const u64 thread = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 step = Origin::keeps_state ? (u64)origin.sequences : (u64)gridDim.x * BLOCK;
    if (thread >= n || thread >= step) {
        return;
    }
    Source<Origin> source(origin, thread);
#pragma unroll 1
    for (u64 first = thread; first < n; first += step) {
        const u32 key = keys[first];
        u64 end = first + 1;
        if (first > 0 && keys[first - 1] == key) {
            continue;
        }
#pragma unroll 1
        while (end < n && keys[end] == key) {
            end++;
        }
        source.begin(first);
        Stream<Source<Origin>> stream(source);
#pragma unroll 1
        for (u64 count = end - first; count > 1; count--) {
            u64 other = (u64)(stream.unit() * (f64)count); // runs are short: the bias is 2^-50
            i64 moved = indices[first + other];
            indices[first + other] = indices[first + count - 1];
            indices[first + count - 1] = moved;
        }
    }
    source.end();
}

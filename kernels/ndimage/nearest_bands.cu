// nearest_bands: the least cost of each band of 32 elements along one axis of a C-contiguous array, for nearest.cu.
// Launch: a thread per band, those of a line's neighbours side by side.
#include "knobs/nearest_bands.cuh"
#include "ndimage/nearest.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
nearest_bands(Cost *out, const Cost *cost, const GnpLines lines, const u64 size)
{
    const u64 place = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (place >= size) {
        return;
    }
    const Index n = (Index)lines.length, step = (Index)lines.step, bands = (n - 1) / BAND + 1, index = (Index)place;
    const Index row = index / step, inner = index - row * step, outer = row / bands, first = (row - outer * bands) * BAND;
    const Cost *line = cost + outer * n * step + inner;
    Cost least = infinite_cost<Cost>();
#pragma unroll 8
    for (Index j = first; j < first + BAND && j < n; j++) {
        const Cost c = line[j * step];
        least = c < least ? c : least;
    }
    out[place] = least;
}

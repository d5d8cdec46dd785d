// nearest: along one axis of a C-contiguous array, the least over all j of cost[j] combined with the distance of j from i:
// one pass of an exact distance transform (Felzenszwalb & Huttenlocher, "Distance Transforms of Sampled Functions", 2012).
// The search goes outwards and ends where the distance alone is no better; bands of 32 elements are left out by their least
// cost, so that a lone element of a long axis costs a step a band.
// Knobs: Cost; METRIC of enum NearestMetric; R of `out`, FINISH says what of the cost is stored; INDEXED: `from`, where
// the element of each cost is, follows into `to`; BLOCK threads.
// Launch: a thread per element.
#include "knobs/nearest.cuh"
#include "ndimage/nearest.cuh"

// What a distance along the axis adds to a cost, and whether and how a cost and it are less than the best one so far.
GNP_FN Cost farther(Index d, f64 scale)
{
    if constexpr (METRIC != NEAREST_EUCLIDEAN) {
        return (Cost)d;
    }
    else if constexpr (Info<Cost>::cls == 'f') {
        const Cost along = (Cost)d * (Cost)scale;
        return along * along;
    }
    else {
        return (Cost)d * (Cost)d;
    }
}

GNP_FN bool is_better(Cost c, Cost beyond, Cost best)
{
    return METRIC == NEAREST_CHESSBOARD ? c < best && beyond < best : c < best - beyond;
}

GNP_FN Cost combined(Cost c, Cost beyond)
{
    return METRIC == NEAREST_CHESSBOARD ? (c < beyond ? beyond : c) : c + beyond;
}

struct Best {
    Cost cost;
    Index at;
};

GNP_FN void visit(Best &best, const Cost *line, Index step, Index j, Index d, f64 scale)
{
    const Cost c = line[j * step], beyond = farther(d, scale);
    if (is_better(c, beyond, best.cost)) {
        best.cost = combined(c, beyond);
        best.at = j;
    }
}

// What lies 32 elements and more from i, band after band on both sides.
static __device__ __noinline__ Best search_bands(Best best, const Cost *line, const Cost *bands, const GnpLines &lines, Index i)
{
    const Index n = (Index)lines.length, step = (Index)lines.step, count = (n - 1) / BAND + 1;
    const Index left = i < BAND ? 0 : (i - BAND) / BAND + 1, right = (i + BAND) / BAND; // bands before `left`, from `right` on
#pragma unroll 1
    for (Index m = 0; m < left || right + m < count; m++) {
        bool is_open = false;
        if (m < left) {
            const Index b = left - 1 - m, d = i - (b * BAND + BAND - 1);
            const Cost beyond = farther(d, lines.scale);
            is_open = is_better(0, beyond, best.cost);
            if (is_better(bands[b * step], beyond, best.cost)) {
#pragma unroll 1
                for (Index j = b * BAND; j < (b + 1) * BAND; j++) {
                    visit(best, line, step, j, i - j, lines.scale);
                }
            }
        }
        if (right + m < count) {
            const Index b = right + m, d = b * BAND - i;
            const Cost beyond = farther(d, lines.scale);
            is_open = is_open || is_better(0, beyond, best.cost);
            if (is_better(bands[b * step], beyond, best.cost)) {
#pragma unroll 1
                for (Index j = b * BAND; j < (b + 1) * BAND && j < n; j++) {
                    visit(best, line, step, j, j - i, lines.scale);
                }
            }
        }
        if (!is_open) {
            break;
        }
    }
    return best;
}

GNP_FN Raw<R> finished(Cost cost)
{
    if constexpr (FINISH == NEAREST_ROOT) {
        return cost == infinite_cost<Cost>() ? infinite_cost<Raw<R>>() : (Raw<R>)sqrt((f64)cost);
    }
    else {
        return FINISH == NEAREST_NUMBER && cost == infinite_cost<Cost>() ? (Raw<R>)-1 : (Raw<R>)cost;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
nearest(Raw<R> *out, At *to, const Cost *cost, const Cost *bands, const At *from, const GnpLines lines, const u64 size)
{
    const u64 place = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (place >= size) {
        return;
    }
    const Index n = (Index)lines.length, step = (Index)lines.step, index = (Index)place;
    const Index row = index / step, inner = index - row * step, outer = row / n, i = row - outer * n;
    const Cost *line = cost + outer * n * step + inner;
    Best best = {line[i * step], i};
    Index d = 1;
#pragma unroll 1
    for (; d < BAND && is_better(0, farther(d, lines.scale), best.cost); d++) {
        if (i >= d) {
            visit(best, line, step, i - d, d, lines.scale);
        }
        if (d < n - i) {
            visit(best, line, step, i + d, d, lines.scale);
        }
    }
    if (d == BAND && n > BAND) {
        best = search_bands(best, line, bands + outer * ((n - 1) / BAND + 1) * step + inner, lines, i);
    }
    out[place] = finished(best.cost);
    if constexpr (INDEXED) {
        to[place] = from[outer * n * step + best.at * step + inner];
    }
}

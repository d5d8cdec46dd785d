// plane_filter: out[i] = the sum of products of weights with the elements of a rectangular window around i, or the one of
// a rank among them, of the last two axes of a C-contiguous image. Beyond the ends stands what f.rule says.
// Knobs: S stored in `in`, R in `out`; the window is computed in A; OPERATION: FOOTPRINT_CORRELATE or FOOTPRINT_FEW; AXES
// of the image, 2 or 3; HIGH rows and WIDE columns of the window; RANK that is wanted; SKIPS: negligible weights are left
// out, which shows beside infinities; EACH consecutive outputs of a thread, below one another; BLOCK threads.
// Launch: a block per 32 columns and BLOCK / 32 * EACH rows, whose windows it holds in shared memory.
#include "knobs/plane_filter.cuh"
#include "border.cuh"
#include "multiply_add.cuh"
#include "select/rank_network.cuh"
#include "ndimage/stored.cuh"

typedef Compute<A> Number;

enum { ROWS = BLOCK / 32 * EACH, SPAN = 32 + WIDE - 1, ELEMENTS = (ROWS + HIGH - 1) * SPAN };

// The area that a block computes: the first output, and where the plane begins.
struct Area {
    i64 rows, columns, y, x, plane;
};

GNP_FN Area area_of(const GnpFootprint &f, u32 block)
{
    Area p = {f.shape[AXES - 2], f.shape[AXES - 1]};
    const u32 across = (u32)((p.columns - 1) / 32) + 1, down = (u32)((p.rows - 1) / ROWS) + 1;
    const u32 strip = block / across, plane = strip / down;
    p.y = (i64)(strip - plane * down) * ROWS;
    p.x = (i64)(block - strip * across) * 32;
    p.plane = plane * p.rows * p.columns;
    return p;
}

template <class F> GNP_FN bool is_negligible(F weight) { return weight <= F(0x1p-52) && weight >= F(-0x1p-52); }
template <class F> GNP_FN bool is_negligible(Complex<F> weight)
{
    return is_negligible(weight.re) && is_negligible(weight.im);
}

// What the tile holds of an element: a number, or its key in the order of A.
template <class V> GNP_FN V held(Raw<S> x)
{
    if constexpr (OPERATION == FOOTPRINT_CORRELATE) {
        return In<S, A>::value(x);
    }
    else {
        return converted_key<S, A>(x);
    }
}

// Fills the tile. Within the image, all loads of a batch are on their way before the first is used.
template <class V>
GNP_FN void load_tile(V *tile, const Raw<S> *in, const GnpFootprint &f, const Area &p, V constant)
{
    enum { BATCH = 5 };
    const i64 y0 = p.y - f.left[AXES - 2], x0 = p.x - f.left[AXES - 1];
    if (y0 >= 0 && x0 >= 0 && y0 + ROWS + HIGH - 1 <= p.rows && x0 + SPAN <= p.columns) {
        const Raw<S> *from = in + p.plane + y0 * p.columns + x0;
#pragma unroll 1
        for (int i0 = threadIdx.x; i0 < ELEMENTS; i0 += BATCH * BLOCK) {
            V values[BATCH];
#pragma unroll
            for (int b = 0; b < BATCH; b++) {
                const int i = min(i0 + b * BLOCK, ELEMENTS - 1);
                values[b] = held<V>(from[i / SPAN * p.columns + i % SPAN]);
            }
#pragma unroll
            for (int b = 0; b < BATCH; b++) {
                if (i0 + b * BLOCK < ELEMENTS) {
                    tile[i0 + b * BLOCK] = values[b];
                }
            }
        }
        return;
    }
#pragma unroll 1
    for (int i = threadIdx.x; i < ELEMENTS; i += BLOCK) {
        const i64 y = border_source((int)f.rule, y0 + i / SPAN, p.rows);
        const i64 x = border_source((int)f.rule, x0 + i % SPAN, p.columns);
        tile[i] = y < 0 || x < 0 ? constant : held<V>(in[p.plane + y * p.columns + x]);
    }
}

// Adds a column of the window to all sums of the thread.
template <class N> GNP_FN void add_column(N *sums, const N *tile, const N *weights)
{
    N seen[EACH + HIGH - 1];
#pragma unroll
    for (int r = 0; r < EACH + HIGH - 1; r++) {
        seen[r] = tile[r * SPAN];
    }
#pragma unroll
    for (int i = 0; i < HIGH; i++) {
        const N weight = weights[i * WIDE];
        if (SKIPS && is_negligible(weight)) {
            continue;
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            multiply_add(sums[e], weight, seen[e + i]);
        }
    }
}

template <class N> GNP_FN void compute_sums(N *sums, const N *tile, const N *weights)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        sums[e] = N(0);
    }
    if constexpr (HIGH * WIDE <= 25) {
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            add_column(sums, tile + j, weights + j);
        }
    }
    else {
#pragma unroll 1
        for (int j = 0; j < WIDE; j++) {
            add_column(sums, tile + j, weights + j);
        }
    }
}

// The ranks of two windows, one below the other. The rows that they share are sorted and merged once; each of the other
// two rows is sorted, and the rank is found in both lists.
template <class K> GNP_FN void rank_pair(K *ranks, const K *tile)
{
    enum { STRIDE = WIDE <= 2 ? 2 : WIDE <= 4 ? 4 : 8, SHARED = HIGH - 1 };
    K shared[SHARED * STRIDE], own[2][WIDE];
#pragma unroll
    for (int r = 0; r < SHARED; r++) {
        K row[WIDE];
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            row[j] = tile[(r + 1) * SPAN + j];
        }
        sort_network<WIDE, 1, 1>(row);
#pragma unroll
        for (int j = 0; j < STRIDE; j++) { // what fills a row up is greater than all, and the compiler knows it
            shared[r * STRIDE + j] = j < WIDE ? row[j < WIDE ? j : 0] : (K)~(K)0;
        }
    }
    if constexpr (SHARED > 1) {
        sort_network<SHARED * STRIDE, STRIDE, STRIDE>(shared);
    }
#pragma unroll
    for (int k = 0; k < 2; k++) {
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            own[k][j] = tile[k * HIGH * SPAN + j];
        }
        sort_network<WIDE, 1, 1>(own[k]);
        ranks[k] = rank_of_two<RANK, SHARED * WIDE, WIDE>(shared, own[k]);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
plane_filter(Raw<R> *out, const Raw<S> *in, const Raw<A> *weights, const GnpFootprint f, const Slot beyond)
{
    const Area p = area_of(f, blockIdx.x);
    const int column = threadIdx.x % 32, first = threadIdx.x / 32 * EACH;
    const i64 rest = p.x + column < p.columns ? p.rows - p.y - first : 0; // how many outputs there are
    Raw<R> *to = out + p.plane + (p.y + first) * p.columns + p.x + column;
    if constexpr (OPERATION == FOOTPRINT_CORRELATE) {
        __shared__ alignas(16) unsigned char memory[(ELEMENTS + HIGH * WIDE) * sizeof(Number)]; // no constructors run
        Number *tile = (Number *)memory, *factors = tile + ELEMENTS, sums[EACH];
        for (int k = threadIdx.x; k < HIGH * WIDE; k += BLOCK) {
            factors[k] = In<A, A>::value(weights[k]);
        }
        load_tile(tile, in, f, p, (Number)In<A, A>::value(slot_value<Raw<A>>(beyond)));
        __syncthreads();
        compute_sums(sums, tile + first * SPAN + column, factors);
#pragma unroll
        for (int e = 0; e < EACH; e++, to += p.columns) {
            if (e < rest) {
                *to = stored<R, A>(sums[e]);
            }
        }
    }
    else {
        typedef decltype(rank_key<A>(Raw<A>())) Key;
        __shared__ alignas(16) Key tile[ELEMENTS];
        load_tile(tile, in, f, p, rank_key<A>(slot_value<Raw<A>>(beyond)));
        __syncthreads();
#pragma unroll 1
        for (int e = 0; e < EACH; e += 2) {
            Key ranks[2];
            rank_pair(ranks, tile + (first + e) * SPAN + column);
#pragma unroll
            for (int k = 0; k < 2; k++, to += p.columns) {
                if (e + k < rest) {
                    *to = stored<R, A>(element_of_rank<A>(ranks[k]));
                }
            }
        }
    }
}

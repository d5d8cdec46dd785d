// sparse_merge: an operation of two sparse matrices, element by element, where either has one. Both come as
// ascending keys (sparse.cuh) without duplicates and their values; the merge of the keys is cut into equal tiles
// (O. Green, R. McColl and D. Bader, "GPU merge path", ICS 2012). Results of zero are dropped.
// Knobs: K of the keys; I of the indices; SA, SB, R of the values and the results; T: computed in; FILL: results
// are written, instead of counted; ITEMS of a thread; BLOCK threads. op(a, b) is the operation.
// Launch: a block for every BLOCK * ITEMS keys; first the counts, then, with their sums in `counts`, the results.
#include "knobs/sparse_merge.cuh"
#include "scan.cuh"
#include "sparse.cuh"

enum { TILE = BLOCK * ITEMS };

struct Shared {
    K keys[TILE + 2];
    alignas(16) u8 values[FILL ? TILE * sizeof(Raw<R>) : 16];
    i64 split[2];
    u32 sums[BLOCK / 32 + 1];
};

// Among the first `at` keys of the merge, how many come from the first sequence.
template <class N> GNP_FN N split_at(const K *a, const K *b, N na, N nb, N at)
{
    N low = at > nb ? at - nb : 0, high = at < na ? at : na;
#pragma unroll 1
    while (low < high) {
        const N middle = (low + high) / 2;
        const bool right = a[middle] <= b[at - 1 - middle];
        low = right ? middle + 1 : low;
        high = right ? high : middle;
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_merge(const K *keys_a, const Raw<SA> *data_a, const K *keys_b, const Raw<SB> *data_b, i64 *counts, I *rows,
             I *columns, Raw<R> *out, const i64 na, const i64 nb, const i64 bits)
{
    __shared__ Shared shared;
    const i64 first = (i64)blockIdx.x * TILE, end = first + TILE < na + nb ? first + TILE : na + nb;
    if (threadIdx.x < 2) {
        shared.split[threadIdx.x] = split_at<i64>(keys_a, keys_b, na, nb, threadIdx.x == 0 ? first : end);
    }
    __syncthreads();
    const i64 a0 = shared.split[0], b0 = first - a0;
    const int count_a = (int)(shared.split[1] - a0), count_b = (int)(end - first) - count_a;
    // One key before those of a, and one behind those of b: equal keys may lie in two tiles.
    K *a = shared.keys + 1, *b = a + count_a;
#pragma unroll 1
    for (int k = (int)threadIdx.x - 1; k < count_a; k += BLOCK) {
        a[k] = a0 + k >= 0 ? keys_a[a0 + k] : K(-1);
    }
#pragma unroll 1
    for (int k = threadIdx.x; k <= count_b; k += BLOCK) {
        b[k] = b0 + k < nb ? keys_b[b0 + k] : K(-1);
    }
    __syncthreads();
    const int place = (int)threadIdx.x * ITEMS < count_a + count_b ? (int)threadIdx.x * ITEMS : count_a + count_b;
    int i = split_at<int>(a, b, count_a, count_b, place), j = place - i;
    K key[ITEMS];
    Raw<R> value[ITEMS];
    u32 kept = 0;
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        if (i + j >= count_a + count_b) {
            break;
        }
        const bool takes_a = i < count_a && (j >= count_b || a[i] <= b[j]);
        const bool takes_b = takes_a ? a[i] == b[j] : i < 0 || a[i - 1] != b[j];
        key[item] = takes_a ? a[i] : b[j];
        if (takes_a || takes_b) {
            const Compute<T> x = takes_a ? In<SA, T>::value(data_a[a0 + i]) : Compute<T>(0);
            const Compute<T> y = takes_b ? In<SB, T>::value(data_b[b0 + j]) : Compute<T>(0);
            const Compute<R> z = op(x, y);
            value[item] = Out<R, R>::raw(z);
            kept |= (z != Compute<R>(0) ? 1u : 0u) << item;
        }
        i += takes_a;
        j += !takes_a;
    }
    u32 total;
    u32 at = sum_before<BLOCK>((u32)__popc(kept), shared.sums, total);
    if constexpr (!FILL) {
        if (threadIdx.x == 0) {
            counts[blockIdx.x] = total;
        }
    }
    else {
        Raw<R> *values = (Raw<R> *)shared.values;
#pragma unroll
        for (int item = 0; item < ITEMS; item++) {
            if (kept >> item & 1) {
                shared.keys[at] = key[item];
                values[at] = value[item];
                at++;
            }
        }
        __syncthreads();
        const i64 to = blockIdx.x == 0 ? 0 : counts[blockIdx.x - 1];
#pragma unroll 1
        for (u32 k = threadIdx.x; k < total; k += BLOCK) {
            const K x = shared.keys[k];
            rows[to + k] = (I)(x >> bits);
            columns[to + k] = (I)(x & (((K)1 << bits) - 1));
            out[to + k] = values[k];
        }
    }
}

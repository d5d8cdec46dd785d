// sparse_arrange: sorts the elements of short rows by their columns, and sums those of one column in their order. An
// element is a column with a value of 4 bytes above it. LANES neighbouring lanes have a row; an element's place is
// the number of columns before its own.
// Knobs: S of the values; FILL: results are written, instead of counted; BLOCK threads. No row has more than
// SPARSE_MOST_ARRANGED elements. Launch: LANES threads for every row; first the counts, then, with where results of
// rows begin in `begins`, the results.
#include "knobs/sparse_arrange.cuh"
#include "sparse/sparse.cuh"

typedef Compute<S> A;
enum { LANES = 8, ROWS = BLOCK / LANES, MOST = SPARSE_MOST_ARRANGED, EACH = MOST / LANES, REPEATED = 1 << 31 };

GNP_FN A value_of(u64 element)
{
    const u32 bits = (u32)(element >> 32);
    Raw<S> raw;
    memcpy(&raw, &bits, sizeof(raw));
    return In<S, S>::value(raw);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_arrange(const i32 *rows, const u64 *elements, i64 *begins, i32 *indices, Raw<S> *out, const i64 m)
{
    __shared__ u32 all[ROWS][MOST + 1]; // neighbouring rows in different banks
    const i64 row = (i64)blockIdx.x * ROWS + threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;
    u32 *columns = all[threadIdx.x / LANES];
    const i64 first = row < m ? rows[row] : 0;
    const int count = row < m ? (int)(rows[row + 1] - first) : 0;
    elements += first;
#pragma unroll 1
    for (int i = lane; i < count; i += LANES) {
        columns[i] = (u32)elements[i];
    }
    __syncwarp();
    u32 heads = 0; // of this lane's elements, those that are the first of their column
#pragma unroll 1
    for (int i = lane, k = 0; i < count; i += LANES, k++) {
        const u32 column = columns[i];
        bool is_head = true;
#pragma unroll 4
        for (int j = 0; j < i; j++) {
            is_head &= columns[j] != column;
        }
        heads |= (is_head ? 1u : 0u) << k;
    }
    if constexpr (!FILL) {
        int total = __popc(heads);
#pragma unroll
        for (int d = LANES / 2; d > 0; d /= 2) {
            total += __shfl_xor_sync(0xffffffffu, total, d);
        }
        if (lane == 0 && row < m) {
            begins[row] = total;
        }
    }
    else {
        __syncwarp();
#pragma unroll 1
        for (int i = lane, k = 0; i < count; i += LANES, k++) {
            columns[i] |= heads >> k & 1 ? 0u : (u32)REPEATED;
        }
        __syncwarp();
#pragma unroll 1
        for (int i = lane, k = 0; i < count; i += LANES, k++) {
            if ((heads >> k & 1) == 0) {
                continue;
            }
            const u32 column = columns[i];
            int place = 0;
            bool is_alone = true;
#pragma unroll 4
            for (int j = 0; j < count; j++) {
                place += columns[j] < column ? 1 : 0; // repeated ones are beyond all columns
                is_alone &= columns[j] != (column | (u32)REPEATED);
            }
            A sum = value_of(elements[i]);
#pragma unroll 1
            for (int j = is_alone ? count : i + 1; j < count; j++) {
                sum = columns[j] == (column | (u32)REPEATED) ? plus(sum, value_of(elements[j])) : sum;
            }
            indices[begins[row] + place] = (i32)column;
            out[begins[row] + place] = Out<S, S>::raw(sum);
        }
    }
}

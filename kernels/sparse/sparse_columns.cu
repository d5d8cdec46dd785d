// sparse_columns: a compressed sparse matrix times a dense one in C order. LANES threads take a row, each of
// them COLUMNS columns of the result; elements of the sparse row are read once for 32 lanes and passed on by
// shuffles (C. Yang, A. Buluç and J. D. Owens, "Design principles for sparse matrix multiplication on the GPU",
// Euro-Par 2018). Elements whose index is no row of the dense matrix are zeros; nothing is read out of bounds, whatever
// the begins of rows are.
// Knobs: I of the indices; S, X, R of the matrices and the result; T: computed in; PERMUTED: element k of the
// matrix is data[places[k]]; LANES, COLUMNS; BLOCK threads.
// Launch: LANES threads per row, as many blocks again for every LANES * COLUMNS columns.
#include "knobs/sparse_columns.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
enum { AT_ONCE = COLUMNS == 1 ? 8 : COLUMNS == 2 ? 4 : 2 };

struct Operands {
    const I *indices, *places;
    const Raw<S> *data;
    const Raw<X> *x;
    i64 width, step; // columns of the dense matrix, elements between its rows
    u64 count; // of its rows

    GNP_FN A value(i64 k) const { return In<S, T>::value(data[PERMUTED ? (i64)places[k] : k]); }
    // The row of the dense matrix that element k meets; -1: none.
    GNP_FN I row_of(i64 k) const
    {
        const I row = indices[k];
        return (u64)(i64)row < count ? row : (I)-1;
    }
    // Row `row` of the dense matrix, any for none; columns past the end repeat the last one, so that loads overlap.
    GNP_FN void load(Raw<X> (&found)[COLUMNS], I row, i64 first) const
    {
        const Raw<X> *from = x + (row < 0 ? 0 : (i64)row) * step;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            found[c] = from[first + c * LANES < width ? first + c * LANES : width - 1];
        }
    }
    GNP_FN static void add(A (&sum)[COLUMNS], A a, const Raw<X> (&row)[COLUMNS])
    {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            sum[c] = plus(sum[c], times(a, In<X, T>::value(row[c])));
        }
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_columns(const I *begins, const I *indices, const I *places, const Raw<S> *data, const Raw<X> *x, Raw<R> *out,
               const i64 rows, const i64 width, const i64 step, const i64 row_blocks, const i64 count_x,
               const i64 n)
{
    const i64 strip = blockIdx.x / row_blocks, block = blockIdx.x - strip * row_blocks;
    const i64 row = (block * BLOCK + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    const i64 first = strip * LANES * COLUMNS + lane;
    const Operands a = {indices, places, data, x, width, step, (u64)count_x};
    if (row >= rows) {
        return;
    }
    const i64 begin = max((i64)begins[row], (i64)0), end = min((i64)begins[row + 1], n);
    A sum[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        sum[c] = A(0);
    }
    if constexpr (LANES == 32) {
#pragma unroll 1
        for (i64 k = begin; k < end; k += 32) {
            const int count = end - k < 32 ? (int)(end - k) : 32;
            const I mine = lane < count ? a.row_of(k + lane) : (I)0;
            const A value = lane < count ? a.value(k + lane) : A(0);
#pragma unroll 1
            for (int j = 0; j < count; j += AT_ONCE) {
                Raw<X> found[AT_ONCE][COLUMNS];
                I met[AT_ONCE];
#pragma unroll
                for (int u = 0; u < AT_ONCE; u++) {
                    met[u] = from_lane(mine, j + u < count ? j + u : count - 1);
                    a.load(found[u], met[u], first);
                }
#pragma unroll
                for (int u = 0; u < AT_ONCE; u++) {
                    const A factor = from_lane(value, (j + u) % 32);
                    if (j + u < count && met[u] >= 0) {
                        a.add(sum, factor, found[u]);
                    }
                }
            }
        }
    }
    else {
#pragma unroll 1
        for (i64 k = begin; k < end; k += AT_ONCE) {
            Raw<X> found[AT_ONCE][COLUMNS];
            A factor[AT_ONCE];
            I met[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                const i64 at = k + u < end ? k + u : end - 1;
                factor[u] = a.value(at);
                met[u] = a.row_of(at);
                a.load(found[u], met[u], first);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                if (k + u < end && met[u] >= 0) {
                    a.add(sum, factor[u], found[u]);
                }
            }
        }
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        if (first + c * LANES < width) {
            out[row * width + first + c * LANES] = Out<R, T>::raw(sum[c]);
        }
    }
}

// sparse_columns: a compressed sparse matrix times a dense one in C order. LANES threads take a row, each of
// them COLUMNS columns of the result; elements of the sparse row are read once for 32 lanes and passed on by
// shuffles (C. Yang, A. Buluç and J. D. Owens, "Design principles for sparse matrix multiplication on the GPU",
// Euro-Par 2018). Elements whose index is no row of the dense matrix are zeros,
// and begins out of bounds are cut.
// Knobs: I of the indices; S, X, R of the matrices and the result; T: computed in; PERMUTED: element k of the
// matrix is data[places[k]]; LANES, COLUMNS; TOGETHER: a thread's columns are neighbours, read and written at once, and
// rows are whole numbers of them; BLOCK threads.
// Launch: LANES threads per row, as many blocks again for every LANES * COLUMNS columns.
#include "knobs/sparse_columns.cuh"
#include "sparse/sparse.cuh"

typedef Compute<T> A;
// IN_TURN: the lanes of a row read one of its elements each, and pass it on.
enum {
    AT_ONCE = TOGETHER || COLUMNS == 1 ? 8 : COLUMNS == 2 ? 4 : 2,
    APART = TOGETHER ? 1 : LANES,
    IN_TURN = TOGETHER || LANES == 32,
};

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
    // What a lane reads: nothing behind the end.
    GNP_FN void take(I &row, A &factor, i64 k, i64 end) const
    {
        row = k < end ? row_of(k) : (I)0;
        factor = k < end ? value(k) : A(0);
    }
    // Row `row` of the dense matrix, any for none; columns past the end repeat the last one, so that loads overlap.
    GNP_FN void load(Raw<X> (&found)[COLUMNS], I row, i64 first) const
    {
        const Raw<X> *from = x + (row < 0 ? 0 : (i64)row) * step;
        if constexpr (TOGETHER) {
            const auto several = *(const Vec<Raw<X>, COLUMNS> *)(from + (first < width ? first : 0));
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                found[c] = several.at[c];
            }
        }
        else {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                found[c] = from[first + c * LANES < width ? first + c * LANES : width - 1];
            }
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
    const i64 first = strip * LANES * COLUMNS + lane * (TOGETHER ? COLUMNS : 1);
    const Operands a = {indices, places, data, x, width, step, (u64)count_x};
    if (!IN_TURN && row >= rows) {
        return;
    }
    const Span span = row < rows ? row_span(begins, row, n) : Span{0, 0};
    const i64 begin = span.begin, end = span.end;
    A sum[COLUMNS];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        sum[c] = A(0);
    }
    if constexpr (IN_TURN) {
        const int base = threadIdx.x % 32 - lane;
        i64 most = end - begin; // of the rows of this warp
#pragma unroll
        for (int d = LANES; d < 32; d *= 2) {
            most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
        }
        I next;
        A next_value;
        a.take(next, next_value, begin + lane, end);
#pragma unroll 1
        for (i64 k = begin; k - begin < most; k += LANES) {
            const int count = end - k < LANES ? (int)(end - k) : (int)LANES;
            const I mine = next;
            const A value = next_value;
            a.take(next, next_value, k + LANES + lane, end); // on their way while these are added
#pragma unroll 1
            for (int j = 0; LANES == 32 ? j < count : j < LANES && __any_sync(0xffffffffu, j < count); j += AT_ONCE) {
                Raw<X> found[AT_ONCE][COLUMNS];
                I met[AT_ONCE];
#pragma unroll
                for (int u = 0; u < AT_ONCE; u++) { // past the end the last one again, so that loads overlap
                    met[u] = from_lane(mine, base + max(j + u < count ? j + u : count - 1, 0));
                    a.load(found[u], met[u], first);
                }
#pragma unroll
                for (int u = 0; u < AT_ONCE; u++) {
                    const A factor = from_lane(value, base + (j + u) % LANES);
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
    out += row * width + first;
    if constexpr (TOGETHER && COLUMNS * sizeof(Raw<R>) <= 16) {
        if (row < rows && first < width) {
            Vec<Raw<R>, COLUMNS> several;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                several.at[c] = Out<R, T>::raw(sum[c]);
            }
            *(Vec<Raw<R>, COLUMNS> *)out = several;
        }
    }
    else {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            if (row < rows && first + c * APART < width) {
                out[c * APART] = Out<R, T>::raw(sum[c]);
            }
        }
    }
}

// rank_rows: out[q, row] = the element of a given rank of each row, or an interpolation of two. Rows of a
// tile are sorted by counting, for each element, those before it: n comparisons each, which are fewer
// instructions than other sorts take for short rows.
// Knobs: T, DESCENDING = 0; R, the result; Index; KEPT axes of the rows; BETWEEN: 0 takes the lower element,
// 1 the mean of the two, 2 interpolates by the weight in R; SORTED: rows are sorted already, else they fit
// into a tile of BLOCK * ITEMS elements; SKIP_NAN: NaNs are left out (ranks follow from the fraction in
// `weight`), else a NaN in the row is the result; ACROSS: memory is contiguous across rows.
// Launch: a block for each `together` rows, or if SORTED a thread for each row and rank.
#include "knobs/rank_rows.cuh"
#include "select/sort.cuh"

typedef GnpRowRanks Ranks;

GNP_FN Compute<R> rounded(Compute<R> x) { return In<R, R>::value(Out<R, R>::raw(x)); }

GNP_FN bool is_missing(Raw<T> x)
{
    if constexpr (Info<T>::cls == 'f') {
        return key_of<T>(x) == (decltype(key_of<T>(x)))~0ull;
    }
    else {
        return false;
    }
}

// The mean of two elements; if both are the same element it is not added to itself, which could overflow.
// Zero is positive.
GNP_FN Compute<R> mean_of(Compute<R> low, Compute<R> high, bool one)
{
    return (one ? low : (low + high) / Compute<R>(2)) + Compute<R>(0);
}

// Counted from the nearer end; each operation is rounded as NumPy's are, the difference of floats in their own type.
GNP_FN Compute<R> between(Raw<T> lower, Raw<T> upper, f64 weight)
{
    typedef Compute<R> C;
    const C low = In<T, R>::value(lower), high = In<T, R>::value(upper), w = rounded(cast<C>(weight));
    C gap = rounded(high - low);
    if constexpr (Info<T>::cls == 'f') {
        gap = In<T, R>::value(Out<T, T>::raw(In<T, T>::value(upper) - In<T, T>::value(lower)));
    }
    return w < C(0.5) ? low + rounded(gap * w) : high - rounded(gap * rounded(C(1) - w));
}

// `row` returns the sorted elements by their rank.
template <class Row> GNP_FN Raw<R> ranked(const Row &row, u64 n, const Ranks &ranks, u32 q)
{
    u64 low = ranks.low[q], high = ranks.high[q];
    f64 weight = ranks.weight[q];
    const Raw<T> last = row(n - 1);
    if constexpr (SKIP_NAN != 0) {
        u64 first = 0, end = n; // of NaN, among the sorted
#pragma unroll 1
        while (first < end) {
            u64 middle = (first + end) / 2;
            if (is_missing(row(middle))) {
                end = middle;
            }
            else {
                first = middle + 1;
            }
        }
        const u64 top = first > 0 ? first - 1 : 0;
        if constexpr (BETWEEN == 1) {
            low = top / 2;
            high = (top + 1) / 2;
        }
        else {
            f64 at = (f64)top * weight;
            low = (u64)at;
            high = low + 1 < top ? low + 1 : top;
            weight = at - (f64)low;
        }
    }
    else if (is_missing(last)) {
        return Out<R, R>::raw(In<T, R>::value(last));
    }
    const Raw<T> lower = row(low);
    Compute<R> x = In<T, R>::value(lower);
    if constexpr (BETWEEN == 1) {
        x = mean_of(x, In<T, R>::value(row(high)), low == high);
    }
    else if constexpr (BETWEEN == 2) {
        x = between(lower, row(high), weight);
    }
    return Out<R, R>::raw(x);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
rank_rows(const char *in, Raw<R> *out, const Layout<Index, KEPT, 1> kept, const i64 step, const Index rows, const u64 n,
          const u32 together, const Ranks ranks)
{
    typedef decltype(key_of<T>(Raw<T>())) Key;
    if constexpr (SORTED != 0) {
        const u64 t = (u64)blockIdx.x * BLOCK + threadIdx.x;
        const u32 q = (u32)(t / rows);
        const Index row = (Index)(t - (u64)q * rows);
        if (q < ranks.count) {
            in += kept.at(row).at[0];
            out[t] = ranked([=](u64 k) { return *(const Raw<T> *)(in + (i64)k * step); }, n, ranks, q);
        }
    }
    else {
        __shared__ Raw<T> items[TILE], sorted[TILE];
        __shared__ Key keys[TILE];
        const Index first = (Index)blockIdx.x * together;
        const u32 live = rows - first < together ? (u32)(rows - first) : together, length = (u32)n;
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const u32 j = k * BLOCK + threadIdx.x;
            if (j < live * length) {
                const u32 row = ACROSS ? j % live : j / length, column = ACROSS ? j / live : j % length;
                const Raw<T> x = *(const Raw<T> *)(in + kept.at(first + row).at[0] + (i64)column * step);
                items[row * length + column] = x;
                keys[row * length + column] = key_of<T>(x);
            }
        }
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < ITEMS; k++) {
            const u32 j = k * BLOCK + threadIdx.x, start = j / length * length;
            if (j < live * length) {
                const Key mine = keys[j];
                u32 before = 0;
#pragma unroll 4
                for (u32 other = start; other < start + length; other++) {
                    const Key key = keys[other];
                    before += key < mine || (key == mine && other < j);
                }
                sorted[start + before] = items[j];
            }
        }
        __syncthreads();
#pragma unroll 1
        for (u32 t = threadIdx.x; t < live * ranks.count; t += BLOCK) {
            const u32 q = t / live, row = t % live;
            const Raw<T> *here = sorted + row * length;
            out[(u64)q * rows + first + row] = ranked([=](u64 k) { return here[k]; }, n, ranks, q);
        }
    }
}

// search: where each value would be inserted into a sorted sequence to keep it sorted, or whether it is in it.
// Knobs: T, the type both have; Index; RIGHT: after equal elements instead of before them; SORTER: `sorter`
// are the indices that sort the sequence; MEMBER: the result is a bool, whether the value is in the sequence,
// other than `invert`; EITHER: the sequence may be descending, which its ends show: then positions count from
// its end; SHARED: so many elements at most, copied into shared memory first (0: read where it is); SAMPLED:
// of a longer sequence, every 2^shift-th element is copied, and searches begin in these samples; UNROLL
// searches at once; BLOCK threads. DESCENDING, MATCH and ITEMS are not used.
// Launch: a grid of any size; each block takes values BLOCK * UNROLL at a time.
#include "knobs/search.cuh"
#include "select/sort.cuh"

typedef Raw<T> Item;

// A value that is searched for, and its comparison with elements: equivalent to key_of, in fewer instructions
// where the type has a comparison of its own.
template <class E> struct Probe {
    typedef typename In<E, E>::Computed Value;
    Value value;
    bool is_nan;
    GNP_FN Probe() {}
    GNP_FN Probe(Raw<E> x) : value(In<E, E>::value(x)), is_nan(value != value) {}
    GNP_FN static bool falls(Raw<E> first, Raw<E> last)
    {
        Value a = In<E, E>::value(first), z = In<E, E>::value(last);
        return z < a || a != a;
    }
    GNP_FN bool is_behind(Raw<E> x) const
    {
        Value other = In<E, E>::value(x);
        return RIGHT ? value >= other || is_nan : other < value || (is_nan && other == other);
    }
};

template <class F> struct Probe<Complex<F>> {
    decltype(complex_key(Complex<F>())) key;
    GNP_FN Probe() {}
    GNP_FN Probe(Complex<F> x) : key(complex_key(x)) {}
    GNP_FN static bool falls(Complex<F> first, Complex<F> last)
    {
        return key_less(complex_key(last), complex_key(first));
    }
    GNP_FN bool is_behind(Complex<F> x) const
    {
        return RIGHT ? !key_less(key, complex_key(x)) : key_less(complex_key(x), key);
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
search(const Item *sorted, const i64 *sorter, const Item *values, char *out, const u64 n, const u64 nvalues,
       const u32 invert, const u32 shift)
{
    __shared__ Item near[SHARED ? SHARED : 1];
    const Item *from = SHARED && !SAMPLED ? near : sorted;
    // A sequence that descends is read backwards, here or where it is copied. One that begins with NaN is
    // descending, since NaNs sort last.
    const bool falls = EITHER && n > 1 && Probe<T>::falls(sorted[0], sorted[n - 1]);
    const u64 last = falls ? n - 1 : 0;
    auto place = [&](u64 i) { return EITHER && falls ? last - i : i; };
    const u32 nnear = SHARED ? (u32)(n >> shift) : 0;
    if constexpr (SHARED != 0) { // the last of each 2^shift elements
        for (u32 i = threadIdx.x; i < nnear; i += BLOCK) {
            near[i] = sorted[place(((u64)(i + 1) << shift) - 1)];
        }
        __syncthreads();
    }
#pragma unroll 1
    for (u64 first = (u64)blockIdx.x * (BLOCK * UNROLL); first < nvalues; first += (u64)gridDim.x * (BLOCK * UNROLL)) {
        Probe<T> probe[UNROLL];
        Index low[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            u64 i = first + k * BLOCK + threadIdx.x;
            probe[k] = Probe<T>(values[i < nvalues ? i : first]);
            low[k] = 0;
        }
        // The same number of steps for all values: the result is in [low, low + size].
        Index rest = (Index)n;
        if constexpr (SAMPLED != 0) {
#pragma unroll 1
            for (u32 size = nnear; size > 0;) {
                const u32 half = (size + 1) / 2;
#pragma unroll
                for (int k = 0; k < UNROLL; k++) {
                    low[k] += probe[k].is_behind(near[(u32)low[k] + half - 1]) ? half : 0;
                }
                size -= half;
            }
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                low[k] <<= shift;
            }
            rest = ((Index)1 << shift) - 1;
        }
#pragma unroll 1
        for (Index size = rest; size > 0;) {
            const Index half = (size + 1) / 2;
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                Index middle = low[k] + half - 1;
                if constexpr (SORTER != 0) { // a position out of bounds reads the last element
                    u64 at = (u64)sorter[middle];
                    middle = (Index)(at < n ? at : n - 1);
                }
                if constexpr (SAMPLED != 0) { // after the last sample there may be fewer
                    low[k] += middle < n && probe[k].is_behind(from[place(middle)]) ? half : 0;
                }
                else {
                    const u64 at = SHARED ? middle : place(middle);
                    low[k] += probe[k].is_behind(from[at]) ? half : 0;
                }
            }
            size -= half;
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            u64 i = first + k * BLOCK + threadIdx.x;
            if (i >= nvalues) {
                break;
            }
            if constexpr (MEMBER != 0) { // NaN is never a member
                typename In<T, T>::Computed x = In<T, T>::value(values[i]);
                bool found = low[k] < n && x == In<T, T>::value(from[low[k]]);
                ((u8 *)out)[i] = found != (invert != 0);
            }
            else {
                ((i64 *)out)[i] = falls ? (i64)(n - low[k]) : (i64)low[k];
            }
        }
    }
}

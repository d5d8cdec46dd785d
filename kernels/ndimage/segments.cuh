// segments.cuh: what is accumulated of the elements of a label, and which label is which. Included after the knobs of
// segments.cu.
#ifndef GNP_SEGMENTS_CUH
#define GNP_SEGMENTS_CUH

// ---- accumulators -----------------------------------------------------------------------------------

template <class V> struct Sum {
    f64 sum;

    GNP_FN static Sum none() { return Sum{0}; }
    GNP_FN static Sum of(V x, Index i, const GnpSegments &s, const f64 *centre)
    {
        if constexpr (SOURCE == SEGMENT_MOMENT) {
            return Sum{(f64)x * (f64)((i64)i / s.step % s.length)};
        }
        else if constexpr (SOURCE == SEGMENT_SQUARE) {
            const f64 d = (f64)x - *centre;
            return Sum{d * d};
        }
        else {
            return Sum{(f64)x};
        }
    }
    GNP_FN static Sum combine(Sum a, Sum b) { return Sum{a.sum + b.sum}; }
    GNP_FN void store(Raw<f64> *out, i64 *, i64 bin) const { out[bin] = sum; }
};

// An element and its index, which is `nowhere` of none.
template <class V> struct Extreme {
    V value;
    Index index;

    GNP_FN static Index nowhere() { return ~(Index)0; }
    GNP_FN static Extreme none()
    {
        Extreme e;
        e.value = V(0);
        e.index = nowhere();
        return e;
    }
    GNP_FN static Extreme of(V x, Index i, const GnpSegments &, const f64 *)
    {
        Extreme e;
        e.value = x;
        e.index = i;
        return e;
    }
    GNP_FN static bool below(V x, V y)
    {
        const bool is_low = ORDER == SEGMENT_FIRST && OPERATION == SEGMENT_LEAST;
        return less(x, y) || (is_low ? is_nan(x) && !is_nan(y) : !is_nan(x) && is_nan(y));
    }
    GNP_FN static Extreme combine(Extreme a, Extreme b)
    {
        if (a.index == nowhere() || b.index == nowhere()) {
            return b.index == nowhere() ? a : b;
        }
        const bool is_most = OPERATION == SEGMENT_MOST;
        if (below(a.value, b.value)) {
            return is_most ? b : a;
        }
        if (below(b.value, a.value)) {
            return is_most ? a : b;
        }
        return (a.index < b.index) == (is_most && ORDER == SEGMENT_SORTED) ? b : a;
    }
    GNP_FN void store(Raw<S> *out, i64 *at, i64 bin) const
    {
        out[bin] = Out<S, S>::raw(value);
        at[bin] = index == nowhere() ? 0 : (i64)index;
    }
};

template <int Operation, class V> struct Accumulator {
    typedef Extreme<V> type;
    typedef S Result;
};
template <class V> struct Accumulator<SEGMENT_SUM, V> {
    typedef Sum<V> type;
    typedef f64 Result;
};
typedef Accumulator<OPERATION, Compute<S>>::type A;
typedef Raw<Accumulator<OPERATION, Compute<S>>::Result> Result;

GNP_FN A combine(A a, A b) { return A::combine(a, b); }

// What element i contributes.
GNP_FN A element(Raw<S> raw, Index i, const GnpSegments &s, const f64 *centre)
{
    Compute<S> x = In<S, S>::value(raw);
    if constexpr (SOURCE == SEGMENT_ONE) {
        x = Compute<S>(1);
    }
    else if constexpr (SOURCE == SEGMENT_PLACE) {
        x = Compute<S>((i64)i / s.step % s.length);
    }
    return A::of(x, i, s, centre);
}
enum { READS = SOURCE != SEGMENT_ONE && SOURCE != SEGMENT_PLACE };

// ---- labels -----------------------------------------------------------------------------------------

// The place of labels in a table in ascending order: the first of equal ones, -1 where a label is absent.
struct Table {
    const Raw<X> *values;
    i64 count;
    Compute<X> low, high;
    bool is_range; // the table has successive integers, so that the place is a difference
    enum { IS_WORD = sizeof(Raw<K>) <= 4 }; // differences of such labels have 32 bits
    typedef typename Choose<IS_WORD, u32, u64>::type Distance;

    GNP_FN Table(const Raw<X> *v, i64 n) : values(v), count(n), is_range(false)
    {
        low = In<X, X>::value(v[0]);
        high = In<X, X>::value(v[n - 1]);
    }
    // All threads of the block call it, which pays off where they find many labels.
    GNP_FN void check_range()
    {
        if constexpr (Info<X>::cls == 'i') {
            bool all = true;
            if constexpr (IS_WORD) { // as if both were of the labels' type
                typedef typename Choose<sizeof(Raw<K>) == 4 && Info<K>::cls == 'u', u32, i32>::type Word;
                all = low == (Word)low && high == (Word)high;
            }
#pragma unroll 1
            for (i64 i = threadIdx.x; i < count; i += BLOCK) {
                all = all && In<X, X>::value(values[i]) == low + (Compute<X>)i;
            }
            is_range = __syncthreads_and(all);
        }
    }
    // Of a range; the other one of any table, whose greatest value may be NaN.
    GNP_FN i32 place_in_range(Raw<K> label) const
    {
        if constexpr (Info<X>::cls == 'i') { // what is below is far away without a sign
            const Distance place = (Distance)In<K, X>::value(label) - (Distance)low;
            return place < (Distance)count ? (i32)place : -1;
        }
        return -1;
    }
    GNP_FN i32 find(Raw<K> label) const
    {
        const Compute<X> x = In<K, X>::value(label);
        return !(x >= low) || x > high ? -1 : search(values, (i32)count, low, x);
    }
    // x is not below `low`: of integers the difference has 64 bits without a sign.
    static __device__ __noinline__ i32 search(const Raw<X> *values, i32 count, Compute<X> low, Compute<X> x)
    {
        typedef typename Choose<Info<X>::cls == 'i', u64, Compute<X>>::type Difference;
        const Difference difference = (Difference)x - (Difference)low;
        if (difference < (Difference)count) { // a range, perhaps
            const i32 place = (i32)difference;
            if (In<X, X>::value(values[place]) == x && (place == 0 || In<X, X>::value(values[place - 1]) < x)) {
                return place;
            }
        }
        i32 first = 0; // of the values that are not below x
#pragma unroll 1
        for (i32 last = count; first < last;) {
            const i32 middle = first + (last - first) / 2;
            if (In<X, X>::value(values[middle]) < x) {
                first = middle + 1;
            }
            else {
                last = middle;
            }
        }
        return first < count && In<X, X>::value(values[first]) == x ? first : -1;
    }
};

#endif

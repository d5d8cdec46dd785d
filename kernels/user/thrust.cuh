// thrust.cuh: the algorithms of gpunp.jit.thrust. The thread that calls one does all of it; nothing is allocated.
// Functions of the caller take arguments of any types and convert them (gpunp/jit/thrust.py).
#ifndef GNP_THRUST_CUH
#define GNP_THRUST_CUH

#include "user/jit.cuh"

// ---- iterators -----------------------------------------------------------------------------------------

// A position in the sequence that a Source gives by number.
template <class Source> struct Iterator {
    typedef typename Source::Value Value;
    Source source;
    i64 at;

    GNP_FN Value get(i64 k) const { return source.get(at + k); }
    template <class V> GNP_FN void set(i64 k, V v) const { source.place(at + k) = cast<Value>(v); }
    GNP_FN Iterator operator+(i64 k) const { return {source, at + k}; }
    GNP_FN Iterator operator-(i64 k) const { return {source, at - k}; }
    GNP_FN i64 operator-(Iterator other) const { return at - other.at + source.after(other.source); }
};

// Elements of an array in C order. Parts of one contiguous array have positions in common.
template <class T, int ND, bool CONTIGUOUS, class Index> struct Elements {
    typedef T Value;
    Array<T, ND, CONTIGUOUS, Index> array;

    GNP_FN Raw<T> &place(i64 k) const
    {
        if constexpr (CONTIGUOUS) {
            return array.data[k];
        }
        else {
            i64 offset = 0;
#pragma unroll
            for (int axis = ND - 1; axis > 0; axis--) {
                offset += k % array.extent.shape[axis] * array.extent.strides[axis];
                k /= array.extent.shape[axis];
            }
            return *(Raw<T> *)((char *)array.data + offset + k * array.extent.strides[0]);
        }
    }
    GNP_FN T get(i64 k) const
    {
        if constexpr (Same<T, bool>::value) {
            return place(k) != 0;
        }
        else {
            return place(k);
        }
    }
    GNP_FN i64 after(const Elements &other) const { return CONTIGUOUS ? array.data - other.array.data : 0; }
};

// `first`, and each number larger by one than that before it.
template <class T> struct Counting {
    typedef T Value;
    T first;
    GNP_FN T get(i64 k) const { return (T)(first + (T)k); }
    GNP_FN i64 after(const Counting &other) const { return (i64)(first - other.first); }
};

// The same value everywhere.
template <class T> struct Constant {
    typedef T Value;
    T value;
    GNP_FN T get(i64) const { return value; }
    GNP_FN i64 after(const Constant &) const { return 0; }
};

template <class T, int ND, bool CONTIGUOUS, class Index>
GNP_FN auto thrust_begin(Array<T, ND, CONTIGUOUS, Index> array)
{
    return Iterator<Elements<T, ND, CONTIGUOUS, Index>>{{array}, 0};
}

template <class I> GNP_FN void swap_values(I a, i64 k, I b, i64 j)
{
    const auto held = a.get(k);
    a.set(k, b.get(j));
    b.set(j, held);
}

#define EACH(K, N)                                                                                 \
    _Pragma("unroll 1") for (i64 K = 0, K##_end = (N); K < K##_end; K++)

// ---- copies --------------------------------------------------------------------------------------------

template <class I, class O> GNP_FN O thrust_copy(I first, I last, O result)
{
    EACH(k, last - first) { result.set(k, first.get(k)); }
    return result + (last - first);
}

template <class I, class V> GNP_FN void thrust_fill(I first, I last, V value)
{
    EACH(k, last - first) { first.set(k, value); }
}

template <class I, class V> GNP_FN void thrust_sequence(I first, I last, V init, V step)
{
    EACH(k, last - first) { first.set(k, init + step * cast<V>(k)); }
}

template <class M, class I, class O> GNP_FN O thrust_gather(M first, M last, I input, O result)
{
    EACH(k, last - first) { result.set(k, input.get((i64)first.get(k))); }
    return result + (last - first);
}

template <class I, class M, class O> GNP_FN void thrust_scatter(I first, I last, M map, O result)
{
    EACH(k, last - first) { result.set((i64)map.get(k), first.get(k)); }
}

template <class I> GNP_FN void thrust_reverse(I first, I last)
{
    EACH(k, (last - first) / 2) { swap_values(first, k, last, -1 - k); }
}

template <class I, class O> GNP_FN O thrust_reverse_copy(I first, I last, O result)
{
    EACH(k, last - first) { result.set(k, last.get(-1 - k)); }
    return result + (last - first);
}

template <class I, class J> GNP_FN J thrust_swap_ranges(I first1, I last1, J first2)
{
    EACH(k, last1 - first1)
    {
        const auto held = first1.get(k);
        first1.set(k, first2.get(k));
        first2.set(k, held);
    }
    return first2 + (last1 - first1);
}

template <class I, class O, class V, class W, class Equal>
GNP_FN O thrust_replace_copy(I first, I last, O result, V old_value, W new_value, Equal equal)
{
    EACH(k, last - first)
    {
        const auto x = first.get(k);
        if (equal(x, old_value)) {
            result.set(k, new_value);
        }
        else {
            result.set(k, x);
        }
    }
    return result + (last - first);
}

template <class I, class V, class W, class Equal>
GNP_FN void thrust_replace(I first, I last, V old_value, W new_value, Equal equal)
{
    thrust_replace_copy(first, last, first, old_value, new_value, equal);
}

template <class I, class O, class V, class Equal>
GNP_FN O thrust_remove_copy(I first, I last, O result, V value, Equal equal)
{
    i64 kept = 0;
    EACH(k, last - first)
    {
        const auto x = first.get(k);
        if (!equal(x, value)) {
            result.set(kept++, x);
        }
    }
    return result + kept;
}

template <class I, class V, class Equal> GNP_FN I thrust_remove(I first, I last, V value, Equal equal)
{
    return thrust_remove_copy(first, last, first, value, equal);
}

// ---- comparisons of sequences --------------------------------------------------------------------------

template <class I, class V, class Equal> GNP_FN i64 thrust_count(I first, I last, V value, Equal equal)
{
    i64 found = 0;
    EACH(k, last - first) { found += equal(first.get(k), value); }
    return found;
}

template <class I, class V, class Equal> GNP_FN I thrust_find(I first, I last, V value, Equal equal)
{
    EACH(k, last - first)
    {
        if (equal(first.get(k), value)) {
            return first + k;
        }
    }
    return last;
}

template <class I, class J, class Equal>
GNP_FN Tuple<I, J> thrust_mismatch(I first1, I last1, J first2, Equal equal)
{
    EACH(k, last1 - first1)
    {
        if (!equal(first1.get(k), first2.get(k))) {
            return {first1 + k, {first2 + k}};
        }
    }
    return {last1, {first2 + (last1 - first1)}};
}

template <class I, class J, class Equal> GNP_FN bool thrust_equal(I first1, I last1, J first2, Equal equal)
{
    return last1 - thrust_mismatch(first1, last1, first2, equal).head == 0;
}

// ---- sums and scans ------------------------------------------------------------------------------------

template <class I, class A, class Op> GNP_FN A thrust_reduce(I first, I last, A init, Op op)
{
    EACH(k, last - first) { init = cast<A>(op(init, first.get(k))); }
    return init;
}

template <class I, class J, class A, class Add, class Multiply>
GNP_FN A thrust_inner_product(I first1, I last1, J first2, A init, Add add, Multiply multiply)
{
    EACH(k, last1 - first1) { init = cast<A>(add(init, multiply(first1.get(k), first2.get(k)))); }
    return init;
}

template <class I, class O, class Op>
GNP_FN O thrust_adjacent_difference(I first, I last, O result, Op op)
{
    typename I::Value before;
    EACH(k, last - first)
    {
        const auto x = first.get(k);
        if (k == 0) {
            result.set(k, x);
        }
        else {
            result.set(k, op(x, before));
        }
        before = x;
    }
    return result + (last - first);
}

// Sums of the runs of positions between which `joined(k - 1, k)` holds; those before a position, or with it.
template <bool EXCLUSIVE, class I, class O, class A, class Op, class Joined>
GNP_FN O scan_runs(i64 n, I first, O result, A init, Op op, Joined joined)
{
    A sum = init;
    bool fresh = true;
    EACH(k, n)
    {
        const auto x = first.get(k);
        fresh = !joined(k) || k == 0;
        if constexpr (EXCLUSIVE) {
            sum = fresh ? init : sum;
            result.set(k, sum);
            sum = cast<A>(op(sum, x));
        }
        else {
            sum = fresh ? cast<A>(x) : cast<A>(op(sum, x));
            result.set(k, sum);
        }
    }
    return result + n;
}

// Whether a key belongs with that before it; asked once for each position, in order, since results may
// overwrite keys.
template <class K, class Equal> struct SameRun {
    typedef typename K::Value Key;
    K keys;
    Equal equal;
    Key before;
    GNP_FN bool operator()(i64 k)
    {
        const Key key = keys.get(k);
        const bool same = k > 0 && equal(before, key);
        before = key;
        return same;
    }
};

template <class I, class O, class Op> GNP_FN O thrust_inclusive_scan(I first, I last, O result, Op op)
{
    return scan_runs<false>(last - first, first, result, typename I::Value(), op, [](i64) { return true; });
}

template <class I, class O, class A, class Op>
GNP_FN O thrust_exclusive_scan(I first, I last, O result, A init, Op op)
{
    return scan_runs<true>(last - first, first, result, init, op, [](i64) { return true; });
}

template <class K, class I, class O, class Equal, class Op>
GNP_FN O thrust_inclusive_scan_by_key(K first1, K last1, I first2, O result, Equal equal, Op op)
{
    return scan_runs<false>(
        last1 - first1, first2, result, typename I::Value(), op, SameRun<K, Equal>{first1, equal});
}

template <class K, class I, class O, class A, class Equal, class Op>
GNP_FN O thrust_exclusive_scan_by_key(K first1, K last1, I first2, O result, A init, Equal equal, Op op)
{
    return scan_runs<true>(last1 - first1, first2, result, init, op, SameRun<K, Equal>{first1, equal});
}

template <class K, class I, class L, class O, class Equal, class Op>
GNP_FN Tuple<L, O> thrust_reduce_by_key(
    K keys, K keys_last, I values, L keys_output, O values_output, Equal equal, Op op)
{
    typedef typename I::Value A;
    SameRun<K, Equal> same{keys, equal};
    i64 runs = 0;
    A sum{};
    EACH(k, keys_last - keys)
    {
        const auto x = values.get(k);
        const bool joined = same(k);
        runs += !joined;
        sum = joined ? cast<A>(op(sum, x)) : x;
        if (!joined) {
            keys_output.set(runs - 1, same.before);
        }
        values_output.set(runs - 1, sum);
    }
    return {keys_output + runs, {values_output + runs}};
}

// ---- runs of equal elements ----------------------------------------------------------------------------

template <class K, class I, class Equal>
GNP_FN Tuple<K, I> thrust_unique_by_key(K keys, K keys_last, I values, Equal equal)
{
    i64 kept = 0;
    EACH(k, keys_last - keys)
    {
        if (k == 0 || !equal(keys.get(kept - 1), keys.get(k))) {
            keys.set(kept, keys.get(k));
            values.set(kept++, values.get(k));
        }
    }
    return {keys + kept, {values + kept}};
}

template <class I, class Equal> GNP_FN I thrust_unique(I first, I last, Equal equal)
{
    return thrust_unique_by_key(first, last, first, equal).head;
}

// ---- sorted sequences ----------------------------------------------------------------------------------

// The first position of n at which `stays` no longer holds.
template <class Stays> GNP_FN i64 partition_point(i64 n, Stays stays)
{
    i64 low = 0, high = n;
#pragma unroll 1
    while (low < high) {
        const i64 middle = low + (high - low) / 2;
        if (stays(middle)) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low;
}

template <class I, class V, class Less> GNP_FN I thrust_lower_bound(I first, I last, V value, Less less)
{
    return first + partition_point(last - first, [&](i64 k) { return less(first.get(k), value); });
}

template <class I, class V, class Less> GNP_FN I thrust_upper_bound(I first, I last, V value, Less less)
{
    return first + partition_point(last - first, [&](i64 k) { return !less(value, first.get(k)); });
}

template <class I, class V, class Less>
GNP_FN Tuple<I, I> thrust_equal_range(I first, I last, V value, Less less)
{
    return {thrust_lower_bound(first, last, value, less), {thrust_upper_bound(first, last, value, less)}};
}

template <class I, class V, class Less> GNP_FN bool thrust_binary_search(I first, I last, V value, Less less)
{
    const I found = thrust_lower_bound(first, last, value, less);
    return last - found > 0 && !less(value, found.get(0));
}

#define FOR_EACH_VALUE(NAME, RESULT)                                                               \
    template <class I, class J, class O, class Less>                                               \
    GNP_FN O NAME##_each(I first, I last, J values, J values_last, O result, Less less)            \
    {                                                                                              \
        EACH(k, values_last - values)                                                              \
        {                                                                                          \
            const auto found = NAME(first, last, values.get(k), less);                             \
            result.set(k, RESULT);                                                                 \
        }                                                                                          \
        return result + (values_last - values);                                                    \
    }
FOR_EACH_VALUE(thrust_lower_bound, found - first)
FOR_EACH_VALUE(thrust_upper_bound, found - first)
FOR_EACH_VALUE(thrust_binary_search, found)
#undef FOR_EACH_VALUE

template <class I, class Less> GNP_FN I thrust_is_sorted_until(I first, I last, Less less)
{
    EACH(k, last - first)
    {
        if (k > 0 && less(first.get(k), first.get(k - 1))) {
            return first + k;
        }
    }
    return last;
}

template <class I, class Less> GNP_FN bool thrust_is_sorted(I first, I last, Less less)
{
    return last - thrust_is_sorted_until(first, last, less) == 0;
}

// ---- sets: of m and n equal elements max(m, n), min(m, n), max(m - n, 0) or |m - n| remain -----------------

enum SetParts { ONLY_FIRST = 1, ONLY_SECOND = 2, BOTH = 4 };

// Walks two sorted sequences and calls `emit(is of the second, position in it)` for what remains.
template <int PARTS, class I, class J, class Less, class Emit>
GNP_FN void walk_sets(I first1, I last1, J first2, J last2, Less less, Emit emit)
{
    const i64 n1 = last1 - first1, n2 = last2 - first2;
    i64 i = 0, j = 0;
#pragma unroll 1
    while (i < n1 || j < n2) {
        const bool takes_first = j == n2 || (i < n1 && less(first1.get(i), first2.get(j)));
        const bool takes_second = !takes_first && (i == n1 || less(first2.get(j), first1.get(i)));
        if (PARTS & (takes_first ? ONLY_FIRST : takes_second ? ONLY_SECOND : BOTH)) {
            emit(takes_second, takes_second ? j : i);
        }
        i += !takes_second;
        j += !takes_first;
    }
}

template <int PARTS, class I, class J, class O, class Less>
GNP_FN O thrust_set(I first1, I last1, J first2, J last2, O result, Less less)
{
    i64 n = 0;
    walk_sets<PARTS>(first1, last1, first2, last2, less, [&](bool second, i64 k) {
        if (second) {
            result.set(n++, first2.get(k));
        }
        else {
            result.set(n++, first1.get(k));
        }
    });
    return result + n;
}

template <int PARTS, class I, class J, class V, class W, class L, class O, class Less>
GNP_FN Tuple<L, O> thrust_set_by_key(
    I keys1, I last1, J keys2, J last2, V values1, W values2, L keys_result, O values_result, Less less)
{
    i64 n = 0;
    walk_sets<PARTS>(keys1, last1, keys2, last2, less, [&](bool second, i64 k) {
        if (second) {
            keys_result.set(n, keys2.get(k));
            values_result.set(n++, values2.get(k));
        }
        else {
            keys_result.set(n, keys1.get(k));
            values_result.set(n++, values1.get(k));
        }
    });
    return {keys_result + n, {values_result + n}};
}

// An intersection takes the values of the first sequence alone.
template <int PARTS, class I, class J, class V, class L, class O, class Less>
GNP_FN Tuple<L, O> thrust_set_by_key(
    I keys1, I last1, J keys2, J last2, V values1, L keys_result, O values_result, Less less)
{
    return thrust_set_by_key<PARTS>(
        keys1, last1, keys2, last2, values1, values1, keys_result, values_result, less);
}

// ---- sorting -------------------------------------------------------------------------------------------

// Stable, in place, by comparisons and swaps of positions: sorted runs are merged by symmetric comparisons
// (Kim and Kutzner, Stable Minimum Storage Merging by Symmetric Comparisons, 2004), O(n log^2 n).
template <class Less, class Swap> struct Sorter {
    enum { RUN = 16 };
    Less less;
    Swap swap;

    GNP_FN void insert(i64 low, i64 high)
    {
#pragma unroll 1
        for (i64 k = low + 1; k < high; k++) {
#pragma unroll 1
            for (i64 j = k; j > low && less(j, j - 1); j--) {
                swap(j, j - 1);
            }
        }
    }

    GNP_FN void reverse(i64 low, i64 high)
    {
#pragma unroll 1
        for (high--; low < high; low++, high--) {
            swap(low, high);
        }
    }

    // Exchanges the parts [low, middle) and [middle, high).
    GNP_FN void rotate(i64 low, i64 middle, i64 high)
    {
        if (low < middle && middle < high) {
            reverse(low, middle);
            reverse(middle, high);
            reverse(low, high);
        }
    }

    // Splits a merge of [low, middle) and [middle, high) at the centre of both: afterwards everything before
    // `centre` comes before everything behind it, and the two halves are merges of [low, first), [first, centre)
    // and of [centre, second), [second, high).
    GNP_FN void split(i64 low, i64 middle, i64 high, i64 centre, i64 &first, i64 &second)
    {
        const i64 sum = centre + middle;
        i64 start = middle > centre ? sum - high : low, bound = middle > centre ? centre : middle;
        start += partition_point(
            bound - start, [&, from = start](i64 k) { return !less(sum - 1 - from - k, from + k); });
        rotate(start, middle, sum - start);
        first = start;
        second = sum - start;
    }

    // Merges that wait are kept in a list: each is at most half of the one before it.
    GNP_FN void merge(i64 low, i64 middle, i64 high)
    {
        i64 waiting[3 * 64];
        int n = 0;
#pragma unroll 1
        for (;;) {
            const bool is_merge = low < middle && middle < high;
            if (is_merge && high - low > 2) {
                const i64 centre = low + (high - low) / 2;
                i64 first, second;
                split(low, middle, high, centre, first, second);
                waiting[n++] = centre, waiting[n++] = second, waiting[n++] = high;
                middle = first, high = centre;
                continue;
            }
            if (is_merge && less(middle, low)) {
                swap(low, middle);
            }
            if (n == 0) {
                return;
            }
            high = waiting[--n], middle = waiting[--n], low = waiting[--n];
        }
    }

    GNP_FN void sort(i64 n)
    {
#pragma unroll 1
        for (i64 low = 0; low < n; low += RUN) {
            insert(low, low + RUN < n ? low + RUN : n);
        }
#pragma unroll 1
        for (i64 run = RUN; run < n; run *= 2) {
#pragma unroll 1
            for (i64 low = 0; low + run < n; low += 2 * run) {
                merge(low, low + run, low + 2 * run < n ? low + 2 * run : n);
            }
        }
    }
};

template <class Less, class Swap> GNP_FN void sort_positions(i64 n, Less less, Swap swap)
{
    Sorter<Less, Swap>{less, swap}.sort(n);
}

template <class I, class Less> GNP_FN void thrust_sort(I first, I last, Less less)
{
    sort_positions(
        last - first, [&](i64 j, i64 k) { return less(first.get(j), first.get(k)); },
        [&](i64 j, i64 k) { swap_values(first, j, first, k); });
}

template <class K, class I, class Less>
GNP_FN void thrust_sort_by_key(K keys, K keys_last, I values, Less less)
{
    sort_positions(
        keys_last - keys, [&](i64 j, i64 k) { return less(keys.get(j), keys.get(k)); },
        [&](i64 j, i64 k) {
            swap_values(keys, j, keys, k);
            swap_values(values, j, values, k);
        });
}

#undef EACH
#endif

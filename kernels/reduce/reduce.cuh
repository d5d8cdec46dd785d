// reduce.cuh: combining the elements of a thread, and the threads of a block. Included after the knobs, which
// declare S (the input's type), T (the type reduced), A (the accumulator), R (the result's type), Index,
// identity(), map(), combine() and finish().
#ifndef GNP_REDUCE_CUH
#define GNP_REDUCE_CUH

#include "lanes.cuh"

typedef Signed<Index>::type Stride;
typedef Compute<T> Value;

GNP_FN A load_one(const char *p, u64 i) { return map(In<S, T>::value(*(const Raw<S> *)p), i); }

// N values, in groups of W neighbours whose indices are `step` apart.
template <class Acc, int N, int W> struct Group {
    GNP_FN static Acc of(const Value (&v)[N], u64 i, u64 step)
    {
        Acc x[N];
#pragma unroll
        for (int k = 0; k < N; k++) {
            x[k] = map(v[k], i + (u64)(k / W) * step + (u64)(k % W));
        }
        return combine_all(x);
    }
};

// The same with a mask.
template <int N, int W> GNP_FN A combine_used(const Value (&v)[N], const u8 (&use)[N], u64 i, u64 step)
{
    A x[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        x[k] = use[k] ? map(v[k], i + (u64)(k / W) * step + (u64)(k % W)) : identity();
    }
    return combine_all(x);
}

// Moments of a group: shifted by its first value, so that little cancels, and with one division for all.
template <class V, int N, int W> struct Group<Moments<V>, N, W> {
    GNP_FN static Moments<V> of(const V (&v)[N], u64, u64)
    {
        typedef typename Moments<V>::Mean Mean;
        V sums[N];
        Part<V> squares[N];
#pragma unroll
        for (int k = 0; k < N; k++) {
            sums[k] = v[k] - v[0];
        }
        V mean = times_f64(combine_tree(sums, [](V a, V b) { return a + b; }), 1.0 / N);
#pragma unroll
        for (int k = 0; k < N; k++) {
            squares[k] = squared(v[k] - v[0] - mean);
        }
        Part<V> m2 = combine_tree(squares, [](Part<V> a, Part<V> b) { return a + b; });
        return moments<V>(N, cast<Mean>(v[0]) + cast<Mean>(mean), m2);
    }
};

// The same to the fourth power.
template <class V, int N, int W> struct Group<Powers<V>, N, W> {
    GNP_FN static Powers<V> of(const V (&v)[N], u64, u64)
    {
        V sums[N], second[N], third[N], fourth[N];
#pragma unroll
        for (int k = 0; k < N; k++) {
            sums[k] = v[k] - v[0];
        }
        V mean = times_f64(combine_tree(sums, [](V a, V b) { return a + b; }), 1.0 / N);
#pragma unroll
        for (int k = 0; k < N; k++) {
            V d = v[k] - v[0] - mean;
            second[k] = d * d;
            third[k] = second[k] * d;
            fourth[k] = second[k] * second[k];
        }
        auto add = [](V a, V b) { return a + b; };
        return Powers<V>{N, cast<f64>(v[0]) + cast<f64>(mean), cast<f64>(combine_tree(second, add)),
                         cast<f64>(combine_tree(third, add)), cast<f64>(combine_tree(fourth, add))};
    }
};

// Those of values that are not NaN: shifted by one of them, and with one division for all.
template <class V, int N, int W> struct Group<Present<V>, N, W> {
    GNP_FN static Present<V> of(const V (&v)[N], u64, u64)
    {
        typedef typename Moments<V>::Mean Mean;
        V sums[N], pivot = v[0];
        Part<V> squares[N];
        u32 n = 0;
#pragma unroll
        for (int k = 0; k < N; k++) {
            n += !is_nan(v[k]);
            pivot = is_nan(pivot) ? v[k] : pivot;
        }
#pragma unroll
        for (int k = 0; k < N; k++) {
            sums[k] = is_nan(v[k]) ? V(0) : v[k] - pivot;
        }
        V mean = times_f64(combine_tree(sums, [](V a, V b) { return a + b; }), 1.0 / (n > 0 ? n : 1));
#pragma unroll
        for (int k = 0; k < N; k++) {
            squares[k] = is_nan(v[k]) ? Part<V>(0) : squared(v[k] - pivot - mean);
        }
        Part<V> m2 = combine_tree(squares, [](Part<V> a, Part<V> b) { return a + b; });
        return n > 0 ? Present<V>{moments<V>(n, cast<Mean>(pivot) + cast<Mean>(mean), m2)} : present<V>();
    }
};

// Extremes of a group: of equal values the first wins, so the position within the group is kept, in a small
// integer.
template <class V, int N, int W> struct Group<Indexed<V>, N, W> {
    GNP_FN static Indexed<V> of(const V (&v)[N], u64 i, u64 step)
    {
        struct Candidate {
            V value;
            u32 at;
        } x[N];
#pragma unroll
        for (int k = 0; k < N; k++) {
            x[k] = {v[k], (u32)k};
        }
        Candidate best = combine_tree(x, [](Candidate a, Candidate b) {
            const bool top = less(identity().value, extreme<V>(true));
            bool better = (top ? less(a.value, b.value) : less(b.value, a.value)) || is_nan(b.value);
            return better && !is_nan(a.value) ? b : a;
        });
        return map(best.value, i + (u64)(best.at / W) * step + best.at % W);
    }
};

// ---- the end ------------------------------------------------------------------------------------------------

// `count` elements were reduced; `parameter` is an argument of the row's finish (ddof of a variance).
typedef GnpReduceEnding Ending;

GNP_FN void store_result(char *out, A x, const Ending &end)
{
    if constexpr (INITIAL != 0) {
        x = combine(map(In<T, T>::value(slot_value<Raw<T>>(Slot{end.initial[0], end.initial[1]})), 0), x);
    }
    *(Raw<R> *)out = Out<R, R>::raw(finish(x, end.count, end.parameter));
}

#endif

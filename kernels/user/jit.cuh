// jit.cuh: the library of kernels written in Python (gpunp.jit): arrays with their shape, atomics and
// shuffles of any type. csrc/user/dispatch.c fills in Array on the host.
#ifndef GNP_JIT_CUH
#define GNP_JIT_CUH

#include "math.cuh"

// ---- arrays ------------------------------------------------------------------------------------------

template <int N, bool CONTIGUOUS> struct Extent {
    i64 shape[N], strides[N]; // elements, bytes
};
template <int N> struct Extent<N, true> {
    i64 shape[N];
};

// Index is i32 where the host proved that every offset fits. CONTIGUOUS means C order.
template <class T, int ND, bool CONTIGUOUS, class Index> struct Array {
    Raw<T> *data;
    Extent<(ND > 0 ? ND : 1), CONTIGUOUS> extent;

    GNP_FN i64 size() const
    {
        i64 n = 1;
#pragma unroll
        for (int axis = 0; axis < ND; axis++) {
            n *= extent.shape[axis];
        }
        return n;
    }

    // Bytes from one element to the next along an axis.
    GNP_FN i64 stride(int axis) const
    {
        if constexpr (CONTIGUOUS) {
            i64 n = sizeof(T);
#pragma unroll
            for (int later = ND - 1; later > 0; later--) {
                n *= later > axis ? extent.shape[later] : 1;
            }
            return n;
        }
        else {
            return extent.strides[axis];
        }
    }

    // The first element of the part that N leading indices choose.
    template <int N> GNP_FN Raw<T> *part(const Index (&index)[N]) const
    {
        if constexpr (CONTIGUOUS) {
            Index offset = 0;
#pragma unroll
            for (int axis = 0; axis < ND; axis++) {
                offset = (Index)(offset * (axis > 0 ? (Index)extent.shape[axis] : 0) +
                                 (axis < N ? index[axis] : 0));
            }
            return data + offset;
        }
        else {
            Index offset = 0;
#pragma unroll
            for (int axis = 0; axis < N; axis++) {
                offset += (Index)(index[axis] * (Index)extent.strides[axis]);
            }
            return (Raw<T> *)((char *)data + offset);
        }
    }

    GNP_FN Raw<T> &at() const { return *data; }
    template <class... I> GNP_FN Raw<T> &at(I... i) const
    {
        const Index index[] = {(Index)i...};
        return *part(index);
    }

    // The subarray at given leading indices.
    template <class... I> GNP_FN auto view(I... i) const
    {
        constexpr int N = sizeof...(I);
        const Index index[] = {(Index)i...};
        Array<T, ND - N, CONTIGUOUS, Index> rest;
        rest.data = part(index);
#pragma unroll
        for (int axis = N; axis < ND; axis++) {
            rest.extent.shape[axis - N] = extent.shape[axis];
            if constexpr (!CONTIGUOUS) {
                rest.extent.strides[axis - N] = extent.strides[axis];
            }
        }
        return rest;
    }
};

// Several results of a function.
template <class... T> struct Tuple {};
template <class T, class... Rest> struct Tuple<T, Rest...> {
    T head;
    Tuple<Rest...> rest;
};

// ---- threads -----------------------------------------------------------------------------------------

GNP_FN u32 lane_id()
{
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

enum Shuffle { FROM, UP, DOWN, XOR_LANES };

template <Shuffle HOW, class Word> GNP_FN Word shuffle_word(u32 mask, Word x, u32 lane, u32 width)
{
    if constexpr (HOW == FROM) {
        return __shfl_sync(mask, x, lane, width);
    }
    else if constexpr (HOW == UP) {
        return __shfl_up_sync(mask, x, lane, width);
    }
    else if constexpr (HOW == DOWN) {
        return __shfl_down_sync(mask, x, lane, width);
    }
    else {
        return __shfl_xor_sync(mask, x, lane, width);
    }
}

// Values of any type, in words of four or eight bytes.
template <Shuffle HOW, class T> GNP_FN T shuffle(u32 mask, T x, u32 lane, u32 width)
{
    if constexpr (sizeof(T) <= 4) {
        u32 word = 0;
        memcpy(&word, &x, sizeof(T));
        word = shuffle_word<HOW>(mask, word, lane, width);
        memcpy(&x, &word, sizeof(T));
    }
    else {
        u64 word[sizeof(T) / 8];
        memcpy(word, &x, sizeof(T));
        for (u64 &part : word) {
            part = shuffle_word<HOW>(mask, part, lane, width);
        }
        memcpy(&x, word, sizeof(T));
    }
    return x;
}

// Operations of warp reductions.
struct AddOf {
    template <class T> GNP_FN T operator()(T a, T b) const { return a + b; }
};
struct MaxOf {
    template <class T> GNP_FN T operator()(T a, T b) const { return a < b ? b : a; }
};
struct MinOf {
    template <class T> GNP_FN T operator()(T a, T b) const { return b < a ? b : a; }
};

// ---- atomics: each returns the old value -----------------------------------------------------------

// Compare-and-swap loop: computes a new value from the old one until no other thread intervenes. Compares
// bits, so that a NaN equals itself. Types below four bytes are updated in the word that contains them.
template <class T, class Change> GNP_FN T atomic_change(T *p, Change change)
{
    static_assert(sizeof(T) <= 8, "no atomic of this size");
    T old;
    if constexpr (sizeof(T) == 8) {
        u64 *at = (u64 *)p, seen = *(volatile u64 *)at, word, expected;
        do {
            expected = seen;
            memcpy(&old, &seen, 8);
            const T fresh = change(old);
            memcpy(&word, &fresh, 8);
            seen = atomicCAS(at, expected, word);
        } while (seen != expected);
    }
    else {
        const u32 inside = (u32)((u64)p % 4), shift = inside * 8;
        const u32 mask = ~0u >> (32 - 8 * sizeof(T)) << shift;
        u32 *at = (u32 *)((u64)p - inside), seen = *(volatile u32 *)at, expected;
        do {
            expected = seen;
            u32 word = seen >> shift;
            memcpy(&old, &word, sizeof(T));
            const T fresh = change(old);
            word = 0;
            memcpy(&word, &fresh, sizeof(T));
            seen = atomicCAS(at, expected, (expected & ~mask) | word << shift);
        } while (seen != expected);
    }
    return old;
}

template <class T> struct HasAtomics { enum { value = 0 }; };
template <> struct HasAtomics<i32> { enum { value = 1 }; };
template <> struct HasAtomics<u32> { enum { value = 1 }; };
template <> struct HasAtomics<i64> { enum { value = 1 }; };
template <> struct HasAtomics<u64> { enum { value = 1 }; };

template <class T> GNP_FN T atomic_add(T *p, T v)
{
    return atomic_change(p, [=](T old) { return (T)(old + v); });
}
GNP_FN i32 atomic_add(i32 *p, i32 v) { return atomicAdd(p, v); }
GNP_FN u32 atomic_add(u32 *p, u32 v) { return atomicAdd(p, v); }
GNP_FN i64 atomic_add(i64 *p, i64 v) { return (i64)atomicAdd((u64 *)p, (u64)v); }
GNP_FN u64 atomic_add(u64 *p, u64 v) { return atomicAdd(p, v); }
GNP_FN f32 atomic_add(f32 *p, f32 v) { return atomicAdd(p, v); }
GNP_FN f64 atomic_add(f64 *p, f64 v) { return atomicAdd(p, v); }
template <class F> GNP_FN Complex<F> atomic_add(Complex<F> *p, Complex<F> v) // part by part
{
    const F re = atomicAdd(&p->re, v.re);
    return Complex<F>(re, atomicAdd(&p->im, v.im));
}
template <class T> GNP_FN T atomic_sub(T *p, T v)
{
    if constexpr (Info<T>::cls == 'f' && sizeof(T) == 2) {
        return atomic_change(p, [=](T old) { return (T)(old - v); });
    }
    else {
        return atomic_add(p, negative(v));
    }
}

// NATIVE types use the hardware's instruction, others CHANGE, an expression in `old` and `v`.
#define GNP_ATOMIC(NAME, NATIVE, CHANGE)                                                           \
    template <class T> GNP_FN T NAME(T *p, T v)                                                    \
    {                                                                                              \
        if constexpr (HasAtomics<T>::value) {                                                      \
            return NATIVE(p, v);                                                                   \
        }                                                                                          \
        else {                                                                                     \
            return atomic_change(p, [=](T old) { return (T)(CHANGE); });                           \
        }                                                                                          \
    }
GNP_ATOMIC(atomic_min, atomicMin, v < old ? v : old)
GNP_ATOMIC(atomic_max, atomicMax, v > old ? v : old)
GNP_ATOMIC(atomic_and, atomicAnd, old & v)
GNP_ATOMIC(atomic_or, atomicOr, old | v)
GNP_ATOMIC(atomic_xor, atomicXor, old ^ v)
#undef GNP_ATOMIC

template <class T> GNP_FN T atomic_exch(T *p, T v)
{
    return atomic_change(p, [=](T) { return v; });
}
template <class T> GNP_FN T atomic_inc(T *p, T top)
{
    return atomic_change(p, [=](T old) { return old >= top ? (T)0 : (T)(old + 1); });
}
GNP_FN u32 atomic_inc(u32 *p, u32 top) { return atomicInc(p, top); }
template <class T> GNP_FN T atomic_dec(T *p, T top)
{
    return atomic_change(p, [=](T old) { return old == 0 || old > top ? top : (T)(old - 1); });
}
GNP_FN u32 atomic_dec(u32 *p, u32 top) { return atomicDec(p, top); }
template <class T> GNP_FN T atomic_cas(T *p, T expected, T v)
{
    return atomic_change(p, [=](T old) { return old == expected ? v : old; });
}

#endif

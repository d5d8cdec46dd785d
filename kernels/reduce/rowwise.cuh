// rowwise.cuh: the phases of rowwise.cu. Included after the knobs.
#ifndef GNP_ROWWISE_CUH
#define GNP_ROWWISE_CUH

#include "edges.cuh"

typedef Layout<Index, REDUCED, OPERANDS> Reduced;
typedef Edges<Index, WIDTH> Span; // the row

// Where the phase's operands are at index i of the row.
template <class P> struct Places {
    enum { N = P::Operands::size > 0 ? P::Operands::size : 1 };
    Stride at[N], steps[N];
    GNP_FN Places(const Stride *base, const Reduced &reduced, Index i)
    {
        Offsets<Index, OPERANDS> r = reduced.at(i);
#pragma unroll
        for (int j = 0; j < P::Operands::size; j++) {
            at[j] = base[P::FIRST + j] + r.at[P::FIRST + j];
            steps[j] = reduced.stride[0][P::FIRST + j];
        }
    }
    GNP_FN Scattered where() const { return Scattered{at, steps}; }
};

// A value in shared memory, as raw bytes: no constructors run there.
template <class X> struct alignas(alignof(X)) Shared {
    u8 bytes[sizeof(X)];
    GNP_FN void keep(const X &x) { *(X *)bytes = x; }
    GNP_FN X get() const { return *(const X *)bytes; }
};

template <class A> GNP_FN A shuffle(A x, int lane, bool down)
{
    const int words = (sizeof(A) + 3) / 4;
    u32 word[words];
    word[words - 1] = 0;
    memcpy(word, &x, sizeof(A));
#pragma unroll
    for (int k = 0; k < words; k++) {
        word[k] = down ? __shfl_down_sync(0xffffffffu, word[k], lane) : __shfl_sync(0xffffffffu, word[k], lane);
    }
    memcpy(&x, word, sizeof(A));
    return x;
}

// The combination of a row's threads, in the order of combine_lanes, in all of them.
template <class P> GNP_FN typename P::A combine_row(typename P::A x)
{
    typedef typename P::A A;
    const int warps = LANES / 32;
    int lane = threadIdx.x % LANES;
#pragma unroll
    for (int d = (LANES < 32 ? LANES : 32) / 2; d > 0; d /= 2) {
        x = P::combine(x, shuffle(x, d, true));
    }
    if constexpr (warps > 1) {
        __shared__ Shared<A> first[BLOCK / 32];
        if (threadIdx.x % 32 == 0) {
            first[threadIdx.x / 32].keep(x);
        }
        __syncthreads();
        x = first[(threadIdx.x - lane) / 32 + (lane < warps ? lane : 0)].get();
#pragma unroll
        for (int d = warps / 2; d > 0; d /= 2) {
            x = P::combine(x, shuffle(x, d, true));
        }
        __syncthreads();
        if (lane == 0) {
            first[threadIdx.x / 32].keep(x);
        }
        __syncthreads();
        return first[(threadIdx.x - lane) / 32].get();
    }
    else {
        return shuffle(x, (int)(threadIdx.x % 32) - lane % 32, false);
    }
}

template <class P, class A, int N> GNP_FN A combine_tree(A (&y)[N])
{
#pragma unroll
    for (int s = 1; s < N; s *= 2) {
#pragma unroll
        for (int k = 0; k + s < N; k += 2 * s) {
            y[k] = P::combine(y[k], y[k + s]);
        }
    }
    return y[0];
}

template <class P, int V> GNP_FN void load_from(Registers<typename P::Operands, V> &r, const Slot *slots, const Places<P> &places)
{
    r.template load_list<false, true>(slots + P::FIRST, places.where(), V);
}

template <class P>
GNP_FN void reduce_row(const Slot *slots, const Stride *base, const Reduced &reduced, Row &row, const Span &span)
{
    typedef typename P::A A;
    const Index step = LANES * WIDTH, ahead = (UNROLL - 1) * step + WIDTH;
    Index i = span.begin + threadIdx.x % LANES * WIDTH;
    A x = P::identity();
    P phase;

    if constexpr (WIDTH > 1) {
        const int rounds = edge_rounds<WIDTH, LANES, RAGGED>();
        Registers<typename P::Operands, 1> r[rounds];
#pragma unroll
        for (int k = 0; k < rounds; k++) {
            Index edge = k * LANES + threadIdx.x % LANES;
            if (edge < span.count()) {
                load_from<P>(r[k], slots, Places<P>(base, reduced, span.at(edge)));
            }
        }
#pragma unroll
        for (int k = 0; k < rounds; k++) {
            Index edge = k * LANES + threadIdx.x % LANES;
            if (edge < span.count()) {
                x = P::combine(x, r[k].apply(0, phase, row));
            }
        }
    }
#pragma unroll 1
    for (; i < span.end && span.end - i >= ahead; i += UNROLL * step) {
        Registers<typename P::Operands, WIDTH> r[UNROLL];
        A y[UNROLL * WIDTH];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            load_from<P>(r[k], slots, Places<P>(base, reduced, i + k * step));
        }
#pragma unroll
        for (int k = 0; k < UNROLL * WIDTH; k++) {
            y[k] = r[k / WIDTH].apply(k % WIDTH, phase, row);
        }
        x = P::combine(x, combine_tree<P>(y));
    }
    if constexpr (UNROLL > 1) {
        const int left = UNROLL > 1 ? UNROLL - 1 : 1;
        Registers<typename P::Operands, WIDTH> r[left];
#pragma unroll
        for (int k = 0; k < left; k++) {
            if (i < span.end && span.end - i > k * step) {
                load_from<P>(r[k], slots, Places<P>(base, reduced, i + k * step));
            }
        }
#pragma unroll
        for (int k = 0; k < left; k++) {
            if (i < span.end && span.end - i > k * step) {
                A y[WIDTH];
#pragma unroll
                for (int v = 0; v < WIDTH; v++) {
                    y[v] = r[k].apply(v, phase, row);
                }
                x = P::combine(x, combine_tree<P>(y));
            }
        }
    }
    finish(phase, row, combine_row<P>(x), slots, base, span.stop > 0 && threadIdx.x % LANES == 0, (u64)span.stop);
}

template <class P, int V>
GNP_FN void run_at(const Slot *slots, const Stride *base, const Reduced &reduced, Row &row, Index i)
{
    P phase;
    Registers<typename P::Operands, V> r;
    Places<P> places(base, reduced, i);
    r.load(slots + P::FIRST, places.where(), V);
#pragma unroll
    for (int v = 0; v < V; v++) {
        r.apply(v, phase, row);
    }
    r.store(slots + P::FIRST, places.where(), V);
}

template <class P>
GNP_FN void run_each(const Slot *slots, const Stride *base, const Reduced &reduced, Row &row, const Span &span)
{
    if constexpr (WIDTH > 1) {
#pragma unroll 1
        for (Index edge = threadIdx.x % LANES; edge < span.count(); edge += LANES) {
            run_at<P, 1>(slots, base, reduced, row, span.at(edge));
        }
    }
#pragma unroll 1
    for (Index i = span.begin + threadIdx.x % LANES * WIDTH; i < span.end; i += LANES * WIDTH) {
        run_at<P, WIDTH>(slots, base, reduced, row, i);
    }
}

// Called by every thread of the row; the first one stores.
template <class P> GNP_FN void run_once(const Slot *slots, const Stride *base, const Reduced &reduced, Row &row, const Span &span)
{
    P phase;
    Registers<typename P::Operands, 1> r;
    Places<P> places(base, reduced, 0);
    r.template load_list<false, true>(slots + P::FIRST, places.where(), 1);
    r.apply(0, phase, row);
    if (span.stop > 0 && threadIdx.x % LANES == 0) {
        r.template store_list<true>(slots + P::FIRST, places.where(), 1);
    }
}

template <int K> GNP_FN void run_phases(const Slot *slots, const Stride *base, const Reduced &reduced, Row &row, const Span &span)
{
    if constexpr (K < PHASES) {
        typedef typename Phase<K>::type P;
        if constexpr (P::kind == REDUCES) {
            reduce_row<P>(slots, base, reduced, row, span);
        }
        else if constexpr (P::kind == ONCE) {
            run_once<P>(slots, base, reduced, row, span);
        }
        else {
            run_each<P>(slots, base, reduced, row, span);
        }
        run_phases<K + 1>(slots, base, reduced, row, span);
    }
}

#endif

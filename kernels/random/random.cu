// random: out[k] = a number drawn for element k of fresh or given contiguous memory; the number depends on
// the source, on k and on the parameters of element k alone, never on the grid.
// Knobs: R element type; F type computed in; P type of parameters, NPARAMS of them, MIXED 1 when some are
// arrays (ND axes of `lay`, the rest are values); Index u32 or u64; Origin the source; KIND; BLOCK threads;
// UNROLL groups per thread; STORE elements per store; prepare(a), what depends on the parameters alone;
// value(x, a, s), the element.
// Launch: one thread per UNROLL groups; sources that keep a state: thread t has sequence t, in any grid.
#include "knobs/random.cuh"

struct Parameters {
    P value[NPARAMS];
    const char *at[NPARAMS]; // null: the value
};

// DRAW_WORD, DRAW_NORMAL and DRAW_BOUNDED draw for a group at once; DRAW_PAIRED does so for the first normal
// variate of each element's stream; DRAW_DRAWS draws for one element; DRAW_BITS fills whole words.
template <int K> struct Group {
    enum { size = K == DRAW_DRAWS ? 1 : K == DRAW_BITS ? 16 / sizeof(R) : Word<F>::group };
};

// The parameters of element k.
template <class Lay> GNP_FN void load(const Parameters &p, const Lay &lay, Index k, P (&a)[NPARAMS])
{
#pragma unroll
    for (int i = 0; i < NPARAMS; i++) {
        a[i] = p.value[i];
    }
    if constexpr (MIXED) {
        Offsets<Index, NPARAMS> at = lay.at(k);
#pragma unroll
        for (int i = 0; i < NPARAMS; i++) {
            if (p.at[i]) {
                a[i] = *(const P *)(p.at[i] + at.at[i]);
            }
        }
    }
}

// The integer below n of a word, without bias; n = 0 stands for 2^bits. D. Lemire, "Fast random integer
// generation in an interval", ACM Transactions on Modeling and Computer Simulation 29 (2019). Words below the
// threshold 2^bits modulo n are rejected. `least` is this threshold, computed by the host where n is a
// number; where n is an array `least` is n, an upper bound, and the remainder is computed only when a word is
// below it.
template <class S> GNP_FN u64 bounded(S &source, Words w, int lane, u32 n, u32 least)
{
    u64 product = (u64)w.at[lane] * n;
    if (n == 0) {
        return w.at[lane];
    }
    if ((u32)product < least) {
        if constexpr (NPARAMS < 3) {
            least = (0u - n) % n;
        }
        source.fork(lane, 4);
#pragma unroll 1
        while ((u32)product < least) {
            Words again = source.words();
            product = (u64)(lane == 0 ? again.at[0] : lane == 1 ? again.at[1] : lane == 2 ? again.at[2] : again.at[3]) * n;
        }
    }
    return product >> 32;
}
template <class S> GNP_FN u64 bounded(S &source, Words w, int lane, u64 n, u64 least)
{
    u64 x = w.wide(lane), low = x * n, high = __umul64hi(x, n);
    if (n == 0) {
        return x;
    }
    if (low < least) {
        if constexpr (NPARAMS < 3) {
            least = (0ull - n) % n;
        }
        source.fork(lane, 2);
#pragma unroll 1
        while (low < least) {
            Words again = source.words();
            x = lane == 0 ? again.wide(0) : again.wide(1);
            low = x * n;
            high = __umul64hi(x, n);
        }
    }
    return high;
}

template <class Lay, class Prepared, int N>
GNP_FN void draw(Source<Origin> &source, const Parameters &p, const Lay &lay, const Prepared &common, Index first, Index n,
                 Vec<Raw<R>, N> &out)
{
    Words w;
    if constexpr (KIND != DRAW_DRAWS) {
        w = source.words();
    }
    F z[N + 1] = {};
    bool wants_normal = KIND == DRAW_NORMAL;
    if constexpr (KIND == DRAW_PAIRED) {
        wants_normal = MIXED || common.wants_normal();
    }
    if (wants_normal) {
#pragma unroll
        for (int i = 0; i < N; i += 2) {
            normal_pair(Word<F>(w, i), Word<F>(w, i + 1), z[i], z[i + 1]);
        }
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        P a[NPARAMS];
        // Elements beyond the end have the last one's parameters, and are not stored.
        load(p, lay, MIXED && first + i >= n ? n - 1 : first + i, a);
        if constexpr (KIND == DRAW_BITS) {
            u32 bits = w.at[i * sizeof(R) / 4] >> (i * sizeof(R) % 4 * 8);
            if constexpr (sizeof(R) == 8) {
                out.at[i] = (Raw<R>)w.wide(i);
            }
            else {
                out.at[i] = (Raw<R>)(Same<R, bool>::value ? bits & 1 : bits);
            }
        }
        else if constexpr (KIND == DRAW_BOUNDED) {
            out.at[i] = (Raw<R>)(a[0] + (P)bounded(source, w, i, (Bound)a[1], (Bound)a[NPARAMS - 1]));
        }
        else {
            Prepared own = common;
            if constexpr (MIXED) {
                own = prepare(a);
            }
            if constexpr (KIND == DRAW_WORD) {
                out.at[i] = (Raw<R>)cast<R>(value(Word<F>(w, i), a, own));
            }
            else if constexpr (KIND == DRAW_NORMAL) {
                out.at[i] = (Raw<R>)cast<R>(value(z[i], a, own));
            }
            else if constexpr (KIND == DRAW_PAIRED) {
                source.fork(i, N);
                Stream<Source<Origin>> stream(source, z[i]);
                out.at[i] = (Raw<R>)cast<R>(value(stream, a, own));
            }
            else {
                Stream<Source<Origin>> stream(source);
                out.at[i] = (Raw<R>)cast<R>(value(stream, a, own));
            }
        }
    }
}

// Two neighbouring threads exchange halves of their groups of 32 bytes, so that each store of the warp fills
// whole 32-byte sectors: the first both halves of the even thread's group, the second those of the odd one's.
// Stores of 16 bytes with gaps of 16 bytes took twice as long on an H200.
template <int N> GNP_FN void store_pairs(Raw<R> *at, bool is_odd, const Vec<Raw<R>, N> &v)
{
    typedef Vec<Raw<R>, N / 2> Half;
    Half low, high, got;
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        low.at[i] = v.at[i];
        high.at[i] = v.at[i + N / 2];
        got.at[i] = __shfl_xor_sync(~0u, is_odd ? low.at[i] : high.at[i], 1);
    }
    at += is_odd ? -(N / 2) : 0;
    *(Half *)at = is_odd ? got : low;
    *(Half *)(at + N) = is_odd ? high : got;
}

template <int N> GNP_FN void store(char *out, Index first, Index n, const Vec<Raw<R>, N> &v)
{
    Raw<R> *at = (Raw<R> *)out + first;
    if constexpr (N * sizeof(R) == 32 && 2 * STORE == N) {
        const Index lane = threadIdx.x & 31;
        if (first + (32 - lane) * N <= n) { // the same in all lanes of the warp
            store_pairs<N>(at, lane & 1, v);
            return;
        }
    }
    if (STORE > 1 && n - first >= N) {
        constexpr int width = STORE > 1 && STORE < N ? STORE : N;
#pragma unroll
        for (int i = 0; i < N; i += width) {
            *(Vec<Raw<R>, width> *)(at + i) = *(const Vec<Raw<R>, width> *)&v.at[i];
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (first + i < n) {
            at[i] = v.at[i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
random(char *out, const Origin origin, const Parameters p, const Layout<Index, ND, NPARAMS> lay, const Index n)
{
    constexpr int G = Group<KIND>::size;
    const Index thread = (Index)blockIdx.x * BLOCK + threadIdx.x;
    const Index groups = (n - 1) / G + 1, step = Origin::keeps_state ? (Index)origin.sequences : (Index)BLOCK;
    if (Origin::keeps_state && (thread >= step || thread >= groups)) {
        return;
    }
    Source<Origin> source(origin, thread);
    Index group = Origin::keeps_state ? thread : (Index)blockIdx.x * (BLOCK * UNROLL) + threadIdx.x;
    P a[NPARAMS];
#pragma unroll
    for (int i = 0; i < NPARAMS; i++) {
        a[i] = p.value[i];
    }
    const auto common = prepare(a);
    auto one = [&]() {
        Vec<Raw<R>, G> v;
        source.begin(group);
        draw(source, p, lay, common, group * G, n, v);
        store(out, group * G, n, v);
    };
    if constexpr (Origin::keeps_state) {
#pragma unroll 1
        for (; group < groups; group += step) {
            one();
        }
    }
    else if constexpr (KIND == DRAW_DRAWS || KIND == DRAW_PAIRED) {
#pragma unroll 1
        for (int i = 0; i < UNROLL && group < groups; i++, group += step) {
            one();
        }
    }
    else {
#pragma unroll
        for (int i = 0; i < UNROLL; i++, group += step) {
            if (group < groups) {
                one();
            }
        }
    }
    source.end();
}

// footprint_filter: out[i] = the sum of products of weights with the elements of a window around i, their least,
// their greatest, or the one of a rank, of a C-contiguous array of ND axes. Beyond the ends stands what f.rule says.
// Knobs: S stored in `in`, R in `out`; the window is computed in A; OPERATION of enum FootprintOperation; MASKED: only
// places where `mask` is true count; WEIGHTED: weights are multiplied with, or added to minima and maxima; ORDERED: sums
// are rounded as SciPy's are, as the fractions of an integer result are cut off and a last bit decides; TAPS places
// count, of BLOCK at most, and RANK is wanted (FOOTPRINT_FEW); EACH outputs of a thread, below one another; BLOCK threads.
// Launch: a block per 32 columns and BLOCK / 32 * EACH rows of the last two axes, of one axis per BLOCK * EACH elements.
#include "knobs/footprint_filter.cuh"
#include "border.cuh"
#include "scan.cuh"
#include "stored.cuh"

enum { DESCENDING = 0 };
#include "keys.cuh"

typedef Compute<A> Number;

enum { WIDE = ND == 1 ? BLOCK * EACH : 32, HIGH = ND == 1 ? 1 : BLOCK / 32 * EACH };

// The places of the window that count, BLOCK of them at once: how far each is from the output in memory, and along axes.
struct Taps {
    i64 offset[BLOCK];
    int along[ND][BLOCK];
    Number weight[BLOCK];
    int sums[BLOCK / 32 + 1];
};

template <class F> GNP_FN bool is_negligible(F weight) { return fabs((f64)weight) <= 0x1p-52; }
template <class F> GNP_FN bool is_negligible(Complex<F> weight)
{
    return is_negligible(weight.re) && is_negligible(weight.im);
}

// Takes the places from k0 on; returns how many count. Weights of correlations below SciPy's limit are left out there too.
GNP_FN int take_taps(Taps &taps, const bool *mask, const Raw<A> *weights, const GnpFootprint &f, i64 k0)
{
    i64 k = k0 + threadIdx.x;
    bool counts = k < f.places;
    Number weight = Number(0);
    if (WEIGHTED && counts) {
        weight = In<A, A>::value(weights[k]);
    }
    if (MASKED && counts) {
        counts = mask[k];
    }
    counts = counts && !(OPERATION == FOOTPRINT_CORRELATE && is_negligible(weight));
    int total;
    __syncthreads();
    const int at = sum_before<BLOCK>((int)counts, taps.sums, total);
    if (counts) {
        i64 offset = 0, step = 1;
#pragma unroll
        for (int d = ND - 1; d >= 0; d--) {
            const i64 along = k % f.window[d] - f.left[d];
            k /= f.window[d];
            taps.along[d][at] = (int)along;
            offset += along * step;
            step *= f.shape[d];
        }
        taps.offset[at] = offset;
        taps.weight[at] = weight;
    }
    __syncthreads();
    return total;
}

// Where an output is, and whether all of its window is within the image.
struct Place {
    i64 index, at[ND];
    bool is_inside, is_there;
};

GNP_FN Place place_of(const GnpFootprint &f, i64 y, i64 x, i64 outer)
{
    Place p;
    p.at[ND - 1] = x;
    if constexpr (ND > 1) {
        p.at[ND - 2] = y;
    }
#pragma unroll
    for (int d = ND - 3; d >= 0; d--) {
        p.at[d] = outer % f.shape[d];
        outer /= f.shape[d];
    }
    p.index = 0;
    p.is_inside = p.is_there = true;
#pragma unroll
    for (int d = 0; d < ND; d++) {
        p.index = p.index * f.shape[d] + p.at[d];
        p.is_there = p.is_there && p.at[d] < f.shape[d];
        p.is_inside = p.is_inside && p.at[d] >= f.left[d] && p.at[d] - f.left[d] + f.window[d] <= f.shape[d];
    }
    return p;
}

// The index of what stands for a place of a window that is partly beyond the image; -1: the constant does.
static __device__ __noinline__ i64 source_of(const Taps &taps, const GnpFootprint &f, const Place &p, int k)
{
    i64 index = 0;
#pragma unroll
    for (int d = 0; d < ND; d++) {
        const i64 at = border_source((int)f.rule, p.at[d] + taps.along[d][k], f.shape[d]);
        if (at < 0) {
            return -1;
        }
        index = index * f.shape[d] + at;
    }
    return index;
}

template <class N> GNP_FN N joined(N sum, N weight, N value, bool is_first)
{
    if constexpr (OPERATION == FOOTPRINT_CORRELATE) {
        if constexpr (ORDERED) {
            return (N)__dadd_rn((f64)sum, __dmul_rn((f64)weight, (f64)value));
        }
        return sum + weight * value;
    }
    else {
        if constexpr (WEIGHTED) {
            value = value + weight;
        }
        return is_first || (OPERATION == FOOTPRINT_MINIMUM ? value < sum : sum < value) ? value : sum;
    }
}

// ---- ranks -------------------------------------------------------------------------------------------------

template <class E> GNP_FN auto key(Raw<S> x)
{
    if constexpr (Same<S, E>::value) {
        return key_of<E>(x);
    }
    else {
        return key_of<E>((Raw<E>)In<S, E>::value(x));
    }
}

template <class K> GNP_FN void exchange(K &a, K &b)
{
    const K least = a < b ? a : b;
    b = a < b ? b : a;
    a = least;
}

// Sorts N numbers by Batcher's network (1968); what does not reach the wanted rank is left out by the compiler.
template <int N, class K> GNP_FN void sort_network(K *keys)
{
#pragma unroll
    for (int p = 1; p < N; p *= 2) {
#pragma unroll
        for (int k = p; k >= 1; k /= 2) {
#pragma unroll
            for (int j = k % p; j + k < N; j += 2 * k) {
#pragma unroll
                for (int i = 0; i < k; i++) {
                    if (i + j + k < N && (i + j) / (2 * p) == (i + j + k) / (2 * p)) {
                        exchange(keys[i + j], keys[i + j + k]);
                    }
                }
            }
        }
    }
}

template <class E, class K>
GNP_FN K rank_of_few(const Raw<S> *in, const Taps &taps, const GnpFootprint &f, const Place &p, K constant)
{
    K keys[TAPS];
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        const i64 source = p.is_inside ? p.index + taps.offset[k] : source_of(taps, f, p, k);
        keys[k] = source < 0 ? constant : key<E>(in[source]);
    }
    sort_network<TAPS>(keys);
    return keys[RANK];
}

// Bit after bit of the key, from the highest on: how many have the bits found so far, and a zero next.
template <class E, class K>
GNP_FN K rank_of_many(const Raw<S> *in, Taps &taps, const bool *mask, const GnpFootprint &f, const Place &p, K constant)
{
    enum { BITS = 8 * sizeof(K) };
    K found = 0;
    i64 rank = f.rank;
    int count = 0;
#pragma unroll 1
    for (int bit = BITS - 1; bit >= 0; bit--) {
        i64 zeros = 0;
#pragma unroll 1
        for (i64 k0 = 0; k0 < f.places; k0 += BLOCK) {
            if (f.places > BLOCK || bit == BITS - 1) {
                count = take_taps(taps, mask, NULL, f, k0);
            }
#pragma unroll 1
            for (int k = 0; k < count; k++) {
                const i64 source = p.is_inside ? p.index + taps.offset[k] : source_of(taps, f, p, k);
                const K x = source < 0 ? constant : key<E>(in[source]);
                zeros += (K)(x >> bit) == (K)(found >> bit);
            }
        }
        if (rank >= zeros) {
            rank -= zeros;
            found |= (K)((K)1 << bit);
        }
    }
    return found;
}

template <class E>
GNP_FN void store_ranks(Raw<R> *out, const Raw<S> *in, const bool *mask, Taps &taps, const GnpFootprint &f,
                        const Place *places, Raw<E> beyond)
{
    const auto constant = key_of<E>(beyond);
    if (OPERATION == FOOTPRINT_FEW) {
        take_taps(taps, mask, NULL, f, 0);
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const auto found = OPERATION == FOOTPRINT_FEW ? rank_of_few<E>(in, taps, f, places[e], constant)
                                                      : rank_of_many<E>(in, taps, mask, f, places[e], constant);
        if (places[e].is_there) {
            out[places[e].index] = stored<R, E>(In<E, E>::value(element_of<E>(found)));
        }
    }
}

// ---- sums, minima and maxima -------------------------------------------------------------------------------

GNP_FN void store_sums(Raw<R> *out, const Raw<S> *in, const bool *mask, const Raw<A> *weights, Taps &taps,
                       const GnpFootprint &f, const Place *places, Number constant)
{
    bool all_inside = true, is_first = true;
    Number sums[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        sums[e] = Number(OPERATION == FOOTPRINT_MINIMUM); // of nothing, as in an erosion
        all_inside = all_inside && places[e].is_inside;
    }
#pragma unroll 1
    for (i64 k0 = 0; k0 < f.places; k0 += BLOCK) {
        const int count = take_taps(taps, mask, weights, f, k0);
        if (all_inside) {
#pragma unroll 2
            for (int k = 0; k < count; k++) {
                const i64 offset = taps.offset[k];
                const Number weight = taps.weight[k];
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    sums[e] = joined(sums[e], weight, Number(In<S, A>::value(in[places[e].index + offset])), is_first);
                }
                is_first = false;
            }
        }
        else {
#pragma unroll 1
            for (int k = 0; k < count; k++) {
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    const i64 source = places[e].is_inside ? places[e].index + taps.offset[k] : source_of(taps, f, places[e], k);
                    const Number value = source < 0 ? constant : Number(In<S, A>::value(in[source]));
                    sums[e] = joined(sums[e], taps.weight[k], value, is_first);
                }
                is_first = false;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (places[e].is_there) {
            out[places[e].index] = stored<R, A>(sums[e]);
        }
    }
}

// ---- the kernel --------------------------------------------------------------------------------------------

template <class E>
GNP_FN void store(Raw<R> *out, const Raw<S> *in, const bool *mask, const Raw<E> *weights, Taps &taps, const GnpFootprint &f,
                  const Place *places, Raw<E> beyond)
{
    if constexpr (OPERATION == FOOTPRINT_FEW || OPERATION == FOOTPRINT_MANY) {
        store_ranks<E>(out, in, mask, taps, f, places, beyond);
    }
    else {
        store_sums(out, in, mask, weights, taps, f, places, In<E, E>::value(beyond));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
footprint_filter(Raw<R> *out, const Raw<S> *in, const bool *mask, const Raw<A> *weights, const GnpFootprint f,
                 const Slot beyond)
{
    __shared__ alignas(16) unsigned char memory[sizeof(Taps)]; // no constructors run
    const i64 rows = ND == 1 ? 1 : f.shape[ND > 1 ? ND - 2 : 0];
    const i64 across = (f.shape[ND - 1] - 1) / WIDE + 1, down = (rows - 1) / HIGH + 1;
    const i64 x0 = blockIdx.x % across * WIDE, y0 = blockIdx.x / across % down * HIGH, outer = blockIdx.x / across / down;
    Place places[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const i64 x = x0 + (ND == 1 ? e * BLOCK + threadIdx.x : threadIdx.x % 32);
        places[e] = place_of(f, y0 + (ND == 1 ? 0 : threadIdx.x / 32 * EACH + e), x, outer);
        if (!places[e].is_there) { // computed like the first one, and not stored
            places[e] = place_of(f, 0, 0, outer);
            places[e].is_there = false;
        }
    }
    store<A>(out, in, mask, weights, *(Taps *)memory, f, places, slot_value<Raw<A>>(beyond));
}

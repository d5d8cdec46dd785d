// footprint_filter: out[i] = the sum of products of weights with the elements of a window around i, their least,
// their greatest, or the one of a rank, of a C-contiguous array of ND axes. Beyond the ends stands what f.rule says.
// Knobs: S stored in `in`, R in `out`; the window is computed in A; OPERATION of enum FootprintOperation; MASKED: only
// places where `mask` is true count; WEIGHTED: weights are multiplied with, or added to minima and maxima; SKIPS:
// negligible weights are left out, which shows beside infinities; ORDERED: sums
// are rounded as SciPy's are, as the fractions of an integer result are cut off and a last bit decides; TAPS places
// count, of BLOCK at most, and RANK is wanted (FOOTPRINT_FEW); EACH outputs of a thread, below one another; BLOCK threads.
// Launch: a block per 32 columns and BLOCK / 32 * EACH rows of the last two axes, of one axis per BLOCK * EACH elements.
#include "knobs/footprint_filter.cuh"
#include "border.cuh"
#include "multiply_add.cuh"
#include "select/rank_network.cuh"
#include "scan.cuh"
#include "ndimage/stored.cuh"

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

// Takes the places from k0 on; returns how many count.
GNP_FN int take_taps(Taps &taps, const bool *mask, const Raw<A> *weights, const GnpFootprint &f, u32 k0)
{
    u32 k = k0 + threadIdx.x;
    bool counts = k < (u32)f.places;
    Number weight = Number(0);
    if (WEIGHTED && counts) {
        weight = In<A, A>::value(weights[k]);
    }
    if (MASKED && counts) {
        counts = mask[k];
    }
    counts = counts && !(SKIPS && is_negligible(weight));
    int total;
    __syncthreads();
    const int at = sum_before<BLOCK>((int)counts, taps.sums, total);
    if (counts) {
        i64 offset = 0, step = 1;
#pragma unroll
        for (int d = ND - 1; d >= 0; d--) {
            const u32 n = (u32)f.window[d], rest = k / n;
            const int along = (int)(k - rest * n) - (int)f.left[d];
            taps.along[d][at] = along;
            offset += along * step;
            step *= f.shape[d];
            k = rest;
        }
        taps.offset[at] = offset;
        taps.weight[at] = weight;
    }
    __syncthreads();
    return total;
}

// The outputs of a thread: the first one's place, those of the others `step` elements on, STRIDE along an axis. Whether
// they and all of their windows are within the image.
enum { STRIP_AXIS = ND == 1 ? 0 : ND - 2, STRIDE = ND == 1 ? BLOCK : 1 };
struct Strip {
    i64 at[ND], index, step;
    bool is_inside;
};

GNP_FN Strip strip_of(const GnpFootprint &f, u32 block)
{
    const i64 rows = ND == 1 ? 1 : f.shape[STRIP_AXIS];
    const u32 across = (u32)((f.shape[ND - 1] - 1) / WIDE) + 1, down = (u32)((rows - 1) / HIGH) + 1;
    u32 outer = block / across;
    Strip s;
    s.at[ND - 1] = (i64)(block - outer * across) * WIDE + (ND == 1 ? threadIdx.x : threadIdx.x % 32);
    if constexpr (ND > 1) {
        const u32 rest = outer / down;
        s.at[STRIP_AXIS] = (i64)(outer - rest * down) * HIGH + threadIdx.x / 32 * EACH;
        outer = rest;
    }
#pragma unroll
    for (int d = ND - 3; d >= 0; d--) {
        const u32 rest = outer / (u32)f.shape[d];
        s.at[d] = outer - rest * (u32)f.shape[d];
        outer = rest;
    }
    s.index = 0;
    s.is_inside = true;
#pragma unroll
    for (int d = 0; d < ND; d++) {
        const int more = d == STRIP_AXIS ? (EACH - 1) * STRIDE : 0;
        s.index = s.index * f.shape[d] + s.at[d];
        s.is_inside = s.is_inside && s.at[d] >= f.left[d] && s.at[d] + more - f.left[d] + f.window[d] <= f.shape[d];
    }
    s.step = ND == 1 ? BLOCK : f.shape[ND - 1];
    return s;
}

GNP_FN bool is_there(const GnpFootprint &f, const Strip &s, int e)
{
    return s.at[ND - 1] + (ND == 1 ? e * STRIDE : 0) < f.shape[ND - 1] && s.at[STRIP_AXIS] + e * STRIDE < f.shape[STRIP_AXIS];
}

// The index of what stands for a place of a window that may be beyond the image; -1: the constant does.
GNP_FN i64 source_of(const Taps &taps, const GnpFootprint &f, const Strip &s, int e, int k)
{
    i64 index = 0;
    bool is_constant = false;
#pragma unroll
    for (int d = 0; d < ND; d++) {
        i64 at = s.at[d] + (d == STRIP_AXIS ? e * STRIDE : 0) + taps.along[d][k];
        if (at < 0 || at >= f.shape[d]) {
            at = border_source((int)f.rule, at, f.shape[d]);
            is_constant = is_constant || at < 0;
        }
        index = index * f.shape[d] + at;
    }
    return is_constant ? -1 : index;
}

template <class N> GNP_FN N joined(N sum, N weight, N value, bool is_first)
{
    if constexpr (OPERATION == FOOTPRINT_CORRELATE) {
        if constexpr (ORDERED) {
            return (N)__dadd_rn((f64)sum, __dmul_rn((f64)weight, (f64)value));
        }
        multiply_add(sum, weight, value);
        return sum;
    }
    else {
        if constexpr (WEIGHTED) {
            value = value + weight;
        }
        return is_first || (OPERATION == FOOTPRINT_MINIMUM ? value < sum : sum < value) ? value : sum;
    }
}

// ---- ranks -------------------------------------------------------------------------------------------------

template <class E, class K>
GNP_FN K rank_of_few(const Raw<S> *in, const Taps &taps, const GnpFootprint &f, const Strip &s, K constant)
{
    K keys[TAPS];
    if (s.is_inside) {
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            keys[k] = converted_key<S, E>(in[s.index + taps.offset[k]]);
        }
    }
    else {
#pragma unroll 1
        for (int k = 0; k < TAPS; k++) { // moved up one by one, as registers have no index
            const i64 source = source_of(taps, f, s, 0, k);
            const K next = source < 0 ? constant : converted_key<S, E>(in[source]);
#pragma unroll
            for (int i = 0; i < TAPS - 1; i++) {
                keys[i] = keys[i + 1];
            }
            keys[TAPS - 1] = next;
        }
    }
    sort_network<TAPS, 1, 1>(keys);
    return keys[RANK];
}

// Bit after bit of the key, from the highest on: how many have the bits found so far, and a zero next.
template <class E, class K>
GNP_FN K rank_of_many(const Raw<S> *in, Taps &taps, const bool *mask, const GnpFootprint &f, const Strip &s, K constant)
{
    enum { BITS = 8 * sizeof(key_of<E>(Raw<E>())) };
    K found = 0;
    u32 rank = (u32)f.rank;
    int count = 0;
#pragma unroll 1
    for (int bit = BITS - 1; bit >= 0; bit--) {
        u32 zeros = 0;
#pragma unroll 1
        for (u32 k0 = 0; k0 < (u32)f.places; k0 += BLOCK) {
            if (f.places > BLOCK || count == 0) {
                count = take_taps(taps, mask, NULL, f, k0);
            }
#pragma unroll 1
            for (int k = 0; k < count; k++) {
                const i64 source = s.is_inside ? s.index + taps.offset[k] : source_of(taps, f, s, 0, k);
                const K x = source < 0 ? constant : converted_key<S, E>(in[source]);
                zeros += x >> bit == found >> bit;
            }
        }
        if (rank >= zeros) {
            rank -= zeros;
            found |= (K)1 << bit;
        }
    }
    return found;
}

template <class E>
GNP_FN void store_ranks(Raw<R> *out, const Raw<S> *in, const bool *mask, Taps &taps, const GnpFootprint &f, Strip s,
                        Raw<E> beyond)
{
    const auto constant = rank_key<E>(beyond);
    if (OPERATION == FOOTPRINT_FEW) {
        take_taps(taps, mask, NULL, f, 0);
    }
#pragma unroll 1
    for (int e = 0; e < EACH; e++) {
        auto found = constant;
        if constexpr (OPERATION == FOOTPRINT_FEW) {
            found = rank_of_few<E>(in, taps, f, s, constant);
        }
        else {
            found = rank_of_many<E>(in, taps, mask, f, s, constant);
        }
        if (is_there(f, s, 0)) {
            out[s.index] = stored<R, E>(element_of_rank<E>(found));
        }
        s.at[STRIP_AXIS] += STRIDE;
        s.index += s.step;
    }
}

// ---- sums, minima and maxima -------------------------------------------------------------------------------

GNP_FN void store_sums(Raw<R> *out, const Raw<S> *in, const bool *mask, const Raw<A> *weights, Taps &taps,
                       const GnpFootprint &f, const Strip &s, Number constant)
{
    bool is_first = true;
    Number sums[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        sums[e] = Number(OPERATION == FOOTPRINT_MINIMUM); // of nothing, as in an erosion
    }
#pragma unroll 1
    for (u32 k0 = 0; k0 < (u32)f.places; k0 += BLOCK) {
        const int count = take_taps(taps, mask, weights, f, k0);
#pragma unroll 1
        for (int k = 0; k < count; k++) {
            const Number weight = taps.weight[k];
            if (s.is_inside) {
                const Raw<S> *from = in + s.index + taps.offset[k];
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    sums[e] = joined(sums[e], weight, Number(In<S, A>::value(from[e * s.step])), is_first);
                }
            }
            else {
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    const i64 source = source_of(taps, f, s, e, k);
                    const Number value = source < 0 ? constant : Number(In<S, A>::value(in[source]));
                    sums[e] = joined(sums[e], weight, value, is_first);
                }
            }
            is_first = false;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (is_there(f, s, e)) {
            out[s.index + e * s.step] = stored<R, A>(sums[e]);
        }
    }
}

// ---- the kernel --------------------------------------------------------------------------------------------

template <class E>
GNP_FN void store(Raw<R> *out, const Raw<S> *in, const bool *mask, const Raw<E> *weights, Taps &taps, const GnpFootprint &f,
                  const Strip &s, Raw<E> beyond)
{
    if constexpr (OPERATION == FOOTPRINT_FEW || OPERATION == FOOTPRINT_MANY) {
        store_ranks<E>(out, in, mask, taps, f, s, beyond);
    }
    else {
        store_sums(out, in, mask, weights, taps, f, s, In<E, E>::value(beyond));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
footprint_filter(Raw<R> *out, const Raw<S> *in, const bool *mask, const Raw<A> *weights, const GnpFootprint f,
                 const Slot beyond)
{
    __shared__ alignas(16) unsigned char memory[sizeof(Taps)]; // no constructors run
    store<A>(out, in, mask, weights, *(Taps *)memory, f, strip_of(f, blockIdx.x), slot_value<Raw<A>>(beyond));
}

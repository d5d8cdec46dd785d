// upfirdn: raises the sampling rate of rows by `up`, filters, and lowers it by `down`. Output m is the sum over t of
// h[phase + t up] x[m down / up - t], phase = m down % up; only these products are computed.
// Knobs: S stored in `in`; A computed and stored in `out`, C the factors; OUT outputs of a thread, `up` apart, so that
// they share the factors, and every down-th tap moves their window by one element; SPAN elements of the row in
// shared memory, 0: read where they lie; BLOCK threads.
// Launch: a block for `groups` times up * OUT outputs of a row, or for `lanes` of up phases of such a group.
#include "knobs/upfirdn.cuh"
#include "border.cuh"

typedef Raw<A> Number;
typedef Raw<C> Factor;

GNP_FN void multiply_add(f32 &sum, f32 a, f32 b) { sum = fmaf(a, b, sum); }
GNP_FN void multiply_add(f64 &sum, f64 a, f64 b) { sum = fma(a, b, sum); }
template <class F> GNP_FN void multiply_add(Complex<F> &sum, F a, Complex<F> b)
{
    multiply_add(sum.re, a, b.re);
    multiply_add(sum.im, a, b.im);
}
template <class F> GNP_FN void multiply_add(Complex<F> &sum, Complex<F> a, Complex<F> b)
{
    multiply_add(sum, a.re, b);
    multiply_add(sum.re, -a.im, b.im);
    multiply_add(sum.im, a.im, b.re);
}

GNP_FN Number element(const Raw<S> *row, i64 i) { return Number(In<S, A>::value(row[i])); }
GNP_FN Number scaled(Number x, f64 factor) { return x * Number((Part<A>)factor); }

// What stands for element i beyond the ends of a row of n elements.
static __device__ __noinline__ Number extended(const Raw<S> *row, i64 i, i64 n, int rule, Number constant)
{
    if (rule <= PAD_SYMMETRIC) {
        const i64 from = border_source(rule, i, n);
        return from < 0 ? constant : element(row, from);
    }
    const Number head = element(row, 0), last = element(row, n - 1);
    const i64 beyond = i < 0 ? i : i - (n - 1);
    if (rule == PAD_ANTISYMMETRIC) {
        const i64 m = remainder(i, 2 * n);
        return m < n ? element(row, m) : Number(0) - element(row, 2 * n - 1 - m);
    }
    if (n == 1) {
        return head;
    }
    if (rule == PAD_SMOOTH) {
        return i < 0 ? head + scaled(element(row, 1) - head, (f64)beyond)
                     : last + scaled(last - element(row, n - 2), (f64)beyond);
    }
    if (rule == PAD_LINE) {
        return (i < 0 ? head : last) + scaled(last - head, (f64)beyond / (f64)(n - 1));
    }
    const i64 period = 2 * (n - 1), m = remainder(i, period);
    const Number turned = m < n ? element(row, m) : last + last - element(row, period - m);
    return turned + scaled(last - head, 2.0 * (f64)((i - m) / period));
}

GNP_FN Number at(const Raw<S> *row, i64 i, i64 n, int rule, Number constant)
{
    return i >= 0 && i < n ? element(row, i) : extended(row, i, n, rule, constant);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
upfirdn(Number *out, const Raw<S> *in, const Factor *h, const GnpUpfirdn p, const Slot beyond)
{
    __shared__ alignas(16) Number tile[SPAN > 0 ? SPAN : 1];
    const Number constant = slot_value<Number>(beyond);
    const i64 row = blockIdx.x / p.blocks, block = blockIdx.x % p.blocks;
    const i64 group = block / p.chunks * p.groups, lane0 = block % p.chunks * p.lanes;
    const i64 least = p.first + group * p.up * OUT + lane0; // the block's outputs are not before this one
    const int rule = (int)p.rule, lanes = (int)p.lanes;
    const i64 taps = (p.taps - 1) / p.up + 1; // of a phase, at most
    const i64 start = least * p.down / p.up - (taps - 1);
    const Raw<S> *x = in + row * p.length;
    i64 span = 0;
    if constexpr (SPAN > 0) {
        i64 most = p.first + (group + p.groups) * p.up * OUT; // beyond all outputs
        most = most < p.first + p.outputs ? most : p.first + p.outputs;
        span = (most - 1) * p.down / p.up - start + 1;
        span = span < SPAN ? span : SPAN;
        const bool inside = start >= 0 && start + span <= p.length;
#pragma unroll 4
        for (int i = threadIdx.x; i < (int)span; i += BLOCK) {
            tile[i] = inside ? element(x, start + i) : at(x, start + i, p.length, rule, constant);
        }
        __syncthreads();
    }
    const int mine = threadIdx.x / lanes;
    const i64 lane = lane0 + threadIdx.x % lanes;
    const i64 m = p.first + (group + mine) * p.up * OUT + lane;
    if (mine >= p.groups || lane >= p.up || m >= p.first + p.outputs) {
        return;
    }
    const i64 newest = m * p.down / p.up, phase = m * p.down - newest * p.up;
    Number sums[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        sums[o] = Number(0);
    }
    // Taps q, q + down, ...: their windows overlap but for one element.
#pragma unroll 1
    for (i64 q = 0; q < p.down; q++) {
        const Factor *factor = h + phase + q * p.up;
        i64 left = p.taps - 1 - phase - q * p.up; // of the factor's index
        if (left < 0) {
            break;
        }
        Number window[OUT];
        i64 from = newest - q - (SPAN > 0 ? start : 0);
#pragma unroll
        for (int o = 1; o < OUT; o++) {
            if constexpr (SPAN > 0) {
                const i64 place = from + o * p.down;
                window[o - 1] = tile[place < span ? place : span - 1]; // of outputs that there are not, any
            }
            else {
                window[o - 1] = at(x, from + o * p.down, p.length, rule, constant);
            }
        }
#pragma unroll 4
        for (; left >= 0; left -= p.down * p.up) {
#pragma unroll
            for (int o = OUT - 1; o > 0; o--) {
                window[o] = window[o - 1];
            }
            if constexpr (SPAN > 0) {
                window[0] = tile[from];
            }
            else {
                window[0] = at(x, from, p.length, rule, constant);
            }
            const Factor now = *factor;
#pragma unroll
            for (int o = 0; o < OUT; o++) {
                multiply_add(sums[o], now, window[o]);
            }
            from -= p.down;
            factor += p.down * p.up;
        }
    }
    Number *to = out + row * p.outputs - p.first;
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        if (m + o * p.up < p.first + p.outputs) {
            to[m + o * p.up] = sums[o];
        }
    }
}

// upfirdn: raises the sampling rate of rows by `up`, filters, and lowers it by `down`. Output m is the sum over t of
// h[phase + t up] x[m down / up - t], phase = m down % up; only these products are computed.
// Knobs: S stored in `in`; A computed and stored in `out`, C the factors; OUT outputs of a thread, `up` apart, so that
// they share the factors, and every down-th tap moves their window by one element (an odd number, so that neighbouring
// threads meet in few banks); SPAN elements of the row in shared memory, 0: read where they lie; TAPS at most, down-th ones,
// of a phase, where they are few and elements are in shared memory, else 0; UP, DOWN: the rates where TAPS are known, so
// that distances and divisors are, too; BLOCK threads.
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

// Adds N taps, every down-th from `factor` on, of which the first meets element `from` of the first sum's row; `held`
// are the elements before it of the other sums, and then those of the next taps.
template <int N, class At, class Place>
GNP_FN void add_taps(Number (&sums)[OUT], Number (&held)[OUT], const At &at, Place from, Place down, const Factor *factor,
                     i64 stride)
{
    Number window[N + OUT - 1];
    Factor factors[N];
#pragma unroll
    for (int t = 0; t < N; t++) {
        factors[t] = factor[t * stride];
        window[N - 1 - t] = at(from - t * down);
    }
#pragma unroll
    for (int o = 1; o < OUT; o++) {
        window[N - 1 + o] = held[o - 1];
    }
#pragma unroll
    for (int t = 0; t < N; t++) {
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            multiply_add(sums[o], factors[t], window[N - 1 - t + o]);
        }
    }
#pragma unroll
    for (int o = 1; o < OUT; o++) {
        held[o - 1] = window[o - 1];
    }
}

// Sums of the outputs of a thread: the first begins at element `newest`, as the factors from h on do.
template <class At, class Place>
GNP_FN void add_phase(Number (&sums)[OUT], const At &at, Place newest, const Factor *h, i64 taps, const GnpUpfirdn &p)
{
    enum { BATCH = SPAN > 0 ? 4 : 1 };
    const Place down = (Place)p.down;
    const i64 stride = p.down * p.up;
    // Taps q, q + down, ...: their windows overlap but for one element.
#pragma unroll 1
    for (Place q = 0; q < down && taps > 0; q++, taps -= p.up, h += p.up) {
        const Factor *factor = h;
        Place from = newest - q;
        Number held[OUT];
#pragma unroll
        for (int o = 1; o < OUT; o++) {
            held[o - 1] = at(from + o * down);
        }
        i64 left = taps; // of the factors from `factor` on
#pragma unroll 1
        for (; left > (BATCH - 1) * stride; left -= BATCH * stride) {
            add_taps<BATCH>(sums, held, at, from, down, factor, stride);
            from -= BATCH * down;
            factor += BATCH * stride;
        }
        if (BATCH > 2 && left > stride) {
            add_taps<2>(sums, held, at, from, down, factor, stride);
            from -= 2 * down;
            factor += 2 * stride;
            left -= 2 * stride;
        }
        if (BATCH > 1 && left > 0) {
            add_taps<1>(sums, held, at, from, down, factor, stride);
        }
    }
}

// The same for TAPS or one tap less of every down-th ones: the window is in registers. `newest` is in shared memory.
GNP_FN void add_window(Number (&sums)[OUT], const Number *newest, const Factor *h, int taps)
{
    enum { STRIDE = UP * DOWN };
    Number window[TAPS + OUT];
    const bool all = taps > (TAPS - 1) * STRIDE;
#pragma unroll
    for (int i = 1; i < TAPS + OUT - 1; i++) {
        window[i] = newest[(i + 1 - TAPS) * DOWN];
    }
#pragma unroll
    for (int t = 0; t + 1 < TAPS; t++) {
        const Factor factor = h[t * STRIDE];
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            multiply_add(sums[o], factor, window[TAPS - 1 + o - t]);
        }
    }
    if (all) {
        const Factor factor = h[(TAPS - 1) * STRIDE];
        window[0] = newest[(1 - TAPS) * DOWN];
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            multiply_add(sums[o], factor, window[o]);
        }
    }
}

// N taps, one after the other, of which each meets the element before that of the last one.
template <int N> GNP_FN void add_next(Number (&sums)[OUT], const Number *newest, const Factor *h)
{
    Factor factors[N];
#pragma unroll
    for (int t = 0; t < N; t++) {
        factors[t] = h[t * UP];
    }
#pragma unroll
    for (int o = 0; o < OUT; o++, newest += DOWN) {
#pragma unroll
        for (int t = 0; t < N; t++) {
            multiply_add(sums[o], factors[t], newest[-t]);
        }
    }
}

GNP_FN void add_few(Number (&sums)[OUT], const Number *newest, const Factor *h, int taps)
{
    enum { NEXT = TAPS == 1 ? 4 : 1 };
#pragma unroll 1
    for (; NEXT > 1 && taps > (NEXT - 1) * UP; taps -= NEXT * UP, h += NEXT * UP, newest -= NEXT) {
        add_next<NEXT>(sums, newest, h);
    }
#pragma unroll 1
    for (int q = 0; q < DOWN && taps > 0; q++, taps -= UP, h += UP, newest--) {
        if constexpr (TAPS == 1) {
            add_next<1>(sums, newest, h);
        }
        else {
            add_window(sums, newest, h, taps);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
upfirdn(Number *out, const Raw<S> *in, const Factor *h, const GnpUpfirdn p, const Slot beyond)
{
    typedef typename Choose<(SPAN > 0), u32, u64>::type Count;
    typedef typename Choose<(SPAN > 0), int, i64>::type Place;
    __shared__ alignas(16) Number tile[SPAN > 0 ? SPAN : 1];
    const Number constant = slot_value<Number>(beyond);
    const i64 up = UP > 0 ? UP : p.up, down = UP > 0 ? DOWN : p.down;
    const int lanes = UP == 0 ? (int)p.lanes : UP < BLOCK ? UP : BLOCK;
    const i64 groups = UP > 0 ? BLOCK / lanes : p.groups, chunks = UP > 0 ? (UP + lanes - 1) / lanes : p.chunks;
    const u32 row = blockIdx.x / (u32)p.blocks, block = blockIdx.x - row * (u32)p.blocks;
    const u32 group = chunks == 1 ? block : block / (u32)chunks;
    const int rule = (int)p.rule, lane0 = (int)(block - group * (u32)chunks) * lanes;
    const i64 least = group * groups * up * OUT + lane0; // the block's outputs are not before this one
    // Groups begin at the phase of the first output; without chunks no block needs a division of 64 bits.
    i64 newest0 = p.newest + group * groups * OUT * down, phase0 = p.phase;
    if (lane0 > 0) {
        const i64 raised0 = phase0 + lane0 * down, moved0 = raised0 / up;
        newest0 += moved0;
        phase0 = raised0 - moved0 * up;
    }
    const i64 start = newest0 - p.before;
    const Raw<S> *x = in + row * p.length;
    if constexpr (SPAN > 0) {
        const int span = (int)p.span;
        if (start >= 0 && start + span <= p.length) {
#pragma unroll 4
            for (int i = threadIdx.x; i < span; i += BLOCK) {
                tile[i] = element(x, start + i);
            }
        }
        else {
#pragma unroll 1
            for (int i = threadIdx.x; i < span; i += BLOCK) {
                tile[i] = at(x, start + i, p.length, rule, constant);
            }
        }
        __syncthreads();
    }
    const int mine = threadIdx.x / (u32)lanes, lane = (int)threadIdx.x - mine * lanes;
    const i64 offset = mine * up * OUT + lane; // of the thread's first output
    const bool active = mine < groups && lane0 + lane < up && least + offset < p.outputs;
    Number sums[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        sums[o] = Number(0);
    }
    if (active) {
        const Count raised = (Count)phase0 + (Count)offset * (Count)down, moved = raised / (Count)up;
        const Count phase = raised - moved * (Count)up;
        const auto value = [&](Place i) {
            if constexpr (SPAN > 0) {
                return tile[i];
            }
            else {
                return at(x, start + i, p.length, rule, constant);
            }
        };
        if constexpr (TAPS > 0) {
            add_few(sums, tile + moved + (Place)p.before, h + phase, (int)p.taps - (int)phase);
        }
        else {
            add_phase(sums, value, (Place)moved + (Place)p.before, h + phase, p.taps - (i64)phase, p);
        }
    }
    Number *to = out + row * p.outputs + least;
    if (SPAN > 0 && chunks == 1) { // outputs change places, so that neighbouring threads store neighbours
        const i64 rest = p.outputs - least, most = groups * up * OUT;
        __syncthreads();
        if (active) {
#pragma unroll
            for (int o = 0; o < OUT; o++) {
                tile[(int)offset + o * (int)up] = sums[o];
            }
        }
        __syncthreads();
#pragma unroll 4
        for (int i = threadIdx.x; i < (int)(rest < most ? rest : most); i += BLOCK) {
            to[i] = tile[i];
        }
        return;
    }
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        if (active && least + offset + o * up < p.outputs) {
            to[offset + o * up] = sums[o];
        }
    }
}

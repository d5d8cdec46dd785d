// line_filter: out[i] = sum over k of weights[k] in[i - left + k] along one axis of a C-contiguous array, or the mean, the
// least or the greatest of the window. Beyond the ends stands what lines.rule says, or `beyond`.
// Knobs: S stored in `in`, R in `out`; the window is computed in A; OPERATION of enum LineOperation;
// LINES lines side by side in a block, interleaved in shared memory; ALONG: lines are read along themselves, not
// across; OUT consecutive outputs of a thread, whose window passes through its registers; CHUNK taps are taken at once;
// ORDERED: all taps are in one chunk and are added in SciPy's order, without contraction, as the fractions of an integer
// result are cut off and a last bit decides; BLOCK threads.
// Launch: a block per LINES lines and BLOCK / LINES * OUT outputs of each, groups of lines first.
#include "knobs/line_filter.cuh"
#include "border.cuh"
#include "ndimage/stored.cuh"
#include "ndimage/window.cuh"

typedef Compute<A> Number;

enum { SEGMENT = BLOCK / LINES * OUT, SPAN = SEGMENT + CHUNK - 1 };

// Where an element of the tile is: words are left out after each 32, so that threads with neighbouring groups of outputs,
// and those that write along a line, meet in no bank. In a single line an odd number of outputs does that, and places are
// constants.
enum { LEFT_OUT = ALONG ? LINES > 1 : LINES >= 32 ? 0 : LINES };
static_assert(!ALONG || LINES > 1 || OUT % 2 == 1, "threads with neighbouring groups of outputs use different banks");
GNP_FN int place(int i) { return i + i / 32 * LEFT_OUT; }

// Whether the weights beside the middle are equal up to a sign; the same for all threads.
template <class N> GNP_FN bool are_paired(const N *factors, int taps, f64 sign)
{
    bool paired = taps % 2 == 1;
    for (int k = threadIdx.x; k < taps / 2 && paired; k += BLOCK) {
        paired = fabs((f64)factors[taps - 1 - k] - sign * (f64)factors[k]) <= 0x1p-52;
    }
    return __syncthreads_and(paired);
}

// The sum in SciPy's order: the middle or the last one, then pairs or single ones from the outermost on. `sign` is 0
// where the weights have no pairs.
template <class N> GNP_FN f64 ordered_sum(const N *tile, const N *factors, int taps, int line, int first, f64 sign)
{
    const int half = taps / 2, middle = sign == 0 ? taps - 1 : half;
    f64 sum = __dmul_rn((f64)tile[place((first + middle) * LINES + line)], (f64)factors[middle]);
#pragma unroll 1
    for (int k = 0; k < middle; k++) {
        f64 value = (f64)tile[place((first + k) * LINES + line)];
        if (sign != 0) {
            value = __dadd_rn(value, sign * (f64)tile[place((first + taps - 1 - k) * LINES + line)]);
        }
        sum = __dadd_rn(sum, __dmul_rn(value, (f64)factors[k]));
    }
    return sum;
}

// Which element of the tile the thread's i-th is, y along the line: threads go along the memory.
struct TilePlace {
    int y, x;
};
GNP_FN TilePlace tile_place(int i, int span)
{
    if constexpr (ALONG && LINES > 1) {
        const int e = threadIdx.x + i * BLOCK;
        return {e % span, e / span};
    }
    return {(int)threadIdx.x / LINES + i * (BLOCK / LINES), (int)threadIdx.x % LINES};
}

// Where that element stands in shared memory.
GNP_FN int tile_index(int i, const TilePlace &p)
{
    if constexpr (ALONG && LINES > 1) {
        return place(p.y * LINES + p.x);
    }
    static_assert(BLOCK % 32 == 0, "the words left out before the i-th element are i times those of a block");
    return place((int)threadIdx.x) + i * place(BLOCK);
}

// Fills `span` elements of each line, from `start` on. All loads of a batch are on their way before the first is used.
// INSIDE: no line ends in between.
template <bool INSIDE, class N>
GNP_FN void load_tile(N *tile, const Raw<S> *in, const GnpLines &lines, i64 start, int span, int count, i64 pitch, i64 step,
                      N constant)
{
    enum { BATCH = 6 };
    const int each = (span * LINES - 1) / BLOCK + 1;
#pragma unroll 1
    for (int i0 = 0; i0 < each; i0 += BATCH) {
        N values[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            const TilePlace p = tile_place(i0 + j, span);
            i64 at = start + p.y;
            if (!INSIDE && p.y < span) {
                at = border_source((int)lines.rule, at, lines.length);
            }
            values[j] = constant;
            if (p.y < span && p.x < count && (INSIDE || at >= 0)) {
                values[j] = In<S, A>::value(in[p.x * pitch + at * step]);
            }
        }
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            const TilePlace p = tile_place(i0 + j, span);
            if (p.y < span && p.x < LINES) {
                tile[tile_index(i0 + j, p)] = values[j];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
line_filter(Raw<R> *out, const Raw<S> *in, const Raw<A> *weights, const GnpLines lines, const Slot beyond)
{
    __shared__ alignas(16) Number tile[SPAN * LINES + SPAN * LINES / 32 * LEFT_OUT + 1];
    __shared__ alignas(16) Number factors[CHUNK];
    const i64 across = ALONG ? 1 : (lines.step - 1) / LINES + 1; // groups of lines side by side
    const i64 groups = ALONG ? (lines.outer - 1) / LINES + 1 : lines.outer * across;
    const i64 group = blockIdx.x % groups, start = blockIdx.x / groups * SEGMENT;
    const i64 line0 = ALONG ? group * LINES : group % across * LINES;
    const i64 limit = ALONG ? lines.outer : lines.step;
    const i64 base = ALONG ? line0 * lines.length : group / across * lines.length * lines.step + line0;
    const i64 pitch = ALONG ? lines.length : 1, step = ALONG ? 1 : lines.step; // from line to line; along one
    const int count = limit - line0 < LINES ? (int)(limit - line0) : LINES;
    const int line = threadIdx.x % LINES, first = threadIdx.x / LINES * OUT;
    const Number constant = In<A, A>::value(slot_value<Raw<A>>(beyond));
    Number sums[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        sums[o] = Number(0);
    }
#pragma unroll 1
    for (i64 k0 = 0; k0 < lines.taps; k0 += CHUNK) {
        const int taps = lines.taps - k0 < CHUNK ? (int)(lines.taps - k0) : CHUNK;
        if (k0 > 0) {
            __syncthreads();
        }
        const i64 left = start - lines.left + k0;
        const int span = SEGMENT + taps - 1;
        if (left >= 0 && left + span <= lines.length) {
            load_tile<true>(tile, in + base, lines, left, span, count, pitch, step, constant);
        }
        else {
            load_tile<false>(tile, in + base, lines, left, span, count, pitch, step, constant);
        }
        if constexpr (OPERATION == LINE_CORRELATE) {
            for (int k = threadIdx.x; k < taps; k += BLOCK) {
                factors[k] = In<A, A>::value(weights[k0 + k]);
            }
        }
        __syncthreads();
        if constexpr (ORDERED) {
            const f64 sign = are_paired(factors, taps, 1) ? 1 : are_paired(factors, taps, -1) ? -1 : 0;
#pragma unroll
            for (int o = 0; o < OUT; o++) {
                sums[o] = Number(ordered_sum(tile, factors, taps, line, first + o, sign));
            }
            break;
        }
        const auto at = [&](int i) { return tile[place((first + i) * LINES + line)]; };
        if (OPERATION >= LINE_MINIMUM && k0 == 0) {
#pragma unroll
            for (int o = 0; o < OUT; o++) {
                sums[o] = at(o);
            }
        }
        add_window<OUT>(sums, at, factors, taps);
    }
    if constexpr (OPERATION == LINE_MEAN) {
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            sums[o] = sums[o] / Number(lines.scale);
        }
    }
    if constexpr (LINES == 32 && !ALONG) { // a warp stores a row of elements
        Raw<R> *to = out + base + (start + first) * step + line;
#pragma unroll
        for (int o = 0; o < OUT; o++) {
            if (line < count && start + first + o < lines.length) {
                to[o * step] = stored<R, A>(sums[o]);
            }
        }
        return;
    }
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        tile[place((first + o) * LINES + line)] = sums[o];
    }
    __syncthreads();
    const int rest = (int)min(lines.length - start, (i64)SEGMENT);
#pragma unroll 4
    for (int i = 0; i < OUT; i++) {
        const TilePlace p = tile_place(i, SEGMENT);
        if (p.x < count && p.y < rest) {
            out[base + p.x * pitch + (start + p.y) * step] = stored<R, A>(tile[tile_index(i, p)]);
        }
    }
}

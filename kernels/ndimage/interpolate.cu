// interpolate: out[i] = the spline with the coefficients `in`, at a place that coordinates in memory or an affine map give:
// a sum over (ORDER + 1)^ND neighbours, whose weights are products of B-splines. Places are computed in f64, in SciPy's
// order and without contraction, as a last bit decides what lies outside.
// Knobs: S stored in `in`, R in `out`, C in `coordinates`; the sum is computed in A; KIND of enum InterpolateKind; ND axes
// are interpolated along, of whose last one neighbours lie side by side if UNIT; ORDER; BLOCK threads.
// Launch: for coordinates, BLOCK * each consecutive outputs a block. Otherwise a block has 2^width_bits columns of the last
// axis and (BLOCK >> width_bits) * each rows, tiles of a plane first.
#include "knobs/interpolate.cuh"
#include "border.cuh"
#include "multiply_add.cuh"
#include "scaled.cuh"
#include "ndimage/stored.cuh"

typedef Compute<A> Number;
typedef Part<A> Real;
typedef Signed<Index>::type Step;

GNP_FN constexpr int power(int base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

enum { TAPS = ORDER + 1, UNROLLED = power(TAPS, ND) <= 64 };
// Blocks of an SM, at least: reads at random places wait for memory, the more of them at a time the better.
enum { BLOCKS = KIND == INTERPOLATE_COORDINATES && power(TAPS, ND) <= 8 && sizeof(Number) == 4 ? 2048 / BLOCK : 0 };
enum { IS_MATRIX = KIND == INTERPOLATE_MATRIX || KIND == INTERPOLATE_STORED };

// The neighbours of a place: their offsets along each axis, and what they count. An offset of -1: the constant.
struct Taps {
    Step at[ND][TAPS];
    Real weight[ND][TAPS];
};

// ---- places ----------------------------------------------------------------------------------------

// x beyond [0, n - 1], brought near it by the mode; NaN: it is outside. Beyond 2^52 no place can be told from others.
static __device__ __noinline__ f64 brought_near(int mode, f64 x, f64 n)
{
    const f64 nan = __longlong_as_double(0x7ff8000000000000ll), last = n - 1;
    if (mode == INTERPOLATE_NEAREST || mode == INTERPOLATE_GRID_CONSTANT) {
        return x < -8 ? -8 : x > n + 8 ? n + 8 : x; // there all neighbours are beyond the end
    }
    if (mode == INTERPOLATE_CONSTANT || !(fabs(x) <= 0x1p52)) {
        return nan;
    }
    if (n <= 1 && mode != INTERPOLATE_REFLECT) {
        return 0;
    }
    const f64 period = mode == INTERPOLATE_MIRROR ? 2 * last : mode == INTERPOLATE_REFLECT ? 2 * n
                       : mode == INTERPOLATE_WRAP ? last : n;
    switch (mode) {
    case INTERPOLATE_MIRROR:
        if (x < 0) {
            x += period * trunc(-x / period);
            return x <= -last ? x + period : -x;
        }
        x -= period * trunc(x / period);
        return x >= n ? period - x : x;
    case INTERPOLATE_REFLECT:
        if (x < 0) {
            x += period * trunc(-x / period);
            return x < -n ? x + period : -x - 1;
        }
        x -= period * trunc(x / period);
        return x >= n ? period - x - 1 : x;
    case INTERPOLATE_WRAP:
        return x < 0 ? x + period * (trunc(-x / period) + 1) : x - period * trunc(x / period);
    default:
        return x < 0 ? x + period * (trunc((-1 - x) / period) + 1) : x - period * trunc(x / period);
    }
}

// The values of B-splines at t in [0, 1) of an interval between knots, by the recursion of de Boor and Cox. The most used
// order has what it comes to.
GNP_FN void set_weights(Real *weight, Real t)
{
    if constexpr (ORDER == 3) {
        const Real sixth = (Real)(1.0 / 6), most = (Real)(2.0 / 3), u = 1 - t, tt = t * t, uu = u * u;
        weight[0] = uu * u * sixth;
        weight[1] = most - tt * (1 - (Real)0.5 * t);
        weight[2] = most - uu * (1 - (Real)0.5 * u);
        weight[3] = tt * t * sixth;
        return;
    }
    weight[0] = 1;
#pragma unroll
    for (int d = 1; d <= ORDER; d++) {
        Real carried = 0;
#pragma unroll
        for (int r = 0; r < d; r++) {
            const Real part = weight[r] * (Real)(1.0 / d);
            weight[r] = carried + (r + 1 - t) * part;
            carried = (t + (d - 1 - r)) * part;
        }
        weight[d] = carried;
    }
}

// How splines continue beyond the ends.
GNP_FN int rule_of(int mode)
{
    return mode == INTERPOLATE_GRID_CONSTANT ? PAD_CONSTANT
           : mode == INTERPOLATE_NEAREST     ? PAD_EDGE
           : mode == INTERPOLATE_REFLECT     ? PAD_SYMMETRIC
           : mode == INTERPOLATE_GRID_WRAP   ? PAD_WRAP
                                             : PAD_REFLECT;
}

// The whole number at or below x. Where indices have 32 bits, so has it, at the end of the sum with 1.5 * 2^52; the
// conversions of the processor are four times slower than such a sum.
GNP_FN Step floor_of(f64 x, f64 &below)
{
    if constexpr (sizeof(Step) == 4) {
        const f64 shifted = __dadd_rd(x, 0x1.8p52);
        below = __dadd_rn(shifted, -0x1.8p52);
        return (Step)__double_as_longlong(shifted);
    }
    below = floor(x);
    return (Step)below;
}

GNP_FN f64 as_float(Index i)
{
    if constexpr (sizeof(Index) == 4) {
        return __dadd_rn(__longlong_as_double(0x4330000000000000ll | (i64)i), -0x1p52);
    }
    return (f64)i;
}

// Whether all neighbours along an axis are elements without a rule for what is beyond the ends; `first` is the first of them.
GNP_FN bool set_inner_taps(Taps &taps, int axis, f64 x, const GnpInputAxis &a, Step &first)
{
    f64 below;
    const Step step = (Step)a.step;
    first = floor_of(ORDER % 2 ? x : x + 0.5, below) - ORDER / 2;
    set_weights(taps.weight[axis], (Real)(ORDER % 2 ? x - below : x - below + 0.5));
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        taps.at[axis][k] = (first + k) * step;
    }
    return first >= 0 && first + ORDER < (Step)a.length;
}

// Whether all neighbours along an axis are elements, side by side along the last one if UNIT.
GNP_FN bool set_taps(Taps &taps, int axis, f64 x, const GnpInputAxis &a, int mode)
{
    Step first;
    if (set_inner_taps(taps, axis, x, a, first)) {
        return true;
    }
    const Step step = (Step)a.step;
    bool inside = !(UNIT && axis == ND - 1);
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        const i64 j = border_source(rule_of(mode), (i64)first + k, a.length);
        inside = inside && j >= 0;
        taps.at[axis][k] = j >= 0 ? (Step)j * step : -1;
    }
    return inside;
}

// As set_inner_taps for a place in float32 on a spline of order 0 or 1. Its difference from the whole number below is exact in
// float32, so the result is that of float64, at half the cost. False where the place is near an end or beyond.
GNP_FN bool set_near_taps(Taps &taps, int axis, f32 x, const GnpInputAxis &a)
{
    const f32 shifted = __fadd_rd(x, 0x1.8p23f);
    const f32 part = x - (shifted - 0x1.8p23f);
    const Step below = (Step)(i32)(__float_as_uint(shifted) - __float_as_uint(0x1.8p23f)), step = (Step)a.step;
    const Step first = ORDER == 0 && part >= 0.5f ? below + 1 : below;
    set_weights(taps.weight[axis], (Real)part);
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        taps.at[axis][k] = (first + k) * step;
    }
    return x >= 0 && x < 0x1p22f && first + ORDER < (Step)a.length;
}

// ---- sums ------------------------------------------------------------------------------------------

// sum += weight * value. Products are rounded before they are added where a last bit of the sum decides an integer.
template <class N> GNP_FN void add_weighted(N &sum, Real weight, N value)
{
    if constexpr (Info<R>::cls == 'f' && Info<A>::cls == 'f') {
        multiply_add(sum, weight, value);
    }
    else {
        sum = sum + scaled(weight, value);
    }
}

template <int AXIS> GNP_FN Number sum_of(const Raw<S> *in, const Taps &taps)
{
    Number sum = Number(0);
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        if constexpr (AXIS == ND - 1) {
            const Raw<S> *at = UNIT ? in + taps.at[AXIS][0] + k : in + taps.at[AXIS][k];
            add_weighted(sum, taps.weight[AXIS][k], In<S, A>::value(*at));
        }
        else {
            add_weighted(sum, taps.weight[AXIS][k], sum_of<AXIS + 1>(in + taps.at[AXIS][k], taps));
        }
    }
    return sum;
}

// The same for many neighbours, or where they do not lie side by side or the constant is among them.
static __device__ __noinline__ Number rolled_sum(const Raw<S> *in, const Taps &taps, Number constant)
{
    Number sum = Number(0);
#pragma unroll 1
    for (int t = 0; t < power(TAPS, ND - 1); t++) {
        Real weight = 1;
        Step at = 0;
        bool inside = true;
        int rest = t;
#pragma unroll
        for (int axis = ND - 2; axis >= 0; axis--) {
            const int k = rest % TAPS;
            rest /= TAPS;
            weight *= taps.weight[axis][k];
            inside = inside && taps.at[axis][k] >= 0;
            at += taps.at[axis][k];
        }
        Number row = Number(0);
#pragma unroll 1
        for (int k = 0; k < TAPS; k++) {
            const Step last = taps.at[ND - 1][k];
            const Number value = inside && last >= 0 ? In<S, A>::value(in[at + last]) : constant;
            row = row + scaled(taps.weight[ND - 1][k], value);
        }
        sum = sum + scaled(weight, row);
    }
    return sum;
}

// The neighbours along an axis of a place; what they are, as bits.
enum { WITHIN = 0, NEAR_END = 1, BEYOND = 2 };

GNP_FN int set_axis(Taps &taps, int axis, f64 place, const GnpInterpolation &p)
{
    const GnpInputAxis &a = p.inputs[axis];
    f64 x = place + p.pad;
    if (!(x >= 0 && x <= a.last)) {
        x = brought_near((int)p.mode, x, a.last + 1);
        if (x != x) {
            return BEYOND;
        }
    }
    return set_taps(taps, axis, x, a, (int)p.mode) ? WITHIN : NEAR_END;
}

GNP_FN Number value_of(const Raw<S> *in, const Taps &taps, int found, const GnpInterpolation &p, Number constant)
{
    if (found & BEYOND) { // NaN alone is so in these modes
        const bool is_nan = p.mode == INTERPOLATE_NEAREST || p.mode == INTERPOLATE_GRID_CONSTANT;
        return is_nan ? Number((Real)__longlong_as_double(0x7ff8000000000000ll)) : constant;
    }
    if (UNROLLED && found == WITHIN) {
        return sum_of<0>(in, taps);
    }
    const Taps copy = taps; // whose address is taken: `taps` stays in registers
    return rolled_sum(in, copy, constant);
}

// Integers are rounded, halves away from zero, and saturated. Fractions are cut off for bool, as SciPy does, though not for a
// number that is 1 but for rounding errors.
template <class N> GNP_FN Raw<R> rounded(N x)
{
    constexpr int cls = Info<R>::cls;
    if constexpr (cls == 'i' || cls == 'u') {
        const f64 y = x;
        return y != y ? stored<R, A>(x) : (Raw<R>)saturate<R>(y > 0 ? y + 0.5 : cls == 'i' ? y - 0.5 : 0);
    }
    else if constexpr (cls == '?') {
        return !(fabs((f64)x) < 1 - 0x1p-40);
    }
    else {
        return stored<R, A>(x);
    }
}

// ---- outputs ---------------------------------------------------------------------------------------

// An element of the matrix: its last column is the offset.
GNP_FN f64 coefficient(const Raw<C> *stored, const GnpInterpolation &p, int axis, i64 column)
{
    if constexpr (KIND == INTERPOLATE_STORED) {
        return (f64)stored[axis * (p.naxes + 1) + column];
    }
    return column < p.naxes ? p.inputs[axis].matrix[column] : p.inputs[axis].offset;
}

// The place of an index of the output, along the same axis of the input.
GNP_FN f64 place_of(Index index, const GnpInputAxis &input)
{
    const f64 place = __dmul_rn(__dadd_rn(as_float(index), KIND == INTERPOLATE_GRID ? 0.5 : input.offset), input.matrix[0]);
    return KIND == INTERPOLATE_GRID ? __dadd_rn(place, -0.5) : place;
}

// What an index of an axis of the output adds to the place, or to the first element that is read.
GNP_FN void add_index(f64 *place, Step *from, Index index, const Raw<C> *stored, const GnpInterpolation &p,
                      const GnpOutputAxis &a)
{
    if (a.column < 0) {
        *from += (Step)index * (Step)a.step;
        return;
    }
#pragma unroll
    for (int axis = 0; axis < ND; axis++) {
        if constexpr (IS_MATRIX) {
            const f64 moved = __dmul_rn(as_float(index), coefficient(stored, p, axis, a.column));
            place[axis] = __dadd_rn(place[axis], moved);
        }
        else if (a.column == axis) {
            place[axis] = place_of(index, p.inputs[axis]);
        }
    }
}

// Where a thread is in the tile. Warps of a general map have 8 by 4 outputs, whose neighbours are near each other whatever
// the map's direction.
GNP_FN void find_in_tile(int bits, u32 &row, u32 &column)
{
    const u32 t = threadIdx.x;
    if (IS_MATRIX && bits >= 3 && bits <= 5) {
        const u32 warp = t >> 5, across = (1u << (bits - 3)) - 1;
        column = (warp & across) * 8 + (t & 7);
        row = (warp >> (bits - 3)) * 4 + (t >> 3 & 3);
        return;
    }
    column = t & ((1u << bits) - 1);
    row = t >> bits;
}

// The place where the axes before the last two put a plane of outputs, and the first element that it reads.
GNP_FN Step add_plane(f64 *place, u32 plane, const Raw<C> *stored, const GnpInterpolation &p)
{
    Step from = 0;
#pragma unroll
    for (int axis = 0; axis < ND; axis++) {
        place[axis] = IS_MATRIX ? coefficient(stored, p, axis, p.naxes) : 0;
    }
    u32 count = 1; // planes that an index of the axis has
#pragma unroll 1
    for (int axis = 1; axis < p.naxes - 2; axis++) {
        count *= (u32)p.outputs[axis].size;
    }
#pragma unroll 1
    for (int axis = 0; axis < p.naxes - 2; axis++) {
        const u32 index = plane / count;
        plane -= index * count;
        add_index(place, &from, index, stored, p, p.outputs[axis]);
        count /= axis + 3 < p.naxes ? (u32)p.outputs[axis + 1].size : 1;
    }
    return from;
}

// The outputs of a thread in one column, `high` rows apart, where the places of each axis depend on one index alone: only
// those along the rows are made anew for each output.
GNP_FN void write_apart(Raw<R> *to, const Raw<S> *in, f64 *place, Step from, Index y, Index rows, int high,
                        const GnpInterpolation &p, Number constant)
{
    const int naxes = (int)p.naxes, moving = naxes > 1 ? (int)p.outputs[naxes - 2].column : -1;
    const Step down = naxes > 1 && moving < 0 ? (Step)p.outputs[naxes - 2].step : 0;
    const i64 width = p.outputs[naxes - 1].size * high;
    Taps taps;
    int fixed = WITHIN;
#pragma unroll
    for (int axis = 0; axis < ND; axis++) {
        fixed |= axis == moving ? WITHIN : set_axis(taps, axis, place[axis], p);
    }
#pragma unroll 1
    for (int e = 0; e < (int)p.each && y < rows; e++, y += high, to += width) {
        int found = fixed;
#pragma unroll
        for (int axis = 0; axis < ND; axis++) {
            if (axis == moving) {
                found |= set_axis(taps, axis, place_of(y, p.inputs[axis]), p);
            }
        }
        *to = rounded(value_of(in + (from + (Step)y * down), taps, found, p, constant));
    }
}

// The same for a matrix; what the column of the output adds is multiplied once.
GNP_FN void write_mixed(Raw<R> *to, const Raw<S> *in, const f64 *place, Step from, Index x, Index y, Index rows, int high,
                        const Raw<C> *stored, const GnpInterpolation &p, Number constant)
{
    const int naxes = (int)p.naxes;
    const GnpOutputAxis &last = p.outputs[naxes - 1], &other = p.outputs[naxes > 1 ? naxes - 2 : 0];
    const Step down = naxes > 1 && other.column < 0 ? (Step)other.step : 0;
    f64 across[ND], slope[ND];
#pragma unroll
    for (int axis = 0; axis < ND; axis++) {
        across[axis] = last.column < 0 ? 0 : __dmul_rn(as_float(x), coefficient(stored, p, axis, last.column));
        slope[axis] = naxes == 1 || other.column < 0 ? 0 : coefficient(stored, p, axis, other.column);
    }
    from += last.column < 0 ? (Step)x * (Step)last.step : 0;
#pragma unroll 1
    for (int e = 0; e < (int)p.each && y < rows; e++, y += high, to += last.size * high) {
        Taps taps;
        int found = WITHIN;
#pragma unroll
        for (int axis = 0; axis < ND; axis++) {
            const f64 row = __dadd_rn(place[axis], __dmul_rn(as_float(y), slope[axis]));
            found |= set_axis(taps, axis, __dadd_rn(row, across[axis]), p);
        }
        *to = rounded(value_of(in + (from + (Step)y * down), taps, found, p, constant));
    }
}

// Coordinates in float32 stay so for splines of low order, whose images are never continued by `pad`.
enum { IS_NARROW = KIND == INTERPOLATE_COORDINATES && ORDER <= 1 && sizeof(C) <= 4 && Info<C>::cls == 'f' };
typedef Choose<IS_NARROW, f32, f64>::type Place;

GNP_FN void load_place(Place *place, const Raw<C> *coordinates, i64 i, i64 size)
{
#pragma unroll
    for (int axis = 0; axis < ND; axis++) {
        place[axis] = (Place)In<C, C>::value(coordinates[axis * size + i]);
    }
}

GNP_FN bool set_inner_place(Taps &taps, int axis, Place place, const GnpInterpolation &p)
{
    const GnpInputAxis &a = p.inputs[axis];
    if constexpr (IS_NARROW) {
        return set_near_taps(taps, axis, place, a);
    }
    Step first;
    const f64 x = place + p.pad;
    return x >= 0 && x <= a.last && set_inner_taps(taps, axis, x, a, first);
}

// Those outputs of a thread that have a bit. A call, so that it takes no registers of what calls it.
static __device__ __noinline__ void write_others(Raw<R> *out, const Raw<S> *in, const Raw<C> *coordinates, i64 first, u32 others,
                                                 const GnpInterpolation &p, Number constant)
{
#pragma unroll 1
    for (; others != 0; others &= others - 1) {
        const i64 i = first + (__ffs((int)others) - 1) * BLOCK;
        int found = WITHIN;
        Taps taps;
        Place place[ND];
        load_place(place, coordinates, i, p.size);
#pragma unroll
        for (int axis = 0; axis < ND; axis++) {
            found |= set_axis(taps, axis, place[axis], p);
        }
        out[i] = rounded(value_of(in, taps, found, p, constant));
    }
}

// The outputs of a thread, BLOCK apart, whose coordinates lie in memory: first those whose neighbours are all elements, for
// which few registers are enough, then the others. The next coordinates are on their way while neighbours are.
GNP_FN void write_places(Raw<R> *out, const Raw<S> *in, const Raw<C> *coordinates, i64 first, const GnpInterpolation &p,
                         Number constant)
{
    const i64 left = p.size - first;
    const int count = left >= p.each * BLOCK ? (int)p.each : left > 0 ? (int)((left - 1) / BLOCK + 1) : 0;
    u32 others = 0; // bits
    Place next[ND];
    if (count > 0) {
        load_place(next, coordinates, first, p.size);
    }
#pragma unroll 1
    for (int e = 0; e < count; e++) {
        Taps taps;
        Place place[ND];
#pragma unroll
        for (int axis = 0; axis < ND; axis++) {
            place[axis] = next[axis];
        }
        if (e + 1 < count) {
            load_place(next, coordinates, first + (e + 1) * BLOCK, p.size);
        }
        bool is_inner = UNROLLED;
#pragma unroll
        for (int axis = 0; UNROLLED && axis < ND; axis++) {
            is_inner = set_inner_place(taps, axis, place[axis], p) && is_inner;
        }
        if (is_inner) {
            out[first + e * BLOCK] = rounded(sum_of<0>(in, taps));
        }
        others |= is_inner ? 0 : 1u << e;
    }
    if (others != 0) {
        write_others(out, in, coordinates, first, others, p, constant);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
interpolate(Raw<R> *out, const Raw<S> *in, const Raw<C> *coordinates, const __grid_constant__ GnpInterpolation p,
            const Slot beyond)
{
    const Number constant = In<A, A>::value(slot_value<Raw<A>>(beyond));
    const int each = (int)p.each;
    if constexpr (KIND == INTERPOLATE_COORDINATES) {
        write_places(out, in, coordinates, (i64)blockIdx.x * BLOCK * each + threadIdx.x, p, constant);
        return;
    }
    f64 place[ND];
    const int naxes = (int)p.naxes, bits = (int)p.width_bits, high = BLOCK >> bits; // rows of the block at once
    const GnpOutputAxis &last = p.outputs[naxes - 1], &other = p.outputs[naxes > 1 ? naxes - 2 : 0];
    const u32 across = (u32)((last.size - 1 >> bits) + 1);
    const u32 down = naxes > 1 ? (u32)((other.size - 1) / (high * each) + 1) : 1;
    const u32 tile = blockIdx.x / across, plane = tile / down;
    u32 row, column;
    find_in_tile(bits, row, column);
    const Index x = ((Index)(blockIdx.x - tile * across) << bits) + column, rows = naxes > 1 ? (Index)other.size : 1;
    const Index y = (Index)(tile - plane * down) * (high * each) + row;
    if (x >= (Index)last.size) {
        return;
    }
    Step from = add_plane(place, plane, coordinates, p);
    Raw<R> *to = out + ((i64)plane * rows + y) * last.size + x;
    if constexpr (IS_MATRIX) {
        write_mixed(to, in, place, from, x, y, rows, high, coordinates, p, constant);
    }
    else {
        add_index(place, &from, x, coordinates, p, last);
        write_apart(to, in, place, from, y, rows, high, p, constant);
    }
}

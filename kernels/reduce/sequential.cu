// sequential: x = op(x, in[i]) for i after i along an axis, for operations whose order matters.
// Knobs: S, T, V, R: stored input, loop, its second operand, result; A, B: what T and V compute in;
// combine(); KEPT axes number the lanes o; ACCUMULATE stores every x, else only the last; SEGMENTS: piece s
// begins at starts[s] and ends before starts[s + 1], else the whole axis is one piece; LANES threads share an
// output where order does not matter; MASKED leaves elements out; INITIAL starts with a given x.
// Launch: LANES threads per output.
#include "knobs/sequential.cuh"

struct Piece {
    i64 start, stop;
};

// NumPy's rule: a piece that would end before it begins is its first element only.
GNP_FN Piece piece_of(const i64 *starts, i64 s, i64 nstarts, i64 n)
{
    if constexpr (SEGMENTS == 0) {
        return Piece{0, n};
    }
    else {
        i64 start = wrap_index(starts[s], n);
        i64 stop = s + 1 < nstarts ? wrap_index(starts[s + 1], n) : n;
        return Piece{start, stop > start ? stop : start + 1};
    }
}

// As in NumPy, the value between two steps has the loop's type: 16-bit floats are rounded at each.
GNP_FN A step(A a, B b) { return In<T, T>::value(Out<T, T>::raw(combine(a, b))); }

extern "C" __global__ void __launch_bounds__(BLOCK)
sequential(const char *in, const char *mask, char *out, const Layout<Index, KEPT, 3> kept, const Index nout,
     const Index total, const i64 n, const i64 in_step, const i64 mask_step, const i64 out_step,
     const i64 *starts, const i64 nstarts, const Slot initial)
{
    const Index q = (Index)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;
    const bool mine = q < total;
    const Index s = mine ? q / nout : 0, o = mine ? q - s * nout : 0;
    const Offsets<Index, 3> at = kept.at(o);
    const Piece piece = piece_of(starts, (i64)s, nstarts, n);
    bool any = INITIAL != 0;
    A x = INITIAL != 0 ? In<T, T>::value(slot_value<Raw<T>>(initial)) : A();

    in += at.at[0];
    mask += at.at[1];
    out += at.at[2];
#pragma unroll 4
    for (i64 i = piece.start + lane; i < piece.stop; i += LANES) {
        const Raw<S> element = *(const Raw<S> *)(in + i * in_step);
        if (!MASKED || mask[i * mask_step]) {
            x = any ? step(x, In<S, V>::value(element)) : In<S, T>::value(element);
            any = true;
        }
        if constexpr (ACCUMULATE != 0) {
            if (mine) {
                *(Raw<R> *)(out + i * out_step) = Out<R, T>::raw(x);
            }
        }
    }
    if constexpr (LANES > 1) { // a tree over the lanes that had an element
#pragma unroll
        for (int d = LANES / 2; d > 0; d /= 2) {
            const int words = (sizeof(A) + 3) / 4;
            u32 word[words];
            word[words - 1] = 0;
            memcpy(word, &x, sizeof(A));
#pragma unroll
            for (int k = 0; k < words; k++) {
                word[k] = __shfl_down_sync(0xffffffffu, word[k], d, LANES);
            }
            A other;
            memcpy(&other, word, sizeof(A));
            bool has = __shfl_down_sync(0xffffffffu, (int)any, d, LANES);
            x = has ? (any ? combine(x, other) : other) : x;
            any = any || has;
        }
    }
    if (!ACCUMULATE && mine && lane == 0) {
        *(Raw<R> *)(out + (i64)s * out_step) = Out<R, T>::raw(x);
    }
}

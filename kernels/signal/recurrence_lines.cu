// recurrence_lines: a linear recurrence along an axis of a C-contiguous array, a line a thread.
// Knobs: recurrence.cuh; BACKWARDS: from the last element of a line to the first; BLOCK threads.
// Launch: x covers the lines, of which `pitch` lie side by side; a line's elements are `pitch` apart.
#include "knobs/recurrence_lines.cuh"
#include "signal/recurrence.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
recurrence_lines(Raw<R> *out, const Raw<S> *in, const Factor *factors, const State *start, State *end, const i64 lines,
                 const i64 length, const i64 pitch)
{
    enum { BATCH = 8 };
    const i64 line = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (line >= lines) {
        return;
    }
    const i64 apart = BACKWARDS ? -pitch : pitch;
    const i64 first = line / pitch * length * pitch + line % pitch + (BACKWARDS ? (length - 1) * pitch : 0);
    const Filter filter(factors);
    State z[K];
#pragma unroll
    for (int i = 0; i < K; i++) {
        z[i] = start != nullptr ? start[line * K + i] : State(0);
    }
    i64 i = 0;
#pragma unroll 1
    for (; i + BATCH <= length; i += BATCH) { // all loads are on their way before the first is used
        Raw<S> x[BATCH];
#pragma unroll
        for (int j = 0; j < BATCH; j++) {
            x[j] = in[first + (i + j) * apart];
        }
#pragma unroll 1
        for (int j = 0; j < BATCH; j++) {
            Raw<S> now = x[0];
#pragma unroll
            for (int k = 0; k + 1 < BATCH; k++) {
                x[k] = x[k + 1];
            }
            out[first + (i + j) * apart] = Out<R, A>::raw(step(z, filter, State(In<S, A>::value(now))));
        }
    }
#pragma unroll 1
    for (; i < length; i++) {
        out[first + i * apart] = Out<R, A>::raw(step(z, filter, State(In<S, A>::value(in[first + i * apart]))));
    }
    if (end != nullptr) {
        store(end + line * K, z);
    }
}

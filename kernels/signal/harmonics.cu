// harmonics: for each frequency f, sums over all times t of w cos^2(ft), w cos(ft) sin(ft), w y cos(ft), w y sin(ft) and,
// where SUMS is 6, w cos(ft) and w sin(ft), in float64 and in an order that depends on the sizes alone.
// A block has 6 frequencies. Where they are equidistant, cosine and sine are computed for the first one and for the step,
// and rotated from one to the next.
// Knobs: SUMS, 4 or 6; BLOCK threads, each of which has every BLOCKth time.
// Launch: 6 frequencies a block.
#include "knobs/harmonics.cuh"

enum { F = HARMONIC_FREQUENCIES };

struct Turn {
    f64 c, s;
};

// One copy in the kernel: its reduction of large arguments is long.
static __device__ __noinline__ Turn turn_by(f64 phase)
{
    Turn t;
    sincos(phase, &t.s, &t.c);
    return t;
}

GNP_FN void add(f64 (&sums)[SUMS], f64 c, f64 s, f64 y, f64 w)
{
    const f64 wc = w * c, ws = w * s;
    sums[0] = fma(wc, c, sums[0]);
    sums[1] = fma(wc, s, sums[1]);
    sums[2] = fma(wc, y, sums[2]);
    sums[3] = fma(ws, y, sums[3]);
    if constexpr (SUMS == 6) {
        sums[4] += wc;
        sums[5] += ws;
    }
}

// Whether frequencies follow each other by equal steps, but for their own rounding.
GNP_FN bool are_even(const f64 (&f)[F], f64 step)
{
    bool even = true;
#pragma unroll
    for (int k = 1; k < F; k++) {
        even = even && fabs(f[0] + k * step - f[k]) <= 2.3e-16 * (fabs(f[0]) + fabs(f[k]));
    }
    return even;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
harmonics(f64 *out, const f64 *times, const f64 *values, const f64 *weights, const f64 *frequencies, const i64 n, const i64 nf)
{
    __shared__ f64 partial[BLOCK / 32][F * SUMS];
    const i64 first = (i64)blockIdx.x * F;
    f64 f[F], sums[F][SUMS];
#pragma unroll
    for (int k = 0; k < F; k++) {
        f[k] = frequencies[first + k < nf ? first + k : nf - 1];
#pragma unroll
        for (int m = 0; m < SUMS; m++) {
            sums[k][m] = 0;
        }
    }
    const f64 step = (f[F - 1] - f[0]) / (F - 1);
    const bool even = first + F <= nf && are_even(f, step);
#pragma unroll 1
    for (i64 i = threadIdx.x; i < n; i += BLOCK) {
        const f64 t = times[i], y = values[i], w = weights[i];
        Turn at = turn_by(f[0] * t), by = {1, 0};
        if (even) {
            by = turn_by(step * t);
        }
#pragma unroll
        for (int k = 0; k < F; k++) {
            add(sums[k], at.c, at.s, y, w);
            if (k + 1 < F && even) {
                at = {fma(at.c, by.c, -(at.s * by.s)), fma(at.s, by.c, at.c * by.s)};
            }
            else if (k + 1 < F) {
                at = turn_by(f[k + 1] * t);
            }
        }
    }
#pragma unroll 1
    for (int d = 16; d > 0; d /= 2) {
#pragma unroll
        for (int v = 0; v < F * SUMS; v++) {
            const f64 x = sums[v / SUMS][v % SUMS];
            const int low = __shfl_down_sync(0xffffffffu, __double2loint(x), d);
            const int high = __shfl_down_sync(0xffffffffu, __double2hiint(x), d);
            sums[v / SUMS][v % SUMS] = x + __hiloint2double(high, low);
        }
    }
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int v = 0; v < F * SUMS; v++) {
            partial[threadIdx.x / 32][v] = sums[v / SUMS][v % SUMS];
        }
    }
    __syncthreads();
    const int at = threadIdx.x, k = at / SUMS;
    if (at < F * SUMS && first + k < nf) {
        f64 total = 0;
#pragma unroll
        for (int warp = 0; warp < BLOCK / 32; warp++) {
            total += partial[warp][at];
        }
        out[(at - k * SUMS) * nf + first + k] = total;
    }
}

// harmonics: for each frequency f, sums over all times t of w cos^2(ft), w cos(ft) sin(ft), w y cos(ft), w y sin(ft) and,
// where SUMS is 6, w cos(ft) and w sin(ft), in float64 and in an order that depends on the sizes alone.
// A block has 8 frequencies. Where they are equidistant, cosine and sine are computed for the first one and for the step,
// and rotated from one to the next.
// Knobs: SUMS, 4 or 6; BLOCK threads, each of which has every BLOCKth time.
// Launch: 8 frequencies a block.
#include "knobs/harmonics.cuh"

enum { F = HARMONIC_FREQUENCIES };

GNP_FN void add(f64 (&sums)[SUMS], f64 c, f64 s, f64 y, f64 w)
{
    const f64 wc = w * c, ws = w * s;
    sums[0] += wc * c;
    sums[1] += wc * s;
    sums[2] += wc * y;
    sums[3] += ws * y;
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
        f64 c, s, dc = 1, ds = 0;
        sincos(f[0] * t, &s, &c);
        if (even) {
            sincos(step * t, &ds, &dc);
        }
#pragma unroll
        for (int k = 0; k < F; k++) {
            add(sums[k], c, s, y, w);
            if (k + 1 < F && even) {
                const f64 next = c * dc - s * ds;
                s = s * dc + c * ds;
                c = next;
            }
            else if (k + 1 < F) {
                sincos(f[k + 1] * t, &s, &c);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < F; k++) {
#pragma unroll
        for (int m = 0; m < SUMS; m++) {
            f64 x = sums[k][m];
#pragma unroll
            for (int d = 16; d > 0; d /= 2) {
                x += __shfl_down_sync(0xffffffffu, x, d);
            }
            if (threadIdx.x % 32 == 0) {
                partial[threadIdx.x / 32][k * SUMS + m] = x;
            }
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

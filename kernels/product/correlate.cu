// correlate: out[i] = sum over j of a[i + j - before] * v[j], over the j for which a has an element: the inner
// loop of correlate and convolve.
// Knobs: types as in product.cuh; BLOCK threads compute REG neighbouring outputs each; CHUNK (a multiple of
// REG) elements of v are taken at once. A thread keeps REG elements of a in registers and shifts them by one
// per step, so that REG * REG products need 2 * REG reads of shared memory.
// Launch: x covers the n outputs, which lie side by side.
#include "knobs/correlate.cuh"
#include "product/product.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
correlate(const char *a, const char *v, char *out, const i64 n, const i64 size, const i64 k, const i64 before,
      const i64 a_step, const i64 v_step)
{
    enum { OUTPUTS = BLOCK * REG, FULL = 16 / sizeof(X), V = REG < FULL ? REG : FULL };
    __shared__ alignas(16) X window[OUTPUTS + CHUNK];
    __shared__ alignas(16) X weights[CHUNK];
    const i64 first = (i64)blockIdx.x * OUTPUTS;
    const bool inside = first >= before && first + OUTPUTS + k - 1 - before <= size; // no end of a within the chunk
    const int mine = threadIdx.x * REG;
    X sum[REG];

#pragma unroll
    for (int r = 0; r < REG; r++) {
        sum[r] = X(0);
    }
#pragma unroll 1
    for (i64 j0 = 0; j0 < k; j0 += CHUNK) {
        const i64 start = first + j0 - before; // index of window[0] in a
        __syncthreads();
#pragma unroll 4
        for (int i = threadIdx.x; i < OUTPUTS + CHUNK; i += BLOCK) {
            i64 at = start + i;
            window[i] = at >= 0 && at < size ? element<SA, CONJ_A>(*(const Raw<SA> *)(a + at * a_step)) : X(0);
        }
#pragma unroll 1
        for (int i = threadIdx.x; i < CHUNK; i += BLOCK) {
            weights[i] = j0 + i < k ? element<SB, CONJ_B>(*(const Raw<SB> *)(v + (j0 + i) * v_step)) : X(0);
        }
        __syncthreads();
        const int js = k - j0 < CHUNK ? (int)(k - j0) : CHUNK;
        int j = 0;
        if (inside) {
            X seen[2 * REG];
#pragma unroll
            for (int r = 0; r < REG; r++) {
                seen[r] = window[mine + r];
            }
#pragma unroll 1
            for (; j + REG <= js; j += REG) {
                X w[REG];
#pragma unroll
                for (int r = 0; r < REG; r += V) {
                    *(Vec<X, V> *)&seen[REG + r] = *(const Vec<X, V> *)&window[mine + j + REG + r];
                    *(Vec<X, V> *)&w[r] = *(const Vec<X, V> *)&weights[j + r];
                }
#pragma unroll
                for (int s = 0; s < REG; s++) {
#pragma unroll
                    for (int r = 0; r < REG; r++) {
                        multiply_add(sum[r], seen[s + r], w[s]);
                    }
                }
#pragma unroll
                for (int r = 0; r < REG; r++) {
                    seen[r] = seen[REG + r];
                }
            }
        }
        // Products beyond the ends of a are left out rather than multiplied by 0, as 0 * inf is NaN.
        const int low = start < 0 ? (start < -OUTPUTS - CHUNK ? OUTPUTS + CHUNK : (int)-start) : 0;
        const int high = size - start < OUTPUTS + CHUNK ? (int)(size - start < 0 ? 0 : size - start) : OUTPUTS + CHUNK;
#pragma unroll 1
        for (; j < js; j++) {
            X w = weights[j];
#pragma unroll
            for (int r = 0; r < REG; r++) {
                int at = mine + j + r;
                if (at >= low && at < high) {
                    multiply_add(sum[r], window[at], w);
                }
            }
        }
    }
    if (first + mine + REG <= n) {
        Vec<Raw<SO>, REG> done;
#pragma unroll
        for (int r = 0; r < REG; r++) {
            done.at[r] = result(sum[r]);
        }
        *(Vec<Raw<SO>, REG> *)(out + (first + mine) * (i64)sizeof(Raw<SO>)) = done;
    }
    else {
#pragma unroll
        for (int r = 0; r < REG; r++) {
            if (first + mine + r < n) {
                *(Raw<SO> *)(out + (first + mine + r) * (i64)sizeof(Raw<SO>)) = result(sum[r]);
            }
        }
    }
}

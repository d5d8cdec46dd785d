// softmax_rows: exponentials of a row's elements relative to the largest, divided by their sum, or the logarithms of
// that. A row stays in the registers of its threads: it is read and written once.
// Knobs: T; LOG: 1 for logarithms; LANES threads per row, ITEMS accesses of WIDTH elements each; BLOCK. A row has at
// most LANES * ITEMS * WIDTH elements, a multiple of WIDTH, and begins at a multiple of an access.
// Launch: LANES threads per row.
#include "knobs/softmax_rows.cuh"
#include "math.cuh"

typedef Compute<T> F;
typedef Vec<Raw<T>, WIDTH> Group;
// RESIDENT: blocks on a multiprocessor, so that one reads or writes while another computes.
enum { WARPS = LANES / 32, PARTS = 4, RESIDENT = (sizeof(F) == 8 ? 1024 : BLOCK == 1024 ? 2048 : 1536) / BLOCK };

// The combination of a row's threads, in all of them, always in the same order. `shared` is not used again.
template <class X, class C> GNP_FN X over_row(X x, X (&shared)[BLOCK / 32], C combine)
{
#pragma unroll
    for (int d = 1; d < (LANES < 32 ? LANES : 32); d *= 2) {
        x = combine(x, __shfl_xor_sync(0xffffffffu, x, d));
    }
    if constexpr (WARPS > 1) {
        if (threadIdx.x % 32 == 0) {
            shared[threadIdx.x / 32] = x;
        }
        __syncthreads();
        x = shared[threadIdx.x / LANES * WARPS + threadIdx.x % WARPS];
#pragma unroll
        for (int d = 1; d < WARPS; d *= 2) {
            x = combine(x, __shfl_xor_sync(0xffffffffu, x, d));
        }
    }
    return x;
}

template <class X> GNP_FN X sum_over_row(X x, X (&shared)[BLOCK / 32])
{
    return over_row(x, shared, [](X a, X b) { return a + b; });
}

// The exponential of a double is long.
static __device__ __noinline__ f64 exponential(f64 x) { return exp(x); }
GNP_FN f32 exponential(f32 x) { return exp(x); }

// a / b, correctly rounded as far as 1 / b is known: Newton's step for the quotient. b is 1 or more.
GNP_FN F quotient(F a, F b, F inverse)
{
    const F q = a * inverse;
    return fma(fma(-q, b, a), inverse, q);
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
softmax_rows(const Raw<T> *in, Raw<T> *out, const u32 n, const u64 rows)
{
    __shared__ F most[BLOCK / 32], sums[BLOCK / 32];
    __shared__ i32 counts[BLOCK / 32];
    const u64 row = (u64)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    const u32 first = threadIdx.x % LANES * WIDTH, end = row < rows ? n : 0;
    F x[ITEMS * WIDTH], largest = -(F)INFINITY_F32, part[PARTS] = {};
    i32 count = 0;

    in += row * n;
    out += row * n;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const u32 j = first + k * (LANES * WIDTH);
        Group group;
        if (j < end) {
            group = *(const Group *)(in + j);
        }
#pragma unroll
        for (int v = 0; v < WIDTH; v++) {
            x[k * WIDTH + v] = j < end ? In<T, T>::value(group.at[v]) : -(F)INFINITY_F32;
        }
    }
    // A NaN makes the sum NaN, and so does a row without a finite element.
#pragma unroll
    for (int k = 0; k < ITEMS * WIDTH; k++) {
        largest = fmax(largest, x[k]);
    }
    largest = over_row(largest, most, [](F a, F b) { return fmax(a, b); });
    // For logarithms, elements as large as the largest are counted: its own share is exact.
#pragma unroll
    for (int k = 0; k < ITEMS * WIDTH; k++) {
        const bool is_counted = LOG && x[k] == largest;
        x[k] -= largest;
        const F e = exponential(x[k]);
        part[k % PARTS] += is_counted ? (F)0 : e;
        count += is_counted;
        x[k] = LOG ? x[k] : e;
    }
#pragma unroll
    for (int d = 1; d < PARTS; d *= 2) {
#pragma unroll
        for (int k = 0; k < PARTS; k += 2 * d) {
            part[k] += part[k + d];
        }
    }
    F base = sum_over_row(part[0], sums);
    if constexpr (LOG != 0) {
        base = log1p(base + (F)(sum_over_row(count, counts) - 1));
    }
    const F inverse = 1 / base;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const u32 j = first + k * (LANES * WIDTH);
        if (j < end) {
            Group group;
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                const F a = x[k * WIDTH + v];
                group.at[v] = Out<T, T>::raw(LOG ? a - base : quotient(a, base, inverse));
            }
            *(Group *)(out + j) = group;
        }
    }
}

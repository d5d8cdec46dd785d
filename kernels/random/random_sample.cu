// random_sample: out[i] = where a random permutation of 0 ... n - 1 puts i, for the first `count` i alone: a
// permutation of left * right >= n numbers by a Feistel network whose halves have any size, applied again
// while the image is not below n (cycle walking) (J. Black, P. Rogaway, "Ciphers with arbitrary finite
// domains", CT-RSA 2002). Its round function is a mixer of 64 bits (G. L. Steele, D. Lea, C. H. Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014) of the other half and a random key.
// Knobs: Index u32 or u64, what holds left * right; BLOCK threads; ROUNDS, an even number.
// Launch: one thread per element.
#include "knobs/random_sample.cuh"

GNP_FN u64 mixed(u64 x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// half + a number of [0, size), modulo size.
GNP_FN Index moved(Index half, Index other, u64 key, Index size)
{
    u64 sum = (u64)half + __umul64hi(mixed(other + key), size);
    return (Index)(sum >= size ? sum - size : sum);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
random_sample(i64 *out, const u64 *keys, const Index left, const Index right, const Index n, const Index count)
{
    const Index i = (Index)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= count) {
        return;
    }
    Index x = i;
#pragma unroll 1
    do {
        Index a = x / right, b = x % right;
#pragma unroll
        for (int k = 0; k < ROUNDS; k += 2) {
            a = moved(a, b, keys[k], left);
            b = moved(b, a, keys[k + 1], right);
        }
        x = a * right + b;
    } while (x >= n);
    out[i] = (i64)x;
}

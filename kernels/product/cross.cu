// cross: out = a x b of vectors of three components, one behind the other in memory.
// Knobs: T, BLOCK. Addresses are multiples of 16 bytes.
// Launch: one thread for as many vectors as elements have 16 bytes: 48 bytes of each array, in three accesses.
#include "knobs/cross.cuh"

typedef Compute<T> F;
typedef Raw<T> Element;
enum { WIDTH = 16 / sizeof(Element) };

// Products are rounded before they are subtracted, as NumPy's are: the product of a vector with itself is 0.
GNP_FN F rounded(F x) { return In<T, T>::value(Out<T, T>::raw(x)); }

GNP_FN void cross_of(const Element *a, const Element *b, Element *out)
{
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const int y = (k + 1) % 3, z = (k + 2) % 3;
        const F ay = In<T, T>::value(a[y]), az = In<T, T>::value(a[z]);
        const F by = In<T, T>::value(b[y]), bz = In<T, T>::value(b[z]);
        out[k] = Out<T, T>::raw((F)(rounded((F)(ay * bz)) - rounded((F)(az * by))));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
cross(const Element *a, const Element *b, Element *out, const u64 n)
{
    typedef Vec<Element, 3 * WIDTH> Vectors;
    const u64 first = ((u64)blockIdx.x * BLOCK + threadIdx.x) * WIDTH;

    a += 3 * first;
    b += 3 * first;
    out += 3 * first;
    if (first + WIDTH <= n) {
        const Vectors x = *(const Vectors *)a, y = *(const Vectors *)b;
        Vectors product;
#pragma unroll
        for (int v = 0; v < 3 * WIDTH; v += 3) {
            cross_of(x.at + v, y.at + v, product.at + v);
        }
        *(Vectors *)out = product;
    }
    else {
#pragma unroll 1
        for (u64 i = 0; first + i < n; i++) {
            cross_of(a + 3 * i, b + 3 * i, out + 3 * i);
        }
    }
}

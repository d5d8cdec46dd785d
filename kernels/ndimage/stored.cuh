// stored.cuh: how results of filters become the elements of an image.
#ifndef GNP_STORED_CUH
#define GNP_STORED_CUH

#include "gnp.cuh"

// As x86 converts, which SciPy's results show: fractions are cut off, small types keep the lowest bits, and what fits
// no integer is the least of them.
GNP_FN i64 wide_integer(f64 x) { return x >= -0x1p63 && x < 0x1p63 ? (i64)x : (i64)(1ull << 63); }
GNP_FN i32 integer(f64 x) { return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : (i32)(1u << 31); }

template <class T, class A> GNP_FN Raw<T> stored(Compute<A> x)
{
    constexpr int cls = Info<T>::cls;
    if constexpr (Info<A>::cls != 'f' || cls == 'f' || cls == 'c') {
        return Out<T, A>::raw(x);
    }
    else if constexpr (cls == '?') {
        return (Raw<T>)(wide_integer(x) != 0);
    }
    else if constexpr (cls == 'u' && sizeof(T) == 8) {
        return x < 0x1p63 ? (Raw<T>)wide_integer(x) : x < 0x1p64 ? (Raw<T>)(u64)x : 0;
    }
    else {
        return (Raw<T>)(sizeof(T) == 8 || (cls == 'u' && sizeof(T) == 4) ? wide_integer(x) : integer(x));
    }
}

#endif

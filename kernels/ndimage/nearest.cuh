// nearest.cuh: what the kernels of distance transforms share. Included after the knobs, which declare Cost and Index.
#ifndef GNP_NEAREST_CUH
#define GNP_NEAREST_CUH

#include "gnp.cuh"

enum { BAND = NEAREST_BAND };
typedef i64 At; // where an element is, in C order; -1: nowhere

// Where there is no background: the greatest integer, or infinity.
template <class T> GNP_FN T infinite_cost()
{
    if constexpr (Info<T>::cls == 'f') {
        return (T)__longlong_as_double(0x7ff0000000000000ll);
    }
    else {
        return (T)(sizeof(T) == 4 ? 0x7fffffffll : 0x7fffffffffffffffll);
    }
}

#endif

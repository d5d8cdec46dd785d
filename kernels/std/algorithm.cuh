// <algorithm>, which NVRTC does not have: the functions of two and three values.
#ifndef GNP_STD_ALGORITHM
#define GNP_STD_ALGORITHM

namespace std {
template <class Value> __device__ __forceinline__ const Value &min(const Value &a, const Value &b)
{
    return b < a ? b : a;
}
template <class Value> __device__ __forceinline__ const Value &max(const Value &a, const Value &b)
{
    return a < b ? b : a;
}
template <class Value>
__device__ __forceinline__ const Value &clamp(const Value &value, const Value &low, const Value &high)
{
    return value < low ? low : high < value ? high : value;
}
template <class Value> __device__ __forceinline__ void swap(Value &a, Value &b)
{
    Value held = a;
    a = b;
    b = held;
}
} // namespace std

#endif

// user_atomic.cuh: atomic functions that CUDA lacks, for the user's code: extremes of floats, sums of 16-bit
// floats, 64-bit signed and complex numbers. Each returns the old value, but for complex numbers, whose parts
// are updated one after the other.
#ifndef GNP_USER_ATOMIC_CUH
#define GNP_USER_ATOMIC_CUH

namespace gnp {

// `f` of the old value instead of the old value, on the word around a 16-bit element.
template <class H, class F> GNP_FN H atomic_half(H *p, F f)
{
    u64 inside = (u64)p & 2;
    u32 *word = (u32 *)((u64)p - inside), old = *(volatile u32 *)word, seen;
    int shift = (int)inside * 8;
    H x;
    do {
        seen = old;
        x.bits = (u16)(seen >> shift);
        H fresh = f(x);
        old = atomicCAS(word, seen, (seen & ~(0xffffu << shift)) | (u32)fresh.bits << shift);
    } while (old != seen);
    return x;
}

// Numbers win over NaN, as in fmin and fmax.
template <class F> GNP_FN f32 atomic_float(f32 *p, F f)
{
    int old = *(volatile int *)p, seen;
    do {
        seen = old;
        old = atomicCAS((int *)p, seen, __float_as_int(f(__int_as_float(seen))));
    } while (old != seen);
    return __int_as_float(old);
}
template <class F> GNP_FN f64 atomic_double(f64 *p, F f)
{
    u64 old = *(volatile u64 *)p, seen;
    do {
        seen = old;
        old = atomicCAS((u64 *)p, seen, (u64)__double_as_longlong(f(__longlong_as_double((i64)seen))));
    } while (old != seen);
    return __longlong_as_double((i64)old);
}

GNP_FN f16 atomicAdd(f16 *p, f32 v) { return atomic_half(p, [v](f16 x) { return f16(x + v); }); }
GNP_FN bf16 atomicAdd(bf16 *p, f32 v) { return atomic_half(p, [v](bf16 x) { return bf16(x + v); }); }
template <class F> GNP_FN void atomicAdd(Complex<F> *p, Complex<F> v)
{
    ::atomicAdd(&p->re, v.re);
    ::atomicAdd(&p->im, v.im);
}

} // namespace gnp

__device__ __forceinline__ long long atomicAdd(long long *p, long long v)
{
    return (long long)atomicAdd((unsigned long long *)p, (unsigned long long)v);
}
__device__ __forceinline__ float atomicMax(float *p, float v)
{
    return gnp::atomic_float(p, [v](float x) { return fmaxf(x, v); });
}
__device__ __forceinline__ float atomicMin(float *p, float v)
{
    return gnp::atomic_float(p, [v](float x) { return fminf(x, v); });
}
__device__ __forceinline__ double atomicMax(double *p, double v)
{
    return gnp::atomic_double(p, [v](double x) { return fmax(x, v); });
}
__device__ __forceinline__ double atomicMin(double *p, double v)
{
    return gnp::atomic_double(p, [v](double x) { return fmin(x, v); });
}

#endif

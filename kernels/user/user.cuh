// user.cuh: names that the code of an ElementwiseKernel or a ReductionKernel may use beside CUDA's own. They
// are outside of the namespace gnp, which contains everything else.
#ifndef GNP_USER_CUH
#define GNP_USER_CUH

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif

typedef gnp::f16 float16;
typedef gnp::bf16 bfloat16;
template <class F> using complex = gnp::Complex<F>;

// CuPy's kernels find these in a namespace of its own.
namespace cupy {
namespace type_traits {
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> {
    typedef T type;
};
template <bool B, class T, class F> struct conditional {
    typedef typename gnp::Choose<B, T, F>::type type;
};
template <class T, class U> struct is_same {
    static const bool value = false;
};
template <class T> struct is_same<T, T> {
    static const bool value = true;
};
} // namespace type_traits
} // namespace cupy

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

__device__ __forceinline__ bool isnan(float16 x) { return isnan((float)x); }
__device__ __forceinline__ bool isnan(bfloat16 x) { return isnan((float)x); }
__device__ __forceinline__ bool isinf(float16 x) { return isinf((float)x); }
__device__ __forceinline__ bool isinf(bfloat16 x) { return isinf((float)x); }
__device__ __forceinline__ bool isfinite(float16 x) { return isfinite((float)x); }
__device__ __forceinline__ bool isfinite(bfloat16 x) { return isfinite((float)x); }

// An argument declared `raw`: its elements by their place in C order, a[i], or by their indices, a[ind].
template <class T, int ND, bool C_CONTIGUOUS = false, bool USE_32BIT = false> class CArray {
    T *start;
    const gnp::RawArray<ND> &a;

public:
    static const int ndim = ND;

    __device__ __forceinline__ CArray(const gnp::RawArray<ND> &array) : start((T *)array.data), a(array) {}
    __device__ __forceinline__ ptrdiff_t size() const { return a.size; }
    __device__ __forceinline__ const ptrdiff_t *shape() const { return (const ptrdiff_t *)a.shape; }
    __device__ __forceinline__ const ptrdiff_t *strides() const { return (const ptrdiff_t *)a.strides; }
    __device__ __forceinline__ T *data() const { return start; }

    __device__ __forceinline__ T &operator[](ptrdiff_t i) const
    {
        if (C_CONTIGUOUS || ND == 0) {
            return start[i];
        }
        if (ND == 1) {
            return at(i * a.strides[0]);
        }
        typedef typename gnp::Choose<USE_32BIT, gnp::u32, gnp::u64>::type Index;
        Index rest = (Index)i;
        ptrdiff_t offset = 0;
#pragma unroll
        for (int axis = ND - 1; axis > 0; axis--) {
            Index size = (Index)a.shape[axis], above = rest / size;
            offset += (ptrdiff_t)(rest - above * size) * a.strides[axis];
            rest = above;
        }
        return at(offset + (ptrdiff_t)rest * a.strides[0]);
    }
    template <class I> __device__ __forceinline__ T &operator[](const I (&index)[ND > 0 ? ND : 1]) const
    {
        ptrdiff_t offset = 0;
#pragma unroll
        for (int axis = 0; axis < ND; axis++) {
            offset += (ptrdiff_t)index[axis] * a.strides[axis];
        }
        return at(offset);
    }

private:
    __device__ __forceinline__ T &at(ptrdiff_t offset) const { return *(T *)((char *)start + offset); }
};

// The loop's index space, in C order: _ind.
template <int ND> class CIndexer {
    static const int N = ND > 0 ? ND : 1;
    ptrdiff_t count, sizes[N], index[N];

public:
    static const int ndim = ND;

    __device__ __forceinline__ CIndexer(ptrdiff_t size, const gnp::i64 (&shape)[N]) : count(size)
    {
#pragma unroll
        for (int axis = 0; axis < N; axis++) {
            sizes[axis] = shape[axis];
            index[axis] = 0;
        }
    }
    __device__ __forceinline__ ptrdiff_t size() const { return count; }
    __device__ __forceinline__ const ptrdiff_t (&shape() const)[N] { return sizes; }
    __device__ __forceinline__ const ptrdiff_t (&get() const)[N] { return index; }
    __device__ __forceinline__ void set(ptrdiff_t i)
    {
#pragma unroll
        for (int axis = N - 1; axis > 0; axis--) {
            index[axis] = i % sizes[axis];
            i /= sizes[axis];
        }
        index[0] = i;
    }
};

#endif

// Kernels over NVIDIA's device libraries, a few lines each: CUB's block and warp algorithms, Thrust
// in one thread, cooperative groups, libcu++, cuRAND's generators, small floating-point types.
// test_device_libraries.py runs them and knows what they compute.

#include <cub/cub.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/atomic>
#include <cuda/std/complex>
#include <cuda/std/mdspan>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/bit>
#include <cuda/std/span>
#include <cuda/semaphore>
#include <cuda/latch>
#include <curand_kernel.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/execution_policy.h>
#include <nv/target>

namespace cg = cooperative_groups;
#define K extern "C" __global__ void

template <cub::BlockReduceAlgorithm A>
__device__ int
br(int v)
{
    typedef cub::BlockReduce<int, 128, A> R;
    __shared__ typename R::TempStorage t;
    return R(t).Sum(v);
}

K
reduce3(const int *a, int *o)
{
    int v = a[threadIdx.x];
    int x = br<cub::BLOCK_REDUCE_RAKING>(v);
    __syncthreads();
    int y = br<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(v);
    __syncthreads();
    int z = br<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(v);
    if (!threadIdx.x) {
        o[0] = x;
        o[1] = y;
        o[2] = z;
    }
}

template <cub::BlockScanAlgorithm A>
__device__ void
bs(int v, int &r, int &agg)
{
    typedef cub::BlockScan<int, 128, A> S;
    __shared__ typename S::TempStorage t;
    S(t).InclusiveSum(v, r, agg);
}

K
scan3(const int *a, int *o)
{
    int v = a[threadIdx.x], r, g;
    bs<cub::BLOCK_SCAN_RAKING>(v, r, g);
    o[threadIdx.x] = r;
    __syncthreads();
    bs<cub::BLOCK_SCAN_RAKING_MEMOIZE>(v, r, g);
    o[128 + threadIdx.x] = r;
    __syncthreads();
    bs<cub::BLOCK_SCAN_WARP_SCANS>(v, r, g);
    o[256 + threadIdx.x] = r;
}

K
radix(const unsigned *a, unsigned *o)
{
    typedef cub::BlockRadixSort<unsigned, 128, 4, int> S;
    __shared__ typename S::TempStorage t;
    unsigned k[4];
    int v[4];
    for (int i = 0; i < 4; i++) {
        k[i] = a[threadIdx.x * 4 + i];
        v[i] = threadIdx.x * 4 + i;
    }
    S(t).Sort(k, v);
    for (int i = 0; i < 4; i++) {
        o[threadIdx.x * 4 + i] = k[i];
        o[512 + threadIdx.x * 4 + i] = v[i];
    }
}

K
radixf(const float *a, float *o)
{
    typedef cub::BlockRadixSort<float, 128, 4> S;
    __shared__ typename S::TempStorage t;
    float k[4];
    for (int i = 0; i < 4; i++)
        k[i] = a[threadIdx.x * 4 + i];
    S(t).SortDescending(k);
    for (int i = 0; i < 4; i++)
        o[threadIdx.x * 4 + i] = k[i];
}

struct Less {
    __device__ bool
    operator()(int a, int b) const
    {
        return a < b;
    }
};
K
merge(const int *a, int *o)
{
    typedef cub::BlockMergeSort<int, 128, 4> S;
    __shared__ typename S::TempStorage t;
    int k[4];
    for (int i = 0; i < 4; i++)
        k[i] = a[threadIdx.x * 4 + i];
    S(t).Sort(k, Less());
    for (int i = 0; i < 4; i++)
        o[threadIdx.x * 4 + i] = k[i];
}

K
wmerge(const int *a, int *o)
{
    typedef cub::WarpMergeSort<int, 4, 32> S;
    __shared__ typename S::TempStorage t[4];
    int k[4];
    for (int i = 0; i < 4; i++)
        k[i] = a[threadIdx.x * 4 + i];
    S(t[threadIdx.x / 32]).Sort(k, Less());
    for (int i = 0; i < 4; i++)
        o[threadIdx.x * 4 + i] = k[i];
}

K
histo(const unsigned char *a, unsigned *o)
{
    typedef cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_SORT> H;
    typedef cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC> G;
    __shared__ typename H::TempStorage t;
    __shared__ typename G::TempStorage t2;
    __shared__ unsigned h[256], g[256];
    unsigned char k[4];
    for (int i = 0; i < 4; i++)
        k[i] = a[threadIdx.x * 4 + i];
    H(t).Histogram(k, h);
    for (int i = 0; i < 4; i++)
        k[i] = a[threadIdx.x * 4 + i];
    G(t2).Histogram(k, g);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 128) {
        o[i] = h[i];
        o[256 + i] = g[i];
    }
}

K
exchange(const int *a, int *o)
{
    typedef cub::BlockExchange<int, 128, 4> E;
    __shared__ typename E::TempStorage t;
    int k[4];
    cub::LoadDirectBlocked(threadIdx.x, a, k);
    E(t).BlockedToStriped(k);
    cub::StoreDirectStriped<128>(threadIdx.x, o, k);
}

K
loadstore(const int *a, int *o)
{
    typedef cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE> L;
    typedef cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE> S;
    __shared__ union {
        typename L::TempStorage l;
        typename S::TempStorage s;
    } t;
    int k[4];
    L(t.l).Load(a, k, 500, -7);
    __syncthreads();
    S(t.s).Store(o, k);
}

K
discont(const int *a, int *o)
{
    typedef cub::BlockDiscontinuity<int, 128> D;
    __shared__ typename D::TempStorage t;
    int k[4], h[4];
    cub::LoadDirectBlocked(threadIdx.x, a, k);
    D(t).FlagHeads(h, k, cuda::std::not_equal_to<>{});
    cub::StoreDirectBlocked(threadIdx.x, o, h);
}

K
adj(const int *a, int *o)
{
    typedef cub::BlockAdjacentDifference<int, 128> D;
    __shared__ typename D::TempStorage t;
    int k[4], h[4];
    cub::LoadDirectBlocked(threadIdx.x, a, k);
    struct Sub {
        __device__ int
        operator()(int x, int y) const
        {
            return x - y;
        }
    };
    D(t).SubtractLeft(k, h, Sub());
    cub::StoreDirectBlocked(threadIdx.x, o, h);
}

K
shufflek(const int *a, int *o)
{
    typedef cub::BlockShuffle<int, 128> D;
    __shared__ typename D::TempStorage t;
    int r = -1;
    D(t).Rotate(a[threadIdx.x], r, 5);
    o[threadIdx.x] = r;
}

K
rle(const int *a, int *o)
{
    typedef cub::BlockRunLengthDecode<int, 128, 1, 4> D;
    __shared__ typename D::TempStorage t;
    int v[1] = {a[threadIdx.x]};
    int n[1] = {(int)(threadIdx.x % 3) + 1};
    int total;
    D d(t, v, n, total);
    int out[4];
    d.RunLengthDecode(out, 0);
    cub::StoreDirectBlocked(threadIdx.x, o, out);
    if (!threadIdx.x)
        o[512] = total;
}

K
warps(const int *a, int *o)
{
    typedef cub::WarpReduce<int> R;
    typedef cub::WarpScan<int> S;
    typedef cub::WarpReduce<int, 8> R8;
    __shared__ typename R::TempStorage t[4];
    __shared__ typename S::TempStorage s[4];
    __shared__ typename R8::TempStorage r8[16];
    int v = a[threadIdx.x], w = threadIdx.x / 32;
    int x = R(t[w]).Sum(v);
    int m = R(t[w]).Reduce(v, cuda::maximum<>{});
    int h = R(t[w]).HeadSegmentedSum(v, threadIdx.x % 5 == 0);
    int e;
    S(s[w]).ExclusiveSum(v, e);
    int q = R8(r8[threadIdx.x / 8]).Sum(v);
    o[threadIdx.x] = e;
    if (threadIdx.x % 32 == 0) {
        o[128 + w] = x;
        o[132 + w] = m;
    }
    if (threadIdx.x % 8 == 0)
        o[136 + threadIdx.x / 8] = q;
    if (threadIdx.x % 32 == 0 || threadIdx.x % 5 == 0)
        o[160 + threadIdx.x] = h;
}

K
wexch(const int *a, int *o)
{
    typedef cub::WarpExchange<int, 4> E;
    __shared__ typename E::TempStorage t[4];
    int k[4];
    for (int i = 0; i < 4; i++)
        k[i] = a[threadIdx.x * 4 + i];
    E(t[threadIdx.x / 32]).BlockedToStriped(k, k);
    for (int i = 0; i < 4; i++)
        o[threadIdx.x / 32 * 128 + i * 32 + threadIdx.x % 32] = k[i];
}

K
groups(const int *a, int *o)
{
    auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    auto t = cg::tiled_partition<8>(b);
    int v = a[threadIdx.x];
    o[threadIdx.x] = cg::reduce(w, v, cg::plus<int>());
    o[128 + threadIdx.x] = cg::inclusive_scan(t, v, cg::plus<int>());
    o[256 + threadIdx.x] = cg::reduce(t, v, cg::greater<int>());
    if (threadIdx.x % 3 == 0) {
        auto c = cg::coalesced_threads();
        o[384 + threadIdx.x] = cg::reduce(c, v, cg::plus<int>()) * 100 + c.size();
    }
    auto l = cg::labeled_partition(w, v & 3);
    o[512 + threadIdx.x] = l.size();
    auto p = cg::binary_partition(w, v & 1);
    o[640 + threadIdx.x] = cg::reduce(p, 1, cg::plus<int>());
    b.sync();
}

K
gridsum(int *o, unsigned *tmp)
{
    auto g = cg::this_grid();
    atomicAdd(&tmp[0], 1u);
    g.sync();
    o[g.thread_rank()] = tmp[0];
}

K
memcpyasync(const int *a, int *o)
{
    __shared__ int s[512];
    auto b = cg::this_thread_block();
    cg::memcpy_async(b, s, a, sizeof s);
    cg::wait(b);
    o[threadIdx.x] = s[511 - threadIdx.x];
}

K
barrier(const int *a, int *o)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ alignas(16) int s[512];
    if (!threadIdx.x)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(cg::this_thread_block(), s, a, cuda::aligned_size_t<16>(2048), bar);
    bar.arrive_and_wait();
    o[threadIdx.x] = s[511 - threadIdx.x];
    auto tok = bar.arrive();
    bar.wait(std::move(tok));
    if (threadIdx.x < 32)
        bar.arrive_and_drop();
    else
        bar.arrive_and_wait();
}

K
pipek(const int *a, int *o)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    __shared__ int s[2][128];
    auto b = cg::this_thread_block();
    auto p = cuda::make_pipeline(b, &st);
    p.producer_acquire();
    cuda::memcpy_async(b, s[0], a, 512, p);
    p.producer_commit();
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        if (i < 3) {
            p.producer_acquire();
            cuda::memcpy_async(b, s[(i + 1) & 1], a + 128 * (i + 1), 512, p);
            p.producer_commit();
        }
        p.consumer_wait();
        b.sync();
        sum += s[i & 1][127 - threadIdx.x];
        p.consumer_release();
        b.sync();
    }
    o[threadIdx.x] = sum;
}

K
pipet(const int *a, int *o)
{
    __shared__ int s[128];
    auto p = cuda::make_pipeline();
    p.producer_acquire();
    cuda::memcpy_async(s + threadIdx.x, a + threadIdx.x, 4, p);
    p.producer_commit();
    p.consumer_wait();
    __syncthreads();
    o[threadIdx.x] = s[127 - threadIdx.x];
    p.consumer_release();
}

K
atomics(int *o, double *d, __int128 *q)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> r(o[0]);
    r.fetch_add(2);
    cuda::atomic_ref<double> f(d[0]);
    f.fetch_add(0.5);
    cuda::atomic_ref<int, cuda::thread_scope_block> m(o[1]);
    m.fetch_max((int)threadIdx.x);
    cuda::atomic_ref<unsigned char> c(((unsigned char *)o)[8]);
    c.fetch_add(1);
    cuda::atomic_ref<short> h(((short *)o)[6]);
    h.fetch_add(3);
    int e = o[4];
    cuda::atomic_ref<int> x(o[4]);
    while (!x.compare_exchange_weak(e, e + 5))
        ;
    x.fetch_sub(1);
}

K
sema(int *o)
{
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> s;
    __shared__ alignas(8) char lm[64];
    auto &l = *(cuda::latch<cuda::thread_scope_block> *)lm;
    if (!threadIdx.x) {
        new (&s) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        new (&l) cuda::latch<cuda::thread_scope_block>(128);
    }
    __syncthreads();
    s.acquire();
    o[0] += threadIdx.x;
    __threadfence();
    s.release();
    l.arrive_and_wait();
    o[1 + threadIdx.x] = *(volatile int *)o;
}

K
complexes(const float *a, float *o)
{
    cuda::std::complex<float> z(a[threadIdx.x] * .01f, .5f);
    auto w = cuda::std::exp(z) * cuda::std::sqrt(z) / cuda::std::complex<float>(1, 2) +
             cuda::std::pow(z, 2.0f) + cuda::std::log(z) + cuda::std::sin(z) + cuda::std::tanh(z);
    o[2 * threadIdx.x] = w.real();
    o[2 * threadIdx.x + 1] = w.imag();
}

K
spans(const int *a, int *o)
{
    cuda::std::mdspan<const int, cuda::std::extents<int, 16, cuda::std::dynamic_extent>> m(a, 8);
    cuda::std::mdspan<int, cuda::std::dextents<int, 2>, cuda::std::layout_left> r(o, 16, 8);
    int i = threadIdx.x / 8, j = threadIdx.x % 8;
    r(i, j) = m(i, j) + cuda::std::popcount((unsigned)m(i, j)) +
              cuda::std::countl_zero((unsigned)m(i, j));
}

template <class S>
__device__ void
cu(S &s, unsigned *o, float *f, int n)
{
    for (int i = 0; i < n; i++) {
        o[i] = curand(&s);
        f[i] = curand_uniform(&s);
        f[n + i] = curand_normal(&s);
    }
    f[2 * n] = (float)curand_uniform_double(&s);
    f[2 * n + 1] = (float)curand_normal_double(&s);
    f[2 * n + 2] = (float)curand_poisson(&s, 5.0);
    float2 g = curand_normal2(&s);
    f[2 * n + 3] = g.y;
    f[2 * n + 4] = curand_log_normal(&s, 0.f, 1.f);
    f[2 * n + 5] = (float)curand_poisson(&s, 5000.0);
}

K
rnd_xorwow(unsigned *o, float *f)
{
    curandStateXORWOW_t s;
    curand_init(1234, threadIdx.x, 5, &s);
    cu(s, o + threadIdx.x * 8, f + threadIdx.x * 24, 8);
}

K
rnd_mrg(unsigned *o, float *f)
{
    curandStateMRG32k3a_t s;
    curand_init(1234, threadIdx.x, 5, &s);
    cu(s, o + threadIdx.x * 8, f + threadIdx.x * 24, 8);
}

K
rnd_philox(unsigned *o, float *f)
{
    curandStatePhilox4_32_10_t s;
    curand_init(1234, threadIdx.x, 5, &s);
    cu(s, o + threadIdx.x * 8, f + threadIdx.x * 24, 8);
}

K
small(const float *a, float *o)
{
    float v = a[threadIdx.x] * .1f;
    int i = threadIdx.x;
    o[i] = float(__nv_fp8_e4m3(v));
    o[128 + i] = float(__nv_fp8_e5m2(v));
    o[256 + i] = float(__nv_fp6_e2m3(v));
    o[384 + i] = float(__nv_fp6_e3m2(v));
    o[512 + i] = float(__nv_fp4_e2m1(v));
    o[640 + i] = __half2float(hsin(__float2half(v))) + __half2float(hexp(__float2half(v)));
    o[768 + i] = __bfloat162float(hlog(__float2bfloat16(v + 20))) +
                 __bfloat162float(hsqrt(__float2bfloat16(v + 20)));
    o[896 + i] = float(__nv_fp8_e8m0(v + 20));
}

K
thr(int *a, int *o)
{
    if (threadIdx.x == 0) {
        thrust::sort(thrust::seq, a, a + 64);
        o[0] = thrust::reduce(thrust::seq, a, a + 64);
        thrust::inclusive_scan(thrust::seq, a, a + 64, o + 1);
    }
}

K
targets(int *o)
{
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (o[0] = 90;), (o[0] = 1;))
}

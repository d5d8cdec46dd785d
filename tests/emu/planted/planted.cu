// Kernels with one mistake each, made when `bug` is 1. The line that a report must name carries the
// case's name in a comment. Run by planted.c, on the emulated device and under compute-sanitizer.

#define KERNEL extern "C" __global__ void

KERNEL read_outside(const float *a, float *out, int bug)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    out[i] = a[i + bug]; // at: read_outside
}

KERNEL write_outside(float *a, int n, int bug)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n + bug)
        a[i] = 1; // at: write_outside
}

KERNEL misaligned(char *a, int bug)
{
    *(int *)(a + 4 * threadIdx.x + bug) = 1; // at: misaligned
}

KERNEL touch(float *a)
{
    a[threadIdx.x] += 1; // at: touch
}

__constant__ int table[4] = {1, 2, 3, 4};

KERNEL write_constant(int *out, int bug)
{
    int *p = bug ? table : out;
    p[threadIdx.x] = 5; // at: write_constant
    out[threadIdx.x + 4] = table[threadIdx.x];
}

KERNEL local_overrun(int *a, int bug)
{
    int l[8];
    for (int i = 0; i < 8; i++)
        l[i] = a[i];
    l[a[8 + threadIdx.x] + 8 * bug] = 7; // at: local_overrun
    a[64 + threadIdx.x] = l[a[threadIdx.x] & 7];
}

KERNEL shared_overrun(int *out, int bug)
{
    extern __shared__ int s[];
    s[threadIdx.x + 8 * bug] = threadIdx.x; // at: shared_overrun
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

__device__ __noinline__ int depth(int n, volatile int *p)
{
    volatile int l[64];
    l[0] = l[n & 63] = p[0];
    return n == 0 ? l[0] : depth(n - 1, l) + l[n & 63]; // at: stack_overflow
}

KERNEL stack_overflow(int *out, int bug)
{
    volatile int l[1] = {1};
    out[threadIdx.x] = depth(bug ? 1 << 20 : 2, l);
}

KERNEL free_twice(int *out, int bug)
{
    int *p = (int *)malloc(16);
    p[0] = threadIdx.x;
    out[threadIdx.x] = p[0];
    free(p);
    if (bug && threadIdx.x == 3)
        free(p); // at: free_twice
}

KERNEL parameters(int *out, int a, double b)
{
    out[threadIdx.x] = a + (int)b;
}

KERNEL divergent_barrier(int *out, int bug)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 64 - 20 * bug)
        __syncthreads(); // at: divergent_barrier
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

KERNEL other_barrier(int *out, int bug)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (bug && threadIdx.x % 2) {
        __syncthreads();
        out[threadIdx.x] = 1;
    }
    else {
        __syncthreads();
        out[threadIdx.x] = s[63 - threadIdx.x];
    }
}

KERNEL deadlock(int *out, int bug)
{
    int id = threadIdx.x < 32 ? 1 : 1 + bug;
    asm volatile("barrier.sync %0, 64;" ::"r"(id) : "memory"); // at: deadlock
    out[threadIdx.x] = 1;
}

KERNEL shuffle_mask(int *out, int bug)
{
    unsigned mask = bug ? 0x0000ffffu : 0xffffffffu;
    out[threadIdx.x] = __shfl_sync(mask, (int)threadIdx.x, 0); // at: shuffle_mask
}

KERNEL shuffle_from_nowhere(int *out, int bug)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffffu, (int)threadIdx.x, threadIdx.x + bug, 32); // at: shuffle_from_nowhere
}

KERNEL missing_barrier(int *out, int bug)
{
    __shared__ int s[128];
    s[threadIdx.x] = threadIdx.x;
    if (!bug)
        __syncthreads();
    out[threadIdx.x] = s[127 - threadIdx.x]; // at: missing_barrier
}

KERNEL missing_syncwarp(int *out, int bug)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    if (!bug)
        __syncwarp();
    out[threadIdx.x] = s[threadIdx.x ^ 1]; // at: missing_syncwarp
}

KERNEL racy_histogram(int *h, int bug)
{
    if (bug)
        h[threadIdx.x & 3] += 1; // at: racy_histogram
    else
        atomicAdd(&h[threadIdx.x & 3], 1);
}

// The second block takes what the first has published; without the fence nothing says so.
KERNEL missing_fence(int *data, volatile int *flag, int *out, int bug)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        if (!bug)
            __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    }
    else {
        if (threadIdx.x == 0)
            while (*flag == 0)
                ;
        __threadfence();
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x]; // at: missing_fence
    }
}

KERNEL unwritten_global(const int *a, int *out)
{
    out[threadIdx.x] = a[threadIdx.x] + 1; // at: unwritten_global
}

KERNEL unwritten_shared(int *out, int bug)
{
    __shared__ int s[64];
    if (threadIdx.x < 64 - bug)
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x]; // at: unwritten_shared
}

KERNEL fill(int *a, int n, int value)
{
    for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] = value;
}

// ---- textures and surfaces: planes of 32-bit words

static __device__ unsigned texel(unsigned long long texture, int x, int y)
{
    unsigned v[4];
    asm volatile("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" // at: texel
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(texture), "r"(x), "r"(y));
    return v[0];
}

static __device__ void put_texel(unsigned long long surface, int x, int y, unsigned v)
{
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" : : "l"(surface), "r"(4 * x), "r"(y), "r"(v));
}

KERNEL read_texture(unsigned long long texture, int *out)
{
    out[threadIdx.x] = texel(texture, threadIdx.x, 1);
}

KERNEL surface_outside(unsigned long long surface, int bug)
{
    put_texel(surface, threadIdx.x, bug ? 4 : 3, 7);
}

KERNEL racy_surface(unsigned long long surface, int bug)
{
    put_texel(surface, bug ? threadIdx.x / 2 : threadIdx.x, 0, threadIdx.x);
}

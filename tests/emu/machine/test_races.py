"""The race check knows every way threads order each other: correct kernels are silent, and the same
kernels without what orders them are not."""

import harness
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(harness.nvrtc() is None, reason="NVRTC is not installed")

RACE = 16
INIT_AND_RACE = 3


@pytest.fixture(params=(0, 2), autouse=True)
def checks(request):
    """Both checks, with plain rows and with everything tracked."""
    lib = harness.library()
    lib.stub_optimise(request.param)
    lib.stub_checks(INIT_AND_RACE)
    yield
    lib.stub_checks(0)
    lib.stub_optimise(2)


def launch(body, grid, block, sizes=(4096, 4096, 4096), right=1, **more):
    """Run kernel k(int *a, int *b, int *c) with `right` as a macro; the arrays afterwards."""
    source = f"""#define RIGHT {right}
    #define ARRIVE asm volatile("barrier.cluster.arrive;" ::: "memory")
    #define WAIT asm volatile("barrier.cluster.wait;" ::: "memory")
    typedef unsigned u32; typedef unsigned long long u64;
    extern "C" __global__ void k(int *a, int *b, int *c) {{ const int t = threadIdx.x;
    {body} }}"""
    module = harness.module(source, (*harness.OPTIONS, "-lineinfo"))
    buffers = [harness.Buffer(np.zeros(n, "i4")) for n in sizes]
    try:
        module.launch("k", grid, block, *buffers, **more)
        return [b.array.copy() for b in buffers]
    finally:
        for b in buffers:
            b.free()
        module.close()


# name: (body, grid, threads of a block); `if (RIGHT)` guards what orders the threads.
IDIOMS = {
    "double buffer": (
        """__shared__ int s[2][128]; int p = 0;
        s[0][t] = t; __syncthreads();
        for (int d = 1; d < 128; d *= 2) {
            s[1 - p][t] = s[p][t] + (t >= d ? s[p][t - d] : 0);
            p = 1 - p;
            if (RIGHT) __syncthreads(); }
        a[t] = s[p][t];""",
        1,
        128,
    ),
    "warp tree": (
        """__shared__ int s[64]; s[t] = t; __syncwarp();
        for (int d = 16; d > 0; d /= 2) {
            int x = t % 32 < d ? s[t + d] : 0;
            if (RIGHT) __syncwarp();
            if (t % 32 < d) s[t] += x;
            if (RIGHT) __syncwarp(); }
        a[t] = s[t];""",
        1,
        64,
    ),
    "named barriers": (
        """__shared__ int s[64];
        if (t < 64) { s[t] = t; if (RIGHT) asm volatile("bar.arrive 3, 128;" ::: "memory"); }
        else { if (RIGHT) asm volatile("bar.sync 3, 128;" ::: "memory"); a[t] = s[t - 64]; }""",
        1,
        128,
    ),
    "pairs of warps": (
        """__shared__ int s[128]; s[t] = t;
        if (RIGHT) asm volatile("barrier.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
        a[t] = s[t ^ 32];""",
        1,
        128,
    ),
    "last block": (
        """__shared__ bool last; a[blockIdx.x * 64 + t] = t;
        if (RIGHT) __threadfence();
        __syncthreads();
        if (t == 0) last = atomicAdd((u32 *)b, 1u) == gridDim.x - 1;
        __syncthreads();
        if (last) { int sum = 0;
            for (int i = t; i < 64 * gridDim.x; i += 64) sum += ((volatile int *)a)[i] * 0 + a[i];
            atomicAdd(c, sum); }""",
        8,
        64,
    ),
    "look back": (
        """if (t == 0) { volatile u64 *flag = (volatile u64 *)b; int before = 0;
            a[blockIdx.x] = blockIdx.x + 1;
            if (RIGHT) __threadfence();
            if (blockIdx.x > 0) {
                while (flag[blockIdx.x - 1] == 0) ;
                __threadfence();
                before = c[blockIdx.x - 1] + a[blockIdx.x - 1]; }
            c[blockIdx.x] = before;
            if (RIGHT) __threadfence();
            flag[blockIdx.x] = 1; }""",
        20,
        32,
    ),
    "release and acquire": (
        """int ready = 0; if (blockIdx.x == 0) { a[t] = t; __syncthreads();
            if (t == 0) { if (RIGHT) asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(b) : "memory");
                          else *(volatile int *)b = 1; } }
        else { while (ready == 0)
                asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(ready) : "l"(b) : "memory");
            c[t] = a[t]; }""",
        2,
        32,
    ),
    "spin lock": (
        """for (bool done = false; !done;) {
            if (atomicCAS(b, 0, 1) == 0) {
                a[0] += 1;
                if (RIGHT) __threadfence();
                atomicExch(b, 0); done = true; } }""",
        4,
        64,
    ),
    "grid barrier": (
        """a[blockIdx.x * 32 + t] = t;
        for (int round = 1; round <= 3; round++) {
            __syncthreads();
            if (t == 0) { if (RIGHT) __threadfence();
                atomicAdd((u32 *)b, 1u);
                while (*(volatile u32 *)b < round * gridDim.x) ;
                __threadfence(); }
            __syncthreads();
            int x = a[(blockIdx.x + 1) % gridDim.x * 32 + t];
            __syncthreads();
            if (t == 0) { if (RIGHT) __threadfence();
                atomicAdd((u32 *)b + 1, 1u);
                while (*(volatile u32 *)(b + 1) < round * gridDim.x) ;
                __threadfence(); }
            __syncthreads();
            a[blockIdx.x * 32 + t] = x + 1; }""",
        4,
        32,
    ),
    "flag in shared memory": (
        """__shared__ int s[32]; __shared__ volatile int flag;
        if (t == 0) flag = 0;
        __syncthreads();
        if (t < 32) { s[t] = t; if (RIGHT) __threadfence_block(); __syncwarp();
                      if (t == 0) flag = 1; }
        else { while (flag == 0) ; __threadfence_block(); a[t] = s[t - 32]; }""",
        1,
        64,
    ),
    "bytes of one word": (
        """__shared__ unsigned char s[64]; s[t] = t;
        ((unsigned char *)b)[t] = s[t];
        if (!RIGHT) a[t] = s[t ^ 1];""",
        1,
        64,
    ),
    "atomics": (
        """__shared__ int h[8]; if (t < 8) h[t] = 0; __syncthreads();
        if (RIGHT) atomicAdd(&h[t % 8], 1); else h[t % 8] += 1;
        __syncthreads(); if (t < 8) atomicAdd(&a[t], h[t]);""",
        3,
        64,
    ),
    "memory barrier": (
        """__shared__ u64 bar; __shared__ int s[64];
        u32 at = (u32)__cvta_generic_to_shared(&bar), done = 0;
        if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(at) : "memory");
        __syncthreads();
        s[t] = t;
        asm volatile("{.reg .b64 x; mbarrier.arrive.shared.b64 x, [%0];}" :: "r"(at) : "memory");
        while (RIGHT && !done)
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0;"
                         "selp.u32 %0, 1, 0, p;}" : "=r"(done) : "r"(at) : "memory");
        a[t] = s[t ^ 32];""",
        1,
        64,
    ),
    "atomics of 128 bits": (
        """asm volatile("{.reg .b64 x, y; .reg .b128 v, w; mov.b64 x, 1; mov.b64 y, 2;"
                     "mov.b128 v, {x, y}; atom.global.exch.b128 w, [%0], v;}" :: "l"(b) : "memory");
        if (!RIGHT) b[t % 4] = t;""",
        2,
        64,
    ),
    "one value by many": (
        """if (RIGHT) *a = 7; else *a = t;""",
        3,
        64,
    ),
    "barrier of a cluster of one": (
        """__shared__ int s[64]; s[t] = t; if (RIGHT) { ARRIVE; WAIT; } a[t] = s[t ^ 32];""",
        1,
        64,
    ),
    "between arrival and wait": (
        """__shared__ int s[64]; int x = 0; s[t] = t; ARRIVE;
        if (!RIGHT) x = s[t ^ 32];
        WAIT; a[t] = x + s[t ^ 32];""",
        1,
        64,
    ),
    "one arrival is not two": (
        """__shared__ int s[2][64]; s[0][t] = t; ARRIVE; s[1][t] = t; WAIT;
        if (RIGHT) { ARRIVE; WAIT; }
        a[t] = s[0][t ^ 32] + s[1][t ^ 32];""",
        1,
        64,
    ),
    "waited for by a warp's lane": (
        """__shared__ int s[64]; s[t] = t; ARRIVE;
        if (t % 32 == 0) WAIT;
        if (RIGHT) __syncwarp();
        a[t] = s[t ^ 32]; if (t % 32) WAIT;""",
        1,
        64,
    ),
}

# The same of clusters of two blocks, whose `rank` and peer's `s` they know.
CLUSTERS = {
    "memory of a peer": (
        """peers[t] = t; if (RIGHT) { ARRIVE; WAIT; } a[blockIdx.x * 64 + t] = s[t ^ 32];""",
        2,
    ),
    "read from a peer": (
        """s[t] = t; if (RIGHT) { ARRIVE; WAIT; } a[blockIdx.x * 64 + t] = peers[t];""",
        2,
    ),
    "written once it was read": (
        """s[t] = t; ARRIVE; WAIT; int x = peers[t]; if (RIGHT) { ARRIVE; WAIT; } s[t] = x;""",
        2,
    ),
    "global memory of a cluster": (
        """if (rank) b[t] = t; if (RIGHT) { ARRIVE; WAIT; } if (!rank) a[t] = b[t];""",
        2,
    ),
    "through a barrier of the block": (
        """if (rank && t == 3) b[0] = t; ARRIVE;
        if (t < 32 || !RIGHT) WAIT;
        if (RIGHT) __syncthreads(); else if (rank && t == 5) b[0] = t;
        if (!rank && t == 40) a[0] = b[0];
        if (t >= 32 && RIGHT) WAIT;""",
        2,
    ),
    "steps": (
        """for (int k = 0; k < 5; k++) {
            peers[t] = k + t; ARRIVE; WAIT;
            a[blockIdx.x * 64 + t] += s[t ^ 32];
            if (RIGHT) { ARRIVE; WAIT; } }""",
        2,
    ),
    "memory that clusters have after each other": (
        """peers[t] = blockIdx.x; if (RIGHT) { ARRIVE; WAIT; } a[blockIdx.x * 64 + t] = s[t];""",
        32,
    ),
    "atomics of a peer": (
        """if (RIGHT) atomicAdd(peers, 1); else if (t == 1) *peers = 7;
        if (rank && t == 0) atomicAdd(s, 1);""",
        2,
    ),
}
IN_CLUSTERS = """__shared__ int s[64]; unsigned rank; int *peers;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.u64 %0, %1, %2;" : "=l"(peers) : "l"(s), "r"(rank ^ 1u));
    s[t] = 0; ARRIVE; WAIT; """


@pytest.mark.parametrize("name", IDIOMS)
def test_ordered_threads_are_silent(name):
    body, grid, block = IDIOMS[name]
    launch(body, grid, block)


@pytest.mark.parametrize("name", IDIOMS)
def test_missing_order_is_found(name):
    body, grid, block = IDIOMS[name]
    with pytest.raises(harness.KernelFault) as caught:
        launch(body, grid, block, right=0)
    assert caught.value.fault.kind == RACE and "race: " in str(caught.value)
    assert "t.cu:" in str(caught.value)


@pytest.mark.parametrize("name", CLUSTERS)
def test_blocks_of_a_cluster(name):
    body, grid = CLUSTERS[name]
    body = IN_CLUSTERS + body + " ARRIVE; WAIT;"
    launch(body, grid, 64, cluster=(2, 1, 1))
    with pytest.raises(harness.KernelFault, match="race: ") as caught:
        launch(body, grid, 64, cluster=(2, 1, 1), right=0)
    assert caught.value.fault.kind == RACE


@pytest.mark.parametrize("right", [0, 1])
def test_shared_memory_that_a_peer_writes(right):
    body = """__shared__ int x[32]; int *theirs;
        asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(x), "r"(rank ^ 1u));
        if (t < (RIGHT ? 32 : 31)) theirs[t] = rank; ARRIVE; WAIT;
        if (t < 32) a[blockIdx.x * 32 + t] = x[t]; ARRIVE; WAIT;"""
    if right:
        a, _, _ = launch(IN_CLUSTERS + body, 6, 64, cluster=(2, 1, 1))
        assert (a[:64] == np.repeat([1, 0], 32)).all()
    else:
        with pytest.raises(harness.KernelFault, match="never written"):
            launch(IN_CLUSTERS + body, 6, 64, cluster=(2, 1, 1), right=0)


def test_shuffled_and_many_blocks():
    """Hundreds of blocks, in a random order, over a chain of flags."""
    harness.library().stub_shuffle(5)
    try:
        body, _, block = IDIOMS["last block"]
        _, _, c = launch(body, 300, block, sizes=(64 * 300, 64, 64))
        assert c[0] == 300 * 64 * 63 // 2
    finally:
        harness.library().stub_shuffle(0)


def test_clusters_are_numbered_by_blocks():
    """What is kept per block has room for every block of the grid, not for every cluster."""
    body, _, block = IDIOMS["look back"]
    _, _, c = launch(body, 2048, block, cluster=(16, 1, 1))
    assert c[2047] == 2047 * 2048 // 2


def test_shared_memory_starts_unwritten_in_every_block():
    body = "__shared__ int s[32]; if (blockIdx.x == 0) s[t] = t; __syncwarp(); a[t] = s[t];"
    with pytest.raises(harness.KernelFault, match="never written") as caught:
        launch(body, 2, 32)
    assert list(caught.value.fault.block) == [1, 0, 0]

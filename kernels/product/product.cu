// product: out[i, j] = sum over k of a[i, k] * b[k, j] for a batch of matrices, by tiles in shared memory.
// Knobs: types as in product.cuh; a block computes TILE_M x TILE_N elements in steps of TILE_K, a thread
// REG_M x REG_N of them. WIDTH_A and WIDTH_B elements are read at once, along k where ALONG_A and ALONG_B say
// so; WIDTH_C are written at once. BLOCKS is the desired number of blocks per multiprocessor, 0 for any. AXES
// axes of the batch. PARTIAL stores sums of type X, one matrix per batch and blockIdx.y, for product_finish.
// Needs TILE_N / REG_N >= 8 and TILE_M / REG_M >= 4.
// Launch: x covers the tiles of all matrices, y the pieces of `chunk` (a multiple of TILE_K) of k.
#include "knobs/product.cuh"
#include "product/product.cuh"

typedef GnpProductShape Matrices;

enum {
    THREADS_M = TILE_M / REG_M,
    THREADS_N = TILE_N / REG_N,
    THREADS = THREADS_M * THREADS_N,
    GROUP = 8, // tiles of a column that are computed one after the other, so that their part of b stays in L2
};

// Loads one operand into shared memory: a tile of TILE rows (of a; columns of b) by TILE_K, read WIDTH
// elements at a time along k (ALONG) or across it, stored as [k][row].
template <class S, int CONJ, int TILE, int WIDTH, int ALONG> struct Loader {
    enum {
        VECTORS = TILE * TILE_K / (THREADS * WIDTH), // per thread
        ROW_VECTORS = ALONG ? TILE_K / WIDTH : TILE / WIDTH,
        STEP = THREADS / ROW_VECTORS, // rows (ALONG) or ks between the vectors of a thread
        PITCH = TILE + 16 / sizeof(X),
    };
    const char *p;
    i64 step, advance;
    i64 left; // rows from this thread's first to the end
    int row, k;
    Vec<Raw<S>, WIDTH> next[VECTORS];

    GNP_FN void start(const char *base, i64 first, i64 rows, i64 k0, i64 row_step, i64 k_step)
    {
        int slow = threadIdx.x / ROW_VECTORS, fast = threadIdx.x % ROW_VECTORS * WIDTH;
        row = ALONG ? slow : fast;
        k = ALONG ? fast : slow;
        p = base + (first + row) * row_step + (k0 + k) * k_step;
        step = STEP * (ALONG ? row_step : k_step);
        advance = TILE_K * k_step;
        left = rows - first - row;
    }
    // The next TILE_K columns, of which `ks` exist; others are zero.
    GNP_FN void load(i64 ks)
    {
#pragma unroll
        for (int v = 0; v < VECTORS; v++) {
            bool there = ALONG ? v * STEP < left && k < ks : 0 < left && k + v * STEP < ks;
            if (there) {
                next[v] = *(const Vec<Raw<S>, WIDTH> *)(p + v * step);
            }
            else {
                memset(&next[v], 0, sizeof next[v]);
            }
        }
        p += advance;
    }
    GNP_FN void store(X *tile) const
    {
#pragma unroll
        for (int v = 0; v < VECTORS; v++) {
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                int r = ALONG ? row + v * STEP : row + w, c = ALONG ? k + w : k + v * STEP;
                tile[c * PITCH + r] = element<S, CONJ>(next[v].at[w]);
            }
        }
    }
};

// REG elements of one k, in groups of V that are TILE / (REG / V) apart, so that the threads of a warp read
// neighbouring vectors without bank conflicts.
template <int TILE, int REG> struct Fragment {
    enum { FULL = 16 / sizeof(X), V = REG < FULL ? REG : FULL, GROUPS = REG / V };
    X at[REG];

    GNP_FN static int place(int thread, int r) { return r / V * (TILE / GROUPS) + thread * V + r % V; }
    GNP_FN void load(const X *tile, int thread)
    {
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            *(Vec<X, V> *)&at[g * V] = *(const Vec<X, V> *)(tile + place(thread, g * V));
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
product(const char *a, const char *b, char *out, const Layout<u64, AXES, 3> batch, const Matrices s)
{
    typedef Loader<SA, CONJ_A, TILE_M, WIDTH_A, ALONG_A> LoaderA;
    typedef Loader<SB, CONJ_B, TILE_N, WIDTH_B, ALONG_B> LoaderB;
    typedef Fragment<TILE_M, REG_M> FragmentA;
    typedef Fragment<TILE_N, REG_N> FragmentB;
    __shared__ alignas(16) X tile_a[2][TILE_K * LoaderA::PITCH];
    __shared__ alignas(16) X tile_b[2][TILE_K * LoaderB::PITCH];

    const u32 tiles = s.tiles_m * s.tiles_n, matrix = blockIdx.x / tiles, t = blockIdx.x % tiles;
    const u32 band = t / (GROUP * s.tiles_n) * GROUP, inside = t % (GROUP * s.tiles_n);
    const u32 high = s.tiles_m - band < GROUP ? s.tiles_m - band : GROUP;
    const i64 first_row = (i64)(band + inside % high) * TILE_M, first_column = (i64)(inside / high) * TILE_N;
    const i64 k0 = (i64)blockIdx.y * s.chunk;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int tx = warp % (THREADS_N / 8) * 8 + lane % 8, ty = warp / (THREADS_N / 8) * 4 + lane / 8;
    Offsets<u64, 3> at = batch.at(matrix);
    i64 ks = s.k - k0 < s.chunk ? s.k - k0 : s.chunk;
    X sum[REG_M][REG_N];
    LoaderA la;
    LoaderB lb;

#pragma unroll
    for (int i = 0; i < REG_M; i++) {
#pragma unroll
        for (int j = 0; j < REG_N; j++) {
            sum[i][j] = X(0);
        }
    }
    la.start(a + at.at[0], first_row, s.m, k0, s.a_row, s.a_k);
    lb.start(b + at.at[1], first_column, s.n, k0, s.b_column, s.b_k);
    la.load(ks);
    lb.load(ks);
    la.store(tile_a[0]);
    lb.store(tile_b[0]);
    __syncthreads();
#pragma unroll 1
    for (int now = 0; ks > 0; now ^= 1) {
        ks -= TILE_K;
        if (ks > 0) {
            la.load(ks);
            lb.load(ks);
        }
#pragma unroll UNROLL
        for (int k = 0; k < TILE_K; k++) {
            FragmentA fa;
            FragmentB fb;
            fa.load(tile_a[now] + k * LoaderA::PITCH, ty);
            fb.load(tile_b[now] + k * LoaderB::PITCH, tx);
#pragma unroll
            for (int i = 0; i < REG_M; i++) {
#pragma unroll
                for (int j = 0; j < REG_N; j++) {
                    multiply_add(sum[i][j], fa.at[i], fb.at[j]);
                }
            }
        }
        if (ks > 0) {
            la.store(tile_a[now ^ 1]);
            lb.store(tile_b[now ^ 1]);
        }
        __syncthreads();
    }

    u64 scratch = ((u64)blockIdx.y * (gridDim.x / tiles) + matrix) * (u64)s.m;
#pragma unroll
    for (int i = 0; i < REG_M; i++) {
        i64 row = first_row + FragmentA::place(ty, i);
        if (row >= s.m) {
            continue;
        }
#pragma unroll
        for (int j = 0; j < REG_N; j += WIDTH_C) {
            i64 column = first_column + FragmentB::place(tx, j);
            if (column >= s.n) {
                continue;
            }
            if constexpr (PARTIAL != 0) {
                ((X *)out)[(scratch + row) * s.n + column] = sum[i][j];
            }
            else {
                Vec<Raw<SO>, WIDTH_C> v;
#pragma unroll
                for (int w = 0; w < WIDTH_C; w++) {
                    v.at[w] = result(sum[i][j + w]);
                }
                *(Vec<Raw<SO>, WIDTH_C> *)(out + at.at[2] + row * s.c_row + column * s.c_column) = v;
            }
        }
    }
}

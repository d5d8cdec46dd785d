// sparse.cuh: what the kernels of sparse matrices share: arithmetic that includes bool, binary searches, and
// keys. The key of an element is its row above its column, (row << bits) | column, so that keys in ascending
// order are elements in the order of rows and, within a row, of columns. Included after the knobs.
#ifndef GNP_SPARSE_CUH
#define GNP_SPARSE_CUH

GNP_FN bool plus(bool a, bool b) { return a || b; }
GNP_FN bool times(bool a, bool b) { return a && b; }
template <class X> GNP_FN X plus(X a, X b) { return X(a + b); }
template <class X> GNP_FN X times(X a, X b) { return X(a * b); }

// The number of elements of an ascending sequence that are less than x.
template <class A> GNP_FN i64 count_less(const A *a, i64 n, i64 x)
{
    i64 low = 0;
#pragma unroll 1
    while (n > 0) {
        const i64 half = n / 2;
        const bool right = (i64)a[low + half] < x;
        low += right ? half + 1 : 0;
        n = right ? n - half - 1 : half;
    }
    return low;
}

// Among the first `at` elements of the merge of two ascending sequences, how many come from the first one, whose
// elements precede equal ones of the second (O. Green, R. McColl and D. Bader, "GPU merge path", ICS 2012).
template <class N, class K> GNP_FN N split_at(const K *a, const K *b, N na, N nb, N at)
{
    N low = at > nb ? at - nb : 0, high = at < na ? at : na;
#pragma unroll 1
    while (low < high) {
        const N middle = (low + high) / 2;
        const bool right = a[middle] <= b[at - 1 - middle];
        low = right ? middle + 1 : low;
        high = right ? high : middle;
    }
    return low;
}

// The row of position k: the last one that begins at k or before it.
template <class A> GNP_FN i64 row_at(const A *begins, i64 rows, i64 k) { return count_less(begins, rows, k + 1) - 1; }

// Any element of another lane of the warp.
template <class X> GNP_FN X from_lane(X x, int lane)
{
    u32 word[(sizeof(X) + 3) / 4];
    word[(sizeof(X) + 3) / 4 - 1] = 0;
    memcpy(word, &x, sizeof(X));
#pragma unroll
    for (int k = 0; k < (int)(sizeof(X) + 3) / 4; k++) {
        word[k] = __shfl_sync(0xffffffffu, word[k], lane);
    }
    memcpy(&x, word, sizeof(X));
    return x;
}

template <class X> GNP_FN X from_before(X x, int distance)
{
    const int lane = threadIdx.x % 32 - distance;
    return from_lane(x, lane < 0 ? 0 : lane);
}

// Elements [begin, end) of a row, of n in the matrix: whatever the user's array has, none is out of bounds.
struct Span {
    i64 begin, end;
};
template <class A> GNP_FN Span row_span(const A *begins, i64 row, i64 n)
{
    const i64 begin = begins[row], end = begins[row + 1];
    return {begin > 0 ? begin : 0, end < n ? end : n};
}

// The rows of a block's positions [first, first + TILE): begins of those rows in shared memory where they fit. Rows
// are rows of the matrix even where the begins do not ascend.
template <class I, int TILE> struct RowFinder {
    const I *begins;
    const I *near;
    i64 base, rows;

    // All threads call it.
    GNP_FN RowFinder(const I *all, i64 m, i64 first, i64 end, I *shared, i64 *range) : begins(all), near(shared)
    {
        if (threadIdx.x < 2) {
            range[threadIdx.x] = max(row_at(all, m, threadIdx.x == 0 ? first : end - 1), (i64)0);
        }
        __syncthreads();
        base = range[0] > 0 ? range[0] : 0;
        rows = range[1] > base ? range[1] - base + 1 : 1;
        if (rows <= TILE) {
#pragma unroll 1
            for (i64 r = threadIdx.x; r < rows; r += BLOCK) {
                shared[r] = all[base + r];
            }
        }
        else {
            near = all + base;
        }
        __syncthreads();
    }
    GNP_FN i64 row(i64 k) const
    {
        const i64 r = row_at(near, rows, k);
        return base + (r > 0 ? r : 0);
    }
};

// The same address: a base to which the compiler adds 32 bits for each element, instead of a sum of 64 bits.
template <class X> GNP_FN const X *based(const X *at)
{
    asm volatile("" : "+l"(at));
    __builtin_assume(__isGlobal(at));
    return at;
}

// Adds three numbers of all threads to counts[0..2]: one sum for each block, as all go to the same few addresses.
template <int THREADS> GNP_FN void add_counts(int one, int two, int three, i64 *counts)
{
    __shared__ int sums[THREADS / 32][3];
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        one += __shfl_xor_sync(0xffffffffu, one, d);
        two += __shfl_xor_sync(0xffffffffu, two, d);
        three += __shfl_xor_sync(0xffffffffu, three, d);
    }
    if (threadIdx.x % 32 < 3) {
        sums[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x % 32 == 0 ? one : threadIdx.x % 32 == 1 ? two : three;
    }
    __syncthreads();
    if (threadIdx.x < 3) {
        i64 sum = 0;
#pragma unroll
        for (int warp = 0; warp < THREADS / 32; warp++) {
            sum += sums[warp][threadIdx.x];
        }
        if (sum != 0) {
            atomicAdd((u64 *)counts + threadIdx.x, (u64)sum); // negative parts wrap around
        }
    }
}

#endif

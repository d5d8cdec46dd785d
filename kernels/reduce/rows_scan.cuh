// rows_scan.cuh: a tile of neighbouring elements, scanned by LANES threads. Included after the knobs
// of scan.cu.
#ifndef GNP_ROWS_SCAN_CUH
#define GNP_ROWS_SCAN_CUH

#include "lookback.cuh"

enum { SUB = LANES < 32 ? LANES : 32, WARPS = LANES / SUB };

// The combination of preceding elements, if any: so combine() needs no neutral value.
struct Before {
    bool any;
    A value;
    GNP_FN A then(A x) const { return any ? combine(value, x) : x; }
};

GNP_FN A shuffle(A x, int lane)
{
    const int words = (sizeof(A) + 3) / 4;
    u32 word[words];
    word[words - 1] = 0;
    memcpy(word, &x, sizeof(A));
#pragma unroll
    for (int k = 0; k < words; k++) {
        word[k] = __shfl_sync(0xffffffffu, word[k], lane, SUB);
    }
    memcpy(&x, word, sizeof(A));
    return x;
}

// The combination of this lane's x and those of all lanes before it.
GNP_FN A scan_lanes(A x)
{
    const int lane = threadIdx.x % SUB;
#pragma unroll
    for (int d = 1; d < SUB; d *= 2) {
        A other = shuffle(x, lane - d < 0 ? 0 : lane - d);
        x = lane >= d ? combine(other, x) : x;
    }
    return x;
}

// DEPTH times: WIDTH neighbours in each thread, threads side by side. A warp's chunks follow each
// other, and then those of the next warp.
struct Tile {
    A x[DEPTH][WIDTH];
    A warp_total;

    GNP_FN static Index place(int k)
    {
        return (threadIdx.x % LANES / SUB) * (SUB * DEPTH * WIDTH) + k * (SUB * WIDTH) +
               threadIdx.x % SUB * WIDTH;
    }
    GNP_FN static A *totals() // of the warps that share the row
    {
        __shared__ A of_warps[BLOCK / SUB];
        return of_warps + threadIdx.x / LANES * WARPS;
    }

    // Elements past the end repeat the last, which does not change the result of any before.
    GNP_FN void load(const char *in, Index start, Index n)
    {
        Vec<Raw<S>, WIDTH> raw[DEPTH];
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            Index i = start + place(k);
            if (i + WIDTH <= n) {
                raw[k] = *(const Vec<Raw<S>, WIDTH> *)(in + (u64)i * sizeof(Raw<S>));
            }
            else {
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    raw[k].at[w] = ((const Raw<S> *)in)[i + w < n ? i + w : n - 1];
                }
            }
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                x[k][w] = map(In<S, T>::value(raw[k].at[w]));
            }
        }
    }

    // Each x becomes the combination of all elements of its warp up to it.
    GNP_FN void scan()
    {
        const int lane = threadIdx.x % SUB;
        Before warp = {false, A()};
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
#pragma unroll
            for (int w = 1; w < WIDTH; w++) {
                x[k][w] = combine(x[k][w - 1], x[k][w]);
            }
        }
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            A sum = scan_lanes(x[k][WIDTH - 1]);
            A left = warp.then(shuffle(sum, lane > 0 ? lane - 1 : 0));
            Before here = lane > 0 ? Before{true, left} : warp;
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                x[k][w] = here.then(x[k][w]);
            }
            warp = Before{true, warp.then(shuffle(sum, SUB - 1))};
        }
        warp_total = warp.value;
        if constexpr (WARPS > 1) {
            if (threadIdx.x % SUB == 0) {
                totals()[threadIdx.x % LANES / SUB] = warp_total;
            }
            __syncthreads();
        }
    }

    // Only the total, earlier than the scan: warps exchange theirs.
    GNP_FN A total_first() const
    {
        // Aligned: otherwise the compiler's wide loads include a neighbour that another warp may be writing;
        // unused, but reported by race checkers.
        __shared__ alignas(16) A of_warps[WARPS];
        A sum = A();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            A part = x[k][0];
#pragma unroll
            for (int w = 1; w < WIDTH; w++) {
                part = combine(part, x[k][w]);
            }
            sum = k == 0 ? part : combine(sum, part);
        }
#pragma unroll
        for (int d = SUB / 2; d > 0; d /= 2) {
            const int lane = threadIdx.x % SUB;
            sum = combine(sum, shuffle(sum, lane + d < SUB ? lane + d : lane));
        }
        if (threadIdx.x % SUB == 0) {
            of_warps[threadIdx.x / SUB] = sum;
        }
        __syncthreads();
        sum = of_warps[0];
#pragma unroll
        for (int k = 1; k < WARPS; k++) {
            sum = combine(sum, of_warps[k]);
        }
        return sum;
    }

    GNP_FN A total() const
    {
        A sum = warp_total;
        if constexpr (WARPS > 1) {
            sum = totals()[0];
#pragma unroll
            for (int k = 1; k < WARPS; k++) {
                sum = combine(sum, totals()[k]);
            }
        }
        return sum;
    }

    // The combination of the warps before this one in the tile.
    GNP_FN Before before_warp() const
    {
        Before before = {false, A()};
#pragma unroll
        for (int k = 0; k < WARPS - 1; k++) {
            if (k < threadIdx.x % LANES / SUB) {
                before = Before{true, before.then(totals()[k])};
            }
        }
        return before;
    }

    GNP_FN void store(char *out, Index start, Index n, Before before) const
    {
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            Vec<Raw<R>, WIDTH> raw;
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                raw.at[w] = Out<R, T>::raw(before.then(x[k][w]));
            }
            Index i = start + place(k);
            if (i + WIDTH <= n) {
                *(Vec<Raw<R>, WIDTH> *)(out + (u64)i * sizeof(Raw<R>)) = raw;
            }
            else {
#pragma unroll
                for (int w = 0; w < WIDTH; w++) {
                    if (i + w < n) {
                        ((Raw<R> *)out)[i + w] = raw.at[w];
                    }
                }
            }
        }
    }
};

// The combination of what `count` lanes from the first hold, in every lane.
GNP_FN A reduce_lanes(A x, int count) { return shuffle(scan_lanes(x), count > 0 ? count - 1 : 0); }

// The combination of the tiles before this one, whose own total has been posted before. All threads call it.
GNP_FN Before look_back(u64 *words, u32 tile, u32 ntiles, A mine)
{
    const Board<32> board(words, ntiles, Posted<A>::words);
    __shared__ A found;

    if (threadIdx.x < 32) {
        const u32 lane = threadIdx.x, in_group = tile % 32, group = tile / 32 % 32, head = tile / 1024;
        const u64 step = Posted<A>::words;
        // All three are polled together; the group's sum is posted as soon as it is known.
        Answer<A> tiles(board.tiles + (tile - in_group + lane) * step, lane < in_group);
        Answer<A> groups(board.groups + (tile / 32 - group + lane) * step, lane < group);
        Answer<A> heads(board.heads + (head - 1) * step, head > 0);
        do {
            tiles.look();
            groups.look();
            heads.look();
        } while (__any_sync(0xffffffffu, tiles.missing));
        A in_tiles = reduce_lanes(in_group > 0 ? tiles.value() : mine, in_group);
        if (in_group == 31 && lane == 0) {
            post(board.groups + tile / 32 * step, combine(in_tiles, mine));
        }
        while (__any_sync(0xffffffffu, groups.missing || heads.missing)) {
            groups.look();
            heads.look();
        }
        Before before = {head > 0, heads.value()};
        if (group > 0) {
            before = Before{true, before.then(reduce_lanes(groups.value(), group))};
        }
        if (in_group > 0) {
            before = Before{true, before.then(in_tiles)};
        }
        if (lane == 0) {
            if (tile % 1024 == 1023) {
                post(board.heads + head * step, before.then(mine));
            }
            found = before.value;
        }
    }
    __syncthreads();
    return tile > 0 ? Before{true, found} : Before{false, A()};
}

#endif

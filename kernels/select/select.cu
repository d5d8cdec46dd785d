// select: elements or indices where a mask is true, in order.
// Knobs: BLOCK threads, TILE bytes of mask per block (a multiple of 16 * BLOCK, at most 65536); WHAT is
// SELECT_INDICES (their linear index, i64), SELECT_COORDINATES (the index along each of ND axes, i64, as far
// apart as `layout` says, whose axes are not joined), SELECT_TAKE (elements of a strided array, packed) or
// SELECT_PUT (the reverse); Item, an element's bytes; ND axes of the array; ALONE: a single block, which also
// counts, and stores the total in counts[0].
// Launch: one block per tile. counts[block]: the number of true elements before it.
#include "knobs/select.cuh"
#include "scan.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
select(const u8 *mask, i64 *counts, char *array, char *packed, const i64 packed_stride,
       const Layout<Index, ND, 1> layout, const u64 n)
{
    __shared__ u16 places[TILE];
    __shared__ u32 sums[BLOCK / 32 + 1];
    const u64 first = (u64)blockIdx.x * TILE;
    u32 count = 0;

#pragma unroll 1
    for (int k = 0; k < TILE; k += 16 * BLOCK) {
        int local = k + threadIdx.x * 16;
        u64 i = first + local;
        Vec<u8, 16> v;
        if (i + 16 <= n) {
            v = *(const Vec<u8, 16> *)(mask + i);
        }
        else {
#pragma unroll
            for (int j = 0; j < 16; j++) {
                v.at[j] = i + j < n ? mask[i + j] : 0;
            }
        }
        u32 mine = 0, total;
#pragma unroll
        for (int j = 0; j < 16; j++) {
            mine += v.at[j] != 0;
        }
        u32 at = count + sum_before<BLOCK>(mine, sums, total);
#pragma unroll
        for (int j = 0; j < 16; j++) {
            if (v.at[j] != 0) {
                places[at++] = (u16)(local + j);
            }
        }
        count += total;
    }
    __syncthreads();
    const i64 before = ALONE ? 0 : counts[blockIdx.x];
#pragma unroll 4
    for (u32 j = threadIdx.x; j < count; j += BLOCK) {
        u64 i = first + places[j];
        char *there = packed + (before + j) * packed_stride;
        if constexpr (WHAT == SELECT_INDICES) {
            *(i64 *)there = (i64)i;
        }
        else if constexpr (WHAT == SELECT_COORDINATES) {
            Index rest = (Index)i;
#pragma unroll
            for (int axis = 0; axis < ND; axis++) {
                Index next = axis == ND - 1 ? 0 : layout.size[axis].quotient(rest);
                *(i64 *)(there + layout.stride[axis][0]) = (i64)(rest - next * layout.size[axis].d);
                rest = next;
            }
        }
        else if constexpr (WHAT == SELECT_TAKE) {
            *(Item *)there = *(const Item *)(array + layout.at((Index)i).at[0]);
        }
        else {
            *(Item *)(array + layout.at((Index)i).at[0]) = *(const Item *)there;
        }
    }
    if (ALONE && threadIdx.x == 0) {
        counts[0] = count;
    }
}

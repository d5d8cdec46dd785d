"""Shuffles, votes and matches, of whole warps and of warps that have parted."""

import numpy as np
import pytest

import gpunp as cp

SOURCE = r"""
extern "C" __global__ void warps(const unsigned *value, const int *by, unsigned *out, int n, unsigned keep,
                                 int width)
{
    int i = threadIdx.x;
    if (keep >> i % 32 & 1) {
        unsigned v = value[i], mask = keep;
        int b = by[i];
        out[i] = __shfl_sync(mask, v, b, width);
        out[n + i] = __shfl_up_sync(mask, v, 3, width);
        out[2 * n + i] = __shfl_down_sync(mask, v, 5, width);
        out[3 * n + i] = __shfl_xor_sync(mask, v, 6, width);
        out[4 * n + i] = __ballot_sync(mask, v % 3 == 0);
        out[5 * n + i] = __all_sync(mask, v < 1000);
        out[6 * n + i] = __any_sync(mask, v == 7);
        out[7 * n + i] = __match_any_sync(mask, v);
        out[8 * n + i] = __match_any_sync(mask, (unsigned long long)v << 32);
        int same;
        out[9 * n + i] = __match_all_sync(mask, v / 50, &same) + same;
        __syncwarp(mask);
    }
}
"""


def expected(value, by, keep, width):
    lanes = [lane for lane in range(32) if keep >> lane & 1]
    out = np.zeros((10, len(value)), np.uint32)
    for first in range(0, len(value), 32):
        v = value[first : first + 32].astype(object)
        mask = {lane: 1 << lane for lane in lanes}
        for lane in lanes:
            begin = lane // width * width
            up, down, other = lane - 3, lane + 5, lane ^ 6
            sources = (
                begin + int(by[first + lane]) % width,
                up if up >= begin else lane,
                down if down < begin + width else lane,
                other if other < begin + width else lane,
            )
            for k, source in enumerate(sources):
                out[k, first + lane] = v[source]
            out[4, first + lane] = sum(mask[k] for k in lanes if v[k] % 3 == 0)
            out[5, first + lane] = all(v[k] < 1000 for k in lanes)
            out[6, first + lane] = any(v[k] == 7 for k in lanes)
            out[7:9, first + lane] = sum(mask[k] for k in lanes if v[k] == v[lane])
            same = len({v[k] // 50 for k in lanes}) == 1
            out[9, first + lane] = (sum(mask.values()) + 1) % 2**32 if same else 0
    return out


def a_source(rng, lane, keep, width):
    """A lane of the same segment that takes part: what others give is undefined."""
    begin = lane // width * width
    return rng.choice([k for k in range(begin, begin + width) if keep >> k & 1] or [lane])


@pytest.mark.parametrize("width", [32, 8])
@pytest.mark.parametrize("keep", [0xFFFFFFFF, 0x00FFFF00, 0x55555555])
@pytest.mark.parametrize("most", [8, 40, 2000])
def test_operations_of_a_warp(rng, most, keep, width):
    n = 256
    value = rng.integers(0, most, n, dtype=np.uint32)
    value[:32] = 7
    by = np.array([a_source(rng, lane % 32, keep, width) for lane in range(n)], np.int32)
    out = cp.zeros((10, n), np.uint32)
    kernel = cp.RawKernel(SOURCE, "warps")
    kernel(
        (1,),
        (n,),
        (cp.asarray(value), cp.asarray(by), out, np.int32(n), np.uint32(keep), np.int32(width)),
    )
    want, got = expected(value, by, keep, width), out.get()
    defined = np.ones((10, n), bool)
    if keep != 0xFFFFFFFF:  # the relative ones may read from outside of the mask
        defined[1:4] = False
    np.testing.assert_array_equal(got[defined], want[defined])

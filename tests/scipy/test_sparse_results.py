"""Tiles learn where their results go from words of earlier tiles (kernels/sparse/results.cuh).

The emulated device runs few blocks at once, so that the tile before has nearly always been done.
"""

from pathlib import Path

import numpy as np
import pytest

import gpunp as cp

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
ALL, OWN, GROUP = (np.uint64(1 << k) for k in (63, 62, 61))
BEGIN = """typedef unsigned long long u64;
typedef long long i64;
typedef unsigned u32;
#define GNP_FN __device__ inline
"""
END = """
extern "C" __global__ void before(u64 *state, i64 tile, u64 mine, u64 *out)
{
    const u64 sum = results_before(state, tile, mine);
    if (threadIdx.x == 0) {
        *out = sum;
    }
}
"""


@pytest.mark.parametrize("tile", [0, 1, 31, 32, 33, 63, 64, 1023, 1024, 1500, 3000, 3007])
@pytest.mark.parametrize("share", [0, 0.001, 0.02, 1])
def test_words_of_earlier_tiles(tile, share, rng):
    """Some have the results of all before them; the others have those of their tile or group."""
    text = (KERNELS / "sparse" / "results.cuh").read_text()
    kernel = cp.RawKernel(BEGIN + text + END, "before")
    counts = rng.integers(0, 1 << 20, tile + 1).astype(np.uint64)
    sums = counts.cumsum()
    groups = np.concatenate([[0], sums])[np.arange(tile + 1) // 32 * 32].astype(np.uint64)
    words = OWN | counts
    last = np.arange(tile + 1) % 32 == 31
    words[last] |= (GROUP | (sums - groups) << np.uint64(20))[last]
    complete = rng.random(tile + 1) < share
    complete[0] = True
    words[complete] = (ALL | sums)[complete]
    words[tile] = (ALL if tile == 0 else OWN) | counts[tile]  # as the tile has posted it
    state, out = cp.asarray(words), cp.zeros(1, np.uint64)
    kernel((1,), (32,), (state, np.int64(tile), counts[tile], out))
    assert int(out[0]) == int(sums[tile] - counts[tile])
    assert int(state[tile]) == int(ALL | sums[tile])
    assert (state[:tile].get() == words[:tile]).all()

"""Arrays long enough for the kernels that move several elements per access, with ragged ends."""

import numpy as np
import pytest
from cases import DTYPES
from check import assert_same

import gpunp as cp

SIZES = [65536, 65536 + 1, 3 * 65536 + 77]
OPERATIONS = {
    "add": lambda xp, a, b: xp.add(a, b),
    "scalar": lambda xp, a, b: xp.maximum(a, a[:1]),
    "negative": lambda xp, a, b: xp.square(a),
    "compare": lambda xp, a, b: a <= b,
    "where": lambda xp, a, b: xp.where(a < b, a, b),
    "unaligned": lambda xp, a, b: xp.add(a[1:], b[:-1]),
    "reversed": lambda xp, a, b: xp.add(a[::-1], b),
    "rows": lambda xp, a, b: xp.add(a[:65536].reshape(64, 1024), b[:1024]),
    "columns": lambda xp, a, b: xp.add(a[:65536].reshape(64, 1024), b[:64, None]),
    "inner": lambda xp, a, b: xp.add(
        a[:65536].reshape(256, 256)[:, 1:-2], b[:65536].reshape(256, 256)[:, 3:]
    ),
    "turned": lambda xp, a, b: xp.add(a[:65536].reshape(512, 128).T, b[:65536].reshape(128, 512)),
    "heavy": lambda xp, a, b: xp.sqrt(xp.absolute(a)),
}


def pair(dtype, size):
    """Two arrays of small numbers, so that no operation rounds."""
    rng = np.random.default_rng(size)
    return [rng.integers(0, 9, size).astype(dtype) for _ in range(2)]


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_long_arrays(dtype, name):
    if name == "heavy" and np.dtype(dtype).kind not in "fV":
        pytest.skip("one kind of dtype is enough")
    for size in SIZES:
        a, b = pair(dtype, size)
        expected = OPERATIONS[name](np, a, b)
        assert_same(OPERATIONS[name](cp, cp.asarray(a), cp.asarray(b)), expected, ulp=1)


@pytest.mark.parametrize("source", ["int8", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("target", ["int8", "float16", "float32", "float64", "complex128"])
def test_long_casts(source, target):
    if source == "complex64" and target != "complex128":
        pytest.skip("NumPy warns")
    for size in SIZES:
        a, _ = pair(source, size)
        assert_same(cp.asarray(a).astype(target), a.astype(target))


def test_long_mask():
    a, b = pair("float32", SIZES[2])
    mask = b > 4
    out = cp.zeros(a.size, dtype="float32")
    cp.add(cp.asarray(a), 1, out=out, where=cp.asarray(mask))
    assert_same(out, np.where(mask, a + 1, 0).astype("float32"))

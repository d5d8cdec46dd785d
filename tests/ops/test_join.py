"""concatenate and stack of like arrays in one launch, whatever the lengths, places and number."""

import cases
import numpy as np
import pytest
from check import check


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(7,), (3, 5), (4, 16), (2, 3, 8)], ids=str)
def test_every_dtype_along_every_axis(dtype, shape, rng):
    a, b, c = (cases.values(dtype, shape, rng) for _ in range(3))
    for axis in range(-1, len(shape)):
        check(lambda xp, k=axis: xp.concatenate([xp.asarray(x) for x in (a, b, c)], k))
    for axis in range(len(shape) + 1):
        check(lambda xp, k=axis: xp.stack([xp.asarray(x) for x in (a, b, c)], k))


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "c16"])
@pytest.mark.parametrize(
    "lengths", [(1, 2, 3), (16, 48), (4, 0, 8, 0, 1), (5,), (0, 0), (33, 64, 2)]
)
def test_rows_of_different_lengths(dtype, lengths, rng):
    for outer in (1, 2, 9):
        parts = [cases.values(np.dtype(dtype), (outer, n), rng) for n in lengths]
        check(lambda xp, p=parts: xp.concatenate([xp.asarray(x) for x in p], 1))
        check(lambda xp, p=parts: xp.concatenate([xp.asarray(x.T.copy()) for x in p], 0))


@pytest.mark.parametrize("count", [4, 5, 16, 17, 128, 129, 300])
def test_few_and_many_arrays(count, rng):
    parts = [rng.integers(0, 99, (3, 1 + k % 3)).astype("i2") for k in range(count)]
    check(lambda xp: xp.concatenate([xp.asarray(x) for x in parts], 1))
    check(lambda xp: xp.concatenate([xp.asarray(x.ravel()) for x in parts]))
    same = [x[:, :1].copy() for x in parts]
    check(lambda xp: xp.stack([xp.asarray(x) for x in same], 2))


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8"])
def test_arrays_that_begin_anywhere(dtype, rng):
    base = cases.values(np.dtype(dtype), (200,), rng)
    for first in range(5):

        def body(xp, first=first):
            whole = xp.asarray(base)
            return xp.concatenate([whole[first : first + 64], whole[8:72], whole[first:]])

        check(body)


def test_a_long_one():
    x = np.arange(300001, dtype="i4")
    check(lambda xp: xp.concatenate([xp.asarray(x), xp.asarray(x[:7]), xp.asarray(x[::-1].copy())]))
    y = x[:300000].reshape(-1, 3)
    check(lambda xp: xp.concatenate([xp.asarray(y), xp.asarray(y + 1)], axis=1))
    z = np.arange(400000, dtype="u1").reshape(4, -1)
    check(lambda xp: xp.concatenate([xp.asarray(z), xp.asarray(z[:, 1:].copy())], axis=1))
    check(lambda xp: xp.concatenate([xp.asarray(z.ravel())[1:]] * 3))

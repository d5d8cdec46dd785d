"""Order, searches and sets."""

import cupy as cp
import numpy as np

x = cp.array([3, 1, 2, 3, 1])
assert cp.sort(x).tolist() == [1, 1, 2, 3, 3]
values, where, counts = cp.unique(x, return_inverse=True, return_counts=True)
assert values.tolist() == [1, 2, 3] and counts.tolist() == [2, 1, 2]
assert (values[where] == x).all()
assert cp.searchsorted(values, cp.array([2, 4])).tolist() == [1, 3]
assert (
    cp.lexsort(cp.array([[1, 0, 1], [0, 1, 0]])).tolist()
    == np.lexsort([[1, 0, 1], [0, 1, 0]]).tolist()
)
assert cp.argpartition(x, 2)[2] in (2,)
assert cp.in1d(x, cp.array([1])).tolist() == [False, True, False, False, True]
x[[1, 3]] = 10
assert x.tolist() == [3, 10, 2, 10, 1]
assert cp.nonzero(x > 5)[0].tolist() == [1, 3]
assert cp.take(x, cp.array([7]), mode="wrap").tolist() == [2]

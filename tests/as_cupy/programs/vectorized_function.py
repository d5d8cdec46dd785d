"""cupy.vectorize, apply_along_axis and piecewise."""

import cupy as cp


@cp.vectorize
def clipped(a, b):
    if a > b:
        return a - b
    return a + b


assert clipped(cp.array([1, 5]), cp.array([2, 3])).tolist() == [3, 2]
rows = cp.apply_along_axis(lambda row: row[::-1], 1, cp.arange(6).reshape(2, 3))
assert rows.tolist() == [[2, 1, 0], [5, 4, 3]]
x = cp.linspace(-2, 2, 5)
assert cp.piecewise(x, [x < 0, x >= 0], [-1, 1]).tolist() == [-1, -1, 1, 1, 1]

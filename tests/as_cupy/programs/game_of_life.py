"""Conway's game of life by rolled copies."""

import cupy as cp

grid = cp.zeros((8, 8), dtype=cp.int32)
for row, column in ((1, 2), (2, 3), (3, 1), (3, 2), (3, 3)):  # a glider
    grid[row, column] = 1
start = grid.copy()
for _ in range(32):  # once around a torus of eight
    neighbours = sum(
        cp.roll(grid, (i, j), axis=(0, 1))
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (i, j) != (0, 0)
    )
    grid = ((neighbours == 3) | ((grid == 1) & (neighbours == 2))).astype(cp.int32)
assert (grid == start).all()

"""cupy.fuse of elementwise functions and of a reduction."""

import cupy


@cupy.fuse()
def squared_diff(x, y):
    return (x - y) * (x - y)


@cupy.fuse(kernel_name="sum_of_products")
def sum_of_products(x, y):
    return cupy.sum(x * y, axis=-1)


x = cupy.arange(10, dtype=cupy.float32)
y = x[::-1]
assert squared_diff(x, y).tolist() == [81, 49, 25, 9, 1, 1, 9, 25, 49, 81]
assert squared_diff(3, 1) == 4
assert float(sum_of_products(x, y)) == 120

"""Programs as lessons on elementwise kernels, reductions and fusion show them, in our words."""

import numpy as np

import gpunp as cp


def test_typed_kernel():
    my_kernel = cp.ElementwiseKernel(
        "float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "my_kernel"
    )
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    y = cp.arange(5, dtype=np.float32)
    assert repr(my_kernel(x, y)) == (
        "array([[ 0.,  0.,  0.,  0.,  0.],\n       [25., 25., 25., 25., 25.]], dtype=float32)"
    )
    assert repr(my_kernel(x, 5)) == (
        "array([[25., 16.,  9.,  4.,  1.],\n       [ 0.,  1.,  4.,  9., 16.]], dtype=float32)"
    )


def test_generic_kernels():
    code = "z = (x - y) * (x - y)"
    one = cp.ElementwiseKernel("T x, T y", "T z", code, "my_kernel_generic")
    assert one(cp.arange(3), cp.ones(3, int)).dtype == np.int64
    three = cp.ElementwiseKernel("X x, Y y", "Z z", code, "my_kernel_generic")
    z = cp.zeros(3, "f4")
    assert three(cp.arange(3), cp.ones(3), z) is z and z.get().tolist() == [1, 0, 1]


def test_kernel_by_keywords_on_numbers():
    axpb = cp.ElementwiseKernel(
        in_params="float32 x, float32 a, float32 b",
        out_params="float32 y",
        operation="y = a * x + b;",
        name="axpb",
    )
    x = cp.linspace(0, 1, 8, dtype=cp.float32)
    assert str(axpb(x, 2.0, 1.0)) == (
        "[1.        1.2857143 1.5714285 1.8571429 2.142857  2.4285715 2.7142859\n 3.       ]"
    )


def test_norm_of_rows():
    l2norm_kernel = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    assert repr(l2norm_kernel(x, axis=1)) == "array([ 5.477226 , 15.9687195], dtype=float32)"


def test_sum_of_squares():
    sum_squares = cp.ReductionKernel(
        in_params="float32 x",
        out_params="float32 y",
        map_expr="x * x",
        reduce_expr="a + b",
        post_map_expr="y = a",
        identity="0",
        name="sum_squares",
    )
    assert str(sum_squares(cp.arange(10, dtype=cp.float32))) == "285.0"


def test_fused_functions():
    @cp.fuse(kernel_name="squared_diff")
    def squared_diff(x, y):
        return (x - y) * (x - y)

    @cp.fuse()
    def sum_of_products(x, y):
        return cp.sum(x * y, axis=-1)

    x = cp.arange(10, dtype=cp.float32)
    wanted = [81, 49, 25, 9, 1, 1, 9, 25, 49, 81]
    assert squared_diff(x, x[::-1]).get().tolist() == wanted
    assert squared_diff(x.get(), x.get()[::-1]).tolist() == wanted
    assert squared_diff(9, 0) == 81
    assert sum_of_products(x.reshape(2, 5), 2).get().tolist() == [20, 70]
    assert sum_of_products(x.get(), x.get()) == 285


def test_leaky_relu():
    leaky_relu = cp.ElementwiseKernel(
        "T x, T alpha", "T y", "y = x > 0 ? x : alpha * x", "leaky_relu"
    )
    assert leaky_relu(cp.asarray([-2.0, 3.0]), 0.1).get().tolist() == [-0.2, 3.0]

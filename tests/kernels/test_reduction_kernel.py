"""ReductionKernel: shapes, axes, types, user structs, raw arguments, errors."""

import threading

import cases
import numpy as np
import pytest

import gpunp as cp

L2 = ("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")

PAIR = """
template <class X> struct Pair {
    X value;
    long long at;
    __device__ Pair() : value(0), at(-1) {}
    __device__ Pair(X v, long long i) : value(v), at(i) {}
};
template <class X> __device__ Pair<X> larger(Pair<X> a, Pair<X> b)
{
    if (a.at < 0) return b;
    if (b.at < 0) return a;
    return a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b;
}
#define N 3
#define BLOCK 3
"""


@pytest.fixture(scope="module")
def l2():
    return cp.ReductionKernel(*L2)


@pytest.fixture(scope="module")
def argmax():
    return cp.ReductionKernel(
        "T x", "int64 y", "Pair<T>(x, _J)", "larger(a, b)", "y = a.at", "Pair<T>()", "argmax_",
        reduce_type="Pair<T>", preamble=PAIR,
    )  # fmt: skip


SHAPES = [
    ((), None),
    ((10,), None),
    ((100000,), None),
    ((300, 400), 0),
    ((300, 400), -1),
    ((300, 400), None),
    ((4, 50, 60), 1),
    ((4, 50, 60), (0, 2)),
    ((20000, 3), 0),
    ((3, 20000), 1),
    ((2, 3, 4, 5), (1, 3)),
    ((2, 3), ()),
    ((1, 5, 1), (0, 2)),
]


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_shapes_and_orders(l2, shape, axis, order, rng):
    x = rng.random(shape)
    ours = cp.asarray(np.asfortranarray(x) if order == "F" else x)
    if order == "strided" and x.ndim > 0:
        ours = cp.repeat(ours, 2, axis=-1)[..., ::2]
    wanted = np.sqrt((x * x).sum(axis=axis))
    got = l2(ours, axis=axis)
    assert got.shape == wanted.shape and np.allclose(got.get(), wanted)


def test_keepdims_and_out(l2, rng):
    x = rng.random((5, 6))
    wanted = np.sqrt((x * x).sum(axis=0, keepdims=True))
    assert np.allclose(l2(cp.asarray(x), axis=0, keepdims=True).get(), wanted)
    out = cp.zeros((1, 6))
    assert l2(cp.asarray(x), axis=0, keepdims=True, out=out) is out
    assert np.allclose(out.get(), wanted)
    second = cp.zeros(6)
    assert l2(cp.asarray(x), second, axis=0) is second
    assert np.allclose(second.get(), wanted[0])


def test_out_that_is_part_of_the_input(rng):
    x = rng.random((6, 6))
    ours = cp.asarray(x)
    cp.ReductionKernel(*L2)(ours, axis=0, out=ours[0])
    assert np.allclose(ours[0].get(), np.sqrt((x * x).sum(axis=0)))


def test_out_that_is_an_input_is_read_and_written(rng):
    x = rng.random((3, 2, 5))
    shifted = cp.asarray(x.max(axis=0, keepdims=True))
    kernel = cp.ReductionKernel(
        "T x, T m", "T y", "exp(x - m)", "a + b", "y += log(a)", "0", "log_sum"
    )
    kernel(cp.asarray(x), shifted, shifted, axis=0, keepdims=True)
    assert np.allclose(shifted.get(), np.log(np.exp(x).sum(axis=0, keepdims=True)))


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_dtypes(dtype):
    x = np.array([0, 1, 1, 0, 1] * 20).astype(dtype)
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    with np.errstate(all="ignore"):
        wanted = x.any() if x.dtype == bool else x.sum(dtype=x.dtype)
    got = total(cp.asarray(x))
    assert got.dtype == x.dtype and complex(got.get()) == complex(wanted)


def test_several_inputs_are_broadcast(rng):
    dot = cp.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
    a, b = rng.random((50, 60)), rng.random(60)
    assert np.allclose(dot(cp.asarray(a), cp.asarray(b), axis=1).get(), a @ b)
    assert np.allclose(dot(cp.asarray(b), cp.asarray(a), axis=1).get(), a @ b)
    assert np.allclose(dot(cp.asarray(a), 2.0, axis=0).get(), 2 * a.sum(axis=0))
    column = rng.random((50, 1))
    assert np.allclose(
        dot(cp.asarray(a), cp.asarray(column), axis=0).get(), (a * column).sum(axis=0)
    )


def test_several_outputs_raw_and_scalar_arguments(rng):
    kernel = cp.ReductionKernel(
        "T x, raw T w, float64 p", "float64 m, T s", "x * w[_J] + p", "a + b",
        "m = a / (_in_ind.size() / _out_ind.size()) + p; s = w[0]", "0", "weighted",
        reduce_type="double",
    )  # fmt: skip
    a, w = rng.random((50, 60)), rng.random(60)
    mean, first = kernel(cp.asarray(a), cp.asarray(w), 1.5, axis=1)
    assert np.allclose(mean.get(), (a * w + 1.5).mean(axis=1) + 1.5)
    assert np.array_equal(first.get(), np.full(50, w[0]))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_struct_of_the_preamble(argmax, axis, rng):
    x = rng.integers(0, 50, (130, 70)).astype("f4")
    assert np.array_equal(argmax(cp.asarray(x), axis=axis).get(), x.argmax(axis=axis))


def test_struct_in_pieces(argmax, rng):
    x = rng.random(300000)
    assert argmax(cp.asarray(x)).item() == x.argmax()


def test_without_identity(rng):
    x = rng.random((40, 50)) + 5
    least = cp.ReductionKernel("T x", "T y", "x", "a < b ? a : b", "y = a", None, "least")
    assert least.identity == ""
    for axis in (None, 0, 1):
        assert np.array_equal(least(cp.asarray(x), axis=axis).get(), x.min(axis=axis))
    with pytest.raises(ValueError, match="least which has no identity"):
        least(cp.zeros((0, 3)), axis=0)
    assert least(cp.zeros((0, 3)), axis=1).shape == (0,)


def test_empty_gives_the_identity(l2):
    assert l2(cp.zeros((0, 3)), axis=0).get().tolist() == [0, 0, 0]
    one = cp.ReductionKernel("T x", "T y", "x", "a * b", "y = a", "1")
    assert one(cp.zeros((2, 0)), axis=1).get().tolist() == [1, 1]


def test_element_index(rng):
    x = cp.asarray(rng.random((60, 50)).T)
    total = cp.ReductionKernel("T x", "int64 y", "i", "a + b", "y = a", "0")
    assert np.array_equal(total(x, axis=0).get(), np.arange(3000).reshape(50, 60).sum(axis=0))


def test_dtype_of_the_result():
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
    got = total(cp.full(100, 200, "u1"), dtype="i8")
    assert got.dtype == np.int64 and got.item() == 20000


def test_results_repeat(l2, rng):
    x = cp.asarray(rng.random(200000).astype("f4"))
    assert len({l2(x).item() for _ in range(5)}) == 1


def test_same_bits_as_sum(rng):
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "-0.0")
    for shape, axis in [((300, 2000), 0), ((1000, 300), 1), ((300000,), 0)]:
        x = cp.asarray(rng.random(shape).astype("f4"))
        assert cp.array_equal(total(x, axis=axis), x.sum(axis=axis))


def test_stream(l2):
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(5.0)
    cp.cuda.Stream.null.synchronize()
    y = l2(x, stream=stream)
    stream.synchronize()
    assert np.isclose(y.item(), np.sqrt(30))


def test_attributes(l2):
    assert (l2.nin, l2.nout, l2.nargs) == (1, 1, 2)
    assert (l2.map_expr, l2.reduce_expr, l2.post_map_expr) == ("x * x", "a + b", "y = sqrt(a)")
    assert (l2.identity, l2.name, l2.__name__) == ("0", "l2norm", "l2norm")
    assert (l2.reduce_type, l2.preamble, l2.options, l2.reduce_dims) == (None, "", (), True)
    assert [p.name for p in l2.params] == ["x", "y"]
    assert l2.in_params[0].is_const and not l2.out_params[0].is_const
    kernel = cp.ReductionKernel("T x", "T y", "x * x + 77", "a + b", "y = a", "0")
    kernel(cp.arange(3))
    assert "x * x + 77" in kernel.cached_code and len(kernel.cached_codes) == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda k: k(), TypeError, r"it takes 1 \(x\), or 2 with the outputs, got 0"),
        (lambda k: k(cp.ones(3), foo=1), TypeError, "'foo'"),
        (lambda k: k(cp.ones(3), axis=3), ValueError, "out of bounds"),
        (lambda k: k(cp.ones((3, 3)), axis=(0, 0)), ValueError, "duplicate"),
        (lambda k: k(np.ones(3)), TypeError, "argument 'x' is a NumPy array, which is on the host"),
        (lambda k: k(3.0), ValueError, "array"),
        (lambda k: k(cp.ones(3), out=cp.ones(3)), ValueError, r"output 'y' has shape \(3,\)"),
        (lambda k: k(cp.ones(3), cp.ones(()), out=cp.ones(())), ValueError, "'out' as both"),
        (lambda k: k(cp.ones(3), out=cp.ones((), "f4")), TypeError, "type T"),
    ],
)
def test_bad_calls(l2, call, error, message):
    with pytest.raises(error, match=message):
        call(l2)


def test_compile_errors_show_the_users_text():
    kernel = cp.ReductionKernel("T x", "T y", "x * missing", "a + b", "y = a", "0", "faulty")
    with pytest.raises(cp.cuda.compiler.CompileException, match=r"faulty, map_expr\(1\): error"):
        kernel(cp.arange(3))


def test_outputs_and_inputs_that_overlap_are_copied_on_the_stream_given():
    stream, opened = cp.cuda.Stream(non_blocking=True), threading.Event()
    kernel = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "added")
    x = cp.arange(1000.0).reshape(10, 100)
    kernel(x.copy(), axis=0, stream=stream)
    cp.cuda.Stream.null.synchronize()
    stream.launch_host_func(lambda _: opened.wait(20), None)
    with stream:
        x += 1
    kernel(x, x[5], axis=0, stream=stream)
    opened.set()
    stream.synchronize()
    assert x[5].tolist() == [4510.0 + 10 * k for k in range(100)]


def test_output_of_another_library_that_overlaps_the_input():
    class Foreign:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    x = cp.arange(6.0).reshape(2, 3)
    kernel = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sums")
    result = kernel(x, axis=1, out=Foreign(x[0, :2]))
    assert result.get().tolist() == [3, 12]
    assert x.get().tolist() == [[3, 12, 2], [3, 4, 5]]


def test_a_definition_without_a_name_is_an_error():
    kernel = cp.ReductionKernel(
        "T x", "T y", "x", "a + b", "y = a", "0", "nameless", options=("--define-macro", "X=2")
    )
    with pytest.raises(cp.cuda.compiler.CompileException):
        kernel(cp.ones(3))


def test_raw_arguments_of_no_axes_and_of_all():
    kernel = cp.ReductionKernel(
        "T x, raw T u, raw T v", "T y", "x + u.size() + v[0]", "a + b", "y = a", "0", "raw_axes"
    )
    most = cp.ones((1,) * 63 + (3,))
    for a, size in ((cp.asarray(5.0), 1), (most, 3)):
        assert float(kernel(cp.ones(2), a, cp.full(4, 10.0))) == 2 * (11 + size)


def test_raw_number():
    kernel = cp.ReductionKernel("T x, raw T s", "T y", "x * s", "a + b", "y = a", "0", "scaled_sum")
    assert kernel(cp.arange(4.0), 3) == 18
    assert kernel(cp.ones((2, 3), "f4"), np.float32(2), axis=1).get().tolist() == [6, 6]
    first = cp.ReductionKernel("T x, raw T s", "T y", "x * s[0]", "a + b", "y = a", "0")
    assert first(cp.arange(4.0), cp.full(1, 3.0)) == 18


def test_texts_with_a_null_character():
    """They would end there."""
    with pytest.raises(ValueError, match="null character"):
        cp.ReductionKernel("T x", "T y", "x\0+ 1", "a + b", "y = a", "0", "cut")


def test_raw_arguments_may_be_unaligned():
    records = cp.ones(3, "f4,f8")
    records["f1"] = cp.arange(3.0)
    kernel = cp.ReductionKernel(
        "int64 k, raw float64 w", "float64 y", "w[k]", "a + b", "y = a", "0", "sum_by_index"
    )
    assert float(kernel(cp.array([2, 1, 2]), records["f1"])) == 5

"""ElementwiseKernel: grammar, types, layouts, raw arguments, what the code may use, errors."""

import threading

import cases
import numpy as np
import pytest

import gpunp as cp
from gpunp._C import _kernel_count

SQUARED = ("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")


def on_device(x):
    """The same array on the device: its strides and repeated elements included."""
    base = x
    while base.base is not None:
        base = base.base
    start = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    flat = cp.asarray(base).reshape(-1)[start // base.itemsize :]
    return cp.lib.stride_tricks.as_strided(flat, x.shape, x.strides)


LAYOUTS = {
    "C": lambda: np.arange(12.0).reshape(3, 4),
    "F": lambda: np.arange(12.0).reshape(4, 3).T,
    "strided": lambda: np.arange(48.0).reshape(6, 8)[::2, ::2],
    "row": lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
    "column": lambda: np.broadcast_to(np.arange(3.0)[:, None], (3, 4)),
    "0-d": lambda: np.array(3.0),
    "empty": lambda: np.zeros((0, 4)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    x = LAYOUTS[layout]()
    kernel = cp.ElementwiseKernel(*SQUARED)
    assert np.array_equal(kernel(on_device(x), 1).get(), (x - 1) ** 2)


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
def test_dtypes(dtype):
    dtype = np.dtype(dtype)
    x = np.array([0, 1, 2, 3]).astype(dtype)
    double = cp.ElementwiseKernel("T x", "T y", "y = x + x", "double_")
    with np.errstate(all="ignore"):
        assert np.array_equal(double(cp.asarray(x)).get(), x + x)


def test_typed_and_generic_parameters():
    kernel = cp.ElementwiseKernel("float32 x, S y", "S z, float64 w", "z = x + y; w = x * y")
    z, w = kernel(cp.arange(3, dtype="f4"), cp.arange(3, dtype="i2"))
    assert (z.dtype, w.dtype) == (np.int16, np.float64)
    assert z.get().tolist() == [0, 2, 4] and w.get().tolist() == [0, 1, 4]


@pytest.mark.parametrize(
    ("args", "dtype"),
    [
        ((cp.float32(2), cp.float64(3)), "f8"),
        ((2, 3), "i8"),
        ((2.0, 3), "f8"),
        ((cp.float32(2), 3), "f4"),
        ((True, False), "?"),
    ],
)
def test_numbers_alone(args, dtype):
    result = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y")(*args)
    assert result.dtype == dtype and result.shape == ()


def test_python_numbers_are_weak():
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y")
    assert kernel(cp.ones(2, "f2"), 3.5).dtype == np.float16
    assert kernel(cp.ones(2, "f4"), np.float64(3.5)).dtype == np.float32
    with pytest.raises(OverflowError):
        kernel(cp.ones(2, "i1"), 1000)


def test_output_decides_the_type():
    kernel = cp.ElementwiseKernel("X x, Y y", "Z z", "z = x + y")
    with pytest.raises(TypeError, match="type Z of argument 'z' cannot be told"):
        kernel(cp.arange(3), cp.arange(3.0))
    z = cp.zeros(3, "c8")
    assert kernel(cp.arange(3), cp.arange(3.0), z) is z
    assert z.get().tolist() == [0, 2, 4]


def test_several_outputs_and_what_is_returned():
    two = cp.ElementwiseKernel("T x", "T a, T b", "a = x; b = -x")
    a, b = two(cp.arange(3))
    assert b.get().tolist() == [0, -1, -2] and a.get().tolist() == [0, 1, 2]
    one = cp.ElementwiseKernel("T x", "T a", "a = x", return_tuple=True)
    assert isinstance(one(cp.arange(3)), tuple)
    none = cp.ElementwiseKernel("T x", "T a", "a = x", no_return=True)
    assert none(cp.arange(3), cp.zeros(3, int)) is None


def test_passed_output_keeps_what_is_not_set():
    kernel = cp.ElementwiseKernel("T x", "T z", "if (x > 2) z = x")
    z = cp.full(5, -1.0)
    kernel(cp.arange(5.0), z)
    assert z.get().tolist() == [-1, -1, -1, 3, 4]
    add = cp.ElementwiseKernel("T x", "T z", "z += x")
    add(cp.arange(5.0), z)
    assert z.get().tolist() == [-1, 0, 1, 6, 8]
    assert kernel(cp.arange(5.0)).get().tolist() == [0, 0, 0, 3, 4]


def test_continue_and_return_skip_an_element():
    for word in ("continue", "return"):
        kernel = cp.ElementwiseKernel("T x", "T z", f"if (x == 1) {word}; z = 7")
        z = cp.zeros(3)
        kernel(cp.arange(3.0), z)
        assert z.get().tolist() == [7, 0, 7]


@pytest.mark.parametrize("shift", [1, -1, 0])
def test_overlapping_output(shift):
    values = np.arange(100.0)
    a = cp.asarray(values)
    x, z = (a[:-1], a[1:]) if shift > 0 else (a[1:], a[:-1]) if shift < 0 else (a, a)
    wanted = x.get() * 2
    cp.ElementwiseKernel("T x", "T z", "z = x * 2")(x, z)
    assert np.array_equal(z.get(), wanted)


INDEX_OUTPUTS = {
    "C": lambda: cp.zeros((50, 61)),
    "F": lambda: cp.zeros((61, 50)).T,
    "reversed": lambda: cp.zeros((50, 61))[::-1, ::-1],
    "rows": lambda: cp.zeros((50, 80))[:, :61],
    "strided": lambda: cp.zeros((100, 122))[::2, ::2],
    "3-d": lambda: cp.zeros((5, 61, 10)).transpose(0, 2, 1).reshape(50, 61),
}


@pytest.mark.parametrize("layout", INDEX_OUTPUTS)
@pytest.mark.parametrize("transposed", [False, True])
def test_index_counts_in_c_order(layout, transposed):
    z = INDEX_OUTPUTS[layout]()
    x = cp.ones((61, 50)).T if transposed else cp.ones((50, 61))
    cp.ElementwiseKernel("T x", "T z", "z = i * x + n")(x, z)
    assert np.array_equal(z.get(), np.arange(3050.0).reshape(50, 61) + 3050)


def test_index_of_many_elements():
    x = cp.zeros(70001, "i4")
    y = cp.ElementwiseKernel("int32 x", "int32 y", "y = i + x")(x)
    assert np.array_equal(y.get(), np.arange(70001))


@pytest.mark.parametrize("layout", [x for x in LAYOUTS if x != "empty"])
def test_raw_argument_is_indexed_in_c_order(layout):
    x = LAYOUTS[layout]()
    kernel = cp.ElementwiseKernel("raw T x", "T z", "z = x[i]", "take")
    assert np.array_equal(kernel(on_device(x), size=x.size).get(), x.ravel())


def unaligned(values, dtype="f8"):
    """An array whose elements do not start at multiples of their size."""
    records = cp.zeros(len(values), f"f4,{dtype}")
    records["f1"] = cp.array(values, dtype)
    return records["f1"]


def test_raw_arguments_may_be_unaligned():
    x, y = unaligned([1.0, 2.0, 3.0]), unaligned([0.0, 0.0, 0.0])
    kernel = cp.ElementwiseKernel("raw float64 x", "raw float64 y", "y[i] = 2 * x[i]", "twice")
    kernel(x, y, size=3)
    assert y.tolist() == [2.0, 4.0, 6.0]
    change = cp.ElementwiseKernel("raw float64 x, int64 n", "int64 out", "x[n] = n; out = n", "set")
    change(x, cp.arange(3))
    assert x.tolist() == [0.0, 1.0, 2.0]


def test_raw_argument_by_indices():
    x = np.arange(24.0).reshape(2, 3, 4)
    code = """
    const ptrdiff_t *at = _ind.get();
    ptrdiff_t turned[] = {at[2], at[1], at[0]};
    z = x[turned] + x.size() + x.shape()[2] + x.ndim;
    """
    kernel = cp.ElementwiseKernel("raw T x", "T z", code, reduce_dims=False)
    z = kernel(cp.asarray(x), cp.empty((4, 3, 2)))
    assert np.array_equal(z.get(), x.T + 24 + 4 + 3)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_number_of_axes_is_each_calls_own(order):
    kernel = cp.ElementwiseKernel("raw T x", "T z", "z = _ind.ndim", reduce_dims=False)
    for ndim in order:
        assert (kernel(cp.ones(3), cp.empty((1,) * ndim)).get() == ndim).all()


def test_raw_beside_elements():
    reverse = cp.ElementwiseKernel(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reversed"
    )
    assert reverse(cp.arange(5), cp.arange(5)).get().tolist() == [4] * 5


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_atomic_add(dtype):
    count = cp.ElementwiseKernel("int32 x, T v", "raw T h", "atomicAdd(&h[x], v)", "count")
    h = cp.zeros(4, dtype)
    count(cp.asarray([0, 1, 1, 3] * 50, dtype="i4"), 1, h)
    assert h.get().tolist() == [50, 100, 0, 50]


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_atomic_extremes(dtype):
    kernel = cp.ElementwiseKernel(
        "T x", "raw T h", "atomicMax(&h[0], x); atomicMin(&h[1], x)", "extremes"
    )
    h = cp.asarray([0, 100], dtype=dtype)
    kernel(cp.arange(3, 90).astype(dtype), h)
    assert h.get().tolist() == [89, 3]


def test_names_that_the_user_declares():
    """Statements before the loop may declare what is otherwise the number of elements."""
    count = cp.ElementwiseKernel(
        "raw T x", "T y", "y = x[i] + n", "counted", loop_prep="int n = 2 * _ind.size();",
        after_loop="n = 0;",
    )  # fmt: skip
    assert count(cp.arange(3.0), size=3).tolist() == [6, 7, 8]
    plain = cp.ElementwiseKernel("raw T x", "T y", "y = x[i] + n", "plain")
    assert plain(cp.arange(3.0), size=3).tolist() == [3, 4, 5]
    named = cp.ElementwiseKernel("raw T x, T n", "T y", "y = x[i] + n + _ind.size()", "named")
    assert named(cp.arange(3.0), 10.0, size=3).tolist() == [13, 14, 15]


def test_loop_prep_and_after_loop():
    kernel = cp.ElementwiseKernel(
        "float32 x", "raw float32 s", "sum += x", "sum_up",
        loop_prep="float sum = 0;", after_loop="atomicAdd(&s[0], sum);",
    )  # fmt: skip
    s = cp.zeros(1, "f4")
    kernel(cp.ones(1000, "f4"), s)
    assert s.item() == 1000


def test_size_and_block_size():
    kernel = cp.ElementwiseKernel("", "raw int32 z", "z[i] = n * 1000 + blockDim.x", "sizes")
    z = cp.zeros(6, "i4")
    kernel(z, size=4, block_size=64)
    assert z.get().tolist() == [4064] * 4 + [0, 0]


def test_stream():
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(5.0)
    cp.cuda.Stream.null.synchronize()
    y = cp.ElementwiseKernel("T x", "T y", "y = x * 3")(x, stream=stream)
    stream.synchronize()
    assert y.get().tolist() == [0, 3, 6, 9, 12]


def test_preamble_may_use_any_name():
    preamble = """
    #define N 10
    #define BLOCK 3
    struct Vec { int x; };
    __device__ float sign(float x) { return x > 0 ? 1 : -1; }
    template <class X> __device__ X twice(const X &x) { return x + x; }
    """
    kernel = cp.ElementwiseKernel(
        "T x", "T y", "Vec v = {N}; y = twice(sign(x)) + v.x + M", preamble=preamble,
        options=("-DM=100",),
    )  # fmt: skip
    assert kernel(cp.arange(2, dtype="f4")).get().tolist() == [108, 112]


def test_placeholder_is_a_type_in_preamble_and_code():
    kernel = cp.ElementwiseKernel(
        "T x, S y", "T z", "z = half_of(x) + (T)sizeof(S)",
        preamble="__device__ T half_of(T x) { return x / T(2); }",
    )  # fmt: skip
    assert kernel(cp.arange(3.0), cp.arange(3, dtype="i2")).get().tolist() == [2, 2.5, 3]


def test_toolkit_header_in_preamble():
    kernel = cp.ElementwiseKernel(
        "float16 x", "float16 y", "y = __half2float(__float2half(x))",
        preamble="#include <cuda_fp16.h>",
    )  # fmt: skip
    assert kernel(cp.arange(3, dtype="f2")).get().tolist() == [0, 1, 2]


def test_complex_vocabulary():
    code = """
    complex<float> w(x.imag(), x.real());
    w += x; w *= 2; w = w - 1.0f; w = 2 * w / x;
    z = conj(w) + exp(x) + T(1) / x; m = abs(x) + real(x) * arg(x) + norm(x); e = x == x;
    """
    kernel = cp.ElementwiseKernel("T x", "T z, float32 m, bool e", code)
    x = (np.arange(1, 6) + 1j * np.arange(2, 7)).astype("c8")
    z, m, e = (a.get() for a in kernel(cp.asarray(x)))
    w = (x.imag + 1j * x.real + x) * 2 - 1
    assert np.allclose(z, np.conj(2 * w / x) + np.exp(x) + 1 / x, rtol=1e-5)
    assert np.allclose(m, abs(x) + x.real * np.angle(x) + abs(x) ** 2, rtol=1e-5) and e.all()


def test_half_vocabulary():
    code = """
    T t = x; t += x; t *= 2; t = max(t, T(3)); t -= 1; t /= T(2);
    y = t + sqrt(x) + (isnan(x) ? 1 : 0)
    """
    kernel = cp.ElementwiseKernel("T x", "T y", code)
    x = np.arange(4, dtype="f2")
    wanted = (np.maximum(4 * x, 3) - 1) / 2 + np.sqrt(x)
    assert np.allclose(kernel(cp.asarray(x)).get(), wanted, rtol=1e-3)


PROGRAMS = {
    "im2col": (
        "raw T img, int32 h, int32 w", "T col",
        "int c = i / (h * w); int r = i % (h * w); col = img[r + c * h * w]",
        lambda k, a: k(a, 2, 3, cp.empty(6)), lambda x: x,
    ),
    "rows of a sparse matrix": (
        "raw int32 start, raw T data", "T out",
        "T s = 0; for (int j = start[i]; j < start[i + 1]; j++) s += data[j]; out = s",
        lambda k, a: k(cp.asarray([0, 2, 6], dtype="i4"), a, cp.empty(2)),
        lambda x: [x[:2].sum(), x[2:].sum()],
    ),
    "swap": (
        "", "T x, T y", "T t = x; x = y; y = t", lambda k, a: k(a + 0, a[::-1] + 0)[0],
        lambda x: x[::-1],
    ),
    "constants": ("T x", "T z", "z = x * M_PI + (x > 9 ? INFINITY : 0)", lambda k, a: k(a),
                  lambda x: x * np.pi),
    "integers": (
        "T x", "int64 z", "long v = x; size_t u = v; z = min((long)u, v) + abs(v)",
        lambda k, a: k(a), lambda x: 2 * x,
    ),
    "output alone": ("", "T x", "x = i * 2", lambda k, a: k(cp.empty(6)),
                     lambda x: np.arange(6) * 2),
    "many": (
        ", ".join(f"T x{k}" for k in range(20)), "T y",
        "y = " + " + ".join(f"x{k}" for k in range(20)), lambda k, a: k(*[a] * 20),
        lambda x: 20 * x,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    *texts, call, wanted = PROGRAMS[name]
    x = np.arange(6.0)
    got = call(cp.ElementwiseKernel(*texts), cp.asarray(x))
    assert np.array_equal(got.get(), wanted(x))


def test_warp_functions():
    code = "float v = x; v += __shfl_xor_sync(0xffffffff, v, 1); y = v"
    y = cp.ElementwiseKernel("float32 x", "float32 y", code)(cp.arange(32, dtype="f4"))
    assert np.array_equal(y.get(), np.repeat(np.arange(16) * 4 + 1, 2))


def test_attributes():
    kernel = cp.ElementwiseKernel(
        "T x, raw float32 y", "T z", "z = x + y[0]", "named", options=("-DA=1",)
    )
    assert (kernel.nin, kernel.nout, kernel.nargs) == (2, 1, 3)
    assert kernel.name == kernel.__name__ == "named"
    assert kernel.operation == "z = x + y[0]" and kernel.preamble == ""
    assert kernel.reduce_dims and not kernel.no_return and not kernel.return_tuple
    assert kernel.kwargs == {"options": ("-DA=1",)}
    assert [p.name for p in kernel.params] == ["x", "y", "z"]
    assert [p.raw for p in kernel.in_params] == [False, True]
    assert kernel.params[1].dtype == np.float32 and kernel.params[0].dtype is None
    assert kernel.out_params[0].ctype == "T" and not kernel.out_params[0].is_const
    kernel(cp.arange(3), cp.zeros(1, "f4"))
    assert "z = x + y[0]" in kernel.cached_code and len(kernel.cached_codes) == 1


def test_equal_kernels_share_what_was_compiled():
    counts = []
    for _ in range(3):
        kernel = cp.ElementwiseKernel("T x", "T y", "y = x + 12345", "shared")
        kernel(cp.arange(3))
        counts.append(_kernel_count())
    assert counts[1:] == counts[:2]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (("T", ""), "a type and a name"),
        (("raww T x", ""), "only 'raw'"),
        (("T x, T x", ""), "used twice"),
        (("T i", ""), "reserved"),
        (("T _x", ""), "reserved"),
        (("T 3x", ""), "no C.. identifier"),
        (("T x", "T x"), "used twice"),
    ],
)
def test_bad_parameters(lists, message):
    with pytest.raises(ValueError, match=message):
        cp.ElementwiseKernel(*lists, "")


def test_unknown_type():
    with pytest.raises(TypeError):
        cp.ElementwiseKernel("floaty x", "T y", "")


def test_unknown_keyword():
    with pytest.raises(TypeError, match="unexpected keyword"):
        cp.ElementwiseKernel("T x", "T y", "y = x", blocks=3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda k: k(cp.ones(3)), TypeError, r"it takes 2 \(x, y\) or 3 with the outputs \(z\), got 1"),
        (lambda k: k(1, 2, 3, 4), TypeError, "got 4"),
        (lambda k: k(cp.ones(3), cp.ones(3, "f4")), TypeError, "argument 'y' is float32.*type T"),
        (lambda k: k(cp.ones(3), np.ones(3)), TypeError, "'y' is a NumPy array"),
        (lambda k: k(cp.ones(3), "a"), TypeError, "'y' must be a gpunp array or a number, not str"),
        (lambda k: k(cp.ones(3), 1, 2.0), TypeError, "'z' must be a gpunp array, not float"),
        (lambda k: k(cp.ones(3), cp.ones(4)), ValueError, "broadcast"),
        (lambda k: k(cp.ones(3), 1, cp.ones(4)), ValueError, r"output 'z' has shape \(4,\)"),
        (lambda k: k(cp.ones(3), 1, size=3), ValueError, "raw"),
        (lambda k: k(cp.ones(3), 1, block_size=4000), ValueError, "block_size"),
        (lambda k: k(cp.ones(3), 1, steam=None), TypeError, "'steam'"),
    ],
)  # fmt: skip
def test_bad_calls(call, error, message):
    with pytest.raises(error, match=message):
        call(cp.ElementwiseKernel(*SQUARED))


def test_raw_number():
    """A number for a raw parameter is its value, an array is indexed: different kernels."""
    code = "out[i] = label == background ? other[0] : scale * (label % most)"
    kernel = cp.ElementwiseKernel(
        "T label, raw T background, raw int32 most, raw F scale, raw F other",
        "raw F out",
        code,
        "colour",
    )
    label, out = cp.arange(6), cp.zeros(6, "f4")
    kernel(label, 3, np.int64(2), 0.5, cp.full(1, 9, "f4"), out)
    assert out.get().tolist() == [0, 0.5, 0, 9, 0, 0.5]
    scaled = cp.ElementwiseKernel("raw T x, raw T y", "T z", "z = x[i] * y", "scaled")
    assert scaled(cp.arange(3.0), 2, size=3).get().tolist() == [0, 2, 4]
    assert scaled(cp.arange(3) + 1j, 2j, size=3).get().tolist() == [-2, -2 + 2j, -2 + 4j]
    taken = cp.ElementwiseKernel("raw T x, raw T y", "T z", "z = x[i] * y[0]", "scaled_by_first")
    assert taken(cp.arange(3.0), cp.full(1, 2.0), size=3).get().tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match="'y' must be a gpunp array or a number, not str"):
        scaled(cp.arange(3.0), "2", size=3)
    with pytest.raises(ValueError, match="size is undecided"):
        scaled(cp.arange(3.0), 2)


@pytest.mark.parametrize("reduce_dims", [True, False])
def test_arrays_of_elements_as_a_whole(reduce_dims):
    """CuPy's name for the array of a parameter that is not raw: _raw_NAME, broadcast."""
    code = """
    int rows = _raw_result.shape()[0], columns = _raw_result.shape()[1];
    ptrdiff_t at[2] = {i / columns, i % columns};
    result = _raw_x[at] * 100 + _raw_weight[at] * 10 + rows + _raw_weight.strides()[0] + 0 * x;
    """
    kernel = cp.ElementwiseKernel(
        "T x, T weight", "T result", code, "whole", reduce_dims=reduce_dims
    )
    x, row = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    out = cp.zeros((4, 3)).T
    assert kernel(cp.asarray(x), cp.asarray(row), out) is out
    np.testing.assert_array_equal(out.get(), x * 100 + row * 10 + 3)
    columns = np.arange(12.0).reshape(4, 3).T
    actual = kernel(cp.asarray(x), cp.asarray(columns.T.copy()).T)
    np.testing.assert_array_equal(actual.get(), x * 100 + columns * 10 + 3 + 8)


def test_type_traits():
    code = "typename cupy::type_traits::conditional<cupy::type_traits::is_same<T, double>::value, {}>::type half = 1.5; y = half"
    kernel = cp.ElementwiseKernel("T x", "float64 y", code.format("double, int"))
    assert (kernel(cp.ones(1))[0], kernel(cp.ones(1, "f4"))[0]) == (1.5, 1)
    traits = cp.ElementwiseKernel(
        "T x", "int32 y",
        "typename std::make_unsigned<T>::type u = x;"
        "y = std::is_signed<T>::value + 2 * std::is_same<T, int>::value + 4 * std::is_integral<const T>::value"
        " + 8 * std::is_floating_point<float>::value + 16 * (u > 0) + (int)CUDART_PI * 100",
        "traits", preamble="#include <cupy/cuda_workaround.h>\n#include <cupy/math_constants.h>",
    )  # fmt: skip
    assert (traits(-cp.ones(1, "i4"))[0], traits(cp.ones(1, "u8"))[0]) == (331, 328)


def test_raw_without_size():
    kernel = cp.ElementwiseKernel("raw T x", "raw T z", "z[i] = x[i]", "copy")
    with pytest.raises(ValueError, match=r"size is undecided.*\(x, z\) are raw"):
        kernel(cp.ones(3), cp.ones(3))
    two = cp.ElementwiseKernel("T x", "raw T z", "z[i] = x", "copy")
    with pytest.raises(ValueError, match="'z' is raw: pass it, or size="):
        two(cp.ones(3))


def test_raw_output_of_a_size():
    kernel = cp.ElementwiseKernel("raw T x", "raw T z", "z[i] = x[i] + 1", "more")
    result = kernel(cp.arange(6.0), size=4)
    assert result.get().tolist() == [1, 2, 3, 4]
    index = cp.ElementwiseKernel("", "raw int32 z", "z[i] = i", "index")
    assert index(size=(2, 3)).get().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_typed_parameter_refuses_other_dtypes():
    kernel = cp.ElementwiseKernel("float32 x", "float32 z", "z = x")
    with pytest.raises(TypeError, match="'x' is int64, the kernel takes float32"):
        kernel(cp.arange(3))


def test_compile_errors_show_the_users_lines():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x;\ny = undefined_thing", "faulty")
    with pytest.raises(cp.cuda.compiler.CompileException) as caught:
        kernel(cp.arange(3))
    text = str(caught.value)
    assert 'faulty(2): error: identifier "undefined_thing"' in text
    assert "namespace" not in text


def test_read_only_output():
    z = cp.ones(3)
    z.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cp.ElementwiseKernel(*SQUARED)(cp.ones(3), 1, z)


def test_passed_output_widens_the_loop():
    """Inputs are broadcast to outputs that are larger, also where all but scalars are raw."""
    fill = cp.ElementwiseKernel("T x", "T y", "y = x + i", "fill")
    y = cp.zeros((3, 4), "i8")
    fill(cp.arange(3).reshape(3, 1) * 100, y)
    assert (y.get() == np.arange(3).reshape(3, 1) * 100 + np.arange(12).reshape(3, 4)).all()
    pad = cp.ElementwiseKernel(
        "raw T x, S length, int32 width",
        "T y",
        "int k = i % width; y = k < length ? x[k] : T(-1)",
        "pad",
    )
    y = cp.empty((2, 5))
    pad(cp.arange(5.0), cp.asarray([[2], [4]]), 5, y)
    assert y.get().tolist() == [[0, 1, -1, -1, -1], [0, 1, 2, 3, -1]]
    with pytest.raises(
        ValueError, match=r"output 'y' has shape \(3, 1\), the loop has shape \(3, 4\)"
    ):
        fill(cp.zeros((3, 4)), cp.zeros((3, 1)))


@pytest.mark.parametrize(
    "code", ["y = x * n", "y = x * n + 0 * _ind.size()", "_ind.get(); y = x * n"]
)
def test_parameter_called_n(code):
    kernel = cp.ElementwiseKernel("T x, int32 n", "T y", code, "times")
    assert kernel(cp.arange(4), 3).get().tolist() == [0, 3, 6, 9]


def test_raw_parameter_called_n():
    kernel = cp.ElementwiseKernel("raw T n", "T y", "y = n[i] + n.size()", "raw_n")
    assert kernel(cp.arange(4), cp.empty(4, "i8")).get().tolist() == [4, 5, 6, 7]


def test_complex_numbers_name_their_parts_type():
    code = "T::value_type *part = reinterpret_cast<T::value_type *>(&y[0]); atomicAdd(part, x.real()); atomicAdd(part + 1, x.imag());"
    kernel = cp.ElementwiseKernel("T x", "raw T y", code, "total")
    for dtype in ("F", "D"):
        y = cp.zeros(1, dtype)
        kernel(cp.asarray([1 + 2j, 3 - 5j], dtype), y)
        assert y.item() == 4 - 3j


def test_outputs_and_inputs_that_overlap_are_copied_on_the_stream_given():
    stream, opened = cp.cuda.Stream(non_blocking=True), threading.Event()
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x * 3")
    x = cp.arange(1000.0)
    kernel(x[:-1].copy(), x[1:].copy(), stream=stream)
    cp.cuda.Stream.null.synchronize()
    stream.launch_host_func(lambda _: opened.wait(20), None)
    with stream:
        x += 1
    kernel(x[:-1], x[1:], stream=stream)
    opened.set()
    stream.synchronize()
    assert x.tolist() == [1.0] + [3.0 * (k + 1) for k in range(999)]


def test_unaligned_output_of_another_library():
    class Foreign:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    memory = cp.zeros(17, "u1")
    double = cp.ElementwiseKernel("T x", "T y", "y = x * 2", "doubles")
    result = double(cp.arange(4, dtype="f4"), Foreign(memory[1:].view("f4")))
    assert result.get().tolist() == [0, 2, 4, 6]
    assert memory.get()[1:].view("f4").tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("option", ["-std=c++11", "--std=c++14", "-std=c++20"])
def test_a_dialect_of_the_users(option):
    """Programs written for CUDA 11 ask for less than the headers around the code need."""
    halve = cp.ElementwiseKernel("T x", "T y", "y = x / 2", "halve", options=(option,))
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total", options=(option,))
    x = cp.arange(6.0)
    np.testing.assert_array_equal(halve(x).get(), x.get() / 2)
    assert total(x) == 15

"""jit.rawkernel: launching, statements, functions called."""

import math

import numpy as np
import pytest
from check import assert_same

import gpunp as cp
from gpunp import jit


@jit.rawkernel()
def copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


LAUNCHES = [
    lambda *args: copy((2,), (32,), args),
    lambda *args: copy(2, 32, args),
    lambda *args: copy((2, 1, 1), (32, 1), list(args), shared_mem=16, stream=None),
    lambda *args: copy(grid=(2,), block=(32,), args=args),
    lambda *args: copy[2, 32](*args),
    lambda *args: copy[(2,), (32, 1, 1)](*args),
    lambda *args: copy[2, 32, 64](*args),
    lambda *args: copy[2, 32, 0, cp.cuda.Stream.null](*args),
]


@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("size", [100, np.uint32(100), np.int64(100)], ids=repr)
def test_spellings_of_a_launch(launch, size):
    x, y = cp.arange(100, dtype="f4"), cp.zeros(100, "f4")
    assert launch(x, y, size) is None
    assert_same(y, x.get())


def test_stream():
    stream = cp.cuda.Stream(non_blocking=True)
    x, y = cp.arange(100, dtype="f4"), cp.zeros(100, "f4")
    cp.cuda.Stream.null.synchronize()
    copy[1, 32, 0, stream](x, y, 100)
    stream.synchronize()
    assert_same(y, x.get())


def test_compiled_once_for_each_list_of_types():
    @jit.rawkernel()
    def f(x, n):
        x[0] = n

    x = cp.zeros(1)
    for n in (1, 2, np.float32(1), 2.5, 3.5, True, 2**40):
        f[1, 1](x, n)
        assert x.item() == n
    assert len(f.cached_codes) == 5
    assert "extern" in f.cached_code and f.__name__ == "f"


# ---- statements ----------------------------------------------------------------------------------------


def run(function, *arrays, threads=1, mode="cuda"):
    """Launch a function as one block; give its arguments back as NumPy arrays."""
    given = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays]
    jit.rawkernel(mode=mode)(function)[1, threads](*given)
    return [a.get() if isinstance(a, cp.ndarray) else a for a in given]


def same_as_python(function, *arrays):
    """A kernel of one thread does to the arrays what Python does."""
    ours = run(function, *[a.copy() if isinstance(a, np.ndarray) else a for a in arrays])
    function(*arrays)
    for mine, theirs in zip(ours, arrays, strict=True):
        assert_same(mine, theirs)


def test_while_break_continue():
    def f(out):
        i = 0
        n = 0
        while True:
            i += 1
            if i % 3 == 0:
                continue
            if i > 20:
                break
            n += i
        out[0] = n
        out[1] = i

    same_as_python(f, np.zeros(2, "i4"))


@pytest.mark.parametrize("bounds", [(7,), (2, 9), (9, 2, -1), (0, 20, 3), (5, 5), (3, -4, -2)])
def test_for_range(bounds):
    def f(out, *bounds):
        n = 0
        for i in range(*bounds):
            out[n] = i
            n += 1

    same_as_python(f, np.full(30, -99), *bounds)


def test_unroll_keeps_the_meaning():
    def f(out):
        total = 0
        for i in jit.range(8, unroll=True):
            total += i
        for i in jit.range(0, 8, 2, unroll=4):
            total += i
        for i in jit.range(3, unroll=False):
            total += i
        out[0] = total

    assert run(f, np.zeros(1, "i4"))[0] == 28 + 12 + 3
    kernel = jit.rawkernel()(f)
    kernel[1, 1](cp.zeros(1, "i4"))
    assert kernel.cached_code.count("#pragma unroll") == 3


def test_the_counter_is_a_copy():
    def f(out):
        n = 0
        for i in range(5):
            i += 100
            n += 1
        out[0] = i
        out[1] = n

    same_as_python(f, np.zeros(2, "i8"))


def test_unsigned_counters_go_down():
    def f(out, n):
        k = 0
        for i in range(n - 1, -1, -1):
            out[k] = i
            k += 1

    assert run(f, np.zeros(5, "i4"), np.uint32(5))[0].tolist() == [4, 3, 2, 1, 0]


def test_if_elif_else_and_chains():
    def f(x, out):
        for i in range(x.size):
            if x[i] < -1:
                out[i] = 1
            elif -1 <= x[i] < 1:
                out[i] = 2
            elif not (x[i] > 5 or x[i] == 3) and x[i] != 4:
                out[i] = 3
            else:
                out[i] = 4 if x[i] == 3 else 5

    same_as_python(f, np.array([-3.0, -1, 0, 1, 2, 3, 4, 6]), np.zeros(8, "i4"))


def test_tuples_and_swaps():
    def f(out):
        a, b = 1, 2
        for _ in range(3):
            a, b = b, a + b
        (c, d), e = (a, b), 7
        t = (c, e)
        c = 100
        out[0], out[1] = t[1], t[0]
        out[2] = d
        p = q = a * 2
        out[3] = p + q

    same_as_python(f, np.zeros(4, "i4"))


def test_loop_over_a_tuple():
    def f(x, out):
        total = 0
        for dx in (-1, 0, 1):
            if dx == 0:
                continue
            for dy in (x[0], x[1] + 0.5, 2):
                total += dx * dy + dy
        out[0] = total

    same_as_python(f, np.array([1.5, 2.5]), np.zeros(1))


def test_variables_of_branches_and_loops():
    def f(x, out):
        for i in range(x.size):
            if i > 0:
                out[i] = previous
            else:
                out[i] = -1.0
            previous = x[i]

    same_as_python(f, np.arange(5.0), np.zeros(5))


def test_update_in_place():
    def f(x):
        x[0] += 2
        x[1] -= x[0]
        x[2] *= x[1]
        x[3] /= 4
        x[4] //= 3
        x[5] %= 4
        x[6] **= 2
        y = x[0]
        y += 1
        x[7] = y

    same_as_python(f, np.arange(1.0, 9))


def test_integers_update_in_place():
    def f(x):
        x[0] <<= 3
        x[1] >>= 1
        x[2] &= 6
        x[3] |= 8
        x[4] ^= 5
        x[5] //= -2
        x[6] %= -4
        x[7] = -x[7] + ~x[6]

    same_as_python(f, np.arange(1, 9))


def test_assert_and_print(capfd):
    def f(x):
        print("x is", x[0], 7, end=";\n")
        assert x[0] == 2.5, "never"

    run(f, np.array([2.5]))
    cp.cuda.Device().synchronize()
    assert "x is 2.5 7;" in capfd.readouterr().out


def test_docstring_annotation_and_pass():
    def f(x):
        """Do little."""
        value: float = x[0] * 2
        pass
        x[0] = value
        return

    same_as_python(f, np.array([3.0]))


def test_conditions_known_now():
    def f(x, scale, flag):
        if scale is None:
            x[0] = 1
        elif x.ndim == 2:
            x[0, 0] = scale
        if flag == "never":
            undefined_name(x)

    assert run(f, np.zeros(1), None, None)[0].tolist() == [1.0]
    assert run(f, np.zeros((1, 1)), 5, None)[0].tolist() == [[5.0]]


# ---- arrays ------------------------------------------------------------------------------------------------


def test_attributes_of_arrays():
    def f(x, out):
        out[0] = x.size
        out[1] = x.ndim
        out[2] = x.shape[0]
        out[3] = x.shape[1]
        out[4] = x.strides[0]
        out[5] = len(x)
        rows, columns = x.shape
        out[6] = rows * 10 + columns
        out[7] = x.dtype.itemsize
        out[8] = x.strides[-1]
        out[9] = x.nbytes

    same_as_python(f, np.zeros((3, 4), "f4"), np.zeros(10, "i8"))


VIEWS = {
    "C": lambda xp, a: a,
    "F": lambda xp, a: a.T,
    "strided": lambda xp, a: a[::2, ::3],
    "reversed": lambda xp, a: a[::-1, ::-1],
    "broadcast": lambda xp, a: xp.broadcast_to(a[1], (3, 6)),
}


@pytest.mark.parametrize("layout", VIEWS)
def test_layouts(layout):
    base = np.arange(24.0).reshape(4, 6)
    ours = VIEWS[layout](cp, cp.asarray(base))
    out = cp.zeros(ours.shape)

    @jit.rawkernel()
    def f(x, y):
        i, j = jit.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            y[i, j] = x[i, j] + 100 * x[-1, -1]

    f[1, (8, 8)](ours, out)
    theirs = VIEWS[layout](np, base)
    assert_same(out, theirs + 100 * theirs[-1, -1], order=False)


def test_views_of_arrays():
    def f(x, out):
        for i in range(x.shape[0]):
            row = x[i]
            for j in range(len(row)):
                line = row[j]
                out[i, j] = line[0] * 10 + x[i][j][1] + row[-1, -1]

    same_as_python(f, np.arange(24.0).reshape(2, 3, 4), np.zeros((2, 3)))
    ours = cp.arange(24.0).reshape(2, 3, 4)[:, ::-1, ::2]
    out = cp.zeros((2, 3))
    jit.rawkernel()(f)[1, 1](ours, out)
    expected = np.zeros((2, 3))
    f(ours.get(), expected)
    assert_same(out, expected)


def test_no_dimensions():
    def f(x, y):
        y[()] = x[()] + 1
        y[()] += x

    ours = [cp.array(2.5), cp.array(0.0)]
    jit.rawkernel()(f)[1, 1](*ours)
    assert ours[1].item() == 6.0


@pytest.mark.parametrize(
    "dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "F", "D"]
)
def test_every_dtype_is_loaded_and_stored(dtype):
    def f(x, y):
        i = jit.grid(1)
        if i < x.size:
            y[i] = x[i]

    x = np.array([0, 1, 2, 3, 100], dtype)
    assert_same(run(f, x, np.zeros_like(x), threads=8)[1], x)


def test_bfloat16():
    def f(x, y):
        i = jit.grid(1)
        y[i] = x[i] * 2 + 0.5

    x = cp.arange(8).astype(cp.bfloat16)
    y = cp.zeros_like(x)
    jit.rawkernel()(f)[1, 8](x, y)
    assert y.astype("f4").tolist() == [2 * i + 0.5 for i in range(8)]


def test_large_offsets_take_64_bits():
    @jit.rawkernel()
    def f(x, y, i):
        y[i] = x[i, 1] + 7

    x = cp.broadcast_to(cp.arange(2, dtype="i1"), (2**31, 2))
    y = cp.zeros(3, "i1")
    f[1, 1](x, y, 2)
    assert "false, i32>" in f.cached_code and y.tolist() == [0, 0, 8]
    memory = cp.cuda.UnownedMemory(x.data.ptr, 2**32, x)
    big = cp.ndarray((2, 2), "i1", cp.cuda.MemoryPointer(memory, 0), strides=(2**31, 1))
    f(1, 1, (big, y, 0))
    assert any("false, i64>" in code for code in f.cached_codes.values())
    assert y.tolist() == [8, 0, 8]


# ---- functions -----------------------------------------------------------------------------------------------


@jit.rawkernel(device=True)
def add(a, b):
    return a + b


@jit.rawkernel(device=True)
def add_twice(a, b):
    return add(add(a, b), b)


def plain(a, b=10):
    if b > 5:
        return a * b
    return a - b


square = lambda v: v * v  # noqa: E731


def test_device_functions():
    def f(x):
        x[0] = add_twice(x[0], 1)
        x[1] = plain(x[1]) + plain(x[1], 2) + plain(a=x[1], b=7)
        x[2] = square(x[2])
        x[3] = add(x[3], x[0])

    x = np.array([1.0, 2, 3, 4])
    ours = run(f, x)[0]
    assert ours.tolist() == [3.0, 20.0 + 0 + 14, 9.0, 7.0]


def test_device_functions_take_arrays_and_write():
    def fill(x, value):
        for i in range(x.size):
            x[i] = value

    def f(x):
        for i in range(x.shape[0]):
            fill(x[i], i)

    assert run(f, np.zeros((3, 2)))[0].tolist() == [[0, 0], [1, 1], [2, 2]]


def test_functions_given_as_arguments():
    def apply(function, x):
        return function(x) + 1

    def f(x):
        x[0] = apply(square, x[0])
        x[1] = apply(math.sqrt, x[1])

    assert run(f, np.array([3.0, 16.0]))[0].tolist() == [10.0, 5.0]


def test_closures_over_constants():
    block, weights, dtype = 4, (1.5, 2.5), np.float64

    def f(x):
        shared = jit.shared_memory(dtype, block * 2)
        shared[block] = weights[1]
        x[0] = shared[block] + weights[0] + dtype(1)

    assert run(f, np.zeros(1))[0].tolist() == [5.0]


def test_default_arguments_of_a_kernel():
    def f(x, value=4.5):
        x[0] = value

    assert run(f, np.zeros(1))[0].tolist() == [4.5]
    assert run(f, np.zeros(1), 2)[0].tolist() == [2.0]


def test_a_device_function_is_not_called_from_python():
    with pytest.raises(TypeError, match="only kernels call it"):
        add(1, 2)
    with pytest.raises(RuntimeError, match="only inside a kernel"):
        jit.syncthreads()


def test_functions_give_several_values():
    def both(a, b):
        if a > b:
            return a, b
        return b, 0.5

    def f(x):
        high, low = both(x[0], x[1])
        pair = both(high, low)
        x[0], x[1] = pair
        x[2] = both(1, 2)[0] + len(pair)

    assert run(f, np.array([1.0, 2.0, 0.0]))[0].tolist() == [2.0, 0.5, 4.0]


STEPS = range(1, 8, 3)
OFFSETS = (-1, 0, 2.5)
WEIGHTS = np.array([1, 2, 4], np.float32)


def test_tables_and_ranges_from_outside():
    def f(x, out):
        total = 0.0
        for i in STEPS:
            total += i
        for k in range(3):
            total += OFFSETS[k] * WEIGHTS[k] + (7, 8, 9)[k]
        x[0] = total

    same_as_python(f, np.zeros(1), np.zeros(1))


def test_counters_do_not_overflow():
    @jit.rawkernel()
    def f(out, start, stop, step):
        n = 0
        for i in range(start, stop, step):
            out[0] = i
            n += 1
        out[1] = n

    out = cp.zeros(2, "i8")
    for dtype, top in ((np.int32, 2**31 - 1), (np.uint32, 2**32 - 1)):
        f[1, 1](out, dtype(top - 10), dtype(top), dtype(7))
        assert out.tolist() == [top - 3, 2]


@pytest.mark.parametrize(
    "name", ["exp", "double", "template", "Array", "threadIdx", "Ω", "main", "f"]
)
def test_a_kernel_may_have_any_name(name):
    space = {}
    source = f"def {name}(x):\n    x[0] = 5\n"
    exec(source, space)
    x = cp.zeros(1)
    jit.rawkernel()(space[name])[1, 1](x)
    assert x.item() == 5


def test_variables_may_have_any_name():
    def f(n, out, double, template):
        n += 1
        min = n * 2
        new = double + template
        größe = new + min
        n = größe * 1.5
        out[0] = n

    same_as_python(f, 2, np.zeros(1), 3, np.int64(4))


def test_functions_made_in_a_loop():
    results = []
    for g in [lambda v: v + 1, lambda v: v * 2]:

        @jit.rawkernel()
        def f(x):
            x[0] = g(x[0])

        x = cp.array([3.0])
        f[1, 1](x)
        results.append(x.item())
    assert results == [4.0, 6.0]


def test_numbers_as_conditions():
    def f(x, a, b):
        k = 3
        while k:
            k -= 1
        x[0] = a and b
        x[1] = a or b
        x[2] = k if not b else -1
        x[3] = (a > 1) & (b < 1) | (a == 5)

    same_as_python(f, np.zeros(4), 2, 0.5)


def test_launches_are_captured():
    @jit.rawkernel()
    def f(x, v):
        i = jit.grid(1)
        if i < x.size:
            x[i] += v

    x = cp.zeros(64, "f4")
    f[1, 64](x, np.float32(0))
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        f[1, 64](x, np.float32(2))
        graph = stream.end_capture()
    del f
    for _ in range(2):
        graph.launch(stream)
    stream.synchronize()
    assert x.tolist() == [4.0] * 64

"""Lazy mode: eager mode's bits, few kernels, and what it does with everything else."""

import contextlib
import subprocess
import sys
import threading

import child
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpunp as cp
from gpunp import _C


def bits(x):
    return x.dtype, x.shape, x.strides, x.get().tobytes()


@contextlib.contextmanager
def mode(number):
    """As GPUNP_LAZY: 1 runs what is new as eager mode does, 2 groups it at once."""
    before = _C._lazy_mode(number)
    try:
        yield
    finally:
        _C._lazy_mode(before)


@pytest.fixture(autouse=True)
def everything_is_recorded():
    with mode(2):
        yield


def assert_like_eager(function, *arrays):
    """The same results, and the same arguments afterwards, in both modes.

    The first time the commands run one by one, then grouped, then by the groups that are known.
    """
    eager_args = [a.copy() for a in arrays]
    eager = function(*eager_args)
    eager = eager if isinstance(eager, tuple) else (eager,)
    for number in (1, 2, 2):
        lazy_args = [a.copy() for a in arrays]
        with mode(number), cp.lazy():
            lazy = function(*lazy_args)
        lazy = lazy if isinstance(lazy, tuple) else (lazy,)
        for x, y in zip((*eager, *eager_args), (*lazy, *lazy_args), strict=True):
            assert bits(x) == bits(y)


def softmax(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalise(x):
    mean = x.mean(axis=0)
    d = x - mean
    s = cp.sqrt((d * d).mean(axis=0))
    return d / s, mean, s


def in_place(x):
    x += 1
    y = x * 2
    x *= y
    x -= x.mean()
    return x, y


def through_half(x):
    x = x.astype("f2")
    y = x * x + x
    return y.astype("f4") * y, cp.where(y > 1, x, -x)


def shifted_writes(x):
    x = x.reshape(-1)
    y = x[1:] * 2
    x[:-1] = y
    z = x + 1
    x[1:] = z[:-1]
    return x, z


def complex_numbers(x):
    z = x + 1j * x
    return cp.abs(cp.exp(z) * z), z


def many(x):
    for i in range(100):
        x = x * 1.01 + i
    return x


FUNCTIONS = {
    "chain": lambda x: cp.tanh(cp.sin(x) + 0.1 * x),
    "total": lambda x: cp.sum((x - 1) * (x - 1)),
    "columns": lambda x: cp.sum((x - 1) * (x - 1), axis=0),
    "rows": lambda x: cp.sum((x - 1) * (x - 1), axis=1),
    "any": lambda x: ((x > 0.99).any(axis=1), (x > 2).all(), cp.count_nonzero(x > 0.5, axis=0)),
    "softmax": softmax,
    "normalise": normalise,
    "in place": in_place,
    "half": through_half,
    "shifted": shifted_writes,
    "transposed": lambda x: (x.T + x.T.copy()) * 2,
    "reduce transposed": lambda x: (x.T * 2).sum(axis=0),
    "two outputs": lambda x: cp.divmod(x * 10, 3),
    "clip": lambda x: cp.clip(x * 3, 1, 2) + cp.nan_to_num(x),
    "outer": lambda x: (x[0][:, None] * x[1]).sum(axis=1),
    "scan": lambda x: cp.cumsum(x * 2) + x.reshape(-1),
    "mask": lambda x: (x * 2)[x > 0.5],
    "slices": lambda x: x[:30:2] * 2 + x[1:30:2],
    "var": lambda x: (x.var(axis=0) * 2, x.argmax(), (x * 2).argmax(axis=1)),
    "product": lambda x: x @ x.T + 1,
    "complex": complex_numbers,
    "many": many,
    "empty": lambda x: ((x[:0] * 2).sum(axis=0), x[:0] + 1),
    "scalar": lambda x: (x.sum() * 2 + 1, x / x.sum()),
    "out": lambda x: cp.add(x, 1, out=x[::-1]),
    "user kernel": lambda x: cp.ElementwiseKernel("T x", "T y", "y = x * 3")(x + 1) * 2,
    "concatenate": lambda x: cp.concatenate([x + 1, x * 2]) * 3,
    "sort": lambda x: cp.sort(x * 2, axis=0) + 1,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(30, 40), (61, 33)])
def test_bits_of_eager_mode(name, shape, rng):
    assert_like_eager(FUNCTIONS[name], cp.asarray(rng.random(shape).astype("f4")))


@pytest.mark.parametrize("name", ["rows", "columns", "total", "softmax", "normalise"])
def test_bits_of_long_reductions(name, rng):
    for shape in [(3, 30000), (30000, 3)]:
        assert_like_eager(FUNCTIONS[name], cp.asarray(rng.random(shape).astype("f4")))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_dtypes(dtype):
    x = cp.asarray(np.array([[0, 1, 2], [3, 1, 0]]).astype(dtype))
    assert_like_eager(lambda x: (x * x + x, (x * x).sum(axis=1), (x + x).astype("f4") * x), x)


def layer_norm(x, scale, shift):
    mean = x.mean(axis=-1, keepdims=True)
    d = x - mean
    sigma = cp.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)
    return d / sigma * scale + shift, mean


def rows_in_place(x, scale, shift):
    x -= x.max(axis=-1, keepdims=True)
    x *= scale
    return x / cp.abs(x).sum(axis=-1, keepdims=True) + shift


def rows_of_two_kinds(x, scale, shift):
    top = x.max(axis=-1)
    low = x.min(axis=-1)
    span = top - low
    return (x - low[..., None]) / span[..., None], span, (x > top[..., None] * 0.5).sum(axis=-1)


@pytest.mark.parametrize("function", [layer_norm, rows_in_place, rows_of_two_kinds])
@pytest.mark.parametrize("shape", [(5, 7), (3, 4, 130), (40, 1000), (6, 4099), (1, 64), (2, 9000)])
@pytest.mark.parametrize("dtype", ["f4", "f2", "f8"])
def test_rows(function, shape, dtype, rng):
    x = cp.asarray(rng.random(shape).astype(dtype))
    scale, shift = (cp.asarray(rng.random(shape[-1]).astype(dtype)) for _ in range(2))
    assert_like_eager(function, x, scale, shift)


def test_rows_of_a_view(rng):
    x = cp.asarray(rng.random((60, 81)).astype("f4"))
    for take in (lambda x: x[:, 1:], lambda x: x[::2, ::-1], lambda x: x.T):
        assert_like_eager(lambda x, take=take: softmax(take(x)), x)


@pytest.mark.parametrize("function", [layer_norm, rows_in_place, rows_of_two_kinds])
@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "i1"])
def test_rows_that_start_anywhere(function, dtype, rng):
    """Rows in wide accesses although they do not start at their boundaries."""
    whole = cp.asarray((rng.random((4, 1101)) * 9 + 1).astype(dtype))
    if function is rows_in_place and dtype == "i1":
        pytest.skip("divides in place")
    for columns in (slice(1101), slice(3, 1100), slice(8, 1033)):
        scale, shift = whole[0, columns] * 1, whole[1, columns] * 1
        assert_like_eager(function, whole[:, columns], scale, shift)
        assert_like_eager(
            lambda x, s, t: function(x * s, s, t)[0], whole[1:, columns], scale, shift
        )


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "i1", "c8", "?"])
def test_sums_of_rows_that_start_anywhere(dtype, rng):
    whole = cp.asarray((rng.random((5, 1101)) * 9).astype(dtype))
    for columns in (slice(1101), slice(1, 1101), slice(8, 1040)):
        x = whole[:, columns]
        assert_like_eager(lambda x, y: (x * y + x).sum(axis=1), x, x[0].copy())
        assert_like_eager(lambda x: ((x + x) != x).any(axis=1), x)
        assert_like_eager(lambda x: (x + x).sum(), x)
        assert_like_eager(lambda x: (x[0] * x[1:]).sum(axis=1), x)
    long = cp.asarray((rng.random(2 * 300_001) * 9).astype(dtype)).reshape(2, -1)
    assert_like_eager(lambda x: (x + x).sum(axis=1), long)


@pytest.mark.parametrize("function, kernels", [(softmax, 1), (lambda x: (x * x).sum(axis=1), 1)])
def test_rows_that_start_anywhere_are_one_kernel(function, kernels, rng):
    fused = cp.fuse(function)
    x = cp.asarray(rng.random((4, 1003)).astype("f4"))
    fused(x)
    assert fused._nkernels == kernels


def test_softmax_is_one_kernel(rng):
    fused = cp.fuse(softmax)
    x = cp.asarray(rng.random((50, 60)).astype("f4"))
    fused(x)
    assert fused._nkernels == 1
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    cp.cuda.Device().synchronize()
    results = [fused(x) for _ in range(4)]  # nothing is kept but the results
    assert pool.used_bytes() - before <= 4 * 16384 and len(results) == 4


UNARY = ["negative", "sqrt", "exp", "sin", "floor", "square", "absolute"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum", "arctan2", "greater"]


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_random_chains(data):
    """Chains of ufuncs, casts, broadcasts, in-place updates and reductions."""
    start = [
        np.linspace(-2, 3, 12, dtype="f4").reshape(3, 4),
        np.arange(4, dtype="f8"),
        np.arange(3, dtype="i4")[:, None],
    ]
    steps = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from(["unary", "binary", "cast", "reduce", "in place", "view"]),
                st.integers(0, 20), st.integers(0, 20), st.integers(0, 20),
            ),
            min_size=2, max_size=12,
        )
    )  # fmt: skip

    def function(*arrays):
        values = list(arrays)
        for kind, i, j, k in steps:
            x, y = values[i % len(values)], values[j % len(values)]
            if kind == "unary":
                values.append(getattr(cp, UNARY[k % len(UNARY)])(x * 1.0))
            elif kind == "binary":
                values.append(getattr(cp, BINARY[k % len(BINARY)])(x * 1.0, y))
            elif kind == "cast":
                values.append(x.astype(["f2", "f4", "f8", "i4"][k % 4]))
            elif kind == "reduce" and x.ndim:
                values.append((x * 1.5).sum(axis=k % x.ndim, keepdims=True))
            elif kind == "view" and x.ndim:
                values.append(x[::-1])
            elif kind == "in place" and x.dtype.kind == "f" and y.ndim == 0:
                x += y
        return tuple(values[3:])

    with np.errstate(all="ignore"):
        assert_like_eager(function, *(cp.asarray(x) for x in start))


def test_values_are_there_when_needed():
    a = cp.arange(5.0)
    with cp.lazy():
        b = a * 2 + 1
        assert b.get().tolist() == [1, 3, 5, 7, 9]
        c = b * 2
        assert float(c[1]) == 6
        d = c + 1
        cp.cuda.Device().synchronize()
        assert cp.asnumpy(d).tolist() == [3, 7, 11, 15, 19]
        e = d + 1
        assert e.sum().item() == 60
        f = e + 1
        host = np.empty(5)
        e.data.copy_to_host(host.ctypes.data, 40)
        assert host.tolist() == [4, 8, 12, 16, 20]
        g = cp.ndarray((5,), "f8", f.data)
    assert g.get().tolist() == [5, 9, 13, 17, 21]


def test_values_after_the_context_is_left_by_an_error():
    a = cp.arange(3.0)
    with pytest.raises(ValueError, match="broadcast"), cp.lazy():
        b = a + 1
        b + cp.arange(4.0)
    assert b.get().tolist() == [1, 2, 3]
    assert (b * 2).get().tolist() == [2, 4, 6]


def test_contexts_nest():
    a = cp.arange(3.0)
    with cp.lazy():
        b = a + 1
        with cp.lazy():
            c = b * 2
        d = c + a
    assert d.get().tolist() == [2, 5, 8]


def test_sources_may_go():
    with cp.lazy():
        a = cp.arange(1000.0)
        b = a * 2
        del a
        c = cp.zeros(1000) + 1
        d = b + c
        del b, c
    assert d.get().tolist() == [2 * i + 1 for i in range(1000)]


def test_streams():
    a = cp.arange(5.0)
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Stream.null.synchronize()
    with cp.lazy():
        with stream:
            b = a * 2
        stream.synchronize()
        c = b + 1
    assert c.get().tolist() == [1, 3, 5, 7, 9]


def test_other_threads_work_meanwhile():
    a = cp.arange(5.0)
    found = []

    def work():
        found.append((a * 3).get().tolist())
        with pytest.raises(RuntimeError, match="another thread"), cp.lazy():
            pass

    with cp.lazy():
        b = a * 2
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == [[0, 3, 6, 9, 12]] and b.get().tolist() == [0, 2, 4, 6, 8]


def test_neighbours_memory():
    class View:
        def __init__(self, array):
            self.array = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    base = cp.arange(6.0)
    whole, part = cp.asarray(View(base)), cp.asarray(View(base[1:]))
    with cp.lazy():
        whole += 1
        part *= 10
        result = whole + 0
    assert result.get().tolist() == [1, 20, 30, 40, 50, 60]


@pytest.mark.parametrize("foreign_first", [False, True])
def test_one_memory_in_two_blocks(foreign_first):
    mine = cp.arange(4.0)
    other = cp.from_dlpack(mine)
    a, b = (other, mine) if foreign_first else (mine, other)
    with cp.lazy():
        a += 1
        c = b * 2
    assert c.get().tolist() == [2, 4, 6, 8]


def long_rounds(xp, rounds, reduce_every=0):
    """A loop of 23 commands, which neither divide 64 nor follow from a shorter sequence."""
    a, b = xp.linspace(0, 1, 33), xp.linspace(1, 2, 33)
    for i in range(rounds):
        for _ in range(3):
            c = a * 0.5 + b * 0.25
            a, b = b - c * 0.125, xp.sqrt(abs(c) + a * a)
        a = xp.minimum(a, 2.0)
        if reduce_every and i % reduce_every == 0:
            a = a - a.mean()
    return a + b


def test_rounds_of_a_loop_share_kernels():
    """The cuts of 64 commands fall on other places in each round; kernels must not differ so."""
    with cp.lazy():
        long_rounds(cp, 12)
    made = _C._kernel_count()
    with cp.lazy():
        long_rounds(cp, 100)
    assert _C._kernel_count() - made <= 4  # what is left over behind the last whole round


@pytest.mark.parametrize("every", [0, 5, 7])
def test_loops_give_the_bits_of_eager_mode(every):
    eager = long_rounds(cp, 40, every)
    with cp.lazy():
        lazy = long_rounds(cp, 40, every)
    assert cp.asnumpy(eager).tobytes() == cp.asnumpy(lazy).tobytes()


def test_numbers_and_places_may_differ():
    """One structure, whatever the numbers and the rows."""

    def step(x, i, number):
        x[i + 1] = x[i] * number + number
        return (x[i] * number).sum(), x[i + 1] - number

    for i, number in [(0, 2.0), (3, 0.5), (1, 2.0), (2, -1.0)]:
        x = cp.arange(40.0).reshape(5, 8)
        y = x.copy()
        expected = step(x, i, number)
        made = _C._kernel_count()
        with cp.lazy():
            result = step(y, i, number)
        for a, b in zip((x, *expected), (y, *result), strict=True):
            assert bits(a) == bits(b)
        assert i == 0 or _C._kernel_count() == made


def test_what_is_needed_may_differ():
    def work(x):
        y = x * 2
        z = y + 1
        return y, z * y

    x = cp.arange(6.0)
    for keep in (0, 1, 0, 1):
        with cp.lazy():
            result = work(x)[keep]
        assert result.get().tolist() == [[0, 2, 4, 6, 8, 10], [0, 6, 20, 42, 72, 110]][keep]


def test_the_first_time_compiles_nothing_new():
    x = cp.linspace(0, 1, 21)

    def work():
        return cp.floor(x * 3 + 1) - cp.ceil(x)

    expected = work().get().tolist()
    made = _C._kernel_count()
    with mode(1):
        counts = []
        for _ in range(3):
            with cp.lazy():
                result = work()
            assert result.get().tolist() == expected
            counts.append(_C._kernel_count() - made)
    assert counts == [0, 1, 1]


def test_what_does_not_pay_is_not_recorded():
    """Launches that cannot be joined: after a while most run at once, with the same results."""
    x = cp.zeros(8)
    with mode(1), cp.lazy():
        for _ in range(600):
            x += 1
            cp.sort(x)
    assert x.get().tolist() == [600.0] * 8


def test_little_that_is_saved_does_not_pay():
    """Two launches of 131, in each round: in most rounds nothing is recorded."""
    code = """
import os
import gpunp as cp
x, out = cp.zeros((8, 8)), cp.zeros((8, 8))
cp._C._lazy_mode(1)
for _ in range(60):
    os.write(2, b"#")
    with cp.lazy():
        for k in range(64):
            out[:, k % 8] = x[k // 8 :].max(axis=0)
        y = cp.floor(x * 3 + 1)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env=child.environment(GPUNP_DEBUG="2"), timeout=child.PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    launches = [text.count("gpunp: launch ") for text in done.stderr.split("#")[1:]]
    assert set(launches) == {129, 131} and launches[20:].count(131) > 20, launches


def test_mode_of_the_environment():
    assert _C._lazy_mode(0) == 2
    x = cp.arange(4.0)
    made = _C._kernel_count()
    with cp.lazy():
        y = cp.exp2(x * 3 + 1) - 1
    assert y.get().tolist() == [1, 15, 127, 1023]
    with cp.lazy():
        cp.exp2(x * 3 + 1) - 1
    assert _C._kernel_count() - made <= 4

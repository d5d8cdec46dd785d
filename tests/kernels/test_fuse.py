"""fuse: recorded once, replayed; what is returned, updated in place, passed on."""

import threading
import weakref

import numpy as np
import pytest

import gpunp as cp


def softmax(x):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def test_squared_difference():
    @cp.fuse(kernel_name="squared_diff")
    def squared_diff(x, y):
        """Squares of differences."""
        return (x - y) * (x - y)

    x = cp.arange(10, dtype="f4")
    for _ in range(3):
        result = squared_diff(x, x[::-1])
        assert result.dtype == np.float32
        assert result.get().tolist() == [81, 49, 25, 9, 1, 1, 9, 25, 49, 81]
    assert squared_diff._nkernels == 1
    assert squared_diff.__name__ == "squared_diff" == squared_diff.kernel_name
    assert squared_diff.__doc__ == "Squares of differences."


@pytest.mark.parametrize("decorate", [cp.fuse, cp.fuse(), cp.fuse(kernel_name="named")])
def test_spellings(decorate):
    fused = decorate(lambda x: x * 2 + 1)
    for _ in range(2):
        assert fused(cp.arange(3)).get().tolist() == [1, 3, 5]


def test_reductions(rng):
    @cp.fuse()
    def sum_of_products(x, y):
        return cp.sum(x * y, axis=-1)

    a, b = (cp.asarray(rng.random((30, 40))) for _ in range(2))
    for _ in range(2):
        assert cp.array_equal(sum_of_products(a, b), (a * b).sum(axis=-1))
    assert sum_of_products._nkernels == 1


@pytest.mark.parametrize("shape", [(30, 40), (7, 3000), (400, 5)])
def test_softmax(shape, rng):
    fused = cp.fuse(softmax)
    for _ in range(3):
        x = cp.asarray(rng.random(shape).astype("f4"))
        assert cp.array_equal(fused(x), softmax(x))


def test_forms_of_arguments(rng):
    fused = cp.fuse(lambda x, y: x * 2 + y)
    for _ in range(2):
        for x in (np.arange(6.0), np.arange(6, dtype="i2"), np.arange(12.0).reshape(2, 6)):
            for y in (1, 2.5, np.float32(3), np.arange(6, dtype="f4")):
                ours = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in (x, y)]
                got = fused(*ours)
                assert got.dtype == (x * 2 + y).dtype
                assert np.array_equal(got.get(), x * 2 + y)


def test_layouts(rng):
    fused = cp.fuse(lambda x: (x + 1) * x)
    x = cp.asarray(rng.random((6, 8)))
    for view in (x, x.T, x[::2], x[:, ::-1], x[1], x[:0], x[2, 3]):
        for _ in range(2):
            got, wanted = fused(view), (view + 1) * view
            assert got.strides == wanted.strides and cp.array_equal(got, wanted)


def test_arguments_that_share_memory():
    def shift(x, y):
        x += y
        return x * 2

    fused = cp.fuse(shift)
    for _ in range(2):
        for take in (lambda a: (a, a), lambda a: (a[1:], a[:-1]), lambda a: (a[:3], a[3:])):
            one, two = cp.arange(6.0), cp.arange(6.0)
            assert cp.array_equal(fused(*take(one)), shift(*take(two)))
            assert cp.array_equal(one, two)


def test_updates_in_place():
    @cp.fuse
    def step(p, g, rate):
        p -= rate * g
        return cp.sqrt(p * p)

    p, g = cp.ones(5), cp.arange(5.0)
    for rate in (0.1, 0.2, 0.1, 0.1):
        size = step(p, g, rate)
    assert np.allclose(p.get(), 1 - 0.5 * np.arange(5)) and cp.array_equal(size, cp.abs(p))


def test_results():
    @cp.fuse
    def several(x):
        return x + 1, x * 2, x, None, 3

    x = cp.arange(4)
    for _ in range(3):
        a, b, c, d, e = several(x)
        assert c is x and d is None and e == 3
        assert a.get().tolist() == [1, 2, 3, 4] and b.get().tolist() == [0, 2, 4, 6]
    assert several._nkernels == 1

    @cp.fuse
    def nothing(x):
        x *= 2

    assert nothing(x) is None and nothing(x) is None
    assert x.get().tolist() == [0, 4, 8, 12]


def test_results_are_new_arrays():
    fused = cp.fuse(lambda x: x + 1)
    x = cp.arange(3)
    first = fused(x)
    second = fused(x)
    second += 10
    assert first.get().tolist() == [1, 2, 3]


def test_captured_arrays_are_read_at_each_call():
    weights = cp.ones(3)
    fused = cp.fuse(lambda x: x + weights)
    fused(cp.arange(3))
    weights += 1
    assert fused(cp.arange(3)).get().tolist() == [2, 3, 4]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: cp.sort(x * 2)[::-1] + 1,
        lambda x: x[x > 2] * 2,
        lambda x: x * (2 if float(x.sum()) > 3 else 5),
        lambda x: (x + 1)[::2],
        lambda x: cp.zeros(5) + x,
        lambda x: [x + 1][0] @ x,
    ],
)
def test_what_cannot_be_replayed_runs_each_time(function):
    fused = cp.fuse(function)
    for scale in (1, 3, 0):
        x = cp.arange(5.0) * scale
        assert cp.array_equal(fused(x), function(x))


def test_branches():
    fused = cp.fuse(lambda x: cp.where(x > 0, x, 0.1 * x))
    for _ in range(2):
        assert fused(cp.asarray([-1.0, 2.0])).get().tolist() == [-0.1, 2.0]


def test_numpy_arrays_and_numbers():
    def update(x, y):
        x += y
        return x * x

    fused = cp.fuse(update)
    x = np.arange(3.0)
    result = fused(x, np.ones(3))
    assert isinstance(result, np.ndarray) and result.tolist() == [1, 4, 9]
    assert x.tolist() == [1, 2, 3]
    assert fused(2, 3) == 25


def test_keywords_methods_and_nesting():
    inner = cp.fuse(lambda x: x * 2)

    class Model:
        @cp.fuse
        def apply(self, x, bias=0):
            return inner(x) + bias

    for _ in range(2):
        assert Model().apply(cp.arange(3), bias=1).get().tolist() == [1, 3, 5]
        assert inner(cp.arange(3)).get().tolist() == [0, 2, 4]


def test_errors_pass():
    fused = cp.fuse(lambda x, y: x + y)
    for _ in range(2):
        with pytest.raises(ValueError, match="broadcast"):
            fused(cp.ones(3), cp.ones(4))
    assert fused(cp.ones(3), 1).get().tolist() == [2, 2, 2]
    with pytest.raises(TypeError):
        fused(cp.ones(3))
    with pytest.raises(TypeError):
        cp.fuse(3)


def test_clear_cache():
    factor = [2]
    fused = cp.fuse(lambda x: x * factor[0])
    x = cp.arange(3)
    assert fused(x).get().tolist() == [0, 2, 4]
    factor[0] = 3
    assert fused(x).get().tolist() == [0, 2, 4]
    fused.clear_cache()
    assert fused(x).get().tolist() == [0, 3, 6]


def test_a_fused_function_runs_plainly_while_another_thread_is_lazy():
    x = cp.arange(6.0)
    fused = cp.fuse(lambda x: (x * 2).sum())
    found = []
    with cp.lazy():
        thread = threading.Thread(target=lambda: found.append(float(fused(x))))
        thread.start()
        thread.join()
    assert found == [30.0]


@pytest.mark.parametrize(
    "first",
    [
        lambda x: cp.asarray([4.0, 5, 6]),
        lambda x: cp.sort(x),
        lambda x: cp.asarray(np.asarray([1, 2, 3.0])),
        lambda x: x[cp.asarray([1, 0, 2])],
    ],
)
def test_work_that_is_not_recorded_may_come_first(first):
    fused = cp.fuse(lambda x: x * 2 + first(x))
    begins = cp.fuse(lambda x: first(x) + x)
    x = cp.asarray([3.0, 1, 2])
    for _ in range(3):
        assert cp.array_equal(begins(x), first(x) + x)
        assert cp.array_equal(fused(x), x * 2 + first(x))
        cp.full(100, 7.0)  # what memory that is left unset would hold


def test_an_array_from_elsewhere_is_returned_itself():
    total = cp.zeros(3)
    pair = [total]

    def add(x):
        pair[0] += x
        return pair[0]

    fused = cp.fuse(add)
    for k in range(3):
        assert fused(cp.ones(3)) is total
        assert total.get().tolist() == [k + 1] * 3


def test_results_that_are_no_arrays_are_not_kept():
    class Holder:
        def __init__(self, array):
            self.array = array

    fused = cp.fuse(lambda x: Holder(x + 1))
    reference = weakref.ref(fused(cp.ones(3)))
    assert reference() is None


def test_one_memory_in_two_blocks():
    def both(a, b):
        b += 1
        return a * 2

    def make(apart):
        a = cp.arange(4.0)
        return a, cp.from_dlpack(cp.arange(4.0) if apart else a)

    fused = cp.fuse(both)
    for apart in (True, False, True, False):
        a, b = make(apart)
        assert fused(a, b).get().tolist() == ([0, 2, 4, 6] if apart else [2, 4, 6, 8])


def test_the_cache_may_be_cleared_during_a_call():
    fused = cp.fuse(lambda x: cp.sin(x) + cp.cos(x) * cp.sin(x).sum())
    x = cp.arange(100_000.0)
    expected = fused(x).get()
    pool = cp.cuda.MemoryPool()
    calls = []

    def allocate(nbytes):
        calls.append(nbytes)
        fused.clear_cache()
        return pool.malloc(nbytes)

    before = cp.cuda.get_allocator()
    cp.cuda.set_allocator(allocate)
    try:
        for _ in range(3):
            assert np.array_equal(fused(x).get(), expected)
    finally:
        cp.cuda.set_allocator(before)
    assert calls


def test_threads_that_fuse_at_the_same_time():
    """One compiles when it leaves lazy mode, another records a function that updates in place."""
    failures = []

    def work(k):
        add = cp.fuse(lambda x: x.__iadd__(k + 1))
        slow = cp.fuse(lambda x: cp.sin(x * (k + 0.5)) + cp.cos(x).sum())
        x, y = cp.zeros(3), cp.ones(5)
        for n in range(4):
            slow(y)
            add(x)
            if x.get().tolist() != [(k + 1) * (n + 1)] * 3:
                failures.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures

"""jit.thrust: algorithms on sequences, compared with NumPy row by row."""

import itertools

import numpy as np
import pytest

import gpunp as cp
from gpunp import jit
from gpunp.jit import thrust

SEQ = thrust.seq
N = 40


def larger(a, b):
    return a > b


def same_tens(a, b):
    return a // 10 == b // 10


def rows(dtype="i4", seed=1, n=N, count=3, top=9):
    return np.random.default_rng(seed).integers(0, top, (count, n)).astype(dtype)


def runs(row):
    """(key, positions) of the runs of equal elements."""
    return [
        (key, list(group)) for key, group in itertools.groupby(range(len(row)), lambda k: row[k])
    ]


def layouts(x):
    """Rows that are contiguous, and a view whose rows are strided."""
    wide = cp.zeros((x.shape[0], 2 * x.shape[1]), x.dtype)
    wide[:, ::2] = cp.asarray(x)
    return [cp.asarray(x), wide[:, ::2]]


@pytest.mark.parametrize("dtype", ["i4", "f2"])
def test_sort(dtype):
    @jit.rawkernel()
    def f(x, up, keys, down):
        i = jit.grid(1)
        row = x[i]
        thrust.sort(SEQ, row.begin(), row.end())
        up[i] = thrust.is_sorted(SEQ, row.begin(), row.end())
        thrust.stable_sort_by_key(
            thrust.device, keys[i].begin(), keys[i].end(), down[i].begin(), larger
        )

    x = np.random.default_rng(2).integers(0, 200, (2, 333)).astype(dtype)
    for given in layouts(x):
        up, keys, down = cp.zeros(2, "?"), given.copy(), cp.asarray(np.tile(np.arange(333), (2, 1)))
        f[1, 2](given, up, keys, down)
        assert up.all()
        np.testing.assert_array_equal(given.get(), np.sort(x, axis=1))
        order = np.argsort(-x.astype("f8"), axis=1, kind="stable")
        np.testing.assert_array_equal(down.get(), order)
        np.testing.assert_array_equal(keys.get(), np.take_along_axis(x, order, 1))


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 33, 64, 100])
def test_sort_of_any_length(n):
    @jit.rawkernel()
    def f(x, positions, n):
        thrust.sort_by_key(SEQ, x.begin(), x.begin() + n, positions.begin())

    x = np.random.default_rng(n).integers(0, 7, 100)
    given, positions = cp.asarray(x), cp.arange(100)
    f[1, 1](given, positions, n)
    order = np.argsort(x[:n], kind="stable")
    assert positions.tolist() == [*order, *range(n, 100)]
    assert given.tolist() == [*x[order], *x[n:]]


def test_searches_and_counts():
    @jit.rawkernel()
    def f(x, y, out):
        i = jit.grid(1)
        a, b, row = x[i].begin(), x[i].end(), y[i]
        out[i, 0] = thrust.count(SEQ, a, b, 3)
        out[i, 1] = thrust.find(SEQ, a, b, 4) - a
        out[i, 2] = thrust.find(SEQ, a, b, 2.5) - a
        out[i, 3] = thrust.lower_bound(SEQ, row.begin(), row.end(), 5) - row.begin()
        out[i, 4] = thrust.upper_bound(SEQ, row.begin(), row.end(), 5) - row.begin()
        low, high = thrust.equal_range(SEQ, row.begin(), row.end(), i)
        out[i, 5] = low - row.begin()
        out[i, 6] = high - low
        out[i, 7] = thrust.binary_search(SEQ, row.begin(), row.end(), 8)
        out[i, 8] = thrust.is_sorted_until(SEQ, a, b) - a
        first, second = thrust.mismatch(SEQ, a, b, row.begin())
        out[i, 9] = first - a
        out[i, 10] = second - row.begin()
        out[i, 11] = thrust.equal(SEQ, a, b, row.begin())
        out[i, 12] = thrust.equal(SEQ, a, b, a)
        out[i, 13] = thrust.equal(SEQ, a, b, row.begin(), same_tens)

    x = rows()
    y = np.sort(x, axis=1)
    out = cp.zeros((3, 14), "i8")
    f[1, 3](cp.asarray(x), cp.asarray(y), out)
    for i in range(3):
        less = np.flatnonzero(np.diff(x[i]) < 0)[0] + 1
        differ = np.flatnonzero(x[i] != y[i])[0]
        want = [
            (x[i] == 3).sum(), np.flatnonzero(x[i] == 4)[0], N,
            np.searchsorted(y[i], 5), np.searchsorted(y[i], 5, "right"),
            np.searchsorted(y[i], i), (y[i] == i).sum(), 8 in y[i], less, differ, differ, 0, 1, 1,
        ]  # fmt: skip
        assert out[i].tolist() == want


def test_searches_for_many_values():
    @jit.rawkernel()
    def f(x, values, low, high, found):
        a, b = x.begin(), x.end()
        end = thrust.lower_bound(SEQ, a, b, values.begin(), values.end(), low.begin(), larger)
        thrust.upper_bound(SEQ, a, b, values.begin(), values.end(), high.begin(), larger)
        thrust.binary_search(SEQ, a, b, values.begin(), values.end(), found.begin(), larger)
        low[values.size] = end - low.begin()

    x = np.sort(rows(count=1)[0])
    values = np.array([3, -1, 8, 20], "i2")
    low, high, found = cp.zeros(5, "i8"), cp.zeros(4, "i8"), cp.zeros(4, "?")
    f[1, 1](cp.asarray(x[::-1].copy()), cp.asarray(values), low, high, found)
    assert low.tolist() == [*(N - np.searchsorted(x, values, "right")), 4]
    assert high.tolist() == list(N - np.searchsorted(x, values))
    assert found.tolist() == list(np.isin(values, x))


def test_sums_and_scans():
    @jit.rawkernel(mode="numpy")
    def f(x, out, total):
        a, b = x.begin(), x.end()
        thrust.inclusive_scan(SEQ, a, b, out[0].begin())
        thrust.exclusive_scan(SEQ, a, b, out[1].begin())
        thrust.exclusive_scan(SEQ, a, b, out[2].begin(), np.float64(0.5), max)
        thrust.inclusive_scan(SEQ, a, b, out[3].begin(), min)
        thrust.adjacent_difference(SEQ, a, b, out[4].begin())
        end = thrust.adjacent_difference(SEQ, a, b, out[5].begin(), np.multiply)
        total[0] = thrust.reduce(SEQ, a, b)
        total[1] = thrust.reduce(SEQ, a, b, 0.25)
        total[2] = thrust.reduce(SEQ, a, b, np.int8(0), max)
        total[3] = thrust.inner_product(SEQ, a, b, a, 2)
        total[4] = thrust.inner_product(SEQ, a, b, a, 0, max, np.add)
        total[5] = end - out[5].begin()

    x = rows("f4", count=1)[0]
    out, total = cp.zeros((6, N), "f8"), cp.zeros(6, "f8")
    f[1, 1](cp.asarray(x), out, total)
    before = np.concatenate([[0], np.cumsum(x)[:-1]])
    top = np.maximum.accumulate(np.concatenate([[0.5], x[:-1]]))
    want = [np.cumsum(x), before, top, np.minimum.accumulate(x), [x[0], *np.diff(x)]]
    np.testing.assert_array_equal(out.get(), [*want, [x[0], *(x[1:] * x[:-1])]])
    square = (x * x).sum()
    assert total.tolist() == [x.sum(), x.sum() + 0.25, x.max(), square + 2, 2 * x.max(), N]


def test_runs_of_keys():
    @jit.rawkernel()
    def f(keys, values, out, ends):
        a, b, v = keys.begin(), keys.end(), values.begin()
        thrust.inclusive_scan_by_key(SEQ, a, b, v, out[0].begin())
        thrust.exclusive_scan_by_key(SEQ, a, b, v, out[1].begin(), 5)
        k, s = thrust.reduce_by_key(SEQ, a, b, v, out[2].begin(), out[3].begin())
        ends[0] = k - out[2].begin()
        ends[1] = s - out[3].begin()
        thrust.reduce_by_key(SEQ, a, b, v, out[4].begin(), out[5].begin(), same_tens, max)
        kept_keys, kept_values = thrust.unique_by_key(SEQ, a, b, v)
        ends[2] = kept_keys - a
        ends[3] = kept_values - v

    keys, values = np.sort(rows(top=30, count=1)[0]), rows(seed=5, count=1)[0]
    out, ends = cp.zeros((6, N), "i8"), cp.zeros(4, "i8")
    left_keys, left_values = cp.asarray(keys), cp.asarray(values)
    f[1, 1](left_keys, left_values, out, ends)
    found = runs(keys)
    n = len(found)
    sums = [values[at].cumsum() for _, at in found]
    assert out[0].tolist() == list(np.concatenate(sums))
    assert out[1].tolist() == list(np.concatenate([[5, *(s[:-1] + 5)] for s in sums]))
    assert out[2, :n].tolist() == [key for key, _ in found]
    assert out[3, :n].tolist() == [s[-1] for s in sums]
    tens = runs(keys // 10)
    assert out[4, : len(tens)].tolist() == [keys[at[0]] for _, at in tens]
    assert out[5, : len(tens)].tolist() == [values[at].max() for _, at in tens]
    assert ends.tolist() == [n] * 4
    assert left_keys[:n].tolist() == [key for key, _ in found]
    assert left_values[:n].tolist() == [values[at[0]] for _, at in found]


def test_copies_and_changes():
    @jit.rawkernel()
    def f(x, order, out, ends):
        a, b, n = x.begin(), x.end(), x.size
        thrust.copy(SEQ, a, b, out[0].begin())
        thrust.gather(SEQ, order.begin(), order.end(), a, out[1].begin())
        thrust.scatter(SEQ, a, b, order.begin(), out[2].begin())
        thrust.reverse_copy(SEQ, a, b, out[3].begin())
        thrust.reverse(SEQ, out[0].begin(), out[0].end())
        thrust.fill(SEQ, out[4].begin() + 1, out[4].end() - 1, 2.5)
        thrust.sequence(SEQ, out[5].begin(), out[5].end(), 1, 0.5)
        thrust.sequence(SEQ, out[6].begin(), out[6].end())
        thrust.replace(SEQ, out[6].begin(), out[6].end(), 3, -1)
        thrust.replace_copy(SEQ, a, b, out[7].begin(), 3, 0.5)
        thrust.copy(SEQ, a, b, out[8].begin())
        ends[0] = thrust.remove(SEQ, out[8].begin(), out[8].end(), 3) - out[8].begin()
        ends[1] = thrust.remove_copy(SEQ, a, b, out[9].begin(), 3) - out[9].begin()
        thrust.copy(SEQ, a, b, out[10].begin())
        ends[2] = thrust.unique(SEQ, out[10].begin(), out[10].end()) - out[10].begin()
        thrust.copy(SEQ, a, b, out[11].begin())
        thrust.swap_ranges(SEQ, out[11].begin(), out[11].begin() + n // 2, out[11].begin() + n // 2)
        count = thrust.make_counting_iterator(5)
        thrust.copy(SEQ, count, count + n, out[12].begin())
        same = thrust.make_constant_iterator(jit.threadIdx.x + 7, 3)
        thrust.copy(SEQ, same, same + n, out[13].begin())
        at = count
        at += 2
        ends[3] = at[1] if at > count and at != count else 0

    x, order = rows("i2", count=1)[0], np.random.default_rng(3).permutation(N)
    out, ends = cp.zeros((14, N), "f4"), cp.zeros(4, "i4")
    f[1, 1](cp.asarray(x), cp.asarray(order), out, ends)
    scattered = np.zeros(N)
    scattered[order] = x
    count = np.arange(N)
    kept, once = x[x != 3], [key for key, _ in runs(x)]
    want = [
        *(x[::-1], x[order], scattered, x[::-1], [0, *[2.5] * (N - 2), 0], 1 + 0.5 * count),
        *(np.where(count == 3, -1, count), np.where(x == 3, 0.5, x)),
    ]
    np.testing.assert_array_equal(out[:8].get(), want)
    assert ends.tolist() == [len(kept), len(kept), len(once), 8]
    assert out[8, : len(kept)].tolist() == out[9, : len(kept)].tolist() == list(kept)
    assert out[10, : len(once)].tolist() == once
    half = N // 2
    np.testing.assert_array_equal(
        out[11:].get(), [[*x[half:], *x[:half]], count + 5, np.full(N, 7)]
    )


def multiset(a, b, name):
    """What a merge of two sorted sequences leaves: (of the second, position)."""
    left, right = [(x, 0, k) for k, x in enumerate(a)], [(x, 1, k) for k, x in enumerate(b)]
    found = []
    for value in np.union1d(a, b):
        p, q = ([at for at in side if at[0] == value] for side in (left, right))
        both = min(len(p), len(q))
        keep = {
            "set_difference": p[both:],
            "set_intersection": p[:both],
            "set_symmetric_difference": p[both:] + q[both:],
            "set_union": p + q[both:],
        }
        found += keep[name]
    return found


@pytest.mark.parametrize(
    "name", ["set_difference", "set_intersection", "set_symmetric_difference", "set_union"]
)
def test_sets(name):
    function, by_key = getattr(thrust, name), getattr(thrust, f"{name}_by_key")
    one_sided = name == "set_intersection"

    @jit.rawkernel()
    def f(a, b, va, vb, out, keys, values, ends):
        ends[0] = function(SEQ, a.begin(), a.end(), b.begin(), b.end(), out.begin()) - out.begin()
        if one_sided:
            k, v = by_key(
                SEQ,
                a.begin(),
                a.end(),
                b.begin(),
                b.end(),
                va.begin(),
                keys.begin(),
                values.begin(),
            )
        else:
            k, v = by_key(
                SEQ, a.begin(), a.end(), b.begin(), b.end(), va.begin(), vb.begin(),
                keys.begin(), values.begin(),
            )  # fmt: skip
        ends[1] = k - keys.begin()
        ends[2] = v - values.begin()

    a, b = np.sort(rows(count=1)[0]), np.sort(rows("f4", seed=9, count=1, top=14)[0])
    out, keys, values = (cp.zeros(2 * N, "f8") for _ in range(3))
    ends = cp.zeros(3, "i4")
    f[1, 1](
        cp.asarray(a), cp.asarray(b), cp.arange(N), cp.arange(100, 100 + N), out, keys, values, ends
    )
    want = multiset(a, b, name)
    n = len(want)
    assert ends.tolist() == [n] * 3
    assert out[:n].tolist() == keys[:n].tolist() == [key for key, _, _ in want]
    assert values[:n].tolist() == [100 * second + k for _, second, k in want]


def test_types_of_elements():
    @jit.rawkernel()
    def f(flags, z, half, out):
        out[0] = thrust.count(SEQ, flags.begin(), flags.end(), True)
        out[1] = thrust.find(SEQ, z.begin(), z.end(), 2j) - z.begin()
        out[2] = thrust.reduce(SEQ, half.begin(), half.end(), np.float32(0))
        thrust.copy(SEQ, half.begin(), half.end(), flags.begin())
        out[3] = thrust.count(SEQ, flags.begin(), flags.end(), False)

    flags = cp.asarray([True, False, True])
    out = cp.zeros(4, "f4")
    f[1, 1](flags, cp.asarray([1, 2j, 3]), cp.asarray([0, 0.5, 2048], "f2"), out)
    assert out.tolist() == [2, 1, 2048.5, 1]


def test_rows_of_one_array_have_positions_in_common():
    @jit.rawkernel()
    def f(x, out):
        out[0] = x[2].begin() - x[0].begin()
        out[1] = x[1].begin() == x[0].end()

    out = cp.zeros(2, "i8")
    f[1, 1](cp.zeros((3, 4)), out)
    assert out.tolist() == [8, 1]


def refused(body, *args):
    with pytest.raises((TypeError, NotImplementedError)) as caught:
        jit.rawkernel()(body)[1, 1](*args)
    return str(caught.value)


def no_policy(x):
    thrust.sort(x.begin(), x.end(), None)


def no_iterator(x):
    thrust.sort(SEQ, x, x.end())


def times_two(x):
    thrust.sort(SEQ, x.begin() * 2, x.end())


def by_a_float(x):
    thrust.sort(SEQ, x.begin() + 0.5, x.end())


def no_function(x):
    thrust.sort(SEQ, x.begin(), x.end(), x)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (no_policy, "exec_policy"),
        (no_iterator, "must be an iterator"),
        (times_two, "an iterator takes"),
        (by_a_float, "moves by an integer"),
        (no_function, "must be a function"),
    ],
)
def test_misuse(body, words):
    assert words in refused(body, cp.zeros(3))


def test_outside_of_a_kernel():
    with pytest.raises(RuntimeError, match="only inside a kernel"):
        thrust.sort(SEQ, None, None)

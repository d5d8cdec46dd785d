"""Every family of functions on more than 2^31 and 2^32 elements, against closed forms that the device
computes itself. On a GPU with memory enough; elements are bytes, which keeps arrays small.

Most arrays are pattern(n): element i is i % 256, so every result follows from n alone, and a 32-bit
index anywhere would meet another element.
"""

import pytest

import gpunp as cp

pytestmark = pytest.mark.gpu

SIZES = [2**31 + 9, 2**32 + 9]
GIB = 2**30
PART = 2**29


@pytest.fixture(autouse=True)
def give_memory_back():
    yield
    cp.get_default_memory_pool().free_all_blocks()


def need(gib):
    """Skip the test where the device has less memory free."""
    cp.get_default_memory_pool().free_all_blocks()
    free = cp.cuda.runtime.memGetInfo()[0]
    if free < gib * GIB:
        pytest.skip(f"needs {gib} GiB of device memory")


def pattern(n, dtype="u1"):
    """Element i is i % 256."""
    rows = cp.broadcast_to(cp.arange(256, dtype="u1").astype(dtype), (-(-n // 256), 256))
    return rows.reshape(-1)[:n]


def places(n):
    """Elements on both sides of what 32-bit indices can name."""
    near = [0, 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, n - 1]
    return sorted({p for p in near if p < n})


def counts(n):
    """How often each byte is in pattern(n)."""
    return [n // 256 + (v < n % 256) for v in range(256)]


def total(n):
    return sum(v * c for v, c in enumerate(counts(n)))


def is_arange(a, start=0, step=1):
    """Whether element i is start + i * step, looked at in parts."""
    for k in range(0, a.size, PART):
        part = a[k : k + PART]
        if not bool((part == cp.arange(k, k + part.size, dtype=a.dtype) * step + start).all()):
            return False
    return True


# ---- ufuncs, casts, copies ----------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_ufuncs(n):
    need(30)
    a = pattern(n)
    assert [int(a[p]) for p in places(n)] == [p % 256 for p in places(n)]
    b = a + a
    assert bool((b == a * 2).all())
    b += 1
    assert bool((b & 1).all())
    assert int(cp.invert(a, out=b)[n - 1]) == 255 - (n - 1) % 256
    assert int((a + b).min()) == 255
    assert int(cp.where(a > 9, a, 9).min()) == 9
    assert (
        int(cp.add(a, 1, out=a, where=a == 255).sum(dtype="i8")) == total(n) - 255 * counts(n)[255]
    )


@pytest.mark.parametrize("n", SIZES)
def test_casts(n):
    need(40)
    a = pattern(n)
    b = a.astype("f2")
    assert bool((b.astype("u1") == a).all())
    assert float(b[n - 1]) == (n - 1) % 256
    assert int((a != 0).sum()) == n - counts(n)[0]


@pytest.mark.parametrize("n", SIZES)
def test_fill_and_views(n):
    need(20)
    a = cp.full(n, 7, dtype="u1")
    assert int(a.sum(dtype="i8")) == 7 * n
    a[1::2] = 3
    assert int(a.sum(dtype="i8")) == 7 * n - 4 * (n // 2)
    a[:] = pattern(n)
    r = a[::-1].copy()
    assert [int(r[p]) for p in places(n)] == [(n - 1 - p) % 256 for p in places(n)]
    assert bool((a[::3].copy() == pattern(n)[::3]).all())
    a[1:] = a[:-1].copy()
    assert int(a[n - 1]) == (n - 2) % 256
    a.fill(1)
    assert int(a.sum(dtype="i8")) == n


def test_overlapping_move():
    need(20)
    n = 2**32 + 9
    a = pattern(n)
    a[1:] = a[:-1]
    assert bool((a[1:] == pattern(n - 1)).all())


@pytest.mark.parametrize("shape", [(3, 2**30 + 5), (2**30 + 5, 3), (2**16 + 1, 2**16 + 1)])
def test_transposed(shape):
    need(20)
    n = shape[0] * shape[1]
    a = pattern(n).reshape(shape)
    b = cp.ascontiguousarray(a.T)
    assert bool((a == b.T).all())
    assert int(b[-1, -1]) == (n - 1) % 256
    assert bool((a.T + b == a.T * 2).all())


def test_broadcast():
    need(30)
    rows, columns = 2**16 + 3, 2**16 + 1
    a = cp.arange(rows, dtype="u4").astype("u1")[:, None] + cp.arange(columns, dtype="u4").astype(
        "u1"
    )
    assert a.shape == (rows, columns)
    assert int(a[-1, -1]) == (rows + columns - 2) % 256
    assert bool((a[-1] == cp.arange(rows - 1, rows - 1 + columns).astype("u1")).all())
    assert bool((a[:, -1] == cp.arange(columns - 1, rows + columns - 1).astype("u1")).all())


# ---- reductions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_reductions(n):
    need(20)
    a = pattern(n)
    assert int(a.sum(dtype="i8")) == total(n)
    assert abs(float(a.mean(dtype="f8")) - total(n) / n) < 1e-9
    assert int(cp.count_nonzero(a)) == n - counts(n)[0]
    a[n - 1] = 255
    a[n - 2] = 0
    assert (int(a.max()), int(a.min())) == (255, 0)
    a[a == 255] = 254
    a[n - 3] = 255
    assert int(a.argmax()) == n - 3
    assert bool(a.any()) and not bool(a.all())
    expected = ((254 * 255 * 509 // 6) / 256 + 254**2 / 256) - ((254 * 255 // 2 + 254) / 256) ** 2
    assert abs(float(a.var(dtype="f8")) - expected) < 1e6 / n


@pytest.mark.parametrize(
    "shape", [(2**31 + 3, 2), (2, 2**31 + 3), (5, 2**29 + 1, 2), (2**16 + 1, 2**16 + 1)]
)
def test_reductions_along_axes(shape):
    need(60)
    a = cp.ones(shape, dtype="u1")
    for axis, length in enumerate(shape):
        sums = a.sum(axis=axis, dtype="u4")
        assert bool((sums == length).all())
        del sums
    a[(-1,) * len(shape)] = 2
    for axis in range(len(shape)):
        at = a.argmax(axis=axis)
        assert int(at[(-1,) * (len(shape) - 1)]) == shape[axis] - 1
        assert int(at.sum()) == shape[axis] - 1
        del at
        assert int(a.max(axis=axis).sum(dtype="i8")) == a.size // shape[axis] + 1
    if len(shape) == 3:
        assert bool((a.sum(axis=(0, 2), dtype="u4")[:-1] == shape[0] * shape[2]).all())


# ---- scans, counts --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_scans(n):
    need(60)
    assert is_arange(cp.cumsum(cp.ones(n, dtype="u1"), dtype="i8"), 1)
    a = cp.cumsum(pattern(n), dtype="u1")
    # 0 + 1 + ... + 255 is 128 modulo 256, so two blocks of the pattern begin anew.
    last = (n - 1) % 512
    assert int(a[n - 1]) == sum(v % 256 for v in range(last + 1)) % 256
    d = cp.diff(pattern(n))
    assert d.size == n - 1 and bool((d == 1).all())


@pytest.mark.parametrize("n", SIZES)
def test_counting(n):
    need(30)
    a = pattern(n)
    assert cp.bincount(a).tolist() == counts(n)
    assert cp.histogram(a, cp.arange(257))[0].tolist() == counts(n)
    eight = [sum(counts(n)[32 * k : 32 * k + 32]) for k in range(8)]
    assert cp.histogram(a, 8, (0, 256))[0].tolist() == eight


# ---- sorting ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_sort(n):
    need(60)
    a = cp.sort(pattern(n)[::-1])
    starts = cp.searchsorted(a, cp.arange(257).astype("i2")).tolist()
    expected = [sum(counts(n)[:v]) for v in range(257)]
    assert starts == expected
    assert bool((a[1:] >= a[:-1]).all())


def test_sort_along_axes():
    need(60)
    n = 2**31 + 9
    a = pattern(3 * n).reshape(3, n)
    assert bool((cp.sort(a[:, ::-1], axis=1) == cp.sort(a, axis=1)).all())
    b = cp.sort(a[::-1], axis=0)
    assert bool((b[0] <= b[1]).all()) and bool((b[1] <= b[2]).all())
    assert int(b.sum(dtype="i8")) == total(3 * n)
    rows = cp.sort(pattern(2**32 + 256).reshape(-1, 16)[:, ::-1], axis=1)
    assert bool((rows.reshape(-1) == pattern(rows.size)).all())


def test_argsort():
    need(100)
    n = 2**31 + 9
    order = cp.argsort(pattern(n))
    many = counts(n)
    assert is_arange(order[: many[0]], 0, 256)
    assert is_arange(order[-many[255] :], 255, 256)
    assert int(order.sum()) == n * (n - 1) // 2


@pytest.mark.parametrize("n", SIZES)
def test_unique(n):
    need(80)
    values, many = cp.unique(pattern(n), return_counts=True)
    assert values.tolist() == list(range(256))
    assert many.tolist() == counts(n)
    assert cp.isin(cp.asarray([3, 300]), pattern(n)).tolist() == [True, False]


@pytest.mark.parametrize("n", SIZES)
def test_order_statistics(n):
    need(80)
    a = pattern(n)
    below = 0
    for median, many in enumerate(counts(n)):  # noqa: B007
        below += many
        if below > n // 2:
            break
    assert float(cp.median(a)) == median
    assert cp.partition(a, n // 2)[n // 2] == median


@pytest.mark.parametrize("n", SIZES)
def test_searchsorted(n):
    need(80)
    a = cp.repeat(cp.arange(2, dtype="u1"), cp.asarray([n - 5, 5]))
    assert a.size == n
    assert cp.searchsorted(a, cp.asarray([0, 1, 2], dtype="u1")).tolist() == [0, n - 5, n]
    b = cp.searchsorted(cp.asarray([0, 1], dtype="u1"), a, side="right")
    assert int(b[0]) == 1 and int(b[n - 1]) == 2
    assert int(b.sum()) == n + 5


# ---- selection -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_masks(n):
    need(50)
    a = pattern(n)
    b = a[a < 128]
    assert b.size == sum(counts(n)[:128])
    full = n // 256 * 128
    assert bool((b[:full].reshape(-1, 128) == cp.arange(128, dtype="u1")).all())
    a[a < 128] = 200
    assert int(a.min()) == 128
    a[a == 200] = 3
    assert int((a == 3).sum()) == sum(counts(n)[:128]) + counts(n)[200]


@pytest.mark.parametrize("n", SIZES)
def test_nonzero(n):
    need(90)
    a = pattern(n) == 9
    where = cp.nonzero(a)[0]
    assert where.size == counts(n)[9]
    assert is_arange(where, 9, 256)
    assert int(cp.flatnonzero(a)[-1]) == (n - 10) // 256 * 256 + 9
    rows, columns = cp.nonzero(a[: 2**31].reshape(2**15, 2**16))
    assert int(rows[-1]) == 2**15 - 1 and int(columns[-1]) == 2**16 - 256 + 9


@pytest.mark.parametrize("n", SIZES)
def test_take_and_put(n):
    need(60)
    a = pattern(n)
    at = cp.asarray(places(n))
    assert a[at].tolist() == [p % 256 for p in places(n)]
    assert cp.take(a, at).tolist() == a[at - n].tolist()
    a[at] = 77
    assert bool((a[at] == 77).all())
    cp.put(a, at, 78)
    assert bool((a[at] == 78).all())
    cp.add.at(a, at, 1)
    assert bool((a[at] == 79).all())
    changed = a != pattern(n)
    assert int(changed.sum()) == len(places(n))
    small = cp.arange(256, dtype="u1")
    assert bool((small[pattern(n)[:PART]] == pattern(PART)).all())
    big = cp.take(small, pattern(n))
    assert bool((big == pattern(n)).all())


def test_rows_by_index():
    need(60)
    a = pattern(2**32 + 512).reshape(-1, 512)
    order = cp.arange(a.shape[0] - 1, -1, -1)
    b = a[order]
    assert b.shape == a.shape and bool((b == a).all())
    c = a[:, cp.asarray([511, 3])]
    assert bool((c == cp.asarray([255, 3], dtype="u1")).all())
    a[order] = b + 1
    assert bool((a == b + 1).all())


# ---- joining and products ----------------------------------------------------------------------------


def test_joining():
    need(60)
    n = 2**31 + 256
    a = pattern(n)
    assert bool((cp.concatenate((a, a, a)) == pattern(3 * n)).all())
    s = cp.stack((a, a), axis=1)
    assert bool((s[:, 0] == a).all()) and bool((s[:, 1] == a).all())
    assert bool((cp.tile(a, 2) == pattern(2 * n)).all())
    assert bool((cp.roll(a, 256) == a).all())
    assert int(cp.roll(a, 1)[0]) == 255
    assert bool((cp.repeat(a, 2)[::2] == a).all())
    assert bool((cp.flip(a) + a == 255).all())
    assert int(cp.pad(a, (3, 4))[-5]) == 255


@pytest.mark.parametrize("n", SIZES)
def test_products(n):
    need(60)
    one = cp.ones(n, dtype="u1")
    assert int(one @ one) == n % 256
    assert (cp.ones((2, n), dtype="u1") @ one).tolist() == [n % 256] * 2
    tall = cp.ones((n, 2), dtype="u1") @ cp.asarray([[1, 2], [3, 4]], dtype="u1")
    assert tall.shape == (n, 2)
    assert bool((tall == cp.asarray([4, 6], dtype="u1")).all())


def test_outer():
    need(60)
    a, b = cp.arange(2**16 + 1).astype("u1"), cp.arange(2**16 + 3).astype("u1")
    c = cp.outer(a, b)
    assert int(c[-1, -1]) == int(a[-1]) * int(b[-1]) % 256
    assert bool((c[-2] == a[-2] * b).all()) and bool((c[:, -1] == a * b[-1]).all())
    assert bool((cp.einsum("i,j->ij", a, b) == c).all())


def test_floats_of_8_bytes():
    """Byte offsets beyond 2^34."""
    need(60)
    n = 2**31 + 5
    a = cp.arange(n, dtype="f8")
    assert float(a[n - 1]) == n - 1
    assert float(a.max()) == n - 1 and int(a.argmax()) == n - 1
    assert float((a - cp.arange(n)).sum()) == 0
    a[::-1].sort()
    assert float(a[0]) == n - 1 and float(a[n - 1]) == 0

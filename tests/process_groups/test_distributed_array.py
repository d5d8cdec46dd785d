"""gpunp.distributed.array on two emulated devices, compared with NumPy."""

import pytest
from rank_runs import run_devices

pytestmark = pytest.mark.null

SETUP = """
from gpunp.distributed import array as dist
from gpunp.distributed.array import distributed_array, make_2d_index_map, matmul
a = np.arange(24.0).reshape(4, 6)
MAPS = [
    {0: slice(0, 2), 1: slice(2, 4)},
    {0: [(slice(2), slice(3)), slice(None, None, 2)], 1: [slice(1, None), (0, slice(2, 6))]},
    {1: [(slice(None), slice(0, None, 2)), (Ellipsis, slice(1, None, 2))], 0: (slice(None), -1)},
]
MODES = ["replica", "sum", "prod", "min", "max"]
def raises(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError(call)
"""


def test_distribution_modes_and_chunks():
    run_devices(
        SETUP
        + """
for index_map in MAPS:
    for mode in MODES:
        for dtype in ("f8", "i4"):
            for source in (a.astype(dtype), cp.asarray(a.astype(dtype))):
                d = distributed_array(source, index_map, mode)
                assert d.shape == (4, 6) and d.dtype == dtype and (d.ndim, d.size, len(d)) == (2, 24, 4)
                assert set(d.devices) == {0, 1} and d.nbytes == d.size * d.dtype.itemsize
                assert (d.get() == a).all(), (index_map, mode)
    for device, chunks in d.all_chunks().items():
        assert all(chunk.device.id == device for chunk in chunks)
        assert [c.shape for c in chunks] == [a[i].shape for i in d.index_map[device]]
    for other in MODES:
        assert (d.change_mode(other).get() == a).all()
    for target in MAPS:
        moved = d.reshard(target)
        assert (moved.get() == a).all() and moved.mode is d.mode
        again = distributed_array(d, target)
        assert (again.get() == a).all() and again.mode is dist.REPLICA
replica = distributed_array(a, MAPS[1])
for chunk, index in zip(replica.all_chunks()[0], replica.index_map[0]):
    assert (chunk.get() == a[index]).all()
total = distributed_array(a, MAPS[1], dist.SUM)
assert sum(c.get().sum() for cs in total.all_chunks().values() for c in cs) == a.sum()
assert replica.change_mode("replica") is replica and "SUM" in repr(total) and "REPLICA" in repr(replica)
out = np.zeros((4, 6))
assert replica.get(out=out) is out and (out == a).all()
one = distributed_array(np.arange(5), {0: [0, 1], 1: [slice(2, 5)]})
assert one.get().tolist() == [0, 1, 2, 3, 4] and one.index_map[0][1] == (slice(1, 2, 1),)
assert distributed_array(7, {1: ()}).get() == 7
raises(ValueError, lambda: distributed_array(a, MAPS[0], "mean"))
raises(ValueError, lambda: distributed_array(a, {0: slice(None, None, -1)}))
raises(IndexError, lambda: distributed_array(a, {0: 4}))
raises(IndexError, lambda: distributed_array(a, {0: (0, 0, 0)}))
raises(ValueError, lambda: replica.get(out=np.zeros(3)))
raises(TypeError, lambda: np.asarray(replica))
"""
    )


def test_operations_and_reductions():
    run_devices(
        SETUP
        + """
b = np.sqrt(a) + 1
for index_map in MAPS[:2]:
    for mode in ("replica", "sum", "min"):
        x, y = distributed_array(a, index_map, mode), distributed_array(b, MAPS[0])
        assert ((x + y).get() == a + b).all() and (x + y).mode is dist.REPLICA
        assert ((2 - x * 3).get() == 2 - a * 3).all()
        assert (np.add(x, y).get() == a + b).all() and (cp.add(x, y).get() == a + b).all()
        assert (cp.sqrt(x).get() == np.sqrt(a)).all()
        assert (np.negative(x).get() == -a).all() and (x > 3).get().tolist() == (a > 3).tolist()
        q, r = np.divmod(x, 5)
        assert (q.get() == a // 5).all() and (r.get() == a % 5).all()
        for axis in (None, 0, 1, -1, (0, 1)):
            for keep in (False, True):
                for name in ("sum", "max", "min"):
                    got = getattr(x, name)(axis=axis, keepdims=keep)
                    expected = getattr(a, name)(axis=axis, keepdims=keep)
                    assert got.shape == np.shape(expected)
                    assert (got.get() == expected).all(), (name, axis)
        assert np.allclose(y.prod(0).get(), b.prod(0)) and y.prod(0).mode is dist.PROD
        assert (np.sum(x, axis=1).get() == a.sum(1)).all()
        assert (np.add.reduce(x).get() == a.sum(0)).all()
        assert ((x.sum(0) + 1).get() == a.sum(0) + 1).all()
    x += 1
    assert (x.get() == a + 1).all() and x.mode is dist.REPLICA
small = distributed_array(np.arange(6, dtype="i4"), {0: slice(3), 1: slice(3, 6)})
assert small.sum().dtype == np.arange(6, dtype="i4").sum().dtype and small.sum().get() == 15
assert small.sum(dtype="f4").dtype == "f4" and small.astype("f4").get().dtype == "f4"
flags = distributed_array(np.array([True, False]), {0: 0, 1: 1})
assert flags.max().get() and not flags.min().get()
raises(TypeError, lambda: x + a)
raises(TypeError, lambda: x + cp.asarray(a))
raises(TypeError, lambda: cp.asarray(a) + x)
raises(ValueError, lambda: x + small)
raises(TypeError, lambda: x.sum(out=x))
raises(ValueError, lambda: distributed_array(np.zeros((0, 3)), {0: slice(None)}).max())
assert distributed_array(np.zeros((0, 3)), {0: slice(None)}).sum().get() == 0
"""
    )


def test_products():
    run_devices(
        SETUP
        + """
b = np.arange(30.0).reshape(6, 5) - 7
left = make_2d_index_map([0, 2, 4], [0, 3, 6], [[{0}, {1}], [{1}, {0, 1}]])
assert left[0] == [(slice(0, 2, 1), slice(0, 3, 1)), (slice(2, 4, 1), slice(3, 6, 1))]
right = make_2d_index_map([0, 3, 6], [0, 5], [[{0, 1}], [{1}]])
for map_a in (left, MAPS[0], {1: slice(None)}):
    for map_b in (right, {0: slice(0, 2), 1: slice(2, 6)}):
        for mode in ("replica", "sum"):
            x, y = distributed_array(a, map_a, mode), distributed_array(b, map_b)
            z = matmul(x, y)
            assert z.shape == (4, 5) and z.mode is dist.SUM and (z.get() == a @ b).all()
            assert ((x @ y).get() == a @ b).all() and (cp.matmul(x, y).get() == a @ b).all()
            assert (z.reshard(MAPS[0]).get() == a @ b).all()
y = distributed_array(b, right)
raises(ValueError, lambda: y @ y)
raises(TypeError, lambda: matmul(y, b))
raises(RuntimeError, lambda: distributed_array(a, MAPS[1]) @ y)
raises(RuntimeError, lambda: make_2d_index_map([1, 2], [0, 1], [[{0}]]))
raises(RuntimeError, lambda: make_2d_index_map([0, 2], [0, 1], [[{0}, {1}]]))
"""
    )

"""Flips, differences, selection, insertion, windows: against NumPy."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check

import gpunp as cp


def grid(xp, shape=(3, 4), dtype=None):
    size = int(np.prod(shape))
    return xp.arange(size, dtype=dtype).reshape(shape)


def after(xp, function, a, *args):
    """`a` after a function that writes into it."""
    function(a, *args)
    return a


TABLE = {
    "flip": lambda xp: xp.flip(grid(xp)),
    "flip axis": lambda xp: xp.flip(grid(xp), 1),
    "flip axes": lambda xp: xp.flip(grid(xp, (2, 3, 4)), (0, -1)),
    "flip bad axis": lambda xp: xp.flip(grid(xp), 2),
    "rot90": lambda xp: xp.rot90(grid(xp)),
    "rot90 twice": lambda xp: xp.rot90(grid(xp), 2),
    "rot90 back": lambda xp: xp.rot90(grid(xp), -1),
    "rot90 axes": lambda xp: xp.rot90(grid(xp, (2, 3, 4)), 1, (1, 2)),
    "rot90 same axes": lambda xp: xp.rot90(grid(xp), 1, (0, 0)),
    "rot90 bad axes": lambda xp: xp.rot90(grid(xp), 1, (0, 3)),
    "copy": lambda xp: xp.copy(grid(xp).T),
    "copy order": lambda xp: xp.copy(grid(xp), order="F"),
    "meshgrid": lambda xp: xp.meshgrid(xp.arange(3), xp.arange(2.0)),
    "meshgrid ij": lambda xp: xp.meshgrid(xp.arange(3), xp.arange(2), indexing="ij"),
    "meshgrid sparse": lambda xp: xp.meshgrid(xp.arange(3), xp.arange(2), sparse=True),
    "meshgrid of three": lambda xp: xp.meshgrid(xp.arange(3), xp.arange(2), xp.arange(4)),
    "meshgrid of one": lambda xp: xp.meshgrid(xp.arange(3)),
    "meshgrid of none": lambda xp: xp.meshgrid(),
    "meshgrid nonsense": lambda xp: xp.meshgrid(xp.arange(3), indexing="yx"),
    "trim_zeros": lambda xp: xp.trim_zeros(xp.array([0, 0, 1, 0, 2, 0])),
    "trim_zeros front": lambda xp: xp.trim_zeros(xp.array([0, 0, 1, 0, 2, 0]), "f"),
    "trim_zeros back": lambda xp: xp.trim_zeros(xp.array([0, 0, 1, 0, 2, 0]), "b"),
    "trim_zeros of zeros": lambda xp: xp.trim_zeros(xp.zeros(4)),
    "trim_zeros 2-d": lambda xp: xp.trim_zeros(xp.pad(xp.ones((2, 3)), 2)),
    "trim_zeros axis": lambda xp: xp.trim_zeros(xp.pad(xp.ones((2, 3)), 2), axis=1),
    "diff": lambda xp: xp.diff(xp.array([1, 3, 6, 10])),
    "diff twice": lambda xp: xp.diff(xp.array([1, 3, 6, 11]), n=2),
    "diff not at all": lambda xp: xp.diff(xp.arange(3), n=0),
    "diff axis": lambda xp: xp.diff(grid(xp) ** 2, axis=0),
    "diff bool": lambda xp: xp.diff(xp.array([True, False, False])),
    "diff unsigned": lambda xp: xp.diff(xp.array([3, 1], "u1")),
    "diff prepend": lambda xp: xp.diff(grid(xp), prepend=0),
    "diff append": lambda xp: xp.diff(grid(xp), append=grid(xp)[:, :2]),
    "diff too often": lambda xp: xp.diff(xp.arange(3), n=5),
    "diff negative": lambda xp: xp.diff(xp.arange(3), n=-1),
    "diff 0-d": lambda xp: xp.diff(xp.array(3)),
    "ediff1d": lambda xp: xp.ediff1d(xp.array([1, 2, 4, 7, 0])),
    "ediff1d ends": lambda xp: xp.ediff1d(
        xp.array([1, 2, 4]), to_begin=xp.array([-9]), to_end=xp.array([8, 9])
    ),
    "gradient": lambda xp: xp.gradient(xp.array([1.0, 2, 4, 7, 11])),
    "gradient of ints": lambda xp: xp.gradient(xp.array([1, 2, 4, 7, 11])),
    "gradient spacing": lambda xp: xp.gradient(xp.array([1.0, 2, 4, 7, 11]), 2.0),
    "gradient points": lambda xp: xp.gradient(xp.array([1.0, 2, 4, 7]), xp.array([0.0, 1, 1.5, 4])),
    "gradient edge 2": lambda xp: xp.gradient(xp.array([1.0, 2, 4, 7, 11]), edge_order=2),
    "gradient points, edge 2": lambda xp: xp.gradient(
        xp.array([1.0, 2, 4, 7]), xp.array([0.0, 1, 1.5, 4]), edge_order=2
    ),
    "gradient 2-d": lambda xp: xp.gradient(grid(xp, (3, 4), "f8") ** 2),
    "gradient axis": lambda xp: xp.gradient(grid(xp, (3, 4), "f4") ** 2, axis=0),
    "gradient short": lambda xp: xp.gradient(xp.array([1.0])),
    "gradient arguments": lambda xp: xp.gradient(grid(xp, (3, 4), "f8"), 1.0, 2.0, 3.0),
    "trapezoid": lambda xp: xp.trapezoid(xp.array([1.0, 2, 4])),
    "trapezoid x": lambda xp: xp.trapezoid(xp.array([1.0, 2, 4]), xp.array([0.0, 1, 3])),
    "trapezoid axis": lambda xp: xp.trapezoid(grid(xp, (3, 4), "f8"), dx=0.5, axis=0),
    "angle": lambda xp: xp.angle(xp.array([1, 1j, -1, 1 + 1j])),
    "angle deg": lambda xp: xp.angle(xp.array([1, 1j, -1, 1 + 1j]), deg=True),
    "angle of reals": lambda xp: xp.angle(xp.array([1.0, -1.0])),
    "sinc": lambda xp: xp.sinc(xp.linspace(-4, 4, 41)),
    "sinc of ints": lambda xp: xp.sinc(xp.arange(3)),
    "i0": lambda xp: xp.i0(xp.linspace(-12, 12, 31)),
    "i0 complex": lambda xp: xp.i0(xp.array([1j])),
    "select": lambda xp: xp.select(
        [xp.arange(6) < 3, xp.arange(6) > 3], [xp.arange(6), xp.arange(6) ** 2], 42
    ),
    "select weak": lambda xp: xp.select([xp.arange(3) > 1], [xp.ones(3, "f4")], 2.5),
    "select lengths": lambda xp: xp.select([xp.arange(3) > 1], [1, 2]),
    "select nothing": lambda xp: xp.select([], []),
    "select ints": lambda xp: xp.select([xp.arange(3)], [1]),
    "piecewise": lambda xp: xp.piecewise(
        xp.linspace(-2, 2, 6), [xp.linspace(-2, 2, 6) < 0], [-1, 1]
    ),
    "piecewise functions": lambda xp: xp.piecewise(
        xp.linspace(-2, 2, 6), [xp.linspace(-2, 2, 6) < 0], [lambda x: -x, lambda x: x + 10]
    ),
    "piecewise lengths": lambda xp: xp.piecewise(xp.arange(3), [xp.arange(3) > 1], [1, 2, 3]),
    "average": lambda xp: xp.average(xp.arange(1.0, 5)),
    "average weights": lambda xp: xp.average(xp.arange(1, 11), weights=xp.arange(10, 0, -1)),
    "average axis": lambda xp: xp.average(grid(xp, (3, 2)), axis=1, weights=xp.array([0.25, 0.75])),
    "average returned": lambda xp: xp.average(grid(xp, (3, 2)), axis=0, returned=True),
    "average keepdims": lambda xp: xp.average(grid(xp, (3, 2)), axis=1, keepdims=True),
    "average of no weight": lambda xp: xp.average(xp.arange(2), weights=xp.zeros(2)),
    "average weights' shape": lambda xp: xp.average(grid(xp, (3, 2)), weights=xp.ones(2)),
    "extract": lambda xp: xp.extract(grid(xp) % 3 == 0, grid(xp)),
    "place": lambda xp: after(xp, xp.place, grid(xp), grid(xp) > 5, xp.array([44, 55])),
    "append": lambda xp: xp.append(xp.arange(3), grid(xp)),
    "append axis": lambda xp: xp.append(grid(xp), grid(xp), axis=0),
    "append scalar": lambda xp: xp.append(xp.arange(3), 7),
    "append 0-d": lambda xp: xp.append(xp.array(3), 7),
    "chkfinite": lambda xp: xp.asarray_chkfinite([1.0, 2.0]),
    "chkfinite nan": lambda xp: xp.asarray_chkfinite([1.0, np.nan]),
}


@pytest.mark.parametrize("name", TABLE)
def test_table(name):
    check(TABLE[name], rtol=1e-13 if name[:4] in ("sinc", "i0", "grad", "angl", "aver") else None)


DELETE = [1, -1, [0, 2], [], slice(None, None, 2), slice(3, 0, -1), [True, False, True, False],
          np.array([1, 1]), 4, [9], [[0, 1]]]  # fmt: skip


@pytest.mark.parametrize("index", DELETE, ids=str)
def test_delete(index):
    check(lambda xp: xp.delete(xp.arange(4), index))
    check(lambda xp: xp.delete(grid(xp), index, axis=1), order=False)
    check(lambda xp: xp.delete(grid(xp, (4, 3)).T, index, axis=1), order=False)


def test_delete_flattens():
    check(lambda xp: xp.delete(grid(xp), [1, 5, 6]))
    check(lambda xp: xp.delete(grid(xp), xp.array([1, 5])))


INSERT = {
    "scalar": (1, 9),
    "end": (4, 9),
    "negative": (-1, 9),
    "several": ([0, 2], 9),
    "several values": ([0, 2], [7, 8]),
    "unordered": ([3, 0, 1], [7, 8, 9]),
    "repeated": ([1, 1], [7, 8]),
    "sequence": (2, [7, 8, 9]),
    "slice": (slice(1, 4, 2), [7, 8]),
    "nowhere": ([], []),
    "mask": (np.array([False, True, False, True]), 5),
    "out of bounds": (7, 1),
    "one out of bounds": ([0, 9], 1),
    "wrong length": ([0, 1], [7, 8, 9]),
    "cast": (1, 2.9),
}


@pytest.mark.parametrize("name", INSERT)
def test_insert(name):
    index, values = INSERT[name]
    check(lambda xp: xp.insert(xp.arange(4), index, values))


def test_insert_axis():
    check(lambda xp: xp.insert(grid(xp), 1, 5, axis=1))
    check(lambda xp: xp.insert(grid(xp), 1, xp.array([7, 8, 9]), axis=1))
    check(lambda xp: xp.insert(grid(xp), [1], xp.array([[7], [8], [9]]), axis=1))
    check(lambda xp: xp.insert(grid(xp), [0, 2], xp.array([7, 8]), axis=1))
    check(lambda xp: xp.insert(grid(xp), 0, grid(xp)[:2], axis=0))
    check(lambda xp: xp.insert(grid(xp), 1, xp.arange(2)))


@pytest.mark.parametrize("name", ["blackman", "bartlett", "hanning", "hamming"])
@pytest.mark.parametrize("size", [-1, 0, 1, 2, 5, 12])
def test_windows(name, size):
    check(lambda xp: getattr(xp, name)(size), rtol=1e-13, atol=1e-16)


def test_kaiser():
    check(lambda xp: xp.kaiser(12, 14), rtol=1e-12)
    check(lambda xp: xp.kaiser(1, 3))


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("layout", ["c", "f", "reversed"])
def test_views_of_every_dtype(dtype, layout, rng):
    values = cases.values(dtype, (3, 4), rng)
    check(lambda xp: xp.rot90(cases.arrange(xp, values, layout)))
    check(lambda xp: xp.flip(cases.arrange(xp, values, layout), 0))


def test_meshgrid_views():
    x, y = cp.meshgrid(cp.arange(3), cp.arange(2), copy=False)
    assert x.strides == (0, 8) and y.strides == (8, 0)


def test_refused():
    assert_raises_same(lambda xp: xp.gradient(xp.ones(5), edge_order=3))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("axis", [0, 1, None])
def test_delete_and_insert_of_many_positions(axis, order, rng):
    values = np.asarray(rng.random((90, 110)), order=order)
    n = values.size if axis is None else values.shape[axis]
    some = rng.integers(-n, n, 80)
    few = rng.integers(0, n, 80)
    # NumPy answers with the order its own mask indexing happens to leave: values are compared
    for places in (some, np.sort(some), [3, 3, -1], np.arange(5, 60), -1, n - 1):
        check(
            lambda xp, places=places: xp.ascontiguousarray(
                xp.delete(xp.asarray(values), places, axis)
            )
        )
    for places in (few, np.sort(few), [3, 3, -1], np.arange(5, 60), [0, n]):
        check(lambda xp, places=places: xp.insert(xp.asarray(values), places, 7, axis))
    new = rng.random(80 if axis is None else (80, 110) if axis == 0 else (90, 80))
    check(lambda xp: xp.insert(xp.asarray(values), few, xp.asarray(new), axis))
    check(lambda xp: xp.delete(xp.asarray(values), [n + 3, 1], axis))
    check(lambda xp: xp.delete(xp.asarray(values), True, axis))


@pytest.mark.parametrize("dtype", ["?", "i4", "f2", "f4", "f8", "c8"])
def test_trapezoid(dtype, rng):
    y = (rng.normal(size=(4, 1031)) * 4).astype(dtype)
    x = np.sort(rng.normal(size=1031))
    options = {
        "rtol": 2e-2 if dtype == "f2" else 1e-4 if dtype in ("f4", "c8") else 1e-12,
        "order": False,
    }
    check(lambda xp: xp.trapezoid(xp.asarray(y)), **options)
    check(lambda xp: xp.trapezoid(xp.asarray(y)[:, ::-3], dx=0.25), **options)
    check(lambda xp: xp.trapezoid(xp.asarray(y), axis=0), **options)
    check(lambda xp: xp.trapezoid(xp.asarray(y), xp.asarray(x)), **options)
    check(lambda xp: xp.trapezoid(xp.asarray(y), xp.asarray(y.real)), **options)
    check(lambda xp: xp.trapezoid(xp.asarray(y)[:, :1]))
    check(lambda xp: xp.trapezoid(xp.asarray(y)[:0], axis=-1))
    check(lambda xp: xp.trapezoid(xp.asarray(y)[:, :0]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_delete_by_a_mask(order, rng):
    values = np.asarray(rng.random((60, 50)), order=order)
    for axis, n in ((0, 60), (1, 50), (None, 3000)):
        for mask in (rng.random(n) < 0.5, np.zeros(n, bool), np.ones(n, bool)):

            def body(xp, mask=mask, axis=axis):
                return xp.delete(xp.asarray(values), xp.asarray(mask), axis)

            check(body, order=False)
    assert_raises_same(lambda xp: xp.delete(xp.zeros(4), xp.asarray([True, False])))
    out = cp.delete(cp.asarray(values), cp.asarray(rng.random(60) < 0.5), 0)
    assert out.flags.f_contiguous == (order == "F")

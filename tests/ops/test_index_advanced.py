"""Indexing by masks and integer arrays, get and set, against NumPy; nonzero and its family; take."""

import cases
import numpy as np
import pytest
from cases import DTYPES
from check import assert_raises_same, check, to_numpy

import gpunp as cp

I = np.array  # an index array, moved over by `key`


def key(xp, parts):
    """The parts of a key with its NumPy arrays as arrays of `xp`."""
    moved = tuple(xp.asarray(p) if isinstance(p, np.ndarray) else p for p in parts)
    return moved if len(moved) != 1 else moved[0]


def is_mask(part):
    return getattr(part, "dtype", None) == np.dtype(bool)


ALL = slice(None)
M2 = np.arange(20).reshape(4, 5) % 3 == 0
KEYS = [
    (I([1, 3, 0]),), (I([-1, -4]),), (I([[0, 1], [2, 3]]),), (I([], int),), (I(2),),
    (I([1, 2]), I([0, 4])), (I([[1], [2]]), I([0, 4, 2])), (I([1, 2]), ALL, I([3, 5])),
    (ALL, I([1, 2])), (ALL, I([1, 2]), ALL), (ALL, ALL, I([0, 2, 5])), (..., I([0, 2])),
    (I([1, 2]), 3), (2, I([1, 2])), (ALL, 2, I([1, 2])), (I([1, 2]), ALL, 3), (I([0, 1]), None, I([2, 1])),
    (None, I([1, 2])), (slice(1, None, 2), I([1, 2])), (I([1, 2]), slice(None, None, -2)),
    (slice(3, None, -1), I([0, 0, 4]), slice(1, 4)), (I([1, 0], "u1"), I([2, 3], "i2")),
    (I([0, 1]), I([2, 3]), I([4, 5])), (I([[0], [1]]), I([[2, 3]]), 1),
    (M2,), (M2, ALL), (M2, 3), (M2, I([1])), (M2[:, 0],), (ALL, M2[0]), (M2[:, 0], ALL, slice(1, 3)),
    (M2[:, 0], I([1, 2]),), (..., np.arange(6) % 2 == 0), (M2[:, 0], M2[0]), (np.zeros((4, 5), bool),),
    (np.ones((4, 5, 6), bool),), (np.arange(120).reshape(4, 5, 6) % 7 == 2,), (True,), (False,), (True, I([1, 2])),
]  # fmt: skip
IDS = [repr(k).replace("array", "").replace("\n", "")[:60] for k in KEYS]


@pytest.mark.parametrize("parts", KEYS, ids=IDS)
def test_get(parts, rng):
    values = rng.normal(size=(4, 5, 6))
    check(lambda xp: xp.asarray(values)[key(xp, parts)], order=False)
    check(lambda xp: xp.asarray(values.T.copy()).T[key(xp, parts)], order=False)
    check(lambda xp: xp.asarray(np.repeat(values, 2, 2))[:, :, ::2][key(xp, parts)], order=False)


@pytest.mark.parametrize("parts", KEYS, ids=IDS)
def test_set(parts, rng):
    values = rng.normal(size=(4, 5, 6))
    shape = values[parts if len(parts) != 1 else parts[0]].shape

    def put(xp, value):
        a = xp.asarray(values.copy())
        a[key(xp, parts)] = xp.asarray(value) if isinstance(value, np.ndarray) else value
        return a

    check(lambda xp: put(xp, 7))
    check(lambda xp: put(xp, 7.5))
    check(lambda xp: put(xp, np.array(3, "f4")))
    # Where one place is named twice the result is open, so the same value goes to all of a row.
    if len(shape) > 0 and np.prod(shape) > 0:
        count = np.zeros((4, 5, 6), int)
        np.add.at(count, parts if len(parts) != 1 else parts[0], 1)
        if count.max() == 1:
            new = rng.normal(size=shape)
            check(lambda xp: put(xp, new))
            if len(parts) > 1 or not is_mask(parts[0]):  # NumPy refuses 2-d values
                check(lambda xp: put(xp, new[None]))
            check(lambda xp: put(xp, (10 * new).astype("i4")))
            check(lambda xp: put(xp, new[..., :1]))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype, rng):
    values = cases.values(dtype, (30, 7), rng)
    mask, index = values[:, 0] != values[0, 0], rng.integers(-30, 30, 11)
    check(lambda xp: xp.asarray(values)[xp.asarray(mask)])
    check(lambda xp: xp.asarray(values)[xp.asarray(index)])
    check(lambda xp: xp.asarray(values[:, 1].copy())[xp.asarray(mask)])

    def put(xp):
        a = xp.asarray(values.copy())
        a[xp.asarray(mask)] = a[:1]
        a[xp.asarray(index)] = xp.asarray(values[3])
        return a

    check(put)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 8191, 8192, 8193, 16385, 50_000])
@pytest.mark.parametrize("density", [0.0, 0.03, 0.5, 1.0])
def test_mask_sizes(size, density, rng):
    values, mask = rng.normal(size=size), rng.uniform(size=size) < density
    check(lambda xp: xp.asarray(values)[xp.asarray(mask)])
    check(lambda xp: xp.nonzero(xp.asarray(mask)))
    check(lambda xp: xp.asarray(values)[1:][xp.asarray(mask)[1:]])

    def put(xp):
        a = xp.asarray(values.copy())
        a[xp.asarray(mask)] = xp.asarray(np.arange(mask.sum(), dtype="f8"))
        return a

    check(put)


def test_mask_with_the_array_itself(rng):
    values = rng.normal(size=(50, 60))

    def body(xp):
        z = xp.asarray(values.copy())
        mask = xp.abs(z) < 1
        z[mask] = z[mask] * z[mask] + 1
        z[z > 5] = 0
        z[mask] += 2
        return z

    check(body)


def test_mask_assignment_of_rows(rng):
    values = rng.normal(size=(6, 7, 3))
    mask = values[..., 0] > 0

    def body(xp):
        image = xp.asarray(values.copy())
        image[xp.asarray(mask)] = xp.asarray(np.array([1.0, 2.0, 3.0]))
        image[xp.asarray(~mask), 1] = 9
        return image

    check(body)


@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 4), (0,), (0, 3), (30, 400)])
def test_nonzero_family(shape, dtype, rng):
    values = rng.integers(0, 2, shape).astype(dtype)
    for name in ("nonzero", "flatnonzero", "argwhere"):
        check(lambda xp, name=name: getattr(xp, name)(xp.asarray(values)), order=False)
    check(lambda xp: xp.asarray(values.T).nonzero())
    check(lambda xp: xp.asarray(values.T).T[::2].nonzero())


def test_nonzero_of_a_scalar_is_refused():
    assert_raises_same(lambda xp: xp.asarray(1).nonzero())


def test_out_of_bounds_wraps():
    a = cp.arange(3)
    assert to_numpy(a[cp.asarray([1, 3])]).tolist() == [1, 0]
    assert to_numpy(a[[-4, 5, 300]]).tolist() == [2, 2, 0]
    a[[1, 3]] = 10
    assert to_numpy(a).tolist() == [10, 10, 2]


def test_index_mode_raise(rng):
    values = rng.normal(size=(4, 5))
    assert cp.set_index_mode("raise") == "wrap"
    try:
        for index in ([0, 4], [-5, 0], [3, -4], [[0, 9]]):
            check(lambda xp: xp.asarray(values)[xp.asarray(np.array(index))])
            check(lambda xp: xp.take(xp.asarray(values), xp.asarray(np.array(index)), axis=0))
            check(lambda xp: xp.take(xp.asarray(values), xp.asarray(np.array(index)), mode="wrap"))
        check(lambda xp: xp.asarray(values)[xp.asarray([0, 1]), xp.asarray([4, 5])])
        check(lambda xp: xp.asarray(values)[xp.asarray(values) > 0])
    finally:
        assert cp.set_index_mode("wrap") == "raise"
    with pytest.raises(ValueError):
        cp.set_index_mode("maybe")


def test_index_into_nothing_is_refused():
    assert_raises_same(lambda xp: xp.zeros((0, 3))[xp.asarray([0])])
    check(lambda xp: xp.zeros((0, 3))[xp.asarray(np.zeros(0, int))])


def test_duplicates_store_one_of_the_values():
    a = cp.zeros(2)
    a[cp.arange(1000) % 2] = cp.arange(1000).astype("f4")
    got = to_numpy(a)
    assert got[0] % 2 == 0 and got[1] % 2 == 1


def test_many_index_arrays(rng):
    values = rng.normal(size=(2, 3, 2, 3, 2, 3, 2, 2))
    index = [rng.integers(-n, n, 50) for n in values.shape]
    check(lambda xp: xp.asarray(values)[tuple(xp.asarray(i) for i in index)])
    check(lambda xp: xp.asarray(values)[::-1][tuple(xp.asarray(i) for i in index)])


def test_wide_rows(rng):
    """Rows of several bytes-per-item widths, aligned and not."""
    index = rng.integers(0, 40, 25)
    for columns in (1, 3, 4, 8, 16, 33, 64):
        for dtype in ("i1", "f2", "f4", "f8", "c16"):
            values = cases.values(dtype, (40, columns), rng)
            check(lambda xp: xp.asarray(values)[xp.asarray(index)])
            check(lambda xp: xp.asarray(values)[:, 1:][xp.asarray(index)])


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_take(axis, rng):
    values = rng.normal(size=(4, 5, 6))
    for index in ([0, 2, 1], [[1, 0], [3, 2]], 2, [], np.array([1, -1], "i1"), True):
        check(
            lambda xp, index=index: xp.take(
                xp.asarray(values),
                index if isinstance(index, int) else xp.asarray(np.array(index, int)),
                axis,
            )
        )
    check(lambda xp: xp.asarray(values).take(xp.asarray([0, 1]), axis=axis))


def test_take_modes(rng):
    values = rng.normal(size=(4, 5))
    index = np.array([-9, -1, 0, 3, 4, 11])
    for mode in ("wrap", "clip"):
        check(lambda xp, mode=mode: xp.take(xp.asarray(values), xp.asarray(index), 0, mode=mode))
    assert_raises_same(lambda xp: xp.take(xp.asarray(values), xp.asarray([0]), 0, mode="no"))
    assert_raises_same(lambda xp: xp.take(xp.asarray(values), xp.asarray([0]), 2))
    assert_raises_same(lambda xp: xp.take(xp.asarray(values), xp.asarray([0.5]), 0))

    def out(xp):
        result = xp.empty((2, 5))
        xp.take(xp.asarray(values), xp.asarray([3, 1]), 0, out=result)
        return result

    check(out)


def test_errors():
    a = lambda xp: xp.zeros((3, 4))  # noqa: E731

    def put(xp, k, value):
        x = a(xp)
        x[k(xp)] = value(xp)

    for body in [
        lambda xp: a(xp)[xp.asarray([0, 1]), xp.asarray([0, 1, 2])],
        lambda xp: a(xp)[xp.ones(4, bool)],
        lambda xp: a(xp)[xp.ones((3, 3), bool)],
        lambda xp: a(xp)[xp.asarray([0.5])],
        lambda xp: a(xp)[xp.asarray([0]), xp.asarray([0]), xp.asarray([0])],
        lambda xp: put(xp, lambda xp: xp.asarray([0, 1]), lambda xp: xp.zeros(3)),
        lambda xp: put(xp, lambda xp: a(xp) == 0, lambda xp: xp.zeros(5)),
        lambda xp: put(xp, lambda xp: xp.asarray([0, 1]), lambda xp: xp.zeros((2, 2, 4))),
    ]:
        assert_raises_same(body)


def test_unaligned_memory(rng):
    values = rng.normal(size=(6, 5)).astype("f4")

    def view(xp, values):
        raw = xp.asarray(np.concatenate([[0], values.view("u1").ravel()]).astype("u1"))
        return raw[1:].view(values.dtype).reshape(values.shape)

    index = np.array([3, 1])
    check(lambda xp: view(xp, values)[xp.asarray(index)])
    check(lambda xp: view(xp, values)[view(xp, values) > 0])
    check(lambda xp: xp.take(view(xp, values), xp.asarray(index), 1))
    check(lambda xp: xp.asarray(values)[view(xp, index)])

    def put(xp):
        a = view(xp, values)
        a[xp.asarray(index)] = view(xp, values[:2].copy())
        a[a < 0] = 0
        return a

    check(put)


@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 5, 1), (3, 1, 4, 1, 2), (1, 9000), (200, 50), (2,) * 9]
)
def test_coordinates_of_many_axes(shape, rng):
    values = rng.random(shape) < 0.4
    for layout in ("c", "f", "strided", "reversed", "broadcast"):
        check(lambda xp, k=layout: cases.arrange(xp, values, k).nonzero())
        check(lambda xp, k=layout: xp.argwhere(cases.arrange(xp, values, k)))
    check(lambda xp: xp.asarray(np.zeros(shape)).nonzero())
    check(lambda xp: xp.where(xp.ones(shape)))


def test_argwhere_of_a_number():
    for value in (0, 1, 2.5):
        check(lambda xp, v=value: xp.argwhere(xp.asarray(v)))


def test_a_mask_over_axes_that_are_not_one_in_memory(rng):
    values, mask = rng.random((6, 8, 5)), rng.random((6, 4)) < 0.5

    def body(xp, mask=mask):
        a = xp.asarray(values.copy())[:, ::2]
        taken = a[xp.asarray(mask)]
        a[xp.asarray(mask)] = xp.asarray(np.arange(5.0))
        a[xp.asarray(mask), 1:3] = xp.ones((int(mask.sum()), 2))
        return [taken, a]

    check(body)
    check(lambda xp: body(xp, mask & False))


def test_the_result_lies_as_its_indices_do(rng):
    i, j = (np.asfortranarray(rng.integers(0, 9, (4, 6))) for _ in range(2))
    for body in (
        lambda a, x, y: a[:, 0][x],
        lambda a, x, y: a[x, y],
        lambda a, x, y: a[x, y.copy()],
        lambda a, x, y: a[x, 3],
        lambda a, x, y: a[x],
        lambda a, x, y: a[:, 0][x.copy()],
        lambda a, x, y: a[:, 0][x[:, :1]],
        lambda a, x, y: a[:, 0].take(x),
    ):
        check(lambda xp, f=body: f(xp.arange(90).reshape(9, 10), xp.asarray(i), xp.asarray(j)))


@pytest.mark.parametrize(
    "write",
    [
        lambda xp, a, v: a.__setitem__(a, v),
        lambda xp, a, v: a.__setitem__(a[::-1], v),
        lambda xp, a, v: xp.add.at(a, a, 1),
        lambda xp, a, v: xp.put(a, a, v),
        lambda xp, a, v: xp.put(a, a[::-1], v[::-1]),
        lambda xp, a, v: xp.put_along_axis(a, a, v, 0),
    ],
    ids=["set", "reversed", "at", "put", "put reversed", "along"],
)
def test_indices_in_the_memory_that_is_written(write, rng):
    """The indices are those from before the call."""
    places, values = rng.permutation(5000), rng.integers(0, 5000, 5000)

    def body(xp):
        a = xp.asarray(places.copy())
        write(xp, a, xp.asarray(values))
        return a

    check(body)

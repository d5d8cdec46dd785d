"""Arguments in unusual forms: counts in arrays, empty and n-d coefficients, NaN edges, huge ints."""

import numpy as np
import pytest
from check import check

import gpunp as cp

SECTIONS = [
    3,
    np.int64(3),
    np.asarray(3),
    np.asarray([1, 3]),
    3.0,
    2.5,
    True,
    "2",
    [],
    [1, 3],
    (1, 3),
    [1.0],
    [[1, 3]],
    [-1, 9],
    [None, 2],
    0,
    -1,
    4,
    None,
]


@pytest.mark.parametrize("sections", SECTIONS, ids=repr)
@pytest.mark.parametrize("name", ["split", "array_split", "hsplit", "vsplit", "dsplit"])
def test_split_takes_counts_and_positions_in_any_form(name, sections):
    for shape in [(6,), (6, 6, 6), (0, 2), ()]:
        check(lambda xp, shape=shape: getattr(xp, name)(xp.zeros(shape), sections))


@pytest.mark.parametrize("values", [3, [1, 3], [[1, 3]], [1.0]], ids=repr)
def test_split_takes_device_arrays(values):
    check(lambda xp: xp.split(xp.arange(6), xp.asarray(values)))
    check(lambda xp: xp.array_split(xp.arange(7), xp.asarray(values)))


@pytest.mark.parametrize("x", [np.arange(3.0), np.arange(3), np.float32(2), np.inf, -0.0], ids=repr)
@pytest.mark.parametrize(
    "shape", [(0,), (1,), (3,), (2, 3), (0, 3), (2, 0), (2, 1, 3), ()], ids=str
)
@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "c16"])
def test_polyval_of_coefficients_of_any_shape(shape, dtype, x):
    p = np.arange(np.prod(shape), dtype=dtype).reshape(shape)
    check(lambda xp: xp.polyval(xp.asarray(p), xp.asarray(x)))


NAN = float("nan")
BINS = [
    [NAN, NAN, NAN],
    [NAN],
    [],
    [NAN, NAN, 1],
    [NAN, 2, 1],
    [0, 1, NAN],
    [1, 1, 1],
    [1, 1, 2],
    [2, 1, 1],
    [0],
]


@pytest.mark.parametrize("bins", BINS, ids=repr)
@pytest.mark.parametrize("right", [False, True])
def test_digitize_of_edges_with_nan(bins, right):
    x = [-1.0, 0.0, 1.0, 1.5, 2.0, 3.0, NAN]
    check(lambda xp: xp.digitize(xp.asarray(x), np.asarray(bins).tolist(), right))
    check(lambda xp: xp.digitize(xp.asarray(x), xp.asarray(bins), right))


@pytest.mark.parametrize(
    "bins", [[0, 2, 1], [2, 0, 1], [1, NAN, 2, 1, 0, 3], [0, 0, 1, 0]], ids=repr
)
def test_digitize_of_edges_out_of_order(bins):
    check(lambda xp: xp.digitize(xp.arange(3.0), bins))


HUGE = [2**63, 2**64, -(2**63) - 1]


@pytest.mark.parametrize("n", HUGE, ids=str)
@pytest.mark.parametrize("name", ["eye", "identity", "zeros", "ones", "empty"])
def test_lengths_beyond_int64(name, n):
    check(lambda xp: getattr(xp, name)(n))
    check(lambda xp: getattr(xp, name)(n))


@pytest.mark.parametrize("k", [2**63 - 1, -(2**63), *HUGE, 2, -2, 5, -5], ids=str)
def test_diagonals_far_outside(k):
    check(lambda xp: xp.eye(3, 4, k))
    near = max(-9, min(k, 9))
    for name in ["tri", "tril", "triu"]:
        given = (3, 4) if name == "tri" else (np.ones((3, 4)),)
        ours = getattr(cp, name)(*[cp.asarray(g) if name != "tri" else g for g in given], k=k)
        assert ours.tolist() == getattr(np, name)(*given, k=near).tolist()


@pytest.mark.parametrize("n", [0, -1, -(2**40)])
def test_identity_of_no_rows(n):
    check(lambda xp: xp.identity(n))


@pytest.mark.parametrize("repeats", [[], [1], 1, 2, 0, [0], [1, 2], [[1, 2]], [1.5], -1], ids=repr)
@pytest.mark.parametrize("values", [[], [1, 2], [[1, 2], [3, 4]], 3], ids=repr)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_repeat(values, repeats, axis):
    check(lambda xp: xp.repeat(xp.asarray(values), repeats, axis=axis))
    if repeats != [1.5]:
        counts = np.asarray(repeats, "i8")
        check(lambda xp: xp.repeat(xp.asarray(values), xp.asarray(counts), axis=axis))


@pytest.mark.parametrize(
    "reps", [1.5, [1.0, 2], [True, 2], np.asarray([2, 1]), (), None, [0]], ids=repr
)
def test_tile(reps):
    check(lambda xp: xp.tile(xp.arange(3), reps))


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_of_few_dimensions(name):
    for shape in [(), (3,), (0,), (0, 3), (2, 3, 4), (2, 0, 3)]:
        check(lambda xp, shape=shape: getattr(xp, name)(xp.ones(shape)))


TAKEN = [((0,), 0), ((0, 3), 0), ((3, 0), 1), ((3, 0, 0), 1), ((0, 2, 0), 0), ((0, 0), 1)]


@pytest.mark.parametrize("indices", [[0, 0], [], 0], ids=repr)
@pytest.mark.parametrize("shape, axis", TAKEN, ids=str)
def test_take_clip_from_an_empty_axis(shape, axis, indices):
    at = np.asarray(indices, "i8")
    check(lambda xp: xp.take(xp.zeros(shape), xp.asarray(at), axis, mode="clip"))


@pytest.mark.parametrize("name", ["take", "compress", "argsort", "argpartition"])
@pytest.mark.parametrize("axis", [None, 0, -1, 1])
def test_axes_of_numbers(name, axis):
    """The older functions of NumPy see a 0-d array as one of one element."""
    arguments = {"take": ([0, 0],), "compress": ([True],), "argsort": (), "argpartition": (0,)}

    def body(xp):
        a = xp.asarray(3.0)
        if name == "compress":
            return xp.compress(*arguments[name], a, axis=axis)
        return getattr(xp, name)(a, *arguments[name], axis=axis)

    check(body)


def test_argwhere_of_numbers():
    for value in (0, 1, True, 2.5, float("nan")):
        check(lambda xp, v=value: xp.argwhere(xp.asarray(v)))
        check(lambda xp, v=value: xp.argwhere(v))
        check(lambda xp, v=value: xp.flatnonzero(xp.asarray(v)))


def test_next_fast_len_of_nothing():
    import scipy.fft

    import gpunp.scipy.fft

    for real in (False, True):
        assert gpunp.scipy.fft.next_fast_len(0, real) == scipy.fft.next_fast_len(0, real) == 0
    assert gpunp.scipy.fft.next_fast_len(1) == 1

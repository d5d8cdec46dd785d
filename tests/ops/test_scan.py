"""Scans along one axis: cumsum and its kind, in all layouts, with every kernel they choose from."""

import cases
import numpy as np
import pytest
from check import assert_raises_same, check, to_numpy

import gpunp as cp

# Rows shorter than a warp, of several tiles, and long enough to be cut into tiles that look back;
# columns narrower and wider than a strip, and axes of several tiles of them.
SHAPES = [(3, 4), (70, 300), (2, 21000), (1200, 3), (300, 70), (40, 5, 30), (6, 150, 2)]


def tolerance(dtype):
    """Sums in another order: a few units of the dtype relative to the largest."""
    name = np.dtype(dtype).name
    return {
        "bfloat16": {"rtol": 0.2, "atol": 4.0},
        "float16": {"rtol": 2e-2, "atol": 0.5},
        "float32": {"rtol": 1e-4, "atol": 1e-2},
        "complex64": {"rtol": 1e-4, "atol": 1e-2},
        "float64": {"rtol": 1e-10, "atol": 1e-9},
        "complex128": {"rtol": 1e-10, "atol": 1e-9},
    }.get(name, {})


@pytest.mark.parametrize("dtype", cases.DTYPES, ids=str)
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_cumsum_of_every_dtype(dtype, axis, rng):
    values = cases.values(dtype, (37, 45), rng)
    check(lambda xp: xp.cumsum(xp.asarray(values), axis=axis), **tolerance(dtype))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f4", "F", "D"])
def test_cumprod_of_every_dtype(dtype, rng):
    values = cases.values(dtype, (2, 30), rng)
    if np.dtype(dtype).kind in "fc":
        values = values / np.maximum(abs(values), 1e-3)
    check(lambda xp: xp.cumprod(xp.asarray(values), axis=1), **tolerance(dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_every_axis_of_many_shapes(shape, dtype, rng):
    values = rng.integers(-9, 9, shape).astype(dtype)  # sums of whole numbers are exact
    for axis in [None, *range(-len(shape), len(shape))]:
        check(lambda xp, axis=axis: xp.cumsum(xp.asarray(values), axis=axis))


@pytest.mark.parametrize("layout", cases.LAYOUTS)
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_layouts(layout, axis, rng):
    values = rng.integers(0, 99, (7, 60, 9)).astype("i2")
    check(lambda xp: xp.cumsum(cases.arrange(xp, values, layout), axis=axis))


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 1000, 16384, 16385, 300001])
@pytest.mark.parametrize("dtype", ["i1", "i8", "f4"])
def test_lengths(n, dtype, rng):
    values = rng.integers(0, 2, n).astype(dtype)
    check(lambda xp: xp.cumsum(xp.asarray(values)))
    check(lambda xp: xp.cumsum(xp.asarray(values)[1:]))


@pytest.mark.parametrize("n", [20000, 1100000])
def test_the_order_of_operations_is_fixed(n, rng):
    values = cp.asarray(rng.normal(size=n).astype("f4"))
    first = to_numpy(cp.cumsum(values))
    for _ in range(2):
        np.testing.assert_array_equal(first, to_numpy(cp.cumsum(values)))
    exact = np.cumsum(to_numpy(values).astype("f8"))
    assert abs(first - exact).max() < 1e-3 * np.sqrt(n / 20000)


def test_special_values():
    inf, nan = np.inf, np.nan
    for row in [[-0.0, -0.0], [1, inf, -inf, 2], [nan, 1], [1, nan, 1], [inf, inf]]:
        check(lambda xp, row=row: xp.cumsum(xp.asarray(row)))
        check(lambda xp, row=row: xp.cumprod(xp.asarray(row)))
        check(lambda xp, row=row: xp.nancumsum(xp.asarray(row)))
        check(lambda xp, row=row: xp.nancumprod(xp.asarray(row)))
        check(lambda xp, row=row: xp.maximum.accumulate(xp.asarray(row)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "F", "i4"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_nan_is_left_out(dtype, axis, rng):
    values = rng.integers(1, 4, (9, 8)).astype(dtype)
    if np.dtype(dtype).kind != "i":
        values[rng.random(values.shape) < 0.3] = np.nan
    check(lambda xp: xp.nancumsum(xp.asarray(values), axis=axis))
    if dtype not in ("f2", "f4", "F"):
        check(lambda xp: xp.nancumprod(xp.asarray(values), axis=axis), ulp=1)


@pytest.mark.parametrize("dtype", ["i1", "u4", "f4", "f8", "c8", "?"])
def test_asked_for_dtypes(dtype):
    check(lambda xp: xp.cumsum(xp.arange(15), dtype=dtype))
    check(lambda xp: xp.cumsum(xp.arange(15.0), dtype=dtype))
    check(lambda xp: xp.cumsum(xp.arange(15), out=xp.zeros(15, dtype)))
    check(lambda xp: xp.cumsum(xp.arange(15), dtype="f4", out=xp.zeros(15, dtype)))


@pytest.mark.parametrize("axis", [0, 1])
def test_out(axis, rng):
    values = rng.integers(0, 9, (50, 70))

    def into(xp, out):
        assert xp.cumsum(xp.asarray(values), axis=axis, out=out) is out
        return out

    check(lambda xp: into(xp, xp.zeros((50, 70), int)))
    check(lambda xp: into(xp, xp.zeros((70, 50), int).T))
    check(lambda xp: into(xp, xp.zeros((50, 140), int)[:, ::2]))
    check(lambda xp: into(xp, xp.zeros((100, 70), int)[::-2]))
    check(lambda xp: into(xp, xp.zeros((50, 70), "f4")[::-1, ::-1]))


@pytest.mark.parametrize("k", range(5))
@pytest.mark.parametrize("n", [12, 70000])
def test_overlapping(k, n):
    def body(xp):
        name, base, out, source = cases.overlapping(xp, n, "i8")[k]
        xp.cumsum(source, out=out)
        return base

    check(body)


def test_in_place_by_columns(rng):
    values = rng.integers(0, 9, (500, 40))

    def body(xp):
        a = xp.asarray(values.copy())
        return a.cumsum(axis=0, out=a)

    check(body)


def test_empty_and_scalar():
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 4)]:
        for axis in [None, *range(len(shape))]:
            check(lambda xp, shape=shape, axis=axis: xp.cumsum(xp.zeros(shape, "i2"), axis=axis))
    check(lambda xp: xp.cumsum(xp.asarray(3.0)))
    check(lambda xp: xp.asarray(3).cumprod(axis=0))
    check(lambda xp: xp.cumsum([1, 2, 3]))


def test_errors():
    assert_raises_same(lambda xp: xp.cumsum(xp.arange(4), axis=1))
    assert_raises_same(lambda xp: xp.cumsum(xp.arange(4), axis=(0,)))
    assert_raises_same(lambda xp: xp.cumsum(xp.arange(4), out=xp.zeros(5, int)))
    assert_raises_same(lambda xp: xp.cumsum(xp.ones((2, 2)), out=xp.zeros((2, 2))))
    assert_raises_same(lambda xp: xp.cumulative_sum(xp.ones((2, 2))))
    assert_raises_same(lambda xp: xp.cumsum(xp.arange(4), dtype="S3"))
    with pytest.raises(TypeError, match="asarray"):
        cp.cumsum(np.arange(3))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")  # NumPy gives it, too
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("dtype", ["?", "i2", "u1", "f4", "c16"])
def test_array_api_form(name, dtype):
    def body(xp, x, **options):
        return getattr(xp, name)(xp.asarray(x, dtype=dtype), **options)

    check(lambda xp: body(xp, [1, 2, 3]))
    check(lambda xp: body(xp, [1, 2, 3], include_initial=True))
    check(lambda xp: body(xp, [[1, 2, 3], [4, 5, 6]], axis=1, include_initial=True))
    check(lambda xp: body(xp, [[1, 2, 3], [4, 5, 6]], axis=0, dtype="f8", include_initial=True))
    check(lambda xp: body(xp, [1, 2], out=xp.zeros(3, "f8"), include_initial=True))


def test_cummax_and_cummin(rng):
    values = rng.normal(size=(30, 400))
    values[3, 100] = np.nan
    for ours, theirs in [(cp.cummax, np.maximum), (cp.cummin, np.minimum)]:
        for axis in (0, 1):
            np.testing.assert_array_equal(
                to_numpy(ours(cp.asarray(values), axis=axis)), theirs.accumulate(values, axis=axis)
            )
        np.testing.assert_array_equal(
            to_numpy(ours(cp.asarray(values))), theirs.accumulate(values.ravel())
        )

"""ufunc.accumulate, reduce and reduceat: every binary row, its dtypes, options and errors."""

import functools

import cases
import numpy as np
import pytest
from check import assert_raises_same, check, run_numpy

import gpunp as cp

ROWS = [
    row["name"]
    for row in cp._C.ufunc_table()
    if row["nin"] == 2 and row["nout"] == 1 and isinstance(getattr(np, row["name"], None), np.ufunc)
    if row["name"] != "ldexp"  # its result is no exponent; NumPy reduces integers all the same
]
ROUNDED = {"float16": 2e-2, "float32": 1e-4, "complex64": 1e-4}


def small(dtype, rng, shape=(4, 6)):
    """Values whose chains stay finite and whose shifts stay inside."""
    dtype = np.dtype(dtype)
    values = rng.integers(1, 4, shape)
    return values.astype(dtype) if dtype.kind in "?iub" else (values / 2).astype(dtype)


def by_steps(name, values, axis):
    """reduce as it is defined: NumPy's vector loops of power and arctan2 skip steps of floats."""
    steps = np.moveaxis(values, axis, 0)
    return functools.reduce(getattr(np, name), steps[1:], steps[0])


def check_rounded(body):
    """Like check; floats may differ, by another order or another library's functions."""
    try:
        dtype = run_numpy(body).dtype
    except Exception:
        dtype = np.dtype("?")
    exact = dtype.kind in "biu"
    check(body, **({} if exact else {"rtol": ROUNDED.get(dtype.name, 1e-11), "atol": 1e-7}))


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_every_row(name, dtype, rng):
    values = small(dtype, rng)
    f = lambda xp: getattr(xp, name)  # noqa: E731
    for axis in (0, 1):
        check_rounded(lambda xp, axis=axis: f(xp).accumulate(xp.asarray(values), axis))
        if name in ("power", "arctan2"):
            check_rounded(
                lambda xp, axis=axis: (
                    xp.asarray(by_steps(name, values, axis))
                    if xp is np
                    else f(xp).reduce(xp.asarray(values), axis)
                )
            )
        else:
            check_rounded(lambda xp, axis=axis: xp.asarray(f(xp).reduce(xp.asarray(values), axis)))
    if name not in ("power", "arctan2"):
        check_rounded(lambda xp: f(xp).reduceat(xp.asarray(values), [0, 3, 1, 5], axis=1))


@pytest.mark.parametrize("name", ["subtract", "divide", "copysign", "less", "lcm"])
def test_options_of_reduce(name, rng):
    f = lambda xp: getattr(xp, name)  # noqa: E731
    values = rng.integers(1, 4, (3, 4)) if name != "less" else rng.random((3, 4)) > 0.5

    def reduce(xp, x, *args, **kwargs):
        return xp.asarray(f(xp).reduce(xp.asarray(x), *args, **kwargs))

    check_rounded(lambda xp: reduce(xp, values, 1, keepdims=True))
    check_rounded(lambda xp: reduce(xp, values, axis=-1, initial=True))
    check_rounded(lambda xp: reduce(xp, values, 0, where=xp.asarray(values > 1), initial=1))
    check_rounded(lambda xp: reduce(xp, values, 0, where=xp.asarray(values > 1)))
    check_rounded(lambda xp: reduce(xp, values, None))
    check_rounded(lambda xp: reduce(xp, values, (0, 1)))
    check_rounded(lambda xp: reduce(xp, values, (1,)))
    check_rounded(lambda xp: reduce(xp, values[:, :0], 1))
    check_rounded(lambda xp: reduce(xp, values[:0], 1))
    check_rounded(lambda xp: reduce(xp, values[:, :0], 1, initial=1))
    check_rounded(lambda xp: reduce(xp, values[0, 0]))


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "logical_and"])
def test_dtype_and_out(name):
    def body(xp, method, **kwargs):
        return getattr(getattr(xp, name), method)(xp.arange(1, 7), **kwargs)

    check(lambda xp: body(xp, "accumulate", dtype="f4"))
    check(lambda xp: body(xp, "accumulate", dtype="?"))
    check(lambda xp: body(xp, "accumulate", out=xp.zeros(6, int)))
    check(lambda xp: body(xp, "accumulate", out=(xp.zeros(12, int)[::2],)))
    check(lambda xp: body(xp, "accumulate", out=xp.zeros(5, int)))
    if name != "logical_and":
        check(lambda xp: body(xp, "accumulate", out=xp.zeros(6, "f8")))
        check(lambda xp: body(xp, "reduceat", indices=[0, 3], out=xp.zeros(2, "f8")))
    check(lambda xp: body(xp, "reduceat", indices=[0, 3], dtype="f4"))
    check(lambda xp: body(xp, "reduceat", indices=[0, 3], out=xp.zeros(3, int)))


@pytest.mark.parametrize("name", ["add", "subtract", "minimum"])
@pytest.mark.parametrize("layout", cases.LAYOUTS)
def test_layouts(name, layout, rng):
    values = rng.integers(-50, 50, (6, 9, 5))
    f = lambda xp: getattr(xp, name)  # noqa: E731
    for axis in range(3):
        check(lambda xp, axis=axis: f(xp).accumulate(cases.arrange(xp, values, layout), axis))
        check(
            lambda xp, axis=axis: xp.asarray(f(xp).reduce(cases.arrange(xp, values, layout), axis)),
            order=False,
        )
        check(
            lambda xp, axis=axis: f(xp).reduceat(
                cases.arrange(xp, values, layout), [0, 2, 4, 1], axis
            ),
            order=False,
        )


@pytest.mark.parametrize("dtype", ["i8", "f8"])
def test_long_pieces(dtype, rng):
    values = rng.integers(0, 9, 3000).astype(dtype)
    for indices in ([0, 5, 6, 100, 2000], [2000, 100, 7], [2999], [0], list(range(0, 3000, 7))):
        check(lambda xp, i=indices: xp.add.reduceat(xp.asarray(values), i))
        check(lambda xp, i=indices: xp.add.reduceat(xp.asarray(values), xp.asarray(i)))
        check(lambda xp, i=indices: xp.subtract.reduceat(xp.asarray(values), i))


def test_no_pieces_and_scalars():
    check(lambda xp: xp.add.reduceat(xp.arange(4), []))
    check(lambda xp: xp.add.reduceat(xp.asarray(4), [0]))
    check(lambda xp: xp.add.accumulate(xp.asarray(4)))
    check(lambda xp: xp.subtract.accumulate(xp.zeros((0, 3))))
    check(lambda xp: xp.subtract.accumulate(xp.zeros((3, 0)), axis=1))


def test_errors():
    for method in ("accumulate", "reduce"):
        assert_raises_same(lambda xp, m=method: getattr(xp.sin, m)(xp.arange(3.0)))
        assert_raises_same(lambda xp, m=method: getattr(xp.divmod, m)(xp.arange(3)))
        assert_raises_same(lambda xp, m=method: getattr(xp.subtract, m)(xp.arange(3), 1))
        assert_raises_same(lambda xp, m=method: getattr(xp.equal, m)(xp.arange(3)))
    assert_raises_same(lambda xp: xp.sin.reduceat(xp.arange(3.0), [0]))
    assert_raises_same(lambda xp: xp.add.accumulate(xp.ones((2, 2)), axis=None))
    assert_raises_same(lambda xp: xp.add.accumulate(xp.ones((2, 2)), axis=(0, 1)))
    assert_raises_same(lambda xp: xp.add.reduceat(xp.arange(4), [0, 4]))
    assert_raises_same(lambda xp: xp.add.reduceat(xp.arange(4), [-1]))
    assert_raises_same(lambda xp: xp.add.reduceat(xp.arange(4), [[0]]))


def test_indices_of_a_device_array_wrap():
    assert cp.add.reduceat(cp.arange(4), cp.asarray([0, -1])).tolist() == [3, 3]
    assert cp.add.reduceat(cp.arange(4), cp.asarray([0, 5])).tolist() == [0, 6]

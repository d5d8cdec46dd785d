"""Reductions against NumPy: every row of reductions.def over dtypes, axes, layouts and options."""

import cases
import numpy as np
import pytest
from cases import BFLOAT16, COMPLEX, DTYPES, NUMPY_DTYPES
from check import assert_raises_same, check, to_numpy

import gpunp as cp

NAMES = ["sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean", "var", "std"]
EXACT = {"max", "min", "argmax", "argmin", "any", "all"}
AXES = [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2), ()]


def tolerance(name, dtype):
    """What rounding in another order may change: nothing for integers and for what only compares."""
    if name in EXACT or np.dtype(dtype).kind in "biu":
        return {"rtol": 1e-12} if name in ("mean", "var", "std") else {}
    rtol = {"e": 4e-3, "f": 2e-5, "F": 2e-5}.get(np.dtype(dtype).char, 1e-11)
    return {"rtol": rtol, "atol": rtol}


def small(dtype, shape, rng):
    """Values whose products neither overflow nor vanish."""
    dtype = np.dtype(dtype)
    if dtype.kind in "fc" or dtype == BFLOAT16:
        values = rng.uniform(0.7, 1.4, shape) * rng.choice([-1, 1], shape)
        if dtype.kind == "c":
            values = values * np.exp(1j * rng.uniform(0, 3, shape))
        return values.astype(dtype)
    return cases.values(dtype, shape, rng)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_dtype(name, dtype, rng):
    values = small(dtype, (5, 37), rng)
    for axis in (None, 0, 1):
        check(lambda xp: getattr(xp, name)(xp.asarray(values), axis=axis), **tolerance(name, dtype))


@pytest.mark.parametrize("name", ["sum", "max", "argmax", "mean", "var"])
def test_bfloat16(name, rng):
    values = small(BFLOAT16, (6, 50), rng)
    ours = to_numpy(getattr(cp, name)(cp.asarray(values), axis=1)).astype("f")
    theirs = getattr(np, name)(values.astype("f"), axis=1)
    np.testing.assert_allclose(ours, theirs, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("layout", ["c", "f", "strided", "reversed"])
@pytest.mark.parametrize("name", ["sum", "max", "var"])
def test_axes_and_layouts(name, layout, axis, rng):
    values = rng.normal(size=(4, 6, 10))
    check(
        lambda xp: getattr(xp, name)(cases.arrange(xp, values, layout), axis=axis),
        **tolerance(name, "d"),
    )


@pytest.mark.parametrize("layout", ["c", "f", "strided", "reversed"])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_arg_axes(name, layout, rng):
    values = rng.integers(0, 5, (4, 6, 10))
    for axis in (None, 0, 1, 2):
        check(lambda xp: getattr(xp, name)(cases.arrange(xp, values, layout), axis=axis))


@pytest.mark.parametrize(
    "shape,axis",
    [
        ((1,), None), ((3,), None), ((100_003,), None), ((300_000,), 0), ((2, 70_000), 1),
        ((70_000, 2), 0), ((3, 20_000, 3), 1), ((50_000, 3), 1), ((3, 50_000), 0), ((257, 129), 0),
        ((257, 129), 1), ((40, 9, 41), (0, 2)), ((1, 1, 1), None),
    ],
)  # fmt: skip
def test_shapes_that_need_other_plans(shape, axis, rng):
    values = rng.normal(size=shape).astype("f4")
    for name in ("sum", "var"):
        ours = to_numpy(getattr(cp, name)(cp.asarray(values), axis=axis))
        theirs = getattr(np, name)(values.astype("f8"), axis=axis)
        np.testing.assert_allclose(ours, theirs, rtol=3e-5, atol=3e-5 * np.sqrt(values.size))
    whole = rng.integers(0, 100, shape).astype("i1")
    for name in ("sum", "argmax") if not isinstance(axis, tuple) else ("sum", "max"):
        check(lambda xp: getattr(xp, name)(xp.asarray(whole), axis=axis))


def test_results_repeat_bit_for_bit(rng):
    x = cp.asarray(rng.normal(size=200_000).astype("f4"))
    assert len({to_numpy(x.sum()).tobytes() for _ in range(4)}) == 1


def test_sum_is_at_least_as_exact_as_pairwise(rng):
    values = rng.uniform(0, 1, 300_000).astype("f4")
    exact = values.astype("f8").sum()
    assert abs(float(cp.sum(cp.asarray(values))) - exact) <= 4e-7 * exact


def test_variance_far_from_zero(rng):
    values = (1e6 + rng.normal(size=100_000)).astype("f4")
    exact = values.astype("f8").var()
    assert abs(float(cp.asarray(values).var()) / exact - 1) < 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_keepdims_and_out(name, rng):
    values = rng.normal(size=(3, 4, 5))
    close = tolerance(name, "d")
    for axis in (None, 1):
        check(lambda xp: getattr(xp, name)(xp.asarray(values), axis=axis, keepdims=True), **close)
    for keep in (False, True):

        def body(xp, keep=keep):
            like = getattr(xp, name)(xp.asarray(values), axis=1, keepdims=keep)
            out = xp.empty_like(like)
            result = getattr(xp, name)(xp.asarray(values), axis=1, out=out, keepdims=keep)
            assert result is out
            return out

        check(body, **close)


def test_out_of_another_dtype(rng):
    values = rng.integers(-9, 9, (4, 5))

    def body(xp):
        out = xp.zeros(5, "f8")
        xp.sum(xp.asarray(values), axis=0, out=out)
        return out

    check(body)
    check(lambda xp: xp.max(xp.asarray(values.astype("f8")), axis=0, out=xp.zeros(5, "i4")))
    x = cp.asarray(values.astype("f8"))
    with pytest.raises(ValueError):
        cp.max(x, axis=0, out=cp.zeros(4))


def test_out_may_be_the_input(rng):
    def body(xp):
        x = xp.arange(12.0).reshape(3, 4)
        xp.sum(x, axis=0, out=x[1])
        return x

    check(body)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "any", "all"])
def test_where(name, rng):
    values, mask = rng.normal(size=(6, 9)), rng.integers(0, 2, (6, 9)).astype(bool)
    mask[:, 0] = True
    for axis in (None, 0, 1):
        for where in (mask, mask[:1], mask[:, :1]):
            if axis is not None and not np.broadcast_to(where, values.shape).any(axis).all():
                continue
            check(
                lambda xp: getattr(xp, name)(
                    xp.asarray(values), axis=axis, where=xp.asarray(where)
                ),
                **tolerance(name, "d"),
            )


def test_where_and_initial(rng):
    values, mask = rng.normal(size=(6, 9)), rng.integers(0, 2, (6, 9)).astype(bool)
    check(lambda xp: xp.max(xp.asarray(values), axis=1, where=xp.asarray(mask), initial=-1.5))
    check(lambda xp: xp.sum(xp.asarray(values), axis=0, initial=10.0), rtol=1e-12)
    check(lambda xp: xp.prod(xp.arange(1, 6), initial=2))
    check(lambda xp: xp.max(xp.zeros(0), initial=3.0))
    assert_raises_same(lambda xp: xp.max(xp.asarray(values), where=xp.asarray(mask)))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum"])
def test_nan(name):
    values = np.array([[1.0, np.nan, 3.0, np.nan], [4.0, 5.0, -1.0, 9.0]], "f4")
    for axis in (None, 0, 1):
        check(lambda xp: getattr(xp, name)(xp.asarray(values), axis=axis))


def test_ties_give_the_first():
    values = np.tile(np.array([3, 7, 7, 1, 1]), 5000)
    check(lambda xp: xp.argmax(xp.asarray(values)))
    check(lambda xp: xp.argmin(xp.asarray(values)))
    check(lambda xp: xp.argmax(xp.zeros((40, 50)), axis=0))


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_complex_order(dtype, rng):
    values = (rng.integers(0, 3, 200) + 1j * rng.integers(-3, 3, 200)).astype(dtype)
    for name in ("max", "min", "argmax", "argmin"):
        check(lambda xp, name=name: getattr(xp, name)(xp.asarray(values)))
    values[[17, 40]] = [complex(np.nan, 1), complex(0, np.nan)]
    check(lambda xp: xp.argmax(xp.asarray(values)))


def test_complex_nan_that_wins():
    """Where several elements hold a NaN, the one whose real part alone is NaN, as CuPy's users see."""
    a = cp.asarray(
        np.array([0.5 + 3.7j, complex(0.7, np.nan), complex(np.nan, -3.9), complex(np.nan, np.nan)])
    )
    for result in (a.max(), a.min()):
        value = complex(result)
        assert np.isnan(value.real) and value.imag == -3.9


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_extremes_of_integers_and_infinities(dtype):
    if dtype == BFLOAT16 or dtype.kind == "c":
        return
    values = cases.special(dtype)
    values = values[~np.isnan(values)] if dtype.kind == "f" else values
    for name in ("max", "min"):
        check(lambda xp, name=name: getattr(xp, name)(xp.asarray(values)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_empty(name, shape):
    for axis in (None, 0, -1):
        check(lambda xp: getattr(xp, name)(xp.zeros(shape), axis=axis))


def test_bad_arguments():
    x = lambda xp: xp.zeros((2, 3))  # noqa: E731
    for body in [
        lambda xp: xp.sum(x(xp), axis=2),
        lambda xp: xp.sum(x(xp), axis=(0, 0)),
        lambda xp: xp.sum(x(xp), axis=1.5),
        lambda xp: xp.argmax(x(xp), axis=(0, 1)),
        lambda xp: x(xp).sum(axes=1),
    ]:
        assert_raises_same(body)


def test_zero_dimensional():
    for name in NAMES:
        check(lambda xp, name=name: getattr(xp, name)(xp.asarray(3.5)))
        check(lambda xp, name=name: getattr(xp, name)(xp.asarray(3.5)[()], axis=0))
    assert cp.asarray(2.0).sum().shape == ()


def test_dtype_argument(rng):
    values = rng.integers(0, 100, (7, 9)).astype("i1")
    for dtype in ("i1", "u2", "f4", "f8", "c8"):
        check(lambda xp, dtype=dtype: xp.sum(xp.asarray(values), axis=0, dtype=dtype), rtol=1e-6)
    check(lambda xp: xp.mean(xp.asarray(values), dtype="f4"), rtol=1e-6)


def test_ddof_and_correction(rng):
    values = rng.normal(size=(5, 6))
    check(lambda xp: xp.var(xp.asarray(values), axis=1, ddof=1), rtol=1e-12)
    check(lambda xp: xp.std(xp.asarray(values), axis=0, correction=2), rtol=1e-12)


def test_count_nonzero(rng):
    values = rng.integers(0, 3, (20, 30))
    for axis in (None, 0, 1):
        assert (
            to_numpy(cp.count_nonzero(cp.asarray(values), axis=axis))
            == np.count_nonzero(values, axis)
        ).all()


def test_methods_are_the_functions(rng):
    values = rng.normal(size=(4, 5))
    for name in NAMES:
        check(
            lambda xp, name=name: getattr(xp.asarray(values), name)(axis=0), **tolerance(name, "d")
        )


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmax", "nanmin"])
def test_ignoring_nan(name, rng):
    values = rng.normal(size=(6, 7))
    values[rng.integers(0, 2, (6, 7)) == 1] = np.nan
    values[:, 3] = 1.25
    for axis in (None, 0, 1):
        check(lambda xp: getattr(xp, name)(xp.asarray(values), axis=axis), rtol=1e-12)


def test_broadcast_input():
    check(lambda xp: xp.broadcast_to(xp.arange(5.0), (4, 5)).sum(axis=0))
    check(lambda xp: xp.broadcast_to(xp.asarray(2), (300, 40)).sum())


REDUCIBLE = {
    "add": "bhlfdD", "multiply": "bld", "maximum": "bfdD", "minimum": "bfdD", "fmax": "bd",
    "fmin": "bd", "logical_and": "?bd", "logical_or": "?bd", "logical_xor": "?bd",
    "bitwise_and": "?bBl", "bitwise_or": "?bBl", "bitwise_xor": "?bBl", "gcd": "bl",
    "hypot": "bfd", "logaddexp": "fd", "logaddexp2": "fd",
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCIBLE)
def test_ufunc_reduce(name, rng):
    for dtype in REDUCIBLE[name]:
        values = cases.values(dtype, (4, 6), rng)
        for axis in (0, 1, None) if name not in ("fmax", "fmin") else (0, 1):
            check(
                lambda xp: getattr(xp, name).reduce(xp.asarray(values), axis=axis),
                **(
                    {"rtol": 2e-3 if dtype == "b" else 1e-5}
                    if np.dtype(dtype).kind in "fc" or name == "hypot"
                    else {}
                ),
            )
        check(lambda xp: getattr(xp, name).reduce(xp.zeros((0, 3), dtype)), zero_sign=False)


def test_ufunc_reduce_refuses():
    assert_raises_same(lambda xp: xp.bitwise_and.reduce(xp.zeros(3)))
    assert_raises_same(lambda xp: xp.sin.reduce(xp.zeros(3)))


def unaligned(xp, values):
    """The values, starting one byte after an element's boundary."""
    raw = xp.asarray(np.concatenate([[0], values.view("u1").ravel()]).astype("u1"))
    return raw[1:].view(values.dtype).reshape(values.shape)


def test_unaligned_memory(rng):
    values = rng.normal(size=(6, 50)).astype("f4")
    for axis in (None, 0, 1):
        check(lambda xp: unaligned(xp, values).max(axis=axis))

    def out(xp):
        result = unaligned(xp, np.zeros(6, "f4"))
        xp.max(xp.asarray(values), axis=1, out=result)
        return result

    check(out)


def test_wide_offsets():
    """Few elements, more than 2^31 bytes apart: 64-bit indices."""
    base = cp.empty(2**31 + 2**21, "i1")
    x = base[:: 2**20]
    x[...] = 1
    x[7], x[-1] = 5, 9
    assert int(x.sum()) == 2050 + 4 + 8 and int(x.argmax()) == 2049
    assert to_numpy(x[:2048].reshape(2, 1024).sum(axis=0))[6:9].tolist() == [2, 6, 2]
    assert to_numpy(x[cp.asarray([7, -1, 0])]).tolist() == [5, 9, 1]
    assert to_numpy(x[x > 1]).tolist() == [5, 9]
    x[cp.asarray([3, -1])] = cp.asarray(np.array([4, 3], "i1"))
    assert to_numpy(cp.nonzero(x > 1)[0]).tolist() == [3, 7, 2049]


PACKED = [
    ((5000, 17), 0), ((4999, 33), 0), ((3001, 127), 0), ((9, 2000, 3), 1), ((9, 2001, 3), 1),
    ((7, 5003, 2), 1), ((33, 20_000), 0), ((20_011, 3), 0), ((20_000, 8), 0), ((3, 20_001, 2, 2), 1),
]  # fmt: skip


@pytest.mark.parametrize(
    "packed, dtype", cases.crossed(PACKED, ["f4", "?", "i1", "i8", "f8", "c8"])
)
def test_many_short_rows(packed, dtype, rng):
    """Few outputs that lie beside each other: rows are taken several at a time."""
    shape, axis = packed
    values = (rng.normal(size=shape) * 20).round().astype(dtype)  # sums of whole numbers are exact
    apart = np.concatenate([values.reshape(-1)[:1], values.reshape(-1)])

    def body(xp):
        a, b = xp.asarray(values), xp.asarray(apart)[1:].reshape(shape)  # b: no wide accesses
        names = ["sum", "max", "min", "any", "count_nonzero", "argmax", "argmin"]
        return [getattr(xp, name)(x, axis=axis) for name in names for x in (a, b)]

    check(body, zero_sign=False)
    check(lambda xp: xp.var(xp.asarray(values), axis=axis), rtol=1e-4 if dtype in "f4c8" else 1e-12)


@pytest.mark.parametrize("dtype", [*NUMPY_DTYPES, BFLOAT16], ids=str)
def test_rows_that_start_anywhere(dtype, rng):
    """Long rows of odd lengths, from every element on: wide accesses begin inside the row."""
    values = (rng.normal(size=(3, 1043)) * 3).round().clip(0, 9).astype(dtype)
    exact = np.dtype(dtype).kind in "biufc" and np.dtype(dtype) != np.dtype("e")
    names = ["max", "argmax", "argmin", "any"] + ["sum"] * exact  # sums of whole numbers are exact
    for first in range(16):
        part = (slice(None), slice(first, 1043 - int(rng.integers(0, 9))))

        def body(xp, part=part):
            return [getattr(xp, name)(xp.asarray(values)[part], axis=1) for name in names]

        check(body, zero_sign=False)


@pytest.mark.parametrize("dtype", ["i1", "f4"])
def test_pieces_of_rows_that_start_anywhere(dtype, rng):
    """A row in pieces of which the last one is shorter than one thread's share."""
    values = rng.integers(0, 9, (2, 4 * 65536 + 40)).astype(dtype)
    array = cp.asarray(values)
    for n in (16384, 32768, 65536, 4 * 65536):
        for last in (1, 3, 17, 33):
            part = (slice(None), slice(1, n + last + 1))
            found = [cp.sum(array[part], axis=1), cp.argmax(array[part], axis=1)]
            wanted = [values[part].sum(axis=1, dtype="i8"), values[part].argmax(axis=1)]
            assert [x.get().tolist() for x in found] == [x.tolist() for x in wanted]


@pytest.mark.parametrize(
    "dtype, shape",
    cases.crossed(["f8", "f2", "f4", "F"], [(300, 4), (1,), (3, 2000), (70000,)]),
    ids=str,
)
def test_sums_of_negative_zeros_have_numpys_sign(dtype, shape):
    """NumPy adds to 0.0, or to the initial value in its place."""
    values = -np.zeros(shape, dtype)

    def signs(xp, name, axis, **options):
        result = to_numpy(getattr(xp, name)(xp.asarray(values), axis, **options))
        assert not result.any()
        return np.signbit([result.real, result.imag]).tolist()

    for axis in (None, *range(len(shape))):
        for name in ("sum", "mean", "nansum", "nanmean"):
            assert signs(cp, name, axis) == signs(np, name, axis), name
        for options in ({"initial": 0.0}, {"initial": -0.0}, {"where": False}):
            assert signs(cp, "sum", axis, **options) == signs(np, "sum", axis, **options)

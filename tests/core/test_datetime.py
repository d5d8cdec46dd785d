"""datetime64 and timedelta64: units, NaT, and what they may be given to."""

import io
import itertools
import operator
import pickle
import warnings

import numpy as np
import pytest
from check import assert_raises_same, assert_same, check

import gpunp as cp

# NumPy 2.5 wants a unit of timedelta64; `m8` alone is a request for one here.
pytestmark = pytest.mark.filterwarnings("ignore:The .generic. unit:DeprecationWarning")

DAYS = np.array(["2020-03-01", "1969-12-31", "NaT", "2020-02-29"], "M8[D]")
HOURS = np.array([5, -7, "NaT", 100], "m8[h]")
LINEAR = ["W", "D", "h", "m", "s", "ms", "us", "ns", "25s", "7D"]
CALENDAR = ["Y", "M", "3M", "10Y"]


def ticks(rng, n=200, most=10**6):
    """Counts around zero, NaT among them."""
    values = rng.integers(-most, most, n)
    values[::17] = np.iinfo("i8").min
    values[:5] = [0, -1, 1, -400, 400]
    return values


def same(ours, theirs):
    """Values with their units, NaT for NaT."""
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
        return
    ours = ours.get() if isinstance(ours, cp.ndarray) else np.asarray(ours)
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    if theirs.dtype.kind in "mM":
        ours, theirs = ours.view("i8"), theirs.view("i8")
    np.testing.assert_array_equal(ours, theirs)


def agree(body):
    """body(gpunp) is body(numpy), or both raise the same type."""
    try:
        with np.errstate(all="ignore"):
            theirs = body(np)
    except Exception as error:
        assert_raises_same(body, type(error))
        return
    same(body(cp), theirs)


# ---- units ---------------------------------------------------------------------------------------


SECONDS = {"Y": 31556952, "M": 2629746, "W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1,
           "ms": 1e-3, "us": 1e-6, "ns": 1e-9}  # fmt: skip


def that_fit(values, a, b):
    """Counts of unit `a` whose counts of `b` have 64 bits, with two to spare."""
    bases = [np.datetime_data(f"m8[{unit}]") for unit in (a, b)]
    of_a, of_b = (SECONDS[base] * count for base, count in bases)
    ticks = np.abs(values.astype(float)) * (of_a / of_b) * 4
    return values[(ticks < 2.0**62) | (values == np.iinfo("i8").min)]


@pytest.mark.parametrize("kind", "mM")
def test_casts_between_all_units(kind, rng):
    values = np.concatenate([ticks(rng, 60), rng.integers(-5, 6, 20)])
    calendar = (
        CALENDAR if kind == "M" else CALENDAR[:2]
    )  # NumPy's factor for more of them overflows
    for a, b in itertools.product(LINEAR + calendar, repeat=2):
        source = that_fit(values, a, b).view(f"{kind}8[{a}]")
        assert source.size > 8
        check(lambda xp, s=source, b=b: xp.asarray(s).astype(f"{kind}8[{b}]").view("i8"))


def test_counts_that_do_not_fit_wrap_around():
    """NumPy raises OverflowError from 2.5 on; that would wait for the device."""
    values = np.array([10**16, -(10**17), np.iinfo("i8").min, 7, 2**62])
    nat = values == np.iinfo("i8").min
    with np.errstate(over="ignore"):
        finer = np.where(nat, values, values * 10**9)
        twice = np.where(nat, values, values * 2)
    for kind in "mM":
        ours = cp.asarray(values.view(f"{kind}8[s]"))
        assert_same(ours.astype(f"{kind}8[ns]").view("i8"), finer)
    ours = cp.asarray(values.view("m8[s]"))
    assert_same((ours + cp.zeros(5, "m8[ns]")).view("i8"), finer)
    assert_same((ours * 2).view("i8"), twice)
    assert_same((ours + ours).view("i8"), twice)


def test_casts_through_the_calendar(rng):
    days = np.concatenate([np.arange(-200_000, 200_000, 731), [-719468, -719469, 11016, 11017]])
    for unit in ("M", "Y", "4Y"):
        agree(lambda xp, u=unit: xp.asarray(days.view("M8[D]")).astype(f"M8[{u}]"))
    agree(lambda xp: xp.asarray(np.arange(-5000, 5000, 7).view("M8[M]")).astype("M8[ms]"))


def test_a_factor_that_does_not_fit():
    agree(lambda xp: xp.asarray(np.array([1], "m8[W]")).astype("m8[as]"))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_casts_to_and_from_numbers(dtype):
    check(lambda xp: xp.asarray(np.array([0, 1, 100, 3], dtype)).astype("m8[s]").view("i8"))
    check(lambda xp: xp.asarray(np.array([0, 1, 100, 3], dtype)).astype("M8[D]").view("i8"))
    times = np.array([0, 1, 100, 3], "m8[s]")
    check(lambda xp: xp.asarray(times).astype(dtype))
    check(lambda xp: xp.asarray(times.view("M8[s]")).astype(dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_numbers_that_are_no_times_become_nat(dtype):
    values = np.array([np.nan, np.inf, -np.inf, 1e30, -2.7, 2.7], dtype)
    assert_same(
        cp.asarray(values).astype("m8[s]").view("i8"),
        np.array([*[np.iinfo("i8").min] * 4, -2, 2]),
    )


def test_a_dtype_without_a_unit_takes_the_unit_it_meets():
    for wanted in ("M8", "m8"):
        agree(lambda xp, w=wanted: xp.asarray(DAYS).astype(w).view("i8"))
        agree(lambda xp, w=wanted: xp.asarray(xp.asarray(DAYS), w))
        agree(lambda xp, w=wanted: xp.array([1, 2], w).astype("m8[s]"))
    agree(lambda xp: xp.asarray(["2020-01", "NaT"], "M8"))


def test_views_of_other_types():
    check(lambda xp: xp.asarray(HOURS).view("i8"))
    agree(lambda xp: xp.asarray(np.arange(4)).view("M8[us]"))
    assert cp.asarray(DAYS).dtype is cp.asarray(DAYS).dtype


def test_other_byte_order_is_turned():
    same(cp.asarray(DAYS.astype(">M8[D]")), DAYS)
    with pytest.raises(TypeError):
        cp.asarray(DAYS).astype(">M8[D]")


# ---- ufuncs --------------------------------------------------------------------------------------

BINARY = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "divmod", "minimum",
          "maximum", "fmin", "fmax", "equal", "not_equal", "less", "less_equal", "greater",
          "greater_equal", "logical_and", "logical_or", "logical_xor", "power", "fmod", "hypot"]  # fmt: skip


@pytest.mark.parametrize("name", BINARY)
def test_binary_ufuncs_over_kinds_and_units(name, rng):
    a = ticks(rng, 40, 5000)
    b = rng.permutation(a)
    others = [b.view(f"{kind}8[{unit}]") for kind in "mM" for unit in ("s", "h", "ms", "M")]
    others += [rng.integers(-3, 4, 40), rng.integers(1, 9, 40).astype("u1"), rng.normal(size=40),
               np.array(True), b > 0]  # fmt: skip
    for unit, other in itertools.product(("m8[s]", "M8[D]"), others):
        x = a.view(unit)
        agree(lambda xp, x=x, y=other: getattr(xp, name)(xp.asarray(x), xp.asarray(y)))
        agree(lambda xp, x=x, y=other: getattr(xp, name)(xp.asarray(y), xp.asarray(x)))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    "number",
    [2, -3, 0, 2.5, True, np.int8(3), np.float32(1.5), np.timedelta64(90, "m"),
     np.datetime64("2020-02-29T12"), np.timedelta64("NaT", "s")],
    ids=repr,
)  # fmt: skip
def test_binary_ufuncs_of_numbers(name, number):
    for x in (DAYS, HOURS):
        agree(lambda xp, x=x: getattr(xp, name)(xp.asarray(x), number))
        agree(lambda xp, x=x: getattr(xp, name)(number, xp.asarray(x)))


@pytest.mark.parametrize(
    "name",
    ["negative", "positive", "absolute", "sign", "isnat", "isnan", "isfinite", "isinf",
     "logical_not", "invert", "sqrt", "floor", "sin", "conjugate", "square", "signbit"],
)  # fmt: skip
def test_unary_ufuncs(name):
    for x in (DAYS, HOURS, HOURS[:1].reshape(()), HOURS[:0]):
        agree(lambda xp, x=x: getattr(xp, name)(xp.asarray(x)))


def test_isnat_is_for_times_alone():
    assert_raises_same(lambda xp: xp.isnat(xp.arange(3)))
    assert_raises_same(lambda xp: xp.isnat(xp.arange(3.0)))


@pytest.mark.parametrize("operate", [operator.iadd, operator.isub, operator.imul, operator.itruediv,
                                     operator.ifloordiv, operator.imod])  # fmt: skip
@pytest.mark.parametrize(
    "other", [2, 1.5, np.timedelta64(1, "s"), np.timedelta64(1, "D")], ids=repr
)
def test_in_place(operate, other):
    for x in (DAYS, HOURS):
        agree(lambda xp, x=x: operate(xp.array(x), other))


@pytest.mark.parametrize("unit", ["m8[h]", "m8[s]", "m8[D]", "M8[h]", "f8", "i8"])
def test_out_and_where(unit):
    mask = np.array([True, False, True, False])
    agree(lambda xp: xp.add(xp.asarray(HOURS), xp.asarray(HOURS), out=xp.zeros(4, unit)))
    agree(lambda xp: xp.maximum(xp.asarray(HOURS), xp.asarray(HOURS), out=xp.zeros(4, unit)))
    agree(lambda xp: xp.add(xp.arange(4), 1, out=xp.zeros(4, unit)))
    if unit == "m8[h]":
        agree(
            lambda xp: xp.add(
                *[xp.asarray(HOURS)] * 2, out=xp.ones(4, unit), where=xp.asarray(mask)
            )
        )


def test_equality_with_what_is_no_time():
    for other in (1, 2.5, np.int64(3), HOURS[:1], np.arange(4)):
        agree(lambda xp, o=other: xp.asarray(DAYS) == (xp.asarray(o) if np.ndim(o) else o))
        agree(lambda xp, o=other: xp.asarray(DAYS) != (xp.asarray(o) if np.ndim(o) else o))
    assert_raises_same(lambda xp: xp.asarray(DAYS) == xp.arange(3))
    assert_raises_same(lambda xp: xp.asarray(DAYS) < 1)


def test_layouts(rng):
    values = ticks(rng, 12 * 9).reshape(12, 9).view("m8[s]")
    for view in (lambda x: x.T, lambda x: x[::2, 1:], lambda x: x[:, ::-1], lambda x: x[3:4, ::2]):
        check(
            lambda xp, v=view: (v(xp.asarray(values)) + np.timedelta64(1, "h")).view("i8"),
            order=False,
        )
        agree(lambda xp, v=view: v(xp.asarray(values)).astype("m8[ms]"))
        agree(lambda xp, v=view: v(xp.asarray(values)).max(axis=0))


# ---- reductions, scans, sorting ------------------------------------------------------------------

REDUCTIONS = ["sum", "mean", "max", "min", "argmax", "argmin", "any", "all", "count_nonzero", "nanmax",
              "nanmin", "nansum", "median", "nanmedian", "ptp", "prod", "var", "std", "nanprod",
              "cumsum", "cumprod", "nancumsum", "sort", "argsort", "unique", "diff", "average"]  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("unit", ["m8[s]", "M8[D]"])
def test_reductions(name, unit, rng):
    values = ticks(rng, 360).view(unit)
    clean = values[~np.isnat(values)]
    n = clean.size // 12 * 12
    stable = {"kind": "stable"} if name == "argsort" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for x in (values, clean, values[:1], values[:0]):
            if x.size or name not in ("median", "nanmedian", "average"):
                agree(lambda xp, x=x: getattr(xp, name)(xp.asarray(x), **stable))
        for axis in (0, 1, -1) if name not in ("count_nonzero", "unique") else ():
            for x in (values.reshape(20, 18), clean[:n].reshape(-1, 12)):
                agree(lambda xp, x=x, a=axis: getattr(xp, name)(xp.asarray(x), axis=a, **stable))


def test_arguments_of_reductions():
    good, hour = HOURS[:2], np.timedelta64(1, "h")
    for dtype in ("m8", "m8[s]"):
        agree(lambda xp, d=dtype: xp.asarray(good).sum(dtype=d))
    for unit in ("m8[h]", "m8[s]", "m8[D]"):
        for name in ("sum", "max"):
            agree(lambda xp, u=unit, n=name: getattr(xp.asarray(good), n)(out=xp.zeros((), u)))
    agree(lambda xp: xp.asarray(good).mean(out=xp.zeros((), "m8[h]")))
    with pytest.raises(TypeError):  # NumPy divides in the unit of out
        cp.asarray(good).mean(out=cp.zeros((), "m8[D]"))
    agree(lambda xp: xp.asarray(good).sum(initial=hour))
    agree(lambda xp: xp.asarray(good).max(initial=np.timedelta64(30, "m")))
    agree(lambda xp: xp.asarray(HOURS).sum(where=~xp.isnat(xp.asarray(HOURS))))
    agree(lambda xp: xp.asarray(HOURS).mean(where=~xp.isnat(xp.asarray(HOURS))))
    agree(lambda xp: xp.asarray(HOURS).max(where=~xp.isnat(xp.asarray(HOURS)), initial=-100 * hour))
    agree(lambda xp: xp.add.reduce(xp.asarray(good)))
    agree(lambda xp: xp.maximum.accumulate(xp.asarray(DAYS)))
    agree(lambda xp: xp.subtract.outer(xp.asarray(DAYS), xp.asarray(HOURS)))
    agree(lambda xp: xp.sum(xp.asarray(good), keepdims=True))
    with pytest.raises(TypeError):
        cp.sum(cp.arange(3), dtype="m8[s]")


def test_large_arrays(rng):
    values = rng.integers(-(10**12), 10**12, 20_001).view("m8[us]")
    for name in ("sum", "mean", "max", "argmin", "cumsum", "sort", "unique", "median"):
        agree(lambda xp, n=name: getattr(xp, n)(xp.asarray(values)))


def test_order_and_sets(rng):
    days = rng.integers(-50, 50, 300)
    days[::29] = np.iinfo("i8").min
    x, y = days[:200].view("M8[D]"), days[100:].view("M8[D]")
    ordered = np.sort(x)
    for side in ("left", "right"):
        agree(lambda xp, s=side: xp.searchsorted(xp.asarray(ordered), xp.asarray(y), s))
        agree(
            lambda xp, s=side: xp.searchsorted(
                xp.asarray(ordered), xp.asarray(y.astype("M8[h]")), s
            )
        )
    for name in ("isin", "union1d", "intersect1d", "setdiff1d", "setxor1d"):
        agree(lambda xp, n=name: getattr(xp, n)(xp.asarray(x), xp.asarray(y)))
    agree(
        lambda xp: xp.unique(
            xp.asarray(x), return_index=True, return_inverse=True, return_counts=True
        )
    )
    agree(lambda xp: xp.lexsort((xp.asarray(x), xp.asarray(x.view("m8[D]")[::-1]))))
    agree(lambda xp: xp.partition(xp.asarray(x), 10)[10])
    agree(lambda xp: xp.asarray(x).reshape(10, 20).argsort(axis=0))


# ---- creation, indexing, joining -----------------------------------------------------------------

DAY, HOUR = np.datetime64("2020-01-01"), np.timedelta64(1, "h")


@pytest.mark.parametrize(
    "args",
    [(DAY, DAY + 4), (DAY, DAY + 4, 2), (DAY, 5), (DAY, 5 * HOUR), (DAY, DAY + 4, 12 * HOUR),
     (5 * HOUR,), (5, 9 * HOUR), (0, 10, np.timedelta64(2, "m")), (DAY + 4, DAY, -1), (DAY,),
     (5, DAY), (DAY, DAY, DAY), (DAY, DAY + 3, 0), (np.datetime64("NaT", "D"), DAY), (9 * HOUR, HOUR, -3 * HOUR),
     (DAY.astype("M8[s]"), DAY + 4, np.timedelta64(1, "D")), (DAY.item(), (DAY + 3).item())],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [None, "M8[h]", "m8[s]", "M8", "m8"])
def test_arange(args, dtype):
    try:
        np.arange(*args, dtype=dtype)
    except Exception:
        with pytest.raises((TypeError, ValueError)):
            cp.arange(*args, dtype=dtype)
        return
    agree(lambda xp: xp.arange(*args, dtype=dtype))


def test_arange_of_strings_and_numbers():
    agree(lambda xp: xp.arange("2020-01", "2020-03", dtype="M8[D]"))
    agree(lambda xp: xp.arange("2020-01", "2020-03", dtype="M8"))
    agree(lambda xp: xp.arange(5, 10, dtype="m8[s]"))
    agree(lambda xp: xp.arange(5, 10, dtype="M8[s]"))
    agree(lambda xp: xp.arange(5, dtype="m8"))
    with pytest.raises((TypeError, ValueError)):
        cp.arange(1.5, 4, dtype="m8[s]")


@pytest.mark.parametrize(
    "make",
    [lambda xp: xp.array(["2020-01-01", "NaT"], dtype="M8[D]"),
     lambda xp: xp.array([DAY, DAY.astype("M8[h]")]),
     lambda xp: xp.array([DAY.item()], dtype="M8[D]"),
     lambda xp: xp.array([1, 2], dtype="m8[s]"),
     lambda xp: xp.array("2020", dtype="M8[s]"),
     lambda xp: xp.array([xp.asarray(DAYS), xp.asarray(DAYS)]),
     lambda xp: xp.full(3, DAY), lambda xp: xp.full(3, "2020-01-01", "M8[s]"),
     lambda xp: xp.full(3, None, "M8[s]"), lambda xp: xp.full(2, 2.7, "M8[s]"),
     lambda xp: xp.full_like(xp.asarray(HOURS), 3), lambda xp: xp.full_like(xp.asarray(DAYS), 2.5),
     lambda xp: xp.full(2, np.float64(2.7), "m8[s]"), lambda xp: xp.full(2, float("nan"), "m8[s]"),
     lambda xp: xp.zeros(2, "M8[D]"), lambda xp: xp.ones(2, "m8[D]"), lambda xp: xp.eye(2, dtype="m8[s]"),
     lambda xp: xp.zeros_like(xp.asarray(DAYS)), lambda xp: xp.frombuffer(HOURS.tobytes(), "m8[h]"),
     lambda xp: xp.asarray(2.5, "M8[D]"), lambda xp: xp.array(["x"], "M8[D]")],
)  # fmt: skip
def test_creation(make):
    agree(make)


@pytest.mark.parametrize("number", [2.7, 2.0, 1j, float("inf")])
def test_a_python_float_is_no_timedelta(number):
    """As NumPy 2.5 has it; before, `full` alone took them."""
    for size in (0, 2):
        with pytest.raises(ValueError, match="timedelta"):
            cp.full(size, number, "m8[s]")
    with pytest.raises(ValueError, match="timedelta"):
        cp.full_like(cp.asarray(HOURS), number)
    with pytest.raises(ValueError, match="timedelta"):
        cp.zeros(2, "m8[s]").fill(number)


@pytest.mark.parametrize(
    "value",
    ["1999-01-01", DAY, DAY.astype("M8[s]") + HOUR, None, DAY.item(), 5, 2.5, HOUR, 1j],
    ids=repr,
)
@pytest.mark.parametrize(
    "key", [0, slice(1, 3), [0, 2], np.array([True, False, True, False])], ids=repr
)
def test_assignment(key, value):
    def body(xp):
        x = xp.array(DAYS)
        x[xp.asarray(key) if isinstance(key, np.ndarray) else key] = value
        return x

    agree(body)


def test_assignment_of_arrays():
    def body(xp, key, source):
        x = xp.array(DAYS)
        x[xp.asarray(key)] = xp.asarray(source)
        return x

    for source in (DAYS[:2].astype("M8[M]"), DAYS[:2].astype("M8[s]"), np.array([1, 2])):
        agree(lambda xp, s=source: body(xp, np.array([3, 0]), s))
        agree(lambda xp, s=source: body(xp, np.array([True, False, True, False]), s))


@pytest.mark.parametrize(
    "body",
    [lambda xp, x: x[::-1], lambda xp, x: x[xp.asarray(np.array([3, 0, 0]))], lambda xp, x: x[x > DAY],
     lambda xp, x: x[None, 1:], lambda xp, x: x[2], lambda xp, x: xp.take(x, xp.asarray(np.array([1, 1]))),
     lambda xp, x: xp.where(x > DAY, x, np.datetime64("NaT")), lambda xp, x: xp.where(x > DAY, x, x.astype("M8[h]")),
     lambda xp, x: xp.select([x > DAY], [x], DAY), lambda xp, x: xp.clip(x, DAY, DAY + 100),
     lambda xp, x: x.clip(DAY, None), lambda xp, x: xp.concatenate([x, x.astype("M8[h]")]),
     lambda xp, x: xp.stack([x, x], 1), lambda xp, x: xp.hstack([x, x]), lambda xp, x: xp.append(x, DAY),
     lambda xp, x: xp.insert(x, 1, DAY), lambda xp, x: xp.delete(x, 1), lambda xp, x: xp.repeat(x, 2),
     lambda xp, x: xp.tile(x, 3), lambda xp, x: xp.roll(x, 1), lambda xp, x: xp.flip(x),
     lambda xp, x: xp.pad(x, 2, mode="edge"), lambda xp, x: xp.ediff1d(x), lambda xp, x: xp.diff(x, 2),
     lambda xp, x: xp.take_along_axis(x, xp.argsort(x), 0), lambda xp, x: xp.triu(x.reshape(2, 2)),
     lambda xp, x: xp.nonzero(x)[0], lambda xp, x: xp.argwhere(x), lambda xp, x: xp.trapezoid(x),
     lambda xp, x: xp.array_equal(x, x, equal_nan=True), lambda xp, x: xp.nan_to_num(x),
     lambda xp, x: xp.broadcast_to(x, (2, 4)), lambda xp, x: x.reshape(2, 2).T.copy(),
     lambda xp, x: xp.concatenate([x, x - DAY]), lambda xp, x: xp.searchsorted(xp.sort(x), DAY.astype("M8[h]")),
     lambda xp, x: xp.choose(xp.asarray(np.array([0, 1, 1, 0])), [x, x[::-1]])],
)  # fmt: skip
def test_moving_elements(body):
    agree(lambda xp: body(xp, xp.asarray(DAYS)))


# ---- the host ------------------------------------------------------------------------------------


def test_scalars_and_text():
    for values in (DAYS, HOURS, DAYS.astype("M8[ns]"), HOURS.astype("m8[us]")):
        x = cp.asarray(values)
        assert x.tolist() == values.tolist()
        assert [x.item(i) for i in range(4)] == [values.item(i) for i in range(4)]
        assert repr(x) == repr(values) and str(x) == str(values)
        assert f"{x[0]}" == f"{np.array(values[0])}"
    for convert in (int, float, complex, operator.index, len, hash):
        assert_raises_same(lambda xp, c=convert: c(xp.asarray(DAYS[:1].reshape(()))))
    assert bool(cp.asarray(DAYS[2])) == bool(DAYS[2:3])


def test_names_of_numpy():
    assert cp.datetime64 is np.datetime64 and cp.timedelta64 is np.timedelta64
    assert cp.datetime_data("M8[25s]") == ("s", 25)
    for unit in (None, "h", "auto"):
        expected = np.datetime_as_string(DAYS, unit)
        np.testing.assert_array_equal(cp.datetime_as_string(cp.asarray(DAYS), unit), expected)
    assert cp.issubdtype(cp.asarray(DAYS).dtype, cp.datetime64)
    assert cp.can_cast("M8[D]", "M8[s]") and not cp.can_cast("M8[s]", "M8[D]")
    assert cp.promote_types("m8[D]", "m8[h]") == np.dtype("m8[h]")


@pytest.mark.parametrize("values", [DAYS, HOURS.astype("m8[25s]"), DAYS.astype("M8")], ids=str)
def test_round_trips(values, tmp_path):
    x = cp.asarray(values)
    same(pickle.loads(pickle.dumps(x)), values)
    same(cp.asnumpy(x), values)
    assert x.tobytes() == values.tobytes()
    file = io.BytesIO()
    cp.save(file, x)
    file.seek(0)
    same(cp.load(file), values)
    cp.savez(tmp_path / "times.npz", x=x)
    with cp.load(tmp_path / "times.npz") as loaded:
        same(loaded["x"], values)


def test_neighbours():
    x = cp.asarray(HOURS)
    description = x.__cuda_array_interface__
    assert description["typestr"] == "<m8[h]"
    other = type("Exporter", (), {"__cuda_array_interface__": description, "keep": x})()
    same(cp.asarray(other), HOURS)
    for export in (x.__dlpack__, lambda: cp.from_dlpack(x)):
        with pytest.raises(BufferError, match="timedelta64"):
            export()


def test_kernels_refuse_times():
    x = cp.asarray(HOURS)
    copy = cp.ElementwiseKernel("T x", "T y", "y = x", "copy_times")
    of_integers = cp.ElementwiseKernel("int64 x", "int64 y", "y = x", "copy_integers")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sum_times")
    for kernel in (copy, of_integers, total, cp.vectorize(lambda a: a)):
        with pytest.raises(TypeError, match="timedelta64"):
            kernel(x)
    assert_same(of_integers(x.view("i8")), HOURS.view("i8"))


def test_fused_and_lazy():
    x = cp.asarray(HOURS)
    same(cp.fuse(lambda a: a + a)(x), HOURS + HOURS)
    same(cp.fuse(lambda a: (a + a).max())(x), (HOURS + HOURS).max())


def test_many_units():
    """A number for each unit: some hundreds are found again."""
    for n in range(1, 300, 7):
        x = cp.asarray(np.array([n, 2 * n], f"m8[{n}ms]"))
        same(x + x, np.array([2 * n, 4 * n], f"m8[{n}ms]"))

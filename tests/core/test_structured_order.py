"""Order of structured elements: sorts, searches and functions of sets, as NumPy's."""

import numpy as np
import pytest
from check import assert_raises_same, assert_same
from numpy.lib.recfunctions import repack_fields

import gpunp as cp

DTYPES = {
    "packed": np.dtype([("x", "f4"), ("y", "f8"), ("z", "i2")]),
    "backwards": np.dtype({"names": ["x", "y"], "formats": ["f8", "i2"], "offsets": [2, 0]}),
    "gaps": np.dtype(
        {"names": ["x", "y"], "formats": ["i4", "i1"], "offsets": [4, 12], "itemsize": 16}
    ),
    "nested": np.dtype([("x", "i2"), ("in", [("a", "f8"), ("b", "?")]), ("z", "u1")]),
    "subarray": np.dtype([("x", "i4", (3,)), ("in", [("a", "i2")], (2,)), ("y", "i1")]),
    "times": np.dtype([("x", "M8[ms]"), ("y", "m8[s]")]),
    "complex": np.dtype([("x", "c16"), ("y", "c8"), ("z", "e")]),
    "void": np.dtype("V11"),
}
SHORT = ["packed", "gaps", "nested", "subarray", "void"]


def few(dtype, shape, rng):
    """Elements with many ties, negative numbers, and NaN among floating numbers."""
    a = np.zeros(shape, dtype)
    if dtype.names is None and dtype.kind != "V":
        a[...] = rng.integers(-2 if dtype.kind in "if" else 0, 3, shape).astype(dtype)
        if dtype.char in "fdFD":  # NumPy sorts float16's NaN to the front in structures alone
            a[rng.random(shape) < 0.2] = np.nan
    elif dtype.names is None:
        a = rng.integers(254, 257, (*shape, dtype.itemsize)).astype("u1").view(dtype)[..., 0]
    for name in dtype.names or ():
        a[name] = few(dtype[name].base, a[name].shape, rng)
    return a


def check_bytes(body):
    """As check; the fields of structures, which may hold NaN, are compared by their bytes."""
    ours, theirs = body(cp), body(np)
    if theirs.dtype.kind != "V":
        assert_same(ours, theirs)
    else:
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert [s > 0 for s in ours.strides] == [s > 0 for s in theirs.strides]
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous
        packed = [repack_fields(a, recurse=True).tobytes() for a in (ours.get(), theirs)]
        assert packed[0] == packed[1]


def each(dtypes=DTYPES):
    return pytest.mark.parametrize("name", dtypes)


@each()
def test_sort_and_argsort(name, rng):
    values = few(DTYPES[name], (4, 30), rng)
    check_bytes(lambda xp: xp.sort(xp.asarray(values)))
    check_bytes(lambda xp: xp.argsort(xp.asarray(values), kind="stable"))


@each(SHORT)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_sort_along_an_axis_of_a_transposed_array(name, axis, rng):
    values = few(DTYPES[name], (5, 7), rng)
    check_bytes(lambda xp: xp.sort(xp.asarray(values).T, axis=axis))


@each(SHORT)
def test_sort_in_place(name, rng):
    values = few(DTYPES[name], (6, 5), rng)

    def body(xp):
        a = xp.array(values)
        a[::-2].sort(axis=0)
        return a

    check_bytes(body)


@pytest.mark.parametrize("order", ["z", ["y", "x"], ("z", "y", "x"), []])
def test_order_names_fields(order, rng):
    values = few(DTYPES["packed"], (40,), rng)
    check_bytes(lambda xp: xp.sort(xp.asarray(values), order=order))
    check_bytes(lambda xp: xp.argsort(xp.asarray(values), order=order, kind="stable"))
    check_bytes(lambda xp: xp.partition(xp.asarray(values), 3, order=order)[3:4])


@pytest.mark.parametrize("order", ["w", ["x", "x"], 3])
def test_order_of_other_names_is_refused(order):
    assert_raises_same(lambda xp: xp.sort(xp.zeros(3, DTYPES["packed"]), order=order))


def test_order_needs_fields():
    assert_raises_same(lambda xp: xp.sort(xp.zeros(3), order="x"))
    assert_raises_same(lambda xp: xp.sort(xp.zeros(3, "V2"), order="x"))


@each(SHORT)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(name, side, rng):
    values, wanted = few(DTYPES[name], (30,), rng), few(DTYPES[name], (3, 5), rng)
    check_bytes(lambda xp: xp.searchsorted(xp.sort(xp.asarray(values)), xp.asarray(wanted), side))
    check_bytes(
        lambda xp: xp.asarray(values).searchsorted(
            xp.asarray(wanted), side, sorter=xp.argsort(xp.asarray(values))
        )
    )


def test_searchsorted_of_numbers_is_refused():
    a = np.zeros(3, "i4,i4")
    for x, y in ((a, np.zeros(2)), (np.zeros(2), a)):
        assert_raises_same(lambda xp, x=x, y=y: xp.searchsorted(xp.asarray(x), xp.asarray(y)))


@each(SHORT)
def test_functions_of_sets(name, rng):
    values, others = few(DTYPES[name], (40,), rng), few(DTYPES[name], (25,), rng)
    others[:9] = values[:9]
    check_bytes(lambda xp: xp.unique(xp.asarray(values)))
    whole = {"return_index": True, "return_inverse": True, "return_counts": True}
    for k in range(4):
        check_bytes(lambda xp, k=k: xp.unique(xp.asarray(values), **whole)[k])
    for function in ("isin", "intersect1d", "setdiff1d", "union1d", "setxor1d"):
        check_bytes(lambda xp, f=function: getattr(xp, f)(xp.asarray(values), xp.asarray(others)))


def test_descending_order_is_the_reverse_of_the_other():
    a = cp.array([(1, 2.0), (0, 5.0), (1, 3.0)], "i4,f8")
    assert cp.sort(a, descending=True).tolist() == [(1, 3.0), (1, 2.0), (0, 5.0)]

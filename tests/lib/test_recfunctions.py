"""gpunp.lib.recfunctions beside NumPy's, which also dispatch to it."""

import numpy as np
import pytest
from check import assert_same
from numpy.lib import recfunctions as theirs

import gpunp as cp
from gpunp.lib import recfunctions as ours

DTYPES = {
    "one type": [("x", "f4"), ("y", "f4")],
    "several types": [("x", "i4"), ("y", "f8"), ("z", "u1")],
    "nested": [("p", [("x", "f4"), ("y", "i2")]), ("q", "f8")],
    "subarrays": [("m", "f4", (2, 2)), ("n", [("a", "i4"), ("b", "f8", (3,))], (2,))],
    "gaps": {"names": ["x", "y"], "formats": ["u1", "f8"], "offsets": [3, 16], "itemsize": 40},
}


def filled(dtype, shape=(3, 4)):
    """A NumPy array of different numbers."""
    dtype = np.dtype(dtype)
    n = len(list(ours._leaves(dtype)))
    numbers = np.arange(n * np.prod(shape, dtype=int)).reshape(*shape, n) % 100
    return theirs.unstructured_to_structured(numbers, dtype)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (0, 2)])
def test_structured_to_unstructured(name, shape):
    host = filled(DTYPES[name], shape)
    a = cp.asarray(host)
    for arguments in ({}, {"dtype": "f8"}, {"dtype": "i8", "copy": True}):
        expected = theirs.structured_to_unstructured(host, **arguments)
        assert_same(ours.structured_to_unstructured(a, **arguments), expected)
    assert_same(np.lib.recfunctions.structured_to_unstructured(a),
                theirs.structured_to_unstructured(host))  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (0, 2)])
def test_unstructured_to_structured(name, shape):
    host = theirs.structured_to_unstructured(filled(DTYPES[name], shape))
    found = ours.unstructured_to_structured(cp.asarray(host), np.dtype(DTYPES[name]))
    assert_same(ours.structured_to_unstructured(found), host)
    named = ours.unstructured_to_structured(cp.asarray(host))
    assert named.dtype == theirs.unstructured_to_structured(host).dtype


def test_a_packed_array_is_viewed():
    a = cp.asarray(filled(DTYPES["one type"]))
    view = ours.structured_to_unstructured(a)
    view[0, 0, 1] = -7
    assert float(a["y"][0, 0]) == -7
    assert not cp.shares_memory(ours.structured_to_unstructured(a, copy=True), a)
    assert not cp.shares_memory(ours.structured_to_unstructured(a.T), a)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, a: m.structured_to_unstructured(a["x"]),
        lambda m, a: m.structured_to_unstructured(a, dtype="u1", casting="safe"),
        lambda m, a: m.unstructured_to_structured(a["x"], np.dtype([("a", "f8")])),
        lambda m, a: m.unstructured_to_structured(a["y"], casting="safe", dtype="i4,i4,i4,i4"),
        lambda m, a: m.unstructured_to_structured(a["y"], "f4,f4,f4,f4", ["a", "b", "c", "d"]),
        lambda m, a: m.unstructured_to_structured(a["x"][0, 0]),
        lambda m, a: m.unstructured_to_structured(a["x"][:, :0]),
    ],
)
def test_errors_are_numpys(call):
    host = filled(DTYPES["several types"])
    with pytest.raises(Exception) as expected:
        call(theirs, host)
    with pytest.raises(expected.type):
        call(ours, cp.asarray(host))


def test_errors_that_numpy_has_not():
    """Names that are too few drop numbers in NumPy; a dtype without fields is a TypeError there."""
    for arguments in ({"names": ["a"]}, {"dtype": "f8"}):
        with pytest.raises(ValueError, match="must be equal to the number of"):
            ours.unstructured_to_structured(cp.ones((2, 3)), **arguments)


def test_fields_by_name():
    host = filled(DTYPES["nested"])
    a = cp.asarray(host)
    wanted = np.dtype([("q", "f4"), ("p", [("y", "i8"), ("w", "f8")]), ("new", "u1")])
    assert ours.require_fields(a, wanted).get().tolist() == (
        theirs.require_fields(host, wanted).tolist()
    )
    for zero in (True, False):
        dst = np.ones(host.shape, wanted)
        found = cp.asarray(dst)
        theirs.assign_fields_by_name(dst, host, zero)
        ours.assign_fields_by_name(found, a, zero)
        assert found.get().tolist() == dst.tolist()


def test_repack_and_rename():
    host = filled(DTYPES["gaps"])
    a = cp.asarray(host)
    for arguments in ({}, {"align": True}):
        found, expected = (
            ours.repack_fields(a, **arguments),
            theirs.repack_fields(host, **arguments),
        )
        assert found.dtype == expected.dtype and found.get().tolist() == expected.tolist()
    assert ours.repack_fields(a.dtype) == theirs.repack_fields(host.dtype)
    host = filled(DTYPES["nested"])
    a = cp.asarray(host)
    renamed = ours.rename_fields(a, {"x": "time"})
    assert renamed.dtype == theirs.rename_fields(host, {"x": "time"}).dtype
    assert cp.shares_memory(renamed, a)


def test_apply_along_fields():
    host = filled(DTYPES["several types"])
    a = cp.asarray(host)
    assert_same(ours.apply_along_fields(cp.mean, a), theirs.apply_along_fields(np.mean, host))

"""Scalars to elements and back, promotion and casting rules."""

import itertools
import struct
import warnings

import ml_dtypes
import numpy as np
import pytest
from cases import DTYPES, NUMPY_DTYPES
from check import assert_same
from hypothesis import given
from hypothesis import strategies as st

import gpunp as cp
from gpunp import _C


@given(st.floats())
def test_half_rounds_as_numpy(value):
    with np.errstate(over="ignore"):
        expected = np.float64(value).astype(np.float16)
    got = cp.full((), value, dtype="e").get()
    assert np.isnan(expected) if np.isnan(got) else got.tobytes() == expected.tobytes()


@given(st.integers(0, 0xFFFF), st.integers(-3, 3))
def test_half_at_ties(bits, nudge):
    """Halfway between two neighbours, and just beside."""
    low = struct.unpack("<e", struct.pack("<H", bits & 0x7BFF))[0]
    high = struct.unpack("<e", struct.pack("<H", (bits & 0x7BFF) + 1))[0]
    value = (low + min(high, 65536.0)) / 2
    for _ in range(abs(nudge)):
        value = np.nextafter(value, np.inf * nudge)
    with np.errstate(over="ignore"):
        expected = np.float64(value).astype(np.float16)
    assert cp.full((), float(value), dtype="e").get().tobytes() == expected.tobytes()


def test_every_half_comes_back():
    a = np.arange(0x10000, dtype="u2").view("e")
    x = cp.array(a)
    for i in list(range(0, 0x10000, 257)) + [0x3FF, 0x400, 0x7BFF, 0x7C00, 0xFC00, 1, 0x8001]:
        value = x[i].item()
        assert value == float(a[i]) or (np.isnan(value) and np.isnan(a[i]))


@given(st.floats(width=32))
def test_bfloat16_rounds_as_ml_dtypes(value):
    expected = np.array(value, dtype=ml_dtypes.bfloat16)
    got = cp.full((), value, dtype=ml_dtypes.bfloat16).get()
    if np.isnan(value):
        assert np.isnan(got.astype("f4"))
    else:
        assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_scalars_of_every_dtype(dtype):
    for value in [0, 1, True, 2.5, -0.0, 3 + 4j, np.float32(1.25), np.int16(7), np.bool_(True),
                  np.complex64(1 + 2j), np.float64(2.0), np.uint64(2**62), np.array(3)]:  # fmt: skip
        expected, got = np.zeros((), dtype), cp.zeros((), dtype)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected[()] = value
            except (TypeError, OverflowError) as error:
                with pytest.raises(type(error)):
                    got[()] = value
            else:
                got[()] = value
        assert got.get().tobytes() == expected.tobytes(), value


@pytest.mark.parametrize("value", ["1", b"1", None, object(), [1, 2], {}, np.str_("x"), "abc"])
def test_what_is_no_number(value):
    x = cp.zeros(3)
    with pytest.raises((TypeError, ValueError)):
        x.fill(value)
    with pytest.raises((TypeError, ValueError)):
        cp.full(3, value, dtype=float)


def test_python_numbers_come_out():
    for dtype in NUMPY_DTYPES:
        a = np.array([1, 0, 1]).astype(dtype)
        assert cp.array(a).tolist() == a.tolist()
        assert type(cp.array(a)[0].item()) is type(a[0].item())
    limits = [np.iinfo(d) for d in "bhilBHIL"]
    for info in limits:
        for value in (info.min, info.max):
            assert cp.array(value, dtype=info.dtype).item() == value


def test_conversions_are_numpys():
    for value in (0, 3, 2.5, 1 + 2j, True):
        for shape in ((), (1,), (1, 1), (2,), (0,)):
            a = np.full(shape, value)
            x = cp.array(a)
            for convert in (bool, int, float, complex, lambda v: v.__index__(), str, format,
                            lambda v: format(v, ".2f"), lambda v: [10, 20, 30, 40][v]):  # fmt: skip
                try:
                    expected = convert(a)
                except Exception as error:
                    with pytest.raises(type(error)):
                        convert(x)
                    continue
                assert convert(x) == expected
    with pytest.raises(TypeError):
        hash(cp.zeros(2))


def test_item():
    a = np.arange(6.0).reshape(2, 3)[:, ::-1]
    x = cp.array(a.base.reshape(2, 3) if a.base.ndim == 1 else a.base)[:, ::-1]
    for args in [(0,), (5,), (-1,), (7,), (0, 1), (-1, -1), (0, 7), ((1, 2),), (), (0, 0, 0), ("a",),
                 (1.5,)]:  # fmt: skip
        try:
            expected = a.item(*args)
        except Exception as error:
            with pytest.raises(type(error)):
                x.item(*args)
            continue
        assert x.item(*args) == expected
    assert cp.array(4).item() == 4 and cp.array([[5]]).item() == 5


def test_result_type_is_numpys():
    arrays = [np.ones(2, "f4"), np.ones((), "f8"), np.ones(1, "i1"), np.ones(2, "u8")]
    scalars = [1, 2.0, 1j, True, np.float32(1), np.int64(3)]
    for a, b in itertools.product(arrays, arrays + scalars):
        ours = _C.result_type(cp.array(a), cp.array(b) if isinstance(b, np.ndarray) else b)
        expected = np.result_type(a.dtype, b.dtype if isinstance(b, np.ndarray) else b)
        assert ours == expected


@pytest.mark.parametrize(
    "bad", ["O", "S3", "U2", ">M8[s]", "V", ">f4", "i4,>f4", "i4,O", object, str, "g", "zzz"]
)
def test_dtypes_that_do_not_exist_here(bad):
    with pytest.raises(TypeError):
        cp.zeros(3, dtype=bad)
    with pytest.raises(TypeError):
        cp.zeros(3).astype(bad)


def test_astype():
    a = np.array([[1.5, -2.5], [0.0, 3.0]])
    x = cp.array(a)
    for dtype in NUMPY_DTYPES:
        if dtype.kind in "u":
            continue  # what becomes of negative numbers is the engine's to say
        assert_same(x.astype(dtype), a.astype(dtype))
    for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
        for dtype in ("f4", "f8", "i8", "c16"):
            try:
                a.astype(dtype, casting=casting)
            except TypeError:
                with pytest.raises(TypeError):
                    x.astype(dtype, casting=casting)
            else:
                x.astype(dtype, casting=casting)
    with pytest.raises(ValueError):
        x.astype("f4", casting="nonsense")
    with pytest.raises(TypeError):
        x.astype("f4", casting=3)
    assert x.astype("f8", copy=False) is x
    assert x.astype("f8", order="F", copy=False) is not x
    assert x.astype("f8") is not x


def test_bfloat16_by_name():
    assert cp.zeros(2, dtype="bfloat16").dtype == np.dtype(ml_dtypes.bfloat16)
    assert cp.zeros(2).astype("bfloat16").dtype.name == "bfloat16"

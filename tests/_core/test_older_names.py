"""Names of NumPy 1 and CuPy that NumPy 2 dropped; memoize; byteswap and ptp as methods."""

import io

import numpy as np
import pytest
from check import check

import gpunp as cp


def test_constants_and_types():
    assert cp.Inf == cp.PINF == cp.infty == cp.Infinity == np.inf and -np.inf == cp.NINF
    assert np.isnan(cp.NAN) and np.isnan(cp.NaN) and np.signbit(cp.NZERO)
    assert cp.float_ is np.float64 and cp.complex_ is cp.cfloat is np.complex128
    assert cp.singlecomplex is np.complex64


def test_synonyms():
    a = cp.array([1.26, 0.0])
    assert cp.round_(a, 1).tolist() == [1.3, 0.0]
    assert not cp.alltrue(a) and cp.sometrue(a) and cp.product(a) == 0
    assert cp.fromDlpack(a.__dlpack__()).tolist() == a.tolist()
    assert cp.asfarray(cp.arange(2)).dtype == "f8" and cp.asfarray([1], "f4").dtype == "f4"
    assert cp.asfarray([1], int).dtype == "f8"


def test_questions_about_types():
    assert cp.issubclass_(int, object) and not cp.issubclass_(3, int)
    assert cp.obj2sctype(cp.ones(2, "f4")) is np.float32 and cp.obj2sctype("no such", 7) == 7
    assert cp.issubsctype("f4", np.floating) and not cp.issubsctype("i4", np.floating)
    assert cp.issctype(np.dtype("f4")) and not cp.issctype([])
    assert cp.sctype2char("c16") == "D"
    with pytest.raises(ValueError, match="unrecognized"):
        cp.sctype2char("no such")
    assert cp.find_common_type([], ["i4", "f4"]) == np.dtype("f8")
    assert cp.find_common_type(["f4"], ["f8"]) == np.dtype("f4")
    assert cp.find_common_type(["i4"], ["f4"]) == np.dtype("f4")


def test_printing(capsys):
    out = io.StringIO()
    cp.disp("x", out, linefeed=False)
    assert out.getvalue() == "x"
    cp.who({"a": cp.zeros((2, 3)), "b": 4})
    printed = capsys.readouterr().out
    assert "2 x 3" in printed and "48" in printed and "float64" in printed and "b " not in printed


def test_memoize():
    calls = []

    @cp.memoize(for_each_device=True)
    def f(x, y=1):
        calls.append(x)
        return x + y

    assert [f(1), f(1), f(1, y=2), f(1)] == [2, 2, 3, 2] and calls == [1, 1]
    cp.clear_memo()
    assert f(1) == 2 and calls == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "u4", "f2", "f4", "f8", "c8", "c16"])
def test_byteswap(dtype, rng):
    a = rng.integers(0, 2, (3, 4)).astype(dtype)
    check(lambda xp: xp.asarray(a).byteswap())
    check(lambda xp: xp.asarray(a).T[::2].byteswap())

    def in_place(xp):
        b = xp.array(a)
        assert b.byteswap(inplace=True) is b
        return b

    check(in_place)


def test_byteswap_refuses_read_only():
    with pytest.raises(ValueError, match="read-only"):
        cp.broadcast_to(cp.ones(1), (3,)).byteswap(True)


def test_ptp_is_a_method():
    a = np.array([[3.0, 9.0], [1.0, 2.0]])
    assert cp.asarray(a).ptp() == 8 and cp.asarray(a).ptp(axis=0).tolist() == [2.0, 7.0]


def test_text_of_arrays_can_be_set():
    cp.set_string_function(lambda a: "text")
    cp.set_string_function(lambda a: "string", repr=False)
    try:
        assert (repr(cp.ones(2)), str(cp.ones(2))) == ("text", "string")
    finally:
        cp.set_string_function(None)
        cp.set_string_function(None, repr=False)
    assert (repr(cp.ones(2)), str(cp.ones(2))) == ("array([1., 1.])", "[1. 1.]")


def test_aligned_dtypes():
    made = cp.make_aligned_dtype(np.dtype([("a", "i1"), ("b", [("x", "i2"), ("y", "f8")])]))
    assert made.itemsize == 24 and made.fields["b"][1] == 8 and made["b"].fields["y"][1] == 8
    kept = cp.make_aligned_dtype(np.dtype([("a", "i1"), ("b", "i2", (3,))]), alignment=16)
    assert kept.itemsize == 16 and kept.fields["b"][1] == 2
    assert cp.make_aligned_dtype("f4") == np.dtype("f4")
    with pytest.raises(ValueError, match="power"):
        cp.make_aligned_dtype("f4", alignment=3)


def test_literals_and_wrappers():
    assert cp.safe_eval("{'a': (1, 2)}") == {"a": (1, 2)}
    with pytest.raises(ValueError):
        cp.safe_eval("print(1)")

    class Wrapped:
        __array_priority__ = 3

        def __array_wrap__(self, a):
            return a

    assert cp.get_array_wrap(cp.ones(1)) is None and cp.get_array_wrap(1, Wrapped()) is not None
    assert cp.cumproduct is cp.cumprod
    assert cp.ModuleDeprecationWarning is np.exceptions.ModuleDeprecationWarning

"""Text of arrays, which is NumPy's text of the same values."""

import numpy as np
import pytest

import gpunp as cp

ARRAYS = {
    "ints": np.arange(6).reshape(2, 3),
    "floats": np.array([1.5, -2.25, 1e10]),
    "f4": np.array([0.1, 2], "f4"),
    "complex": np.array([1 + 2j, -0.5j]),
    "bool": np.array([[True, False]]),
    "0-d": np.array(3.5),
    "empty": np.zeros((0, 3)),
    "nan": np.array([np.nan, np.inf]),
    "long": np.arange(5000),
    "long f4": np.linspace(0, 1, 2000, dtype="f4"),
    "tall": np.arange(4000).reshape(1000, 4),
    "wide": np.arange(4000).reshape(4, 1000),
    "cube": np.arange(64000, dtype="i2").reshape(40, 40, 40),
    "transposed": np.arange(4000.0).reshape(4, 1000).T,
    "just short": np.arange(1000),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_text(name):
    theirs = ARRAYS[name]
    ours = cp.asarray(theirs)
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    assert cp.array_repr(ours, precision=2) == np.array_repr(theirs, precision=2)
    assert cp.array_str(ours, 40) == np.array_str(theirs, 40)
    assert cp.array2string(ours, separator=",") == np.array2string(theirs, separator=",")


def test_options():
    theirs = np.linspace(0, 1, 30)
    ours = cp.asarray(theirs)
    with cp.printoptions(threshold=10, edgeitems=2, precision=3):
        assert repr(ours) == repr(theirs)
        assert str(ours.reshape(5, 6)) == str(theirs.reshape(5, 6))
    with np.printoptions(linewidth=30, threshold=5):
        assert repr(ours) == repr(theirs)
    assert cp.get_printoptions() == np.get_printoptions()


def test_bfloat16():
    a = cp.array([1, 2.5], dtype=cp.bfloat16)
    assert repr(a) == repr(a.get())


def test_format():
    assert f"{cp.array(2.5):.2f}" == "2.50"

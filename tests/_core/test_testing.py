"""gpunp.testing, and what the namespace says about itself."""

import os

import numpy as np
import pytest

import gpunp as cp
from gpunp import testing


def test_assertions_take_both_sides():
    a, b = cp.array([1.0, 2.0]), np.array([1.0, 2.0])
    testing.assert_array_equal(a, b)
    testing.assert_allclose(a, b + 1e-12)
    testing.assert_array_almost_equal(a, b)
    testing.assert_array_less(a, b + 1)
    testing.assert_array_max_ulp(a, b)
    testing.assert_array_almost_equal_nulp(a, b)
    testing.assert_array_list_equal([a], [b])
    for wrong in (
        lambda: testing.assert_array_equal(a, b + 1),
        lambda: testing.assert_allclose(a, b + 1),
        lambda: testing.assert_array_less(a, b),
        lambda: testing.assert_array_list_equal([a], [b, b]),
        lambda: testing.assert_array_equal(cp.ones((2, 3)), cp.ones((3, 2)).T, strides_check=True),
    ):
        with pytest.raises(AssertionError):
            wrong()


def test_example_data():
    assert testing.shaped_arange((2, 3)).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert testing.shaped_reverse_arange((3,), np, int).tolist() == [3, 2, 1]
    for dtype in ("?", "i4", "f8", "c8"):
        ours, theirs = (testing.shaped_random((3, 2), xp, dtype, seed=5) for xp in (cp, np))
        testing.assert_array_equal(ours, theirs)
        assert ours.dtype == np.dtype(dtype)


def test_env(monkeypatch):
    monkeypatch.setenv("GPUNP_SYNC", "0")
    with testing.env(SYNC=1, NEW="x"):
        assert (os.environ["GPUNP_SYNC"], os.environ["GPUNP_NEW"]) == ("1", "x")
    assert os.environ["GPUNP_SYNC"] == "0" and "GPUNP_NEW" not in os.environ


def test_namespace_info():
    info = cp.__array_namespace_info__()
    assert info.capabilities()["max dimensions"] == 64
    assert info.default_dtypes()["integral"] == np.int64
    assert set(info.dtypes(kind="signed integer")) == {"int8", "int16", "int32", "int64"}
    assert len(info.dtypes(kind=("bool", "real floating"))) == 3
    assert info.default_device() == cp.cuda.Device() and info.default_device() in info.devices()
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="text")
    assert cp.ones(1).__array_namespace__() is cp


def test_show_config(capsys):
    cp.show_config()
    assert "gpunp" in capsys.readouterr().out
    assert cp.show_config(mode="dicts")["NumPy"] == np.__version__
    assert cp.is_available()


def test_device_keyword():
    assert cp.zeros(3, device=cp.cuda.Device(0)).device.id == 0
    assert cp.arange(3, device=0).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="device"):
        cp.zeros(3, device="cpu")

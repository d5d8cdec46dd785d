"""The first file to read and to run: gpunp in one minute, against NumPy, in under three seconds."""

import numpy as np
import pytest

import gpunp as cp


def test_import_names_a_version():
    assert cp.__version__.count(".") == 2


def test_there_and_back():
    host = np.arange(12, dtype="f4").reshape(3, 4)
    device = cp.asarray(host)
    assert (device.shape, device.dtype, device.strides) == ((3, 4), host.dtype, host.strides)
    np.testing.assert_array_equal(device.get(), host)
    np.testing.assert_array_equal(cp.asnumpy(device), host)


def test_arithmetic_is_numpys():
    a = np.linspace(-2, 2, 50)
    x = cp.asarray(a)
    np.testing.assert_array_equal((x * x + 1.0).get(), a * a + 1.0)
    np.testing.assert_array_equal((x > 0).get(), a > 0)
    np.testing.assert_allclose(cp.sin(x).get(), np.sin(a), rtol=1e-15, atol=1e-16)


def test_promotion_is_numpys():
    for left, right in [("i1", "f4"), ("i8", "f4"), ("u8", "i8"), ("?", "i2"), ("f4", "D")]:
        ours = cp.ones(2, dtype=left) + cp.ones(2, dtype=right)
        assert ours.dtype == (np.ones(2, dtype=left) + np.ones(2, dtype=right)).dtype
    assert (cp.ones(2, dtype="f4") * 2.0).dtype == np.float32  # Python scalars are weak


def test_views_share_memory():
    x = cp.zeros((4, 6), dtype="i4")
    x[1::2, ::-1] = cp.arange(6, dtype="i4")
    expected = np.zeros((4, 6), dtype="i4")
    expected[1::2, ::-1] = np.arange(6, dtype="i4")
    np.testing.assert_array_equal(x.get(), expected)
    assert x[1:].base is x


def test_broadcasting():
    column, row = np.arange(3.0)[:, None], np.arange(4.0)
    ours = cp.asarray(column) * 10 + cp.asarray(row)
    np.testing.assert_array_equal(ours.get(), column * 10 + row)


def test_host_arrays_do_not_mix_silently():
    with pytest.raises(TypeError):
        cp.ones(3) + np.ones(3)
    with pytest.raises(TypeError):
        np.asarray(cp.ones(3))


def test_errors_are_numpys():
    with pytest.raises(ValueError):
        cp.ones(3) + cp.ones(4)
    with pytest.raises(IndexError):
        cp.ones(3)[5]


def test_nothing_is_left_on_the_device():
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    x = cp.ones(1000)
    assert pool.used_bytes() >= before + 8000
    del x
    assert pool.used_bytes() == before

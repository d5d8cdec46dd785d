"""Host arrays in page-locked memory, and what says what runs."""

import numpy as np
import pytest

import gpunp as cp


@pytest.mark.parametrize("order", ["C", "F"])
def test_pinned(order):
    a = cp.empty_pinned((2, 3), "f4", order)
    assert isinstance(a, np.ndarray) and a.dtype == "f4" and a.flags[f"{order}_CONTIGUOUS"]
    z = cp.zeros_pinned((2, 3), "i8", order)
    assert z.tolist() == [[0, 0, 0]] * 2 and z.flags[f"{order}_CONTIGUOUS"]
    assert cp.zeros_pinned(3).tolist() == [0, 0, 0] and cp.empty_pinned((0, 2)).shape == (0, 2)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (2, 0, 1), (1, 0, 2)])
def test_pinned_like(axes):
    a = cp.arange(24.0).reshape(2, 3, 4).transpose(axes)
    host = cp.empty_like_pinned(a)
    assert host.strides == np.empty_like(a.get()).strides or host.strides == a.strides
    a.get(out=host)
    np.testing.assert_array_equal(host, a.get())
    assert cp.zeros_like_pinned(a, dtype="i4", shape=(2, 2)).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(TypeError):
        cp.empty_like_pinned(a, subok=True)


def test_runtime_info(capsys):
    info = cp.get_runtime_info()
    assert info.numpy == np.__version__ and "Device 0" in str(info)
    with pytest.raises(AttributeError):
        _ = info.nothing
    cp.show_runtime()
    assert "CUDA driver" in capsys.readouterr().out


def test_waiting_can_be_forbidden():
    a = cp.arange(4.0)
    with cp.allow_synchronize(False):
        b = a + 1  # only starts work
        for waits in (
            lambda: a.get(),
            lambda: float(a[0]),
            lambda: a[a > 1],
            lambda: cp.cuda.Stream.null.synchronize(),
            lambda: cp.cuda.Device().synchronize(),
        ):
            with pytest.raises(cp.DeviceSynchronized):
                waits()
        with cp.allow_synchronize(True):
            assert b.tolist() == [1, 2, 3, 4]
        with pytest.raises(cp.DeviceSynchronized):
            a.get()
    assert a.tolist() == [0, 1, 2, 3]


def test_rsqrt():
    a = cp.array([4.0, 0.0, -1.0], dtype="f4")
    found = cp.rsqrt(a)
    assert (
        found.dtype == "f4"
        and found.tolist()[:2] == [0.5, float("inf")]
        and bool(found[2] != found[2])
    )
    out = cp.zeros(3, "f4")
    assert cp.rsqrt(a, out) is out and cp.rsqrt(4) == 0.5
    assert cp.rsqrt(
        cp.array([4.0, 9.0]), out=cp.zeros(2), where=cp.array([True, False])
    ).tolist() == [0.5, 0]

"""Files, read and written by NumPy on the host."""

import gc
import io
import weakref

import numpy as np
import pytest
from check import assert_same

import gpunp as cp


def test_save_and_load(tmp_path):
    a = cp.arange(6.0).reshape(2, 3).T
    cp.save(tmp_path / "a.npy", a)
    assert_same(cp.load(tmp_path / "a.npy"), a.get(order="A"))
    np.save(tmp_path / "b.npy", a)  # NumPy's own name, by dispatch
    assert_same(cp.load(tmp_path / "b.npy"), a.get(order="A"))


@pytest.mark.parametrize("save", [cp.savez, cp.savez_compressed])
def test_archives(tmp_path, save):
    path = tmp_path / "a.npz"
    save(path, cp.arange(3), x=cp.ones(2, "f4"))
    with cp.load(path) as archive:
        assert sorted(archive) == ["arr_0", "x"] and len(archive) == 2
        assert_same(archive["arr_0"], np.arange(3))
        assert_same(archive["x"], np.ones(2, "f4"))


@pytest.mark.parametrize("order", ["C", "F"])
def test_files_keep_the_order(tmp_path, order):
    a = cp.asarray(np.arange(6).reshape(2, 3), order=order)
    cp.save(tmp_path / "a.npy", a)
    assert cp.load(tmp_path / "a.npy").strides == a.strides
    cp.savez(tmp_path / "a.npz", a=a)
    with cp.load(tmp_path / "a.npz") as archive:
        assert archive["a"].strides == a.strides


def test_archives_as_numpys(tmp_path):
    cp.savez(tmp_path / "a.npz", a=cp.arange(3), b=cp.ones(2))
    with cp.load(tmp_path / "a.npz") as archive:
        assert "a" in archive and "a.npy" in archive and "c" not in archive
        assert isinstance(archive.f.a, cp.ndarray) and dir(archive.f) == ["a", "b"]
        assert not hasattr(archive.f, "c")
        assert repr(archive).endswith("a.npz' with keys: a, b")
        assert archive.zip is not None
    assert archive.zip is None


def test_no_pickles(tmp_path):
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        cp.load(tmp_path / "o.npy")


def test_text():
    text = "1 2 3\n4 5 6\n"
    assert_same(cp.loadtxt(io.StringIO(text)), np.loadtxt(io.StringIO(text)))
    assert_same(
        cp.genfromtxt(io.StringIO("1,,3"), delimiter=",", filling_values=7),
        np.array([1.0, 7, 3]),
    )
    out = io.StringIO()
    cp.savetxt(out, cp.arange(4).reshape(2, 2), fmt="%d")
    assert out.getvalue() == "0 1\n2 3\n"


def test_dumped_arrays_are_loaded(tmp_path):
    cp.arange(3).dump(tmp_path / "a.pkl")
    assert_same(cp.load(tmp_path / "a.pkl", allow_pickle=True), np.arange(3))


def test_archives_are_in_no_cycle():
    buffer = io.BytesIO()
    cp.savez(buffer, x=cp.arange(3))
    buffer.seek(0)
    gc.collect()
    gc.disable()
    try:
        archive = cp.load(buffer)
        assert archive.f.x.tolist() == [0, 1, 2]
        alive = weakref.ref(archive)
        del archive
        assert alive() is None
    finally:
        gc.enable()

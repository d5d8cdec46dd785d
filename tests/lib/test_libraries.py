"""NVIDIA's libraries, or their emulations: found, opened once, named when missing."""

import os
import subprocess
import sys
import threading

import pytest

import gpunp as cp
from gpunp import _C

TITLES = ["cuBLAS", "cuBLASLt", "cuSOLVER", "cuFFT", "cuRAND", "NCCL"]


def test_every_library_is_listed():
    rows = _C._libraries()
    assert [row[0] for row in rows] == TITLES
    for title, version, path in rows:
        if title == "NCCL" and version is None:
            assert "gpunp[nccl" in path  # an extra of its own, which need not be there
            continue
        assert version is not None, f"{title}: {path}"
        assert path.startswith("/")


def test_errors_are_runtime_errors():
    for name in ("CUBLASError", "CUSOLVERError", "CuFFTError", "CURANDError", "NcclError"):
        assert issubclass(getattr(_C, name), RuntimeError)


def test_handles_are_kept_per_thread():
    first = cp.cuda.get_cublas_handle()
    assert first and first == cp.cuda.get_cublas_handle()
    assert cp.cuda.get_cusolver_handle() not in (0, first)
    other = []
    thread = threading.Thread(target=lambda: other.append(cp.cuda.get_cublas_handle()))
    thread.start()
    thread.join()
    assert other[0] not in (0, first)
    thread = threading.Thread(target=lambda: other.append(cp.cuda.get_cublas_handle()))
    thread.start()
    thread.join()
    assert other[1] == other[0]  # the handle of a thread that has ended


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.mark.skipif(not cp.cuda.is_emulated(), reason="of the emulated device")
def test_missing_scipy_is_named():
    code = (
        "import sys; sys.modules['scipy.linalg.cython_blas'] = None\n"
        "from gpunp import _C\n"
        "print([r for r in _C._libraries() if r[1] is None])\n"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
    assert "gpunp[emulator]" in done.stdout and "SciPy" in done.stdout
    assert "cuFFT" not in done.stdout


@pytest.mark.gpu
def test_missing_library_tells_where_it_looked(tmp_path):
    done = run("from gpunp import _C; print(_C._libraries())", GPUNP_LIBRARIES=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout and "gpunp[cuda" in done.stdout

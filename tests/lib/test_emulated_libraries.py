"""Emulated libraries check what NVIDIA's check: sizes, leading dimensions, working space."""

import ctypes
import subprocess
import sys
from pathlib import Path

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp import _C

pytestmark = pytest.mark.skipif(not cp.cuda.is_emulated(), reason="of the emulated device")

F64 = 1  # CUDA_R_64F
UPPER, NO_TRANS = 1, 0
INVALID_CUBLAS, INVALID_CUSOLVER, WORKSPACE_CUSOLVER = 7, 3, 31


def size(n):
    return ctypes.c_int64(n)


def pointer(a):
    return ctypes.c_void_p(a.data.ptr)


@pytest.fixture(scope="module")
def library():
    path = next(path for title, _, path in _C._libraries() if title == "cuSOLVER")
    assert Path(path).name == "libgpunp_emu_math.so"
    return ctypes.CDLL(path)


@pytest.fixture
def solver(library):
    handle, params = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.cusolverDnCreate(ctypes.byref(handle)) == 0
    assert library.cusolverDnCreateParams(ctypes.byref(params)) == 0
    yield handle, params
    library.cusolverDnDestroyParams(params)
    library.cusolverDnDestroy(handle)


def potrf(library, solver, a, n, lda, shortage=0):
    """Status of Xpotrf on the upper triangle, with too little working space by `shortage` bytes."""
    device, host = ctypes.c_size_t(), ctypes.c_size_t()
    arguments = (*solver, UPPER, size(n), F64, pointer(a), size(lda), F64)
    status = library.cusolverDnXpotrf_bufferSize(
        *arguments, ctypes.byref(device), ctypes.byref(host)
    )
    if status:
        return status
    work = cp.empty(device.value, "u1")
    host_work = ctypes.create_string_buffer(host.value)
    info = cp.zeros(1, "i4")
    status = library.cusolverDnXpotrf(
        *arguments,
        pointer(work),
        ctypes.c_size_t(device.value - shortage),
        host_work,
        host,
        pointer(info),
    )
    cp.cuda.get_current_stream().synchronize()
    return status or int(info[0])


def test_cholesky_at_the_interface(library, solver):
    a = cp.array([[4.0, 2.0], [2.0, 5.0]])
    assert potrf(library, solver, a, 2, 2) == 0
    assert np.array_equal(cp.tril(a).get(), [[2, 0], [1, 2]])


def test_a_wrong_leading_dimension_is_noticed(library, solver):
    a = cp.eye(4)
    assert potrf(library, solver, a, 4, 3) == INVALID_CUSOLVER
    assert potrf(library, solver, a, -1, 4) == INVALID_CUSOLVER
    assert np.array_equal(a.get(), np.eye(4))


def test_too_small_a_workspace_is_noticed(library, solver):
    assert potrf(library, solver, cp.eye(4), 4, 4, shortage=1) == WORKSPACE_CUSOLVER


def test_a_typed_interface_wants_its_workspace(library, solver):
    handle = solver[0]
    a, tau, info = cp.eye(3), cp.zeros(3), cp.zeros(1, "i4")
    need = ctypes.c_int()
    sizes = (handle, 3, 3, 3, pointer(a), 3, pointer(tau))
    assert library.cusolverDnDorgqr_bufferSize(*sizes, ctypes.byref(need)) == 0
    work = cp.empty(need.value)
    call = (pointer(work), need.value - 1, pointer(info))
    assert library.cusolverDnDorgqr(*sizes, *call) == INVALID_CUSOLVER
    short = (handle, 3, 3, 3, pointer(a), 2, pointer(tau))
    assert library.cusolverDnDorgqr_bufferSize(*short, ctypes.byref(need)) == INVALID_CUSOLVER
    wide = (handle, 2, 3, 2, pointer(a), 2, pointer(tau))
    assert library.cusolverDnDorgqr_bufferSize(*wide, ctypes.byref(need)) == INVALID_CUSOLVER


def test_batched_svd_takes_small_matrices_only(library, solver):
    settings, need = ctypes.c_void_p(), ctypes.c_int()
    assert library.cusolverDnCreateGesvdjInfo(ctypes.byref(settings)) == 0
    a = cp.zeros((2, 33, 33))
    sizes = (pointer(a), 33, pointer(a), pointer(a), 33, pointer(a), 33, ctypes.byref(need))
    status = library.cusolverDnDgesvdjBatched_bufferSize(solver[0], 1, 33, 33, *sizes, settings, 2)
    library.cusolverDnDestroyGesvdjInfo(settings)
    assert status == INVALID_CUSOLVER


def test_triangles_are_checked(library):
    handle = ctypes.c_void_p()
    assert library.cublasCreate_v2(ctypes.byref(handle)) == 0
    one = ctypes.c_double(1)
    a, b = cp.eye(3), cp.ones((2, 3))

    def trsm(lda, ldb, trans=NO_TRANS):
        return library.cublasDtrsm_v2_64(
            handle, 0, UPPER, trans, 0, size(3), size(2), ctypes.byref(one), pointer(a), size(lda),
            pointer(b), size(ldb),
        )  # fmt: skip

    assert trsm(3, 3) == 0
    assert trsm(2, 3) == INVALID_CUBLAS
    assert trsm(3, 2) == INVALID_CUBLAS
    assert trsm(3, 3, trans=3) == INVALID_CUBLAS
    library.cublasDestroy_v2(handle)
    cp.cuda.get_current_stream().synchronize()


def test_without_a_handle_nothing_is_done(library):
    nobody = ctypes.c_void_p()
    assert library.cublasSetStream_v2(nobody, None) == 1
    assert library.cusolverDnSetStream(nobody, None) == 1


def test_work_is_done_in_the_order_of_its_stream():
    """A factorisation between other work of a stream that is busy: nothing is computed early."""
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        a = cp.zeros((40, 40))
        for _ in range(20):
            a += cp.eye(40) / 5
        inverse = cp.linalg.inv(a)
        a *= 0
    stream.synchronize()
    assert np.allclose(inverse.get(), np.eye(40) / 4, rtol=1e-12)


def test_work_is_captured(rng):
    values = rng.normal(size=(5, 6, 6)) + 6 * np.eye(6)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream, cp.errstate(linalg="ignore"):
        a, x = cp.asarray(values), cp.ones((5, 6, 2))
        out = cp.empty((5, 6, 2))
        cp.linalg.solve(a, x)  # kernels are loaded before
        stream.begin_capture()
        out[...] = cp.linalg.solve(a, x)
        graph = stream.end_capture()
        for factor in (1.0, 2.0):
            x[...] = factor
            graph.launch()
            stream.synchronize()
            expected = np.linalg.solve(values, np.full((5, 6, 2), factor))
            assert np.allclose(out.get(), expected)


WITHOUT_MEMORY = """
import resource
import gpunp as cp

x = cp.ones((3000, 3000), "f2")
call = lambda: CALL
for _ in range(2):
    call()  # kernels, plans and the pool's memory are there now
cp.cuda.Device().synchronize()
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), resource.RLIM_INFINITY))
try:
    result = call()
    cp.cuda.Device().synchronize()
except RuntimeError as error:
    assert "LAUNCH_FAILED" in str(error) and "host memory" in str(error), error
else:
    raise SystemExit("the result was lost without an error")
finally:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
"""


@pytest.mark.parametrize("call", ["x @ x", "cp.fft.fft2(x)"], ids=["product", "transform"])
def test_work_without_host_memory_fails_the_context(call):
    """The emulated libraries need memory that the real ones do not."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MEMORY.replace("CALL", call)],
        env=child.environment(GPUNP_DEVICE="emulated"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr

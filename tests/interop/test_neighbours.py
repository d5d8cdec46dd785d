"""CuPy, PyTorch and Numba take gpunp's arrays, and give theirs, without a copy. On a GPU."""

import numpy as np
import pytest

import gpunp as cp

pytestmark = [
    pytest.mark.gpu,
    # The neighbours' own words about their own affairs.
    pytest.mark.filterwarnings("ignore"),
]

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"]


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def numba_cuda():
    return pytest.importorskip("numba.cuda")


def grid(dtype="float32"):
    return cp.arange(24).reshape(4, 6).astype(dtype)


# ---- PyTorch


@pytest.mark.parametrize("dtype", DTYPES)
def test_torch_takes_by_dlpack(torch, dtype):
    ours = grid(dtype)
    theirs = torch.from_dlpack(ours)
    assert theirs.data_ptr() == ours.data.ptr
    assert np.array_equal(theirs.cpu().numpy(), ours.get())


def test_torch_takes_bfloat16(torch):
    ours = grid(cp.bfloat16)
    theirs = torch.from_dlpack(ours)
    assert theirs.dtype == torch.bfloat16
    assert theirs.data_ptr() == ours.data.ptr


def test_torch_takes_by_array_interface(torch):
    ours = grid()[:, ::2]
    theirs = torch.as_tensor(ours, device="cuda")
    assert theirs.data_ptr() == ours.data.ptr
    theirs += 1
    torch.cuda.synchronize()
    assert np.array_equal(theirs.cpu().numpy(), ours.get())


@pytest.mark.parametrize("dtype", DTYPES)
def test_torch_gives_by_dlpack(torch, dtype):
    theirs = torch.arange(24, device="cuda").reshape(4, 6).to(getattr(torch, dtype))
    ours = cp.from_dlpack(theirs)
    assert ours.data.ptr == theirs.data_ptr()
    assert np.array_equal(ours.get(), theirs.cpu().numpy())


def test_torch_gives_a_transposed_view(torch):
    theirs = torch.arange(24.0, device="cuda").reshape(4, 6).T
    ours = cp.asarray(theirs)
    assert ours.data.ptr == theirs.data_ptr()
    assert ours.shape == (6, 4)
    assert np.array_equal((ours + 1).get(), theirs.cpu().numpy() + 1)


def test_torch_keeps_our_memory_alive(torch):
    theirs = torch.from_dlpack(cp.full(1000, 7.0))
    cp.full(1000, 1.0)  # would take the same block had it been freed
    assert theirs.sum().item() == 7000


def test_our_work_after_torchs_stream(torch):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        theirs = torch.zeros(1 << 22, device="cuda")
        for _ in range(20):
            theirs += 1
        ours = cp.from_dlpack(theirs)
    assert float(ours.min()) == 20.0
    side.synchronize()


# ---- CuPy


@pytest.mark.parametrize("dtype", DTYPES)
def test_cupy_takes_and_gives(cupy, dtype):
    ours = grid(dtype)
    theirs = cupy.asarray(ours)
    assert theirs.data.ptr == ours.data.ptr
    assert np.array_equal(theirs.get(), ours.get())
    back = cp.asarray(theirs)
    assert back.data.ptr == ours.data.ptr
    assert back.dtype == ours.dtype


def test_cupy_takes_by_dlpack(cupy):
    ours = grid()[::-1]
    theirs = cupy.from_dlpack(ours)
    assert theirs.data.ptr == ours.data.ptr
    assert np.array_equal(theirs.get(), ours.get())


def test_cupys_stream(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    with cp.cuda.ExternalStream(stream.ptr):
        ours = cp.ones(1 << 20) * 3
    stream.synchronize()
    assert float(ours.sum()) == 3 * (1 << 20)


# ---- Numba


def test_numba_takes_ours(numba_cuda):
    ours = grid()
    theirs = numba_cuda.as_cuda_array(ours)
    assert theirs.__cuda_array_interface__["data"][0] == ours.data.ptr
    assert np.array_equal(theirs.copy_to_host(), ours.get())


def test_numba_kernel_on_our_arrays(numba_cuda, monkeypatch):
    # numba-cuda's compiler asks for a name that NumPy 2.5 dropped.
    monkeypatch.setattr(np, "row_stack", np.vstack, raising=False)

    @numba_cuda.jit
    def double(x, out):
        i = numba_cuda.grid(1)
        if i < x.size:
            out[i] = 2 * x[i]

    x = cp.arange(1000, dtype="float32")
    out = cp.zeros(1000, dtype="float32")
    double[4, 256](x, out)
    numba_cuda.synchronize()
    assert np.array_equal(out.get(), 2 * np.arange(1000, dtype="float32"))


def test_numba_gives(numba_cuda):
    theirs = numba_cuda.to_device(np.arange(6.0).reshape(2, 3))
    ours = cp.asarray(theirs)
    assert ours.data.ptr == theirs.__cuda_array_interface__["data"][0]
    assert np.array_equal(ours.get(), np.arange(6.0).reshape(2, 3))

"""`gpunp.cuda`'s modules of NVIDIA's libraries: functions that take addresses, plans, absences."""

import ctypes
import io
import pickle
import subprocess
import sys
import threading

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import compiler, cublas, cufft, curand, cusolver, cusparse, driver, nvrtc


@pytest.mark.parametrize("name", ["cub", "cutensor", "thrust"])
def test_libraries_that_are_not_used_say_so(name):
    module = getattr(cp.cuda, name)
    assert module.available is False and module.__all__ == ["available"]


def test_errors_are_those_that_are_raised():
    for error in (cublas.CUBLASError, cusolver.CUSOLVERError, curand.CURANDError):
        assert issubclass(error, RuntimeError)
    assert issubclass(cufft.CuFFTError, RuntimeError)


# ---- cuBLAS --------------------------------------------------------------------------------------


@pytest.fixture
def handle():
    handle = cublas.create()
    yield handle
    cublas.destroy(handle)


def test_cublas_handle_and_version(handle):
    cublas.setStream(handle, cp.cuda.Stream.null.ptr)
    cublas.setMathMode(handle, cublas.CUBLAS_DEFAULT_MATH)
    assert cublas.getVersion(handle) >= 120000
    with pytest.raises(cublas.CUBLASError) as caught:
        cublas.check_status(7)
    assert caught.value.status == 7
    cublas.check_status(0)


def test_cublas_function_takes_addresses(handle, rng):
    a = rng.normal(size=(3, 4, 4))
    columns = cp.asarray(a.transpose(0, 2, 1).copy())
    addresses = cp.asarray([matrix.data.ptr for matrix in columns], dtype=np.uint64)
    pivots, info = cp.zeros((3, 4), np.int32), cp.ones(3, np.int32)
    with cp.cuda.Stream():
        arguments = (addresses.data.ptr, 4, pivots.data.ptr, info.data.ptr, 3)
        cublas.dgetrfBatched(handle, 4, *arguments)
        cp.cuda.get_current_stream().synchronize()
    diagonal = np.diagonal(columns.get(), axis1=1, axis2=2)
    np.testing.assert_allclose(abs(diagonal.prod(1)), abs(np.linalg.det(a)), rtol=1e-12)
    assert not info.get().any()


def test_cublas_reports_wrong_calls(handle):
    with pytest.raises(cublas.CUBLASError, match="cublasDgetrfBatched: status"):
        cublas.dgetrfBatched(handle, -1, 0, 4, 0, 0, 1)
    with pytest.raises(TypeError, match="takes 7 arguments, 2 given"):
        cublas.dgetrfBatched(handle, 1)


def test_cublas_has_what_the_library_has():
    assert not hasattr(cublas, "no_such_function")
    assert "sgemm" in dir(cublas) and hasattr(cublas, "sgemm")


# ---- cuFFT ---------------------------------------------------------------------------------------


def test_cufft_version():
    assert 10000 <= cufft.getVersion() < 100000


def test_plans_of_rows(rng):
    x = rng.normal(size=(3, 8))
    forward = cufft.Plan1d(8, cufft.CUFFT_D2Z, 3)
    with forward as plan:
        out = plan.get_output_array(cp.asarray(x))
        plan.fft(cp.asarray(x), out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out.get(), np.fft.rfft(x), atol=1e-12)
    back = cufft.Plan1d(8, cufft.CUFFT_Z2D, 3)
    again = back.get_output_array(out)
    back.check_output_array(out, again)
    back.fft(out, again, cufft.CUFFT_INVERSE)
    np.testing.assert_allclose(again.get() / 8, x, atol=1e-12)
    assert (back.nx, back.batch, back.fft_type) == (8, 3, cufft.CUFFT_Z2D)


def test_plans_in_place_are_not_scaled(rng):
    z = rng.normal(size=12) + 1j * rng.normal(size=12)
    a = cp.asarray(z)
    plan = cufft.Plan1d(12, cufft.CUFFT_Z2Z, 1)
    plan.fft(a, a, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(a.get(), np.fft.fft(z), atol=1e-12)
    plan.fft(a, a, cufft.CUFFT_INVERSE)
    np.testing.assert_allclose(a.get(), 12 * z, atol=1e-12)


def test_plans_of_several_axes(rng):
    z = rng.normal(size=(2, 4, 6)) + 1j * rng.normal(size=(2, 4, 6))
    plan = cufft.PlanNd((4, 6), None, 1, 24, None, 1, 24, cufft.CUFFT_Z2Z, 2, "C", 2, None)
    a = cp.asarray(z)
    out = plan.get_output_array(a)
    plan.fft(a, out, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(out.get(), np.fft.fft2(z), atol=1e-12)
    # The batches beside each other: element (x, y) of batch b is at b + 2 * (6 * x + y).
    beside = cp.asarray(z.transpose(1, 2, 0).copy())
    plan = cufft.PlanNd((4, 6), (4, 6), 2, 1, (4, 6), 2, 1, cufft.CUFFT_Z2Z, 2)
    plan.fft(beside, beside, cufft.CUFFT_FORWARD)
    np.testing.assert_allclose(beside.get(), np.fft.fft2(z).transpose(1, 2, 0), atol=1e-12)


@pytest.mark.parametrize(
    "error, make",
    [
        (ValueError, lambda: cufft.Plan1d(8, 1, 1)),
        (ValueError, lambda: cufft.Plan1d(0, cufft.CUFFT_C2C, 1)),
        (TypeError, lambda: cufft.Plan1d(4, cufft.CUFFT_C2C, 1).fft(cp.ones(4), cp.ones(4), -1)),
        (ValueError, lambda: cufft.Plan1d(4, cufft.CUFFT_C2C, 2).fft(*2 * [cp.ones(4, "F")], -1)),
        (
            ValueError,
            lambda: cufft.Plan1d(4, cufft.CUFFT_C2C).check_output_array(
                cp.ones(4, "F"), cp.ones(3, "F")
            ),
        ),
    ],
)
def test_wrong_plans(error, make):
    with pytest.raises(error):
        make()


# ---- NVRTC ---------------------------------------------------------------------------------------

SOURCE = """
#include "one.h"
template <typename T> __global__ void add(T *x) { x[threadIdx.x] += ONE; }
"""


@pytest.fixture
def program():
    program = nvrtc.createProgram(SOURCE, "add.cu", ("#define ONE 1",), ("one.h",))
    yield program
    nvrtc.destroyProgram(program)


def test_nvrtc_compiles(program):
    capability = cp.cuda.Device().compute_capability
    nvrtc.addNameExpression(program, "add<float>")
    nvrtc.compileProgram(program, (f"-arch=compute_{capability}",))
    module = cp.cuda.Module()
    module.load(nvrtc.getPTX(program))
    x = cp.zeros(4, np.float32)
    module.get_function(nvrtc.getLoweredName(program, "add<float>"))((1,), (4,), (x,))
    assert x.get().tolist() == [1, 1, 1, 1]
    assert nvrtc.getVersion() >= (12, 0) and 90 in nvrtc.getSupportedArchs()


def test_nvrtc_reports_what_is_wrong():
    program = nvrtc.createProgram("nonsense", "wrong.cu", (), ())
    with pytest.raises(nvrtc.NVRTCError, match="COMPILATION") as caught:
        nvrtc.compileProgram(program, ())
    assert caught.value.status == 6 and "wrong.cu(1)" in nvrtc.getProgramLog(program)
    nvrtc.destroyProgram(program)
    with pytest.raises(ValueError, match="1 headers and 0 names"):
        nvrtc.createProgram("", "", ("",), ())


def test_compile_exceptions_have_messages(tmp_path):
    with pytest.raises(cp.cuda.compiler.CompileException) as caught:
        cp.RawKernel("nonsense", "f").compile()
    with open(tmp_path / "log", "w") as file:
        caught.value.dump(file)
    assert "nonsense" in caught.value.get_message()
    assert (tmp_path / "log").read_text().startswith(caught.value.get_message())
    assert caught.value.source == "nonsense" and isinstance(caught.value.options, tuple)
    assert pickle.loads(pickle.dumps(caught.value)).source == "nonsense"
    module = cp.RawModule(code="nonsense", options=("-DX=1",))
    with pytest.raises(cp.cuda.compiler.CompileException) as caught:
        module.compile()
    assert "-DX=1" in caught.value.options and caught.value.name
    with pytest.raises(cp.cuda.compiler.CompileException) as caught:
        cp.ElementwiseKernel("T x", "T y", "y = nonsense", "k", options=("-DX=1",))(cp.ones(2))
    assert caught.value.source == "y = nonsense" and caught.value.name == "k"
    with pytest.raises(cp.cuda.compiler.CompileException) as caught:
        compiler.compile_using_nvrtc("nonsense", ("-DX=1",), 90)
    assert caught.value.source == "nonsense" and "-DX=1" in caught.value.options
    compiler.compile_using_nvrtc("int plain(int x) { return x; }", (), 90)


# ---- the driver ----------------------------------------------------------------------------------


def test_driver_modules():
    program = nvrtc.createProgram(
        '__device__ int g = 7; extern "C" __global__ void f(int *x) { *x = g; }', "f.cu", (), ()
    )
    nvrtc.compileProgram(program, (f"-arch=compute_{cp.cuda.Device().compute_capability}",))
    module = driver.moduleLoadData(nvrtc.getPTX(program))
    nvrtc.destroyProgram(program)
    assert driver.moduleGetFunction(module, "f") and driver.moduleGetGlobal(module, "g")
    with pytest.raises(driver.CUDADriverError, match="NOT_FOUND") as caught:
        driver.moduleGetFunction(module, "absent")
    assert caught.value.status == 500
    driver.moduleUnload(module)
    with pytest.raises(TypeError, match="of bytes"):
        driver.moduleLoadData("text")


def test_driver_links_and_launches():
    code = """extern "C" __global__ void f(int *x, int n)
              { extern __shared__ int s[]; s[0] = n; x[0] = s[0]; }"""
    program = nvrtc.createProgram(code, "f.cu", (), ())
    nvrtc.compileProgram(program, (f"-arch=compute_{cp.cuda.Device().compute_capability}",))
    state = driver.linkCreate()
    driver.linkAddData(state, driver.CU_JIT_INPUT_PTX, nvrtc.getPTX(program), "f")
    module = driver.moduleLoadData(driver.linkComplete(state))
    driver.linkDestroy(state)
    nvrtc.destroyProgram(program)
    f = driver.moduleGetFunction(module, "f")
    shared = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver.funcSetAttribute(f, shared, 1024)
    assert driver.funcGetAttribute(shared, f) == 1024
    x, stream = cp.zeros(1, cp.int32), cp.cuda.Stream()
    values = ctypes.c_void_p(x.data.ptr), ctypes.c_int(7)
    every = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    for launch, extra in ((driver.launchKernel, (0,)), (driver.launchCooperativeKernel, ())):
        values[1].value += 1
        cp.cuda.Device().synchronize()
        launch(f, 1, 1, 1, 1, 1, 1, 64, stream.ptr, ctypes.addressof(every), *extra)
        stream.synchronize()
        assert x.get() == values[1].value
    driver.moduleUnload(module)


def test_driver_contexts():
    context = driver.ctxGetCurrent()
    assert context and driver.ctxGetDevice() == cp.cuda.Device().id
    assert driver.streamGetCtx(cp.cuda.Stream().ptr) == context
    seen = []
    thread = threading.Thread(target=lambda: seen.append(driver.ctxGetCurrent()))
    thread.start()
    thread.join()
    assert seen == [context]
    driver.check_status(0)
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="CUDA_ERROR_INVALID_VALUE"):
        driver.check_status(driver.CUDA_ERROR_INVALID_VALUE)


def test_driver_occupancy():
    kernel = cp.RawKernel('extern "C" __global__ void f(float *x) { *x = 1; }', "f")
    kernel.compile()
    blocks = driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, 256, 0)
    grid, block = driver.occupancyMaxPotentialBlockSize(kernel.kernel.ptr, 0, 128)
    assert blocks >= 1 and grid >= 1 and 32 <= block <= 128


@pytest.mark.parametrize("blocks", [1, 2, 4, 8])
def test_launch_bounds_give_occupancy(blocks):
    """As many blocks as the kernel says are resident, however many values it keeps."""
    code = f"""extern "C" __global__ void __launch_bounds__(256, {blocks}) f(double *x) {{
        double a[48];
        #pragma unroll
        for (int i = 0; i < 48; i++) a[i] = x[threadIdx.x + 256 * i];
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < 48; i++) x[threadIdx.x + 256 * i] = a[i] * a[47 - i] + a[i / 2];
    }}"""
    kernel = cp.RawKernel(code, "f")
    kernel.compile()
    found = driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, 256, 0)
    assert found >= blocks
    assert kernel.num_regs <= 65536 // (256 * blocks)


# ---- cuSOLVER, cuSPARSE, cuRAND ------------------------------------------------------------------


def test_names_are_there_where_the_library_has_them():
    assert "dpotrf" in dir(cusolver) and "spMV" in dir(cusparse) and "generate" in dir(curand)
    assert not hasattr(cusolver, "no_such_function") and not hasattr(cusparse, "no_such_function")
    for module, name, instead in (
        (cusparse, "spGEMM_copy", "gpunp.cusparse"),
        (cusolver, "dsytrf", "gpunp.linalg"),
    ):
        if cp.cuda.is_emulated():
            with pytest.raises(AttributeError, match=f"the emulated device.*{instead}"):
                getattr(module, name)
        else:
            assert hasattr(module, name)
    for module, error in ((cusolver, cusolver.CUSOLVERError), (cusparse, cusparse.CuSparseError)):
        with pytest.raises(error) as caught:
            module.check_status(3)
        assert caught.value.status == 3


def test_cusolver_handle_and_stream():
    handle = cusolver.create()
    with cp.cuda.Stream() as stream:
        cusolver.setStream(handle, stream.ptr)
        assert cusolver.getStream(handle) == stream.ptr
    cusolver.destroy(handle)


def test_the_default_generator_of_curand_is_xorwow():
    drawn = []
    for kind in (curand.CURAND_RNG_PSEUDO_DEFAULT, curand.CURAND_RNG_PSEUDO_XORWOW):
        generator, out = curand.createGenerator(kind), cp.zeros(100, "u4")
        curand.setPseudoRandomGeneratorSeed(generator, 7)
        curand.generate(generator, out.data.ptr, out.size)
        curand.destroyGenerator(generator)
        drawn.append(out.get().tolist())
    assert drawn[0] == drawn[1]


def test_curand_generator():
    generator = curand.createGenerator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
    curand.setPseudoRandomGeneratorSeed(generator, 7)
    out = cp.zeros(1000, np.uint32)
    with cp.cuda.Stream() as stream:
        curand.generate(generator, out.data.ptr, out.size)
        stream.synchronize()
    curand.destroyGenerator(generator)
    assert len(np.unique(out.get())) > 990
    with pytest.raises(TypeError, match="takes 3 arguments, 1 given"):
        curand.generate(generator)


def test_handles_of_sparse_functions():
    assert cp.cuda.Device().cusparse_handle == cp.cuda.device.get_cusparse_handle()
    if cp.cuda.is_emulated():
        with pytest.raises(RuntimeError, match="no sparse functions of cuSOLVER; on it gpunp"):
            cp.cuda.device.get_cusolver_sp_handle()
    else:
        assert cp.cuda.Device().cusolver_sp_handle


def test_cusolver_factors(rng):
    """What a function stores for the host is returned: the size of the work area."""
    a = rng.normal(size=(5, 5))
    a = a @ a.T + 5 * np.eye(5)
    columns, info = cp.asarray(a, order="F"), cp.ones(1, np.int32)
    handle = cp.cuda.device.get_cusolver_handle()
    size = cusolver.dpotrf_bufferSize(handle, 0, 5, columns.data.ptr, 5)
    work = cp.empty(size)
    cusolver.dpotrf(handle, 0, 5, columns.data.ptr, 5, work.data.ptr, size, info.data.ptr)
    np.testing.assert_allclose(np.tril(columns.get()), np.linalg.cholesky(a), rtol=1e-12)
    assert info.get() == [0]


TYPES = pytest.mark.parametrize("letter, dtype", [("s", "f4"), ("d", "f8"), ("c", "F"), ("z", "D")])


class Solver:
    """Functions of one type by their names, and matrices stored by columns on the device."""

    def __init__(self, letter, dtype, rng):
        self.letter, self.dtype, self.rng = letter, np.dtype(dtype), rng
        self.handle = cp.cuda.device.get_cusolver_handle()
        self.info = cp.full(1, -1, np.int32)
        self.close = {"rtol": 0, "atol": 1e-4 if self.dtype.char in "fF" else 1e-12}

    def __call__(self, name, *arguments):
        arguments = [x.data.ptr if isinstance(x, cp.ndarray) else x for x in arguments]
        return getattr(cusolver, self.letter + name)(self.handle, *arguments)

    def matrix(self, *shape):
        values = self.rng.normal(size=shape)
        if self.dtype.kind == "c":
            values = values + 1j * self.rng.normal(size=shape)
        return values.astype(self.dtype)

    def put(self, values):
        return cp.array(values, order="F")

    def run(self, name, *arguments, work=()):
        """Call a function that stores its success last; `work` is its buffer's place and size."""
        self(name, *arguments, *work, self.info)
        assert self.info.get() == [0]

    def work(self, size):
        return cp.empty(size, self.dtype)


@TYPES
def test_cusolver_cholesky_by_addresses(letter, dtype, rng):
    solver = Solver(letter, dtype, rng)
    root, b = solver.matrix(6, 6), solver.matrix(6, 2)
    a = root @ root.conj().T + 6 * np.eye(6, dtype=dtype)
    matrix, x = solver.put(a), solver.put(b)
    size = solver("potrf_bufferSize", 1, 6, matrix, 6)
    solver.run("potrf", 1, 6, matrix, 6, work=(solver.work(size), size))
    solver.run("potrs", 1, 6, 2, matrix, 6, x, 6)
    np.testing.assert_allclose(a @ x.get(), b, **solver.close)


@TYPES
@pytest.mark.parametrize("transposed", [0, 1])
def test_cusolver_lu_by_addresses(letter, dtype, transposed, rng):
    """Pivots have 32 bits, unlike those of the functions of any type."""
    solver = Solver(letter, dtype, rng)
    a, b = solver.matrix(7, 7), solver.matrix(7, 3)
    matrix, x, pivots = solver.put(a), solver.put(b), cp.zeros(8, np.int32)
    size = solver("getrf_bufferSize", 7, 7, matrix, 7)
    solver.run("getrf", 7, 7, matrix, 7, solver.work(size), pivots)
    assert pivots.min() == 0 and pivots[:7].min() >= 1 and pivots.max() <= 7
    solver.run("getrs", transposed, 7, 3, matrix, 7, pivots, x, 7)
    np.testing.assert_allclose((a.T if transposed else a) @ x.get(), b, **solver.close)


@TYPES
def test_cusolver_qr_by_addresses(letter, dtype, rng):
    solver = Solver(letter, dtype, rng)
    a = solver.matrix(8, 5)
    matrix, tau = solver.put(a), cp.zeros(5, dtype)
    size = solver("geqrf_bufferSize", 8, 5, matrix, 8)
    solver.run("geqrf", 8, 5, matrix, 8, tau, work=(solver.work(size), size))
    triangle, name = np.triu(matrix.get()[:5]), "orgqr" if letter in "sd" else "ungqr"
    size = solver(f"{name}_bufferSize", 8, 5, 5, matrix, 8, tau)
    solver.run(name, 8, 5, 5, matrix, 8, tau, work=(solver.work(size), size))
    np.testing.assert_allclose(matrix.get() @ triangle, a, **solver.close)


@TYPES
def test_cusolver_eigenvalues_by_addresses(letter, dtype, rng):
    solver = Solver(letter, dtype, rng)
    a = solver.matrix(6, 6)
    a = a + a.conj().T
    matrix, values = solver.put(a), cp.empty(6, solver.matrix(1).real.dtype)
    name = "syevd" if letter in "sd" else "heevd"
    head = (cusolver.CUSOLVER_EIG_MODE_VECTOR, 0, 6, matrix, 6, values)
    size = solver(f"{name}_bufferSize", *head)
    solver.run(name, *head, work=(solver.work(size), size))
    vectors = matrix.get()
    np.testing.assert_allclose(vectors * values.get() @ vectors.conj().T, a, **solver.close)


@TYPES
def test_cusolver_singular_values_by_addresses(letter, dtype, rng):
    solver = Solver(letter, dtype, rng)
    a = solver.matrix(7, 4)
    matrix, s = solver.put(a), cp.empty(4, a.real.dtype)
    u, v = solver.put(np.zeros((7, 4), dtype)), solver.put(np.zeros((4, 4), dtype))
    size = solver("gesvd_bufferSize", 7, 4)
    work, real_work = solver.work(size), cp.empty(4, s.dtype)
    solver.run("gesvd", *b"SS", 7, 4, matrix, 7, s, u, 7, v, 4, work, size, real_work)
    np.testing.assert_allclose(u.get() * s.get() @ v.get(), a, **solver.close)


@pytest.mark.skipif(not cp.cuda.is_emulated(), reason="NVIDIA's library writes past the space")
def test_cusolver_refuses_too_little_working_space():
    solver = Solver("d", "f8", np.random.default_rng(0))
    matrix = solver.put(np.eye(5))
    for size in (-1, 0, 1):
        with pytest.raises(cusolver.CUSOLVERError) as caught:
            solver("potrf", 0, 5, matrix, 5, 0, size, solver.info)
        assert caught.value.status == 3


def test_cusolver_batched_jacobi(rng):
    a = rng.normal(size=(3, 4, 4)).astype("f4")
    a = a + a.transpose(0, 2, 1)
    columns, values, info = cp.asarray(a), cp.empty((3, 4), "f4"), cp.ones(3, np.int32)
    handle, params = cp.cuda.device.get_cusolver_handle(), cusolver.createSyevjInfo()
    head = (handle, cusolver.CUSOLVER_EIG_MODE_VECTOR, 0, 4, columns.data.ptr, 4, values.data.ptr)
    size = cusolver.ssyevjBatched_bufferSize(*head, params, 3)
    work = cp.empty(size, "f4")
    cusolver.ssyevjBatched(*head, work.data.ptr, size, info.data.ptr, params, 3)
    cusolver.destroySyevjInfo(params)
    np.testing.assert_allclose(values.get(), np.linalg.eigvalsh(a), rtol=1e-4, atol=1e-4)


def test_cusparse_product(rng):
    dense = rng.normal(size=(4, 6)) * (rng.random((4, 6)) < 0.5)
    a = cp.scipy.sparse.csr_matrix(cp.asarray(dense))
    x, y = cp.asarray(rng.normal(size=6)), cp.zeros(4)
    handle, index, real = cp.cuda.device.get_cusparse_handle(), cusparse.CUSPARSE_INDEX_32I, 1
    matrix = cusparse.createCsr(
        4, 6, a.nnz, a.indptr.data.ptr, a.indices.data.ptr, a.data.data.ptr, index, index, 0, real
    )
    vectors = [cusparse.createDnVec(v.size, v.data.ptr, real) for v in (x, y)]
    one, zero = np.array(1.0), np.array(0.0)
    head = (handle, 0, one.ctypes.data, matrix, vectors[0], zero.ctypes.data, vectors[1], real, 0)
    size = cusparse.spMV_bufferSize(*head)
    work = cp.empty(max(size, 1), np.uint8)
    cusparse.spMV(*head, work.data.ptr)
    np.testing.assert_allclose(y.get(), dense @ x.get(), rtol=1e-12)
    held = cusparse.csrGet(matrix)
    assert (held.rows, held.cols, held.nnz, held.values) == (4, 6, a.nnz, a.data.data.ptr)
    for vector in vectors:
        cusparse.destroyDnVec(vector)
    cusparse.destroySpMat(matrix)


REAL = {"f4": 0, "f8": 1, "F": 4, "D": 5}  # cudaDataType


class Sparse:
    """Sparse and dense matrices of one type by cuSPARSE's descriptors."""

    def __init__(self, dtype, rng):
        self.dtype, self.rng, self.kind = np.dtype(dtype), rng, REAL[dtype]
        self.handle = cp.cuda.device.get_cusparse_handle()
        self.kept = []  # arrays and factors, which descriptors do not hold

    def values(self, *shape, density=1):
        values = self.rng.normal(size=shape) * (self.rng.random(shape) < density)
        return (values * (1 + 2j) if self.dtype.kind == "c" else values).astype(self.dtype)

    def address(self, values):
        array = cp.asarray(values)
        self.kept.append(array)
        return array.data.ptr

    def factor(self, value):
        self.kept.append(np.array(value, self.dtype))
        return self.kept[-1].ctypes.data

    def matrix(self, values, kind, index="i4", base=0):
        """The descriptor of a matrix of format `kind`."""
        a = getattr(cp.scipy.sparse, f"{kind}_matrix")(cp.asarray(values))
        first, second = (a.row, a.col) if kind == "coo" else (a.indptr, a.indices)
        addresses = [self.address(x.astype(index) + base) for x in (first, second)]
        number = {"i4": cusparse.CUSPARSE_INDEX_32I, "i8": cusparse.CUSPARSE_INDEX_64I}[index]
        kinds = [number] * (1 if kind == "coo" else 2)
        create = getattr(cusparse, f"create{kind.capitalize()}")
        held = self.address(a.data)
        return create(*values.shape, a.nnz, *addresses, held, *kinds, base, self.kind)

    def dense(self, array, order=1):
        rows, columns = array.shape
        self.kept.append(array)
        leading = rows if order == 1 else columns
        return cusparse.createDnMat(rows, columns, leading, array.data.ptr, self.kind, order)

    def product(self, op_a, op_b, *matrices):
        one, half = self.factor(1.5), self.factor(-0.5)
        a, b, c = matrices
        head = (self.handle, op_a, op_b, one, a, b, half, c, self.kind, 0)
        cusparse.spMM(*head, self.space(cusparse.spMM_bufferSize(*head)))

    def space(self, size):
        """The address of working space, which is asked for even where its size is zero."""
        return self.address(np.zeros(size + 1, np.uint8))

    def to_dense(self, *matrices):
        head = (self.handle, *matrices, 0)
        cusparse.sparseToDense(*head, self.space(cusparse.sparseToDense_bufferSize(*head)))


def transposed(array, op):
    return [array, array.T, array.conj().T][op]


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize(
    "kind, index, base", [("csr", "i4", 0), ("csc", "i8", 1), ("coo", "i4", 1)]
)
@pytest.mark.parametrize("op_a, op_b", [(0, 0), (1, 0), (2, 1)])
def test_cusparse_products_of_formats(dtype, kind, index, base, op_a, op_b, rng):
    sparse = Sparse(dtype, rng)
    op_a = op_a if dtype in "FD" else min(op_a, 1)  # real numbers have no conjugates: status 3
    shape = (6, 9) if op_a == 0 else (9, 6)
    a = sparse.values(*shape, density=0.4)
    b, c = sparse.values(*transposed(np.empty((9, 4)), op_b).shape), sparse.values(6, 4)
    given, out = cp.array(b, order="F"), cp.array(c, order="C")
    sparse.product(
        op_a, op_b, sparse.matrix(a, kind, index, base), sparse.dense(given), sparse.dense(out, 2)
    )
    wanted = 1.5 * transposed(a, op_a) @ transposed(b, op_b) - 0.5 * c
    np.testing.assert_allclose(out.get(), wanted, rtol=0, atol=1e-4 if dtype in "f4F" else 1e-12)


@pytest.mark.parametrize("dtype", ["f4", "D"])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("order", [1, 2])
def test_cusparse_conversions_of_dense_matrices(dtype, kind, order, rng):
    sparse = Sparse(dtype, rng)
    a = sparse.values(7, 5, density=0.5)
    out = cp.full(a.shape, 9, dtype, order="F" if order == 1 else "C")
    sparse.to_dense(sparse.matrix(a, kind), sparse.dense(out, order))
    assert np.array_equal(out.get(), a)

    empty = sparse.matrix(np.zeros_like(a), kind)
    dense = sparse.dense(out, order)
    head = (sparse.handle, dense, empty, 0)
    work = sparse.space(cusparse.denseToSparse_bufferSize(*head))
    cusparse.denseToSparse_analysis(*head, work)
    size = np.zeros(3, np.int64)
    cusparse.spMatGetSize(empty, *[size[k:].ctypes.data for k in range(3)])
    assert size.tolist() == [7, 5, np.count_nonzero(a)]
    held = getattr(cusparse, f"{kind}Get")(empty)
    assert held[:3] == (7, 5, size[2])
    first = np.zeros(size[2], "i4")
    places = [sparse.address(first) if kind == "coo" else held[3]]
    places += [sparse.address(first), sparse.address(np.zeros(size[2], dtype))]
    getattr(cusparse, f"{kind}SetPointers")(empty, *places)
    cusparse.denseToSparse_convert(*head, work)
    back = cp.zeros(a.shape, dtype)
    sparse.to_dense(empty, sparse.dense(back, 2))
    assert np.array_equal(back.get(), a)


def test_cusparse_transposes_and_compresses(rng):
    sparse = Sparse("f8", rng)
    a = cp.scipy.sparse.csr_matrix(cp.asarray(sparse.values(6, 4, density=0.5)))
    values, offsets, indices = cp.empty(a.nnz), cp.zeros(5, "i4"), cp.zeros(a.nnz, "i4")
    parts = [x.data.ptr for x in (a.data, a.indptr, a.indices, values, offsets, indices)]
    head = (sparse.handle, 6, 4, a.nnz, *parts, 1, 1, 0, 1)
    cusparse.csr2cscEx2(*head, sparse.space(cusparse.csr2cscEx2_bufferSize(*head)))
    wanted = a.tocsc()
    for found, part in ((values, wanted.data), (offsets, wanted.indptr), (indices, wanted.indices)):
        assert (found == part).all()
    rows, back = cp.zeros(a.nnz, "i4"), cp.zeros(7, "i4")
    cusparse.xcsr2coo(sparse.handle, a.indptr.data.ptr, a.nnz, 6, rows.data.ptr, 0)
    assert (rows == a.tocoo().row).all()
    cusparse.xcoo2csr(sparse.handle, rows.data.ptr, a.nnz, 6, back.data.ptr, 0)
    assert (back == a.indptr).all()


def test_cusparse_refuses_what_does_not_fit():
    sparse = Sparse("f8", np.random.default_rng(1))
    a, short = sparse.matrix(np.eye(4), "csr"), cp.zeros((3, 2), order="F")
    with pytest.raises(cusparse.CuSparseError) as caught:
        sparse.product(0, 0, a, sparse.dense(short), sparse.dense(cp.zeros((4, 2), order="F")))
    assert caught.value.status == 3


FAULT = """
import numpy as np, gpunp as cp
from gpunp.cuda import cusparse

handle = cp.cuda.device.get_cusparse_handle()
offsets, places, values = cp.array([0, 1, 2], "i4"), cp.array([0, 7], "i4"), cp.ones(2)
dense = cp.zeros((2, 2))
addresses = [x.data.ptr for x in (offsets, places, values)]
matrix = cusparse.createCsr(2, 2, 2, *addresses, 2, 2, 0, 1)
into = cusparse.createDnMat(2, 2, 2, dense.data.ptr, 1, 1)
size = cusparse.sparseToDense_bufferSize(handle, matrix, into, 0)
space = cp.zeros(size + 1, "u1")
cusparse.sparseToDense(handle, matrix, into, 0, space.data.ptr)
try:
    dense.get()
except cp.cuda.driver.CUDADriverError as error:
    print(error)
"""


@pytest.mark.null
def test_cusparse_reports_a_position_outside_of_its_matrix():
    """On the emulated device alone: what a GPU does then is not known."""
    settings = child.environment(GPUNP_DEVICE="emulated")
    command = [sys.executable, "-c", FAULT]
    out = subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout
    assert "cuSPARSE: a position outside of its matrix" in out


# ---- the compiler --------------------------------------------------------------------------------


def test_compile_using_nvrtc():
    code = "template <class T> __global__ void fill(T *x) { x[threadIdx.x] = VALUE; }"
    image, symbols = compiler.compile_using_nvrtc(
        code, options=("-DVALUE=7",), name_expressions=["fill<float>"]
    )
    module = driver.moduleLoadData(image)
    assert driver.moduleGetFunction(module, symbols["fill<float>"])
    driver.moduleUnload(module)
    ptx, none = compiler.compile_using_nvrtc(code, ("-DVALUE=7",), method="ptx")
    assert b".version" in ptx and none is None
    ir, _ = compiler.compile_using_nvrtc('extern "C" __global__ void f() {}', arch=90, method="lto")
    assert ir and isinstance(ir, bytes)
    messages = io.StringIO()
    compiler.compile_using_nvrtc("#warning so\n", log_stream=messages)
    assert "so" in messages.getvalue()


def test_compile_using_nvrtc_reports():
    with pytest.raises(cp.cuda.CompileException, match="no_such_type") as caught:
        compiler.compile_using_nvrtc("no_such_type x;", filename="mine.cu")
    assert "mine.cu" in str(caught.value)
    with pytest.raises(ValueError, match="method must be .*'elf'"):
        compiler.compile_using_nvrtc("", method="elf")
    assert compiler.is_valid_kernel_name("f_1") and not compiler.is_valid_kernel_name("f<int>")


def test_memory_hooks_of_this_thread():
    from gpunp.cuda.memory_hook import MemoryHook, get_memory_hooks

    with MemoryHook() as hook:
        assert get_memory_hooks() == {"MemoryHook": hook}
    assert get_memory_hooks() == {}

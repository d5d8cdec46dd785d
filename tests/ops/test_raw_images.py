"""RawModule beyond source: fat binaries, linking, clusters, headers of the toolkit and of CuPy."""

import io
import subprocess

import numpy as np
import pytest

import gpunp as cp

NVCC = cp.cuda.get_nvcc_path()
needs_nvcc = pytest.mark.skipif(NVCC is None, reason="no nvcc")

TWICE = r"""
extern "C" __device__ int twice(int x) { return 2 * x; }
"""
CALLER = r"""
extern "C" __device__ int twice(int x);
__constant__ int offset[2];
extern "C" __global__ void call(int *x) { x[threadIdx.x] = twice(x[threadIdx.x]) + offset[1]; }
"""


@pytest.fixture
def nvcc(tmp_path, monkeypatch):
    """Compile a text with nvcc; gives the path of what was made."""
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # a sanitizer's runtime breaks nvcc

    def run(text, *options, name="image"):
        source, image = tmp_path / f"{name}.cu", tmp_path / name
        source.write_text(text)
        subprocess.run([NVCC, *options, "-o", image, source], check=True)
        return image

    return run


@needs_nvcc
def test_fatbin(nvcc):
    path = nvcc(
        CALLER.replace('extern "C" __device__ int twice(int x);', TWICE),
        "-fatbin",
        "-arch=compute_75",
        "-no-compress",
    )
    module = cp.RawModule(path=path)
    cp.ndarray((2,), "i4", module.get_global("offset"))[...] = cp.array([0, 5], "i4")
    x = cp.arange(4, dtype="i4")
    module.get_function("call")((1,), (4,), (x,))
    assert x.tolist() == [5, 7, 9, 11]


@needs_nvcc
def test_cubin_of_the_device(nvcc):
    if cp.cuda.is_emulated():
        pytest.skip("machine code needs a real device")
    capability = cp.cuda.Device().compute_capability
    module = cp.RawModule(path=str(nvcc(TWICE + CALLER, "-cubin", f"-arch=sm_{capability}")))
    x = cp.arange(4, dtype="i4")
    module.get_function("call")((1,), (4,), (x,))
    assert x.tolist() == [0, 2, 4, 6]


# ---- linking -------------------------------------------------------------------------------------


@pytest.fixture
def ptx(nvcc):
    """PTX of a text whose functions other texts may call."""
    return lambda text: nvcc(text, "-ptx", "-rdc=true", "-arch=compute_75").read_text()


@needs_nvcc
@pytest.mark.parametrize("form", [str, str.encode], ids=["str", "bytes"])
def test_link(form, ptx, tmp_path):
    state = cp.cuda.function.LinkState()
    assert state.ptr != 0
    state.add_ptr_data(form(ptx(CALLER)), "caller.ptx")
    (tmp_path / "twice.ptx").write_text(ptx(TWICE))
    state.add_ptr_file(str(tmp_path / "twice.ptx"))
    image = state.complete()
    assert isinstance(image, bytes) and state.ptr == 0
    module = cp.cuda.Module()
    module.load(image)
    x = cp.arange(4, dtype="i4")
    module.get_function("call")((1,), (4,), (x,))
    assert x.tolist() == [0, 2, 4, 6]
    address = module.get_global_var("offset")
    assert isinstance(address, int) and address != 0
    with pytest.raises(RuntimeError, match="complete"):
        state.complete()


@needs_nvcc
def test_link_errors_say_what_is_wrong(ptx):
    state = cp.cuda.function.LinkState()
    with pytest.raises(cp.cuda.CUDADriverError, match=r"(?s)cuLink\w+: .*\w"):
        state.add_ptr_data(b"!<arch>\nthis is no library", "bad.a")
        state.complete()
    state = cp.cuda.function.LinkState()
    state.add_ptr_data(ptx(CALLER), "caller.ptx")
    with pytest.raises(cp.cuda.CUDADriverError, match="twice"):
        cp.cuda.Module().load(state.complete())  # the emulated device links when it loads
    with pytest.raises(FileNotFoundError):
        state.add_ptr_file("/no/such/file")
    with pytest.raises(TypeError):
        state.add_ptr_data(3, "x")


def test_mapping_of_name_expressions():
    names = ("f<int>", "f<float>")
    code = "template <class T> __global__ void f(T *x) { *x = 1; }"
    module = cp.RawModule(code=code, name_expressions=names).module
    assert set(module.mapping) == set(names) and all("f" in s for s in module.mapping.values())
    assert cp.RawModule(code='extern "C" __global__ void g() {}').module.mapping == {}


# ---- launching -----------------------------------------------------------------------------------


def test_cluster_launch():
    if int(cp.cuda.Device().compute_capability) < 90:
        pytest.skip("clusters need compute capability 9.0")
    source = r"""
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void share(int *out)
    {
        __shared__ int mine;
        cg::cluster_group cluster = cg::this_cluster();
        mine = 100 + cluster.block_rank();
        cluster.sync();
        out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
        cluster.sync();
    }
    """
    out = cp.zeros(4, "i4")
    cp.RawKernel(source, "share")((4,), (1,), (out,), cluster=(2,))
    assert out.tolist() == [101, 100, 101, 100]


def test_grid_sync():
    source = r"""
    #include <cooperative_groups.h>
    extern "C" __global__ void meet(int *x, int *out)
    {
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        atomicAdd(x, 1);
        grid.sync();
        out[grid.thread_rank()] = *x;
    }
    """
    x, out = cp.zeros(1, "i4"), cp.zeros(6, "i4")
    cp.RawKernel(source, "meet", enable_cooperative_groups=True)((3,), (2,), (x, out))
    assert out.tolist() == [6] * 6


def test_constant_memory_of_a_structure():
    source = r"""
    struct Settings { float scale; int shift; };
    __constant__ Settings settings;
    extern "C" __global__ void apply(float *x) { x[threadIdx.x] = x[threadIdx.x] * settings.scale + settings.shift; }
    """
    module = cp.RawModule(code=source)
    record = np.array((2.5, 7), np.dtype([("scale", "f4"), ("shift", "i4")]))
    pointer = module.get_global("settings")
    assert isinstance(pointer, cp.cuda.MemoryPointer)
    pointer.copy_from_host(record.ctypes.data, record.nbytes)
    x = cp.arange(4, dtype="f4")
    module.get_function("apply")((1,), (4,), (x,))
    assert x.tolist() == [7.0, 9.5, 12.0, 14.5]


# ---- arguments -----------------------------------------------------------------------------------


def test_python_numbers_take_the_declared_type():
    source = r"""
    #include <cupy/complex.cuh>
    template <class T> struct Pair { T a, b; };
    extern "C" __global__ void other(int a, const char *b);
    /* extern "C" __global__ void put(int a) */
    extern "C" __global__ void __launch_bounds__(64) put(
        const float a, double b, const complex<float> c, complex<double> d, // (a comment)
        Pair<int> e, double *out)
    {
        out[0] = a; out[1] = b; out[2] = c.imag(); out[3] = d.real(); out[4] = e.b;
    }
    """
    out = cp.zeros(5)
    pair = np.array([4, 9], "i4").view(np.dtype([("a", "i4"), ("b", "i4")]))[0]
    cp.RawKernel(source, "put")((1,), (1,), (0.1, 0.2, 1 + 0.5j, 3j + 4, pair, out))
    assert out.tolist() == [float(np.float32(0.1)), 0.2, 0.5, 4.0, 9.0]


@pytest.mark.parametrize(
    ("declared", "given", "text"),
    [
        ("int", 2.0, "2.0 is a float, the parameter an integer"),
        ("const long long", 2.0, "an integer"),
        ("unsigned long long int", np.float64(2), "an integer"),
        ("uint64_t", np.float64(2), "an integer"),
        ("double", np.int64(2), "numpy.int64, the parameter a double"),
        ("float", np.int32(2), "the parameter a float"),
    ],
)
def test_numbers_of_another_kind(declared, given, text):
    source = "#include <stdint.h>\n" + 'extern "C" __global__ void f(double *x, %s n) { *x = n; }'
    with pytest.raises(TypeError, match=text):
        cp.RawKernel(source % declared, "f")((1,), (1,), (cp.zeros(1), given))


@pytest.mark.parametrize("declared", ["float", "const double", "int", "size_t", "bool", "char"])
@pytest.mark.parametrize("given", [1, True])
def test_a_python_int_becomes_any_number(declared, given):
    source = 'extern "C" __global__ void f(double *x, %s n) { *x = n; }' % declared
    x = cp.zeros(1)
    cp.RawKernel(source, "f")((1,), (1,), (x, given))
    assert x.item() == 1


def test_views_are_their_address():
    """A raw kernel sees an address: the steps of a view are the program's business."""
    kernel = cp.RawKernel('extern "C" __global__ void f(int *x) { x[threadIdx.x] = 7; }', "f")
    x = cp.zeros((4, 3), "i4")
    with pytest.warns(RuntimeWarning, match="argument 0 of kernel f .*ascontiguousarray"):
        kernel((1,), (2,), (x[1:, 1:],))
    assert x.ravel().nonzero()[0].tolist() == [4, 5]
    kernel((1,), (2,), (x[1:, 1:],))  # said once
    kernel((1,), (2,), (x.T,))


# ---- headers -------------------------------------------------------------------------------------

HEADERS = {
    "cuda/std": ("#include <cuda/std/array>\n#include <cuda/std/limits>",
                 "cuda::std::array<int, 3> a{1, 2, 3}; out[0] = a[2] + cuda::std::numeric_limits<signed char>::max();", 130.0),
    "cub": ("#include <cub/block/block_reduce.cuh>",
            "typedef cub::BlockReduce<double, 32> Reduce; __shared__ typename Reduce::TempStorage t;"
            "double s = Reduce(t).Sum(1.5); if (threadIdx.x == 0) out[0] = s;", 48.0),
    "fp16": ("#include <cuda_fp16.h>\n#include <cuda_bf16.h>",
             "out[0] = (double)__half2float(__float2half(2.5f)) + __bfloat162float(__float2bfloat16(1.0f));", 3.5),
    "cuComplex": ("#include <cuComplex.h>",
                  "cuDoubleComplex z = cuCmul(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4)); out[0] = z.y;", 10.0),
    "cupy": ("#include <cupy/complex.cuh>\n#include <cupy/atomics.cuh>\n#include <cupy/carray.cuh>",
             "complex<double> z(3, 4); z *= 2.0; z += complex<float>(1, 0); float16 h = 0.5f;"
             "out[0] = abs(z - 1.0) + thrust::conj(z).imag() + (float)h;", 2.5),
    "cupy/...h": ("#include <cupy/float16.cuh>\n#include <cupy/hip_workaround.cuh>\n#include <cupy/cuda_workaround.h>\n"
                  "#include <cupy/math_constants.h>\n#include <math_constants.h>\n#include <type_traits>",
                  "float16 h = 0.5f; out[0] = (float)h + std::is_arithmetic<double>::value + (CUDART_PI > CUDART_3PIO4);", 2.5),
}  # fmt: skip


STANDARD = {
    "C": ("stdint.h stddef.h stdio.h stdlib.h string.h math.h float.h limits.h assert.h",
          "uint64_t a = UINT64_MAX; int8_t b = INT8_MIN; size_t c = offsetof(Pair, y); assert(INT_MAX > 0);"
          "float v = -INFINITY; out[0] = (int)(a >> 60) + b + (int)c + floor(M_PI) + (v < -FLT_MAX);", -105.0),
    "C++": ("cstdint cstddef cstdio cstdlib cstring cmath cfloat climits cassert algorithm limits",
            "std::uint16_t a = 7; double x = 1, y = 2; std::swap(x, y); out[0] = a + std::abs(-2.5)"
            "+ std::pow(x, 3.0) + std::max(4, 3) + (std::numeric_limits<int>::max() == INT_MAX);", 22.5),
    "templates": ("type_traits utility tuple array functional iterator complex",
                  "std::array<int, 3> a{1, 2, 3}; auto t = std::make_tuple(1, 2.5); std::complex<double> z(3, 4);"
                  "out[0] = a[2] + std::get<1>(t) + std::is_same<int, int>::value + std::abs(z);", 11.5),
    "CUDA": ("cuda_runtime.h device_launch_parameters.h cuda_fp16.h math_constants.h vector_types.h",
             "float3 v = make_float3(1, 2, 3); out[0] = v.z + (CUDART_PI > 3);", 4.0),
}  # fmt: skip


def test_an_old_dialect_beside_headers_of_the_toolkit():
    """CUDA 13's need C++17; programs of CUDA 11 ask for less."""
    source = (
        "#include <cuda/std/limits>\n"
        + 'extern "C" __global__ void f(int *out) { out[0] = cuda::std::numeric_limits<int>::max(); }'
    )
    out = cp.zeros(1, "i4")
    for option in ("-std=c++11", "--std=c++14"):
        cp.RawKernel(source, "f", options=(option,))((1,), (1,), (out,))
        assert out[0] == 2**31 - 1


@pytest.mark.parametrize("name", STANDARD)
def test_headers_of_the_language(name):
    """What programs include by habit and NVRTC does not have."""
    includes, body, expected = STANDARD[name]
    lines = [f"#include <{include}>" for include in includes.split()]
    lines += [
        "struct Pair { int x, y; };",
        f'extern "C" __global__ void f(double *out) {{ {body} }}',
    ]
    out = cp.zeros(1)
    cp.RawKernel("\n".join(lines), "f", ("-std=c++17",))((1,), (1,), (out,))
    assert out.item() == expected


@pytest.mark.parametrize("option", [("-I{}",), ("-I", "{}"), ("--include-path={}",)])
def test_a_header_of_the_users_goes_before_ours(option, tmp_path):
    (tmp_path / "math.cuh").write_text("#define ANSWER 42\n")
    source = '#include "math.cuh"\nextern "C" __global__ void f(double *x) { *x = ANSWER; }'
    out = cp.zeros(1)
    options = tuple(part.format(tmp_path) for part in option)
    cp.RawKernel(source, "f", options)((1,), (1,), (out,))
    assert out.item() == 42


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name):
    include, body, expected = HEADERS[name]
    source = f'{include}\nextern "C" __global__ void f(double *out) {{ {body} }}'
    out = cp.zeros(1)
    cp.RawKernel(source, "f", options=("-std=c++17",))((1,), (32,), (out,))
    assert out.item() == expected


def test_the_names_of_cupys_headers_leave_the_users_alone():
    source = r"""
    #define N 4
    #define T float
    #include <cupy/complex.cuh>
    #include <cupy/atomics.cuh>
    struct f16 { int mine; };
    struct Array { T x[N]; };
    __device__ int cast(int x) { return x + 1; }
    extern "C" __global__ void f(T *out, X *extreme) {
        Array a = {{1, 2, 3, 4}};
        out[threadIdx.x] = a.x[threadIdx.x] + cast(sizeof(f16));
        atomicMax(extreme, out[threadIdx.x]);
    }
    """
    out, extreme = cp.zeros(4, "f4"), cp.zeros(1, "f4")
    cp.RawKernel(source, "f", ("-DX=float",))((1,), (4,), (out, extreme))
    assert out.tolist() == [6.0, 7.0, 8.0, 9.0] and extreme.item() == 9.0


def test_curand_device():
    source = r"""
    #include <curand_kernel.h>
    extern "C" __global__ void draw(float *out) {
        curandStatePhilox4_32_10_t s;
        curand_init(1234, threadIdx.x, 0, &s);
        out[threadIdx.x] = curand_uniform(&s);
    }
    """
    out = cp.zeros(64, "f4")
    try:
        cp.RawKernel(source, "draw")((1,), (64,), (out,))
    except cp.cuda.CompileException as error:
        if 'open source file "curand_kernel.h"' in str(error):
            pytest.skip("no headers of cuRAND: they are in the toolkit and in nvidia-curand")
        raise
    values = out.get()
    assert (values > 0).all() and (values <= 1).all() and len(set(values.tolist())) == 64


def test_include_folders_and_log(tmp_path):
    (tmp_path / "value.cuh").write_text("#define VALUE 5\n")
    log = io.StringIO()
    module = cp.RawModule(
        code='#include "value.cuh"\nextern "C" __global__ void f(int *x) { int idle; *x = VALUE; }',
        options=(f"--include-path={tmp_path}",),
    )
    module.compile(log_stream=log)
    assert "idle" in log.getvalue()
    x = cp.zeros(1, "i4")
    module.get_function("f")((1,), (1,), (x,))
    assert x.item() == 5


def test_functions_outlive_what_load_replaces():
    text = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry put(.param .u64 p)
{
    .reg .u64 %a;
    .reg .u32 %v;
    ld.param.u64 %a, [p];
    mov.u32 %v, NUMBER;
    st.global.u32 [%a], %v;
    ret;
}
"""
    module, x = cp.cuda.function.Module(), cp.zeros(1, "i4")
    module.load(text.replace("NUMBER", "7").encode())
    first = module.get_function("put")
    module.load(text.replace("NUMBER", "9").encode())
    for function, number in ((first, 7), (module.get_function("put"), 9)):
        function((1,), (1,), (x,))
        assert x.get().tolist() == [number]

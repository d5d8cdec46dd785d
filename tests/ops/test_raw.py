"""RawKernel and RawModule: launch, arguments, attributes, modules, errors."""

import ctypes
import io
import pickle
import shutil
import subprocess

import numpy as np
import pytest

import gpunp as cp

ADD = r"""
extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
"""


@pytest.fixture(scope="module")
def add():
    return cp.RawKernel(ADD, "add")


def one(type_, code="*out = x;", **options):
    """A kernel that stores its second parameter."""
    source = f'extern "C" __global__ void one({type_} *out, {type_} x) {{ {code} }}'
    return cp.RawKernel(source, "one", **options)


def test_launch(add):
    a = cp.arange(1000, dtype="f4")
    c = cp.zeros(1000, "f4")
    assert add((4,), (256,), (a, a, c, 1000)) is None
    assert cp.array_equal(c, 2 * a)


@pytest.mark.parametrize(
    "sizes", [(4, 256), ([4], [256]), ((2, 2, 1), (16, 16)), ((4,), (256, 1, 1))]
)
def test_spellings_of_grid_and_block(sizes):
    kernel = cp.RawKernel('extern "C" __global__ void count(int *n) { atomicAdd(n, 1); }', "count")
    n = cp.zeros(1, "i4")
    kernel(*sizes, (n,))
    assert n.item() == 1024


def test_stream(add):
    stream = cp.cuda.Stream(non_blocking=True)
    a, c = cp.ones(10, "f4"), cp.zeros(10, "f4")
    cp.cuda.Stream.null.synchronize()
    add((1,), (32,), (a, a, c, 10), stream=stream)
    stream.synchronize()
    assert c.get().tolist() == [2.0] * 10


SCALARS = [
    ("long long", -7, np.int64(-7)),
    ("unsigned long long", 2**64 - 1, np.uint64(2**64 - 1)),
    ("int", -7, np.int32(-7)),
    ("int", np.int64(-7), np.int32(-7)),
    ("long long", np.int8(-7), np.int64(-7)),
    ("unsigned", 2**32 - 1, np.uint32(2**32 - 1)),
    ("unsigned char", np.uint8(200), np.uint8(200)),
    ("short", True, np.int16(1)),
    ("bool", True, np.bool_(True)),
    ("bool", np.bool_(True), np.bool_(True)),
    ("double", 2.5, np.float64(2.5)),
    ("double", np.float64(2.5), np.float64(2.5)),
    ("float", np.float32(2.5), np.float32(2.5)),
    ("float", ctypes.c_float(2.5), np.float32(2.5)),
    ("double2", 1 + 2j, np.complex128(1 + 2j)),
    ("float2", np.complex64(1 + 2j), np.complex64(1 + 2j)),
    ("void *", None, np.uint64(0)),
]


@pytest.mark.parametrize(("type_", "given", "expected"), SCALARS, ids=str)
def test_scalars(type_, given, expected):
    out = cp.zeros(1, expected.dtype)
    one(type_)((1,), (1,), (out, given))
    assert out.item() == expected.item()


def test_array_scalar_of_bfloat16():
    bfloat16 = cp.bfloat16
    out = cp.zeros(1, bfloat16)
    one("unsigned short")((1,), (1,), (out, bfloat16(1.5).view(np.uint16)))
    assert float(out[0]) == 1.5


def test_structures_by_value():
    record = np.dtype([("a", "f4"), ("b", "i4"), ("c", "f8")])
    value = np.array((1.5, 2, 3.0), record)
    source = r"""
    struct Record { float a; int b; double c; };
    extern "C" __global__ void total(double *out, Record r) { *out = r.a + r.b + r.c; }
    """
    out = cp.zeros(1)
    for given in (value, value[()], value.reshape(1), value.reshape(1, 1)):
        out.fill(0)
        cp.RawKernel(source, "total")((1,), (1,), (out, given))
        assert out.item() == 6.5


def test_host_arrays_of_one_element_are_values():
    code = 'extern "C" __global__ void put(double *out, double x, int n) { *out = x + n; }'
    out, put = cp.zeros(1), cp.RawKernel(code, "put")
    put((1,), (1,), (out, np.array([1.5]), np.array([[2]], "i4")))
    assert out.item() == 3.5
    for given in ((np.zeros(1), 1.0, 1), (out, np.zeros(2), 1), (out, np.zeros(0), 1)):
        with pytest.raises(TypeError, match="NumPy array"):
            put((1,), (1,), given)


def test_pointers():
    out = cp.zeros(4, "i4")
    pointer = out.data + 8
    cp.RawKernel('extern "C" __global__ void set(int *p) { *p = 5; }', "set")(
        (1,), (1,), (pointer,)
    )
    assert out.tolist() == [0, 0, 5, 0]


@pytest.mark.parametrize("declared", ["float *x", "float* x", "const float x[]", "float*x"])
def test_addresses_of_pointers(declared):
    """As ints, wherever the declaration has its asterisk."""
    kernel = cp.RawKernel(
        f'extern "C" __global__ void f({declared}, float *out) {{ out[0] = x[1]; }}', "f"
    )
    x, out = cp.array([1, 2, 3], dtype="f4"), cp.zeros(1, "f4")
    kernel((1,), (1,), (x.data.ptr, out))
    assert float(out[0]) == 2
    with pytest.raises(TypeError, match="a pointer"):
        kernel((1,), (1,), (1.5, out))
    with pytest.raises(TypeError, match=r"gpunp\.asarray"):
        kernel((1,), (1,), (np.zeros(1), out))


def test_arrays_of_one_element_by_value():
    vector = np.dtype([(name, "f4") for name in "xyzw"])
    kernel = cp.RawKernel(
        'extern "C" __global__ void f(float4 v, double d, float *out) '
        "{ out[0] = v.x + v.y + v.z + v.w + d; }",
        "f",
    )
    out, value = cp.zeros(1, "f4"), np.array([(1, 2, 3, 4)], vector)
    for given in (value, value[0], value.reshape(()), np.arange(1, 5, dtype="f4").view(vector)):
        kernel((1,), (1,), (given, np.array([0.5]), out))
        assert float(out[0]) == 10.5
    with pytest.raises(TypeError, match="is 8 bytes, the kernel's parameter 16"):
        kernel((1,), (1,), (np.array([1.0]), 1.0, out))
    with pytest.raises(TypeError, match=r"gpunp\.asarray"):
        kernel((1,), (1,), (np.ones(4, "f4"), 1.0, out))


def test_many_arguments():
    n = 40
    parameters = ", ".join(f"int x{i}" for i in range(n))
    total = " + ".join(f"x{i}" for i in range(n))
    source = f'extern "C" __global__ void sum(int *out, {parameters}) {{ *out = {total}; }}'
    out = cp.zeros(1, "i4")
    cp.RawKernel(source, "sum")((1,), (1,), (out, *range(n)))
    assert out.item() == sum(range(n))


def test_arguments_too_many_are_ignored_with_a_warning(add):
    a, out = cp.ones(2, "f4"), cp.zeros(2, "f4")
    with pytest.warns(
        RuntimeWarning, match="takes 4 arguments, 6 were given: the last are ignored"
    ):
        add((1,), (2,), (a, a, out, 2, True, "x"))
    assert out.get().tolist() == [2, 2]


REFUSED = [
    (lambda a: (a, a, a), TypeError, "takes 4 arguments, 3 were given"),
    (lambda a: (a, a, a, 2.0), TypeError, "2.0 is a float, the parameter an integer"),
    (lambda a: (a, a, a, np.float64(2)), TypeError, "8 bytes, the kernel's parameter 4"),
    (lambda a: (a, a, np.ones(2, "f4"), 1), TypeError, "gpunp.asarray"),
    (lambda a: (a, a, a, a), TypeError, "address"),
    (lambda a: (a, a, a, 2**40), OverflowError, "does not fit"),
    (lambda a: (a, a, a, -(2**31) - 1), OverflowError, "does not fit"),
    (lambda a: (a, a, a, 2**70), OverflowError, "64 bits"),
    (lambda a: (a, a, a, "x"), TypeError, "unsupported type"),
    (lambda a: (a, a, a, object()), TypeError, "argument 3 of kernel add"),
    (lambda a: a, TypeError, "args of kernel add must be a tuple"),
]


@pytest.mark.parametrize(("args", "error", "text"), REFUSED, ids=[row[2] for row in REFUSED])
def test_bad_arguments(add, args, error, text):
    a = cp.ones(2, "f4")
    with pytest.raises(error, match=text):
        add((1,), (1,), args(a))


@pytest.mark.parametrize(
    ("grid", "block", "keywords", "text"),
    [
        ((-1,), (1,), {}, "grid .* needs sizes from 0 to 2147483647"),
        ((1,), (-1,), {}, "block .* needs sizes from 0 to 2147483647"),
        ((), (1,), {}, "1 to 3 sizes"),
        ((1, 1, 1, 1), (1,), {}, "1 to 3 sizes"),
        ((1,), (2048,), {}, "at most 1024 threads"),
        ((1,), (1, 1, 128), {}, "at most 64"),
        ((1, 65536), (1,), {}, "65535"),
        ((1,), (1,), {"shared_mem": 1 << 24}, "dynamic shared memory"),
        ((1,), (1,), {"shared_mem": -1}, "negative"),
    ],
)
def test_bad_sizes(add, grid, block, keywords, text):
    a = cp.ones(2, "f4")
    with pytest.raises(ValueError, match=text) as caught:
        add(grid, block, (a, a, a, 2), **keywords)
    if text not in ("1 to 3 sizes", "negative"):  # what CuPy leaves to the driver
        assert isinstance(caught.value, cp.cuda.runtime.CUDARuntimeError)
        assert caught.value.status == 1


@pytest.mark.parametrize("sizes", [((0,), (1,)), ((1,), (0, 1, 1)), ((0, 0), (0,))], ids=str)
def test_sizes_of_zero_are_one(add, sizes):
    """Programs for CuPy compute sizes from lengths, which may be zero, and look at them inside."""
    a, out = cp.ones(2, "f4"), cp.zeros(2, "f4")
    add(*sizes, (a, a, out, 0))
    assert out.tolist() == [0, 0]
    add(*sizes, (a, a, out, 2))
    assert out.tolist() == [2, 0]


def test_dynamic_shared_memory_beyond_the_default():
    source = r"""
    extern __shared__ int s[];
    extern "C" __global__ void last(int *out, int n)
    {
        for (int i = threadIdx.x; i < n; i += blockDim.x) { s[i] = i; }
        __syncthreads();
        *out = s[n - 1];
    }
    """
    kernel, out, n = cp.RawKernel(source, "last"), cp.zeros(1, "i4"), 25000
    kernel((1,), (64,), (out, n), shared_mem=4 * n)
    assert out.item() == n - 1
    assert kernel.max_dynamic_shared_size_bytes >= 4 * n
    kernel.max_dynamic_shared_size_bytes = 65536
    assert kernel.attributes["max_dynamic_shared_size_bytes"] == 65536


def test_attributes(add):
    assert add.max_threads_per_block == 1024 and add.num_regs > 0 and add.shared_size_bytes == 0
    assert set(add.attributes) >= {"local_size_bytes", "const_size_bytes", "binary_version"}
    assert add.name == add.__name__ == "add" and add.code == ADD and add.options == ()
    assert add.backend == "nvrtc" and add.file_path is None
    assert add.enable_cooperative_groups is False
    with pytest.raises(AttributeError):
        add.num_regs = 3
    assert isinstance(add.kernel, cp.cuda.Function) and add.kernel.ptr != 0


def test_pickle(add):
    again = pickle.loads(pickle.dumps(add))
    assert again.enable_cooperative_groups is False
    wide = cp.RawKernel(ADD, "add", ("-DX",), enable_cooperative_groups=True)
    wide = pickle.loads(pickle.dumps(wide))
    assert wide.enable_cooperative_groups is True and wide.options == ("-DX",)
    a, c = cp.ones(3, "f4"), cp.zeros(3, "f4")
    again((1,), (3,), (a, a, c, 3))
    assert c.tolist() == [2.0] * 3


def test_cooperative_launch():
    source = r"""
    extern "C" __global__ void meet(volatile int *arrived, int *seen)
    {
        atomicAdd((int *)arrived, 1);
        while (*arrived < gridDim.x) { }
        seen[blockIdx.x] = *arrived;
    }
    """
    kernel = cp.RawKernel(source, "meet", enable_cooperative_groups=True)
    arrived, seen = cp.zeros(1, "i4"), cp.zeros(4, "i4")
    kernel((4,), (1,), (arrived, seen))
    assert seen.tolist() == [4] * 4


# ---- modules ---------------------------------------------------------------------------------------

TEMPLATES = r"""
__constant__ float factor;
__device__ int counter = 3;
template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= (T)factor; }
extern "C" __global__ void bump(int *out) { *out = ++counter; }
"""


def test_name_expressions_and_globals():
    names = ["scale<float>", "scale<double>", "&counter"]
    module = cp.RawModule(code=TEMPLATES, name_expressions=names)
    assert module.name_expressions == tuple(names)
    factor = cp.ndarray((1,), "f4", module.get_global("factor"))
    factor[...] = 3
    for dtype in ("f4", "f8"):
        x = cp.arange(4, dtype=dtype)
        name = "scale<float>" if dtype == "f4" else "scale<double>"
        module.get_function(name)((1,), (4,), (x,))
        assert x.tolist() == [0.0, 3.0, 6.0, 9.0]
    out = cp.zeros(1, "i4")
    module.get_function("bump")((1,), (1,), (out,))
    assert out.item() == 4
    assert cp.ndarray((1,), "i4", module.get_global("&counter")).item() == 4


def test_a_kernel_keeps_its_module():
    kernel = cp.RawModule(code=ADD).get_function("add")
    a, c = cp.ones(3, "f4"), cp.zeros(3, "f4")
    kernel((1,), (3,), (a, a, c, 3))
    assert c.tolist() == [2.0] * 3


def test_kernels_of_one_name_share_a_function():
    module = cp.RawModule(code=ADD)
    first, second = module.get_function("add"), module.get_function("add")
    assert first.kernel is second.kernel
    first.max_dynamic_shared_size_bytes = 128
    assert second.max_dynamic_shared_size_bytes == 128
    assert cp.RawModule(code=ADD).get_function("add").kernel is not first.kernel
    with pytest.raises(TypeError, match="name must be a str, not list"):
        module.get_function([])
    del module, first
    a, c = cp.ones(3, "f4"), cp.zeros(3, "f4")
    second((1,), (3,), (a, a, c, 3))
    assert c.tolist() == [2.0] * 3


def test_names_that_are_not_there():
    module = cp.RawModule(code=ADD)
    with pytest.raises(cp.cuda.CUDADriverError, match="NOT_FOUND"):
        module.get_function("subtract")
    with pytest.raises(cp.cuda.CUDADriverError, match="NOT_FOUND"):
        module.get_global("nothing")


def test_images_from_files(tmp_path, monkeypatch):
    """PTX made by the compiler here; gpunp reads it from a file and from memory."""
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # a sanitizer's runtime breaks nvcc
    source, ptx = tmp_path / "add.cu", tmp_path / "add.ptx"
    source.write_text(ADD)
    subprocess.run(["nvcc", "-ptx", "-arch=compute_75", "-o", ptx, source], check=True)
    a, c = cp.ones(3, "f4"), cp.zeros(3, "f4")
    cp.RawModule(path=str(ptx)).get_function("add")((1,), (3,), (a, a, c, 3))
    assert c.tolist() == [2.0] * 3
    module = cp.cuda.Module()
    module.load(ptx.read_bytes())
    module.get_function("add").linear_launch(3, (a, c, c, 3))
    assert c.tolist() == [3.0] * 3


def test_backend_nvcc(monkeypatch):
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # a sanitizer's runtime breaks nvcc
    a, c = cp.ones(3, "f4"), cp.zeros(3, "f4")
    cp.RawKernel(ADD, "add", backend="nvcc")((1,), (3,), (a, a, c, 3))
    assert c.tolist() == [2.0] * 3
    with pytest.raises(cp.cuda.CompileException, match="no_such_type"):
        cp.RawKernel("no_such_type x;", "f", backend="nvcc").compile()


def test_options_and_headers(tmp_path):
    (tmp_path / "mine.h").write_text("#define VALUE 11\n")
    out = cp.zeros(1, "i4")
    cp.RawKernel(
        '#include "mine.h"\nextern "C" __global__ void f(int *x) { *x = VALUE + MORE; }',
        "f",
        ("-I" + str(tmp_path), "-DMORE=2"),
    )((1,), (1,), (out,))
    assert out.item() == 13


def test_no_option_is_left_out():
    """The last of many options, which a list of fixed length would not hold."""
    options = (*(f"-DUNUSED{i}={i}" for i in range(100)), "-DLAST=7")
    out = cp.zeros(1, "i4")
    cp.RawKernel('extern "C" __global__ void f(int *x) { *x = LAST; }', "f", options)(
        (1,), (1,), (out,)
    )
    kernel = cp.ElementwiseKernel("int32 x", "int32 y", "y = x + LAST", "last", options=options)
    assert out.item() == 7 and kernel(out).item() == 14
    folders = tuple(f"-I/no/such/folder{i}" for i in range(60))
    with pytest.raises(cp.cuda.CompileException, match="no-such-option"):
        cp.ElementwiseKernel(
            "int32 x", "int32 y", "y = x", "many", options=(*folders, "--no-such-option")
        )(out)


PLAIN = """
float half_of(float x) { return x / 2; }
int count = 3;
"""


@pytest.mark.parametrize(
    "options", [(), ("-default-device",), ("--device-as-default-execution-space",)]
)
def test_functions_and_variables_are_the_devices(options):
    """Those without `__device__`, as CuPy compiles them."""
    body = 'extern "C" __global__ void f(float *x) { *x = half_of(*x) + count; }'
    x = cp.asarray([5.0], "f4")
    cp.RawKernel(PLAIN + body, "f", options=options)((1,), (1,), (x,))
    assert x.tolist() == [5.5]
    cp.RawModule(code=PLAIN + body, options=options).get_function("f")((1,), (1,), (x,))
    assert x.tolist() == [5.75]


def test_functions_of_a_preamble_are_the_devices():
    twice = "float twice(float x) { return 2 * x; }"
    x = cp.arange(4, dtype="f4")
    kernel = cp.ElementwiseKernel("T x", "T y", "y = twice(x)", "twice_of", preamble=twice)
    assert kernel(x).tolist() == [0, 2, 4, 6]
    total = cp.ReductionKernel("T x", "T y", "twice(x)", "a + b", "y = a", "0", preamble=twice)
    assert float(total(x)) == 12


def test_log_of_the_compiler():
    log = io.StringIO()
    kernel = cp.RawKernel('extern "C" __global__ void f() { int unused; }', "f", ("-lineinfo",))
    kernel.compile(log_stream=log)
    assert "unused" in log.getvalue()


def test_compile_errors_show_the_line():
    with pytest.raises(cp.cuda.CompileException, match=r"(?s)f.cu\(3\).*nonsense.*3    nonsense"):
        cp.RawKernel('\nextern "C" __global__ void f() {\n  nonsense();\n}', "f").compile()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: cp.RawModule(), TypeError, "exactly one"),
        (lambda: cp.RawModule(code=ADD, path="x"), TypeError, "exactly one"),
        (lambda: cp.RawKernel(b"x", "f"), TypeError, "str of CUDA"),
        (lambda: cp.RawKernel(ADD, 3), TypeError, "name must be a str"),
        (lambda: cp.RawKernel(ADD, "add", "-I."), TypeError, "tuple of str, not a str"),
        (lambda: cp.RawKernel(ADD, "add", (3,)), TypeError, "contains 3"),
        (lambda: cp.RawKernel(ADD, "add", backend="gcc"), ValueError, "backend"),
        (lambda: cp.RawModule(path="/no/such/file").module, FileNotFoundError, "such"),
        (lambda: cp.cuda.Module().get_function("f"), RuntimeError, "empty"),
    ],
)
def test_bad_sources(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_a_parameter_is_indexed_by_each_thread():
    """Lanes that take parameters at places of their own, some of them idle."""
    source = """
    struct Many { long long at[24]; };
    extern "C" __global__ void pick(long long *out, const int *places, const Many many, int n)
    {
        int i = threadIdx.x;
        if (i < n && i % 3 != 1) out[i] = many.at[places[i]];
    }
    """
    many = np.zeros((), dtype=",".join(["i8"] * 24))
    for k in range(24):
        many[f"f{k}"] = 100 + k
    places = np.arange(40) * 7 % 24
    for n in (0, 1, 2, 37):
        out = cp.zeros(40, "i8")
        given = (out, cp.asarray(places.astype("i4")), many[()], np.int32(n))
        cp.RawKernel(source, "pick")((1,), (64,), given)
        wanted = [100 + places[i] if i < n and i % 3 != 1 else 0 for i in range(40)]
        assert out.get().tolist() == wanted


def test_arguments_may_change_while_they_are_read():
    class Clears:
        @property
        def ptr(self):
            args.clear()
            cp.zeros(4, "f4")
            return 0

    kernel = cp.RawKernel(
        'extern "C" __global__ void put(void *, float *x, int n) { if (n) *x = n; }', "put"
    )
    x = cp.zeros(4, "f4")
    args = [Clears(), x[:], 7]
    kernel((1,), (1,), args)
    assert args == []
    assert x.get().tolist() == [7, 0, 0, 0]


@pytest.mark.parametrize("what", ["grid", "block"])
def test_lists_that_change_while_sizes_are_read(what):
    """An __index__ may empty the list that it stands in: the sizes are those that were passed."""

    class Clears:
        def __index__(self):
            sizes.clear()
            kept.extend(["no size"] * 3 for _ in range(100))  # in the memory of the list
            return 1

    code = 'extern "C" __global__ void f(int *x) { atomicAdd(x, (int)(gridDim.y * blockDim.y)); }'
    kernel, x = cp.RawKernel(code, "f"), cp.zeros(1, "i4")
    sizes, kept = [Clears(), 3, 1], []
    kernel(*((sizes, (1,)) if what == "grid" else ((1,), sizes)), (x,))
    assert int(x[0]) == 9

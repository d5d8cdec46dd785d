"""CUDA arrays, textures and surfaces."""

import gc

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import runtime
from gpunp.cuda.texture import (
    ChannelFormatDescriptor,
    CUDAarray,
    ResourceDescriptor,
    SurfaceObject,
    TextureDescriptor,
    TextureObject,
)

FLOAT = runtime.cudaChannelFormatKindFloat
SOURCE = r"""
extern "C" __global__ void copy(float *out, cudaTextureObject_t t, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
extern "C" __global__ void copy3(float *out, cudaTextureObject_t t, int w, int h) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * h + y) * w + x] = tex3D<float>(t, x, y, z);
}
extern "C" __global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n) {
    int x = threadIdx.x, y = threadIdx.y;
    float v = surf2Dread<float>(from, x * 4, y);
    surf2Dwrite(v, to, y * 4, x);
}
extern "C" __global__ void edges(cudaSurfaceObject_t s, float *out) {
    out[0] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeClamp);
    out[1] = surf2Dread<float>(s, 4000, 2, cudaBoundaryModeClamp);
    out[2] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeZero);
    surf2Dwrite(7.0f, s, 4000, 0, cudaBoundaryModeZero);
}
extern "C" __global__ void bytes(cudaSurfaceObject_t s) {
    int x = threadIdx.x;
    uchar4 v = surf1Dread<uchar4>(s, x * 4);
    surf1Dwrite(make_uchar4(v.w, v.z, v.y, v.x), s, x * 4);
}
extern "C" __global__ void outside(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, 4000, 0); }
"""


@pytest.fixture(scope="module")
def module():
    return cp.RawModule(code=SOURCE)


def floats(width, height=0, depth=0, flags=0):
    return CUDAarray(ChannelFormatDescriptor(32, 0, 0, 0, FLOAT), width, height, depth, flags)


def texture(array, *args, **kwargs):
    resource = ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    return TextureObject(resource, TextureDescriptor(*args, **kwargs))


@pytest.mark.parametrize("shape", [(7,), (5, 7), (3, 5, 7)])
@pytest.mark.parametrize("nchannels", [1, 2, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8, np.int16, np.int32])
def test_arrays_hold_what_they_are_given(shape, nchannels, dtype, rng):
    bits = [8 * np.dtype(dtype).itemsize if i < nchannels else 0 for i in range(4)]
    kind = {"f": 2, "i": 0, "u": 1}[np.dtype(dtype).kind]
    array = CUDAarray(ChannelFormatDescriptor(*bits, kind), *shape[::-1])
    assert array.ndim == len(shape) and array.width == 7
    values = rng.integers(0, 100, (*shape[:-1], shape[-1] * nchannels)).astype(dtype)
    for given in (values, cp.asarray(values)):
        array.copy_from(given)
        back = np.zeros_like(values)
        array.copy_to(back)
        assert (back == values).all()
        stream = cp.cuda.Stream(non_blocking=True)
        on_device = cp.zeros(values.shape, dtype)
        cp.cuda.Stream.null.synchronize()
        array.copy_to(on_device, stream=stream)
        stream.synchronize()
        assert (on_device.get() == values).all()


@pytest.mark.parametrize("side", [np, cp])
def test_arrays_that_are_not_contiguous(side):
    array, values = floats(8, 4), np.arange(64, dtype=np.float32).reshape(4, 16)
    given = side.asarray(values)[:, ::2]
    array.copy_from(given)
    for taken in (cp.empty((4, 8), np.float32), side.zeros((8, 4), np.float32).T):
        with cp.cuda.Stream() as stream:
            array.copy_to(taken, stream)
            stream.synchronize()
        np.testing.assert_array_equal(cp.asnumpy(taken), values[:, ::2])
    with pytest.raises(ValueError, match="shape"):
        array.copy_from(given.T)


def test_elementwise_kernels_take_textures():
    array, values = floats(8, 4), cp.arange(32, dtype=np.float32).reshape(4, 8)
    array.copy_from(values)
    kernel = cp.ElementwiseKernel(
        "U t, float32 more", "float32 y", "y = tex2D<float>(t, i % 8 + 0.5f, i / 8 + 0.5f) + more"
    )
    out = kernel(texture(array), 1, cp.empty((4, 8), np.float32))
    np.testing.assert_array_equal(out.get(), values.get() + 1)
    with cp.cuda.Stream() as stream:
        stream.begin_capture()
        kernel(texture(array), 2, out)  # the graph keeps the texture
        graph = stream.end_capture()
        gc.collect()
        graph.launch()
        stream.synchronize()
    np.testing.assert_array_equal(out.get(), values.get() + 2)
    with pytest.raises(TypeError, match="must be a gpunp array"):
        kernel(object(), 1, out)


def test_wrong_arrays():
    array = floats(8, 4)
    for bad in (
        np.zeros((4, 8)),
        np.zeros((4, 7), np.float32),
        np.zeros((4, 8), np.int32),
    ):
        with pytest.raises(ValueError):
            array.copy_from(bad)
    with pytest.raises(ValueError):
        floats(0)
    with pytest.raises(ValueError):
        floats(3, 0, 4)
    with pytest.raises(RuntimeError):
        CUDAarray(ChannelFormatDescriptor(32, 16, 0, 0, FLOAT), 4)
    with pytest.raises(ValueError):
        ResourceDescriptor(runtime.cudaResourceTypeArray)
    with pytest.raises(ValueError):
        ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=cp.zeros(3))


def test_descriptors_tell_what_they_are():
    channels = ChannelFormatDescriptor(8, 8, 0, 0, runtime.cudaChannelFormatKindUnsigned)
    assert channels.get_channel_format() == {"x": 8, "y": 8, "z": 0, "w": 0, "f": 1}
    about = TextureDescriptor((1, 2), 1, 1, True, (0.5, 1), True, 4).get_texture_desc()
    assert about["addressMode"] == (1, 2, 0) and about["filterMode"] == 1
    assert about["borderColor"] == (0.5, 1, 0, 0) and about["maxAnisotropy"] == 4
    data = cp.zeros(64, np.uint8)
    resource = ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=data, chDesc=channels, sizeInBytes=64
    )
    assert resource.get_resource_desc()["sizeInBytes"] == 64
    assert channels.ptr and resource.ptr and TextureDescriptor().ptr


def test_two_dimensions(module, rng):
    values = rng.standard_normal((37, 29)).astype(np.float32)
    array = floats(29, 37)
    array.copy_from(values)
    out = cp.zeros((37, 29), np.float32)
    t = texture(array, (runtime.cudaAddressModeClamp,) * 2)
    module.get_function("copy")((4, 5), (8, 8), (out, t, np.int32(29), np.int32(37)))
    assert (out.get() == values).all()


def test_three_dimensions_between_texels(module, rng):
    values = rng.standard_normal((4, 5, 6)).astype(np.float32)
    array = floats(6, 5, 4)
    array.copy_from(cp.asarray(values))
    out = cp.zeros((4, 5, 6), np.float32)
    t = texture(array, (runtime.cudaAddressModeClamp,) * 3, runtime.cudaFilterModeLinear)
    module.get_function("copy3")((1,), (6, 5, 4), (out, t, np.int32(6), np.int32(5)))
    padded = np.pad(values.astype(float), ((1, 0),) * 3, mode="edge")
    expected = sum(
        padded[z : z + 4, y : y + 5, x : x + 6] for z in (0, 1) for y in (0, 1) for x in (0, 1)
    )
    np.testing.assert_allclose(out.get(), expected / 8, rtol=1e-5, atol=1e-5)


def test_memory_of_arrays(module, rng):
    data = cp.asarray(rng.standard_normal((32, 32)).astype(np.float32))
    resource = ResourceDescriptor(
        runtime.cudaResourceTypePitch2D,
        arr=data,
        chDesc=ChannelFormatDescriptor(32, 0, 0, 0, FLOAT),
        width=32,
        height=32,
        pitchInBytes=128,
    )
    t = TextureObject(resource, TextureDescriptor((runtime.cudaAddressModeClamp,) * 2))
    out = cp.zeros((32, 32), np.float32)
    module.get_function("copy")((4, 4), (8, 8), (out, t, np.int32(32), np.int32(32)))
    assert (out == data).all()


def test_surfaces(module):
    flags = runtime.cudaArraySurfaceLoadStore
    values = np.arange(64, dtype=np.float32).reshape(8, 8)
    one, other = floats(8, 8, 0, flags), floats(8, 8, 0, flags)
    one.copy_from(values)
    surfaces = [SurfaceObject(ResourceDescriptor(0, cuArr=array)) for array in (one, other)]
    module.get_function("turn")((1,), (8, 8), (*surfaces, np.int32(8)))
    back = np.zeros_like(values)
    other.copy_to(back)
    assert (back == values.T).all()
    out = cp.ones(3, np.float32)
    module.get_function("edges")((1,), (1,), (surfaces[0], out))
    assert out.get().tolist() == [0, 23, 0]
    channels = ChannelFormatDescriptor(8, 8, 8, 8, runtime.cudaChannelFormatKindUnsigned)
    line = CUDAarray(channels, 16, flags=flags)
    data = np.arange(64, dtype=np.uint8)
    line.copy_from(data)
    module.get_function("bytes")((1,), (16,), (SurfaceObject(ResourceDescriptor(0, cuArr=line)),))
    back = np.zeros_like(data)
    line.copy_to(back)
    assert (back.reshape(16, 4) == data.reshape(16, 4)[:, ::-1]).all()


def test_textures_in_graphs(module):
    values = np.arange(16, dtype=np.float32).reshape(4, 4)
    array = floats(4, 4)
    array.copy_from(values)
    out = cp.zeros((4, 4), np.float32)
    kernel = module.get_function("copy")
    cp.cuda.Stream.null.synchronize()
    with cp.cuda.Stream(non_blocking=True) as stream:
        kernel((1,), (8, 8), (out, texture(array), np.int32(4), np.int32(4)))
        stream.begin_capture()
        kernel((1,), (8, 8), (out, texture(array), np.int32(4), np.int32(4)))
        graph = stream.end_capture()
        del array
        gc.collect()
        out.fill(0)
        graph.launch()
        assert (out.get() == values).all()


MISTAKE = """
import gpunp as cp
from gpunp.cuda import texture, runtime
module = cp.RawModule(code={source!r})
channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)
array = texture.CUDAarray(channels, 8, 8, 0, 2)
surface = texture.SurfaceObject(texture.ResourceDescriptor(0, cuArr=array))
try:
    {mistake}
    cp.cuda.Stream.null.synchronize()
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("mistake", "found"),
    [
        ("module.get_function('outside')((1,), (1,), (surface,))", "surface access of 4 bytes"),
        (
            "runtime.freeArray(array.ptr); array.ptr = 0; "
            "module.get_function('edges')((1,), (1,), (surface, cp.zeros(3, 'f')))",
            "was freed",
        ),
        ("module.get_function('outside')((1,), (1,), (12345,))", "is no surface object"),
    ],
)
def test_mistakes_are_found(mistake, found):
    import subprocess
    import sys

    from gpunp import _C

    if not _C.is_emulated():
        pytest.skip("a GPU may not notice")
    program = MISTAKE.format(source=SOURCE, mistake=mistake)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found in done.stdout, done.stdout + done.stderr

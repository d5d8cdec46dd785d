"""What textures return on this device, as arrays of words: python textures.py OUT.npz

The same program on an H200 and on the emulated device; `--compare A B` lists the cases that differ,
`--golden A OUT` writes checksums (tests/emu/golden/textures.txt is an H200's, CUDA 13.0).
"""

import itertools
import sys
import zlib

import numpy as np

SOURCE = r"""
extern "C" __global__ void sample1(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float4>(t, x[i]);
}
extern "C" __global__ void sample2(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float4>(t, x[2 * i], x[2 * i + 1]);
}
extern "C" __global__ void sample3(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<float4>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}
extern "C" __global__ void gather(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2Dgather<float4>(t, x[2 * i], x[2 * i + 1], 0);
}
extern "C" __global__ void layered(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLayered<float4>(t, x[2 * i], x[2 * i + 1], i % 5 - 1);
}
extern "C" __global__ void fetch(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float4>(t, (int)x[i]);
}
extern "C" __global__ void integers(cudaTextureObject_t t, const float *x, uint4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<uint4>(t, x[2 * i], x[2 * i + 1]);
}
extern "C" __global__ void level(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLod<float4>(t, x[2 * i], x[2 * i + 1], 0.3f * (i % 5));
}
extern "C" __global__ void gradient(cudaTextureObject_t t, const float *x, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DGrad<float4>(t, x[2 * i], x[2 * i + 1], make_float2(x[i], 1),
                                          make_float2(0.1f, x[i]));
}
"""

WRAP, CLAMP, MIRROR, BORDER = range(4)
KINDS = {"i": 0, "u": 1, "f": 2}


def channels(cp, dtype, n):
    dtype = np.dtype(dtype)
    bits = [8 * dtype.itemsize if i < n else 0 for i in range(4)]
    return cp.cuda.texture.ChannelFormatDescriptor(*bits, KINDS[dtype.kind])


def cuda_array(cp, values, n, flags=0, layers=0):
    """Of `values` with channels in the last axis."""
    shape = values.shape[:-1]
    size = [*shape[::-1], 0, 0][:3]
    array = cp.cuda.texture.CUDAarray(channels(cp, values.dtype, n), *size, flags)
    array.copy_from(np.ascontiguousarray(values.reshape(*shape[:-1], -1)))
    return array


def texture(cp, array, modes, filter_mode, read_mode, normalized, border=(0, 0, 0, 0)):
    t = cp.cuda.texture
    resource = t.ResourceDescriptor(cp.cuda.runtime.cudaResourceTypeArray, cuArr=array)
    about = t.TextureDescriptor(modes, filter_mode, read_mode, None, border, normalized)
    return t.TextureObject(resource, about)


def random_values(rng, dtype, shape):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.standard_normal(shape) * 10).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def coordinates(rng, size, n, dims):
    """Around texels and their halves, finely, far outside, and anywhere, in texels."""
    special = np.concatenate(
        [
            np.arange(-3 * size, 4 * size, 0.5),
            np.arange(-3 * size, 4 * size, 0.5) + 1 / 512,
            np.arange(-3 * size, 4 * size, 0.5) - 1 / 512,
            np.arange(-3 * size, 4 * size, 0.5) + 1e-3,
            np.nextafter(np.arange(-size, 2 * size, 0.5, dtype=np.float32), np.float32(-1e9)),
            [1e9, -1e9, 1e20, -1e20, np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-30],
        ]
    )
    x = rng.uniform(-2 * size, 3 * size, (n, dims))
    x[: len(x) // 2] = rng.uniform(0, size, (len(x) // 2, dims))
    for k in range(dims):
        x[: len(special), k] = special[rng.permutation(len(special))] if k else special
    return x.astype(np.float32)


class Cases:
    def __init__(self, cp):
        self.cp = cp
        self.module = cp.RawModule(code=SOURCE)
        self.results = {}

    def run(self, name, kernel, t, x, out_dtype=np.float32):
        cp = self.cp
        given = cp.asarray(np.ascontiguousarray(x, dtype=np.float32))
        out = cp.zeros((len(x), 4), out_dtype)
        self.module.get_function(kernel)(
            ((len(x) + 127) // 128,), (128,), (t, given, out, np.int32(len(x)))
        )
        self.results[name] = out.get().view(np.uint32)
        self.results[name + ".x"] = np.asarray(x, np.float32)


def weights(cases, rng):
    """A step from 0 to 1 shows weights; random texels show the arithmetic."""
    cp = cases.cp
    for n, normalized in itertools.product((2, 5, 64), (False, True)):
        values = np.zeros((n, 1), np.float32)
        values[1:] = 1
        x = np.arange(0.5, 1.5, 1 / 4096) / (n if normalized else 1)
        array = cuda_array(cp, values, 1)
        t = texture(cp, array, (CLAMP,), 1, 0, normalized)
        cases.run(f"step {n} {normalized}", "sample1", t, x)
    values = np.full((8, 1), 0, np.float32)
    values[3] = 1
    t = texture(cp, cuda_array(cp, values, 1), (CLAMP,), 1, 0, False)
    cases.run("impulse", "sample1", t, np.arange(0, 8, 1 / 1024))
    values = random_values(rng, np.float32, (16, 1))
    t = texture(cp, cuda_array(cp, values, 1), (CLAMP,), 1, 0, False)
    cases.run("blend", "sample1", t, np.arange(0, 16, 1 / 512))
    big = (10.0 ** rng.uniform(-30, 30, (16, 1))).astype(np.float32)
    t = texture(cp, cuda_array(cp, big, 1), (CLAMP,), 1, 0, False)
    cases.run("blend of far apart", "sample1", t, np.arange(0, 16, 1 / 256))
    special = np.array([[np.inf], [1], [np.nan], [2], [-np.inf], [0], [1e-40], [3e38]], np.float32)
    t = texture(cp, cuda_array(cp, special, 1), (CLAMP,), 1, 0, False)
    cases.run("blend of special", "sample1", t, np.arange(0, 8, 1 / 16))


def one_dimension(cases, rng):
    cp = cases.cp
    for n, dtype, mode, filter_mode, normalized in itertools.product(
        (7, 64), (np.float32, np.float16, np.uint8, np.int16), range(4), (0, 1), (False, True)
    ):
        if normalized is False and mode in (WRAP, MIRROR) and n == 64:
            continue
        values = random_values(rng, dtype, (n, 4))
        read = 0 if np.dtype(dtype).kind == "f" else 1
        array = cuda_array(cp, values, 4)
        t = texture(cp, array, (mode,), filter_mode, read, normalized, (0.25, 0.5, -0.75, 0.125))
        x = coordinates(rng, n, 4096, 1) / np.float32(n if normalized else 1)
        name = f"1d {n} {np.dtype(dtype)} mode {mode} filter {filter_mode} normalized {normalized}"
        cases.run(name, "sample1", t, x)


def formats(cases, rng):
    cp = cases.cp
    for dtype, n in itertools.product((np.uint8, np.int8, np.uint16, np.int16), (1, 2, 4)):
        info = np.iinfo(dtype)
        every = np.linspace(info.min, info.max, 256).astype(dtype)
        values = np.stack([every] * n, -1)
        array = cuda_array(cp, values, n)
        x = np.arange(0, 256, 0.5)
        for filter_mode in (0, 1):
            t = texture(cp, array, (CLAMP,), filter_mode, 1, False)
            cases.run(f"format {np.dtype(dtype)} {n} filter {filter_mode}", "sample1", t, x)
        wide = random_values(rng, dtype, (64, n))
        t = texture(cp, cuda_array(cp, wide, n), (CLAMP,), 1, 1, False)
        cases.run(f"format {np.dtype(dtype)} {n} blend", "sample1", t, np.arange(0, 64, 1 / 64))
    for dtype in (np.uint16, np.int16):
        every = np.arange(65536).astype(np.uint16).view(dtype).reshape(65536, 1)
        t = texture(cp, cuda_array(cp, every, 1), (CLAMP,), 0, 1, False)
        cases.run(f"format {np.dtype(dtype)} all", "sample1", t, np.arange(65536) + 0.5)
    half = np.arange(65536).astype(np.uint16).view(np.float16).reshape(65536, 1)
    t = texture(cp, cuda_array(cp, half, 1), (CLAMP,), 0, 0, False)
    cases.run("format float16 all", "sample1", t, np.arange(65536) + 0.5)
    for dtype, filter_mode in itertools.product((np.uint8, np.float32), (0, 1)):
        values = random_values(rng, dtype, (16, 2))
        read = 0 if dtype is np.float32 else 1
        t = texture(
            cp, cuda_array(cp, values, 2), (BORDER,), filter_mode, read, False, (3, 4, 5, 6)
        )
        cases.run(
            f"border of two channels {np.dtype(dtype)} {filter_mode}",
            "sample1",
            t,
            np.arange(-2, 18, 0.125),
        )
    values = rng.integers(0, 256, (256, 4), dtype=np.uint8)
    values[:, 0] = values[:, 3] = np.arange(256)
    array = cuda_array(cp, values, 4)
    for filter_mode in (0, 1):
        about = cp.cuda.texture.TextureDescriptor((CLAMP,), filter_mode, 1, True)
        resource = cp.cuda.texture.ResourceDescriptor(0, cuArr=array)
        t = cp.cuda.texture.TextureObject(resource, about)
        cases.run(f"srgb {filter_mode}", "sample1", t, np.arange(0, 256, 0.25))


def more_dimensions(cases, rng):
    cp = cases.cp
    for dtype, modes, filter_mode, normalized in itertools.product(
        (np.float32, np.uint8, np.float16),
        ((WRAP, CLAMP), (MIRROR, BORDER), (CLAMP, WRAP), (BORDER, MIRROR)),
        (0, 1),
        (False, True),
    ):
        values = random_values(rng, dtype, (9, 13, 4))
        read = 0 if np.dtype(dtype).kind == "f" else 1
        array = cuda_array(cp, values, 4)
        t = texture(cp, array, modes, filter_mode, read, normalized, (1, 2, 3, 4))
        x = coordinates(rng, 11, 4096, 2)
        x = x / np.float32([13, 9]) if normalized else x
        name = f"{np.dtype(dtype)} modes {modes} filter {filter_mode} normalized {normalized}"
        cases.run("2d " + name, "sample2", t, x)
        values = random_values(rng, dtype, (5, 6, 7, 4))
        array = cuda_array(cp, values, 4)
        t = texture(cp, array, (*modes, CLAMP), filter_mode, read, normalized, (1, 2, 3, 4))
        x = coordinates(rng, 6, 4096, 3)
        x = x / np.float32([7, 6, 5]) if normalized else x
        cases.run("3d " + name, "sample3", t, x)
    values = random_values(rng, np.float32, (8, 8, 1))
    t = texture(cp, cuda_array(cp, values, 1), (CLAMP, CLAMP), 1, 0, False)
    cases.run("level", "level", t, coordinates(rng, 8, 2048, 2))
    cases.run("gradient", "gradient", t, coordinates(rng, 8, 2048, 2))
    for dtype in (np.uint8, np.int8, np.uint16, np.int32):
        values = random_values(rng, dtype, (8, 8, 2))
        t = texture(cp, cuda_array(cp, values, 2), (CLAMP, BORDER), 0, 0, False, (1, 2, 3, 4))
        cases.run(
            f"integers {np.dtype(dtype)}", "integers", t, coordinates(rng, 8, 2048, 2), np.uint32
        )
    for normalized in (False, True):
        values = random_values(rng, np.float32, (8, 8, 4))
        array = cuda_array(cp, values, 4, 8)  # gather
        t = texture(cp, array, (CLAMP, BORDER), 1, 0, normalized, (9, 8, 7, 6))
        cases.run(
            f"gather {normalized}",
            "gather",
            t,
            coordinates(rng, 8, 2048, 2) / np.float32(8 if normalized else 1),
        )
        values = random_values(rng, np.float32, (3, 8, 8, 4))
        array = cuda_array(cp, values, 4, 1)  # layered
        t = texture(cp, array, (CLAMP, BORDER), 1, 0, normalized, (9, 8, 7, 6))
        cases.run(
            f"layered {normalized}",
            "layered",
            t,
            coordinates(rng, 8, 2048, 2) / np.float32(8 if normalized else 1),
        )


def memory(cases, rng):
    """Textures of linear and pitched memory."""
    cp = cases.cp
    t = cp.cuda.texture
    for dtype, n in ((np.float32, 1), (np.float32, 4), (np.uint8, 4), (np.uint8, 1)):
        data = cp.asarray(random_values(rng, dtype, (64 * 64, n)))
        read = 0 if dtype is np.float32 else 1
        resource = t.ResourceDescriptor(
            2, arr=data, chDesc=channels(cp, dtype, n), sizeInBytes=data.nbytes
        )
        texture_object = t.TextureObject(resource, t.TextureDescriptor(readMode=read))
        x = np.arange(-20, 64 * 64 + 20)
        cases.run(f"linear {np.dtype(dtype)} {n}", "fetch", texture_object, x)
        resource = t.ResourceDescriptor(
            3,
            arr=data,
            chDesc=channels(cp, dtype, n),
            width=50,
            height=40,
            pitchInBytes=64 * n * data.dtype.itemsize,
        )
        about = t.TextureDescriptor((CLAMP, BORDER), 1, read, None, (1, 2, 3, 4), False)
        x = coordinates(rng, 40, 4096, 2)
        cases.run(f"pitched {np.dtype(dtype)} {n}", "sample2", t.TextureObject(resource, about), x)


def results_here():
    import gpunp as cp

    cases = Cases(cp)
    for i, part in enumerate((weights, one_dimension, formats, more_dimensions, memory)):
        part(cases, np.random.default_rng(i))
    return cases.results


def checksum(words):
    """Of a case's results; all NaN are one."""
    words = np.where(np.isnan(words.view(np.float32)), np.uint32(0x7FFFFFFF), words)
    return zlib.crc32(words.tobytes())


def write_golden(path, out):
    results = np.load(path)
    with open(out, "w") as file:
        for name in results.files:
            if not name.endswith(".x"):
                file.write(f"{checksum(results[name]):08x} {name}\n")


def measure(path):
    results = results_here()
    if len(sys.argv) > 2:  # --small: the coordinates can be made again
        results = {name: value for name, value in results.items() if not name.endswith(".x")}
    np.savez_compressed(path, **results)
    print(sum(not name.endswith(".x") for name in results), "cases")


def compare(a, b):
    a, b = np.load(a), np.load(b)  # the first with coordinates
    total = bad = 0
    for name in a.files:
        if name.endswith(".x"):
            continue
        one, other = a[name], b[name]
        x, y = one.view(np.float32), other.view(np.float32)
        differ = (one != other) & ~(np.isnan(x) & np.isnan(y))
        total += one.size
        bad += differ.sum()
        if differ.any():
            where = np.argwhere(differ)[0]
            far = np.nanmax(np.abs(x.astype(float) - y)[differ])
            print(
                f"{name}: {differ.sum()} of {one.size}, largest {far:.3g}; first at "
                f"{a[name + '.x'][where[0]]}[{where[1]}]: {x[tuple(where)]} {y[tuple(where)]}"
            )
    print(f"{bad} of {total} words differ")


if __name__ == "__main__":
    if sys.argv[1] == "--golden":
        write_golden(*sys.argv[2:])
    elif sys.argv[1] == "--compare":
        compare(*sys.argv[2:])
    else:
        measure(sys.argv[1])

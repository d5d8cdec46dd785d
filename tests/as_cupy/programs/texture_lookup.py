"""A texture object in a raw kernel."""

import cupy as cp
from cupy.cuda import runtime
from cupy.cuda.texture import (
    ChannelFormatDescriptor,
    CUDAarray,
    ResourceDescriptor,
    TextureDescriptor,
    TextureObject,
)

image = cp.arange(24, dtype=cp.float32).reshape(4, 6)
channel = ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
array = CUDAarray(channel, 6, 4)
array.copy_from(image)
texture = TextureObject(
    ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array),
    TextureDescriptor(
        (runtime.cudaAddressModeClamp,) * 2,
        runtime.cudaFilterModePoint,
        runtime.cudaReadModeElementType,
    ),
)
kernel = cp.RawKernel(
    r"""
extern "C" __global__ void fetch(float* out, cudaTextureObject_t image, int width) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
}
""",
    "fetch",
)
out = cp.empty_like(image)
kernel((1,), (6, 4), (out, texture, 6))
assert (out == image).all()

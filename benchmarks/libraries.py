"""Adapters of the measured libraries, so that a case is written once.

An adapter has the few names the cases use. gpunp, CuPy and NumPy share theirs; PyTorch's differ.
"""

import contextlib
import importlib
import math
import time


def unit_noise(i):
    """Noise from an array of int64 indices: 24 bits of Knuth's multiplicative hash."""
    i *= 2654435761
    i &= 0xFFFFFFFF
    i >>= 8
    return i


def mixed_noise(lib, shape):
    """Floats in [0, 1) of float32, by the end of MurmurHash3 (Appleby, 2011).

    Rows do not depend on each other, as those of `lib.noise` do."""
    i = lib.index(math.prod(shape))
    for multiplier in (0x85EBCA6B, 0xC2B2AE35):
        i = ((i ^ (i >> 15)) * multiplier) & 0xFFFFFFFF
    return lib.astype((i ^ (i >> 15)) >> 8, "f4").reshape(shape) * 2**-24


class NumpyLike:
    """gpunp or CuPy: the module's own names, and CUDA events."""

    NOISE = ("?", "i1", "i4", "i8", "f2", "f4", "f8", "c8")

    def __init__(self, name):
        self.name = name
        self.xp = self.module = importlib.import_module(name)
        self.cuda = getattr(self.xp, "cuda", None)

    def noise(self, shape, dtype):
        """Noise: floats in [0, 1), integers below 2^24 (of 8 bits: below 2^6, 2^8), booleans."""
        bits = unit_noise(self.xp.arange(math.prod(shape), dtype="i8")).reshape(shape)
        if dtype == "?":
            return bits < 1 << 23
        if dtype[0] in "iu":
            return (bits >> {"i1": 18, "u1": 16}.get(dtype, 0)).astype(dtype)
        return (bits.astype("f4") * self.xp.float32(2**-24)).astype(dtype)

    def index(self, n):
        """0, 1, ... n - 1 as int64."""
        return self.xp.arange(n, dtype="i8")

    def ones(self, shape, dtype="f4"):
        return self.xp.ones(shape, dtype=dtype)

    def full(self, shape, value, dtype="f4"):
        return self.xp.full(shape, value, dtype=dtype)

    def astype(self, a, dtype):
        return a.astype(dtype)

    def from_host(self, a):
        return self.xp.asarray(a)

    def to_host(self, a):
        return self.xp.asnumpy(a)

    def call(self, name):
        """A function of the namespace by NumPy's name."""
        return getattr(self.xp, name)

    def copy(self, a):
        return a.copy()

    def contiguous(self, a):
        return self.xp.ascontiguousarray(a)

    def synchronize(self):
        self.cuda.Stream.null.synchronize()

    def device_ms(self, body):
        """Milliseconds of device time of one call, between two events."""
        begin, end = self.cuda.Event(), self.cuda.Event()
        begin.record()
        body()
        end.record()
        end.synchronize()
        return self.cuda.get_elapsed_time(begin, end)

    def free(self):
        """Give cached memory back, so that the next case starts like the first."""
        self.xp.get_default_memory_pool().free_all_blocks()

    def device_count(self):
        """How many devices there are."""
        return self.cuda.runtime.getDeviceCount()

    def stream(self, device):
        """A stream of a device that waits for no default stream."""
        with self.cuda.Device(device):
            return self.cuda.Stream(non_blocking=True)

    @contextlib.contextmanager
    def on(self, device, stream=None):
        """With the device current, and a stream of it."""
        with self.cuda.Device(device), stream or contextlib.nullcontext():
            yield

    def assign(self, target, source):
        """To another device's array, without waiting."""
        target[...] = source

    def move(self, a, device):
        """A copy on another device."""
        with self.cuda.Device(device):
            return self.xp.asarray(a)

    def synchronize_all(self):
        """Wait for two devices."""
        for device in range(2):
            self.cuda.Device(device).synchronize()

    def device_name(self):
        """What runs the kernels."""
        name = self.cuda.runtime.getDeviceProperties(0)["name"]
        return name.decode() if isinstance(name, bytes) else name


class Numpy(NumpyLike):
    """NumPy: the host's clock is the device's."""

    def synchronize(self):
        pass

    def to_host(self, a):
        return a.copy()

    def from_host(self, a):
        return a.copy()

    def device_ms(self, body):
        begin = time.perf_counter()
        body()
        return (time.perf_counter() - begin) * 1e3

    def free(self):
        pass

    def device_count(self):
        return 0

    def device_name(self):
        return "CPU"


TORCH_DTYPES = {
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "i1": "int8",
    "i4": "int32",
    "i8": "int64",
    "c8": "complex64",
    "?": "bool",
}


class Torch:
    """PyTorch in eager mode."""

    NOISE = NumpyLike.NOISE

    def __init__(self):
        self.name = "torch"
        self.torch = self.module = importlib.import_module("torch")
        self.device = "cuda" if self.torch.cuda.is_available() else "cpu"

    def dtype(self, name):
        return getattr(self.torch, TORCH_DTYPES[name])

    def noise(self, shape, dtype):
        """As NumpyLike.noise."""
        bits = unit_noise(self.torch.arange(math.prod(shape), device=self.device)).reshape(shape)
        if dtype == "?":
            return bits < 1 << 23
        if dtype[0] == "i":
            return self.astype(bits >> (18 if dtype == "i1" else 0), dtype)
        return self.astype(bits.float() * 2**-24, dtype)

    def index(self, n):
        """As NumpyLike.index."""
        return self.torch.arange(n, device=self.device)

    def ones(self, shape, dtype="f4"):
        return self.torch.ones(shape, dtype=self.dtype(dtype), device=self.device)

    def full(self, shape, value, dtype="f4"):
        shape = shape if isinstance(shape, tuple) else (shape,)
        return self.torch.full(shape, value, dtype=self.dtype(dtype), device=self.device)

    def astype(self, a, dtype):
        return a.to(self.dtype(dtype))

    def from_host(self, a):
        return self.torch.from_numpy(a).to(self.device)

    def to_host(self, a):
        return a.cpu().numpy()

    def call(self, name):
        function = getattr(self.torch, name)
        if name == "empty":
            return lambda n, dtype: function(n, dtype=self.dtype(dtype), device=self.device)
        if name == "zeros":
            return lambda n, dtype: function(n, dtype=self.dtype(dtype), device=self.device)
        return function

    def copy(self, a):
        return a.clone()

    def contiguous(self, a):
        return a.contiguous()

    def synchronize(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def device_ms(self, body):
        if self.device != "cuda":
            return Numpy.device_ms(self, body)
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        body()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    def free(self):
        if self.device == "cuda":
            self.torch.cuda.empty_cache()

    def device_count(self):
        return self.torch.cuda.device_count()

    def stream(self, device):
        return self.torch.cuda.Stream(device)

    @contextlib.contextmanager
    def on(self, device, stream=None):
        cuda = self.torch.cuda
        self.device = f"cuda:{device}"
        with cuda.device(device), cuda.stream(stream):
            yield
        self.device = "cuda"

    def assign(self, target, source):
        target.copy_(source, non_blocking=True)

    def move(self, a, device):
        return a.to(f"cuda:{device}", non_blocking=True)

    def synchronize_all(self):
        for device in range(2):
            self.torch.cuda.synchronize(device)

    def device_name(self):
        return self.torch.cuda.get_device_name() if self.device == "cuda" else "CPU"


def open_library(name):
    """The adapter of a library by its module's name."""
    if name == "torch":
        return Torch()
    return Numpy(name) if name == "numpy" else NumpyLike(name)


def version(lib):
    """The library's version."""
    module = lib.torch if lib.name == "torch" else lib.xp
    return str(module.__version__)

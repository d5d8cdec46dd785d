"""Names of PyTorch, Numba and NumPy that are absent: the error says what to write instead."""

from typing import Any, NoReturn

__all__ = ["instead", "refuse"]

_HOST = "use a.get(), which copies to the host"
_DEVICE = "leave it out: arrays are on the device already"
_NO_GRADIENTS = "leave it out: arrays have no gradients"
_MEMORY = "gpunp.get_default_memory_pool()"

# Attributes of arrays.
_OF_ARRAYS = {
    "numpy": _HOST,
    "cpu": _HOST,
    "asnumpy": _HOST,
    "copy_to_host": _HOST,
    "cuda": _DEVICE,
    "gpu": _DEVICE,
    "to": "use a.astype(dtype) for another dtype, a.get() for the host, a.to_device(1) for another "
    "device",
    "detach": _NO_GRADIENTS,
    "clone": "use a.copy()",
    "contiguous": "use gpunp.ascontiguousarray(a)",
    "dim": "use a.ndim",
    "numel": "use a.size",
    "t": "use a.T",
    "permute": "use a.transpose(axes)",
    "unsqueeze": "use gpunp.expand_dims(a, axis), or a[:, None]",
    "expand": "use gpunp.broadcast_to(a, shape)",
    "clamp": "use a.clip(min, max)",
    "half": "use a.astype('float16')",
    "float": "use a.astype('float32')",
    "double": "use a.astype('float64')",
    "int": "use a.astype('int32')",
    "long": "use a.astype('int64')",
    "bool": "use a.astype(bool)",
    "itemset": "use a[index] = value",
    "tostring": "use a.tobytes()",
    "ctypes": "use a.data.ptr, an address on the device, which C code of the host cannot read",
    "append": "use gpunp.append(a, values), which makes a new array",
    "mm": "use a @ b",
    "bmm": "use a @ b",
    "norm": "use gpunp.linalg.norm(a)",
}
_FUNCTIONS = (
    "abs", "ceil", "cos", "diff", "exp", "flip", "floor", "isfinite", "isnan", "log", "log10",
    "log2", "median", "sign", "sin", "sqrt", "square", "tan", "tanh", "unique", "where",
)  # fmt: skip
_OF_ARRAYS |= {name: f"use gpunp.{name}(a)" for name in _FUNCTIONS}

# Names of modules.
_DRAWS = ("default_rng", "normal", "rand", "randint", "randn", "shuffle", "uniform")
_OF_MATRICES = (
    "cholesky", "det", "eigh", "eigvalsh", "inv", "lstsq", "norm", "pinv", "qr", "slogdet", "solve",
    "svd",
)  # fmt: skip
_OF_MODULES = {
    "gpunp": {
        "tensor": "use gpunp.array(values)",
        "as_tensor": "use gpunp.asarray(values)",
        "from_numpy": "use gpunp.asarray(a)",
        "cat": "use gpunp.concatenate(arrays)",
        "device": "use gpunp.cuda.Device(0)",
        "manual_seed": "use gpunp.random.seed(seed)",
        "no_grad": _NO_GRADIENTS,
    }
    | {name: f"use Python's {name}" for name in ("float", "int", "complex")}
    | {name: f"use gpunp.random.{name}" for name in _DRAWS}
    | {name: f"use gpunp.linalg.{name}" for name in _OF_MATRICES},
    "gpunp.cuda": {
        "device_count": "use gpunp.cuda.runtime.getDeviceCount()",
        "current_device": "use gpunp.cuda.Device().id",
        "set_device": "use gpunp.cuda.Device(1).use()",
        "synchronize": "use gpunp.cuda.Device().synchronize()",
        "current_stream": "use gpunp.cuda.get_current_stream()",
        "default_stream": "use gpunp.cuda.Stream.null",
        "empty_cache": f"use {_MEMORY}.free_all_blocks()",
        "memory_allocated": f"use {_MEMORY}.used_bytes()",
        "memory_reserved": f"use {_MEMORY}.total_bytes()",
        "mem_get_info": "use gpunp.cuda.Device().mem_info",
        "get_device_name": "use gpunp.cuda.runtime.getDeviceProperties(0)['name']",
        "jit": "use gpunp.jit.rawkernel()",
        "to_device": "use gpunp.asarray(a)",
    },
    "gpunp.random": dict.fromkeys(
        ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"),
        "use gpunp.random.Philox4x3210(seed), XORWOW or MRG32k3a",
    ),
}


def instead(module: str, name: str) -> str:
    """Return the end of the error's message: what does the same here, or nothing.

    Parameters
    ----------
    module : str
        Name of the module that was asked.
    name : str
        Name that it has not.

    Returns
    -------
    str
        Text that begins with a semicolon, or the empty string.
    """
    use = _OF_MODULES[module].get(name)
    return f"; {use}" if use else ""


class _Absent:
    """An attribute that arrays have not: `hasattr` is False for the array and for its class."""

    def __init__(self, name: str, use: str) -> None:
        self.name = name
        self.text = f"'gpunp.ndarray' object has no attribute {name!r}; {use}"

    def __get__(self, instance: Any, owner: Any) -> NoReturn:
        # With a name and an object, Python does not guess another attribute.
        raise AttributeError(self.text, name=self.name, obj=None)


def refuse(array_type: type) -> None:
    """Give the type an attribute for each foreign name, which raises; `dir(a)` has none of them.

    Parameters
    ----------
    array_type : type
        `gpunp.ndarray`.
    """
    for name, use in _OF_ARRAYS.items():
        setattr(array_type, name, _Absent(name, use))

    def names(self) -> list[str]:
        found = vars(array_type)
        return [n for n in object.__dir__(self) if not isinstance(found.get(n), _Absent)]

    array_type.__dir__ = names  # type: ignore[assignment, method-assign]

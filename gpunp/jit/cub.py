"""Reductions of a warp or a block by the toolkit's CUB: `WarpReduce[T]`, `BlockReduce[T, threads]`.

In a kernel, with one number `x[i]` of each thread::

    Reduce = jit.cub.BlockReduce[numpy.float32, 128]
    storage = jit.shared_memory(Reduce.TempStorage, 1)
    total = Reduce(storage[0]).Sum(x[i])  # known to the first thread

The headers cost about a second when a kernel is first compiled.
"""

import numpy as np

from . import _operators as operators
from . import _types as t
from ._functions import Builtin
from ._types import Data

__all__ = ["BlockReduce", "Max", "Min", "Sum", "WarpReduce"]


class _Instance:
    """A reduction of numbers of one type."""

    def __init__(self, cpp, header, dtype):
        self._cpp, self._header, self._dtype = cpp, header, dtype
        self.TempStorage = t.Opaque(f"typename {cpp}::TempStorage", {})
        self._object = t.Opaque(cpp, {"Sum": self._sum, "Reduce": self._reduce})

    def emit(self, compiler, args, keywords):
        """Give the object that a storage makes."""
        (storage,) = args
        if keywords or not isinstance(storage, Data) or storage.type != self.TempStorage:
            raise TypeError(f"{self} takes an element of shared memory of its TempStorage")
        compiler.program.includes[self._header] = None
        return Data(f"{self._cpp}({storage.code})", self._object)

    def _value(self, compiler, value):
        return operators.convert(compiler.scalar(value), self._dtype)

    def _sum(self, compiler, owner, value):
        code = f"{owner.code}.Sum({self._value(compiler, value)})"
        return Data(code, self._dtype, pure=False)

    def _reduce(self, compiler, owner, value, operation):
        if not isinstance(operation, Data) or operation.type not in _OPERATIONS:
            raise TypeError("Reduce() takes a number and cub.Sum(), cub.Max() or cub.Min()")
        code = f"{owner.code}.Reduce({self._value(compiler, value)}, {operation.code})"
        return Data(code, self._dtype, pure=False)

    def __repr__(self):
        return self._cpp


class _Template:
    """A reduction before its type is given."""

    def __init__(self, name, header, parameters, doc):
        self.__name__, self.__doc__ = name, doc
        self._header, self._parameters = header, parameters

    def __getitem__(self, key):
        given = key if isinstance(key, tuple) else (key,)
        if len(given) != self._parameters:
            raise TypeError(f"{self.__name__} takes {self._parameters} parameters in brackets")
        dtype = np.dtype(given[0])
        if dtype.kind not in "iuf" or dtype.itemsize < 4:
            raise TypeError(f"{self.__name__} is for numbers of 32 and 64 bits, not {dtype}")
        parameters = ", ".join([t.cpp_name(dtype), *(str(int(size)) for size in given[1:])])
        return _Instance(f"::cub::{self.__name__}<{parameters}>", self._header, dtype)

    def __repr__(self):
        return f"<gpunp.jit.cub.{self.__name__}>"


WarpReduce = _Template(
    "WarpReduce", "<cub/warp/warp_reduce.cuh>", 1, "Reduction of a warp: WarpReduce[dtype]."
)
BlockReduce = _Template(
    "BlockReduce",
    "<cub/block/block_reduce.cuh>",
    2,
    "Reduction of a block: BlockReduce[dtype, number of its threads].",
)

_SUM, _MAX, _MIN = (t.Opaque(name, {}) for name in ("AddOf", "MaxOf", "MinOf"))
_OPERATIONS = (_SUM, _MAX, _MIN)


@Builtin
def Sum(compiler):
    """Return the operation that adds two values."""
    return Data("AddOf{}", _SUM)


@Builtin
def Max(compiler):
    """Return the operation that takes the larger of two values."""
    return Data("MaxOf{}", _MAX)


@Builtin
def Min(compiler):
    """Return the operation that takes the smaller of two values."""
    return Data("MinOf{}", _MIN)

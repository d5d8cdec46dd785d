# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


import datetime
import os
class _DeviceArray(_t.Protocol):
    """What other libraries' arrays have."""
    @_b.property
    def __cuda_array_interface__(self) -> _b.dict[_b.str, _t.Any]: ...
_Buffer: _t.TypeAlias = "_b.bytes | _b.bytearray | _b.memoryview | _np.ndarray[_t.Any, _t.Any]"
_Path: _t.TypeAlias = "os.PathLike[_b.str]"
_Number: _t.TypeAlias = "_b.complex | _np.generic | _g.ndarray | datetime.date | datetime.timedelta"
_ArrayLikeOrHost: _t.TypeAlias = "ArrayLike | _np.ndarray[_t.Any, _t.Any]"
_Bool: _t.TypeAlias = "_b.bool | _np.bool"
ArrayLike: _t.TypeAlias = "_Number | _DeviceArray | _b.list[_t.Any] | _b.tuple[_t.Any, ...] | _b.range"
DTypeLike: _t.TypeAlias = "_np.typing.DTypeLike"
NDArray: _t.TypeAlias = "_g.ndarray"

# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp._C import CuFFTError as CuFFTError

CUFFT_C2C: _b.int
CUFFT_C2R: _b.int
CUFFT_D2Z: _b.int
CUFFT_FORWARD: _b.int
CUFFT_INVERSE: _b.int
CUFFT_R2C: _b.int
CUFFT_Z2D: _b.int
CUFFT_Z2Z: _b.int
class Plan1d:
    def __init__(self, nx: _t.SupportsIndex, fft_type: _t.SupportsIndex, batch: _t.SupportsIndex = 1, *, devices: None = None, out: None = None) -> None: ...
    def __enter__(self) -> _t.Self: ...
    def __exit__(self, *exc: _t.Any) -> None: ...
    def check_output_array(self, a: _g.ndarray, out: _g.ndarray) -> None: ...
    def fft(self, a: _g.ndarray, out: _g.ndarray, direction: _t.Literal[-1, 1]) -> None: ...
    def get_output_array(self, a: _g.ndarray) -> _g.ndarray: ...
    nx: _t.Any
    batch: _t.Any
    fft_type: _t.Any
class PlanNd:
    def __init__(self, shape: _a.Sequence[_t.SupportsIndex], inembed: _a.Sequence[_t.SupportsIndex] | None, istride: _t.SupportsIndex, idist: _t.SupportsIndex, onembed: _a.Sequence[_t.SupportsIndex] | None, ostride: _t.SupportsIndex, odist: _t.SupportsIndex, fft_type: _t.SupportsIndex, batch: _t.SupportsIndex, order: _t.Literal['C', 'F'] = 'C', last_axis: _t.SupportsIndex = -1, last_size: _t.SupportsIndex | None = None) -> None: ...
    def __enter__(self) -> _t.Self: ...
    def __exit__(self, *exc: _t.Any) -> None: ...
    def fft(self, a: _g.ndarray, out: _g.ndarray, direction: _t.Literal[-1, 1]) -> None: ...
    def get_output_array(self, a: _g.ndarray, order: _t.Literal['C', 'F'] = 'C') -> _g.ndarray: ...
    last_axis: _t.Any
    last_size: _t.Any
    order: _t.Any
    shape: _t.Any
    batch: _t.Any
    fft_type: _t.Any
def getVersion() -> _b.int: ...

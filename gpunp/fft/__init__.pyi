# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp._C import fft as fft
from gpunp._C import fft2 as fft2
from gpunp._C import fftn as fftn
from gpunp._C import hfft as hfft
from gpunp._C import ifft as ifft
from gpunp._C import ifft2 as ifft2
from gpunp._C import ifftn as ifftn
from gpunp._C import ihfft as ihfft
from gpunp._C import irfft as irfft
from gpunp._C import irfft2 as irfft2
from gpunp._C import irfftn as irfftn
from gpunp._C import rfft as rfft
from gpunp._C import rfft2 as rfft2
from gpunp._C import rfftn as rfftn
from gpunp.fft import config as config

def fftfreq(n: _t.SupportsIndex, d: _T._Number = ..., device: _t.Any = None, *, dtype: _np.typing.DTypeLike | None = None) -> _g.ndarray: ...
def fftshift(x: _T.ArrayLike, axes: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None) -> _g.ndarray: ...
def ifftshift(x: _T.ArrayLike, axes: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None) -> _g.ndarray: ...
def rfftfreq(n: _t.SupportsIndex, d: _T._Number = ..., device: _t.Any = None, *, dtype: _np.typing.DTypeLike | None = None) -> _g.ndarray: ...

# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


abcd_normalize: _t.Any
besselap: _t.Any
bilinear_zpk: _t.Any
buttap: _t.Any
buttord: _t.Any
cheb1ap: _t.Any
cheb1ord: _t.Any
cheb2ap: _t.Any
cheb2ord: _t.Any
def choose_conv_method(in1: _T.ArrayLike, in2: _T.ArrayLike, mode: _t.Literal['full', 'same', 'valid'] = 'full', measure: _T._Bool = False) -> _t.Any: ...
def convolve(in1: _T.ArrayLike, in2: _T.ArrayLike, mode: _t.Literal['full', 'same', 'valid'] = 'full', method: _t.Literal['auto', 'direct', 'fft'] = 'auto') -> _g.ndarray: ...
def convolve2d(in1: _T.ArrayLike, in2: _T.ArrayLike, mode: _t.Literal['full', 'same', 'valid'] = 'full', boundary: _t.Literal['fill', 'wrap', 'symm'] = 'fill', fillvalue: _T._Number = 0) -> _g.ndarray: ...
def correlate(in1: _T.ArrayLike, in2: _T.ArrayLike, mode: _t.Literal['full', 'same', 'valid'] = 'full', method: _t.Literal['auto', 'direct', 'fft'] = 'auto') -> _g.ndarray: ...
def correlate2d(in1: _T.ArrayLike, in2: _T.ArrayLike, mode: _t.Literal['full', 'same', 'valid'] = 'full', boundary: _t.Literal['fill', 'wrap', 'symm'] = 'fill', fillvalue: _T._Number = 0) -> _g.ndarray: ...
def correlation_lags(in1_len: _t.SupportsIndex, in2_len: _t.SupportsIndex, mode: _t.Literal['full', 'same', 'valid'] = 'full') -> _g.ndarray: ...
ellipap: _t.Any
envelope: _t.Any
def fftconvolve(in1: _T.ArrayLike, in2: _T.ArrayLike, mode: _t.Literal['full', 'same', 'valid'] = 'full', axes: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None) -> _g.ndarray: ...
findfreqs: _t.Any
freqs: _t.Any
freqs_zpk: _t.Any
freqz: _t.Any
freqz_sos: _t.Any
freqz_zpk: _t.Any
gammatone: _t.Any
gauss_spline: _t.Any
gausspulse: _t.Any
get_window: _t.Any
hilbert: _t.Any
hilbert2: _t.Any
iircomb: _t.Any
iirnotch: _t.Any
iirpeak: _t.Any
lp2bp: _t.Any
lp2bp_zpk: _t.Any
lp2bs: _t.Any
lp2bs_zpk: _t.Any
lp2hp: _t.Any
lp2hp_zpk: _t.Any
lp2lp: _t.Any
lp2lp_zpk: _t.Any
minimum_phase: _t.Any
normalize: _t.Any
def oaconvolve(in1: _T.ArrayLike, in2: _T.ArrayLike, mode: _t.Literal['full', 'same', 'valid'] = 'full', axes: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None) -> _g.ndarray: ...
resample: _t.Any
savgol_coeffs: _t.Any
sos2tf: _t.Any
sos2zpk: _t.Any
sosfreqz: _t.Any
sweep_poly: _t.Any
tf2zpk: _t.Any
vectorstrength: _t.Any
zpk2tf: _t.Any

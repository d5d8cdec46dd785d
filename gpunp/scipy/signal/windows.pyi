# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


barthann: _t.Any
bartlett: _t.Any
blackman: _t.Any
blackmanharris: _t.Any
bohman: _t.Any
boxcar: _t.Any
chebwin: _t.Any
cosine: _t.Any
exponential: _t.Any
flattop: _t.Any
gaussian: _t.Any
general_cosine: _t.Any
general_gaussian: _t.Any
general_hamming: _t.Any
get_window: _t.Any
hamming: _t.Any
hann: _t.Any
kaiser: _t.Any
kaiser_bessel_derived: _t.Any
lanczos: _t.Any
nuttall: _t.Any
parzen: _t.Any
taylor: _t.Any
triang: _t.Any
tukey: _t.Any

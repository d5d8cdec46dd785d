# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.scipy import cluster as cluster
from gpunp.scipy import constants as constants
from gpunp.scipy import differentiate as differentiate
from gpunp.scipy import fft as fft
from gpunp.scipy import fftpack as fftpack
from gpunp.scipy import integrate as integrate
from gpunp.scipy import interpolate as interpolate
from gpunp.scipy import linalg as linalg
from gpunp.scipy import ndimage as ndimage
from gpunp.scipy import optimize as optimize
from gpunp.scipy import signal as signal
from gpunp.scipy import sparse as sparse
from gpunp.scipy import spatial as spatial
from gpunp.scipy import special as special
from gpunp.scipy import stats as stats

def get_array_module(*args: _t.Any) -> _m.ModuleType: ...

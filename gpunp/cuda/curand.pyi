# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp._C import CURANDError as CURANDError

CURAND_ORDERING_PSEUDO_BEST: _b.int
CURAND_ORDERING_PSEUDO_DEFAULT: _b.int
CURAND_ORDERING_PSEUDO_SEEDED: _b.int
CURAND_ORDERING_QUASI_DEFAULT: _b.int
CURAND_RNG_PSEUDO_DEFAULT: _b.int
CURAND_RNG_PSEUDO_MRG32K3A: _b.int
CURAND_RNG_PSEUDO_MT19937: _b.int
CURAND_RNG_PSEUDO_MTGP32: _b.int
CURAND_RNG_PSEUDO_PHILOX4_32_10: _b.int
CURAND_RNG_PSEUDO_XORWOW: _b.int
CURAND_RNG_QUASI_DEFAULT: _b.int
CURAND_RNG_QUASI_SCRAMBLED_SOBOL32: _b.int
CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: _b.int
CURAND_RNG_QUASI_SOBOL32: _b.int
CURAND_RNG_QUASI_SOBOL64: _b.int
def check_status(status: _t.SupportsIndex) -> None: ...

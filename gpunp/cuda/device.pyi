# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.cuda import Device as Device
from gpunp.cuda import allow_tf32 as allow_tf32
from gpunp.cuda import emulate_driver as emulate_driver
from gpunp.cuda import emulator_directory as emulator_directory
from gpunp.cuda import get_compute_capability as get_compute_capability
from gpunp.cuda import get_cublas_handle as get_cublas_handle
from gpunp.cuda import get_cusolver_handle as get_cusolver_handle
from gpunp.cuda import get_device_id as get_device_id
from gpunp.cuda import is_available as is_available
from gpunp.cuda import is_emulated as is_emulated
from gpunp.cuda import set_peer_access as set_peer_access

def from_pointer(ptr: _t.SupportsIndex) -> _g.cuda.Device: ...
def get_cusolver_sp_handle() -> _b.int: ...
def get_cusparse_handle() -> _b.int: ...

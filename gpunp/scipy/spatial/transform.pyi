# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

import gpunp.scipy.spatial.transform

class RigidTransform(_t.Any): ...  # type: ignore[misc]
class Rotation(_t.Any): ...  # type: ignore[misc]
class RotationSpline:
    def __init__(self, times: _t.Any, rotations: _t.Any) -> None: ...
    def __call__(self, times: _t.Any, order: _b.int = 0) -> _t.Any: ...
    rotations: _g.scipy.spatial.transform.Rotation
    times: _g.ndarray
class Slerp(_t.Any): ...  # type: ignore[misc]

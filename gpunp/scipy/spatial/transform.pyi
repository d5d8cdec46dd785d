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

class RigidTransform:
    def __init__(self, *args: _t.Any, **kwargs: _t.Any) -> None: ...
class Rotation:
    def __init__(self, *args: _t.Any, **kwargs: _t.Any) -> None: ...
class RotationSpline:
    def __init__(self, times: _t.Any, rotations: _t.Any) -> None: ...
    def __call__(self, times: _t.Any, order: _b.int = 0) -> _t.Any: ...
    rotations: _g.scipy.spatial.transform.Rotation
    times: _g.ndarray
class Slerp:
    def __init__(self, *args: _t.Any, **kwargs: _t.Any) -> None: ...

# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


class CUDAarray:
    def __init__(self, desc: _g.cuda.texture.ChannelFormatDescriptor, width: _t.SupportsIndex, height: _t.SupportsIndex = 0, depth: _t.SupportsIndex = 0, flags: _t.SupportsIndex = 0) -> None: ...
    def copy_from(self, in_arr: _g.ndarray | _np.ndarray[_t.Any, _t.Any], stream: _g.cuda.Stream | None = None) -> None: ...
    def copy_to(self, out_arr: _g.ndarray | _np.ndarray[_t.Any, _t.Any], stream: _g.cuda.Stream | None = None) -> None: ...
    ptr: _b.int
    depth: _t.Any
    desc: _t.Any
    flags: _t.Any
    height: _t.Any
    ndim: _t.Any
    width: _t.Any
class ChannelFormatDescriptor:
    def __init__(self, x: _t.SupportsIndex, y: _t.SupportsIndex, z: _t.SupportsIndex, w: _t.SupportsIndex, f: _t.SupportsIndex) -> None: ...
    def get_channel_format(self) -> _b.dict[_t.Any, _t.Any]: ...
    @_b.property
    def ptr(self) -> None: ...
class ResourceDescriptor:
    def __init__(self, restype: _t.SupportsIndex, cuArr: _g.cuda.texture.CUDAarray | None = None, arr: _g.ndarray | None = None, chDesc: _g.cuda.texture.ChannelFormatDescriptor | None = None, sizeInBytes: _t.SupportsIndex = 0, width: _t.SupportsIndex = 0, height: _t.SupportsIndex = 0, pitchInBytes: _t.SupportsIndex = 0) -> None: ...
    def get_resource_desc(self) -> _b.dict[_t.Any, _t.Any]: ...
    @_b.property
    def ptr(self) -> None: ...
    arr: _t.Any
    chDesc: _t.Any
    cuArr: _t.Any
class SurfaceObject:
    def __init__(self, ResDesc: _g.cuda.texture.ResourceDescriptor) -> None: ...
    ptr: _b.int
    ResDesc: _t.Any
class TextureDescriptor:
    def __init__(self, addressModes: _a.Sequence[_t.SupportsIndex] | None = None, filterMode: _t.SupportsIndex = 0, readMode: _t.SupportsIndex = 0, sRGB: _T._Bool | None = None, borderColors: _a.Sequence[_t.SupportsFloat] | None = None, normalizedCoords: _T._Bool | None = None, maxAnisotropy: _t.SupportsIndex | None = None) -> None: ...
    def get_texture_desc(self) -> _b.dict[_t.Any, _t.Any]: ...
    @_b.property
    def ptr(self) -> None: ...
class TextureObject:
    def __init__(self, ResDesc: _g.cuda.texture.ResourceDescriptor, TexDesc: _g.cuda.texture.TextureDescriptor) -> None: ...
    ptr: _b.int
    ResDesc: _t.Any
    TexDesc: _t.Any

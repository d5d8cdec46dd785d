"""CUDA arrays, textures and surfaces, as arguments of RawKernel."""

import ctypes

import numpy as np

from gpunp import _C

from . import runtime

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]


# ---- cudart's structures


class _ChannelDesc(ctypes.Structure):
    _fields_ = [
        ("x", ctypes.c_int),
        ("y", ctypes.c_int),
        ("z", ctypes.c_int),
        ("w", ctypes.c_int),
        ("f", ctypes.c_int),
    ]


class _Linear(ctypes.Structure):
    _fields_ = [
        ("ptr", ctypes.c_uint64),
        ("desc", _ChannelDesc),
        ("bytes", ctypes.c_size_t),
    ]


class _Pitch2D(ctypes.Structure):
    _fields_ = [
        ("ptr", ctypes.c_uint64),
        ("desc", _ChannelDesc),
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
        ("pitch", ctypes.c_size_t),
    ]


class _Resource(ctypes.Union):
    _fields_ = [
        ("array", ctypes.c_uint64),
        ("linear", _Linear),
        ("pitch2D", _Pitch2D),
        ("reserved", ctypes.c_int * 32),
    ]


class _ResourceDesc(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("res", _Resource), ("flags", ctypes.c_uint)]


class _TextureDesc(ctypes.Structure):
    _fields_ = [
        ("address_mode", ctypes.c_int * 3),
        ("filter_mode", ctypes.c_int),
        ("read_mode", ctypes.c_int),
        ("srgb", ctypes.c_int),
        ("border", ctypes.c_float * 4),
        ("normalized", ctypes.c_int),
        ("max_anisotropy", ctypes.c_uint),
        ("mipmap_filter_mode", ctypes.c_int),
        ("mipmap_bias", ctypes.c_float),
        ("mipmap_low", ctypes.c_float),
        ("mipmap_high", ctypes.c_float),
        ("no_trilinear_optimization", ctypes.c_int),
        ("seamless_cubemap", ctypes.c_int),
    ]


class _PitchedPtr(ctypes.Structure):
    _fields_ = [
        ("ptr", ctypes.c_uint64),
        ("pitch", ctypes.c_size_t),
        ("xsize", ctypes.c_size_t),
        ("ysize", ctypes.c_size_t),
    ]


class _Copy3D(ctypes.Structure):
    _fields_ = [
        ("src_array", ctypes.c_uint64),
        ("src_pos", ctypes.c_size_t * 3),
        ("src", _PitchedPtr),
        ("dst_array", ctypes.c_uint64),
        ("dst_pos", ctypes.c_size_t * 3),
        ("dst", _PitchedPtr),
        ("extent", ctypes.c_size_t * 3),
        ("kind", ctypes.c_int),
    ]


# ---- descriptors


def _check(value, cls, name):
    if not isinstance(value, cls):
        raise TypeError(f"{name} must be a {cls.__name__}, not {type(value).__name__}")


class ChannelFormatDescriptor:
    """Format of the elements of a CUDA array or texture: up to four channels.

    Parameters
    ----------
    x, y, z, w : int
        Number of bits of each channel: 8, 16 or 32, equal for all channels in use; 0 for unused
        channels.
    f : int
        Kind of value: `runtime.cudaChannelFormatKindSigned`, `...Unsigned` or `...Float`.
    """

    def __init__(self, x, y, z, w, f):
        self._desc = _ChannelDesc(x, y, z, w, f)

    @property
    def ptr(self):
        """Address of a cudaChannelFormatDesc."""
        return ctypes.addressof(self._desc)

    def get_channel_format(self):
        """Return the fields as a dict.

        Returns
        -------
        dict
            The fields by name.
        """
        return {name: getattr(self._desc, name) for name, _ in _ChannelDesc._fields_}

    def _channels(self):
        return sum(bits > 0 for bits in (self._desc.x, self._desc.y, self._desc.z, self._desc.w))

    def _check(self, dtype):
        """ValueError when an array of `dtype` cannot be a channel."""
        kinds = {
            runtime.cudaChannelFormatKindSigned: "i",
            runtime.cudaChannelFormatKindUnsigned: "u",
            runtime.cudaChannelFormatKindFloat: "f",
        }
        if kinds.get(self._desc.f) != dtype.kind or 8 * dtype.itemsize != self._desc.x:
            raise ValueError(f"an array of {dtype} does not fit the format {self!r}")

    def __repr__(self):
        return f"ChannelFormatDescriptor({', '.join(map(str, self.get_channel_format().values()))})"


class ResourceDescriptor:
    """Memory from which a texture or surface reads: a CUDA array, or the memory of an array.

    Parameters
    ----------
    restype : int
        Type of resource: `runtime.cudaResourceTypeArray`, `...Linear` or `...Pitch2D`.
    cuArr : CUDAarray, optional
        CUDA array, for the type Array.
    arr : ndarray, optional
        Device array, for linear and pitched memory.
    chDesc : ChannelFormatDescriptor, optional
        Format of the elements, for linear and pitched memory.
    sizeInBytes : int, optional
        Size in bytes, for linear memory.
    width, height : int, optional
        Number of columns and rows, for pitched memory.
    pitchInBytes : int, optional
        Distance between rows in bytes, for pitched memory; a multiple of the device's
        texturePitchAlignment.
    """

    def __init__(
        self,
        restype,
        cuArr=None,
        arr=None,
        chDesc=None,
        sizeInBytes=0,
        width=0,
        height=0,
        pitchInBytes=0,
    ):
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        self._desc = desc = _ResourceDesc(type=restype)
        if restype == runtime.cudaResourceTypeArray:
            if cuArr is None:
                raise ValueError("a resource of type array needs cuArr")
            _check(cuArr, CUDAarray, "cuArr")
            desc.res.array = cuArr.ptr
        elif restype in (runtime.cudaResourceTypeLinear, runtime.cudaResourceTypePitch2D):
            if arr is None or chDesc is None:
                raise ValueError("a resource of linear or pitched memory needs arr and chDesc")
            _check(arr, _C.ndarray, "arr")
            _check(chDesc, ChannelFormatDescriptor, "chDesc")
            if restype == runtime.cudaResourceTypeLinear:
                desc.res.linear = _Linear(arr.data.ptr, chDesc._desc, sizeInBytes)
            else:
                desc.res.pitch2D = _Pitch2D(arr.data.ptr, chDesc._desc, width, height, pitchInBytes)
        else:
            raise ValueError(f"unknown resource type {_C.shown(restype)}")

    @property
    def ptr(self):
        """Address of a cudaResourceDesc."""
        return ctypes.addressof(self._desc)

    def get_resource_desc(self):
        """Return the fields as a dict.

        Returns
        -------
        dict
            The fields by name.
        """
        if self._desc.type == runtime.cudaResourceTypeArray:
            return {"resType": self._desc.type, "cuArr": self.cuArr}
        fields = {"resType": self._desc.type, "arr": self.arr}
        fields["chDesc"] = self.chDesc.get_channel_format()
        if self._desc.type == runtime.cudaResourceTypeLinear:
            fields["sizeInBytes"] = self._desc.res.linear.bytes
        else:
            pitched = self._desc.res.pitch2D
            fields.update(width=pitched.width, height=pitched.height, pitchInBytes=pitched.pitch)
        return fields


class TextureDescriptor:
    """Options for reading from a texture.

    Parameters
    ----------
    addressModes : sequence of int, optional
        Treatment of coordinates out of range, for each dimension: `runtime.cudaAddressModeWrap`
        (the default), `...Clamp`, `...Mirror` or `...Border`. Wrap and mirror need normalized
        coordinates.
    filterMode : int, optional
        Filter: `runtime.cudaFilterModePoint` or `...Linear`.
    readMode : int, optional
        Conversion: `runtime.cudaReadModeElementType`, or `...NormalizedFloat`, which maps integers
        of 8 and 16 bits to [0, 1] or [-1, 1].
    sRGB : bool, optional
        If True, values are sRGB and converted to linear values.
    borderColors : sequence of float, optional
        Up to four values, for the address mode Border.
    normalizedCoords : bool, optional
        If True, coordinates range from 0 to 1.
    maxAnisotropy : int, optional
        Limit of the anisotropy of the filter.
    """

    def __init__(
        self,
        addressModes=None,
        filterMode=0,
        readMode=0,
        sRGB=None,
        borderColors=None,
        normalizedCoords=None,
        maxAnisotropy=None,
    ):
        self._desc = desc = _TextureDesc(filter_mode=filterMode, read_mode=readMode)
        if addressModes is not None:
            if len(addressModes) > 3:
                raise ValueError("addressModes are at most three")
            for i, mode in enumerate(addressModes):
                desc.address_mode[i] = mode
        if borderColors is not None:
            if len(borderColors) > 4:
                raise ValueError("borderColors are at most four")
            for i, color in enumerate(borderColors):
                desc.border[i] = color
        desc.srgb = bool(sRGB)
        desc.normalized = bool(normalizedCoords)
        desc.max_anisotropy = 0 if maxAnisotropy is None else maxAnisotropy

    @property
    def ptr(self):
        """Address of a cudaTextureDesc."""
        return ctypes.addressof(self._desc)

    def get_texture_desc(self):
        """Return the fields as a dict.

        Returns
        -------
        dict
            The fields by name.
        """
        desc = self._desc
        return {
            "addressMode": tuple(desc.address_mode),
            "filterMode": desc.filter_mode,
            "readMode": desc.read_mode,
            "sRGB": desc.srgb,
            "borderColor": tuple(desc.border),
            "normalizedCoords": desc.normalized,
            "maxAnisotropy": desc.max_anisotropy,
        }


# ---- arrays


class CUDAarray:
    """CUDA array: memory in an opaque layout, for textures and surfaces.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
        Format of the elements of the array.
    width, height, depth : int
        Number of elements in each dimension; 0 for a height or depth that is not used.
    flags : int, optional
        Flags of the array: `runtime.cudaArraySurfaceLoadStore` for surfaces.
    """

    ptr = 0  # of an object whose __init__ raised

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        _check(desc, ChannelFormatDescriptor, "desc")
        if width < 1 or height < 0 or depth < 0 or (depth > 0 and height == 0):
            raise ValueError(
                f"an array has a width, then a height, then a depth, not {(width, height, depth)}"
            )
        self.desc = desc
        self.width, self.height, self.depth, self.flags = width, height, depth, flags
        self.ndim = 3 if depth > 0 else 2 if height > 0 else 1
        self._device_id = _C.get_device_id()
        self.ptr = runtime.malloc3DArray(desc.ptr, width, height, depth, flags)

    def __del__(self, _release=_C._release_texture):
        if self.ptr:
            _release("array", self.ptr, self._device_id)

    def _shape(self):
        channels = self.desc._channels()
        return (self.depth, self.height, channels * self.width)[3 - self.ndim :]

    def _check(self, arr):
        """The address and kind of memory of an array that can be copied here or from here."""
        self.desc._check(arr.dtype)
        if arr.shape != self._shape():
            raise ValueError(
                f"the array's shape is {arr.shape}; this one copies {self._shape()}: the last "
                f"dimension counts the channels of all elements of a row"
            )
        if isinstance(arr, np.ndarray):
            return arr.ctypes.data, "Host"
        return arr.data.ptr, "Device"

    def _copy(self, arr, to_array, stream):
        address, memory = self._check(arr)
        kind = getattr(
            runtime, f"memcpy{memory}ToDevice" if to_array else f"memcpyDeviceTo{memory}"
        )
        if arr.size == 0:
            return
        row = arr.shape[-1] * arr.dtype.itemsize
        copy = _Copy3D(kind=kind)
        pitched = _PitchedPtr(address, row, row, max(self.height, 1))
        if to_array:
            copy.dst_array, copy.src = self.ptr, pitched
        else:
            copy.src_array, copy.dst = self.ptr, pitched
        copy.extent[:] = (self.width, max(self.height, 1), max(self.depth, 1))
        if stream is None:
            stream = _C.get_current_stream()
            runtime.memcpy3DAsync(ctypes.addressof(copy), stream.ptr)
            if memory == "Host":  # host memory can be reused when the call returns
                stream.synchronize()
        else:
            runtime.memcpy3DAsync(ctypes.addressof(copy), stream.ptr)

    def copy_from(self, in_arr, stream=None) -> None:
        """Copy an array into the CUDA array.

        Parameters
        ----------
        in_arr : ndarray or numpy.ndarray
            Array of shape (width * channels,), (height, width * channels) or (depth, height,
            width * channels). One that is not C-contiguous is copied first.
        stream : Stream, optional
            Stream in which the copy is queued; host memory must not be modified before the copy is
            done. By default the current stream, and copies from the host are waited for.
        """
        if in_arr.flags.c_contiguous:
            self._copy(in_arr, True, stream)
            return
        self._check(in_arr)
        with _C.get_current_stream() if stream is None else stream:
            copy = np.ascontiguousarray(in_arr) if isinstance(in_arr, np.ndarray) else in_arr.copy()
            self._copy(copy, True, None)

    def copy_to(self, out_arr, stream=None) -> None:
        """Copy the CUDA array into an array.

        Parameters
        ----------
        out_arr : ndarray or numpy.ndarray
            Array whose shape is as for `copy_from`. One that is not C-contiguous takes a copy at
            the end, for which one on the host waits.
        stream : Stream, optional
            Stream in which the copy is queued, as for `copy_from`.
        """
        if out_arr.flags.c_contiguous:
            self._copy(out_arr, False, stream)
            return
        self._check(out_arr)
        with _C.get_current_stream() if stream is None else stream:
            make = np.empty if isinstance(out_arr, np.ndarray) else _C.empty
            copy = make(out_arr.shape, out_arr.dtype)
            self._copy(copy, False, None)
            out_arr[...] = copy


# Objects without a reference which kernels may still use: [event, kind, handle, device]. The memory
# they read needs no care: CUDA arrays are freed after the device's work, others in the order of
# their stream. Without an event none could be recorded yet.
_retired: list[list] = []


def _retire(kind, handle, device_id):
    """Free an object after the work submitted before is complete."""
    try:
        if _C.get_current_stream().is_capturing():
            _C._release_texture(kind, handle, device_id)
            return
    except Exception:  # the query failed: try again later
        pass
    _retired.append([None, kind, handle, device_id])
    _sweep()


def _sweep():
    """Free objects whose work is complete; those that fail stay in the list."""
    entries, _retired[:] = _retired[:], []
    for entry in entries:
        try:
            if entry[0] is None:
                event = _C.Event(disable_timing=True)
                event.record()
                entry[0] = event
            if entry[0].done:
                _C._release_texture(*entry[1:])
                continue
        except Exception:  # the interpreter or the device shuts down, or the next sweep frees it
            pass
        _retired.append(entry)


# ---- objects


class TextureObject:
    """Texture object, passed to kernels as cudaTextureObject_t.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        Memory from which the texture reads.
    TexDesc : TextureDescriptor
        Options for reading from the texture.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.cuda import runtime, texture
    >>> channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> image = texture.CUDAarray(channels, 4)
    >>> image.copy_from(cp.arange(4, dtype=cp.float32) * 10)
    >>> resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=image)
    >>> linear = texture.TextureDescriptor(
    ...     (runtime.cudaAddressModeClamp,), runtime.cudaFilterModeLinear)
    >>> kernel = cp.RawKernel('''
    ... extern "C" __global__ void sample(cudaTextureObject_t t, float *out) {
    ...     out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 1.0f);
    ... }''', "sample")
    >>> out = cp.zeros(3, cp.float32)
    >>> kernel((1,), (3,), (texture.TextureObject(resource, linear), out))
    >>> out
    array([ 5., 15., 25.], dtype=float32)
    """

    ptr = 0  # of an object whose __init__ raised

    def __init__(self, ResDesc, TexDesc):
        _check(ResDesc, ResourceDescriptor, "ResDesc")
        _check(TexDesc, TextureDescriptor, "TexDesc")
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        self._device_id = _C.get_device_id()
        self.ptr = runtime.createTextureObject(ResDesc.ptr, TexDesc.ptr)

    @property
    def _handle(self):
        """What an elementwise kernel is given for it."""
        return np.uint64(self.ptr)

    def __del__(self, _retire=_retire):
        if self.ptr:
            _retire("texture", self.ptr, self._device_id)


class SurfaceObject:
    """Surface object, passed to kernels as cudaSurfaceObject_t.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        CUDA array made with `runtime.cudaArraySurfaceLoadStore`.
    """

    ptr = 0  # of an object whose __init__ raised

    def __init__(self, ResDesc):
        _check(ResDesc, ResourceDescriptor, "ResDesc")
        self.ResDesc = ResDesc
        self._device_id = _C.get_device_id()
        self.ptr = runtime.createSurfaceObject(ResDesc.ptr)

    @property
    def _handle(self):
        """What an elementwise kernel is given for it."""
        return np.uint64(self.ptr)

    def __del__(self, _retire=_retire):
        if self.ptr:
            _retire("surface", self.ptr, self._device_id)

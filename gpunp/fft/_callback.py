"""Functions of the caller in CUDA C++ through which elements pass on their way in and out."""

import math
import threading

from .._core._convert import shown
from .._core.dtypes import complex_dtype, real_dtype
from .._core.multiarray import empty, ndarray, zeros
from .._core.numeric import moveaxis
from .._core.raw import RawModule
from .._core.transforms import fft_axes, fft_callback

__all__ = ["get_current_callback_manager", "set_cufft_callbacks"]

_LOOPS = """#include "user/fft_callback.cuh"
{code}
extern "C" __global__ void through({type} *from, {type} *to, size_t n, void *data)
{{
    each_element(n, [=](size_t i) {{ {call} }});
}}
"""
_CALLS = {
    "load": "to[i] = {name}(from, i, data, nullptr);",
    "store": "{name}(to, i, from[i], data, nullptr);",
}
_TYPES = {
    "F": "cufftComplex",
    "D": "cufftDoubleComplex",
    "f": "cufftReal",
    "d": "cufftDoubleReal",
}
_NAMES = {"C2C": ("fftn", "ifftn"), "R2C": ("rfftn", "rfftn"), "C2R": ("irfftn", "irfftn")}
_THREADS = 256

_thread = threading.local()
_lock = threading.Lock()
_managers = 0  # that any thread has entered; guarded by _lock


def get_current_callback_manager():
    """Return the object of the innermost `with set_cufft_callbacks(...)` of this thread.

    Returns
    -------
    set_cufft_callbacks or None
        Object that the `with` statement entered.
    """
    stack = getattr(_thread, "stack", None)
    return stack[-1] if stack else None


class set_cufft_callbacks:
    """Functions that each element passes through ahead of a transform and behind it.

    In a `with` statement, transforms of this thread call `cb_load` for each element that they read
    and `cb_store` for each result, as cuFFT's callbacks. They are compiled by NVRTC into a pass
    over the elements, so that neither nvcc nor cuFFT's static library is needed.

    Parameters
    ----------
    cb_load : str, optional
        CUDA C++ that defines ``cufftCallbackLoadC d_loadCallbackPtr``, or LoadZ, LoadR or LoadD.
    cb_store : str, optional
        CUDA C++ that defines ``cufftCallbackStoreC d_storeCallbackPtr``, or StoreZ, StoreR, StoreD.
    cb_load_aux_arr : ndarray, optional
        Array whose address `cb_load` gets as ``callerInfo``.
    cb_store_aux_arr : ndarray, optional
        Array whose address `cb_store` gets as ``callerInfo``.
    cb_load_name : str, optional
        Name of the function or pointer in `cb_load`, in place of ``d_loadCallbackPtr``.
    cb_store_name : str, optional
        Name of the function or pointer in `cb_store`, in place of ``d_storeCallbackPtr``.
    cb_load_data : ndarray or MemoryPointer, optional
        The same as `cb_load_aux_arr`, which is its older name.
    cb_store_data : ndarray or MemoryPointer, optional
        The same as `cb_store_aux_arr`, which is its older name.
    cb_ver : {'legacy', 'jit'}, optional
        Kind of cuFFT's callbacks that the functions are written for; both are called alike.
    nvrtc_options : tuple of str, optional
        Options for the compiler, ahead of its own.

    Notes
    -----
    A function gets the address of contiguous elements and the position of one of them. Transforms
    along one axis number the elements with that axis last, those along several axes in C order of
    the array. Inputs are converted and padded before, results are scaled behind. A pass reads and
    writes every element once; ``sharedPtr`` is a null pointer.

    Examples
    --------
    >>> import gpunp as cp
    >>> twice = '''
    ... __device__ cufftComplex load(void *data, size_t k, void *, void *)
    ... {
    ...     cufftComplex x = ((cufftComplex *)data)[k];
    ...     return {2 * x.x, 2 * x.y};
    ... }
    ... __device__ cufftCallbackLoadC d_loadCallbackPtr = load;
    ... '''
    >>> with cp.fft.config.set_cufft_callbacks(cb_load=twice):
    ...     y = cp.fft.fft(cp.ones(4, cp.complex64))
    >>> y
    array([8.+0.j, 0.+0.j, 0.+0.j, 0.+0.j], dtype=complex64)
    """

    def __init__(
        self,
        cb_load=None,
        cb_store=None,
        *,
        cb_load_aux_arr=None,
        cb_store_aux_arr=None,
        cb_load_name=None,
        cb_store_name=None,
        cb_load_data=None,
        cb_store_data=None,
        cb_ver="legacy",
        nvrtc_options=(),
    ):
        if cb_ver not in ("legacy", "jit"):
            raise ValueError(f"cb_ver must be 'legacy' or 'jit', not {shown(cb_ver)}")
        if not cb_load and not cb_store:
            raise ValueError("cb_load, cb_store or both must be given")
        self.cb_ver = cb_ver
        self._options = tuple(nvrtc_options)
        self._kernels = {}
        self._sides = {
            "load": self._side("load", cb_load, cb_load_name, cb_load_data, cb_load_aux_arr),
            "store": self._side("store", cb_store, cb_store_name, cb_store_data, cb_store_aux_arr),
        }

    @staticmethod
    def _side(side, code, name, data, older):
        """(source, name, data) of a callback, or None."""
        if not code:
            if data is not None or older is not None:
                raise ValueError(f"cb_{side} is missing, though there is data for it")
            return None
        if not isinstance(code, str):
            raise TypeError(
                f"cb_{side} must be a string of CUDA C++, not {type(code).__name__}: other forms "
                "of code, such as LTO-IR, are not supported"
            )
        if data is not None and older is not None:
            raise ValueError(f"cb_{side}_data and cb_{side}_aux_arr are the same, give one")
        data = older if data is None else data
        if data is not None and not (isinstance(data, ndarray) or hasattr(data, "ptr")):
            raise TypeError(f"cb_{side}_data must be an array, not {type(data).__name__}")
        return code, name or f"d_{side}CallbackPtr", data

    def __enter__(self):
        global _managers
        if not hasattr(_thread, "stack"):
            _thread.stack = []
        _thread.stack.append(self)
        with _lock:
            _managers += 1
            fft_callback(_transform)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        global _managers
        _thread.stack.pop()
        with _lock:
            _managers -= 1
            if _managers == 0:
                fft_callback(None)

    def pass_through(self, side, elements):
        """Give contiguous elements as a callback changes them.

        Parameters
        ----------
        side : {'load', 'store'}
            Callback that is called.
        elements : ndarray
            Contiguous array of elements.

        Returns
        -------
        ndarray
            New array, or `elements` without such a callback.
        """
        if self._sides[side] is None:
            return elements
        code, name, data = self._sides[side]
        kernel = self._kernel(side, code, name, elements.dtype.char)
        # What a store callback leaves out is 0.
        result = (empty if side == "load" else zeros)(elements.shape, elements.dtype)
        if elements.size:
            address = 0 if data is None else data.data.ptr if hasattr(data, "data") else data.ptr
            blocks = min((elements.size + _THREADS - 1) // _THREADS, 1 << 16)
            kernel((blocks,), (_THREADS,), (elements, result, elements.size, address))
        return result

    def _kernel(self, side, code, name, char):
        key = side, char
        if key not in self._kernels:
            text = _LOOPS.format(code=code, type=_TYPES[char], call=_CALLS[side].format(name=name))
            module = RawModule(code=text, options=("--std=c++17", *self._options))
            self._kernels[key] = module.get_function("through")
        return self._kernels[key]


def _transform(a, kind, inverse, hermitian, lengths, axes, norm, out):
    """A transform with callbacks of this thread; csrc/lib/fft_callback.c calls it."""
    manager = get_current_callback_manager()
    if manager is None or getattr(_thread, "is_inside", False):
        return NotImplemented
    dtypes = real_dtype(a.dtype), complex_dtype(a.dtype)
    source = _prepared(a, dtypes[kind != "R2C"], _input_lengths(kind, lengths), axes)
    if hermitian and kind == "C2R":
        source = source.conj()
    forward = bool(inverse) == bool(hermitian)
    if len(axes) == 1:
        source = moveaxis(source, axes[0], -1)
    source = manager.pass_through("load", _contiguous(source))
    _thread.is_inside = True
    try:
        places = (source.ndim - 1,) if len(axes) == 1 else axes
        unscaled = "forward" if inverse else "backward"
        result = fft_axes(_NAMES[kind][bool(inverse)], source, lengths, places, unscaled, False)
    finally:
        _thread.is_inside = False
    result = manager.pass_through("store", _contiguous(result))
    if hermitian and kind == "R2C":
        result = result.conj()
    if len(axes) == 1:
        result = moveaxis(result, -1, axes[0])
    points = math.prod(lengths)
    if norm == 1:
        result *= 1 / math.sqrt(points)
    elif (norm == 2) == forward:
        result *= 1 / points
    if out is None:
        return result
    out[...] = result
    return out


def _input_lengths(kind, lengths):
    return (*lengths[:-1], lengths[-1] // 2 + 1) if kind == "C2R" else lengths


def _prepared(a, dtype, lengths, axes):
    """The input in the transform's dtype, cut or padded with zeros."""
    shape = list(a.shape)
    for length, axis in zip(lengths, axes, strict=True):
        shape[axis] = length
    kept = tuple(slice(min(have, want)) for have, want in zip(a.shape, shape, strict=True))
    if tuple(shape) == a.shape:
        return a.astype(dtype, copy=False)
    padded = zeros(shape, dtype)
    padded[kept] = a[kept]
    return padded


def _contiguous(a):
    return a if a.flags.c_contiguous else a.copy(order="C")

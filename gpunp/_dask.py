"""What Dask needs to know about arrays of the device: their operations on chunks, their creation.

Imported when both libraries are; Dask finds the backend of creation functions by the entry point
`dask.array.backends` as well.
"""

import functools
import importlib
import math
from typing import Any

import dask.array as da
import numpy as np
from dask import config
from dask.array import register_chunk_type
from dask.array.backends import ArrayBackendEntrypoint, array_creation_dispatch
from dask.base import normalize_token
from dask.sizeof import sizeof
from dask.utils import Dispatch

import gpunp

# The package dask.array has functions of the names of some of its modules.
_lookups: Any = importlib.import_module("dask.array.dispatch")
_routines: Any = importlib.import_module("dask.array.routines")
_unique_on_host, _dask_unique = _routines._unique_internal, _routines.unique

#: Moves chunks to the device.
to_gpunp_dispatch = Dispatch("to_gpunp_dispatch")


@to_gpunp_dispatch.register(np.ndarray)
def _to_device(data: np.ndarray, **kwargs: Any) -> gpunp.ndarray:
    return gpunp.asarray(data, **kwargs)


@to_gpunp_dispatch.register(gpunp.ndarray)
def _on_device_already(data: gpunp.ndarray, **kwargs: Any) -> gpunp.ndarray:
    return gpunp.asarray(data, **kwargs)


def _divide(a: Any, b: Any, out: Any = None, dtype: Any = None) -> gpunp.ndarray:
    """Quotients; counts of elements may be numbers or arrays of the host."""
    a, b = (gpunp.asarray(x) if isinstance(x, np.ndarray) else x for x in (a, b))
    return gpunp.divide(a, b, out=out, dtype=dtype)


def _numel(x: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> gpunp.ndarray:
    """Numbers of elements that a reduction adds up, in the shape of its result."""
    axes = gpunp.lib.array_utils.normalize_axis_tuple(
        range(x.ndim) if axis is None else axis, x.ndim
    )
    count = math.prod(x.shape[i] for i in axes)
    shape = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
    return gpunp.full(shape, count, dtype=kwargs.get("dtype") or np.float64)


def _nannumel(x: Any, **kwargs: Any) -> gpunp.ndarray:
    """The same, of elements that are not NaN."""
    return gpunp.sum(~gpunp.isnan(x), **kwargs)


def _einsum(*operands: Any, dtype: Any = None, **kwargs: Any) -> gpunp.ndarray:
    """Dask passes NumPy's `order` and `casting` too, which do not change the sums."""
    if dtype is not None:
        operands = tuple(
            x.astype(dtype, copy=False) if isinstance(x, gpunp.ndarray) else x for x in operands
        )
    return gpunp.einsum(*operands, optimize=kwargs.get("optimize", False))


def _host_percentile(*args: Any, **kwargs: Any) -> Any:
    """Dask's function for chunks of NumPy, which calls numpy.percentile: that of the chunk."""
    return _lookups.percentile_lookup.dispatch(np.ndarray)(*args, **kwargs)


def _unique(ar: Any, indices: Any, counts: Any, return_inverse: bool = False) -> Any:
    """Unique values of a chunk, in a structured array with what belongs to each.

    Dask's own function, for which it has no lookup, makes the array on the host.
    """
    if not isinstance(ar, gpunp.ndarray):
        return _unique_on_host(ar, indices, counts, return_inverse)
    values, inverse = gpunp.unique(ar, return_inverse=True)
    parts = {"values": values}
    if indices is not None:
        parts["indices"] = gpunp.full(values.size, np.iinfo(np.intp).max)
        gpunp.minimum.at(parts["indices"], inverse, gpunp.asarray(indices))
    if return_inverse:
        parts["inverse"] = gpunp.arange(values.size)
    if counts is not None:
        parts["counts"] = gpunp.zeros(values.size, np.intp)
        gpunp.add.at(parts["counts"], inverse, gpunp.asarray(counts))
    result = gpunp.empty(values.size, [(name, part.dtype) for name, part in parts.items()])
    for name, part in parts.items():
        result[name] = part
    return result


@functools.wraps(_dask_unique)
def _unique_of_array(ar: Any, *args: Any, **kwargs: Any) -> Any:
    results = _dask_unique(ar, *args, **kwargs)
    if isinstance(getattr(ar, "_meta", None), gpunp.ndarray):
        for result in results if isinstance(results, tuple) else (results,):
            result._meta = gpunp.empty((0,) * result.ndim, result.dtype)
    return results


def _asnumpy(data: gpunp.ndarray, **kwargs: Any) -> np.ndarray:
    return gpunp.asnumpy(data, **kwargs)


@normalize_token.register(gpunp.ndarray)
def _token(x: gpunp.ndarray) -> Any:
    """What arrays with equal elements share: those of their copies on the host."""
    return "gpunp.ndarray", x.device.id, normalize_token(x.get())


@sizeof.register(gpunp.ndarray)
def _sizeof(x: gpunp.ndarray) -> int:
    return int(x.nbytes)


class GpunpBackendEntrypoint(ArrayBackendEntrypoint):
    """Dask's creation functions with chunks on the device: `array.backend` is "gpunp"."""

    @classmethod
    def to_backend_dispatch(cls) -> Dispatch:
        """Function by which chunks are moved."""
        return to_gpunp_dispatch

    @classmethod
    def to_backend(cls, data: Any, **kwargs: Any) -> Any:
        """Move the chunks of an array to the device."""
        if isinstance(data._meta, gpunp.ndarray):
            return data
        return data.map_blocks(to_gpunp_dispatch, **kwargs)

    @property
    def RandomState(self) -> Any:
        """Class of the generators of NumPy's older interface."""
        return gpunp.random.RandomState

    @property
    def default_bit_generator(self) -> Any:
        """Class of the bit generators of new generators."""
        return gpunp.random.Philox4x3210

    @staticmethod
    def ones(*args: Any, **kwargs: Any) -> Any:
        """Array of ones."""
        return _filled("ones", args, kwargs)

    @staticmethod
    def zeros(*args: Any, **kwargs: Any) -> Any:
        """Array of zeros."""
        return _filled("zeros", args, kwargs)

    @staticmethod
    def empty(*args: Any, **kwargs: Any) -> Any:
        """Array of uninitialised memory."""
        return _filled("empty", args, kwargs)

    @staticmethod
    def full(*args: Any, **kwargs: Any) -> Any:
        """Array of one value."""
        return _filled("full", args, kwargs)

    @staticmethod
    def arange(*args: Any, like: Any = None, **kwargs: Any) -> Any:
        """Evenly spaced values in an interval."""
        like = gpunp.empty(()) if like is None else like
        with config.set({"array.backend": "numpy"}):
            return da.arange(*args, like=like, **kwargs)


def _filled(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An array whose chunks are made like an array of the device."""
    kwargs.setdefault("meta", gpunp.empty(()))
    with config.set({"array.backend": "numpy"}):
        return getattr(da, name)(*args, **kwargs)


register_chunk_type(gpunp.ndarray)
for _name, _function in (
    ("concatenate_lookup", gpunp.concatenate),
    ("divide_lookup", _divide),
    ("einsum_lookup", _einsum),
    ("empty_lookup", gpunp.empty),
    ("nannumel_lookup", _nannumel),
    ("numel_lookup", _numel),
    ("percentile_lookup", _host_percentile),
    ("take_lookup", gpunp.take),
    ("tensordot_lookup", gpunp.tensordot),
    ("to_numpy_dispatch", _asnumpy),
):
    getattr(_lookups, _name).register(gpunp.ndarray, _function)
_routines._unique_internal = _unique
_routines.unique = da.unique = _unique_of_array
array_creation_dispatch.register_backend("gpunp", GpunpBackendEntrypoint())

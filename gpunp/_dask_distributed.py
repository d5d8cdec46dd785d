"""How Dask's workers send arrays of the device to each other.

Imported when both libraries are. Over TCP an array travels as a copy on the host. A protocol that
takes memory of devices, as UCX does, gets the memory itself.
"""

from typing import Any

import numpy as np
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize

import gpunp

Parts = tuple[dict[str, Any], list[Any]]


@dask_serialize.register(gpunp.ndarray)
def _to_host(x: gpunp.ndarray) -> Parts:
    return dask_serialize.dispatch(np.ndarray)(gpunp.asnumpy(x, order="A"))


@dask_deserialize.register(gpunp.ndarray)
def _from_host(header: dict[str, Any], frames: list[Any]) -> gpunp.ndarray:
    return gpunp.asarray(dask_deserialize.dispatch(np.ndarray)(header, frames))


@cuda_serialize.register(gpunp.ndarray)
def _to_frames(x: gpunp.ndarray) -> Parts:
    """One frame, the bytes of the elements in C order."""
    bytes_of = gpunp.ascontiguousarray(x).reshape(-1).view(np.uint8)
    return {"shape": x.shape, "dtype": x.dtype.str}, [bytes_of]


@cuda_deserialize.register(gpunp.ndarray)
def _from_frames(header: dict[str, Any], frames: list[Any]) -> gpunp.ndarray:
    return gpunp.asarray(frames[0]).view(header["dtype"]).reshape(header["shape"])

"""Arrays in chunks on several devices of one process; chunks are copied from device to device."""

from ._array import DistributedArray, distributed_array
from ._linalg import make_2d_index_map, matmul
from ._modes import MAX, MIN, PROD, REPLICA, SUM, Mode

__all__ = [
    "MAX",
    "MIN",
    "PROD",
    "REPLICA",
    "SUM",
    "DistributedArray",
    "Mode",
    "distributed_array",
    "make_2d_index_map",
    "matmul",
]

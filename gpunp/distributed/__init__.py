"""Several devices and processes: process groups that communicate by NCCL, and a launcher.

    python -m gpunp.distributed --nproc 2 script.py

starts a script once for each device. `gpunp.distributed.array` has arrays that are spread over the
devices of one process.
"""

import importlib as _importlib

from ._init import init_process_group
from ._launch import launch
from ._nccl import NCCLBackend
from ._store import ProcessGroupError

__all__ = ["NCCLBackend", "ProcessGroupError", "array", "init_process_group", "launch"]


def __getattr__(name):
    if name in ("array", "dask"):
        return _importlib.import_module(f"{__name__}.array")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""NCCL's communicators under CuPy's names: collective operations between devices.

Addresses, counts and NCCL's numbers go through unchanged; `gpunp.distributed` takes arrays. On the
emulated device an emulation of NCCL works between threads and processes of one machine.

Unlike in CuPy, `available` is known once somebody asks for it, as the library is opened then.
"""

import contextlib
import threading

from gpunp._C import (
    NcclCommunicator,
    NcclError,
    _libraries,
    _nccl_group_end,
    _nccl_group_start,
    _nccl_unique_id,
    _nccl_version,
)

__all__ = [
    "NCCL_AVG",
    "NCCL_BFLOAT16",
    "NCCL_CHAR",
    "NCCL_DOUBLE",
    "NCCL_FLOAT",
    "NCCL_FLOAT16",
    "NCCL_FLOAT32",
    "NCCL_FLOAT64",
    "NCCL_HALF",
    "NCCL_INT",
    "NCCL_INT8",
    "NCCL_INT32",
    "NCCL_INT64",
    "NCCL_MAX",
    "NCCL_MIN",
    "NCCL_PROD",
    "NCCL_SUM",
    "NCCL_UINT8",
    "NCCL_UINT32",
    "NCCL_UINT64",
    "NcclCommunicator",
    "NcclError",
    "available",  # noqa: F822 (found when it is asked for)
    "check_status",
    "get_build_version",
    "get_unique_id",
    "get_version",
    "groupEnd",
    "groupStart",
]

NCCL_SUM = 0
NCCL_PROD = 1
NCCL_MAX = 2
NCCL_MIN = 3
NCCL_AVG = 4

NCCL_INT8 = NCCL_CHAR = 0
NCCL_UINT8 = 1
NCCL_INT32 = NCCL_INT = 2
NCCL_UINT32 = 3
NCCL_INT64 = 4
NCCL_UINT64 = 5
NCCL_FLOAT16 = NCCL_HALF = 6
NCCL_FLOAT32 = NCCL_FLOAT = 7
NCCL_FLOAT64 = NCCL_DOUBLE = 8
NCCL_BFLOAT16 = 9


def __getattr__(name):
    if name != "available":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = any(title == "NCCL" and version for title, version, _ in _libraries())
    globals()["available"] = found
    return found


def check_status(status) -> None:
    """Raise `NcclError` for a status that says that a function failed.

    Parameters
    ----------
    status : int
        What a function of NCCL returned.
    """
    if status:
        error = NcclError(f"status {status} of NCCL")
        error.status = status
        raise error


def get_unique_id():
    """Return an identifier for a new communicator.

    One rank calls it and passes it on to all, which then make `NcclCommunicator` with it.

    Returns
    -------
    tuple of int
        128 numbers from -128 to 127.
    """
    return _nccl_unique_id()


def get_version():
    """Return the version of NCCL, such as 22803 for 2.28.3.

    Returns
    -------
    int
        10000 times the major plus 100 times the minor number plus the patch level.
    """
    return _nccl_version()


def get_build_version():
    """Return the version of NCCL that is used; nothing is built against another one.

    Returns
    -------
    int
        As `get_version`.
    """
    return _nccl_version()


class _Groups(threading.local):
    """The thread's groups: how many are open, and contexts for the end of the outermost one."""

    depth = 0
    contexts = ()


_groups = _Groups()


def groupStart() -> None:
    """Begin a group of calls, which are launched together when it ends.

    A thread that has several ranks, or that sends and receives at once, needs one.
    """
    _nccl_group_start()
    _groups.depth += 1


def groupEnd() -> None:
    """End the group of calls that this thread began last."""
    contexts = ()
    _groups.depth -= _groups.depth > 0
    if _groups.depth == 0:
        contexts, _groups.contexts = _groups.contexts, ()
    with contextlib.ExitStack() as stack:
        for context in reversed(contexts):  # they are left in the order of the calls
            stack.enter_context(context)
        _nccl_group_end()


def _is_grouping():
    """Whether the thread has begun a group: what it calls begins when that ends."""
    return _groups.depth > 0


def _around_group_end(context):
    """Have the end of the thread's outermost group called within a context."""
    _groups.contexts = (*_groups.contexts, context)

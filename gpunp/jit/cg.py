"""Cooperative groups: the threads of a block or of a grid as objects (CUDA's own headers).

A kernel that uses the grid is launched cooperatively by itself: all its blocks have to fit onto the
device at once. The headers cost about 0.7 s when a kernel is first compiled.
"""

from . import _operators as operators
from . import _types as t
from ._functions import Builtin, known
from ._types import Const, Data

__all__ = ["memcpy_async", "sync", "this_grid", "this_thread_block", "wait", "wait_prior"]

_HEADER = "<cooperative_groups.h>"
_HEADER_ASYNC = "<cooperative_groups/memcpy_async.h>"


def _method(name, type_):
    """A method of a group that takes nothing."""

    def emit(compiler, group):
        return Data(f"{group.code}.{name}()", type_, pure=name != "sync")

    return emit


_BLOCK_METHODS = {
    "sync": _method("sync", t.VOID),
    "thread_rank": _method("thread_rank", t.UINT32),
    "group_index": _method("group_index", t.Dim3()),
    "thread_index": _method("thread_index", t.Dim3()),
    "dim_threads": _method("dim_threads", t.Dim3()),
    "group_dim": _method("group_dim", t.Dim3()),
    "num_threads": _method("num_threads", t.UINT32),
    "size": _method("size", t.UINT32),
}
_GRID_METHODS = {
    "sync": _method("sync", t.VOID),
    "is_valid": _method("is_valid", t.BOOL),
    "thread_rank": _method("thread_rank", t.UINT64),
    "block_rank": _method("block_rank", t.UINT64),
    "num_threads": _method("num_threads", t.UINT64),
    "num_blocks": _method("num_blocks", t.UINT64),
    "size": _method("size", t.UINT64),
    "dim_blocks": _method("dim_blocks", t.Dim3()),
    "block_index": _method("block_index", t.Dim3()),
    "group_dim": _method("group_dim", t.Dim3()),
}
_BLOCK = t.Opaque("::cooperative_groups::thread_block", _BLOCK_METHODS)
_GRID = t.Opaque("::cooperative_groups::grid_group", _GRID_METHODS)


@Builtin
def this_thread_block(compiler):
    """Return the group of the threads of this block.

    Its methods: sync, thread_rank, thread_index, group_index, dim_threads, num_threads, size,
    group_dim.
    """
    compiler.program.includes[_HEADER] = None
    return Data("::cooperative_groups::this_thread_block()", _BLOCK)


@Builtin
def this_grid(compiler):
    """Return the group of all threads of the launch.

    Its methods: sync, is_valid, thread_rank, block_rank, num_threads, num_blocks, dim_blocks,
    block_index, size, group_dim.
    """
    compiler.program.includes[_HEADER] = None
    compiler.program.is_cooperative = True
    return Data("::cooperative_groups::this_grid()", _GRID)


def _group(value):
    if not isinstance(value, Data) or value.type not in (_BLOCK, _GRID):
        raise TypeError(f"a group of threads is needed, not {value}")
    return value


@Builtin
def sync(compiler, group):
    """Synchronize all threads of the group.

    Parameters
    ----------
    group : group
        Group of the threads that wait.
    """
    return Data(f"::cooperative_groups::sync({_group(group).code})", t.VOID)


@Builtin
def wait(compiler, group):
    """Wait for all copies that `memcpy_async` started in the group.

    Parameters
    ----------
    group : group
        Group of the threads that wait.
    """
    compiler.program.includes[_HEADER_ASYNC] = None
    return Data(f"::cooperative_groups::wait({_group(group).code})", t.VOID)


@Builtin
def wait_prior(compiler, group, step):
    """Wait for all copies of the group but the last ones.

    Parameters
    ----------
    group : group
        Group of the threads that wait.
    step : int
        Number of last copies to leave out, a compile-time constant.
    """
    compiler.program.includes[_HEADER_ASYNC] = None
    count = known(step, "step")
    return Data(f"::cooperative_groups::wait_prior<{count}>({_group(group).code})", t.VOID)


@Builtin
def memcpy_async(compiler, group, dst, dst_idx, src, src_idx, size, *, aligned_size=None):
    """Start to copy `size` bytes from an array in device memory to shared memory.

    Parameters
    ----------
    group : group
        Group whose threads share the work.
    dst, src : array
        Destination in shared memory, and source, an argument of the kernel.
    dst_idx, src_idx : int or tuple of int
        Index at which the copy starts.
    size : int
        Number of bytes to copy.
    aligned_size : int, optional
        Number of bytes that divides both addresses and the size; a compile-time constant.
    """
    compiler.program.includes[_HEADER_ASYNC] = None
    places = [_place(compiler, array, index) for array, index in ((dst, dst_idx), (src, src_idx))]
    count = operators.convert(compiler.scalar(size), t.UINT64)
    if not (isinstance(aligned_size, Const) and aligned_size.value is None):
        compiler.program.includes["<cuda/barrier>"] = None
        bytes_ = known(aligned_size, "aligned_size")
        count = f"::cuda::aligned_size_t<{bytes_}>({count})"
    code = f"{_group(group).code}, {places[0]}, {places[1]}, {count}"
    return Data(f"::cooperative_groups::memcpy_async({code})", t.VOID)


def _place(compiler, array, index):
    if not (isinstance(array, Data) and isinstance(array.type, t.ArrayType)):
        raise TypeError(f"memcpy_async copies between arrays, not {array}")
    return f"&{compiler.reference(array, compiler.indices(array, index))}"

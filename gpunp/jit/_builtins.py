"""CUDA's features in kernels: threads, barriers, shared memory, atomics, shuffles."""

from . import _operators as operators
from . import _types as t
from ._functions import Builtin, known, known_dtype
from ._types import Const, Data, DeviceValue, Tuple

threadIdx = DeviceValue(Data("threadIdx", t.Dim3()))
blockIdx = DeviceValue(Data("blockIdx", t.Dim3()))
blockDim = DeviceValue(Data("blockDim", t.Dim3()))
gridDim = DeviceValue(Data("gridDim", t.Dim3()))
warpsize = DeviceValue(Data("warpSize", t.INT32))


@Builtin
def range(compiler, *args, unroll=None):
    """Loop like Python's range, with optional unrolling.

    Parameters
    ----------
    *args : int
        Arguments as for range: stop, or start, stop and step.
    unroll : bool or int, optional
        Whether to unroll the loop, or the number of copies of its body.
    """
    raise TypeError("range() is for loops only")


@Builtin
def syncthreads(compiler):
    """Synchronize all threads of the block."""
    return Data("__syncthreads()", t.VOID)


@Builtin
def syncwarp(compiler, *, mask=0xFFFFFFFF):
    """Synchronize threads of the warp.

    Parameters
    ----------
    mask : int, optional
        Bits of the lanes that take part. By default all.
    """
    code = operators.convert(compiler.scalar(mask), t.UINT32)
    return Data(f"__syncwarp({code})", t.VOID)


@Builtin
def laneid(compiler):
    """Return the lane index of this thread in its warp.

    Returns
    -------
    int
        Lane index, 0 to 31.
    """
    return Data("lane_id()", t.UINT32)


def _per_axis(compiler, ndim, what, form):
    count = known(ndim, "ndim")
    if not 1 <= count <= 3:
        raise ValueError(f"{what}(ndim) takes 1, 2 or 3, not {count}")
    # 64 bits in both modes: arrays have more elements than 32 bits count.
    values = [Data(f"({form.format(a=axis)})", t.INT64) for axis in "xyz"[:count]]
    return values[0] if count == 1 else Tuple(values)


@Builtin
def grid(compiler, ndim):
    """Return the position of this thread in the grid.

    Parameters
    ----------
    ndim : int
        Number of dimensions, 1 to 3, known when the kernel is compiled.

    Returns
    -------
    int or tuple of int
        Position along x, or along two or three axes.
    """
    return _per_axis(compiler, ndim, "grid", "threadIdx.{a} + (i64)blockIdx.{a} * blockDim.{a}")


@Builtin
def gridsize(compiler, ndim):
    """Return the number of threads of the grid.

    Parameters
    ----------
    ndim : int
        Number of dimensions, 1 to 3, known when the kernel is compiled.

    Returns
    -------
    int or tuple of int
        Number of threads along x, or along two or three axes.
    """
    return _per_axis(compiler, ndim, "gridsize", "(i64)blockDim.{a} * gridDim.{a}")


@Builtin
def shared_memory(compiler, dtype, size, alignment=None):
    """Create an array in the shared memory of the block.

    Parameters
    ----------
    dtype : dtype
        Type of the elements.
    size : int, tuple of int, or None
        Shape of the array. None takes the dynamic shared memory of the launch (`shared_mem`);
        `size` and `shape` of that array are unknown.
    alignment : int, optional
        Alignment of the array, in bytes.
    """
    name = compiler.fresh("shared")
    if isinstance(dtype, Const) and isinstance(dtype.value, t.Opaque):
        count = known(size, "size")
        compiler.declarations.append(f"__shared__ {dtype.value.cpp} {name}[{count}];")
        return Data(name, t.Storage(dtype.value))
    dtype = known_dtype(dtype)
    element = f"Raw<{t.cpp_name(dtype)}>"
    align = ""
    if not (isinstance(alignment, Const) and alignment.value is None):
        align = f"__align__({known(alignment, 'alignment')}) "
    if isinstance(size, Const) and size.value is None:
        shape = (0,)
        compiler.declarations.append("extern __shared__ __align__(16) u8 dynamic_shared[];")
        compiler.declarations[:] = dict.fromkeys(compiler.declarations)
        source = f"({element} *)dynamic_shared"
    else:
        is_tuple = isinstance(size, Tuple) or isinstance(getattr(size, "value", None), tuple)
        parts = compiler.items(size) if is_tuple else [size]
        shape = tuple(int(known(part, "size")) for part in parts)
        if any(length < 1 for length in shape):
            raise ValueError(f"size must be positive, not {shape}")
        count = 1
        for length in shape:
            count *= length
        compiler.declarations.append(f"__shared__ {align}{element} {name}[{count}];")
        source = name
    type_ = t.ArrayType(dtype, len(shape), True, True)
    extent = ", ".join(str(length) for length in shape)
    return Data(f"{type_.cpp}{{{source}, {{{{{extent}}}}}}}", type_, pure=False)


# ---- atomics -------------------------------------------------------------------------------------

_INTEGERS = "iu"
_WORDS = (t.INT32, t.UINT32, t.INT64, t.UINT64)


def _atomic(compiler, name, array, index, values, kinds="iuf"):
    if not (isinstance(array, Data) and isinstance(array.type, t.ArrayType)):
        raise TypeError(f"atomic_{name} takes an array first, not {array}")
    dtype = array.type.dtype
    letter = "f" if t.is_float(dtype) else dtype.kind
    if letter not in kinds:
        raise TypeError(f"atomic_{name} is not possible with {dtype}")
    indices = compiler.indices(array, index)
    if len(indices) != array.type.ndim:
        raise IndexError(f"{len(indices)} indices for {array.type}")
    codes = [operators.convert(compiler.scalar(value), dtype) for value in values]
    at = f"&{compiler.reference(array, indices)}"
    return Data(f"atomic_{name}({', '.join([at, *codes])})", dtype, pure=False)


_ATOMIC_DOC = """{summary}

    Parameters
    ----------
    array : array
        Array in device memory or in shared memory.
    index : int or tuple of int
        Index of the element.
    value : number
        Operand, converted to the array's dtype.
    alt_value : number
        New value, for `atomic_cas` only.

    Returns
    -------
    number
        Value of the element before the operation.
    """


def _define(name, summary, kinds):
    def emit(compiler, array, index, value, alt_value=None):
        return _atomic(compiler, name, array, index, [value], kinds)

    emit.__name__ = f"atomic_{name}"
    emit.__doc__ = _ATOMIC_DOC.format(summary=summary)
    return Builtin(emit)


atomic_add = _define("add", "Add `value` to an element atomically.", "iufc")
atomic_sub = _define("sub", "Subtract `value` from an element atomically.", "iufc")
atomic_exch = _define("exch", "Replace an element by `value` atomically.", "iuf")
atomic_min = _define("min", "Replace an element by its minimum with `value` atomically.", "iuf")
atomic_max = _define("max", "Replace an element by its maximum with `value` atomically.", "iuf")
atomic_inc = _define("inc", "Add 1 to an element atomically; `value` or more becomes 0.", "u")
atomic_dec = _define(
    "dec", "Subtract 1 from an element atomically; 0, or more than `value`, becomes `value`.", "u"
)
atomic_and = _define("and", "Combine an element with `value` by bitwise AND atomically.", _INTEGERS)
atomic_or = _define("or", "Combine an element with `value` by bitwise OR atomically.", _INTEGERS)
atomic_xor = _define("xor", "Combine an element with `value` by bitwise XOR atomically.", _INTEGERS)


def _cas(compiler, array, index, value, alt_value=None):
    if isinstance(alt_value, Const) and alt_value.value is None:
        raise TypeError("atomic_cas(array, index, value, alt_value) needs alt_value")
    return _atomic(compiler, "cas", array, index, [value, alt_value], "iuf")


_cas.__name__ = "atomic_cas"
_cas.__doc__ = _ATOMIC_DOC.format(
    summary="Replace an element by `alt_value` if it equals `value`, atomically."
)
atomic_cas = Builtin(_cas)


# ---- shuffles ------------------------------------------------------------------------------------


def _shuffle(compiler, how, mask, var, lane, width):
    var = operators.typed(compiler.mode, compiler.scalar(var))
    lanes = operators.convert(compiler.scalar(lane), t.INT32)
    mask = operators.convert(compiler.scalar(mask), t.UINT32)
    if not (isinstance(width, Const) and width.value in (2, 4, 8, 16, 32)):
        raise ValueError("width must be 2, 4, 8, 16 or 32, known while compiling")
    name = var.type.cpp
    code = f"shuffle<{how}, {name}>({mask}, {var.code}, (u32){lanes}, {width.value}u)"
    return Data(code, var.type, pure=False)


@Builtin
def shfl_sync(compiler, mask, var, val_id, *, width=32):
    """Return the value of a variable in a given lane.

    Parameters
    ----------
    mask : int
        Bits of the lanes that take part.
    var : number
        Value that this lane offers.
    val_id : int
        Index of the other lane in the group.
    width : int, optional
        Number of lanes of a group, a power of two up to 32.

    Returns
    -------
    number
        Value of `var` in the other lane.
    """
    return _shuffle(compiler, "FROM", mask, var, val_id, width)


@Builtin
def shfl_up_sync(compiler, mask, var, val_id, *, width=32):
    """Return the value of a variable in the lane with a lower index.

    Parameters
    ----------
    mask : int
        Bits of the lanes that take part.
    var : number
        Value that this lane offers.
    val_id : int
        Difference of the lane indices.
    width : int, optional
        Number of lanes of a group, a power of two up to 32.

    Returns
    -------
    number
        Value of `var` in the other lane.
    """
    return _shuffle(compiler, "UP", mask, var, val_id, width)


@Builtin
def shfl_down_sync(compiler, mask, var, val_id, *, width=32):
    """Return the value of a variable in the lane with a higher index.

    Parameters
    ----------
    mask : int
        Bits of the lanes that take part.
    var : number
        Value that this lane offers.
    val_id : int
        Difference of the lane indices.
    width : int, optional
        Number of lanes of a group, a power of two up to 32.

    Returns
    -------
    number
        Value of `var` in the other lane.
    """
    return _shuffle(compiler, "DOWN", mask, var, val_id, width)


@Builtin
def shfl_xor_sync(compiler, mask, var, val_id, *, width=32):
    """Return the value of a variable in the lane whose index is the xor of this one and a mask.

    Parameters
    ----------
    mask : int
        Bits of the lanes that take part.
    var : number
        Value that this lane offers.
    val_id : int
        Mask to combine with the lane index.
    width : int, optional
        Number of lanes of a group, a power of two up to 32.

    Returns
    -------
    number
        Value of `var` in the other lane.
    """
    return _shuffle(compiler, "XOR_LANES", mask, var, val_id, width)

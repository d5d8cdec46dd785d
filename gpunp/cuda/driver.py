"""The CUDA driver: modules, contexts and occupancy under its own names. Handles are ints."""

import ctypes
import functools

from gpunp._C import CUDADriverError, CUDALaunchError, Device, _library_paths

from .runtime import driverGetVersion

__all__ = [
    "CUDA_ERROR_INVALID_VALUE",
    "CU_AD_FORMAT_FLOAT",
    "CU_AD_FORMAT_HALF",
    "CU_AD_FORMAT_SIGNED_INT16",
    "CU_AD_FORMAT_SIGNED_INT32",
    "CU_AD_FORMAT_SIGNED_INT8",
    "CU_AD_FORMAT_UNSIGNED_INT16",
    "CU_AD_FORMAT_UNSIGNED_INT32",
    "CU_AD_FORMAT_UNSIGNED_INT8",
    "CU_FUNC_ATTRIBUTE_BINARY_VERSION",
    "CU_FUNC_ATTRIBUTE_CACHE_MODE_CA",
    "CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES",
    "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES",
    "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
    "CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK",
    "CU_FUNC_ATTRIBUTE_NUM_REGS",
    "CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT",
    "CU_FUNC_ATTRIBUTE_PTX_VERSION",
    "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES",
    "CU_JIT_CACHE_MODE",
    "CU_JIT_ERROR_LOG_BUFFER",
    "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES",
    "CU_JIT_FALLBACK_STRATEGY",
    "CU_JIT_FAST_COMPILE",
    "CU_JIT_FMA",
    "CU_JIT_FTZ",
    "CU_JIT_GENERATE_DEBUG_INFO",
    "CU_JIT_GENERATE_LINE_INFO",
    "CU_JIT_GLOBAL_SYMBOL_ADDRESSES",
    "CU_JIT_GLOBAL_SYMBOL_COUNT",
    "CU_JIT_GLOBAL_SYMBOL_NAMES",
    "CU_JIT_INFO_LOG_BUFFER",
    "CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES",
    "CU_JIT_INPUT_CUBIN",
    "CU_JIT_INPUT_FATBINARY",
    "CU_JIT_INPUT_LIBRARY",
    "CU_JIT_INPUT_NVVM",
    "CU_JIT_INPUT_OBJECT",
    "CU_JIT_INPUT_PTX",
    "CU_JIT_LOG_VERBOSE",
    "CU_JIT_LTO",
    "CU_JIT_MAX_REGISTERS",
    "CU_JIT_NEW_SM3X_OPT",
    "CU_JIT_OPTIMIZATION_LEVEL",
    "CU_JIT_PREC_DIV",
    "CU_JIT_PREC_SQRT",
    "CU_JIT_TARGET",
    "CU_JIT_TARGET_FROM_CUCONTEXT",
    "CU_JIT_THREADS_PER_BLOCK",
    "CU_JIT_WALL_TIME",
    "CU_TRSA_OVERRIDE_FORMAT",
    "CU_TRSF_NORMALIZED_COORDINATES",
    "CU_TRSF_READ_AS_INTEGER",
    "CU_TRSF_SRGB",
    "CU_TR_ADDRESS_MODE_BORDER",
    "CU_TR_ADDRESS_MODE_CLAMP",
    "CU_TR_ADDRESS_MODE_MIRROR",
    "CU_TR_ADDRESS_MODE_WRAP",
    "CU_TR_FILTER_MODE_LINEAR",
    "CU_TR_FILTER_MODE_POINT",
    "CUDADriverError",
    "CUDALaunchError",
    "check_status",
    "ctxGetCurrent",
    "ctxGetDevice",
    "driverGetVersion",
    "funcGetAttribute",
    "funcSetAttribute",
    "get_build_version",
    "launchCooperativeKernel",
    "launchKernel",
    "linkAddData",
    "linkAddFile",
    "linkComplete",
    "linkCreate",
    "linkDestroy",
    "moduleGetFunction",
    "moduleGetGlobal",
    "moduleLoad",
    "moduleLoadData",
    "moduleUnload",
    "occupancyMaxActiveBlocksPerMultiprocessor",
    "occupancyMaxPotentialBlockSize",
    "streamGetCtx",
]

CUDA_ERROR_INVALID_VALUE = 1
CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0
CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1
CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2
CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3
CU_FUNC_ATTRIBUTE_NUM_REGS = 4
CU_FUNC_ATTRIBUTE_PTX_VERSION = 5
CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6
CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7
CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
CU_AD_FORMAT_UNSIGNED_INT8 = 1
CU_AD_FORMAT_UNSIGNED_INT16 = 2
CU_AD_FORMAT_UNSIGNED_INT32 = 3
CU_AD_FORMAT_SIGNED_INT8 = 8
CU_AD_FORMAT_SIGNED_INT16 = 9
CU_AD_FORMAT_SIGNED_INT32 = 10
CU_AD_FORMAT_HALF = 16
CU_AD_FORMAT_FLOAT = 32
CU_JIT_MAX_REGISTERS = 0
CU_JIT_THREADS_PER_BLOCK = 1
CU_JIT_WALL_TIME = 2
CU_JIT_INFO_LOG_BUFFER = 3
CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4
CU_JIT_ERROR_LOG_BUFFER = 5
CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
CU_JIT_OPTIMIZATION_LEVEL = 7
CU_JIT_TARGET_FROM_CUCONTEXT = 8
CU_JIT_TARGET = 9
CU_JIT_FALLBACK_STRATEGY = 10
CU_JIT_GENERATE_DEBUG_INFO = 11
CU_JIT_LOG_VERBOSE = 12
CU_JIT_GENERATE_LINE_INFO = 13
CU_JIT_CACHE_MODE = 14
CU_JIT_NEW_SM3X_OPT = 15
CU_JIT_FAST_COMPILE = 16
CU_JIT_GLOBAL_SYMBOL_NAMES = 17
CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18
CU_JIT_GLOBAL_SYMBOL_COUNT = 19
CU_JIT_LTO = 20
CU_JIT_FTZ = 21
CU_JIT_PREC_DIV = 22
CU_JIT_PREC_SQRT = 23
CU_JIT_FMA = 24
CU_JIT_INPUT_CUBIN = 0
CU_JIT_INPUT_PTX = 1
CU_JIT_INPUT_FATBINARY = 2
CU_JIT_INPUT_OBJECT = 3
CU_JIT_INPUT_LIBRARY = 4
CU_JIT_INPUT_NVVM = 5
CU_TR_ADDRESS_MODE_WRAP = 0
CU_TR_ADDRESS_MODE_CLAMP = 1
CU_TR_ADDRESS_MODE_MIRROR = 2
CU_TR_ADDRESS_MODE_BORDER = 3
CU_TR_FILTER_MODE_POINT = 0
CU_TR_FILTER_MODE_LINEAR = 1
CU_TRSA_OVERRIDE_FORMAT = 1
CU_TRSF_READ_AS_INTEGER = 1
CU_TRSF_NORMALIZED_COORDINATES = 2
CU_TRSF_SRGB = 16


@functools.cache
def _library():
    return ctypes.CDLL(_library_paths()["driver"])


def _call(symbol, *arguments) -> None:
    """Call a function of the driver, in the context of the current device."""
    Device().use()
    check_status(getattr(_library(), symbol)(*arguments))


def _answer(symbol, kind, *arguments):
    """What a function stores at its first argument."""
    value = kind()
    _call(symbol, ctypes.byref(value), *arguments)
    return value.value or 0  # ctypes reads the address 0 as None


def get_build_version():
    """Return the oldest CUDA version that this build supports; it does not link to CUDA.

    Returns
    -------
    int
        Version as 1000 times the major plus 10 times the minor number.
    """
    return 12000


def check_status(status) -> None:
    """Raise `CUDADriverError` for a status that says that a function failed.

    Parameters
    ----------
    status : int
        What a function of the driver returned.
    """
    if status == 0:
        return
    Device().use()  # opens the driver
    name, text = ctypes.c_char_p(), ctypes.c_char_p()
    _library().cuGetErrorName(status, ctypes.byref(name))
    _library().cuGetErrorString(status, ctypes.byref(text))
    words = [part.value.decode() for part in (name, text) if part.value]
    error = CUDADriverError(": ".join(words) or f"CUDA error {status}")
    error.status = status
    raise error


# ---- contexts ------------------------------------------------------------------------------------


def ctxGetCurrent():
    """Return the context of the current device.

    Returns
    -------
    int
        Value of the CUcontext.
    """
    return _answer("cuCtxGetCurrent", ctypes.c_void_p)


def ctxGetDevice():
    """Return the device of the current context.

    Returns
    -------
    int
        Number of the device.
    """
    return _answer("cuCtxGetDevice", ctypes.c_int)


def streamGetCtx(stream):
    """Return the context of a stream.

    Parameters
    ----------
    stream : int
        Address of the stream.

    Returns
    -------
    int
        Value of the CUcontext.
    """
    value = ctypes.c_void_p()
    _call("cuStreamGetCtx", ctypes.c_void_p(stream), ctypes.byref(value))
    return value.value or 0


# ---- modules -------------------------------------------------------------------------------------


def moduleLoad(filename):
    """Load a module from a file.

    Parameters
    ----------
    filename : str
        Path of a cubin, fatbin or PTX file.

    Returns
    -------
    int
        Value of the CUmodule; see `moduleUnload`.
    """
    if not isinstance(filename, str):
        raise TypeError(f"filename is a str, not {type(filename).__name__}")
    return _answer("cuModuleLoad", ctypes.c_void_p, filename.encode())


def moduleLoadData(image):
    """Load a module from its image.

    Parameters
    ----------
    image : bytes
        A cubin, a fatbin, or the text of PTX.

    Returns
    -------
    int
        Value of the CUmodule; see `moduleUnload`.
    """
    if not isinstance(image, bytes):
        raise TypeError(f"image is of bytes, not {type(image).__name__}")
    return _answer("cuModuleLoadData", ctypes.c_void_p, image)


def moduleUnload(module) -> None:
    """Unload a module that no running kernel uses.

    Parameters
    ----------
    module : int
        Value of the CUmodule.
    """
    _call("cuModuleUnload", ctypes.c_void_p(module))


def moduleGetFunction(module, funcname):
    """Return a kernel of a module.

    Parameters
    ----------
    module : int
        Value of the CUmodule.
    funcname : str
        Mangled name of the kernel.

    Returns
    -------
    int
        Value of the CUfunction.
    """
    handle = ctypes.c_void_p(module)
    return _answer("cuModuleGetFunction", ctypes.c_void_p, handle, funcname.encode())


def moduleGetGlobal(module, varname):
    """Return the address of a variable of a module.

    Parameters
    ----------
    module : int
        Value of the CUmodule.
    varname : str
        Mangled name of the variable.

    Returns
    -------
    int
        Address on the device.
    """
    size, handle = ctypes.c_size_t(), ctypes.c_void_p(module)
    return _answer(
        "cuModuleGetGlobal_v2", ctypes.c_uint64, ctypes.byref(size), handle, varname.encode()
    )


# ---- occupancy -----------------------------------------------------------------------------------


def occupancyMaxActiveBlocksPerMultiprocessor(func, blockSize, dynamicSMemSize):
    """Return how many blocks of a kernel run on a multiprocessor at once.

    Parameters
    ----------
    func : int
        Value of the CUfunction, such as `kernel.kernel.ptr` of a `RawKernel`.
    blockSize : int
        Number of threads of a block.
    dynamicSMemSize : int
        Bytes of dynamic shared memory of a block.

    Returns
    -------
    int
        Number of blocks.

    Examples
    --------
    >>> import gpunp as cp
    >>> kernel = cp.RawKernel('extern "C" __global__ void f() {}', "f")
    >>> kernel.compile()
    >>> count = cp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
    >>> count(kernel.kernel.ptr, 256, 0) > 0
    True
    """
    return _answer(
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        ctypes.c_int,
        ctypes.c_void_p(func),
        ctypes.c_int(blockSize),
        ctypes.c_size_t(dynamicSMemSize),
    )


def occupancyMaxPotentialBlockSize(func, dynamicSMemSize, blockSizeLimit):
    """Return the size of block with which most threads of a kernel run at once.

    Parameters
    ----------
    func : int
        Value of the CUfunction, such as `kernel.kernel.ptr` of a `RawKernel`.
    dynamicSMemSize : int
        Bytes of dynamic shared memory of a block.
    blockSizeLimit : int
        Largest number of threads of a block; 0 is no limit.

    Returns
    -------
    tuple of int
        Least number of blocks that fill the device, and number of threads of a block.
    """
    grid, block = ctypes.c_int(), ctypes.c_int()
    _call(
        "cuOccupancyMaxPotentialBlockSize",
        ctypes.byref(grid),
        ctypes.byref(block),
        ctypes.c_void_p(func),
        None,
        ctypes.c_size_t(dynamicSMemSize),
        ctypes.c_int(blockSizeLimit),
    )
    return grid.value, block.value


# ---- kernels -------------------------------------------------------------------------------------


def funcGetAttribute(attribute, f):
    """Return an attribute of a kernel.

    Parameters
    ----------
    attribute : int
        One of the numbers `CU_FUNC_ATTRIBUTE_...`.
    f : int
        Value of the CUfunction.

    Returns
    -------
    int
        The attribute's value.
    """
    return _answer("cuFuncGetAttribute", ctypes.c_int, ctypes.c_int(attribute), ctypes.c_void_p(f))


def funcSetAttribute(f, attribute, value) -> None:
    """Set an attribute of a kernel, such as its dynamic shared memory.

    Parameters
    ----------
    f : int
        Value of the CUfunction.
    attribute : int
        One of the numbers `CU_FUNC_ATTRIBUTE_...`.
    value : int
        The attribute's new value.
    """
    _call("cuFuncSetAttribute", ctypes.c_void_p(f), ctypes.c_int(attribute), ctypes.c_int(value))


def _launch(name, f, sizes, addresses) -> None:
    words = [ctypes.c_uint(size) for size in sizes]
    _call(name, ctypes.c_void_p(f), *words, *map(ctypes.c_void_p, addresses))


def launchKernel(
    f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y, block_dim_z,
    shared_mem_bytes, stream, kernel_params, extra,
) -> None:  # fmt: skip
    """Launch a kernel; `RawKernel` does so with its arguments checked.

    Parameters
    ----------
    f : int
        Value of the CUfunction.
    grid_dim_x, grid_dim_y, grid_dim_z : int
        Numbers of blocks of the grid, by axis.
    block_dim_x, block_dim_y, block_dim_z : int
        Numbers of threads of a block, by axis.
    shared_mem_bytes : int
        Bytes of dynamic shared memory of a block.
    stream : int
        Address of the stream.
    kernel_params : int
        Address, on the host, of an array of the arguments' addresses.
    extra : int
        Address, on the host, of further options; 0 for none.

    Examples
    --------
    >>> import ctypes
    >>> import gpunp as cp
    >>> kernel = cp.RawKernel('extern "C" __global__ void f(int *x) { *x = 5; }', "f")
    >>> kernel.compile()
    >>> x = cp.zeros(1, cp.int32)
    >>> one = ctypes.c_void_p(x.data.ptr)
    >>> every = (ctypes.c_void_p * 1)(ctypes.addressof(one))
    >>> launch = cp.cuda.driver.launchKernel
    >>> launch(kernel.kernel.ptr, 1, 1, 1, 1, 1, 1, 0, 0, ctypes.addressof(every), 0)
    >>> x
    array([5], dtype=int32)
    """
    sizes = (grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y, block_dim_z)
    _launch("cuLaunchKernel", f, (*sizes, shared_mem_bytes), (stream, kernel_params, extra))


def launchCooperativeKernel(
    f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y, block_dim_z,
    shared_mem_bytes, stream, kernel_params,
) -> None:  # fmt: skip
    """Launch a kernel whose blocks all run at once, so that they can wait for each other.

    Parameters
    ----------
    f : int
        Value of the CUfunction.
    grid_dim_x, grid_dim_y, grid_dim_z : int
        Numbers of blocks of the grid, by axis.
    block_dim_x, block_dim_y, block_dim_z : int
        Numbers of threads of a block, by axis.
    shared_mem_bytes : int
        Bytes of dynamic shared memory of a block.
    stream : int
        Address of the stream.
    kernel_params : int
        Address, on the host, of an array of the arguments' addresses.
    """
    sizes = (grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y, block_dim_z)
    _launch("cuLaunchCooperativeKernel", f, (*sizes, shared_mem_bytes), (stream, kernel_params))


# ---- linker --------------------------------------------------------------------------------------


def linkCreate():
    """Begin to link.

    Returns
    -------
    int
        Value of the CUlinkState; see `linkDestroy`.
    """
    state = ctypes.c_void_p()
    _call("cuLinkCreate_v2", ctypes.c_uint(0), None, None, ctypes.byref(state))
    return state.value


def linkAddData(state, input_type, data, name) -> None:
    """Add an image to what is linked.

    Parameters
    ----------
    state : int
        Value of the CUlinkState.
    input_type : int
        One of the numbers `CU_JIT_INPUT_...`.
    data : bytes
        Cubin, fatbin, object, library, or the text of PTX.
    name : str
        Name of the image in messages.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, not {type(name).__name__}")
    length, words = ctypes.c_size_t(len(data)), (ctypes.c_uint(0), None, None)
    where = ctypes.c_void_p(state)
    _call("cuLinkAddData_v2", where, ctypes.c_int(input_type), data, length, name.encode(), *words)


def linkAddFile(state, input_type, path) -> None:
    """Add a file to what is linked.

    Parameters
    ----------
    state : int
        Value of the CUlinkState.
    input_type : int
        One of the numbers `CU_JIT_INPUT_...`.
    path : str
        Path of the file.
    """
    words = (ctypes.c_uint(0), None, None)
    where = ctypes.c_void_p(state)
    _call("cuLinkAddFile_v2", where, ctypes.c_int(input_type), str(path).encode(), *words)


def linkComplete(state):
    """Link what was added.

    Parameters
    ----------
    state : int
        Value of the CUlinkState.

    Returns
    -------
    bytes
        The cubin, for `moduleLoadData`.
    """
    image, size = ctypes.c_void_p(), ctypes.c_size_t()
    _call("cuLinkComplete", ctypes.c_void_p(state), ctypes.byref(image), ctypes.byref(size))
    return ctypes.string_at(image.value, size.value)


def linkDestroy(state) -> None:
    """End a link, and free its image.

    Parameters
    ----------
    state : int
        Value of the CUlinkState.
    """
    _call("cuLinkDestroy", ctypes.c_void_p(state))

"""The CUDA driver: modules, contexts and occupancy under its own names. Handles are ints."""

import ctypes
import functools

from gpunp._C import CUDADriverError, Device, _library_paths

from .runtime import driverGetVersion

__all__ = [
    "CUDA_ERROR_INVALID_VALUE",
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
    "CUDADriverError",
    "check_status",
    "ctxGetCurrent",
    "ctxGetDevice",
    "driverGetVersion",
    "get_build_version",
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

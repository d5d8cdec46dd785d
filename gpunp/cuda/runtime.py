"""Functions of the CUDA runtime under their names, implemented on the driver and the primary
context.
"""

from typing import TYPE_CHECKING, Any

from gpunp import _C
from gpunp._C import CUDADriverError as CUDARuntimeError

_runtime = _C.runtime

# The functions and the error codes (cudaErrorInvalidValue ...).
globals().update({k: v for k, v in vars(_runtime).items() if not k.startswith("_")})
for _function in filter(callable, vars(_runtime).values()):
    _function.__module__ = __name__  # where a pickle finds it

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# cudaMemcpyKind
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4

# cudaMemoryType
cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged = range(
    4
)
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)

# Flags
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
cudaMemAttachGlobal, cudaMemAttachHost, cudaMemAttachSingle = 1, 2, 4
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4

# cudaLimit
cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize = range(3)

# cudaMemoryAdvise
cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly = 1, 2
cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation = 3, 4
cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy = 5, 6

# cudaMemPoolAttr
cudaMemPoolReuseFollowEventDependencies = 1
cudaMemPoolReuseAllowOpportunistic = 2
cudaMemPoolReuseAllowInternalDependencies = 3
cudaMemPoolAttrReleaseThreshold = 4
cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh = 5, 6
cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh = 7, 8

cudaCpuDeviceId = -1
cudaInvalidDeviceId = -2
errorContextIsDestroyed = _runtime.cudaErrorContextIsDestroyed
errorInvalidResourceHandle = _runtime.cudaErrorInvalidResourceHandle
errorInvalidValue = _runtime.cudaErrorInvalidValue
errorMemoryAllocation = _runtime.cudaErrorMemoryAllocation
errorNotReady = _runtime.cudaErrorNotReady
errorPeerAccessAlreadyEnabled = _runtime.cudaErrorPeerAccessAlreadyEnabled
is_hip = False


class PointerAttributes:
    """Attributes of an address.

    Parameters
    ----------
    device : int
        Ordinal of the device that holds the memory.
    devicePointer : int
        Address on the device, or 0.
    hostPointer : int
        Address on the host, or 0.
    type : int
        Type of memory, one of the constants `cudaMemoryType...`.
    """

    __slots__ = ("device", "devicePointer", "hostPointer", "type")

    def __init__(self, device, devicePointer, hostPointer, type):
        self.device = device
        self.devicePointer = devicePointer
        self.hostPointer = hostPointer
        self.type = type

    def __repr__(self):
        return (
            f"PointerAttributes(device={self.device}, devicePointer={self.devicePointer:#x}, "
            f"hostPointer={self.hostPointer:#x}, type={self.type})"
        )


def pointerGetAttributes(ptr):
    """Return the attributes of an address.

    Parameters
    ----------
    ptr : int
        Address in host or device memory.

    Returns
    -------
    PointerAttributes
        Attributes of the address.
    """
    return PointerAttributes(*_runtime._pointerGetAttributes(ptr))


def pointerGetMemoryType(ptr):
    """Return the type of memory that contains an address, a `cudaMemoryType...`.

    Parameters
    ----------
    ptr : int
        Address in host or device memory.

    Returns
    -------
    int
        One of the constants `cudaMemoryType...`.
    """
    return pointerGetAttributes(ptr).type


class MemPoolProps:
    """Properties of a memory pool of the driver.

    Parameters
    ----------
    allocType : int
        Type of allocation, one of the constants `cudaMemAllocationType...`.
    handleType : int
        Type of handles for other processes, one of the constants `cudaMemHandleType...`.
    locationType : int
        Type of location, one of the constants `cudaMemLocationType...`.
    devId : int
        Ordinal of the device that holds the memory.
    """

    __slots__ = ("allocType", "devId", "handleType", "locationType")

    def __init__(self, allocType, handleType, locationType, devId):
        self.allocType = allocType
        self.handleType = handleType
        self.locationType = locationType
        self.devId = devId


def memPoolCreate(props):
    """Create a memory pool of the driver.

    Parameters
    ----------
    props : MemPoolProps
        Properties of the new pool.

    Returns
    -------
    int
        Handle for `mallocFromPoolAsync` and `MemoryAsyncPool`.
    """
    return _runtime._memPoolCreate(
        props.allocType, props.handleType, props.locationType, props.devId
    )


def launchHostFunc(stream, callback, arg) -> None:
    """Call callback(arg) on the host, in the order of a stream.

    Parameters
    ----------
    stream : int
        Pointer of the stream.
    callback : callable
        Function to call; it must not call CUDA.
    arg : object
        Argument that is passed to the function.
    """
    _C.ExternalStream(stream).launch_host_func(callback, arg)


def streamAddCallback(stream, callback, arg, flags=0) -> None:
    """Call callback(stream, status, arg) on the host, in the order of a stream.

    Parameters
    ----------
    stream : int
        Pointer of the stream, which is also passed to the function.
    callback : callable
        Function to call; it must not call CUDA.
    arg : object
        Last argument of the function.
    flags : int, optional
        Reserved by CUDA; it must be 0.
    """
    launchHostFunc(stream, lambda arg: callback(stream, 0, arg), arg)


# Field of cudaDeviceProp: the number of its attribute, or a list of them.
_PROPERTIES = {
    "sharedMemPerBlock": 8,
    "regsPerBlock": 12,
    "warpSize": 10,
    "memPitch": 11,
    "maxThreadsPerBlock": 1,
    "maxThreadsDim": [2, 3, 4],
    "maxGridSize": [5, 6, 7],
    "clockRate": 13,
    "totalConstMem": 9,
    "major": 75,
    "minor": 76,
    "textureAlignment": 14,
    "texturePitchAlignment": 51,
    "deviceOverlap": 15,
    "multiProcessorCount": 16,
    "kernelExecTimeoutEnabled": 17,
    "integrated": 18,
    "canMapHostMemory": 19,
    "computeMode": 20,
    "maxTexture1D": 21,
    "maxTexture1DLinear": 69,
    "maxTexture1DMipmap": 77,
    "maxTexture2D": [22, 23],
    "maxTexture2DLinear": [70, 71, 72],
    "maxTexture2DMipmap": [73, 74],
    "maxTexture2DGather": [45, 46],
    "maxTexture3D": [24, 25, 26],
    "maxTexture3DAlt": [47, 48, 49],
    "maxTextureCubemap": 52,
    "maxTexture1DLayered": [42, 43],
    "maxTexture2DLayered": [27, 28, 29],
    "maxTextureCubemapLayered": [53, 54],
    "maxSurface1D": 55,
    "maxSurface2D": [56, 57],
    "maxSurface3D": [58, 59, 60],
    "maxSurface1DLayered": [61, 62],
    "maxSurface2DLayered": [63, 64, 65],
    "maxSurfaceCubemap": 66,
    "maxSurfaceCubemapLayered": [67, 68],
    "surfaceAlignment": 30,
    "concurrentKernels": 31,
    "ECCEnabled": 32,
    "pciBusID": 33,
    "pciDeviceID": 34,
    "pciDomainID": 50,
    "tccDriver": 35,
    "asyncEngineCount": 40,
    "unifiedAddressing": 41,
    "memoryClockRate": 36,
    "memoryBusWidth": 37,
    "l2CacheSize": 38,
    "maxThreadsPerMultiProcessor": 39,
    "streamPrioritiesSupported": 78,
    "globalL1CacheSupported": 79,
    "localL1CacheSupported": 80,
    "sharedMemPerMultiprocessor": 81,
    "regsPerMultiprocessor": 82,
    "managedMemory": 83,
    "isMultiGpuBoard": 84,
    "multiGpuBoardGroupID": 85,
    "hostNativeAtomicSupported": 86,
    "singleToDoublePrecisionPerfRatio": 87,
    "pageableMemoryAccess": 88,
    "concurrentManagedAccess": 89,
    "computePreemptionSupported": 90,
    "canUseHostPointerForRegisteredMem": 91,
    "cooperativeLaunch": 95,
    "cooperativeMultiDeviceLaunch": 96,
    "sharedMemPerBlockOptin": 97,
    "pageableMemoryAccessUsesHostPageTables": 100,
    "directManagedMemAccessFromHost": 101,
    "maxBlocksPerMultiProcessor": 106,
    "persistingL2CacheMaxSize": 108,
    "accessPolicyMaxWindowSize": 109,
    "reservedSharedMemPerBlock": 111,
}


def _attribute(number, device):
    try:
        return _runtime.deviceGetAttribute(number, device)
    except CUDARuntimeError as error:  # newer than the driver, or removed from it
        if error.status != _runtime.cudaErrorInvalidValue:
            raise
        return 0


def getDeviceProperties(device):
    """Return the properties of a device.

    Parameters
    ----------
    device : int
        Ordinal of the device.

    Returns
    -------
    dict
        The fields of cudaDeviceProp by name; `name` and `uuid` are bytes.
    """
    properties = {
        "name": _runtime._deviceName(device),
        "totalGlobalMem": _runtime._deviceTotalMem(device),
    }
    for field, number in _PROPERTIES.items():
        if isinstance(number, list):
            properties[field] = tuple(_attribute(n, device) for n in number)
        else:
            properties[field] = _attribute(number, device)
    properties["uuid"] = _runtime._deviceUuid(device)
    return properties


__all__ = [name for name in globals() if not name.startswith("_")]

# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.cuda.driver import driverGetVersion as driverGetVersion

Any: _t.Any
CUDARuntimeError = _g.cuda.CUDADriverError
CUDA_C_16F: _b.int
CUDA_C_32F: _b.int
CUDA_C_64F: _b.int
CUDA_C_8I: _b.int
CUDA_C_8U: _b.int
CUDA_R_16BF: _b.int
CUDA_R_16F: _b.int
CUDA_R_32F: _b.int
CUDA_R_64F: _b.int
CUDA_R_8I: _b.int
CUDA_R_8U: _b.int
class MemPoolProps:
    def __init__(self, allocType: _t.SupportsIndex, handleType: _t.SupportsIndex, locationType: _t.SupportsIndex, devId: _t.SupportsIndex) -> None: ...
    allocType: _t.Any
    devId: _t.Any
    handleType: _t.Any
    locationType: _t.Any
class PointerAttributes:
    def __init__(self, device: _t.SupportsIndex, devicePointer: _t.SupportsIndex, hostPointer: _t.SupportsIndex, type: _t.SupportsIndex) -> None: ...
    device: _t.Any
    devicePointer: _t.Any
    hostPointer: _t.Any
    type: _t.Any
TYPE_CHECKING: _b.bool
def check_status(status: _t.SupportsIndex) -> None: ...
def createSurfaceObject(ResDescPtr: _t.SupportsIndex) -> _b.int: ...
def createTextureObject(ResDescPtr: _t.SupportsIndex, TexDescPtr: _t.SupportsIndex) -> _b.int: ...
cudaAddressModeBorder: _b.int
cudaAddressModeClamp: _b.int
cudaAddressModeMirror: _b.int
cudaAddressModeWrap: _b.int
cudaArrayDefault: _b.int
cudaArraySurfaceLoadStore: _b.int
cudaChannelFormatKindFloat: _b.int
cudaChannelFormatKindNone: _b.int
cudaChannelFormatKindSigned: _b.int
cudaChannelFormatKindUnsigned: _b.int
cudaCpuDeviceId: _b.int
cudaDevAttrAsyncEngineCount: _b.int
cudaDevAttrCanFlushRemoteWrites: _b.int
cudaDevAttrCanMapHostMemory: _b.int
cudaDevAttrCanUseHostPointerForRegisteredMem: _b.int
cudaDevAttrClockRate: _b.int
cudaDevAttrComputeMode: _b.int
cudaDevAttrComputePreemptionSupported: _b.int
cudaDevAttrConcurrentKernels: _b.int
cudaDevAttrConcurrentManagedAccess: _b.int
cudaDevAttrCooperativeLaunch: _b.int
cudaDevAttrCooperativeMultiDeviceLaunch: _b.int
cudaDevAttrDirectManagedMemAccessFromHost: _b.int
cudaDevAttrEccEnabled: _b.int
cudaDevAttrGPUDirectRDMAFlushWritesOptions: _b.int
cudaDevAttrGPUDirectRDMASupported: _b.int
cudaDevAttrGPUDirectRDMAWritesOrdering: _b.int
cudaDevAttrGlobalL1CacheSupported: _b.int
cudaDevAttrGlobalMemoryBusWidth: _b.int
cudaDevAttrGpuOverlap: _b.int
cudaDevAttrHostNativeAtomicSupported: _b.int
cudaDevAttrHostRegisterReadOnlySupported: _b.int
cudaDevAttrHostRegisterSupported: _b.int
cudaDevAttrIntegrated: _b.int
cudaDevAttrIsMultiGpuBoard: _b.int
cudaDevAttrKernelExecTimeout: _b.int
cudaDevAttrL2CacheSize: _b.int
cudaDevAttrLocalL1CacheSupported: _b.int
cudaDevAttrManagedMemory: _b.int
cudaDevAttrMaxBlockDimX: _b.int
cudaDevAttrMaxBlockDimY: _b.int
cudaDevAttrMaxBlockDimZ: _b.int
cudaDevAttrMaxBlocksPerMultiprocessor: _b.int
cudaDevAttrMaxGridDimX: _b.int
cudaDevAttrMaxGridDimY: _b.int
cudaDevAttrMaxGridDimZ: _b.int
cudaDevAttrMaxPitch: _b.int
cudaDevAttrMaxRegistersPerBlock: _b.int
cudaDevAttrMaxRegistersPerMultiprocessor: _b.int
cudaDevAttrMaxSharedMemoryPerBlock: _b.int
cudaDevAttrMaxSharedMemoryPerBlockOptin: _b.int
cudaDevAttrMaxSharedMemoryPerMultiprocessor: _b.int
cudaDevAttrMaxSurface1DLayeredLayers: _b.int
cudaDevAttrMaxSurface1DLayeredWidth: _b.int
cudaDevAttrMaxSurface1DWidth: _b.int
cudaDevAttrMaxSurface2DHeight: _b.int
cudaDevAttrMaxSurface2DLayeredHeight: _b.int
cudaDevAttrMaxSurface2DLayeredLayers: _b.int
cudaDevAttrMaxSurface2DLayeredWidth: _b.int
cudaDevAttrMaxSurface2DWidth: _b.int
cudaDevAttrMaxSurface3DDepth: _b.int
cudaDevAttrMaxSurface3DHeight: _b.int
cudaDevAttrMaxSurface3DWidth: _b.int
cudaDevAttrMaxSurfaceCubemapLayeredLayers: _b.int
cudaDevAttrMaxSurfaceCubemapLayeredWidth: _b.int
cudaDevAttrMaxSurfaceCubemapWidth: _b.int
cudaDevAttrMaxTexture1DLayeredLayers: _b.int
cudaDevAttrMaxTexture1DLayeredWidth: _b.int
cudaDevAttrMaxTexture1DLinearWidth: _b.int
cudaDevAttrMaxTexture1DMipmappedWidth: _b.int
cudaDevAttrMaxTexture1DWidth: _b.int
cudaDevAttrMaxTexture2DGatherHeight: _b.int
cudaDevAttrMaxTexture2DGatherWidth: _b.int
cudaDevAttrMaxTexture2DHeight: _b.int
cudaDevAttrMaxTexture2DLayeredHeight: _b.int
cudaDevAttrMaxTexture2DLayeredLayers: _b.int
cudaDevAttrMaxTexture2DLayeredWidth: _b.int
cudaDevAttrMaxTexture2DLinearHeight: _b.int
cudaDevAttrMaxTexture2DLinearPitch: _b.int
cudaDevAttrMaxTexture2DLinearWidth: _b.int
cudaDevAttrMaxTexture2DMipmappedHeight: _b.int
cudaDevAttrMaxTexture2DMipmappedWidth: _b.int
cudaDevAttrMaxTexture2DWidth: _b.int
cudaDevAttrMaxTexture3DDepth: _b.int
cudaDevAttrMaxTexture3DDepthAlt: _b.int
cudaDevAttrMaxTexture3DHeight: _b.int
cudaDevAttrMaxTexture3DHeightAlt: _b.int
cudaDevAttrMaxTexture3DWidth: _b.int
cudaDevAttrMaxTexture3DWidthAlt: _b.int
cudaDevAttrMaxTextureCubemapLayeredLayers: _b.int
cudaDevAttrMaxTextureCubemapLayeredWidth: _b.int
cudaDevAttrMaxTextureCubemapWidth: _b.int
cudaDevAttrMaxThreadsPerBlock: _b.int
cudaDevAttrMaxThreadsPerMultiProcessor: _b.int
cudaDevAttrMaxTimelineSemaphoreInteropSupported: _b.int
cudaDevAttrMemoryClockRate: _b.int
cudaDevAttrMemoryPoolSupportedHandleTypes: _b.int
cudaDevAttrMemoryPoolsSupported: _b.int
cudaDevAttrMultiGpuBoardGroupID: _b.int
cudaDevAttrMultiProcessorCount: _b.int
cudaDevAttrPageableMemoryAccess: _b.int
cudaDevAttrPageableMemoryAccessUsesHostPageTables: _b.int
cudaDevAttrPciBusId: _b.int
cudaDevAttrPciDeviceId: _b.int
cudaDevAttrPciDomainId: _b.int
cudaDevAttrReserved92: _b.int
cudaDevAttrReserved93: _b.int
cudaDevAttrReserved94: _b.int
cudaDevAttrReservedSharedMemoryPerBlock: _b.int
cudaDevAttrSingleToDoublePrecisionPerfRatio: _b.int
cudaDevAttrSparseCudaArraySupported: _b.int
cudaDevAttrStreamPrioritiesSupported: _b.int
cudaDevAttrSurfaceAlignment: _b.int
cudaDevAttrTccDriver: _b.int
cudaDevAttrTextureAlignment: _b.int
cudaDevAttrTexturePitchAlignment: _b.int
cudaDevAttrTotalConstantMemory: _b.int
cudaDevAttrUnifiedAddressing: _b.int
cudaDevAttrWarpSize: _b.int
cudaErrorAddressOfConstant: _b.int
cudaErrorAlreadyAcquired: _b.int
cudaErrorAlreadyMapped: _b.int
cudaErrorArrayIsMapped: _b.int
cudaErrorAssert: _b.int
cudaErrorCallRequiresNewerDriver: _b.int
cudaErrorCapturedEvent: _b.int
cudaErrorCdpNotSupported: _b.int
cudaErrorCdpVersionMismatch: _b.int
cudaErrorCompatNotSupportedOnDevice: _b.int
cudaErrorContained: _b.int
cudaErrorContextIsDestroyed: _b.int
cudaErrorCooperativeLaunchTooLarge: _b.int
cudaErrorCudartUnloading: _b.int
cudaErrorDeviceAlreadyInUse: _b.int
cudaErrorDeviceNotLicensed: _b.int
cudaErrorDeviceUninitialized: _b.int
cudaErrorDevicesUnavailable: _b.int
cudaErrorDuplicateSurfaceName: _b.int
cudaErrorDuplicateTextureName: _b.int
cudaErrorDuplicateVariableName: _b.int
cudaErrorECCUncorrectable: _b.int
cudaErrorExternalDevice: _b.int
cudaErrorFileNotFound: _b.int
cudaErrorFunctionNotLoaded: _b.int
cudaErrorGraphExecUpdateFailure: _b.int
cudaErrorHardwareStackError: _b.int
cudaErrorHostMemoryAlreadyRegistered: _b.int
cudaErrorHostMemoryNotRegistered: _b.int
cudaErrorIllegalAddress: _b.int
cudaErrorIllegalInstruction: _b.int
cudaErrorIllegalState: _b.int
cudaErrorIncompatibleDriverContext: _b.int
cudaErrorInitializationError: _b.int
cudaErrorInsufficientDriver: _b.int
cudaErrorInvalidAddressSpace: _b.int
cudaErrorInvalidChannelDescriptor: _b.int
cudaErrorInvalidClusterSize: _b.int
cudaErrorInvalidConfiguration: _b.int
cudaErrorInvalidDevice: _b.int
cudaErrorInvalidDeviceFunction: _b.int
cudaErrorInvalidDevicePointer: _b.int
cudaErrorInvalidFilterSetting: _b.int
cudaErrorInvalidGraphicsContext: _b.int
cudaErrorInvalidHostPointer: _b.int
cudaErrorInvalidKernelImage: _b.int
cudaErrorInvalidMemcpyDirection: _b.int
cudaErrorInvalidNormSetting: _b.int
cudaErrorInvalidPc: _b.int
cudaErrorInvalidPitchValue: _b.int
cudaErrorInvalidPtx: _b.int
cudaErrorInvalidResourceConfiguration: _b.int
cudaErrorInvalidResourceHandle: _b.int
cudaErrorInvalidResourceType: _b.int
cudaErrorInvalidSource: _b.int
cudaErrorInvalidSurface: _b.int
cudaErrorInvalidSymbol: _b.int
cudaErrorInvalidTexture: _b.int
cudaErrorInvalidTextureBinding: _b.int
cudaErrorInvalidValue: _b.int
cudaErrorJitCompilationDisabled: _b.int
cudaErrorJitCompilerNotFound: _b.int
cudaErrorLaunchFailure: _b.int
cudaErrorLaunchFileScopedSurf: _b.int
cudaErrorLaunchFileScopedTex: _b.int
cudaErrorLaunchIncompatibleTexturing: _b.int
cudaErrorLaunchMaxDepthExceeded: _b.int
cudaErrorLaunchOutOfResources: _b.int
cudaErrorLaunchPendingCountExceeded: _b.int
cudaErrorLaunchTimeout: _b.int
cudaErrorLossyQuery: _b.int
cudaErrorMapBufferObjectFailed: _b.int
cudaErrorMemoryAllocation: _b.int
cudaErrorMemoryValueTooLarge: _b.int
cudaErrorMisalignedAddress: _b.int
cudaErrorMissingConfiguration: _b.int
cudaErrorMixedDeviceExecution: _b.int
cudaErrorMpsClientTerminated: _b.int
cudaErrorMpsConnectionFailed: _b.int
cudaErrorMpsMaxClientsReached: _b.int
cudaErrorMpsMaxConnectionsReached: _b.int
cudaErrorMpsRpcFailure: _b.int
cudaErrorMpsServerNotReady: _b.int
cudaErrorNoDevice: _b.int
cudaErrorNoKernelImageForDevice: _b.int
cudaErrorNotMapped: _b.int
cudaErrorNotMappedAsArray: _b.int
cudaErrorNotMappedAsPointer: _b.int
cudaErrorNotPermitted: _b.int
cudaErrorNotReady: _b.int
cudaErrorNotSupported: _b.int
cudaErrorNotYetImplemented: _b.int
cudaErrorNvlinkUncorrectable: _b.int
cudaErrorOperatingSystem: _b.int
cudaErrorPeerAccessAlreadyEnabled: _b.int
cudaErrorPeerAccessNotEnabled: _b.int
cudaErrorPeerAccessUnsupported: _b.int
cudaErrorPriorLaunchFailure: _b.int
cudaErrorProfilerAlreadyStarted: _b.int
cudaErrorProfilerAlreadyStopped: _b.int
cudaErrorProfilerDisabled: _b.int
cudaErrorProfilerNotInitialized: _b.int
cudaErrorSetOnActiveProcess: _b.int
cudaErrorSharedObjectInitFailed: _b.int
cudaErrorSharedObjectSymbolNotFound: _b.int
cudaErrorSoftwareValidityNotEstablished: _b.int
cudaErrorStartupFailure: _b.int
cudaErrorStreamCaptureImplicit: _b.int
cudaErrorStreamCaptureInvalidated: _b.int
cudaErrorStreamCaptureIsolation: _b.int
cudaErrorStreamCaptureMerge: _b.int
cudaErrorStreamCaptureUnjoined: _b.int
cudaErrorStreamCaptureUnmatched: _b.int
cudaErrorStreamCaptureUnsupported: _b.int
cudaErrorStreamCaptureWrongThread: _b.int
cudaErrorStubLibrary: _b.int
cudaErrorSymbolNotFound: _b.int
cudaErrorSyncDepthExceeded: _b.int
cudaErrorSynchronizationError: _b.int
cudaErrorSystemDriverMismatch: _b.int
cudaErrorSystemNotReady: _b.int
cudaErrorTensorMemoryLeak: _b.int
cudaErrorTextureFetchFailed: _b.int
cudaErrorTextureNotBound: _b.int
cudaErrorTimeout: _b.int
cudaErrorTooManyPeers: _b.int
cudaErrorUnknown: _b.int
cudaErrorUnmapBufferObjectFailed: _b.int
cudaErrorUnsupportedDevSideSync: _b.int
cudaErrorUnsupportedExecAffinity: _b.int
cudaErrorUnsupportedLimit: _b.int
cudaErrorUnsupportedPtxVersion: _b.int
cudaFilterModeLinear: _b.int
cudaFilterModePoint: _b.int
cudaGraphDebugDotFlagsConditionalNodeParams: _b.int
cudaGraphDebugDotFlagsEventNodeParams: _b.int
cudaGraphDebugDotFlagsExtSemasSignalNodeParams: _b.int
cudaGraphDebugDotFlagsExtSemasWaitNodeParams: _b.int
cudaGraphDebugDotFlagsHandles: _b.int
cudaGraphDebugDotFlagsHostNodeParams: _b.int
cudaGraphDebugDotFlagsKernelNodeAttributes: _b.int
cudaGraphDebugDotFlagsKernelNodeParams: _b.int
cudaGraphDebugDotFlagsMemcpyNodeParams: _b.int
cudaGraphDebugDotFlagsMemsetNodeParams: _b.int
cudaGraphDebugDotFlagsVerbose: _b.int
cudaInvalidDeviceId: _b.int
cudaIpcMemLazyEnablePeerAccess: _b.int
cudaLimitDevRuntimePendingLaunchCount: _b.int
cudaLimitDevRuntimeSyncDepth: _b.int
cudaLimitMallocHeapSize: _b.int
cudaLimitMaxL2FetchGranularity: _b.int
cudaLimitPrintfFifoSize: _b.int
cudaLimitStackSize: _b.int
cudaMemAdviseSetAccessedBy: _b.int
cudaMemAdviseSetPreferredLocation: _b.int
cudaMemAdviseSetReadMostly: _b.int
cudaMemAdviseUnsetAccessedBy: _b.int
cudaMemAdviseUnsetPreferredLocation: _b.int
cudaMemAdviseUnsetReadMostly: _b.int
cudaMemAllocationTypePinned: _b.int
cudaMemAttachGlobal: _b.int
cudaMemAttachHost: _b.int
cudaMemAttachSingle: _b.int
cudaMemHandleTypeNone: _b.int
cudaMemHandleTypePosixFileDescriptor: _b.int
cudaMemLocationTypeDevice: _b.int
cudaMemLocationTypeHost: _b.int
cudaMemLocationTypeHostNuma: _b.int
cudaMemLocationTypeHostNumaCurrent: _b.int
cudaMemLocationTypeInvalid: _b.int
cudaMemPoolAttrReleaseThreshold: _b.int
cudaMemPoolAttrReservedMemCurrent: _b.int
cudaMemPoolAttrReservedMemHigh: _b.int
cudaMemPoolAttrUsedMemCurrent: _b.int
cudaMemPoolAttrUsedMemHigh: _b.int
cudaMemPoolReuseAllowInternalDependencies: _b.int
cudaMemPoolReuseAllowOpportunistic: _b.int
cudaMemPoolReuseFollowEventDependencies: _b.int
cudaMemoryTypeDevice: _b.int
cudaMemoryTypeHost: _b.int
cudaMemoryTypeManaged: _b.int
cudaMemoryTypeUnregistered: _b.int
cudaReadModeElementType: _b.int
cudaReadModeNormalizedFloat: _b.int
cudaResourceTypeArray: _b.int
cudaResourceTypeLinear: _b.int
cudaResourceTypeMipmappedArray: _b.int
cudaResourceTypePitch2D: _b.int
def destroySurfaceObject(surfObject: _t.SupportsIndex) -> None: ...
def destroyTextureObject(texObject: _t.SupportsIndex) -> None: ...
deviceAttributeComputeCapabilityMajor: _b.int
deviceAttributeComputeCapabilityMinor: _b.int
def deviceCanAccessPeer(device: _t.SupportsIndex, peerDevice: _t.SupportsIndex) -> _b.int: ...
def deviceDisablePeerAccess(peerDevice: _t.SupportsIndex) -> None: ...
def deviceEnablePeerAccess(peerDevice: _t.SupportsIndex) -> None: ...
def deviceGetAttribute(attrib: _t.SupportsIndex, device: _t.SupportsIndex) -> _b.int: ...
def deviceGetByPCIBusId(pciBusId: _b.str) -> _b.int: ...
def deviceGetDefaultMemPool(device: _t.SupportsIndex) -> _b.int: ...
def deviceGetLimit(limit: _t.SupportsIndex) -> _b.int: ...
def deviceGetMemPool(device: _t.SupportsIndex) -> _b.int: ...
def deviceGetPCIBusId(device: _t.SupportsIndex) -> _b.str: ...
def deviceGetStreamPriorityRange() -> _b.tuple[_b.int, _b.int]: ...
def deviceSetLimit(limit: _t.SupportsIndex, value: _t.SupportsIndex) -> None: ...
def deviceSetMemPool(device: _t.SupportsIndex, pool: _t.SupportsIndex) -> None: ...
def deviceSynchronize() -> None: ...
errorContextIsDestroyed: _b.int
errorInvalidResourceHandle: _b.int
errorInvalidValue: _b.int
errorMemoryAllocation: _b.int
errorNotReady: _b.int
errorPeerAccessAlreadyEnabled: _b.int
eventBlockingSync: _b.int
def eventCreate() -> _b.int: ...
def eventCreateWithFlags(flags: _t.SupportsIndex) -> _b.int: ...
eventDefault: _b.int
def eventDestroy(event: _t.SupportsIndex) -> None: ...
eventDisableTiming: _b.int
def eventElapsedTime(start: _t.SupportsIndex, end: _t.SupportsIndex) -> _b.float: ...
eventInterprocess: _b.int
def eventQuery(event: _t.SupportsIndex) -> _b.int: ...
def eventRecord(event: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def eventSynchronize(event: _t.SupportsIndex) -> None: ...
def free(ptr: _t.SupportsIndex) -> None: ...
def freeArray(ptr: _t.SupportsIndex) -> None: ...
def freeAsync(ptr: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def freeHost(ptr: _t.SupportsIndex) -> None: ...
def getDevice() -> _b.int: ...
def getDeviceCount() -> _b.int: ...
def getDeviceProperties(device: _t.SupportsIndex) -> _b.dict[_t.Any, _t.Any]: ...
def graphDebugDotPrint(graph: _t.SupportsIndex, path: _b.str, flags: _t.SupportsIndex) -> None: ...
def graphDestroy(graph: _t.SupportsIndex) -> None: ...
def graphExecDestroy(graphExec: _t.SupportsIndex) -> None: ...
def graphInstantiate(graph: _t.SupportsIndex) -> _b.int: ...
def graphLaunch(graphExec: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def graphUpload(graphExec: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def hostAlloc(size: _t.SupportsIndex, flags: _t.SupportsIndex = 0) -> _b.int: ...
hostAllocDefault: _b.int
hostAllocMapped: _b.int
hostAllocPortable: _b.int
hostAllocWriteCombined: _b.int
def hostRegister(ptr: _t.SupportsIndex, size: _t.SupportsIndex, flags: _t.SupportsIndex = 0) -> None: ...
def hostUnregister(ptr: _t.SupportsIndex) -> None: ...
def ipcCloseMemHandle(devPtr: _t.SupportsIndex) -> None: ...
def ipcGetEventHandle(event: _t.SupportsIndex) -> _b.bytes: ...
def ipcGetMemHandle(devPtr: _t.SupportsIndex) -> _b.bytes: ...
def ipcOpenEventHandle(handle: _b.bytes) -> _b.int: ...
def ipcOpenMemHandle(handle: _b.bytes, flags: _t.SupportsIndex = 1) -> _b.int: ...
is_hip: _b.bool
def launchHostFunc(stream: _t.SupportsIndex, callback: _a.Callable[..., _t.Any], arg: _t.Any) -> None: ...
def malloc(size: _t.SupportsIndex) -> _b.int: ...
def malloc3DArray(descPtr: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, depth: _t.SupportsIndex, flags: _t.SupportsIndex = 0) -> _b.int: ...
def mallocArray(descPtr: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, flags: _t.SupportsIndex = 0) -> _b.int: ...
def mallocAsync(size: _t.SupportsIndex, stream: _t.SupportsIndex) -> _b.int: ...
def mallocFromPoolAsync(size: _t.SupportsIndex, pool: _t.SupportsIndex, stream: _t.SupportsIndex) -> _b.int: ...
def mallocManaged(size: _t.SupportsIndex, flags: _t.SupportsIndex = 1) -> _b.int: ...
def memAdvise(devPtr: _t.SupportsIndex, count: _t.SupportsIndex, advice: _t.SupportsIndex, device: _t.SupportsIndex) -> None: ...
def memGetInfo() -> _b.tuple[_b.int, _b.int]: ...
def memPoolCreate(props: _g.cuda.runtime.MemPoolProps) -> _b.int: ...
def memPoolDestroy(pool: _t.SupportsIndex) -> None: ...
def memPoolGetAttribute(pool: _t.SupportsIndex, attr: _t.SupportsIndex) -> _b.int: ...
def memPoolSetAttribute(pool: _t.SupportsIndex, attr: _t.SupportsIndex, value: _t.SupportsIndex) -> None: ...
def memPoolTrimTo(pool: _t.SupportsIndex, size: _t.SupportsIndex) -> None: ...
def memPrefetchAsync(devPtr: _t.SupportsIndex, count: _t.SupportsIndex, dstDevice: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def memcpy(dst: _t.SupportsIndex, src: _t.SupportsIndex, size: _t.SupportsIndex, kind: _t.SupportsIndex) -> None: ...
def memcpy2D(dst: _t.SupportsIndex, dpitch: _t.SupportsIndex, src: _t.SupportsIndex, spitch: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, kind: _t.SupportsIndex) -> None: ...
def memcpy2DAsync(dst: _t.SupportsIndex, dpitch: _t.SupportsIndex, src: _t.SupportsIndex, spitch: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, kind: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def memcpy2DFromArray(dst: _t.SupportsIndex, dpitch: _t.SupportsIndex, src: _t.SupportsIndex, wOffset: _t.SupportsIndex, hOffset: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, kind: _t.SupportsIndex) -> None: ...
def memcpy2DFromArrayAsync(dst: _t.SupportsIndex, dpitch: _t.SupportsIndex, src: _t.SupportsIndex, wOffset: _t.SupportsIndex, hOffset: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, kind: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def memcpy2DToArray(dst: _t.SupportsIndex, wOffset: _t.SupportsIndex, hOffset: _t.SupportsIndex, src: _t.SupportsIndex, spitch: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, kind: _t.SupportsIndex) -> None: ...
def memcpy2DToArrayAsync(dst: _t.SupportsIndex, wOffset: _t.SupportsIndex, hOffset: _t.SupportsIndex, src: _t.SupportsIndex, spitch: _t.SupportsIndex, width: _t.SupportsIndex, height: _t.SupportsIndex, kind: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def memcpy3D(Memcpy3DParmsPtr: _t.SupportsIndex) -> None: ...
def memcpy3DAsync(Memcpy3DParmsPtr: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def memcpyAsync(dst: _t.SupportsIndex, src: _t.SupportsIndex, size: _t.SupportsIndex, kind: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
memcpyDefault: _b.int
memcpyDeviceToDevice: _b.int
memcpyDeviceToHost: _b.int
memcpyHostToDevice: _b.int
memcpyHostToHost: _b.int
def memcpyPeer(dst: _t.SupportsIndex, dstDevice: _t.SupportsIndex, src: _t.SupportsIndex, srcDevice: _t.SupportsIndex, size: _t.SupportsIndex) -> None: ...
def memcpyPeerAsync(dst: _t.SupportsIndex, dstDevice: _t.SupportsIndex, src: _t.SupportsIndex, srcDevice: _t.SupportsIndex, size: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
memoryTypeDevice: _b.int
memoryTypeHost: _b.int
memoryTypeManaged: _b.int
memoryTypeUnregistered: _b.int
def memset(ptr: _t.SupportsIndex, value: _t.SupportsIndex, size: _t.SupportsIndex) -> None: ...
def memsetAsync(ptr: _t.SupportsIndex, value: _t.SupportsIndex, size: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
def pointerGetAttributes(ptr: _t.SupportsIndex) -> _g.cuda.runtime.PointerAttributes: ...
def pointerGetMemoryType(ptr: _t.SupportsIndex) -> _b.int: ...
def profilerStart() -> None: ...
def profilerStop() -> None: ...
def runtimeGetVersion() -> _b.int: ...
def setDevice(device: _t.SupportsIndex) -> None: ...
def streamAddCallback(stream: _t.SupportsIndex, callback: _a.Callable[..., _t.Any], arg: _t.Any, flags: _t.SupportsIndex = 0) -> None: ...
def streamBeginCapture(stream: _t.SupportsIndex, mode: _t.SupportsIndex = 2) -> None: ...
streamCaptureModeGlobal: _b.int
streamCaptureModeRelaxed: _b.int
streamCaptureModeThreadLocal: _b.int
streamCaptureStatusActive: _b.int
streamCaptureStatusInvalidated: _b.int
streamCaptureStatusNone: _b.int
def streamCreate() -> _b.int: ...
def streamCreateWithFlags(flags: _t.SupportsIndex) -> _b.int: ...
def streamCreateWithPriority(flags: _t.SupportsIndex, priority: _t.SupportsIndex) -> _b.int: ...
streamDefault: _b.int
def streamDestroy(stream: _t.SupportsIndex) -> None: ...
def streamEndCapture(stream: _t.SupportsIndex) -> _b.int: ...
def streamGetFlags(stream: _t.SupportsIndex) -> _b.int: ...
def streamGetPriority(stream: _t.SupportsIndex) -> _b.int: ...
def streamIsCapturing(stream: _t.SupportsIndex) -> _b.bool: ...
streamLegacy: _b.int
streamNonBlocking: _b.int
streamPerThread: _b.int
def streamQuery(stream: _t.SupportsIndex) -> _b.int: ...
def streamSynchronize(stream: _t.SupportsIndex) -> None: ...
def streamWaitEvent(stream: _t.SupportsIndex, event: _t.SupportsIndex, flags: _t.SupportsIndex = 0) -> None: ...

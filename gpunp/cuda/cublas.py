"""cuBLAS under its own names: handles, settings and functions that take addresses.

Functions are called as CuPy's of this name: `sgemm(handle, transa, transb, m, n, k, alpha, a, lda,
b, ldb, beta, c, ldc)`, matrices stored by columns, every array and factor by its address, such as
`array.data.ptr` or `factor.ctypes.data`. They run in the current stream and do not wait, except
for a result that goes to the host (`setPointerMode`). Functions that the loaded library lacks are
absent; the emulated device's has all of this module. `gpunp.cublas` takes arrays.
"""

import ctypes

from gpunp._C import CUBLASError

from ._binding import Binding, current_stream

__all__ = [
    "CUBLASError",
    "CUBLAS_COMPUTE_16F",
    "CUBLAS_COMPUTE_16F_PEDANTIC",
    "CUBLAS_COMPUTE_32F",
    "CUBLAS_COMPUTE_32F_FAST_16BF",
    "CUBLAS_COMPUTE_32F_FAST_16F",
    "CUBLAS_COMPUTE_32F_FAST_TF32",
    "CUBLAS_COMPUTE_32F_PEDANTIC",
    "CUBLAS_COMPUTE_32I",
    "CUBLAS_COMPUTE_32I_PEDANTIC",
    "CUBLAS_COMPUTE_64F",
    "CUBLAS_COMPUTE_64F_PEDANTIC",
    "CUBLAS_DEFAULT_MATH",
    "CUBLAS_DIAG_NON_UNIT",
    "CUBLAS_DIAG_UNIT",
    "CUBLAS_FILL_MODE_LOWER",
    "CUBLAS_FILL_MODE_UPPER",
    "CUBLAS_GEMM_DEFAULT",
    "CUBLAS_GEMM_DEFAULT_TENSOR_OP",
    "CUBLAS_GEMM_DFALT",
    "CUBLAS_GEMM_DFALT_TENSOR_OP",
    "CUBLAS_OP_C",
    "CUBLAS_OP_N",
    "CUBLAS_OP_T",
    "CUBLAS_POINTER_MODE_DEVICE",
    "CUBLAS_POINTER_MODE_HOST",
    "CUBLAS_SIDE_LEFT",
    "CUBLAS_SIDE_RIGHT",
    "CUBLAS_TENSOR_OP_MATH",
    "check_status",
    "create",
    "destroy",
    "getVersion",
    "setMathMode",
    "setStream",
]

CUBLAS_OP_N = 0
CUBLAS_OP_T = 1
CUBLAS_OP_C = 2
CUBLAS_POINTER_MODE_HOST = 0
CUBLAS_POINTER_MODE_DEVICE = 1
CUBLAS_SIDE_LEFT = 0
CUBLAS_SIDE_RIGHT = 1
CUBLAS_FILL_MODE_LOWER = 0
CUBLAS_FILL_MODE_UPPER = 1
CUBLAS_DIAG_NON_UNIT = 0
CUBLAS_DIAG_UNIT = 1
CUBLAS_GEMM_DEFAULT = -1
CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
CUBLAS_GEMM_DFALT = -1
CUBLAS_GEMM_DFALT_TENSOR_OP = 99
CUBLAS_DEFAULT_MATH = 0
CUBLAS_TENSOR_OP_MATH = 1
CUBLAS_COMPUTE_16F = 64
CUBLAS_COMPUTE_16F_PEDANTIC = 65
CUBLAS_COMPUTE_32F = 68
CUBLAS_COMPUTE_32F_PEDANTIC = 69
CUBLAS_COMPUTE_32F_FAST_16F = 74
CUBLAS_COMPUTE_32F_FAST_16BF = 75
CUBLAS_COMPUTE_32F_FAST_TF32 = 77
CUBLAS_COMPUTE_64F = 70
CUBLAS_COMPUTE_64F_PEDANTIC = 71
CUBLAS_COMPUTE_32I = 72
CUBLAS_COMPUTE_32I_PEDANTIC = 73

# (names, kinds of their parameters, end of the exported name); see _binding.py.
_FUNCTIONS = [
    ("isamax idamax icamax izamax isamin idamin icamin izamin", "hipip", "_v2"),
    ("sasum dasum scasum dzasum snrm2 dnrm2 scnrm2 dznrm2", "hipip", "_v2"),
    ("saxpy daxpy caxpy zaxpy", "hippipi", "_v2"),
    ("sdot ddot cdotu cdotc zdotu zdotc", "hipipip", "_v2"),
    ("sscal dscal cscal csscal zscal zdscal", "hippi", "_v2"),
    ("sgemv dgemv cgemv zgemv", "hiiippipippi", "_v2"),
    ("sger dger cgeru cgerc zgeru zgerc", "hiippipipi", "_v2"),
    ("ssbmv dsbmv", "hiiippipippi", "_v2"),
    ("sgemm dgemm cgemm zgemm", "hiiiiippipippi", "_v2"),
    ("ssyrk dsyrk csyrk zsyrk", "hiiiippippi", "_v2"),
    ("strsm dtrsm ctrsm ztrsm", "hiiiiiippipi", "_v2"),
    ("sgemmBatched dgemmBatched cgemmBatched zgemmBatched", "hiiiiippipippii", ""),
    (
        "sgemmStridedBatched dgemmStridedBatched cgemmStridedBatched zgemmStridedBatched",
        "hiiiiippilpilppili",
        "",
    ),
    ("strsmBatched dtrsmBatched ctrsmBatched ztrsmBatched", "hiiiiiippipii", ""),
    ("sgeam dgeam cgeam zgeam", "hiiiippippipi", ""),
    ("sdgmm ddgmm cdgmm zdgmm", "hiiipipipi", ""),
    ("sgetrfBatched dgetrfBatched cgetrfBatched zgetrfBatched", "hipippi", ""),
    ("sgetrsBatched dgetrsBatched cgetrsBatched zgetrsBatched", "hiiipippipi", ""),
    ("sgetriBatched dgetriBatched cgetriBatched zgetriBatched", "hipippipi", ""),
    ("sgemmEx", "hiiiiippiipiippii", ""),
    ("gemmEx", "hiiiiippiipiippiiii", ""),
    ("gemmStridedBatchedEx", "hiiiiippiilpiilppiiliii", ""),
    ("stpttr dtpttr", "hiippi", ""),
    ("strttp dtrttp", "hiipip", ""),
]
_TABLE = {
    name: (f"cublas{name[0].upper()}{name[1:]}{end}", letters)
    for names, letters, end in _FUNCTIONS
    for name in names.split()
}
_GETTERS = {
    "getMathMode": ("cublasGetMathMode", "i"),
    "getPointerMode": ("cublasGetPointerMode_v2", "i"),
    "getStream": ("cublasGetStream_v2", "p"),
}
_library = Binding("cuBLAS", "cublas", CUBLASError, "gpunp.cublas and gpunp.linalg")


def _in_current_stream(handle):
    setStream(handle, current_stream())


def _make(name):
    if name == "setPointerMode":
        return _library.function(name, "cublasSetPointerMode_v2", "hi")
    if name in _GETTERS:
        return _library.getter(name, *_GETTERS[name])
    return _library.function(name, *_TABLE[name], before=_in_current_stream)


__getattr__, __dir__ = _library.attributes(globals(), _make, {*_TABLE, *_GETTERS, "setPointerMode"})


def check_status(status) -> None:
    """Raise `CUBLASError` for a status that says that a function failed.

    Parameters
    ----------
    status : int
        What a function of cuBLAS returned.
    """
    if status:
        raise _library.failure("cuBLAS", status)


def create():
    """Create a handle.

    Returns
    -------
    int
        Value of the cublasHandle_t; see `destroy`.
    """
    handle = ctypes.c_void_p()
    _library.call("cublasCreate_v2", "p", ctypes.addressof(handle))
    return handle.value


def destroy(handle) -> None:
    """Destroy a handle that `create` returned.

    Parameters
    ----------
    handle : int
        Handle that no running function uses.
    """
    _library.call("cublasDestroy_v2", "h", handle)


def getVersion(handle):
    """Return the version of cuBLAS, such as 130100 for 13.1.0.

    Parameters
    ----------
    handle : int
        Handle of the library, which is not used.

    Returns
    -------
    int
        10000 times the major plus 100 times the minor number plus the patch level.
    """
    parts = []
    for part in range(3):
        value = ctypes.c_int()
        _library.call("cublasGetProperty", "ip", part, ctypes.addressof(value))
        parts.append(value.value)
    return 10000 * parts[0] + 100 * parts[1] + parts[2]


def setStream(handle, stream) -> None:
    """Set the stream of a handle.

    Parameters
    ----------
    handle : int
        Handle whose functions run in the stream.
    stream : int
        Address of the stream; the functions of this module set the current one before each call.
    """
    _library.call("cublasSetStream_v2", "hp", handle, stream)


def setMathMode(handle, mode) -> None:
    """Set the arithmetic that a handle's functions may use.

    Parameters
    ----------
    handle : int
        Handle of the library; restore the mode of one that is not yours.
    mode : int
        Value of a cublasMath_t, such as CUBLAS_DEFAULT_MATH.
    """
    _library.call("cublasSetMathMode", "hi", handle, mode)

"""cuSOLVER under its own names: handles, settings and functions that take addresses.

Functions are called as CuPy's of this name: `dpotrf(handle, uplo, n, a, lda, work, lwork, info)`,
matrices stored by columns, every array by its address, such as `array.data.ptr`. What a function
stores for the host is returned, as sizes of `work` by `dpotrf_bufferSize(handle, uplo, n, a, lda)`.
They run in the current stream and do not wait. Functions that the loaded library lacks are absent,
as some are on the emulated device. `gpunp.linalg` and `gpunp.cusolver` take arrays.
"""

from gpunp._C import CUSOLVERError

from ._binding import Binding, current_stream

__all__ = [
    "CUSOLVERError",
    "CUSOLVER_EIG_MODE_NOVECTOR",
    "CUSOLVER_EIG_MODE_VECTOR",
    "CUSOLVER_EIG_TYPE_1",
    "CUSOLVER_EIG_TYPE_2",
    "CUSOLVER_EIG_TYPE_3",
    "check_status",
]

CUSOLVER_EIG_TYPE_1 = 1
CUSOLVER_EIG_TYPE_2 = 2
CUSOLVER_EIG_TYPE_3 = 3
CUSOLVER_EIG_MODE_NOVECTOR = 0
CUSOLVER_EIG_MODE_VECTOR = 1

# (names, kinds of their parameters, head of the exported name); see _binding.py.
_FUNCTIONS = [
    ("create", "P", "cusolverDn"),
    ("destroy", "h", "cusolverDn"),
    ("setStream", "hp", "cusolverDn"),
    ("getStream", "hP", "cusolverDn"),
    ("getProperty", "iI", "cusolver"),
    ("createParams createGesvdjInfo createSyevjInfo", "P", "cusolverDn"),
    ("destroyParams destroyGesvdjInfo destroySyevjInfo", "p", "cusolverDn"),
    (
        "spotrf_bufferSize dpotrf_bufferSize cpotrf_bufferSize zpotrf_bufferSize "
        "sgetrf_bufferSize dgetrf_bufferSize cgetrf_bufferSize zgetrf_bufferSize "
        "sgeqrf_bufferSize dgeqrf_bufferSize cgeqrf_bufferSize zgeqrf_bufferSize",
        "hiipiI",
        "cusolverDn",
    ),
    ("spotrf dpotrf cpotrf zpotrf", "hiipipip", "cusolverDn"),
    ("spotrs dpotrs cpotrs zpotrs", "hiiipipip", "cusolverDn"),
    ("spotrfBatched dpotrfBatched cpotrfBatched zpotrfBatched", "hiipipi", "cusolverDn"),
    ("spotrsBatched dpotrsBatched cpotrsBatched zpotrsBatched", "hiiipipipi", "cusolverDn"),
    ("sgetrf dgetrf cgetrf zgetrf", "hiipippp", "cusolverDn"),
    (
        "sgetrs dgetrs cgetrs zgetrs sorgqr dorgqr cungqr zungqr ssyevd dsyevd cheevd zheevd",
        "hiiipippip",
        "cusolverDn",
    ),
    ("sgeqrf dgeqrf cgeqrf zgeqrf ssytrf dsytrf csytrf zsytrf", "hiipippip", "cusolverDn"),
    (
        "sorgqr_bufferSize dorgqr_bufferSize cungqr_bufferSize zungqr_bufferSize "
        "ssyevd_bufferSize dsyevd_bufferSize cheevd_bufferSize zheevd_bufferSize",
        "hiiipipI",
        "cusolverDn",
    ),
    (
        "sormqr_bufferSize dormqr_bufferSize cunmqr_bufferSize zunmqr_bufferSize",
        "hiiiiipippiI",
        "cusolverDn",
    ),
    ("sormqr dormqr cunmqr zunmqr", "hiiiiipippipip", "cusolverDn"),
    (
        "ssytrf_bufferSize dsytrf_bufferSize csytrf_bufferSize zsytrf_bufferSize",
        "hipiI",
        "cusolverDn",
    ),
    (
        "zzgesv_bufferSize zcgesv_bufferSize zygesv_bufferSize zkgesv_bufferSize "
        "ccgesv_bufferSize cygesv_bufferSize ckgesv_bufferSize ddgesv_bufferSize "
        "dsgesv_bufferSize dxgesv_bufferSize dhgesv_bufferSize ssgesv_bufferSize "
        "sxgesv_bufferSize shgesv_bufferSize",
        "hiipippipipE",
        "cusolverDn",
    ),
    (
        "zzgesv zcgesv zygesv zkgesv ccgesv cygesv ckgesv ddgesv dsgesv dxgesv dhgesv "
        "ssgesv sxgesv shgesv",
        "hiipippipipeIp",
        "cusolverDn",
    ),
    (
        "zzgels_bufferSize zcgels_bufferSize zygels_bufferSize zkgels_bufferSize "
        "ccgels_bufferSize cygels_bufferSize ckgels_bufferSize ddgels_bufferSize "
        "dsgels_bufferSize dxgels_bufferSize dhgels_bufferSize ssgels_bufferSize "
        "sxgels_bufferSize shgels_bufferSize",
        "hiiipipipipE",
        "cusolverDn",
    ),
    (
        "zzgels zcgels zygels zkgels ccgels cygels ckgels ddgels dsgels dxgels dhgels "
        "ssgels sxgels shgels",
        "hiiipipipipeIp",
        "cusolverDn",
    ),
    (
        "sgebrd_bufferSize dgebrd_bufferSize cgebrd_bufferSize zgebrd_bufferSize "
        "sgesvd_bufferSize dgesvd_bufferSize cgesvd_bufferSize zgesvd_bufferSize",
        "hiiI",
        "cusolverDn",
    ),
    ("sgebrd dgebrd cgebrd zgebrd", "hiipipppppip", "cusolverDn"),
    (
        "sgesvd dgesvd cgesvd zgesvd sgesvdj dgesvdj cgesvdj zgesvdj",
        "hiiiipippipipipp",
        "cusolverDn",
    ),
    ("xgesvdjSetTolerance xsyevjSetTolerance", "pd", "cusolverDn"),
    (
        "xgesvdjSetMaxSweeps xgesvdjSetSortEig xsyevjSetMaxSweeps xsyevjSetSortEig",
        "pi",
        "cusolverDn",
    ),
    ("xgesvdjGetResidual xsyevjGetResidual", "hpD", "cusolverDn"),
    ("xgesvdjGetSweeps xsyevjGetSweeps", "hpI", "cusolverDn"),
    (
        "sgesvdj_bufferSize dgesvdj_bufferSize cgesvdj_bufferSize zgesvdj_bufferSize",
        "hiiiipippipiIp",
        "cusolverDn",
    ),
    (
        "sgesvdjBatched_bufferSize dgesvdjBatched_bufferSize cgesvdjBatched_bufferSize "
        "zgesvdjBatched_bufferSize",
        "hiiipippipiIpi",
        "cusolverDn",
    ),
    (
        "sgesvdjBatched dgesvdjBatched cgesvdjBatched zgesvdjBatched",
        "hiiipippipipippi",
        "cusolverDn",
    ),
    (
        "sgesvdaStridedBatched_bufferSize dgesvdaStridedBatched_bufferSize "
        "cgesvdaStridedBatched_bufferSize zgesvdaStridedBatched_bufferSize",
        "hiiiipilplpilpilIi",
        "cusolverDn",
    ),
    (
        "sgesvdaStridedBatched dgesvdaStridedBatched cgesvdaStridedBatched zgesvdaStridedBatched",
        "hiiiipilplpilpilpippi",
        "cusolverDn",
    ),
    (
        "ssyevj_bufferSize dsyevj_bufferSize cheevj_bufferSize zheevj_bufferSize",
        "hiiipipIp",
        "cusolverDn",
    ),
    ("ssyevj dsyevj cheevj zheevj", "hiiipippipp", "cusolverDn"),
    (
        "ssyevjBatched_bufferSize dsyevjBatched_bufferSize cheevjBatched_bufferSize "
        "zheevjBatched_bufferSize",
        "hiiipipIpi",
        "cusolverDn",
    ),
    ("ssyevjBatched dsyevjBatched cheevjBatched zheevjBatched", "hiiipippippi", "cusolverDn"),
    ("xsyevd_bufferSize", "hpiiliplipiEE", "cusolverDn"),
    ("xsyevd", "hpiiliplipipepep", "cusolverDn"),
    ("xgeev_bufferSize", "hpiiliplipiplipliEE", "cusolverDn"),
    ("xgeev", "hpiiliplipipliplipepep", "cusolverDn"),
    ("scsrlsvchol ccsrlsvchol scsrlsvqr ccsrlsvqr", "hiipppppfipp", "cusolverSp"),
    ("dcsrlsvchol zcsrlsvchol dcsrlsvqr zcsrlsvqr", "hiipppppdipp", "cusolverSp"),
    ("scsreigvsi", "hiippppfpifpp", "cusolverSp"),
    ("dcsreigvsi", "hiippppdpidpp", "cusolverSp"),
    ("ccsreigvsi", "hiippppipifpp", "cusolverSp"),
    ("zcsreigvsi", "hiippppipidpp", "cusolverSp"),
]
_OTHERS = {
    "cormqr": ("cusolverDnCunmqr", "hiiiiipippipip"),
    "zormqr": ("cusolverDnZunmqr", "hiiiiipippipip"),
    "spCreate": ("cusolverSpCreate", "P"),
    "spDestroy": ("cusolverSpDestroy", "h"),
    "spGetStream": ("cusolverSpGetStream", "hP"),
    "spSetStream": ("cusolverSpSetStream", "hp"),
}


def _symbol(head, name):
    """The exported name; solvers of two precisions have two letters for them."""
    capitals = (
        2 if name[2:4] == "ge" and name[4:6] in ("sv", "ls") and name[6:7] in ("", "_") else 1
    )
    return head + name[:capitals].upper() + name[capitals:]


_TABLE = _OTHERS | {
    name: (_symbol(head, name), letters)
    for names, letters, head in _FUNCTIONS
    for name in names.split()
}
_library = Binding(
    "cuSOLVER", "cusolver", CUSOLVERError, "gpunp.linalg, gpunp.scipy.linalg and gpunp.cusolver"
)


def _set_stream(symbol, letters):
    """What sets the stream ahead of a function that works on the device."""
    if letters[0] != "h" or len(letters) < 4:
        return None
    setter = "cusolverSpSetStream" if symbol.startswith("cusolverSp") else "cusolverDnSetStream"
    return lambda handle: _library.call(setter, "hp", handle, current_stream())


def _make(name):
    symbol, letters = _TABLE[name]
    return _library.function(name, symbol, letters, before=_set_stream(symbol, letters))


__getattr__, __dir__ = _library.attributes(globals(), _make, _TABLE)


def check_status(status) -> None:
    """Raise `CUSOLVERError` for a status that says that a function failed.

    Parameters
    ----------
    status : int
        What a function of cuSOLVER returned.
    """
    if status:
        raise _library.failure("cuSOLVER", status)

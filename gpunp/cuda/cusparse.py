"""cuSPARSE under its own names: handles, descriptors and functions that take addresses.

Functions are called as CuPy's of this name: every array, factor and buffer by its address, such as
`array.data.ptr` or `factor.ctypes.data`; what a function stores for the host is returned. They run
in the current stream and do not wait. Functions that the loaded library lacks are absent; the
emulated device has descriptors of matrices, products with dense ones (`spMV`, `spMM`) and
conversions. gpunp itself has its own kernels: `gpunp.scipy.sparse` and `gpunp.cusparse` take
matrices.
"""

import ctypes
from collections import namedtuple

from gpunp._C import _libraries, _library_handle, is_emulated

from ._binding import Binding, current_stream

__all__ = [
    "CUSPARSE_ACTION_NUMERIC",
    "CUSPARSE_ACTION_SYMBOLIC",
    "CUSPARSE_COOMM_ALG1",
    "CUSPARSE_COOMM_ALG2",
    "CUSPARSE_COOMM_ALG3",
    "CUSPARSE_COOMV_ALG",
    "CUSPARSE_CSR2CSC_ALG1",
    "CUSPARSE_CSRMM_ALG1",
    "CUSPARSE_CSRMV_ALG1",
    "CUSPARSE_CSRMV_ALG2",
    "CUSPARSE_DENSETOSPARSE_ALG_DEFAULT",
    "CUSPARSE_DIAG_TYPE_NON_UNIT",
    "CUSPARSE_DIAG_TYPE_UNIT",
    "CUSPARSE_DIRECTION_COLUMN",
    "CUSPARSE_DIRECTION_ROW",
    "CUSPARSE_FILL_MODE_LOWER",
    "CUSPARSE_FILL_MODE_UPPER",
    "CUSPARSE_FORMAT_COO",
    "CUSPARSE_FORMAT_CSC",
    "CUSPARSE_FORMAT_CSR",
    "CUSPARSE_INDEX_16U",
    "CUSPARSE_INDEX_32I",
    "CUSPARSE_INDEX_64I",
    "CUSPARSE_INDEX_BASE_ONE",
    "CUSPARSE_INDEX_BASE_ZERO",
    "CUSPARSE_MATRIX_TYPE_GENERAL",
    "CUSPARSE_MATRIX_TYPE_HERMITIAN",
    "CUSPARSE_MATRIX_TYPE_SYMMETRIC",
    "CUSPARSE_MATRIX_TYPE_TRIANGULAR",
    "CUSPARSE_MM_ALG_DEFAULT",
    "CUSPARSE_MV_ALG_DEFAULT",
    "CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE",
    "CUSPARSE_OPERATION_NON_TRANSPOSE",
    "CUSPARSE_OPERATION_TRANSPOSE",
    "CUSPARSE_ORDER_COL",
    "CUSPARSE_ORDER_ROW",
    "CUSPARSE_POINTER_MODE_DEVICE",
    "CUSPARSE_POINTER_MODE_HOST",
    "CUSPARSE_SOLVE_POLICY_NO_LEVEL",
    "CUSPARSE_SOLVE_POLICY_USE_LEVEL",
    "CUSPARSE_SPARSETODENSE_ALG_DEFAULT",
    "CUSPARSE_SPGEMM_ALG1",
    "CUSPARSE_SPGEMM_ALG2",
    "CUSPARSE_SPGEMM_ALG3",
    "CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC",
    "CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC",
    "CUSPARSE_SPGEMM_DEFAULT",
    "CUSPARSE_SPMAT_DIAG_TYPE",
    "CUSPARSE_SPMAT_FILL_MODE",
    "CUSPARSE_SPSM_ALG_DEFAULT",
    "CooAttributes",
    "CscAttributes",
    "CsrAttributes",
    "CuSparseError",
    "DnMatAttributes",
    "DnMatBatchAttributes",
    "DnVecAttributes",
    "SpVecAttributes",
    "check_status",
]

CUSPARSE_POINTER_MODE_HOST = 0
CUSPARSE_POINTER_MODE_DEVICE = 1
CUSPARSE_ACTION_SYMBOLIC = 0
CUSPARSE_ACTION_NUMERIC = 1
CUSPARSE_INDEX_BASE_ZERO = 0
CUSPARSE_INDEX_BASE_ONE = 1
CUSPARSE_MATRIX_TYPE_GENERAL = 0
CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1
CUSPARSE_MATRIX_TYPE_HERMITIAN = 2
CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
CUSPARSE_FILL_MODE_LOWER = 0
CUSPARSE_FILL_MODE_UPPER = 1
CUSPARSE_DIAG_TYPE_NON_UNIT = 0
CUSPARSE_DIAG_TYPE_UNIT = 1
CUSPARSE_OPERATION_NON_TRANSPOSE = 0
CUSPARSE_OPERATION_TRANSPOSE = 1
CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
CUSPARSE_DIRECTION_ROW = 0
CUSPARSE_DIRECTION_COLUMN = 1
CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0
CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1
CUSPARSE_FORMAT_CSR = 1
CUSPARSE_FORMAT_CSC = 2
CUSPARSE_FORMAT_COO = 3
CUSPARSE_ORDER_COL = 1
CUSPARSE_ORDER_ROW = 2
CUSPARSE_INDEX_16U = 1
CUSPARSE_INDEX_32I = 2
CUSPARSE_INDEX_64I = 3
CUSPARSE_SPMAT_FILL_MODE = 0
CUSPARSE_SPMAT_DIAG_TYPE = 1
CUSPARSE_CSR2CSC_ALG1 = 1
CUSPARSE_SPSM_ALG_DEFAULT = 0
CUSPARSE_SPGEMM_DEFAULT = 0
CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1
CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2
CUSPARSE_SPGEMM_ALG1 = 3
CUSPARSE_SPGEMM_ALG2 = 4
CUSPARSE_SPGEMM_ALG3 = 5
CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0
CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0
CUSPARSE_MV_ALG_DEFAULT = 0
CUSPARSE_COOMV_ALG = 1
CUSPARSE_CSRMV_ALG1 = 2
CUSPARSE_CSRMV_ALG2 = 3
CUSPARSE_MM_ALG_DEFAULT = 0
CUSPARSE_COOMM_ALG1 = 1
CUSPARSE_COOMM_ALG2 = 2
CUSPARSE_COOMM_ALG3 = 3
CUSPARSE_CSRMM_ALG1 = 4


class CuSparseError(RuntimeError):
    """A function of cuSPARSE failed; `status` says how."""

    status = 0


_FIELDS = {
    "size": "Number of elements, zeros included.",
    "rows": "Number of rows of the matrix.",
    "cols": "Number of columns of the matrix.",
    "nnz": "Number of values that are stored.",
    "ld": "Distance of rows or columns, in elements.",
    "count": "Number of matrices in the batch.",
    "stride": "Distance of matrices, in elements.",
    "idx": "Address of the positions of the values.",
    "rowIdx": "Address of the rows of the values.",
    "colIdx": "Address of the columns of the values.",
    "rowOffsets": "Address of the numbers of the first values of rows.",
    "colOffsets": "Address of the numbers of the first values of columns.",
    "values": "Address of the values themselves.",
    "idxType": "Type of the positions, such as CUSPARSE_INDEX_32I.",
    "rowOffsetType": "Type of `rowOffsets`, such as CUSPARSE_INDEX_32I.",
    "colIdxType": "Type of `colIdx`, such as CUSPARSE_INDEX_32I.",
    "colOffsetType": "Type of `colOffsets`, such as CUSPARSE_INDEX_32I.",
    "rowIdxType": "Type of `rowIdx`, such as CUSPARSE_INDEX_32I.",
    "idxBase": "Number of the first row and column, 0 or 1.",
    "valueType": "Value of a cudaDataType, the type of the values.",
    "order": "CUSPARSE_ORDER_COL or CUSPARSE_ORDER_ROW, the memory layout.",
}


def _attributes(name, what, fields):
    """A named tuple of what a getter returns."""
    kind = namedtuple(name, fields)
    described = "".join(f"    {field} : int\n        {_FIELDS[field]}\n" for field in kind._fields)
    kind.__doc__ = (
        f"What the descriptor of {what} holds.\n\n    Parameters\n    ----------\n{described}    "
    )
    kind.__module__ = __name__
    return kind


SpVecAttributes = _attributes(
    "SpVecAttributes", "a sparse vector", "size nnz idx values idxType idxBase valueType"
)
CooAttributes = _attributes(
    "CooAttributes",
    "a matrix of format coo",
    "rows cols nnz rowIdx colIdx values idxType idxBase valueType",
)
CsrAttributes = _attributes(
    "CsrAttributes",
    "a matrix of format csr",
    "rows cols nnz rowOffsets colIdx values rowOffsetType colIdxType idxBase valueType",
)
CscAttributes = _attributes(
    "CscAttributes",
    "a matrix of format csc",
    "rows cols nnz colOffsets rowIdx values colOffsetType rowIdxType idxBase valueType",
)
DnVecAttributes = _attributes("DnVecAttributes", "a dense vector", "size values valueType")
DnMatAttributes = _attributes(
    "DnMatAttributes", "a dense matrix", "rows cols ld values valueType order"
)
DnMatBatchAttributes = _attributes(
    "DnMatBatchAttributes", "a batch of dense matrices", "count stride"
)

# (names, kinds of their parameters); see _binding.py.
_FUNCTIONS = [
    ("create", "P"),
    ("destroy", "h"),
    ("getVersion", "hI"),
    ("setStream", "hp"),
    ("getStream", "hP"),
    ("spSM_solve", "hiippppiip"),
    ("spGEMM_workEstimation spGEMM_compute", "hiipppppiipXp"),
    (
        "createMatDescr createCsrilu02Info createBsrilu02Info createCsric02Info "
        "createBsric02Info spSM_createDescr spGEMM_createDescr",
        "P",
    ),
    (
        "destroyMatDescr destroyCsrilu02Info destroyBsrilu02Info destroyCsric02Info "
        "destroyBsric02Info destroySpVec destroySpMat destroyDnVec destroyDnMat "
        "spSM_destroyDescr spGEMM_destroyDescr",
        "p",
    ),
    ("setMatIndexBase setMatType setMatFillMode setMatDiagType", "pi"),
    ("setPointerMode", "hi"),
    (
        "scsrgeam2_bufferSizeExt dcsrgeam2_bufferSizeExt ccsrgeam2_bufferSizeExt "
        "zcsrgeam2_bufferSizeExt",
        "hiippipppppipppppppE",
    ),
    ("xcsrgeam2Nnz", "hiipipppipppppp"),
    ("scsrgeam2 dcsrgeam2 ccsrgeam2 zcsrgeam2", "hiippipppppipppppppp"),
    ("xcoo2csr xcsr2coo", "hpiipi"),
    ("snnz_compress", "hippppIf"),
    ("dnnz_compress", "hippppId"),
    ("scsr2csr_compress", "hiippppippppf"),
    ("dcsr2csr_compress", "hiippppippppd"),
    ("snnz dnnz cnnz znnz", "hiiippipp"),
    ("createIdentityPermutation", "hip"),
    ("xcoosort_bufferSizeExt xcsrsort_bufferSizeExt xcscsort_bufferSizeExt", "hiiippE"),
    ("xcoosortByRow xcoosortByColumn", "hiiipppp"),
    ("xcsrsort xcscsort", "hiiippppp"),
    (
        "scsrilu02_numericBoost dcsrilu02_numericBoost ccsrilu02_numericBoost "
        "zcsrilu02_numericBoost sbsrilu02_numericBoost dbsrilu02_numericBoost "
        "cbsrilu02_numericBoost zbsrilu02_numericBoost",
        "hpipp",
    ),
    ("xcsrilu02_zeroPivot xbsrilu02_zeroPivot xcsric02_zeroPivot xbsric02_zeroPivot gather", "hpp"),
    (
        "scsrilu02_bufferSize dcsrilu02_bufferSize ccsrilu02_bufferSize "
        "zcsrilu02_bufferSize scsric02_bufferSize dcsric02_bufferSize ccsric02_bufferSize "
        "zcsric02_bufferSize",
        "hiipppppI",
    ),
    (
        "scsrilu02_analysis dcsrilu02_analysis ccsrilu02_analysis zcsrilu02_analysis "
        "scsrilu02 dcsrilu02 ccsrilu02 zcsrilu02 scsric02_analysis dcsric02_analysis "
        "ccsric02_analysis zcsric02_analysis scsric02 dcsric02 ccsric02 zcsric02",
        "hiipppppip",
    ),
    (
        "sbsrilu02_bufferSize dbsrilu02_bufferSize cbsrilu02_bufferSize "
        "zbsrilu02_bufferSize sbsric02_bufferSize dbsric02_bufferSize cbsric02_bufferSize "
        "zbsric02_bufferSize",
        "hiiippppipI",
    ),
    (
        "sbsrilu02_analysis dbsrilu02_analysis cbsrilu02_analysis zbsrilu02_analysis "
        "sbsrilu02 dbsrilu02 cbsrilu02 zbsrilu02 sbsric02_analysis dbsric02_analysis "
        "cbsric02_analysis zbsric02_analysis sbsric02 dbsric02 cbsric02 zbsric02",
        "hiiippppipip",
    ),
    (
        "sgtsv2_bufferSizeExt dgtsv2_bufferSizeExt cgtsv2_bufferSizeExt "
        "zgtsv2_bufferSizeExt sgtsv2_nopivot_bufferSizeExt dgtsv2_nopivot_bufferSizeExt "
        "cgtsv2_nopivot_bufferSizeExt zgtsv2_nopivot_bufferSizeExt "
        "sgtsvInterleavedBatch_bufferSizeExt dgtsvInterleavedBatch_bufferSizeExt "
        "cgtsvInterleavedBatch_bufferSizeExt zgtsvInterleavedBatch_bufferSizeExt",
        "hiippppiE",
    ),
    (
        "sgtsv2 dgtsv2 cgtsv2 zgtsv2 sgtsv2_nopivot dgtsv2_nopivot cgtsv2_nopivot "
        "zgtsv2_nopivot sgtsvInterleavedBatch dgtsvInterleavedBatch cgtsvInterleavedBatch "
        "zgtsvInterleavedBatch",
        "hiippppip",
    ),
    (
        "sgtsv2StridedBatch_bufferSizeExt dgtsv2StridedBatch_bufferSizeExt "
        "cgtsv2StridedBatch_bufferSizeExt zgtsv2StridedBatch_bufferSizeExt",
        "hippppiiE",
    ),
    ("sgtsv2StridedBatch dgtsv2StridedBatch cgtsv2StridedBatch zgtsv2StridedBatch", "hippppiip"),
    (
        "sgpsvInterleavedBatch_bufferSizeExt dgpsvInterleavedBatch_bufferSizeExt "
        "cgpsvInterleavedBatch_bufferSizeExt zgpsvInterleavedBatch_bufferSizeExt",
        "hiippppppiE",
    ),
    (
        "sgpsvInterleavedBatch dgpsvInterleavedBatch cgpsvInterleavedBatch zgpsvInterleavedBatch",
        "hiippppppip",
    ),
    ("createSpVec", "Pllppiii"),
    ("spVecGetIndexBase spMatGetFormat spMatGetIndexBase spMatGetStridedBatch", "pI"),
    ("spVecGetValues spMatGetValues dnVecGetValues dnMatGetValues", "pP"),
    ("spVecSetValues spMatSetValues dnVecSetValues dnMatSetValues", "pp"),
    ("createCoo", "Plllpppiii"),
    ("createCsr createCsc", "Plllpppiiii"),
    ("csrSetPointers cscSetPointers cooSetPointers spMatGetSize", "pppp"),
    ("createDnVec", "Plpi"),
    ("createDnMat", "Plllpii"),
    ("dnMatSetStridedBatch", "pil"),
    ("spVV_bufferSize", "hipppiE"),
    ("spVV", "hipppip"),
    ("spMV_bufferSize", "hipppppiiE"),
    ("spMV", "hipppppiip"),
    ("spSM_bufferSize", "hiippppiipE"),
    ("spSM_analysis", "hiippppiipp"),
    ("spMM_bufferSize", "hiipppppiiE"),
    ("spMM spGEMM_copy", "hiipppppiip"),
    ("sparseToDense_bufferSize denseToSparse_bufferSize", "hppiE"),
    ("sparseToDense denseToSparse_analysis denseToSparse_convert", "hppip"),
    ("csr2cscEx2_bufferSize", "hiiippppppiiiiE"),
    ("csr2cscEx2", "hiiippppppiiiip"),
]
# Those whose results have names.
_GETTERS = {
    "spVecGet": ("pLLPPIII", SpVecAttributes),
    "cooGet": ("pLLLPPPIII", CooAttributes),
    "csrGet": ("pLLLPPPIIII", CsrAttributes),
    "cscGet": ("pLLLPPPIIII", CscAttributes),
    "dnVecGet": ("pLPI", DnVecAttributes),
    "dnMatGet": ("pLLLPII", DnMatAttributes),
    "dnMatGetStridedBatch": ("pIL", DnMatBatchAttributes),
}
_TABLE = {
    name: (f"cusparse{name[0].upper()}{name[1:]}", letters)
    for names, letters in _FUNCTIONS
    for name in names.split()
}
_WITHOUT_STREAM = {"create", "destroy", "getVersion", "setStream", "getStream", "setPointerMode"}


class _Library(Binding):
    """cuSPARSE, which cuSOLVER brings."""

    def load(self):
        if self.library is None:
            _library_handle("cusolver")
            name = "libcusparse.so.12"
            if is_emulated():  # one file has all of its libraries
                name = {title: path for title, _, path in _libraries()}["cuSOLVER"]
            try:
                self.library = ctypes.CDLL(name)
            except OSError as error:
                raise AttributeError(f"cuSPARSE was not found: {error}") from None
        return self.library


_library = _Library("cuSPARSE", "", CuSparseError, "gpunp.scipy.sparse and gpunp.cusparse")


def _in_current_stream(handle):
    _library.call("cusparseSetStream", "hp", handle, current_stream())


def _named(name):
    letters, kind = _GETTERS[name]
    function = _library.function(name, f"cusparse{name[0].upper()}{name[1:]}", letters)
    return lambda desc: kind(*function(desc))


def _make(name):
    if name in _GETTERS:
        return _named(name)
    symbol, letters = _TABLE[name]
    works = letters[0] == "h" and name not in _WITHOUT_STREAM
    return _library.function(name, symbol, letters, _in_current_stream if works else None)


__getattr__, __dir__ = _library.attributes(globals(), _make, {*_TABLE, *_GETTERS})


def check_status(status) -> None:
    """Raise `CuSparseError` for a status that says that a function failed.

    Parameters
    ----------
    status : int
        What a function of cuSPARSE returned.
    """
    if status:
        raise _library.failure("cuSPARSE", status)

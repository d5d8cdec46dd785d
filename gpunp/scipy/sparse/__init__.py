"""Sparse matrices and arrays on the device, with SciPy's names."""

from ._base import SparseEfficiencyWarning, SparseWarning, issparse, sparray
from ._coo import coo_array, coo_matrix, isspmatrix_coo
from ._csc import csc_array, csc_matrix, isspmatrix_csc
from ._csr import csr_array, csr_matrix, isspmatrix_csr
from ._matrix import spmatrix

__all__ = [
    "SparseEfficiencyWarning",
    "SparseWarning",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "issparse",
    "sparray",
    "spmatrix",
]

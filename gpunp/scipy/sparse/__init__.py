"""Sparse matrices and arrays on the device, with SciPy's names."""

from typing import Any as _Any

from . import csgraph as csgraph
from . import linalg as linalg
from ._base import SparseEfficiencyWarning, SparseWarning, issparse, sparray
from ._bsr import bsr_array, bsr_matrix, isspmatrix_bsr
from ._construct import (
    block_array,
    block_diag,
    bmat,
    diags,
    diags_array,
    expand_dims,
    eye,
    eye_array,
    hstack,
    identity,
    kron,
    kronsum,
    permute_dims,
    rand,
    random,
    random_array,
    spdiags,
    swapaxes,
    vstack,
)
from ._coo import coo_array, coo_matrix, isspmatrix_coo
from ._csc import csc_array, csc_matrix, isspmatrix_csc
from ._csr import csr_array, csr_matrix, isspmatrix_csr
from ._dia import dia_array, dia_matrix, isspmatrix_dia
from ._dok import dok_array, dok_matrix, isspmatrix_dok
from ._extract import find, matrix_transpose, tril, triu
from ._index_types import get_index_dtype, safely_cast_index_arrays
from ._lil import isspmatrix_lil, lil_array, lil_matrix
from ._matrix import spmatrix
from ._matrix_io import load_npz, save_npz

__all__ = [
    "SparseEfficiencyWarning",
    "SparseWarning",
    "block_array",
    "block_diag",
    "bmat",
    "bsr_array",
    "bsr_matrix",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "dia_array",
    "dia_matrix",
    "diags",
    "diags_array",
    "dok_array",
    "dok_matrix",
    "expand_dims",
    "eye",
    "eye_array",
    "find",
    "get_index_dtype",
    "hstack",
    "identity",
    "issparse",
    "isspmatrix",
    "isspmatrix_bsr",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "isspmatrix_dia",
    "isspmatrix_dok",
    "isspmatrix_lil",
    "kron",
    "kronsum",
    "lil_array",
    "lil_matrix",
    "load_npz",
    "matrix_transpose",
    "permute_dims",
    "rand",
    "random",
    "random_array",
    "safely_cast_index_arrays",
    "save_npz",
    "sparray",
    "spdiags",
    "spmatrix",
    "swapaxes",
    "tril",
    "triu",
    "vstack",
]


def isspmatrix(x: _Any) -> bool:
    """Tell whether an object is a sparse matrix of this library, not an array.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for the classes whose names end with "matrix".
    """
    return isinstance(x, spmatrix)

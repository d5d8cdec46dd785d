"""Linear algebra of scipy.linalg; functions that NumPy has as well are those of `gpunp.linalg`."""

from ..._core.renaming import rename as _rename
from ...linalg import LinAlgError
from ...linalg._triangular import cho_solve
from ._basic import *
from ._decomp import *
from ._decomp_lu import *
from ._matfuncs import *
from ._procrustes import *
from ._special_matrices import *

__all__ = [
    "LinAlgError",
    "bandwidth",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "companion",
    "convolution_matrix",
    "coshm",
    "cosm",
    "det",
    "dft",
    "diagsvd",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "fiedler",
    "fiedler_companion",
    "hadamard",
    "hankel",
    "helmert",
    "hilbert",
    "inv",
    "ishermitian",
    "issymmetric",
    "khatri_rao",
    "leslie",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "norm",
    "null_space",
    "orth",
    "orthogonal_procrustes",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "rq",
    "sinhm",
    "sinm",
    "solve",
    "solve_triangular",
    "subspace_angles",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
    "toeplitz",
]

_rename(globals(), "scipy.linalg")

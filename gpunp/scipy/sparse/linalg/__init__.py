"""Solvers and operators of sparse matrices, with SciPy's names."""

from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, MatrixRankWarning

from ...._core.renaming import rename as _rename
from ._dsolve import SuperLU, factorized, spilu, splu, spsolve, spsolve_triangular
from ._eigen import eigsh
from ._eigs import eigs
from ._expm_multiply import expm_multiply, onenormest
from ._interface import LinearOperator, aslinearoperator
from ._isolve import bicg, bicgstab, cg, cgs, gmres
from ._least_squares import lsmr, lsqr
from ._lobpcg import lobpcg
from ._matfuncs import expm, funm_multiply_krylov, inv, matrix_power
from ._minres import minres
from ._norm import norm
from ._quasi_minimal import qmr, tfqmr
from ._recycling import gcrotmk, lgmres
from ._singular_values import svds
from ._special_operators import LaplacianNd
from ._structure import is_sptriangular, spbandwidth

__all__ = [
    "ArpackError",
    "ArpackNoConvergence",
    "LaplacianNd",
    "LinearOperator",
    "MatrixRankWarning",
    "SuperLU",
    "aslinearoperator",
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "eigs",
    "eigsh",
    "expm",
    "expm_multiply",
    "factorized",
    "funm_multiply_krylov",
    "gcrotmk",
    "gmres",
    "inv",
    "is_sptriangular",
    "lgmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "matrix_power",
    "minres",
    "norm",
    "onenormest",
    "qmr",
    "spbandwidth",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
    "tfqmr",
]

_rename(globals(), "scipy.sparse.linalg")

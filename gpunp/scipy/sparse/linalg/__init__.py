"""Solvers and operators of sparse matrices, with SciPy's names."""

from ...._core.renaming import rename as _rename
from ._dsolve import SuperLU, factorized, spilu, splu, spsolve, spsolve_triangular
from ._eigen import eigsh, svds
from ._interface import LinearOperator, aslinearoperator
from ._isolve import bicg, bicgstab, cg, cgs, gmres
from ._least_squares import lsmr, lsqr
from ._norm import norm

__all__ = [
    "LinearOperator",
    "SuperLU",
    "aslinearoperator",
    "bicg",
    "bicgstab",
    "cg",
    "cgs",
    "eigsh",
    "factorized",
    "gmres",
    "lsmr",
    "lsqr",
    "norm",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
]

_rename(globals(), "scipy.sparse.linalg")

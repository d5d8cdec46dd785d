"""Solvers and operators of sparse matrices, with SciPy's names."""

from ._dsolve import SuperLU, factorized, spilu, splu, spsolve, spsolve_triangular
from ._eigen import eigsh, svds
from ._interface import LinearOperator, aslinearoperator
from ._isolve import bicg, bicgstab, cg, cgs, gmres
from ._least_squares import lsmr, lsqr
from ._minres import minres
from ._norm import norm
from ._quasi_minimal import qmr, tfqmr
from ._recycling import gcrotmk, lgmres

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
    "gcrotmk",
    "gmres",
    "lgmres",
    "lsmr",
    "lsqr",
    "minres",
    "norm",
    "qmr",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
    "tfqmr",
]

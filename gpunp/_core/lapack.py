"""NVIDIA's solvers on stacks of column-major matrices, as csrc/lib has them."""

from .._C import (
    lapack_geev,
    lapack_geqrf,
    lapack_getrf,
    lapack_getri,
    lapack_getrs,
    lapack_order,
    lapack_orgqr,
    lapack_ormqr,
    lapack_potrf,
    lapack_svd,
    lapack_syev,
    lapack_trsm,
)

__all__ = [
    "lapack_geev",
    "lapack_geqrf",
    "lapack_getrf",
    "lapack_getri",
    "lapack_getrs",
    "lapack_order",
    "lapack_orgqr",
    "lapack_ormqr",
    "lapack_potrf",
    "lapack_svd",
    "lapack_syev",
    "lapack_trsm",
]

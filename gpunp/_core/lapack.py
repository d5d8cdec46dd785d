"""LAPACK-like solvers of csrc/lib: cuSOLVER's for stacks of column-major matrices, and our own
kernels for small matrices in any layout."""

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
    lapack_triangle,
    lapack_trsm,
    small_cholesky,
    small_eigh,
    small_gauss,
    small_svd,
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
    "lapack_triangle",
    "lapack_trsm",
    "small_cholesky",
    "small_eigh",
    "small_gauss",
    "small_svd",
]

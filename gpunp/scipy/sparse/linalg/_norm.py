"""Norms of sparse matrices."""

import operator
from typing import Any

import numpy as np

from ...._core import umath
from .._base import issparse
from ._singular_values import svds

__all__ = ["norm"]


def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """Compute a norm of a sparse matrix, or of its rows or columns.

    Parameters
    ----------
    x : sparse matrix
        Matrix of two axes.
    ord : {inf, -inf, 0, 1, -1, 2, 'fro'}, optional
        Kind of the norm, Frobenius' or that of vectors by default.
    axis : int or tuple of int, optional
        Axis along which vectors lie; None or both for the matrix.

    Returns
    -------
    ndarray
        Norms, which stay on the device. That of a matrix of order 2 is computed by `svds`.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.linalg.norm(2 * sparse.eye_array(4))
    array(4.)
    """
    if not issparse(x):
        raise TypeError("input is not sparse. use gpunp.linalg.norm")
    axes = _checked_axes(axis, x.ndim)
    is_vector = x.ndim == 1
    if is_vector:
        x, axes = x.reshape(1, -1), (1,)
    sizes = abs(x.tocsr()._canonical())
    if sizes.dtype.kind in "biu":
        sizes = sizes.astype("d")
    if len(axes) == 1:
        made = _of_vectors(sizes, ord, axes[0])
        return made[0] if is_vector else made
    if ord == 2:
        return svds(x, 1, return_singular_vectors=False)[0]
    return _of_matrix(sizes if axes == (0, 1) else sizes.T, ord)


def _checked_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that norms are taken over, from 0 on."""
    if ndim > 2:
        raise ValueError(f"norms are those of one axis or two, not of {ndim}")
    if axis is None:
        return (0, 1)[:ndim]
    axes = axis if isinstance(axis, tuple) else (axis,)
    try:
        axes = tuple(operator.index(a) for a in axes)
    except TypeError:
        raise TypeError("'axis' must be None, an integer or a tuple of integers") from None
    if any(not -ndim <= a < ndim for a in axes):
        raise ValueError(f"Invalid axis {axis} for an array of {ndim} axes")
    axes = tuple(a % ndim for a in axes)
    if not 0 < len({*axes}) == len(axes):
        raise ValueError("Improper number of dimensions to norm: axes must differ")
    return axes


def _of_matrix(a: Any, ord: Any) -> Any:
    if ord in (None, "fro", "f"):
        return umath.sqrt((a.data * a.data).sum())
    if ord in (1, -1, np.inf, -np.inf):
        sums = a.sum(0 if ord in (1, -1) else 1).reshape(-1)
        return sums.max() if ord > 0 else sums.min()
    if ord == -2:
        raise NotImplementedError("norms of order -2 need all singular values")
    raise ValueError("Invalid norm order for matrices.")


def _of_vectors(a: Any, ord: Any, axis: int) -> Any:
    if ord in (np.inf, -np.inf):
        found = a.max(axis) if ord > 0 else a.min(axis)
        return found.toarray().reshape(-1)
    if ord == 0:
        return a._with_data(a.data != 0).sum(axis).reshape(-1)
    if ord == 1:
        return a.sum(axis).reshape(-1)
    if ord in (2, None):
        return umath.sqrt(a._with_data(a.data * a.data).sum(axis).reshape(-1))
    return a._with_data(a.data**ord).sum(axis).reshape(-1) ** (1 / ord)

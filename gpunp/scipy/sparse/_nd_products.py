"""Products of sparse arrays of more than two axes: stacks of matrices as one matrix, whose blocks
are on the diagonal."""

import math
import operator
from typing import Any

import numpy as np

from ..._core.fromnumeric import swapaxes, transpose
from ..._core.multiarray import broadcast_view, ndarray
from ._base import LATER, issparse
from ._sparsetools import index_dtype
from ._sputils import as_values


def matmul(a: Any, b: Any) -> Any:
    """Return the matrix product of stacks, at least one of them sparse.

    Parameters
    ----------
    a, b : sparse array or ndarray
        Operands as those of `gpunp.matmul`; leading axes are broadcast.

    Returns
    -------
    coo_array or ndarray
        Product, sparse where both operands are.
    """
    left = a.reshape(1, -1) if a.ndim == 1 else a
    right = b.reshape(-1, 1) if b.ndim == 1 else b
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(
            f"matmul: dimension mismatch with signature (n,..,k={left.shape[-1]}),"
            f"(k={right.shape[-2]},..,m)->(n,..,m)"
        )
    try:
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise ValueError("Batch dimensions are not broadcastable") from None
    if not issparse(left):
        product = swapaxes(_stacked(_swapped(right), swapaxes(left, -1, -2), batch), -1, -2)
    else:
        product = _stacked(left, right, batch)
    shape = batch + left.shape[-2:-1] * (a.ndim > 1) + right.shape[-1:] * (b.ndim > 1)
    return product.reshape(shape)


def _swapped(a: Any) -> Any:
    return a.tocoo().transpose((*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))


def _stacked(a: Any, b: Any, batch: tuple) -> Any:
    """The product of `a`, which is sparse, and `b`, of two axes at least each."""
    (m, k), n = a.shape[-2:], b.shape[-1]
    if math.prod(b.shape[:-2]) == 1:  # one matrix: the rows of all others at once
        flat = _rows(_broadcast(a, batch), (math.prod(batch) * m, k))
        return _shaped(flat @ _rows(b, (k, n)), (*batch, m, n))
    if math.prod(a.shape[:-2]) == 1 and not issparse(b):  # the columns of all others at once
        columns = transpose(b, (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1))
        columns = columns.reshape(k, math.prod(b.shape[:-2]) * n)
        product = (_rows(a, (m, k)) @ columns).reshape(m, *b.shape[:-2], n)
        return transpose(product, (*range(1, b.ndim - 1), 0, b.ndim - 1)).reshape(*batch, m, n)
    count = math.prod(batch)
    product = _blocks(_broadcast(a, batch), count) @ _rows(_broadcast(b, batch), (count * k, n))
    return _shaped(product, (*batch, m, n))


def _broadcast(a: Any, batch: tuple) -> Any:
    shape = (*batch, *a.shape[-2:])
    if a.shape == shape:
        return a
    return a.tocoo()._broadcast_to(shape) if issparse(a) else broadcast_view(a, shape)


def _rows(a: Any, shape: tuple) -> Any:
    return a.tocoo()._reshaped(shape).tocsr() if issparse(a) else a.reshape(shape)


def _shaped(product: Any, shape: tuple) -> Any:
    return product.tocoo()._reshaped(shape) if issparse(product) else product.reshape(shape)


def _blocks(a: Any, count: int) -> Any:
    """A stack as one matrix in compressed rows."""
    m, k = a.shape[-2:]
    stack = a.tocoo()._reshaped((count, m, k))
    shape = count * m, count * k
    index = index_dtype(*shape)
    block, row, column = (c.astype(index, copy=False) for c in stack.coords)
    return a._class("coo")._made(stack.data, (block * m + row, block * k + column), shape).tocsr()


def tensordot(a: Any, b: Any, axes: Any) -> Any:
    """Return the sum of products over several axes; see `coo_array.tensordot`."""
    if not issparse(b) and not isinstance(b, ndarray):
        b = as_values(b)
    ours, theirs = _summed_axes(a.ndim, b.ndim, axes)
    if any(a.shape[i] != b.shape[j] for i, j in zip(ours, theirs, strict=True)):
        raise ValueError("sizes of the corresponding axes must match")
    left = [i for i in range(a.ndim) if i not in ours]
    right = [i for i in range(b.ndim) if i not in theirs]
    shape = tuple(a.shape[i] for i in left) + tuple(b.shape[i] for i in right)
    product = _as_matrix(a, left, ours) @ _as_matrix(b, theirs, right)
    if not shape and issparse(product):
        return product.sum()
    return _shaped(product, shape)


def _as_matrix(a: Any, rows: list, columns: list) -> Any:
    """The elements as a matrix whose rows and columns are several axes each."""
    shape = tuple(math.prod(a.shape[i] for i in axes) for axes in (rows, columns))
    order = rows + columns
    return _rows(a.tocoo().transpose(order) if issparse(a) else transpose(a, order), shape)


def _summed_axes(ours: int, theirs: int, axes: Any) -> tuple:
    """Lists of the axes of both operands that are summed over."""
    if isinstance(axes, (list, tuple)):
        a, b = ([k] if isinstance(k, (int, np.integer)) else list(k) for k in axes)
        if len(a) != len(b):
            raise ValueError("axes lists/tuples must be of the same length")
        if any(not -ours <= k < ours for k in a) or any(not -theirs <= k < theirs for k in b):
            raise ValueError("axes indices are out of bounds for input arrays")
        return [k % ours for k in a], [k % theirs for k in b]
    count = operator.index(axes)
    if count > min(ours, theirs):
        raise ValueError("axes integer is out of bounds for input arrays")
    return list(range(ours - count, ours)), list(range(count))


LATER["stacks"] = matmul

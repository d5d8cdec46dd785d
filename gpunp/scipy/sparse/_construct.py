"""Functions that make sparse matrices."""

import math
import numbers
import operator
from typing import Any

import numpy as np

from ..._core._convert import host_ndim, number_on_host, per_axis, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, ndarray, zeros
from ..._core.numeric import ones
from ...random import Generator, RandomState, default_rng
from . import _sparsetools as tools
from ._base import CLASSES, issparse, sparray
from ._compressed import is_foreign
from ._coo import coo_array
from ._sputils import as_values, check_dtype, foreign_array, upcast

__all__ = [
    "block_array",
    "block_diag",
    "bmat",
    "diags",
    "diags_array",
    "expand_dims",
    "eye",
    "eye_array",
    "hstack",
    "identity",
    "kron",
    "kronsum",
    "permute_dims",
    "rand",
    "random",
    "random_array",
    "spdiags",
    "swapaxes",
    "vstack",
]


def _as_sparse(x: Any, is_matrix: bool = True) -> Any:
    """A sparse matrix as it is, anything else as coordinates."""
    return x if issparse(x) else CLASSES["coo", is_matrix](x)


def _as_rows(x: Any, is_matrix: bool = True) -> Any:
    """A sparse matrix of two axes: a vector is a row."""
    a = _as_sparse(x, is_matrix)
    return a.reshape(1, -1).asformat(a.format) if a.ndim == 1 else a


def _wider(index: Any, arrays: Any) -> Any:
    """A type of indices, int64 where those of the parts are."""
    return np.promote_types(index, np.result_type(*{a.dtype for a in arrays}, np.int32))


def _index_arrays(a: Any) -> Any:
    """Arrays whose type is that of a matrix's indices."""
    return a.coords[:1] if a.format == "coo" else [a.indices] if hasattr(a, "indices") else []


def _any_array(parts: Any) -> bool:
    """Whether the result of functions of these is an array rather than a matrix."""
    return any(isinstance(p, sparray) for p in parts)


def _coo(data: ndarray, coords: tuple, shape: tuple, is_matrix: bool, format: Any = None) -> Any:
    return CLASSES["coo", is_matrix]._made(data, coords, shape).asformat(format)


# ---- diagonals

_FLOAT: Any = object()  # the type of `diags` when none is given


def _diagonals(diagonals: Any, offsets: Any, shape: Any, dtype: Any, is_matrix: bool) -> Any:
    if isinstance(offsets, numbers.Integral) or host_ndim(offsets) == 0:
        given = foreign_array(diagonals) if isinstance(diagonals, ndarray) else None
        one = (
            given.ndim < 2
            if given is not None
            else not len(diagonals) or host_ndim(diagonals[0]) == 0
        )
        if not one:  # as in SciPy, even if there is a single one
            raise ValueError("Different number of diagonals and offsets.")
        diagonals, offsets = [diagonals], [offsets]
    else:
        offsets = list(offsets.get() if isinstance(offsets, ndarray) else offsets)
    rows = [foreign_array(d).reshape(-1) for d in diagonals]
    if len(rows) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    offsets = [int(k) for k in offsets]
    if shape is None:
        m = rows[0].size + abs(offsets[0])
        shape = (m, m)
    if dtype is None or dtype is _FLOAT:
        found = upcast(*(r.dtype for r in rows))
        dtype = np.dtype("d") if dtype is _FLOAT and found.kind in "iu" else found
    m, n = shape
    width = max((min(m + k, n - k) + max(0, k) for k in offsets), default=0)
    data = zeros((len(rows), max(width, 0)), check_dtype(dtype))
    for j, (row, k) in enumerate(zip(rows, offsets, strict=True)):
        first, length = max(0, k), min(m + k, n - k, m, n)
        if length < 0:
            raise ValueError(f"Offset {k} (index {j}) out of bounds")
        if row.size not in (1, length) and row.size < length:
            raise ValueError(
                f"Diagonal length (index {j}: {row.size} at offset {k}) does not agree "
                f"with array size ({m}, {n})."
            )
        data[j, first : first + length] = row if row.size == 1 else row[:length]
    return CLASSES["dia", is_matrix]((data, offsets), shape=(m, n))


def diags_array(
    diagonals: Any,
    /,
    *,
    offsets: Any = 0,
    shape: Any = None,
    format: Any = None,
    dtype: Any = _FLOAT,
) -> Any:
    """Make an array of diagonals.

    Parameters
    ----------
    diagonals : sequence of array_like
        Elements of each diagonal, or one number for all of them.
    offsets : int or sequence of int, optional
        Places of the diagonals, positive above the main one.
    shape : tuple of int, optional
        Shape of the result, by default square and just large enough.
    format : str, optional
        Format of the result, by default "dia".
    dtype : dtype, optional
        Type of the values; None: that of the diagonals. By default integers become float64.

    Returns
    -------
    sparse array
        Array with these diagonals.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.diags_array([1.0, -2.0], offsets=[0, 1], shape=(2, 2)).toarray()
    array([[ 1., -2.],
           [ 0.,  1.]])
    """
    return _diagonals(diagonals, offsets, shape, dtype, False).asformat(format)


@documented_as(diags_array)
def diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = _FLOAT
) -> Any:
    """Make a matrix of diagonals."""
    return _diagonals(diagonals, offsets, shape, dtype, True).asformat(format)


def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    """Make a matrix of diagonals whose elements lie at the places of their columns.

    Parameters
    ----------
    data : array_like
        Elements, a row for each diagonal.
    diags : sequence of int
        Places of the diagonals, positive above the main one.
    m : int or tuple of int, optional
        Number of rows, or the shape.
    n : int, optional
        Number of columns of the result.
    format : str, optional
        Format of the result, by default "dia".

    Returns
    -------
    sparse matrix
        Matrix with these diagonals.
    """
    if m is None and n is None:
        m = n = len(data[0])
    elif n is None:
        m, n = m
    return CLASSES["dia", True]((data, diags), shape=(m, n)).asformat(format)


def _eye(m: int, n: Any, k: int, dtype: Any, format: Any, is_matrix: bool) -> Any:
    m = int(m)
    n, k = m if n is None else int(n), operator.index(k)
    if not -m <= k <= n:
        raise ValueError(f"Offset {k} (index 0) out of bounds")
    index = tools.index_dtype(m, n)
    if format in ("csr", "csc") and m == n and k == 0:
        made = CLASSES[format, is_matrix](
            (ones(m, check_dtype(dtype)), arange(m, dtype=index), arange(m + 1, dtype=index)),
            shape=(m, n),
        )
        made.has_canonical_format = True
        return made
    data = ones((1, max(0, min(m + k, n))), check_dtype(dtype))
    return CLASSES["dia", is_matrix]((data, [k]), shape=(m, n)).asformat(format)


def eye_array(m: int, n: Any = None, *, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    """Make an array with ones on a diagonal.

    Parameters
    ----------
    m : int
        Number of rows of the result.
    n : int, optional
        Number of columns, by default that of rows.
    k : int, optional
        Place of the diagonal, positive above the main one.
    dtype : dtype, optional
        Type of the values, float64 by default.
    format : str, optional
        Format of the result, by default "dia".

    Returns
    -------
    sparse array
        Array with ones on the diagonal.
    """
    return _eye(m, n, k, dtype, format, False)


@documented_as(eye_array)
def eye(m: int, n: Any = None, k: int = 0, dtype: Any = float, format: Any = None) -> Any:
    """Make a matrix with ones on a diagonal."""
    return _eye(m, n, k, dtype, format, True)


def identity(n: int, dtype: Any = "d", format: Any = None) -> Any:
    """Make a square matrix with ones on the main diagonal.

    Parameters
    ----------
    n : int
        Number of rows and of columns.
    dtype : dtype, optional
        Type of the values, float64 by default.
    format : str, optional
        Format of the result, by default "dia".

    Returns
    -------
    sparse matrix
        Identity matrix of that size.
    """
    return _eye(n, n, 0, dtype, format, True)


# ---- products of Kronecker


def kron(A: Any, B: Any, format: Any = None) -> Any:
    """Compute the Kronecker product.

    Parameters
    ----------
    A : sparse matrix or ndarray
        Left operand, whose elements become blocks.
    B : sparse matrix or ndarray
        Right operand, which the blocks are multiples of.
    format : str, optional
        Format of the result, by default "bsr" where `B` is rather dense, else "coo".

    Returns
    -------
    sparse matrix
        Product of both operands.
    """
    is_matrix = not _any_array([A, B])
    B, A = _as_sparse(B, is_matrix), _as_sparse(A, is_matrix)
    a, b = _same_rank(A.tocoo(), B.tocoo())
    shape = tuple(m * n for m, n in zip(a.shape, b.shape, strict=True))
    two = A.ndim == B.ndim == 2
    blocks = two and format in (None, "bsr") and 2 * B.nnz >= B.shape[0] * B.shape[1]
    dtype = np.result_type(a.dtype, b.dtype)
    if not a.nnz or not b.nnz:
        return CLASSES["coo", is_matrix](shape, dtype=dtype).asformat(format)
    index = tools.index_dtype(*shape)
    if blocks:
        rows = A.tocsr()
        data = rows.data.reshape(-1, 1, 1) * B.toarray()
        parts = data, rows.indices, rows.indptr
        return CLASSES["bsr", is_matrix](parts, shape=shape).asformat(format)
    coords = tuple(
        ((x.astype(index) * n).reshape(-1, 1) + y.astype(index).reshape(1, -1)).reshape(-1)
        for x, y, n in zip(a.coords, b.coords, b.shape, strict=True)
    )
    data = (a.data.reshape(-1, 1) * b.data.reshape(1, -1)).reshape(-1)
    return _coo(data, coords, shape, is_matrix, format)


def _same_rank(a: Any, b: Any) -> tuple:
    """Coordinates with axes of length one in front of the one that has fewer."""
    rank = max(a.ndim, b.ndim)
    return tuple(x._reshaped((1,) * (rank - x.ndim) + x.shape) for x in (a, b))


def kronsum(A: Any, B: Any, format: Any = None) -> Any:
    """Compute the Kronecker sum of square matrices.

    Parameters
    ----------
    A : sparse matrix or ndarray
        Square matrix that varies fast.
    B : sparse matrix or ndarray
        Square matrix that varies slowly.
    format : str, optional
        Format of the result, by default "csr".

    Returns
    -------
    sparse matrix
        ``kron(I, A) + kron(B, I)`` with identities of fitting sizes.
    """
    is_matrix = not _any_array([A, B])
    A, B = _as_sparse(A, is_matrix), _as_sparse(B, is_matrix)
    for name, x in (("A", A), ("B", B)):
        if x.ndim != 2:
            raise ValueError(f"kronsum requires 2D inputs, {name} is {x.ndim}D")
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"{name} is not square")
    dtype = np.result_type(A.dtype, B.dtype)
    first = kron(_eye(B.shape[0], None, 0, dtype, None, is_matrix), A, format="coo")
    second = kron(B, _eye(A.shape[0], None, 0, dtype, None, is_matrix), format="coo")
    return (first + second).asformat(format)


# ---- blocks


def _stacked(blocks: list, axis: int, dtype: Any) -> Any:
    """Compressed parts one behind the other along their own axis."""
    kind = ("csr", "csc")[axis]
    first = blocks[0]
    if any(b.shape[1 - axis] != first.shape[1 - axis] for b in blocks):
        raise ValueError("Mismatching dimensions along the other axis")
    dtype = upcast(*(b.dtype for b in blocks)) if dtype is None else check_dtype(dtype)
    shape = list(first.shape)
    shape[axis] = sum(b.shape[axis] for b in blocks)
    index = tools.index_dtype(*shape, sum(b.data.size for b in blocks))
    index = _wider(index, [b.indices for b in blocks])
    begins, count = [], 0
    for b in blocks:
        begins.append(b.indptr[:-1].astype(index) + count)
        count += b.data.size
    end = zeros(1, index) + count
    made = object.__new__(CLASSES[kind, not _any_array(blocks)])
    made.data = tools.joined([b.data.astype(dtype, copy=False) for b in blocks])
    made.indices = tools.joined([b.indices.astype(index, copy=False) for b in blocks])
    made.indptr = tools.joined([*begins, end.astype(index)])
    made._shape, made._flags = tuple(shape), {}
    if any("unchecked" in b._flags for b in blocks):
        made._flags = {"unchecked": None}
    elif all(b._flags.get("unique") for b in blocks):
        made._flags = {"sorted": True, "unique": True}
    return made


def _row(blocks: Any) -> list:
    """The blocks of one row or column."""
    if getattr(blocks, "ndim", 1) == 0:
        raise ValueError("blocks must be a sequence of matrices, not a 0-d array")
    return list(blocks)


def _blocks(rows: Any, format: Any, dtype: Any, is_array: bool) -> Any:
    if not isinstance(rows, (list, tuple, ndarray, np.ndarray)):
        raise ValueError(f"blocks must be 2-D, not {type(rows).__name__}")
    if isinstance(rows, (ndarray, np.ndarray)) and rows.ndim < 2:
        raise ValueError(f"blocks must be 2-D, not {rows.ndim}-D")
    grid = [[None if b is None else _as_rows(b, not is_array) for b in row] for row in rows]
    if not grid or any(len(row) != len(grid[0]) for row in grid):
        raise ValueError("blocks must be 2-D")
    flat = [b for row in grid for b in row if b is not None]
    if any(b.ndim != 2 for b in flat):
        raise ValueError("blocks must be 2-D at most")
    is_matrix = not _any_array(flat) and not is_array
    for axis, lines in ((0, grid), (1, list(zip(*grid, strict=True)))):
        kind = ("csr", "csc")[axis]
        if (
            all(len(other) == 1 for other in (grid if axis == 0 else [grid]))
            and all(b is not None and b.format == kind for line in lines for b in line)
            and format in (None, kind)
        ):
            return _stacked(flat, axis, dtype)
    kinds = {b.format for b in flat}
    if format is None and min(len(grid), len(grid[0])) == 1 and len(kinds) == 1:
        format = {"csr": "csr", "csc": "csc"}.get(*kinds)
    heights, widths = _sizes_of_blocks(grid)
    shape = sum(heights), sum(widths)
    if dtype is None:
        dtype = upcast(*(b.dtype for b in flat)) if flat else np.dtype("d")
    index = _wider(tools.index_dtype(*shape), [c for b in flat for c in _index_arrays(b)])
    data, first, second = [zeros(0, dtype)], [zeros(0, index)], [zeros(0, index)]
    for i, row in enumerate(grid):
        for j, b in enumerate(row):
            if b is not None:
                c = b.tocoo()
                data.append(c.data.astype(dtype, copy=False))
                first.append(c.row.astype(index, copy=False) + sum(heights[:i]))
                second.append(c.col.astype(index, copy=False) + sum(widths[:j]))
    coords = tools.joined(first).astype(index, copy=False), tools.joined(second)
    return _coo(tools.joined(data), coords, shape, is_matrix, format)


def _sizes_of_blocks(grid: list) -> tuple[list[int], list[int]]:
    """Heights of the rows of a grid of blocks, and widths of its columns."""
    heights, widths = [0] * len(grid), [0] * len(grid[0])
    for i, row in enumerate(grid):
        for j, b in enumerate(row):
            if b is None:
                continue
            for sizes, k, axis in ((heights, i, 0), (widths, j, 1)):
                if sizes[k] not in (0, b.shape[axis]):
                    raise ValueError(
                        f"blocks[{i},{j}] has incompatible dimensions: {b.shape[axis]} in axis "
                        f"{axis}, not {sizes[k]}"
                    )
                sizes[k] = b.shape[axis]
    return heights, widths


def block_array(blocks: Any, *, format: Any = None, dtype: Any = None) -> Any:
    """Make an array of a grid of blocks.

    Parameters
    ----------
    blocks : sequence of sequences of sparse matrices
        Blocks row by row; None stands for zeros.
    format : str, optional
        Format of the result, by default one that fits the blocks.
    dtype : dtype, optional
        Type of the values, by default that of the blocks.

    Returns
    -------
    sparse array
        Array composed of the blocks.
    """
    return _blocks(blocks, format, dtype, True)


@documented_as(block_array)
def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """Make a matrix of a grid of blocks, or an array where one of them is."""
    return _blocks(blocks, format, dtype, False)


def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """Put matrices side by side.

    Does not wait for the device if all are in compressed columns or the result is in coordinates.

    Parameters
    ----------
    blocks : sequence of sparse matrices
        Matrices of equally many rows.
    format : str, optional
        Format of the result, by default one that fits the blocks.
    dtype : dtype, optional
        Type of the values, by default that of the blocks.

    Returns
    -------
    sparse matrix
        Columns of all of them.
    """
    return _blocks([_row(blocks)], format, dtype, False)


def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """Put matrices on top of each other.

    Does not wait for the device if all are in compressed rows or the result is in coordinates.

    Parameters
    ----------
    blocks : sequence of sparse matrices
        Matrices of equally many columns.
    format : str, optional
        Format of the result, by default one that fits the blocks.
    dtype : dtype, optional
        Type of the values, by default that of the blocks.

    Returns
    -------
    sparse matrix
        Rows of all of them.
    """
    return _blocks([[b] for b in _row(blocks)], format, dtype, False)


def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    """Put matrices along the diagonal of one that is zero elsewhere.

    Parameters
    ----------
    mats : sequence of sparse matrices, arrays or numbers
        Blocks from the upper left to the lower right.
    format : str, optional
        Format of the result, by default "coo".
    dtype : dtype, optional
        Type of the values, by default that of the blocks.

    Returns
    -------
    sparse matrix
        Matrix with the blocks on its diagonal.
    """
    given = list(mats)
    is_matrix = not _any_array(given)
    blocks = []
    for b in given:
        if issparse(b) or is_foreign(b):
            blocks.append(_as_rows(b, is_matrix).tocoo())
        else:
            a = as_values(b)
            a = a.reshape((1,) * (2 - a.ndim) + a.shape) if a.ndim < 2 else a
            flat = arange(a.size, dtype=np.int64)
            coords = flat // max(a.shape[1], 1), flat % max(a.shape[1], 1)
            blocks.append(CLASSES["coo", is_matrix]._made(a.reshape(-1), coords, a.shape))
    grid = [[b if i == j else None for j in range(len(blocks))] for i, b in enumerate(blocks)]
    if not grid:
        raise ValueError("need at least one block")
    return _blocks(grid, format, dtype, not is_matrix)


# ---- random elements


def random_array(
    shape: Any,
    *,
    density: float = 0.01,
    format: str = "coo",
    dtype: Any = None,
    rng: Any = None,
    data_sampler: Any = None,
    random_state: Any = None,
) -> Any:
    """Make an array with random values at random places.

    Parameters
    ----------
    shape : int or tuple of int
        Lengths of the axes of the result.
    density : float, optional
        Part of the elements that has values, from 0 to 1.
    format : str, optional
        Format of the result, by default "coo".
    dtype : dtype, optional
        Type of the values, float64 by default.
    rng : int, Generator or RandomState, optional
        Generator of random numbers of this library, or a seed of one.
    data_sampler : callable, optional
        Function of the argument `size` that returns values; uniform numbers by default.
    random_state : int, Generator or RandomState, optional
        Older name of the parameter `rng`.

    Returns
    -------
    sparse array
        Array with ``round(density * size)`` values.

    Notes
    -----
    Numbers of the same seed differ from SciPy's. The places are drawn by sorting random numbers of
    the places where more than a third has values, otherwise by drawing until there are enough.
    """
    return _random(shape, density, format, dtype, rng, random_state, data_sampler, False)


def _generator(rng: Any) -> Any:
    return rng if isinstance(rng, (Generator, RandomState)) else default_rng(rng)


def _random(
    shape: Any,
    density: float,
    format: Any,
    dtype: Any,
    rng: Any,
    random_state: Any,
    sampler: Any,
    is_matrix: bool,
) -> Any:
    if density is None or not 0 <= density <= 1:
        raise ValueError("density expected to be 0 <= density <= 1")
    shape = tuple(int(n) for n in per_axis(shape)) if host_ndim(shape) else (operator.index(shape),)
    if not shape:
        raise ValueError("shape must have one axis or more")
    generator = _generator(random_state if rng is None else rng)
    size = math.prod(shape)
    count = round(density * size)
    flat = _places(generator, size, count)
    dtype = np.dtype("d" if dtype is None else dtype)
    if sampler is not None:
        data = foreign_array(sampler(size=count)).astype(dtype)
    else:
        data = _uniform(generator, count, dtype)
    index = tools.index_dtype(size)
    made = (
        CLASSES["coo", False]._made(data, (flat.astype(index),), (max(size, 1),))._reshaped(shape)
    )
    return _coo(made.data, made.coords, shape, is_matrix, format)


def _draw(generator: Any, count: int) -> ndarray:
    return (
        generator.random(count) if hasattr(generator, "random") else generator.random_sample(count)
    )


def _uniform(generator: Any, count: int, dtype: np.dtype) -> ndarray:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        draw = generator.integers if hasattr(generator, "integers") else generator.randint
        return draw(info.min, info.max, count, dtype=dtype)
    if dtype.kind == "b":
        return ones(count, bool)
    first = _draw(generator, count)
    return (first + 1j * _draw(generator, count) if dtype.kind == "c" else first).astype(dtype)


def _places(generator: Any, size: int, count: int) -> ndarray:
    """`count` different numbers below `size`, in ascending order."""
    if 3 * count > size:
        order = tools.order_of(_draw(generator, size))[1][:count]
        return tools.order_of(order)[0]
    found = zeros(0, np.int64)
    while found.size < count:
        more = (_draw(generator, 2 * (count - found.size) + 16) * size).astype(np.int64)
        keys = tools.order_of(tools.joined([found, more]))[0]
        begins = tools.run_begins(keys, np.int64)
        found = keys if begins is None else keys[begins[:-1]]
    order = tools.order_of(_draw(generator, found.size))[1][:count]
    return tools.order_of(found[order])[0]


def random(
    m: int,
    n: int,
    density: float = 0.01,
    format: str = "coo",
    dtype: Any = None,
    rng: Any = None,
    data_rvs: Any = None,
    *,
    random_state: Any = None,
) -> Any:
    """Make a matrix with random values at random places.

    Parameters
    ----------
    m : int
        Number of rows of the result.
    n : int
        Number of columns of the result.
    density : float, optional
        Part of the elements that has values, from 0 to 1.
    format : str, optional
        Format of the result, by default "coo".
    dtype : dtype, optional
        Type of the values, float64 by default.
    rng : int, Generator or RandomState, optional
        Generator of random numbers of this library, or a seed of one.
    data_rvs : callable, optional
        Function of a number that returns so many values; uniform numbers by default.
    random_state : int, Generator or RandomState, optional
        Older name of the parameter `rng`.

    Returns
    -------
    sparse matrix
        Matrix with ``round(density * m * n)`` values.
    """
    sampler = None if data_rvs is None else lambda size: data_rvs(size)
    return _random((m, n), density, format, dtype, rng, random_state, sampler, True)


@documented_as(random)
def rand(
    m: int,
    n: int,
    density: float = 0.01,
    format: str = "coo",
    dtype: Any = None,
    rng: Any = None,
    *,
    random_state: Any = None,
) -> Any:
    """Make a matrix with uniform random values at random places."""
    return random(m, n, density, format, dtype, rng, random_state=random_state)


# ---- axes


def expand_dims(A: Any, /, *, axis: int = 0) -> Any:
    """Insert an axis of length one into an array of coordinates.

    Parameters
    ----------
    A : sparse array
        Array that gets the new axis.
    axis : int, optional
        Place of the axis in the result.

    Returns
    -------
    coo_array
        Array of one more axis.
    """
    a = _as_sparse(A, False).tocoo()
    try:
        axis = operator.index(axis)
    except TypeError:
        raise ValueError(f"axis must be an integer, not {type(axis).__name__}") from None
    if not -a.ndim - 1 <= axis <= a.ndim:
        raise ValueError(f"Invalid axis {axis} for an array of {a.ndim} axes")
    axis %= a.ndim + 1
    coords = list(a.coords)
    coords.insert(axis, zeros(a.data.size, coords[0].dtype))
    shape = (*a.shape[:axis], 1, *a.shape[axis:])
    return coo_array._made(a.data, coords, shape, a.has_canonical_format)


def permute_dims(A: Any, axes: Any = None, copy: bool = False) -> Any:
    """Reorder the axes of an array of coordinates.

    Parameters
    ----------
    A : sparse array
        Array whose axes are reordered.
    axes : sequence of int, optional
        New order, by default reversed.
    copy : bool, optional
        If True, the result shares no memory with `A`.

    Returns
    -------
    coo_array
        Array with its axes in the new order.
    """
    a = _as_sparse(A, False).tocoo()
    if axes is not None:
        axes = per_axis(axes)
        if len(axes) != a.ndim:
            raise ValueError(f"axes must be {a.ndim} integers, not {len(axes)}")
        if not all(hasattr(type(n), "__index__") for n in axes):
            raise TypeError(f"axes must be integers, not {shown(axes)}")
        axes = tuple(map(operator.index, axes))
        if not all(-a.ndim <= n < a.ndim for n in axes):
            raise ValueError(f"axes {axes} are out of range for {a.ndim} axes")
    return a.transpose(axes, copy)


def _axis_of(a: Any, axis: Any) -> int:
    """An axis of a sparse array, counted from the first one."""
    axis = number_on_host(axis)
    if not isinstance(axis, (int, np.integer)) or not -a.ndim <= axis < a.ndim:
        raise ValueError(f"Invalid axis: {axis} is no axis of {a.ndim} axes")
    return int(axis) % a.ndim


def swapaxes(A: Any, axis1: int, axis2: int) -> Any:
    """Exchange two axes of an array of coordinates.

    Parameters
    ----------
    A : sparse array
        Array whose axes are exchanged.
    axis1 : int
        First of the two axes.
    axis2 : int
        Second of the two axes.

    Returns
    -------
    coo_array
        Array with both axes exchanged.
    """
    a = _as_sparse(A, False).tocoo()
    order = list(range(a.ndim))
    axis1, axis2 = _axis_of(a, axis1), _axis_of(a, axis2)
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return a.transpose(order)

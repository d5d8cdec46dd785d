"""Grids and indices by subscripting: mgrid, ogrid, r_, c_, s_, ix_ and the diagonals' indices."""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import index_exp, ndindex, s_

from .._core._convert import MAX_DIMS, as_array, as_host, check_cast, host_ndim
from .._core.function_base import linspace
from .._core.multiarray import arange, array, asarray, concatenate, empty, ndarray, result_type
from .._core.numeric import moveaxis

__all__ = [
    "c_",
    "diag_indices",
    "diag_indices_from",
    "fill_diagonal",
    "index_exp",
    "ix_",
    "mgrid",
    "ndenumerate",
    "ndindex",
    "ogrid",
    "r_",
    "s_",
]


def _bounds(key: slice) -> list[Any]:
    """Numbers of a slice that determine the type of a grid; Python numbers only if there are no
    others.
    """
    bounds = [x for x in (key.start, key.stop, key.step) if x is not None]
    bounds = [x.dtype.type(x.item()) if isinstance(x, ndarray) else x for x in bounds]
    return [abs(x) if isinstance(x, (complex, np.complexfloating)) else x for x in bounds]


def _axis_values(key: slice) -> ndarray:
    """The values of one slice of a grid; a complex step counts them."""
    start: Any = 0 if key.start is None else key.start
    step: Any = 1 if key.step is None else key.step
    stop: Any = key.stop
    start, stop, step = (x.item() if isinstance(x, ndarray) else x for x in (start, stop, step))
    if not isinstance(step, (complex, np.complexfloating)):
        return arange(start, stop, step)
    values = linspace(float(start), float(stop), int(abs(complex(step))))
    if np.result_type(as_host(start), as_host(stop)).kind == "f":
        kept = np.result_type(as_host(start), as_host(stop), as_host(abs(complex(step))))
        values = values.astype(kept, copy=False)
    return values


class _Grid:
    """A grid made by subscripting with slices; a complex step counts the points instead."""

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _axis_values(key)
        ndim = len(key)
        axes = []
        for k in key:
            if not isinstance(k, slice):
                raise TypeError(f"a grid is made of slices, not {type(k).__name__}")
            axes.append(_axis_values(k))
        dtype = np.result_type(0, *(x for k in key for x in _bounds(k)))
        views = tuple(
            a.astype(dtype, copy=False).reshape((1,) * i + (a.size,) + (1,) * (ndim - i - 1))
            for i, a in enumerate(axes)
        )
        if self.sparse:
            return views
        grid = empty((ndim, *(a.size for a in axes)), dtype)
        for i, view in enumerate(views):
            grid[i] = view
        return grid

    def __repr__(self) -> str:
        return "gpunp.ogrid" if self.sparse else "gpunp.mgrid"


mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)


class _Joiner:
    """Arrays, scalars and slices joined by subscripting."""

    def __init__(self, name: str, axis: int = 0, ndmin: int = 1, trans1d: int = -1) -> None:
        self._name, self._axis, self._ndmin, self._trans1d = name, axis, ndmin, trans1d

    def __repr__(self) -> str:
        return f"gpunp.{self._name}"

    def __len__(self) -> int:
        return 0

    def __getitem__(self, key: Any) -> ndarray:
        key = key if isinstance(key, tuple) else (key,)
        axis, ndmin, trans1d = self._axis, self._ndmin, self._trans1d
        if key and isinstance(key[0], str):
            axis, ndmin, trans1d = self._directive(key[0])
            key = key[1:]
        pieces: list[Any] = []
        types: list[Any] = []
        for item in key:
            if isinstance(item, str):
                raise ValueError("special directives must be the first entry.")
            piece = _axis_values(item) if isinstance(item, slice) else item
            scalar = not isinstance(piece, ndarray) and host_ndim(piece) == 0
            types.append(piece if scalar else as_array(piece).dtype)
            given = 0 if scalar else as_array(piece).ndim
            if not scalar:
                piece = array(piece, copy=None, ndmin=ndmin)
            if not scalar and trans1d != -1 and given < ndmin:
                piece = self._place(piece, given, ndmin, trans1d)
            pieces.append(piece)
        if not pieces:
            raise ValueError("need at least one array to concatenate")
        dtype = result_type(*types)
        return concatenate([array(p, dtype, copy=None, ndmin=ndmin) for p in pieces], axis=axis)

    @staticmethod
    def _place(piece: ndarray, ndim: int, ndmin: int, trans1d: int) -> ndarray:
        """Move the axes of a piece to their positions in the result."""
        k = trans1d + (ndmin - ndim) + 1 if trans1d < 0 else trans1d
        axes = list(range(ndmin))
        return piece.transpose(axes[:k] + axes[ndmin - ndim :] + axes[k : ndmin - ndim])

    def _directive(self, text: str) -> tuple[int, int, int]:
        if text in ("r", "c"):
            raise TypeError(f"{text!r} asks for a numpy.matrix, which does not exist on the device")
        parts = text.split(",")
        try:
            if len(parts) == 1:
                return int(parts[0]), self._ndmin, self._trans1d
            if len(parts) == 2:
                return int(parts[0]), int(parts[1]), self._trans1d
            axis, ndmin, trans1d = (int(p) for p in parts)
            return axis, ndmin, trans1d
        except ValueError:
            raise ValueError(f"unknown special directive {text!r}") from None


r_ = _Joiner("r_")
c_ = _Joiner("c_", axis=-1, ndmin=2, trans1d=0)


def ix_(*args) -> tuple[ndarray, ...]:
    """Construct an open mesh from index vectors, one along each axis. Boolean vectors wait.

    Parameters
    ----------
    *args : array_like
        Vectors of indices, or of bool.

    Returns
    -------
    tuple of ndarray
        Views that broadcast to the grid.

    Raises
    ------
    ValueError
        If an argument is not a vector.

    Examples
    --------
    >>> import gpunp as cp
    >>> [i.shape for i in cp.ix_(cp.array([0, 1]), cp.array([2, 4, 6]))]
    [(2, 1), (1, 3)]
    """
    out = []
    for k, arg in enumerate(args):
        new = as_array(arg)
        if new.size == 0 and not isinstance(arg, ndarray):
            new = new.astype(np.intp)
        if new.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if new.dtype == np.bool_:
            (new,) = new.nonzero()
        out.append(new.reshape((1,) * k + (new.size,) + (1,) * (len(args) - k - 1)))
    return tuple(out)


class ndenumerate:
    """Iterator over (index, element) pairs; the elements are copied to the host once.

    Parameters
    ----------
    arr : array_like
        Array whose elements are iterated, in C order.

    Examples
    --------
    >>> import gpunp as cp
    >>> [(index, int(x)) for index, x in cp.ndenumerate(cp.array([[1, 2]]))]
    [((0, 0), 1), ((0, 1), 2)]
    """

    def __init__(self, arr: Any) -> None:
        self._pairs = np.ndenumerate(as_array(arr).get())

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return next(self._pairs)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        return self


def fill_diagonal(a, val, wrap=False) -> None:
    """Fill the main diagonal of an array with a value, or with repeated values.

    Parameters
    ----------
    a : ndarray
        Array that is modified in place: of two dimensions, or of more with equal lengths.
    val : array_like
        Value or values to write; they are repeated as needed.
    wrap : bool, optional
        If True, the diagonal of a tall matrix continues after its square part.

    Raises
    ------
    ValueError
        If the shape of `a` does not fit, or there are no values.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.zeros((2, 2), int)
    >>> cp.fill_diagonal(a, 5)
    >>> a
    array([[5, 0],
           [0, 5]])
    """
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    if type(val) in (bool, int, float, complex):
        for view in _diagonals(a, wrap):
            view[...] = val
        return
    values = asarray(val, a.dtype if a.dtype.kind in "mMV" else None).ravel()
    check_cast(values.dtype, a.dtype, "unsafe")
    if values.size == 0:
        raise ValueError("cannot fill a diagonal from no values")
    written = 0
    for view in _diagonals(a, wrap):
        n = view.shape[0]
        if values.size == 1:
            view[...] = values
        elif written + n <= values.size:
            view[...] = values[written : written + n]
        else:
            copies = -(-(written + n) // values.size)
            view[...] = concatenate((values,) * copies)[written : written + n]
        written += n


def _diagonals(a: ndarray, wrap: bool) -> Iterator[ndarray]:
    """Views of the diagonal, and of its continuations below a tall matrix when wrapping."""
    if a.ndim > 2:
        diagonal = a
        while diagonal.ndim > 1:
            diagonal = (
                diagonal.diagonal(0, 0, 1) if diagonal.ndim == 2 else _leading_diagonal(diagonal)
            )
        yield diagonal
        return
    rows, columns = a.shape
    yield a[:columns].diagonal()
    if wrap:
        for top in range(columns + 1, rows, columns + 1):
            yield a[top : top + columns].diagonal()


def _leading_diagonal(a: ndarray) -> ndarray:
    """Diagonal of the first two axes, as the first axis."""
    return moveaxis(a.diagonal(0, 0, 1), -1, 0)


def diag_indices(n, ndim=2) -> tuple[ndarray, ...]:
    """Return the indices of the main diagonal of an array with `ndim` axes of length `n`.

    Parameters
    ----------
    n : int
        Length of each axis.
    ndim : int, optional
        Number of dimensions of the array.

    Returns
    -------
    tuple of ndarray
        One index array of int64 for each axis.

    Raises
    ------
    ValueError
        If `ndim` is more than 64.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.diag_indices(3)
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    ndim = operator.index(ndim)
    if ndim > MAX_DIMS:
        raise ValueError(f"maximum supported dimension for an ndarray is {MAX_DIMS}")
    return (arange(n),) * ndim


def diag_indices_from(arr) -> tuple[ndarray, ...]:
    """Return the indices of the main diagonal of an array whose axes have equal lengths.

    Parameters
    ----------
    arr : ndarray
        Array of at least two dimensions.

    Returns
    -------
    tuple of ndarray
        One index array of int64 for each axis.

    Raises
    ------
    ValueError
        If there are fewer dimensions, or axes of different lengths.
    """
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)

"""Example data, equal for NumPy and gpunp: it is made on the host from a seed."""

import math
from typing import Any

import numpy as np

from .._core._docstrings import documented_as

__all__ = [
    "generate_matrix",
    "shaped_arange",
    "shaped_linspace",
    "shaped_random",
    "shaped_reverse_arange",
    "shaped_sparse_random",
]


def _filled(values: Any, shape: Any, xp: Any, dtype: Any, order: str) -> Any:
    return xp.asarray(np.asarray(values).reshape(shape).astype(dtype), order=order)


def shaped_arange(shape, xp=None, dtype=np.float32, order="C"):
    """Return an array of a given shape with the elements 1, 2, 3 ..

    Parameters
    ----------
    shape : tuple of int
        Shape of the array.
    xp : module, optional
        Module of the result, numpy or gpunp. By default gpunp.
    dtype : dtype, optional
        Type of the elements.
    order : {'C', 'F'}, optional
        Memory layout of the result.

    Returns
    -------
    ndarray
        Array of the module `xp`.
    """
    size = int(np.prod(shape))
    return _filled(np.arange(1, size + 1), shape, _module(xp), dtype, order)


@documented_as(shaped_arange)
def shaped_reverse_arange(shape, xp=None, dtype=np.float32):
    """Return an array of a given shape with the elements size, size - 1 ... 1."""
    size = int(np.prod(shape))
    return _filled(np.arange(size, 0, -1), shape, _module(xp), dtype, "C")


@documented_as(shaped_arange)
def shaped_random(shape, xp=None, dtype=np.float32, scale=10, seed=0, order="C"):
    """Return an array of random numbers: booleans, or in [0, `scale`), in both parts if complex.

    Parameters
    ----------
    scale : float, optional
        Upper end of the range.
    seed : int, optional
        Seed: equal seeds give equal numbers.
    """
    rng = np.random.RandomState(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return _filled(rng.randint(2, size=shape), shape, _module(xp), dtype, order)
    values = rng.rand(*np.atleast_1d(shape)) if shape != () else rng.rand()
    if dtype.kind == "c":
        values = values + 1j * rng.rand(*np.atleast_1d(shape)) if shape != () else values + 0j
    return _filled(values * scale, shape, _module(xp), dtype, order)


def _module(xp: Any) -> Any:
    if xp is not None:
        return xp
    import gpunp

    return gpunp


@documented_as(shaped_arange)
def shaped_linspace(start, stop, shape, xp=None, dtype=np.float32):
    """Return an array of a given shape with evenly spaced numbers from `start` to `stop`.

    Parameters
    ----------
    start : float
        First number of the sequence.
    stop : float
        Last number of the sequence.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.testing.shaped_linspace(0, 1, (3,))
    array([0. , 0.5, 1. ], dtype=float32)
    """
    shape = (shape,) if np.isscalar(shape) else tuple(shape)
    values = np.linspace(start, stop, math.prod(shape))
    return _filled(values, shape, _module(xp), dtype, "C")


def shaped_sparse_random(shape, sp=None, dtype=np.float32, density=0.01, format="coo", seed=0):
    """Return a random sparse matrix of the module `sp`: scipy.sparse, or (None) gpunp.scipy.sparse.

    Parameters
    ----------
    shape : tuple of int
        Shape of the matrix.
    sp : module, optional
        Module of the result, such as scipy.sparse.
    dtype : dtype, optional
        Type of the elements.
    density : float, optional
        Fraction of elements that are nonzero.
    format : str, optional
        Sparse format of the matrix.
    seed : int, optional
        Seed: equal seeds give equal numbers.

    Returns
    -------
    sparse matrix
        Matrix of the module `sp`.
    """
    import scipy.sparse

    if sp is None:
        from ..scipy import sparse as sp
    rng = np.random.RandomState(seed)
    made = scipy.sparse.random(*shape, density=density, format=format, random_state=rng)
    if np.dtype(dtype).kind == "c":
        made.data = made.data + 1j * rng.rand(made.data.size)
    made = made.astype(dtype)
    return made if sp is scipy.sparse else getattr(sp, format + "_matrix")(made)


def generate_matrix(shape, xp=None, dtype=np.float32, *, singular_values=None):
    """Return a random matrix, or a stack of them, with given singular values.

    Parameters
    ----------
    shape : tuple of int
        Shape of the matrices, (..., M, N).
    xp : module, optional
        Module of the result. By default gpunp.
    dtype : dtype
        Floating or complex type of the result.
    singular_values : array_like
        Singular values, broadcast to (..., min(M, N)).

    Returns
    -------
    ndarray
        Product of random unitary matrices with the singular values between them.

    Examples
    --------
    >>> import gpunp as cp, numpy as np
    >>> a = cp.testing.generate_matrix((3, 2), np, np.float64, singular_values=[2, 1])
    >>> np.linalg.svd(a, compute_uv=False).round(6)
    array([2., 1.])
    """
    dtype = np.dtype(dtype)
    if dtype.kind not in "fc":
        raise ValueError(f"dtype must be floating or complex, not {dtype}")
    if singular_values is None:
        raise TypeError("singular_values is not given")
    if len(shape) < 2:
        raise ValueError(f"shape {shape} must have two axes or more")
    m, n = shape[-2:]
    k = min(m, n)
    rng = np.random.RandomState(np.random.randint(2**31))  # fix_random makes it repeat

    def unitary(rows: int) -> Any:
        """`k` orthonormal columns of so many rows, for every matrix of the stack."""
        values = rng.normal(size=(*shape[:-2], rows, k))
        if dtype.kind == "c":
            values = values + 1j * rng.normal(size=values.shape)
        return np.linalg.qr(values)[0]

    left, right = unitary(m), unitary(n)
    middle = np.broadcast_to(np.asarray(singular_values), (*shape[:-2], k))
    made = left * middle[..., None, :] @ right.conj().swapaxes(-2, -1)
    return _module(xp).asarray(made.astype(dtype))

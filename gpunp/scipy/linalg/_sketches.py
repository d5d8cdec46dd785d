"""Sketches of matrices by random projections."""

import math
import operator
from typing import Any

import numpy as np

from ..._core._convert import as_array, shown
from ..._core.multiarray import asarray, ndarray
from ..._core.numeric import moveaxis
from ..._core.randomness import host_generator
from .._host import to_host

__all__ = ["clarkson_woodruff_transform"]


def _generator(rng: Any, seed: Any) -> Any:
    """NumPy's generator of `rng`, or what `scipy.linalg` makes of the older `seed`."""
    if seed is None:
        return host_generator(rng)
    if rng is not None:
        raise TypeError("give `rng` or `seed`, not both")
    if isinstance(seed, (np.random.Generator, np.random.RandomState)):
        return seed
    if not isinstance(seed, (int, np.integer)):
        raise ValueError(f"seed must be an integer or a generator of NumPy, not {shown(seed)}")
    return np.random.RandomState(int(seed))


def clarkson_woodruff_transform(input_matrix, sketch_size, rng=None, *, seed=None) -> Any:
    """Add the rows of a matrix, with random signs, to few random rows.

    Parameters
    ----------
    input_matrix : array_like or sparse matrix, (..., N, D)
        Matrix that is sketched, or a stack of arrays, of which all have the same sketch.
    sketch_size : int
        Number of rows of the sketch.
    rng : int or numpy.random.Generator, optional
        Generator of the host, or its seed.
    seed : int, numpy.random.RandomState or numpy.random.Generator, optional
        Older generator of the host, or its seed, in the place of `rng`.

    Returns
    -------
    ndarray or sparse matrix, (..., sketch_size, D)
        Sketch, of which norms of products are near those of the matrix.

    Raises
    ------
    TypeError
        If both `rng` and `seed` are given.
    ValueError
        If `seed` is neither an integer of 32 bits nor a generator.

    Notes
    -----
    N rows and signs are drawn on the host, as SciPy draws them, and uploaded; the product is
    computed on the device.

    References
    ----------
    K. L. Clarkson, D. P. Woodruff, "Low rank approximation and regression in input sparsity time",
    STOC 2013.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.clarkson_woodruff_transform(cp.ones((100, 2)), 5, rng=1).shape
    (5, 2)
    """
    from ..sparse import csc_array  # its import takes long

    a = input_matrix if hasattr(input_matrix, "tocsr") else as_array(input_matrix)
    if len(a.shape) < 2:
        raise IndexError(f"input_matrix must have two dimensions or more, not shape {a.shape}")
    count = a.shape[-2]
    generator = _generator(to_host(rng), to_host(seed))
    # What RandomState has in the place of Generator's method.
    integers = getattr(generator, "integers", None) or generator.randint
    sketch_size = operator.index(sketch_size)
    rows = integers(0, sketch_size, count)
    signs = generator.choice([1, -1], count).astype(np.float64)
    pointers = asarray(np.arange(count + 1, dtype=np.int32))
    parts = (asarray(signs), asarray(rows.astype(np.int32)), pointers)
    sketch = csc_array(parts, shape=(sketch_size, count))
    if not isinstance(a, ndarray):
        return sketch @ a
    side_by_side = moveaxis(a, -2, 0)  # matrices of a stack, of which all have the same sketch
    columns = math.prod(side_by_side.shape[1:])
    product = sketch @ side_by_side.reshape(count, columns)
    return moveaxis(product.reshape(sketch_size, *side_by_side.shape[1:]), 0, -2)

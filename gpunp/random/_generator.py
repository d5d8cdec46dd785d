"""Generator and default_rng: all of numpy.random.Generator's methods, on the device."""

import operator
from typing import Any

import numpy as np

from .._core._convert import as_host, check_cast
from .._core.fromnumeric import argsort, searchsorted, take
from .._core.multiarray import asarray, copyto, ndarray
from .._core.randomness import (
    looked_at,
    random_draw,
    random_integers,
    random_permutation,
    random_sample,
)
from .._core.reductions import cumsum
from ..lib._shape_base_impl import take_along_axis
from ._distributions import _ROW, Distributions, check_long, finite_extent, is_integer
from ._integers import draw_integers
from ._multivariate import Multivariate
from .bit_generator import BitGenerator, Philox4x3210

__all__ = ["Generator", "default_rng"]

_TWO_64 = 0  # how random_integers writes a count of 2^64
_FEW = 1 << 16


def default_rng(seed=None) -> "Generator":
    """Create a Generator with the bit generator Philox4x3210.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence, BitGenerator or Generator, optional
        Seed of the generator; None takes entropy from the operating system. A bit generator is used
        directly, a Generator is returned.

    Returns
    -------
    Generator
        Generator on the current device.

    Examples
    --------
    >>> import gpunp as cp
    >>> rng = cp.random.default_rng(7)
    >>> rng.integers(0, 10, size=4).shape
    (4,)
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, BitGenerator):
        return Generator(seed)
    return Generator(Philox4x3210(seed))


def pick_rows(x: ndarray, order: ndarray, axis: int) -> ndarray:
    """Return x with its entries along an axis in another order."""
    return take(x, order, axis=axis)


class Permuting(Distributions):
    """Methods based on permutations: choice, permutation, shuffle."""

    def bytes(self, length) -> bytes:
        """Return random bytes; waits for the device.

        Parameters
        ----------
        length : int
            Number of bytes to return; none for a negative one.

        Returns
        -------
        bytes
            The random bytes, on the host.
        """
        if isinstance(length, (float, np.floating)):
            check_long(length)
            length = int(length)
        length = max(operator.index(length), 0)
        return random_integers(self._stream, 0, 256, (length,), np.uint8).get().tobytes()

    def _keys(self, shape: Any) -> ndarray:
        """Random keys to sort by.

        They are of 64 bits: among n of a row the chance of a tie, whose two entries keep their
        order, is below n^2 / 2^65.
        """
        return random_integers(self._stream, 0, _TWO_64, shape, np.uint64)

    def _order(self, n: int) -> ndarray:
        """Random permutation of n: of many by half the keys, with explicit tie-breaking."""
        if n <= _FEW:
            return argsort(self._keys((n,)))
        keys = random_integers(self._stream, 0, 1 << 32, (n,), np.uint32)
        return random_permutation(self._stream, keys)

    def permutation(self, x, axis=0) -> ndarray:
        """Return a randomly permuted copy of an array, or of `arange(x)`.

        Parameters
        ----------
        x : int or array_like
            Array whose entries along `axis` are permuted, or a number.
        axis : int, optional
            Axis along which to permute.

        Returns
        -------
        ndarray
            Permuted copy of `x`, or of ``arange(x)``.
        """
        if is_integer(x):
            return self._order(operator.index(x))
        x = asarray(x)
        if x.ndim == 0:
            if x.dtype.kind not in "iu":
                raise np.exceptions.AxisError("x must be an integer or at least 1-dimensional")
            return self._order(int(x))
        axis = np.lib.array_utils.normalize_axis_index(axis, x.ndim)
        return pick_rows(x, self._order(x.shape[axis]), axis)

    def shuffle(self, x, axis=0) -> None:
        """Permute the entries of an array along an axis at random, in place.

        Parameters
        ----------
        x : ndarray
            Array that is permuted in place.
        axis : int, optional
            Axis along which to permute.
        """
        if not isinstance(x, ndarray):
            raise TypeError(f"shuffle needs a gpunp.ndarray, not {type(x).__name__}")
        if x.ndim == 0:
            raise TypeError("x must have at least 1 dimension")
        axis = np.lib.array_utils.normalize_axis_index(axis, x.ndim)
        x[...] = pick_rows(x, self._order(x.shape[axis]), axis)

    def _check_weights(self, p: Any, n: int) -> ndarray:
        """The probabilities of choice on the device; host ones are checked."""
        if isinstance(p, (np.ndarray, ndarray)):
            check_cast(p.dtype, np.dtype(np.float64), "safe")
        elif not hasattr(p, "__len__"):
            raise TypeError(f"p must be a sequence of numbers, not {type(p).__name__}")
        p = looked_at(p)
        if not isinstance(p, ndarray):
            host = as_host(p, np.float64)
            if host.ndim != 1:
                raise ValueError("p must be 1-dimensional")
            if host.size != n:
                raise ValueError("a and p must have same size")
            if np.isnan(host.sum()):
                raise ValueError("Probabilities contain NaN")
            if (host < 0).any():
                raise ValueError("Probabilities are not non-negative")
            if abs(host.sum() - 1) > np.sqrt(np.finfo(np.float64).eps):
                raise ValueError(
                    "Probabilities do not sum to 1. See Notes section of docstring for more "
                    "information."
                )
            return asarray(host)
        if p.ndim != 1:
            raise ValueError("p must be 1-dimensional")
        if p.size != n:
            raise ValueError("a and p must have same size")
        return p.astype(np.float64)

    def _indices(self, n: int, size: Any, replace: bool, p: Any) -> ndarray:
        """Indices below n for choice."""
        shape = () if size is None else np.empty(size, np.dtype([])).shape
        count = 1
        for extent in shape:
            count *= extent
        if n > 2**63:
            raise ValueError(f"a must be at most 2**63, not {n}: indices are of type int64")
        weights = None if p is None else self._check_weights(p, n)
        if replace:
            if weights is None:
                return random_integers(self._stream, 0, n, shape, np.int64)
            heights = cumsum(weights)
            u = random_draw(self._stream, _ROW["random"], shape, np.float64, None)
            return searchsorted(heights, u * heights[-1], side="right")
        if count > n:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if weights is None and n > _FEW:
            return random_sample(self._keys((8,)), n, count).reshape(shape)
        if weights is None:
            order = self._order(n)
        else:
            if not isinstance(p, ndarray) and np.count_nonzero(p) < count:
                raise ValueError("Fewer non-zero entries in p than size")
            # P. S. Efraimidis, P. G. Spirakis, "Weighted random sampling with a reservoir", 2006:
            # the smallest of exponential variates over the weights.
            row = _ROW["standard_exponential"]
            order = argsort(random_draw(self._stream, row, (n,), np.float64, None) / weights)
        return order[:count].reshape(shape)


class Generator(Multivariate, Permuting):
    """Random number generator with the methods of numpy.random.Generator, on the device.

    Parameters
    ----------
    bit_generator : BitGenerator
        Source of random words, such as Philox4x3210.

    Notes
    -----
    Each method is one launch on the current stream; a method waits only if its description says so.
    The numbers depend on the seed and on the calls before, not on the device, the stream or the
    grid. They differ from NumPy's. Results of `size=None` are 0-d arrays. Every distribution takes
    a `dtype`. In a captured graph the counter of Philox is a constant: each replay gives the same
    numbers.

    Examples
    --------
    >>> import gpunp as cp
    >>> rng = cp.random.Generator(cp.random.XORWOW(1))
    >>> rng.normal(0, 1, size=(2, 3)).shape
    (2, 3)
    """

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    @property
    def bit_generator(self) -> BitGenerator:
        """Source of random words."""
        return self._bit_generator

    @bit_generator.setter
    def bit_generator(self, bit_generator: BitGenerator) -> None:
        if not isinstance(bit_generator, BitGenerator):
            raise ValueError("Bit generator must be a gpunp.random.BitGenerator")
        self._bit_generator = bit_generator
        self._stream = bit_generator._stream  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"{self} at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"Generator({type(self._bit_generator).__name__})"

    def __reduce__(self):
        return Generator, (self._bit_generator,)

    def spawn(self, n_children) -> list["Generator"]:
        """Return generators with independent children of the seed.

        Parameters
        ----------
        n_children : int
            Number of generators to return.

        Returns
        -------
        list of Generator
            New generators.
        """
        return [type(self)(child) for child in self._bit_generator.spawn(n_children)]

    def uniform(self, low=0.0, high=1.0, size=None, dtype=None) -> ndarray:
        extent = finite_extent(low, high)
        if extent is not None and (extent < 0).any():
            raise ValueError("high - low < 0")
        return super().uniform(low, high, size, dtype)

    uniform.__doc__ = Distributions.uniform.__doc__

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False) -> ndarray:
        """Draw random integers uniformly from [low, high).

        Parameters
        ----------
        low, high : int or array_like of ints
            Lower and upper end of the range; with one argument, 0 and that. Arrays on the device
            are not checked.
        size : int or tuple of ints, optional
            Shape of the result. By default the shape to which the parameters broadcast.
        dtype : dtype, optional
            Type of the result: any integer type, or bool.
        endpoint : bool, optional
            If True, the range includes `high`.

        Returns
        -------
        ndarray
            Random integers of the given shape and type.

        Notes
        -----
        Lemire's method with rejection, which has no bias.
        """
        return draw_integers(self._stream, low, high, size, dtype, endpoint)

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True) -> ndarray:
        """Draw a random sample from the entries of an array, or from `arange(a)`.

        Parameters
        ----------
        a : int or array_like
            Array to sample from, or the number of integers.
        size : int or tuple of ints, optional
            Shape of the sample.
        replace : bool, optional
            If True, an entry may be drawn more than once.
        p : array_like of floats, optional
            Probabilities of the entries. Those on the device are not checked.
        axis : int, optional
            Axis of `a` whose entries are drawn.
        shuffle : bool, optional
            Accepted for compatibility; the order is always random.

        Returns
        -------
        ndarray
            Sample, with the dtype of `a`.
        """
        if is_integer(a):
            if a <= 0 and size != 0:
                raise ValueError("a must be a positive integer unless no samples are taken")
            return self._indices(int(a), size, replace, p)
        is_one = isinstance(a, (str, bytes)) or not np.iterable(a)
        if is_one and not isinstance(a, ndarray) and as_host(a).dtype.kind not in "iu":
            raise ValueError(f"a must be a sequence or an integer, not {type(a)}")
        a = asarray(a)
        if a.ndim == 0:
            if a.dtype.kind not in "iu":
                raise ValueError("a must be a sequence or an integer, not a 0-d array")
            return self._indices(int(a), size, replace, p)
        axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
        n = a.shape[axis]
        if n == 0 and size != 0:
            raise ValueError("a cannot be empty unless no samples are taken")
        return take(a, self._indices(n, size, replace, p), axis=axis)

    def permuted(self, x, *, axis=None, out=None) -> ndarray:
        """Permute the entries along an axis at random, each slice independently.

        Parameters
        ----------
        x : array_like
            Array to be permuted.
        axis : int, optional
            Axis along which to permute; None permutes all elements.
        out : ndarray, optional
            Array into which the result is written; it may be `x`.

        Returns
        -------
        ndarray
            Permuted array with the shape of `x`, or `out`.
        """
        x = asarray(x)
        if out is not None:
            if not isinstance(out, ndarray):
                raise TypeError("out must be a gpunp.ndarray")
            if out.shape != x.shape:
                raise ValueError("out must have the same shape as x")
        if axis is None:
            mixed = take(x.reshape(-1), self._order(x.size)).reshape(x.shape)
        else:
            axis = np.lib.array_utils.normalize_axis_index(axis, x.ndim)
            mixed = take_along_axis(x, argsort(self._keys(x.shape), axis=axis), axis)
        if out is None:
            return mixed
        copyto(out, mixed)
        return out

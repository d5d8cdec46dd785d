"""`scipy.stats.qmc`: low-discrepancy sequences, and the discrepancy of points.

Direction numbers and permutations come from SciPy's engines on the host, where their random numbers
are drawn: the same `rng` gives SciPy's points. The points themselves are computed on the device.
"""

import math
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import (
    as_array,
    as_host,
    check_device_memory,
    check_host_memory,
    number_on_host,
    shown,
)
from ..._core._docstrings import documented_as
from ..._core.multiarray import (
    arange,
    array,
    ascontiguousarray,
    bincount,
    empty,
    ndarray,
)
from ..._core.randomness import checked_seed, host_generator
from ..._core.raw import ElementwiseKernel
from ...linalg import cholesky, eigh
from .._borrowed import borrow as _borrow
from .._host import to_host
from .._kept import kept_property
from ..special import ndtri
from ._axis import real

_OWN = [
    "Halton",
    "LatinHypercube",
    "MultinomialQMC",
    "MultivariateNormalQMC",
    "PoissonDisk",
    "QMCEngine",
    "Sobol",
    "discrepancy",
    "geometric_discrepancy",
    "scale",
    "update_discrepancy",
]

__all__, __getattr__, __dir__ = _borrow("stats.qmc", own=_OWN)


# ---- points --------------------------------------------------------------------------------------

# Point k is the exclusive or of the direction numbers of the bits of k's Gray code (I. Antonov and
# V. Saleev, "An economic method of computing LP-tau sequences", 1979), so any point can be made.
_SOBOL = ElementwiseKernel(
    "raw uint64 directions, raw uint64 shift, int64 first, int64 ndim, int32 bits, float64 scale",
    "float64 x",
    """
    const ptrdiff_t point = i / ndim, axis = i - point * ndim;
    unsigned long long index = first + point, number = shift[axis];
    index ^= index >> 1;
    for (int j = 0; index; j++, index >>= 1)
        if (index & 1) number ^= directions[axis * bits + j];
    x = number * scale;
    """,
    "sobol_points",
)
# The digits of an index, in reverse order behind the point; all of them are permuted.
_HALTON = ElementwiseKernel(
    "raw int64 bases, raw int32 permutations, raw int64 starts, bool is_scrambled, int64 first,"
    " int64 ndim",
    "float64 x",
    """
    const ptrdiff_t point = i / ndim, axis = i - point * ndim;
    const long long base = bases[axis], start = starts[axis];
    const long long digits = is_scrambled ? (starts[axis + 1] - start) / base : 64;
    long long index = first + point;
    double sum = 0, place = 1.0 / base;
    for (long long j = 0; j < digits && (is_scrambled || index > 0); j++) {
        const long long rest = index / base, digit = index - rest * base;
        sum += (is_scrambled ? permutations[start + j * base + digit] : digit) * place;
        place /= base;
        index = rest;
    }
    x = sum;
    """,
    "halton_points",
)


def _scipy(name: str, d: Any, **options: Any) -> Any:
    """SciPy's engine of this name, for points of d coordinates."""
    from scipy.stats import qmc

    engine = getattr(qmc, name)
    if not hasattr(engine, "MAXDIM"):  # a limit of its own, which it names
        check_device_memory(d)
    return engine(d, **{key: number_on_host(value) for key, value in options.items()})


def _source(rng: Any, seed: Any) -> dict:
    """The argument that gives SciPy's engine its random numbers."""
    if rng is not None and seed is not None:
        raise TypeError("give `rng` or `seed`, not both")
    name, value = ("rng", rng) if seed is None else ("seed", seed)
    return {name: checked_seed(to_host(value))}


class QMCEngine:
    """Base of the engines that make points of the unit cube.

    A subclass of one's own defines `_random(n, workers=1)`, which returns `n` points.

    Parameters
    ----------
    d : int
        Number of dimensions of the cube.
    optimization : {None, 'random-cd', 'lloyd'}, optional
        How SciPy improves each sample on the host.
    rng : int or Generator of NumPy, optional
        Source of random numbers.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.
    """

    _theirs: Any = None

    def __init__(self, d, *, optimization=None, rng=None, seed=None):
        if not isinstance(d, (int, np.integer)) or d < 0:
            raise ValueError("d must be a non-negative integer value")
        if optimization is not None and self._theirs is None:
            raise ValueError(f"{shown(optimization)} is not a valid optimization method here")
        rng = to_host(rng if rng is not None else seed)
        self.d, self.num_generated = int(d), 0
        self._seed = rng
        if self._theirs is None:
            self.rng = host_generator(rng)

    def _of_scipy(self) -> Any:
        """SciPy's engine, for what SciPy computes on the host."""
        return self if self._theirs is None else self._theirs

    def _random(self, n: int = 1, workers: int = 1) -> ndarray:
        raise NotImplementedError("an engine defines _random")

    def random(self, n=1, *, workers=1) -> ndarray:
        """Return the next points.

        Parameters
        ----------
        n : int, optional
            Number of points that are made.
        workers : int, optional
            Not used, as the device computes.

        Returns
        -------
        ndarray
            Points of float64, in rows.
        """
        n = operator.index(as_host(to_host(n)).item())
        if n < 0:
            raise ValueError(f"n must not be negative, not {n}")
        sample = self._random(n, workers=workers)
        self.num_generated += n
        return sample

    @documented_as(random)
    def integers(self, l_bounds, *, u_bounds=None, n=1, endpoint=False, workers=1) -> ndarray:
        """Return the next points as integers between bounds.

        Parameters
        ----------
        l_bounds : int or array_like
            Lowest integers, or if there are no others, the bounds above.
        u_bounds : int or array_like, optional
            Bounds above, which are not reached.
        endpoint : bool, optional
            If True, the bounds above are reached.

        Returns
        -------
        ndarray of int64
            Points, in rows.
        """
        low, high = (0, l_bounds) if u_bounds is None else (l_bounds, u_bounds)
        low, high = (as_host(to_host(bound)) for bound in (low, high))
        if low.dtype.kind not in "iu" or high.dtype.kind not in "iu":
            raise ValueError("'u_bounds' and 'l_bounds' must be integers or array-like of integers")
        high = high + 1 if endpoint else high
        sample = scale(self.random(n, workers=workers), low.ravel(), high.ravel())
        return um.floor(sample).astype(np.int64)

    def reset(self) -> "QMCEngine":
        """Go back to the first point.

        Returns
        -------
        QMCEngine
            The engine itself.
        """
        self.num_generated = 0
        if self._theirs is not None:
            self._theirs.reset()
        elif not isinstance(self._seed, (np.random.Generator, np.random.RandomState)):
            self.rng = host_generator(self._seed)
        return self

    def fast_forward(self, n) -> "QMCEngine":
        """Leave out some points.

        Parameters
        ----------
        n : int
            Number of points that are left out.

        Returns
        -------
        QMCEngine
            The engine itself.
        """
        self.random(n)
        return self


class _Sequence(QMCEngine):
    """An engine whose points are computed from their numbers."""

    _is_optimized = False

    def _random(self, n: int = 1, workers: int = 1) -> ndarray:
        if self._is_optimized:
            return array(self._theirs.random(n))
        return self._points(n)

    def _points(self, n: int) -> ndarray:
        raise NotImplementedError

    def fast_forward(self, n) -> "QMCEngine":
        """Leave out some points, in no time.

        Parameters
        ----------
        n : int
            Number of points that are left out.

        Returns
        -------
        QMCEngine
            The engine itself.
        """
        n = operator.index(n)
        if self._is_optimized:
            self._theirs.fast_forward(n)
        self.num_generated += n
        return self


class Sobol(_Sequence):
    """Points of Sobol's sequence, scrambled as Matousek and Owen do.

    Parameters
    ----------
    d : int
        Number of dimensions, 21201 at most.
    scramble : bool, optional
        Whether the points are scrambled.
    bits : int, optional
        Bits of a coordinate, 64 at most, 30 by default; there are 2**bits points.
    rng : int or Generator of NumPy, optional
        Source of the random numbers of the scrambling, drawn on the host as SciPy's.
    optimization : {None, 'random-cd', 'lloyd'}, optional
        How SciPy improves each sample; then it makes the points on the host too.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.qmc.Sobol(2, scramble=False).random(4)
    array([[0.  , 0.  ],
           [0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """

    MAXDIM = 21201

    def __init__(self, d, *, scramble=True, bits=None, rng=None, optimization=None, seed=None):
        self._theirs = _scipy(
            "Sobol", d, scramble=scramble, bits=bits, optimization=optimization,
            **_source(rng, seed),
        )  # fmt: skip
        super().__init__(d)
        self.bits, self.scramble = self._theirs.bits, scramble
        self.maxn = 2**self.bits
        self._is_optimized = optimization is not None

    def _points(self, n: int) -> ndarray:
        if self.num_generated + n > self.maxn:
            raise ValueError(
                f"At most 2**{self.bits}={self.maxn} distinct points can be generated; "
                f"{self.num_generated} were, and {n} more are wanted"
            )
        x = empty((n, self.d))
        if x.size:
            options = (self.num_generated, self.d, self.bits, 2.0**-self.bits)
            _SOBOL(*self._directions, *options, x)
        return x

    @kept_property
    def _directions(self) -> list[ndarray]:
        host = (self._theirs._sv, self._theirs._shift)
        return [array(np.ascontiguousarray(a, np.uint64)) for a in host]

    def random_base2(self, m) -> ndarray:
        """Return the next 2**m points.

        Parameters
        ----------
        m : int
            Logarithm of the number of points.

        Returns
        -------
        ndarray
            Points of float64, in rows.
        """
        m = operator.index(m)
        if m > self.bits:
            raise ValueError(f"m must be at most {self.bits}, the number of bits, not {shown(m)}")
        total = self.num_generated + 2**m
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2; "
                f"{self.num_generated} points were generated, and 2**{m} more are wanted"
            )
        return self.random(2**m)


class Halton(_Sequence):
    """Points of Halton's sequence, scrambled by permutations of the digits.

    Parameters
    ----------
    d : int
        Number of dimensions of the cube.
    scramble : bool, optional
        Whether the digits are permuted.
    optimization : {None, 'random-cd', 'lloyd'}, optional
        How SciPy improves each sample; then it makes the points on the host too.
    rng : int or Generator of NumPy, optional
        Source of the random numbers of the scrambling, drawn on the host as SciPy's.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.qmc.Halton(1, scramble=False).random(4)
    array([[0.  ],
           [0.5 ],
           [0.25],
           [0.75]])
    """

    def __init__(self, d, *, scramble=True, optimization=None, rng=None, seed=None):
        options = {"scramble": scramble, "optimization": optimization, **_source(rng, seed)}
        if isinstance(d, (int, np.integer)):
            check_host_memory(8 * int(d))  # SciPy lists as many primes
        if scramble:  # of axis k, a permutation of the digits in a base above k
            check_device_memory(d, d, dtype=np.int32)
        self._theirs = _scipy("Halton", d, **options)
        super().__init__(d)
        self.scramble = scramble
        self._is_optimized = optimization is not None

    def _points(self, n: int) -> ndarray:
        x = empty((n, self.d))
        if x.size:
            _HALTON(*self._tables, bool(self.scramble), self.num_generated, self.d, x)
        return x

    @kept_property
    def _tables(self) -> list[ndarray]:
        """The bases, their permutations one after another, and where each begins."""
        bases = np.array(self._theirs.base, np.int64)
        tables = self._theirs._permutations if self.scramble else [np.zeros((1, 1))] * self.d
        starts = np.cumsum([0, *(t.size for t in tables)]).astype(np.int64)
        flat = np.concatenate([np.ravel(t) for t in tables] or [np.zeros(1)])
        return [array(a) for a in (bases, flat.astype(np.int32), starts)]


class LatinHypercube(QMCEngine):
    """Points of which each dimension has one in each of n intervals.

    Random numbers are drawn on the device, others than SciPy's for a seed.

    Parameters
    ----------
    d : int
        Number of dimensions of the cube.
    scramble : bool, optional
        Whether points are at random within their intervals, or in the middle.
    strength : {1, 2}, optional
        With 2 each pair of dimensions is covered too; then SciPy makes the points on the host.
    optimization : {None, 'random-cd', 'lloyd'}, optional
        How SciPy improves each sample; then it makes the points on the host too.
    rng : int, optional
        Seed of the random numbers; or a generator of NumPy that one is drawn from.
    seed : int, optional
        Older name of `rng`.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.scipy.stats.qmc.LatinHypercube(2, rng=1).random(4)
    >>> cp.sort((4 * x).astype(int), axis=0)[:, 1]
    array([0, 1, 2, 3])
    """

    def __init__(self, d, *, scramble=True, strength=1, optimization=None, rng=None, seed=None):
        options = {"scramble": scramble, "strength": strength, "optimization": optimization}
        self._theirs = _scipy("LatinHypercube", d, **options, **_source(rng, seed))
        super().__init__(d)
        self.scramble = scramble
        self._is_on_host = strength != 1 or optimization is not None
        self._ours: Any = None

    def reset(self) -> "QMCEngine":
        """Begin again with the first random numbers.

        Returns
        -------
        QMCEngine
            The engine itself.
        """
        self._ours = None
        return super().reset()

    def _random(self, n: int = 1, workers: int = 1) -> ndarray:
        if self._is_on_host:
            return array(self._theirs.random(n))
        if self._ours is None:
            from ...random import default_rng

            rng = self._theirs.rng
            draw = getattr(rng, "integers", None) or rng.randint
            self._ours = default_rng(int(draw(2**31 - 1)))
        inside = self._ours.random((n, self.d)) if self.scramble else 0.5
        order = self._ours.random((self.d, n)).argsort(axis=1).T
        return ascontiguousarray((order + inside) / n)


class PoissonDisk(QMCEngine):
    """Points that keep a distance from each other; SciPy chooses them on the host.

    Parameters
    ----------
    d : int
        Number of dimensions of the cube.
    radius : float, optional
        Least distance of two points.
    hypersphere : {'volume', 'surface'}, optional
        Where about a point the next ones are looked for.
    ncandidates : int, optional
        How many points are tried about each.
    optimization : {None, 'random-cd', 'lloyd'}, optional
        How SciPy improves each sample.
    rng : int or Generator of NumPy, optional
        Source of random numbers.
    l_bounds, u_bounds : array_like, optional
        Ends of the box in which points lie, the unit cube by default.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.qmc.PoissonDisk(2, radius=0.4, rng=1).random(3).shape
    (3, 2)
    """

    def __init__(
        self,
        d,
        *,
        radius=0.05,
        hypersphere="volume",
        ncandidates=30,
        optimization=None,
        rng=None,
        l_bounds=None,
        u_bounds=None,
        seed=None,
    ):
        self._theirs = _scipy(
            "PoissonDisk", d, radius=radius, hypersphere=hypersphere, ncandidates=ncandidates,
            optimization=optimization, l_bounds=to_host(l_bounds), u_bounds=to_host(u_bounds),
            **_source(rng, seed),
        )  # fmt: skip
        super().__init__(d)

    def _random(self, n: int = 1, workers: int = 1) -> ndarray:
        return array(self._theirs.random(n))

    def fill_space(self) -> ndarray:
        """Return points until none can be added.

        Returns
        -------
        ndarray
            Points of float64, in rows.
        """
        sample = array(self._theirs.fill_space())
        self.num_generated += sample.shape[0]
        return sample


def _engine(engine: Any, d: int, rng: Any, seed: Any) -> QMCEngine:
    if engine is None:
        return Sobol(d, scramble=True, bits=30, **_source(rng, seed))
    if not isinstance(engine, QMCEngine):
        raise ValueError("`engine` must be an instance of `gpunp.scipy.stats.qmc.QMCEngine`")
    if engine.d != d:
        raise ValueError(f"`engine` has {engine.d} dimensions; {d} are needed")
    return engine


class MultivariateNormalQMC:
    """Points of a normal distribution, made of points of a cube.

    Parameters
    ----------
    mean : array_like
        Mean of the distribution.
    cov : array_like, optional
        Covariance, whose symmetry is checked, which waits for the device. By default the identity.
    cov_root : array_like, optional
        A root of the covariance, by which points are multiplied from the right.
    inv_transform : bool, optional
        Whether quantiles are taken of the coordinates, or pairs of them by Box and Muller's method.
    engine : QMCEngine, optional
        What makes the points of the cube; Sobol's sequence by default.
    rng : int or Generator of NumPy, optional
        Source of the random numbers of that.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.qmc.MultivariateNormalQMC(cp.zeros(2), rng=1).random(8).shape
    (8, 2)
    """

    def __init__(
        self, mean, cov=None, *, cov_root=None, inv_transform=True, engine=None, rng=None,
        seed=None,
    ):  # fmt: skip
        self._mean = real(mean, "mean").reshape(-1)
        d = self._mean.size
        self._root: Any = None
        if cov is not None:
            cov = real(cov, "cov").reshape(-1, as_array(cov).shape[-1] if as_array(cov).ndim else 1)
            if cov.shape != (d, d):
                raise ValueError("Dimension mismatch between mean and covariance.")
            if not bool((abs(cov - cov.T) <= 1e-8 + 1e-5 * abs(cov)).all()):
                raise ValueError("Covariance matrix is not symmetric.")
            self._root = _root(cov)
        elif cov_root is not None:
            self._root = real(cov_root, "cov_root")
            if self._root.ndim != 2 or self._root.shape[1] != d:
                raise ValueError("Dimension mismatch between mean and covariance.")
        self._inverts, self._d = bool(inv_transform), d
        self.engine = _engine(engine, d if inv_transform else 2 * math.ceil(d / 2), rng, seed)

    def random(self, n=1) -> ndarray:
        """Return the next points.

        Parameters
        ----------
        n : int, optional
            Number of points that are made.

        Returns
        -------
        ndarray
            Points of float64, in rows.
        """
        x = self.engine.random(n)
        if self._inverts:
            x = ndtri(0.5 + (1 - 1e-10) * (x - 0.5))
        else:
            size, angle = um.sqrt(-2 * um.log(x[:, 0::2])), 2 * math.pi * x[:, 1::2]
            pairs = empty(x.shape)
            pairs[:, 0::2], pairs[:, 1::2] = size * um.cos(angle), size * um.sin(angle)
            x = pairs[:, : self._d]
        return (x if self._root is None else x @ self._root) + self._mean


def _root(cov: ndarray) -> ndarray:
    """A matrix whose square is a covariance: its triangle, or by eigenvalues if it is singular."""
    try:
        return cholesky(cov).T
    except np.linalg.LinAlgError:
        values, vectors = eigh(cov)
    if bool((values < -1e-8).any()):
        raise ValueError("Covariance matrix not PSD.")
    return (vectors * um.sqrt(um.maximum(values, 0.0))).T


class MultinomialQMC:
    """Counts of a multinomial distribution, made of points of a line.

    Parameters
    ----------
    pvals : array_like
        Probabilities of the outcomes; that their sum is one is checked, which waits for the device.
    n_trials : int
        Number of trials of a draw.
    engine : QMCEngine, optional
        What makes the points, of one dimension; Sobol's sequence by default.
    rng : int or Generator of NumPy, optional
        Source of the random numbers of that.
    seed : int or Generator of NumPy, optional
        Older name of `rng`.

    Examples
    --------
    >>> import gpunp as cp
    >>> qmc = cp.scipy.stats.qmc
    >>> qmc.MultinomialQMC(cp.array([0.25, 0.75]), 8, engine=qmc.Sobol(1, rng=1)).random(1)
    array([[2., 6.]])
    """

    def __init__(self, pvals, n_trials, *, engine=None, rng=None, seed=None):
        self.pvals = real(pvals, "pvals").reshape(-1)
        host = self.pvals.get()
        if host.min() < 0 or host.max() > 1:
            raise ValueError("Elements of pvals must be in [0, 1].")
        if not np.isclose(host.sum(), 1):
            raise ValueError("Elements of pvals must sum to 1.")
        self.n_trials = int(n_trials)
        self.engine = _engine(engine, 1, rng, seed)

    def random(self, n=1) -> ndarray:
        """Return the next draws.

        Parameters
        ----------
        n : int, optional
            Number of draws that are made.

        Returns
        -------
        ndarray
            Counts of float64, a draw in each row.
        """
        outcomes = self.pvals.size
        x = self.engine.random(n * self.n_trials).reshape(-1)
        bins = um.minimum(self.pvals.cumsum().searchsorted(x), outcomes - 1)
        rows = arange(n * self.n_trials) // self.n_trials
        counts = bincount(rows * outcomes + bins, minlength=n * outcomes)
        return counts.reshape(n, outcomes).astype(np.float64)


# ---- measures ------------------------------------------------------------------------------------


class _Measure:
    """A discrepancy: what a dimension of a point and of a pair give, and what is made of them."""

    def __init__(self, one: str, two: str) -> None:
        self.pairs = ElementwiseKernel(
            "raw float64 x, int64 n, int64 ndim, int64 length, float64 factor",
            "float64 sum",
            _PAIRS % (one, two),
            "discrepancy_pairs",
        )


# `a` and `b` are coordinates of two points, `u` and `v` their distances from 1/2. A thread adds up
# the products of one point with a part of the others.
_PAIRS = """
    const ptrdiff_t first = i %% n, begin = i / n * length;
    const ptrdiff_t end = begin + length < n ? begin + length : n;
    double total = 0, single = 1;
    if (begin == 0) {
        for (ptrdiff_t k = 0; k < ndim; k++) {
            const double a = x[first * ndim + k], u = fabs(a - 0.5);
            single *= %s;
        }
    }
    #pragma unroll 1
    for (ptrdiff_t j = begin; j < end; j++) {
        double product = 1;
        for (ptrdiff_t k = 0; k < ndim; k++) {
            const double a = x[first * ndim + k], b = x[j * ndim + k];
            const double u = fabs(a - 0.5), v = fabs(b - 0.5), d = fabs(a - b);
            product *= %s;
        }
        total += product;
    }
    sum = total + (begin == 0 ? factor * single : 0.0);
"""
# F. Hickernell, "A generalized discrepancy and quadrature error bound", 1998 (centred, wrap-around
# and star); Y. Zhou, K. Fang and J. Ning, "Mixture discrepancy for quasi-random point sets", 2013.
_MEASURES = {
    "CD": _Measure("1 + 0.5 * u - 0.5 * u * u", "(1 + 0.5 * u + 0.5 * v - 0.5 * d)"),
    "WD": _Measure("1.0 + 0 * u", "(1.5 - d + d * d + 0 * (u + v))"),
    "MD": _Measure(
        "5.0 / 3 - 0.25 * u - 0.25 * u * u",
        "(15.0 / 8 - 0.25 * u - 0.25 * v - 0.75 * d + 0.5 * d * d)",
    ),
    "L2-star": _Measure("(1 - a * a) + 0 * u", "(1 - (a > b ? a : b) + 0 * (u + v + d))"),
}
THREADS = 1 << 16


def _sample_of(sample: Any) -> ndarray:
    x = real(sample, "sample")
    if x.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    if not bool(((x >= 0) & (x <= 1)).all()):
        raise ValueError("Sample is not in unit hypercube")
    return ascontiguousarray(x)


def discrepancy(sample, *, iterative=False, method="CD", workers=1) -> ndarray:
    """Return how far points are from covering the unit cube evenly.

    Parameters
    ----------
    sample : array_like
        Points of the cube, in rows; that they lie in it is checked, which waits for the device.
    iterative : bool, optional
        Whether the sums are those of one point more, for `update_discrepancy`.
    method : {'CD', 'WD', 'MD', 'L2-star'}, optional
        Which discrepancy: centred, wrap-around, of mixtures, or star.
    workers : int, optional
        Not used, as the device computes.

    Returns
    -------
    ndarray
        The discrepancy, without axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.qmc.discrepancy(cp.array([[0.25], [0.75]])).round(6)
    array(0.020833)
    """
    x = _sample_of(sample)
    if method not in _MEASURES:
        raise ValueError(f"{shown(method)} is not a valid method. It must be one of {[*_MEASURES]}")
    n, d = x.shape
    if n == 0:
        raise ValueError("the sample has no points")
    count = n + 1 if iterative else n
    parts = max(1, min(THREADS // max(n, 1), n // 16))
    length = -(-n // parts)
    # What the single points add is taken into the sum of pairs.
    factor = {"CD": -2.0, "WD": 0.0, "MD": -2.0, "L2-star": -(2.0 ** (1 - d))}[method] * count
    pairs = _MEASURES[method].pairs(x, n, d, length, factor, size=n * -(-n // length))
    total = pairs.sum() / count**2
    constant = {"CD": 13 / 12, "MD": 19 / 12, "L2-star": 1 / 3}
    if method == "WD":
        return total - (4 / 3) ** d
    total = total + constant[method] ** d
    return um.sqrt(total) if method == "L2-star" else total


def update_discrepancy(x_new, sample, initial_disc) -> ndarray:
    """Return the centred discrepancy of points and one more.

    Parameters
    ----------
    x_new : array_like
        The point that is added.
    sample : array_like
        The points there are, in rows.
    initial_disc : float or ndarray
        Their centred discrepancy, computed with `iterative=True`.

    Returns
    -------
    ndarray
        The discrepancy, without axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> qmc, x = cp.scipy.stats.qmc, cp.array([[0.25], [0.75]])
    >>> before = qmc.discrepancy(x[:1], iterative=True)
    >>> qmc.update_discrepancy(x[1], x[:1], before).round(6)
    array(0.020833)
    """
    x = _sample_of(sample)
    new = real(x_new, "x_new")
    if new.ndim != 1:
        raise ValueError("x_new is not a 1D array")
    if not bool(((new >= 0) & (new <= 1)).all()):
        raise ValueError("x_new is not in unit hypercube")
    if new.size != x.shape[1]:
        raise ValueError("x_new and sample must be broadcastable")
    n = x.shape[0] + 1
    u, v = abs(new - 0.5), abs(x - 0.5)
    single = (1 + 0.5 * u - 0.5 * u * u).prod()
    pairs = (1 + 0.5 * u + 0.5 * v - 0.5 * abs(new - x)).prod(axis=1).sum()
    start = initial_disc if isinstance(initial_disc, ndarray) else float(as_host(initial_disc))
    return start - 2 / n * single + 2 / n**2 * pairs + (1 + u).prod() / n**2


def geometric_discrepancy(sample, method="mindist", metric="euclidean") -> ndarray:
    """Return the least distance of points, or the mean edge of the tree that spans them.

    Parameters
    ----------
    sample : array_like
        Points of the unit cube, in rows; that they lie in it is checked.
    method : {'mindist', 'mst'}, optional
        Whether it is the least distance of points that differ, or the minimum spanning tree.
    metric : str or function, optional
        Metric, by its name in `gpunp.scipy.spatial.distance`.

    Returns
    -------
    ndarray
        The measure, larger for points that are more even.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.qmc.geometric_discrepancy(cp.array([[0.25], [0.75]]))
    array(0.5)
    """
    from ..sparse.csgraph import minimum_spanning_tree
    from ..spatial.distance import pdist, squareform

    x = _sample_of(sample)
    if x.shape[0] < 2:
        raise ValueError("Sample must contain at least two points")
    distances = pdist(x, metric)
    if method == "mindist":
        least = um.where(distances > 0, distances, math.inf).min()
        return um.where(least < math.inf, least, 0.0)
    if method == "mst":
        edges = minimum_spanning_tree(squareform(distances)).data
        return edges.sum() / edges.size
    raise ValueError(f"{shown(method)} is not a valid method. It must be one of mindist, mst")


def scale(sample, l_bounds, u_bounds, *, reverse=False) -> ndarray:
    """Map points of the unit cube to a box, or back.

    Parameters
    ----------
    sample : array_like
        Points, in rows; that they lie in the cube or box is checked, which waits for the device.
    l_bounds, u_bounds : array_like
        Lower and upper ends of the box.
    reverse : bool, optional
        If True, points of the box are mapped to the cube.

    Returns
    -------
    ndarray
        The points of the other.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.qmc.scale(cp.array([[0.5, 0.75]]), [-2, 0], [2, 4])
    array([[0., 3.]])
    """
    x = real(sample, "sample")
    if x.ndim != 2:
        raise ValueError("Sample is not a 2D array")
    low, high = (as_host(to_host(b)).astype(np.float64) for b in (l_bounds, u_bounds))
    try:
        low, high = np.broadcast_to(low, x.shape[1:]), np.broadcast_to(high, x.shape[1:])
    except ValueError as error:
        raise ValueError("'l_bounds' and 'u_bounds' must be broadcastable and respect the sample"
                         " dimension") from error  # fmt: skip
    if not np.all(low < high):
        raise ValueError("Bounds are not consistent 'l_bounds' < 'u_bounds'")
    low, high = array(low), array(high)
    if reverse:
        if not bool(((x >= low) & (x <= high)).all()):
            raise ValueError("Sample is out of bounds")
        return (x - low) / (high - low)
    if not bool(((x >= 0) & (x <= 1)).all()):
        raise ValueError("Sample is not in unit hypercube")
    return x * (high - low) + low

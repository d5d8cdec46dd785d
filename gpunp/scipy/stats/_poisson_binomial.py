"""The Poisson binomial distribution, of successes in trials with chances of their own."""

import functools
from typing import Any

import numpy as np

from ..._core._convert import as_host
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, asarray, ascontiguousarray, empty, ndarray, where
from ..._core.raw import ElementwiseKernel, RawKernel
from ..._core.reductions import cumsum, sum
from ..._core.umath import log, sqrt
from ...lib._function_base_impl import flip
from .._kept import kept
from ._distn_infrastructure import (
    _DOMAIN,
    Discrete,
    FrozenDiscrete,
    _data,
    _number,
    _sample_shape,
    generator_of,
)
from ._distn_kernels import Row

__all__ = ["POISSON_BINOMIAL", "PoissonBinomial"]

POISSON_BINOMIAL = Row(
    "poisson_binom",
    ("p",),
    "",
    ("0", "n"),
    {},
    True,
    summary="Poisson binomial distribution.",
    density="sums over all choices of k trials of products of their p_i and the other 1 - p_i",
)
_THREADS = 256
# A block for each vector of p, a trial after another: sums of positive terms, to rounding in both
# tails (W. Biscarri, S. D. Zhao, R. J. Brunner, Comput. Statist. Data Anal. 122, 2018).
_TABLE = """
extern "C" __global__ void poisson_binomial(const double *p, double *from, double *to, long long n)
{
    const long long row = blockIdx.x;
    p += row * n;
    from += row * (n + 1);
    to += row * (n + 1);
    if (threadIdx.x == 0) from[0] = 1;
    __syncthreads();
    for (long long i = 0; i < n; i++) {
        const double success = p[i] >= 0 && p[i] <= 1 ? p[i] : 0.0 / 0.0;
        for (long long k = threadIdx.x; k <= i + 1; k += blockDim.x) {
            const double stays = k <= i ? from[k] * (1 - success) : 0;
            to[k] = k > 0 ? stays + from[k - 1] * success : stays;
        }
        __syncthreads();
        double *const swapped = from;
        from = to;
        to = swapped;
    }
}
"""
# Functions of k, from a table of n + 1 numbers for each vector of p, which are NaN for a wrong one.
_AT = {
    "pmf": "y = k < 0 || k > n || floor(k) != k ? 0 : own[(ptrdiff_t)k];",
    "cdf": "y = k < 0 ? 0 : k >= n ? 1 : fmin(own[(ptrdiff_t)k], 1.0);",
    "sf": "y = k < 0 ? 1 : k >= n ? 0 : fmin(own[(ptrdiff_t)k + 1], 1.0);",
}
_QUANTILE = """
    ptrdiff_t low = -1, high = n;
    while (high - low > 1) {
        const ptrdiff_t middle = (low + high) / 2;
        if (REACHED) high = middle;
        else low = middle;
    }
    const bool is_wrong = !(x >= 0 && x <= 1) || own[0] != own[0];
    y = is_wrong ? NAN : loc + (x == LOW ? -1 : x == HIGH ? n : high);
"""
_REACHED = {"ppf": ("own[middle] >= x", "0", "1"), "isf": ("own[middle + 1] <= x", "1", "0")}


@functools.cache
def _function(name: str) -> Any:
    """The kernel of a function of a number, a row of the table and a location."""
    if name in _REACHED:
        text = _QUANTILE
        for word, meaning in zip(("REACHED", "LOW", "HIGH"), _REACHED[name], strict=True):
            text = text.replace(word, meaning)
    else:
        text = f"const double k = x - loc; {_AT[name]} if (k != k || own[0] != own[0]) y = NAN;"
    return ElementwiseKernel(
        "T x, int64 row, float64 loc, raw float64 table, int64 n",
        "float64 y",
        f"const double *own = &table[row * (n + 1)];\n{text}",
        f"poisson_binomial_{name}",
    )


def _table(p: ndarray) -> ndarray:
    """Probabilities of 0 ... n successes along the last axis."""
    n, p = p.shape[-1], ascontiguousarray(p)
    found, other = (empty((*p.shape[:-1], n + 1), np.float64) for _ in range(2))
    if found.size:
        kernel = RawKernel(_TABLE, "poisson_binomial")
        kernel((p.size // n,), (_THREADS,), (p, found, other, np.int64(n)))
    return other if n % 2 else found


def _sums(table: ndarray, kind: str) -> ndarray:
    """Sums of probabilities from the first one on ('cdf'), or from the last one."""
    if kind == "cdf":
        return cumsum(table, axis=-1)
    return ascontiguousarray(flip(cumsum(flip(table, -1), axis=-1), -1))


class PoissonBinomial(Discrete):
    """A distribution whose parameter is a vector, along the last axis of an array."""

    _kept: tuple[ndarray, dict] | None = None  # frozen probabilities, and their tables

    def _numbers(self, args: Any, kwds: Any) -> list[Any]:
        p, loc = self._bound(args, kwds)
        p = asarray(_number(p, "p"))
        if p.ndim == 0:
            raise np.exceptions.AxisError(-1, 0, "p")
        if p.shape[-1] == 0:
            raise ValueError(
                f"p needs at least one probability along its last axis, got shape {p.shape}"
            )
        return [p, _number(loc, "loc")]

    def _at(self, method: str, x: Any, args: Any, kwds: Any) -> ndarray:
        if method.startswith("log"):
            return log(self._at(method[3:], x, args, kwds))
        p, loc = self._numbers(args, kwds)
        return self._looked_up(method, _data(x, "x"), p, loc)

    def _table_of(self, p: ndarray, kind: str) -> ndarray:
        """Probabilities of 0 ... n successes ('pmf'), or their sums from either end."""
        is_own = self._kept is not None and p is self._kept[0]
        tables: dict = self._kept[1] if is_own else {}  # type: ignore[index]
        table = kept(tables, "pmf", (), lambda: _table(p))
        return table if kind == "pmf" else kept(tables, kind, (), lambda: _sums(table, kind))

    def freeze(self, *args, **kwds) -> "FrozenPoissonBinomial":
        """Return the distribution with fixed parameters, which keeps its tables.

        Parameters
        ----------
        *args, **kwds : float or array_like
            Probabilities of the trials, of which a copy is made, and location.

        Returns
        -------
        FrozenPoissonBinomial
            Object with the same methods, without the parameters.
        """
        return FrozenPoissonBinomial(self, *args, **kwds)

    def _looked_up(self, method: str, x: Any, p: ndarray, loc: Any) -> ndarray:
        table = self._table_of(p, {"ppf": "cdf", "isf": "sf"}.get(method, method))
        rows = arange(p.size // p.shape[-1]).reshape(p.shape[:-1])
        return _function(method)(x, rows, loc, table, p.shape[-1])

    def _of(self, methods: tuple[str, ...], args: Any, kwds: Any) -> Any:
        p, loc = self._numbers(args, kwds)
        results = tuple(self._value(name, p, loc) for name in methods)
        return results if len(results) > 1 else results[0]

    def _value(self, name: str, p: ndarray, loc: Any) -> ndarray:
        """A number of the distribution; NaN where a probability or the location is."""
        if name == "entropy":
            table = self._table_of(p, "pmf")
            return sum(where(table == 0, 0.0, -table * log(table)), axis=-1) + 0 * loc
        p = where((p >= 0) & (p <= 1), p, np.nan)
        spread = p * (1 - p)
        variance = sum(spread, axis=-1)
        value = {
            "mean": lambda: sum(p, axis=-1) + loc,
            "var": lambda: variance,
            "std": lambda: sqrt(variance),
            "skew": lambda: sum(spread * (1 - 2 * p), axis=-1) / variance**1.5,
            "kurt": lambda: sum(spread * (1 - 6 * spread), axis=-1) / variance**2,
            "lower": lambda: 0 * variance + loc,
            "upper": lambda: 0 * variance + p.shape[-1] + loc,
        }[name]()
        return value + 0 * loc

    def _moment(self, order: int, args: Any, kwds: Any) -> ndarray:
        p, loc = self._numbers(args, kwds)
        values = arange(p.shape[-1] + 1) + asarray(loc)[..., None]
        return sum(self._table_of(p, "pmf") * values**order, axis=-1)

    @documented_as(Discrete.nnlf)
    def nnlf(self, theta, x) -> ndarray:
        """Return minus the logarithm of the likelihood of data."""
        return -sum(self.logpmf(x, *theta))

    @documented_as(Discrete.rvs)
    def rvs(self, *args, **kwds) -> ndarray:
        """Draw samples.

        Notes
        -----
        The numbers of a seed are not SciPy's. Samples are quantiles of uniform numbers. Parameters
        on the device are not checked.
        """
        *values, size, random_state = self._bound(args, kwds, ("size", "random_state"))
        if not isinstance(values[0], ndarray):
            host = as_host(values[0], np.float64)
            if not ((host >= 0) & (host <= 1)).all():
                raise ValueError(_DOMAIN.format(self.name))
        p, loc = self._numbers(values, {})
        shape = np.broadcast_shapes(p.shape[:-1], getattr(loc, "shape", ()))
        source = self.random_state if random_state is None else generator_of(random_state)
        uniform = getattr(source, "random_sample", None) or source.random
        drawn = self._looked_up("ppf", uniform(_sample_shape(size, shape)), p, loc)
        return drawn.astype(np.int64)


class FrozenPoissonBinomial(FrozenDiscrete):
    """The distribution with its parameters; a table is made at the first call that needs it."""

    def __init__(self, dist: PoissonBinomial, *args: Any, **kwds: Any):
        super().__init__(dist, *args, **kwds)
        p = self._values[0].copy()
        self._values[0] = self._given["p"] = p
        own = object.__new__(type(dist))  # a copy: `copy` gives the distribution of the name
        own.__dict__.update(dist.__dict__, _kept=(p, {}))
        self.dist = own

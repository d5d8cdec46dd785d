"""RandomState, NumPy's older interface with CuPy's `dtype`, and the functions of gpunp.random.

Each device has a state for the functions; they draw from that of the current device.
"""

import builtins
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core._docstrings import documented_as
from .._core.multiarray import asarray, ndarray
from .._core.randomness import random_draw
from ..cuda.curand import CURAND_RNG_PSEUDO_DEFAULT
from ..cuda.runtime import getDevice
from ._curand import Curand
from ._distributions import _ROW, Distributions, finite_extent, is_integer
from ._generator import Permuting
from ._integers import draw_integers
from ._multivariate import Multivariate
from .bit_generator import BitGenerator, Philox4x3210

__all__ = [
    "RandomState",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "get_random_state",
    "get_state",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_integers",
    "random_sample",
    "ranf",
    "rayleigh",
    "reset_states",
    "sample",
    "seed",
    "set_random_state",
    "set_state",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]


class RandomState(Multivariate, Permuting):
    """Random number generator with the methods of numpy.random.RandomState, on the device.

    Parameters
    ----------
    seed : None, int, array_like of ints, SeedSequence or BitGenerator, optional
        Seed of the generator. All words of arrays are used.
    method : int, optional
        Number of a cuRAND generator, from `gpunp.cuda.curand`, whose words are used. None and
        `CURAND_RNG_PSEUDO_DEFAULT` mean Philox4x3210. The emulated device supports
        `CURAND_RNG_PSEUDO_PHILOX4_32_10` only.

    Notes
    -----
    As with CuPy, every distribution takes a `dtype`. The numbers are not NumPy's.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.random.RandomState(3).randn(2, 2, dtype=cp.float32).dtype
    dtype('float32')
    """

    def __init__(self, seed=None, method=None):
        self._method = method
        self.seed(seed)

    def shuffle(self, x) -> None:
        """Permute the entries of an array along its first axis at random, in place.

        Parameters
        ----------
        x : ndarray
            Array that is permuted in place.
        """
        super().shuffle(x)

    @property
    def method(self) -> int | None:
        """Number of the cuRAND generator that was requested, or None."""
        return self._method

    def seed(self, seed=None) -> None:
        """Reseed the generator.

        Parameters
        ----------
        seed : None, int, array_like of ints, SeedSequence or BitGenerator, optional
            New seed; None takes entropy from the operating system.
        """
        if isinstance(seed, BitGenerator):
            self._bit_generator = seed
        elif self._method in (None, CURAND_RNG_PSEUDO_DEFAULT):
            self._bit_generator = Philox4x3210(seed)
        else:
            self._bit_generator = Curand(seed, method=self._method)
        self._stream = self._bit_generator._stream

    def __getstate__(self):
        return {"method": self._method, "bit_generator": self._bit_generator}

    def __setstate__(self, saved):
        self._method = saved["method"]
        self._bit_generator: BitGenerator = saved["bit_generator"]
        self._stream = self._bit_generator._stream

    def get_state(self, legacy=False) -> dict[str, Any]:
        """Return the state as a dict.

        Parameters
        ----------
        legacy : bool, optional
            Accepted for compatibility; there is no tuple form.

        Returns
        -------
        dict
            State, for `set_state`.
        """
        return self._bit_generator.state

    def set_state(self, state) -> None:
        """Set the state to one returned by `get_state`.

        Parameters
        ----------
        state : dict
            State returned by `get_state`.
        """
        self._bit_generator.state = state

    @documented_as(Distributions.uniform)
    def uniform(self, low=0.0, high=1.0, size=None, dtype=None) -> ndarray:
        """Draw samples uniformly between two ends, which may be in any order.

        Raises
        ------
        OverflowError
            If `low` or `high` on the host is not finite, or their difference overflows.
        """
        finite_extent(low, high)
        return super().uniform(low, high, size, dtype)

    def rand(self, *size, dtype=None) -> ndarray:
        """Draw samples from the uniform distribution on [0, 1); the arguments are the shape.

        Parameters
        ----------
        *size : int
            Shape of the result, one argument for each axis.
        dtype : dtype, optional
            Type of the result: float32, or float64, the default.

        Returns
        -------
        ndarray
            Samples of the given shape.
        """
        return self.random_sample(size, dtype)

    @documented_as(rand)
    def randn(self, *size, dtype=None) -> ndarray:
        """Draw normal samples with mean 0 and standard deviation 1; the arguments are the shape."""
        return self.standard_normal(size, dtype)

    def random_sample(self, size=None, dtype=None) -> ndarray:
        """Draw samples from the uniform distribution on [0, 1).

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            Type of the result: float32, or float64, the default.

        Returns
        -------
        ndarray
            Samples of the given shape.
        """
        return random_draw(self._stream, _ROW["random"], size, dtype, None)

    def randint(self, low, high=None, size=None, dtype=int) -> ndarray:
        """Draw random integers uniformly from [low, high).

        Parameters
        ----------
        low, high : int or array_like of ints
            Lower and upper end of the range; with one argument, 0 and that.
        size : int or tuple of ints, optional
            Shape of the result.
        dtype : dtype, optional
            Type of the result: any integer type, or bool.

        Returns
        -------
        ndarray
            Random integers of the given shape and type.
        """
        return draw_integers(self._stream, low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None) -> ndarray:
        """Draw random integers uniformly from [low, high]; with one argument, from [1, low].

        Parameters
        ----------
        low, high : int
            Lower and upper end of the range.
        size : int or tuple of ints, optional
            Shape of the result.

        Returns
        -------
        ndarray of int64
            Random integers of the given shape.
        """
        if high is None:
            low, high = 1, low
        return draw_integers(self._stream, low, high, size, np.int64, True)

    def tomaxint(self, size=None) -> ndarray:
        """Draw random integers uniformly from [0, sys.maxsize].

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.

        Returns
        -------
        ndarray of int64
            Random integers of the given shape.
        """
        return draw_integers(self._stream, 0, sys.maxsize, size, np.int64, True)

    def multivariate_normal(
        self, mean, cov, size=None, check_valid="ignore", tol=1e-8, method="cholesky", dtype=None
    ) -> ndarray:
        """Draw vectors of normal samples with a given covariance.

        Parameters
        ----------
        mean, cov, size, check_valid, tol, method
            Parameters as for `Generator.multivariate_normal`; the defaults are CuPy's.
        dtype : dtype, optional
            Type of the result: float32, or float64, the default.

        Returns
        -------
        ndarray
            Samples, with the components along the last axis.
        """
        x = super().multivariate_normal(mean, cov, size, check_valid, tol, method=method)
        return x if dtype is None else x.astype(dtype, copy=False)

    def choice(self, a, size=None, replace=True, p=None) -> ndarray:
        """Draw a random sample from a one-dimensional array, or from `arange(a)`.

        Parameters
        ----------
        a : int or array_like
            Array to sample from, or the number of integers; reading it from the device waits.
        size : int or tuple of ints, optional
            Shape of the sample.
        replace : bool, optional
            If True, an entry may be drawn more than once.
        p : array_like of floats, optional
            Probabilities of the entries. Those on the device are not checked.

        Returns
        -------
        ndarray
            Sample, with the dtype of `a`.
        """
        if isinstance(a, ndarray) and a.ndim == 0 and a.dtype.kind in "iu":
            a = int(a)
        whole = is_integer(a)
        if not whole and (isinstance(a, (str, builtins.bytes)) or not np.iterable(a)):
            raise ValueError("a must be 1-dimensional or an integer")
        source = None if whole else asarray(a)
        if source is not None and source.ndim != 1:
            raise ValueError("a must be 1-dimensional or an integer")
        n = int(a) if source is None else source.size
        if n <= 0 and size != 0:
            raise ValueError(
                "a must be greater than 0 unless no samples are taken"
                if whole
                else "'a' cannot be empty unless no samples are taken"
            )
        picked = self._indices(n, size, replace, p)
        return picked if source is None else source[picked]


# ---- the state of each device ------------------------------------------------------------------

_states: dict[int, RandomState] = {}


def get_random_state() -> RandomState:
    """Return the state from which the functions draw on the current device.

    Returns
    -------
    RandomState
        State of the current device.
    """
    device = getDevice()
    state = _states.get(device)
    if state is None:
        state = _states.setdefault(device, RandomState())
    return state


def set_random_state(rs) -> None:
    """Set the state from which the functions draw on the current device.

    Parameters
    ----------
    rs : RandomState
        State to draw from, from now on.
    """
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _states[getDevice()] = rs


def reset_states() -> None:
    """Drop the states of all devices; new ones are seeded from the operating system."""
    _states.clear()


def seed(seed=None) -> None:
    """Seed the state of the current device.

    Parameters
    ----------
    seed : None, int, array_like of ints or SeedSequence, optional
        New seed; None takes entropy from the operating system.
    """
    get_random_state().seed(seed)


def _of_state(method: Callable[..., Any]) -> Callable[..., Any]:
    """The function that calls a method of the current device's state."""
    name = method.__name__

    @functools.wraps(method)
    def function(*args, **kwargs):
        return getattr(get_random_state(), name)(*args, **kwargs)

    signature = inspect.signature(method)
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=list(signature.parameters.values())[1:]
    )
    function.__module__, function.__qualname__ = __name__, name
    return function


beta = _of_state(RandomState.beta)
binomial = _of_state(RandomState.binomial)
bytes = _of_state(RandomState.bytes)
chisquare = _of_state(RandomState.chisquare)
choice = _of_state(RandomState.choice)
dirichlet = _of_state(RandomState.dirichlet)
exponential = _of_state(RandomState.exponential)
f = _of_state(RandomState.f)
gamma = _of_state(RandomState.gamma)
geometric = _of_state(RandomState.geometric)
get_state = _of_state(RandomState.get_state)
gumbel = _of_state(RandomState.gumbel)
hypergeometric = _of_state(RandomState.hypergeometric)
laplace = _of_state(RandomState.laplace)
logistic = _of_state(RandomState.logistic)
lognormal = _of_state(RandomState.lognormal)
logseries = _of_state(RandomState.logseries)
multinomial = _of_state(RandomState.multinomial)
multivariate_normal = _of_state(RandomState.multivariate_normal)
negative_binomial = _of_state(RandomState.negative_binomial)
noncentral_chisquare = _of_state(RandomState.noncentral_chisquare)
noncentral_f = _of_state(RandomState.noncentral_f)
normal = _of_state(RandomState.normal)
pareto = _of_state(RandomState.pareto)
permutation = _of_state(RandomState.permutation)
poisson = _of_state(RandomState.poisson)
power = _of_state(RandomState.power)
rand = _of_state(RandomState.rand)
random = _of_state(RandomState.random)
randint = _of_state(RandomState.randint)
randn = _of_state(RandomState.randn)
random_integers = _of_state(RandomState.random_integers)
random_sample = _of_state(RandomState.random_sample)
rayleigh = _of_state(RandomState.rayleigh)
set_state = _of_state(RandomState.set_state)
shuffle = _of_state(RandomState.shuffle)
standard_cauchy = _of_state(RandomState.standard_cauchy)
standard_exponential = _of_state(RandomState.standard_exponential)
standard_gamma = _of_state(RandomState.standard_gamma)
standard_normal = _of_state(RandomState.standard_normal)
standard_t = _of_state(RandomState.standard_t)
triangular = _of_state(RandomState.triangular)
uniform = _of_state(RandomState.uniform)
vonmises = _of_state(RandomState.vonmises)
wald = _of_state(RandomState.wald)
weibull = _of_state(RandomState.weibull)
zipf = _of_state(RandomState.zipf)
ranf = sample = random_sample

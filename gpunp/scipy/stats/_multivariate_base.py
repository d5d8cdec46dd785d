"""What multivariate distributions share: parameters, covariances, frozen objects."""

import functools
import inspect
import math
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.multiarray import asarray, ndarray
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import sum
from ...linalg import eigh
from ._distn_infrastructure import generator_of

__all__ = ["Frozen", "Multivariate", "Semidefinite", "real", "squeezed"]

# A thread a point: the squares of the whitened coordinates, and of those where nothing varies.
_DISTANCE = ElementwiseKernel(
    "raw float64 x, raw float64 center, raw float64 whitening, raw float64 null, int64 size",
    "float64 distance, float64 outside",
    """
    distance = 0, outside = 0;
    for (int64_t k = 0; k < size; k++) {
        double sum = 0, rest = 0;
        for (int64_t j = 0; j < size; j++) {
            const double d = x[i * size + j] - center[j];
            sum += d * whitening[j * size + k];
            rest += d * null[j * size + k];
        }
        distance += sum * sum;
        outside += rest * rest;
    }
    """,
    "squared_distance",
)


def real(x: Any) -> ndarray:
    return as_array(x).astype(np.float64, copy=False)


class Semidefinite:
    """A covariance by its eigenvalues, which are read to know its rank."""

    def __init__(self, matrix: ndarray, allow_singular: bool):
        values, vectors = eigh(matrix)
        host = values.get()
        least = 1e6 * np.finfo(np.float64).eps * abs(host).max(initial=0)
        if host.size and host.min() < -least:
            raise ValueError("The input matrix must be symmetric positive semidefinite.")
        kept = host > least
        if not kept.all() and not allow_singular:
            raise np.linalg.LinAlgError(
                "When `allow_singular is False`, the input matrix must be symmetric positive"
                " definite."
            )
        factors = np.where(kept, 1 / np.sqrt(np.where(kept, host, 1)), 0)
        self.rank, self.log_pdet = int(kept.sum()), float(np.log(host[kept]).sum())
        self.whitening = vectors * asarray(factors)
        self.null = vectors * asarray((~kept).astype(float))
        self.tolerance = (1e3 * least) ** 2
        self.root = vectors * asarray(np.sqrt(np.where(kept, host, 0)))  # of the covariance
        self.covariance = matrix

    def _distances(self, x: ndarray, center: ndarray) -> tuple[ndarray, Any]:
        """Squares of Mahalanobis's distance, and whether points lie where the density does."""
        size = center.size
        if size > 32:
            moved = x - center
            distance = sum((moved @ self.whitening) ** 2, axis=-1)
            outside = sum((moved @ self.null) ** 2, axis=-1) if self.rank < size else 0.0
        else:
            distance, outside = _DISTANCE(
                x, center, self.whitening, self.null, size, size=math.prod(x.shape[:-1])
            )
            distance, outside = (part.reshape(x.shape[:-1]) for part in (distance, outside))
        return distance, outside <= self.tolerance if self.rank < size else None


def squeezed(result: ndarray) -> ndarray:
    return result.reshape([n for n in result.shape if n != 1])


_CALLED = """seed : None, int, Generator or RandomState, optional
    Source of random numbers of the frozen distribution.

Returns
-------
frozen distribution
    Object with the same methods, without the parameters."""


class Multivariate:
    """What these distributions share. Their descriptions end with what all calls have."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        text = inspect.cleandoc(cls.__doc__ or "")
        if "__call__" in vars(cls) and "Parameters\n" not in text:
            text = f"{text}\n\nParameters\n----------"
        if "Parameters\n" in text and "\nseed :" not in text:
            cls.__doc__ = f"{text}\n{_CALLED}"

    def rvs(self, *args: Any, **kwds: Any) -> Any:
        """Draw samples.

        Parameters
        ----------
        random_state : None, int, Generator or RandomState, optional
            Source of the random numbers.
        """
        raise NotImplementedError

    def __init__(self, seed: Any = None):
        self._random_state = None if seed is None else generator_of(seed)

    @property
    def random_state(self) -> Any:
        """Source of random numbers of `rvs`; by default that of `gpunp.random`."""
        return generator_of(self._random_state)

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._random_state = None if seed is None else generator_of(seed)

    def _source(self, random_state: Any) -> Any:
        return self.random_state if random_state is None else generator_of(random_state)


class Frozen:
    """A multivariate distribution with its parameters: its methods without them."""

    def __init__(self, dist: Any, seed: Any, **given: Any):
        self._dist, self._given = type(dist)(seed), given
        self.__dict__.update(given)

    @property
    def random_state(self) -> Any:
        """Source of random numbers of `rvs`."""
        return self._dist.random_state

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._dist.random_state = seed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._dist, name) or name == "fit":
            raise AttributeError(f"frozen distribution has no attribute {name!r}")
        method = getattr(self._dist, name)
        known = inspect.signature(method).parameters
        return functools.partial(
            _called, method, {k: v for k, v in self._given.items() if k in known}
        )


def _called(method: Any, given: dict[str, Any], /, *args: Any, **kwds: Any) -> Any:
    """A method with the frozen parameters: data and options may have places, as in SciPy."""
    names = [name for name in inspect.signature(method).parameters if name not in given]
    return method(**dict(zip(names, args, strict=False)), **given, **kwds)

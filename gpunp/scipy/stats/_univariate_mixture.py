"""Mixtures: random variables that have the distribution of one or another, by chance."""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, shown
from ..._core.multiarray import asarray, ndarray, where
from ..._core.umath import exp, log, maximum, minimum
from ._univariate import RandomVariable, shown_parameter
from ._univariate_transformed import Variable
from ._univariate_ways import inverted

__all__ = ["Mixture"]


def _sum(parts: Any) -> Any:
    total: Any = 0.0
    for part in parts:
        total = total + part
    return total


class Mixture(RandomVariable):
    """Random variable with the distribution of one of several others, by chance.

    Parameters
    ----------
    components : sequence of object
        Continuous random variables whose parameters are numbers.
    weights : array_like of float, optional
        Probability of each, by default equal ones. They are read and checked.

    Raises
    ------
    ValueError
        If there is no component, or one that is not continuous or an array, or if weights are not
        as many, negative, or do not sum to 1.

    Examples
    --------
    >>> from gpunp.scipy import stats
    >>> X = stats.Mixture([stats.Normal(mu=-1.0), stats.Normal(mu=3.0)], weights=[0.75, 0.25])
    >>> X.mean(), X.variance()
    (array(0.), array(4.))
    """

    def __init__(self, components, *, weights=None):
        super().__init__()
        components = list(components)
        if not components:
            raise ValueError("`components` must contain at least one random variable.")
        for variable in components:
            if not isinstance(variable, Variable) or variable._discrete:
                raise ValueError(
                    "Each element of `components` must be a continuous random variable, got "
                    + shown(variable)
                )
            if variable._shape != ():
                raise ValueError(
                    "All elements of `components` must have scalar shapes, got "
                    + shown(variable._shape)
                )
        self._components = components
        self._dtype = np.result_type(*(variable._dtype for variable in components))
        count = len(components)
        self._weights = asarray(np.full(count, 1 / count, self._dtype)) if weights is None else (
            self._checked(as_array(weights))
        )  # fmt: skip
        self._shares = [float(w) for w in self._weights.get()]

    def _checked(self, weights: ndarray) -> ndarray:
        if weights.shape != (len(self._components),):
            raise ValueError("`components` and `weights` must have the same length.")
        if weights.dtype.kind != "f":
            raise ValueError(f"`weights` must have floating point dtype, got {weights.dtype}.")
        host = weights.get()
        if not np.isclose(host.sum(), 1.0):
            raise ValueError(f"`weights` must sum to 1.0, got {host.sum()}.")
        if not (host >= 0).all():
            raise ValueError("All `weights` must be non-negative.")
        return weights

    @property
    def components(self) -> list[Any]:
        """The random variables."""
        return list(self._components)

    @property
    def weights(self) -> ndarray:
        """A copy of their probabilities."""
        return self._weights.copy()

    def _ways(self, function: str, order: int = 0) -> tuple[str, ...]:
        return ()  # as of SciPy's

    def _mixed(self, value: Any) -> Any:
        pairs = zip(self._shares, self._components, strict=True)
        return _sum(share * value(variable) for share, variable in pairs)

    def _log_mixed(self, value: Any) -> Any:
        terms = [
            value(variable) + (math.log(share) if share else -math.inf)
            for share, variable in zip(self._shares, self._components, strict=True)
        ]
        largest = terms[0]
        for term in terms[1:]:
            largest = maximum(largest, term)
        base = where(largest == -math.inf, 0.0, largest)
        return base + log(_sum(exp(term - base) for term in terms))

    def _ends(self) -> tuple[Any, Any]:
        pairs = [variable._ends() for variable in self._components]
        low, high = pairs[0]
        for first, last in pairs[1:]:
            low, high = minimum(low, first), maximum(high, last)
        return low, high

    def _density(self, x: Any) -> Any:
        return self._mixed(lambda variable: variable._density(x))

    def _log_density(self, x: Any) -> Any:
        return self._log_mixed(lambda variable: variable._log_density(x))

    def _tail(self, x: Any, upper: bool) -> Any:
        return self._mixed(lambda variable: variable._tail(x, upper))

    def _log_tail(self, x: Any, upper: bool) -> Any:
        return minimum(self._log_mixed(lambda variable: variable._log_tail(x, upper)), 0.0)

    def _quantile(self, p: Any, upper: bool) -> Any:
        """Between the least and the largest quantile of the components."""
        found = [variable._quantile(p, upper) for variable in self._components]
        low = high = found[0]
        for value in found[1:]:
            low, high = minimum(low, value), maximum(high, value)
        return inverted(self, p, upper, low, high)

    def _expectation(self, function: Any, tol: float | None = None) -> Any:
        tol = self.tol if tol is None else tol
        return self._mixed(lambda variable: variable._expectation(function, tol))

    def _raw(self, order: int) -> Any:
        return self._mixed(lambda variable: variable._raw(order))

    def _central(self, order: int) -> Any:
        mean = self._raw(1)

        def about(variable: Any) -> Any:
            shift = variable._raw(1) - mean
            moments = [1.0, 0.0, *(variable._central(k) for k in range(2, order + 1))]
            return _sum(
                math.comb(order, k) * shift ** (order - k) * m for k, m in enumerate(moments)
            )

        return self._mixed(about)

    def _draw(self, source: Any, shape: tuple[int, ...]) -> Any:
        uniform = getattr(source, "random_sample", None) or source.random
        chosen = uniform(shape)
        value, reached = self._components[0]._draw(source, shape), self._shares[0]
        for share, variable in zip(self._shares[1:], self._components[1:], strict=True):
            value = where(chosen < reached, value, variable._draw(source, shape))
            reached += share
        return value

    def _written(self, write: Any) -> str:
        with np.printoptions(threshold=10):
            lines = "".join(f"        {write(variable)},\n" for variable in self._components)
            weights = write(shown_parameter(self._weights))
        return f"Mixture(\n    [\n{lines}    ],\n    weights={weights},\n)"

"""Indices of sensitivity by Sobol's decomposition of the variance."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._core._convert import as_host, shown
from ..._core.multiarray import asarray, concatenate, ndarray, where
from ..._core.shape_base import stack
from ...lib._quantile_impl import quantile
from ...random import default_rng
from ._axis import ConfidenceInterval, real

__all__ = ["sobol_indices"]


def _saltelli_2010(f_a: ndarray, f_b: ndarray, f_ab: ndarray) -> tuple[ndarray, ndarray]:
    """First-order and total indices, (s, d), of values (s, n), (s, n) and (d, s, n).

    They are zero of a function that is constant. A. Saltelli et al., Computer Physics
    Communications 181, 2010, table 2 (b) and (f).
    """
    var = concatenate([f_a, f_b], axis=-1).var(axis=-1)
    first = (f_b * (f_ab - f_a)).mean(axis=-1)
    total = 0.5 * ((f_a - f_ab) ** 2).mean(axis=-1)
    return tuple(where(var == 0, 0.0, part / var).T for part in (first, total))


@dataclass(eq=False)
class BootstrapResult:
    """Interval, standard error and draws of indices."""

    confidence_interval: ConfidenceInterval
    bootstrap_distribution: ndarray
    standard_error: ndarray


@dataclass(eq=False)
class BootstrapSobolResult:
    """Confidence intervals of the indices."""

    first_order: BootstrapResult
    total_order: BootstrapResult


def _of_draws(draws: ndarray, level: float) -> BootstrapResult:
    tail = (1 - level) / 2
    ends = (quantile(draws, t, axis=-1) for t in (tail, 1 - tail))
    return BootstrapResult(ConfidenceInterval(*ends), draws, draws.std(axis=-1, ddof=1))


class SobolResult:
    """Indices of first order and total indices, of each parameter."""

    def __init__(self, indices: tuple, values: tuple, method: Callable[..., Any]) -> None:
        self.first_order, self.total_order = indices
        self._values, self._method = values, method

    def __repr__(self) -> str:
        return f"SobolResult(first_order={self.first_order!r}, total_order={self.total_order!r})"

    def bootstrap(
        self, confidence_level: float = 0.95, n_resamples: int = 999
    ) -> BootstrapSobolResult:
        """Return confidence intervals, by computing the indices of points that are drawn again.

        Parameters
        ----------
        confidence_level : float, optional
            Probability of the intervals, by the percentiles of the draws.
        n_resamples : int, optional
            Number of draws, one after another.

        Returns
        -------
        BootstrapSobolResult
            Object with attributes `first_order` and `total_order`, each of which has
            `confidence_interval` and `standard_error`.
        """
        f_a, f_b, f_ab = self._values
        generator, n = default_rng(), f_a.shape[-1]
        found = []
        for _ in range(int(n_resamples)):
            at = generator.integers(0, n, n)
            found.append(self._method(f_a[:, at], f_b[:, at], f_ab[..., at]))
        level = float(as_host(confidence_level))
        draws = (stack([pair[k] for pair in found], axis=-1) for k in range(2))
        shape = self.first_order.shape
        return BootstrapSobolResult(
            *(_of_draws(part.reshape(*shape, part.shape[-1]), level) for part in draws)
        )


def _of_rows(values: Any, points: int) -> ndarray:
    """A function's values as (s, n)."""
    values = real(values, "values of func")
    if values.ndim == 1:
        values = values[None]
    if values.ndim != 2 or values.shape[-1] != points:
        raise ValueError(
            f"'func' output should have a shape ``(s, n)`` with n = {points}, got {values.shape}"
        )
    return values


def _evaluated(func: Callable[..., Any], n: int, dists: Any, rng: Any) -> tuple:
    from .qmc import Sobol

    try:
        quantiles = [dist.ppf for dist in dists]
    except (AttributeError, TypeError) as error:
        raise ValueError("Methods in `dists` must have a `ppf` method.") from error
    d = len(quantiles)
    points = asarray(Sobol(2 * d, bits=64, rng=rng).random(n))
    halves = []
    for part in (points[:, :d], points[:, d:]):
        halves.append(stack([f(part[:, k]) for k, f in enumerate(quantiles)]))
    a, b = halves
    mixed = []
    for k in range(d):
        rows = a.copy()
        rows[k] = b[k]
        mixed.append(_of_rows(func(rows), n))
    return _of_rows(func(a), n), _of_rows(func(b), n), stack(mixed)


def sobol_indices(
    *, func, n, dists=None, method="saltelli_2010", rng=None, random_state=None
) -> SobolResult:
    """Return how much of the variance of a function is due to each of its parameters.

    Parameters
    ----------
    func : callable or dict
        Function of an array of shape (d, n), points of d parameters as columns, which returns
        values of shape (n,) or (s, n). A dict has these values for both sets of points, "f_A" and
        "f_B" of shape (s, n), and "f_AB" of shape (d, s, n).
    n : int
        Number of points, a power of two.
    dists : sequence of distributions, optional
        Frozen distributions of the parameters; needed where `func` is a function.
    method : {'saltelli_2010'} or callable, optional
        How the indices are estimated: by the formulas of 2010, or a function of f_A, f_B and f_AB
        that returns both.
    rng, random_state : None, int or Generator of NumPy, optional
        What scrambles Sobol's sequence, as of `qmc.Sobol`.

    Returns
    -------
    SobolResult
        Object with attributes `first_order` and `total_order`, of shape (s, d) or (d,), and the
        method `bootstrap`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.stats import sobol_indices, uniform
    >>> result = sobol_indices(func=lambda x: 2 * x[0] + x[1], n=1024,
    ...                        dists=[uniform(), uniform()], rng=1)
    >>> result.first_order.round(2)
    array([0.8, 0.2])
    """
    if rng is not None and random_state is not None:
        raise TypeError("only one of `rng` and `random_state` can be given")
    if int(n) != n or n <= 0 or int(n) & (int(n) - 1):
        raise ValueError("The balance properties of Sobol' points require 'n' to be a power of 2.")
    if callable(method):
        indices = method
    elif method == "saltelli_2010":
        indices = _saltelli_2010
    else:
        raise ValueError("'saltelli_2010' is the only method, or a function")
    if callable(func):
        if dists is None:
            raise ValueError("'dists' must be defined when 'func' is a callable.")
        values = _evaluated(func, int(n), dists, random_state if rng is None else rng)
    else:
        if not isinstance(func, Mapping):
            raise TypeError(f"'func' must be a function or a dict, not {shown(func)}")
        if not {"f_A", "f_B", "f_AB"} <= set(func):
            raise ValueError("a dict 'func' must have the keys 'f_A', 'f_B' and 'f_AB'")
        f_a, f_b = (_of_rows(func[name], int(n)) for name in ("f_A", "f_B"))
        f_ab = real(func["f_AB"], "f_AB")
        if f_ab.ndim == 2:
            f_ab = f_ab[:, None]
        if f_a.shape != f_b.shape or f_ab.shape[1:] != f_a.shape:
            raise ValueError("'func' must have f_A and f_B of (s, n), and f_AB of (d, s, n)")
        values = (f_a, f_b, f_ab)
    center = concatenate(values[:2], axis=-1).mean(axis=-1, keepdims=True)
    values = tuple(part - center for part in values)
    first, total = indices(*values)
    if first.shape[0] == 1:
        first, total = first[0], total[0]
    return SobolResult((first, total), values, indices)

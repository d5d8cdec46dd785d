"""The distributions of `gpunp.scipy.stats`, made from the rows of their tables."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.multiarray import empty, ndarray
from ..._core.raw import ElementwiseKernel
from ._continuous_rows import CONTINUOUS
from ._discrete_rows import DISCRETE
from ._distn_infrastructure import Continuous, Discrete
from ._distn_statistics import Statistic
from ._integral_rows import INTEGRALS, NONCENTRAL_COUNTS
from ._more_continuous_rows import MORE_CONTINUOUS
from ._poisson_binomial import POISSON_BINOMIAL, PoissonBinomial

# Samples of stable distributions, of an angle and an exponential number: J. M. Chambers, C. L.
# Mallows, B. W. Stuck, J. Amer. Statist. Assoc. 71 (1976).
_STABLE = ElementwiseKernel(
    "float64 u, float64 e, float64 alpha, float64 beta, float64 loc, float64 scale",
    "float64 x",
    """
    const double pi = 3.14159265358979323846, angle = pi * (u - 0.5);
    double y;
    if (alpha == 1) {
        const double rest = 0.5 * pi + beta * angle;
        y = (rest * tan(angle) - beta * log(0.5 * pi * e * cos(angle) / rest)) / (0.5 * pi);
    }
    else {
        const double skew = alpha == 2 ? 0 : beta * tan(0.5 * pi * alpha);
        const double rotated = alpha * angle + atan(skew), power = (1 - alpha) / alpha;
        y = pow(1 + skew * skew, 0.5 / alpha) * sin(rotated) / pow(cos(angle), 1 / alpha)
            * pow(cos(angle - rotated) / e, power);
    }
    const bool valid = alpha > 0 && alpha <= 2 && fabs(beta) <= 1;
    x = valid ? y * scale + loc : NAN;
    """,
    "stable_samples",
)


class Stable(Continuous):
    """A stable distribution, of which samples have a closed form."""

    def _sample(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        uniform = getattr(source, "random_sample", None) or source.random
        numbers = numbers if self._row.shapes else [1.0, 1.0, *numbers]  # Landau's
        made = uniform(shape), source.standard_exponential(size=shape)
        return _STABLE(*made, *numbers, empty(shape, np.float64))


_MADE = {
    **{row.name: Continuous(row) for row in CONTINUOUS + MORE_CONTINUOUS + INTEGRALS},
    **{row.name: Discrete(row) for row in DISCRETE + NONCENTRAL_COUNTS},
}
_CLASSES = {"landau": Stable, "levy_stable": Stable, "ksone": Statistic, "kstwo": Statistic}
_MADE.update({row.name: _CLASSES[row.name](row) for row in INTEGRALS if row.name in _CLASSES})
_MADE["poisson_binom"] = PoissonBinomial(POISSON_BINOMIAL)
globals().update(_MADE)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """A distribution: the tables are read at run time."""


__all__ = sorted(_MADE)  # noqa: PLE0605

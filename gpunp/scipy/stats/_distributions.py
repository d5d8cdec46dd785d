"""The distributions of `gpunp.scipy.stats`, made from the rows of their tables."""

from ._continuous_rows import CONTINUOUS
from ._discrete_rows import DISCRETE
from ._distn_infrastructure import Continuous, Discrete
from ._more_continuous_rows import MORE_CONTINUOUS

_MADE = {
    **{row.name: Continuous(row) for row in CONTINUOUS + MORE_CONTINUOUS},
    **{row.name: Discrete(row) for row in DISCRETE},
}
globals().update(_MADE)

__all__ = sorted(_MADE)  # noqa: PLE0605

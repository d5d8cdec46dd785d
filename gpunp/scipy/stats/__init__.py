"""`scipy.stats`: own functions, and SciPy's that take device arrays."""

from .._borrowed import borrow as _borrow
from . import _distributions, _multivariate, _stats_py
from ._distributions import *
from ._multivariate import *
from ._stats_py import *

__all__, __getattr__, __dir__ = _borrow(
    "stats", own=[*_stats_py.__all__, *_distributions.__all__, *_multivariate.__all__]
)

"""`scipy.stats.distributions`: the distributions of one variable, and the bases of one's own."""

from . import _distn_histogram, _distn_user, _distn_user_discrete, _distributions
from ._distn_histogram import *
from ._distn_user import *
from ._distn_user_discrete import *
from ._distributions import *
from ._stats_py import entropy

__all__ = ["entropy"]
__all__ += _distn_histogram.__all__
__all__ += _distn_user.__all__
__all__ += _distn_user_discrete.__all__
__all__ += _distributions.__all__

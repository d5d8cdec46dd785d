"""`scipy.stats.contingency`: SciPy's functions of contingency tables that take device arrays."""

from .._borrowed import borrow as _borrow

__all__, __getattr__, __dir__ = _borrow("stats.contingency")

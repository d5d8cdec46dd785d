"""`scipy.constants`: SciPy's conversions of units that take device arrays."""

from ._borrowed import borrow as _borrow

__all__, __getattr__, __dir__ = _borrow("constants")

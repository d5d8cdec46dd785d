"""`scipy.optimize.elementwise`: roots and minima of element-wise functions, by SciPy's code."""

from .._borrowed import borrow as _borrow

__all__, __getattr__, __dir__ = _borrow("optimize.elementwise")

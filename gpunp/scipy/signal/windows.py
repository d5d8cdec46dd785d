"""`scipy.signal.windows`: window functions, by SciPy's code."""

from .._borrowed import borrow as _borrow

__all__, __getattr__, __dir__ = _borrow("signal.windows")

"""`scipy.spatial.transform`: rotations and rigid motions, by SciPy's classes."""

from .._borrowed import borrow as _borrow

__all__, __getattr__, __dir__ = _borrow("spatial.transform")

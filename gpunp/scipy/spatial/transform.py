"""`scipy.spatial.transform`: rotations and rigid motions, most by SciPy's classes."""

from .._borrowed import borrow as _borrow

_OWN = ("RotationSpline",)

__all__, __getattr__, __dir__ = _borrow("spatial.transform", _OWN)

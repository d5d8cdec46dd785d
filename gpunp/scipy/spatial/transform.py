"""`scipy.spatial.transform`: rotations and rigid motions, most by SciPy's classes."""

from .._borrowed import borrow as _borrow
from ._rotation import rotation_class as _rotation_class
from ._rotation_spline import RotationSpline

_OWN = (RotationSpline.__name__,)

__all__, __getattr__, __dir__ = _borrow(
    "spatial.transform", _OWN, derived={"Rotation": _rotation_class}
)

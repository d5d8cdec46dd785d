"""Exceptions and warnings: NumPy's own, and the warning that no GPU is in use."""

from numpy.exceptions import (
    AxisError,
    ComplexWarning,
    DTypePromotionError,
    ModuleDeprecationWarning,
    RankWarning,
    TooHardError,
    VisibleDeprecationWarning,
)

from ._C import EmulatedDeviceWarning

__all__ = [
    "AxisError",
    "ComplexWarning",
    "DTypePromotionError",
    "EmulatedDeviceWarning",
    "ModuleDeprecationWarning",
    "RankWarning",
    "TooHardError",
    "VisibleDeprecationWarning",
]

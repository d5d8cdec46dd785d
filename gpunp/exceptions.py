"""Exceptions and warnings: NumPy's own, and those about the device."""

from numpy.exceptions import (
    AxisError,
    ComplexWarning,
    DTypePromotionError,
    ModuleDeprecationWarning,
    RankWarning,
    TooHardError,
    VisibleDeprecationWarning,
)

from ._C import EmulatedDeviceWarning, PerformanceWarning

__all__ = [
    "AxisError",
    "ComplexWarning",
    "DTypePromotionError",
    "EmulatedDeviceWarning",
    "ModuleDeprecationWarning",
    "PerformanceWarning",
    "RankWarning",
    "TooHardError",
    "VisibleDeprecationWarning",
]

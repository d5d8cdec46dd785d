"""Filters and measurements of images and signals: the extension's functions."""

from .. import _C

__all__ = [
    "footprint_filter",
    "fourier",
    "interpolate",
    "label_components",
    "label_numbers",
    "line_filter",
    "nearest",
    "spline_filter",
]

footprint_filter = _C.footprint_filter
fourier = _C.fourier
interpolate = _C.interpolate
label_components = _C.label_components
label_numbers = _C.label_numbers
line_filter = _C.line_filter
nearest = _C.nearest
spline_filter = _C.spline_filter

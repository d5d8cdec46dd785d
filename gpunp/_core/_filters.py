"""Filters and measurements of images and signals: the extension's functions."""

from .. import _C

__all__ = [
    "feedback",
    "footprint_filter",
    "fourier",
    "interpolate",
    "label_components",
    "label_numbers",
    "line_filter",
    "nearest",
    "plane_lines",
    "segment_index",
    "segment_keys",
    "segments",
    "segments_sorted",
    "spline_filter",
    "recurrence",
    "recurrence_tables",
    "upfirdn",
]

feedback = _C.feedback
footprint_filter = _C.footprint_filter
fourier = _C.fourier
interpolate = _C.interpolate
label_components = _C.label_components
label_numbers = _C.label_numbers
line_filter = _C.line_filter
nearest = _C.nearest
plane_lines = _C.plane_lines
segment_index = _C.segment_index
segment_keys = _C.segment_keys
segments = _C.segments
segments_sorted = _C.segments_sorted
spline_filter = _C.spline_filter
recurrence = _C.recurrence
recurrence_tables = _C.recurrence_tables
upfirdn = _C.upfirdn

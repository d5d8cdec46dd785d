"""Filters and measurements of images and signals: the extension's functions."""

from .. import _C

__all__ = [
    "feedback",
    "footprint_filter",
    "label_components",
    "label_numbers",
    "line_filter",
    "nearest",
    "recurrence",
    "recurrence_tables",
    "upfirdn",
]

feedback = _C.feedback
footprint_filter = _C.footprint_filter
label_components = _C.label_components
label_numbers = _C.label_numbers
line_filter = _C.line_filter
nearest = _C.nearest
recurrence = _C.recurrence
recurrence_tables = _C.recurrence_tables
upfirdn = _C.upfirdn

"""Filters of images and signals: the extension's functions."""

from .. import _C

__all__ = ["footprint_filter", "line_filter", "nearest"]

footprint_filter = _C.footprint_filter
line_filter = _C.line_filter
nearest = _C.nearest

"""Filters of images and signals: the extension's functions."""

from .. import _C

__all__ = ["footprint_filter", "line_filter"]

footprint_filter = _C.footprint_filter
line_filter = _C.line_filter

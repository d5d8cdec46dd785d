"""Filters of images and signals: the extension's functions."""

from .. import _C

__all__ = ["line_filter"]

line_filter = _C.line_filter

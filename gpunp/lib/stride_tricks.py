"""Views made by choosing strides."""

from ._stride_tricks_impl import as_strided, sliding_window_view

__all__ = ["as_strided", "sliding_window_view"]

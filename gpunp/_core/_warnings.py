"""Warnings at the line of the user's program, however deep in the package they arise."""

from .._C import _warn as warn

__all__ = ["warn"]

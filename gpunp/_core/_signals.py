"""Frames and harmonic sums of signals: the extension's functions."""

from .. import _C

__all__ = ["frames", "harmonics"]

frames = _C.frames
harmonics = _C.harmonics

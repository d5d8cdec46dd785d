"""Switching NVIDIA's profilers on and off."""

import contextlib

from . import runtime

__all__ = ["profile", "start", "stop"]


def start():
    """Let a profiler that waits for it start to record."""
    runtime.profilerStart()


def stop():
    """Let a profiler stop recording."""
    runtime.profilerStop()


@contextlib.contextmanager
def profile():
    """Let a profiler record what runs in a `with` block."""
    start()
    try:
        yield
    finally:
        stop()

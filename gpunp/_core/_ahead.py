"""Libraries of NVIDIA that are opened in another thread before the first call needs them."""

from .. import _C

__all__ = ["open_libraries"]


def open_libraries(*names: str) -> None:
    """Begin to open libraries such as "cublas", where a GPU is in use already."""
    _C._open_ahead(*names)

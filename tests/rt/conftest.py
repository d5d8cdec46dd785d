"""The emulated device's own services, as a fixture (tests/emulated.py)."""

from emulated import emulator, stream_check

__all__ = ["emulator", "stream_check"]

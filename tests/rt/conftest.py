"""The emulated device's own services, as a fixture (tests/emulated.py)."""

from emulated import emulator

__all__ = ["emulator"]

"""The emulated device's own services, as in tests/rt."""

import sys
from pathlib import Path

from emulated import emulator

__all__ = ["emulator"]

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

"""The emulated device's own services, as in tests/rt."""

import sys
from pathlib import Path

from emulated import emulator, stream_check

__all__ = ["emulator", "stream_check"]

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

"""Lets the tests import the fuzzer's own modules."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

"""Puts this folder's harness on the path; nothing here needs a device."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def quiet():
    """Special values are the point here: NumPy need not warn about them."""
    with np.errstate(all="ignore"):
        yield

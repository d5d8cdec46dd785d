"""The extension module itself: what it holds, counted."""

import subprocess
import sys

import pytest

from gpunp import _C

COUNT = """
import gc, importlib.util, sys
spec = importlib.util.spec_from_file_location("gpunp._C", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
known = sum(
    sum(held is module for held in gc.get_referents(holder)) for holder in gc.get_referrers(module)
)
print(sys.getrefcount(module) - 1 - known)
"""


@pytest.mark.null
def test_each_reference_to_the_module_has_a_holder():
    """Alone in a fresh process: references that no object's traversal shows are leaks."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, _C.__file__], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == 0

"""Modules of ours that are imported when another library is."""

import subprocess
import sys

import child

AWAITED = """
import sys, types, importlib
import gpunp._when_imported as w
done = []
class Done:
    def find_spec(self, name, path, target=None):
        if name == "done":
            done.append(sys.modules["colorsys"].rgb_to_hsv)
            return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        pass
sys.meta_path.append(Done())
before = len(sys.meta_path)
w.when_imported("colorsys", "done")
w.when_imported("colorsys", "done")
assert "colorsys" not in sys.modules and "done" not in sys.modules
import colorsys
assert done == [colorsys.rgb_to_hsv], done
assert type(colorsys.__loader__).__name__ == "SourceFileLoader"
assert colorsys.__spec__.loader is colorsys.__loader__
del sys.modules["done"]
w.when_imported("colorsys", "done")
assert len(done) == 2
try:
    w.when_imported("no_such_library", "done")
    import no_such_library
except ModuleNotFoundError:
    assert len(done) == 2
else:
    raise AssertionError
"""


def test_work_waits_for_the_import():
    result = subprocess.run(
        [sys.executable, "-c", AWAITED],
        env=child.environment(),
        timeout=child.PATIENCE,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr

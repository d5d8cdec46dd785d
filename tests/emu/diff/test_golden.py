"""The emulated device against hashes measured on a real one, and against itself in all its modes.

`python tests/emu/diff/golden.py check gpunp/libgpunp_emu.so` (make diff) replays all of them."""

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import golden
import instructions
import snippets

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(os.environ.get("EMU_TEST_LIBRARY", ROOT / "gpunp" / "libgpunp_emu.so"))
MODES = {
    "plain": {"GPUNP_EMU_OPT": "0"},
    "uniform": {"GPUNP_EMU_OPT": "1"},
    "workers": {"GPUNP_EMU_WORKERS": "4"},
    "shuffled": {"GPUNP_EMU_SHUFFLE": "1", "GPUNP_EMU_SEED": "7"},
    "inline": {"GPUNP_EMU_ASYNC": "0"},
    "lazy": {"GPUNP_EMU_ASYNC": "2"},
    "v2": {"GPUNP_EMU_ISA": "2"},
    "v3": {"GPUNP_EMU_ISA": "3"},
}
pytestmark = pytest.mark.null


@pytest.fixture(autouse=True)
def library():
    """Nothing to do without the library or a compiler for the runner."""
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")
    if not os.environ.get("CC") and shutil.which("gcc") is None:
        pytest.skip("no C compiler")


def test_instructions():
    tried, bad = golden.check_snippets(LIBRARY)
    assert tried > 2000
    assert bad == []


def test_approximate_instructions_are_exact(monkeypatch):
    monkeypatch.setenv("GPUNP_EMU_EXACT", "1")
    tried, bad = golden.check_snippets(LIBRARY, approximate=True)
    assert tried >= 29
    assert bad == []


def test_rows_are_measured():
    assert golden.stale() == []


def test_programs():
    tried, bad = golden.check_programs(LIBRARY, 1000)
    assert tried == 1000
    assert bad == []


@pytest.mark.slow
def test_all_programs():
    tried, bad = golden.check_programs(LIBRARY, 1 << 20, os.cpu_count())
    assert tried == 20000
    assert bad == []


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode, monkeypatch):
    for name, value in MODES[mode].items():
        monkeypatch.setenv(name, value)
    tried, bad = golden.check_programs(LIBRARY, 200, first=1000)
    assert tried == 200
    assert bad == []
    ops = instructions.every_op()[::40]
    seen = golden.run_all(LIBRARY, [lambda: snippets.bundle(ops)], 1)
    for name in MODES[mode]:
        monkeypatch.delenv(name)
    assert seen == golden.run_all(LIBRARY, [lambda: snippets.bundle(ops)], 1)

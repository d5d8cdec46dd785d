"""Register and offset add up as the device's own rule says, and as an H200 did where it was measured."""

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import addresses
import golden

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(os.environ.get("EMU_TEST_LIBRARY", ROOT / "gpunp" / "libgpunp_emu.so"))
pytestmark = [
    pytest.mark.null,
    pytest.mark.skipif(not LIBRARY.exists(), reason="the library is not built"),
    pytest.mark.skipif(not os.environ.get("CC") and not shutil.which("gcc"), reason="no compiler"),
]


@pytest.mark.parametrize("level", "012")
def test_offsets_wrap(level, monkeypatch):
    """Every row agrees with its reference but for 64-bit addresses with bits too many."""
    monkeypatch.setenv("GPUNP_EMU_OPT", level)
    found = addresses.run(LIBRARY)
    assert set(found) == {r.name for r in addresses.rows()}
    assert not [n for n, (status, _) in found.items() if status and "global" not in n]
    wild = {r.name for r in addresses.rows() if r.shift and "global" in r.space}
    assert set(addresses.differing(found)) == wild
    assert {found[name][0] for name in wild} == {700}


def test_measured():
    tried, bad = golden.check_addresses(LIBRARY)
    assert tried > 2000
    assert bad == []

"""docs/scipy.md lists what scipy.special has and gpunp has not; public names exist."""

import re
from pathlib import Path

import pytest

import gpunp as cp

theirs = pytest.importorskip("scipy.special")
pytestmark = pytest.mark.null
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scipy.md").read_text()


def section():
    """The part of the page on special functions."""
    return PAGE.partition("## Special functions\n")[2].partition("\n## ")[0]


def test_absent_names_are_listed():
    absent = {n for n in theirs.__all__ if not n.startswith("_") and not hasattr(cp.special, n)}
    rows = re.findall(r"^\| (`.*`) \|", section(), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    newer = {"roots"}  # `roots_*` in a reason
    assert listed - newer == absent


def test_public_names_are_there():
    for name in cp.special.__all__:
        assert callable(getattr(cp.special, name)), name


def test_every_name_is_scipys_or_cupys():
    own = {"btdtr", "btdtri"}  # of SciPy before 1.14, and of CuPy
    assert {n for n in cp.special.__all__ if not hasattr(theirs, n)} <= own

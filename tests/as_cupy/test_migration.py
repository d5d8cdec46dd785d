"""docs/migration.md and its tables."""

import pkgutil
import sys

import pytest
from child import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import migration


def test_page_is_current():
    """`python tools/migration.py` writes it."""
    assert migration.page() == migration.PAGE.read_text()


def test_names_that_differ_are_on_both_sides():
    listed = migration.listed()
    for names, _ in migration.differences():
        for full in names:
            module, name = migration.split(full)
            assert name in listed[module] and migration.has(module, name), full


@pytest.mark.parametrize("module", ["cupy", "cupyx", "cupy.cuda", "cupy.random", "cupyx.scipy.fft"])
def test_every_listed_module_has_a_row(module):
    assert f"| `{module}` |" in migration.PAGE.read_text()


def test_names_with_a_reason_are_absent():
    for full in migration.ABSENT:
        module, name = migration.split(full)
        if module in ("cupyx.tools", "cupyx.linalg.sparse"):  # absent modules
            assert migration.counterpart(module) is None, full
        else:
            assert not migration.has(module, name), full


def test_names_in_gpunp_exist():
    """Each row of the first table leads somewhere."""
    for _, own in migration.renamed():
        value = pkgutil.resolve_name(own)
        assert value is not None

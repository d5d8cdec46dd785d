"""docs/scipy.md names what SciPy has and gpunp.scipy has not, and nothing else."""

import importlib
import re
import types
from pathlib import Path

import pytest

pytestmark = pytest.mark.null
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scipy.md").read_text()
MODULES = ["cluster", "cluster.hierarchy", "cluster.vq", "constants", "differentiate", "integrate"]
MODULES += ["interpolate", "ndimage", "optimize", "optimize.elementwise", "signal"]
MODULES += ["signal.windows", "spatial", "spatial.distance", "spatial.transform", "stats"]
MODULES += ["stats.contingency", "stats.qmc", "stats.sampling"]


def listed(module):
    """The names in the module's rows of the page's table."""
    table = PAGE.partition("## Names that are absent\n")[2].partition("\n## ")[0]
    rows = re.findall(rf"^\| `{re.escape(module)}` \|([^|]*)\|", table, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize("module", MODULES)
def test_absent_names_are_listed(module):
    theirs = importlib.import_module(f"scipy.{module}")
    ours = importlib.import_module(f"gpunp.scipy.{module}")
    absent = {name for name in theirs.__all__ if not hasattr(ours, name)} - {"test"}
    absent = {name for name in absent if not isinstance(getattr(theirs, name), types.ModuleType)}
    assert absent <= listed(module)
    assert not [name for name in listed(module) if hasattr(ours, name)]


def test_reexported_classes_are_scipys():
    for name in (
        "cluster.hierarchy.ClusterNode",
        "linalg.LinAlgWarning",
        "optimize.NoConvergence",
        "optimize.OptimizeWarning",
        "stats.FitError",
        "stats.PermutationMethod",
    ):
        module, _, last = name.rpartition(".")
        ours = getattr(importlib.import_module(f"gpunp.scipy.{module}"), last)
        assert ours is getattr(importlib.import_module(f"scipy.{module}"), last)

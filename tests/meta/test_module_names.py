"""Names of the modules that tests import from each other and from tools/."""

import collections

import pytest
from sources import ROOT, files

pytestmark = pytest.mark.null

IMPORTABLE = ("tests", "tools", "benchmarks")  # the folders that tests put on sys.path, and below
#: `run` are two programs that nobody imports; tests/meta/test_performance.py puts benchmarks/ behind
#: everything else because of `cases`.
TWICE = {"cases", "run"}


def test_no_two_modules_have_one_name():
    """The first one that a process imports would be taken for the other."""
    places = collections.defaultdict(list)
    for path in files(*(f"{folder}/**.py" for folder in IMPORTABLE)):
        if path.name not in ("conftest.py", "__init__.py"):
            places[path.stem].append(str(path.relative_to(ROOT)))
    clashes = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: clashes[name] for name in clashes.keys() - TWICE} == {}

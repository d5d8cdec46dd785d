"""Docstrings of public functions name every parameter, and what is returned."""

import sys

import pytest
from sources import ROOT

pytestmark = pytest.mark.null

sys.path.insert(0, str(ROOT / "tools"))
import docstrings  # noqa: E402


@pytest.mark.parametrize("module", docstrings.modules())
def test_docstrings_are_complete(module):
    assert not {name: wrong for name, wrong in docstrings.listed([module]) if wrong}


def test_checker_finds_what_is_missing():
    def function(a, b=None):
        """A summary.

        Parameters
        ----------
        a : int
            A number.
        c : int
            None of these.
        """

    assert docstrings.faults(function) == ["Parameters lacks b", "Parameters has c", "no Returns"]

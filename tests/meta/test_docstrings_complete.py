"""Docstrings of public functions name every parameter, and what is returned."""

import sys

import pytest
from sources import ROOT

pytestmark = pytest.mark.null

sys.path.insert(0, str(ROOT / "tools"))
import docstrings  # noqa: E402

MODULES = [
    "gpunp",
    "gpunp.fft",
    "gpunp.jit",
    "gpunp.lapack",
    "gpunp.lib.array_utils",
    "gpunp.lib.scimath",
    "gpunp.lib.stride_tricks",
    "gpunp.linalg",
    "gpunp.random",
    "gpunp.scipy",
    "gpunp.scipy.fft",
    "gpunp.scipy.fftpack",
    "gpunp.scipy.linalg",
    "gpunp.scipy.signal",
    "gpunp.time",
]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_of_functions_are_complete(module):
    rows = docstrings.listed([module])
    bad = {
        name: wrong for name, wrong in rows if wrong and name.count(".") == module.count(".") + 1
    }
    assert not bad


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

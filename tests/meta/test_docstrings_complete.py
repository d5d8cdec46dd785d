"""Docstrings of public names describe every parameter and what is returned, in usual words."""

import importlib
import inspect
import sys
import tokenize

import pytest
from sources import ROOT

import gpunp

pytestmark = pytest.mark.null

sys.path.insert(0, str(ROOT / "tools"))
import docstrings  # noqa: E402


@pytest.mark.parametrize("module", docstrings.modules())
def test_docstrings_are_complete(module):
    assert not {name: wrong for name, wrong in docstrings.listed([module]) if wrong}


@pytest.mark.parametrize("path", sorted((ROOT / "gpunp").rglob("*.py")), ids=lambda p: p.name)
def test_comments_and_private_docstrings_use_the_fields_words(path):
    with path.open("rb") as file:
        found = [
            f"{token.start[0]}: {token.string}"
            for token in tokenize.tokenize(file.readline)
            if token.type in (tokenize.COMMENT, tokenize.STRING)
            and docstrings.PRIVATE_WORDS.search(token.string)
        ]
    assert not found


@pytest.mark.parametrize("module", docstrings.modules())
def test_module_docstrings_use_the_fields_words(module):
    text = importlib.import_module(module).__doc__
    assert text and not docstrings.PRIVATE_WORDS.search(text)


def test_checker_finds_what_is_missing():
    def function(a, b=None):
        """A summary.

        Parameters
        ----------
        a : int
            A number of some kind.
        c : int
            None of these parameters.
        """

    assert docstrings.faults(function) == ["Parameters lacks b", "Parameters has c", "no Returns"]


def test_checker_finds_short_descriptions():
    def function(a, b):
        """A summary.

        Parameters
        ----------
        a : array_like
            Where from.
        b : int
            Number of elements to copy.

        Returns
        -------
        ndarray
        """

    assert docstrings.faults(function) == [
        "wording: 'Where from'",
        "a : array_like is described in fewer than four words",
        "nothing is said of the result ndarray",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "What there is.",
        "What there shall be.",
        "What is gone along.",
        "Axes to go along; all by default.",
        "The how-manieth pass.",
        "A look-alike of the driver.",
        "The door of the room.",
    ],
)
def test_checker_refuses_private_words(words):
    def function() -> None:
        pass

    function.__doc__ = f"A summary.\n\n{words}\n"
    assert [fault[:8] for fault in docstrings.faults(function)] == ["wording:"]


def test_checker_finds_a_long_summary():
    def function() -> None:
        """A summary that does not end
        on its line.
        """

    assert docstrings.faults(function) == ["the summary is longer than a line"]


def test_checker_finds_a_summary_of_numpys():
    def function() -> None:
        """Return the complex conjugate, element-wise.

        The case and the punctuation do not count.
        """

    assert docstrings.faults(function) == ["the summary is NumPy's or SciPy's"]


def test_checker_allows_keywords_one_by_one():
    def function(**kwargs) -> None:
        """A summary.

        Parameters
        ----------
        copy : bool, optional
            If True, copy the array.
        """

    assert docstrings.faults(function) == []


@pytest.mark.parametrize("name", ["add", "sqrt", "frexp", "matmul", "vecdot"])
def test_ufunc_docstring_describes_every_parameter(name):
    ufunc = getattr(gpunp, name)
    described = docstrings.described(docstrings.sections(ufunc.__doc__)["Parameters"])
    wanted = inspect.signature(ufunc).parameters
    assert described == list(wanted)


def test_ufunc_types_have_docstrings_of_their_own():
    for ufunc in (gpunp.add, gpunp.matmul):
        assert isinstance(type(ufunc).__doc__, str) and type(ufunc).__doc__ != ufunc.__doc__
    assert gpunp.add.__doc__ != gpunp.subtract.__doc__

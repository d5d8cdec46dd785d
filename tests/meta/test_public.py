"""The public namespace: documented, and with NumPy's signatures."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sources import ROOT

import gpunp as cp

pytestmark = pytest.mark.null

DEVIATIONS = Path(__file__).with_name("deviations.txt")


def deviations():
    """{name: reason} of the functions whose signature is not NumPy's, from deviations.txt."""
    lines = DEVIATIONS.read_text().splitlines()
    rows = [line.split(":", 1) for line in lines if line and not line.startswith("#")]
    return {name.strip(): reason.strip() for name, reason in rows}


def functions():
    """Names of gpunp's functions that NumPy has as well."""
    return [
        name
        for name in sorted(cp.__all__)
        if callable(getattr(cp, name))
        and not inspect.isclass(getattr(cp, name))
        and not inspect.ismodule(getattr(cp, name))
        and hasattr(np, name)
    ]


def parameters(function):
    """[(name, kind, default in words)] of a function, or None where Python cannot know."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    return [(p.name, p.kind.name, str(p.default)) for p in signature.parameters.values()]


def is_ufunc(name):
    return isinstance(getattr(np, name), np.ufunc)


def without_host_only(rows):
    """NumPy's parameters without those that say something about the host only."""
    return [row for row in rows if row[0] not in ("like", "device", "subok", "descending")]


@pytest.mark.parametrize("name", [name for name in functions() if not is_ufunc(name)])
def test_signature_is_numpys(name):
    theirs = parameters(getattr(np, name))
    if theirs is None or name in deviations():
        return
    ours = parameters(getattr(cp, name))
    assert ours is not None, "no signature: give the function its text"
    assert [row[0] for row in without_host_only(ours)] == [
        row[0] for row in without_host_only(theirs)
    ]
    for mine, numpys in zip(without_host_only(ours), without_host_only(theirs), strict=True):
        assert mine[2] == numpys[2] or "no value" in numpys[2] or "NoValue" in numpys[2], mine


def test_deviations_are_real():
    for name, reason in deviations().items():
        assert hasattr(cp, name) and reason
        ours, theirs = parameters(getattr(cp, name)), parameters(getattr(np, name))
        assert ours != theirs, f"{name} has NumPy's signature: take its row out of deviations.txt"


@pytest.mark.parametrize("name", sorted(cp.__all__))
def test_public_name_has_a_docstring(name):
    value = getattr(cp, name)
    if not callable(value) or inspect.ismodule(value) or getattr(np, name, None) is value:
        return
    text = inspect.getdoc(value)
    assert text and text.strip(), "no docstring"
    lines = [line for line in text.splitlines() if line.strip()]
    if re.match(r"\w+\(\w", lines[0]):  # the signature, as NumPy's ufuncs have it
        lines = lines[1:]
    assert lines and len(lines[0]) <= 100, "the first line is a summary"


def test_all_names_exist():
    missing = [name for name in cp.__all__ if not hasattr(cp, name)]
    assert not missing
    assert len(set(cp.__all__)) == len(cp.__all__)


def absent(theirs, ours, prefix=""):
    """Public names of a module or class of NumPy that gpunp's has not."""
    names = getattr(theirs, "__all__", None) or dir(theirs)
    return {prefix + n for n in names if not n.startswith("_") and not hasattr(ours, n)}


def test_absent_names_are_listed():
    page = (ROOT / "docs" / "differences.md").read_text()
    table = page.split("## What NumPy has and gpunp has not")[1].split("\n\n")[2]
    rows = [line.split("|")[1] for line in table.splitlines()[2:]]
    listed = {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    found = absent(np, cp)
    for name in ("linalg", "fft", "random", "polynomial", "lib", "ndarray", "ufunc"):
        found |= absent(getattr(np, name), getattr(cp, name), f"{name}.")
    for name in ("Generator", "RandomState"):
        found |= absent(getattr(np.random, name), getattr(cp.random, name), f"random.{name}.")
    assert found <= listed, "absent and not listed"
    present = set()
    for name in listed - found:
        *path, last = name.split(".")
        home = cp if not path else getattr(cp, path[0])
        present |= {name} if hasattr(home, last) else set()
    assert not present, "listed as absent"

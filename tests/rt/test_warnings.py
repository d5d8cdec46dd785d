"""Warnings name the line of the program, and that no GPU is used is said in one line, once."""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import child
import pytest

import gpunp as cp

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {path: path.read_text() for path in (ROOT / "csrc").rglob("*.c")}


def run(program, tmp_path, *options, **environment):
    """Run a program that looks for a GPU where there is none; its stderr."""
    file = tmp_path / "program.py"
    file.write_text(program)
    variables = child.environment()
    variables |= {"GPUNP_DEVICE": "auto", "GPUNP_DRIVER": str(tmp_path / "libcuda.so.1")}
    done = subprocess.run(
        [sys.executable, *options, str(file)], env=variables | environment, capture_output=True,
        text=True, timeout=child.PATIENCE,
    )  # fmt: skip
    return done.stderr, done.stdout


FIRST = {
    "creation in C": "cp.zeros(3)",
    "a function in Python": "cp.linspace(0, 1, 5)",
    "a lazy module": "cp.random.default_rng(1).normal(size=3)",
    "a method of a method": "cp.cuda.Device(0).mem_info",
    "a question": "cp.is_available()",
}


@pytest.mark.null
@pytest.mark.parametrize("call", FIRST.values(), ids=FIRST)
def test_missing_gpu_is_told_at_the_users_line(call, tmp_path):
    program = f"import gpunp as cp\n\ndef work():\n    {call}\n\nwork()\nwork()\ncp.ones(3) + 1\n"
    told, _ = run(program, tmp_path)
    if call == "cp.is_available()":  # it is what one asks
        assert told.count("EmulatedDeviceWarning") <= 1
        return
    lines = told.splitlines()
    assert len(lines) == 2, told  # the warning, and the line it is about
    assert re.match(r".*program\.py:4: EmulatedDeviceWarning: no GPU can be used, ", lines[0])
    assert "`python -m gpunp`" in lines[0] and lines[1].strip() == call


@pytest.mark.null
def test_missing_gpu_can_be_filtered_by_its_category(tmp_path):
    program = """
import warnings
import gpunp as cp
from gpunp.exceptions import EmulatedDeviceWarning
assert issubclass(EmulatedDeviceWarning, RuntimeWarning)
warnings.simplefilter("error")
warnings.simplefilter("ignore", EmulatedDeviceWarning)
print(int(cp.arange(4).sum()))
"""
    assert run(program, tmp_path) == ("", "6\n")


@pytest.mark.null
def test_missing_gpu_as_an_error_is_raised_once(tmp_path):
    program = """
import gpunp as cp
try:
    cp.arange(4)
except RuntimeWarning as warning:
    print(type(warning).__module__, type(warning).__name__)
print(int(cp.arange(4).sum()))
"""
    told, printed = run(program, tmp_path, "-W", "error")
    assert (told, printed) == ("", "gpunp.exceptions EmulatedDeviceWarning\n6\n")


@pytest.mark.null
def test_doctor_says_what_was_looked_for(tmp_path):
    told, printed = run("import runpy; runpy.run_module('gpunp', run_name='__main__')", tmp_path)
    assert told == ""
    assert re.search(r"no GPU +\S.*libcuda", printed)


def lines_of(function):
    """(file, line) that each warning of a call names."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [(warning.filename, warning.lineno) for warning in caught]


WARNERS = {
    "mean of nothing": lambda: cp.zeros(0).mean(),
    "nanmean's mean of nothing": lambda: cp.average(cp.zeros((0, 3)), axis=0),
    "where without out": lambda: cp.add(cp.ones(2), 1, where=cp.ones(2, bool)),
    "s without axes": lambda: cp.fft.rfftn(cp.ones((2, 2)), s=(2, 2)),
    "cov of one": lambda: cp.cov(cp.ones((2, 1))),
    "corrcoef, which calls cov": lambda: cp.corrcoef(cp.ones((2, 1))),
    "polyfit": lambda: cp.polyfit(cp.ones(5), cp.ones(5), 2),
    "Polynomial.fit": lambda: cp.polynomial.Polynomial.fit(cp.ones(5), cp.ones(5), 2),
    "cross of planes": lambda: cp.cross(cp.ones((3, 2)), cp.ones((3, 2))),
    "qr": lambda: cp.linalg.qr(cp.eye(3), "full"),
}


@pytest.mark.parametrize("function", WARNERS.values(), ids=WARNERS)
def test_warnings_name_the_users_line(function):
    found = lines_of(function)
    assert found and {name for name, _ in found} == {__file__}
    assert {line for _, line in found} == {function.__code__.co_firstlineno}


@pytest.mark.null
def test_one_place_warns():
    users = [path.name for path, text in SOURCES.items() if "PyErr_Warn" in text]
    assert users == ["warn.c"], "warnings go through gnp_warn, which finds the user's line"
    for path in (ROOT / "gpunp").rglob("*.py"):
        if "testing" not in path.parts:
            assert "warnings.warn(" not in path.read_text(), f"{path.name}: use warn of _convert"

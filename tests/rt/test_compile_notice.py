"""The first use of kernels tells a person that they are compiled, and nobody else."""

import os
import pty
import subprocess
import sys
import types

import child
import pytest

from gpunp._core import _compile_notice

pytestmark = pytest.mark.null  # every test works in processes of its own

# Some thirty kernels: more than half a second of compiling wherever NVRTC runs.
PROGRAM = """
import gpunp as cp
a = cp.linspace(0, 1, 100)
names = "sin cos tan exp log arctan sinh cosh cbrt expm1 log1p arcsinh arctanh tanh exp2".split()
for round in range(2):
    for dtype in ("f4", "f8"):
        for name in names:
            getattr(cp, name)(a.astype(dtype) / 2)
print("done")
"""


def run(cache, terminal, program=PROGRAM, **environment):
    """Run a program with stderr a terminal or a pipe; what it wrote there."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    variables = child.environment()
    variables |= {"GPUNP_CACHE_DIR": str(cache), **environment}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=variables, stdout=subprocess.PIPE, stderr=theirs
    ) as process:
        os.close(theirs)
        output, _ = process.communicate(timeout=child.PATIENCE)
    told = b""
    try:
        while piece := os.read(ours, 4096):
            told += piece
    except OSError:  # how a terminal says that its other end is closed
        pass
    os.close(ours)
    assert (process.returncode, output) == (0, b"done\n"), told
    return told.decode()


def test_terminal_is_told_once_and_not_in_the_next_run(tmp_path):
    told = run(tmp_path, True)
    assert told.count("\n") == 1 and told.startswith("gpunp: kernels are compiled at their first")
    assert str(tmp_path) in told and "next run" in told
    assert run(tmp_path, True) == ""


def test_pipe_is_not_told(tmp_path):
    assert run(tmp_path, False) == ""


def test_variable_turns_it_off(tmp_path):
    assert run(tmp_path, True, GPUNP_PROGRESS="0") == ""


def test_no_promise_without_a_cache():
    assert "GPUNP_CACHE_DIR is off" in run("off", True)


def test_stderr_that_fails_or_computes_does_no_harm(tmp_path):
    program = """
import sys
class Odd:
    def isatty(self):
        import gpunp as cp
        a = cp.linspace(0, 1, 77, dtype="f4")
        (a % 0.25 + a // 3).sum()
        raise RuntimeError("odd")
    def flush(self):
        pass
sys.stderr = Odd()
"""
    run(tmp_path, True, program + PROGRAM)


def test_notebook_shows_one_line_that_counts(monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(("update", data["text/plain"]))

    def display(data, raw, display_id):
        shown.append(("display", data["text/plain"]))
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    module = types.ModuleType("IPython.display")
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(_compile_notice, "_display", {})
    assert _compile_notice.compiled(5, 0.6) and _compile_notice.compiled(6, 0.7)
    monkeypatch.setattr(_compile_notice, "SECONDS_BETWEEN", 0)
    assert _compile_notice.compiled(7, 0.9)
    assert [kind for kind, _ in shown[:1] + shown[-1:]] == ["display", "update"]
    assert "(5 so far, 0.6 s)" in shown[0][1] and "(7 so far, 0.9 s)" in shown[-1][1]
    shell.kernel = None  # IPython at a terminal
    before = len(shown)
    assert not _compile_notice.compiled(8, 1.0) and len(shown) == before

"""The first use of kernels tells a person that they are compiled, and nobody else."""

import io
import os
import pty
import subprocess
import sys
import types

import child
import pytest

from gpunp import _progress
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


@pytest.fixture
def notebook(monkeypatch):
    """What IPython's kernel is asked to display, and its shell."""
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
    return shown, shell


def test_notebook_shows_one_line_that_counts(monkeypatch, notebook):
    shown, shell = notebook
    monkeypatch.setattr(_compile_notice, "_display", {})
    assert _compile_notice.compiled(5, 0.6) and _compile_notice.compiled(6, 0.7)
    monkeypatch.setattr(_compile_notice, "SECONDS_BETWEEN", 0)
    assert _compile_notice.compiled(7, 0.9)
    assert [kind for kind, _ in shown[:1] + shown[-1:]] == ["display", "update"]
    assert "(5 so far, 0.6 s)" in shown[0][1] and "(7 so far, 0.9 s)" in shown[-1][1]
    shell.kernel = None  # IPython at a terminal
    before = len(shown)
    assert not _compile_notice.compiled(8, 1.0) and len(shown) == before


# ---- bars ------------------------------------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch):
    """Bars show each step, from the beginning."""
    monkeypatch.setattr(_progress, "DELAY", 0)
    monkeypatch.setattr(_progress, "SECONDS_BETWEEN", 0)
    monkeypatch.delenv("GPUNP_PROGRESS", raising=False)


def work(steps=4):
    bar = _progress.Bar("things")
    for i in range(steps):
        bar(i + 1, steps)
    bar.end()


def test_bar_at_a_terminal(monkeypatch, at_once):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    work()
    lines = terminal.getvalue().split("\r")[1:]
    assert lines[1] == f"things [{'#' * 15}{'.' * 15}] 2/4\x1b[K" and len(lines) == 4
    assert lines[-1].endswith("4/4\x1b[K\n")
    bar = _progress.Bar("found")
    bar(12)
    assert terminal.getvalue().endswith("\rfound 12\x1b[K")


def test_bar_in_a_notebook(notebook, at_once):
    work()
    assert [kind for kind, _ in notebook[0]] == ["display", *["update"] * 3]
    assert notebook[0][-1][1] == f"things [{'#' * 30}] 4/4"


def test_bar_is_not_shown_in_files_by_request_or_for_short_work(monkeypatch, notebook, at_once):
    monkeypatch.setenv("GPUNP_PROGRESS", "0")
    work()
    monkeypatch.delenv("GPUNP_PROGRESS")
    monkeypatch.setattr(_progress, "DELAY", 3600)
    work()
    assert notebook[0] == []
    monkeypatch.setattr(_progress, "DELAY", 0)
    notebook[1].kernel = None
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    work()
    assert file.getvalue() == ""

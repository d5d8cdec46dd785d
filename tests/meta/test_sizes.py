"""Size is a feature: files and functions have a limit."""

import ast

import pytest
from sources import ROOT, c_files, c_functions, files

pytestmark = pytest.mark.null

FILE_LINES = 1200
C_FUNCTION_LINES = 80
PYTHON_FUNCTION_LINES = 60
# Interpreters dispatch in one function; splitting the switch would hide it.
EXEMPT_MARK = "/* dispatch: one switch, exempt from the size rule */"


@pytest.mark.parametrize(
    "path",
    [
        p
        for p in files(
            "csrc/*",
            "kernels/*",
            "gpunp/*",
            "tests/*",
            "tools/*",
            "benchmarks/*",
            "examples/*",
            "setup.py",
        )
        if p.suffix in {".c", ".h", ".def", ".cu", ".cuh", ".py", ".pyi"}
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_file_is_short(path):
    count = path.read_text().count("\n")
    assert count <= FILE_LINES, f"{count} lines; split it by subject"


@pytest.mark.parametrize(
    "path", [p for p in c_files() if p.suffix == ".c"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_c_functions_are_short(path):
    lines = path.read_text().splitlines()
    for name, start, count in c_functions(path):
        above = lines[start - 3 : start]
        if any(EXEMPT_MARK in line for line in above):
            continue
        assert count <= C_FUNCTION_LINES, f"{path.name}:{start}: {name} has {count} lines"


def code_lines(node):
    """Lines of a Python function without its docstring."""
    body = node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:] or body
    return body[-1].end_lineno - body[0].lineno + 1


@pytest.mark.parametrize(
    "path",
    files("gpunp/*.py", "tools/*.py", "benchmarks/*.py", "examples/*.py", "setup.py"),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_python_functions_are_short(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            count = code_lines(node)
            assert count <= PYTHON_FUNCTION_LINES, f"{path.name}: {node.name} has {count} lines"

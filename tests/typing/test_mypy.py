"""The package type-checks, the stub lists the ufuncs of the table, and its names exist."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpunp import _C

pytestmark = pytest.mark.null

ROOT = Path(__file__).resolve().parents[2]
STUB = ROOT / "gpunp" / "_C.pyi"


@pytest.mark.slow
def test_package_type_checks():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(ROOT / "build" / "mypy"), "gpunp"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif("GPUNP_SANITIZE" in os.environ, reason="reads the build in place")
def test_stub_is_current():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "stubs.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def names(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_names_of_the_stub_exist():
    tree = ast.parse(STUB.read_text())
    ignored = {"__getattr__", "flagsobj", "_Shape", "_Axis", "_Operand"}
    missing = [n for n in names(tree.body) if n not in ignored and not hasattr(_C, n)]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and hasattr(_C, node.name):
            kind = getattr(_C, node.name)
            missing += [f"{node.name}.{n}" for n in names(node.body) if not hasattr(kind, n)]
    assert not missing

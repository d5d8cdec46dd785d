"""Stubs agree with what runs, and type checkers find in a user's program what they should."""

import ast
import functools
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpunp import _C

pytestmark = pytest.mark.null

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import stub_types  # noqa: E402
import stubs  # noqa: E402

PROGRAMS, WRONG = [HERE / "program.py", HERE / "program_scipy.py"], HERE / "wrong.py"
MODULES = {"gpunp._C": _C, **stubs.modules()}
PATHS = {"gpunp._C": stubs.EXTENSION} | {name: stubs.stub_path(name) for name in stubs.modules()}
# Of the stub alone: types of parameters, and a type that only makes objects.
UNREAL = {"flagsobj", "__getattr__", "__buffer__"}


# ---- stubs and what runs -------------------------------------------------------------------------


@pytest.mark.skipif("GPUNP_SANITIZE" in os.environ, reason="reads the build in place")
def test_stubs_are_current():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "stubs.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_types_in_words_are_read():
    """A docstring's type that no rule of tools/stub_types.py reads is Any."""
    stubs.texts()
    assert len(stub_types.unknown) <= 15, sorted(stub_types.unknown)


@functools.cache
def tree(name):
    return ast.parse(PATHS[name].read_text())


def declared(body):
    """{name: nodes} of what a stub declares; an overloaded function has several."""
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(node)
        elif isinstance(node, ast.Assign):
            found.setdefault(node.targets[0].id, []).append(node)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            for alias in node.names:
                if alias.asname == alias.name:
                    found.setdefault(alias.name, []).append(node)
    return found


@pytest.mark.parametrize("name", [name for name in MODULES if name != "gpunp._C"])
def test_every_public_name_has_a_type(name):
    missing = [
        key
        for key in stubs.public(MODULES[name])
        if key not in declared(tree(name).body) and key in getattr(MODULES[name], "__all__", ())
    ]
    assert not missing


@pytest.mark.parametrize("name", MODULES)
def test_names_of_the_stub_exist(name):
    module = MODULES[name]
    missing = []
    for key, nodes in declared(tree(name).body).items():
        if (key.startswith("_") and not hasattr(module, key)) or key in UNREAL:
            continue
        missing += [] if hasattr(module, key) else [key]
        if isinstance(nodes[0], ast.ClassDef) and hasattr(module, key):
            members = [m for m in declared(nodes[0].body) if m not in UNREAL]
            missing += [f"{key}.{m}" for m in members if not has_member(getattr(module, key), m)]
    assert not missing


def has_member(cls, name):
    """Whether instances have it: the class does, or a method of it assigns it."""
    kinds = [kind for kind in cls.__mro__ if kind.__module__.startswith("gpunp")]
    return hasattr(cls, name) or any(name in stubs.assigned(kind) for kind in kinds)


def names_of(arguments):
    """[(name, has a default)] of a stub's parameters, and whether it takes any others."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [False] * (len(plain) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    rows = [(a.arg, d) for a, d in zip(plain, defaults, strict=True)]
    rows += [(a.arg, d is not None) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return rows, arguments.vararg is not None or arguments.kwarg is not None


def disagreement(nodes, function, is_method):
    """What the parameters of a stub and of a function differ in, or None."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if is_method and parameters and parameters[0].name in ("self", "cls", "$self"):
        parameters = parameters[1:]
    if any(p.kind.name.startswith("VAR_") for p in parameters):
        return None
    actual = [(p.name, p.default is not p.empty) for p in parameters]
    for node in nodes:
        rows, is_open = names_of(node.args)
        rows = rows[1:] if is_method and rows and rows[0][0] in ("self", "cls") else rows
        if is_open:
            continue
        if len(nodes) > 1:  # an overload: some of them, in order
            left = iter([name for name, _ in actual])
            if not all(name in left for name, _ in rows):
                return f"{[name for name, _ in rows]} is not of {actual}"
        elif rows != actual:
            return f"{rows} is not {actual}"
    return None


@pytest.mark.parametrize("name", MODULES)
def test_parameters_agree(name):
    module, wrong = MODULES[name], []
    for key, nodes in declared(tree(name).body).items():
        value = getattr(module, key, None)
        if isinstance(nodes[0], ast.FunctionDef) and value is not None:
            wrong.append((key, disagreement(nodes, value, False)))
        if isinstance(nodes[0], ast.ClassDef) and inspect.isclass(value):
            for member, parts in declared(nodes[0].body).items():
                found = inspect.getattr_static(value, member, None)
                is_function = isinstance(parts[0], ast.FunctionDef) and not any(
                    "property" in ast.unparse(d) or "setter" in ast.unparse(d)
                    for d in parts[0].decorator_list
                )
                if is_function and inspect.isroutine(found) and not re.match("__", member):
                    found = getattr(found, "__func__", found)
                    is_static = isinstance(inspect.getattr_static(value, member), staticmethod)
                    wrong.append((f"{key}.{member}", disagreement(parts, found, not is_static)))
    assert not [row for row in wrong if row[1]]


# ---- type checkers -------------------------------------------------------------------------------


def marked():
    """The lines that a checker must report."""
    lines = WRONG.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if "# wrong" in line}


def mypy(*arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(ROOT / "build" / "mypy")]
    return subprocess.run(
        [*command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300,
        env={**os.environ, "MYPYPATH": str(ROOT)},
    )  # fmt: skip


def test_mypy_accepts_users_programs():
    done = mypy("--strict", *map(str, PROGRAMS))
    assert done.returncode == 0, done.stdout


def test_mypy_reports_what_is_wrong():
    done = mypy(str(WRONG))
    found = {int(line) for line in re.findall(r"wrong\.py:(\d+): error", done.stdout)}
    assert found == marked(), done.stdout


@functools.cache
def pyright_reports():
    """{file name: [(line, message)]} of errors; a str says why it cannot run."""
    pytest.importorskip("pyright")
    folder = ROOT / "build" / "pyright"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"extraPaths": [str(ROOT)], "typeCheckingMode": "strict", "pythonVersion": "3.11"}
    for path in (*PROGRAMS, WRONG):  # settings are those of a folder
        (folder / path.name).write_text(path.read_text())
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    try:
        done = subprocess.run(
            [*command, "-p", str(folder)], cwd=folder, capture_output=True, text=True, timeout=300
        )
        rows = json.loads(done.stdout)["generalDiagnostics"]
    except (ValueError, KeyError, subprocess.TimeoutExpired) as error:
        return f"pyright does not run here, perhaps for want of node: {error!r}"
    found = {}
    for row in rows:
        if row["severity"] == "error":
            line = row["range"]["start"]["line"] + 1
            found.setdefault(Path(row["file"]).name, []).append((line, row["message"]))
    return found


@pytest.mark.parametrize("path", [*PROGRAMS, WRONG], ids=lambda path: path.stem)
def test_pyright_agrees(path):
    found = pyright_reports()
    if isinstance(found, str):
        pytest.skip(found)
    lines = {line for line, _ in found.get(path.name, [])}
    assert lines == (marked() if path is WRONG else set()), found.get(path.name)


@pytest.mark.parametrize("path, printed", [(PROGRAMS[0], "3.14"), (PROGRAMS[1], "325.0")])
def test_program_runs(path, printed, capsys):
    names = {"__name__": "__main__"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    names.clear()
    assert printed in capsys.readouterr().out


@pytest.mark.slow
def test_package_type_checks():
    done = mypy("gpunp")
    assert done.returncode == 0, done.stdout

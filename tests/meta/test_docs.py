"""What the documents say is so: links lead somewhere, tasks exist, the README's program runs."""

import importlib
import linecache
import re
import sys

import cases
import pytest
from sources import ROOT, files

import gpunp as cp

sys.path.insert(0, str(ROOT / "tools"))
import docstrings
import reference
import size

PAGES = files("*.md")


@pytest.mark.null
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text()):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


@pytest.mark.null
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_tasks_and_files_exist(path):
    tasks = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = path.read_text()
    for task in re.findall(r"(?:`|^|&& )make ([a-z]+)", text, re.MULTILINE):
        assert task in tasks, f"make {task}"
    for name in re.findall(r"`((?:csrc|kernels|tests|tools|benchmarks|examples)/[\w./-]+)`", text):
        made = name.startswith("tests/<") or "name." in name
        assert made or (ROOT / name).exists() or list(ROOT.glob(name)), name


def named_in_sources(pattern, *globs):
    """What a pattern finds in the sources."""
    return {name for path in files(*globs) for name in re.findall(pattern, path.read_text())}


@pytest.mark.null
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_environment_variables_exist(path):
    """Those of the library in env.def, those of the emulated device and of the build where read."""
    known = named_in_sources(r'"(GPUNP_\w+)"', "csrc/tables/env.def", "csrc/emu/*.c", "setup.py")
    assert set(re.findall(r"\bGPUNP_[A-Z0-9_]+", path.read_text())) <= known


@pytest.mark.null
def test_names_of_the_c_sources_exist():
    known = named_in_sources(r"\b(?:gnp_|GNP_|CU_|LIB_|EMU_|emu_)\w+", "csrc/*", "kernels/*")
    for path in PAGES:
        if path.name == "migration.md":  # has names of CUDA's enumerations
            continue
        named = set(re.findall(r"\b(?:gnp_|GNP_|CU_|LIB_|EMU_|emu_)\w+", path.read_text()))
        assert named <= known, path.name


@pytest.mark.null
def test_public_names_exist():
    """`cp.name` and `gpunp.name`, modules too.

    cp.async is an instruction of PTX; importing gpunp.as_cupy would give the package another name.
    """
    for path in PAGES:
        for name in set(re.findall(r"\b(?:cp|gpunp)((?:\.[A-Za-z_]\w*)+)", path.read_text())):
            value, where = cp, "gpunp"
            for part in [] if name.startswith((".async", ".as_cupy")) else name[1:].split("."):
                where += f".{part}"
                if hasattr(value, part):
                    value = getattr(value, part)
                else:
                    value = importlib.import_module(where)


@pytest.mark.null
def test_rows_in_the_documents_are_those_of_the_tables():
    """`UFUNC(cbrt, ...)` in docs/adding.md is the row of ufuncs.def."""
    tables = {
        line.strip()
        for path in files("csrc/tables/*.def")
        for line in path.read_text().splitlines()
    }
    rows = []
    for path in PAGES:
        for block in re.findall(r"```c\n(.*?)```", path.read_text(), re.DOTALL):
            rows += re.findall(r"^\s*((?:UFUNC|REDUCTION|DTYPE|ENV)\(.*\))$", block, re.MULTILINE)
    assert len(rows) >= 2
    assert set(rows) <= tables


@pytest.mark.null
def test_kernel_of_the_documents_is_that_of_the_table():
    """The row of docs/adding.md, and the head of its kernel."""
    text = (ROOT / "docs" / "adding.md").read_text()
    (row,) = re.findall(r"KERNEL\(.*?\)$", text, re.MULTILINE | re.DOTALL)
    table = (ROOT / "csrc" / "tables" / "kernels.def").read_text()
    assert " ".join(row.split()) in " ".join(table.split())
    head = re.search(r"```cpp\n( *extern.*?)```", text, re.DOTALL)[1]
    kernel = (ROOT / "kernels" / "select" / "pad.cu").read_text()
    assert " ".join(head.split()) in " ".join(kernel.split())


@pytest.mark.null
def test_comments_are_as_the_style_says():
    """docs/style.md states today's figures of `make sz`, in lines for each 100 of code."""
    stated = re.search(r"today it is (\d+) and (\d+)", (ROOT / "docs" / "style.md").read_text())
    for figure, measured in zip(stated.groups(), size.comments_of_c()):
        assert abs(int(figure) - 100 * measured) <= 2


@pytest.mark.null
def test_list_of_what_scipy_linalg_lacks():
    """docs/libraries.md names what SciPy has and gpunp.scipy.linalg has not, and nothing else."""
    scipy_linalg = pytest.importorskip("scipy.linalg")
    ours = set(importlib.import_module("gpunp.scipy.linalg").__all__)
    text = (ROOT / "docs" / "libraries.md").read_text()
    listed = set(re.findall(r"`(\w+)`", text[text.index("leaves these out") :].split("\n\n")[1]))
    missing = {
        name
        for name in set(scipy_linalg.__all__) - ours
        if callable(getattr(scipy_linalg, name)) and not name.endswith("Warning")
    }
    assert missing <= listed and not (listed - {"qr"}) & ours


SPARSE = ["sparse", "sparse.linalg", "sparse.csgraph"]  # in the order of docs/sparse.md


@pytest.mark.null
@pytest.mark.parametrize("name", SPARSE)
def test_list_of_what_scipy_sparse_lacks(name):
    """docs/sparse.md names what SciPy has and gpunp.scipy.sparse has not, and nothing else."""
    theirs = set(importlib.import_module(f"scipy.{name}").__all__)
    ours = importlib.import_module(f"gpunp.scipy.{name}")
    text = (ROOT / "docs" / "sparse.md").read_text().split("These names are absent:")
    listed = set(re.findall(r"`(\w+)`", text[SPARSE.index(name) + 1].split("\n\n")[0]))
    assert listed == {other for other in theirs if not hasattr(ours, other)}


def test_program_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    program = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    program = program.replace("1_000_000", "10_000").replace("2000, 3000", "20, 30")
    names = {}
    exec(compile(program, "README.md", "exec"), names)
    assert float(capsys.readouterr().out.split()[0]) < 1e-12
    assert (tmp_path / "rows.npy").exists()
    names.clear()


BLOCKS = [
    pytest.param(
        block,
        id=f"{path.stem}{i}",
        marks=[pytest.mark.multi] if path.stem == "multiple_devices" else [],
    )
    for path in sorted((ROOT / "docs").glob("*.md"))
    for i, block in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_programs_of_the_documents_run(block, tmp_path):
    file = tmp_path / "block.py"  # jit looks for the source of what it compiles
    file.write_text(block)
    names = {name: cp.ones((3, 8), "f4") for name in ("x", "a", "p", "g")}
    names |= {"cp": cp, "pytest": pytest, "cases": cases, "blocks": 2, "out": cp.zeros(2)}
    names["step"] = cp.square
    if "jit" in block:
        names["x"] = cp.ones(512, "f4")
    linecache.getlines(str(file))
    exec(compile(block, str(file), "exec"), names)
    names.clear()


@pytest.mark.null
def test_reference_has_every_public_name():
    for name in docstrings.modules():
        module = importlib.import_module(name)
        page = reference.module_page(module)
        for key in reference.public(module):
            assert re.search(rf"`{re.escape(key)}\b", page), f"{name}.{key}"

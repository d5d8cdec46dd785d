"""Folders and public headers: who includes and imports whom; docs/folders.md says so too."""

import re
import sys

import pytest
from sources import (
    CSRC,
    MAY_INCLUDE,
    ORDER,
    ROOT,
    SHARED_HEADERS,
    c_files,
    files,
    folder_of,
    imports,
    includes,
    python_part,
    without_comments,
)

sys.path.insert(0, str(ROOT / "tools"))
import graph
import size

pytestmark = pytest.mark.null

PAGE = (ROOT / "docs" / "folders.md").read_text()

# Python: a module may import from levels below its own. Only these import the extension.
LEVELS = {
    "_version": 0,
    "_foreign_names": 0,
    "_when_imported": 0,
    "_progress": 0,
    "_C": 0,
    "exceptions": 0,
    "cuda": 1,
    "_core": 2,
    "jit": 2.5,
    "linalg": 2.5,
    "lapack": 3,
    "lib": 3,
    "fft": 3,
    "polynomial": 3,
    "typing": 3,
    "random": 4,
    "scipy": 5,
    "cusparse": 6,
    "signal": 6,
    "special": 6,
    "cublas": 6,
    "cusolver": 6,
    "_pack": 7,
    "_warm": 8,
    "__main__": 11,
    "__init__": 9,
    "_dask": 10,
    "_dask_distributed": 10,
    "distributed": 10,
    "_numba": 9.5,
    "allocators": 10,
    "_einops": 10,
    "testing": 10,
    "profiler": 10,
    "optimizing": 10,
    "time": 11,
    "_cupy_names": 12,
    "as_cupy": 13,
}
IMPORT_EXTENSION = {"allocators", "cuda", "_core", "exceptions", "jit", "__init__", "__main__"}
IMPORT_EXTENSION |= {"_pack"}
# Modules of gpunp that C calls by name, and from where; docs/folders.md lists them.
IMPORT = re.compile(r'PyImport_ImportModule\("(gpunp[\w.]*)"\)|DELEGATE_TO\("(gpunp[\w.]*)"')


def section(title):
    """A section of docs/folders.md."""
    return PAGE[PAGE.index(f"## {title}\n") :].split("\n## ")[0]


# ---- includes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", c_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_c_includes_are_public_headers_of_lower_folders(path):
    folder = folder_of(path)
    for number, name in includes(path):
        where = f'{path.relative_to(ROOT)}:{number}: #include "{name}"'
        target = name.removeprefix("../").split("/")[0]
        if target == "tables":
            continue
        if "/" not in name:
            assert (path.parent / name).exists(), f"{where}: name the folder"
            continue
        assert (CSRC / name).exists(), f"{where}: no such file"
        if target == folder or folder in SHARED_HEADERS.get(name, ()):
            continue
        public = f"{target}/{target}.h"
        assert name == public, f"{where}: a private header; the public one is {public}"
        if folder != "module":
            assert target in MAY_INCLUDE[folder], f"{where}: {folder} may not include {target}"


def test_every_folder_has_its_place_and_a_public_header():
    folders = {folder_of(path) for path in c_files()} - {"module", "tables"}
    assert folders == set(MAY_INCLUDE) == {*ORDER, "emu"}
    for folder in folders:
        assert (CSRC / folder / f"{folder}.h").exists()


def test_graph_finds_cycles_and_leaves_out_what_follows():
    edges = {"low": set(), "middle": {"low"}, "high": {"middle", "low"}}
    assert graph.layers(edges) == {"low": 0, "middle": 1, "high": 2}
    assert graph.reduced(edges)["high"] == {"middle"}
    with pytest.raises(ValueError, match="middle includes low includes middle"):
        graph.layers({"low": {"middle"}, "middle": {"low"}, "high": {"middle"}})


def test_includes_have_no_cycle():
    for panel in graph.panels():
        graph.layers(panel.edges)  # raises for a cycle


def test_only_npy_includes_numpy():
    for path in c_files():
        if "numpy/" in path.read_text() and path.relative_to(CSRC).as_posix() != "core/npy.c":
            assert "#include <numpy/" not in path.read_text(), path


def test_emulator_knows_no_python():
    for path in (CSRC / "emu").rglob("*.[ch]"):
        assert "Python.h" not in path.read_text(), path


def test_kernels_include_kernels_only():
    """And the text of a kernel's parameters, which its row of kernels.def makes when it is compiled."""
    kernels = ROOT / "kernels"
    table = (CSRC / "tables" / "kernels.def").read_text()
    rows = set(re.findall(r"^(?:KERNEL|LIKE)\((\w+),", table, re.MULTILINE))
    for path in kernels.rglob("*.cu*"):
        if path.parent.name == "std":  # for programs; they name each other, and the toolkit's
            continue
        text = path.read_text()
        if path.name == "shared.cuh":  # C11 as well; NVRTC does not see this line
            text = text.replace("#ifndef __CUDACC_RTC__\n#include <stdint.h>\n", "")
        assert "#include <" not in text, f"{path.name} includes a toolkit header"
        for number, name in includes(path):
            known = (kernels / name).exists() or (path.parent / name).exists()
            known = known or (path.stem in rows and name == f"knobs/{path.stem}.cuh")
            assert known, f"{path.name}:{number}: {name}"
            assert not name.endswith(".cu"), f"{path.name}:{number}: a .cu is no header"


def test_folders_of_kernels_include_what_the_page_says():
    kernels, found = ROOT / "kernels", {}
    for folder in sorted(path.name for path in kernels.iterdir() if path.is_dir()):
        names = [name for path in (kernels / folder).iterdir() for _, name in includes(path)]
        found[folder] = {name.split("/")[0] for name in names if "/" in name}
    rows = re.findall(
        r"^\| `kernels/(\w+)/` \|.*\| *([^|]*?) *\|$", section("Kernels"), re.MULTILINE
    )
    said = {folder: set(re.findall(r"`(\w+)`", names)) for folder, names in rows}
    assert said == {folder: names - {folder, "knobs"} for folder, names in found.items()}
    graph.layers(said)  # raises for a cycle


# ---- imports -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", files("gpunp/*.py"), ids=lambda path: str(path.relative_to(ROOT)))
def test_python_imports_go_down(path):
    part = python_part(path)
    level = LEVELS.get(part)
    assert level is not None, f"{path.relative_to(ROOT)}: a new part; give it a level here"
    for line, name in imports(path):
        where = f"{path.relative_to(ROOT)}:{line} imports gpunp.{name}"
        if name == "_C":
            assert part in IMPORT_EXTENSION, f"{where}: only {sorted(IMPORT_EXTENSION)} may"
            continue
        if name == part or part == "__init__":
            continue
        assert LEVELS.get(name, 99) < level, f"{where}: {part} is below it"


def test_levels_name_what_exists():
    assert set(LEVELS) == {python_part(path) for path in files("gpunp/*.py")} | {"_C"}


# ---- docs/folders.md -----------------------------------------------------------------------------


def test_picture_and_table_are_current():
    """`python tools/graph.py` writes both."""
    assert graph.page(PAGE) == PAGE
    assert graph.picture() == (ROOT / "docs" / "folders.svg").read_text()


def test_every_folder_is_on_the_page():
    """Each folder that holds a file of git's, below csrc/, csrc/emu/, gpunp/, tests/ and the top."""
    folders = set()
    for path in files("csrc/*", "gpunp/*", "kernels/*", "tests/*", "benchmarks/*", "examples/*"):
        parts = path.relative_to(ROOT).parts
        depth = {"csrc": 3 if parts[1] == "emu" else 2, "gpunp": 2, "tests": 2}.get(parts[0], 1)
        if len(parts) > depth:
            folders.add("/".join(parts[:depth]) + "/")
    assert {name for name in folders if f"`{name}`" not in PAGE} == set()


def test_reading_order_exists_and_has_eight_steps():
    steps = re.findall(r"^\d+\. `([^`]+)`", section("Reading order"), re.MULTILINE)
    assert len(steps) == len(set(steps)) == 8
    for name in steps:
        assert (ROOT / name).is_file(), name


def test_reading_order_goes_up():
    """A header comes after those it includes, a kernel before the file that launches it."""
    steps = re.findall(r"^\d+\. `([^`]+)`", section("Reading order"), re.MULTILINE)
    folders = [name.split("/")[1] for name in steps if name.startswith("csrc/")]
    places = [ORDER.index(name) for name in folders if name in ORDER]
    assert places == sorted(places)
    for place, name in enumerate(steps):
        for _, included in includes(ROOT / name) if name.endswith((".c", ".h")) else ():
            assert f"csrc/{included}" not in steps[place:], f"{name} includes {included}"


def hooks():
    """{function pointer: folder} of those that headers declare and another folder sets."""
    text = {
        path: without_comments(path.read_text()) for path in c_files() if "emu" not in path.parts
    }
    everything = "\n".join(text.values())
    types = set(re.findall(r"typedef [^;{}()]*\(\*(Gnp\w+)\)", everything))
    found = {}
    for path, lines in text.items():
        for name in re.findall(r"^extern [^;()]*\(\*(gnp_\w+)\)", lines, re.MULTILINE):
            found[name] = folder_of(path)
        for kind, name in re.findall(r"^extern (\w+) \*?(gnp_\w+);", lines, re.MULTILINE):
            if kind in types:
                found[name] = folder_of(path)
    return found


def setters(name):
    """The folders whose files assign a function to the hook."""
    pattern = re.compile(rf"^\s+{name} = (?!NULL)", re.MULTILINE)
    return {folder_of(path) for path in c_files() if pattern.search(path.read_text())}


def test_hooks_are_listed():
    """Function pointers by which a lower folder calls a higher one."""
    rows = re.findall(r"^\| `(gnp_\w+)` \| `(\w+)/` \| `(\w+)/` \|", PAGE, re.MULTILINE)
    listed = {name: (lower, {higher}) for name, lower, higher in rows}
    assert listed == {name: (folder, setters(name)) for name, folder in hooks().items()}
    for lower, (higher,) in listed.values():
        assert ORDER.index(lower) < ORDER.index(higher)


def test_calls_of_python_modules_are_listed():
    """Modules of the package that the extension imports by name."""
    rows = re.findall(
        r"^\| `(\w+/\w+\.c)` \| ([^|]*) \|", section("Calls to higher folders"), re.MULTILINE
    )
    listed = {name: set(re.findall(r"`(gpunp[\w.]*)`", modules)) for name, modules in rows}
    found = {}
    for path in c_files():
        modules = {a or b for a, b in IMPORT.findall(path.read_text())}
        if modules:
            found[path.relative_to(CSRC).as_posix()] = modules
    assert listed == found


def test_folders_are_within_their_budgets():
    for row in size.rows():
        assert row.lines <= row.budget, f"{row.folder}: {row.lines} lines, budget {row.budget}"


def test_every_folder_has_a_budget():
    tops = {"kernels", "gpunp", "tests", "benchmarks", "tools", "examples"}
    folders = {f"csrc/{name}" for name in ORDER} | {"csrc/tables"} | tops
    emu = {f"csrc/emu/{path.name}" for path in (CSRC / "emu").iterdir() if path.is_dir()}
    kernels = {f"kernels/{path.name}" for path in (ROOT / "kernels").iterdir() if path.is_dir()}
    assert set(size.BUDGETS) == folders | emu | kernels

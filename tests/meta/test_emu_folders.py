"""The folders of the emulated device: which may include which, and which calls go up."""

import re
import subprocess

import pytest
from sources import CSRC, ROOT, includes

pytestmark = pytest.mark.null

EMU = CSRC / "emu"
# A folder includes its own headers and the public header, folder/folder.h, of those named.
MAY_INCLUDE = {
    "exec": set(),
    "check": {"exec"},
    "ptx": {"exec"},
    "driver": {"ptx", "check"},
    "graph": {"driver"},
    "libs": set(),
}
# The two headers above the folders are everybody's; emu/libs is a library of its own.
COMMON = {"emu/emu.h", "emu/gpunp_emu.h", "cuda/cuda_abi.h"}
LIBRARY_ABI = re.compile(r"lib/\w+_abi\.h")
# Further headers of a folder that one other folder may include, each with its reason.
ALSO_PUBLIC = {
    ("check", "emu/exec/block.h"): "observers look at running blocks",
    ("graph", "emu/driver/upward.h"): "what graph/ provides for the driver is declared there",
    ("ptx", "emu/exec/special.def"): "the names of special registers, beside their numbers",
}
# Calls from a lower folder to a higher one. Their prototypes stand in one place each: the services
# of emu/emu.h (the machine asks the driver) and emu/driver/upward.h (the driver asks graph/).
SERVICES = {
    "emu_memory_alloc",
    "emu_memory_describe",
    "emu_memory_find",
    "emu_memory_free",
    "emu_memory_heap_alloc",
    "emu_memory_heap_free",
    "emu_memory_unwritten",
    "emu_settings",
    "emu_texture_find",
}
FILES = sorted(path for path in EMU.rglob("*") if path.suffix in {".c", ".h"})


def folder_of(path):
    """The folder below csrc/emu, "" for what lies above them."""
    parts = path.relative_to(EMU).parts
    return parts[0] if len(parts) > 1 else ""


def reachable(folder):
    """The folders that `folder` includes, directly or through others."""
    found, left = set(), [folder]
    while left:
        for name in MAY_INCLUDE[left.pop()] - found:
            found.add(name)
            left.append(name)
    return found


def test_every_folder_is_known_and_has_a_public_header():
    folders = {folder_of(path) for path in FILES} - {""}
    assert folders == set(MAY_INCLUDE)
    for folder in folders:
        assert (EMU / folder / f"{folder}.h").exists()


def test_includes_have_no_cycle():
    for folder in MAY_INCLUDE:
        assert folder not in reachable(folder), f"{folder} includes itself through others"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(EMU).as_posix())
def test_includes_go_down(path):
    folder = folder_of(path)
    for number, name in includes(path):
        where = f'{path.relative_to(ROOT)}:{number}: #include "{name}"'
        if name in COMMON or name.startswith("tables/"):
            continue
        if folder == "libs" and LIBRARY_ABI.fullmatch(name):
            continue
        assert name.startswith("emu/"), f"{where}: not a header of the emulated device"
        target = name.split("/")[1]
        if target == folder or (folder, name) in ALSO_PUBLIC:
            continue
        assert folder, f"{where}: a header above the folders includes none of them"
        assert target in MAY_INCLUDE[folder], f"{where}: {folder} may not include {target}"
        assert name == f"emu/{target}/{target}.h", f"{where}: a private header"


def objects():
    """{object file: folder} of the device as it was built last, newest build."""
    folders = {path.stem: folder_of(path) for path in FILES if path.suffix == ".c"}
    built = sorted((ROOT / "build").glob("release-*/emu"), key=lambda path: path.stat().st_mtime)
    found = [built[-1] / f"{stem}.o" for stem in folders] if built else []
    return {path: folders[path.stem] for path in found if path.exists()}


def symbols(path, kinds):
    """Names in an object's symbol table whose letter is one of `kinds`."""
    listed = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return {row[-1] for row in rows if row[-2] in kinds}


def declared(path):
    """The functions that a header declares."""
    return set(re.findall(r"^[A-Za-z][\w *]*?\b(emu_\w+)\(", path.read_text(), re.MULTILINE))


def test_calls_go_down_but_for_those_listed():
    made = objects()
    if not made:
        pytest.skip("nothing is built")
    home = {name: folder for path, folder in made.items() for name in symbols(path, "TDBRC")}
    upward = {}
    for path, folder in made.items():
        for name in symbols(path, "U"):
            target = home.get(name, folder)
            exported = name.startswith(("cu", "nvJitLink", "__nvJitLink"))
            if target == folder or target in reachable(folder) or exported:
                continue
            upward.setdefault((folder, target), set()).add(name)
    services = {
        name for (_, target), names in upward.items() if target == "driver" for name in names
    }
    assert services == SERVICES
    assert services <= declared(EMU / "emu.h")
    assert upward.pop(("driver", "graph"), set()) == declared(EMU / "driver" / "upward.h")
    assert {target for _, target in upward} <= {"driver"}

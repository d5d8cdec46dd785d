"""The tree as the rules see it: files, folders, includes and imports, C functions.

Shared by the tests of this folder, tools/graph.py and tools/size.py; the standard library only.
"""

import ast
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CSRC = ROOT / "csrc"

# The folders of the extension, lowest first: a folder may include the public headers of those before
# it; everybody may include tables/*.def.
ORDER = ["base", "cuda", "rt", "kernel", "core", "ufunc", "reduce", "select", "product", "random"]
ORDER += ["user", "fuse", "methods", "lib", "sci", "signal", "sparse"]
MAY_INCLUDE = {name: set(ORDER[: place + 1]) for place, name in enumerate(ORDER)}
MAY_INCLUDE["emu"] = {"emu"}
# Declarations of interfaces that two sides share, beside the public headers: header -> folders. The
# driver's types are known to the extension and to the emulated device; so are the types of NVIDIA's
# libraries, to lib/ and to the emulated libraries; and the structs of launches, to kernels/.
SHARED_HEADERS = {"cuda/cuda_abi.h": {*ORDER[1:], "emu"}, "../kernels/shared.cuh": {"kernel"}}
for _library in ("library", "cublas", "cusolver", "cufft", "curand", "nccl"):
    SHARED_HEADERS[f"lib/{_library}_abi.h"] = {"lib", "emu"}


def files(*patterns):
    """Files of the repository that match, as git sees them (or as they lie, without git)."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        return sorted(ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file())
    return sorted({path for pattern in patterns for path in ROOT.glob(f"**/{pattern}")})


def c_files():
    """Every .c and .h of csrc/."""
    return files("csrc/*.c", "csrc/*.h")


def folder_of(path):
    """The folder of a file under csrc/: the first, or "module" for what lies above them."""
    parts = path.relative_to(CSRC).parts
    return parts[0] if len(parts) > 1 else "module"


def includes(path):
    """(line number, name) of each #include "name" in a file."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if match:
            yield number, match[1]


def python_part(path):
    """The part of the package a file belongs to: its folder, or its own name at the top."""
    parts = path.relative_to(ROOT / "gpunp").parts
    return parts[0] if len(parts) > 1 else path.stem


def imports(path):
    """(line, part) of each import of gpunp's own modules, inside functions too."""
    package = path.relative_to(ROOT).with_suffix("").parts
    package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = list(package[: len(package) - node.level + 1])
                full = base + (node.module.split(".") if node.module else [])
            else:
                full = node.module.split(".")
            if full[0] != "gpunp":
                continue
            names = [full[1]] if len(full) > 1 else [alias.name for alias in node.names]
            for name in names:
                yield node.lineno, name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name.split(".")
                if full[0] == "gpunp":
                    yield node.lineno, full[1] if len(full) > 1 else "__init__"


def without_comments(text):
    """C text with comments and string contents blanked, line for line."""

    def blank(match):
        kept = re.sub(r"[^\n]", " ", match[0])
        return f'"{kept[1:-1]}"' if match[0].startswith('"') and len(match[0]) > 1 else kept

    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)


def c_functions(path):
    """(name, first line, number of lines) of each function defined in a .c file.

    The style puts the name in column 1 and the braces of a body in column 1 as well.
    """
    lines = path.read_text().splitlines()
    name = None
    start = opened = 0
    for number, line in enumerate(lines, 1):
        match = re.match(r"([A-Za-z_]\w*)\(", line)
        if match and not line.rstrip().endswith(";"):
            name, start = match[1], number
        elif line == "{" and name:
            opened = number
        elif line == "}" and name and opened:
            yield name, start, number - opened - 1
            name, opened = None, 0


def c_parameters(path):
    """(name, number of parameters) of each function defined in a .c file."""
    text = without_comments(path.read_text())
    pattern = r"^([A-Za-z_]\w*)\(((?:[^(){};]|\([^()]*\))*)\)\n\{"
    for match in re.finditer(pattern, text, re.MULTILINE):
        names = re.sub(r"\([^()]*\)", "", match[2])  # those of parameters that are functions
        yield match[1], 0 if names.strip() in {"", "void"} else names.count(",") + 1


# ---- object files --------------------------------------------------------------------------------

WRITABLE = re.compile(r"\.(data|bss|tdata|tbss)(\.|$)|\*COM\*")


def newest_build():
    """The folder of the objects that were built last, or None."""
    built = sorted((ROOT / "build").glob("release-*"), key=lambda path: path.stat().st_mtime)
    return built[-1] if built else None


def writable_variables(obj):
    """Names of an object's symbols in writable sections; constant tables with relocations are not."""
    found = set()
    done = subprocess.run(["objdump", "-t", str(obj)], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        match = re.match(
            r"[0-9a-f]+ (.{7}) (\S+)\s+[0-9a-f]+\s+(?:\.hidden )?([^.\s][^\s]*)$", line
        )
        if match and WRITABLE.match(match[2]) and "rel.ro" not in match[2] and "d" not in match[1]:
            found.add(match[3].split(".")[0])  # a static of a function has a number behind it
    return found

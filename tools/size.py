"""Lines per folder against its budget, comments, and growth: `make sz [REF=main]`.

The growth is that since the commit REF. The column "comments" has lines with a comment for each
line of code; a docstring is no comment.
"""

import io
import os
import re
import subprocess
import tokenize
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".c", ".h", ".def", ".cu", ".cuh", ".py", ".pyi"}

# What a folder may take: its size when it was last thought over and a tenth more. A folder over it
# is to be split or thought over again.
BUDGETS = {
    "csrc/base": 1500,
    "csrc/tables": 3400,
    "csrc/cuda": 2000,
    "csrc/rt": 16600,
    "csrc/kernel": 1000,
    "csrc/core": 12950,
    "csrc/ufunc": 3980,
    "csrc/reduce": 3500,
    "csrc/select": 5700,
    "csrc/product": 2200,
    "csrc/random": 2000,
    "csrc/user": 7500,
    "csrc/fuse": 4600,
    "csrc/methods": 700,
    "csrc/lib": 8250,
    "csrc/sci": 3500,
    "csrc/signal": 2200,
    "csrc/sparse": 3000,
    "csrc/emu/check": 2480,
    "csrc/emu/driver": 14400,
    "csrc/emu/exec": 11900,
    "csrc/emu/graph": 4300,
    "csrc/emu/libs": 8600,
    "csrc/emu/ptx": 8200,
    "kernels": 2900,
    "kernels/cupy": 300,
    "kernels/elementwise": 350,
    "kernels/fft": 250,
    "kernels/linalg": 1300,
    "kernels/ndimage": 3000,
    "kernels/product": 800,
    "kernels/random": 1600,
    "kernels/reduce": 1600,
    "kernels/select": 2600,
    "kernels/signal": 1350,
    "kernels/sparse": 5300,
    "kernels/special": 14000,
    "kernels/stats": 1920,
    "kernels/std": 500,
    "kernels/user": 2600,
    "gpunp": 145900,
    "tests": 105300,
    "benchmarks": 6300,
    "tools": 6500,
    "examples": 2100,
}

Row = namedtuple("Row", "folder files lines budget comments")


def c_marks(text):
    """(lines of code, lines with a comment) of C or CUDA C++."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'
    commented = set()
    for match in re.finditer(pattern, text, re.DOTALL):
        if match[0][0] == "/":
            first = text.count("\n", 0, match.start())
            commented |= set(range(first, first + match[0].count("\n") + 1))

    def blank(match):
        return match[0] if match[0][0] == '"' else "\n" * match[0].count("\n")

    code = re.sub(pattern, blank, text, flags=re.DOTALL)
    return sum(bool(line.strip()) for line in code.splitlines()), len(commented)


def python_marks(text):
    """(lines of code, lines with a comment) of Python; docstrings are code."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token for token in tokens if token.type == tokenize.COMMENT]
    alone = sum(not token.line[: token.start[1]].strip() for token in comments)
    return sum(bool(line.strip()) for line in text.splitlines()) - alone, len(comments)


def comments_in(paths):
    """Lines with a comment for each line of code in some files."""
    marks = [
        (python_marks if path.suffix in {".py", ".pyi"} else c_marks)(path.read_text())
        for path in paths
    ]
    code, comments = (sum(column) for column in zip(*marks, strict=True))
    return comments / code


def rows():
    """A Row for each folder with a budget; a folder inside it with a row is not counted again."""
    for folder, budget in BUDGETS.items():
        divided = any(other.startswith(f"{folder}/") for other in BUDGETS)
        found = (ROOT / folder).glob("*") if divided else (ROOT / folder).rglob("*")
        paths = sorted(path for path in found if path.suffix in SUFFIXES)
        lines = sum(path.read_text().count("\n") for path in paths)
        yield Row(folder, len(paths), lines, budget, comments_in(paths))


def comments_of_c():
    """(of all .c files of csrc/, of its public headers): comments per line of code."""
    headers = [path for path in ROOT.glob("csrc/**/*.h") if path.stem == path.parent.name]
    return comments_in(ROOT.glob("csrc/**/*.c")), comments_in(headers)


def added_since(ref, folder):
    """Lines added minus lines removed in a folder since the commit `ref`; 0 without git."""
    done = subprocess.run(
        ["git", "diff", "--numstat", ref, "--", folder], cwd=ROOT, capture_output=True, text=True
    )
    total = 0
    for line in done.stdout.splitlines():
        added, removed, _ = line.split("\t")
        total += int(added) - int(removed) if added.isdigit() else 0
    return total


def main():
    """Print the table."""
    ref = os.environ.get("REF", "HEAD")
    heads = f"{'files':>6} {'lines':>7} {'budget':>7} {'comments':>8} {'since ' + ref:>14}"
    print(f"{'folder':16} {heads}")
    files = lines = 0
    for row in rows():
        mark = "  over" if row.lines > row.budget else ""
        added = added_since(ref, row.folder)
        figures = f"{row.files:6} {row.lines:7} {row.budget:7} {row.comments:8.2f} {added:+14}"
        print(f"{row.folder:16} {figures}{mark}")
        files, lines = files + row.files, lines + row.lines
    print(f"{'all':16} {files:6} {lines:7} {sum(BUDGETS.values()):7}")
    sources, headers = comments_of_c()
    print(f"comments of csrc: {sources:.2f} in .c files, {headers:.2f} in public headers")


if __name__ == "__main__":
    main()

"""Code cells of the site's pages, run one after the other as a notebook runs them."""

import linecache
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    """The pages that have code cells."""
    return [path for path in sorted(DOCS.rglob("*.md")) if CELL.search(path.read_text())]


def cells(path):
    """The code of each cell, without its options (lines that begin with a colon)."""
    for match in CELL.finditer(path.read_text()):
        yield re.sub(r"\A(?::[^\n]*\n)+\n?", "", match[1])


def run(path, folder):
    """Run the cells of a page; a cell is a file in `folder`, since jit reads the source."""
    names = {"__name__": "__main__"}
    for number, code in enumerate(cells(path)):
        file = Path(folder) / f"{path.stem}_{number}.py"
        file.write_text(code)
        linecache.checkcache(str(file))
        exec(compile(code, str(file), "exec"), names)
    return names

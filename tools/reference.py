"""Writes docs/reference/ from docstrings and tables: `make docs`.

One page per module with every public name, its signature and its docstring, and three pages from
the tables: ufuncs, dtypes, environment variables. The folder is never edited and never committed.
"""

import importlib
import inspect
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "reference"
TABLES = ROOT / "csrc" / "tables"
MODULES = [
    "gpunp",
    "gpunp.cuda",
    "gpunp.cuda.runtime",
    "gpunp.linalg",
    "gpunp.lapack",
    "gpunp.fft",
    "gpunp.fft.config",
    "gpunp.random",
    "gpunp.polynomial",
    "gpunp.testing",
    "gpunp.scipy",
    "gpunp.scipy.fft",
    "gpunp.scipy.fftpack",
    "gpunp.scipy.linalg",
    "gpunp.scipy.signal",
]


def rows(table, macro):
    """The rows `MACRO(a, "b", c)` of a .def file as lists of strings."""
    text = re.sub(r"/\*.*?\*/", "", (TABLES / table).read_text(), flags=re.DOTALL)
    for match in re.finditer(rf"^{macro}\((.*?)\)\s*$", text, re.MULTILINE | re.DOTALL):
        cells = re.findall(r'"(?:\\.|[^"\\])*"|[^,\s][^,]*', match[1])
        yield [cell.strip().strip('"') for cell in cells]


def markdown_table(heads, lines):
    """A Markdown table."""
    out = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    out += [
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    ]
    return "\n".join(out) + "\n"


def signature(value):
    """The signature in words, or nothing where Python cannot know it."""
    try:
        return str(inspect.signature(value))
    except (ValueError, TypeError):
        return "" if inspect.isclass(value) else "(...)"


def entry(name, value, level="###"):
    """One name: heading, signature, docstring."""
    text = inspect.getdoc(value) or ""
    call = f"{name}{signature(value)}" if callable(value) else name
    return f"{level} `{call}`\n\n```text\n{text}\n```\n" if text else f"{level} `{call}`\n"


def members(cls):
    """Public methods and attributes of a class that say something."""
    for name, value in sorted(vars(cls).items()):
        if not name.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
            yield name, value


def module_page(module):
    """A page for one module."""
    names = getattr(module, "__all__", None)
    names = names or [name for name in vars(module) if not name.startswith("_")]
    lines = [f"# {module.__name__}\n", inspect.getdoc(module) or "", ""]
    for name in sorted(names):
        value = getattr(module, name, None)
        if inspect.ismodule(value) or value is None:
            continue
        foreign = getattr(value, "__module__", None) or module.__name__
        if not callable(value) or foreign.split(".")[0] == "numpy":
            continue
        lines.append(entry(name, value))
        if inspect.isclass(value) and not issubclass(value, BaseException):
            lines += [entry(f"{name}.{key}", item, "####") for key, item in members(value)]
    return "\n".join(lines)


def table_pages():
    """(name, text) of the pages that come from the .def files alone."""
    lines = [
        (f"`{name}`", f"`{default}`", text) for _, name, default, text in rows("env.def", "ENV")
    ]
    heads = ["variable", "default", "meaning"]
    yield "environment", "# Environment variables\n\n" + markdown_table(heads, lines)
    lines = [(row[2], f"`{row[1][1]}`", row[6], row[5][1]) for row in rows("dtypes.def", "DTYPE")]
    heads = ["name", "character", "bytes", "class"]
    yield "dtypes", "# Dtypes\n\n" + markdown_table(heads, lines)
    lines = [
        (f"`{row[0]}`", row[1], row[2], row[3], f"`{row[4]}`", row[-2], row[-1])
        for row in rows("ufuncs.def", "UFUNC")
    ]
    heads = ["name", "inputs", "outputs", "result", "classes", "largest error in ulp", "summary"]
    yield "ufuncs", "# Ufuncs\n\n" + markdown_table(heads, lines)


def main():
    """Write every page and an index of them."""
    OUT.mkdir(parents=True, exist_ok=True)
    titles = []
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        (OUT / f"{name}.md").write_text(module_page(module))
        titles.append(name)
    for name, text in table_pages():
        (OUT / f"{name}.md").write_text(text)
        titles.append(name)
    index = "# Reference\n\n" + "".join(f"- [{name}]({name}.md)\n" for name in titles)
    (OUT / "index.md").write_text(index)
    print(f"{len(titles)} pages in {OUT.relative_to(ROOT)}/")


if __name__ == "__main__":
    main()

"""Writes docs/reference/ from docstrings and tables: `make docs`.

One page per module with every public name, its signature and its docstring, and three pages from
the tables: ufuncs, dtypes, environment variables. The folder is never edited and never committed.
"""

import importlib
import inspect
import re
from pathlib import Path

import docstrings

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "reference"
TABLES = ROOT / "csrc" / "tables"


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
    """The signature as text, or an empty one if Python cannot determine it."""
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
    """Public methods and attributes of a class."""
    for name, value in sorted(vars(cls).items()):
        if isinstance(value, (staticmethod, classmethod)):
            value = getattr(cls, name)
        if not name.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
            yield name, value


def public(module):
    """Public names of a module; without __all__, those that other modules define are left out."""
    if hasattr(module, "__all__"):
        return sorted(name for name in module.__all__ if not name.startswith("_"))
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not inspect.ismodule(value)
        and (getattr(value, "__module__", None) or module.__name__).startswith("gpunp")
    )


def module_page(module):
    """A page for one module: functions and classes, then what has no docstring of its own."""
    lines = [f"# {module.__name__}\n", inspect.getdoc(module) or "", ""]
    others = []
    for name in public(module):
        value = getattr(module, name)
        home = docstrings.home_of(value) or module.__name__
        if inspect.ismodule(value):
            others.append((f"`{name}`", "a module"))
        elif not callable(value):
            words = repr(value)
            short = len(words) < 60 and " at 0x" not in words
            others.append((f"`{name}`", f"`{words}`" if short else f"a {type(value).__name__}"))
        elif home.split(".")[0] == "numpy":
            others.append((f"`{name}`", "NumPy's own"))
        else:
            lines.append(entry(name, value))
            if inspect.isclass(value) and not issubclass(value, BaseException):
                lines += [entry(f"{name}.{key}", item, "####") for key, item in members(value)]
    if others:
        lines += ["## Modules, constants, NumPy's own\n", markdown_table(["name", ""], others)]
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
    lines = [
        (f"`{row[0]}`", f"`{row[3]}`", f"`{row[4]}`", row[8], row[9], row[10])
        for row in rows("special.def", "SPECIAL")
        if not row[0].startswith("_")
    ]
    heads = ["name", "arguments", "loops", "ulp, float64", "ulp, float32", "summary"]
    yield "special", "# Special functions\n\n" + markdown_table(heads, lines)


def main():
    """Write every page and an index of them."""
    OUT.mkdir(parents=True, exist_ok=True)
    titles = []
    for name in docstrings.modules():
        module = importlib.import_module(name)
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

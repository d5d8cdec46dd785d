"""The reference of the site: reStructuredText pages from docstrings and tables.

A page for each module with a table of its names and an entry for each; the main namespace, which is
large, has a page for each subject. An object is described where it is found first, in the order of
the modules below, and listed with a link elsewhere.
"""

import importlib
import inspect
import re
from collections import namedtuple
from typing import ClassVar

import docstrings
import migration
import reference
from numpydoc.docscrape_sphinx import SphinxDocString

import gpunp

# Modules that describe what they share with others, before all others.
FIRST = ["gpunp", "gpunp.cuda", "gpunp.linalg", "gpunp.fft", "gpunp.random", "gpunp.scipy.special"]
FIRST += ["gpunp.scipy.signal", "gpunp.scipy.linalg", "gpunp.scipy.fft", "gpunp.profiler"]

# The pages of the main namespace: title, and the files of NumPy's names whose functions they have.
SUBJECTS = {
    "classes": ("Arrays and other classes", ""),
    "ufuncs": ("Universal functions", ""),
    "creation": (
        "Creation and basic functions",
        "numeric multiarray function_base pinned _twodim_base_impl",
    ),
    "shapes": (
        "Shapes, order, selection",
        "fromnumeric shape_base _shape_base_impl indexing _insertion_impl _stride_tricks_impl "
        "_arraypad_impl _index_tricks_impl",
    ),
    "reductions": (
        "Reductions, statistics, sets",
        "reductions _nanfunctions_impl _statistics_impl _quantile_impl _histograms_impl "
        "_arraysetops_impl",
    ),
    "mathematics": (
        "Mathematics and products",
        "_function_base_impl _polynomial_impl _ufunclike_impl _type_check_impl _windows_impl bits "
        "products einsumfunc gufuncs _datetime older_names",
    ),
    "text": ("Files and text", "_npyio_impl arrayprint"),
    "program": ("Kernels, fusion, the environment", ""),
}

# The index's headings of what is neither NumPy's nor SciPy's.
CUDA = ("gpunp.cuda", "gpunp.jit", "gpunp.cu", "gpunp.lapack")
OTHERS = {
    "gpunp.allocators",
    "gpunp.exceptions",
    "gpunp.optimizing",
    "gpunp.profiler",
    "gpunp.signal",
    "gpunp.special",
}
OTHERS |= {"gpunp.testing", "gpunp.time", "gpunp.typing"}

# Whose names a module passes on as they are.
OWNERS = {"numpy": "NumPy's", "scipy": "SciPy's", "builtins": "Python's"}

Entry = namedtuple("Entry", "name value other", defaults=[None])  # other: it is described there


def modules():
    """All public modules, those of FIRST first."""
    names = docstrings.modules()
    return [*FIRST, *(name for name in names if name not in FIRST)]


def subject_of(value):
    """The page of the main namespace that describes an object."""
    if inspect.isclass(value):
        return "classes"
    if isinstance(value, gpunp.ufunc):
        return "ufuncs"
    file = (getattr(value, "__module__", None) or "").rsplit(".", 1)[-1]
    for subject, (_, files) in SUBJECTS.items():
        if file in files.split():
            return subject
    return "program"


def signature(value):
    """The signature without annotations, which the docstring has in words; defaults as numbers."""
    try:
        found = inspect.signature(value)
    except (ValueError, TypeError):
        return "" if inspect.isclass(value) else "(...)"
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return re.sub(r"<(?:class ')?([\w.]+)[^>]*>", r"\1", text)


class Docstring(SphinxDocString):
    """A docstring that may have a section on differences from the reference."""

    sections: ClassVar = {**SphinxDocString.sections, "Differences": ""}

    def __str__(self):
        text = super().__str__()
        if self["Differences"]:
            lines = "\n".join(self["Differences"])
            text = f"{text}\n.. rubric:: Differences\n\n{lines}\n"
        return text


def as_prose(line):
    """A line whose stars, bars and trailing underscores mean themselves, and no footnotes."""
    line = re.sub(r"^(\s*)\.\. \[(\d+)\]", r"\1[\2]", re.sub(r"\[(\d+)\]_", r"[\1]", line))
    if re.match(r"\s*\*{1,2}\w+(,| :|$)", line):
        return line  # a parameter
    parts = re.split(r"(``.*?``|`[^`]*`_?)", line)
    parts[::2] = [re.sub(r"[*|]|(?<=\w)_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def prose(text):
    """A docstring in which only what is code or a literal block keeps its marks."""
    lines, code, depth = [], False, None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        code = bool(line.strip()) and (code or line.lstrip().startswith(">>>"))
        if depth is not None and line.strip() and indent <= depth:
            depth = None
        lines.append(line if code or depth is not None else as_prose(line))
        if depth is None and not code and line.rstrip().endswith("::"):
            depth = indent
    return "\n".join(lines)


def body(value, indent):
    """The docstring as reStructuredText lines."""
    text = inspect.getdoc(value) or ""
    text = re.sub(r"\A\w+\([^\n]*\)\n\n", "", text)  # a signature in the first line
    config = {"show_class_members": False, "use_plots": False}
    lines = str(Docstring(prose(text), config=config)).splitlines()
    return "\n".join(f"{' ' * indent}{line}".rstrip() for line in lines)


def described(kind, name, value, indent=0):
    """One directive of the Python domain."""
    space = " " * indent
    call = f"{name}{signature(value)}" if kind != "attribute" else name
    return f"{space}.. py:{kind}:: {call}\n\n{body(value, indent + 3)}\n"


def members(cls, shown):
    """{name: member} of a class and of the bases that no page describes; `shown` maps those to the
    class that has had their members, which is named instead of repeating them."""
    found, elsewhere = dict(reference.members(cls)), {}
    for base in cls.__mro__[1:]:
        if base.__module__.startswith("gpunp") and base.__name__.startswith("_"):
            owner = shown.setdefault(base, cls)
            inherited = {k: v for k, v in reference.members(base) if k not in found}
            (found if owner is cls else elsewhere.setdefault(owner, {})).update(inherited)
    return found, elsewhere


def entry(item, shown):
    """The directive of a name, with those of its members if it is a class."""
    name, value, other = item
    if other is not None:
        kind = "class" if inspect.isclass(value) else "function"
        return f".. py:{kind}:: {name}\n\n   Another name of :py:obj:`{other}`.\n"
    if not inspect.isclass(value):
        return described("function", name, value)
    if issubclass(value, BaseException):
        return described("exception", name, value)
    lines = [described("class", name, value)]
    own, elsewhere = members(value, shown)
    for key, member in sorted(own.items()):
        lines.append(described("method" if callable(member) else "attribute", key, member, 3))
    for owner, names in elsewhere.items():
        words = ", ".join(f"``{key}``" for key in sorted(names))
        lines.append(f"   As :py:obj:`{owner.__name__}` has them: {words}.\n")
    return "\n".join(lines)


def summary(value):
    """The first sentence of a docstring."""
    text = re.sub(r"\A\w+\([^\n]*\)\n\n", "", inspect.getdoc(value) or "")
    words = " ".join(text.split("\n\n")[0].split())
    return as_prose(words if len(words) < 200 else words[:197] + "...")


def heading(text, mark="="):
    """A title and the line below it."""
    return f"{text}\n{mark * len(text)}\n"


def table(rows):
    """Names and summaries in two columns."""
    if not rows:
        return ""
    lines = [".. list-table::", "   :class: names", "   :widths: auto", ""]
    for left, right in rows:
        lines += [f"   * - {left}", f"     - {right}"]
    return "\n".join(lines) + "\n"


def page(title, module, intro, entries, others):
    """The text of one page."""
    shown = {}
    parts = [heading(title), f".. py:currentmodule:: {module}\n", intro]
    parts.append(table([(f":py:obj:`{e.name}`", summary(e.value)) for e in entries]))
    if others:
        parts += [heading("Also in this module", "-"), table(others)]
    if entries:
        parts.append(heading("Entries", "-"))
    parts += [entry(item, shown) for item in entries]
    return "\n".join(parts)


def constant(value):
    """What a table says of a name that is neither a function nor a class."""
    if inspect.ismodule(value):
        return "a module"
    text = repr(value)
    short = len(text) < 60 and " at 0x" not in text and "\n" not in text
    return f"``{text}``" if short else f"a {type(value).__name__}"


def contents(module, seen):
    """(entries, others) of a module; `seen` maps objects to where they are described."""
    entries, others = [], []
    for name in reference.public(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", None) or module.__name__
        if not callable(value):
            others.append((f"``{name}``", constant(value)))
        elif home.split(".")[0] in OWNERS:
            others.append((f"``{name}``", f"{OWNERS[home.split('.')[0]]} own"))
        elif id(value) in seen and seen[id(value)].rpartition(".")[2] != name:
            entries.append(Entry(name, value, seen[id(value)]))
        elif id(value) in seen:
            others.append((f"``{name}``", f":py:obj:`{seen[id(value)]}`"))
        else:
            seen[id(value)] = f"{module.__name__}.{name}"
            entries.append(Entry(name, value))
    return entries, others


def main_pages(entries, others, intro):
    """(file, text) of the pages of the main namespace."""
    parts = {subject: [] for subject in SUBJECTS}
    for item in entries:
        parts[subject_of(item.value)].append(item)
    for subject, (title, _) in SUBJECTS.items():
        rest = others if subject == "program" else []
        text = page(f"{title}: gpunp", "gpunp", "", parts[subject], rest)
        yield f"gpunp.{subject}", text
    index = toctree(f"gpunp.{subject}" for subject in SUBJECTS)
    yield "gpunp", f"{heading('gpunp')}\n{intro}\n\n{index}"


def toctree(names, hidden=False):
    """A list of pages."""
    lines = [".. toctree::", "   :maxdepth: 1", *(["   :hidden:"] if hidden else [])]
    return "\n".join([*lines, "", *(f"   {name}" for name in names)]) + "\n"


def groups(names):
    """{heading: modules} of the index."""
    scipy = [name for name in names if name.startswith("gpunp.scipy")]
    cuda = [name for name in names if name.startswith(CUDA)]
    others = [name for name in names if name in OTHERS]
    numpy = [name for name in names if name not in {*scipy, *cuda, *others}]
    return {"NumPy": numpy, "SciPy": scipy, "CUDA": cuda, "Tools": others}


def index_page(names):
    """The list of all pages: modules with the first sentences of their docstrings, and tables."""
    parts = [heading("Reference")]
    for title, found in groups(names).items():
        rows = [
            (f":doc:`{name}`", summary(importlib.import_module(name))) for name in sorted(found)
        ]
        parts += [heading(title, "-"), table(rows), toctree(sorted(found), hidden=True)]
    tables = [name for name, _ in reference.table_pages()]
    parts += [heading("Tables", "-"), toctree([*NAME_PAGES, *tables])]
    return "\n".join(parts)


# ---- names of other libraries --------------------------------------------------------------------


def cupy_names():
    """(CuPy's module, gpunp's or None, names, absent names)."""
    for module, names in migration.listed().items():
        own = migration.own_module(module)
        absent = {name for name in names if not migration.has(module, name)}
        yield module, own and own.__name__, names, absent


def reference_names(prefix):
    """The same for the modules of NumPy, or of SciPy, that gpunp has as well."""
    for own in docstrings.modules():
        theirs = re.sub(r"^gpunp(\.scipy)?", prefix, own)
        if own.startswith("gpunp.scipy") != (prefix == "scipy"):
            continue
        try:
            module = importlib.import_module(theirs)
        except ImportError:
            continue
        found = importlib.import_module(own)
        names = [name for name in getattr(module, "__all__", []) if not name.startswith("_")]
        yield theirs, own, names, {name for name in names if not hasattr(found, name)}


def names_page(title, modules):
    """Where each name of another library is described, and which are absent."""
    parts = [heading(title)]
    for theirs, own, names, absent in modules:
        if not names:
            continue
        parts.append(heading(theirs, "-"))
        present = [f":py:obj:`{name} <{own}.{name}>`" for name in sorted(set(names) - absent)]
        if present:
            parts.append(f"In ``{own}``: {', '.join(present)}.\n")
        if absent:
            parts.append(f"Absent: {', '.join(f'``{name}``' for name in sorted(absent))}.\n")
    return "\n".join(parts)


NAME_PAGES = {
    "names_numpy": lambda: names_page("Names of NumPy", reference_names("numpy")),
    "names_scipy": lambda: names_page("Names of SciPy", reference_names("scipy")),
    "names_cupy": lambda: names_page("Names of CuPy", cupy_names()),
}


def pages():
    """(file without suffix, text) of all pages, and that of the index."""
    seen, names = {}, []
    for name in modules():
        module = importlib.import_module(name)
        entries, others = contents(module, seen)
        if not entries and not others:
            continue
        intro = body(module, 0)
        names.append(name)
        if name == "gpunp":
            yield from main_pages(entries, others, intro)
        else:
            yield name, page(name, name, intro, entries, others)
    for name, made in NAME_PAGES.items():
        yield name, made()
    yield "index", index_page(names)

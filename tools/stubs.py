"""Write the type stubs of the public modules, gpunp/**/*.pyi, and the ufuncs of gpunp/_C.pyi.

python tools/stubs.py [--check]     --check: change nothing, fail when a stub is not current

A signature has one source. Names, order and defaults of parameters are those of the running
function; types of parameters are those of its docstring ("int or tuple of ints, optional"), read by
tools/stub_types.py; types of results are the annotation in the source, or else the docstring's.
What is declared in gpunp/_C.pyi is taken from there. What neither can say (overloads, attributes
of types made in C, names of modules that are objects) is in tools/stubs.txt, a stub of its own for
each module, whose declarations replace those that would be written.

Builtins are written `_b.int` and so on: many modules have a name of their own for one.
"""

import ast
import functools
import importlib
import inspect
import re
import sys
import textwrap
import types
import typing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import docstrings  # noqa: E402
import stub_types  # noqa: E402

PACKAGE = ROOT / "gpunp"
EXTENSION = PACKAGE / "_C.pyi"
START, END = "# ---- ufuncs: written by `make stubs`", "# ---- end of ufuncs"
HEAD = """# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T
"""
# Modules and functions of gpunp that take NumPy's arrays where their docstrings say array_like; all
# others refuse them.
HOST_TOO = ("gpunp.random", "gpunp.polynomial", "gpunp.linalg", "gpunp.testing")
HOST_TOO += ("array", "asanyarray", "asarray", "asarray_chkfinite", "ascontiguousarray", "asfarray")
HOST_TOO += ("asfortranarray", "insert", "min_scalar_type", "nanpercentile", "nanquantile", "ndim")
HOST_TOO += ("percentile", "quantile", "repeat", "require", "save", "savetxt", "savez", "shape")
HOST_TOO += ("size",)
# Modules whose coefficients, windows and footprints may be NumPy's; these parameters are no such.
COEFFICIENTS_TOO = ("gpunp.scipy.signal", "gpunp.scipy.ndimage")
DATA = {"x", "y", "input", "in1", "in2", "signal", "coordinates", "labels", "data", "mask"}
DATA |= {"markers"}
OPEN = (None, typing.Any, tuple, "Any", "tuple")  # results that an annotation leaves open
# Methods whose signature Python fixes.
FIXED = {
    "__len__": "(self) -> _b.int",
    "__iter__": "(self) -> _a.Iterator[_t.Any]",
    "__next__": "(self) -> _t.Any",
    "__getitem__": "(self, key: _t.Any, /) -> _t.Any",
    "__setitem__": "(self, key: _t.Any, value: _t.Any, /) -> None",
    "__enter__": "(self) -> _t.Self",
    "__exit__": "(self, *exc: _t.Any) -> None",
    "__eq__": "(self, other: _t.Any, /) -> _t.Any",
    "__ne__": "(self, other: _t.Any, /) -> _t.Any",
    "__bool__": "(self) -> _b.bool",
    "__contains__": "(self, key: _t.Any, /) -> _b.bool",
    "__getattr__": "(self, name: _b.str, /) -> _t.Any",
    "__int__": "(self) -> _b.int",
    "__index__": "(self) -> _b.int",
}
OPERATORS = "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow"
OPERATORS += " matmul rmatmul iadd isub imul itruediv"
for _name in OPERATORS.split():
    FIXED[f"__{_name}__"] = "(self, other: _t.Any, /) -> _t.Self"
for _name in ("lt", "le", "gt", "ge"):
    FIXED[f"__{_name}__"] = "(self, other: _t.Any, /) -> _t.Any"
for _name in ("pos", "neg", "abs"):
    FIXED[f"__{_name}__"] = "(self) -> _t.Self"
for _name in ("divmod", "rdivmod"):
    FIXED[f"__{_name}__"] = "(self, other: _t.Any, /) -> _b.tuple[_t.Self, _t.Self]"


# ---- what there is -------------------------------------------------------------------------------


@functools.cache
def importable():
    """{name: module} of what is public, shorter names first."""
    names = [name for name in docstrings.modules() if name != "gpunp.__main__"]
    return {name: importlib.import_module(name) for name in sorted(names, key=by_depth)}


@functools.cache
def modules():
    """Those under their own names: the first home of an object counts."""
    return {name: module for name, module in importable().items() if module.__name__ == name}


def by_depth(name):
    """Sorts the package before its modules and these before theirs."""
    return name.count("."), name


def public(module):
    """Names a module offers: its __all__ and what loads lazily, or what does not begin with _."""
    names = set(getattr(module, "__all__", None) or ())
    if not names or module.__name__ in ("gpunp", "gpunp.cuda"):
        names |= {name for name in dir(module) if not name.startswith("_")}
    if module.__name__ == "gpunp":
        names |= {"__version__"}
    return sorted(names)


@functools.cache
def homes():
    """{id: (module, name)} of functions and classes: the public module that declares them."""
    found = {}
    for name, module in modules().items():
        for key in public(module):
            value = getattr(module, key)
            if is_declared(value):
                own = getattr(value, "__name__", key) == key
                if id(value) not in found or (own and found[id(value)][0] == name):
                    found[id(value)] = (name, key)
    for cls in named_tuples():
        found.setdefault(id(cls), (cls.__module__.partition("._")[0], f"_{cls.__name__}"))
    return found


@functools.cache
def named_tuples():
    """Named tuples of the private modules: public functions return some of them."""
    return [
        value
        for name, module in list(sys.modules.items())
        if name.startswith("gpunp.")
        for value in vars(module).values()
        if inspect.isclass(value) and hasattr(value, "_fields") and value.__module__ == name
    ]


def is_declared(value):
    """Whether a stub of ours declares it: it is a function, class or ufunc of this package."""
    is_one = inspect.isroutine(value) or inspect.isclass(value)
    return is_one and docstrings.home_of(value).startswith("gpunp")


@functools.cache
def in_extension():
    """Names that gpunp/_C.pyi declares."""
    names = set()
    for node in ast.parse(EXTENSION.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    return names


def from_extension(key, value):
    """The name under which gpunp/_C.pyi declares a value, or None."""
    from gpunp import _C

    for name in (key, getattr(value, "__name__", key)):
        if name in in_extension() and getattr(_C, name, None) is value:
            return name
    return None


@functools.cache
def by_hand():
    """{module: {name: lines}} of tools/stubs.txt; the name '' has what stands for itself."""
    found = {}
    text = (ROOT / "tools" / "stubs.txt").read_text()
    for section in text.split("\n# ---- ")[1:]:
        title, _, body = section.partition("\n")
        rows = found.setdefault(title.strip(" -"), {})
        for node in ast.parse(body).body:
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            lines = body.splitlines()[first - 1 : node.end_lineno]
            name = getattr(node, "name", None) or getattr(getattr(node, "target", None), "id", "")
            rows.setdefault(name, []).extend(lines)
    return found


# ---- signatures ----------------------------------------------------------------------------------


def sections_of(text):
    """A docstring by headings; nothing for none."""
    return docstrings.sections(text) if text else {}


def default_text(value):
    """A default as a stub may show it."""
    plain = value is None or type(value) in (bool, int, str)
    return repr(value) if plain and len(repr(value)) < 30 else "..."


def parameter_text(parameter, found):
    """`name: type = default` of one parameter."""
    note = parameter.annotation
    if note is not parameter.empty:
        kind = stub_types.render(note, homes())
    else:
        kind = found.get(parameter.name, "_t.Any")
    default = parameter.default
    kind = stub_types.with_default(kind, default)
    if default is None and kind not in ("_t.Any", "None") and not kind.endswith("| None"):
        kind += " | None"
    star = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
    if star:
        kind = "_t.Any" if "[" in kind else kind
    end = "" if default is parameter.empty else f" = {default_text(default)}"
    return f"{star}{parameter.name}: {kind}{end}"


def parameters_text(parameters, found, bound):
    """The text between the parentheses; `bound` names the first, which is without a type."""
    pieces, slash, star = [], False, False
    for i, p in enumerate(parameters):
        if p.kind is p.POSITIONAL_ONLY:
            slash = True
        elif slash:
            pieces.append("/")
            slash = False
        if p.kind is p.KEYWORD_ONLY and not star:
            pieces.append("*")
        star |= p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        pieces.append(bound if bound and i == 0 else parameter_text(p, found))
    return ", ".join([*pieces, "/"] if slash else pieces)


def result_text(function, sections, bound=""):
    """The type of a function's result."""
    note = getattr(function, "__annotations__", {}).get("return")
    if note is not None and note is not typing.Any:
        text = stub_types.render(note, homes(), vars(sys.modules[function.__module__]))
        if text != "_t.Any":
            return text
    if note is not None and "Returns" not in sections:
        return "_t.Any"
    return stub_types.result(sections, homes(), bool(bound))


def takes_host_arrays(function):
    """Whether arrays of NumPy are taken where a docstring says array_like."""
    where = getattr(function, "__module__", None) or "gpunp"
    return where.startswith(HOST_TOO) or function.__name__ in HOST_TOO


def signature_text(function, bound="", text=None, returns=None):
    """`(parameters) -> result` of a function; `bound` is self or cls for methods."""
    sections = sections_of(text or inspect.getdoc(function))
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        first = f"{bound}, " if bound else ""
        return f"({first}*args: _t.Any, **kwargs: _t.Any) -> {returns or '_t.Any'}"
    if bound and (not parameters or parameters[0].name not in ("self", "cls")):
        first = inspect.Parameter(bound, inspect.Parameter.POSITIONAL_ONLY)
        keeps = any(p.kind is p.POSITIONAL_ONLY for p in parameters)
        parameters.insert(0, first if keeps else first.replace(kind=first.POSITIONAL_OR_KEYWORD))
    if bound and parameters[0].name != bound:
        bound = parameters[0].name
    found = stub_types.parameters(sections, homes(), takes_host_arrays(function))
    if (getattr(function, "__module__", None) or "").startswith(COEFFICIENTS_TOO):
        wide = stub_types.parameters(sections, homes(), True)
        found = {name: found[name] if name in DATA else wide[name] for name in found}
    return f"({parameters_text(parameters, found, bound)}) -> " + (
        returns or result_text(function, sections, bound)
    )


# ---- classes -------------------------------------------------------------------------------------


def members(cls):
    """{name: (member, class)} of a class and of its bases that are not public themselves."""
    found = {}
    for kind in cls.__mro__:
        if kind is cls or (kind.__module__.startswith("gpunp") and id(kind) not in homes()):
            for name, member in vars(kind).items():
                found.setdefault(name, (member, kind))
    return found


def bases_text(cls):
    """The bases that a stub can name."""
    names = []
    for base in cls.__bases__:
        if id(base) in homes() or base.__module__ == "builtins":
            names.append(stub_types.render(base, homes()))
        elif not base.__module__.startswith("gpunp"):
            continue
        else:
            names += [text for text in bases_text(base).strip("()").split(", ") if text]
    names = [name for name in dict.fromkeys(names) if name != "_b.object"]
    return f"({', '.join(names)})" if names else ""


def member_lines(name, member, cls):
    """The declaration of one member of a class; nothing for what is Python's own."""
    if name in ("__init__", "__new__"):
        return []
    if name in FIXED and member is not None:
        note = getattr(inspect.unwrap(member), "__annotations__", {}).get("return")
        head, _, result = FIXED[name].rpartition(" -> ")
        if note is not None:
            result = result_text(inspect.unwrap(member), {})
        return [f"def {name}{head} -> {result}: ..."]
    if name == "__hash__" and member is None:
        return ["__hash__: _t.ClassVar[None]  # type: ignore[assignment]"]
    if name.startswith("_") and name != "__call__" and name not in FIXED:
        return []
    if isinstance(member, (property, functools.cached_property)):
        getter = getattr(member, "fget", None) or member.func
        sections = sections_of(inspect.getdoc(member))
        kind = result_text(getter, sections)
        lines = ["@_b.property", f"def {name}(self) -> {kind}: ..."]
        if getattr(member, "fset", None) or isinstance(member, functools.cached_property):
            lines += [f"@{name}.setter", f"def {name}(self, value: _t.Any, /) -> None: ..."]
        return lines
    if isinstance(member, staticmethod):
        return ["@_b.staticmethod", f"def {name}{signature_text(member.__func__)}: ..."]
    if isinstance(member, classmethod) or type(member).__name__ == "classmethod_descriptor":
        function = getattr(member, "__func__", None) or getattr(cls, name)
        return ["@_b.classmethod", f"def {name}{signature_text(function, 'cls')}: ..."]
    if name == "__call__" and "Returns" not in sections_of(inspect.getdoc(member)):
        return [f"def {name}{signature_text(member, 'self', None, '_t.Any')}: ..."]
    if inspect.isroutine(member):
        return [f"def {name}{signature_text(member, 'self')}: ..."]
    if inspect.isclass(member):
        return [f"{name}: _b.type[_t.Any]"]
    return [f"{name}: {value_text(member)}"]


def assigned(cls):
    """Public names that the methods of a Python class set in `self`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):
        return set()
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not node.attr.startswith("_")
    }


def class_lines(module, key, cls):
    """The stub of a class."""
    own = by_hand().get(module, {})
    rows = {name.partition(".")[2]: lines for name, lines in own_members(own, key).items()}
    if hasattr(cls, "_fields"):
        return named_tuple_lines(key, cls)
    if type(cls).__name__ == "Refusing":  # of gpunp/scipy/_borrowed.py: SciPy's, with all it has
        return [f"class {key}(_t.Any): ...  # type: ignore[misc]"]
    lines = []
    if "__init__" not in rows and not issubclass(cls, BaseException):
        text = inspect.getdoc(cls)
        init = cls.__init__ if inspect.isfunction(cls.__init__) else cls
        lines.append(f"def __init__{signature_text(init, 'self', text, 'None')}: ...")
    found = members(cls)
    for name in sorted({*found, *rows}):
        lines += rows[name] if name in rows else member_lines(name, found[name][0], cls)
    sections = sections_of(inspect.getdoc(cls))
    kinds = stub_types.parameters({"Parameters": sections.get("Attributes", [])}, homes())
    bases = set().union(*(dir(base) for base in cls.__mro__))
    for kind in (k for k in cls.__mro__ if k.__module__.startswith("gpunp")):
        names = sorted(assigned(kind) - bases - set(rows))
        lines += [f"{name}: {kinds.get(name, '_t.Any')}" for name in names]
        bases |= set(names)
    return [f"class {key}{bases_text(cls)}:", *(f"    {line}" for line in lines or ["..."])]


def named_tuple_lines(key, cls):
    """The stub of a named tuple; fields may hide the two methods of tuples."""
    notes = getattr(cls, "__annotations__", {})
    lines = [f"class {key}(_t.NamedTuple):"]
    for name in cls._fields:
        kind = stub_types.render(notes.get(name, typing.Any), homes())
        hides = hasattr(tuple, name) and kind != "_t.Any"
        end = "  # type: ignore[assignment]" if hides else ""
        lines.append(f"    {name}: {kind}{end}")
    return lines


def own_members(rows, key):
    """{class.name: lines} of a class that tools/stubs.txt declares in part."""
    lines = rows.get(key)
    if not lines or not lines[0].startswith("class"):
        return {}
    body = textwrap.dedent("\n".join(lines))
    found = {}
    for node in ast.parse(body).body[0].body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        text = textwrap.dedent("\n".join(body.splitlines()[first - 1 : node.end_lineno]))
        name = getattr(node, "name", None) or getattr(getattr(node, "target", None), "id", "")
        found.setdefault(f"{key}.{name}", []).extend(text.splitlines())
    return found


# ---- modules -------------------------------------------------------------------------------------


def value_text(value):
    """The type of an object that is neither function nor class."""
    if value is None:
        return "None"
    if type(value) in (bool, int, float, complex, str, bytes, tuple, list, dict, set):
        end = {tuple: "[_t.Any, ...]", list: "[_t.Any]", dict: "[_t.Any, _t.Any]", set: "[_t.Any]"}
        return f"_b.{type(value).__name__}{end.get(type(value), '')}"
    kind = type(value).__module__
    return f"_np.{type(value).__name__}" if kind == "numpy" else "_t.Any"


def renamed(module, short, name, key):
    """The lines that make a name of another module public here: only `x as x` exports."""
    return [f"from {module} import {name} as {name}" if name == key else f"{key} = {short}.{name}"]


def foreign_lines(key, value):
    """The lines for a name that is another package's; None when it has no public home."""
    import numpy

    name = getattr(value, "__name__", None)
    home = (getattr(value, "__module__", None) or "").split(".")[0]
    for module in (numpy, numpy.exceptions, numpy.linalg):
        if home in ("numpy", "builtins") and name and getattr(module, name, None) is value:
            short = module.__name__.replace("numpy", "_np", 1)
            return renamed(module.__name__, short, name, key)
    if home == "ml_dtypes":
        return [f"from ml_dtypes import {name} as {key}"]
    return None


def is_partial(module, key, value):
    """Whether tools/stubs.txt says some members of a class, and the rest is written."""
    rows = by_hand().get(module, {}).get(key)
    return bool(rows) and inspect.isclass(value) and rows[0].startswith("class")


def name_lines(module, key):
    """The lines for one public name of a module."""
    value = getattr(modules()[module], key)
    if key in by_hand().get(module, {}) and not is_partial(module, key, value):
        return by_hand()[module][key]
    if isinstance(value, types.ModuleType):
        full = value.__name__
        if full in modules():
            parent, _, last = full.rpartition(".")
            return renamed(parent, full.replace("gpunp", "_g", 1).rpartition(".")[0], last, key)
        return [f"{key}: _m.ModuleType"] if full.startswith("gpunp") else []
    if type(value).__name__ == "ufunc" and value.__module__.startswith("gpunp.scipy"):
        return special_lines(module, key, value)
    declared = from_extension(key, value)
    if declared:
        return renamed("gpunp._C", "_C", declared, key)
    if not is_declared(value):
        return foreign_lines(key, value) or [f"{key}: {value_text(value)}"]
    home, name = homes()[id(value)]
    if home != module:
        return renamed(home, f"_g{home[5:]}", name, key)
    if inspect.isclass(value):
        return class_lines(module, key, value) if name == key else [f"{key} = {name}"]
    return function_lines(module, key, value)


def special_lines(module, key, value):
    """A ufunc of tables/special.def: declared in its package, imported elsewhere."""
    home = value.__module__.rpartition(".")[0]
    if module != home:
        return renamed(home, f"_g{home[5:]}", value.__name__, key)
    kind = f"_Ufunc{value.nin}{value.nout}"
    return [f"{key}: _C.{kind if kind in extension_classes() else 'ufunc'}"]


@functools.cache
def extension_classes():
    """Names of classes that gpunp/_C.pyi declares."""
    return set(re.findall(r"^class (\w+)", EXTENSION.read_text(), flags=re.M))


def function_lines(module, key, value):
    """The stub of a function. What it returns may depend on flags: then an overload says what
    their defaults give, and with other values the result may be anything. Flags are those of the
    docstring ("Only if `flag` is True") or `f: "flag=False -> T"` in the class _Results of
    tools/stubs.txt."""
    rows = own_members(by_hand().get(module, {}), "_Results").get(f"_Results.{key}")
    if rows:
        given, _, result = ast.literal_eval(rows[0].partition(": ")[2]).partition(" -> ")
        flags = dict(item.split("=") for item in given.split(", "))
    else:
        found = stub_types.result_of_defaults(
            sections_of(inspect.getdoc(value)), homes(), defaults_of(value)
        )
        if not found or getattr(value, "__annotations__", {}).get("return") not in OPEN:
            return [f"def {key}{signature_text(value)}: ..."]
        flags, result = found
        flags = {name: "False, 0" if default == 0 else default for name, default in flags.items()}
    narrow = signature_text(value, returns=result)
    for name, default in flags.items():
        narrow, n = re.subn(rf"\b{name}: [^=]*= ", f"{name}: _t.Literal[{default}] = ", narrow)
        if n != 1:
            raise SystemExit(f"tools/stubs.txt: {module}.{key} has no parameter {name}")
    wide = signature_text(value, returns="_t.Any")
    return [f"@_t.overload\ndef {key}{narrow}: ...\n@_t.overload\ndef {key}{wide}: ..."]


def defaults_of(function):
    """{name: default} of a function's parameters that have one."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def module_text(module):
    """The whole stub of a module."""
    imports, body = [], list(by_hand().get(module, {}).get("", []))
    for cls in named_tuples():
        home, key = homes()[id(cls)]
        if home == module and key.startswith("_"):
            body += class_lines(module, key, cls)
    private = [key for key in by_hand().get(module, {}) if re.match(r"_(?!_|Results)", key)]
    for key in [*private, *public(modules()[module])]:
        lines = by_hand()[module][key] if key in private else name_lines(module, key)
        (imports if lines and lines[0].startswith("from ") else body).extend(lines)
    imports += [f"import {name}" for name in inner_modules(body)]
    return "\n".join([HEAD, *sorted(set(imports)), "", *body]) + "\n"


def inner_modules(lines):
    """Modules of packages in packages that declarations name: no other import gives these."""
    found = re.findall(r"\b_g((?:\.[a-z_]\w*){3,})\.", "\n".join(lines))
    return {f"gpunp{name}" for name in found} & modules().keys()


def ufunc_lines():
    """A line for each ufunc of the table and each alias, by its numbers of operands and results."""
    from gpunp import _C

    names = {row["name"] for row in _C.ufunc_table()} | set(_C.ufunc_aliases())
    found = {name: getattr(_C, name) for name in sorted(names)}
    return [f"{n}: _Ufunc{u.nin}{u.nout}" for n, u in found.items() if isinstance(u, _C.ufunc)]


def extension_text():
    """gpunp/_C.pyi with the block of ufuncs as the table has it."""
    lines = EXTENSION.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(START))
    last = next(i for i, line in enumerate(lines) if line.startswith(END))
    return "\n".join([*lines[: first + 1], *ufunc_lines(), *lines[last:]]) + "\n"


def stub_path(module):
    """Where the stub of a module lies: beside it."""
    return Path(modules()[module].__file__).with_suffix(".pyi")


def texts():
    """{path: text} of all stubs."""
    stubs = {stub_path(name): module_text(name) for name in modules()}
    for name in importable().keys() - modules().keys():
        path = ROOT.joinpath(*name.split(".")).with_suffix(".pyi")
        stubs[path] = f"# ruff: noqa\nfrom {importable()[name].__name__} import *\n"
    return {EXTENSION: extension_text(), **stubs}


def main():
    """Write the stubs, or say which are not current."""
    new = texts()
    stale = [path for path, text in new.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        return f"not current: {names}: run make stubs" if stale else 0
    for path in stale:
        path.write_text(new[path])
    unknown = stub_types.unknown
    if unknown:
        print(f"{len(unknown)} types that no rule reads: {sorted(unknown)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

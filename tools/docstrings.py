"""Lists the public functions and methods whose docstring is not complete.

    python tools/docstrings.py [module ...]      all public modules without arguments

A docstring names every parameter of the signature under Parameters, or refers to the function that
does, and has Returns (or Yields)
unless the function returns nothing, by its annotation or, where made in C, by the stub. Ufuncs
are made from a table and left out, and so is what is NumPy's own.
"""

import ast
import functools
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import gpunp

# Extension modules and the emulated device's library lie beside the modules.
NO_MODULES = ("gpunp.libgpunp_emu", "gpunp.libgpunp_emu_math")


def modules():
    """Names of all public modules: no part begins with an underscore."""
    found = pkgutil.walk_packages(gpunp.__path__, "gpunp.")
    names = {info.name for info in found} - set(NO_MODULES)
    return sorted({"gpunp", *(name for name in names if "._" not in name)})


def sections(text):
    """A docstring's sections: {heading: lines}."""
    lines, found, current = text.splitlines(), {}, []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and below.strip("-") == "" and len(below) == len(line):
            current = found.setdefault(line, [])
        else:
            current.append(line)
    return found


def described(lines):
    """The names a Parameters section describes."""
    heads = [line for line in lines if re.match(r"[*\w]", line)]
    return [
        name.strip().lstrip("*")
        for head in heads
        for name in head.split(" : ")[0].split(",")
        if name
    ]


def is_described_elsewhere(text, signature):
    """Whether the text ends in "see gpunp.name.", a function that has all the parameters."""
    name = re.fullmatch(r".*; see gpunp\.(\w+)\.", text)
    function = getattr(gpunp, name[1], None) if name else None
    if function is None or isinstance(function, gpunp.ufunc):
        return function is not None
    others = {"self", "kwargs"} | set(inspect.signature(function).parameters)
    return set(signature.parameters) <= others


def faults(function):
    """What a function's docstring lacks, in words."""
    text = inspect.getdoc(function)
    if not text:
        return ["no docstring"]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    if is_described_elsewhere(text, signature):
        return []
    found, wrong = sections(text), []
    wanted = [name for name in signature.parameters if name not in ("self", "cls")]
    names = described(found.get("Parameters", []))
    for word, odd in (("lacks", set(wanted) - set(names)), ("has", set(names) - set(wanted))):
        if odd:
            wrong.append(f"Parameters {word} {', '.join(sorted(odd))}")
    silent = signature.return_annotation in (None, "None") or function.__qualname__ in nothing()
    if not silent and not {"Returns", "Yields"} & set(found):
        wrong.append("no Returns")
    return wrong


@functools.cache
def nothing():
    """Names of the functions and methods made in C that return None, from the stub."""
    tree = ast.parse((Path(__file__).resolve().parent.parent / "gpunp" / "_C.pyi").read_text())
    classes = {node.name + ".": node.body for node in tree.body if isinstance(node, ast.ClassDef)}
    return {
        scope + node.name
        for scope, body in {"": tree.body, **classes}.items()
        for node in body
        if isinstance(node, ast.FunctionDef)
        and node.returns
        and ast.unparse(node.returns) == "None"
    }


def functions(module):
    """(name, function) of a module and of its classes, what these inherit from gpunp included."""
    for key in sorted(getattr(module, "__all__", None) or vars(module)):
        value = getattr(module, key)
        home = getattr(value, "__module__", None) or ""
        if key.startswith("_") or not home.startswith("gpunp"):
            continue
        if inspect.isroutine(value):
            yield key, value
        elif inspect.isclass(value) and not issubclass(value, BaseException):
            kinds = [kind for kind in value.__mro__ if kind.__module__.startswith("gpunp")]
            for name in sorted(set().union(*map(vars, kinds))):
                member = next(vars(kind)[name] for kind in kinds if name in vars(kind))
                member = getattr(member, "__func__", member)
                if not name.startswith("_") and inspect.isroutine(member):
                    yield f"{key}.{name}", member


def listed(names):
    """(name in full, faults) of everything public, each function once."""
    seen = set()
    for name in names:
        for key, value in functions(importlib.import_module(name)):
            if id(value) not in seen:
                seen.add(id(value))
                yield f"{name}.{key}", faults(value)


def main():
    """Prints a line for each function with a fault, and how many there are."""
    rows = list(listed(sys.argv[1:] or modules()))
    bad = [(name, wrong) for name, wrong in rows if wrong]
    for name, wrong in bad:
        print(f"{name}: {'; '.join(wrong)}")
    print(f"{len(bad)} of {len(rows)} docstrings are not complete")


if __name__ == "__main__":
    main()

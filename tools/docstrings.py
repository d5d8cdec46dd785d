"""Lists the public functions, methods and classes whose docstring is not complete.

    python tools/docstrings.py [module ...]      all public modules without arguments

A docstring describes every parameter of the signature under Parameters, in four words or more, or
refers to the function that does, and has Returns (or Yields) unless the function returns nothing,
by its annotation or, where made in C, by the stub. A class describes the parameters of its
constructor. A summary is not that of NumPy or SciPy, and words that only this project would use
are refused. What is NumPy's own is left out.
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
from gpunp.jit._functions import Builtin

# Modules whose summaries are not repeated; those that are not installed are left out.
OTHERS = [
    *(
        "numpy",
        "numpy.fft",
        "numpy.lib.array_utils",
        "numpy.lib.scimath",
        "numpy.lib.stride_tricks",
    ),
    *("numpy.linalg", "numpy.polynomial", "numpy.random", "numpy.testing"),
    *(f"numpy.polynomial.{name}" for name in ("chebyshev", "hermite", "hermite_e", "laguerre")),
    *(f"numpy.polynomial.{name}" for name in ("legendre", "polynomial", "polyutils")),
    *("scipy.fft", "scipy.fftpack", "scipy.linalg", "scipy.ndimage", "scipy.signal"),
    *("scipy.sparse", "scipy.special", "scipy.stats"),
]
LEAST_WORDS = 4  # of a parameter's description
UFUNC_PARAMETERS = {"out", "casting", "order", "dtype", "subok", "signature"}
# Wordings of this project alone, where numpydoc has usual ones.
PRIVATE_WORDS = re.compile(
    r"what (there is|there shall be|is gone along)|\b(go|goes|gone|going) along\b|how-manieth"
    r"|^ *(where (from|to)|of the result|as numpy's)(?=\W*$)|look-alike"
    r"|\b(rooms?|doors?|guests?|twins?|turned|folded|foretells?|the making|shall)\b",
    re.IGNORECASE | re.MULTILINE,
)

# Extension modules and the emulated device's library lie beside the modules; importing the last
# gives the package another name.
NO_MODULES = ("gpunp.libgpunp_emu", "gpunp.libgpunp_emu_math", "gpunp.as_cupy")


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
    if isinstance(function, gpunp.ufunc):
        return ufunc_faults(function)
    text = inspect.getdoc(function)
    if not text:
        return ["no docstring"]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return unusual(text)
    if is_described_elsewhere(text, signature):
        return unusual(text)
    found = sections(text)
    wrong = unusual(text) + odd_parameters(signature, found.get("Parameters", []))
    return wrong + unknown_results(function, signature, found)


def odd_parameters(signature, lines):
    """What is wrong with a Parameters section, in words. Keywords may be described one by one."""
    wanted = {name for name in signature.parameters if name not in ("self", "cls")}
    names, wrong = set(described(lines)), []
    lacking, more = wanted - names, names - wanted
    keywords = {name for name, it in signature.parameters.items() if it.kind is it.VAR_KEYWORD}
    if keywords and more:
        lacking, more = lacking - keywords, set()
    for word, odd in (("lacks", lacking), ("has", more)):
        if odd:
            wrong.append(f"Parameters {word} {', '.join(sorted(odd))}")
    return wrong + [
        f"{head} is described in fewer than four words"
        for head, words in entries(lines)
        if len(words.split()) < LEAST_WORDS
    ]


def unknown_results(function, signature, found):
    """What a docstring does not say of what its function returns, in words."""
    silent = signature.return_annotation in (None, "None") or function.__qualname__ in nothing()
    if inspect.isclass(function) or isinstance(function, Builtin) or silent:
        return []
    results = found.get("Returns", found.get("Yields"))
    if results is None:
        return ["no Returns"]
    plain = [head for head, words in entries(results) if not words and head != "None"]
    return [f"nothing is said of the result {head}" for head in plain]


def entries(lines):
    """(what stands at the margin, its description) of a section's entries."""
    found = []
    for line in lines:
        if not line.strip("- "):
            continue
        if line.startswith(" ") and found:
            found[-1][1] += " " + line.strip()
        elif not line.startswith(" "):
            found.append([line, ""])
    return [(head, words.strip()) for head, words in found]


def first_sentence(text):
    """The first sentence of a docstring in lower case without punctuation; not a signature."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        words = " ".join(paragraph.split())
        if words and not re.match(r"[\w.]+\(.*\)( ->.*)?$", words):
            sentence = re.split(r"\.( |$)", words)[0]
            return re.sub(r"[^a-z0-9]+", " ", sentence.lower()).strip()
    return ""


@functools.cache
def others_summaries():
    """First sentences of the docstrings of NumPy and SciPy."""
    found = set()
    for name in OTHERS:
        try:
            values = vars(importlib.import_module(name)).values()
        except ImportError:
            continue
        for value in list(values):
            members = vars(value).values() if inspect.isclass(value) else ()
            texts = (getattr(item, "__doc__", None) for item in (value, *members))
            found |= {first_sentence(text) for text in texts if isinstance(text, str)}
    return found - {""}


def unusual(text):
    """What is wrong with the wording of a docstring."""
    found = PRIVATE_WORDS.search(text)
    wrong = [f"wording: {found[0].strip()!r}"] if found else []
    if "\n" in re.sub(r"\A\w+\(.*\)\n\n", "", text.strip()).split("\n\n")[0]:
        wrong.append("the summary is longer than a line")
    if first_sentence(text) in others_summaries():
        wrong.append("the summary is NumPy's or SciPy's")
    return wrong


def ufunc_faults(ufunc):
    """What a ufunc's docstring lacks, in words."""
    names = set(described(sections(ufunc.__doc__).get("Parameters", [])))
    lacking = UFUNC_PARAMETERS - names
    if "axes" not in names:  # a function of elements
        lacking |= {"where"} - names
    wrong = [f"Parameters lacks {', '.join(sorted(lacking))}"] if lacking else []
    return wrong + unusual(ufunc.__doc__)


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


def home_of(value):
    """Name of the module that defines a value: SciPy's for what is SciPy's under a name of ours."""
    return getattr(inspect.unwrap(value), "__module__", None) or ""


def functions(module):
    """(name, function) of a module and of its classes, what these inherit from gpunp included."""
    for key in sorted(getattr(module, "__all__", None) or vars(module)):
        value = getattr(module, key)
        if key.startswith("_") or not home_of(value).startswith("gpunp"):
            continue
        if inspect.isroutine(value) or isinstance(value, (gpunp.ufunc, Builtin)):
            yield key, value
        elif inspect.isclass(value) and not issubclass(value, BaseException):
            yield key, value
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

"""Types in words, as docstrings have them, and as type checkers read them.

`annotation("int or tuple of ints")` is "_t.SupportsIndex | _a.Sequence[_t.SupportsIndex]". Words
that no rule reads are `Any` and kept in `unknown`.
"""

import ast
import builtins
import collections.abc
import re
import types
import typing

unknown = set()

INT = "_t.SupportsIndex"
FLOAT = "_t.SupportsFloat"
ARRAY = "_g.ndarray"
HOST = "_np.ndarray[_t.Any, _t.Any]"
# Words for one type, in the singular.
WORDS = {
    "int": INT,
    "float": FLOAT,
    "bool": "_T._Bool",
    "str": "_b.str",
    "bytes": "_b.bytes",
    "number": "_T._Number",
    "scalar": "_T._Number",
    "array_like": "_T.ArrayLike",
    "array of no dimensions": ARRAY,
    "ndarray": ARRAY,
    "gpunp.ndarray": ARRAY,
    "array": ARRAY,
    "numpy.ndarray": HOST,
    "dtype": "_np.typing.DTypeLike",
    "data-type": "_np.typing.DTypeLike",
    "numpy.ma.MaskedArray": "_np.ma.MaskedArray[_t.Any, _t.Any]",
    "numpy.dtype": "_np.dtype[_t.Any]",
    "callable": "_a.Callable[..., _t.Any]",
    "dict": "_b.dict[_t.Any, _t.Any]",
    "tuple": "_b.tuple[_t.Any, ...]",
    "list": "_b.list[_t.Any]",
    "class": "_b.type[_t.Any]",
    "module": "_m.ModuleType",
    "path": "_b.str | _T._Path",
    "slice": "_b.slice",
    "None": "None",
    "bytes-like": "_T._Buffer",
    "buffer": "_T._Buffer",
    "sequence": "_a.Sequence[_t.Any]",
    "edges": "_T.ArrayLike",
    "iterable": "_a.Iterable[_t.Any]",
    "type": "_t.Any",
    "object": "_t.Any",
    "file": "_t.Any",
    "index": "_t.Any",
    "pair": "_a.Sequence[_t.Any]",
    "file object": "_t.Any",
    "function": "_a.Callable[..., _t.Any]",
    "finfo": "_np.finfo[_t.Any]",
    "numpy.finfo": "_np.finfo[_t.Any]",
    "iinfo": "_np.iinfo[_t.Any]",
    "numpy.iinfo": "_np.iinfo[_t.Any]",
    "numpy.poly1d": "_np.poly1d",
    "series": "_t.Any",
    "capsule": "_t.Any",
    "ctypes pointer": "_t.Any",
    "exception type": "_b.type[_b.BaseException]",
    "poly1d": "_g.poly1d",
    "tzinfo": "_t.Any",
    "SeedSequence": "_np.random.SeedSequence",
    "Plan": "_t.Any",
    "optional": "_t.Any",
    "context manager": "_t.Any",
    "complex": "_b.complex",
    "sparse matrix": "_t.Any",
    "sparse array": "_t.Any",
    "coo_matrix": "_t.Any",
    "csc_matrix": "_t.Any",
    "csr_matrix": "_t.Any",
    "csr_array": "_t.Any",
    "scipy.sparse.linalg.SuperLU": "_t.Any",
    "lti": "_t.Any",
    "dlti": "_t.Any",
    "file-like object": "_t.Any",
    "csr": "_t.Any",
    "csc": "_t.Any",
    "csr matrix": "_t.Any",
    "csc matrix": "_t.Any",
    "lil matrix": "_t.Any",
    "constraint": "_t.Any",
    "Axes of Matplotlib": "_t.Any",
    "OdeSolver class": "_b.type[_b.object]",
    "BinnedStatisticddResult": "_t.Any",
    "ResamplingMethod": "_t.Any",
    "gaussian_kde": "_t.Any",
    "distribution": "_t.Any",
    "rv_continuous": "_t.Any",
    "numpy.random.Generator": "_np.random.Generator",
    "Generator of NumPy": "_np.random.Generator",
    "Generator of gpunp": "_g.random.Generator",
}
RESULTS = {"int": "_b.int", "float": "_b.float", "bool": "_b.bool", "series": "_t.Any"}
MANY = r"^(sequence|list|tuple|iterable|pair)s? of (.*)$"
PLURALS = {"dtypes": "dtype", "callables": "callable", "bytes": "bytes"}


def singular(word):
    """`ints` to `int`, for the words above."""
    word = PLURALS.get(word, word)
    return word[:-1] if word.endswith("s") and word[:-1] in WORDS else word


def choices(text):
    """A Literal for {'a', 'b', None}."""
    try:
        values = ast.literal_eval(f"[{text[1:-1]}]")
    except (SyntaxError, ValueError):
        return "_t.Any"
    return f"_t.Literal[{', '.join(map(repr, values))}]"


def alternatives(text):
    """The parts of `a, b or c`, with {...} kept together."""
    return [part for part in re.findall(r"\{.*?\}|'\w+'|(?:(?!,| or\b).)+", text) if part.strip()]


def one(text, homes, wide):
    """The annotation of a part, or None."""
    text = re.sub(r"^(?:a |an |or |and |nested )+", "", text.strip(" ,")).strip()
    text = re.sub(r"^\d-d |^\(N, ?D?\) ", "", text).strip()
    text = text.removeprefix("2-")
    if not text:
        return ""
    if text.startswith("{"):
        return choices(text)
    if re.fullmatch(r"'\w+'", text):
        return f"_t.Literal[{text}]"
    if text in ("True", "False"):
        return f"_t.Literal[{text}]"
    if re.match(r"^(?:array_like|edge|coordinate)s?(?: of \w+(?: numbers)?)?$", text):
        return "_T._ArrayLikeOrHost" if wide or " of " in text else "_T.ArrayLike"
    match = re.match(MANY, text)
    if match:
        inner = one(match[2], homes, wide)
        return f"_a.{'Iterable' if match[1] == 'iterable' else 'Sequence'}[{inner or '_t.Any'}]"
    match = re.match(r"^(ndarray|dict|numpy\.ndarray) of \w+$", text)
    word = match[1] if match else singular(text)
    return WORDS.get(word) or class_named(word, homes)


def with_default(kind, default):
    """An annotation that a default fits: flags may be given as numbers, choices abbreviated."""
    if kind == WORDS["bool"] and type(default) is int:
        return f"{kind} | _b.int"
    if kind.startswith("_t.Literal[") and type(default) is str and repr(default) not in kind:
        return kind.replace("_t.Literal[", f"_t.Literal[{default!r}, ", 1)
    return kind


def class_named(word, homes):
    """The public class of that name, possibly with its module, or None."""
    last = word.rpartition(".")[2]
    if re.fullmatch(r"[A-Z]\w+|cuda\.[A-Z]\w+", word):
        for module, name in sorted(homes.values()):
            if name.lstrip("_") == last and module != "gpunp.testing":
                return spelt(module, name)
    return None


def spelt(module, name):
    """gpunp.cuda, Stream: _g.cuda.Stream."""
    return f"_g{module[len('gpunp') :]}.{name}"


def annotation(text, homes, wide=False):
    """The annotation for a docstring's words; Any where a part is unknown."""
    text = re.sub(r",? ?optional$", "", text.strip())
    text = re.sub(r"\(N,(?: D)?\) |\bD (?=arrays)", "", text)
    text = re.sub(r"\((\w+), \1\)", r"pair of \1", text)
    text = re.sub(r", \([^)]*\)(?: or \([^)]*\))?", "", text)
    parts = []
    for part in alternatives(text):
        found = one(part, homes, wide)
        if found is None:
            unknown.add(text)
            return "_t.Any"
        if found == "_t.Any":
            return found
        parts += [found] if found else []
    return " | ".join(dict.fromkeys(parts)) or "_t.Any"


def parameters(sections, homes, wide=False):
    """{name: annotation} of a docstring's Parameters."""
    found = {}
    for line in sections.get("Parameters", []):
        if re.match(r"[*\w]", line) and " : " in line:
            names, _, words = line.partition(" : ")
            for name in names.split(","):
                found[name.strip().lstrip("*")] = annotation(words, homes, wide)
    return found


# When a result is there, as its description says: "Only if `flag` is True", "With `flag`: ...".
CONDITION = re.compile(
    r"^With ``?(?P<with>\w+)(?P<false>=False)?``?[:,]"
    r"|\b(?P<unless>unless) `(?P<no>\w+)`"
    r"|\b[Oo]nly (?:if|where|with) `(?P<only>\w+)`(?P<other> is no\b)?"
    r"|(?:, |^)(?:if|with) `(?P<end>\w+)`(?: is True| is given| was given)?(?:[.,;]|$)"
)
VAGUE = re.compile(r"\b(?:[Oo]nly|if it) (?:if|where|with|was|is)\b|\bonly\.$")


def condition(description):
    """(flag, whether it is to be true) under which there is a result; None if always, and (None,
    True) if it depends on what no flag says."""
    found = CONDITION.search(description)
    if found:
        flag = found["with"] or found["no"] or found["only"] or found["end"]
        return flag, not (found["false"] or found["unless"] or found["other"])
    return (None, True) if VAGUE.search(description) else None


def results(sections, homes, bound=False):
    """[(annotation, condition)] of what a docstring Returns. A series is that of the method's
    class."""
    found = []
    lines = sections.get("Returns", [])
    heads = [i for i, line in enumerate(lines) if re.match(r"[*\w(]", line)]
    for i, end in zip(heads, [*heads, len(lines)][1:], strict=True):
        names, colon, words = lines[i].partition(" : ")
        words = words if colon else names
        words = re.sub(r", \([^)]*\)(?: or \([^)]*\))?$", "", words)
        kind = "_t.Any"
        if words == "series" and bound:
            kind = "_t.Self"
        elif words in RESULTS:
            kind = RESULTS[words]
        elif not re.search(r"\bor\b|, ", words):
            kind = one_result(words, homes)
        when = condition(" ".join(line.strip() for line in lines[i + 1 : end]))
        found += [(kind, when)] * (len(names.split(",")) if colon and names[0] != "(" else 1)
    return found


def together(kinds):
    """The annotation of several results, or of one."""
    return kinds[0] if len(kinds) == 1 else f"_b.tuple[{', '.join(kinds)}]"


def result(sections, homes, bound=False):
    """The annotation of what a docstring Returns: of several, a tuple; of either, Any."""
    found = results(sections, homes, bound)
    if not found:
        return "_t.Any" if "Yields" in sections else "None"
    if len(found) > 1 and any(when for _, when in found):
        return "_t.Any"
    return together([kind for kind, _ in found])


def result_of_defaults(sections, homes, defaults):
    """({flag: default}, annotation) of a function whose result depends on flags; None of others.

    `defaults` are those of the parameters."""
    found = results(sections, homes)
    flags = [when[0] for _, when in found if when]
    if len(found) < 2 or not flags or not set(flags) <= defaults.keys():
        return None
    if any(type(defaults[flag]) not in (bool, int, type(None)) for flag in flags):
        return None
    kinds = [kind for kind, when in found if not when or bool(defaults[when[0]]) == when[1]]
    return {flag: defaults[flag] for flag in flags}, together(kinds) if kinds else "None"


def one_result(words, homes):
    """The annotation of one result."""
    match = re.match(r"^(tuple|list) of (.*)$", words)
    if match:
        inner = RESULTS.get(singular(match[2])) or one(match[2], homes, False) or "_t.Any"
        return f"_b.tuple[{inner}, ...]" if match[1] == "tuple" else f"_b.list[{inner}]"
    found = one(words, homes, False)
    return found if found and "|" not in found and "ArrayLike" not in found else "_t.Any"


# ---- annotations of the source -------------------------------------------------------------------

# Generic classes without what they hold.
BARE = {
    tuple: WORDS["tuple"],
    list: WORDS["list"],
    dict: WORDS["dict"],
    type: WORDS["class"],
    collections.abc.Callable: WORDS["callable"],
    collections.abc.Sequence: WORDS["sequence"],
    collections.abc.Iterable: WORDS["iterable"],
}


def render(note, homes, names=None):
    """An annotation as found in a function, for a stub that names everything in full."""
    if isinstance(note, str):
        try:
            note = eval(note, dict(names or {}))
        except Exception:
            return "_t.Any"
    if note is None or note is type(None):
        return "None"
    if note is ...:
        return "..."
    if note is typing.Self:
        return "_t.Self"
    if isinstance(note, list):
        return f"[{', '.join(render(item, homes) for item in note)}]"
    origin = typing.get_origin(note)
    if origin is not None:
        return render_generic(note, origin, homes)
    if note in BARE:
        return BARE[note]
    if isinstance(note, type):
        return render_class(note, homes)
    return "_t.Any"


def render_generic(note, origin, homes):
    """list[int], X | Y, Literal['a'] and their like."""
    args = typing.get_args(note)
    if origin in (typing.Union, types.UnionType):
        parts = list(dict.fromkeys(render(arg, homes) for arg in args))
        return "_t.Any" if "_t.Any" in parts else " | ".join(parts)
    if origin is typing.Literal:
        return f"_t.Literal[{', '.join(map(repr, args))}]"
    head = render_class(origin, homes)
    if head == "_t.Any":
        return head
    return f"{head}[{', '.join(render(arg, homes) for arg in args)}]"


def render_class(cls, homes):
    """A class by its public name."""
    if id(cls) in homes:
        return spelt(*homes[id(cls)])
    module, name = cls.__module__, cls.__qualname__
    if module == "builtins" and hasattr(builtins, name):
        return f"_b.{name}"
    if module == "collections.abc":
        return f"_a.{name}"
    if module == "numpy":
        return f"_np.{name}"
    return "_t.Any"

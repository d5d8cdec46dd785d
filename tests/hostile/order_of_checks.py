"""Proves by further calls that a call has two faults, of which each package reports another one.

A call is compared with a good one, which both packages accept. A *fault* is a set of changes of the good call: an
argument as it is in the hostile call, or the shape or the dtype alone of an array among them. Two faults without a
common change, one that both packages refuse, ours with the class of the hostile call, and one that both refuse, the other
with its class, leave nothing but the order of checks between the packages; both refuse a fault alike, with one class or by a
rule of refusals.py. A call with a single fault has no second such change, and a call that one
package accepts is no difference of classes, so neither is ever excused.
"""

import ast
import dataclasses
import inspect
import itertools

import calls
import numpy as np
import refusals
import values

import gpunp as cp

TRIES = 6000  # of the reference with other arguments, until it accepts some
OPEN = 6  # calls from which the search goes on
PROVED_BY = 40  # good calls that are looked at before a difference counts as one
GOOD = [
    "xp.ones(3)", "xp.eye(3)", "xp.arange(1., 7.)", "xp.ones((2, 3))", "xp.arange(3)", "1", "2", "3", "0",
    "0.5", "True", "'f8'", "(2, 3)", "[0, 1]", "[xp.ones(3), xp.ones(3)]", "xp.array([True, False, True])",
    "xp.array(1.)", "None", "lambda *a: a[0]",
]  # fmt: skip
ARRAYS = "xp.", "np.", "Array(", "readonly(", "typed("  # how texts of arrays begin
SHAPES = (), (1,), (3,), (2, 3), (3, 3)
DTYPES = "d", "q", "?"


@dataclasses.dataclass(frozen=True)
class Argument:
    text: str | None  # None: left out
    name: str  # "" where nobody knows
    keyword: bool
    optional: bool


def parsed(text):
    """(target, arguments), or None when the text is no plain call."""
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(call, ast.Call):
        return None
    target = ast.unparse(call.func)
    try:
        known = inspect.signature(eval(target, values.namespace(cp))).parameters
    except Exception:
        known = {}
    keywords = {k.arg: ast.unparse(k.value) for k in call.keywords}
    args = [Argument(ast.unparse(node), "", False, False) for node in call.args]
    kinds = inspect.Parameter
    for i, p in enumerate(known.values()):
        if p.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            break
        optional = p.default is not kinds.empty
        if i < len(call.args):
            args[i] = dataclasses.replace(args[i], name=p.name, optional=optional)
        else:
            args.append(Argument(keywords.pop(p.name, None), p.name, True, optional))
    return target, args + [
        Argument(text, name or "", True, False) for name, text in keywords.items()
    ]


def joined(target, args):
    """The text of a call: what follows an argument that is left out is given by its name."""
    shown, by_name = [], False
    for a in args:
        by_name = by_name or a.text is None
        if a.text is not None:
            shown.append(f"{a.name}={a.text}" if a.keyword or by_name else a.text)
    return f"{target}({', '.join(shown)})"


def with_texts(args, texts):
    return [dataclasses.replace(a, text=t) for a, t in zip(args, texts, strict=True)]


def array_of(text):
    """The array or number on the host that a text stands for, or None. Lists are of plain numbers:
    others may contain themselves."""
    try:
        if text.startswith(("[", "(")):
            array = np.asarray(ast.literal_eval(text))
            return array if array.dtype.kind in "biufc" else None
        value = eval(text, values.namespace(np))
        is_array = isinstance(value, (np.ndarray, np.generic, int, float))
        return np.asarray(value) if is_array or text.startswith("Array(") else None
    except Exception:
        return None


def near(text):
    """Arrays with the shape or the dtype of the array that a text stands for."""
    array = array_of(text) if text and text.startswith("xp.") else None
    if array is None:
        return []
    shaped = [f"xp.ones({array.shape}, '{d}')" for d in DTYPES]
    return shaped + [
        f"xp.ones({s}, np.{d!r})" for s in SHAPES for d in (array.dtype, np.dtype("q"))
    ]


def replacements(args):
    """For each argument the texts that may take its place; None leaves it out."""
    choices = []
    for a in args:
        few = [] if a.text is None else [*near(a.text), *GOOD]  # of an absent one by its name alone
        texts = [None] * a.optional + [*calls.PLAUSIBLE.get(a.name, GOOD[:6]), *few]
        choices.append([t for t in dict.fromkeys(texts) if t != a.text])
    return choices


def search(target, args, error_of):
    """Texts of arguments that the reference accepts: argument after argument is replaced by what changes
    the reference's exception, of few arguments before many."""
    choices = replacements(args)
    order = sorted(range(len(args)), key=lambda i: args[i].text is None)
    starts, seen, tries = [(frozenset(), [a.text for a in args])], set(), 0
    while starts:
        following = []
        for changed, texts in starts:
            for i in order:
                for text in choices[i] if i not in changed else []:
                    tries += 1
                    if tries > TRIES:
                        return
                    replaced = [*texts[:i], text, *texts[i + 1 :]]
                    error = error_of(joined(target, with_texts(args, replaced)))
                    outcome = changed | {i}, type(error), refusals.said(error)
                    if error is None:
                        yield replaced
                    elif outcome not in seen:
                        following.append((changed | {i}, replaced))
                    seen.add(outcome)
        starts = following[: OPEN * len(args)]


def with_out(target, args, texts):
    """The same texts with an array for the result as `out`, where there was none; or None."""
    for i, a in enumerate(args):
        if a.name == "out" and a.text is not None and texts[i] in (None, "None"):
            try:
                text = joined(target, with_texts(args, texts))
                with np.errstate(all="ignore"):
                    result = np.asarray(eval(text, values.namespace(np)))
            except Exception:
                return None
            made = f"xp.ones({result.shape}, np.{result.dtype!r})"
            return [*texts[:i], made, *texts[i + 1 :]]
    return None


def good_calls(target, args, base, called):
    """Texts of arguments that both packages accept: those of `base`, then what a search finds."""
    found = parsed(base)
    candidates = itertools.chain(
        [[a.text for a in found[1]]] if found and len(found[1]) == len(args) else [],
        search(target, args, lambda text: called(text, np)),
    )
    for texts in candidates:
        for some in (texts, with_out(target, args, texts)):
            text = joined(target, with_texts(args, some)) if some else ""
            if text and called(text, np) is None and called(text, cp) is None:
                yield some


def parts_of(hostile, good):
    """[(name of a part, the good argument with that part of the hostile one)]."""
    if hostile is None or good is None or not hostile.startswith(ARRAYS):
        return []
    theirs, ours = array_of(hostile), array_of(good)
    if theirs is None or ours is None:
        return []
    filled = "zeros" if theirs.dtype.kind in "MmVSUO" else "ones"
    return [
        ("shape", f"xp.ones({theirs.shape}, np.{ours.dtype!r})"),
        ("dtype", f"xp.{filled}({ours.shape}, np.{theirs.dtype!r})"),
    ]


def faults_of(target, args, good):
    """[(set of changes, text)] of calls with a part of what is hostile."""
    hostile = [a.text for a in args]
    changed = [i for i, text in enumerate(hostile) if text != good[i]]

    def call(texts):
        return joined(target, with_texts(args, texts))

    faults = []
    for i in changed:
        both = {(i, "shape"), (i, "dtype")}
        alone = [*good[:i], hostile[i], *good[i + 1 :]]
        faults.append((both, call(alone)))
        rest = {(j, part) for j in changed if j != i for part in ("shape", "dtype")}
        if len(changed) > 2:
            faults.append((rest, call([*hostile[:i], good[i], *hostile[i + 1 :]])))
        for part, text in parts_of(hostile[i], good[i]):
            faults.append(({(i, part)}, call([*good[:i], text, *good[i + 1 :]])))
    return faults


def is_proved(text, base, errors, called, same_class, are_alike):
    """Whether `text`, refused with different classes by ours and theirs (`errors`), has two faults.

    `called(text, xp)` gives the exception of a call; `base` is a call that may be accepted, or "";
    `are_alike(ours, theirs)` says of other classes than `same_class` does whether they are one refusal.
    """
    given = parsed(text)
    if given is None:
        return False
    target, args = given

    for count, good in enumerate(good_calls(target, args, base, called)):
        refused = [], []  # by ours with our class, by theirs with theirs
        for changes, call in faults_of(target, args, good):
            theirs = called(call, np)
            ours = called(call, cp) if isinstance(theirs, Exception) else None
            if not isinstance(ours, Exception):
                continue
            if same_class(ours, theirs) or are_alike(ours, theirs):
                for list_, found, error in zip(refused, (ours, theirs), errors, strict=True):
                    if same_class(found, error):
                        list_.append(changes)
        if any(not a & b for a in refused[0] for b in refused[1]):
            return True
        if count + 1 == PROVED_BY:
            break
    return False

"""Arguments made while a call begins."""

import ast

import pytest
from sources import ROOT

pytestmark = pytest.mark.null

LAZY = ("map", "filter", "zip", "iter")


def is_lazy(value):
    return isinstance(value, ast.GeneratorExp) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in LAZY
    )


def leaking_calls(tree):
    """Calls f(*map(g, x), **options): where g raises, CPython 3.11 never releases the options."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and len(call.args) == 1:
            (arg,) = call.args
            if isinstance(arg, ast.Starred) and any(k.arg is None for k in call.keywords):
                if is_lazy(arg.value):
                    yield call.lineno


def test_iterators_are_not_unpacked_beside_keywords():
    assert list(leaking_calls(ast.parse("f(*map(g, x), **y)"))) == [1]
    assert not list(leaking_calls(ast.parse("f(*map(g, x)); f(*[g(i) for i in x], **y)")))
    for path in sorted((ROOT / "gpunp").rglob("*.py")):
        lines = list(leaking_calls(ast.parse(path.read_text())))
        assert not lines, f"{path.relative_to(ROOT)}:{lines}: unpack a list"

"""Scalars that are no numbers of the device, as arguments: a TypeError, as NumPy's or instead."""

import numpy as np
import pytest
from check import check

import gpunp as cp

FOREIGN = [np.str_("x"), np.bytes_(b"x"), np.void(b"x"), np.longdouble(1), np.clongdouble(1), "x"]
CALLS = {
    "add": lambda x, s: cp.add(x, s), "radd": lambda x, s: cp.add(s, x), "+": lambda x, s: x + s,
    "maximum": lambda x, s: cp.maximum(x, s), "power": lambda x, s: x**s, "<": lambda x, s: x < s,
    "where": lambda x, s: cp.where(x > 1, x, s), "clip": lambda x, s: cp.clip(x, s, 2),
    "isin": lambda x, s: cp.isin(x, s), "append": lambda x, s: cp.append(x, s),
    "round": lambda x, s: x.round(s), "dot": lambda x, s: cp.dot(x, s),
    "searchsorted": lambda x, s: cp.searchsorted(x, s), "take": lambda x, s: x.take(s),
    "reduce": lambda x, s: cp.add.reduce(x, s),
}  # fmt: skip


@pytest.mark.parametrize("scalar", FOREIGN, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("call", CALLS)
def test_is_a_type_error(call, scalar):
    with pytest.raises(TypeError):
        CALLS[call](cp.arange(3.0), scalar)


@pytest.mark.parametrize("number", [2, 1.5, 2j, True, np.int8(2)], ids=str)
@pytest.mark.parametrize("name", ["__eq__", "__ne__", "__lt__", "__ge__"])
def test_comparison_with_a_host_array_without_axes(name, number):
    """It is a number, which programs written for CuPy compare with; arrays with axes are refused."""
    check(lambda xp: getattr(xp.arange(4), name)(np.array(number)))
    itself = np.empty((), object)
    itself.fill(itself)
    with pytest.raises(TypeError, match="numpy.ndarray"):  # said once, not at each level
        getattr(cp.arange(4), name)(itself)
    for other in (np.array([number]), np.array("x"), np.zeros((), "V3")):
        with pytest.raises(TypeError):
            getattr(cp.arange(4), name)(other)


@pytest.mark.parametrize("other", [None, object(), {}], ids=lambda o: type(o).__name__)
def test_plus_names_both_types(other):
    name = type(other).__name__
    with pytest.raises(TypeError, match=rf"for \+: 'gpunp.ndarray' and '{name}'"):
        cp.arange(3.0) + other
    with pytest.raises(TypeError, match=rf"for \+: '{name}' and 'gpunp.ndarray'"):
        other + cp.arange(3.0)


def test_plus_of_sequences_names_concatenate():
    import operator

    with pytest.raises(TypeError, match="concatenate"):
        operator.concat(cp.arange(3.0), cp.arange(3.0))

"""NumPy's functions and ufuncs called with device arrays (NEP 13 and 18)."""

import numpy as np
import pytest
from check import assert_same

import gpunp as cp


def test_functions_of_numpy_become_ours():
    a = np.arange(6.0).reshape(2, 3)
    x = cp.asarray(a)
    for function in (np.transpose, np.ravel, np.zeros_like, np.squeeze):
        assert isinstance(function(x), cp.ndarray)
        assert_same(function(x), function(a))
    assert_same(np.reshape(x, (3, 2)), np.reshape(a, (3, 2)))
    assert_same(np.concatenate([x, x]), np.concatenate([a, a]))
    assert np.shape(x) == (2, 3) and np.ndim(x) == 2


def test_ufuncs_of_numpy_become_ours():
    a = np.arange(6.0)
    x = cp.asarray(a)
    assert_same(np.add(x, 1.0), a + 1)
    assert_same(np.multiply(2.0, x), 2 * a)
    out = cp.zeros(6)
    assert np.add(x, x, out=out) is out
    assert_same(out, a + a)
    assert_same(np.float64(2) * x, 2 * a)


def test_foreign_operands_have_the_say():
    class Foreign:
        def __array_ufunc__(self, *args, **kwargs):
            return "foreign"

        def __array_function__(self, *args, **kwargs):
            return "foreign function"

    x = cp.zeros(3)
    assert np.add(x, Foreign()) == "foreign"
    assert np.add(Foreign(), x) == "foreign"
    assert np.concatenate([x, Foreign()]) == "foreign function"
    assert x.__array_ufunc__(np.add, "__call__", x, Foreign()) is NotImplemented
    assert x.__array_function__(np.concatenate, (Foreign,), (), {}) is NotImplemented


def test_what_is_missing_is_a_type_error():
    x = cp.zeros(3)
    for call in (
        lambda: np.busday_count(x, x),
        lambda: np.add(x, np.zeros(3)),
        lambda: np.isnat(x),
    ):
        with pytest.raises(TypeError):
            call()
    mine = np.frompyfunc(lambda v: v, 1, 1)
    with pytest.raises(TypeError):
        mine(x)


def test_hostile_arguments():
    x = cp.zeros(3)
    for args in ((), (1,), (np.add,), (np.add, 5), (np.add, "nonsense", x), (None, "__call__", x)):
        try:
            assert x.__array_ufunc__(*args) is NotImplemented
        except (TypeError, AttributeError):
            pass
    for args in ((), (1, 2, 3, 4), (np.sum, None, (), {}), (np.sum, (), 5, {}), (np.sum, (int,), (), {}),
                 (object(), (), (), {})):  # fmt: skip
        try:
            assert x.__array_function__(*args) is NotImplemented
        except (TypeError, AttributeError):
            pass

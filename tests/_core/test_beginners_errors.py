"""Errors of a first program: each names the call that was meant."""

import re

import numpy as np
import pytest

import gpunp as cp
from gpunp import _foreign_names


def array():
    return cp.arange(12.0).reshape(3, 4)


TOTAL = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")
TWICE = cp.ElementwiseKernel("float x", "float y", "y = 2 * x")


def launch(*sizes):
    code = 'extern "C" __global__ void f(float *x) {}'
    cp.RawKernel(code, "f")(*sizes, (cp.ones(1, "f4"),))


@pytest.mark.parametrize("name", _foreign_names._OF_ARRAYS)
def test_attributes_of_other_libraries(name):
    a = array()
    assert not hasattr(a, name) and not hasattr(cp.ndarray, name)
    assert name not in dir(a)
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; (use|leave)"):
        getattr(a, name)


@pytest.mark.parametrize(
    ("module", "name"),
    [(module, name) for module, rows in _foreign_names._OF_MODULES.items() for name in rows],
)
def test_names_of_other_libraries(module, name):
    where = {"gpunp": cp, "gpunp.cuda": cp.cuda, "gpunp.random": cp.random}[module]
    assert not hasattr(where, name)
    with pytest.raises(AttributeError, match=f"'{module}' has no attribute '{name}'; (use|leave)"):
        getattr(where, name)


def test_what_is_recommended_exists():
    a = array()
    tables = [_foreign_names._OF_ARRAYS, *_foreign_names._OF_MODULES.values()]
    for text in (text for table in tables for text in table.values()):
        for path in re.findall(r"gpunp((?:\.\w+)+)", text):
            where = cp
            for part in path[1:].split("."):
                where = getattr(where, part)
        for name in re.findall(r"\ba\.(\w+)", text):
            assert hasattr(a, name)


def test_a_subclass_may_have_the_names():
    class Tensor(cp.ndarray):
        def numpy(self):
            return self.get()

    np.testing.assert_array_equal(cp.ones(2).view(Tensor).numpy(), [1, 1])


def test_names_that_numpy_warns_of_are_absent(recwarn):
    assert not hasattr(cp, "bytes") and not hasattr(cp, "str")
    assert not recwarn.list


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda a: a.sum(dim=0), TypeError, "keyword argument 'dim'; it takes axis, dtype, out"),
        (lambda a: cp.concatenate(a, a), TypeError, r"one sequence, concatenate\(\(a, b\)\)"),
        (lambda a: cp.stack(a, a), TypeError, r"one sequence, stack\(\(a, b\)\)"),
        (lambda a: np.copyto(np.ones((3, 4)), a), TypeError, r"a\.get\(out=host\)"),
        (lambda a: cp.array(["x", "y"]), TypeError, "hold numbers, bools and dates"),
        (lambda a: cp.array([None, 1]), TypeError, r"numpy\.array\(x, dtype=float\)"),
        (lambda a: a.astype(str), TypeError, "not supported: gpunp arrays hold bool"),
        (lambda a: cp.lexsort(a, a), TypeError, r"one sequence, lexsort\(\(a, b\)\)"),
        (
            lambda a: a.get(out=np.ones(2)),
            ValueError,
            r"out has the shape \(2,\), the array \(3, 4\)",
        ),
        (lambda a: a.set(np.ones(3)), ValueError, r"given array has the shape \(3,\), the array"),
        (lambda a: a.set([1, 2]), TypeError, r"a\[\.\.\.\] = x"),
        (lambda a: TOTAL(np.ones(3)), TypeError, r"gpunp\.asarray\(x\)"),
        (lambda a: TWICE(a.astype("f4")), TypeError, "takes float64, declared as float: convert"),
        (lambda a: cp.cuda.Device("cuda:0"), TypeError, "a device is a number from 0 on"),
        (lambda a: cp.cuda.Device(70).use(), cp.cuda.CUDADriverError, "numbered from 0"),
        (lambda a: launch((2**40,), (1,)), RuntimeError, "grid of kernel f needs sizes from 0 to"),
        (lambda a: launch((1,), (-1,)), RuntimeError, "block of kernel f needs sizes from 0 to"),
        (lambda a: a + np.ones(4), TypeError, r"cp\.asarray"),
        (lambda a: np.asarray(a), TypeError, r"\.get\(\)"),
        (lambda a: cp.random.PCG64(0), AttributeError, r"gpunp\.random\.Philox4x3210"),
    ],
)
def test_the_error_names_the_call(call, error, text):
    with pytest.raises(error, match=text):
        call(array())
